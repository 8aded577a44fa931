// events.c - the events of a build, as JSON for programs that wrap it: one object a line on standard output
#include "cli/events.h"

#include "cli/progress.h"
#include "show/json.h"
#include "util/clock.h"

#include <pthread.h>

// Several devices have threads of their own, which print one at a time.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const double interval = 0.1; // seconds

static const char *const names[] = {
    [BUILD_PRESENT] = "present",   [BUILD_WAIT] = "wait",     [BUILD_REPLACE] = "replace",
    [BUILD_START] = "start",       [BUILD_PLY] = "ply",       [BUILD_SOLVED] = "solved",
    [BUILD_WRITE] = "write",       [BUILD_DONE] = "done",     [BUILD_LEFT] = "left",
    [BUILD_FALLBACK] = "fallback", [BUILD_WINDOW] = "window", [BUILD_REDUCED] = "reduced"};

void events_begin(struct events *events, bool all)
{
    *events = (struct events){.all = all, .start = wall_seconds()};
}

static void print_ply(struct json *json, const struct build_event *event)
{
    if (event->attacker >= 0)
        json_text(json, "attacker", event->attacker == WHITE ? "white" : "black");
    json_int(json, "ply", event->ply);
    json_count(json, "wins", event->won);
    json_count(json, "losses", event->lost);
    if (event->slices_total > 0) {
        json_count(json, "slices_done", event->slices_done);
        json_count(json, "slices", event->slices_total);
    }
    if (event->sent > 0)
        json_count(json, "sent", event->sent);
    json_real(json, "share", 4, event->share);
    json_real(json, "seconds", 3, event->seconds);
}

static void print_times(struct json *json, const struct build_event *event)
{
    json_real(json, "solve_seconds", 3, event->solve_seconds);
    json_real(json, "solve_cpu_seconds", 3, event->solve_cpu_seconds);
    if (event->kind == BUILD_DONE) {
        json_real(json, "write_seconds", 3, event->write_seconds);
        json_real(json, "write_cpu_seconds", 3, event->write_cpu_seconds);
        json_count(json, "bytes", event->file_bytes);
    }
    if (event->streamed) {
        json_count(json, "disk_read", event->disk_read);
        json_count(json, "disk_written", event->disk_written);
    }
    if (event->sent > 0) {
        json_count(json, "sent", event->sent);
        json_count(json, "messages", event->messages);
    }
    json_count(json, "peak_memory", event->peak_memory);
}

static void print_event(const struct events *events, const struct build_event *event)
{
    const bool works = event->kind == BUILD_PLY || event->kind == BUILD_WRITE;
    const double left = works ? progress_left(events->start, event) : -1;
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "event", names[event->kind]);
    json_text(&json, "table", event->name);
    if (event->tables > 0) {
        json_count(&json, "number", event->table);
        json_count(&json, "tables", event->tables);
    }
    if (event->kind == BUILD_START) {
        json_count(&json, "positions", event->positions);
        if (event->backend != NULL)
            json_text(&json, "backend", event->backend);
        json_bool(&json, "streamed", event->streamed);
        json_bool(&json, "resumed", event->goes_on);
        if (event->planned > 0)
            json_real(&json, "planned_seconds", 3, event->planned);
    } else if (event->kind == BUILD_PLY)
        print_ply(&json, event);
    else if (event->kind == BUILD_WRITE)
        json_real(&json, "share", 4, event->share);
    else if (event->kind == BUILD_SOLVED || event->kind == BUILD_DONE)
        print_times(&json, event);
    else if (event->kind == BUILD_PRESENT || event->kind == BUILD_REDUCED)
        json_count(&json, "bytes", event->file_bytes);
    else if (event->kind == BUILD_LEFT)
        json_count(&json, "bytes", event->left_bytes);
    else if (event->reason != NULL)
        json_text(&json, "reason", event->reason);
    if (left >= 0)
        json_real(&json, "seconds_left", 1, left);
    json_close(&json);
    fflush(stdout);
}

void events_print(struct events *events, const struct build_event *event)
{
    const bool frequent = event->kind == BUILD_PLY || event->kind == BUILD_WRITE || event->kind == BUILD_WAIT;
    const double now = wall_seconds();
    pthread_mutex_lock(&lock);
    events->made += event->kind == BUILD_DONE;
    events->present += event->kind == BUILD_PRESENT;
    events->bytes += event->kind == BUILD_DONE ? event->file_bytes : 0;
    events->bytes -= event->kind == BUILD_REDUCED && event->tables > 0 ? event->saved_bytes : 0;
    const bool wanted = !frequent || events->all || now - events->last >= interval;
    if (wanted && frequent)
        events->last = now;
    if (wanted && event->kind != BUILD_WINDOW)
        print_event(events, event);
    pthread_mutex_unlock(&lock);
}

void events_end(const struct events *events, const char *status, const char *error)
{
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "event", "end");
    json_text(&json, "status", status);
    if (error != NULL)
        json_text(&json, "error", error);
    json_count(&json, "made", events->made);
    json_count(&json, "present", events->present);
    json_count(&json, "bytes", events->bytes);
    json_real(&json, "seconds", 3, wall_seconds() - events->start);
    json_close(&json);
    fflush(stdout);
}
