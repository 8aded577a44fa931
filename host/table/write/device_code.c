// device_code.c - the tables of a model for a device, and what it has coded as blocks (device_code.h)
#include "table/write/device_code.h"

#include "table/pattern_code.h"
#include "table/write/context_encode.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

_Static_assert((int)CODE_UNIT == (int)CONTEXT_UNIT && (int)CODE_ROW == (int)CONTEXT_ROW, "the kernels' numbers");
_Static_assert((int)CODE_TABLE_KEYS == 4 * ROW_CONTEXTS && (int)CODE_OTHERS == (int)OTHERS_MAX, "the kernels' numbers");
_Static_assert(CODE_TABLE_PATTERNS - CODE_TABLE_KEYS == OTHER_KEYS / 4 &&
                   CODE_TABLE_LABELS - CODE_TABLE_PATTERNS == PATTERN_GROUP * OTHER_PATTERNS_MAX &&
                   CODE_TABLE_CLASSES - CODE_TABLE_CHOICES == PATTERN_SLOTS * PATTERNS_MAX,
               "the kernels' numbers");
_Static_assert((int)CODE_LIKELY >= (int)CONTEXT_SYMBOLS_MAX, "there is room for it");

// Symbol number `s` as a token.
static uint32_t token(const uint16_t *start, unsigned s)
{
    return start[s] | (uint32_t)start[s + 1] << 16;
}

static void put_byte(uint32_t *table, unsigned i, uint8_t byte)
{
    table[i / 4] |= (uint32_t)byte << 8 * (i % 4);
}

static void distance_tables(struct symbols_coder *coder, const struct context_model *model, uint32_t *table)
{
    const struct pattern_model *patterns = model->patterns;
    struct code_launch *launch = &coder->model;
    launch->last = patterns->last;
    launch->others = patterns->others;
    for (unsigned n = 0; n < OTHERS_MAX; n++)
        launch->distance[n] = patterns->distance[n];
    for (unsigned key = 0; key < OTHER_KEYS; key++)
        put_byte(table + CODE_TABLE_KEYS, key, patterns->other_of[key]);
    for (unsigned o = 0; o < OTHER_PATTERNS_MAX; o++) {
        const struct other_pattern *other = &patterns->other[o];
        for (unsigned found = 0; found <= patterns->others; found++) {
            const unsigned number = other->number[found];
            table[CODE_TABLE_PATTERNS + PATTERN_GROUP * o + found] =
                number | (uint32_t)patterns->likely[0][o][found] / 8 << PATTERN_BYTE_SHIFT |
                (uint32_t)patterns->slots[0][number].likely << PATTERN_CHOICE_SHIFT |
                (uint32_t)patterns->distinct[number] << PATTERN_DISTINCT_SHIFT;
            table[CODE_TABLE_LABELS + o] |= (uint32_t)other->label[found] << 4 * found;
        }
    }
    for (unsigned p = 0; p < patterns->patterns; p++) {
        for (unsigned choice = 0; choice <= patterns->distinct[p]; choice++)
            table[CODE_TABLE_CHOICES + PATTERN_SLOTS * p + choice] = token(patterns->slots[0][p].start, choice);
    }
    for (unsigned symbol = 0; symbol < model->symbols; symbol++)
        put_byte(table + CODE_TABLE_CLASSES, symbol, patterns->class_of[0][symbol]);
    for (unsigned c = 0; c < patterns->classes; c++) {
        for (unsigned symbol = 0; symbol < model->symbols; symbol++)
            table[CODE_TABLE_NEW + c * model->symbols + symbol] = token(patterns->start[c], symbol);
    }
}

static void outcome_tables(struct symbols_coder *coder, const struct context_model *model, uint32_t *table)
{
    struct code_launch *launch = &coder->model;
    unsigned weight[CONTEXT_NEIGHBOURS_MAX];
    unsigned placed = 0;
    for (unsigned n = 0; n < model->neighbours; n++)
        weight[n] = n == 0 ? 1 : weight[n - 1] * model->symbols;
    for (int far = 1; far >= 0; far--) {
        for (unsigned n = 0; n < model->neighbours; n++) {
            if ((model->distance[n] >= PATTERN_GROUP) != far)
                continue;
            launch->distance[placed] = model->distance[n];
            launch->weight[placed++] = weight[n];
            launch->others += far == 1;
            launch->nears += far == 0;
        }
    }
    for (unsigned c = 0; c < model->contexts; c++) {
        uint32_t *to = table + CODE_TABLE_CONTEXTS + 8 * (size_t)c;
        for (unsigned s = 0; s < model->symbols; s++)
            to[s] = token(model->slots[c].start, s);
        to[CODE_LIKELY] = model->slots[c].likely[0] | (uint32_t)model->slots[c].likely[1] << 8;
    }
}

int coder_make(struct symbols_coder *coder, const struct context_model *model)
{
    const bool distances = model->patterns != NULL;
    uint32_t *table;
    *coder = (struct symbols_coder){.distances = distances, .sets = model->allowed_by};
    coder->words = distances ? CODE_TABLE_NEW + (size_t)model->patterns->classes * model->symbols
                             : CODE_TABLE_CONTEXTS + 8 * (size_t)model->contexts;
    TRY(memory_new(&table, coder->words, sizeof *table, "a table's model"));
    coder->table = table;
    coder->model.copied = model->copied;
    coder->model.symbols = model->symbols;
    for (unsigned i = 0; i < ROW_CONTEXTS * ROW_KINDS; i++)
        table[4 * (i / ROW_KINDS) + i % ROW_KINDS] = token(model->row[i / ROW_KINDS].start, i % ROW_KINDS);
    if (distances)
        distance_tables(coder, model, table);
    else
        outcome_tables(coder, model, table);
    return 0;
}

void coder_free(struct symbols_coder *coder)
{
    free((void *)(uintptr_t)coder->table);
    coder->table = NULL;
}

unsigned coder_symbol(const struct context_model *model, unsigned symbol)
{
    return model->patterns != NULL ? symbol : model->allowed_by[symbol & UINT8_MAX];
}

size_t coder_bound(const struct coded_unit *unit, size_t count)
{
    enum { EACH = 3 }; // its size, and an index
    const unsigned units = context_units(count);
    size_t bytes = EACH * (size_t)units;
    for (unsigned u = 0; u < units; u++)
        bytes += unit[u].bytes;
    return bytes;
}

int coder_join(const struct coded_unit *unit, const uint32_t *place, const uint8_t *bytes, size_t count,
               uint8_t *encoded, size_t *size)
{
    struct context_piece piece[CONTEXT_BLOCK_MAX / CONTEXT_UNIT];
    const unsigned units = context_units(count);
    for (unsigned u = 0; u < units; u++) {
        const bool alike = (unit[u].tokens & CODE_SYMBOL_ALIKE) != 0;
        if (unit[u].tokens == CODE_SYMBOL_BAD)
            return context_damaged();
        piece[u] = (struct context_piece){.bytes = bytes + 2 * (size_t)place[u],
                                          .size = unit[u].bytes,
                                          .symbol = alike ? (int)(unit[u].tokens & UINT8_MAX) : -1};
    }
    *size = context_join(piece, units, encoded);
    return 0;
}
