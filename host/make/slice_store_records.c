// slice_store_records.c - the records of a work file: which are whole, and where their slices lie
#include "make/slice_store_inside.h"

#include "util/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- those that are there ----

void slice_store_forget_records(struct slice_store *store)
{
    while (store->records != NULL) {
        struct record *next = store->records->next;
        free(store->records);
        store->records = next;
    }
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

int slice_store_add_record(struct slice_store *store, const struct front *front, uint64_t start,
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

// ---- finding them ----

static int cut_at(const struct slice_store *store, uint64_t end)
{
    if (ftruncate(store->file, (off_t)end) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", store->path);
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
        code = slice_store_read(store, piece, count, from, &got);
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
    return *good ? slice_store_add_record(store, front, start, &values) : 0;
}

static int read_record(struct slice_store *store, uint64_t start, uint64_t file_bytes, bool *good)
{
    struct record_head head;
    size_t got;
    TRY(slice_store_read(store, &head, sizeof head, start, &got));
    *good = got == sizeof head && head.magic == RECORD_MAGIC && head.bytes <= file_bytes - start &&
            head.value_bytes < head.bytes && front_bytes(&head) <= head.bytes;
    if (!*good)
        return 0;
    const size_t bytes = front_bytes(&head);
    void *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "solved slices");
    int code = slice_store_read(store, memory, bytes, start, &got);
    *good = code == 0 && got == bytes && memcmp(memory, &head, sizeof head) == 0;
    if (*good) {
        const struct front front = front_at(memory);
        code = check_record(store, &front, start, good);
    }
    free(memory);
    return code;
}

// Zeros are what a power failure may leave of ours.
int slice_store_is_foreign(const struct slice_store *store, bool *foreign)
{
    const uint64_t magic = FILE_MAGIC;
    uint64_t begin = 0;
    size_t got;
    TRY(slice_store_read(store, &begin, sizeof begin, 0, &got));
    *foreign = begin != 0 && memcmp(&begin, &magic, got) != 0;
    return 0;
}

// A work file of ours that was made with other options is begun anew.
int slice_store_scan(struct slice_store *store)
{
    struct file_head head;
    size_t got;
    bool foreign;
    TRY(slice_store_is_foreign(store, &foreign));
    if (foreign)
        return error_set(CLTB_E_FOREIGN, "%s is no work file of cltb: it is not written over", store->path);
    TRY(slice_store_read(store, &head, sizeof head, 0, &got));
    store->end = sizeof head;
    if (got < sizeof head || memcmp(&head, &store->head, sizeof head) != 0) {
        TRY(cut_at(store, 0));
        const int code = slice_store_write(store, &store->head, sizeof store->head, 0);
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
