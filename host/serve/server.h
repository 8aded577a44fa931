// server.h - tables over HTTP
#ifndef CLTB_SERVE_SERVER_H
#define CLTB_SERVE_SERVER_H

#include "serve/options.h"

// Prints one line with the address, then serves until SIGINT or SIGTERM. CLTB_E_IO: the address cannot be used.
int serve_run(const struct serve_options *options);

#endif
