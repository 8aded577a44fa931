// slices_bench.h - tests of backends on layouts of slices: machines, equal planes in all of them, layouts
//
// What is in the padding slices is left open but for overlaps().
//
// Whoever includes this has check_everything(); LAYOUT_TESTS are its tests.
#ifndef CLTB_TESTS_SOLVE_SLICES_BENCH_H
#define CLTB_TESTS_SOLVE_SLICES_BENCH_H

#include "support/random_bits.h"

#include "solve/backend.h"
#include "solve/cpu/lane_kernels.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#include "solve/opencl/opencl_access.h"
#endif

enum { MACHINES_MAX = 8, PLANES = 8, SLICES_MAX = 80, SLABS = 4, IMPORTS_MAX = 6 * SLICES_MAX };

struct machine {
    const char *name;
    struct backend *backend;
    struct plane *plane[PLANES];
};

struct bench {
    struct thread_pool *pool;
    struct layout layout;
    uint8_t fixed_code[SLICES_MAX][FIXED_MAX];
    int machines;
    struct machine machine[MACHINES_MAX];
    size_t words;                 // of a plane
    uint64_t *bits;               // [words] each, for planes on the host
    uint64_t *more;               //
    uint64_t *result;             //
    uint64_t *slab[2][2][SLABS];  // [without a piece][dense]
    struct slab_import *imports;  // [IMPORTS_MAX]
    struct slab_import *transfer; // [SLICES_MAX]
};

// ---- machines ----

// Leaves *backend NULL where this machine does not exist.
typedef int machine_open(struct backend **backend, const struct layout *layout, struct thread_pool *pool);

static inline int open_cpu(struct backend **backend, const struct layout *layout, struct thread_pool *pool,
                           const char *isa)
{
    *backend = NULL;
    return lane_kernels_choose(512, isa) == NULL ? 0 : backend_cpu_open(backend, layout, pool, isa);
}

static inline int open_generic(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    return open_cpu(backend, layout, pool, "generic");
}

static inline int open_avx2(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    return open_cpu(backend, layout, pool, "avx2");
}

static inline int open_avx512(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    return open_cpu(backend, layout, pool, "avx512");
}

#ifdef CLTB_HAVE_OPENCL
static inline int open_opencl(struct backend **backend, const struct layout *layout, int device,
                              uint64_t max_allocation)
{
    struct opencl_device found;
    *backend = NULL;
    if (opencl_device_get(&found, device) != 0)
        return 0;
    return backend_opencl_open_limited(backend, layout, device, max_allocation);
}

static inline int open_device0(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    (void)pool;
    return open_opencl(backend, layout, 0, UINT64_MAX);
}

static inline int open_device1(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    (void)pool;
    return open_opencl(backend, layout, 1, UINT64_MAX);
}

// Buffers so small that a plane has several parts, and a list of slabs several pieces.
static inline int open_device0_in_parts(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    (void)pool;
    return open_opencl(backend, layout, 0, layout->slice_stride * layout->tile_lanes / 8);
}
#endif

static const struct {
    const char *name;
    machine_open *open;
} machines[] = {
    {"generic", open_generic},
    {"avx2", open_avx2},
    {"avx512", open_avx512},
#ifdef CLTB_HAVE_OPENCL
    {"OpenCL device 0", open_device0},
    {"OpenCL device 1", open_device1},
    {"OpenCL device 0 in parts", open_device0_in_parts},
#endif
};

static inline void open_machines(struct bench *bench)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct backend *backend;
        GOOD(machines[i].open(&backend, &bench->layout, bench->pool));
        if (backend == NULL)
            continue;
        struct machine *machine = &bench->machine[bench->machines++];
        *machine = (struct machine){.name = machines[i].name, .backend = backend};
        for (int p = 0; p < PLANES; p++)
            GOOD(OPS(machine)->plane_new(backend, &machine->plane[p]));
    }
}

// ---- opening and closing ----

static inline void make_slabs(struct bench *bench)
{
    for (int without = 0; without < 2; without++) {
        const size_t words = layout_slab_bits(&bench->layout) / 64 >> 6 * without;
        for (int i = 0; i < SLABS; i++) {
            uint64_t *thin = bench->slab[without][0][i] = host_words(words);
            uint64_t *dense = bench->slab[without][1][i] = host_words(words);
            for (size_t w = 0; w < words; w++) {
                thin[w] = random_word(w, 50 + (uint64_t)without * SLABS + (uint64_t)i, 3);
                dense[w] = ~thin[w];
            }
        }
    }
}

// Men by their letters, white ones as capitals; `pieces` in the order of the digits.
static inline int men_of(const char *letters, uint8_t *type, uint8_t *colour)
{
    static const char names[] = "KQRBNP";
    int count = 0;
    for (; letters[count] != 0; count++) {
        const char letter = letters[count];
        const char upper = letter >= 'a' ? (char)(letter - 'a' + 'A') : letter;
        type[count] = (uint8_t)(strchr(names, upper) - names);
        colour[count] = letter >= 'a' ? BLACK : WHITE;
    }
    return count;
}

// Squares of the fixed men, all different; no pawns on the first and last rank.
static inline void place_fixed(struct bench *bench, const uint8_t *type, int fixed, uint64_t slices)
{
    for (uint64_t slice = 0; slice < slices; slice++) {
        uint64_t taken = 0;
        uint64_t roll = mix(slice + 1000);
        for (int f = 0; f < fixed; f++) {
            unsigned square;
            do {
                roll = mix(roll);
                square = (unsigned)(type[f] == PAWN ? 8 + roll % 48 : roll % 64);
            } while (taken >> square & 1);
            taken |= UINT64_C(1) << square;
            bench->fixed_code[slice][f] = square_code[square];
        }
    }
}

static inline void bench_open(struct bench *bench, const char *pieces, const char *fixed, uint64_t slices)
{
    uint8_t type[2][MATERIAL_MEN_MAX];
    uint8_t colour[2][MATERIAL_MEN_MAX];
    const int piece_count = men_of(pieces, type[0], colour[0]);
    const int fixed_count = men_of(fixed, type[1], colour[1]);
    memset(bench, 0, sizeof *bench);
    assert_true(slices <= SLICES_MAX);
    place_fixed(bench, type[1], fixed_count, slices);
    GOOD(layout_init_slices(&bench->layout, piece_count, type[0], colour[0], fixed_count, type[1], colour[1], slices,
                            (const uint8_t(*)[FIXED_MAX])bench->fixed_code));
    bench->words = layout_bits(&bench->layout) / 64;
    bench->bits = host_words(bench->words);
    bench->more = host_words(bench->words);
    bench->result = host_words(bench->words);
    bench->imports = calloc(IMPORTS_MAX, sizeof *bench->imports);
    bench->transfer = calloc(SLICES_MAX, sizeof *bench->transfer);
    assert_non_null(bench->imports);
    assert_non_null(bench->transfer);
    make_slabs(bench);
    GOOD(threads_open(&bench->pool, 2));
    open_machines(bench);
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
    for (int i = 0; i < 4 * SLABS; i++)
        free(bench->slab[i / SLABS / 2][i / SLABS % 2][i % SLABS]);
    free(bench->bits);
    free(bench->more);
    free(bench->result);
    free(bench->imports);
    free(bench->transfer);
}

// ---- planes on the host ----

// Words of a slice within a tile, and where they begin.
static inline size_t run_words(const struct layout *layout)
{
    return layout->tile_lanes / 64 >> 3 * layout->slice_digits;
}

static inline size_t run_at(const struct layout *layout, uint64_t slice, uint64_t rest)
{
    const uint64_t tile = (slice >> 3 * layout->slice_digits) * layout->slice_stride + rest;
    const uint64_t low = slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    return tile * (layout->tile_lanes / 64) + low * run_words(layout);
}

static inline void clear_padding(const struct layout *layout, uint64_t *bits)
{
    for (uint64_t slice = layout->slices_used; slice < layout->slices; slice++) {
        for (uint64_t rest = 0; rest < layout->slice_stride; rest++)
            memset(bits + run_at(layout, slice, rest), 0, run_words(layout) * 8);
    }
}

// A whole plane goes into a machine as one slab for each slice: `slabs` is [words].
static inline void slabs_of_plane(struct bench *bench, const uint64_t *bits, uint64_t *slabs)
{
    const struct layout *layout = &bench->layout;
    const size_t run = run_words(layout);
    for (uint64_t slice = 0; slice < layout->slices_used; slice++) {
        uint64_t *slab = slabs + slice * (layout_slab_bits(layout) / 64);
        for (uint64_t rest = 0; rest < layout->slice_stride; rest++)
            memcpy(slab + rest * run, bits + run_at(layout, slice, rest), run * 8);
        bench->transfer[slice] =
            (struct slab_import){.slice = slice, .where = IMPORT_ALL, .man = -1, .empty = NO_SQUARE, .bits = slab};
    }
}

// The same plane in all machines. Changes bench->more.
static inline void write_plane(struct bench *bench, int plane, const uint64_t *bits)
{
    slabs_of_plane(bench, bits, bench->more);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->fill(machine->backend, machine->plane[plane], false));
        GOOD(OPS(machine)->import_slabs(machine->backend, machine->plane[plane], bench->transfer,
                                        bench->layout.slices_used));
    }
}

static inline void read_plane(struct machine *machine, int plane, uint64_t *bits)
{
    GOOD(OPS(machine)->read(machine->backend, machine->plane[plane], 0, machine->backend->layout.tiles, bits));
}

// The same random plane in all machines, and in `bits`; nothing in the padding slices.
static inline void set_random(struct bench *bench, int plane, uint64_t *bits, uint64_t seed, int thin)
{
    for (size_t w = 0; w < bench->words; w++)
        bits[w] = random_word(w, seed, thin);
    clear_padding(&bench->layout, bits);
    write_plane(bench, plane, bits);
}

static inline void print_entry(const struct layout *layout, uint64_t index)
{
    uint8_t squares[LAYOUT_PIECES_MAX];
    const uint64_t slice = layout_slice_placement(layout, index, squares);
    print_error("index %llu, slice %llu:", (unsigned long long)index, (unsigned long long)slice);
    for (int i = layout->slice_digits; i < layout_men(layout); i++) {
        const bool fixed = i >= layout->pieces;
        const int square = !fixed                        ? squares[i]
                           : slice < layout->slices_used ? code_square[layout->fixed_code[slice][i - layout->pieces]]
                                                         : 0;
        print_error(" %c%c%c%s",
                    (layout_colour_of(layout, i) == WHITE ? "KQRBNP" : "kqrbnp")[layout_type_of(layout, i)],
                    'a' + square % 8, '1' + square / 8, fixed ? " (fixed)" : "");
    }
    print_error("\n");
}

// All machines have the same plane as the first one, which is left in bench->result without padding.
static inline void assert_equal_planes(struct bench *bench, int plane, const char *what)
{
    uint64_t *other = bench->more;
    read_plane(&bench->machine[0], plane, bench->result);
    clear_padding(&bench->layout, bench->result);
    for (int m = 1; m < bench->machines; m++) {
        read_plane(&bench->machine[m], plane, other);
        clear_padding(&bench->layout, other);
        for (size_t w = 0; w < bench->words; w++) {
            if (bench->result[w] == other[w])
                continue;
            const uint64_t index = w * 64 + (uint64_t)__builtin_ctzll(bench->result[w] ^ other[w]);
            print_entry(&bench->layout, index);
            fail_msg("%s: %s differs from %s first at index %llu (%d here)", what, bench->machine[m].name,
                     bench->machine[0].name, (unsigned long long)index, bit_at(other, index));
        }
    }
}

// ---- layouts ----

// Opens a bench and checks operations on it. Men by their letters.
static void check_everything(const char *pieces, const char *fixed, uint64_t slices);

static void test_two_kings(void **state)
{
    (void)state;
    check_everything("Kk", "PPp", 70);
    check_everything("kK", "p", 3);
}

static void test_kings_and_fixed_pieces(void **state)
{
    (void)state;
    check_everything("Kk", "Qp", 64);
}

static void test_three_pieces(void **state)
{
    (void)state;
    check_everything("KkQ", "p", 11);
    check_everything("rKk", "Pp", 11);
    check_everything("KBk", "PpP", 8);
    check_everything("Kkn", "PP", 1);
    check_everything("KkR", "", 1);
}

static void test_three_pieces_and_a_fixed_queen(void **state)
{
    (void)state;
    check_everything("KkR", "qP", 11);
}

static void test_four_pieces(void **state)
{
    (void)state;
    check_everything("KkQr", "P", 2);
    check_everything("BkNK", "p", 1);
}

static void test_four_pieces_and_a_fixed_queen(void **state)
{
    (void)state;
    check_everything("bkKR", "Qp", 2);
}

#define LAYOUT_TESTS                                                                                                   \
    cmocka_unit_test(test_two_kings), cmocka_unit_test(test_kings_and_fixed_pieces),                                   \
        cmocka_unit_test(test_three_pieces), cmocka_unit_test(test_three_pieces_and_a_fixed_queen),                    \
        cmocka_unit_test(test_four_pieces), cmocka_unit_test(test_four_pieces_and_a_fixed_queen)

#endif
