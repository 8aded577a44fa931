// streamed_resume.c - several processes resume a table, each with the blocks of its windows
//
// 1. The checkpoint in the file of process 0 says how many processes it belongs to, M. Files 0..M-1 belong together.
//    This job's N processes have opened files 0..N-1; each of the others is opened by process `number mod N`, or by the
//    first one whose folder has it.
// 2. The processes begin to save a checkpoint together. So if they are killed while they save one, their checkpoints
//    are at most one apart. Then those that are ahead go back; if they have no checkpoint in common, all start over.
// 3. If M = N, that is all. Otherwise processes that had no file begin one with the planes of process 0, and the blocks
//    and records of files N..M-1 are added to the files of the processes that have opened them.
// 4. Every block goes to the process that now owns its window. Records stay where they are.
// 5. All save a checkpoint of N processes. Then the files N..M-1 are removed.
//
// A kill before the end of step 5 leaves the checkpoint of M processes in all files, as the last one or the one before.
//
// Example: 3 processes with rows 0 and 1, 2 and 3, 4 and 5 become 2. Process 0 opens file 2 and adds rows 4 and 5 to
// its own. Then it gives those to process 1, and gets row 2.
#include "solve/disk/streamed.h"
#include "solve/disk/streamed_post.h"

#include "table/path.h"
#include "util/error.h"
#include "util/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 4096 }; // seven men have 4096 rows

// The work files of a job.
struct files {
    struct streamed *streamed;
    const struct scratch_options *options; // of this process's file
    const char *folder;
    enum scratch_start *start;        // of this process's file
    uint32_t before;                  // M
    struct scratch *other[FILES_MAX]; // by number: those that this process has opened besides its own
    bool back[FILES_MAX];             // the file is not at its last checkpoint
};

// What process 0 tells the others about its checkpoint; the bytes of its state follow.
struct outline {
    struct scratch_shape shape;
    uint64_t planes; // bit p: plane p exists
};

static uint32_t ranks_of(const struct files *files)
{
    return (uint32_t)files->streamed->peers->ranks;
}

static uint32_t rank_of(const struct files *files)
{
    return (uint32_t)files->streamed->peers->rank;
}

static struct scratch **file_of(struct files *files, uint32_t number)
{
    return number == rank_of(files) ? &files->streamed->scratch : &files->other[number];
}

// The checkpoint that a scratch was resumed from: its number, 0 if there is none, and the number of its processes.
static struct peer_books books_of(const struct scratch *scratch)
{
    size_t bytes;
    struct peer_books books = {.number = 0};
    const void *state = scratch_saved(scratch, &bytes);
    if (state != NULL && bytes >= sizeof books) // they are the end of the state
        memcpy(&books, (const uint8_t *)state + bytes - sizeof books, sizeof books);
    return books;
}

// ---- steps 1 and 2 ----

static int open_file(struct files *files, uint32_t number, bool older, enum scratch_start *start)
{
    char path[PATH_MAX];
    struct scratch_options options = *files->options;
    options.older = older;
    if (number != rank_of(files)) {
        TRY(table_rank_work_path(path, sizeof path, files->folder, &files->streamed->base.layout.material,
                                 (int)number));
        options.path = path;
    }
    return scratch_open(file_of(files, number), &options, start);
}

// Opens the files that no process of this job has opened as its own.
static int open_others(struct files *files)
{
    const struct peers *peers = files->streamed->peers;
    const uint32_t ranks = ranks_of(files);
    const uint32_t others = files->before > ranks ? files->before - ranks : 0;
    if (others == 0)
        return 0;
    uint64_t *seen; // [others][ranks]
    TRY(memory_new(&seen, (size_t)others * ranks, sizeof *seen, "work files"));
    int code = 0;
    for (uint32_t i = 0; code == 0 && i < others; i++) {
        char path[PATH_MAX];
        code = table_rank_work_path(path, sizeof path, files->folder, &files->streamed->base.layout.material,
                                    (int)(ranks + i));
        seen[(size_t)i * ranks + rank_of(files)] = code == 0 && access(path, F_OK) == 0;
    }
    THEN(code, peers->sum(peers->context, seen, (int)(others * ranks)));
    for (uint32_t i = 0; code == 0 && i < others; i++) {
        const uint64_t *by = seen + (size_t)i * ranks;
        uint32_t who = (ranks + i) % ranks;
        enum scratch_start start;
        for (uint32_t r = 0; !by[who] && r < ranks; r++)
            who = by[r] ? r : who;
        if (!by[who])
            code =
                error_set(CLTB_E_USAGE,
                          "%s belongs to %u processes, and the file of process %u is in no scratch folder of this job: "
                          "put it there, or remove the files to start over",
                          files->options->path, files->before, ranks + i);
        else if (who == rank_of(files) && files->other[ranks + i] == NULL)
            code = open_file(files, ranks + i, false, &start);
    }
    free(seen);
    return code;
}

// Makes the files that are ahead go back, or start over. `number`: [M] zeros. `*moved`: how many did so.
static int step_back(struct files *files, uint64_t *number, uint64_t *moved)
{
    const struct peers *peers = files->streamed->peers;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < files->before; k++)
        if (*file_of(files, k) != NULL)
            number[k] = books_of(*file_of(files, k)).number;
    TRY(peers->sum(peers->context, number, (int)files->before));
    for (uint32_t k = 0; k < files->before; k++)
        least = number[k] < least ? number[k] : least;
    *moved = 0;
    for (uint32_t k = 0; k < files->before; k++) {
        struct scratch **file = file_of(files, k);
        if (*file == NULL || number[k] == least)
            continue;
        const bool back = !files->back[k] && least > 0;
        enum scratch_start start;
        scratch_close(*file, back);
        *file = NULL;
        TRY(open_file(files, k, back, &start));
        if (k == rank_of(files))
            *files->start = back ? start : SCRATCH_DAMAGED;
        files->back[k] = true;
        ++*moved;
    }
    return streamed_sum(files->streamed, moved);
}

static int find_checkpoint(struct files *files)
{
    enum { TRIES = 5 }; // going back, then starting over
    uint64_t moved = 1;
    for (int i = 0; i < TRIES && moved > 0; i++) {
        uint64_t before = rank_of(files) == 0 ? books_of(files->streamed->scratch).ranks : 0;
        TRY(streamed_sum(files->streamed, &before));
        files->before = before == 0 ? ranks_of(files) : (uint32_t)before;
        if (ranks_of(files) > FILES_MAX || files->before > FILES_MAX)
            return error_set(CLTB_E_USAGE, "more than %d processes", FILES_MAX);
        uint64_t *number;
        TRY(open_others(files));
        TRY(memory_new(&number, files->before, sizeof *number, "work files"));
        const int code = step_back(files, number, &moved);
        free(number);
        TRY(code);
    }
    return moved == 0 ? 0
                      : error_set(CLTB_E_CORRUPT, "%s: its processes find no state that fits", files->options->path);
}

// ---- steps 3 to 5 ----

// Process 0 tells the others about its checkpoint; `*state` must be freed.
static int tell_outline(struct files *files, struct outline *outline, uint8_t **state, size_t *bytes)
{
    const struct peers *peers = files->streamed->peers;
    struct peer_mail mail;
    int code = peer_mail_open(&mail, peers);
    for (int r = 0; code == 0 && peers->rank == 0 && r < peers->ranks; r++) {
        const struct scratch *scratch = files->streamed->scratch;
        const void *saved = scratch_saved(scratch, bytes);
        *outline = (struct outline){.shape = scratch_shape(scratch)};
        for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
            outline->planes |= (uint64_t)scratch_plane_exists(scratch, p) << p;
        code = peer_mail_put(&mail, r, outline, sizeof *outline);
        THEN(code, peer_mail_put(&mail, r, saved, *bytes));
    }
    THEN(code, peer_mail_exchange(&mail));
    if (code == 0 && mail.take[0].count < sizeof *outline + sizeof(struct peer_books))
        code = error_set(CLTB_E_CORRUPT, "process 0 has sent a part of a checkpoint");
    if (code == 0) {
        *bytes = mail.take[0].count - sizeof *outline;
        memcpy(outline, mail.take[0].bytes, sizeof *outline);
        code = memory_new(state, *bytes, 1, "a checkpoint");
    }
    if (code == 0)
        memcpy(*state, (const uint8_t *)mail.take[0].bytes + sizeof *outline, *bytes);
    peer_mail_close(&mail);
    return code;
}

// Begins the file of a process that had none, with the same planes as the others.
static int begin_file(struct files *files, const struct outline *outline)
{
    struct scratch_options options = *files->options;
    struct scratch **own = &files->streamed->scratch;
    enum scratch_start start;
    scratch_close(*own, false); // removes what another job may have left there
    *own = NULL;
    options.shape = outline->shape;
    TRY(scratch_open(own, &options, &start));
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX && outline->planes >> p != 0; p++) {
        unsigned plane; // the lowest free number: p
        TRY(scratch_plane_new(*own, &plane));
    }
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        if (!(outline->planes >> p & 1) && scratch_plane_exists(*own, p))
            scratch_plane_free(*own, p);
    return 0;
}

// Adds the blocks and records of a file of process N or later.
static int add_file(struct post *post, struct scratch *from, const struct outline *outline, uint32_t blocks)
{
    struct scratch *own = post->streamed->scratch;
    const struct scratch_shape shape = scratch_shape(from);
    uint64_t records;
    if (memcmp(&shape, &outline->shape, sizeof shape) != 0)
        return error_set(CLTB_E_CORRUPT, "the work files of several processes have blocks of different sizes");
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (!(outline->planes >> p & 1) || !scratch_plane_exists(from, p))
            continue;
        for (uint32_t i = 0; i < blocks; i++) {
            if (scratch_empty(from, p, i))
                continue;
            const void *block;
            TRY(scratch_read(from, p, i, post->block, &block));
            TRY(scratch_write(own, p, i, post->block, scratch_block_bytes(from, p, i)));
        }
    }
    const struct scratch_record *record = scratch_records(from, &records);
    for (uint64_t i = 0; i < records; i++) {
        struct scratch_record copy = record[i];
        void *bytes = malloc(copy.bytes);
        int code = bytes == NULL ? error_memory(copy.bytes, "a record of the log") : 0;
        THEN(code, scratch_log_read(from, &record[i], bytes));
        THEN(code, scratch_append(own, &copy, bytes));
        free(bytes);
        TRY(code);
    }
    return 0;
}

// Step 4, some blocks at a time.
static int distribute(struct post *post, const struct outline *outline, const struct peer_books *books)
{
    const struct peers *peers = post->streamed->peers;
    const struct scratch *own = post->streamed->scratch;
    const uint32_t columns = outline->shape.column_groups;
    const uint64_t blocks = (uint64_t)outline->shape.row_groups * columns;
    uint64_t next = 0;
    for (uint64_t left = 1; left > 0;) {
        for (size_t bytes = 0; next < SCRATCH_PLANES_MAX * blocks && bytes < ROUND_BYTES; next++) {
            const unsigned p = (unsigned)(next / blocks);
            const uint32_t i = (uint32_t)(next % blocks);
            if (!scratch_plane_exists(own, p) || scratch_empty(own, p, i))
                continue;
            const int rank = books->lies[p] == BLACK ? peers_owner(peers, outline->shape.row_groups, i / columns)
                                                     : peers_owner(peers, columns, i % columns);
            if (rank == peers->rank)
                continue;
            TRY(post_block(post, p, i, rank));
            bytes += post->most;
        }
        TRY(post_exchange(post));
        left = SCRATCH_PLANES_MAX * blocks - next;
        TRY(streamed_sum(post->streamed, &left));
    }
    return 0;
}

static int regroup_planes(struct files *files, const struct outline *outline, uint8_t *state, size_t bytes)
{
    struct post post;
    struct peer_books books;
    memcpy(&books, state + bytes - sizeof books, sizeof books);
    int code = post_open(&post, files->streamed);
    for (uint32_t k = 0; code == 0 && k < files->before; k++)
        if (k != rank_of(files) && files->other[k] != NULL)
            code = add_file(&post, files->other[k], outline, outline->shape.row_groups * outline->shape.column_groups);
    THEN(code, distribute(&post, outline, &books));
    post_close(&post);
    TRY(code);
    books.number++;
    books.ranks = ranks_of(files);
    memcpy(state + bytes - sizeof books, &books, sizeof books);
    return scratch_save(files->streamed->scratch, state, bytes);
}

static int regroup(struct files *files)
{
    struct outline outline;
    uint8_t *state = NULL;
    size_t bytes;
    uint64_t nothing = 0;
    enum scratch_start start;
    int code = tell_outline(files, &outline, &state, &bytes);
    if (code == 0 && rank_of(files) >= files->before)
        code = begin_file(files, &outline);
    THEN(code, regroup_planes(files, &outline, state, bytes));
    free(state);
    TRY(code);
    TRY(streamed_sum(files->streamed, &nothing)); // all have saved theirs
    for (uint32_t k = 0; k < files->before; k++) {
        scratch_close(files->other[k], false);
        files->other[k] = NULL;
    }
    scratch_close(files->streamed->scratch, true);
    files->streamed->scratch = NULL;
    TRY(open_file(files, rank_of(files), false, &start));
    if (*files->start != SCRATCH_RESUMED_OLDER)
        *files->start = start;
    return 0;
}

int streamed_open_scratch(struct streamed *streamed, const struct scratch_options *options, const char *folder,
                          enum scratch_start *start)
{
    TRY(scratch_open(&streamed->scratch, options, start));
    if (streamed->peers == NULL)
        return 0;
    struct files *files;
    TRY(memory_new(&files, 1, sizeof *files, "work files"));
    *files = (struct files){.streamed = streamed, .options = options, .folder = folder, .start = start};
    streamed->together = true;
    int code = find_checkpoint(files);
    if (code == 0 && files->before != ranks_of(files))
        code = regroup(files);
    for (uint32_t k = 0; k < FILES_MAX; k++)
        scratch_close(files->other[k], true);
    free(files);
    if (code == 0)
        streamed->checkpoints = books_of(streamed->scratch).number;
    return code;
}
