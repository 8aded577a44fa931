// plan_material.c - what a plan knows of a table from its material alone
#include "make/plan_material.h"

#include "index/layout.h"
#include "index/pawns.h"
#include "util/saturate.h"

#include <stdlib.h>

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

// n choose k for a rank's squares.
static uint64_t choose(int n, int k)
{
    uint64_t c = k <= n ? 1 : 0;
    for (int i = 0; i < k && k <= n; i++)
        c = c * (uint64_t)(n - i) / (uint64_t)(i + 1);
    return c;
}

enum { ADVANCE_MAX = PLAN_SIDE_PAWNS_MAX * (PAWN_RANKS - 1) };

// Placements by the number of either side's pawns and total advance.
struct placements {
    uint64_t count[PLAN_SIDE_PAWNS_MAX + 1][PLAN_SIDE_PAWNS_MAX + 1][ADVANCE_MAX + 1];
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
                    const uint64_t ways = choose(files, w) * choose(files - w, b);
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

// Half of those that are not their own mirror image, and all that are.
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

// Of one slice: 64^n.
static uint64_t slice_entries(const struct material *material)
{
    return UINT64_C(1) << 6 * (material_men(material) - material->count[WHITE][PAWN] - material->count[BLACK][PAWN]);
}

uint64_t plan_index_entries(const struct material *material)
{
    struct layout layout;
    if (material_has_pawns(material))
        return u64_product(2 * plan_slices(material, NULL), slice_entries(material));
    return layout_init(&layout, material, LAYOUT_PAIR) == 0 ? u64_product(2, layout_bits(&layout)) : UINT64_MAX;
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

// ---- distances and planes ----

// The values that beginners learn, White's less Black's.
static int balance_of(const struct material *material)
{
    static const int worth[PIECE_TYPES] = {[QUEEN] = 9, [ROOK] = 5, [BISHOP] = 3, [KNIGHT] = 3, [PAWN] = 1};
    int balance = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        balance += worth[type] * (material->count[WHITE][type] - material->count[BLACK][type]);
    return balance;
}

bool plan_one_sided(const struct material *material)
{
    enum { QUEEN_WORTH = 9 };
    int black = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        black += material->count[BLACK][type];
    return black == 0 || abs(balance_of(material)) >= QUEEN_WORTH;
}

struct plan_distances plan_distances(const struct material *material, const struct build_options *options)
{
    const bool both =
        options->syzygy != NULL || ((options->both_sides || options->best) && !material_symmetric(material));
    const int strong = balance_of(material) >= 0 ? WHITE : BLACK;
    struct plan_distances distances = {.last_attacker = strong};
    distances.keep[strong] = true;
    distances.keep[strong ^ 1] = both;
    return distances;
}

struct plan_distances plan_table_distances(const struct material *material, const struct build_options *options)
{
    struct build_options alone = *options;
    alone.syzygy = NULL;
    return plan_distances(material, &alone);
}

uint64_t plan_planes_bytes(const struct material *material, const struct build_options *options, bool write)
{
    enum {
        ITERATION_PLANES = 6, // won 2, closed, new losses 2, new wins
        DECIDED_PLANES = 2,   // for a file
        OUTCOME_PLANES = 2,   // of a side whose distances are not kept
        TYPICAL_PLANES = 7    // of a side whose distances are
    };
    struct layout layout;
    if (layout_init(&layout, material, LAYOUT_PAIR) != 0)
        return UINT64_MAX;
    const struct plan_distances distances = plan_distances(material, options);
    const bool both = distances.keep[WHITE] && distances.keep[BLACK];
    const int planes =
        ITERATION_PLANES + TYPICAL_PLANES + (both ? TYPICAL_PLANES : OUTCOME_PLANES) + (write ? DECIDED_PLANES : 0);
    return u64_product(layout_bits(&layout) / 8 + layout.tiles, (uint64_t)planes);
}
