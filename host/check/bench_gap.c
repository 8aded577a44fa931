// bench_gap.c - the gap code on the new wins and losses of every ply
//
// The solver runs as always, but with another table of its backend's functions, whose step() calls the real one and
// then measures the fresh plane.
#include "check/bench.h"

#include "futurebase/futurebases.h"
#include "solve/solver.h"
#include "table/packed_bits.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <cltb/gap.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 4, WORD_BITS = 64 };

struct gap_bench {
    struct backend_ops ops; // must be the first field, because step() finds the others by it
    const struct backend_ops *inner;
    uint64_t bits; // of a plane
    uint64_t *plane;
    uint64_t *decoded;
    uint8_t *code; // [bits]: room for any plane; memory is only used for what is written
    struct packed_bits_packer *packer;
    int steps; // since the last ply was reported
    struct bench_gap_plane step[STEPS_MAX];
    bench_gap_visit *visit;
    void *context;
};

// ---- one plane ----

// Does the step, then turns its fresh plane into a gap code and packed records, and back.
static int measured_step(struct backend *backend, struct step *step)
{
    struct gap_bench *b = (struct gap_bench *)(uintptr_t)backend->ops;
    const uint64_t words = b->bits / WORD_BITS;
    size_t bytes;
    TRY(b->inner->step(backend, step));
    if (b->steps == STEPS_MAX)
        return error_set(CLTB_E_USAGE, "more steps in a ply than can be measured");
    struct bench_gap_plane *m = &b->step[b->steps++];
    *m = (struct bench_gap_plane){.won = !step->invert, .bits = b->bits};
    TRY(b->inner->read(backend, step->fresh, 0, backend->layout.tiles, b->plane));
    TRY(cltb_gap_encode(b->plane, b->bits, b->code, b->bits, &bytes)); // to warm up
    double start = wall_seconds();
    TRY(cltb_gap_encode(b->plane, b->bits, b->code, b->bits, &bytes));
    m->encode_seconds = wall_seconds() - start;
    m->coded_bytes = bytes;
    start = wall_seconds();
    TRY(cltb_gap_decode(b->code, bytes, b->decoded, b->bits, &m->ones));
    m->decode_seconds = wall_seconds() - start;
    if (memcmp(b->plane, b->decoded, b->bits / 8) != 0)
        return error_set(CLTB_E_MISMATCH, "a plane is not what its gap code says");
    memset(b->decoded, 0, b->bits / 8);
    for (uint64_t at = 0; at < words;) {
        const uint64_t run = words - at < BENCH_GAP_RECORD_WORDS ? words - at : BENCH_GAP_RECORD_WORDS;
        const void *record;
        start = wall_seconds();
        TRY(packed_bits_pack(b->packer, b->plane + at, run, &record, &bytes));
        const double packed = wall_seconds();
        TRY(packed_bits_or(b->packer, record, bytes, b->decoded + at, run));
        m->unpack_seconds += wall_seconds() - packed;
        m->pack_seconds += packed - start;
        m->packed_bytes += bytes;
        at += run;
    }
    if (memcmp(b->plane, b->decoded, b->bits / 8) != 0)
        return error_set(CLTB_E_MISMATCH, "a plane is not what its packed records say");
    return 0;
}

// ---- a table ----

// Called after the steps of a ply.
static int on_ply(void *context, const struct solver_ply *ply)
{
    struct gap_bench *b = context;
    for (int i = 0; i < b->steps; i++) {
        b->step[i].attacker = ply->attacker;
        b->step[i].ply = ply->ply;
        b->visit(b->context, &b->step[i]);
    }
    b->steps = 0;
    return 0;
}

static int plane_layout(const struct material *material, struct layout *layout)
{
    char name[MATERIAL_NAME_MAX];
    if (material_has_pawns(material))
        return error_set(CLTB_E_USAGE, "%s: the gap code is measured on tables without pawns",
                         material_name(material, name));
    return layout_init(layout, material, LAYOUT_PAIR);
}

int bench_gap_bits(const struct material *material, uint64_t *bits)
{
    struct layout layout = {0};
    TRY(plane_layout(material, &layout));
    *bits = layout_bits(&layout);
    return 0;
}

int bench_gap(const struct material *material, const char *folders, int threads, bench_gap_visit *visit, void *context)
{
    struct layout layout = {0};
    struct thread_pool *pool = NULL;
    struct backend *backend = NULL;
    struct gap_bench b = {.visit = visit, .context = context};
    TRY(plane_layout(material, &layout));
    b.bits = layout_bits(&layout);
    b.plane = memory_map(b.bits / 8);
    b.decoded = memory_map(b.bits / 8);
    b.code = memory_map(b.bits);
    int code = b.plane == NULL || b.decoded == NULL || b.code == NULL ? error_memory(b.bits, "a plane's gap code") : 0;
    if (code != 0 || (code = threads_open(&pool, threads)) != 0 ||
        (code = backend_cpu_open(&backend, &layout, pool, NULL)) != 0 ||
        (code = packed_bits_open(&b.packer, BENCH_GAP_RECORD_WORDS)) != 0)
        goto cleanup;
    memset(b.plane, 1, b.bits / 8); // uses the memory for the first time
    memset(b.decoded, 1, b.bits / 8);
    struct stored_tables tables = {.folders = folders, .pool = pool};
    const struct futurebase_source source = stored_source(&tables);
    const struct solver_options options = {.last_attacker = WHITE, .progress = on_ply, .context = &b};
    struct solution solution;
    b.inner = backend->ops;
    b.ops = *b.inner;
    b.ops.step = measured_step;
    backend->ops = &b.ops;
    code = solver_solve(&solution, backend, &source, &options);
    solution_free(&solution);
    backend->ops = b.inner;
cleanup:
    memory_unmap(b.plane, b.bits / 8);
    memory_unmap(b.decoded, b.bits / 8);
    memory_unmap(b.code, b.bits);
    packed_bits_close(b.packer);
    if (backend != NULL)
        backend->ops->close(backend);
    threads_close(pool);
    return code;
}
