// stats.c - how many codes of the dobutsu database have which value, and what kinds of codes there are
#include "dobutsu/check/stats.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PART_CELLS = DOBUTSU_CELLS / 224 }; // of parts of equal size

const struct dobutsu_kind_names dobutsu_kind_names[DOBUTSU_CODE_KINDS] = {
    {"invalid codes", "invalid", "men share a square", "overlapping", "invalid: only pieces overlapping"},
    {NULL, NULL, "a rooster in hand", "rooster_in_hand", "invalid: only a rooster in hand"},
    {NULL, NULL, "both", "both", "invalid: both reasons"},
    {"won at once", "won_at_once", "by taking the lion", "take_lion", "byte 0: only lion capture possible"},
    {NULL, NULL, "by ascending", "ascend", "byte 0: only ascension possible"},
    {NULL, NULL, "either way", "both", "byte 0: both possible"},
    {"of the same position as another code", "duplicates", "men in hand in the other order of owners", "other_owners",
     "valid codes that are not canonical (hand/hand owner order)"},
    {NULL, NULL, "mirror images, Sente's lion on file b", "mirrored",
     "valid codes with L on 1 or 4 whose mirror image has another code"},
    {"positions to be searched", "", "without any move", "stalemates", "stalemates (no move at all; byte 1)"},
    {NULL, NULL, "most moves in one", "most_moves", "most moves in a position that is neither invalid nor byte 0"}};

struct counting {
    const uint8_t *values;
    struct dobutsu_stats *stats; // [workers]
};

static void note_longest(struct dobutsu_stats *stats, int win, int value, uint32_t code)
{
    if (value < stats->longest[win] || (value == stats->longest[win] && code > stats->longest_code[win]))
        return;
    stats->longest[win] = value;
    stats->longest_code[win] = code;
}

static void count_valid(struct dobutsu_stats *stats, uint32_t code, const struct dobutsu *p)
{
    const bool take_lion = dobutsu_can_take_lion(p);
    const bool ascend = dobutsu_can_ascend(p);
    stats->kind[DOBUTSU_TAKES_LION] += take_lion && !ascend;
    stats->kind[DOBUTSU_ASCENDS] += ascend && !take_lion;
    stats->kind[DOBUTSU_BOTH_WIN] += take_lion && ascend;
    stats->kind[DOBUTSU_OTHER_OWNERS] += dobutsu_canonical(code) != code;
    if (p->sente_lion == 1 || p->sente_lion == 4) {
        // The mirror image counts by its canonical code. So a code that is not canonical is counted even where the
        // board is its own mirror image.
        struct dobutsu image = *p;
        uint32_t other;
        dobutsu_mirror(&image);
        stats->kind[DOBUTSU_MIRRORED] += dobutsu_encode(&image, &other) && dobutsu_canonical(other) != code;
    }
    if (take_lion || ascend)
        return;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    const uint64_t count = (uint64_t)dobutsu_moves(p, moves);
    stats->kind[DOBUTSU_STALEMATE] += count == 0;
    stats->kind[DOBUTSU_MOST_MOVES] = u64_larger(count, stats->kind[DOBUTSU_MOST_MOVES]);
}

static int count_part(void *context, uint64_t item, int worker)
{
    const struct counting *counting = context;
    struct dobutsu_stats *stats = &counting->stats[worker];
    const uint32_t first = (uint32_t)item * PART_CELLS;
    for (uint32_t cell = first; cell < first + PART_CELLS; cell++) {
        struct dobutsu p;
        dobutsu_decode(cell * DOBUTSU_CELL_CODES, &p);
        const bool overlaps = dobutsu_overlaps(&p);
        for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++) {
            const uint32_t code = cell * DOBUTSU_CELL_CODES + op;
            p.op = (uint8_t)op;
            const int value = counting->values[code];
            stats->count[value]++;
            if (value < DOBUTSU_DRAW)
                note_longest(stats, value % 2 == 0, value, code);
            const bool rooster = dobutsu_rooster_in_hand(&p);
            if (overlaps || rooster)
                stats->kind[!rooster ? DOBUTSU_OVERLAPPING : overlaps ? DOBUTSU_BOTH_WRONG : DOBUTSU_ROOSTER_HELD]++;
            else
                count_valid(stats, code, &p);
        }
    }
    return 0;
}

static void stats_add(struct dobutsu_stats *to, const struct dobutsu_stats *from)
{
    const uint64_t most_moves = u64_larger(to->kind[DOBUTSU_MOST_MOVES], from->kind[DOBUTSU_MOST_MOVES]);
    for (int value = 0; value < DOBUTSU_VALUES; value++)
        to->count[value] += from->count[value];
    for (int kind = 0; kind < DOBUTSU_CODE_KINDS; kind++)
        to->kind[kind] += from->kind[kind];
    to->kind[DOBUTSU_MOST_MOVES] = most_moves;
    for (int win = 0; win < 2; win++)
        note_longest(to, win, from->longest[win], from->longest_code[win]);
}

int dobutsu_stats_count(struct dobutsu_stats *stats, const uint8_t *values, struct thread_pool *pool)
{
    const size_t workers = (size_t)threads_count(pool);
    struct counting counting = {.values = values};
    *stats = (struct dobutsu_stats){.longest = {-1, -1}};
    TRY(memory_new(&counting.stats, workers, sizeof *counting.stats, "statistics"));
    for (size_t i = 0; i < workers; i++)
        counting.stats[i] = *stats;
    const int code = threads_each(pool, DOBUTSU_CELLS / PART_CELLS, count_part, &counting);
    for (size_t i = 0; i < workers; i++)
        stats_add(stats, &counting.stats[i]);
    free(counting.stats);
    return code;
}

// ---- output ----

uint64_t dobutsu_count_sum(const uint64_t count[DOBUTSU_VALUES], int first)
{
    uint64_t sum = 0;
    for (int value = first; value < DOBUTSU_DRAW; value += 2)
        sum += count[value];
    return sum;
}

void dobutsu_meaning(int value, char text[DOBUTSU_MEANING_MAX])
{
    if (value >= DOBUTSU_DRAW)
        snprintf(text, DOBUTSU_MEANING_MAX, "%s", value == DOBUTSU_DRAW ? "draw" : "invalid");
    else
        snprintf(text, DOBUTSU_MEANING_MAX, "%s in %d", value % 2 == 0 ? "win" : "loss", value);
}

void dobutsu_stats_write_tsv(const struct dobutsu_stats *stats, FILE *file)
{
    const uint64_t won = dobutsu_count_sum(stats->count, 0);
    const uint64_t lost = dobutsu_count_sum(stats->count, 1);
    const uint64_t valid = won + lost + stats->count[DOBUTSU_DRAW];
    fprintf(file, "byte\tmeaning\tcount\n");
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        char meaning[DOBUTSU_MEANING_MAX];
        dobutsu_meaning(value, meaning);
        if (stats->count[value] > 0)
            fprintf(file, "%d\t%s\t%" PRIu64 "\n", value, meaning, stats->count[value]);
    }
    fprintf(file, "# sum\twon (all even bytes 0..%d)\t%" PRIu64 "\n", stats->longest[1], won);
    fprintf(file, "# sum\tlost (all odd bytes 1..%d)\t%" PRIu64 "\n", stats->longest[0], lost);
    fprintf(file, "# sum\tdrawn\t%" PRIu64 "\n", stats->count[DOBUTSU_DRAW]);
    fprintf(file, "# sum\tvalid = won + lost + drawn\t%" PRIu64 "\n", valid);
    fprintf(file, "# sum\tneither invalid nor byte 0\t%" PRIu64 "\n", valid - stats->count[0]);
    for (int kind = 0; kind < DOBUTSU_CODE_KINDS; kind++)
        fprintf(file, "# sum\t%s\t%" PRIu64 "\n", dobutsu_kind_names[kind].tsv, stats->kind[kind]);
}
