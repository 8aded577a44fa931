// code.cl - from symbols to the code of a table file (docs/format.md, table/write/context_encode.h)
//
//     symbol_sets       turns outcomes that come from the host into what follows
//     vacant_entries    a bit for each entry of a table with pawns, set if no legal position has it (index/vacant.h)
//     plan_distances    symbols to tokens: each row gets its kind, each don't-care of a coded row a symbol, each symbol
//     plan_outcomes     that is coded its slots. What each unit becomes is the same as on the processor.
//     code_units        tokens to bytes, from the last token to the first
//     pack_units        the bytes of some units one after the other
//
// The symbols lie in the file's order; of outcomes a byte is the set of indices that the symbol may have. As all units
// are at the same place at the same time, the indices chosen lie side by side: word w of unit u at w * units + u.
// Tokens are few, and lie unit by unit; the first of the CODE_TOKENS words is free, so that the code, which is written
// from the end of the tokens on downwards, at most 2 bytes for each of 4, and 4 in the end, never meets a token that
// has not been read.
//
// Example: a unit of which all symbols but a few are don't-cares has tokens for 128 rows, most of them of the kind
// `repeat`, and some hundred tokens of rows that are coded; its code takes less than a hundred bytes.
//
// Index space: an item is 4 symbols (symbol_sets), 32 entries (vacant_entries) or one unit; of pack_units, CODE_ITEMS
// items are one unit, 2 B each, then the next. Any work-group shape, no local memory. Bytes of a unit: plan_* read 8192
// twice, and in coded rows 16 for each neighbour and 8 symbols, write 8192 and 4 for each token, and look up 4 to 20
// for each symbol that is coded; code_units reads 4 for each token. Operations: some 100 for a symbol that is coded.
#include "launch.h"

#define EVERY ((ulong)0x0101010101010101) // times a byte: eight of them
#define LOW7  (0x7f * EVERY)
#define HIGH  (0x80 * EVERY)

enum { KING_TYPE, PAWN_TYPE = 5 }; // in reach[]; Black's pawns are number 6

// ---- vacant entries ----

// Adds men to the occupied squares; returns whether one of these was already occupied.
static inline bool put_men(ulong *occupied, uint squares, uint count)
{
    bool twice = false;
    for (uint n = 0; n < count; n++) {
        const ulong bit = (ulong)1 << (squares >> 8 * n & 63);
        twice |= (*occupied & bit) != 0;
        *occupied |= bit;
    }
    return twice;
}

// Does a man of a group give check? reach[(type * 64 + from) * 64 + to]: the squares between that must be empty, or all
// bits if the type cannot go there.
static inline bool gives_check(global const ulong *reach, uint type, uint squares, uint count, uint target,
                               ulong occupied)
{
    bool check = false;
    for (uint n = 0; n < count; n++)
        check |= (reach[(type * 64 + (squares >> 8 * n & 63)) * 64 + target] & occupied) == 0;
    return check;
}

// slices[]: the squares of the pawns, a byte each, and whether the white king must stand on files a-d.
kernel void vacant_entries(global const uint *squares, global const ulong *reach, global const uint2 *slices,
                           global uint *vacant, const struct vacant_launch launch)
{
    const uint item = (uint)get_global_id(0);
    if (item >= launch.items)
        return;
    uint result = 0;
    ulong fixed = 0;
    const uint slice = launch.first_slice + (launch.first + 32 * item) / launch.per_slice;
    if (slice >= launch.slices) {
        vacant[item] = 0xffffffff;
        return;
    }
    const uint pawns = slices[slice].x;
    const ulong white_king = slices[slice].y != 0 ? 0x0f * EVERY : 0xff * EVERY;
    put_men(&fixed, pawns, launch.pawns);
    for (uint at = 0; at < 32; at += SYMBOL_RUN) {
        const uint entry = launch.first + 32 * item + at;
        uint men[SYMBOL_GROUPS];
        ulong stand = fixed; // all men but those of the innermost group
        bool twice = false;
#pragma unroll
        for (uint g = 1; g < SYMBOL_GROUPS; g++) {
            men[g] = 0;
            if (g < launch.groups) {
                men[g] = squares[launch.at[g] + entry / launch.stride[g] % launch.size[g]];
                twice |= put_men(&stand, men[g], launch.count[g]);
            }
        }
#pragma unroll 1
        for (uint j = 0; j < SYMBOL_RUN; j++) {
            men[0] = squares[launch.at[0] + entry % launch.size[0] + j];
            ulong occupied = stand;
            bool no = twice | put_men(&occupied, men[0], launch.count[0]);
            uint king = 0;
            uint black = 0;
#pragma unroll
            for (uint g = 0; g < SYMBOL_GROUPS; g++) {
                king = g == launch.king ? men[g] : king;
                black = g == launch.black ? men[g] : black;
            }
            const uint target = launch.white ? black : king;
            no |= (white_king >> king & 1) == 0 || gives_check(reach, KING_TYPE, king, 1, black, occupied) ||
                  gives_check(reach, PAWN_TYPE + 1 - launch.white, pawns >> 8 * launch.attackers_first,
                              launch.attackers, target, occupied);
#pragma unroll
            for (uint g = 0; g < SYMBOL_GROUPS; g++) {
                if (g < launch.groups && launch.type[g] != CODE_NONE)
                    no |= gives_check(reach, launch.type[g], men[g], launch.count[g], target, occupied);
            }
            result |= (no ? 1U : 0U) << (at + j);
        }
    }
    vacant[item] = result;
}

// ---- symbols of the host ----

// Turns symbols into the sets of indices that they may have.
kernel void symbol_sets(global uint *symbol, global const uint *sets, const uint items)
{
    const uint item = (uint)get_global_id(0);
    if (item >= items)
        return;
    uint four = 0;
    for (uint i = 0; i < 4; i++) {
        const uint byte = symbol[item] >> 8 * i & 0xff;
        four |= (sets[byte >> 2] >> 8 * (byte & 3) & 0xff) << 8 * i;
    }
    symbol[item] = four;
}

// ---- words of eight symbols ----

// 0x80 in each byte that is equal.
static inline ulong equal_bytes(ulong a, ulong b)
{
    const ulong other = a ^ b;
    return ~(((other & LOW7) + LOW7) | other | LOW7);
}

// Zero before the beginning of a unit.
static inline ulong word_at(global const ulong *chosen, uint units, int word)
{
    return word < 0 ? 0 : chosen[(uint)word * units];
}

// The eight indices that begin `distance` places, 8 or more, before place `at` of a unit.
static inline ulong eight_before(global const ulong *chosen, uint units, uint at, uint distance)
{
    const int place = (int)at - (int)distance;
    const uint shift = 8 * ((uint)place & 7);
    const ulong low = word_at(chosen, units, place >> 3);
    const ulong high = shift > 0 ? word_at(chosen, units, (place >> 3) + 1) : 0;
    return low >> shift | (high << 1) << (63 - shift);
}

// The index that is `distance` places, 1 to 7, before number i of the word `now`, which follows the word `before`.
static inline uint one_before(ulong before, ulong now, uint i, uint distance)
{
    return (uint)(i >= distance ? now >> 8 * (i - distance) : before >> 8 * (8 + i - distance)) & 0xff;
}

static inline uint byte_of(ulong word, uint i)
{
    return (uint)(word >> 8 * i) & 0xff;
}

static inline uint byte_in(global const uint *table, uint i)
{
    return table[i >> 2] >> 8 * (i & 3) & 0xff;
}

// ---- rows ----

enum { REPEAT, COPY, CODED };

// The kinds of the last 64 rows, two bits each, the latest in the lowest ones.
struct kinds {
    ulong low;
    ulong high;
};

static inline void add_kind(struct kinds *kinds, uint kind)
{
    kinds->high = kinds->high << 2 | kinds->low >> 62;
    kinds->low = kinds->low << 2 | kind;
}

static inline uint row_context(struct kinds kinds)
{
    return ((uint)(kinds.low & 3) * 3 + (uint)(kinds.low >> 14 & 3)) * 3 + (uint)(kinds.high >> 62);
}

// What an item knows of its unit.
struct unit {
    global const ulong *wanted; // [CODE_WORDS]
    global ulong *chosen;       // word w at w * units
    uint units;
    uint rows;
    global uint *token; // for the next one
    struct kinds kinds;
    ulong before; // the last word chosen
    bool bad;     // Is there a symbol that the model does not have?
};

static inline struct unit unit_begin(uint number, const struct code_launch *launch, global const ulong *symbol,
                                     global ulong *chosen, global uint *token)
{
    const uint left = launch->rows - CODE_ROWS * number;
    struct unit unit;
    unit.wanted = symbol + (size_t)number * CODE_WORDS;
    unit.chosen = chosen + number;
    unit.units = launch->units;
    unit.rows = left < CODE_ROWS ? left : CODE_ROWS;
    unit.token = token + (size_t)number * CODE_TOKENS + 1;
    unit.kinds.low = unit.kinds.high = 0;
    unit.before = 0;
    unit.bad = false;
    return unit;
}

// Ends a row of the kind COPY or REPEAT, which gets the words copied[], or its last index again and again.
static inline void end_row(struct unit *unit, uint row, uint kind, const ulong copied[CODE_ROW_WORDS])
{
    const ulong same = (unit->before >> 56) * EVERY;
#pragma unroll
    for (uint w = 0; w < CODE_ROW_WORDS; w++) {
        unit->before = kind == COPY ? copied[w] : same;
        unit->chosen[(row * CODE_ROW_WORDS + w) * unit->units] = unit->before;
    }
}

// The kind of a row that may repeat, copy or neither, with its token.
static inline uint choose_kind(struct unit *unit, global const uint *table, bool repeat, bool copy)
{
    const bool copied = copy && (!repeat || (unit->kinds.low & 3) == COPY);
    const uint kind = copied ? COPY : repeat ? REPEAT : CODED;
    *unit->token++ = table[4 * row_context(unit->kinds) + kind];
    add_kind(&unit->kinds, kind);
    return kind;
}

static inline void unit_end(const struct unit *unit, uint number, global const uint *token, global uint2 *size)
{
    const uint tokens = (uint)(unit->token - (token + (size_t)number * CODE_TOKENS + 1));
    size[number] = (uint2)(unit->bad ? CODE_SYMBOL_BAD : tokens, 0);
}

// ---- distances ----

#define ANY (0xff * EVERY)

// The first of the bytes 0..most-1 that is `value`, or `most`.
static inline uint find_byte(ulong bytes, uint value, uint most)
{
    return LOWEST_BIT(equal_bytes(bytes, value * EVERY) | (ulong)0x80 << 8 * most) >> 3;
}

// The symbol that all symbols of a unit may be: it, 0 if all are don't-cares, or CODE_SYMBOL_BAD.
static inline uint distance_common(const struct unit *unit)
{
    ulong all = ANY; // eight times the symbol, as soon as it is known
    for (uint w = 0; w < unit->rows * CODE_ROW_WORDS; w++) {
        const ulong word = unit->wanted[w];
        const ulong set = ~equal_bytes(word, ANY) & HIGH;
        if (all == ANY && set != 0)
            all = byte_of(word, LOWEST_BIT(set) >> 3) * EVERY;
        if ((set & ~equal_bytes(word, all)) != 0)
            return CODE_SYMBOL_BAD;
    }
    return all == ANY ? 0 : (uint)all & 0xff;
}

// For each two of the six neighbours a mask of the symbols for which they are equal: bit n of byte i of keys[0] or [1]
// is bit n or 8 + n of the key of symbol i (pattern_keys()).
static inline void pattern_keys(const ulong value[CODE_OTHERS], ulong keys[2])
{
    keys[0] = equal_bytes(value[0], value[1]) >> 7 | equal_bytes(value[0], value[2]) >> 6 |
              equal_bytes(value[0], value[3]) >> 5 | equal_bytes(value[0], value[4]) >> 4 |
              equal_bytes(value[2], value[3]) >> 3 | equal_bytes(value[2], value[4]) >> 2 |
              equal_bytes(value[4], value[5]) >> 1 | equal_bytes(value[2], value[5]);
    keys[1] = equal_bytes(value[1], value[2]) >> 7 | equal_bytes(value[1], value[3]) >> 6 |
              equal_bytes(value[1], value[4]) >> 5 | equal_bytes(value[1], value[5]) >> 4 |
              equal_bytes(value[3], value[4]) >> 3 | equal_bytes(value[3], value[5]) >> 2 |
              equal_bytes(value[5], value[0]) >> 1;
}

// Eight symbols of a coded row, as pattern_code_row().
static inline void code_distances(struct unit *unit, uint at, uint vacant, global const uint *table,
                                  const struct code_launch *launch)
{
    const ulong wanted = unit->wanted[at / 8];
    ulong value[CODE_OTHERS];
    ulong keys[2];
    ulong now = 0;
#pragma unroll
    for (uint n = 0; n < CODE_OTHERS; n++)
        value[n] = eight_before(unit->chosen, unit->units, at, launch->distance[n]);
    const ulong lasts = launch->last >= 8 ? eight_before(unit->chosen, unit->units, at, launch->last) : 0;
    pattern_keys(value, keys);
#pragma unroll
    for (uint i = 0; i < 8; i++) {
        const uint want = byte_of(wanted, i);
        const uint last = launch->last >= 8 ? byte_of(lasts, i) : one_before(unit->before, now, i, launch->last);
        uint symbol = last;
        if ((vacant >> i & 1) != 0) {
            unit->bad |= want != 0xff;
        } else {
            const uint other = byte_in(table + CODE_TABLE_KEYS, byte_of(keys[0], i) | byte_of(keys[1], i) << 8);
            ulong bytes = (ulong)last << 56;
#pragma unroll
            for (uint n = 0; n < CODE_OTHERS; n++)
                bytes |= (ulong)byte_of(value[n], i) << 8 * n;
            const uint found = find_byte(bytes, last, launch->others);
            const uint pattern = table[CODE_TABLE_PATTERNS + 8 * other + found];
            const uint distinct = pattern >> PATTERN_DISTINCT_SHIFT;
            uint choice = pattern >> PATTERN_CHOICE_SHIFT & 7;
            symbol = byte_of(bytes, pattern >> PATTERN_BYTE_SHIFT & 7);
            if (want != 0xff) {
                const uint same = find_byte(bytes, want, launch->others);
                symbol = want;
                choice =
                    same < launch->others || want == last ? table[CODE_TABLE_LABELS + other] >> 4 * same & 7 : distinct;
                unit->bad |= want >= launch->symbols;
            }
            const uint number = pattern & ((1 << PATTERN_BYTE_SHIFT) - 1);
            *unit->token++ = table[CODE_TABLE_CHOICES + 8 * number + choice];
            if (choice == distinct && want < launch->symbols) {
                const uint new_class = byte_in(table + CODE_TABLE_CLASSES, last);
                *unit->token++ = table[CODE_TABLE_NEW + new_class * launch->symbols + want];
            }
        }
        now |= (ulong)symbol << 8 * i;
    }
    unit->chosen[at / 8 * unit->units] = now;
    unit->before = now;
}

kernel void plan_distances(global const ulong *symbol, global const uint2 *vacant, global ulong *chosen,
                           global uint *token, global uint2 *size, global const uint *table,
                           const struct code_launch launch)
{
    const uint number = (uint)get_global_id(0);
    if (number >= launch.units)
        return;
    struct unit unit = unit_begin(number, &launch, symbol, chosen, token);
    const uint common = distance_common(&unit);
    if (common != CODE_SYMBOL_BAD) {
        size[number] = (uint2)(common < launch.symbols ? CODE_SYMBOL_ALIKE | common : CODE_SYMBOL_BAD, 0);
        return;
    }
    for (uint row = 0; row < unit.rows; row++) {
        const ulong same = (unit.before >> 56) * EVERY;
        ulong copied[CODE_ROW_WORDS];
        ulong repeats = HIGH;
        ulong copies = HIGH;
#pragma unroll
        for (uint w = 0; w < CODE_ROW_WORDS; w++) {
            const ulong word = unit.wanted[row * CODE_ROW_WORDS + w];
            const ulong any = equal_bytes(word, ANY);
            copied[w] = eight_before(unit.chosen, unit.units, row * CODE_ROW + 8 * w, launch.copied);
            repeats &= any | equal_bytes(word, same);
            copies &= any | equal_bytes(word, copied[w]);
        }
        const uint kind = choose_kind(&unit, table, repeats == HIGH, copies == HIGH);
        if (kind != CODED) {
            end_row(&unit, row, kind, copied);
            continue;
        }
        const uint2 marks = vacant[(size_t)number * CODE_ROWS + row];
#pragma unroll 1
        for (uint w = 0; w < CODE_ROW_WORDS; w++)
            code_distances(&unit, row * CODE_ROW + 8 * w, (w < 4 ? marks.x : marks.y) >> 8 * (w & 3) & 0xff, table,
                           &launch);
    }
    unit_end(&unit, number, token, size);
}

// ---- outcomes ----

// Eight symbols of a coded row, as outcome_code_row().
static inline void code_outcomes(struct unit *unit, uint at, ulong all, global const uint *table,
                                 const struct code_launch *launch)
{
    const ulong shorts = (ulong)0x00ff00ff00ff00ff;
    const ulong sets = unit->wanted[at / 8] & all;
    ulong even = 0; // shares of farther neighbours in the contexts of the symbols 0, 2, 4 and 6, in 16 bits each
    ulong odd = 0;
    ulong now = 0;
#pragma unroll
    for (uint n = 0; n < CODE_NEIGHBOURS; n++) {
        if (n < launch->others) {
            const ulong index = eight_before(unit->chosen, unit->units, at, launch->distance[n]);
            even += (index & shorts) * launch->weight[n];
            odd += (index >> 8 & shorts) * launch->weight[n];
        }
    }
#pragma unroll
    for (uint i = 0; i < 8; i++) {
        const uint set = byte_of(sets, i);
        uint context = (uint)((i & 1 ? odd : even) >> 16 * (i / 2)) & 0xffff;
        for (uint n = launch->others; n < launch->others + launch->nears; n++)
            context += launch->weight[n] * one_before(unit->before, now, i, launch->distance[n]);
        global const uint *slots = table + CODE_TABLE_CONTEXTS + 8 * context;
        uint index = 31 - (uint)clz(set | 1);
        if ((set & (set - 1)) != 0)
            index = slots[CODE_LIKELY] >> (set != byte_of(all, 0) ? 8 : 0) & 0xff;
        unit->bad |= set == 0;
        *unit->token++ = slots[index];
        now |= (ulong)index << 8 * i;
    }
    unit->chosen[at / 8 * unit->units] = now;
    unit->before = now;
}

// Bit 0 of each byte of a word of sets that have the index in the same byte of `index`.
static inline ulong sets_with(ulong sets, ulong index, uint symbols)
{
    ulong with = 0;
    for (uint s = 0; s < symbols; s++)
        with |= equal_bytes(index, s * EVERY) >> 7 & sets >> s;
    return with;
}

kernel void plan_outcomes(global const ulong *symbol, global ulong *chosen, global uint *token, global uint2 *size,
                          global const uint *table, const struct code_launch launch)
{
    const uint number = (uint)get_global_id(0);
    if (number >= launch.units)
        return;
    const ulong all = ((1U << launch.symbols) - 1) * EVERY;
    struct unit unit = unit_begin(number, &launch, symbol, chosen, token);
    ulong common = all;
    for (uint w = 0; w < unit.rows * CODE_ROW_WORDS && common != 0; w++)
        common &= unit.wanted[w];
    common &= common >> 32;
    common &= common >> 16;
    common = (common & common >> 8) & 0xff;
    if (common != 0) {
        size[number] = (uint2)(CODE_SYMBOL_ALIKE | LOWEST_BIT(common), 0);
        return;
    }
    for (uint row = 0; row < unit.rows; row++) {
        const uint same = (uint)(unit.before >> 56);
        ulong copied[CODE_ROW_WORDS];
        ulong repeats = EVERY;
        ulong copies = EVERY;
#pragma unroll
        for (uint w = 0; w < CODE_ROW_WORDS; w++) {
            const ulong sets = unit.wanted[row * CODE_ROW_WORDS + w];
            copied[w] = eight_before(unit.chosen, unit.units, row * CODE_ROW + 8 * w, launch.copied);
            repeats &= sets >> same;
            copies &= sets_with(sets, copied[w], launch.symbols);
        }
        const uint kind = choose_kind(&unit, table, repeats == EVERY, copies == EVERY);
        if (kind != CODED) {
            end_row(&unit, row, kind, copied);
            continue;
        }
#pragma unroll 1
        for (uint w = 0; w < CODE_ROW_WORDS; w++)
            code_outcomes(&unit, row * CODE_ROW + 8 * w, all, table, &launch);
    }
    unit_end(&unit, number, token, size);
}

// ---- from tokens to bytes ----

// size[].x has the unit's tokens, and size[].y gets its bytes.
kernel void code_units(global uint *token, global uint2 *size, const uint units)
{
    const uint number = (uint)get_global_id(0);
    if (number >= units)
        return;
    const uint tokens = size[number].x;
    if (tokens >= CODE_SYMBOL_BAD)
        return;
    global const uint *from = token + (size_t)number * CODE_TOKENS + 1;
    global ushort *end = (global ushort *)(token + (size_t)number * CODE_TOKENS + 1 + tokens);
    global ushort *to = end;
    uint state = 1 << 16;
    for (uint t = tokens; t-- > 0;) {
        const uint start = from[t] & 0xffff;
        const uint slots = (from[t] >> 16) - start;
        if (state >> 18 >= slots) {
            *--to = (ushort)state;
            state >>= 16;
        }
        state += start + state / slots * ((1 << 14) - slots);
    }
    *--to = (ushort)(state >> 16);
    *--to = (ushort)state;
    size[number].y = 2 * (uint)(end - to);
}

// place[]: where the bytes of each unit begin, in units of 2 bytes.
kernel void pack_units(global const uint *token, global const uint2 *size, global const uint *place,
                       global ushort *packed, const uint first, const uint units)
{
    const uint item = (uint)get_global_id(0);
    const uint number = first + item / CODE_ITEMS;
    if (item / CODE_ITEMS >= units || size[number].x >= CODE_SYMBOL_BAD)
        return;
    const uint count = size[number].y / 2;
    global const ushort *end = (global const ushort *)(token + (size_t)number * CODE_TOKENS + 1 + size[number].x);
    for (uint i = item % CODE_ITEMS; i < count; i += CODE_ITEMS)
        packed[place[number] + i] = end[(int)i - (int)count];
}
