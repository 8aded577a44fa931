// server.c - tables over HTTP, by libevent
//
//     1. Every thread has an event loop and a socket of its own on the same port (SO_REUSEPORT): the system divides the
//        connections among them, and each request is answered by the thread that received it. Tables are shared and
//        take no lock.
//     2. A request is a path and a query. No part of it is ever used as a file's name.
//     3. A connection has limits: bytes that are read ahead (READ_MAX), seconds of silence (IDLE_S), and seconds from a
//        request's first byte to its last (WHOLE_S). Out of descriptors, a thread accepts no connections for a moment.
//     4. On SIGINT or SIGTERM the first thread closes a pipe that all threads read. They take no new connections, and
//        have a second to finish their answers.
#include "serve/paths.h"

#include "make/inventory.h"
#include "probe/tables.h"
#include "serve/text_stream.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

#include <cltb/cltb.h>

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
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
    READ_MAX = 2 * HEADERS_MAX, // more than a request may have
    IDLE_S = 15,
    WHOLE_S = 15,
    BACKLOG = 1024,
    THREADS_MAX = 256,
    DESCRIPTORS = 1 << 20, // larger ones share a place
    ACCEPTED = 202
};

struct loop {
    struct seat seat;
    struct event_base *base;
    struct evhttp *http;
    struct evhttp_bound_socket *bound;
    struct event *stop;
    struct event *resume; // accepting
    uint32_t *began;      // [DESCRIPTORS] the second in which the request under way began; 0: there is none
    pthread_t thread;
    bool running;
};

static _Thread_local struct loop *own; // this thread's, for callbacks to which libevent gives no context

// ---- answers ----

// Allows nothing from elsewhere, except the attribute `style` with which the board sets the size of its letters.
#define PAGE_POLICY "default-src 'self'; img-src 'self' data:; style-src-attr 'unsafe-inline'; frame-ancestors 'none'"

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

// The answer to HEAD has the length of the body, but not the body: libevent would send it.
static void send_answer(struct evhttp_request *request, int status)
{
    struct evbuffer *body = evhttp_request_get_output_buffer(request);
    const size_t size = evbuffer_get_length(body);
    char length[24];
    if (evhttp_request_get_command(request) == EVHTTP_REQ_HEAD && size > 0) {
        snprintf(length, sizeof length, "%zu", size);
        header(request, "Content-Length", length);
        evbuffer_drain(body, size);
    }
    evhttp_send_reply(request, status, NULL, NULL);
}

static void reply_text(struct server *server, struct evhttp_request *request, int status, const char *text)
{
    struct evbuffer *body = evhttp_request_get_output_buffer(request);
    atomic_fetch_add(status < 500 ? &server->refused : &server->failed, 1);
    header(request, "Content-Type", "text/plain; charset=utf-8");
    header(request, "Cache-Control", "no-store");
    evbuffer_add_printf(body, "%s\n", text);
    send_answer(request, status);
}

static void reply_error(struct server *server, struct evhttp_request *request, int code)
{
    const bool wrong = code == CLTB_E_POSITION || code == CLTB_E_USAGE;
    if (!wrong && code != CLTB_E_MISSING)
        path_tell(server, error_text());
    // Other sentences name files of this host.
    reply_text(server, request,
               wrong                    ? 400
               : code == CLTB_E_MISSING ? 404
                                        : 500,
               wrong || code == CLTB_E_MISSING ? error_text() : "the server cannot read a file or lacks memory");
}

// Sends the text and takes it over, unless the client already has it.
static int reply(struct evhttp_request *request, struct answer *answer)
{
    struct evbuffer *body = evhttp_request_get_output_buffer(request);
    const char *had = evhttp_find_header(evhttp_request_get_input_headers(request), "If-None-Match");
    const bool passing = answer->passing || answer->unfinished;
    char tag[24];
    snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"", (uint64_t)XXH64(answer->text, answer->size, 0));
    const bool has = had != NULL && strstr(had, tag) != NULL && !passing;
    if (!has && evbuffer_add_reference(body, answer->text, answer->size, free_text, answer->text) != 0)
        return error_memory(answer->size, "an answer");
    if (!has)
        answer->text = NULL;
    header(request, "Content-Type", answer->type != NULL && !answer->unfinished ? answer->type : "application/json");
    header(request, "Access-Control-Allow-Origin", "*");
    header(request, "Cache-Control", passing ? "no-store" : answer->page ? "no-cache" : "public, max-age=86400");
    if (!passing)
        header(request, "ETag", tag);
    if (answer->page)
        header(request, "Content-Security-Policy", PAGE_POLICY);
    if (answer->has_from) {
        snprintf(tag, sizeof tag, "%" PRIu64, answer->from);
        header(request, "Cltb-From", tag);
    }
    if (answer->unfinished)
        header(request, "Retry-After", "1");
    send_answer(request, has ? HTTP_NOTMODIFIED : answer->unfinished ? ACCEPTED : HTTP_OK);
    return 0;
}

// ---- connections ----

static uint32_t *beginning(struct bufferevent *connection)
{
    return &own->began[(unsigned)bufferevent_getfd(connection) % DESCRIPTORS];
}

// Silence for so long ends the connection.
static void set_timeout(struct bufferevent *connection, int seconds)
{
    const struct timeval reading = {.tv_sec = seconds, .tv_usec = 1}; // 0 would be no time-out
    const struct timeval writing = {.tv_sec = IDLE_S};
    bufferevent_set_timeouts(connection, &reading, &writing);
}

// Reduces the time-out to what is left for the whole request, so that single bytes do not keep a connection alive.
static void on_input(struct evbuffer *input, const struct evbuffer_cb_info *info, void *connection)
{
    uint32_t *began = beginning(connection);
    const uint32_t now = 1 + (uint32_t)wall_seconds();
    (void)input;
    if (info->n_added > 0 && *began == 0)
        *began = now;
    else if (info->n_added > 0 && now > *began)
        set_timeout(connection, *began + WHOLE_S > now ? (int)(*began + WHOLE_S - now) : 0);
}

// Forgets what an earlier connection with the same descriptor left behind.
static void on_first_input(struct evbuffer *input, const struct evbuffer_cb_info *info, void *connection)
{
    evbuffer_remove_cb(input, on_first_input, connection);
    evbuffer_add_cb(input, on_input, connection);
    *beginning(connection) = 0;
    on_input(input, info, connection);
}

static struct bufferevent *new_connection(struct event_base *base, void *context)
{
    struct bufferevent *connection = bufferevent_socket_new(base, -1, 0);
    (void)context;
    if (connection != NULL) {
        bufferevent_setwatermark(connection, EV_READ, 0, READ_MAX);
        evbuffer_add_cb(bufferevent_get_input(connection), on_first_input, connection);
    }
    return connection;
}

static void accept_later(struct loop *loop)
{
    const struct timeval pause = {.tv_usec = 250000};
    event_add(loop->resume, &pause);
}

static void on_resume(evutil_socket_t socket, short what, void *context)
{
    struct loop *loop = context;
    (void)socket;
    (void)what;
    if (evconnlistener_enable(evhttp_bound_socket_get_listener(loop->bound)) != 0)
        accept_later(loop);
}

// There are no descriptors left, for example: trying again at once would take a whole processor.
static void on_accept_fault(struct evconnlistener *listener, void *http)
{
    char sentence[128];
    (void)http;
    snprintf(sentence, sizeof sentence, "cannot accept a connection: %s", strerror(errno));
    path_tell(own->seat.server, sentence);
    evconnlistener_disable(listener);
    accept_later(own);
}

static void on_log(int severity, const char *text)
{
    if (severity >= EVENT_LOG_WARN && own != NULL)
        path_tell(own->seat.server, text);
}

// ---- requests ----

static void answer_path(struct loop *loop, struct evhttp_request *request, const struct evhttp_uri *uri)
{
    struct server *server = loop->seat.server;
    struct answer answer = {.text = NULL};
    struct query query = {.path = evhttp_uri_get_path(uri)};
    const char *text = evhttp_uri_get_query(uri);
    int code = 0;
    text = text == NULL ? "" : text;
    if (strstr(text, "%00") != NULL || evhttp_parse_query_str(text, &query.all) != 0) { // a NUL would end the value
        reply_text(server, request, 400, "the query is not well-formed");
        return;
    }
    query.fen = evhttp_find_header(&query.all, "fen");
    answer.file = text_stream(&answer.text, &answer.size);
    if (answer.file == NULL)
        code = error_memory(0, "an answer");
    THEN(code, path_answer(&loop->seat, &query, &answer));
    if (answer.file != NULL && fclose(answer.file) != 0 && code == 0)
        code = error_memory(answer.size, "an answer");
    if (code == 0 && answer.moved[0] == '\0') {
        code = reply(request, &answer);
    } else if (code == 0) {
        header(request, "Location", answer.moved);
        evhttp_send_reply(request, HTTP_MOVEPERM, NULL, NULL);
    }
    if (code != 0)
        reply_error(server, request, code);
    free(answer.text);
    evhttp_clear_headers(&query.all);
}

static void on_request(struct evhttp_request *request, void *context)
{
    struct loop *loop = context;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
    const enum evhttp_cmd_type method = evhttp_request_get_command(request);
    struct bufferevent *connection = evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
    *beginning(connection) = 0;
    set_timeout(connection, IDLE_S);
    atomic_fetch_add(&loop->seat.server->requests, 1);
    header(request, "X-Content-Type-Options", "nosniff");
    if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD)
        header(request, "Allow", "GET, HEAD, OPTIONS");
    if (method == EVHTTP_REQ_OPTIONS) {
        header(request, "Access-Control-Allow-Origin", "*");
        header(request, "Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
        evhttp_send_reply(request, HTTP_NOCONTENT, NULL, NULL);
    } else if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
        reply_text(loop->seat.server, request, HTTP_BADMETHOD, "only GET, HEAD and OPTIONS are allowed");
    } else if (uri == NULL || evhttp_uri_get_path(uri) == NULL) {
        reply_text(loop->seat.server, request, 404, "there is no such page");
    } else {
        answer_path(loop, request, uri);
    }
}

// ---- threads ----

static void on_stop(evutil_socket_t socket, short what, void *context)
{
    struct loop *loop = context;
    const struct timeval second = {.tv_sec = 1};
    (void)socket;
    (void)what;
    event_del(loop->stop);
    event_del(loop->resume);
    evhttp_del_accept_socket(loop->http, loop->bound);
    if (event_base_loopexit(loop->base, &second) != 0)
        event_base_loopbreak(loop->base); // memory is short
}

static void on_signal(evutil_socket_t signal, short what, void *context)
{
    struct server *server = context;
    (void)signal;
    (void)what;
    close(server->stop[1]);
    server->stop[1] = -1;
}

// `shared`: share the port with the other threads; otherwise nobody else may have it, not even another `cltb serve`.
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
    loop->seat.server = server;
    loop->base = event_base_new();
    loop->http = loop->base == NULL ? NULL : evhttp_new(loop->base);
    loop->bound = loop->http == NULL ? NULL : evhttp_accept_socket_with_handle(loop->http, socket);
    loop->stop =
        loop->bound == NULL ? NULL : event_new(loop->base, server->stop[0], EV_READ | EV_PERSIST, on_stop, loop);
    loop->resume = loop->bound == NULL ? NULL : event_new(loop->base, -1, 0, on_resume, loop);
    loop->began = calloc(DESCRIPTORS, sizeof *loop->began);
    if (loop->bound == NULL)
        close(socket);
    if (loop->stop == NULL || loop->resume == NULL || loop->began == NULL || event_add(loop->stop, NULL) != 0)
        return error_memory(0, "an event loop");
    evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(loop->bound), on_accept_fault);
    evhttp_set_bevcb(loop->http, new_connection, NULL);
    evhttp_set_max_headers_size(loop->http, HEADERS_MAX);
    evhttp_set_max_body_size(loop->http, BODY_MAX);
    evhttp_set_timeout(loop->http, IDLE_S);
    evhttp_set_allowed_methods(loop->http, UINT16_MAX); // on_request() refuses what it does not know
    evhttp_set_gencb(loop->http, on_request, loop);
    return 0;
}

static void close_loop(struct loop *loop)
{
    if (loop->stop != NULL)
        event_free(loop->stop);
    if (loop->resume != NULL)
        event_free(loop->resume);
    if (loop->http != NULL)
        evhttp_free(loop->http);
    if (loop->base != NULL)
        event_base_free(loop->base);
    if (loop->seat.dobutsu.work_out != NULL)
        loop->seat.dobutsu.close(&loop->seat.dobutsu);
    free(loop->began);
}

static void *run_loop(void *context)
{
    own = context;
    event_base_dispatch(own->base);
    return NULL;
}

// The first socket takes the port, and the others share it.
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
        THEN(code, open_loop(&loops[i], server, socket));
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

// Raises the limit on connections as far as the system allows.
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
    if (options->watch == NULL) // a build that is watched may only begin
        TRY(need_tables(options->folders));
    struct loop *loops;
    TRY(memory_new(&loops, (size_t)options->threads, sizeof *loops, "threads"));
    pthread_mutex_init(&server.lock, NULL);
    pthread_mutex_init(&server.listing, NULL);
    signal(SIGPIPE, SIG_IGN);
    event_set_log_callback(on_log);
    raise_limit();
    int code = cltb_open(&server.tables, options->folders, &opening);
    if (code == 0)
        tables_look_again(server.tables);
    THEN(code, jobs_open(&server.jobs, options->folders));
    if (code == 0 && pipe(server.stop) != 0)
        code = error_set(CLTB_E_IO, "cannot make a pipe: %s", strerror(errno));
    THEN(code, open_loops(&server, loops));
    THEN(code, run_loops(&server, loops));
    for (int i = 0; i < options->threads; i++)
        close_loop(&loops[i]);
    if (server.stop[0] >= 0)
        close(server.stop[0]);
    jobs_close(server.jobs);
    cltb_close(server.tables);
    pthread_mutex_destroy(&server.listing);
    pthread_mutex_destroy(&server.lock);
    free(server.list);
    free(loops);
    return code;
}
