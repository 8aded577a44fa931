// launch.h - what a launch tells its kernel besides its buffers, for OpenCL C and C11
//
// Structs are passed by value. Their fields have fixed widths and stand in falling order of size, so that the host's
// compiler and the device's lay them out alike. Sets of men are bitmaps of the kernels' numbers for men (tile.h).
#ifndef CLTB_KERNELS_LAUNCH_H
#define CLTB_KERNELS_LAUNCH_H

#include "types.h"

enum {
    FIXED_STRIDE = 16, // bytes of a slice in fixed[]
    KING_STEPS = 9,    // bytes of a square in kings[]
    OVERLAPS_MEN = 24, // at most
    RUN_WORDS = 4,     // consecutive words of a tile, which an item of `overlaps`, `import` and `king_moves` does

    SWEEP_INVERT = 1, // read ~in
    SWEEP_STORE = 2,  // out = instead of out |=: zeros are written, too
    SWEEP_ATTACK = 4, // `in` is not read, but taken as 1 where the target stands
    SWEEP_KINGS = 8,  // with SWEEP_ATTACK: the piece is the white king, but the attacker is its target, the black king

    REACH_ALL = 1,   // every tile is wanted
    REACH_EXTRA = 2, // extra[] is used
    REACH_STALE = 4, // fresh[] is unreliable: any tile may hold old bits

    STEP_COUNTERS = 1024, // words over which the count of a step's bits is spread, and as many for their weights

    FINISH_INVERT = 1,
    FINISH_EXTRA = 2,
    RECORD_PLANES = 4, // planes that one launch of `record` adds to

    IMPORT_INVERT = 1, // take ~sub
    IMPORT_EMPTY = 2,  // there is no sub[]: it counts as zero

    // An import of a slab: man | square << SLAB_AT_SHIFT | one of the three kinds << SLAB_WHERE_SHIFT | ...
    SLAB_AT_SHIFT = 8,
    SLAB_WHERE_SHIFT = 16,
    SLAB_ALL = 0, // every entry, except those with a piece on a square that must be empty
    SLAB_TAKEN = 1,
    SLAB_AT = 2,
    SLAB_INVERT = 1 << 24,  // take ~slab
    SLAB_EMPTY = 1 << 25,   // there is no slab: it counts as zero
    SLAB_WITHOUT = 1 << 26, // the slab lacks the man

    SYMBOL_PLANES = 12,   // at most: ten of distances, `won`, `resolved`
    SYMBOL_GROUPS = 8,    // of men, at most
    SYMBOL_RUN = 4,       // entries
    SYMBOLS_WIDE = 1,     // symbols of two bytes
    SYMBOLS_DIAGONAL = 2, // the black king stands on the diagonal a1-h8
    SYMBOLS_COUNT = 4,
    SYMBOLS_VACANT = 8, // vacant entries are marked
    KEPT_NOT = 0,       // not kept: its mirror image is
    KEPT_AS_IT_IS = 1,
    KEPT_SMALLER = 2,
    COUNT_SHIFT = 8,    // of what an entry counts as, above its symbol
    COUNT_OUTCOMES = 5, //
    COUNT_BITS = 6,     // for each outcome in an item's counts
    COUNT_NOT = 31,     // an entry that counts as nothing; the only odd number
    COUNT_STRIDE = 8,   // uints in a group of counters
    COUNT_GROUPS = 64,

    PICK_BITS = 11, // of a code, on one side: ten distance planes, `won`
    PICK_CODES = 1 << PICK_BITS,
    PICK_NONE = 0xff, // no plane

    // Coding: units of symbols, rows of a unit, bytes of a word (table/context_code.h).
    CODE_UNIT = 8192,
    CODE_ROW = 64,
    CODE_WORDS = CODE_UNIT / 8,
    CODE_ROW_WORDS = CODE_ROW / 8,
    CODE_ROWS = CODE_UNIT / CODE_ROW,
    CODE_TOKENS = 2 * CODE_UNIT + CODE_ROWS + 4, // words of a unit's tokens, the first of which is left free
    CODE_NEIGHBOURS = 8,
    CODE_OTHERS = 6,             // of distances: neighbours but the last one
    CODE_SYMBOL_ALIKE = 1 << 30, // a unit that consists of the symbol (index) in the lowest bits, which has no tokens
    CODE_SYMBOL_BAD = 1 << 29,   // a unit with a symbol that the model does not have
    CODE_ITEMS = 64,             // that bring a unit's bytes to their place
    CODE_NONE = 0xffff,          // in place of a type of men

    // Words of the tables of a model: tokens of rows by context (4 words each); then, of distances, the numbers of the
    // others' patterns by key (4 to a word); by pattern, 8 words each, what follows for each first one that equals the
    // last neighbour; the choice by first one that equals the symbol, 4 bits each; tokens by pattern of all (8 words
    // each); classes (4 to a word); tokens of new values, by class. Or, of outcomes, tokens by context, 8 words each,
    // of which word CODE_LIKELY has the most frequent indices.
    CODE_TABLE_KEYS = 4 * 27,
    CODE_TABLE_PATTERNS = CODE_TABLE_KEYS + (1 << 15) / 4,
    CODE_TABLE_LABELS = CODE_TABLE_PATTERNS + 8 * 203,
    CODE_TABLE_CHOICES = CODE_TABLE_LABELS + 203,
    CODE_TABLE_CLASSES = CODE_TABLE_CHOICES + 8 * 877,
    CODE_TABLE_NEW = CODE_TABLE_CLASSES + 256 / 4,
    CODE_TABLE_CONTEXTS = CODE_TABLE_KEYS,
    CODE_LIKELY = 7,

    // Fields of a word by pattern: its number, the byte of the most frequent value, its choice, the number of choices.
    PATTERN_BYTE_SHIFT = 10,
    PATTERN_CHOICE_SHIFT = 14,
    PATTERN_DISTINCT_SHIFT = 18
};

// The layout as the kernels see it, which is the same in all launches, and where a window's digits are (tile.h).
struct table_shape {
    u32_t pieces;     // k
    u32_t placed;     // n: the pieces with a u digit
    u32_t pair;       // 1 if the two highest digits are a pair's
    u32_t fixed;      // men without a digit
    u32_t slices;     // without padding
    u32_t locals;     // tiles in a block of the window; 0: no window
    u32_t king_tiles; // tiles of a plane from one square of the black king to the next
    u32_t places;     // 4 bits for each digit: the octal digits below it, or below its pair, in a tile's place
};

struct sweep_launch {
    u64_t items;
    u32_t first_tile; // tile of the whole table at which in[] and out[] begin; 0 in a window
    u32_t digit;      // the piece's
    u32_t blockers;   // set of men
    u32_t enemies;    // set of men, for attacks only
    u32_t target;     // likewise
    u32_t mode;       // SWEEP_*
};

struct king_launch {
    u64_t items;
    u32_t from_first; // square of the black king at which in[] begins
    u32_t from_count; // squares in in[]
    u32_t to_first;   // likewise for out[]
    u32_t to_count;
    u32_t mode; // SWEEP_INVERT, SWEEP_STORE
};

struct reach_launch {
    u32_t tiles;
    u32_t movers; // bit q: digit q moves; bit `placed`: the black king does
    u32_t mode;   // REACH_*
    u32_t first_counter;
};

// For `finish` and `record`.
struct finish_launch {
    u64_t items;
    u64_t alike;      // of finish: bit n: the two men of pair number n have the same u digit
    u32_t first_tile; // tile of the whole table at which the planes' parts begin
    u32_t tile_shift; // a tile has 2^tile_shift items
    u32_t mode;       // of finish: FINISH_*
    u32_t planes;     // of record
    u32_t first_counter;
    u32_t king_tiles; // of finish, as in table_shape; 0: every tile weighs 1
    u32_t diagonal;   // of finish: bit n: square n of the black king is on the diagonal
    u32_t pair_shift; // of finish: the pair's number in a tile's number, if `alike` is not ~0
};

struct overlaps_launch {
    u64_t items;
    u32_t first_tile;
    u32_t pairs[OVERLAPS_MEN]; // bit q of pairs[p], p < q: the pair counts
};

struct import_launch {
    u64_t first_word; // of plane[]
    u64_t end_word;
    u32_t first_tile; // tile of the whole table at which plane[] begins
    u32_t first_sub;  // tile at which sub[] begins; in a window: the place of its first tile in plane[]
    u32_t sub_pieces;
    u32_t captured; // digit
    u32_t enemies;  // set of men that may have captured it
    u32_t mode;     // IMPORT_*
};

// For `entry_symbols`.
struct symbols_launch {
    u64_t base;        // bit in the planes' part
    u32_t first;       // entry
    u32_t items;       //
    u32_t runs;        // of SYMBOL_RUN entries, in an item: 2 with SYMBOLS_VACANT
    u32_t mode;        // SYMBOLS_*
    u32_t planes;      //
    u32_t groups;      // innermost first
    u32_t king_stride; // the white king's
    u32_t king_size;
    u32_t size[SYMBOL_GROUPS];
    u32_t stride[SYMBOL_GROUPS];
    u32_t at[SYMBOL_GROUPS]; // in place[] and mirror[]
};

// For `block_symbols`. Digits are the men's (tile.h).
struct block_launch {
    u32_t first_tile; // of the black king's square, in the planes' part
    u32_t mode;       // SYMBOLS_*
    u32_t planes;
    u32_t inner;                 // digit of the innermost man
    u32_t king;                  // of the white king
    u32_t row_bits;              // a block has 2^row_bits rows of four runs
    u32_t groups;                // but the innermost one
    u32_t digits[SYMBOL_GROUPS]; // of a group's men, 4 bits each, with 15 behind them
    u32_t at[SYMBOL_GROUPS];     // in parts[]: the men's codes, the first man's lowest, 6 bits each
};

// For `vacant_entries`.
struct vacant_launch {
    u32_t first; // entry
    u32_t items;
    u32_t groups;          // as in symbols_launch
    u32_t king;            // group of the white king
    u32_t black;           // group of the black king
    u32_t white;           // 1 if White is to move
    u32_t slices;          //
    u32_t first_slice;     // that of entry 0
    u32_t per_slice;       // entries
    u32_t pawns;           //
    u32_t attackers_first; // of the pawns, those of the side to move
    u32_t attackers;
    u32_t size[SYMBOL_GROUPS];
    u32_t stride[SYMBOL_GROUPS];
    u32_t at[SYMBOL_GROUPS];    // in squares[]
    u32_t count[SYMBOL_GROUPS]; // men
    u32_t type[SYMBOL_GROUPS];  // of the men of the side to move, but not the king; else CODE_NONE
};

// For the other kernels of code.cl; all but the first two fields depend on the model alone.
struct code_launch {
    u32_t units;
    u32_t rows; // of all units
    u32_t copied;
    u32_t symbols;
    u32_t last;                      // distances: how far before the last neighbour is
    u32_t others;                    // the other neighbours; of outcomes those 8 places before and farther
    u32_t nears;                     // of outcomes, nearer ones
    u32_t distance[CODE_NEIGHBOURS]; // of the others, and then the nearer ones; of distances CODE_OTHERS in any case
    u32_t weight[CODE_NEIGHBOURS];   // of outcomes
};

// For `pick_words`.
struct pick_launch {
    u32_t first;               // word of the piece
    u32_t items;               // words
    u32_t stride;              // words from one plane to the next
    u32_t room;                // words in the list
    u32_t planes;              // that the list takes
    u32_t slot[2 * PICK_BITS]; // which of them has a bit of White's code, then Black's; PICK_NONE: it is always 0
};

struct pawns_launch {
    u64_t items;
    u32_t first_tile;
    u32_t pawns;   // set of men
    u32_t enemies; // set of men
    u32_t king;    // digit of the enemy king
};

#endif
