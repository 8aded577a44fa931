// paths.c - the answers of `cltb serve` by path
//
// No part of a request is ever used as a file's name: /stats and /dobutsu look for tables by materials that were read,
// and /build reads the one file that the command line names.
#include "serve/paths.h"

#include "index/material.h"
#include "kind/kind.h"
#include "make/inventory.h"
#include "serve/lila.h"
#include "serve/listing.h"
#include "serve/page.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/file.h"
#include "util/folders.h"
#include "util/os.h"

#include <errno.h>
#include <event2/http.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { BATCH_MAX = 100, EVENTS_MAX = 1 << 20 };

static const char plain[] = "text/plain; charset=utf-8";

void path_tell(void *context, const char *sentence)
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

// Sentences of other folders name files of this host: `sentence` says for strangers that something is missing.
static int missing(int code, const char *sentence)
{
    return code == CLTB_E_MISSING ? error_set(code, "%s", sentence) : code;
}

static struct lila lila_of(const struct seat *seat)
{
    return (struct lila){
        .tables = seat->server->tables, .fault = path_tell, .context = seat->server, .castling_men = 4};
}

static int need_fen(const struct query *query)
{
    return query->fen != NULL ? 0 : error_set(CLTB_E_USAGE, "?fen=... is missing");
}

static int standard(struct seat *seat, const struct query *query, struct answer *answer)
{
    struct lila lila = lila_of(seat);
    struct json json = {.file = answer->file};
    TRY(need_fen(query));
    TRY(lila_read(&seat->position, query->fen));
    TRY(lila_position(&lila, &seat->position, &json));
    answer->passing = lila.unsure;
    return 0;
}

static int mainline(struct seat *seat, const struct query *query, struct answer *answer)
{
    struct lila lila = lila_of(seat);
    struct json json = {.file = answer->file};
    TRY(need_fen(query));
    TRY(lila_read(&seat->position, query->fen));
    const int code = lila_mainline(&lila, &seat->position, &json);
    answer->passing = lila.unsure;
    // With too many men, or with more than a few and castling rights, no table can have it.
    return code == CLTB_E_POSITION ? error_prefix(CLTB_E_MISSING, "not in tables")
                                   : missing(code, "a table of this position or of its moves is missing");
}

// Lists the answers to all `fen` of the query; those that cannot be answered have an error instead.
static int batch(struct seat *seat, const struct query *query, struct answer *answer)
{
    struct lila lila = lila_of(seat);
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
        code = lila_read(&seat->position, pair->value);
        if (code == 0) {
            code = lila_position(&lila, &seat->position, &json);
            continue;
        }
        json_open(&json, NULL, '{');
        json_text(&json, "fen", pair->value);
        json_text(&json, "error", error_text());
        json_close(&json);
        code = 0;
    }
    json_close(&json);
    answer->passing = lila.unsure;
    return code;
}

// The same as `cltb probe --game dobutsu --format json`.
static int dobutsu(struct seat *seat, const struct query *query, struct answer *answer)
{
    struct prober *prober = &seat->dobutsu;
    struct json json = {.file = answer->file};
    TRY(need_fen(query));
    if (prober->work_out == NULL) {
        const struct probe_request wanted = {.folders = seat->server->options->folders, .format = "json"};
        struct prober opened;
        TRY(missing(kind_of_name("dobutsu")->probe(&opened, &wanted), "there is no table of dobutsu shogi"));
        *prober = opened;
    }
    TRY(prober->work_out(prober, query->fen));
    json_open(&json, NULL, '{');
    json_text(&json, prober->key, query->fen);
    const int code = prober->print_json(prober, &json);
    json_close(&json);
    return code;
}

// Lists the files of tables and numbers the set of them.
static int take_inventory(const struct server *server, struct inventory **inventory, uint64_t *files)
{
    *files = 0;
    TRY(inventory_make(inventory, server->options->folders));
    for (size_t i = 0; i < (*inventory)->tables; i++) {
        const struct inventory_table *table = &(*inventory)->table[i];
        *files = XXH64(table->path, strlen(table->path), *files ^ table->bytes);
    }
    return 0;
}

// The list is kept while the files are the same, since statistics with long lists of zugzwangs take long to read.
static int endgames(struct seat *seat, const struct query *query, struct answer *answer)
{
    struct server *server = seat->server;
    struct inventory *inventory;
    char first[PATH_MAX];
    uint64_t files;
    (void)query;
    answer->passing = true;
    if (server->options->watch != NULL &&
        access(folders_first(first, sizeof first, server->options->folders), F_OK) != 0)
        return fputs("[]\n", answer->file) < 0 ? CLTB_E_MEMORY : 0; // the build has not begun
    TRY(take_inventory(server, &inventory, &files));
    pthread_mutex_lock(&server->listing);
    if (server->list == NULL || server->listed != files) {
        const bool complete = listing_write(answer->file, server->tables, inventory, path_tell, server);
        free(server->list);
        server->list = complete && fflush(answer->file) == 0 && !ferror(answer->file) ? strdup(answer->text) : NULL;
        server->listed = files;
    } else {
        fputs(server->list, answer->file);
    }
    pthread_mutex_unlock(&server->listing);
    inventory_free(inventory);
    return 0;
}

static int about(struct seat *seat, const struct query *query, struct answer *answer)
{
    (void)query;
    answer->passing = true;
    listing_about(answer->file, seat->server->options->watch != NULL);
    return 0;
}

static int monitor(struct seat *seat, const struct query *query, struct answer *answer)
{
    const struct server *server = seat->server;
    (void)query;
    answer->type = plain;
    answer->passing = true;
    fprintf(answer->file,
            "tablebase requests=%" PRIuFAST64 "u,refused=%" PRIuFAST64 "u,failed=%" PRIuFAST64 "u,seconds=%.0f\n",
            atomic_load(&server->requests), atomic_load(&server->refused), atomic_load(&server->failed),
            wall_seconds() - server->start);
    return 0;
}

// Links lead from every position to others, so a robot would never come to an end.
static int robots(struct seat *seat, const struct query *query, struct answer *answer)
{
    (void)seat;
    (void)query;
    answer->type = plain;
    fprintf(answer->file, "User-agent: *\nDisallow: /\n");
    return 0;
}

// The embedded file at a path, or NULL.
static const struct page_file *page_find(const char *path)
{
    const char *name = strcmp(path, "/") == 0 ? "index.html" : path + 1;
    for (const struct page_file *file = page_files; path[0] == '/' && file->name != NULL; file++) {
        if (strcmp(file->name, name) == 0)
            return file;
    }
    return NULL;
}

static int page(struct seat *seat, const struct query *query, struct answer *answer)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".svg", "image/svg+xml"}};
    const struct page_file *file = page_find(query->path);
    (void)seat;
    answer->page = true;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(strrchr(file->name, '.'), types[i][0]) == 0)
            answer->type = types[i][1];
    }
    fputs(file->text, answer->file);
    return 0;
}

// ---- what takes long ----

static int job(struct seat *seat, const char *name, struct answer *answer)
{
    const char *text;
    size_t size;
    double share;
    TRY(missing(jobs_text(seat->server->jobs, name, &text, &size, &share), "there is no such table"));
    if (text != NULL) {
        fwrite(text, 1, size, answer->file);
        return 0;
    }
    struct json json = {.file = answer->file};
    answer->unfinished = true;
    json_open(&json, NULL, '{');
    json_text(&json, "state", "counting");
    json_real(&json, "share", 3, share);
    json_close(&json);
    return 0;
}

// Answers /stats/KQvKR.json.
static int stats(struct seat *seat, const struct query *query, struct answer *answer)
{
    const char *start = query->path + strlen("/stats/");
    const char *dot = strrchr(start, '.');
    char asked[MATERIAL_NAME_MAX];
    char name[MATERIAL_NAME_MAX];
    struct material material;
    const size_t length = dot == NULL || strcmp(dot, ".json") != 0 ? sizeof asked : (size_t)(dot - start);
    if (length >= sizeof asked)
        return error_set(CLTB_E_MISSING, "there is no such page");
    memcpy(asked, start, length);
    asked[length] = '\0';
    if (material_parse(&material, asked, NULL) != 0)
        return error_set(CLTB_E_MISSING, "'%s' is not a material such as KQvKR", asked);
    material_name(&material, name);
    if (strcmp(name, asked) != 0) {
        snprintf(answer->moved, sizeof answer->moved, "/stats/%s.json", name);
        return 0;
    }
    const int there = cltb_has_table(seat->server->tables, name);
    if (there <= 0)
        return there < 0 ? there : error_set(CLTB_E_MISSING, "there is no table of %s", name);
    const struct stats_request kept = {.name = name,
                                       .folders = seat->server->options->folders,
                                       .format = "json",
                                       .zugzwangs = true,
                                       .kept = true,
                                       .file = answer->file,
                                       .most = JOBS_ZUGZWANGS_MAX};
    const int code = kind_of_name(name)->stats(&kept);
    const bool count = code == CLTB_E_MISSING && material_men(&material) <= seat->server->options->counted_men;
    return count ? job(seat, name, answer)
                 : missing(code, "counting takes too long here, and the file keeps no statistics");
}

static int manifest(struct seat *seat, const struct query *query, struct answer *answer)
{
    struct inventory *inventory;
    uint64_t files;
    char name[MATERIAL_NAME_MAX];
    (void)query;
    TRY(take_inventory(seat->server, &inventory, &files));
    inventory_free(inventory);
    snprintf(name, sizeof name, "#%016" PRIx64, files);
    answer->type = plain;
    answer->page = true;
    return job(seat, name, answer);
}

// ---- a build ----

// Sends the complete lines of the watched file from byte `from` on, or from its start if it has become shorter.
static int build(struct seat *seat, const struct query *query, struct answer *answer)
{
    const char *path = seat->server->options->watch;
    const char *from = evhttp_find_header(&query->all, "from");
    answer->type = plain;
    answer->passing = true;
    answer->has_from = true;
    if (path == NULL)
        return error_set(CLTB_E_MISSING, "no build is watched (cltb serve --watch FILE)");
    if (from != NULL && (from[0] == '\0' || strlen(from) > 18 || strspn(from, "0123456789") != strlen(from)))
        return error_set(CLTB_E_USAGE, "?from=... is a number of bytes");
    const int file = os_open(path, O_RDONLY | O_NONBLOCK); // do not wait for the writer of a pipe
    if (file < 0)
        return errno == ENOENT ? 0 : error_errno(CLTB_E_IO, errno, "cannot open %s", path);
    struct stat status;
    uint64_t begin = from == NULL ? 0 : strtoull(from, NULL, 10);
    char *text = malloc(EVENTS_MAX);
    size_t got = 0;
    int code = 0;
    if (text == NULL)
        code = error_memory(EVENTS_MAX, "events");
    else if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        code = error_set(CLTB_E_IO, "%s is not a file", path);
    if (code == 0) {
        begin = begin > (uint64_t)status.st_size ? 0 : begin;
        code = file_read(file, path, text, EVENTS_MAX, begin, &got);
    }
    while (code == 0 && got > 0 && text[got - 1] != '\n')
        got--;
    if (code == 0)
        fwrite(text, 1, got, answer->file);
    answer->from = begin;
    free(text);
    close(file);
    return code;
}

// ---- all paths ----

typedef int path_function(struct seat *seat, const struct query *query, struct answer *answer);

static path_function *find(const char *path)
{
    static const struct {
        const char *path;
        path_function *answer;
    } paths[] = {
        {"/standard", standard}, {"/standard/mainline", mainline}, {"/standard/batch", batch}, {"/dobutsu", dobutsu},
        {"/endgames", endgames}, {"/manifest", manifest},          {"/build", build},          {"/monitor", monitor},
        {"/about", about},       {"/robots.txt", robots}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (strcmp(path, paths[i].path) == 0)
            return paths[i].answer;
    }
    if (strncmp(path, "/stats/", strlen("/stats/")) == 0)
        return stats;
    return page_find(path) != NULL ? page : NULL;
}

int path_answer(struct seat *seat, const struct query *query, struct answer *answer)
{
    path_function *function = find(query->path);
    return function != NULL ? function(seat, query, answer) : error_set(CLTB_E_MISSING, "there is no such page");
}
