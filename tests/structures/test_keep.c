// test_keep.c - structures with men that are kept to squares, against the naive solver of restricted endgames
//
// Both runs are compared: in each, one side wins all positions outside the sets. The naive solver is told exactly that,
// and for other positions that a move leads to, it is told what the run says. What is proved must also be true without
// sets.
#include "structures/support_verdict.h"

#include "chess/move.h"
#include "oracle/restricted.h"

struct kept {
    struct verdict *verdict;
    struct verdict *whole; // without sets; NULL: that would take long
    int winner;
    uint64_t compared;
    uint64_t differ; // from what is true without sets
};

// Sets of the men of a spec that have one.
static struct structure_sets sets_of(const struct spec *spec)
{
    struct structure_sets sets = {.squares = {{0}}};
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        if (man->type != PAWN && man->squares != UINT64_MAX)
            sets.squares[man->colour][man->type] = man->squares;
    }
    return sets;
}

static int leave(void *context, const struct position *p, bool own, struct naive_value *value)
{
    const struct kept *kept = context;
    const struct material material = material_of(p);
    struct cltb_value known = {.outcome = CLTB_DRAW};
    struct position copy;
    if (own)
        return CLTB_E_MISSING;
    position_copy(&copy, p);
    if (!structure_outside(&kept->verdict->graph, p))
        GOOD(structure_value(&kept->verdict->values, kept->winner, &copy, &known));
    else if (structure_can_win(&material, kept->winner))
        known = (struct cltb_value){p->side == kept->winner ? CLTB_WIN : CLTB_LOSS, 1, 0};
    *value = (struct naive_value){(enum cltb_outcome)known.outcome, known.dtz};
    return 0;
}

static int compare_one(void *context, const struct position *p, const struct naive_value *wanted)
{
    struct kept *kept = context;
    struct position copy;
    struct cltb_value value;
    struct cltb_value exact;
    position_copy(&copy, p);
    GOOD(structure_value(&kept->verdict->values, kept->winner, &copy, &value));
    exact = kept->whole != NULL ? verdict_query(kept->whole, p) : value;
    const bool most = p->side == kept->winner; // the greatest value of the side to move, or the least
    if (value.outcome != (int)wanted->outcome ||
        (most ? value_compare(exact, value) < 0 : value_compare(value, exact) < 0)) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fail_msg("%s, where %s wins what leaves: %s %d, naive %s %d, without sets %s %d", fen,
                 kept->winner == WHITE ? "White" : "Black", cltb_outcome_name(value.outcome), value.dtz,
                 cltb_outcome_name((int)wanted->outcome), wanted->dtz, cltb_outcome_name(exact.outcome), exact.dtz);
    }
    kept->compared++;
    kept->differ += value.outcome != exact.outcome;
    return 0;
}

// Compares all positions of the spec, whose pawns must be those that can come of the position.
static void compare(const char *fen, const char *men, int effort, bool whole)
{
    struct spec spec;
    GOOD(spec_read(&spec, men));
    GOOD(spec_finish(&spec));
    const struct structure_sets sets = sets_of(&spec);
    struct kept kept = {.verdict = verdict_kept(fen, effort, &sets), .whole = whole ? verdict_of(fen, 12, 12) : NULL};
    assert_true(kept.verdict->bounded);
    for (kept.winner = WHITE; kept.winner <= BLACK; kept.winner++) {
        struct naive_restricted *naive;
        GOOD(naive_restricted_solve(&naive, &spec, leave, &kept));
        assert_int_equal(naive_restricted_each(naive, compare_one, &kept), 0);
        naive_restricted_free(naive);
    }
    assert_true(kept.compared > 1000);
    assert_true(!whole || kept.differ > 0); // sets matter somewhere
    verdict_done(kept.verdict);
    if (whole)
        verdict_done(kept.whole);
}

TEST(test_pieces)
{
    compare("8/8/8/8/8/2k5/8/2K3R1 w - - 0 1", "K R[g] v K", 0, true);
    compare("8/8/8/8/8/2k5/8/2K3R1 w - - 0 1", "K R v K[a-d]", 0, true);
    compare("8/8/8/8/8/2k5/4B3/2KB4 w - - 0 1", "K[a1-d2] B[d1-h2] B[d1-h2] v K[c3-f6]", 0, false);
}

TEST(test_pawns)
{
    compare("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "K[d1-f8] P[e2+] v K", 12, true);
    compare("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "K P[e2+] v K[a4-h8]", 1, true);
    compare("8/8/8/8/1p6/8/P7/1K5k w - - 0 1", "K[a1-d2] P[a2+] v K[g1-h3] P[b4+]", 0, false); // en passant
}

// A pawn that leaves its set is bounded, and what no capture reaches is not in the graph.
TEST(test_graph)
{
    const char *fen = "8/8/1k6/p7/P2P4/1K6/8/8 w - - 0 1";
    struct structure_sets sets = {.squares = {{0}}};
    struct verdict *verdict = verdict_kept(fen, 0, &sets);
    const size_t all = verdict->graph.solved;
    verdict_done(verdict);
    sets.squares[WHITE][PAWN] = UINT64_C(0x0000000009000000); // a4 d4
    sets.squares[BLACK][KING] = UINT64_C(0x0f0f0f0000000000); // away from both
    sets.squares[WHITE][KING] = UINT64_C(0x0000000000ffffff);
    verdict = verdict_kept(fen, 0, &sets);
    assert_true(all > 1);
    assert_int_equal(verdict->graph.solved, 1);
    assert_int_equal(verdict->graph.bounded, 1); // d5
    verdict_done(verdict);
}

TEST(test_refused)
{
    const struct structure_sets sets = {.squares = {{[ROOK] = 1}}};
    const struct structure_limits limits = {.sets = sets, .structures = 100};
    struct structure_graph graph;
    const struct position p = position_named("8/8/8/8/8/2k5/8/2K3R1 w - - 0 1");
    FAILS(structure_graph_make(&graph, &p, &limits), CLTB_E_POSITION,
          "the man on g1 stands outside the squares it is kept to");
}

TESTS(NULL, NULL)
