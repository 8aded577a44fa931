// stats_gather.c - finds a table's statistics in the solver's planes while the table is built
//
// 1. Counts: each step of the solver reports how many positions it has found. The number of draws is in the table's
//    head; mates are the losses in the head that no step has found.
// 2. Longest lines: for the side whose distances are kept, they are the entries with the code of the longest distance;
//    for the other side, those that the solver's last step has found. Each entry gives a key (tally.h), and the
//    smallest key is kept. Wins without a capture or pawn move come first. Where the longest wins have 1 ply, or cursed
//    ones 101, these are told apart by the plane of positions that a capture resolves or, with pawns, by a plane of the
//    solver (make/longest.c).
// 3. Mutual zugzwangs are found in a few words of both sides' planes at a time. In most kinds neither side wins, and a
//    few bit operations find these. A loss against a cursed win is found by the codes of cursed wins. Without pawns a
//    device picks the words that may have zugzwangs or longest lines, by a look-up of each entry's codes, and only
//    these are read from it.
// 4. After the table has been written, probing finds what the planes do not show: the values of some thousand positions
//    with all men on one long diagonal and, without pawns, whether a longest cursed win of 101 plies is won by a
//    capture.
//
// Planes may be in memory or on disk, in windows. With pawns each batch of slices has findings of its own, which are
// kept in the work file. stats_count() finds the same statistics from the finished file.
#include "check/stats_gather.h"

#include "check/stats_chunk.h"
#include "check/stats_findings.h"
#include "check/stats_kept.h"
#include "index/order_map.h"
#include "probe/tables.h"
#include "table/container.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    ITEM_WORDS = 1 << 12, // words of a work item
    READ_WORDS = 1 << 17, // words of a plane in one read,
    FAR_WORDS = 1 << 20,  // from a device
    CACHE_BYTES = 8 << 20 // for probing
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
    // Man number i of the tally is piece from[i]; after the pieces come other kings, or pawn number from[i] - pieces.
    int pieces;
    int from[MATERIAL_MEN_MAX];
    struct code_list codes[COLOURS]; // of the solution, or of a batch of slices
    struct findings *found;          // [threads], of the solution or of a batch
    struct findings sum;
    struct tally_longest best[COLOURS][TABLE_OUTCOMES]; // of earlier batches
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
        all[statistics->layout.black_king] = (uint8_t)king;
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
        } else if (at == statistics->pieces) {
            at = layout_king(&statistics->layout, man->colour);
        }
        taken[at] = true;
        statistics->from[i] = at;
    }
}

static void gather_close(struct statistics *statistics)
{
    if (statistics == NULL)
        return;
    for (int i = 0; statistics->found != NULL && i < threads_count(statistics->pool); i++)
        findings_free(&statistics->found[i]);
    findings_free(&statistics->sum);
    free(statistics->found);
    free(statistics);
}

static int gather_open(struct statistics **result, const struct material *material, int kept, unsigned layout,
                       struct thread_pool *pool)
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
    findings_init(&statistics->sum);
    memcpy(statistics->best, statistics->sum.tally.longest, sizeof statistics->best);
    const size_t threads = (size_t)threads_count(pool);
    int code = memory_new(&statistics->found, threads, sizeof *statistics->found, "statistics");
    for (size_t i = 0; code == 0 && i < threads; i++)
        findings_init(&statistics->found[i]);
    if (statistics->pawns)
        slices_shape(material, &statistics->shape);
    else if (code == 0)
        code = layout_init(&statistics->layout, material, layout);
    statistics->pieces = statistics->pawns ? statistics->shape.pieces : statistics->layout.pieces;
    statistics->impossible = !statistics->pawns && statistics->layout.type[0] == BLANK;
    if (code == 0 && !statistics->impossible)
        number_men(statistics);
    if (code == 0)
        *result = statistics;
    else
        gather_close(statistics);
    return code;
}

static int join_threads(const struct statistics *statistics, struct findings *sum)
{
    for (int i = 0; i < threads_count(statistics->pool); i++) {
        if (&statistics->found[i] != sum)
            TRY(findings_add(sum, &statistics->found[i]));
    }
    return 0;
}

// ---- longest lines ----

// The planes of both sides for consecutive entries, or a plane of longest lines.
struct field {
    struct statistics *statistics;
    const uint8_t *pawn; // with pawns: the entries are those of a slab
    struct slice_side planes[COLOURS];
    uint64_t first;         // entry of word 0
    uint64_t words;         //
    const uint32_t *number; // the words are not consecutive, and these are their numbers; NULL: they are
    unsigned weight;        // with pawns: placements on the whole board that an entry stands for
    uint64_t least;         // no entry has a smaller key
};

static uint64_t entry_of(const struct field *field, uint64_t word)
{
    return field->first + 64 * (field->number != NULL ? field->number[word] : word);
}

static unsigned weight_of(const struct field *field, uint64_t entry)
{
    const struct layout *layout = &field->statistics->layout;
    return field->statistics->pawns ? field->weight
                                    : LAYOUT_WEIGHT * layout_tile_weight(layout, entry / layout->tile_lanes);
}

// Lines of one kind. `zeroing`: all are won by a capture or pawn move, or it is not known yet.
struct line {
    int side;
    int outcome;
    int ply;
    bool zeroing;
};

static bool may_be_zeroing(int outcome, int ply)
{
    return outcome > CLTB_DRAW && ply == zeroing_ply(outcome);
}

// Are the wins' keys kept, to be probed in the end?
static bool is_pending(const struct statistics *statistics, const struct line *line)
{
    return line->zeroing && !statistics->pawns && line->ply == CURSED_PLY;
}

// Can a line of this kind be better than what has been found?
static bool is_wanted(const struct field *field, const struct findings *found, const struct line *line)
{
    const struct statistics *statistics = field->statistics;
    const struct tally_longest *longest = &found->tally.longest[line->side][line->outcome + 2];
    const struct tally_longest here = {.plies = line->ply, .zeroing = line->zeroing, .key = field->least};
    if (is_pending(statistics, line))
        return line->ply >= longest->plies && !found->pending[line->side].too_many;
    return tally_precedes(&here, longest) && tally_precedes(&here, &statistics->best[line->side][line->outcome + 2]);
}

static int add_longest(const struct statistics *statistics, struct findings *found, const struct line *line, int side,
                       const uint8_t *square)
{
    struct tally_longest *longest = &found->tally.longest[side][line->outcome + 2];
    const bool pending = is_pending(statistics, line) && line->ply >= longest->plies;
    struct tally_longest here = {
        .plies = line->ply, .zeroing = line->zeroing, .key = tally_key_least(&statistics->men, square)};
    if (!pending && !tally_precedes(&here, longest))
        return 0;
    here.key = tally_key(&statistics->men, square);
    if (pending)
        TRY(findings_pend(found, side, here.key));
    if (tally_precedes(&here, longest))
        *longest = here;
    return 0;
}

// Notes 64 entries, those in `lanes`.
static int note_lanes(const struct field *field, struct findings *found, const struct line *line, uint64_t entry,
                      uint64_t lanes)
{
    const struct statistics *statistics = field->statistics;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint8_t square[MATERIAL_MEN_MAX];
        uint8_t flipped[MATERIAL_MEN_MAX] = {0};
        squares_of_entry(statistics, field->pawn, entry + (unsigned)__builtin_ctzll(lanes), square);
        TRY(add_longest(statistics, found, line, line->side, square));
        if (!statistics->men.paired)
            continue;
        tally_flip(&statistics->men, square, flipped);
        TRY(add_longest(statistics, found, line, line->side ^ 1, flipped));
    }
    return 0;
}

// No key of a slab is smaller: the pawns come first in all of them.
static uint64_t least_key(const struct statistics *statistics, const uint8_t *pawn)
{
    uint8_t square[MATERIAL_MEN_MAX];
    const int shift = 6 * (statistics->men.count - statistics->men.pawns);
    if (pawn == NULL || statistics->men.paired)
        return 0;
    squares_of_entry(statistics, pawn, 0, square);
    return tally_key(&statistics->men, square) >> shift << shift;
}

// Words of a plane in which the longest lines are marked.
struct marked {
    const struct field *field;
    const struct line *line;
    const uint64_t *bits;
};

static int note_marked(void *context, uint64_t item, int worker)
{
    const struct marked *marked = context;
    const struct field *field = marked->field;
    struct findings *found = &field->statistics->found[worker];
    const uint64_t end = (item + 1) * ITEM_WORDS < field->words ? (item + 1) * ITEM_WORDS : field->words;
    for (uint64_t w = item * ITEM_WORDS; w < end; w++)
        TRY(note_lanes(field, found, marked->line, entry_of(field, w), marked->bits[w]));
    return 0;
}

static int note_marks(const struct field *field, const struct line *line, const uint64_t *bits)
{
    struct marked marked = {field, line, bits};
    if (!is_wanted(field, &field->statistics->found[0], line))
        return 0;
    return threads_each(field->statistics->pool, (field->words + ITEM_WORDS - 1) / ITEM_WORDS, note_marked, &marked);
}

// The same with a line's words from a device.
struct marking {
    struct statistics *statistics;
    const struct line *line;
};

static int note_picked(void *context, const struct picked_words *words)
{
    const struct marking *marking = context;
    const struct field field = {
        .statistics = marking->statistics, .first = 64 * words->first, .words = words->count, .number = words->number};
    return note_marks(&field, marking->line, words->plane[WHITE][CODE_WON]);
}

// If the backend picks words, takes those of a plane that are not zero.
static int pick_longest(struct statistics *statistics, struct backend *backend, const struct line *line,
                        const struct plane *positions, bool *made)
{
    static const uint8_t classes[COLOURS][BACKEND_CODES / 2] = {[WHITE][1 << CODE_WON] = 1, [BLACK][0] = 1};
    struct marking marking = {statistics, line};
    const struct pick_request request = {
        .plane[WHITE][CODE_WON] = positions, .classes = classes[0], .take = note_picked, .context = &marking};
    *made = false;
    if (backend->bulk == NULL || statistics->pawns)
        return 0;
    return backend->bulk->pick(backend, &request, made);
}

static int gather_longest(struct statistics *statistics, struct backend *backend, const struct solver_longest *longest)
{
    const struct layout *layout = &backend->layout;
    const struct line line = {
        .side = longest->side, .outcome = outcome_at(longest->won, longest->ply), .ply = longest->ply};
    struct field field = {.statistics = statistics};
    uint8_t pawn[PAWNS_MAX] = {0};
    const bool slices = layout->slices > 0;
    const uint64_t each = slices ? layout_slab_bits(layout) / 64 : layout->tile_lanes / 64;
    const uint64_t all = slices ? layout->slices_used : layout->tiles;
    const uint64_t words = backend->bulk != NULL ? FAR_WORDS : READ_WORDS;
    const uint64_t fit = words / each < all ? words / each : all;
    const uint64_t at_once = fit == 0 ? 1 : fit;
    uint64_t *bits;
    bool made;
    int code = 0;
    // Wins that may be zeroing are found by their codes.
    if (statistics->impossible || (may_be_zeroing(line.outcome, line.ply) && !longest->quiet) ||
        !is_wanted(&field, &statistics->found[0], &line))
        return 0;
    TRY(pick_longest(statistics, backend, &line, longest->positions, &made));
    if (made)
        return 0;
    TRY(memory_new(&bits, at_once * each, sizeof *bits, "a plane"));
    for (uint64_t first = 0; code == 0 && first < all; first += at_once) {
        const uint64_t count = all - first < at_once ? all - first : at_once;
        code = slice_read(backend, longest->positions, first, count, bits);
        field.words = slices ? each : count * each;
        field.first = slices ? 0 : first * layout->tile_lanes;
        for (uint64_t slice = 0; slices && code == 0 && slice < count; slice++) {
            for (int i = 0; i < layout->fixed; i++)
                pawn[i] = code_square[layout->fixed_code[first + slice][i]];
            field.pawn = pawn;
            field.least = least_key(statistics, pawn);
            code = note_marks(&field, &line, bits + slice * each);
        }
        if (!slices && code == 0)
            code = note_marks(&field, &line, bits);
    }
    free(bits);
    return code;
}

static int gather_longest_tiles(void *context, const struct longest_tiles *tiles)
{
    struct statistics *statistics = context;
    const uint64_t lanes = statistics->layout.tile_lanes;
    const struct line line = {
        .side = statistics->counted ^ 1, .outcome = outcome_at(tiles->won, tiles->ply), .ply = tiles->ply};
    struct field field = {.statistics = statistics, .words = lanes / 64};
    for (uint64_t i = 0; i < tiles->count && !may_be_zeroing(line.outcome, line.ply); i++) {
        field.first = tiles->number[i] * lanes;
        TRY(note_marks(&field, &line, tiles->bits + i * field.words));
    }
    return 0;
}

// ---- planes of both sides ----

static int note_zugzwangs(const struct field *field, struct tally *tally, const struct chunk chunk[COLOURS],
                          uint64_t word)
{
    const struct code_list *codes = field->statistics->codes;
    uint64_t zugzwang[CHUNK];
    chunk_zugzwangs(chunk, codes, zugzwang);
    for (int w = 0; w < CHUNK; w++) {
        for (uint64_t bits = zugzwang[w]; bits != 0; bits &= bits - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(bits);
            const uint64_t entry = entry_of(field, word + (unsigned)w) + lane;
            uint8_t square[MATERIAL_MEN_MAX];
            const int white = chunk_outcome(&chunk[WHITE], &codes[WHITE], w, lane);
            const int black = chunk_outcome(&chunk[BLACK], &codes[BLACK], w, lane);
            if (!tally_is_zugzwang(white, black))
                continue;
            squares_of_entry(field->statistics, field->pawn, entry, square);
            TRY(tally_zugzwang(tally, &field->statistics->men, square, white, black, weight_of(field, entry)));
        }
    }
    return 0;
}

// The wins that are zeroing, of those in a word that may be; with pawns all are, until the solver shows the quiet ones.
static uint64_t zeroing_lanes(const struct field *field, const struct line *line, uint64_t word)
{
    const uint64_t *resolved = field->planes[line->side].resolved;
    return field->statistics->pawns || line->ply == CURSED_PLY || resolved == NULL ? UINT64_MAX : resolved[word];
}

// Notes the longest lines among the codes of a side.
static int note_codes(const struct field *field, struct findings *found, int side, const struct chunk *chunk,
                      uint64_t word)
{
    const struct code_list *list = &field->statistics->codes[side];
    for (int i = 0; i < list->longest; i++) {
        const struct longest_code *code = &list->longest_code[i];
        const bool zeroing = may_be_zeroing(code->outcome, code->ply);
        const bool all = zeroing && (field->statistics->pawns || code->ply == CURSED_PLY);
        struct line line = {.side = side, .outcome = code->outcome, .ply = code->ply, .zeroing = all};
        uint64_t lanes[CHUNK];
        if (!is_wanted(field, found, &line) ||
            chunk_with_code(chunk, code->code, code->won ? chunk->won : chunk->lost, lanes) == 0)
            continue;
        for (int w = 0; w < CHUNK; w++) {
            const uint64_t entry = entry_of(field, word + (unsigned)w);
            const uint64_t zeros = lanes[w] == 0 || !zeroing ? 0 : zeroing_lanes(field, &line, word + (unsigned)w);
            line.zeroing = false;
            TRY(note_lanes(field, found, &line, entry, lanes[w] & ~zeros));
            line.zeroing = true;
            if (zeros != 0 && is_wanted(field, found, &line))
                TRY(note_lanes(field, found, &line, entry, lanes[w] & zeros));
        }
    }
    return 0;
}

static int gather_words(const struct field *field, uint64_t first, uint64_t end, int worker)
{
    struct findings *found = &field->statistics->found[worker];
    struct chunk chunk[COLOURS];
    for (uint64_t w = first; w < end; w += CHUNK) {
        for (int side = WHITE; side <= BLACK; side++)
            chunk_load(&chunk[side], &field->planes[side], (size_t)w);
        TRY(note_zugzwangs(field, &found->tally, chunk, w));
        for (int side = WHITE; side <= BLACK; side++)
            TRY(note_codes(field, found, side, &chunk[side], w));
    }
    return 0;
}

struct fields_work {
    const struct field *field; // slices, or one field
    uint64_t items;            // of each
};

static int gather_field(void *context, uint64_t item, int worker)
{
    const struct fields_work *work = context;
    const struct field *field = &work->field[item / work->items];
    const uint64_t first = item % work->items * ITEM_WORDS;
    const uint64_t end = first + ITEM_WORDS;
    return gather_words(field, first, end < field->words ? end : field->words, worker);
}

static void find_codes(struct statistics *statistics, const solver_value (*value)[COLOURS][DISTANCE_CODES],
                       const int (*longest)[TABLE_OUTCOMES])
{
    for (int side = WHITE; side <= BLACK; side++)
        code_list_find(&statistics->codes[side], value[side], side == statistics->counted, longest[side]);
}

// ---- without pawns ----

static int gather_pair(void *context, const struct tile_pair *pair, int worker)
{
    struct statistics *statistics = context;
    const struct layout *layout = &statistics->layout;
    const uint64_t words = layout->tile_lanes / 64;
    for (uint64_t tile = 0; tile < pair->count; tile++) {
        const struct field field = {.statistics = statistics,
                                    .planes = {pair->side[WHITE], pair->side[BLACK]},
                                    .first = (pair->number[tile] - tile) * layout->tile_lanes};
        TRY(gather_words(&field, tile * words, (tile + 1) * words, worker));
    }
    return 0;
}

static void gather_begin(struct statistics *statistics, const struct solution *solution, bool weights)
{
    find_codes(statistics, solution->value, solution->longest);
    if (weights)
        memcpy(statistics->sum.weight, solution->weight, sizeof solution->weight);
}

static int gather_picked(void *context, const struct picked_words *words)
{
    struct field field = {
        .statistics = context, .first = 64 * words->first, .words = words->count, .number = words->number};
    struct fields_work work = {&field, (words->count + ITEM_WORDS - 1) / ITEM_WORDS};
    for (int side = WHITE; side <= BLACK; side++) {
        memcpy(field.planes[side].distance, words->plane[side], sizeof field.planes[side].distance);
        field.planes[side].won = words->plane[side][CODE_WON];
        field.planes[side].resolved = words->plane[side][CODE_RESOLVED];
    }
    return threads_each(field.statistics->pool, work.items, gather_field, &work);
}

// Words that a backend has picked, or all.
static int gather_tiles(struct statistics *statistics, const struct solution *solution)
{
    const struct backend_bulk *bulk = solution->backend->bulk;
    uint8_t classes[COLOURS][BACKEND_CODES / 2];
    struct pick_request request = {.classes = classes[0], .take = gather_picked, .context = statistics};
    bool made = false;
    if (statistics->impossible)
        return 0;
    gather_begin(statistics, solution, true);
    code_list_classes(statistics->codes, classes);
    for (int side = WHITE; side <= BLACK; side++)
        solution_code_planes(solution, side, request.plane[side]);
    if (bulk != NULL)
        TRY(bulk->pick(solution->backend, &request, &made));
    if (made)
        return 0;
    return solution_each_pair(solution, statistics->pool, gather_pair, statistics);
}

// Sends what a process has found to the first one.
static int gather_join(struct statistics *statistics, const struct peers *peers)
{
    struct peer_mail mail;
    struct peer_bytes own = {NULL, 0};
    struct findings *other;
    TRY(memory_new(&other, 1, sizeof *other, "statistics"));
    findings_init(other);
    int code = join_threads(statistics, &statistics->sum);
    if (code == 0)
        code = peer_mail_open(&mail, peers);
    else
        mail = (struct peer_mail){.peers = peers};
    if (code == 0 && peers->rank > 0)
        code = findings_put(&statistics->sum, &own);
    if (code == 0 && peers->rank > 0)
        code = peer_mail_put(&mail, 0, own.bytes, own.count);
    THEN(code, peer_mail_exchange(&mail));
    for (int r = 1; code == 0 && peers->rank == 0 && r < peers->ranks; r++) {
        code = findings_get(other, mail.take[r].bytes, mail.take[r].count);
        THEN(code, findings_add(&statistics->sum, other));
    }
    peer_mail_close(&mail);
    findings_free(other);
    free(other);
    free(own.bytes);
    return code;
}

// ---- with pawns ----

// Joins what has been found of a batch, and gives it away.
static int give_batch(struct statistics *statistics, solver_weights weight, unsigned times, struct peer_bytes *found)
{
    struct findings *sum = &statistics->found[0];
    TRY(join_threads(statistics, sum));
    for (int i = 0; i < COLOURS * COLOURS; i++) {
        for (int ply = 0; ply <= SOLVER_PLY_MAX; ply++)
            sum->weight[i / COLOURS][i % COLOURS][ply] = weight[i / COLOURS][i % COLOURS][ply] * times;
    }
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const struct tally_longest *longest = &sum->tally.longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        struct tally_longest *best = &statistics->best[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        if (tally_precedes(longest, best))
            *best = *longest;
    }
    const int code = findings_put(sum, found);
    findings_free(sum);
    findings_init(sum);
    return code;
}

static int gather_slices(struct statistics *statistics, const struct pawn_slices *slices,
                         const struct solved_batch *batch, struct peer_bytes *found)
{
    const uint64_t words = (UINT64_C(1) << 6 * statistics->pieces) / 64;
    struct field *field;
    unsigned weight = 0;
    TRY(memory_new(&field, batch->count, sizeof *field, "statistics"));
    const struct fields_work work = {field, (words + ITEM_WORDS - 1) / ITEM_WORDS};
    find_codes(statistics, batch->values->value, batch->values->longest);
    for (size_t i = 0; i < batch->count; i++) {
        const struct slice_record *record = &batch->records[i];
        bool mirror;
        bool both;
        pawn_slices_find(slices, slices->square[record->slice], &mirror, &both);
        weight = both ? 1 : 2; // the same in the whole batch
        field[i] = (struct field){.statistics = statistics,
                                  .pawn = slices->square[record->slice],
                                  .planes = {record->side[WHITE], record->side[BLACK]},
                                  .words = words,
                                  .weight = weight,
                                  .least = least_key(statistics, slices->square[record->slice])};
    }
    int code = threads_each(statistics->pool, batch->count * work.items, gather_field, (void *)(uintptr_t)&work);
    THEN(code, give_batch(statistics, batch->weight, weight, found));
    free(field);
    return code;
}

static int gather_take(struct statistics *statistics, const void *bytes, size_t count)
{
    struct findings *findings;
    TRY(memory_new(&findings, 1, sizeof *findings, "statistics"));
    int code = findings_get(findings, bytes, count);
    THEN(code, findings_add(&statistics->sum, findings));
    findings_free(findings);
    free(findings);
    return code;
}

// ---- the end ----

int stats_gathered(struct stats **result, struct statistics *statistics, cltb_tables *tables)
{
    *result = NULL;
    if (statistics->impossible)
        return 0;
    TRY(join_threads(statistics, &statistics->sum));
    return findings_stats(result, &statistics->sum, statistics->material, tables, statistics->pool);
}

static int gather_keep(struct statistics *statistics, bool whole, struct container_writer *file, const char *folders)
{
    const struct cltb_options options = {.cache_bytes = CACHE_BYTES};
    cltb_tables *tables;
    struct stats *stats = NULL;
    TRY(cltb_open(&tables, folders, &options));
    int code = tables_add_file(tables, statistics->material, container_shown(file));
    if (code == 0 && whole)
        code = stats_gathered(&stats, statistics, tables);
    if (code == 0 && stats == NULL)
        code = stats_count(&stats, tables, statistics->material, statistics->pool, NULL);
    cltb_close(tables);
    if (code == 0 && !stats_too_large(stats))
        code = stats_add(stats, file);
    stats_free(stats);
    return code;
}

const struct statistics_ops stats_gather_ops = {.open = gather_open,
                                                .close = gather_close,
                                                .longest = gather_longest,
                                                .longest_tiles = gather_longest_tiles,
                                                .tiles = gather_tiles,
                                                .begin = gather_begin,
                                                .pair = gather_pair,
                                                .join = gather_join,
                                                .slices = gather_slices,
                                                .take = gather_take,
                                                .keep = gather_keep};
