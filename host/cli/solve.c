// solve.c - `cltb solve`: what a position of any number of men is worth, by all structures that can come of it
#include "cli/command.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "show/values.h"
#include "structures/verdict.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/os.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_PLIES_MAX = 100 };

struct solve_run {
    struct verdict_request request;
    struct verdict verdict;
    const char *fen;
    bool quiet;
    bool shown; // progress
    double start;
};

static int on_progress(void *context, size_t solved, size_t all)
{
    struct solve_run *run = context;
    if (!run->quiet && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\reffort %d: %zu of %zu structures  ", run->verdict.effort, solved, all);
        run->shown = true;
    }
    return 0;
}

// ---- the plan ----

struct material_row {
    struct material material;
    size_t structures;
};

static int compare_rows(const void *left, const void *right)
{
    const struct material_row *a = left;
    const struct material_row *b = right;
    const int men = material_men(&b->material) - material_men(&a->material);
    return men != 0 ? men : memcmp(b->material.count, a->material.count, sizeof a->material.count);
}

static void print_size(const struct structure_graph *graph)
{
    const struct structure_memory memory = structure_memory(graph);
    printf("structures %zu, positions %s, memory %s", graph->solved,
           unit_count((double)structure_graph_positions(graph)).text, unit_bytes(memory.kept + memory.work).text);
    if (graph->bounded > 0)
        printf("; %zu more are bounded", graph->bounded);
    printf("\n");
}

// A line for each material of the structures in some state.
static int print_materials(const struct structure_graph *graph, enum structure_state state, const char *word)
{
    struct material_row *row = NULL;
    size_t rows = 0;
    for (size_t i = 0; i < graph->structures; i++) {
        const struct structure *structure = &graph->structure[i];
        const struct material material = structure_material(&structure->key);
        size_t at = 0;
        if (structure->state != state)
            continue;
        while (at < rows && !material_equal(&row[at].material, &material))
            at++;
        if (at == rows) {
            struct material_row *larger = realloc(row, (rows + 1) * sizeof *row);
            if (larger == NULL) {
                free(row);
                return error_memory((rows + 1) * sizeof *row, "materials");
            }
            row = larger;
            row[rows++] = (struct material_row){material, 0};
        }
        row[at].structures++;
    }
    if (rows > 0)
        qsort(row, rows, sizeof *row, compare_rows);
    for (size_t i = 0; i < rows; i++) {
        const struct material *m = &row[i].material;
        char name[2 * (MEN_PER_SIDE_MAX + 1) + 1];
        size_t at = 0;
        for (int colour = WHITE; colour <= BLACK; colour++) {
            for (int type = KING; type <= PAWN; type++)
                for (int n = 0; n < m->count[colour][type]; n++)
                    name[at++] = "KQRBNP"[type];
            name[at++] = colour == WHITE ? 'v' : '\0';
        }
        printf("    %-24s %10zu %s\n", name, row[i].structures, word);
    }
    free(row);
    return 0;
}

static int dry_run(struct solve_run *run, const struct position *position)
{
    int last = run->request.effort;
    for (int effort = 0; effort <= last; effort++) {
        int code = verdict_plan(&run->verdict, position, &run->request, effort);
        if (code == CLTB_E_MEMORY && effort > 0) {
            printf("effort %d: %s\n", effort, error_text());
            return 0;
        }
        TRY(code);
        printf("effort %d: ", effort);
        print_size(&run->verdict.planned);
        TRY(print_materials(&run->verdict.planned, STRUCTURE_SOLVED, "solved"));
        TRY(print_materials(&run->verdict.planned, STRUCTURE_TABLE, "in tables"));
        if (run->verdict.planned.bounded == 0)
            return 0;
    }
    return 0;
}

// ---- the answer ----

static void print_interval(const struct verdict_value *value)
{
    if (verdict_certain(value, true)) {
        printf("%s", cltb_outcome_name(value->low.outcome));
        text_dtz(stdout, " ", value->low, " or ");
    } else if (verdict_certain(value, false)) {
        const int a = value->low.dtz;
        const int b = value->high.dtz;
        printf("%s %d to %d", cltb_outcome_name(value->low.outcome), a < b ? a : b, a < b ? b : a);
    } else {
        printf("%s to %s", cltb_outcome_name(value->low.outcome), cltb_outcome_name(value->high.outcome));
    }
}

static int print_line(const struct verdict *verdict)
{
    uint32_t line[LINE_PLIES_MAX];
    struct position p;
    const int plies = verdict_line(verdict, line, LINE_PLIES_MAX);
    if (plies <= 0)
        return plies;
    position_copy(&p, &verdict->position);
    printf("best line:");
    for (int i = 0; i < plies; i++) {
        char san[SAN_MAX];
        san_write(&p, line[i], san);
        if (p.side == WHITE || i == 0)
            printf(" %u%s", (unsigned)p.move_number, p.side == WHITE ? "." : "...");
        printf(" %s", san);
        TRY(position_make(&p, line[i]));
    }
    printf("\n");
    return 0;
}

static int print_text(const struct solve_run *run)
{
    const struct verdict *verdict = &run->verdict;
    const bool proved = verdict_certain(&verdict->value, false);
    char san[SAN_MAX];
    printf("%s\n", run->fen);
    print_interval(&verdict->value);
    printf(proved ? ", proved" : ", not decided");
    if (verdict->moves == 0)
        printf(position_in_check(&verdict->position) ? " (checkmate)" : " (stalemate)");
    if (verdict->moves > 0 && proved) {
        const int only = verdict_only_move(verdict);
        san_write(&verdict->position, verdict->move[0].move, san);
        printf(": %s%s", san,
               only > 0    ? " is the only move"
               : only == 0 ? ", and other moves, too"
                           : "; whether others do is not decided");
    }
    printf("\n");
    for (int i = 0; i < verdict->moves; i++) {
        char uci[UCI_MAX];
        san_write(&verdict->position, verdict->move[i].move, san);
        uci_write(verdict->move[i].move, uci);
        printf("    %-8s %-6s ", san, uci);
        print_interval(&verdict->move[i].value);
        printf("\n");
    }
    TRY(print_line(verdict));
    if (verdict->stopped[0] != '\0')
        printf("more effort: %s\n", verdict->stopped);
    printf("effort %d, %.1f s, at most %s held; ", verdict->effort, wall_seconds() - run->start,
           unit_bytes(os_peak_memory()).text);
    print_size(&verdict->graph);
    return 0;
}

static void print_tsv(const struct solve_run *run)
{
    const struct verdict_value *value = &run->verdict.value;
    printf("%s\t", run->fen);
    if (verdict_certain(value, true)) {
        printf("%s\t", cltb_outcome_name(value->low.outcome));
        text_dtz(stdout, "", value->low, "-");
    } else if (verdict_certain(value, false)) {
        printf("%s\t", cltb_outcome_name(value->low.outcome));
    } else {
        printf("%s to %s\t", cltb_outcome_name(value->low.outcome), cltb_outcome_name(value->high.outcome));
    }
    printf("\n");
}

static void json_interval(struct json *json, const struct verdict_value *value)
{
    json_bool(json, "proved", verdict_certain(value, false));
    if (verdict_certain(value, true)) {
        json_value(json, value->low);
        return;
    }
    json_open(json, "least", '{');
    json_value(json, value->low);
    json_close(json);
    json_open(json, "greatest", '{');
    json_value(json, value->high);
    json_close(json);
}

static int print_json(const struct solve_run *run)
{
    const struct verdict *verdict = &run->verdict;
    const int only = verdict_only_move(verdict);
    uint32_t line[LINE_PLIES_MAX];
    const int plies = verdict_line(verdict, line, LINE_PLIES_MAX);
    struct json json = {.depth = 0};
    char san[SAN_MAX];
    char uci[UCI_MAX];
    json_open(&json, NULL, '{');
    json_text(&json, "fen", run->fen);
    json_interval(&json, &verdict->value);
    if (only >= 0)
        json_bool(&json, "only_move", only > 0 && verdict->moves > 0);
    else
        json_null(&json, "only_move");
    json_open(&json, "moves", '[');
    for (int i = 0; i < verdict->moves; i++) {
        const struct verdict_move *move = &verdict->move[i];
        san_write(&verdict->position, move->move, san);
        uci_write(move->move, uci);
        json_open(&json, NULL, '{');
        json_text(&json, "uci", uci);
        json_text(&json, "san", san);
        json_interval(&json, &move->value);
        json_bool(&json, "zeroing", move->zeroing);
        json_bool(&json, "mate", move->mate);
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "line", '[');
    for (int i = 0; i < plies; i++) {
        uci_write(line[i], uci);
        json_text(&json, NULL, uci);
    }
    json_close(&json);
    json_int(&json, "effort", verdict->effort);
    json_count(&json, "structures", verdict->graph.solved);
    json_count(&json, "bounded", verdict->graph.bounded);
    json_count(&json, "positions", structure_graph_positions(&verdict->graph));
    json_real(&json, "seconds", 2, wall_seconds() - run->start);
    json_count(&json, "peak_memory", os_peak_memory());
    json_close(&json);
    return plies < 0 ? plies : 0;
}

static int solve(struct solve_run *run, const char *format, bool plan)
{
    struct position position;
    TRY(fen_read(&position, run->fen));
    if (plan)
        return dry_run(run, &position);
    const int code = verdict_find(&run->verdict, &position, &run->request);
    if (run->shown)
        fprintf(stderr, "\r%50s\r", "");
    TRY(code);
    if (strcmp(format, "json") == 0)
        return print_json(run);
    if (strcmp(format, "text") == 0)
        return print_text(run);
    print_tsv(run);
    return 0;
}

static int run(int argc, char **argv)
{
    const char *format = "text";
    const char *dir = NULL;
    const char *scratch = NULL;
    uint64_t tables_men = 5;
    uint64_t effort = STRUCTURE_EFFORTS - 1;
    uint64_t most = 4000000;
    uint64_t memory = 0;
    uint64_t threads = 0;
    bool plan = false;
    bool quiet = false;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--tables-men", .kind = OPTION_NUMBER, .value = &tables_men, .least = 2, .most = MATERIAL_MEN_MAX},
        {.name = "--effort", .kind = OPTION_NUMBER, .value = &effort, .least = 0, .most = STRUCTURE_EFFORTS - 1},
        {.name = "--budget", .kind = OPTION_NUMBER, .value = &most, .least = 1, .most = UINT32_MAX / 2},
        {.name = "--memory", .kind = OPTION_SIZE, .value = &memory, .least = 1 << 20},
        {.name = "--scratch", .kind = OPTION_FOLDER, .value = &scratch},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|tsv|json"},
        {.name = "--dry-run", .kind = OPTION_FLAG, .value = &plan},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &quiet},
        {.name = NULL}};
    struct arguments arguments;
    const int status = options_parse(&arguments, "solve", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count != 1)
        return usage_fault("solve", arguments.count == 0 ? "a FEN is missing" : "one FEN at a time, in quotes");
    struct solve_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return report("solve", error_memory(sizeof *run, "a verdict"));
    run->fen = arguments.word[0];
    run->quiet = quiet;
    run->start = wall_seconds();
    run->request = (struct verdict_request){.folders = tables_dir(dir),
                                            .tables_men = (int)tables_men,
                                            .memory = memory,
                                            .scratch = scratch,
                                            .effort = (int)effort,
                                            .structures = (size_t)most,
                                            .threads = (int)threads,
                                            .progress = on_progress,
                                            .context = run};
    const int code = solve(run, format, plan);
    verdict_free(&run->verdict);
    free(run);
    return code == 0 ? EXIT_DONE : report("solve", code);
}

const struct command solve_command = {"solve", run, "solves a position with all that can come of it"};
