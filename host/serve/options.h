// options.h - the options of `cltb serve`, and the server (server.c)
#ifndef CLTB_SERVE_OPTIONS_H
#define CLTB_SERVE_OPTIONS_H

#include <stdint.h>

struct serve_options {
    const char *folders; // of tables, separated by ':'
    const char *host;    // an address or a name
    uint16_t port;       // 0: any free port
    int threads;
    uint64_t cache_bytes; // for decompressed blocks; 0: 256 MiB
    int counted_men;      // materials of more men are not counted: only statistics kept in their files are sent
    const char *watch;    // a file with a build's events; NULL: none
};

// Prints one line with the address, then serves until SIGINT or SIGTERM. CLTB_E_IO: the address cannot be used.
int serve_run(const struct serve_options *options);

#endif
