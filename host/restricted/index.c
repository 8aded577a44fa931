// index.c - the index of a restricted endgame
#include "restricted/index.h"

#include "index/square.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { SLICES_MAX = 1 << 24, NO_DIGIT = 255, NO_SLICE = -1, NO_PAWN = 255 };

#define ENTRIES_MAX (UINT64_C(1) << 32)

// ---- symmetry ----

static uint64_t set_apply(int g, uint64_t squares)
{
    uint64_t result = 0;
    for (; squares != 0; squares &= squares - 1)
        result |= square_bit(square_apply(g, __builtin_ctzll(squares)));
    return result;
}

// The identical pieces that the symmetry carries each man to. False: it is no symmetry of the spec.
static bool find_images(const struct spec *spec, int g, uint8_t image[SPEC_MEN_MAX])
{
    bool taken[SPEC_MEN_MAX] = {false};
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        const uint64_t squares = set_apply(g, man->squares);
        int j = 0;
        while (j < spec->men && (taken[j] || spec->man[j].colour != man->colour || spec->man[j].type != man->type ||
                                 spec->man[j].squares != squares))
            j++;
        if (j == spec->men)
            return false;
        taken[j] = true;
        image[i] = (uint8_t)j;
    }
    return true;
}

static void find_symmetries(struct restricted_index *index)
{
    for (int g = 0; g < SYMMETRIES; g++) {
        if (index->pawns > 0 && g > 1) // pawns know where they go
            break;
        if (find_images(&index->spec, g, index->image[index->symmetries]))
            index->symmetry[index->symmetries++] = (uint8_t)g;
    }
}

// The symmetry that carries a square to the lowest of its orbit, by its place in index->symmetry.
static int to_lowest(const struct restricted_index *index, int square)
{
    int best = 0;
    for (int i = 1; i < index->symmetries; i++) {
        if (square_apply(index->symmetry[i], square) < square_apply(index->symmetry[best], square))
            best = i;
    }
    return best;
}

// ---- slices ----

struct pawn_sets {
    uint64_t pawns[COLOURS];
};

static int advance_of(uint64_t squares, int colour)
{
    int sum = 0;
    for (; squares != 0; squares &= squares - 1) {
        const int rank = square_rank(__builtin_ctzll(squares));
        sum += colour == WHITE ? rank : 7 - rank;
    }
    return sum;
}

static uint32_t hash_of(const struct pawn_sets *sets)
{
    uint64_t h = sets->pawns[WHITE] * UINT64_C(0x9e3779b97f4a7c15) ^ sets->pawns[BLACK] * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32);
}

static struct pawn_sets sets_of(const struct restricted_index *index, const uint8_t *placement)
{
    struct pawn_sets sets = {{0}};
    for (int i = 0; i < index->pawns; i++)
        sets.pawns[index->spec.man[index->pawn[i]].colour] |= square_bit(placement[i]);
    return sets;
}

// The number of the slice with these pawns, or NO_SLICE. The hash table holds numbers + 1.
static int64_t find_slice(const struct restricted_index *index, const struct pawn_sets *sets)
{
    for (uint32_t at = hash_of(sets) & index->find_mask; index->find[at] != 0; at = (at + 1) & index->find_mask) {
        const uint32_t slice = index->find[at] - 1;
        const struct pawn_sets other = sets_of(index, index->placement[slice]);
        if (other.pawns[WHITE] == sets->pawns[WHITE] && other.pawns[BLACK] == sets->pawns[BLACK])
            return slice;
    }
    return NO_SLICE;
}

static void enter_slice(struct restricted_index *index, uint32_t slice)
{
    const struct pawn_sets sets = sets_of(index, index->placement[slice]);
    uint32_t at = hash_of(&sets) & index->find_mask;
    while (index->find[at] != 0)
        at = (at + 1) & index->find_mask;
    index->find[at] = slice + 1;
}

// Room for the slices to come, and how many may come.
struct placing {
    struct restricted_index *index;
    uint32_t room;
    uint32_t most;                                                        // slices
    int (*too_many)(const struct restricted_index *index, uint32_t most); //
    uint64_t squares[COLOURS];                                            // that hold pawns already
};

static int too_many_slices(const struct restricted_index *index, uint32_t most)
{
    (void)index;
    return error_set(CLTB_E_USAGE, "more than %lu placements of the pawns", (unsigned long)most);
}

static int too_many_entries(const struct restricted_index *index, uint32_t most)
{
    return error_set(CLTB_E_MEMORY, "more than %lu placements of the pawns, with %llu of the other men each",
                     (unsigned long)most, (unsigned long long)index->slice_entries);
}

// Doubles the room for slices, and the hash table with it.
static int grow(struct placing *placing)
{
    struct restricted_index *index = placing->index;
    const uint32_t more = placing->room == 0 ? 64 : 2 * placing->room;
    uint8_t(*placement)[SPEC_MEN_MAX] = realloc(index->placement, more * sizeof *placement);
    if (placement == NULL)
        return error_memory(more * sizeof *placement, "placements of pawns");
    index->placement = placement;
    uint32_t *find = calloc(2 * (size_t)more, sizeof *find);
    if (find == NULL)
        return error_memory(2 * (size_t)more * sizeof *find, "placements of pawns");
    free(index->find);
    index->find = find;
    index->find_mask = 2 * more - 1;
    placing->room = more;
    for (uint32_t slice = 0; slice < index->slices; slice++)
        enter_slice(index, slice);
    return 0;
}

static const struct spec_man *pawn_man(const struct restricted_index *index, int pawn)
{
    return &index->spec.man[index->pawn[pawn]];
}

// A chain of pawns that move on to other squares until one of them finds a free one (spec.c). owner: [SQUARES], NO_PAWN.
static bool seat(const uint64_t *allowed, int pawn, uint64_t *tried, uint8_t owner[SQUARES])
{
    while ((allowed[pawn] & ~*tried) != 0) {
        const int square = __builtin_ctzll(allowed[pawn] & ~*tried);
        *tried |= square_bit(square);
        if (owner[square] == NO_PAWN || seat(allowed, owner[square], tried, owner)) {
            owner[square] = (uint8_t)pawn;
            return true;
        }
    }
    return false;
}

// Gives all pawns a square each: those of `colour` one of the squares taken or below `bound`, those of White, once Black's turn has
// come, one of those taken.
static bool seat_all(const struct placing *placing, int colour, uint64_t bound, uint8_t owner[SQUARES])
{
    const struct restricted_index *index = placing->index;
    uint64_t allowed[SPEC_MEN_MAX];
    memset(owner, NO_PAWN, SQUARES);
    for (int i = 0; i < index->pawns; i++) {
        const int own = pawn_man(index, i)->colour;
        const uint64_t open = own == colour ? bound - 1 : own > colour ? UINT64_MAX : 0;
        allowed[i] = pawn_man(index, i)->squares & (placing->squares[own] | (open & ~placing->squares[own ^ 1]));
    }
    for (int i = 0; i < index->pawns; i++) {
        uint64_t tried = 0;
        if (!seat(allowed, i, &tried, owner))
            return false;
    }
    return true;
}

// Can a pawn of the colour of its own be given to each square taken?
static bool all_claimed(const struct placing *placing, int colour)
{
    const struct restricted_index *index = placing->index;
    uint64_t men_of[SQUARES]; // [number of the square] bit = pawn
    uint8_t owner[SQUARES];   // [pawn]
    int count = 0;
    memset(owner, NO_PAWN, SQUARES);
    for (uint64_t squares = placing->squares[colour]; squares != 0; squares &= squares - 1) {
        uint64_t tried = 0;
        men_of[count] = 0;
        for (int i = 0; i < index->pawns; i++) {
            if (pawn_man(index, i)->colour == colour && (pawn_man(index, i)->squares & squares & -squares) != 0)
                men_of[count] |= square_bit(i);
        }
        if (!seat(men_of, count++, &tried, owner))
            return false;
    }
    return true;
}

static bool like(const struct spec_man *a, const struct spec_man *b)
{
    return a->colour == b->colour && a->type == b->type && a->squares == b->squares;
}

// The squares taken, like pawns in falling order.
static int add_slice(struct placing *placing)
{
    struct restricted_index *index = placing->index;
    uint8_t owner[SQUARES];
    if (!seat_all(placing, BLACK, 1, owner))
        return 0;
    if (index->slices == placing->most)
        return placing->too_many(index, placing->most);
    if (index->slices == placing->room)
        TRY(grow(placing));
    uint8_t *placement = index->placement[index->slices];
    memset(placement, 0, SPEC_MEN_MAX);
    for (int square = 0; square < SQUARES; square++) {
        if (owner[square] == NO_PAWN)
            continue;
        int pawn = owner[square]; // the first of its like that has no square yet comes last
        while (pawn > 0 && like(pawn_man(index, pawn), pawn_man(index, pawn - 1)))
            pawn--;
        while (pawn + 1 < index->pawns && placement[pawn + 1] == 0 &&
               like(pawn_man(index, pawn), pawn_man(index, pawn + 1)))
            pawn++;
        placement[pawn] = (uint8_t)square;
    }
    enter_slice(index, index->slices++);
    return 0;
}

static int pawns_of(const struct restricted_index *index, int colour)
{
    int count = 0;
    for (int i = 0; i < index->pawns; i++)
        count += pawn_man(index, i)->colour == colour;
    return count;
}

// All sets of squares of the pawns, White's first, each in falling order, each set once, whichever pawn stands where: what is taken can
// be completed (if each square taken can have a pawn, and each pawn a square, both can be had at once). As deep as there are pawns.
static int place_pawns(struct placing *placing, int colour, uint64_t bound)
{
    const struct restricted_index *index = placing->index;
    uint64_t *taken = &placing->squares[colour];
    uint8_t owner[SQUARES];
    if (!spec_in_order(&index->spec, placing->squares[WHITE], placing->squares[BLACK]) ||
        !all_claimed(placing, colour) || !seat_all(placing, colour, bound, owner))
        return 0;
    if (__builtin_popcountll(*taken) == pawns_of(index, colour))
        return colour == WHITE ? place_pawns(placing, BLACK, 0) : add_slice(placing);
    uint64_t squares = 0;
    for (int i = 0; i < index->pawns; i++)
        squares |= pawn_man(index, i)->colour == colour ? pawn_man(index, i)->squares : 0;
    for (squares &= (bound - 1) & ~placing->squares[colour ^ 1]; squares != 0; squares &= squares - 1) {
        const uint64_t bit = squares & -squares;
        *taken |= bit;
        TRY(place_pawns(placing, colour, bit));
        *taken ^= bit;
    }
    return 0;
}

// Pawns of a colour whose sets overlap, directly or through others: bit = pawn.
static unsigned overlapping(const struct restricted_index *index, int pawn)
{
    unsigned group = 0;
    uint64_t squares = pawn_man(index, pawn)->squares;
    for (unsigned before = ~group; before != group;) {
        before = group;
        for (int i = 0; i < index->pawns; i++) {
            const struct spec_man *man = pawn_man(index, i);
            if (man->colour == pawn_man(index, pawn)->colour && (man->squares & squares) != 0) {
                group |= 1U << i;
                squares |= man->squares;
            }
        }
    }
    return group;
}

// At least as many there are: each pawn has its squares less those of the pawns before that could stand there; and the squares of a group
// can have come about in as many ways as the group has orders.
static double least_slices(const struct restricted_index *index)
{
    double least = 1;
    if (index->spec.facing != 0) // some sets do not count
        return 0;
    for (int i = 0; i < index->pawns; i++) {
        const uint64_t squares = pawn_man(index, i)->squares;
        int free = __builtin_popcountll(squares);
        for (int j = 0; j < i; j++)
            free -= (pawn_man(index, j)->squares & squares) != 0;
        const unsigned before = overlapping(index, i) & ((1U << i) - 1);
        least *= (free > 0 ? free : 0) / (1.0 + __builtin_popcount(before));
    }
    return least;
}

static int make_slices(struct restricted_index *index, uint32_t most_slices, uint64_t most_entries)
{
    // half of the slices need not be kept
    const uint64_t within = most_entries / index->slice_entries * (index->symmetries > 1 ? 2 : 1);
    struct placing placing = {.index = index, .most = most_slices, .too_many = too_many_slices};
    if (within < most_slices) {
        placing.most = within > 0 ? (uint32_t)within : 1; // a single one: its size is known then
        placing.too_many = too_many_entries;
    }
    if (least_slices(index) > placing.most)
        return placing.too_many(index, placing.most);
    TRY(place_pawns(&placing, WHITE, 0));
    return index->slices > 0 ? 0 : error_set(CLTB_E_USAGE, "the pawns cannot all stand on squares of their own");
}

struct slice_key {
    struct pawn_sets sets;
    uint32_t slice;
    int advance;
};

// The farthest advanced first.
static int compare_slices(const void *a, const void *b)
{
    const struct slice_key *x = a;
    const struct slice_key *y = b;
    if (x->advance != y->advance)
        return x->advance > y->advance ? -1 : 1;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (x->sets.pawns[colour] != y->sets.pawns[colour])
            return x->sets.pawns[colour] > y->sets.pawns[colour] ? -1 : 1;
    }
    return 0;
}

static int sort_slices(struct restricted_index *index)
{
    struct slice_key *keys = malloc(index->slices * sizeof *keys);
    uint8_t(*placement)[SPEC_MEN_MAX] = malloc(index->slices * sizeof *placement);
    index->advance = calloc(index->slices, sizeof *index->advance);
    if (keys == NULL || placement == NULL || index->advance == NULL) {
        free(keys);
        free(placement);
        return error_memory(index->slices * sizeof *keys, "placements of pawns");
    }
    for (uint32_t i = 0; i < index->slices; i++) {
        const struct pawn_sets sets = sets_of(index, index->placement[i]);
        keys[i] =
            (struct slice_key){sets, i, advance_of(sets.pawns[WHITE], WHITE) + advance_of(sets.pawns[BLACK], BLACK)};
    }
    qsort(keys, index->slices, sizeof *keys, compare_slices);
    for (uint32_t i = 0; i < index->slices; i++) {
        memcpy(placement[i], index->placement[keys[i].slice], SPEC_MEN_MAX);
        index->advance[i] = (uint16_t)keys[i].advance;
    }
    memcpy(index->placement, placement, index->slices * sizeof *placement);
    memset(index->find, 0, ((size_t)index->find_mask + 1) * sizeof *index->find);
    for (uint32_t i = 0; i < index->slices; i++)
        enter_slice(index, i);
    free(placement);
    free(keys);
    return 0;
}

// Of a slice and its mirror image, if that is another one, the lower number is kept.
static int choose_kept(struct restricted_index *index)
{
    index->kept = malloc(index->slices);
    if (index->kept == NULL)
        return error_memory(index->slices, "placements of pawns");
    memset(index->kept, 1, index->slices);
    for (uint32_t i = 0; index->pawns > 0 && index->symmetries > 1 && i < index->slices; i++) {
        struct pawn_sets sets = sets_of(index, index->placement[i]);
        for (int colour = WHITE; colour <= BLACK; colour++)
            sets.pawns[colour] = set_apply(1, sets.pawns[colour]);
        index->kept[i] = find_slice(index, &sets) >= (int64_t)i;
    }
    return 0;
}

// ---- digits ----

static int number_digits(struct restricted_index *index)
{
    uint64_t stride = 1;
    memset(index->digit, NO_DIGIT, sizeof index->digit);
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
            return error_set(CLTB_E_USAGE, "more than 2^32 placements of the men that are no pawns");
    }
    index->slice_entries = stride;
    return 0;
}

static int open_all(struct restricted_index *index, uint32_t most_slices, uint64_t most_entries)
{
    for (int i = 0; i < index->spec.men; i++) {
        if (index->spec.man[i].type == PAWN)
            index->pawn[index->pawns++] = i;
        else
            index->piece[index->pieces++] = i;
    }
    find_symmetries(index);
    TRY(number_digits(index));
    TRY(make_slices(index, most_slices, most_entries));
    TRY(sort_slices(index));
    return choose_kept(index);
}

int restricted_index_open(struct restricted_index *index, const struct spec *spec)
{
    return restricted_index_open_within(index, spec, SLICES_MAX, UINT64_MAX);
}

int restricted_index_open_within(struct restricted_index *index, const struct spec *spec, uint32_t most_slices,
                                 uint64_t most_entries)
{
    memset(index, 0, sizeof *index);
    index->spec = *spec;
    const int code = open_all(index, most_slices < SLICES_MAX ? most_slices : SLICES_MAX, most_entries);
    if (code != 0)
        restricted_index_close(index);
    return code;
}

void restricted_index_close(struct restricted_index *index)
{
    free(index->placement);
    free(index->advance);
    free(index->kept);
    free(index->find);
    index->placement = NULL;
    index->advance = NULL;
    index->kept = NULL;
    index->find = NULL;
}

// ---- positions ----

// The men's squares after a symmetry, by its place in index->symmetry.
static void apply(const struct restricted_index *index, int symmetry, uint8_t where[SPEC_MEN_MAX])
{
    uint8_t after[SPEC_MEN_MAX];
    for (int i = 0; i < index->spec.men; i++)
        after[index->image[symmetry][i]] = (uint8_t)square_apply(index->symmetry[symmetry], where[i]);
    memcpy(where, after, (size_t)index->spec.men);
}

bool restricted_place(const struct restricted_index *index, const uint8_t *squares, uint32_t *slice, uint64_t *entry)
{
    uint8_t where[SPEC_MEN_MAX];
    uint8_t placement[SPEC_MEN_MAX] = {0};
    memcpy(where, squares, (size_t)index->spec.men);
    if (index->pawns == 0)
        apply(index, to_lowest(index, where[0]), where);
    for (int i = 0; i < index->pawns; i++)
        placement[i] = where[index->pawn[i]];
    struct pawn_sets sets = sets_of(index, placement);
    int64_t found = find_slice(index, &sets);
    if (found == NO_SLICE)
        return false;
    if (!index->kept[found]) {
        apply(index, 1, where);
        for (int colour = WHITE; colour <= BLACK; colour++)
            sets.pawns[colour] = set_apply(1, sets.pawns[colour]);
        found = find_slice(index, &sets);
    }
    *slice = (uint32_t)found;
    *entry = 0;
    for (int p = 0; p < index->pieces; p++)
        *entry += index->digit[p][where[index->piece[p]]] * index->stride[p];
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
        where[index->pawn[i]] = index->placement[slice][i];
    for (int p = 0; p < index->pieces; p++)
        where[index->piece[p]] = index->square[p][entry / index->stride[p] % index->digits[p]];
    for (int i = 0; i < index->spec.men; i++) {
        apart &= (occupied & square_bit(where[i])) == 0;
        occupied |= square_bit(where[i]);
    }
    return apart;
}
