// verify.c - proves the table of a restricted endgame right (the invariants are in verify.h)
#include "restricted/check/verify.h"

#include "check/placements.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "restricted/check/walk.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_ITEM = 256, TRIES = 100000 };

// The work of one thread.
struct worker {
    struct position position;
    uint64_t positions[COLOURS][TABLE_OUTCOMES];
    int longest[COLOURS][TABLE_OUTCOMES];
};

struct verify {
    struct restricted_table *table;
    struct restricted_bases *bases;
    const struct restricted_index *index;
    struct restricted_values values; // of the table, for pawn moves
    uint64_t sample;
    uint64_t seed;
    struct worker *worker;
};

// ---- deriving a value ----

// Higher is better for the side to move: wins fast, losses slow.
static int rank_of(uint16_t code)
{
    const int ply = code / 2 - 1;
    if (code <= RESTRICTED_DRAW)
        return 0;
    return code % 2 == 1 ? 2 * TABLE_PLY_MAX - ply : ply - 2 * TABLE_PLY_MAX;
}

static int derive(struct verify *v, struct position *p, uint16_t *best)
{
    const struct spec *spec = &v->index->spec;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    bool any = false;
    *best = value_code(false, 0);
    if (count == 0 && !position_in_check(p)) {
        const int rule = spec_stalemate_rule(spec, p->side);
        *best = rule < 0 ? RESTRICTED_OPEN : value_code(spec->rule[rule].prune == SPEC_CONCEDE, 0);
    }
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        uint16_t value;
        int rule;
        TRY(restricted_classify(v->bases, spec, p, moves[i], &kind, &rule));
        if (kind == MOVE_DISCARD)
            continue;
        if (kind == MOVE_QUIET) { // the table's value of the position after it, one ply more
            uint16_t after = RESTRICTED_OPEN;
            TRY(position_make(p, moves[i]));
            const int code = restricted_table_value(v->table, p, &after);
            position_undo(p);
            TRY(code);
            value = after <= RESTRICTED_DRAW ? RESTRICTED_OPEN : value_code(after % 2 == 0, after / 2);
        } else {
            TRY(restricted_move_value(v->bases, spec, &v->values, p, moves[i], kind, &value));
        }
        if (!any || rank_of(value) > rank_of(*best))
            *best = value;
        any = true;
    }
    if (*best == RESTRICTED_DRAW)
        *best = RESTRICTED_OPEN;
    return 0;
}

// ---- one entry ----

static int contradiction(const struct position *p, uint16_t is, uint16_t other, const char *who)
{
    const struct cltb_value values[2] = {value_of_code(is), value_of_code(other)};
    char fen[FEN_MAX];
    char text[2][32] = {"draw", "draw"};
    fen_write(p, fen);
    for (int i = 0; i < 2; i++) {
        if (values[i].outcome != CLTB_DRAW)
            snprintf(text[i], sizeof text[i], "%s %d", cltb_outcome_name(values[i].outcome), values[i].dtz);
    }
    return error_set(CLTB_E_MISMATCH, "%s: the table says %s, %s %s", fen, text[0], who, text[1]);
}

// Checks that the position has the same value where the men stand like this.
static int compare_with(struct verify *v, const struct position *p, uint16_t value, const uint8_t *where,
                        const char *who)
{
    uint32_t slice;
    uint64_t entry;
    uint16_t other;
    if (!restricted_place(v->index, where, &slice, &entry))
        return error_set(CLTB_E_MISMATCH, "an image of a position does not belong to the spec");
    TRY(restricted_table_entry(v->table, slice, p->side, entry, &other));
    return other == value ? 0 : contradiction(p, value, other, who);
}

// Checks the worker's position if it is legal: its value, the counts, and the value of the same position elsewhere.
static int check_side(struct verify *v, const struct restricted_entry *at, struct worker *worker)
{
    struct position *p = &worker->position;
    uint8_t where[SPEC_MEN_MAX];
    uint16_t value;
    uint16_t other;
    if (!position_legal(p))
        return 0;
    TRY(restricted_table_entry(v->table, at->slice, p->side, at->entry, &value));
    TRY(derive(v, p, &other));
    if (other != value)
        return contradiction(p, value, other, "the legal moves say");
    const struct cltb_value found = value_of_code(value);
    int *longest = &worker->longest[p->side][found.outcome + 2];
    worker->positions[p->side][found.outcome + 2]++;
    if (found.outcome != CLTB_DRAW && found.dtz > *longest)
        *longest = found.dtz;
    TRY(restricted_table_value(v->table, p, &other));
    if (other != value)
        return contradiction(p, value, other, "and elsewhere");
    for (int i = 0; i < v->index->spec.men; i++) {
        for (int j = i + 1; j < v->index->spec.men; j++) {
            memcpy(where, at->where, sizeof where);
            if (restricted_exchange(v->index, i, j, where))
                TRY(compare_with(v, p, value, where, "and with men exchanged"));
        }
    }
    for (int g = 1; g < v->index->symmetries; g++) {
        restricted_mirror(v->index, g, at->where, where);
        TRY(compare_with(v, p, value, where, "and of its mirror image"));
    }
    return 0;
}

static int check_entry(void *context, const struct restricted_entry *at, int number)
{
    struct verify *v = context;
    struct worker *worker = &v->worker[number];
    TRY(restricted_set(v->index, at->where, WHITE, &worker->position));
    TRY(check_side(v, at, worker));
    placement_turn(&worker->position);
    return check_side(v, at, worker);
}

// Checks positions drawn at random, every entry equally likely, until one is legal.
static int sample_work(void *context, uint64_t item, int number)
{
    struct verify *v = context;
    struct position *p = &v->worker[number].position;
    uint64_t state = v->seed ^ (item + 1) * UINT64_C(0xd1342543de82ef95);
    for (uint64_t i = item * SAMPLE_ITEM; i < (item + 1) * SAMPLE_ITEM && i < v->sample; i++) {
        struct restricted_entry at;
        bool legal = false;
        for (int tries = 0; !legal && tries < TRIES; tries++) {
            const uint64_t entry = random_next(&state) % restricted_table_info(v->table)->entries;
            at.slice = v->index->section_slice[entry / v->index->slice_entries];
            at.entry = entry % v->index->slice_entries;
            legal = restricted_squares(v->index, at.slice, at.entry, at.where) &&
                    restricted_set(v->index, at.where, (int)(random_next(&state) & 1), p) == 0 && position_legal(p);
        }
        if (!legal)
            return 0;
        TRY(check_side(v, &at, &v->worker[number]));
    }
    return 0;
}

int restricted_verify(struct restricted_table *table, struct restricted_bases *bases,
                      const struct restricted_verify_options *options, uint64_t *positions)
{
    const struct restricted_info *info = restricted_table_info(table);
    struct verify v = {.table = table,
                       .bases = bases,
                       .index = restricted_table_index(table),
                       .values = {.table = table},
                       .sample = options->sample,
                       .seed = options->seed};
    const int workers = threads_count(options->pool);
    *positions = 0;
    TRY(memory_new(&v.worker, (size_t)workers, sizeof *v.worker, "verifying"));
    for (int i = 0; i < workers; i++)
        memset(v.worker[i].longest, -1, sizeof v.worker[i].longest);
    int code = restricted_table_check(table, options->pool);
    if (code == 0 && v.sample > 0)
        code = threads_each(options->pool, (v.sample + SAMPLE_ITEM - 1) / SAMPLE_ITEM, sample_work, &v);
    else if (code == 0)
        code = restricted_each(v.index, options->pool, check_entry, &v);
    struct worker *all = &v.worker[0];
    for (int i = 0; code == 0 && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        for (int j = 1; j < workers; j++) {
            const int longest = v.worker[j].longest[side][slot];
            all->positions[side][slot] += v.worker[j].positions[side][slot];
            if (longest > all->longest[side][slot])
                all->longest[side][slot] = longest;
        }
        *positions += all->positions[side][slot];
    }
    if (code == 0 && v.sample == 0 && memcmp(all->positions, info->positions, sizeof all->positions) != 0)
        code = error_set(CLTB_E_MISMATCH, "the counts in its head are not those of its entries");
    if (code == 0 && v.sample == 0 && memcmp(all->longest, info->longest, sizeof all->longest) != 0)
        code = error_set(CLTB_E_MISMATCH, "the longest distances in its head are not those of its entries");
    free(v.worker);
    return code;
}
