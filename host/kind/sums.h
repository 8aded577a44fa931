// sums.h - SHA-256 sums of the files of tables
#ifndef CLTB_KIND_SUMS_H
#define CLTB_KIND_SUMS_H

#include "make/inventory.h"
#include "make/options.h"
#include "util/threads.h"

#include <stdbool.h>
#include <stdio.h>

enum { SUM_TEXT = BUILD_SUM_TEXT };

// The sum of one file. CLTB_E_IO also if this program was built without libmd.
int sum_of_file(const char *path, char text[SUM_TEXT]);

struct sum {
    const struct inventory_table *table;
    char text[SUM_TEXT]; // empty: not computed yet
    char *fault;         // why the file cannot be read
    bool listed;         // wanted, with `only_listed`
};

struct sums {
    struct inventory *inventory;
    struct sum *sum; // [count]
    size_t count;
    bool only_listed;
};

// Finds the tables of all kinds in the folders, without Syzygy files.
int sums_open(struct sums *sums, const char *folders);
int sums_work_out(struct sums *sums, struct thread_pool *pool);
void sums_close(struct sums *sums); // also after an error

// Computes all sums and writes them as sha256sum does. CLTB_E_IO if this program was built without libmd.
int sums_write(FILE *file, const char *folders, struct thread_pool *pool);

#endif
