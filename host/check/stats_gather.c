// stats_gather.c - finds a table's statistics in the solver's planes while the table is built
//
// 1. Counts: each step of the solver reports how many positions it has found. The number of draws is in the table's
//    head; mates are the losses in the head that no step has found.
// 2. Longest lines: for the side whose distances are kept, they are the entries with the code of the longest distance;
//    for the other side, those that the solver's last step has found. Each entry gives a key (tally.h), and the
//    smallest key is kept.
// 3. Mutual zugzwangs are found in a few words of both sides' planes at a time. In most kinds neither side wins, and a
//    few bit operations find these. A loss against a cursed win is found by the codes of cursed wins.
// 4. After the table has been written, probing finds what the planes do not show: the values of some thousand positions
//    with all men on one long diagonal, and whether a longest win of 1 ply, or cursed win of 101 plies, is won by a
//    capture or pawn move.
//
// This takes 1 to 8 % of a build's time, most for tables with many cursed wins. stats_count() finds the same statistics
// from the finished file.
#include "check/stats_gather.h"

#include "check/stats_chunk.h"
#include "check/stats_kept.h"
#include "check/stats_slabs.h"
#include "chess/attacks.h"
#include "index/order_map.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITEM_WORDS = 1 << 12,  // words of a work item
    FAR_WORDS = 1 << 17,   // words of a plane in one read from a device
    PENDING_MOST = 1 << 16 // keys of one kind and thread
};

// Keys of wins of 1 ply, or of cursed wins of 101 plies, if these are the longest. The key that is shown should be that
// of a win without a capture or pawn move, and only probing can tell which they are.
struct pending {
    uint64_t *key; // [count]
    size_t count;
    size_t room;
    bool too_many;
};

// What one thread has found.
struct gatherer {
    struct tally tally;
    struct pending pending[COLOURS][2]; // cursed wins, wins
};

struct statistics {
    const struct material *material;
    struct thread_pool *pool;
    struct tally_men men;
    struct layout layout;    // if there are no pawns
    struct slab_shape shape; // if there are pawns
    bool pawns;
    int counted;     // the side whose longest lines are found in the planes; the solver reports those of the other side
    bool impossible; // nothing can be gathered: with three men and no pawns, the layout has a blank
    // Man number i of the tally is piece from[i]; after the pieces, the black king or pawn number from[i] - pieces.
    int pieces;
    int from[MATERIAL_MEN_MAX];
    struct gatherer *gatherer; // [threads]
};

// ---- placements ----

static void squares_of_entry(const struct statistics *statistics, const uint8_t *pawn, uint64_t entry, uint8_t *square)
{
    const int pieces = statistics->pieces;
    uint8_t all[LAYOUT_PIECES_MAX + PAWNS_MAX] = {0};
    int king = 0;
    if (statistics->pawns) {
        const uint64_t tile = entry >> 3 * pieces;
        for (int i = 0; i < pieces; i++) {
            const int shift = 3 * (pieces - 1 - i);
            all[i] = code_square[8 * (tile >> shift & 7) + (entry >> shift & 7)];
        }
        memcpy(all + pieces, pawn, PAWNS_MAX);
    } else {
        layout_placement(&statistics->layout, entry, &king, all);
        all[pieces] = (uint8_t)king;
    }
    for (int i = 0; i < statistics->men.count; i++)
        square[i] = all[statistics->from[i]];
}

static void number_men(struct statistics *statistics)
{
    const uint8_t *type = statistics->pawns ? statistics->shape.type : statistics->layout.type;
    const uint8_t *colour = statistics->pawns ? statistics->shape.colour : statistics->layout.colour;
    const int pawns[COLOURS] = {0, statistics->material->count[WHITE][PAWN]}; // the first pawn of each colour
    bool taken[LAYOUT_PIECES_MAX + PAWNS_MAX] = {false};
    for (int i = 0; i < statistics->men.count; i++) {
        const struct man *man = &statistics->men.man[i];
        int at = 0;
        while (at < statistics->pieces && (taken[at] || type[at] != man->type || colour[at] != man->colour))
            at++;
        if (at == statistics->pieces && man->type == PAWN) {
            at += pawns[man->colour];
            while (taken[at])
                at++;
        }
        taken[at] = true;
        statistics->from[i] = at;
    }
}

static int gather_open(struct statistics **result, const struct material *material, int kept, struct thread_pool *pool)
{
    struct statistics *statistics;
    *result = NULL;
    if (material->metric != METRIC_DTZ)
        return 0;
    TRY(memory_new(&statistics, 1, sizeof *statistics, "statistics"));
    statistics->material = material;
    statistics->pool = pool;
    statistics->counted = kept;
    statistics->pawns = material_has_pawns(material);
    tally_men_init(&statistics->men, material);
    int code = 0;
    if (statistics->pawns)
        slices_shape(material, &statistics->shape);
    else
        code = layout_init(&statistics->layout, material, LAYOUT_PAIR);
    statistics->pieces = statistics->pawns ? statistics->shape.pieces : statistics->layout.pieces;
    statistics->impossible = !statistics->pawns && statistics->layout.type[0] == BLANK;
    if (code == 0 && !statistics->impossible)
        number_men(statistics);
    const size_t threads = (size_t)threads_count(pool);
    if (code == 0)
        code = memory_new(&statistics->gatherer, threads, sizeof *statistics->gatherer, "statistics");
    if (code != 0) {
        free(statistics);
        return code;
    }
    for (size_t i = 0; i < threads; i++)
        tally_init(&statistics->gatherer[i].tally);
    *result = statistics;
    return 0;
}

static void gather_close(struct statistics *statistics)
{
    if (statistics == NULL)
        return;
    for (int i = 0; i < threads_count(statistics->pool); i++) {
        struct gatherer *gatherer = &statistics->gatherer[i];
        tally_free(&gatherer->tally);
        for (int kind = 0; kind < 2 * COLOURS; kind++)
            free(gatherer->pending[kind / 2][kind % 2].key);
    }
    free(statistics->gatherer);
    free(statistics);
}

// ---- longest lines ----

static bool may_be_zeroing(int outcome, int ply)
{
    return outcome > CLTB_DRAW && ply == zeroing_ply(outcome);
}

static int add_pending(struct pending *pending, uint64_t key)
{
    const size_t full = pending->count;
    if (pending->too_many || full == PENDING_MOST) {
        pending->too_many = true;
        return 0;
    }
    TRY(memory_grow(&pending->key, &pending->room, full + 1, sizeof *pending->key, "a list of positions"));
    pending->key[pending->count++] = key;
    return 0;
}

static int add_longest(struct gatherer *gatherer, int side, int outcome, int ply, uint64_t key)
{
    struct tally_longest *longest = &gatherer->tally.longest[side][outcome + 2];
    const struct tally_longest here = {.plies = ply, .key = key};
    if (may_be_zeroing(outcome, ply) && ply >= longest->plies)
        TRY(add_pending(&gatherer->pending[side][outcome == CLTB_WIN], key));
    if (tally_precedes(&here, longest))
        *longest = here;
    return 0;
}

// Should a line of this length be noted, because it is not shorter than the longest that this thread has found?
static bool is_wanted(const struct gatherer *gatherer, int side, int outcome, int ply)
{
    return ply >= gatherer->tally.longest[side][outcome + 2].plies &&
           !(may_be_zeroing(outcome, ply) && gatherer->pending[side][outcome == CLTB_WIN].too_many);
}

static int note_longest(const struct statistics *statistics, struct gatherer *gatherer, int side, int outcome, int ply,
                        const uint8_t *square)
{
    uint8_t flipped[MATERIAL_MEN_MAX] = {0};
    TRY(add_longest(gatherer, side, outcome, ply, tally_key(&statistics->men, square)));
    if (!statistics->men.paired)
        return 0;
    tally_flip(&statistics->men, square, flipped);
    return add_longest(gatherer, side ^ 1, outcome, ply, tally_key(&statistics->men, flipped));
}

// Words of a plane in which the solver has marked the longest lines.
struct marked {
    const struct statistics *statistics;
    const struct solver_longest *longest;
    int outcome;
    const uint8_t *pawn;
    uint64_t first; // entry
    uint64_t words;
    const uint64_t *bits;
};

static int note_marked(void *context, uint64_t item, int worker)
{
    const struct marked *marked = context;
    const struct statistics *statistics = marked->statistics;
    struct gatherer *gatherer = &statistics->gatherer[worker];
    const uint64_t end = (item + 1) * ITEM_WORDS < marked->words ? (item + 1) * ITEM_WORDS : marked->words;
    for (uint64_t w = item * ITEM_WORDS; w < end; w++) {
        for (uint64_t bits = marked->bits[w]; bits != 0; bits &= bits - 1) {
            uint8_t square[MATERIAL_MEN_MAX];
            squares_of_entry(statistics, marked->pawn, marked->first + 64 * w + (unsigned)__builtin_ctzll(bits),
                             square);
            TRY(note_longest(statistics, gatherer, marked->longest->side, marked->outcome, marked->longest->ply,
                             square));
        }
    }
    return 0;
}

static int note_marks(struct marked *marked)
{
    return threads_each(marked->statistics->pool, (marked->words + ITEM_WORDS - 1) / ITEM_WORDS, note_marked, marked);
}

static int gather_longest(struct statistics *statistics, struct backend *backend, const struct solver_longest *longest)
{
    const struct layout *layout = &backend->layout;
    const int outcome = outcome_at(longest->won, longest->ply);
    struct marked marked = {.statistics = statistics, .longest = longest, .outcome = outcome};
    uint8_t pawn[PAWNS_MAX] = {0};
    const bool slices = layout->slices > 0;
    const uint64_t each = slices ? layout_slab_bits(layout) / 64 : layout->tile_lanes / 64;
    const uint64_t all = slices ? layout->slices_used : layout->tiles;
    const uint64_t fit = FAR_WORDS / each < all ? FAR_WORDS / each : all;
    const uint64_t at_once = fit == 0 ? 1 : fit;
    uint64_t *bits;
    int code = 0;
    bool wanted = false;
    for (int i = 0; i < threads_count(statistics->pool); i++)
        wanted |= is_wanted(&statistics->gatherer[i], longest->side, outcome, longest->ply);
    if (!wanted || statistics->impossible)
        return 0;
    TRY(memory_new(&bits, at_once * each, sizeof *bits, "a plane"));
    marked.bits = bits;
    for (uint64_t first = 0; code == 0 && first < all; first += at_once) {
        const uint64_t count = all - first < at_once ? all - first : at_once;
        code = slices ? slice_read(backend, longest->positions, first, count, bits)
                      : backend->ops->read(backend, longest->positions, first, count, bits);
        marked.words = count * each;
        marked.first = first * layout->tile_lanes;
        for (uint64_t slice = 0; slices && code == 0 && slice < count; slice++) {
            struct marked one = marked;
            one.pawn = pawn;
            one.first = 0;
            one.words = each;
            one.bits = bits + slice * each;
            for (int i = 0; i < layout->fixed; i++)
                pawn[i] = code_square[layout->fixed_code[first + slice][i]];
            code = note_marks(&one);
        }
        if (!slices && code == 0)
            code = note_marks(&marked);
    }
    free(bits);
    return code;
}

// ---- planes of both sides ----

// The planes of both sides for consecutive entries.
struct field {
    const struct statistics *statistics;
    const struct code_list *codes; // [COLOURS]
    const uint8_t *pawn;           // with pawns: the entries are those of a slab
    struct slice_side planes[COLOURS];
    uint64_t first;  // entry
    uint64_t words;  //
    unsigned weight; // placements on the whole board that an entry stands for
};

static int note_zugzwangs(const struct field *field, struct tally *tally, const struct chunk chunk[COLOURS],
                          uint64_t first)
{
    uint64_t zugzwang[CHUNK];
    chunk_zugzwangs(chunk, field->codes, zugzwang);
    for (int w = 0; w < CHUNK; w++) {
        for (uint64_t bits = zugzwang[w]; bits != 0; bits &= bits - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(bits);
            uint8_t square[MATERIAL_MEN_MAX];
            const int white = chunk_outcome(&chunk[WHITE], &field->codes[WHITE], w, lane);
            const int black = chunk_outcome(&chunk[BLACK], &field->codes[BLACK], w, lane);
            if (!tally_is_zugzwang(white, black))
                continue;
            squares_of_entry(field->statistics, field->pawn, field->first + 64 * (first + (unsigned)w) + lane, square);
            TRY(tally_zugzwang(tally, &field->statistics->men, square, white, black, field->weight));
        }
    }
    return 0;
}

// Notes the longest lines of the side whose distances are kept.
static int note_codes(const struct field *field, struct gatherer *gatherer, const struct chunk *chunk, uint64_t first)
{
    const struct code_list *list = &field->codes[field->statistics->counted];
    for (int i = 0; i < list->longest; i++) {
        const int outcome = list->longest_code[i].outcome;
        const int ply = list->longest_code[i].ply;
        uint64_t found[CHUNK];
        if (!is_wanted(gatherer, field->statistics->counted, outcome, ply) ||
            chunk_with_code(chunk, list->longest_code[i].code, list->longest_code[i].won ? chunk->won : chunk->lost,
                            found) == 0)
            continue;
        for (int w = 0; w < CHUNK; w++) {
            for (uint64_t bits = found[w]; bits != 0; bits &= bits - 1) {
                uint8_t square[MATERIAL_MEN_MAX];
                squares_of_entry(field->statistics, field->pawn,
                                 field->first + 64 * (first + (unsigned)w) + (unsigned)__builtin_ctzll(bits), square);
                TRY(note_longest(field->statistics, gatherer, field->statistics->counted, outcome, ply, square));
            }
        }
    }
    return 0;
}

static int gather_words(const struct field *field, uint64_t first, uint64_t end, int worker)
{
    struct gatherer *gatherer = &field->statistics->gatherer[worker];
    struct chunk chunk[COLOURS];
    for (uint64_t w = first; w < end; w += CHUNK) {
        for (int side = WHITE; side <= BLACK; side++)
            chunk_load(&chunk[side], &field->planes[side], (size_t)w);
        TRY(note_zugzwangs(field, &gatherer->tally, chunk, w));
        TRY(note_codes(field, gatherer, &chunk[field->statistics->counted], w));
    }
    return 0;
}

// ---- without pawns ----

struct tiles_work {
    const struct statistics *statistics;
    const struct solution *solution;
    const struct code_list *codes;
    uint64_t each; // tiles of an item
};

static int gather_run(void *context, uint64_t item, int worker)
{
    const struct tiles_work *work = context;
    const struct layout *layout = &work->solution->backend->layout;
    const uint64_t words = layout->tile_lanes / 64;
    const uint64_t first = item * work->each;
    const uint64_t count = layout->tiles - first < work->each ? layout->tiles - first : work->each;
    const size_t size = SOLUTION_PLANES * count * words;
    uint64_t *memory = malloc(COLOURS * size * sizeof *memory);
    if (memory == NULL)
        return error_memory(COLOURS * size * sizeof *memory, "reading a solution");
    struct field field = {.statistics = work->statistics, .codes = work->codes};
    int code = 0;
    for (int side = WHITE; code == 0 && side <= BLACK; side++)
        code = solution_planes(work->solution, side, first, count, memory + (size_t)side * size, &field.planes[side]);
    for (uint64_t tile = 0; code == 0 && tile < count; tile++) {
        field.weight = LAYOUT_WEIGHT * layout_tile_weight(layout, first + tile);
        field.first = first * layout->tile_lanes;
        code = gather_words(&field, tile * words, (tile + 1) * words, worker);
    }
    free(memory);
    return code;
}

static int gather_tiles(struct statistics *statistics, const struct solution *solution)
{
    const struct layout *layout = &solution->backend->layout;
    struct code_list *codes;
    if (statistics->impossible)
        return 0;
    TRY(memory_new(&codes, COLOURS, sizeof *codes, "statistics"));
    struct tiles_work work = {.statistics = statistics, .solution = solution, .codes = codes};
    const uint64_t words = solution->backend->bulk != NULL ? FAR_WORDS : ITEM_WORDS;
    const uint64_t fit = words / (layout->tile_lanes / 64);
    work.each = fit == 0 ? 1 : fit;
    for (int side = WHITE; side <= BLACK; side++)
        code_list_find(&codes[side], solution->value[side], side == statistics->counted);
    const int code = threads_each(statistics->pool, (layout->tiles + work.each - 1) / work.each, gather_run, &work);
    free(codes);
    return code;
}

// ---- with pawns ----

struct slices_work {
    const struct field *field; // [slices]
    uint64_t items;            // of a slice
};

static int gather_slab(void *context, uint64_t item, int worker)
{
    const struct slices_work *work = context;
    const struct field *field = &work->field[item / work->items];
    const uint64_t first = item % work->items * ITEM_WORDS;
    const uint64_t end = first + ITEM_WORDS;
    return gather_words(field, first, end < field->words ? end : field->words, worker);
}

static int gather_slices(struct statistics *statistics, const struct pawn_slices *slices,
                         const struct slice_values *values, const struct slice_record *records, size_t count)
{
    const uint64_t words = (UINT64_C(1) << 6 * statistics->pieces) / 64;
    struct code_list *codes = calloc(COLOURS, sizeof *codes);
    struct field *field = calloc(count, sizeof *field);
    struct slices_work work = {field, (words + ITEM_WORDS - 1) / ITEM_WORDS};
    int code = codes == NULL || field == NULL ? error_memory(count * sizeof *field, "statistics") : 0;
    for (int side = WHITE; code == 0 && side <= BLACK; side++)
        code_list_find(&codes[side], values->value[side], side == statistics->counted);
    for (size_t i = 0; code == 0 && i < count; i++) {
        bool mirror;
        bool both;
        pawn_slices_find(slices, slices->square[records[i].slice], &mirror, &both);
        field[i] = (struct field){.statistics = statistics,
                                  .codes = codes,
                                  .pawn = slices->square[records[i].slice],
                                  .planes = {records[i].side[WHITE], records[i].side[BLACK]},
                                  .words = words,
                                  .weight = both ? 1 : 2};
    }
    if (code == 0)
        code = threads_each(statistics->pool, count * work.items, gather_slab, &work);
    free(codes);
    free(field);
    return code;
}

// ---- putting it together ----

// Counts the positions in which all men stand on the diagonal a1-h8 and the black king on its lower half. These are one
// position of each class.
static int count_diagonal(struct stats *stats, const struct tally_men *men, cltb_tables *tables)
{
    const unsigned rank = 8;
    for (uint64_t number = 0; number < UINT64_C(1) << 3 * men->count; number++) {
        struct man placed[MATERIAL_MEN_MAX];
        struct position p;
        bool one = true;
        for (int i = 0; i < men->count; i++) {
            const unsigned on = (unsigned)(number >> 3 * i) % rank;
            placed[i] = men->man[i];
            placed[i].square = (uint8_t)(9 * on);
            one &= placed[i].type != KING || placed[i].colour == WHITE || on < rank / 2;
            one &= i == 0 || placed[i].type != placed[i - 1].type || placed[i].colour != placed[i - 1].colour ||
                   placed[i].square > placed[i - 1].square;
        }
        for (int side = WHITE; one && side <= (men->paired ? WHITE : BLACK); side++) {
            struct cltb_value value;
            if (position_set(&p, placed, men->count, side) != 0 || !position_legal(&p))
                continue;
            TRY(probe_value(tables, &p, &value));
            stats->bin[side][value.outcome + 2][value.dtz].diagonal++;
        }
    }
    return 0;
}

// How often a placement appears in the planes, which tell identical pieces apart, but not identical pawns.
static uint64_t arrangements_of(const struct material *material)
{
    struct material pieces = *material;
    pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
    return material_arrangements(&pieces);
}

static void add_counts(struct stats *stats, solver_weights weight, const struct table_info *info)
{
    const uint64_t arrangements = arrangements_of(&stats->material);
    const uint64_t unit = material_has_pawns(&stats->material) ? 1 : LAYOUT_WEIGHT;
    for (int i = 0; i < COLOURS * COLOURS; i++) {
        const int side = i / COLOURS;
        const bool won = i % COLOURS;
        // If both sides have the same men, only positions with White to move are counted in the planes.
        const int from = info->symmetric ? WHITE : side;
        struct stats_bin(*bin)[TABLE_PLY_MAX + 1] = stats->bin[side];
        uint64_t lost = 0;
        for (int ply = 0; ply <= SOLVER_PLY_MAX && ply <= TABLE_PLY_MAX; ply++) {
            bin[outcome_at(won, ply) + 2][ply].count += weight[from][won][ply] * unit / arrangements;
            lost += won || ply > PLY_LIMIT ? 0 : bin[CLTB_LOSS + 2][ply].count;
        }
        bin[CLTB_LOSS + 2][0].count += won ? 0 : info->positions[side][CLTB_LOSS + 2] - lost;
        bin[CLTB_DRAW + 2][0].count = info->positions[side][CLTB_DRAW + 2];
    }
}

static int compare_keys(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// Where the longest wins have 1 ply, or cursed wins 101 plies, finds the first one that is not won by a capture or pawn
// move. *known becomes false if there are too many of them to know.
static int find_quiet(const struct statistics *statistics, cltb_tables *tables, int side, int outcome,
                      struct tally_longest *longest, bool *known)
{
    uint64_t *key;
    size_t count = 0;
    const int threads = threads_count(statistics->pool);
    TRY(memory_new(&key, (size_t)threads * PENDING_MOST, sizeof *key, "a list of positions"));
    for (int i = 0; i < threads; i++) {
        const struct pending *pending = &statistics->gatherer[i].pending[side][outcome == CLTB_WIN];
        *known &= !pending->too_many;
        if (pending->count > 0)
            memcpy(key + count, pending->key, pending->count * sizeof *key);
        count += pending->count;
    }
    qsort(key, count, sizeof *key, compare_keys);
    int code = 0;
    longest->zeroing = true;
    for (size_t i = 0; code == 0 && *known && longest->zeroing && i < count; i++) {
        struct position p;
        if (i > 0 && key[i] == key[i - 1])
            continue;
        code = tally_position(&statistics->men, key[i], side, &p)
                   ? tally_is_zeroing(tables, &p, outcome, &longest->zeroing)
                   : error_set(CLTB_E_CORRUPT, "the solved planes are damaged");
        if (code == 0 && !longest->zeroing)
            longest->key = key[i];
    }
    free(key);
    return code;
}

static int add_found(struct stats *stats, struct statistics *statistics, cltb_tables *tables, bool *known)
{
    const uint64_t arrangements = arrangements_of(&stats->material);
    struct tally *sum = &statistics->gatherer[0].tally;
    *known = true;
    for (int i = 1; i < threads_count(statistics->pool); i++)
        TRY(tally_add(sum, &statistics->gatherer[i].tally));
    for (int i = 0; *known && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int outcome = i % TABLE_OUTCOMES - 2;
        struct tally_longest longest = sum->longest[side][i % TABLE_OUTCOMES];
        struct stats_longest *to = &stats->longest[side][i % TABLE_OUTCOMES];
        if (longest.plies >= 0 && may_be_zeroing(outcome, longest.plies))
            TRY(find_quiet(statistics, tables, side, outcome, &longest, known));
        *to = (struct stats_longest){.plies = longest.plies, .zeroing = longest.zeroing, .key = longest.key};
        stats_place(to, &statistics->men, side);
    }
    for (int i = 0; i < TABLE_OUTCOMES * TABLE_OUTCOMES; i++)
        stats->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] =
            sum->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] / arrangements;
    tally_sort(sum);
    stats->zugzwang = sum->zugzwang;
    stats->zugzwang_count = sum->found;
    sum->zugzwang = NULL;
    sum->found = sum->room = 0;
    return 0;
}

int stats_gathered(struct stats **result, struct statistics *statistics, solver_weights weight, cltb_tables *tables)
{
    struct table *table;
    struct stats *stats;
    bool known = true;
    *result = NULL;
    if (weight == NULL || statistics->impossible)
        return 0;
    TRY(tables_find_table(tables, statistics->material, &table));
    TRY(memory_new(&stats, 1, sizeof *stats, "statistics"));
    stats->material = *statistics->material;
    add_counts(stats, weight, table_info(table));
    int code = statistics->pawns ? 0 : count_diagonal(stats, &statistics->men, tables);
    if (statistics->men.paired)
        memcpy(stats->bin[BLACK], stats->bin[WHITE], sizeof stats->bin[BLACK]);
    if (code == 0)
        code = add_found(stats, statistics, tables, &known);
    if (code == 0 && known && !stats_fit_head(stats, table_info(table)))
        code = error_set(CLTB_E_CORRUPT, "the solved planes are damaged: statistics do not fit the table");
    if (code != 0 || !known)
        stats_free(stats);
    else
        *result = stats;
    return code;
}

static int gather_keep(struct statistics *statistics, solver_weights weight, const char *path, const char *folders)
{
    cltb_tables *tables;
    struct stats *stats;
    TRY(cltb_open(&tables, folders, NULL));
    int code = stats_gathered(&stats, statistics, weight, tables);
    if (code == 0 && stats == NULL)
        code = stats_count(&stats, tables, statistics->material, STATS_AUTO, statistics->pool, NULL);
    cltb_close(tables);
    if (code == 0)
        code = stats_keep(stats, path);
    stats_free(stats);
    return code;
}

static bool gather_probes(const struct material *material)
{
    return !stats_slabs_fit(material);
}

const struct statistics_ops stats_gather_ops = {.probes = gather_probes,
                                                .open = gather_open,
                                                .close = gather_close,
                                                .longest = gather_longest,
                                                .tiles = gather_tiles,
                                                .slices = gather_slices,
                                                .keep = gather_keep};
