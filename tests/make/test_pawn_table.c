// test_pawn_table.c - files with pawns: made-up symbols in the format's order, read back by position and by section
//
// Every symbol of the files is a hash of its entry, so a position's outcome shows from which entry it was read.
#include "support/corrupt.h"

#include <cltb/cltb.h>

#include "check/placements.h"
#include "chess/fen.h"
#include "index/entry.h"
#include "table/block_cache.h"
#include "table/container.h"
#include "table/table.h"
#include "util/error.h"

#include <unistd.h>

enum { BLOCK = 1 << 16, STREAMS_MAX = TABLE_KINDS * COLOURS };

static const char figures[] = "positions-w 1 2 3 4 5\npositions-b 5 4 3 2 1\n"
                              "longest-w 1 -1 -1 -1 2\nlongest-b 2 -1 -1 -1 3\n";

// Outcomes, or distances of wins and losses.
static uint8_t symbol_of(uint64_t entry, unsigned stream)
{
    const uint64_t hash = mix(entry * STREAMS_MAX + stream);
    return (uint8_t)(stream < COLOURS ? hash % TABLE_OUTCOMES : 1 + hash % 100);
}

struct made {
    struct material material;
    struct pawn_slices *slices;
    struct entry_order order[STREAMS_MAX]; // [kind * 2 + side]
    char path[TEST_PATH_MAX + 10];
};

static void write_stream(struct container_writer *writer, int number, const struct container_stream *shape,
                         unsigned stream)
{
    uint8_t *symbols = malloc(shape->section_symbols);
    assert_non_null(symbols);
    for (uint64_t section = 0; section < shape->sections; section++) {
        for (uint64_t i = 0; i < shape->section_symbols; i++)
            symbols[i] = symbol_of(section * shape->section_symbols + i, stream);
        GOOD(container_add_symbols(writer, number, section, symbols, 3, NULL));
    }
    free(symbols);
}

// Both sides' outcomes and the distances of White, or White's alone if the material is symmetric; the order of the men
// differs from stream to stream. `more` sections too many.
static void make(struct made *made, const char *name, uint64_t more)
{
    struct container_writer *writer;
    struct container_stream shapes[STREAMS_MAX];
    unsigned stream_of[STREAMS_MAX];
    char text[1000];
    int streams = 0;
    made->material = material_named(name);
    GOOD(pawn_slices_open(&made->slices, made->material.count[WHITE][PAWN], made->material.count[BLACK][PAWN]));
    snprintf(made->path, sizeof made->path, "%s.cltb", tmp_path(name));
    int length = snprintf(text, sizeof text, "game chess\nmetric dtz\ndistance-free 1\nmaterial %s\n%s", name, figures);
    for (unsigned stream = 0; stream < STREAMS_MAX - 1; stream++) {
        struct entry_order *order = &made->order[stream];
        struct entry_order natural;
        uint8_t choice[ENTRY_GROUPS_MAX];
        char men[ENTRY_TEXT_MAX];
        const int side = (int)(stream % COLOURS);
        if (side == BLACK && material_symmetric(&made->material))
            continue;
        entry_order_init(&natural, &made->material, made->slices, NULL);
        for (int g = 0; g < natural.groups; g++)
            choice[g] = (uint8_t)((g + (int)stream) % natural.groups);
        entry_order_init(order, &made->material, made->slices, choice);
        entry_order_write(order, men);
        const char *title = table_stream_name((enum table_kind)(stream / COLOURS), side);
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %s\n", title, men);
        stream_of[streams] = stream;
        shapes[streams] = (struct container_stream){.symbol_bytes = 1,
                                                    .block_symbols = BLOCK,
                                                    .sections = order->sections + more,
                                                    .section_symbols = order->per_section};
        snprintf(shapes[streams++].name, CONTAINER_NAME_MAX, "%s", title);
    }
    GOOD(container_create(&writer, made->path, shapes, streams, sizeof text));
    for (int i = 0; i < streams; i++)
        write_stream(writer, i, &shapes[i], stream_of[i]);
    GOOD(container_finish(writer, text));
}

static void unmake(struct made *made)
{
    unlink(made->path);
    pawn_slices_close(made->slices);
}

static bool random_position(struct position *position, const struct material *material)
{
    struct man men[MATERIAL_MEN_MAX];
    const int count = placement_men(material, men);
    for (int i = 0; i < count; i++)
        men[i].square = (uint8_t)random_below(SQUARES);
    return position_set(position, men, count, (int)(random_u64() & 1)) == 0 && position_legal(position);
}

static void check_position(struct table *table, const struct made *made, const struct position *position, int side,
                           uint64_t outcome_entry)
{
    int outcome;
    int ply;
    GOOD(table_outcome(table, position, &outcome));
    assert_int_equal(outcome + 2, symbol_of(outcome_entry, (unsigned)side));
    assert_int_equal(table_has_distance(table, position), side == WHITE);
    if (side != WHITE)
        return;
    GOOD(table_distance(table, position, CLTB_WIN, &ply));
    const bool flip = position->side != side;
    assert_int_equal(ply, symbol_of(entry_index(&made->order[COLOURS], position, flip), COLOURS));
}

static void check_table(const char *name)
{
    static struct made made;
    struct block_cache *cache;
    struct table *table;
    make(&made, name, 0);
    GOOD(block_cache_open(&cache, 1 << 20));
    GOOD(table_open(&table, made.path, cache));
    GOOD(table_check(table));
    assert_int_equal(table_info(table)->entries, made.order[0].entries);
    for (int seen = 0; seen < 3000;) {
        struct position position;
        struct position flipped;
        if (!random_position(&position, &made.material))
            continue;
        flipped_position(&position, &flipped);
        if (material_symmetric(&made.material) && position.side == BLACK) {
            const struct position swap = position;
            position = flipped;
            flipped = swap;
        }
        const int side = position.side;
        const uint64_t entry = entry_index(&made.order[side], &position, false);
        check_position(table, &made, &position, side, entry);
        check_position(table, &made, &flipped, side, entry);
        seen++;
    }
    table_close(table);
    block_cache_close(cache);
    unmake(&made);
}

TEST(test_positions)
{
    static const char *const names[] = {"KPvK", "KPvKP", "KRvKP", "KPPvK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_table(names[i]);
}

TEST(test_sections)
{
    static struct made made;
    struct table *bulk;
    make(&made, "KPvKP", 0);
    GOOD(table_open_material(&bulk, made.path, &made.material));
    const struct entry_order *order = table_order(bulk, TABLE_OUTCOME, WHITE);
    assert_int_equal(order->sections, 18);
    uint8_t *symbols = malloc(order->per_section);
    assert_non_null(symbols);
    for (uint64_t section = 0; section < order->sections; section++) {
        const struct table_units units = {WHITE, section, NULL, 0, 1};
        GOOD(table_read_units(bulk, READ_OUTCOMES, &units, symbols));
        for (uint64_t i = 0; i < order->per_section; i++)
            if (symbols[i] != symbol_of(section * order->per_section + i, 0))
                fail_msg("section %d, entry %d", (int)section, (int)i);
    }
    free(symbols);
    table_close(bulk);
    unmake(&made);
}

TEST(test_refusals)
{
    static struct made made;
    struct block_cache *cache;
    struct table *table;
    GOOD(block_cache_open(&cache, 0));
    make(&made, "KPvK", 1);
    FAILS(table_open(&table, made.path, cache), CLTB_E_CORRUPT, "length");
    // More pawns than there are slices for.
    struct container_writer *writer;
    const struct container_stream shape = {"outcome-w", 1, BLOCK, 1, 64, CODEC_ZSTD, 0};
    GOOD(container_create(&writer, made.path, &shape, 1, 1000));
    write_stream(writer, 0, &shape, 0);
    char text[500];
    snprintf(text, sizeof text, "game chess\nmetric dtz\ndistance-free 1\nmaterial KPPPPPvK\n%soutcome-w K k\n",
             figures);
    GOOD(container_finish(writer, text));
    FAILS(table_open(&table, made.path, cache), CLTB_E_CORRUPT, "pawns");
    block_cache_close(cache);
    unmake(&made);
}

TESTS(NULL, NULL)
