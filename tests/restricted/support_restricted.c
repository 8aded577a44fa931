// support_restricted.c - specs and tables for the tests of restricted endgames, and tables against the naive oracle
#include "restricted/support_restricted.h"

#include <limits.h>
#include <unistd.h>

struct spec spec_of(const char *men, const char *rules)
{
    struct spec spec;
    GOOD(spec_read(&spec, men));
    while (*rules != '\0') {
        char colour[8];
        char prune[8];
        char pattern[SPEC_PATTERN_MAX];
        assert_int_equal(sscanf(rules, "%7s %7s %31s", colour, prune, pattern), 3);
        GOOD(spec_add_rule(&spec, colour[0] == 'w' ? WHITE : BLACK, prune[0] == 'd' ? SPEC_DISCARD : SPEC_CONCEDE,
                           pattern));
        rules += strcspn(rules, "\n");
        rules += *rules == '\n';
    }
    GOOD(spec_finish(&spec));
    return spec;
}

struct restricted_index index_of(const char *men)
{
    const struct spec spec = spec_of(men, "");
    struct restricted_index index;
    GOOD(restricted_index_open(&index, &spec, UINT32_MAX, UINT64_MAX));
    return index;
}

uint16_t *formula_values(const struct restricted_index *index, uint32_t slice, int side, value_formula *formula)
{
    uint16_t *value = malloc(index->slice_entries * sizeof *value);
    assert_non_null(value);
    for (uint64_t entry = 0; entry < index->slice_entries; entry++)
        value[entry] = formula(slice, side, entry);
    return value;
}

int write_slice(struct restricted_writer *writer, uint32_t slice, uint16_t *const value[COLOURS],
                struct thread_pool *pool)
{
    struct restricted_blocks blocks;
    TRY(restricted_writer_pack(writer, slice, value, pool, &blocks));
    return restricted_writer_put(writer, &blocks);
}

void write_formula(const char *path, const struct spec *spec, value_formula *formula, struct thread_pool *pool)
{
    struct restricted_index index;
    struct restricted_writer *writer;
    GOOD(restricted_index_open(&index, spec, UINT32_MAX, UINT64_MAX));
    GOOD(restricted_writer_open(&writer, path, &index));
    for (uint32_t slice = 0; slice < index.slices; slice++) {
        uint16_t *const value[COLOURS] = {formula_values(&index, slice, WHITE, formula),
                                          formula_values(&index, slice, BLACK, formula)};
        GOOD(write_slice(writer, slice, value, pool));
        free(value[WHITE]);
        free(value[BLACK]);
    }
    GOOD(restricted_writer_finish(writer));
    restricted_index_close(&index);
}

const char *file_in_tables(const char *file)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", tables_folder, file);
    return path;
}

void build_restricted(const struct spec *spec, const char *file)
{
    const struct build_options options = {.dir = tables_folder, .device = "cpu", .threads = 2};
    GOOD(restricted_build(spec, &options, file, NULL));
}

struct naive *full_oracle;

int naive_bases_leave(void *context, const struct position *p, bool own, struct naive_value *value)
{
    static const struct naive_bases none;
    const struct naive_bases *bases = context != NULL ? context : &none;
    struct position flipped;
    for (int i = 0; own && i < NAIVE_BASES_MAX && bases->restricted[i] != NULL; i++) {
        if (bases->invert[i])
            flipped_position(p, &flipped);
        if (naive_restricted_query(bases->restricted[i], bases->invert[i] ? &flipped : p, value) == 0)
            return 0;
    }
    if (own && !bases->full_is_own)
        return error_set(CLTB_E_MISSING, "none of its own");
    if (!own && position_men(p) == 2) {
        *value = (struct naive_value){CLTB_DRAW, 0};
        return 0;
    }
    if (full_oracle != NULL && naive_query(full_oracle, p, value) == 0)
        return 0;
    char fen[FEN_MAX];
    fen_write(p, fen);
    return error_set(CLTB_E_MISSING, "no naive value of %s", fen);
}

int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

size_t sort_once(uint64_t *number, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(number, count, sizeof *number, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || number[kept - 1] != number[i])
            number[kept++] = number[i];
    }
    return kept;
}

uint64_t restricted_far;

struct comparison {
    struct restricted_table *table;
    uint64_t probed;
    uint64_t wrong;
};

static int compare_position(void *context, const struct position *p, const struct naive_value *truth)
{
    struct comparison *c = context;
    uint16_t code;
    GOOD(restricted_table_value(c->table, p, &code));
    const struct cltb_value value = value_of_code(code);
    c->probed++;
    restricted_far += truth->dtz > 3;
    if (value.outcome == (int)truth->outcome && value.dtz == truth->dtz)
        return 0;
    if (c->wrong++ < WRONG_SHOWN) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fprintf(stderr, "%s: %s %d, not %s %d\n", fen, cltb_outcome_name(value.outcome), value.dtz,
                cltb_outcome_name(truth->outcome), truth->dtz);
    }
    return 0;
}

// Compares a table with every position of a naive solution; NULL: of the full table made last.
static void compare(const char *file, const struct naive_restricted *solution)
{
    struct comparison c = {0};
    GOOD(restricted_table_open(&c.table, file_in_tables(file), 64 << 20));
    GOOD(solution != NULL ? naive_restricted_each(solution, compare_position, &c)
                          : naive_each(full_oracle, compare_position, &c));
    if (c.wrong > 0) {
        char text[SPEC_TEXT_MAX];
        spec_write(&c.table->index.spec, text, sizeof text);
        fail_msg("%s: %llu of %llu positions are wrong:\n%s", file, (unsigned long long)c.wrong,
                 (unsigned long long)c.probed, text);
    }
    restricted_table_close(c.table);
    assert_true(c.probed > (solution != NULL ? 0 : 1000));
}

struct naive_restricted *build_and_compare(const struct spec *spec, const char *file, struct naive_bases *bases)
{
    struct naive_restricted *solution;
    build_restricted(spec, file);
    GOOD(naive_restricted_solve(&solution, spec, naive_bases_leave, bases));
    compare(file, solution);
    return solution;
}

void build_and_check(const struct spec *spec, const char *file, struct naive_bases *bases)
{
    struct naive_restricted *solution = build_and_compare(spec, file, bases);
    assert_int_equal(naive_restricted_inconsistent(solution), 0);
    naive_restricted_free(solution);
}

void make_full(const char *name)
{
    make_table(name, false);
    oracle_solve(&full_oracle, name);
}

void compare_whole(const char *name, const struct spec *spec)
{
    make_full(name);
    build_restricted(spec, "whole.cltb");
    compare("whole.cltb", NULL);
    assert_int_equal(unlink(file_in_tables("whole.cltb")), 0);
}

int full_teardown(void **state)
{
    naive_free(full_oracle);
    return folder_remove(state);
}
