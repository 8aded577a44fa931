// sections.c - a pawnless solution's values in the order of a file
//
// A tile's values are scattered: an entry's index is a sum of parts, one of the upper pieces (all but the last two) and
// one of the lower pieces, so that most entries take one addition. Entries of the file that no tile writes stay free:
// overlaps, illegal positions, and one of each two mirror images of a black king on the diagonal.
#include "table/write/sections_inside.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// ---- one tile ----

struct tile_values {
    const solver_value *value; // [lanes]
    const uint64_t *illegal;   // [lanes / 64]
    const uint64_t *resolved;  // [lanes / 64]
};

static void put_outcome(const struct section_target *target, uint64_t entry, solver_value value, bool resolved)
{
    section_put(target, entry, section_outcome_symbol(value, resolved));
}

static void put_distance(const struct section_target *target, uint64_t entry, solver_value value, bool resolved)
{
    const unsigned symbol = section_distance_symbol(value, resolved);
    if (symbol != FREE_DISTANCE)
        section_put(target, entry, symbol);
}

void section_put_slowly(const struct scatter *scatter, const struct tile_view *tile, uint64_t lane, solver_value value,
                        bool resolved, bool compare)
{
    const int pieces = scatter->layout->pieces;
    for (int i = 0; i < 2; i++) {
        const struct order_view *view = &scatter->view[i];
        if (view->order == NULL)
            continue;
        const uint64_t entry = section_part_of(tile, view, lane, 0, pieces, 0);
        if (compare && entry > section_part_of(tile, view, lane, 0, pieces, MIRROR))
            continue;
        if (i == 0)
            put_outcome(&scatter->request->outcome, entry, value, resolved);
        else
            put_distance(&scatter->request->distance, entry, value, resolved);
    }
}

static void scatter_tile(const struct scatter *scatter, const struct tile_view *tile, struct worker_memory *memory,
                         const struct tile_values *values)
{
    const struct layout *layout = scatter->layout;
    const int lower = 3 * (layout->pieces - section_upper_pieces(layout));
    const bool diagonal = square_on_diagonal(triangle_square[scatter->king]);
    const bool more_like = section_has_more_like(layout);
    const bool slow = scatter->view[0].split || scatter->view[1].split;
    for (int which = 0; which < 2 && !slow; which++) {
        if (scatter->view[which].order != NULL)
            section_make_parts(memory, tile, &scatter->view[which], which);
    }
    // A blank piece's other digits repeat the same positions.
    const uint64_t lanes = layout->type[0] == BLANK ? layout->tile_lanes / 8 : layout->tile_lanes;
    for (uint64_t word = 0; word < lanes / 64; word++) {
        for (uint64_t legal = ~values->illegal[word]; legal != 0; legal &= legal - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(legal);
            const uint64_t lane = 64 * word + bit;
            const int image = diagonal ? section_diagonal_image(tile, lane) : 1;
            if (image == 0 || (more_like && !section_identical_rise(tile, lane)))
                continue;
            const solver_value value = values->value[lane];
            const bool resolved = values->resolved[word] >> bit & 1;
            if (slow || image < 0) {
                section_put_slowly(scatter, tile, lane, value, resolved, image < 0);
                continue;
            }
            const uint64_t up = lane >> lower;
            const uint64_t low = lane & ((UINT64_C(1) << lower) - 1);
            put_outcome(&scatter->request->outcome, memory->upper[0][up] + memory->lower[0][low], value, resolved);
            put_distance(&scatter->request->distance, memory->upper[1][up] + memory->lower[1][low], value, resolved);
        }
    }
}

uint64_t section_weight(const struct scatter *scatter, const struct tile_view *tile)
{
    const uint64_t weight = square_on_diagonal(triangle_square[scatter->king]) ? 4 : 8;
    return scatter->layout->pair && tile->u[0] != tile->u[1] ? 2 * weight : weight;
}

// ---- counts ----

static void count_tile(const struct scatter *scatter, const struct tile_view *tile, const struct tile_values *values,
                       uint64_t *counts)
{
    const struct layout *layout = scatter->layout;
    const uint64_t weight = section_weight(scatter, tile);
    const uint64_t lanes = layout->type[0] == BLANK ? layout->tile_lanes / 8 : layout->tile_lanes;
    for (uint64_t word = 0; word < lanes / 64; word++) {
        for (uint64_t legal = ~values->illegal[word]; legal != 0; legal &= legal - 1)
            counts[values->value[64 * word + (unsigned)__builtin_ctzll(legal)]] += weight;
    }
}

// Where blocks of a section have slots, some tiles are looked at more than once. A tile is counted where the block of one
// of its entries has a slot, always the same entry: the one with the l digits 0, 1, 2, ..., in which no men share a
// square.
static bool is_counted(const struct scatter *scatter, const struct tile_view *tile)
{
    const struct layout *layout = scatter->layout;
    const struct section_target *target = &scatter->request->outcome;
    uint64_t lane = 0;
    if (scatter->request->counts == NULL)
        return false;
    for (int i = 0; i < layout->pieces; i++)
        lane |= (uint64_t)i << layout_lane_shift(layout, i);
    return target->slot == NULL || section_entry_place(target, section_part_of(tile, &scatter->view[0], lane, 0,
                                                                               layout->pieces, 0)) != NO_PLACE;
}

// ---- workers ----

static void close_memory(struct worker_memory *memory)
{
    if (memory == NULL)
        return;
    free(memory->value);
    free(memory->illegal);
    free(memory->upper[0]);
    free(memory->upper[1]);
    free(memory->mirror_upper[0]);
    free(memory->mirror_upper[1]);
    free(memory);
}

static int open_memory(struct worker_memory **result, const struct layout *layout)
{
    const size_t lanes = layout->tile_lanes;
    const size_t upper = lanes >> 3 * (layout->pieces - section_upper_pieces(layout));
    struct worker_memory *memory = calloc(1, sizeof *memory);
    if (memory != NULL) {
        memory->value = malloc(lanes * sizeof *memory->value);
        memory->illegal = malloc(lanes / 8);
        memory->upper[0] = calloc(upper, sizeof *memory->upper[0]);
        memory->upper[1] = calloc(upper, sizeof *memory->upper[1]);
        memory->mirror_upper[0] = calloc(upper, sizeof *memory->mirror_upper[0]);
        memory->mirror_upper[1] = calloc(upper, sizeof *memory->mirror_upper[1]);
    }
    *result = memory;
    if (memory == NULL || memory->value == NULL || memory->illegal == NULL || memory->upper[0] == NULL ||
        memory->upper[1] == NULL || memory->mirror_upper[0] == NULL || memory->mirror_upper[1] == NULL)
        return error_memory(lanes * sizeof *memory->value, "writing a table");
    return 0;
}

uint64_t sections_worker_bytes(const struct layout *layout)
{
    const uint64_t upper = layout->tile_lanes >> 3 * (layout->pieces - section_upper_pieces(layout));
    return sizeof(struct worker_memory) + layout->tile_lanes * sizeof(solver_value) + layout->tile_lanes / 8 +
           4 * upper * sizeof(uint64_t);
}

static void look_at_tile(struct tile_view *tile, const struct layout *layout, uint64_t number)
{
    unsigned king;
    tile->layout = layout;
    layout_digits(layout, number, &king, tile->u);
    for (int i = 0; i < layout->pieces; i++) {
        for (unsigned l = 0; l < 8; l++)
            tile->square[i][l] = code_square[8U * tile->u[i] + l];
    }
}

static int visit_run(void *context, const struct tile_run *run, int worker)
{
    struct scatter *scatter = context;
    const struct layout *layout = scatter->layout;
    const struct section_request *request = scatter->request;
    const size_t words = layout->tile_lanes / 64;
    if (scatter->memory[worker] == NULL)
        TRY(open_memory(&scatter->memory[worker], layout));
    struct worker_memory *memory = scatter->memory[worker];
    const struct symbols *symbols = scatter->by_words ? section_symbols_for(scatter, &run->planes) : NULL;
    for (uint64_t i = 0; i < run->count; i++) {
        struct tile_view tile;
        look_at_tile(&tile, layout, run->number != NULL ? run->number[i] : run->first + i);
        if (!tile_wanted(request->filter, layout, tile.u) || (layout->type[0] == BLANK && tile.u[0] != 0))
            continue;
        if (symbols != NULL) {
            section_scatter_words(scatter, symbols, &tile, memory, &run->planes, i * words, is_counted(scatter, &tile));
            continue;
        }
        planes_values(&run->planes, scatter->source->value[request->side], i * words, words, memory->value);
        planes_illegal(&run->planes, i * words, words, memory->illegal);
        const struct tile_values values = {memory->value, memory->illegal, run->planes.resolved + i * words};
        scatter_tile(scatter, &tile, memory, &values);
        if (is_counted(scatter, &tile))
            count_tile(scatter, &tile, &values, memory->counts);
    }
    return 0;
}

// ---- a request ----

void section_clear(const struct section_target *target, uint64_t sections)
{
    if (target->order == NULL)
        return;
    const uint64_t symbols =
        target->slot == NULL ? sections * target->order->per_section : (uint64_t)target->slots << target->block_bits;
    memset(target->symbols, 0xff, symbols * target->bytes);
}

static void add_counts(const struct scatter *scatter, int threads, uint64_t *counts)
{
    uint64_t sum[TABLE_OUTCOMES] = {0}; // with identical pieces told apart
    for (int worker = 0; worker < threads; worker++) {
        const struct worker_memory *memory = scatter->memory[worker];
        for (int i = 0; memory != NULL && i < VALUE_COUNTS; i++)
            sum[section_outcome((solver_value)i)] += memory->counts[i];
        for (int i = 0; memory != NULL && i < TABLE_OUTCOMES; i++)
            sum[i] += memory->sum[i];
    }
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        counts[i] += sum[i];
}

static int fill_king(const struct tile_source *source, const struct section_request *request, unsigned king,
                     struct thread_pool *pool)
{
    struct scatter scatter = {.source = source, .request = request, .layout = source->layout, .king = king};
    const int threads = threads_count(pool);
    scatter.memory = calloc((size_t)threads, sizeof(struct worker_memory *));
    if (scatter.memory == NULL)
        return error_memory((size_t)threads * sizeof(struct worker_memory *), "writing a table");
    section_view_order(&scatter.view[0], request->outcome.order, source->layout);
    section_view_order(&scatter.view[1], request->distance.order, source->layout);
    scatter.by_words = section_can_scatter_words(&scatter);
    scatter.mirrored = square_on_diagonal(triangle_square[king]) && section_single_or_none(&scatter.view[0]) &&
                       section_single_or_none(&scatter.view[1]);
    section_list_symbols(&scatter.few, BITS_FEW, source->value[request->side]);
    section_list_symbols(&scatter.many, BITS_MANY, source->value[request->side]);
    int code = source->each_run(source->context, request->side, king, request->filter, pool, visit_run, &scatter);
    if (code == 0 && request->counts != NULL)
        add_counts(&scatter, threads, request->counts);
    for (int i = 0; i < threads; i++)
        close_memory(scatter.memory[i]);
    free(scatter.memory);
    return code;
}

static struct section_target behind(struct section_target target, uint64_t sections)
{
    if (target.order != NULL)
        target.symbols = (uint8_t *)target.symbols + sections * target.order->per_section * target.bytes;
    return target;
}

int king_sections_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                       struct thread_pool *pool)
{
    section_clear(&request->outcome, count);
    section_clear(&request->distance, count);
    for (uint64_t i = 0; i < count; i++) {
        struct section_request one = *request;
        one.outcome = behind(request->outcome, i);
        one.distance = behind(request->distance, i);
        TRY(fill_king(context, &one, (unsigned)(first + i), pool));
    }
    return 0;
}
