// test_device_symbols.c - sections made by an OpenCL device equal those made from its planes on the processor, and so
// do their blocks if the device codes these, too
#include "solve/backend_bulk.h"
#include "solve/opencl/open.h"
#include "support/solving.h"

#include "table/block_code.h"
#include "table/pattern_code.h"
#include "table/write/context_encode.h"
#include "table/write/device_symbols.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"

// The same planes on a device, in buffers of `max_allocation` bytes at most.
static struct backend *to_device(const struct solved *solved, struct solution *device, uint64_t max_allocation)
{
    const struct layout *layout = &solved->backend->layout;
    uint64_t *bits = malloc((size_t)(layout_bits(layout) / 8));
    struct backend *backend;
    *device = solved->solution;
    assert_non_null(bits);
    GOOD(backend_opencl_open_limited(&backend, layout, 0, max_allocation));
    device->backend = backend;
    for (int i = 0; i < COLOURS * SOLUTION_PLANES; i++) {
        const int side = i / SOLUTION_PLANES;
        const int number = i % SOLUTION_PLANES;
        struct plane **to = number == 0   ? &device->won[side]
                            : number == 1 ? &device->resolved[side]
                                          : &device->distance[side][number - 2];
        const struct plane *from = *to;
        if (from == NULL)
            continue;
        GOOD(solved->backend->ops->read(solved->backend, from, 0, layout->tiles, bits));
        GOOD(backend->ops->plane_new(backend, to));
        GOOD(backend_opencl_write(backend, *to, 0, layout->tiles, bits));
    }
    free(bits);
    return backend;
}

// Both streams of one section, by the device and by the processor. Half of the sections have distances of a byte as
// places in lists, two plies to a place.
static void check_section(const struct tile_source *source, const struct entry_order *order, int side, unsigned king,
                          unsigned bytes)
{
    uint64_t counts[2][TABLE_OUTCOMES] = {{0}};
    uint8_t *symbols[2][2]; // [by the device][stream]
    const bool whole = order->thinned < 0;
    struct ply_lists lists = {{0}, {{0}}};
    for (int i = 0; i < GIVEN_MAX * NEW_SYMBOLS_MAX; i++) {
        lists.ply[i / NEW_SYMBOLS_MAX][i % NEW_SYMBOLS_MAX] = (uint16_t)(2 * (i % NEW_SYMBOLS_MAX));
        lists.count[i / NEW_SYMBOLS_MAX] = NEW_SYMBOLS_MAX;
    }
    for (int device = 0; device < 2; device++) {
        for (int stream = 0; stream < 2; stream++) {
            symbols[device][stream] = malloc(order->per_section * (stream == 0 ? 1 : bytes));
            assert_non_null(symbols[device][stream]);
        }
        struct tile_source one = *source;
        struct section_request request = {.side = side,
                                          .outcome = {order, 1, symbols[device][0]},
                                          .distance = {order, bytes, symbols[device][1]},
                                          .counts = whole ? counts[device] : NULL};
        if (bytes == 1 && king % 2 == 1)
            request.distance.lists = &lists;
        bool made = true;
        if (device == 1)
            GOOD(device_symbols(source, &request, king, test_pool, &made));
        assert_true(made);
        one.symbols = NULL;
        if (device == 0)
            GOOD(king_sections_fill(&one, &request, king, 1, test_pool));
    }
    for (int stream = 0; stream < 2; stream++)
        assert_memory_equal(symbols[0][stream], symbols[1][stream], order->per_section * (stream == 0 ? 1 : bytes));
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    for (int i = 0; i < 4; i++)
        free(symbols[i / 2][i % 2]);
}

enum { BLOCK_BITS = 14, BLOCK = 1 << BLOCK_BITS };

// One stream of a section whose blocks a device codes.
struct coded {
    struct context_model model;
    const struct entry_order *order;
    enum table_kind kind;
    int side;
    unsigned king;
    const uint8_t *symbols; // made by the processor
    uint64_t next;          // symbol that has not been taken
    unsigned calls;
};

static int take_coded(void *context, uint64_t first, uint64_t count, const struct coded_unit *unit,
                      const uint32_t *place, const uint8_t *bytes, struct thread_pool *pool)
{
    static uint8_t encoded[2][1 << 17];
    struct coded *coded = context;
    (void)pool;
    coded->calls++;
    assert_int_equal(first, coded->next);
    coded->next += count;
    for (uint64_t at = first; at < first + count; at += BLOCK) {
        const size_t length = first + count - at < BLOCK ? (size_t)(first + count - at) : BLOCK;
        const size_t u = (size_t)(at - first) / CONTEXT_UNIT;
        const struct vacant_start marks = {coded->order, coded->side, coded->king, at};
        size_t size[2];
        assert_true(context_bound(BLOCK) <= sizeof encoded[0]);
        GOOD(context_encode(&coded->model, coded->symbols + at, NULL, coded->kind == TABLE_DISTANCE ? &marks : NULL,
                            length, NULL, encoded[0], &size[0]));
        GOOD(coder_join(unit + u, place + u, bytes, length, encoded[1], &size[1]));
        assert_true(size[1] <= coder_bound(unit + u, length));
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(encoded[0], encoded[1], size[0]);
    }
    return 0;
}

static int take_damaged(void *context, uint64_t first, uint64_t count, const struct coded_unit *unit,
                        const uint32_t *place, const uint8_t *bytes, struct thread_pool *pool)
{
    static uint8_t encoded[1 << 17];
    size_t size;
    (void)first;
    (void)pool;
    for (uint64_t at = 0; at < count; at += BLOCK) {
        const uint64_t length = count - at < BLOCK ? count - at : BLOCK;
        const int code =
            coder_join(unit + at / CONTEXT_UNIT, place + at / CONTEXT_UNIT, bytes, (size_t)length, encoded, &size);
        assert_true(code == 0 || code == CLTB_E_CORRUPT);
        *(unsigned *)context += code != 0;
    }
    return 0;
}

static int take_symbols(void *context, uint64_t first, uint64_t count, void *symbols, struct thread_pool *pool)
{
    (void)context;
    (void)symbols;
    (void)pool;
    fail_msg("symbols %llu and %llu others are not coded", (unsigned long long)first, (unsigned long long)count);
    return 0;
}

// Trains a model with the blocks of the section.
static void train(struct coded *coded)
{
    unsigned distances = 1;
    for (uint64_t i = 0; i < coded->order->per_section; i++) {
        if (coded->symbols[i] != 0xff && coded->symbols[i] >= distances)
            distances = coded->symbols[i] + 1U;
    }
    struct context_sample sample = {.symbols = coded->symbols,
                                    .block = 2 * CONTEXT_UNIT,
                                    .blocks = coded->order->per_section / (2 * CONTEXT_UNIT),
                                    .distances = coded->kind == TABLE_DISTANCE ? distances : 0,
                                    .occurs = {true, true, true, true, true},
                                    .candidate = {1, 2, 8, 9, 64, 65, 512},
                                    .candidates = 7,
                                    .contexts = coded->kind == TABLE_DISTANCE ? 1 : 4096,
                                    .places = 50000,
                                    .symbols_in_all = 1 << 24};
    uint8_t *given = malloc((size_t)coded->order->per_section);
    uint8_t *data;
    size_t bytes;
    assert_non_null(given);
    memset(given, 0, (size_t)coded->order->per_section);
    if (coded->kind == TABLE_DISTANCE) {
        entry_mark_vacant(coded->order, coded->side, coded->king, 0, (size_t)coded->order->per_section, VACANT, given);
        sample.given = given;
        sample.marked = true;
    }
    GOOD(context_train(&coded->model, &sample, NULL, &data, &bytes));
    free(data);
    free(given);
}

// Both streams of a section.
static void check_codes(const struct tile_source *source, const struct entry_order *order, int side, unsigned king,
                        enum opencl_device_type device)
{
    uint8_t *symbols[2];
    struct tile_source one = *source;
    one.symbols = NULL;
    for (int stream = 0; stream < 2; stream++) {
        symbols[stream] = malloc(order->per_section);
        assert_non_null(symbols[stream]);
    }
    struct section_request request = {
        .side = side, .outcome = {order, 1, symbols[0]}, .distance = {order, 1, symbols[1]}};
    GOOD(king_sections_fill(&one, &request, king, 1, test_pool));
    for (int stream = 0; stream < 2; stream++) {
        struct section_target *target = stream == 0 ? &request.outcome : &request.distance;
        struct coded coded = {.order = order,
                              .kind = stream == 0 ? TABLE_OUTCOME : TABLE_DISTANCE,
                              .side = side,
                              .king = king,
                              .symbols = symbols[stream]};
        bool made;
        train(&coded);
        request.outcome = request.distance = (struct section_target){.order = NULL};
        *target = (struct section_target){.order = order,
                                          .bytes = 1,
                                          .block_bits = BLOCK_BITS,
                                          .take = take_symbols,
                                          .take_context = &coded,
                                          .model = &coded.model,
                                          .take_coded = take_coded};
        GOOD(device_symbols(source, &request, king, test_pool, &made));
        assert_true(made);
        assert_int_equal(coded.next, order->per_section);
        if (device == OPENCL_CPU) // which has small pieces
            assert_int_equal(coded.calls > 1, order->per_section > 8 * BLOCK);
        // One of its symbols is not in the model.
        unsigned damaged = 0;
        if (coded.kind == TABLE_OUTCOME)
            coded.model.allowed_by[coded.model.symbol[0]] = 0;
        else
            coded.model.symbols--;
        target->take_coded = take_damaged;
        target->take_context = &damaged;
        GOOD(device_symbols(source, &request, king, test_pool, &made));
        assert_true(made && damaged > 0);
        context_model_free(&coded.model);
    }
    free(symbols[0]);
    free(symbols[1]);
}

TEST(test_codes)
{
    static const struct {
        const char *name;
        const char *order;
    } cases[] = {{"KRvKR", "k K r R"}, {"KRRvK", "k RR K"}, {"KQvKN", "k Q n K"}};
    struct opencl_device opened;
    if (opencl_device_get(&opened, 0) != 0)
        skip();
    assert_int_equal(setenv("CLTB_OPENCL", "symbols", 1), 0);
    assert_int_equal(setenv("CLTB_READ_KIB", "100", 1), 0); // several reads of a piece
    for (size_t i = sanitized() ? 2 : 0; i < sizeof cases / sizeof *cases; i++) {
        struct solved solved;
        struct solution device;
        struct entry_order order;
        solve(&solved, cases[i].name, LAYOUT_PAIR, NULL, &keep_all);
        struct backend *backend = to_device(&solved, &device, UINT64_MAX);
        const struct tile_source source = solution_tiles(&device);
        GOOD(entry_order_read(&order, &backend->layout.material, NULL, cases[i].order));
        for (int n = 0; n < 4; n++)
            check_codes(&source, &order, n % 2, (unsigned)n / 2, opened.type);
        solution_free(&device);
        backend->ops->close(backend);
        unsolve(&solved);
    }
    unsetenv("CLTB_READ_KIB");
    unsetenv("CLTB_OPENCL");
}

// Symbols of the host: two sections, or one, with rows that are not coded, others that are, and don't-cares.
static void check_host_codes(struct backend *coder, const char *name, int side, enum table_kind kind, uint64_t section)
{
    struct material material;
    struct pawn_slices *slices;
    struct entry_order order;
    struct symbols_coder model;
    bool made;
    GOOD(material_parse(&material, name, NULL));
    GOOD(pawn_slices_open(&slices, material.count[WHITE][PAWN], material.count[BLACK][PAWN]));
    entry_order_init(&order, &material, slices, NULL);
    uint8_t reversed[ENTRY_GROUPS_MAX]; // with the white king innermost
    for (int g = 0; g < order.groups; g++)
        reversed[g] = (uint8_t)(order.groups - 1 - g);
    if (side == BLACK)
        entry_order_init(&order, &material, slices, reversed);
    if (section == UINT64_MAX)
        section = order.sections - 1;
    const size_t count = (size_t)order.per_section * (section + 1 < order.sections ? 2 : 1);
    uint8_t *symbols = malloc(2 * count);
    assert_non_null(symbols);
    uint8_t *marks = symbols + count;
    memset(marks, 0, count);
    entry_mark_vacant(&order, side, section, 0, count, VACANT, marks);
    for (size_t i = 0; i < count; i++) {
        static const uint8_t outcome[] = {0, 2, 4, 2, ANY_OUTCOME, DRAW_OR_WORSE};
        const bool same = i / CONTEXT_ROW % 3 == 0;
        if (kind == TABLE_OUTCOME)
            symbols[i] = same || marks[i] == VACANT ? ANY_OUTCOME : outcome[random_below(6)];
        else
            symbols[i] = (uint8_t)(marks[i] == VACANT || random_below(4) == 0 ? 0xff
                                   : same                                     ? 7
                                                                              : i / 8 % 10 + (size_t)random_below(2));
    }
    struct coded coded = {.order = &order, .kind = kind, .side = side, .king = (unsigned)section, .symbols = symbols};
    train(&coded);
    GOOD(coder_make(&model, &coded.model));
    model.side = side;
    model.take = take_coded;
    model.take_context = &coded;
    const struct code_request request = {&model, &order, section, symbols, count, BLOCK};
    GOOD(coder->bulk->code(coder, &request, &made));
    assert_true(made);
    assert_int_equal(coded.next, count);
    coder_free(&model);
    context_model_free(&coded.model);
    free(symbols);
    pawn_slices_close(slices);
}

TEST(test_host_codes)
{
    static const char *const names[] = {"KPvK", "KRPvK", "KPvKP", "KNvKP", "KPPvK"};
    struct opencl_device device;
    struct backend *coder;
    if (opencl_device_get(&device, 0) != 0)
        skip();
    unsetenv("CLTB_OPENCL");
    GOOD(backend_opencl_open_coder(&coder, 0));
    assert_int_equal(coder == NULL, device.type == OPENCL_CPU); // which had better do it by itself
    if (coder != NULL)
        coder->ops->close(coder);
    assert_int_equal(setenv("CLTB_OPENCL", "symbols", 1), 0);
    GOOD(backend_opencl_open_coder(&coder, 0));
    coder->pool = test_pool;
    for (size_t i = sanitized() ? 3 : 0; i < sizeof names / sizeof *names; i++) {
        for (int n = 0; n < 4; n++) {
            check_host_codes(coder, names[i], n % 2, n < 2 ? TABLE_DISTANCE : TABLE_OUTCOME, 0);
            check_host_codes(coder, names[i], n % 2, n < 2 ? TABLE_DISTANCE : TABLE_OUTCOME, UINT64_MAX);
        }
    }
    coder->ops->close(coder);
    unsetenv("CLTB_OPENCL");
}

TEST(test_sections)
{
    static const struct {
        const char *name;
        const char *order;
        uint64_t max_allocation;
    } cases[] = {{"KRvK", "k R K", UINT64_MAX},    // entry by entry: a blank piece
                 {"KRvKR", "k K r R", 100 << 10},  // the symbols of a section have no room in a buffer
                 {"KRvKR", "k K r R", 280 << 10},  // blocks, with a plane in two parts
                 {"KRvKR", "k r R K", UINT64_MAX}, //
                 {"KRvKR", "k R K r", UINT64_MAX}, //
                 {"KRRvK", "k K RR", UINT64_MAX},  // entry by entry: two men in the innermost group
                 {"KRRvK", "k RR K", UINT64_MAX}};
    static const unsigned kings[] = {9, 1}; // on the diagonal and off it
    if (opencl_device_get(&(struct opencl_device){.name = ""}, 0) != 0)
        skip();
    assert_int_equal(setenv("CLTB_OPENCL", "symbols", 1), 0);
    assert_int_equal(setenv("CLTB_READ_KIB", "100", 1), 0); // several pieces
    for (size_t i = sanitized() ? 6 : 0; i < sizeof cases / sizeof *cases; i++) {
        struct solved solved;
        struct solution device;
        struct entry_order order;
        solve(&solved, cases[i].name, LAYOUT_PAIR, NULL, &keep_all);
        struct backend *backend = to_device(&solved, &device, cases[i].max_allocation);
        const struct tile_source source = solution_tiles(&device);
        GOOD(entry_order_read(&order, &backend->layout.material, NULL, cases[i].order));
        for (int n = 0; n < 4; n++)
            check_section(&source, &order, n % 2, kings[n / 2], n % 3 == 0 ? 2 : 1);
        entry_order_thin(&order, 0, square_bit(9) | square_bit(33));
        check_section(&source, &order, WHITE, kings[1], 1);
        solution_free(&device);
        backend->ops->close(backend);
        unsolve(&solved);
    }
    unsetenv("CLTB_READ_KIB");
    unsetenv("CLTB_OPENCL");
}

#else

TEST(test_sections)
{
    skip();
}

TEST(test_codes)
{
    skip();
}

TEST(test_host_codes)
{
    skip();
}

#endif

static int not_called(void *context, int side, struct symbols_request *request, struct thread_pool *pool, bool *made)
{
    (void)context;
    fail_msg("asked for side %d, king %u, on %p, %d", side, request->king, (void *)pool, *made);
    return 0;
}

// A part of a section, and a source without a device, are left to the processor.
TEST(test_not_made)
{
    uint8_t symbols[1];
    uint32_t slot[1] = {0};
    struct entry_order order = {.thinned = -1};
    struct tile_source source = {.symbols = not_called};
    struct section_request request = {
        .outcome = {.order = &order, .bytes = 1, .symbols = symbols, .slot = slot, .slots = 1, .block_bits = 4}};
    bool made = true;
    GOOD(device_symbols(&source, &request, 0, test_pool, &made));
    assert_false(made);
    source.symbols = NULL;
    request.outcome.slot = NULL;
    GOOD(device_symbols(&source, &request, 0, test_pool, &made));
    assert_false(made);
}

TESTS(pool_setup, pool_teardown)
