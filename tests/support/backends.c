// backends.c - tests of backends: machines, equal planes in all of them, a plain reference, and the layouts to test
#include "support/backends.h"
#include "solve/opencl/open.h"
#include "support/solving.h"

#include "solve/cpu/cpu.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

enum {
#ifdef __SANITIZE_ADDRESS__ // the address sanitizer looks for faults of memory, not for wrong values
    SANITIZED = 1,
#else
    SANITIZED = 0,
#endif
    SAMPLES = 4000, // what is wrong in one entry of 400 is found for certain
    SMALL = 50000   // entries of a layout of slices that is checked in full
};

// ---- entries of slices ----

// The index of an entry of a slice, and back: squares[pieces]; those of slice digits are ignored, and returned as 0.
static uint64_t layout_slice_index(const struct layout *layout, uint64_t slice, const uint8_t *squares)
{
    const unsigned shift = 3U * (unsigned)layout->slice_digits;
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    uint64_t lane = slice & ((UINT64_C(1) << shift) - 1);
    for (int i = layout->slice_digits; i < layout->pieces; i++) {
        const unsigned code = square_code[squares[i]];
        u[i] = (uint8_t)(code >> 3);
        lane = lane << 3 | (code & 7);
    }
    return layout_tile(layout, (unsigned)(slice >> shift), u) * layout->tile_lanes + lane;
}

static uint64_t layout_slice_placement(const struct layout *layout, uint64_t index, uint8_t *squares)
{
    unsigned high;
    uint8_t u[LAYOUT_PIECES_MAX];
    const uint64_t lane = index % layout->tile_lanes;
    layout_digits(layout, index / layout->tile_lanes, &high, u);
    for (int i = 0; i < layout->pieces; i++)
        squares[i] = i < layout->slice_digits ? 0 : code_square[8U * u[i] + (lane >> layout_lane_shift(layout, i) & 7)];
    const int low_digits = layout->pieces - layout->slice_digits;
    return ((uint64_t)high << 3 * layout->slice_digits) | lane >> 3 * low_digits;
}

// ---- machines ----

static void add_machine(struct bench *bench, const char *name, bool opencl, struct backend *backend)
{
    assert_true(bench->machines < MACHINES_MAX);
    struct machine *machine = &bench->machine[bench->machines++];
    *machine = (struct machine){.opencl = opencl, .backend = backend};
    snprintf(machine->name, sizeof machine->name, "%s", name);
    for (int i = 0; i < PLANES; i++)
        GOOD(OPS(machine)->plane_new(backend, &machine->plane[i]));
}

static void add_machines(struct bench *bench)
{
    struct backend *backend;
    for (const char *const *isa = isas_here(bench->layout.pieces >= 4 ? 512 : 64); *isa != NULL; isa++) {
        GOOD(backend_cpu_open(&backend, &bench->layout, test_pool, *isa));
        add_machine(bench, *isa, false, backend);
    }
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device *devices;
    int count;
    GOOD(opencl_devices(&devices, &count));
    free(devices);
    if (count == 0)
        print_message("no OpenCL device: the OpenCL backend is not tested\n");
    for (int i = 0; !bench->tested->alike && !bench->tested->kings && i < 2 * count && i < 4; i++) {
        const uint64_t head_bytes = bench->layout.king_stride * bench->layout.tile_lanes / 8;
        const uint64_t part_bytes = head_bytes * bench->tested->heads_in_a_part + 8;
        char name[64];
        snprintf(name, sizeof name, "OpenCL device %d%s", i / 2, i % 2 == 0 ? "" : " in parts");
        GOOD(backend_opencl_open_limited(&backend, &bench->layout, i / 2, i % 2 == 0 ? UINT64_MAX : part_bytes));
        add_machine(bench, name, true, backend);
    }
#else
    print_message("built without OpenCL: the OpenCL backend is not tested\n");
#endif
}

// ---- layouts ----

// Between them every type of piece at every digit that matters: in the word as digit 0 or 1, and above.
static const struct layout_case cases[] = {
    {.name = "three men with a blank", .material = "KQvK", .heads_in_a_part = 3},
    {.name = "four men: KbR", .men = "KbR", .heads_in_a_part = 1},
    {.name = "four men: rQK", .men = "rQK", .heads_in_a_part = 2, .slow = true},
    {.name = "four men: NKq", .men = "NKq", .heads_in_a_part = 3},
    {.name = "four men: BnK", .men = "BnK", .heads_in_a_part = 4, .slow = true},
    {.name = "four men: qKB", .men = "qKB", .heads_in_a_part = 5},
    {.name = "four men: Krn", .men = "Krn", .heads_in_a_part = 6, .slow = true},
    {.name = "a pair of white bishops", .material = "KBBvKN", .heads_in_a_part = 4, .large = true},
    {.name = "a pair of black rooks", .material = "KNvKRR", .heads_in_a_part = 1, .large = true, .slow = true},
    {.name = "three identical rooks", .men = "RRRK", .alike = true, .large = true},
    {.name = "three identical black queens", .men = "qqqK", .alike = true, .large = true},
    {.name = "four identical bishops", .men = "BBBB", .alike = true, .large = true},
    {.name = "two bishops and two black knights", .men = "BBnn", .alike = true, .large = true},
    {.name = "kings and RbN", .men = "RbN", .kings = true, .large = true},
    {.name = "kings and a pair of black rooks", .men = "rrQ", .kings = true, .large = true},
    {.name = "kings and three identical knights", .men = "NNN", .kings = true, .large = true},
    {.name = "five men: qBKr", .men = "qBKr", .heads_in_a_part = 7, .large = true, .slow = true},
    {.name = "two kings, PPp", .men = "Kk", .fixed = "PPp", .slices = 70, .heads_in_a_part = 1},
    {.name = "two kings, p", .men = "kK", .fixed = "p", .slices = 3, .heads_in_a_part = 1},
    {.name = "two kings, several items of work", .men = "Kk", .fixed = "PPp", .slices = 1600, .heads_in_a_part = 1},
    {.name = "two kings and a fixed queen", .men = "Kk", .fixed = "Qp", .slices = 64, .heads_in_a_part = 1},
    {.name = "three pieces: KkQ, p", .men = "KkQ", .fixed = "p", .slices = 11, .heads_in_a_part = 1},
    {.name = "three pieces: rKk, Pp", .men = "rKk", .fixed = "Pp", .slices = 11, .heads_in_a_part = 1},
    {.name = "three pieces: KBk, PpP", .men = "KBk", .fixed = "PpP", .slices = 8, .heads_in_a_part = 1},
    {.name = "three pieces: Kkn, PP", .men = "Kkn", .fixed = "PP", .slices = 1, .heads_in_a_part = 1},
    {.name = "three pieces: KkR", .men = "KkR", .fixed = "", .slices = 1, .heads_in_a_part = 1},
    {.name = "three pieces and a fixed queen", .men = "KkR", .fixed = "qP", .slices = 11, .heads_in_a_part = 1},
    {.name = "four pieces: KkQr, P", .men = "KkQr", .fixed = "P", .slices = 1, .heads_in_a_part = 1},
    {.name = "four pieces: BkNK, p", .men = "BkNK", .fixed = "p", .slices = 1, .heads_in_a_part = 1},
    {.name = "four pieces and a fixed queen", .men = "bkKR", .fixed = "Qp", .slices = 2, .heads_in_a_part = 1},
};

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

static void make_layout(struct bench *bench, const struct layout_case *tested)
{
    struct slab_shape shape = {0};
    if (tested->material != NULL) {
        bench->layout = layout_named(tested->material);
        return;
    }
    shape.pieces = men_named(tested->men, shape.type, shape.colour);
    if (tested->alike || tested->kings) {
        struct material material = {.count = {[WHITE][KING] = tested->kings, [BLACK][KING] = 1}};
        for (int i = 0; i < shape.pieces; i++)
            material.count[shape.colour[i]][shape.type[i]]++;
        GOOD(layout_init(&bench->layout, &material, LAYOUT_ALIKE | (tested->kings ? LAYOUT_KINGS : 0)));
        assert_int_equal(bench->layout.kings, tested->kings);
        assert_memory_equal(bench->layout.type, shape.type, (size_t)shape.pieces);
        return;
    }
    if (tested->fixed == NULL) {
        GOOD(layout_init_pieces(&bench->layout, shape.pieces, shape.type, shape.colour));
        return;
    }
    shape.fixed = men_named(tested->fixed, shape.fixed_type, shape.fixed_colour);
    assert_true(tested->slices <= SLICES_MAX);
    place_fixed(bench, shape.fixed_type, shape.fixed, tested->slices);
    GOOD(layout_init_slices(&bench->layout, &shape, tested->slices, (const uint8_t(*)[FIXED_MAX])bench->fixed_code));
}

static void (*check_bench)(struct bench *bench);

static void run_case(void **state)
{
    const struct layout_case *tested = *state;
    if (tested->slow && (SANITIZED || (tested->large && getenv("CLTB_TEST_LONG") == NULL)))
        skip();
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->tested = tested;
    make_layout(bench, tested);
    bench->words = layout_bits(&bench->layout) / 64;
    bench->bits = host_words(bench->words);
    bench->more = host_words(bench->words);
    bench->result = host_words(bench->words);
    for (int i = 0; bench->layout.slices > 0 && i < 2 * SLABS; i++) {
        const int without = i / SLABS;
        const size_t words = layout_slab_bits(&bench->layout) / 64 >> 6 * without;
        uint64_t *thin = bench->slab[without][0][i % SLABS] = host_words(words);
        uint64_t *dense = bench->slab[without][1][i % SLABS] = host_words(words);
        for (size_t w = 0; w < words; w++) {
            thin[w] = random_word(w, 50 + (uint64_t)i, 3);
            dense[w] = ~thin[w];
        }
    }
    add_machines(bench);
    check_bench(bench);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
        for (int i = 0; i < PLANES; i++)
            OPS(m)->plane_free(m->backend, m->plane[i]);
        OPS(m)->close(m->backend);
    }
    for (int i = 0; i < 4 * SLABS; i++)
        free(bench->slab[i / SLABS / 2][i / SLABS % 2][i % SLABS]);
    free(bench->bits);
    free(bench->more);
    free(bench->result);
    free(bench);
}

int backends_run(void (*check)(struct bench *bench))
{
    enum { CASES = sizeof cases / sizeof cases[0] };
    struct CMUnitTest tests[CASES];
    check_bench = check;
    for (int i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, run_case, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}

// ---- planes ----

size_t run_words(const struct layout *layout)
{
    return layout->tile_lanes / 64 >> 3 * layout->slice_digits;
}

size_t run_at(const struct layout *layout, uint64_t slice, uint64_t rest)
{
    const uint64_t tile = (slice >> 3 * layout->slice_digits) * layout->slice_stride + rest;
    const uint64_t low = slice & ((UINT64_C(1) << 3 * layout->slice_digits) - 1);
    return tile * (layout->tile_lanes / 64) + low * run_words(layout);
}

void clear_padding(const struct layout *layout, uint64_t *bits)
{
    for (uint64_t slice = layout->slices_used; slice < layout->slices; slice++) {
        for (uint64_t rest = 0; rest < layout->slice_stride; rest++)
            memset(bits + run_at(layout, slice, rest), 0, run_words(layout) * 8);
    }
}

// For small tables, by the lowest of the indices of an entry's placement. Those are worked out once for a layout.
static void randomise_entries(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
{
    static struct layout known;
    static uint32_t lowest[TRIANGLE_SQUARES << 18];
    const uint64_t count = layout_bits(layout);
    assert_true(count <= sizeof lowest / sizeof lowest[0] && !layout->pair);
    const uint64_t ones = (UINT64_C(1) << thin) - 1; // with a chance of 2^-thin
    const bool same = known.pieces == layout->pieces && memcmp(known.type, layout->type, sizeof known.type) == 0 &&
                      memcmp(known.colour, layout->colour, sizeof known.colour) == 0;
    memset(bits, 0, count / 8);
    for (uint64_t index = 0; index < count; index++) {
        int king;
        uint8_t squares[LAYOUT_PIECES_MAX] = {0};
        if (!same) {
            layout_placement(layout, index, &king, squares);
            const uint64_t one = layout_index(layout, king, squares);
            for (int i = 0; i < layout->pieces; i++)
                squares[i] = (uint8_t)square_apply(4, squares[i]);
            const uint64_t mirrored = square_on_diagonal(king) ? layout_index(layout, king, squares) : one;
            lowest[index] = (uint32_t)(one < mirrored ? one : mirrored);
        }
        bits[index / 64] |= (uint64_t)((mix(lowest[index] ^ seed << 32) & ones) == ones) << (index % 64);
    }
    known = *layout;
}

// A king on the diagonal needs nothing with five men and more: the backends and layout_index() choose the same of
// its two images.
void randomise(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin)
{
    if (layout->slices == 0 && layout->pieces <= 3 && !layout->kings) {
        randomise_entries(layout, bits, seed, thin);
        return;
    }
    for (uint64_t word = 0; word < layout_bits(layout) / 64; word++)
        bits[word] = random_word(word, seed, thin);
    clear_padding(layout, bits);
    make_orders_equal(layout, bits);
}

void write_plane(struct bench *bench, int plane, const uint64_t *bits)
{
    const struct layout *layout = &bench->layout;
    for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
        if (!m->opencl) {
            memcpy(m->plane[plane]->bits, bits, bench->words * 8);
            memset(m->plane[plane]->active, 1, layout->tiles);
            continue;
        }
#ifdef CLTB_HAVE_OPENCL
        GOOD(backend_opencl_write(m->backend, m->plane[plane], 0, layout->tiles, bits));
#endif
    }
}

void set_random(struct bench *bench, int plane, uint64_t *bits, uint64_t seed, int thin)
{
    randomise(&bench->layout, bits, seed, thin);
    write_plane(bench, plane, bits);
}

void read_plane(struct machine *machine, int plane, uint64_t *bits)
{
    GOOD(OPS(machine)->read(machine->backend, machine->plane[plane], 0, machine->backend->layout.tiles, bits));
}

static void print_entry(const struct layout *layout, uint64_t index)
{
    const struct board board = board_of(layout, index);
    print_error("index %llu, slice %llu:", (unsigned long long)index, (unsigned long long)board.slice);
    for (int man = 0; man < layout_men(layout); man++) {
        if (layout_is_man(layout, man))
            print_error(" %c%c%c%s",
                        (layout_colour_of(layout, man) == WHITE ? "KQRBNP" : "kqrbnp")[layout_type_of(layout, man)],
                        'a' + board.square[man] % 8, '1' + board.square[man] / 8,
                        layout->slices > 0 && man >= layout->pieces ? " (fixed)" : "");
    }
    print_error("\n");
}

void assert_equal_planes(struct bench *bench, int plane, const char *what)
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

void assert_entry(struct bench *bench, uint64_t index, bool expected, const char *what)
{
    if (bit_at(bench->result, index) == expected)
        return;
    print_entry(&bench->layout, index);
    fail_msg("%s: %s has %d where the reference has %d", what, bench->machine[0].name, !expected, expected);
}

// ---- the reference ----

struct board board_of(const struct layout *layout, uint64_t index)
{
    struct board board = {.layout = layout};
    if (layout->slices == 0) {
        int king;
        layout_placement(layout, index, &king, board.square);
        board.square[layout->black_king] = (uint8_t)king;
        return board;
    }
    board.slice = layout_slice_placement(layout, index, board.square);
    for (int f = 0; f < layout->fixed && board.slice < layout->slices_used; f++)
        board.square[layout->pieces + f] = code_square[layout->fixed_code[board.slice][f]];
    return board;
}

static uint64_t index_of(const struct board *board)
{
    const struct layout *layout = board->layout;
    return layout->slices == 0 ? layout_index(layout, board->square[layout->black_king], board->square)
                               : layout_slice_index(layout, board->slice, board->square);
}

// Does another man stand there, of any colour or (`enemy`) of the other one?
static bool occupied(const struct board *board, int man, int square, bool enemy)
{
    const struct layout *layout = board->layout;
    for (int i = 0; i < layout_men(layout); i++) {
        if (i != man && layout_is_man(layout, i) && board->square[i] == square &&
            (!enemy || layout_colour_of(layout, i) != layout_colour_of(layout, man)))
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
        const int reach =
            reach_of(layout_type_of(board->layout, man), layout_colour_of(board->layout, man), files, ranks);
        int file = board->square[man] % 8;
        int rank = board->square[man] / 8;
        for (int step = 0; step < reach; step++) {
            file += files;
            rank += ranks;
            if (file < 0 || file > 7 || rank < 0 || rank > 7)
                break;
            targets[count++] = rank * 8 + file;
            if (occupied(board, man, rank * 8 + file, false))
                break;
        }
    }
    return count;
}

static bool is_fixed(const struct layout *layout, int man)
{
    return layout->slices > 0 && man >= layout->pieces;
}

bool reference_pred(const struct layout *layout, uint64_t index, int side, const uint64_t *bits, bool invert)
{
    const struct board board = board_of(layout, index);
    for (int man = 0; man < layout_men(layout); man++) {
        int targets[64];
        if (!layout_is_man(layout, man) || layout_colour_of(layout, man) != side || is_fixed(layout, man))
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            struct board after = board;
            after.square[man] = (uint8_t)targets[i];
            if (layout->kings && squares_touch(after.square[layout->white_king], after.square[layout->black_king]))
                continue;
            if (bit_at(bits, index_of(&after)) != invert)
                return true;
        }
    }
    return false;
}

bool shares_with_enemy(const struct board *board, int man)
{
    return occupied(board, man, board->square[man], true);
}

bool reference_attacks(const struct layout *layout, uint64_t index, int side)
{
    const struct board board = board_of(layout, index);
    const int victim = board.square[layout_king(layout, 1 - side)];
    for (int man = 0; man < layout_men(layout); man++) {
        int targets[64];
        if (!layout_is_man(layout, man) || layout_colour_of(layout, man) != side || shares_with_enemy(&board, man) ||
            (is_fixed(layout, man) && layout_type_of(layout, man) != PAWN))
            continue;
        const int count = targets_of(&board, man, targets);
        for (int i = 0; i < count; i++) {
            if (targets[i] == victim)
                return true;
        }
    }
    return false;
}

bool reference_overlap(const struct layout *layout, uint64_t index, const struct men_pairs *pairs)
{
    const struct board board = board_of(layout, index);
    for (int p = 0; p < layout_men(layout); p++) {
        for (int q = 0; q < p; q++) {
            if ((pairs->with[p] >> q & 1) && layout_is_man(layout, p) && layout_is_man(layout, q) &&
                board.square[p] == board.square[q])
                return true;
        }
    }
    return false;
}

uint64_t samples(const struct layout *layout)
{
    const uint64_t all = layout->slices_used * layout_slab_bits(layout);
    if (layout->slices == 0)
        return SAMPLES;
    return all <= SMALL ? all : SAMPLES;
}

uint64_t sample(const struct layout *layout, uint64_t n)
{
    const uint64_t slab = layout_slab_bits(layout);
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    if (layout->slices == 0)
        return mix(n) % layout_bits(layout);
    const bool full = samples(layout) != SAMPLES;
    const uint64_t slice = full ? n / slab : mix(n) % layout->slices_used;
    uint64_t roll = full ? n % slab : mix(n + SMALL);
    for (int i = layout->slice_digits; i < layout->pieces; i++, roll >>= 6)
        squares[i] = roll & 63;
    if (!full && n % 2 == 1) {
        const uint64_t choice = mix(n + 2 * SMALL);
        const int first = layout->slice_digits;
        const int to = first + (int)(choice % (unsigned)(layout_men(layout) - first));
        const int from = first + (int)((choice >> 32) % (unsigned)(layout->pieces - first));
        squares[from] = to < layout->pieces ? squares[to] : code_square[layout->fixed_code[slice][to - layout->pieces]];
    }
    return layout_slice_index(layout, slice, squares);
}

// ---- imports of slabs ----

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

static struct slab_import some_import(const struct bench *bench, uint64_t slice, uint64_t roll)
{
    const struct layout *layout = &bench->layout;
    struct slab_import import = {.slice = slice, .where = (enum import_where)(roll % 3), .man = -1};
    import.at = roll >> 8 & 63;
    if ((roll >> 16 & 1) == 0) // one square, or many
        import.empty = UINT64_C(1) << (roll >> 17 & 63) | (roll >> 51 & 1 ? mix(roll) & mix(roll + 1) : 0);
    import.invert = roll >> 24 & 1;
    if (import.where != IMPORT_ALL)
        import.man = some_man(layout, roll >> 32, import.where == IMPORT_AT);
    if (import.man < 0)
        import.where = IMPORT_ALL;
    if (import.where == IMPORT_AT && roll >> 52 & 1) { // where a king stands, there is no slab
        import.man = layout_king(layout, (int)(roll >> 53 & 1));
        import.invert = true;
        return import;
    }
    const bool without = import.man >= 0 && import.man < layout->pieces;
    // Full planes tell nothing: whole slices of ones are rare.
    const bool none = (roll >> 40) % 5 == 0 && (import.where != IMPORT_ALL || !import.invert || roll >> 50 & 1);
    import.bits = none ? NULL : bench->slab[without][import.invert][(roll >> 44) % SLABS];
    return import;
}

size_t make_imports(struct bench *bench, uint64_t seed)
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

static bool reference_import(const struct board *board, const struct slab_import *import)
{
    const struct layout *layout = board->layout;
    uint64_t u = 0;
    uint64_t l = 0;
    int digits = 0;
    for (int i = layout->slice_digits; i < layout->pieces; i++) {
        const unsigned code = square_code[board->square[i]];
        if (import->where != IMPORT_TAKEN && (import->empty >> code & 1))
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

void check_import_slabs(struct bench *bench, int plane, size_t count, const char *what)
{
    const struct layout *layout = &bench->layout;
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->import_slabs(m->backend, m->plane[plane], bench->imports, count));
    assert_equal_planes(bench, plane, what);
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        const struct board board = board_of(layout, index);
        bool expected = bit_at(bench->bits, index);
        for (size_t i = 0; i < count; i++)
            expected |= bench->imports[i].slice == board.slice && reference_import(&board, &bench->imports[i]);
        assert_entry(bench, index, expected, what);
    }
}
