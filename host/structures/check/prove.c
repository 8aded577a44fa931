// prove.c - derives the claims of a proof again (prove.h says how)
#include "structures/check/prove.h"

#include "chess/move.h"
#include "chess/value.h"
#include "util/error.h"

enum { NO = 0, YES = 1 }; // or a negative code

// A claim, or the attacker and the outcome that are looked for.
struct wanted {
    int attacker;
    bool won;
    int plies; // of the win, before the move
};

// The side that needs only one move.
static bool has_choice(const struct wanted *wanted, const struct position *position)
{
    return (position->side == wanted->attacker) == wanted->won;
}

static bool is_claimed(const struct proof *proof, const struct wanted *wanted, const struct position *position)
{
    const int plies = proof_claimed(proof, wanted->attacker, position);
    return plies != PROOF_OPEN && (plies > 0) == wanted->won;
}

static int is_so(const struct proof *proof, const struct wanted *wanted, struct position *position);

// The same if a pawn may be taken en passant.
static int is_so_en_passant(const struct proof *proof, const struct wanted *wanted, struct position *position)
{
    const bool choice = has_choice(wanted, position);
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    bool others = false;
    for (int i = 0; i < count; i++)
        others |= !move_is_en_passant(moves[i]);
    if (others && is_claimed(proof, wanted, position) == choice)
        return choice;
    for (int i = 0; i < count; i++) {
        if (!move_is_en_passant(moves[i]))
            continue;
        TRY(position_make(position, moves[i]));
        const int so = is_so(proof, wanted, position);
        position_undo(position);
        if (so != !choice)
            return so;
    }
    return !choice;
}

// Has a position, with the half-move clock at 0, the wanted outcome?
static int is_so(const struct proof *proof, const struct wanted *wanted, struct position *position)
{
    bool has;
    int outcome;
    if (position_side_men(position, wanted->attacker) == 1)
        return !wanted->won;
    TRY(proof_table(proof, position, &has, &outcome));
    if (has)
        return ((position->side == wanted->attacker ? outcome : -outcome) == CLTB_WIN) == wanted->won;
    if (position->en_passant != NO_SQUARE && position_en_passant_legal(position))
        return is_so_en_passant(proof, wanted, position);
    return is_claimed(proof, wanted, position);
}

static int follows(const struct proof *proof, const struct wanted *wanted, struct position *position)
{
    const bool choice = has_choice(wanted, position);
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    const bool mated = count == 0 && position->side != wanted->attacker && position_in_check(position);
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(position, moves[i]);
        TRY(position_make(position, moves[i]));
        int so = NO;
        if (zeroing)
            so = is_so(proof, wanted, position);
        else if (is_claimed(proof, wanted, position))
            so = !wanted->won || proof_claimed(proof, wanted->attacker, position) < wanted->plies;
        position_undo(position);
        if (so != !choice)
            return so;
    }
    return count == 0 ? mated == wanted->won : !choice;
}

// ---- all ----

enum { SHARE = 4096 }; // claims that a thread checks at a time

static int check_share(void *context, uint64_t item, int worker)
{
    const struct proof *proof = context;
    const struct proof_structure *structure = proof->structure;
    const uint64_t end = (item + 1) * SHARE < proof->claims ? (item + 1) * SHARE : proof->claims;
    (void)worker;
    for (uint64_t i = item * SHARE; i < end; i++) {
        struct position position;
        while (i >= structure->first + structure->count)
            structure++;
        const int plies = (int)(proof->claim[i] & 0xff);
        const struct wanted wanted = {structure->attacker, plies > 0, plies};
        char fen[FEN_MAX];
        if (!proof_position(structure, proof->claim[i], &position))
            return error_set(CLTB_E_MISMATCH, "a claim is not of a legal position");
        const int so = follows(proof, &wanted, &position);
        if (so == YES)
            continue;
        fen_write(&position, fen);
        return so < 0      ? so
               : plies > 0 ? error_set(CLTB_E_MISMATCH, "%s: that %s wins in %d plies does not follow", fen,
                                       colour_name(wanted.attacker), plies)
                           : error_set(CLTB_E_MISMATCH, "%s: that %s does not win does not follow", fen,
                                       colour_name(wanted.attacker));
    }
    return 0;
}

// Does the outcome hold, with the half-move clock of the proof's position?
static int is_proved(struct proof *proof, int attacker, bool won)
{
    struct position *position = &proof->position;
    const struct wanted wanted = {attacker, won, 0};
    const int so = is_so(proof, &wanted, position);
    const int plies = proof_claimed(proof, attacker, position);
    return so == YES && won && position->fifty > 0 ? plies > 0 && position->fifty + plies <= PLY_LIMIT : so;
}

int proof_verify(struct proof *proof, struct thread_pool *pool, int *least, int *greatest)
{
    *least = CLTB_LOSS;
    *greatest = CLTB_WIN;
    TRY(threads_each(pool, (proof->claims + SHARE - 1) / SHARE, check_share, proof));
    for (int attacker = WHITE; attacker <= BLACK; attacker++) {
        const int won = is_proved(proof, attacker, true);
        const int kept = is_proved(proof, attacker, false);
        TRY(won < 0 ? won : kept < 0 ? kept : 0);
        if (won == YES)
            *least = *greatest = attacker == WHITE ? CLTB_WIN : CLTB_LOSS;
        else if (kept == YES && attacker == WHITE)
            *greatest = *greatest < CLTB_DRAW ? *greatest : CLTB_DRAW;
        else if (kept == YES)
            *least = *least > CLTB_DRAW ? *least : CLTB_DRAW;
    }
    return *least > CLTB_LOSS || *greatest < CLTB_WIN
               ? 0
               : error_set(CLTB_E_MISMATCH, "nothing is claimed of %s", proof->fen);
}
