// section_words.c - a tile's values into a file's order, word by word
//
// With two lower pieces a word has all their squares, with the upper ones on one square each: its 64 entries are one sum
// each. Lanes that are no position may be written as well, as free: their entries are nobody else's, but for those of like
// men on one square, whose whole word is illegal, and for images that the file does not keep.
#include "table/write/sections_inside.h"

void section_list_symbols(struct symbols *symbols, unsigned bits, const solver_value value[COLOURS][DISTANCE_CODES])
{
    symbols->bits = bits;
    symbols->cursed = false;
    for (unsigned key = 0; key < 4U << bits; key++) {
        const unsigned code = key & ((1U << bits) - 1);
        const bool won = key >> bits & 1;
        const bool resolved = key >> bits & 2;
        const bool legal = code != 0 || !won;
        const solver_value v = legal ? value[won][code] : 0;
        symbols->value[key] = v;
        symbols->outcome[key] = (uint8_t)(legal ? section_outcome_symbol(v, resolved) : FREE_ANY);
        symbols->distance[key] = (uint16_t)(legal ? section_distance_symbol(v, resolved) : FREE_DISTANCE);
        symbols->cursed |= v != 0 && solver_value_ply(v) > PLY_LIMIT;
    }
}

const struct symbols *section_symbols_for(const struct scatter *scatter, const struct slice_side *planes)
{
    int bits = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        bits = planes->distance[bit] != NULL ? bit + 1 : bits;
    return bits <= BITS_FEW ? &scatter->few : bits <= BITS_MANY ? &scatter->many : NULL;
}

static bool whole_board(const struct section_target *target)
{
    return target->order == NULL || target->order->squares == SQUARES;
}

bool section_can_scatter_words(const struct scatter *scatter)
{
    const struct layout *layout = scatter->layout;
    return layout->pieces - section_upper_pieces(layout) == 2 && layout->type[0] != BLANK &&
           !section_has_more_like(layout) && !scatter->view[0].split && !scatter->view[1].split &&
           whole_board(&scatter->request->outcome) && whole_board(&scatter->request->distance);
}

// Of the 64 lanes of a word.
static void list_keys(const struct symbols *symbols, const struct slice_side *planes, size_t w, uint16_t key[64])
{
    uint64_t row[BITS_MANY + 2] = {0};
    for (unsigned bit = 0; bit < symbols->bits; bit++)
        row[bit] = planes->distance[bit] != NULL ? planes->distance[bit][w] : 0;
    row[symbols->bits] = planes->won[w];
    row[symbols->bits + 1] = planes->resolved[w];
    for (unsigned byte = 0; byte < 8; byte++) {
        uint64_t low = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            low |= (row[bit] >> 8 * byte & 0xff) << 8 * bit;
        low = transpose8(low);
        for (unsigned i = 0; i < 8; i++)
            key[8 * byte + i] = (uint8_t)(low >> 8 * i);
        if (symbols->bits == BITS_FEW)
            continue;
        const uint64_t high = transpose8((row[8] >> 8 * byte & 0xff) | (row[9] >> 8 * byte & 0xff) << 8);
        for (unsigned i = 0; i < 8; i++)
            key[8 * byte + i] |= (uint16_t)((high >> 8 * i & 3) << 8);
    }
}

// The lanes whose image the file keeps, and those that must be compared with their mirror image, of a word.
struct images {
    uint64_t kept;
    uint64_t compared;
};

static struct images find_images(const struct tile_view *tile, uint64_t word)
{
    struct images images = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        const int image = section_diagonal_image(tile, 64 * word + bit);
        images.kept |= (uint64_t)(image > 0) << bit;
        images.compared |= (uint64_t)(image < 0) << bit;
    }
    return images;
}

static void count_word(const struct symbols *symbols, uint64_t won, uint64_t any, const uint16_t key[64],
                       uint64_t weight, uint64_t *sum)
{
    sum[CLTB_DRAW + 2] += weight * (uint64_t)__builtin_popcountll(~won & ~any);
    if (!symbols->cursed) {
        sum[CLTB_WIN + 2] += weight * (uint64_t)__builtin_popcountll(won & any);
        sum[CLTB_LOSS + 2] += weight * (uint64_t)__builtin_popcountll(~won & any);
        return;
    }
    for (; any != 0; any &= any - 1)
        sum[section_outcome(symbols->value[key[__builtin_ctzll(any)]])] += weight;
}

// All lanes of a word.
static void put_word(const struct scatter *scatter, const struct symbols *symbols, const struct worker_memory *memory,
                     uint64_t up, const uint16_t key[64])
{
    const struct section_target *outcome = &scatter->request->outcome;
    const struct section_target *distance = &scatter->request->distance;
    if (outcome->order != NULL && outcome->slot == NULL) {
        uint8_t *to = (uint8_t *)outcome->symbols + memory->upper[0][up];
        for (unsigned i = 0; i < 64; i++)
            to[memory->lower[0][i]] = symbols->outcome[key[i]];
    } else if (outcome->order != NULL) {
        for (unsigned i = 0; i < 64; i++)
            section_put(outcome, memory->upper[0][up] + memory->lower[0][i], symbols->outcome[key[i]]);
    }
    if (distance->order != NULL && distance->slot == NULL && distance->bytes == 1) {
        uint8_t *to = (uint8_t *)distance->symbols + memory->upper[1][up];
        for (unsigned i = 0; i < 64; i++)
            to[memory->lower[1][i]] = (uint8_t)symbols->distance[key[i]];
    } else if (distance->order != NULL) {
        for (unsigned i = 0; i < 64; i++)
            section_put(distance, memory->upper[1][up] + memory->lower[1][i], symbols->distance[key[i]]);
    }
}

static void put_lane(const struct scatter *scatter, const struct symbols *symbols, const struct worker_memory *memory,
                     uint64_t lane, unsigned key)
{
    const uint64_t up = lane >> 6;
    const uint64_t low = lane & 63;
    if (scatter->request->outcome.order != NULL)
        section_put(&scatter->request->outcome, memory->upper[0][up] + memory->lower[0][low], symbols->outcome[key]);
    if (scatter->request->distance.order != NULL)
        section_put(&scatter->request->distance, memory->upper[1][up] + memory->lower[1][low], symbols->distance[key]);
}

// Of two mirror images the file keeps the one with the lower index in its order.
static void compare_lane(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                         const struct worker_memory *memory, uint64_t lane, unsigned key)
{
    const uint64_t up = lane >> 6;
    const uint64_t low = lane & 63;
    if (!scatter->mirrored) {
        section_put_slowly(scatter, tile, lane, symbols->value[key], key >> symbols->bits >= 2, true);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t entry = memory->upper[i][up] + memory->lower[i][low];
        if (scatter->view[i].order == NULL || entry > memory->mirror_upper[i][up] + memory->mirror_lower[i][low])
            continue;
        section_put(i == 0 ? &scatter->request->outcome : &scatter->request->distance, entry,
                    i == 0 ? symbols->outcome[key] : symbols->distance[key]);
    }
}

static void scatter_images(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                           const struct worker_memory *memory, uint64_t word, uint64_t legal,
                           const struct images *images, const uint16_t key[64])
{
    for (uint64_t lanes = images->kept & legal; lanes != 0; lanes &= lanes - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(lanes);
        put_lane(scatter, symbols, memory, 64 * word + bit, key[bit]);
    }
    for (uint64_t lanes = images->compared & legal; lanes != 0; lanes &= lanes - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(lanes);
        compare_lane(scatter, symbols, tile, memory, 64 * word + bit, key[bit]);
    }
}

void section_scatter_words(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                           struct worker_memory *memory, const struct slice_side *planes, size_t first, bool counted)
{
    const struct layout *layout = tile->layout;
    const bool diagonal = square_on_diagonal(triangle_square[scatter->king]);
    const bool upper_king = layout_lane_shift(layout, layout->white_king) >= 6;
    struct images images = {.kept = UINT64_MAX};
    const uint64_t weight = section_weight(scatter, tile);
    for (int which = 0; which < 2; which++) {
        if (scatter->view[which].order == NULL)
            continue;
        section_make_parts(memory, tile, &scatter->view[which], which);
        if (scatter->mirrored)
            section_make_mirrored_parts(memory, tile, &scatter->view[which], which);
    }
    if (diagonal && !upper_king)
        images = find_images(tile, 0);
    for (uint64_t word = 0; word < layout->tile_lanes / 64; word++) {
        const uint64_t any = planes_any_code(planes, first + word);
        const uint64_t legal = ~(planes->won[first + word] & ~any);
        uint16_t key[64];
        if (legal == 0)
            continue;
        list_keys(symbols, planes, first + word, key);
        if (counted)
            count_word(symbols, planes->won[first + word], any, key, weight, memory->sum);
        if (diagonal && upper_king) {
            const int image = section_diagonal_image(tile, 64 * word);
            images = (struct images){image > 0 ? UINT64_MAX : 0, image < 0 ? UINT64_MAX : 0};
        }
        if (images.kept == UINT64_MAX)
            put_word(scatter, symbols, memory, word, key);
        else
            scatter_images(scatter, symbols, tile, memory, word, legal, &images, key);
    }
}
