// fuzz_work.c - hostile work files: solved slices of a table with pawns or of a restricted endgame, and checkpoints of
// a table that is solved on disk
//
// Properties: whatever the files contain, the build ends with a table or an error; and if hashes are wrong, which is
// what damage looks like, the table has the same bytes as without any earlier work. The driver stops builds half-way
// and mutates what they leave. Most of the time all hashes are made right again, so that the build must rely on its own
// checks.
//
// With a fuzzing library the first byte of an input selects its kind.
#include "make/build.h"
#include "make/table_job.h"
#include "restricted/make/build.h"
#include "solve/disk/shape.h"
#include "table/path.h"
#include "util/error.h"

#include "fuzz/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { PAWNS, RESTRICTED, STREAMED, SOLVED, KINDS }; // STREAMED stopped while it is solved, SOLVED before it is written
enum { FILE_MAX = 8 << 20, FILE_HEAD = 24, RECORD_HEAD = 40 };

static const char *const names[] = {[PAWNS] = "KPvK", [RESTRICTED] = "small", [STREAMED] = "KBBvK", [SOLVED] = "KBBvK"};
static struct thread_pool *pool;
static int steps_left; // until the build is stopped, at the latest before writing; 0: it is not

// Nothing here has to survive a loss of power. These functions replace those of the whole program.
int fsync(int file)
{
    (void)file;
    return 0;
}

int fdatasync(int file)
{
    (void)file;
    return 0;
}

static const char *file_of(int kind, const char *ending)
{
    static char path[4][40];
    static int next;
    snprintf(path[next = (next + 1) % 4], sizeof path[0], "./%s.cltb%s", names[kind], ending);
    return path[next];
}

// ---- builds ----

static int on_event(void *context, const struct build_event *event)
{
    (void)context;
    if (event->kind == BUILD_PLY)
        return steps_left > 0 && --steps_left == 0;
    return event->kind == BUILD_SOLVED && steps_left > 0;
}

static int make_table(const struct material *material)
{
    const struct build_options options = {
        .dir = ".", .both_sides = true, .checkpoint = steps_left > 0 ? 0 : 1000, .event = on_event};
    struct plan_table table = {.material = *material, .write = true};
    struct table_job making = {.job = {.options = &options, .pool = pool, .device = {.number = -1}}, .batch_bytes = 1};
    require(table_path(making.job.path, sizeof making.job.path, ".", material) == 0 &&
                table_work_path(making.work, sizeof making.work, ".", material) == 0,
            "paths");
    if (!material_has_pawns(material)) {
        struct layout layout;
        require(layout_init(&layout, material, LAYOUT_PAIR) == 0, "the layout");
        table.stream = (struct plan_stream){.shape = {2, 10, 0}, .write_memory = 64 << 20};
        table.stream.shape.slot_bytes = stream_block_bytes(&table.stream.shape, &layout);
    }
    table_job_begin(&making, &table);
    return material_has_pawns(material) ? pawn_table_make(&making) : streamed_table_make(&making);
}

// Kings that leave their squares are in a restricted futurebase.
static int make_restricted(const char *men, const char *base, const char *file)
{
    static struct spec spec;
    const struct build_options options = {.dir = ".", .device = "cpu", .threads = 1, .event = on_event};
    require(spec_read(&spec, men) == 0 && (base == NULL || spec_add_futurebase(&spec, base, false) == 0), "men");
    for (int colour = WHITE; colour <= BLACK; colour++)
        require(spec_add_rule(&spec, colour, SPEC_CONCEDE, "*") == 0, "a rule");
    require(spec_finish(&spec) == 0, "a spec");
    return restricted_build(&spec, &options, file, NULL);
}

static bool has_planes(int kind)
{
    return kind == STREAMED || kind == SOLVED;
}

static int make(int kind)
{
    struct material material;
    if (kind == RESTRICTED)
        return make_restricted("K[a1-c2] P[e2+] R[h1,h2] v K[a7-c8] P[d4+]", "base.cltb", "small.cltb");
    require(material_parse(&material, names[kind], NULL) == 0, "a material");
    return make_table(&material);
}

// ---- work files ----

static struct file {
    uint8_t bytes[FILE_MAX];
    size_t size;
} work, planes, table, whole[KINDS];

static void read_file(struct file *file, const char *path)
{
    file->size = file_bytes(path, file->bytes, sizeof file->bytes);
}

static void write_file(const struct file *file, const char *path)
{
    FILE *out = fopen(path, "wb");
    require(out != NULL && fwrite(file->bytes, 1, file->size, out) == file->size && fclose(out) == 0, "a file");
}

static void remove_files(int kind)
{
    static const char *const endings[] = {"", ".work", ".planes"};
    for (int i = 0; i < 3; i++)
        unlink(file_of(kind, endings[i]));
}

// What a build makes of the files. `exact`: a table must be the right one.
static void try_files(int kind, bool exact)
{
    remove_files(kind);
    write_file(&work, file_of(kind, ".work"));
    if (has_planes(kind))
        write_file(&planes, file_of(kind, ".planes"));
    const int code = make(kind);
    require(code == 0 || code == CLTB_E_INTERRUPTED || code == CLTB_E_CORRUPT || code == CLTB_E_FOREIGN ||
                code == CLTB_E_USAGE,
            "a code");
    require(code == 0 || error_text()[0] != '\0', "no sentence");
    require((access(file_of(kind, ""), F_OK) == 0) == (code == 0), "a table and an error");
    if (code == 0 && exact) {
        read_file(&table, file_of(kind, ""));
        require(table.size == whole[kind].size && memcmp(table.bytes, whole[kind].bytes, table.size) == 0,
                "another table");
    }
}

static void start(void)
{
    static const char *const bases[] = {"KQvK", "KRvK", "KBvK", "KNvK"};
    const struct build_options options = {.dir = ".", .device = "cpu", .threads = 1};
#ifndef FUZZ_SANITIZED
    const struct rlimit memory = {1 << 30, 1 << 30}; // absurd allocations fail, and CLTB_E_MEMORY is a fault
    require(setrlimit(RLIMIT_DATA, &memory) == 0, "a limit of memory");
#endif
    for (int i = 0; i < 4; i++) {
        struct material material;
        require(material_parse(&material, bases[i], NULL) == 0 && build_table(&material, &options) == 0, "a base");
    }
    require(make_restricted("K P[e2+] R[h1,h2] v K P[d4+]", NULL, "base.cltb") == 0, "a restricted base");
    require(threads_open(&pool, 1) == 0, "threads");
    for (int kind = 0; kind < KINDS; kind++) {
        remove_files(kind);
        require(make(kind) == 0, "a table");
        read_file(&whole[kind], file_of(kind, ""));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (pool == NULL)
        start();
    if (size < 1 || size > FILE_MAX)
        return 0;
    work.size = size - 1;
    memcpy(work.bytes, data + 1, work.size);
    try_files(data[0] % KINDS, false);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

static struct file original[KINDS], original_planes[KINDS];

// ---- the records of `work` ----

// Offsets in a record's head.
enum { AT_HASH = 8, AT_DATA_BYTES = 16, AT_DATA_HASH = 24, AT_KIND = 32, AT_FRONT_BYTES = 36, RECORDS_MAX = 500 };

struct record {
    size_t at;
    size_t front_bytes;
    size_t data; // where they are
    size_t data_bytes;
};

static uint64_t number_at(size_t at, size_t bytes)
{
    uint64_t number = 0;
    memcpy(&number, work.bytes + at, bytes);
    return number;
}

static void set_number(size_t at, uint64_t number, size_t bytes)
{
    memcpy(work.bytes + at, &number, bytes);
}

static size_t find_records(struct record record[RECORDS_MAX])
{
    size_t count = 0;
    size_t at = work.size < FILE_HEAD ? work.size : FILE_HEAD + number_at(12, 4);
    while (count < RECORDS_MAX && at + RECORD_HEAD <= work.size) {
        const size_t front = number_at(at + AT_FRONT_BYTES, 4);
        const uint64_t data = number_at(at + AT_DATA_BYTES, 8);
        if (data > work.size || at + RECORD_HEAD + front + data > work.size)
            break;
        record[count++] = (struct record){at, front, at + RECORD_HEAD + front, data};
        at += RECORD_HEAD + front + data;
    }
    return count;
}

// The parts of the front of solved slices: a head, an entry for each slice and for each chunk, the values, what was
// found.
enum { SLICES_HEAD = 24, SLICE_ENTRY = 8, CHUNK_ENTRY = 24, ENTRIES_MAX = 1000 };

// Returns whether these parts fit together, and where the entries of chunks are.
static bool find_chunks(const struct record *r, size_t *first, size_t *chunks)
{
    const size_t front = r->at + RECORD_HEAD;
    const uint64_t count = number_at(front, 4);
    const uint64_t values = number_at(front + 8, 8);
    *chunks = number_at(front + 4, 4);
    *first = front + SLICES_HEAD + SLICE_ENTRY * count;
    return r->front_bytes >= SLICES_HEAD && count <= ENTRIES_MAX && *chunks > 0 && *chunks <= ENTRIES_MAX &&
           values <= r->front_bytes &&
           SLICES_HEAD + SLICE_ENTRY * count + CHUNK_ENTRY * *chunks + values + number_at(front + 16, 8) ==
               r->front_bytes;
}

static void mend_chunks(const struct record *r)
{
    size_t entry;
    size_t chunks;
    if (!find_chunks(r, &entry, &chunks))
        return;
    for (; chunks > 0; chunks--, entry += CHUNK_ENTRY) {
        const uint64_t place = number_at(entry, 8);
        const uint64_t bytes = number_at(entry + 16, 8);
        if (bytes <= r->data_bytes && place <= r->data_bytes - bytes)
            set_number(entry + 8, XXH64(work.bytes + r->data + place, bytes, 0), 8);
    }
}

static void mend_hashes(int kind)
{
    static struct record record[RECORDS_MAX];
    const size_t about = work.size < FILE_HEAD ? 0 : number_at(12, 4);
    const size_t count = find_records(record);
    if (work.size >= FILE_HEAD + about)
        set_number(16, XXH64(work.bytes + FILE_HEAD, about, 0), 8);
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &record[i];
        if (kind == PAWNS)
            mend_chunks(r);
        set_number(r->at + AT_DATA_HASH, XXH64(work.bytes + r->data, r->data_bytes, 0), 8);
        set_number(r->at + AT_HASH, 0, 8);
        set_number(r->at + AT_HASH, XXH64(work.bytes + r->at, RECORD_HEAD + r->front_bytes, 0), 8);
    }
}

// Replaces some bytes of the work file by others, perhaps more or fewer.
static void put_in(size_t at, size_t old, const void *bytes, size_t count)
{
    if (work.size - old + count > FILE_MAX)
        return;
    memmove(work.bytes + at + count, work.bytes + at + old, work.size - at - old);
    memcpy(work.bytes + at, bytes, count);
    work.size += count - old;
}

// ---- changes ----

// One of the numbers at bytes from..from+count-1, 1, 2, 4 or 8 bytes of it.
static void change_number(uint8_t *bytes, size_t count)
{
    const uint64_t power = UINT64_C(1) << below(64);
    const uint64_t likely[] = {
        0, 1, 2, 3, 7, 255, 4096, INT32_MAX, UINT32_MAX, UINT64_MAX, power, power - 1, random_number()};
    const size_t width = (size_t)1 << below(4);
    if (count < width)
        return;
    uint8_t *at = bytes + below(count / width) * width;
    uint64_t value = 0;
    memcpy(&value, at, width);
    value = below(2) == 0 ? value + below(9) - 4 : likely[below(sizeof likely / sizeof likely[0])];
    memcpy(at, &value, width);
}

// A zstd frame is decompressed, changed and compressed again. `size_at`: where its size is kept.
static void change_frame(size_t at, size_t bytes, size_t size_at)
{
    static uint8_t plain[1 << 21];
    static uint8_t packed[1 << 22];
    const size_t size = ZSTD_decompress(plain, sizeof plain, work.bytes + at, bytes);
    if (ZSTD_isError(size) || size == 0)
        return;
    for (uint32_t changes = 1 + below(4); changes > 0; changes--)
        change_number(plain, size);
    const size_t now = ZSTD_compress(packed, sizeof packed, plain, size, 1);
    set_number(size_at, now, 4);
    put_in(at, bytes, packed, now);
}

// The values of a batch, or the last chunk of its planes: a single thread wrote them in order.
static void change_slices(const struct record *r)
{
    const size_t before = work.size;
    const bool values = below(2) == 0;
    size_t first;
    size_t chunks;
    if (!find_chunks(r, &first, &chunks))
        return;
    const size_t last = first + CHUNK_ENTRY * (chunks - 1);
    const uint64_t bytes = number_at(last + 16, 8);
    if (values)
        change_frame(last + CHUNK_ENTRY, number_at(r->at + RECORD_HEAD + 8, 8), r->at + RECORD_HEAD + 8);
    else if (bytes <= r->data_bytes && number_at(last, 8) == r->data_bytes - bytes)
        change_frame(r->data + r->data_bytes - bytes, bytes, last + 16);
    const size_t more = work.size - before;
    if (values)
        set_number(r->at + AT_FRONT_BYTES, r->front_bytes + more, 4);
    else
        set_number(r->at + AT_DATA_BYTES, r->data_bytes + more, 8);
}

// The codes of a slice, or the first plane of slabs, of a restricted endgame.
static void change_packed(const struct record *r)
{
    const size_t size_at = r->at + RECORD_HEAD + (r->front_bytes > 100 ? 24 : 8);
    const size_t before = work.size;
    if (r->front_bytes < 24 || number_at(size_at, 4) > r->data_bytes)
        return;
    change_frame(r->data, number_at(size_at, 4), size_at);
    set_number(r->at + AT_DATA_BYTES, r->data_bytes + (work.size - before), 8);
}

// A block of a plane, whose hash is mended in the checkpoint.
static void change_block(const struct record *r)
{
    enum { CHECK_BYTES = 40, BLOCK_BYTES = 16, PAGE = 4096 };
    if (r->data_bytes < CHECK_BYTES + BLOCK_BYTES)
        return;
    const size_t slot_bytes = (number_at(r->data + 8, 8) + PAGE - 1) / PAGE * PAGE;
    const size_t blocks =
        number_at(r->data, 4) * number_at(r->data + 4, 4) * (size_t)__builtin_popcountll(number_at(r->data + 16, 8));
    if (blocks == 0 || blocks > (r->data_bytes - CHECK_BYTES) / BLOCK_BYTES)
        return;
    const size_t block = r->data + CHECK_BYTES + below(blocks) * BLOCK_BYTES;
    const size_t at = number_at(block, 4) * slot_bytes;
    const size_t bytes = number_at(block + 4, 4) * PAGE;
    if (at >= planes.size || bytes > planes.size - at)
        return;
    for (uint32_t changes = 1 + below(3); changes > 0; changes--)
        change_number(planes.bytes + at, below(2) == 0 ? bytes : bytes < 128 ? bytes : 128); // its flags
    set_number(block + 8, XXH64(planes.bytes + at, bytes, 0), 8);
}

// `mend`: hashes are made right afterwards. Then no record is removed or doubled: their hashes would still be right,
// and no accident does that.
static void change_record(int kind, bool mend)
{
    static struct record record[RECORDS_MAX];
    static uint8_t copy[FILE_MAX];
    const size_t count = find_records(record);
    if (count == 0)
        return;
    // The last ones are the checkpoints that count.
    const struct record *r = &record[below(2) == 0 ? count - 1 : below(count)];
    const size_t bytes = RECORD_HEAD + r->front_bytes + r->data_bytes;
    switch (below(8)) {
    case 0:
        change_number(work.bytes + r->at, RECORD_HEAD);
        break;
    case 1: // removed or doubled
        if (!mend)
            break;
        memcpy(copy, work.bytes + r->at, bytes);
        put_in(r->at, below(2) == 0 ? bytes : 0, copy, below(2) == 0 ? bytes : 0);
        break;
    case 2:
        change_number(work.bytes + r->at + RECORD_HEAD, r->front_bytes);
        break;
    case 3: // the numbers at the beginning
        change_number(work.bytes + r->data, r->data_bytes < 64 ? r->data_bytes : 64);
        break;
    case 4:
        if (r->data_bytes > 10400) // and those of what the solver saves, before its values
            change_number(work.bytes + r->data + r->data_bytes - 8328, 136);
        break;
    case 5:
    case 6:
        if (kind == PAWNS)
            change_slices(r);
        else if (has_planes(kind))
            change_block(r);
        else
            change_packed(r);
        break;
    default:
        change_number(work.bytes + r->data, r->data_bytes);
        break;
    }
}

static void begin_with(int kind)
{
    work.size = original[kind].size;
    memcpy(work.bytes, original[kind].bytes, work.size);
    planes.size = original_planes[kind].size;
    memcpy(planes.bytes, original_planes[kind].bytes, planes.size);
}

static void run_one(void)
{
    const int kind = (int)below(KINDS);
    const bool mend = below(8) > 0;
    begin_with(kind);
    for (uint32_t changes = 1 + below(3); changes > 0; changes--) {
        if (mend || below(4) > 0)
            change_record(kind, mend);
        else if (below(2) == 0 && work.size > 0)
            work.size = below(work.size) + 1;
        else if (below(2) == 0)
            work.bytes[below(work.size)] ^= (uint8_t)(1 << below(8));
        else if (has_planes(kind))
            change_number(planes.bytes, planes.size);
    }
    if (mend)
        mend_hashes(kind);
    steps_left = mend && below(4) > 0 ? 3 : 0; // usually: most faults show at the beginning
    try_files(kind, !mend);
}

int main(int argc, char **argv)
{
    static const int steps[] = {[PAWNS] = 60, [RESTRICTED] = 40, [STREAMED] = 30, [SOLVED] = 1000};
    start();
    for (int kind = 0; kind < KINDS; kind++) {
        remove_files(kind);
        steps_left = steps[kind];
        require(make(kind) == CLTB_E_INTERRUPTED, "it was not stopped");
        read_file(&original[kind], file_of(kind, ".work"));
        if (has_planes(kind))
            read_file(&original_planes[kind], file_of(kind, ".planes"));
        steps_left = 0;
        begin_with(kind);
        try_files(kind, true);
    }
    return fuzz_run(argc, argv, run_one);
}

#endif
