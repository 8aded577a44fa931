// verify.c - proves a dobutsu database right from the rules of the game and nothing else (see verify.h)
//
// Every code: the values are in one array. A worker goes through its cells in order; a cell in which two men share a
// square is invalid whatever the owners are, so only its 256 bytes are looked at. The codes after the moves of some
// positions are gathered and prefetched before the first of them is read, because they lie anywhere in the array.
#include "dobutsu/check/verify.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"
#include "util/threads.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 32, // positions whose moves are gathered: some 300 reads in flight
    ITEM_CELLS = DOBUTSU_LION_PAIRS * DOBUTSU_PAIRS,
    SAMPLE_ITEM = 1024,
    WRONG_MAX = 1000 // wrong codes after which the verifier stops
};

enum code_class { CLASS_INVALID, CLASS_WON, CLASS_SEARCHED, CLASSES };

// Positions that wait for the values after their moves.
struct batch {
    int count;
    int ends[BATCH]; // where each position's codes in `after` end
    uint32_t code[BATCH];
    uint32_t after[BATCH * DOBUTSU_MOVES_MAX];
};

struct wrong {
    uint32_t code;
    int stored;
    int right;
};

struct verify {
    struct dobutsu_table *table;
    uint8_t *value; // [DOBUTSU_CODES]; NULL: a sample
    uint64_t sample;
    uint64_t seed;
    _Atomic uint64_t count[CLASSES];
    pthread_mutex_t lock;
    int wrongs;
    struct wrong wrong[WRONG_MAX];
};

// ---- what is right ----

// `p` is a position in which no two men share a square.
static enum code_class classify(const struct dobutsu *p)
{
    if (dobutsu_rooster_in_hand(p))
        return CLASS_INVALID;
    return dobutsu_can_take_lion(p) || dobutsu_can_ascend(p) ? CLASS_WON : CLASS_SEARCHED;
}

// Gathers the codes after all moves of a position that cannot win at once. A move to a position without a code adds
// none: it counts as the value 0.
static int gather(const struct dobutsu *p, uint32_t after[DOBUTSU_MOVES_MAX], int *count)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    const int all = dobutsu_moves(p, moves);
    *count = 0;
    for (int i = 0; i < all; i++) {
        struct dobutsu next;
        char text[DOBUTSU_TEXT_MAX];
        dobutsu_make(p, &moves[i], &next);
        if (dobutsu_encode(&next, &after[*count])) {
            ++*count;
        } else if (!dobutsu_can_take_lion(&next)) {
            dobutsu_write(p, text);
            return error_set(CLTB_E_MISMATCH, "%s: a position after a move has no code and is not lost", text);
        }
    }
    return 0;
}

// The values after the moves of a position, as far as they are known.
struct best {
    int least_odd;    // 255: none
    int largest_even; // positions without a code count as 0
    bool draw;
    bool invalid; // a move leads to a code that is marked invalid
};

static void best_add(struct best *best, int value)
{
    if (value == DOBUTSU_INVALID)
        best->invalid = true;
    else if (value == DOBUTSU_DRAW)
        best->draw = true;
    else if (value % 2 == 0)
        best->largest_even = value > best->largest_even ? value : best->largest_even;
    else
        best->least_odd = value < best->least_odd ? value : best->least_odd;
}

static int best_right(const struct best *best)
{
    if (best->invalid || best->least_odd + 1 == DOBUTSU_DRAW)
        return DOBUTSU_NONE_RIGHT;
    if (best->least_odd < DOBUTSU_INVALID)
        return best->least_odd + 1;
    return best->draw ? DOBUTSU_DRAW : best->largest_even + 1;
}

static const struct best best_none = {.least_odd = DOBUTSU_INVALID};

int dobutsu_verify_code(uint32_t code, dobutsu_lookup *lookup, void *context, int *right)
{
    struct dobutsu p;
    uint32_t after[DOBUTSU_MOVES_MAX];
    int count;
    dobutsu_decode(code, &p);
    const enum code_class class = dobutsu_overlaps(&p) ? CLASS_INVALID : classify(&p);
    if (class != CLASS_SEARCHED) {
        *right = class == CLASS_INVALID ? DOBUTSU_INVALID : 0;
        return 0;
    }
    struct best best = best_none;
    TRY(gather(&p, after, &count));
    for (int i = 0; i < count; i++) {
        uint8_t value;
        TRY(lookup(context, after[i], &value));
        best_add(&best, value);
    }
    *right = best_right(&best);
    return 0;
}

// ---- what is wrong ----

static int note_wrong(struct verify *v, uint32_t code, int stored, int right)
{
    bool full;
    pthread_mutex_lock(&v->lock);
    if (v->wrongs < WRONG_MAX)
        v->wrong[v->wrongs++] = (struct wrong){.code = code, .stored = stored, .right = right};
    full = v->wrongs == WRONG_MAX;
    pthread_mutex_unlock(&v->lock);
    return full ? error_set(CLTB_E_MISMATCH, "%d codes are wrong", WRONG_MAX) : 0;
}

static int compare_codes(const void *left, const void *right)
{
    const struct wrong *a = left;
    const struct wrong *b = right;
    return a->code < b->code ? -1 : a->code > b->code;
}

// Does a move lead to another wrong code? They are sorted.
static bool follows_from_another(const struct verify *v, const struct wrong *wrong)
{
    struct dobutsu p;
    uint32_t after[DOBUTSU_MOVES_MAX];
    int count;
    dobutsu_decode(wrong->code, &p);
    if (wrong->right == DOBUTSU_INVALID || wrong->right == 0 || gather(&p, after, &count) != 0)
        return false;
    for (int i = 0; i < count; i++) {
        const struct wrong key = {.code = after[i]};
        if (bsearch(&key, v->wrong, (size_t)v->wrongs, sizeof key, compare_codes) != NULL)
            return true;
    }
    return false;
}

static void describe(int value, char text[64])
{
    if (value == DOBUTSU_NONE_RIGHT)
        snprintf(text, 64, "none, because the code after a move is wrong");
    else if (value == DOBUTSU_INVALID)
        snprintf(text, 64, "255, invalid");
    else if (value == DOBUTSU_DRAW)
        snprintf(text, 64, "254, a draw");
    else
        snprintf(text, 64, "%d, a %s in %d", value, value % 2 == 0 ? "win" : "loss", value);
}

// A wrong byte makes the codes with a move to it look wrong, too. So the first wrong code without a move to another
// wrong code is reported.
static int say_wrong(struct verify *v)
{
    struct dobutsu p;
    char text[DOBUTSU_TEXT_MAX];
    char stored[64];
    char right[64];
    qsort(v->wrong, (size_t)v->wrongs, sizeof *v->wrong, compare_codes);
    int first = 0;
    while (first < v->wrongs && follows_from_another(v, &v->wrong[first]))
        first++;
    const struct wrong *wrong = &v->wrong[first < v->wrongs ? first : 0];
    dobutsu_decode(wrong->code, &p);
    if (dobutsu_overlaps(&p))
        snprintf(text, sizeof text, "two men on one square");
    else if (dobutsu_rooster_in_hand(&p))
        snprintf(text, sizeof text, "a rooster in hand");
    else
        dobutsu_write(&p, text);
    describe(wrong->stored, stored);
    describe(wrong->right, right);
    error_set(CLTB_E_MISMATCH, "code %" PRIu32 ", %s: the value stored is %s; the right one is %s", wrong->code, text,
              stored, right);
    if (v->wrongs > 1)
        error_append(CLTB_E_MISMATCH, " (%d %scodes do not agree with their moves)", v->wrongs,
                     v->wrongs == WRONG_MAX ? "or more " : "");
    return CLTB_E_MISMATCH;
}

// ---- every code ----

static int settle(struct verify *v, struct batch *batch)
{
    int i = 0;
    for (int n = 0; n < batch->count; n++) {
        const int stored = v->value[batch->code[n]];
        struct best best = best_none;
        for (; i < batch->ends[n]; i++)
            best_add(&best, v->value[batch->after[i]]);
        if (best_right(&best) != stored)
            TRY(note_wrong(v, batch->code[n], stored, best_right(&best)));
    }
    batch->count = 0;
    return 0;
}

static int add_position(struct verify *v, struct batch *batch, uint32_t code, const struct dobutsu *p)
{
    const int start = batch->count > 0 ? batch->ends[batch->count - 1] : 0;
    int moves;
    TRY(gather(p, &batch->after[start], &moves));
    for (int i = start; i < start + moves; i++)
        __builtin_prefetch(&v->value[batch->after[i]]);
    batch->code[batch->count] = code;
    batch->ends[batch->count++] = start + moves;
    return batch->count == BATCH ? settle(v, batch) : 0;
}

static int check_cell(struct verify *v, struct batch *batch, uint32_t cell, uint64_t count[CLASSES])
{
    const uint32_t first = cell * DOBUTSU_CELL_CODES;
    const uint8_t *value = &v->value[first];
    struct dobutsu p;
    dobutsu_decode(first, &p);
    if (dobutsu_overlaps(&p)) {
        uint8_t all = DOBUTSU_INVALID;
        count[CLASS_INVALID] += DOBUTSU_CELL_CODES;
        for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++)
            all &= value[op];
        for (uint32_t op = 0; all != DOBUTSU_INVALID && op < DOBUTSU_CELL_CODES; op++)
            if (value[op] != DOBUTSU_INVALID)
                TRY(note_wrong(v, first + op, value[op], DOBUTSU_INVALID));
        return 0;
    }
    for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++) {
        p.op = (uint8_t)op;
        const enum code_class class = classify(&p);
        count[class]++;
        const int right = class == CLASS_INVALID ? DOBUTSU_INVALID : 0;
        if (class == CLASS_SEARCHED)
            TRY(add_position(v, batch, first + op, &p));
        else if (value[op] != right)
            TRY(note_wrong(v, first + op, value[op], right));
    }
    return 0;
}

static void add_counts(struct verify *v, const uint64_t count[CLASSES])
{
    for (int class = 0; class < CLASSES; class ++)
        atomic_fetch_add_explicit(&v->count[class], count[class], memory_order_relaxed);
}

static int check_work(void *context, uint64_t item, int worker)
{
    struct verify *v = context;
    struct batch batch;
    uint64_t count[CLASSES] = {0};
    (void)worker;
    batch.count = 0;
    for (uint32_t i = 0; i < ITEM_CELLS; i++)
        TRY(check_cell(v, &batch, (uint32_t)item * ITEM_CELLS + i, count));
    TRY(settle(v, &batch));
    add_counts(v, count);
    return 0;
}

static int verify_all(struct verify *v, struct thread_pool *pool)
{
    const struct dobutsu_table_info *info = dobutsu_table_info(v->table);
    uint64_t count[DOBUTSU_VALUES] = {0};
    v->value = memory_map(DOBUTSU_CODES);
    if (v->value == NULL)
        return error_memory(DOBUTSU_CODES, "the values of all codes (--sample N takes less)");
    int code = dobutsu_table_load(v->table, v->value, pool);
    THEN(code, threads_each(pool, DOBUTSU_CELLS / ITEM_CELLS, check_work, v));
    if (code == 0 && v->wrongs > 0)
        code = CLTB_E_MISMATCH;
    // Compare the counts in the table's head with the values.
    for (uint32_t i = 0; code == 0 && info != NULL && i < DOBUTSU_CODES; i++)
        count[v->value[i]]++;
    for (int value = 0; code == 0 && info != NULL && value < DOBUTSU_VALUES; value++) {
        if (count[value] != info->count[value])
            code = error_set(CLTB_E_MISMATCH,
                             "the file's head says that %" PRIu64 " codes have the value %d, but it is %" PRIu64,
                             info->count[value], value, count[value]);
    }
    memory_unmap(v->value, DOBUTSU_CODES);
    return code;
}

// ---- a sample ----

static int look_up(void *table, uint32_t code, uint8_t *value)
{
    return dobutsu_table_value(table, code, value);
}

static int sample_work(void *context, uint64_t item, int worker)
{
    struct verify *v = context;
    uint64_t state = v->seed ^ (item + 1) * UINT64_C(0xd1342543de82ef95);
    uint64_t count[CLASSES] = {0};
    const uint64_t left = v->sample - item * SAMPLE_ITEM;
    (void)worker;
    for (uint64_t i = 0; i < SAMPLE_ITEM && i < left; i++) {
        // The upper half of the product: all codes are about equally likely.
        const uint32_t code = (uint32_t)((random_next(&state) >> 32) * DOBUTSU_CODES >> 32);
        uint8_t stored;
        int right;
        TRY(dobutsu_table_value(v->table, code, &stored));
        TRY(dobutsu_verify_code(code, look_up, v->table, &right));
        count[right == DOBUTSU_INVALID ? CLASS_INVALID : right == 0 ? CLASS_WON : CLASS_SEARCHED]++;
        if (stored != right)
            TRY(note_wrong(v, code, stored, right));
    }
    add_counts(v, count);
    return 0;
}

int dobutsu_verify(struct dobutsu_table *table, const struct dobutsu_verify_options *options,
                   struct dobutsu_verify_result *result)
{
    struct verify v = {.table = table, .sample = options->sample, .seed = options->seed};
    *result = (struct dobutsu_verify_result){0};
    TRY(dobutsu_table_check(table, options->pool));
    pthread_mutex_init(&v.lock, NULL);
    int code = v.sample == 0 ? verify_all(&v, options->pool)
                             : threads_each(options->pool, (v.sample + SAMPLE_ITEM - 1) / SAMPLE_ITEM, sample_work, &v);
    pthread_mutex_destroy(&v.lock);
    result->invalid = v.count[CLASS_INVALID];
    result->won = v.count[CLASS_WON];
    result->codes = result->invalid + result->won + v.count[CLASS_SEARCHED];
    if ((code == 0 || code == CLTB_E_MISMATCH) && v.wrongs > 0)
        code = say_wrong(&v);
    return code;
}
