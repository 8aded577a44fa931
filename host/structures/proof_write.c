// proof_write.c - collects the positions that prove what a search has found, and writes them
//
// For each side that may win, the attacker, from the asked position to the ends:
//
//     1. A claimed position waits until its structure's turn, in the order of pawn moves and captures.
//     2. The side that reaches its goal (the attacker wins, the other side does not lose) needs one move, which is
//        chosen; the other side has all its moves. What they lead to is claimed in turn, unless it is in a table, or
//        the attacker has a bare king.
//     3. A win's plies are by the ranks of its structure (grades.h), or by a search by moves, which is done again.
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
    LEVEL = 9,             // of zstd
    LOOKS = 20000,         // positions of a search by moves, at first
    LOOKS_MOST = 10000000, // and at last
    PLACES_MAX = 1 << 20,
    BUCKETS = 2 * PLACES_MAX
};

// What moves are worth: to what needs no claim; not won: to what is claimed already, or stays in the structure; to
// another structure, solved or not; won: the sooner in the structure the better.
enum { FREE_EXIT = 1000, SEEN_STEP = 950, STEP = 900, EXIT = 800, OPEN_EXIT = 700, WIN_STEP = 500 };

struct numbers {
    uint64_t *number; // [count]
    size_t count;
    size_t room;
};

// A structure. Its positions are those claimed: entry << 2 | side to move << 1 | won.
struct place {
    struct structure_key key;
    struct numbers positions;
};

struct writing {
    struct proof proof;
    uint64_t most; // claims
    struct search *search;
    const struct search_request *request;
    struct thread_pool *pool;
    int attacker;
    struct nodes *nodes;
    struct forced_tables tables;
    struct forced *forced;
    struct grades *grades;
    struct place *place; // [places]
    size_t places;
    size_t place_room;
    uint32_t *bucket;                // [BUCKETS] a hash table of numbers of places, plus 1
    struct numbers due[NODE_ORDERS]; // places
    uint64_t *seen;                  // [seen_room] a hash table of keys of claimed positions
    size_t seen_count;
    size_t seen_room;
    uint8_t *rank;          // of the structure in work, if the search has solved it
    int rank_plies;         // the longest win of these
    struct position asked;  // or after one of its moves
    struct position turned; // as the other board shows it
    struct position at;     // in work
};

static int push(struct numbers *to, uint64_t number)
{
    TRY(memory_grow(&to->number, &to->room, to->count + 1, sizeof *to->number, "claims"));
    to->number[to->count++] = number;
    return 0;
}

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

static int find_place(struct writing *w, const struct structure_key *key, size_t *number)
{
    uint64_t words[sizeof *key / 8];
    uint64_t hash = 0;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hash = ((hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15)) ^ hash >> 29;
    size_t i = (hash ^ hash >> 32) & (BUCKETS - 1);
    while (w->bucket[i] != 0 && memcmp(&w->place[w->bucket[i] - 1].key, key, sizeof *key) != 0)
        i = (i + 1) & (BUCKETS - 1);
    if (w->bucket[i] == 0) {
        if (w->places == PLACES_MAX || structure_pieces(key) > LAYOUT_PIECES_MAX)
            return error_set(CLTB_E_MEMORY, "the proof needs too many structures or pieces");
        TRY(memory_grow(&w->place, &w->place_room, w->places + 1, sizeof *w->place, "claims"));
        w->place[w->places++] = (struct place){.key = *key};
        w->bucket[i] = (uint32_t)w->places;
        TRY(push(&w->due[order_of(key)], w->places - 1));
    }
    *number = w->bucket[i] - 1;
    return 0;
}

// Claims the position without a right to take en passant, which comes back when the last move is undone.
static int claim(struct writing *w, struct position *position, bool won)
{
    const struct structure_key key = structure_of(position);
    size_t number = 0;
    TRY(position_set_en_passant(position, NO_SQUARE));
    if (is_claimed(w, position))
        return 0;
    TRY(mark_claimed(w, position));
    TRY(find_place(w, &key, &number));
    return push(&w->place[number].positions,
                structure_entry_of(position) << 2 | (uint64_t)position->side << 1 | (won ? 1 : 0));
}

static int name_table(struct proof *proof, struct material material)
{
    const size_t length = strlen(proof->names);
    if (structure_names_table(proof->names, material))
        return 0;
    material_normalise(&material);
    if (length + 2 * MATERIAL_NAME_MAX > CONTAINER_TEXT_MAX / 2)
        return error_set(CLTB_E_MEMORY, "the proof needs too many tables");
    if (length > 0)
        proof->names[length] = ' ';
    (void)material_name(&material, proof->names + length + (length > 0));
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

// Has the position the outcome? `entered`: by a pawn move or a capture.
static bool is_known(struct writing *w, struct position *position, bool won, bool entered)
{
    const int table = forced_table(&w->tables, position);
    if (is_bare(position) || table != UNKNOWN)
        return (table == 1) == won;
    return node_grade(w->nodes, position) == (won ? GRADES : 0) ||
           forced_plies(w->forced, won ? WHITE : BLACK, position, entered) > 0;
}

// The plies of a win in the structure in work; 0: not known.
static int plies_of(struct writing *w, struct position *position)
{
    const int plies = forced_plies(w->forced, WHITE, position, false);
    if (w->rank != NULL) {
        size_t at;
        const uint32_t number = node_of(w->nodes, position, false, &at);
        at += position->side * node_blocks(w->nodes->node[number].pieces);
        at = (at * SQUARES + (size_t)position_king(position, WHITE)) * SQUARES;
        const int round = w->rank[at + (size_t)position_king(position, BLACK)];
        if (round < PLY_LIMIT / 2)
            return 2 * round + (position->side == WHITE ? 1 : 2);
    }
    return plies > 0 && w->rank_plies + plies <= PLY_LIMIT ? w->rank_plies + plies : 0;
}

static int find_ranks(struct writing *w, const struct place *place)
{
    size_t block;
    w->rank_plies = 0;
    if (!structure_position_set(&place->key, place->positions.number[0] >> 2,
                                (int)(place->positions.number[0] >> 1 & 1), &w->at))
        return 0;
    const uint32_t number = node_of(w->nodes, &w->at, false, &block);
    const size_t bytes = COLOURS * node_blocks(w->nodes->node[number].pieces) * SQUARES * SQUARES;
    const struct grades_stop stop = {w->request->stopped, w->request->context};
    if (number == 0 || !w->nodes->node[number].solved)
        return 0;
    TRY(memory_new(&w->rank, bytes, 1, "a structure"));
    TRY(grades_rank(w->grades, w->nodes, number, GRADES, &stop, w->rank));
    for (size_t i = 0; i < bytes; i++) {
        if (w->rank[i] < PLY_LIMIT / 2 && 2 * w->rank[i] + 2 > w->rank_plies)
            w->rank_plies = 2 * w->rank[i] + 2;
    }
    return 0;
}

// Searches by moves again if the outcome, and the plies of a win, are not known. False: in vain.
static bool find_again(struct writing *w, struct position *position, bool won)
{
    for (uint64_t looks = LOOKS; looks <= LOOKS_MOST; looks *= 8) {
        if (won ? plies_of(w, position) > 0 : forced_plies(w->forced, BLACK, position, false) > 0)
            return true;
        (void)forced_reach(w->forced, won ? WHITE : BLACK, position, looks);
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
        return name_table(&w->proof, material_of(position));
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
    struct proof *proof = &w->proof;
    if (proof->claims >= w->most)
        return error_set(CLTB_E_MEMORY, "the proof needs more than %zu positions", proof->claims);
    TRY(memory_grow(&proof->claim, &proof->claim_room, proof->claims + 1, sizeof *proof->claim, "claims"));
    search_seen(w->attacker, position, &w->turned);
    proof->claim[proof->claims++] = proof_claim_of(&w->turned) | (uint64_t)plies;
    return 0;
}

static int work_on(struct writing *w, size_t number)
{
    struct proof *proof = &w->proof;
    const struct structure_key key = w->place[number].key;
    const uint64_t first = proof->claims;
    TRY(find_ranks(w, &w->place[number]));
    for (size_t i = 0; i < w->place[number].positions.count; i++) { // follow() adds to them
        const uint64_t at = w->place[number].positions.number[i];
        const bool won = (at & 1) != 0;
        if (!structure_position_set(&key, at >> 2, (int)(at >> 1 & 1), &w->at) || !find_again(w, &w->at, won))
            return error_set(CLTB_E_MEMORY, "a search by moves does not find again what it found for %s's win",
                             colour_name(w->attacker));
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
    w->nodes = search_nodes(w->search, w->attacker);
    w->bucket = memory_map(BUCKETS * sizeof *w->bucket);
    if (w->bucket == NULL)
        return error_memory(BUCKETS * sizeof *w->bucket, "claims");
    TRY(grades_open(&w->grades));
    TRY(forced_open(&w->forced, w->nodes, &w->tables, w->request->memory / 32));
    TRY(need_known(w, position));
    for (int i = 0; i < count; i++) {
        position_copy(&w->asked, position);
        TRY(position_make(&w->asked, moves[i]));
        TRY(need_known(w, &w->asked));
    }
    for (int order = NODE_ORDERS - 1; order >= 0; order--) {
        for (size_t i = 0; i < w->due[order].count; i++)
            TRY(work_on(w, w->due[order].number[i]));
    }
    return 0;
}

// Frees what belongs to one attacker.
static void forget(struct writing *w)
{
    for (size_t i = 0; i < w->places; i++)
        free(w->place[i].positions.number);
    for (int order = 0; order < NODE_ORDERS; order++) {
        free(w->due[order].number);
        w->due[order] = (struct numbers){.count = 0};
    }
    free(w->place);
    free(w->seen);
    free(w->rank);
    forced_close(w->forced);
    grades_close(w->grades);
    if (w->bucket != NULL)
        memory_unmap(w->bucket, BUCKETS * sizeof *w->bucket);
    w->place = NULL;
    w->seen = NULL;
    w->rank = NULL;
    w->forced = NULL;
    w->grades = NULL;
    w->bucket = NULL;
    w->places = w->place_room = w->seen_count = w->seen_room = 0;
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
    struct writing *w;
    TRY(memory_new(&w, 1, sizeof *w, "a proof"));
    w->most = memory / (4 * sizeof(uint64_t));
    w->search = search;
    w->request = search_asked(search);
    w->tables = (struct forced_tables){.tables = w->request->tables, .men = w->request->tables_men};
    fen_write(position, w->proof.fen);
    int code = memory_new(&w->proof.names, CONTAINER_TEXT_MAX, 1, "names of tables");
    for (w->attacker = WHITE; code == 0 && w->attacker <= BLACK; w->attacker++) {
        code = claim_all(w, position);
        forget(w);
    }
    if (code == 0 && w->proof.claims == 0)
        code = error_set(CLTB_E_USAGE, "tables have all of the positions: there is nothing to write");
    THEN(code, write_file(path, &w->proof, pool));
    free(w->proof.structure);
    free(w->proof.claim);
    free(w->proof.names);
    free(w);
    return code;
}
