// tables.h - `cltb verify`, `stats` and `info` of the dobutsu database, each in its own file
//
// For names that dobutsu_values_named() knows, and files that dobutsu_info() recognises. All return the exit status.
#ifndef CLTB_DOBUTSU_CLI_TABLES_H
#define CLTB_DOBUTSU_CLI_TABLES_H

#include "cli/options.h"

struct thread_pool;
struct dobutsu_verify_options;

// `folders`: where the table is looked for.
int dobutsu_verify_name(const char *name, const char *folders, const struct dobutsu_verify_options *options,
                        bool quiet);

struct dobutsu_stats_request {
    const char *name;
    const char *folders;
    const char *format; // "text", "tsv" or "json"
    uint64_t threads;
    bool reachable;
    bool stop;  // the second rule of dobutsu/check/reachable.h
    bool plies; // tsv: by ply instead of by value
};

int dobutsu_stats_name(const struct dobutsu_stats_request *request);

// Shows a dobutsu table. `known` becomes false, and nothing is said, if the file is none.
int dobutsu_info(const char *path, bool json, bool *known);

#endif
