// test_disk.c - the order of tables within a limit of disk, and the rows of what was made
#include "support/support.h"

#include "make/ledger.h"
#include "make/plan.h"
#include "make/plan_material.h"
#include "util/error.h"

#include <unistd.h>

enum { STEPS_MAX = 2000 };

static char dir[TEST_PATH_MAX];

static struct plan *plan_of(const char *const *names, uint64_t disk)
{
    struct material material[10];
    size_t count = 0;
    struct plan *plan;
    const struct build_options options = {.dir = dir, .disk = disk};
    for (; names[count] != NULL; count++)
        material[count] = material_named(names[count]);
    GOOD(plan_make(&plan, material, count, &options, NULL));
    return plan;
}

// ---- the order ----

// The last place before `before` where the material is made; it must be.
static size_t made_at(const struct plan *plan, const struct material *material, size_t before)
{
    while (before-- > 0)
        if (material_equal(&plan->table[before].material, material))
            return before;
    fail_msg("a table comes before what it needs");
    return 0;
}

// Notes that the table made at `reader` reads this one, and those that this one is completed with.
static void read_it(const struct plan *plan, const struct material *material, size_t reader, size_t *last)
{
    struct material bases[PLAN_CAPTURE_BASES_MAX];
    const size_t at = made_at(plan, material, reader);
    if (last[at] == reader)
        return;
    last[at] = reader;
    const int count = plan_capture_bases(material, bases);
    for (int i = 0; i < count; i++)
        read_it(plan, &bases[i], reader, last);
}

// Goes through the build: each table stays from where it is made to the last one that reads it. Returns the most bytes.
static uint64_t most_bytes(const struct plan *plan)
{
    static size_t last[STEPS_MAX];
    uint64_t most = 0;
    assert_true(plan->count < STEPS_MAX);
    for (size_t i = 0; i < plan->count; i++) {
        struct material bases[PLAN_FUTUREBASES_MAX];
        const int count = plan_futurebases(&plan->table[i].material, bases);
        last[i] = i;
        for (int j = 0; j < count; j++)
            read_it(plan, &bases[j], i, last);
    }
    for (size_t i = 0; i < plan->count; i++) {
        uint64_t bytes = plan->table[i].work_bytes;
        for (size_t j = 0; j <= i; j++)
            bytes += last[j] >= i ? plan->table[j].file_bytes : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

TEST(test_order)
{
    static const char *const names[] = {"KRPvKRP", "KQPvKQ", "KBNPvK", "KQRvKR", "KPPvKP", NULL};
    struct plan *plain = plan_of(names, 0);
    struct plan *wide = plan_of(names, UINT64_MAX);
    const uint64_t most = wide->disk_most;
    assert_int_equal(plain->count, wide->count);
    assert_int_equal(plain->file_bytes, wide->file_bytes);
    assert_int_equal(most_bytes(wide), most);
    assert_true(most <= most_bytes(plain));
    assert_int_equal(wide->made_again, 0);
    struct plan *exact = plan_of(names, most);
    assert_int_equal(exact->made_again, 0);
    plan_free(exact);
    // With less, some are made twice; with too little a limit is named, which can be held.
    struct plan *none = plan_of(names, 1000);
    const uint64_t least = none->disk_least;
    assert_in_range(least, 1000, most * 63 / 64);
    const struct build_options options = {.dir = dir, .disk = 1000};
    FAILS(plan_check(none, &options), CLTB_E_IO, "would do");
    for (int i = 0; i <= 8; i++) {
        const uint64_t limit = least + (most - least) / 8 * (uint64_t)i;
        struct plan *plan = plan_of(names, limit);
        if (plan->disk_least == 0)
            assert_true(most_bytes(plan) <= limit && plan->disk_most <= limit);
        assert_true(i > 0 || plan->disk_least == 0);
        assert_int_equal(plan->to_make, plain->to_make + plan->made_again);
        assert_true(i > 0 || plan->made_again > 0);
        plan_free(plan);
    }
    plan_free(plain);
    plan_free(wide);
    plan_free(none);
}

// ---- rows ----

static struct ledger_row row_of(const char *name)
{
    struct ledger_row row = {.material = material_named(name), .bytes = 12345678901, .seconds = 17.25, .memory = 99};
    snprintf(row.sum, sizeof row.sum, "%064d", 7);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        row.positions[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] = UINT64_MAX - (uint64_t)i;
        row.longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] = i % TABLE_OUTCOMES == 2 ? -1 : 3 * i - 1;
    }
    return row;
}

static size_t read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(text, 1, size, file);
    fclose(file);
    return size;
}

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

TEST(test_rows)
{
    struct ledger ledger;
    char text[8000];
    char changed[8000];
    const struct build_options options = {.dir = dir};
    const struct ledger_row row[] = {row_of("KQvK"), row_of("KRvKP.dtm"), row_of("KQvK")};
    GOOD(ledger_read(&ledger, &options));
    assert_int_equal(ledger.rows, 0);
    GOOD(ledger_add(&ledger, &row[0]));
    GOOD(ledger_add(&ledger, &row[1]));
    ledger_free(&ledger);
    GOOD(ledger_read(&ledger, &options));
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", ledger.path);
    assert_int_equal(ledger.rows, 2);
    assert_int_equal(ledger.faults, 0);
    const struct ledger_row *found = ledger_find(&ledger, &row[1].material);
    assert_true(found != NULL && found->bytes == row[1].bytes && found->memory == 99 && found->seconds > 17.2 &&
                strcmp(found->sum, row[1].sum) == 0 && !found->shipped);
    assert_memory_equal(found->positions, row[1].positions, sizeof found->positions);
    assert_memory_equal(found->longest, row[1].longest, sizeof found->longest);
    const struct material other = material_named("KRvKP");
    assert_null(ledger_find(&ledger, &other));
    ledger_free(&ledger);
    // Every changed byte of a row and every cut is noticed; the other row is believed.
    const size_t size = read_text(path, text, sizeof text);
    const size_t first = (size_t)(strchr(text, '\n') + 1 - text);
    const size_t second = (size_t)(strchr(text + first, '\n') + 1 - text);
    for (size_t i = first; i < size - 1; i++) {
        memcpy(changed, text, size);
        changed[i] ^= i % 7 == 0 ? 0x20 : 1;
        write_text(path, changed, i % 2 == 0 || i < second ? size : i);
        GOOD(ledger_read(&ledger, &options));
        const bool cut = i % 2 != 0 && i >= second;
        const bool joined = i == second - 1; // to one line that is none
        if (ledger.rows != (joined ? 0 : 1) || (ledger.faults == 0 && !(cut && i == second)))
            fail_msg("byte %zu of %zu: %zu rows, %zu faults", i, size, ledger.rows, ledger.faults);
        assert_true(joined || material_equal(&ledger.row[0].material, &row[i < second ? 1 : 0].material));
        ledger_free(&ledger);
    }
    // A row after one that was cut begins a new line, and the last row of a table counts.
    write_text(path, text, size - 4);
    GOOD(ledger_read(&ledger, &options));
    struct ledger_row shipped = row[2];
    shipped.shipped = true;
    GOOD(ledger_add(&ledger, &shipped));
    ledger_free(&ledger);
    GOOD(ledger_read(&ledger, &options));
    assert_int_equal(ledger.rows, 2);
    assert_int_equal(ledger.faults, 1);
    assert_int_equal(ledger.first_fault, 3);
    assert_true(ledger_find(&ledger, &row[0].material)->shipped);
    ledger_free(&ledger);
    unlink(path);
}

static int setup(void **state)
{
    test_folder_make(dir);
    return 0;
}

static int teardown(void **state)
{
    test_folder_remove(dir);
    return 0;
}

TESTS(setup, teardown)
