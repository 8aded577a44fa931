// verify.c - proves the table of a restricted endgame right (the invariants are in verify.h)
#include "restricted/check/verify.h"

#include "chess/move.h"
#include "restricted/check/weight.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

struct verify {
    struct restricted_table *table;
    struct restricted_bases *bases;
    const struct restricted_index *index;
    struct restricted_values values; // of the table, for pawn moves
    struct value_figures *figures;   // [workers]
};

// ---- deriving a value ----

static int derive(void *context, struct position *p, int run, struct cltb_value *best)
{
    const struct verify *v = context;
    const struct spec *spec = &v->index->spec;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    bool any = false;
    (void)run;
    *best = (struct cltb_value){.outcome = CLTB_LOSS};
    if (count == 0 && !position_in_check(p)) {
        const int rule = spec_stalemate_rule(spec, p->side);
        const bool concede = rule >= 0 && spec->rule[rule].prune == SPEC_CONCEDE;
        best->outcome = rule < 0 ? CLTB_DRAW : concede ? CLTB_WIN : CLTB_LOSS;
    }
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        uint16_t code = RESTRICTED_OPEN;
        int rule;
        TRY(restricted_classify(v->bases, spec, p, moves[i], &kind, &rule));
        if (kind == MOVE_DISCARD)
            continue;
        if (kind == MOVE_QUIET) { // the table's value of the position after it, one ply more
            TRY(position_make(p, moves[i]));
            const int status = restricted_table_value(v->table, p, &code);
            position_undo(p);
            TRY(status);
        } else {
            TRY(restricted_move_value(v->bases, spec, &v->values, p, moves[i], kind, &code));
        }
        const struct cltb_value value =
            kind == MOVE_QUIET ? value_before(value_of_code(code), false) : value_of_code(code);
        if (!any || value_compare(value, *best) < 0)
            *best = value;
        any = true;
    }
    return 0;
}

// ---- one entry ----

// Checks that the position has the same value where the men stand like this.
static int compare_with(const struct verify *v, const struct position *p, struct cltb_value value, const uint8_t *where,
                        const char *says)
{
    uint32_t slice;
    uint64_t entry;
    uint16_t code;
    if (!restricted_place(v->index, where, &slice, &entry))
        return error_set(CLTB_E_MISMATCH, "an image of a position does not belong to the spec");
    TRY(restricted_table_entry(v->table, slice, p->side, entry, &code));
    const struct cltb_value other = value_of_code(code);
    return value_compare(other, value) == 0 ? 0 : placed_contradiction(p, value, other, says);
}

// Counts the value, and checks that of the same position elsewhere.
static int check_elsewhere(void *context, const struct placed_entry *at, struct cltb_value value)
{
    const struct verify *v = context;
    const struct position *p = at->position;
    uint8_t stand[SPEC_MEN_MAX];
    uint8_t where[SPEC_MEN_MAX];
    uint16_t code;
    value_figures_add(&v->figures[at->worker], p->side, value);
    TRY(restricted_table_value(v->table, p, &code));
    if (value_compare(value_of_code(code), value) != 0)
        return placed_contradiction(p, value, value_of_code(code), "and elsewhere");
    restricted_squares(v->index, v->index->section_slice[at->section], at->entry, stand);
    for (int i = 0; i < v->index->spec.men; i++) {
        for (int j = i + 1; j < v->index->spec.men; j++) {
            memcpy(where, stand, sizeof where);
            if (restricted_exchange(v->index, i, j, where))
                TRY(compare_with(v, p, value, where, "and with men exchanged"));
        }
    }
    for (int g = 1; g < v->index->symmetries; g++) {
        restricted_mirror(v->index, g, stand, where);
        TRY(compare_with(v, p, value, where, "and of its mirror image"));
    }
    return 0;
}

// ---- the table as a set of placements ----

static uint64_t entries(void *context, uint64_t section)
{
    (void)section;
    return ((const struct verify *)context)->index->slice_entries;
}

static bool place(void *context, uint64_t section, uint64_t entry, int side, struct position *position)
{
    const struct restricted_index *index = ((const struct verify *)context)->index;
    return restricted_position(index, index->section_slice[section], entry, side, position);
}

static unsigned weight(void *context, const struct placed_entry *at)
{
    const struct restricted_index *index = ((const struct verify *)context)->index;
    uint8_t stand[SPEC_MEN_MAX];
    restricted_squares(index, index->section_slice[at->section], at->entry, stand);
    return restricted_weight(index, stand);
}

static int value_of(void *context, const struct placed_entry *at, int run, struct cltb_value *value)
{
    const struct verify *v = context;
    uint16_t code;
    (void)run;
    TRY(restricted_table_entry(v->table, v->index->section_slice[at->section], at->position->side, at->entry, &code));
    *value = value_of_code(code);
    return 0;
}

static struct placed_set set_of(struct verify *v)
{
    return (struct placed_set){.context = v,
                               .sections = v->index->sections,
                               .runs = 1,
                               .entries = entries,
                               .place = place,
                               .weight = weight,
                               .value = value_of,
                               .derive = derive,
                               .also = check_elsewhere};
}

// ---- all ----

// Are the figures in the head those of the entries?
static int compare_figures(const struct verify *v, int workers)
{
    const struct value_figures *head = &restricted_table_info(v->table)->figures;
    struct value_figures *all = &v->figures[0];
    for (int i = 1; i < workers; i++)
        value_figures_join(all, &v->figures[i]);
    if (memcmp(all->positions, head->positions, sizeof all->positions) != 0)
        return error_set(CLTB_E_MISMATCH, "the counts in its head are not those of its entries");
    return memcmp(all->longest, head->longest, sizeof all->longest) == 0
               ? 0
               : error_set(CLTB_E_MISMATCH, "the longest distances in its head are not those of its entries");
}

int restricted_verify(struct restricted_table *table, struct restricted_bases *bases,
                      const struct placed_verify_options *options, uint64_t *positions)
{
    struct verify v = {
        .table = table, .bases = bases, .index = restricted_table_index(table), .values = {.table = table}};
    const int workers = threads_count(options->pool);
    const struct placed_set set = set_of(&v);
    *positions = 0;
    TRY(restricted_table_check(table, options->pool));
    TRY(memory_new(&v.figures, (size_t)workers, sizeof *v.figures, "verifying"));
    for (int i = 0; i < workers; i++)
        value_figures_clear(&v.figures[i]);
    int code = placed_verify(&set, options, positions);
    if (code == 0 && options->sample == 0)
        code = compare_figures(&v, workers);
    free(v.figures);
    return code;
}

int restricted_count(struct outcome_counts *counts, struct restricted_table *table, struct thread_pool *pool)
{
    struct verify v = {.table = table, .index = restricted_table_index(table)};
    const struct placed_set set = set_of(&v);
    return placed_count(counts, &set, pool);
}
