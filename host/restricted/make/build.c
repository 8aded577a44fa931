// build.c - builds the table of a restricted endgame
//
// 1. Every entry of every kept slice: is it a position? If so, what its moves that leave the spec are worth (external codes).
// 2. Slice by slice, the farthest advanced pawns first: pawn moves within the spec are added to the external codes, from slices that are
//    solved; the backend does the rest; the values go to the file, and stay in memory for the slices behind.
#include "restricted/make/build.h"

#include "make/device.h"
#include "make/folder.h"
#include "restricted/probe.h"
#include "restricted/solve/solve.h"
#include "restricted/table.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    JOB_ENTRIES = 2048,    // that a thread takes at a time
    PART_ENTRIES = 1 << 19 // between looks whether to stop: a second or so
};

_Static_assert((int)SPEC_RULES_MAX <= 64, "a bit for each rule");

// One kept slice.
struct slice {
    uint16_t *value[COLOURS];    // [slice_entries]
    uint16_t *external[COLOURS]; // [slice_entries], NULL once the slice is solved
};

struct build {
    const struct build_options *options;
    const struct spec *spec;
    struct device_choice device;
    struct restricted_index index;
    struct restricted_bases *bases;
    struct thread_pool *pool;
    struct restricted_backend *backend;
    struct restricted_writer *writer;
    struct slice *slices;       // [index.slices]
    struct position *scratch;   // [threads]
    atomic_uint_fast64_t rules; // prune rules that have matched
    struct build_event event;
    char path[PATH_MAX];
    char name[SPEC_NAME_MAX];
    char reason[256];
    double start;
    double cpu_start;
};

static int emit(struct build *build, enum build_event_kind kind)
{
    return build_emit(build->options, &build->event, kind, build->start, build->name);
}

// ---- positions ----

// The position of an entry. False: it is none (two men on a square, kings side by side, the side not to move in check).
static bool set_position(const struct build *build, uint32_t slice, uint64_t entry, int side, struct position *position)
{
    uint8_t where[SPEC_MEN_MAX];
    struct man men[SPEC_MEN_MAX];
    const struct spec *spec = build->spec;
    if (!restricted_squares(&build->index, slice, entry, where))
        return false;
    for (int i = 0; i < spec->men; i++)
        men[i] = (struct man){spec->man[i].type, spec->man[i].colour, where[i]};
    return position_set(position, men, spec->men, side) == 0 && position_legal(position);
}

// The value of a position of the spec in a slice that is solved.
static int solved_value(void *context, const struct position *position, uint16_t *value)
{
    const struct build *build = context;
    uint32_t slice;
    uint64_t entry;
    if (!restricted_find(&build->index, position, &slice, &entry))
        return error_set(CLTB_E_MISMATCH, "a pawn's move within the endgame leads out of it");
    *value = build->slices[slice].value[position->side][entry];
    return 0;
}

// ---- moves that leave ----

struct sum {
    bool quiet;    // a quiet move within the slice, or a pawn's within the spec
    uint16_t code; // of the others
};

static int add_leaving(struct build *build, const struct position *position, uint32_t move, struct sum *sum)
{
    enum restricted_kind kind;
    int rule;
    uint16_t code;
    TRY(restricted_classify(build->bases, build->spec, position, move, &kind, &rule));
    if (rule >= 0)
        atomic_fetch_or_explicit(&build->rules, UINT64_C(1) << rule, memory_order_relaxed);
    if (kind == MOVE_QUIET || kind == MOVE_WITHIN) {
        sum->quiet = true;
        return 0;
    }
    if (kind == MOVE_DISCARD)
        return 0;
    TRY(restricted_move_value(build->bases, build->spec, NULL, position, move, kind, &code));
    sum->code = restricted_better(sum->code, code);
    return 0;
}

// A side that cannot move: mate, or stalemate as the rules for it say.
static uint16_t end_code(struct build *build, const struct position *position)
{
    if (position_in_check(position))
        return restricted_code(false, 0);
    const int rule = spec_stalemate_rule(build->spec, position->side);
    if (rule < 0)
        return RESTRICTED_DRAW;
    atomic_fetch_or_explicit(&build->rules, UINT64_C(1) << rule, memory_order_relaxed);
    return restricted_code(build->spec->rule[rule].prune == SPEC_CONCEDE, 0);
}

static int leaving_code(struct build *build, const struct position *position, uint16_t *code)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    struct sum sum = {false, RESTRICTED_OPEN};
    if (count == 0) {
        *code = end_code(build, position);
        return 0;
    }
    for (int i = 0; i < count; i++)
        TRY(add_leaving(build, position, moves[i], &sum));
    // All that is possible has been discarded.
    *code = !sum.quiet && sum.code == RESTRICTED_OPEN ? restricted_code(false, 0) : sum.code;
    return 0;
}

// Some entries of a slice, of both sides to move in turn.
struct job {
    struct build *build;
    uint32_t slice;
    uint64_t first; // entry
};

static int leave_entries(void *context, uint64_t item, int worker)
{
    const struct job *job = context;
    struct build *build = job->build;
    const struct slice *slice = &build->slices[job->slice];
    struct position *position = &build->scratch[worker];
    const int side = (int)(item % COLOURS);
    const uint64_t first = job->first + item / COLOURS * JOB_ENTRIES;
    const uint64_t entries = build->index.slice_entries;
    for (uint64_t entry = first; entry < entries && entry < first + JOB_ENTRIES; entry++) {
        if (!set_position(build, job->slice, entry, side, position)) {
            slice->value[side][entry] = RESTRICTED_ILLEGAL;
            continue;
        }
        TRY(leaving_code(build, position, &slice->external[side][entry]));
    }
    return 0;
}

// ---- pawn moves within the spec ----

static int pawn_code(struct build *build, const struct position *position, uint16_t *code)
{
    const struct restricted_values values = {solved_value, build};
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        int rule;
        uint16_t value;
        if (!move_is_pawn(position, moves[i]))
            continue;
        TRY(restricted_classify(build->bases, build->spec, position, moves[i], &kind, &rule));
        if (kind != MOVE_WITHIN)
            continue;
        TRY(restricted_move_value(build->bases, build->spec, &values, position, moves[i], kind, &value));
        *code = restricted_better(*code, value);
    }
    return 0;
}

static int pawn_entries(void *context, uint64_t item, int worker)
{
    const struct job *job = context;
    struct build *build = job->build;
    const struct slice *slice = &build->slices[job->slice];
    struct position *position = &build->scratch[worker];
    const int side = (int)(item % COLOURS);
    const uint64_t first = job->first + item / COLOURS * JOB_ENTRIES;
    const uint64_t entries = build->index.slice_entries;
    for (uint64_t entry = first; entry < entries && entry < first + JOB_ENTRIES; entry++) {
        if (slice->value[side][entry] == RESTRICTED_ILLEGAL || !set_position(build, job->slice, entry, side, position))
            continue;
        TRY(pawn_code(build, position, &slice->external[side][entry]));
    }
    return 0;
}

// Has a pawn of the slice a square of its set before it, or two? (If men stand there, it is found out later.)
static bool pawns_may_move(const struct build *build, uint32_t slice)
{
    for (int i = 0; i < build->index.pawns; i++) {
        const struct spec_man *man = &build->spec->man[build->index.pawn[i]];
        for (int j = 0; j < build->index.pawns; j++) {
            // a move within the spec may need another like pawn's set
            const struct spec_man *other = &build->spec->man[build->index.pawn[j]];
            const int square = build->index.placement[slice][i];
            const int one = man->colour == WHITE ? square + 8 : square - 8;
            const int two = man->colour == WHITE ? square + 16 : square - 16;
            const uint64_t ahead = square_bit(one) | (two >= 0 && two < SQUARES ? square_bit(two) : 0);
            if (other->colour == man->colour && (other->squares & ahead) != 0)
                return true;
        }
    }
    return false;
}

// ---- slices ----

static void free_external(struct slice *slice)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(slice->external[side]);
        slice->external[side] = NULL;
    }
}

static int take_memory(struct build *build, struct slice *slice)
{
    const size_t bytes = build->index.slice_entries * sizeof(uint16_t);
    for (int side = WHITE; side <= BLACK; side++) {
        slice->value[side] = calloc(1, bytes);
        slice->external[side] = calloc(1, bytes);
        if (slice->value[side] == NULL || slice->external[side] == NULL)
            return error_memory(bytes, "the values of a restricted endgame");
    }
    return 0;
}

// A part of the slice at a time, so that one can stop between.
static int each_entry(struct build *build, uint32_t slice, int (*work)(void *context, uint64_t item, int worker))
{
    const uint64_t entries = build->index.slice_entries;
    for (uint64_t first = 0; first < entries; first += PART_ENTRIES) {
        const uint64_t count = entries - first < PART_ENTRIES ? entries - first : PART_ENTRIES;
        struct job job = {build, slice, first};
        TRY(threads_each(build->pool, COLOURS * ((count + JOB_ENTRIES - 1) / JOB_ENTRIES), work, &job));
        if (first + count < entries)
            TRY(emit(build, BUILD_PLY));
    }
    return 0;
}

static int emit_slices(struct build *build, uint64_t done, double share)
{
    build->event.slices_done = done;
    build->event.share = share;
    return emit(build, BUILD_PLY);
}

// Half of the bar; the other one is solving.
static int look_at_leaving(struct build *build)
{
    uint64_t done = 0;
    for (uint32_t i = 0; i < build->index.slices; i++) {
        if (!build->index.kept[i])
            continue;
        TRY(take_memory(build, &build->slices[i]));
        TRY(each_entry(build, i, leave_entries));
        done++;
        TRY(emit_slices(build, 0, 0.5 * (double)done / (double)build->event.slices_total));
    }
    return 0;
}

static int on_round(void *context)
{
    struct build *build = context;
    return emit(build, BUILD_PLY);
}

static int solve_slice(struct build *build, uint32_t number)
{
    struct slice *slice = &build->slices[number];
    struct restricted_slice work = {.index = &build->index, .slice = number};
    if (pawns_may_move(build, number))
        TRY(each_entry(build, number, pawn_entries));
    for (int side = WHITE; side <= BLACK; side++) {
        work.external[side] = slice->external[side];
        work.value[side] = slice->value[side];
    }
    TRY(build->backend->ops->solve(build->backend, &work, on_round, build));
    if (work.plies > build->event.ply)
        build->event.ply = work.plies;
    free_external(slice);
    if (build->writer != NULL)
        TRY(restricted_writer_add(build->writer, number, slice->value, build->pool));
    return 0;
}

static int solve_slices(struct build *build)
{
    uint64_t done = 0;
    for (uint32_t i = 0; i < build->index.slices; i++) {
        if (!build->index.kept[i])
            continue;
        TRY(solve_slice(build, i));
        done++;
        TRY(emit_slices(build, done, 0.5 + 0.5 * (double)done / (double)build->event.slices_total));
    }
    return 0;
}

// ---- all of it ----

static int open_device(struct build *build)
{
#ifdef CLTB_HAVE_OPENCL
    return restricted_opencl_open(&build->backend, &build->index, build->device.number);
#else
    return device_without_opencl(build->device.number);
#endif
}

static int open_backend(struct build *build)
{
    if (build->device.number >= 0) {
        const int code = open_device(build);
        if (code == 0 || !build->device.automatic)
            return code;
    }
    return restricted_cpu_open(&build->backend, &build->index, build->pool);
}

// Values of both sides to move, and as much for external codes.
enum { ENTRY_BYTES = 4 * sizeof(uint16_t) };

static uint64_t memory_limit(const struct build *build)
{
    return build->options->memory > 0 ? build->options->memory : memory_physical();
}

static int check_memory(const struct build *build)
{
    const uint64_t needed = build->event.slices_total * build->index.slice_entries * ENTRY_BYTES;
    if (needed <= memory_limit(build))
        return 0;
    return error_set(CLTB_E_MEMORY, "%s takes %.0f MiB of memory, and %.0f MiB are allowed", build->name,
                     (double)needed / 0x1p20, (double)memory_limit(build) / 0x1p20);
}

static int open_index(struct build *build)
{
    const int code =
        restricted_index_open_within(&build->index, build->spec, UINT32_MAX, memory_limit(build) / ENTRY_BYTES);
    return code == CLTB_E_MEMORY
               ? error_append(code, ": %.0f MiB of memory are allowed", (double)memory_limit(build) / 0x1p20)
               : code;
}

static int write_file(struct build *build)
{
    struct stat status;
    const double start = wall_seconds();
    const double cpu_start = cpu_seconds();
    struct restricted_writer *writer = build->writer;
    build->writer = NULL;
    TRY(restricted_writer_finish(writer));
    if (stat(build->path, &status) == 0)
        build->event.file_bytes = (uint64_t)status.st_size;
    build->event.write_seconds = wall_seconds() - start;
    build->event.write_cpu_seconds = cpu_seconds() - cpu_start;
    return emit(build, BUILD_DONE);
}

static int open_all(struct build *build)
{
    const struct build_options *options = build->options;
    const char *folders = options->search != NULL ? options->search : options->dir;
    TRY(open_index(build));
    for (uint32_t i = 0; i < build->index.slices; i++)
        build->event.slices_total += build->index.kept[i];
    build->event.positions = 2 * build->event.slices_total * build->index.slice_entries;
    TRY(check_memory(build));
    TRY(restricted_bases_open(&build->bases, build->spec, folders));
    TRY(open_backend(build));
    build->event.backend = build->backend->ops->describe(build->backend);
    build->slices = calloc(build->index.slices, sizeof *build->slices);
    build->scratch = calloc((size_t)threads_count(build->pool), sizeof *build->scratch);
    if (build->slices == NULL || build->scratch == NULL)
        return error_memory(build->index.slices * sizeof *build->slices, "slices");
    return 0;
}

static void close_all(struct build *build)
{
    for (uint32_t i = 0; build->slices != NULL && i < build->index.slices; i++) {
        free_external(&build->slices[i]);
        free(build->slices[i].value[WHITE]);
        free(build->slices[i].value[BLACK]);
    }
    free(build->slices);
    free(build->scratch);
    if (build->writer != NULL)
        restricted_writer_abandon(build->writer);
    if (build->backend != NULL)
        build->backend->ops->close(build->backend);
    if (build->bases != NULL)
        restricted_bases_close(build->bases);
    restricted_index_close(&build->index);
}

static int solve_and_write(struct build *build)
{
    TRY(open_all(build));
    TRY(emit(build, BUILD_START));
    if (!build->options->solve_only) // before the work: a folder that cannot be written to shows at once
        TRY(restricted_writer_open(&build->writer, build->path, &build->index));
    TRY(look_at_leaving(build));
    TRY(solve_slices(build));
    build->event.solve_seconds = wall_seconds() - build->start;
    build->event.solve_cpu_seconds = cpu_seconds() - build->cpu_start;
    TRY(emit(build, BUILD_SOLVED));
    return build->options->solve_only ? 0 : write_file(build);
}

// Is a sound table of this very spec there? One that is damaged is made anew.
static int look(struct build *build, bool *present)
{
    struct restricted_table *table;
    *present = false;
    build->event.reason = NULL;
    if (build->options->solve_only)
        return 0;
    int code = restricted_table_open(&table, build->path, 1 << 20);
    if (code == 0) {
        char ours[SPEC_TEXT_MAX];
        char theirs[SPEC_TEXT_MAX];
        spec_write(build->spec, ours, sizeof ours);
        spec_write(restricted_table_spec(table), theirs, sizeof theirs);
        build->event.file_bytes = restricted_table_info(table)->file_bytes;
        if (strcmp(ours, theirs) != 0)
            code = error_set(CLTB_E_FOREIGN, "%s is the table of another restricted endgame; give another --output",
                             build->path);
        else
            code = restricted_table_check(table, build->pool);
        restricted_table_close(table);
    }
    *present = code == 0 && !build->options->force;
    if (code == CLTB_E_CORRUPT) {
        snprintf(build->reason, sizeof build->reason, "%s", error_text());
        build->event.reason = build->reason;
    }
    return code == CLTB_E_CORRUPT || code == CLTB_E_MISSING ? 0 : code;
}

static int make(struct build *build)
{
    struct folder *folder = NULL;
    bool present = false;
    TRY(device_check(&build->device));
    if (!build->options->solve_only)
        TRY(folder_open(&folder, build->options->dir));
    int code = look(build, &present); // another run may have made it meanwhile
    if (code == 0 && build->event.reason != NULL)
        code = emit(build, BUILD_REPLACE);
    if (code == 0)
        code = present ? emit(build, BUILD_PRESENT) : solve_and_write(build);
    close_all(build);
    folder_close(folder);
    return code;
}

int restricted_path(char path[PATH_MAX], const struct spec *spec, const char *dir, const char *output)
{
    char name[SPEC_NAME_MAX];
    char file[SPEC_NAME_MAX + 8];
    if (output == NULL && spec->output[0] != '\0')
        output = spec->output;
    if (output == NULL) {
        size_t length = 0;
        spec_name(spec, name);
        for (const char *c = name; *c != '\0'; c++) {
            if (*c != ' ')
                file[length++] = *c;
        }
        memcpy(file + length, ".cltb", 6);
        if (length + strlen(".cltb.part") > NAME_MAX)
            return error_set(CLTB_E_USAGE,
                             "the name of the table would be too long for a file: give it one by --output");
        output = file;
    }
    const bool placed = strchr(output, '/') != NULL;
    const int length = snprintf(path, PATH_MAX, "%s%s%s", placed ? "" : dir, placed ? "" : "/", output);
    if (length < 0 || length >= PATH_MAX)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", output);
    return 0;
}

// Full tables are found by their names: another kind of table there would be in their way.
static int check_output(const char *path)
{
    char name[MATERIAL_NAME_MAX];
    char standard[MATERIAL_NAME_MAX];
    struct material material;
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    const size_t length = strlen(file);
    const size_t stem = length > 5 && strcmp(file + length - 5, ".cltb") == 0 ? length - 5 : 0;
    if (stem == 0 || stem >= sizeof name)
        return 0;
    memcpy(name, file, stem);
    name[stem] = '\0';
    if (material_parse(&material, name, NULL) != 0 || strcmp(material_name(&material, standard), name) != 0)
        return 0;
    return error_set(CLTB_E_USAGE, "%s is the name of a full table; give a restricted one another --output", file);
}

int restricted_build(const struct spec *spec, const struct build_options *options, const char *output, uint64_t *idle)
{
    struct build build = {.options = options, .spec = spec};
    bool present;
    spec_name(spec, build.name);
    build.event.name = build.name;
    build.event.attacker = -1;
    build.event.solve_only = options->solve_only;
    build.start = wall_seconds();
    build.cpu_start = cpu_seconds();
    atomic_init(&build.rules, 0);
    if (idle != NULL)
        *idle = 0;
    TRY(device_choose(&build.device, options->device));
    TRY(restricted_path(build.path, spec, options->dir, output));
    if (!options->solve_only)
        TRY(check_output(build.path));
    TRY(threads_open(&build.pool, options->threads));
    int code = look(&build, &present);
    if (code == 0 && present)
        code = emit(&build, BUILD_PRESENT);
    else if (code == 0)
        code = make(&build);
    threads_close(build.pool);
    if (idle != NULL && !present)
        *idle = ~atomic_load(&build.rules) & (spec->rules == 64 ? UINT64_MAX : (UINT64_C(1) << spec->rules) - 1);
    return code;
}
