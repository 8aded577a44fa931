// store.c - solves the structures of a graph, beginning with those that lead to no other one
//
// 1. The graph has the structures in an order in which they can be solved. Consecutive structures of one level
//    (structures_level()) are solved together, as a batch of slices: they have the same men, and none leads to another.
// 2. The moves of a batch lead to slabs of other structures, which have been solved by then; of tables; or of bounded
//    structures, in which one side wins unless a capture by the other side corrects that (solve/slab_make.c). Slabs of
//    tables do not depend on the winner, so they are kept through all runs, efforts and rounds.
// 3. After a promotion the slab has the new piece on one square, but the structure has it on every square. The slab's
//    part of the structure is picked out (views.h).
// 4. The batch is solved in the same way as a batch of a table (solve/iteration.h), and its outcomes are kept.
#include "structures/store.h"

#include "disk/paged.h"
#include "futurebase/stored_slabs.h"
#include "probe/probe.h"
#include "solve/batches.h"
#include "structures/keeping.h"
#include "structures/views.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/units.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 2 << 20,        // of one plane of a batch
    BATCH_PLANES = 32,            // a batch has at most so many planes
    DEVICE_BATCH_BYTES = 8 << 20, // of one plane of a batch on a device, which wants many work-items at a time
    TABLE_BATCH_BYTES = 32 << 20, // of the slabs of tables that a batch of several structures leads to,
    TABLE_PLANES = 5,             // of so many planes
    KEPT_BYTES = 128 << 20,       // of the slabs of tables, and of decompressed sections, that are kept,
    LIMIT_PARTS = 16,             // or one of so many parts of the memory, if that is less
    SLABS_BYTES = 64 << 20,       // of the slabs of bounded structures that are kept for later batches
    VALUES = 24,                  // the distances of at most so many structures are kept,
    VALUES_BYTES = 64 << 20,      // in at most so many bytes; those of one structure are kept in any case
    VALUES_PLANES = COLOURS * (1 + DISTANCE_PLANES_MAX),
    PROBES = 256 // after so many positions of tables, the memory of the process is looked at
};

// One structure, or the structures of a batch, with their distances.
struct values {
    struct values *next;
    uint32_t number;
    int winner;
    uint64_t *words; // [COLOURS][1 + DISTANCE_PLANES_MAX][structures][slab_words()]
    size_t bytes;
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES];
};

struct structure_store {
    const struct structure_graph *graph;
    const struct structure_limits *limits;
    const struct structure_options *options;
    struct paged *paged;
    struct stored_slabs stored;
    struct slab_source table_source;
    struct slabs *tables;      // slabs of tables
    struct slab_source source; // of solved structures, tables and bounded structures
    struct slabs *slabs;       // for the run of `winner`; NULL: not open
    int winner;
    struct outcomes outcomes;
    struct structure_views views;
    cltb_tables *probed;
    uint64_t probes;
    uint64_t held;           // bytes that the process held when memory was last trimmed, and some more
    struct values *values;   // the one used last comes first
    struct slab_shape shape; // of the current batch,
    bool on_device;          // which a device solves
    uint64_t too_large;      // the least plane of a batch that the device had no memory for
    bool finished;
};

size_t structure_tables_kept(uint64_t allowed)
{
    const uint64_t part = allowed / LIMIT_PARTS;
    return part > 0 && part < KEPT_BYTES ? (size_t)part : KEPT_BYTES;
}

// ---- step 2: what moves lead to ----

// Finds the structure to which a slab belongs. Returns true if one of the slab's fixed men is not a pawn.
static bool key_of(const struct slab_shape *shape, const uint8_t *square, struct structure_key *key)
{
    bool promoted = false;
    memset(key, 0, sizeof *key);
    for (int i = 0; i < shape->pieces; i++)
        key->pieces[shape->colour[i]][shape->type[i]]++;
    for (int i = 0; i < shape->fixed; i++) {
        if (shape->fixed_type[i] == PAWN) {
            key->pawns[shape->fixed_colour[i]] |= square_bit(square[i]);
        } else {
            key->pieces[shape->fixed_colour[i]][shape->fixed_type[i]]++;
            promoted = true;
        }
    }
    return promoted;
}

// Is the position in a solved structure, with all men within their sets? *number is the structure, or SIZE_MAX.
static bool is_solved(const struct structure_store *store, const struct position *position, size_t *number)
{
    const struct structure_key key = structure_of(position);
    *number = structure_find(store->graph, &key);
    return *number != SIZE_MAX && store->graph->structure[*number].state == STRUCTURE_SOLVED &&
           !structure_outside(store->graph, position);
}

static int find_slab(void *context, const struct slab_shape *shape, const uint8_t *square, int side,
                     const struct slab **slab)
{
    struct structure_store *store = context;
    struct structure_key key;
    const bool promoted = key_of(shape, square, &key);
    const size_t number = structure_find(store->graph, &key);
    const struct material material = slab_material(shape);
    struct structure_view *view;
    *slab = NULL;
    if (number == SIZE_MAX || store->graph->structure[number].state != STRUCTURE_SOLVED) {
        if (material_men(&material) == 2)
            return 0;
        if (structure_has_table(store->limits, material))
            return slabs_want(store->tables, shape, square, side, slab);
        const bool won = structure_can_win(&material, store->winner);
        return side != store->winner
                   ? 0
                   : structure_views_bound(&store->views, store->slabs, shape, square, side, won, slab);
    }
    TRY(structure_views_new(&store->views, &view));
    TRY(outcomes_slab(&store->outcomes, store->winner, number, side, &view->slab));
    if (promoted)
        TRY(structure_views_pick(&store->views, view, &key, shape, square, store->options->pool));
    *slab = &view->slab;
    return 0;
}

static int complete(void *context)
{
    struct structure_store *store = context;
    TRY(slabs_make(store->tables));
    return structure_views_fill(&store->views);
}

// The stored outcomes of bounded structures: slabs that have neither a solved structure nor a table, with the side to
// move that is not the winner.
static int load(void *context, const struct slab_shape *shape, int side, struct stored_slab *slabs, size_t count)
{
    struct structure_store *store = context;
    const struct material material = slab_material(shape);
    (void)side;
    if (!structure_can_win(&material, store->winner))
        return 0; // the bound is a draw
    for (size_t i = 0; i < count; i++)
        memset(slabs[i].lost, 0xff, slab_words(shape->pieces) * sizeof(uint64_t));
    return 0;
}

// ---- step 4: a batch ----

// Finds the slab that a pawn move without capture leads to.
static int find_push(void *context, const uint8_t *square, int side, const struct slab **slab)
{
    const struct structure_store *store = context;
    TRY(find_slab(context, &store->shape, square, side, slab));
    return *slab != NULL ? 0 : slabs_want(store->slabs, &store->shape, square, side, slab); // bounded
}

// Frees a list from some values on. Their memory is counted as the pool's, although it does not come from the pool.
static void free_values(struct structure_store *store, struct values **at)
{
    while (*at != NULL) {
        struct values *values = *at;
        *at = values->next;
        if (values->words != NULL)
            memory_unclaim(threads_memory(store->options->pool), values->bytes);
        free(values->words);
        free(values);
    }
}

static int read_values(struct structure_store *store, const struct solution *solution, size_t count,
                       struct values *values)
{
    const struct layout *layout = &solution->backend->layout;
    const size_t slab = count * slab_words(layout->pieces - layout->slice_digits);
    memcpy(values->value, solution->value, sizeof values->value);
    TRY(memory_new(&values->words, VALUES_PLANES * slab, sizeof(uint64_t), "a structure"));
    values->bytes = VALUES_PLANES * slab * sizeof(uint64_t);
    memory_claim(threads_memory(store->options->pool), values->bytes);
    uint64_t *to = values->words;
    for (int side = WHITE; side <= BLACK; side++) {
        TRY(slice_read(solution->backend, solution->won[side], 0, count, to));
        to += slab;
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++, to += slab) {
            if (solution->distance[side][bit] != NULL)
                TRY(slice_read(solution->backend, solution->distance[side][bit], 0, count, to));
        }
    }
    return 0;
}

static int open_backend(void *context, const struct layout *layout, struct backend **backend)
{
    const struct structure_store *store = context;
    const struct structure_options *options = store->options;
    *backend = NULL;
    if (store->on_device)
        TRY(options->open(options->context, layout, backend));
    if (*backend == NULL)
        return backend_cpu_open(backend, layout, options->pool, options->isa);
    (*backend)->pool = options->pool;
    return 0;
}

// Solves a listed batch. A device must be worth it, and have the memory.
static int run_batch(struct structure_store *store, struct slice_batch *batch, const struct solver_options *solver,
                     struct solution *solution)
{
    const uint64_t bytes = batch->slices * slab_words(batch->shape.pieces) * sizeof(uint64_t);
    store->on_device =
        store->options->open != NULL && bytes >= store->options->device_bytes && bytes < store->too_large;
    int code = batch_solve(batch, METRIC_DTZ, open_backend, store, solver, solution);
    if (code != CLTB_E_MEMORY || !store->on_device)
        return code;
    store->too_large = bytes;
    solution_free(solution);
    slice_batch_close(batch);
    store->on_device = false;
    return batch_solve(batch, METRIC_DTZ, open_backend, store, solver, solution);
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    const struct structure_options *options = context;
    (void)ply;
    return options->stopped != NULL && options->stopped(options->context);
}

// Solves some structures of one level. Keeps the outcomes, which other structures need, or, if `values` is not NULL,
// reads the values into it instead.
static int solve_batch(struct structure_store *store, const uint32_t *number, size_t count, struct values *values)
{
    const struct solver_options solver = {.keep_distance = {values != NULL, values != NULL},
                                          .keep_slabs = true,
                                          .last_attacker = WHITE,
                                          .progress = on_ply,
                                          .context = (void *)(uintptr_t)store->options};
    const struct own_slabs own = {store, find_push};
    struct keeping keeping;
    uint8_t(*squares)[FIXED_MAX];
    struct solution solution = {.backend = NULL};
    TRY(memory_new(&squares, count, sizeof *squares, "a batch of structures"));
    for (size_t i = 0; i < count; i++)
        structure_shape(&store->graph->structure[number[i]].key, &store->shape, squares[i]);
    keeping_find(&keeping, &store->graph->sets, &store->shape, store->winner);
    struct slice_batch batch = {.shape = store->shape,
                                .slices = count,
                                .square = (const uint8_t(*)[FIXED_MAX])squares,
                                .slabs = store->slabs,
                                .own = &own,
                                .pool = store->options->pool};
    int code = slice_batch_list(&batch, WHITE);
    THEN(code, slice_batch_list(&batch, BLACK));
    THEN(code, slabs_make(store->slabs));
    THEN(code, complete(store));
    // Only quiet moves out of the sets follow rules; all other moves have been listed.
    batch.rules = keeping.rules.groups > 0 ? &keeping.rules : NULL;
    THEN(code, run_batch(store, &batch, &solver, &solution));
    if (code == 0 && values == NULL && keeping.rules.groups > 0)
        code = keeping_win_outside(&keeping, &batch.zeroing, &solution);
    THEN(code, values != NULL ? read_values(store, &solution, count, values)
                              : outcomes_keep(&store->outcomes, &solution, store->winner, number, count));
    solution_free(&solution);
    slice_batch_free(&batch);
    structure_views_clear(&store->views);
    slabs_trim(store->slabs, SLABS_BYTES);
    slabs_trim(store->tables, store->stored.cache_bytes);
    free(squares);
    return code;
}

// Solves some structures of one level again, with their distances.
static int new_values(struct structure_store *store, const uint32_t *number, size_t count, struct values **values)
{
    TRY(memory_new(values, 1, sizeof **values, "structures"));
    const int code = solve_batch(store, number, count, *values);
    if (code != 0)
        free_values(store, values);
    return code;
}

// ---- step 1 ----

static int choose_winner(struct structure_store *store, int winner)
{
    if (store->slabs != NULL && store->winner == winner)
        return 0;
    slabs_close(store->slabs);
    store->slabs = NULL;
    store->winner = winner;
    return slabs_open(&store->slabs, &store->source, store->paged, store->options->pool, store->options->isa);
}

// Is a batch complete with structure `last`? `table_words`: of all its structures.
static bool is_full(const struct structure_graph *graph, size_t last, size_t count, uint64_t table_words, size_t bytes)
{
    const size_t slab = slab_words(structure_pieces(&graph->structure[last].key)) * sizeof(uint64_t);
    return count == (slab < bytes ? bytes / slab : 1) ||
           table_words * TABLE_PLANES * sizeof(uint64_t) >= TABLE_BATCH_BYTES;
}

// Calls work() for batches of the structures that wanted() selects, in the order in which they can be solved. A plane
// of a batch has at most `bytes` bytes, unless a single structure needs more.
static int each_batch(struct structure_store *store, size_t bytes,
                      bool (*wanted)(const struct structure_store *store, size_t number),
                      int (*work)(struct structure_store *store, const uint32_t *number, size_t count, void *context),
                      void *context)
{
    const struct structure_graph *graph = store->graph;
    const size_t start = graph->structures - graph->solved;
    uint32_t *list;
    TRY(memory_new(&list, graph->structures, sizeof *list, "structures"));
    int code = 0;
    size_t count = 0;
    uint64_t table_words = 0;
    for (size_t i = start; code == 0 && i <= graph->structures; i++) {
        const struct structure *next = i < graph->structures ? &graph->structure[i] : NULL;
        const struct structure_key *first = count > 0 ? &graph->structure[list[0]].key : NULL;
        if (count > 0 && (next == NULL || is_full(graph, list[0], count, table_words, bytes) ||
                          !structures_level(first, &next->key))) {
            code = work(store, list, count, context);
            count = 0;
            table_words = 0;
            if (code == 0 && store->options->progress != NULL &&
                store->options->progress(store->options->context, i - start, graph->solved) != 0)
                code = error_set(CLTB_E_INTERRUPTED, "interrupted");
        }
        if (next != NULL && wanted(store, i)) {
            list[count++] = (uint32_t)i;
            table_words += next->table_words;
        }
    }
    free(list);
    return code;
}

static bool is_unsolved(const struct structure_store *store, size_t number)
{
    return !outcomes_has(&store->outcomes, store->winner, number);
}

// Frees what can be found again if the process holds more memory than allowed. What arrays, and tables that are probed,
// will take is an estimate.
static int keep_to_memory(struct structure_store *store)
{
    const uint64_t allowed = store->options->allowed;
    const uint64_t held = allowed > 0 ? os_held_memory() : 0;
    if (held > allowed && held > store->held) {
        TRY(structure_store_trim(store));
        store->held = os_held_memory() + allowed / 32;
    }
    return 0;
}

// Without a file, solved structures stay in memory: what outgrows it ends here.
static int solve_and_keep(struct structure_store *store, const uint32_t *number, size_t count, void *context)
{
    const uint64_t allowed = store->options->allowed;
    (void)context;
    TRY(solve_batch(store, number, count, NULL));
    TRY(keep_to_memory(store));
    return store->options->scratch != NULL || allowed == 0 || os_held_memory() <= allowed + allowed / 32
               ? 0
               : error_set(CLTB_E_MEMORY, "out of memory: %zu structures need more than %s", store->graph->solved,
                           unit_bytes(allowed).text);
}

int structure_store_solve(struct structure_store *store, int winner)
{
    const size_t bytes = store->options->open != NULL ? DEVICE_BATCH_BYTES : BATCH_BYTES;
    TRY(choose_winner(store, winner));
    TRY(each_batch(store, bytes, is_unsolved, solve_and_keep, NULL));
    store->finished = winner == BLACK || store->graph->inexact == 0;
    return 0;
}

// ---- all values ----

struct visit {
    int (*visit)(void *context, const struct structure_batch *batch);
    void *context;
};

static bool is_of_run(const struct structure_store *store, size_t number)
{
    return store->winner == WHITE || !store->graph->structure[number].exact;
}

static int visit_values(struct structure_store *store, const uint32_t *number, size_t count, void *context)
{
    const struct visit *visit = context;
    struct values *values;
    TRY(new_values(store, number, count, &values));
    const struct structure_batch batch = {store->winner, number,
                                          count,         structure_pieces(&store->graph->structure[number[0]].key),
                                          values->words, (const solver_value(*)[COLOURS][DISTANCE_CODES])values->value};
    const int code = visit->visit(visit->context, &batch);
    free_values(store, &values);
    return code;
}

int structure_store_each(struct structure_store *store, int winner,
                         int (*visit)(void *context, const struct structure_batch *batch), void *context)
{
    struct visit visitor = {visit, context};
    TRY(choose_winner(store, winner));
    return each_batch(store, BATCH_BYTES / 2, is_of_run, visit_values, &visitor);
}

size_t structure_entry_part(int pieces, int place, int square)
{
    const size_t code = square_code[square];
    const unsigned below = 3U * (unsigned)(pieces - 1 - place); // bits of the lower digits
    return code >> 3 << (3U * (unsigned)pieces + below) | (code & 7) << below;
}

solver_value structure_batch_value(const struct structure_batch *batch, size_t i, int side, size_t entry)
{
    const size_t slab = slab_words(batch->pieces);
    const size_t plane = batch->count * slab;
    const uint64_t *at = batch->words + (side == BLACK ? (1 + DISTANCE_PLANES_MAX) * plane : 0) + i * slab + entry / 64;
    const unsigned won = at[0] >> entry % 64 & 1;
    unsigned code = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        code |= (unsigned)(at[(size_t)(bit + 1) * plane] >> entry % 64 & 1) << bit;
    return code != 0 ? batch->value[side][won][code] : won ? STRUCTURE_ILLEGAL : 0;
}

// ---- single values ----

static int find_values(struct structure_store *store, uint32_t number, const struct values **found)
{
    const struct structure *structure = &store->graph->structure[number];
    const int winner = structure->exact ? WHITE : store->winner;
    struct values **at = &store->values;
    while (*at != NULL && ((*at)->number != number || (*at)->winner != winner))
        at = &(*at)->next;
    struct values *values = *at;
    if (values != NULL) {
        *at = values->next;
    } else {
        size_t bytes = VALUES_PLANES * slab_words(structure_pieces(&structure->key)) * sizeof(uint64_t);
        at = &store->values;
        for (int kept = 1; *at != NULL && kept < VALUES && bytes + (*at)->bytes <= VALUES_BYTES; kept++) {
            bytes += (*at)->bytes;
            at = &(*at)->next;
        }
        free_values(store, at);
        TRY(new_values(store, &number, 1, &values));
        values->number = number;
        values->winner = winner;
    }
    values->next = store->values;
    store->values = values;
    *found = values;
    return 0;
}

// The bit of a position in a slab of its structure.
static size_t entry_of(const struct slab_shape *shape, const struct position *position)
{
    int used[COLOURS][PIECE_TYPES] = {{0}};
    size_t entry = 0;
    for (int i = 0; i < shape->pieces; i++) {
        const int colour = shape->colour[i];
        const int type = shape->type[i];
        entry |= structure_entry_part(shape->pieces, i, position->list[colour][type][used[colour][type]++]);
    }
    return entry;
}

// The outcome, without solving the structure again.
static int solved_outcome(const struct structure_store *store, int winner, size_t number,
                          const struct position *position, int *outcome)
{
    struct slab_shape shape;
    uint8_t square[FIXED_MAX];
    structure_shape(&store->graph->structure[number].key, &shape, square);
    return outcomes_look(&store->outcomes, winner, number, position->side, entry_of(&shape, position), outcome);
}

static int solved_value(struct structure_store *store, int winner, size_t number, const struct position *position,
                        struct cltb_value *value)
{
    const uint32_t one = (uint32_t)number;
    const struct values *values;
    struct slab_shape shape;
    uint8_t square[FIXED_MAX];
    TRY(choose_winner(store, winner));
    TRY(find_values(store, one, &values));
    structure_shape(&store->graph->structure[number].key, &shape, square);
    const struct structure_batch batch = {
        store->winner, &one,          1,
        shape.pieces,  values->words, (const solver_value(*)[COLOURS][DISTANCE_CODES])values->value};
    const solver_value found = structure_batch_value(&batch, 0, position->side, entry_of(&shape, position));
    if (found == STRUCTURE_ILLEGAL)
        return error_set(CLTB_E_MISMATCH, "a solved structure marks a legal position as illegal");
    *value = value_of_code(found);
    return 0;
}

static int open_probed(struct structure_store *store)
{
    const struct cltb_options options = {.cache_bytes = store->stored.cache_bytes};
    return cltb_open(&store->probed, store->options->folders, &options);
}

int structure_store_trim(struct structure_store *store)
{
    free_values(store, &store->values);
    if (store->slabs != NULL)
        slabs_trim(store->slabs, 0);
    memory_pool_shrink(threads_memory(store->options->pool), 0);
    cltb_close(store->probed);
    store->probed = NULL;
    memory_trim();
    return open_probed(store);
}

static int probe(struct structure_store *store, struct position *position, struct cltb_value *value)
{
    if (++store->probes % PROBES == 0)
        TRY(keep_to_memory(store));
    return probe_value(store->probed, position, value);
}

static int known_value(const struct structure_values *values, int winner, struct position *position,
                       struct cltb_value *value, enum structure_state *state)
{
    struct structure_store *store = values->context;
    size_t number;
    *state = STRUCTURE_TABLE;
    if (structure_has_table(store->limits, material_of(position)))
        return values->outcomes ? probe_outcome(store->probed, position, &value->outcome)
                                : probe(store, position, value);
    *state = STRUCTURE_BOUNDED;
    if (!is_solved(store, position, &number))
        return 0;
    *state = STRUCTURE_SOLVED;
    return values->outcomes ? solved_outcome(store, winner, number, position, &value->outcome)
                            : solved_value(store, winner, number, position, value);
}

struct structure_values structure_store_values(struct structure_store *store, bool outcomes)
{
    return (struct structure_values){store, store->graph->inexact > 0, outcomes, known_value};
}

// ---- opening and closing ----

const struct structure_graph *structure_store_graph(const struct structure_store *store)
{
    return store->graph;
}

const struct structure_limits *structure_store_limits(const struct structure_store *store)
{
    return store->limits;
}

uint64_t structure_store_table_entries(const struct structure_store *store)
{
    return store->stored.entries;
}

size_t structure_store_resumed(const struct structure_store *store)
{
    return store->outcomes.resumed;
}

const char *structure_store_work(const struct structure_store *store)
{
    return store->outcomes.journal.file >= 0 ? store->outcomes.journal.path : NULL;
}

// Without a file nothing but what is kept for reuse can be freed.
static void limit_memory(struct structure_store *store)
{
    const size_t limit = (size_t)store->options->memory;
    paged_allow(store->paged, limit);
    if (store->options->scratch == NULL)
        memory_pool_limit(threads_memory(store->options->pool), limit, NULL, NULL);
}

int structure_store_change(struct structure_store *store, const struct structure_graph *before)
{
    uint8_t *stale;
    TRY(memory_new(&stale, store->graph->structures, sizeof *stale, "structures"));
    int code = structure_graph_stale((struct structure_graph *)(uintptr_t)store->graph, before, stale);
    slabs_close(store->slabs); // they may include structures that are no longer bounded
    store->slabs = NULL;
    store->finished = false;
    limit_memory(store);
    THEN(code, structure_store_trim(store));
    THEN(code, outcomes_change(&store->outcomes, before, stale));
    free(stale);
    return code;
}

struct structure_memory structure_memory(const struct structure_graph *graph)
{
    enum {
        KEPT_PLANES = 6,
        MOVE_BYTES = 8192,
        EACH = sizeof(struct structure) + STRUCTURE_RUNS * sizeof(struct outcomes_place)
    };
    struct structure_memory memory = {.graph = graph->structures * EACH + graph->buckets * sizeof *graph->bucket};
    uint64_t values = 0;
    uint64_t bytes = 0;  // that are kept of the batch
    size_t batch = 0;    // structures in the batch so far
    uint64_t tables = 0; // and their words of slabs of tables
    for (size_t i = graph->structures - graph->solved; i < graph->structures; i++) {
        const struct structure_key *key = &graph->structure[i].key;
        const uint64_t slab = slab_words(structure_pieces(key)) * sizeof(uint64_t);
        const bool joins = batch > 0 && !is_full(graph, i - 1, batch, tables, BATCH_BYTES) &&
                           structures_level(&graph->structure[i - 1].key, key);
        batch = joins ? batch + 1 : 1;
        tables = graph->structure[i].table_words + (joins ? tables : 0);
        const uint64_t planes =
            batch * BATCH_PLANES > BATCH_PLANES + VALUES_PLANES ? batch * BATCH_PLANES : BATCH_PLANES + VALUES_PLANES;
        const uint64_t work = slab * planes + batch * MOVE_BYTES + tables * TABLE_PLANES * sizeof(uint64_t);
        bytes += slab * KEPT_PLANES * (graph->structure[i].exact ? 1 : 2);
        if (i + 1 == graph->structures || is_full(graph, i, batch, tables, BATCH_BYTES) ||
            !structures_level(key, &graph->structure[i + 1].key)) {
            *(batch * slab < PAGED_LEAVES_MIN ? &memory.small : &memory.kept) += bytes;
            bytes = 0;
        }
        memory.work = work > memory.work ? work : memory.work;
        values += slab * VALUES_PLANES;
    }
    // A quarter more for slabs of bounded structures and spare arrays, as measured.
    memory.small += memory.small / 4;
    memory.kept += memory.kept / 4;
    memory.work += values < VALUES_BYTES ? values : VALUES_BYTES;
    return memory;
}

int structure_store_open(struct structure_store **result, const struct structure_graph *graph,
                         const struct structure_limits *limits, const struct structure_options *options)
{
    struct structure_store *store;
    TRY(memory_new(result, 1, sizeof *store, "structures"));
    store = *result;
    store->graph = graph;
    store->limits = limits;
    store->options = options;
    store->too_large = UINT64_MAX;
    store->outcomes.journal.file = -1;
    store->source =
        (struct slab_source){.context = store, .load = load, .find = find_slab, .complete = complete, .bounds = true};
    store->stored = (struct stored_slabs){
        .folders = options->folders, .pool = options->pool, .cache_bytes = structure_tables_kept(options->allowed)};
    store->table_source = stored_slabs_source(&store->stored);
    int code = open_probed(store);
    THEN(code, paged_open(&store->paged, threads_memory(options->pool),
                          options->scratch != NULL ? (size_t)options->memory : 0, options->scratch));
    if (code == 0)
        limit_memory(store);
    store->views.paged = store->paged;
    THEN(code, slabs_open(&store->tables, &store->table_source, store->paged, options->pool, options->isa));
    THEN(code, outcomes_open(&store->outcomes, graph, store->paged, options->scratch));
    if (code != 0) {
        structure_store_close(store, true);
        *result = NULL;
    }
    return code;
}

void structure_store_close(struct structure_store *store, bool keep)
{
    if (store == NULL)
        return;
    structure_views_close(&store->views);
    slabs_close(store->slabs);
    slabs_close(store->tables);
    stored_slabs_close(&store->stored);
    outcomes_close(&store->outcomes, keep || !store->finished);
    free_values(store, &store->values);
    paged_close(store->paged);
    cltb_close(store->probed);
    free(store);
}
