// pattern_code.h - the codec of distances: each symbol by which of its neighbours it equals (context_code.h)
//
// The neighbours of a symbol have some *distinct values*, numbered in the order in which they first occur. The symbol
// is coded as a *choice*: the number of the distinct value that it equals, or, after these, the choice of a new value.
// The context is the *pattern* of the neighbours: their distinct values' numbers. Patterns are numbered in
// lexicographic order. A new value follows by itself, in the context of the class of the last neighbour's value.
//
// If outcomes are *given*, those of the same positions, each context is divided by the outcome. A *vacant* entry, which
// no legal position has (index/vacant.h), takes no bits: it repeats the last neighbour.
//
// Symbols are distances in plies or, if the longest does not fit, their places in *lists*, one for each outcome.
//
// The last neighbour is the symbol before, as a rule. The others are at least PATTERN_GROUP places before, so that
// their numbers are found for as many symbols at a time.
#ifndef CLTB_TABLE_PATTERN_CODE_H
#define CLTB_TABLE_PATTERN_CODE_H

#include "table/context_code.h"
#include "util/transpose.h"

// Here and in other units the first byte of a word in memory has its lowest bits.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "cltb does not run on big-endian processors");

enum {
    PATTERN_NEIGHBOURS_MAX = 7,
    PATTERNS_MAX = 877, // partitions of 7 neighbours
    PATTERN_SLOTS = 8,  // choices in the largest context
    CLASSES_MAX = 255,  // contexts of new values
    GIVEN_MAX = 5,      // outcomes
    VACANT = GIVEN_MAX, // given in place of an outcome
    NOT_PAIRED = 255,   // in place of the number of a stream of outcomes
    NEW_SYMBOLS_MAX = 255,
    PATTERN_GROUP = 8,
    OTHERS_MAX = PATTERN_NEIGHBOURS_MAX - 1,
    OTHER_PATTERNS_MAX = 203,
    PATTERN_LAST = 56, // where the last neighbour's value is in pattern.bytes
    OTHER_KEYS = 1 << OTHERS_MAX * (OTHERS_MAX - 1) / 2,
    PATTERN_CHOICES = 4140,                                  // of all patterns of 7 neighbours together
    PATTERN_HEADER = 2 + 2 + 2 * PATTERN_NEIGHBOURS_MAX + 1, // bytes of a model before its classes
    PATTERN_MODEL_MAX = PATTERN_HEADER + 1 + GIVEN_MAX * NEW_SYMBOLS_MAX +
                        2 * (ROW_CONTEXTS * ROW_KINDS + GIVEN_MAX * PATTERN_CHOICES + CLASSES_MAX * NEW_SYMBOLS_MAX) +
                        GIVEN_MAX * (1 + 2 * NEW_SYMBOLS_MAX)
};

// Distances that have a place, by outcome (enum cltb_outcome + 2), in rising order.
struct ply_lists {
    unsigned count[GIVEN_MAX];
    uint16_t ply[GIVEN_MAX][NEW_SYMBOLS_MAX];
};

// The place of a distance that is in the list of its outcome.
static inline unsigned ply_place(const struct ply_lists *lists, int outcome, int ply)
{
    unsigned place = 0;
    while (place + 1 < lists->count[outcome + 2] && lists->ply[outcome + 2][place] < ply)
        place++;
    return place;
}

// Where the slots of each choice begin; all after the last choice are 2^CONTEXT_SCALE_BITS.
struct pattern_slots {
    uint16_t start[PATTERN_SLOTS + 1];
    uint8_t distinct; // number of distinct values
    uint8_t likely;   // for the encoder: the most frequent choice of a distinct value
};

// A pattern of all neighbours but the last one, the others.
struct other_pattern {
    // By the first of the others that equals the last neighbour, or their number:
    uint16_t number[PATTERN_GROUP]; // that of the pattern of all neighbours
    uint8_t label[PATTERN_GROUP];   // the number of the last neighbour's value
    uint8_t shift[PATTERN_GROUP];   // [number] of a distinct value: where it is in pattern.bytes
};

struct pattern_model {
    unsigned others;               // number of neighbours but the last one
    uint16_t distance[OTHERS_MAX]; // of each of them; the rest repeat the first
    unsigned last;                 // distance of the last one
    uint8_t other_of[OTHER_KEYS];  // the number of the others' pattern by its key (pattern_keys())
    struct other_pattern other[OTHER_PATTERNS_MAX];
    unsigned patterns;              //
    uint8_t distinct[PATTERNS_MAX]; // number of distinct values
    bool paired;                    // outcomes are given;
    unsigned outcomes;              // their stream's number in the file
    unsigned given;                 // 1; with outcomes GIVEN_MAX
    struct pattern_slots slots[GIVEN_MAX][PATTERNS_MAX];
    const struct pattern_slots *by_given[GIVEN_MAX]; // the same
    // For the encoder: the shift of the values for the likely one, by the others' pattern and `found` of the pattern
    uint8_t likely[GIVEN_MAX][OTHER_PATTERNS_MAX][PATTERN_GROUP];
    unsigned classes;
    uint8_t class_of[GIVEN_MAX][256];                 // of each value of the last neighbour
    uint16_t start[CLASSES_MAX][NEW_SYMBOLS_MAX + 1]; // where each new value's slots begin
    bool listed;                                      // Are symbols places in these lists, not plies?
    struct ply_lists lists;
};

// What is known of some symbols before the first of them is decoded.
struct pattern_group {
    uint64_t bytes[PATTERN_GROUP]; // the values of the others, byte n that of neighbour n; byte 7 is 0
    uint8_t other[PATTERN_GROUP];  // their pattern
};

// The first of the eight bytes of `bytes` that is `value`; `most` if it is not among the first `most` (0..7).
static inline unsigned pattern_find(uint64_t bytes, uint8_t value, unsigned most)
{
#ifdef __SSE2__
    typedef char chars __attribute__((vector_size(sizeof(transpose_two))));
    const chars equal = (chars)((transpose_sixteen)(transpose_two){bytes} == value);
    return (unsigned)__builtin_ctz((unsigned)__builtin_ia32_pmovmskb128(equal) | 1U << most);
#else
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t other = bytes ^ UINT64_C(0x0101010101010101) * value;
    const uint64_t zero = ~(((other & low) + low) | other | low); // bit 7 of each byte that is zero
    return (unsigned)__builtin_ctzll(zero | UINT64_C(0x80) << 8 * most) / 8;
#endif
}

struct pattern {
    const struct other_pattern *other;
    unsigned found; // the first of the others that equals the last neighbour, or their number
    unsigned number;
    uint64_t bytes; // the values of the others, and in byte 7 that of the last neighbour
};

// The keys of the others' patterns: a bit for each two of them, set if they are equal. Byte i of value[n] is the value
// of neighbour n for symbol i.
static inline void pattern_keys(const uint64_t value[OTHERS_MAX], uint16_t key[PATTERN_GROUP])
{
    const transpose_sixteen of01 = (transpose_sixteen)(transpose_two){value[0], value[1]};
    const transpose_sixteen of12 = (transpose_sixteen)(transpose_two){value[1], value[2]};
    const transpose_sixteen of23 = (transpose_sixteen)(transpose_two){value[2], value[3]};
    const transpose_sixteen of34 = (transpose_sixteen)(transpose_two){value[3], value[4]};
    const transpose_sixteen of45 = (transpose_sixteen)(transpose_two){value[4], value[5]};
    const transpose_sixteen of50 = (transpose_sixteen)(transpose_two){value[5], value[0]};
    const transpose_sixteen first = (transpose_sixteen)(transpose_two){UINT64_MAX, 0}; // 0 and 3 have another bit
    const transpose_sixteen equal =
        ((transpose_sixteen)(of01 == of12) & 1) | ((transpose_sixteen)(of01 == of23) & 2) |
        ((transpose_sixteen)(of01 == of34) & 4) | ((transpose_sixteen)(of01 == of45) & 8) |
        ((transpose_sixteen)(of23 == of34) & 16) | ((transpose_sixteen)(of23 == of45) & 32) |
        ((transpose_sixteen)(of45 == of50) & 64) | ((transpose_sixteen)(of23 == of50) & 128 & first);
    const transpose_sixteen keys =
        TRANSPOSE_SHUFFLE(equal, equal, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    memcpy(key, &keys, sizeof keys);
}

// Looks at the symbols before the PATTERN_GROUP symbols at `at`.
static inline void pattern_group_make(const struct pattern_model *model, const uint8_t *at, struct pattern_group *group)
{
    uint16_t key[PATTERN_GROUP];
    uint64_t value[PATTERN_GROUP] = {0};
#pragma GCC unroll 6
    for (unsigned n = 0; n < OTHERS_MAX; n++)
        memcpy(&value[n], at - model->distance[n], sizeof value[n]);
    pattern_keys(value, key);
    transpose_bytes(value, group->bytes);
#pragma GCC unroll 8
    for (unsigned i = 0; i < PATTERN_GROUP; i++)
        group->other[i] = model->other_of[key[i]];
}

// Are all symbols of a group vacant?
static inline bool pattern_group_vacant(const uint8_t given[PATTERN_GROUP])
{
    uint64_t eight;
    memcpy(&eight, given, sizeof eight);
    return eight == UINT64_C(0x0101010101010101) * VACANT;
}

// The pattern of a symbol of a group whose last neighbour has the value `last`.
static inline struct pattern pattern_of(const struct pattern_model *model, const struct pattern_group *group,
                                        unsigned i, uint8_t last)
{
    const struct other_pattern *other = &model->other[group->other[i]];
    const unsigned found = pattern_find(group->bytes[i], last, model->others);
    return (struct pattern){other, found, other->number[found], group->bytes[i] | (uint64_t)last << PATTERN_LAST};
}

// The distinct value with that number.
static inline uint8_t pattern_value(struct pattern pattern, unsigned choice)
{
    return (uint8_t)(pattern.bytes >> pattern.other->shift[choice]);
}

// The choice of a symbol.
static inline unsigned pattern_choice(const struct pattern_model *model, struct pattern pattern, uint8_t symbol)
{
    const unsigned found = pattern_find(pattern.bytes, symbol, model->others);
    if (found < model->others || symbol == pattern.bytes >> PATTERN_LAST)
        return pattern.other->label[found];
    return model->distinct[pattern.number];
}

// Makes model->patterns, without frequencies; false if the neighbours are out of range or there is no memory.
bool pattern_model_make(struct context_model *model);

// Reads a model that has been decompressed, as context_model_read().
bool pattern_model_read(struct context_model *model, const uint8_t *raw, size_t bytes);
void pattern_model_free(struct pattern_model *model);

// A row to decode.
struct pattern_row {
    struct context_decoder *decoder;
    uint8_t *to;          // follows earlier rows
    const uint8_t *given; // [length] outcomes, or zeros, or VACANT
    size_t length;
};

enum { PATTERN_ROWS = 4 };

// Decodes 1..PATTERN_ROWS rows of different units. All together take little longer than one, because no symbol waits
// for those of other units.
void pattern_decode_rows(const struct pattern_model *model, const struct pattern_row *row, unsigned rows);

#endif
