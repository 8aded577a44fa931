// slice_share.c - the slices that several processes have solved, in the work file of each
//
// 1. Each process tells all others which slices it has.
// 2. The first process that has a slice which others lack sends them the record of its work file that holds the slice,
//    unchanged.
// 3. Records go in rounds of some megabytes, which bounds the data in transit.
//
// Example: of slices 0..3, process 0 has solved 0 and 1 in one record, and process 1 slices 2 and 3, in two. Process 0
// sends one record, process 1 two. After an interruption, process 2 of a new job has none: it gets all three.
#include "make/slice_store.h"

#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ROUND_BYTES = 16 << 20 };

struct sharing {
    struct slice_store *store;
    uint32_t slices;
    const struct peers *peers;
    struct peer_mail mail;
    uint8_t *held; // [ranks][slices]
};

static uint8_t *held_by(const struct sharing *sharing, int rank)
{
    return sharing->held + (size_t)rank * sharing->slices;
}

// Does step 1. `*differ`: the processes do not all have the same slices.
static int tell(struct sharing *sharing, bool *differ)
{
    const struct peers *peers = sharing->peers;
    uint8_t *own = held_by(sharing, peers->rank);
    for (uint32_t i = 0; i < sharing->slices; i++)
        own[i] = slice_store_parcel(sharing->store, i) != NULL;
    for (int r = 0; r < peers->ranks; r++)
        TRY(peer_mail_put(&sharing->mail, r, own, sharing->slices));
    TRY(peer_mail_exchange(&sharing->mail));
    *differ = false;
    for (int r = 0; r < peers->ranks; r++) {
        if (sharing->mail.take[r].count != sharing->slices)
            return error_set(CLTB_E_CORRUPT, "process %d of the job makes another table", r);
        memcpy(held_by(sharing, r), sharing->mail.take[r].bytes, sharing->slices);
        *differ |= memcmp(held_by(sharing, r), held_by(sharing, 0), sharing->slices) != 0;
    }
    return 0;
}

// Sends the record of a slice to a process, which then has all slices of the record.
static int send_record(struct sharing *sharing, uint32_t slice, int rank)
{
    const struct slice_parcel *parcel = slice_store_parcel(sharing->store, slice);
    uint32_t left = parcel->slices;
    void *room;
    TRY(peer_mail_put(&sharing->mail, rank, &parcel->bytes, sizeof parcel->bytes));
    TRY(peer_mail_room(&sharing->mail, rank, parcel->bytes, &room));
    TRY(slice_store_read(sharing->store, parcel, room));
    for (uint32_t i = slice; i < sharing->slices && left > 0; i++) {
        if (slice_store_parcel(sharing->store, i) != parcel)
            continue;
        held_by(sharing, rank)[i] = 1;
        left--;
    }
    return 0;
}

// Does step 2, from slice number *next on, until the round has enough bytes.
static int send_round(struct sharing *sharing, uint32_t *next)
{
    const struct peers *peers = sharing->peers;
    uint64_t bytes = 0;
    for (; *next < sharing->slices && bytes < ROUND_BYTES; ++*next) {
        int first = 0;
        while (first < peers->ranks && !held_by(sharing, first)[*next])
            first++;
        for (int r = 0; first == peers->rank && r < peers->ranks; r++) {
            if (held_by(sharing, r)[*next])
                continue;
            TRY(send_record(sharing, *next, r));
            bytes += slice_store_parcel(sharing->store, *next)->bytes;
        }
    }
    return 0;
}

static int take_round(struct sharing *sharing, const struct peer_bytes *from)
{
    const uint8_t *at = from->bytes;
    for (size_t left = from->count; left > 0;) {
        uint64_t bytes = UINT64_MAX;
        if (left >= sizeof bytes)
            memcpy(&bytes, at, sizeof bytes);
        if (left < sizeof bytes || bytes > left - sizeof bytes)
            return error_set(CLTB_E_CORRUPT, "another process has sent a part of a record");
        TRY(slice_store_add(sharing->store, at + sizeof bytes, bytes));
        at += sizeof bytes + bytes;
        left -= sizeof bytes + bytes;
    }
    return 0;
}

static int share(struct sharing *sharing)
{
    const struct peers *peers = sharing->peers;
    uint32_t next = 0;
    bool differ;
    TRY(tell(sharing, &differ));
    for (uint64_t left = differ; left > 0;) {
        TRY(send_round(sharing, &next));
        TRY(peer_mail_exchange(&sharing->mail));
        for (int r = 0; r < peers->ranks; r++)
            TRY(take_round(sharing, &sharing->mail.take[r]));
        left = sharing->slices - next;
        TRY(peers->sum(peers->context, &left, 1));
    }
    return 0;
}

int slice_share(struct slice_store *store, uint32_t slices, const struct peers *peers)
{
    struct sharing sharing = {.store = store, .slices = slices, .peers = peers};
    int code = peer_mail_open(&sharing.mail, peers);
    THEN(code, memory_new(&sharing.held, (size_t)peers->ranks * slices, 1, "solved slices"));
    THEN(code, share(&sharing));
    free(sharing.held);
    peer_mail_close(&sharing.mail);
    return code;
}

// ---- what an earlier job has left ----

struct leftover {
    struct slice_store *store;
    const struct slice_store_options *options;
    int ranks;
};

static int add_all(struct slice_store *store, const struct slice_store *from, uint32_t slices)
{
    for (uint32_t i = 0; i < slices; i++) {
        const struct slice_parcel *parcel = slice_store_parcel(from, i);
        if (parcel == NULL || slice_store_parcel(store, i) != NULL)
            continue;
        void *bytes = malloc(parcel->bytes);
        int code = bytes == NULL ? error_memory(parcel->bytes, "solved slices") : 0;
        THEN(code, slice_store_read(from, parcel, bytes));
        THEN(code, slice_store_add(store, bytes, parcel->bytes));
        free(bytes);
        TRY(code);
    }
    return 0;
}

static int absorb(void *context, const char *path, const char *name)
{
    const struct leftover *leftover = context;
    struct slice_store_options options = *leftover->options;
    char material[MATERIAL_NAME_MAX];
    const size_t length = strlen(material_name(options.material, material));
    char *end;
    if (strncmp(name, material, length) != 0 || name[length] != '.')
        return 0;
    const long rank = strtol(name + length + 1, &end, 10);
    struct slice_store *from;
    options.path = path;
    if (strcmp(end, ".cltb.work") != 0 || rank < leftover->ranks || slice_store_open(&from, &options) != 0)
        return 0; // it belongs to another table, or another process has it
    const int code = add_all(leftover->store, from, options.slices);
    slice_store_close(from, code != 0);
    return code;
}

int slice_share_absorb(struct slice_store *store, const struct slice_store_options *options, const char *folder,
                       const struct peers *peers)
{
    struct leftover leftover = {store, options, peers == NULL ? 1 : peers->ranks};
    return folders_each(folder, ".cltb.work", absorb, &leftover);
}
