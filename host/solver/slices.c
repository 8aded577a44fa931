// slices.c - an endgame with pawns, level by level of the pawns' total advance
//
// A pawn move leads to a slice one or two levels up, to a capture's futurebase, or to a promotion's. So two solved levels are
// kept as slabs in memory; everything else that is worth keeping goes to the sink.
#include "solver/slices.h"

#include "solver/iteration.h"
#include "solver/slabs.h"
#include "solver/slice_moves.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 2 << 20,   // of a plane: all planes of a batch stay near the processor, and memory is used again soon
    SLABS_BYTES = 64 << 20,  // of futurebases that are kept for later batches
    WANTED_BYTES = 256 << 20 // of futurebases that are made together
};

// An array of solved slices.
struct kept {
    int level;
    uint64_t *words;
    size_t bytes;
    struct kept *next;
};

// A solved slice as its neighbours see it.
struct own {
    bool known;
    struct slab slab[COLOURS];
    struct slab mirrored[COLOURS]; // made when first wanted
};

struct run {
    const struct pawn_slices *slices;
    const struct slab_source *source;
    const struct slice_sink *sink;
    const struct slices_options *options;
    struct slices_result *result;
    struct slab_shape shape;
    struct slabs *slabs;
    struct own *own; // [slices]
    struct kept *kept;
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

static uint64_t *keep_words(struct run *run, size_t words)
{
    struct kept *kept = malloc(sizeof *kept);
    const size_t bytes = words * sizeof(uint64_t);
    uint64_t *array = kept == NULL ? NULL : memory_take(memory_of(run), bytes, NULL);
    if (array == NULL) {
        free(kept);
        error_memory(bytes, "solved slices");
        return NULL;
    }
    *kept = (struct kept){run->level, array, bytes, run->kept};
    run->kept = kept;
    return array;
}

// Pawns move up by one level, or two. Whoever comes next looks at this level and the one above.
static void forget_levels(struct run *run, int above)
{
    for (uint32_t i = 0; i < run->slices->slices; i++) {
        if (run->own[i].known && run->slices->advance[i] > above)
            run->own[i] = (struct own){.known = false};
    }
    for (struct kept **at = &run->kept; *at != NULL;) {
        struct kept *kept = *at;
        if (kept->level <= above) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        memory_give(memory_of(run), kept->words, kept->bytes);
        free(kept);
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

// Takes the entries that are decided only after ply 100 out of `early`.
static bool without_late(const struct slice_side *side, const solver_value *value, size_t words, uint64_t *early)
{
    bool late = false;
    for (unsigned code = 1; code < DISTANCE_CODES; code++) {
        if (value[code] == 0 || solver_value_ply(value[code]) <= SOLVER_PLY_LIMIT)
            continue;
        late = true;
        for (size_t w = 0; w < words; w++)
            early[w] &= ~code_word(side, code, w);
    }
    return late;
}

// A slice of an earlier run, as its neighbours see it.
static int restore(struct run *run, uint32_t number)
{
    const struct slice_values *values;
    struct slice_record record;
    TRY(run->sink->get(run->sink->context, number, &values, &record));
    const size_t words = slab_words(run->shape.pieces);
    struct own *own = &run->own[number];
    for (int side = WHITE; side <= BLACK; side++) {
        const struct slice_side *from = &record.side[side];
        uint64_t *array = keep_words(run, 6 * words);
        if (array == NULL)
            return CLTB_E_MEMORY;
        for (size_t w = 0; w < words; w++) {
            const uint64_t any = any_code(from, w);
            array[w] = from->won[w] & ~any;
            array[words + w] = array[2 * words + w] = from->won[w];
            array[3 * words + w] = array[4 * words + w] = any & ~from->won[w];
            array[5 * words + w] = from->stalemate == NULL ? 0 : from->stalemate[w];
        }
        bool cursed = without_late(from, values->value[side][1], words, array + words);
        cursed |= without_late(from, values->value[side][0], words, array + 3 * words);
        own->slab[side] = (struct slab){.illegal = array,
                                        .won = {array + words, array + 2 * words},
                                        .lost = {array + 3 * words, array + 4 * words},
                                        .stalemate = array + 5 * words,
                                        .cursed = cursed};
    }
    own->known = true;
    return 0;
}

// The next array of `room`, with the mirror image of another.
static const uint64_t *mirror_one(const struct run *run, const uint64_t *from, uint64_t **room)
{
    uint64_t *to = *room;
    slab_mirror(to, from, run->shape.pieces);
    *room += slab_words(run->shape.pieces);
    return to;
}

static int mirror_own(struct run *run, struct own *own, int side)
{
    const struct slab *from = &own->slab[side];
    struct slab *to = &own->mirrored[side];
    uint64_t *room = keep_words(run, 6 * slab_words(run->shape.pieces));
    if (room == NULL)
        return CLTB_E_MEMORY;
    *to = (struct slab){.cursed = from->cursed};
    to->illegal = mirror_one(run, from->illegal, &room);
    to->stalemate = from->stalemate == NULL ? NULL : mirror_one(run, from->stalemate, &room);
    for (int late = 0; late < (from->cursed ? 2 : 1); late++) {
        to->won[late] = mirror_one(run, from->won[late], &room);
        to->lost[late] = mirror_one(run, from->lost[late], &room);
    }
    if (!from->cursed) {
        to->won[1] = to->won[0];
        to->lost[1] = to->lost[0];
    }
    return 0;
}

static int find_own(void *context, const uint8_t *square, int side, const struct slab **slab)
{
    struct run *run = context;
    bool mirror;
    bool both;
    const uint32_t number = pawn_slices_find(run->slices, square, &mirror, &both);
    struct own *own = &run->own[number];
    if (!own->known)
        TRY(restore(run, number));
    if (mirror && own->mirrored[side].illegal == NULL)
        TRY(mirror_own(run, own, side));
    *slab = mirror ? &own->mirrored[side] : &own->slab[side];
    return 0;
}

// ---- after a batch ----

static int read_plane(struct run *run, const struct solution *solution, const struct plane *plane, uint64_t *to)
{
    return slice_read(solution->backend, plane, 0, run->count, to);
}

static int keep_plane(struct run *run, const struct solution *solution, const struct plane *plane, uint64_t **to)
{
    *to = keep_words(run, run->count * slab_words(run->shape.pieces));
    return *to == NULL ? CLTB_E_MEMORY : read_plane(run, solution, plane, *to);
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

// What the next levels need of one side to move.
static int keep_side(struct run *run, const struct solution *solution, int side)
{
    const size_t slab = slab_words(run->shape.pieces);
    const struct plane *early_won = solution->won_early[side];
    const struct plane *early_lost = solution->lost_early[side];
    uint64_t *illegal;
    uint64_t *won[2];
    uint64_t *lost[2];
    uint64_t *stalemate = NULL;
    TRY(keep_plane(run, solution, solution->illegal[side], &illegal));
    TRY(keep_plane(run, solution, solution->won[side], &won[1]));
    TRY(keep_plane(run, solution, solution->lost[side], &lost[1]));
    won[0] = won[1];
    lost[0] = lost[1];
    if (early_won != NULL)
        TRY(keep_plane(run, solution, early_won, &won[0]));
    if (early_lost != NULL)
        TRY(keep_plane(run, solution, early_lost, &lost[0]));
    if (is_wanted(run, side ^ 1)) // en passant takes pawns of both sides
        TRY(keep_plane(run, solution, solution->stalemate[side], &stalemate));
    for (size_t i = 0; i < run->count; i++) {
        const size_t at = i * slab;
        run->own[run->number[i]].slab[side] = (struct slab){.illegal = illegal + at,
                                                            .won = {won[0] + at, won[1] + at},
                                                            .lost = {lost[0] + at, lost[1] + at},
                                                            .stalemate = stalemate == NULL ? NULL : stalemate + at,
                                                            .cursed = won[0] != won[1] || lost[0] != lost[1]};
    }
    return 0;
}

// The planes that only the sink wants.
struct sink_planes {
    uint64_t *won[COLOURS]; // [count * slab words]
    uint64_t *distance[COLOURS][DISTANCE_PLANES_MAX];
    uint64_t *decided[COLOURS];
    struct slice_record *record; // [count]
    struct slice_values values;
};

static int read_new(struct run *run, const struct solution *solution, const struct plane *plane, uint64_t **to)
{
    const size_t words = run->count * slab_words(run->shape.pieces);
    if (plane == NULL)
        return 0;
    *to = memory_take(memory_of(run), words * sizeof **to, NULL);
    if (*to == NULL)
        return error_memory(words * sizeof **to, "solved slices");
    return read_plane(run, solution, plane, *to);
}

static int fill_records(struct run *run, const struct solution *solution, struct sink_planes *planes)
{
    const size_t slab = slab_words(run->shape.pieces);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            TRY(read_new(run, solution, solution->distance[side][bit], &planes->distance[side][bit]));
        TRY(read_new(run, solution, solution->decided[side], &planes->decided[side]));
        TRY(read_new(run, solution, solution->won[side], &planes->won[side]));
    }
    planes->record = calloc(run->count, sizeof *planes->record);
    if (planes->record == NULL)
        return error_memory(run->count * sizeof *planes->record, "solved slices");
    for (size_t i = 0; i < run->count; i++) {
        planes->record[i].slice = run->number[i];
        for (int side = WHITE; side <= BLACK; side++) {
            struct slice_side *to = &planes->record[i].side[side];
            const struct slab *own = &run->own[run->number[i]].slab[side];
            to->won = planes->won[side] + i * slab;
            to->stalemate = own->stalemate;
            to->decided = planes->decided[side] == NULL ? NULL : planes->decided[side] + i * slab;
            for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
                to->distance[bit] = planes->distance[side][bit] == NULL ? NULL : planes->distance[side][bit] + i * slab;
        }
    }
    memcpy(planes->values.value, solution->value, sizeof planes->values.value);
    memcpy(planes->values.longest, solution->longest, sizeof planes->values.longest);
    return 0;
}

static int send(struct run *run, const struct solution *solution)
{
    struct sink_planes *planes = calloc(1, sizeof *planes);
    if (planes == NULL)
        return error_memory(sizeof *planes, "solved slices");
    int code = fill_records(run, solution, planes);
    if (code == 0)
        code = run->sink->put(run->sink->context, &planes->values, planes->record, run->count);
    const size_t bytes = run->count * slab_words(run->shape.pieces) * sizeof(uint64_t);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            memory_give(memory_of(run), planes->distance[side][bit], bytes);
        memory_give(memory_of(run), planes->decided[side], bytes);
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

static int finish_batch(struct run *run, const struct solution *solution)
{
    for (int side = WHITE; side <= BLACK; side++) {
        if (is_wanted(run, side))
            TRY(keep_side(run, solution, side));
    }
    if (run->sink != NULL)
        TRY(send(run, solution));
    for (size_t i = 0; i < run->count; i++)
        run->own[run->number[i]].known = true;
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
        .keep_decided = run->options->keep_decided,
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
    struct slice_record record;
    TRY(run->sink->get(run->sink->context, number, &values, &record));
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

// Some batches from number `first` on, and what they want of futurebases: made together, because their files are read once
// then, but not more than memory should hold. *next is the first batch of the next group.
static int solve_group(struct run *run, struct level *level, size_t first, const struct own_slabs *own, size_t *next)
{
    size_t end = first;
    while (end < level->batches && (end == first || slabs_pending(run->slabs) < WANTED_BYTES))
        TRY(list_batch(run, level, end++, own));
    *next = end;
    TRY(slabs_make(run->slabs));
    for (size_t i = first; i < end; i++) {
        TRY(run_batch(run, &level->batch[i], level->number + i * level->each));
        slice_batch_free(&level->batch[i]);
    }
    slabs_trim(run->slabs, SLABS_BYTES);
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

static int run_level(struct run *run, uint32_t *list)
{
    const struct pawn_slices *slices = run->slices;
    const uint64_t bytes = run->options->batch_bytes > 0 ? run->options->batch_bytes : BATCH_BYTES;
    const size_t most = (size_t)(bytes / (slab_words(run->shape.pieces) * sizeof(uint64_t)));
    struct level level = {.number = list, .each = most > 1 ? most : 1};
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
    int code = slabs_open(&run.slabs, source, options->pool, options->isa);
    if (code == 0)
        code = run_levels(&run);
    forget_levels(&run, -1);
    slabs_close(run.slabs);
    free(run.own);
    return code;
}
