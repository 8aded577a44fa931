// streamed_keep.c - checkpoints of a streamed backend: its own books and the solver's state beside the scratch's planes
//
//     struct books, then plane records, steps, entries of the log, and the solver's state
#include "solve/disk/streamed_inside.h"

#include "util/clock.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

struct books {
    uint32_t planes;
    uint32_t steps;
    uint64_t entries;
    uint64_t state_bytes;
};

struct plane_record {
    uint32_t number;
    int32_t logged; // -1: no; else the side
};

struct writer {
    uint8_t *at;
};

static void put(struct writer *writer, const void *bytes, size_t count)
{
    if (count > 0)
        memcpy(writer->at, bytes, count);
    writer->at += count;
}

static struct books books_of(const struct streamed *streamed, size_t state_bytes)
{
    struct books books;
    memset(&books, 0, sizeof books);
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        books.planes += streamed->plane[p] != NULL;
    books.steps = streamed->steps;
    books.entries = streamed->entries;
    books.state_bytes = state_bytes;
    return books;
}

static uint64_t books_bytes(const struct books *books)
{
    return sizeof *books + books->planes * sizeof(struct plane_record) + books->steps * sizeof(struct logged_step) +
           books->entries * sizeof(struct log_entry) + books->state_bytes;
}

static void write_books(const struct streamed *streamed, const struct books *books, const void *state, uint8_t *to)
{
    struct writer writer = {to};
    put(&writer, books, sizeof *books);
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        const struct plane *plane = streamed->plane[p];
        if (plane == NULL)
            continue;
        const struct plane_record record = {plane->number, plane->logged ? plane->side : -1};
        put(&writer, &record, sizeof record);
    }
    put(&writer, streamed->step, books->steps * sizeof *streamed->step);
    put(&writer, streamed->entry, books->entries * sizeof *streamed->entry);
    put(&writer, state, books->state_bytes);
}

static int save_now(struct streamed *streamed, const void *state, size_t state_bytes)
{
    const struct books books = books_of(streamed, state_bytes);
    const size_t bytes = books_bytes(&books);
    uint8_t *all = calloc(1, bytes);
    if (all == NULL)
        return error_memory(bytes, "a checkpoint");
    write_books(streamed, &books, state, all);
    const int code = scratch_save(streamed->scratch, all, bytes);
    free(all);
    streamed->saved_at = wall_seconds();
    return code;
}

static int save(struct backend *backend, const void *state, size_t bytes, bool now)
{
    struct streamed *streamed = streamed_of(backend);
    if (!now && wall_seconds() - streamed->saved_at < streamed->options.interval)
        return 0;
    TRY(streamed_flush(streamed));
    return save_now(streamed, state, bytes);
}

static const void *saved(struct backend *backend, size_t *bytes)
{
    size_t all;
    struct books books;
    const uint8_t *found = scratch_saved(streamed_of(backend)->scratch, &all);
    if (found == NULL)
        return NULL;
    memcpy(&books, found, sizeof books);
    *bytes = books.state_bytes;
    return found + all - books.state_bytes;
}

static unsigned number(const struct plane *plane)
{
    return plane->number;
}

static struct plane *plane_of(struct backend *backend, unsigned plane)
{
    return plane < SCRATCH_PLANES_MAX ? streamed_of(backend)->plane[plane] : NULL;
}

const struct backend_keeper streamed_keeper = {.save = save, .saved = saved, .number = number, .plane = plane_of};

// ---- going on ----

static int damaged(const struct streamed *streamed)
{
    return error_set(CLTB_E_CORRUPT,
                     "the checkpoint in %s/%s.cltb.check does not fit its planes: remove it to begin anew",
                     streamed->options.dir, streamed->options.name);
}

static int take_planes(struct streamed *streamed, const uint8_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct plane_record record;
        memcpy(&record, at + i * sizeof record, sizeof record);
        if (!scratch_plane_there(streamed->scratch, record.number) || streamed->plane[record.number] != NULL)
            return damaged(streamed);
        struct plane *plane = calloc(1, sizeof *plane);
        if (plane == NULL)
            return error_memory(sizeof *plane, "a plane");
        *plane = (struct plane){record.number, record.logged >= 0, record.logged >= 0 ? record.logged : 0};
        streamed->plane[record.number] = plane;
    }
    return 0;
}

static int take_array(void **array, const uint8_t *at, size_t bytes)
{
    *array = malloc(bytes + 1);
    if (*array == NULL)
        return error_memory(bytes, "the log's books");
    memcpy(*array, at, bytes);
    return 0;
}

static int check_log(const struct streamed *streamed)
{
    for (uint32_t i = 0; i < streamed->steps; i++)
        if (streamed->step[i].side != WHITE && streamed->step[i].side != BLACK)
            return damaged(streamed);
    for (uint64_t i = 0; i < streamed->entries; i++) {
        const struct log_entry *entry = &streamed->entry[i];
        if (entry->step >= streamed->steps ||
            entry->record.group >= streamed->grid.groups[streamed->step[entry->step].side])
            return damaged(streamed);
    }
    return 0;
}

int streamed_resume(struct streamed *streamed)
{
    size_t bytes;
    struct books books;
    const uint8_t *at = scratch_saved(streamed->scratch, &bytes);
    if (at == NULL || bytes < sizeof books)
        return damaged(streamed);
    memcpy(&books, at, sizeof books);
    if (books.planes > SCRATCH_PLANES_MAX || books.entries > bytes || books.state_bytes > bytes ||
        books_bytes(&books) != bytes)
        return damaged(streamed);
    at += sizeof books;
    TRY(take_planes(streamed, at, books.planes));
    at += books.planes * sizeof(struct plane_record);
    TRY(take_array((void **)&streamed->step, at, books.steps * sizeof *streamed->step));
    streamed->steps = streamed->steps_space = books.steps;
    at += books.steps * sizeof *streamed->step;
    TRY(take_array((void **)&streamed->entry, at, books.entries * sizeof *streamed->entry));
    streamed->entries = streamed->entries_space = books.entries;
    return check_log(streamed);
}
