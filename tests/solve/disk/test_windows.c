// test_windows.c - backends for windows against a backend that holds whole planes
//
// Every operation is done once on whole planes by the CPU backend (which test_backend.c compares with a plain
// reference), and then on windows of several sizes by the window backends of the CPU and of the first OpenCL device. A
// window is gathered from, and compared with, arrays of whole planes, tile by tile. Input tiles without a flag have
// arbitrary bits.
#include "solve/backend_windows.h"
#include "solve/opencl/open.h"
#include "support/planes.h"

#include <pthread.h>

#include "solve/backend.h"
#include "solve/blocks.h"
#include "solve/cpu/cpu.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

// The planes of all operations, by what they hold before.
enum { SPARSE, DENSE, WON, EXTRA, CLOSED, FRESH, DISTANCE, PLANES };

#define SET(plane) (1U << (plane))

// Blocks at a time; the last of those windows may have fewer.
enum size { ONE_BLOCK, THREE_BLOCKS, A_THIRD, ALL_BLOCKS, SIZES };

// A backend, for windows of one size or for whole planes.
struct machine {
    const char *name;
    enum size size;
    struct backend *backend;
    struct plane *plane[PLANES];
};

struct bench {
    struct layout layout;
    struct side_blocks blocks[COLOURS];
    struct machine whole;
    uint64_t *before[PLANES]; // [words] of whole planes
    uint64_t *after[PLANES];  // what an operation makes of those that it changes
    int machines;             // for windows
    struct machine machine[SIZES * 2];
    struct import import;
    size_t tile_words;
    size_t words;
};

// A part of some planes, in arrays that end where it ends.
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

// Bits are 1 with a chance of 2^-thin, in one of `each` tiles; the others are empty.
static void randomise(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin, uint64_t each)
{
    const uint64_t tile_words = layout->tile_lanes / 64;
    for (uint64_t word = 0; word < layout_bits(layout) / 64; word++)
        bits[word] = mix(word / tile_words ^ seed << 40) % each == 0 ? random_word(word, seed, thin) : 0;
    make_orders_equal(layout, bits);
}

static bool any_word(const uint64_t *bits, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        if (bits[w] != 0)
            return true;
    }
    return false;
}

static void write_whole(struct bench *bench, unsigned planes)
{
    const size_t words = bench->tile_words;
    for (int p = 0; p < PLANES; p++) {
        if ((planes & SET(p)) == 0)
            continue;
        memcpy(bench->whole.plane[p]->bits, bench->before[p], bench->words * 8);
        for (uint64_t tile = 0; tile < bench->layout.tiles; tile++)
            bench->whole.plane[p]->active[tile] = any_word(bench->before[p] + tile * words, words);
    }
}

static void read_whole(struct bench *bench, int plane)
{
    struct backend *backend = bench->whole.backend;
    GOOD(backend->ops->read(backend, bench->whole.plane[plane], 0, bench->layout.tiles, bench->after[plane]));
}

static void machine_planes(struct machine *machine)
{
    for (int p = 0; p < PLANES; p++)
        GOOD(machine->backend->ops->plane_new(machine->backend, &machine->plane[p]));
}

static uint64_t size_of(const struct bench *bench, int side, enum size size)
{
    const uint64_t blocks = bench->blocks[side].blocks;
    const uint64_t sizes[SIZES] = {1, 3, blocks / 3 + 1, blocks};
    return sizes[size];
}

// A backend with as much room as the windows of both sides need: the CPU's or that of the first OpenCL device.
static void machine_open(struct bench *bench, enum size size, bool opencl)
{
    const uint64_t white = size_of(bench, WHITE, size) * bench->blocks[WHITE].locals;
    const uint64_t black = size_of(bench, BLACK, size) * bench->blocks[BLACK].locals;
    const uint64_t tiles = white > black ? white : black;
    struct machine *machine = &bench->machine[bench->machines++];
    *machine = (struct machine){.name = opencl ? "OpenCL" : "CPU", .size = size};
#ifdef CLTB_HAVE_OPENCL
    if (opencl)
        GOOD(backend_opencl_open_windows(&machine->backend, &bench->layout, 0, tiles));
#endif
    if (!opencl)
        GOOD(backend_cpu_open_windows(&machine->backend, &bench->layout, test_pool, NULL, tiles));
    assert_non_null(machine->backend->windows);
    machine_planes(machine);
}

static void machine_close(struct machine *machine)
{
    for (int p = 0; p < PLANES; p++)
        machine->backend->ops->plane_free(machine->backend, machine->plane[p]);
    machine->backend->ops->close(machine->backend);
}

static void randomise_plane(struct bench *bench, int plane)
{
    static const int thin[PLANES] = {5, 1, 8, 4, 1, 1, 3};
    // Few tiles of SPARSE, so that steps leave tiles alone.
    const uint64_t each[PLANES] = {bench->layout.pieces == 3 ? 9 : 200, 1, 1, 30, 2, 3, 5};
    randomise(&bench->layout, bench->before[plane], (uint64_t)plane + 1, thin[plane], each[plane]);
    for (size_t w = 0; w < bench->words; w++) {
        if (plane == WON)
            bench->before[WON][w] = ~bench->before[WON][w];
        else if (plane == SPARSE && w / bench->tile_words / bench->layout.king_stride % 2 != 0)
            bench->before[SPARSE][w] = 0; // long gaps in White's windows
    }
}

// `sizes`: the set of those of windows.
static void bench_open(struct bench *bench, const struct layout *layout, unsigned sizes)
{
    *bench = (struct bench){.layout = *layout};
    bench->tile_words = layout->tile_lanes / 64;
    bench->words = layout_bits(layout) / 64;
    GOOD(backend_cpu_open(&bench->whole.backend, layout, test_pool, NULL));
    machine_planes(&bench->whole);
    for (int side = WHITE; side <= BLACK; side++)
        GOOD(side_blocks_make(&bench->blocks[side], layout, side));
    bool opencl = false;
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device device;
    opencl = opencl_device_get(&device, 0) == 0;
#endif
    for (int i = 0; i < SIZES * 2; i++) {
        if ((sizes & SET(i / 2)) != 0 && (i % 2 == 0 || opencl))
            machine_open(bench, (enum size)(i / 2), i % 2 != 0);
    }
    for (int p = 0; p < PLANES; p++) {
        bench->before[p] = take(bench->words * 8);
        bench->after[p] = take(bench->words * 8);
        randomise_plane(bench, p);
    }
}

static void bench_close(struct bench *bench)
{
    for (int p = 0; p < PLANES; p++) {
        free(bench->before[p]);
        free(bench->after[p]);
    }
    machine_close(&bench->whole);
    for (int m = 0; m < bench->machines; m++)
        machine_close(&bench->machine[m]);
    for (int side = WHITE; side <= BLACK; side++)
        side_blocks_free(&bench->blocks[side]);
}

// ---- windows ----

static uint64_t tile_of(const struct bench *bench, const struct window *window, uint64_t place)
{
    const struct side_blocks *blocks = &bench->blocks[window->side];
    const uint64_t first = side_blocks_first(blocks, window->first + place / blocks->locals, NULL);
    return first + blocks->offset[place % blocks->locals];
}

// Gives some planes to a machine, with their contents or as room for results. An empty tile comes without its flag and
// with rubbish as often as not.
static void window_open(const struct bench *bench, struct machine *machine, struct window *window, unsigned planes,
                        unsigned contents)
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
            const uint64_t *from = bench->before[p] + tile * words;
            const bool active = mix(tile * PLANES + (uint64_t)p) % 2 == 0 || any_word(from, words);
            window->active[p][place] = active;
            if (active)
                memcpy(window->bits[p] + place * words, from, words * 8);
            else
                memset(window->bits[p] + place * words, 0xa5, words * 8);
        }
        GOOD(machine->backend->windows->put(machine->backend, machine->plane[p], window->bits[p], window->active[p],
                                            window->tiles, (contents & SET(p)) != 0));
    }
}

static void window_close(struct window *window)
{
    for (int p = 0; p < PLANES; p++) {
        free(window->bits[p]);
        free(window->active[p]);
    }
}

// What the machine gives back, tiles as their flags have them, is what a whole plane has there. Returns the bits in it.
static uint64_t check_plane(const struct bench *bench, struct machine *machine, const struct window *window, int plane,
                            const uint64_t *whole, const char *what)
{
    const size_t words = bench->tile_words;
    uint64_t count = 0;
    GOOD(machine->backend->windows->get(machine->backend, machine->plane[plane], window->tiles));
    for (uint64_t place = 0; place < window->tiles; place++) {
        const uint64_t tile = tile_of(bench, window, place);
        const uint64_t *bits = window->bits[plane] + place * words;
        const uint64_t *expected = whole + tile * words;
        const bool active = window->active[plane][place];
        if (active ? memcmp(bits, expected, words * 8) != 0 : any_word(expected, words))
            fail_msg("%s: plane %d differs at place %llu (tile %llu, flag %d)", what, plane, (unsigned long long)place,
                     (unsigned long long)tile, active);
        for (size_t w = 0; w < words; w++)
            count += (uint64_t)__builtin_popcountll(expected[w]);
    }
    return count;
}

// ---- operations ----

enum kind { FILL, COMBINE, OVERLAPS, IMPORT, PRED, STEP };

enum { ONLY = PLANES }; // a losing step with candidates

struct operation {
    const char *name;
    enum kind kind;
    int with;     // bit of a fill, operation of a combine, and of a step: 0, ONLY or EXTRA
    bool invert;  // pred, step
    unsigned in;  // planes that have contents
    unsigned out; // planes that change
};

static const struct operation operations[] = {
    {"pred", PRED, 0, false, SET(SPARSE), SET(FRESH)},
    {"fill with 1", FILL, 1, false, 0, SET(DENSE)},
    {"fill with 0", FILL, 0, false, SET(DENSE), SET(DENSE)},
    {"copy", COMBINE, PLANE_COPY, false, SET(SPARSE), SET(DENSE)},
    {"or", COMBINE, PLANE_OR, false, SET(DENSE) | SET(SPARSE), SET(DENSE)},
    {"and", COMBINE, PLANE_AND, false, SET(DENSE) | SET(SPARSE), SET(DENSE)},
    {"and not", COMBINE, PLANE_AND_NOT, false, SET(DENSE) | SET(SPARSE), SET(DENSE)},
    {"copy not", COMBINE, PLANE_COPY_NOT, false, SET(SPARSE), SET(DENSE)},
    {"overlaps", OVERLAPS, 0, false, SET(DISTANCE), SET(DISTANCE)},
    {"inverted pred", PRED, 0, true, SET(WON), SET(FRESH)},
    {"a winning step", STEP, 0, false, SET(SPARSE) | SET(CLOSED) | SET(DISTANCE),
     SET(FRESH) | SET(CLOSED) | SET(DISTANCE)},
    {"a winning step with extra moves, over an old plane", STEP, EXTRA, false,
     SET(SPARSE) | SET(CLOSED) | SET(EXTRA) | SET(DISTANCE) | SET(FRESH), SET(FRESH) | SET(CLOSED) | SET(DISTANCE)},
    {"a losing step", STEP, 0, true, SET(WON) | SET(CLOSED) | SET(FRESH), SET(FRESH) | SET(CLOSED)},
    {"a losing step with candidates", STEP, ONLY, true, SET(WON) | SET(CLOSED) | SET(SPARSE) | SET(FRESH),
     SET(FRESH) | SET(CLOSED)},
};

static const struct operation *const pred = &operations[0];

static int apply(const struct bench *bench, const struct machine *machine, const struct operation *operation, int side,
                 uint64_t *found)
{
    struct backend *backend = machine->backend;
    const struct backend_ops *ops = backend->ops;
    struct plane *const *plane = machine->plane;
    struct plane *in = plane[operation->invert ? WON : SPARSE];
    struct men_pairs pairs = {{0}};
    struct step step = {.side = side, .invert = operation->invert, .closed = plane[CLOSED], .fresh = plane[FRESH]};
    switch (operation->kind) {
    case FILL:
        return ops->fill(backend, plane[DENSE], operation->with != 0);
    case COMBINE:
        return ops->combine(backend, plane[DENSE], (enum plane_operation)operation->with, plane[SPARSE]);
    case OVERLAPS:
        for (int p = 0; p < layout_men(&bench->layout); p++) {
            for (int q = 0; q < p; q++) {
                if ((p + q) % 3 == 0)
                    continue;
                pairs.with[p] |= 1U << q;
                pairs.with[q] |= 1U << p;
            }
        }
        return ops->overlaps(backend, plane[DISTANCE], &pairs);
    case IMPORT:
        return ops->import(backend, plane[DISTANCE], &bench->import);
    case PRED:
        return ops->pred(backend, plane[FRESH], side, in, operation->invert);
    default:
        step.in = in;
        step.extra = operation->with == EXTRA ? plane[EXTRA] : NULL;
        step.only = operation->with == ONLY ? plane[SPARSE] : NULL;
        step.planes = (operation->out & SET(DISTANCE)) != 0;
        step.plane[0] = plane[DISTANCE];
    }
    const int code = ops->step(backend, &step);
    *found = step.found;
    return code;
}

// Does an operation on whole planes.
static void expect(struct bench *bench, const struct operation *operation, int side)
{
    uint64_t found = 0;
    if (operation->kind == STEP && operation->invert)
        randomise_plane(bench, CLOSED);
    if (operation->with == ONLY && operation->kind == STEP) {
        // It must not change the result of a step, so what has no move into it gets closed.
        expect(bench, pred, side);
        for (size_t w = 0; w < bench->words; w++)
            bench->before[CLOSED][w] |= ~bench->after[FRESH][w];
    }
    write_whole(bench, operation->in | operation->out);
    GOOD(apply(bench, &bench->whole, operation, side, &found));
    for (int p = 0; p < PLANES; p++) {
        if ((operation->out & SET(p)) != 0)
            read_whole(bench, p);
    }
    assert_int_equal(found > 0, operation->kind == STEP);
}

// ---- one window ----

static void check_window(const struct bench *bench, struct machine *machine, const struct operation *operation,
                         struct window *window)
{
    struct backend *backend = machine->backend;
    const size_t words = bench->tile_words;
    uint64_t *tile = take(words * 8);
    uint64_t found = 0;
    char what[200];
    snprintf(what, sizeof what, "%s, %s, blocks %llu and %llu in all of %s", machine->name, operation->name,
             (unsigned long long)window->first, (unsigned long long)window->count,
             window->side == WHITE ? "White" : "Black");
    window_open(bench, machine, window, operation->in | operation->out, operation->in);
    GOOD(backend->windows->move(backend, window->side, window->first, window->count));
    GOOD(apply(bench, machine, operation, window->side, &found));
    for (int p = 0; p < PLANES; p++) {
        const uint64_t *whole = (operation->out & SET(p)) != 0 ? bench->after[p] : bench->before[p];
        const uint64_t place = window->tiles / 2;
        if (window->bits[p] == NULL)
            continue;
        const uint64_t bits = check_plane(bench, machine, window, p, whole, what);
        if (p == FRESH && operation->kind == STEP && found != bits)
            fail_msg("%s finds %llu, not %llu", what, (unsigned long long)found, (unsigned long long)bits);
        // read() sees what get() brings.
        GOOD(backend->ops->read(backend, machine->plane[p], place, 1, tile));
        if (memcmp(tile, whole + tile_of(bench, window, place) * words, words * 8) != 0)
            fail_msg("%s: read() of plane %d differs at place %llu", what, p, (unsigned long long)place);
    }
    free(tile);
    window_close(window);
}

// ---- all windows of a size, or some ----

static struct window window_number(const struct bench *bench, int side, uint64_t size, uint64_t number)
{
    const uint64_t rest = bench->blocks[side].blocks - number * size;
    return (struct window){.side = side, .first = number * size, .count = rest < size ? rest : size};
}

// An operation in windows of one side, of all sizes, by both backends: in the last window, which may be smaller; if
// there are many, also in the first one and in one between.
static void check_operation(struct bench *bench, const struct operation *operation, int side)
{
    expect(bench, operation, side);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        const uint64_t size = size_of(bench, side, machine->size);
        const uint64_t windows = (bench->blocks[side].blocks + size - 1) / size;
        const uint64_t numbers[] = {windows - 1, 0, 1 + mix((uint64_t)machine->size) % (windows > 3 ? windows - 2 : 1)};
        for (int n = 0; n < (windows > 3 ? 3 : 1); n++) {
            struct window window = window_number(bench, side, size, numbers[n]);
            check_window(bench, machine, operation, &window);
        }
    }
}

static void check_import(struct bench *bench, int captured, bool bits, bool invert)
{
    static const struct operation import = {"import", IMPORT, 0, false, SET(DISTANCE), SET(DISTANCE)};
    const struct layout sub = layout_without(&bench->layout, captured);
    uint64_t *sub_bits = take(layout_bits(&sub) / 8);
    randomise(&sub, sub_bits, 20 + (uint64_t)captured, 1, 1);
    bench->import = (struct import){captured, &sub, bits ? sub_bits : NULL, invert};
    for (int side = WHITE; side <= BLACK; side++)
        check_operation(bench, &import, side);
    free(sub_bits);
}

// ---- attacks: White's windows, then Black's ----

static void attacks_of(struct bench *bench, struct machine *machine, int window_side, int side, uint64_t size)
{
    struct backend *backend = machine->backend;
    const size_t words = bench->tile_words;
    for (uint64_t first = 0; first < bench->blocks[window_side].blocks; first += size) {
        struct window window = window_number(bench, window_side, size, first / size);
        window_open(bench, machine, &window, SET(DENSE), window_side == BLACK ? SET(DENSE) : 0);
        GOOD(backend->windows->move(backend, window_side, window.first, window.count));
        GOOD(backend->ops->attacks(backend, machine->plane[DENSE], side));
        GOOD(backend->windows->get(backend, machine->plane[DENSE], window.tiles));
        for (uint64_t place = 0; place < window.tiles; place++) {
            uint64_t *to = bench->before[DENSE] + tile_of(bench, &window, place) * words;
            memset(to, 0, words * 8);
            if (window.active[DENSE][place])
                memcpy(to, window.bits[DENSE] + place * words, words * 8);
        }
        window_close(&window);
    }
}

static void check_attacks(struct bench *bench, int side)
{
    GOOD(bench->whole.backend->ops->attacks(bench->whole.backend, bench->whole.plane[DENSE], side));
    read_whole(bench, DENSE);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        for (int windows = WHITE; windows <= side; windows++)
            attacks_of(bench, machine, windows, side, size_of(bench, windows, machine->size));
        if (memcmp(bench->before[DENSE], bench->after[DENSE], bench->words * 8) != 0)
            fail_msg("%s: attacks of %s differ in windows", machine->name, side == WHITE ? "White" : "Black");
    }
}

// ---- tests ----

// Of the first and the last man that can be captured.
static void check_imports(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    int first = -1;
    int last = -1;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == KING || !layout_is_man(layout, i))
            continue;
        first = first < 0 ? i : first;
        last = i;
    }
    check_import(bench, first, true, false);
    if (last != first)
        check_import(bench, last, true, true);
    check_import(bench, last, false, true);
}

// Windows of all sizes or of one; operations from a kind on; `pair`: the colour of identical pieces, -1: none.
static const struct endgame {
    const char *name;
    enum kind first;
    unsigned sizes;
    int pair;
    bool imports; // and attacks
} endgames[] = {
    {"KQvK", FILL, SET(ONE_BLOCK) | SET(THREE_BLOCKS) | SET(A_THIRD) | SET(ALL_BLOCKS), -1, true}, // with a blank
    {"KQvKR", FILL, SET(ONE_BLOCK) | SET(THREE_BLOCKS) | SET(A_THIRD) | SET(ALL_BLOCKS), -1, true},
    {"KRRvKB", OVERLAPS, SET(A_THIRD), WHITE, true},
    {"KQvKBB", OVERLAPS, SET(THREE_BLOCKS), BLACK, true}, // not in standard colours
    {"KQRvKR", STEP, SET(A_THIRD), -1, false},
};

static void test_endgame(void **state)
{
    const struct endgame *endgame = *state;
    struct layout layout = layout_named(endgame->name);
    struct bench bench;
    if (endgame->pair == BLACK) {
        struct material material = {.metric = METRIC_DTZ};
        material.count[WHITE][KING] = material.count[WHITE][QUEEN] = 1;
        material.count[BLACK][KING] = 1;
        material.count[BLACK][BISHOP] = 2;
        GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    }
    assert_int_equal(layout.type[0] == BLANK, strlen(endgame->name) == 4);
    assert_int_equal(layout.pair ? layout.colour[0] : -1, endgame->pair);
    bench_open(&bench, &layout, endgame->sizes);
    for (size_t i = 0; i < 2 * sizeof operations / sizeof operations[0]; i++) {
        if (operations[i / 2].kind >= endgame->first)
            check_operation(&bench, &operations[i / 2], i % 2 == 0 ? WHITE : BLACK);
    }
    if (endgame->imports)
        check_imports(&bench);
    for (int side = WHITE; endgame->imports && side <= BLACK; side++)
        check_attacks(&bench, side);
    bench_close(&bench);
}

// ---- transfers while kernels run ----

enum { ROUNDS = 4, BAND = 700 }; // tiles in a row, empty or not: more than the longest gap that is transferred

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
    struct window *window = &transfers->window;
    struct backend *backend = transfers->machine->backend;
    struct plane *plane = transfers->machine->plane[EXTRA];
    const size_t each = transfers->bench->tile_words;
    const size_t words = window->tiles * each;
    uint64_t *sent = take(words * 8);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (size_t w = 0; w < words; w++)
            sent[w] = (w / each / BAND + round) % 3 == 0 ? 0 : mix(w + (round << 32));
        memcpy(window->bits[EXTRA], sent, words * 8);
        for (uint64_t tile = 0; tile < window->tiles; tile++)
            window->active[EXTRA][tile] = (tile / BAND + round) % 3 != 0;
        int code =
            backend->windows->put(backend, plane, window->bits[EXTRA], window->active[EXTRA], window->tiles, true);
        // The array of an OpenCL plane is not the plane's: nothing may be left in it.
        if (code == 0 && strcmp(transfers->machine->name, "OpenCL") == 0)
            memset(window->bits[EXTRA], 0, words * 8);
        if (code == 0)
            code = backend->windows->get(backend, plane, window->tiles);
        transfers->wrong += code != 0 || memcmp(window->bits[EXTRA], sent, words * 8) != 0;
    }
    free(sent);
    return NULL;
}

static void check_transfers(struct bench *bench, struct machine *machine, int side)
{
    struct backend *backend = machine->backend;
    struct window window = window_number(bench, side, size_of(bench, side, A_THIRD), 1);
    struct transfers transfers = {.bench = bench, .machine = machine, .window = window};
    uint64_t found;
    pthread_t thread;
    window_open(bench, machine, &window, pred->in | pred->out, pred->in);
    window_open(bench, machine, &transfers.window, SET(EXTRA), 0);
    assert_int_equal(pthread_create(&thread, NULL, put_and_get, &transfers), 0);
    GOOD(backend->windows->move(backend, side, window.first, window.count));
    for (int round = 0; round < ROUNDS; round++)
        GOOD(apply(bench, machine, pred, side, &found));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(transfers.wrong, 0);
    check_plane(bench, machine, &window, FRESH, bench->after[FRESH], "pred beside transfers");
    window_close(&window);
    window_close(&transfers.window);
}

static void test_transfers_beside_kernels(void **state)
{
    const struct layout layout = layout_named("KBBvKN");
    struct bench bench;
    bench_open(&bench, &layout, SET(A_THIRD));
    for (int side = WHITE; side <= BLACK; side++) {
        expect(&bench, pred, side);
        for (int m = 0; m < bench.machines; m++)
            check_transfers(&bench, &bench.machine[m], side);
    }
    bench_close(&bench);
}

// ---- what is refused ----

#ifdef CLTB_HAVE_OPENCL
static void check_refusals_of_opencl(struct bench *bench, struct machine *machine)
{
    struct backend *backend = machine->backend;
    struct plane **plane = machine->plane;
    const uint64_t tiles = bench->layout.tiles;
    struct step step = {.side = BLACK, .in = plane[SPARSE], .closed = plane[CLOSED], .fresh = plane[FRESH]};
    uint8_t *active = take(tiles);
    assert_int_equal(backend->ops->fill(backend, plane[SPARSE], true), CLTB_E_USAGE);
    GOOD(backend->windows->move(backend, WHITE, 0, 1));
    assert_int_equal(backend->ops->step(backend, &step), CLTB_E_USAGE);
    assert_int_equal(backend->ops->pred(backend, plane[FRESH], BLACK, plane[SPARSE], false), CLTB_E_USAGE);
    assert_int_equal(backend->windows->get(backend, plane[SPARSE], 1), CLTB_E_USAGE);
    assert_int_equal(backend->windows->put(backend, plane[SPARSE], bench->before[SPARSE], active, tiles, false),
                     CLTB_E_USAGE);
    FAILS(backend_opencl_open_windows(&backend, &bench->layout, 0, bench->blocks[BLACK].locals - 1), CLTB_E_MEMORY,
          "a block of Black's moves has");
    assert_null(backend);
    free(active);
}
#endif

static void test_refusals(void **state)
{
    const struct layout layout = layout_named("KQvKR");
    struct bench bench;
    bench_open(&bench, &layout, SET(THREE_BLOCKS));
    const uint64_t blocks = bench.blocks[WHITE].blocks;
#ifdef CLTB_HAVE_OPENCL
    if (bench.machines == 2)
        check_refusals_of_opencl(&bench, &bench.machine[1]);
#endif
    for (int m = 0; m < bench.machines; m++) {
        struct backend *backend = bench.machine[m].backend;
        assert_int_equal(backend->windows->move(backend, WHITE, blocks, 1), CLTB_E_USAGE);
        assert_int_equal(backend->windows->move(backend, WHITE, blocks - 1, 2), CLTB_E_USAGE);
        assert_int_equal(backend->windows->move(backend, WHITE, 0, blocks), CLTB_E_USAGE); // no room
        GOOD(backend->windows->move(backend, WHITE, blocks - 1, 1));
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_endgame, (void *)&endgames[0]),
                                       cmocka_unit_test_prestate(test_endgame, (void *)&endgames[1]),
                                       cmocka_unit_test_prestate(test_endgame, (void *)&endgames[2]),
                                       cmocka_unit_test_prestate(test_endgame, (void *)&endgames[3]),
                                       cmocka_unit_test_prestate(test_endgame, (void *)&endgames[4]),
                                       cmocka_unit_test(test_transfers_beside_kernels),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
