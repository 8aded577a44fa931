// tally.c - what statistics are made of: counts, the longest wins and losses, mutual zugzwangs
#include "check/tally.h"

#include "chess/attacks.h"
#include "chess/fen.h"
#include "index/square.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURN_RANKS = 56, SQUARE_BITS = 6 };

// ---- keys ----

static void add_men(struct tally_men *men, const struct material *material, int type, int colour)
{
    for (int i = 0; i < material->count[colour][type]; i++)
        men->man[men->count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
}

void tally_men_init(struct tally_men *men, const struct material *material)
{
    const int white = material->count[WHITE][PAWN];
    const int black = material->count[BLACK][PAWN];
    const int first = white > 0 && (black == 0 || white <= black) ? WHITE : BLACK;
    *men = (struct tally_men){
        .pawns = white + black, .metric = (enum metric)material->metric, .paired = material_symmetric(material)};
    men->pivots = material->count[first][PAWN];
    add_men(men, material, PAWN, first);
    add_men(men, material, PAWN, first ^ 1);
    add_men(men, material, KING, WHITE);
    add_men(men, material, KING, BLACK);
    for (int type = KNIGHT; type >= QUEEN; type--) {
        add_men(men, material, type, WHITE);
        add_men(men, material, type, BLACK);
    }
}

// The number in a key of each square of the triangle (square.h).
static const int8_t triangle_rank[TRIANGLE_SQUARES] = {6, 0, 1, 2, 7, 3, 4, 8, 5, 9};

// Appends the men from number `first` on to a key, identical pieces in rising order.
static uint64_t append(const struct tally_men *men, const uint8_t *square, int first, uint64_t key)
{
    for (int i = first; i < men->count;) {
        uint64_t set = 0;
        const struct man *man = &men->man[i];
        const int turn = man->type == PAWN && man->colour == WHITE ? TURN_RANKS : 0;
        for (; i < men->count && men->man[i].type == man->type && men->man[i].colour == man->colour; i++)
            set |= square_bit(square[i] ^ turn);
        while (set != 0)
            key = key << SQUARE_BITS | (uint64_t)set_pop(&set);
    }
    return key;
}

// The key with pawn number `pivot` first; UINT64_MAX if that stands on files e to h.
static uint64_t pivot_key(const struct tally_men *men, const uint8_t *square, int pivot)
{
    uint8_t image[MATERIAL_MEN_MAX] = {0};
    memcpy(image, square, (size_t)men->count);
    image[pivot] = image[0];
    const int first = square[pivot] ^ (men->man[0].colour == WHITE ? TURN_RANKS : 0);
    if (square_file(first) > 3)
        return UINT64_MAX;
    return append(men, image, 1, (uint64_t)(square_file(first) << SQUARE_BITS | first));
}

uint64_t tally_key(const struct tally_men *men, const uint8_t *square)
{
    uint64_t best = UINT64_MAX;
    for (int g = 0; g < (men->pawns > 0 ? 2 : SYMMETRIES); g++) {
        uint8_t image[MATERIAL_MEN_MAX] = {0};
        const int8_t number = square_triangle[square_apply(g, square[0])];
        if (men->pawns == 0 && number < 0)
            continue;
        for (int i = 0; i < men->count; i++)
            image[i] = (uint8_t)square_apply(g, square[i]);
        for (int pivot = 0; pivot < men->pivots; pivot++) {
            const uint64_t key = pivot_key(men, image, pivot);
            best = key < best ? key : best;
        }
        if (men->pawns == 0) {
            const uint64_t key = append(men, image, 1, (uint64_t)triangle_rank[number]);
            best = key < best ? key : best;
        }
    }
    return best;
}

uint64_t tally_key_least(const struct tally_men *men, const uint8_t *square)
{
    if (men->pawns > 0)
        return 0;
    const int first = square_apply(symmetry_to_triangle(square[0]), square[0]);
    return (uint64_t)triangle_rank[square_triangle[first]] << SQUARE_BITS * (men->count - 1);
}

bool tally_position(const struct tally_men *men, uint64_t key, int side, struct position *p)
{
    struct man placed[MATERIAL_MEN_MAX];
    for (int i = men->count - 1; i >= 0; i--, key >>= SQUARE_BITS) {
        const int bits = (int)(key & (SQUARES - 1));
        placed[i] = men->man[i];
        placed[i].square = (uint8_t)(placed[i].type == PAWN && placed[i].colour == WHITE ? bits ^ TURN_RANKS : bits);
        for (int k = 0; i == 0 && men->pawns == 0 && k < TRIANGLE_SQUARES; k++) {
            if (triangle_rank[k] == bits)
                placed[i].square = (uint8_t)triangle_square[k];
        }
    }
    return position_set(p, placed, men->count, side) == 0;
}

void tally_fen(const struct tally_men *men, uint64_t key, int side, char fen[STATS_FEN_MAX])
{
    struct position p;
    char text[FEN_MAX];
    fen[0] = '\0';
    if (!tally_position(men, key, side, &p))
        return;
    fen_write(&p, text);
    char *counters = strstr(text, " - - ");
    if (counters != NULL)
        counters[4] = '\0';
    snprintf(fen, STATS_FEN_MAX, "%s", text);
}

// ---- filling ----

void tally_init(struct tally *tally)
{
    memset(tally, 0, sizeof *tally);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        tally->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES].plies = -1;
}

void tally_free(struct tally *tally)
{
    free(tally->zugzwang);
    tally->zugzwang = NULL;
    tally->found = tally->room = 0;
}

bool tally_precedes(const struct tally_longest *a, const struct tally_longest *b)
{
    if (a->plies != b->plies)
        return a->plies > b->plies;
    if (a->rounded != b->rounded)
        return a->rounded;
    if (a->zeroing != b->zeroing)
        return b->zeroing;
    return a->key < b->key;
}

void tally_flip(const struct tally_men *men, const uint8_t *square, uint8_t *flipped)
{
    bool taken[MATERIAL_MEN_MAX] = {false};
    for (int i = 0; i < men->count; i++) {
        int j = 0;
        while (taken[j] || men->man[j].type != men->man[i].type || men->man[j].colour == men->man[i].colour)
            j++;
        taken[j] = true;
        flipped[j] = (uint8_t)(square[i] ^ (men->pawns > 0 ? TURN_RANKS : 0));
    }
}

int tally_is_zeroing(cltb_tables *tables, struct position *p, int outcome, bool *zeroing)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    int code = 0;
    *zeroing = false;
    for (int i = 0; i < count && code == 0 && !*zeroing; i++) {
        int after;
        if (!move_is_zeroing(p, moves[i]))
            continue;
        if ((code = position_make(p, moves[i])) != 0)
            break;
        code = probe_outcome(tables, p, &after);
        *zeroing = after == -outcome;
        position_undo(p);
    }
    return code;
}

int tally_note(struct tally *tally, const struct tally_men *men, cltb_tables *tables, struct position *p,
               const uint8_t *square, struct cltb_value value)
{
    struct tally_longest here = {.plies = value.dtz, .rounded = value.rounded != 0, .key = tally_key(men, square)};
    if (men->metric == METRIC_DTZ && value.outcome > CLTB_DRAW && (value.dtz == 1 || value.dtz == CURSED_PLY))
        TRY(tally_is_zeroing(tables, p, value.outcome, &here.zeroing));
    uint8_t flipped[MATERIAL_MEN_MAX] = {0};
    for (int i = 0; i <= (men->paired ? 1 : 0); i++) {
        struct tally_longest *longest = &tally->longest[p->side ^ i][value.outcome + 2];
        if (i == 1) {
            tally_flip(men, square, flipped);
            here.key = tally_key(men, flipped);
        }
        if (tally_precedes(&here, longest))
            *longest = here;
    }
    return 0;
}

static int reserve(struct tally *tally, size_t more)
{
    return memory_grow(&tally->zugzwang, &tally->room, tally->found + more, sizeof *tally->zugzwang,
                       "a list of zugzwangs");
}

int tally_zugzwang(struct tally *tally, const struct tally_men *men, const uint8_t *square, int white, int black,
                   unsigned weight)
{
    TRY(reserve(tally, 1));
    tally->zugzwangs[white + 2][black + 2] += weight;
    tally->zugzwang[tally->found++] =
        (struct stats_zugzwang){.key = tally_key(men, square), .outcome = {(int8_t)white, (int8_t)black}};
    return 0;
}

// ---- joining ----

int tally_add(struct tally *sum, struct tally *from)
{
    struct stats_bin *to_bin = &sum->bin[0][0][0];
    const struct stats_bin *bin = &from->bin[0][0][0];
    for (size_t i = 0; i < sizeof from->bin / sizeof *bin; i++) {
        to_bin[i].count += bin[i].count;
        to_bin[i].diagonal += bin[i].diagonal;
        to_bin[i].rounded += bin[i].rounded;
    }
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const struct tally_longest *longest = &from->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        struct tally_longest *to = &sum->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        if (tally_precedes(longest, to))
            *to = *longest;
    }
    for (int i = 0; i < TABLE_OUTCOMES * TABLE_OUTCOMES; i++)
        sum->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] +=
            from->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
    TRY(reserve(sum, from->found));
    if (from->found > 0)
        memcpy(sum->zugzwang + sum->found, from->zugzwang, from->found * sizeof *sum->zugzwang);
    sum->found += from->found;
    tally_free(from);
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct stats_zugzwang *a = left;
    const struct stats_zugzwang *b = right;
    for (int side = WHITE; side <= BLACK; side++)
        if (a->outcome[side] != b->outcome[side])
            return a->outcome[side] < b->outcome[side] ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

void tally_sort(struct tally *tally)
{
    size_t kept = 0;
    if (tally->found == 0)
        return;
    qsort(tally->zugzwang, tally->found, sizeof *tally->zugzwang, compare);
    for (size_t i = 0; i < tally->found; i++)
        if (i == 0 || tally->zugzwang[i].key != tally->zugzwang[i - 1].key)
            tally->zugzwang[kept++] = tally->zugzwang[i];
    tally->found = kept;
}
