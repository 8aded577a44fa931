// slices_reference.h - tests of backends on layouts of slices: the plain reference, and random imports of slabs
//
// As test_backend.c does it for tables without pawns: the reference decodes an index into squares and moves men by
// steps of file and rank. It is asked about every entry of a small layout and a sample of a large one's, half of it with
// two men on one square.
#ifndef CLTB_TESTS_SOLVE_SLICES_REFERENCE_H
#define CLTB_TESTS_SOLVE_SLICES_REFERENCE_H

#include "solve/slices_bench.h"

enum {
    SAMPLES = 60000,
    SMALL = 300000 // entries of a layout that is checked in full
};

// ---- the reference ----

struct board {
    const struct layout *layout;
    uint64_t slice;
    int first;                       // the men before it are slice digits
    int pieces;                      // the men from here on are fixed
    int men;                         //
    uint8_t square[BACKEND_MEN_MAX]; //
    uint8_t type[BACKEND_MEN_MAX];   //
    uint8_t colour[BACKEND_MEN_MAX]; //
};

static inline struct board board_of(const struct layout *layout, uint64_t index)
{
    struct board board = {
        .layout = layout, .first = layout->slice_digits, .pieces = layout->pieces, .men = layout_men(layout)};
    board.slice = layout_slice_placement(layout, index, board.square);
    for (int i = board.first; i < board.men; i++) {
        board.type[i] = (uint8_t)layout_type_of(layout, i);
        board.colour[i] = (uint8_t)layout_colour_of(layout, i);
        if (i >= board.pieces)
            board.square[i] = code_square[layout->fixed_code[board.slice][i - board.pieces]];
    }
    return board;
}

static inline bool occupied(const struct board *board, int but, int square)
{
    for (int i = board->first; i < board->men; i++) {
        if (i != but && board->square[i] == square)
            return true;
    }
    return false;
}

// Can a man of this type take that way, and how far?
static inline int reach_of(int type, int colour, int files, int ranks)
{
    const bool straight = files == 0 || ranks == 0;
    const bool leap = abs(files) + abs(ranks) == 3 && files != 0 && ranks != 0;
    if (type == KNIGHT)
        return leap ? 1 : 0;
    if (leap || abs(files) > 1 || abs(ranks) > 1 || (files == 0 && ranks == 0))
        return 0;
    if (type == PAWN)
        return files != 0 && ranks == (colour == WHITE ? 1 : -1) ? 1 : 0;
    if (type == KING)
        return 1;
    return (straight && type != BISHOP) || (!straight && type != ROOK) ? 7 : 0;
}

// Fills targets[] with the squares that a piece can move to, or a pawn attacks, other men's included; returns their
// number.
static inline int targets_of(const struct board *board, int man, int targets[64])
{
    int count = 0;
    for (int way = 0; way < 25; way++) {
        const int files = way % 5 - 2;
        const int ranks = way / 5 - 2;
        const int reach = reach_of(board->type[man], board->colour[man], files, ranks);
        int file = board->square[man] % 8;
        int rank = board->square[man] / 8;
        for (int step = 0; step < reach; step++) {
            file += files;
            rank += ranks;
            if (file < 0 || file > 7 || rank < 0 || rank > 7)
                break;
            targets[count++] = rank * 8 + file;
            if (occupied(board, man, rank * 8 + file))
                break;
        }
    }
    return count;
}

static inline bool reference_pred(const struct layout *layout, uint64_t index, int side, const uint64_t *bits,
                                  bool invert)
{
    const struct board board = board_of(layout, index);
    for (int man = board.first; man < board.pieces; man++) {
        int targets[64];
        if (board.colour[man] != side)
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            struct board after = board;
            after.square[man] = (uint8_t)targets[i];
            if (bit_at(bits, layout_slice_index(layout, board.slice, after.square)) != invert)
                return true;
        }
    }
    return false;
}

static inline bool shares_with_enemy(const struct board *board, int man)
{
    for (int i = board->first; i < board->men; i++) {
        if (board->colour[i] != board->colour[man] && board->square[i] == board->square[man])
            return true;
    }
    return false;
}

static inline bool reference_attacks(const struct layout *layout, uint64_t index, int side)
{
    const struct board board = board_of(layout, index);
    const int victim = board.square[side == WHITE ? layout->black_king : layout->white_king];
    for (int man = board.first; man < board.men; man++) {
        int targets[64];
        if (board.colour[man] != side || (man >= board.pieces && board.type[man] != PAWN) ||
            shares_with_enemy(&board, man))
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            if (targets[i] == victim)
                return true;
        }
    }
    return false;
}

static inline bool reference_overlap(const struct layout *layout, uint64_t index, const struct men_pairs *pairs)
{
    const struct board board = board_of(layout, index);
    for (int p = board.first; p < board.men; p++) {
        for (int q = board.first; q < p; q++) {
            if ((pairs->with[p] >> q & 1) && board.square[p] == board.square[q])
                return true;
        }
    }
    return false;
}

static inline bool reference_import(const struct board *board, const struct slab_import *import)
{
    uint64_t u = 0;
    uint64_t l = 0;
    int digits = 0;
    for (int i = board->first; i < board->pieces; i++) {
        const unsigned code = square_code[board->square[i]];
        if (import->where == IMPORT_ALL && code == import->empty)
            return false;
        if (i == import->man)
            continue;
        u = 8 * u + code / 8;
        l = 8 * l + code % 8;
        digits++;
    }
    if (import->where == IMPORT_TAKEN && !shares_with_enemy(board, import->man))
        return false;
    if (import->where == IMPORT_AT && square_code[board->square[import->man]] != import->at)
        return false;
    const uint64_t at = u << 3 * digits | l;
    return (import->bits != NULL && bit_at(import->bits, at)) != import->invert;
}

// ---- samples ----

static inline int real_pieces(const struct layout *layout)
{
    return layout->pieces - layout->slice_digits;
}

static inline uint64_t samples(const struct layout *layout)
{
    const uint64_t all = layout->slices_used * layout_slab_bits(layout);
    return all <= SMALL ? all : SAMPLES;
}

// The n-th index of a sample: of all entries where there are few; else every second one has two men on one square.
static inline uint64_t sample(const struct layout *layout, uint64_t n)
{
    const uint64_t slab = layout_slab_bits(layout);
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    const bool full = samples(layout) != SAMPLES;
    const uint64_t slice = full ? n / slab : mix(n) % layout->slices_used;
    uint64_t roll = full ? n % slab : mix(n + SMALL);
    for (int i = layout->slice_digits; i < layout->pieces; i++, roll >>= 6)
        squares[i] = roll & 63;
    if (!full && n % 2 == 1) {
        const uint64_t choice = mix(n + 2 * SMALL);
        const int men = layout_men(layout) - layout->slice_digits;
        const int to = layout->slice_digits + (int)(choice % (unsigned)men);
        const int from = layout->slice_digits + (int)((choice >> 32) % (unsigned)real_pieces(layout));
        squares[from] = to < layout->pieces ? squares[to] : code_square[layout->fixed_code[slice][to - layout->pieces]];
    }
    return layout_slice_index(layout, slice, squares);
}

static inline void assert_entry(struct bench *bench, uint64_t index, bool expected, const char *what)
{
    if (bit_at(bench->result, index) == expected)
        return;
    print_entry(&bench->layout, index);
    fail_msg("%s: %s has %d where the reference has %d", what, bench->machine[0].name, !expected, expected);
}

// ---- random imports ----

// A man that is no king, and whether only pieces will do; -1: there is none.
static inline int some_man(const struct layout *layout, uint64_t roll, bool piece)
{
    int found[BACKEND_MEN_MAX];
    unsigned count = 0;
    for (int i = layout->slice_digits; i < (piece ? layout->pieces : layout_men(layout)); i++) {
        if (layout_type_of(layout, i) != KING)
            found[count++] = i;
    }
    return count == 0 ? -1 : found[roll % count];
}

static inline struct slab_import some_import(struct bench *bench, uint64_t slice, uint64_t roll)
{
    const struct layout *layout = &bench->layout;
    struct slab_import import = {.slice = slice, .where = (enum import_where)(roll % 3), .man = -1};
    import.at = roll >> 8 & 63;
    import.empty = roll >> 16 & 1 ? NO_SQUARE : roll >> 17 & 63;
    import.invert = roll >> 24 & 1;
    if (import.where == IMPORT_AT)
        import.man = some_man(layout, roll >> 32, true);
    else if (import.where == IMPORT_TAKEN)
        import.man = some_man(layout, roll >> 32, false);
    if (import.man < 0)
        import.where = IMPORT_ALL;
    const bool without = import.man >= 0 && import.man < layout->pieces;
    // Full planes tell nothing: whole slices of ones are rare.
    const bool none = (roll >> 40) % 5 == 0 && (import.where != IMPORT_ALL || !import.invert || roll >> 50 & 1);
    import.bits = none ? NULL : bench->slab[without][import.invert][(roll >> 44) % SLABS];
    return import;
}

static inline size_t make_imports(struct bench *bench, uint64_t seed)
{
    size_t count = 0;
    for (uint64_t slice = 0; slice < bench->layout.slices_used; slice++) {
        const uint64_t roll = mix(seed * SLICES_MAX + slice);
        const unsigned wanted = roll % 4 == 0 ? 0 : 1 + (unsigned)(roll % 5);
        for (unsigned i = 0; i < wanted; i++)
            bench->imports[count++] = some_import(bench, slice, mix(roll + i));
    }
    return count;
}

static inline bool any_import(struct bench *bench, size_t count, uint64_t index)
{
    const struct board board = board_of(&bench->layout, index);
    for (size_t i = 0; i < count; i++) {
        if (bench->imports[i].slice == board.slice && reference_import(&board, &bench->imports[i]))
            return true;
    }
    return false;
}

#endif
