// table_text.h - what the writer and the reader of restricted tables share (docs/format.md)
#ifndef CLTB_RESTRICTED_TABLE_TEXT_H
#define CLTB_RESTRICTED_TABLE_TEXT_H

#include "restricted/index.h"
#include "restricted/table.h"

enum {
    RESTRICTED_VERSION = 1,              // the property `restricted`
    RESTRICTED_BLOCK_SYMBOLS = 32 * 1024 // 64 KiB: as the blocks of other tables
};

#define RESTRICTED_SPEC_LINE "\nspec\n" // what follows is the text of spec_write()

static inline const char *restricted_stream_name(int side)
{
    return side == WHITE ? "value-w" : "value-b";
}

// Can it stand in a table?
static inline bool restricted_storable(unsigned code)
{
    return code == RESTRICTED_OPEN ||
           (code >= restricted_code(false, 0) && code <= restricted_code(true, TABLE_PLY_MAX));
}

// The section of each slice: its number among the kept ones. NULL: no memory, with its sentence.
uint32_t *restricted_sections(const struct restricted_index *index, uint32_t *kept);

#endif
