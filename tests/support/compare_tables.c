// compare_tables.c - a whole table against the naive oracle; its statistics
#include "support/compare_tables.h"

#include "check/placements.h"
#include "util/threads.h"

struct comparison {
    cltb_tables *tables;
    const struct naive *oracle;
    enum metric metric;
    uint64_t probed;
    uint64_t slots; // of those with an en passant slot
    uint64_t wrong;
};

void oracle_solve(struct naive **oracle, const char *name)
{
    struct man men[MATERIAL_MEN_MAX];
    struct material material;
    bool flipped;
    GOOD(material_parse(&material, name, &flipped));
    const int count = placement_men(&material, men);
    for (int i = 0; i < count; i++)
        men[i].colour ^= flipped;
    GOOD(naive_solve_metric(oracle, men, count, (enum metric)material.metric));
}

void public_position(const struct position *p, cltb_position *out)
{
    *out = (cltb_position){.white = p->men[WHITE],
                           .black = p->men[BLACK],
                           .side = p->side,
                           .en_passant = p->en_passant == NO_SQUARE ? 0 : p->en_passant};
    uint64_t *const kinds[] = {&out->kings, &out->queens, &out->rooks, &out->bishops, &out->knights, &out->pawns};
    for (int square = 0; square < SQUARES; square++) {
        if (p->board[square] != EMPTY)
            *kinds[piece_type(p->board[square])] |= square_bit(square);
    }
}

typedef int probe_function(cltb_tables *, const cltb_position *, cltb_value *);

static probe_function *const functions[METRICS] = {cltb_probe, cltb_probe_mate, cltb_probe_conversion};

static cltb_value probe_with(cltb_tables *tables, const struct position *p, probe_function *function)
{
    cltb_position position;
    cltb_value value;
    public_position(p, &position);
    GOOD(function(tables, &position, &value));
    return value;
}

cltb_value probe(cltb_tables *tables, const struct position *p)
{
    return probe_with(tables, p, cltb_probe);
}

static void compare_position(struct comparison *c, const struct position *p, const struct naive_value *truth)
{
    const cltb_value value = probe_with(c->tables, p, functions[c->metric]);
    c->probed++;
    if (value.outcome == (int)truth->outcome && (value.outcome == CLTB_DRAW || value.dtz == truth->dtz))
        return;
    if (c->wrong++ < WRONG_SHOWN) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fprintf(stderr, "%s: %s %d, not %s %d\n", fen, cltb_outcome_name(value.outcome), value.dtz,
                cltb_outcome_name(truth->outcome), truth->dtz);
    }
}

// Gives the position each possible slot in turn.
static void compare_slots(struct comparison *c, struct position *p)
{
    const int enemy = p->side ^ 1;
    for (int i = 0; i < p->count[enemy][PAWN]; i++) {
        const int pawn = p->list[enemy][PAWN][i];
        struct naive_value truth;
        if (square_rank(pawn) != (enemy == WHITE ? 3 : 4) || position_set_en_passant(p, pawn ^ 8) != 0)
            continue;
        if (position_en_passant_legal(p)) {
            GOOD(naive_query(c->oracle, p, &truth));
            compare_position(c, p, &truth);
            c->slots++;
        }
        position_set_en_passant(p, NO_SQUARE);
    }
}

static int compare_visit(void *context, const struct position *p, const struct naive_value *truth)
{
    struct comparison *c = context;
    struct position copy;
    compare_position(c, p, truth);
    if (p->count[p->side ^ 1][PAWN] > 0 && p->count[p->side][PAWN] > 0) {
        position_copy(&copy, p);
        compare_slots(c, &copy);
    }
    return 0;
}

char tables_folder[TEST_PATH_MAX];

int folder_make(void **state)
{
    test_folder_make(tables_folder);
    return 0;
}

int folder_remove(void **state)
{
    test_folder_remove(tables_folder);
    return 0;
}

void make_table(const char *name, bool both_sides)
{
    const struct build_options options = {
        .dir = tables_folder, .device = "cpu", .threads = 2, .force = both_sides, .both_sides = both_sides};
    const struct material material = material_named(name);
    GOOD(build_table(&material, &options));
}

void make_listed(const char *name)
{
    const struct build_options options = {
        .dir = tables_folder, .device = "cpu", .threads = 2, .force = true, .both_sides = true, .listed = true};
    const struct material material = material_named(name);
    GOOD(build_table(&material, &options));
}

int folder_with_table(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    make_table("KQvKR", false);
    return 0;
}

uint64_t compare_table(struct naive **oracle, const char *name)
{
    struct comparison c = {.metric = (enum metric)material_named(name).metric};
    make_table(name, false);
    oracle_solve(oracle, name);
    assert_int_equal(cltb_open(&c.tables, tables_folder, NULL), 0);
    c.oracle = *oracle;
    GOOD(naive_each(*oracle, compare_visit, &c));
    cltb_close(c.tables);
    assert_true(c.probed > 0);
    if (c.wrong > 0)
        fail_msg("%s: %llu of %llu positions are wrong", name, (unsigned long long)c.wrong,
                 (unsigned long long)c.probed);
    return c.slots;
}

struct stats *count_stats(const char *name)
{
    const struct material material = material_named(name);
    struct stats *stats;
    cltb_tables *tables;
    struct thread_pool *pool;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    GOOD(threads_open(&pool, 2));
    GOOD(stats_count(&stats, tables, &material, pool, NULL));
    threads_close(pool);
    cltb_close(tables);
    return stats;
}

static int probe_text(cltb_tables *tables, const char *fen, enum metric metric, cltb_value *value)
{
    cltb_position position;
    TRY(cltb_position_from_fen(&position, fen));
    return functions[metric](tables, &position, value);
}

void check_examples(const struct stats *stats)
{
    const enum metric metric = (enum metric)stats->material.metric;
    cltb_tables *tables;
    struct cltb_value value;
    GOOD(cltb_open(&tables, tables_folder, NULL));
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const struct stats_longest *longest = &stats->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        if (longest->plies < 0)
            continue;
        GOOD(probe_text(tables, longest->fen, metric, &value));
        assert_int_equal(value.outcome, i % TABLE_OUTCOMES - 2);
        assert_int_equal(value.dtz, longest->plies);
        assert_int_not_equal(stats->bin[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES][longest->plies].count, 0);
    }
    for (size_t i = 0; i < stats->zugzwang_count; i++) {
        for (int side = WHITE; side <= BLACK; side++) {
            char fen[STATS_FEN_MAX];
            stats_zugzwang_fen(stats, i, fen);
            char *mark = strstr(fen, " w ");
            assert_non_null(mark);
            mark[1] = side == WHITE ? 'w' : 'b';
            GOOD(probe_text(tables, fen, metric, &value));
            assert_int_equal(value.outcome, stats->zugzwang[i].outcome[side]);
        }
    }
    cltb_close(tables);
}
