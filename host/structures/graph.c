// graph.c - all structures that can come of a position
//
// 1. From the position's structure on, the successors of each structure are found and looked up; new ones are added.
//    Those that have a table or are bounded have no successors.
// 2. The structures are sorted into an order in which they can be solved: by men, then by pawns, then the further
//    advanced first; and within such a level by their men, so that batches are runs.
// 3. A structure is exact if all its successors are, which come before it.
//
// Only captures after which all men may stand within their sets count: other captures lead to bounded structures, like
// everything that is not in the graph.
#include "structures/graph.h"

#include "chess/attacks.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/units.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FREE_MEN = 4 }; // structures with so few men and no pawns are solved in any case

// The order of pieces in a slab, White's of a type before Black's.
static const uint8_t piece_order[] = {QUEEN, ROOK, BISHOP, KNIGHT, KING};
enum { PIECE_ORDER = sizeof piece_order };

struct growing {
    struct structure_graph *graph;
    const struct structure_limits *limits;
    size_t room;
    uint8_t passed;         // pushes of choices that the current move passes on
    structure_visit *visit; // NULL: structures are added
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
    *shape = (struct slab_shape){.pieces = 0};
    memset(square, 0, FIXED_MAX);
    for (int i = 0; i < PIECE_ORDER; i++) {
        for (int colour = WHITE; colour <= BLACK; colour++) {
            for (int n = 0; n < key->pieces[colour][piece_order[i]]; n++) {
                shape->type[shape->pieces] = piece_order[i];
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

uint64_t structure_entry_of(const struct position *position)
{
    uint64_t entry = 0;
    for (int i = 0; i < PIECE_ORDER; i++) {
        for (int colour = WHITE; colour <= BLACK; colour++)
            for (int n = 0; n < position->count[colour][piece_order[i]]; n++)
                entry = entry << 6 | position->list[colour][piece_order[i]][n];
    }
    return entry;
}

bool structure_position_set(const struct structure_key *key, uint64_t entry, int side, struct position *position)
{
    struct man men[MEN_PER_SIDE_MAX * COLOURS];
    uint64_t taken = key->pawns[WHITE] | key->pawns[BLACK];
    int count = 0;
    for (int i = PIECE_ORDER - 1; i >= 0; i--) { // the last digit comes first
        for (int colour = BLACK; colour >= WHITE; colour--) {
            for (int n = 0; n < key->pieces[colour][piece_order[i]]; n++, entry >>= 6) {
                const int square = (int)(entry & 63);
                if (taken & square_bit(square))
                    return false;
                taken |= square_bit(square);
                men[count++] = (struct man){piece_order[i], (uint8_t)colour, (uint8_t)square};
            }
        }
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (uint64_t pawns = key->pawns[colour]; pawns != 0;)
            men[count++] = (struct man){PAWN, (uint8_t)colour, (uint8_t)set_pop(&pawns)};
    }
    return position_set(position, men, count, side) == 0 && position_legal(position);
}

// ---- sets ----

// Does the structure have pieces that are kept to squares?
static bool has_sets(const struct structure_graph *graph, const struct structure_key *key)
{
    bool kept = false;
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++)
        kept |= key->pieces[i / PIECE_TYPES][i % PIECE_TYPES] > 0 &&
                graph->sets.squares[i / PIECE_TYPES][i % PIECE_TYPES] != 0;
    return kept;
}

static uint64_t set_of(const struct structure_graph *graph, int colour, int type)
{
    const uint64_t squares = graph->sets.squares[colour][type];
    return squares != 0 ? squares : UINT64_MAX;
}

// The square of the first man that stands outside its set, or NO_SQUARE.
static int man_outside(const struct structure_graph *graph, const struct position *position)
{
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
        const int colour = i / PIECE_TYPES;
        const int type = i % PIECE_TYPES;
        for (int n = 0; n < position->count[colour][type]; n++) {
            const int square = position->list[colour][type][n];
            if (!(set_of(graph, colour, type) & square_bit(square)))
                return square;
        }
    }
    return NO_SQUARE;
}

bool structure_outside(const struct structure_graph *graph, const struct position *position)
{
    return man_outside(graph, position) != NO_SQUARE;
}

static bool pawns_outside(const struct structure_graph *graph, const struct structure_key *key)
{
    return ((key->pawns[WHITE] & ~set_of(graph, WHITE, PAWN)) | (key->pawns[BLACK] & ~set_of(graph, BLACK, PAWN))) != 0;
}

// The squares on which a king or a piece of the side may capture something.
static uint64_t taking_squares(const struct structure_graph *graph, const struct structure_key *key, int side)
{
    uint64_t squares = 0;
    for (int type = KING; type <= KNIGHT; type++)
        squares |= key->pieces[side][type] > 0 ? set_of(graph, side, type) : 0;
    return squares;
}

// ---- looking up ----

// The bucket with the key, or the empty one where it belongs.
static size_t bucket_of(const struct structure_graph *graph, const struct structure_key *key)
{
    size_t at = (size_t)XXH64(key, sizeof *key, 0) & (graph->buckets - 1);
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

static int promoted_men(const struct structure_graph *graph, const struct structure_key *key, int *others)
{
    int promoted = 0;
    *others = 0; // of these, those that are not queens
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT; type++) {
            const int more = key->pieces[colour][type] - graph->root.count[colour][type];
            promoted += more > 0 ? more : 0;
            *others += more > 0 && type != QUEEN ? more : 0;
        }
    }
    return promoted;
}

bool structure_within(const struct structure_graph *graph, const struct structure_limits *limits,
                      const struct structure_key *key)
{
    int others;
    const int promoted = promoted_men(graph, key, &others);
    return (promoted < limits->promoted || (promoted == limits->promoted && (!limits->queens || others == 0))) &&
           structure_pieces(key) <= LAYOUT_PIECES_MAX && !pawns_outside(graph, key);
}

bool structure_has_table(const struct structure_limits *limits, struct material material)
{
    const int men = material_men(&material);
    material_normalise(&material);
    return men == 2 || (men <= limits->tables_men && limits->has_table(limits->context, &material));
}

int structure_compare_choices(const void *left, const void *right)
{
    const struct structure_choice *a = left;
    const struct structure_choice *b = right;
    return memcmp(&a->key, &b->key, sizeof a->key);
}

static struct structure new_structure(const struct growing *growing, const struct structure_key *key)
{
    const struct structure_limits *limits = growing->limits;
    const struct structure_choice wanted = {.key = *key};
    struct structure new = {.key = *key, .state = STRUCTURE_BOUNDED};
    const struct material material = structure_material(key);
    if (structure_has_table(limits, material))
        new.state = STRUCTURE_TABLE;
    else if ((material_men(&material) <= FREE_MEN && !material_has_pawns(&material)) ||
             structure_within(growing->graph, limits, key))
        new.state = STRUCTURE_SOLVED;
    const struct structure_choice *choice =
        new.state != STRUCTURE_BOUNDED || limits->choices == 0
            ? NULL
            : bsearch(&wanted, limits->choice, limits->choices, sizeof *choice, structure_compare_choices);
    if (choice != NULL) {
        new.state = STRUCTURE_SOLVED;
        new.pushes = choice->pushes;
    }
    new.open = new.state == STRUCTURE_SOLVED;
    return new;
}

// The bytes that the outcomes of the solved structures take at least: six planes of each.
static uint64_t least_bytes(const struct structure_graph *graph)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < graph->structures; i++)
        bytes += graph->structure[i].state == STRUCTURE_SOLVED
                     ? (UINT64_C(6) << 6 * structure_pieces(&graph->structure[i].key)) / 8
                     : 0;
    return bytes;
}

static int add(struct growing *growing, const struct structure_key *key)
{
    struct structure_graph *graph = growing->graph;
    if (graph->structures == growing->limits->structures)
        return error_set(CLTB_E_MEMORY,
                         "more than %zu structures can be reached from this position, whose outcomes take more than %s",
                         graph->structures, unit_bytes(least_bytes(graph)).text);
    TRY(memory_grow(&graph->structure, &growing->room, graph->structures + 1, sizeof *graph->structure, "structures"));
    graph->structure[graph->structures] = new_structure(growing, key);
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

// Passes the pushes of a choice on to a structure that comes from it by a move.
static void pass_on(struct growing *growing, struct structure *structure)
{
    const bool chosen = structure->state == STRUCTURE_BOUNDED || structure->pushes != 0;
    if (!chosen || (structure->pushes | growing->passed) == structure->pushes ||
        structure_pieces(&structure->key) > LAYOUT_PIECES_MAX || pawns_outside(growing->graph, &structure->key))
        return;
    structure->state = STRUCTURE_SOLVED;
    structure->pushes |= growing->passed;
    structure->open = true;
}

// Adds a structure. `passed`: the pushes of the previous structure that the move passes on; none if the man is
// promoted.
static int reach(struct growing *growing, const struct structure_key *key)
{
    struct structure_graph *graph = growing->graph;
    size_t at = graph->buckets == 0 ? SIZE_MAX : structure_find(graph, key);
    if (growing->visit != NULL)
        return growing->visit(growing->context, at, key);
    if (at == SIZE_MAX) {
        at = graph->structures;
        TRY(add(growing, key));
    }
    if (growing->passed != 0)
        pass_on(growing, &graph->structure[at]);
    return 0;
}

// A pawn that has left its square arrives on `to`.
static int arrive(struct growing *growing, const struct structure_key *without, int mover, int to)
{
    struct structure_key key = *without;
    if (square_rank(to) != (mover == WHITE ? 7 : 0)) {
        key.pawns[mover] |= square_bit(to);
        return reach(growing, &key);
    }
    const uint8_t passed = growing->passed;
    growing->passed = 0;
    for (int type = QUEEN; type <= KNIGHT; type++) {
        key.pieces[mover][type]++;
        TRY(reach(growing, &key));
        key.pieces[mover][type]--;
    }
    growing->passed = passed;
    return 0;
}

// A pawn of the mover, which is not in `without`, has passed over a square: adds what capturing it en passant leaves.
static int take_en_passant(struct growing *growing, const struct structure_key *without, int mover, int passed)
{
    struct structure_key taken = *without;
    for (uint64_t set = pawn_attacks(mover, passed) & without->pawns[mover ^ 1]; set != 0;) {
        // The capturing pawns stand where a pawn of the mover on that square would attack.
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
    const uint8_t pushes = growing->passed;
    without.pawns[mover] ^= square_bit(square);
    if (!(occupied & square_bit(to))) {
        growing->passed = pushes >> mover & 1 ? pushes : 0;
        TRY(arrive(growing, &without, mover, to));
        if (square_rank(square) == (mover == WHITE ? 1 : 6) && !(occupied & square_bit(to + forward))) {
            TRY(arrive(growing, &without, mover, to + forward));
            TRY(take_en_passant(growing, &without, mover, to));
        }
        growing->passed = pushes;
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
            if (from->pieces[mover ^ 1][type] == 0 || !(set_of(growing->graph, mover ^ 1, type) & square_bit(target)))
                continue;
            taken.pieces[mover ^ 1][type]--;
            TRY(arrive(growing, &taken, mover, target));
            taken.pieces[mover ^ 1][type]++;
        }
    }
    return 0;
}

static int expand(struct growing *growing, const struct structure_key *from, uint8_t pushes)
{
    growing->passed = pushes;
    TRY(threads_check(growing->graph->pool, 0));
    for (int mover = WHITE; mover <= BLACK; mover++) {
        const uint64_t taking = taking_squares(growing->graph, from, mover ^ 1);
        for (uint64_t pawns = from->pawns[mover]; pawns != 0;) {
            const int square = set_pop(&pawns);
            struct structure_key taken = *from;
            taken.pawns[mover] ^= square_bit(square);
            TRY(move_pawn(growing, from, mover, square));
            if (taking & square_bit(square))
                TRY(reach(growing, &taken));
        }
        for (int type = QUEEN; type <= KNIGHT; type++) {
            struct structure_key taken = *from;
            if (taken.pieces[mover][type]-- > 0 && (taking & set_of(growing->graph, mover, type)) != 0)
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

int structure_each_successor(struct structure_graph *graph, const struct structure_key *from, structure_visit *visit,
                             void *context)
{
    struct growing growing = {.graph = graph, .visit = visit, .context = context};
    return expand(&growing, from, 0);
}

static int men_of(const struct structure_key *key)
{
    return structure_pieces(key) + __builtin_popcountll(key->pawns[WHITE] | key->pawns[BLACK]);
}

struct exact {
    const struct structure_graph *graph;
    int pieces; // of the structure
    bool all;
    uint64_t table_words;
};

static int visit_exact(void *context, size_t number, const struct structure_key *key)
{
    struct exact *exact = context;
    const struct structure *next = &exact->graph->structure[number];
    const int pieces = structure_pieces(key);
    exact->all &= next->exact;
    if (next->state == STRUCTURE_TABLE && men_of(key) > 2) // a promoted man is fixed in the slab
        exact->table_words += UINT64_C(1) << (6 * (pieces < exact->pieces ? pieces : exact->pieces) - 6);
    return 0;
}

static int find_exact(struct structure_graph *graph)
{
    for (size_t i = 0; i < graph->structures; i++) {
        struct structure *structure = &graph->structure[i];
        struct exact exact = {graph, structure_pieces(&structure->key), structure->state != STRUCTURE_BOUNDED, 0};
        if (structure->state == STRUCTURE_SOLVED)
            TRY(structure_each_successor(graph, &structure->key, visit_exact, &exact));
        structure->table_words = exact.table_words < UINT32_MAX ? (uint32_t)exact.table_words : UINT32_MAX;
        structure->exact = exact.all && (structure->state == STRUCTURE_TABLE || !has_sets(graph, &structure->key));
        graph->tables |= structure->table_words > 0;
        graph->inexact += !structure->exact;
        graph->bounded += structure->state == STRUCTURE_BOUNDED;
        graph->solved += structure->state == STRUCTURE_SOLVED;
    }
    return 0;
}

int structure_graph_make(struct structure_graph *graph, const struct position *position,
                         const struct structure_limits *limits)
{
    *graph = (struct structure_graph){.root = material_of(position), .sets = limits->sets, .pool = limits->pool};
    struct growing growing = {.graph = graph, .limits = limits};
    const struct structure_key root = structure_of(position);
    if (position->castling != 0)
        return error_set(CLTB_E_POSITION,
                         "castling is still possible: only positions without castling rights can be solved");
    if (structure_pieces(&root) > LAYOUT_PIECES_MAX)
        return error_set(CLTB_E_POSITION,
                         "too many pieces: besides any number of pawns there may be %d kings and pieces, not %d",
                         LAYOUT_PIECES_MAX, structure_pieces(&root));
    if (structure_outside(graph, position))
        return error_set(CLTB_E_POSITION, "the man on %s stands outside the squares it is kept to",
                         square_name(man_outside(graph, position)));
    int code = reach(&growing, &root);
    if (code == 0 && position->en_passant != NO_SQUARE) {
        struct structure_key without = root;
        without.pawns[position->side ^ 1] &= ~square_bit(en_passant_victim(position->en_passant));
        code = take_en_passant(&growing, &without, position->side ^ 1, position->en_passant);
    }
    for (bool more = true; code == 0 && more;) {
        more = false;
        for (size_t i = 0; code == 0 && i < graph->structures; i++) {
            const struct structure from = graph->structure[i]; // a copy, because the array may move
            graph->structure[i].open = false;
            if (from.open)
                code = expand(&growing, &from.key, from.pushes);
            more |= from.open;
        }
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

// ---- what another graph changes ----

enum { STALE_UNKNOWN = 2, CAPTURES_MAX = 5000 };

struct stale {
    struct structure_graph *graph;
    uint8_t *of; // [structures]; for bounded ones it is computed when needed
    int men;     // of the structure whose captures are being followed
    int seen;
};

static int captures_stale(struct stale *stale, const struct structure_key *from, bool *is);

// 1: yes, which ends the visits.
static int visit_capture(void *context, size_t number, const struct structure_key *key)
{
    struct stale *stale = context;
    bool is = false;
    if (men_of(key) == stale->men)
        return 0;
    const enum structure_state state = number == SIZE_MAX ? STRUCTURE_BOUNDED : stale->graph->structure[number].state;
    if (state == STRUCTURE_SOLVED)
        return stale->of[number];
    if (state == STRUCTURE_TABLE)
        return 0;
    TRY(captures_stale(stale, key, &is));
    return is;
}

// Does a structure that is bounded or not in the graph lead to a stale one by captures alone? If there are too many
// captures, the answer is yes.
static int captures_stale(struct stale *stale, const struct structure_key *from, bool *is)
{
    const int men = stale->men;
    *is = ++stale->seen > CAPTURES_MAX;
    if (*is)
        return 0;
    stale->men = men_of(from);
    const int code = structure_each_successor(stale->graph, from, visit_capture, stale);
    stale->men = men;
    *is = code == 1;
    return code < 0 ? code : 0;
}

static int visit_stale(void *context, size_t number, const struct structure_key *key)
{
    struct stale *stale = context;
    if (stale->of[number] == STALE_UNKNOWN) {
        bool is;
        stale->seen = 0;
        TRY(captures_stale(stale, key, &is));
        stale->of[number] = is;
    }
    return stale->of[number];
}

// Structures with fewer men come first, so those that captures from bounded ones lead to are already known.
int structure_graph_stale(struct structure_graph *graph, const struct structure_graph *before, uint8_t *of)
{
    struct stale stale = {.graph = graph, .of = of};
    for (size_t i = 0; i < graph->structures; i++) {
        const struct structure *structure = &graph->structure[i];
        of[i] = structure->state == STRUCTURE_BOUNDED ? STALE_UNKNOWN : 0;
        if (structure->state != STRUCTURE_SOLVED)
            continue;
        const size_t earlier = structure_find(before, &structure->key);
        int code = 1;
        if (earlier != SIZE_MAX && before->structure[earlier].state == STRUCTURE_SOLVED)
            code = structure_each_successor(graph, &structure->key, visit_stale, &stale);
        if (code < 0)
            return code;
        of[i] = (uint8_t)code;
    }
    return 0;
}

uint64_t structure_graph_positions(const struct structure_graph *graph)
{
    uint64_t positions = 0;
    for (size_t i = graph->structures - graph->solved; i < graph->structures; i++)
        positions += UINT64_C(2) << 6 * structure_pieces(&graph->structure[i].key);
    return positions;
}
