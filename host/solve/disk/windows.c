// windows.c - passes over all windows of some planes: read, work, write
#include "solve/disk/windows.h"

#include "solve/backend_windows.h"
#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
    uint32_t group;
    uint64_t *bits[STREAM_ROLES];
    uint8_t *active[STREAM_ROLES];
    struct plane *inner[STREAM_ROLES];
};

// A task for the transfer thread.
struct transfer {
    const struct stream_pass *pass;
    struct set *store; // or NULL
    struct set *load;  // or NULL
    uint32_t group;    // to load
};

struct stream_windows {
    struct stream_options options;
    const struct stream_grid *grid;
    uint64_t tiles; // of a window, at most
    struct set set[STREAM_SETS];
    struct thread_pool *pool;     // of the transfer thread
    struct processors processors; // that its helpers may use: they sleep while there is nothing to transfer
    void *buffer[STREAM_THREADS]; // of a block
    struct packed_bits_packer *packer[STREAM_THREADS];
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct transfer transfer;
    bool busy;
    bool stopping;
    int code; // of the last transfer
    char sentence[1024];
};

// ---- blocks and windows ----

struct cut {
    uint64_t rows; // of the block
    uint64_t columns;
    uint64_t first; // the block's first tile, as a tile of the window
    uint64_t row;   // tiles of the window from one row of the block to the next
    uint64_t column;
};

static struct cut cut_of(const struct stream_grid *grid, int side, uint32_t group, uint32_t other)
{
    const uint32_t row_group = side == BLACK ? group : other;
    const uint32_t column_group = side == BLACK ? other : group;
    struct cut cut = {.rows = stream_count(grid, BLACK, row_group), .columns = stream_count(grid, WHITE, column_group)};
    const uint64_t locals = grid->at[side].locals;
    cut.first = stream_first(grid, side ^ 1, other);
    cut.row = side == BLACK ? locals : 1;
    cut.column = side == BLACK ? 1 : locals;
    return cut;
}

static bool any_bit(const void *tile, size_t bytes)
{
    const uint64_t *words = tile;
    for (size_t w = 0; w < bytes / 8; w += 8) {
        const uint64_t any = words[w] | words[w + 1] | words[w + 2] | words[w + 3] | words[w + 4] | words[w + 5] |
                             words[w + 6] | words[w + 7];
        if (any != 0)
            return true;
    }
    return false;
}

void stream_block_in(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, const void *block,
                     uint64_t *bits, uint8_t *active, bool flags)
{
    const struct cut cut = cut_of(grid, side, group, other);
    const uint8_t *has_bits = block;
    const uint8_t *from = block == NULL ? NULL : has_bits + stream_flag_bytes(cut.rows * cut.columns);
    uint64_t i = 0;
    for (uint64_t r = 0; r < cut.rows; r++) {
        for (uint64_t c = 0; c < cut.columns; c++, i++) {
            const uint64_t tile = cut.first + r * cut.row + c * cut.column;
            uint8_t *to = (uint8_t *)bits + tile * grid->tile_bytes;
            const bool any = block != NULL && (has_bits[i / 8] >> i % 8 & 1);
            active[tile] = any || !flags;
            if (!any) {
                memset(to, 0, grid->tile_bytes);
                continue;
            }
            memcpy(to, from, grid->tile_bytes);
            from += grid->tile_bytes;
        }
    }
}

size_t stream_block_out(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, void *block,
                        const uint64_t *bits, const uint8_t *active)
{
    const struct cut cut = cut_of(grid, side, group, other);
    const size_t flag_bytes = (size_t)stream_flag_bytes(cut.rows * cut.columns);
    uint8_t *has_bits = block;
    uint8_t *to = has_bits + flag_bytes;
    uint64_t i = 0;
    memset(has_bits, 0, flag_bytes);
    for (uint64_t r = 0; r < cut.rows; r++) {
        for (uint64_t c = 0; c < cut.columns; c++, i++) {
            const uint64_t tile = cut.first + r * cut.row + c * cut.column;
            const uint8_t *from = (const uint8_t *)bits + tile * grid->tile_bytes;
            if (!active[tile] || !any_bit(from, grid->tile_bytes))
                continue;
            has_bits[i / 8] = (uint8_t)(has_bits[i / 8] | 1U << i % 8);
            memcpy(to, from, grid->tile_bytes);
            to += grid->tile_bytes;
        }
    }
    const size_t bytes = (size_t)(to - has_bits);
    return bytes > flag_bytes ? bytes : 0;
}

// Is any of the block's tiles active?
static bool block_active(const struct stream_grid *grid, int side, uint32_t group, uint32_t other,
                         const uint8_t *active)
{
    const struct cut cut = cut_of(grid, side, group, other);
    for (uint64_t r = 0; r < cut.rows; r++) {
        for (uint64_t c = 0; c < cut.columns; c++) {
            if (active[cut.first + r * cut.row + c * cut.column])
                return true;
        }
    }
    return false;
}

static uint64_t window_tiles(const struct stream_grid *grid, int side, uint32_t group)
{
    return stream_count(grid, side, group) * grid->at[side].locals;
}

// ---- the transfer thread ----

struct job {
    struct stream_windows *windows;
    const struct stream_pass *pass;
    struct set *set;
    bool store;
};

// Reads or writes one block of one role.
static int transfer_block(void *context, uint64_t item, int worker)
{
    const struct job *job = context;
    struct stream_windows *windows = job->windows;
    const struct stream_grid *grid = windows->grid;
    struct scratch *scratch = windows->options.scratch;
    const int side = job->pass->side;
    const uint32_t group = job->set->group;
    const int r = (int)(item / grid->groups[side ^ 1]);
    const uint32_t other = (uint32_t)(item % grid->groups[side ^ 1]);
    const uint32_t block = stream_block_of(grid, side, group, other);
    const struct stream_role *role = &job->pass->role[r];
    uint64_t *bits = job->set->bits[r];
    uint8_t *active = job->set->active[r];
    void *buffer = windows->buffer[worker];
    if (!(job->store ? role->store : role->load))
        return 0;
    if (!job->store) {
        const void *from = NULL;
        if (!scratch_empty(scratch, role->plane, block))
            TRY(scratch_read(scratch, role->plane, block, buffer, &from));
        stream_block_in(grid, side, group, other, from, bits, active, role->flags);
        return 0;
    }
    if (role->changed_by >= 0 && !block_active(grid, side, group, other, job->set->active[role->changed_by]))
        return 0;
    const size_t bytes = stream_block_out(grid, side, group, other, scratch_room(buffer), bits, active);
    if (bytes > 0)
        return scratch_write(scratch, role->plane, block, buffer, bytes);
    scratch_clear(scratch, role->plane, block);
    return 0;
}

static int log_role(const struct stream_pass *pass)
{
    for (int r = 0; r < pass->roles; r++)
        if (pass->role[r].log)
            return r;
    return -1;
}

// Adds the weight of the bits of a window's tile.
static void weigh_tile(const struct job *job, uint64_t tile, const uint64_t *bits)
{
    const struct stream_grid *grid = job->windows->grid;
    const int side = job->pass->side;
    const struct layout *layout = &job->windows->options.inner->layout;
    const struct side_blocks *at = &grid->at[side];
    const uint64_t block = stream_first(grid, side, job->set->group) + tile / at->locals;
    uint64_t count = 0;
    for (size_t w = 0; w < grid->tile_bytes / 8; w++)
        count += (unsigned)__builtin_popcountll(bits[w]);
    count *= layout_tile_weight(layout, side_blocks_first(at, block, NULL) + at->offset[tile % at->locals]);
    atomic_fetch_add_explicit(job->pass->weight, count, memory_order_relaxed);
}

static int log_piece(void *context, uint64_t item, int worker)
{
    const struct job *job = context;
    struct stream_windows *windows = job->windows;
    const struct stream_grid *grid = windows->grid;
    const int r = log_role(job->pass);
    const uint64_t tiles = window_tiles(grid, job->pass->side, job->set->group);
    const uint64_t first = item * stream_piece_tiles(grid);
    const uint64_t left = tiles - first;
    const uint64_t count = left < stream_piece_tiles(grid) ? left : stream_piece_tiles(grid);
    uint8_t *bits = (uint8_t *)job->set->bits[r] + first * grid->tile_bytes;
    bool any = false;
    for (uint64_t t = 0; t < count; t++) {
        uint8_t *tile = bits + t * grid->tile_bytes;
        if (!job->set->active[r][first + t]) {
            memset(tile, 0, grid->tile_bytes);
            continue;
        }
        any = true;
        if (job->pass->weight != NULL)
            weigh_tile(job, first + t, (const uint64_t *)(const void *)tile);
    }
    if (!any)
        return 0;
    const void *packed;
    size_t bytes;
    TRY(packed_bits_pack(windows->packer[worker], (const uint64_t *)(const void *)bits, count * grid->tile_bytes / 8,
                         &packed, &bytes));
    if (packed_bits_set(packed) == 0)
        return 0;
    struct scratch_record record = {
        .step = job->pass->step, .group = job->set->group, .piece = (uint32_t)item, .bytes = (uint32_t)bytes};
    return scratch_append(windows->options.scratch, &record, packed);
}

// Writes the blocks of all roles, and the records of the log.
static int store_set(struct stream_windows *windows, const struct stream_pass *pass, struct set *set)
{
    struct job job = {windows, pass, set, true};
    const struct stream_grid *grid = windows->grid;
    const struct backend_windows *ops = windows->options.inner->windows;
    const uint64_t tiles = window_tiles(grid, pass->side, set->group);
    for (int r = 0; r < pass->roles; r++) {
        if (pass->role[r].store || pass->role[r].log)
            TRY(ops->get(windows->options.inner, set->inner[r], tiles));
    }
    TRY(threads_each(windows->pool, (uint64_t)pass->roles * grid->groups[pass->side ^ 1], transfer_block, &job));
    if (log_role(pass) < 0)
        return 0;
    const uint64_t pieces = (tiles + stream_piece_tiles(grid) - 1) / stream_piece_tiles(grid);
    return threads_each(windows->pool, pieces, log_piece, &job);
}

static int load_set(struct stream_windows *windows, const struct stream_pass *pass, struct set *set, uint32_t group)
{
    set->group = group;
    struct job job = {windows, pass, set, false};
    const struct backend_windows *ops = windows->options.inner->windows;
    const uint64_t tiles = window_tiles(windows->grid, pass->side, set->group);
    TRY(threads_each(windows->pool, (uint64_t)pass->roles * windows->grid->groups[pass->side ^ 1], transfer_block,
                     &job));
    for (int r = 0; r < pass->roles; r++) {
        if (!pass->role[r].load)
            memset(set->active[r], 1, tiles);
        TRY(ops->put(windows->options.inner, set->inner[r], set->bits[r], set->active[r], tiles, pass->role[r].load));
    }
    return 0;
}

static void *transfer_thread(void *context)
{
    struct stream_windows *windows = context;
    pthread_mutex_lock(&windows->lock);
    for (;;) {
        while (!windows->busy && !windows->stopping)
            pthread_cond_wait(&windows->changed, &windows->lock);
        if (windows->stopping)
            break;
        const struct transfer transfer = windows->transfer;
        pthread_mutex_unlock(&windows->lock);
        int code = transfer.store != NULL ? store_set(windows, transfer.pass, transfer.store) : 0;
        if (code == 0 && transfer.load != NULL)
            code = load_set(windows, transfer.pass, transfer.load, transfer.group);
        pthread_mutex_lock(&windows->lock);
        windows->code = code;
        if (code != 0)
            snprintf(windows->sentence, sizeof windows->sentence, "%s", error_text());
        windows->busy = false;
        pthread_cond_broadcast(&windows->changed);
    }
    pthread_mutex_unlock(&windows->lock);
    return NULL;
}

static void submit(struct stream_windows *windows, const struct transfer *transfer)
{
    pthread_mutex_lock(&windows->lock);
    windows->transfer = *transfer;
    windows->busy = true;
    pthread_cond_broadcast(&windows->changed);
    pthread_mutex_unlock(&windows->lock);
}

// Waits for the transfer, if one is running. Returns `code` if that is an error, otherwise the transfer's result.
static int wait_for(struct stream_windows *windows, int code)
{
    pthread_mutex_lock(&windows->lock);
    while (windows->busy)
        pthread_cond_wait(&windows->changed, &windows->lock);
    const int transferred = windows->code;
    pthread_mutex_unlock(&windows->lock);
    return code != 0 || transferred == 0 ? code : error_set(transferred, "%s", windows->sentence);
}

// ---- a pass ----

static uint32_t next_needed(const struct stream_pass *pass, uint32_t group)
{
    while (group < pass->last && pass->needed != NULL && !pass->needed[group])
        group++;
    return group;
}

static int work_on(struct stream_windows *windows, const struct stream_pass *pass, const struct set *set)
{
    const struct stream_options *options = &windows->options;
    if (options->stop != NULL && options->stop(options->context) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted in the middle of a ply");
    TRY(options->inner->windows->move(options->inner, pass->side, stream_first(windows->grid, pass->side, set->group),
                                      stream_count(windows->grid, pass->side, set->group)));
    return pass->work(pass->context, set->group, set->inner);
}

// Allocates memory for `roles` roles in the first `sets` sets.
static int make_roles(struct stream_windows *windows, int roles, int sets)
{
    struct backend *inner = windows->options.inner;
    const size_t bytes = windows->tiles * windows->grid->tile_bytes;
    for (int i = 0; i < sets * roles; i++) {
        struct set *set = &windows->set[i / roles];
        const int r = i % roles;
        if (set->inner[r] != NULL)
            continue;
        set->bits[r] = memory_map(bytes);
        set->active[r] = malloc(windows->tiles);
        if (set->bits[r] == NULL || set->active[r] == NULL)
            return error_memory(bytes, "a window");
        TRY(inner->ops->plane_new(inner, &set->inner[r]));
    }
    return 0;
}

int stream_windows_run(struct stream_windows *windows, const struct stream_pass *pass)
{
    const uint32_t end = pass->last;
    uint32_t next = next_needed(pass, pass->first);
    if (next == end)
        return 0;
    const uint32_t second = next_needed(pass, next + 1);
    TRY(make_roles(windows, pass->roles, second < end ? STREAM_SETS : 1));
    struct set *now = &windows->set[0];
    struct set *other = &windows->set[1];
    struct set *done = NULL;
    submit(windows, &(struct transfer){pass, NULL, now, next});
    TRY(wait_for(windows, 0));
    while (next < end) {
        next = next_needed(pass, now->group + 1);
        const struct transfer transfer = {pass, done, next < end ? other : NULL, next};
        if (transfer.store != NULL || transfer.load != NULL)
            submit(windows, &transfer);
        TRY(wait_for(windows, work_on(windows, pass, now)));
        done = now;
        now = other;
        other = done;
    }
    submit(windows, &(struct transfer){pass, done, NULL, 0});
    return wait_for(windows, 0);
}

static int open_all(struct stream_windows *windows)
{
    TRY(threads_open(&windows->pool, STREAM_THREADS));
    windows->processors.idle = STREAM_THREADS - 1;
    threads_share_processors(windows->pool, &windows->processors);
    for (int i = 0; i < STREAM_THREADS; i++) {
        TRY(scratch_buffer_new(windows->options.scratch, &windows->buffer[i]));
        TRY(packed_bits_open(&windows->packer[i], STREAM_LOG_BYTES / 8));
    }
    const int number = pthread_create(&windows->thread, NULL, transfer_thread, windows);
    if (number != 0)
        return error_errno(CLTB_E_MEMORY, number, "cannot start a thread");
    windows->threaded = true;
    return 0;
}

int stream_windows_open(struct stream_windows **result, const struct stream_options *options)
{
    *result = NULL;
    struct stream_windows *windows;
    TRY(memory_new(&windows, 1, sizeof *windows, "windows"));
    windows->options = *options;
    windows->grid = options->grid;
    windows->tiles = stream_window_tiles(options->grid);
    pthread_mutex_init(&windows->lock, NULL);
    pthread_cond_init(&windows->changed, NULL);
    const int code = open_all(windows);
    if (code == 0)
        *result = windows;
    else
        stream_windows_close(windows);
    return code;
}

void stream_windows_release(struct stream_windows *windows)
{
    for (int s = 0; s < STREAM_SETS; s++) {
        struct set *set = &windows->set[s];
        for (int r = 0; r < STREAM_ROLES; r++) {
            windows->options.inner->ops->plane_free(windows->options.inner, set->inner[r]);
            if (set->bits[r] != NULL)
                memory_unmap(set->bits[r], windows->tiles * windows->grid->tile_bytes);
            free(set->active[r]);
            set->inner[r] = NULL;
            set->bits[r] = NULL;
            set->active[r] = NULL;
        }
    }
}

void stream_windows_close(struct stream_windows *windows)
{
    if (windows == NULL)
        return;
    if (windows->threaded) {
        pthread_mutex_lock(&windows->lock);
        windows->stopping = true;
        pthread_cond_broadcast(&windows->changed);
        pthread_mutex_unlock(&windows->lock);
        pthread_join(windows->thread, NULL);
    }
    stream_windows_release(windows);
    for (int i = 0; i < STREAM_THREADS; i++) {
        scratch_buffer_free(windows->options.scratch, windows->buffer[i]);
        packed_bits_close(windows->packer[i]);
    }
    threads_close(windows->pool);
    pthread_mutex_destroy(&windows->lock);
    pthread_cond_destroy(&windows->changed);
    free(windows);
}
