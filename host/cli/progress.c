// progress.c - what `cltb build` shows while it works
#include "cli/progress.h"

#include "cli/clock.h"
#include "cli/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_CELLS = 20, LINE_MAX_COLUMNS = 240 };

static const double bar_interval = 0.1; // seconds; a terminal need not be fed faster

void progress_begin(struct progress *progress, bool quiet, bool verbose)
{
    *progress = (struct progress){
        .quiet = quiet, .verbose = verbose, .bar = !quiet && isatty(STDERR_FILENO) == 1, .start = wall_seconds()};
}

void progress_clear(struct progress *progress)
{
    if (progress->bar_shown)
        fprintf(stderr, "\r\033[K");
    progress->bar_shown = false;
}

static int columns(void)
{
    struct winsize size;
    int n = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return n < LINE_MAX_COLUMNS ? n : LINE_MAX_COLUMNS;
}

static void describe(const struct build_event *event, char *text, size_t size)
{
    if (event->kind != BUILD_PLY) {
        snprintf(text, size, "writing");
        return;
    }
    double rate = event->seconds > 0 ? event->share * (double)event->positions / event->seconds : 0;
    snprintf(text, size, "%s ply %d: +%s wins +%s losses, %s positions/s", event->attacker == WHITE ? "white" : "black",
             event->ply, unit_count((double)event->won).text, unit_count((double)event->lost).text,
             unit_count(rate).text);
}

// Of the part in hand: solving or writing. Meaningless while hardly anything is done.
static void describe_rest(const struct build_event *event, char *text, size_t size)
{
    double spent = event->kind == BUILD_PLY ? event->seconds : event->seconds - event->solve_seconds;
    text[0] = '\0';
    if (event->share > 0.02 && spent > 0.5)
        snprintf(text, size, ", %s left", unit_duration(spent / event->share * (1 - event->share)).text);
}

static void draw_bar(struct progress *progress, const struct build_event *event)
{
    double now = wall_seconds();
    if (!progress->bar || (progress->bar_shown && now - progress->last_bar < bar_interval))
        return;
    char cells[BAR_CELLS + 1];
    char what[120];
    char rest[40];
    char line[LINE_MAX_COLUMNS + 1];
    double share = event->share < 0 ? 0 : event->share > 1 ? 1 : event->share;
    int filled = (int)(share * BAR_CELLS);
    memset(cells, '.', BAR_CELLS);
    memset(cells, '#', (size_t)filled);
    cells[BAR_CELLS] = '\0';
    describe(event, what, sizeof what);
    describe_rest(event, rest, sizeof rest);
    snprintf(line, (size_t)columns(), "%s [%s] %3.0f%% %s%s", event->name, cells, 100 * share, what, rest);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    progress->bar_shown = true;
    progress->last_bar = now;
}

static void print_ply(struct progress *progress, const struct build_event *event)
{
    progress_clear(progress);
    printf("%s: %s to win, ply %d: %" PRIu64 " wins, %" PRIu64 " losses, %.3f s\n", event->name,
           event->attacker == WHITE ? "white" : "black", event->ply, event->won, event->lost, event->seconds);
}

static void print_done(struct progress *progress, const struct build_event *event)
{
    progress->made++;
    progress->file_bytes += event->file_bytes;
    progress->solve_seconds += event->solve_seconds;
    progress->write_seconds += event->write_seconds;
    progress->cpu_seconds += event->solve_cpu_seconds + event->write_cpu_seconds;
    if (event->peak_memory > progress->peak_memory)
        progress->peak_memory = event->peak_memory;
    if (progress->quiet)
        return;
    progress_clear(progress);
    printf("%s: solved in %.2f s (cpu %.2f s), written in %.2f s (cpu %.2f s), %s\n", event->name, event->solve_seconds,
           event->solve_cpu_seconds, event->write_seconds, event->write_cpu_seconds,
           unit_bytes(event->file_bytes).text);
    fflush(stdout);
}

// The end of a table that is not to be written.
static void print_solved(struct progress *progress, const struct build_event *event)
{
    if (progress->wanted == NULL || strcmp(progress->wanted, event->name) != 0)
        return; // a sub-endgame, which is written
    progress_clear(progress);
    progress->solve_seconds += event->solve_seconds;
    progress->cpu_seconds += event->solve_cpu_seconds;
    if (event->peak_memory > progress->peak_memory)
        progress->peak_memory = event->peak_memory;
    if (!progress->quiet)
        printf("%s: solved in %.3f s (cpu %.3f s), nothing written, peak memory %s\n", event->name,
               event->solve_seconds, event->solve_cpu_seconds, unit_bytes(event->peak_memory).text);
}

static void print_present(struct progress *progress, const struct build_event *event)
{
    if (progress->wanted == NULL || strcmp(progress->wanted, event->name) != 0)
        return; // a sub-endgame
    progress->present++;
    if (progress->quiet)
        return;
    progress_clear(progress);
    printf("%s: is there already, %s\n", event->name, unit_bytes(event->file_bytes).text);
}

void progress_event(struct progress *progress, const struct build_event *event)
{
    switch (event->kind) {
    case BUILD_PRESENT:
        print_present(progress, event);
        break;
    case BUILD_START:
        progress_clear(progress);
        if (!progress->quiet)
            printf("%s: %s entries on %s\n", event->name, unit_count((double)event->positions).text,
                   event->backend != NULL ? event->backend : "?");
        fflush(stdout);
        break;
    case BUILD_PLY:
        if (progress->verbose && !progress->quiet)
            print_ply(progress, event);
        draw_bar(progress, event);
        break;
    case BUILD_WRITE:
        draw_bar(progress, event);
        break;
    case BUILD_SOLVED:
        if (progress->solve_only)
            print_solved(progress, event);
        break;
    case BUILD_REPLACE:
        progress_clear(progress);
        if (!progress->quiet)
            printf("%s: %s; it is made anew\n", event->name, event->reason);
        break;
    case BUILD_DONE:
        print_done(progress, event);
        break;
    default:
        break;
    }
}

void progress_end(struct progress *progress)
{
    progress_clear(progress);
    if (progress->quiet)
        return;
    printf("%u table%s made", progress->made, progress->made == 1 ? "" : "s");
    if (progress->present > 0)
        printf(", %u there already", progress->present);
    printf(": %s in %.2f s", unit_bytes(progress->file_bytes).text, wall_seconds() - progress->start);
    if (progress->made > 0)
        printf(" (solving %.2f s, writing %.2f s, cpu %.2f s), peak memory %s", progress->solve_seconds,
               progress->write_seconds, progress->cpu_seconds, unit_bytes(progress->peak_memory).text);
    printf("\n");
}
