// blocks.c - symbols in codes, codes in blocks, and the tables that a reader needs
//
//     1. Close what is open: a class becomes its most frequent leaf.
//     2. Number the symbols by falling length of their codes; those that occur in others only come last, those that
//        occur nowhere are left out.
//     3. Try sizes of blocks, the largest first, as long as the file gets smaller; then write the blocks.
//
// A code never crosses the border of a block. At a full block a symbol may be cut: the values that it stands for begin
// with those of other symbols, one of which may have a code that fits, and the rest goes to the next block if it takes
// fewer bits there than the whole. The last code of a block may even stand for more values than are wanted, as the
// length of the block hides the others.
#include "syzygy/write/blocks.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_VALUES = 1 << 16,
    BLOCK_BITS_MIN = 5, // least in official files; a block must hold the longest code
    WDL_BLOCK_BITS = 6, // tried first
    DTZ_BLOCK_BITS = 10,
    NO_COST = UINT16_MAX,
    CUT_MAX = HEIGHT_MAX + 2 // most pieces of a symbol
};

struct coder {
    struct symbols *symbols;
    struct thread_pool *pool; // says whether to stop
    uint64_t frequency[IDS_MAX];
    uint8_t length[IDS_MAX]; // of the code; 0: none
    uint32_t code[IDS_MAX];
    uint16_t number[IDS_MAX]; // in the file
    uint16_t cover[IDS_MAX];  // the symbol with the shortest code among those that begin with these values
    uint16_t cost[IDS_MAX];   // bits, in pieces if the symbol has no code; or NO_COST
    struct syzygy_packed *packed;
    // The current block:
    bool write;    // or only count blocks
    uint64_t bits; // in the block
    uint64_t used;
    uint64_t values;
    uint64_t blocks;
};

// ---- 1. classes ----

static int close_classes(struct coder *c)
{
    struct symbols *s = c->symbols;
    uint16_t leaf_of[IDS_MAX];
    for (size_t i = 0; i < s->slices; i++) {
        TRY(threads_check(c->pool, 0));
        for (uint32_t j = 0; j < s->slice[i].length; j++)
            c->frequency[s->slice[i].symbol[j]]++;
    }
    bool open = false;
    for (unsigned id = 0; id < s->ids; id++)
        leaf_of[id] = (uint16_t)id;
    for (unsigned class = 0; class < CLASSES; class ++) {
        unsigned best = 0;
        for (unsigned leaf = 1; leaf < s->admits[class]; leaf++)
            if (c->frequency[leaf] > c->frequency[best])
                best = leaf;
        const unsigned id = s->leaves + class;
        open = open || c->frequency[id] > 0;
        leaf_of[id] = (uint16_t)best;
        c->frequency[best] += c->frequency[id];
        c->frequency[id] = 0;
    }
    for (size_t i = 0; i < s->slices && open; i++)
        for (uint32_t j = 0; j < s->slice[i].length; j++)
            s->slice[i].symbol[j] = leaf_of[s->slice[i].symbol[j]];
    return 0;
}

// ---- 2. codes ----

// Symbols are sorted by frequency. The two rarest nodes become one, again and again; new nodes appear in rising order,
// so two queues suffice. If a code is longer than the limit, package-merge takes over: level 1 is the list of symbols,
// each next level the symbols merged with the pairs of neighbours of the level before, in rising order. The first 2n -
// 2 entries of the last level are what the code costs: each time a symbol is in them, or in a pair that is, its code
// gets a bit. Pairs are taken from the front, so that per level it is enough to know which entries are symbols.

struct leaf {
    uint64_t frequency;
    unsigned symbol;
};

static int rising(const void *a, const void *b)
{
    const struct leaf *x = a;
    const struct leaf *y = b;
    if (x->frequency != y->frequency)
        return x->frequency < y->frequency ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

// Sets depth[i] for leaf[i]; there are 2 or more leaves, in rising order; `weight` and `parent`: [2 * leaves]. Returns
// the largest depth.
static unsigned plain_depths(const struct leaf *leaf, unsigned leaves, uint64_t *weight, unsigned *parent,
                             unsigned *depth)
{
    unsigned nodes = 2 * leaves - 1;
    for (unsigned i = 0; i < leaves; i++)
        weight[i] = leaf[i].frequency;
    unsigned next_leaf = 0;
    unsigned next_pair = leaves;
    for (unsigned node = leaves; node < nodes; node++) {
        weight[node] = 0;
        for (int child = 0; child < 2; child++) {
            bool take_leaf = next_leaf < leaves && (next_pair == node || weight[next_leaf] <= weight[next_pair]);
            unsigned taken = take_leaf ? next_leaf++ : next_pair++;
            weight[node] += weight[taken];
            parent[taken] = node;
        }
    }
    depth[nodes - 1] = 0;
    unsigned deepest = 0;
    for (unsigned node = nodes - 1; node-- > 0;) {
        depth[node] = depth[parent[node]] + 1;
        if (depth[node] > deepest)
            deepest = depth[node];
    }
    return deepest;
}

// As plain_depths(), but with a limit. `is_leaf`: [limit][2 * leaves]; `weight`, `merged`: [2 * leaves].
static void limited_depths(const struct leaf *leaf, unsigned leaves, unsigned limit, uint64_t *weight, uint64_t *merged,
                           bool *is_leaf, unsigned *depth)
{
    unsigned row = 2 * leaves;
    unsigned entries = 0;
    for (unsigned level = 0; level < limit; level++) {
        unsigned pairs = entries / 2;
        unsigned l = 0;
        unsigned p = 0;
        for (entries = 0; l < leaves || p < pairs; entries++) {
            uint64_t pair = p < pairs ? weight[2 * p] + weight[2 * p + 1] : 0;
            bool take_leaf = l < leaves && (p == pairs || leaf[l].frequency <= pair);
            is_leaf[level * row + entries] = take_leaf;
            merged[entries] = take_leaf ? leaf[l].frequency : pair;
            *(take_leaf ? &l : &p) += 1;
        }
        uint64_t *swap = weight;
        weight = merged;
        merged = swap;
    }
    for (unsigned i = 0; i < leaves; i++)
        depth[i] = 0;
    unsigned taken = 2 * leaves - 2;
    for (unsigned level = limit; level-- > 0;) {
        unsigned l = 0;
        for (unsigned i = 0; i < taken; i++)
            if (is_leaf[level * row + i])
                depth[l++]++;
        taken = 2 * (taken - l);
    }
}

int huffman_lengths(const uint64_t *frequency, unsigned count, unsigned limit, uint8_t *length)
{
    size_t nodes = 2 * (size_t)count + 1;
    struct leaf *leaf = NULL;
    uint64_t *weight = NULL;
    unsigned *depth = NULL;
    bool *is_leaf = NULL;
    int code = memory_new(&leaf, nodes, sizeof *leaf, "a Huffman code");
    THEN(code, memory_new(&weight, 2 * nodes, sizeof *weight, "a Huffman code"));
    THEN(code, memory_new(&depth, 2 * nodes, sizeof *depth, "a Huffman code"));
    if (code != 0)
        goto cleanup;
    unsigned leaves = 0;
    for (unsigned i = 0; i < count; i++) {
        length[i] = 0;
        if (frequency[i] > 0)
            leaf[leaves++] = (struct leaf){.frequency = frequency[i], .symbol = i};
    }
    qsort(leaf, leaves, sizeof *leaf, rising);
    if (leaves == 1)
        depth[0] = 1;
    if (leaves > 1 && plain_depths(leaf, leaves, weight, depth + nodes, depth) > limit) {
        code = memory_new(&is_leaf, limit, 2 * (size_t)leaves * sizeof *is_leaf, "a Huffman code");
        if (code != 0)
            goto cleanup;
        limited_depths(leaf, leaves, limit, weight, weight + nodes, is_leaf, depth);
    }
    for (unsigned i = 0; i < leaves; i++)
        length[leaf[i].symbol] = (uint8_t)depth[i];
cleanup:
    free(leaf);
    free(weight);
    free(depth);
    free(is_leaf);
    return code;
}

// Makes the numbers, the codes and the file's list of symbols.
static int number_symbols(struct coder *c)
{
    const struct symbols *s = c->symbols;
    struct syzygy_packed *packed = c->packed;
    bool occurs[IDS_MAX];
    unsigned of_length[CODE_BITS_MAX + 2] = {0};
    packed->code_min = CODE_BITS_MAX;
    for (unsigned id = 0; id < s->ids; id++) {
        occurs[id] = c->length[id] > 0;
        of_length[c->length[id]]++;
        if (c->length[id] > packed->code_max)
            packed->code_max = c->length[id];
        if (c->length[id] > 0 && c->length[id] < packed->code_min)
            packed->code_min = c->length[id];
    }
    for (unsigned id = s->ids; id-- > s->pairs;)
        if (occurs[id])
            occurs[s->left[id]] = occurs[s->right[id]] = true;
    TRY(memory_new(&packed->first, packed->code_max - packed->code_min + 1u, sizeof *packed->first, "a table's codes"));
    unsigned number = 0;
    uint32_t base = 0;
    for (unsigned length = packed->code_max; length >= packed->code_min; length--) {
        const unsigned first = number;
        packed->first[length - packed->code_min] = (uint16_t)first;
        base = length == packed->code_max ? 0 : (base + of_length[length + 1]) / 2;
        for (unsigned id = 0; id < s->ids; id++)
            if (c->length[id] == length) {
                c->code[id] = base + number - first;
                c->number[id] = (uint16_t)number++;
            }
    }
    for (unsigned id = 0; id < s->ids; id++)
        if (occurs[id] && c->length[id] == 0)
            c->number[id] = (uint16_t)number++;
    packed->symbols = (uint16_t)number;
    TRY(memory_new(&packed->symbol, number, 3, "a table's symbols"));
    for (unsigned id = 0; id < s->ids; id++) {
        const bool leaf = id < s->leaves;
        const unsigned left = leaf ? s->value[id] : c->number[s->left[id]];
        const unsigned right = leaf ? 0xfff : c->number[s->right[id]];
        uint8_t *symbol = packed->symbol + 3 * (size_t)c->number[id];
        if (!occurs[id])
            continue;
        symbol[0] = (uint8_t)left;
        symbol[1] = (uint8_t)(left >> 8 | right << 4);
        symbol[2] = (uint8_t)(right >> 4);
    }
    return 0;
}

// Finds what symbols cost in pieces, and which symbols begin as others do.
static void find_covers(struct coder *c)
{
    const struct symbols *s = c->symbols;
    for (unsigned id = 0; id < s->ids; id++) {
        c->cover[id] = (uint16_t)id;
        c->cost[id] = c->length[id] > 0 ? c->length[id] : NO_COST;
        if (c->length[id] > 0 || id < s->pairs)
            continue;
        const unsigned sum = (unsigned)c->cost[s->left[id]] + c->cost[s->right[id]];
        c->cost[id] = (uint16_t)(sum < NO_COST ? sum : NO_COST);
    }
    for (unsigned id = s->ids; id-- > s->pairs;) {
        const unsigned left = s->left[id];
        const unsigned length = c->length[c->cover[id]];
        const unsigned best = c->length[c->cover[left]];
        if (length > 0 && (best == 0 || length < best))
            c->cover[left] = c->cover[id];
    }
}

// ---- 3. blocks ----

static void append(struct coder *c, unsigned id, unsigned values)
{
    if (c->write) {
        const uint64_t position = c->blocks * c->bits + c->used;
        uint8_t *byte = c->packed->data + position / 8;
        for (uint64_t bits = (uint64_t)c->code[id] << (64 - c->length[id] - position % 8); bits != 0; bits <<= 8)
            *byte++ |= (uint8_t)(bits >> 56);
    }
    c->used += c->length[id];
    c->values += values;
}

static void append_pieces(struct coder *c, unsigned id)
{
    if (c->length[id] > 0) {
        append(c, id, c->symbols->span[id]);
        return;
    }
    append_pieces(c, c->symbols->left[id]);
    append_pieces(c, c->symbols->right[id]);
}

static void close_block(struct coder *c)
{
    if (c->write)
        c->packed->length[c->blocks] = (uint16_t)(c->values - 1);
    c->blocks++;
    c->used = 0;
    c->values = 0;
}

// Appends a symbol that does not fit: the best part of it to this block, and the rest to the next one.
//
// The walk goes down the symbol to the border: to the right half if the left one fits, otherwise to the left half, and
// the right one is carried over. The choice is what costs the next block the fewest bits.
static void append_cut(struct coder *c, unsigned whole)
{
    const struct symbols *s = c->symbols;
    uint16_t here[CUT_MAX];
    uint16_t carried[CUT_MAX];
    unsigned best_here = 0;
    unsigned best_carried = 1;
    unsigned best_cost = c->length[whole];
    unsigned pieces = 0;
    unsigned rest = 0;
    unsigned rest_cost = 0;
    uint64_t room = c->bits - c->used;
    uint64_t values = BLOCK_VALUES - c->values;
    unsigned id = whole;
    unsigned last = whole; // the last symbol carried over, if all of it is
    uint16_t best_rest[CUT_MAX] = {(uint16_t)whole};
    unsigned cover = IDS_MAX;
    for (;;) {
        const unsigned by = c->cover[id];
        if (c->length[by] > 0 && c->length[by] <= room && s->span[id] <= values && rest_cost < best_cost) {
            cover = by;
            last = id;
            best_here = pieces;
            best_carried = rest;
            memcpy(best_rest, carried, rest * sizeof *carried);
            break;
        }
        if (id < s->pairs)
            break;
        const unsigned left = s->left[id];
        const unsigned right = s->right[id];
        if (c->cost[right] == NO_COST)
            break;
        if (c->length[left] > 0 && c->length[left] <= room && s->span[left] <= values) {
            here[pieces++] = (uint16_t)left;
            room -= c->length[left];
            values -= s->span[left];
            if (rest_cost + c->cost[right] < best_cost) {
                best_cost = rest_cost + c->cost[right];
                best_here = pieces;
                best_carried = rest + 1;
                memcpy(best_rest, carried, rest * sizeof *carried);
                best_rest[rest] = (uint16_t)right;
            }
            id = right;
        } else {
            rest_cost += c->cost[right];
            carried[rest++] = (uint16_t)right;
            id = left;
        }
    }
    for (unsigned i = 0; i < best_here; i++)
        append(c, here[i], s->span[here[i]]);
    if (cover < IDS_MAX)
        append(c, cover, s->span[last]);
    close_block(c);
    while (best_carried > 0)
        append_pieces(c, best_rest[--best_carried]);
}

static int append_all(struct coder *c, unsigned block_bits, bool write)
{
    const struct symbols *s = c->symbols;
    c->write = write;
    c->bits = UINT64_C(8) << block_bits;
    c->used = c->values = c->blocks = 0;
    for (size_t i = 0; i < s->slices; i++) {
        TRY(threads_check(c->pool, 0));
        for (uint32_t j = 0; j < s->slice[i].length; j++) {
            const unsigned id = s->slice[i].symbol[j];
            if (c->used + c->length[id] <= c->bits && c->values + s->span[id] <= BLOCK_VALUES)
                append(c, id, s->span[id]);
            else
                append_cut(c, id);
        }
    }
    if (c->values > 0)
        close_block(c);
    return 0;
}

// Makes the sparse index: an entry points to the middle of its values, which may be after the last value of all.
static void lay_out(struct syzygy_packed *packed, unsigned block_bits, uint64_t blocks)
{
    unsigned b = 4;
    for (uint64_t rest = packed->values / (blocks > 0 ? blocks : 1); rest != 0; rest >>= 1)
        b++;
    while (UINT64_C(1) << (b - 1) > packed->values)
        b--;
    const uint64_t spans = ((packed->values - 1) >> b) + 1;
    const uint64_t last = ((spans - 1) << b) + (UINT64_C(1) << (b - 1));
    packed->block_bits = (uint8_t)block_bits;
    packed->span_bits = (uint8_t)b;
    packed->spans = spans;
    packed->blocks = (uint32_t)blocks;
    packed->padding = (uint8_t)(last < packed->values ? 0 : (last - packed->values) / BLOCK_VALUES + 1);
}

static void write_sparse(struct syzygy_packed *packed)
{
    uint64_t value = 0; // the first of the block
    uint32_t block = 0;
    for (uint64_t i = 0; i < packed->spans; i++) {
        const uint64_t middle = (i << packed->span_bits) + (UINT64_C(1) << (packed->span_bits - 1));
        while (middle > value + packed->length[block])
            value += packed->length[block++] + UINT64_C(1);
        uint8_t *entry = packed->sparse + 6 * i;
        for (int byte = 0; byte < 4; byte++)
            entry[byte] = (uint8_t)(block >> 8 * byte);
        entry[4] = (uint8_t)(middle - value);
        entry[5] = (uint8_t)((middle - value) >> 8);
    }
}

// The bytes that a file needs: header, sparse index, lengths and blocks, rounded as in the file.
static uint64_t packed_bytes(const struct syzygy_packed *packed)
{
    const uint64_t codes = packed->code_max - packed->code_min + UINT64_C(1);
    const uint64_t header = 12 + 2 * codes + 3 * (uint64_t)packed->symbols + packed->symbols % 2;
    const uint64_t lengths = packed->blocks + (uint64_t)packed->padding;
    const uint64_t data = ((uint64_t)packed->blocks << packed->block_bits) + 63;
    return header + 6 * packed->spans + 2 * lengths + data / 64 * 64;
}

static int write_blocks(struct coder *c, bool wdl)
{
    struct syzygy_packed *packed = c->packed;
    struct syzygy_packed best;
    uint64_t least = UINT64_MAX;
    for (unsigned bits = wdl ? WDL_BLOCK_BITS : DTZ_BLOCK_BITS; bits >= BLOCK_BITS_MIN; bits--) {
        TRY(append_all(c, bits, false));
        lay_out(packed, bits, c->blocks);
        const uint64_t bytes = packed_bytes(packed);
        if (bytes >= least)
            break;
        least = bytes;
        best = *packed;
    }
    *packed = best;
    const size_t lengths = (size_t)packed->blocks + packed->padding;
    TRY(memory_new(&packed->data, packed->blocks, (size_t)1 << packed->block_bits, "a table's blocks"));
    TRY(memory_new(&packed->length, lengths, sizeof *packed->length, "a table's blocks"));
    TRY(memory_new(&packed->sparse, packed->spans, 6, "a table's blocks"));
    TRY(append_all(c, packed->block_bits, true));
    for (size_t i = packed->blocks; i < lengths; i++)
        packed->length[i] = BLOCK_VALUES - 1;
    write_sparse(packed);
    return 0;
}

static int find_codes(struct coder *c)
{
    TRY(close_classes(c));
    return huffman_lengths(c->frequency, c->symbols->ids, CODE_BITS_MAX, c->length);
}

int blocks_write(struct syzygy_packed *packed, struct symbols *symbols, bool wdl, struct thread_pool *pool)
{
    struct coder *c;
    TRY(memory_new(&c, 1, sizeof *c, "a table's codes"));
    c->symbols = symbols;
    c->pool = pool;
    c->packed = packed;
    int code = find_codes(c);
    THEN(code, number_symbols(c));
    if (code == 0) {
        find_covers(c);
        code = write_blocks(c, wdl);
    }
    free(c);
    return code;
}

int blocks_estimate(struct symbols *symbols, uint64_t *bits)
{
    struct coder *c;
    TRY(memory_new(&c, 1, sizeof *c, "a table's codes"));
    c->symbols = symbols;
    const int code = find_codes(c);
    *bits = 0;
    for (unsigned id = 0; id < symbols->ids; id++)
        *bits += c->frequency[id] * c->length[id];
    free(c);
    return code;
}
