// solution.h - a solved endgame as bit planes
//
// A position's value is a code of up to ten bits. Bit i of the code is in distance plane i; the plane `won` tells
// whether the code indexes the wins or the losses of `value`. Code 0 is a draw, or, in an entry that is in `won`, an
// illegal position or an overlap.
//
// 8 positions are 8 bytes of 8 planes: an 8x8 bit matrix, which is transposed to get the codes.
#ifndef CLTB_SOLVE_SOLUTION_H
#define CLTB_SOLVE_SOLUTION_H

#include "chess/value.h"
#include "solve/backend.h"

enum {
    SOLVER_PLY_MAX = 2000, // of seven men 1034 plies are known, of eight 1168
    DISTANCE_PLANES_MAX = STEP_PLANES_MAX,
    SOLUTION_PLANES = DISTANCE_PLANES_MAX + 2, // for one side to move: won, resolved, the bits of the code
    DISTANCE_CODES = 1 << DISTANCE_PLANES_MAX,
    CODE_WON = DISTANCE_PLANES_MAX, // bits of solution_code_planes()
    CODE_RESOLVED
};

// The value of one position: 0 = a draw or an illegal position; otherwise value_code(). If distances are not kept, the
// ply is 1 for wins and losses, 101 for cursed wins and blessed losses.
typedef uint16_t solver_value;

static inline int solver_value_ply(solver_value value)
{
    return value / 2 - 1;
}

// The codes of distances to mate are numbers: 1 for mate and mate in 1 ply, 2 for 2 and 3 plies, and so on. Whether a
// position is won or lost tells the two distances of a code apart.
enum { MATE_CODE_BITS = 9, MATE_PLY_MAX = 2 * (1 << MATE_CODE_BITS) - 3 };

static inline int mate_code(int ply)
{
    return ply < 0 ? 0 : ply / 2 + 1;
}

// The number of bits of the largest code, that of distance `longest`.
static inline int mate_code_bits(int longest)
{
    int bits = 0;
    while (mate_code(longest) >> bits > 0)
        bits++;
    return bits;
}

// Can a solver have found these values and largest distances (as in struct solution)?
bool solver_values_fit(const solver_value value[COLOURS][COLOURS][DISTANCE_CODES], const int longest[COLOURS][5]);

// The planes of one side to move for some tiles or for one slice: words of 64 entries each.
struct slice_side {
    const uint64_t *won;                           // wins; also illegal and overlap entries
    const uint64_t *distance[DISTANCE_PLANES_MAX]; // bits of the code; NULL: all zero
    const uint64_t *resolved;                      // as in struct solution; NULL if not kept
    const uint64_t *stalemate;                     // NULL: not kept, or there are none
};

typedef const uint64_t (*solver_weights)[COLOURS][SOLVER_PLY_MAX + 1]; // as in struct solution

struct solution {
    struct backend *backend;
    struct layout shown;                                  // the backend's layout in its shown form, for tile_source.h
    struct plane *won[COLOURS];                           // by side to move: wins; also illegal and overlap entries
    struct plane *distance[COLOURS][DISTANCE_PLANES_MAX]; // by side to move, bits of the code
    // By side to move, if kept: set for a win if a capture wins, for a draw if the best capture draws. Undefined for
    // other outcomes.
    struct plane *resolved[COLOURS];
    // Additional planes for the slices from which a pawn move leads here, by side to move; only with keep_slabs.
    // "Early": under the 50-move rule; NULL if that makes no difference.
    struct plane *won_early[COLOURS]; // like `won`
    struct plane *lost_early[COLOURS];
    struct plane *stalemate[COLOURS];
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES]; // [side to move][1: won][code]
    int codes[COLOURS][COLOURS];                          // number of codes in use, which start at 1
    bool kept[COLOURS];                                   // distances, by side to move
    int longest[COLOURS][5]; // [side to move][outcome + 2] plies, -1: none; kept or not. Checkmates alone do not count
    uint64_t plies;          // steps taken for both attackers
    // By side to move, whether it wins, and distance: the sum of the steps' weights (struct step). Does not include
    // mates, which iteration_record() enters.
    uint64_t weight[COLOURS][COLOURS][SOLVER_PLY_MAX + 1];
};

void solution_free(struct solution *solution);

// Plane number 0..SOLUTION_PLANES-1 of a side to move, NULL if there is none; and its place among that side's words.
const struct plane *solution_plane(const struct solution *solution, int side, int number);
const uint64_t **slice_side_plane(struct slice_side *planes, int number);

// The planes of a side to move by the bits of an entry's code: distances, `won`, `resolved`; NULL: all zero.
void solution_code_planes(const struct solution *solution, int side, const struct plane *plane[SOLUTION_PLANES]);

// Reads all existing planes of tiles first..first+count-1, for one side to move, into `memory`, where each plane has
// room for `room` tiles. Thread-safe.
int solution_planes(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t room,
                    uint64_t *memory, struct slice_side *planes);

// Exchanges bit i of byte j with bit j of byte i.
static inline uint64_t transpose8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

// The lanes of word w that have a code.
static inline uint64_t planes_any_code(const struct slice_side *planes, size_t w)
{
    uint64_t any = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        any |= planes->distance[bit] != NULL ? planes->distance[bit][w] : 0;
    return any;
}

#endif
