// test_slow_five_men.c - positions of five men with pawns: what is certain, against tables
//
// tests/data/structures-5.tsv has groups of positions with the same pawns, with outcome and distance from the tables of
// `cltb build`. Each is solved without tables of five men and with little effort, so that much is bounded: the tables'
// value must lie between the least and the greatest value, and equal them where these are the same.
//
//     1. The first position of a group is solved as by `cltb solve`: with its distance, its moves, and rounds of
//        narrowing.
//     2. The outcomes of the others are then looked up in the structures that this has solved.
//     3. With CLTB_TEST_LONG those with at most three kings and pieces are also solved separately; and all groups are
//        compared, not only one for each of the first materials.
//
// With CLTB_TEST_TABLES, a folder with the tables of five men, every move of each position is compared as well, every
// third group uses tables of up to four men, and the positions are drawn again: they must be those of the file.
#include "structures/support_verdict.h"

#include "chess/value.h"
#include "index/material.h"
#include "make/build.h"
#include "probe/probe.h"

enum { GROUP_ROWS = 16, GROUPS = 8, MATERIALS = 16, QUICK_MATERIALS = 10, ROWS = MATERIALS * GROUPS * GROUP_ROWS };

// Those with four kings and pieces come last.
static const char *const materials[MATERIALS] = {"KkPPp", "KkQPp", "KkRPp", "KkBPp", "KkNPp", "KkPPq",
                                                 "KkPPr", "KkPPb", "KkPPn", "KkRPr", "KkQPq", "KkRPb",
                                                 "KkBPb", "KkBPn", "KkNPn", "KkNNp"};

struct row {
    char fen[FEN_MAX];
    struct cltb_value value;
};

static struct row row[ROWS];
static cltb_tables *tables; // NULL: there are none of five men
static struct seen {
    int positions;
    int certain[CLTB_WIN - CLTB_LOSS + 1]; // by outcome
    int open;
    int en_passant; // certain ones, in which it is legal
    int moves;
    int certain_moves;
} seen;
static char folder[TEST_PATH_MAX];

static int setup(void **state)
{
    static const char *const names[] = {"KQvK", "KRvK", "KPvK"}; // of three men, with which some are solved
    const struct build_options options = {.dir = folder, .device = "cpu", .threads = 2};
    test_folder_make(folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct material material = material_named(names[i]);
        GOOD(build_table(&material, &options));
    }
    return getenv("CLTB_TEST_TABLES") == NULL ? 0 : cltb_open(&tables, getenv("CLTB_TEST_TABLES"), NULL);
}

static int teardown(void **state)
{
    cltb_close(tables);
    test_folder_remove(folder);
    return 0;
}

// ---- the file ----

// One line; it stays until the next call.
static const char *write_row(const char *material, const struct row *r)
{
    static char text[FEN_MAX + 64];
    char plies[16] = "";
    if (r->value.outcome != CLTB_DRAW)
        snprintf(plies, sizeof plies, "%d", r->value.dtz);
    snprintf(text, sizeof text, "%s\t%s\t%s\t%s\n", material, r->fen, cltb_outcome_name(r->value.outcome), plies);
    return text;
}

static void read_rows(void)
{
    static const char format[] = "%*[^\t]\t%127[^\t]\t%15[^\t\n]\t%d";
    FILE *file = fopen(data_path("structures-5.tsv"), "r");
    char line[FEN_MAX + 64];
    char name[16];
    _Static_assert(FEN_MAX >= 128, "the format's");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int i = 0; i < ROWS; i++) {
        struct row *r = &row[i];
        assert_non_null(fgets(line, sizeof line, file));
        const int read = sscanf(line, format, r->fen, name, &r->value.dtz);
        r->value.outcome = CLTB_LOSS;
        while (r->value.outcome < CLTB_WIN && strcmp(name, cltb_outcome_name(r->value.outcome)) != 0)
            r->value.outcome++;
        assert_string_equal(name, cltb_outcome_name(r->value.outcome));
        assert_int_equal(read, r->value.outcome == CLTB_DRAW ? 2 : 3);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

// ---- comparing ----

static void check_between(const char *fen, const char *what, const struct verdict_value *value,
                          struct cltb_value wanted)
{
    if (value_compare(wanted, value->low) <= 0 && value_compare(value->high, wanted) <= 0)
        return;
    fail_msg("%s%s: %s %d to %s %d, in the table %s %d", fen, what, cltb_outcome_name(value->low.outcome),
             value->low.dtz, cltb_outcome_name(value->high.outcome), value->high.dtz, cltb_outcome_name(wanted.outcome),
             wanted.dtz);
}

static void check_moves(const char *fen, struct structure_answer *answer)
{
    struct position *p = &answer->position;
    for (int i = 0; i < answer->moves; i++) {
        const struct verdict_move *move = &answer->move[i];
        struct cltb_value wanted;
        GOOD(position_make(p, move->move));
        GOOD(probe_value(tables, p, &wanted));
        position_undo(p);
        wanted = value_with_clock(value_before(wanted, move->zeroing), p->fifty);
        check_between(fen, ", a move", &move->value, wanted);
        seen.moves++;
        seen.certain_moves += verdict_certain(&move->value, false);
    }
}

static void count(const struct verdict_value *value, const struct row *r, struct position *p)
{
    seen.positions++;
    if (!verdict_certain(value, false)) {
        seen.open++;
        return;
    }
    seen.certain[r->value.outcome - CLTB_LOSS]++;
    seen.en_passant += position_en_passant_legal(p);
}

static void check_alone(struct verdict *verdict, const struct row *r, int group, int effort)
{
    const bool with_tables = tables != NULL && group % 3 == 2;
    const struct position p = position_named(r->fen);
    const struct verdict_request request = {.store.folders = with_tables ? getenv("CLTB_TEST_TABLES") : folder,
                                            .tables_men = with_tables ? 4 : 2 + group % 2,
                                            .effort = effort,
                                            .structures = 1000000,
                                            .whole = 100000000,
                                            .threads = 2};
    GOOD(verdict_find(verdict, &p, &request));
    check_between(r->fen, "", &verdict->answer.value, r->value);
    count(&verdict->answer.value, r, &verdict->answer.position);
    if (tables != NULL)
        check_moves(r->fen, &verdict->answer);
}

// The outcome with the half-move clock at 0, by what another position's verdict has solved.
static void check_outcome(const struct verdict *verdict, const struct row *r)
{
    const struct structure_values outcomes = structure_store_values(verdict->store, true);
    struct position p = position_named(r->fen);
    struct cltb_value wanted = {.outcome = CLTB_DRAW};
    struct verdict_value value;
    GOOD(structure_value(&outcomes, p.side ^ (verdict->bounded ? 1 : 0), &p, &value.low));
    GOOD(structure_value(&outcomes, p.side, &p, &value.high));
    if (r->value.outcome != CLTB_DRAW)
        wanted.outcome = outcome_at(r->value.outcome > CLTB_DRAW, r->value.dtz);
    value.low.dtz = value.high.dtz = 0;
    check_between(r->fen, " by another one", &value, wanted);
    count(&value, r, &p);
}

static void compare_group(const struct row *r, int group, bool all)
{
    // By kings and pieces: what takes seconds. To find what decides among a queen's moves may take minutes.
    static const int effort[] = {[2] = 2, [3] = 1, [4] = 0};
    static const int less[] = {[2] = 1, [3] = 0, [4] = 0};
    struct verdict verdict = {.effort = 0};
    const struct position p = position_named(r->fen);
    const struct structure_key key = structure_of(&p);
    const int pieces = structure_pieces(&key);
    const bool queen = key.pieces[WHITE][QUEEN] + key.pieces[BLACK][QUEEN] > 0;
    check_alone(&verdict, &r[0], group, all && !queen ? effort[pieces] : less[pieces]);
    for (int i = 1; i < GROUP_ROWS; i++)
        check_outcome(&verdict, &r[i]);
    verdict_free(&verdict);
    for (int i = 1; all && pieces <= 3 && i < GROUP_ROWS; i++) {
        verdict = (struct verdict){.effort = 0};
        check_alone(&verdict, &r[i], group, less[pieces]);
        verdict_free(&verdict);
    }
}

static void test_sample(void **state)
{
    const bool all = getenv("CLTB_TEST_LONG") != NULL;
    read_rows();
    for (int group = 0; group < MATERIALS * GROUPS; group++) {
        const int material = group / GROUPS;
        if (all || (material < QUICK_MATERIALS && group % GROUPS == material % GROUPS))
            compare_group(&row[group * GROUP_ROWS], group, all);
    }
    print_message("%d comparisons: certain %d losses, %d blessed, %d draws, %d cursed, %d wins, of them %d en passant; "
                  "%d not decided; %d moves, %d certain\n",
                  seen.positions, seen.certain[0], seen.certain[1], seen.certain[2], seen.certain[3], seen.certain[4],
                  seen.en_passant, seen.open, seen.moves, seen.certain_moves);
    for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++)
        assert_true(seen.certain[outcome - CLTB_LOSS] > 0);
    assert_true(seen.en_passant > 0);
    assert_true(3 * seen.open < 2 * seen.positions);
}

// ---- drawing ----

static bool draw_row(struct row *r, struct man *men, int count, bool flip)
{
    struct position p;
    struct position flipped;
    if (!draw_position(&p, men, count))
        return false;
    if (p.en_passant == NO_SQUARE && random_below(4) == 0)
        GOOD(position_set_counters(&p, random_below(100), 1));
    flipped_position(&p, &flipped);
    GOOD(position_set_counters(&flipped, p.fifty, 1));
    fen_write(flip ? &flipped : &p, r->fen);
    GOOD(probe_position(tables, &p, &r->value));
    return true;
}

// Outcomes in turn, those first in which en passant is legal; false if the pawns do not allow so many positions, or
// none of those that are wanted.
static bool draw_group(struct row *to, struct man *men, int count, bool near, bool flip, bool en_passant)
{
    enum { TRIES = 4000, KINDS = 2 * (CLTB_WIN - CLTB_LOSS + 1) };
    struct row found[KINDS][GROUP_ROWS];
    int each[KINDS] = {0};
    int rows = 0;
    bool found_en_passant = false;
    draw_pawns(men, count, near);
    for (int i = 0; i < TRIES; i++) {
        struct row r;
        if (!draw_row(&r, men, count, flip))
            continue;
        const struct position p = position_named(r.fen);
        const bool legal = position_en_passant_legal(&p);
        const int kind = r.value.outcome - CLTB_LOSS + (legal ? 0 : KINDS / 2);
        found_en_passant |= legal;
        if (each[kind] < GROUP_ROWS)
            found[kind][each[kind]++] = r;
    }
    for (int i = 0; i < GROUP_ROWS && rows < GROUP_ROWS; i++)
        for (int kind = 0; kind < KINDS && rows < GROUP_ROWS; kind++)
            if (i < each[kind])
                to[rows++] = found[kind][i];
    return rows == GROUP_ROWS && (found_en_passant || !en_passant);
}

static void test_drawn_again(void **state)
{
    const char *path = tmp_path("structures-5.tsv");
    if (tables == NULL)
        skip();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "material\tfen\toutcome\tdtz\n");
    for (int i = 0; i < MATERIALS * GROUPS; i++) {
        uint8_t type[8];
        uint8_t colour[8];
        struct man men[8];
        char name[MATERIAL_NAME_MAX];
        struct row drawn[GROUP_ROWS];
        const int count = men_named(materials[i / GROUPS], type, colour);
        for (int j = 0; j < count; j++)
            men[j] = (struct man){type[j], colour[j], 0};
        const char *letters = materials[i / GROUPS];
        const bool en_passant = i % 4 == 0 && strchr(letters, 'P') != NULL && strchr(letters, 'p') != NULL;
        while (!draw_group(drawn, men, count, i % 2 == 0, i / 2 % 2 != 0, en_passant))
            ;
        const struct position p = position_named(drawn[0].fen);
        struct material material = material_of(&p);
        material_normalise(&material);
        material_name(&material, name);
        for (int j = 0; j < GROUP_ROWS; j++)
            fputs(write_row(name, &drawn[j]), file);
    }
    assert_int_equal(fclose(file), 0);
    struct bytes made = read_file(path);
    struct bytes kept = read_file(data_path("structures-5.tsv"));
    assert_int_equal(made.size, kept.size);
    assert_memory_equal(made.data, kept.data, kept.size);
    free(made.data);
    free(kept.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn_again), cmocka_unit_test(test_sample)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
