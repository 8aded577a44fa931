// backend_bench.h - tests of backends on tables without pawns: machines, equal planes in all of them, layouts
//
// The machines are the CPU kernels of each instruction set that this processor has, and each OpenCL device twice: as it
// is, and with planes in several parts. Planes are filled with random bits that do not tell apart the indices of one
// placement (mirror images of a king on the diagonal, the two orders of a pair in one tile, the places of a blank).
//
// Whoever includes this has check_small() and check_large() for layouts of three and four men, and of five; LAYOUT_TESTS are
// its tests. Under AddressSanitizer, which asks about memory rather than values, with fewer layouts.
#ifndef CLTB_TESTS_SOLVE_BACKEND_BENCH_H
#define CLTB_TESTS_SOLVE_BACKEND_BENCH_H

#include "support/random_bits.h"

#include "solve/backend.h"
#include "solve/cpu/cpu.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#include "solve/opencl/opencl_access.h"
#endif

#ifdef __SANITIZE_ADDRESS__
enum { LAYOUT_STEP = 2 };
#else
enum { LAYOUT_STEP = 1 };
#endif
enum { MACHINES_MAX = 12, PLANES = 8 };

struct machine {
    char name[64];
    bool opencl;
    struct backend *backend;
    struct plane *plane[PLANES];
};

struct bench {
    struct thread_pool *pool;
    struct layout layout;
    int machines;
    struct machine machine[MACHINES_MAX];
    size_t words;   // of a plane
    uint64_t *bits; // [words] each, for planes on the host
    uint64_t *more;
    uint64_t *result;
};

// ---- opening and closing ----

static inline void add_machine(struct bench *bench, const char *name, bool opencl, struct backend *backend)
{
    assert_true(bench->machines < MACHINES_MAX);
    struct machine *machine = &bench->machine[bench->machines++];
    *machine = (struct machine){.opencl = opencl, .backend = backend};
    snprintf(machine->name, sizeof machine->name, "%s", name);
    for (int i = 0; i < PLANES; i++)
        GOOD(OPS(machine)->plane_new(backend, &machine->plane[i]));
}

static inline void add_cpu(struct bench *bench)
{
    static const char *const isas[] = {"generic", "avx2", "avx512"};
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        if (lane_kernels_choose(bench->layout.pieces >= 4 ? 512 : 64, isas[i]) == NULL)
            continue;
        struct backend *backend;
        GOOD(backend_cpu_open(&backend, &bench->layout, bench->pool, isas[i]));
        add_machine(bench, isas[i], false, backend);
    }
}

static inline void add_opencl(struct bench *bench, uint64_t squares_in_a_part)
{
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device *devices;
    int count;
    GOOD(opencl_devices(&devices, &count));
    free(devices);
    if (count == 0)
        print_message("no OpenCL device: the OpenCL backend is not tested\n");
    for (int i = 0; i < count && i < 2; i++) {
        struct backend *backend;
        char name[64];
        snprintf(name, sizeof name, "OpenCL device %d", i);
        GOOD(backend_opencl_open(&backend, &bench->layout, i));
        add_machine(bench, name, true, backend);
        const uint64_t square_bytes = bench->layout.king_stride * bench->layout.tile_lanes / 8;
        snprintf(name, sizeof name, "OpenCL device %d in parts", i);
        GOOD(backend_opencl_open_limited(&backend, &bench->layout, i, square_bytes * squares_in_a_part + 8));
        add_machine(bench, name, true, backend);
    }
#else
    (void)bench;
    (void)squares_in_a_part;
    print_message("built without OpenCL: the OpenCL backend is not tested\n");
#endif
}

static inline void bench_open(struct bench *bench, const struct layout *layout, uint64_t squares_in_a_part)
{
    *bench = (struct bench){.layout = *layout, .words = layout_bits(layout) / 64};
    bench->bits = host_words(bench->words);
    bench->more = host_words(bench->words);
    bench->result = host_words(bench->words);
    GOOD(threads_open(&bench->pool, 2));
    add_cpu(bench);
    add_opencl(bench, squares_in_a_part);
}

static inline void bench_close(struct bench *bench)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        for (int i = 0; i < PLANES; i++)
            OPS(machine)->plane_free(machine->backend, machine->plane[i]);
        OPS(machine)->close(machine->backend);
    }
    threads_close(bench->pool);
    free(bench->bits);
    free(bench->more);
    free(bench->result);
}

// ---- planes on the host ----

// The lowest of the indices of this entry's placement.
static inline uint64_t canonical(const struct layout *layout, uint64_t index)
{
    int king;
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    uint8_t mirrored[LAYOUT_PIECES_MAX] = {0};
    layout_placement(layout, index, &king, squares);
    for (int i = 0; i < layout->pieces; i++)
        mirrored[i] = (uint8_t)square_apply(4, squares[i]);
    uint64_t lowest = UINT64_MAX;
    for (int image = 0; image < 4; image++) {
        const uint8_t *from = image & 1 ? mirrored : squares;
        uint8_t to[LAYOUT_PIECES_MAX];
        memcpy(to, from, sizeof to);
        if ((image & 1 && !square_on_diagonal(king)) || (image & 2 && !layout->pair))
            continue;
        if (image & 2) {
            to[0] = from[1];
            to[1] = from[0];
        }
        const uint64_t candidate = layout_index(layout, king, to);
        lowest = candidate < lowest ? candidate : lowest;
    }
    return lowest;
}

// Random bits by canonical index, for small tables. The canonical indices are worked out once for a layout.
static inline void randomise_entries(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
{
    static struct layout known;
    static uint32_t lowest[TRIANGLE_SQUARES << 18];
    const uint64_t count = layout_bits(layout);
    assert_true(count <= sizeof lowest / sizeof lowest[0]);
    if (known.pieces != layout->pieces || memcmp(known.type, layout->type, sizeof known.type) != 0 ||
        memcmp(known.colour, layout->colour, sizeof known.colour) != 0) {
        for (uint64_t index = 0; index < count; index++)
            lowest[index] = (uint32_t)canonical(layout, index);
        known = *layout;
    }
    memset(bits, 0, count / 8);
    for (uint64_t index = 0; index < count; index++)
        bits[index / 64] |= (random_word(lowest[index], seed, thin) & 1) << (index % 64);
}

// Random words, then the pair's two orders made equal where they share a tile (their digits choose the word for k >=
// 4). A king on the diagonal needs nothing: the backends and layout_index() choose the same of its two images.
static inline void randomise_words(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
{
    const uint64_t tile_words = layout->tile_lanes / 64;
    for (uint64_t word = 0; word < layout_bits(layout) / 64; word++)
        bits[word] = random_word(word, seed, thin);
    for (uint64_t tile = 0; layout->pair && tile < layout->tiles; tile++) {
        unsigned king;
        uint8_t u[LAYOUT_PIECES_MAX];
        layout_digits(layout, tile, &king, u);
        if (u[0] != u[1])
            continue;
        const unsigned shift = layout_lane_shift(layout, 1) - 6;
        for (uint64_t word = 0; word < tile_words; word++) {
            const uint64_t l0 = word >> (shift + 3);
            const uint64_t l1 = word >> shift & 7;
            const uint64_t low = word & ((UINT64_C(1) << shift) - 1);
            if (l0 > l1)
                bits[tile * tile_words + word] = bits[tile * tile_words + (l1 << (shift + 3) | l0 << shift | low)];
        }
    }
}

static inline void randomise(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
{
    if (layout->pieces <= 3)
        randomise_entries(layout, bits, seed, thin);
    else
        randomise_words(layout, bits, seed, thin);
}

static inline void write_plane(struct machine *machine, int plane, const uint64_t *bits)
{
    const struct layout *layout = &machine->backend->layout;
    if (!machine->opencl) {
        memcpy(machine->plane[plane]->bits, bits, layout_bits(layout) / 8);
        memset(machine->plane[plane]->active, 1, layout->tiles);
        return;
    }
#ifdef CLTB_HAVE_OPENCL
    GOOD(backend_opencl_write(machine->backend, machine->plane[plane], 0, layout->tiles, bits));
#endif
}

static inline void read_plane(struct machine *machine, int plane, uint64_t *bits)
{
    GOOD(OPS(machine)->read(machine->backend, machine->plane[plane], 0, machine->backend->layout.tiles, bits));
}

// The same random plane in all machines, and in `bits`.
static inline void set_random(struct bench *bench, int plane, uint64_t *bits, uint64_t seed, int thin)
{
    randomise(&bench->layout, bits, seed, thin);
    for (int m = 0; m < bench->machines; m++)
        write_plane(&bench->machine[m], plane, bits);
}

static inline bool blank(const struct layout *layout, int man)
{
    return man < layout->pieces && layout->type[man] == BLANK;
}

static inline void print_entry(const struct layout *layout, uint64_t index)
{
    int king;
    uint8_t squares[LAYOUT_PIECES_MAX];
    layout_placement(layout, index, &king, squares);
    print_error("index %llu: black king %c%c", (unsigned long long)index, 'a' + king % 8, '1' + king / 8);
    for (int i = 0; i < layout->pieces; i++)
        print_error(", %c %c%c", (layout->colour[i] == WHITE ? "KQRBNP_" : "kqrbnp_")[layout->type[i]],
                    'a' + squares[i] % 8, '1' + squares[i] / 8);
    print_error("\n");
}

// All machines have the same plane as the first one, which is left in bench->result.
static inline void assert_equal_planes(struct bench *bench, int plane, const char *what)
{
    uint64_t *other = bench->more;
    read_plane(&bench->machine[0], plane, bench->result);
    for (int m = 1; m < bench->machines; m++) {
        read_plane(&bench->machine[m], plane, other);
        if (memcmp(bench->result, other, bench->words * 8) == 0)
            continue;
        size_t wrong = 0;
        size_t first = bench->words;
        for (size_t w = 0; w < bench->words; w++) {
            if (bench->result[w] == other[w])
                continue;
            wrong++;
            first = first < w ? first : w;
        }
        const uint64_t index = first * 64 + (uint64_t)__builtin_ctzll(bench->result[first] ^ other[first]);
        print_entry(&bench->layout, index);
        fail_msg("%s: %s differs from %s in %zu of %zu words, first at index %llu (%d here)", what,
                 bench->machine[m].name, bench->machine[0].name, wrong, bench->words, (unsigned long long)index,
                 bit_at(other, index));
    }
}

// ---- layouts ----

// Opens a bench and checks operations on it; a part of a plane has so many squares of the black king.
static void check_small(const struct layout *layout, uint64_t squares_in_a_part);
static void check_large(const struct layout *layout, uint64_t squares_in_a_part);

struct man_of {
    int type;
    int colour;
};

static inline void layout_of(struct layout *layout, int pieces, const struct man_of *men)
{
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    for (int i = 0; i < pieces; i++) {
        type[i] = (uint8_t)men[i].type;
        colour[i] = (uint8_t)men[i].colour;
    }
    GOOD(layout_init_pieces(layout, pieces, type, colour));
}

static void test_three_men_with_a_blank(void **state)
{
    (void)state;
    struct layout layout;
    struct material material;
    GOOD(material_parse(&material, "KQvK", NULL));
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    assert_int_equal(layout.type[0], BLANK);
    check_small(&layout, 3);
}

// Between them every type of piece at every digit that matters: in the word as digit 0 or 1, and above.
static void test_four_men(void **state)
{
    (void)state;
    static const struct man_of men[][3] = {
        {{KING, WHITE}, {BISHOP, BLACK}, {ROOK, WHITE}},  {{ROOK, BLACK}, {QUEEN, WHITE}, {KING, WHITE}},
        {{KNIGHT, WHITE}, {KING, WHITE}, {QUEEN, BLACK}}, {{BISHOP, WHITE}, {KNIGHT, BLACK}, {KING, WHITE}},
        {{QUEEN, BLACK}, {KING, WHITE}, {BISHOP, WHITE}}, {{KING, WHITE}, {ROOK, BLACK}, {KNIGHT, BLACK}},
    };
    for (size_t i = 0; i < sizeof men / sizeof men[0]; i += LAYOUT_STEP) {
        struct layout layout;
        layout_of(&layout, 3, men[i]);
        check_small(&layout, i + 1);
    }
}

static void test_pair_of_white_bishops(void **state)
{
    (void)state;
    struct layout layout;
    struct material material;
    GOOD(material_parse(&material, "KBBvKN", NULL));
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    assert_true(layout.pair);
    check_large(&layout, 4);
}

static void test_pair_of_black_rooks(void **state)
{
    (void)state;
    struct layout layout;
    struct material material = {{{0}}};
    material.count[WHITE][KING] = material.count[WHITE][KNIGHT] = 1;
    material.count[BLACK][KING] = 1;
    material.count[BLACK][ROOK] = 2;
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    assert_true(layout.pair && layout.colour[0] == BLACK);
    check_large(&layout, 1);
}

// Slow with sanitizers, where the two above have five men as well.
static void test_five_men(void **state)
{
    (void)state;
    if (getenv("CLTB_TEST_SANITIZED") != NULL)
        skip();
    static const struct man_of men[] = {{QUEEN, BLACK}, {BISHOP, WHITE}, {KING, WHITE}, {ROOK, BLACK}};
    struct layout layout;
    layout_of(&layout, 4, men);
    check_large(&layout, 7);
}

#define LAYOUT_TESTS                                                                                                   \
    cmocka_unit_test(test_three_men_with_a_blank), cmocka_unit_test(test_four_men),                                    \
        cmocka_unit_test(test_pair_of_white_bishops), cmocka_unit_test(test_pair_of_black_rooks),                      \
        cmocka_unit_test(test_five_men)

#endif
