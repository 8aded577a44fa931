// reachable.c - the positions that can be reached from the initial position of dobutsu shogi (see reachable.h)
//
// 1. A ply's open positions are a set of codes. A worker takes a part of it and makes all moves.
// 2. It gathers the positions after them until there are enough to look them up at once, with the words of the set
//    prefetched.
// 3. A position whose bit is still clear is new. Its bit is set, it is classified once, and if it is open it goes to
//    the set of the next ply.
// 4. The search ends when there is no new position.
#include "dobutsu/check/reachable.h"

#include "dobutsu/check/stats.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 256,                     // positions looked up together
    PART = 4096,                     // words of a set that a worker takes at once
    SET_WORDS = DOBUTSU_PLACES / 64, // of all positions
    OPEN_WORDS = DOBUTSU_CODES / 64, // of open ones: all have codes
    PARTS = OPEN_WORDS / PART
};

_Static_assert(PARTS *PART == OPEN_WORDS, "parts of equal size");

struct worker {
    uint64_t found[DOBUTSU_REACHED];
    uint64_t moves;
    uint64_t value[DOBUTSU_VALUES];
    int waiting; // positions not yet looked up:
    uint32_t place[BATCH];
    struct dobutsu position[BATCH];
};

struct search {
    bool stop;
    _Atomic uint64_t *seen; // [SET_WORDS]
    _Atomic uint64_t *open; // [OPEN_WORDS] the open positions of this ply
    _Atomic uint64_t *next; // of the next one
    struct worker *worker;  // [workers]
    int workers;
    const uint8_t *values;
};

static uint32_t place_of(const struct dobutsu *p)
{
    struct dobutsu sorted = *p;
    dobutsu_sort(&sorted);
    const uint32_t place = dobutsu_place(&sorted);
    if (p->sente_lion % 3 != 1)
        return place;
    dobutsu_mirror(&sorted);
    const uint32_t image = dobutsu_place(&sorted);
    return image < place ? image : place;
}

// Sets a position's bit; false if it was set before.
static bool set_bit(_Atomic uint64_t *set, uint32_t place)
{
    const uint64_t bit = UINT64_C(1) << place % 64;
    return (atomic_load_explicit(&set[place / 64], memory_order_relaxed) & bit) == 0 &&
           (atomic_fetch_or_explicit(&set[place / 64], bit, memory_order_relaxed) & bit) == 0;
}

// ---- new positions ----

static enum dobutsu_reached classify(const struct search *s, const struct dobutsu *p)
{
    if (dobutsu_can_take_lion(p))
        return DOBUTSU_CATCH;
    if (p->gote_lion < 3)
        return DOBUTSU_TRY;
    return s->stop && dobutsu_can_ascend(p) ? DOBUTSU_CAN_ASCEND : DOBUTSU_OPEN;
}

// Sets the bits of the waiting positions and classifies those whose bits were clear.
static void settle(const struct search *s, struct worker *w)
{
    for (int i = 0; i < w->waiting; i++) {
        if (!set_bit(s->seen, w->place[i]))
            continue;
        const enum dobutsu_reached class = classify(s, &w->position[i]);
        w->found[class]++;
        if (class == DOBUTSU_OPEN)
            set_bit(s->next, w->place[i]);
    }
    w->waiting = 0;
}

static void add(const struct search *s, struct worker *w, const struct dobutsu *p)
{
    const uint32_t place = place_of(p);
    __builtin_prefetch((const void *)&s->seen[place / 64], 1);
    w->place[w->waiting] = place;
    w->position[w->waiting++] = *p;
    if (w->waiting == BATCH)
        settle(s, w);
}

// ---- a ply ----

static int expand_part(void *context, uint64_t item, int worker)
{
    const struct search *s = context;
    struct worker *w = &s->worker[worker];
    for (uint32_t i = (uint32_t)item * PART; i < (item + 1) * PART; i++) {
        uint64_t set = atomic_load_explicit(&s->open[i], memory_order_relaxed);
        if (set != 0)
            atomic_store_explicit(&s->open[i], 0, memory_order_relaxed); // the array is that of the ply after the next
        for (; set != 0; set &= set - 1) {
            struct dobutsu p;
            struct dobutsu after;
            struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
            dobutsu_decode(i * 64 + (uint32_t)__builtin_ctzll(set), &p);
            const int count = dobutsu_moves(&p, moves);
            for (int m = 0; m < count; m++) {
                dobutsu_make(&p, &moves[m], &after);
                add(s, w, &after);
            }
            w->moves += (uint64_t)count;
        }
    }
    settle(s, w);
    return 0;
}

static int search_plies(struct search *s, struct dobutsu_reachable *result, int last, struct thread_pool *pool)
{
    struct dobutsu p;
    TRY(dobutsu_read(&p, DOBUTSU_START));
    add(s, &s->worker[0], &p);
    settle(s, &s->worker[0]);
    for (;;) {
        // What the workers have found is the next ply.
        uint64_t *found = result->ply[result->plies];
        _Atomic uint64_t *empty = s->open;
        s->open = s->next;
        s->next = empty;
        for (int i = 0; i < s->workers; i++) {
            for (int class = 0; class < DOBUTSU_REACHED; class ++)
                found[class] += s->worker[i].found[class];
            memset(s->worker[i].found, 0, sizeof s->worker[i].found);
        }
        if (dobutsu_reached_sum(found) == 0)
            return 0;
        for (int class = 0; class < DOBUTSU_REACHED; class ++)
            result->all[class] += found[class];
        if (result->plies++ == last)
            return 0;
        TRY(threads_each(pool, PARTS, expand_part, s));
    }
}

// ---- values ----

// Counts the positions of a part that are in the set. Of those with the value 0, only the ones that can ascend are
// open, and only under the first rule.
static int count_part(void *context, uint64_t item, int worker)
{
    const struct search *s = context;
    for (uint32_t i = (uint32_t)item * PART; i < (item + 1) * PART; i++) {
        uint64_t set = atomic_load_explicit(&s->seen[i], memory_order_relaxed);
        for (; set != 0; set &= set - 1) {
            const uint32_t code = i * 64 + (uint32_t)__builtin_ctzll(set);
            bool open = true;
            if (s->values[code] == 0) {
                struct dobutsu p;
                dobutsu_decode(code, &p);
                open = !dobutsu_can_take_lion(&p) && !s->stop;
                if (!dobutsu_can_take_lion(&p) && !dobutsu_can_ascend(&p))
                    return error_set(CLTB_E_MISMATCH, "a position has the value 0, but nothing wins at once");
            }
            s->worker[worker].value[s->values[code]] += open;
        }
    }
    return 0;
}

static int count_values(struct search *s, struct dobutsu_reachable *result, struct thread_pool *pool)
{
    const uint64_t open = result->all[DOBUTSU_OPEN];
    uint64_t sum = 0;
    TRY(threads_each(pool, PARTS, count_part, s));
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        for (int i = 0; i < s->workers; i++)
            result->value[value] += s->worker[i].value[value];
        sum += value != DOBUTSU_INVALID ? result->value[value] : 0;
    }
    if (sum != open || result->value[DOBUTSU_INVALID] != 0)
        return error_set(
            CLTB_E_MISMATCH,
            "%" PRIu64 " positions are open, but %" PRIu64 " according to the table: run cltb verify on it", open, sum);
    return 0;
}

// ---- all of it ----

int dobutsu_reachable_count(struct dobutsu_reachable *result, const struct dobutsu_reachable_options *options)
{
    const size_t seen = SET_WORDS * sizeof(uint64_t);
    const size_t open = OPEN_WORDS * sizeof(uint64_t);
    const bool limited = options->plies > 0 && options->plies < DOBUTSU_PLIES_MAX;
    struct search s = {.stop = options->stop, .workers = threads_count(options->pool), .values = options->values};
    *result = (struct dobutsu_reachable){.stop = options->stop};
    TRY(memory_new(&s.worker, (size_t)s.workers, sizeof *s.worker, "lists of positions"));
    s.seen = memory_map(seen);
    s.open = memory_map(open);
    s.next = memory_map(open);
    int code = 0;
    if (s.seen == NULL || s.open == NULL || s.next == NULL)
        code = error_memory(seen + 2 * open, "the sets of positions");
    THEN(code, search_plies(&s, result, limited ? options->plies : DOBUTSU_PLIES_MAX - 1, options->pool));
    for (int i = 0; i < s.workers; i++)
        result->moves += s.worker[i].moves;
    if (options->values != NULL)
        THEN(code, count_values(&s, result, options->pool));
    memory_unmap((void *)s.next, open);
    memory_unmap((void *)s.open, open);
    memory_unmap((void *)s.seen, seen);
    free(s.worker);
    return code;
}

// ---- output ----

uint64_t dobutsu_reached_sum(const uint64_t reached[DOBUTSU_REACHED])
{
    return reached[DOBUTSU_OPEN] + reached[DOBUTSU_CATCH] + reached[DOBUTSU_TRY] + reached[DOBUTSU_CAN_ASCEND];
}

struct dobutsu_results dobutsu_reachable_results(const struct dobutsu_reachable *result)
{
    struct dobutsu_results results = {.won = result->all[DOBUTSU_CATCH] + result->all[DOBUTSU_CAN_ASCEND],
                                      .lost = result->all[DOBUTSU_TRY],
                                      .drawn = result->value[DOBUTSU_DRAW]};
    for (int value = 0; value < DOBUTSU_DRAW; value++)
        *(value % 2 == 0 ? &results.won : &results.lost) += result->value[value];
    return results;
}

void dobutsu_reachable_write_plies(const struct dobutsu_reachable *result, FILE *file)
{
    uint64_t cumulative = 0;
    fprintf(file, "rule\tply\tnew\topen\tcatch\ttry_lost\tcan_ascend\tcumulative\n");
    for (int ply = 0; ply < result->plies; ply++) {
        const uint64_t *found = result->ply[ply];
        cumulative += dobutsu_reached_sum(found);
        fprintf(file, "%s\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                result->stop ? "stop-at-win-now" : "decide-one-ply-later", ply, dobutsu_reached_sum(found),
                found[DOBUTSU_OPEN], found[DOBUTSU_CATCH], found[DOBUTSU_TRY], found[DOBUTSU_CAN_ASCEND], cumulative);
    }
}

void dobutsu_reachable_write_values(const struct dobutsu_reachable *result, FILE *file)
{
    const struct dobutsu_results results = dobutsu_reachable_results(result);
    fprintf(file, "class\tbyte\tmeaning\tcount\n");
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        char meaning[DOBUTSU_MEANING_MAX];
        dobutsu_meaning(value, meaning);
        if (result->value[value] > 0)
            fprintf(file, "open\t%d\t%s\t%" PRIu64 "\n", value, meaning, result->value[value]);
    }
    fprintf(file, "catch\t-\tside to move takes the lion\t%" PRIu64 "\n", result->all[DOBUTSU_CATCH]);
    if (result->stop)
        fprintf(file, "can_ascend\t-\tside to move ascends\t%" PRIu64 "\n", result->all[DOBUTSU_CAN_ASCEND]);
    else
        fprintf(file, "try_lost\t-\tthe enemy lion has ascended\t%" PRIu64 "\n", result->all[DOBUTSU_TRY]);
    fprintf(file, "# sum\t-\twin for the side to move (%s + open even)\t%" PRIu64 "\n",
            result->stop ? "catch + can_ascend" : "catch", results.won);
    fprintf(file, "# sum\t-\tloss (%sopen odd)\t%" PRIu64 "\n", result->stop ? "" : "try_lost + ", results.lost);
    fprintf(file, "# sum\t-\tdraw\t%" PRIu64 "\n", results.drawn);
    fprintf(file, "# sum\t-\tall\t%" PRIu64 "\n", dobutsu_reached_sum(result->all));
}
