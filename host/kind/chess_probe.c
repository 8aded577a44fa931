// chess_probe.c - answers positions from full tables: values, moves, best line, and which tables are missing
#include "kind/chess_probe.h"

#include "kind/chess_answer.h"
#include "make/plan_material.h"
#include "probe/castling.h"
#include "probe/choose.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_prober {
    struct chess_prober chess;
    cltb_tables *tables;
};

// `best`: the best one must be known for certain.
static int rank_moves(struct chess_prober *chess, struct position *position, bool best,
                      struct answer_move move[MOVES_MAX])
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    cltb_tables *tables = ((struct table_prober *)chess)->tables;
    const bool exact = chess->metric != METRIC_DTZ;
    const int count = exact                     ? probe_exact_moves(tables, position, chess->metric, ranked)
                      : position->castling != 0 ? castling_moves(tables, position, ranked)
                                                : probe_moves(tables, position, false, ranked);
    for (int i = 0; i < count; i++)
        move[i] = (struct answer_move){.ranked = ranked[i]};
    if (best && !exact && count > 0 && position->castling == 0)
        TRY(probe_best_known(tables, position, ranked, count));
    return count;
}

static int rank(struct chess_prober *chess, struct position *position, struct answer_move move[MOVES_MAX])
{
    return rank_moves(chess, position, true, move);
}

static int choose(struct chess_prober *chess, struct position *position, const struct answer_move *move, int count)
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    if (position->castling != 0)
        return 0;
    for (int i = 0; i < count; i++)
        ranked[i] = move[i].ranked;
    cltb_tables *tables = ((struct table_prober *)chess)->tables;
    return choose_move(tables, position, ranked, count, NULL, 0, CHOOSE_NODES_LINE).index;
}

enum { SEEN_MAX = 1024, NAMED_MAX = 8 };

struct search {
    const char *folders;
    struct material seen[SEEN_MAX];
    int seen_count;
    struct material first; // the first missing table
    int missing;
    char files[NAMED_MAX * (MATERIAL_NAME_MAX + 8)]; // "KQvK.cltb, KRvK.cltb"
};

// Looks for the file of this material's table, then for those that it leads to. Recurses no deeper than the number of
// men and pawns.
static void look_for(struct search *search, const struct material *material)
{
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    for (int i = 0; i < search->seen_count; i++)
        if (material_equal(&search->seen[i], material))
            return;
    if (search->seen_count == SEEN_MAX)
        return; // enough is known
    search->seen[search->seen_count++] = *material;
    if (!source_find(path, sizeof path, search->folders, material) && search->missing++ < NAMED_MAX) {
        if (search->missing == 1)
            search->first = *material;
        const size_t length = strlen(search->files);
        snprintf(search->files + length, sizeof search->files - length, "%s%s.cltb", length > 0 ? ", " : "",
                 material_name(material, name));
    }
    const int count = plan_futurebases(material, futurebases);
    for (int i = 0; i < count; i++)
        look_for(search, &futurebases[i]);
}

int chess_name_missing(cltb_tables *tables, const struct material *material)
{
    struct search search = {.folders = tables_folders(tables)};
    struct material standard = *material;
    material_normalise(&standard);
    look_for(&search, &standard);
    if (search.missing > NAMED_MAX)
        snprintf(search.files + strlen(search.files), sizeof search.files - strlen(search.files), " and %d more",
                 search.missing - NAMED_MAX);
    if (search.missing > 0)
        tables_missing(search.folders, search.files, search.missing == 1 ? &search.first : &standard);
    return CLTB_E_MISSING;
}

static void look_up_others(struct chess_prober *chess, cltb_tables *tables)
{
    struct answer *answer = &chess->answer;
    answer->fault = 0;
    for (int i = 0; chess->others && i < METRICS; i++) {
        const enum metric metric = (enum metric)i;
        if (metric == chess->metric || answer->position.castling != 0)
            continue;
        const int code = metric == METRIC_DTZ ? probe_position(tables, &answer->position, &answer->other[i])
                                              : probe_exact(tables, &answer->position, metric, &answer->other[i]);
        answer->has_other[i] = code == 0;
        if (code == 0 || code == CLTB_E_MISSING || answer->fault != 0)
            continue;
        answer->fault = code;
        snprintf(answer->fault_text, sizeof answer->fault_text, "%s", error_text());
    }
}

static int look_up(struct chess_prober *chess, bool all_moves)
{
    cltb_tables *tables = ((struct table_prober *)chess)->tables;
    struct answer *answer = &chess->answer;
    const bool exact = chess->metric != METRIC_DTZ;
    const struct material material = material_of(&answer->position);
    look_up_others(chess, tables);
    struct position *p = &answer->position;
    const int code = exact              ? probe_exact(tables, p, chess->metric, &answer->value)
                     : p->castling != 0 ? castling_value(tables, p, true, &answer->value)
                                        : probe_known(tables, p, &answer->value);
    if (p->castling != 0)
        answer->value = value_with_clock(answer->value, p->fifty);
    if (code == CLTB_E_MISSING && !exact)
        return chess_name_missing(tables, &material);
    if (code != 0 || !all_moves)
        return code;
    const int count = rank_moves(chess, &answer->position, false, answer->move);
    answer->moves = count < 0 ? 0 : count;
    if (!exact && count > 0 && answer->move[count - 1].ranked.value.outcome == CLTB_UNKNOWN) {
        chess_name_missing(tables, &material);
        snprintf(answer->missing, sizeof answer->missing, "%s", error_text());
    }
    return count < 0 ? count : 0;
}

static void close_prober(struct prober *prober)
{
    struct table_prober *mine = prober->context;
    cltb_close(mine->tables);
    free(mine);
}

int chess_probe(struct prober *prober, const struct probe_request *request)
{
    struct table_prober *mine;
    TRY(memory_new(&mine, 1, sizeof *mine, "probing"));
    mine->chess.metric = request->metric == NULL ? METRIC_DTZ : metric_of_name(request->metric);
    mine->chess.look_up = look_up;
    mine->chess.choose = mine->chess.metric == METRIC_DTZ ? choose : NULL;
    mine->chess.rank = rank;
    chess_prober_set(prober, &mine->chess, request);
    prober->close = close_prober;
    const int code = cltb_open(&mine->tables, request->folders, NULL);
    if (code != 0)
        free(mine);
    return code;
}

cltb_tables *chess_probe_tables(const struct prober *prober)
{
    return ((const struct table_prober *)prober->context)->tables;
}
