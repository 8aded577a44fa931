// solve.c - `cltb solve`: the value of a position of any number of men, by all structures that can come of it
#include "cli/command.h"

#include "check/stats_gather.h"
#include "chess/fen.h"
#include "make/build.h"
#include "make/device.h"
#include "make/folder.h"
#include "probe/castling.h"
#include "restricted/spec.h"
#include "structures/cli/plan.h"
#include "structures/cli/show.h"
#include "structures/proof.h"
#include "structures/verdict.h"
#include "table/part_file.h"
#include "table/path.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/os.h"
#include "util/units.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SOURCE_MAX = PATH_MAX + MATERIAL_NAME_MAX + 16 };

struct solve_run {
    struct verdict_request request;
    struct verdict verdict;
    const char *fen;
    const char *keep;           // NULL: men may stand anywhere
    const char *output;         // NULL: no file
    struct part_file part;      // locks it during the work
    struct build_options build; // for missing tables
    struct device_choice device;
    bool plan;
    bool quiet;
    bool verbose;
    bool shown;   // the progress line is on the terminal
    bool writing; // the file, not solving
    double start;
};

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

static int on_progress(void *context, size_t solved, size_t all)
{
    struct solve_run *run = context;
    if (!run->quiet && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%s effort %d: %zu of %zu structures  ", run->writing ? "writing" : "solving",
                run->verdict.effort, solved, all);
        run->shown = true;
    }
    return interrupted != 0;
}

// "White wins? likely"
static void on_searching(void *context, const int likely[COLOURS], uint64_t structures)
{
    static const char *const words[] = {"hardly", "perhaps not", "perhaps", "likely"};
    struct solve_run *run = context;
    if (run->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\rsearching:");
    for (int side = WHITE; side <= BLACK; side++)
        fprintf(stderr, " %s wins? %s;", side == WHITE ? "White" : "Black",
                likely[side] == 0        ? "no"
                : likely[side] == GRADES ? "yes"
                                         : words[(likely[side] - 1) / 4]);
    fprintf(stderr, " %" PRIu64 " structures    ", structures);
    run->shown = true;
}

static void clear_progress(struct solve_run *run)
{
    if (run->shown)
        fprintf(stderr, "\r%79s\r", "");
    run->shown = false;
}

// ---- the device ----

static CLTB_PRINTF(2, 3) void say(struct solve_run *run, const char *fmt, ...)
{
    va_list args;
    if (run->quiet)
        return;
    clear_progress(run);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
}

static int open_device(void *context, const struct layout *layout, struct backend **backend)
{
    struct solve_run *run = context;
    if (run->device.number < 0)
        return 0;
    const int code = device_open(backend, layout, run->device.number, 0);
    if (code == 0 || code == CLTB_E_MEMORY || !run->device.automatic)
        return code;
    run->device.number = -1;
    say(run, "the device cannot be used, so the processor is: %s\n", error_text());
    return 0;
}

#ifdef CLTB_HAVE_OPENCL
static void on_compiling(void *context, const struct opencl_device *device)
{
    say(context, "compiling kernels for %s: its first use takes longer, up to a minute\n", device->name);
}
#endif

static int choose_device(struct solve_run *run, const char *device)
{
    TRY(device_choose(&run->device, device));
    if (run->device.number < 0)
        return 0;
#ifdef CLTB_HAVE_OPENCL
    opencl_on_compiling(on_compiling, run);
#endif
    run->request.store.open = open_device;
    return device_least_batch(&run->request.store.device_bytes, run->device.number,
                              run->request.threads > 0 ? run->request.threads : os_processors());
}

// ---- tables that are missing ----

static int on_build(void *context, const struct build_event *event)
{
    const struct solve_run *run = context;
    if (!run->quiet && event->kind == BUILD_START)
        fprintf(stderr, "building %s (%zu of %zu)\n", event->name, event->table, event->tables);
    return interrupted != 0;
}

static int make_tables(void *context, const struct material *missing, size_t count)
{
    struct solve_run *run = context;
    if (!run->plan)
        return build_tables(missing, count, &run->build);
    printf("to be built in %s:", run->build.dir);
    for (size_t i = 0; i < count; i++) {
        char name[MATERIAL_NAME_MAX];
        printf(" %s", material_name(&missing[i], name));
    }
    printf("\n");
    return 0;
}

// ---- the men that are kept to squares ----

enum { PART_MAX = 256, KEEP_TEXT_MAX = 64, NOTHING = -1 };

// Gives the next word of *text, which moves past it.
static size_t next_word(const char **text, const char **word)
{
    *word = *text + strspn(*text, " \t");
    const size_t length = strcspn(*word, " \t");
    *text = *word + length;
    return length;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncasecmp(word, wanted, length) == 0;
}

static int colour_named(const char *word, size_t length)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (is_word(word, length, spec_colour_word[colour]))
            return colour;
    }
    return NOTHING;
}

static int type_named(const char *word, size_t length)
{
    static const char *const names[PIECE_TYPES][3] = {{"king", "kings", "K"},     {"queen", "queens", "Q"},
                                                      {"rook", "rooks", "R"},     {"bishop", "bishops", "B"},
                                                      {"knight", "knights", "N"}, {"pawn", "pawns", "P"}};
    for (int type = KING; type <= PAWN; type++) {
        for (int i = 0; i < 3; i++) {
            if (is_word(word, length, names[type][i]))
                return type;
        }
    }
    return NOTHING;
}

static int read_part(struct structure_sets *sets, const char *text, const struct position *position)
{
    const char *rest = text;
    const char *word;
    size_t length = next_word(&rest, &word);
    int colour = colour_named(word, length);
    if (colour != NOTHING)
        length = next_word(&rest, &word);
    const int type = type_named(word, length);
    if (type == NOTHING)
        return error_set(CLTB_E_USAGE, "'%.60s' does not begin with a man, as in: white rook a1-h3", text);
    const bool has[COLOURS] = {position->count[WHITE][type] > 0, position->count[BLACK][type] > 0};
    if (colour == NOTHING && has[WHITE] && has[BLACK])
        return error_set(CLTB_E_USAGE, "'%.60s': white or black?", text);
    if (colour == NOTHING ? !has[WHITE] && !has[BLACK] : !has[colour])
        return error_set(CLTB_E_USAGE, "'%.60s': the position has no such man", text);
    colour = colour != NOTHING ? colour : has[WHITE] ? WHITE : BLACK;
    if (sets->squares[colour][type] != 0)
        return error_set(CLTB_E_USAGE, "'%.60s': these men are kept to squares already", text);
    return spec_read_set(&sets->squares[colour][type], colour, type, rest);
}

// Reads "white rook a1-h3; black king e7 e8". For each of some men, separated by semicolons, it has a colour (which may
// be left out if only one side of the position has such a man), a name or a letter, and a set of squares as in
// restricted endgames (restricted/spec.h). A set applies to all men of that colour and type. CLTB_E_USAGE.
static int keep_read(struct structure_sets *sets, const char *text, const struct position *position)
{
    *sets = (struct structure_sets){.squares = {{0}}};
    for (const char *at = text;; at++) {
        char part[PART_MAX];
        const size_t length = strcspn(at, ";");
        if (length >= sizeof part)
            return error_set(CLTB_E_USAGE, "'%.60s' is too long", at);
        memcpy(part, at, length);
        part[length] = '\0';
        TRY(read_part(sets, part, position));
        at += length;
        if (*at == '\0')
            return 0;
    }
}

static bool can_move(const struct position *position, int colour, int square)
{
    const uint8_t ahead = position->board[square + (colour == WHITE ? 8 : -8)];
    return ahead == EMPTY || piece_type(ahead) != PAWN;
}

static void write_pawns(const struct position *position, int colour, int stays, char text[KEEP_TEXT_MAX])
{
    int at = snprintf(text, KEEP_TEXT_MAX, "%s pawns", spec_colour_word[colour]);
    for (int i = 0; i < position->count[colour][PAWN]; i++) {
        const int square = position->list[colour][PAWN][i];
        at += snprintf(text + at, (size_t)(KEEP_TEXT_MAX - at), " %s%s", square_name(square),
                       stays == NO_SQUARE || stays == square ? "" : "+");
    }
}

// The i-th suggestion for keeping a side's pawns, first White's and then Black's: one pawn that can move to its square
// and the others to their files; or all pawns of a side to their squares. False: there are no more.
static bool keep_suggestion(const struct position *position, int i, char text[KEEP_TEXT_MAX])
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int n = 0; n < position->count[colour][PAWN]; n++) {
            const int square = position->list[colour][PAWN][n];
            if (position->count[colour][PAWN] == 1 || !can_move(position, colour, square) || i-- > 0)
                continue;
            write_pawns(position, colour, square, text);
            return true;
        }
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (position->count[colour][PAWN] == 0 || i-- > 0)
            continue;
        write_pawns(position, colour, NO_SQUARE, text);
        return true;
    }
    return false;
}

// ---- the plan ----

enum {
    COUNTED_MAX = 1000000, // structures that a dry run counts for an effort,
    ADVISED_MAX = 100000,  // and with men kept to their squares
    WORDS_MAX = 32
};

// What the effort solves: "no promotions", "one promotion, to a queen".
static const char *effort_words(int effort, char text[WORDS_MAX])
{
    const int promotions = (effort + 1) / 2;
    const char *queen = effort % 2 == 0 ? "" : promotions == 1 ? ", to a queen" : ", one to a queen";
    if (effort == 0)
        return "no promotions";
    snprintf(text, WORDS_MAX, "%d promotion%s%s", promotions, promotions == 1 ? "" : "s", queen);
    return text;
}

// A size as --memory takes it, rounded up.
static const char *memory_option(uint64_t bytes, char text[WORDS_MAX])
{
    const int unit = bytes < UINT64_C(10) << 30 ? 2 : bytes < UINT64_C(10) << 40 ? 3 : 4;
    snprintf(text, WORDS_MAX, "%.0f%c", ceil(ldexp((double)bytes, -10 * unit)), "BKMGT"[unit]);
    return text;
}

// Does the planned work fit? If not, says what would help, and how much of it.
static bool fits(struct solve_run *run)
{
    const uint64_t allowed = verdict_memory_allowed(&run->request);
    const uint64_t memory = verdict_memory(&run->verdict, false);
    const uint64_t least = verdict_memory(&run->verdict, true);
    char text[WORDS_MAX];
    if ((run->request.store.scratch != NULL ? least : memory) <= allowed)
        return true;
    printf("    too much for %s of memory: --memory %s, ", unit_bytes(allowed).text, memory_option(memory, text));
    if (run->request.store.scratch == NULL && least <= allowed)
        printf("--scratch with a folder, ");
    else if (least < memory)
        printf("--scratch with a folder and --memory %s, ", memory_option(least, text));
    printf("or --keep\n");
    return false;
}

// Says what remains of an effort if one pawn, or all pawns of a side, are kept on their squares.
static int advise(struct solve_run *run, const struct position *position, int effort)
{
    const size_t structures = run->request.structures;
    char keep[KEEP_TEXT_MAX];
    if (run->keep != NULL)
        return 0;
    run->request.structures = structures < ADVISED_MAX ? structures : ADVISED_MAX;
    for (int i = 0; keep_suggestion(position, i, keep); i++) {
        TRY(keep_read(&run->request.sets, keep, position));
        const int code = verdict_plan(&run->verdict, position, &run->request, effort);
        if (code == CLTB_E_MEMORY)
            continue;
        TRY(code);
        printf("    --keep '%s': ", keep);
        print_graph_size(&run->verdict.planned);
        printf("\n");
    }
    run->request.structures = structures;
    run->request.sets = (struct structure_sets){.squares = {{0}}};
    return 0;
}

// Says what is given up if an effort does not fit: what it would solve is solved in part, the rest assumed.
static void print_given_up(int effort)
{
    char text[WORDS_MAX];
    if (effort == 0)
        printf("    if that does not fit, nothing can be solved\n");
    else
        printf("    if that does not fit: all with %s (effort %d), and more promotions only where the outcome depends "
               "on them, as far as memory goes; what other promotions lead to is assumed to be won by one side "
               "(bounded)\n",
               effort_words(effort - 1, text), effort - 1);
}

// Plans one effort after another, up to the first that does not fit: greater ones would not, either.
static int dry_run(struct solve_run *run, const struct position *position)
{
    const int last = run->request.effort;
    const bool all = run->request.structures <= COUNTED_MAX; // rather than as many as a dry run counts
    size_t structures = 0;
    run->request.structures = all ? run->request.structures : COUNTED_MAX;
    for (int effort = 0; effort <= last; effort++) {
        char text[WORDS_MAX];
        const int code = verdict_plan(&run->verdict, position, &run->request, effort);
        if (code != 0 && code != CLTB_E_MEMORY)
            return code;
        const struct structure_graph *graph = &run->verdict.planned;
        if (code == 0 && graph->solved == structures) // nor would greater efforts solve more
            return 0;
        printf("effort %d, %s: ", effort, effort_words(effort, text));
        if (code == 0) {
            structures = graph->solved;
            print_graph_size(graph);
            printf(", memory %s\n", unit_bytes(verdict_memory(&run->verdict, false)).text);
            if (run->verbose)
                TRY(print_graph_materials(&run->verdict.planned));
        } else {
            printf(all ? "%s; --budget and --memory allow more, --keep leaves fewer\n"
                       : "%s; a dry run counts no further\n",
                   error_text());
        }
        if (code != 0 || !fits(run)) {
            print_given_up(effort);
            return effort == 0 || code == 0 ? advise(run, position, effort) : 0;
        }
        if (graph->bounded == 0)
            return 0;
    }
    return 0;
}

// ---- the answer ----

// The table that has the position itself, as "table KPvK (tables/KPvK.cltb)"; NULL: there is none.
static const char *find_source(const struct solve_run *run, char text[SOURCE_MAX])
{
    const struct verdict *verdict = &run->verdict;
    struct material material = verdict->graph.root;
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    if (verdict->store == NULL || verdict->graph.structure[0].state != STRUCTURE_TABLE || verdict->graph.structures > 1)
        return NULL;
    material_normalise(&material);
    if (material_men(&material) == 2 || table_locate(path, sizeof path, run->request.store.folders, &material) != 0)
        return NULL;
    snprintf(text, SOURCE_MAX, "table %s (%s)", material_name(&material, name), path);
    return text;
}

static int print_text(const struct solve_run *run)
{
    const struct verdict *verdict = &run->verdict;
    const bool proved = verdict_certain(&verdict->answer.value, false);
    char text[SOURCE_MAX];
    TRY(text_structure_answer(&verdict->answer, &verdict->values, find_source(run, text)));
    if (verdict->stopped[0] != '\0' && (run->verbose || !proved))
        printf("more effort: %s\n", verdict->stopped);
    if (verdict->store != NULL && structure_store_resumed(verdict->store) > 0)
        printf("resumed: an earlier run had solved %zu structures\n", structure_store_resumed(verdict->store));
    if (verdict->search_resumed)
        printf("resumed: the search continued where an earlier run had stopped\n");
    if (!run->verbose) {
        if (verdict->rests.count > 0)
            printf("-v says what it depends on\n");
        return 0;
    }
    print_rests(verdict);
    if (verdict->searched)
        printf("search: structures of kings and pawns %" PRIu64 ", with one more piece %" PRIu64 ", with two %" PRIu64
               "; positions in searches by moves %" PRIu64 "\n",
               verdict->searched_counts.solved[0], verdict->searched_counts.solved[1],
               verdict->searched_counts.solved[2], verdict->searched_counts.positions);
    if (verdict->store != NULL)
        printf("effort %d, ", verdict->effort);
    printf("%.1f s, at most %s of memory", wall_seconds() - run->start, unit_bytes(os_peak_memory()).text);
    if (verdict->store != NULL) {
        printf("; ");
        print_graph_size(&verdict->graph);
    }
    printf("\n");
    return 0;
}

static int print_json(const struct solve_run *run)
{
    const struct verdict *verdict = &run->verdict;
    struct json json = {.depth = 0};
    json_open(&json, NULL, '{');
    json_text(&json, "fen", run->fen);
    const int code = json_structure_answer(&json, &verdict->answer, &verdict->values);
    json_rests(&json, verdict);
    json_int(&json, "effort", verdict->effort);
    json_count(&json, "structures", verdict->graph.solved);
    json_count(&json, "bounded", verdict->graph.bounded);
    json_count(&json, "positions", structure_graph_positions(&verdict->graph));
    json_count(&json, "resumed", verdict->store != NULL ? structure_store_resumed(verdict->store) : 0);
    json_bool(&json, "searched", verdict->searched);
    json_bool(&json, "search_resumed", verdict->search_resumed);
    json_real(&json, "seconds", 2, wall_seconds() - run->start);
    json_count(&json, "peak_memory", os_peak_memory());
    json_close(&json);
    return code;
}

static int print_answer(const struct solve_run *run, const char *format)
{
    if (strcmp(format, "json") == 0)
        return print_json(run);
    if (strcmp(format, "text") == 0)
        return print_text(run);
    printf("%s", run->fen);
    tsv_structure_answer(&run->verdict.answer);
    return 0;
}

// ---- the file ----

// The length of a FEN without the counters of moves.
static size_t position_length(const char *fen)
{
    size_t length = 0;
    for (int field = 0; field < 4; field++)
        length += strcspn(fen + length, " ") + 1;
    return length;
}

// Before any work: can the file be written? It stays locked. An existing file must be of the same position.
static int check_output(struct solve_run *run, const char *fen)
{
    const char *path = run->output;
    struct structure_file *file = NULL;
    struct proof *proof = NULL;
    TRY(part_file_open(&run->part, path));
    if (access(path, F_OK) != 0)
        return 0;
    if (proof_is(path))
        (void)proof_open(&proof, path, run->request.store.folders);
    else
        (void)structure_file_open(&file, path, run->request.store.folders, 1 << 20);
    const char *found = proof != NULL ? proof->fen : file != NULL ? file->fen : "";
    const bool same = strncmp(found, fen, position_length(fen)) == 0;
    structure_file_close(file);
    proof_close(proof);
    return same ? 0 : error_set(CLTB_E_FOREIGN, "%s exists, but not for this position; give another --output", path);
}

static int write_output(struct solve_run *run, const char *fen)
{
    struct verdict *verdict = &run->verdict;
    fflush(stdout); // the answer, before the longer part of the work
    run->writing = true;
    TRY(part_file_check(&run->part));
    part_file_close(&run->part); // the writers lock it
    if (verdict->search != NULL)
        return proof_write(run->output, verdict->search, &verdict->answer.position,
                           verdict_memory_allowed(&run->request) / 4, verdict->pool);
    if (verdict->store == NULL)
        return error_set(CLTB_E_MEMORY, "the search has not decided the outcome: there is no proof to write");
    return structure_file_write(run->output, fen, verdict->effort, &verdict->graph, verdict->store, verdict->pool);
}

static void keep_search(const struct verdict *verdict, int code)
{
    if (code == 0 && verdict_certain(&verdict->answer.value, false))
        remove(verdict->search_file);
    else if (verdict->search_unsaved[0] != '\0')
        fprintf(stderr, "what the search knows is not kept: %s\n", verdict->search_unsaved);
    else if (code != 0)
        error_append(code, "; %s keeps the search: run the same command again to continue it", verdict->search_file);
    else
        fprintf(stderr, "%s keeps the search: the same command continues it\n", verdict->search_file);
}

// What is solved stays in the scratch folder if the command fails, or if more effort may decide more.
static int keep_work(struct solve_run *run, int code)
{
    const char *work = run->verdict.store != NULL ? structure_store_work(run->verdict.store) : NULL;
    const bool open = code == 0 && run->output == NULL && !verdict_certain(&run->verdict.answer.value, false);
    run->verdict.keep = code != 0 || open;
    if (code == CLTB_E_INTERRUPTED && interrupted != 0)
        error_set(code, "interrupted");
    if (code != 0 && !run->writing && run->verdict.answered > 0) {
        char outcomes[VERDICT_MAX];
        error_append(code, "; effort %d found: %s", run->verdict.answered - 1,
                     verdict_outcomes(&run->verdict.known, outcomes));
    } else if (code != 0 && run->verdict.searched) {
        char outcomes[VERDICT_MAX];
        error_append(code, "; so far: %s", verdict_outcomes(&run->verdict.known, outcomes));
    }
    if (run->verdict.search_file[0] != '\0')
        keep_search(&run->verdict, code);
    if (code != 0 && work != NULL)
        error_append(code, "; %s keeps what is solved: run the same command again to resume", work);
    else if (open && work != NULL)
        fprintf(stderr, "%s keeps what is solved; the same command with more --effort continues from it\n", work);
    else if (code == CLTB_E_INTERRUPTED && run->request.store.scratch == NULL)
        error_append(code, "; without --scratch nothing is kept");
    return code;
}

// ---- castling rights ----

static int castling_known(const struct structure_values *values, int winner, struct position *position,
                          struct cltb_value *value, enum structure_state *state)
{
    (void)winner;                                                  // nothing is bounded
    const bool zeroed = position->ply > 0 && position->fifty == 0; // by the last move: only the outcome counts
    *state = position->castling != 0 ? STRUCTURE_SOLVED : STRUCTURE_TABLE;
    return castling_value(values->context, position, position->castling == 0 || !zeroed, value);
}

// Positions with castling rights take tables.
static int solve_castling(struct solve_run *run, const struct position *position, const char *format)
{
    cltb_tables *tables = NULL;
    int code = cltb_open(&tables, run->request.store.folders, NULL);
    run->verdict.values = (struct structure_values){.context = tables, .known = castling_known};
    position_copy(&run->verdict.answer.position, position);
    THEN(code, structure_answer_find(&run->verdict.answer, &run->verdict.values));
    THEN(code, print_answer(run, format));
    cltb_close(tables);
    return code;
}

static int solve(struct solve_run *run, const char *format, bool dot)
{
    struct position position;
    TRY(fen_read(&position, run->fen));
    if (position.castling != 0 && run->keep == NULL && run->output == NULL && !dot && !run->plan)
        return solve_castling(run, &position, format);
    if (run->keep != NULL)
        TRY(keep_read(&run->request.sets, run->keep, &position));
    if (dot) {
        TRY(verdict_plan(&run->verdict, &position, &run->request, run->request.effort));
        return print_graph_dot(&run->verdict.planned, run->fen);
    }
    if (run->plan)
        return dry_run(run, &position);
    char fen[FEN_MAX];
    fen_write(&position, fen);
    if (run->request.store.scratch != NULL)
        TRY(folder_make_scratch(run->request.store.scratch));
    if (run->output != NULL)
        TRY(check_output(run, fen));
    interrupts_catch();
    int code = verdict_find(&run->verdict, &position, &run->request);
    if (code == CLTB_E_MEMORY)
        error_append(code, " (--dry-run says what would help)");
    clear_progress(run);
    THEN(code, print_answer(run, format));
    if (code == 0 && run->output != NULL)
        code = write_output(run, fen);
    clear_progress(run);
    return keep_work(run, code);
}

static int run(int argc, char **argv)
{
    const char *format = "text";
    const char *dir = NULL;
    const char *scratch = NULL;
    const char *output = NULL;
    const char *keep = NULL;
    const char *device = NULL;
    uint64_t tables_men = 0; // not given
    uint64_t effort = STRUCTURE_EFFORTS;
    uint64_t most = 4000000;
    uint64_t memory = 0;
    uint64_t threads = 0;
    bool plan = false;
    bool dot = false;
    bool quiet = false;
    bool verbose = false;
    bool all_moves = false;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--tables-men", .kind = OPTION_NUMBER, .value = &tables_men, .least = 2, .most = MATERIAL_MEN_MAX},
        {.name = "--effort", .kind = OPTION_NUMBER, .value = &effort, .least = 0, .most = STRUCTURE_EFFORTS - 1},
        {.name = "--keep", .kind = OPTION_TEXT, .value = &keep},
        {.name = "--budget", .kind = OPTION_NUMBER, .value = &most, .least = 1, .most = UINT32_MAX / 2},
        {.name = "--memory", .kind = OPTION_SIZE, .value = &memory, .least = 1 << 20},
        {.name = "--scratch", .kind = OPTION_FOLDER, .value = &scratch},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = "--device", .kind = OPTION_TEXT, .value = &device, .choices = "auto|gpu|cpu"},
        {.name = "--output", .kind = OPTION_FILE, .value = &output},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|tsv|json"},
        {.name = "--dry-run", .kind = OPTION_FLAG, .value = &plan},
        {.name = "--dot", .kind = OPTION_FLAG, .value = &dot},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &quiet},
        {.name = "--all-moves", .kind = OPTION_FLAG, .value = &all_moves},
        {.name = "--verbose", .letter = 'v', .kind = OPTION_FLAG, .value = &verbose},
        {.name = NULL}};
    static const struct option_rule rules[] = {
        {"--output", "--dry-run --dot", "", "--output keeps what was solved: not with --dry-run or --dot"},
        {"--output", "--keep", "", "--output keeps what is true of chess: not with --keep"},
        {"--dot", "--dry-run", "", "either --dry-run or --dot"},
        {NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "solve", argc, argv, options));
    TRY(options_check(&arguments, rules));
    if (arguments.count != 1)
        return usage_fault("solve", arguments.count == 0 ? "a FEN is missing" : "one FEN at a time, in quotes");
    const char *end = output == NULL ? NULL : strrchr(output, '.');
    if (output != NULL && (end == NULL || strcmp(end, ".cltb") != 0))
        return usage_fault("solve", "the name of a file of --output ends in .cltb");
    struct solve_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return report("solve", error_memory(sizeof *run, "a verdict"));
    const char *folders = tables_dir(dir);
    const char *first = folders + strspn(folders, OS_LIST);
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)strcspn(first, OS_LIST), first);
    run->fen = arguments.word[0];
    run->keep = keep;
    run->output = output;
    run->plan = plan;
    run->quiet = quiet;
    run->verbose = verbose;
    run->start = wall_seconds();
    run->build = (struct build_options){.dir = folder,
                                        .statistics = &stats_gather_ops,
                                        .search = folders,
                                        .device = device,
                                        .threads = (int)threads,
                                        .memory = memory,
                                        .scratch = scratch,
                                        .checkpoint = 60,
                                        .event = on_build,
                                        .context = run};
    run->request = (struct verdict_request){.store = {.folders = folders,
                                                      .scratch = scratch,
                                                      .progress = on_progress,
                                                      .stopped = is_interrupted,
                                                      .context = run},
                                            .tables_men = tables_men > 0 ? (int)tables_men : 5,
                                            .memory = memory,
                                            .effort = effort < STRUCTURE_EFFORTS ? (int)effort
                                                      : dot                      ? 0
                                                                                 : STRUCTURE_EFFORTS - 1,
                                            .locked = keep == NULL && output == NULL,
                                            .structures = (size_t)most,
                                            .whole = 100000000,
                                            .search = effort == STRUCTURE_EFFORTS ? most : 0,
                                            .keep_search = output != NULL,
                                            .all_moves = all_moves,
                                            .searching = on_searching,
                                            .threads = (int)threads,
                                            .make = tables_men > 2 && !dot ? make_tables : NULL};
    run->part.file = -1;
    int code = choose_device(run, device != NULL ? device : "cpu");
    THEN(code, solve(run, format, dot));
    part_file_close(&run->part);
    verdict_free(&run->verdict);
    free(run);
    return code == 0 ? EXIT_DONE : report("solve", code);
}

const struct command solve_command = {"solve", run, "solves a position with all that can come of it"};
