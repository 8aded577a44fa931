// slice_store_planes.c - slices on their way into a work file, batch by batch, and back
#include "make/slice_store_inside.h"

#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SYNC_SECONDS = 10, // only a loss of power needs it
    PLANE_WON = 0,
    PLANE_DISTANCE = 1,
    PLANE_DECIDED = PLANE_DISTANCE + DISTANCE_PLANES_MAX,
    PLANE_STALEMATE,
    PLANES
};

_Static_assert(PLANES <= 8 * sizeof(((struct slice_entry *)NULL)->planes[0]), "a bit for each plane");

// ---- planes as a list ----

static unsigned list_planes(const struct slice_side *side, const uint64_t *list[PLANES])
{
    list[PLANE_WON] = side->won;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        list[PLANE_DISTANCE + bit] = side->distance[bit];
    list[PLANE_DECIDED] = side->resolved;
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
        .won = list[PLANE_WON], .resolved = list[PLANE_DECIDED], .stalemate = list[PLANE_STALEMATE]};
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
        TRY(slice_store_write(store, putting->window, bytes, store->end + head->bytes));
        head->bytes += bytes;
        putting->first += count;
    }
    head->data_hash = XXH64_digest(hash);
    head->hash = front_hash(front);
    return slice_store_write(store, head, front_bytes(head), store->end);
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
    const double time = wall_seconds();
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
        code = slice_store_add_record(store, &front, store->end, values);
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
    TRY(slice_store_read(store, tools->chunk, expansion->bytes, expansion->offset, &got));
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
    slice_store_free_raw(store, raw);
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
    slice_store_free_raw(store, &store->raw[WHITE]);
    slice_store_free_raw(store, &store->raw[BLACK]);
}

struct slice_sink slice_store_sink(struct slice_store *store)
{
    return (struct slice_sink){.context = store, .put = put, .has = has, .get = get, .release = release};
}
