// reachable.c - the positions that can be reached from the initial position of dobutsu shogi (see reachable.h)
//
// 1. A ply's open positions are lists of places, cut into chunks. A worker takes a chunk and makes all moves.
// 2. It gathers the positions after them until there are enough to look them up at once, with the words of the set
//    prefetched.
// 3. A position whose bit is still clear is new. Its bit is set, it is classified once, and if it is open it goes to
//    the worker's list for the next ply.
// 4. The workers' lists are the next ply. The search ends when there is no new position.
#include "dobutsu/check/reachable.h"

#include "dobutsu/check/stats.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SENTE_SQUARES = 6,                      // of Sente's lion, after mirroring
    LIONS = SENTE_SQUARES * 11,             // pairs of lions
    SQUARES_AND_HAND = DOBUTSU_SQUARES + 1, //
    CELL_WORDS = DOBUTSU_CELL_CODES / 64,
    BATCH = 256, // positions looked up together
    CHUNK = 1 << 14,
    PART_MEN = DOBUTSU_PART_CELLS / DOBUTSU_LION_PAIRS // (PC, PG, PE) of a part
};

#define MEN       ((size_t)DOBUTSU_PAIRS * DOBUTSU_PAIRS * DOBUTSU_PAIRS)
#define SET_WORDS (MEN * LIONS * CELL_WORDS)
#define SET_BYTES (SET_WORDS * sizeof(uint64_t))

_Static_assert(MEN *LIONS *DOBUTSU_CELL_CODES <= UINT32_MAX, "a place has 32 bits");

// Places of open positions.
struct chunk {
    struct chunk *next;
    uint32_t count;
    uint32_t place[CHUNK];
};

struct worker {
    struct chunk *chunks; // found for the next ply
    struct dobutsu_reached found;
    uint64_t moves;
    uint64_t value[DOBUTSU_VALUES];
    int waiting; // positions not yet looked up:
    uint32_t place[BATCH];
    struct dobutsu position[BATCH];
    uint8_t part[DOBUTSU_PART_CELLS * DOBUTSU_CELL_CODES]; // values
};

// The parts of a place.
struct frame {
    uint8_t sente_row[DOBUTSU_SQUARES];                      // 0..5 for Sente's lion
    uint8_t lion[LIONS][2];                                  // Sente's, Gote's
    uint8_t pair[LIONS][SQUARES_AND_HAND][SQUARES_AND_HAND]; // the number of two men
    uint8_t square[LIONS][DOBUTSU_PAIRS][2];                 // its inverse
};

struct search {
    bool stop;
    struct frame frame;
    _Atomic uint64_t *seen; // [SET_WORDS]
    struct worker *worker;  // [workers]
    int workers;
    struct chunk **frontier; // [chunks] the open positions of this ply
    size_t chunks;
    dobutsu_source *source;
    void *context;
};

// ---- places ----

static const uint8_t as_it_is[SQUARES_AND_HAND] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const uint8_t mirrored[SQUARES_AND_HAND] = {2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 12};

static int reduced(int square, int sente_lion, int gote_lion)
{
    return square - (square > sente_lion) - (square > gote_lion);
}

// Pairs with a man on a lion's square, or with both men on one square, also get a number; nothing uses it.
static void frame_init(struct frame *frame)
{
    static const uint8_t sente_squares[SENTE_SQUARES] = {0, 1, 3, 4, 6, 7};
    for (int lions = 0; lions < LIONS; lions++) {
        const int sente = sente_squares[lions / 11];
        const int gote = lions % 11 + (lions % 11 >= sente);
        frame->sente_row[sente] = (uint8_t)(lions / 11);
        frame->lion[lions][0] = (uint8_t)sente;
        frame->lion[lions][1] = (uint8_t)gote;
        for (int a = 0; a <= DOBUTSU_HAND; a++) {
            for (int b = 0; b <= DOBUTSU_HAND; b++) {
                const uint8_t pair = dobutsu_pair(reduced(a, sente, gote), reduced(b, sente, gote));
                const bool lies_on_lion = a == sente || a == gote || b == sente || b == gote;
                frame->pair[lions][a][b] = pair;
                if (lies_on_lion || a > b || pair >= DOBUTSU_PAIRS)
                    continue;
                frame->square[lions][pair][0] = (uint8_t)a;
                frame->square[lions][pair][1] = (uint8_t)b;
            }
        }
    }
}

// The place of a position, seen as it is or mirrored so that Sente's lion is on file a or b.
static uint32_t place_seen(const struct frame *frame, const struct dobutsu *p, const uint8_t *view)
{
    static const uint8_t pair_bits[3] = {DOBUTSU_CHICK_BITS, DOBUTSU_GIRAFFE_BITS, DOBUTSU_ELEPHANT_BITS};
    const unsigned sente = view[p->sente_lion];
    const unsigned gote = view[p->gote_lion];
    const unsigned lions = frame->sente_row[sente] * 11u + gote - (gote > sente);
    unsigned exchanged = 0;
    uint32_t men = 0;
    for (int kind = 0; kind < 3; kind++) {
        const unsigned a = view[p->square[2 * kind]];
        const unsigned b = view[p->square[2 * kind + 1]];
        const bool gote_first = (p->op & dobutsu_owner_bit(2 * kind)) == 0;
        exchanged |= a > b || (a == b && gote_first) ? pair_bits[kind] : 0u;
        men = men * DOBUTSU_PAIRS + frame->pair[lions][a][b];
    }
    return (men * LIONS + lions) * DOBUTSU_CELL_CODES + dobutsu_exchange(p->op, exchanged);
}

static uint32_t place_of(const struct frame *frame, const struct dobutsu *p)
{
    const int file = p->sente_lion % 3;
    if (file == 2)
        return place_seen(frame, p, mirrored);
    const uint32_t place = place_seen(frame, p, as_it_is);
    if (file == 0)
        return place;
    const uint32_t image = place_seen(frame, p, mirrored);
    return image < place ? image : place;
}

static void position_at(const struct frame *frame, uint32_t place, struct dobutsu *p)
{
    const uint32_t cell = place / DOBUTSU_CELL_CODES;
    const uint32_t lions = cell % LIONS;
    uint32_t men = cell / LIONS;
    p->op = (uint8_t)(place % DOBUTSU_CELL_CODES);
    p->sente_lion = frame->lion[lions][0];
    p->gote_lion = frame->lion[lions][1];
    p->turned = false;
    for (int kind = 2; kind >= 0; kind--) {
        const uint8_t *square = frame->square[lions][men % DOBUTSU_PAIRS];
        p->square[2 * kind] = square[0];
        p->square[2 * kind + 1] = square[1];
        men /= DOBUTSU_PAIRS;
    }
}

// ---- new positions ----

static int keep(struct worker *w, uint32_t place)
{
    if (w->chunks == NULL || w->chunks->count == CHUNK) {
        struct chunk *chunk;
        TRY(memory_new(&chunk, 1, sizeof *chunk, "a list of positions"));
        chunk->next = w->chunks;
        chunk->count = 0;
        w->chunks = chunk;
    }
    w->chunks->place[w->chunks->count++] = place;
    return 0;
}

// Sets the bits of the waiting positions and classifies those whose bits were clear.
static int settle(const struct search *s, struct worker *w)
{
    for (int i = 0; i < w->waiting; i++) {
        const uint32_t place = w->place[i];
        const struct dobutsu *p = &w->position[i];
        _Atomic uint64_t *word = &s->seen[place / 64];
        const uint64_t bit = UINT64_C(1) << place % 64;
        if ((atomic_load_explicit(word, memory_order_relaxed) & bit) != 0 ||
            (atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit) != 0)
            continue;
        if (dobutsu_can_take_lion(p)) {
            w->found.catch ++;
        } else if (p->gote_lion < 3) {
            w->found.try_lost++;
        } else if (s->stop && dobutsu_can_ascend(p)) {
            w->found.can_ascend++;
        } else {
            w->found.open++;
            TRY(keep(w, place));
        }
    }
    w->waiting = 0;
    return 0;
}

static int add(const struct search *s, struct worker *w, const struct dobutsu *p)
{
    const uint32_t place = place_of(&s->frame, p);
    __builtin_prefetch((const void *)&s->seen[place / 64], 1);
    w->place[w->waiting] = place;
    w->position[w->waiting++] = *p;
    return w->waiting == BATCH ? settle(s, w) : 0;
}

// ---- a ply ----

static int expand_chunk(void *context, uint64_t item, int worker)
{
    struct search *s = context;
    struct worker *w = &s->worker[worker];
    struct chunk *chunk = s->frontier[item];
    for (uint32_t i = 0; i < chunk->count; i++) {
        struct dobutsu p;
        struct dobutsu after;
        struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
        position_at(&s->frame, chunk->place[i], &p);
        const int count = dobutsu_moves(&p, moves);
        for (int m = 0; m < count; m++) {
            dobutsu_make(&p, &moves[m], &after);
            TRY(add(s, w, &after));
        }
        w->moves += (uint64_t)count;
    }
    TRY(settle(s, w));
    free(chunk);
    s->frontier[item] = NULL;
    return 0;
}

static void reached_add(struct dobutsu_reached *to, const struct dobutsu_reached *from)
{
    to->open += from->open;
    to->catch += from->catch;
    to->try_lost += from->try_lost;
    to->can_ascend += from->can_ascend;
}

static void free_frontier(struct search *s)
{
    for (size_t i = 0; i < s->chunks; i++)
        free(s->frontier[i]);
    free(s->frontier);
    s->frontier = NULL;
    s->chunks = 0;
}

static int search_plies(struct search *s, struct dobutsu_reachable *result, int last, struct thread_pool *pool)
{
    struct dobutsu p;
    dobutsu_start(&p);
    TRY(add(s, &s->worker[0], &p));
    TRY(settle(s, &s->worker[0]));
    for (;;) {
        // What the workers have found is the next ply.
        struct dobutsu_reached *found = &result->ply[result->plies];
        size_t count = 0;
        *found = (struct dobutsu_reached){0};
        free_frontier(s);
        for (int i = 0; i < s->workers; i++)
            for (const struct chunk *chunk = s->worker[i].chunks; chunk != NULL; chunk = chunk->next)
                count++;
        TRY(memory_new(&s->frontier, count + 1, sizeof(struct chunk *), "lists of positions"));
        for (int i = 0; i < s->workers; i++) {
            struct worker *w = &s->worker[i];
            for (; w->chunks != NULL; w->chunks = w->chunks->next)
                s->frontier[s->chunks++] = w->chunks;
            reached_add(found, &w->found);
            w->found = (struct dobutsu_reached){0};
        }
        if (dobutsu_reached_sum(found) == 0)
            return 0;
        reached_add(&result->all, found);
        if (result->plies++ == last)
            return 0;
        TRY(threads_each(pool, s->chunks, expand_chunk, s));
    }
}

// ---- values ----

// Counts the positions of one cell of the table that are in the set. Of those with the value 0, only the ones that can
// ascend are open, and only under the first rule. Returns false if a position with this value cannot win at once.
static bool count_cell(const struct search *s, uint64_t count[DOBUTSU_VALUES], size_t cell, const uint8_t *value)
{
    bool right = true;
    for (size_t i = 0; i < CELL_WORDS; i++) {
        uint64_t set = atomic_load_explicit(&s->seen[cell * CELL_WORDS + i], memory_order_relaxed);
        for (; set != 0; set &= set - 1) {
            const size_t op = i * 64 + (size_t)__builtin_ctzll(set);
            bool open = true;
            if (value[op] == 0) {
                struct dobutsu p;
                position_at(&s->frame, (uint32_t)(cell * DOBUTSU_CELL_CODES + op), &p);
                const bool take_lion = dobutsu_can_take_lion(&p);
                right = right && (take_lion || dobutsu_can_ascend(&p));
                open = !take_lion && !s->stop;
            }
            count[value[op]] += open;
        }
    }
    return right;
}

static int count_part(void *context, uint64_t item, int worker)
{
    const struct search *s = context;
    struct worker *w = &s->worker[worker];
    const uint8_t *value = w->part;
    TRY(s->source(s->context, (uint32_t)item * DOBUTSU_PART_CELLS, DOBUTSU_PART_CELLS, w->part));
    for (size_t men = item * PART_MEN; men < (item + 1) * PART_MEN; men++) {
        for (int pair = 0; pair < DOBUTSU_LION_PAIRS; pair++, value += DOBUTSU_CELL_CODES) {
            int sente;
            int gote;
            dobutsu_lions(pair, &sente, &gote);
            const size_t lions = (size_t)(s->frame.sente_row[sente] * 11 + gote - (gote > sente));
            if (!count_cell(s, w->value, men * LIONS + lions, value))
                return error_set(CLTB_E_MISMATCH, "a position has the value 0, but nothing wins at once");
        }
    }
    return 0;
}

static int count_values(struct search *s, struct dobutsu_reachable *result, struct thread_pool *pool)
{
    uint64_t sum = 0;
    TRY(threads_each(pool, DOBUTSU_PARTS, count_part, s));
    for (int i = 0; i < s->workers; i++)
        for (int value = 0; value < DOBUTSU_VALUES; value++)
            result->value[value] += s->worker[i].value[value];
    for (int value = 0; value < DOBUTSU_INVALID; value++)
        sum += result->value[value];
    if (sum != result->all.open || result->value[DOBUTSU_INVALID] != 0)
        return error_set(CLTB_E_MISMATCH,
                         "%" PRIu64 " positions are open, but %" PRIu64
                         " according to the table: run cltb verify on it",
                         result->all.open, sum);
    return 0;
}

// ---- all of it ----

int dobutsu_reachable_count(struct dobutsu_reachable *result, const struct dobutsu_reachable_options *options)
{
    const bool limited = options->plies > 0 && options->plies < DOBUTSU_PLIES_MAX;
    *result = (struct dobutsu_reachable){.stop = options->stop};
    struct search *s;
    TRY(memory_new(&s, 1, sizeof *s, "a search"));
    s->stop = options->stop;
    s->source = options->source;
    s->context = options->context;
    s->workers = threads_count(options->pool);
    frame_init(&s->frame);
    s->worker = calloc((size_t)s->workers, sizeof *s->worker);
    s->seen = memory_map(SET_BYTES);
    int code = 0;
    if (s->worker == NULL)
        code = error_memory((size_t)s->workers * sizeof *s->worker, "lists of positions");
    else if (s->seen == NULL)
        code = error_memory(SET_BYTES, "the set of positions");
    THEN(code, search_plies(s, result, limited ? options->plies : DOBUTSU_PLIES_MAX - 1, options->pool));
    for (int i = 0; code == 0 && i < s->workers; i++)
        result->moves += s->worker[i].moves;
    if (code == 0 && options->source != NULL)
        code = count_values(s, result, options->pool);
    free_frontier(s);
    for (int i = 0; s->worker != NULL && i < s->workers; i++) {
        for (struct chunk *next; s->worker[i].chunks != NULL; s->worker[i].chunks = next) {
            next = s->worker[i].chunks->next;
            free(s->worker[i].chunks);
        }
    }
    free(s->worker);
    memory_unmap((void *)s->seen, SET_BYTES);
    free(s);
    return code;
}

// ---- output ----

uint64_t dobutsu_reached_sum(const struct dobutsu_reached *reached)
{
    return reached->open + reached->catch + reached->try_lost + reached->can_ascend;
}

struct dobutsu_results dobutsu_reachable_results(const struct dobutsu_reachable *result)
{
    struct dobutsu_results results = {.won = result->all.catch + result->all.can_ascend,
                                      .lost = result->all.try_lost,
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
        const struct dobutsu_reached *found = &result->ply[ply];
        cumulative += dobutsu_reached_sum(found);
        fprintf(file, "%s\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                result->stop ? "stop-at-win-now" : "decide-one-ply-later", ply, dobutsu_reached_sum(found), found->open,
                found->catch, found->try_lost, found->can_ascend, cumulative);
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
    fprintf(file, "catch\t-\tside to move takes the lion\t%" PRIu64 "\n", result->all.catch);
    if (result->stop)
        fprintf(file, "can_ascend\t-\tside to move ascends\t%" PRIu64 "\n", result->all.can_ascend);
    else
        fprintf(file, "try_lost\t-\tthe enemy lion has ascended\t%" PRIu64 "\n", result->all.try_lost);
    fprintf(file, "# sum\t-\twin for the side to move (%s + open even)\t%" PRIu64 "\n",
            result->stop ? "catch + can_ascend" : "catch", results.won);
    fprintf(file, "# sum\t-\tloss (%sopen odd)\t%" PRIu64 "\n", result->stop ? "" : "try_lost + ", results.lost);
    fprintf(file, "# sum\t-\tdraw\t%" PRIu64 "\n", results.drawn);
    fprintf(file, "# sum\t-\tall\t%" PRIu64 "\n", dobutsu_reached_sum(&result->all));
}
