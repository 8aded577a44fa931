// proof_write.c - collects the positions that prove what a search has found, and writes them
//
// For each side that may win, the attacker, from the asked position to the ends:
//
//     1. A claimed position waits until its structure's turn, in the order of pawn moves and captures.
//     2. The side that reaches its goal (the attacker wins, the other side does not lose) needs one move, which is
//        chosen; the other side has all its moves. What they lead to is claimed in turn, unless it is in a table, or
//        the attacker has a bare king.
//     3. A win's plies are by the ranks of its structure (grades.h), or by a search by moves, which resumes from what
//        it remembers; whichever are fewer.
//
// All boards are the search's, with the attacker as White, up to what is written.
#include "structures/proof.h"

#include "chess/move.h"
#include "structures/search/grades.h"
#include "table/container_format.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 9,            // of zstd
    LOOKS = 20000,        // positions of a search by moves, at first
    LOOKS_MOST = 10000000 // and at last
};

// What moves are worth: to what needs no claim; not won: to what is claimed already, or stays in the structure; to
// another structure, solved or not; won: the sooner in the structure the better.
enum { FREE_EXIT = 1000, SEEN_STEP = 950, STEP = 900, EXIT = 800, OPEN_EXIT = 700, WIN_STEP = 500 };

// A claimed position that has no turn yet.
struct waiting {
    struct structure_key key;
    uint64_t number; // entry << 2 | side to move << 1 | won
};

struct queue {
    struct waiting *waiting; // [count]
    size_t count;
    size_t room;
};

// What belongs to one attacker.
struct writing {
    struct proof *proof;
    uint64_t most; // claims
    struct search *search;
    const struct search_request *request;
    int attacker;
    struct nodes *nodes;
    struct forced_tables tables;
    struct forced *searched; // searches by moves: the search's, and another one, which does not know how far those came
    struct forced *again;
    struct grades *grades;
    struct queue due[NODE_ORDERS]; // structures of one order do not lead to each other
    struct queue inside;           // positions of the structure in work
    uint64_t *seen;                // [seen_room] a hash table of keys of claimed positions
    size_t seen_count;
    size_t seen_room;
    uint8_t *rank;          // of the structure in work, if the search has solved it
    struct position asked;  // or after one of its moves
    struct position turned; // as the other board shows it
    struct position at;     // in work
};

// ---- claims ----

static uint64_t *seen_place(uint64_t *seen, size_t room, uint64_t key)
{
    size_t i = (size_t)(key ^ key >> 32) & (room - 1);
    while (seen[i] != 0 && seen[i] != key)
        i = (i + 1) & (room - 1);
    return &seen[i];
}

static bool is_claimed(const struct writing *w, const struct position *position)
{
    return w->seen_room > 0 && *seen_place(w->seen, w->seen_room, position->key | 1) != 0;
}

static int mark_claimed(struct writing *w, const struct position *position)
{
    if (2 * w->seen_count >= w->seen_room) {
        const size_t room = w->seen_room == 0 ? 1 << 12 : 4 * w->seen_room;
        uint64_t *larger;
        TRY(memory_new(&larger, room, sizeof *larger, "claims"));
        for (size_t i = 0; i < w->seen_room; i++) {
            if (w->seen[i] != 0)
                *seen_place(larger, room, w->seen[i]) = w->seen[i];
        }
        free(w->seen);
        w->seen = larger;
        w->seen_room = room;
    }
    *seen_place(w->seen, w->seen_room, position->key | 1) = position->key | 1;
    w->seen_count++;
    return 0;
}

// Pawn moves and captures make it smaller, as in nodes.c.
static int order_of(const struct structure_key *key)
{
    int order = 100 * (structure_pieces(key) - 2 + __builtin_popcountll(key->pawns[WHITE] | key->pawns[BLACK]));
    for (uint64_t set = key->pawns[WHITE]; set != 0;)
        order += 7 - square_rank(set_pop(&set));
    for (uint64_t set = key->pawns[BLACK]; set != 0;)
        order += square_rank(set_pop(&set));
    return order;
}

// Claims the position without a right to take en passant, which comes back when the last move is undone.
static int claim(struct writing *w, struct position *position, bool won)
{
    const struct structure_key key = structure_of(position);
    TRY(position_set_en_passant(position, NO_SQUARE));
    if (is_claimed(w, position))
        return 0;
    if (structure_pieces(&key) > LAYOUT_PIECES_MAX)
        return error_set(CLTB_E_MEMORY, "the proof needs more than %d pieces", LAYOUT_PIECES_MAX);
    TRY(mark_claimed(w, position));
    const bool inside = w->inside.count > 0 && memcmp(&w->inside.waiting[0].key, &key, sizeof key) == 0;
    struct queue *to = inside ? &w->inside : &w->due[order_of(&key)];
    TRY(memory_grow(&to->waiting, &to->room, to->count + 1, sizeof *to->waiting, "claims"));
    to->waiting[to->count++] =
        (struct waiting){key, structure_entry_of(position) << 2 | (uint64_t)position->side << 1 | (won ? 1 : 0)};
    return 0;
}

// ---- what is known ----

static bool is_bare(const struct position *position)
{
    return position_side_men(position, WHITE) == 1;
}

static bool is_free(struct writing *w, struct position *position)
{
    return is_bare(position) || forced_table(&w->tables, position) != UNKNOWN;
}

// forced_plies() of the search by moves that knows a way. It stays the same.
static int way_plies(struct writing *w, int side, struct position *position, bool entered)
{
    const int plies = forced_plies(w->searched, side, position, entered);
    return plies > 0 ? plies : forced_plies(w->again, side, position, entered);
}

// Has the position the outcome? `entered`: by a pawn move or a capture.
static bool is_known(struct writing *w, struct position *position, bool won, bool entered)
{
    const int table = forced_table(&w->tables, position);
    if (is_bare(position) || table != UNKNOWN)
        return (table == 1) == won;
    return node_grade(w->nodes, position, entered ? NODE_ENTERED : NODE_INSIDE) == (won ? GRADES : 0) ||
           way_plies(w, won ? WHITE : BLACK, position, entered) > 0;
}

// The plies of a win in the structure in work, by its ranks or by a search by moves, whichever are fewer: the next
// position of the same way has fewer still. 0: not known.
static int plies_of(struct writing *w, struct position *position)
{
    const int plies = way_plies(w, WHITE, position, false);
    if (w->rank == NULL)
        return plies;
    size_t at;
    const uint32_t number = node_of(w->nodes, position, false, &at);
    at += position->side * node_blocks(w->nodes->node[number].pieces);
    at = (at * SQUARES + (size_t)position_king(position, WHITE)) * SQUARES;
    const int round = w->rank[at + (size_t)position_king(position, BLACK)];
    const int ranked = 2 * round + (position->side == WHITE ? 1 : 2);
    return round < PLY_LIMIT / 2 && (plies == 0 || ranked < plies) ? ranked : plies;
}

static int find_ranks(struct writing *w)
{
    size_t block;
    const uint32_t number = node_of(w->nodes, &w->at, false, &block);
    const size_t bytes = COLOURS * node_blocks(w->nodes->node[number].pieces) * SQUARES * SQUARES;
    const struct grades_stop stop = {w->request->stopped, w->request->context};
    if (number == 0 || !w->nodes->node[number].solved)
        return 0;
    TRY(memory_new(&w->rank, bytes, 1, "a structure"));
    return grades_rank(w->grades, w->nodes, number, GRADES, &stop, w->rank);
}

// Searches by moves again if the outcome, and the plies of a win, are not known. False: in vain.
static bool find_again(struct writing *w, struct position *position, bool won)
{
    for (uint64_t looks = 0; looks <= LOOKS_MOST; looks = looks > 0 ? 8 * looks : LOOKS) {
        if (looks > 0)
            (void)forced_reach(looks == LOOKS ? w->searched : w->again, won ? WHITE : BLACK, position, looks);
        if (won ? plies_of(w, position) > 0 : way_plies(w, BLACK, position, false) > 0)
            return true;
    }
    return false;
}

// ---- what a claim rests on ----

// The outcome of a position must follow: claims it, or what it follows from.
static int need(struct writing *w, struct position *position, bool won)
{
    const bool own = (position->side == WHITE) == won;
    uint32_t moves[MOVES_MAX];
    bool others = false;
    if (is_bare(position))
        return 0;
    if (forced_table(&w->tables, position) != UNKNOWN)
        return structure_name_table(w->proof->names, material_of(position));
    if (position->en_passant == NO_SQUARE || !position_en_passant_legal(position))
        return claim(w, position, won);
    // Other moves count as without the right to take en passant.
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++)
        others |= !move_is_en_passant(moves[i]);
    for (int i = 0; i < count; i++) {
        if (!move_is_en_passant(moves[i]))
            continue;
        TRY(position_make(position, moves[i]));
        const bool known = !own || is_known(w, position, won, true);
        const int code = known ? need(w, position, won) : 0;
        position_undo(position);
        TRY(code);
        if (own && known)
            return 0;
    }
    return others ? claim(w, position, won) : 0;
}

// How good a move to the position is for the side that reaches its goal; -1: it is none.
static int worth(struct writing *w, struct position *position, bool zeroing, bool won, int plies)
{
    size_t block;
    if (won && !zeroing) {
        const int after = plies_of(w, position);
        return after > 0 && after < plies ? WIN_STEP - after : -1;
    }
    if (!is_known(w, position, won, zeroing))
        return -1;
    if (!zeroing)
        return is_claimed(w, position) ? SEEN_STEP : STEP;
    const uint32_t number = node_of(w->nodes, position, false, &block);
    return is_free(w, position) ? FREE_EXIT : number != 0 && w->nodes->node[number].solved ? EXIT : OPEN_EXIT;
}

// Claims what a claim rests on.
static int follow(struct writing *w, struct position *position, bool won, int plies)
{
    const bool own = (position->side == WHITE) == won;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    uint32_t best = MOVE_NONE;
    int most = -1;
    bool all = true;
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(position, moves[i]);
        TRY(position_make(position, moves[i]));
        const int value = own || (won && !zeroing) ? worth(w, position, zeroing, won, plies) : 0;
        const int code = own ? 0 : need(w, position, won);
        position_undo(position);
        TRY(code);
        all &= value >= 0;
        best = value > most ? moves[i] : best;
        most = value > most ? value : most;
    }
    if (count > 0 && (own ? best == MOVE_NONE : !all))
        return error_set(CLTB_E_MEMORY, "a search by moves has forgotten what it found for %s's win",
                         colour_name(w->attacker));
    if (!own || count == 0)
        return 0;
    TRY(position_make(position, best));
    const int code = need(w, position, won);
    position_undo(position);
    return code;
}

static int add_claim(struct writing *w, const struct position *position, int plies)
{
    struct proof *proof = w->proof;
    if (proof->claims >= w->most)
        return error_set(CLTB_E_MEMORY, "the proof needs more than %zu positions", proof->claims);
    TRY(memory_grow(&proof->claim, &proof->claim_room, proof->claims + 1, sizeof *proof->claim, "claims"));
    search_seen(w->attacker, position, &w->turned);
    proof->claim[proof->claims++] = proof_claim_of(&w->turned) | (uint64_t)plies;
    return 0;
}

static int not_found(struct writing *w)
{
    char fen[FEN_MAX];
    search_seen(w->attacker, &w->at, &w->turned);
    fen_write(&w->turned, fen);
    return error_set(CLTB_E_MEMORY, "a search by moves does not find again whether %s wins %s",
                     colour_name(w->attacker), fen);
}

static bool set_at(struct writing *w, const struct waiting *waiting)
{
    return structure_position_set(&waiting->key, waiting->number >> 2, (int)(waiting->number >> 1 & 1), &w->at);
}

// Works on the positions inside a structure, to which more are added meanwhile.
static int work_inside(struct writing *w)
{
    struct proof *proof = w->proof;
    const uint64_t first = proof->claims;
    for (size_t i = 0; i < w->inside.count; i++) {
        const bool won = (w->inside.waiting[i].number & 1) != 0;
        const bool legal = set_at(w, &w->inside.waiting[i]);
        if (i == 0)
            TRY(find_ranks(w));
        if (!legal || !find_again(w, &w->at, won))
            return not_found(w);
        const int plies = won ? plies_of(w, &w->at) : 0;
        TRY(add_claim(w, &w->at, plies));
        TRY(follow(w, &w->at, won, plies));
        if (i % 1024 == 0 && w->request->stopped(w->request->context))
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
    }
    free(w->rank);
    w->rank = NULL;
    TRY(memory_grow(&proof->structure, &proof->structure_room, proof->structures + 1, sizeof *proof->structure,
                    "structures"));
    struct proof_structure *structure = &proof->structure[proof->structures++];
    *structure = (struct proof_structure){
        .key = structure_of(&w->turned), .attacker = w->attacker, .first = first, .count = proof->claims - first};
    proof_set_id(structure);
    return 0;
}

static int compare_waiting(const void *left, const void *right)
{
    const struct waiting *a = left;
    const struct waiting *b = right;
    const int keys = memcmp(&a->key, &b->key, sizeof a->key);
    return keys != 0 ? keys : a->number < b->number ? -1 : a->number > b->number;
}

// Works on the structures of one order, one after another.
static int work_on(struct writing *w, struct queue *due)
{
    if (due->count > 0)
        qsort(due->waiting, due->count, sizeof *due->waiting, compare_waiting);
    for (size_t i = 0, end; i < due->count; i = end) {
        for (end = i + 1; end < due->count; end++) {
            if (memcmp(&due->waiting[end].key, &due->waiting[i].key, sizeof due->waiting[i].key) != 0)
                break;
        }
        w->inside.count = end - i;
        TRY(memory_grow(&w->inside.waiting, &w->inside.room, end - i, sizeof *due->waiting, "claims"));
        memcpy(w->inside.waiting, &due->waiting[i], (end - i) * sizeof *due->waiting);
        TRY(work_inside(w));
    }
    free(due->waiting);
    *due = (struct queue){.count = 0};
    return 0;
}

// ---- all ----

// What the search knows of a position is needed. A side that wins leaves no question of the other one.
static int need_known(struct writing *w, const struct position *position)
{
    struct search_bounds bounds;
    TRY(search_bounds(w->search, position, &bounds));
    const int winner = bounds.least == CLTB_WIN ? WHITE : bounds.greatest == CLTB_LOSS ? BLACK : UNKNOWN;
    const bool kept = w->attacker == WHITE ? bounds.greatest < CLTB_WIN : bounds.least > CLTB_LOSS;
    search_seen(w->attacker, position, &w->at);
    return winner == w->attacker || (winner == UNKNOWN && kept) ? need(w, &w->at, winner == w->attacker) : 0;
}

static int claim_all(struct writing *w, const struct position *position)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    TRY(grades_open(&w->grades));
    TRY(forced_open(&w->again, w->nodes, &w->tables, w->request->memory / 32));
    TRY(need_known(w, position));
    for (int i = 0; i < count; i++) {
        position_copy(&w->asked, position);
        TRY(position_make(&w->asked, moves[i]));
        TRY(need_known(w, &w->asked));
    }
    for (int order = NODE_ORDERS - 1; order >= 0; order--)
        TRY(work_on(w, &w->due[order]));
    return 0;
}

static int prove_one(struct proof *proof, struct search *search, int attacker, const struct position *position,
                     uint64_t memory)
{
    struct writing *w;
    TRY(memory_new(&w, 1, sizeof *w, "a proof"));
    w->proof = proof;
    w->most = memory / (2 * sizeof(uint64_t) + sizeof(struct waiting));
    w->search = search;
    w->request = search_asked(search);
    w->attacker = attacker;
    w->nodes = search_nodes(search, attacker);
    w->searched = search_forced(search, attacker);
    w->tables = (struct forced_tables){.tables = w->request->tables, .men = w->request->tables_men};
    const int code = claim_all(w, position);
    for (int order = 0; order < NODE_ORDERS; order++)
        free(w->due[order].waiting);
    free(w->inside.waiting);
    free(w->seen);
    free(w->rank);
    forced_close(w->again);
    grades_close(w->grades);
    free(w);
    return code;
}

static int compare_claims(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static int write_file(const char *path, struct proof *proof, struct thread_pool *pool)
{
    const uint64_t bytes = (proof->claims + proof->structures) * PROOF_CLAIM_BYTES;
    const uint64_t ids = proof->structures * PROOF_ID_BYTES;
    const struct container_stream stream[] = {{"structures", 1, (uint32_t)ids, 1, ids, CODEC_ZSTD, 0},
                                              {"claims", 1, PROOF_BLOCK, 1, bytes, CODEC_ZSTD, 0}};
    struct container_writer *writer = NULL;
    uint8_t *id = malloc(ids);
    uint8_t *claims = calloc(bytes, 1);
    uint8_t *to = claims;
    char *text = malloc(CONTAINER_TEXT_MAX);
    int code = id == NULL || claims == NULL || text == NULL ? error_memory(bytes, "claims") : 0;
    qsort(proof->structure, proof->structures, sizeof *proof->structure, proof_compare);
    for (size_t i = 0; code == 0 && i < proof->structures; i++, to += PROOF_CLAIM_BYTES) {
        const struct proof_structure *structure = &proof->structure[i];
        uint64_t *claim = &proof->claim[structure->first];
        uint64_t before = UINT64_MAX;
        memcpy(id + i * PROOF_ID_BYTES, structure->id, PROOF_ID_BYTES);
        qsort(claim, structure->count, sizeof *claim, compare_claims);
        for (uint64_t k = 0; k < structure->count; k++, to += PROOF_CLAIM_BYTES) {
            put_number(to, PROOF_CLAIM_BYTES, ((claim[k] >> 8) - before) << 8 | (claim[k] & 0xff));
            before = claim[k] >> 8;
        }
    }
    if (code == 0) {
        snprintf(text, CONTAINER_TEXT_MAX, "game chess\nmetric dtz\nstructures %d\nfen %s\ntables %s", PROOF_VERSION,
                 proof->fen, proof->names[0] != '\0' ? proof->names : "-");
        code = container_create(&writer, path, stream, 2, strlen(text) + 1);
    }
    THEN(code, container_add_symbols(writer, 0, 0, id, LEVEL, pool));
    THEN(code, container_add_symbols(writer, 1, 0, claims, LEVEL, pool));
    if (code == 0)
        code = container_finish(writer, text);
    else
        container_abandon(writer);
    free(id);
    free(claims);
    free(text);
    return code;
}

int proof_write(const char *path, struct search *search, const struct position *position, uint64_t memory,
                struct thread_pool *pool)
{
    struct proof proof = {.structures = 0};
    fen_write(position, proof.fen);
    int code = memory_new(&proof.names, STRUCTURE_NAMES_MAX, 1, "names of tables");
    for (int attacker = WHITE; attacker <= BLACK; attacker++)
        THEN(code, prove_one(&proof, search, attacker, position, memory));
    if (code == 0 && proof.claims == 0)
        code = error_set(CLTB_E_USAGE, "tables have all of the positions: there is nothing to write");
    THEN(code, write_file(path, &proof, pool));
    free(proof.structure);
    free(proof.claim);
    free(proof.names);
    return code;
}
