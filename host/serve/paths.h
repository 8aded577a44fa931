// paths.h - the answers of `cltb serve` by path
#ifndef CLTB_SERVE_PATHS_H
#define CLTB_SERVE_PATHS_H

#include "kind/kind.h"
#include "serve/jobs.h"
#include "serve/options.h"

#include <cltb/cltb.h>

#include "chess/position.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <event2/keyvalq_struct.h>

enum { FAULTS_MAX = 256 }; // different sentences that are printed, once each

// The data shared by all threads.
struct server {
    const struct serve_options *options;
    cltb_tables *tables;
    struct jobs *jobs;
    int stop[2]; // a pipe
    double start;
    atomic_uint_fast64_t requests;
    atomic_uint_fast64_t refused; // 4xx
    atomic_uint_fast64_t failed;  // 5xx
    pthread_mutex_t lock;         // of the following fields
    uint64_t told[FAULTS_MAX];    // hashes of sentences already printed
    int tolds;
    pthread_mutex_t listing; // of the following fields
    char *list;              // the answer of /endgames; NULL: not made yet
    uint64_t listed;         // a hash of the files that it lists
};

// What a thread keeps from one request to the next.
struct seat {
    struct server *server;
    struct prober dobutsu; // work_out NULL: not open yet
    struct position position;
};

struct query {
    struct evkeyvalq all;
    const char *path;
    const char *fen;
};

// The answer for a path: a text, or an error's code.
struct answer {
    FILE *file;
    char *text;
    size_t size;
    const char *type; // NULL: JSON
    bool passing;     // caches must not keep it
    bool page;        // caches must ask each time: a new program may have a new page, a folder new tables
    bool unfinished;  // still being made: ask again
    char moved[64];   // the path that has the answer, or empty
    uint64_t from;    // /build: offset of the text in the file
    bool has_from;    //
};

// Writes the answer into answer->file. CLTB_E_MISSING if there is none.
int path_answer(struct seat *seat, const struct query *query, struct answer *answer);

// Prints an error of a table or of the system, each only once.
void path_tell(void *server, const char *sentence);

#endif
