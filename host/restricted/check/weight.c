// weight.c - which entries of a restricted endgame are the same position
//
// To count each position on the board once, an entry stands for its position only if
//
// 1. it is the first of all ways to give the position's squares to the spec's men (men compared by number, by square);
// 2. it is the lowest of its symmetric images that have an entry in the same slice (compare_boards()).
//
// It then counts for as many positions as it has images: the number of symmetries divided by those that change nothing.
#include "restricted/check/weight.h"

#include "index/square.h"

#include <string.h>

// ---- men that exchange squares ----

static bool same_kind(const struct spec_man *a, const struct spec_man *b)
{
    return a->colour == b->colour && a->type == b->type && a->type != PAWN;
}

bool restricted_exchange(const struct restricted_index *index, int a, int b, uint8_t where[SPEC_MEN_MAX])
{
    const struct spec_man *man = index->spec.man;
    const uint8_t square = where[a];
    if (!same_kind(&man[a], &man[b]) || !(man[a].squares & square_bit(where[b])) ||
        !(man[b].squares & square_bit(square)))
        return false;
    where[a] = where[b];
    where[b] = square;
    return true;
}

// Can the men from number `i` on be given the remaining squares so that the whole placement comes before `where`?
// `same`: the men before `i` stand as in `where`. The remaining squares are given by colour and type.
static bool can_precede(const struct restricted_index *index, const uint8_t *where, int i,
                        uint64_t left[COLOURS][PIECE_TYPES], bool same)
{
    if (i == index->spec.men)
        return !same;
    const struct spec_man *man = &index->spec.man[i];
    uint64_t *squares = &left[man->colour][man->type];
    uint64_t tries = *squares & man->squares;
    if (man->type == PAWN) // a slice has its pawns in one order only
        return can_precede(index, where, i + 1, left, same);
    if (same)
        tries &= square_bit(where[i]) | (square_bit(where[i]) - 1);
    for (; tries != 0; tries &= tries - 1) {
        const int square = __builtin_ctzll(tries);
        *squares ^= square_bit(square);
        const bool found = can_precede(index, where, i + 1, left, same && square == where[i]);
        *squares ^= square_bit(square);
        if (found)
            return true;
    }
    return false;
}

// Of all ways to give these squares to the men, is this the first? Exchanging two men decides in nearly all cases;
// where sets overlap, three may have to change places in a circle.
static bool first_way(const struct restricted_index *index, const uint8_t *stand)
{
    const struct spec *spec = &index->spec;
    uint64_t left[COLOURS][PIECE_TYPES] = {{0}};
    bool overlap = false;
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *a = &spec->man[i];
        left[a->colour][a->type] |= square_bit(stand[i]);
        for (int j = i + 1; j < spec->men; j++) {
            const struct spec_man *b = &spec->man[j];
            uint8_t where[SPEC_MEN_MAX];
            if (!same_kind(a, b))
                continue;
            overlap |= a->squares != b->squares && (a->squares & b->squares) != 0;
            memcpy(where, stand, sizeof where);
            if (where[i] > where[j] && restricted_exchange(index, i, j, where))
                return false;
        }
    }
    return !overlap || !can_precede(index, stand, 0, left, true);
}

// ---- symmetric images ----

struct board {
    uint64_t men[COLOURS][PIECE_TYPES];
};

static struct board board_of(const struct restricted_index *index, const uint8_t *where)
{
    struct board board = {{{0}}};
    for (int i = 0; i < index->spec.men; i++)
        board.men[index->spec.man[i].colour][index->spec.man[i].type] |= square_bit(where[i]);
    return board;
}

static int compare_boards(const struct board *a, const struct board *b)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type < PIECE_TYPES; type++) {
            if (a->men[colour][type] != b->men[colour][type])
                return a->men[colour][type] < b->men[colour][type] ? -1 : 1;
        }
    }
    return 0;
}

unsigned restricted_weight(const struct restricted_index *index, const uint8_t *stand)
{
    unsigned fixed = 1; // symmetries that change nothing
    if (!first_way(index, stand))
        return 0;
    const struct board board = board_of(index, stand);
    for (int g = 1; g < index->symmetries; g++) {
        uint8_t where[SPEC_MEN_MAX];
        restricted_mirror(index, g, stand, where);
        if (index->pawns == 0 && index->digit[0][where[0]] == RESTRICTED_NO_DIGIT)
            continue; // without pawns, the white king decides which images have an entry
        const struct board image = board_of(index, where);
        if (image.men[WHITE][PAWN] != board.men[WHITE][PAWN] || image.men[BLACK][PAWN] != board.men[BLACK][PAWN])
            continue; // it belongs to another slice
        const int order = compare_boards(&image, &board);
        if (order < 0)
            return 0;
        fixed += order == 0;
    }
    return (unsigned)index->symmetries / fixed;
}
