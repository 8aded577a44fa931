// test_restricted_table.c - the table of a restricted endgame as a file: what goes in comes out, and no damage goes unnoticed
//
// Values are made up by a formula, so no solver is needed.
#include "support/support.h"

#include "restricted/table.h"
#include "table/block_cache.h"
#include "table/container.h"
#include "table/container_format.h"
#include "util/error.h"
#include "util/threads.h"

#include <unistd.h>
#include <xxhash.h>

enum { PATHS_MAX = 600 };

// One slice of many blocks; many small ones, some of them only as mirror images; identical pieces; symmetric ones that change places.
static const char *const specs[] = {"K Q v K",
                                    "K P v K",
                                    "K[a1-c3] P[f5+] P[g6+] v K P[c4+]",
                                    "K[a1,h1] Q[a-d] Q[e-h] v K[a8,h8]",
                                    "K[e1] R[a-d] R[a-d] R[a-d] v K[e8,d8]",
                                    "K[e1] P[d4+] v K[e8]"};

enum { SPECS = sizeof specs / sizeof specs[0] };

static struct thread_pool *pool; // of three threads

static const char *scratch(const char *name)
{
    static char paths[4][PATHS_MAX];
    static int next;
    char *path = paths[next++ % 4];
    const char *folder = getenv("CLTB_TEST_TMP");
    snprintf(path, PATHS_MAX, "%s/%s", folder == NULL ? "." : folder, name);
    return path;
}

static bool exists(const char *path, const char *suffix)
{
    char name[PATHS_MAX + 8];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

// ---- made-up values ----

// A third are no positions, as many draws; all other values occur.
static uint16_t made_up(uint32_t slice, int side, uint64_t entry)
{
    const uint64_t random = mix(entry * 131 + slice * UINT64_C(2862933555777941757) + (uint64_t)side);
    if (random % 3 == 0)
        return RESTRICTED_ILLEGAL;
    if (random % 3 == 1)
        return RESTRICTED_OPEN;
    return restricted_code(random >> 8 & 1, (int)(random >> 16 & TABLE_PLY_MAX));
}

static uint16_t *made_up_slice(const struct restricted_index *index, uint32_t slice, int side)
{
    uint16_t *value = malloc(index->slice_entries * sizeof *value);
    assert_non_null(value);
    for (uint64_t entry = 0; entry < index->slice_entries; entry++)
        value[entry] = made_up(slice, side, entry);
    return value;
}

// ---- making tables ----

static void read_spec(struct spec *spec, const char *text)
{
    GOOD(spec_read(spec, text));
    GOOD(spec_finish(spec));
}

static void add_slice(struct restricted_writer *writer, const struct restricted_index *index, uint32_t slice,
                      struct thread_pool *threads)
{
    uint16_t *const value[COLOURS] = {made_up_slice(index, slice, WHITE), made_up_slice(index, slice, BLACK)};
    GOOD(restricted_writer_add(writer, slice, value, threads));
    free(value[WHITE]);
    free(value[BLACK]);
}

static void write_spec(const char *path, const struct spec *spec, struct thread_pool *threads)
{
    struct restricted_index index;
    struct restricted_writer *writer;
    GOOD(restricted_index_open(&index, spec));
    GOOD(restricted_writer_open(&writer, path, &index));
    for (uint32_t slice = 0; slice < index.slices; slice++) {
        if (index.kept[slice])
            add_slice(writer, &index, slice, threads);
    }
    GOOD(restricted_writer_finish(writer));
    assert_false(exists(path, ".part"));
    restricted_index_close(&index);
}

static const char *write_named(const char *file, const char *name)
{
    static struct spec spec;
    const char *path = scratch(file);
    read_spec(&spec, name);
    write_spec(path, &spec, pool);
    return path;
}

static int setup(void **state)
{
    (void)state;
    return threads_open(&pool, 3);
}

static int teardown(void **state)
{
    (void)state;
    threads_close(pool);
    return 0;
}

// ---- round trips ----

static void check_slice(struct restricted_table *table, uint32_t slice, int side)
{
    const struct restricted_index *index = restricted_table_index(table);
    uint16_t *values = malloc(index->slice_entries * sizeof *values);
    assert_non_null(values);
    GOOD(restricted_table_slice(table, slice, side, values));
    for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
        const uint16_t right = made_up(slice, side, entry);
        uint16_t one;
        GOOD(restricted_table_entry(table, slice, side, entry, &one));
        assert_int_equal(one, values[entry]);
        if (right != RESTRICTED_ILLEGAL)
            assert_int_equal(one, right);
    }
    free(values);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        struct restricted_table *table;
        const char *path = write_named("round.cltb", specs[i]);
        GOOD(restricted_table_open(&table, path, i % 2 == 0 ? 0 : 1 << 24));
        assert_string_equal(restricted_table_path(table), path);
        const struct restricted_index *index = restricted_table_index(table);
        uint32_t kept = 0;
        for (uint32_t slice = 0; slice < index->slices; slice++) {
            kept += index->kept[slice];
            for (int side = WHITE; index->kept[slice] && side <= BLACK; side++)
                check_slice(table, slice, side);
        }
        assert_int_equal(restricted_table_info(table)->slices, kept);
        assert_int_equal(restricted_table_info(table)->entries, kept * index->slice_entries);
        GOOD(restricted_table_check(table, pool));
        restricted_table_close(table);
    }
}

// Every entry's position is found where the index says.
static void test_positions(void **state)
{
    (void)state;
    struct restricted_table *table;
    static struct position p;
    uint64_t positions = 0;
    GOOD(restricted_table_open(&table, write_named("positions.cltb", specs[2]), 1 << 24));
    const struct restricted_index *index = restricted_table_index(table);
    for (uint32_t slice = 0; slice < index->slices; slice++) {
        for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
            uint8_t where[SPEC_MEN_MAX];
            struct man men[SPEC_MEN_MAX];
            const int side = (int)(entry & 1);
            uint16_t value;
            if (!index->kept[slice] || !restricted_squares(index, slice, entry, where) ||
                made_up(slice, side, entry) == RESTRICTED_ILLEGAL)
                continue;
            for (int i = 0; i < index->spec.men; i++)
                men[i] = (struct man){index->spec.man[i].type, index->spec.man[i].colour, where[i]};
            GOOD(position_set(&p, men, index->spec.men, side));
            GOOD(restricted_table_value(table, &p, &value));
            assert_int_equal(value,
                             made_up(slice, side, entry)); // no identical pieces, no symmetry: one entry a position
            positions++;
        }
    }
    assert_true(positions > 5000);
    restricted_table_close(table);
}

static void test_outside_the_set(void **state)
{
    (void)state;
    struct restricted_table *table;
    static struct position p;
    uint16_t value;
    const struct man men[] = {
        {KING, WHITE, 4}, {PAWN, WHITE, 26}, {KING, BLACK, 60}}; // the pawn on c4, which has d4 to d7
    const char *path = write_named("outside.cltb", specs[5]);
    GOOD(restricted_table_open(&table, path, 0));
    GOOD(position_set(&p, men, 3, WHITE));
    assert_int_equal(restricted_table_value(table, &p, &value), CLTB_E_POSITION);
    assert_non_null(strstr(error_text(), "outside"));
    assert_non_null(strstr(error_text(), path));
    assert_int_equal(restricted_table_slice(table, 99999, WHITE, &value), CLTB_E_USAGE);
    restricted_table_close(table);
}

static void test_figures(void **state)
{
    (void)state;
    struct restricted_table *table;
    const char *path = write_named("figures.cltb", specs[0]);
    GOOD(restricted_table_open(&table, path, 0));
    const struct restricted_info *info = restricted_table_info(table);
    uint64_t count[COLOURS][TABLE_OUTCOMES] = {{0}};
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t entry = 0; entry < info->entries; entry++) {
            const uint16_t code = made_up(0, side, entry);
            if (code == RESTRICTED_ILLEGAL)
                continue;
            const int ply = code / 2 - 1;
            const int slot = code == 0 ? 2 : code % 2 == 1 ? (ply > 100 ? 3 : 4) : (ply > 100 ? 1 : 0);
            count[side][slot]++;
        }
        assert_int_equal(info->longest[side][0], 100);
        assert_int_equal(info->longest[side][1], 1023);
        assert_int_equal(info->longest[side][2], -1);
        assert_int_equal(info->longest[side][3], 1023);
        assert_int_equal(info->longest[side][4], 100);
        assert_true(info->value_bytes[side] > 1000);
    }
    uint64_t bytes;
    assert_memory_equal(info->positions, count, sizeof count);
    GOOD(container_size(path, &bytes));
    assert_int_equal(info->file_bytes, bytes);
    restricted_table_close(table);
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        uint16_t code;
        int outcome;
        int dtz;
    } facts[] = {{0, CLTB_DRAW, 0},
                 {1, CLTB_DRAW, 0},
                 {2, CLTB_LOSS, 0},
                 {3, CLTB_WIN, 0},
                 {5, CLTB_WIN, 1},
                 {202, CLTB_LOSS, 100},
                 {203, CLTB_WIN, 100},
                 {204, CLTB_BLESSED_LOSS, 101},
                 {205, CLTB_CURSED_WIN, 101},
                 {2049, CLTB_CURSED_WIN, 1023}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct cltb_value value = restricted_value_of(facts[i].code);
        assert_int_equal(value.outcome, facts[i].outcome);
        assert_int_equal(value.dtz, facts[i].dtz);
    }
}

// The file keeps all of the spec, rules and futurebases too.
static void test_spec_is_kept(void **state)
{
    (void)state;
    static struct spec spec;
    static char texts[2][SPEC_TEXT_MAX];
    struct restricted_table *table;
    read_spec(&spec, specs[2]);
    GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "P=[RNB]"));
    GOOD(spec_add_rule(&spec, BLACK, SPEC_CONCEDE, "KxP"));
    spec.futurebase[spec.futurebases++] = (struct spec_futurebase){"sub/KPvK.cltb", false};
    spec.futurebase[spec.futurebases++] = (struct spec_futurebase){"KQPvKP.cltb", true};
    write_spec(scratch("spec.cltb"), &spec, pool);
    GOOD(restricted_table_open(&table, scratch("spec.cltb"), 0));
    assert_true(spec_write(&spec, texts[0], SPEC_TEXT_MAX) < SPEC_TEXT_MAX);
    assert_true(spec_write(restricted_table_spec(table), texts[1], SPEC_TEXT_MAX) < SPEC_TEXT_MAX);
    assert_string_equal(texts[0], texts[1]);
    assert_int_equal(restricted_table_spec(table)->rules, 2);
    assert_int_equal(restricted_table_spec(table)->futurebases, 2);
    assert_true(restricted_table_spec(table)->futurebase[1].invert);
    restricted_table_close(table);
}

// ---- files ----

static void test_any_number_of_threads_writes_the_same(void **state)
{
    (void)state;
    static struct spec spec;
    const struct bytes three = read_file(write_named("three.cltb", specs[0]));
    read_spec(&spec, specs[0]);
    for (int threads = 1; threads <= 5; threads += 4) {
        struct thread_pool *other;
        const char *path = scratch("other.cltb");
        GOOD(threads_open(&other, threads));
        write_spec(path, &spec, other);
        threads_close(other);
        const struct bytes again = read_file(path);
        assert_int_equal(again.size, three.size);
        assert_memory_equal(again.data, three.data, three.size);
        free(again.data);
    }
    free(three.data);
}

// ---- damage ----

// Opens the file and looks at all of it. The code of the first fault, or 0.
static int look_at(const char *path)
{
    struct restricted_table *table;
    int code = restricted_table_open(&table, path, 0);
    if (code == 0)
        code = restricted_table_check(table, pool);
    restricted_table_close(table);
    if (code != 0)
        assert_non_null(strstr(error_text(), path));
    return code;
}

static void test_flipped_bits(void **state)
{
    (void)state;
    const struct bytes good = read_file(write_named("good.cltb", specs[2]));
    const char *path = scratch("flipped.cltb");
    for (size_t i = 0; i < 400; i++) {
        const size_t at = i < 100 ? i : (size_t)(mix(i) % good.size);
        good.data[at] ^= (uint8_t)(1 << (i & 7));
        write_file(path, good.data, good.size);
        good.data[at] ^= (uint8_t)(1 << (i & 7));
        const int code = look_at(path);
        if (at < 12) // magic and version
            assert_true(code == CLTB_E_FOREIGN);
        else
            assert_int_equal(code, CLTB_E_CORRUPT);
    }
    write_file(path, good.data, good.size);
    GOOD(look_at(path));
    free(good.data);
}

static void test_cut_short(void **state)
{
    (void)state;
    const struct bytes good = read_file(write_named("good.cltb", specs[5]));
    const char *path = scratch("cut.cltb");
    for (size_t size = 0; size < good.size; size += size < 300 ? 1 : 97) {
        write_file(path, good.data, size);
        assert_int_equal(look_at(path), CLTB_E_CORRUPT);
    }
    free(good.data);
    assert_int_equal(look_at(scratch("nowhere.cltb")), CLTB_E_MISSING);
    write_file(path, "some other file\n", 16);
    assert_int_equal(look_at(path), CLTB_E_FOREIGN);
}

// Puts another text or value into the right head of a file, with its hash.
static void alter_text(const char *path, const char *from, const char *to)
{
    const struct bytes file = read_file(path);
    const uint64_t head = get_number(file.data + HEAD_BYTES, 8);
    const uint64_t space = get_number(file.data + HEAD_TEXT_BYTES, 8);
    char *text = (char *)file.data + head - space;
    char *at = strstr(text, from);
    assert_non_null(at);
    char *rest = strdup(at + strlen(from));
    assert_non_null(rest);
    const size_t room = (size_t)(text + space - at);
    assert_true(strlen(to) + strlen(rest) < room);
    snprintf(at, room, "%s%s", to, rest);
    free(rest);
    put_number(file.data + HEAD_HASH, 8, 0);
    put_number(file.data + HEAD_HASH, 8, XXH64(file.data, head, 0));
    write_file(path, file.data, file.size);
    free(file.data);
}

static int look_altered(const char *from, const char *to)
{
    const char *path = write_named("altered.cltb", specs[5]);
    alter_text(path, from, to);
    return look_at(path);
}

static void test_wrong_text(void **state)
{
    (void)state;
    assert_int_equal(look_altered("\nspec\n", "\nspec\n"), 0); // alter_text() itself does no harm
    assert_int_equal(look_altered("restricted 1", "restricted 2"), CLTB_E_FOREIGN);
    assert_int_equal(look_altered("restricted 1", "restricted x"), CLTB_E_FOREIGN);
    assert_int_equal(look_altered("game chess", "game dobutsu"), CLTB_E_FOREIGN);
    assert_int_equal(look_altered("metric dtz", "metric dtm"), CLTB_E_CORRUPT);
    assert_int_equal(look_altered("positions-b ", "positions-b x"), CLTB_E_CORRUPT);
    assert_int_equal(look_altered("longest-w ", "longest "), CLTB_E_CORRUPT);
    assert_int_equal(look_altered("\nspec\n", "\nspec\nnonsense\n"), CLTB_E_CORRUPT);
    assert_int_equal(look_altered("\nspec\n", "\nspecs\n"), CLTB_E_CORRUPT);
    assert_int_equal(look_altered("d4", "d3"), CLTB_E_CORRUPT); // more or fewer slices than are stored
}

// A file whose checksums are right, but not its values.
static void test_wrong_value(void **state)
{
    (void)state;
    static const uint16_t wrong[] = {RESTRICTED_DRAW, 2050, RESTRICTED_ILLEGAL};
    static struct spec spec;
    struct restricted_index index;
    read_spec(&spec, "K[e1] Q[d1,d2] v K[e8,h8]");
    GOOD(restricted_index_open(&index, &spec));
    const char *good = scratch("right.cltb");
    write_spec(good, &spec, pool);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct container *from;
        struct container_writer *to;
        struct container_compressor *compressor;
        struct restricted_table *table;
        const char *path = scratch("wrong.cltb");
        uint16_t values[64];
        uint16_t value;
        uint8_t compressed[1024];
        size_t bytes;
        assert_true(index.slice_entries <= 64);
        for (size_t k = 0; k < 64; k++)
            values[k] = wrong[i]; // the same in both orders of bytes, or no value in either
        GOOD(container_open(&from, good));
        GOOD(container_create(&to, path, container_stream(from, 0), 1, 1024));
        container_abandon(to);
        struct container_stream streams[COLOURS] = {*container_stream(from, 0), *container_stream(from, 1)};
        GOOD(container_create(&to, path, streams, COLOURS, 4096));
        GOOD(container_compressor_open(&compressor, 3));
        assert_true(container_bound(2 * index.slice_entries) <= sizeof compressed);
        GOOD(container_compress(compressor, values, 2 * index.slice_entries, compressed, &bytes));
        const struct container_piece piece = {compressed, (uint32_t)bytes};
        GOOD(container_add(to, 0, 0, &piece));
        GOOD(container_add(to, 1, 0, &piece));
        GOOD(container_finish(to, container_text(from)));
        container_compressor_close(compressor);
        container_close(from);
        assert_int_equal(look_at(path), CLTB_E_CORRUPT);
        GOOD(restricted_table_open(&table, path, 0));
        assert_int_equal(restricted_table_entry(table, 0, WHITE, 0, &value), CLTB_E_CORRUPT);
        assert_int_equal(restricted_table_slice(table, 0, BLACK, values), CLTB_E_CORRUPT);
        restricted_table_close(table);
    }
    restricted_index_close(&index);
}

// ---- tables of other kinds ----

static void write_container(const char *path, const char *text)
{
    const struct container_stream stream = {
        .name = "outcome-w", .symbol_bytes = 1, .block_symbols = 8, .sections = 1, .section_symbols = 8};
    struct container_writer *writer;
    struct container_compressor *compressor;
    uint8_t compressed[256];
    size_t bytes;
    GOOD(container_create(&writer, path, &stream, 1, 1024));
    GOOD(container_compressor_open(&compressor, 3));
    GOOD(container_compress(compressor, "\2\2\2\2\2\2\2\2", 8, compressed, &bytes));
    const struct container_piece piece = {compressed, (uint32_t)bytes};
    GOOD(container_add(writer, 0, 0, &piece));
    GOOD(container_finish(writer, text));
    container_compressor_close(compressor);
}

static void test_foreign(void **state)
{
    (void)state;
    struct table *table;
    struct block_cache *cache;
    const char *path = write_named("foreign.cltb", specs[5]);
    GOOD(block_cache_open(&cache, 0));
    assert_int_equal(table_open(&table, path, cache), CLTB_E_FOREIGN);
    assert_non_null(strstr(error_text(), "is a restricted table"));
    assert_non_null(strstr(error_text(), path));
    block_cache_close(cache);
    path = scratch("full.cltb");
    write_container(path, "game chess\nmetric dtz\nmaterial KQvKR\n");
    assert_int_equal(look_at(path), CLTB_E_FOREIGN);
    assert_non_null(strstr(error_text(), "KQvKR"));
    write_container(path, "game dobutsu\n");
    assert_int_equal(look_at(path), CLTB_E_FOREIGN);
    assert_non_null(strstr(error_text(), "dobutsu"));
    write_container(path, "game chess\nmetric dtz\n");
    assert_int_equal(look_at(path), CLTB_E_CORRUPT);
}

// ---- writing that fails ----

static void test_writer_faults(void **state)
{
    (void)state;
    static struct spec spec;
    struct restricted_index index;
    struct restricted_writer *writer;
    const char *path = scratch("fault.cltb");
    read_spec(&spec, specs[5]);
    GOOD(restricted_index_open(&index, &spec));
    assert_true(index.slices > 1 && index.kept[0] && index.kept[1]);
    GOOD(restricted_writer_open(&writer, path, &index));
    assert_true(exists(path, ".part"));
    add_slice(writer, &index, 1, pool);
    uint16_t *value[COLOURS] = {made_up_slice(&index, 1, WHITE), made_up_slice(&index, 1, BLACK)};
    assert_int_equal(restricted_writer_add(writer, 1, value, pool), CLTB_E_USAGE); // again
    assert_int_equal(restricted_writer_add(writer, index.slices, value, pool), CLTB_E_USAGE);
    value[BLACK][0] = RESTRICTED_DRAW;
    assert_int_equal(restricted_writer_add(writer, 0, value, pool), CLTB_E_MISMATCH);
    value[BLACK][0] = 2050;
    assert_int_equal(restricted_writer_add(writer, 0, value, pool), CLTB_E_MISMATCH);
    assert_int_equal(restricted_writer_finish(writer), CLTB_E_USAGE); // slices are missing
    assert_false(exists(path, ""));
    assert_false(exists(path, ".part"));
    GOOD(restricted_writer_open(&writer, path, &index));
    restricted_writer_abandon(writer);
    assert_false(exists(path, ".part"));
    restricted_writer_abandon(NULL);
    assert_int_equal(restricted_writer_open(&writer, "/nowhere/x.cltb", &index), CLTB_E_IO);
    assert_null(writer);
    free(value[WHITE]);
    free(value[BLACK]);
    restricted_index_close(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_outside_the_set),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_spec_is_kept),
        cmocka_unit_test(test_any_number_of_threads_writes_the_same),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_wrong_text),
        cmocka_unit_test(test_wrong_value),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_writer_faults),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
