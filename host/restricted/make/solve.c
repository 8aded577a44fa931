// solve.c - solves the slices of a restricted endgame on planes
//
// 1. Slices of the index with equally advanced pawns do not depend on each other: some of them are a batch, each
//    with all combos of the fixed pieces (frame.h).
// 2. The moves of fixed men and all captures are listed, as for a table with pawns (solve/slice_moves.h). Moves that
//    rules decide need no table; the codes of external moves become entries of the planes.
// 3. The batch is solved (solve/iteration.h).
// 4. Its outcomes are kept, as slabs, until no pawn can move into it any more.
// 5. Its values are read in the order of the index. The planes' bits of an entry are its code: 8 planes of 8 entries
//    are transposed at a time, and a code's value is an element of a table. Each entry of the index takes the value of
//    one entry of the planes, whose number is the sum of a part for each piece's square.
//
// A batch that an earlier run has solved is taken from its work file: only its slabs are needed, if at all.
//
// Cost: as for a slice of a table for each slice, as long as there are no external moves; step 5 takes some 5 ns for
// each entry of the planes and of the index.
#include "restricted/make/solve.h"

#include "futurebase/stored_slabs.h"
#include "index/square.h"
#include "solve/batches.h"
#include "solve/solved_slabs.h"
#include "util/error.h"
#include "util/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 2 << 20,     // of a plane
    SLABS_BYTES = 64 << 20,    // of tables kept for later batches
    SECTIONS_BYTES = 64 << 20, //
    BATCH_PLANES = 36,         // of a batch, at most, including what is read for it
    KEPT_PLANES = 10,          // of a solved slice
    LEVELS = 2,                // that a pawn's move can climb
    DECODE_WORDS = 4096        // decoded by a thread at a time
};

// A slice of the index.
struct solved_slice {
    struct solved_group *group; // NULL: not solved
    uint32_t *dense;            // [combos] the slices of its batch, or FRAME_NO_SLICE
};

struct restricted_solver {
    const struct frame *frame;
    struct externals *externals;
    struct restricted_work *work; // NULL: there is none
    const struct restricted_options *options;
    struct restricted_values values; // from solved slices
    struct stored_slabs stored;
    struct slab_source source;
    struct paged *paged;
    struct slabs *slabs;
    struct slice_rules rules;
    struct solved_slice *solved; // [slices]
    struct solved_groups groups;
    // The current batch:
    uint32_t first;               // of its slices of the index
    uint32_t count;               //
    uint32_t *slice_number;       // [batch.slices] slice of the index
    uint8_t (*square)[FIXED_MAX]; // [batch.slices]
    struct slice_batch batch;
    struct external_list list[COLOURS];
};

static size_t slab_of(const struct restricted_solver *solver)
{
    return slab_words(solver->frame->shape.pieces);
}

// The slice of the index with these fixed men, or with their mirror images; -1: there is none.
static int64_t slice_at(const struct frame *frame, const uint8_t *square, bool *mirrored)
{
    uint64_t pawns[COLOURS] = {0};
    for (int i = 0; i < frame->index->pawns; i++)
        pawns[frame->shape.fixed_colour[i]] |= square_bit(square[i]);
    return restricted_slice_of(frame->index, pawns, mirrored);
}

// ---- solved slices ----

static void forget_levels(struct restricted_solver *solver, int above)
{
    const struct restricted_index *index = solver->frame->index;
    for (uint32_t i = 0; i < index->slices; i++) {
        struct solved_slice *solved = &solver->solved[i];
        if (solved->group != NULL && solved->group->level > above) {
            free(solved->dense);
            *solved = (struct solved_slice){NULL, NULL};
        }
    }
    solved_groups_forget(&solver->groups, above);
}

// The slab that a pawn's move within the endgame leads to.
static int find_own(void *context, const uint8_t *square, int side, const struct slab **slab)
{
    struct restricted_solver *solver = context;
    const struct frame *frame = solver->frame;
    uint8_t image[FIXED_MAX] = {0};
    bool mirrored;
    const int64_t slice = slice_at(frame, square, &mirrored);
    for (int i = 0; i < frame->shape.fixed; i++)
        image[i] = (uint8_t)square_apply(mirrored, square[i]);
    const size_t combo = frame_combo(frame, image, false);
    if (slice < 0 || solver->solved[slice].group == NULL || combo == SIZE_MAX)
        return error_set(CLTB_E_MISMATCH, "a pawn's move within the endgame leads out of it");
    const struct solved_slice *solved = &solver->solved[slice];
    return solved_groups_view(&solver->groups, solved->group, side, (size_t)solved->dense[combo] * slab_of(solver),
                              mirrored, slab);
}

// The outcome of a position in a solved slice, as a code: the distance does not matter after a pawn's move.
static int solved_value(void *context, const struct position *position, uint16_t *value)
{
    const struct restricted_solver *solver = context;
    const struct frame *frame = solver->frame;
    uint8_t where[SPEC_MEN_MAX];
    uint32_t slice;
    uint64_t entry;
    size_t at = 0;
    if (!restricted_find(frame->index, position, &slice, &entry) || solver->solved[slice].group == NULL)
        return error_set(CLTB_E_MISMATCH, "a pawn's move within the endgame leads out of it");
    restricted_squares(frame->index, slice, entry, where);
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        for (int i = 0; !kind->fixed && i < kind->men; i++)
            at |= frame_part(frame, kind->place[i], where[frame->index->piece[kind->piece[i]]]);
    }
    const struct solved_slice *solved = &solver->solved[slice];
    const size_t word = (size_t)solved->dense[frame_combo(frame, where, true)] * slab_of(solver) + at / 64;
    struct paged_array *const *array = solved->group->slabs.array[position->side];
    bool has[SLAB_PLANES] = {false};
    for (int plane = SLAB_WON; plane <= SLAB_LOST_EVER; plane++)
        has[plane] = ((const uint64_t *)paged_start(array[plane]))[word] >> at % 64 & 1;
    *value = has[SLAB_WON]         ? value_code(true, 1)
             : has[SLAB_LOST]      ? value_code(false, 1)
             : has[SLAB_WON_EVER]  ? value_code(true, PLY_LIMIT + 1)
             : has[SLAB_LOST_EVER] ? value_code(false, PLY_LIMIT + 1)
                                   : RESTRICTED_OPEN;
    return 0;
}

// ---- step 2 ----

static enum slice_worth worth_of(void *context, const struct slice_question *question)
{
    const struct restricted_solver *solver = context;
    const struct frame *frame = solver->frame;
    bool within = false;
    bool unused;
    if (question->square != NULL && question->type == PAWN)
        within = slice_at(frame, question->square, &unused) >= 0;
    else if (question->square != NULL)
        within = frame_combo(frame, question->square, false) != SIZE_MAX;
    return externals_worth(solver->externals, question, within, &unused);
}

static uint32_t slice_of(void *context, uint32_t slice, const uint8_t *square)
{
    const struct restricted_solver *solver = context;
    return solver->solved[solver->slice_number[slice]].dense[frame_combo(solver->frame, square, false)];
}

static int find_external(void *context, const struct slice_batch *batch, struct plane *plane, int side, bool won,
                         int ply)
{
    const struct restricted_solver *solver = context;
    const struct external_list *list = &solver->list[side];
    const size_t words = slab_of(solver);
    size_t count;
    const size_t first = external_list_range(list, ply < 0 ? 0 : value_code(won, ply), &count);
    uint64_t *bits = calloc(batch->slices * words, sizeof *bits);
    bool *any = calloc(batch->slices, sizeof *any);
    struct slab_import *imports = calloc(batch->slices, sizeof *imports);
    int code = bits == NULL || any == NULL || imports == NULL
                   ? error_memory(batch->slices * words * sizeof *bits, "moves of a restricted endgame")
                   : 0;
    size_t used = 0;
    for (size_t i = first; code == 0 && i < first + count; i++) {
        const uint64_t at = list->entry[i].at;
        bits[at / 64] |= UINT64_C(1) << at % 64;
        any[at / 64 / words] = true;
    }
    for (size_t slice = 0; code == 0 && slice < batch->slices; slice++) {
        if (any[slice])
            imports[used++] =
                (struct slab_import){.slice = slice, .where = IMPORT_ALL, .man = -1, .bits = bits + slice * words};
    }
    THEN(code, batch->backend->ops->import_slabs(batch->backend, plane, imports, used));
    free(bits);
    free(any);
    free(imports);
    return code;
}

static int next_external(void *context, int side, bool won, int ply)
{
    const struct restricted_solver *solver = context;
    uint16_t code = value_code(won, ply);
    while ((code = external_list_next(&solver->list[side], code)) != 0 && (code % 2 != 0) != won)
        code++;
    return code == 0 ? INT_MAX : code / 2 - 1;
}

// ---- step 5 ----

// The values of one side to move, by entry of the planes, from codes of solution.h to those of restricted/table.h.
struct decoding {
    const uint64_t *plane[1 + DISTANCE_PLANES_MAX]; // the bits of the codes, and the wins; NULL: all zero
    uint16_t value[2 * DISTANCE_CODES];             // [won * DISTANCE_CODES + code]
    size_t words;
    uint16_t *to; // [words * 64]
};

static int decode_words(void *context, uint64_t item, int worker)
{
    const struct decoding *decoding = context;
    const size_t first = item * DECODE_WORDS;
    const size_t end = first + DECODE_WORDS < decoding->words ? first + DECODE_WORDS : decoding->words;
    (void)worker;
    for (size_t w = first; w < end; w++) {
        uint64_t word[2][8] = {{0}}; // planes 0..7, 8..
        for (int i = 0; i <= DISTANCE_PLANES_MAX; i++)
            word[i / 8][i % 8] = decoding->plane[i] != NULL ? decoding->plane[i][w] : 0;
        const bool high = (word[1][0] | word[1][1]) != 0;
        for (unsigned byte = 0; byte < 8; byte++) {
            uint64_t low_codes = 0;
            uint64_t high_codes = 0;
            for (unsigned i = 0; i < 8; i++)
                low_codes |= (word[0][i] >> 8 * byte & 0xff) << 8 * i;
            low_codes = transpose8(low_codes);
            for (unsigned i = 0; high && i < 2; i++)
                high_codes |= (word[1][i] >> 8 * byte & 0xff) << 8 * i;
            high_codes = high ? transpose8(high_codes) : 0;
            const unsigned won = word[1][2] >> 8 * byte & 0xff;
            uint16_t *to = decoding->to + w * 64 + 8U * byte;
            for (unsigned i = 0; i < 8; i++) {
                const unsigned code = (unsigned)(low_codes >> 8 * i & 0xff) | (unsigned)(high_codes >> 8 * i & 3) << 8;
                to[i] = decoding->value[(won >> i & 1) * DISTANCE_CODES + code];
            }
        }
    }
    return 0;
}

// Values are put into the order of the index, for some of the digits of the first two pieces.
struct gathering {
    const struct frame *frame;
    const uint32_t *dense;
    const uint16_t *from;          // [batch slices][64^pieces]
    uint16_t *to;                  // [slice_entries]
    size_t part[SPEC_MEN_MAX][64]; // [piece][digit] of the entry's number; 0 for fixed pieces
    bool fixed;                    // there are fixed pieces
};

static void gather_from(const struct gathering *gathering, int piece, size_t at, uint64_t entry,
                        uint8_t where[SPEC_MEN_MAX])
{
    const struct frame *frame = gathering->frame;
    const struct restricted_index *index = frame->index;
    const size_t *part = gathering->part[piece];
    const uint32_t digits = index->digits[piece];
    const bool last = piece == index->pieces - 1;
    if (last && !gathering->fixed) {
        const uint16_t *from = gathering->from + ((size_t)gathering->dense[0] << 6 * frame->shape.pieces);
        for (uint32_t digit = 0; digit < digits; digit++)
            gathering->to[entry + digit] = from[at | part[digit]];
        return;
    }
    for (uint32_t digit = 0; digit < digits; digit++) {
        where[index->piece[piece]] = index->square[piece][digit];
        const uint64_t here = entry + digit * index->stride[piece];
        if (!last) {
            gather_from(gathering, piece + 1, at | part[digit], here, where);
            continue;
        }
        const size_t combo = frame_combo(frame, where, true);
        const uint32_t slice = combo == SIZE_MAX ? FRAME_NO_SLICE : gathering->dense[combo];
        gathering->to[here] = slice == FRAME_NO_SLICE
                                  ? RESTRICTED_ILLEGAL
                                  : gathering->from[((size_t)slice << 6 * frame->shape.pieces) + (at | part[digit])];
    }
}

static int gather_item(void *context, uint64_t item, int worker)
{
    const struct gathering *gathering = context;
    const struct restricted_index *index = gathering->frame->index;
    const uint64_t first = item / index->digits[1];
    const uint64_t second = item % index->digits[1];
    uint8_t where[SPEC_MEN_MAX] = {0};
    (void)worker;
    where[index->piece[0]] = index->square[0][first];
    where[index->piece[1]] = index->square[1][second];
    const size_t at = gathering->part[0][first] | gathering->part[1][second];
    const uint64_t entry = first * index->stride[0] + second * index->stride[1];
    if (index->pieces > 2)
        gather_from(gathering, 2, at, entry, where);
    else
        gathering->to[entry] = gathering->from[((size_t)gathering->dense[0] << 12) | at];
    return 0;
}

static void gather_parts(struct gathering *gathering)
{
    const struct frame *frame = gathering->frame;
    const struct restricted_index *index = frame->index;
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        gathering->fixed |= kind->fixed;
        for (int i = 0; !kind->fixed && i < kind->men; i++) {
            for (uint32_t digit = 0; digit < index->digits[kind->piece[i]]; digit++)
                gathering->part[kind->piece[i]][digit] =
                    frame_part(frame, kind->place[i], index->square[kind->piece[i]][digit]);
        }
    }
}

static int decode_side(struct restricted_solver *solver, const struct solution *solution, int side,
                       struct decoding *decoding)
{
    struct memory_pool *memory = threads_memory(solver->options->pool);
    const size_t bytes = decoding->words * sizeof(uint64_t);
    uint64_t *read[1 + DISTANCE_PLANES_MAX] = {NULL};
    int code = 0;
    for (int i = 0; code == 0 && i <= DISTANCE_PLANES_MAX; i++) {
        const struct plane *plane = i < DISTANCE_PLANES_MAX ? solution->distance[side][i] : solution->won[side];
        decoding->plane[i] = NULL;
        if (plane == NULL)
            continue;
        decoding->plane[i] = read[i] = memory_take(memory, bytes, NULL);
        code = read[i] == NULL ? error_memory(bytes, "solved slices")
                               : slice_read(solution->backend, plane, 0, solver->batch.slices, read[i]);
    }
    for (unsigned i = 0; i < DISTANCE_CODES; i++) {
        decoding->value[i] = solution->value[side][0][i];
        decoding->value[DISTANCE_CODES + i] = i == 0 ? RESTRICTED_ILLEGAL : solution->value[side][1][i];
    }
    THEN(code, threads_each(solver->options->pool, (decoding->words + DECODE_WORDS - 1) / DECODE_WORDS, decode_words,
                            decoding));
    for (int i = 0; i <= DISTANCE_PLANES_MAX; i++)
        memory_give(memory, read[i], bytes);
    return code;
}

// Finds all values of the batch: to[side to move] is [count][slice_entries].
static int find_values(struct restricted_solver *solver, const struct solution *solution, uint16_t *const to[COLOURS])
{
    const struct restricted_index *index = solver->frame->index;
    struct thread_pool *pool = solver->options->pool;
    const size_t words = solver->batch.slices * slab_of(solver);
    const size_t bytes = words * 64 * sizeof(uint16_t);
    struct decoding *decoding = calloc(1, sizeof *decoding);
    struct gathering *gathering = calloc(1, sizeof *gathering);
    uint16_t *decoded = memory_take(threads_memory(pool), bytes, NULL);
    int code = 0;
    if (decoding == NULL || gathering == NULL || decoded == NULL)
        code = error_memory(bytes, "the values of a restricted endgame");
    if (code == 0) {
        decoding->words = words;
        decoding->to = decoded;
        *gathering = (struct gathering){.frame = solver->frame, .from = decoded};
        gather_parts(gathering);
    }
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        code = decode_side(solver, solution, side, decoding);
        for (uint32_t i = 0; code == 0 && i < solver->count; i++) {
            gathering->dense = solver->solved[solver->first + i].dense;
            gathering->to = to[side] + i * index->slice_entries;
            code = threads_each(pool, (uint64_t)index->digits[0] * index->digits[1], gather_item, gathering);
        }
    }
    memory_give(threads_memory(pool), decoded, bytes);
    free(gathering);
    free(decoding);
    return code;
}

// `solution` == NULL: no entry is a position.
static int put_values(struct restricted_solver *solver, const struct solution *solution)
{
    const uint64_t entries = solver->frame->index->slice_entries;
    const size_t bytes = solver->count * entries * sizeof(uint16_t);
    uint16_t *values[COLOURS] = {NULL};
    int code = memory_new(&values[WHITE], bytes, 1, "the values of a restricted endgame");
    THEN(code, memory_new(&values[BLACK], bytes, 1, "the values of a restricted endgame"));
    for (int side = WHITE; code == 0 && solution == NULL && side <= BLACK; side++)
        memset(values[side], 0xff, bytes);
    if (code == 0 && solution != NULL)
        code = find_values(solver, solution, values);
    for (uint32_t i = 0; code == 0 && i < solver->count; i++) {
        uint16_t *const value[COLOURS] = {values[WHITE] + i * entries, values[BLACK] + i * entries};
        code = solver->options->put(solver->options->context, solver->first + i, value);
    }
    free(values[WHITE]);
    free(values[BLACK]);
    return code;
}

// ---- batches ----

// Makes the slices of the batch.
static int make_slices(struct restricted_solver *solver)
{
    const struct frame *frame = solver->frame;
    const size_t room = (size_t)solver->count * frame->combos;
    uint32_t slices = 0;
    TRY(memory_new(&solver->square, room, sizeof *solver->square, "a batch of slices"));
    TRY(memory_new(&solver->slice_number, room, sizeof *solver->slice_number, "a batch of slices"));
    for (uint32_t i = 0; i < solver->count; i++) {
        struct solved_slice *solved = &solver->solved[solver->first + i];
        TRY(memory_new(&solved->dense, frame->combos, sizeof *solved->dense, "a batch of slices"));
        for (size_t combo = 0; combo < frame->combos; combo++) {
            solved->dense[combo] = FRAME_NO_SLICE;
            if (!frame_place(frame, solver->first + i, combo, solver->square[slices]))
                continue;
            solver->slice_number[slices] = solver->first + i;
            solved->dense[combo] = slices++;
        }
    }
    solver->batch.slices = slices;
    solver->batch.square = (const uint8_t(*)[FIXED_MAX])solver->square;
    return 0;
}

// Makes the slices of the batch and its external moves.
static int make_batch(struct restricted_solver *solver)
{
    TRY(make_slices(solver));
    for (uint32_t i = 0; i < solver->count; i++) {
        for (int side = WHITE; side <= BLACK; side++)
            TRY(external_list_add(&solver->list[side], solver->externals, solver->frame, solver->first + i, side,
                                  solver->solved[solver->first + i].dense));
    }
    external_list_sort(&solver->list[WHITE]);
    external_list_sort(&solver->list[BLACK]);
    const bool external = solver->list[WHITE].count + solver->list[BLACK].count > 0;
    solver->rules.external = external ? find_external : NULL;
    solver->rules.next_external = next_external;
    return 0;
}

// Makes a place for the slabs of the batch.
static int new_group(struct restricted_solver *solver, struct solved_group **group)
{
    TRY(solved_groups_add(&solver->groups, solver->frame->index->slice[solver->first].advance, group));
    for (uint32_t i = 0; i < solver->count; i++)
        solver->solved[solver->first + i].group = *group;
    return 0;
}

// Can pawn moves from a slice or later ones lead to this batch?
static bool is_wanted(const struct restricted_solver *solver, uint32_t slice)
{
    const struct restricted_index *index = solver->frame->index;
    return slice < index->slices && index->slice[solver->first].advance <= index->slice[slice].advance + LEVELS;
}

static int finish_batch(struct restricted_solver *solver, struct solution *solution)
{
    const struct solved_slabs_options options = {.stalemate = false};
    struct solved_group *group;
    TRY(new_group(solver, &group));
    const bool wanted = is_wanted(solver, solver->first + solver->count);
    for (int side = WHITE; wanted && side <= BLACK; side++)
        TRY(solved_slabs_keep(&group->slabs, solver->paged, solution, side, solver->batch.slices, &options));
    return put_values(solver, solution);
}

// Notes in the work file that the batch is solved.
static int record_batch(struct restricted_solver *solver)
{
    const bool wanted = solver->batch.slices > 0 && is_wanted(solver, solver->first + solver->count);
    if (solver->work == NULL)
        return 0;
    return restricted_work_put_batch(solver->work, solver->first, solver->count,
                                     wanted ? &solver->groups.group->slabs : NULL,
                                     solver->batch.slices * slab_of(solver));
}

// Takes the batch from the work file.
static int restore_batch(struct restricted_solver *solver)
{
    const bool wanted = is_wanted(solver, restricted_work_done(solver->work));
    struct solved_group *group;
    if (wanted)
        TRY(make_slices(solver));
    if (wanted && solver->batch.slices > 0) {
        TRY(new_group(solver, &group));
        TRY(restricted_work_slabs(solver->work, solver->first, solver->count, solver->paged, &group->slabs,
                                  solver->batch.slices * slab_of(solver)));
    }
    for (uint32_t i = 0; i < solver->count; i++)
        TRY(solver->options->put(solver->options->context, solver->first + i, NULL));
    return 0;
}

static int solve_batch(struct restricted_solver *solver)
{
    const struct restricted_options *options = solver->options;
    const struct own_slabs own = {solver, find_own};
    const struct solver_options solving = {.keep_distance = {true, true},
                                           .keep_slabs = true,
                                           .last_attacker = WHITE,
                                           .progress = options->progress,
                                           .context = options->context};
    struct slice_batch *batch = &solver->batch;
    struct solution solution = {.backend = NULL};
    *batch = (struct slice_batch){.shape = solver->frame->shape,
                                  .slabs = solver->slabs,
                                  .own = &own,
                                  .rules = &solver->rules,
                                  .pool = options->pool};
    int code = make_batch(solver);
    if (code == 0 && batch->slices == 0) { // no fixed piece has a square that is free of pawns
        TRY(put_values(solver, NULL));
        return record_batch(solver);
    }
    for (int side = WHITE; code == 0 && side <= BLACK; side++)
        code = slice_batch_list(batch, side);
    THEN(code, slabs_make(solver->slabs));
    THEN(code, batch_solve(batch, METRIC_DTZ, options->open, options->context, &solving, &solution));
    THEN(code, finish_batch(solver, &solution));
    THEN(code, record_batch(solver));
    solution_free(&solution);
    slice_batch_free(batch);
    solved_groups_clear(&solver->groups);
    slabs_trim(solver->slabs, SLABS_BYTES);
    return code;
}

static void free_batch(struct restricted_solver *solver)
{
    free(solver->square);
    free(solver->slice_number);
    solver->square = NULL;
    solver->slice_number = NULL;
    for (int side = WHITE; side <= BLACK; side++) {
        free(solver->list[side].entry);
        solver->list[side] = (struct external_list){NULL, 0, 0};
    }
}

uint32_t restricted_solver_batch(const struct frame *frame)
{
    const size_t bytes = frame->combos * slab_words(frame->shape.pieces) * sizeof(uint64_t);
    return bytes < BATCH_BYTES ? (uint32_t)(BATCH_BYTES / bytes) : 1;
}

int restricted_solver_run(struct restricted_solver *solver, uint32_t first, uint32_t *count)
{
    const struct restricted_index *index = solver->frame->index;
    const uint32_t most = restricted_solver_batch(solver->frame);
    const int level = index->slice[first].advance;
    solver->first = first;
    solver->count = 1;
    while (solver->count < most && first + solver->count < index->slices &&
           index->slice[first + solver->count].advance == level)
        solver->count++;
    *count = solver->count;
    forget_levels(solver, level + LEVELS);
    const bool solved = solver->work != NULL && first < restricted_work_done(solver->work);
    int code = 0;
    for (uint32_t i = 0; code == 0 && !solved && i < solver->count; i++)
        code = externals_look(solver->externals, first + i, true);
    THEN(code, solved ? restore_batch(solver) : solve_batch(solver));
    for (uint32_t i = 0; i < solver->count; i++)
        externals_forget(solver->externals, first + i);
    free_batch(solver);
    return code;
}

uint64_t restricted_solver_memory(const struct frame *frame)
{
    const struct restricted_index *index = frame->index;
    const uint64_t slice = frame->combos * slab_words(frame->shape.pieces) * sizeof(uint64_t); // bytes of a plane
    uint64_t most = 0; // slices of a level and the two above it, at most
    uint64_t together = restricted_solver_batch(frame);
    for (uint32_t first = 0, end = 0; first < index->slices; first++) {
        while (end < index->slices && index->slice[end].advance >= index->slice[first].advance - LEVELS)
            end++;
        most = end - first > most ? end - first : most;
    }
    together = together < index->slices ? together : index->slices;
    return together * (slice * (BATCH_PLANES + 16) + index->slice_entries * 2 * sizeof(uint16_t)) +
           (index->pawns > 0 ? most * slice * KEPT_PLANES : 0);
}

// ---- opening ----

int restricted_solver_open(struct restricted_solver **result, const struct frame *frame, struct externals *externals,
                           struct restricted_work *work, const struct restricted_options *options)
{
    struct restricted_solver *solver;
    const struct spec *spec = &frame->index->spec;
    TRY(memory_new(result, 1, sizeof *solver, "a solver"));
    solver = *result;
    solver->frame = frame;
    solver->externals = externals;
    solver->work = work;
    solver->options = options;
    solver->values = (struct restricted_values){.value = solved_value, .context = solver};
    externals->solved = &solver->values;
    solver->stored =
        (struct stored_slabs){.folders = options->folders, .pool = options->pool, .cache_bytes = SECTIONS_BYTES};
    solver->source = stored_slabs_source(&solver->stored);
    solver->rules = (struct slice_rules){.context = solver,
                                         .worth = worth_of,
                                         .slice_of = slice_of,
                                         .zeroing = slice_rules_zeroing,
                                         .groups = frame->groups};
    memcpy(solver->rules.group, frame->group, sizeof frame->group);
    for (int side = WHITE; side <= BLACK; side++) {
        const int rule = spec_stalemate_rule(spec, side);
        solver->rules.stalemate_wins[side] = rule >= 0 && spec->rule[rule].prune == SPEC_CONCEDE;
        solver->rules.stalemate_loses[side] = rule >= 0 && spec->rule[rule].prune == SPEC_DISCARD;
    }
    int code = memory_new(&solver->solved, frame->index->slices, sizeof *solver->solved, "slices");
    THEN(code, paged_open(&solver->paged, threads_memory(options->pool), 0, NULL));
    THEN(code, slabs_open(&solver->slabs, &solver->source, solver->paged, options->pool, options->isa));
    if (code != 0) {
        restricted_solver_close(solver);
        *result = NULL;
    }
    return code;
}

void restricted_solver_close(struct restricted_solver *solver)
{
    if (solver == NULL)
        return;
    for (uint32_t i = 0; solver->solved != NULL && i < solver->frame->index->slices; i++) {
        free(solver->solved[i].dense);
    }
    solved_groups_forget(&solver->groups, -1);
    free_batch(solver);
    solved_groups_clear(&solver->groups);
    slabs_close(solver->slabs);
    paged_close(solver->paged);
    stored_slabs_close(&solver->stored);
    free(solver->solved);
    free(solver);
}
