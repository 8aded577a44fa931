// verify.c - proves the table of a restricted endgame right (the invariants are in verify.h), and counts its positions
//
// To count each position on the board once, an entry stands for its position only if
//
// 1. of all ways to give the position's squares to the spec's men it is the one that spec_seat() finds;
// 2. it is the lowest of its symmetric images that have an entry in the same slice (compare_boards()).
//
// It then counts for as many positions as it has images: the number of symmetries divided by those that change nothing.
#include "restricted/check/verify.h"

#include "chess/move.h"
#include "index/square.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- men that exchange squares ----

static bool same_kind(const struct spec_man *a, const struct spec_man *b)
{
    return a->colour == b->colour && a->type == b->type && a->type != PAWN;
}

bool restricted_exchange(const struct restricted_index *index, int a, int b, uint8_t where[SPEC_MEN_MAX])
{
    const struct spec_man *man = index->spec.man;
    const uint8_t square = where[a];
    if (!same_kind(&man[a], &man[b]) || !(man[a].squares & square_bit(where[b])) ||
        !(man[b].squares & square_bit(square)))
        return false;
    where[a] = where[b];
    where[b] = square;
    return true;
}

// Is this the one way to give these squares to the men that spec_seat() finds? Pawns have one order in a slice.
static bool is_found_way(const struct restricted_index *index, const uint8_t *stand)
{
    const struct spec *spec = &index->spec;
    bool found = true;
    for (int first = 0, count = 1; first < spec->men; first += count, count = 1) {
        uint64_t set[SPEC_MEN_MAX];
        uint8_t owner[SQUARES];
        uint64_t present = square_bit(stand[first]);
        for (; first + count < spec->men && same_kind(&spec->man[first], &spec->man[first + count]); count++)
            present |= square_bit(stand[first + count]);
        if (count == 1)
            continue;
        for (int i = 0; i < count; i++)
            set[i] = spec->man[first + i].squares & present;
        spec_seat(set, count, owner);
        for (int i = 0; i < count; i++)
            found &= owner[stand[first + i]] == i;
    }
    return found;
}

// ---- symmetric images ----

struct board {
    uint64_t men[COLOURS][PIECE_TYPES];
};

static struct board board_of(const struct restricted_index *index, const uint8_t *where)
{
    struct board board = {{{0}}};
    for (int i = 0; i < index->spec.men; i++)
        board.men[index->spec.man[i].colour][index->spec.man[i].type] |= square_bit(where[i]);
    return board;
}

static int compare_boards(const struct board *a, const struct board *b)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type < PIECE_TYPES; type++) {
            if (a->men[colour][type] != b->men[colour][type])
                return a->men[colour][type] < b->men[colour][type] ? -1 : 1;
        }
    }
    return 0;
}

unsigned restricted_weight(const struct restricted_index *index, const uint8_t *stand)
{
    unsigned fixed = 1; // symmetries that change nothing
    if (!is_found_way(index, stand))
        return 0;
    const struct board board = board_of(index, stand);
    for (int g = 1; g < index->symmetries; g++) {
        uint8_t where[SPEC_MEN_MAX];
        restricted_mirror(index, g, stand, where);
        if (index->pawns == 0 && index->digit[0][where[0]] == RESTRICTED_NO_DIGIT)
            continue; // without pawns, the white king decides which images have an entry
        const struct board image = board_of(index, where);
        if (image.men[WHITE][PAWN] != board.men[WHITE][PAWN] || image.men[BLACK][PAWN] != board.men[BLACK][PAWN])
            continue; // it belongs to another slice
        const int order = compare_boards(&image, &board);
        if (order < 0)
            return 0;
        fixed += order == 0;
    }
    return (unsigned)index->symmetries / fixed;
}

// ---- deriving a value ----

struct verify {
    struct restricted_table *table;
    struct restricted_bases *bases;
    const struct restricted_index *index;
    struct restricted_values values; // of the table, for pawn moves
    struct value_figures *figures;   // [workers]
};

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
        uint16_t code;
        int rule;
        TRY(restricted_classify(v->bases, spec, p, moves[i], &kind, &rule));
        if (kind == MOVE_DISCARD)
            continue;
        TRY(restricted_move_value(v->bases, spec, &v->values, p, moves[i], kind, &code));
        const struct cltb_value value = value_of_code(code);
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
    restricted_squares(v->index, (uint32_t)at->section, at->entry, stand);
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
    return restricted_position(index, (uint32_t)section, entry, side, position);
}

static unsigned weight(void *context, const struct placed_entry *at)
{
    const struct restricted_index *index = ((const struct verify *)context)->index;
    uint8_t stand[SPEC_MEN_MAX];
    restricted_squares(index, (uint32_t)at->section, at->entry, stand);
    return restricted_weight(index, stand);
}

static int value_of(void *context, const struct placed_entry *at, int run, struct cltb_value *value)
{
    const struct verify *v = context;
    uint16_t code;
    (void)run;
    TRY(restricted_table_entry(v->table, (uint32_t)at->section, at->position->side, at->entry, &code));
    *value = value_of_code(code);
    return 0;
}

static struct placed_set set_of(struct verify *v)
{
    return (struct placed_set){.context = v,
                               .sections = v->index->slices,
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
    const struct value_figures *head = &v->table->info.figures;
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
    struct verify v = {.table = table, .bases = bases, .index = &table->index, .values = {.table = table}};
    const int workers = threads_count(options->pool);
    const struct placed_set set = set_of(&v);
    *positions = 0;
    TRY(value_file_check(&table->file, options->pool));
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
    struct verify v = {.table = table, .index = &table->index};
    const struct placed_set set = set_of(&v);
    return placed_count(counts, &set, pool);
}
