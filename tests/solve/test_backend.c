// test_backend.c - every operation of every backend against a plain reference, and all backends against each other
//
// The reference decodes an index into squares, moves men by steps of file and rank, and looks the successor up again;
// it is asked about a sample of the entries of the first machine. The other machines must then have the same planes,
// bit for bit. Steps are in test_backend_steps.c.
#include "solve/backend_bench.h"

#ifdef __SANITIZE_ADDRESS__ // it asks about memory rather than values
enum { SAMPLES = 15000 };
#else
enum { SAMPLES = 60000 };
#endif

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
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {LAYOUT_TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
