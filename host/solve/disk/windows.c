// windows.c - passes over all windows of some planes: read, work, write, the next window being read meanwhile
//
// Two sets of windows. While the caller's threads work on one, a transfer thread (with helpers) writes what was worked on
// before from the other one, and then reads the next window into it.
#include "solve/disk/windows.h"

#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
    uint32_t group;
    uint64_t *bits[STREAM_ROLES];
    uint8_t *active[STREAM_ROLES];
    struct plane *inner[STREAM_ROLES];
};

// What the transfer thread is to do.
struct transfer {
    const struct stream_pass *pass;
    struct set *store; // or NULL
    struct set *load;  // or NULL; may be the same: it is written before it is read anew
    uint32_t group;    // to load
};

struct stream_windows {
    struct stream_options options;
    const struct stream_grid *grid;
    uint64_t tiles; // of a window at most
    struct set set[STREAM_SETS];
    struct thread_pool *pool;     // of the transfer thread
    void *buffer[STREAM_THREADS]; // of a block
    struct packed_bits_packer *packer[STREAM_THREADS];
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_mutex_t log_lock;
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
    uint64_t first; // tile of the window that is the block's first
    uint64_t row;   // tiles of the window from a row of the block to the next
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

static size_t flag_bytes(const struct cut *cut)
{
    return (size_t)stream_flag_bytes(cut->rows * cut->columns);
}

static void block_in(const struct stream_grid *grid, const struct cut *cut, const uint8_t *block, uint8_t *bits,
                     uint8_t *active, bool flags)
{
    const uint8_t *from = block == NULL ? NULL : block + flag_bytes(cut);
    uint64_t i = 0;
    for (uint64_t r = 0; r < cut->rows; r++) {
        for (uint64_t c = 0; c < cut->columns; c++, i++) {
            const uint64_t tile = cut->first + r * cut->row + c * cut->column;
            const bool there = block != NULL && (block[i / 8] >> i % 8 & 1);
            active[tile] = there || !flags;
            if (!there) {
                memset(bits + tile * grid->tile_bytes, 0, grid->tile_bytes);
                continue;
            }
            memcpy(bits + tile * grid->tile_bytes, from, grid->tile_bytes);
            from += grid->tile_bytes;
        }
    }
}

void stream_block_in(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, const void *block,
                     uint64_t *bits, uint8_t *active, bool flags)
{
    const struct cut cut = cut_of(grid, side, group, other);
    block_in(grid, &cut, block, (uint8_t *)bits, active, flags);
}

void stream_block_clear(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, uint64_t *bits,
                        uint8_t *active, bool flags)
{
    const struct cut cut = cut_of(grid, side, group, other);
    block_in(grid, &cut, NULL, (uint8_t *)bits, active, flags);
}

size_t stream_block_out(const struct stream_grid *grid, int side, uint32_t group, uint32_t other, void *block,
                        const uint64_t *bits, const uint8_t *active)
{
    const struct cut cut = cut_of(grid, side, group, other);
    const uint8_t *from = (const uint8_t *)bits;
    uint8_t *there = block;
    uint8_t *to = there + flag_bytes(&cut);
    uint64_t i = 0;
    memset(there, 0, flag_bytes(&cut));
    for (uint64_t r = 0; r < cut.rows; r++) {
        for (uint64_t c = 0; c < cut.columns; c++, i++) {
            const uint64_t tile = cut.first + r * cut.row + c * cut.column;
            if (!active[tile] || !any_bit(from + tile * grid->tile_bytes, grid->tile_bytes))
                continue;
            there[i / 8] = (uint8_t)(there[i / 8] | 1U << i % 8);
            memcpy(to, from + tile * grid->tile_bytes, grid->tile_bytes);
            to += grid->tile_bytes;
        }
    }
    const size_t bytes = (size_t)(to - there);
    return bytes > flag_bytes(&cut) ? bytes : 0;
}

// Is one of the block's tiles active?
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
};

static int load_block(void *context, uint64_t item, int worker)
{
    const struct job *job = context;
    struct stream_windows *windows = job->windows;
    const struct stream_grid *grid = windows->grid;
    const int side = job->pass->side;
    const uint32_t others = grid->groups[side ^ 1];
    const int r = (int)(item / others);
    const uint32_t other = (uint32_t)(item % others);
    const struct stream_role *role = &job->pass->role[r];
    const uint32_t block = stream_block_of(grid, side, job->set->group, other);
    uint64_t *bits = job->set->bits[r];
    uint8_t *active = job->set->active[r];
    if (!role->load)
        return 0;
    if (scratch_empty(windows->options.scratch, role->plane, block)) {
        stream_block_clear(grid, side, job->set->group, other, bits, active, role->flags);
        return 0;
    }
    TRY(scratch_read(windows->options.scratch, role->plane, block, windows->buffer[worker]));
    stream_block_in(grid, side, job->set->group, other, windows->buffer[worker], bits, active, role->flags);
    return 0;
}

static int store_block(void *context, uint64_t item, int worker)
{
    const struct job *job = context;
    struct stream_windows *windows = job->windows;
    const struct stream_grid *grid = windows->grid;
    const int side = job->pass->side;
    const uint32_t others = grid->groups[side ^ 1];
    const int r = (int)(item / others);
    const uint32_t other = (uint32_t)(item % others);
    const uint32_t group = job->set->group;
    const struct stream_role *role = &job->pass->role[r];
    if (!role->store ||
        (role->changed_by >= 0 && !block_active(grid, side, group, other, job->set->active[role->changed_by])))
        return 0;
    const uint32_t block = stream_block_of(grid, side, group, other);
    struct scratch *scratch = windows->options.scratch;
    void *buffer = windows->buffer[worker];
    const size_t bytes = stream_block_out(grid, side, group, other, buffer, job->set->bits[r], job->set->active[r]);
    if (bytes == 0) {
        scratch_clear(scratch, role->plane, block);
        return 0;
    }
    return scratch_write(scratch, role->plane, block, buffer, bytes);
}

static int log_role(const struct stream_pass *pass)
{
    for (int r = 0; r < pass->roles; r++)
        if (pass->role[r].log)
            return r;
    return -1;
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
        if (job->set->active[r][first + t])
            any = true;
        else
            memset(bits + t * grid->tile_bytes, 0, grid->tile_bytes);
    }
    if (!any)
        return 0;
    const void *packed;
    size_t bytes;
    struct stream_record record = {.group = job->set->group, .piece = (uint32_t)item};
    TRY(packed_bits_pack(windows->packer[worker], (const uint64_t *)(const void *)bits, count * grid->tile_bytes / 8,
                         &packed, &bytes));
    if (packed_bits_set(packed) == 0)
        return 0;
    record.bytes = bytes;
    TRY(scratch_append(windows->options.scratch, packed, bytes, &record.offset));
    pthread_mutex_lock(&windows->log_lock);
    const int code = job->pass->logged(job->pass->context, &record);
    pthread_mutex_unlock(&windows->log_lock);
    return code;
}

// Blocks of all roles; the records.
static int store_set(struct stream_windows *windows, const struct stream_pass *pass, struct set *set)
{
    struct job job = {windows, pass, set};
    const struct stream_grid *grid = windows->grid;
    const struct backend_windows *ops = windows->options.inner->windows;
    const uint64_t tiles = window_tiles(grid, pass->side, set->group);
    for (int r = 0; r < pass->roles; r++) {
        if (pass->role[r].store || pass->role[r].log)
            TRY(ops->get(windows->options.inner, set->inner[r], tiles));
    }
    TRY(threads_each(windows->pool, (uint64_t)pass->roles * grid->groups[pass->side ^ 1], store_block, &job));
    if (log_role(pass) < 0)
        return 0;
    const uint64_t pieces = (tiles + stream_piece_tiles(grid) - 1) / stream_piece_tiles(grid);
    return threads_each(windows->pool, pieces, log_piece, &job);
}

static int load_set(struct stream_windows *windows, const struct stream_pass *pass, struct set *set, uint32_t group)
{
    set->group = group;
    struct job job = {windows, pass, set};
    const struct backend_windows *ops = windows->options.inner->windows;
    const uint64_t tiles = window_tiles(windows->grid, pass->side, set->group);
    TRY(threads_each(windows->pool, (uint64_t)pass->roles * windows->grid->groups[pass->side ^ 1], load_block, &job));
    for (int r = 0; r < pass->roles; r++) {
        if (!pass->role[r].load)
            memset(set->active[r], 1, tiles);
        TRY(ops->put(windows->options.inner, set->inner[r], set->bits[r], set->active[r], tiles, pass->role[r].load));
    }
    return 0;
}

static int carry_out(struct stream_windows *windows, const struct transfer *transfer)
{
    if (transfer->store != NULL)
        TRY(store_set(windows, transfer->pass, transfer->store));
    if (transfer->load != NULL)
        TRY(load_set(windows, transfer->pass, transfer->load, transfer->group));
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
        const int code = carry_out(windows, &transfer);
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

// The result of the last transfer; its sentence is not this thread's yet.
static int wait_for(struct stream_windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    while (windows->busy)
        pthread_cond_wait(&windows->changed, &windows->lock);
    const int code = windows->code;
    pthread_mutex_unlock(&windows->lock);
    return code;
}

static int do_transfer(struct stream_windows *windows, const struct transfer *transfer)
{
    submit(windows, transfer);
    const int code = wait_for(windows);
    return code == 0 ? 0 : error_set(code, "%s", windows->sentence);
}

// ---- a pass ----

static bool is_needed(const struct stream_pass *pass, uint32_t group)
{
    return pass->needed == NULL || pass->needed[group];
}

static uint32_t next_needed(const struct stream_windows *windows, const struct stream_pass *pass, uint32_t group)
{
    while (group < windows->grid->groups[pass->side] && !is_needed(pass, group))
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

static int ensure_role(struct stream_windows *windows, struct set *set, int role)
{
    const size_t bytes = windows->tiles * windows->grid->tile_bytes;
    if (set->inner[role] != NULL)
        return 0;
    set->bits[role] = memory_map(bytes);
    set->active[role] = malloc(windows->tiles);
    if (set->bits[role] == NULL || set->active[role] == NULL)
        return error_memory(bytes, "a window");
    return windows->options.inner->ops->plane_new(windows->options.inner, &set->inner[role]);
}

static int ensure_roles(struct stream_windows *windows, int roles, int sets)
{
    for (int s = 0; s < sets; s++)
        for (int r = 0; r < roles; r++)
            TRY(ensure_role(windows, &windows->set[s], r));
    return 0;
}

// Works on `now` while the other set is written, if it was worked on, and read.
static int work_and_transfer(struct stream_windows *windows, const struct set *now, const struct transfer *transfer)
{
    if (transfer->store == NULL && transfer->load == NULL)
        return work_on(windows, transfer->pass, now);
    submit(windows, transfer);
    const int code = work_on(windows, transfer->pass, now);
    const int transferred = wait_for(windows);
    if (code != 0)
        return code;
    return transferred == 0 ? 0 : error_set(transferred, "%s", windows->sentence);
}

int stream_windows_run(struct stream_windows *windows, const struct stream_pass *pass)
{
    const uint32_t groups = windows->grid->groups[pass->side];
    uint32_t next = next_needed(windows, pass, 0);
    if (next == groups)
        return 0;
    const uint32_t second = next_needed(windows, pass, next + 1);
    TRY(ensure_roles(windows, pass->roles, second < groups ? STREAM_SETS : 1));
    struct set *now = &windows->set[0];
    struct set *other = &windows->set[1];
    struct set *done = NULL;
    TRY(do_transfer(windows, &(struct transfer){.pass = pass, .load = now, .group = next}));
    for (;;) {
        next = next_needed(windows, pass, now->group + 1);
        const struct transfer transfer = {pass, done, next < groups ? other : NULL, next};
        TRY(work_and_transfer(windows, now, &transfer));
        done = now;
        if (next == groups)
            break;
        now = other;
        other = done;
    }
    return do_transfer(windows, &(struct transfer){.pass = pass, .store = done});
}

// ---- opening ----

static int open_all(struct stream_windows *windows)
{
    const size_t slot = scratch_slot(windows->options.scratch);
    TRY(threads_open(&windows->pool, STREAM_THREADS));
    for (int i = 0; i < STREAM_THREADS; i++) {
        if (posix_memalign(&windows->buffer[i], SCRATCH_ALIGN, slot) != 0)
            return error_memory(slot, "a block");
        memset(windows->buffer[i], 0, slot);
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
    struct stream_windows *windows = calloc(1, sizeof *windows);
    if (windows == NULL)
        return error_memory(sizeof *windows, "windows");
    windows->options = *options;
    windows->grid = options->grid;
    windows->tiles = stream_window_tiles(options->grid);
    pthread_mutex_init(&windows->lock, NULL);
    pthread_mutex_init(&windows->log_lock, NULL);
    pthread_cond_init(&windows->changed, NULL);
    const int code = open_all(windows);
    if (code != 0) {
        stream_windows_close(windows);
        return code;
    }
    *result = windows;
    return 0;
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
        free(windows->buffer[i]);
        packed_bits_close(windows->packer[i]);
    }
    threads_close(windows->pool);
    pthread_mutex_destroy(&windows->lock);
    pthread_mutex_destroy(&windows->log_lock);
    pthread_cond_destroy(&windows->changed);
    free(windows);
}
