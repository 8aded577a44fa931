// vacant.c - the entries of a table that no legal position has (vacant.h)
//
// In an order of entries one man, the *mover*, goes from square to square while all others stand still: a single man of
// the innermost group, or of several identical men the one on the lowest square. So entries are looked at in runs:
//
//     1. If two of the other men are on one square, or both kings stand still next to each other, all of the run is
//        vacant.
//     2. If a man of the side to move that stands still gives check, the mover must be between the two.
//     3. Nor may the mover be on another man's square or, if it belongs to the side to move, give check; if it is the
//        other king, it may not be attacked, and no king may be next to the other one.
#include "index/vacant.h"

#include "chess/attacks.h"
#include "util/cloned.h"

#include <string.h>

// Puts the men of a group on the squares of its digit.
static void place_group(struct vacant_scan *scan, int g)
{
    const int count = scan->order->group[g].count;
    struct man *man = &scan->man[scan->first[g]];
    uint8_t square[MATERIAL_MEN_MAX];
    entry_digit_squares(entry_whole_digit(scan->order, g, scan->digit[g]), count, square);
    for (int i = 0; i < count; i++)
        man[i].square = square[i];
}

// Is it after the last slice, or the last square of the black king?
static bool is_after_all(const struct vacant_scan *scan)
{
    const struct pawn_slices *slices = scan->order->slices;
    return scan->slice >= (slices == NULL ? TRIANGLE_SQUARES : slices->slices);
}

uint64_t vacant_white_king(const struct entry_order *order, uint64_t slice)
{
    if (order->slices != NULL) {
        bool mirror;
        bool both;
        pawn_slices_find(order->slices, order->slices->square[slice], &mirror, &both);
        return both ? UINT64_C(0x0f0f0f0f0f0f0f0f) : UINT64_MAX;
    }
    uint64_t squares = UINT64_MAX;
    for (int s = 0; square_on_diagonal(triangle_square[slice]) && s < SQUARES; s++) {
        if (square_rank(s) > square_file(s))
            squares &= ~square_bit(s);
    }
    return squares;
}

// Begins with a slice, or a square of the black king.
static void place_outermost(struct vacant_scan *scan)
{
    const struct pawn_slices *slices = scan->order->slices;
    if (is_after_all(scan))
        return;
    scan->white_king = vacant_white_king(scan->order, scan->slice);
    if (slices == NULL) {
        scan->man[0].square = triangle_square[scan->slice];
        return;
    }
    const uint8_t *square = slices->square[scan->slice];
    for (int i = 0; i < slices->pawns[WHITE] + slices->pawns[BLACK]; i++)
        scan->man[i].square = square[i];
}

static void add_man(struct vacant_scan *scan, int colour, int type)
{
    scan->man[scan->men++] = (struct man){.colour = (uint8_t)colour, .type = (uint8_t)type};
}

void vacant_scan_begin(struct vacant_scan *scan, const struct vacant_start *start)
{
    const struct entry_order *order = start->order;
    const uint64_t first = start->first;
    *scan = (struct vacant_scan){.order = order, .side = start->side};
    if (order->slices == NULL)
        add_man(scan, BLACK, KING);
    for (int colour = WHITE; order->slices != NULL && colour <= BLACK; colour++) {
        for (int n = 0; n < order->slices->pawns[colour]; n++)
            add_man(scan, colour, PAWN);
    }
    scan->slice = start->section * order->slices_per_section + first / order->per_slice;
    place_outermost(scan);
    for (int g = 0; g < order->groups; g++) {
        scan->first[g] = (uint8_t)scan->men;
        for (int n = 0; n < order->group[g].count; n++)
            add_man(scan, order->group[g].colour, order->group[g].type);
        scan->digit[g] = first / order->group[g].stride % order->group[g].size;
        place_group(scan, g);
    }
}

// The squares of the mover that make an entry vacant.
static uint64_t vacant_squares(const struct vacant_scan *scan)
{
    const struct man *mover = &scan->man[scan->men - 1];
    const int other = scan->side == WHITE ? BLACK : WHITE;
    uint64_t occupied = 0;
    uint64_t king[COLOURS] = {0};
    for (int i = 0; i < scan->men - 1; i++) {
        const struct man *man = &scan->man[i];
        const uint64_t bit = square_bit(man->square);
        if ((occupied & bit) != 0)
            return UINT64_MAX;
        occupied |= bit;
        if (man->type == KING)
            king[man->colour] = bit;
    }
    if ((king[WHITE] & ~scan->white_king) != 0)
        return UINT64_MAX;
    const bool target_moves = king[other] == 0; // Is the mover the king that is not to move?
    const int target = target_moves ? 0 : __builtin_ctzll(king[other]);
    uint64_t vacant = occupied;
    if (mover->type == KING) {
        const uint64_t stands = king[WHITE] | king[BLACK];
        vacant |= king_attacks(__builtin_ctzll(stands)) | (mover->colour == WHITE ? ~scan->white_king : 0);
    } else if ((king_attacks(target) & king[scan->side]) != 0) {
        return UINT64_MAX;
    }
    for (int i = 0; i < scan->men - 1; i++) {
        const struct man *man = &scan->man[i];
        if (man->colour == other || man->type == KING)
            continue;
        const uint64_t attacked = piece_attacks(man->type, man->colour, man->square, occupied);
        if (target_moves)
            vacant |= attacked;
        else if ((attacked & square_bit(target)) != 0)
            vacant |= ~squares_between(man->square, target);
    }
    if (mover->colour == scan->side && mover->type != KING)
        vacant |= piece_attacks(mover->type, mover->colour, target, occupied);
    return vacant;
}

// Goes on to the next run.
static void next_run(struct vacant_scan *scan)
{
    const struct entry_order *order = scan->order;
    int g = order->groups - 1;
    for (; g >= 0 && scan->digit[g] == order->group[g].size; g--) {
        scan->digit[g] = 0;
        place_group(scan, g);
        if (g > 0)
            scan->digit[g - 1]++;
    }
    if (g >= 0) {
        place_group(scan, g);
    } else {
        scan->slice++;
        place_outermost(scan);
    }
}

// Sets the bytes of eight squares from the lowest bits of `vacant` on.
static void mark_eight(uint64_t vacant, uint8_t value, uint8_t *mark)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    const uint64_t bit = (vacant & 0xff) * each & UINT64_C(0x8040201008040201);
    const uint64_t set = ((bit + 0x7f * each) >> 7 & each) * 0xff;
    uint64_t word;
    memcpy(&word, mark, sizeof word);
    word = (word & ~set) | (value * each & set);
    memcpy(mark, &word, sizeof word);
}

static void mark_run(uint64_t vacant, size_t count, uint8_t value, uint8_t *mark)
{
    size_t i = 0;
    for (; vacant != 0 && i + 8 <= count; i += 8, vacant >>= 8)
        mark_eight(vacant, value, mark + i);
    for (; vacant != 0 && i < count; i++, vacant >>= 1)
        mark[i] = (vacant & 1) != 0 ? value : mark[i];
}

CLONED void vacant_scan_next(struct vacant_scan *scan, size_t count, uint8_t value, uint8_t *mark)
{
    const struct entry_order *order = scan->order;
    const int last = order->groups - 1;
    while (count > 0) {
        if (is_after_all(scan)) {
            if (mark != NULL)
                memset(mark, value, count);
            return;
        }
        const struct man *mover = &scan->man[scan->men - 1];
        const unsigned end = order->group[last].count > 1 ? mover[-1].square : SQUARES;
        const size_t run = end - mover->square;
        const size_t some = run < count ? run : count;
        if (mark != NULL) {
            mark_run(vacant_squares(scan) >> mover->square, some, value, mark);
            mark += some;
        }
        scan->digit[last] += some;
        count -= some;
        next_run(scan);
    }
}

uint64_t vacant_way(int colour, int type, int from, int to)
{
    return piece_attacks(type, colour, from, 0) >> to & 1 ? squares_between(from, to) : UINT64_MAX;
}

void entry_mark_vacant(const struct entry_order *order, int side, uint64_t section, uint64_t first, size_t count,
                       uint8_t value, uint8_t *mark)
{
    struct vacant_scan scan;
    vacant_scan_begin(&scan, &(struct vacant_start){order, side, section, first});
    vacant_scan_next(&scan, count, value, mark);
}
