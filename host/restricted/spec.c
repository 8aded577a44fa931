// spec.c - the men of a restricted endgame: contradictions, and giving a position's men to them
#include "restricted/spec.h"

#include "chess/attacks.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = 255 };

#define NO_PAWN (RANK_1 | RANK_8)

// ---- men ----

int spec_add_man(struct spec *spec, int colour, int type, uint64_t squares)
{
    if (spec->men == SPEC_MEN_MAX)
        return error_set(CLTB_E_USAGE, "more than %d men", SPEC_MEN_MAX);
    spec->man[spec->men++] = (struct spec_man){(uint8_t)colour, (uint8_t)type, squares};
    return 0;
}

static const char *colour_name(int colour)
{
    return colour == WHITE ? "White" : "Black";
}

static const char *type_name(int type)
{
    static const char *const names[PIECE_TYPES] = {"king", "queen", "rook", "bishop", "knight", "pawn"};
    return names[type];
}

// Kings first, White before Black; then by type, then by squares.
static int compare_men(const void *a, const void *b)
{
    const struct spec_man *x = a;
    const struct spec_man *y = b;
    if ((x->type == KING) != (y->type == KING))
        return x->type == KING ? -1 : 1;
    if (x->colour != y->colour)
        return x->colour - y->colour;
    if (x->type != y->type)
        return x->type - y->type;
    return x->squares < y->squares ? -1 : x->squares > y->squares;
}

static int check_counts(const struct spec *spec)
{
    int count[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < spec->men; i++)
        count[spec->man[i].colour][spec->man[i].type]++;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (count[colour][KING] != 1)
            return error_set(CLTB_E_USAGE, "%s has %s", colour_name(colour),
                             count[colour][KING] == 0 ? "no king" : "more than one king");
        if (count[colour][PAWN] > PAWNS_PER_SIDE_MAX)
            return error_set(CLTB_E_USAGE, "%s has more than %d pawns", colour_name(colour), PAWNS_PER_SIDE_MAX);
    }
    return 0;
}

static int check_squares(const struct spec *spec)
{
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        if (man->squares == 0)
            return error_set(CLTB_E_USAGE, "%s's %s has no square", colour_name(man->colour), type_name(man->type));
        if (man->type == PAWN && (man->squares & NO_PAWN) != 0)
            return error_set(CLTB_E_USAGE, "%s has a pawn on %s", colour_name(man->colour),
                             square_name(__builtin_ctzll(man->squares & NO_PAWN)));
    }
    return 0;
}

// ---- one square for each man ----

// A chain of men that move on to other squares until one of them finds a free one. owner: [SQUARES], NOBODY where free. As deep as the chain is
// long: at most the men of the spec.
static bool find_square(const struct spec *spec, int man, uint64_t allowed, uint64_t *tried, uint8_t owner[SQUARES])
{
    uint64_t squares = spec->man[man].squares & allowed;
    while ((squares & ~*tried) != 0) {
        const int square = __builtin_ctzll(squares & ~*tried);
        *tried |= square_bit(square);
        if (owner[square] == NOBODY || find_square(spec, owner[square], allowed, tried, owner)) {
            owner[square] = (uint8_t)man;
            return true;
        }
    }
    return false;
}

// Gives men first..last - 1 a square each of `allowed`.
static bool give_squares(const struct spec *spec, int first, int last, uint64_t allowed, uint8_t owner[SQUARES])
{
    memset(owner, NOBODY, SQUARES);
    for (int i = first; i < last; i++) {
        uint64_t tried = 0;
        if (!find_square(spec, i, allowed, &tried, owner))
            return false;
    }
    return true;
}

static int check_room(const struct spec *spec)
{
    for (int i = 0; i < spec->men; i++) {
        for (int j = 0; j < i; j++) {
            const uint64_t squares = spec->man[i].squares;
            if (squares == spec->man[j].squares && (squares & (squares - 1)) == 0)
                return error_set(CLTB_E_USAGE, "two men can only stand on %s", square_name(__builtin_ctzll(squares)));
        }
    }
    uint8_t owner[SQUARES];
    if (!give_squares(spec, 0, spec->men, UINT64_MAX, owner))
        return error_set(CLTB_E_USAGE, "the men cannot all have a square of their own");
    return 0;
}

static int check_kings(const struct spec *spec)
{
    for (uint64_t squares = spec->man[WHITE].squares; squares != 0;) {
        const int square = set_pop(&squares);
        if ((spec->man[BLACK].squares & ~king_attacks(square) & ~square_bit(square)) != 0)
            return 0;
    }
    return error_set(CLTB_E_USAGE, "the kings can only stand side by side");
}

// Do all pawns with squares on a file face each other there?
static bool is_facing(const struct spec *spec, uint64_t file)
{
    int count[COLOURS] = {0};
    int lowest[COLOURS] = {63, 63};
    int highest[COLOURS] = {0};
    int highest_low = 0;  // of the white pawns
    int lowest_high = 63; // of the black ones
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        if (man->type != PAWN || (man->squares & file) == 0)
            continue;
        if ((man->squares & ~file) != 0)
            return false;
        const int low = __builtin_ctzll(man->squares);
        const int high = 63 - __builtin_clzll(man->squares);
        count[man->colour]++;
        lowest[man->colour] = low < lowest[man->colour] ? low : lowest[man->colour];
        highest[man->colour] = high > highest[man->colour] ? high : highest[man->colour];
        if (man->colour == WHITE && low > highest_low)
            highest_low = low;
        if (man->colour == BLACK && high < lowest_high)
            lowest_high = high;
    }
    return count[WHITE] > 0 && count[BLACK] > 0 && highest_low < lowest[BLACK] && highest[WHITE] < lowest_high;
}

static void find_facing(struct spec *spec)
{
    spec->facing = 0;
    for (int file = 0; file < 8; file++) {
        if (is_facing(spec, FILE_A << file))
            spec->facing |= (uint8_t)(1 << file);
    }
}

int spec_finish(struct spec *spec)
{
    TRY(check_counts(spec));
    TRY(check_squares(spec));
    qsort(spec->man, (size_t)spec->men, sizeof spec->man[0], compare_men);
    TRY(check_room(spec));
    TRY(check_kings(spec));
    find_facing(spec);
    return 0;
}

// ---- positions ----

// Men first..last - 1 are all that the spec has of a colour and type.
static bool match_group(const struct spec *spec, int first, int last, const struct position *position,
                        uint8_t where[SPEC_MEN_MAX])
{
    const struct spec_man *man = &spec->man[first];
    const uint8_t *list = position->list[man->colour][man->type];
    if (position->count[man->colour][man->type] != last - first)
        return false;
    uint64_t present = 0;
    bool as_listed = true;
    for (int i = first; i < last; i++) {
        where[i] = list[i - first];
        present |= square_bit(where[i]);
        as_listed = as_listed && (spec->man[i].squares & square_bit(where[i])) != 0;
    }
    if (as_listed)
        return true;
    if (last - first == 1)
        return false;
    uint8_t owner[SQUARES];
    if (!give_squares(spec, first, last, present, owner))
        return false;
    while (present != 0) {
        const int square = set_pop(&present);
        where[owner[square]] = (uint8_t)square;
    }
    return true;
}

bool spec_in_order(const struct spec *spec, uint64_t white, uint64_t black)
{
    for (unsigned files = spec->facing; files != 0; files &= files - 1) {
        const uint64_t file = FILE_A << __builtin_ctz(files);
        // Above the lowest black pawn
        const uint64_t beyond = (black & file) == 0 ? 0 : -(black & file & -(black & file));
        if ((white & file & beyond) != 0)
            return false;
    }
    return true;
}

static bool pawns_in_order(const struct spec *spec, const struct position *position)
{
    uint64_t pawns[COLOURS] = {0};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int i = 0; i < position->count[colour][PAWN]; i++)
            pawns[colour] |= square_bit(position->list[colour][PAWN][i]);
    }
    return spec_in_order(spec, pawns[WHITE], pawns[BLACK]);
}

bool spec_match(const struct spec *spec, const struct position *position, uint8_t where[SPEC_MEN_MAX])
{
    if (position_men(position) != spec->men)
        return false;
    for (int first = 0, last; first < spec->men; first = last) {
        const struct spec_man *man = &spec->man[first];
        last = first + 1;
        while (last < spec->men && spec->man[last].colour == man->colour && spec->man[last].type == man->type)
            last++;
        if (!match_group(spec, first, last, position, where))
            return false;
    }
    return spec->facing == 0 || pawns_in_order(spec, position);
}
