// slice_store.c - the work file of a table with pawns: the slices that are solved so far
//
// A record of the journal is one batch:
//
//     front     struct front_head, slice_entry [count], chunk_entry [chunks], the values (a zstd frame), what was found
//               in the batch (statistics)
//     data      the chunks, a zstd frame each, in any order
//
// The planes of a slice for one side to move are laid end to end and cut into chunks of 1 MiB, so that a single slice
// can be read back and all threads work on a large one. Each thread writes the chunks that it has compressed, and
// compares hashes of chunks when the file is opened.
#include "make/slice_store.h"

#include "disk/journal.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    // Increase it with every change of the records, of the order of planes, slices and entries, or of the solver's
    // results.
    STORE_VERSION = 4,
    RECORD_SLICES = 1, // the only kind
    CHUNK_BYTES = 1 << 20,
    LEVEL = 1,                                              // planes are read back once or twice;
    QUICK_LEVEL = -50,                                      // for small files: 362 MiB instead of 202 for KRPvKR,
                                                            // but 0.92 of the CPU time of the build
    QUICK_PLANE = 2 << 20,                                  // bytes
    THREAD_ITEMS = 4,                                       // for each thread, or more, if there are enough chunks
    SYNC_SECONDS = 10,                                      // only needed in case the power fails
    PLANES = sizeof(struct slice_side) / sizeof(uint64_t *) // in the order of its fields
};

// What a work file is about.
struct about {
    uint32_t version;
    uint32_t value_bytes; // of struct slice_values
    char material[MATERIAL_NAME_MAX];
    uint64_t words;  // of a plane
    uint32_t slices; //
    uint32_t kept;   // bits: distances White, distances Black, resolved, found
};

struct front_head {
    uint32_t count;  // slices
    uint32_t chunks; //
    uint64_t value_bytes;
    uint64_t found_bytes;
};

struct slice_entry {
    uint32_t slice;
    uint16_t planes[COLOURS]; // bit mask of the planes that it has
};

struct chunk_entry {
    uint64_t place; // in the data; in memory in the file
    uint64_t hash;  // XXH64
    uint64_t bytes;
};

_Static_assert(sizeof(struct front_head) == 24 && sizeof(struct slice_entry) == 8 && sizeof(struct chunk_entry) == 24,
               "no padding in the file");
_Static_assert(sizeof(struct slice_side) == (3 + DISTANCE_PLANES_MAX) * sizeof(uint64_t *),
               "a side is a list of planes");
_Static_assert(PLANES <= 8 * sizeof(((struct slice_entry *)NULL)->planes[0]), "a bit for each plane");

// The parts of a record's front in memory.
struct front {
    struct front_head *head;
    struct slice_entry *entry; // [count]
    struct chunk_entry *chunk; // [chunks]
    uint8_t *values;           // [value_bytes]
    uint8_t *found;            // [found_bytes]
};

// The place of a slice.
struct place {
    const struct record *record; // NULL: the file does not have it
    const struct chunk_entry *chunk[COLOURS];
    uint16_t planes[COLOURS];
};

// The part of a record that stays in memory.
struct record {
    struct record *next;
    struct slice_parcel parcel;
    struct slice_values values;
    uint64_t found;       // where it is in the file
    uint64_t found_bytes; //
    struct chunk_entry chunk[];
};

struct worker {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
    uint8_t *plain;  // [CHUNK_BYTES]
    uint8_t *packed; // [ZSTD_compressBound(CHUNK_BYTES)]
};

struct raw {
    uint8_t *bytes;
    size_t size;
};

struct slice_store {
    struct journal journal;
    struct about about;
    uint32_t found;
    struct place *place; // [about.slices]
    struct record *records;
    struct thread_pool *pool;
    struct compressed *load;      // while slices are read back
    struct worker *worker;        // [threads]
    struct raw raw[COLOURS];      // planes that have been read back
    struct peer_bytes found_next; // slice_store_attach()
    double synced;                // seconds
};

static size_t plane_bytes(const struct slice_store *store)
{
    return store->about.words * sizeof(uint64_t);
}

static uint64_t side_bytes(const struct slice_store *store, unsigned planes)
{
    return (uint64_t)__builtin_popcount(planes) * plane_bytes(store);
}

static uint64_t side_chunks(const struct slice_store *store, unsigned planes)
{
    return (side_bytes(store, planes) + CHUNK_BYTES - 1) / CHUNK_BYTES;
}

static size_t chunk_length(const struct slice_store *store, unsigned planes, uint64_t chunk)
{
    const uint64_t left = side_bytes(store, planes) - chunk * CHUNK_BYTES;
    return left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
}

static uint64_t front_bytes(const struct front_head *head)
{
    return sizeof *head + (uint64_t)head->count * sizeof(struct slice_entry) +
           (uint64_t)head->chunks * sizeof(struct chunk_entry) + head->value_bytes + head->found_bytes;
}

static struct front front_at(void *memory)
{
    struct front front = {.head = memory};
    front.entry = (struct slice_entry *)(front.head + 1);
    front.chunk = (struct chunk_entry *)(front.entry + front.head->count);
    front.values = (uint8_t *)(front.chunk + front.head->chunks);
    front.found = front.values + front.head->value_bytes;
    return front;
}

// ---- records ----

// Notes the places of the slices in the last record, which begins at `start`, with its data at `data`.
static int add_record(struct slice_store *store, const struct front *front, uint64_t start, uint64_t data,
                      const struct slice_values *values)
{
    struct record *record;
    TRY(memory_new(&record, 1, sizeof *record + front->head->chunks * sizeof *record->chunk, "solved slices"));
    record->values = *values;
    record->parcel = (struct slice_parcel){start, store->journal.end - start, front->head->count};
    record->found_bytes = front->head->found_bytes;
    record->found = data - record->found_bytes; // it ends the front
    for (uint32_t i = 0; i < front->head->chunks; i++) {
        record->chunk[i] = front->chunk[i];
        record->chunk[i].place += data;
    }
    record->next = store->records;
    store->records = record;
    const struct chunk_entry *chunk = record->chunk;
    for (uint32_t i = 0; i < front->head->count; i++) {
        struct place *place = &store->place[front->entry[i].slice];
        store->found += place->record == NULL;
        place->record = record;
        for (int side = WHITE; side <= BLACK; side++) {
            place->planes[side] = front->entry[i].planes[side];
            place->chunk[side] = chunk;
            chunk += side_chunks(store, place->planes[side]);
        }
    }
    return 0;
}

// Do the parts of a record fit together?
static bool record_fits(const struct slice_store *store, const struct journal_record *record, const struct front *front)
{
    uint64_t chunks = 0;
    if (record->kind != RECORD_SLICES || record->front_bytes < sizeof *front->head ||
        front->head->value_bytes > record->front_bytes || front->head->found_bytes > record->front_bytes ||
        front_bytes(front->head) != record->front_bytes)
        return false;
    for (uint32_t i = 0; i < front->head->count; i++) {
        if (front->entry[i].slice >= store->about.slices)
            return false;
        for (int side = WHITE; side <= BLACK; side++) {
            if (!(front->entry[i].planes[side] & 1) || front->entry[i].planes[side] >> PLANES != 0)
                return false; // the first plane, the wins, is always present
            chunks += side_chunks(store, front->entry[i].planes[side]);
        }
    }
    if (chunks != front->head->chunks)
        return false;
    for (uint32_t i = 0; i < front->head->chunks; i++) {
        const struct chunk_entry *chunk = &front->chunk[i];
        if (chunk->bytes > ZSTD_compressBound(CHUNK_BYTES) || chunk->bytes > record->data_bytes ||
            chunk->place > record->data_bytes - chunk->bytes)
            return false;
    }
    return true;
}

struct check {
    const struct slice_store *store;
    const struct chunk_entry *chunk;
    uint64_t data; // in the file
};

static int check_chunk(void *context, uint64_t item, int worker)
{
    const struct check *check = context;
    const struct journal *journal = &check->store->journal;
    const struct chunk_entry *chunk = &check->chunk[item];
    uint8_t *packed = check->store->worker[worker].packed;
    TRY(journal_read(journal, check->data + chunk->place, packed, chunk->bytes));
    if (XXH64(packed, chunk->bytes, 0) != chunk->hash)
        return error_set(CLTB_E_CORRUPT, "%s is damaged", journal->path);
    return 0;
}

// Checks the last record.
static int check_record(const struct slice_store *store, const struct journal_record *record,
                        struct slice_values *values, bool *good)
{
    const struct front front = front_at(record->front);
    *good = record_fits(store, record, &front) &&
            ZSTD_decompress(values, sizeof *values, front.values, front.head->value_bytes) == sizeof *values &&
            solver_values_fit(values->value, values->longest);
    struct check check = {store, front.chunk, record->data};
    const int code = *good ? threads_each(store->pool, front.head->chunks, check_chunk, &check) : 0;
    *good &= code == 0;
    return code == CLTB_E_CORRUPT ? 0 : code;
}

// Takes the next record if there is an intact one; otherwise the journal's end does not change.
static int take_record(struct slice_store *store, bool *good)
{
    const uint64_t start = store->journal.end;
    struct journal_record record;
    struct slice_values values;
    enum journal_next next;
    TRY(journal_next(&store->journal, &record, &next));
    *good = next == JOURNAL_RECORD;
    if (!*good)
        return 0;
    int code = check_record(store, &record, &values, good);
    if (*good) {
        const struct front front = front_at(record.front);
        code = add_record(store, &front, start, record.data, &values);
    }
    free(record.front);
    if (!*good)
        store->journal.end = start;
    return code;
}

// Finds the intact records and cuts off the rest.
static int find_records(struct slice_store *store)
{
    bool good;
    do
        TRY(take_record(store, &good));
    while (good);
    return journal_cut(&store->journal);
}

// ---- opening and closing ----

static int open_workers(struct slice_store *store)
{
    const int threads = threads_count(store->pool);
    const int level = plane_bytes(store) <= QUICK_PLANE ? QUICK_LEVEL : LEVEL;
    TRY(memory_new(&store->worker, (size_t)threads, sizeof *store->worker, "compression"));
    for (int i = 0; i < threads; i++) {
        struct worker *worker = &store->worker[i];
        worker->compress = ZSTD_createCCtx();
        worker->decompress = ZSTD_createDCtx();
        worker->plain = malloc(CHUNK_BYTES);
        worker->packed = malloc(ZSTD_compressBound(CHUNK_BYTES));
        if (worker->compress == NULL || worker->decompress == NULL || worker->plain == NULL || worker->packed == NULL)
            return error_memory(ZSTD_compressBound(CHUNK_BYTES), "compression");
        ZSTD_CCtx_setParameter(worker->compress, ZSTD_c_compressionLevel, level);
    }
    return 0;
}

static void release(void *context)
{
    struct slice_store *store = context;
    for (int side = WHITE; side <= BLACK; side++) {
        memory_give(threads_memory(store->pool), store->raw[side].bytes, store->raw[side].size);
        store->raw[side] = (struct raw){NULL, 0};
    }
}

int slice_store_open(struct slice_store **result, const struct slice_store_options *options)
{
    const struct material *material = options->material;
    const int pieces = material_men(material) - material->count[WHITE][PAWN] - material->count[BLACK][PAWN];
    enum journal_found found = JOURNAL_EMPTY;
    *result = NULL;
    struct slice_store *store;
    TRY(memory_new(&store, 1, sizeof *store, "solved slices"));
    store->journal.file = -1;
    store->pool = options->pool;
    store->synced = wall_seconds();
    store->about.version = STORE_VERSION;
    store->about.value_bytes = sizeof(struct slice_values);
    material_name(material, store->about.material);
    store->about.words = UINT64_C(1) << 6 * (pieces - 1);
    store->about.slices = options->slices;
    store->about.kept = (uint32_t)options->keep_distance[WHITE] | (uint32_t)options->keep_distance[BLACK] << 1 |
                        (uint32_t)options->keep_resolved << 2 | (uint32_t)options->found << 3;
    int code = memory_new(&store->place, options->slices, sizeof *store->place, "solved slices");
    THEN(code, open_workers(store));
    THEN(code, journal_open(&store->journal, options->path, &store->about, sizeof store->about, &found));
    store->journal.own_hashes = true;
    THEN(code, found == JOURNAL_SAME ? find_records(store)
                                     : journal_restart(&store->journal, &store->about, sizeof store->about));
    if (code != 0) {
        journal_close(&store->journal, found == JOURNAL_SAME);
        slice_store_close(store, true);
        return code;
    }
    *result = store;
    return 0;
}

void slice_store_close(struct slice_store *store, bool keep)
{
    if (store == NULL)
        return;
    if (keep && store->found > 0)
        (void)journal_sync(&store->journal);
    journal_close(&store->journal, keep && store->found > 0);
    while (store->records != NULL) {
        struct record *next = store->records->next;
        free(store->records);
        store->records = next;
    }
    for (int i = 0; store->worker != NULL && i < threads_count(store->pool); i++) {
        ZSTD_freeCCtx(store->worker[i].compress);
        ZSTD_freeDCtx(store->worker[i].decompress);
        free(store->worker[i].plain);
        free(store->worker[i].packed);
    }
    free(store->worker);
    free(store->found_next.bytes);
    free(store->place);
    release(store);
    free(store);
}

// ---- records for other stores ----

const struct slice_parcel *slice_store_parcel(const struct slice_store *store, uint32_t slice)
{
    const struct record *record = store->place[slice].record;
    return record == NULL ? NULL : &record->parcel;
}

int slice_store_read(const struct slice_store *store, const struct slice_parcel *parcel, void *bytes)
{
    return journal_read(&store->journal, parcel->at, bytes, parcel->bytes);
}

int slice_store_add(struct slice_store *store, const void *bytes, size_t count)
{
    bool good = false;
    const uint64_t end = store->journal.end + count;
    int code = journal_lay(&store->journal, bytes, count);
    THEN(code, take_record(store, &good));
    if (code == 0 && (!good || store->journal.end != end))
        code =
            error_set(CLTB_E_CORRUPT, "another process has solved slices that do not fit in %s", store->journal.path);
    return code == 0 ? 0 : journal_abandon(&store->journal, code);
}

uint32_t slice_store_slices(const struct slice_store *store)
{
    return store->found;
}

uint64_t slice_store_bytes(const struct slice_store *store)
{
    return store->journal.end;
}

// ---- planes as a list ----

static unsigned list_planes(const struct slice_side *side, const uint64_t *list[PLANES])
{
    unsigned planes = 0;
    memcpy(list, side, sizeof *side);
    for (int i = 0; i < PLANES; i++)
        planes |= (unsigned)(list[i] != NULL) << i;
    return planes;
}

// The planes that are stored end to end from `raw` on.
static struct slice_side lay_planes(const struct slice_store *store, unsigned planes, const uint8_t *raw)
{
    const uint64_t *list[PLANES] = {NULL};
    for (int i = 0; i < PLANES; i++) {
        if (!(planes >> i & 1))
            continue;
        list[i] = (const uint64_t *)(const void *)raw;
        raw += plane_bytes(store);
    }
    struct slice_side side;
    memcpy(&side, list, sizeof side);
    return side;
}

// ---- adding a batch ----

struct chunk {
    const struct slice_side *side;
    uint64_t number; // among the side's chunks
    size_t length;   // before compression
    struct chunk_entry *entry;
};

// A record that is being written.
struct writing {
    struct slice_store *store;
    const struct chunk *chunk; // [chunks]
    uint64_t chunks;
    uint64_t each; // chunks of an item
};

// The bytes of a chunk, a part of the planes placed end to end. Unless it belongs to one plane, it is copied.
static const uint8_t *plain_chunk(const struct slice_store *store, const struct chunk *chunk, uint8_t *copy)
{
    const uint64_t *list[PLANES];
    list_planes(chunk->side, list);
    uint64_t first = chunk->number * CHUNK_BYTES;
    size_t done = 0;
    uint64_t at = 0; // where the plane begins
    for (int i = 0; i < PLANES && done < chunk->length; i++) {
        if (list[i] == NULL)
            continue;
        const uint64_t end = at + plane_bytes(store);
        if (first < end) {
            const uint8_t *bytes = (const uint8_t *)list[i] + (first - at);
            const size_t left = chunk->length - done;
            const size_t part = end - first < left ? (size_t)(end - first) : left;
            if (part == chunk->length)
                return bytes;
            memcpy(copy + done, bytes, part);
            done += part;
            first += part;
        }
        at = end;
    }
    return copy;
}

// Compresses consecutive chunks, and writes them.
static int write_chunks(void *context, uint64_t item, int worker)
{
    const struct writing *writing = context;
    const struct worker *tools = &writing->store->worker[worker];
    const uint64_t first = item * writing->each;
    const uint64_t end = writing->chunks - first < writing->each ? writing->chunks : first + writing->each;
    size_t bytes = 0;
    for (uint64_t i = first; i < end; i++) {
        const struct chunk *chunk = &writing->chunk[i];
        const uint8_t *plain = plain_chunk(writing->store, chunk, tools->plain);
        const size_t packed = ZSTD_compress2(tools->compress, tools->packed + bytes, ZSTD_compressBound(chunk->length),
                                             plain, chunk->length);
        if (ZSTD_isError(packed))
            return error_set(CLTB_E_MEMORY, "compression failed: %s", ZSTD_getErrorName(packed));
        *chunk->entry = (struct chunk_entry){bytes, XXH64(tools->packed + bytes, packed, 0), packed};
        bytes += packed;
    }
    uint64_t place;
    TRY(journal_write_part(&writing->store->journal, tools->packed, bytes, &place));
    for (uint64_t i = first; i < end; i++)
        writing->chunk[i].entry->place += place;
    return 0;
}

static int write_record(struct slice_store *store, const struct front *front, const struct slice_record *records)
{
    const uint64_t chunks = front->head->chunks;
    struct chunk *chunk;
    TRY(memory_new(&chunk, chunks, sizeof *chunk, "solved slices"));
    struct chunk *next = chunk;
    for (uint32_t i = 0; i < front->head->count; i++) {
        for (int side = WHITE; side <= BLACK; side++) {
            const unsigned planes = front->entry[i].planes[side];
            for (uint64_t n = 0; n < side_chunks(store, planes); n++, next++)
                *next = (struct chunk){.side = &records[i].side[side],
                                       .number = n,
                                       .length = chunk_length(store, planes, n),
                                       .entry = &front->chunk[next - chunk]};
        }
    }
    // Small chunks are written together, as many as fit into a worker's memory.
    const uint64_t most = u64_larger(CHUNK_BYTES / ZSTD_compressBound(side_bytes(store, (1U << PLANES) - 1)), 1);
    const uint64_t share = chunks / (THREAD_ITEMS * (uint64_t)threads_count(store->pool));
    struct writing writing = {store, chunk, chunks, share < most ? share + 1 : most};
    journal_begin(&store->journal, (uint32_t)front_bytes(front->head));
    int code = threads_each(store->pool, (chunks + writing.each - 1) / writing.each, write_chunks, &writing);
    code = code == 0 ? journal_commit(&store->journal, RECORD_SLICES, front->head)
                     : journal_abandon(&store->journal, code);
    free(chunk);
    return code;
}

static void *make_front(struct slice_store *store, const struct slice_values *values,
                        const struct slice_record *records, size_t count)
{
    struct front_head head = {.count = (uint32_t)count};
    const uint64_t *list[PLANES];
    for (size_t i = 0; i < count; i++) {
        for (int side = WHITE; side <= BLACK; side++)
            head.chunks += (uint32_t)side_chunks(store, list_planes(&records[i].side[side], list));
    }
    const size_t bound = ZSTD_compressBound(sizeof *values);
    const size_t found = store->found_next.count;
    void *memory = calloc(1, front_bytes(&head) + bound + found);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &head, sizeof head);
    struct front front = front_at(memory);
    for (size_t i = 0; i < count; i++) {
        front.entry[i].slice = records[i].slice;
        for (int side = WHITE; side <= BLACK; side++)
            front.entry[i].planes[side] = (uint16_t)list_planes(&records[i].side[side], list);
    }
    const size_t bytes = ZSTD_compress2(store->worker[0].compress, front.values, bound, values, sizeof *values);
    if (ZSTD_isError(bytes)) { // for lack of memory: nothing else can fail here
        free(memory);
        return NULL;
    }
    front.head->value_bytes = bytes;
    front.head->found_bytes = found;
    if (found > 0)
        memcpy(front.values + bytes, store->found_next.bytes, found);
    free(store->found_next.bytes);
    store->found_next = (struct peer_bytes){NULL, 0};
    return memory;
}

static int put(void *context, const struct slice_values *values, const struct slice_record *records, size_t count)
{
    struct slice_store *store = context;
    void *memory = make_front(store, values, records, count);
    if (memory == NULL)
        return error_memory(count * sizeof(struct slice_entry), "solved slices");
    const struct front front = front_at(memory);
    const uint64_t start = store->journal.end;
    int code = write_record(store, &front, records);
    THEN(code, add_record(store, &front, start, store->journal.end - store->journal.data_bytes, values));
    free(memory);
    if (code != 0 || wall_seconds() - store->synced < SYNC_SECONDS)
        return code;
    store->synced = wall_seconds();
    return journal_sync(&store->journal);
}

// ---- reading back ----

struct compressed {
    const struct chunk_entry *entry;
    size_t length; // decompressed
    uint8_t *to;
};

static int decompress_chunk(void *context, uint64_t item, int worker)
{
    const struct slice_store *store = context;
    const struct compressed *chunk = &store->load[item];
    const struct worker *tools = &store->worker[worker];
    const size_t bytes = chunk->entry->bytes;
    TRY(journal_read(&store->journal, chunk->entry->place, tools->packed, bytes));
    if (XXH64(tools->packed, bytes, 0) != chunk->entry->hash ||
        ZSTD_decompressDCtx(tools->decompress, chunk->to, chunk->length, tools->packed, bytes) != chunk->length)
        return error_set(CLTB_E_CORRUPT, "%s was changed while it was in use", store->journal.path);
    return 0;
}

static bool has(void *context, uint32_t slice)
{
    const struct slice_store *store = context;
    return slice < store->about.slices && store->place[slice].record != NULL;
}

// Decompresses some slices consecutively into raw[side].
int slice_store_load(void *context, int side, const uint32_t *slices, size_t count, struct slice_view *views)
{
    struct slice_store *store = context;
    struct raw *raw = &store->raw[side];
    uint64_t chunks = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (!has(store, slices[i]))
            return error_set(CLTB_E_MISSING, "%s has no slice %lu", store->journal.path, (unsigned long)slices[i]);
        chunks += side_chunks(store, store->place[slices[i]].planes[side]);
        bytes += side_bytes(store, store->place[slices[i]].planes[side]);
    }
    if (raw->size < bytes) {
        memory_give(threads_memory(store->pool), raw->bytes, raw->size);
        *raw = (struct raw){memory_take(threads_memory(store->pool), bytes, NULL), bytes};
    }
    struct compressed *chunk = store->load = malloc((chunks + 1) * sizeof *chunk);
    if (raw->bytes == NULL || chunk == NULL) {
        raw->size = raw->bytes == NULL ? 0 : raw->size;
        free(chunk);
        return error_memory(bytes + chunks * sizeof *chunk, "solved slices");
    }
    uint8_t *to = raw->bytes;
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &store->place[slices[i]];
        const unsigned planes = place->planes[side];
        views[i] = (struct slice_view){lay_planes(store, planes, to), place->record->values.value[side]};
        for (uint64_t n = 0; n < side_chunks(store, planes); n++) {
            const size_t length = chunk_length(store, planes, n);
            *chunk++ = (struct compressed){&place->chunk[side][n], length, to};
            to += length;
        }
    }
    const int code = threads_each(store->pool, chunks, decompress_chunk, store);
    free(store->load);
    return code;
}

static int get(void *context, uint32_t slice, int side, const struct slice_values **values, struct slice_side *planes)
{
    struct slice_store *store = context;
    struct slice_view view;
    if (planes != NULL) {
        TRY(slice_store_load(store, side, &slice, 1, &view));
        *planes = view.planes;
    } else if (!has(store, slice)) {
        return error_set(CLTB_E_MISSING, "%s has no slice %lu", store->journal.path, (unsigned long)slice);
    }
    *values = &store->place[slice].record->values;
    return 0;
}

// ---- what was found ----

void slice_store_attach(struct slice_store *store, struct peer_bytes *found)
{
    free(store->found_next.bytes);
    store->found_next = *found;
    *found = (struct peer_bytes){NULL, 0};
}

int slice_store_found(struct slice_store *store, int (*take)(void *context, const void *bytes, size_t count),
                      void *context, bool *whole)
{
    uint64_t slices = 0;
    for (const struct record *record = store->records; record != NULL; record = record->next)
        slices += record->parcel.slices;
    *whole = slices == store->about.slices && slices == store->found;
    for (const struct record *record = store->records; *whole && record != NULL; record = record->next) {
        const size_t count = record->found_bytes;
        void *bytes = malloc(count + 1);
        int code = bytes == NULL ? error_memory(count, "statistics") : 0;
        THEN(code, journal_read(&store->journal, record->found, bytes, count));
        THEN(code, take(context, bytes, count));
        free(bytes);
        TRY(code);
    }
    return 0;
}

struct slice_sink slice_store_sink(struct slice_store *store)
{
    return (struct slice_sink){.context = store, .put = put, .has = has, .get = get, .release = release};
}
