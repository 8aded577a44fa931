// test_slices_backend.c - every operation of every backend on layouts of slices, against a plain reference
//
// As test_backend.c does it for tables without pawns: the reference decodes an index into squares and moves men by
// steps of file and rank. It is asked about every entry of a small layout and a sample of a large one's, half of it with
// two men on one square. All machines must have the same planes, bit for bit; what is in the padding slices is left
// open but for overlaps().
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solver/backend.h"
#include "solver/backend_cpu/lane_kernels.h"
#include "util/error.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solver/backend_opencl/devices.h"
#include "solver/backend_opencl/opencl_access.h"
#endif

enum {
    MACHINES_MAX = 8,
    PLANES = 8,
    SAMPLES = 60000,
    SMALL = 300000, // entries of a layout that is checked in full
    SLICES_MAX = 80,
    SLABS = 4,
    IMPORTS_MAX = 6 * SLICES_MAX
};

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

#define GOOD(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != 0)                                                                                               \
            fail_msg("%s: %s", #call, error_text());                                                                   \
    } while (0)

#define OPS(machine) ((machine)->backend->ops)

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// ---- machines ----

// Leaves *backend NULL where this machine does not exist.
typedef int machine_open(struct backend **backend, const struct layout *layout, struct thread_pool *pool);

static int open_cpu(struct backend **backend, const struct layout *layout, struct thread_pool *pool, const char *isa)
{
    *backend = NULL;
    return lane_kernels_choose(512, isa) == NULL ? 0 : backend_cpu_open(backend, layout, pool, isa);
}

static int open_generic(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    return open_cpu(backend, layout, pool, "generic");
}

static int open_avx2(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    return open_cpu(backend, layout, pool, "avx2");
}

static int open_avx512(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    return open_cpu(backend, layout, pool, "avx512");
}

#ifdef CLTB_HAVE_OPENCL
static int open_opencl(struct backend **backend, const struct layout *layout, int device, uint64_t max_allocation)
{
    struct opencl_device found;
    *backend = NULL;
    if (opencl_device_get(&found, device) != 0)
        return 0;
    return backend_opencl_open_limited(backend, layout, device, max_allocation);
}

static int open_device0(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    (void)pool;
    return open_opencl(backend, layout, 0, UINT64_MAX);
}

static int open_device1(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
{
    (void)pool;
    return open_opencl(backend, layout, 1, UINT64_MAX);
}

// Buffers so small that a plane has several parts, and a list of slabs several pieces.
static int open_device0_in_parts(struct backend **backend, const struct layout *layout, struct thread_pool *pool)
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

static void open_machines(struct bench *bench)
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

static uint64_t *host_words(size_t words)
{
    uint64_t *bits = calloc(words > 0 ? words : 1, 8);
    if (bits == NULL)
        abort();
    return bits;
}

// A word whose bits are 1 with a chance of 2^-thin.
static uint64_t random_word(uint64_t number, uint64_t seed, int thin)
{
    uint64_t word = UINT64_MAX;
    for (int i = 0; i < thin && word != 0; i++)
        word &= mix(mix(number) ^ (seed * 64 + (uint64_t)i));
    return word;
}

static int real_pieces(const struct layout *layout)
{
    return layout->pieces - layout->slice_digits;
}

static void make_slabs(struct bench *bench)
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
static int men_of(const char *letters, uint8_t *type, uint8_t *colour)
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
static void place_fixed(struct bench *bench, const uint8_t *type, int fixed, uint64_t slices)
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

static void bench_open(struct bench *bench, const char *pieces, const char *fixed, uint64_t slices)
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

static void bench_close(struct bench *bench)
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

static inline bool bit_at(const uint64_t *bits, uint64_t index)
{
    return bits[index / 64] >> (index % 64) & 1;
}

// Words of a slice within a tile, and where they begin.
static size_t run_words(const struct layout *layout)
{
    return layout->tile_lanes / 64 >> 3 * layout->slice_digits;
}

static size_t run_at(const struct layout *layout, uint64_t slice, uint64_t rest)
{
    const uint64_t tile = (slice >> 3 * layout->slice_digits) * layout->slice_stride + rest;
    const uint64_t low = slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    return tile * (layout->tile_lanes / 64) + low * run_words(layout);
}

static void clear_padding(const struct layout *layout, uint64_t *bits)
{
    for (uint64_t slice = layout->slices_used; slice < layout->slices; slice++) {
        for (uint64_t rest = 0; rest < layout->slice_stride; rest++)
            memset(bits + run_at(layout, slice, rest), 0, run_words(layout) * 8);
    }
}

// A whole plane goes into a machine as one slab for each slice: `slabs` is [words].
static void slabs_of_plane(struct bench *bench, const uint64_t *bits, uint64_t *slabs)
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
static void write_plane(struct bench *bench, int plane, const uint64_t *bits)
{
    slabs_of_plane(bench, bits, bench->more);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->fill(machine->backend, machine->plane[plane], false));
        GOOD(OPS(machine)->import_slabs(machine->backend, machine->plane[plane], bench->transfer,
                                        bench->layout.slices_used));
    }
}

static void read_plane(struct machine *machine, int plane, uint64_t *bits)
{
    GOOD(OPS(machine)->read(machine->backend, machine->plane[plane], 0, machine->backend->layout.tiles, bits));
}

// The same random plane in all machines, and in `bits`; nothing in the padding slices.
static void set_random(struct bench *bench, int plane, uint64_t *bits, uint64_t seed, int thin)
{
    for (size_t w = 0; w < bench->words; w++)
        bits[w] = random_word(w, seed, thin);
    clear_padding(&bench->layout, bits);
    write_plane(bench, plane, bits);
}

static void print_entry(const struct layout *layout, uint64_t index)
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
static void assert_equal_planes(struct bench *bench, int plane, const char *what)
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

// ---- the reference ----

struct board {
    const struct layout *layout;
    uint64_t slice;
    int first;                       // the men before it are slice digits
    int pieces;                      // the men from here on are fixed
    int men;                         //
    uint8_t square[BACKEND_MEN_MAX]; //
    uint8_t type[BACKEND_MEN_MAX];   //
    uint8_t colour[BACKEND_MEN_MAX]; //
};

static struct board board_of(const struct layout *layout, uint64_t index)
{
    struct board board = {
        .layout = layout, .first = layout->slice_digits, .pieces = layout->pieces, .men = layout_men(layout)};
    board.slice = layout_slice_placement(layout, index, board.square);
    for (int i = board.first; i < board.men; i++) {
        board.type[i] = (uint8_t)layout_type_of(layout, i);
        board.colour[i] = (uint8_t)layout_colour_of(layout, i);
        if (i >= board.pieces)
            board.square[i] = code_square[layout->fixed_code[board.slice][i - board.pieces]];
    }
    return board;
}

static bool occupied(const struct board *board, int but, int square)
{
    for (int i = board->first; i < board->men; i++) {
        if (i != but && board->square[i] == square)
            return true;
    }
    return false;
}

// Can a man of this type take that way, and how far?
static int reach_of(int type, int colour, int files, int ranks)
{
    const bool straight = files == 0 || ranks == 0;
    const bool leap = abs(files) + abs(ranks) == 3 && files != 0 && ranks != 0;
    if (type == KNIGHT)
        return leap ? 1 : 0;
    if (leap || abs(files) > 1 || abs(ranks) > 1 || (files == 0 && ranks == 0))
        return 0;
    if (type == PAWN)
        return files != 0 && ranks == (colour == WHITE ? 1 : -1) ? 1 : 0;
    if (type == KING)
        return 1;
    return (straight && type != BISHOP) || (!straight && type != ROOK) ? 7 : 0;
}

// Fills targets[] with the squares that a piece can move to, or a pawn attacks, other men's included; returns their
// number.
static int targets_of(const struct board *board, int man, int targets[64])
{
    int count = 0;
    for (int way = 0; way < 25; way++) {
        const int files = way % 5 - 2;
        const int ranks = way / 5 - 2;
        const int reach = reach_of(board->type[man], board->colour[man], files, ranks);
        int file = board->square[man] % 8;
        int rank = board->square[man] / 8;
        for (int step = 0; step < reach; step++) {
            file += files;
            rank += ranks;
            if (file < 0 || file > 7 || rank < 0 || rank > 7)
                break;
            targets[count++] = rank * 8 + file;
            if (occupied(board, man, rank * 8 + file))
                break;
        }
    }
    return count;
}

static bool reference_pred(const struct layout *layout, uint64_t index, int side, const uint64_t *bits, bool invert)
{
    const struct board board = board_of(layout, index);
    for (int man = board.first; man < board.pieces; man++) {
        int targets[64];
        if (board.colour[man] != side)
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            struct board after = board;
            after.square[man] = (uint8_t)targets[i];
            if (bit_at(bits, layout_slice_index(layout, board.slice, after.square)) != invert)
                return true;
        }
    }
    return false;
}

static bool shares_with_enemy(const struct board *board, int man)
{
    for (int i = board->first; i < board->men; i++) {
        if (board->colour[i] != board->colour[man] && board->square[i] == board->square[man])
            return true;
    }
    return false;
}

static bool reference_attacks(const struct layout *layout, uint64_t index, int side)
{
    const struct board board = board_of(layout, index);
    const int victim = board.square[side == WHITE ? layout->black_king : layout->white_king];
    for (int man = board.first; man < board.men; man++) {
        int targets[64];
        if (board.colour[man] != side || (man >= board.pieces && board.type[man] != PAWN) ||
            shares_with_enemy(&board, man))
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            if (targets[i] == victim)
                return true;
        }
    }
    return false;
}

static bool reference_overlap(const struct layout *layout, uint64_t index, const struct men_pairs *pairs)
{
    const struct board board = board_of(layout, index);
    for (int p = board.first; p < board.men; p++) {
        for (int q = board.first; q < p; q++) {
            if ((pairs->with[p] >> q & 1) && board.square[p] == board.square[q])
                return true;
        }
    }
    return false;
}

static bool reference_import(const struct board *board, const struct slab_import *import)
{
    uint64_t u = 0;
    uint64_t l = 0;
    int digits = 0;
    for (int i = board->first; i < board->pieces; i++) {
        const unsigned code = square_code[board->square[i]];
        if (import->where == IMPORT_ALL && code == import->empty)
            return false;
        if (i == import->man)
            continue;
        u = 8 * u + code / 8;
        l = 8 * l + code % 8;
        digits++;
    }
    if (import->where == IMPORT_TAKEN && !shares_with_enemy(board, import->man))
        return false;
    if (import->where == IMPORT_AT && square_code[board->square[import->man]] != import->at)
        return false;
    const uint64_t at = u << 3 * digits | l;
    return (import->bits != NULL && bit_at(import->bits, at)) != import->invert;
}

// ---- samples ----

static uint64_t samples(const struct layout *layout)
{
    const uint64_t all = layout->slices_used * layout_slab_bits(layout);
    return all <= SMALL ? all : SAMPLES;
}

// The n-th index of a sample: of all entries where there are few; else every second one has two men on one square.
static uint64_t sample(const struct layout *layout, uint64_t n)
{
    const uint64_t slab = layout_slab_bits(layout);
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    const bool full = samples(layout) != SAMPLES;
    const uint64_t slice = full ? n / slab : mix(n) % layout->slices_used;
    uint64_t roll = full ? n % slab : mix(n + SMALL);
    for (int i = layout->slice_digits; i < layout->pieces; i++, roll >>= 6)
        squares[i] = roll & 63;
    if (!full && n % 2 == 1) {
        const uint64_t choice = mix(n + 2 * SMALL);
        const int men = layout_men(layout) - layout->slice_digits;
        const int to = layout->slice_digits + (int)(choice % (unsigned)men);
        const int from = layout->slice_digits + (int)((choice >> 32) % (unsigned)real_pieces(layout));
        squares[from] = to < layout->pieces ? squares[to] : code_square[layout->fixed_code[slice][to - layout->pieces]];
    }
    return layout_slice_index(layout, slice, squares);
}

static void assert_entry(struct bench *bench, uint64_t index, bool expected, const char *what)
{
    if (bit_at(bench->result, index) == expected)
        return;
    print_entry(&bench->layout, index);
    fail_msg("%s: %s has %d where the reference has %d", what, bench->machine[0].name, !expected, expected);
}

// ---- operations ----

static void check_write_and_read(struct bench *bench)
{
    set_random(bench, 0, bench->bits, 1, 1);
    assert_equal_planes(bench, 0, "slabs of whole slices");
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[0], true));
    assert_equal_planes(bench, 0, "fill");
    memset(bench->bits, 0xff, bench->words * 8);
    clear_padding(&bench->layout, bench->bits);
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
}

static void assert_padding_full(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (int m = 0; m < bench->machines; m++) {
        read_plane(&bench->machine[m], 0, bench->more);
        for (uint64_t slice = layout->slices_used; slice < layout->slices; slice++) {
            for (uint64_t rest = 0; rest < layout->slice_stride; rest++) {
                for (size_t w = 0; w < run_words(layout); w++)
                    assert_true(bench->more[run_at(layout, slice, rest) + w] == UINT64_MAX);
            }
        }
    }
}

static void check_overlaps(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (uint64_t round = 0; round < 3; round++) {
        struct men_pairs pairs = {{0}};
        for (int p = layout->slice_digits; p < layout_men(layout); p++) {
            for (int q = layout->slice_digits; q < p; q++) {
                if (round > 0 && mix(round * 256 + (uint64_t)(16 * p + q)) & 1)
                    continue;
                pairs.with[p] |= (uint16_t)(1 << q);
                pairs.with[q] |= (uint16_t)(1 << p);
            }
        }
        set_random(bench, 0, bench->bits, 4, 3);
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->overlaps(bench->machine[m].backend, bench->machine[m].plane[0], &pairs));
        assert_padding_full(bench);
        assert_equal_planes(bench, 0, "overlaps");
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, bit_at(bench->bits, index) || reference_overlap(layout, index, &pairs),
                         "overlaps");
        }
    }
}

static void check_attacks(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    set_random(bench, 0, bench->bits, 5, 1); // is overwritten
    for (int side = WHITE; side <= BLACK; side++) {
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->attacks(bench->machine[m].backend, bench->machine[m].plane[0], side));
        assert_equal_planes(bench, 0, "attacks");
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, reference_attacks(layout, index, side),
                         side == WHITE ? "white attacks" : "black attacks");
        }
    }
}

static void check_pred(struct bench *bench, int thin, bool invert)
{
    static const char *const names[COLOURS][2] = {{"white pred", "white inverted pred"},
                                                  {"black pred", "black inverted pred"}};
    const struct layout *layout = &bench->layout;
    set_random(bench, 1, bench->bits, 6, thin);
    for (size_t w = 0; invert && w < bench->words; w++)
        bench->bits[w] = ~bench->bits[w];
    if (invert) {
        clear_padding(layout, bench->bits);
        write_plane(bench, 1, bench->bits);
    }
    for (int side = WHITE; side <= BLACK; side++) {
        for (int m = 0; m < bench->machines; m++) {
            struct machine *machine = &bench->machine[m];
            GOOD(OPS(machine)->pred(machine->backend, machine->plane[0], side, machine->plane[1], invert));
        }
        assert_equal_planes(bench, 0, names[side][invert]);
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, reference_pred(layout, index, side, bench->bits, invert), names[side][invert]);
        }
    }
}

// ---- slabs ----

// A man that is no king, and whether only pieces will do; -1: there is none.
static int some_man(const struct layout *layout, uint64_t roll, bool piece)
{
    int found[BACKEND_MEN_MAX];
    unsigned count = 0;
    for (int i = layout->slice_digits; i < (piece ? layout->pieces : layout_men(layout)); i++) {
        if (layout_type_of(layout, i) != KING)
            found[count++] = i;
    }
    return count == 0 ? -1 : found[roll % count];
}

static struct slab_import some_import(struct bench *bench, uint64_t slice, uint64_t roll)
{
    const struct layout *layout = &bench->layout;
    struct slab_import import = {.slice = slice, .where = (enum import_where)(roll % 3), .man = -1};
    import.at = roll >> 8 & 63;
    import.empty = roll >> 16 & 1 ? NO_SQUARE : roll >> 17 & 63;
    import.invert = roll >> 24 & 1;
    if (import.where == IMPORT_AT)
        import.man = some_man(layout, roll >> 32, true);
    else if (import.where == IMPORT_TAKEN)
        import.man = some_man(layout, roll >> 32, false);
    if (import.man < 0)
        import.where = IMPORT_ALL;
    const bool without = import.man >= 0 && import.man < layout->pieces;
    // Full planes tell nothing: whole slices of ones are rare.
    const bool none = (roll >> 40) % 5 == 0 && (import.where != IMPORT_ALL || !import.invert || roll >> 50 & 1);
    import.bits = none ? NULL : bench->slab[without][import.invert][(roll >> 44) % SLABS];
    return import;
}

static size_t make_imports(struct bench *bench, uint64_t seed)
{
    size_t count = 0;
    for (uint64_t slice = 0; slice < bench->layout.slices_used; slice++) {
        const uint64_t roll = mix(seed * SLICES_MAX + slice);
        const unsigned wanted = roll % 4 == 0 ? 0 : 1 + (unsigned)(roll % 5);
        for (unsigned i = 0; i < wanted; i++)
            bench->imports[count++] = some_import(bench, slice, mix(roll + i));
    }
    return count;
}

static bool any_import(struct bench *bench, size_t count, uint64_t index)
{
    const struct board board = board_of(&bench->layout, index);
    for (size_t i = 0; i < count; i++) {
        if (bench->imports[i].slice == board.slice && reference_import(&board, &bench->imports[i]))
            return true;
    }
    return false;
}

static void check_imports(struct bench *bench, size_t count, const char *what)
{
    const struct layout *layout = &bench->layout;
    set_random(bench, 0, bench->bits, 7, 4);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->import_slabs(machine->backend, machine->plane[0], bench->imports, count));
    }
    assert_equal_planes(bench, 0, what);
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        assert_entry(bench, index, bit_at(bench->bits, index) || any_import(bench, count, index), what);
    }
}

// Every kind by itself, for every man and the first and last slices; then lists of everything.
static void check_slabs(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (int man = -1; man < layout_men(layout); man++) {
        if (man >= 0 && (!layout_is_man(layout, man) || layout_type_of(layout, man) == KING))
            continue;
        const bool piece = man >= 0 && man < layout->pieces;
        for (int where = IMPORT_ALL; where <= IMPORT_AT; where++) {
            if ((where == IMPORT_ALL) != (man < 0) || (where == IMPORT_AT && !piece))
                continue;
            for (unsigned i = 0; i < 2; i++) {
                const struct slab_import import = {.slice = i == 0 ? 0 : layout->slices_used - 1,
                                                   .where = (enum import_where)where,
                                                   .man = man,
                                                   .at = square_code[27],
                                                   .empty = i == 0 ? square_code[35] : NO_SQUARE,
                                                   .invert = i == 1,
                                                   .bits = bench->slab[piece][i][(unsigned)where]};
                bench->imports[i] = import;
            }
            check_imports(bench, 2, "one kind of import");
        }
    }
    for (uint64_t round = 0; round < 3; round++)
        check_imports(bench, make_imports(bench, round), "a list of imports");
    check_imports(bench, 0, "no imports");
}

static void check_bad_slabs(struct bench *bench)
{
    struct machine *machine = &bench->machine[0];
    struct slab_import imports[2] = {{.where = IMPORT_ALL, .man = -1, .empty = NO_SQUARE}};
    imports[1] = imports[0];
    imports[0].slice = bench->layout.slices_used - 1;
    if (bench->layout.slices_used > 1)
        assert_int_equal(OPS(machine)->import_slabs(machine->backend, machine->plane[0], imports, 2), CLTB_E_USAGE);
    imports[0].slice++;
    assert_int_equal(OPS(machine)->import_slabs(machine->backend, machine->plane[0], imports, 1), CLTB_E_USAGE);
}

// ---- steps ----

enum { IN, EXTRA, CLOSED, FRESH, FRESH_TOO, CODE0, CODE1, SPARE };

static uint64_t ones(const struct layout *layout, const uint64_t *bits)
{
    uint64_t sum = 0;
    for (uint64_t w = 0; w < layout_bits(layout) / 64; w++)
        sum += (uint64_t)__builtin_popcountll(bits[w]);
    return sum;
}

// A step on every machine; `step` names planes by numbers. Returns how many entries are new.
static uint64_t run_step(struct bench *bench, const struct step *step, int in, int only, int extra, int fresh)
{
    uint64_t found = 0;
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        struct step mine = *step;
        mine.in = machine->plane[in];
        mine.only = only < 0 ? NULL : machine->plane[only];
        mine.extra = extra < 0 ? NULL : machine->plane[extra];
        mine.closed = machine->plane[CLOSED];
        mine.fresh = machine->plane[fresh];
        mine.planes = 2;
        mine.plane[0] = machine->plane[CODE0];
        mine.plane[1] = machine->plane[CODE1];
        GOOD(OPS(machine)->step(machine->backend, &mine));
        if (m > 0)
            assert_int_equal(mine.found, found);
        found = mine.found;
    }
    return found;
}

// Plane `fresh` has what it should, and closed and the distances have got the same. On the host: `in`, `extra` and what
// keep_written() kept.
static void check_fresh(struct bench *bench, const struct step *step, const uint64_t *in, const uint64_t *extra,
                        const uint64_t *kept, int fresh, uint64_t found)
{
    const struct layout *layout = &bench->layout;
    assert_equal_planes(bench, fresh, "fresh");
    assert_int_equal(ones(layout, bench->result), found);
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        const bool reached = reference_pred(layout, index, step->side, in, step->invert) != step->invert;
        const bool new = reached || (extra != NULL && bit_at(extra, index));
        assert_entry(bench, index, new && !bit_at(kept, index), "fresh");
    }
    for (int plane = CLOSED; plane <= CODE1; plane++) {
        if (plane == FRESH || plane == FRESH_TOO)
            continue;
        uint64_t *expected = host_words(bench->words);
        read_plane(&bench->machine[0], fresh, expected);
        for (size_t w = 0; w < bench->words; w++)
            expected[w] |= kept[(size_t)(plane == CLOSED ? 0 : plane - CODE0 + 1) * bench->words + w];
        assert_equal_planes(bench, plane, "closed and distances");
        clear_padding(layout, expected);
        assert_memory_equal(bench->result, expected, bench->words * 8);
        free(expected);
    }
}

// closed, CODE0 and CODE1 one after another.
static uint64_t *keep_written(struct bench *bench)
{
    uint64_t *kept = host_words(3 * bench->words);
    for (int i = 0; i < 3; i++)
        read_plane(&bench->machine[0], i == 0 ? CLOSED : CODE0 + i - 1, kept + (size_t)i * bench->words);
    return kept;
}

// Padding slices are closed, as overlaps() leaves them.
static void prepare_closed(struct bench *bench, uint64_t seed, int thin)
{
    const struct men_pairs none = {{0}};
    set_random(bench, CLOSED, bench->bits, seed, thin);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->overlaps(bench->machine[m].backend, bench->machine[m].plane[CLOSED], &none));
}

// `only` must not change the result, so whatever has no move into it gets closed first.
static void close_others(struct bench *bench, int side, int only)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        struct plane *const *plane = machine->plane;
        GOOD(OPS(machine)->pred(machine->backend, plane[SPARE], side, plane[only], false));
        GOOD(OPS(machine)->combine(machine->backend, plane[EXTRA], PLANE_COPY_NOT, plane[SPARE]));
        GOOD(OPS(machine)->combine(machine->backend, plane[CLOSED], PLANE_OR, plane[EXTRA]));
    }
}

// A losing step where nearly everything is won, and only moves into plane `only` make new losses.
static void check_losing_step(struct bench *bench, int side, int only, int fresh)
{
    const struct step step = {.side = side, .invert = true};
    uint64_t *in = host_words(bench->words);
    for (size_t w = 0; w < bench->words; w++)
        in[w] = ~random_word(w, 25, 5);
    clear_padding(&bench->layout, in);
    write_plane(bench, IN, in);
    prepare_closed(bench, 26, 2);
    if (only >= 0)
        close_others(bench, side, only);
    uint64_t *kept = keep_written(bench);
    const uint64_t found = run_step(bench, &step, IN, only, -1, fresh);
    assert_true(found > 0);
    check_fresh(bench, &step, in, NULL, kept, fresh, found);
    free(in);
    free(kept);
}

// A winning step with moves and extra wins from random planes, and a losing one with and without it as `only`.
static void check_steps(struct bench *bench, int attacker)
{
    uint64_t *in = host_words(bench->words);
    uint64_t *extra = host_words(bench->words);
    const struct step win = {.side = attacker};
    set_random(bench, IN, in, 20, 9);
    set_random(bench, EXTRA, extra, 21, 12);
    set_random(bench, CODE0, bench->bits, 22, 2);
    set_random(bench, CODE1, bench->bits, 23, 5);
    prepare_closed(bench, 24, 1);
    uint64_t *kept = keep_written(bench);
    const uint64_t found = run_step(bench, &win, IN, -1, EXTRA, FRESH);
    assert_true(found > 0);
    check_fresh(bench, &win, in, extra, kept, FRESH, found);
    free(kept);
    free(in);
    free(extra);
    check_losing_step(bench, attacker ^ 1, FRESH, FRESH_TOO);
    check_losing_step(bench, attacker ^ 1, -1, FRESH_TOO);
}

static void clear_planes(struct bench *bench, int but)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        for (int plane = CLOSED; plane <= CODE1; plane++) {
            if (plane != but)
                GOOD(OPS(machine)->fill(machine->backend, machine->plane[plane], false));
        }
    }
}

// Few bits in few tiles: most groups and blocks are skipped, and a losing step asks about candidates first. Leaves a
// plane with empty tiles in FRESH.
static void check_sparse_steps(struct bench *bench, int attacker)
{
    const struct layout *layout = &bench->layout;
    uint64_t *in = host_words(bench->words);
    uint64_t *kept = host_words(3 * bench->words);
    const struct step step = {.side = attacker};
    for (uint64_t n = 0; n < 20; n++) {
        const uint64_t index = sample(layout, mix(n) % samples(layout));
        in[index / 64] |= UINT64_C(1) << (index % 64);
    }
    write_plane(bench, EXTRA, in);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[IN], false));
    clear_planes(bench, -1);
    // Through a step without moves the plane has only few active tiles.
    uint64_t found = run_step(bench, &step, IN, -1, EXTRA, FRESH);
    assert_int_equal(found, ones(layout, in));
    clear_planes(bench, FRESH);
    found = run_step(bench, &step, FRESH, -1, -1, FRESH_TOO);
    assert_true(found > 0);
    check_fresh(bench, &step, in, NULL, kept, FRESH_TOO, found);
    free(in);
    free(kept);
    check_losing_step(bench, attacker ^ 1, FRESH_TOO, FRESH);
}

static void check_slabs_into_fresh(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    read_plane(&bench->machine[0], FRESH, bench->bits);
    clear_padding(layout, bench->bits);
    const size_t count = make_imports(bench, 9);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->import_slabs(machine->backend, machine->plane[FRESH], bench->imports, count));
    }
    assert_equal_planes(bench, FRESH, "imports into a fresh plane");
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        assert_entry(bench, index, bit_at(bench->bits, index) || any_import(bench, count, index),
                     "imports into a fresh plane");
    }
}

// ---- layouts ----

static void check_everything(const char *pieces, const char *fixed, uint64_t slices)
{
    struct bench *bench = malloc(sizeof *bench);
    assert_non_null(bench);
    bench_open(bench, pieces, fixed, slices);
    assert_true(bench->machines > 0);
    check_write_and_read(bench);
    check_overlaps(bench);
    check_attacks(bench);
    check_pred(bench, 4, false);
    check_pred(bench, 4, true);
    check_slabs(bench);
    check_bad_slabs(bench);
    check_steps(bench, WHITE);
    check_steps(bench, BLACK);
    check_sparse_steps(bench, BLACK);
    check_sparse_steps(bench, WHITE);
    check_slabs_into_fresh(bench);
    bench_close(bench);
    free(bench);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_kings),    cmocka_unit_test(test_kings_and_fixed_pieces),
        cmocka_unit_test(test_three_pieces), cmocka_unit_test(test_three_pieces_and_a_fixed_queen),
        cmocka_unit_test(test_four_pieces),  cmocka_unit_test(test_four_pieces_and_a_fixed_queen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
