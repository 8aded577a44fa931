// verdict.c - what a position is worth
#include "structures/verdict.h"

#include "index/pawns.h"
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
    bool make; // those that are missing, too
    int missing;
    struct material wanted[TABLES_MAX]; // [missing]
};

static bool has_table(void *context, const struct material *material)
{
    struct verdict_tables *tables = context;
    char path[PATH_MAX];
    for (int i = 0; i < tables->count; i++) {
        if (material_equal(&tables->material[i], material))
            return tables->has[i];
    }
    bool has = table_locate(path, sizeof path, tables->folders, material) == 0 && access(path, R_OK) == 0;
    if (!has && tables->make && tables->count < TABLES_MAX &&
        material->count[WHITE][PAWN] + material->count[BLACK][PAWN] <= PAWNS_MAX) {
        tables->wanted[tables->missing++] = *material;
        has = true;
    }
    if (tables->count < TABLES_MAX) {
        tables->material[tables->count] = *material;
        tables->has[tables->count++] = has;
    }
    return has;
}

// ---- one effort ----

enum { PROGRAM_BYTES = 20 << 20 }; // of the program, and what is not counted

static uint64_t memory_of(const struct verdict_request *request)
{
    return request->memory > 0 ? request->memory : os_memory() - os_memory() / 8;
}

int verdict_plan(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                 int effort)
{
    // A graph may take a quarter of the memory, where each structure takes up to twice its bytes while it grows.
    const size_t most = (size_t)(memory_of(request) / 4 / (2 * sizeof(struct structure) + 8 * sizeof(uint32_t)));
    struct structure_graph graph;
    if (verdict->tables == NULL)
        TRY(memory_new(&verdict->tables, 1, sizeof *verdict->tables, "tables"));
    verdict->tables->folders = request->folders;
    verdict->tables->make = request->make != NULL;
    verdict->tables->missing = 0;
    const struct structure_limits limits = {.tables_men = request->tables_men,
                                            .has_table = has_table,
                                            .context = verdict->tables,
                                            .promoted = (effort + 1) / 2,
                                            .queens = effort % 2 == 1,
                                            .structures = request->structures < most ? request->structures : most};
    TRY(structure_graph_make(&graph, position, &limits));
    structure_graph_free(&verdict->planned);
    verdict->planned = graph;
    verdict->planned_limits = limits;
    if (verdict->tables->missing == 0 || request->make == NULL)
        return 0;
    return request->make(request->context, verdict->tables->wanted, (size_t)verdict->tables->missing);
}

// Is there memory for the graph that is planned?
static int check_memory(const struct verdict *verdict, const struct verdict_request *request)
{
    const struct structure_memory memory = structure_memory(&verdict->planned);
    const uint64_t allowed = memory_of(request);
    const uint64_t least =
        PROGRAM_BYTES + memory.graph + memory.small + memory.work + (request->scratch != NULL ? 0 : memory.kept);
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
    const struct structure_memory planned = structure_memory(&verdict->graph);
    if (verdict->pool == NULL)
        TRY(threads_open(&verdict->pool, request->threads));
    verdict->options = (struct structure_options){
        .folders = request->folders,
        .memory = request->scratch != NULL ? memory_of(request) - planned.graph - PROGRAM_BYTES : 0,
        .scratch = request->scratch,
        .pool = verdict->pool,
        .progress = request->progress,
        .context = request->context};
    TRY(structure_store_open(&verdict->store, &verdict->graph, &verdict->limits, &verdict->options));
    TRY(structure_store_solve(verdict->store, WHITE));
    return verdict->bounded ? structure_store_solve(verdict->store, BLACK) : 0;
}

int verdict_find(struct verdict *verdict, const struct position *position, const struct verdict_request *request)
{
    enum { DISTANCE_POSITIONS = 100000000 }; // no more than so many are solved for the distance alone
    position_copy(&verdict->answer.position, position);
    verdict->stopped[0] = '\0';
    for (int effort = request->first; effort <= request->effort; effort++) {
        const bool again = effort > request->first;
        const bool certain = again && verdict_certain(&verdict->answer.value, false);
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
        verdict->values = structure_store_values(verdict->store);
        TRY(structure_answer_find(&verdict->answer, &verdict->values));
        if (!verdict->bounded || verdict_certain(&verdict->answer.value, true))
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
