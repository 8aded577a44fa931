// slices.c - an endgame with pawns, level by level of the pawns' total advance
//
// A pawn move leads to a slice one or two levels up, to a capture's futurebase, or to a promotion's. So two solved levels are
// kept as slabs, in memory as far as that is allowed; everything else that is worth keeping goes to the sink.
#include "solve/slices.h"

#include "disk/paged.h"
#include "solve/iteration.h"
#include "solve/slabs.h"
#include "solve/slice_moves.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 2 << 20,  // of a plane: all planes of a batch stay near the processor, and memory is used again soon
    SLABS_BYTES = 64 << 20, // of futurebases that are kept for later batches
    WANTED_BYTES = 256 << 20, // of futurebases that are made together
    // With a limit of memory: parts of it that these may have,
    SLABS_PART = 8,
    WANTED_PART = 4,
    BATCH_PART = 2,     // and all planes of a batch;
    BATCH_PLANES = 32,  // so many are those
    MOVES_BYTES = 8192, // and the lists of a slice's moves
};

// The slabs of some slices that were solved together, one behind the other in each array.
struct kept {
    int level;
    bool cursed[COLOURS];
    struct paged_array *array[COLOURS][SLAB_PLANES]; // the same one twice where a slab has the same plane twice
    struct kept *next;
};

// A solved slice as its neighbours see it.
struct own {
    struct kept *kept; // NULL: not known
    size_t at;         // words from the start of each array
};

// Slabs that the moves of some batches point to.
struct views {
    struct views *next;
    size_t count;
    struct slab slab[256];
};

struct run {
    const struct pawn_slices *slices;
    const struct slab_source *source;
    const struct slice_sink *sink;
    const struct slices_options *options;
    struct slices_result *result;
    struct slab_shape shape;
    struct paged *paged;
    struct slabs *slabs;
    struct own *own; // [slices]
    struct kept *kept;
    struct views *views;
    int level;
    // of the present batch
    const uint32_t *number; // [count] slices
    size_t count;
    int within_attacker; // for progress
};

void slices_shape(const struct material *material, struct slab_shape *shape)
{
    struct material left = *material;
    *shape = (struct slab_shape){.pieces = 0};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int i = 0; i < material->count[colour][PAWN]; i++) {
            shape->fixed_type[shape->fixed] = PAWN;
            shape->fixed_colour[shape->fixed++] = (uint8_t)colour;
        }
        left.count[colour][PAWN] = 0;
    }
    for (int colour = WHITE; material_men(&left) > 0; colour ^= 1) {
        for (int type = KING; type <= KNIGHT; type++) {
            if (left.count[colour][type] == 0)
                continue;
            left.count[colour][type]--;
            shape->type[shape->pieces] = (uint8_t)type;
            shape->colour[shape->pieces++] = (uint8_t)colour;
            break;
        }
    }
}

// ---- solved slices ----

static struct memory_pool *memory_of(const struct run *run)
{
    return threads_memory(run->options->pool);
}

// Pawn moves of the other side lead to positions with this one to move.
static bool is_wanted(const struct run *run, int side)
{
    for (int i = 0; i < run->shape.fixed; i++) {
        if (run->shape.fixed_colour[i] != side)
            return true;
    }
    return false;
}

// What comes with it is the caller's to fill in.
static struct kept *new_kept(struct run *run)
{
    struct kept *kept = calloc(1, sizeof *kept);
    if (kept == NULL) {
        error_memory(sizeof *kept, "solved slices");
        return NULL;
    }
    kept->level = run->level;
    kept->next = run->kept;
    run->kept = kept;
    return kept;
}

static bool is_double(const struct kept *kept, int side, int plane)
{
    return (plane == SLAB_WON_EVER && kept->array[side][plane] == kept->array[side][SLAB_WON]) ||
           (plane == SLAB_LOST_EVER && kept->array[side][plane] == kept->array[side][SLAB_LOST]);
}

static void free_kept(struct kept *kept)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int plane = 0; plane < SLAB_PLANES; plane++) {
            if (!is_double(kept, side, plane))
                paged_free(kept->array[side][plane]);
        }
    }
    free(kept);
}

// All arrays are written: from here on they are opened when they are read.
static void close_kept(const struct kept *kept)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int plane = 0; plane < SLAB_PLANES; plane++) {
            if (kept->array[side][plane] != NULL && !is_double(kept, side, plane))
                paged_put(kept->array[side][plane]);
        }
    }
}

// Pawns move up by one level, or two. Whoever comes next looks at this level and the one above.
static void forget_levels(struct run *run, int above)
{
    for (uint32_t i = 0; i < run->slices->slices; i++) {
        if (run->slices->advance[i] > above)
            run->own[i].kept = NULL;
    }
    for (struct kept **at = &run->kept; *at != NULL;) {
        struct kept *kept = *at;
        if (kept->level <= above) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        free_kept(kept);
    }
}

// The entries that have one code.
static uint64_t code_word(const struct slice_side *side, unsigned code, size_t w)
{
    uint64_t bits = UINT64_MAX;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        const uint64_t plane = side->distance[bit] == NULL ? 0 : side->distance[bit][w];
        bits &= code >> bit & 1 ? plane : ~plane;
    }
    return bits;
}

static uint64_t any_code(const struct slice_side *side, size_t w)
{
    uint64_t any = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        any |= side->distance[bit] == NULL ? 0 : side->distance[bit][w];
    return any;
}

// Takes the entries that are resolved only after ply 100 out of `early`.
static bool without_late(const struct slice_side *side, const solver_value *value, size_t words, uint64_t *early)
{
    bool late = false;
    for (unsigned code = 1; code < DISTANCE_CODES; code++) {
        if (value[code] == 0 || solver_value_ply(value[code]) <= PLY_LIMIT)
            continue;
        late = true;
        for (size_t w = 0; w < words; w++)
            early[w] &= ~code_word(side, code, w);
    }
    return late;
}

static int new_plane(struct run *run, struct kept *kept, int side, enum slab_plane plane, size_t words,
                     uint64_t **start)
{
    void *array;
    TRY(paged_new(run->paged, words * sizeof(uint64_t), false, &kept->array[side][plane], &array));
    *start = array;
    return 0;
}

static int restore_side(struct run *run, struct kept *kept, uint32_t number, int side)
{
    const struct slice_values *values;
    struct slice_side from;
    uint64_t *to[SLAB_PLANES];
    const size_t words = slab_words(run->shape.pieces);
    TRY(run->sink->get(run->sink->context, number, side, &values, &from));
    for (int plane = 0; plane < SLAB_PLANES; plane++)
        TRY(new_plane(run, kept, side, (enum slab_plane)plane, words, &to[plane]));
    for (size_t w = 0; w < words; w++) {
        const uint64_t any = any_code(&from, w);
        to[SLAB_ILLEGAL][w] = from.won[w] & ~any;
        to[SLAB_WON][w] = to[SLAB_WON_EVER][w] = from.won[w];
        to[SLAB_LOST][w] = to[SLAB_LOST_EVER][w] = any & ~from.won[w];
        to[SLAB_STALEMATE][w] = from.stalemate == NULL ? 0 : from.stalemate[w];
    }
    kept->cursed[side] = without_late(&from, values->value[side][1], words, to[SLAB_WON]);
    kept->cursed[side] |= without_late(&from, values->value[side][0], words, to[SLAB_LOST]);
    return 0;
}

// A slice of an earlier run, as its neighbours see it.
static int restore(struct run *run, uint32_t number)
{
    struct kept *kept = new_kept(run);
    if (kept == NULL)
        return CLTB_E_MEMORY;
    kept->level = run->slices->advance[number];
    for (int side = WHITE; side <= BLACK; side++) {
        if (is_wanted(run, side))
            TRY(restore_side(run, kept, number, side));
    }
    if (run->sink->release != NULL)
        run->sink->release(run->sink->context);
    close_kept(kept);
    run->own[number] = (struct own){.kept = kept, .at = 0};
    return 0;
}

static struct slab *new_view(struct run *run)
{
    struct views *views = run->views;
    if (views == NULL || views->count == sizeof views->slab / sizeof views->slab[0]) {
        views = malloc(sizeof *views);
        if (views == NULL) {
            error_memory(sizeof *views, "solved slices");
            return NULL;
        }
        views->next = run->views;
        views->count = 0;
        run->views = views;
    }
    return &views->slab[views->count++];
}

static void free_views(struct run *run)
{
    while (run->views != NULL) {
        struct views *next = run->views->next;
        free(run->views);
        run->views = next;
    }
}

static int find_own(void *context, const uint8_t *square, int side, const struct slab **slab)
{
    struct run *run = context;
    bool mirror;
    bool both;
    const uint32_t number = pawn_slices_find(run->slices, square, &mirror, &both);
    if (run->own[number].kept == NULL)
        TRY(restore(run, number));
    const struct own *own = &run->own[number];
    struct slab *view = new_view(run);
    if (view == NULL)
        return CLTB_E_MEMORY;
    *view = (struct slab){.cursed = own->kept->cursed[side], .mirrored = mirror};
    for (int plane = 0; plane < SLAB_PLANES; plane++)
        view->place[plane] = (struct slab_place){own->kept->array[side][plane], own->at};
    *slab = view;
    return 0;
}

// ---- after a batch ----

// Reads a plane of all slices of the batch, and gives its memory back: what comes out of the batch takes the place of what was
// in it.
static int read_plane(struct run *run, const struct solution *solution, struct plane **plane, uint64_t *to)
{
    const int code = slice_read(solution->backend, *plane, 0, run->count, to);
    solution->backend->ops->plane_free(solution->backend, *plane);
    *plane = NULL;
    return code;
}

static int keep_plane(struct run *run, const struct solution *solution, struct plane **plane, struct kept *kept,
                      int side, enum slab_plane number)
{
    uint64_t *to;
    if (*plane == NULL)
        return 0;
    TRY(new_plane(run, kept, side, number, run->count * slab_words(run->shape.pieces), &to));
    return read_plane(run, solution, plane, to);
}

// Planes that follow from the others: entries without a code are draws, or no positions if they are won as well; those
// with one that are not won are lost.
struct derived {
    struct plane *illegal;
    struct plane *lost;
};

static int derive(const struct solution *solution, int side, struct derived *derived)
{
    struct backend *backend = solution->backend;
    const struct backend_ops *ops = backend->ops;
    TRY(ops->plane_new(backend, &derived->lost));
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (solution->distance[side][bit] != NULL)
            TRY(ops->combine(backend, derived->lost, PLANE_OR, solution->distance[side][bit]));
    }
    TRY(ops->plane_new(backend, &derived->illegal));
    TRY(ops->combine(backend, derived->illegal, PLANE_COPY, solution->won[side]));
    TRY(ops->combine(backend, derived->illegal, PLANE_AND_NOT, derived->lost));
    return ops->combine(backend, derived->lost, PLANE_AND_NOT, solution->won[side]);
}

static int keep_planes(struct run *run, struct solution *solution, int side, struct kept *kept)
{
    struct paged_array **array = kept->array[side];
    struct plane **won_early = &solution->won_early[side];
    struct plane **lost_early = &solution->lost_early[side];
    const bool early_won = *won_early != NULL;
    const bool early_lost = *lost_early != NULL;
    kept->cursed[side] = early_won || early_lost;
    TRY(keep_plane(run, solution, won_early, kept, side, SLAB_WON));
    TRY(keep_plane(run, solution, lost_early, kept, side, SLAB_LOST));
    if (is_wanted(run, side ^ 1)) // en passant takes pawns of both sides
        TRY(keep_plane(run, solution, &solution->stalemate[side], kept, side, SLAB_STALEMATE));
    TRY(keep_plane(run, solution, &solution->won[side], kept, side, early_won ? SLAB_WON_EVER : SLAB_WON));
    if (!early_won)
        array[SLAB_WON_EVER] = array[SLAB_WON];
    return 0;
}

// What the next levels need of one side to move.
static int keep_side(struct run *run, struct solution *solution, int side, struct kept *kept)
{
    struct backend *backend = solution->backend;
    struct paged_array **array = kept->array[side];
    struct derived derived = {NULL, NULL};
    const bool early_lost = solution->lost_early[side] != NULL;
    int code = derive(solution, side, &derived);
    if (code == 0)
        code = keep_plane(run, solution, &derived.illegal, kept, side, SLAB_ILLEGAL);
    if (code == 0)
        code = keep_plane(run, solution, &derived.lost, kept, side, early_lost ? SLAB_LOST_EVER : SLAB_LOST);
    if (!early_lost)
        array[SLAB_LOST_EVER] = array[SLAB_LOST];
    backend->ops->plane_free(backend, derived.illegal);
    backend->ops->plane_free(backend, derived.lost);
    return code == 0 ? keep_planes(run, solution, side, kept) : code;
}

// The planes that only the sink wants.
struct sink_planes {
    uint64_t *won[COLOURS]; // [count * slab words]
    uint64_t *distance[COLOURS][DISTANCE_PLANES_MAX];
    uint64_t *resolved[COLOURS];
    struct slice_record *record; // [count]
    struct slice_values values;
};

static int read_new(struct run *run, const struct solution *solution, struct plane **plane, uint64_t **to)
{
    const size_t words = run->count * slab_words(run->shape.pieces);
    if (*plane == NULL)
        return 0;
    *to = memory_take(memory_of(run), words * sizeof **to, NULL);
    if (*to == NULL)
        return error_memory(words * sizeof **to, "solved slices");
    return read_plane(run, solution, plane, *to);
}

static int read_planes(struct run *run, struct solution *solution, struct sink_planes *planes)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            TRY(read_new(run, solution, &solution->distance[side][bit], &planes->distance[side][bit]));
        TRY(read_new(run, solution, &solution->resolved[side], &planes->resolved[side]));
        TRY(read_new(run, solution, &solution->won[side], &planes->won[side]));
    }
    memcpy(planes->values.value, solution->value, sizeof planes->values.value);
    memcpy(planes->values.longest, solution->longest, sizeof planes->values.longest);
    return 0;
}

static const uint64_t *slab_at(const uint64_t *start, size_t at)
{
    return start == NULL ? NULL : start + at;
}

// What the neighbours want is open: the sink gets it from there.
static int fill_records(struct run *run, const struct kept *kept, struct sink_planes *planes)
{
    const size_t slab = slab_words(run->shape.pieces);
    planes->record = calloc(run->count, sizeof *planes->record);
    if (planes->record == NULL)
        return error_memory(run->count * sizeof *planes->record, "solved slices");
    for (int side = WHITE; side <= BLACK; side++) {
        const void *won = planes->won[side];
        const void *stalemate = NULL;
        if (kept->array[side][SLAB_WON_EVER] != NULL)
            won = paged_start(kept->array[side][SLAB_WON_EVER]);
        if (kept->array[side][SLAB_STALEMATE] != NULL)
            stalemate = paged_start(kept->array[side][SLAB_STALEMATE]);
        for (size_t i = 0; i < run->count; i++) {
            struct slice_side *to = &planes->record[i].side[side];
            planes->record[i].slice = run->number[i];
            to->won = slab_at(won, i * slab);
            to->stalemate = slab_at(stalemate, i * slab);
            to->resolved = slab_at(planes->resolved[side], i * slab);
            for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
                to->distance[bit] = slab_at(planes->distance[side][bit], i * slab);
        }
    }
    return 0;
}

static int send(struct run *run, struct solution *solution, const struct kept *kept)
{
    struct sink_planes *planes = calloc(1, sizeof *planes);
    if (planes == NULL)
        return error_memory(sizeof *planes, "solved slices");
    int code = read_planes(run, solution, planes);
    if (code == 0)
        code = fill_records(run, kept, planes);
    if (code == 0)
        code = run->sink->put(run->sink->context, &planes->values, planes->record, run->count);
    const size_t bytes = run->count * slab_words(run->shape.pieces) * sizeof(uint64_t);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            memory_give(memory_of(run), planes->distance[side][bit], bytes);
        memory_give(memory_of(run), planes->resolved[side], bytes);
        memory_give(memory_of(run), planes->won[side], bytes);
    }
    free(planes->record);
    free(planes);
    return code;
}

static void note_longest(struct run *run, const int longest[COLOURS][5])
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = 0; i < 5; i++) {
            if (longest[side][i] > run->result->longest[side][i])
                run->result->longest[side][i] = longest[side][i];
        }
    }
}

static int finish_batch(struct run *run, struct solution *solution)
{
    struct kept *kept = new_kept(run);
    if (kept == NULL)
        return CLTB_E_MEMORY;
    for (int side = WHITE; side <= BLACK; side++) {
        if (is_wanted(run, side))
            TRY(keep_side(run, solution, side, kept));
    }
    if (run->sink != NULL)
        TRY(send(run, solution, kept));
    close_kept(kept);
    for (size_t i = 0; i < run->count; i++)
        run->own[run->number[i]] = (struct own){kept, i * slab_words(run->shape.pieces)};
    note_longest(run, solution->longest);
    run->result->plies += solution->plies;
    run->result->batches++;
    return 0;
}

// ---- a batch ----

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct run *run = context;
    struct solver_ply whole = *ply;
    whole.share = ((double)run->result->done + ply->share * (double)run->count) / (double)run->slices->slices;
    return run->options->progress(run->options->context, &whole);
}

static int solve_batch(struct run *run, struct slice_batch *batch)
{
    struct zeroing zeroing;
    struct solution solution;
    slice_batch_zeroing(batch, &zeroing);
    const struct solver_options options = {
        .keep_distance = {run->options->keep_distance[WHITE], run->options->keep_distance[BLACK]},
        .keep_resolved = run->options->keep_resolved,
        .keep_slabs = true,
        .last_attacker = run->options->last_attacker,
        .progress = run->options->progress == NULL ? NULL : on_ply,
        .context = run};
    TRY(iteration_run(&solution, batch->backend, &zeroing, &options));
    const int code = finish_batch(run, &solution);
    solution_free(&solution);
    return code;
}

static int open_batch(struct run *run, struct slice_batch *batch, const uint8_t (*codes)[FIXED_MAX])
{
    const struct slab_shape *shape = &run->shape;
    struct layout layout;
    TRY(layout_init_slices(&layout, shape->pieces, shape->type, shape->colour, shape->fixed, shape->fixed_type,
                           shape->fixed_colour, batch->slices, codes));
    return run->options->open(run->options->context, &layout, &batch->backend);
}

static int run_batch(struct run *run, struct slice_batch *batch, const uint32_t *number)
{
    uint8_t(*codes)[FIXED_MAX] = slice_batch_codes(batch);
    int code = codes == NULL ? error_memory(batch->slices * sizeof *codes, "a batch of slices") : 0;
    run->number = number;
    run->count = batch->slices;
    if (code == 0)
        code = open_batch(run, batch, (const uint8_t(*)[FIXED_MAX])codes);
    if (code == 0)
        code = solve_batch(run, batch);
    if (batch->backend != NULL)
        batch->backend->ops->close(batch->backend);
    batch->backend = NULL;
    free(codes);
    run->result->done += batch->slices;
    return code;
}

// ---- levels ----

static int resume_slice(struct run *run, uint32_t number)
{
    const struct slice_values *values;
    TRY(run->sink->get(run->sink->context, number, WHITE, &values, NULL));
    note_longest(run, values->longest);
    run->result->resumed++;
    run->result->done++;
    return 0;
}

// The batches of one level.
struct level {
    const uint32_t *number; // [count] slices
    size_t count;
    size_t each; // slices of a batch
    uint8_t (*square)[FIXED_MAX];
    struct slice_batch *batch; // [batches]
    size_t batches;
};

static int open_level(struct run *run, struct level *level)
{
    level->batches = (level->count + level->each - 1) / level->each;
    level->square = calloc(level->count, sizeof *level->square);
    level->batch = calloc(level->batches, sizeof *level->batch);
    if (level->square == NULL || level->batch == NULL)
        return error_memory(level->count * sizeof *level->square, "a batch of slices");
    for (size_t i = 0; i < level->count; i++)
        memcpy(level->square[i], run->slices->square[level->number[i]], PAWNS_MAX);
    return 0;
}

static int list_batch(struct run *run, struct level *level, size_t number, const struct own_slabs *own)
{
    struct slice_batch *batch = &level->batch[number];
    const size_t first = number * level->each;
    *batch = (struct slice_batch){.shape = run->shape,
                                  .slices = level->count - first < level->each ? level->count - first : level->each,
                                  .square = (const uint8_t(*)[FIXED_MAX])(level->square + first),
                                  .slabs = run->slabs,
                                  .own = own,
                                  .pool = run->options->pool};
    for (int mover = WHITE; mover <= BLACK; mover++)
        TRY(slice_batch_list(batch, mover));
    return 0;
}

static uint64_t part_of(const struct run *run, unsigned part, uint64_t most)
{
    const uint64_t bytes = run->options->memory / part;
    return bytes > 0 && bytes < most ? bytes : most;
}

// Some batches from number `first` on, and what they want of futurebases: made together, because their files are read once
// then, but not more than memory should hold. *next is the first batch of the next group.
static int solve_group(struct run *run, struct level *level, size_t first, const struct own_slabs *own, size_t *next)
{
    size_t end = first;
    while (end < level->batches &&
           (end == first || slabs_pending(run->slabs) < part_of(run, WANTED_PART, WANTED_BYTES)))
        TRY(list_batch(run, level, end++, own));
    *next = end;
    TRY(slabs_make(run->slabs));
    for (size_t i = first; i < end; i++) {
        TRY(run_batch(run, &level->batch[i], level->number + i * level->each));
        slice_batch_free(&level->batch[i]);
    }
    free_views(run);
    slabs_trim(run->slabs, part_of(run, SLABS_PART, SLABS_BYTES));
    if (run->options->memory > 0)
        memory_trim();
    return 0;
}

static int solve_level(struct run *run, struct level *level)
{
    const struct own_slabs own = {run, find_own};
    int code = open_level(run, level);
    for (size_t i = 0; code == 0 && i < level->batches;)
        code = solve_group(run, level, i, &own, &i);
    for (size_t i = 0; level->batch != NULL && i < level->batches; i++)
        slice_batch_free(&level->batch[i]);
    free(level->batch);
    free(level->square);
    return code;
}

static size_t batch_slices(const struct run *run)
{
    const uint64_t slab = slab_words(run->shape.pieces) * sizeof(uint64_t);
    uint64_t plane = run->options->batch_bytes > 0 ? run->options->batch_bytes : BATCH_BYTES;
    if (run->options->memory > 0) {
        const unsigned planes = BATCH_PLANES + (slab < SLICES_LARGE ? SLICES_SMALL_PLANES : 0);
        uint64_t most = run->options->memory / BATCH_PART / (planes * slab + MOVES_BYTES) * slab;
        most = most < SLICES_BATCH_LEAST ? SLICES_BATCH_LEAST : most;
        plane = most < plane ? most : plane;
    }
    return plane > slab ? (size_t)(plane / slab) : 1;
}

static int run_level(struct run *run, uint32_t *list)
{
    const struct pawn_slices *slices = run->slices;
    struct level level = {.number = list, .each = batch_slices(run)};
    for (uint32_t i = 0; i < slices->slices; i++) {
        if (slices->advance[i] != run->level)
            continue;
        if (run->sink != NULL && run->sink->has != NULL && run->sink->has(run->sink->context, i))
            TRY(resume_slice(run, i));
        else
            list[level.count++] = i;
    }
    return level.count == 0 ? 0 : solve_level(run, &level);
}

static int run_levels(struct run *run)
{
    const struct pawn_slices *slices = run->slices;
    uint32_t *list = malloc(slices->slices * sizeof *list);
    if (list == NULL)
        return error_memory(slices->slices * sizeof *list, "slices");
    int code = 0;
    for (run->level = (PAWN_RANKS - 1) * PAWNS_MAX; code == 0 && run->level >= 0; run->level--) {
        code = run_level(run, list);
        forget_levels(run, run->level + 1);
    }
    free(list);
    return code;
}

int slices_solve(const struct material *material, const struct pawn_slices *slices, const struct slab_source *source,
                 const struct slice_sink *sink, const struct slices_options *options, struct slices_result *result)
{
    struct run run = {.slices = slices, .source = source, .sink = sink, .options = options, .result = result};
    *result = (struct slices_result){.plies = 0};
    memset(result->longest, 0xff, sizeof result->longest);
    slices_shape(material, &run.shape);
    run.own = calloc(slices->slices, sizeof *run.own);
    if (run.own == NULL)
        return error_memory(slices->slices * sizeof *run.own, "slices");
    int code = paged_open(&run.paged, threads_memory(options->pool), options->memory, options->scratch);
    if (code == 0)
        code = slabs_open(&run.slabs, source, run.paged, options->pool, options->isa);
    if (code == 0)
        code = run_levels(&run);
    forget_levels(&run, -1);
    free_views(&run);
    slabs_close(run.slabs);
    paged_close(run.paged);
    free(run.own);
    return code;
}
