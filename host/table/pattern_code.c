// pattern_code.c - decoding distances (pattern_code.h)
#include "table/pattern_code.h"

#include "util/cloned.h"

#include <stdlib.h>

// Numbers the patterns whose first neighbours have these labels, the numbers of their distinct values.
static void number_patterns(struct pattern_model *model, const uint8_t label[PATTERN_GROUP], unsigned count,
                            unsigned *others)
{
    unsigned values = 0;
    for (unsigned n = 0; n < count; n++)
        values = label[n] >= values ? label[n] + 1U : values;
    if (count < model->others) {
        uint8_t longer[PATTERN_GROUP];
        memcpy(longer, label, sizeof longer);
        for (unsigned next = 0; next <= values; next++) {
            longer[count] = (uint8_t)next;
            number_patterns(model, longer, count + 1, others);
        }
        return;
    }
    struct other_pattern *other = &model->other[*others];
    uint64_t value[OTHERS_MAX];
    uint16_t key[PATTERN_GROUP];
    for (unsigned n = 0; n < OTHERS_MAX; n++)
        value[n] = label[n];
    pattern_keys(value, key);
    model->other_of[key[0]] = (uint8_t)*others;
    *others += 1;
    for (unsigned n = count + 1; n-- > 0;) { // the first neighbour with a value is noted last
        other->label[n] = (uint8_t)(n == count ? values : label[n]);
        other->number[n] = (uint16_t)(model->patterns + other->label[n]);
        other->shift[other->label[n]] = (uint8_t)(n == count ? PATTERN_LAST : 8 * n);
    }
    for (unsigned last = 0; last <= values; last++) {
        const uint8_t distinct = (uint8_t)(values + (last == values));
        for (unsigned g = 0; g < GIVEN_MAX; g++)
            model->slots[g][model->patterns].distinct = distinct;
        model->distinct[model->patterns++] = distinct;
    }
}

// Notes the distances of the neighbours; false if one is out of range.
static bool place_neighbours(struct context_model *model)
{
    struct pattern_model *made = model->patterns;
    for (unsigned n = 0; n < OTHERS_MAX; n++)
        made->distance[n] = made->others > 0 ? model->distance[0] : PATTERN_GROUP;
    for (unsigned n = 0; n < model->neighbours; n++) {
        const unsigned least = n == made->others ? 1 : PATTERN_GROUP;
        if (model->distance[n] < least || model->distance[n] > CONTEXT_UNIT)
            return false;
        if (n < made->others)
            made->distance[n] = model->distance[n];
    }
    made->last = model->distance[made->others];
    return true;
}

bool pattern_model_make(struct context_model *model)
{
    const uint8_t label[PATTERN_GROUP] = {0};
    unsigned others = 0;
    struct pattern_model *made = calloc(1, sizeof *made);
    model->patterns = made;
    if (made == NULL || model->neighbours < 1 || model->neighbours > PATTERN_NEIGHBOURS_MAX)
        return false;
    made->others = model->neighbours - 1;
    made->given = 1;
    for (unsigned g = 0; g < GIVEN_MAX; g++)
        made->by_given[g] = made->slots[g];
    number_patterns(made, label, 0, &others);
    return place_neighbours(model);
}

// Reads the lists that follow the frequencies, if there are any.
static bool read_lists(struct context_model *model, const uint8_t *raw, size_t bytes)
{
    struct ply_lists *lists = &model->patterns->lists;
    unsigned most = 0;
    model->patterns->listed = bytes > 0;
    for (unsigned g = 0; g < GIVEN_MAX && model->patterns->listed; g++) {
        const size_t count = bytes > 0 ? raw[0] : SIZE_MAX;
        if (count > NEW_SYMBOLS_MAX || bytes < 1 + 2 * count)
            return false;
        lists->count[g] = (unsigned)count;
        most = count > most ? (unsigned)count : most;
        for (size_t i = 0; i < count; i++) {
            lists->ply[g][i] = (uint16_t)(raw[1 + 2 * i] | raw[2 + 2 * i] << 8);
            if (i > 0 && lists->ply[g][i] <= lists->ply[g][i - 1])
                return false;
        }
        raw += 1 + 2 * count;
        bytes -= 1 + 2 * count;
    }
    return bytes == 0 && (!model->patterns->listed || most == model->symbols);
}

bool pattern_model_read(struct context_model *model, const uint8_t *raw, size_t bytes)
{
    if (bytes < PATTERN_HEADER + 1)
        return false;
    model->symbols = raw[0];
    model->neighbours = raw[1];
    model->copied = (uint16_t)(raw[2] | raw[3] << 8);
    for (unsigned n = 0; n < PATTERN_NEIGHBOURS_MAX; n++)
        model->distance[n] = (uint16_t)(raw[4 + 2 * n] | raw[5 + 2 * n] << 8);
    const unsigned classes = raw[PATTERN_HEADER - 1];
    if (model->symbols < 1 || model->symbols > NEW_SYMBOLS_MAX || classes < 1 || classes > CLASSES_MAX ||
        model->copied < CONTEXT_ROW || model->copied > CONTEXT_UNIT || !pattern_model_make(model))
        return false;
    struct pattern_model *made = model->patterns;
    made->classes = classes;
    made->outcomes = raw[PATTERN_HEADER];
    made->paired = made->outcomes != NOT_PAIRED;
    made->given = made->paired ? GIVEN_MAX : 1;
    size_t choices = 0;
    for (unsigned p = 0; p < made->patterns; p++)
        choices += made->distinct[p] + 1U;
    const size_t before = PATTERN_HEADER + 1 + (size_t)made->given * model->symbols +
                          2 * (ROW_CONTEXTS * ROW_KINDS + made->given * choices + (size_t)classes * model->symbols);
    if (bytes < before || !read_lists(model, raw + before, bytes - before))
        return false;
    bool good = true;
    raw += PATTERN_HEADER + 1;
    for (unsigned g = 0; g < made->given; g++, raw += model->symbols) {
        for (unsigned s = 0; s < model->symbols; s++) {
            made->class_of[g][s] = raw[s];
            good &= raw[s] < classes;
        }
    }
    for (unsigned i = 0; good && i < ROW_CONTEXTS; i++, raw += 2 * ROW_KINDS)
        good = context_read_slots(model->row[i].start, CONTEXT_SYMBOLS_MAX + 1, ROW_KINDS, raw);
    for (unsigned i = 0; good && i < made->given * made->patterns; i++) {
        const unsigned p = i % made->patterns;
        good = context_read_slots(made->slots[i / made->patterns][p].start, PATTERN_SLOTS + 1, made->distinct[p] + 1U,
                                  raw);
        raw += 2 * (made->distinct[p] + 1U);
    }
    for (unsigned c = 0; good && c < classes; c++, raw += 2 * model->symbols)
        good = context_read_slots(made->start[c], NEW_SYMBOLS_MAX + 1, model->symbols, raw);
    return good;
}

void pattern_model_free(struct pattern_model *model)
{
    free(model);
}

// The new value whose slots have `slot`.
static inline unsigned find_value(const uint16_t start[NEW_SYMBOLS_MAX + 1], uint32_t slot)
{
    unsigned low = 0;
#pragma GCC unroll 8
    for (unsigned step = 128; step > 0; step /= 2)
        low += start[low + step] <= slot ? step : 0;
    return low;
}

// The choice whose slots have `slot`: the number of later choices that begin at or before it, which come first.
static inline unsigned find_choice(const struct pattern_slots *slots, uint32_t slot)
{
    typedef int16_t lanes __attribute__((vector_size(2 * PATTERN_SLOTS)));
    lanes start;
    memcpy(&start, slots->start + 1, sizeof start);
#ifdef __SSE2__
    typedef char bytes __attribute__((vector_size(sizeof start)));
    const lanes later = (lanes)(start > (int16_t)slot);
    return (unsigned)__builtin_ctz((unsigned)__builtin_ia32_pmovmskb128((bytes)later) | 1U << 16) / 2;
#else
    uint64_t word[2];
    const lanes reached = (lanes)(start <= (int16_t)slot) & 1;
    memcpy(word, &reached, sizeof word);
    return (unsigned)((word[0] + word[1]) * UINT64_C(0x0001000100010001) >> 48);
#endif
}

// A row that is being decoded.
struct state {
    uint32_t coder; // a decoder's state
    const uint8_t *at;
    uint8_t *to;          // for the next symbols
    const uint8_t *given; // for them
    struct pattern_group group;
};

// context_take() without a branch, which would often be mispredicted. The bytes may lie behind the unit's end
// (CONTEXT_SLACK).
static inline __attribute__((always_inline)) void take(struct state *row, uint32_t slot, const uint16_t *start)
{
    const uint32_t first = start[0];
    const uint32_t next = (start[1] - first) * (row->coder >> CONTEXT_SCALE_BITS) + slot - first;
    const uint32_t longer = next << 16 | row->at[0] | (uint32_t)row->at[1] << 8;
    const uint32_t takes = -(uint32_t)(next < CONTEXT_LEAST);
    row->coder = next ^ ((next ^ longer) & takes);
    row->at += takes & 2;
}

static inline __attribute__((always_inline)) void decode_symbol(const struct pattern_model *model, struct state *row,
                                                                unsigned i)
{
    const uint32_t mask = (1U << CONTEXT_SCALE_BITS) - 1;
    const unsigned given = row->given[i];
    const uint8_t last = row->to[(ptrdiff_t)i - (ptrdiff_t)model->last];
    if (given == VACANT) {
        row->to[i] = last;
        return;
    }
    const struct pattern pattern = pattern_of(model, &row->group, i, last);
    const struct pattern_slots *slots = model->by_given[given] + pattern.number;
    const uint32_t slot = row->coder & mask;
    const unsigned choice = find_choice(slots, slot);
    row->to[i] = pattern_value(pattern, choice);
    take(row, slot, &slots->start[choice]);
    if (choice < slots->distinct)
        return;
    const uint16_t *start = model->start[model->class_of[given][last]];
    const uint32_t new_slot = row->coder & mask;
    const unsigned value = find_value(start, new_slot);
    row->to[i] = (uint8_t)value;
    take(row, new_slot, &start[value]);
}

static inline __attribute__((always_inline)) void
decode_rows(const struct pattern_model *model, const struct pattern_row *rows, const unsigned count, size_t length)
{
    struct state row[PATTERN_ROWS];
    for (unsigned r = 0; r < count; r++) {
        row[r].coder = rows[r].decoder->state;
        row[r].at = rows[r].decoder->at;
        row[r].to = rows[r].to;
        row[r].given = rows[r].given;
        row[r].group = (struct pattern_group){.bytes = {0}};
    }
    for (size_t at = 0; at < length; at += PATTERN_GROUP) {
        const unsigned some = length - at < PATTERN_GROUP ? (unsigned)(length - at) : PATTERN_GROUP;
#pragma GCC unroll 4
        for (unsigned r = 0; r < count; r++) {
            if (some < PATTERN_GROUP || !pattern_group_vacant(row[r].given))
                pattern_group_make(model, row[r].to, &row[r].group);
        }
        for (unsigned i = 0; i < some; i++) {
#pragma GCC unroll 4
            for (unsigned r = 0; r < count; r++)
                decode_symbol(model, &row[r], i);
        }
        for (unsigned r = 0; r < count; r++) {
            row[r].to += PATTERN_GROUP;
            row[r].given += PATTERN_GROUP;
        }
    }
    for (unsigned r = 0; r < count; r++) {
        struct context_decoder *decoder = rows[r].decoder;
        decoder->state = row[r].coder;
        decoder->overrun |= row[r].at > decoder->end;
        decoder->at = decoder->overrun ? decoder->end : row[r].at;
    }
}

CLONED void pattern_decode_rows(const struct pattern_model *model, const struct pattern_row *row, unsigned rows)
{
    bool whole = true;
    for (unsigned r = 0; r < rows; r++)
        whole &= row[r].length == CONTEXT_ROW;
    if (whole && rows == PATTERN_ROWS)
        decode_rows(model, row, PATTERN_ROWS, CONTEXT_ROW);
    else if (whole && rows == 3)
        decode_rows(model, row, 3, CONTEXT_ROW);
    else if (whole && rows == 2)
        decode_rows(model, row, 2, CONTEXT_ROW);
    else
        for (unsigned r = 0; r < rows; r++)
            decode_rows(model, row + r, 1, row[r].length);
}
