// castling.c - the values of positions in which a side may still castle, from tables that know no such rights
//
// Positions with the same rights, pawns and pieces are a *set*: the men without rights, at most three, stand anywhere,
// and quiet moves of theirs lead from one position of the set to another. All other moves lead to a table or to another
// set, which has fewer rights or men, or pawns further on, and is solved first. So each set is solved like a slice of
// a table:
//
// 1. For every position: the best value that a move out of the set gives, and the number of quiet moves within it. Of a
//    zeroing move only the outcome counts.
// 2. Ply by ply: positions that are won in n because a move out of it wins so fast, or a quiet move leads to a loss in
//    n - 1; and positions that are lost in n because all moves lose, the last one by then. Found from the positions of
//    the ply before by quiet moves back. What is left over are draws.
//
// If only one side has rights, they can only help it, as it may do without. So before its moves that end all rights,
// other than castling, the value in the table stands for them: one look-up, not a dozen. And where the table says that
// it wins, so it does with rights, and a zeroing move to such a position needs no set.
#include "probe/castling.h"

#include "chess/attacks.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FREE_MAX = CASTLING_MEN_MAX - 2, NO_WIN = UINT16_MAX, KEPT_MAX = 1 << 26 };

struct set {
    struct set *next;
    uint64_t pawns[COLOURS];
    uint8_t count[COLOURS][PIECE_TYPES];
    uint16_t castling;
    int owner;                              // the only side with rights; -1: both have them
    uint64_t fixed;                         // squares of pawns, and of kings and rooks with rights
    struct man fixed_man[CASTLING_MEN_MAX]; // [fixed_men]
    int fixed_men;
    struct man man[FREE_MAX]; // [men] type and colour of the others; identical ones are neighbours
    int men;
    uint16_t *value; // value_code() of each place: 6 bits a man, then the side to move
};

struct castling_sets {
    cltb_tables *tables;
    struct set *sets; // the last one that was used comes first
    size_t places;    // of all of them
};

// What is known of a position while its set is solved.
struct node {
    uint16_t win;  // the fewest plies of a win so far
    uint16_t loss; // the most plies of a loss so far
    uint8_t left;  // quiet moves within the set that are not known to lose
    bool holds;    // by a move out of the set
    bool open;     // legal, and its value is not known yet
};

static int value_of(struct castling_sets *castling, struct position *p, bool distance, struct cltb_value *value);
static int moves_of(struct castling_sets *castling, struct position *p, struct ranked_move ranked[CLTB_MOVES_MAX]);

// ---- sets and places ----

static uint64_t squares_of(const struct position *p, int colour, int type)
{
    uint64_t squares = 0;
    for (int i = 0; i < p->count[colour][type]; i++)
        squares |= square_bit(p->list[colour][type][i]);
    return squares;
}

static void set_describe(struct set *set, const struct position *p)
{
    *set = (struct set){.castling = p->castling, .owner = -1};
    memcpy(set->count, p->count, sizeof set->count);
    set->fixed = castling_rooks(p->castling);
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (castling_of(p->castling, colour) == 0)
            set->owner = colour ^ 1;
        else
            set->fixed |= square_bit(position_king(p, colour));
        set->fixed |= set->pawns[colour] = squares_of(p, colour, PAWN);
    }
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type <= PAWN; type++)
            for (uint64_t squares = squares_of(p, colour, type); squares != 0;) {
                const struct man man = {(uint8_t)type, (uint8_t)colour, (uint8_t)set_pop(&squares)};
                if (set->fixed >> man.square & 1)
                    set->fixed_man[set->fixed_men++] = man;
                else
                    set->man[set->men++] = man;
            }
}

static bool set_same(const struct set *a, const struct set *b)
{
    return a->castling == b->castling && a->fixed == b->fixed && memcmp(a->pawns, b->pawns, sizeof a->pawns) == 0 &&
           memcmp(a->count, b->count, sizeof a->count) == 0;
}

static size_t set_places(const struct set *set)
{
    return (size_t)COLOURS << 6 * set->men;
}

// Lists the men of a position in the order of the set's.
static size_t place_of(const struct set *set, const struct position *p)
{
    size_t place = (size_t)p->side << 6 * set->men;
    int man = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type < PAWN; type++)
            for (uint64_t squares = squares_of(p, colour, type) & ~set->fixed; squares != 0;)
                place |= (size_t)set_pop(&squares) << 6 * man++;
    return place;
}

// Puts the set's men on the squares of a place. Returns the side to move.
static int place_read(struct set *set, size_t place)
{
    for (int i = 0; i < set->men; i++)
        set->man[i].square = (uint8_t)(place >> 6 * i & 63);
    return (int)(place >> 6 * set->men);
}

// The place with one man of another one, the set's men, on another square.
static size_t place_moved(const struct set *set, int moved, int square, int side)
{
    uint8_t to[FREE_MAX];
    size_t place = (size_t)side << 6 * set->men;
    for (int i = 0; i < set->men; i++) {
        int at = i;
        const uint8_t own = (uint8_t)(i == moved ? square : set->man[i].square);
        for (; at > 0 && set->man[at - 1].type == set->man[i].type && set->man[at - 1].colour == set->man[i].colour &&
               to[at - 1] > own;
             at--)
            to[at] = to[at - 1];
        to[at] = own;
    }
    for (int i = 0; i < set->men; i++)
        place |= (size_t)to[i] << 6 * i;
    return place;
}

// Sets up the position of a place; false if there is none, or it is another place's, or it is not legal.
static bool place_position(struct set *set, size_t place, struct position *p)
{
    struct man men[CASTLING_MEN_MAX];
    const int side = place_read(set, place);
    uint64_t occupied = set->fixed;
    for (int i = 0; i < set->men; i++) {
        const struct man *man = &set->man[i];
        if (occupied >> man->square & 1 ||
            (i > 0 && man[-1].type == man->type && man[-1].colour == man->colour && man[-1].square > man->square))
            return false;
        occupied |= square_bit(man->square);
        men[i] = *man;
    }
    memcpy(men + set->men, set->fixed_man, (size_t)set->fixed_men * sizeof men[0]);
    return position_set(p, men, set->men + set->fixed_men, side) == 0 && position_legal(p) &&
           position_set_castling(p, set->castling) == 0;
}

// ---- solving a set ----

static void add_option(struct node *node, struct cltb_value value)
{
    node->holds |= value.outcome == CLTB_DRAW;
    if (value.outcome > CLTB_DRAW && value.dtz < node->win)
        node->win = (uint16_t)value.dtz;
    if (value.outcome < CLTB_DRAW && value.dtz > node->loss)
        node->loss = (uint16_t)value.dtz;
}

// The value if all rights were gone.
static int without_rights(struct castling_sets *castling, struct position *p, bool distance, struct cltb_value *value)
{
    const uint16_t rights = p->castling;
    p->castling = 0;
    const int code = value_of(castling, p, distance, value);
    p->castling = rights;
    return code;
}

// Step 1 for one position.
static int node_open(struct castling_sets *castling, const struct set *set, struct position *p, struct node *node)
{
    uint32_t moves[MOVES_MAX];
    const bool owns = p->side == set->owner;
    const int count = moves_legal(p, moves);
    *node = (struct node){.win = NO_WIN, .holds = count == 0 && !position_in_check(p), .open = true};
    if (owns) {
        struct cltb_value value;
        TRY(without_rights(castling, p, true, &value));
        add_option(node, value);
    }
    for (int i = 0; i < count && node->win > 1; i++) {
        const bool zeroing = move_is_zeroing(p, moves[i]);
        struct cltb_value after;
        int code = 0;
        TRY(position_make(p, moves[i]));
        if (!zeroing && p->castling == set->castling) {
            node->left++;
        } else if (!owns || p->castling != 0 || move_is_castle(moves[i])) {
            code = value_of(castling, p, !zeroing, &after);
            if (code == 0)
                add_option(node, value_before(after, zeroing));
        }
        position_undo(p);
        TRY(code);
    }
    return 0;
}

static bool node_lost(const struct node *node)
{
    return node->left == 0 && !node->holds && node->win == NO_WIN;
}

// Tells the positions before this one, which is won or lost in `ply`, and returns the last ply that this gives.
static int tell_before(struct set *set, struct node *nodes, size_t place, bool won, int ply)
{
    const int mover = place_read(set, place) ^ 1;
    uint64_t occupied = set->fixed;
    int last = 0;
    for (int i = 0; i < set->men; i++)
        occupied |= square_bit(set->man[i].square);
    for (int i = 0; i < set->men; i++) {
        const struct man *man = &set->man[i];
        uint64_t from = man->colour == mover ? piece_attacks(man->type, mover, man->square, occupied) & ~occupied : 0;
        while (from != 0) {
            struct node *node = &nodes[place_moved(set, i, set_pop(&from), mover)];
            if (!node->open)
                continue;
            if (won)
                node->left--;
            add_option(node, (struct cltb_value){won ? CLTB_LOSS : CLTB_WIN, ply + 1, 0});
            const int next = node->win != NO_WIN ? node->win : node_lost(node) ? node->loss : 0;
            last = next > last ? next : last;
        }
    }
    return last;
}

// Step 2.
static void set_iterate(struct set *set, struct node *nodes, int last)
{
    for (int ply = 0; ply <= last; ply++) {
        for (size_t place = 0; place < set_places(set); place++) {
            struct node *node = &nodes[place];
            const bool won = node->win == ply;
            if (!node->open || (!won && (node->loss != ply || !node_lost(node))))
                continue;
            node->open = false;
            set->value[place] = value_code(won, ply);
            const int next = tell_before(set, nodes, place, won, ply);
            last = next > last ? next : last;
        }
    }
}

static int set_solve(struct castling_sets *castling, struct set *set)
{
    struct node *nodes = NULL;
    struct position *p = NULL;
    int last = 0;
    int code = memory_new(&set->value, set_places(set), sizeof *set->value, "positions with castling rights");
    THEN(code, memory_new(&nodes, set_places(set), sizeof *nodes, "positions with castling rights"));
    THEN(code, memory_new(&p, 1, sizeof *p, "positions with castling rights"));
    for (size_t place = 0; code == 0 && place < set_places(set); place++) {
        struct node *node = &nodes[place];
        if (!place_position(set, place, p))
            continue;
        code = node_open(castling, set, p, node);
        const int next = node->win != NO_WIN ? node->win : node->loss;
        last = next > last ? next : last;
    }
    if (code == 0)
        set_iterate(set, nodes, last);
    free(nodes);
    free(p);
    return code;
}

// ---- values ----

static void set_free(struct set *set)
{
    free(set->value);
    free(set);
}

static void sets_free(struct castling_sets *castling)
{
    while (castling->sets != NULL) {
        struct set *set = castling->sets;
        castling->sets = set->next;
        set_free(set);
    }
    castling->places = 0;
}

// Finds the set of a position, solved.
static int set_find(struct castling_sets *castling, const struct position *p, struct set **found)
{
    struct set wanted;
    set_describe(&wanted, p);
    for (struct set **at = &castling->sets; *at != NULL; at = &(*at)->next) {
        struct set *set = *at;
        if (!set_same(set, &wanted))
            continue;
        *at = set->next;
        set->next = castling->sets;
        *found = castling->sets = set;
        return 0;
    }
    TRY(memory_new(found, 1, sizeof **found, "positions with castling rights"));
    **found = wanted;
    const int code = set_solve(castling, *found); // which finds other sets
    if (code != 0) {
        set_free(*found);
        return code;
    }
    (*found)->next = castling->sets;
    castling->sets = *found;
    castling->places += set_places(*found);
    return 0;
}

static int best_of_moves(struct castling_sets *castling, struct position *p, struct cltb_value *value)
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    const uint16_t fifty = p->fifty;
    p->fifty = 0;
    const int count = moves_of(castling, p, ranked);
    p->fifty = fifty;
    if (count > 0)
        *value = ranked[0].value;
    return count < 0 ? count : 0;
}

// With the clock at 0. Without `distance`, it may be left at 1.
static int value_of(struct castling_sets *castling, struct position *p, bool distance, struct cltb_value *value)
{
    struct set *set;
    *value = (struct cltb_value){.dtz = 1};
    if (p->castling == 0 && !distance)
        return probe_outcome(castling->tables, p, &value->outcome);
    if (p->castling == 0) {
        TRY(probe_value(castling->tables, p, value));
        return value->rounded ? error_set(CLTB_E_MISSING, "positions with castling rights need tables whose distances "
                                                          "are exact, not rounded as in some Syzygy files")
                              : 0;
    }
    const bool white = castling_of(p->castling, WHITE) != 0;
    const bool black = castling_of(p->castling, BLACK) != 0;
    if (!distance && white != black) {
        TRY(without_rights(castling, p, false, value));
        if (value->outcome == ((p->side == WHITE) == white ? CLTB_WIN : CLTB_LOSS))
            return 0;
    }
    if (p->en_passant != NO_SQUARE && position_en_passant_legal(p))
        return best_of_moves(castling, p, value);
    TRY(set_find(castling, p, &set));
    *value = value_of_code(set->value[place_of(set, p)]);
    return 0;
}

// Ranks all moves, with the clock of the position.
static int moves_of(struct castling_sets *castling, struct position *p, struct ranked_move ranked[CLTB_MOVES_MAX])
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(p, moves[i]);
        struct cltb_value after;
        TRY(position_make(p, moves[i]));
        const bool mate = position_in_check(p) && !moves_any(p);
        const int code = value_of(castling, p, !zeroing && !mate, &after);
        position_undo(p);
        TRY(code);
        if (mate)
            after = (struct cltb_value){.outcome = CLTB_LOSS};
        ranked[i] =
            (struct ranked_move){moves[i], zeroing, mate, value_with_clock(value_before(after, zeroing), p->fifty)};
    }
    qsort(ranked, (size_t)count, sizeof ranked[0], ranked_move_compare);
    return count;
}

// ---- the sets kept with tables ----

static void castling_free(void *kept)
{
    sets_free(kept);
    free(kept);
}

static int leave(cltb_tables *tables, int code)
{
    pthread_mutex_unlock(&tables_kept(tables)->lock);
    return code;
}

// Checks a position that is asked for, and takes the lock. Forgets the sets of earlier positions if they take much
// memory. NULL: an error, *code.
static struct castling_sets *enter(cltb_tables *tables, const struct position *p, int *code)
{
    struct tables_kept *kept = tables_kept(tables);
    struct castling_sets *castling;
    if (position_men(p) > CASTLING_MEN_MAX) {
        *code = error_set(CLTB_E_POSITION, "%d men, and castling is still possible: then there may be at most %d",
                          position_men(p), CASTLING_MEN_MAX);
        return NULL;
    }
    pthread_mutex_lock(&kept->lock);
    if (kept->kept == NULL) {
        *code = memory_new(&castling, 1, sizeof *castling, "positions with castling rights");
        if (*code != 0) {
            leave(tables, *code);
            return NULL;
        }
        castling->tables = tables;
        kept->free = castling_free;
        kept->kept = castling;
    }
    castling = kept->kept;
    if (castling->places > KEPT_MAX)
        sets_free(castling);
    return castling;
}

int castling_value(cltb_tables *tables, struct position *p, bool distance, struct cltb_value *value)
{
    int code = 0;
    struct castling_sets *castling = enter(tables, p, &code);
    return castling == NULL ? code : leave(tables, value_of(castling, p, distance, value));
}

int castling_moves(cltb_tables *tables, struct position *p, struct ranked_move ranked[CLTB_MOVES_MAX])
{
    int code = 0;
    struct castling_sets *castling = enter(tables, p, &code);
    return castling == NULL ? code : leave(tables, moves_of(castling, p, ranked));
}
