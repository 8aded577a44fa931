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

void restricted_tables_make(struct restricted_tables *tables, const struct restricted_index *index)
{
    static const uint8_t lines[PIECE_TYPES] = {[QUEEN] = 0xf, [ROOK] = 0x3, [BISHOP] = 0xc};
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
    memcpy(tables->square, index->square, sizeof tables->square);
    memcpy(tables->digit, index->digit, sizeof tables->digit);
    for (int p = 0; p < index->pieces; p++) {
        const struct spec_man *man = &index->spec.man[index->piece[p]];
        bool one_set = true; // then no man of the group can move out of it
        tables->set[p] = man->squares;
        tables->stride[p] = (uint32_t)index->stride[p];
        tables->digits[p] = index->digits[p];
        tables->colour[p] = man->colour;
        tables->lines[p] = lines[man->type];
        tables->leaper[p] = man->type == KNIGHT;
        for (int i = 0; i < index->pieces; i++) {
            const uint64_t squares = index->spec.man[index->piece[i]].squares;
            if ((index->group[index->piece[p]] >> index->piece[i] & 1) == 0)
                continue;
            tables->group[p] |= 1U << i;
            tables->reach[p] |= squares;
            one_set &= squares == man->squares;
        }
        if (one_set)
            tables->group[p] = 0;
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

// The next ply from `ply` on in which an external code decides an entry, or PLIES_MAX.
static int next_external(bool (*external)[COLOURS], int ply)
{
    while (ply < PLIES_MAX && !external[ply][WHITE] && !external[ply][BLACK])
        ply++;
    return ply;
}

int restricted_rounds(struct restricted_slice *slice, restricted_round *round, void *context,
                      int (*stop)(void *context), void *stop_context)
{
    bool external[PLIES_MAX][COLOURS] = {{false}}; // plies in which an external code decides an entry
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t i = 0; i < slice->index->slice_entries; i++) {
            const unsigned code = slice->external[side][i];
            if (code <= RESTRICTED_DRAW || slice->value[side][i] != RESTRICTED_OPEN)
                continue;
            if (code / 2 > PLIES_MAX)
                return error_set(CLTB_E_CORRUPT, "slice %u, entry %llu: a move is worth %u plies", slice->slice,
                                 (unsigned long long)i, code / 2 - 1);
            external[code / 2 - 1][side] = true;
        }
    }
    slice->plies = -1;
    for (int ply = next_external(external, 0); ply < PLIES_MAX;) {
        uint64_t found;
        TRY(round(context, ply, external[ply], &found));
        if (found > 0)
            slice->plies = ply;
        if (found > 0 && ply == PLIES_MAX - 1)
            return error_set(CLTB_E_CORRUPT, "slice %u: a win takes more than %d plies", slice->slice, PLIES_MAX - 1);
        ply = found > 0 ? ply + 1 : next_external(external, ply + 1);
        if (ply < PLIES_MAX && stop != NULL && stop(stop_context) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted at ply %d of slice %u", ply, slice->slice);
    }
    return 0;
}
