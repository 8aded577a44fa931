// tables.h - `cltb info`, `probe`, `stats` and `verify` of restricted tables, each in its own file
//
// For names that restricted_named() knows to be files. All return the exit status.
#ifndef CLTB_RESTRICTED_CLI_TABLES_H
#define CLTB_RESTRICTED_CLI_TABLES_H

#include "cli/options.h"

#include <stddef.h>

// Is it a file rather than a material: does it hold a '/', or end in ".cltb"?
bool restricted_named(const char *name);

// Where futurebases of a table are looked for: its own folder first, then these. To be freed; NULL: no memory, with its
// sentence.
char *restricted_folders(const char *path, const char *folders);

// Shows a restricted table. `known` becomes false, and nothing is said, if the file is none.
int restricted_file_info(const char *path, bool json, bool *known);

int restricted_file_probe(const char *path, const char *folders, const char *format, const struct arguments *arguments);

// `format`: "text", "tsv" or "json"; `longest`: tsv of the longest.
int restricted_file_stats(const char *path, const char *format, bool longest, uint64_t threads);

struct thread_pool;
struct restricted_verify_options;
int restricted_file_verify(const char *path, const char *folders, const struct restricted_verify_options *options,
                           bool quiet);

#endif
