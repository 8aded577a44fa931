// values.h - where the values of the dobutsu database are read from: a table, or a raw file
//
// A raw file is the byte of code k at offset k, DOBUTSU_CODES bytes in all.
#ifndef CLTB_DOBUTSU_MAKE_VALUES_H
#define CLTB_DOBUTSU_MAKE_VALUES_H

#include "dobutsu/table.h"

struct dobutsu_values;
struct thread_pool;

// Cells read at a time when all cells are read: enough that few blocks of a table are read twice.
enum { DOBUTSU_PART_CELLS = DOBUTSU_LION_PAIRS * 56 * 14, DOBUTSU_PARTS = DOBUTSU_CELLS / DOBUTSU_PART_CELLS };

// Is this the dobutsu database ("dobutsu" in any case), or a raw file (any path that ends in ".raw")?
bool dobutsu_values_named(const char *name);

// Opens the values that such a name stands for; the table is searched for in `folders`, separated by ':'. Returns what
// dobutsu_table_open() returns, and CLTB_E_CORRUPT for a raw file of the wrong size.
int dobutsu_values_open(struct dobutsu_values **values, const char *name, const char *folders);
void dobutsu_values_close(struct dobutsu_values *values);

// The path of the file, for messages.
const char *dobutsu_values_path(const struct dobutsu_values *values);

// What the table says about itself; NULL for a raw file.
const struct dobutsu_table_info *dobutsu_values_info(const struct dobutsu_values *values);

// Verifies the checksums. A raw file has none.
int dobutsu_values_check(struct dobutsu_values *values, struct thread_pool *pool);

// One value, or whole cells (a dobutsu_source); `context` is a struct dobutsu_values. Thread-safe.
int dobutsu_values_one(void *context, uint32_t code, uint8_t *value);
int dobutsu_values_cells(void *context, uint32_t first, uint32_t count, uint8_t *values);

#endif
