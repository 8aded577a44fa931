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

static void find_kinds(struct frame *frame)
{
    const struct restricted_index *index = frame->index;
    for (int p = 0; p < index->pieces; p++) {
        const struct spec_man *man = &index->spec.man[index->piece[p]];
        int k = 0;
        while (k < frame->kinds && (frame->kind[k].colour != man->colour || frame->kind[k].type != man->type))
            k++;
        struct frame_kind *kind = &frame->kind[k];
        if (k == frame->kinds) {
            *kind = (struct frame_kind){.colour = man->colour, .type = man->type, .alike = true};
            frame->kinds++;
        }
        kind->set[kind->men] = man->squares;
        kind->alike &= man->squares == kind->set[0];
        kind->all |= man->squares;
        kind->piece[kind->men++] = p;
    }
}

// Lists the sets of `left` more squares below the lowest of `taken` that can be given to all men, in no order, up to
// one more than `most`.
static int list_placements(struct frame_kind *kind, size_t most, uint64_t taken, int left)
{
    uint64_t squares = kind->all & (taken == 0 ? UINT64_MAX : (taken & -taken) - 1);
    uint64_t claimants[SPEC_MEN_MAX] = {0};
    uint8_t owner[SQUARES];
    while (left > 0 && squares != 0 && kind->placements <= most)
        TRY(list_placements(kind, most, taken | square_bit(set_pop(&squares)), left - 1));
    for (int i = 0; i < kind->men; i++)
        claimants[i] = kind->set[i] & taken;
    if (left > 0 || kind->placements > most || !spec_seat(claimants, kind->men, owner))
        return 0;
    TRY(memory_grow(&kind->placement, &kind->room, kind->placements + 1, sizeof taken, "placements of pieces"));
    kind->placement[kind->placements++] = taken;
    return 0;
}

static int compare_placements(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Fixes a kind if it has at most `most` placements.
static int try_fix(struct frame *frame, struct frame_kind *kind, size_t most)
{
    // All ways to choose squares must be looked at.
    double ways = 1;
    for (int i = 0; i < kind->men; i++)
        ways *= (double)(__builtin_popcountll(kind->all) - i) / (i + 1);
    if (ways > 64.0 * PLACEMENTS_MAX)
        return 0;
    most = most < PLACEMENTS_MAX ? most : PLACEMENTS_MAX;
    kind->placements = 0;
    TRY(list_placements(kind, most, 0, kind->men));
    if (kind->placements > most || frame->combos * kind->placements > COMBOS_MAX)
        return 0;
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
        if (kind->fixed || (kind->alike && kind->all == UINT64_MAX))
            continue;
        *group = (struct slice_group){.pieces = kind->men, .alike = kind->alike};
        for (int i = 0; i < kind->men; i++) {
            group->piece[i] = (uint8_t)kind->place[i];
            group->set[i] = kind->set[i];
        }
        frame->groups++;
    }
}

int frame_open(struct frame *frame, const struct restricted_index *index)
{
    *frame = (struct frame){.index = index, .combos = 1};
    find_kinds(frame);
    const int code = choose_fixed(frame);
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
    memcpy(square, frame->index->slice[slice].placement, (size_t)frame->index->pawns);
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

size_t frame_combo(const struct frame *frame, const uint8_t *square, bool by_man)
{
    size_t combo = 0;
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        uint64_t squares = 0;
        if (!kind->fixed)
            continue;
        for (int i = 0; i < kind->men; i++)
            squares |= square_bit(square[by_man ? frame->index->piece[kind->piece[i]] : kind->place[i]]);
        const uint64_t *found =
            bsearch(&squares, kind->placement, kind->placements, sizeof squares, compare_placements);
        if (found == NULL)
            return SIZE_MAX;
        combo = combo * kind->placements + (size_t)(found - kind->placement);
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
