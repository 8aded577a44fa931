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
// With CLTB_TEST_TABLES, a folder with the tables of five men, every move of each position is compared as well, and
// every third group uses tables of up to four men.
#include "structures/support_verdict.h"
#include "support/compare_tables.h"

#include "chess/value.h"
#include "probe/probe.h"

enum { GROUP_ROWS = 16, GROUPS = 8, MATERIALS = 16, QUICK_MATERIALS = 10, ROWS = MATERIALS * GROUPS * GROUP_ROWS };

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

static int setup(void **state)
{
    folder_make(state);
    make_table("KPvK", false); // some are solved with tables of three men
    return getenv("CLTB_TEST_TABLES") == NULL ? 0 : cltb_open(&tables, getenv("CLTB_TEST_TABLES"), NULL);
}

static int teardown(void **state)
{
    cltb_close(tables);
    return folder_remove(state);
}

// ---- the file ----

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
    const struct verdict_request request = {.store.folders = with_tables ? getenv("CLTB_TEST_TABLES") : tables_folder,
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

TEST(test_sample)
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

TESTS(setup, teardown)
