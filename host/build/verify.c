// verify.c - proves a table right from the rules of chess and nothing else (see verify.h)
//
// All positions: pass 1 probes every one and keeps the values in an array, pass 2 derives each from the array (after
// quiet moves) and from probing (after captures). A placement's place in the array: black king in the triangle, then
// the other men in the order of placement_men(), like men by rising square, 6 bits each. Of the two mirror images of a
// placement with the black king on the diagonal pass 1 visits one, so a lookup tries both.
//
// A sample: positions at random, every value by probing.
#include "build/verify.h"

#include "build/placements.h"
#include "index/square.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "rules/attacks.h"
#include "rules/fen.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLY_LIMIT = 100, UNSET = 0, SAMPLE_ITEM = 1024 };

typedef uint16_t packed_value; // UNSET, or 1 + outcome + 2 + 8 * dtz

struct verify {
    cltb_tables *tables;
    struct material material;
    int count;
    struct man man[MATERIAL_MEN_MAX];
    packed_value *value; // [placement * 2 + side]; NULL: a sample
    uint64_t sample;
    uint64_t seed;
    struct position *position; // [workers], for a sample
    _Atomic uint64_t positions;
};

// ---- the array of values ----

static packed_value pack(struct cltb_value value)
{
    return (packed_value)(1 + value.outcome + 2 + 8 * value.dtz);
}

static struct cltb_value unpack(packed_value packed)
{
    return (struct cltb_value){(packed & 7) - 3, packed >> 3};
}

// Under symmetry g, which must bring the black king into the triangle.
static uint64_t place_in_array(const struct verify *v, const struct position *p, int g)
{
    uint64_t place = (uint64_t)square_triangle[square_apply(g, position_king(p, BLACK))];
    for (int i = 1; i < v->count;) {
        const struct man *man = &v->man[i];
        int n = p->count[man->colour][man->type];
        uint64_t set = 0;
        for (int k = 0; k < n; k++)
            set |= square_bit(square_apply(g, p->list[man->colour][man->type][k]));
        for (; set != 0; i++)
            place = place << 6 | (uint64_t)set_pop(&set);
    }
    return 2 * place + p->side;
}

static bool known(const struct verify *v, const struct position *p, struct cltb_value *value)
{
    int g = symmetry_to_triangle(position_king(p, BLACK));
    packed_value packed = v->value[place_in_array(v, p, g)];
    if (packed == UNSET && square_on_diagonal(position_king(p, BLACK))) {
        // The other image: one that ends with the king on the same square.
        int king = square_apply(g, position_king(p, BLACK));
        for (int other = 0; other < SYMMETRIES && packed == UNSET; other++)
            if (other != g && square_apply(other, position_king(p, BLACK)) == king)
                packed = v->value[place_in_array(v, p, other)];
    }
    *value = unpack(packed);
    return packed != UNSET;
}

// ---- deriving a value ----

// Is `a` better than `b` for the side that has it? Wins fast, losses slow.
static bool better(struct cltb_value a, struct cltb_value b)
{
    if (a.outcome != b.outcome)
        return a.outcome > b.outcome;
    return a.outcome > CLTB_DRAW ? a.dtz < b.dtz : a.dtz > b.dtz;
}

// What a move makes of the value of the position after it.
static struct cltb_value before_move(struct cltb_value after, bool zeroing)
{
    struct cltb_value value = {-after.outcome, after.dtz + 1};
    if (value.outcome == CLTB_DRAW)
        value.dtz = 0;
    else if (zeroing)
        value.dtz = value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS ? 1 : PLY_LIMIT + 1;
    else if (value.dtz > PLY_LIMIT)
        value.outcome = value.outcome > CLTB_DRAW ? CLTB_CURSED_WIN : CLTB_BLESSED_LOSS;
    return value;
}

static int value_after(struct verify *v, struct position *p, bool zeroing, struct cltb_value *value)
{
    if (v->value != NULL && !zeroing && known(v, p, value))
        return 0;
    return probe_value(v->tables, p, value);
}

static int derive(struct verify *v, struct position *p, struct cltb_value *best)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    *best = (struct cltb_value){position_in_check(p) ? CLTB_LOSS : CLTB_DRAW, 0};
    for (int i = 0; i < count; i++) {
        struct cltb_value after;
        bool zeroing = move_is_zeroing(p, moves[i]);
        int code = position_make(p, moves[i]);
        if (code != 0)
            return code;
        code = value_after(v, p, zeroing, &after);
        position_undo(p);
        if (code != 0)
            return code;
        struct cltb_value value = before_move(after, zeroing);
        if (i == 0 || better(value, *best))
            *best = value;
    }
    return 0;
}

static void describe(struct cltb_value value, char text[32])
{
    if (value.outcome == CLTB_DRAW)
        snprintf(text, 32, "draw");
    else
        snprintf(text, 32, "%s %d", cltb_outcome_name(value.outcome), value.dtz);
}

static int check(struct verify *v, struct position *p, struct cltb_value value)
{
    struct cltb_value should;
    int code = derive(v, p, &should);
    if (code != 0 || (should.outcome == value.outcome && should.dtz == value.dtz))
        return code;
    char fen[FEN_MAX];
    char is[32];
    char ought[32];
    fen_write(p, fen);
    describe(value, is);
    describe(should, ought);
    return error_set(CLTB_E_MISMATCH, "%s: the table says %s, the legal moves say %s", fen, is, ought);
}

// ---- every position ----

static int store_side(struct verify *v, struct position *p)
{
    struct cltb_value value;
    if (!position_legal(p))
        return 0;
    int code = probe_value(v->tables, p, &value);
    if (code == 0)
        v->value[place_in_array(v, p, symmetry_to_triangle(position_king(p, BLACK)))] = pack(value);
    return code;
}

static int check_side(struct verify *v, struct position *p, uint64_t *positions)
{
    struct cltb_value value;
    if (!position_legal(p))
        return 0;
    ++*positions;
    if (!known(v, p, &value)) // pass 1 set it
        return error_set(CLTB_E_MISMATCH, "a position was not probed");
    return check(v, p, value);
}

static int store_visit(void *context, const struct placement *placement, int worker)
{
    (void)worker;
    struct position *p = placement->position;
    int code = store_side(context, p);
    placement_turn(p);
    if (code == 0)
        code = store_side(context, p);
    placement_turn(p);
    return code;
}

static int check_visit(void *context, const struct placement *placement, int worker)
{
    (void)worker;
    struct verify *v = context;
    struct position *p = placement->position;
    uint64_t positions = 0;
    int code = check_side(v, p, &positions);
    placement_turn(p);
    if (code == 0)
        code = check_side(v, p, &positions);
    placement_turn(p);
    atomic_fetch_add_explicit(&v->positions, positions, memory_order_relaxed);
    return code;
}

static int verify_all(struct verify *v, struct thread_pool *pool)
{
    size_t bytes = sizeof *v->value * 2 * TRIANGLE_SQUARES << 6 * (v->count - 1);
    v->value = memory_map(bytes);
    if (v->value == NULL)
        return error_memory(bytes, "the values of all positions (--sample N takes less)");
    int code = placements_each(&v->material, pool, store_visit, v);
    if (code == 0)
        code = placements_each(&v->material, pool, check_visit, v);
    memory_unmap(v->value, bytes);
    return code;
}

// ---- a sample ----

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// A legal position of the material, every one equally likely.
static void random_position(const struct verify *v, uint64_t *state, struct position *p)
{
    struct man men[MATERIAL_MEN_MAX];
    memcpy(men, v->man, sizeof men);
    for (;;) {
        uint64_t bits = random_next(state);
        for (int i = 0; i < v->count; i++)
            men[i].square = (uint8_t)(bits >> 6 * i & 63);
        if (position_set(p, men, v->count, (int)(bits >> 63)) == 0 && position_legal(p))
            return;
    }
}

static int sample_work(void *context, uint64_t item, int worker)
{
    struct verify *v = context;
    uint64_t state = v->seed ^ (item + 1) * UINT64_C(0xd1342543de82ef95);
    uint64_t left = v->sample - item * SAMPLE_ITEM;
    uint64_t count = left < SAMPLE_ITEM ? left : SAMPLE_ITEM;
    struct position *p = &v->position[worker];
    int code = 0;
    for (uint64_t i = 0; i < count && code == 0; i++) {
        struct cltb_value value;
        random_position(v, &state, p);
        code = probe_value(v->tables, p, &value);
        if (code == 0)
            code = check(v, p, value);
    }
    atomic_fetch_add_explicit(&v->positions, count, memory_order_relaxed);
    return code;
}

static int verify_sample(struct verify *v, struct thread_pool *pool)
{
    size_t bytes = (size_t)threads_count(pool) * sizeof *v->position;
    v->position = malloc(bytes);
    if (v->position == NULL)
        return error_memory(bytes, "positions");
    int code = threads_each(pool, (v->sample + SAMPLE_ITEM - 1) / SAMPLE_ITEM, sample_work, v);
    free(v->position);
    return code;
}

int verify_table(cltb_tables *tables, const struct material *material, const struct verify_options *options,
                 struct verify_result *result)
{
    struct verify v = {.tables = tables, .material = *material, .sample = options->sample, .seed = options->seed};
    struct table *table;
    *result = (struct verify_result){0};
    int code = tables_find_material(tables, material, &table);
    if (code == 0)
        code = table_check(table);
    if (code != 0)
        return code;
    v.count = placement_men(material, v.man);
    code = v.sample > 0 ? verify_sample(&v, options->pool) : verify_all(&v, options->pool);
    result->positions = atomic_load(&v.positions);
    if (code == CLTB_E_MISMATCH)
        snprintf(result->fault, sizeof result->fault, "%s", error_text());
    return code;
}
