// set.c - every position of a set of placements, or some of them: compared with what the legal moves say, or counted
#include "placed/check/set.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- positions ----

enum {
    RUN = 4096,       // entries that a thread takes at a time,
    SAMPLE_RUN = 256, // or so many positions drawn at random;
    TRIES = 100000    // for each so many entries are tried
};

struct walk {
    const struct placed_set *set;
    uint64_t *run;             // [sections + 1] the first run of each
    struct position *position; // [workers]
    placed_visit *visit;
    void *context;
    uint64_t sample;
    uint64_t seed;
};

static int visit_run(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct placed_set *set = walk->set;
    uint64_t low = 0;
    for (uint64_t high = set->sections; high - low > 1;) { // run[low] <= item < run[high]
        const uint64_t middle = low + (high - low) / 2;
        if (walk->run[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    const uint64_t first = (item - walk->run[low]) * RUN;
    const uint64_t left = set->entries(set->context, low) - first;
    for (uint64_t entry = first; entry < first + (left < RUN ? left : RUN); entry++) {
        for (int side = WHITE; side <= BLACK; side++) {
            const struct placed_entry at = {low, entry, &walk->position[worker], worker};
            if (set->place(set->context, low, entry, side, at.position))
                TRY(walk->visit(walk->context, &at));
        }
    }
    return 0;
}

static int sample_run(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct placed_set *set = walk->set;
    uint64_t state = walk->seed ^ (item + 1) * UINT64_C(0xd1342543de82ef95);
    for (uint64_t i = item * SAMPLE_RUN; i < (item + 1) * SAMPLE_RUN && i < walk->sample; i++) {
        struct placed_entry at = {0, 0, &walk->position[worker], worker};
        bool legal = false;
        for (int tries = 0; !legal && tries < TRIES; tries++) {
            at.section = random_next(&state) % set->sections;
            at.entry = random_next(&state) % set->entries(set->context, at.section);
            legal = set->place(set->context, at.section, at.entry, (int)(random_next(&state) & 1), at.position);
        }
        if (legal)
            TRY(walk->visit(walk->context, &at));
    }
    return 0;
}

int placed_each(const struct placed_set *set, struct thread_pool *pool, placed_visit *visit, void *context)
{
    struct walk walk = {.set = set, .visit = visit, .context = context};
    int code = memory_new(&walk.run, set->sections + 1, sizeof *walk.run, "sections");
    THEN(code, memory_new(&walk.position, (size_t)threads_count(pool), sizeof *walk.position, "positions"));
    for (uint64_t i = 0; code == 0 && i < set->sections; i++)
        walk.run[i + 1] = walk.run[i] + (set->entries(set->context, i) + RUN - 1) / RUN;
    THEN(code, threads_each(pool, walk.run[set->sections], visit_run, &walk));
    free(walk.run);
    free(walk.position);
    return code;
}

// The same for so many positions drawn at random.
static int each_of_sample(const struct placed_set *set, uint64_t sample, uint64_t seed, struct thread_pool *pool,
                          placed_visit *visit, void *context)
{
    struct walk walk = {.set = set, .visit = visit, .context = context, .sample = sample, .seed = seed};
    TRY(memory_new(&walk.position, (size_t)threads_count(pool), sizeof *walk.position, "positions"));
    const int code = threads_each(pool, (sample + SAMPLE_RUN - 1) / SAMPLE_RUN, sample_run, &walk);
    free(walk.position);
    return code;
}

// ---- verifying ----

struct verify {
    const struct placed_set *set;
    uint64_t *checked; // [workers]
};

int placed_contradiction(const struct position *position, struct cltb_value value, struct cltb_value other,
                         const char *says)
{
    const struct cltb_value values[2] = {value, other};
    char fen[FEN_MAX];
    char text[2][32] = {"draw", "draw"};
    fen_write(position, fen);
    for (int i = 0; i < 2; i++) {
        if (values[i].outcome != CLTB_DRAW)
            snprintf(text[i], sizeof text[i], "%s %d", cltb_outcome_name(values[i].outcome), values[i].dtz);
    }
    return error_set(CLTB_E_MISMATCH, "%s: the table says %s, %s %s", fen, text[0], says, text[1]);
}

static int check_one(void *context, const struct placed_entry *at)
{
    const struct verify *verify = context;
    const struct placed_set *set = verify->set;
    struct cltb_value value = {.outcome = CLTB_DRAW};
    for (int run = 0; run < set->runs; run++) {
        struct cltb_value right = {.outcome = CLTB_DRAW};
        TRY(set->value(set->context, at, run, &value));
        TRY(set->derive(set->context, at->position, run, &right));
        if (value.outcome != right.outcome || value.dtz != right.dtz)
            return placed_contradiction(at->position, value, right,
                                        set->runs == 1 ? "the legal moves say"
                                        : run == WHITE ? "the legal moves, where White wins what is bounded, say"
                                                       : "the legal moves, where Black wins what is bounded, say");
    }
    verify->checked[at->worker]++;
    return set->also != NULL ? set->also(set->context, at, value) : 0;
}

int placed_verify(const struct placed_set *set, const struct placed_verify_options *options, uint64_t *positions)
{
    const size_t workers = (size_t)threads_count(options->pool);
    struct verify verify = {.set = set};
    *positions = 0;
    TRY(memory_new(&verify.checked, workers, sizeof *verify.checked, "verifying"));
    const int code = options->sample > 0
                         ? each_of_sample(set, options->sample, options->seed, options->pool, check_one, &verify)
                         : placed_each(set, options->pool, check_one, &verify);
    for (size_t i = 0; code == 0 && i < workers; i++)
        *positions += verify.checked[i];
    free(verify.checked);
    return code;
}

// ---- counting ----

struct counting {
    const struct placed_set *set;
    struct outcome_counts *of; // [workers]
};

static void clear(struct outcome_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        counts->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES].plies = -1;
}

static void note_longest(struct longest_count *longest, int plies, const char *fen)
{
    if (plies < longest->plies || (plies == longest->plies && strcmp(fen, longest->fen) >= 0))
        return;
    longest->plies = plies;
    snprintf(longest->fen, sizeof longest->fen, "%s", fen);
}

static int count_one(void *context, const struct placed_entry *at)
{
    const struct counting *counting = context;
    const struct placed_set *set = counting->set;
    struct outcome_counts *counts = &counting->of[at->worker];
    const int side = at->position->side;
    const unsigned weight = set->weight(set->context, at);
    struct cltb_value value[2];
    char fen[FEN_MAX];
    if (weight == 0)
        return 0;
    TRY(set->value(set->context, at, 0, &value[0]));
    value[1] = value[0];
    if (set->runs > 1)
        TRY(set->value(set->context, at, 1, &value[1]));
    if (value[0].outcome != value[1].outcome) {
        counts->undecided[side] += weight;
        return 0;
    }
    const int dtz = value[0].dtz < value[1].dtz ? value[0].dtz : value[1].dtz;
    struct longest_count *longest = &counts->longest[side][value[0].outcome + 2];
    counts->bounds[side] += value[0].dtz != value[1].dtz ? weight : 0;
    counts->count[side][value[0].outcome + 2][dtz] += weight;
    if (value[0].outcome == CLTB_DRAW || dtz < longest->plies)
        return 0;
    fen_write(at->position, fen);
    note_longest(longest, dtz, fen);
    return 0;
}

// The sum does not depend on the order.
static void join(struct outcome_counts *to, const struct outcome_counts *from)
{
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        const struct longest_count *longest = &from->longest[side][slot];
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            to->count[side][slot][ply] += from->count[side][slot][ply];
        if (longest->plies >= 0)
            note_longest(&to->longest[side][slot], longest->plies, longest->fen);
    }
    for (int side = WHITE; side <= BLACK; side++) {
        to->undecided[side] += from->undecided[side];
        to->bounds[side] += from->bounds[side];
    }
}

int placed_count(struct outcome_counts *counts, const struct placed_set *set, struct thread_pool *pool)
{
    const int workers = threads_count(pool);
    struct counting counting = {.set = set};
    TRY(memory_new(&counting.of, (size_t)workers, sizeof *counting.of, "counting"));
    clear(counts);
    for (int i = 0; i < workers; i++)
        clear(&counting.of[i]);
    const int code = placed_each(set, pool, count_one, &counting);
    for (int i = 0; i < workers; i++)
        join(counts, &counting.of[i]);
    free(counting.of);
    return code;
}
