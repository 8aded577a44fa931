// ranking.c - all legal moves of a position, best first
#include "probe/probe.h"

#include "chess/value.h"

#include <stdlib.h>
#include <string.h>

int ranked_move_compare(const void *left, const void *right)
{
    const struct ranked_move *a = left;
    const struct ranked_move *b = right;
    const int order = value_compare(a->value, b->value);
    if (order != 0)
        return order;
    if (a->mate != b->mate)
        return b->mate - a->mate;
    if (a->zeroing != b->zeroing)
        return b->zeroing - a->zeroing;
    // Sorting must not depend on the C library: by squares, then by the promoted piece.
    if (move_from(a->move) != move_from(b->move))
        return move_from(a->move) - move_from(b->move);
    if (move_to(a->move) != move_to(b->move))
        return move_to(a->move) - move_to(b->move);
    return move_promoted(a->move) - move_promoted(b->move);
}

static int rank_move(cltb_tables *tables, struct position *p, uint32_t move, struct ranked_move *ranked)
{
    int fifty = p->fifty;
    struct cltb_value after;
    *ranked = (struct ranked_move){.move = move, .zeroing = move_is_zeroing(p, move)};
    int code = position_make(p, move);
    if (code != 0)
        return code;
    code = probe_value(tables, p, &after);
    ranked->mate = code == 0 && after.outcome == CLTB_LOSS && after.dtz == 0;
    position_undo(p);
    if (code == 0)
        ranked->value = probe_clock(value_before(after, ranked->zeroing), fifty);
    return code;
}

int probe_moves(cltb_tables *tables, struct position *p, struct ranked_move ranked[CLTB_MOVES_MAX])
{
    uint32_t moves[MOVES_MAX];
    int code = probe_possible(p);
    if (code != 0)
        return code;
    int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++)
        if ((code = rank_move(tables, p, moves[i], &ranked[i])) != 0)
            return code;
    qsort(ranked, (size_t)count, sizeof ranked[0], ranked_move_compare);
    return count;
}
