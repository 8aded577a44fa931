// solver.c - endgames without pawns: the futurebases that captures lead to
//
// Each type and colour of man that can be captured has one futurebase, in the order of the remaining men. Bare kings
// need none: they are draws.
#include "solve/solver.h"

#include "solve/bases.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdlib.h>
#include <string.h>

enum { RESOLVE_BYTES = 1 << 16 }; // of a plane, at a time

void futurebase_free(struct futurebase *base)
{
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t *const outcomes[] = {base->won[side], base->lost[side], base->won_ever[side], base->lost_ever[side]};
        for (size_t i = 0; !base->common && i < sizeof outcomes / sizeof *outcomes; i++)
            free(outcomes[i]);
        for (int i = 0; i < MATE_CODE_BITS; i++)
            free(base->code[side][i]);
    }
    *base = (struct futurebase){0};
}

struct base_entry *base_for(struct bases *bases, int captured)
{
    const struct layout *layout = bases->layout;
    struct layout sub = {0};
    for (int i = 0; i < bases->count; i++) {
        struct base_entry *entry = &bases->entry[i];
        if (entry->type != layout->type[captured] || entry->colour != layout->colour[captured])
            continue;
        if (entry->bare)
            return entry;
        if (layout_init_without(&sub, layout, captured) == 0 &&
            memcmp(sub.type, entry->layout.type, sizeof sub.type) == 0 &&
            memcmp(sub.colour, entry->layout.colour, sizeof sub.colour) == 0)
            return entry;
    }
    return NULL;
}

static const uint64_t *base_bits(const struct futurebase *base, enum zeroing_bits which, int side)
{
    if (which == BITS_LOST_EVER && base->lost_ever[side] != NULL)
        return base->lost_ever[side];
    if (which == BITS_NOT_WON_EVER && base->won_ever[side] != NULL)
        return base->won_ever[side];
    return which == BITS_LOST || which == BITS_LOST_EVER ? base->lost[side] : base->won[side];
}

bool base_wanted(const struct layout *layout, int piece)
{
    return layout->type[piece] != KING && layout->type[piece] != BLANK;
}

static int bases_captured(void *context, struct plane *plane, int victim, enum zeroing_bits which)
{
    struct bases *bases = context;
    const struct layout *layout = &bases->backend->layout;
    const bool all = which == BITS_LEGAL;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->colour[i] != victim || !base_wanted(layout, i))
            continue;
        const struct base_entry *entry = base_for(bases, i);
        const struct import import = {.captured = i,
                                      .sub = &entry->layout,
                                      .bits = entry->bare || all ? NULL : base_bits(&entry->base, which, victim),
                                      .invert = all || which == BITS_NOT_WON || which == BITS_NOT_WON_EVER};
        TRY(bases->backend->ops->import(bases->backend, plane, &import));
    }
    return 0;
}

// Close them even after an error.
static int bases_open(struct bases *bases, const struct layout *layout, const struct futurebase_source *source)
{
    *bases = (struct bases){.layout = layout};
    for (int i = 0; i < layout->pieces; i++) {
        if (!base_wanted(layout, i) || base_for(bases, i) != NULL)
            continue;
        struct base_entry *entry = &bases->entry[bases->count++];
        *entry = (struct base_entry){.type = layout->type[i], .colour = layout->colour[i]};
        entry->bare = material_men(&layout->material) == 3;
        if (entry->bare)
            continue;
        TRY(layout_init_without(&entry->layout, layout, i));
        TRY(source->load(source->context, &entry->layout, &entry->base));
    }
    return 0;
}

static void bases_close(struct bases *bases)
{
    for (int i = 0; i < bases->count; i++)
        futurebase_free(&bases->entry[i].base);
}

// The zeroing moves to the bases, which must stay in place.
static struct zeroing bases_zeroing(struct bases *bases, struct backend *backend)
{
    struct zeroing zeroing = {.context = bases, .captured = bases_captured};
    bases->backend = backend;
    for (int i = 0; i < bases->count * COLOURS; i++) {
        const struct futurebase *base = &bases->entry[i / COLOURS].base;
        zeroing.cursed |= base->won_ever[i % COLOURS] != NULL || base->lost_ever[i % COLOURS] != NULL;
    }
    return zeroing;
}

int solver_load(struct bases **bases, const struct layout *layout, const struct futurebase_source *source)
{
    TRY(memory_new(bases, 1, sizeof **bases, "futurebases"));
    const int code = bases_open(*bases, layout, source);
    if (code != 0) {
        solver_unload(*bases);
        *bases = NULL;
    }
    return code;
}

void solver_unload(struct bases *bases)
{
    if (bases != NULL)
        bases_close(bases);
    free(bases);
}

int solver_solve_loaded(struct solution *solution, struct backend *backend, struct bases *bases,
                        const struct solver_options *options)
{
    struct zeroing zeroing = bases_zeroing(bases, backend);
    *solution = (struct solution){.backend = NULL};
    int code = options->metric != NULL ? options->metric->bases(bases, &zeroing) : 0;
    THEN(code, iteration_run(solution, backend, &zeroing, options));
    solver_unload(bases);
    return code;
}

int solver_solve(struct solution *solution, struct backend *backend, const struct futurebase_source *source,
                 const struct solver_options *options)
{
    struct bases *bases;
    *solution = (struct solution){.backend = NULL};
    TRY(solver_load(&bases, &backend->layout, source));
    return solver_solve_loaded(solution, backend, bases, options);
}

// ---- completing a stored endgame ----

static uint64_t *words_at(uint64_t *words, size_t at)
{
    return words == NULL ? NULL : words + at;
}

// One side to move of an endgame.
struct resolve {
    struct backend *backend;
    struct plane *const *verdict;
    struct futurebase *base;
    int side;
    uint64_t tiles;   // at a time
    uint64_t *memory; // [threads], room for a verdict's planes of so many tiles
};

static int resolve_tiles(void *context, uint64_t item, int worker)
{
    const struct resolve *resolve = context;
    const struct layout *layout = &resolve->backend->layout;
    const struct futurebase *base = resolve->base;
    const int side = resolve->side;
    const size_t tile_words = layout->tile_lanes / 64;
    const uint64_t first = item * resolve->tiles;
    const uint64_t count = layout->tiles - first < resolve->tiles ? layout->tiles - first : resolve->tiles;
    const size_t at = first * tile_words;
    uint64_t *words[VERDICT_PLANES];
    for (int i = 0; i < VERDICT_PLANES; i++) {
        const struct plane *verdict = resolve->verdict[i];
        words[i] = resolve->memory + ((size_t)worker * VERDICT_PLANES + (size_t)i) * resolve->tiles * tile_words;
        if (verdict != NULL)
            TRY(resolve->backend->ops->read(resolve->backend, verdict, first, count, words[i]));
        else if (i >= 2)
            words[i] = words[i - 2];
    }
    const struct outcome_words outcome = {.won = base->won[side] + at,
                                          .lost = base->lost[side] + at,
                                          .won_ever = words_at(base->won_ever[side], at),
                                          .lost_ever = words_at(base->lost_ever[side], at)};
    outcomes_resolve(&outcome, words, count * tile_words);
    return 0;
}

int solver_resolve(struct backend *backend, const struct futurebase_source *source, struct futurebase *base,
                   struct thread_pool *pool)
{
    struct bases bases;
    struct plane *illegal[COLOURS] = {NULL, NULL};
    const size_t tile_bytes = backend->layout.tile_lanes / 8;
    struct resolve resolve = {.backend = backend, .base = base};
    resolve.tiles = RESOLVE_BYTES > tile_bytes ? RESOLVE_BYTES / tile_bytes : 1;
    const uint64_t items = (backend->layout.tiles + resolve.tiles - 1) / resolve.tiles;
    TRY(memory_new(&resolve.memory, (size_t)threads_count(pool) * VERDICT_PLANES, resolve.tiles * tile_bytes,
                   "a futurebase"));
    int code = bases_open(&bases, &backend->layout, source);
    struct zeroing zeroing = bases_zeroing(&bases, backend);
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        code = backend->ops->plane_new(backend, &illegal[side]);
        THEN(code, backend->ops->attacks(backend, illegal[side], side));
    }
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        struct plane *verdict[VERDICT_PLANES];
        code = capture_verdict_find(backend, &zeroing, side, illegal[side ^ 1], verdict);
        resolve.verdict = verdict;
        resolve.side = side;
        THEN(code, threads_each(pool, items, resolve_tiles, &resolve));
        capture_verdict_free(backend, verdict);
    }
    for (int side = WHITE; side <= BLACK; side++)
        backend->ops->plane_free(backend, illegal[side]);
    bases_close(&bases);
    free(resolve.memory);
    return code;
}
