// work.c - the work file of a restricted endgame: its records
#include "restricted/make/work.h"

#include "disk/journal.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    // Increase it with every change of the records, of the order of slices and entries, or of the solver's results.
    WORK_VERSION = 2,
    MOVES_LEVEL = 1,  // of zstd
    SYNC_SECONDS = 10 // only needed in case the power fails
};

enum { RECORD_MOVES = 16, RECORD_SECTION, RECORD_BATCH }; // no kind of other work files

// What a work file is about.
struct about {
    uint32_t version;
    uint32_t batch; // slices
    uint64_t spec;  // hash of its text
    uint64_t bases; // hash of the restricted futurebases
    uint64_t sections;
    uint64_t slice_entries;
};

// The fronts of the records. Data of a record of moves are the codes of the part by side to move, compressed; 0 bytes:
// they are not needed.
struct moves_front {
    uint32_t slice;
    uint32_t part;
    uint64_t bytes[COLOURS];
};

// The data of a section are its blocks; the front ends with their sizes, uint32_t [COLOURS][blocks].
struct section_front {
    uint32_t slice;
    uint32_t blocks;
    struct value_figures figures;
};

struct batch_front {
    uint32_t section;
    uint32_t count;
    uint64_t words; // 0: it has no slabs
    struct solved_slabs_front slabs;
};

_Static_assert(sizeof(struct moves_front) == 24 && sizeof(struct section_front) == 128 &&
                   sizeof(struct batch_front) == 24 + COLOURS * SLAB_PLANES * sizeof(uint64_t),
               "no padding in the file");

struct restricted_work {
    struct journal journal;
    struct externals *externals;
    uint64_t *section; // [sections] where the last record of each begins; 0: there is none
    uint64_t *batch;   // [sections] the same of the batch that begins there
    uint32_t done;     // sections
    uint64_t start;    // of the first record
    double synced;     // seconds
    // The section that was read last:
    struct journal_record record;
    uint8_t *data;
    struct container_piece *piece; // [COLOURS][blocks]
};

static const struct restricted_index *index_of(const struct restricted_work *work)
{
    return work->externals->index;
}

static int does_not_fit(const struct restricted_work *work)
{
    return error_set(CLTB_E_CORRUPT, "%s does not belong to this build: remove it", work->journal.path);
}

static int sync_now_and_then(struct restricted_work *work)
{
    if (wall_seconds() - work->synced < SYNC_SECONDS)
        return 0;
    work->synced = wall_seconds();
    return journal_sync(&work->journal);
}

// ---- moves ----

int restricted_work_put_moves(struct restricted_work *work, uint32_t slice, uint32_t part)
{
    const struct externals *externals = work->externals;
    const size_t bytes = externals_part_entries(externals, slice, part) * sizeof(uint16_t);
    const size_t room = ZSTD_compressBound(bytes);
    struct moves_front front = {slice, part, {0}};
    void *packed;
    TRY(memory_new(&packed, room, 1, "a work file"));
    int code = 0;
    journal_begin(&work->journal, sizeof front);
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        const uint16_t *codes = externals->code[slice][side];
        if (codes == NULL)
            continue;
        const size_t size = ZSTD_compress(packed, room, codes + (size_t)part * EXTERNALS_PART, bytes, MOVES_LEVEL);
        code = ZSTD_isError(size) ? error_memory(bytes, "a work file") : journal_write(&work->journal, packed, size);
        front.bytes[side] = size;
    }
    free(packed);
    TRY(code == 0 ? journal_commit(&work->journal, RECORD_MOVES, &front) : journal_abandon(&work->journal, code));
    return sync_now_and_then(work);
}

// Takes over the codes of a part, which must be the next one of its slice.
static int take_moves(struct restricted_work *work, const struct journal_record *record, bool *good)
{
    struct externals *externals = work->externals;
    const struct moves_front *front = record->front;
    if (record->front_bytes != sizeof *front || front->slice >= index_of(work)->slices ||
        front->part != externals->parts[front->slice])
        return 0;
    TRY(externals_room(externals, front->slice));
    const size_t bytes = externals_part_entries(externals, front->slice, front->part) * sizeof(uint16_t);
    uint64_t at = record->data;
    *good = bytes > 0;
    for (int side = WHITE; *good && side <= BLACK; side++) {
        uint16_t *codes = externals->code[front->slice][side];
        const uint64_t size = front->bytes[side];
        void *packed;
        *good = size <= ZSTD_compressBound(bytes) && (size == 0) == (codes == NULL);
        if (!*good || codes == NULL)
            continue;
        codes += (size_t)front->part * EXTERNALS_PART;
        TRY(memory_new(&packed, size, 1, "a work file"));
        const int code = journal_read(&work->journal, at, packed, size);
        *good = code == 0 && ZSTD_decompress(codes, bytes, packed, size) == bytes;
        free(packed);
        TRY(code);
        for (size_t i = 0; *good && i < bytes / sizeof *codes; i++)
            *good = codes[i] <= value_code(true, TABLE_PLY_MAX);
        if (!*good)
            memset(codes, 0, bytes);
        at += size;
    }
    externals->parts[front->slice] += *good;
    return 0;
}

// ---- sections ----

int restricted_work_put_section(struct restricted_work *work, const struct restricted_blocks *blocks)
{
    struct journal *journal = &work->journal;
    const uint64_t start = journal->end;
    const size_t bytes = sizeof(struct section_front) + COLOURS * blocks->count * sizeof(uint32_t);
    struct section_front *front;
    TRY(memory_new(&front, bytes, 1, "a work file"));
    uint32_t *sizes = (uint32_t *)(front + 1);
    front->slice = blocks->slice;
    front->blocks = (uint32_t)blocks->count;
    front->figures = blocks->figures;
    journal_begin(journal, (uint32_t)bytes);
    int code = 0;
    for (size_t i = 0; code == 0 && i < COLOURS * blocks->count; i++) {
        const struct container_piece *piece = &blocks->piece[i / blocks->count][i % blocks->count];
        sizes[i] = piece->bytes;
        code = journal_write(journal, piece->data, piece->bytes);
    }
    code = code == 0 ? journal_commit(journal, RECORD_SECTION, front) : journal_abandon(journal, code);
    free(front);
    if (code == 0)
        work->section[blocks->slice] = start;
    return code;
}

static void take_section(struct restricted_work *work, const struct journal_record *record, uint64_t start, bool *good)
{
    const struct restricted_index *index = index_of(work);
    const struct section_front *front = record->front;
    if (record->front_bytes < sizeof *front || front->slice >= index->slices ||
        front->blocks != restricted_slice_blocks(index) ||
        record->front_bytes != sizeof *front + COLOURS * front->blocks * sizeof(uint32_t))
        return;
    const uint32_t *sizes = (const uint32_t *)(front + 1);
    uint64_t bytes = 0;
    for (size_t i = 0; i < (size_t)COLOURS * front->blocks; i++)
        bytes += sizes[i];
    *good = bytes == record->data_bytes;
    if (*good)
        work->section[front->slice] = start;
}

// Reads the record that begins at `start` once more.
static int read_again(const struct restricted_work *work, uint64_t start, struct journal_record *record)
{
    struct journal journal = work->journal;
    enum journal_next next;
    journal.end = start;
    TRY(journal_next(&journal, record, &next));
    return next == JOURNAL_RECORD ? 0
                                  : error_set(CLTB_E_CORRUPT, "%s was changed while it was in use", work->journal.path);
}

int restricted_work_section(struct restricted_work *work, uint32_t slice, struct restricted_blocks *blocks)
{
    free(work->record.front);
    free(work->data);
    work->record.front = NULL;
    work->data = NULL;
    TRY(read_again(work, work->section[slice], &work->record));
    const struct section_front *front = work->record.front;
    const uint32_t *sizes = (const uint32_t *)(front + 1);
    const size_t count = front->blocks;
    if (work->piece == NULL)
        TRY(memory_new(&work->piece, COLOURS * count, sizeof *work->piece, "compressed blocks"));
    TRY(memory_new(&work->data, work->record.data_bytes, 1, "compressed blocks"));
    TRY(journal_read(&work->journal, work->record.data, work->data, work->record.data_bytes));
    const uint8_t *at = work->data;
    for (size_t i = 0; i < COLOURS * count; at += sizes[i++])
        work->piece[i] = (struct container_piece){at, sizes[i]};
    *blocks = (struct restricted_blocks){
        .slice = slice, .count = count, .piece = {work->piece, work->piece + count}, .figures = front->figures};
    return 0;
}

// ---- batches ----

int restricted_work_put_batch(struct restricted_work *work, uint32_t section, uint32_t count,
                              const struct solved_slabs *slabs, size_t words)
{
    struct batch_front front = {.section = section, .count = count, .words = slabs == NULL ? 0 : words};
    journal_begin(&work->journal, sizeof front);
    const int code = front.words == 0 ? 0 : solved_slabs_write(slabs, &work->journal, words, &front.slabs);
    TRY(code == 0 ? journal_commit(&work->journal, RECORD_BATCH, &front) : journal_abandon(&work->journal, code));
    return sync_now_and_then(work);
}

static void take_batch(struct restricted_work *work, const struct journal_record *record, uint64_t start, bool *good)
{
    const struct restricted_index *index = index_of(work);
    const struct batch_front *front = record->front;
    if (record->front_bytes != sizeof *front || front->section != work->done || front->count == 0 ||
        front->count > index->slices - work->done)
        return;
    *good = true;
    for (uint32_t i = 0; *good && i < front->count; i++)
        *good = work->section[work->done + i] != 0;
    if (!*good)
        return;
    work->batch[work->done] = start;
    for (uint32_t i = 0; i < front->count; i++)
        externals_forget(work->externals, work->done + i);
    work->done += front->count;
}

int restricted_work_slabs(struct restricted_work *work, uint32_t section, uint32_t count, struct paged *paged,
                          struct solved_slabs *slabs, size_t words)
{
    struct journal_record record;
    if (work->batch[section] == 0)
        return does_not_fit(work);
    TRY(read_again(work, work->batch[section], &record));
    const struct batch_front *front = record.front;
    const int code = front->count != count || front->words != words
                         ? does_not_fit(work)
                         : solved_slabs_read(slabs, paged, &work->journal, record.data, words, &front->slabs);
    free(record.front);
    return code;
}

uint32_t restricted_work_done(const struct restricted_work *work)
{
    return work->done;
}

// ---- opening and closing ----

// Takes the next record if there is an intact one that fits; otherwise the journal's end does not change.
static int take_record(struct restricted_work *work, bool *good)
{
    const uint64_t start = work->journal.end;
    struct journal_record record;
    enum journal_next next;
    *good = false;
    TRY(journal_next(&work->journal, &record, &next));
    if (next != JOURNAL_RECORD)
        return 0;
    int code = 0;
    if (record.kind == RECORD_MOVES)
        code = take_moves(work, &record, good);
    else if (record.kind == RECORD_SECTION)
        take_section(work, &record, start, good);
    else if (record.kind == RECORD_BATCH)
        take_batch(work, &record, start, good);
    free(record.front);
    if (!*good)
        work->journal.end = start;
    return code;
}

static int find_about(const struct restricted_work *work, uint32_t batch, struct about *about)
{
    const struct externals *externals = work->externals;
    const struct spec *spec = &externals->index->spec;
    const size_t size = spec_write(spec, NULL, 0) + 1;
    char *text;
    TRY(memory_new(&text, size, 1, "a spec"));
    *about = (struct about){.version = WORK_VERSION,
                            .batch = batch,
                            .spec = XXH64(text, spec_write(spec, text, size), 0),
                            .sections = externals->index->slices,
                            .slice_entries = externals->index->slice_entries};
    free(text);
    for (int i = 0; i < externals->bases->count; i++) {
        const struct restricted_table *table = externals->bases->base[i].table;
        const uint64_t hash = table == NULL ? 0 : container_hash(table->file.container);
        about->bases = XXH64(&hash, sizeof hash, about->bases);
    }
    return 0;
}

static int open_file(struct restricted_work *work, const char *path, uint32_t batch)
{
    enum journal_found found = JOURNAL_EMPTY;
    struct about about;
    bool good = true;
    TRY(memory_new(&work->section, index_of(work)->slices, sizeof *work->section, "slices"));
    TRY(memory_new(&work->batch, index_of(work)->slices, sizeof *work->batch, "slices"));
    TRY(find_about(work, batch, &about));
    TRY(journal_open(&work->journal, path, &about, sizeof about, &found));
    work->start = work->journal.end;
    if (found != JOURNAL_SAME)
        return journal_restart(&work->journal, &about, sizeof about);
    while (good) {
        const int code = take_record(work, &good);
        if (code != 0) {
            work->start = 0; // what could not be read is kept
            return code;
        }
    }
    return journal_cut(&work->journal);
}

int restricted_work_open(struct restricted_work **result, const char *path, struct externals *externals, uint32_t batch)
{
    struct restricted_work *work;
    *result = NULL;
    TRY(memory_new(&work, 1, sizeof *work, "a work file"));
    work->journal.file = -1;
    work->externals = externals;
    work->synced = wall_seconds();
    const int code = open_file(work, path, batch);
    if (code != 0)
        restricted_work_close(work);
    else
        *result = work;
    return code;
}

void restricted_work_close(struct restricted_work *work)
{
    if (work == NULL)
        return;
    const bool keep = work->journal.end > work->start;
    if (keep && work->journal.file >= 0)
        (void)journal_sync(&work->journal);
    journal_close(&work->journal, keep);
    free(work->record.front);
    free(work->data);
    free(work->piece);
    free(work->section);
    free(work->batch);
    free(work);
}
