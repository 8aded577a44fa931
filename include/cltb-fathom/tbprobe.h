// tbprobe.h - the interface of the Fathom library, on top of cltb: for engines that already probe through Fathom
//
// An engine links with -lcltb-fathom in place of Fathom, with this header or with its own copy of Fathom's. Folders may
// hold tables NAME.cltb and Syzygy files NAME.rtbw and NAME.rtbz in any mixture; a table is preferred. docs/engines.md
// says what differs from Fathom: distances are exact where a table has them. New programs will find more in
// <cltb/cltb.h>.
//
// Sets of squares are 64 bits: a1 = bit 0, h1 = bit 7, h8 = bit 63. `turn`: true if White is to move. `ep`: the square
// that a pawn's double step has just passed over, or 0. `castling`: 0 unless a side may still castle. `rule50`: the
// half-move clock.
#ifndef CLTB_FATHOM_TBPROBE_H
#define CLTB_FATHOM_TBPROBE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- constants ----

#define TB_MAX_MOVES    (192 + 1)
#define TB_MAX_CAPTURES 64
#define TB_MAX_PLY      256

// Bits of `castling`
#define TB_CASTLING_K 0x1
#define TB_CASTLING_Q 0x2
#define TB_CASTLING_k 0x4
#define TB_CASTLING_q 0x8

// Outcomes for the side to move; the 50-move rule draws those in the middle.
#define TB_LOSS         0
#define TB_BLESSED_LOSS 1
#define TB_DRAW         2
#define TB_CURSED_WIN   3
#define TB_WIN          4

#define TB_PROMOTES_NONE   0
#define TB_PROMOTES_QUEEN  1
#define TB_PROMOTES_ROOK   2
#define TB_PROMOTES_BISHOP 3
#define TB_PROMOTES_KNIGHT 4

// What scores are made of. They are fixed in the library: an engine with other values takes ranks, not scores.
#ifndef TB_VALUE_MATE
#define TB_VALUE_PAWN     100
#define TB_VALUE_MATE     32000
#define TB_VALUE_INFINITE 32767
#define TB_VALUE_DRAW     0
#define TB_MAX_MATE_PLY   255
#endif

// ---- a result: a move and its value, packed in 32 bits ----

#define TB_RESULT_WDL_SHIFT      0
#define TB_RESULT_TO_SHIFT       4
#define TB_RESULT_FROM_SHIFT     10
#define TB_RESULT_PROMOTES_SHIFT 16
#define TB_RESULT_EP_SHIFT       19
#define TB_RESULT_DTZ_SHIFT      20
#define TB_RESULT_WDL_MASK       0x0000000FU
#define TB_RESULT_TO_MASK        0x000003F0U
#define TB_RESULT_FROM_MASK      0x0000FC00U
#define TB_RESULT_PROMOTES_MASK  0x00070000U
#define TB_RESULT_EP_MASK        0x00080000U
#define TB_RESULT_DTZ_MASK       0xFFF00000U

#define CLTB_TB_GET(result, part) (((result)&TB_RESULT_##part##_MASK) >> TB_RESULT_##part##_SHIFT)
#define CLTB_TB_SET(result, part, value)                                                                               \
    (((result) & ~TB_RESULT_##part##_MASK) | (((value) << TB_RESULT_##part##_SHIFT) & TB_RESULT_##part##_MASK))

#define TB_GET_WDL(result)             CLTB_TB_GET(result, WDL)
#define TB_GET_TO(result)              CLTB_TB_GET(result, TO)
#define TB_GET_FROM(result)            CLTB_TB_GET(result, FROM)
#define TB_GET_PROMOTES(result)        CLTB_TB_GET(result, PROMOTES)
#define TB_GET_EP(result)              CLTB_TB_GET(result, EP)
#define TB_GET_DTZ(result)             CLTB_TB_GET(result, DTZ)
#define TB_SET_WDL(result, value)      CLTB_TB_SET(result, WDL, value)
#define TB_SET_TO(result, value)       CLTB_TB_SET(result, TO, value)
#define TB_SET_FROM(result, value)     CLTB_TB_SET(result, FROM, value)
#define TB_SET_PROMOTES(result, value) CLTB_TB_SET(result, PROMOTES, value)
#define TB_SET_EP(result, value)       CLTB_TB_SET(result, EP, value)
#define TB_SET_DTZ(result, value)      CLTB_TB_SET(result, DTZ, value)

#define TB_RESULT_CHECKMATE TB_SET_WDL(0, TB_WIN)
#define TB_RESULT_STALEMATE TB_SET_WDL(0, TB_DRAW)
#define TB_RESULT_FAILED    0xFFFFFFFFU

// ---- opening ----

// The most men of any table in the folders; 0: there are none. A position of that many men may still lack its table.
extern unsigned TB_LARGEST;

// Opens a list of folders, separated by ':' (';' on Windows), in place of the one before. Folders that cannot be read,
// an empty list and NULL are no error: then there are no tables. False: no memory. No other thread may be probing.
bool tb_init(const char *path);
bool tb_init_impl(const char *path); // the same, for headers of older versions of Fathom

void tb_free(void); // closes all tables

// ---- probing ----

// From any number of threads. TB_RESULT_FAILED, or 0 from functions that return int: a table is missing or damaged, or
// no table can hold the position, or it is illegal.

#define CLTB_TB_SETS                                                                                                   \
    uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks, uint64_t bishops,                 \
        uint64_t knights, uint64_t pawns

unsigned tb_probe_wdl_impl(CLTB_TB_SETS, unsigned ep, bool turn);
unsigned tb_probe_root_impl(CLTB_TB_SETS, unsigned rule50, unsigned ep, bool turn, unsigned *results);

// The outcome, TB_LOSS to TB_WIN, in positions whose half-move clock is 0; TB_RESULT_FAILED in others.
static inline unsigned tb_probe_wdl(CLTB_TB_SETS, unsigned rule50, unsigned castling, unsigned ep, bool turn)
{
    return castling != 0 || rule50 != 0
               ? TB_RESULT_FAILED
               : tb_probe_wdl_impl(white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
}

// A best move with its outcome, in spite of the clock, and its distance to zeroing (DTZ) in plies; TB_RESULT_CHECKMATE
// or TB_RESULT_STALEMATE if there is no move. `results` may be NULL; otherwise all moves are written there, the best
// first, and then TB_RESULT_FAILED: there must be room for TB_MAX_MOVES.
static inline unsigned tb_probe_root(CLTB_TB_SETS, unsigned rule50, unsigned castling, unsigned ep, bool turn,
                                     unsigned *results)
{
    return castling != 0 ? TB_RESULT_FAILED
                         : tb_probe_root_impl(white, black, kings, queens, rooks, bishops, knights, pawns, rule50, ep,
                                              turn, results);
}

typedef uint16_t TbMove;

#define TB_MOVE_FROM(move)     ((move) >> 6 & 0x3F)
#define TB_MOVE_TO(move)       ((move)&0x3F)
#define TB_MOVE_PROMOTES(move) ((move) >> 12 & 0x7)

struct TbRootMove {
    TbMove move;
    TbMove pv[TB_MAX_PLY]; // left as it is
    unsigned pvSize;       // 0
    int32_t tbScore;       // in units of TB_VALUE_PAWN
    int32_t tbRank;        // the greater the better
};

struct TbRootMoves {
    unsigned size;
    struct TbRootMove moves[TB_MAX_MOVES];
};

// All moves with ranks and scores, the best first. Returns 0 unless all could be probed. Ranks by outcomes and
// distances: 1000 for a win that the 50-move rule cannot take, less for one that it may take (at least 900) or takes;
// 0 for a draw; so with the other sign for a loss, which is worth more than -1000 if it takes at least half of the
// plies that are left. With `hasRepeated`, wins are ranked by distance. `useRule50`: false gives cursed wins and
// blessed losses the scores of wins and losses.
int tb_probe_root_dtz(CLTB_TB_SETS, unsigned rule50, unsigned castling, unsigned ep, bool turn, bool hasRepeated,
                      bool useRule50, struct TbRootMoves *results);

// The same by outcomes alone, as if the half-move clock were 0 after each move, for folders without distances.
int tb_probe_root_wdl(CLTB_TB_SETS, unsigned rule50, unsigned castling, unsigned ep, bool turn, bool useRule50,
                      struct TbRootMoves *results);

// ---- sets of squares ----

#ifndef TB_NO_HELPER_API
unsigned tb_pop_count(uint64_t set);
unsigned tb_lsb(uint64_t set);     // the lowest square; the set is not empty
uint64_t tb_pop_lsb(uint64_t set); // the set without its lowest square
uint64_t tb_king_attacks(unsigned square);
uint64_t tb_queen_attacks(unsigned square, uint64_t occupied);
uint64_t tb_rook_attacks(unsigned square, uint64_t occupied);
uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied);
uint64_t tb_knight_attacks(unsigned square);
uint64_t tb_pawn_attacks(unsigned square, bool white);
#endif

#ifdef __cplusplus
}
#endif

#endif
