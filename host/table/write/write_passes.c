// write_passes.c - how a section that does not fit in memory is made in several passes
#include "table/write/write_passes.h"

#include "table/write/sections.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- the u digits of blocks ----

// The orbits of `count` identical pieces with one of these digits.
static uint8_t orbits_of_digits(uint64_t first, uint64_t last, int count)
{
    uint8_t orbits = 0;
    for (uint64_t digit = first; digit <= last && orbits != 0xff; digit++) {
        uint8_t square[MATERIAL_MEN_MAX];
        entry_digit_squares(digit, count, square);
        for (int i = 0; i < count; i++)
            orbits |= (uint8_t)(1U << (square_code[square[i]] >> 3));
    }
    return orbits;
}

// Sets the filter of a pass. Returns the part of all tiles that it wants.
static double set_filter(struct write_passes *passes, struct write_pass *pass, const struct entry_order *order,
                         const struct write_pieces *pieces, unsigned block_bits)
{
    uint8_t orbits[ENTRY_GROUPS_MAX] = {0};
    for (uint64_t i = pass->first; i < pass->first + pass->count; i++) {
        // The u digits that the entries of a block can have: in the groups with the same digit in all entries, those of
        // the digit; in the next group, those of a range of digits; in later groups, any.
        const uint64_t first = (uint64_t)passes->block[i] << block_bits;
        const uint64_t end = first + (UINT64_C(1) << block_bits);
        const uint64_t last = (end < order->per_section ? end : order->per_section) - 1;
        bool same = first / order->per_slice == last / order->per_slice;
        for (int g = 0; g < order->groups; g++) {
            const struct entry_group *group = &order->group[g];
            const uint64_t from = first / group->stride % group->size;
            const uint64_t to = last / group->stride % group->size;
            orbits[g] |= same ? orbits_of_digits(from, to, group->count) : 0xff;
            same &= from == to;
        }
    }
    double share = 1;
    memset(pass->filter.u, 0xff, sizeof pass->filter.u);
    for (int i = 0; i < pieces->count; i++) {
        for (int g = 0; g < order->groups; g++) {
            if (order->group[g].type == pieces->type[i] && order->group[g].colour == pieces->colour[i])
                pass->filter.u[i] = orbits[g];
        }
        share *= __builtin_popcount(pass->filter.u[i]) / 8.0;
    }
    return share;
}

// ---- passes ----

// Cuts passes so that no pass has blocks of two runs of `run` blocks.
static void cut_passes(struct write_passes *passes, uint64_t run, uint64_t each)
{
    for (uint64_t start = 0; start < passes->blocks; start += run) {
        const uint64_t left = passes->blocks - start;
        const uint64_t length = left < run ? left : run;
        for (uint64_t done = 0; done < length; done += each) {
            const uint64_t count = length - done < each ? length - done : each;
            passes->pass[passes->count++] = (struct write_pass){.first = start + done, .count = count};
            passes->most = count > passes->most ? count : passes->most;
        }
    }
}

int write_passes_plan(struct write_passes *passes, const struct entry_order *order, const struct write_pieces *pieces,
                      unsigned block_bits, uint64_t most)
{
    const uint64_t block = UINT64_C(1) << block_bits;
    *passes = (struct write_passes){.blocks = (order->per_section + block - 1) / block};
    // Tell the orbits of so many outermost groups apart that a set of blocks is small enough.
    int groups = 0;
    while (groups < order->groups && order->slices_per_section == 1 && order->group[groups].count == 1 &&
           order->group[groups].stride % block == 0 && passes->blocks >> 3 * groups > most)
        groups++;
    // A pass has the blocks of one key, or an equal part of them, or those of 2^n keys whose numbers have the same
    // upper digits.
    const uint64_t key_blocks = passes->blocks >> 3 * groups;
    const uint64_t parts = (key_blocks + most - 1) / most;
    uint64_t each = (key_blocks + parts - 1) / parts;
    while (key_blocks <= most && 2 * each <= most)
        each *= 2;
    const size_t passes_most = passes->blocks / each + (UINT64_C(1) << 3 * groups) + 1;
    uint64_t *used;
    TRY(memory_new(&passes->block, passes->blocks, sizeof *passes->block, "writing a table in passes"));
    TRY(memory_new(&passes->pass, passes_most, sizeof *passes->pass, "writing a table in passes"));
    TRY(memory_new(&used, UINT64_C(1) << 3 * groups, sizeof *used, "writing a table in passes"));
    // Sort the blocks by the orbits of these groups, those with the same key in rising order.
    for (uint64_t i = 0; i < passes->blocks; i++) {
        uint64_t key = 0;
        for (int g = 0; g < groups; g++)
            key = key << 3 | square_code[(i << block_bits) / order->group[g].stride % order->group[g].size] >> 3;
        passes->block[key * key_blocks + used[key]++] = (uint32_t)i;
    }
    free(used);
    cut_passes(passes, each < key_blocks ? key_blocks : passes->blocks, each);
    for (size_t i = 0; i < passes->count; i++)
        passes->visits += set_filter(passes, &passes->pass[i], order, pieces, block_bits);
    return 0;
}

bool write_passes_agree(const struct write_passes *a, const struct write_passes *b)
{
    bool agree = a->count == b->count && a->visits <= 1 && b->visits <= 1;
    for (size_t i = 0; agree && i < a->count; i++)
        agree = memcmp(&a->pass[i].filter, &b->pass[i].filter, sizeof a->pass[i].filter) == 0;
    return agree;
}

void write_passes_free(struct write_passes *passes)
{
    free(passes->block);
    free(passes->pass);
    *passes = (struct write_passes){0};
}

// ---- sections and blocks before they are filled ----

enum { CLEARED_BYTES = 1 << 20 };

struct clearing {
    uint8_t *symbols;
    uint64_t bytes;
};

static int clear_part(void *context, uint64_t item, int worker)
{
    const struct clearing *clearing = context;
    const uint64_t left = clearing->bytes - item * CLEARED_BYTES;
    (void)worker;
    memset(clearing->symbols + item * CLEARED_BYTES, 0xff, left < CLEARED_BYTES ? left : CLEARED_BYTES);
    return 0;
}

int section_clear(const struct section_target *target, uint64_t sections, struct thread_pool *pool)
{
    if (target->order == NULL)
        return 0;
    const uint64_t symbols =
        target->slot == NULL ? sections * target->order->per_section : (uint64_t)target->slots << target->block_bits;
    struct clearing clearing = {target->symbols, symbols * target->bytes};
    return threads_each(pool, (clearing.bytes + CLEARED_BYTES - 1) / CLEARED_BYTES, clear_part, &clearing);
}
