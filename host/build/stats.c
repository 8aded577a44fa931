// stats.c - how many positions of a material have which outcome and distance, found by probing every one
#include "build/stats.h"

#include "build/placements.h"
#include "index/square.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "rules/attacks.h"
#include "rules/fen.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_DRAW = CLTB_DRAW + 2, CURSED_PLY = 101 };

// The longest win found so far, and the squares of its men: of all such positions the one that comes first in the order
// of smallest_key(), whichever thread finds it.
struct longest {
    int plies;
    int side;
    uint64_t key; // 6 bits a man
    struct man man[MATERIAL_MEN_MAX];
};

struct tally {
    struct stats_bin bin[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1];
    struct longest longest[COLOURS][2];
};

struct count {
    cltb_tables *tables;
    struct material material;
    int sides; // 1: the same men on both sides, White's figures are Black's
    int men;
    struct man man[MATERIAL_MEN_MAX]; // in the order of smallest_key()
    struct tally *tally;              // [workers]
};

// ---- the longest win ----

// The Syzygy generator's order of positions, so that the same one is shown: white king (in the triangle, squares on the
// diagonal last), black king, then knights, bishops, rooks and queens, White's before Black's.
static int key_men(const struct material *material, struct man men[MATERIAL_MEN_MAX])
{
    int count = 0;
    men[count++] = (struct man){.type = KING, .colour = WHITE};
    men[count++] = (struct man){.type = KING, .colour = BLACK};
    for (int type = KNIGHT; type >= QUEEN; type--)
        for (int colour = WHITE; colour <= BLACK; colour++)
            for (int i = 0; i < material->count[colour][type]; i++)
                men[count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
    return count;
}

// 0..9 for a square of the triangle in that order, or -1.
static int key_triangle(int square)
{
    static const int8_t rank[TRIANGLE_SQUARES] = {6, 0, 1, 2, 7, 3, 4, 8, 5, 9};
    return square_triangle[square] < 0 ? -1 : rank[square_triangle[square]];
}

// The squares of one image of the placement, like men in rising order; its key.
static uint64_t image_key(const struct count *count, const struct position *p, int g,
                          struct man image[MATERIAL_MEN_MAX])
{
    uint64_t key = 0;
    for (int i = 0; i < count->men;) {
        const struct man *man = &count->man[i];
        uint64_t set = 0;
        for (int k = 0; k < p->count[man->colour][man->type]; k++)
            set |= square_bit(square_apply(g, p->list[man->colour][man->type][k]));
        for (; set != 0; i++) {
            int square = set_pop(&set);
            image[i] = *man;
            image[i].square = (uint8_t)square;
            key = key << 6 | (uint64_t)(i == 0 ? key_triangle(square) : square);
        }
    }
    return key;
}

// Of all images under the symmetries that bring the white king into the triangle.
static uint64_t smallest_key(const struct count *count, const struct position *p, struct man men[MATERIAL_MEN_MAX])
{
    uint64_t best = UINT64_MAX;
    for (int g = 0; g < SYMMETRIES; g++) {
        struct man image[MATERIAL_MEN_MAX];
        if (key_triangle(square_apply(g, position_king(p, WHITE))) < 0)
            continue;
        uint64_t key = image_key(count, p, g, image);
        if (key < best) {
            best = key;
            memcpy(men, image, (size_t)count->men * sizeof image[0]);
        }
    }
    return best;
}

static void note_longest(const struct count *count, struct tally *tally, const struct position *p,
                         struct cltb_value value)
{
    int winner = value.outcome > CLTB_DRAW ? p->side : p->side ^ 1;
    bool cursed = value.outcome == CLTB_CURSED_WIN || value.outcome == CLTB_BLESSED_LOSS;
    struct longest *longest = &tally->longest[winner][cursed];
    if (value.dtz < longest->plies)
        return;
    struct longest here = {.plies = value.dtz, .side = p->side};
    here.key = smallest_key(count, p, here.man);
    if (here.plies > longest->plies || here.key < longest->key)
        *longest = here;
}

static void write_longest(const struct count *count, const struct longest *longest, bool turned,
                          struct stats_longest *out)
{
    *out = (struct stats_longest){.plies = longest->plies};
    if (longest->plies < 0)
        return;
    struct position p;
    struct man men[MATERIAL_MEN_MAX];
    memcpy(men, longest->man, sizeof men);
    for (int i = 0; i < count->men; i++)
        men[i].colour ^= turned ? 1 : 0;
    if (position_set(&p, men, count->men, longest->side ^ (turned ? 1 : 0)) != 0)
        return;
    char fen[FEN_MAX];
    fen_write(&p, fen);
    char *counters = strstr(fen, " - - ");
    if (counters != NULL)
        counters[4] = '\0';
    snprintf(out->fen, sizeof out->fen, "%s", fen);
}

// ---- counting ----

static int count_side(const struct count *count, const struct placement *placement, struct tally *tally)
{
    struct position *p = placement->position;
    struct cltb_value value;
    if (!position_legal(p))
        return 0;
    int code = probe_value(count->tables, p, &value);
    if (code != 0)
        return code;
    if (value.dtz < 0 || value.dtz > TABLE_PLY_MAX)
        return error_set(CLTB_E_CORRUPT, "a distance of %d plies", value.dtz);
    struct stats_bin *bin = &tally->bin[p->side][value.outcome + 2][value.dtz];
    bin->count += placement->weight;
    bin->diagonal += placement->on_diagonal;
    if (value.outcome != CLTB_DRAW)
        note_longest(count, tally, p, value);
    return 0;
}

static int visit(void *context, const struct placement *placement, int worker)
{
    struct count *count = context;
    struct tally *tally = &count->tally[worker];
    int code = count_side(count, placement, tally);
    if (code != 0 || count->sides == 1)
        return code;
    placement_turn(placement->position);
    code = count_side(count, placement, tally);
    placement_turn(placement->position);
    return code;
}

static void add_bins(struct stats *stats, const struct tally *tally)
{
    struct stats_bin *to = &stats->bin[0][0][0];
    const struct stats_bin *from = &tally->bin[0][0][0];
    for (size_t i = 0; i < sizeof tally->bin / sizeof *from; i++) {
        to[i].count += from[i].count;
        to[i].diagonal += from[i].diagonal;
    }
}

static void add_longest(struct longest best[COLOURS][2], const struct tally *tally)
{
    for (int winner = WHITE; winner <= BLACK; winner++) {
        for (int cursed = 0; cursed < 2; cursed++) {
            const struct longest *one = &tally->longest[winner][cursed];
            struct longest *to = &best[winner][cursed];
            if (one->plies > to->plies || (one->plies == to->plies && one->key < to->key))
                *to = *one;
        }
    }
}

// With the same men on both sides Black to move is White to move with the colours exchanged.
static void mirror(struct count *count, struct stats *stats, struct longest best[COLOURS][2])
{
    memcpy(stats->bin[BLACK], stats->bin[WHITE], sizeof stats->bin[BLACK]);
    for (int winner = WHITE; winner <= BLACK; winner++) {
        for (int cursed = 0; cursed < 2; cursed++) {
            // White wins with White to move, or with Black to move where the mirror image is a win of Black with White
            // to move.
            const struct longest *own = &best[winner][cursed];
            const struct longest *other = &best[winner ^ 1][cursed];
            bool turned = other->plies > own->plies;
            write_longest(count, turned ? other : own, turned, &stats->longest[winner][cursed]);
        }
    }
}

static void finish(struct count *count, int workers, struct stats *stats)
{
    struct longest best[COLOURS][2] = {{{.plies = -1}, {.plies = -1}}, {{.plies = -1}, {.plies = -1}}};
    stats->material = count->material;
    for (int i = 0; i < workers; i++) {
        add_bins(stats, &count->tally[i]);
        add_longest(best, &count->tally[i]);
    }
    if (count->sides == 1) {
        mirror(count, stats, best);
        return;
    }
    for (int i = 0; i < 4; i++)
        write_longest(count, &best[i / 2][i % 2], false, &stats->longest[i / 2][i % 2]);
}

// Both, or neither.
static bool allocate(struct count *count, int workers, struct stats **stats)
{
    count->tally = calloc((size_t)workers, sizeof *count->tally);
    *stats = calloc(1, sizeof **stats);
    if (count->tally == NULL || *stats == NULL) {
        free(count->tally);
        free(*stats);
        return false;
    }
    for (int i = 0; i < 4 * workers; i++)
        count->tally[i / 4].longest[i / 2 % 2][i % 2].plies = -1;
    return true;
}

int stats_count(struct stats **result, cltb_tables *tables, const struct material *material, struct thread_pool *pool)
{
    *result = NULL;
    struct count count = {.tables = tables, .material = *material, .sides = material_symmetric(material) ? 1 : COLOURS};
    struct stats *stats;
    struct table *table;
    int workers = threads_count(pool);
    int code = tables_find_material(tables, material, &table); // before work is begun
    if (code != 0)
        return code;
    if (!allocate(&count, workers, &stats))
        return error_memory((size_t)workers * sizeof *count.tally, "statistics");
    count.men = key_men(material, count.man);
    code = placements_each(material, pool, visit, &count);
    if (code == 0)
        finish(&count, workers, stats);
    free(count.tally);
    if (code != 0)
        stats_free(stats);
    else
        *result = stats;
    return code;
}

void stats_free(struct stats *stats)
{
    free(stats);
}

uint64_t stats_classes(const struct stats *stats, const struct stats_bin *bin)
{
    // count = (8 G - 4 D) / P, D with like men told apart, too (golden/README.md of the reference data)
    uint64_t p = material_arrangements(&stats->material);
    return p * (bin->count + 4 * bin->diagonal) / 8;
}

// ---- output ----

static void write_tsv_bins(const struct stats *stats, FILE *file, const char *name, int side, int slot)
{
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        uint64_t count = stats->bin[side][slot][ply].count;
        if (count == 0)
            continue;
        fprintf(file, "%s\t%c\t%s\t", name, side == WHITE ? 'w' : 'b', cltb_outcome_name(slot - 2));
        if (slot != SLOT_DRAW)
            fprintf(file, "%d", ply);
        fprintf(file, "\t%" PRIu64 "\n", count);
    }
}

void stats_write_tsv(const struct stats *stats, FILE *file, bool header)
{
    char name[MATERIAL_NAME_MAX];
    material_name(&stats->material, name);
    if (header)
        fprintf(file, "material\tstm\toutcome\tdtz\tcount\n");
    for (int side = WHITE; side <= BLACK; side++)
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--)
            write_tsv_bins(stats, file, name, side, slot);
}

// Wins (or losses) of every distance, cursed ones included. Returns nothing: an empty list prints nothing.
static void write_plies(const struct stats *stats, FILE *file, int side, bool won)
{
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        bool cursed = ply >= CURSED_PLY;
        int slot = (won ? (cursed ? CLTB_CURSED_WIN : CLTB_WIN) : (cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS)) + 2;
        uint64_t classes = stats_classes(stats, &stats->bin[side][slot][ply]);
        if (classes > 0)
            fprintf(file, "%" PRIu64 " positions %s in %d ply.\n", classes, won ? "win" : "lose", ply);
    }
}

static void write_totals(const struct stats *stats, FILE *file, int side)
{
    static const char *const names[TABLE_OUTCOMES] = {"losses", "cursed losses", "draws", "cursed wins", "wins"};
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        uint64_t total = 0;
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            total += stats_classes(stats, &stats->bin[side][slot][ply]);
        if (total > 0 || slot % 2 == 0)
            fprintf(file, "%" PRIu64 " positions are %s.\n", total, names[slot]);
    }
}

static void write_longest_line(const struct stats *stats, FILE *file, int winner, int cursed)
{
    const struct stats_longest *longest = &stats->longest[winner][cursed];
    if (longest->plies >= 0)
        fprintf(file, "Longest %swin for %s: %d ply; %s\n", cursed ? "cursed " : "",
                winner == WHITE ? "white" : "black", longest->plies, longest->fen);
}

void stats_write_syzygy(const struct stats *stats, FILE *file)
{
    char name[MATERIAL_NAME_MAX];
    fprintf(file, "########## %s ##########\n\n", material_name(&stats->material, name));
    for (int side = WHITE; side <= BLACK; side++) {
        fprintf(file, "%s to move:\n\n", side == WHITE ? "White" : "Black");
        write_plies(stats, file, side, true);
        fprintf(file, "\n");
        write_totals(stats, file, side);
        fprintf(file, "\n");
        write_plies(stats, file, side, false);
        fprintf(file, "\n");
    }
    write_longest_line(stats, file, WHITE, 0);
    write_longest_line(stats, file, WHITE, 1);
    write_longest_line(stats, file, BLACK, 1);
    write_longest_line(stats, file, BLACK, 0);
    fprintf(file, "\n");
}
