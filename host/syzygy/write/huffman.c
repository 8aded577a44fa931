// huffman.c - lengths of the codes of a Huffman code
//
// Symbols are sorted by frequency. The two rarest nodes become one, again and again; new nodes appear in rising order,
// so two queues suffice. If a code is longer than the limit, package-merge takes over: level 1 is the list of symbols,
// each next level the symbols merged with the pairs of neighbours of the level before, in rising order. The first 2n -
// 2 entries of the last level are what the code costs: each time a symbol is in them, or in a pair that is, its code
// gets a bit. Pairs are taken from the front, so that per level it is enough to know which entries are symbols.
#include "syzygy/write/huffman.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

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
