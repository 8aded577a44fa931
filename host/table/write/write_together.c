// write_together.c - several processes write one table
#include "table/write/write_together.h"

#include "table/write/unit_plan.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    CHUNK_BYTES = 1 << 20, // of a sample, compressed separately
    CHUNK_LEVEL = 1,
    ROUND_BYTES = 16 << 20 // of blocks in transit at a time, or one block
};

struct together {
    struct writer *writer;
    const struct peers *peers;
    int sides;
    struct peer_mail mail;
    // For streams whose order this process searches: [sections of the sample * chunks] in the overflow.
    struct waiting_block *sample[STREAMS_MAX];
    uint64_t chunks[STREAMS_MAX];
    // The blocks of sections that this process makes.
    struct waiting_block **made[STREAMS_MAX]; // [sections][blocks]; NULL: not made yet, or not made by this process
};

// A chunk of a sample in transit: this head, then its bytes.
struct chunk_parcel {
    uint32_t stream;
    uint32_t section; // of the sample
    uint32_t chunk;
    uint32_t bytes;
};

// An order in transit: this head, then the bytes of the model.
struct order_parcel {
    uint64_t sample_bytes;
    uint32_t stream;
    uint32_t model_bytes;
    uint8_t choice[ENTRY_GROUPS_MAX];
    uint8_t paired;
};

int together_open(struct together **together, struct writer *writer, const struct peers *peers)
{
    *together = NULL;
    if (peers == NULL || peers->ranks == 1)
        return 0;
    TRY(memory_new(together, 1, sizeof **together, "messages"));
    (*together)->writer = writer;
    (*together)->peers = peers;
    (*together)->sides = writer->last_side + 1;
    return peer_mail_open(&(*together)->mail, peers);
}

static void drop_section(struct together *together, int stream, uint64_t section)
{
    struct waiting_block **made = &together->made[stream][section];
    const struct stream *of = &together->writer->stream[stream];
    for (uint64_t i = 0; *made != NULL && i < stream_blocks(together->writer, of); i++)
        writer_drop_block(together->writer, &(*made)[i]);
    free(*made);
    *made = NULL;
}

void together_close(struct together *together)
{
    for (int i = 0; together != NULL && i < STREAMS_MAX; i++) {
        for (uint64_t s = 0; together->made[i] != NULL && s < together->writer->stream[i].order.sections; s++)
            drop_section(together, i, s);
        free(together->made[i]);
        free(together->sample[i]); // its data disappear with the overflow
    }
    if (together != NULL)
        peer_mail_close(&together->mail);
    free(together);
}

static int owner(const struct together *together, int side, uint64_t section)
{
    const struct entry_order *order = &stream_of(together->writer, TABLE_OUTCOME, side)->order;
    const uint64_t each = sections_at_once(order);
    return peers_section_owner(together->peers, together->sides, (uint32_t)((order->sections + each - 1) / each), side,
                               (uint32_t)(section / each));
}

bool together_makes(const struct together *together, int side, uint64_t section)
{
    return together == NULL || owner(together, side, section) == together->peers->rank;
}

// ---- step 1 ----

static int searcher(const struct together *together, const struct stream *stream)
{
    return stream->side % together->peers->ranks;
}

bool together_searches(const struct together *together, const struct stream *stream)
{
    return together == NULL || searcher(together, stream) == together->peers->rank;
}

int together_post_sample(struct together *together, const struct stream *stream, int section, const uint8_t *symbols,
                         uint64_t bytes)
{
    const int rank = searcher(together, stream);
    for (uint64_t done = 0; done < bytes; done += CHUNK_BYTES) {
        const size_t length = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        struct chunk_parcel parcel = {.stream = (uint32_t)stream_number(stream),
                                      .section = (uint32_t)section,
                                      .chunk = (uint32_t)(done / CHUNK_BYTES)};
        void *room;
        const size_t at = together->mail.give[rank].count;
        TRY(peer_mail_room(&together->mail, rank, sizeof parcel + ZSTD_compressBound(length), &room));
        const size_t compressed = ZSTD_compress((uint8_t *)room + sizeof parcel, ZSTD_compressBound(length),
                                                symbols + done, length, CHUNK_LEVEL);
        if (ZSTD_isError(compressed))
            return error_set(CLTB_E_MEMORY, "no memory to compress a sample of the table");
        parcel.bytes = (uint32_t)compressed;
        memcpy(room, &parcel, sizeof parcel);
        together->mail.give[rank].count = at + sizeof parcel + compressed;
    }
    return 0;
}

static int take_chunks(struct together *together, const struct peer_bytes *from, int sections, uint64_t symbols)
{
    struct writer *writer = together->writer;
    const uint8_t *at = from->bytes;
    for (size_t left = from->count; left > 0;) {
        struct chunk_parcel parcel = {.bytes = UINT32_MAX};
        if (left >= sizeof parcel)
            memcpy(&parcel, at, sizeof parcel);
        const struct stream *stream = &writer->stream[parcel.stream % STREAMS_MAX];
        const uint64_t chunks = (symbols * stream->symbol_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
        if (left < sizeof parcel || parcel.bytes > left - sizeof parcel || parcel.section >= (uint32_t)sections ||
            parcel.chunk >= chunks || parcel.stream >= STREAMS_MAX || !stream->wanted)
            return error_set(CLTB_E_CORRUPT, "another process has sent a sample that does not fit");
        struct waiting_block **sample = &together->sample[parcel.stream];
        if (*sample == NULL)
            TRY(memory_new(sample, (size_t)sections * chunks, sizeof **sample, "samples of the table"));
        together->chunks[parcel.stream] = chunks;
        struct waiting_block *chunk = &(*sample)[parcel.section * chunks + parcel.chunk];
        chunk->bytes = parcel.bytes;
        TRY(overflow_put(writer->overflow, at + sizeof parcel, parcel.bytes, &chunk->offset));
        at += sizeof parcel + parcel.bytes;
        left -= sizeof parcel + parcel.bytes;
    }
    return 0;
}

int together_exchange_samples(struct together *together, int sections, uint64_t symbols, uint64_t *left)
{
    TRY(peer_mail_exchange(&together->mail));
    for (int r = 0; r < together->peers->ranks; r++)
        TRY(take_chunks(together, &together->mail.take[r], sections, symbols));
    return together->peers->sum(together->peers->context, left, 1);
}

int together_fetch_sample(const struct together *together, const struct stream *stream, int section, uint8_t *symbols,
                          uint64_t bytes)
{
    const int number = stream_number(stream);
    const uint64_t chunks = together->chunks[number];
    void *compressed = malloc(ZSTD_compressBound(CHUNK_BYTES));
    if (compressed == NULL)
        return error_memory(ZSTD_compressBound(CHUNK_BYTES), "a sample of the table");
    int code = 0;
    for (uint64_t i = 0; code == 0 && i * CHUNK_BYTES < bytes; i++) {
        const struct waiting_block *chunk = &together->sample[number][(uint64_t)section * chunks + i];
        const uint64_t done = i * CHUNK_BYTES;
        const size_t length = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        code = writer_get_block(together->writer, chunk, compressed);
        if (code == 0 && ZSTD_decompress(symbols + done, length, compressed, chunk->bytes) != length)
            code = error_set(CLTB_E_CORRUPT, "a sample of the table is damaged");
    }
    free(compressed);
    return code;
}

// ---- step 2 ----

static int post_order(struct together *together, const struct stream *stream)
{
    struct order_parcel parcel = {.sample_bytes = stream->sample_bytes,
                                  .stream = (uint32_t)stream_number(stream),
                                  .model_bytes = (uint32_t)stream->model_bytes,
                                  .paired = stream->paired};
    memcpy(parcel.choice, stream->choice, sizeof stream->choice);
    for (int r = 0; r < together->peers->ranks; r++) {
        if (r == together->peers->rank)
            continue;
        TRY(peer_mail_put(&together->mail, r, &parcel, sizeof parcel));
        TRY(peer_mail_put(&together->mail, r, stream->model_data, stream->model_bytes));
    }
    return 0;
}

static int take_orders(struct together *together, const struct peer_bytes *from)
{
    struct writer *writer = together->writer;
    const uint8_t *at = from->bytes;
    for (size_t left = from->count; left > 0;) {
        struct order_parcel parcel = {.stream = STREAMS_MAX};
        if (left >= sizeof parcel)
            memcpy(&parcel, at, sizeof parcel);
        if (parcel.stream >= STREAMS_MAX || parcel.model_bytes > left - sizeof parcel)
            return error_set(CLTB_E_CORRUPT, "another process has sent a part of an order");
        struct stream *stream = &writer->stream[parcel.stream];
        memcpy(stream->choice, parcel.choice, sizeof stream->choice);
        entry_order_init(&stream->order, writer->content.material, writer->content.slices, stream->choice);
        stream->sample_bytes = parcel.sample_bytes;
        stream->paired = parcel.paired != 0;
        stream_drop_model(stream);
        stream->model_bytes = parcel.model_bytes;
        if (parcel.model_bytes > 0) {
            TRY(memory_new(&stream->model_data, parcel.model_bytes, 1, "a model"));
            memcpy(stream->model_data, at + sizeof parcel, parcel.model_bytes);
            if (!context_model_read(&stream->model, stream->kind == TABLE_DISTANCE, stream->model_data,
                                    stream->model_bytes))
                return error_set(CLTB_E_CORRUPT, "another process has sent a model that makes no sense");
            context_model_prepare(&stream->model);
        }
        at += sizeof parcel + parcel.model_bytes;
        left -= sizeof parcel + parcel.model_bytes;
    }
    return 0;
}

int together_share_orders(struct together *together)
{
    if (together == NULL)
        return 0;
    for (int i = 0; i < STREAMS_MAX; i++) {
        const struct stream *stream = &together->writer->stream[i];
        if (stream->wanted && together_searches(together, stream))
            TRY(post_order(together, stream));
    }
    TRY(peer_mail_exchange(&together->mail));
    for (int r = 0; r < together->peers->ranks; r++)
        TRY(take_orders(together, &together->mail.take[r]));
    return 0;
}

// ---- step 3 ----

int together_keep(struct together *together, const struct stream *stream, uint64_t first, uint64_t count,
                  struct waiting_block *waiting)
{
    const int number = stream_number(stream);
    const uint64_t blocks = stream_blocks(together->writer, stream);
    if (together->made[number] == NULL)
        TRY(memory_new(&together->made[number], stream->order.sections, sizeof *together->made[number], "sections"));
    for (uint64_t i = 0; i < count; i++) {
        struct waiting_block **made = &together->made[number][first + i];
        TRY(memory_new(made, blocks, sizeof **made, "a section's blocks"));
        memcpy(*made, waiting + i * blocks, blocks * sizeof **made);
        memset(waiting + i * blocks, 0, blocks * sizeof **made);
    }
    return 0;
}

// ---- step 4 ----

// Some sections of a stream, on their way to process 0.
struct journey {
    struct together *together;
    const struct stream *stream;
    int from;
    uint64_t first;       // the first section
    uint64_t blocks;      // in a section
    uint64_t count;       // blocks in all sections
    const uint32_t *size; // [count] bytes of each block
    uint64_t next;        // the next block
    uint64_t end;         // after the blocks of this round
    const uint8_t *at;    // the rest of this round's bytes, in process 0
};

static const struct waiting_block *own_block(const struct journey *journey, uint64_t block)
{
    struct waiting_block *const *made = journey->together->made[stream_number(journey->stream)];
    return &made[journey->first + block / journey->blocks][block % journey->blocks];
}

// The next round; all processes take part.
static int travel(struct journey *journey)
{
    struct together *together = journey->together;
    struct peer_mail *mail = &together->mail;
    uint64_t bytes = 0;
    for (; journey->end < journey->count && bytes < ROUND_BYTES; journey->end++) {
        void *room;
        bytes += journey->size[journey->end];
        if (journey->from != together->peers->rank)
            continue;
        TRY(peer_mail_room(mail, 0, journey->size[journey->end], &room));
        TRY(writer_get_block(together->writer, own_block(journey, journey->end), room));
    }
    TRY(peer_mail_exchange(mail));
    journey->at = mail->take[journey->from].bytes;
    if (together->peers->rank == 0 && mail->take[journey->from].count != bytes)
        return error_set(CLTB_E_CORRUPT, "another process has sent a part of a section");
    return 0;
}

// For container_add_fetched(): `block` belongs to the section being added, and all blocks come in order.
static int next_block(void *context, uint64_t block, uint32_t bytes, void *to)
{
    struct journey *journey = context;
    (void)block;
    if (journey->from == 0)
        return writer_get_block(journey->together->writer, own_block(journey, journey->next++), to);
    if (journey->next == journey->end)
        TRY(travel(journey));
    memcpy(to, journey->at, bytes);
    journey->at += bytes;
    journey->next++;
    return 0;
}

// Process 0 puts the sections into the file; the others take part in all rounds.
static int end_journey(struct journey *journey)
{
    struct writer *writer = journey->together->writer;
    struct container_piece *pieces;
    const uint64_t blocks = journey->blocks;
    int code = 0;
    while (writer->container == NULL && journey->from != 0 && journey->end < journey->count)
        TRY(travel(journey));
    if (writer->container == NULL || blocks == 0)
        return 0;
    TRY(memory_new(&pieces, blocks, sizeof *pieces, "a section's blocks"));
    for (uint64_t done = 0; code == 0 && done < journey->count; done += blocks) {
        for (uint64_t i = 0; i < blocks; i++)
            pieces[i].bytes = journey->size[done + i];
        code = container_add_fetched(writer->container, journey->stream->number, journey->first + done / blocks, pieces,
                                     next_block, journey);
    }
    free(pieces);
    return code;
}

// Gathers `count` sections of one owner.
static int gather_sections(struct together *together, const struct stream *stream, uint64_t first, uint64_t count)
{
    const struct peers *peers = together->peers;
    struct journey journey = {.together = together,
                              .stream = stream,
                              .from = owner(together, stream->side, first),
                              .first = first,
                              .blocks = stream_blocks(together->writer, stream)};
    uint32_t *size;
    journey.count = count * journey.blocks;
    TRY(memory_new(&size, journey.count, sizeof *size, "a section's blocks"));
    journey.size = size;
    for (uint64_t i = 0; journey.from == peers->rank && i < journey.count; i++)
        size[i] = own_block(&journey, i)->bytes;
    int code = 0;
    if (journey.from != 0) { // tell all how large the blocks are
        for (int r = 0; code == 0 && journey.from == peers->rank && r < peers->ranks; r++)
            code = peer_mail_put(&together->mail, r, size, journey.count * sizeof *size);
        THEN(code, peer_mail_exchange(&together->mail));
        const struct peer_bytes *told = &together->mail.take[journey.from];
        if (code == 0 && told->count != journey.count * sizeof *size)
            code = error_set(CLTB_E_CORRUPT, "another process has sent a part of a section");
        if (code == 0)
            memcpy(size, told->bytes, journey.count * sizeof *size);
    }
    THEN(code, end_journey(&journey));
    for (uint64_t i = 0; journey.from == peers->rank && i < count; i++)
        drop_section(together, stream_number(stream), first + i);
    free(size);
    return code;
}

int together_gather(struct together *together)
{
    if (together == NULL)
        return 0;
    struct writer *writer = together->writer;
    for (int side = WHITE; side < together->sides; side++) {
        const struct entry_order *order = &stream_of(writer, TABLE_OUTCOME, side)->order;
        const uint64_t each = sections_at_once(order);
        for (uint64_t first = 0; first < order->sections; first += each) {
            const uint64_t left = order->sections - first;
            for (int kind = TABLE_OUTCOME; kind < TABLE_KINDS; kind++) {
                const struct stream *stream = stream_of(writer, (enum table_kind)kind, side);
                if (stream->wanted)
                    TRY(gather_sections(together, stream, first, left < each ? left : each));
            }
        }
    }
    return together->peers->sum(together->peers->context, &writer->counts[0][0], COLOURS * TABLE_OUTCOMES);
}
