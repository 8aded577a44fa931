// rests.c - the assumptions behind an undecided verdict
//
// 1. The reached positions are visited structure by structure, beginning with that of the given position. No structure
//    comes back, so all structures that lead to one are visited before it, and its distances are found only once.
// 2. In each position in which the claim is not proved, the claiming side makes one of the moves that keep the claim:
//    the fastest one if it claims a win, otherwise the one that is best in the other run. Its opponent makes all moves
//    after which the claim is still not proved, or only the best of them (enum structure_replies).
// 3. Positions of bounded structures are counted, and those in which a man has left the squares to which it is kept.
#include "structures/rests.h"

#include "chess/move.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES_MAX = 1 << 22,
    PLACE_PARTS = 512, // or one place for so many bytes of memory, if that is less
    NONE = 0
};

// A position of a structure: its entry, the side to move, and the square passed by a double step.
struct place {
    uint64_t position;
    uint32_t structure;
    uint32_t next; // the next place of the same structure; NONE: there are no more
};

struct search {
    struct structure_store *store;
    const struct structure_graph *graph;
    struct structure_values values;
    struct structure_values outcomes;
    int claimant;
    int claim; // an outcome
    enum structure_replies replies;
    struct place *place; // [places] place 0 is unused
    uint32_t places;
    size_t most;                 // a power of 2: there are at most so many places
    uint32_t *head;              // [structures] the first place of each structure, or NONE
    uint32_t *tail;              // [structures] the last one
    uint32_t *bucket;            // [2 * most] a hash table of places
    struct structure_rest *rest; // [structures] of bounded structures, and of those that a man leaves
};

// ---- places ----

enum { SLOT_SHIFT = 56 };

static uint64_t pack(const struct position *p)
{
    const uint64_t slot = p->en_passant == NO_SQUARE ? 0 : (uint64_t)p->en_passant + 1;
    return slot << SLOT_SHIFT | structure_entry_of(p) << 1 | (uint64_t)p->side;
}

static int unpack(const struct structure_key *key, uint64_t place, struct position *p)
{
    const uint64_t entry = (place & ((UINT64_C(1) << SLOT_SHIFT) - 1)) >> 1;
    if (!structure_position_set(key, entry, (int)(place & 1), p))
        return error_set(CLTB_E_MISMATCH, "a move leads to a position that is not legal");
    return place >> SLOT_SHIFT == 0 ? 0 : position_set_en_passant(p, (int)(place >> SLOT_SHIFT) - 1);
}

// Adds a position, unless it is there already or there are too many.
static void add_place(struct search *search, size_t structure, uint64_t position)
{
    size_t at = (size_t)((position ^ structure << 32) * UINT64_C(0x9e3779b97f4a7c15) >> 41) & (2 * search->most - 1);
    for (; search->bucket[at] != NONE; at = (at + 1) & (2 * search->most - 1)) {
        const struct place *place = &search->place[search->bucket[at]];
        if (place->position == position && place->structure == structure)
            return;
    }
    if (search->places == search->most)
        return;
    const uint32_t new = search->places++;
    search->bucket[at] = new;
    search->place[new] = (struct place){position, (uint32_t)structure, NONE};
    if (search->head[structure] == NONE)
        search->head[structure] = new;
    else
        search->place[search->tail[structure]].next = new;
    search->tail[structure] = new;
}

// ---- one position ----

// Finds the outcome for the claimant in the run of `winner`.
static int outcome_of(const struct search *search, int winner, struct position *p, int *outcome)
{
    struct cltb_value value;
    TRY(structure_value(&search->outcomes, winner, p, &value));
    *outcome = p->side == search->claimant ? value.outcome : -value.outcome;
    return 0;
}

static bool is_bounded(const struct search *search, size_t number)
{
    return search->graph->structure[number].state == STRUCTURE_BOUNDED;
}

// Follows a move that has been made: counts the position if its structure is bounded or if a man has left its squares,
// and adds it to the places otherwise. `from`: the structure before the move.
static int follow(struct search *search, size_t from, struct position *p, uint32_t move)
{
    const int mover = p->side ^ 1;
    const struct structure_key key = structure_of(p);
    const size_t number = structure_find(search->graph, &key);
    const bool leaves = structure_outside(search->graph, p) && (number == SIZE_MAX || !is_bounded(search, number));
    if (!leaves && (number == SIZE_MAX || search->graph->structure[number].state == STRUCTURE_TABLE))
        return error_set(CLTB_E_MISMATCH, "a position that a table has is not decided");
    if (leaves || is_bounded(search, number)) {
        struct structure_rest *rest = &search->rest[leaves ? from : number];
        rest->number = (uint32_t)(leaves ? from : number);
        rest->leaves = leaves;
        rest->claimant = (uint8_t)search->claimant;
        rest->mover = (uint8_t)mover;
        rest->to = (uint8_t)move_to(move);
        rest->type = (uint8_t)piece_type(p->board[move_to(move)]);
        rest->positions++;
        return 0;
    }
    add_place(search, number, pack(p));
    return 0;
}

// The result of a move.
struct reply {
    int own;   // the claimant's outcome in the run that it wins
    int other; // the claimant's outcome in the other run
    int plies; // to the win that is claimed, after a quiet move of the claimant; otherwise 0
    bool zeroing;
};

static int look_at(const struct search *search, struct position *p, uint32_t move, struct reply *reply)
{
    const bool zeroing = move_is_zeroing(p, move);
    const bool claims = p->side == search->claimant;
    struct cltb_value value = {.dtz = 0};
    TRY(position_make(p, move));
    int code = outcome_of(search, search->claimant, p, &reply->own);
    THEN(code, outcome_of(search, search->claimant ^ 1, p, &reply->other));
    if (code == 0 && claims && search->claim > CLTB_DRAW && !zeroing && reply->own >= search->claim)
        code = structure_value(&search->values, search->claimant, p, &value);
    position_undo(p);
    reply->plies = value.dtz;
    reply->zeroing = zeroing;
    return code;
}

// Should the claimant make move `a` rather than `b`?
static bool is_better(const struct search *search, const struct reply *a, const struct reply *b)
{
    if (search->claim > CLTB_DRAW && a->plies != b->plies)
        return a->plies < b->plies;
    return a->other != b->other ? a->other > b->other : a->own > b->own;
}

static int visit(struct search *search, size_t structure, struct position *p)
{
    uint32_t moves[MOVES_MAX];
    struct reply reply[MOVES_MAX];
    const int side = p->side;
    int own;
    int other;
    int chosen = -1;
    TRY(outcome_of(search, search->claimant, p, &own));
    TRY(outcome_of(search, search->claimant ^ 1, p, &other));
    if (own < search->claim || other >= search->claim)
        return 0;
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        TRY(look_at(search, p, moves[i], &reply[i]));
        if (side != search->claimant &&
            (chosen < 0 || reply[i].other < reply[chosen].other ||
             (reply[i].other == reply[chosen].other && reply[i].zeroing > reply[chosen].zeroing)))
            chosen = i;
        if (side == search->claimant && reply[i].own >= search->claim &&
            (chosen < 0 || is_better(search, &reply[i], &reply[chosen])))
            chosen = i;
    }
    for (int i = 0; i < count; i++) {
        const bool made = side == search->claimant || search->replies == REPLIES_ONE ? i == chosen
                          : search->replies == REPLIES_BEST ? reply[i].other == reply[chosen].other
                                                            : reply[i].other < search->claim;
        if (!made)
            continue;
        TRY(position_make(p, moves[i]));
        const int code = follow(search, structure, p, moves[i]);
        position_undo(p);
        TRY(code);
    }
    return 0;
}

// ---- all ----

static int compare_rests(const void *left, const void *right)
{
    const struct structure_rest *a = left;
    const struct structure_rest *b = right;
    if (a->positions != b->positions)
        return a->positions < b->positions ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int collect(const struct search *search, struct structure_rests *rests)
{
    for (size_t i = 0; i < search->graph->structures; i++) {
        if (search->rest[i].positions == 0)
            continue;
        TRY(memory_grow(&rests->rest, &rests->room, rests->count + 1, sizeof *rests->rest, "structures"));
        rests->rest[rests->count++] = search->rest[i];
    }
    if (rests->count > 0)
        qsort(rests->rest, rests->count, sizeof *rests->rest, compare_rests);
    return 0;
}

static int run(struct search *search, const struct position *position)
{
    struct position p;
    position_copy(&p, position);
    const struct structure_key key = structure_of(&p);
    const size_t root = structure_find(search->graph, &key);
    TRY(outcome_of(search, search->claimant, &p, &search->claim));
    add_place(search, root, pack(&p));
    for (size_t i = root + 1; i-- > 0;) {
        const struct structure *structure = &search->graph->structure[i];
        for (uint32_t at = search->head[i]; at != NONE; at = search->place[at].next) {
            TRY(threads_check(search->graph->pool, 0));
            TRY(unpack(&structure->key, search->place[at].position, &p));
            TRY(visit(search, i, &p));
        }
    }
    return 0;
}

int structure_rests_find(struct structure_rests *rests, struct structure_store *store, const struct position *position,
                         int claimant, enum structure_replies replies, uint64_t allowed)
{
    struct search search = {.store = store,
                            .graph = structure_store_graph(store),
                            .values = structure_store_values(store, false),
                            .outcomes = structure_store_values(store, true),
                            .claimant = claimant,
                            .replies = replies,
                            .places = 1,
                            .most = PLACES_MAX};
    const size_t structures = search.graph->structures;
    while (search.most > allowed / PLACE_PARTS)
        search.most /= 2;
    int code = memory_new(&search.place, search.most, sizeof *search.place, "positions");
    THEN(code, memory_new(&search.bucket, 2 * search.most, sizeof *search.bucket, "positions"));
    THEN(code, memory_new(&search.head, structures, sizeof *search.head, "structures"));
    THEN(code, memory_new(&search.tail, structures, sizeof *search.tail, "structures"));
    THEN(code, memory_new(&search.rest, structures, sizeof *search.rest, "structures"));
    THEN(code, run(&search, position));
    THEN(code, collect(&search, rests));
    free(search.place);
    free(search.bucket);
    free(search.head);
    free(search.tail);
    free(search.rest);
    return code;
}

void structure_rests_free(struct structure_rests *rests)
{
    free(rests->rest);
    *rests = (struct structure_rests){.rest = NULL};
}
