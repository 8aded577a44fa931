// container_format.h - the bytes of a container's head (docs/format.md), shared by writer and reader
//
//     0   8   magic
//     8   4   version
//     12  4   number of streams
//     16  8   bytes of the head
//     24  8   bytes of the file
//     32  8   bytes kept for the text
//     40  8   XXH64 of the head with this field zero
//     48  48  for each stream: name (16), symbol bytes (4), block symbols (4), sections (8), symbols of a section (8),
//             codec (4), bytes of its model (4)
//             for each stream: for each section the offset of its first block (8)
//             for each stream: for each block its bytes (4) and its XXH64 (8)
//             for each stream: its model
//             the text, zero-padded
//
// All numbers are little-endian. Blocks of a section follow each other without a gap.
#ifndef CLTB_TABLE_CONTAINER_FORMAT_H
#define CLTB_TABLE_CONTAINER_FORMAT_H

#include "table/container.h"

#include <string.h>

#define CONTAINER_MAGIC "cltb\r\n\x1a\n"

enum {
    HEAD_VERSION = 8,
    HEAD_STREAMS = 12,
    HEAD_BYTES = 16,
    HEAD_FILE_BYTES = 24,
    HEAD_TEXT_BYTES = 32,
    HEAD_HASH = 40,
    HEAD_FIXED = 48,
    STREAM_RECORD = 48,
    SECTION_RECORD = 8,
    BLOCK_RECORD = 12,
    BLOCK_SYMBOLS_MAX = 1 << 22
};

static inline uint64_t get_number(const uint8_t *at, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

static inline void put_number(uint8_t *at, int bytes, uint64_t number)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

// Where the parts of a head begin.
struct head_parts {
    uint64_t sections[CONTAINER_STREAMS_MAX];
    uint64_t blocks[CONTAINER_STREAMS_MAX];
    uint64_t models[CONTAINER_STREAMS_MAX];
    uint64_t text;
    uint64_t bytes;
};

static inline struct head_parts head_parts(const struct container_stream *streams, int count, uint64_t text_bytes)
{
    struct head_parts parts;
    uint64_t at = HEAD_FIXED + (uint64_t)count * STREAM_RECORD;
    for (int i = 0; i < count; i++) {
        parts.sections[i] = at;
        at += streams[i].sections * SECTION_RECORD;
    }
    for (int i = 0; i < count; i++) {
        parts.blocks[i] = at;
        at += container_blocks(&streams[i]) * BLOCK_RECORD;
    }
    for (int i = 0; i < count; i++) {
        parts.models[i] = at;
        at += streams[i].model_bytes;
    }
    parts.text = at;
    parts.bytes = at + text_bytes;
    return parts;
}

#endif
