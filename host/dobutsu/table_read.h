// table_read.h - an open dobutsu table, as its probing and its bulk reading see it
#ifndef CLTB_DOBUTSU_TABLE_READ_H
#define CLTB_DOBUTSU_TABLE_READ_H

#include "dobutsu/table_parts.h"
#include "table/block_cache.h"

#include <pthread.h>
#include <stdatomic.h>

// All values in memory.
struct dobutsu_bulk {
    uint8_t *values; // [kept]
    uint32_t *start; // [cells + 1]: number of each cell's first value
};

struct dobutsu_table {
    struct container *container;
    struct block_cache *cache;
    struct cached_container *blocks;
    struct dobutsu_table_info info;
    uint32_t cells;
    uint32_t buckets;
    int bucket_stream; // numbers of the container's streams
    int value_stream;
    uint32_t *start;                     // [buckets + 1]: number of each bucket's first value
    pthread_mutex_t lock;                // of loading
    _Atomic(struct dobutsu_bulk *) bulk; // NULL: not loaded
};

// CLTB_E_CORRUPT with a sentence.
int dobutsu_faulty(const struct dobutsu_table *table, const char *what);

// Says behind the sentence about a damaged table how to get a sound one; returns `code`.
int dobutsu_say_how_to_mend(int code);

void dobutsu_bulk_close(struct dobutsu_table *table);

#endif
