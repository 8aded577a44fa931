// bench_probe.c - how fast probing is
#include "check/bench.h"

#include "check/placements.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdlib.h>
#include <string.h>

// A position to probe.
struct placed {
    struct man man[MATERIAL_MEN_MAX];
    int side;
    char fen[FEN_MAX];
};

// The data of one thread.
struct seat {
    struct position position;
    struct ranked_move moves[CLTB_MOVES_MAX];
};

enum probe_kind { PROBE_OUTCOME, PROBE_MANY, PROBE_VALUE, PROBE_FEN, PROBE_ROOT };

struct probing {
    cltb_tables *tables;
    struct thread_pool *pool;
    int count;
    int men;
    struct placed *placed;   // [count]
    cltb_position *position; // [count] the same positions
    int8_t *outcome;         // [count]
    struct seat *seat;       // [threads]
    // For the current round:
    enum probe_kind kind;
    int share; // positions in an item
};

static int round_work(void *context, uint64_t item, int worker)
{
    const struct probing *b = context;
    struct seat *seat = &b->seat[worker];
    struct position *p = &seat->position;
    const int first = (int)item * b->share;
    int code = 0;
    if (b->kind == PROBE_MANY)
        return cltb_probe_many(b->tables, b->position + first,
                               (size_t)(b->count - first < b->share ? b->count - first : b->share), b->outcome + first,
                               NULL);
    for (int i = first; i < first + b->share && i < b->count && code >= 0; i++) {
        const struct placed *placed = &b->placed[i];
        struct cltb_value value;
        int outcome;
        code = b->kind == PROBE_FEN ? cltb_probe_fen(b->tables, placed->fen, &value)
                                    : position_set(p, placed->man, b->men, placed->side);
        if (b->kind == PROBE_OUTCOME && code == 0)
            code = probe_outcome(b->tables, p, &outcome);
        else if (b->kind == PROBE_VALUE && code == 0)
            code = probe_value(b->tables, p, &value);
        else if (b->kind == PROBE_ROOT && code == 0)
            code = probe_moves(b->tables, p, false, seat->moves);
    }
    return code < 0 ? code : 0;
}

// Probes all positions once, in pieces small enough that all threads end together, or each its share.
static int run_round(struct probing *b, enum probe_kind kind)
{
    b->kind = kind;
    b->share = 1 + b->count / ((kind == PROBE_MANY ? 1 : 64) * threads_count(b->pool));
    return threads_each(b->pool, (uint64_t)((b->count + b->share - 1) / b->share), round_work, b);
}

static int measure(struct probing *b, enum probe_kind kind, double seconds, double *rate)
{
    int code = run_round(b, kind);
    double start = wall_seconds();
    double spent = 0;
    double done = 0;
    while (code == 0 && spent < seconds) {
        code = run_round(b, kind);
        done += b->count;
        spent = wall_seconds() - start;
    }
    *rate = done / spent;
    return code;
}

static int choose_positions(struct probing *b, const struct material *material)
{
    struct position *p = &b->seat[0].position;
    uint64_t state = 1;
    for (int i = 0; i < b->count;) {
        struct placed *placed = &b->placed[i];
        uint64_t bits = random_next(&state);
        b->men = placement_men(material, placed->man);
        placed->side = (int)(bits >> 63);
        for (int k = 0; k < b->men; k++)
            placed->man[k].square = (uint8_t)(bits >> 6 * k & 63);
        if (position_set(p, placed->man, b->men, placed->side) != 0 || !position_legal(p))
            continue;
        fen_write(p, placed->fen);
        TRY(cltb_position_from_fen(&b->position[i], placed->fen));
        i++;
    }
    return 0;
}

int bench_probing(struct bench_probe *result, const struct material *material,
                  const struct bench_probe_options *options)
{
    struct probing b = {.count = options->positions};
    const cltb_options open_options = {.cache_bytes = (size_t)1 << 30};
    *result = (struct bench_probe){0};
    int code = cltb_open(&b.tables, options->folders, &open_options);
    if (code != 0 || (code = threads_open(&b.pool, options->threads)) != 0)
        goto cleanup;
    code = memory_new(&b.placed, (size_t)options->positions, sizeof *b.placed, "positions to probe");
    THEN(code, memory_new(&b.position, (size_t)options->positions, sizeof *b.position, "positions to probe"));
    THEN(code, memory_new(&b.outcome, (size_t)options->positions, 1, "positions to probe"));
    THEN(code, memory_new(&b.seat, (size_t)threads_count(b.pool), sizeof *b.seat, "positions to probe"));
    THEN(code, choose_positions(&b, material));
    if (code != 0)
        goto cleanup;
    const double start = wall_seconds();
    code = run_round(&b, PROBE_OUTCOME);
    const double found = wall_seconds();
    result->cold = b.count / (found - start);
    THEN(code, run_round(&b, PROBE_VALUE));
    result->distant = b.count / (wall_seconds() - found);
    double *const rates[] = {[PROBE_OUTCOME] = &result->outcome,
                             [PROBE_MANY] = &result->many,
                             [PROBE_VALUE] = &result->value,
                             [PROBE_FEN] = &result->fen,
                             [PROBE_ROOT] = &result->root};
    for (enum probe_kind kind = PROBE_OUTCOME; kind <= PROBE_ROOT && code == 0; kind++)
        code = measure(&b, kind, options->seconds, rates[kind]);
cleanup:
    free(b.placed);
    free(b.position);
    free(b.outcome);
    free(b.seat);
    threads_close(b.pool);
    cltb_close(b.tables);
    return code;
}
