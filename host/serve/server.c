// server.c - tables over HTTP, by libevent
//
//     1. Every thread has an event loop and a socket of its own on the same port (SO_REUSEPORT): the system divides the
//        connections among them, and a request is worked out where it came in. Tables are shared and take no lock.
//     2. A request is a path and a query. Nothing of it is ever a file's name.
//     3. On SIGINT or SIGTERM the first thread closes a pipe that all threads read. They take no new connections, and
//        have a second to finish their answers.
#include "serve/server.h"

#include "kind/kind.h"
#include "make/inventory.h"
#include "serve/lila.h"
#include "serve/page.h"
#include "util/clock.h"

#include <cltb/cltb.h>

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <inttypes.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    HEADERS_MAX = 16 << 10,
    BODY_MAX = 1 << 10,
    IDLE_S = 15,
    BATCH_MAX = 100,
    BACKLOG = 1024,
    THREADS_MAX = 256,
    FAULTS_MAX = 256 // sentences that are told once
};

struct server {
    const struct serve_options *options;
    cltb_tables *tables;
    int stop[2]; // a pipe
    double start;
    atomic_uint_fast64_t requests;
    atomic_uint_fast64_t refused; // 4xx
    atomic_uint_fast64_t failed;  // 5xx
    pthread_mutex_t lock;         // of what follows
    uint64_t told[FAULTS_MAX];    // hashes of sentences
    int tolds;
};

struct loop {
    struct server *server;
    struct event_base *base;
    struct evhttp *http;
    struct evhttp_bound_socket *bound;
    struct event *stop;
    struct prober dobutsu; // work_out NULL: not open yet
    struct position position;
    pthread_t thread;
    bool running;
};

// ---- faults ----

static void tell_fault(void *context, const char *sentence)
{
    struct server *server = context;
    const uint64_t hash = XXH64(sentence, strlen(sentence), 0);
    pthread_mutex_lock(&server->lock);
    bool known = server->tolds == FAULTS_MAX;
    for (int i = 0; i < server->tolds; i++)
        known |= server->told[i] == hash;
    if (!known)
        server->told[server->tolds++] = hash;
    pthread_mutex_unlock(&server->lock);
    if (!known)
        fprintf(stderr, "cltb serve: %s\n", sentence);
}

// ---- answers ----

static const char plain[] = "text/plain; charset=utf-8";

// Nothing from elsewhere. The board sets the size of its letters by an attribute `style`.
#define PAGE_POLICY "default-src 'self'; img-src 'self' data:; style-src-attr 'unsafe-inline'; frame-ancestors 'none'"

// What a path gives: a text in memory, or an error's code.
struct answer {
    FILE *file;
    char *text;
    size_t size;
    const char *type; // NULL: JSON
    bool passing;     // must not be kept by caches
    bool page;        // a new program may have a new one: caches ask each time
};

static void header(struct evhttp_request *request, const char *name, const char *value)
{
    evhttp_add_header(evhttp_request_get_output_headers(request), name, value);
}

static void free_text(const void *data, size_t size, void *text)
{
    (void)data;
    (void)size;
    free(text);
}

static void reply_text(struct server *server, struct evhttp_request *request, int status, const char *text)
{
    struct evbuffer *body = evhttp_request_get_output_buffer(request);
    atomic_fetch_add(status < 500 ? &server->refused : &server->failed, 1);
    header(request, "Content-Type", "text/plain; charset=utf-8");
    evbuffer_add_printf(body, "%s\n", text);
    evhttp_send_reply(request, status, NULL, NULL);
}

static void reply_error(struct server *server, struct evhttp_request *request, int code)
{
    const bool wrong = code == CLTB_E_POSITION || code == CLTB_E_USAGE;
    if (!wrong && code != CLTB_E_MISSING)
        tell_fault(server, error_text());
    reply_text(server, request, wrong ? 400 : code == CLTB_E_MISSING ? 404 : 500, error_text());
}

// Sends the text, which it takes, unless the client has it already.
static void reply(struct evhttp_request *request, struct answer *answer)
{
    struct evbuffer *body = evhttp_request_get_output_buffer(request);
    const char *had = evhttp_find_header(evhttp_request_get_input_headers(request), "If-None-Match");
    char tag[24];
    snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"", (uint64_t)XXH64(answer->text, answer->size, 0));
    header(request, "Content-Type", answer->type != NULL ? answer->type : "application/json");
    header(request, "Access-Control-Allow-Origin", "*");
    header(request, "Cache-Control",
           answer->passing ? "no-store"
           : answer->page  ? "no-cache"
                           : "public, max-age=86400");
    if (!answer->passing)
        header(request, "ETag", tag);
    if (answer->page)
        header(request, "Content-Security-Policy", PAGE_POLICY);
    if (had != NULL && strstr(had, tag) != NULL && !answer->passing) {
        evhttp_send_reply(request, HTTP_NOTMODIFIED, NULL, NULL);
        return;
    }
    if (evbuffer_add_reference(body, answer->text, answer->size, free_text, answer->text) == 0)
        answer->text = NULL;
    evhttp_send_reply(request, HTTP_OK, NULL, NULL);
}

// ---- paths ----

struct query {
    struct evkeyvalq all;
    const char *path;
    const char *fen;
};

static struct lila lila_of(const struct loop *loop)
{
    return (struct lila){loop->server->tables, tell_fault, loop->server};
}

static int need_fen(const struct query *query)
{
    return query->fen != NULL ? 0 : error_set(CLTB_E_USAGE, "?fen=... is missing");
}

static int standard(struct loop *loop, const struct query *query, struct answer *answer)
{
    const struct lila lila = lila_of(loop);
    struct json json = {.file = answer->file};
    TRY(need_fen(query));
    TRY(lila_read(&loop->position, query->fen));
    return lila_position(&lila, &loop->position, &json);
}

static int mainline(struct loop *loop, const struct query *query, struct answer *answer)
{
    const struct lila lila = lila_of(loop);
    struct json json = {.file = answer->file};
    TRY(need_fen(query));
    TRY(lila_read(&loop->position, query->fen));
    const int code = lila_mainline(&lila, &loop->position, &json);
    // Castling rights and too many men: no table can have it.
    return code == CLTB_E_POSITION ? error_prefix(CLTB_E_MISSING, "not in tables") : code;
}

// A list of the answers to all `fen` of the query, with an error in place of one that is none.
static int batch(struct loop *loop, const struct query *query, struct answer *answer)
{
    const struct lila lila = lila_of(loop);
    struct json json = {.file = answer->file};
    const struct evkeyval *pair;
    int count = 0;
    TRY(need_fen(query));
    TAILQ_FOREACH(pair, &query->all, next)
    count += strcmp(pair->key, "fen") == 0;
    if (count > BATCH_MAX)
        return error_set(CLTB_E_USAGE, "more than %d positions", BATCH_MAX);
    json_open(&json, NULL, '[');
    int code = 0;
    TAILQ_FOREACH(pair, &query->all, next)
    {
        if (strcmp(pair->key, "fen") != 0 || code != 0)
            continue;
        code = lila_read(&loop->position, pair->value);
        if (code == 0) {
            code = lila_position(&lila, &loop->position, &json);
            continue;
        }
        json_open(&json, NULL, '{');
        json_text(&json, "fen", pair->value);
        json_text(&json, "error", error_text());
        json_close(&json);
        code = 0;
    }
    json_close(&json);
    return code;
}

// As `cltb probe --game dobutsu --format json`.
static int dobutsu(struct loop *loop, const struct query *query, struct answer *answer)
{
    struct prober *prober = &loop->dobutsu;
    struct json json = {.file = answer->file};
    TRY(need_fen(query));
    if (prober->work_out == NULL) {
        const struct probe_request wanted = {.folders = loop->server->options->folders, .format = "json"};
        struct prober opened;
        TRY(kind_of_name("dobutsu")->probe(&opened, &wanted));
        *prober = opened;
    }
    TRY(prober->work_out(prober, query->fen));
    json_open(&json, NULL, '{');
    json_text(&json, prober->key, query->fen);
    const int code = prober->print_json(prober, &json);
    json_close(&json);
    return code;
}

static int endgames(struct loop *loop, const struct query *query, struct answer *answer)
{
    struct json json = {.file = answer->file};
    struct inventory *inventory;
    (void)query;
    answer->passing = true;
    TRY(inventory_make(&inventory, loop->server->options->folders));
    json_open(&json, NULL, '[');
    for (size_t i = 0; i < inventory->tables; i++) {
        const struct inventory_table *table = &inventory->table[i];
        char name[MATERIAL_NAME_MAX];
        if (table->hidden || table->fault != NULL || table->men == 0)
            continue;
        json_open(&json, NULL, '{');
        json_text(&json, "material", material_name(&table->material, name));
        json_int(&json, "men", table->men);
        json_count(&json, "bytes", table->bytes);
        json_text(&json, "metric", table->metric);
        json_close(&json);
    }
    json_close(&json);
    inventory_free(inventory);
    return 0;
}

static int monitor(struct loop *loop, const struct query *query, struct answer *answer)
{
    struct server *server = loop->server;
    (void)query;
    answer->type = plain;
    answer->passing = true;
    fprintf(answer->file,
            "tablebase requests=%" PRIuFAST64 "u,refused=%" PRIuFAST64 "u,failed=%" PRIuFAST64 "u,seconds=%.0f\n",
            atomic_load(&server->requests), atomic_load(&server->refused), atomic_load(&server->failed),
            wall_seconds() - server->start);
    return 0;
}

// Links lead from every position to others: no end for a robot.
static int robots(struct loop *loop, const struct query *query, struct answer *answer)
{
    (void)loop;
    (void)query;
    answer->type = plain;
    fprintf(answer->file, "User-agent: *\nDisallow: /\n");
    return 0;
}

// The embedded file at a path; NULL: there is none.
static const struct page_file *page_find(const char *path)
{
    const char *name = strcmp(path, "/") == 0 ? "index.html" : path + 1;
    for (const struct page_file *file = page_files; path[0] == '/' && file->name != NULL; file++) {
        if (strcmp(file->name, name) == 0)
            return file;
    }
    return NULL;
}

static int page(struct loop *loop, const struct query *query, struct answer *answer)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".svg", "image/svg+xml"}};
    const struct page_file *file = page_find(query->path);
    (void)loop;
    answer->page = true;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(strrchr(file->name, '.'), types[i][0]) == 0)
            answer->type = types[i][1];
    }
    fputs(file->text, answer->file);
    return 0;
}

static const struct route {
    const char *path;
    int (*answer)(struct loop *loop, const struct query *query, struct answer *answer);
} routes[] = {{"/standard", standard}, {"/standard/mainline", mainline}, {"/standard/batch", batch},
              {"/dobutsu", dobutsu},   {"/endgames", endgames},          {"/monitor", monitor},
              {"/robots.txt", robots}};
static const struct route page_route = {NULL, page};

static void answer_route(struct loop *loop, struct evhttp_request *request, const struct route *route,
                         const struct evhttp_uri *uri)
{
    struct answer answer = {.text = NULL};
    struct query query = {.path = evhttp_uri_get_path(uri)};
    const char *text = evhttp_uri_get_query(uri);
    int code = 0;
    if (evhttp_parse_query_str(text == NULL ? "" : text, &query.all) != 0) {
        reply_text(loop->server, request, 400, "the query is not well-formed");
        return;
    }
    query.fen = evhttp_find_header(&query.all, "fen");
    answer.file = open_memstream(&answer.text, &answer.size);
    if (answer.file == NULL)
        code = error_memory(0, "an answer");
    if (code == 0)
        code = route->answer(loop, &query, &answer);
    if (answer.file != NULL && fclose(answer.file) != 0 && code == 0)
        code = error_memory(answer.size, "an answer");
    if (code == 0)
        reply(request, &answer);
    else
        reply_error(loop->server, request, code);
    free(answer.text);
    evhttp_clear_headers(&query.all);
}

static void on_request(struct evhttp_request *request, void *context)
{
    struct loop *loop = context;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    const char *path = uri == NULL ? NULL : evhttp_uri_get_path(uri);
    atomic_fetch_add(&loop->server->requests, 1);
    if (evhttp_request_get_command(request) == EVHTTP_REQ_OPTIONS) {
        header(request, "Allow", "GET, HEAD, OPTIONS");
        header(request, "Access-Control-Allow-Origin", "*");
        header(request, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
        evhttp_send_reply(request, HTTP_NOCONTENT, NULL, NULL);
        return;
    }
    for (size_t i = 0; path != NULL && i < sizeof routes / sizeof routes[0]; i++) {
        if (strcmp(path, routes[i].path) == 0) {
            answer_route(loop, request, &routes[i], uri);
            return;
        }
    }
    if (path != NULL && page_find(path) != NULL) {
        answer_route(loop, request, &page_route, uri);
        return;
    }
    reply_text(loop->server, request, 404, "there is no such page");
}

// ---- threads ----

static void on_stop(evutil_socket_t socket, short what, void *context)
{
    struct loop *loop = context;
    const struct timeval second = {.tv_sec = 1};
    (void)socket;
    (void)what;
    event_del(loop->stop);
    evhttp_del_accept_socket(loop->http, loop->bound);
    event_base_loopexit(loop->base, &second);
}

static void on_signal(evutil_socket_t signal, short what, void *context)
{
    struct server *server = context;
    (void)signal;
    (void)what;
    close(server->stop[1]);
    server->stop[1] = -1;
}

// `shared`: with the other threads; else nobody may have the port, another `cltb serve` neither.
static int bind_socket(const struct addrinfo *address, bool shared, int *result)
{
    const int one = 1;
    const int s = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *result = s;
    if (s < 0 || setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        (shared && setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) != 0) ||
        bind(s, address->ai_addr, address->ai_addrlen) != 0 || listen(s, BACKLOG) != 0 ||
        evutil_make_socket_nonblocking(s) != 0) {
        const int cause = errno;
        if (s >= 0)
            close(s);
        return error_set(CLTB_E_IO, "cannot listen: %s", strerror(cause));
    }
    return 0;
}

static int open_loop(struct loop *loop, struct server *server, int socket)
{
    loop->server = server;
    loop->base = event_base_new();
    loop->http = loop->base == NULL ? NULL : evhttp_new(loop->base);
    loop->bound = loop->http == NULL ? NULL : evhttp_accept_socket_with_handle(loop->http, socket);
    loop->stop =
        loop->bound == NULL ? NULL : event_new(loop->base, server->stop[0], EV_READ | EV_PERSIST, on_stop, loop);
    if (loop->bound == NULL)
        close(socket);
    if (loop->stop == NULL || event_add(loop->stop, NULL) != 0)
        return error_memory(0, "an event loop");
    evhttp_set_max_headers_size(loop->http, HEADERS_MAX);
    evhttp_set_max_body_size(loop->http, BODY_MAX);
    evhttp_set_timeout(loop->http, IDLE_S);
    evhttp_set_allowed_methods(loop->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_OPTIONS);
    evhttp_set_gencb(loop->http, on_request, loop);
    return 0;
}

static void close_loop(struct loop *loop)
{
    if (loop->stop != NULL)
        event_free(loop->stop);
    if (loop->http != NULL)
        evhttp_free(loop->http);
    if (loop->base != NULL)
        event_base_free(loop->base);
    if (loop->dobutsu.work_out != NULL)
        loop->dobutsu.close(&loop->dobutsu);
}

static void *run_loop(void *context)
{
    struct loop *loop = context;
    event_base_dispatch(loop->base);
    return NULL;
}

// The first socket takes the port, the others share it.
static int open_loops(struct server *server, struct loop *loops)
{
    const struct serve_options *options = server->options;
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    struct addrinfo *address;
    char host[NI_MAXHOST];
    char port[NI_MAXSERV];
    snprintf(port, sizeof port, "%u", options->port);
    const int fault = getaddrinfo(options->host, port, &hints, &address);
    if (fault != 0)
        return error_set(CLTB_E_USAGE, "'%s': %s", options->host, gai_strerror(fault));
    int alone;
    int code = bind_socket(address, false, &alone);
    if (code == 0)
        close(alone);
    for (int i = 0; i < options->threads && code == 0; i++) {
        int socket;
        code = bind_socket(address, true, &socket);
        if (code == 0)
            code = open_loop(&loops[i], server, socket);
        if (code == 0 && i == 0 && getsockname(socket, (struct sockaddr *)&bound, &length) == 0)
            memcpy(address->ai_addr, &bound, address->ai_addrlen);
    }
    if (code == 0 && getnameinfo(address->ai_addr, address->ai_addrlen, host, sizeof host, port, sizeof port,
                                 NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        printf(strchr(host, ':') != NULL ? "cltb serve: http://[%s]:%s\n" : "cltb serve: http://%s:%s\n", host, port);
        fflush(stdout);
    }
    freeaddrinfo(address);
    return code == 0 ? 0 : error_prefix(code, "%s:%u", options->host, options->port);
}

static int run_loops(struct server *server, struct loop *loops)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct event *event[2] = {NULL, NULL};
    const int threads = server->options->threads;
    int code = 0;
    for (int i = 0; i < 2; i++) {
        event[i] = evsignal_new(loops[0].base, signals[i], on_signal, server);
        if (event[i] == NULL || event_add(event[i], NULL) != 0)
            code = error_memory(0, "an event");
    }
    for (int i = 1; i < threads && code == 0; i++) {
        loops[i].running = pthread_create(&loops[i].thread, NULL, run_loop, &loops[i]) == 0;
        if (!loops[i].running)
            code = error_set(CLTB_E_MEMORY, "no more threads");
    }
    if (code == 0)
        run_loop(&loops[0]);
    if (server->stop[1] >= 0)
        close(server->stop[1]);
    for (int i = 1; i < threads; i++) {
        if (loops[i].running)
            pthread_join(loops[i].thread, NULL);
    }
    for (int i = 0; i < 2; i++) {
        if (event[i] != NULL)
            event_free(event[i]);
    }
    return code;
}

// As many connections at a time as the system allows.
static void raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

// Without tables every answer would be "unknown".
static int need_tables(const char *folders)
{
    struct inventory *inventory;
    TRY(inventory_make(&inventory, folders));
    const bool some = inventory->tables > 0;
    inventory_free(inventory);
    return some ? 0 : error_set(CLTB_E_MISSING, "no tables in '%s'", folders);
}

int serve_run(const struct serve_options *options)
{
    const cltb_options opening = {.cache_bytes = (size_t)options->cache_bytes};
    struct server server = {.options = options, .stop = {-1, -1}, .start = wall_seconds()};
    if (options->threads < 1 || options->threads > THREADS_MAX)
        return error_set(CLTB_E_USAGE, "1 to %d threads", THREADS_MAX);
    TRY(need_tables(options->folders));
    struct loop *loops = calloc((size_t)options->threads, sizeof *loops);
    if (loops == NULL)
        return error_memory((size_t)options->threads * sizeof *loops, "threads");
    pthread_mutex_init(&server.lock, NULL);
    signal(SIGPIPE, SIG_IGN);
    raise_limit();
    int code = cltb_open(&server.tables, options->folders, &opening);
    if (code == 0 && pipe(server.stop) != 0)
        code = error_set(CLTB_E_IO, "cannot make a pipe: %s", strerror(errno));
    if (code == 0)
        code = open_loops(&server, loops);
    if (code == 0)
        code = run_loops(&server, loops);
    for (int i = 0; i < options->threads; i++)
        close_loop(&loops[i]);
    if (server.stop[0] >= 0)
        close(server.stop[0]);
    cltb_close(server.tables);
    pthread_mutex_destroy(&server.lock);
    free(loops);
    return code;
}
