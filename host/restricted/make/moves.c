// moves.c - what decides the moves of a restricted endgame
#include "restricted/make/moves.h"

#include "probe/tables.h"
#include "util/error.h"

#include <string.h>

// Finds what has the positions after moves of one side with this capture and promotion.
static int look_up(struct restricted_moves *moves, int side, int captured, int promoted)
{
    const struct restricted_bases *bases = moves->bases;
    const uint64_t serving = bases->serving[side][captured][promoted] | bases->unknown;
    struct material after = {.metric = METRIC_DTZ};
    struct table *table;
    for (int i = 0; i < moves->spec->men; i++)
        after.count[moves->spec->man[i].colour][moves->spec->man[i].type]++;
    if (captured != KING)
        after.count[side ^ 1][captured]--;
    if (promoted != KING) {
        after.count[side][PAWN]--;
        after.count[side][promoted]++;
    }
    moves->drawn[side][captured][promoted] = restricted_is_drawn(&after);
    if (material_men(&after) <= MATERIAL_MEN_MAX && bases->folders != NULL) {
        material_normalise(&after);
        const int code = tables_find_table(bases->folders, &after, &table);
        if (code != 0 && code != CLTB_E_MISSING)
            return code;
        moves->table[side][captured][promoted] = code == 0;
    }
    if (serving != 0) {
        const struct restricted_base *base = &bases->base[__builtin_ctzll(serving)];
        const bool full = base->missing == NULL && base->table == NULL && base->set == bases->folders;
        moves->first[side][captured][promoted] = full && moves->table[side][captured][promoted];
        moves->serving[side][captured][promoted] = !moves->first[side][captured][promoted];
    }
    return 0;
}

// Do the men of a kind have different sets, and do leaving moves have different values on different squares?
static bool is_apart(const struct restricted_moves *moves, int colour, int type)
{
    uint64_t set = 0;
    bool alike = true;
    bool same = true;
    for (int i = 0; i < moves->spec->men; i++) {
        const struct spec_man *man = &moves->spec->man[i];
        if (man->colour != colour || man->type != type)
            continue;
        alike &= set == 0 || set == man->squares;
        set = man->squares;
    }
    struct restricted_move move = {.mover = colour, .type = type, .captured = KING, .promoted = KING};
    const enum restricted_class class = restricted_class_of(moves, &move);
    for (move.to = 1; move.to < SQUARES; move.to++)
        same &= restricted_class_of(moves, &move) == class;
    return !alike && !same;
}

int restricted_moves_init(struct restricted_moves *moves, const struct spec *spec, const struct restricted_bases *bases)
{
    uint8_t men[COLOURS][PIECE_TYPES] = {{0}};
    *moves = (struct restricted_moves){.spec = spec, .bases = bases};
    for (int i = 0; i < spec->men; i++)
        men[spec->man[i].colour][spec->man[i].type]++;
    for (int side = WHITE; side <= BLACK; side++) {
        for (int captured = KING; captured <= PAWN; captured++) {
            for (int promoted = KING; promoted <= KNIGHT; promoted++) {
                if ((captured == KING || men[side ^ 1][captured] > 0) && (promoted == KING || men[side][PAWN] > 0))
                    TRY(look_up(moves, side, captured, promoted));
            }
        }
    }
    for (int side = WHITE; side <= BLACK; side++) {
        for (int type = KING; type < PAWN; type++)
            moves->apart[side][type] = men[side][type] > 1 && is_apart(moves, side, type);
    }
    return 0;
}

enum restricted_class restricted_class_of(const struct restricted_moves *moves, const struct restricted_move *move)
{
    const bool quiet = move->captured == KING && move->promoted == KING;
    // Slabs have only outcomes, and leave out en passant replies.
    const enum restricted_class slab = quiet && (move->type != PAWN || move->replies) ? CLASS_EXTERNAL : CLASS_SLAB;
    if (quiet && move->within)
        return move->replies ? CLASS_EXTERNAL : CLASS_OWN;
    if (moves->serving[move->mover][move->captured][move->promoted] || (quiet && moves->apart[move->mover][move->type]))
        return CLASS_EXTERNAL;
    if (moves->first[move->mover][move->captured][move->promoted])
        return slab;
    const int rule = spec_rule_for(moves->spec, move->mover, move->type, move->captured, move->promoted, move->to);
    if (rule >= 0)
        return moves->spec->rule[rule].prune == SPEC_CONCEDE ? CLASS_WIN : CLASS_NONE;
    if (moves->drawn[move->mover][move->captured][move->promoted])
        return CLASS_DRAW;
    return moves->table[move->mover][move->captured][move->promoted] ? slab : CLASS_EXTERNAL;
}
