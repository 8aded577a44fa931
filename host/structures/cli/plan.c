// plan.c - the graph of structures by material, as text and as a drawing; the assumptions behind a verdict
#include "structures/cli/plan.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct material_row {
    struct material material;
    enum structure_state state; // the same for all structures of a material
    size_t structures;
};

struct rows {
    struct material_row *row;
    size_t count;
    size_t room;
    uint32_t *of;  // [structures of the graph] the row of each
    uint8_t *edge; // [count][count]: does one row lead to the other?
    struct structure_graph *graph;
    size_t from;
};

static void rows_free(struct rows *rows)
{
    free(rows->row);
    free(rows->of);
    free(rows->edge);
}

// rows_free() must follow even after an error.
static int rows_make(struct rows *rows, struct structure_graph *graph)
{
    *rows = (struct rows){.graph = graph};
    TRY(memory_new(&rows->of, graph->structures, sizeof *rows->of, "materials"));
    for (size_t i = 0; i < graph->structures; i++) {
        const struct material material = structure_material(&graph->structure[i].key);
        size_t at = 0;
        while (at < rows->count && !material_equal(&rows->row[at].material, &material))
            at++;
        if (at == rows->count) {
            TRY(memory_grow(&rows->row, &rows->room, at + 1, sizeof *rows->row, "materials"));
            rows->row[rows->count++] = (struct material_row){material, graph->structure[i].state, 0};
        }
        rows->row[at].structures++;
        rows->of[i] = (uint32_t)at;
    }
    return 0;
}

enum { NAME_MAX_BYTES = 2 * (MEN_PER_SIDE_MAX + 1) + 1 };

// The name of a material with any number of men.
static const char *name_of(const struct material *material, char name[NAME_MAX_BYTES])
{
    size_t at = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++)
            for (int n = 0; n < material->count[colour][type]; n++)
                name[at++] = "KQRBNP"[type];
        name[at++] = colour == WHITE ? 'v' : '\0';
    }
    return name;
}

// ---- text ----

void print_graph_size(const struct structure_graph *graph)
{
    printf("structures %zu, positions %s", graph->solved, unit_count((double)structure_graph_positions(graph)).text);
    if (graph->bounded > 0)
        printf("; %zu more are bounded", graph->bounded);
}

static int compare_rows(const void *left, const void *right)
{
    const struct material_row *a = left;
    const struct material_row *b = right;
    const int men = material_men(&b->material) - material_men(&a->material);
    return men != 0 ? men : memcmp(b->material.count, a->material.count, sizeof a->material.count);
}

int print_graph_materials(struct structure_graph *graph)
{
    static const char *const words[] = {[STRUCTURE_SOLVED] = "solved", [STRUCTURE_TABLE] = "in tables"};
    struct rows rows;
    const int code = rows_make(&rows, graph);
    if (code == 0)
        qsort(rows.row, rows.count, sizeof *rows.row, compare_rows);
    for (int state = STRUCTURE_SOLVED; code == 0 && state <= STRUCTURE_TABLE; state++) {
        for (size_t i = 0; i < rows.count; i++) {
            char name[NAME_MAX_BYTES];
            if (rows.row[i].state == (enum structure_state)state)
                printf("    %-24s %10zu %s\n", name_of(&rows.row[i].material, name), rows.row[i].structures,
                       words[state]);
        }
    }
    rows_free(&rows);
    return code;
}

// ---- what a verdict rests on ----

// The assumption that most positions of a side's claim rest on; NULL: none.
static const struct structure_rest *first_rest(const struct verdict *verdict, int claimant)
{
    for (size_t i = 0; i < verdict->rests.count; i++) {
        if (verdict->rests.rest[i].claimant == claimant)
            return &verdict->rests.rest[i];
    }
    return NULL;
}

// The outcome that the side has if its claim holds.
static int claim_of(const struct verdict *verdict, int claimant)
{
    const struct verdict_value *value = &verdict->answer.value;
    return verdict->answer.position.side == claimant ? value->high.outcome : -value->low.outcome;
}

enum { REST_MAX = 320 };

// Writes a structure as "KQPvKP with pawns b2 h7".
static const char *structure_text(const struct structure_key *key, char text[REST_MAX])
{
    const struct material material = structure_material(key);
    char name[NAME_MAX_BYTES];
    size_t at = (size_t)snprintf(text, REST_MAX, "%s", name_of(&material, name));
    uint64_t pawns = key->pawns[WHITE] | key->pawns[BLACK];
    if (pawns != 0)
        at += (size_t)snprintf(text + at, REST_MAX - at, " with pawns");
    for (; pawns != 0 && at < REST_MAX - 4; pawns &= pawns - 1) {
        at += (size_t)snprintf(text + at, REST_MAX - at, " %s", square_name(__builtin_ctzll(pawns)));
    }
    return text;
}

void print_rests(const struct verdict *verdict)
{
    static const char *const men[] = {
        [KING] = "king", [QUEEN] = "queen", [ROOK] = "rook", [BISHOP] = "bishop", [KNIGHT] = "knight", [PAWN] = "pawn"};
    for (int claimant = WHITE; claimant <= BLACK; claimant++) {
        char text[REST_MAX];
        const struct structure_rest *rest = first_rest(verdict, claimant);
        const int claim = claim_of(verdict, claimant);
        if (rest == NULL)
            continue;
        printf("%s %s if %s wins ", colour_name(claimant),
               claim > CLTB_DRAW    ? "wins"
               : claim == CLTB_DRAW ? "draws"
                                    : "loses later than the 50-move rule allows",
               colour_name(claimant));
        printf(rest->leaves ? "when %s's %s leaves for %s, %s" : "what comes of %s's %s on %s, %s",
               colour_name(rest->mover), men[rest->type], square_name(rest->to),
               structure_text(&verdict->graph.structure[rest->number].key, text));
        printf(", among others\n");
    }
}

void json_rests(struct json *json, const struct verdict *verdict)
{
    json_open(json, "rests_on", '[');
    for (size_t i = 0; i < verdict->rests.count; i++) {
        const struct structure_rest *rest = &verdict->rests.rest[i];
        char text[REST_MAX];
        json_open(json, NULL, '{');
        json_text(json, "side", colour_name(rest->claimant));
        json_text(json, "outcome", cltb_outcome_name(claim_of(verdict, rest->claimant)));
        json_bool(json, "leaves", rest->leaves);
        json_text(json, "structure", structure_text(&verdict->graph.structure[rest->number].key, text));
        json_count(json, "positions", rest->positions);
        json_close(json);
    }
    json_close(json);
}

// ---- a drawing ----

static int note_edge(void *context, size_t number, const struct structure_key *key)
{
    struct rows *rows = context;
    (void)key;
    rows->edge[rows->of[rows->from] * rows->count + rows->of[number]] = 1;
    return 0;
}

int print_graph_dot(struct structure_graph *graph, const char *fen)
{
    static const char *const style[] = {[STRUCTURE_SOLVED] = "shape=box",
                                        [STRUCTURE_TABLE] = "shape=note, style=filled, fillcolor=\"#fff3c4\"",
                                        [STRUCTURE_BOUNDED] = "shape=box, style=dashed"};
    static const char *const word[] = {
        [STRUCTURE_SOLVED] = "solved", [STRUCTURE_TABLE] = "in a table", [STRUCTURE_BOUNDED] = "bounded"};
    struct rows rows;
    int code = rows_make(&rows, graph);
    THEN(code, memory_new(&rows.edge, rows.count * rows.count, 1, "materials"));
    for (size_t i = 0; code == 0 && i < graph->structures; i++) {
        rows.from = i;
        if (graph->structure[i].state == STRUCTURE_SOLVED)
            code = structure_each_successor(graph, &graph->structure[i].key, note_edge, &rows);
    }
    if (code == 0) {
        printf("// what can come of %s: cltb solve --dot | dot -Tsvg\n", fen);
        printf("digraph structures {\n    node [fontname=\"Helvetica\"]\n");
    }
    for (size_t i = 0; code == 0 && i < rows.count; i++) {
        char name[NAME_MAX_BYTES];
        printf("    m%zu [label=\"%s\\n%zu %s\", %s]\n", i, name_of(&rows.row[i].material, name),
               rows.row[i].structures, word[rows.row[i].state], style[rows.row[i].state]);
    }
    for (size_t i = 0; code == 0 && i < rows.count; i++) {
        for (size_t j = 0; j < rows.count; j++) {
            const bool promotion = material_men(&rows.row[i].material) == material_men(&rows.row[j].material);
            if (i != j && rows.edge[i * rows.count + j])
                printf("    m%zu -> m%zu%s\n", i, j, promotion ? " [style=dashed]" : "");
        }
    }
    if (code == 0)
        printf("}\n");
    rows_free(&rows);
    return code;
}
