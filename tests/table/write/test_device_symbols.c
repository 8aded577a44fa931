// test_device_symbols.c - sections made by an OpenCL device equal those made from its planes on the processor
#include "support/solving.h"

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

// Both streams of one section, by the device and by the processor.
static void check_section(const struct tile_source *source, const struct entry_order *order, int side, unsigned king,
                          unsigned bytes)
{
    uint64_t counts[2][TABLE_OUTCOMES] = {{0}};
    uint8_t *symbols[2][2]; // [by the device][stream]
    const bool whole = order->squares == SQUARES;
    for (int device = 0; device < 2; device++) {
        for (int stream = 0; stream < 2; stream++) {
            symbols[device][stream] = malloc(order->per_section * (stream == 0 ? 1 : bytes));
            assert_non_null(symbols[device][stream]);
        }
        struct tile_source one = *source;
        const struct section_request request = {.side = side,
                                                .outcome = {order, 1, symbols[device][0]},
                                                .distance = {order, bytes, symbols[device][1]},
                                                .counts = whole ? counts[device] : NULL};
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

static void test_sections(void **state)
{
    static const struct {
        const char *name;
        const char *order;
        uint64_t max_allocation;
    } cases[] = {{"KRvK", "k R K", UINT64_MAX}, {"KRvKR", "k K r R", 100 << 10}, {"KRRvK", "k RR K", UINT64_MAX}};
    static const unsigned kings[] = {0, 1}; // on the diagonal and off it
    if (opencl_device_get(&(struct opencl_device){.name = ""}, 0) != 0)
        skip();
    assert_int_equal(setenv("CLTB_OPENCL", "symbols", 1), 0);
    assert_int_equal(setenv("CLTB_READ_KIB", "100", 1), 0); // several pieces
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct solved solved;
        struct solution device;
        struct entry_order order;
        solve(&solved, cases[i].name, LAYOUT_PAIR, NULL, &keep_all);
        struct backend *backend = to_device(&solved, &device, cases[i].max_allocation);
        const struct tile_source source = solution_tiles(&device);
        GOOD(entry_order_read(&order, &backend->layout.material, NULL, cases[i].order));
        for (int n = 0; n < 4; n++)
            check_section(&source, &order, n % 2, kings[n / 2], n % 3 == 0 ? 2 : 1);
        entry_order_shrink(&order, 24);
        check_section(&source, &order, WHITE, kings[1], 1);
        solution_free(&device);
        backend->ops->close(backend);
        unsolve(&solved);
    }
    unsetenv("CLTB_READ_KIB");
    unsetenv("CLTB_OPENCL");
}

#else

static void test_sections(void **state)
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
static void test_not_made(void **state)
{
    uint8_t symbols[1];
    uint32_t slot[1] = {0};
    struct entry_order order = {.squares = SQUARES};
    struct tile_source source = {.symbols = not_called};
    struct section_request request = {.outcome = {&order, 1, symbols, slot, 1, 4, NULL, NULL}};
    bool made = true;
    GOOD(device_symbols(&source, &request, 0, test_pool, &made));
    assert_false(made);
    source.symbols = NULL;
    request.outcome.slot = NULL;
    GOOD(device_symbols(&source, &request, 0, test_pool, &made));
    assert_false(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sections), cmocka_unit_test(test_not_made)};
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
