// verdict.c - the value of a position
#include "structures/verdict.h"

#include "probe/probe.h"
#include "structures/keeping.h"
#include "structures/search/kept.h"
#include "table/path.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/units.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- which tables exist ----

enum { TABLES_MAX = 1024 };

struct verdict_tables {
    const char *folders;
    int count;
    struct material material[TABLES_MAX];
    bool has[TABLES_MAX];
    bool make; // also make missing tables
    int missing;
    struct material wanted[TABLES_MAX]; // [missing]
};

static bool has_table(void *context, const struct material *material);

static bool has_any(struct verdict_tables *tables, struct material material)
{
    material_normalise(&material);
    return material_men(&material) == 2 || has_table(tables, &material);
}

// Are there tables of all materials that captures, perhaps with promotion, lead to? A table alone does not have the
// true outcomes of positions that a capture resolves.
static bool has_captures(struct verdict_tables *tables, const struct material *material)
{
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
        const int victim = i / PIECE_TYPES;
        const int type = i % PIECE_TYPES;
        struct material less = *material;
        if (type == KING || less.count[victim][type]-- == 0)
            continue;
        if (!has_any(tables, less))
            return false;
        if (type == PAWN || less.count[victim ^ 1][PAWN]-- == 0)
            continue;
        for (int promoted = QUEEN; promoted <= KNIGHT; promoted++) {
            struct material after = less;
            after.count[victim ^ 1][promoted]++;
            if (!has_any(tables, after))
                return false;
        }
    }
    return true;
}

static bool has_table(void *context, const struct material *material)
{
    struct verdict_tables *tables = context;
    char path[PATH_MAX];
    for (int i = 0; i < tables->count; i++) {
        if (material_equal(&tables->material[i], material))
            return tables->has[i];
    }
    bool has = table_locate(path, sizeof path, tables->folders, material) == 0 && access(path, R_OK) == 0 &&
               has_captures(tables, material);
    if (!has && tables->make && tables->count < TABLES_MAX) {
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

enum { PROGRAM_BYTES = 26 << 20 }; // for the program itself and everything that is not counted

uint64_t verdict_memory_allowed(const struct verdict_request *request)
{
    return request->memory > 0 ? request->memory : os_memory() / 4 * 3;
}

static struct structure_limits effort_limits(int effort)
{
    return (struct structure_limits){.promoted = (effort + 1) / 2, .queens = effort % 2 == 1};
}

int verdict_plan(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                 int effort)
{
    // A graph may use a quarter of the memory. While it grows, each structure takes up to twice its bytes.
    const size_t most =
        (size_t)(verdict_memory_allowed(request) / 4 / (2 * sizeof(struct structure) + 8 * sizeof(uint32_t)));
    struct structure_graph graph;
    if (verdict->tables == NULL)
        TRY(memory_new(&verdict->tables, 1, sizeof *verdict->tables, "tables"));
    verdict->tables->folders = request->store.folders;
    verdict->tables->make = request->make != NULL;
    verdict->tables->missing = 0;
    struct structure_limits limits = effort_limits(effort);
    limits.tables_men = request->tables_men;
    limits.has_table = has_table;
    limits.context = verdict->tables;
    limits.choice = verdict->choice;
    limits.choices = verdict->choices;
    limits.sets = request->sets;
    limits.pool = verdict->pool;
    limits.structures = request->structures < most ? request->structures : most;
    const int code = structure_graph_make(&graph, position, &limits);
    if (code == CLTB_E_MEMORY && limits.structures == most)
        error_append(code, ": %s of memory allow no more", unit_bytes(verdict_memory_allowed(request)).text);
    TRY(code);
    structure_graph_free(&verdict->planned);
    verdict->planned = graph;
    verdict->planned_limits = limits;
    // Slabs, sections, blocks, and opened tables
    verdict->cached = graph.tables ? 4 * structure_tables_kept(verdict_memory_allowed(request)) : 0;
    if (verdict->tables->missing == 0 || request->make == NULL)
        return 0;
    return request->make(request->store.context, verdict->tables->wanted, (size_t)verdict->tables->missing);
}

uint64_t verdict_memory(const struct verdict *verdict, bool scratch)
{
    const struct structure_memory memory = structure_memory(&verdict->planned);
    return PROGRAM_BYTES + verdict->cached + memory.graph + memory.small + memory.work + (scratch ? 0 : memory.kept);
}

// CLTB_E_MEMORY if there is not enough memory to solve the planned graph.
static int check_memory(const struct verdict *verdict, const struct verdict_request *request)
{
    const uint64_t allowed = verdict_memory_allowed(request);
    const uint64_t least = verdict_memory(verdict, request->store.scratch != NULL);
    return least <= allowed ? 0
                            : error_set(CLTB_E_MEMORY, "%zu structures need %s of memory, %s are allowed",
                                        verdict->planned.solved, unit_bytes(least).text, unit_bytes(allowed).text);
}

// Takes the better of both bounds.
static void narrow_value(struct verdict_value *value, const struct verdict_value *other)
{
    if (other->low.outcome > value->low.outcome)
        value->low = other->low;
    if (other->high.outcome < value->high.outcome)
        value->high = other->high;
}

// Solves the structures of the planned graph that are not solved yet, and finds the answer.
static int solve(struct verdict *verdict, const struct verdict_request *request)
{
    struct structure_graph before = verdict->graph;
    verdict->failed = true;
    verdict->graph = verdict->planned;
    verdict->planned = (struct structure_graph){.structures = 0};
    verdict->limits = verdict->planned_limits;
    verdict->bounded = verdict->graph.inexact > 0;
    const struct structure_memory planned = structure_memory(&verdict->graph);
    verdict->options = request->store;
    verdict->options.memory = verdict_memory_allowed(request) - planned.graph - PROGRAM_BYTES - verdict->cached / 4 * 3;
    verdict->options.allowed = verdict_memory_allowed(request);
    verdict->options.pool = verdict->pool;
    int code = verdict->store != NULL
                   ? structure_store_change(verdict->store, &before)
                   : structure_store_open(&verdict->store, &verdict->graph, &verdict->limits, &verdict->options);
    structure_graph_free(&before);
    THEN(code, structure_store_solve(verdict->store, WHITE));
    if (code == 0 && verdict->bounded)
        code = structure_store_solve(verdict->store, BLACK);
    TRY(code);
    verdict->values = structure_store_values(verdict->store, false);
    TRY(structure_answer_find(&verdict->answer, &verdict->values));
    verdict->answer.plies = 0;
    if (verdict->searched)
        narrow_value(&verdict->answer.value, &verdict->searched_value);
    verdict->failed = false;
    verdict->known = verdict->answer.value;
    verdict->answered = verdict->effort + 1;
    return 0;
}

// ---- narrowing ----

// Finds the structures that both sides' claims rest on; with `limits`, only those that the limits allow to be solved.
// Follows the replies `from`, and further replies only if these lead to fewer than `few` structures.
static int find_rests(struct verdict *verdict, const struct structure_limits *limits, enum structure_replies from,
                      size_t few)
{
    struct structure_rests *rests = &verdict->rests;
    size_t count = 0;
    TRY(structure_store_trim(verdict->store)); // the search takes memory elsewhere
    for (int replies = (int)from; replies <= (int)REPLIES_ALL && count < few; replies++) {
        structure_rests_free(rests);
        for (int claimant = WHITE; claimant <= BLACK; claimant++)
            TRY(structure_rests_find(rests, verdict->store, &verdict->answer.position, claimant,
                                     (enum structure_replies)replies, verdict->options.allowed));
        count = 0;
        for (size_t i = 0; i < rests->count; i++) {
            const struct structure *structure = &verdict->graph.structure[rests->rest[i].number];
            if (limits == NULL ||
                (!rests->rest[i].leaves && structure_within(&verdict->graph, limits, &structure->key)))
                rests->rest[count++] = rests->rest[i];
        }
        rests->count = count;
    }
    return 0;
}

// Sets the choices: the `choices` of `kept`, and the first `most` structures that the verdict rests on.
static int choose(struct verdict *verdict, const struct structure_choice *kept, size_t choices, size_t most)
{
    enum { ALONE_PIECES = 4 }; // a structure with so many pieces is large: those that it leads to are not added
    struct structure_choice *all;
    TRY(memory_new(&all, choices + most, sizeof *all, "structures"));
    for (size_t i = 0; i < choices + most; i++) {
        if (i < choices) {
            all[i] = kept[i];
            continue;
        }
        const struct structure_rest *rest = &verdict->rests.rest[i - choices];
        const struct structure_key *key = &verdict->graph.structure[rest->number].key;
        const unsigned pushes = structure_pieces(key) < ALONE_PIECES ? 1U << (rest->claimant ^ 1) : 0;
        all[i] = (struct structure_choice){*key, (uint8_t)pushes};
    }
    qsort(all, choices + most, sizeof *all, structure_compare_choices);
    size_t count = 0;
    for (size_t i = 0; i < choices + most; i++) { // both claims may rest on the same structure
        if (count > 0 && structure_compare_choices(&all[i], &all[count - 1]) == 0)
            all[count - 1].pushes |= all[i].pushes;
        else
            all[count++] = all[i];
    }
    verdict->choice = all;
    verdict->choices = count;
    return 0;
}

// Plans as many of the structures that the verdict rests on as memory allows.
static int plan_choices(struct verdict *verdict, const struct position *position, const struct verdict_request *request)
{
    enum { CHOICES_MAX = 4096 };
    const size_t rests = verdict->rests.count;
    const size_t choices = verdict->choices;
    struct structure_choice *kept = verdict->choice;
    int code = CLTB_E_MEMORY;
    verdict->choice = NULL;
    for (size_t most = rests < CHOICES_MAX ? rests : CHOICES_MAX; code == CLTB_E_MEMORY && most > 0; most /= 2) {
        free(verdict->choice);
        verdict->choice = NULL;
        verdict->choices = 0;
        code = choose(verdict, kept, choices, most);
        THEN(code, verdict_plan(verdict, position, request, verdict->whole));
        THEN(code, check_memory(verdict, request));
    }
    free(kept);
    return code;
}

// Plans all structures that the effort may solve.
static int plan_whole(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                      int effort)
{
    const int code = verdict_plan(verdict, position, request, effort);
    return code != 0 ? code : check_memory(verdict, request);
}

// Solves structures of one effort in rounds, until the outcome is certain or rests on no structure that the effort may
// solve. Each round also solves everything again that leads to its structures. So in place of the third small round the
// effort is solved completely, if memory allows.
static int narrow(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                  int effort)
{
    enum {
        FEW = 32, // a round of fewer structures is small
        SMALL = 3 // the number of the small round that is replaced by the whole effort
    };
    const struct structure_limits limits = effort_limits(effort);
    int small = 0;
    while (!verdict_certain(&verdict->answer.value, false)) {
        TRY(find_rests(verdict, &limits, REPLIES_BEST, FEW));
        if (verdict->rests.count == 0)
            return 0;
        small += verdict->rests.count < FEW;
        int code = small == SMALL ? plan_whole(verdict, position, request, effort) : CLTB_E_MEMORY;
        verdict->whole = code == 0 ? effort : verdict->whole;
        verdict->effort = effort;
        if (code == CLTB_E_MEMORY)
            code = plan_choices(verdict, position, request);
        TRY(code);
        TRY(solve(verdict, request));
    }
    return 0;
}

// Solves the position with its men kept behind locked pawns. *done: this answers everything, or without that there is
// not enough memory even for the first effort.
static int solve_locked(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                        bool *done)
{
    enum { STRUCTURES_MAX = 1000 };
    struct verdict_request kept = *request;
    const struct structure_answer *answer = &verdict->answer;
    *done = false;
    if (!request->locked || !keeping_locked(position, &kept.sets))
        return 0;
    kept.structures = request->structures < STRUCTURES_MAX ? request->structures : STRUCTURES_MAX;
    int code = plan_whole(verdict, position, &kept, request->first);
    if (code == CLTB_E_MEMORY)
        return 0;
    verdict->effort = request->first;
    THEN(code, solve(verdict, &kept));
    TRY(code);
    *done = true;
    for (int i = 0; i < answer->moves; i++)
        *done &= verdict_certain(&answer->move[i].value, true);
    if (*done)
        return 0;
    code = plan_whole(verdict, position, request, request->first);
    *done = code == CLTB_E_MEMORY;
    snprintf(verdict->stopped, sizeof verdict->stopped, "%s", *done ? error_text() : "");
    if (!*done) {
        structure_store_close(verdict->store, false);
        structure_graph_free(&verdict->graph);
        verdict->store = NULL;
        verdict->answered = 0;
    }
    return *done ? 0 : code;
}

// ---- a search ----

enum {
    SEARCH_STRUCTURES = 200000, // an effort with more structures is much work
    SEARCH_LEAST = 500,         // rounds are better at fewer structures, unless they are very large:
    LARGE_PAWNS = 20,           // so many times as much work in pawn endings,
    LARGE_PIECES = 4,           // and with two pieces, for which a search is better
    SEARCH_MOVES = 100000       // blocks for other moves, when the outcome is known
};

// The value for the side to move; after a move, `zeroing` or not, for the side that has made it.
static int searched_value(struct search *search, const struct position *position, bool moved, bool zeroing,
                          struct verdict_value *value)
{
    struct search_bounds bounds;
    TRY(search_bounds(search, position, &bounds));
    const bool white = (position->side == WHITE) != moved;
    *value = (struct verdict_value){.low = {.outcome = white ? bounds.least : -bounds.greatest},
                                    .high = {.outcome = white ? bounds.greatest : -bounds.least}};
    struct cltb_value *const end[2] = {&value->low, &value->high};
    for (int i = 0; i < 2; i++) { // a win is worse the later it comes, a loss the earlier
        const bool late = (i == 0) == (end[i]->outcome > CLTB_DRAW);
        if (end[i]->outcome != CLTB_DRAW)
            end[i]->dtz = zeroing || !late ? 1 : bounds.plies + (moved && bounds.plies < PLY_LIMIT ? 1 : 0);
    }
    return 0;
}

// The best move by the tables, if they have the position. MOVE_NONE: they have not, or there is no move.
static int table_step(cltb_tables *tables, struct position *position, struct structure_step *step)
{
    struct ranked_move moves[CLTB_MOVES_MAX];
    *step = (struct structure_step){.state = STRUCTURE_TABLE, .move = MOVE_NONE};
    if (tables == NULL || probe_position(tables, position, &step->value) != 0)
        return 0;
    const int count = probe_moves(tables, position, false, moves);
    if (count > 0)
        step->move = moves[0].move;
    return count == CLTB_E_MISSING || count > 0 ? 0 : count;
}

// A line that proves the outcome, which tables continue up to mate.
static int find_line(struct structure_answer *answer, struct search *search, cltb_tables *tables)
{
    uint32_t moves[STRUCTURE_LINE_MAX];
    struct position position;
    const int plies = search_line(search, &answer->position, moves, STRUCTURE_LINE_MAX);
    TRY(plies < 0 ? plies : 0);
    position_copy(&position, &answer->position);
    position_forget(&position);
    for (answer->plies = 0; answer->plies < STRUCTURE_LINE_MAX; answer->plies++) {
        struct structure_step *step = &answer->line[answer->plies];
        *step = (struct structure_step){.state = STRUCTURE_SOLVED};
        if (answer->plies < plies)
            step->move = moves[answer->plies];
        else
            TRY(table_step(tables, &position, step));
        if (step->move == MOVE_NONE)
            break;
        TRY(position_make(&position, step->move));
    }
    return 0;
}

static const struct verdict_value anything = {.low = {CLTB_LOSS, 1, 0}, .high = {CLTB_WIN, 1, 0}};

// Puts what the search knows into the answer, beside what efforts have found.
static int take_searched(struct verdict *verdict, struct search *search, cltb_tables *tables)
{
    struct structure_answer *answer = &verdict->answer;
    struct position *position = &answer->position;
    uint32_t moves[MOVES_MAX];
    if (verdict->answered == 0) {
        answer->value = anything;
        answer->moves = moves_legal(position, moves);
        for (int i = 0; i < answer->moves; i++) {
            answer->move[i] = (struct verdict_move){
                .move = moves[i], .zeroing = move_is_zeroing(position, moves[i]), .value = anything};
            TRY(position_make(position, moves[i]));
            answer->move[i].mate = position_in_check(position) && !moves_any(position);
            position_undo(position);
        }
    }
    const bool known = verdict_certain(&answer->value, false);
    struct verdict_value value;
    TRY(searched_value(search, position, false, false, &value));
    verdict->searched_value = value;
    narrow_value(&answer->value, &value);
    verdict->known = answer->value;
    for (int i = 0; i < answer->moves; i++) {
        TRY(position_make(position, answer->move[i].move));
        const int code = searched_value(search, position, true, answer->move[i].zeroing, &value);
        position_undo(position);
        TRY(code);
        narrow_value(&answer->move[i].value, &value);
    }
    structure_answer_sort(answer);
    if (known || !verdict_certain(&answer->value, false))
        return 0;
    return find_line(answer, search, tables);
}

// Tries to decide the other moves, too.
static int decide_moves(struct verdict *verdict, const struct verdict_request *request, struct search *search)
{
    struct position *position = &verdict->answer.position;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    const uint64_t least = SEARCH_MOVES / (uint64_t)(count > 0 ? count : 1);
    for (int i = 0; i < count; i++) {
        TRY(position_make(position, moves[i]));
        const int code =
            search_decide(search, position, request->all_moves || request->search < least ? request->search : least);
        position_undo(position);
        TRY(code);
    }
    return 0;
}

static bool search_stopped(void *context)
{
    const struct structure_options *options = &((const struct verdict_request *)context)->store;
    return options->stopped != NULL && options->stopped(options->context);
}

static void search_progress(void *context, const int likely[COLOURS], uint64_t structures)
{
    const struct verdict_request *request = context;
    request->searching(request->store.context, likely, structures);
}

static int pieces_of(const struct position *position)
{
    return position_men(position) - position->count[WHITE][PAWN] - position->count[BLACK][PAWN] - 2;
}

static bool can_search(const struct verdict *verdict, const struct verdict_request *request)
{
    static const struct structure_sets none;
    const struct position *position = &verdict->answer.position;
    return request->search > 0 && !verdict->searched && position->castling == 0 &&
           memcmp(&request->sets, &none, sizeof none) == 0 && pieces_of(position) < NODE_PIECES;
}

// For several threads.
static bool search_has_table(void *context, const struct material *material)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const bool has = has_table(context, material);
    pthread_mutex_unlock(&lock);
    return has;
}

static int run_search(struct verdict *verdict, const struct verdict_request *request)
{
    struct search *search = NULL;
    cltb_tables *tables = NULL;
    const bool keeps = request->store.scratch != NULL;
    struct search_request with = {.tables_men = request->tables_men,
                                  .memory = verdict_memory_allowed(request) / 4 * 3,
                                  .pool = verdict->pool,
                                  .stopped = search_stopped,
                                  .progress = request->searching != NULL ? search_progress : NULL,
                                  .context = (void *)request};
    verdict->searched = true;
    if (verdict->answered == 0)
        verdict->known = anything;
    if (verdict->tables != NULL) {
        verdict->tables->make = false;
        with.has_table = search_has_table;
        with.has_context = verdict->tables;
    }
    if (verdict->store != NULL)
        TRY(structure_store_trim(verdict->store));
    if (keeps) {
        with.kept = verdict->search_file;
        TRY(kept_path(request->store.scratch, &verdict->answer.position, verdict->search_file,
                      sizeof verdict->search_file));
    }
    int code = cltb_open(&tables, request->store.folders, NULL);
    with.tables = request->tables_men > 2 ? tables : NULL;
    THEN(code, search_open(&search, &verdict->answer.position, &with));
    THEN(code, search_decide(search, &verdict->answer.position, request->search));
    if (search != NULL && (code == 0 || code == CLTB_E_INTERRUPTED)) {
        if (code == 0)
            code = decide_moves(verdict, request, search);
        const int taken = take_searched(verdict, search, with.tables);
        code = code != 0 ? code : taken;
        verdict->searched_counts = search_counts(search);
        verdict->search_resumed = search_resumed(search);
        if (keeps && !verdict_certain(&verdict->searched_value, false) && search_save(search, with.kept) != 0) {
            snprintf(verdict->search_unsaved, sizeof verdict->search_unsaved, "%s", error_text());
            if (code != 0)
                error_set(code, "interrupted");
        }
    }
    if (code == 0 && request->keep_search && verdict_certain(&verdict->searched_value, false)) {
        verdict->search = search;
        verdict->searched_tables = tables;
        return 0;
    }
    search_close(search);
    cltb_close(tables);
    return code == CLTB_E_MEMORY ? 0 : code; // efforts may need less
}

// Plans an effort. If it is much work, searches first. *done: the outcome is known.
static int plan_or_search(struct verdict *verdict, const struct position *position,
                          const struct verdict_request *request, int effort, bool *done)
{
    struct verdict_request little = *request;
    *done = false;
    if (!can_search(verdict, request))
        return plan_whole(verdict, position, request, effort);
    little.structures = request->structures < SEARCH_STRUCTURES ? request->structures : SEARCH_STRUCTURES;
    int code = plan_whole(verdict, position, &little, effort);
    const uint64_t positions = structure_graph_positions(&verdict->planned);
    const uint64_t large = pieces_of(position) < 2 ? LARGE_PAWNS : LARGE_PIECES;
    if (code == 0 && positions <= (verdict->planned.solved < SEARCH_LEAST ? large : 1) * request->whole)
        return 0;
    if (code != 0 && code != CLTB_E_MEMORY)
        return code;
    TRY(run_search(verdict, request));
    *done = verdict_certain(&verdict->answer.value, false);
    return *done ? 0 : plan_whole(verdict, position, request, effort);
}

static bool is_narrow(const struct verdict_value *value)
{
    return value->low.outcome > CLTB_LOSS || value->high.outcome < CLTB_WIN;
}

static bool knows_something(const struct structure_answer *answer)
{
    bool knows = answer->moves > 0 && is_narrow(&answer->value);
    for (int i = 0; i < answer->moves; i++)
        knows |= is_narrow(&answer->move[i].value);
    return knows;
}

static int rise(struct verdict *verdict, const struct position *position, const struct verdict_request *request)
{
    bool done;
    position_copy(&verdict->answer.position, position);
    verdict->stopped[0] = '\0';
    TRY(solve_locked(verdict, position, request, &done));
    if (done)
        return 0;
    for (int effort = request->first; effort <= request->effort; effort++) {
        const bool again = effort > request->first;
        const bool certain = again && verdict_certain(&verdict->answer.value, false);
        int code = certain ? plan_whole(verdict, position, request, effort)
                           : plan_or_search(verdict, position, request, effort, &done);
        if (done)
            return 0;
        if (code == CLTB_E_MEMORY && !again && (verdict->searched || knows_something(&verdict->answer))) {
            snprintf(verdict->stopped, sizeof verdict->stopped, "%s", error_text());
            return 0;
        }
        if (code != 0 && (!again || code != CLTB_E_MEMORY))
            return code;
        if (!again || (code == 0 && structure_graph_positions(&verdict->planned) <= request->whole)) {
            verdict->effort = effort;
            verdict->whole = effort;
            code = solve(verdict, request);
        } else if (!certain) {
            code = narrow(verdict, position, request, effort);
        } else {
            return 0;
        }
        if (again && code == CLTB_E_MEMORY && !verdict->failed) {
            snprintf(verdict->stopped, sizeof verdict->stopped, "%s", error_text());
            return 0;
        }
        TRY(code);
        if (verdict->graph.bounded == 0 || verdict_certain(&verdict->answer.value, true))
            return 0;
    }
    return 0;
}

static int on_watch(void *context)
{
    const struct structure_options *options = context;
    return options->stopped != NULL && options->stopped(options->context) ? error_set(CLTB_E_INTERRUPTED, "interrupted")
                                                                          : 0;
}

int verdict_find(struct verdict *verdict, const struct position *position, const struct verdict_request *request)
{
    if (verdict->pool == NULL)
        TRY(threads_open(&verdict->pool, request->threads));
    verdict->options = request->store;
    threads_watch(verdict->pool, on_watch, &verdict->options);
    TRY(rise(verdict, position, request));
    structure_rests_free(&verdict->rests);
    return verdict_certain(&verdict->answer.value, false) || verdict->store == NULL
               ? 0
               : find_rests(verdict, NULL, REPLIES_ONE, 1);
}

void verdict_free(struct verdict *verdict)
{
    structure_store_close(verdict->store, verdict->keep);
    search_close(verdict->search);
    cltb_close(verdict->searched_tables);
    structure_graph_free(&verdict->graph);
    structure_graph_free(&verdict->planned);
    structure_rests_free(&verdict->rests);
    free(verdict->choice);
    threads_close(verdict->pool);
    free(verdict->tables);
    verdict->store = NULL;
    verdict->search = NULL;
    verdict->searched_tables = NULL;
    verdict->pool = NULL;
    verdict->tables = NULL;
}
