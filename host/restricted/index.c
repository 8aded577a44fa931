// index.c - numbers the placements of a restricted endgame (the steps are in index.h)
#include "restricted/index.h"

#include "index/square.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SLICES_MAX = 1 << 24 };

#define ENTRIES_MAX (UINT64_C(1) << 32)

static const struct spec_man *pawn_man(const struct restricted_index *index, int pawn)
{
    return &index->spec.man[index->pawn[pawn]];
}

// ---- symmetry ----

static uint64_t set_apply(int g, uint64_t squares)
{
    uint64_t result = 0;
    for (; squares != 0; squares &= squares - 1)
        result |= square_bit(square_apply(g, __builtin_ctzll(squares)));
    return result;
}

// Finds which man each man becomes under symmetry g. False: g is not a symmetry of the spec.
static bool find_images(const struct spec *spec, int g, uint8_t image[SPEC_MEN_MAX])
{
    bool taken[SPEC_MEN_MAX] = {false};
    for (int i = 0; i < spec->men; i++) {
        struct spec_man man = spec->man[i];
        man.squares = set_apply(g, man.squares);
        int j = 0;
        while (j < spec->men && (taken[j] || !spec_identical(&spec->man[j], &man)))
            j++;
        if (j == spec->men)
            return false;
        taken[j] = true;
        image[i] = (uint8_t)j;
    }
    return true;
}

// The symmetry that carries a square to the lowest one of its orbit, as a place in index->symmetry.
static int to_lowest(const struct restricted_index *index, int square)
{
    int best = 0;
    for (int i = 1; i < index->symmetries; i++) {
        if (square_apply(index->symmetry[i], square) < square_apply(index->symmetry[best], square))
            best = i;
    }
    return best;
}

// ---- men ----

static void find_groups(struct restricted_index *index)
{
    const struct spec *spec = &index->spec;
    for (int i = 0; i < spec->men; i++) {
        uint64_t squares = spec->man[i].squares;
        uint32_t group = 0;
        for (uint32_t before = ~group; before != group;) {
            before = group;
            for (int j = 0; j < spec->men; j++) {
                const struct spec_man *man = &spec->man[j];
                if (man->colour == spec->man[i].colour && man->type == spec->man[i].type &&
                    (man->squares & squares) != 0) {
                    group |= UINT32_C(1) << j;
                    squares |= man->squares;
                }
            }
        }
        index->group[i] = group;
    }
}

static int number_digits(struct restricted_index *index)
{
    uint64_t stride = 1;
    memset(index->digit, RESTRICTED_NO_DIGIT, sizeof index->digit);
    for (int p = index->pieces - 1; p >= 0; p--) {
        uint64_t squares = index->spec.man[index->piece[p]].squares;
        for (; squares != 0; squares &= squares - 1) {
            const int square = __builtin_ctzll(squares);
            if (p == 0 && index->pawns == 0 && to_lowest(index, square) != 0)
                continue;
            index->digit[p][square] = (uint8_t)index->digits[p];
            index->square[p][index->digits[p]++] = (uint8_t)square;
        }
        index->stride[p] = stride;
        stride *= index->digits[p];
        if (stride > ENTRIES_MAX)
            return error_set(CLTB_E_USAGE, "more than 2^32 placements of the men other than pawns");
    }
    index->slice_entries = stride;
    return 0;
}

// ---- slices in their order ----

static int advance_of(const uint64_t pawns[COLOURS])
{
    int advance = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (uint64_t left = pawns[colour]; left != 0;) {
            const int rank = square_rank(set_pop(&left));
            advance += colour == WHITE ? rank : 7 - rank;
        }
    }
    return advance;
}

static struct restricted_slice slice_with(uint64_t white, uint64_t black)
{
    struct restricted_slice slice = {.pawns = {white, black}};
    slice.advance = advance_of(slice.pawns);
    return slice;
}

static struct restricted_slice mirrored_slice(const uint64_t pawns[COLOURS])
{
    return slice_with(set_apply(1, pawns[WHITE]), set_apply(1, pawns[BLACK]));
}

// The farthest advanced slices come first.
static int compare_slices(const void *a, const void *b)
{
    const struct restricted_slice *x = a;
    const struct restricted_slice *y = b;
    if (x->advance != y->advance)
        return x->advance > y->advance ? -1 : 1;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (x->pawns[colour] != y->pawns[colour])
            return x->pawns[colour] > y->pawns[colour] ? -1 : 1;
    }
    return 0;
}

int64_t restricted_slice_of(const struct restricted_index *index, const uint64_t pawns[COLOURS], bool *mirrored)
{
    struct restricted_slice wanted = slice_with(pawns[WHITE], pawns[BLACK]);
    const struct restricted_slice *found = bsearch(&wanted, index->slice, index->slices, sizeof wanted, compare_slices);
    *mirrored = found == NULL && index->symmetries > 1;
    if (*mirrored) {
        wanted = mirrored_slice(pawns);
        found = bsearch(&wanted, index->slice, index->slices, sizeof wanted, compare_slices);
    }
    return found == NULL ? -1 : found - index->slice;
}

// ---- placing the pawns ----

struct placing {
    struct restricted_index *index;
    size_t room;               // slices that memory is allocated for
    uint32_t slices;           // so far, mirror images included
    uint32_t most;             // largest number of slices
    bool by_entries;           // this number follows from the largest number of entries
    uint64_t squares[COLOURS]; // already occupied by pawns
    uint64_t allowed[COLOURS]; // to any pawn
    int pawns[COLOURS];        //
};

static int too_many(const struct placing *placing)
{
    return placing->by_entries
               ? error_set(CLTB_E_MEMORY, "more than %lu placements of the pawns, with %llu of the other men each",
                           (unsigned long)placing->most, (unsigned long long)placing->index->slice_entries)
               : error_set(CLTB_E_USAGE, "more than %lu placements of the pawns", (unsigned long)placing->most);
}

// Can each pawn be given a square of its own? A pawn of `colour` may take a free square below `bound`, or a square that
// was taken before. While Black's pawns are placed, White's keep to the squares that they have taken.
static bool seat_all(const struct placing *placing, int colour, uint64_t bound, uint8_t owner[SQUARES])
{
    const struct restricted_index *index = placing->index;
    uint64_t allowed[SPEC_MEN_MAX];
    for (int i = 0; i < index->pawns; i++) {
        const int own = pawn_man(index, i)->colour;
        const uint64_t open = own == colour ? bound - 1 : own > colour ? UINT64_MAX : 0;
        allowed[i] = pawn_man(index, i)->squares & (placing->squares[own] | (open & ~placing->squares[own ^ 1]));
    }
    return spec_seat(allowed, index->pawns, owner);
}

// Adds the slice with pawns on the squares taken, identical pawns in falling order.
static int add_slice(struct placing *placing)
{
    struct restricted_index *index = placing->index;
    uint8_t owner[SQUARES];
    if (!seat_all(placing, BLACK, 1, owner))
        return 0;
    if (placing->slices == placing->most)
        return too_many(placing);
    placing->slices++;
    struct restricted_slice slice = slice_with(placing->squares[WHITE], placing->squares[BLACK]);
    if (index->pawns > 0 && index->symmetries > 1) {
        const struct restricted_slice image = mirrored_slice(slice.pawns);
        if (compare_slices(&image, &slice) < 0)
            return 0;
    }
    uint8_t *placement = slice.placement;
    for (int square = 0; square < SQUARES; square++) {
        if (owner[square] == SPEC_NOBODY)
            continue;
        int pawn = owner[square]; // the last of the identical pawns without a square gets this one
        while (pawn > 0 && spec_identical(pawn_man(index, pawn), pawn_man(index, pawn - 1)))
            pawn--;
        while (pawn + 1 < index->pawns && placement[pawn + 1] == 0 &&
               spec_identical(pawn_man(index, pawn), pawn_man(index, pawn + 1)))
            pawn++;
        placement[pawn] = (uint8_t)square;
    }
    TRY(memory_grow(&index->slice, &placing->room, index->slices + 1, sizeof slice, "placements of pawns"));
    index->slice[index->slices++] = slice;
    return 0;
}

// Goes through all sets of squares for the pawns, White's first, each in falling order and each set once, whichever
// pawn stands where. Only sets that can be completed are continued: if each square taken can have a pawn of its own,
// and each pawn a square, both are possible at once. The recursion is as deep as the number of pawns.
static int place_pawns(struct placing *placing, int colour, uint64_t bound)
{
    const struct restricted_index *index = placing->index;
    uint64_t *taken = &placing->squares[colour];
    uint64_t claimants[SPEC_MEN_MAX] = {0}; // [number of the square taken] bit = pawn that may stand there
    uint8_t owner[SQUARES];
    int count = 0;
    if (!spec_in_order(&index->spec, placing->squares[WHITE], placing->squares[BLACK]))
        return 0;
    for (uint64_t squares = *taken; squares != 0; squares &= squares - 1, count++) {
        for (int i = 0; i < index->pawns; i++) {
            if (pawn_man(index, i)->colour == colour && (pawn_man(index, i)->squares & squares & -squares) != 0)
                claimants[count] |= square_bit(i);
        }
    }
    if (!spec_seat(claimants, count, owner) || !seat_all(placing, colour, bound, owner))
        return 0;
    if (count == placing->pawns[colour])
        return colour == WHITE ? place_pawns(placing, BLACK, 0) : add_slice(placing);
    uint64_t squares = placing->allowed[colour] & (bound - 1) & ~placing->squares[colour ^ 1];
    for (; squares != 0; squares &= squares - 1) {
        const uint64_t bit = squares & -squares;
        *taken |= bit;
        TRY(place_pawns(placing, colour, bit));
        *taken ^= bit;
    }
    return 0;
}

static int make_slices(struct restricted_index *index, uint32_t most_slices, uint64_t most_entries)
{
    // Half of the slices may be mirror images of others.
    const uint64_t within = most_entries / index->slice_entries * (index->symmetries > 1 ? 2 : 1);
    struct placing placing = {.index = index, .most = most_slices};
    if (within < most_slices) {
        placing.most = within > 0 ? (uint32_t)within : 1; // at least one slice, so that its size is known
        placing.by_entries = true;
    }
    // A lower bound on their number: each pawn has its squares except those of the pawns before it that could stand
    // there, and a set of squares can be reached in at most as many ways as its group of pawns has orders. If pawns
    // face each other, some sets do not count.
    double least = index->spec.facing != 0 ? 0 : 1;
    for (int i = 0; i < index->pawns; i++) {
        const struct spec_man *man = pawn_man(index, i);
        int free = __builtin_popcountll(man->squares);
        int before = 0; // pawns of its group before it
        for (int j = 0; j < i; j++) {
            free -= (pawn_man(index, j)->squares & man->squares) != 0;
            before += (int)(index->group[index->pawn[i]] >> index->pawn[j] & 1);
        }
        least *= (free > 0 ? free : 0) / (1.0 + before);
        placing.allowed[man->colour] |= man->squares;
        placing.pawns[man->colour]++;
    }
    if (least > placing.most)
        return too_many(&placing);
    TRY(place_pawns(&placing, WHITE, 0));
    if (index->slices == 0)
        return error_set(CLTB_E_USAGE, "the pawns cannot all stand on squares of their own");
    qsort(index->slice, index->slices, sizeof *index->slice, compare_slices);
    return 0;
}

// ---- opening ----

int restricted_index_open(struct restricted_index *index, const struct spec *spec, uint32_t most_slices,
                          uint64_t most_entries)
{
    memset(index, 0, sizeof *index);
    index->spec = *spec;
    for (int i = 0; i < spec->men; i++) {
        if (spec->man[i].type == PAWN)
            index->pawn[index->pawns++] = i;
        else
            index->piece[index->pieces++] = i;
    }
    for (int g = 0; g < (index->pawns > 0 ? 2 : SYMMETRIES); g++) { // pawns allow only the mirror of files
        if (find_images(spec, g, index->image[index->symmetries]))
            index->symmetry[index->symmetries++] = (uint8_t)g;
    }
    find_groups(index);
    int code = number_digits(index);
    THEN(code, make_slices(index, most_slices < SLICES_MAX ? most_slices : SLICES_MAX, most_entries));
    if (code != 0)
        restricted_index_close(index);
    return code;
}

void restricted_index_close(struct restricted_index *index)
{
    free(index->slice);
    memset(index, 0, sizeof *index);
}

// ---- positions ----

void restricted_mirror(const struct restricted_index *index, int symmetry, const uint8_t where[SPEC_MEN_MAX],
                       uint8_t image[SPEC_MEN_MAX])
{
    for (int i = 0; i < index->spec.men; i++)
        image[index->image[symmetry][i]] = (uint8_t)square_apply(index->symmetry[symmetry], where[i]);
}

bool restricted_place(const struct restricted_index *index, const uint8_t *where, uint32_t *slice, uint64_t *entry)
{
    uint8_t image[SPEC_MEN_MAX];
    uint64_t pawns[COLOURS] = {0};
    bool mirrored;
    for (int i = 0; i < index->pawns; i++)
        pawns[pawn_man(index, i)->colour] |= square_bit(where[index->pawn[i]]);
    const int64_t found = restricted_slice_of(index, pawns, &mirrored);
    if (found < 0)
        return false;
    restricted_mirror(index, index->pawns == 0 ? to_lowest(index, where[0]) : mirrored, where, image);
    *slice = (uint32_t)found;
    *entry = 0;
    for (int p = 0; p < index->pieces; p++)
        *entry += index->digit[p][image[index->piece[p]]] * index->stride[p];
    return true;
}

bool restricted_find(const struct restricted_index *index, const struct position *position, uint32_t *slice,
                     uint64_t *entry)
{
    uint8_t where[SPEC_MEN_MAX];
    return spec_match(&index->spec, position, where) && restricted_place(index, where, slice, entry);
}

bool restricted_squares(const struct restricted_index *index, uint32_t slice, uint64_t entry,
                        uint8_t where[SPEC_MEN_MAX])
{
    uint64_t occupied = 0;
    bool apart = true;
    for (int i = 0; i < index->pawns; i++)
        where[index->pawn[i]] = index->slice[slice].placement[i];
    for (int p = 0; p < index->pieces; p++)
        where[index->piece[p]] = index->square[p][entry / index->stride[p] % index->digits[p]];
    for (int i = 0; i < index->spec.men; i++) {
        apart &= (occupied & square_bit(where[i])) == 0;
        occupied |= square_bit(where[i]);
    }
    return apart;
}

int restricted_set(const struct restricted_index *index, const uint8_t *where, int side, struct position *position)
{
    struct man men[SPEC_MEN_MAX];
    for (int i = 0; i < index->spec.men; i++)
        men[i] = (struct man){index->spec.man[i].type, index->spec.man[i].colour, where[i]};
    return position_set(position, men, index->spec.men, side);
}

bool restricted_position(const struct restricted_index *index, uint32_t slice, uint64_t entry, int side,
                         struct position *position)
{
    uint8_t where[SPEC_MEN_MAX] = {0};
    return restricted_squares(index, slice, entry, where) && restricted_set(index, where, side, position) == 0 &&
           position_legal(position);
}
