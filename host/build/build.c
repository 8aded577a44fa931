// build.c - making tables: futurebases first, solve, write
#include "build/build.h"

#include "build/futurebases.h"
#include "build/write_table.h"
#include "solver/solver.h"
#include "store/table_bulk.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"
#ifdef CLTB_HAVE_OPENCL
#include "solver/backend_opencl/devices.h"
#endif

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct build {
    const struct build_options *options;
    struct thread_pool *pool;
    struct build_event event; // of the present table
    char name[MATERIAL_NAME_MAX];
    double start;
    double cpu_start;
};

static double clock_seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int build_path(char *path, size_t size, const char *dir, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    int length = snprintf(path, size, "%s/%s.cltb", dir, material_name(material, name));
    if (length < 0 || (size_t)length >= size)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", dir);
    return 0;
}

int build_locate(char *path, size_t size, const char *folders, const struct material *material)
{
    for (const char *folder = folders; *folder != '\0';) {
        char one[PATH_MAX];
        const size_t length = strcspn(folder, ":");
        if (length < sizeof one) {
            memcpy(one, folder, length);
            one[length] = '\0';
            if (build_path(path, size, one, material) == 0 && access(path, F_OK) == 0)
                return 0;
        }
        folder += length + (folder[length] == ':');
    }
    char first[PATH_MAX];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(folders, ":"), folders);
    return build_path(path, size, first, material);
}

static const char *search_folders(const struct build *build)
{
    return build->options->search != NULL ? build->options->search : build->options->dir;
}

static int emit(struct build *build, enum build_event_kind kind)
{
    build->event.kind = kind;
    build->event.seconds = clock_seconds(CLOCK_MONOTONIC) - build->start;
    build->event.peak_memory = memory_peak();
    if (build->options->event != NULL && build->options->event(build->options->context, &build->event) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while building %s", build->name);
    return 0;
}

static int on_ply(void *context, const struct solver_ply *ply)
{
    struct build *build = context;
    build->event.attacker = ply->attacker;
    build->event.ply = ply->ply;
    build->event.won = ply->won;
    build->event.lost = ply->lost;
    build->event.share = ply->share;
    return emit(build, BUILD_PLY);
}

static int on_write(void *context, double share)
{
    struct build *build = context;
    build->event.share = share;
    return emit(build, BUILD_WRITE);
}

// ---- the device ----

static int parse_device(const char *text, int *number)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 0 || value > INT_MAX)
        return error_set(CLTB_E_USAGE, "device '%.40s' is none of auto, cpu or a number", text);
    *number = (int)value;
    return 0;
}

#ifdef CLTB_HAVE_OPENCL
static int first_gpu(void)
{
    return opencl_first_gpu();
}

static int open_device(struct backend **backend, const struct layout *layout, int number)
{
    return backend_opencl_open(backend, layout, number);
}
#else
static int first_gpu(void)
{
    return -1;
}

static int open_device(struct backend **backend, const struct layout *layout, int number)
{
    (void)layout;
    *backend = NULL;
    return error_set(CLTB_E_DEVICE, "device %d: this build has no OpenCL; --device cpu works", number);
}
#endif

static int open_backend(struct build *build, const struct layout *layout, struct backend **backend)
{
    const char *device = build->options->device == NULL ? "auto" : build->options->device;
    const bool automatic = strcmp(device, "auto") == 0;
    int number = -1;
    if (automatic) {
        number = first_gpu();
    } else if (strcmp(device, "cpu") != 0) {
        int code = parse_device(device, &number);
        if (code != 0)
            return code;
    }
    if (number >= 0) {
        int code = open_device(backend, layout, number);
        if (code == 0 || !automatic)
            return code;
    }
    return backend_cpu_open(backend, layout, build->pool, build->options->isa);
}

// ---- memory ----

static uint64_t physical_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : UINT64_MAX;
}

enum {
    ITERATION_PLANES = 6, // won 2, closed, new losses 2, new wins
    DECIDED_PLANES = 2,   // for a file
    OUTCOME_PLANES = 2,   // of a side whose distances are not kept
    TYPICAL_PLANES = 7    // of a side whose distances are
};

static uint64_t planes_bytes(const struct layout *layout, int planes)
{
    const uint64_t plane = layout_bits(layout) / 8 + layout->tiles;
    return plane > UINT64_MAX / (uint64_t)planes ? UINT64_MAX : plane * (uint64_t)planes;
}

// The side with the stronger men, by the values that beginners learn. With that side to move a distance stream is as a
// rule two to three times smaller than with the other one (docs/performance.md).
static int stronger_side(const struct material *material)
{
    static const int worth[PIECE_TYPES] = {[QUEEN] = 9, [ROOK] = 5, [BISHOP] = 3, [KNIGHT] = 3, [PAWN] = 1};
    int balance = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        balance += worth[type] * (material->count[WHITE][type] - material->count[BLACK][type]);
    return balance >= 0 ? WHITE : BLACK;
}

// Both sides' distances are kept where both are to be stored, or the smaller stream is to be found by trying. With the
// same men on both sides only White to move is stored.
static int plan_memory(const struct build *build, const struct layout *layout, struct solver_options *options)
{
    const int strong = stronger_side(&layout->material);
    const bool both = (build->options->both_sides || build->options->best) && !material_symmetric(&layout->material);
    const int planes = ITERATION_PLANES + TYPICAL_PLANES + (both ? TYPICAL_PLANES : OUTCOME_PLANES) +
                       (build->options->solve_only ? 0 : DECIDED_PLANES);
    const uint64_t limit = build->options->memory > 0 ? build->options->memory : physical_memory();
    const uint64_t bytes = planes_bytes(layout, planes);
    options->last_attacker = strong;
    options->keep_distance[strong] = true;
    options->keep_distance[strong ^ 1] = both;
    if (bytes > limit)
        return error_set(CLTB_E_MEMORY, "%s%s needs about %.1f GiB of memory, %.1f are allowed", build->name,
                         both ? " with the distances of both sides" : "", (double)bytes / (1 << 30),
                         (double)limit / (1 << 30));
    return 0;
}

// ---- one table ----

static int write_solution(struct build *build, const struct solution *solution, const char *path)
{
    const struct write_options options = {build->options->both_sides, build->options->best, on_write, build};
    const double start = clock_seconds(CLOCK_MONOTONIC);
    const double cpu_start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    int code = write_table(solution, path, build->pool, &options, &build->event.file_bytes);
    build->event.write_seconds = clock_seconds(CLOCK_MONOTONIC) - start;
    build->event.write_cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    return code;
}

static int solve_and_write(struct build *build, struct backend *backend, const char *path)
{
    struct stored_tables tables = {search_folders(build), build->pool, build->options->isa};
    const struct futurebase_source source = stored_source(&tables);
    struct solver_options options = {.keep_decided = !build->options->solve_only, .progress = on_ply, .context = build};
    int code = plan_memory(build, &backend->layout, &options);
    if (code != 0)
        return code;
    struct solution solution;
    if ((code = solver_solve(&solution, backend, &source, &options)) != 0)
        return error_prefix(code, "%s", build->name);
    build->event.solve_seconds = clock_seconds(CLOCK_MONOTONIC) - build->start;
    build->event.solve_cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - build->cpu_start;
    code = emit(build, BUILD_SOLVED);
    if (code == 0 && !build->options->solve_only)
        code = write_solution(build, &solution, path);
    solution_free(&solution);
    return code == 0 && !build->options->solve_only ? emit(build, BUILD_DONE) : code;
}

static int make_table(struct build *build, const struct material *material, const char *path)
{
    struct layout layout;
    int code = layout_init(&layout, material, LAYOUT_PAIR);
    if (code != 0)
        return code;
    // Before the work, not after it.
    if (!build->options->solve_only && access(build->options->dir, W_OK | X_OK) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write in %s", build->options->dir);
    struct backend *backend = NULL;
    if ((code = open_backend(build, &layout, &backend)) != 0)
        return code;
    build->event = (struct build_event){
        .name = build->name, .backend = backend->ops->describe(backend), .positions = 2 * layout_bits(&layout)};
    build->start = clock_seconds(CLOCK_MONOTONIC);
    build->cpu_start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    if ((code = emit(build, BUILD_START)) == 0)
        code = solve_and_write(build, backend, path);
    backend->ops->close(backend);
    return code;
}

// Is there a sound table in one of the folders? 0 and *present false when there is none, or a damaged one, which is made anew. A
// table of another endgame under this name is an error: nothing is written over it.
static int look_for(struct build *build, const struct material *material, bool *present, uint64_t *bytes)
{
    char path[PATH_MAX];
    struct table_bulk *bulk;
    int located = build_locate(path, sizeof path, search_folders(build), material);
    if (located != 0)
        return located;
    int code = table_bulk_open(&bulk, path, material);
    *present = code == 0;
    if (code == 0)
        *bytes = table_bulk_info(bulk)->file_bytes;
    table_bulk_close(bulk);
    if (code == CLTB_E_CORRUPT) {
        char reason[1024];
        snprintf(reason, sizeof reason, "%s", error_text());
        build->event = (struct build_event){.name = material_name(material, build->name), .reason = reason};
        return emit(build, BUILD_REPLACE);
    }
    return code == CLTB_E_MISSING ? 0 : code;
}

// Before any work, that of futurebases included.
static int check_memory(const struct build *build, const struct material *material)
{
    struct layout layout;
    struct solver_options options;
    int code = layout_init(&layout, material, LAYOUT_PAIR);
    return code != 0 ? code : plan_memory(build, &layout, &options);
}

static int build_with_bases(struct build *build, const struct material *material, bool named)
{
    char path[PATH_MAX];
    int code = build_path(path, sizeof path, build->options->dir, material);
    if (code != 0)
        return code;
    bool present;
    uint64_t bytes = 0;
    present = false;
    if (!(named && build->options->force) && (code = look_for(build, material, &present, &bytes)) != 0)
        return code;
    if (present && !(named && build->options->solve_only)) {
        material_name(material, build->name);
        build->start = clock_seconds(CLOCK_MONOTONIC);
        build->event = (struct build_event){.name = build->name, .file_bytes = bytes};
        return named ? emit(build, BUILD_PRESENT) : 0;
    }
    material_name(material, build->name);
    if ((code = check_memory(build, material)) != 0)
        return code;
    for (int colour = WHITE; code == 0 && colour <= BLACK; colour++) {
        for (int type = QUEEN; code == 0 && type <= KNIGHT; type++) {
            struct material sub = *material;
            if (sub.count[colour][type] == 0)
                continue;
            sub.count[colour][type]--;
            material_normalise(&sub);
            if (material_men(&sub) >= 3)
                code = build_with_bases(build, &sub, false);
        }
    }
    material_name(material, build->name);
    if (code != 0)
        return code;
    if (!named && build->options->solve_only) {
        struct build_options writing = *build->options;
        writing.solve_only = false;
        struct build other = {.options = &writing, .pool = build->pool};
        material_name(material, other.name);
        return make_table(&other, material, path);
    }
    return make_table(build, material, path);
}

// Only the last folder is made: a mistyped path should not leave a tree behind.
static int make_folder(const char *dir)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return error_errno(CLTB_E_IO, errno, "cannot make the folder %s", dir);
    return 0;
}

int build_table(const struct material *material, const struct build_options *options)
{
    if (material_has_pawns(material)) {
        char name[MATERIAL_NAME_MAX];
        return error_set(CLTB_E_USAGE, "%s: tables with pawns cannot be built yet", material_name(material, name));
    }
    struct build build = {.options = options};
    int code = make_folder(options->dir);
    if (code == 0)
        code = threads_open(&build.pool, options->threads);
    if (code == 0)
        code = build_with_bases(&build, material, true);
    threads_close(build.pool);
    return code;
}
