// command.c - `cltb serve`: tables over HTTP
#include "cli/command.h"
#include "index/material.h"
#include "util/os.h"
#include "util/threads.h"

#include "serve/options.h"

#include <stdlib.h>
#include <string.h>

#ifdef CLTB_HAVE_LIBEVENT
// Reads "127.0.0.1:8080", "[::1]:8080" or "localhost:0"; the default port is 8080.
static int read_address(const char *text, char host[256], uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    const char *bracket = strrchr(text, ']');
    if (colon != NULL && (colon < bracket || (bracket == NULL && strchr(text, ':') != colon)))
        colon = NULL; // it belongs to an IPv6 address
    const size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    uint64_t number = 8080;
    if (length == 0 || length > 255 || (colon != NULL && (!parse_number(colon + 1, &number) || number > 65535)))
        return error_set(CLTB_E_USAGE, "--listen takes an address and a port, such as 127.0.0.1:8080, not '%.100s'",
                         text);
    const bool brackets = text[0] == '[' && text[length - 1] == ']';
    snprintf(host, 256, "%.*s", (int)length - (brackets ? 2 : 0), text + (brackets ? 1 : 0));
    *port = (uint16_t)number;
    return 0;
}

static int serve(const char *listen, const struct serve_options *options)
{
    char host[256];
    struct serve_options serving = *options;
    TRY(read_address(listen, host, &serving.port));
    serving.host = host;
    return serve_run(&serving);
}
#else
static int serve(const char *listen, const struct serve_options *options)
{
    (void)listen;
    (void)options;
    return error_set(CLTB_E_IO, "this cltb was built without libevent, which serves HTTP");
}
#endif

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *syzygy = NULL;
    const char *listen = "127.0.0.1:8080";
    uint64_t threads = 0;
    uint64_t counted_men = 5;
    struct serve_options serving = {.port = 0};
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
        {.name = "--listen", .kind = OPTION_TEXT, .value = &listen},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 256},
        {.name = "--cache", .kind = OPTION_SIZE, .value = &serving.cache_bytes, .least = 1 << 20},
        {.name = "--count", .kind = OPTION_NUMBER, .value = &counted_men, .least = 0, .most = MATERIAL_MEN_MAX},
        {.name = "--watch", .kind = OPTION_FILE, .value = &serving.watch},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "serve", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("serve", "takes no arguments: folders are given by --dir, positions by HTTP");
    char *folders;
    int code = folders_given(&folders, dir, syzygy);
    serving.folders = folders;
    serving.counted_men = (int)counted_men;
    serving.threads = threads > 0 ? (int)threads : os_processors();
    THEN(code, serve(listen, &serving));
    free(folders);
    return code != 0 ? report("serve", code) : EXIT_DONE;
}

const struct command serve_command = {"serve", run, "answers programs and browsers over HTTP"};
