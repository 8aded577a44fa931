// content.h - a solved endgame as a writer sees it
#ifndef CLTB_TABLE_WRITE_CONTENT_H
#define CLTB_TABLE_WRITE_CONTENT_H

#include "solve/tile_source.h"
#include "table/table.h"
#include "table/write/sections.h"
#include "table/write/slice_sections.h"
#include "table/write/write_passes.h"

// The content of a table, whatever method solved it.
struct content {
    const struct material *material;
    const struct pawn_slices *slices; // NULL: no pawns
    struct write_pieces pieces;       //
    bool kept[COLOURS];               // distances, by side to move
    int longest_kept[COLOURS];        // the longest of them
    const int (*longest)[TABLE_OUTCOMES];
    section_fill *fill;
    const void *context; // for fill()
};

// `source` must outlive the content.
struct content tiles_content(const struct tile_source *source);
struct content slices_content(const struct slices_source *source);

#endif
