// test_packed.c - solutions with packed distances and finished planes: they have the same bits as whole planes
#include "support/solving.h"

#include "index/square.h"

enum { RUN_TILES = 48 }; // longer than a piece in small layouts, and no divisor of it

// All planes of a side, read in runs that begin and end within pieces.
static void assert_same_planes(const struct solution *a, const struct solution *b, int side)
{
    const struct layout *layout = &a->backend->layout;
    const size_t words = RUN_TILES * layout->tile_lanes / 64;
    uint64_t *memory[2] = {host_words(SOLUTION_PLANES * words), host_words(SOLUTION_PLANES * words)};
    for (uint64_t first = 0, next; first < layout->tiles; first = next) {
        struct slice_side planes[2];
        next = first + 1 + first * 7 % RUN_TILES;
        if (next > layout->tiles)
            next = layout->tiles;
        const size_t bytes = (next - first) * layout->tile_lanes / 8;
        GOOD(solution_planes(a, side, first, next - first, next - first, memory[0], &planes[0]));
        GOOD(solution_planes(b, side, first, next - first, next - first, memory[1], &planes[1]));
        for (int i = 0; i < SOLUTION_PLANES; i++) {
            const uint64_t *whole = *slice_side_plane(&planes[0], i);
            const uint64_t *packed = *slice_side_plane(&planes[1], i);
            assert_int_equal(whole == NULL, packed == NULL);
            if (whole != NULL)
                assert_memory_equal(whole, packed, bytes);
        }
    }
    free(memory[0]);
    free(memory[1]);
}

static void compare(const char *name, const struct solver_options *options)
{
    struct solved whole;
    struct solved packed;
    solve(&whole, name, LAYOUT_PAIR, NULL, options);
    solve_packed(&packed, name, options);
    for (int side = WHITE; side <= BLACK; side++) {
        assert_same_planes(&whole.solution, &packed.solution, side);
        assert_memory_equal(whole.solution.value[side], packed.solution.value[side], sizeof whole.solution.value[side]);
    }
    unsolve(&packed);
    unsolve(&whole);
}

// Distances of both sides, of one, of none; a blank; a pair; with cursed wins and early planes.
TEST(test_planes)
{
    const struct solver_options one = {.keep_distance = {true, false}, .keep_resolved = true};
    const struct solver_options none = {.keep_resolved = false};
    (void)state;
    compare("KQvK", &keep_all);
    compare("KQvKR", &keep_all);
    compare("KQvKR", &one);
    compare("KBNvK", &one);
    compare("KNNvK", &none);
    if (getenv("CLTB_TEST_LONG") != NULL)
        compare("KBBvKN", &one);
}

// Packed planes can be read and copied; nothing else.
TEST(test_operations)
{
    struct layout layout = layout_named("KQvKR");
    const size_t words = layout_bits(&layout) / 64;
    struct backend *backend;
    struct plane *packed;
    struct plane *copy;
    uint64_t *bits[2] = {host_words(words), host_words(words)};
    (void)state;
    GOOD(backend_cpu_open_packed(&backend, &layout, test_pool, NULL));
    const struct backend_ops *ops = backend->ops;
    GOOD(ops->plane_new(backend, &packed));
    GOOD(ops->plane_new(backend, &copy));
    GOOD(ops->attacks(backend, packed, WHITE));
    GOOD(ops->read(backend, packed, 0, layout.tiles, bits[0]));
    GOOD(backend->log->pack(backend, packed));
    GOOD(backend->log->pack(backend, packed)); // packed already
    GOOD(ops->read(backend, packed, 0, layout.tiles, bits[1]));
    assert_memory_equal(bits[0], bits[1], words * sizeof(uint64_t));
    GOOD(ops->fill(backend, copy, true));
    GOOD(ops->combine(backend, copy, PLANE_COPY, packed));
    GOOD(ops->read(backend, copy, 0, layout.tiles, bits[1]));
    assert_memory_equal(bits[0], bits[1], words * sizeof(uint64_t));
    FAILS(ops->combine(backend, copy, PLANE_OR, packed), CLTB_E_USAGE, "takes part in no operation");
    FAILS(ops->combine(backend, packed, PLANE_COPY, copy), CLTB_E_USAGE, "takes part in no operation");
    ops->plane_free(backend, packed);
    ops->plane_free(backend, copy);
    backend->ops->close(backend);
    free(bits[0]);
    free(bits[1]);
}

TESTS(pool_setup, pool_teardown)
