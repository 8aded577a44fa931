// values.c - the values of solved slices in the order of a restricted endgame's index
//
// 1. The planes' bits of an entry are its code: 8 planes of 8 entries are transposed at a time. A code's value is an
//    element of a table.
// 2. Each entry of the index takes the value of one entry of the planes, whose number is the sum of a part for each
//    piece's square.
//
// Cost: some 5 ns for each entry of the planes and of the index.
#include "restricted/make/values.h"

#include "restricted/value.h"
#include "solve/slabs.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

// The values of one side to move, by entry of the planes, from codes of solution.h to those of restricted/value.h.
struct decoding {
    const uint64_t *plane[1 + DISTANCE_PLANES_MAX]; // the bits of the codes, and the wins; NULL: all zero
    uint16_t value[2 * DISTANCE_CODES];             // [won * DISTANCE_CODES + code]
    size_t words;
    uint16_t *to; // [words * 64]
};

enum { DECODE_WORDS = 4096 }; // taken by a thread at a time

static int decode_words(void *context, uint64_t item, int worker)
{
    const struct decoding *decoding = context;
    const size_t first = item * DECODE_WORDS;
    const size_t end = first + DECODE_WORDS < decoding->words ? first + DECODE_WORDS : decoding->words;
    (void)worker;
    for (size_t w = first; w < end; w++) {
        uint64_t word[2][8] = {{0}}; // planes 0..7, 8..
        for (int i = 0; i <= DISTANCE_PLANES_MAX; i++)
            word[i / 8][i % 8] = decoding->plane[i] != NULL ? decoding->plane[i][w] : 0;
        const bool high = (word[1][0] | word[1][1]) != 0;
        for (unsigned byte = 0; byte < 8; byte++) {
            uint64_t low_codes = 0;
            uint64_t high_codes = 0;
            for (unsigned i = 0; i < 8; i++)
                low_codes |= (word[0][i] >> 8 * byte & 0xff) << 8 * i;
            low_codes = transpose8(low_codes);
            for (unsigned i = 0; high && i < 2; i++)
                high_codes |= (word[1][i] >> 8 * byte & 0xff) << 8 * i;
            high_codes = high ? transpose8(high_codes) : 0;
            const unsigned won = word[1][2] >> 8 * byte & 0xff;
            uint16_t *to = decoding->to + w * 64 + 8U * byte;
            for (unsigned i = 0; i < 8; i++) {
                const unsigned code = (unsigned)(low_codes >> 8 * i & 0xff) | (unsigned)(high_codes >> 8 * i & 3) << 8;
                to[i] = decoding->value[(won >> i & 1) * DISTANCE_CODES + code];
            }
        }
    }
    return 0;
}

// Values are put into the order of the index, for some of the digits of the first two pieces.
struct gathering {
    const struct frame *frame;
    const uint32_t *dense;
    const uint16_t *from;          // [batch slices][64^pieces]
    uint16_t *to;                  // [slice_entries]
    size_t part[SPEC_MEN_MAX][64]; // [piece][digit] of the entry's number; 0 for fixed pieces
    bool fixed;                    // there are fixed pieces
};

static void gather_from(const struct gathering *gathering, int piece, size_t at, uint64_t entry,
                        uint8_t where[SPEC_MEN_MAX])
{
    const struct frame *frame = gathering->frame;
    const struct restricted_index *index = frame->index;
    const size_t *part = gathering->part[piece];
    const uint32_t digits = index->digits[piece];
    const bool last = piece == index->pieces - 1;
    if (last && !gathering->fixed) {
        const uint16_t *from = gathering->from + ((size_t)gathering->dense[0] << 6 * frame->shape.pieces);
        for (uint32_t digit = 0; digit < digits; digit++)
            gathering->to[entry + digit] = from[at | part[digit]];
        return;
    }
    for (uint32_t digit = 0; digit < digits; digit++) {
        where[index->piece[piece]] = index->square[piece][digit];
        const uint64_t here = entry + digit * index->stride[piece];
        if (!last) {
            gather_from(gathering, piece + 1, at | part[digit], here, where);
            continue;
        }
        const size_t combo = frame_combo_of(frame, where);
        const uint32_t slice = combo == SIZE_MAX ? FRAME_NO_SLICE : gathering->dense[combo];
        gathering->to[here] = slice == FRAME_NO_SLICE
                                  ? RESTRICTED_ILLEGAL
                                  : gathering->from[((size_t)slice << 6 * frame->shape.pieces) + (at | part[digit])];
    }
}

static int gather_item(void *context, uint64_t item, int worker)
{
    const struct gathering *gathering = context;
    const struct restricted_index *index = gathering->frame->index;
    const uint64_t first = item / index->digits[1];
    const uint64_t second = item % index->digits[1];
    uint8_t where[SPEC_MEN_MAX] = {0};
    (void)worker;
    where[index->piece[0]] = index->square[0][first];
    where[index->piece[1]] = index->square[1][second];
    const size_t at = gathering->part[0][first] | gathering->part[1][second];
    const uint64_t entry = first * index->stride[0] + second * index->stride[1];
    if (index->pieces > 2)
        gather_from(gathering, 2, at, entry, where);
    else
        gathering->to[entry] = gathering->from[((size_t)gathering->dense[0] << 12) | at];
    return 0;
}

static void gather_parts(struct gathering *gathering)
{
    const struct frame *frame = gathering->frame;
    const struct restricted_index *index = frame->index;
    for (int k = 0; k < frame->kinds; k++) {
        const struct frame_kind *kind = &frame->kind[k];
        gathering->fixed |= kind->fixed;
        for (int i = 0; !kind->fixed && i < kind->men; i++) {
            for (uint32_t digit = 0; digit < index->digits[kind->piece[i]]; digit++)
                gathering->part[kind->piece[i]][digit] =
                    frame_part(frame, kind->place[i], index->square[kind->piece[i]][digit]);
        }
    }
}

static int read_side(const struct values_reading *reading, const struct solution *solution, int side,
                     struct decoding *decoding)
{
    struct memory_pool *memory = threads_memory(reading->pool);
    const size_t bytes = decoding->words * sizeof(uint64_t);
    uint64_t *read[1 + DISTANCE_PLANES_MAX] = {NULL};
    int code = 0;
    for (int i = 0; code == 0 && i <= DISTANCE_PLANES_MAX; i++) {
        const struct plane *plane = i < DISTANCE_PLANES_MAX ? solution->distance[side][i] : solution->won[side];
        decoding->plane[i] = NULL;
        if (plane == NULL)
            continue;
        decoding->plane[i] = read[i] = memory_take(memory, bytes, NULL);
        code = read[i] == NULL ? error_memory(bytes, "solved slices")
                               : slice_read(solution->backend, plane, 0, reading->slices, read[i]);
    }
    for (unsigned i = 0; i < DISTANCE_CODES; i++) {
        decoding->value[i] = solution->value[side][0][i];
        decoding->value[DISTANCE_CODES + i] = i == 0 ? RESTRICTED_ILLEGAL : solution->value[side][1][i];
    }
    THEN(code,
         threads_each(reading->pool, (decoding->words + DECODE_WORDS - 1) / DECODE_WORDS, decode_words, decoding));
    for (int i = 0; i <= DISTANCE_PLANES_MAX; i++)
        memory_give(memory, read[i], bytes);
    return code;
}

int restricted_values_find(const struct values_reading *reading, const struct solution *solution,
                           uint16_t *const to[COLOURS])
{
    const struct restricted_index *index = reading->frame->index;
    struct memory_pool *memory = threads_memory(reading->pool);
    const size_t words = reading->slices * slab_words(reading->frame->shape.pieces);
    const size_t bytes = words * 64 * sizeof(uint16_t);
    struct decoding *decoding = calloc(1, sizeof *decoding);
    struct gathering *gathering = calloc(1, sizeof *gathering);
    uint16_t *decoded = memory_take(memory, bytes, NULL);
    int code = 0;
    if (decoding == NULL || gathering == NULL || decoded == NULL)
        code = error_memory(bytes, "the values of a restricted endgame");
    if (code == 0) {
        decoding->words = words;
        decoding->to = decoded;
        *gathering = (struct gathering){.frame = reading->frame, .from = decoded};
        gather_parts(gathering);
    }
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        code = read_side(reading, solution, side, decoding);
        for (uint32_t i = 0; code == 0 && i < reading->count; i++) {
            gathering->dense = reading->dense[i];
            gathering->to = to[side] + i * index->slice_entries;
            code = threads_each(reading->pool, (uint64_t)index->digits[0] * index->digits[1], gather_item, gathering);
        }
    }
    memory_give(memory, decoded, bytes);
    free(gathering);
    free(decoding);
    return code;
}
