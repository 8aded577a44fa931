// slab_extract.c - from the stored outcomes of a section to the bits of a slab
//
// The entry of a placement is a sum of parts (index/order_map.h), and so is the number of its bit in the slab. A slab
// is filled in these steps:
//
//     1. The symmetries that lead to the file are found, and the parts under them made. Without pawns they depend on
//        the squares of both kings, which are therefore placed first. With pawns all entries of a slab have the same
//        one, or, if the pawns are their own mirror image, one of two by the file of the white king.
//     2. The pieces are put on their squares (slab_place.c).
//
// A slab with fixed men, such as a queen that a pawn has become, or a king that the file does not count first, needs
// entries that lie far apart in the file; most cache lines would be fetched for one byte, and again for the next slab.
// So these entries are packed first, for several slabs at a time: where only one symmetry is possible, step 2 reads the
// packed entries. Building KQPvKQ takes 0.87 of the CPU time, KQPvKR 0.99.
//
// Men that share a square need no care: such entries may have any value, and their symbol is read from some place
// inside the section.
//
// The cost is one symbol read for each entry of the slab. For example, a slab with the pieces K k R has 64 * 64 * 64
// entries: without pawns the kings take 3,612 pairs of squares, each with at most two sums, and place_last() reads 64
// symbols for each pair; with pawns place() puts the white king on 64 squares, and place_matrix() reads 4,096 symbols
// for each.
#include "futurebase/slab_extract.h"

#include "util/error.h"
#include "util/memory.h"

#include <string.h>

enum { PACKED_MAX = 1 << 18 };

// ---- packing ----

// The groups of the pieces, outermost first, and what their digits add to an entry of the file and to a packed one.
struct packing {
    int count;
    struct {
        uint64_t size;
        uint64_t from;
        uint64_t to;
    } digit[ENTRY_GROUPS_MAX];
    int slabs;
    const uint8_t *symbols[EXTRACT_TOGETHER]; // with the fixed men of each slab on their squares
    uint8_t *packed[EXTRACT_TOGETHER];
};

static bool is_fixed(const struct order_map *file, int group)
{
    for (int man = 0; man < file->fixed; man++) {
        if (file->fixed_group[man] == group)
            return true;
    }
    return false;
}

// Are there fixed men that a file counts, and does no piece belong to a group of theirs? A slab with a fixed king that
// needs only some entries of a section is not packed.
static bool can_pack(const struct slab_map *map)
{
    const struct order_map *file = &map->file;
    bool any = false;
    for (int man = 0; man < file->fixed; man++) {
        if (map->shape->fixed_type[man] == KING && (file->order->slices != NULL || file->king[BLACK] >= file->pieces))
            return false;
        any |= file->fixed_group[man] >= 0;
    }
    for (int piece = 0; piece < file->pieces; piece++) {
        if (file->group[piece] >= 0 && is_fixed(file, file->group[piece]))
            return false;
    }
    return any;
}

// Returns the number of packed entries. Groups are in the file's order, the last one has stride 1.
static uint64_t order_pack(const struct order_map *file, struct entry_order *packed)
{
    uint64_t stride = 1;
    *packed = *file->order;
    for (int g = packed->groups - 1; g >= 0; g--) {
        const bool fixed = is_fixed(file, g);
        packed->group[g].stride = fixed ? 0 : stride;
        stride *= fixed ? 1 : packed->group[g].size;
    }
    return stride;
}

void slab_extract_init(struct slab_extract *extract, const struct slab_shape *shape, const struct entry_order *order,
                       bool flip, enum table_reading reading)
{
    slab_map_init(&extract->map, shape, order, flip, reading);
    extract->packed_bytes = can_pack(&extract->map) ? order_pack(&extract->map.file, &extract->order) : 0;
    extract->packs = extract->packed_bytes > 0 && extract->packed_bytes <= PACKED_MAX;
    if (extract->packs)
        slab_map_init(&extract->packed, shape, &extract->order, flip, reading);
}

static size_t room_of(const struct slab_extract *extract)
{
    return extract->packs ? EXTRACT_TOGETHER * extract->packed_bytes : 0;
}

int slab_extract_work(const struct slab_extract *extract, struct thread_pool *pool, struct slab_work **work)
{
    struct memory_pool *memory = threads_memory(pool);
    const size_t threads = (size_t)threads_count(pool);
    const size_t packed = room_of(extract);
    *work = memory_take(memory, threads * sizeof **work, NULL);
    if (*work == NULL)
        return error_memory(threads * sizeof **work, "slabs");
    for (size_t i = 0; i < threads; i++)
        (*work)[i].packed = NULL;
    for (size_t i = 0; packed > 0 && i < threads; i++) {
        (*work)[i].packed = memory_take(memory, packed, NULL);
        if ((*work)[i].packed == NULL)
            return error_memory(packed, "slabs");
    }
    return 0;
}

void slab_extract_work_free(const struct slab_extract *extract, struct thread_pool *pool, struct slab_work *work)
{
    struct memory_pool *memory = threads_memory(pool);
    const size_t threads = (size_t)threads_count(pool);
    for (size_t i = 0; work != NULL && i < threads; i++)
        memory_give(memory, work[i].packed, room_of(extract));
    memory_give(memory, work, threads * sizeof *work);
}

int slab_extract_together(const struct slab_extract *extract)
{
    return extract->packs ? EXTRACT_TOGETHER : 1;
}

// Copies the entries from group number `i` on.
static void pack_groups(const struct packing *packing, int i, uint64_t from, uint64_t to)
{
    const uint64_t size = packing->digit[i].size;
    const uint64_t step = packing->digit[i].from;
    if (i + 1 < packing->count) {
        for (uint64_t digit = 0; digit < size; digit++)
            pack_groups(packing, i + 1, from + digit * step, to + digit * packing->digit[i].to);
        return;
    }
    for (int slab = 0; slab < packing->slabs; slab++) {
        const uint8_t *symbols = packing->symbols[slab] + from;
        uint8_t *packed = packing->packed[slab] + to;
        if (step == 1)
            memcpy(packed, symbols, size);
        for (uint64_t digit = 0; step != 1 && digit < size; digit++)
            packed[digit] = symbols[digit * step];
    }
}

// Packs what the slabs of a set need under a symmetry.
static void pack(const struct slab_extract *extract, struct slab_work *work, const struct slab_set *set, int symmetry,
                 const uint8_t *symbols)
{
    const struct order_map *file = &extract->map.file;
    struct packing packing = {.slabs = set->count};
    for (int g = 0; g < extract->order.groups; g++) {
        if (extract->order.group[g].stride == 0)
            continue;
        packing.digit[packing.count].size = extract->order.group[g].size;
        packing.digit[packing.count].from = file->order->group[g].stride;
        packing.digit[packing.count++].to = extract->order.group[g].stride;
    }
    for (int slab = 0; slab < set->count; slab++) {
        packing.symbols[slab] = symbols + order_fixed_part(file, symmetry, set->slab[slab]->square);
        packing.packed[slab] = work->packed + (size_t)slab * extract->packed_bytes;
    }
    pack_groups(&packing, 0, 0, 0);
}

// ---- which entries ----

// The digits of the groups that have to be placed, the one with the largest stride first.
struct digits {
    int count;
    const struct entry_group *group[ENTRY_GROUPS_MAX];
    uint64_t span[ENTRY_GROUPS_MAX + 1]; // the most that the digits from this one on can add
    uint32_t each;
    bool *wanted;
};

static void find_digits(const struct order_map *file, struct digits *digits)
{
    for (int i = 0; i < file->pieces; i++) {
        if (file->group[i] < 0 || !file->completes[i])
            continue;
        const struct entry_group *group = &file->order->group[file->group[i]];
        int at = digits->count++;
        for (; at > 0 && digits->group[at - 1]->stride < group->stride; at--)
            digits->group[at] = digits->group[at - 1];
        digits->group[at] = group;
    }
    for (int i = digits->count - 1; i >= 0; i--)
        digits->span[i] = digits->span[i + 1] + (digits->group[i]->size - 1) * digits->group[i]->stride;
}

// Sets the units of the entries that begin with `entry` if all digits from number `i` on are 0. If steps are no longer
// than a unit, no unit is left out.
static void set_units(const struct digits *digits, int i, uint64_t entry)
{
    if (i == digits->count || digits->group[i]->stride <= digits->each) {
        const uint64_t last = (entry + digits->span[i]) / digits->each;
        for (uint64_t unit = entry / digits->each; unit <= last; unit++)
            digits->wanted[unit] = true;
        return;
    }
    for (uint64_t digit = 0; digit < digits->group[i]->size; digit++)
        set_units(digits, i + 1, entry + digit * digits->group[i]->stride);
}

// ---- without pawns ----

// The square of a king that is not a piece, or NO_SQUARE.
static int fixed_king(const struct slab_map *map, const struct stored_slab *slab, int colour)
{
    const int king = map->file.king[colour];
    return king >= map->shape->pieces ? slab->square[king - map->shape->pieces] : NO_SQUARE;
}

unsigned slab_king_section(int black_king)
{
    return (unsigned)square_triangle[square_apply(symmetry_to_triangle(black_king), black_king)];
}

// Places all men after the kings. `white_king`: NO_SQUARE if it is placed last, on all squares of work->kings.
static void place_kings(struct slab_work *work, const int fixed[COLOURS], int black_king, int white_king)
{
    const struct slab_map *map = work->map;
    const int *king = map->file.king;
    uint64_t entry[2] = {0, 0};
    uint64_t bit = 0;
    for (int i = 0; i < work->images; i++) {
        entry[i] = work->use[i]->fixed;
        if (fixed[WHITE] == NO_SQUARE && white_king != NO_SQUARE)
            entry[i] += work->use[i]->part[king[WHITE]][square_code[white_king]];
    }
    if (work->images == 1)
        entry[1] = entry[0];
    if (fixed[WHITE] == NO_SQUARE && white_king != NO_SQUARE)
        bit += map->bit[king[WHITE]][square_code[white_king]];
    if (fixed[BLACK] == NO_SQUARE)
        bit += map->bit[king[BLACK]][square_code[black_king]];
    slab_place(work, entry, bit);
}

enum { FIRST_IMAGE = 1, SECOND_IMAGE = 2, BOTH_IMAGES = 4 };

// Extracts the parts of a slab in which the kings' squares lead to some of these images.
static void extract_kings(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                          int black_king, uint64_t white_kings, unsigned which, const uint8_t *symbols)
{
    const int *king = map->file.king;
    const int fixed[COLOURS] = {fixed_king(map, slab, WHITE), fixed_king(map, slab, BLACK)};
    if (fixed[BLACK] != NO_SQUARE && fixed[BLACK] != black_king)
        return;
    slab_place_begin(work, map, slab, symbols, -1, 0);
    const int g = symmetry_to_triangle(black_king);
    const int seen = square_apply(g, black_king);
    uint64_t together[2] = {0, 0}; // codes of the white king that are placed together, by symmetry
    order_parts_make(&work->image[0], &map->file, g, slab->square);
    if (square_on_diagonal(seen))
        order_parts_make(&work->image[1], &map->file, symmetry_then_diagonal(g), slab->square);
    for (int white_king = 0; white_king < SQUARES; white_king++) {
        if (squares_touch(black_king, white_king) || (white_kings & square_bit(white_king)) == 0 ||
            (fixed[WHITE] != NO_SQUARE && fixed[WHITE] != white_king))
            continue;
        int symmetry[2];
        const int images = entry_symmetries(black_king, white_king, symmetry);
        const int first = symmetry[0] == g ? 0 : 1;
        if ((which & (images == 2 ? BOTH_IMAGES : first == 0 ? FIRST_IMAGE : SECOND_IMAGE)) == 0)
            continue;
        if (images == 1 && map->third >= 0 && map->third == king[WHITE]) {
            together[first] |= UINT64_C(1) << square_code[white_king];
            continue;
        }
        work->kings = 0;
        work->images = images;
        for (int i = 0; i < images; i++)
            work->use[i] = &work->image[symmetry[i] == g ? 0 : 1];
        place_kings(work, fixed, black_king, white_king);
    }
    for (int i = 0; i < 2; i++) {
        work->kings = together[i];
        work->images = 1;
        work->use[0] = &work->image[i];
        if (together[i] != 0)
            place_kings(work, fixed, black_king, NO_SQUARE);
    }
}

void slab_extract_kings(const struct slab_extract *extract, struct slab_work *work, const struct slab_set *set,
                        int black_king, uint64_t white_kings, const uint8_t *symbols)
{
    const int g = symmetry_to_triangle(black_king);
    const bool second = square_on_diagonal(square_apply(g, black_king));
    for (int i = 0; i < set->count; i++)
        extract_kings(&extract->map, work, set->slab[i], black_king, white_kings,
                      extract->packs ? BOTH_IMAGES : FIRST_IMAGE | SECOND_IMAGE | BOTH_IMAGES, symbols);
    for (int image = 0; extract->packs && image < (second ? 2 : 1); image++) {
        pack(extract, work, set, image == 0 ? g : symmetry_then_diagonal(g), symbols);
        for (int i = 0; i < set->count; i++)
            extract_kings(&extract->packed, work, set->slab[i], black_king, white_kings,
                          image == 0 ? FIRST_IMAGE : SECOND_IMAGE, work->packed + (size_t)i * extract->packed_bytes);
    }
}

void slab_extract_section_wants(const struct slab_map *map, const struct stored_slab *slab, unsigned section,
                                uint32_t each, bool *wanted)
{
    const struct order_map *file = &map->file;
    const int fixed = fixed_king(map, slab, BLACK);
    struct digits digits = {.each = each, .wanted = wanted};
    find_digits(file, &digits);
    for (int black_king = 0; black_king < SQUARES; black_king++) {
        const int g = symmetry_to_triangle(black_king);
        const int seen = square_apply(g, black_king);
        if (square_triangle[seen] != (int)section || (fixed != NO_SQUARE && fixed != black_king))
            continue;
        set_units(&digits, 0, order_fixed_part(file, g, slab->square));
        if (square_on_diagonal(seen))
            set_units(&digits, 0, order_fixed_part(file, symmetry_then_diagonal(g), slab->square));
    }
}

// ---- with pawns ----

static int slice_symmetry(const struct slab_map *map, bool mirror)
{
    return (map->flip ? 2 : 0) | (mirror ? 1 : 0);
}

void slab_extract_wants(const struct slab_map *map, const struct stored_slab *slab, bool mirror, bool both,
                        uint32_t each, bool *wanted)
{
    struct digits digits = {.each = each, .wanted = wanted};
    find_digits(&map->file, &digits);
    for (int i = 0; i < (both ? 2 : 1); i++)
        set_units(&digits, 0, order_fixed_part(&map->file, slice_symmetry(map, mirror) ^ i, slab->square));
}

void slab_extract_slice(const struct slab_extract *extract, struct slab_work *work, const struct slab_set *set,
                        const uint8_t *symbols, bool mirror, bool both)
{
    const struct slab_map *map = extract->packs ? &extract->packed : &extract->map;
    uint64_t left = 0; // codes of the squares on files a-d
    int king = 0;
    for (int code = 0; code < SQUARES; code++)
        left |= (uint64_t)(square_file(code_square[code]) < 4) << code;
    while (map->piece[king] != map->file.king[WHITE])
        king++;
    work->images = 1;
    work->use[0] = &work->image[0];
    for (int image = 0; image < (both ? 2 : 1); image++) {
        // Each of the two images has the placements with the file's white king on files a-d after its symmetry.
        const int g = slice_symmetry(map, mirror) ^ image;
        if (extract->packs)
            pack(extract, work, set, g, symbols);
        for (int i = 0; i < set->count; i++) {
            slab_place_begin(work, map, set->slab[i],
                             extract->packs ? work->packed + (size_t)i * extract->packed_bytes : symbols,
                             both ? king : -1, g & 1 ? ~left : left);
            order_parts_make(&work->image[0], &map->file, g, set->slab[i]->square);
            const uint64_t entry[2] = {work->image[0].fixed, work->image[0].fixed};
            slab_place(work, entry, 0);
        }
    }
}
