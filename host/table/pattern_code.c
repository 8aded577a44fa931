// pattern_code.c - decoding distances (pattern_code.h)
#include "table/pattern_code.h"

#include <stdlib.h>

// Numbers the patterns whose first neighbours have these labels, the numbers of their distinct values.
static void number_patterns(struct pattern_model *model, const uint8_t label[OTHERS_MAX], unsigned count,
                            unsigned *others)
{
    unsigned values = 0;
    for (unsigned n = 0; n < count; n++)
        values = label[n] >= values ? label[n] + 1U : values;
    if (count < model->others) {
        uint8_t longer[OTHERS_MAX];
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
    other->distinct = (uint8_t)values;
    other->first = (uint16_t)model->patterns;
    other->label[count] = (uint8_t)values;
    other->neighbour[values] = (uint8_t)(8 * count);
    for (unsigned n = count; n-- > 0;) {
        other->label[n] = label[n];
        other->neighbour[label[n]] = (uint8_t)(8 * n);
    }
    for (unsigned last = 0; last <= values; last++)
        model->distinct[model->patterns++] = (uint8_t)(values + (last == values));
}

bool pattern_model_place(struct context_model *model)
{
    struct pattern_model *made = model->patterns;
    made->used = (UINT64_C(1) << 8 * made->others) - 1;
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
    const uint8_t label[OTHERS_MAX] = {0};
    unsigned others = 0;
    struct pattern_model *made = calloc(1, sizeof *made);
    model->patterns = made;
    if (made == NULL || model->neighbours < 1 || model->neighbours > PATTERN_NEIGHBOURS_MAX)
        return false;
    made->others = model->neighbours - 1;
    made->given = 1;
    number_patterns(made, label, 0, &others);
    return pattern_model_place(model);
}

bool pattern_model_read(struct context_model *model, enum context_content content, const uint8_t *raw, size_t bytes)
{
    const bool numbered = content != CONTEXT_DISTANCES; // Has it the number of a stream of outcomes?
    if (bytes < PATTERN_HEADER + (size_t)numbered)
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
    made->marked = content == CONTEXT_MARKED_DISTANCES;
    made->outcomes = numbered ? raw[PATTERN_HEADER] : NOT_PAIRED;
    made->paired = made->outcomes != NOT_PAIRED;
    made->given = made->paired ? GIVEN_MAX : 1;
    if (content == CONTEXT_PAIRED_DISTANCES && !made->paired)
        return false;
    size_t choices = 0;
    for (unsigned p = 0; p < made->patterns; p++)
        choices += made->distinct[p] + 1U;
    if (bytes != PATTERN_HEADER + numbered + (size_t)made->given * model->symbols +
                     2 * (ROW_CONTEXTS * ROW_KINDS + made->given * choices + (size_t)classes * model->symbols))
        return false;
    bool good = true;
    raw += PATTERN_HEADER + numbered;
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

// The choice whose slots have `slot`: the number of later choices that begin at or before it.
static inline unsigned find_choice(const struct pattern_slots *slots, uint32_t slot)
{
    typedef int16_t lanes __attribute__((vector_size(2 * PATTERN_SLOTS)));
    lanes start;
    uint64_t word[2];
    memcpy(&start, slots->start + 1, sizeof start);
    const lanes reached = (lanes)(start <= (int16_t)slot) & 1;
    memcpy(word, &reached, sizeof word);
    return (unsigned)((word[0] + word[1]) * UINT64_C(0x0001000100010001) >> 48);
}

static inline __attribute__((always_inline)) void decode_symbol(const struct pattern_model *model,
                                                                struct context_decoder *decoder,
                                                                const struct pattern_group *group, unsigned given,
                                                                unsigned i, uint8_t *to)
{
    const uint8_t last = *(to - model->last);
    if (given == VACANT) {
        *to = last;
        return;
    }
    const struct pattern pattern = pattern_of(model, group, i, last);
    const struct pattern_slots *slots = &model->slots[given][pattern.number];
    const uint32_t slot = context_slot(decoder);
    const unsigned choice = find_choice(slots, slot);
    context_take(decoder, slot, slots->start[choice], slots->start[choice + 1]);
    *to = pattern_value(pattern, choice);
    if (choice < pattern.distinct)
        return;
    const uint16_t *start = model->start[model->class_of[given][last]];
    const uint32_t new_slot = context_slot(decoder);
    *to = (uint8_t)find_value(start, new_slot);
    context_take(decoder, new_slot, start[*to], start[*to + 1]);
}

static inline __attribute__((always_inline)) void
decode_rows(const struct pattern_model *model, const struct pattern_row *row, unsigned rows, size_t length)
{
    struct context_decoder decoder[PATTERN_ROWS];
    struct pattern_group group[PATTERN_ROWS] = {{.bytes = {0}}};
    for (unsigned r = 0; r < rows; r++)
        decoder[r] = *row[r].decoder;
    for (size_t at = 0; at < length; at += PATTERN_GROUP) {
        const unsigned some = length - at < PATTERN_GROUP ? (unsigned)(length - at) : PATTERN_GROUP;
        for (unsigned r = 0; r < rows; r++) {
            if (some < PATTERN_GROUP || !pattern_group_vacant(row[r].given + at))
                pattern_group_make(model, row[r].to + at, &group[r]);
        }
        for (unsigned i = 0; i < some; i++) {
            for (unsigned r = 0; r < rows; r++)
                decode_symbol(model, &decoder[r], &group[r], row[r].given[at + i], i, row[r].to + at + i);
        }
    }
    for (unsigned r = 0; r < rows; r++)
        *row[r].decoder = decoder[r];
}

void pattern_decode_rows(const struct pattern_model *model, const struct pattern_row *row, unsigned rows)
{
    bool whole = rows == PATTERN_ROWS;
    for (unsigned r = 0; r < rows; r++)
        whole &= row[r].length == CONTEXT_ROW;
    if (whole) {
        decode_rows(model, row, PATTERN_ROWS, CONTEXT_ROW);
        return;
    }
    for (unsigned r = 0; r < rows; r++)
        decode_rows(model, row + r, 1, row[r].length);
}
