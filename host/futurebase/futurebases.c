// futurebases.c - stored tables as the solver's futurebases
//
// A loaded table is what the solver asks for in these steps, for each side to move:
//
//     1. The outcomes of all sections are decompressed.
//     2. The solver's index is cut into ten parts, one for each square of its black king. Each part has the bits of a
//        slab in which this king is fixed, and slab_extract_section() fills it from all sections that can contribute:
//        one, or all if the file has the colours flipped.
//     3. If the index has a blank, the bits with its first digits are copied to its other digits.
//
// Of distances to mate each bit is brought into the solver's index in the same way. In tables of DTZ what a capture
// determines is not stored (table/table.h), so finally solver_resolve() completes the outcomes. It needs
// the table's own futurebases: the loading goes down to bare kings.
#include "futurebase/futurebases.h"

#include "futurebase/slab_extract.h"
#include "solve/backend.h"
#include "solve/solver.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// One side to move of a loaded table.
struct load {
    const struct layout *layout; // the solver's
    const struct table *bulk;
    const struct entry_order *order; // the file's
    int side;                        // to move, in the file's colours
    uint8_t *symbols;                // [order->entries]
    struct stored_slab planes;       // of the whole index
    struct slab_shape shape;         // the layout's pieces, and the black king as a fixed man
    struct slab_map map;
    struct slab_work *work; // [threads]
};

static int read_section(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct load *load = context;
    return table_outcomes(load->bulk, load->side, item, load->symbols + item * load->order->per_section);
}

// Every value of the blank's digits has the same bits.
static void spread_blank(const struct layout *layout, uint64_t *plane)
{
    const uint64_t words = layout->tile_lanes / 64;
    for (uint64_t tile = 0; tile < layout->king_stride; tile++) {
        const uint64_t value = plane[tile % layout->stride[0] * words];
        for (uint64_t w = 0; w < words; w++)
            plane[tile * words + w] = value;
    }
}

static int load_king(void *context, uint64_t king, int worker)
{
    const struct load *load = context;
    const struct layout *layout = load->layout;
    struct stored_slab slab = load->planes;
    uint64_t **const planes[] = {&slab.won, &slab.lost, &slab.cursed_won, &slab.blessed_lost};
    slab.square = &triangle_square[king];
    for (int i = 0; i < 4; i++) {
        if (*planes[i] != NULL)
            *planes[i] += king * layout->king_stride * layout->tile_lanes / 64;
    }
    for (unsigned section = 0; section < TRIANGLE_SQUARES; section++)
        slab_extract_section(&load->map, &load->work[worker], &slab, section,
                             load->symbols + section * load->order->per_section);
    for (int i = 0; layout->type[0] == BLANK && i < 4; i++) {
        if (*planes[i] != NULL)
            spread_blank(layout, *planes[i]);
    }
    return 0;
}

// Steps 2 and 3.
static int extract(struct load *load, bool flip, struct thread_pool *pool)
{
    const size_t threads = (size_t)threads_count(pool);
    load->shape =
        (struct slab_shape){.pieces = load->layout->pieces, .fixed = 1, .fixed_type = {KING}, .fixed_colour = {BLACK}};
    memcpy(load->shape.type, load->layout->type, sizeof load->shape.type);
    memcpy(load->shape.colour, load->layout->colour, sizeof load->shape.colour);
    slab_map_init(&load->map, &load->shape, load->order, flip);
    load->work = malloc(threads * sizeof *load->work);
    if (load->work == NULL)
        return error_memory(threads * sizeof *load->work, "a futurebase");
    const int code = threads_each(pool, TRIANGLE_SQUARES, load_king, load);
    free(load->work);
    return code;
}

static int load_side(struct load *load, bool flip, struct thread_pool *pool)
{
    load->order = table_order(load->bulk, TABLE_OUTCOME, load->side);
    load->symbols = malloc(load->order->entries);
    if (load->symbols == NULL)
        return error_memory(load->order->entries, "a futurebase");
    int code = threads_each(pool, TRIANGLE_SQUARES, read_section, load);
    if (code == 0)
        code = extract(load, flip, pool);
    free(load->symbols);
    return code;
}

// The bits of distances one by one, as if they were outcomes: wins and draws.
static int load_plies(struct load *load, bool flip, struct thread_pool *pool, struct futurebase *base, int to_move)
{
    const size_t words = layout_bits(load->layout) / 64;
    load->order = table_order(load->bulk, TABLE_DISTANCE, load->side);
    if (load->order == NULL)
        return table_invalid(load->bulk, "it lacks distances of a side to move");
    const uint64_t entries = load->order->entries;
    uint16_t *plies = calloc(entries, sizeof *plies);
    uint64_t *none = calloc(words, sizeof *none);
    load->symbols = malloc(entries);
    int code = 0;
    if (plies == NULL || none == NULL || load->symbols == NULL)
        code = error_memory(entries * 3 + words * sizeof *none, "a futurebase");
    for (uint64_t i = 0; code == 0 && i < load->order->sections; i++)
        code = table_distances(load->bulk, load->side, i, plies + i * load->order->per_section);
    for (int bit = 0; code == 0 && base->longest >> bit > 0; bit++) {
        uint64_t *bits = base->plies[to_move][bit] = calloc(words, sizeof *bits);
        if (bits == NULL)
            code = error_memory(words * sizeof *bits, "a futurebase");
        for (uint64_t i = 0; i < entries; i++)
            load->symbols[i] = (plies[i] >> bit & 1 ? CLTB_WIN : CLTB_DRAW) + 2;
        load->planes = (struct stored_slab){.won = bits, .lost = none};
        if (code == 0)
            code = extract(load, flip, pool);
    }
    free(load->symbols);
    free(none);
    free(plies);
    return code;
}

static int load_stored(void *context, const struct layout *layout, struct futurebase *base)
{
    struct stored_tables *tables = context;
    struct material standard = layout->material;
    const bool flip = material_normalise(&standard);
    const struct futurebase_source source = stored_source(tables);
    char path[PATH_MAX];
    struct table *bulk;
    struct backend *backend;
    TRY(table_locate(path, sizeof path, tables->folders, &standard));
    TRY(table_open_outcomes(&bulk, path, &standard));
    const struct table_info *info = table_info(bulk);
    const size_t words = layout_bits(layout) / 64;
    const bool mate = layout->material.metric == METRIC_DTM; // all values are stored, none needs a look at captures
    bool cursed = false;
    for (int side = WHITE; side <= BLACK; side++)
        cursed |= info->positions[side][1] > 0 || info->positions[side][3] > 0;
    for (int i = 0; mate && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int longest = info->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        base->longest = longest > base->longest ? longest : base->longest;
    }
    int code = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t **arrays[] = {&base->won[side], &base->lost[side], &base->won_ever[side], &base->lost_ever[side]};
        for (int i = 0; code == 0 && i < (cursed ? 4 : 2); i++) {
            *arrays[i] = calloc(words, sizeof(uint64_t));
            code = *arrays[i] == NULL ? error_memory(words * sizeof(uint64_t), "a futurebase") : 0;
        }
    }
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        // A table with the same men on both sides stores White to move only.
        const bool flipped = info->symmetric ? side == BLACK : flip;
        struct load load = {.layout = layout, .bulk = bulk, .side = side ^ (flipped ? 1 : 0)};
        load.planes =
            (struct stored_slab){NULL, base->won[side], base->lost[side], base->won_ever[side], base->lost_ever[side]};
        code = load_side(&load, flipped, tables->pool);
        if (code == 0 && mate)
            code = load_plies(&load, flipped, tables->pool, base, side);
    }
    table_close(bulk);
    if (code != 0 || mate)
        return code;
    TRY(backend_cpu_open(&backend, layout, tables->pool, tables->isa));
    code = solver_resolve(backend, &source, base);
    backend->ops->close(backend);
    return code;
}

struct futurebase_source stored_source(struct stored_tables *tables)
{
    return (struct futurebase_source){tables, load_stored};
}
