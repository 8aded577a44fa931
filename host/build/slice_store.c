// slice_store.c - the work file of a table with pawns: the slices that are solved so far
//
//     head      what the file is about; one with another head is discarded
//     record    head, slices, bytes of the chunks, values (a zstd frame), chunks (a zstd frame each)
//     record    ...
//
// The planes of a slice for one side to move are laid end to end and cut into chunks, so that a single slice can be
// read back and all threads work on a large one. A record's head comes last to the disk and has the hash of everything
// before the chunks, with the hash of the chunks in it.
#include "build/slice_store.h"

#include "util/error.h"
#include "util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define FILE_MAGIC   UINT64_C(0x6b726f772d6c6263) // "cbl-work"
#define RECORD_MAGIC UINT64_C(0x736563696c732d3e) // ">-slices"

enum {
    // To be raised with every change of the file, of the order of planes, slices and entries, or of what the solver finds.
    STORE_VERSION = 1,
    LEVEL = 1, // planes that are read back once or twice
    CHUNK_BYTES = 1 << 20,
    WINDOW_BYTES = 32 << 20, // of chunks that are compressed before they are written
    SYNC_SECONDS = 10,       // only a loss of power needs it
    PLANE_WON = 0,
    PLANE_DISTANCE = 1,
    PLANE_DECIDED = PLANE_DISTANCE + DISTANCE_PLANES_MAX,
    PLANE_STALEMATE,
    PLANES
};

struct file_head {
    uint64_t magic;
    uint32_t version;
    uint32_t value_bytes; // of struct slice_values
    char material[MATERIAL_NAME_MAX];
    uint64_t words;  // of a plane
    uint32_t slices; //
    uint32_t kept;   // bits: distances White, distances Black, decided
};

struct record_head {
    uint64_t magic;
    uint64_t bytes;     // of the record
    uint64_t data_hash; // XXH64 of the chunks
    uint64_t hash;      // XXH64 of what comes before the chunks, with this field zero
    uint32_t count;     // slices
    uint32_t chunks;    //
    uint64_t value_bytes;
};

struct slice_entry {
    uint32_t slice;
    uint16_t planes[COLOURS]; // bits: which planes there are
};

_Static_assert(sizeof(struct file_head) == 56 && sizeof(struct record_head) == 48 && sizeof(struct slice_entry) == 8 &&
                   PLANES <= 16,
               "no padding in the file");

// Where a slice lies.
struct place {
    const struct slice_values *values; // NULL: it is not there
    uint16_t planes[COLOURS];
    uint64_t offset[COLOURS];             // of the first chunk
    const uint32_t *chunk_bytes[COLOURS]; // of each chunk
};

// What stays in memory of a record.
struct record {
    struct record *next;
    struct slice_values values;
    uint32_t chunk_bytes[];
};

struct worker {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *expand;
    uint8_t *chunk; // [ZSTD_compressBound(CHUNK_BYTES)]
};

struct raw {
    uint8_t *bytes;
    size_t size;
};

struct slice_store {
    struct file_head head;
    char path[PATH_MAX];
    int file;
    uint64_t end; // of the last good record
    uint32_t found;
    struct place *place; // [head.slices]
    struct record *records;
    struct thread_pool *pool;
    uint64_t window_bytes;
    struct worker *worker;   // [threads]
    struct raw raw[COLOURS]; // planes that were read back
    double synced;           // seconds
};

static size_t plane_bytes(const struct slice_store *store)
{
    return store->head.words * sizeof(uint64_t);
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

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// ---- the file ----

static int write_all(const struct slice_store *store, const void *data, size_t bytes, uint64_t offset)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t written = pwrite(store->file, from, bytes, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_errno(CLTB_E_IO, written < 0 ? errno : ENOSPC, "cannot write %s", store->path);
        from += written;
        bytes -= (size_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

// `*got` may be less than `bytes` at the end of the file.
static int read_some(const struct slice_store *store, void *data, size_t bytes, uint64_t offset, size_t *got)
{
    char *to = data;
    *got = 0;
    while (*got < bytes) {
        const ssize_t count = pread(store->file, to + *got, bytes - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return error_errno(CLTB_E_IO, errno, "cannot read %s", store->path);
        if (count == 0)
            return 0;
        *got += (size_t)count;
    }
    return 0;
}

static int cut_at(const struct slice_store *store, uint64_t end)
{
    if (ftruncate(store->file, (off_t)end) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", store->path);
    return 0;
}

// Is the file that was opened still the one of that name? Between opening and locking another process may have finished
// its table and removed the file.
static bool still_named(const struct slice_store *store)
{
    struct stat opened;
    struct stat named;
    return fstat(store->file, &opened) == 0 && stat(store->path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static int cannot_lock(const struct slice_store *store, int errnum)
{
    if (errnum != EWOULDBLOCK)
        return error_errno(CLTB_E_IO, errnum, "cannot lock %s", store->path);
    const char *slash = strrchr(store->path, '/');
    const int length = slash == NULL ? 1 : (int)(slash - store->path);
    return error_set(CLTB_E_IO, "another cltb is building %s in %.*s", store->head.material, length,
                     slash == NULL ? "." : store->path);
}

static int open_file(struct slice_store *store)
{
    for (;;) {
        store->file = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (store->file < 0)
            return error_errno(CLTB_E_IO, errno, "cannot create %s", store->path);
        if (flock(store->file, LOCK_EX | LOCK_NB) != 0) {
            const int code = cannot_lock(store, errno);
            close(store->file);
            store->file = -1;
            return code;
        }
        if (still_named(store))
            return 0;
        close(store->file);
    }
}

// ---- planes as a list ----

static unsigned list_planes(const struct slice_side *side, const uint64_t *list[PLANES])
{
    list[PLANE_WON] = side->won;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        list[PLANE_DISTANCE + bit] = side->distance[bit];
    list[PLANE_DECIDED] = side->decided;
    list[PLANE_STALEMATE] = side->stalemate;
    unsigned planes = 0;
    for (int i = 0; i < PLANES; i++)
        planes |= (unsigned)(list[i] != NULL) << i;
    return planes;
}

// The planes that lie end to end from `raw` on.
static struct slice_side lay_planes(const struct slice_store *store, unsigned planes, const uint8_t *raw)
{
    const uint64_t *list[PLANES] = {NULL};
    for (int i = 0; i < PLANES; i++) {
        if (!(planes >> i & 1))
            continue;
        list[i] = (const uint64_t *)(const void *)raw;
        raw += plane_bytes(store);
    }
    struct slice_side side = {
        .won = list[PLANE_WON], .decided = list[PLANE_DECIDED], .stalemate = list[PLANE_STALEMATE]};
    memcpy(side.distance, list + PLANE_DISTANCE, sizeof side.distance);
    return side;
}

// Copies bytes first..first+count-1 of the planes laid end to end.
static void copy_planes(const struct slice_store *store, const struct slice_side *side, uint64_t first, size_t count,
                        uint8_t *to)
{
    const uint64_t *list[PLANES];
    list_planes(side, list);
    uint64_t at = 0; // where the plane begins
    for (int i = 0; i < PLANES && count > 0; i++) {
        if (list[i] == NULL)
            continue;
        const uint64_t end = at + plane_bytes(store);
        if (first < end) {
            const size_t part = end - first < count ? (size_t)(end - first) : count;
            memcpy(to, (const uint8_t *)list[i] + (first - at), part);
            to += part;
            first += part;
            count -= part;
        }
        at = end;
    }
}

// ---- the records that are there ----

static void forget_records(struct slice_store *store)
{
    while (store->records != NULL) {
        struct record *next = store->records->next;
        free(store->records);
        store->records = next;
    }
}

// A record as it is read or written: everything before the chunks.
struct front {
    struct record_head *head;
    struct slice_entry *entry; // [count]
    uint32_t *chunk_bytes;     // [chunks]
    uint8_t *values;           // [value_bytes]
};

static uint64_t front_bytes(const struct record_head *head)
{
    return sizeof *head + (uint64_t)head->count * sizeof(struct slice_entry) +
           (uint64_t)head->chunks * sizeof(uint32_t) + head->value_bytes;
}

static struct front front_at(void *memory)
{
    struct front front = {.head = memory};
    front.entry = (struct slice_entry *)(front.head + 1);
    front.chunk_bytes = (uint32_t *)(front.entry + front.head->count);
    front.values = (uint8_t *)(front.chunk_bytes + front.head->chunks);
    return front;
}

static uint64_t front_hash(const struct front *front)
{
    const uint64_t hash = front->head->hash;
    front->head->hash = 0;
    const uint64_t result = XXH64(front->head, front_bytes(front->head), 0);
    front->head->hash = hash;
    return result;
}

// Do its parts fit together?
static bool front_fits(const struct slice_store *store, const struct front *front)
{
    uint64_t chunks = 0;
    uint64_t bytes = front_bytes(front->head);
    for (uint32_t i = 0; i < front->head->count; i++) {
        const struct slice_entry *entry = &front->entry[i];
        if (entry->slice >= store->head.slices)
            return false;
        for (int side = WHITE; side <= BLACK; side++)
            chunks += side_chunks(store, entry->planes[side]);
    }
    for (uint32_t i = 0; i < front->head->chunks; i++)
        bytes += front->chunk_bytes[i];
    return chunks == front->head->chunks && bytes == front->head->bytes;
}

// Notes where the slices of a record lie.
static int add_record(struct slice_store *store, const struct front *front, uint64_t start,
                      const struct slice_values *values)
{
    const uint32_t chunks = front->head->chunks;
    struct record *record = calloc(1, sizeof *record + chunks * sizeof(uint32_t));
    if (record == NULL)
        return error_memory(sizeof *record + chunks * sizeof(uint32_t), "solved slices");
    record->values = *values;
    memcpy(record->chunk_bytes, front->chunk_bytes, chunks * sizeof(uint32_t));
    record->next = store->records;
    store->records = record;
    const uint32_t *chunk = record->chunk_bytes;
    uint64_t at = start + front_bytes(front->head);
    for (uint32_t i = 0; i < front->head->count; i++) {
        struct place *place = &store->place[front->entry[i].slice];
        store->found += place->values == NULL;
        place->values = &record->values;
        for (int side = WHITE; side <= BLACK; side++) {
            place->planes[side] = front->entry[i].planes[side];
            place->offset[side] = at;
            place->chunk_bytes[side] = chunk;
            for (uint64_t n = side_chunks(store, place->planes[side]); n > 0; n--)
                at += *chunk++;
        }
    }
    store->end = start + front->head->bytes;
    return 0;
}

static int check_data(const struct slice_store *store, uint64_t from, uint64_t to, uint64_t hash, bool *good)
{
    uint8_t *piece = store->worker[0].chunk;
    XXH64_state_t *state = XXH64_createState();
    if (state == NULL)
        return error_memory(sizeof(uint64_t), "a hash");
    XXH64_reset(state, 0);
    int code = 0;
    size_t got = 1;
    while (code == 0 && from < to && got > 0) {
        const size_t count = to - from < CHUNK_BYTES ? (size_t)(to - from) : CHUNK_BYTES;
        code = read_some(store, piece, count, from, &got);
        XXH64_update(state, piece, code == 0 ? got : 0);
        from += got;
    }
    *good = code == 0 && from == to && XXH64_digest(state) == hash;
    XXH64_freeState(state);
    return code;
}

// A front that was read, with as many bytes as it says.
static int check_record(struct slice_store *store, const struct front *front, uint64_t start, bool *good)
{
    const struct record_head *head = front->head;
    struct slice_values values;
    *good = front_hash(front) == head->hash && front_fits(store, front) &&
            ZSTD_decompress(&values, sizeof values, front->values, head->value_bytes) == sizeof values;
    if (*good)
        TRY(check_data(store, start + front_bytes(head), start + head->bytes, head->data_hash, good));
    return *good ? add_record(store, front, start, &values) : 0;
}

static int read_record(struct slice_store *store, uint64_t start, uint64_t file_bytes, bool *good)
{
    struct record_head head;
    size_t got;
    TRY(read_some(store, &head, sizeof head, start, &got));
    *good = got == sizeof head && head.magic == RECORD_MAGIC && head.bytes <= file_bytes - start &&
            head.value_bytes < head.bytes && front_bytes(&head) <= head.bytes;
    if (!*good)
        return 0;
    const size_t bytes = front_bytes(&head);
    void *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "solved slices");
    int code = read_some(store, memory, bytes, start, &got);
    *good = code == 0 && got == bytes && memcmp(memory, &head, sizeof head) == 0;
    if (*good) {
        const struct front front = front_at(memory);
        code = check_record(store, &front, start, good);
    }
    free(memory);
    return code;
}

// Finds the good records and cuts off the rest.
static int scan(struct slice_store *store)
{
    struct file_head head;
    size_t got;
    TRY(read_some(store, &head, sizeof head, 0, &got));
    store->end = sizeof head;
    if (got < sizeof head || memcmp(&head, &store->head, sizeof head) != 0) {
        TRY(cut_at(store, 0));
        const int code = write_all(store, &store->head, sizeof store->head, 0);
        return code != 0 && ftruncate(store->file, 0) != 0 ? error_prefix(code, "%s is left damaged", store->path)
                                                           : code;
    }
    struct stat status;
    if (fstat(store->file, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", store->path);
    bool good = true;
    while (good && store->end < (uint64_t)status.st_size)
        TRY(read_record(store, store->end, (uint64_t)status.st_size, &good));
    return good ? 0 : cut_at(store, store->end);
}

// ---- opening and closing ----

static int open_workers(struct slice_store *store)
{
    const int threads = threads_count(store->pool);
    store->worker = calloc((size_t)threads, sizeof *store->worker);
    for (int i = 0; store->worker != NULL && i < threads; i++) {
        struct worker *worker = &store->worker[i];
        worker->compress = ZSTD_createCCtx();
        worker->expand = ZSTD_createDCtx();
        worker->chunk = malloc(ZSTD_compressBound(CHUNK_BYTES));
        if (worker->compress == NULL || worker->expand == NULL || worker->chunk == NULL)
            return error_memory(ZSTD_compressBound(CHUNK_BYTES), "compression");
        ZSTD_CCtx_setParameter(worker->compress, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(worker->compress, ZSTD_c_checksumFlag, 1); // read back long after the scan
    }
    return store->worker != NULL ? 0 : error_memory((size_t)threads * sizeof *store->worker, "compression");
}

static void close_workers(struct slice_store *store)
{
    for (int i = 0; store->worker != NULL && i < threads_count(store->pool); i++) {
        ZSTD_freeCCtx(store->worker[i].compress);
        ZSTD_freeDCtx(store->worker[i].expand);
        free(store->worker[i].chunk);
    }
    free(store->worker);
}

static void free_raw(struct slice_store *store, struct raw *raw)
{
    memory_give(threads_memory(store->pool), raw->bytes, raw->size);
    *raw = (struct raw){NULL, 0};
}

static void free_store(struct slice_store *store)
{
    if (store->file >= 0)
        close(store->file);
    forget_records(store);
    close_workers(store);
    free(store->place);
    free_raw(store, &store->raw[WHITE]);
    free_raw(store, &store->raw[BLACK]);
    free(store);
}

static void make_head(struct file_head *head, const struct slice_store_options *options)
{
    const struct material *material = options->material;
    const int pieces = material_men(material) - material->count[WHITE][PAWN] - material->count[BLACK][PAWN];
    *head = (struct file_head){.magic = FILE_MAGIC,
                               .version = STORE_VERSION,
                               .value_bytes = sizeof(struct slice_values),
                               .words = UINT64_C(1) << 6 * (pieces - 1),
                               .slices = options->slices};
    material_name(material, head->material);
    head->kept = (uint32_t)options->keep_distance[WHITE] | (uint32_t)options->keep_distance[BLACK] << 1 |
                 (uint32_t)options->keep_decided << 2;
}

static int open_store(struct slice_store *store, const struct slice_store_options *options)
{
    make_head(&store->head, options);
    store->pool = options->pool;
    const uint64_t least = (uint64_t)threads_count(store->pool) * ZSTD_compressBound(CHUNK_BYTES);
    store->window_bytes = options->window_bytes > 0 ? options->window_bytes : WINDOW_BYTES;
    store->window_bytes = store->window_bytes > least ? store->window_bytes : least;
    store->synced = now();
    const int length = snprintf(store->path, sizeof store->path, "%s", options->path);
    if (length < 0 || (size_t)length >= sizeof store->path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", options->path);
    store->place = calloc(options->slices, sizeof *store->place);
    if (store->place == NULL)
        return error_memory(options->slices * sizeof *store->place, "solved slices");
    TRY(open_workers(store));
    TRY(open_file(store));
    return scan(store);
}

// What an opening that failed has made: a full disk has room for a name, but not for a head.
static void remove_empty(const struct slice_store *store)
{
    struct stat status;
    if (store->file >= 0 && fstat(store->file, &status) == 0 && status.st_size == 0 && still_named(store))
        unlink(store->path);
}

int slice_store_open(struct slice_store **result, const struct slice_store_options *options)
{
    *result = NULL;
    struct slice_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return error_memory(sizeof *store, "solved slices");
    store->file = -1;
    const int code = open_store(store, options);
    if (code != 0) {
        remove_empty(store);
        free_store(store);
        return code;
    }
    *result = store;
    return 0;
}

void slice_store_close(struct slice_store *store)
{
    if (store == NULL)
        return;
    if (store->found == 0) {
        slice_store_remove(store);
        return;
    }
    fdatasync(store->file);
    free_store(store);
}

void slice_store_remove(struct slice_store *store)
{
    if (store == NULL)
        return;
    if (still_named(store)) // under the lock: nobody else's
        unlink(store->path);
    free_store(store);
}

uint32_t slice_store_slices(const struct slice_store *store)
{
    return store->found;
}

uint64_t slice_store_bytes(const struct slice_store *store)
{
    return store->end;
}

const char *slice_store_path(const struct slice_store *store)
{
    return store->path;
}

// ---- adding a batch ----

struct chunk {
    const struct slice_side *side;
    uint64_t number;  // of the side's chunks
    size_t length;    // before compression
    uint64_t slot;    // where in the window
    uint32_t *result; // bytes, compressed
};

struct putting {
    struct slice_store *store;
    struct chunk *chunk;
    uint64_t first; // of the window
    uint8_t *window;
};

static int compress_chunk(void *context, uint64_t item, int worker)
{
    const struct putting *putting = context;
    const struct chunk *chunk = &putting->chunk[putting->first + item];
    const struct worker *tools = &putting->store->worker[worker];
    copy_planes(putting->store, chunk->side, chunk->number * CHUNK_BYTES, chunk->length, tools->chunk);
    const size_t bytes = ZSTD_compress2(tools->compress, putting->window + chunk->slot,
                                        ZSTD_compressBound(chunk->length), tools->chunk, chunk->length);
    if (ZSTD_isError(bytes))
        return error_set(CLTB_E_MEMORY, "compression failed: %s", ZSTD_getErrorName(bytes));
    *chunk->result = (uint32_t)bytes;
    return 0;
}

static void list_chunks(const struct slice_store *store, const struct front *front, const struct slice_record *records,
                        struct chunk *chunk)
{
    uint32_t *result = front->chunk_bytes;
    for (uint32_t i = 0; i < front->head->count; i++) {
        for (int side = WHITE; side <= BLACK; side++) {
            const unsigned planes = front->entry[i].planes[side];
            for (uint64_t n = 0; n < side_chunks(store, planes); n++) {
                *chunk++ = (struct chunk){.side = &records[i].side[side],
                                          .number = n,
                                          .length = chunk_length(store, planes, n),
                                          .result = result++};
            }
        }
    }
}

// The chunks from `first` on that fit into a window.
static uint64_t fill_window(struct chunk *chunk, uint64_t first, uint64_t chunks, uint64_t window)
{
    uint64_t at = 0;
    uint64_t count = 0;
    for (; first + count < chunks; count++) {
        const uint64_t bound = ZSTD_compressBound(chunk[first + count].length);
        if (at + bound > window)
            break;
        chunk[first + count].slot = at;
        at += bound;
    }
    return count;
}

// Moves the compressed chunks together; their bytes.
static uint64_t close_gaps(const struct chunk *chunk, uint64_t count, uint8_t *window)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        memmove(window + at, window + chunk[i].slot, *chunk[i].result);
        at += *chunk[i].result;
    }
    return at;
}

static int write_chunks(struct putting *putting, const struct front *front, XXH64_state_t *hash)
{
    struct slice_store *store = putting->store;
    struct record_head *head = front->head;
    head->bytes = front_bytes(head);
    for (putting->first = 0; putting->first < head->chunks;) {
        const uint64_t count = fill_window(putting->chunk, putting->first, head->chunks, store->window_bytes);
        TRY(threads_each(store->pool, count, compress_chunk, putting));
        const uint64_t bytes = close_gaps(putting->chunk + putting->first, count, putting->window);
        XXH64_update(hash, putting->window, bytes);
        TRY(write_all(store, putting->window, bytes, store->end + head->bytes));
        head->bytes += bytes;
        putting->first += count;
    }
    head->data_hash = XXH64_digest(hash);
    head->hash = front_hash(front);
    return write_all(store, head, front_bytes(head), store->end);
}

static int write_record(struct slice_store *store, const struct front *front, const struct slice_record *records)
{
    const size_t chunks = front->head->chunks;
    struct putting putting = {.store = store};
    putting.chunk = calloc(chunks + 1, sizeof *putting.chunk);
    putting.window = memory_take(threads_memory(store->pool), store->window_bytes, NULL);
    XXH64_state_t *hash = XXH64_createState();
    int code = CLTB_E_MEMORY;
    if (putting.chunk != NULL && putting.window != NULL && hash != NULL) {
        XXH64_reset(hash, 0);
        list_chunks(store, front, records, putting.chunk);
        code = write_chunks(&putting, front, hash);
    } else {
        error_memory(store->window_bytes + chunks * sizeof *putting.chunk, "solved slices");
    }
    XXH64_freeState(hash);
    free(putting.chunk);
    memory_give(threads_memory(store->pool), putting.window, store->window_bytes);
    return code;
}

static void *make_front(struct slice_store *store, const struct slice_values *values,
                        const struct slice_record *records, size_t count)
{
    struct record_head head = {.magic = RECORD_MAGIC, .count = (uint32_t)count};
    const uint64_t *list[PLANES];
    for (size_t i = 0; i < count; i++) {
        for (int side = WHITE; side <= BLACK; side++)
            head.chunks += (uint32_t)side_chunks(store, list_planes(&records[i].side[side], list));
    }
    const size_t bound = ZSTD_compressBound(sizeof *values);
    void *memory = calloc(1, front_bytes(&head) + bound);
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
    if (ZSTD_isError(bytes)) { // for want of memory: nothing else can fail here
        free(memory);
        return NULL;
    }
    front.head->value_bytes = bytes;
    return memory;
}

static int sync_now_and_then(struct slice_store *store)
{
    const double time = now();
    if (time - store->synced < SYNC_SECONDS)
        return 0;
    store->synced = time;
    if (fdatasync(store->file) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", store->path);
    return 0;
}

static int put(void *context, const struct slice_values *values, const struct slice_record *records, size_t count)
{
    struct slice_store *store = context;
    void *memory = make_front(store, values, records, count);
    if (memory == NULL)
        return error_memory(count * sizeof(struct slice_entry), "solved slices");
    const struct front front = front_at(memory);
    int code = write_record(store, &front, records);
    if (code == 0)
        code = add_record(store, &front, store->end, values);
    else if (ftruncate(store->file, (off_t)store->end) != 0)
        code = error_prefix(code, "%s is left damaged at its end", store->path);
    free(memory);
    return code == 0 ? sync_now_and_then(store) : code;
}

// ---- reading back ----

struct expansion {
    uint64_t offset; // in the file
    uint32_t bytes;  //
    uint32_t length; // expanded
    uint8_t *to;
};

struct loading {
    struct slice_store *store;
    struct expansion *expansion;
};

static int expand_chunk(void *context, uint64_t item, int worker)
{
    const struct loading *loading = context;
    const struct slice_store *store = loading->store;
    const struct expansion *expansion = &loading->expansion[item];
    const struct worker *tools = &store->worker[worker];
    if (expansion->bytes > ZSTD_compressBound(CHUNK_BYTES))
        return error_set(CLTB_E_CORRUPT, "%s is damaged", store->path);
    size_t got;
    TRY(read_some(store, tools->chunk, expansion->bytes, expansion->offset, &got));
    const size_t length =
        ZSTD_decompressDCtx(tools->expand, expansion->to, expansion->length, tools->chunk, expansion->bytes);
    if (got != expansion->bytes || length != expansion->length)
        return error_set(CLTB_E_CORRUPT, "%s was changed while it was in use", store->path);
    return 0;
}

static int make_room(struct slice_store *store, struct raw *raw, uint64_t bytes)
{
    if (raw->size >= bytes)
        return 0;
    free_raw(store, raw);
    raw->bytes = memory_take(threads_memory(store->pool), bytes, NULL);
    if (raw->bytes == NULL)
        return error_memory(bytes, "solved slices");
    raw->size = bytes;
    return 0;
}

static bool has(void *context, uint32_t slice)
{
    const struct slice_store *store = context;
    return slice < store->head.slices && store->place[slice].values != NULL;
}

static int no_slice(const struct slice_store *store, uint32_t slice)
{
    return error_set(CLTB_E_MISSING, "%s has no slice %lu", store->path, (unsigned long)slice);
}

// Expands some slices into raw[side], one after the other.
static int expand(struct slice_store *store, int side, const uint32_t *slices, size_t count, struct slice_view *views)
{
    uint64_t chunks = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &store->place[slices[i]];
        if (!has(store, slices[i]))
            return no_slice(store, slices[i]);
        chunks += side_chunks(store, place->planes[side]);
        bytes += side_bytes(store, place->planes[side]);
    }
    TRY(make_room(store, &store->raw[side], bytes));
    struct loading loading = {store, malloc((chunks + 1) * sizeof *loading.expansion)};
    if (loading.expansion == NULL)
        return error_memory((chunks + 1) * sizeof *loading.expansion, "solved slices");
    struct expansion *expansion = loading.expansion;
    uint8_t *to = store->raw[side].bytes;
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &store->place[slices[i]];
        const unsigned planes = place->planes[side];
        views[i] = (struct slice_view){lay_planes(store, planes, to), place->values->value[side]};
        uint64_t offset = place->offset[side];
        for (uint64_t n = 0; n < side_chunks(store, planes); n++) {
            const uint32_t length = (uint32_t)chunk_length(store, planes, n);
            *expansion++ = (struct expansion){offset, place->chunk_bytes[side][n], length, to};
            offset += place->chunk_bytes[side][n];
            to += length;
        }
    }
    const int code = threads_each(store->pool, chunks, expand_chunk, &loading);
    free(loading.expansion);
    return code;
}

int slice_store_load(void *store, int side, const uint32_t *slices, size_t count, struct slice_view *views)
{
    return expand(store, side, slices, count, views);
}

static int get(void *context, uint32_t slice, int side, const struct slice_values **values, struct slice_side *planes)
{
    struct slice_store *store = context;
    if (!has(store, slice))
        return no_slice(store, slice);
    if (planes != NULL) {
        struct slice_view view;
        TRY(expand(store, side, &slice, 1, &view));
        *planes = view.planes;
    }
    *values = store->place[slice].values;
    return 0;
}

static void release(void *context)
{
    struct slice_store *store = context;
    free_raw(store, &store->raw[WHITE]);
    free_raw(store, &store->raw[BLACK]);
}

struct slice_sink slice_store_sink(struct slice_store *store)
{
    return (struct slice_sink){.context = store, .put = put, .has = has, .get = get, .release = release};
}
