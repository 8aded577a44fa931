// kind.c - restricted tables as a kind of table: build, probe, stats, verify and info
#include "kind/kind.h"

#include "kind/chess_answer.h"
#include "placed/cli/stats.h"
#include "restricted/check/verify.h"
#include "restricted/make/build.h"
#include "restricted/make/spec_file.h"
#include "restricted/make/wildcards.h"
#include "show/values.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Is this word a list of men rather than the name of a table?
static bool makes(const char *word)
{
    return strchr(word, '[') != NULL || strstr(word, " v ") != NULL || strstr(word, " vs ") != NULL;
}

// Is this a file, but not that of a full table?
static bool names(const char *word)
{
    struct material material;
    return kind_is_file(word) && !material_of_file(&material, word, ".cltb");
}

// Opens the table of a file, which is looked for at the given path, then in the folders. *folders (to be freed): where
// to look for its futurebases, its own folder first.
static int open_named(struct restricted_table **table, char **folders, char path[PATH_MAX], const char *file,
                      const char *search, size_t cache_bytes)
{
    *table = NULL;
    *folders = NULL;
    TRY(kind_find_file(path, file, search));
    *folders = folders_with(path, search);
    if (*folders == NULL)
        return error_memory(strlen(search), "a list of folders");
    const int code = restricted_table_open(table, path, cache_bytes);
    if (code != 0) {
        free(*folders);
        *folders = NULL;
    }
    return code;
}

// ---- build ----

// Reads a rule, "COLOUR TYPE PATTERN".
static int add_rule(struct spec *spec, const char *text)
{
    char colour[8];
    char type[8];
    char pattern[SPEC_PATTERN_MAX];
    char rest;
    if (sscanf(text, " %7s %7s %31s %c", colour, type, pattern, &rest) != 3 ||
        (strcmp(colour, "white") != 0 && strcmp(colour, "black") != 0) ||
        (strcmp(type, "discard") != 0 && strcmp(type, "concede") != 0))
        return error_set(
            CLTB_E_USAGE,
            "prune rule '%.60s' is not of the form COLOUR discard|concede PATTERN, as in: white discard P=R", text);
    return spec_add_rule(spec, strcmp(colour, "white") == 0 ? WHITE : BLACK,
                         strcmp(type, "discard") == 0 ? SPEC_DISCARD : SPEC_CONCEDE, pattern);
}

static int add_futurebase(struct spec *spec, const char *text)
{
    char file[PATH_MAX];
    const char *colon = strrchr(text, ':');
    const bool invert = colon != NULL && strcmp(colon, ":invert") == 0;
    snprintf(file, sizeof file, "%.*s", invert ? (int)(colon - text) : (int)strlen(text), text);
    return spec_add_futurebase(spec, file, invert);
}

// Calls add() for each part of a text between separators.
static int each_part(struct spec *spec, const char *text, const char *separator,
                     int (*add)(struct spec *spec, const char *part))
{
    char *copy = text == NULL ? NULL : strdup(text);
    int code = 0;
    if (text != NULL && copy == NULL)
        return error_memory(strlen(text), "arguments");
    for (char *part = copy, *next; code == 0 && part != NULL; part = next) {
        char *end = part + strcspn(part, separator);
        next = *end != '\0' ? end + 1 : NULL;
        *end = '\0';
        if (part[strspn(part, " ")] != '\0')
            code = add(spec, part);
    }
    free(copy);
    return code;
}

static int read_spec(struct spec *spec, const struct build_request *request)
{
    if (request->spec != NULL && request->names > 0)
        return error_set(CLTB_E_USAGE, "either --spec or men and names, not both");
    if (request->spec == NULL && request->names != 1)
        return error_set(CLTB_E_USAGE, "one restricted endgame at a time");
    TRY(request->spec != NULL ? spec_read_file(spec, request->spec) : spec_read(spec, request->name[0]));
    TRY(each_part(spec, request->prune, ";", add_rule));
    TRY(each_part(spec, request->futurebases, ",", add_futurebase));
    TRY(spec_finish(spec));
    const struct build_options *options = &request->options;
    return restricted_expand(spec, options->search != NULL ? options->search : options->dir);
}

static int read_spec_aloud(struct spec *spec, const struct build_request *request)
{
    TRY(read_spec(spec, request));
    if (spec->note[0] != '\0')
        fprintf(stderr, "cltb build: note: %s\n", spec->note);
    return 0;
}

static int build(const struct build_request *request)
{
    struct restricted_idle idle = {0};
    struct spec *spec;
    TRY(memory_new(&spec, 1, sizeof *spec, "a restricted endgame"));
    int code = read_spec_aloud(spec, request);
    THEN(code, restricted_build(spec, &request->options, request->output, &idle));
    for (int i = 0; code == 0 && i < spec->rules; i++) {
        const struct spec_rule *rule = &spec->rule[i];
        if ((idle.rules >> i & 1) != 0 && !rule->pattern.stalemate)
            fprintf(stderr,
                    "cltb build: warning: the rule '%s %s %s' decides no move that leaves the endgame: it matches "
                    "none, or an earlier rule does\n",
                    colour_word[rule->colour], spec_prune_word[rule->prune], rule->text);
    }
    for (int i = 0; code == 0 && i < spec->futurebases; i++)
        if (idle.futurebases >> i & 1)
            fprintf(stderr, "cltb build: warning: no move out of the endgame leads to futurebase %s\n",
                    spec->futurebase[i].file);
    free(spec);
    return code;
}

static bool find_work(const struct build_request *request, const char *name, char path[PATH_MAX])
{
    char sentence[1024]; // what the caller is about to print
    struct stat status;
    struct spec *spec = calloc(1, sizeof *spec);
    (void)name;
    snprintf(sentence, sizeof sentence, "%s", error_text());
    const bool found = spec != NULL && read_spec(spec, request) == 0 &&
                       restricted_work_path(path, spec, &request->options, request->output) == 0 &&
                       lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    free(spec);
    error_set(0, "%s", sentence);
    return found;
}

// ---- plans ----

static void plan_text(const struct restricted_plan *plan, const struct build_options *options)
{
    char name[MATERIAL_NAME_MAX];
    int missing = 0;
    printf("%s: %s entries, %" PRIu64 " placement%s of the pawns\n", plan->name, unit_count((double)plan->entries).text,
           plan->slices, plan->slices == 1 ? "" : "s");
    if (plan->state == PLAN_PRESENT)
        printf("already present: %s, %s\n", plan->path, unit_bytes(plan->file_bytes).text);
    else
        printf("%s %s: about %s, %.1f s; solving takes %s of memory\n",
               plan->state == PLAN_MAKE ? "to make" : "to make again (it is damaged)", plan->path,
               unit_bytes(plan->file_bytes).text, plan->seconds, unit_bytes(plan->memory).text);
    for (int i = 0; i < plan->needed; i++)
        printf("%s%s%s", i == 0 ? "moves out of it may lead to " : ", ", material_name(&plan->table[i].material, name),
               plan->table[i].present ? " (present)" : "");
    for (int i = 0; i < plan->needed; i++)
        if (!plan->table[i].present)
            printf("%s %s", missing++ == 0 ? "\nunless rules or futurebases cover all of those moves: cltb build" : "",
                   material_name(&plan->table[i].material, name));
    if (missing > 0)
        printf(" --dir %s", options->dir);
    if (plan->needed > 0)
        printf("\n");
}

static void plan_json(const struct restricted_plan *plan)
{
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "restricted", plan->name);
    json_text(&json, "state", plan_state_name[plan->state]);
    json_text(&json, "file", plan->path);
    json_count(&json, "entries", plan->entries);
    json_count(&json, "slices", plan->slices);
    json_count(&json, "memory", plan->memory);
    json_count(&json, "file_bytes", plan->file_bytes);
    json_real(&json, "seconds", 3, plan->seconds);
    json_open(&json, "full_tables", '[');
    for (int i = 0; i < plan->needed; i++) {
        char name[MATERIAL_NAME_MAX];
        json_open(&json, NULL, '{');
        json_text(&json, "material", material_name(&plan->table[i].material, name));
        json_bool(&json, "present", plan->table[i].present);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static int print_plan(const struct build_request *request)
{
    const char *format = request->format != NULL ? request->format : "text";
    struct {
        struct spec spec;
        struct restricted_plan plan;
    } *work = calloc(1, sizeof *work);
    if (work == NULL)
        return error_memory(sizeof *work, "a plan");
    const struct restricted_plan *plan = &work->plan;
    int code = read_spec_aloud(&work->spec, request);
    THEN(code, restricted_plan(&work->plan, &work->spec, &request->options, request->output));
    if (code == 0 && strcmp(format, "tsv") == 0)
        printf("material\tstate\tentries\tmemory\tfile_bytes\tseconds\n%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
               "\t%.3f\n",
               plan->name, plan_state_name[plan->state], plan->entries, plan->memory, plan->file_bytes, plan->seconds);
    else if (code == 0 && strcmp(format, "json") == 0)
        plan_json(plan);
    else if (code == 0)
        plan_text(plan, &request->options);
    free(work);
    return code;
}

// ---- probe ----

struct file_prober {
    struct chess_prober chess;
    struct restricted_table *table;
    const struct spec *spec;
    struct restricted_bases *bases; // NULL: not needed yet
    char *folders;
};

// Probing works without the files that only some moves lead to.
static int open_bases(struct file_prober *r)
{
    return r->bases != NULL ? 0 : restricted_bases_open(&r->bases, r->spec, r->folders, false);
}

static int judge(struct file_prober *r, struct position *p, uint32_t move, struct answer_move *answer)
{
    static const enum answer_kind kinds[] = {[MOVE_QUIET] = MOVE_IN_TABLE,
                                             [MOVE_WITHIN] = MOVE_IN_TABLE,
                                             [MOVE_LEAVES] = MOVE_LEAVES_TABLE,
                                             [MOVE_DISCARD] = MOVE_DISCARDED,
                                             [MOVE_CONCEDE] = MOVE_CONCEDED};
    const struct restricted_values values = {.table = r->table};
    uint16_t code = RESTRICTED_OPEN;
    enum restricted_kind kind = MOVE_LEAVES;
    int rule = -1;
    const int known = restricted_classify(r->bases, r->spec, p, move, &kind, &rule);
    TRY(position_make(p, move));
    const bool mate = position_in_check(p) && !moves_any(p);
    position_undo(p);
    *answer = (struct answer_move){
        .ranked = {.move = move, .zeroing = move_is_zeroing(p, move), .mate = mate, .value = {.outcome = CLTB_UNKNOWN}},
        .kind = kinds[kind]}; // also within the set, if only the table of a reply is missing
    TRY(known);
    if (kind != MOVE_DISCARD)
        TRY(restricted_move_value(r->bases, r->spec, &values, p, move, kind, &code));
    answer->ranked.value = value_with_clock(value_of_code(code), p->fifty);
    answer->rule = rule >= 0 ? r->spec->rule[rule].text : NULL;
    return 0;
}

static int compare_answers(const void *left, const void *right)
{
    const struct answer_move *a = left;
    const struct answer_move *b = right;
    if ((a->kind == MOVE_DISCARDED) != (b->kind == MOVE_DISCARDED))
        return a->kind == MOVE_DISCARDED ? 1 : -1;
    return ranked_move_compare(&a->ranked, &b->ranked);
}

// Ranks the legal moves: best first, then those whose table is missing (a sentence names the first such table), then
// discarded ones. Returns their number or a negative code.
static int rank_all(struct file_prober *r, struct position *p, struct answer_move answers[MOVES_MAX],
                    char missing[ANSWER_MISSING_MAX])
{
    uint32_t moves[MOVES_MAX];
    missing[0] = '\0';
    TRY(open_bases(r));
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        const int code = judge(r, p, moves[i], &answers[i]);
        if (code != CLTB_E_MISSING)
            TRY(code);
        else if (missing[0] == '\0')
            snprintf(missing, ANSWER_MISSING_MAX, "%s", error_text());
    }
    qsort(answers, (size_t)count, sizeof answers[0], compare_answers);
    return count;
}

// A table does not know the right to capture en passant: futurebases and rules give the value of such captures.
static int find_value(struct file_prober *r, const struct position *p, struct cltb_value *value)
{
    uint16_t code;
    if (position_en_passant_legal(p))
        TRY(open_bases(r));
    TRY(restricted_value(r->bases, r->table, p, &code));
    *value = value_with_clock(value_of_code(code), p->fifty);
    return 0;
}

static int rank(struct chess_prober *chess, struct position *p, struct answer_move answers[MOVES_MAX])
{
    struct file_prober *r = (struct file_prober *)chess;
    struct cltb_value value;
    char missing[ANSWER_MISSING_MAX];
    const int count = rank_all(r, p, answers, missing);
    if (count < 0 || missing[0] == '\0')
        return count;
    TRY(find_value(r, p, &value));
    return value_compare(answers[0].ranked.value, value) == 0 ? count : error_set(CLTB_E_MISSING, "%s", missing);
}

static int look_up(struct chess_prober *chess, bool all_moves)
{
    struct file_prober *r = (struct file_prober *)chess;
    struct answer *answer = &chess->answer;
    struct position *p = &answer->position;
    if (p->castling != 0)
        return error_set(CLTB_E_POSITION, "castling is still possible: tables hold no such positions");
    const int found = find_value(r, p, &answer->value);
    if (found == CLTB_E_POSITION) { // are only the colours the other way round?
        struct position *flipped = malloc(sizeof *flipped);
        uint8_t where[SPEC_MEN_MAX];
        if (flipped != NULL && restricted_flip(flipped, p) == 0 && spec_match(r->spec, flipped, where))
            error_append(found, "; with the colours flipped it belongs to it");
        free(flipped);
    }
    TRY(found);
    const int count = all_moves ? rank_all(r, p, answer->move, answer->missing) : 0;
    answer->moves = count < 0 ? 0 : count;
    return count < 0 ? count : 0;
}

static void close_prober(struct prober *prober)
{
    struct file_prober *r = prober->context;
    restricted_bases_close(r->bases);
    restricted_table_close(r->table);
    free(r->folders);
    free(r);
}

static int probe(struct prober *prober, const struct probe_request *request)
{
    enum { CACHE_BYTES = 64 << 20 };
    struct file_prober *r;
    TRY(memory_new(&r, 1, sizeof *r, "probing"));
    r->chess.restricted = true;
    r->chess.look_up = look_up;
    r->chess.rank = rank;
    chess_prober_set(prober, &r->chess, request);
    prober->close = close_prober;
    char path[PATH_MAX];
    int code = open_named(&r->table, &r->folders, path, request->table, request->folders, CACHE_BYTES);
    if (code == 0)
        r->spec = &r->table->index.spec;
    if (code != 0)
        close_prober(prober);
    return code;
}

// ---- stats ----

static int stats(const struct stats_request *request)
{
    enum { CACHE_BYTES = 64 << 20 }; // blocks are read consecutively
    struct restricted_table *table;
    struct outcome_counts *counts;
    char *folders;
    char path[PATH_MAX];
    char name[SPEC_NAME_MAX];
    TRY(open_named(&table, &folders, path, request->name, request->folders, CACHE_BYTES));
    free(folders);
    spec_name(&table->index.spec, name);
    int code = memory_new(&counts, 1, sizeof *counts, "statistics");
    THEN(code, restricted_count(counts, table, request->pool));
    if (code == 0)
        placed_stats_print(request, name, counts, false);
    free(counts);
    restricted_table_close(table);
    return code;
}

// ---- verify ----

static int verify(const struct verify_request *request, struct verify_summary *summary)
{
    enum { CACHE_BYTES = 1 << 30 };
    const struct placed_verify_options options = {request->sample, request->seed, request->pool};
    struct restricted_table *table = NULL;
    struct restricted_bases *bases = NULL;
    uint64_t entries = 0;
    char *folders;
    char path[PATH_MAX];
    TRY(open_named(&table, &folders, path, request->name, request->folders, CACHE_BYTES));
    int code = restricted_bases_open(&bases, &table->index.spec, folders, true);
    if (code != 0)
        goto cleanup;
    threads_watch(request->pool, request->progress, request->pool);
    code = restricted_verify(table, bases, &options, &entries);
    if (code == CLTB_E_MISMATCH)
        error_prefix(code, "%s is wrong", path);
    *summary = (struct verify_summary){
        .checked = entries, .unit = "entries", .sampled = request->sample > 0, .checksums = true};
cleanup:
    restricted_bases_close(bases);
    restricted_table_close(table);
    free(folders);
    return code;
}

// ---- info ----

static void info_text(const char *path, const char *name, const struct restricted_index *index,
                      const struct restricted_info *info)
{
    const struct spec *spec = &index->spec;
    printf("%s: %s, restricted, %" PRIu64 " bytes\n", path, name, info->file_bytes);
    for (int i = 0; i < spec->rules; i++)
        printf("%s of %s: %s\n", spec_prune_word[spec->rule[i].prune], colour_word[spec->rule[i].colour],
               spec->rule[i].text);
    for (int i = 0; i < spec->futurebases; i++)
        printf("futurebase %s%s\n", spec->futurebase[i].file,
               spec->futurebase[i].invert ? ", its colours flipped" : "");
    printf("%" PRIu64 " entries a side, in %" PRIu64 " placement%s of the pawns; symmetric images: %d\n", info->entries,
           info->slices, info->slices == 1 ? "" : "s", index->symmetries);
    for (int side = WHITE; side <= BLACK; side++) {
        printf("%s to move: values %" PRIu64 " bytes; entries with a position\n", colour_word[side],
               info->value_bytes[side]);
        text_outcomes(METRIC_DTZ, info->figures.positions[side], info->figures.longest[side]);
    }
}

static void info_json(const char *path, const char *name, const struct restricted_index *index,
                      const struct restricted_info *info)
{
    const struct spec *spec = &index->spec;
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "file", path);
    json_text(&json, "restricted", name);
    json_count(&json, "bytes", info->file_bytes);
    json_count(&json, "entries", info->entries);
    json_count(&json, "slices", info->slices);
    json_int(&json, "symmetries", index->symmetries);
    json_open(&json, "rules", '[');
    for (int i = 0; i < spec->rules; i++) {
        json_open(&json, NULL, '{');
        json_text(&json, "colour", colour_word[spec->rule[i].colour]);
        json_text(&json, "prune", spec_prune_word[spec->rule[i].prune]);
        json_text(&json, "pattern", spec->rule[i].text);
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "futurebases", '[');
    for (int i = 0; i < spec->futurebases; i++) {
        json_open(&json, NULL, '{');
        json_text(&json, "file", spec->futurebase[i].file);
        json_bool(&json, "inverted", spec->futurebase[i].invert);
        json_close(&json);
    }
    json_close(&json);
    for (int side = WHITE; side <= BLACK; side++) {
        json_open(&json, colour_word[side], '{');
        json_count(&json, "value_bytes", info->value_bytes[side]);
        json_outcomes(&json, "entries", info->figures.positions[side], info->figures.longest[side]);
        json_close(&json);
    }
    json_close(&json);
}

static int info(const char *path, bool as_json)
{
    struct restricted_table *table;
    char name[SPEC_NAME_MAX];
    TRY(restricted_table_open(&table, path, 1 << 20));
    spec_name(&table->index.spec, name);
    (as_json ? info_json : info_text)(path, name, &table->index, &table->info);
    restricted_table_close(table);
    return 0;
}

// ---- the kind ----

static const struct option_rule build_rules[] = {
    {"--men --both-sides --best --format=raw --metric=dtm --metric=dtc", NULL, "",
     "a restricted endgame is built without --men, --format raw, --both-sides, --best and --metric"},
    {"--format", NULL, "--dry-run", "--format belongs to --dry-run"},
    {"--pawnless", NULL, "", "--pawnless belongs to --men"},
    {NULL}};

static const struct option_rule probe_rules[] = {
    {"--metric=dtm --metric=dtc", NULL, "", "restricted tables have distances to zeroing"}, {NULL}};

static const struct option_rule stats_rules[] = {
    {"--format=syzygy --zugzwangs --syzygy --recount --keep --reachable --stop --plies", NULL, "",
     "a restricted table has --format text, tsv and json, and --longest"},
    {"--longest", NULL, "--format=tsv", "--longest belongs to --format tsv: text and json have the longest anyway"},
    {NULL}};

const struct endgame_kind kind_restricted = {.options = "--spec --table",
                                             .makes = makes,
                                             .names = names,
                                             .build_rules = build_rules,
                                             .probe_rules = probe_rules,
                                             .stats_rules = stats_rules,
                                             .build = build,
                                             .plan = print_plan,
                                             .find_work = find_work,
                                             .probe = probe,
                                             .stats = stats,
                                             .verify = verify,
                                             .info = info};
