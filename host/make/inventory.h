// inventory.h - the tables in some folders, and the missing tables that they need
#ifndef CLTB_MAKE_INVENTORY_H
#define CLTB_MAKE_INVENTORY_H

#include "index/material.h"

#include <stddef.h>
#include <stdint.h>

enum inventory_kind { INVENTORY_FULL, INVENTORY_SYZYGY, INVENTORY_RESTRICTED, INVENTORY_DOBUTSU, INVENTORY_UNKNOWN };

struct inventory_table {
    char *path;               // of a file NAME.cltb, or NAME.rtbw with or without its NAME.rtbz
    const char *file;         // NAME.cltb or NAME.rtbw, within `path`
    enum inventory_kind kind; //
    struct material material; // of a full table or Syzygy file, according to the file's name
    int men;                  // likewise; 0 for other kinds
    uint64_t bytes;           // of the file, or of both files
    // Kind of distances: "dtz", "dtz~" if some are rounded to moves, "plies" to the end of a game of dobutsu, "wdl" if
    // there are only outcomes, "" if unknown
    const char *metric;
    bool hidden; // never read: an earlier folder has a file with that name, or there is a table beside Syzygy files
    char *fault; // why the file cannot be used; NULL: it can be used, judging by its head
};

// A material that captures and promotions lead to.
struct inventory_missing {
    struct material material;
    size_t *from; // [froms] the numbers of existing tables that lead to it, directly or through other missing ones
    size_t froms;
    size_t from_room; // of `from`
};

struct inventory_set {
    size_t present;        // full tables that can be used
    size_t all;            // materials
    uint64_t bytes;        // of those present
    size_t syzygy;         // usable Syzygy files of materials that have no table
    uint64_t syzygy_bytes; //
};

struct inventory {
    struct inventory_table *table; // [tables] full ones first, by number of men, then by name
    size_t tables;
    size_t table_room;
    struct inventory_missing *missing; // [missings] by number of men, then by name
    size_t missings;
    size_t missing_room;
    struct inventory_set set[MATERIAL_MEN_MAX + 1]; // by number of men
    int complete_men; // all materials of at most so many men have a table or Syzygy files; 2: not even those of 3
    size_t faults;    // tables that cannot be used, except hidden ones
};

// Reads the heads of all tables and Syzygy files. `folders` are separated by ':'. CLTB_E_IO if one of them cannot be
// read.
int inventory_make(struct inventory **inventory, const char *folders);
void inventory_free(struct inventory *inventory); // NULL is allowed

#endif
