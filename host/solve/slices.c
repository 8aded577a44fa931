// slices.c - an endgame with pawns, slice by slice
//
// A slice is all placements of the pieces for one placement of the pawns. Its level is how many ranks its pawns have
// advanced in all. Pieces stay in the slice; a pawn's step leads one level up, its double step two, and a capture or a
// promotion to another endgame. So slices of one level do not depend on each other, and
//
// 1. levels are solved from the highest one down, each in batches of slices of about 2 MiB a plane;
// 2. for each batch, the captures and pawn moves are listed (slice_moves.h). They want slabs: those of two solved
//    levels are kept here, those of other endgames are made from stored tables (slab_make.c), for a group of batches at
//    once, so that their files are read once;
// 3. the batch is solved like an endgame without pawns (iteration.h), with zeroing moves that import those slabs;
// 4. what the next two levels need is kept as slabs, in memory as far as that is allowed, and everything that is worth
//    keeping goes to the sink;
// 5. after a level, the slabs of the level two above it are forgotten.
//
// For example, KPvK has 24 slices: the pawn on a2..d7. Level 5 is a7, b7, c7 and d7, whose pawn moves are promotions to
// the slabs of KQvK, KRvK, KBvK and KNvK with the new piece fixed. Then come a6..d6, which need level 5, and so on; a2
// needs a3 and a4.
#include "solve/slices.h"

#include "disk/paged.h"
#include "solve/batches.h"
#include "solve/solved_slabs.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 2 << 20,    // of a plane: all planes of a batch stay in caches, and memory is soon reused
    SLABS_BYTES = 64 << 20,   // of futurebases kept for later batches
    WANTED_BYTES = 256 << 20, // of futurebases made together
    // With a memory limit, the parts of it for these,
    SLABS_PART = 8,
    WANTED_PART = 4,
    BATCH_PART = 2,     // for all planes of a batch,
    BATCH_PLANES = 32,  // of which there are so many,
    MOVES_BYTES = 8192, // and for the lists of a slice's moves
};

// A solved slice, as its neighbours see it.
struct own {
    struct solved_group *group; // NULL: unknown
    size_t at;                  // first word in each array
};

struct run {
    enum metric metric;
    const struct pawn_slices *slices;
    const struct slice_sink *sink;
    const struct slices_options *options;
    struct slices_result *result;
    struct slab_shape shape;
    struct paged *paged;
    struct slabs *slabs;
    struct own *own; // [slices]
    struct solved_groups groups;
    int level;
    // The current batch:
    const uint32_t *number; // [count] slices
    size_t count;
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

// Pawn moves of the other side lead to positions with this side to move.
static bool is_wanted(const struct run *run, int side)
{
    for (int i = 0; i < run->shape.fixed; i++) {
        if (run->shape.fixed_colour[i] != side)
            return true;
    }
    return false;
}

static void forget_levels(struct run *run, int above)
{
    for (uint32_t i = 0; i < run->slices->slices; i++) {
        if (run->slices->advance[i] > above)
            run->own[i].group = NULL;
    }
    solved_groups_forget(&run->groups, above);
}

// Removes the entries that are won or lost only after ply 100 from `early`.
static bool without_late(const struct slice_side *side, const solver_value *value, size_t words, uint64_t *early)
{
    bool late = false;
    for (unsigned code = 1; code < DISTANCE_CODES; code++) {
        if (value[code] == 0 || solver_value_ply(value[code]) <= PLY_LIMIT)
            continue;
        late = true;
        for (size_t w = 0; w < words; w++) {
            uint64_t has_code = UINT64_MAX;
            for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
                const uint64_t plane = side->distance[bit] == NULL ? 0 : side->distance[bit][w];
                has_code &= code >> bit & 1 ? plane : ~plane;
            }
            early[w] &= ~has_code;
        }
    }
    return late;
}

// Does this plane exist in the slab of a slice that an earlier run has solved?
static bool restores(const struct run *run, const struct slice_side *from, int plane)
{
    return plane < SLAB_CODE || (run->metric != METRIC_DTZ && from->distance[plane - SLAB_CODE] != NULL);
}

static int largest(const int longest[COLOURS][5])
{
    int most = -1;
    for (int i = 0; i < COLOURS * 5; i++)
        most = longest[i / 5][i % 5] > most ? longest[i / 5][i % 5] : most;
    return most;
}

// Gets the slabs of a slice that an earlier run has solved from the sink.
static int restore(struct run *run, uint32_t number)
{
    const size_t words = slab_words(run->shape.pieces);
    struct solved_group *kept;
    TRY(solved_groups_add(&run->groups, run->slices->advance[number], &kept));
    for (int side = WHITE; side <= BLACK; side++) {
        const struct slice_values *values;
        struct slice_side from;
        uint64_t *to[SLAB_PLANES];
        if (!is_wanted(run, side))
            continue;
        TRY(run->sink->get(run->sink->context, number, side, &values, &from));
        for (int plane = 0; plane < SLAB_PLANES; plane++) {
            if (restores(run, &from, plane))
                TRY(solved_slabs_new(&kept->slabs, run->paged, side, (enum slab_plane)plane, words, &to[plane]));
        }
        for (int bit = 0; bit < MATE_CODE_BITS; bit++) {
            if (restores(run, &from, SLAB_CODE + bit))
                memcpy(to[SLAB_CODE + bit], from.distance[bit], words * sizeof(uint64_t));
        }
        kept->longest = largest(values->longest);
        for (size_t w = 0; w < words; w++) {
            const uint64_t any = planes_any_code(&from, w);
            to[SLAB_ILLEGAL][w] = from.won[w] & ~any;
            to[SLAB_WON][w] = to[SLAB_WON_EVER][w] = from.won[w];
            to[SLAB_LOST][w] = to[SLAB_LOST_EVER][w] = any & ~from.won[w];
            to[SLAB_STALEMATE][w] = from.stalemate == NULL ? 0 : from.stalemate[w];
        }
        if (run->metric != METRIC_DTZ)
            continue;
        kept->slabs.cursed[side] = without_late(&from, values->value[side][1], words, to[SLAB_WON]);
        kept->slabs.cursed[side] |= without_late(&from, values->value[side][0], words, to[SLAB_LOST]);
    }
    if (run->sink->release != NULL)
        run->sink->release(run->sink->context);
    solved_slabs_each(&kept->slabs, paged_put);
    run->own[number] = (struct own){kept, 0};
    return 0;
}

static int find_own(void *context, const uint8_t *square, int side, const struct slab **slab)
{
    struct run *run = context;
    bool mirror;
    bool both;
    const uint32_t number = pawn_slices_find(run->slices, square, &mirror, &both);
    if (run->own[number].group == NULL)
        TRY(restore(run, number));
    const struct own *own = &run->own[number];
    return solved_groups_view(&run->groups, own->group, side, own->at, mirror, slab);
}

// ---- step 4: after a batch ----

// Reads a plane of all slices of the batch and gives its memory back: what comes out of the batch replaces what was in
// it.
static int read_plane(struct run *run, const struct solution *solution, struct plane **plane, uint64_t *to)
{
    const int code = slice_read(solution->backend, *plane, 0, run->count, to);
    solution->backend->ops->plane_free(solution->backend, *plane);
    *plane = NULL;
    return code;
}

enum { SINK_PLANES = DISTANCE_PLANES_MAX + 2 }; // for one side: distances, resolved, won

static const uint64_t *slab_at(const uint64_t *start, size_t at)
{
    return start == NULL ? NULL : start + at;
}

// Gives the batch to the sink. The planes that the neighbours want are still open: the sink gets them from there.
static int send(struct run *run, struct solution *solution, const struct solved_group *kept)
{
    struct memory_pool *memory = threads_memory(run->options->pool);
    const size_t slab = slab_words(run->shape.pieces);
    const size_t bytes = run->count * slab * sizeof(uint64_t);
    uint64_t *read[COLOURS][SINK_PLANES] = {{NULL}};
    struct slice_values *values = calloc(1, sizeof *values);
    struct slice_record *record = calloc(run->count, sizeof *record);
    int code = values == NULL || record == NULL ? error_memory(run->count * sizeof *record, "solved slices") : 0;
    for (int i = 0; code == 0 && i < COLOURS * SINK_PLANES; i++) {
        const int side = i / SINK_PLANES;
        const int number = i % SINK_PLANES;
        struct plane **plane = number < DISTANCE_PLANES_MAX    ? &solution->distance[side][number]
                               : number == DISTANCE_PLANES_MAX ? &solution->resolved[side]
                                                               : &solution->won[side];
        if (*plane == NULL)
            continue;
        read[side][number] = memory_take(memory, bytes, NULL);
        code = read[side][number] == NULL ? error_memory(bytes, "solved slices")
                                          : read_plane(run, solution, plane, read[side][number]);
    }
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        struct paged_array *const *array = kept->slabs.array[side];
        const uint64_t *won =
            array[SLAB_WON_EVER] != NULL ? paged_start(array[SLAB_WON_EVER]) : read[side][DISTANCE_PLANES_MAX + 1];
        const uint64_t *stalemate = array[SLAB_STALEMATE] != NULL ? paged_start(array[SLAB_STALEMATE]) : NULL;
        for (size_t i = 0; i < run->count; i++) {
            struct slice_side *to = &record[i].side[side];
            record[i].slice = run->number[i];
            to->won = slab_at(won, i * slab);
            to->stalemate = slab_at(stalemate, i * slab);
            to->resolved = slab_at(read[side][DISTANCE_PLANES_MAX], i * slab);
            for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
                to->distance[bit] = slab_at(read[side][bit], i * slab);
            for (int bit = 0; bit < MATE_CODE_BITS; bit++) {
                if (array[SLAB_CODE + bit] != NULL)
                    to->distance[bit] = slab_at(paged_start(array[SLAB_CODE + bit]), i * slab);
            }
        }
    }
    if (code == 0) {
        memcpy(values->value, solution->value, sizeof values->value);
        memcpy(values->longest, solution->longest, sizeof values->longest);
        const struct solved_batch batch = {values, record, run->count, (solver_weights)solution->weight};
        if (run->options->batch != NULL)
            code = run->options->batch(run->options->context, &batch);
        THEN(code, run->sink->put(run->sink->context, values, record, run->count));
    }
    for (int i = 0; i < COLOURS * SINK_PLANES; i++)
        memory_give(memory, read[i / SINK_PLANES][i % SINK_PLANES], bytes);
    free(record);
    free(values);
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
    struct solved_group *kept;
    TRY(solved_groups_add(&run->groups, run->level, &kept));
    kept->longest = largest(solution->longest);
    for (int side = WHITE; side <= BLACK; side++) {
        const struct solved_slabs_options options = {.stalemate = is_wanted(run, side ^ 1),
                                                     .codes = run->metric != METRIC_DTZ,
                                                     .release = true}; // en passant captures need both sides
        if (is_wanted(run, side))
            TRY(solved_slabs_keep(&kept->slabs, run->paged, solution, side, run->count, &options));
    }
    if (run->sink != NULL)
        TRY(send(run, solution, kept));
    solved_slabs_each(&kept->slabs, paged_put);
    for (size_t i = 0; i < run->count; i++)
        run->own[run->number[i]] = (struct own){kept, i * slab_words(run->shape.pieces)};
    note_longest(run, solution->longest);
    run->result->plies += solution->plies;
    run->result->batches++;
    return 0;
}

// ---- steps 1 to 3 ----

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct run *run = context;
    struct solver_ply whole = *ply;
    whole.share = ((double)run->result->done + ply->share * (double)run->count) / (double)run->slices->slices;
    return run->options->progress(run->options->context, &whole);
}

static int solve_batch(struct run *run, struct slice_batch *batch, const uint32_t *number)
{
    const struct solver_options options = {
        .keep_distance = {run->options->keep_distance[WHITE], run->options->keep_distance[BLACK]},
        .keep_resolved = run->options->keep_resolved,
        .keep_slabs = true,
        .last_attacker = run->options->last_attacker,
        .progress = run->options->progress == NULL ? NULL : on_ply,
        .metric = run->options->metric,
        .guest = run->options->guest,
        .context = run};
    struct solution solution = {.backend = NULL};
    run->number = number;
    run->count = batch->slices;
    int code = batch_solve(batch, run->metric, run->options->open, run->options->context, &options, &solution);
    THEN(code, finish_batch(run, &solution));
    solution_free(&solution);
    run->result->done += batch->slices;
    return code;
}

// The batches of one level.
struct level {
    const uint32_t *number; // [count] slices
    size_t count;
    size_t each; // slices in a batch
    uint8_t (*square)[FIXED_MAX];
    struct slice_batch *batch; // [batches]
    size_t batches;
};

static uint64_t part_of(const struct run *run, unsigned part, uint64_t most)
{
    const uint64_t bytes = run->options->memory / part;
    return bytes > 0 && bytes < most ? bytes : most;
}

// Solves some batches from number `first` on, whose futurebases are made together, as far as memory should hold them.
// *next is the first batch of the next group.
static int solve_group(struct run *run, struct level *level, size_t first, const struct own_slabs *own, size_t *next)
{
    size_t end = first;
    for (; end < level->batches && (end == first || run->slabs->pending < part_of(run, WANTED_PART, WANTED_BYTES));
         end++) {
        struct slice_batch *batch = &level->batch[end];
        const size_t at = end * level->each;
        *batch = (struct slice_batch){.shape = run->shape,
                                      .slices = level->count - at < level->each ? level->count - at : level->each,
                                      .square = (const uint8_t(*)[FIXED_MAX])(level->square + at),
                                      .slabs = run->slabs,
                                      .own = own,
                                      .pool = run->options->pool};
        for (int mover = WHITE; mover <= BLACK; mover++)
            TRY(slice_batch_list(batch, mover));
    }
    *next = end;
    TRY(slabs_make(run->slabs));
    for (size_t i = first; i < end; i++) {
        TRY(solve_batch(run, &level->batch[i], level->number + i * level->each));
        slice_batch_free(&level->batch[i]);
    }
    solved_groups_clear(&run->groups);
    slabs_trim(run->slabs, part_of(run, SLABS_PART, SLABS_BYTES));
    if (run->options->memory > 0)
        memory_trim();
    return 0;
}

static size_t batch_slices(const struct run *run)
{
    const uint64_t slab = slab_words(run->shape.pieces) * sizeof(uint64_t);
    uint64_t plane = run->options->batch_bytes > 0 ? run->options->batch_bytes : BATCH_BYTES;
    if (run->options->memory > 0) {
        const unsigned times = run->metric != METRIC_DTZ ? SLICES_MATE : 1;
        const unsigned planes = times * (slab < SLICES_LARGE ? BATCH_PLANES + SLICES_SMALL_PLANES : BATCH_PLANES);
        uint64_t most = run->options->memory / BATCH_PART / (planes * slab + MOVES_BYTES) * slab;
        most = most < SLICES_BATCH_LEAST ? SLICES_BATCH_LEAST : most;
        plane = most < plane ? most : plane;
    }
    return plane > slab ? (size_t)(plane / slab) : 1;
}

// Takes this process's part of the level.
static void take_part(struct run *run, struct level *level)
{
    size_t first = 0;
    size_t count = level->count;
    if (run->options->share != NULL)
        run->options->share(run->options->context, level->count, &first, &count);
    run->result->done += level->count - count;
    level->number += first;
    level->count = count;
}

static int meet(const struct run *run)
{
    return run->options->meet == NULL ? 0 : run->options->meet(run->options->context);
}

// Notes what other processes have found.
static int note_others(struct run *run)
{
    const struct slice_values *values;
    for (uint32_t i = 0; run->options->meet != NULL && i < run->slices->slices; i++) {
        TRY(run->sink->get(run->sink->context, i, WHITE, &values, NULL));
        note_longest(run, values->longest);
    }
    return 0;
}

// Solves the slices of the current level that the sink does not have. If slices with a mirror image and those that are
// their own are solved apart, these are `part` 0 and 1. `list` has room for all slices.
static int run_level(struct run *run, uint32_t *list, int part)
{
    const struct pawn_slices *slices = run->slices;
    const struct slice_sink *sink = run->sink;
    const struct own_slabs own = {run, find_own};
    struct level level = {.number = list, .each = batch_slices(run)};
    for (uint32_t i = 0; i < slices->slices; i++) {
        bool mirror;
        bool both = false;
        if (slices->advance[i] != run->level)
            continue;
        if (run->options->apart)
            pawn_slices_find(slices, slices->square[i], &mirror, &both);
        if (both != (part == 1))
            continue;
        if (sink == NULL || sink->has == NULL || !sink->has(sink->context, i)) {
            list[level.count++] = i;
            continue;
        }
        const struct slice_values *values;
        TRY(sink->get(sink->context, i, WHITE, &values, NULL));
        note_longest(run, values->longest);
        run->result->resumed++;
        run->result->done++;
    }
    take_part(run, &level);
    if (level.count == 0)
        return 0;
    level.batches = (level.count + level.each - 1) / level.each;
    level.square = calloc(level.count, sizeof *level.square);
    level.batch = calloc(level.batches, sizeof *level.batch);
    int code = 0;
    if (level.square == NULL || level.batch == NULL)
        code = error_memory(level.count * sizeof *level.square, "a batch of slices");
    for (size_t i = 0; code == 0 && i < level.count; i++)
        memcpy(level.square[i], slices->square[level.number[i]], PAWNS_MAX);
    for (size_t i = 0; code == 0 && i < level.batches;)
        code = solve_group(run, &level, i, &own, &i);
    for (size_t i = 0; level.batch != NULL && i < level.batches; i++)
        slice_batch_free(&level.batch[i]);
    free(level.batch);
    free(level.square);
    return code;
}

int slices_solve(const struct material *material, const struct pawn_slices *slices, const struct slab_source *source,
                 const struct slice_sink *sink, const struct slices_options *options, struct slices_result *result)
{
    struct run run = {
        .metric = (enum metric)material->metric, .slices = slices, .sink = sink, .options = options, .result = result};
    *result = (struct slices_result){.plies = 0};
    memset(result->longest, 0xff, sizeof result->longest);
    slices_shape(material, &run.shape);
    run.own = calloc(slices->slices, sizeof *run.own);
    uint32_t *list = malloc(slices->slices * sizeof *list);
    int code = 0;
    if (run.own == NULL || list == NULL)
        code = error_memory(slices->slices * (sizeof *run.own + sizeof *list), "slices");
    THEN(code, paged_open(&run.paged, threads_memory(options->pool), options->memory, options->scratch));
    THEN(code, slabs_open(&run.slabs, source, run.paged, options->pool, options->isa));
    for (run.level = (PAWN_RANKS - 1) * (slices->pawns[WHITE] + slices->pawns[BLACK]); code == 0 && run.level >= 0;
         run.level--) {
        code = meet(&run);
        for (int part = 0; code == 0 && part < (options->apart ? 2 : 1); part++)
            code = run_level(&run, list, part);
        forget_levels(&run, run.level + 1);
    }
    THEN(code, meet(&run));
    THEN(code, note_others(&run));
    if (run.own != NULL)
        forget_levels(&run, -1);
    solved_groups_clear(&run.groups);
    slabs_close(run.slabs);
    paged_close(run.paged);
    free(list);
    free(run.own);
    return code;
}
