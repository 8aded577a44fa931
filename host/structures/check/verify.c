// verify.c - proves a file of structures right (verify.h says how)
#include "structures/check/verify.h"

#include "chess/fen.h"
#include "chess/move.h"
#include "structures/check/walk.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdlib.h>

enum { SAMPLE_ITEM = 256, TRIES = 100000, MOST = 2000 };

struct verify {
    struct structure_file *file;
    struct structure_values values;
    uint64_t sample;
    uint64_t seed;
    uint64_t *checked; // [workers]
    struct position *position;
};

// ---- deriving a value ----

// Higher is better for the side to move: wins should be fast, losses slow. A win in n is MOST - n, a loss in n is n -
// MOST.
static int rank_of(struct cltb_value value)
{
    return value.outcome > CLTB_DRAW ? MOST - value.dtz : value.outcome < CLTB_DRAW ? value.dtz - MOST : 0;
}

// The rank before a move to a position with this rank. After a zeroing move the count to 100 starts again.
static int rank_before(int after, bool zeroing)
{
    const int plies = MOST - abs(after);
    const int longer = zeroing ? (plies > 100 ? 101 : 1) : plies + 1;
    return after == 0 ? 0 : after > 0 ? longer - MOST : MOST - longer;
}

struct run {
    const struct verify *verify;
    int winner;
};

static int worth(const struct run *run, struct position *p, uint64_t promoted, int *rank);

// The best of the requested captures: en passant, or all captures by men that do not stand on `promoted`.
static int best_capture(const struct run *run, struct position *p, bool en_passant, uint64_t promoted, int *best,
                        bool *others)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    *others = false;
    for (int i = 0; i < count; i++) {
        const uint64_t from = UINT64_C(1) << move_from(moves[i]);
        const uint64_t to = UINT64_C(1) << move_to(moves[i]);
        int after;
        *others |= !move_is_en_passant(moves[i]);
        if (en_passant ? !move_is_en_passant(moves[i]) : !move_is_capture(moves[i]) || (promoted & from) != 0)
            continue;
        TRY(position_make(p, moves[i]));
        const int code = worth(run, p, (promoted & ~to) | (move_promoted(moves[i]) != EMPTY ? to : 0), &after);
        position_undo(p);
        TRY(code);
        after = rank_before(after, true);
        *best = after > *best ? after : *best;
    }
    return 0;
}

// The value of a position after a zeroing move. `promoted`: men from promotions since the last structure.
static int worth(const struct run *run, struct position *p, uint64_t promoted, int *rank)
{
    struct cltb_value value = {.outcome = CLTB_DRAW};
    enum structure_state state = STRUCTURE_BOUNDED;
    int capture = -MOST;
    bool others = true;
    *rank = 0;
    if (position_men(p) == 2)
        return 0;
    TRY(run->verify->values.known(run->verify->values.context, run->winner, p, &value, &state));
    *rank = rank_of(value);
    if (state == STRUCTURE_TABLE)
        return 0;
    if (state == STRUCTURE_SOLVED) {
        if (p->en_passant == NO_SQUARE)
            return 0;
        TRY(best_capture(run, p, true, 0, &capture, &others));
        if (capture > *rank || !others)
            *rank = capture > -MOST ? capture : *rank;
        return 0;
    }
    const bool bare = position_side_men(p, run->winner) == 1;
    *rank = bare ? 0 : p->side == run->winner ? MOST - 1 : 1 - MOST;
    TRY(best_capture(run, p, false, promoted, &capture, &others));
    *rank = capture > *rank ? capture : *rank;
    return 0;
}

static int derive(const struct run *run, struct position *p, int *best)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    *best = count == 0 && !position_in_check(p) ? 0 : -MOST;
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(p, moves[i]);
        int after;
        TRY(position_make(p, moves[i]));
        const uint64_t promoted = move_promoted(moves[i]) != EMPTY ? UINT64_C(1) << move_to(moves[i]) : 0;
        const int code = worth(run, p, promoted, &after);
        position_undo(p);
        TRY(code);
        after = rank_before(after, zeroing);
        *best = after > *best ? after : *best;
    }
    return 0;
}

// ---- positions ----

static int check(void *context, const struct structure_place *at, int worker)
{
    const struct verify *verify = context;
    struct position *p = at->position;
    for (int winner = WHITE; winner <= BLACK; winner++) {
        const struct run run = {verify, winner};
        struct cltb_value value;
        int right;
        TRY(structure_file_stored(verify->file, at->number, winner, p, &value));
        TRY(derive(&run, p, &right));
        if (rank_of(value) != right || abs(value.outcome) != (right == 0 ? 0 : abs(right) < MOST - 100 ? 1 : 2)) {
            char fen[FEN_MAX];
            fen_write(p, fen);
            return error_set(CLTB_E_MISMATCH, "%s: the file says %s %d, the legal moves say %s %d%s", fen,
                             cltb_outcome_name(value.outcome), value.dtz,
                             right > 0   ? "won"
                             : right < 0 ? "lost"
                                         : "draw",
                             right == 0 ? 0 : MOST - abs(right),
                             !at->twice        ? ""
                             : winner == WHITE ? ", where White wins what is bounded"
                                               : ", where Black wins what is bounded");
        }
        if (!verify->values.bounded)
            break;
    }
    verify->checked[worker]++;
    return 0;
}

// Draws positions at random, every structure equally likely, until one is legal.
static int sample_work(void *context, uint64_t item, int worker)
{
    const struct verify *verify = context;
    const size_t structures = structure_file_info(verify->file)->structures;
    uint64_t state = verify->seed ^ (item + 1) * UINT64_C(0xd1342543de82ef95);
    for (uint64_t i = item * SAMPLE_ITEM; i < (item + 1) * SAMPLE_ITEM && i < verify->sample; i++) {
        struct structure_place at = {.position = &verify->position[worker]};
        bool legal = false;
        for (int tries = 0; !legal && tries < TRIES; tries++) {
            at.number = (size_t)(random_next(&state) % structures);
            const struct structure_key *key = structure_file_key(verify->file, at.number, &at.twice);
            legal = structure_position_set(key, random_next(&state), (int)(random_next(&state) & 1), at.position,
                                           &at.first);
        }
        if (legal)
            TRY(check(context, &at, worker));
    }
    return 0;
}

int structure_file_verify(struct structure_file *file, uint64_t sample, uint64_t seed, struct thread_pool *pool,
                          uint64_t *positions)
{
    const size_t workers = (size_t)threads_count(pool);
    struct verify verify = {.file = file, .values = structure_file_values(file), .sample = sample, .seed = seed};
    *positions = 0;
    TRY(structure_file_check(file));
    int code = memory_new(&verify.checked, workers, sizeof *verify.checked, "verifying");
    THEN(code, memory_new(&verify.position, workers, sizeof *verify.position, "verifying"));
    if (code == 0 && sample > 0)
        code = threads_each(pool, (sample + SAMPLE_ITEM - 1) / SAMPLE_ITEM, sample_work, &verify);
    else if (code == 0)
        code = structure_positions_each(file, pool, check, &verify);
    for (size_t i = 0; code == 0 && i < workers; i++)
        *positions += verify.checked[i];
    free(verify.checked);
    free(verify.position);
    return code;
}
