// nodes.c - structures that come into being when a line of play needs them
#include "structures/search/nodes.h"

#include "chess/attacks.h"
#include "chess/move.h"
#include "probe/probe.h"
#include "structures/search/packed.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= UINT64_C(0x7fb5d329728ea185);
    x ^= x >> 27;
    x *= UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

int nodes_open(struct nodes *nodes, const struct position *position, const struct node_tables *tables, uint64_t bytes)
{
    *nodes = (struct nodes){.buckets = 1 << 12, .patch_room = 1 << 10, .tables = *tables};
    pthread_mutex_init(&nodes->lock, NULL);
    while (nodes->buckets < (1 << 23) && nodes->buckets * (sizeof(struct node) + sizeof(uint32_t)) < bytes)
        nodes->buckets *= 2;
    nodes->room = nodes->buckets / 2;
    nodes->node = memory_map(nodes->room * sizeof *nodes->node);
    nodes->bucket = memory_map(nodes->buckets * sizeof *nodes->bucket);
    nodes->count = 1;
    for (int square = 0; square < SQUARES; square++)
        nodes->native |= position->board[square] != EMPTY ? 1U << (position->board[square] - 1) : 0;
    if (nodes->node == NULL || nodes->bucket == NULL)
        return error_memory(nodes->room * sizeof *nodes->node, "structures");
    return memory_new(&nodes->patch, nodes->patch_room, sizeof *nodes->patch, "positions");
}

void nodes_close(struct nodes *nodes)
{
    for (size_t i = 1; nodes->node != NULL && i < nodes->count; i++) {
        struct node *node = &nodes->node[i];
        for (int side = WHITE; side <= BLACK; side++) {
            for (int g = 0; g < GRADES; g++) {
                if (node_plane_users(node, side, node->plane[side][g]) == 1)
                    free(node->plane[side][g]);
                node->plane[side][g] = NULL;
            }
        }
        free(node->legal);
        free(node->packed);
        free(node->parent);
    }
    for (size_t i = 0; nodes->patch != NULL && i < nodes->patch_room; i++)
        free(nodes->patch[i]);
    free(nodes->patch);
    if (nodes->node != NULL)
        memory_unmap(nodes->node, nodes->room * sizeof *nodes->node);
    if (nodes->bucket != NULL)
        memory_unmap(nodes->bucket, nodes->buckets * sizeof *nodes->bucket);
    ZSTD_freeCCtx(nodes->packer);
    ZSTD_freeDCtx(nodes->unpacker);
    if (nodes->buckets > 0)
        pthread_mutex_destroy(&nodes->lock);
    *nodes = (struct nodes){.count = 0};
}

// ---- nodes and positions ----

// Pawn moves and captures make it smaller.
static uint16_t order_of(const uint64_t pawns[COLOURS], int pieces)
{
    int order = 100 * (__builtin_popcountll(pawns[WHITE] | pawns[BLACK]) + pieces);
    for (uint64_t set = pawns[WHITE]; set != 0;)
        order += 7 - square_rank(set_pop(&set));
    for (uint64_t set = pawns[BLACK]; set != 0;)
        order += square_rank(set_pop(&set));
    return (uint16_t)order;
}

static bool has_table(const struct nodes *nodes, const struct node *node)
{
    struct material material = {.count = {{[KING] = 1}, {[KING] = 1}}};
    if (nodes->tables.has == NULL || node_men(node) > nodes->tables.men)
        return false;
    for (int side = WHITE; side <= BLACK; side++)
        material.count[side][PAWN] = (uint8_t)__builtin_popcountll(node->pawns[side]);
    for (int i = 0; i < node->pieces; i++)
        material.count[code_colour(node->code[i])][code_type(node->code[i])]++;
    material_normalise(&material);
    return nodes->tables.has(nodes->tables.context, &material);
}

static uint32_t find(struct nodes *nodes, const uint64_t pawns[COLOURS], int pieces, const uint8_t *code, bool make)
{
    uint64_t hash = (uint64_t)pieces;
    for (int i = 0; i < pieces; i++)
        hash = hash << 8 | code[i];
    hash = mix(pawns[WHITE] ^ mix(pawns[BLACK] ^ mix(hash)));
    for (size_t i = hash & (nodes->buckets - 1);; i = (i + 1) & (nodes->buckets - 1)) {
        struct node *node = &nodes->node[nodes->bucket[i]];
        if (nodes->bucket[i] != 0 && node->pawns[WHITE] == pawns[WHITE] && node->pawns[BLACK] == pawns[BLACK] &&
            node->pieces == pieces && memcmp(node->code, code, (size_t)pieces) == 0)
            return nodes->bucket[i];
        if (nodes->bucket[i] != 0)
            continue;
        if (!make)
            return 0;
        if (nodes->count == nodes->room) {
            nodes->full = true;
            return 0;
        }
        node = &nodes->node[nodes->count];
        memcpy(node->pawns, pawns, sizeof node->pawns);
        memcpy(node->code, code, (size_t)pieces);
        node->pieces = (uint8_t)pieces;
        node->order = order_of(pawns, pieces);
        node->listed = pieces > 0 && pieces < NODE_PIECES && has_table(nodes, node);
        nodes->bucket[i] = (uint32_t)nodes->count++;
        return nodes->bucket[i];
    }
}

uint32_t node_make(struct nodes *nodes, const uint64_t pawns[COLOURS], int pieces, const uint8_t *code)
{
    return find(nodes, pawns, pieces, code, true);
}

void block_squares(size_t block, int pieces, int *square)
{
    for (int i = pieces - 1; i >= 0; i--, block >>= 6)
        square[i] = (int)(block & 63);
}

size_t block_number(const int *square, int pieces)
{
    size_t block = 0;
    for (int i = 0; i < pieces; i++)
        block = block << 6 | (size_t)square[i];
    return block;
}

uint64_t node_occupied(const struct node *node, const int *square)
{
    uint64_t occupied = node->pawns[WHITE] | node->pawns[BLACK];
    for (int i = 0; i < node->pieces && i < NODE_PIECES; i++) {
        if ((occupied & square_bit(square[i])) != 0)
            return 0;
        occupied |= square_bit(square[i]);
    }
    return occupied;
}

static uint64_t pawn_attack_set(const uint64_t pawns[COLOURS], int colour)
{
    const uint64_t sides = (pawns[colour] & ~FILE_A) >> 1 | (pawns[colour] & ~FILE_H) << 1;
    return colour == WHITE ? sides << 8 : sides >> 8;
}

void node_legal(const struct node *node, const int *square, int side, uint64_t *out)
{
    const uint64_t occupied = node_occupied(node, square);
    const uint64_t pawns = pawn_attack_set(node->pawns, side); // they attack the king that has moved
    uint64_t attacks[NODE_PIECES] = {0};
    uint64_t seen = 0;
    uint64_t black = ~occupied & ~(side == WHITE ? pawns : 0);
    memset(out, 0, sizeof(king_block));
    if (occupied == 0 && node->pieces > 0)
        return;
    for (int i = 0; i < node->pieces; i++) {
        if (code_colour(node->code[i]) == side)
            attacks[i] = piece_attacks(code_type(node->code[i]), side, square[i], occupied);
        seen |= attacks[i];
    }
    for (uint64_t set = ~(occupied | (side == BLACK ? pawns : 0)); set != 0;) {
        const int white = set_pop(&set);
        out[white] = black & ~(side == WHITE ? seen : 0) & ~king_attacks(white) & ~square_bit(white);
    }
    for (uint64_t set = seen & ~occupied; set != 0;) {
        const int white = set_pop(&set);
        if (side == WHITE)
            out[white] = black & ~king_attacks(white) & ~square_bit(white);
        for (int i = 0; i < node->pieces; i++) {
            const int type = code_type(node->code[i]);
            const bool sees = (attacks[i] & square_bit(white)) != 0;
            if (side == BLACK && sees) // unless Black's king stands between
                out[white] &= type == KNIGHT ? 0 : squares_between(square[i], white);
            else if (side == WHITE) // behind its king a piece sees nothing
                out[white] &= sees && type != KNIGHT
                                  ? ~piece_attacks(type, side, square[i], occupied | square_bit(white))
                                  : ~attacks[i];
        }
    }
}

bool node_key_equal(const struct node_key *a, const struct node_key *b)
{
    return a->pieces == b->pieces && memcmp(a->pawns, b->pawns, sizeof a->pawns) == 0 &&
           memcmp(a->code, b->code, sizeof a->code) == 0;
}

struct node_key node_key_of(const struct position *position, int square[NODE_PIECES])
{
    struct node_key key = {.pieces = 0};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int i = 0; i < position->count[colour][PAWN]; i++)
            key.pawns[colour] |= square_bit(position->list[colour][PAWN][i]);
        for (int type = QUEEN; type <= KNIGHT; type++) {
            for (int i = 0; i < position->count[colour][type]; i++) {
                if (key.pieces >= NODE_PIECES)
                    return (struct node_key){.pieces = NODE_PIECES + 1};
                key.code[key.pieces] = (uint8_t)(type | colour << 3);
                square[key.pieces++] = position->list[colour][type][i];
            }
        }
    }
    return key;
}

uint32_t node_of(struct nodes *nodes, const struct position *position, bool make, size_t *block)
{
    int square[NODE_PIECES];
    const struct node_key key = node_key_of(position, square);
    if (key.pieces > NODE_PIECES)
        return 0;
    *block = block_number(square, key.pieces);
    return find(nodes, key.pawns, key.pieces, key.code, make);
}

bool node_position(const struct node *node, size_t block, int white, int black, int side, struct position *position)
{
    struct man men[2 + 2 * PAWNS_PER_SIDE_MAX + NODE_PIECES];
    int square[NODE_PIECES];
    int count = 0;
    men[count++] = (struct man){KING, WHITE, (uint8_t)white};
    men[count++] = (struct man){KING, BLACK, (uint8_t)black};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (uint64_t set = node->pawns[colour]; set != 0;)
            men[count++] = (struct man){PAWN, (uint8_t)colour, (uint8_t)set_pop(&set)};
    }
    block_squares(block, node->pieces, square);
    for (int i = 0; i < node->pieces; i++)
        men[count++] =
            (struct man){(uint8_t)code_type(node->code[i]), (uint8_t)code_colour(node->code[i]), (uint8_t)square[i]};
    return position_set(position, men, count, side) == 0;
}

// ---- guesses ----

// -6 to 6: how much better White's men are.
static int material_score(const struct node *node)
{
    static const int worth[PIECE_TYPES] = {0, 9, 5, 3, 3, 1};
    int score[COLOURS] = {__builtin_popcountll(node->pawns[WHITE]), __builtin_popcountll(node->pawns[BLACK])};
    bool has[COLOURS] = {false, false};
    for (int i = 0; i < node->pieces; i++) {
        score[code_colour(node->code[i])] += worth[code_type(node->code[i])];
        has[code_colour(node->code[i])] = true;
    }
    const int more = abs(score[WHITE] - score[BLACK]);
    const int guess = more >= 5 ? 6 : more >= 3 ? 5 : more == 2 ? 4 : more == 1 ? 2 : 0;
    const int signed_guess = score[WHITE] < score[BLACK] ? -guess : guess;
    return has[WHITE] && has[BLACK] ? signed_guess / 3 - 1 : signed_guess; // pieces of both sides often draw
}

// A score counts the more, the fewer men there are: then the end is near.
static int scaled(int score, int men)
{
    const int tenths = score * (men <= 6 ? 10 : men >= 13 ? 3 : 16 - men);
    const int grade = GRADE_EVEN + (tenths >= 0 ? (tenths + 5) / 10 : -((5 - tenths) / 10));
    return grade < 1 ? 1 : grade > GRADES - 1 ? GRADES - 1 : grade;
}

// With pieces all positions have the same guess. Promotion to another piece than a queen is the
// last resort of either side.
static int piece_grade(const struct nodes *nodes, const struct node *node)
{
    for (int i = 0; i < node->pieces; i++) {
        const int type = code_type(node->code[i]);
        if (type != QUEEN && (nodes->native >> node->code[i] & 1) == 0)
            return code_colour(node->code[i]) == WHITE ? 1 : GRADES - 1;
    }
    return scaled(material_score(node), node_men(node));
}

// A set of squares of the enemy king from which it does not catch a pawn that needs so many plies.
struct race {
    uint64_t kings;
    int plies;
};
enum { RACES_MAX = 6, NO_RACE = 99 };

// The squares within a king's distance.
static uint64_t within(int square, int distance)
{
    uint64_t set = square_bit(square);
    for (int i = 0; i < distance; i++) {
        const uint64_t row = set | (set & ~FILE_A) >> 1 | (set & ~FILE_H) << 1;
        set = row | row << 8 | row >> 8;
    }
    return set;
}

// By the fastest pawn that the enemy king does not catch; the last race is that of the squares from which it catches
// all. Returns their number.
static int find_races(const uint64_t pawns[COLOURS], int colour, int side, struct race *race)
{
    uint64_t free_kings[RACES_MAX] = {0}; // by the steps of the pawn
    uint64_t left = UINT64_MAX;
    int count = 0;
    for (uint64_t set = pawns[colour]; set != 0;) {
        const int square = set_pop(&set);
        const int file = square_file(square);
        const int rank = square_rank(square);
        const int way = colour == WHITE ? 7 - rank : rank;
        const int steps = way == 6 ? 5 : way;
        const uint64_t ahead = colour == WHITE ? UINT64_MAX << (rank * 8 + 8) : square_bit(rank * 8) - 1;
        const uint64_t line = file_line(square);
        const uint64_t beside = line | (line & ~FILE_A) >> 1 | (line & ~FILE_H) << 1;
        if ((ahead & beside & pawns[colour ^ 1]) == 0 && (ahead & line & pawns[colour]) == 0)
            free_kings[steps] |= ~within(colour == WHITE ? 56 + file : file, steps + (side == colour ? 0 : 1));
    }
    for (int steps = 1; steps < RACES_MAX; steps++) {
        if ((free_kings[steps] & left) != 0)
            race[count++] = (struct race){free_kings[steps] & left, side == colour ? 2 * steps - 1 : 2 * steps};
        left &= ~free_kings[steps];
    }
    race[count++] = (struct race){left, NO_RACE};
    return count;
}

static int race_grade(int score, int white, int black, int men)
{
    if (white < NO_RACE && black == NO_RACE)
        score = score + 3 < 5 ? 5 : score + 3;
    else if (white == NO_RACE && black < NO_RACE)
        score = score - 3 > -5 ? -5 : score - 3;
    else if (white < NO_RACE && white + 1 < black)
        score = black - white > 4 ? 4 : 2;
    else if (white < NO_RACE && black + 1 < white)
        score = white - black > 4 ? -4 : -2;
    return scaled(score, men);
}

// The grades that the plane of a block has: bit g - 1.
static uint16_t guessed_grades(const struct nodes *nodes, const struct node *node)
{
    const int score = material_score(node);
    const int men = node_men(node);
    uint16_t grades = 0;
    if (node->pawns[WHITE] == 0 && node->pieces == 0)
        return 0;
    if (node->pieces > 0)
        return (uint16_t)(1U << (piece_grade(nodes, node) - 1));
    for (int side = WHITE; side <= BLACK; side++) {
        struct race race[COLOURS][RACES_MAX + 1];
        const int count[COLOURS] = {find_races(node->pawns, WHITE, side, race[WHITE]),
                                    find_races(node->pawns, BLACK, side, race[BLACK])};
        for (int i = 0; i < count[WHITE] * count[BLACK]; i++) {
            const int white = race[WHITE][i / count[BLACK]].plies;
            grades |= (uint16_t)(1U << (race_grade(score, white, race[BLACK][i % count[BLACK]].plies, men) - 1));
        }
    }
    return grades;
}

// All planes of a block of a leaf. Planes that are equal are written, too.
static void guess(const struct nodes *nodes, const struct node *node, const int *square, int side, king_planes plane,
                  uint64_t *legal)
{
    const int score = material_score(node);
    const int men = node_men(node);
    struct race race[COLOURS][RACES_MAX + 1] = {{{UINT64_MAX, NO_RACE}}, {{UINT64_MAX, NO_RACE}}};
    int count[COLOURS] = {1, 1};
    node_legal(node, square, side, legal);
    for (int colour = WHITE; node->pieces == 0 && colour <= BLACK; colour++)
        count[colour] = find_races(node->pawns, colour, side, race[colour]);
    for (int j = 0; j < count[BLACK]; j++) {
        uint64_t row[GRADES] = {0};
        for (int i = 0; i < count[WHITE]; i++) {
            const int grade = node->pieces > 0 ? piece_grade(nodes, node)
                              : node->pawns[WHITE] == 0
                                  ? 0
                                  : race_grade(score, race[WHITE][i].plies, race[BLACK][j].plies, men);
            for (int g = 0; g < grade; g++)
                row[g] |= race[WHITE][i].kings;
        }
        for (int g = 0; g < GRADES; g++) {
            for (uint64_t set = race[BLACK][j].kings; set != 0;) {
                const int white = set_pop(&set);
                plane[g][white] = side == BLACK ? row[g] & legal[white] : row[g] | ~legal[white];
            }
        }
    }
}

// ---- patches ----

// Like men in another order are the same position.
static uint64_t patch_key(const struct nodes *nodes, uint32_t number, int side, size_t block)
{
    const struct node *node = &nodes->node[number];
    int square[NODE_PIECES] = {0};
    block_squares(block, node->pieces, square);
    for (int i = 1; i < node->pieces; i++) {
        for (int k = i; k > 0 && node->code[k] == node->code[k - 1] && square[k] < square[k - 1]; k--) {
            const int other = square[k];
            square[k] = square[k - 1];
            square[k - 1] = other;
        }
    }
    return (uint64_t)number << 32 | (uint64_t)block_number(square, node->pieces) << 1 | (uint64_t)side;
}

static struct node_patch **patch_place(struct node_patch **patch, size_t room, uint64_t key)
{
    size_t i = mix(key) & (room - 1);
    while (patch[i] != NULL && patch[i]->key != key)
        i = (i + 1) & (room - 1);
    return &patch[i];
}

struct node_patch *node_patch_new(struct nodes *nodes, uint64_t key)
{
    if (2 * nodes->patches >= nodes->patch_room) {
        struct node_patch **larger = calloc(4 * nodes->patch_room, sizeof(struct node_patch *));
        if (larger == NULL)
            return NULL;
        for (size_t i = 0; i < nodes->patch_room; i++) {
            if (nodes->patch[i] != NULL)
                *patch_place(larger, 4 * nodes->patch_room, nodes->patch[i]->key) = nodes->patch[i];
        }
        free(nodes->patch);
        nodes->patch = larger;
        nodes->patch_room *= 4;
    }
    struct node_patch **place = patch_place(nodes->patch, nodes->patch_room, key);
    if (*place == NULL && (*place = calloc(1, sizeof **place)) != NULL) {
        (*place)->key = key;
        nodes->patches++;
        nodes->bytes += sizeof **place;
    }
    return *place;
}

static struct node_patch *patch_make(struct nodes *nodes, uint32_t number, int side, size_t block)
{
    const uint64_t key = patch_key(nodes, number, side, block);
    struct node_patch *patch = *patch_place(nodes->patch, nodes->patch_room, key);
    int square[NODE_PIECES] = {0};
    if (patch != NULL || (patch = node_patch_new(nodes, key)) == NULL)
        return patch;
    block_squares(block, nodes->node[number].pieces, square);
    guess(nodes, &nodes->node[number], square, side, patch->plane, patch->legal);
    nodes->node[number].patched = true;
    return patch;
}

uint16_t node_patch_set(struct nodes *nodes, uint32_t number, int side, size_t block, int white, int black, int grade)
{
    struct node_patch *patch = patch_make(nodes, number, side, block);
    const uint64_t bit = square_bit(black);
    unsigned changed = 0;
    if (patch == NULL) {
        nodes->full = true;
        return 0;
    }
    for (int g = 0; g < GRADES; g++) {
        uint64_t *word = &patch->plane[g][white];
        changed |= ((*word & bit) != 0) != (g < grade) ? 1U << g : 0;
        *word = g < grade ? *word | bit : *word & ~bit;
    }
    if (grade == 0 || grade == GRADES)
        patch->decided[white] |= bit;
    return (uint16_t)changed;
}

// ---- grades ----

static void add_decided(struct node_view *view, const struct node_patch *patch, struct node_view_room *room)
{
    for (int g = 0; g < GRADES; g++) {
        for (int white = 0; white < SQUARES; white++) {
            const uint64_t decided = patch->decided[white];
            room->plane[g][white] = (view->plane[g][white] & ~decided) | (patch->plane[0][white] & decided);
        }
        view->plane[g] = room->plane[g];
    }
}

// Whether the node has planes, which may have to be unpacked. Without memory for them it counts as a leaf, of which
// nothing is certain.
static bool has_planes(const struct nodes *nodes, const struct node *node)
{
    struct node *used = (struct node *)(uintptr_t)node;
    if (!node->solved && !node->table)
        return false;
    if (used->used != nodes->clock)
        used->used = nodes->clock;
    return !node->away || node_unpack((struct nodes *)(uintptr_t)nodes, used) == 0;
}

void node_view(const struct nodes *nodes, uint32_t number, int side, size_t block, bool entered, struct node_view *view,
               struct node_view_room *room)
{
    const struct node *node = &nodes->node[number];
    const struct node_patch *patch =
        node->patched ? *patch_place(nodes->patch, nodes->patch_room, patch_key(nodes, number, side, block)) : NULL;
    int square[NODE_PIECES] = {0};
    if (has_planes(nodes, node)) {
        for (int g = 0; g < GRADES; g++)
            view->plane[g] = node->plane[side][g] + block * SQUARES;
        view->legal = node->legal + block * SQUARES;
        if (patch != NULL && entered) // what was decided before the node was solved still holds
            add_decided(view, patch, room);
        return;
    }
    block_squares(block, node->pieces, square);
    if (patch == NULL && node->pieces > 0) { // one grade for all positions
        const int grade = piece_grade(nodes, node);
        node_legal(node, square, side, room->legal);
        for (int white = 0; white < SQUARES; white++) {
            room->plane[0][white] = side == WHITE ? UINT64_MAX : room->legal[white];
            room->plane[1][white] = side == WHITE ? ~room->legal[white] : 0;
        }
        for (int g = 0; g < GRADES; g++)
            view->plane[g] = room->plane[g < grade ? 0 : 1];
        view->legal = room->legal;
        return;
    }
    if (patch == NULL)
        guess(nodes, node, square, side, room->plane, room->legal);
    for (int g = 0; g < GRADES; g++)
        view->plane[g] = patch != NULL ? patch->plane[g] : room->plane[g];
    view->legal = patch != NULL ? patch->legal : room->legal;
}

int node_even(const struct nodes *nodes, const struct node *node)
{
    return node->solved || node->table || node->patched || node->pieces == 0 ? UNKNOWN : piece_grade(nodes, node);
}

uint16_t node_steps(const struct nodes *nodes, const struct node *node)
{
    return node->solved || node->table ? node->steps : node->patched ? UINT16_MAX >> 1 : guessed_grades(nodes, node);
}

int node_grade(struct nodes *nodes, struct position *position, enum node_entry entry)
{
    struct node_view_room room;
    struct node_view view;
    size_t block;
    const uint32_t number = node_of(nodes, position, true, &block);
    int grade = 0;
    if (number == 0)
        return GRADE_EVEN;
    if (node_covered(&nodes->node[number]) && entry != NODE_EN_PASSANT) {
        bool won;
        if (node_table_win(nodes->tables.tables, position, &won) == 0)
            return won ? GRADES : 0;
    }
    node_view(nodes, number, position->side, block, entry != NODE_INSIDE, &view, &room);
    for (int g = 0; g < GRADES; g++)
        grade += (int)(view.plane[g][position_king(position, WHITE)] >> position_king(position, BLACK) & 1);
    if (position->en_passant == NO_SQUARE || !position_en_passant_legal(position))
        return grade;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    bool others = false;
    for (int i = 0; i < count; i++)
        others |= !move_is_en_passant(moves[i]);
    for (int i = 0; i < count; i++) {
        const int side = position->side;
        if (!move_is_en_passant(moves[i]) || position_make(position, moves[i]) != 0)
            continue;
        const int after = node_grade(nodes, position, NODE_EN_PASSANT);
        position_undo(position);
        if (!others || (side == WHITE ? after > grade : after < grade))
            grade = after;
        others = true;
    }
    return grade;
}

int node_known(const struct nodes *nodes, const struct position *position, bool entered)
{
    size_t block;
    const uint32_t number = node_of((struct nodes *)nodes, position, false, &block);
    const struct node *node = &nodes->node[number];
    const int white = position_king(position, WHITE);
    const uint64_t black = square_bit(position_king(position, BLACK));
    if (number == 0 || position->en_passant != NO_SQUARE)
        return UNKNOWN;
    if (has_planes(nodes, node)) {
        const size_t at = block * SQUARES + (size_t)white;
        if ((node->plane[position->side][GRADES - 1][at] & black) != 0)
            return 1;
        if ((node->plane[position->side][0][at] & black) == 0)
            return 0;
    }
    if (!node->patched || !entered)
        return UNKNOWN;
    const struct node_patch *patch =
        *patch_place(nodes->patch, nodes->patch_room, patch_key(nodes, number, position->side, block));
    if (patch == NULL || (patch->decided[white] & black) == 0)
        return UNKNOWN;
    return (patch->plane[0][white] & black) != 0;
}

int node_table_win(cltb_tables *tables, struct position *position, bool *won)
{
    int outcome = CLTB_DRAW;
    TRY(probe_outcome(tables, position, &outcome));
    *won = (position->side == WHITE ? outcome : -outcome) == CLTB_WIN;
    return 0;
}

int node_read_table(struct nodes *nodes, uint32_t number, cltb_tables *tables)
{
    struct node *node = &nodes->node[number];
    const int none[NODE_PIECES] = {0};
    if (node->legal == NULL)
        TRY(memory_new(&node->legal, SQUARES, sizeof *node->legal, "a structure"));
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t *won = node->plane[side][0];
        king_block legal;
        if (won == NULL)
            TRY(memory_new(&won, SQUARES, sizeof *won, "a structure"));
        node_legal(node, none, side, legal);
        for (int g = 0; g < GRADES; g++)
            node->plane[side][g] = won;
        if (side == WHITE)
            memcpy(node->legal, legal, sizeof legal);
        for (int white = 0; white < SQUARES; white++) {
            won[white] = side == WHITE ? ~legal[white] : 0;
            for (uint64_t set = legal[white]; set != 0;) {
                const int black = set_pop(&set);
                struct position position;
                bool win = false;
                if (node_position(node, 0, white, black, side, &position) && position_men(&position) > 2)
                    TRY(node_table_win(tables, &position, &win));
                if (win)
                    won[white] |= square_bit(black);
            }
        }
    }
    nodes->bytes += 3 * sizeof(king_block);
    node->table = true;
    return 0;
}

// ---- moves that leave a structure ----

struct exit_list {
    struct nodes *nodes;
    struct node node; // a copy
    int side;
    struct node_exit *exit;
    size_t count;
};

// The node with the pawns `own` of the side and `other`, without piece `taken` and with a promoted man of type
// `promoted` (0: none), whose place is written. 0: too many pieces.
static uint32_t node_after(const struct exit_list *list, uint64_t own, uint64_t other, int taken, int promoted,
                           int8_t *place)
{
    const uint64_t pawns[COLOURS] = {list->side == WHITE ? own : other, list->side == WHITE ? other : own};
    const uint8_t code = (uint8_t)(promoted | list->side << 3);
    uint8_t after[NODE_PIECES + 1];
    int pieces = 0;
    bool put = promoted == 0;
    *place = -1;
    for (int i = 0; i <= list->node.pieces; i++) {
        if (!put && (i == list->node.pieces || list->node.code[i] > code)) {
            *place = (int8_t)pieces;
            after[pieces++] = code;
            put = true;
        }
        if (i < list->node.pieces && i != taken)
            after[pieces++] = list->node.code[i];
    }
    return pieces > NODE_PIECES ? 0 : find(list->nodes, pawns, pieces, after, true);
}

static void add(struct exit_list *list, uint64_t own, uint64_t other, int promoted, struct node_exit exit)
{
    exit.to = node_after(list, own, other, exit.taken, promoted, &exit.promoted);
    if (exit.to != 0 && list->count < EXITS_MAX)
        list->exit[list->count++] = exit;
}

// A pawn leaves `from` for exit.square; `own`: the other pawns of its side.
static void add_pawn(struct exit_list *list, uint64_t own, uint64_t other, struct node_exit exit)
{
    if (square_rank(exit.square) != 0 && square_rank(exit.square) != 7) {
        add(list, own | square_bit(exit.square), other, 0, exit);
        return;
    }
    for (int type = QUEEN; type <= KNIGHT; type++)
        add(list, own, other, type, exit);
}

static void add_double_step(struct exit_list *list, uint64_t own, uint64_t other, int over, int to)
{
    const uint64_t target = square_bit(to);
    uint64_t takers = ((target & ~FILE_A) >> 1 | (target & ~FILE_H) << 1) & other;
    struct node_exit exit = {
        .mover = -1, .taken = -1, .square = (uint8_t)to, .empty = square_bit(over) | target, .promoted = -1};
    int8_t place;
    for (int i = 0; takers != 0; i++) {
        const uint64_t taker = square_bit(set_pop(&takers));
        exit.beside[i] = node_after(list, own, (other & ~taker) | square_bit(over), -1, 0, &place);
    }
    add(list, own | target, other, 0, exit);
}

static void add_pawn_exits(struct exit_list *list, int from)
{
    const int side = list->side;
    const uint64_t own = list->node.pawns[side] & ~square_bit(from);
    const uint64_t other = list->node.pawns[side ^ 1];
    const int forward = side == WHITE ? 8 : -8;
    const int to = from + forward;
    if (((own | other) & square_bit(to)) == 0) {
        add_pawn(list, own, other,
                 (struct node_exit){.mover = -1, .taken = -1, .square = (uint8_t)to, .empty = square_bit(to)});
        if (square_rank(from) == (side == WHITE ? 1 : 6) && ((own | other) & square_bit(to + forward)) == 0)
            add_double_step(list, own, other, to, to + forward);
    }
    for (uint64_t set = pawn_attacks(side, from) & ~own; set != 0;) {
        const int square = set_pop(&set);
        struct node_exit exit = {.mover = -1, .taken = -1, .square = (uint8_t)square, .pawn_takes = true};
        if ((other & square_bit(square)) != 0) {
            add_pawn(list, own, other & ~square_bit(square), exit);
            continue;
        }
        for (int i = 0; i < list->node.pieces; i++) {
            exit.taken = (int8_t)i;
            if (code_colour(list->node.code[i]) != side)
                add_pawn(list, own, other, exit);
        }
    }
}

size_t node_exits(struct nodes *nodes, uint32_t number, int side, struct node_exit *exits)
{
    struct exit_list list = {nodes, nodes->node[number], side, exits, 0};
    const struct node *node = &list.node;
    const uint64_t own = node->pawns[side];
    const uint64_t other = node->pawns[side ^ 1];
    for (uint64_t set = own; set != 0;)
        add_pawn_exits(&list, set_pop(&set));
    for (int mover = -1; mover < node->pieces; mover++) { // the king is -1
        if (mover >= 0 && code_colour(node->code[mover]) != side)
            continue;
        struct node_exit exit = {.mover = (int8_t)mover, .taken = -1, .king = mover < 0};
        for (uint64_t set = other; set != 0;) {
            exit.square = (uint8_t)set_pop(&set);
            add(&list, own, other & ~square_bit(exit.square), 0, exit);
        }
        for (int i = 0; i < node->pieces; i++) {
            exit.taken = (int8_t)i;
            if (code_colour(node->code[i]) != side)
                add(&list, own, other, 0, exit);
        }
    }
    return list.count;
}

bool node_hop(const struct node *node, const struct node_exit *exit, const int *square, uint64_t occupied,
              struct node_hop *hop)
{
    int after[NODE_PIECES + 1];
    int pieces = 0;
    int to = exit->square;
    if (exit->taken >= 0) {
        if (exit->pawn_takes && square[exit->taken] != to)
            return false;
        to = square[exit->taken];
    }
    hop->clear = exit->empty;
    hop->king = exit->king ? to : -1;
    if ((exit->empty & occupied) != 0)
        return false;
    if (exit->mover >= 0) {
        const int type = code_type(node->code[exit->mover]);
        const int from = square[exit->mover];
        if ((piece_attacks(type, WHITE, from, occupied) & square_bit(to)) == 0)
            return false;
        hop->clear = type == KNIGHT ? 0 : squares_between(from, to);
    }
    for (int i = 0; i <= node->pieces; i++) {
        if (pieces == exit->promoted)
            after[pieces++] = exit->square;
        if (i < node->pieces && i != exit->taken)
            after[pieces++] = i == exit->mover ? to : square[i];
    }
    hop->block = block_number(after, pieces);
    return true;
}
