// frame.c - the men of a restricted endgame as pieces and fixed men of slices
#include "restricted/make/frame.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    // A kind is fixed if its placements are fewer than a quarter of those on 64 squares, because moves from slice to
    // slice cost several times as much as those of a piece.
    FIXED_PART = 4,
    PIECES_MAX = 5,           // kings included; more pieces become fixed men if their placements can be listed
    PLACEMENTS_MAX = 1 << 20, // at most this many are listed
    COMBOS_MAX = 1 << 24
};

// ---- kinds ----

static int find_kinds(struct frame *frame)
{
    const struct restricted_index *index = frame->index;
    for (int p = 0; p < index->pieces; p++) {
        const struct spec_man *man = &index->spec.man[index->piece[p]];
        int k = 0;
        while (k < frame->kinds && (frame->kind[k].colour != man->colour || frame->kind[k].type != man->type))
            k++;
        if (k == frame->kinds)
            frame->kind[frame->kinds++] = (struct frame_kind){.colour = man->colour, .type = man->type};
        frame->kind[k].piece[frame->kind[k].men++] = p;
    }
    return 0;
}

// The squares of all sets of a kind, and whether all sets are the same.
static uint64_t squares_of(const struct frame *frame, const struct frame_kind *kind, uint64_t set[SPEC_MEN_MAX],
                           bool *alike)
{
    uint64_t all = 0;
    *alike = true;
    for (int i = 0; i < kind->men; i++) {
        set[i] = frame->index->spec.man[frame->index->piece[kind->piece[i]]].squares;
        *alike &= set[i] == set[0];
        all |= set[i];
    }
    return all;
}

struct listing {
    const uint64_t *set;
    int men;
    uint64_t all;
    uint64_t *placement; // NULL: only counted
    size_t count;
    size_t most;
};

// Lists the sets of `left` more squares below the lowest of `taken` that can be given to all men, in no order. False:
// there are too many.
static bool list_placements(struct listing *list, uint64_t taken, int left)
{
    if (left == 0) {
        uint64_t claimants[SPEC_MEN_MAX] = {0};
        uint8_t owner[SQUARES];
        for (int i = 0; i < list->men; i++)
            claimants[i] = list->set[i] & taken;
        if (!spec_seat(claimants, list->men, owner))
            return true;
        if (list->count == list->most)
            return false;
        if (list->placement != NULL)
            list->placement[list->count] = taken;
        list->count++;
        return true;
    }
    uint64_t squares = list->all & (taken == 0 ? UINT64_MAX : (taken & -taken) - 1);
    while (squares != 0) {
        const int square = set_pop(&squares);
        if (!list_placements(list, taken | square_bit(square), left - 1))
            return false;
    }
    return true;
}

static int compare_placements(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Fixes a kind if it has fewer than `most` placements.
static int try_fix(struct frame *frame, struct frame_kind *kind, size_t most)
{
    uint64_t set[SPEC_MEN_MAX];
    bool alike;
    struct listing list = {.set = set, .men = kind->men, .most = most < PLACEMENTS_MAX ? most : PLACEMENTS_MAX};
    list.all = squares_of(frame, kind, set, &alike);
    // All ways to choose squares must be looked at.
    double ways = 1;
    for (int i = 0; i < kind->men; i++)
        ways *= (double)(__builtin_popcountll(list.all) - i) / (i + 1);
    if (ways > 64.0 * PLACEMENTS_MAX || !list_placements(&list, 0, kind->men) ||
        frame->combos > COMBOS_MAX / (list.count > 0 ? list.count : 1))
        return 0;
    TRY(memory_new(&kind->placement, list.count, sizeof *kind->placement, "placements of pieces"));
    list.placement = kind->placement;
    kind->placements = list.count;
    list.count = 0;
    list_placements(&list, 0, kind->men);
    qsort(kind->placement, kind->placements, sizeof *kind->placement, compare_placements);
    frame->combos *= kind->placements;
    kind->fixed = true;
    return 0;
}

static int pieces_left(const struct frame *frame)
{
    int pieces = 0;
    for (int k = 0; k < frame->kinds; k++)
        pieces += frame->kind[k].fixed ? 0 : frame->kind[k].men;
    return pieces;
}

static int choose_fixed(struct frame *frame)
{
    for (int k = 0; k < frame->kinds; k++) {
        struct frame_kind *kind = &frame->kind[k];
        const size_t all = kind->men < 4 ? (size_t)1 << 6 * kind->men : (size_t)PLACEMENTS_MAX * FIXED_PART;
        if (kind->type != KING)
            TRY(try_fix(frame, kind, all / FIXED_PART));
    }
    for (int k = frame->kinds - 1; k >= 0 && pieces_left(frame) > PIECES_MAX; k--) {
        if (frame->kind[k].type != KING && !frame->kind[k].fixed)
            TRY(try_fix(frame, &frame->kind[k], PLACEMENTS_MAX));
    }
    return pieces_left(frame) <= PIECES_MAX
               ? 0
               : error_set(CLTB_E_MEMORY, "more than %d men other than pawns may stand almost anywhere", PIECES_MAX);
}

// ---- the shape ----

// Puts the pieces in the order for slices_solve(): the colours alternate, so that both sides have digits at every
// height.
static void make_shape(struct frame *frame)
{
    const struct restricted_index *index = frame->index;
    struct slab_shape *shape = &frame->shape;
    int used[COLOURS * PIECE_TYPES] = {0};
    for (int i = 0; i < index->pawns; i++) {
        shape->fixed_type[shape->fixed] = PAWN;
        shape->fixed_colour[shape->fixed++] = index->spec.man[index->pawn[i]].colour;
    }
    for (int k = 0; k < frame->kinds; k++) {
        struct frame_kind *kind = &frame->kind[k];
        for (int i = 0; kind->fixed && i < kind->men; i++) {
            kind->place[i] = shape->fixed;
            shape->fixed_type[shape->fixed] = kind->type;
            shape->fixed_colour[shape->fixed++] = kind->colour;
        }
    }
    for (int colour = WHITE, left = pieces_left(frame); left > 0; colour ^= 1) {
        for (int k = 0; k < frame->kinds; k++) {
            struct frame_kind *kind = &frame->kind[k];
            if (kind->fixed || kind->colour != colour || used[k] == kind->men)
                continue;
            kind->place[used[k]++] = shape->pieces;
            shape->type[shape->pieces] = kind->type;
            shape->colour[shape->pieces++] = kind->colour;
            left--;
            break;
        }
    }
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        struct slice_group *group = &frame->group[frame->groups];
        uint64_t set[SPEC_MEN_MAX];
        bool alike;
        const uint64_t all = squares_of(frame, kind, set, &alike);
        if (kind->fixed || (alike && all == UINT64_MAX))
            continue;
        *group = (struct slice_group){.pieces = kind->men, .alike = alike};
        for (int i = 0; i < kind->men; i++) {
            group->piece[i] = (uint8_t)kind->place[i];
            group->set[i] = set[i];
        }
        frame->groups++;
    }
}

int frame_open(struct frame *frame, const struct restricted_index *index)
{
    *frame = (struct frame){.index = index, .combos = 1};
    int code = find_kinds(frame);
    THEN(code, choose_fixed(frame));
    if (code == 0)
        make_shape(frame);
    else
        frame_close(frame);
    return code;
}

void frame_close(struct frame *frame)
{
    for (int k = 0; k < frame->kinds; k++)
        free(frame->kind[k].placement);
    *frame = (struct frame){.index = NULL};
}

// ---- combos ----

bool frame_place(const struct frame *frame, uint32_t slice, size_t combo, uint8_t square[FIXED_MAX])
{
    uint64_t occupied = 0;
    bool apart = true;
    memset(square, 0, FIXED_MAX);
    memcpy(square, frame->index->placement[slice], (size_t)frame->index->pawns);
    for (int k = frame->kinds - 1; k >= 0; k--) {
        const struct frame_kind *kind = &frame->kind[k];
        if (!kind->fixed)
            continue;
        uint64_t squares = kind->placement[combo % kind->placements];
        combo /= kind->placements;
        for (int i = 0; i < kind->men; i++)
            square[kind->place[i]] = (uint8_t)set_pop(&squares);
    }
    for (int i = 0; i < frame->shape.fixed; i++) {
        apart &= (occupied & square_bit(square[i])) == 0;
        occupied |= square_bit(square[i]);
    }
    return apart;
}

static size_t add_kind(const struct frame_kind *kind, size_t combo, uint64_t squares)
{
    const uint64_t *found = bsearch(&squares, kind->placement, kind->placements, sizeof squares, compare_placements);
    return found == NULL || combo == SIZE_MAX ? SIZE_MAX : combo * kind->placements + (size_t)(found - kind->placement);
}

size_t frame_combo(const struct frame *frame, const uint8_t square[FIXED_MAX])
{
    size_t combo = 0;
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        uint64_t squares = 0;
        for (int i = 0; kind->fixed && i < kind->men; i++)
            squares |= square_bit(square[kind->place[i]]);
        if (kind->fixed)
            combo = add_kind(kind, combo, squares);
    }
    return combo;
}

size_t frame_combo_of(const struct frame *frame, const uint8_t where[SPEC_MEN_MAX])
{
    size_t combo = 0;
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        uint64_t squares = 0;
        for (int i = 0; kind->fixed && i < kind->men; i++)
            squares |= square_bit(where[frame->index->piece[kind->piece[i]]]);
        if (kind->fixed)
            combo = add_kind(kind, combo, squares);
    }
    return combo;
}

size_t frame_part(const struct frame *frame, int piece, int square)
{
    const int pieces = frame->shape.pieces;
    const size_t code = square_code[square];
    const unsigned below = 3U * (unsigned)(pieces - 1 - piece); // bits of the digits below
    return code >> 3 << (3U * (unsigned)pieces + below) | (code & 7) << below;
}
