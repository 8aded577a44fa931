// compare_restricted.h - restricted tables against the naive oracle; included by tests
//
// A naive solution may lean on another one, or on the oracle of full tables: then it shares nothing with the tables'
// own futurebases.
#ifndef CLTB_TESTS_RESTRICTED_COMPARE_RESTRICTED_H
#define CLTB_TESTS_RESTRICTED_COMPARE_RESTRICTED_H

#include "support/compare_tables.h"

#include "oracle/restricted.h"
#include "restricted/make/build.h"
#include "restricted/table.h"
#include "restricted/value.h"

// The men, then a prune rule a line, "white discard P=[RBN]"; futurebases are added by spec_add_futurebase().
static inline struct spec spec_of(const char *men, const char *rules)
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

// In tables_folder, where full futurebases lie, too.
static inline void build_restricted(const struct spec *spec, const char *file)
{
    const struct build_options options = {.dir = tables_folder, .device = "cpu", .threads = 2};
    GOOD(restricted_build(spec, &options, file, NULL));
}

// ---- where leaving moves of a naive solution get their values ----

enum { NAIVE_BASES_MAX = 4 };

struct naive_bases {
    const struct naive_restricted *restricted[NAIVE_BASES_MAX]; // asked first, in this order
    bool invert[NAIVE_BASES_MAX];                               //
    const struct naive *full;                                   // may be NULL
    bool full_is_own; // those of them that matter are among the spec's futurebases
};

// Colours exchanged, ranks mirrored.
static inline void turned_position(const struct position *p, struct position *turned)
{
    struct man men[2 * MEN_PER_SIDE_MAX];
    int count = 0;
    for (int square = 0; square < SQUARES; square++) {
        const int code = p->board[square];
        if (code != EMPTY)
            men[count++] =
                (struct man){(uint8_t)piece_type(code), (uint8_t)(piece_colour(code) ^ 1), (uint8_t)(square ^ 56)};
    }
    GOOD(position_set(turned, men, count, p->side ^ 1));
    if (p->en_passant != NO_SQUARE)
        GOOD(position_set_en_passant(turned, p->en_passant ^ 56));
}

static inline int naive_bases_leave(void *context, const struct position *p, bool own, struct naive_value *value)
{
    const struct naive_bases *bases = context;
    struct position turned;
    for (int i = 0; own && i < NAIVE_BASES_MAX && bases->restricted[i] != NULL; i++) {
        const struct position *at = p;
        if (bases->invert[i]) {
            turned_position(p, &turned);
            at = &turned;
        }
        if (naive_restricted_query(bases->restricted[i], at, value) == 0)
            return 0;
    }
    if (own && !bases->full_is_own)
        return error_set(CLTB_E_MISSING, "none of its own");
    if (!own && position_men(p) == 2) {
        *value = (struct naive_value){CLTB_DRAW, 0};
        return 0;
    }
    if (bases->full != NULL && naive_query(bases->full, p, value) == 0)
        return 0;
    char fen[FEN_MAX];
    fen_write(p, fen);
    return error_set(CLTB_E_MISSING, "no naive value of %s", fen);
}

// ---- comparing ----

struct restricted_comparison {
    struct restricted_table *table;
    uint64_t probed;
    uint64_t far; // wins and losses of more than three plies
    uint64_t wrong;
};

static uint64_t restricted_far; // of all tables compared with compare_restricted()

static inline int compare_restricted_visit(void *context, const struct position *p, const struct naive_value *truth)
{
    struct restricted_comparison *c = context;
    uint16_t code;
    GOOD(restricted_table_value(c->table, p, &code));
    const struct cltb_value value = restricted_value_of(code);
    c->probed++;
    c->far += truth->dtz > 3;
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

// Every position of the oracle against a file in tables_folder. Returns their number.
static inline uint64_t compare_restricted(const struct naive_restricted *oracle, const char *file)
{
    struct restricted_comparison c = {0};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", tables_folder, file);
    GOOD(restricted_table_open(&c.table, path, 64 << 20));
    GOOD(naive_restricted_each(oracle, compare_restricted_visit, &c));
    if (c.wrong > 0) {
        char text[SPEC_TEXT_MAX];
        spec_write(restricted_table_spec(c.table), text, sizeof text);
        fail_msg("%s: %llu of %llu positions are wrong:\n%s", file, (unsigned long long)c.wrong,
                 (unsigned long long)c.probed, text);
    }
    restricted_table_close(c.table);
    assert_true(c.probed > 0);
    restricted_far += c.far;
    return c.probed;
}

// Builds a spec and compares it with its naive solution, which is returned.
static inline struct naive_restricted *build_and_compare(const struct spec *spec, const char *file,
                                                         struct naive_bases *bases)
{
    struct naive_restricted *oracle;
    build_restricted(spec, file);
    GOOD(naive_restricted_solve(&oracle, spec, naive_bases_leave, bases));
    compare_restricted(oracle, file);
    return oracle;
}

// ---- full endgames ----

// The full table and the naive oracle's solution.
static inline void make_full(struct naive **oracle, const char *name)
{
    struct man men[NAIVE_MEN_MAX];
    make_table(name);
    GOOD(naive_solve(oracle, men, men_of_name(name, men)));
}

static inline void tables_remove(const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", tables_folder, file);
    assert_int_equal(unlink(path), 0);
}

// A spec that has the values of a full endgame.
static inline void compare_whole(struct naive **oracle, const char *name, const struct spec *spec)
{
    struct restricted_comparison c = {0};
    char path[PATH_MAX];
    make_full(oracle, name);
    build_restricted(spec, "whole.cltb");
    snprintf(path, sizeof path, "%s/whole.cltb", tables_folder);
    GOOD(restricted_table_open(&c.table, path, 64 << 20));
    GOOD(naive_each(*oracle, compare_restricted_visit, &c));
    restricted_table_close(c.table);
    tables_remove("whole.cltb");
    assert_true(c.probed > 1000);
    assert_int_equal(c.wrong, 0);
}

#endif
