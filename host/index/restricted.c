// restricted.c - the index of a restricted endgame
#include "index/restricted.h"

#include "index/square.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { SLICES_MAX = 1 << 24, NO_DIGIT = 255, NO_SLICE = -1 };

#define ENTRIES_MAX (UINT64_C(1) << 32)

// ---- symmetry ----

static uint64_t set_apply(int g, uint64_t squares)
{
    uint64_t result = 0;
    for (; squares != 0; squares &= squares - 1)
        result |= square_bit(square_apply(g, __builtin_ctzll(squares)));
    return result;
}

// The like men that the symmetry carries each man to. False: it is no symmetry of the spec.
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

// Doubles the room for slices, and the hash table with it.
static int grow(struct restricted_index *index, uint32_t *room)
{
    const uint32_t more = *room == 0 ? 64 : 2 * *room;
    if (more > SLICES_MAX)
        return error_set(CLTB_E_USAGE, "more than %d placements of the pawns", (int)SLICES_MAX);
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
    *room = more;
    for (uint32_t slice = 0; slice < index->slices; slice++)
        enter_slice(index, slice);
    return 0;
}

static int add_slice(struct restricted_index *index, const uint8_t *placement, uint32_t *room)
{
    const struct pawn_sets sets = sets_of(index, placement);
    if (!spec_in_order(&index->spec, sets.pawns[WHITE], sets.pawns[BLACK]))
        return 0;
    if (index->slices > 0 && find_slice(index, &sets) != NO_SLICE)
        return 0; // the same pawns, given to other men
    if (index->slices == *room)
        TRY(grow(index, room));
    memcpy(index->placement[index->slices], placement, SPEC_MEN_MAX);
    enter_slice(index, index->slices++);
    return 0;
}

static bool like(const struct spec_man *a, const struct spec_man *b)
{
    return a->colour == b->colour && a->type == b->type && a->squares == b->squares;
}

// All placements of pawns first.. on squares that are not `occupied`. As deep as there are pawns.
static int place_pawns(struct restricted_index *index, int first, uint64_t occupied, uint8_t *placement, uint32_t *room)
{
    if (first == index->pawns)
        return add_slice(index, placement, room);
    const struct spec_man *man = &index->spec.man[index->pawn[first]];
    uint64_t squares = man->squares & ~occupied;
    if (first > 0 && like(man, &index->spec.man[index->pawn[first - 1]]))
        squares &= square_bit(placement[first - 1]) - 1; // like ones in falling order
    for (; squares != 0; squares &= squares - 1) {
        const int square = __builtin_ctzll(squares);
        placement[first] = (uint8_t)square;
        TRY(place_pawns(index, first + 1, occupied | square_bit(square), placement, room));
    }
    return 0;
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

static int open_all(struct restricted_index *index)
{
    uint8_t placement[SPEC_MEN_MAX] = {0};
    uint32_t room = 0;
    for (int i = 0; i < index->spec.men; i++) {
        if (index->spec.man[i].type == PAWN)
            index->pawn[index->pawns++] = i;
        else
            index->piece[index->pieces++] = i;
    }
    find_symmetries(index);
    TRY(number_digits(index));
    TRY(place_pawns(index, 0, 0, placement, &room));
    if (index->slices == 0)
        return error_set(CLTB_E_USAGE, "the pawns cannot all stand on squares of their own");
    TRY(sort_slices(index));
    return choose_kept(index);
}

int restricted_index_open(struct restricted_index *index, const struct spec *spec)
{
    memset(index, 0, sizeof *index);
    index->spec = *spec;
    const int code = open_all(index);
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
