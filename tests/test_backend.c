// test_backend.c - every operation of every backend against a plain reference, and all backends against each other
//
// The machines are the CPU kernels of each instruction set that this processor has, and each OpenCL device twice: as it
// is, and with planes in several parts. Planes are filled with random bits that do not tell apart the indices of one
// placement (mirror images of a king on the diagonal, the two orders of a pair in one tile, the places of a blank).
//
// The reference decodes an index into squares, moves men by steps of file and rank, and looks the successor up again;
// it is asked about a sample of the entries of the first machine. The other machines must then have the same planes,
// bit for bit. Under AddressSanitizer, which asks about memory rather than values, with fewer layouts and samples.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solver/backend.h"
#include "solver/backend_cpu/cpu.h"
#include "util/error.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solver/backend_opencl/devices.h"
#include "solver/backend_opencl/opencl_access.h"
#include "solver/backend_opencl/program.h"
#include "solver/backend_opencl/program_cache.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#ifdef __SANITIZE_ADDRESS__
enum { SAMPLES = 15000, LAYOUT_STEP = 2 };
#else
enum { SAMPLES = 60000, LAYOUT_STEP = 1 };
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

// ---- opening and closing ----

static void add_machine(struct bench *bench, const char *name, bool opencl, struct backend *backend)
{
    assert_true(bench->machines < MACHINES_MAX);
    struct machine *machine = &bench->machine[bench->machines++];
    *machine = (struct machine){.opencl = opencl, .backend = backend};
    snprintf(machine->name, sizeof machine->name, "%s", name);
    for (int i = 0; i < PLANES; i++)
        GOOD(OPS(machine)->plane_new(backend, &machine->plane[i]));
}

static void add_cpu(struct bench *bench)
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

static void add_opencl(struct bench *bench, uint64_t squares_in_a_part)
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

static uint64_t *host_words(size_t words)
{
    uint64_t *bits = calloc(words, 8);
    if (bits == NULL)
        abort();
    return bits;
}

static void bench_open(struct bench *bench, const struct layout *layout, uint64_t squares_in_a_part)
{
    *bench = (struct bench){.layout = *layout, .words = layout_bits(layout) / 64};
    bench->bits = host_words(bench->words);
    bench->more = host_words(bench->words);
    bench->result = host_words(bench->words);
    GOOD(threads_open(&bench->pool, 2));
    add_cpu(bench);
    add_opencl(bench, squares_in_a_part);
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
    free(bench->bits);
    free(bench->more);
    free(bench->result);
}

// ---- planes on the host ----

static inline bool bit_at(const uint64_t *bits, uint64_t index)
{
    return bits[index / 64] >> (index % 64) & 1;
}

// The lowest of the indices of this entry's placement.
static uint64_t canonical(const struct layout *layout, uint64_t index)
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

// A word whose bits are 1 with a chance of 2^-thin.
static uint64_t random_word(uint64_t number, uint64_t seed, int thin)
{
    uint64_t word = UINT64_MAX;
    for (int i = 0; i < thin && word != 0; i++)
        word &= mix(mix(number) ^ (seed * 64 + (uint64_t)i));
    return word;
}

// Random bits by canonical index, for small tables. The canonical indices are worked out once for a layout.
static void randomise_entries(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
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
static void randomise_words(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
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

static void randomise(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
{
    if (layout->pieces <= 3)
        randomise_entries(layout, bits, seed, thin);
    else
        randomise_words(layout, bits, seed, thin);
}

static void write_plane(struct machine *machine, int plane, const uint64_t *bits)
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

static void read_plane(struct machine *machine, int plane, uint64_t *bits)
{
    GOOD(OPS(machine)->read(machine->backend, machine->plane[plane], 0, machine->backend->layout.tiles, bits));
}

// The same random plane in all machines, and in `bits`.
static void set_random(struct bench *bench, int plane, uint64_t *bits, uint64_t seed, int thin)
{
    randomise(&bench->layout, bits, seed, thin);
    for (int m = 0; m < bench->machines; m++)
        write_plane(&bench->machine[m], plane, bits);
}

static bool blank(const struct layout *layout, int man)
{
    return man < layout->pieces && layout->type[man] == BLANK;
}

static void print_entry(const struct layout *layout, uint64_t index)
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
static void assert_equal_planes(struct bench *bench, int plane, const char *what)
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

// ---- the reference ----

struct board {
    const struct layout *layout;
    int men;                               // the black king is the last one
    uint8_t square[LAYOUT_PIECES_MAX + 1]; //
    uint8_t type[LAYOUT_PIECES_MAX + 1];   //
    uint8_t colour[LAYOUT_PIECES_MAX + 1]; //
};

static struct board board_of(const struct layout *layout, uint64_t index)
{
    struct board board = {.layout = layout, .men = layout->pieces + 1};
    int king;
    layout_placement(layout, index, &king, board.square);
    memcpy(board.type, layout->type, (size_t)layout->pieces);
    memcpy(board.colour, layout->colour, (size_t)layout->pieces);
    board.square[layout->pieces] = (uint8_t)king;
    board.type[layout->pieces] = KING;
    board.colour[layout->pieces] = BLACK;
    return board;
}

static bool occupied(const struct board *board, int but, int square)
{
    for (int i = 0; i < board->men; i++) {
        if (i != but && board->type[i] != BLANK && board->square[i] == square)
            return true;
    }
    return false;
}

// Can a man of this type go that way, and how far?
static int reach_of(int type, int files, int ranks)
{
    const bool straight = files == 0 || ranks == 0;
    const bool slanted = abs(files) == abs(ranks);
    const bool leap = abs(files) + abs(ranks) == 3 && files != 0 && ranks != 0;
    if (type == KNIGHT)
        return leap ? 1 : 0;
    if (leap || abs(files) > 1 || abs(ranks) > 1)
        return 0;
    if (type == KING)
        return 1;
    return (straight && type != BISHOP) || (slanted && type != ROOK) ? 7 : 0;
}

// Fills targets[] with the squares that man i can move to, other men's included; returns their number.
static int targets_of(const struct board *board, int man, int targets[64])
{
    int count = 0;
    for (int way = 0; way < 25; way++) {
        const int files = way % 5 - 2;
        const int ranks = way / 5 - 2;
        const int reach = files == 0 && ranks == 0 ? 0 : reach_of(board->type[man], files, ranks);
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
    for (int man = 0; man < board.men; man++) {
        int targets[64];
        if (board.type[man] == BLANK || board.colour[man] != side)
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            struct board after = board;
            after.square[man] = (uint8_t)targets[i];
            if (bit_at(bits, layout_index(layout, after.square[layout->pieces], after.square)) != invert)
                return true;
        }
    }
    return false;
}

static bool shares_with_enemy(const struct board *board, int man)
{
    for (int i = 0; i < board->men; i++) {
        if (board->type[i] != BLANK && board->colour[i] != board->colour[man] && board->square[i] == board->square[man])
            return true;
    }
    return false;
}

static bool reference_attacks(const struct layout *layout, uint64_t index, int side)
{
    const struct board board = board_of(layout, index);
    const int victim = side == WHITE ? layout->pieces : layout->white_king;
    for (int man = 0; man < board.men; man++) {
        int targets[64];
        if (board.type[man] == BLANK || board.colour[man] != side || shares_with_enemy(&board, man))
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            if (targets[i] == board.square[victim])
                return true;
        }
    }
    return false;
}

static bool reference_overlap(const struct layout *layout, uint64_t index, const struct men_pairs *pairs)
{
    const struct board board = board_of(layout, index);
    for (int p = 0; p < board.men; p++) {
        for (int q = 0; q < board.men; q++) {
            if (p != q && (pairs->with[p] >> q & 1) && board.type[p] != BLANK && board.type[q] != BLANK &&
                board.square[p] == board.square[q])
                return true;
        }
    }
    return false;
}

static bool reference_import(const struct layout *layout, uint64_t index, const struct import *import)
{
    const struct board board = board_of(layout, index);
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    int at = import->sub->pieces - (layout->pieces - 1); // a blank comes first
    if (!shares_with_enemy(&board, import->captured))
        return false;
    for (int i = 0; i < layout->pieces; i++) {
        if (i != import->captured)
            squares[at++] = board.square[i];
    }
    const uint64_t sub = layout_index(import->sub, board.square[layout->pieces], squares);
    return (import->bits != NULL && bit_at(import->bits, sub)) != import->invert;
}

static bool any_overlap(const struct layout *layout, uint64_t index)
{
    struct men_pairs all;
    memset(&all, 0xff, sizeof all);
    return reference_overlap(layout, index, &all);
}

// The n-th index of a sample that meets all lanes and tiles alike.
static uint64_t sample(const struct layout *layout, uint64_t n)
{
    const uint64_t bits = layout_bits(layout);
    return bits > 0 ? mix(n) % bits : 0;
}

static void assert_entry(struct bench *bench, uint64_t index, bool expected, const char *what)
{
    if (bit_at(bench->result, index) == expected)
        return;
    print_entry(&bench->layout, index);
    fail_msg("%s: %s has %d where the reference has %d", what, bench->machine[0].name, !expected, expected);
}

// ---- operations ----

static void check_fill_and_read(struct bench *bench)
{
    const uint64_t tile_words = bench->layout.tile_lanes / 64;
    for (int bit = 1; bit >= 0; bit--) {
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[0], bit));
        assert_equal_planes(bench, 0, "fill");
        assert_int_equal(bench->result[0], bit ? UINT64_MAX : 0);
        assert_int_equal(bench->result[bench->words - 1], bit ? UINT64_MAX : 0);
    }
    set_random(bench, 0, bench->bits, 1, 1);
    assert_equal_planes(bench, 0, "write");
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    for (uint64_t n = 0; n < 20; n++) {
        const uint64_t first = mix(n) % bench->layout.tiles;
        const uint64_t count = mix(n + 100) % (bench->layout.tiles - first) + 1;
        for (int m = 0; m < bench->machines; m++) {
            struct machine *machine = &bench->machine[m];
            GOOD(OPS(machine)->read(machine->backend, machine->plane[0], first, count, bench->more));
            assert_memory_equal(bench->more, bench->bits + first * tile_words, count * tile_words * 8);
        }
    }
}

static uint64_t combined(uint64_t to, enum plane_operation operation, uint64_t from)
{
    switch (operation) {
    case PLANE_COPY:
        return from;
    case PLANE_OR:
        return to | from;
    case PLANE_AND:
        return to & from;
    case PLANE_AND_NOT:
        return to & ~from;
    default:
        return ~from;
    }
}

// from = plane 1, random or empty.
static void check_combine(struct bench *bench, bool empty)
{
    for (enum plane_operation operation = PLANE_COPY; operation <= PLANE_COPY_NOT; operation++) {
        set_random(bench, 1, bench->more, 2, 1);
        set_random(bench, 0, bench->bits, 3, 1);
        for (size_t w = 0; w < bench->words; w++)
            bench->bits[w] = combined(bench->bits[w], operation, empty ? 0 : bench->more[w]);
        for (int m = 0; m < bench->machines; m++) {
            struct machine *machine = &bench->machine[m];
            if (empty)
                GOOD(OPS(machine)->fill(machine->backend, machine->plane[1], false));
            GOOD(OPS(machine)->combine(machine->backend, machine->plane[0], operation, machine->plane[1]));
        }
        assert_equal_planes(bench, 0, "combine");
        assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    }
}

static void check_overlaps(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (uint64_t round = 0; round < 3; round++) {
        struct men_pairs pairs = {{0}};
        for (int p = 0; p <= layout->pieces; p++) {
            for (int q = 0; q < p; q++) {
                if (round > 0 && mix(round * 64 + (uint64_t)(8 * p + q)) & 1)
                    continue;
                pairs.with[p] |= (uint8_t)(1 << q);
                pairs.with[q] |= (uint8_t)(1 << p);
            }
        }
        set_random(bench, 0, bench->bits, 4, 3);
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->overlaps(bench->machine[m].backend, bench->machine[m].plane[0], &pairs));
        assert_equal_planes(bench, 0, "overlaps");
        for (uint64_t n = 0; n < SAMPLES; n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, bit_at(bench->bits, index) || reference_overlap(layout, index, &pairs),
                         "overlaps");
        }
    }
}

static void sub_layout(struct layout *sub, const struct layout *layout, int captured)
{
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    int pieces = 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (i == captured)
            continue;
        type[pieces] = layout->type[i];
        colour[pieces++] = layout->colour[i];
    }
    GOOD(layout_init_pieces(sub, pieces, type, colour));
}

static void check_import_of(struct bench *bench, int captured, const uint64_t *bits, const struct layout *sub,
                            bool invert)
{
    const struct layout *layout = &bench->layout;
    const struct import import = {.captured = captured, .sub = sub, .bits = bits, .invert = invert};
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        write_plane(machine, 0, bench->bits);
        GOOD(OPS(machine)->import(machine->backend, machine->plane[0], &import));
    }
    assert_equal_planes(bench, 0, "import");
    for (uint64_t n = 0; n < SAMPLES; n++) {
        const uint64_t index = sample(layout, n);
        assert_entry(bench, index, bit_at(bench->bits, index) || reference_import(layout, index, &import), "import");
    }
}

static void check_import(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    randomise(layout, bench->bits, 5, 4);
    for (int captured = 0; captured < layout->pieces; captured++) {
        struct layout sub;
        if (layout->type[captured] == KING || blank(layout, captured))
            continue;
        sub_layout(&sub, layout, captured);
        uint64_t *bits = host_words(layout_bits(&sub) / 64);
        randomise(&sub, bits, 6 + (uint64_t)captured, 1);
        check_import_of(bench, captured, bits, &sub, captured % 2 != 0);
        check_import_of(bench, captured, NULL, &sub, true);
        check_import_of(bench, captured, NULL, &sub, false);
        free(bits);
    }
}

static void check_attacks(struct bench *bench)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->attacks(bench->machine[m].backend, bench->machine[m].plane[0], side));
        assert_equal_planes(bench, 0, "attacks");
        for (uint64_t n = 0; n < SAMPLES; n++) {
            const uint64_t index = sample(&bench->layout, n);
            assert_entry(bench, index, reference_attacks(&bench->layout, index, side),
                         side == WHITE ? "white attacks" : "black attacks");
        }
    }
}

static void check_pred_of(struct bench *bench, uint64_t seed, int thin, bool invert)
{
    static const char *const names[COLOURS][2] = {{"white pred", "white inverted pred"},
                                                  {"black pred", "black inverted pred"}};
    set_random(bench, 1, bench->bits, seed, thin);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int m = 0; m < bench->machines; m++) {
            struct machine *machine = &bench->machine[m];
            GOOD(OPS(machine)->pred(machine->backend, machine->plane[0], side, machine->plane[1], invert));
        }
        assert_equal_planes(bench, 0, names[side][invert]);
        for (uint64_t n = 0; n < SAMPLES; n++) {
            const uint64_t index = sample(&bench->layout, n);
            if (!any_overlap(&bench->layout, index))
                assert_entry(bench, index, reference_pred(&bench->layout, index, side, bench->bits, invert),
                             names[side][invert]);
        }
    }
}

static void check_pred(struct bench *bench)
{
    check_pred_of(bench, 20, 5, false);
    check_pred_of(bench, 21, 12, false);
    check_pred_of(bench, 22, 1, true);
}

// ---- steps ----

// What the planes of the steps are for.
enum { WON, CLOSED, LOST_NEW, WON_NEW, EXTRA, DISTANCE_A, DISTANCE_B, SPARE };

static void step_all(struct bench *bench, const struct step *model, const int numbers[5], int planes, uint64_t *found)
{
    static const char *const names[] = {"a step's closed plane", "a step's fresh plane", "a step's distance planes"};
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        struct step step = *model;
        step.in = machine->plane[numbers[0]];
        step.closed = machine->plane[numbers[1]];
        step.fresh = machine->plane[numbers[2]];
        step.only = numbers[3] < 0 ? NULL : machine->plane[numbers[3]];
        step.extra = numbers[4] < 0 ? NULL : machine->plane[numbers[4]];
        step.planes = planes;
        for (int i = 0; i < planes; i++)
            step.plane[i] = machine->plane[DISTANCE_A + i];
        GOOD(OPS(machine)->step(machine->backend, &step));
        if (m > 0 && step.found != *found)
            fail_msg("%s finds %llu new bits, %s %llu", machine->name, (unsigned long long)step.found,
                     bench->machine[0].name, (unsigned long long)*found);
        *found = step.found;
    }
    for (int i = 0; i < planes; i++)
        assert_equal_planes(bench, DISTANCE_A + i, names[2]);
    assert_equal_planes(bench, numbers[1], names[0]);
    assert_equal_planes(bench, numbers[2], names[1]);
}

// A step of the first machine is what its own pred() says; bench->result holds the step's fresh plane.
static void assert_step(struct bench *bench, const struct step *model, const uint64_t *reached,
                        const uint64_t *closed_before, uint64_t found)
{
    uint64_t count = 0;
    for (size_t w = 0; w < bench->words; w++) {
        const uint64_t new = (model->invert ? ~reached[w] : reached[w]) & ~closed_before[w];
        if (bench->result[w] != new)
            fail_msg("a step's fresh plane is not reached & ~closed in word %zu", w);
        count += (uint64_t)__builtin_popcountll(new);
    }
    assert_int_equal(count, found);
}

// `only` must not change the result, so whatever has no move into it gets closed first.
static void close_others(struct bench *bench, int side, int only)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->pred(machine->backend, machine->plane[SPARE], side, machine->plane[only], false));
        GOOD(
            OPS(machine)->combine(machine->backend, machine->plane[DISTANCE_B], PLANE_COPY_NOT, machine->plane[SPARE]));
        GOOD(OPS(machine)->combine(machine->backend, machine->plane[CLOSED], PLANE_OR, machine->plane[DISTANCE_B]));
    }
    assert_equal_planes(bench, CLOSED, "closed");
}

static void read_pred(struct bench *bench, int side, int in, bool invert, uint64_t *reached)
{
    struct machine *machine = &bench->machine[0];
    GOOD(OPS(machine)->pred(machine->backend, machine->plane[SPARE], side, machine->plane[in], invert));
    read_plane(machine, SPARE, reached);
}

// Plies of an iteration on random planes, as the solver runs them, both attackers. `thin` sets how sparse they are.
static void check_steps(struct bench *bench, int attacker, int thin, uint64_t seed)
{
    uint64_t *reached = host_words(bench->words);
    uint64_t *closed = host_words(bench->words);
    uint64_t found = 0;
    set_random(bench, WON, bench->bits, seed, 0); // all ones but for a few
    randomise(&bench->layout, bench->more, seed + 1, thin);
    for (size_t w = 0; w < bench->words; w++)
        bench->bits[w] &= ~bench->more[w];
    for (int m = 0; m < bench->machines; m++) {
        write_plane(&bench->machine[m], WON, bench->bits);
        write_plane(&bench->machine[m], CLOSED, bench->bits);
    }
    set_random(bench, EXTRA, bench->more, seed + 2, thin + 1);
    set_random(bench, LOST_NEW, bench->more, seed + 3, thin + 3);

    const struct step win = {.side = attacker};
    const struct step lose = {.side = 1 - attacker, .invert = true};
    read_pred(bench, attacker, LOST_NEW, false, reached);
    read_plane(&bench->machine[0], EXTRA, bench->more);
    for (size_t w = 0; w < bench->words; w++)
        reached[w] |= bench->more[w];
    memcpy(closed, bench->bits, bench->words * 8);
    step_all(bench, &win, (const int[]){LOST_NEW, WON, WON_NEW, -1, EXTRA}, 2, &found);
    assert_step(bench, &win, reached, closed, found);

    for (int ply = 0; ply < 2; ply++) {
        const bool narrow = ply == 1;
        if (narrow)
            close_others(bench, 1 - attacker, WON_NEW);
        read_pred(bench, 1 - attacker, WON, true, reached);
        read_plane(&bench->machine[0], CLOSED, closed);
        step_all(bench, &lose, (const int[]){WON, CLOSED, LOST_NEW, narrow ? WON_NEW : -1, -1}, 1, &found);
        assert_step(bench, &lose, reached, closed, found);

        read_pred(bench, attacker, LOST_NEW, false, reached);
        read_plane(&bench->machine[0], WON, closed);
        step_all(bench, &win, (const int[]){LOST_NEW, WON, WON_NEW, -1, -1}, 0, &found);
        assert_step(bench, &win, reached, closed, found);
    }
    free(reached);
    free(closed);
}

// A chain of steps out of a handful of entries with most of the table open, both sides in turn: each finds the
// neighbours of a few tiles. Then a losing step that only those can reach.
static void check_sparse_steps(struct bench *bench, int side, uint64_t seed)
{
    static const int planes[] = {LOST_NEW, WON_NEW, SPARE, LOST_NEW};
    uint64_t found = 0;
    set_random(bench, WON, bench->bits, seed, 2);
    set_random(bench, CLOSED, bench->bits, seed + 1, 2);
    int thin = 0;
    while (layout_bits(&bench->layout) >> (thin + 5) > 0) // some 32 entries
        thin++;
    set_random(bench, LOST_NEW, bench->bits, seed + 2, thin);
    for (int ply = 0; ply < 3; ply++) {
        const struct step step = {.side = ply & 1 ? 1 - side : side};
        step_all(bench, &step, (const int[]){planes[ply], ply & 1 ? CLOSED : WON, planes[ply + 1], -1, -1}, 1, &found);
        assert_true(found > 0 || blank(&bench->layout, 0));
    }
    set_random(bench, WON, bench->bits, seed + 3, 0);
    randomise(&bench->layout, bench->more, seed + 4, 8);
    for (size_t w = 0; w < bench->words; w++)
        bench->bits[w] &= ~bench->more[w];
    for (int m = 0; m < bench->machines; m++)
        write_plane(&bench->machine[m], WON, bench->bits);
    const struct step lose = {.side = side, .invert = true};
    close_others(bench, side, WON_NEW);
    step_all(bench, &lose, (const int[]){WON, CLOSED, LOST_NEW, WON_NEW, -1}, 0, &found);
    assert_true(found > 0 || blank(&bench->layout, 0));
}

// Steps that can find nothing leave an empty fresh plane behind, whatever was in it.
static void check_idle_steps(struct bench *bench)
{
    uint64_t found = 0;
    set_random(bench, WON_NEW, bench->bits, 70, 2);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[LOST_NEW], false));
    const struct step win = {.side = WHITE};
    step_all(bench, &win, (const int[]){LOST_NEW, WON, WON_NEW, -1, -1}, 1, &found);
    assert_int_equal(found, 0);
    set_random(bench, EXTRA, bench->bits, 71, 2);
    const struct step lose = {.side = BLACK, .invert = true};
    step_all(bench, &lose, (const int[]){WON, CLOSED, EXTRA, LOST_NEW, -1}, 1, &found);
    assert_int_equal(found, 0);
}

// ---- layouts ----

static void check_small(const struct layout *layout, uint64_t squares_in_a_part)
{
    struct bench bench;
    bench_open(&bench, layout, squares_in_a_part);
    check_fill_and_read(&bench);
    check_combine(&bench, false);
    check_combine(&bench, true);
    check_overlaps(&bench);
    check_import(&bench);
    check_attacks(&bench);
    check_pred(&bench);
    check_steps(&bench, WHITE, 6, 30);
    check_steps(&bench, BLACK, 14, 40);
    check_sparse_steps(&bench, WHITE, 80);
    check_sparse_steps(&bench, BLACK, 90);
    check_idle_steps(&bench);
    bench_close(&bench);
}

static void check_large(const struct layout *layout, uint64_t squares_in_a_part)
{
    struct bench bench;
    bench_open(&bench, layout, squares_in_a_part);
    check_overlaps(&bench);
    check_import(&bench);
    check_attacks(&bench);
    check_pred_of(&bench, 50, 5, false);
    check_pred_of(&bench, 51, 1, true);
    check_steps(&bench, WHITE, 18, 60);
    check_sparse_steps(&bench, WHITE, 80);
    check_sparse_steps(&bench, BLACK, 90);
    bench_close(&bench);
}

struct man_of {
    int type;
    int colour;
};

static void layout_of(struct layout *layout, int pieces, const struct man_of *men)
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

static void test_five_men(void **state)
{
    (void)state;
    static const struct man_of men[] = {{QUEEN, BLACK}, {BISHOP, WHITE}, {KING, WHITE}, {ROOK, BLACK}};
    struct layout layout;
    layout_of(&layout, 4, men);
    check_large(&layout, 7);
}

#ifdef CLTB_HAVE_OPENCL
static void test_opencl_devices(void **state)
{
    (void)state;
    struct opencl_device *devices;
    struct opencl_device device;
    struct layout layout;
    struct backend *backend;
    struct material material;
    int count;
    GOOD(opencl_devices(&devices, &count));
    assert_true(opencl_first_gpu() < count);
    assert_int_equal(opencl_device_get(&device, count), CLTB_E_DEVICE);
    assert_non_null(strstr(error_text(), "there is no OpenCL device"));
    assert_int_equal(opencl_device_get(&device, -1), CLTB_E_DEVICE);
    GOOD(material_parse(&material, "KRvKB", NULL));
    GOOD(layout_init(&layout, &material, 0));
    assert_int_equal(backend_opencl_open(&backend, &layout, count), CLTB_E_DEVICE);
    assert_null(backend);
    for (int i = 0; i < count; i++) {
        GOOD(opencl_device_get(&device, i));
        assert_string_equal(device.name, devices[i].name);
        assert_true(device.global_memory > 0 && device.max_allocation > 0 && device.compute_units > 0);
        assert_int_equal(backend_opencl_open_limited(&backend, &layout, i, 1000), CLTB_E_MEMORY);
        assert_null(backend);
        double rate = 0;
        GOOD(opencl_copy_rate(i, &rate));
        assert_true(rate > 1e6);
        print_message("device %d, %s: copies %.1f GB/s\n", i, device.name, rate / 1e9);
    }
    free(devices);
}

// Points XDG_CACHE_HOME to a new folder of this test and returns its path, to be given to cache_leave().
static char *cache_enter(const char *name, char *saved, size_t size)
{
    const char *before = getenv("XDG_CACHE_HOME");
    snprintf(saved, size, "%s", before == NULL ? "" : before);
    const char *parent = getenv("CLTB_TEST_TMP");
    char *path = malloc(1024);
    assert_non_null(path);
    snprintf(path, 1024, "%s/%s.%ld", parent == NULL ? "/tmp" : parent, name, (long)getpid());
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    return path;
}

static void cache_leave(char *path, const char *saved)
{
    char command[1100];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    if (saved[0] != '\0')
        setenv("XDG_CACHE_HOME", saved, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(path);
}

static void test_program_cache(void **state)
{
    (void)state;
    static const unsigned char binary[] = "not really a binary";
    char saved[1024];
    char file[1200];
    size_t size = 0;
    char *path = cache_enter("program-cache", saved, sizeof saved);
    assert_null(program_cache_load(7, &size));
    program_cache_store(7, binary, sizeof binary);
    unsigned char *loaded = program_cache_load(7, &size);
    assert_non_null(loaded);
    assert_int_equal(size, sizeof binary);
    assert_memory_equal(loaded, binary, size);
    free(loaded);
    assert_null(program_cache_load(8, &size));

    // Any damage, a cut and an empty file are a miss.
    snprintf(file, sizeof file, "%s/cltb/0000000000000007.clbin", path);
    for (long at = 0; at < 36; at++) {
        FILE *stream = fopen(file, "r+b");
        assert_non_null(stream);
        assert_int_equal(fseek(stream, at, SEEK_SET), 0);
        const int byte = fgetc(stream);
        assert_int_equal(fseek(stream, at, SEEK_SET), 0);
        assert_int_equal(fputc(byte ^ 1, stream), byte ^ 1);
        assert_int_equal(fclose(stream), 0);
        assert_null(program_cache_load(7, &size));
        program_cache_store(7, binary, sizeof binary);
    }
    for (long length = 35; length >= 0; length -= 5) {
        assert_int_equal(truncate(file, length), 0);
        assert_null(program_cache_load(7, &size));
    }
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    program_cache_store(7, binary, sizeof binary);
    assert_null(program_cache_load(7, &size));
    cache_leave(path, saved);
}

static void test_program_text(void **state)
{
    (void)state;
    char *text;
    GOOD(opencl_program_text(&text, (const char *const[]){"sweep.cl", "king.cl", NULL}));
    assert_null(strstr(text, "#include"));
    const char *first = strstr(text, "tile.h - ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "tile.h - "));
    assert_non_null(strstr(text, "kernel void sweep("));
    assert_non_null(strstr(text, "kernel void king_moves("));
    free(text);
    assert_int_equal(opencl_program_text(&text, (const char *const[]){"none.cl", NULL}), CLTB_E_DEVICE);
    assert_null(text);
    assert_non_null(strstr(error_text(), "none.cl"));
}

// Builds the smallest kernel text under an option of its own, so that no cache but ours can know it.
static int build_combine(cl_context context, const struct opencl_device *device, const char *options)
{
    cl_program program;
    int code = opencl_program(&program, context, device, (const char *const[]){"combine.cl", NULL}, options);
    if (code == 0)
        clReleaseProgram(program);
    return code;
}

// Puts a binary that is none behind a good header into every file of the cache; returns how many there are.
static int spoil_cache(const char *path)
{
    char folder[1100];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/cltb", path);
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (strstr(file->d_name, ".clbin") == NULL)
            continue;
        program_cache_store(strtoull(file->d_name, NULL, 16), (const unsigned char *)"rubbish", 7);
        count++;
    }
    closedir(files);
    return count;
}

static void test_programs_are_built_and_kept(void **state)
{
    (void)state;
    struct opencl_device device;
    cl_int status;
    if (opencl_device_get(&device, 0) != 0)
        skip();
    cl_device_id id = device.device_id;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    char saved[1024];
    char *path = cache_enter("kernel-cache", saved, sizeof saved);
    GOOD(build_combine(context, &device, "-D ONE=1"));
    assert_int_equal(spoil_cache(path), 1);
    GOOD(build_combine(context, &device, "-D ONE=1")); // the driver refuses what is there
    GOOD(build_combine(context, &device, "-D ONE=1")); // and finds it mended
    GOOD(build_combine(context, &device, "-D ONE=2"));
    assert_int_equal(spoil_cache(path), 2);

    assert_int_equal(build_combine(context, &device, "-D kernel=nonsense"), CLTB_E_DEVICE);
    assert_non_null(strstr(error_text(), "building combine.cl"));
    assert_non_null(strstr(error_text(), "CL_BUILD_PROGRAM_FAILURE"));
    assert_non_null(strstr(error_text(), "error"));

    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    GOOD(build_combine(context, &device, "-D ONE=3"));
    cache_leave(path, saved);
    clReleaseContext(context);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_men_with_a_blank),
        cmocka_unit_test(test_four_men),
        cmocka_unit_test(test_pair_of_white_bishops),
        cmocka_unit_test(test_pair_of_black_rooks),
        cmocka_unit_test(test_five_men),
#ifdef CLTB_HAVE_OPENCL
        cmocka_unit_test(test_opencl_devices),
        cmocka_unit_test(test_program_cache),
        cmocka_unit_test(test_program_text),
        cmocka_unit_test(test_programs_are_built_and_kept),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
