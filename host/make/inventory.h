// inventory.h - what lies in the folders of tables, and what those tables need that does not
#ifndef CLTB_MAKE_INVENTORY_H
#define CLTB_MAKE_INVENTORY_H

#include "index/material.h"

#include <stddef.h>
#include <stdint.h>

enum inventory_kind { INVENTORY_FULL, INVENTORY_RESTRICTED, INVENTORY_DOBUTSU, INVENTORY_UNKNOWN };

struct inventory_table {
    char *path;               // of a file NAME.cltb
    const char *file;         // NAME.cltb, within `path`
    enum inventory_kind kind; //
    struct material material; // of a full table, by the file's name
    int men;                  // likewise; 0: other kinds
    uint64_t bytes;           // of the file
    const char *metric;       // of distances: "dtz", or "plies" to the end of a game of dobutsu; "": unknown
    bool hidden;              // a folder before has a file of that name: this one is never read
    char *fault;              // why the file cannot be used; NULL: it can, as far as its head tells
};

// A full table that captures and promotions lead to.
struct inventory_missing {
    struct material material;
    size_t *from; // [froms] the tables there that lead to it, directly or through other missing ones: their numbers
    size_t froms;
};

struct inventory_set {
    size_t present; // tables that can be used
    size_t all;     // materials
    uint64_t bytes; // of those present
};

struct inventory {
    struct inventory_table *table; // [tables] full ones first, by men, then by name
    size_t tables;
    struct inventory_missing *missing; // [missings] by men, then by name
    size_t missings;
    struct inventory_set set[MATERIAL_MEN_MAX + 1]; // full tables by men
    int complete_men;                               // all tables of up to so many men are there; 2: not even of 3
    size_t faults;                                  // tables that cannot be used, hidden ones aside
};

// Reads the heads of all tables. `folders` are separated by ':'. CLTB_E_IO if one of them cannot be read.
int inventory_make(struct inventory **inventory, const char *folders);
void inventory_free(struct inventory *inventory); // NULL is allowed

#endif
