// fathom.c - the functions of <cltb-fathom/tbprobe.h>: plain sets in, packed results out, the work in probe/
//
// One set of tables is open at a time. Probing reads the pointer to it and takes no lock.
#include <cltb-fathom/tbprobe.h>

#include "chess/attacks.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TB_DRAW - CLTB_DRAW == CLTB_WIN && TB_WIN - CLTB_WIN == CLTB_WIN, "outcomes differ by a constant");
_Static_assert(TB_PROMOTES_QUEEN == (int)QUEEN && TB_PROMOTES_KNIGHT == (int)KNIGHT, "kinds of men have their numbers");

enum { SURE_RANK = 1000, CLOSE_RANK = 900, CURSED_RANK = 899, NEAR_RANK = 800 };

unsigned TB_LARGEST = 0;
static cltb_tables *tables;

// ---- opening ----

static int count_file(void *context, const char *path, const char *name)
{
    struct material material;
    char spelled[MATERIAL_NAME_MAX];
    (void)context;
    (void)name;
    if (!material_of_file(&material, path, ".cltb") && !material_of_file(&material, path, ".rtbw"))
        return 0;
    const unsigned men = (unsigned)material_men(&material);
    if (material.metric == METRIC_DTZ && men > TB_LARGEST &&
        cltb_has_table(tables, material_name(&material, spelled)) == 1)
        TB_LARGEST = men;
    return 0;
}

void tb_free(void)
{
    cltb_close(tables);
    tables = NULL;
    TB_LARGEST = 0;
}

bool tb_init(const char *path)
{
    tb_free();
    if (path == NULL || path[strspn(path, OS_LIST)] == '\0')
        path = "<empty>"; // what UCI calls it
    char *folders = strdup(path);
    if (folders == NULL || cltb_open(&tables, path, NULL) != 0) {
        free(folders);
        return false;
    }
    char *rest = NULL;
    for (char *folder = strtok_r(folders, OS_LIST, &rest); folder != NULL; folder = strtok_r(NULL, OS_LIST, &rest))
        folders_each(folder, "", count_file, NULL); // a folder that cannot be read has no tables
    free(folders);
    return true;
}

bool tb_init_impl(const char *path)
{
    return tb_init(path);
}

// ---- probing ----

// Makes `p` from the arguments, which are in order. A right to capture en passant that no double step gives is none.
static int take(struct position *p, cltb_position from, unsigned rule50, unsigned ep, bool turn)
{
    if (tables == NULL)
        return error_set(CLTB_E_MISSING, "no tables are open");
    from.side = turn ? WHITE : BLACK;
    from.fifty = rule50 < COUNTER_MAX ? (uint16_t)rule50 : COUNTER_MAX;
    from.en_passant = ep < SQUARES ? (uint8_t)ep : 0;
    int code = position_from_public(p, &from);
    if (code != 0 && from.en_passant != 0) {
        from.en_passant = 0;
        code = position_from_public(p, &from);
    }
    return code != 0 ? code : probe_possible(p);
}

#define POSITION ((cltb_position){white, black, kings, queens, rooks, bishops, knights, pawns, 0, 0, 0, 0})

unsigned tb_probe_wdl_impl(CLTB_TB_SETS, unsigned ep, bool turn)
{
    struct position p;
    int outcome;
    if (take(&p, POSITION, 0, ep, turn) != 0 || probe_outcome(tables, &p, &outcome) != 0)
        return TB_RESULT_FAILED;
    return (unsigned)(outcome + TB_DRAW);
}

// All moves with their values, best first: their number, or a negative code if one of the distances is unknown.
static int valued_moves(struct position *p, struct ranked_move moves[CLTB_MOVES_MAX])
{
    const int count = probe_moves(tables, p, false, moves);
    if (count >= TB_MAX_MOVES)
        return CLTB_E_POSITION;
    for (int i = 0; i < count; i++)
        if (moves[i].value.outcome == CLTB_UNKNOWN || moves[i].value.dtz == DTZ_UNKNOWN)
            return CLTB_E_MISSING;
    return count;
}

static unsigned promotes(uint32_t move)
{
    return move_promoted(move) == EMPTY ? TB_PROMOTES_NONE : (unsigned)piece_type(move_promoted(move));
}

static unsigned result_of(const struct ranked_move *move)
{
    unsigned result = TB_SET_WDL(0U, (unsigned)(move->value.outcome + TB_DRAW));
    result = TB_SET_TO(result, (unsigned)move_to(move->move));
    result = TB_SET_FROM(result, (unsigned)move_from(move->move));
    result = TB_SET_PROMOTES(result, promotes(move->move));
    result = TB_SET_EP(result, (unsigned)move_is_en_passant(move->move));
    return TB_SET_DTZ(result, (unsigned)move->value.dtz);
}

// A rounded distance of the position itself may be nearer to the truth than that of its best move.
static int refine(struct position *p, struct ranked_move *best)
{
    struct cltb_value own;
    if (!best->value.rounded)
        return 0;
    TRY(probe_position(tables, p, &own));
    if (own.dtz > best->value.dtz)
        best->value = own;
    return 0;
}

unsigned tb_probe_root_impl(CLTB_TB_SETS, unsigned rule50, unsigned ep, bool turn, unsigned *results)
{
    struct position p;
    struct ranked_move moves[CLTB_MOVES_MAX];
    if (take(&p, POSITION, rule50, ep, turn) != 0)
        return TB_RESULT_FAILED;
    const int count = valued_moves(&p, moves);
    if (count < 0)
        return TB_RESULT_FAILED;
    for (int i = 0; i < count && results != NULL; i++)
        results[i] = result_of(&moves[i]);
    if (results != NULL)
        results[count] = TB_RESULT_FAILED;
    if (count == 0)
        return position_in_check(&p) ? TB_RESULT_CHECKMATE : TB_RESULT_STALEMATE;
    return refine(&p, &moves[0]) == 0 ? result_of(&moves[0]) : TB_RESULT_FAILED;
}

// ---- ranks ----

static int rank_of(const struct cltb_value *value, unsigned rule50, bool repeated)
{
    const int clock = rule50 < COUNTER_MAX ? (int)rule50 : COUNTER_MAX;
    const int plies = clock + value->dtz;
    const int least = plies < SURE_RANK ? SURE_RANK - plies : 1; // the longest are still better than a draw
    if (value->outcome == CLTB_DRAW)
        return 0;
    if (value->outcome < CLTB_DRAW)
        return plies + value->dtz < PLY_LIMIT ? -SURE_RANK : -least;
    return plies + value->rounded <= PLY_LIMIT && !repeated ? SURE_RANK : least;
}

// Wins and losses that the 50-move rule draws are worth up to half a pawn.
static int score_of(int rank, bool use_rule50)
{
    const int size = abs(rank);
    const int sign = rank < 0 ? -1 : 1;
    if (rank == 0)
        return TB_VALUE_DRAW;
    if (size >= (use_rule50 ? CLOSE_RANK : 1))
        return sign * (TB_VALUE_MATE - TB_MAX_MATE_PLY - 1);
    return sign * (size > NEAR_RANK + 3 ? size - NEAR_RANK : 3) * TB_VALUE_PAWN / 200;
}

static void set_move(struct TbRootMove *to, uint32_t move, int rank, int score)
{
    to->move = (TbMove)(promotes(move) << 12 | (unsigned)move_from(move) << 6 | (unsigned)move_to(move));
    to->pvSize = 0;
    to->tbRank = rank;
    to->tbScore = score;
}

int tb_probe_root_dtz(CLTB_TB_SETS, unsigned rule50, unsigned castling, unsigned ep, bool turn, bool hasRepeated,
                      bool useRule50, struct TbRootMoves *results)
{
    struct position p;
    struct ranked_move moves[CLTB_MOVES_MAX];
    if (castling != 0 || results == NULL || take(&p, POSITION, rule50, ep, turn) != 0)
        return 0;
    const int count = valued_moves(&p, moves);
    if (count < 0)
        return 0;
    results->size = (unsigned)count;
    for (int i = 0; i < count; i++) {
        const int rank = rank_of(&moves[i].value, rule50, hasRepeated);
        set_move(&results->moves[i], moves[i].move, rank, score_of(rank, useRule50));
    }
    return 1;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct TbRootMove *a = left;
    const struct TbRootMove *b = right;
    return a->tbRank != b->tbRank ? b->tbRank - a->tbRank : a->move - b->move;
}

int tb_probe_root_wdl(CLTB_TB_SETS, unsigned rule50, unsigned castling, unsigned ep, bool turn, bool useRule50,
                      struct TbRootMoves *results)
{
    static const int rank[] = {-SURE_RANK, -CURSED_RANK, 0, CURSED_RANK, SURE_RANK};
    static const int score[] = {-(TB_VALUE_MATE - TB_MAX_MATE_PLY - 1), TB_VALUE_DRAW - 2, TB_VALUE_DRAW,
                                TB_VALUE_DRAW + 2, TB_VALUE_MATE - TB_MAX_MATE_PLY - 1};
    struct position p;
    uint32_t moves[MOVES_MAX];
    if (castling != 0 || results == NULL || take(&p, POSITION, rule50, ep, turn) != 0)
        return 0;
    const int count = moves_legal(&p, moves);
    if (count >= TB_MAX_MOVES)
        return 0;
    results->size = (unsigned)count;
    for (int i = 0; i < count; i++) {
        int outcome;
        if (position_make(&p, moves[i]) != 0 || probe_outcome(tables, &p, &outcome) != 0)
            return 0;
        position_undo(&p);
        if (!useRule50 && outcome_is_cursed(outcome))
            outcome *= 2;
        set_move(&results->moves[i], moves[i], rank[TB_DRAW - outcome], score[TB_DRAW - outcome]);
    }
    qsort(results->moves, results->size, sizeof *results->moves, compare_ranks);
    return 1;
}

// ---- sets of squares ----

unsigned tb_pop_count(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

unsigned tb_lsb(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

uint64_t tb_pop_lsb(uint64_t set)
{
    return set & (set - 1);
}

uint64_t tb_king_attacks(unsigned square)
{
    return king_attacks((int)square);
}

uint64_t tb_queen_attacks(unsigned square, uint64_t occupied)
{
    return rook_attacks((int)square, occupied) | bishop_attacks((int)square, occupied);
}

uint64_t tb_rook_attacks(unsigned square, uint64_t occupied)
{
    return rook_attacks((int)square, occupied);
}

uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied)
{
    return bishop_attacks((int)square, occupied);
}

uint64_t tb_knight_attacks(unsigned square)
{
    return knight_attacks((int)square);
}

uint64_t tb_pawn_attacks(unsigned square, bool white)
{
    return pawn_attacks(white ? WHITE : BLACK, (int)square);
}
