// table_text.h - the names that the writer and the reader of chess tables share (docs/format.md)
#ifndef CLTB_TABLE_TABLE_TEXT_H
#define CLTB_TABLE_TABLE_TEXT_H

enum table_kind { TABLE_OUTCOME, TABLE_DISTANCE, TABLE_KINDS };

// The stream of this kind for this side to move: "outcome-w", "distance-b", ...
const char *table_stream_name(enum table_kind kind, int side);

#endif
