// rounds.c - what both backends of restricted endgames share: the tables of the kernels, the loop over rounds
#include "restricted/solve/rounds.h"

#include "chess/attacks.h"
#include "index/square.h"
#include "util/error.h"

#include <string.h>

_Static_assert((int)R_PIECES == (int)SPEC_MEN_MAX, "the kernels have room for all men");
_Static_assert((int)R_NONE == (int)RESTRICTED_NO_DIGIT, "the index and the kernels agree on squares without a digit");
_Static_assert(sizeof(struct restricted_step) == 24, "as on every device");

enum { PLIES_MAX = 1024 }; // codes have ply 0..1023

// ---- tables ----

static const struct spec_man *man_of(const struct restricted_index *index, int piece)
{
    return &index->spec.man[index->piece[piece]];
}

static void make_piece(struct restricted_tables *tables, const struct restricted_index *index, int p)
{
    static const uint8_t lines[PIECE_TYPES] = {[QUEEN] = 0xf, [ROOK] = 0x3, [BISHOP] = 0xc};
    const struct spec_man *man = man_of(index, p);
    bool one_set = true; // then no man of the group can move out of it
    tables->set[p] = man->squares;
    tables->stride[p] = (uint32_t)index->stride[p];
    tables->digits[p] = index->digits[p];
    tables->colour[p] = man->colour;
    tables->lines[p] = lines[man->type];
    tables->leaper[p] = man->type == KNIGHT;
    memcpy(tables->square[p], index->square[p], sizeof tables->square[p]);
    memcpy(tables->digit[p], index->digit[p], sizeof tables->digit[p]);
    for (int i = 0; i < index->pieces; i++) {
        if ((index->group[index->piece[p]] >> index->piece[i] & 1) == 0)
            continue;
        tables->group[p] |= 1U << i;
        tables->reach[p] |= man_of(index, i)->squares;
        one_set &= man_of(index, i)->squares == man->squares;
    }
    if (one_set)
        tables->group[p] = 0;
}

void restricted_tables_make(struct restricted_tables *tables, const struct restricted_index *index)
{
    int piece_of[SPEC_MEN_MAX] = {0};
    memset(tables, 0, sizeof *tables);
    for (int square = 0; square < SQUARES; square++) {
        const uint64_t others = ~square_bit(square);
        tables->line[square][0] = file_line(square) & others;
        tables->line[square][1] = rank_line(square) & others;
        tables->line[square][2] = diagonal_line(square) & others;
        tables->line[square][3] = antidiagonal_line(square) & others;
        tables->leap[0][square] = king_attacks(square);
        tables->leap[1][square] = knight_attacks(square);
    }
    tables->pieces = (uint32_t)index->pieces;
    for (int p = 0; p < index->pieces; p++) {
        make_piece(tables, index, p);
        piece_of[index->piece[p]] = p;
    }
    // The white king is carried only without pawns.
    tables->symmetries = index->pawns == 0 && index->symmetries > 1 ? (uint32_t)index->symmetries : 0;
    for (uint32_t g = 0; g < tables->symmetries; g++) {
        for (int square = 0; square < SQUARES; square++) {
            tables->image[g][square] = (uint8_t)square_apply(index->symmetry[g], square);
            if (tables->digit[0][tables->image[g][square]] != R_NONE)
                tables->carry[square] = (uint8_t)g;
        }
        for (int p = 0; p < index->pieces; p++)
            tables->becomes[g][p] = (uint8_t)piece_of[index->image[g][index->piece[p]]];
    }
}

void restricted_tables_slice(struct restricted_tables *tables, const struct restricted_index *index, uint32_t slice)
{
    tables->pawns = 0;
    for (int i = 0; i < index->pawns; i++)
        tables->pawns |= square_bit(index->placement[slice][i]);
}

// ---- rounds ----

struct external_plies {
    bool any[PLIES_MAX][COLOURS];
};

static int find_external_plies(struct external_plies *plies, const struct restricted_slice *slice)
{
    memset(plies, 0, sizeof *plies);
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t i = 0; i < slice->index->slice_entries; i++) {
            const unsigned code = slice->external[side][i];
            if (code <= RESTRICTED_DRAW || slice->value[side][i] != RESTRICTED_OPEN)
                continue;
            if (code / 2 > PLIES_MAX)
                return error_set(CLTB_E_CORRUPT, "slice %u, entry %llu: a move is worth %u plies", slice->slice,
                                 (unsigned long long)i, code / 2 - 1);
            plies->any[code / 2 - 1][side] = true;
        }
    }
    return 0;
}

// The next ply from `ply` on in which an external code decides an entry, or PLIES_MAX.
static int next_external(const struct external_plies *plies, int ply)
{
    while (ply < PLIES_MAX && !plies->any[ply][WHITE] && !plies->any[ply][BLACK])
        ply++;
    return ply;
}

int restricted_rounds(struct restricted_slice *slice, restricted_round *round, void *context,
                      int (*stop)(void *context), void *stop_context)
{
    struct external_plies plies;
    TRY(find_external_plies(&plies, slice));
    slice->plies = -1;
    for (int ply = next_external(&plies, 0); ply < PLIES_MAX;) {
        uint64_t found;
        TRY(round(context, ply, plies.any[ply], &found));
        if (found > 0)
            slice->plies = ply;
        if (found > 0 && ply == PLIES_MAX - 1)
            return error_set(CLTB_E_CORRUPT, "slice %u: a win takes more than %d plies", slice->slice, PLIES_MAX - 1);
        ply = found > 0 ? ply + 1 : next_external(&plies, ply + 1);
        if (ply < PLIES_MAX && stop != NULL && stop(stop_context) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted at ply %d of slice %u", ply, slice->slice);
    }
    return 0;
}
