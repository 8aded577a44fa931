// overflow.c - what does not fit in memory: ranges of bytes in a file without a name
#include "disk/overflow.h"

#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// A range of the file that is free again.
struct hole {
    uint64_t offset;
    size_t count;
};

static _Atomic uint64_t all_bytes;

struct overflow {
    const char *folder;
    char name[PATH_MAX + 32]; // for messages
    pthread_mutex_t lock;     // of all fields below
    int file;                 // -1: not created yet
    uint64_t end;
    uint64_t most;     // that `end` was: the bytes of the file
    uint64_t ranges;   // in use
    struct hole *hole; // [holes]
    size_t holes;
    size_t hole_room;
};

int overflow_open(struct overflow **result, const char *folder)
{
    TRY(memory_new(result, 1, sizeof **result, "a scratch file"));
    struct overflow *overflow = *result;
    overflow->folder = folder;
    overflow->file = -1;
    snprintf(overflow->name, sizeof overflow->name, "a scratch file in %s", folder);
    pthread_mutex_init(&overflow->lock, NULL);
    return 0;
}

void overflow_close(struct overflow *overflow)
{
    if (overflow == NULL)
        return;
    if (overflow->file >= 0)
        close(overflow->file);
    all_bytes -= overflow->most;
    pthread_mutex_destroy(&overflow->lock);
    free(overflow->hole);
    free(overflow);
}

int overflow_put(struct overflow *overflow, const void *bytes, size_t count, uint64_t *offset)
{
    pthread_mutex_lock(&overflow->lock);
    int code = overflow->file < 0 ? file_open_nameless(&overflow->file, overflow->folder) : 0;
    if (code == 0) { // a hole of that size, otherwise the end of the file
        size_t i = overflow->holes;
        while (i > 0 && overflow->hole[i - 1].count != count)
            i--;
        *offset = i > 0 ? overflow->hole[i - 1].offset : overflow->end;
        if (i > 0)
            overflow->hole[i - 1] = overflow->hole[--overflow->holes];
        else
            overflow->end += count;
        if (overflow->end > overflow->most) {
            all_bytes += overflow->end - overflow->most;
            overflow->most = overflow->end;
        }
        overflow->ranges++;
    }
    pthread_mutex_unlock(&overflow->lock);
    TRY(code);
    code = file_write(overflow->file, overflow->name, bytes, count, *offset);
    if (code != 0)
        overflow_drop(overflow, *offset, count);
    return code;
}

int overflow_get(const struct overflow *overflow, uint64_t offset, void *bytes, size_t count)
{
    return file_read(overflow->file, overflow->name, bytes, count, offset, NULL);
}

// If there is no memory to note a hole, it is lost until the file starts over.
void overflow_drop(struct overflow *overflow, uint64_t offset, size_t count)
{
    pthread_mutex_lock(&overflow->lock);
    if (overflow->holes == overflow->hole_room) {
        const size_t room = 2 * overflow->hole_room + 64;
        struct hole *more = realloc(overflow->hole, room * sizeof *more);
        if (more != NULL) {
            overflow->hole = more;
            overflow->hole_room = room;
        }
    }
    if (overflow->holes < overflow->hole_room)
        overflow->hole[overflow->holes++] = (struct hole){offset, count};
    if (--overflow->ranges == 0)
        overflow->end = overflow->holes = 0;
    pthread_mutex_unlock(&overflow->lock);
}

uint64_t overflow_bytes(void)
{
    return all_bytes;
}
