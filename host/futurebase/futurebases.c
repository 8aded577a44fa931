// futurebases.c - stored tables as the solver's futurebases
//
// A stored table becomes the solver's futurebase in these steps, for each side to move:
//
//     1. The outcomes of all sections are decompressed.
//     2. The solver's index is cut into ten parts, one for each square of its black king. Each part has the bits of a
//        slab in which this king is fixed, and it is filled from all sections that can contribute: one, or all if the
//        file has the colours flipped. Then several parts are filled at a time, because their entries share lines of
//        the cache: loading those of KQRvKRB takes 1.2 CPU seconds instead of 3.9. Different threads do this for
//        different squares of the other king.
//     3. If the index has a blank, the bits with its first digits are copied to its other digits.
//
// Distances to mate are read together with the outcomes if the table allows it, and otherwise after them, as codes.
// Tables of DTZ do not store values that a capture determines (table/table.h), so finally solver_resolve() completes
// the outcomes. It needs the table's own futurebases: the loading goes down to bare kings.
//
// If processes share a futurebase, the first one does all this while the others wait.
#include "futurebase/futurebases.h"

#include "futurebase/slab_extract.h"
#include "solve/backend.h"
#include "solve/solver.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// One side to move of a table that is being loaded.
struct load {
    const struct layout *layout; // the solver's
    const struct table *bulk;
    const struct entry_order *order; // the file's
    int side;                        // to move, in the file's colours
    uint8_t *symbols;                // [order->entries]
    struct stored_slab planes;       // of the whole index
    struct slab_shape shape;         // the layout's pieces, and the black king as a fixed man
    struct slab_extract extract;
    enum table_reading reading;
    struct slab_work *work; // [threads]
    uint64_t parts;         // in which the bits with one square of the black king are filled
};

enum {
    PARTS = 8, // of a section, or of the squares of a king
    PLANES = 4 + MATE_CODE_BITS
};

static int read_part(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct load *load = context;
    const uint64_t section = item / PARTS;
    const struct table_units units = {load->side, section, NULL, item % PARTS, PARTS};
    uint8_t *symbols = load->symbols + section * load->order->per_section;
    return table_read_units(load->bulk, load->reading, &units, symbols);
}

// All planes with one square of the index's black king.
static struct stored_slab king_slab(const struct load *load, uint64_t king)
{
    const struct layout *layout = load->layout;
    struct stored_slab slab = load->planes;
    uint64_t **planes[PLANES] = {&slab.won, &slab.lost, &slab.cursed_won, &slab.blessed_lost};
    for (int bit = 0; bit < MATE_CODE_BITS; bit++)
        planes[4 + bit] = &slab.code[bit];
    slab.square = &triangle_square[king];
    for (int i = 0; i < PLANES; i++) {
        if (*planes[i] != NULL)
            *planes[i] += king * layout->king_stride * layout->tile_lanes / 64;
    }
    return slab;
}

// An item is a set of squares of the index's black king and, if several threads may fill a slab, some squares of the
// other king.
static int load_kings(void *context, uint64_t item, int worker)
{
    const struct load *load = context;
    const uint64_t together = (uint64_t)slab_extract_together(&load->extract);
    const uint64_t king = item / load->parts * together;
    const int squares = SQUARES / (int)load->parts;
    const int first = (int)(item % load->parts) * squares;
    struct stored_slab slab[EXTRACT_TOGETHER];
    struct slab_set set = {.count = 0};
    struct slab_work *work = &load->work[worker];
    for (uint64_t i = king; i < king + together && i < TRIANGLE_SQUARES; i++) {
        slab[set.count] = king_slab(load, i);
        set.slab[set.count] = &slab[set.count];
        set.count++;
    }
    if (load->extract.map.file.king[BLACK] >= load->extract.map.shape->pieces) { // it is the file's black king, too
        const uint64_t others = UINT64_MAX >> (SQUARES - squares) << first;
        slab_extract_kings(&load->extract, work, &set, triangle_square[king], others,
                           load->symbols + king * load->order->per_section);
        return 0;
    }
    for (int square = first; square < first + squares; square++)
        slab_extract_kings(&load->extract, work, &set, square, UINT64_MAX,
                           load->symbols + slab_king_section(square) * load->order->per_section);
    return 0;
}

// Copies the bits to all values of the blank's digits.
static int spread_king(void *context, uint64_t king, int worker)
{
    const struct load *load = context;
    const struct layout *layout = load->layout;
    const uint64_t words = layout->tile_lanes / 64;
    const struct stored_slab slab = king_slab(load, king);
    uint64_t *const outcomes[] = {slab.won, slab.lost, slab.cursed_won, slab.blessed_lost};
    (void)worker;
    for (int i = 0; i < PLANES; i++) {
        uint64_t *plane = i < 4 ? outcomes[i] : slab.code[i - 4];
        for (uint64_t tile = 0; plane != NULL && tile < layout->king_stride; tile++) {
            const uint64_t value = plane[tile % layout->stride[0] * words];
            for (uint64_t w = 0; w < words; w++)
                plane[tile * words + w] = value;
        }
    }
    return 0;
}

// Does steps 2 and 3.
static int extract(struct load *load, bool flip, struct thread_pool *pool)
{
    load->shape =
        (struct slab_shape){.pieces = load->layout->pieces, .fixed = 1, .fixed_type = {KING}, .fixed_colour = {BLACK}};
    memcpy(load->shape.type, load->layout->type, sizeof load->shape.type);
    memcpy(load->shape.colour, load->layout->colour, sizeof load->shape.colour);
    slab_extract_init(&load->extract, &load->shape, load->order, flip, load->reading);
    if (load->layout->groups > 0) {
        slab_map_group(&load->extract.map, load->layout);
        slab_map_group(&load->extract.packed, load->layout);
    }
    // A white king that is placed last is read on all squares at once.
    load->parts = !load->extract.map.aligned                                          ? 1
                  : load->extract.map.third >= 0 && load->extract.map.third_place < 0 ? 2
                                                                                      : PARTS;
    const uint64_t together = (uint64_t)slab_extract_together(&load->extract);
    const uint64_t sets = (TRIANGLE_SQUARES + together - 1) / together;
    int code = slab_extract_work(&load->extract, pool, &load->work);
    THEN(code, threads_each(pool, sets * load->parts, load_kings, load));
    if (code == 0 && load->layout->type[0] == BLANK)
        code = threads_each(pool, TRIANGLE_SQUARES, spread_king, load);
    slab_extract_work_free(&load->extract, pool, load->work);
    return code;
}

// Does step 1, and with it the others, for one reading.
static int load_reading(struct load *load, enum table_reading reading, bool flip, struct thread_pool *pool)
{
    load->reading = reading;
    load->order = table_order(load->bulk, table_reading_kind(reading), load->side);
    if (load->order == NULL)
        return table_invalid(load->bulk, "it lacks distances of a side to move");
    load->symbols = memory_map(load->order->entries);
    int code = load->symbols == NULL ? error_memory(load->order->entries, "a futurebase") : 0;
    THEN(code, threads_each(pool, (uint64_t)TRIANGLE_SQUARES * PARTS, read_part, load));
    THEN(code, extract(load, flip, pool));
    memory_unmap(load->symbols, load->order->entries);
    return code;
}

// Makes zeroed arrays for outcomes.
static int new_outcomes(const struct peers *peers, size_t words, bool cursed, struct futurebase *base)
{
    base->common = peers != NULL && peers->common != NULL;
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t **arrays[] = {&base->won[side], &base->lost[side], &base->won_ever[side], &base->lost_ever[side]};
        for (int i = 0; i < (cursed ? 4 : 2); i++) {
            void *memory;
            if (base->common)
                TRY(peers->common(peers->context, words * sizeof(uint64_t), &memory));
            else
                TRY(memory_new(&memory, words, sizeof(uint64_t), "a futurebase"));
            *arrays[i] = memory;
        }
    }
    return 0;
}

// Fills the arrays from the table.
static int fill(const struct stored_tables *tables, const struct layout *layout, const struct table *bulk, bool flip,
                struct futurebase *base)
{
    struct stored_tables own = *tables; // a table's own futurebases belong to this process alone
    const struct futurebase_source source = stored_source(&own);
    const bool mate = layout->material.metric != METRIC_DTZ; // all values are stored: captures do not matter
    struct backend *backend;
    own.peers = NULL;
    for (int side = WHITE; side <= BLACK; side++) {
        // A table with the same men on both sides stores White to move only.
        const bool flipped = table_info(bulk)->symmetric ? side == BLACK : flip;
        struct load load = {.layout = layout, .bulk = bulk, .side = side ^ (flipped ? 1 : 0)};
        load.planes = (struct stored_slab){.won = base->won[side],
                                           .lost = base->lost[side],
                                           .cursed_won = base->won_ever[side],
                                           .blessed_lost = base->lost_ever[side]};
        enum table_reading reading[TABLE_READINGS_MAX];
        const int code_bits = mate ? mate_code_bits(base->longest) : 0;
        const int readings = table_readings(bulk, load.side, code_bits, reading);
        for (int bit = 0; bit < code_bits; bit++)
            TRY(memory_new(&base->code[side][bit], layout_bits(layout) / 64, sizeof(uint64_t), "a futurebase"));
        memcpy(load.planes.code, base->code[side], sizeof load.planes.code);
        for (int i = 0; i < readings; i++)
            TRY(load_reading(&load, reading[i], flipped, tables->pool));
    }
    if (mate)
        return 0;
    TRY(backend_cpu_open(&backend, layout, tables->pool, tables->isa));
    const int code = solver_resolve(backend, &source, base, tables->pool);
    backend->ops->close(backend);
    return code;
}

static int load_stored(void *context, const struct layout *layout, struct futurebase *base)
{
    const struct stored_tables *tables = context;
    const bool mate = layout->material.metric != METRIC_DTZ;
    const struct peers *peers = mate ? NULL : tables->peers; // distances are not shared
    struct material standard = layout->material;
    const bool flip = material_normalise(&standard);
    char path[PATH_MAX];
    struct table *bulk;
    bool cursed = false;
    TRY(table_locate(path, sizeof path, tables->folders, &standard));
    TRY(table_open_outcomes(&bulk, path, &standard));
    const struct table_info *info = table_info(bulk);
    for (int side = WHITE; side <= BLACK; side++)
        cursed |= info->positions[side][1] > 0 || info->positions[side][3] > 0;
    for (int i = 0; mate && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int longest = info->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        base->longest = longest > base->longest ? longest : base->longest;
    }
    int code = new_outcomes(peers, layout_bits(layout) / 64, cursed, base);
    if (code == 0 && (!base->common || peers->fills))
        code = fill(tables, layout, bulk, flip, base);
    table_close(bulk);
    if (code == 0 && base->common)
        code = peers->meet(peers->context);
    return code;
}

struct futurebase_source stored_source(struct stored_tables *tables)
{
    return (struct futurebase_source){tables, load_stored};
}
