// king_sections.h - a pawnless solution in the order of a file, some sections at a time
#ifndef CLTB_TABLE_WRITE_KING_SECTIONS_H
#define CLTB_TABLE_WRITE_KING_SECTIONS_H

#include "table/write/sections.h"

// `context` is a const struct tile_source, and a section is a square of the black king.
section_fill king_sections_fill;

#endif
