// progress.c - what `cltb build` shows while it works
#include "cli/progress.h"

#include "show/json.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/os.h"
#include "util/threads.h"
#include "util/units.h"

#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BAR_CELLS = 20, LINE_MAX_COLUMNS = 240 };

// The thread of one table may compile kernels while another one reports; several devices report, too.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const double bar_interval = 0.1; // seconds; a terminal needs no more
static const double event_interval = 0.1;

void progress_clear(struct progress *progress)
{
    if (progress->bar_shown)
        fprintf(stderr, "\r\033[K");
    progress->bar_shown = false;
}

// The share of the work of this run, without that of an earlier run.
static double share_of_run(const struct build_event *event)
{
    const double before = event->slices_total > 0 ? (double)event->slices_resumed / (double)event->slices_total : 0;
    return event->share > before ? event->share - before : 0;
}

// One of two texts, depending on the side whose wins are sought; "" if it is both sides'.
static const char *of_attacker(const struct build_event *event, const char *white, const char *black)
{
    return event->attacker < 0 ? "" : event->attacker == WHITE ? white : black;
}

// Prints a line, unless the run is quiet.
static CLTB_PRINTF(2, 3) void say(struct progress *progress, const char *fmt, ...)
{
    va_list args;
    progress_clear(progress);
    if (progress->quiet)
        return;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fflush(stderr);
}

#ifdef CLTB_HAVE_OPENCL
static void on_compiling(void *context, const struct opencl_device *device)
{
    struct progress *progress = context;
    pthread_mutex_lock(&lock);
    if (!progress->compiling)
        say(progress, "compiling kernels for %s: its first tables take longer, up to a minute\n", device->name);
    progress->compiling = true;
    pthread_mutex_unlock(&lock);
}
#endif

void progress_begin(struct progress *progress, bool quiet, bool verbose)
{
    *progress = (struct progress){
        .quiet = quiet, .verbose = verbose, .bar = !quiet && isatty(STDERR_FILENO) != 0, .start = wall_seconds()};
#ifdef CLTB_HAVE_OPENCL
    opencl_on_compiling(on_compiling, progress);
#endif
}

// Seconds that the tables of a build that began at `start` will still take, for events of a ply or of writing;
// negative: unknown. What the plan predicts for the remaining work, corrected by what it predicted for the work done so
// far, which counts little at the beginning. Without a plan, the seconds of the current part.
static double progress_left(double start, const struct build_event *event)
{
    const bool solving = event->kind == BUILD_PLY;
    if (event->planned_total <= 0) {
        const double spent = solving ? event->seconds : event->seconds - event->solve_seconds;
        const double done = solving ? share_of_run(event) : event->share;
        return done > 0.02 && spent > 0.5 ? spent / done * (1 - event->share) : -1;
    }
    const double writing = event->planned - event->planned_solve;
    const double resumed = (event->share - share_of_run(event)) * event->planned_solve;
    const double here = solving ? event->share * event->planned_solve : event->planned_solve + event->share * writing;
    const double done = event->planned_before + here;
    const double trust = 0.02 * event->planned_total;
    const double slower = (wall_seconds() - start + trust) / (done - (solving ? resumed : 0) + trust);
    return (event->planned_total - done) * slower;
}

bool progress_due(double *due, double seconds)
{
    if (seconds < 10 || seconds < *due)
        return false;
    *due = seconds + (seconds < 600 ? seconds : 600);
    return true;
}

// Draws the bar; without a terminal, prints a line now and then.
static void show_work(struct progress *progress, const struct build_event *event)
{
    const double now = wall_seconds();
    // If several tables are in progress, one of them is shown until it is done.
    if (event->behind || (progress->bar ? progress->bar_shown && now - progress->last_bar < bar_interval
                                        : !progress_due(&progress->line_due, event->seconds)))
        return;
    char cells[BAR_CELLS + 1] = "";
    char what[160] = "writing";
    char rest[40] = "";
    char line[LINE_MAX_COLUMNS + 1];
    const bool solving = event->kind == BUILD_PLY;
    const double share = event->share < 0 ? 0 : event->share > 1 ? 1 : event->share;
    const int filled = (int)(share * BAR_CELLS);
    memset(cells, '.', BAR_CELLS);
    memset(cells, '#', (size_t)filled);
    if (solving) {
        char slices[60] = "";
        if (event->slices_total > 0)
            snprintf(slices, sizeof slices, "slice %" PRIu64 "/%" PRIu64 ", ", event->slices_done, event->slices_total);
        double rate = event->seconds > 0 ? share_of_run(event) * (double)event->positions / event->seconds : 0;
        snprintf(what, sizeof what, "%s%sply %d: +%s wins +%s losses, %s positions/s", slices,
                 of_attacker(event, "white ", "black "), event->ply, unit_count((double)event->won).text,
                 unit_count((double)event->lost).text, unit_count(rate).text);
    }
    const double left = progress_left(progress->start, event);
    if (left >= 0)
        snprintf(rest, sizeof rest, "%s left, ", unit_duration(left).text);
    if (!progress->bar) {
        say(progress, "%s: %s gone, %s%.0f %% (%s)\n", progress->label, unit_duration(event->seconds).text, rest,
            100 * share, what);
        return;
    }
    int columns = os_columns();
    columns = columns <= 0 ? 80 : columns < LINE_MAX_COLUMNS ? columns : LINE_MAX_COLUMNS;
    snprintf(line, (size_t)columns, "%s%s [%s] %3.0f%% %s", rest, progress->label, cells, 100 * share, what);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    progress->bar_shown = true;
    progress->last_bar = now;
}

static void add_solving(struct progress *progress, const struct build_event *event)
{
    progress->solve_seconds += event->solve_seconds;
    progress->cpu_seconds += event->solve_cpu_seconds;
    if (event->peak_memory > progress->peak_memory)
        progress->peak_memory = event->peak_memory;
}

static void print_done(struct progress *progress, const struct build_event *event)
{
    progress->made++;
    progress->line_due = 0;
    progress->file_bytes += event->file_bytes;
    progress->write_seconds += event->write_seconds;
    progress->cpu_seconds += event->write_cpu_seconds;
    add_solving(progress, event);
    if (progress->quiet)
        return;
    progress_clear(progress);
    fprintf(stderr, "%s: solved in %.2f s (cpu %.2f s), written in %.2f s (cpu %.2f s), %s", progress->label,
            event->solve_seconds, event->solve_cpu_seconds, event->write_seconds, event->write_cpu_seconds,
            unit_bytes(event->file_bytes).text);
    if (event->compile_seconds > 0)
        fprintf(stderr, "; compiling kernels took %.2f s", event->compile_seconds);
    if (event->slices_resumed > 0)
        fprintf(stderr, "; %" PRIu64 " of %" PRIu64 " slices were done by an earlier run", event->slices_resumed,
                event->slices_total);
    if (event->streamed && event->disk_written > 0)
        fprintf(stderr, "; %s read and %s written on disk, %s at most there", unit_bytes(event->disk_read).text,
                unit_bytes(event->disk_written).text, unit_bytes(event->scratch_bytes).text);
    if (event->sent > 0)
        fprintf(stderr, "; %s in %" PRIu64 " messages between processes", unit_bytes(event->sent).text,
                event->messages);
    fprintf(stderr, "\n");
    fflush(stderr);
}

// Prints each backend once: tables with and without pawns may differ in the width of words.
static void print_backend(struct progress *progress, const struct build_event *event)
{
    if (event->backend == NULL)
        return;
    for (int i = 0; i < progress->backends; i++)
        if (strncmp(event->backend, progress->backend[i], sizeof progress->backend[i] - 1) == 0)
            return;
    if (progress->backends == PROGRESS_BACKENDS_MAX)
        return;
    char *said = progress->backend[progress->backends++];
    snprintf(said, sizeof progress->backend[0], "%s", event->backend);
    say(progress, "on %s\n", said);
}

static void print_start(struct progress *progress, const struct build_event *event)
{
    if (event->goes_on)
        say(progress, "%s: resumes from %s of an earlier run\n", progress->label,
            event->goes_on_older ? "the last checkpoint but one (the last one is damaged or cannot be read)"
                                 : "the checkpoint");
    if (event->restarted)
        say(progress, "%s: restarted, because the checkpoints of an earlier run are damaged\n", progress->label);
    if (progress->verbose)
        say(progress, "%s: %s entries%s\n", progress->label, unit_count((double)event->positions).text,
            !event->streamed ? ""
            : event->kept    ? ", planes in memory and on disk"
                             : ", planes on disk");
}

// ---- events as JSON: one object a line ----

static const char *const event_names[] = {
    [BUILD_PRESENT] = "present",   [BUILD_WAIT] = "wait",       [BUILD_REPLACE] = "replace",
    [BUILD_START] = "start",       [BUILD_PLY] = "ply",         [BUILD_SOLVED] = "solved",
    [BUILD_WRITE] = "write",       [BUILD_DONE] = "done",       [BUILD_LEFT] = "left",
    [BUILD_FALLBACK] = "fallback", [BUILD_WINDOW] = "window",   [BUILD_REDUCED] = "reduced",
    [BUILD_DAMAGED] = "damaged",   [BUILD_REMOVED] = "removed", [BUILD_UNSHIPPED] = "unshipped"};

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

static void print_event(double start, const struct build_event *event)
{
    const bool works = event->kind == BUILD_PLY || event->kind == BUILD_WRITE;
    const double left = works ? progress_left(start, event) : -1;
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "event", event_names[event->kind]);
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

static void print_events(struct progress *progress, const struct build_event *event)
{
    const bool frequent = event->kind == BUILD_PLY || event->kind == BUILD_WRITE || event->kind == BUILD_WAIT;
    const double now = wall_seconds();
    const bool wanted = !frequent || progress->verbose || now - progress->last_event >= event_interval;
    if (wanted && frequent)
        progress->last_event = now;
    if (wanted && event->kind != BUILD_WINDOW)
        print_event(progress->start, event);
}

void progress_events_end(const struct progress *progress, const char *status, const char *error)
{
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "event", "end");
    json_text(&json, "status", status);
    if (error != NULL)
        json_text(&json, "error", error);
    json_count(&json, "made", progress->made);
    json_count(&json, "present", progress->present);
    json_count(&json, "bytes", progress->file_bytes);
    json_real(&json, "seconds", 3, wall_seconds() - progress->start);
    json_close(&json);
    fflush(stdout);
}

// ---- the build ----

void progress_event(struct progress *progress, const struct build_event *event)
{
    // "12/145 KQvKR", or the name alone if there is only one table to make.
    char number[50] = "";
    pthread_mutex_lock(&lock);
    if (event->tables > 1)
        snprintf(number, sizeof number, "%zu/%zu ", event->table, event->tables);
    snprintf(progress->label, sizeof progress->label, "%s%s", number, event->name);
    if (progress->events)
        print_events(progress, event);
    print_backend(progress, event);
    switch (event->kind) {
    case BUILD_PRESENT:
        progress->present++;
        if (!progress->many || progress->verbose)
            say(progress, "%s: %s%s%s, %s%s\n", event->name, event->gone ? "made before (" : "already present",
                event->gone ? event->reason : "", event->gone ? ")" : "", unit_bytes(event->file_bytes).text,
                progress->other_kind ? " (--force rebuilds it)" : "");
        break;
    case BUILD_START:
        print_start(progress, event);
        break;
    case BUILD_PLY:
        if (progress->verbose && !progress->quiet) {
            progress_clear(progress);
            fprintf(stderr, "%s: %sply %d: %" PRIu64 " wins, %" PRIu64 " losses, %.3f s", event->name,
                    of_attacker(event, "white to win, ", "black to win, "), event->ply, event->won, event->lost,
                    event->seconds);
            if (event->streamed)
                fprintf(stderr, ", %s read and %s written so far", unit_bytes(event->disk_read).text,
                        unit_bytes(event->disk_written).text);
            if (event->sent > 0)
                fprintf(stderr, ", %s sent so far", unit_bytes(event->sent).text);
            fprintf(stderr, "\n");
            fflush(stderr);
        }
        show_work(progress, event);
        break;
    case BUILD_WRITE:
        show_work(progress, event);
        break;
    case BUILD_SOLVED:
        if (!event->solve_only)
            break;
        add_solving(progress, event);
        say(progress, "%s: solved in %.3f s (cpu %.3f s), nothing written, peak memory %s\n", progress->label,
            event->solve_seconds, event->solve_cpu_seconds, unit_bytes(event->peak_memory).text);
        break;
    case BUILD_WAIT:
        if (strcmp(progress->holder, event->reason) != 0)
            say(progress, "%s: waiting, because %s is making it\n", event->name, event->reason);
        snprintf(progress->holder, sizeof progress->holder, "%s", event->reason);
        break;
    case BUILD_REPLACE:
        say(progress, "%s: %s; it is rebuilt\n", event->name, event->reason);
        break;
    case BUILD_DONE:
        print_done(progress, event);
        break;
    case BUILD_REDUCED:
        progress->reduced++;
        progress->saved_bytes += event->saved_bytes;
        progress->file_bytes -= event->tables > 0 ? event->saved_bytes : 0;
        break;
    case BUILD_FALLBACK:
        say(progress, "the device cannot be used, so the processor is: %s\n", event->reason);
        break;
    case BUILD_LEFT:
        say(progress,
            "%s: %s of an earlier run's work are still there, %s/%s.cltb.*: remove them if no table in another "
            "folder is made from them\n",
            event->name, unit_bytes(event->left_bytes).text, event->left_dir, event->name);
        break;
    case BUILD_DAMAGED:
        say(progress, "tables.tsv: %s\n", event->reason);
        break;
    case BUILD_REMOVED:
        say(progress, "removed, as nothing needs them now: %s, %s\n", event->reason,
            unit_bytes(event->left_bytes).text);
        break;
    case BUILD_UNSHIPPED:
        say(progress, "%s: %s; it is kept\n", event->name, event->reason);
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&lock);
}

void progress_end(struct progress *progress)
{
    progress_clear(progress);
    if (progress->quiet)
        return;
    printf("%u table%s made", progress->made, progress->made == 1 ? "" : "s");
    if (progress->present > 0)
        printf(", %u already present", progress->present);
    const double seconds = wall_seconds() - progress->start;
    const bool at_once = progress->solve_seconds + progress->write_seconds > seconds;
    printf(": %s in %.2f s", unit_bytes(progress->file_bytes).text, seconds);
    if (progress->made > 0)
        printf(" (solving %.2f s, writing %.2f s%s, cpu %.2f s), peak memory %s", progress->solve_seconds,
               progress->write_seconds, at_once ? " of several at a time" : "", progress->cpu_seconds,
               unit_bytes(progress->peak_memory).text);
    if (progress->reduced > 0)
        printf("; %u reduced to the distances of one side, %s less", progress->reduced,
               unit_bytes(progress->saved_bytes).text);
    printf("\n");
}

static struct {
    bool shown;   // on the last line of the terminal
    double start; // wall time; 0: not yet
    double due;
} share;

static int show_share(void *pool)
{
    fprintf(stderr, "\r\033[K%.1f %% of the positions", 100 * threads_share(pool));
    fflush(stderr);
    share.shown = true;
    return 0;
}

static int say_share(void *pool)
{
    const double now = wall_seconds();
    if (share.start <= 0)
        share.start = now;
    if (progress_due(&share.due, now - share.start))
        fprintf(stderr, "%s gone, %.1f %% of the positions\n", unit_duration(now - share.start).text,
                100 * threads_share(pool));
    return 0;
}

int (*progress_share(void))(void *pool)
{
    return isatty(STDERR_FILENO) ? show_share : say_share;
}

void progress_share_end(void)
{
    if (share.shown)
        fprintf(stderr, "\r\033[K");
    memset(&share, 0, sizeof share);
}
