// scratch_contents.c - planes, the slots that their blocks lie in, and the log
#include "solve/disk/scratch_inside.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// ---- slots ----

int scratch_more_slots(struct scratch *scratch, uint64_t space)
{
    uint8_t *slot = realloc(scratch->slot, space);
    if (slot != NULL)
        scratch->slot = slot;
    uint32_t *free_slot = realloc(scratch->free_slot, space * sizeof *free_slot);
    if (free_slot != NULL)
        scratch->free_slot = free_slot;
    if (slot == NULL || free_slot == NULL)
        return error_memory(space * 5, "the slots of a scratch file");
    memset(slot + scratch->slots_space, 0, space - scratch->slots_space);
    scratch->slots_space = space;
    return 0;
}

static int take_slot(struct scratch *scratch, uint32_t *slot)
{
    if (scratch->free_slots > 0) {
        *slot = scratch->free_slot[--scratch->free_slots];
    } else {
        if (scratch->slots == scratch->slots_space)
            TRY(scratch_more_slots(scratch, 2 * scratch->slots_space + 64));
        *slot = (uint32_t)scratch->slots++;
    }
    scratch->slot[*slot] = SLOT_LIVE;
    return 0;
}

static void drop_slot(struct scratch *scratch, uint32_t slot, uint8_t flag)
{
    if (slot == NO_SLOT || !(scratch->slot[slot] & flag))
        return;
    scratch->slot[slot] = (uint8_t)(scratch->slot[slot] & ~flag);
    if (scratch->slot[slot] == 0)
        scratch->free_slot[scratch->free_slots++] = slot;
}

// ---- planes ----

static void empty_blocks(struct block *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        blocks[i] = (struct block){.slot = NO_SLOT};
}

int scratch_plane_new(struct scratch *scratch, unsigned *plane)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (scratch->plane[p] != NULL)
            continue;
        scratch->plane[p] = malloc(scratch->blocks * sizeof *scratch->plane[p]);
        if (scratch->plane[p] == NULL)
            return error_memory(scratch->blocks * sizeof *scratch->plane[p], "a plane's blocks");
        empty_blocks(scratch->plane[p], scratch->blocks);
        *plane = p;
        return 0;
    }
    return error_set(CLTB_E_USAGE, "more than %d planes at a time", SCRATCH_PLANES_MAX);
}

void scratch_plane_free(struct scratch *scratch, unsigned plane)
{
    for (uint32_t i = 0; i < scratch->blocks; i++)
        drop_slot(scratch, scratch->plane[plane][i].slot, SLOT_LIVE);
    free(scratch->plane[plane]);
    scratch->plane[plane] = NULL;
}

void scratch_forget_planes(struct scratch *scratch)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        free(scratch->plane[p]);
        scratch->plane[p] = NULL;
    }
    if (scratch->slots_space > 0)
        memset(scratch->slot, 0, scratch->slots_space);
    scratch->slots = scratch->free_slots = 0;
}

bool scratch_plane_there(const struct scratch *scratch, unsigned plane)
{
    return plane < SCRATCH_PLANES_MAX && scratch->plane[plane] != NULL;
}

bool scratch_empty(const struct scratch *scratch, unsigned plane, uint32_t block)
{
    return scratch->plane[plane][block].slot == NO_SLOT;
}

size_t scratch_slot(const struct scratch *scratch)
{
    return scratch->slot_bytes;
}

struct scratch_shape scratch_shape(const struct scratch *scratch)
{
    return scratch->shape;
}

int scratch_read(struct scratch *scratch, unsigned plane, uint32_t block, void *bytes)
{
    const struct block *at = &scratch->plane[plane][block];
    const size_t count = (size_t)at->pages * SCRATCH_ALIGN;
    TRY(scratch_transfer(scratch, END_PLANES, false, bytes, count, at->slot * (uint64_t)scratch->slot_bytes));
    __atomic_fetch_add(&scratch->traffic.read, count, __ATOMIC_RELAXED);
    if (XXH64(bytes, count, 0) != at->hash)
        return error_set(CLTB_E_CORRUPT, "%s.planes is damaged (block %u of plane %u)", scratch->path, block, plane);
    return 0;
}

int scratch_write(struct scratch *scratch, unsigned plane, uint32_t block, const void *bytes, size_t count)
{
    struct block *at = &scratch->plane[plane][block];
    pthread_mutex_lock(&scratch->lock);
    int code = 0;
    if (at->slot == NO_SLOT || scratch->slot[at->slot] != SLOT_LIVE) { // else nobody else needs what is there
        drop_slot(scratch, at->slot, SLOT_LIVE);
        at->slot = NO_SLOT;
        code = take_slot(scratch, &at->slot);
    }
    pthread_mutex_unlock(&scratch->lock);
    TRY(code);
    at->pages = (uint32_t)((count + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN);
    count = (size_t)at->pages * SCRATCH_ALIGN;
    at->hash = XXH64(bytes, count, 0);
    __atomic_fetch_add(&scratch->traffic.written, count, __ATOMIC_RELAXED);
    return scratch_transfer(scratch, END_PLANES, true, (void *)(uintptr_t)bytes, count,
                            at->slot * (uint64_t)scratch->slot_bytes);
}

void scratch_clear(struct scratch *scratch, unsigned plane, uint32_t block)
{
    struct block *at = &scratch->plane[plane][block];
    if (at->slot == NO_SLOT)
        return;
    pthread_mutex_lock(&scratch->lock);
    drop_slot(scratch, at->slot, SLOT_LIVE);
    pthread_mutex_unlock(&scratch->lock);
    at->slot = NO_SLOT;
}

// ---- the log ----

int scratch_flush_log(struct scratch *scratch)
{
    TRY(scratch_transfer(scratch, END_LOG, true, scratch->log_buffer, scratch->log_buffered, scratch->log_written));
    XXH64_update(scratch->log_hash, scratch->log_buffer, scratch->log_buffered);
    scratch->log_written += scratch->log_buffered;
    __atomic_fetch_add(&scratch->traffic.written, scratch->log_buffered, __ATOMIC_RELAXED);
    scratch->log_buffered = 0;
    return 0;
}

static int append(struct scratch *scratch, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t part = LOG_BUFFER - scratch->log_buffered;
        part = part < count ? part : count;
        memcpy(scratch->log_buffer + scratch->log_buffered, bytes, part);
        scratch->log_buffered += part;
        bytes += part;
        count -= part;
        if (scratch->log_buffered == LOG_BUFFER)
            TRY(scratch_flush_log(scratch));
    }
    return 0;
}

int scratch_append(struct scratch *scratch, const void *bytes, size_t count, uint64_t *offset)
{
    pthread_mutex_lock(&scratch->log_lock);
    *offset = scratch->log_written + scratch->log_buffered;
    const int code = append(scratch, bytes, count);
    pthread_mutex_unlock(&scratch->log_lock);
    return code;
}

int scratch_log_read(struct scratch *scratch, uint64_t offset, void *bytes, size_t count)
{
    pthread_mutex_lock(&scratch->log_lock);
    const int code = offset + count > scratch->log_written ? scratch_flush_log(scratch) : 0;
    pthread_mutex_unlock(&scratch->log_lock);
    TRY(code);
    __atomic_fetch_add(&scratch->traffic.read, count, __ATOMIC_RELAXED);
    return scratch_transfer(scratch, END_LOG, false, bytes, count, offset);
}
