// test_windows.c - backends for windows against a backend that holds whole planes
//
// Every operation is done once on whole planes by the CPU backend (test_backend.c has that one against a plain
// reference), and then on windows of several sizes by the CPU's and the first OpenCL device's backends for windows.
// Here a window is gathered from, and compared with, arrays of whole planes, tile by tile. Tiles without a flag hold
// rubbish on the way in.
#include "support/support.h"

#include <pthread.h>

#include "solve/backend.h"
#include "solve/blocks.h"
#include "solve/cpu/cpu.h"
#include "util/error.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

// The planes of all operations, by what they hold before.
enum { SPARSE, DENSE, WON, EXTRA, CLOSED, FRESH, DISTANCE, PLANES };

#define SET(plane) (1U << (plane))

// Blocks at a time; the last of those windows may have fewer.
enum size { ONE_BLOCK, THREE_BLOCKS, A_THIRD, ALL_BLOCKS, SIZES };

// A backend for windows of one size.
struct machine {
    const char *name;
    struct backend *backend; // NULL: there is none
    struct plane *plane[PLANES];
};

struct bench {
    struct layout layout;
    struct side_blocks blocks[COLOURS];
    struct backend *whole;
    struct plane *plane[PLANES];
    uint64_t *before[PLANES]; // [words] of whole planes
    uint64_t *after[PLANES];  // what an operation makes of those that it changes
    struct machine machine[SIZES][2];
    struct import import;
    struct layout sub;
    uint64_t *sub_bits;
    size_t tile_words;
    size_t words;
};

// A part of each plane, in arrays that end where it ends.
struct window {
    int side;
    uint64_t first;
    uint64_t count;
    uint64_t tiles;
    uint64_t *bits[PLANES];
    uint8_t *active[PLANES];
};

// Aligned as vectors want it; tiles are multiples of 64 bytes.
static void *take(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL)
        abort();
    return memory;
}

// ---- planes on the host ----

// A pair's two orders made equal where they share a tile; their digits choose the word.
static void even_pair(const struct layout *layout, uint64_t *bits)
{
    const uint64_t tile_words = layout->tile_lanes / 64;
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

// Bits are 1 with a chance of 2^-thin, in one of `each` tiles; the others are empty.
static void randomise(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin, uint64_t each)
{
    const uint64_t tile_words = layout->tile_lanes / 64;
    for (uint64_t word = 0; word < layout_bits(layout) / 64; word++) {
        bits[word] = mix(word / tile_words ^ seed << 40) % each == 0 ? UINT64_MAX : 0;
        for (int i = 0; i < thin && bits[word] != 0; i++)
            bits[word] &= mix(mix(word) ^ (seed * 64 + (uint64_t)i));
    }
    even_pair(layout, bits);
}

static bool any_word(const uint64_t *bits, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        if (bits[w] != 0)
            return true;
    }
    return false;
}

// Copies a tile; an empty one comes without its flag and with rubbish as often as not.
static void copy_tile(uint64_t *to, uint8_t *active, const uint64_t *from, size_t words, uint64_t chance)
{
    memcpy(to, from, words * 8);
    *active = 1;
    if ((chance & 1) != 0 && !any_word(from, words)) {
        *active = 0;
        memset(to, 0xa5, words * 8);
    }
}

static void write_whole(struct bench *bench, unsigned planes)
{
    const size_t words = bench->tile_words;
    for (int p = 0; p < PLANES; p++) {
        if ((planes & SET(p)) == 0)
            continue;
        memcpy(bench->plane[p]->bits, bench->before[p], bench->words * 8);
        for (uint64_t tile = 0; tile < bench->layout.tiles; tile++)
            bench->plane[p]->active[tile] = any_word(bench->before[p] + tile * words, words);
    }
}

static void read_whole(struct bench *bench, int plane)
{
    GOOD(bench->whole->ops->read(bench->whole, bench->plane[plane], 0, bench->layout.tiles, bench->after[plane]));
}

static struct layout layout_named(const char *name)
{
    const struct material material = material_named(name);
    struct layout layout;
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    return layout;
}

static uint64_t size_of(const struct bench *bench, int side, enum size size)
{
    const uint64_t blocks = bench->blocks[side].blocks;
    const uint64_t sizes[SIZES] = {1, 3, blocks / 3 + 1, blocks};
    return sizes[size];
}

// The CPU's (number 0), or that of the first OpenCL device, if there is one; with as much room as the windows of both
// sides need.
static void machine_open(struct bench *bench, enum size size, int number)
{
    const uint64_t white = size_of(bench, WHITE, size) * bench->blocks[WHITE].locals;
    const uint64_t black = size_of(bench, BLACK, size) * bench->blocks[BLACK].locals;
    const uint64_t tiles = white > black ? white : black;
    struct machine *machine = &bench->machine[size][number];
    *machine = (struct machine){.name = number == 0 ? "CPU" : "OpenCL"};
    if (number == 0)
        GOOD(backend_cpu_open_windows(&machine->backend, &bench->layout, test_pool, NULL, tiles));
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device *devices;
    int count = 0;
    if (number == 1) {
        GOOD(opencl_devices(&devices, &count));
        free(devices);
    }
    if (count > 0)
        GOOD(backend_opencl_open_windows(&machine->backend, &bench->layout, 0, tiles));
#endif
    if (machine->backend == NULL)
        return;
    assert_non_null(machine->backend->windows);
    for (int p = 0; p < PLANES; p++)
        GOOD(machine->backend->ops->plane_new(machine->backend, &machine->plane[p]));
}

static void machine_close(struct machine *machine)
{
    for (int p = 0; machine->backend != NULL && p < PLANES; p++)
        machine->backend->ops->plane_free(machine->backend, machine->plane[p]);
    if (machine->backend != NULL)
        machine->backend->ops->close(machine->backend);
}

static void randomise_planes(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    randomise(layout, bench->before[SPARSE], 1, 5, layout->pieces == 3 ? 9 : 200); // so that steps leave tiles alone
    for (uint64_t tile = 0; tile < layout->tiles; tile++) {                        // and long gaps, in White's windows
        if (tile / layout->king_stride % 2 != 0)
            memset(bench->before[SPARSE] + tile * bench->tile_words, 0, bench->tile_words * 8);
    }
    randomise(layout, bench->before[DENSE], 2, 1, 1);
    randomise(layout, bench->before[WON], 3, 8, 1);
    for (size_t w = 0; w < bench->words; w++)
        bench->before[WON][w] = ~bench->before[WON][w];
    randomise(layout, bench->before[EXTRA], 4, 4, 30);
    randomise(layout, bench->before[CLOSED], 5, 1, 2);
    randomise(layout, bench->before[FRESH], 6, 1, 3);
    randomise(layout, bench->before[DISTANCE], 7, 3, 5);
}

// `sizes`: the set of those of windows.
static void bench_open(struct bench *bench, const struct layout *layout, unsigned sizes)
{
    *bench = (struct bench){.layout = *layout};
    bench->tile_words = layout->tile_lanes / 64;
    bench->words = layout_bits(layout) / 64;
    GOOD(backend_cpu_open(&bench->whole, layout, test_pool, NULL));
    for (int side = WHITE; side <= BLACK; side++)
        GOOD(side_blocks_make(&bench->blocks[side], layout, side));
    for (enum size size = ONE_BLOCK; size < SIZES; size++) {
        for (int number = 0; (sizes & SET(size)) != 0 && number < 2; number++)
            machine_open(bench, size, number);
    }
    for (int p = 0; p < PLANES; p++) {
        GOOD(bench->whole->ops->plane_new(bench->whole, &bench->plane[p]));
        bench->before[p] = take(bench->words * 8);
        bench->after[p] = take(bench->words * 8);
    }
    randomise_planes(bench);
}

static void bench_close(struct bench *bench)
{
    for (int p = 0; p < PLANES; p++) {
        bench->whole->ops->plane_free(bench->whole, bench->plane[p]);
        free(bench->before[p]);
        free(bench->after[p]);
    }
    for (int i = 0; i < SIZES * 2; i++)
        machine_close(&bench->machine[i / 2][i % 2]);
    for (int side = WHITE; side <= BLACK; side++)
        side_blocks_free(&bench->blocks[side]);
    bench->whole->ops->close(bench->whole);
    free(bench->sub_bits);
}

// ---- windows ----

static uint64_t tile_of(const struct bench *bench, const struct window *window, uint64_t place)
{
    const struct side_blocks *blocks = &bench->blocks[window->side];
    const uint64_t first = side_blocks_first(blocks, window->first + place / blocks->locals, NULL);
    return first + blocks->offset[place % blocks->locals];
}

static void window_open(const struct bench *bench, struct window *window, unsigned planes)
{
    const size_t words = bench->tile_words;
    window->tiles = window->count * bench->blocks[window->side].locals;
    for (int p = 0; p < PLANES; p++) {
        if ((planes & SET(p)) == 0)
            continue;
        window->bits[p] = take(window->tiles * words * 8);
        window->active[p] = take(window->tiles);
        for (uint64_t place = 0; place < window->tiles; place++) {
            const uint64_t tile = tile_of(bench, window, place);
            copy_tile(window->bits[p] + place * words, window->active[p] + place, bench->before[p] + tile * words,
                      words, mix(tile * PLANES + (uint64_t)p));
        }
    }
}

static void window_close(struct window *window)
{
    for (int p = 0; p < PLANES; p++) {
        free(window->bits[p]);
        free(window->active[p]);
    }
}

// The window's tile, as its flag has it, is that of a whole plane.
static void assert_tile(const struct bench *bench, const struct window *window, int plane, uint64_t place,
                        const uint64_t *expected, const char *what)
{
    const size_t words = bench->tile_words;
    const uint64_t *bits = window->bits[plane] + place * words;
    if (window->active[plane][place] ? memcmp(bits, expected, words * 8) == 0 : !any_word(expected, words))
        return;
    fail_msg("%s, blocks %llu and %llu in all of %s: plane %d differs at place %llu (tile %llu, flag %d)", what,
             (unsigned long long)window->first, (unsigned long long)window->count,
             window->side == WHITE ? "White" : "Black", plane, (unsigned long long)place,
             (unsigned long long)tile_of(bench, window, place), window->active[plane][place]);
}

// ---- operations ----

enum kind { FILL, COMBINE, OVERLAPS, IMPORT, PRED, STEP };

struct operation {
    const char *name;
    enum kind kind;
    int with;     // bit of a fill, operation of a combine, and of a step: `only` or `extra`
    bool invert;  // pred, step
    unsigned in;  // planes that have contents
    unsigned out; // planes that change
};

static const struct operation operations[] = {
    {"fill with 1", FILL, 1, false, 0, SET(DENSE)},
    {"fill with 0", FILL, 0, false, SET(DENSE), SET(DENSE)},
    {"copy", COMBINE, PLANE_COPY, false, SET(SPARSE), SET(DENSE)},
    {"or", COMBINE, PLANE_OR, false, SET(DENSE) | SET(SPARSE), SET(DENSE)},
    {"and", COMBINE, PLANE_AND, false, SET(DENSE) | SET(SPARSE), SET(DENSE)},
    {"and not", COMBINE, PLANE_AND_NOT, false, SET(DENSE) | SET(SPARSE), SET(DENSE)},
    {"copy not", COMBINE, PLANE_COPY_NOT, false, SET(SPARSE), SET(DENSE)},
    {"overlaps", OVERLAPS, 0, false, SET(DISTANCE), SET(DISTANCE)},
    {"pred", PRED, 0, false, SET(SPARSE), SET(FRESH)},
    {"inverted pred", PRED, 0, true, SET(WON), SET(FRESH)},
    {"a winning step", STEP, 0, false, SET(SPARSE) | SET(CLOSED) | SET(DISTANCE),
     SET(FRESH) | SET(CLOSED) | SET(DISTANCE)},
    {"a winning step with extra moves, over an old plane", STEP, EXTRA, false,
     SET(SPARSE) | SET(CLOSED) | SET(EXTRA) | SET(DISTANCE) | SET(FRESH), SET(FRESH) | SET(CLOSED) | SET(DISTANCE)},
    {"a losing step", STEP, 0, true, SET(WON) | SET(CLOSED) | SET(FRESH), SET(FRESH) | SET(CLOSED)},
    {"a losing step with candidates", STEP, SPARSE + 1, true, SET(WON) | SET(CLOSED) | SET(SPARSE) | SET(FRESH),
     SET(FRESH) | SET(CLOSED)},
};

static const struct operation import_operation = {"import", IMPORT, 0, false, SET(DISTANCE), SET(DISTANCE)};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static int apply_step(struct backend *backend, struct plane *const *plane, const struct operation *operation, int side,
                      uint64_t *found)
{
    struct step step = {.side = side, .invert = operation->invert, .closed = plane[CLOSED], .fresh = plane[FRESH]};
    step.in = plane[operation->invert ? WON : SPARSE];
    if (operation->with == EXTRA)
        step.extra = plane[EXTRA];
    else if (operation->with != 0)
        step.only = plane[SPARSE];
    if ((operation->out & SET(DISTANCE)) != 0) {
        step.planes = 1;
        step.plane[0] = plane[DISTANCE];
    }
    const int code = backend->ops->step(backend, &step);
    *found = step.found;
    return code;
}

static int apply(const struct bench *bench, struct backend *backend, struct plane *const *plane,
                 const struct operation *operation, int side, uint64_t *found)
{
    struct men_pairs pairs = {{0}};
    switch (operation->kind) {
    case FILL:
        return backend->ops->fill(backend, plane[DENSE], operation->with != 0);
    case COMBINE:
        return backend->ops->combine(backend, plane[DENSE], (enum plane_operation)operation->with, plane[SPARSE]);
    case OVERLAPS:
        for (int p = 0; p < layout_men(&bench->layout); p++) {
            for (int q = 0; q < p; q++) {
                if ((p + q) % 3 == 0)
                    continue;
                pairs.with[p] |= (uint16_t)(1 << q);
                pairs.with[q] |= (uint16_t)(1 << p);
            }
        }
        return backend->ops->overlaps(backend, plane[DISTANCE], &pairs);
    case IMPORT:
        return backend->ops->import(backend, plane[DISTANCE], &bench->import);
    case PRED:
        return backend->ops->pred(backend, plane[FRESH], side, plane[operation->invert ? WON : SPARSE],
                                  operation->invert);
    default:
        return apply_step(backend, plane, operation, side, found);
    }
}

// `only` must not change the result of a step, so what has no move into it gets closed.
static void close_others(struct bench *bench, int side)
{
    write_whole(bench, SET(SPARSE));
    GOOD(bench->whole->ops->pred(bench->whole, bench->plane[FRESH], side, bench->plane[SPARSE], false));
    read_whole(bench, FRESH);
    for (size_t w = 0; w < bench->words; w++)
        bench->before[CLOSED][w] |= ~bench->after[FRESH][w];
}

// Does an operation on whole planes.
static void expect(struct bench *bench, const struct operation *operation, int side)
{
    uint64_t found = 0;
    if (operation->kind == STEP && operation->invert) {
        randomise(&bench->layout, bench->before[CLOSED], 5, 1, 2);
        if (operation->with != 0)
            close_others(bench, side);
    }
    write_whole(bench, operation->in | operation->out);
    GOOD(apply(bench, bench->whole, bench->plane, operation, side, &found));
    for (int p = 0; p < PLANES; p++) {
        if ((operation->out & SET(p)) != 0)
            read_whole(bench, p);
    }
    if (operation->kind == STEP)
        assert_true(found > 0);
}

// ---- one window ----

static void put_planes(struct machine *machine, struct window *window, unsigned contents)
{
    for (int p = 0; p < PLANES; p++) {
        if (window->bits[p] != NULL)
            GOOD(machine->backend->windows->put(machine->backend, machine->plane[p], window->bits[p], window->active[p],
                                                window->tiles, (contents & SET(p)) != 0));
    }
}

static uint64_t count_bits(const struct bench *bench, const struct window *window, int plane)
{
    uint64_t count = 0;
    for (uint64_t place = 0; place < window->tiles; place++) {
        const uint64_t *bits = bench->after[plane] + tile_of(bench, window, place) * bench->tile_words;
        for (size_t w = 0; w < bench->tile_words; w++)
            count += (uint64_t)__builtin_popcountll(bits[w]);
    }
    return count;
}

// read() sees what get() brings.
static void check_read(const struct bench *bench, struct machine *machine, const struct window *window, int plane,
                       const uint64_t *expected)
{
    const uint64_t place = window->tiles / 2;
    uint64_t *tile = take(bench->tile_words * 8);
    GOOD(machine->backend->ops->read(machine->backend, machine->plane[plane], place, 1, tile));
    if (memcmp(tile, expected + tile_of(bench, window, place) * bench->tile_words, bench->tile_words * 8) != 0)
        fail_msg("read() of plane %d differs at place %llu", plane, (unsigned long long)place);
    free(tile);
}

static void check_window(const struct bench *bench, struct machine *machine, const struct operation *operation,
                         struct window *window)
{
    uint64_t found = 0;
    char what[128];
    snprintf(what, sizeof what, "%s, %s", machine->name, operation->name);
    window_open(bench, window, operation->in | operation->out);
    put_planes(machine, window, operation->in);
    GOOD(machine->backend->windows->move(machine->backend, window->side, window->first, window->count));
    GOOD(apply(bench, machine->backend, machine->plane, operation, window->side, &found));
    const uint64_t expected = operation->kind == STEP ? count_bits(bench, window, FRESH) : 0;
    if (found != expected)
        fail_msg("%s in blocks %llu and %llu in all of %s finds %llu, not %llu", what,
                 (unsigned long long)window->first, (unsigned long long)window->count,
                 window->side == WHITE ? "White" : "Black", (unsigned long long)found, (unsigned long long)expected);
    for (int p = 0; p < PLANES; p++) {
        const uint64_t *expected_bits = (operation->out & SET(p)) != 0 ? bench->after[p] : bench->before[p];
        if (window->bits[p] == NULL)
            continue;
        GOOD(machine->backend->windows->get(machine->backend, machine->plane[p], window->tiles));
        for (uint64_t place = 0; place < window->tiles; place++)
            assert_tile(bench, window, p, place, expected_bits + tile_of(bench, window, place) * bench->tile_words,
                        what);
        check_read(bench, machine, window, p, expected_bits);
    }
    window_close(window);
}

// ---- all windows of a size, or some ----

static struct window window_number(const struct bench *bench, int side, uint64_t size, uint64_t number)
{
    const uint64_t rest = bench->blocks[side].blocks - number * size;
    return (struct window){.side = side, .first = number * size, .count = rest < size ? rest : size};
}

// The last window, which may be smaller; of many also the first one and one between.
static void check_windows(const struct bench *bench, struct machine *machine, const struct operation *operation,
                          int side, uint64_t size, uint64_t seed)
{
    const uint64_t windows = (bench->blocks[side].blocks + size - 1) / size;
    const uint64_t numbers[] = {windows - 1, 0, 1 + mix(seed) % (windows > 3 ? windows - 2 : 1)};
    for (int i = 0; i < (windows > 3 ? 3 : 1); i++) {
        struct window window = window_number(bench, side, size, numbers[i]);
        check_window(bench, machine, operation, &window);
    }
}

// An operation in windows of one side, of all sizes, by both backends.
static void check_operation(struct bench *bench, const struct operation *operation, int side)
{
    expect(bench, operation, side);
    for (enum size size = ONE_BLOCK; size < SIZES; size++) {
        for (int number = 0; number < 2; number++) {
            struct machine *machine = &bench->machine[size][number];
            if (machine->backend != NULL)
                check_windows(bench, machine, operation, side, size_of(bench, side, size), (uint64_t)size);
        }
    }
}

static void check_import(struct bench *bench, int captured, bool bits, bool invert)
{
    const struct layout *layout = &bench->layout;
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    int pieces = 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (i == captured)
            continue;
        type[pieces] = layout->type[i];
        colour[pieces++] = layout->colour[i];
    }
    GOOD(layout_init_pieces(&bench->sub, pieces, type, colour));
    free(bench->sub_bits);
    bench->sub_bits = take(layout_bits(&bench->sub) / 8);
    randomise(&bench->sub, bench->sub_bits, 20 + (uint64_t)captured, 1, 1);
    bench->import = (struct import){captured, &bench->sub, bits ? bench->sub_bits : NULL, invert};
    for (int side = WHITE; side <= BLACK; side++)
        check_operation(bench, &import_operation, side);
}

// ---- attacks: White's windows, then Black's ----

static void attacks_of(struct bench *bench, struct machine *machine, int window_side, int side, uint64_t size)
{
    for (uint64_t first = 0; first < bench->blocks[window_side].blocks; first += size) {
        struct window window = window_number(bench, window_side, size, first / size);
        window_open(bench, &window, SET(DENSE));
        put_planes(machine, &window, window_side == BLACK ? SET(DENSE) : 0);
        GOOD(machine->backend->windows->move(machine->backend, window_side, window.first, window.count));
        GOOD(machine->backend->ops->attacks(machine->backend, machine->plane[DENSE], side));
        GOOD(machine->backend->windows->get(machine->backend, machine->plane[DENSE], window.tiles));
        for (uint64_t place = 0; place < window.tiles; place++) {
            uint64_t *to = bench->before[DENSE] + tile_of(bench, &window, place) * bench->tile_words;
            memset(to, 0, bench->tile_words * 8);
            if (window.active[DENSE][place])
                memcpy(to, window.bits[DENSE] + place * bench->tile_words, bench->tile_words * 8);
        }
        window_close(&window);
    }
}

static void check_attacks(struct bench *bench, int side)
{
    GOOD(bench->whole->ops->attacks(bench->whole, bench->plane[DENSE], side));
    read_whole(bench, DENSE);
    for (int i = 0; i < SIZES * 2; i++) {
        const enum size size = (enum size)(i / 2);
        struct machine *machine = &bench->machine[size][i % 2];
        for (int windows = WHITE; machine->backend != NULL && windows <= side; windows++)
            attacks_of(bench, machine, windows, side, size_of(bench, windows, size));
        if (machine->backend != NULL && memcmp(bench->before[DENSE], bench->after[DENSE], bench->words * 8) != 0)
            fail_msg("%s: attacks of %s differ in windows", machine->name, side == WHITE ? "White" : "Black");
    }
}

// ---- tests ----

static void check_operations(struct bench *bench, enum kind first)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = 0; i < OPERATIONS; i++) {
            if (operations[i].kind >= first)
                check_operation(bench, &operations[i], side);
        }
    }
}

// Of the first and the last man that can be captured.
static void check_imports(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    int captured[LAYOUT_PIECES_MAX] = {0};
    int count = 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] != KING && layout_is_man(layout, i))
            captured[count++] = i;
    }
    assert_true(count > 0);
    check_import(bench, captured[0], true, false);
    if (count > 1)
        check_import(bench, captured[count - 1], true, true);
    check_import(bench, captured[count - 1], false, true);
}

// Windows of all sizes or of two; operations from a kind on; `pair`: the colour of identical pieces, -1: none.
static const struct endgame {
    const char *name;
    enum kind first;
    unsigned sizes;
    int pair;
    bool imports; // and attacks
} endgames[] = {
    {"KQvK", FILL, SET(ONE_BLOCK) | SET(THREE_BLOCKS) | SET(A_THIRD) | SET(ALL_BLOCKS), -1, true}, // with a blank
    {"KQvKR", FILL, SET(ONE_BLOCK) | SET(THREE_BLOCKS) | SET(A_THIRD) | SET(ALL_BLOCKS), -1, true},
    {"KRRvKB", OVERLAPS, SET(THREE_BLOCKS) | SET(A_THIRD), WHITE, true},
    {"KQvKBB", COMBINE, SET(THREE_BLOCKS) | SET(A_THIRD), BLACK, true}, // not in standard colours
    {"KQRvKR", STEP, SET(THREE_BLOCKS) | SET(A_THIRD), -1, false},
};

static void test_endgame(void **state)
{
    const struct endgame *endgame = *state;
    struct layout layout = layout_named(endgame->name);
    struct bench bench;
    if (endgame->pair == BLACK) {
        struct material material = {{{0}}};
        material.count[WHITE][KING] = material.count[WHITE][QUEEN] = 1;
        material.count[BLACK][KING] = 1;
        material.count[BLACK][BISHOP] = 2;
        GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    }
    assert_int_equal(layout.type[0] == BLANK, strlen(endgame->name) == 4);
    assert_int_equal(layout.pair ? layout.colour[0] : -1, endgame->pair);
    bench_open(&bench, &layout, endgame->sizes);
    check_operations(&bench, endgame->first);
    if (endgame->imports)
        check_imports(&bench);
    for (int side = WHITE; endgame->imports && side <= BLACK; side++)
        check_attacks(&bench, side);
    bench_close(&bench);
}

// ---- transfers while kernels run ----

enum { ROUNDS = 10, BAND = 700 }; // tiles in a row, empty or not: longer than the gaps that are transferred

struct transfers {
    struct bench *bench;
    struct machine *machine;
    struct window window;
    uint64_t wrong; // rounds
};

// Other tiles every time, which have to come back.
static void *put_and_get(void *context)
{
    struct transfers *transfers = context;
    struct machine *machine = transfers->machine;
    struct window *window = &transfers->window;
    const size_t each = transfers->bench->tile_words;
    const size_t words = window->tiles * each;
    uint64_t *sent = take(words * 8);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (size_t w = 0; w < words; w++)
            sent[w] = (w / each / BAND + round) % 3 == 0 ? 0 : mix(w + (round << 32));
        memcpy(window->bits[EXTRA], sent, words * 8);
        for (uint64_t tile = 0; tile < window->tiles; tile++)
            window->active[EXTRA][tile] = (tile / BAND + round) % 3 != 0;
        int code = machine->backend->windows->put(machine->backend, machine->plane[EXTRA], window->bits[EXTRA],
                                                  window->active[EXTRA], window->tiles, true);
        if (code == 0 &&
            strcmp(machine->name, "OpenCL") == 0) // the array is not the plane's: nothing may be left in it
            memset(window->bits[EXTRA], 0, words * 8);
        if (code == 0)
            code = machine->backend->windows->get(machine->backend, machine->plane[EXTRA], window->tiles);
        transfers->wrong += code != 0 || memcmp(window->bits[EXTRA], sent, words * 8) != 0;
    }
    free(sent);
    return NULL;
}

static void check_transfers(struct bench *bench, struct machine *machine, int side)
{
    const struct operation *pred = &operations[8];
    uint64_t found;
    struct transfers transfers = {.bench = bench, .machine = machine};
    struct window window = window_number(bench, side, size_of(bench, side, A_THIRD), 1);
    pthread_t thread;
    assert_string_equal(pred->name, "pred");
    transfers.window = window;
    window_open(bench, &window, pred->in | pred->out);
    window_open(bench, &transfers.window, SET(EXTRA));
    put_planes(machine, &window, pred->in);
    assert_int_equal(pthread_create(&thread, NULL, put_and_get, &transfers), 0);
    GOOD(machine->backend->windows->move(machine->backend, side, window.first, window.count));
    for (int round = 0; round < ROUNDS; round++)
        GOOD(apply(bench, machine->backend, machine->plane, pred, side, &found));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(transfers.wrong, 0);
    GOOD(machine->backend->windows->get(machine->backend, machine->plane[FRESH], window.tiles));
    for (uint64_t place = 0; place < window.tiles; place++)
        assert_tile(bench, &window, FRESH, place,
                    bench->after[FRESH] + tile_of(bench, &window, place) * bench->tile_words, "pred beside transfers");
    window_close(&window);
    window_close(&transfers.window);
}

static void test_transfers_beside_kernels(void **state)
{
    const struct layout layout = layout_named("KBBvKN");
    struct bench bench;
    bench_open(&bench, &layout, SET(A_THIRD));
    for (int side = WHITE; side <= BLACK; side++) {
        expect(&bench, &operations[8], side);
        for (int number = 0; number < 2; number++) {
            if (bench.machine[A_THIRD][number].backend != NULL)
                check_transfers(&bench, &bench.machine[A_THIRD][number], side);
        }
    }
    bench_close(&bench);
}

// ---- what is refused ----

static void test_refusals(void **state)
{
    const struct layout layout = layout_named("KQvKR");
    struct bench bench;
    bench_open(&bench, &layout, SET(THREE_BLOCKS));
    for (int number = 0; number < 2; number++) {
        struct backend *backend = bench.machine[THREE_BLOCKS][number].backend;
        if (backend == NULL)
            continue;
        const uint64_t blocks = bench.blocks[WHITE].blocks;
        assert_int_equal(backend->windows->move(backend, WHITE, blocks, 1), CLTB_E_USAGE);
        assert_int_equal(backend->windows->move(backend, WHITE, blocks - 1, 2), CLTB_E_USAGE);
        assert_int_equal(backend->windows->move(backend, WHITE, 0, blocks), CLTB_E_USAGE); // no room
        GOOD(backend->windows->move(backend, WHITE, blocks - 1, 1));
    }
    bench_close(&bench);
}

#ifdef CLTB_HAVE_OPENCL
static void test_refusals_of_opencl(void **state)
{
    const struct layout layout = layout_named("KQvKR");
    struct bench bench;
    struct backend *backend;
    bench_open(&bench, &layout, SET(THREE_BLOCKS));
    struct machine *machine = &bench.machine[THREE_BLOCKS][1];
    if (machine->backend != NULL) {
        struct plane **plane = machine->plane;
        struct step step = {.side = BLACK, .in = plane[SPARSE], .closed = plane[CLOSED], .fresh = plane[FRESH]};
        uint64_t *bits = take(bench.words * 8);
        uint8_t *active = take(layout.tiles);
        assert_int_equal(machine->backend->ops->fill(machine->backend, plane[SPARSE], true), CLTB_E_USAGE);
        GOOD(machine->backend->windows->move(machine->backend, WHITE, 0, 1));
        assert_int_equal(machine->backend->ops->step(machine->backend, &step), CLTB_E_USAGE);
        assert_int_equal(machine->backend->ops->pred(machine->backend, plane[FRESH], BLACK, plane[SPARSE], false),
                         CLTB_E_USAGE);
        assert_int_equal(machine->backend->windows->get(machine->backend, plane[SPARSE], 1), CLTB_E_USAGE);
        assert_int_equal(
            machine->backend->windows->put(machine->backend, plane[SPARSE], bits, active, layout.tiles, false),
            CLTB_E_USAGE);
        assert_int_equal(backend_opencl_open_windows(&backend, &layout, 0, bench.blocks[BLACK].locals - 1),
                         CLTB_E_MEMORY);
        assert_null(backend);
        assert_non_null(strstr(error_text(), "a block of Black's moves has"));
        free(bits);
        free(active);
    }
    bench_close(&bench);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_endgame, (void *)&endgames[0]),
        cmocka_unit_test_prestate(test_endgame, (void *)&endgames[1]),
        cmocka_unit_test_prestate(test_endgame, (void *)&endgames[2]),
        cmocka_unit_test_prestate(test_endgame, (void *)&endgames[3]),
        cmocka_unit_test_prestate(test_endgame, (void *)&endgames[4]),
        cmocka_unit_test(test_transfers_beside_kernels),
        cmocka_unit_test(test_refusals),
#ifdef CLTB_HAVE_OPENCL
        cmocka_unit_test(test_refusals_of_opencl),
#endif
    };
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
