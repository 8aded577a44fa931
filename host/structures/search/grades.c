// grades.c - solves one structure of the search
#include "structures/search/grades.h"

#include "chess/attacks.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 50 }; // of wins: a round is two plies

struct grades {
    size_t room;                      // words of each array
    uint64_t *legal[COLOURS];         // [side to move]
    uint64_t *can_move;               // Black has a move that is not the king's
    uint64_t *stuck;                  // Black is stalemated
    uint64_t *leave[COLOURS][GRADES]; // White has an exit to the grade; all exits of Black lead to it
    uint64_t *step[COLOURS]; // moves of White's men to positions with the grade, of Black's pieces to those without it
    uint64_t *open;          // legal with White to move, without the grade
    uint64_t *has[COLOURS];
    bool *fresh[COLOURS]; // [blocks] has new positions
    struct node_exit exit[COLOURS][EXITS_MAX];
    size_t exits[COLOURS];
    struct node_view_room room_view[2];
    king_planes mixed;
    int grade[GRADES]; // [grades] those that are solved, from the highest down
    int grades;
};

enum { ARRAYS = 9 + COLOURS * GRADES };

static void list_arrays(struct grades *g, uint64_t **array[ARRAYS])
{
    uint64_t **const some[9] = {&g->legal[0], &g->legal[1], &g->can_move, &g->stuck, &g->step[0],
                                &g->step[1],  &g->open,     &g->has[0],   &g->has[1]};
    memcpy(array, some, sizeof some);
    for (int i = 0; i < COLOURS * GRADES; i++)
        array[9 + i] = &g->leave[i / GRADES][i % GRADES];
}

int grades_open(struct grades **grades)
{
    return memory_new(grades, 1, sizeof **grades, "structures");
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
    for (int side = WHITE; side <= BLACK; side++) {
        free(grades->fresh[side]);
        TRY(memory_new(&grades->fresh[side], words / SQUARES, sizeof(bool), "a structure"));
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
        node_view(nodes, exit->beside[k], side, hop->block, &taken, &g->room_view[1]);
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

CLONED_WIDE static void leave_white(struct grades *g, size_t at, const struct node_view *view,
                                    const struct node_hop *hop)
{
    for (int i = 0; i < g->grades; i++) {
        const uint64_t *plane = view->plane[g->grade[i] - 1];
        uint64_t *leave = g->leave[WHITE][g->grade[i] - 1] + at;
        if (hop->king >= 0) {
            for (uint64_t set = king_attacks(hop->king); set != 0;)
                leave[set_pop(&set)] |= plane[hop->king];
            continue;
        }
        for (int w = 0; w < SQUARES; w++)
            leave[w] |= plane[w] & ~hop->clear & ((hop->clear >> w & 1) - 1);
    }
}

CLONED_WIDE static void leave_black(struct grades *g, size_t at, const struct node_view *view,
                                    const struct node_hop *hop)
{
    const uint64_t near = hop->king >= 0 ? king_attacks(hop->king) : 0;
    for (int w = 0; w < SQUARES; w++) {
        if (hop->king >= 0)
            g->can_move[at + (size_t)w] |= near & (0 - (view->legal[w] >> hop->king & 1));
        else
            g->can_move[at + (size_t)w] |= view->legal[w] & ~hop->clear & ((hop->clear >> w & 1) - 1);
    }
    for (int i = 0; i < g->grades; i++) {
        const uint64_t *plane = view->plane[g->grade[i] - 1];
        uint64_t *leave = g->leave[BLACK][g->grade[i] - 1] + at;
        if (hop->king >= 0) {
            for (int w = 0; w < SQUARES; w++)
                leave[w] &= ~(near & ((plane[w] >> hop->king & 1) - 1));
        } else {
            for (int w = 0; w < SQUARES; w++)
                leave[w] &= plane[w] | hop->clear | (0 - (hop->clear >> w & 1));
        }
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

// Adds the positions of a block from which a piece moves to blocks of `from`, of which only those count that are in
// `fresh` (NULL: all). Returns whether there is one; with `to` NULL, this is all.
CLONED_WIDE static bool piece_steps(const struct node *node, int side, size_t block, const uint64_t *from,
                                    const bool *fresh, uint64_t *to)
{
    int square[NODE_PIECES];
    bool any = false;
    block_squares(block, node->pieces, square);
    const uint64_t occupied = node_occupied(node, square);
    for (int i = 0; occupied != 0 && i < node->pieces; i++) {
        const int type = code_type(node->code[i]);
        const int shift = 6 * (node->pieces - 1 - i);
        if (code_colour(node->code[i]) != side)
            continue;
        for (uint64_t set = piece_attacks(type, side, square[i], occupied) & ~occupied; set != 0;) {
            const int target = set_pop(&set);
            const size_t after = (block & ~((size_t)63 << shift)) | (size_t)target << shift;
            if (fresh != NULL && !fresh[after])
                continue;
            if (to == NULL)
                return true;
            any = true;
            add_block(to, from + after * SQUARES, type == KNIGHT ? 0 : squares_between(square[i], target));
        }
    }
    return any;
}

static bool has_pieces(const struct node *node, int side)
{
    for (int i = 0; i < node->pieces; i++) {
        if (code_colour(node->code[i]) == side)
            return true;
    }
    return false;
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

// Which grades have to be solved: those whose planes differ from the next ones in some node that an exit leads to.
static void list_grades(struct grades *g, const struct nodes *nodes, int pieces)
{
    unsigned steps = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        for (size_t i = 0; i < g->exits[side]; i++) {
            const struct node_exit *exit = &g->exit[side][i];
            steps |= node_steps(nodes, &nodes->node[exit->to]);
            for (int k = 0; k < 2 && exit->beside[k] != 0; k++)
                steps |= node_steps(nodes, &nodes->node[exit->beside[k]]);
        }
    }
    unsigned kept = 0;
    for (int grade = 1; grade < GRADES; grade++) {
        if ((steps >> (grade - 1) & 1) != 0)
            kept |= 1U << (grade_kept(pieces, grade) - 1);
    }
    g->grades = 0;
    g->grade[g->grades++] = GRADES;
    for (int grade = GRADES - 1; grade > 0; grade--) {
        if ((kept >> (grade - 1) & 1) != 0)
            g->grade[g->grades++] = grade;
    }
}

// Looks at all exits.
static int prepare(struct grades *g, struct nodes *nodes, uint32_t number)
{
    const struct node *node = &nodes->node[number];
    const size_t words = node_blocks(node->pieces) * SQUARES;
    TRY(make_room(g, words));
    for (int side = WHITE; side <= BLACK; side++)
        g->exits[side] = node_exits(nodes, number, side, g->exit[side]);
    list_grades(g, nodes, node->pieces);
    memset(g->can_move, 0, words * sizeof(uint64_t));
    for (int i = 0; i < g->grades; i++) {
        memset(g->leave[WHITE][g->grade[i] - 1], 0, words * sizeof(uint64_t));
        memset(g->leave[BLACK][g->grade[i] - 1], 0xff, words * sizeof(uint64_t));
    }
    for (size_t block = 0; block < node_blocks(node->pieces); block++) {
        int square[NODE_PIECES];
        block_squares(block, node->pieces, square);
        const uint64_t occupied = node_occupied(node, square);
        node_legal(node, square, WHITE, g->legal[WHITE] + block * SQUARES);
        node_legal(node, square, BLACK, g->legal[BLACK] + block * SQUARES);
        for (int side = WHITE; side <= BLACK && (occupied != 0 || node->pieces == 0); side++) {
            for (size_t i = 0; i < g->exits[side]; i++) {
                const struct node_exit *exit = &g->exit[side][i];
                struct node_hop hop;
                struct node_view view;
                if (!node_hop(node, exit, square, occupied, &hop))
                    continue;
                node_view(nodes, exit->to, side ^ 1, hop.block, &view, &g->room_view[0]);
                if (exit->beside[0] != 0)
                    mix_en_passant(g, nodes, exit, side, &hop, &view);
                (side == WHITE ? leave_white : leave_black)(g, block * SQUARES, &view, &hop);
            }
        }
    }
    for (size_t block = 0; has_pieces(node, BLACK) && block < node_blocks(node->pieces); block++)
        (void)piece_steps(node, BLACK, block, g->legal[WHITE], NULL, g->can_move + block * SQUARES);
    for (size_t i = 0; i < words; i++)
        g->stuck[i] = g->legal[BLACK][i] & g->legal[WHITE][i] & ~g->can_move[i] & ~king_fill(g->legal[WHITE][i]);
    return 0;
}

// Black's positions of a block that have the grade after White's have changed. Returns whether one is new.
CLONED_WIDE static bool black_block(struct grades *g, const uint64_t *leave, size_t at)
{
    uint64_t changed = 0;
    for (size_t i = at; i < at + SQUARES; i++) {
        const uint64_t has = g->has[BLACK][i] | (g->legal[BLACK][i] & leave[i] & ~g->stuck[i] & ~king_fill(g->open[i]) &
                                                 ~g->step[BLACK][i]);
        changed |= has ^ g->has[BLACK][i];
        g->has[BLACK][i] = has;
    }
    return changed != 0;
}

CLONED_WIDE static bool white_block(struct grades *g, const uint64_t *leave, size_t at, bool king)
{
    uint64_t changed = 0;
    if (king)
        white_king_steps(g->has[BLACK] + at, g->step[WHITE]);
    for (size_t i = 0; i < SQUARES; i++) {
        const uint64_t has = g->has[WHITE][at + i] | (g->legal[WHITE][at + i] & (leave[at + i] | g->step[WHITE][i]));
        changed |= has ^ g->has[WHITE][at + i];
        g->has[WHITE][at + i] = has;
        g->open[at + i] = g->legal[WHITE][at + i] & ~has;
    }
    return changed != 0;
}

// Both sides' plies of one round. Only blocks are worked on to which a move leads from one that has changed; in the
// first round of a grade, all, as the exits have changed. Returns whether a position is new.
static bool one_round(struct grades *g, const struct node *node, int grade, bool first)
{
    const size_t blocks = node_blocks(node->pieces);
    const bool pieces[COLOURS] = {has_pieces(node, WHITE), has_pieces(node, BLACK)};
    bool changed = false;
    for (size_t block = 0; block < blocks; block++) {
        memset(g->step[WHITE], 0, sizeof(king_block));
        const bool moved =
            pieces[WHITE] && piece_steps(node, WHITE, block, g->has[BLACK], g->fresh[BLACK], g->step[WHITE]);
        g->fresh[WHITE][block] = false;
        if (first || moved || g->fresh[BLACK][block])
            g->fresh[WHITE][block] =
                white_block(g, g->leave[WHITE][grade - 1], block * SQUARES, g->fresh[BLACK][block]);
    }
    for (size_t block = 0; block < blocks; block++) {
        const size_t at = block * SQUARES;
        const bool moved = pieces[BLACK] &&
                           ((grade == GRADES && first) || piece_steps(node, BLACK, block, NULL, g->fresh[WHITE], NULL));
        if (moved) {
            memset(g->step[BLACK] + at, 0, sizeof(king_block));
            (void)piece_steps(node, BLACK, block, g->open, NULL, g->step[BLACK] + at);
        }
        g->fresh[BLACK][block] = false;
        if (first || moved || g->fresh[WHITE][block])
            g->fresh[BLACK][block] = black_block(g, g->leave[BLACK][grade - 1], at);
        changed |= g->fresh[WHITE][block] || g->fresh[BLACK][block];
    }
    return changed;
}

// Notes the round of the positions that are new.
static void note(const uint64_t *has, uint64_t *before, size_t words, int round, uint8_t *rank)
{
    for (size_t i = 0; i < words; i++) {
        for (uint64_t set = has[i] & ~before[i]; set != 0;)
            rank[i * SQUARES + (size_t)set_pop(&set)] = (uint8_t)(round < RANK_NONE ? round : RANK_NONE - 1);
        before[i] = has[i];
    }
}

// Adds the positions of one grade to those in g->has, which have higher ones.
static void begin(struct grades *g, size_t words)
{
    for (int side = WHITE; side <= BLACK; side++) {
        memset(g->has[side], 0, words * sizeof(uint64_t));
        memset(g->fresh[side], 0, words / SQUARES * sizeof(bool));
        memset(g->step[side], 0, words * sizeof(uint64_t));
    }
}

static int solve_grade(struct grades *g, const struct node *node, int grade, const struct grades_stop *stop,
                       uint8_t *rank)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    uint64_t *before = NULL;
    bool changed = true;
    if (rank != NULL)
        TRY(memory_new(&before, COLOURS * words, sizeof *before, "a structure"));
    for (int round = 0; changed && (grade < GRADES || round < ROUNDS_MAX); round++) {
        if (node->pieces > 1 && stop->stop(stop->context)) {
            free(before);
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
        }
        changed = one_round(g, node, grade, round == 0);
        for (int side = WHITE; rank != NULL && side <= BLACK; side++)
            note(g->has[side], before + (size_t)side * words, words, round, rank + (size_t)side * words * SQUARES);
    }
    free(before);
    return 0;
}

// Puts what is in g->has into the node's plane of a grade; equal planes are shared.
static int keep(struct grades *g, struct nodes *nodes, struct node *node, int side, int grade, bool *changed)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    uint64_t **plane = &node->plane[side][grade - 1];
    const uint64_t *above = grade < GRADES ? node->plane[side][grade] : NULL;
    const bool shared = *plane != NULL && (*plane == above || (grade > 1 && *plane == node->plane[side][grade - 2]));
    uint64_t *to = *plane;
    uint64_t differs = 0;
    if (to == NULL || shared) {
        TRY(memory_new(&to, words, sizeof *to, "a structure"));
        nodes->bytes += words * sizeof *to;
    }
    for (size_t i = 0; i < words; i++) {
        const uint64_t word = g->has[side][i] | (side == WHITE ? ~g->legal[WHITE][i] : 0);
        differs |= *plane != NULL ? (*plane)[i] ^ word : 0;
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
    *changed |= *plane != NULL && memcmp(*plane, above, words * sizeof *above) != 0;
    if (*plane != NULL && (grade == 1 || node->plane[side][grade - 2] != *plane)) {
        free(*plane);
        nodes->bytes -= words * sizeof *above;
    }
    *plane = above;
}

int grades_solve(struct grades *g, struct nodes *nodes, uint32_t number, const struct grades_stop *stop, bool *changed)
{
    struct node *node = &nodes->node[number];
    const size_t words = node_blocks(node->pieces) * SQUARES;
    TRY(prepare(g, nodes, number));
    begin(g, words);
    *changed = !node->solved;
    if (node->legal == NULL) {
        TRY(memory_new(&node->legal, words, sizeof(uint64_t), "a structure"));
        memcpy(node->legal, g->legal[WHITE], words * sizeof(uint64_t));
        nodes->bytes += words * sizeof(uint64_t);
    }
    for (int grade = GRADES, i = 0; grade > 0; grade--) {
        const bool solved = i < g->grades && g->grade[i] == grade;
        i += solved;
        if (solved)
            TRY(solve_grade(g, node, grade, stop, NULL));
        for (int side = WHITE; side <= BLACK; side++) {
            if (solved)
                TRY(keep(g, nodes, node, side, grade, changed));
            else
                share(nodes, node, side, grade, changed);
        }
    }
    node->steps = 0;
    for (int grade = 1; grade < GRADES; grade++) {
        if (node->plane[WHITE][grade - 1] != node->plane[WHITE][grade] ||
            node->plane[BLACK][grade - 1] != node->plane[BLACK][grade])
            node->steps |= (uint16_t)(1U << (grade - 1));
    }
    node->solved = true;
    return 0;
}

int grades_rank(struct grades *g, struct nodes *nodes, uint32_t number, int grade, const struct grades_stop *stop,
                uint8_t *rank)
{
    const struct node *node = &nodes->node[number];
    const size_t words = node_blocks(node->pieces) * SQUARES;
    TRY(prepare(g, nodes, number));
    memset(rank, RANK_NONE, COLOURS * words * SQUARES);
    begin(g, words);
    int i = g->grades - 1;
    while (g->grade[i] < grade) // the least grade that was solved and is not less
        i--;
    return solve_grade(g, node, g->grade[i], stop, rank);
}
