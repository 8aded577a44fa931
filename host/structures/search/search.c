// search.c - decides one position by solving only the structures that its play needs
#include "structures/search/search.h"

#include "chess/move.h"
#include "chess/value.h"
#include "structures/search/grades.h"
#include "structures/search/kept.h"
#include "structures/search/packed.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    WALK_MAX = 400000,   // positions that a walk follows
    LEAVES_MAX = 4096,   // at which it ends
    LEAVES_MIN = 16,     // looked at in any case
    POSITIONS_MIN = 300, // of a search by moves; doubled after each 8 failures in a structure
    DOUBLINGS_MAX = 3,
    LOWER_AFTER = 2 * POSITIONS_MIN, // a position that such a search does not decide gets a lower grade
    ALONE_LOOKS = 6,                 // and looks
    ALONE_FAILURES = 1,              // in a structure with one piece, before it is solved
    PAIR_FAILURES = 8,               // with two
    MET_PART = 4,                    // one of so many parts of the positions of both sides' searches is much
    TURN = 40000                     // blocks that a question solves before the other one has its turn
};

// What the work of a walk and a search by moves counts, in blocks solved.
enum { POSITIONS_PER_BLOCK = 1, WALKED_PER_BLOCK = 8, TABLE_BLOCKS = 200 };

enum { THREADS_MAX = 64, RANK_BYTES = 1 << 28 }; // ranks that are kept even if memory is short

struct reached {
    uint32_t node;
    uint32_t block;
    uint8_t side;
    uint8_t white;
    uint8_t black;
    uint8_t en_passant; // 0: none
    uint8_t grade;
};

// One question: does White win? The board is turned if the attacker is Black.
struct question {
    int attacker;
    struct nodes nodes;
    struct grades *grades[THREADS_MAX]; // [threads]
    int threads;
    struct thread_pool *pool; // that shares out structures of one order; NULL: the other question is in work as well
    struct forced *forced;
    struct forced_tables tables;
    struct grades_stop stop;
    uint64_t memory; // that planes may take
    struct reached *queue;
    size_t queued;
    size_t queue_room;
    uint64_t *seen; // [seen_room] a hash table of positions in the queue
    size_t seen_room;
    uint32_t *ranked; // [ranks] nodes with ranks
    size_t ranks;
    size_t ranked_room;
    size_t rank_bytes;
    uint32_t *list[NODE_ORDERS]; // nodes to be solved again, by order
    size_t listed[NODE_ORDERS];
    size_t list_room[NODE_ORDERS];
    uint64_t work;      // blocks solved so far
    uint64_t last_work; // of the last round's step 3
    struct search_counts counts;
    bool spent; // memory has run out, or no leaf was left
    int grade;  // of the position that is asked about
    uint32_t walks;
    uint32_t *stale; // [stales]
    size_t stales;
    size_t stale_room;
};

struct search {
    struct question question[COLOURS];
    struct search_request request;
    struct position asked;
    struct position position; // in work
    bool resumed;
    uint64_t goal[COLOURS]; // work at which a question's turn ends
};

// ---- positions ----

// The position with colours exchanged.
static void turn(const struct position *from, struct position *to)
{
    struct man men[COLOURS * MEN_PER_SIDE_MAX];
    int count = 0;
    for (int square = 0; square < SQUARES; square++) {
        const int code = from->board[square];
        if (code != EMPTY)
            men[count++] =
                (struct man){(uint8_t)piece_type(code), (uint8_t)(piece_colour(code) ^ 1), (uint8_t)(square ^ 56)};
    }
    (void)position_set(to, men, count, from->side ^ 1);
    if (from->en_passant != NO_SQUARE)
        (void)position_set_en_passant(to, from->en_passant ^ 56);
}

void search_seen(int attacker, const struct position *from, struct position *to)
{
    if (attacker == BLACK) {
        turn(from, to);
        return;
    }
    position_copy(to, from);
    position_forget(to);
}

static void seen_from(const struct question *q, const struct position *from, struct position *to)
{
    search_seen(q->attacker, from, to);
}

static bool reached_position(const struct question *q, const struct reached *at, struct position *position)
{
    return node_position(&q->nodes.node[at->node], at->block, at->white, at->black, at->side, position) &&
           (at->en_passant == 0 || position_set_en_passant(position, at->en_passant) == 0);
}

static size_t seen_place(const uint64_t *seen, size_t room, uint64_t key)
{
    size_t i = (size_t)(key ^ key >> 32) & (room - 1);
    while (seen[i] != 0 && seen[i] != key)
        i = (i + 1) & (room - 1);
    return i;
}

// Adds a position to the queue unless it is there.
static int enqueue(struct question *q, const struct position *position, int grade)
{
    size_t block;
    const uint32_t number = node_of(&q->nodes, position, true, &block);
    if (number == 0)
        return q->nodes.full ? error_memory(sizeof(struct node), "structures") : 0;
    if (2 * q->queued >= q->seen_room) {
        const size_t room = q->seen_room == 0 ? 1 << 12 : 4 * q->seen_room;
        uint64_t *larger;
        TRY(memory_new(&larger, room, sizeof *larger, "positions"));
        for (size_t i = 0; i < q->seen_room; i++) {
            if (q->seen[i] != 0)
                larger[seen_place(larger, room, q->seen[i])] = q->seen[i];
        }
        free(q->seen);
        q->seen = larger;
        q->seen_room = room;
    }
    const size_t place = seen_place(q->seen, q->seen_room, position->key | 1);
    if (q->seen[place] != 0)
        return 0;
    TRY(memory_grow(&q->queue, &q->queue_room, q->queued + 1, sizeof *q->queue, "positions"));
    q->seen[place] = position->key | 1;
    q->queue[q->queued++] = (struct reached){
        .node = number,
        .block = (uint32_t)block,
        .side = position->side,
        .white = (uint8_t)position_king(position, WHITE),
        .black = (uint8_t)position_king(position, BLACK),
        .en_passant =
            position->en_passant != NO_SQUARE && position_en_passant_legal(position) ? position->en_passant : 0,
        .grade = (uint8_t)grade_kept(q->nodes.node[number].pieces, grade)};
    return 0;
}

// ---- the walk ----

static size_t rank_bytes(const struct node *node)
{
    return COLOURS * node_blocks(node->pieces) * SQUARES * SQUARES;
}

static enum node_entry entry_of(const struct position *position, uint32_t move)
{
    return move_is_en_passant(move) ? NODE_EN_PASSANT : move_is_zeroing(position, move) ? NODE_ENTERED : NODE_INSIDE;
}

static void forget_ranks(struct question *q)
{
    for (size_t i = 0; i < q->ranks; i++) {
        struct node *node = &q->nodes.node[q->ranked[i]];
        for (int g = 0; g < GRADES; g++)
            free(node->rank[g]);
        free(node->rank);
        node->rank = NULL;
        node->ranked = 0;
    }
    q->ranks = 0;
    q->rank_bytes = 0;
}

// The ranks of the node for a grade. They stay good until it is solved again, or until those of too many are known.
static int find_rank(struct question *q, uint32_t number, int grade, const uint8_t **rank)
{
    struct node *node = &q->nodes.node[number];
    const uint16_t bit = (uint16_t)(1U << (grade - 1));
    if ((node->ranked & bit) == 0 && q->rank_bytes > RANK_BYTES && q->nodes.bytes + q->rank_bytes > q->memory)
        forget_ranks(q);
    if (node->rank == NULL) {
        TRY(memory_grow(&q->ranked, &q->ranked_room, q->ranks + 1, sizeof *q->ranked, "structures"));
        TRY(memory_new(&node->rank, GRADES, sizeof *node->rank, "a structure"));
        q->ranked[q->ranks++] = number;
    }
    if (node->rank[grade - 1] == NULL) {
        TRY(memory_new(&node->rank[grade - 1], rank_bytes(node), 1, "a structure"));
        q->rank_bytes += rank_bytes(node);
    }
    *rank = node->rank[grade - 1];
    if ((node->ranked & bit) != 0)
        return 0;
    q->work += grades_work(node->pieces) / 4;
    TRY(grades_rank(q->grades[0], &q->nodes, number, grade, &q->stop, node->rank[grade - 1]));
    node->ranked |= bit;
    return 0;
}

static uint8_t rank_of(struct question *q, const uint8_t *rank, const struct position *position)
{
    size_t block;
    const uint32_t number = node_of(&q->nodes, position, false, &block);
    const size_t side = position->side * node_blocks(q->nodes.node[number].pieces);
    return rank[((side + block) * SQUARES + (size_t)position_king(position, WHITE)) * SQUARES +
                (size_t)position_king(position, BLACK)];
}

// White's move that keeps the grade: an exit to the best grade, rather a capture, rather to a solved structure;
// otherwise the move that comes nearest to one. MOVE_NONE: there is none.
static int white_move(struct question *q, uint32_t number, int grade, struct position *position, uint32_t *best)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    const int pieces = q->nodes.node[number].pieces;
    const uint8_t *rank;
    int most = -1;
    *best = MOVE_NONE;
    for (int i = 0; i < count; i++) {
        size_t block;
        if (!move_is_zeroing(position, moves[i]))
            continue;
        const enum node_entry entry = entry_of(position, moves[i]);
        TRY(position_make(position, moves[i]));
        const int after = grade_kept(pieces, node_grade(&q->nodes, position, entry));
        const struct node *to = &q->nodes.node[node_of(&q->nodes, position, false, &block)];
        position_undo(position);
        const int worth = 4 * after + 2 * (int)move_is_capture(moves[i]) + (to->solved || to->table);
        if (after >= grade && worth > most) {
            most = worth;
            *best = moves[i];
        }
    }
    if (*best != MOVE_NONE)
        return 0;
    TRY(find_rank(q, number, grade, &rank));
    int least = RANK_NONE;
    for (int i = 0; i < count; i++) {
        if (move_is_zeroing(position, moves[i]))
            continue;
        TRY(position_make(position, moves[i]));
        const int after = rank_of(q, rank, position);
        position_undo(position);
        if (after < least) {
            least = after;
            *best = moves[i];
        }
    }
    return 0;
}

// Follows a move if Black's is one that allows no more.
static int follow_move(struct question *q, const struct reached *at, struct position *position, uint32_t move)
{
    const enum node_entry entry = entry_of(position, move);
    TRY(position_make(position, move));
    const int grade = node_grade(&q->nodes, position, entry);
    const bool wanted = position->side == BLACK || grade_kept(q->nodes.node[at->node].pieces, grade) == at->grade;
    const int code = wanted && grade < GRADES ? enqueue(q, position, grade) : 0;
    position_undo(position);
    return code;
}

// Follows the moves from a position of a solved structure.
static int follow(struct question *q, const struct reached *at)
{
    uint32_t moves[MOVES_MAX];
    struct position position;
    if (!reached_position(q, at, &position))
        return 0;
    if (at->side == WHITE) {
        uint32_t move;
        TRY(white_move(q, at->node, at->grade, &position, &move));
        return move == MOVE_NONE ? 0 : follow_move(q, at, &position, move);
    }
    const int count = moves_legal(&position, moves);
    for (int i = 0; i < count; i++)
        TRY(follow_move(q, at, &position, moves[i]));
    return 0;
}

// Leaves come first in the queue, *leaves of them.
static int walk(struct question *q, const struct position *from, size_t *leaves)
{
    int code;
    *leaves = 0;
    q->queued = 0;
    q->walks++;
    if (q->seen != NULL)
        memset(q->seen, 0, q->seen_room * sizeof *q->seen);
    code = enqueue(q, from, q->grade);
    size_t i = 0;
    for (; code == 0 && i < q->queued && i < WALK_MAX && *leaves < LEAVES_MAX; i++) {
        const struct reached at = q->queue[i];
        struct node *node = &q->nodes.node[at.node];
        node->walk = q->walks;

        if (node->solved && !node->stale)
            code = follow(q, &at);
        else if (!node->table)
            q->queue[(*leaves)++] = at;
    }
    q->work += i / WALKED_PER_BLOCK;
    return code;
}

// ---- leaves ----

// Puts a node into the list of those to be solved in this round.
static int list_node(struct question *q, uint32_t number)
{
    struct node *node = &q->nodes.node[number];
    const int order = node->order;
    if (node->waiting)
        return 0;
    TRY(memory_grow(&q->list[order], &q->list_room[order], q->listed[order] + 1, sizeof(uint32_t), "structures"));
    q->list[order][q->listed[order]++] = number;
    node->waiting = true;
    return 0;
}

// Some grades of a node have changed: what leads to it is solved again. Structures with pieces take long, so those that
// no line of play has reached in this round wait until one does.
static int mark_parents(struct question *q, uint32_t number, uint16_t changed)
{
    const struct node *node = &q->nodes.node[number];
    for (size_t i = 0; i < node->parents; i++) {
        struct node *parent = &q->nodes.node[node->parent[i]];
        if ((changed & grades_seen(parent->pieces)) == 0)
            continue;
        parent->pending |= changed;

        if (parent->pieces == 0 || (parent->walk == q->walks)) {
            TRY(list_node(q, node->parent[i]));
        } else if (!parent->stale) {
            TRY(memory_grow(&q->stale, &q->stale_room, q->stales + 1, sizeof *q->stale, "structures"));
            q->stale[q->stales++] = node->parent[i];
            parent->stale = true;
        }
    }
    return 0;
}

static int list_stale(struct question *q)
{
    for (size_t i = 0; i < q->stales; i++) {
        if (q->nodes.node[q->stale[i]].stale)
            TRY(list_node(q, q->stale[i]));
    }
    q->stales = 0;
    return 0;
}

static int list_new(struct question *q, uint32_t number)
{
    struct node *node = &q->nodes.node[number];
    if (!node->listed)
        TRY(grades_enter(q->grades[0], &q->nodes, number));
    q->work += node->listed ? TABLE_BLOCKS : grades_work(node->pieces);
    return list_node(q, number);
}

// If much of what a search by moves has looked at belongs to one structure, solving that decides more. *listed: it will
// be solved.
static int list_met(struct question *q, uint64_t looked, bool *listed)
{
    struct node_key key;
    const uint64_t met = forced_met(q->forced, &key);
    *listed = false;
    if (met < looked / MET_PART || key.pieces == 0)
        return 0;
    const uint32_t number = node_make(&q->nodes, key.pawns, key.pieces, key.code);
    const struct node *node = &q->nodes.node[number];
    if (number == 0 || node->solved || node->table || node->waiting || node->listed)
        return q->nodes.full ? error_memory(sizeof(struct node), "structures") : 0;
    *listed = true;
    return list_new(q, number);
}

// Looks at one position of a leaf by a search by moves.
static int look(struct question *q, const struct reached *at)
{
    struct node *node = &q->nodes.node[at->node];
    struct position position;
    const int doublings = node->failures / 8 < DOUBLINGS_MAX ? node->failures / 8 : DOUBLINGS_MAX;
    const uint64_t most = (uint64_t)POSITIONS_MIN << doublings;
    uint64_t looked;
    node->looks = (uint16_t)(node->looks + (node->looks < UINT16_MAX));
    if (!reached_position(q, at, &position))
        return 0;
    const int won = forced_find(q->forced, &position, most, &looked);
    q->counts.positions += looked;
    q->work += looked / POSITIONS_PER_BLOCK;
    int grade = won == 1 ? GRADES : 0;
    if (won == UNKNOWN) {
        bool listed = false;
        node->failures = (uint16_t)(node->failures + (node->failures < UINT16_MAX));
        if (node->pieces == NODE_PIECES)
            TRY(list_met(q, looked, &listed));
        if (listed || most < LOWER_AFTER || at->en_passant != 0)
            return 0;
        grade = at->grade > 1 ? at->grade - 1 : 1;
    }
    return mark_parents(q, at->node,
                        node_patch_set(&q->nodes, at->node, at->side, at->block, at->white, at->black, grade));
}

static int open_leaf(struct question *q, const struct reached *at)
{
    struct node *node = &q->nodes.node[at->node];
    struct position position;
    if (node->table || node->waiting || (node->solved && !node->stale))
        return 0;
    if (node->solved)
        return list_node(q, at->node);
    if (node->pieces == 0 && node_men(node) <= q->tables.men && reached_position(q, at, &position))
        node->listed = forced_table(&q->tables, &position) != UNKNOWN;
    if (node->pieces == 1 && node->failures < ALONE_FAILURES && node->looks < ALONE_LOOKS)
        return look(q, at);
    if (node->pieces == 2 && node->failures < PAIR_FAILURES)
        return look(q, at);
    if (node->pieces == NODE_PIECES)
        return look(q, at);
    return list_new(q, at->node);
}

// ---- rounds ----

// Nodes of one order that are solved together.
struct batch {
    struct question *q;
    const uint32_t *number;
    uint16_t *changed; // as grades_solve()
};

static int solve_item(void *context, uint64_t item, int worker)
{
    const struct batch *batch = context;
    struct question *q = batch->q;
    struct node *node = &q->nodes.node[batch->number[item]];
    batch->changed[item] = UINT16_MAX;
    return node->listed
               ? node_read_table(&q->nodes, batch->number[item], q->tables.tables)
               : grades_solve(q->grades[worker], &q->nodes, batch->number[item], &q->stop, &batch->changed[item]);
}

// Packs what was not used for some time if memory becomes short.
static int keep_room(struct question *q)
{
    q->nodes.clock++;
    return q->nodes.bytes > q->memory / 4 * 3 ? nodes_pack(&q->nodes, q->memory / 2) : 0;
}

// Solves what is listed, the last structures first.
static int solve_listed(struct question *q)
{
    const uint64_t before = q->work;
    for (int order = 0; order < NODE_ORDERS; order++) {
        const size_t count = q->listed[order];
        if (count == 0)
            continue;
        uint16_t *changed;
        TRY(keep_room(q));
        TRY(memory_new(&changed, count, sizeof *changed, "structures"));
        struct batch batch = {q, q->list[order], changed};
        int code = 0;
        for (size_t i = 0; i < count; i++) {
            struct node *node = &q->nodes.node[q->list[order][i]];
            node->waiting = node->stale = false;
            if (node->solved)
                q->work += grades_work(node->pieces);
            else if (!node->listed)
                q->counts.solved[node->pieces]++;
        }
        code = threads_each(count > 1 ? q->pool : NULL, count, solve_item, &batch);
        for (size_t i = 0; code == 0 && i < count; i++) {
            struct node *node = &q->nodes.node[q->list[order][i]];
            code = mark_parents(q, q->list[order][i], node->redo ? UINT16_MAX : changed[i]);
            node->redo = false;
        }
        free(changed);
        for (size_t i = 0; code != 0 && i < count; i++) // for search_save()
            q->nodes.node[q->list[order][i]].waiting = true;
        TRY(code);
        q->listed[order] = 0;
    }
    q->last_work = q->work - before;
    return 0;
}

static int one_round(struct question *q, const struct position *position)
{
    const uint64_t before = q->work;
    size_t leaves;
    TRY(keep_room(q));
    TRY(walk(q, position, &leaves));
    if (leaves == 0 && q->stales > 0) {
        TRY(list_stale(q));
        return solve_listed(q);
    }
    q->spent = leaves == 0;
    const uint64_t enough = q->work + 2 * (q->work - before + q->last_work);
    for (size_t i = 0; i < leaves && (i < LEAVES_MIN || q->work < enough); i++) {
        TRY(open_leaf(q, &q->queue[i]));
        if (q->stop.stop(q->stop.context))
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
    }
    return solve_listed(q);
}

static bool is_open(const struct question *q)
{
    return q->grade > 0 && q->grade < GRADES && !q->spent;
}

// One turn of one question.
static int turn_of(void *context, uint64_t number, int worker)
{
    struct search *s = context;
    struct question *q = &s->question[number];
    struct position position;
    (void)worker;
    seen_from(q, &s->position, &position);
    q->grade = node_grade(&q->nodes, &position, NODE_ENTERED);
    while (is_open(q) && q->work < s->goal[number]) {
        const int code = q->nodes.bytes < q->memory ? one_round(q, &position) : CLTB_E_MEMORY;
        if (code == CLTB_E_MEMORY) {
            q->spent = true;
            return 0;
        }
        TRY(code);
        q->grade = node_grade(&q->nodes, &position, NODE_ENTERED);
    }
    return 0;
}

int search_decide(struct search *s, const struct position *position, uint64_t work)
{
    const uint64_t end = s->question[WHITE].work + s->question[BLACK].work + 2 * work;
    position_copy(&s->position, position);
    position_forget(&s->position);
    for (int i = 0; i < COLOURS; i++) {
        s->goal[i] = s->question[i].work;
        s->question[i].spent = s->question[i].nodes.full;
        s->question[i].grade = GRADE_EVEN;
    }
    for (;;) {
        const struct question *q = s->question;
        if (q[WHITE].grade == GRADES || q[BLACK].grade == GRADES || (!is_open(&q[WHITE]) && !is_open(&q[BLACK])))
            return 0;
        bool alone = false; // one question has all threads
        for (int i = 0; i < COLOURS; i++) {
            // Where one side is likely to win, whether the other one does matters little.
            const bool hopeless = q[i].grade <= GRADES / 4 && q[i ^ 1].grade > GRADES / 2 && is_open(&q[i ^ 1]);
            s->goal[i] = q[i].work + (hopeless ? TURN / 10 : work < TURN ? work : TURN);
            alone |= hopeless || !is_open(&q[i]);
        }
        if (q[WHITE].work + q[BLACK].work >= end)
            return 0;
        if (s->request.progress != NULL) {
            const struct search_counts counts = search_counts(s);
            s->request.progress(s->request.context, (int[COLOURS]){q[WHITE].grade, q[BLACK].grade},
                                counts.solved[0] + counts.solved[1] + counts.solved[2]);
        }
        for (int i = 0; i < COLOURS; i++)
            s->question[i].pool = alone ? s->request.pool : NULL;
        TRY(threads_each(alone ? NULL : s->request.pool, COLOURS, turn_of, s));
    }
}

// ---- results ----

// How many plies White, who wins, needs at most to the next pawn move or capture.
static int find_plies(struct question *q, const struct position *position, int *plies)
{
    size_t block;
    const uint32_t number = node_of(&q->nodes, position, false, &block);
    const uint8_t *rank;
    *plies = PLY_LIMIT;
    if (number == 0 || !q->nodes.node[number].solved)
        return 0;
    const int code = find_rank(q, number, GRADES, &rank);
    const int round = code == 0 ? rank_of(q, rank, position) : RANK_NONE;
    if (round < PLY_LIMIT / 2) // a move en passant needs one ply and has no rank
        *plies = 2 * round + (position->side == WHITE ? 1 : 2);
    return code == CLTB_E_INTERRUPTED ? 0 : code; // the win is known all the same
}

int search_bounds(struct search *s, const struct position *position, struct search_bounds *bounds)
{
    *bounds = (struct search_bounds){CLTB_LOSS, CLTB_WIN, PLY_LIMIT};
    for (int attacker = WHITE; attacker <= BLACK; attacker++) {
        struct question *q = &s->question[attacker];
        struct position seen;
        seen_from(q, position, &seen);
        const int won = forced_table(&q->tables, &seen);
        const int grade = won == UNKNOWN ? node_grade(&q->nodes, &seen, NODE_ENTERED) : won == 1 ? GRADES : 0;
        if (attacker == WHITE && grade == 0)
            bounds->greatest = CLTB_DRAW;
        else if (attacker == BLACK && grade == 0)
            bounds->least = CLTB_DRAW;
        if (grade < GRADES)
            continue;
        TRY(find_plies(q, &seen, &bounds->plies));
        if (position->fifty + bounds->plies > PLY_LIMIT) // it is known with a clock of 0 only
            continue;
        bounds->least = bounds->greatest = attacker == WHITE ? CLTB_WIN : CLTB_LOSS;
        return 0;
    }
    return 0;
}

// The loser's move: inside the structure, the one after which the winner's way is longest; otherwise any.
static int longest_defence(struct question *q, uint32_t number, struct position *position, uint32_t *best)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    const uint8_t *rank;
    int most = -1;
    TRY(find_rank(q, number, GRADES, &rank));
    *best = count > 0 ? moves[0] : MOVE_NONE;
    for (int i = 0; i < count; i++) {
        if (move_is_zeroing(position, moves[i]))
            continue;
        TRY(position_make(position, moves[i]));
        const int after = rank_of(q, rank, position);
        position_undo(position);
        if (after > most) {
            most = after;
            *best = moves[i];
        }
    }
    return 0;
}

int search_line(struct search *s, const struct position *position, uint32_t *line, int most)
{
    struct search_bounds bounds;
    int plies = 0;
    int code = 0;
    struct position seen;
    TRY(search_bounds(s, position, &bounds));
    if (bounds.least != bounds.greatest || bounds.least == CLTB_DRAW)
        return 0;
    struct question *q = &s->question[bounds.least == CLTB_WIN ? WHITE : BLACK];
    seen_from(q, position, &seen);
    for (; code == 0 && plies < most; plies++) {
        size_t block;
        const uint32_t number = node_of(&q->nodes, &seen, false, &block);
        uint32_t move = MOVE_NONE;
        if (number == 0 || !q->nodes.node[number].solved)
            break;
        code =
            seen.side == WHITE ? white_move(q, number, GRADES, &seen, &move) : longest_defence(q, number, &seen, &move);
        if (code != 0 || move == MOVE_NONE)
            break;
        const int flip = q->attacker == BLACK ? 56 : 0;
        line[plies] = move ^ (uint32_t)flip ^ (uint32_t)flip << MOVE_TO_SHIFT;
        if (flip != 0) { // the pieces change their colours, too
            line[plies] ^= move_is_capture(move) ? (uint32_t)8 << MOVE_CAPTURED_SHIFT : 0;
            line[plies] ^= move_promoted(move) != EMPTY ? (uint32_t)8 << MOVE_PROMOTED_SHIFT : 0;
        }
        code = position_make(&seen, move);
        position_forget(&seen);
    }
    return code != 0 ? code : plies;
}

struct nodes *search_nodes(struct search *s, int attacker)
{
    return &s->question[attacker].nodes;
}

struct forced *search_forced(struct search *s, int attacker)
{
    return s->question[attacker].forced;
}

const struct search_request *search_asked(const struct search *s)
{
    return &s->request;
}

bool search_resumed(const struct search *s)
{
    return s->resumed;
}

struct search_counts search_counts(const struct search *s)
{
    struct search_counts counts = s->question[WHITE].counts;
    for (int i = 0; i < 3; i++)
        counts.solved[i] += s->question[BLACK].counts.solved[i];
    counts.positions += s->question[BLACK].counts.positions;
    return counts;
}

// ---- continuing in another run ----

static int pass_question(struct kept *kept, struct question *q)
{
    struct search_counts counts = q->counts;
    uint64_t work[] = {q->work, q->last_work, q->walks};
    TRY(kept_pass(kept, work, sizeof work));
    TRY(kept_pass(kept, &counts, sizeof counts));
    q->work = work[0];
    q->last_work = work[1];
    q->walks = (uint32_t)work[2];
    q->counts = counts;
    return kept_nodes(kept, &q->nodes);
}

int search_save(struct search *s, const char *path)
{
    struct kept kept;
    int code = kept_create(&kept, path, &s->asked);
    for (int i = 0; i < COLOURS; i++)
        THEN(code, pass_question(&kept, &s->question[i]));
    return kept_close(&kept, path, code);
}

// Solves at once what was waiting for it.
static int resume(struct question *q)
{
    for (uint32_t i = 1; i < q->nodes.count; i++) {
        struct node *node = &q->nodes.node[i];
        if (node->redo) {
            TRY(list_node(q, i));
        } else if (node->stale) {
            TRY(memory_grow(&q->stale, &q->stale_room, q->stales + 1, sizeof *q->stale, "structures"));
            q->stale[q->stales++] = i;
        }
    }
    return solve_listed(q);
}

static int load(struct search *s)
{
    struct kept kept;
    int code = kept_open(&kept, s->request.kept, &s->asked, &s->resumed);
    for (int i = 0; s->resumed && i < COLOURS; i++)
        THEN(code, pass_question(&kept, &s->question[i]));
    return kept_close(&kept, s->request.kept, code);
}

// ---- opening and closing ----

static int question_open(struct question *q, const struct position *position, const struct search_request *request)
{
    q->tables = (struct forced_tables){.tables = request->tables, .men = request->tables_men};
    q->stop = (struct grades_stop){request->stopped, request->context};
    q->memory = request->memory / 8 * 3;
    const struct node_tables tables = {request->tables, request->tables_men,
                                       request->tables != NULL ? request->has_table : NULL, request->has_context};
    TRY(nodes_open(&q->nodes, position, &tables, request->memory / 16));
    for (; q->threads < threads_count(request->pool) && q->threads < THREADS_MAX; q->threads++)
        TRY(grades_open(&q->grades[q->threads]));
    return forced_open(&q->forced, &q->nodes, &q->tables, request->memory / 32);
}

int search_open(struct search **search, const struct position *position, const struct search_request *request)
{
    *search = NULL;
    if (position->castling != 0)
        return error_set(CLTB_E_POSITION, "castling rights are not supported");
    if (position_men(position) - position->count[WHITE][PAWN] - position->count[BLACK][PAWN] > NODE_PIECES - 1 + 2)
        return error_set(CLTB_E_POSITION, "there are more than two pieces besides the kings");
    TRY(memory_new(search, 1, sizeof **search, "a search"));
    struct search *s = *search;
    s->request = *request;
    position_copy(&s->asked, position);
    position_forget(&s->asked);
    for (int i = 0; i < COLOURS; i++) {
        struct question *q = &s->question[i];
        struct position seen;
        q->attacker = i;
        seen_from(q, position, &seen);
        TRY(question_open(q, &seen, request));
    }
    if (request->kept != NULL)
        TRY(load(s));
    for (int i = 0; i < COLOURS; i++) {
        struct question *q = &s->question[i];
        struct position seen;
        size_t block;
        if (s->resumed) {
            TRY(resume(q));
            continue;
        }
        seen_from(q, position, &seen);
        const uint32_t number = node_of(&q->nodes, &seen, true, &block);
        if (q->nodes.node[number].pieces < 2 && !q->nodes.node[number].listed) {
            TRY(grades_enter(q->grades[0], &q->nodes, number));
            TRY(list_node(q, number));
            TRY(solve_listed(q));
        }
    }
    return 0;
}

void search_close(struct search *s)
{
    for (int i = 0; s != NULL && i < COLOURS; i++) {
        struct question *q = &s->question[i];
        forget_ranks(q);
        nodes_close(&q->nodes);
        for (int k = 0; k < q->threads; k++)
            grades_close(q->grades[k]);
        forced_close(q->forced);
        for (int order = 0; order < NODE_ORDERS; order++)
            free(q->list[order]);
        free(q->queue);
        free(q->seen);
        free(q->ranked);
        free(q->stale);
    }
    free(s);
}
