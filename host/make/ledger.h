// ledger.h - tables that a build with a limit of disk has made: the file tables.tsv in their folder
//
// A build that also makes their Syzygy files has its own rows, in syzygy.tsv: `shipped` is then about these files.
//
// A table has a row here before its file may go, and a good row is believed when the file is gone. Columns are
// separated by tabs and named by the first line; the last one is the XXH64 of everything before it in its row. A row is
// on the disk before ledger_add() returns. Whoever adds rows has locked the folder (folder.h).
#ifndef CLTB_MAKE_LEDGER_H
#define CLTB_MAKE_LEDGER_H

#include "make/options.h"
#include "table/table.h"

#include <limits.h>

struct ledger_row {
    struct material material;
    uint64_t bytes;                              // of the file
    char sum[BUILD_SUM_TEXT];                    // its SHA-256
    double seconds;                              // wall time of making it; negative: unknown
    uint64_t memory;                             // most bytes that the process held meanwhile; 0: unknown
    uint64_t positions[COLOURS][TABLE_OUTCOMES]; // as in struct table_info
    int longest[COLOURS][TABLE_OUTCOMES];        //
    bool shipped;                                // build_options.ship has succeeded
};

struct ledger {
    char path[PATH_MAX];
    struct ledger_row *row; // [rows] good ones; of several of one table the last counts
    size_t rows;
    size_t room;        // of `row`
    size_t faults;      // lines that are damaged or cut, and not believed,
    size_t first_fault; // the number of the first of them
};

// The name of the file: tables.tsv or syzygy.tsv.
const char *ledger_name(const struct build_options *options);

// Reads that of options->dir. Without a file there are no rows. CLTB_E_IO, CLTB_E_MEMORY; free it even then.
int ledger_read(struct ledger *ledger, const struct build_options *options);
void ledger_free(struct ledger *ledger);

// NULL: there is none. Valid until the next ledger_add().
const struct ledger_row *ledger_find(const struct ledger *ledger, const struct material *material);

int ledger_add(struct ledger *ledger, const struct ledger_row *row);

#endif
