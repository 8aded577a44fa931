// plan_material.c - what a plan knows of a table from its material alone
#include "make/plan_material.h"

#include "index/entry.h"
#include "index/layout.h"
#include "index/pawns.h"
#include "util/saturate.h"

#include <math.h>

// ---- the graph of tables ----

static int add_base(struct material *bases, int count, struct material material)
{
    if (material_men(&material) < 3)
        return count;
    material_normalise(&material);
    for (int i = 0; i < count; i++)
        if (material_equal(&bases[i], &material))
            return count;
    bases[count] = material;
    return count + 1;
}

// A pawn of a colour becomes each piece.
static int add_promotions(struct material *bases, int count, const struct material *material, int colour)
{
    for (int promoted = QUEEN; promoted <= KNIGHT; promoted++) {
        struct material with = *material;
        with.count[colour][PAWN]--;
        with.count[colour][promoted]++;
        count = add_base(bases, count, with);
    }
    return count;
}

// What captures lead to, and promotions: quiet ones, or those that capture.
static int list_bases(const struct material *material, struct material *bases, bool quiet_promotions)
{
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= PAWN; type++) {
            struct material captured = *material;
            if (captured.count[colour][type] == 0)
                continue;
            captured.count[colour][type]--;
            count = add_base(bases, count, captured);
            if (quiet_promotions && type == PAWN)
                count = add_promotions(bases, count, material, colour);
            else if (!quiet_promotions && type != PAWN && captured.count[colour ^ 1][PAWN] > 0)
                count = add_promotions(bases, count, &captured, colour ^ 1);
        }
    }
    return count;
}

int plan_futurebases(const struct material *material, struct material futurebases[PLAN_FUTUREBASES_MAX])
{
    return list_bases(material, futurebases, true);
}

int plan_capture_bases(const struct material *material, struct material bases[PLAN_CAPTURE_BASES_MAX])
{
    return list_bases(material, bases, false);
}

// ---- slices and entries ----

enum { ADVANCE_MAX = PAWNS_MAX * (PAWN_RANKS - 1) };

// Numbers of placements by the number of each side's pawns and the total advance.
struct placements {
    uint64_t count[PAWNS_MAX + 1][PAWNS_MAX + 1][ADVANCE_MAX + 1];
};

// Deals pawns to a rank, `each` at a time: 1 on any of 8 files, or 2 on any of 4 pairs of mirrored files.
static void deal_rank(struct placements *to, const struct placements *from, const int pawns[COLOURS], int rank,
                      int each)
{
    const int files = 8 / each;
    for (int white = 0; white <= pawns[WHITE]; white++) {
        for (int black = 0; black <= pawns[BLACK]; black++) {
            for (int w = 0; w <= white / each && w <= files; w++) {
                for (int b = 0; b <= black / each && w + b <= files; b++) {
                    const uint64_t ways =
                        entry_choose((unsigned)files, (unsigned)w) * entry_choose((unsigned)(files - w), (unsigned)b);
                    const int advance = each * (w * rank + b * (PAWN_RANKS - 1 - rank));
                    for (int a = advance; a <= ADVANCE_MAX; a++)
                        to->count[white][black][a] +=
                            ways * from->count[white - w * each][black - b * each][a - advance];
                }
            }
        }
    }
}

static void count_placements(struct placements *result, const int pawns[COLOURS], int each)
{
    *result = (struct placements){.count[0][0][0] = 1};
    for (int rank = 0; rank < PAWN_RANKS; rank++) {
        const struct placements before = *result;
        *result = (struct placements){0};
        deal_rank(result, &before, pawns, rank, each);
    }
}

// Placements that are not their own mirror image count half, the others fully.
uint64_t plan_slices(const struct material *material, uint64_t *most)
{
    const int pawns[COLOURS] = {material->count[WHITE][PAWN], material->count[BLACK][PAWN]};
    struct placements all;
    struct placements mirrored;
    uint64_t slices = 0;
    uint64_t largest = 0;
    count_placements(&all, pawns, 1);
    count_placements(&mirrored, pawns, 2);
    for (int a = 0; a <= ADVANCE_MAX; a++) {
        const uint64_t here =
            (all.count[pawns[WHITE]][pawns[BLACK]][a] + mirrored.count[pawns[WHITE]][pawns[BLACK]][a]) / 2;
        slices += here;
        largest = here > largest ? here : largest;
    }
    if (most != NULL)
        *most = largest;
    return slices;
}

// The entries of one slice: 64^n.
static uint64_t slice_entries(const struct material *material)
{
    return UINT64_C(1) << 6 * (material_men(material) - material->count[WHITE][PAWN] - material->count[BLACK][PAWN]);
}

uint64_t plan_index_entries(const struct material *material, unsigned layout)
{
    struct layout made;
    if (material_has_pawns(material))
        return u64_product(2 * plan_slices(material, NULL), slice_entries(material));
    return layout_init(&made, material, layout) == 0 ? u64_product(2, layout_bits(&made)) : UINT64_MAX;
}

double plan_file_entries(const struct material *material)
{
    struct material pieces = *material;
    double entries = material_symmetric(material) ? 1 : 2;
    if (material_has_pawns(material)) {
        pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
        entries *= (double)plan_slices(material, NULL) * (double)slice_entries(material);
    } else {
        entries *= 10 * (double)(UINT64_C(1) << 6 * (material_men(material) - 1));
    }
    return entries / material_arrangements(&pieces);
}

// ---- bytes of a file ----

// The values that beginners learn, White's minus Black's.
static int balance_of(const struct material *material)
{
    static const int worth[PIECE_TYPES] = {[QUEEN] = 9, [ROOK] = 5, [BISHOP] = 3, [KNIGHT] = 3, [PAWN] = 1};
    int balance = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        balance += worth[type] * (material->count[WHITE][type] - material->count[BLACK][type]);
    return balance;
}

enum { DRAW_BALANCE = 4 };

// White's minus Black's, with a bishop of 3.5.
static double fine_balance_of(const struct material *material)
{
    return balance_of(material) + 0.5 * (material->count[WHITE][BISHOP] - material->count[BLACK][BISHOP]);
}

// Is no piece major, and is the stronger side unable to win against correct play: with one minor piece, or two knights?
static bool is_drawn(const struct material *material)
{
    const uint8_t *white = material->count[WHITE];
    const uint8_t *black = material->count[BLACK];
    const uint8_t *strong = fine_balance_of(material) < 0 ? black : white;
    return white[QUEEN] + white[ROOK] + black[QUEEN] + black[ROOK] == 0 &&
           strong[BISHOP] + strong[KNIGHT] <= (strong[BISHOP] > 0 ? 1 : 2);
}

// Bits for each entry. Most takes an endgame between a draw and a win: queen against rook, or pieces against a queen. A
// pawnless one that is nearly always a draw takes little; one that is nearly always won needs distances only, fewer
// with each pawn of balance.
//
// The constants of each case are fitted to the sizes of the tables of 3 to 5 men, built with default options: a random
// search for the least mean of |ln(estimate / size)|, plus 0.02 of its maximum, plus 0.2 of the same of the sum of
// sizes. The estimates are 0.24 to 4.9 times the sizes.
static double entry_bits(const struct material *material)
{
    enum { BALANCE_MAX = 16 };
    const uint8_t *white = material->count[WHITE];
    const uint8_t *black = material->count[BLACK];
    const double balance = fabs(fine_balance_of(material));
    const double steps = fmin(balance, BALANCE_MAX);
    const bool bare = black[QUEEN] + black[ROOK] + black[BISHOP] + black[KNIGHT] + black[PAWN] == 0;
    if (material_has_pawns(material)) // pawns with the help of other men nearly always win against a bare king
        return bare ? 0.0738 * pow(0.45, fmin(material_men(material), 5) - 3) : 0.225 * pow(0.886, steps);
    if (is_drawn(material))
        return 0.004;
    if (balance >= DRAW_BALANCE)
        return bare ? 3.09 * pow(0.788, steps) : 0.966 * pow(0.794, steps);
    if (white[QUEEN] + white[ROOK] + black[QUEEN] + black[ROOK] == 0)
        return 0.036;
    return (white[QUEEN] > 0) != (black[QUEEN] > 0) ? 0.32 : 0.0525;
}

// The same with the distances of one side to mate or conversion, which nearly all wins have. The estimates are 0.36 to
// 2.4 times the sizes of the 117 tables with more than 300 kB.
static double entry_bits_to_mate(const struct material *material)
{
    enum { BALANCE_MAX = 20 };
    const uint8_t *white = material->count[WHITE];
    const uint8_t *black = material->count[BLACK];
    const double balance = fmin(fabs(fine_balance_of(material)), BALANCE_MAX);
    const bool bare = black[QUEEN] + black[ROOK] + black[BISHOP] + black[KNIGHT] + black[PAWN] == 0;
    if (material_has_pawns(material) && bare)
        return 0.456 * pow(0.91, balance);
    if (material_has_pawns(material))
        return balance < 2.5 ? 0.379 : 0.86 * pow(0.9, balance);
    if (is_drawn(material))
        return 0.004;
    if (bare)
        return 3.68 * pow(0.8, balance);
    if (balance < DRAW_BALANCE)
        return (white[QUEEN] > 0) != (black[QUEEN] > 0) ? 0.515 : 0.109;
    return 0.865 * pow(0.885, balance);
}

double plan_file_bytes(const struct material *material)
{
    const double table_bytes = 3300; // of a table with almost nothing in it
    const double bits = material->metric == METRIC_DTZ ? entry_bits(material) : entry_bits_to_mate(material);
    return table_bytes + plan_file_entries(material) * bits / 8;
}

// Syzygy files store what a table of cltb does in another way, outcomes in one file and distances in the other. The
// published ones of all 145 tables of 3 to 5 men take 1.38 times as much as the tables.
double plan_syzygy_bytes(const struct material *material)
{
    const double share = 1.38;
    const double pair_bytes = 160; // of two files with nothing in them
    return pair_bytes + share * plan_file_entries(material) * entry_bits(material) / 8;
}

// ---- distances ----

// Is the weaker side's stream smaller? So it is where both sides have minor pieces alone and the stronger one hardly
// more (KBBvKNN: 22 MB instead of 37, KNNNvKB 167 instead of 254, but KNNNvKN 259 instead of 268). Not asked of tables
// of up to five men, whose files have always been as they are.
static bool loses_little(const struct material *material)
{
    enum { SMALL_MEN = 5, EVEN_BALANCE = 6 };
    const uint8_t *white = material->count[WHITE];
    const uint8_t *black = material->count[BLACK];
    return material_men(material) > SMALL_MEN && !material_has_pawns(material) && !material_symmetric(material) &&
           white[QUEEN] + white[ROOK] + black[QUEEN] + black[ROOK] == 0 && black[BISHOP] + black[KNIGHT] > 0 &&
           fabs(fine_balance_of(material)) < EVEN_BALANCE;
}

struct plan_distances plan_distances(const struct material *material, const struct build_options *options, bool syzygy)
{
    const bool both = syzygy || ((options->both_sides || options->best || material->metric != METRIC_DTZ) &&
                                 !material_symmetric(material));
    const int strong = balance_of(material) >= 0 ? WHITE : BLACK;
    struct plan_distances distances = {.kept = strong ^ loses_little(material), .last_attacker = strong};
    distances.keep[distances.kept] = true;
    distances.keep[distances.kept ^ 1] = both;
    return distances;
}
