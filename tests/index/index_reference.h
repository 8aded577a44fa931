// index_reference.h - tests of the index: random numbers, the board's symmetries, men on squares, and digits by their
// definition
#ifndef CLTB_TESTS_INDEX_INDEX_REFERENCE_H
#define CLTB_TESTS_INDEX_INDEX_REFERENCE_H

#include "support/support.h"

#include "index/entry.h"
#include "index/material.h"
#include "index/square.h"
#include "util/error.h"

// ---- a fixed pseudo-random sequence ----

static uint64_t sequence = 1;

static inline uint64_t next_random(void)
{
    sequence += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = sequence;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline unsigned below(unsigned n)
{
    return (unsigned)((next_random() >> 32) * n >> 32);
}

static inline struct material material_from(const char *name)
{
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    return material;
}

// A symmetry by files and ranks: the diagonal first, then the mirrors.
static inline int symmetric_square(int g, int square)
{
    int file = square % 8;
    int rank = square / 8;
    if (g & 4) {
        const int swap = file;
        file = rank;
        rank = swap;
    }
    if (g & 2)
        rank = 7 - rank;
    if (g & 1)
        file = 7 - file;
    return 8 * rank + file;
}

// ---- men on squares ----

struct men {
    struct man man[MATERIAL_MEN_MAX];
    int count;
};

// The men of a material on squares still to be chosen; both kings first.
static inline struct men men_of(const struct material *material)
{
    struct men men = {.count = 2};
    men.man[0] = (struct man){.type = KING, .colour = BLACK};
    men.man[1] = (struct man){.type = KING, .colour = WHITE};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= PAWN; type++) {
            for (int i = 0; i < material->count[colour][type]; i++)
                men.man[men.count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
        }
    }
    return men;
}

static inline void place_randomly(struct men *men)
{
    uint64_t occupied = 0;
    for (int i = 0; i < men->count; i++) {
        const bool pawn = men->man[i].type == PAWN;
        do
            men->man[i].square = (uint8_t)(pawn ? 8 + below(48) : below(64));
        while (occupied >> men->man[i].square & 1);
        occupied |= UINT64_C(1) << men->man[i].square;
    }
}

static inline uint64_t entry_of(const struct entry_order *order, const struct men *men, bool flip)
{
    static struct position position;
    GOOD(position_set(&position, men->man, men->count, (int)below(2)));
    return entry_index(order, &position, flip);
}

static inline struct men symmetric_men(const struct men *men, int g)
{
    struct men moved = *men;
    for (int i = 0; i < men->count; i++)
        moved.man[i].square = (uint8_t)symmetric_square(g, men->man[i].square);
    return moved;
}

// Exchanges the squares of two random identical pieces, if there are any.
static inline void exchange_identical(struct men *men)
{
    for (int i = 2; i < men->count; i++) {
        const int other = 2 + (int)below((unsigned)men->count - 2);
        if (men->man[i].type != men->man[other].type || men->man[i].colour != men->man[other].colour)
            continue;
        const uint8_t swap = men->man[i].square;
        men->man[i].square = men->man[other].square;
        men->man[other].square = swap;
    }
}

// The men in any order of the list.
static inline void shuffle_men(struct men *men)
{
    for (int i = men->count - 1; i > 1; i--) {
        const int other = 2 + (int)below((unsigned)i - 1);
        const struct man swap = men->man[i];
        men->man[i] = men->man[other];
        men->man[other] = swap;
    }
}

// ---- digits and orders of the file's index ----

static inline uint64_t binomial(unsigned n, unsigned k)
{
    uint64_t result = 1;
    if (k > n)
        return 0;
    for (unsigned i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return result;
}

static inline int by_value(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

// The sum of C(s_i, i) over the sorted squares.
static inline uint64_t reference_digit(const uint8_t *squares, unsigned count)
{
    uint8_t sorted[MATERIAL_MEN_MAX] = {0};
    uint64_t digit = 0;
    for (unsigned i = 0; i < count && i < MATERIAL_MEN_MAX; i++)
        sorted[i] = squares[i];
    qsort(sorted, count, 1, by_value);
    for (unsigned i = 0; i < count; i++)
        digit += binomial(sorted[i], i + 1);
    return digit;
}

static inline void shuffle(uint8_t *choice, int count)
{
    for (int i = 0; i < count; i++)
        choice[i] = (uint8_t)i;
    for (int i = count - 1; i > 0; i--) {
        const unsigned other = below((unsigned)i + 1);
        const uint8_t swap = choice[i];
        choice[i] = choice[other];
        choice[other] = swap;
    }
}

static inline struct entry_order random_pawn_order(const struct material *material, const struct pawn_slices *slices)
{
    struct entry_order order;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    entry_order_init(&order, material, slices, NULL);
    shuffle(choice, order.groups);
    entry_order_init(&order, material, slices, choice);
    return order;
}

static inline void check_order_round_trip(const struct material *material, const struct pawn_slices *slices)
{
    const struct entry_order order = random_pawn_order(material, slices);
    struct entry_order again;
    char text[ENTRY_TEXT_MAX];
    memset(text, 'x', sizeof text);
    entry_order_write(&order, text);
    assert_non_null(memchr(text, '\0', sizeof text));
    GOOD(entry_order_read(&again, material, slices, text));
    assert_true(material_equal(&again.material, &order.material));
    assert_int_equal(again.groups, order.groups);
    assert_true(again.per_section == order.per_section && again.entries == order.entries);
    for (int i = 0; i < order.groups; i++) {
        assert_int_equal(again.group[i].colour, order.group[i].colour);
        assert_int_equal(again.group[i].type, order.group[i].type);
        assert_int_equal(again.group[i].count, order.group[i].count);
        assert_true(again.group[i].size == order.group[i].size && again.group[i].stride == order.group[i].stride);
    }
}

#endif
