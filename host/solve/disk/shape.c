// shape.c - how the planes of a pawnless endgame are cut for streaming, and what that takes
#include "solve/disk/shape.h"

#include "table/packed_bits.h"
#include "util/error.h"
#include "util/saturate.h"

#include <string.h>

bool stream_possible(const struct layout *layout)
{
    for (int i = 0; i < layout->pieces; i++)
        if (!layout_is_man(layout, i))
            return false;
    return layout->slices == 0;
}

int stream_grid_make(struct stream_grid *grid, const struct layout *layout, const struct scratch_shape *shape)
{
    memset(grid, 0, sizeof *grid);
    if (!stream_possible(layout))
        return error_set(CLTB_E_USAGE, "only endgames of four men or more without pawns are streamed");
    grid->tile_bytes = layout->tile_lanes / 8;
    grid->groups[BLACK] = shape->row_groups;
    grid->groups[WHITE] = shape->column_groups;
    for (int side = WHITE; side <= BLACK; side++)
        TRY(side_blocks_make(&grid->at[side], layout, side));
    if (shape->row_groups > grid->at[BLACK].blocks || shape->column_groups > grid->at[WHITE].blocks ||
        shape->row_groups == 0 || shape->column_groups % TRIANGLE_SQUARES != 0)
        return error_set(CLTB_E_CORRUPT, "planes cut in a way that does not fit their endgame");
    return 0;
}

void stream_grid_free(struct stream_grid *grid)
{
    for (int side = WHITE; side <= BLACK; side++)
        side_blocks_free(&grid->at[side]);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

uint64_t stream_window_tiles(const struct stream_grid *grid)
{
    uint64_t most = 0;
    for (int side = WHITE; side <= BLACK; side++)
        most = u64_larger(most, divide_up(grid->at[side].blocks, grid->groups[side]) * grid->at[side].locals);
    return most;
}

// The size of the grid of tiles.
struct extent {
    uint64_t rows;
    uint64_t columns;
    uint64_t tile_bytes;
};

static struct extent extent_of(const struct layout *layout)
{
    struct extent extent = {1, TRIANGLE_SQUARES, layout->tile_lanes / 8};
    for (int i = 0, men; i < layout->pieces; i += men) {
        const struct like_pieces *group = layout_group_at(layout, i);
        men = group != NULL ? group->count : 1;
        *(layout->colour[i] == WHITE ? &extent.rows : &extent.columns) *= like_tiles(men);
    }
    return extent;
}

static uint64_t row_window(const struct extent *extent, uint64_t groups)
{
    return divide_up(extent->rows, groups) * extent->columns * extent->tile_bytes;
}

static uint64_t column_window(const struct extent *extent, uint64_t groups)
{
    return divide_up(extent->columns, groups) * extent->rows * extent->tile_bytes;
}

uint64_t stream_block_bytes(const struct scratch_shape *shape, const struct layout *layout)
{
    const struct extent extent = extent_of(layout);
    const uint64_t tiles = divide_up(extent.rows, shape->row_groups) * divide_up(extent.columns, shape->column_groups);
    return tiles * extent.tile_bytes + stream_flag_bytes(tiles);
}

static const struct scratch_shape coarsest = {.row_groups = 1, .column_groups = TRIANGLE_SQUARES};

uint64_t stream_largest_block(const struct layout *layout)
{
    return stream_block_bytes(&coarsest, layout);
}

uint64_t stream_window_bytes(const struct scratch_shape *shape, const struct layout *layout)
{
    const struct extent extent = extent_of(layout);
    const uint64_t window =
        u64_larger(row_window(&extent, shape->row_groups), column_window(&extent, shape->column_groups));
    return window + window / extent.tile_bytes;
}

uint64_t stream_memory(const struct scratch_shape *shape, const struct layout *layout, int threads)
{
    const struct extent extent = extent_of(layout);
    const uint64_t k = (uint64_t)layout->pieces;
    const uint64_t moves =
        2 * u64_larger(extent.rows, extent.columns) * extent.tile_bytes; // of a block, for each thread
    const uint64_t tables = (k * k + 8 * k) * extent.tile_bytes;         // of the backend
    // Records of the log in memory, three copies while they are saved: about as many as 200 dense planes have.
    const uint64_t records = divide_up(extent.rows * extent.columns * extent.tile_bytes, STREAM_LOG_BYTES);
    enum { BOOKS = 3 * 40 * 200, SMALL_THINGS = 22 << 20 }; // stacks, allocators, the log's buffer
    return STREAM_SETS * STREAM_ROLES * stream_window_bytes(shape, layout) +
           STREAM_THREADS *
               (scratch_buffer_bytes(stream_block_bytes(shape, layout)) + packed_bits_memory(STREAM_LOG_BYTES / 8)) +
           (uint64_t)threads * moves + tables + BOOKS * records + SMALL_THINGS;
}

// The next number of groups above `groups` that makes windows smaller.
static uint32_t more_groups(uint32_t groups, uint64_t most, uint32_t step)
{
    const uint64_t more = divide_up(u64_larger(groups + step, groups + groups / 4), step) * step;
    return (uint32_t)(more < most ? more : most);
}

int stream_choose_shape(struct scratch_shape *shape, const struct layout *layout, uint64_t memory)
{
    const struct extent extent = extent_of(layout);
    const struct scratch_shape end = {.row_groups = (uint32_t)extent.rows, .column_groups = (uint32_t)extent.columns};
    *shape = coarsest;
    // Make the u64_larger of the two windows smaller until both fit.
    while (stream_memory(shape, layout, STREAM_THREADS) > memory) {
        const bool rows = shape->column_groups == end.column_groups ||
                          (shape->row_groups < end.row_groups &&
                           row_window(&extent, shape->row_groups) >= column_window(&extent, shape->column_groups));
        if (rows && shape->row_groups == end.row_groups)
            return error_set(CLTB_E_MEMORY, "even the smallest windows need %.1f MiB",
                             (double)stream_memory(&end, layout, STREAM_THREADS) / 0x1p20);
        if (rows)
            shape->row_groups = more_groups(shape->row_groups, extent.rows, 1);
        else
            shape->column_groups = more_groups(shape->column_groups, extent.columns, TRIANGLE_SQUARES);
    }
    shape->slot_bytes = stream_block_bytes(shape, layout);
    return 0;
}
