// test_slow_restricted.c - two pawns on the seventh rank, and a pawn's promotion into split queens, against naive
// solvers
#include "restricted/support_restricted.h"

// Local groups are the two pawns, each with its square; the futurebase has the pawn that is left in one group for both.
TEST(test_case_1)
{
    make_full("KQPvK");
    struct spec spec = spec_of("K P[f7+] P[g7+] v K", "white discard P=[RBN]");
    GOOD(spec_add_futurebase(&spec, "KQPvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
    build_and_check(&spec, "case1.cltb", NULL);
}

struct difference {
    const struct naive_restricted *other;
    uint64_t positions;
    uint64_t from_full;      // other distances than in the full endgame
    uint64_t better;         // better values for White than there
    uint64_t other_outcomes; //
    uint64_t from_other;     // values that differ from those of `other`
    uint64_t delayed;        // wins at once there, not here
    uint64_t stalemating;    // of those: a new queen would stalemate
};

static bool same_value(const struct naive_value *a, const struct naive_value *b)
{
    return a->outcome == b->outcome && a->dtz == b->dtz;
}

static bool queen_stalemates(const struct position *position)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    bool any = false;
    position_copy(&p, position);
    const int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++) {
        if (move_promoted(moves[i]) != piece_code(WHITE, QUEEN))
            continue;
        GOOD(position_make(&p, moves[i]));
        any = any || (!position_in_check(&p) && !moves_any(&p));
        position_undo(&p);
    }
    return any;
}

static int count_difference(void *context, const struct position *p, const struct naive_value *value)
{
    struct difference *d = context;
    struct naive_value full;
    struct naive_value other;
    GOOD(naive_query(full_oracle, p, &full));
    GOOD(naive_restricted_query(d->other, p, &other));
    d->positions++;
    d->from_full += !same_value(value, &full);
    d->other_outcomes += value->outcome != full.outcome;
    d->better += value->dtz < full.dtz;
    d->from_other += !same_value(value, &other);
    if (p->side == WHITE && full.dtz == 1 && value->dtz != 1) {
        d->delayed++;
        d->stalemating += queen_stalemates(p);
    }
    return 0;
}

// Several foreign groups (the queens on files a-d and e-h) span a local one. Queens that may not leave their half win
// all the same, and the count ends at the promotion, so the split changes nothing. Where a new queen would stalemate,
// the full endgame promotes to a rook or a bishop at once; here that is discarded, so White takes longer, as in the
// positions that lead there.
TEST(test_case_2)
{
    static const char *const men[] = {"K Q[a-d] Q[e-h] v K", "K Q[a-d] Q[a-d] v K", "K Q[e-h] Q[e-h] v K"};
    struct naive_bases split = {0};
    struct naive_restricted *half[3];
    struct naive_restricted *whole; // through unrestricted queens
    make_full("KQPvK");
    struct spec spec = spec_of("K Q P v K", "white discard P=[RBN]");
    for (int i = 0; i < 3; i++) {
        char file[32];
        struct spec queens = spec_of(men[i], "white discard Q*");
        snprintf(file, sizeof file, "half%d.cltb", i);
        GOOD(spec_add_futurebase(&queens, "KQvK.cltb", false));
        half[i] = build_and_compare(&queens, file, NULL);
        split.restricted[i] = half[i];
        GOOD(spec_add_futurebase(&spec, file, false));
    }
    GOOD(spec_add_futurebase(&spec, "KQvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
    struct naive_restricted *solved = build_and_compare(&spec, "case2.cltb", &split);
    GOOD(naive_restricted_solve(&whole, &spec, naive_bases_leave, NULL));
    struct difference d = {.other = whole};
    GOOD(naive_restricted_each(solved, count_difference, &d));
    assert_int_equal(d.positions, 16796858);
    assert_int_equal(d.from_other, 0);
    assert_int_equal(d.from_full, 83084);
    assert_int_equal(d.other_outcomes, 0);
    assert_int_equal(d.better, 0);
    assert_int_equal(d.delayed, 15542);
    assert_int_equal(d.stalemating, d.delayed);
    naive_restricted_free(whole);
    naive_restricted_free(solved);
    for (int i = 0; i < 3; i++)
        naive_restricted_free(half[i]);
}

// With all promotions (to rook, bishop and knight through full tables) the split queens give the full endgame.
TEST(test_case_2_all_promotions)
{
    struct spec spec = spec_of("K Q P v K", "");
    for (int i = 0; i < 3; i++) {
        char file[32];
        snprintf(file, sizeof file, "half%d.cltb", i);
        GOOD(spec_add_futurebase(&spec, file, false));
    }
    compare_whole("KQPvK", &spec);
}

TESTS(folder_make, full_teardown)
