// support_streamed.c - comparing solutions, and solving on disk
#include "solve/support_streamed.h"

// ---- what a solution says ----

struct collecting {
    const struct tile_source *source;
    int side;
    uint32_t *entry;
};

static int collect_tiles(void *context, const struct tile_run *run, int worker)
{
    enum { LANES = 512 };
    const struct collecting *collecting = context;
    assert_int_equal(collecting->source->layout->tile_lanes, LANES);
    for (uint64_t i = 0; i < run->count; i++) {
        solver_value value[LANES];
        uint32_t *entry = collecting->entry + (run->number != NULL ? run->number[i] : run->first + i) * LANES;
        planes_values(&run->planes, collecting->source->value[collecting->side], i * LANES / 64, LANES / 64, value);
        assert_true(entry[0] == UINT32_MAX); // seen for the first time
        for (uint64_t lane = 0; lane < LANES; lane++)
            entry[lane] = (uint32_t)value[lane] | (uint32_t)bit_at(run->planes.resolved, i * LANES + lane) << 16;
    }
    return 0;
}

struct answers answers_collect(const struct tile_source *source, const struct solution *solution)
{
    struct answers answers = {.layout = *source->layout};
    const size_t bytes = layout_bits(source->layout) * sizeof(uint32_t);
    memcpy(answers.longest, solution->longest, sizeof answers.longest);
    memcpy(answers.weight, solution->weight, sizeof answers.weight);
    for (int side = WHITE; side <= BLACK; side++) {
        answers.entry[side] = malloc(bytes);
        assert_non_null(answers.entry[side]);
        memset(answers.entry[side], 0xff, bytes);
        struct collecting collecting = {source, side, answers.entry[side]};
        for (unsigned king = 0; king < TRIANGLE_SQUARES; king++)
            GOOD(source->each_run(source->context, side, king, NULL, -1, test_pool, collect_tiles, &collecting));
    }
    return answers;
}

void answers_free(struct answers *answers)
{
    free(answers->entry[WHITE]);
    free(answers->entry[BLACK]);
}

void answers_same(const struct answers *a, const struct answers *b)
{
    assert_memory_equal(a->longest, b->longest, sizeof a->longest);
    assert_memory_equal(a->weight, b->weight, sizeof a->weight);
    for (int side = WHITE; side <= BLACK; side++)
        assert_memory_equal(a->entry[side], b->entry[side], layout_bits(&a->layout) * sizeof *a->entry[side]);
}

const struct answers *answers_true(const char *name)
{
    static struct answers truth;
    static const char *known;
    struct solved solved;
    if (known != NULL && strcmp(known, name) == 0)
        return &truth;
    answers_free(&truth);
    known = name;
    solve(&solved, name, LAYOUT_PAIR, NULL, &keep_all);
    const struct tile_source source = solution_tiles(&solved.solution);
    truth = answers_collect(&source, &solved.solution);
    unsolve(&solved);
    return &truth;
}

// ---- on disk ----

int streamed_open_cpu(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner)
{
    return backend_cpu_open_windows(inner, layout, test_pool, NULL, tiles);
}

struct scratch_shape streamed_shape(const struct layout *layout, uint64_t rows, uint64_t columns)
{
    struct stream_grid grid;
    const struct scratch_shape coarse = {1, TRIANGLE_SQUARES, 1};
    GOOD(stream_grid_make(&grid, layout, &coarse));
    rows = rows < grid.at[BLACK].blocks ? rows : grid.at[BLACK].blocks;
    columns = columns < grid.at[WHITE].blocks ? columns : grid.at[WHITE].blocks;
    const uint64_t tiles =
        (grid.at[BLACK].blocks + rows - 1) / rows * ((grid.at[WHITE].blocks + columns - 1) / columns);
    const struct scratch_shape shape = {(uint32_t)rows, (uint32_t)columns,
                                        tiles * grid.tile_bytes + stream_flag_bytes(tiles)};
    stream_grid_free(&grid);
    return shape;
}
