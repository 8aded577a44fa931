// bench_kernels.c - how fast memory, the lane kernels and a backend's operations are
#include "check/bench.h"

#include "make/device.h"
#include "solve/backend.h"
#include "solve/cpu/lane_kernels.h"
#include "solve/slabs.h"
#include "solve/slices.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COPY_BYTES = 64 << 20, // for one thread: larger than any cache
    SQUARE_WORDS = 64,     // lane words of a group: 8 tiles of 8 words
    FINISH_WORDS = 4096
};

// Repeats `call` until `seconds` have passed, after one call to warm up caches and clocks. *mean is the time of one
// call.
static int measure(int (*call)(void *context, unsigned repeats), void *context, double seconds, double *mean)
{
    int code = call(context, 1);
    unsigned repeats = 1;
    double spent = 0;
    while (code == 0) {
        double start = wall_seconds();
        code = call(context, repeats);
        spent = wall_seconds() - start;
        if (spent >= seconds)
            break;
        double wanted = spent > 0 ? 1.2 * seconds / spent * repeats : 10.0 * repeats;
        repeats = wanted > 10.0 * repeats ? 10 * repeats : (unsigned)wanted + 1;
    }
    *mean = spent / repeats;
    return code;
}

// ---- what each thread repeats on memory of its own ----

// The buffers of the lane kernels: first what is read, then what is written.
enum { IN_BYTES = FINISH_WORDS * LANE_BYTES_MAX, LANE_BYTES = IN_BYTES + SQUARE_WORDS * LANE_BYTES_MAX };

struct thread_bench {
    struct thread_pool *pool;
    int (*work)(void *context, uint64_t item, int worker);
    unsigned repeats;
    uint8_t *memory; // [threads][2 * COPY_BYTES or LANE_BYTES]
    // For the lane kernels:
    const struct lane_kernels *kernels;
    int type;
    int digit;
};

static int threads_call(void *context, unsigned repeats)
{
    struct thread_bench *bench = context;
    bench->repeats = repeats;
    return threads_each(bench->pool, (uint64_t)threads_count(bench->pool), bench->work, bench);
}

// ---- copies ----

static int copy_work(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct thread_bench *bench = context;
    uint8_t *to = bench->memory + 2 * item * COPY_BYTES;
    for (unsigned i = 0; i < bench->repeats; i++)
        memcpy(to, to + COPY_BYTES, COPY_BYTES);
    return 0;
}

// `device` == -1: the processor's memory.
static int bench_copy(int device, struct thread_pool *pool, double seconds, struct bench_kernel *kernel)
{
#ifdef CLTB_HAVE_OPENCL
    if (device >= 0) {
        double rate;
        int code = opencl_copy_rate(device, &rate);
        *kernel = (struct bench_kernel){.name = "copy", .bytes = rate, .seconds = 1};
        return code;
    }
#else
    (void)device;
#endif
    size_t bytes = 2 * (size_t)threads_count(pool) * COPY_BYTES;
    struct thread_bench bench = {.pool = pool, .work = copy_work, .memory = memory_map(bytes)};
    if (bench.memory == NULL)
        return error_memory(bytes, "copying");
    memset(bench.memory, 1, bytes);
    *kernel = (struct bench_kernel){.name = "copy", .bytes = (double)bytes};
    int code = measure(threads_call, &bench, seconds, &kernel->seconds);
    memory_unmap(bench.memory, bytes);
    return code;
}

// ---- lane kernels ----

static size_t word_bytes(const struct thread_bench *bench)
{
    return bench->kernels->word_bits / 8;
}

// A group as in the solver: a king on a fixed square, and a man in every digit of the word.
static int sweep_work(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct thread_bench *bench = context;
    uint8_t *in = bench->memory + item * LANE_BYTES;
    struct sweep_call call = {.type = bench->type, .places = 1, .place = {{bench->digit, 1, 0}}};
    for (int u = 0; u < 8; u++) {
        call.in[u] = in + (size_t)u * 8 * word_bytes(bench);
        call.out[u] = in + IN_BYTES + (size_t)u * 8 * word_bytes(bench);
    }
    call.blocker[call.blockers++] = (struct blocker){.digit = NOT_IN_WORD, .code = 072};
    for (unsigned digit = 0; digit < bench->kernels->word_digits; digit++)
        call.blocker[call.blockers++] = (struct blocker){.digit = (int)digit, .code = (uint8_t)(8 * (digit + 1))};
    for (unsigned i = 0; i < bench->repeats; i++)
        bench->kernels->sweep(&call);
    return 0;
}

static int finish_work(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct thread_bench *bench = context;
    uint8_t *in = bench->memory + item * LANE_BYTES;
    size_t part = FINISH_WORDS / 4 * word_bytes(bench);
    struct finish_call call = {.words = FINISH_WORDS / 4,
                               .moves = in,
                               .closed = in + part,
                               .fresh = in + 2 * part,
                               .planes = 1,
                               .plane = {in + 3 * part}};
    for (unsigned i = 0; i < bench->repeats; i++) {
        memset(call.closed, 0, part);
        bench->kernels->finish(&call);
    }
    return 0;
}

static int bench_sweeps_and_finish(struct thread_bench *bench, double seconds, bench_visit *visit, void *context)
{
    static const char *const types[] = {"king", "queen", "rook", "bishop", "knight"};
    double threads = threads_count(bench->pool);
    bench->work = sweep_work;
    for (bench->type = KING; bench->type <= KNIGHT; bench->type++) {
        for (bench->digit = NOT_IN_WORD; bench->digit < (int)bench->kernels->word_digits; bench->digit++) {
            struct bench_kernel kernel = {.positions = threads * SQUARE_WORDS * bench->kernels->word_bits};
            kernel.bytes = 3 * kernel.positions / 8; // reads in and out, writes out
            char digit[16] = "no";
            if (bench->digit != NOT_IN_WORD)
                snprintf(digit, sizeof digit, "%d", bench->digit);
            snprintf(kernel.name, sizeof kernel.name, "sweep %s, %u bits, digit %s", types[bench->type],
                     bench->kernels->word_bits, digit);
            TRY(measure(threads_call, bench, seconds, &kernel.seconds));
            TRY(visit(context, &kernel));
        }
    }
    struct bench_kernel kernel = {.positions = threads * FINISH_WORDS / 4 * bench->kernels->word_bits};
    // Reads moves, closed and a plane; writes closed (counts twice), fresh and the plane.
    kernel.bytes = 7 * kernel.positions / 8;
    snprintf(kernel.name, sizeof kernel.name, "finish, %u bits", bench->kernels->word_bits);
    bench->work = finish_work;
    TRY(measure(threads_call, bench, seconds, &kernel.seconds));
    return visit(context, &kernel);
}

static int bench_lane_kernels(struct thread_pool *pool, const struct bench_kernel_options *options, bench_visit *visit,
                              void *context)
{
    const size_t bytes = (size_t)threads_count(pool) * LANE_BYTES;
    struct thread_bench bench = {.pool = pool, .memory = memory_map(bytes)};
    int code = 0;
    if (bench.memory == NULL)
        return error_memory(bytes, "lane buffers");
    for (size_t b = 0; b < bytes; b++)
        bench.memory[b] = (uint8_t)(b % LANE_BYTES * 2654435761U >> 13);
    for (int wide = 1; code == 0 && wide >= 0; wide--) {
        bench.kernels = lane_kernels_choose(wide ? 512 : 64, options->isa);
        code = bench.kernels == NULL
                   ? error_set(CLTB_E_DEVICE, "this processor or build has no '%s' kernels", options->isa)
                   : bench_sweeps_and_finish(&bench, options->seconds, visit, context);
    }
    memory_unmap(bench.memory, bytes);
    return code;
}

// ---- a backend's operations ----

enum operation { OPERATION_FILL, OPERATION_PRED, OPERATION_STEP, OPERATION_IMPORT };

struct plane_bench {
    struct backend *backend;
    struct plane *in;
    struct plane *out;
    struct plane *fresh;
    uint64_t *tile;             // bits of one
    struct slab_import *import; // [slices]
    enum operation operation;
    int side;
};

static int operation_call(void *context, unsigned repeats)
{
    struct plane_bench *bench = context;
    struct backend *backend = bench->backend;
    const struct backend_ops *ops = backend->ops;
    const enum operation operation = bench->operation;
    struct step step = {.side = bench->side, .in = bench->in, .closed = bench->out, .fresh = bench->fresh};
    int code = 0;
    for (unsigned i = 0; code == 0 && i < repeats; i++) {
        // Before each step nothing is closed, so each finds the same bits.
        if (operation == OPERATION_FILL || operation == OPERATION_STEP)
            code = ops->fill(backend, bench->out, operation == OPERATION_FILL && i % 2 == 0);
        if (operation == OPERATION_PRED)
            code = ops->pred(backend, bench->out, bench->side, bench->in, false);
        else if (operation == OPERATION_STEP && code == 0)
            code = ops->step(backend, &step);
        else if (operation == OPERATION_IMPORT)
            code = ops->import_slabs(backend, bench->out, bench->import, backend->layout.slices_used);
    }
    // A device may still be working until something is read.
    return code != 0 ? code : ops->read(backend, bench->out, 0, 1, bench->tile);
}

static int bench_backend(struct backend *backend, double seconds, bench_visit *visit, void *context)
{
    static const struct {
        const char *name;
        enum operation operation;
        int side;
        int planes; // read or written
    } rows[] = {{"fill", OPERATION_FILL, WHITE, 1},
                {"pred, white", OPERATION_PRED, WHITE, 2},
                {"pred, black", OPERATION_PRED, BLACK, 2},
                {"fill and step, white", OPERATION_STEP, WHITE, 5},
                {"fill and step, black", OPERATION_STEP, BLACK, 5},
                {"import slabs", OPERATION_IMPORT, WHITE, 3}};
    const struct layout *layout = &backend->layout;
    const uint64_t slices = layout->slices;
    struct plane_bench bench = {.backend = backend};
    struct plane **const planes[] = {&bench.in, &bench.out, &bench.fresh};
    uint64_t *slab = NULL;
    int code = memory_new(&bench.tile, layout->tile_lanes / 8, 1, "a tile");
    if (slices > 0) {
        THEN(code, memory_new(&slab, layout_slab_bits(layout) / 64, sizeof *slab, "a slab"));
        THEN(code, memory_new(&bench.import, layout->slices_used, sizeof *bench.import, "a slab"));
    }
    // A pawn push in every slice: each word of a slab goes into a word of the plane.
    for (uint64_t i = 0; code == 0 && slices > 0 && i < layout->slices_used; i++)
        bench.import[i] = (struct slab_import){.slice = i, .where = IMPORT_ALL, .man = -1, .bits = slab};
    for (int i = 0; code == 0 && i < 3; i++)
        code = backend->ops->plane_new(backend, planes[i]);
    THEN(code, backend->ops->fill(backend, bench.in, true));
    for (size_t i = 0; code == 0 && i < sizeof rows / sizeof rows[0]; i++) {
        const bool import = rows[i].operation == OPERATION_IMPORT;
        struct bench_kernel kernel = {.positions = (double)layout_bits(layout)};
        if (import && slices == 0)
            continue;
        if (import)
            kernel.positions = (double)(layout_slab_bits(layout) * layout->slices_used);
        kernel.bytes = rows[i].planes * kernel.positions / 8;
        snprintf(kernel.name, sizeof kernel.name, "%s", rows[i].name);
        bench.operation = rows[i].operation;
        bench.side = rows[i].side;
        code = measure(operation_call, &bench, seconds, &kernel.seconds);
        THEN(code, visit(context, &kernel));
    }
    for (int i = 0; i < 3; i++)
        if (*planes[i] != NULL)
            backend->ops->plane_free(backend, *planes[i]);
    free(bench.tile);
    free(bench.import);
    free(slab);
    return code;
}

// ---- devices ----

// With pawns: uses as many of the first slices as make a batch of about 2 MiB a plane.
static int bench_slices(struct layout *layout, const struct material *material, struct pawn_slices **slices,
                        uint8_t (**codes)[FIXED_MAX])
{
    struct slab_shape shape;
    slices_shape(material, &shape);
    TRY(pawn_slices_open(slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    const uint64_t most = (UINT64_C(2) << 20) / (slab_words(shape.pieces) * sizeof(uint64_t));
    const uint64_t count = most == 0 ? 1 : most < (*slices)->slices ? most : (*slices)->slices;
    TRY(memory_new(codes, count, sizeof **codes, "slices"));
    for (uint64_t i = 0; i < count; i++)
        for (int pawn = 0; pawn < shape.fixed; pawn++)
            (*codes)[i][pawn] = square_code[(*slices)->square[i][pawn]];
    return layout_init_slices(layout, &shape, count, (const uint8_t(*)[FIXED_MAX]) * codes);
}

int bench_kernels(const struct bench_kernel_options *options, bench_visit *visit, void *context, char *describe,
                  size_t describe_size)
{
    struct thread_pool *pool = NULL;
    struct backend *backend = NULL;
    struct bench_kernel copy = {.name = "copy"};
    struct layout layout;
    struct pawn_slices *slices = NULL;
    uint8_t(*codes)[FIXED_MAX] = NULL;
    struct device_choice device;
    int code = device_choose(&device, options->device);
    if (code != 0 || (code = threads_open(&pool, options->threads)) != 0)
        goto cleanup;
    code = material_has_pawns(&options->material) ? bench_slices(&layout, &options->material, &slices, &codes)
                                                  : layout_init(&layout, &options->material, 0);
    if (code != 0 || (code = device.number >= 0 ? device_open(&backend, &layout, device.number, 0)
                                                : backend_cpu_open(&backend, &layout, pool, options->isa)) != 0)
        goto cleanup;
    if (describe != NULL)
        snprintf(describe, describe_size, "%s", backend->ops->describe(backend));
    if ((code = bench_copy(device.number, pool, options->seconds, &copy)) != 0 || (code = visit(context, &copy)) != 0)
        goto cleanup;
    if (device.number < 0)
        code = bench_lane_kernels(pool, options, visit, context);
    THEN(code, bench_backend(backend, options->seconds, visit, context));
cleanup:
    if (backend != NULL)
        backend->ops->close(backend);
    pawn_slices_close(slices);
    free(codes);
    threads_close(pool);
    return code;
}
