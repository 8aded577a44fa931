// test_slice_store.c - the work file of a table with pawns
//
// It is filled with random planes and damaged in every way, and must give back what its intact records contain.
#include "support/support.h"

#include "disk/journal.h"
#include "make/slice_store.h"
#include "util/threads.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- planes for the work file ----

enum { SIDE_PLANES = 3 + DISTANCE_PLANES_MAX, BATCHES = 4, STORED_SLICES = 60 };

// One batch of the made-up work: slices first, first + step, ...
struct batch {
    struct slice_values values;
    size_t count;
    struct slice_record record[STORED_SLICES];
};

static struct batch batch[BATCHES];
static char work_path[TEST_PATH_MAX];

static const uint64_t *random_plane(size_t words)
{
    uint64_t *plane = malloc(words * sizeof *plane);
    assert_non_null(plane);
    const bool sparse = random_u64() & 1;
    for (size_t w = 0; w < words; w++)
        plane[w] = sparse ? random_u64() & random_u64() & random_u64() & random_u64() : random_u64();
    return plane;
}

// `all`: with every plane.
static void make_batch(struct batch *to, uint32_t first, uint32_t step, size_t count, size_t words, bool all)
{
    memset(to, 0, sizeof *to);
    to->count = count;
    for (int i = 0; i < 50; i++) {
        to->values.value[random_u64() & 1][random_u64() & 1][random_u64() % DISTANCE_CODES] =
            (solver_value)(2 + random_u64() % 2000);
        to->values.longest[random_u64() & 1][random_u64() % 5] = (int)(random_u64() % 1000);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        struct slice_side *side = &to->record[i / 2].side[i % 2];
        to->record[i / 2].slice = first + step * (uint32_t)(i / 2);
        side->won = random_plane(words);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            side->distance[bit] = all || random_u64() % 3 == 0 ? random_plane(words) : NULL;
        side->resolved = all || random_u64() & 1 ? random_plane(words) : NULL;
        side->stalemate = all || random_u64() & 1 ? random_plane(words) : NULL;
    }
}

// KPPvK has slices of 64 words.
enum { STORED_WORDS = 64 };

// A test's setup and teardown.
static int make_batches(void **state)
{
    unlink(work_path);
    for (uint32_t b = 0; b < BATCHES; b++)
        make_batch(&batch[b], b, BATCHES, b == 1 ? 1 : 2 + random_u64() % 10, STORED_WORDS, false);
    return 0;
}

_Static_assert(sizeof(struct slice_side) == SIDE_PLANES * sizeof(uint64_t *), "a side is nothing but planes");

static int free_batches(void **state)
{
    for (int b = 0; b < BATCHES; b++) {
        for (size_t i = 0; i < 2 * batch[b].count; i++) {
            void *plane[SIDE_PLANES];
            memcpy(plane, &batch[b].record[i / 2].side[i % 2], sizeof plane);
            for (int k = 0; k < SIDE_PLANES; k++)
                free(plane[k]);
        }
        batch[b].count = 0;
    }
    return 0;
}

static void check_side(const struct slice_side *is, const struct slice_side *should, size_t words)
{
    const uint64_t *plane[2][SIDE_PLANES];
    memcpy(plane[0], is, sizeof plane[0]);
    memcpy(plane[1], should, sizeof plane[1]);
    for (int k = 0; k < SIDE_PLANES; k++) {
        assert_int_equal(plane[0][k] == NULL, plane[1][k] == NULL);
        if (plane[0][k] != NULL)
            assert_memory_equal(plane[0][k], plane[1][k], words * sizeof *plane[0][k]);
    }
}

// The first `batches` batches exist, and nothing else.
static void check_store(struct slice_store *store, int batches, size_t words)
{
    const struct slice_sink sink = slice_store_sink(store);
    uint32_t slices = 0;
    for (int b = 0; b < BATCHES; b++) {
        for (size_t i = 0; i < batch[b].count; i++) {
            const struct slice_record *should = &batch[b].record[i];
            assert_int_equal(sink.has(sink.context, should->slice), b < batches);
            struct slice_side is;
            const struct slice_values *values;
            if (b >= batches) {
                assert_int_not_equal(sink.get(sink.context, should->slice, WHITE, &values, &is), 0);
                continue;
            }
            slices++;
            for (int side = WHITE; side <= BLACK; side++) {
                GOOD(sink.get(sink.context, should->slice, side, &values, &is));
                assert_memory_equal(values, &batch[b].values, sizeof *values);
                check_side(&is, &should->side[side], words);
            }
        }
    }
    assert_int_equal(slice_store_slices(store), slices);
}

static struct slice_store_options stored_options(void)
{
    static struct material material;
    material = material_named("KPPvK");
    return (struct slice_store_options){.path = work_path,
                                        .material = &material,
                                        .slices = STORED_SLICES,
                                        .keep_distance = {true, false},
                                        .keep_resolved = true,
                                        .pool = test_pool};
}

static struct slice_store *open_stored(void)
{
    struct slice_store *store;
    const struct slice_store_options options = stored_options();
    GOOD(slice_store_open(&store, &options));
    return store;
}

static uint64_t file_bytes(void)
{
    struct stat status;
    assert_int_equal(stat(work_path, &status), 0);
    return (uint64_t)status.st_size;
}

static int put_batch(struct slice_store *store, int b)
{
    const struct slice_sink sink = slice_store_sink(store);
    return sink.put(sink.context, &batch[b].values, batch[b].record, batch[b].count);
}

static void put_batches(struct slice_store *store, int first, uint64_t *ends)
{
    for (int b = first; b < BATCHES; b++) {
        GOOD(put_batch(store, b));
        ends[b] = slice_store_bytes(store);
    }
}

// A new work file with all batches; ends[b]: its length after batch b.
static void store_batches(uint64_t *ends, bool keep)
{
    unlink(work_path);
    struct slice_store *store = open_stored();
    put_batches(store, 0, ends);
    slice_store_close(store, keep);
}

// ---- the work file ----

static void test_there_and_back(void **state)
{
    uint64_t ends[BATCHES];
    struct slice_store *store = open_stored();
    check_store(store, 0, STORED_WORDS);
    put_batches(store, 0, ends);
    check_store(store, BATCHES, STORED_WORDS);
    // All of them at once, one side at a time.
    uint32_t slices[STORED_SLICES];
    struct slice_view views[STORED_SLICES];
    for (int side = WHITE; side <= BLACK; side++) {
        size_t count = 0;
        for (int b = BATCHES - 1; b >= 0; b--)
            for (size_t i = 0; i < batch[b].count; i++)
                slices[count++] = batch[b].record[i].slice;
        GOOD(slice_store_load(store, side, slices, count, views));
        for (int b = 0; b < BATCHES; b++) {
            count -= batch[b].count;
            for (size_t i = 0; i < batch[b].count; i++) {
                check_side(&views[count + i].planes, &batch[b].record[i].side[side], STORED_WORDS);
                assert_memory_equal(views[count + i].value, batch[b].values.value[side],
                                    sizeof batch[b].values.value[side]);
            }
        }
    }
    slice_store_close(store, true);
    store = open_stored();
    check_store(store, BATCHES, STORED_WORDS);
    slice_store_close(store, false);
    assert_int_not_equal(access(work_path, F_OK), 0);
    // A file without a slice is not left behind.
    store = open_stored();
    slice_store_close(store, true);
    assert_int_not_equal(access(work_path, F_OK), 0);
}

// Planes of 2 MiB, of several chunks each.
static void test_large_slices(void **state)
{
    enum { WORDS = 1 << 18 };
    const struct material material = material_named("KRPvKR");
    const struct slice_store_options options = {
        .path = work_path, .material = &material, .slices = 24, .pool = test_pool};
    struct slice_store *store;
    make_batch(&batch[0], 23, 1, 1, WORDS, true);
    make_batch(&batch[1], 5, 1, 1, WORDS, false);
    for (int round = 0; round < 2; round++) {
        GOOD(slice_store_open(&store, &options));
        for (int b = 0; round == 0 && b < 2; b++)
            GOOD(put_batch(store, b));
        check_store(store, 2, WORDS);
        if (round == 0)
            slice_store_close(store, true);
    }
    slice_store_close(store, false);
}

// Opens a file that was damaged at some byte, checks what is left, and puts the rest again.
static void resume(const uint64_t *ends, uint64_t damaged)
{
    uint64_t again[BATCHES];
    int good = 0;
    while (good < BATCHES && ends[good] <= damaged)
        good++;
    struct slice_store *store = open_stored();
    check_store(store, good, STORED_WORDS);
    if (good > 0)
        assert_int_equal(file_bytes(), ends[good - 1]);
    put_batches(store, good, again);
    check_store(store, BATCHES, STORED_WORDS);
    slice_store_close(store, true);
    store = open_stored();
    check_store(store, BATCHES, STORED_WORDS);
    slice_store_close(store, false);
}

static void test_damage(void **state)
{
    uint64_t ends[BATCHES];
    struct slice_store *store = open_stored();
    const uint64_t start = slice_store_bytes(store);
    slice_store_close(store, false);
    store_batches(ends, true);
    const uint64_t bytes = file_bytes();
    assert_int_equal(bytes, ends[BATCHES - 1]);
    struct bytes whole = read_file(work_path);
    for (int i = 0; i < 150; i++) {
        // Near the ends of records, in the heads, and anywhere.
        uint64_t at = random_u64() % bytes;
        if (i % 3 == 0)
            at = (ends[random_u64() % BATCHES] + bytes - random_u64() % 3) % bytes;
        if (i % 3 == 1)
            at = (random_u64() % 2 ? start : ends[random_u64() % (BATCHES - 1)]) + random_u64() % 60;
        write_file(work_path, whole.data, at);
        resume(ends, at);
        at += at < 8 ? 8 : 0; // the first bytes say that the file is ours
        whole.data[at] ^= (uint8_t)(1 << random_u64() % 8);
        write_file(work_path, whole.data, bytes);
        free(whole.data);
        resume(ends, at < start ? 0 : at);
        store_batches(ends, true);
        whole = read_file(work_path);
    }
    free(whole.data);
}

// Chunks are checked when they are read back, too.
static void test_changed_in_use(void **state)
{
    struct slice_store *store = open_stored();
    const struct slice_sink sink = slice_store_sink(store);
    uint64_t ends[BATCHES];
    int changed = 0;
    (void)state;
    put_batches(store, 0, ends);
    const struct bytes whole = read_file(work_path);
    whole.data[whole.size - 20] ^= 1;
    write_file(work_path, whole.data, whole.size);
    for (size_t i = 0; i < batch[BATCHES - 1].count; i++) {
        const struct slice_record *should = &batch[BATCHES - 1].record[i];
        for (int side = WHITE; side <= BLACK; side++) {
            struct slice_side is;
            const struct slice_values *values;
            if (sink.get(sink.context, should->slice, side, &values, &is) == 0) {
                check_side(&is, &should->side[side], STORED_WORDS);
                continue;
            }
            FAILS(sink.get(sink.context, should->slice, side, &values, &is), CLTB_E_CORRUPT, "was changed while");
            changed++;
        }
    }
    assert_int_equal(changed, 1);
    slice_store_close(store, false);
    free(whole.data);
}

// A file of that name that is something else stays as it is.
static void test_foreign_file(void **state)
{
    static const char notes[] = "notes of mine";
    static const uint8_t zeros[300] = {0};
    struct slice_store *store;
    const struct slice_store_options options = stored_options();
    write_file(work_path, notes, sizeof notes);
    FAILS(slice_store_open(&store, &options), CLTB_E_FOREIGN, "not a work file of cltb");
    journal_drop(work_path, NULL);
    const struct bytes there = read_file(work_path);
    assert_int_equal(there.size, sizeof notes);
    assert_memory_equal(there.data, notes, sizeof notes);
    free(there.data);
    unlink(work_path);
    for (size_t count = 0; count <= sizeof zeros; count += 100) { // as after a power failure
        write_file(work_path, zeros, count);
        store = open_stored();
        assert_int_equal(slice_store_slices(store), 0);
        slice_store_close(store, true);
    }
    write_file(work_path, zeros, sizeof zeros);
    journal_drop(work_path, NULL);
    assert_int_equal(access(work_path, F_OK), -1);
}

static void test_one_at_a_time(void **state)
{
    struct slice_store *store;
    struct slice_store *second;
    const struct slice_store_options options = stored_options();
    GOOD(slice_store_open(&store, &options));
    FAILS(slice_store_open(&second, &options), CLTB_E_IO, "another cltb uses ");
    assert_null(second);
    slice_store_close(store, false);
    GOOD(slice_store_open(&second, &options));
    slice_store_close(second, false);
}

static void test_other_options(void **state)
{
    const struct material other = material_named("KPvKP");
    uint64_t ends[BATCHES];
    for (int i = 0; i < 5; i++) {
        struct slice_store *store;
        store_batches(ends, true);
        struct slice_store_options options = stored_options();
        options.keep_distance[WHITE] ^= i == 0;
        options.keep_distance[BLACK] ^= i == 1;
        options.keep_resolved ^= i == 2;
        options.slices += i == 3;
        options.material = i == 4 ? &other : options.material;
        GOOD(slice_store_open(&store, &options));
        check_store(store, 0, STORED_WORDS);
        slice_store_close(store, false);
    }
}

// Records of a store are copied to another one as they are, but not from a damaged message.
static void test_records_of_others(void **state)
{
    uint64_t ends[BATCHES];
    char other_path[TEST_PATH_MAX];
    struct slice_store_options options = stored_options();
    struct slice_store *other;
    struct slice_store *store = open_stored();
    snprintf(other_path, sizeof other_path, "%s", tmp_path("slices.1.cltb.work"));
    options.path = other_path;
    put_batches(store, 0, ends);
    GOOD(slice_store_open(&other, &options));
    for (int b = 0; b < BATCHES; b++) {
        const uint32_t first = batch[b].record[0].slice;
        const struct slice_parcel *parcel = slice_store_parcel(store, first);
        assert_null(slice_store_parcel(other, first));
        assert_int_equal(parcel->slices, batch[b].count);
        uint8_t *bytes = malloc(parcel->bytes);
        assert_non_null(bytes);
        GOOD(slice_store_read(store, parcel, bytes));
        FAILS(slice_store_add(other, bytes, parcel->bytes - 1), CLTB_E_CORRUPT, "do not fit");
        bytes[random_u64() % parcel->bytes] ^= 1;
        FAILS(slice_store_add(other, bytes, parcel->bytes), CLTB_E_CORRUPT, "do not fit");
        check_store(other, b, STORED_WORDS);
        GOOD(slice_store_read(store, parcel, bytes));
        GOOD(slice_store_add(other, bytes, parcel->bytes));
        check_store(other, b + 1, STORED_WORDS);
        free(bytes);
    }
    assert_int_equal(slice_store_bytes(other), ends[BATCHES - 1]);
    slice_store_close(store, false);
    slice_store_close(other, true);
    GOOD(slice_store_open(&other, &options)); // as after a kill
    check_store(other, BATCHES, STORED_WORDS);
    slice_store_close(other, false);
}

// ---- what was found in batches ----

static int add_found(void *context, const void *bytes, size_t count)
{
    uint32_t *sum = context;
    uint32_t number;
    assert_int_equal(count, sizeof number);
    memcpy(&number, bytes, sizeof number);
    *sum += number;
    return 0;
}

static void put_with(struct slice_store *store, int b, uint32_t number)
{
    struct peer_bytes found = {malloc(sizeof number), sizeof number};
    assert_non_null(found.bytes);
    memcpy(found.bytes, &number, sizeof number);
    slice_store_attach(store, &found);
    assert_null(found.bytes);
    GOOD(put_batch(store, b));
}

static void check_found(struct slice_store *store, bool whole, uint32_t should)
{
    uint32_t sum = 0;
    bool is;
    GOOD(slice_store_found(store, add_found, &sum, &is));
    assert_int_equal(is, whole);
    assert_int_equal(sum, should);
}

// It comes back after a kill, once all slices are there; not if a slice belongs to two batches.
static void test_found(void **state)
{
    struct slice_store_options options = stored_options();
    struct slice_store *store;
    options.slices = 4;
    options.found = true;
    unlink(work_path);
    make_batch(&batch[0], 0, 1, 2, STORED_WORDS, false);
    make_batch(&batch[1], 2, 1, 2, STORED_WORDS, false);
    make_batch(&batch[2], 1, 1, 2, STORED_WORDS, false);
    GOOD(slice_store_open(&store, &options));
    put_with(store, 0, 5);
    check_found(store, false, 0);
    put_with(store, 1, 1000);
    check_found(store, true, 1005);
    slice_store_close(store, true);
    GOOD(slice_store_open(&store, &options));
    check_found(store, true, 1005);
    put_with(store, 2, 70);
    check_found(store, false, 0);
    slice_store_close(store, true);
    options.found = false; // a work file with other contents is not used
    GOOD(slice_store_open(&store, &options));
    assert_int_equal(slice_store_slices(store), 0);
    slice_store_close(store, false);
}

// Good hashes, but values that no solver finds.
static void test_impossible_values(void **state)
{
    uint64_t ends[BATCHES];
    for (int i = 0; i < 2; i++) {
        const struct slice_values good = batch[2].values;
        if (i == 0)
            batch[2].values.value[BLACK][1][7] = UINT16_MAX;
        else
            batch[2].values.longest[WHITE][4] = 100000;
        store_batches(ends, true);
        batch[2].values = good;
        struct slice_store *store = open_stored();
        check_store(store, 2, STORED_WORDS);
        slice_store_close(store, false);
    }
}

static void test_full_disk(void **state)
{
    struct slice_store *store;
    uint64_t ends[BATCHES];
    struct rlimit before;
    store_batches(ends, false);
    store = open_stored();
    GOOD(put_batch(store, 0));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    for (uint64_t room = 0; room < 200; room += 40) {
        const struct rlimit limit = {ends[0] + room * (ends[1] - ends[0]) / 200, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        FAILS(put_batch(store, 1), CLTB_E_IO, work_path);
        check_store(store, 1, STORED_WORDS);
        assert_int_equal(file_bytes(), ends[0]);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    put_batches(store, 1, ends);
    check_store(store, BATCHES, STORED_WORDS);
    slice_store_close(store, false);
}

static void test_killed(void **state)
{
    uint64_t ends[BATCHES];
    store_batches(ends, false);
    const uint64_t whole = ends[BATCHES - 1];
    for (int round = 0; round < 12; round++) {
        struct slice_store *store;
        int status;
        unlink(work_path);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct slice_store_options options = stored_options();
            if (threads_open(&options.pool, 1) != 0 || slice_store_open(&store, &options) != 0)
                _exit(1);
            for (int b = 0; put_batch(store, b) == 0;)
                b = (b + 1) % BATCHES;
            _exit(1);
        }
        struct stat file = {.st_size = 0};
        while ((stat(work_path, &file) != 0 || (uint64_t)file.st_size < 3 * whole) &&
               waitpid(child, NULL, WNOHANG) == 0)
            usleep(500);
        usleep((useconds_t)(random_u64() % 5000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        store = open_stored();
        check_store(store, BATCHES, STORED_WORDS); // it wrote them several times
        slice_store_close(store, false);
    }
}

static int setup(void **state)
{
    snprintf(work_path, sizeof work_path, "%s", tmp_path("slices.cltb.work"));
    unlink(work_path);
    return pool_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_there_and_back, make_batches, free_batches),
        cmocka_unit_test_setup_teardown(test_large_slices, NULL, free_batches),
        cmocka_unit_test_setup_teardown(test_damage, make_batches, free_batches),
        cmocka_unit_test_setup_teardown(test_changed_in_use, make_batches, free_batches),
        cmocka_unit_test(test_foreign_file),
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test_setup_teardown(test_other_options, make_batches, free_batches),
        cmocka_unit_test_setup_teardown(test_records_of_others, make_batches, free_batches),
        cmocka_unit_test_setup_teardown(test_found, NULL, free_batches),
        cmocka_unit_test_setup_teardown(test_impossible_values, make_batches, free_batches),
        cmocka_unit_test_setup_teardown(test_full_disk, make_batches, free_batches),
        cmocka_unit_test_setup_teardown(test_killed, make_batches, free_batches)};
    return cmocka_run_group_tests(tests, setup, pool_teardown);
}
