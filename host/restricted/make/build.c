// build.c - builds the table of a restricted endgame
//
// 1. For each entry of each kept slice: is it a position, and what are its moves worth that leave the spec? These are
//    the external codes.
// 2. Slice by slice, the most advanced pawns first:
//    a. pawn moves within the spec lead to slices that are solved, and are added to the external codes;
//    b. the backend solves the quiet moves;
//    c. the values are written, and stay in memory for the slices whose pawns move into this one.
//
// Cost: each position's moves are generated once (twice where pawns can move within the spec), then one round of the
// backend for each ply. Example: in 'K P[f6,f7] v K' the slice of the pawn on f7 comes first; all its pawn moves leave
// the spec. Then that of f6, whose move f7 has the values of the first slice.
#include "restricted/make/build.h"

#include "make/job.h"
#include "restricted/probe.h"
#include "restricted/solve/solve.h"
#include "restricted/table.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/threads.h"
#include "util/units.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOB_ENTRIES = 2048,    // that a thread takes at a time
    PART_ENTRIES = 1 << 19 // after which the build can stop: about a second of work
};

_Static_assert((int)SPEC_RULES_MAX <= 64, "a bit for each rule");

// One kept slice.
struct slice {
    uint16_t *value[COLOURS];    // [slice_entries]
    uint16_t *external[COLOURS]; // [slice_entries], NULL once the slice is solved
};

struct build {
    struct build_job job;
    const struct spec *spec;
    struct restricted_index index;
    struct restricted_bases *bases;
    struct restricted_backend *backend;
    struct restricted_writer *writer;
    struct slice *slices;       // [index.slices]
    struct position *scratch;   // [threads]
    atomic_uint_fast64_t rules; // prune rules that have matched
    uint64_t idle;              // those that have not, when all is solved
    char name[SPEC_NAME_MAX];
};

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

// ---- moves that are not quiet ----

// The worth of the best of some moves, added to *code. Without `pawns`: of moves that leave the spec, or of having no
// move. With it: of pawn moves within the spec, which lead to slices that are solved.
static int add_moves(struct build *build, const struct position *position, bool pawns, uint16_t *code)
{
    const struct spec *spec = build->spec;
    const struct restricted_values values = {.value = solved_value, .context = build};
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    bool others = pawns;                                        // there are moves that are not looked at
    uint64_t matched = 0;                                       // prune rules
    if (count == 0 && !pawns && !position_in_check(position)) { // stalemate, as the rules for it say
        const int rule = spec_stalemate_rule(spec, position->side);
        *code = rule < 0 ? RESTRICTED_DRAW : restricted_code(spec->rule[rule].prune == SPEC_CONCEDE, 0);
        matched = rule < 0 ? 0 : UINT64_C(1) << rule;
    }
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        int rule;
        uint16_t value;
        if (pawns && !move_is_pawn(position, moves[i]))
            continue;
        TRY(restricted_classify(build->bases, spec, position, moves[i], &kind, &rule));
        if (rule >= 0)
            matched |= UINT64_C(1) << rule;
        if (kind == MOVE_QUIET || (kind == MOVE_WITHIN) != pawns) {
            others |= kind == MOVE_QUIET || kind == MOVE_WITHIN;
        } else if (kind != MOVE_DISCARD) {
            TRY(restricted_move_value(build->bases, spec, &values, position, moves[i], kind, &value));
            *code = restricted_better(*code, value);
        }
    }
    if (!others && *code == RESTRICTED_OPEN) // checkmate, or all moves have been discarded
        *code = restricted_code(false, 0);
    if (matched != 0)
        atomic_fetch_or_explicit(&build->rules, matched, memory_order_relaxed);
    return 0;
}

// Some entries of a slice, of both sides to move in turn.
struct part {
    struct build *build;
    uint32_t slice;
    uint64_t first; // entry
    bool pawns;     // pawn moves within the spec; else moves that leave it, and which entries are positions
};

static int look_at_entries(void *context, uint64_t item, int worker)
{
    const struct part *part = context;
    struct build *build = part->build;
    const struct restricted_index *index = &build->index;
    const struct slice *slice = &build->slices[part->slice];
    struct position *position = &build->scratch[worker];
    const int side = (int)(item % COLOURS);
    const uint64_t first = part->first + item / COLOURS * JOB_ENTRIES;
    for (uint64_t entry = first; entry < index->slice_entries && entry < first + JOB_ENTRIES; entry++) {
        uint8_t where[SPEC_MEN_MAX];
        if (slice->value[side][entry] == RESTRICTED_ILLEGAL)
            continue;
        // Illegal: two men on a square, adjacent kings, the side not to move in check.
        if (!restricted_squares(index, part->slice, entry, where) ||
            restricted_set(index, where, side, position) != 0 || !position_legal(position))
            slice->value[side][entry] = RESTRICTED_ILLEGAL;
        else
            TRY(add_moves(build, position, part->pawns, &slice->external[side][entry]));
    }
    return 0;
}

// Can a pawn of the slice move within the spec, by one square or two, if nothing stands there? Pawns of a colour are
// interchangeable: the square may be in the set of another one.
static bool pawns_may_move(const struct build *build, uint32_t slice)
{
    uint64_t ahead[COLOURS] = {0};
    uint64_t allowed[COLOURS] = {0};
    for (int i = 0; i < build->index.pawns; i++) {
        const struct spec_man *man = &build->spec->man[build->index.pawn[i]];
        const uint64_t pawn = square_bit(build->index.placement[slice][i]);
        ahead[man->colour] |= man->colour == WHITE ? pawn << 8 | pawn << 16 : pawn >> 8 | pawn >> 16;
        allowed[man->colour] |= man->squares;
    }
    return ((ahead[WHITE] & allowed[WHITE]) | (ahead[BLACK] & allowed[BLACK])) != 0;
}

// ---- slices ----

static void free_external(struct slice *slice)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(slice->external[side]);
        slice->external[side] = NULL;
    }
}

// A part of the slice at a time, so that the build can be interrupted in between.
static int look_at_slice(struct build *build, uint32_t slice, bool pawns)
{
    const uint64_t entries = build->index.slice_entries;
    for (uint64_t first = 0; first < entries; first += PART_ENTRIES) {
        const uint64_t count = entries - first < PART_ENTRIES ? entries - first : PART_ENTRIES;
        struct part part = {build, slice, first, pawns};
        TRY(threads_each(build->job.pool, COLOURS * ((count + JOB_ENTRIES - 1) / JOB_ENTRIES), look_at_entries, &part));
        if (first + count < entries)
            TRY(job_emit(&build->job, BUILD_PLY));
    }
    return 0;
}

static int on_round(void *context)
{
    return job_emit(context, BUILD_PLY);
}

// Half of the progress is looking at moves that leave, half is solving.
static int solve_slices(struct build *build)
{
    struct build_event *event = &build->job.event;
    const size_t bytes = build->index.slice_entries * sizeof(uint16_t);
    for (uint32_t i = 0; i < build->index.sections; i++) {
        const uint32_t number = build->index.section_slice[i];
        struct slice *slice = &build->slices[number];
        for (int side = WHITE; side <= BLACK; side++) {
            slice->value[side] = calloc(1, bytes);
            slice->external[side] = calloc(1, bytes);
            if (slice->value[side] == NULL || slice->external[side] == NULL)
                return error_memory(bytes, "the values of a restricted endgame");
        }
        TRY(look_at_slice(build, number, false));
        event->share = 0.5 * (double)(i + 1) / (double)event->slices_total;
        TRY(job_emit(&build->job, BUILD_PLY));
    }
    for (uint32_t i = 0; i < build->index.sections; i++) {
        const uint32_t number = build->index.section_slice[i];
        struct slice *slice = &build->slices[number];
        struct restricted_slice work = {.index = &build->index,
                                        .slice = number,
                                        .external = {slice->external[WHITE], slice->external[BLACK]},
                                        .value = {slice->value[WHITE], slice->value[BLACK]}};
        if (pawns_may_move(build, number))
            TRY(look_at_slice(build, number, true));
        TRY(build->backend->ops->solve(build->backend, &work, on_round, &build->job));
        if (work.plies > event->ply)
            event->ply = work.plies;
        free_external(slice);
        if (build->writer != NULL)
            TRY(restricted_writer_add(build->writer, number, slice->value, build->job.pool));
        event->slices_done++;
        event->share = 0.5 + 0.5 * (double)event->slices_done / (double)event->slices_total;
        TRY(job_emit(&build->job, BUILD_PLY));
    }
    return 0;
}

// ---- all of it ----

static int open_backend(struct build *build)
{
#ifdef CLTB_HAVE_OPENCL
    const int device = build->job.device.number;
    if (device >= 0) {
        const int code = restricted_opencl_open(&build->backend, &build->index, device);
        if (code == 0 || !job_falls_back(&build->job))
            return code;
    }
#endif
    return restricted_cpu_open(&build->backend, &build->index, build->job.pool);
}

// Values of both sides to move, and as much for external codes.
enum { ENTRY_BYTES = 4 * sizeof(uint16_t) };

static int open_index(struct build *build)
{
    const struct build_options *options = build->job.options;
    struct build_event *event = &build->job.event;
    const uint64_t limit = options->memory > 0 ? options->memory : os_memory();
    const int code = restricted_index_open(&build->index, build->spec, UINT32_MAX, limit / ENTRY_BYTES);
    if (code == CLTB_E_MEMORY)
        return error_append(code, ": %s of memory are allowed", unit_bytes(limit).text);
    TRY(code);
    event->slices_total = build->index.sections;
    event->positions = 2 * event->slices_total * build->index.slice_entries;
    const uint64_t needed = event->slices_total * build->index.slice_entries * ENTRY_BYTES;
    if (needed <= limit)
        return 0;
    restricted_index_close(&build->index);
    return error_set(CLTB_E_MEMORY, "%s takes %s of memory, and %s are allowed", build->name, unit_bytes(needed).text,
                     unit_bytes(limit).text);
}

static void close_all(struct build_job *job)
{
    struct build *build = (struct build *)job;
    for (uint32_t i = 0; build->slices != NULL && i < build->index.slices; i++) {
        free_external(&build->slices[i]);
        free(build->slices[i].value[WHITE]);
        free(build->slices[i].value[BLACK]);
    }
    free(build->slices);
    free(build->scratch);
    restricted_writer_abandon(build->writer);
    if (build->backend != NULL)
        build->backend->ops->close(build->backend);
    restricted_bases_close(build->bases);
    restricted_index_close(&build->index);
}

static int solve(struct build_job *job)
{
    struct build *build = (struct build *)job;
    const int rules = build->spec->rules;
    TRY(open_index(build));
    TRY(restricted_bases_open(&build->bases, build->spec, job_search(job->options), true));
    TRY(open_backend(build));
    build->slices = calloc(build->index.slices, sizeof *build->slices);
    build->scratch = calloc((size_t)threads_count(job->pool), sizeof *build->scratch);
    if (build->slices == NULL || build->scratch == NULL)
        return error_memory(build->index.slices * sizeof *build->slices, "slices");
    job->event.backend = build->backend->description;
    TRY(job_emit(job, BUILD_START));
    if (!job->options->solve_only) // before the work: a folder that cannot be written to shows at once
        TRY(restricted_writer_open(&build->writer, job->path, &build->index));
    TRY(solve_slices(build));
    build->idle = ~atomic_load(&build->rules) & (rules == 64 ? UINT64_MAX : (UINT64_C(1) << rules) - 1);
    return 0;
}

static int write_file(struct build_job *job)
{
    struct build *build = (struct build *)job;
    struct restricted_writer *writer = build->writer;
    build->writer = NULL;
    return restricted_writer_finish(writer);
}

// Is an intact table of this very spec present?
static int look(struct build_job *job)
{
    struct restricted_table *table;
    char ours[SPEC_TEXT_MAX];
    char theirs[SPEC_TEXT_MAX];
    TRY(restricted_table_open(&table, job->path, 1 << 20));
    spec_write(((struct build *)job)->spec, ours, sizeof ours);
    spec_write(restricted_table_spec(table), theirs, sizeof theirs);
    job->event.file_bytes = restricted_table_info(table)->file_bytes;
    const int code = strcmp(ours, theirs) == 0
                         ? restricted_table_check(table, job->pool)
                         : error_set(CLTB_E_FOREIGN,
                                     "%s is the table of another restricted endgame; give another --output", job->path);
    restricted_table_close(table);
    return code;
}

static int find_path(char path[PATH_MAX], const struct spec *spec, const struct build_options *options,
                     const char *output)
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
    const char *slash = strrchr(output, '/');
    const int length =
        snprintf(path, PATH_MAX, "%s%s%s", slash != NULL ? "" : options->dir, slash != NULL ? "" : "/", output);
    if (length < 0 || length >= PATH_MAX)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", output);
    // Full tables are found by their names: another kind of table must not take one.
    struct material material;
    if (options->solve_only || !material_of_file(&material, path, ".cltb"))
        return 0;
    return error_set(CLTB_E_USAGE,
                     "%s is the name of a full table; for the full table: cltb build %s; for a restricted one give "
                     "another --output",
                     slash == NULL ? output : slash + 1, material_name(&material, name));
}

int restricted_build(const struct spec *spec, const struct build_options *options, const char *output, uint64_t *idle)
{
    static const struct job_steps steps = {look, NULL, solve, write_file, close_all};
    struct build build = {.job = {.options = options}, .spec = spec};
    atomic_init(&build.rules, 0);
    spec_name(spec, build.name);
    job_begin(&build.job, build.name, 0, options->solve_only);
    TRY(find_path(build.job.path, spec, options, output));
    const int code = job_make_table(&build.job, &steps);
    if (idle != NULL)
        *idle = build.idle;
    return code;
}

int restricted_plan(struct restricted_plan *plan, const struct spec *spec, const struct build_options *options,
                    const char *output)
{
    // Of 2 threads (docs/restricted.md).
    static const double rate = 2.1e6;          // entries of both sides that a thread solves in a second
    static const double more_processors = 0.9; // what each processor after the first adds
    static const double least_seconds = 0.03;
    static const uint64_t least_bytes = 1000;   // of a file,
    static const uint64_t entries_of_byte = 10; // and what each byte more holds
    const int threads = options->threads > 0 ? options->threads : os_processors();
    struct build build = {.job = {.options = options}, .spec = spec};
    *plan = (struct restricted_plan){.state = PLAN_MAKE};
    spec_name(spec, build.name);
    memcpy(plan->name, build.name, sizeof plan->name);
    TRY(find_path(build.job.path, spec, options, output));
    memcpy(plan->path, build.job.path, sizeof plan->path);
    TRY(threads_open(&build.job.pool, options->threads));
    int code = look(&build.job);
    threads_close(build.job.pool);
    if (code != 0 && code != CLTB_E_MISSING && code != CLTB_E_CORRUPT)
        return code;
    plan->state = code == CLTB_E_CORRUPT ? PLAN_REPLACE : code == 0 && !options->force ? PLAN_PRESENT : PLAN_MAKE;
    plan->file_bytes = build.job.event.file_bytes;
    TRY(open_index(&build));
    plan->entries = build.job.event.positions;
    plan->slices = build.job.event.slices_total;
    plan->memory = plan->entries / 2 * ENTRY_BYTES;
    if (plan->state != PLAN_PRESENT) {
        plan->file_bytes = least_bytes + plan->entries / entries_of_byte;
        plan->seconds = (double)plan->entries / rate / (1 + more_processors * (threads - 1)) + least_seconds;
    }
    restricted_index_close(&build.index);
    TRY(restricted_bases_open(&build.bases, spec, job_search(options), true));
    code = restricted_bases_needed(build.bases, spec, plan->table);
    restricted_bases_close(build.bases);
    plan->needed = code < 0 ? 0 : code;
    return code < 0 ? code : 0;
}
