// test_restricted_backend.c - slices of restricted endgames on both backends against a plain reference
//
// Random specs have kings and one to three pieces, with sets of all kinds: men that cannot move, men of one kind with
// sets that overlap, symmetric sets, some pawns in the way. The worth of moves out of the slice is made up, as a
// function of the position. The reference knows positions, not entries: a position is the men on the board, the least
// of its images under the spec's symmetries; moves are those of chess/; a move is quiet within the slice if the
// position after it is that of some entry. It runs the rounds of restricted/solve/solve.h over all positions. Each
// entry must have the value of its position, on every backend.
#include "restricted/support_restricted.h"

#include "chess/move.h"
#include "index/square.h"
#include "restricted/solve/solve.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

enum {
    SPECS = 240,
    ENTRIES_MAX = 7000, // of a random spec
    SLICES_MAX = 4,     // of a spec that are looked at
    BACKENDS_MAX = 4,
    NO_POSITION = INT32_MAX
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

// ---- specs ----

static uint64_t set_image(int g, uint64_t set)
{
    uint64_t image = 0;
    while (set != 0)
        image |= square_bit(square_apply(g, set_pop(&set)));
    return image;
}

static uint64_t random_set(void)
{
    uint64_t set = 0;
    switch (random_below(6)) {
    case 0:
        return square_bit(random_below(64));
    case 1:
        return UINT64_MAX;
    case 2: // some files
        for (int file = random_below(5), end = file + 2 + random_below(3); file < end && file < 8; file++)
            set |= UINT64_C(0x0101010101010101) << file;
        return set;
    default:
        for (int i = 2 + random_below(8); i > 0; i--)
            set |= square_bit(random_below(64));
        return set;
    }
}

static void random_spec(struct spec *spec)
{
    static const int symmetry[] = {1, 2, 3, 4, 7};
    memset(spec, 0, sizeof *spec);
    const int kind = random_below(8);
    if (kind < 3) { // sets that a symmetry, its own inverse, carries to themselves or to the set of an identical piece
        const int g = symmetry[random_below(5)];
        for (int colour = WHITE; colour <= BLACK; colour++) {
            const uint64_t set = random_set();
            GOOD(spec_add_man(spec, colour, KING, set | set_image(g, set)));
        }
        for (int i = 1 + random_below(2); i > 0; i--) {
            const int colour = random_below(2);
            const int type = 1 + random_below(4);
            const uint64_t set = random_set();
            const bool symmetric = random_below(2);
            GOOD(spec_add_man(spec, colour, type, symmetric ? set | set_image(g, set) : set));
            if (!symmetric)
                GOOD(spec_add_man(spec, colour, type, set_image(g, set)));
        }
        return;
    }
    // Else men of one kind with sets that overlap in half of the cases.
    GOOD(spec_add_man(spec, WHITE, KING, random_set()));
    GOOD(spec_add_man(spec, BLACK, KING, random_set()));
    const int pieces = 1 + random_below(3);
    const bool alike = random_below(2);
    const int colour = random_below(2);
    const int type = 1 + random_below(4);
    const uint64_t common = square_bit(random_below(64)) | square_bit(random_below(64));
    for (int i = 0; i < pieces; i++) {
        if (alike)
            GOOD(spec_add_man(spec, colour, type, random_set() | (random_below(3) ? common : 0)));
        else
            GOOD(spec_add_man(spec, random_below(2), 1 + random_below(4), random_set()));
    }
    for (int pawns = kind == 7 ? random_below(3) : 0; pawns > 0; pawns--) {
        const int file = random_below(8);
        const int first = 1 + random_below(6);
        uint64_t path = square_bit(first * 8 + file);
        if (first < 6 && random_below(2))
            path |= path << 8;
        GOOD(spec_add_man(spec, random_below(2), PAWN, path));
    }
}

// ---- positions ----

// The symmetries that leave the list of men as it is, as bits.
static unsigned symmetries_of(const struct spec *spec)
{
    unsigned symmetries = 0;
    for (int g = 0; g < SYMMETRIES; g++) {
        int same = 0;
        for (int i = 0; i < spec->men; i++) {
            int more = 0; // men like the image of i, less men like i
            for (int j = 0; j < spec->men; j++) {
                if (spec->man[j].colour != spec->man[i].colour || spec->man[j].type != spec->man[i].type)
                    continue;
                more += spec->man[j].squares == set_image(g, spec->man[i].squares);
                more -= spec->man[j].squares == spec->man[i].squares;
            }
            same += more == 0 && spec->man[i].type != PAWN;
        }
        if (same == spec->men || g == 0)
            symmetries |= 1U << g;
    }
    return symmetries;
}

// The same for all images of a position.
static uint64_t key_of(const struct position *position, unsigned symmetries)
{
    uint64_t least = UINT64_MAX;
    for (int g = 0; g < SYMMETRIES; g++) {
        uint64_t sum = 1;
        if ((symmetries >> g & 1) == 0)
            continue;
        for (int square = 0; square < SQUARES; square++) {
            if (position->board[square] != EMPTY)
                sum += mix((uint64_t)position->board[square] * 64 + (uint64_t)square_apply(g, square));
        }
        if (mix(sum) < least)
            least = mix(sum);
    }
    return least | 1;
}

// The men of an entry. False: two share a square.
static bool set_entry(const struct restricted_index *index, uint32_t slice, uint64_t entry, struct position *position)
{
    uint8_t where[SPEC_MEN_MAX];
    if (!restricted_squares(index, slice, entry, where))
        return false;
    GOOD(restricted_set(index, where, WHITE, position));
    return true;
}

// ---- the reference ----

struct node {
    uint32_t *quiet; // [moves] numbers of positions, the other side to move
    int moves;
    uint16_t external;
    uint16_t value;
};

struct reference {
    const struct restricted_index *index;
    struct restricted_slice slice; // as the backends get it
    unsigned symmetries;
    unsigned chance;             // which kind of external codes
    bool chess;                  // captures draw, and nothing else is made up
    uint64_t *key;               // [positions] in rising order; a position's number is its place
    size_t positions;            //
    uint32_t *number;            // [entries] of the position, NO_POSITION: none
    struct node *node[COLOURS];  // [positions]
    uint16_t *external[COLOURS]; // [entries]
    uint16_t *value[COLOURS];    // [entries] expected
    int plies;
};

static uint32_t number_of(const struct reference *reference, const struct position *position)
{
    const uint64_t key = key_of(position, reference->symmetries);
    const uint64_t *found = bsearch(&key, reference->key, reference->positions, sizeof key, compare_numbers);
    return found == NULL ? NO_POSITION : (uint32_t)(found - reference->key);
}

static void fill_node(const struct reference *reference, struct position *position, struct node *node)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    node->quiet = allocate((size_t)count + 1, sizeof *node->quiet);
    for (int i = 0; i < count; i++) {
        GOOD(position_make(position, moves[i]));
        const uint32_t after = number_of(reference, position);
        GOOD(position_undo(position));
        if (after != NO_POSITION && !move_is_zeroing(position, moves[i]))
            node->quiet[node->moves++] = after;
    }
    const uint64_t number = mix((key_of(position, reference->symmetries) + position->side) ^ reference->chance);
    const unsigned dice = (unsigned)(number % 100);
    const int ply = (int)(number >> 33) % (number >> 32 & 1 ? 4 : 60);
    const unsigned decided = 3 + reference->chance % 4 * 12; // of a hundred
    if (count == 0)
        node->external = position_in_check(position) ? restricted_code(false, 0) : RESTRICTED_DRAW;
    else if (reference->chess)
        node->external = node->moves < count ? RESTRICTED_DRAW : RESTRICTED_OPEN;
    else if (dice < decided)
        node->external = restricted_code(dice < decided / 3, ply);
    else
        node->external = dice % 8 == 0 || node->moves == 0 ? RESTRICTED_DRAW : RESTRICTED_OPEN;
}

// The value that round `ply` gives to an open position, or 0.
static uint16_t decide(const struct reference *reference, int side, const struct node *node, int ply)
{
    bool lost = node->external != RESTRICTED_DRAW && (node->external & 1) == 0;
    int longest = node->external > RESTRICTED_DRAW ? node->external / 2 - 1 : -1;
    if (node->external == restricted_code(true, ply))
        return node->external;
    for (int i = 0; i < node->moves; i++) {
        const uint16_t value = reference->node[side ^ 1][node->quiet[i]].value;
        const int other = value / 2 - 1;
        assert_int_not_equal(value, RESTRICTED_ILLEGAL);
        if (value != RESTRICTED_OPEN && (value & 1) == 0 && other < ply)
            return restricted_code(true, ply);
        lost = lost && (value & 1) != 0 && other < ply;
        longest = other + 1 > longest ? other + 1 : longest;
    }
    return lost && longest <= ply ? restricted_code(false, ply) : 0;
}

// Runs rounds, each in two passes: what it decides is entered when all of it is known.
static void solve_reference(struct reference *reference)
{
    const uint32_t count = (uint32_t)reference->positions;
    uint16_t *decided = allocate(2 * (size_t)count + 1, sizeof *decided); // [COLOURS][count]
    reference->plies = -1;
    for (int ply = 0; ply < 64 || ply == reference->plies + 1; ply++) { // 60 and more only after others
        for (uint32_t i = 0; i < 2 * count; i++) {
            const int side = i < count ? WHITE : BLACK;
            const struct node *node = &reference->node[side][i % count];
            decided[i] = node->value == RESTRICTED_OPEN ? decide(reference, side, node, ply) : 0;
        }
        for (uint32_t i = 0; i < 2 * count; i++) {
            if (decided[i] == 0)
                continue;
            reference->node[i < count ? WHITE : BLACK][i % count].value = decided[i];
            reference->plies = ply;
        }
    }
    free(decided);
}

static void reference_open(struct reference *reference, const struct restricted_index *index, uint32_t slice,
                           bool chess)
{
    struct position *position = allocate(1, sizeof *position);
    *reference = (struct reference){.index = index,
                                    .symmetries = index->pawns > 0 ? 1 : symmetries_of(&index->spec),
                                    .chance = (unsigned)random_below(1 << 30),
                                    .chess = chess};
    // The positions get numbers.
    reference->key = allocate(index->slice_entries, sizeof *reference->key);
    reference->number = allocate(index->slice_entries, sizeof *reference->number);
    for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
        if (set_entry(index, slice, entry, position))
            reference->key[reference->positions++] = key_of(position, reference->symmetries);
    }
    reference->positions = sort_once(reference->key, reference->positions);
    // Their moves are found, and they are solved.
    for (int side = WHITE; side <= BLACK; side++)
        reference->node[side] = allocate(reference->positions + 1, sizeof(struct node));
    for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
        const bool any = set_entry(index, slice, entry, position);
        reference->number[entry] = any ? number_of(reference, position) : NO_POSITION;
        for (int side = WHITE; any && side <= BLACK; side++) {
            struct node *node = &reference->node[side][reference->number[entry]];
            position->side = (uint8_t)side;
            if (!position_legal(position))
                node->value = RESTRICTED_ILLEGAL;
            else if (node->quiet == NULL)
                fill_node(reference, position, node);
        }
    }
    solve_reference(reference);
    // Entries have what their positions have.
    reference->slice.index = index;
    reference->slice.slice = slice;
    for (int side = WHITE; side <= BLACK; side++) {
        reference->external[side] = allocate(index->slice_entries, sizeof(uint16_t));
        reference->value[side] = allocate(index->slice_entries, sizeof(uint16_t));
        reference->slice.external[side] = reference->external[side];
        reference->slice.value[side] = allocate(index->slice_entries, sizeof(uint16_t));
        for (uint64_t entry = 0; entry < index->slice_entries; entry++) {
            const uint32_t number = reference->number[entry];
            const struct node *node = number == NO_POSITION ? NULL : &reference->node[side][number];
            const bool legal = node != NULL && node->value != RESTRICTED_ILLEGAL;
            reference->external[side][entry] = legal ? node->external : 0;
            reference->value[side][entry] = legal ? node->value : RESTRICTED_ILLEGAL;
        }
    }
    free(position);
}

static void reference_close(struct reference *reference)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (size_t i = 0; i < reference->positions; i++)
            free(reference->node[side][i].quiet);
        free(reference->node[side]);
        free(reference->external[side]);
        free(reference->value[side]);
        free(reference->slice.value[side]);
    }
    free(reference->key);
    free(reference->number);
}

// ---- backends ----

static struct thread_pool *pools[2]; // of one thread, and of three
static struct restricted_backend *backend[BACKENDS_MAX];
static int backends;

static void open_backends(const struct restricted_index *index)
{
    backends = 0;
    for (int i = 0; i < 2; i++) {
        GOOD(threads_open(&pools[i], 1 + 2 * i));
        GOOD(restricted_cpu_open(&backend[backends++], index, pools[i]));
    }
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device found;
    for (int device = 0; device < 2 && opencl_device_get(&found, device) == 0; device++)
        GOOD(restricted_opencl_open(&backend[backends++], index, device));
#endif
}

static void close_backends(void)
{
    for (int i = 0; i < backends; i++)
        backend[i]->ops->close(backend[i]);
    threads_close(pools[0]);
    threads_close(pools[1]);
}

static int stop_after(void *context)
{
    int *rounds = context;
    return (*rounds)-- <= 0;
}

// Solves the slice on a backend; `rounds` (may be NULL): after how many of them it is interrupted.
static int run(int number, struct reference *reference, int *rounds)
{
    for (int i = 0; i < COLOURS * (int)reference->index->slice_entries; i++) {
        const bool legal = reference->value[i % COLOURS][i / COLOURS] != RESTRICTED_ILLEGAL;
        reference->slice.value[i % COLOURS][i / COLOURS] = legal ? RESTRICTED_OPEN : RESTRICTED_ILLEGAL;
    }
    return backend[number]->ops->solve(backend[number], &reference->slice, rounds == NULL ? NULL : stop_after, rounds);
}

static void compare(const struct reference *reference, const char *name)
{
    const struct restricted_slice *slice = &reference->slice;
    assert_int_equal(slice->plies, reference->plies);
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t entry = 0; entry < reference->index->slice_entries; entry++) {
            if (slice->value[side][entry] != reference->value[side][entry])
                fail_msg("%s: slice %u, entry %llu, side %d: %u and not %u", name, slice->slice,
                         (unsigned long long)entry, side, slice->value[side][entry], reference->value[side][entry]);
        }
    }
}

// Solves some slices on every backend, after runs that are interrupted. Returns the highest ply of the last one.
static int check_slices(const struct restricted_index *index, bool chess)
{
    int plies = -1;
    open_backends(index);
    for (uint32_t i = 0; i < index->sections && i < SLICES_MAX; i++) {
        struct reference reference;
        reference_open(&reference, index, index->section_slice[i], chess);
        const int stop = random_below(12);
        for (int j = 0; j < 2 * backends; j++) {
            int rounds = stop;
            const int code = run(j / 2, &reference, j % 2 == 0 ? &rounds : NULL);
            if (code == 0)
                compare(&reference, backend[j / 2]->description);
            else
                assert_true(code == CLTB_E_INTERRUPTED && j % 2 == 0);
        }
        plies = reference.plies;
        reference_close(&reference);
    }
    close_backends();
    return plies;
}

// ---- tests ----

static void test_random(void **state)
{
    int symmetric = 0;
    for (int i = 0; i < SPECS;) {
        struct spec spec;
        struct restricted_index index;
        random_spec(&spec);
        if (restricted_index_open(&index, &spec, UINT32_MAX, UINT64_MAX) != 0)
            continue;
        if (index.slice_entries >= 60 && index.slice_entries <= ENTRIES_MAX) {
            check_slices(&index, false);
            symmetric += index.symmetries > 1;
            i++;
        }
        restricted_index_close(&index);
    }
    assert_true(symmetric > SPECS / 10);
}

// Three queens in a chain of sets, so that a move can hand on two squares; a fourth one frozen where they pass.
static void test_chain(void **state)
{
    struct restricted_index index = index_of("K[a2-b2] Q[c3-e3,d4] Q[e3-f3,d4-e4] Q[e4-f4,e5] Q[e4] v K[a7-b8]");
    check_slices(&index, false);
    restricted_index_close(&index);
}

// All squares for all men: mate is at most as far away as everybody knows.
static void test_chess(void **state)
{
    static const struct {
        const char *men;
        int plies;
    } endgames[] = {{"K Q v K", 20}, {"K R v K", 32}, {"K B v K", -1}};
    for (size_t i = 0; i < sizeof endgames / sizeof endgames[0]; i++) {
        struct restricted_index index = index_of(endgames[i].men);
        assert_int_equal(index.slice_entries, 10 * 64 * 64);
        assert_int_equal(check_slices(&index, true), endgames[i].plies);
        restricted_index_close(&index);
    }
}

// Codes that no value can have.
static void test_too_long(void **state)
{
    struct restricted_index index = index_of("K[1] v K[8]");
    struct reference reference;
    reference_open(&reference, &index, 0, true);
    open_backends(&index);
    for (int i = 0; i < backends; i++) {
        reference.external[WHITE][0] = restricted_code(true, 1024);
        assert_int_equal(run(i, &reference, NULL), CLTB_E_CORRUPT);
        reference.external[WHITE][0] = restricted_code(false, 1023); // its value has no room for those before it
        assert_int_equal(run(i, &reference, NULL), 0);
        assert_int_equal(reference.slice.plies, -1);
        memset(reference.external[BLACK], 0, index.slice_entries * sizeof(uint16_t));
        reference.external[WHITE][0] = restricted_code(true, 1023);
        assert_int_equal(run(i, &reference, NULL), CLTB_E_CORRUPT);
    }
    close_backends();
    reference_close(&reference);
    restricted_index_close(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_chess), cmocka_unit_test(test_too_long)};
    return cmocka_run_group_tests_name("backends of restricted endgames", tests, NULL, NULL);
}
