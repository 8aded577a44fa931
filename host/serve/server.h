// server.h - tables over HTTP
#ifndef CLTB_SERVE_SERVER_H
#define CLTB_SERVE_SERVER_H

#include "util/error.h"

#include <stdint.h>

struct serve_options {
    const char *folders; // of tables, separated by ':'
    const char *host;    // an address or a name
    uint16_t port;       // 0: any that is free
    int threads;
    uint64_t cache_bytes; // for decompressed blocks; 0: 256 MiB
};

// Serves until SIGINT or SIGTERM, after printing one line with the address. CLTB_E_IO: the address cannot be had.
int serve_run(const struct serve_options *options);

#endif
