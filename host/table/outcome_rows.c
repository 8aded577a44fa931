// outcome_rows.c - packing the outcomes of a unit (outcome_rows.h)
#include "table/outcome_rows.h"

#include "table/context_code.h"

#include <stdbool.h>
#include <string.h>

_Static_assert(OUTCOME_UNIT >= (int)CONTEXT_UNIT && OUTCOME_VALUES_MAX >= (int)CONTEXT_SYMBOLS_MAX, "every unit");

enum { KEPT = 3, VALUES = 4, NO_VALUE = 255 };

static bool all_equal(const uint8_t row[OUTCOME_ROW])
{
    const uint64_t first = 0x0101010101010101 * row[0];
    uint64_t different = 0;
    for (size_t i = 0; i < OUTCOME_ROW; i += sizeof first) {
        uint64_t word;
        memcpy(&word, row + i, sizeof word);
        different |= word ^ first;
    }
    return different == 0;
}

// The outcomes that occur, as a set. `count` is a multiple of OUTCOME_ROW.
static inline unsigned values_of(const uint8_t *outcomes, size_t count)
{
    uint8_t found[OUTCOME_VALUES_MAX][OUTCOME_ROW] = {{0}};
    unsigned set = 0;
    for (size_t at = 0; at < count; at += OUTCOME_ROW)
        for (unsigned value = 0; value < OUTCOME_VALUES_MAX; value++)
            for (int i = 0; i < OUTCOME_ROW; i++)
                found[value][i] |= outcomes[at + (size_t)i] == value;
    for (unsigned value = 0; value < OUTCOME_VALUES_MAX; value++)
        set |= (unsigned)(memchr(found[value], 1, OUTCOME_ROW) != NULL) << value;
    return set;
}

typedef uint8_t outcome_vector __attribute__((vector_size(16)));
typedef uint64_t word_vector __attribute__((vector_size(16)));

// Packs a row in two words. `value` has the outcomes of the unit by number.
static inline void pack_row(const uint8_t row[OUTCOME_ROW], const uint8_t value[VALUES], uint64_t words[2])
{
    for (size_t i = 0; i < 2; i++) {
        uint64_t word = 0;
        for (size_t k = 0; k < 2; k++) {
            outcome_vector from;
            memcpy(&from, row + 32 * i + 16 * k, sizeof from);
            const outcome_vector number = ((outcome_vector)(from == value[1]) & 1) |
                                          ((outcome_vector)(from == value[2]) & 2) |
                                          ((outcome_vector)(from == value[3]) & 3);
            word_vector eight = (word_vector)number; // numbers, then 2 bits each
            eight = (eight | eight >> 6) & 0x000f000f000f000f;
            eight = (eight | eight >> 12) & 0x000000ff000000ff;
            eight = (eight | eight >> 24) & 0xffff;
            word |= (eight[0] | eight[1] << 16) << 32 * k;
        }
        words[i] = word;
    }
}

// Sorts the outcomes of a set. Only a row of one of the first three can be marked as equal, so the rare ones come last.
// Returns their number.
static unsigned sort_values(unsigned set, uint8_t value[OUTCOME_VALUES_MAX])
{
    static const uint8_t order[OUTCOME_VALUES_MAX] = {2, 4, 0, 3, 1}; // draw, win, loss, cursed win, blessed loss
    unsigned count = 0;
    memset(value, NO_VALUE, OUTCOME_VALUES_MAX);
    for (unsigned i = 0; i < OUTCOME_VALUES_MAX; i++)
        if (set >> order[i] & 1)
            value[count++] = order[i];
    return count;
}

void outcome_rows_pack(struct outcome_rows *unit, const uint8_t *outcomes, size_t count, unsigned set)
{
    const unsigned rows = (unsigned)((count + OUTCOME_ROW - 1) / OUTCOME_ROW);
    uint8_t value[OUTCOME_VALUES_MAX];
    size_t kept = 0;    // rows
    unsigned kinds = 0; // as a set
    memset(unit->kinds, 0, sizeof unit->kinds);
    unit->info = (uint32_t)(rows - 1) << OUTCOME_LAST_ROW;
    unit->equal = OUTCOME_VALUES_MAX;
    if (sort_values(set, value) > VALUES &&
        sort_values(values_of(outcomes, (size_t)rows * OUTCOME_ROW), value) > VALUES) {
        unit->info |= 1U << OUTCOME_ALL_KEPT;
        unit->words = (count + 15) / 16;
        memset(unit->kept, 0, unit->words * sizeof *unit->kept);
        for (size_t i = 0; i < count; i++)
            unit->kept[i / 16] |= (uint64_t)outcomes[i] << 4 * (i % 16);
        return;
    }
    for (unsigned i = 0; i < VALUES; i++)
        unit->info |= (uint32_t)(value[i] & 7) << 3 * i;
    for (unsigned r = 0; r < rows; r++) {
        const uint8_t *row = outcomes + (size_t)r * OUTCOME_ROW;
        unsigned kind = KEPT;
        if (row[0] != value[KEPT] && all_equal(row))
            kind = (row[0] == value[1]) | (row[0] == value[2]) << 1;
        unit->kinds[r / 32] |= (uint64_t)kind << 2 * (r % 32);
        kinds |= 1U << kind;
        if (kind == KEPT)
            pack_row(row, value, &unit->kept[2 * kept++]);
    }
    unit->words = 2 * kept;
    if (kept == 0 && (kinds & (kinds - 1)) == 0)
        unit->equal = outcomes[0];
}
