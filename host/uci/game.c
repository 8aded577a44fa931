// game.c - a position, its history as far as it counts for repetitions, and its moves ranked with it
#include "uci/game.h"

#include "chess/fen.h"
#include "probe/castling.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 2 }; // earlier occurrences that make the next one a draw

static uint64_t key_of(const struct position *p)
{
    const bool idle = p->en_passant != NO_SQUARE && !position_en_passant_legal(p);
    return idle ? p->key ^ position_key_en_passant(p->en_passant) : p->key;
}

int game_set(struct game *game, const char *fen, bool chess960)
{
    TRY(fen_read_lenient(&game->position, fen,
                         chess960)); // programs leave castling rights set that the men cannot have
    game->past = 0;
    return 0;
}

int game_make(struct game *game, uint32_t move)
{
    struct position *p = &game->position;
    const bool zeroing = move_is_zeroing(p, move);
    const uint64_t before = key_of(p);
    position_forget(p);
    TRY(position_make(p, move));
    position_forget(p);
    if (zeroing || game->past == POSITION_PLIES)
        game->past = 0;
    else
        game->key[game->past++] = before;
    return 0;
}

// Has the position of `p`, which is not yet part of the game, occurred twice?
static bool is_third(const struct game *game, const struct position *p)
{
    const uint64_t key = key_of(p);
    int times = 0;
    for (int i = 0; i < game->past; i++)
        times += game->key[i] == key;
    return times + (key_of(&game->position) == key) >= REPETITIONS;
}

// Is this move, which the tables call won or lost, a draw by repetition?
static int is_drawn(const struct game *game, const struct ranked_move *ranked, bool *drawn)
{
    struct position next;
    uint32_t reply[MOVES_MAX];
    *drawn = false;
    if (ranked->zeroing || ranked->mate)
        return 0;
    position_copy(&next, &game->position);
    TRY(position_make(&next, ranked->move));
    *drawn = is_third(game, &next);
    const int replies = ranked->value.outcome > CLTB_DRAW ? moves_legal(&next, reply) : 0;
    for (int i = 0; i < replies && !*drawn; i++) {
        TRY(position_make(&next, reply[i]));
        *drawn = is_third(game, &next);
        TRY(position_undo(&next));
    }
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct game_move *x = left;
    const struct game_move *y = right;
    const int a = x->ranked.value.outcome;
    const int b = y->ranked.value.outcome;
    if (a == CLTB_UNKNOWN && b != CLTB_UNKNOWN)
        return b < CLTB_DRAW ? -1 : 1;
    if (b == CLTB_UNKNOWN && a != CLTB_UNKNOWN)
        return a < CLTB_DRAW ? 1 : -1;
    if (a == b && is_decided(a) && x->to_mate != y->to_mate)
        return (x->to_mate < y->to_mate) == (a == CLTB_WIN) ? -1 : 1;
    return ranked_move_compare(&x->ranked, &y->ranked);
}

// Fills in the distances to mate of all moves, or of none.
static void set_mates(struct position *p, cltb_tables *tables, struct game_move *moves, int count)
{
    struct ranked_move mates[CLTB_MOVES_MAX];
    const int known = probe_exact_moves(tables, p, METRIC_DTM, mates);
    for (int i = 0; i < count; i++) {
        moves[i].to_mate = -1;
        for (int k = 0; k < known; k++)
            if (mates[k].move == moves[i].ranked.move && is_decided(moves[i].ranked.value.outcome))
                moves[i].to_mate = mates[k].value.dtz;
    }
}

void game_choose(struct game *game, cltb_tables *tables, int nodes, struct game_move *moves, int count)
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    for (int i = 0; i < count; i++)
        ranked[i] = moves[i].ranked;
    if (count == 0 || (is_decided(ranked[0].value.outcome) && moves[0].to_mate >= 0))
        return;
    const struct choice choice = choose_move(tables, &game->position, ranked, count, game->key, game->past, nodes);
    struct game_move best = moves[choice.index];
    if (choice.to_mate >= 0)
        best.to_mate = choice.to_mate;
    memmove(moves + 1, moves, (size_t)choice.index * sizeof moves[0]);
    moves[0] = best;
}

int game_moves(struct game *game, cltb_tables *tables, bool fifty_moves, int nodes,
               struct game_move moves[CLTB_MOVES_MAX], char why[GAME_WHY_MAX])
{
    struct position *p = &game->position;
    struct ranked_move ranked[CLTB_MOVES_MAX];
    const uint16_t fifty = p->fifty;
    if (!fifty_moves)
        p->fifty = 0;
    // A fault that passes, such as too many open files, costs nothing; one that stays, only the moves that it touches.
    int count = p->castling != 0 ? castling_moves(tables, p, ranked) : probe_moves(tables, p, false, ranked);
    if (count < 0 && p->castling != 0)
        count = CLTB_E_POSITION;
    if (count < 0 && count != CLTB_E_POSITION)
        count = probe_moves(tables, p, true, ranked);
    if (count == CLTB_E_POSITION) {
        uint32_t legal[MOVES_MAX];
        const int all = moves_legal(p, legal);
        for (count = 0; count < all && count < CLTB_MOVES_MAX; count++)
            ranked[count] = (struct ranked_move){
                .move = legal[count], .zeroing = move_is_zeroing(p, legal[count]), .value = {.outcome = CLTB_UNKNOWN}};
    }
    p->fifty = fifty;
    const bool known = count >= 0 && (count == 0 || ranked[count - 1].value.outcome != CLTB_UNKNOWN);
    snprintf(why, GAME_WHY_MAX, "%s", known ? "" : error_text());
    for (int i = 0; i < count; i++) {
        struct cltb_value *value = &ranked[i].value;
        bool drawn;
        if (!fifty_moves && outcome_is_cursed(value->outcome))
            value->outcome = value->outcome > CLTB_DRAW ? CLTB_WIN : CLTB_LOSS;
        TRY(is_drawn(game, &ranked[i], &drawn));
        if (drawn)
            *value = (struct cltb_value){.outcome = CLTB_DRAW};
        moves[i].ranked = ranked[i];
    }
    set_mates(p, tables, moves, count);
    if (count > 0)
        qsort(moves, (size_t)count, sizeof moves[0], compare);
    game_choose(game, tables, nodes, moves, count < 0 ? 0 : count);
    return count;
}
