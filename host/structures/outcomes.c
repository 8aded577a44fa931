// outcomes.c - the outcomes of solved structures: kept, written to a journal, and taken over when the graph changes
//
// When some bounded structures are to be solved as well, the graph changes. Structures of which no stale one can come
// keep their planes; those that were solved together with stale ones are copied.
#include "structures/outcomes.h"

#include "chess/attacks.h"
#include "solve/disk/slab_records.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const uint32_t NONE = UINT32_MAX;

// Some structures solved together.
struct outcomes_batch {
    struct solved_slabs slabs;
    size_t count;
    struct outcomes_batch *next;
    uint32_t first; // the first that another graph takes over,
    size_t taken;   // and how many these are
};

// Can a pawn have moved by a double step to where another one may capture it? Only then are stalemates needed.
static bool beside(const struct structure_key *key)
{
    const uint64_t middle = UINT64_C(0x000000ffff000000);
    const uint64_t black = key->pawns[BLACK];
    return (key->pawns[WHITE] & ((black << 1 & ~FILE_A) | (black >> 1 & ~FILE_H)) & middle) != 0;
}

// Records that the structures of a batch are solved.
static void note_batch(struct outcomes *outcomes, struct outcomes_batch *batch, int winner, const uint32_t *number,
                       size_t count)
{
    batch->count = count;
    const size_t slab = slab_words(structure_pieces(&outcomes->graph->structure[number[0]].key));
    for (size_t i = 0; i < count; i++) {
        const struct outcomes_place place = {batch, i * slab};
        outcomes->place[winner][number[i]] = place;
        if (outcomes->graph->structure[number[i]].exact)
            outcomes->place[winner ^ 1][number[i]] = place;
    }
}

static void free_batch(struct outcomes_batch *batch)
{
    solved_slabs_each(&batch->slabs, paged_free);
    free(batch);
}

static int new_places(struct outcomes *outcomes)
{
    outcomes->place[WHITE] = NULL;
    outcomes->place[BLACK] = NULL;
    for (int run = 0; run < STRUCTURE_RUNS; run++)
        TRY(memory_new(&outcomes->place[run], outcomes->graph->structures, sizeof *outcomes->place[run], "structures"));
    return 0;
}

static int new_batch(struct outcomes *outcomes, struct outcomes_batch **batch)
{
    TRY(memory_new(batch, 1, sizeof **batch, "structures"));
    (*batch)->next = outcomes->batch;
    outcomes->batch = *batch;
    return 0;
}

// ---- work that survives a kill ----

// A run solves one graph after the other, so the journal has the records of the first graph, then those of the second
// one, and so on. A run that resumes reads the records of each graph when it comes to that graph. If it comes to other
// graphs than the run before, for example because it has less memory, it cuts off the remaining records.

// The front of a record of the journal, which has a batch. Its data are the numbers of the structures and the slabs.
struct record_front {
    uint64_t graph; // hash
    uint32_t winner;
    uint32_t count;
    struct solved_slabs_front slabs;
};

static size_t words_of(const struct outcomes *outcomes, const uint32_t *number, size_t count)
{
    return count * slab_words(structure_pieces(&outcomes->graph->structure[number[0]].key));
}

static int write_record(struct outcomes *outcomes, const struct outcomes_batch *batch, int winner,
                        const uint32_t *number, size_t count)
{
    struct journal *journal = &outcomes->journal;
    struct record_front front = {.graph = outcomes->hash, .winner = (uint32_t)winner, .count = (uint32_t)count};
    if (journal->file < 0)
        return 0;
    TRY(journal_cut(journal));
    journal_begin(journal, sizeof front);
    int code = journal_write(journal, number, count * sizeof *number);
    THEN(code, solved_slabs_write(&batch->slabs, journal, words_of(outcomes, number, count), &front.slabs));
    return code == 0 ? journal_commit(journal, 0, &front) : journal_abandon(journal, code);
}

static int read_record(struct outcomes *outcomes, const struct journal_record *record)
{
    const struct structure_graph *graph = outcomes->graph;
    const struct record_front *front = record->front;
    struct outcomes_batch *batch;
    uint32_t *number;
    if (record->front_bytes != sizeof *front || front->count == 0 || front->count > graph->solved ||
        front->winner > BLACK)
        return error_set(CLTB_E_CORRUPT, "%s: a record is not valid", outcomes->journal.path);
    const size_t bytes = front->count * sizeof *number;
    TRY(memory_new(&number, front->count, sizeof *number, "structures"));
    int code = journal_read(&outcomes->journal, record->data, number, bytes);
    for (uint32_t i = 0; code == 0 && i < front->count; i++) {
        if (number[i] < graph->structures - graph->solved || number[i] >= graph->structures ||
            structure_pieces(&graph->structure[number[i]].key) != structure_pieces(&graph->structure[number[0]].key))
            code = error_set(CLTB_E_CORRUPT, "%s: a record is of other structures", outcomes->journal.path);
    }
    THEN(code, new_batch(outcomes, &batch));
    if (code == 0) {
        code = solved_slabs_read(&batch->slabs, outcomes->paged, &outcomes->journal, record->data + bytes,
                                 words_of(outcomes, number, front->count), &front->slabs);
        solved_slabs_each(&batch->slabs, paged_put);
    }
    if (code == 0) {
        note_batch(outcomes, batch, (int)front->winner, number, front->count);
        outcomes->resumed += front->count;
    }
    free(number);
    return code;
}

static uint64_t hash_of(const struct structure_graph *graph)
{
    uint64_t hash = XXH64(&graph->sets, sizeof graph->sets, graph->solved);
    for (size_t i = 0; i < graph->structures; i++)
        hash =
            XXH64(&graph->structure[i].key, sizeof graph->structure->key, hash ^ (uint64_t)graph->structure[i].state);
    return hash;
}

// Reads the records of the graph, and stops before the first one of another graph.
static int read_records(struct outcomes *outcomes)
{
    struct journal *journal = &outcomes->journal;
    bool ours = journal->file >= 0;
    while (ours) {
        const uint64_t start = journal->end;
        TRY(threads_check(outcomes->graph->pool, 0));
        struct journal_record record = {.front = NULL};
        enum journal_next next;
        TRY(journal_next(journal, &record, &next));
        const struct record_front *front = record.front;
        ours = next == JOURNAL_RECORD && (record.front_bytes != sizeof *front || front->graph == outcomes->hash);
        const int code = ours ? read_record(outcomes, &record) : 0;
        if (!ours)
            journal->end = start;
        free(record.front);
        TRY(code);
    }
    return 0;
}

static int open_journal(struct outcomes *outcomes, const char *scratch)
{
    const struct structure_graph *graph = outcomes->graph;
    const uint64_t about[] = {outcomes->hash, graph->structures, graph->solved, sizeof(struct record_front)};
    char path[PATH_MAX];
    enum journal_found found;
    TRY(folder_path(path, sizeof path, scratch, "cltb-solve-%016llx.work", (unsigned long long)outcomes->hash));
    TRY(journal_open(&outcomes->journal, path, about, sizeof about, &found));
    return found == JOURNAL_SAME ? read_records(outcomes) : journal_restart(&outcomes->journal, about, sizeof about);
}

// ---- keeping a batch ----

int outcomes_keep(struct outcomes *outcomes, struct solution *solution, int winner, const uint32_t *number,
                  size_t count)
{
    struct outcomes_batch *batch;
    struct solved_slabs_options options = {.release = true};
    TRY(new_batch(outcomes, &batch));
    int code = 0;
    for (size_t i = 0; i < count; i++)
        options.stalemate |= beside(&outcomes->graph->structure[number[i]].key);
    for (int side = WHITE; code == 0 && side <= BLACK; side++)
        code = solved_slabs_keep(&batch->slabs, outcomes->paged, solution, side, count, &options);
    solved_slabs_each(&batch->slabs, paged_put);
    TRY(code);
    note_batch(outcomes, batch, winner, number, count);
    return write_record(outcomes, batch, winner, number, count);
}

// ---- reading ----

int outcomes_slab(const struct outcomes *outcomes, int winner, size_t number, int side, struct slab *slab)
{
    const struct outcomes_place *place = &outcomes->place[winner][number];
    if (place->batch == NULL)
        return error_set(CLTB_E_MISMATCH, "a structure is wanted before it is solved");
    solved_slabs_view(&place->batch->slabs, side, place->at, slab);
    return 0;
}

int outcomes_look(const struct outcomes *outcomes, int winner, size_t number, int side, size_t bit, int *outcome)
{
    static const struct {
        enum slab_plane plane;
        int outcome;
    } planes[] = {{SLAB_WON, CLTB_WIN},
                  {SLAB_LOST, CLTB_LOSS},
                  {SLAB_WON_EVER, CLTB_CURSED_WIN},
                  {SLAB_LOST_EVER, CLTB_BLESSED_LOSS}};
    struct slab slab = {.cursed = false};
    TRY(outcomes_slab(outcomes, winner, number, side, &slab));
    *outcome = CLTB_DRAW;
    for (size_t i = 0; *outcome == CLTB_DRAW && i < sizeof planes / sizeof planes[0]; i++) {
        const struct slab_place *place = &slab.place[planes[i].plane];
        const void *start;
        TRY(paged_get(place->array, &start));
        if (((const uint64_t *)start)[place->at + bit / 64] >> bit % 64 & 1)
            *outcome = planes[i].outcome;
        paged_put(place->array);
    }
    return 0;
}

// ---- another graph ----

// Makes arrays for those structures only that are still wanted, which `next` links from the first one on. A number is
// that of a run and a structure: run * structures + structure.
static int copy_batch(struct outcomes *outcomes, const struct outcomes_batch *batch, const uint32_t *next)
{
    const size_t structures = outcomes->graph->structures;
    const size_t slab = slab_words(structure_pieces(&outcomes->graph->structure[batch->first % structures].key));
    struct outcomes_batch *copy;
    TRY(new_batch(outcomes, &copy));
    memcpy(copy->slabs.cursed, batch->slabs.cursed, sizeof copy->slabs.cursed);
    copy->count = batch->taken;
    int code = 0;
    for (int i = 0; code == 0 && i < COLOURS * SLAB_PLANES; i++) {
        const int side = i / SLAB_PLANES;
        const int plane = i % SLAB_PLANES;
        const void *from;
        uint64_t *to;
        if (batch->slabs.array[side][plane] == NULL || solved_slabs_twice(&batch->slabs, side, plane))
            continue;
        code = solved_slabs_new(&copy->slabs, outcomes->paged, side, (enum slab_plane)plane, batch->taken * slab, &to);
        THEN(code, paged_get(batch->slabs.array[side][plane], &from));
        if (code != 0)
            break;
        for (uint32_t n = batch->first; n != NONE; n = next[n], to += slab)
            memcpy(to, (const uint64_t *)from + outcomes->place[n / structures][n % structures].at, slab * sizeof *to);
        paged_put(batch->slabs.array[side][plane]);
        paged_put(copy->slabs.array[side][plane]);
    }
    TRY(code);
    solved_slabs_share(&copy->slabs);
    size_t at = 0;
    for (uint32_t n = batch->first; n != NONE; n = next[n], at += slab) {
        outcomes->place[n / structures][n % structures] = (struct outcomes_place){copy, at};
        if (outcomes->graph->structure[n % structures].exact)
            outcomes->place[BLACK][n % structures] = (struct outcomes_place){copy, at};
    }
    return 0;
}

// Gives the structures of the new graph that are not stale their old outcomes; *next links those of each batch.
static int take_over(struct outcomes *outcomes, struct outcomes_place *const *place,
                     const struct structure_graph *before, const uint8_t *stale, uint32_t *next)
{
    const struct structure_graph *graph = outcomes->graph;
    for (size_t n = 0; n < STRUCTURE_RUNS * graph->structures; n++) {
        const size_t run = n / graph->structures;
        const size_t i = n % graph->structures;
        next[n] = NONE;
        if (graph->structure[i].state != STRUCTURE_SOLVED || stale[i])
            continue;
        const struct outcomes_place taken = place[run][structure_find(before, &graph->structure[i].key)];
        outcomes->place[run][i] = taken;
        if (taken.batch == NULL || (run == BLACK && graph->structure[i].exact))
            continue;
        next[n] = taken.batch->first;
        taken.batch->first = (uint32_t)n;
        taken.batch->taken++;
    }
    return 0;
}

int outcomes_change(struct outcomes *outcomes, const struct structure_graph *before, const uint8_t *stale)
{
    struct outcomes_place *place[STRUCTURE_RUNS] = {outcomes->place[WHITE], outcomes->place[BLACK]};
    struct outcomes_batch *all = outcomes->batch;
    uint32_t *next = NULL;
    outcomes->hash = hash_of(outcomes->graph);
    int code = new_places(outcomes);
    THEN(code, memory_new(&next, STRUCTURE_RUNS * outcomes->graph->structures, sizeof *next, "structures"));
    for (struct outcomes_batch *batch = all; batch != NULL; batch = batch->next) {
        batch->first = NONE;
        batch->taken = 0;
    }
    THEN(code, take_over(outcomes, place, before, stale, next));
    outcomes->batch = NULL;
    while (all != NULL) {
        struct outcomes_batch *batch = all;
        all = batch->next;
        if (code == 0 && batch->taken == batch->count) {
            batch->next = outcomes->batch;
            outcomes->batch = batch;
            continue;
        }
        if (code == 0 && batch->taken > 0)
            code = copy_batch(outcomes, batch, next);
        free_batch(batch);
    }
    free(place[WHITE]);
    free(place[BLACK]);
    free(next);
    return code == 0 ? read_records(outcomes) : code;
}

// ---- opening and closing ----

int outcomes_open(struct outcomes *outcomes, const struct structure_graph *graph, struct paged *paged,
                  const char *scratch)
{
    *outcomes = (struct outcomes){.graph = graph, .paged = paged, .journal = {.file = -1}, .hash = hash_of(graph)};
    TRY(new_places(outcomes));
    return scratch != NULL ? open_journal(outcomes, scratch) : 0;
}

void outcomes_close(struct outcomes *outcomes, bool keep)
{
    journal_close(&outcomes->journal, keep);
    while (outcomes->batch != NULL) {
        struct outcomes_batch *next = outcomes->batch->next;
        free_batch(outcomes->batch);
        outcomes->batch = next;
    }
    free(outcomes->place[WHITE]);
    free(outcomes->place[BLACK]);
}
