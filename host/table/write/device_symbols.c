// device_symbols.c - sections that a device makes, and blocks that it codes
//
// A symbol depends on nothing but the bits of its entry in the planes, its code. So the device gets the symbol of each
// code. The functions that make symbols on the processor find these from planes in which entry i has the code i: so the
// rules are in one place only.
#include "table/write/device_symbols.h"

#include "solve/backend_bulk.h"
#include "table/pattern_code.h"
#include "table/write/context_encode.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS = BACKEND_CODES / 64,
    RESOLVED = BACKEND_CODES / 2,
    COPY_UNIT = 64 // entries
};

struct meaning {
    uint64_t bits[BACKEND_CODE_BITS][WORDS]; // entry i has the code i
    uint8_t bytes[BACKEND_CODES];
    uint16_t symbol[BACKEND_CODES];
    uint16_t coded[BACKEND_CODES]; // as a coder wants symbols
    uint8_t outcome[BACKEND_CODES];
};

static struct slice_side all_codes(struct meaning *meaning)
{
    struct slice_side planes = {.won = meaning->bits[DISTANCE_PLANES_MAX],
                                .resolved = meaning->bits[DISTANCE_PLANES_MAX + 1]};
    for (unsigned bit = 0; bit < BACKEND_CODE_BITS; bit++) {
        for (unsigned code = 0; code < BACKEND_CODES; code++)
            meaning->bits[bit][code / 64] |= (uint64_t)(code >> bit & 1) << code % 64;
        if (bit < DISTANCE_PLANES_MAX)
            planes.distance[bit] = meaning->bits[bit];
    }
    return planes;
}

static void find_meaning(struct meaning *meaning, const struct code_book *book, const struct section_target *target,
                         bool distances)
{
    const struct symbol_kernels *kernels = symbol_kernels_choose(NULL);
    const struct slice_side planes = all_codes(meaning);
    uint64_t counts[TABLE_OUTCOMES] = {0};
    word_outcomes(kernels, &planes, book, 0, WORDS, meaning->outcome, counts);
    if (distances && target->bytes == 2) {
        word_distances(kernels, &planes, book, 0, WORDS, 2, meaning->symbol);
        return;
    }
    if (distances)
        word_distances(kernels, &planes, book, 0, WORDS, 1, meaning->bytes);
    for (int code = 0; code < BACKEND_CODES; code++)
        meaning->symbol[code] = distances ? meaning->bytes[code] : meaning->outcome[code];
}

static int copy_symbols(void *context, uint64_t first, uint64_t count, void *symbols, struct thread_pool *pool)
{
    const struct section_target *target = context;
    (void)pool;
    memcpy((char *)target->symbols + first * target->bytes, symbols, (size_t)count * target->bytes);
    return 0;
}

static int make(const struct tile_source *source, const struct section_request *request, bool distances, unsigned king,
                struct thread_pool *pool, bool *made)
{
    const struct section_target target = distances ? request->distance : request->outcome;
    struct symbols_coder coder = {.table = NULL};
    struct code_book *book = calloc(1, sizeof *book);
    struct meaning *meaning = calloc(1, sizeof *meaning);
    int code = 0;
    if (book == NULL || meaning == NULL) {
        code = error_memory(sizeof *book + sizeof *meaning, "writing a table");
    } else {
        // Without the bit of `resolved`, which is the last one, outcomes are the true ones.
        struct symbols_request wanted = {.king = king,
                                         .order = target.order,
                                         .bytes = target.bytes,
                                         .symbol = meaning->symbol,
                                         .outcome = meaning->outcome,
                                         .take = target.take != NULL ? target.take : copy_symbols,
                                         .take_context =
                                             target.take != NULL ? target.take_context : (void *)(uintptr_t)&target,
                                         .unit = target.take != NULL ? UINT64_C(1) << target.block_bits : COPY_UNIT,
                                         .counts = distances ? NULL : request->counts,
                                         .coder = target.model != NULL ? &coder : NULL,
                                         .coded_symbol = meaning->coded};
        code_book_make(book, source->value[request->side], request->first_free,
                       (enum metric)source->layout->material.metric, request->distance.lists);
        find_meaning(meaning, book, &target, distances);
        if (target.model != NULL) { // the device codes the blocks, too
            code = coder_make(&coder, target.model);
            coder.side = request->side;
            coder.take = target.take_coded;
            coder.take_context = target.take_context;
            // kernels/code.cl takes symbols, or of outcomes the sets of indices that they may have.
            for (int i = 0; i < BACKEND_CODES; i++)
                meaning->coded[i] = target.model->patterns != NULL
                                        ? meaning->symbol[i]
                                        : target.model->allowed_by[meaning->symbol[i] & UINT8_MAX];
        }
        THEN(code, source->symbols(source->context, request->side, &wanted, pool, made));
    }
    coder_free(&coder);
    free(book);
    free(meaning);
    return code;
}

int device_symbols(const struct tile_source *source, const struct section_request *request, unsigned king,
                   struct thread_pool *pool, bool *made)
{
    const struct section_target *targets[] = {&request->outcome, &request->distance};
    *made = false;
    if (source->symbols == NULL)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (targets[i]->order != NULL && targets[i]->slot != NULL)
            return 0;
    }
    // If only one stream could be made, it is made again by the host, except for its counts, which come last.
    for (int i = 1; i >= 0; i--) {
        if (targets[i]->order != NULL)
            TRY(make(source, request, i == 1, king, pool, made));
        if (targets[i]->order != NULL && !*made)
            return 0;
    }
    return 0;
}

// ---- blocks ----

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
