// stats_findings.c - what threads, batches of slices and processes find of a table's statistics, to be joined
#include "check/stats_findings.h"

#include "check/stats_kept.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PENDING_MOST = 1 << 18,
    DIAGONAL_ITEM = 1 << 6 // numbers: a divisor of those of two men
};

void findings_init(struct findings *findings)
{
    memset(findings, 0, sizeof *findings);
    tally_init(&findings->tally);
}

void findings_free(struct findings *findings)
{
    tally_free(&findings->tally);
    for (int side = WHITE; side <= BLACK; side++)
        free(findings->pending[side].key);
}

int findings_pend(struct findings *findings, int side, uint64_t key)
{
    struct pending *pending = &findings->pending[side];
    const size_t full = pending->count;
    if (pending->too_many || full == PENDING_MOST) {
        pending->too_many = true;
        return 0;
    }
    TRY(memory_grow(&pending->key, &pending->room, full + 1, sizeof *pending->key, "a list of positions"));
    pending->key[pending->count++] = key;
    return 0;
}

int findings_add(struct findings *sum, struct findings *from)
{
    uint64_t *weight = &sum->weight[0][0][0];
    for (size_t i = 0; i < sizeof sum->weight / sizeof *weight; i++)
        weight[i] += (&from->weight[0][0][0])[i];
    for (int side = WHITE; side <= BLACK; side++) {
        sum->pending[side].too_many |= from->pending[side].too_many;
        for (size_t i = 0; i < from->pending[side].count; i++)
            TRY(findings_pend(sum, side, from->pending[side].key[i]));
    }
    TRY(tally_add(&sum->tally, &from->tally));
    findings_free(from);
    findings_init(from);
    return 0;
}

// ---- as bytes ----

// The parts of fixed size; the weights that are not 0, the zugzwangs and the keys follow.
struct head {
    struct tally_longest longest[COLOURS][TABLE_OUTCOMES];
    uint64_t zugzwangs[TABLE_OUTCOMES][TABLE_OUTCOMES];
    uint64_t weights;
    uint64_t found;
    uint64_t pending[COLOURS];
    uint64_t too_many[COLOURS];
};

struct weight {
    uint64_t number; // among all weights
    uint64_t weight;
};

enum { WEIGHTS = COLOURS * COLOURS * (SOLVER_PLY_MAX + 1) };

static size_t bytes_of(const struct head *head)
{
    return sizeof *head + head->weights * sizeof(struct weight) + head->found * sizeof(struct stats_zugzwang) +
           (head->pending[WHITE] + head->pending[BLACK]) * sizeof(uint64_t);
}

static uint8_t *put(uint8_t *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
    return to + bytes;
}

int findings_put(const struct findings *findings, struct peer_bytes *bytes)
{
    const uint64_t *weight = &findings->weight[0][0][0];
    const struct tally *tally = &findings->tally;
    struct head head;
    memset(&head, 0, sizeof head); // including what pads it
    memcpy(head.zugzwangs, tally->zugzwangs, sizeof head.zugzwangs);
    memcpy(head.longest, tally->longest, sizeof head.longest);
    for (size_t i = 0; i < WEIGHTS; i++)
        head.weights += weight[i] > 0;
    head.found = tally->found;
    for (int side = WHITE; side <= BLACK; side++) {
        head.pending[side] = findings->pending[side].count;
        head.too_many[side] = findings->pending[side].too_many;
    }
    bytes->count = bytes_of(&head);
    TRY(memory_new(&bytes->bytes, bytes->count, 1, "statistics"));
    uint8_t *to = put(bytes->bytes, &head, sizeof head);
    for (size_t i = 0; i < WEIGHTS; i++) {
        const struct weight one = {i, weight[i]};
        if (weight[i] > 0)
            to = put(to, &one, sizeof one);
    }
    to = put(to, tally->zugzwang, tally->found * sizeof *tally->zugzwang);
    for (int side = WHITE; side <= BLACK; side++)
        to = put(to, findings->pending[side].key, findings->pending[side].count * sizeof(uint64_t));
    return 0;
}

int findings_get(struct findings *findings, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    struct tally *tally = &findings->tally;
    struct head head;
    const uint64_t most = count / sizeof(uint64_t);
    findings_init(findings);
    if (count >= sizeof head)
        memcpy(&head, at, sizeof head);
    if (count < sizeof head || head.weights > most || head.found > most || head.pending[WHITE] > most ||
        head.pending[BLACK] > most || bytes_of(&head) != count)
        return error_set(CLTB_E_CORRUPT, "statistics of a part of the table do not fit");
    at += sizeof head;
    memcpy(tally->longest, head.longest, sizeof head.longest);
    memcpy(tally->zugzwangs, head.zugzwangs, sizeof head.zugzwangs);
    for (uint64_t i = 0; i < head.weights; i++, at += sizeof(struct weight)) {
        struct weight one;
        memcpy(&one, at, sizeof one);
        if (one.number >= WEIGHTS)
            return error_set(CLTB_E_CORRUPT, "statistics of a part of the table do not fit");
        (&findings->weight[0][0][0])[one.number] = one.weight;
    }
    TRY(memory_grow(&tally->zugzwang, &tally->room, head.found, sizeof *tally->zugzwang, "a list of zugzwangs"));
    if (head.found > 0)
        memcpy(tally->zugzwang, at, head.found * sizeof *tally->zugzwang);
    tally->found = head.found;
    at += head.found * sizeof *tally->zugzwang;
    for (int side = WHITE; side <= BLACK; side++) {
        findings->pending[side].too_many = head.too_many[side] != 0;
        for (uint64_t i = 0; i < head.pending[side]; i++, at += sizeof(uint64_t)) {
            uint64_t key;
            memcpy(&key, at, sizeof key);
            TRY(findings_pend(findings, side, key));
        }
    }
    return 0;
}

// ---- from findings to statistics ----

// The positions in which all men stand on the diagonal a1-h8 and the black king on its lower half. These are one
// position of each class. Three bits of a number are the place of a man on the diagonal.
struct diagonal {
    const struct tally_men *men;
    cltb_tables *tables;
    _Atomic uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1];
};

static int count_diagonal_number(struct diagonal *diagonal, uint64_t number)
{
    const struct tally_men *men = diagonal->men;
    const unsigned rank = 8;
    struct man placed[MATERIAL_MEN_MAX];
    struct position p;
    bool one = true;
    for (int i = 0; i < men->count; i++) {
        const unsigned on = (unsigned)(number >> 3 * i) % rank;
        placed[i] = men->man[i];
        placed[i].square = (uint8_t)(9 * on);
        one &= placed[i].type != KING || placed[i].colour == WHITE || on < rank / 2;
        one &= i == 0 || placed[i].type != placed[i - 1].type || placed[i].colour != placed[i - 1].colour ||
               placed[i].square > placed[i - 1].square;
    }
    for (int side = WHITE; one && side <= (men->paired ? WHITE : BLACK); side++) {
        struct cltb_value value;
        if (position_set(&p, placed, men->count, side) != 0 || !position_legal(&p))
            continue;
        TRY(probe_value(diagonal->tables, &p, &value));
        atomic_fetch_add(&diagonal->count[side][value.outcome + 2][value.dtz], 1);
    }
    return 0;
}

static int count_diagonal_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    for (uint64_t i = 0; i < DIAGONAL_ITEM; i++)
        TRY(count_diagonal_number(context, item * DIAGONAL_ITEM + i));
    return 0;
}

static int count_diagonal(struct stats *stats, const struct tally_men *men, cltb_tables *tables,
                          struct thread_pool *pool)
{
    struct diagonal *diagonal;
    TRY(memory_new(&diagonal, 1, sizeof *diagonal, "statistics"));
    diagonal->men = men;
    diagonal->tables = tables;
    const int code = threads_each(pool, (UINT64_C(1) << 3 * men->count) / DIAGONAL_ITEM, count_diagonal_item, diagonal);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            stats->bin[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES][ply].diagonal +=
                diagonal->count[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES][ply];
    }
    free(diagonal);
    return code;
}

// How often a placement appears in the planes, which tell identical pieces apart, but not identical pawns.
static uint64_t arrangements_of(const struct material *material)
{
    struct material pieces = *material;
    pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
    return material_arrangements(&pieces);
}

static void add_counts(struct stats *stats, const struct findings *sum, const struct table_info *info)
{
    const uint64_t arrangements = arrangements_of(&stats->material);
    const uint64_t unit = material_has_pawns(&stats->material) ? 1 : LAYOUT_WEIGHT;
    for (int i = 0; i < COLOURS * COLOURS; i++) {
        const int side = i / COLOURS;
        const bool won = i % COLOURS;
        // If both sides have the same men, only positions with White to move are counted in the planes.
        const int from = info->symmetric ? WHITE : side;
        struct stats_bin(*bin)[TABLE_PLY_MAX + 1] = stats->bin[side];
        uint64_t lost = 0;
        for (int ply = 0; ply <= SOLVER_PLY_MAX && ply <= TABLE_PLY_MAX; ply++) {
            bin[outcome_at(won, ply) + 2][ply].count += sum->weight[from][won][ply] * unit / arrangements;
            lost += won || ply > PLY_LIMIT ? 0 : bin[CLTB_LOSS + 2][ply].count;
        }
        bin[CLTB_LOSS + 2][0].count += won ? 0 : info->positions[side][CLTB_LOSS + 2] - lost;
        bin[CLTB_DRAW + 2][0].count = info->positions[side][CLTB_DRAW + 2];
    }
}

static int compare_keys(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// If the longest cursed wins have 101 plies, finds the first one that is not won by a capture. *known becomes false if
// there are too many of them to know.
static int find_quiet(const struct pending *pending, const struct tally_men *men, cltb_tables *tables, int side,
                      struct tally_longest *longest, bool *known)
{
    int code = 0;
    *known &= !pending->too_many;
    if (pending->count > 0)
        qsort(pending->key, pending->count, sizeof *pending->key, compare_keys);
    for (size_t i = 0; code == 0 && *known && longest->zeroing && i < pending->count; i++) {
        struct position p;
        if (i > 0 && pending->key[i] == pending->key[i - 1])
            continue;
        code = tally_position(men, pending->key[i], side, &p)
                   ? tally_is_zeroing(tables, &p, CLTB_CURSED_WIN, &longest->zeroing)
                   : error_set(CLTB_E_CORRUPT, "the solved planes are damaged");
        if (code == 0 && !longest->zeroing)
            longest->key = pending->key[i];
    }
    return code;
}

static int add_found(struct stats *stats, struct findings *findings, const struct tally_men *men, cltb_tables *tables,
                     bool *known)
{
    const uint64_t arrangements = arrangements_of(&stats->material);
    struct tally *sum = &findings->tally;
    *known = true;
    for (int i = 0; *known && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int outcome = i % TABLE_OUTCOMES - 2;
        struct tally_longest longest = sum->longest[side][i % TABLE_OUTCOMES];
        struct stats_longest *to = &stats->longest[side][i % TABLE_OUTCOMES];
        if (outcome == CLTB_CURSED_WIN && longest.plies == CURSED_PLY && men->pawns == 0)
            TRY(find_quiet(&findings->pending[side], men, tables, side, &longest, known));
        *to = (struct stats_longest){.plies = longest.plies, .zeroing = longest.zeroing, .key = longest.key};
        stats_place(to, men, side);
    }
    for (int i = 0; i < TABLE_OUTCOMES * TABLE_OUTCOMES; i++)
        stats->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] =
            sum->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] / arrangements;
    tally_sort(sum);
    stats->zugzwang = sum->zugzwang;
    stats->zugzwang_count = sum->found;
    sum->zugzwang = NULL;
    sum->found = sum->room = 0;
    return 0;
}

int findings_stats(struct stats **result, struct findings *findings, const struct material *material,
                   cltb_tables *tables, struct thread_pool *pool)
{
    struct table *table;
    struct stats *stats;
    struct tally_men men;
    bool known = true;
    *result = NULL;
    TRY(tables_find_table(tables, material, &table));
    TRY(memory_new(&stats, 1, sizeof *stats, "statistics"));
    stats->material = *material;
    tally_men_init(&men, material);
    add_counts(stats, findings, table_info(table));
    int code = men.pawns > 0 ? 0 : count_diagonal(stats, &men, tables, pool);
    if (men.paired)
        memcpy(stats->bin[BLACK], stats->bin[WHITE], sizeof stats->bin[BLACK]);
    THEN(code, add_found(stats, findings, &men, tables, &known));
    if (code == 0 && known && !stats_fit_head(stats, table_info(table)))
        code = error_set(CLTB_E_CORRUPT, "the solved planes are damaged: statistics do not fit the table");
    if (code != 0 || !known)
        stats_free(stats);
    else
        *result = stats;
    return code;
}
