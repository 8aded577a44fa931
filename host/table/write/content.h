// content.h - a solved endgame as a writer sees it, and how its file is written
#ifndef CLTB_TABLE_WRITE_CONTENT_H
#define CLTB_TABLE_WRITE_CONTENT_H

#include "solve/tile_source.h"
#include "table/table.h"
#include "table/write/sections.h"
#include "table/write/slice_sections.h"
#include "table/write/write_passes.h"
#include "util/peers.h"

struct backend;
struct container_writer;

// The content of a table, whatever method solved it.
struct content {
    const struct material *material;
    const struct pawn_slices *slices; // NULL: no pawns
    struct write_pieces pieces;       //
    bool kept[COLOURS];               // distances, by side to move
    int longest_kept[COLOURS];        // the longest of them
    const int (*longest)[TABLE_OUTCOMES];
    section_fill *fill;
    // May a position have this distance? NULL: any up to the longest.
    bool (*occurs)(const void *context, int side, int outcome, int ply);
    const void *context; // for both
};

struct write_options {
    bool both_sides; // distances for both sides to move, otherwise for the side whose distances take fewer bytes
    bool reduced;    // one side's distances will be removed again (table_keep_one_side()), and need not be small
    bool outcomes;   // no distances, and fast rather than small: for table_open_outcomes()
    bool best;       // larger blocks and the highest level of compression
    bool listed;     // for tests: distances are places in lists even if they would fit into a byte
    // Called now and then with the share done; a nonzero result stops with CLTB_E_INTERRUPTED.
    int (*progress)(void *context, double share);
    void *context;
    // Bytes that the writer may use; 0: no limit. It uses at least the minimum of write_need(), even if this is
    // less. The file does not depend on it.
    uint64_t memory;
    // A folder for temporary data, which a writer with a limit may need: less than a section of the finished table.
    // NULL: the table's own folder.
    const char *scratch;
    // Called when the table is complete and can be read (container_show()), but has not got its name; may add a stream
    // to it. Then it gets the name, unless the result is an error. NULL: nothing is to be done.
    int (*complete)(void *context, struct container_writer *table);
    void *complete_context;
    // Processes that write the table together (write_together.h); the first one makes the file. NULL: this one writes
    // alone.
    const struct peers *peers;
    // Codes blocks of sections that the processor makes (backend->bulk->code()); NULL: the processor does.
    struct backend *coder;
};

// `source` must outlive the content.
struct content tiles_content(const struct tile_source *source);
struct content slices_content(const struct slices_source *source);

#endif
