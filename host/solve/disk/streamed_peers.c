// streamed_peers.c - a streamed backend whose windows several processes share out
//
// A process works on its own windows of each side and keeps the blocks of those windows. A plane that was last changed
// in windows of White's moves lies with the owners of columns; before a pass over windows of Black's moves needs it,
// its blocks move to the owners of rows: those that are not empty, packed (table/packed_bits.h). They move in rounds,
// some windows of each process at a time, which bounds what is on its way. What is in the log stays where it is.
#include "solve/disk/streamed.h"
#include "solve/disk/streamed_state.h"

#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ROUND_BYTES = 64 << 20 }; // of a process, in a round: of several windows, or of one

// A block on its way: this head, then the record.
struct parcel {
    uint32_t plane;
    uint32_t block;
    uint64_t bytes;
};

// A record of the log on its way: this head, then the record.
struct log_parcel {
    uint32_t step;
    uint32_t group;
    uint32_t piece;
    uint32_t bytes;
};

struct post {
    struct streamed *streamed;
    struct peer_mail mail;
    size_t slot;
    void *block; // [slot]
    struct packed_bits_packer *packer;
};

static void post_close(struct post *post)
{
    peer_mail_close(&post->mail);
    memory_unmap(post->block, post->slot);
    packed_bits_close(post->packer);
}

// To be closed whatever the result.
static int post_open(struct post *post, struct streamed *streamed)
{
    *post = (struct post){.streamed = streamed, .slot = scratch_slot(streamed->scratch)};
    TRY(peer_mail_open(&post->mail, streamed->peers));
    post->block = memory_map(post->slot);
    if (post->block == NULL)
        return error_memory(post->slot, "a block");
    return packed_bits_open(&post->packer, post->slot / 8);
}

// ---- blocks ----

// Hands a block to another process; it is empty here then.
static int post_block(struct post *post, unsigned plane, uint32_t block, int rank)
{
    struct scratch *scratch = post->streamed->scratch;
    const void *record;
    size_t bytes;
    memset(post->block, 0, post->slot); // what is behind the block
    TRY(scratch_read(scratch, plane, block, post->block));
    TRY(packed_bits_pack(post->packer, post->block, post->slot / 8, &record, &bytes));
    const struct parcel parcel = {plane, block, bytes};
    TRY(peer_mail_put(&post->mail, rank, &parcel, sizeof parcel));
    TRY(peer_mail_put(&post->mail, rank, record, bytes));
    scratch_clear(scratch, plane, block);
    return 0;
}

static int unpack_blocks(struct post *post, const struct peer_bytes *from)
{
    struct streamed *streamed = post->streamed;
    const uint32_t blocks = streamed->grid.groups[WHITE] * streamed->grid.groups[BLACK];
    const uint8_t *at = from->bytes;
    for (size_t left = from->count; left > 0;) {
        struct parcel parcel = {.bytes = UINT64_MAX};
        if (left >= sizeof parcel)
            memcpy(&parcel, at, sizeof parcel);
        if (parcel.bytes > left - sizeof parcel || parcel.block >= blocks ||
            !scratch_plane_exists(streamed->scratch, parcel.plane))
            return error_set(CLTB_E_CORRUPT, "another process has sent a block that does not fit");
        memset(post->block, 0, post->slot);
        TRY(packed_bits_or(post->packer, at + sizeof parcel, parcel.bytes, post->block, post->slot / 8));
        TRY(scratch_write(streamed->scratch, parcel.plane, parcel.block, post->block, post->slot));
        at += sizeof parcel + parcel.bytes;
        left -= sizeof parcel + parcel.bytes;
    }
    return 0;
}

// The blocks of a window that the plane lies in go to the owners of the other side's windows, or all to one process.
static int post_window(struct post *post, const struct plane *plane, uint32_t group, int only)
{
    struct streamed *streamed = post->streamed;
    const struct peers *peers = streamed->peers;
    const int from = plane->lies;
    const uint32_t others = streamed->grid.groups[from ^ 1];
    for (uint32_t other = 0; other < others; other++) {
        const uint32_t block = stream_block_of(&streamed->grid, from, group, other);
        const int rank = only >= 0 ? only : peers_owner(peers, others, other);
        if (rank != peers->rank && !scratch_empty(streamed->scratch, plane->number, block))
            TRY(post_block(post, plane->number, block, rank));
    }
    return 0;
}

// `only`: all blocks to that process; -1: to the owners of the other side's windows.
static int move(struct streamed *streamed, struct plane *plane, int only)
{
    const struct peers *peers = streamed->peers;
    const uint32_t groups = streamed->grid.groups[plane->lies];
    const uint32_t most = groups / (uint32_t)peers->ranks + 1; // windows of a process
    struct post post;
    uint32_t group = 0;
    int code = post_open(&post, streamed);
    while (group < groups && peers_owner(peers, groups, group) < peers->rank)
        group++;
    const size_t window = streamed->grid.groups[plane->lies ^ 1] * post.slot;
    const uint32_t some = window < ROUND_BYTES ? (uint32_t)(ROUND_BYTES / window) : 1;
    for (uint32_t done = 0; code == 0 && done < most; done += some) {
        for (uint32_t i = 0; code == 0 && i < some && group < groups; i++, group++)
            if (peers_owner(peers, groups, group) == peers->rank)
                code = post_window(&post, plane, group, only);
        if (code == 0)
            code = peer_mail_exchange(&post.mail);
        for (int r = 0; code == 0 && r < peers->ranks; r++)
            code = unpack_blocks(&post, &post.mail.take[r]);
    }
    post_close(&post);
    return code;
}

int streamed_place(struct streamed *streamed, struct plane *plane, int side, bool load)
{
    if (streamed->peers == NULL || plane->lies == side)
        return 0;
    if (load)
        TRY(move(streamed, plane, -1));
    else
        for (uint32_t i = 0; i < streamed->grid.groups[WHITE] * streamed->grid.groups[BLACK]; i++)
            scratch_clear(streamed->scratch, plane->number, i);
    plane->lies = side;
    return 0;
}

int streamed_sum(const struct streamed *streamed, uint64_t *number)
{
    const struct peers *peers = streamed->peers;
    return peers == NULL ? 0 : peers->sum(peers->context, number, 1);
}

// ---- checkpoints ----

// The checkpoint that the scratch was resumed from: its number and its processes; 0: none.
static void find_checkpoint(const struct streamed *streamed, struct peer_books *books)
{
    size_t bytes;
    const void *state = scratch_saved(streamed->scratch, &bytes);
    *books = (struct peer_books){.number = 0};
    if (state != NULL && bytes >= sizeof *books) // it is the end of the state
        memcpy(books, (const uint8_t *)state + bytes - sizeof *books, sizeof *books);
}

// The least number of a checkpoint that any process was resumed from. An error if they are those of another number of
// processes.
static int agree(const struct streamed *streamed, const char *path, uint64_t *least)
{
    const struct peers *peers = streamed->peers;
    const size_t ranks = (size_t)peers->ranks;
    struct peer_books books;
    uint64_t *all; // [2][ranks]: numbers, processes
    find_checkpoint(streamed, &books);
    TRY(memory_new(&all, 2 * ranks, sizeof *all, "checkpoints"));
    all[peers->rank] = books.number;
    all[ranks + (size_t)peers->rank] = books.ranks;
    int code = peers->sum(peers->context, all, (int)(2 * ranks));
    *least = UINT64_MAX;
    for (size_t r = 0; code == 0 && r < ranks; r++) {
        *least = all[r] < *least ? all[r] : *least;
        if (all[ranks + r] != 0 && all[ranks + r] != ranks)
            code = error_set(CLTB_E_USAGE, "%s keeps work of %u processes: resume it with as many, or remove the files",
                             path, (unsigned)all[ranks + r]);
    }
    free(all);
    return code;
}

// Opens it once more if others are a checkpoint behind: processes were killed while they saved one, which they begin
// together. Where there is none that all have they start over.
int streamed_open_scratch(struct streamed *streamed, const struct scratch_options *options, enum scratch_start *start)
{
    struct scratch_options again = *options;
    struct peer_books books;
    uint64_t least;
    TRY(scratch_open(&streamed->scratch, options, start));
    if (streamed->peers == NULL)
        return 0;
    streamed->together = true;
    for (int i = 0; i < 2; i++) {
        TRY(agree(streamed, options->path, &least));
        find_checkpoint(streamed, &books);
        if (books.number != least) {
            const bool back = i == 0 && least > 0;
            scratch_close(streamed->scratch, back);
            streamed->scratch = NULL;
            again.older = back;
            TRY(scratch_open(&streamed->scratch, &again, start));
            *start = back ? *start : SCRATCH_DAMAGED;
        }
    }
    find_checkpoint(streamed, &books);
    streamed->checkpoints = books.number;
    return 0;
}

// ---- the end ----

static int unpack_records(struct post *post, const struct peer_bytes *from)
{
    const uint8_t *at = from->bytes;
    for (size_t left = from->count; left > 0;) {
        struct log_parcel parcel = {.bytes = UINT32_MAX};
        if (left >= sizeof parcel)
            memcpy(&parcel, at, sizeof parcel);
        if (parcel.bytes > left - sizeof parcel || parcel.step >= post->streamed->steps)
            return error_set(CLTB_E_CORRUPT, "another process has sent a record that does not fit");
        struct scratch_record record = {
            .step = parcel.step, .group = parcel.group, .piece = parcel.piece, .bytes = parcel.bytes};
        TRY(scratch_append(post->streamed->scratch, &record, at + sizeof parcel));
        at += sizeof parcel + parcel.bytes;
        left -= sizeof parcel + parcel.bytes;
    }
    return 0;
}

// The next records of the log, some megabytes of them, to process 0.
static int post_records(struct post *post, uint64_t *next)
{
    struct streamed *streamed = post->streamed;
    uint64_t records;
    const struct scratch_record *record = scratch_records(streamed->scratch, &records);
    for (; *next < records && post->mail.give[0].count < ROUND_BYTES; (*next)++) {
        const struct scratch_record *one = &record[*next];
        const struct log_parcel parcel = {one->step, one->group, one->piece, one->bytes};
        void *bytes = malloc(one->bytes);
        int code = bytes == NULL ? error_memory(one->bytes, "a record of the log") : 0;
        if (code == 0)
            code = scratch_log_read(streamed->scratch, one, bytes);
        if (code == 0)
            code = peer_mail_put(&post->mail, 0, &parcel, sizeof parcel);
        if (code == 0)
            code = peer_mail_put(&post->mail, 0, bytes, one->bytes);
        free(bytes);
        TRY(code);
    }
    return 0;
}

static int gather_records(struct streamed *streamed)
{
    const struct peers *peers = streamed->peers;
    struct post post;
    uint64_t records;
    uint64_t next = 0;
    uint64_t left = 1;
    (void)scratch_records(streamed->scratch, &records);
    if (peers->rank == 0)
        next = records; // those stay
    int code = post_open(&post, streamed);
    while (code == 0) {
        left = peers->rank == 0 ? 0 : records - next;
        code = streamed_sum(streamed, &left);
        if (code != 0 || left == 0)
            break;
        if (peers->rank != 0)
            code = post_records(&post, &next);
        if (code == 0)
            code = peer_mail_exchange(&post.mail);
        for (int r = 1; code == 0 && peers->rank == 0 && r < peers->ranks; r++)
            code = unpack_records(&post, &post.mail.take[r]);
    }
    post_close(&post);
    return code;
}

int streamed_gather(struct backend *backend)
{
    struct streamed *streamed = streamed_of(backend);
    TRY(streamed_flush(backend));
    if (streamed->peers == NULL)
        return 0;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        if (streamed->plane[p] != NULL)
            TRY(move(streamed, streamed->plane[p], 0));
    TRY(gather_records(streamed));
    streamed->peers = NULL; // from now on it is one process's
    return 0;
}
