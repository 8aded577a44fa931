// support_verdict.c - verdicts for tests
#include "structures/support_verdict.h"

#include "chess/attacks.h"
#include "oracle/structures.h"

struct position position_named(const char *fen)
{
    struct position p;
    GOOD(fen_read(&p, fen));
    return p;
}

static struct verdict *find(const char *fen, int first, int last, uint64_t whole, const struct structure_sets *sets)
{
    const struct verdict_request request = {.store.folders = ".",
                                            .tables_men = 2,
                                            .first = first,
                                            .effort = last,
                                            .sets = *sets,
                                            .structures = 1000000,
                                            .whole = whole,
                                            .threads = 2};
    const struct position p = position_named(fen);
    struct verdict *verdict = calloc(1, sizeof *verdict);
    assert_non_null(verdict);
    GOOD(verdict_find(verdict, &p, &request));
    return verdict;
}

static const struct structure_sets none;

struct verdict *verdict_of(const char *fen, int first, int last)
{
    return find(fen, first, last, UINT64_MAX, &none);
}

struct verdict *verdict_narrowed(const char *fen, int last)
{
    return find(fen, 0, last, 0, &none);
}

struct verdict *verdict_kept(const char *fen, int effort, const struct structure_sets *sets)
{
    return find(fen, effort, effort, UINT64_MAX, sets);
}

void verdict_done(struct verdict *verdict)
{
    verdict_free(verdict);
    free(verdict);
}

struct cltb_value verdict_query(const struct verdict *verdict, const struct position *p)
{
    struct position copy;
    struct cltb_value value;
    position_copy(&copy, p);
    assert_false(verdict->bounded);
    GOOD(structure_value(&verdict->values, WHITE, &copy, &value));
    return value;
}

// ---- random positions ----

bool draw_position(struct position *p, struct man *men, int count)
{
    for (int i = 0; i < count; i++)
        if (men[i].type != PAWN)
            men[i].square = (uint8_t)random_below(64);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (men[i].square == men[j].square)
                return false;
    if (position_set(p, men, count, random_below(2)) != 0 || !position_legal(p))
        return false;
    // With the slot after a double step, if one is possible.
    const int pushed = p->side ^ 1;
    const int forward = pushed == WHITE ? 8 : -8;
    for (int i = 0; i < p->count[pushed][PAWN] && random_below(2) == 0; i++) {
        const int to = p->list[pushed][PAWN][i];
        const uint64_t path = square_bit(to - forward) | square_bit(to - 2 * forward);
        if (square_rank(to) == (pushed == WHITE ? 3 : 4) && !(position_occupied(p) & path))
            return position_set_en_passant(p, to - forward) == 0;
    }
    return true;
}

void draw_pawns(struct man *men, int count, bool near)
{
    const int file = 1 + random_below(6);
    int white = 0;
    for (int i = 0; i < count; i++) {
        if (men[i].type != PAWN)
            continue;
        men[i].square = (uint8_t)(8 + random_below(48));
        if (near && men[i].colour == WHITE && white++ == 0)
            men[i].square = (uint8_t)((random_below(2) ? 8 : 24) + file);
        else if (near && men[i].colour == BLACK)
            men[i].square = (uint8_t)(24 + file + (random_below(2) ? 1 : -1));
    }
}

// ---- files ----

struct structure_file *file_of(const char *fen, int effort, const char *folders, int tables_men)
{
    const char *path = tmp_path("structures.cltb");
    struct structure_file *file;
    struct verdict *verdict = calloc(1, sizeof *verdict);
    assert_non_null(verdict);
    const struct verdict_request request = {.store.folders = folders,
                                            .tables_men = tables_men,
                                            .first = effort,
                                            .effort = effort,
                                            .structures = 1000000,
                                            .threads = 2};
    const struct position p = position_named(fen);
    GOOD(verdict_find(verdict, &p, &request));
    GOOD(structure_file_write(path, fen, effort, &verdict->graph, verdict->store, verdict->pool));
    verdict_done(verdict);
    GOOD(structure_file_open(&file, path, folders, 1 << 24));
    return file;
}

// ---- by brute force ----

struct comparison {
    const struct structure_values *values;
    int winner;
    int positions;
};

// Of endgames that other tests compare with tables.
static struct cltb_value small_value(void *context, struct position *p)
{
    const struct comparison *comparison = context;
    struct cltb_value value;
    GOOD(structure_value(comparison->values, comparison->winner, p, &value));
    return value;
}

static void compare_one(void *context, struct position *p, struct cltb_value wanted)
{
    struct comparison *comparison = context;
    struct cltb_value value;
    GOOD(structure_value(comparison->values, comparison->winner, p, &value));
    comparison->positions++;
    if (value.outcome != wanted.outcome || value.dtz != wanted.dtz) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fail_msg("%s: %s %d, by brute force %s %d", fen, cltb_outcome_name(value.outcome), value.dtz,
                 cltb_outcome_name(wanted.outcome), wanted.dtz);
    }
}

void compare_by_force(const char *fen, int winner)
{
    struct structure_file *file = file_of(fen, 0, ".", 2);
    const struct position root = position_named(fen);
    struct verdict *verdict = verdict_of(fen, 0, 0);
    const struct structure_values of_file = structure_file_values(file);
    struct comparison comparison = {&verdict->values, winner, 0};
    const struct oracle_small small = {&comparison, small_value};
    struct oracle_structures *oracle = oracle_structures_solve(&root, winner, small);
    assert_non_null(oracle);
    oracle_structures_each(oracle, compare_one, &comparison);
    assert_true(comparison.positions > 5000);
    comparison.values = &of_file;
    oracle_structures_each(oracle, compare_one, &comparison);
    oracle_structures_free(oracle);
    verdict_done(verdict);
    structure_file_close(file);
}
