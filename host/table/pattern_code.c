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
    model->other_of[label[1] + 2 * label[2] + 6 * label[3] + OTHER_KEYS_LOW * (label[4] + 5 * label[5])] =
        (uint8_t)*others;
    *others += 1;
    other->distinct = (uint8_t)values;
    other->first = (uint16_t)model->patterns;
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
    number_patterns(made, label, 0, &others);
    return pattern_model_place(model);
}

bool pattern_model_read(struct context_model *model, const uint8_t *raw, size_t bytes)
{
    if (bytes < PATTERN_HEADER)
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
    size_t choices = 0;
    for (unsigned p = 0; p < made->patterns; p++)
        choices += made->distinct[p] + 1U;
    if (bytes !=
        PATTERN_HEADER + model->symbols + 2 * (ROW_CONTEXTS * ROW_KINDS + choices + (size_t)classes * model->symbols))
        return false;
    bool good = true;
    raw += PATTERN_HEADER;
    for (unsigned s = 0; s < model->symbols; s++) {
        made->class_of[s] = raw[s];
        good &= raw[s] < classes;
    }
    raw += model->symbols;
    for (unsigned i = 0; good && i < ROW_CONTEXTS; i++, raw += 2 * ROW_KINDS)
        good = context_read_slots(model->row[i].start, CONTEXT_SYMBOLS_MAX + 1, ROW_KINDS, raw);
    for (unsigned p = 0; good && p < made->patterns; raw += 2 * (made->distinct[p] + 1U), p++)
        good = context_read_slots(made->slots[p].start, PATTERN_SLOTS + 1, made->distinct[p] + 1U, raw);
    for (unsigned c = 0; good && c < classes; c++, raw += 2 * model->symbols)
        good = context_read_slots(made->start[c], NEW_SYMBOLS_MAX + 1, model->symbols, raw);
    return good;
}

void pattern_model_free(struct pattern_model *model)
{
    free(model);
}

// The new value whose slots have `slot`.
static unsigned find_value(const uint16_t *start, uint32_t slot)
{
    unsigned low = 0;
    for (unsigned step = 128; step > 0; step /= 2) {
        if (low + step < NEW_SYMBOLS_MAX && start[low + step] <= slot)
            low += step;
    }
    return low;
}

void pattern_decode_row(const struct pattern_model *model, struct context_decoder *decoder, uint8_t *to, size_t count)
{
    struct context_decoder local = *decoder;
    struct pattern_group group;
    for (size_t i = 0; i < count; i++) {
        if (i % PATTERN_GROUP == 0)
            pattern_group_make(model, to + i, &group);
        const uint8_t last = to[(ptrdiff_t)i - (ptrdiff_t)model->last];
        const struct pattern pattern = pattern_of(model, &group, i % PATTERN_GROUP, last);
        const uint16_t *start = model->slots[pattern.number].start;
        const uint32_t slot = context_slot(&local);
        unsigned choice = 0;
        while (slot >= start[choice + 1])
            choice++;
        context_take(&local, slot, start[choice], start[choice + 1]);
        if (choice < pattern.distinct) {
            to[i] = pattern_value(pattern, choice);
            continue;
        }
        const uint16_t *new_start = model->start[model->class_of[last]];
        const uint32_t new_slot = context_slot(&local);
        to[i] = (uint8_t)find_value(new_start, new_slot);
        context_take(&local, new_slot, new_start[to[i]], new_start[to[i] + 1]);
    }
    *decoder = local;
}
