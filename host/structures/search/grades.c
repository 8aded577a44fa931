// grades.c - solves one structure of the search
#include "structures/search/grades.h"

#include "chess/attacks.h"
#include "structures/search/packed.h"
#include "structures/search/tabled.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 50 }; // of wins: a round is two plies

struct grades {
    size_t room;                      // words of each array
    uint64_t *can_move;               // Black has a move that is not the king's
    uint64_t *leave[COLOURS][GRADES]; // White has an exit to the grade; all exits of Black lead to it
    uint64_t *open;                   // legal with White to move, without the grade
    uint64_t *has[COLOURS];
    uint64_t *near;                 // of has[BLACK], those that have not the highest grade
    uint64_t *from;                 // what White's moves may lead to: has[BLACK], or near
    const uint64_t *legal[COLOURS]; // [side to move], of the node
    const uint64_t *stuck;          // Black is stalemated, of the node
    bool *fresh[COLOURS];           // [blocks] has new positions
    bool *touched;                  // [blocks] a piece of the side to move can reach a block with new positions
    struct node_exit exit[COLOURS][EXITS_MAX];
    size_t exits[COLOURS];
    struct tabled *tabled;
    struct node_view_room room_view[2];
    king_planes mixed;
    bool far;          // a grade ended at the limit of rounds
    unsigned kept;     // bit grade - 1: the plane differs from that of the next grade
    int grade[GRADES]; // [grades] those that are solved, from the highest down
    int grades;
};

enum { ARRAYS = 5 + COLOURS * GRADES };

static void list_arrays(struct grades *g, uint64_t **array[ARRAYS])
{
    uint64_t **const some[5] = {&g->can_move, &g->open, &g->has[0], &g->has[1], &g->near};
    memcpy(array, some, sizeof some);
    for (int i = 0; i < COLOURS * GRADES; i++)
        array[5 + i] = &g->leave[i / GRADES][i % GRADES];
}

int grades_open(struct grades **grades)
{
    TRY(memory_new(grades, 1, sizeof **grades, "structures"));
    return tabled_open(&(*grades)->tabled);
}

void grades_close(struct grades *grades)
{
    uint64_t **array[ARRAYS];
    if (grades == NULL)
        return;
    list_arrays(grades, array);
    for (int i = 0; i < ARRAYS; i++)
        free(*array[i]);
    free(grades->fresh[WHITE]);
    free(grades->fresh[BLACK]);
    free(grades->touched);
    tabled_close(grades->tabled);
    free(grades);
}

static int make_room(struct grades *grades, size_t words)
{
    uint64_t **array[ARRAYS];
    if (grades->room >= words)
        return 0;
    list_arrays(grades, array);
    grades->room = 0;
    for (int i = 0; i < ARRAYS; i++) {
        free(*array[i]);
        TRY(memory_new(array[i], words, sizeof(uint64_t), "a structure"));
    }
    bool **const flags[] = {&grades->fresh[WHITE], &grades->fresh[BLACK], &grades->touched};
    for (int i = 0; i < 3; i++) {
        free(*flags[i]);
        TRY(memory_new(flags[i], words / SQUARES, sizeof(bool), "a structure"));
    }
    grades->room = words;
    return 0;
}

INLINED uint64_t king_fill(uint64_t set)
{
    const uint64_t beside = (set & ~FILE_A) >> 1 | (set & ~FILE_H) << 1;
    const uint64_t row = set | beside;
    return beside | row << 8 | row >> 8;
}

// ---- what the exits lead to ----

// The planes after a double step, if it may be taken en passant: the side that takes has one more move.
static void mix_en_passant(struct grades *g, const struct nodes *nodes, const struct node_exit *exit, int side,
                           const struct node_hop *hop, struct node_view *view)
{
    for (int i = 0; i < g->grades; i++)
        memcpy(g->mixed[g->grade[i] - 1], view->plane[g->grade[i] - 1], sizeof(king_block));
    for (int k = 0; k < 2 && exit->beside[k] != 0; k++) {
        const struct node *node = &nodes->node[exit->beside[k]];
        struct node_view taken;
        king_block legal;
        int square[NODE_PIECES];
        node_view(nodes, exit->beside[k], side, hop->block, true, &taken, &g->room_view[1]);
        block_squares(hop->block, node->pieces, square);
        node_legal(node, square, side, legal);
        for (int i = 0; i < g->grades; i++) {
            const int at = g->grade[i] - 1;
            for (int w = 0; w < SQUARES; w++) {
                const uint64_t plane = taken.plane[at][w];
                g->mixed[at][w] =
                    side == WHITE ? g->mixed[at][w] & (plane | ~legal[w]) : g->mixed[at][w] | (plane & legal[w]);
            }
        }
    }
    for (int i = 0; i < g->grades; i++)
        view->plane[g->grade[i] - 1] = g->mixed[g->grade[i] - 1];
}

// Adds the positions from which White's move leads to the plane.
CLONED_WIDE static void leave_white(const uint64_t *plane, const struct node_hop *hop, uint64_t *leave)
{
    for (uint64_t set = hop->king >= 0 ? king_attacks(hop->king) : 0; set != 0;)
        leave[set_pop(&set)] |= plane[hop->king];
    for (int w = 0; hop->king < 0 && w < SQUARES; w++)
        leave[w] |= plane[w] & ~hop->clear & ((hop->clear >> w & 1) - 1);
}

// Takes away the positions from which Black's move does not lead to it.
CLONED_WIDE static void leave_black(const uint64_t *plane, const struct node_hop *hop, uint64_t *leave)
{
    const uint64_t near = hop->king >= 0 ? king_attacks(hop->king) : 0;
    for (int w = 0; hop->king >= 0 && w < SQUARES; w++)
        leave[w] &= ~(near & ((plane[w] >> hop->king & 1) - 1));
    for (int w = 0; hop->king < 0 && w < SQUARES; w++)
        leave[w] &= plane[w] | hop->clear | (0 - (hop->clear >> w & 1));
}

// Adds the positions of a block in which Black has the move.
static void add_moves(uint64_t *can_move, const struct node_view *view, const struct node_hop *hop)
{
    for (int w = 0; w < SQUARES; w++) {
        if (hop->king >= 0)
            can_move[w] |= king_attacks(hop->king) & (0 - (view->legal[w] >> hop->king & 1));
        else
            can_move[w] |= view->legal[w] & ~hop->clear & ((hop->clear >> w & 1) - 1);
    }
}

// ---- moves inside the structure ----

// Adds the positions of a block from which a move of White's king leads to `from`.
INLINED void white_king_steps(const uint64_t *from, uint64_t *to)
{
    king_block beside;
    for (int w = 0; w < SQUARES; w++)
        beside[w] = ((w & 7) != 0 ? from[w - 1] : 0) | ((w & 7) != 7 ? from[w + 1] : 0);
    for (int w = 0; w < SQUARES; w++)
        to[w] |= beside[w];
    for (int w = 8; w < SQUARES; w++)
        to[w] |= beside[w - 8] | from[w - 8];
    for (int w = 0; w < SQUARES - 8; w++)
        to[w] |= beside[w + 8] | from[w + 8];
}

// Adds positions in which the kings do not stand on the squares `between`.
INLINED void add_block(uint64_t *to, const uint64_t *from, uint64_t between)
{
    uint64_t kept[8];
    int count = 0;
    for (uint64_t set = between; set != 0;)
        kept[count++] = to[set_pop(&set)];
    for (int w = 0; w < SQUARES; w++)
        to[w] |= from[w] & ~between;
    count = 0;
    for (uint64_t set = between; set != 0;)
        to[set_pop(&set)] = kept[count++];
}

// Takes such positions away instead. Returns the union of what is left.
INLINED uint64_t drop_block(uint64_t *to, const uint64_t *from, uint64_t between)
{
    uint64_t kept[8];
    uint64_t left = 0;
    int count = 0;
    int done = 0;
    for (uint64_t set = between; set != 0;)
        kept[count++] = to[set_pop(&set)];
    for (int w = 0; w < SQUARES; w++) {
        to[w] &= ~from[w] | between;
        left |= to[w];
    }
    for (uint64_t set = between; set != 0;)
        left |= to[set_pop(&set)] = kept[done++];
    return left;
}

static bool has_pieces(const struct node *node, int side)
{
    for (int i = 0; i < node->pieces; i++) {
        if (code_colour(node->code[i]) == side)
            return true;
    }
    return false;
}

// The blocks to which the pieces of a side move from a block.
struct piece_step {
    size_t after;
    uint64_t between; // squares that must be free of kings
};
enum { PIECE_STEPS_MAX = NODE_PIECES * 27 };

static int piece_steps(const struct node *node, int side, size_t block, struct piece_step *step)
{
    int square[NODE_PIECES];
    int count = 0;
    block_squares(block, node->pieces, square);
    const uint64_t occupied = node_occupied(node, square);
    for (int i = 0; occupied != 0 && i < node->pieces; i++) {
        const int type = code_type(node->code[i]);
        const int shift = 6 * (node->pieces - 1 - i);
        if (code_colour(node->code[i]) != side)
            continue;
        for (uint64_t set = piece_attacks(type, side, square[i], occupied) & ~occupied; set != 0;) {
            const int target = set_pop(&set);
            step[count++] = (struct piece_step){.after = (block & ~((size_t)63 << shift)) | (size_t)target << shift,
                                                .between = type == KNIGHT ? 0 : squares_between(square[i], target)};
        }
    }
    return count;
}

// Notes the blocks from which a side's pieces move to one with new positions: they are those to which they move.
static void touch(struct grades *g, const struct node *node, int side)
{
    struct piece_step step[PIECE_STEPS_MAX];
    const size_t blocks = node_blocks(node->pieces);
    memset(g->touched, 0, blocks * sizeof(bool));
    for (size_t block = 0; has_pieces(node, side) && block < blocks; block++) {
        const int count = g->fresh[side ^ 1][block] ? piece_steps(node, side, block, step) : 0;
        for (int i = 0; i < count; i++)
            g->touched[step[i].after] = true;
    }
}

// Adds the positions of a block from which a side's pieces move to positions of `from`.
CLONED_WIDE static void add_steps(const struct node *node, int side, size_t block, const uint64_t *from,
                                  const bool *fresh, uint64_t *to)
{
    struct piece_step step[PIECE_STEPS_MAX];
    const int count = piece_steps(node, side, block, step);
    for (int i = 0; i < count; i++) {
        if (fresh == NULL || fresh[step[i].after])
            add_block(to, from + step[i].after * SQUARES, step[i].between);
    }
}

// Takes away the positions of a block from which Black's pieces move to open positions.
CLONED_WIDE static void drop_steps(const struct node *node, size_t block, const uint64_t *open, uint64_t *from)
{
    struct piece_step step[PIECE_STEPS_MAX];
    const int count = piece_steps(node, BLACK, block, step);
    uint64_t left = 1;
    for (int i = 0; i < count && left != 0; i++)
        left = drop_block(from, open + step[i].after * SQUARES, step[i].between);
}

// ---- one structure ----

int grades_enter(struct grades *g, struct nodes *nodes, uint32_t number)
{
    for (int side = WHITE; side <= BLACK; side++)
        g->exits[side] = node_exits(nodes, number, side, g->exit[side]);
    if (nodes->full)
        return error_memory(nodes->room * sizeof *nodes->node, "structures");
    for (int side = WHITE; side <= BLACK; side++) {
        for (size_t i = 0; i < 3 * g->exits[side]; i++) {
            const struct node_exit *exit = &g->exit[side][i / 3];
            const uint32_t to = i % 3 == 0 ? exit->to : exit->beside[i % 3 - 1];
            struct node *node = &nodes->node[to];
            if (to == 0 || (node->parents > 0 && node->parent[node->parents - 1] == number))
                continue;
            TRY(memory_grow(&node->parent, &node->parent_room, node->parents + 1, sizeof *node->parent, "structures"));
            node->parent[node->parents++] = number;
        }
    }
    return 0;
}

// Lists the exits, and the grades whose planes differ from the next ones: those for which this is so in some node that
// an exit leads to.
static void list_exits(struct grades *g, struct nodes *nodes, uint32_t number)
{
    unsigned steps = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        g->exits[side] = node_exits(nodes, number, side, g->exit[side]);
        for (size_t i = 0; i < g->exits[side]; i++) {
            const struct node_exit *exit = &g->exit[side][i];
            if (!node_covered(&nodes->node[exit->to]))
                steps |= node_steps(nodes, &nodes->node[exit->to]);
            for (int k = 0; k < 2 && exit->beside[k] != 0; k++)
                steps |= node_steps(nodes, &nodes->node[exit->beside[k]]);
        }
    }
    g->kept = 1U << (GRADES - 1);
    for (int grade = 1; grade < GRADES; grade++) {
        if ((steps >> (grade - 1) & 1) != 0)
            g->kept |= 1U << (grade_kept(nodes->node[number].pieces, grade) - 1);
    }
}

// Whether an exit matters for the grades that are solved. A leaf with one grade is no help for White to a higher one,
// and no harm for Black to others.
static bool matters(const struct grades *g, const struct nodes *nodes, const struct node_exit *exit, int side)
{
    if (node_covered(&nodes->node[exit->to]))
        return false;
    const int even = node_even(nodes, &nodes->node[exit->to]);
    if (even == UNKNOWN || exit->beside[0] != 0)
        return g->grades > 0;
    return g->grades > 0 && (side == WHITE ? g->grade[g->grades - 1] <= even : g->grade[0] > even);
}

// Notes what an exit leads to in a table.
static int leave_to_table(struct grades *g, const struct nodes *nodes, struct node *node, const struct node_exit *exit,
                          int side, size_t block, const struct node_hop *hop)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    uint64_t *leave = node->legal + (side == WHITE ? 3 : 4) * words + block * SQUARES;
    king_block won;
    king_block legal;
    king_block stay;
    const struct node_view view = {.legal = legal};
    TRY(tabled_view(g->tabled, nodes, exit->to, side ^ 1, hop, won, legal));
    if (side == WHITE) {
        leave_white(won, hop, leave);
        return 0;
    }
    memset(stay, 0xff, sizeof stay);
    leave_black(won, hop, stay);
    for (int w = 0; w < SQUARES; w++)
        leave[w] |= ~stay[w];
    add_moves(g->can_move + block * SQUARES, &view, hop);
    return 0;
}

// Makes the arrays of what holds in all grades, of a node that was never solved.
static int begin_legal(struct grades *g, struct nodes *nodes, struct node *node)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    node->tabled = false;
    for (int side = WHITE; side <= BLACK; side++) {
        for (size_t i = 0; i < g->exits[side]; i++)
            node->tabled |= node_covered(&nodes->node[g->exit[side][i].to]);
    }
    const size_t arrays = node_legal_arrays(node);
    TRY(memory_new(&node->legal, arrays * words, sizeof(uint64_t), "a structure"));
    nodes->bytes += arrays * words * sizeof(uint64_t);
    memset(g->can_move, 0, words * sizeof(uint64_t));
    tabled_forget(g->tabled);
    return 0;
}

// Notes for all grades of a set what the exits lead to. In a node that was never solved also what is legal.
static int gather_all(struct grades *g, struct nodes *nodes, uint32_t number, unsigned wanted,
                      const struct grades_stop *stop)
{
    struct node *node = &nodes->node[number];
    const size_t words = node_blocks(node->pieces) * SQUARES;
    const bool first = node->legal == NULL;
    TRY(make_room(g, words));
    if (first)
        TRY(begin_legal(g, nodes, node));
    g->legal[WHITE] = node->legal;
    g->legal[BLACK] = node->legal + words;
    g->stuck = node->legal + 2 * words;
    g->grades = 0;
    for (int grade = GRADES; grade > 0; grade--) {
        if ((g->kept & wanted & 1U << (grade - 1)) == 0)
            continue;
        g->grade[g->grades++] = grade;
        memset(g->leave[WHITE][grade - 1], 0, words * sizeof(uint64_t));
        memset(g->leave[BLACK][grade - 1], 0xff, words * sizeof(uint64_t));
    }
    for (size_t block = 0; block < node_blocks(node->pieces); block++) {
        int square[NODE_PIECES];
        block_squares(block, node->pieces, square);
        const uint64_t occupied = node_occupied(node, square);
        if (first && node->tabled && block % SQUARES == 0 && stop->stop(stop->context)) // tables take long
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
        for (int side = WHITE; first && side <= BLACK; side++)
            node_legal(node, square, side, node->legal + (size_t)side * words + block * SQUARES);
        for (int side = WHITE; side <= BLACK && (occupied != 0 || node->pieces == 0); side++) {
            for (size_t i = 0; i < g->exits[side]; i++) {
                const struct node_exit *exit = &g->exit[side][i];
                struct node_hop hop;
                struct node_view view;
                const bool needed = matters(g, nodes, exit, side);
                const bool covered = node_covered(&nodes->node[exit->to]);
                if (!(needed || (first && (covered || side == BLACK))) || !node_hop(node, exit, square, occupied, &hop))
                    continue;
                if (covered) {
                    TRY(leave_to_table(g, nodes, node, exit, side, block, &hop));
                    continue;
                }
                node_view(nodes, exit->to, side ^ 1, hop.block, true, &view, &g->room_view[0]);
                if (first && side == BLACK)
                    add_moves(g->can_move + block * SQUARES, &view, &hop);
                if (exit->beside[0] != 0)
                    mix_en_passant(g, nodes, exit, side, &hop, &view);
                for (int k = 0; needed && k < g->grades; k++)
                    (side == WHITE ? leave_white : leave_black)(view.plane[g->grade[k] - 1], &hop,
                                                                g->leave[side][g->grade[k] - 1] + block * SQUARES);
            }
        }
    }
    for (int i = 0; node->tabled && i < g->grades; i++) {
        for (size_t k = 0; k < words; k++) {
            g->leave[WHITE][g->grade[i] - 1][k] |= node->legal[3 * words + k];
            g->leave[BLACK][g->grade[i] - 1][k] &= ~node->legal[4 * words + k];
        }
    }
    for (size_t block = 0; first && has_pieces(node, BLACK) && block < node_blocks(node->pieces); block++)
        add_steps(node, BLACK, block, g->legal[WHITE], NULL, g->can_move + block * SQUARES);
    for (size_t i = 0; first && i < words; i++)
        node->legal[2 * words + i] =
            g->legal[BLACK][i] & g->legal[WHITE][i] & ~g->can_move[i] & ~king_fill(g->legal[WHITE][i]);
    return 0;
}

static int gather(struct grades *g, struct nodes *nodes, uint32_t number, unsigned wanted,
                  const struct grades_stop *stop)
{
    struct node *node = &nodes->node[number];
    TRY(node->away ? node_unpack(nodes, node) : 0);
    const bool first = node->legal == NULL;
    const int code = gather_all(g, nodes, number, wanted, stop);
    if (code != 0 && first && node->legal != NULL) { // nothing half made
        nodes->bytes -= node_legal_arrays(node) * node_blocks(node->pieces) * sizeof(king_block);
        free(node->legal);
        node->legal = NULL;
    }
    return code;
}

// White's positions of a block that have the grade after Black's have changed. Returns whether one is new.
CLONED_WIDE static bool white_block(struct grades *g, const struct node *node, int grade, size_t block)
{
    const size_t at = block * SQUARES;
    const uint64_t *leave = g->leave[WHITE][grade - 1];
    king_block step = {0};
    uint64_t changed = 0;
    if (g->touched[block])
        add_steps(node, WHITE, block, g->from, g->fresh[BLACK], step);
    if (g->fresh[BLACK][block])
        white_king_steps(g->from + at, step);
    for (size_t i = 0; i < SQUARES; i++) {
        const uint64_t has = g->has[WHITE][at + i] | (g->legal[WHITE][at + i] & (leave[at + i] | step[i]));
        changed |= has ^ g->has[WHITE][at + i];
        g->has[WHITE][at + i] = has;
        g->open[at + i] = g->legal[WHITE][at + i] & ~has;
    }
    return changed != 0;
}

// The same for Black's, after White's have changed.
CLONED_WIDE static bool black_block(struct grades *g, const struct node *node, int grade, size_t block)
{
    const size_t at = block * SQUARES;
    const uint64_t *leave = g->leave[BLACK][grade - 1];
    king_block fresh;
    uint64_t changed = 0;
    for (size_t i = 0; i < SQUARES; i++) {
        fresh[i] = g->legal[BLACK][at + i] & leave[at + i] & ~g->stuck[at + i] & ~g->has[BLACK][at + i] &
                   ~king_fill(g->open[at + i]);
        changed |= fresh[i];
    }
    if (changed == 0)
        return false;
    drop_steps(node, block, g->open, fresh);
    changed = 0;
    for (size_t i = 0; i < SQUARES; i++) {
        g->has[BLACK][at + i] |= fresh[i];
        changed |= fresh[i];
        if (g->from == g->near)
            g->near[at + i] |= fresh[i];
    }
    return changed != 0;
}

// Both sides' plies of one round. Only blocks are worked on to which a move leads from one that has changed; in the
// first round of a grade, all, as the exits have changed. Returns whether a position is new.
static bool one_round(struct grades *g, const struct node *node, int grade, bool first)
{
    const size_t blocks = node_blocks(node->pieces);
    bool changed = false;
    for (int side = WHITE; side <= BLACK; side++) {
        touch(g, node, side);
        for (size_t block = 0; block < blocks; block++) {
            bool *fresh = &g->fresh[side][block];
            if (first || g->touched[block] || g->fresh[side ^ 1][block])
                *fresh = (side == WHITE ? white_block : black_block)(g, node, grade, block);
            else
                *fresh = false;
            changed |= *fresh;
        }
    }
    return changed;
}

// Notes the round of the positions of one side that are new.
static void note(const struct grades *g, int side, size_t blocks, uint64_t *before, int round, uint8_t *rank)
{
    const size_t first = (size_t)side * blocks * SQUARES;
    for (size_t block = 0; block < blocks; block++) {
        for (size_t i = block * SQUARES; g->fresh[side][block] && i < (block + 1) * SQUARES; i++) {
            const uint64_t has = g->has[side][i];
            for (uint64_t set = has & ~before[first + i]; set != 0;)
                rank[(first + i) * SQUARES + (size_t)set_pop(&set)] =
                    (uint8_t)(round < RANK_NONE ? round : RANK_NONE - 1);
            before[first + i] = has;
        }
    }
}

// Adds the positions of one grade to those in g->has, which have higher ones.
static void begin(struct grades *g, size_t words)
{
    for (int side = WHITE; side <= BLACK; side++) {
        memset(g->has[side], 0, words * sizeof(uint64_t));
        memset(g->fresh[side], 0, words / SQUARES * sizeof(bool));
    }
    g->from = g->has[BLACK];
}

static int solve_grade(struct grades *g, const struct node *node, int grade, const struct grades_stop *stop,
                       uint8_t *rank)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    uint64_t *before = NULL;
    bool changed = true;
    if (rank != NULL)
        TRY(memory_new(&before, COLOURS * words, sizeof *before, "a structure"));
    for (int side = WHITE; rank != NULL && side <= BLACK; side++)
        memcpy(before + (size_t)side * words, g->has[side], words * sizeof *before);
    for (int round = 0; changed && (grade < GRADES || round < ROUNDS_MAX); round++) {
        if (node->pieces > 1 && stop->stop(stop->context)) {
            free(before);
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
        }
        changed = one_round(g, node, grade, round == 0);
        for (int side = WHITE; rank != NULL && side <= BLACK; side++)
            note(g, side, words / SQUARES, before, round, rank);
    }
    free(before);
    g->far = changed;
    return 0;
}

// Begins with the positions that have the highest grade, for the guesses below it. White's moves to them from others
// are left out: these are won, but too far from a pawn move or a capture, and so must find another way. The lowest
// grade, which all have that are not certain to be no win, has them again.
static void begin_far(struct grades *g, const struct node *node, int grade)
{
    begin(g, node_blocks(node->pieces) * SQUARES);
    if (grade == 1)
        return;
    const size_t words = node_blocks(node->pieces) * SQUARES;
    for (size_t i = 0; i < words; i++) {
        g->has[WHITE][i] = node->plane[WHITE][GRADES - 1][i] & g->legal[WHITE][i];
        g->has[BLACK][i] = node->plane[BLACK][GRADES - 1][i];
    }
    memset(g->near, 0, words * sizeof(uint64_t));
    g->from = g->near;
}

// Puts what is in g->has into the node's plane of a grade; equal planes are shared. *changed: it is another one.
static int keep(struct grades *g, struct nodes *nodes, struct node *node, int side, int grade, bool *changed)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    uint64_t **plane = &node->plane[side][grade - 1];
    uint64_t *to = *plane;
    uint64_t differs = 0;
    if (to == NULL || node_plane_users(node, side, to) > 1) {
        TRY(memory_new(&to, words, sizeof *to, "a structure"));
        nodes->bytes += words * sizeof *to;
    }
    for (size_t i = 0; i < words; i++) {
        const uint64_t word = g->has[side][i] | (side == WHITE ? ~g->legal[WHITE][i] : 0);
        differs |= *plane != NULL ? (*plane)[i] ^ word : 1;
        to[i] = word;
    }
    *changed |= differs != 0;
    *plane = to;
    return 0;
}

// The plane of a grade that was not solved is that of the next one.
static void share(struct nodes *nodes, struct node *node, int side, int grade, bool *changed)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    uint64_t **plane = &node->plane[side][grade - 1];
    uint64_t *above = node->plane[side][grade];
    if (*plane == above)
        return;
    *changed |= *plane == NULL || memcmp(*plane, above, words * sizeof *above) != 0;
    if (*plane != NULL && node_plane_users(node, side, *plane) == 1) {
        free(*plane);
        nodes->bytes -= words * sizeof *above;
    }
    *plane = above;
}

int grades_solve(struct grades *g, struct nodes *nodes, uint32_t number, const struct grades_stop *stop,
                 uint16_t *changed)
{
    struct node *node = &nodes->node[number];
    list_exits(g, nodes, number);
    TRY(node_change(nodes, node));
    const unsigned all = UINT16_MAX;
    const bool with_wins = !node->solved || (node->pending >> (GRADES - 1) & 1) != 0;
    TRY(gather(g, nodes, number, with_wins && (node->far || !node->solved) ? all : node->pending, stop));
    begin(g, node_blocks(node->pieces) * SQUARES);
    *changed = 0;
    for (int grade = GRADES, i = 0; grade > 0; grade--) {
        const bool solved = i < g->grades && g->grade[i] == grade;
        bool differs = false;
        i += solved;
        if (solved && grade < GRADES && node->far && (grade == 1 || g->from != g->near))
            begin_far(g, node, grade);
        if (solved)
            TRY(solve_grade(g, node, grade, stop, NULL));
        for (int side = WHITE; side <= BLACK; side++) {
            if (solved)
                TRY(keep(g, nodes, node, side, grade, &differs));
            else if ((g->kept >> (grade - 1) & 1) == 0)
                share(nodes, node, side, grade, &differs);
        }
        *changed |= (uint16_t)(differs ? 1U << (grade - 1) : 0);
        if (solved && grade == GRADES && g->far && !node->far && node->solved) { // the other grades depend on it
            node->far = true;
            node->pending = UINT16_MAX;
            TRY(grades_solve(g, nodes, number, stop, changed));
            *changed |= 1U << (GRADES - 1);
            return 0;
        }
        node->far = solved && grade == GRADES ? g->far : node->far;
    }
    node->steps = 0;
    for (int grade = 1; grade < GRADES; grade++) {
        if (node->plane[WHITE][grade - 1] != node->plane[WHITE][grade] ||
            node->plane[BLACK][grade - 1] != node->plane[BLACK][grade])
            node->steps |= (uint16_t)(1U << (grade - 1));
    }
    node->solved = true;
    node->pending = 0;
    node->ranked = 0;
    return 0;
}

int grades_rank(struct grades *g, struct nodes *nodes, uint32_t number, int grade, const struct grades_stop *stop,
                uint8_t *rank)
{
    const size_t words = node_blocks(nodes->node[number].pieces) * SQUARES;
    list_exits(g, nodes, number);
    while ((g->kept >> (grade - 1) & 1) == 0) // the least grade that was solved and is not less
        grade++;
    TRY(gather(g, nodes, number, 1U << (grade - 1), stop));
    memset(rank, RANK_NONE, COLOURS * words * SQUARES);
    begin(g, words);
    if (grade < GRADES && nodes->node[number].far)
        begin_far(g, &nodes->node[number], grade);
    return solve_grade(g, &nodes->node[number], grade, stop, rank);
}
