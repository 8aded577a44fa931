// graph.c - all structures that can come of a position
//
// 1. From the position's structure on, the successors of each structure are found and looked up; new ones are added.
//    Those that have a table or are bounded have no successors.
// 2. The structures are sorted into an order in which they can be solved: by men, then by pawns, then the further
//    advanced first; and within such a level by their men, so that batches are runs.
// 3. A structure is exact if all its successors are, which come before it.
#include "structures/graph.h"

#include "chess/attacks.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FREE_MEN = 4 }; // without pawns so many men are solved in any case

struct growing {
    struct structure_graph *graph;
    const struct structure_limits *limits;
    size_t room;
    int (*visit)(void *context, size_t number); // successors are looked up; NULL: they are added
    void *context;
};

struct structure_key structure_of(const struct position *position)
{
    struct structure_key key;
    memset(&key, 0, sizeof key);
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= KNIGHT; type++)
            key.pieces[colour][type] = position->count[colour][type];
        for (int i = 0; i < position->count[colour][PAWN]; i++)
            key.pawns[colour] |= square_bit(position->list[colour][PAWN][i]);
    }
    return key;
}

struct material structure_material(const struct structure_key *key)
{
    struct material material = {.metric = METRIC_DTZ};
    memcpy(material.count, key->pieces, sizeof material.count);
    for (int colour = WHITE; colour <= BLACK; colour++)
        material.count[colour][PAWN] = (uint8_t)__builtin_popcountll(key->pawns[colour]);
    return material;
}

void structure_shape(const struct structure_key *key, struct slab_shape *shape, uint8_t *square)
{
    static const uint8_t order[] = {QUEEN, ROOK, BISHOP, KNIGHT, KING};
    *shape = (struct slab_shape){.pieces = 0};
    memset(square, 0, FIXED_MAX);
    for (size_t i = 0; i < sizeof order; i++) {
        for (int colour = WHITE; colour <= BLACK; colour++) {
            for (int n = 0; n < key->pieces[colour][order[i]]; n++) {
                shape->type[shape->pieces] = order[i];
                shape->colour[shape->pieces++] = (uint8_t)colour;
            }
        }
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (uint64_t pawns = key->pawns[colour]; pawns != 0;) {
            square[shape->fixed] = (uint8_t)set_pop(&pawns);
            shape->fixed_type[shape->fixed] = PAWN;
            shape->fixed_colour[shape->fixed++] = (uint8_t)colour;
        }
    }
}

// ---- looking up ----

static uint64_t hash_of(const struct structure_key *key)
{
    uint64_t words[sizeof *key / 8 + 1] = {0};
    uint64_t hash = 0;
    memcpy(words, key, sizeof *key);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

// The bucket that has the key, or the empty one where it belongs.
static size_t bucket_of(const struct structure_graph *graph, const struct structure_key *key)
{
    size_t at = (size_t)hash_of(key) & (graph->buckets - 1);
    while (graph->bucket[at] != 0 && memcmp(&graph->structure[graph->bucket[at] - 1].key, key, sizeof *key) != 0)
        at = (at + 1) & (graph->buckets - 1);
    return at;
}

size_t structure_find(const struct structure_graph *graph, const struct structure_key *key)
{
    return (size_t)graph->bucket[bucket_of(graph, key)] - 1;
}

static void fill_buckets(struct structure_graph *graph)
{
    memset(graph->bucket, 0, graph->buckets * sizeof *graph->bucket);
    for (size_t i = 0; i < graph->structures; i++)
        graph->bucket[bucket_of(graph, &graph->structure[i].key)] = (uint32_t)i + 1;
}

// ---- step 1 ----

static enum structure_state state_of(const struct growing *growing, const struct structure_key *key)
{
    const struct structure_limits *limits = growing->limits;
    struct material material = structure_material(key);
    const int men = material_men(&material);
    int promoted = 0;
    int others = 0; // of those, not queens
    material_normalise(&material);
    if (men == 2 || (men <= limits->tables_men && limits->has_table(limits->context, &material)))
        return STRUCTURE_TABLE;
    if (men <= FREE_MEN && !material_has_pawns(&material))
        return STRUCTURE_SOLVED;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT; type++) {
            const int more = key->pieces[colour][type] - growing->graph->root.count[colour][type];
            promoted += more > 0 ? more : 0;
            others += more > 0 && type != QUEEN ? more : 0;
        }
    }
    const bool solved =
        promoted < limits->promoted || (promoted == limits->promoted && (!limits->queens || others == 0));
    return solved && structure_pieces(key) <= LAYOUT_PIECES_MAX ? STRUCTURE_SOLVED : STRUCTURE_BOUNDED;
}

static int add(struct growing *growing, const struct structure_key *key)
{
    struct structure_graph *graph = growing->graph;
    if (graph->structures == growing->limits->structures)
        return error_set(CLTB_E_MEMORY, "more than %zu structures can come of this position", graph->structures);
    if (graph->structures == growing->room) {
        const size_t room = growing->room == 0 ? 1024 : 2 * growing->room;
        struct structure *larger = realloc(graph->structure, room * sizeof *larger);
        if (larger == NULL)
            return error_memory(room * sizeof *larger, "structures");
        graph->structure = larger;
        growing->room = room;
    }
    graph->structure[graph->structures] = (struct structure){.key = *key, .state = state_of(growing, key)};
    graph->structures++;
    if (2 * graph->structures > graph->buckets) {
        free(graph->bucket);
        graph->buckets = graph->buckets == 0 ? 4096 : 2 * graph->buckets;
        TRY(memory_new(&graph->bucket, graph->buckets, sizeof *graph->bucket, "structures"));
        fill_buckets(graph);
        return 0;
    }
    graph->bucket[bucket_of(graph, key)] = (uint32_t)graph->structures;
    return 0;
}

static int reach(struct growing *growing, const struct structure_key *key)
{
    struct structure_graph *graph = growing->graph;
    const size_t at = graph->buckets == 0 ? SIZE_MAX : structure_find(graph, key);
    if (growing->visit != NULL)
        return growing->visit(growing->context, at);
    return at == SIZE_MAX ? add(growing, key) : 0;
}

// A pawn that has left its square arrives on `to`.
static int arrive(struct growing *growing, const struct structure_key *without, int mover, int to)
{
    struct structure_key key = *without;
    if (square_rank(to) != (mover == WHITE ? 7 : 0)) {
        key.pawns[mover] |= square_bit(to);
        return reach(growing, &key);
    }
    for (int type = QUEEN; type <= KNIGHT; type++) {
        key.pieces[mover][type]++;
        TRY(reach(growing, &key));
        key.pieces[mover][type]--;
    }
    return 0;
}

// A pawn of the mover, which is not in `without`, has passed over a square: what taking it en passant leaves.
static int take_en_passant(struct growing *growing, const struct structure_key *without, int mover, int passed)
{
    struct structure_key taken = *without;
    for (uint64_t set = pawn_attacks(mover, passed) & without->pawns[mover ^ 1]; set != 0;) {
        // The takers stand where a pawn of the mover on the passed square would attack.
        taken.pawns[mover ^ 1] = (without->pawns[mover ^ 1] ^ square_bit(set_pop(&set))) | square_bit(passed);
        TRY(reach(growing, &taken));
    }
    return 0;
}

static int move_pawn(struct growing *growing, const struct structure_key *from, int mover, int square)
{
    const uint64_t occupied = from->pawns[WHITE] | from->pawns[BLACK];
    const int forward = mover == WHITE ? 8 : -8;
    const int to = square + forward;
    struct structure_key without = *from;
    without.pawns[mover] ^= square_bit(square);
    if (!(occupied & square_bit(to))) {
        TRY(arrive(growing, &without, mover, to));
        if (square_rank(square) == (mover == WHITE ? 1 : 6) && !(occupied & square_bit(to + forward))) {
            TRY(arrive(growing, &without, mover, to + forward));
            TRY(take_en_passant(growing, &without, mover, to));
        }
    }
    for (uint64_t set = pawn_attacks(mover, square) & ~from->pawns[mover]; set != 0;) {
        const int target = set_pop(&set);
        struct structure_key taken = without;
        if (from->pawns[mover ^ 1] & square_bit(target)) {
            taken.pawns[mover ^ 1] ^= square_bit(target);
            TRY(arrive(growing, &taken, mover, target));
            continue;
        }
        for (int type = QUEEN; type <= KNIGHT; type++) {
            if (from->pieces[mover ^ 1][type] == 0)
                continue;
            taken.pieces[mover ^ 1][type]--;
            TRY(arrive(growing, &taken, mover, target));
            taken.pieces[mover ^ 1][type]++;
        }
    }
    return 0;
}

static int expand(struct growing *growing, const struct structure_key *from)
{
    for (int mover = WHITE; mover <= BLACK; mover++) {
        for (uint64_t pawns = from->pawns[mover]; pawns != 0;) {
            const int square = set_pop(&pawns);
            struct structure_key taken = *from;
            taken.pawns[mover] ^= square_bit(square);
            TRY(move_pawn(growing, from, mover, square));
            TRY(reach(growing, &taken));
        }
        for (int type = QUEEN; type <= KNIGHT; type++) {
            struct structure_key taken = *from;
            if (taken.pieces[mover][type]-- > 0)
                TRY(reach(growing, &taken));
        }
    }
    return 0;
}

// ---- steps 2 and 3 ----

static int advance_of(const struct structure_key *key)
{
    int advance = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (uint64_t pawns = key->pawns[colour]; pawns != 0;) {
            const int rank = square_rank(set_pop(&pawns));
            advance += colour == WHITE ? rank : 7 - rank;
        }
    }
    return advance;
}

static int compare_levels(const struct structure_key *a, const struct structure_key *b)
{
    const struct material left = structure_material(a);
    const struct material right = structure_material(b);
    const int men = material_men(&left) - material_men(&right);
    const int pawns =
        left.count[WHITE][PAWN] + left.count[BLACK][PAWN] - right.count[WHITE][PAWN] - right.count[BLACK][PAWN];
    const int advance = advance_of(b) - advance_of(a);
    return men != 0 ? men : pawns != 0 ? pawns : advance != 0 ? advance : memcmp(&left, &right, sizeof left);
}

bool structures_level(const struct structure_key *a, const struct structure_key *b)
{
    return compare_levels(a, b) == 0;
}

static int compare(const void *left, const void *right)
{
    const struct structure *a = left;
    const struct structure *b = right;
    if ((a->state == STRUCTURE_SOLVED) != (b->state == STRUCTURE_SOLVED))
        return a->state == STRUCTURE_SOLVED ? 1 : -1;
    const int level = compare_levels(&a->key, &b->key);
    return level != 0 ? level : memcmp(&a->key, &b->key, sizeof a->key);
}

int structure_each_successor(struct structure_graph *graph, size_t number, int (*visit)(void *context, size_t number),
                             void *context)
{
    struct growing growing = {.graph = graph, .visit = visit, .context = context};
    return expand(&growing, &graph->structure[number].key);
}

struct exact {
    const struct structure_graph *graph;
    bool all;
};

static int visit_exact(void *context, size_t number)
{
    struct exact *exact = context;
    exact->all &= exact->graph->structure[number].exact;
    return 0;
}

static int find_exact(struct structure_graph *graph)
{
    for (size_t i = 0; i < graph->structures; i++) {
        struct structure *structure = &graph->structure[i];
        struct exact exact = {graph, structure->state != STRUCTURE_BOUNDED};
        if (structure->state == STRUCTURE_SOLVED)
            TRY(structure_each_successor(graph, i, visit_exact, &exact));
        structure->exact = exact.all;
        graph->bounded += structure->state == STRUCTURE_BOUNDED;
        graph->solved += structure->state == STRUCTURE_SOLVED;
    }
    return 0;
}

int structure_graph_make(struct structure_graph *graph, const struct position *position,
                         const struct structure_limits *limits)
{
    *graph = (struct structure_graph){.root = material_of(position)};
    struct growing growing = {.graph = graph, .limits = limits};
    const struct structure_key root = structure_of(position);
    if (position->castling != 0)
        return error_set(CLTB_E_POSITION, "castling is still possible: structures have no such positions");
    if (structure_pieces(&root) > LAYOUT_PIECES_MAX)
        return error_set(CLTB_E_POSITION, "%d kings and pieces: a structure can have %d", structure_pieces(&root),
                         LAYOUT_PIECES_MAX);
    int code = reach(&growing, &root);
    if (code == 0 && position->en_passant != NO_SQUARE) {
        struct structure_key without = root;
        without.pawns[position->side ^ 1] &= ~square_bit(en_passant_victim(position->en_passant));
        code = take_en_passant(&growing, &without, position->side ^ 1, position->en_passant);
    }
    for (size_t i = 0; code == 0 && i < graph->structures; i++) {
        const struct structure_key key = graph->structure[i].key; // the array may move
        if (graph->structure[i].state == STRUCTURE_SOLVED)
            code = expand(&growing, &key);
    }
    if (code == 0) {
        qsort(graph->structure, graph->structures, sizeof *graph->structure, compare);
        fill_buckets(graph);
        code = find_exact(graph);
    }
    if (code != 0)
        structure_graph_free(graph);
    return code;
}

void structure_graph_free(struct structure_graph *graph)
{
    free(graph->structure);
    free(graph->bucket);
    *graph = (struct structure_graph){.structures = 0};
}

uint64_t structure_graph_positions(const struct structure_graph *graph)
{
    uint64_t positions = 0;
    for (size_t i = graph->structures - graph->solved; i < graph->structures; i++)
        positions += UINT64_C(2) << 6 * structure_pieces(&graph->structure[i].key);
    return positions;
}
