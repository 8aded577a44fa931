// cpu.c - the CPU backend: threads over blocks, vectors over lanes
#include "solve/cpu/cpu.h"

#include "solve/backend_windows.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void cpu_close(struct backend *backend)
{
    struct cpu_backend *cpu = cpu_of(backend);
    struct memory_pool *memory = threads_memory(cpu->pool);
    for (int i = 0; cpu->scratch != NULL && i < threads_count(cpu->pool); i++)
        memory_give(memory, cpu->scratch[i], cpu->scratch_bytes);
    for (int i = 0; cpu->touched != NULL && i < threads_count(cpu->pool); i++)
        free(cpu->touched[i]);
    free(cpu->scratch);
    free(cpu->touched);
    cpu_packed_close(cpu);
    cpu_patterns_free(cpu);
    for (int side = WHITE; side <= BLACK; side++) {
        struct side_plan *plan = &cpu->plan[side];
        if (cpu->window.open)
            free((void *)(uintptr_t)cpu->offset[side]);
        side_blocks_free(&plan->at);
        free(plan->weight);
        for (int i = 0; i < plan->pieces; i++)
            free(plan->piece[i].group);
    }
    free(cpu);
}

static const char *cpu_describe(struct backend *backend)
{
    return cpu_of(backend)->description;
}

static void plane_free(struct backend *backend, struct plane *plane)
{
    struct cpu_backend *cpu = cpu_of(backend);
    if (plane == NULL)
        return;
    if (plane->packed) {
        cpu_packed_free(cpu);
    } else if (!cpu->window.open) {
        memory_give(threads_memory(cpu->pool), plane->bits, cpu->plane_bytes);
        free(plane->active);
    }
    free(plane);
}

static int plane_new(struct backend *backend, struct plane **result)
{
    struct cpu_backend *cpu = cpu_of(backend);
    bool zeroed;
    struct plane *plane = calloc(1, sizeof *plane);
    *result = plane;
    if (plane == NULL)
        return error_memory(sizeof *plane, "a plane");
    if (cpu->window.open)
        return 0;
    plane->bits = memory_take(threads_memory(cpu->pool), cpu->plane_bytes, &zeroed);
    plane->active = malloc(backend->layout.tiles);
    if (plane->bits == NULL || plane->active == NULL) {
        plane_free(backend, plane);
        *result = NULL;
        return error_memory(cpu->plane_bytes + backend->layout.tiles, "a plane");
    }
    memset(plane->active, 1, backend->layout.tiles);
    return zeroed ? 0 : cpu_fill(backend, plane, false);
}

static const struct backend_ops cpu_ops = {
    .close = cpu_close,
    .describe = cpu_describe,
    .plane_new = plane_new,
    .plane_free = plane_free,
    .fill = cpu_fill,
    .combine = cpu_combine,
    .overlaps = cpu_overlaps,
    .import = cpu_import,
    .import_slabs = cpu_import_slabs,
    .enter = cpu_enter,
    .attacks = cpu_attacks,
    .pred = cpu_pred,
    .step = cpu_step,
    .read = cpu_read,
};

// ---- windows ----

static int window_move(struct backend *backend, int side, uint64_t first, uint64_t count)
{
    struct cpu_backend *cpu = cpu_of(backend);
    const struct side_blocks *at = &cpu->plan[side].at;
    if (first > at->blocks || count > at->blocks - first || count * at->locals > cpu->window.tiles)
        return error_set(CLTB_E_USAGE, "a window has blocks that do not exist");
    cpu->window.side = side;
    cpu->window.first = first;
    cpu->window.count = count;
    cpu->tiles = count * at->locals;
    return 0;
}

static int window_put(struct backend *backend, struct plane *plane, uint64_t *bits, uint8_t *active, uint64_t tiles,
                      bool contents)
{
    (void)backend;
    (void)tiles;
    (void)contents;
    plane->bits = bits;
    plane->active = active;
    return 0;
}

static int window_get(struct backend *backend, struct plane *plane, uint64_t tiles)
{
    (void)backend;
    (void)plane;
    (void)tiles;
    return 0;
}

static const struct backend_windows cpu_windows = {
    .weighs = true, .move = window_move, .put = window_put, .get = window_get};

// ---- opening ----

// Makes the groups of a digit's piece, or of the first of identical ones: one for all digits that the others can have.
static int make_groups(struct side_plan *plan, int digit)
{
    const struct tile_digit *own = &plan->at.own[digit];
    const uint32_t stride = side_blocks_stride(&plan->at, digit);
    const unsigned others = like_tiles(own->men - 1);
    struct piece_plan *piece = &plan->piece[plan->pieces++];
    piece->piece = own->piece;
    piece->like = own->men;
    TRY(memory_new(&piece->group, (size_t)plan->at.locals / own->radix * others, sizeof *piece->group,
                   "the plan of a step"));
    for (uint32_t local = 0; local < plan->at.locals; local++) {
        for (unsigned number = 0; local / stride % own->radix == 0 && number < others; number++) {
            struct group *group = &piece->group[piece->groups++];
            uint8_t *rest = group->men.u + own->piece + 1;
            *group = (struct group){.men = plan->at.men[local]};
            like_digits(number, own->men - 1, rest);
            for (uint8_t u = 0; u < 8; u++) {
                uint8_t sorted[LIKE_MAX];
                int first = 0;
                int last = 0;
                for (int i = 0; i < own->men - 1; i++) {
                    first += rest[i] < u;
                    last += rest[i] <= u;
                    sorted[i + (rest[i] >= u)] = rest[i];
                }
                sorted[first] = u;
                group->first[u] = (uint8_t)first;
                group->last[u] = (uint8_t)last;
                group->local[u] = local + like_number(sorted, own->men) * stride;
            }
        }
    }
    return 0;
}

// The place of a head in a class.
static uint8_t head_place(const struct head_class *class, unsigned head)
{
    uint8_t place = 0;
    while (class->head[place] != head)
        place++;
    return place;
}

// Makes the steps of a side's king between the heads of a class. Squares next to the other king are no heads.
static void make_king_steps(struct cpu_backend *cpu, int side, int class_number)
{
    const struct layout *layout = &cpu->base.layout;
    const struct head_class *class = &cpu->plan[side].at.class[class_number];
    for (uint32_t place = 0; place < class->heads; place++) {
        const unsigned head = class->head[place];
        const int from = layout_head_square(layout, head, layout_king(layout, side));
        const int other = layout->kings ? layout_head_square(layout, head, layout_king(layout, side ^ 1)) : NO_SQUARE;
        struct king_steps *steps = &cpu->king_steps[side][class_number][place];
        for (int target = 0; target < SQUARES; target++) {
            if (target == from || !squares_touch(from, target) || (other != NO_SQUARE && squares_touch(other, target)))
                continue;
            int g = symmetry_to_triangle(target);
            unsigned to = (unsigned)square_triangle[square_apply(g, target)];
            if (layout->kings)
                to = side == WHITE ? pair_find(target, other, &g) : pair_find(other, target, &g);
            steps->step[steps->count].to = head_place(class, to);
            steps->step[steps->count++].symmetry = (uint8_t)g;
        }
    }
}

static void make_symmetries(struct cpu_backend *cpu)
{
    for (int g = 0; g < SYMMETRIES; g++) {
        for (unsigned low = 0; low < 8; low++) {
            struct lane_permutation *lanes = &cpu->permutation[g][low];
            for (unsigned d = 0; d < WORD_DIGITS_MAX; d++) {
                for (unsigned l = 0; l < 8; l++)
                    lanes->map[d][l] = (uint8_t)digit_apply(g, low >> d & 1 ? 0 : 7, l);
            }
            lane_permutation_finish(lanes);
        }
    }
}

static int weigh_locals(struct side_plan *plan, const struct layout *layout)
{
    const struct side_blocks *at = &plan->at;
    const size_t count = (size_t)at->classes * at->locals;
    TRY(memory_new(&plan->weight, count, sizeof *plan->weight, "the weights of tiles"));
    for (size_t i = 0; i < count; i++) {
        const struct head_class *class = &at->class[i / at->locals];
        const struct tile_men *men = &at->men[i % at->locals];
        unsigned weight = layout_orders(layout, men->u);
        if (at->king)
            weight *= layout_head_weight(layout, class->head[men->head]);
        plan->weight[i] = (uint16_t)weight;
    }
    return 0;
}

static int make_all(struct cpu_backend *cpu)
{
    const struct layout *layout = &cpu->base.layout;
    const size_t threads = (size_t)threads_count(cpu->pool);
    size_t most = 1; // locals
    make_symmetries(cpu);
    TRY(cpu_patterns_make(cpu));
    for (int side = WHITE; side <= BLACK; side++) {
        const struct side_blocks *at = &cpu->plan[side].at;
        TRY(side_blocks_make(&cpu->plan[side].at, layout, side));
        for (int class = 0; at->king && class < at->classes; class ++)
            make_king_steps(cpu, side, class);
        if (layout->slices == 0)
            TRY(weigh_locals(&cpu->plan[side], layout));
        for (int i = 0; i < at->own_count; i++) {
            if (at->own[i].piece != HEAD_DIGIT)
                TRY(make_groups(&cpu->plan[side], i));
        }
        most = at->locals > most ? at->locals : most;
        cpu->offset[side] = at->offset;
        if (!cpu->window.open)
            continue;
        uint64_t *offset = malloc(at->locals * sizeof *offset);
        cpu->offset[side] = offset;
        if (offset == NULL)
            return error_memory(at->locals * sizeof *offset, "the plan of a window");
        for (uint32_t local = 0; local < at->locals; local++)
            offset[local] = local;
    }
    cpu->scratch_bytes = 2 * most * cpu->tile_bytes; // attacks need a second set for their sum
    cpu->scratch = calloc(threads, sizeof *cpu->scratch);
    cpu->touched = calloc(threads, sizeof *cpu->touched);
    if (cpu->scratch == NULL || cpu->touched == NULL)
        return error_memory(threads * sizeof *cpu->scratch, "thread buffers");
    for (size_t i = 0; i < threads; i++) {
        cpu->scratch[i] = memory_take(threads_memory(cpu->pool), cpu->scratch_bytes, NULL);
        cpu->touched[i] = malloc(3 * most); // two more for the wanted and the active locals
        if (cpu->scratch[i] == NULL || cpu->touched[i] == NULL)
            return error_memory(cpu->scratch_bytes, "the moves of a block");
    }
    return 0;
}

// `tiles`: most tiles in a window; 0: no windows.
static int open_for(struct backend **backend, const struct layout *layout, struct thread_pool *pool, const char *isa,
                    uint64_t tiles)
{
    *backend = NULL;
    const unsigned word_bits = layout->pieces >= 4 ? 512 : 64;
    const struct lane_kernels *kernels = lane_kernels_choose(word_bits, isa);
    if (kernels == NULL)
        return error_set(CLTB_E_DEVICE, "this processor or build has no '%s' kernels", isa);
    struct cpu_backend *cpu;
    TRY(memory_new(&cpu, 1, sizeof *cpu, "the CPU backend"));
    cpu->base =
        (struct backend){.ops = &cpu_ops, .windows = tiles > 0 ? &cpu_windows : NULL, .pool = pool, .layout = *layout};
    cpu->window = (struct cpu_window){.open = tiles > 0, .tiles = tiles};
    cpu->kernels = kernels;
    cpu->codes = code_kernels_choose(isa);
    cpu->pool = pool;
    cpu->word_bytes = word_bits / 8;
    cpu->tile_bytes = layout->tile_lanes / 8;
    cpu->tile_words = cpu->tile_bytes / cpu->word_bytes;
    cpu->plane_bytes = layout->tiles * cpu->tile_bytes;
    cpu->tiles = tiles > 0 ? 0 : layout->tiles;
    const int threads = threads_count(pool);
    snprintf(cpu->description, sizeof cpu->description, "CPU, %s kernels on %u-bit words, %d thread%s", kernels->name,
             kernels->word_bits, threads, threads == 1 ? "" : "s");
    const int code = make_all(cpu);
    if (code == 0)
        *backend = &cpu->base;
    else
        cpu_close(&cpu->base);
    return code;
}

int backend_cpu_open(struct backend **backend, const struct layout *layout, struct thread_pool *pool, const char *isa)
{
    return open_for(backend, layout, pool, isa, 0);
}

static const struct backend_log packed_log = {
    .record = cpu_packed_record, .log_new = cpu_packed_new, .pack = cpu_pack, .read_planes = cpu_packed_read_planes};

int backend_cpu_open_packed(struct backend **backend, const struct layout *layout, struct thread_pool *pool,
                            const char *isa)
{
    TRY(open_for(backend, layout, pool, isa, 0));
    struct cpu_backend *cpu = cpu_of(*backend);
    cpu->ops = cpu_ops;
    cpu->ops.step = cpu_packed_step;
    cpu->ops.combine = cpu_packed_combine;
    cpu->base.ops = &cpu->ops;
    cpu->base.log = &packed_log;
    const int code =
        layout->slices > 0 ? error_set(CLTB_E_USAGE, "planes with slices are not packed") : cpu_packed_open(cpu);
    if (code != 0) {
        cpu_close(*backend);
        *backend = NULL;
    }
    return code;
}

int backend_cpu_open_windows(struct backend **backend, const struct layout *layout, struct thread_pool *pool,
                             const char *isa, uint64_t tiles)
{
    if (layout->slices > 0 || tiles == 0)
        return error_set(CLTB_E_USAGE, "windows are for planes without slices");
    return open_for(backend, layout, pool, isa, tiles);
}
