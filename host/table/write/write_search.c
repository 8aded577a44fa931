// write_search.c - the order of the men in a stream
//
// A sample of blocks is compressed in each order of the groups (the black king or the slice stays outermost), and the
// smallest wins, in rounds of fewer orders and larger samples; the last round makes models (write_models.c), unless
// zstd codes the stream. The sample comes from two squares of the black king, or from slices all over the table.
//
// Small sections are sampled whole. Of larger ones (six men and more) a sample has only some squares of one man outside
// the units of the order, others in each section: each unit of the sample is one of the table. (Men on ranks 1 to 4
// only, as before, made models that took up to a fifth more bytes.) The sample does not depend on the memory limit.
#include "table/write/search.h"

#include "table/write/block_symbols.h"
#include "table/write/word_symbols.h"
#include "table/write/write_together.h"
#include "util/error.h"
#include "util/log2.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// One near a corner and one in the middle, both off the diagonal, where no entry is the mirror image of another.
static const unsigned sample_king[] = {1 /* b1 */, 8 /* d3 */};

enum {
    SAMPLE_KINGS = 2,         // squares of the black king from which samples come
    THIN_SYMBOLS = 1 << 26,   // larger sections are thinned to so many entries at most, if a square of one man does,
    THIN_SECTIONS = 4,        // with pawns so many of them
    SAMPLE_SYMBOLS = 1 << 26, // with pawns, as many sections as have so many symbols,
    BEST_TIMES = 4,           // as many blocks of all orders together
    BLOCK_LEAST = 18,         // bytes that zstd takes for a block of equal symbols
    ORDER_PARTS = 8           // in which the blocks of an order are compressed
};

// A round of the search.
struct round {
    uint64_t blocks; // of each order,
    uint64_t all;    // or, if there are many orders, so many of all together (with --best BEST_TIMES as many),
    uint64_t least;  // but at least so many of each
    size_t block;    // symbols in a block
    int keep;        // orders that are left
    int keep_best;   // the same with --best
};

// Orders that are clearly worse are dropped early, when many small blocks tell more than few large ones. For 15 streams
// of five tables, the best of all orders was among the best three of 256 blocks of 2^12, or within 0.4 % on average.
static const struct round rounds[] = {
    {96, 11520, 8, 1 << 12, 6, 12}, {256, 11520, 8, 1 << 12, 4, 12}, {256, 11520, 8, 1 << 14, 1, 1}};

// For a stream that has a model, before try_models().
static const struct round first_round = {96, 576, 24, 1 << 12, 4, 12};

// ---- sampled sections ----

// The squares of thinned groups in all sections of a sample: c5, g2, h5, d8, d3, b7, a2 and f6.
static const uint8_t kept_square[] = {34, 14, 39, 59, 19, 49, 8, 45};

static void thin(struct entry_order *order, int group, unsigned section, unsigned sections)
{
    uint64_t kept = 0;
    for (size_t some = sizeof kept_square; kept == 0 || (order->per_section > THIN_SYMBOLS && some > sections);
         some /= 2) {
        kept = 0;
        for (size_t i = section; i < some; i += sections)
            kept |= square_bit(kept_square[i]);
        entry_order_thin(order, group, kept);
    }
}

// The tiles that have entries of a thinned order: those with the right u digit of its man.
static const struct tile_filter *filter_piece(const struct writer *writer, const struct entry_order *natural,
                                              struct tile_filter *filter)
{
    const struct write_pieces *pieces = &writer->content.pieces;
    const struct entry_group *group = natural->thinned < 0 ? NULL : &natural->group[natural->thinned];
    if (group == NULL || group->count > 1)
        return NULL;
    memset(filter->u, 0xff, sizeof filter->u);
    for (int i = 0; i < pieces->count; i++) {
        if (group->type != pieces->type[i] || group->colour != pieces->colour[i])
            continue;
        filter->u[i] = 0;
        for (uint64_t left = natural->kept; left != 0; left &= left - 1)
            filter->u[i] |= (uint8_t)(1U << (square_code[__builtin_ctzll(left)] >> 3));
    }
    return filter;
}

// Fills a piece of the sample; one of the streams may be NULL.
static int fill_piece(struct writer *writer, int side, const struct sample *sample, int piece, uint8_t *outcomes,
                      uint8_t *distances)
{
    const struct content *content = &writer->content;
    const struct entry_order *natural = &sample->natural[piece];
    const struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    struct tile_filter filter;
    struct section_request request = {.side = side, .first_free = true};
    if (writer->together != NULL) { // one stream at a time
        const struct stream *stream = outcomes != NULL ? outcome : distance;
        return together_fetch_sample(writer->together, stream, piece, outcomes != NULL ? outcomes : distances,
                                     natural->per_section * stream->symbol_bytes);
    }
    request.filter = filter_piece(writer, natural, &filter);
    if (outcomes != NULL)
        request.outcome = stream_target(writer, outcome, natural, outcomes);
    if (distances != NULL)
        request.distance = stream_target(writer, distance, natural, distances);
    return content->fill(content->context, &request, sample->section[piece % sample->sections], 1, writer->pool);
}

int hold_piece(struct search *search, int piece, const uint8_t **symbols)
{
    const bool outcome = search->stream->kind == TABLE_OUTCOME;
    const int pieces = sample_pieces(search->sample);
    const uint64_t bytes = search->sample->most * search->stream->symbol_bytes;
    *symbols = search->symbols + (search->all ? (uint64_t)piece * bytes : 0);
    if (search->piece == (search->all ? pieces - 1 : piece)) // nothing is written then: several threads may ask at once
        return 0;
    for (int i = search->all ? 0 : piece; i < (search->all ? pieces : piece + 1); i++) {
        uint8_t *to = search->symbols + (search->all ? (uint64_t)i * bytes : 0);
        TRY(fill_piece(search->writer, search->stream->side, search->sample, i, outcome ? to : NULL,
                       outcome ? NULL : to));
        search->piece = i;
    }
    return 0;
}

// ---- orders ----

static void list_orders(struct search *search, uint8_t *choice, int depth, unsigned used, int groups)
{
    if (depth == groups) {
        if (search->orders < ORDERS_MAX)
            memcpy(search->choice[search->orders++], choice, ENTRY_GROUPS_MAX);
        return;
    }
    for (int g = 0; g < groups; g++) {
        if (used >> g & 1)
            continue;
        choice[depth] = (uint8_t)g;
        list_orders(search, choice, depth + 1, used | 1U << g, groups);
    }
}

static struct entry_order order_of(const struct search *search, const uint8_t *choice)
{
    const struct content *content = &search->writer->content;
    struct entry_order order;
    entry_order_init(&order, content->material, content->slices, choice);
    return order;
}

// Where an order has the group that a piece has thinned.
static int thinned_place(const struct search *search, const uint8_t *choice, int piece)
{
    const int group = search->sample->natural[piece].thinned;
    int place = 0;
    while (choice[place] != group)
        place++;
    return place;
}

int pieces_of_order(const struct search *search, const uint8_t *choice, int piece[ENTRY_GROUPS_MAX * SAMPLES_MAX])
{
    const struct sample *sample = search->sample;
    const struct entry_order order = order_of(search, choice);
    int count = 0;
    for (int i = 0; i < sample_pieces(sample); i++) {
        const int place = sample->variants > 1 ? thinned_place(search, choice, i) : 0;
        if (place == 0 || order.group[place].stride >= CONTEXT_UNIT / 2)
            piece[count++] = i;
    }
    return count;
}

struct entry_order sampled_order(const struct search *search, const uint8_t *choice, int piece)
{
    struct entry_order order = order_of(search, choice);
    if (search->sample->variants > 1)
        entry_order_thin(&order, thinned_place(search, choice, piece), search->sample->natural[piece].kept);
    return order;
}

struct entry_digits section_digits(const struct entry_order *order, const struct entry_order *natural,
                                   const uint8_t *choice)
{
    struct entry_digits digits = {.count = order->groups + 1,
                                  .size = {order->slices_per_section},
                                  .stride = {order->per_slice},
                                  .natural = {order->per_slice}};
    for (int g = 0; g < order->groups; g++) {
        digits.size[g + 1] = order->group[g].size;
        digits.stride[g + 1] = order->group[g].stride;
        digits.natural[g + 1] = natural->group[choice[g]].stride;
    }
    return digits;
}

uint64_t somewhere(uint64_t number, uint64_t blocks, uint64_t parts, uint64_t section)
{
    const uint64_t start = number * blocks / parts;
    const uint64_t part = (number + 1) * blocks / parts - start;
    // A pseudo-random number from 0 to 2^32 - 1.
    uint64_t x = (number * SAMPLES_MAX + section + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return part == 0 ? start : start + ((x ^ x >> 32) >> 32) % part;
}

// The orders that are tried with a piece of the sample.
struct trying {
    struct search *search;
    int piece;
    const uint8_t *symbols;
};

// Adds the bytes of a part of the blocks of one order.
static int try_part(void *context, uint64_t item, int worker)
{
    const struct trying *trying = context;
    struct search *search = trying->search;
    const struct sample *sample = search->sample;
    const uint64_t number = item / ORDER_PARTS; // of the order
    const uint64_t part = item % ORDER_PARTS;
    const unsigned width = search->stream->symbol_bytes;
    const uint8_t *choice = search->choice[number];
    int piece[ENTRY_GROUPS_MAX * SAMPLES_MAX];
    const int pieces = pieces_of_order(search, choice, piece);
    int found = 0;
    while (found < pieces && piece[found] != trying->piece)
        found++;
    if (found == pieces)
        return 0;
    const struct entry_order order = sampled_order(search, choice, trying->piece);
    const struct entry_digits digits = section_digits(&order, &sample->natural[trying->piece], choice);
    const size_t block = search->block;
    const uint64_t blocks = order.per_section / block;
    const uint64_t each = search->sampled * (uint64_t)sample->sections / (uint64_t)pieces;
    const uint64_t sampled = each < blocks ? each : blocks;
    const uint64_t end = (part + 1) * sampled / ORDER_PARTS;
    uint8_t *symbols = malloc(block * width);
    uint8_t *compressed = malloc(container_bound(block * width));
    int code = symbols == NULL || compressed == NULL ? error_memory(2 * block * width, "a sample") : 0;
    for (uint64_t i = part * sampled / ORDER_PARTS; code == 0 && i < end; i++) {
        const uint64_t first = somewhere(i, blocks, sampled, (uint64_t)(trying->piece % sample->sections)) * block;
        size_t bytes = 0;
        gather_block(&digits, trying->symbols, width, first, block, symbols);
        if (search->count != NULL)
            count_symbols(search, (int)number, symbols, block);
        dont_care_fill(search->stream->kind, width, symbols, block);
        code = container_compress(search->writer->compressor[worker], symbols, block * width, compressed, &bytes);
        atomic_fetch_add(&search->bytes[number], bytes);
    }
    free(symbols);
    free(compressed);
    return code;
}

void count_symbols(struct search *search, int order, const uint8_t *symbols, size_t count)
{
    uint32_t counts[SYMBOL_BYTES] = {0};
    for (size_t i = 0; i < count; i++)
        counts[symbols[i]]++;
    for (unsigned s = 0; s < SYMBOL_BYTES; s++)
        atomic_fetch_add(&search->count[order][s], counts[s]);
}

// The bits of the symbols that an order's sample has, if each takes so many, times 2^LOG2_BITS.
static uint64_t information(const struct search *search, int order, const uint64_t *bits)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < SYMBOL_BYTES; s++)
        sum += search->count[order][s] * bits[s];
    return sum >> LOG2_BITS;
}

// The samples of two orders are different entries of the table, and some of these have far more to be coded than
// others. So the bytes of an order count in proportion to its information: the bits that the symbols of its sample
// would take if each had its frequency in the samples of all orders, wherever it stands. Don't-cares have none. For 14
// tables of five men, measured against samples of 2048 units: the choice from 24 orders by 256 units costs 1.8 %,
// without this 5.3 %.
static void weigh_orders(struct search *search)
{
    enum { SMOOTH = 32 }; // a part of the mean is added, because bytes do not vanish with the information
    const unsigned symbols = search->stream->kind == TABLE_OUTCOME ? TABLE_OUTCOMES : (uint8_t)ANY_DISTANCE;
    uint64_t bits[SYMBOL_BYTES] = {0};
    uint64_t all = 0;
    uint64_t sum = 0;
    for (unsigned s = 0; s < symbols; s++) {
        for (int i = 0; i < search->orders; i++)
            bits[s] += search->count[i][s];
        all += bits[s];
    }
    for (unsigned s = 0; s < symbols; s++)
        bits[s] = log2_fixed(all) - log2_fixed(bits[s]);
    for (int i = 0; i < search->orders; i++)
        sum += information(search, i, bits);
    const uint64_t mean = sum / (uint64_t)search->orders;
    const uint64_t more = mean / SMOOTH + 1;
    for (int i = 0; i < search->orders; i++) {
        const uint64_t above = search->bytes[i] > search->least ? search->bytes[i] - search->least : 0;
        search->bytes[i] = search->least + above * (mean + more) / (information(search, i, bits) + more);
    }
    memset(search->count, 0, (size_t)search->orders * sizeof *search->count);
}

void keep_best(struct search *search, int most)
{
    if (search->count != NULL)
        weigh_orders(search);
    for (int place = 0; place < most && place < search->orders; place++) {
        int best = place;
        for (int i = place + 1; i < search->orders; i++) {
            if (search->bytes[i] < search->bytes[best])
                best = i;
        }
        uint8_t choice[ENTRY_GROUPS_MAX];
        const uint64_t bytes = search->bytes[best];
        memcpy(choice, search->choice[best], sizeof choice);
        memcpy(search->choice[best], search->choice[place], sizeof choice);
        search->bytes[best] = search->bytes[place];
        memcpy(search->choice[place], choice, sizeof choice);
        search->bytes[place] = bytes;
        if (search->trial != NULL) {
            const struct context_model model = search->trial[best];
            search->trial[best] = search->trial[place];
            search->trial[place] = model;
        }
    }
    if (search->orders > most)
        search->orders = most;
}

// ---- the search ----

// Does one round; its blocks come from all sections together.
static int try_orders(struct search *search, const struct round *round)
{
    const int sections = search->sample->sections;
    const uint64_t all = (search->writer->options->best ? BEST_TIMES : 1) * round->all;
    const uint64_t share = all / (uint64_t)search->orders; // there is at least one
    const uint64_t blocks = share > round->blocks ? round->blocks : share < round->least ? round->least : share;
    const uint64_t symbols = search->sample->most;
    search->block = symbols < round->block ? symbols : round->block;
    const uint64_t most = symbols / search->block;
    const uint64_t wanted = (blocks + (uint64_t)sections - 1) / (uint64_t)sections;
    search->sampled = wanted < most ? wanted : most;
    search->least = search->sampled * (uint64_t)sections * BLOCK_LEAST;
    for (int i = 0; i < search->orders; i++)
        search->bytes[i] = 0;
    for (int piece = 0; piece < sample_pieces(search->sample); piece++) {
        struct trying trying = {.search = search, .piece = piece};
        TRY(hold_piece(search, piece, &trying.symbols));
        TRY(threads_each(search->pool, (uint64_t)search->orders * ORDER_PARTS, try_part, &trying));
    }
    keep_best(search, search->writer->options->best ? round->keep_best : round->keep);
    return 0;
}

// False for distances that the other side's, already searched, make superfluous.
static bool may_be_kept(const struct writer *writer, const struct stream *stream)
{
    const struct stream *white = &writer->stream[(int)TABLE_DISTANCE * COLOURS + WHITE];
    return stream->kind == TABLE_OUTCOME || stream->side == WHITE || writer->together != NULL || !white->wanted ||
           writer->options->both_sides || stream->sample_bytes < white->sample_bytes;
}

// Begins a search; end_search() ends it even after an error. `filled`: all symbols of the sample, or NULL: they are
// made when they are needed, one piece at a time if there is no room for all.
static int begin_search(struct writer *writer, const struct stream *stream, const struct sample *sample,
                        uint8_t *filled, struct search **result)
{
    const uint64_t bytes = sample->most * stream->symbol_bytes;
    const int pieces = sample_pieces(sample);
    struct search *search;
    TRY(memory_new(result, 1, sizeof *search, "a sample of the table"));
    search = *result;
    search->all = filled != NULL || (uint64_t)pieces * bytes <= writer->room;
    if (filled == NULL)
        TRY(writer_reserve(writer, search->all ? (uint64_t)pieces * bytes : bytes));
    search->writer = writer;
    search->pool = writer->pool;
    search->stream = stream;
    search->sample = sample;
    search->symbols = filled != NULL ? filled : writer->symbols;
    search->piece = filled != NULL ? pieces - 1 : -1;
    search->entries = sample->entries;
    search->effort = effort_of(&stream->order, writer->options->best);
    return 0;
}

static void end_search(struct search *search)
{
    if (search == NULL)
        return;
    for (int i = 0; i < search->trials; i++)
        context_model_free(&search->trial[i]);
    free(search->trial);
    free(search->count);
    free(search);
}

static int search_order(struct writer *writer, struct stream *stream, const struct sample *sample, uint8_t *filled,
                        struct model_work *model)
{
    const struct content *content = &writer->content;
    struct search *search;
    int code = begin_search(writer, stream, sample, filled, &search);
    if (code != 0)
        goto cleanup;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    list_orders(search, choice, 0, 0, sample->natural[0].groups);
    if (stream->symbol_bytes == 1) {
        code = memory_new(&search->count, (size_t)search->orders, sizeof *search->count, "a sample of the table");
        THEN(code, try_orders(search, &first_round));
        THEN(code, try_models(search));
    }
    for (size_t i = 0; code == 0 && stream->symbol_bytes > 1 && i < sizeof rounds / sizeof rounds[0]; i++)
        code = try_orders(search, &rounds[i]);
    memcpy(stream->choice, search->choice[0], sizeof stream->choice);
    entry_order_init(&stream->order, content->material, content->slices, stream->choice);
    stream->sample_bytes = search->bytes[0];
    if (code == 0 && stream->symbol_bytes == 1 && may_be_kept(writer, stream))
        code = make_model(search, stream, model);
cleanup:
    end_search(search);
    return code;
}

// Two squares of the black king, or slices from all parts of the table.
static void choose_sample(const struct entry_order *order, struct sample *sample)
{
    const bool whole = order->per_section <= LARGE_SYMBOLS;
    *sample = (struct sample){.variants = whole ? 1 : order->groups,
                              .sections = SAMPLE_KINGS,
                              .section = {sample_king[0], sample_king[1]},
                              .entries = order->sections * order->per_section};
    if (material_has_pawns(&order->material)) {
        const uint64_t some = u64_smaller(SAMPLE_SYMBOLS / order->per_section, SAMPLES_MAX);
        const uint64_t sections = u64_smaller(whole ? some : THIN_SECTIONS, order->sections);
        sample->sections = (int)sections;
        for (uint64_t i = 0; i < sections; i++)
            sample->section[i] = (2 * i + 1) * order->sections / (2 * sections);
    }
    for (int piece = 0; piece < sample_pieces(sample); piece++) {
        struct entry_order *natural = &sample->natural[piece];
        *natural = *order;
        if (!whole)
            thin(natural, piece / sample->sections, (unsigned)(piece % sample->sections), (unsigned)sample->sections);
        sample->most = u64_larger(sample->most, natural->per_section);
    }
}

static void choose_content_sample(const struct content *content, struct sample *sample)
{
    struct entry_order order;
    entry_order_init(&order, content->material, content->slices, NULL);
    choose_sample(&order, sample);
}

static int search_side(struct writer *writer, int side, const struct sample *sample, struct model_work *models)
{
    struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    // The samples of both streams are made at the same time if they fit, and if this process searches both.
    const uint64_t symbols = sample->most * (uint64_t)sample_pieces(sample);
    const uint64_t bytes = symbols * (outcome->symbol_bytes + (distance->wanted ? distance->symbol_bytes : 0));
    uint8_t *outcomes = NULL;
    uint8_t *distances = NULL;
    int code = 0;
    if (bytes <= writer->room && writer->together == NULL) {
        TRY(writer_reserve(writer, bytes));
        outcomes = writer->symbols;
        distances = distance->wanted ? writer->symbols + symbols : NULL;
        for (int piece = 0; code == 0 && piece < sample_pieces(sample); piece++) {
            const uint64_t at = (uint64_t)piece * sample->most;
            code = fill_piece(writer, side, sample, piece, outcomes + at,
                              distances == NULL ? NULL : distances + at * distance->symbol_bytes);
        }
    }
    if (code == 0 && together_searches(writer->together, outcome))
        code = search_order(writer, outcome, sample, outcomes, &models[stream_number(outcome)]);
    if (code == 0 && distance->wanted && together_searches(writer->together, distance))
        code = search_order(writer, distance, sample, distances, &models[stream_number(distance)]);
    return code;
}

// ---- with other processes ----

// Makes a piece of the sample for the processes that search the orders; both streams at once if they fit.
static int post_piece(struct writer *writer, const struct sample *sample, int side, int piece)
{
    const struct entry_order *natural = &sample->natural[piece];
    const uint64_t symbols = natural->per_section;
    const struct stream *const stream[] = {stream_of(writer, TABLE_OUTCOME, side),
                                           stream_of(writer, TABLE_DISTANCE, side)};
    const int streams = stream[1]->wanted ? 2 : 1;
    const uint64_t bytes[] = {symbols * stream[0]->symbol_bytes, symbols * stream[1]->symbol_bytes};
    const bool at_once = streams == 1 || bytes[0] + bytes[1] <= writer->room;
    TRY(writer_reserve(writer, at_once               ? bytes[0] + (streams == 2 ? bytes[1] : 0)
                               : bytes[0] > bytes[1] ? bytes[0]
                                                     : bytes[1]));
    for (int i = 0; i < (at_once ? 1 : streams); i++) {
        struct tile_filter filter;
        struct section_request request = {
            .side = side, .first_free = true, .filter = filter_piece(writer, natural, &filter)};
        uint8_t *const to[] = {writer->symbols, writer->symbols + (at_once ? bytes[0] : 0)};
        if (at_once || i == 0)
            request.outcome = stream_target(writer, stream[0], natural, to[0]);
        if (streams == 2 && (at_once || i == 1))
            request.distance = stream_target(writer, stream[1], natural, to[1]);
        TRY(writer->content.fill(writer->content.context, &request, sample->section[piece % sample->sections], 1,
                                 writer->pool));
        for (int s = 0; s < streams; s++) {
            if (at_once || i == s)
                TRY(together_post_sample(writer->together, stream[s], piece, to[s], bytes[s]));
        }
    }
    return 0;
}

// Each process makes its pieces of the sample, one at a time.
static int share_samples(struct writer *writer, const struct sample *sample)
{
    const int pieces = sample_pieces(sample);
    const int all = (writer->last_side + 1) * pieces;
    int next = 0;
    for (uint64_t left = 1; left > 0;) {
        for (bool posted = false; next < all; next++) {
            const int piece = next % pieces;
            if (!together_makes(writer->together, next / pieces, sample->section[piece % sample->sections]))
                continue;
            if (posted)
                break;
            TRY(post_piece(writer, sample, next / pieces, piece));
            posted = true;
        }
        left = (uint64_t)(all - next);
        TRY(together_exchange_samples(writer->together, pieces, sample->most, &left));
    }
    return 0;
}

int write_search(struct writer *writer)
{
    struct sample sample;
    choose_content_sample(&writer->content, &sample);
    if (sample.most == 0 || sample.sections == 0)
        return error_set(CLTB_E_USAGE, "a table without entries");
    if (writer->together != NULL)
        TRY(share_samples(writer, &sample));
    struct model_work models[STREAMS_MAX];
    for (int i = 0; i < STREAMS_MAX; i++)
        models[i] = (struct model_work){.behind = {.pool = writer->pool}};
    // The side without distances comes first: while models of outcomes are made, there is something left to search.
    const bool turned = writer->last_side == BLACK && !stream_of(writer, TABLE_DISTANCE, BLACK)->wanted;
    int code = 0;
    for (int i = WHITE; i <= writer->last_side; i++) {
        THEN(code, search_side(writer, turned ? BLACK - i : i, &sample, models));
        THEN(code, writer_report(writer));
    }
    for (int i = 0; i < STREAMS_MAX; i++) {
        const int other = behind_wait(&models[i].behind);
        code = code == 0 ? other : code;
    }
    return code != 0 ? code : together_share_orders(writer->together);
}

int write_pair(struct writer *writer, int side)
{
    struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    struct sample sample;
    struct search *of_outcomes = NULL;
    struct search *of_distances = NULL;
    int code = 0;
    if (!distance->wanted)
        return 0;
    choose_content_sample(&writer->content, &sample);
    if (together_searches(writer->together, distance) && pair_possible(writer, outcome, distance)) {
        code = begin_search(writer, outcome, &sample, NULL, &of_outcomes);
        THEN(code, begin_search(writer, distance, &sample, NULL, &of_distances));
        THEN(code, make_pair(of_outcomes, of_distances, outcome, distance));
    }
    end_search(of_outcomes);
    end_search(of_distances);
    return code != 0 ? code : together_share_orders(writer->together);
}

struct memory_need write_search_need(const struct entry_order *order, unsigned distance_bytes, bool best, int threads)
{
    struct sample sample;
    choose_sample(order, &sample);
    const int trials = best ? first_round.keep_best : first_round.keep;
    uint64_t kept; // models of trials
    const struct memory_need models = models_need(&sample, order, best, threads, trials, &kept);
    uint64_t orders = 1;
    for (int g = 2; g <= sample.natural->groups; g++)
        orders *= (uint64_t)g;
    const uint64_t searches = 2 * (sizeof(struct search) + orders * SYMBOL_BYTES * sizeof(uint32_t)) + kept;
    return (struct memory_need){sample.most * distance_bytes + models.least + searches,
                                sample.most * (uint64_t)sample_pieces(&sample) * (1 + distance_bytes) + models.most +
                                    searches};
}
