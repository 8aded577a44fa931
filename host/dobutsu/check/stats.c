// stats.c - how many codes of the dobutsu database have which value, and what kinds of codes there are
#include "dobutsu/check/stats.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdlib.h>

// What a worker has counted, and the values that it looks at.
struct tally {
    struct dobutsu_stats stats;
    uint8_t value[DOBUTSU_PART_CELLS * DOBUTSU_CELL_CODES];
};

struct counting {
    dobutsu_source *source;
    void *context;
    struct tally *tally; // [workers]
};

static void count_value(struct dobutsu_stats *stats, uint32_t code, int value)
{
    const int win = value % 2 == 0;
    stats->count[value]++;
    if (value >= DOBUTSU_DRAW || value < stats->longest[win] ||
        (value == stats->longest[win] && code > stats->longest_code[win]))
        return;
    stats->longest[win] = value;
    stats->longest_code[win] = code;
}

static void count_valid(struct dobutsu_stats *stats, uint32_t code, const struct dobutsu *p)
{
    const bool take_lion = dobutsu_can_take_lion(p);
    const bool ascend = dobutsu_can_ascend(p);
    stats->take_lion += take_lion && !ascend;
    stats->ascend += ascend && !take_lion;
    stats->take_lion_and_ascend += take_lion && ascend;
    stats->other_owners += dobutsu_canonical(code) != code;
    if (p->sente_lion == 1 || p->sente_lion == 4) {
        // The mirror image counts by its canonical code. So a code that is not canonical is counted even where the
        // board is its own mirror image.
        struct dobutsu image = *p;
        uint32_t other;
        dobutsu_mirror(&image);
        stats->mirrored += dobutsu_encode(&image, &other) && dobutsu_canonical(other) != code;
    }
    if (take_lion || ascend)
        return;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    const int count = dobutsu_moves(p, moves);
    stats->stalemates += count == 0;
    stats->most_moves = count > stats->most_moves ? count : stats->most_moves;
}

static int count_part(void *context, uint64_t item, int worker)
{
    struct counting *counting = context;
    struct tally *tally = &counting->tally[worker];
    struct dobutsu_stats *stats = &tally->stats;
    const uint32_t first = (uint32_t)item * DOBUTSU_PART_CELLS;
    const uint8_t *value = tally->value;
    TRY(counting->source(counting->context, first, DOBUTSU_PART_CELLS, tally->value));
    for (uint32_t cell = first; cell < first + DOBUTSU_PART_CELLS; cell++, value += DOBUTSU_CELL_CODES) {
        struct dobutsu p;
        dobutsu_decode(cell * DOBUTSU_CELL_CODES, &p);
        const bool overlaps = dobutsu_overlaps(&p);
        for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++) {
            const uint32_t code = cell * DOBUTSU_CELL_CODES + op;
            p.op = (uint8_t)op;
            count_value(stats, code, value[op]);
            const bool rooster = dobutsu_rooster_in_hand(&p);
            stats->overlapping += overlaps && !rooster;
            stats->rooster_in_hand += rooster && !overlaps;
            stats->overlapping_and_hand += overlaps && rooster;
            if (!overlaps && !rooster)
                count_valid(stats, code, &p);
        }
    }
    return 0;
}

int dobutsu_stats_count(struct dobutsu_stats *stats, dobutsu_source *source, void *context, struct thread_pool *pool)
{
    const size_t workers = (size_t)threads_count(pool);
    struct counting counting = {.source = source, .context = context};
    *stats = (struct dobutsu_stats){.longest = {-1, -1}};
    TRY(memory_new(&counting.tally, workers, sizeof *counting.tally, "statistics"));
    for (size_t i = 0; i < workers; i++)
        counting.tally[i].stats = (struct dobutsu_stats){.longest = {-1, -1}};
    const int code = threads_each(pool, DOBUTSU_PARTS, count_part, &counting);
    for (size_t i = 0; i < workers; i++) {
        const struct dobutsu_stats *from = &counting.tally[i].stats;
        for (int value = 0; value < DOBUTSU_VALUES; value++)
            stats->count[value] += from->count[value];
        for (int kind = 0; kind < DOBUTSU_STATS_KINDS; kind++)
            stats->kind[kind] += from->kind[kind];
        stats->most_moves = from->most_moves > stats->most_moves ? from->most_moves : stats->most_moves;
        for (int win = 0; win < 2; win++) {
            if (from->longest[win] < stats->longest[win] ||
                (from->longest[win] == stats->longest[win] && from->longest_code[win] >= stats->longest_code[win]))
                continue;
            stats->longest[win] = from->longest[win];
            stats->longest_code[win] = from->longest_code[win];
        }
    }
    free(counting.tally);
    return code;
}

// ---- output ----

uint64_t dobutsu_stats_sum(const struct dobutsu_stats *stats, int first)
{
    uint64_t sum = 0;
    for (int value = first; value < DOBUTSU_DRAW; value += 2)
        sum += stats->count[value];
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
    const uint64_t won = dobutsu_stats_sum(stats, 0);
    const uint64_t lost = dobutsu_stats_sum(stats, 1);
    const uint64_t drawn = stats->count[DOBUTSU_DRAW];
    char won_name[64];
    char lost_name[64];
    snprintf(won_name, sizeof won_name, "won (all even bytes 0..%d)", stats->longest[1]);
    snprintf(lost_name, sizeof lost_name, "lost (all odd bytes 1..%d)", stats->longest[0]);
    const struct {
        const char *name;
        uint64_t number;
    } sums[] = {{won_name, won},
                {lost_name, lost},
                {"drawn", drawn},
                {"valid = won + lost + drawn", won + lost + drawn},
                {"neither invalid nor byte 0", won + lost + drawn - stats->count[0]},
                {"invalid: only pieces overlapping", stats->overlapping},
                {"invalid: only a rooster in hand", stats->rooster_in_hand},
                {"invalid: both reasons", stats->overlapping_and_hand},
                {"byte 0: only lion capture possible", stats->take_lion},
                {"byte 0: only ascension possible", stats->ascend},
                {"byte 0: both possible", stats->take_lion_and_ascend},
                {"valid codes that are not canonical (hand/hand owner order)", stats->other_owners},
                {"valid codes with L on 1 or 4 whose mirror image has another code", stats->mirrored},
                {"stalemates (no move at all; byte 1)", stats->stalemates},
                {"most moves in a position that is neither invalid nor byte 0", (uint64_t)stats->most_moves}};
    fprintf(file, "byte\tmeaning\tcount\n");
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        char meaning[DOBUTSU_MEANING_MAX];
        dobutsu_meaning(value, meaning);
        if (stats->count[value] > 0)
            fprintf(file, "%d\t%s\t%" PRIu64 "\n", value, meaning, stats->count[value]);
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        fprintf(file, "# sum\t%s\t%" PRIu64 "\n", sums[i].name, sums[i].number);
}
