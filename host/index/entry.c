// entry.c - the order of entries in a table file
#include "index/entry.h"

#include "util/error.h"

#include <stdio.h>
#include <string.h>

static const char letters[COLOURS][PIECE_TYPES + 1] = {"KQRBNP", "kqrbnp"};

uint64_t entry_choose(unsigned n, unsigned k)
{
    if (k <= 2) // probing calls it with these
        return k == 0 ? 1 : k == 1 ? n : n * (n - 1U) / 2;
    uint64_t result = 1;
    for (unsigned i = 0; i < k; i++)
        result = result * (n - i) / (i + 1);
    return n < k ? 0 : result;
}

// All groups, in the order of colours and types. Men whose digit comes first, as the black king's number or the slice,
// have no group.
static int natural_groups(const struct material *material, struct entry_group *group)
{
    const bool pawns = material_has_pawns(material);
    int groups = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            const unsigned count = material->count[colour][type];
            if (count == 0 || (pawns ? type == PAWN : colour == BLACK && type == KING))
                continue;
            group[groups++] = (struct entry_group){.colour = (uint8_t)colour,
                                                   .type = (uint8_t)type,
                                                   .count = (uint8_t)count,
                                                   .size = entry_choose(SQUARES, count)};
        }
    }
    return groups;
}

static void set_strides(struct entry_order *order)
{
    uint64_t stride = 1;
    for (int i = order->groups - 1; i >= 0; i--) {
        order->group[i].stride = stride;
        stride *= order->group[i].size;
    }
    order->per_slice = stride;
    order->slices_per_section = 1;
    order->sections = TRIANGLE_SQUARES;
    if (order->slices != NULL) {
        order->slices_per_section = (SECTION_ENTRIES_MIN + stride - 1) / stride;
        order->sections = (order->slices->slices + order->slices_per_section - 1) / order->slices_per_section;
    }
    order->per_section = order->per_slice * order->slices_per_section;
    order->entries = order->per_section * order->sections;
}

void entry_order_init(struct entry_order *order, const struct material *material, const struct pawn_slices *slices,
                      const uint8_t *choice)
{
    *order = (struct entry_order){.material = *material, .slices = slices, .thinned = -1};
    struct entry_group natural[2 * PIECE_TYPES];
    order->groups = natural_groups(material, natural);
    for (int i = 0; i < order->groups; i++)
        order->group[i] = natural[choice == NULL ? i : choice[i]];
    set_strides(order);
}

void entry_order_thin(struct entry_order *order, int group, uint64_t kept)
{
    const uint64_t slices_per_section = order->slices_per_section;
    const uint64_t sections = order->sections;
    struct entry_group *thinned = &order->group[group];
    order->thinned = group;
    order->kept = kept;
    thinned->size = 0;
    for (uint64_t left = kept; left != 0; left &= left - 1)
        thinned->size += entry_choose((unsigned)__builtin_ctzll(left), thinned->count - 1U);
    set_strides(order);
    order->slices_per_section = slices_per_section;
    order->per_section = order->per_slice * slices_per_section;
    order->sections = sections;
    order->entries = order->per_section * sections;
}

uint64_t entry_thin_digit(const struct entry_order *order, int group, uint64_t digit, unsigned highest)
{
    const unsigned count = order->group[group].count;
    uint64_t thin = digit - entry_choose(highest, count);
    for (uint64_t left = order->kept & (square_bit((int)highest) - 1); left != 0; left &= left - 1)
        thin += entry_choose((unsigned)__builtin_ctzll(left), count - 1);
    return thin;
}

uint64_t entry_whole_digit(const struct entry_order *order, int group, uint64_t digit)
{
    const unsigned count = order->group[group].count;
    uint64_t left = order->kept;
    if (group != order->thinned)
        return digit;
    for (; digit >= entry_choose((unsigned)__builtin_ctzll(left), count - 1); left &= left - 1)
        digit -= entry_choose((unsigned)__builtin_ctzll(left), count - 1);
    return entry_choose((unsigned)__builtin_ctzll(left), count) + digit;
}

void entry_order_write(const struct entry_order *order, char text[ENTRY_TEXT_MAX])
{
    size_t at = 0;
    if (order->slices == NULL)
        text[at++] = 'k';
    for (int i = 0; i < order->groups; i++) {
        if (at > 0)
            text[at++] = ' ';
        for (int n = 0; n < order->group[i].count; n++)
            text[at++] = letters[order->group[i].colour][order->group[i].type];
    }
    text[at] = '\0';
}

// Reads one word of equal letters; returns the text after it, or NULL if it is not one.
static const char *read_group(const char *text, struct entry_group *group)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        const char *letter = *text == '\0' ? NULL : strchr(letters[colour], *text);
        if (letter == NULL)
            continue;
        const char first = *text;
        *group = (struct entry_group){.colour = (uint8_t)colour, .type = (uint8_t)(letter - letters[colour])};
        while (*text == first && group->count < MATERIAL_MEN_MAX) {
            group->count++;
            text++;
        }
        group->size = entry_choose(SQUARES, group->count);
        return text;
    }
    return NULL;
}

int entry_order_read(struct entry_order *order, const struct material *material, const struct pawn_slices *slices,
                     const char *text)
{
    *order = (struct entry_order){.material = *material, .slices = slices, .thinned = -1};
    struct entry_group natural[2 * PIECE_TYPES];
    const int groups = natural_groups(material, natural);
    unsigned seen = 0;
    const char *rest = text;
    if (slices == NULL && *rest++ != 'k')
        return error_set(CLTB_E_CORRUPT, "the order of men '%.40s' does not start with the black king", text);
    while (order->groups < groups && (rest == text || *rest == ' ')) {
        struct entry_group *group = &order->group[order->groups++];
        rest = read_group(rest == text ? rest : rest + 1, group);
        if (rest == NULL)
            break;
        for (int i = 0; i < groups; i++) {
            if (natural[i].colour == group->colour && natural[i].type == group->type &&
                natural[i].count == group->count)
                seen |= 1U << i;
        }
    }
    if (rest == NULL || *rest != '\0' || order->groups != groups || seen != (1U << groups) - 1)
        return error_set(CLTB_E_CORRUPT, "the order of men '%.40s' does not fit the material", text);
    set_strides(order);
    return 0;
}

uint64_t entry_digit(const uint8_t *squares, int count)
{
    if (count == 1)
        return squares[0];
    if (count == 2) {
        const unsigned low = squares[0] < squares[1] ? squares[0] : squares[1];
        const unsigned high = squares[0] < squares[1] ? squares[1] : squares[0];
        return low + entry_choose(high, 2);
    }
    uint8_t sorted[MATERIAL_MEN_MAX] = {0};
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > squares[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = squares[i];
    }
    uint64_t digit = 0;
    for (int i = 0; i < count; i++)
        digit += entry_choose(sorted[i], (unsigned)i + 1);
    return digit;
}

void entry_digit_squares(uint64_t digit, int count, uint8_t *squares)
{
    for (int left = count; left > 0; left--, squares++) {
        unsigned square = (unsigned)left - 1;
        if (left == 1)
            square = (unsigned)digit;
        while (left > 1 && entry_choose(square + 1, (unsigned)left) <= digit)
            square++;
        digit -= entry_choose(square, (unsigned)left);
        *squares = (uint8_t)square;
    }
}

// The sum of the groups' digits times their strides, with all men moved by `symmetry`. `change`: 1 if colours change.
static uint64_t groups_index(const struct entry_order *order, const struct position *position, int change, int symmetry)
{
    uint64_t index = 0;
    for (int i = 0; i < order->groups; i++) {
        const struct entry_group *group = &order->group[i];
        const uint8_t *square = position->list[group->colour ^ change][group->type];
        uint64_t digit = (uint64_t)square_apply(symmetry, square[0]);
        if (group->count > 1) {
            uint8_t moved[MATERIAL_MEN_MAX];
            for (int n = 0; n < group->count; n++)
                moved[n] = (uint8_t)square_apply(symmetry, square[n]);
            digit = entry_digit(moved, group->count);
        }
        index += digit * group->stride;
    }
    return index;
}

int entry_symmetries(int black_king, int white_king, int symmetry[2])
{
    const int g = symmetry_to_triangle(black_king);
    symmetry[0] = g;
    if (!square_on_diagonal(square_apply(g, black_king)))
        return 1;
    const int seen = square_apply(g, white_king);
    symmetry[1] = symmetry_then_diagonal(g);
    if (square_on_diagonal(seen))
        return 2;
    if (square_rank(seen) > square_file(seen))
        symmetry[0] = symmetry[1];
    return 1;
}

uint64_t entry_index(const struct entry_order *order, const struct position *position, bool flip)
{
    const int change = flip ? 1 : 0;
    const int white_king = position_king(position, WHITE ^ change);
    if (order->slices == NULL) {
        const int black_king = position_king(position, BLACK ^ change);
        int symmetry[2];
        uint64_t least = UINT64_MAX;
        const int images = entry_symmetries(black_king, white_king, symmetry);
        for (int i = 0; i < images; i++) {
            const uint64_t index = groups_index(order, position, change, symmetry[i]);
            least = index < least ? index : least;
        }
        return (uint64_t)square_triangle[square_apply(symmetry[0], black_king)] * order->per_slice + least;
    }
    // Pawns keep their direction when the colours are flipped, because the ranks are mirrored with them.
    const int ranks = flip ? 2 : 0;
    uint8_t pawns[PAWNS_MAX];
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int n = 0; n < order->slices->pawns[colour]; n++)
            pawns[count++] = (uint8_t)square_apply(ranks, position->list[colour ^ change][PAWN][n]);
    bool mirror;
    bool both;
    const uint64_t slice = pawn_slices_find(order->slices, pawns, &mirror, &both);
    mirror |= both && square_file(white_king) > 3;
    return slice * order->per_slice + groups_index(order, position, change, ranks | (mirror ? 1 : 0));
}
