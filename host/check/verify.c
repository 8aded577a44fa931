// verify.c - proves a table right from nothing but the rules of chess (see verify.h)
//
// All positions: pass 1 probes every one and keeps the values in an array; pass 2 derives each value from the array
// (after moves that stay in the material) and from probing (after captures and promotions, and where an en passant
// capture is legal, which the array does not represent). A placement's place in the array: the men in the order of
// placement_men(), identical pieces by rising square, 6 bits each. Without pawns the first one is the black king with
// its number in the triangle; of the two mirror images of a placement with that king on the diagonal pass 1 visits one,
// so a lookup tries both.
//
// A sample: positions at random, every value by probing. Values that are compared with those of other files are probed,
// too.
#include "check/verify.h"

#include "check/stats_kept.h"
#include "chess/fen.h"
#include "index/square.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNSET = 0, SAMPLE_ITEM = 1024, SAMPLE_BATCH = 1 << 22 };

typedef uint16_t packed_value; // UNSET, or 1 + outcome + 2 + 8 * dtz

// A position of the sample.
struct drawn {
    uint64_t place;
    uint64_t bits;
};

struct verify {
    cltb_tables *tables;
    cltb_tables *others; // files to compare with; NULL: values are derived from the moves
    struct table *table;
    struct material material;
    bool pawns;
    int count;
    struct man man[MATERIAL_MEN_MAX];
    packed_value *value;           // [placement * 2 + side]; NULL: a sample
    struct stats_counter *counter; // likewise
    struct stats *kept;            // the statistics in the file, or NULL
    uint64_t sample;
    uint64_t seed;
    struct position *position; // [workers], for a sample
    struct drawn *drawn;       // [batch]
    uint64_t batch;
    uint64_t first; // the first item of the batch
    _Atomic uint64_t positions;
    _Atomic uint64_t rounded;
};

// ---- the array of values ----

// The symmetry under which a position is looked up first.
static int symmetry_of(const struct verify *v, const struct position *p)
{
    if (v->pawns)
        return square_file(position_king(p, WHITE)) > 3 ? 1 : 0;
    return symmetry_to_triangle(position_king(p, BLACK));
}

// The place of a position under symmetry g, one of those that pass 1 may have visited.
static uint64_t place_in_array(const struct verify *v, const struct position *p, int g)
{
    uint64_t place = 0;
    int i = 0;
    if (!v->pawns)
        place = (uint64_t)square_triangle[square_apply(g, position_king(p, v->man[i++].colour))];
    while (i < v->count) {
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
    int g = symmetry_of(v, p);
    packed_value packed = v->value[place_in_array(v, p, g)];
    if (packed == UNSET && !v->pawns && square_on_diagonal(position_king(p, BLACK))) {
        // The other image is one with the king on the same square.
        int king = square_apply(g, position_king(p, BLACK));
        for (int other = 0; other < SYMMETRIES && packed == UNSET; other++)
            if (other != g && square_apply(other, position_king(p, BLACK)) == king)
                packed = v->value[place_in_array(v, p, other)];
    }
    *value = (struct cltb_value){.outcome = (packed & 7) - 3, .dtz = packed >> 3};
    return packed != UNSET;
}

// ---- deriving a value ----

// Is `a` better than `b` for its side? Wins should be fast, losses slow.
static bool better(struct cltb_value a, struct cltb_value b)
{
    if (a.outcome != b.outcome)
        return a.outcome > b.outcome;
    return a.outcome > CLTB_DRAW ? a.dtz < b.dtz : a.dtz > b.dtz;
}

// The value that a move gives, from the value of the position after it.
static struct cltb_value before_move(struct cltb_value after, bool zeroing)
{
    struct cltb_value value = {-after.outcome, after.dtz + 1, 0};
    if (value.outcome == CLTB_DRAW)
        value.dtz = 0;
    else if (zeroing)
        value.dtz = value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS ? 1 : PLY_LIMIT + 1;
    else if (value.dtz > PLY_LIMIT)
        value.outcome = value.outcome > CLTB_DRAW ? CLTB_CURSED_WIN : CLTB_BLESSED_LOSS;
    return value;
}

static int probe_it(const struct verify *v, struct position *p, struct cltb_value *value)
{
    const enum metric metric = (enum metric)v->material.metric;
    return metric == METRIC_DTZ ? probe_value(v->tables, p, value) : probe_exact(v->tables, p, metric, value);
}

// The same if distances are to mate or, with `conversion`, to the winner's next capture or promotion.
static struct cltb_value before_exact(struct cltb_value after, bool conversion)
{
    const bool wins = after.outcome == CLTB_LOSS;
    return (struct cltb_value){-after.outcome,
                               after.outcome == CLTB_DRAW ? 0
                               : conversion && wins       ? 1
                                                          : after.dtz + 1,
                               0};
}

static int derive(struct verify *v, struct position *p, struct cltb_value *best)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    *best = (struct cltb_value){.outcome = position_in_check(p) ? CLTB_LOSS : CLTB_DRAW};
    for (int i = 0; i < count; i++) {
        struct cltb_value after;
        const bool zeroing = move_is_zeroing(p, moves[i]);
        const bool leaves = move_is_conversion(moves[i]);
        const bool stays = v->value != NULL && !leaves;
        TRY(position_make(p, moves[i]));
        // The array has the values after moves within the material.
        const int code = stays && !position_en_passant_legal(p) && known(v, p, &after) ? 0 : probe_it(v, p, &after);
        position_undo(p);
        TRY(code);
        struct cltb_value value = v->material.metric == METRIC_DTZ
                                      ? before_move(after, zeroing)
                                      : before_exact(after, v->material.metric == METRIC_DTC && leaves);
        if (i == 0 || better(value, *best))
            *best = value;
    }
    return 0;
}

static void describe(struct cltb_value value, char text[48])
{
    if (value.outcome == CLTB_DRAW)
        snprintf(text, 48, "draw");
    else if (value.rounded)
        snprintf(text, 48, "%s %d or %d", cltb_outcome_name(value.outcome), value.dtz, value.dtz + 1);
    else
        snprintf(text, 48, "%s %d", cltb_outcome_name(value.outcome), value.dtz);
}

// `who`: where the second value comes from, if there is one.
static int mismatch(const struct position *p, struct cltb_value value, const char *who, const struct cltb_value *other)
{
    char fen[FEN_MAX];
    char is[48];
    char ought[48] = "";
    fen_write(p, fen);
    describe(value, is);
    if (other != NULL)
        describe(*other, ought);
    return error_set(CLTB_E_MISMATCH, "%s: the table says %s, %s%s%s", fen, is, who, other != NULL ? " " : "", ought);
}

static int check(struct verify *v, struct position *p, struct cltb_value value)
{
    struct cltb_value should;
    TRY(derive(v, p, &should));
    if (should.outcome == value.outcome && should.dtz == value.dtz)
        return 0;
    return mismatch(p, value, "the legal moves say", &should);
}

// ---- comparing with other files ----

static int compare(struct verify *v, struct position *p)
{
    struct cltb_value value;
    struct cltb_value other;
    TRY(probe_value(v->tables, p, &value));
    TRY(probe_value(v->others, p, &other));
    const bool meet = value.dtz <= other.dtz + other.rounded && other.dtz <= value.dtz + value.rounded;
    if (value.outcome != other.outcome || !meet)
        return mismatch(p, value, "the other files say", &other);
    atomic_fetch_add_explicit(&v->positions, 1, memory_order_relaxed);
    if (value.rounded || other.rounded)
        atomic_fetch_add_explicit(&v->rounded, 1, memory_order_relaxed);
    return 0;
}

static int compare_visit(void *context, const struct placement *placement, int worker)
{
    struct position *p = placement->position;
    int code = 0;
    (void)worker;
    for (int side = WHITE; side <= BLACK; side++) {
        if (code == 0 && position_legal(p))
            code = compare(context, p);
        placement_turn(p);
    }
    return code;
}

// ---- every position ----

static int store_visit(void *context, const struct placement *placement, int worker)
{
    struct verify *v = context;
    struct position *p = placement->position;
    int code = 0;
    (void)worker;
    for (int side = WHITE; side <= BLACK; side++) {
        struct cltb_value value;
        if (code == 0 && position_legal(p)) {
            code = probe_it(v, p, &value);
            if (code == 0)
                v->value[place_in_array(v, p, symmetry_of(v, p))] =
                    (packed_value)(1 + value.outcome + 2 + 8 * value.dtz);
        }
        placement_turn(p);
    }
    return code;
}

static int check_visit(void *context, const struct placement *placement, int worker)
{
    struct verify *v = context;
    struct position *p = placement->position;
    struct cltb_value value[COLOURS];
    uint64_t positions = 0;
    int code = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        const bool legal = code == 0 && position_legal(p);
        positions += legal;
        if (!legal)
            value[side] = (struct cltb_value){.outcome = STATS_ILLEGAL};
        else if (!known(v, p, &value[side])) // pass 1 set it
            code = error_set(CLTB_E_MISMATCH, "a position was not probed");
        else
            code = check(v, p, value[side]);
        placement_turn(p);
    }
    atomic_fetch_add_explicit(&v->positions, positions, memory_order_relaxed);
    return code != 0 ? code : stats_counter_add(v->counter, placement, value, worker);
}

// Compares what was counted with the table's head.
static int check_figures(const struct verify *v, const struct stats *counted)
{
    const struct table_info *info = table_info(v->table);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        const int stored = info->symmetric ? WHITE : side;
        const int longest = counted->longest[side][slot].plies;
        uint64_t positions = 0;
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            positions += counted->bin[side][slot][ply].count;
        if (positions != info->positions[stored][slot])
            return error_set(CLTB_E_MISMATCH,
                             "its head says %" PRIu64 " positions with %s to move are %s, but it is %" PRIu64,
                             info->positions[stored][slot], side == WHITE ? "White" : "Black",
                             cltb_outcome_name(slot - 2), positions);
        if (longest != info->longest[stored][slot])
            return error_set(CLTB_E_MISMATCH, "its head says the longest %s with %s to move has %d plies, but it is %d",
                             cltb_outcome_name(slot - 2), side == WHITE ? "White" : "Black",
                             info->longest[stored][slot], longest);
    }
    return 0;
}

static int verify_all(struct verify *v, struct thread_pool *pool)
{
    const size_t bytes = sizeof *v->value * 2 * (v->pawns ? SQUARES : TRIANGLE_SQUARES) << 6 * (v->count - 1);
    struct stats *counted = NULL;
    TRY(stats_counter_open(&v->counter, v->tables, &v->material, threads_count(pool)));
    v->value = memory_map(bytes);
    int code = v->value == NULL ? error_memory(bytes, "the values of all positions (--sample N takes less)") : 0;
    THEN(code, placements_each(&v->material, pool, store_visit, v));
    THEN(code, placements_each(&v->material, pool, check_visit, v));
    code = stats_counter_close(v->counter, code, &counted);
    THEN(code, check_figures(v, counted));
    if (code == 0 && v->kept != NULL)
        code = stats_compare(v->kept, counted);
    memory_unmap(v->value, bytes);
    stats_free(counted);
    return code;
}

// ---- a sample ----

// Positions are drawn in batches and checked in the order of their places, so that the parts of tables that they need
// are read consecutively.
static int draw_work(void *context, uint64_t item, int worker)
{
    struct verify *v = context;
    uint64_t state = v->seed ^ (v->first + item + 1) * UINT64_C(0xd1342543de82ef95);
    struct position *p = &v->position[worker];
    for (uint64_t i = item * SAMPLE_ITEM; i < (item + 1) * SAMPLE_ITEM && i < v->batch; i++) {
        struct drawn *drawn = &v->drawn[i];
        // Every legal position is equally likely (none with a right to capture en passant, which tables do not have).
        do
            drawn->bits = random_next(&state);
        while (placement_of_bits(v->man, v->count, drawn->bits, p) != 0 || !position_legal(p));
        drawn->place = place_in_array(v, p, symmetry_of(v, p));
    }
    return 0;
}

static int compare_places(const void *left, const void *right)
{
    const struct drawn *a = left;
    const struct drawn *b = right;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int sample_work(void *context, uint64_t item, int worker)
{
    struct verify *v = context;
    struct position *p = &v->position[worker];
    for (uint64_t i = item * SAMPLE_ITEM; i < (item + 1) * SAMPLE_ITEM && i < v->batch; i++) {
        struct cltb_value value;
        TRY(placement_of_bits(v->man, v->count, v->drawn[i].bits, p));
        if (v->others != NULL) {
            TRY(compare(v, p));
            continue;
        }
        TRY(probe_it(v, p, &value));
        TRY(check(v, p, value));
        if (v->kept != NULL && v->kept->bin[p->side][value.outcome + 2][value.dtz].count == 0)
            return mismatch(p, value, "its statistics have no such position", NULL);
        atomic_fetch_add_explicit(&v->positions, 1, memory_order_relaxed);
    }
    return 0;
}

// Probes the positions that the statistics in the file name.
static int check_examples(const struct verify *v)
{
    const struct stats *kept = v->kept;
    struct cltb_value value[COLOURS];
    struct position p;
    struct tally_men men;
    tally_men_init(&men, &v->material);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const struct stats_longest *longest = &kept->longest[side][i % TABLE_OUTCOMES];
        const bool set = longest->plies >= 0 && tally_position(&men, longest->key, side, &p) && position_legal(&p);
        if (set)
            TRY(probe_it(v, &p, value));
        if (longest->plies >= 0 && (!set || value->outcome != i % TABLE_OUTCOMES - 2 || value->dtz != longest->plies))
            return error_set(CLTB_E_MISMATCH, "its statistics have a wrong example of the longest %s of %s to move",
                             cltb_outcome_name(i % TABLE_OUTCOMES - 2), side == WHITE ? "White" : "Black");
    }
    for (size_t i = 0; i < kept->zugzwang_count; i++) {
        const struct stats_zugzwang *zugzwang = &kept->zugzwang[i];
        for (int side = WHITE; side <= BLACK; side++) {
            const bool set = tally_position(&men, zugzwang->key, side, &p) && position_legal(&p);
            if (set)
                TRY(probe_it(v, &p, value));
            if (!set || value->outcome != zugzwang->outcome[side])
                return error_set(CLTB_E_MISMATCH, "its statistics list a wrong mutual zugzwang");
        }
    }
    return 0;
}

static int verify_sample(struct verify *v, struct thread_pool *pool)
{
    const uint64_t most = v->sample < SAMPLE_BATCH ? v->sample : SAMPLE_BATCH;
    int code = memory_new(&v->position, (size_t)threads_count(pool), sizeof *v->position, "positions");
    THEN(code, memory_new(&v->drawn, most, sizeof *v->drawn, "positions"));
    for (uint64_t done = 0; code == 0 && done < v->sample; done += v->batch) {
        const uint64_t left = v->sample - done;
        v->batch = left < SAMPLE_BATCH ? left : SAMPLE_BATCH;
        v->first = done / SAMPLE_ITEM;
        const uint64_t items = (v->batch + SAMPLE_ITEM - 1) / SAMPLE_ITEM;
        code = threads_each(pool, items, draw_work, v);
        if (code != 0)
            break;
        qsort(v->drawn, v->batch, sizeof *v->drawn, compare_places);
        code = threads_each(pool, items, sample_work, v);
    }
    free(v->position);
    free(v->drawn);
    return code == 0 && v->kept != NULL ? check_examples(v) : code;
}

// Does the rest of the work when the files are open.
static int run(struct verify *v, const struct verify_options *options, struct verify_result *result)
{
    v->count = placement_men(&v->material, v->man);
    v->pawns = material_has_pawns(&v->material);
    int code;
    if (v->sample > 0)
        code = verify_sample(v, options->pool);
    else if (v->others != NULL)
        code = placements_each(&v->material, options->pool, compare_visit, v);
    else
        code = verify_all(v, options->pool);
    result->positions = atomic_load(&v->positions);
    result->rounded = atomic_load(&v->rounded);
    if (code == CLTB_E_MISMATCH)
        snprintf(result->fault, sizeof result->fault, "%s", error_text());
    return code;
}

int verify_table(cltb_tables *tables, const struct material *material, const struct verify_options *options,
                 struct verify_result *result)
{
    struct verify v = {.tables = tables, .material = *material, .sample = options->sample, .seed = options->seed};
    *result = (struct verify_result){0};
    TRY(tables_find_table(tables, material, &v.table));
    TRY(table_check(v.table));
    TRY(stats_read(&v.kept, tables, material));
    const int code = run(&v, options, result);
    stats_free(v.kept);
    return code;
}

int verify_against(cltb_tables *tables, cltb_tables *others, const struct material *material,
                   const struct verify_options *options, struct verify_result *result)
{
    struct verify v = {
        .tables = tables, .others = others, .material = *material, .sample = options->sample, .seed = options->seed};
    const struct source *source;
    *result = (struct verify_result){0};
    TRY(tables_find_material(tables, material, &source));
    TRY(source_check(source));
    TRY(tables_find_material(others, material, &source));
    TRY(source_check(source));
    if (v.sample == 0) {
        TRY(load_syzygy(tables, material, options->pool));
        TRY(load_syzygy(others, material, options->pool));
    }
    if (options->progress != NULL)
        threads_watch(options->pool, options->progress, options->pool);
    return run(&v, options, result);
}
