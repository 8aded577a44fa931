// solving.c - endgames that a test solves in memory
#include "support/solving.h"

#include "solve/cpu/cpu.h"

const char *const *isas_here(unsigned word_bits)
{
    static const char *const isas[] = {"generic", "avx2", "avx512"};
    static const char *here[4];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (lane_kernels_choose(word_bits, isas[i]) != NULL)
            here[count++] = isas[i];
    }
    assert_string_equal(here[0], "generic"); // everywhere
    here[count] = NULL;
    return here;
}

const struct solver_options keep_all = {.keep_distance = {true, true}, .keep_resolved = true};

static void solve_by(struct solved *solved, const char *name, unsigned flags, const char *isa,
                     const struct solver_options *options,
                     int (*open)(struct backend **, const struct layout *, struct thread_pool *, const char *))
{
    const struct material material = material_named(name);
    struct layout layout;
    GOOD(layout_init(&layout, &material, flags));
    GOOD(open(&solved->backend, &layout, test_pool, isa));
    GOOD(solver_solve(&solved->solution, solved->backend, &by_solving, options));
}

void solve(struct solved *solved, const char *name, unsigned flags, const char *isa,
           const struct solver_options *options)
{
    solve_by(solved, name, flags, isa, options, backend_cpu_open);
}

void solve_packed(struct solved *solved, const char *name, const struct solver_options *options)
{
    solve_by(solved, name, LAYOUT_PAIR, NULL, options, backend_cpu_open_packed);
}

void unsolve(struct solved *solved)
{
    solution_free(&solved->solution);
    solved->backend->ops->close(solved->backend);
}

void planes_values(const struct slice_side *planes, const solver_value value[COLOURS][DISTANCE_CODES], size_t first,
                   size_t words, solver_value *values)
{
    for (size_t w = first; w < first + words; w++) {
        unsigned code[64] = {0};
        for (unsigned bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
            const uint64_t plane = planes->distance[bit] == NULL ? 0 : planes->distance[bit][w];
            for (unsigned lane = 0; plane != 0 && lane < 64; lane++)
                code[lane] |= (unsigned)(plane >> lane & 1) << bit;
        }
        for (unsigned lane = 0; lane < 64; lane++)
            *values++ = value[planes->won[w] >> lane & 1][code[lane]];
    }
}

void read_tiles(const struct solution *solution, int side, uint64_t first, uint64_t count, solver_value *values,
                uint64_t *illegal)
{
    const size_t words = count * solution->backend->layout.tile_lanes / 64;
    uint64_t *memory = host_words((DISTANCE_PLANES_MAX + 2) * words);
    struct slice_side planes;
    GOOD(solution_planes(solution, side, first, count, count, memory, &planes));
    planes_values(&planes, solution->value[side], 0, words, values);
    for (size_t w = 0; illegal != NULL && w < words; w++)
        illegal[w] = planes.won[w] & ~planes_any_code(&planes, w);
    free(memory);
}

solver_value *read_values(const struct solution *solution, int side, uint64_t *illegal)
{
    const struct layout *layout = &solution->backend->layout;
    solver_value *values = malloc(layout_bits(layout) * sizeof *values);
    assert_non_null(values);
    read_tiles(solution, side, 0, layout->tiles, values, illegal);
    return values;
}

// Placements of the whole board for an entry of a tile, times the orders of a group that it stands for: the orbit of a
// king, or a pair of kings, has 8 members, or 4 on the diagonals, where both mirror images are stored. Of a blank's
// values only the first counts.
static unsigned tile_weight(const struct layout *layout, uint64_t tile)
{
    unsigned king;
    uint8_t u[LAYOUT_PIECES_MAX];
    layout_digits(layout, tile, &king, u);
    if (layout->type[0] == BLANK && u[0] != 0)
        return 0;
    unsigned orders = 1;
    for (int g = 0; g < layout->groups; g++) {
        const uint8_t *digit = u + layout->group[g].first;
        for (int i = 0, equal; i < layout->group[g].count; i++) {
            for (equal = 1; i - equal >= 0 && digit[i - equal] == digit[i];)
                equal++;
            orders = orders * (unsigned)(i + 1) / (unsigned)equal;
        }
    }
    const bool diagonal = square_on_diagonal(layout_head_square(layout, king, layout->black_king)) &&
                          (!layout->kings || square_on_diagonal(pair_white[king]));
    return (diagonal ? 4 : 8) * orders;
}

void count_positions(const struct solution *solution, uint64_t count[COLOURS][VALUES])
{
    enum { TILES_AT_ONCE = 512 };
    const struct layout *layout = &solution->backend->layout;
    const uint64_t lanes = layout->tile_lanes;
    const uint64_t counted = layout->type[0] == BLANK ? lanes / 8 : lanes; // of a tile
    solver_value *values = malloc(TILES_AT_ONCE * lanes * sizeof *values);
    uint64_t *illegal = host_words(TILES_AT_ONCE * lanes / 64);
    unsigned weight = 0;
    assert_non_null(values);
    memset(count, 0, COLOURS * sizeof count[0]);
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t first = 0; first < layout->tiles; first += TILES_AT_ONCE) {
            const uint64_t left = layout->tiles - first;
            const uint64_t tiles = left < TILES_AT_ONCE ? left : TILES_AT_ONCE;
            read_tiles(solution, side, first, tiles, values, illegal);
            for (uint64_t at = 0; at < tiles * lanes; at++) {
                if (at % lanes == 0)
                    weight = tile_weight(layout, first + at / lanes);
                if (!bit_at(illegal, at))
                    count[side][values[at]] += at % lanes < counted ? weight : 0;
                else if (values[at] != 0)
                    fail_msg("side %d, entry %llu of tile %llu is illegal and has value %u", side,
                             (unsigned long long)at, (unsigned long long)first, values[at]);
            }
        }
    }
    free(values);
    free(illegal);
}

void fill_base(const struct solution *solution, struct futurebase *base)
{
    const uint64_t entries = layout_bits(&solution->backend->layout);
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t **arrays[] = {&base->lost[side], &base->lost_ever[side], &base->won_ever[side], &base->won[side]};
        for (int i = 0; i < 4; i++)
            *arrays[i] = host_words(entries / 64);
        solver_value *values = read_values(solution, side, NULL);
        for (uint64_t index = 0; index < entries; index++) {
            const int outcome = solver_value_outcome(values[index]);
            const uint64_t bit = UINT64_C(1) << index % 64;
            if (outcome != CLTB_DRAW)
                (*arrays[outcome > CLTB_DRAW ? 2 : 1])[index / 64] |= bit;
            if (outcome == CLTB_WIN || outcome == CLTB_LOSS)
                (*arrays[outcome == CLTB_WIN ? 3 : 0])[index / 64] |= bit;
        }
        free(values);
    }
}

static int load_by_solving(void *context, const struct layout *sub, struct futurebase *base)
{
    struct backend *backend;
    struct solution solution;
    const struct solver_options options = {.keep_distance = {false, false}};
    if (material_men(&sub->material) < 3)
        return error_set(CLTB_E_USAGE, "bare kings are asked for");
    TRY(backend_cpu_open(&backend, sub, test_pool, NULL));
    const int code = solver_solve(&solution, backend, &by_solving, &options);
    if (code == 0)
        fill_base(&solution, base);
    solution_free(&solution);
    backend->ops->close(backend);
    return code;
}

const struct futurebase_source by_solving = {NULL, load_by_solving};
