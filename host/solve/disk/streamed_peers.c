// streamed_peers.c - a streamed backend whose windows several processes share out
//
// A process works on its own windows of each side and keeps the blocks of those windows. A plane that was last changed
// in windows of White's moves lies with the owners of columns; before a pass over windows of Black's moves needs it,
// its blocks move to the owners of rows: those that are not empty, packed (table/packed_bits.h) unless both processes
// are on one machine, where that would cost more than it saves. They move in rounds, some blocks of each process at a
// time, which bounds what is in transit. Records stay in the log where they are until the end. Then each process gets
// what it needs for its sections of the table, and no more.
#include "solve/disk/streamed.h"
#include "solve/disk/streamed_post.h"

#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// A block in transit: this head, then the record.
struct parcel {
    uint32_t plane;
    uint32_t block;
    uint64_t words; // of the block, in whole pages
    uint64_t bytes; // of the record; 0: there is none, the words are sent as they are
};

// A record of the log in transit: this head, then the record.
struct log_parcel {
    uint32_t step;
    uint32_t group;
    uint32_t piece;
    uint32_t bytes;
};

void post_close(struct post *post)
{
    peer_mail_close(&post->mail);
    scratch_buffer_free(post->streamed->scratch, post->block);
    packed_bits_close(post->packer);
}

int post_open(struct post *post, struct streamed *streamed)
{
    *post = (struct post){.streamed = streamed, .most = scratch_block_most(streamed->scratch)};
    TRY(peer_mail_open(&post->mail, streamed->peers));
    TRY(scratch_buffer_new(streamed->scratch, &post->block));
    return packed_bits_open(&post->packer, post->most / 8);
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
    const struct peers *peers = post->streamed->peers;
    const void *record;
    size_t bytes = 0;
    TRY(scratch_read(scratch, plane, block, post->block, &record));
    const uint64_t words = scratch_block_bytes(scratch, plane, block) / 8;
    if (peers->neighbour == NULL || !peers->neighbour[rank])
        TRY(packed_bits_pack(post->packer, record, words, &record, &bytes));
    const struct parcel parcel = {plane, block, words, bytes};
    TRY(peer_mail_put(&post->mail, rank, &parcel, sizeof parcel));
    TRY(peer_mail_put(&post->mail, rank, record, bytes > 0 ? bytes : words * 8));
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
        uint64_t *room = scratch_room(post->block);
        if (left >= sizeof parcel)
            memcpy(&parcel, at, sizeof parcel);
        const uint64_t words = parcel.words;
        const uint64_t bytes = parcel.bytes > 0 ? parcel.bytes : words * 8;
        if (words > post->most / 8 || bytes > left - sizeof parcel || parcel.block >= blocks ||
            !scratch_plane_exists(streamed->scratch, parcel.plane))
            return error_set(CLTB_E_CORRUPT, "another process has sent a block that does not fit");
        at += sizeof parcel;
        if (parcel.bytes > 0) {
            memset(room, 0, words * 8);
            TRY(packed_bits_or(post->packer, at, bytes, room, words));
        } else {
            memcpy(room, at, bytes);
        }
        TRY(scratch_write(streamed->scratch, parcel.plane, parcel.block, post->block, words * 8));
        at += bytes;
        left -= sizeof parcel + bytes;
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

int streamed_sides(const struct streamed *streamed)
{
    return material_symmetric(&streamed->base.layout.material) ? 1 : COLOURS;
}

// The process that owns the section of a column's black king.
static int section_owner(const struct streamed *streamed, int side, uint32_t column)
{
    const uint32_t each = streamed->grid.groups[WHITE] / TRIANGLE_SQUARES;
    return peers_section_owner(streamed->peers, streamed_sides(streamed), TRIANGLE_SQUARES, side, column / each);
}

bool streamed_pairs_here(const struct streamed *streamed, uint32_t group)
{
    return streamed->peers == NULL || section_owner(streamed, WHITE, group) == streamed->peers->rank;
}

// Sends a block of a window of plane->lies to the owner of the other side's window, or to that of a section of `side`.
static int post_owned(struct post *post, const struct plane *plane, uint32_t group, uint32_t other, int side)
{
    struct streamed *streamed = post->streamed;
    const struct peers *peers = streamed->peers;
    const int from = plane->lies;
    const uint32_t others = streamed->grid.groups[from ^ 1];
    const uint32_t block = stream_block_of(&streamed->grid, from, group, other);
    const int rank =
        side < 0 ? peers_owner(peers, others, other) : section_owner(streamed, side, from == WHITE ? group : other);
    if (rank == peers->rank || scratch_empty(streamed->scratch, plane->number, block))
        return 0;
    return post_block(post, plane->number, block, rank);
}

// Does this process hold a plane's blocks of a window of plane->lies? `paired`: the owners of White's sections do.
static bool is_held(const struct streamed *streamed, const struct plane *plane, bool paired, uint32_t group)
{
    return paired ? streamed_pairs_here(streamed, group)
                  : peers_owner(streamed->peers, streamed->grid.groups[plane->lies], group) == streamed->peers->rank;
}

// Moves a plane to the owners of sections of `side`, or with -1 to the owners of the other side's windows.
static int move(struct streamed *streamed, const struct plane *plane, int side, bool paired)
{
    const struct peers *peers = streamed->peers;
    const uint32_t groups = streamed->grid.groups[plane->lies];
    const uint32_t others = streamed->grid.groups[plane->lies ^ 1];
    // Blocks of one process, at most. A section has groups / 10 of them.
    const uint64_t held = groups / (uint32_t)peers->ranks + (paired ? groups / TRIANGLE_SQUARES : UINT64_C(1));
    const uint64_t most = held * others;
    struct post post;
    uint32_t first = 0;
    int code = post_open(&post, streamed);
    while (first < groups && !is_held(streamed, plane, paired, first))
        first++;
    const uint64_t some = post.most < ROUND_BYTES ? ROUND_BYTES / post.most : 1;
    for (uint64_t next = 0; code == 0 && next < most;) {
        for (const uint64_t end = next + some; code == 0 && next < end; next++) {
            const uint64_t group = first + next / others;
            if (group < groups && is_held(streamed, plane, paired, (uint32_t)group))
                code = post_owned(&post, plane, (uint32_t)group, (uint32_t)(next % others), side);
        }
        THEN(code, post_exchange(&post));
    }
    post_close(&post);
    return code;
}

int streamed_place(struct streamed *streamed, struct plane *plane, int side, bool load)
{
    if (streamed->peers == NULL || plane->lies == side)
        return 0;
    if (load)
        TRY(move(streamed, plane, -1, false));
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

// The set of numbers of a solution's planes that are in the log, with `side` to move.
static uint64_t logged_planes(const struct solution *solution, int side)
{
    uint64_t set = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        const struct plane *plane = solution->distance[side][bit];
        if (plane != NULL && plane->logged)
            set |= UINT64_C(1) << plane->number;
    }
    return set;
}

// Sends the next records of the log, some megabytes of them, to the processes that need them. `set`: planes by side.
static int post_records(struct post *post, const uint64_t *set, uint64_t *next, uint64_t end)
{
    struct streamed *streamed = post->streamed;
    const struct peers *peers = streamed->peers;
    uint64_t records;
    const struct scratch_record *record = scratch_records(streamed->scratch, &records);
    for (size_t bytes = 0; *next < end && bytes < ROUND_BYTES; (*next)++) {
        const struct scratch_record *one = &record[*next];
        const struct log_parcel parcel = {one->step, one->group, one->piece, one->bytes};
        const int side = (int)streamed->step[one->step].side;
        const int rank = side == BLACK ? peers_owner(peers, streamed->grid.groups[BLACK], one->group)
                                       : section_owner(streamed, WHITE, one->group);
        void *room;
        if (rank == peers->rank || !(streamed->step[one->step].set & set[side]))
            continue;
        TRY(peer_mail_put(&post->mail, rank, &parcel, sizeof parcel));
        TRY(peer_mail_room(&post->mail, rank, one->bytes, &room));
        TRY(scratch_log_read(streamed->scratch, one, room));
        bytes += sizeof parcel + one->bytes;
    }
    return 0;
}

int streamed_share_records(struct streamed *streamed, const struct solution *solution, bool both)
{
    const struct peers *peers = streamed->peers;
    const uint64_t set[COLOURS] = {logged_planes(solution, WHITE),
                                   both || streamed_sides(streamed) == COLOURS ? logged_planes(solution, BLACK) : 0};
    struct post post;
    uint64_t own; // records of this process; received ones come after them
    uint64_t next = 0;
    uint64_t left = 1;
    if (peers == NULL)
        return 0;
    (void)scratch_records(streamed->scratch, &own);
    int code = post_open(&post, streamed);
    while (code == 0 && left > 0) {
        code = post_records(&post, set, &next, own);
        THEN(code, peer_mail_exchange(&post.mail));
        for (int r = 0; code == 0 && r < peers->ranks; r++)
            code = unpack_records(&post, &post.mail.take[r]);
        left = own - next;
        THEN(code, streamed_sum(streamed, &left));
    }
    post_close(&post);
    return code;
}

int streamed_share_sections(struct streamed *streamed, const struct solution *solution, bool pairs, bool paired)
{
    for (int side = WHITE; streamed->peers != NULL && side < (pairs ? COLOURS : streamed_sides(streamed)); side++) {
        for (int i = 0; i < SOLUTION_PLANES; i++) {
            const struct plane *shown = solution_plane(solution, side, i);
            struct plane *plane = shown == NULL ? NULL : streamed->plane[shown->number];
            if (plane == NULL || plane->logged || (paired && side == WHITE))
                continue;
            TRY(move(streamed, plane, pairs ? WHITE : side, paired));
            plane->lies = WHITE;
        }
    }
    if (!pairs)
        streamed->peers = NULL;
    return 0;
}
