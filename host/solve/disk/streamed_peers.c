// streamed_peers.c - a streamed backend whose windows several processes share out
//
// A process works on its own windows of each side and keeps the blocks of those windows. A plane that was last changed
// in windows of White's moves lies with the owners of columns; before a pass over windows of Black's moves needs it,
// its blocks move to the owners of rows: those that are not empty, packed (table/packed_bits.h). They move in rounds,
// some windows of each process at a time, which bounds what is on its way. What is in the log stays where it is.
#include "solve/disk/streamed.h"
#include "solve/disk/streamed_post.h"

#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

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

void post_close(struct post *post)
{
    peer_mail_close(&post->mail);
    memory_unmap(post->block, post->slot);
    packed_bits_close(post->packer);
}

int post_open(struct post *post, struct streamed *streamed)
{
    *post = (struct post){.streamed = streamed, .slot = scratch_slot(streamed->scratch)};
    TRY(peer_mail_open(&post->mail, streamed->peers));
    post->block = memory_map(post->slot);
    if (post->block == NULL)
        return error_memory(post->slot, "a block");
    return packed_bits_open(&post->packer, post->slot / 8);
}

// ---- blocks ----

static uint32_t count_blocks(const struct streamed *streamed)
{
    const struct scratch_shape shape = scratch_shape(streamed->scratch);
    return shape.row_groups * shape.column_groups;
}

int post_block(struct post *post, unsigned plane, uint32_t block, int rank)
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

static int unpack(struct post *post, const struct peer_bytes *from)
{
    struct streamed *streamed = post->streamed;
    const uint32_t blocks = count_blocks(streamed);
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

int post_exchange(struct post *post)
{
    TRY(peer_mail_exchange(&post->mail));
    for (int r = 0; r < post->mail.peers->ranks; r++)
        TRY(unpack(post, &post->mail.take[r]));
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
            code = post_exchange(&post);
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
        for (uint32_t i = 0; i < count_blocks(streamed); i++)
            scratch_clear(streamed->scratch, plane->number, i);
    plane->lies = side;
    return 0;
}

int streamed_sum(const struct streamed *streamed, uint64_t *number)
{
    const struct peers *peers = streamed->peers;
    return peers == NULL ? 0 : peers->sum(peers->context, number, 1);
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
        void *room;
        TRY(peer_mail_put(&post->mail, 0, &parcel, sizeof parcel));
        TRY(peer_mail_room(&post->mail, 0, one->bytes, &room));
        TRY(scratch_log_read(streamed->scratch, one, room));
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
