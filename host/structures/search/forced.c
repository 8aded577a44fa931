// forced.c - a search by moves for positions in which play is forced
#include "structures/search/forced.h"

#include "chess/move.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    INFINITE = 1 << 28,
    PLIES_MAX = 48, // so that no line comes near the 50-move rule
    WAYS = 4,       // entries of the same place
    MET = 64        // structures
};

// pn, dn: proof and disproof number. If pn is 0, dn is INFINITE plus the plies of the proof (forced_plies()).
struct numbers {
    uint32_t pn;
    uint32_t dn;
};

struct entry {
    uint64_t key; // 0: none
    struct numbers numbers;
};

struct met {
    struct node_key key;
    uint64_t count;
};

struct forced {
    const struct nodes *nodes;
    struct forced_tables *tables;
    struct entry *entry; // [entries]
    size_t entries;
    int side; // that searches: White wins, or Black does not lose
    uint64_t looked;
    uint64_t most;
    struct met met[MET];          // the first ones that the search has come to
    uint64_t path[PLIES_MAX + 1]; // keys of the positions above, [ply]
    int ply;
};

static const struct numbers reached = {0, INFINITE + 1};
static const struct numbers failed = {INFINITE, 0};

int forced_open(struct forced **forced, const struct nodes *nodes, struct forced_tables *tables, uint64_t bytes)
{
    TRY(memory_new(forced, 1, sizeof **forced, "positions"));
    struct forced *f = *forced;
    f->nodes = nodes;
    f->tables = tables;
    f->entries = 1 << 10;
    while (f->entries * 2 * sizeof *f->entry <= bytes && f->entries < ((size_t)1 << 24))
        f->entries *= 2;
    f->entry = memory_map(f->entries * sizeof *f->entry);
    return f->entry != NULL ? 0 : error_memory(f->entries * sizeof *f->entry, "positions");
}

void forced_close(struct forced *forced)
{
    if (forced != NULL && forced->entry != NULL)
        memory_unmap(forced->entry, forced->entries * sizeof *forced->entry);
    free(forced);
}

// The men as a number that is not 0: four bits for each colour and type.
static uint64_t material_number(const struct position *position)
{
    uint64_t number = 1;
    for (int type = QUEEN; type <= PAWN; type++)
        number = number << 8 | (uint64_t)(position->count[WHITE][type] << 4 | position->count[BLACK][type]);
    return number;
}

int forced_table(struct forced_tables *tables, struct position *position)
{
    bool won;
    if (only_kings(position))
        return 0;
    if (tables->tables == NULL || position_men(position) > tables->men)
        return UNKNOWN;
    const uint64_t material = material_number(position);
    uint64_t *missing = &tables->missing[material * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (*missing == material)
        return UNKNOWN;
    if (node_table_win(tables->tables, position, &won) != 0) {
        *missing = material;
        return UNKNOWN;
    }
    return won;
}

// ---- positions that have been looked at ----

static uint64_t key_of(const struct forced *f, const struct position *position)
{
    return position->key ^ (f->side == WHITE ? UINT64_C(0x9e3779b97f4a7c15) : UINT64_C(0xc2b2ae3d27d4eb4f));
}

static struct entry *find(const struct forced *f, uint64_t key)
{
    struct entry *entry = &f->entry[key & (f->entries - WAYS)];
    for (int i = 0; i < WAYS; i++) {
        if (entry[i].key == key)
            return &entry[i];
    }
    return NULL;
}

// How much an entry is worth keeping.
static uint32_t weight(const struct entry *entry)
{
    const struct numbers n = entry->numbers;
    return entry->key == 0 ? 0 : n.pn >= INFINITE || n.dn >= INFINITE ? INFINITE : n.pn + n.dn;
}

// What was proved stays as it is, so that its plies stay those which other proofs have counted.
static struct numbers keep(struct forced *f, uint64_t key, struct numbers numbers)
{
    struct entry *entry = find(f, key);
    if (entry != NULL && entry->numbers.pn == 0)
        return entry->numbers;
    if (entry == NULL) {
        entry = &f->entry[key & (f->entries - WAYS)];
        for (int i = 1; i < WAYS; i++) {
            struct entry *other = &f->entry[(key & (f->entries - WAYS)) + (size_t)i];
            entry = weight(other) < weight(entry) ? other : entry;
        }
    }
    *entry = (struct entry){key, numbers};
    return numbers;
}

// ---- the search ----

// The numbers of a position that was not looked at before. `entered`: by a pawn move or a capture.
static struct numbers first_numbers(const struct forced *f, struct position *position, bool entered)
{
    uint32_t moves[MOVES_MAX];
    int won = forced_table(f->tables, position);
    const int count = won == UNKNOWN ? moves_legal(position, moves) : 1;
    if (won == UNKNOWN) {
        won = node_known(f->nodes, position, entered);
        won = won == 1 && !entered ? UNKNOWN : won; // it may need too many plies for the 50-move rule
    }
    if (count == 0)
        won = position->side == BLACK && position_in_check(position);
    if (won != UNKNOWN)
        return (f->side == WHITE ? won == 1 : won == 0) ? reached : failed;
    return position->side == f->side ? (struct numbers){1, (uint32_t)count} : (struct numbers){(uint32_t)count, 1};
}

static void meet(struct forced *f, const struct position *position)
{
    int square[NODE_PIECES];
    const struct node_key key = node_key_of(position, square);
    for (int i = 0; key.pieces < NODE_PIECES && i < MET; i++) {
        struct met *met = &f->met[i];
        if (met->count > 0 && !node_key_equal(&met->key, &key))
            continue;
        met->key = key;
        met->count++;
        return;
    }
}

uint64_t forced_met(const struct forced *f, struct node_key *key)
{
    const struct met *most = f->met;
    for (int i = 1; i < MET; i++)
        most = f->met[i].count > most->count ? &f->met[i] : most;
    *key = most->key;
    return most->count;
}

static bool repeats(const struct forced *f, uint64_t key)
{
    for (int ply = f->ply - 1; ply >= 0; ply -= 2) {
        if (f->path[ply] == key)
            return true;
    }
    return false;
}

// The numbers for the side to move: `own` decides by the least, `other` by the greatest.
struct choice {
    uint32_t own;
    uint32_t second; // the second least
    uint32_t other;
    int best;
};

static struct choice choose(const struct numbers *child, int count, bool searching)
{
    struct choice choice = {INFINITE, INFINITE, 0, 0};
    uint32_t open = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t own = searching ? child[i].pn : child[i].dn;
        const uint32_t other = searching ? child[i].dn : child[i].pn;
        if (own < choice.own) {
            choice.second = choice.own;
            choice.own = own;
            choice.best = i;
        } else if (own < choice.second) {
            choice.second = own;
        }
        choice.other = other > choice.other ? other : choice.other;
        open += other > 0;
    }
    if (choice.own == 0)
        choice.other = INFINITE;
    else if (choice.own >= INFINITE)
        choice.other = 0;
    else if (choice.other < INFINITE)
        choice.other += open > 0 ? open - 1 : 0;
    return choice;
}

// The plies of a proof: by the best move, or by all moves.
static uint32_t proof_plies(const struct position *position, const uint32_t *moves, const struct numbers *child,
                            int from, int end)
{
    uint32_t most = 0;
    for (int i = from; i < end; i++) {
        const uint32_t plies = move_is_zeroing(position, moves[i]) ? 0 : child[i].dn - INFINITE;
        most = plies > most ? plies : most;
    }
    return most + 1;
}

static struct numbers search(struct forced *f, struct position *position, struct numbers limit)
{
    uint32_t moves[MOVES_MAX];
    uint64_t key[MOVES_MAX];
    struct numbers child[MOVES_MAX];
    const uint64_t own_key = key_of(f, position);
    const int count = moves_legal(position, moves);
    const bool searching = position->side == f->side;
    bool path_only = false; // something follows from a repetition
    f->looked++;
    meet(f, position);
    f->path[f->ply] = own_key;
    for (int i = 0; i < count; i++) {
        const bool entered = move_is_zeroing(position, moves[i]);
        (void)position_make(position, moves[i]);
        key[i] = key_of(f, position);
        const struct entry *entry = find(f, key[i]);
        if (repeats(f, key[i])) {
            child[i] = failed;
            path_only = true;
        } else {
            const bool open = entry != NULL && entry->numbers.pn > 0 && entry->numbers.dn > 0;
            const int won = open ? node_known(f->nodes, position, entered) : UNKNOWN;
            child[i] = entry != NULL && (won == UNKNOWN || (won == 1 && !entered))
                           ? entry->numbers
                           : first_numbers(f, position, entered);
        }
        (void)position_undo(position);
    }
    for (;;) {
        const struct choice now = choose(child, count, searching);
        struct numbers numbers =
            searching ? (struct numbers){now.own, now.other} : (struct numbers){now.other, now.own};
        if (numbers.pn == 0)
            numbers.dn = INFINITE + proof_plies(position, moves, child, searching ? now.best : 0,
                                                searching ? now.best + 1 : count);
        if (numbers.pn >= limit.pn || numbers.dn >= limit.dn || numbers.pn == 0 || numbers.dn == 0 ||
            f->looked >= f->most || f->ply == PLIES_MAX) {
            if (numbers.dn > 0 || !path_only)
                numbers = keep(f, own_key, numbers);
            return numbers;
        }
        const uint32_t own_limit = searching ? limit.pn : limit.dn;
        const uint32_t other_limit = searching ? limit.dn : limit.pn;
        const uint32_t child_other = searching ? child[now.best].dn : child[now.best].pn;
        const uint32_t second = now.second >= INFINITE ? INFINITE : now.second + now.second / 4 + 1;
        const uint32_t own = second < own_limit ? second : own_limit;
        uint32_t other = other_limit >= INFINITE ? INFINITE : other_limit - (now.other - child_other);
        other = other > child_other ? other : child_other + 1;
        (void)position_make(position, moves[now.best]);
        f->ply++;
        child[now.best] = search(f, position, searching ? (struct numbers){own, other} : (struct numbers){other, own});
        f->ply--;
        (void)position_undo(position);
        const struct entry *entry = find(f, key[now.best]);
        path_only |= child[now.best].dn == 0 && (entry == NULL || entry->numbers.dn != 0);
    }
}

bool forced_reach(struct forced *f, int side, struct position *position, uint64_t most)
{
    f->side = side;
    f->looked = 0;
    memset(f->met, 0, sizeof f->met);
    f->most = most;
    f->ply = 0;
    const struct entry *entry = find(f, key_of(f, position));
    return (entry != NULL && entry->numbers.pn == 0) ||
           search(f, position, (struct numbers){INFINITE, INFINITE}).pn == 0;
}

int forced_plies(struct forced *f, int side, struct position *position, bool entered)
{
    f->side = side;
    const struct entry *entry = find(f, key_of(f, position));
    struct numbers numbers = entry != NULL ? entry->numbers : failed;
    if (numbers.pn > 0) // more may be known now
        numbers = first_numbers(f, position, entered);
    return numbers.pn == 0 ? (int)(numbers.dn - INFINITE) : 0;
}

int forced_find(struct forced *f, struct position *position, uint64_t most, uint64_t *looked)
{
    int won = forced_table(f->tables, position);
    uint32_t moves[MOVES_MAX];
    *looked = 0;
    if (won == UNKNOWN && moves_legal(position, moves) == 0)
        won = position->side == BLACK && position_in_check(position);
    for (int side = WHITE; won == UNKNOWN && side <= BLACK; side++) {
        if (forced_reach(f, side, position, most))
            won = side == WHITE;
        *looked += f->looked;
    }
    return won;
}
