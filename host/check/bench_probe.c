// bench_probe.c - how fast probing is
#include "check/bench.h"

#include "check/placements.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/random.h"

#include <stdlib.h>
#include <string.h>

// What a thread needs for itself.
struct seat {
    struct position position;
    struct ranked_move moves[CLTB_MOVES_MAX];
};

struct probing {
    cltb_tables *tables;
    struct thread_pool *pool;
    int count;
    int men;
    struct man (*men_of)[MATERIAL_MEN_MAX]; // [count]
    uint8_t *side;                          // [count]
    char (*fen)[FEN_MAX];                   // [count]
    struct seat *seat;                      // [threads]
};

typedef int probe_one(struct probing *b, struct seat *seat, int i);

static int set(struct probing *b, struct seat *seat, int i)
{
    return position_set(&seat->position, b->men_of[i], b->men, b->side[i]);
}

static int one_outcome(struct probing *b, struct seat *seat, int i)
{
    int outcome;
    TRY(set(b, seat, i));
    return probe_outcome(b->tables, &seat->position, &outcome);
}

static int one_value(struct probing *b, struct seat *seat, int i)
{
    struct cltb_value value;
    TRY(set(b, seat, i));
    return probe_value(b->tables, &seat->position, &value);
}

static int one_fen(struct probing *b, struct seat *seat, int i)
{
    (void)seat;
    struct cltb_value value;
    return cltb_probe_fen(b->tables, b->fen[i], &value);
}

static int one_root(struct probing *b, struct seat *seat, int i)
{
    TRY(set(b, seat, i));
    const int count = probe_moves(b->tables, &seat->position, seat->moves);
    return count < 0 ? count : 0;
}

struct round {
    struct probing *b;
    probe_one *one;
    int share; // positions of an item
};

static int round_work(void *context, uint64_t item, int worker)
{
    const struct round *round = context;
    int first = (int)item * round->share;
    int last = first + round->share < round->b->count ? first + round->share : round->b->count;
    int code = 0;
    for (int i = first; i < last && code == 0; i++)
        code = round->one(round->b, &round->b->seat[worker], i);
    return code;
}

// All positions once, in pieces small enough for the threads to end together.
static int run_round(struct probing *b, probe_one *one)
{
    struct round round = {b, one, 1 + b->count / (64 * threads_count(b->pool))};
    return threads_each(b->pool, (uint64_t)((b->count + round.share - 1) / round.share), round_work, &round);
}

static int measure(struct probing *b, probe_one *one, double seconds, double *rate)
{
    int code = run_round(b, one);
    double start = wall_seconds();
    double spent = 0;
    double done = 0;
    while (code == 0 && spent < seconds) {
        code = run_round(b, one);
        done += b->count;
        spent = wall_seconds() - start;
    }
    *rate = done / spent;
    return code;
}

static void choose_positions(struct probing *b, const struct material *material)
{
    struct position *p = &b->seat[0].position;
    uint64_t state = 1;
    for (int i = 0; i < b->count;) {
        uint64_t bits = random_next(&state);
        b->men = placement_men(material, b->men_of[i]);
        b->side[i] = (uint8_t)(bits >> 63);
        for (int k = 0; k < b->men; k++)
            b->men_of[i][k].square = (uint8_t)(bits >> 6 * k & 63);
        if (position_set(p, b->men_of[i], b->men, b->side[i]) != 0 || !position_legal(p))
            continue;
        fen_write(p, b->fen[i]);
        i++;
    }
}

int bench_probing(struct bench_probe *result, const struct material *material,
                  const struct bench_probe_options *options)
{
    struct probing b = {.count = options->positions};
    const size_t n = (size_t)options->positions;
    const cltb_options open_options = {.cache_bytes = (size_t)1 << 30};
    *result = (struct bench_probe){0};
    int code = cltb_open(&b.tables, options->folders, &open_options);
    if (code != 0 || (code = threads_open(&b.pool, options->threads)) != 0)
        goto cleanup;
    b.men_of = calloc(n, sizeof *b.men_of);
    b.side = calloc(n, sizeof *b.side);
    b.fen = calloc(n, sizeof *b.fen);
    b.seat = calloc((size_t)threads_count(b.pool), sizeof *b.seat);
    if (b.men_of == NULL || b.side == NULL || b.fen == NULL || b.seat == NULL) {
        code = error_memory(n * sizeof *b.fen, "positions to probe");
        goto cleanup;
    }
    choose_positions(&b, material);
    const double start = wall_seconds();
    code = run_round(&b, one_value);
    result->cold = b.count / (wall_seconds() - start);
    if (code == 0)
        code = measure(&b, one_outcome, options->seconds, &result->outcome);
    if (code == 0)
        code = measure(&b, one_value, options->seconds, &result->value);
    if (code == 0)
        code = measure(&b, one_fen, options->seconds, &result->fen);
    if (code == 0)
        code = measure(&b, one_root, options->seconds, &result->root);
cleanup:
    free(b.men_of);
    free(b.side);
    free(b.fen);
    free(b.seat);
    threads_close(b.pool);
    cltb_close(b.tables);
    return code;
}
