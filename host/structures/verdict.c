// verdict.c - what a position is worth
#include "structures/verdict.h"

#include "chess/value.h"

#include "table/path.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/units.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- which tables there are ----

enum { TABLES_MAX = 1024 };

struct verdict_tables {
    const char *folders;
    int count;
    struct material material[TABLES_MAX];
    bool has[TABLES_MAX];
};

static bool has_table(void *context, const struct material *material)
{
    struct verdict_tables *tables = context;
    char path[PATH_MAX];
    for (int i = 0; i < tables->count; i++) {
        if (material_equal(&tables->material[i], material))
            return tables->has[i];
    }
    const bool has = table_locate(path, sizeof path, tables->folders, material) == 0 && access(path, R_OK) == 0;
    if (tables->count < TABLES_MAX) {
        tables->material[tables->count] = *material;
        tables->has[tables->count++] = has;
    }
    return has;
}

// ---- one effort ----

static uint64_t memory_of(const struct verdict_request *request)
{
    return request->memory > 0 ? request->memory : os_memory() - os_memory() / 8;
}

int verdict_plan(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                 int effort)
{
    struct structure_graph graph;
    if (verdict->tables == NULL)
        TRY(memory_new(&verdict->tables, 1, sizeof *verdict->tables, "tables"));
    verdict->tables->folders = request->folders;
    const struct structure_limits limits = {.tables_men = request->tables_men,
                                            .has_table = has_table,
                                            .context = verdict->tables,
                                            .promoted = (effort + 1) / 2,
                                            .queens = effort % 2 == 1,
                                            .structures = request->structures};
    TRY(structure_graph_make(&graph, position, &limits));
    structure_graph_free(&verdict->planned);
    verdict->planned = graph;
    verdict->planned_limits = limits;
    return 0;
}

// Is there memory for the graph that is planned?
static int check_memory(const struct verdict *verdict, const struct verdict_request *request)
{
    const struct structure_memory memory = structure_memory(&verdict->planned);
    const uint64_t allowed = memory_of(request);
    const uint64_t least = request->scratch != NULL ? memory.work : memory.kept + memory.work;
    return least <= allowed ? 0
                            : error_set(CLTB_E_MEMORY, "%zu structures need %s of memory, %s are allowed",
                                        verdict->planned.solved, unit_bytes(least).text, unit_bytes(allowed).text);
}

// Solves what is planned.
static int solve(struct verdict *verdict, const struct verdict_request *request)
{
    structure_store_close(verdict->store);
    verdict->store = NULL;
    structure_graph_free(&verdict->graph);
    verdict->graph = verdict->planned;
    verdict->planned = (struct structure_graph){.structures = 0};
    verdict->limits = verdict->planned_limits;
    verdict->bounded = verdict->graph.bounded > 0;
    if (verdict->pool == NULL)
        TRY(threads_open(&verdict->pool, request->threads));
    verdict->options = (struct structure_options){.folders = request->folders,
                                                  .memory = request->scratch != NULL ? memory_of(request) : 0,
                                                  .scratch = request->scratch,
                                                  .pool = verdict->pool,
                                                  .progress = request->progress,
                                                  .context = request->context};
    TRY(structure_store_open(&verdict->store, &verdict->graph, &verdict->limits, &verdict->options));
    TRY(structure_store_solve(verdict->store, WHITE));
    return verdict->bounded ? structure_store_solve(verdict->store, BLACK) : 0;
}

// ---- values ----

// Who wins what is bounded where the side to move gets the least; and if nothing is bounded.
static int least_winner(const struct verdict *verdict)
{
    return verdict->bounded ? verdict->position.side ^ 1 : WHITE;
}

static int value_of(const struct verdict *verdict, int winner, const struct verdict_move *move,
                    struct cltb_value *value)
{
    struct position after;
    position_copy(&after, &verdict->position);
    if (move == NULL) {
        TRY(structure_store_value(verdict->store, winner, &after, value));
    } else {
        TRY(position_make(&after, move->move));
        TRY(structure_store_value(verdict->store, winner, &after, value));
        *value = value_before(*value, move->zeroing);
    }
    *value = value_with_clock(*value, verdict->position.fifty);
    return 0;
}

static int both_values(const struct verdict *verdict, const struct verdict_move *move, struct verdict_value *value)
{
    const int least = least_winner(verdict);
    TRY(value_of(verdict, least, move, &value->low));
    value->high = value->low;
    return verdict->bounded ? value_of(verdict, least ^ 1, move, &value->high) : 0;
}

static int compare_moves(const void *left, const void *right)
{
    const struct verdict_move *a = left;
    const struct verdict_move *b = right;
    const int low = value_compare(a->value.low, b->value.low);
    const int high = value_compare(a->value.high, b->value.high);
    if (low != 0 || high != 0)
        return low != 0 ? low : high;
    if (a->mate != b->mate)
        return b->mate - a->mate;
    return a->move < b->move ? -1 : a->move > b->move;
}

// The moves say as much as the position's own value, or more: after a promotion they look at more captures.
static int combine(struct verdict_value *value, const struct verdict_move *moves, int count)
{
    struct cltb_value high = moves[0].value.high;
    for (int i = 1; i < count; i++) {
        if (value_compare(moves[i].value.high, high) < 0)
            high = moves[i].value.high;
    }
    if (value_compare(moves[0].value.low, value->low) > 0 || value_compare(high, value->high) < 0)
        return error_set(CLTB_E_MISMATCH, "the moves of the position do not give its value");
    *value = (struct verdict_value){moves[0].value.low, high};
    return 0;
}

static int evaluate(struct verdict *verdict)
{
    uint32_t moves[MOVES_MAX];
    struct position *position = &verdict->position;
    TRY(both_values(verdict, NULL, &verdict->value));
    verdict->moves = moves_legal(position, moves);
    for (int i = 0; i < verdict->moves; i++) {
        struct verdict_move *move = &verdict->move[i];
        *move = (struct verdict_move){.move = moves[i], .zeroing = move_is_zeroing(position, moves[i])};
        TRY(position_make(position, moves[i]));
        move->mate = position_in_check(position) && !moves_any(position);
        position_undo(position);
        TRY(both_values(verdict, move, &move->value));
    }
    qsort(verdict->move, (size_t)verdict->moves, sizeof verdict->move[0], compare_moves);
    return verdict->moves == 0 ? 0 : combine(&verdict->value, verdict->move, verdict->moves);
}

int verdict_find(struct verdict *verdict, const struct position *position, const struct verdict_request *request)
{
    enum { DISTANCE_POSITIONS = 100000000 }; // no more than so many are solved for the distance alone
    position_copy(&verdict->position, position);
    verdict->stopped[0] = '\0';
    for (int effort = request->first; effort <= request->effort; effort++) {
        const bool again = effort > request->first;
        const bool certain = again && verdict_certain(&verdict->value, false);
        int code = verdict_plan(verdict, position, request, effort);
        if (code == 0)
            code = check_memory(verdict, request);
        if (effort > 0 &&
            (code == CLTB_E_MEMORY || (certain && structure_graph_positions(&verdict->planned) > DISTANCE_POSITIONS))) {
            if (!certain)
                snprintf(verdict->stopped, sizeof verdict->stopped, "%s", error_text());
            return 0;
        }
        if (code == 0) {
            verdict->effort = effort;
            code = solve(verdict, request);
        }
        TRY(code);
        TRY(evaluate(verdict));
        if (!verdict->bounded || verdict_certain(&verdict->value, true))
            return 0;
    }
    return 0;
}

void verdict_free(struct verdict *verdict)
{
    structure_store_close(verdict->store);
    structure_graph_free(&verdict->graph);
    structure_graph_free(&verdict->planned);
    threads_close(verdict->pool);
    free(verdict->tables);
    verdict->store = NULL;
    verdict->pool = NULL;
    verdict->tables = NULL;
}

int verdict_only_move(const struct verdict *verdict)
{
    int only = 1;
    for (int i = 1; i < verdict->moves; i++) {
        if (verdict->move[i].value.low.outcome >= verdict->value.high.outcome)
            return 0;
        if (verdict->move[i].value.high.outcome >= verdict->value.low.outcome)
            only = -1;
    }
    return verdict_certain(&verdict->value, false) ? only : -1;
}

// ---- the best line ----

// The best move by the values of one run: false if there is none or a table has the position.
static int best_move(const struct verdict *verdict, int winner, struct position *position, uint32_t *best, bool *found)
{
    uint32_t moves[MOVES_MAX];
    struct cltb_value value = {0};
    const struct structure_key key = structure_of(position);
    const size_t number = structure_find(&verdict->graph, &key);
    *found = false;
    if (number == SIZE_MAX || verdict->graph.structure[number].state != STRUCTURE_SOLVED)
        return 0;
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(position, moves[i]);
        struct cltb_value after;
        TRY(position_make(position, moves[i]));
        const int code = structure_store_value(verdict->store, winner, position, &after);
        position_undo(position);
        TRY(code);
        after = value_before(after, zeroing);
        if (!*found || value_compare(after, value) < 0) {
            value = after;
            *best = moves[i];
        }
        *found = true;
    }
    return 0;
}

int verdict_line(const struct verdict *verdict, uint32_t *line, int most)
{
    struct position position;
    const bool lost = verdict->value.high.outcome < CLTB_DRAW;
    const int winner = verdict->bounded ? least_winner(verdict) ^ (lost ? 1 : 0) : WHITE;
    int plies = 0;
    position_copy(&position, &verdict->position);
    if (!verdict_certain(&verdict->value, false) || verdict->value.low.outcome == CLTB_DRAW)
        return 0;
    for (; plies < most; plies++) {
        bool found;
        TRY(best_move(verdict, winner, &position, &line[plies], &found));
        if (!found)
            break;
        TRY(position_make(&position, line[plies]));
    }
    return plies;
}
