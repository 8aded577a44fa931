// frames.c - the tables of kernels/dobutsu/dobutsu.h, from the board's geometry
#include "dobutsu/frames.h"

#include "dobutsu/code.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)D_LIONS == (int)DOBUTSU_LION_PAIRS && (int)D_PAIRS == (int)DOBUTSU_PAIRS, "one code");
_Static_assert((int)D_HAND == (int)DOBUTSU_REDUCED, "one numbering of squares");

enum { FILES = 3, FAR_RANK = 9, AHEAD = FILES };

static struct dobutsu_tables the_tables;

// ---- the board ----

static int mirrored(int square)
{
    return square - square % FILES + (FILES - 1 - square % FILES);
}

// The distances in files and rows from one square to another; `rows` > 0: forward for Sente.
static int files_between(int a, int b)
{
    return abs(a % FILES - b % FILES);
}

static int rows_between(int a, int b)
{
    return b / FILES - a / FILES;
}

static bool touch(int a, int b)
{
    return a != b && files_between(a, b) <= 1 && abs(rows_between(a, b)) <= 1;
}

static bool giraffe_goes(int a, int b)
{
    return touch(a, b) && (files_between(a, b) == 0 || rows_between(a, b) == 0);
}

static bool elephant_goes(int a, int b)
{
    return touch(a, b) && files_between(a, b) == 1 && rows_between(a, b) != 0;
}

// `forward`: +1 for Sente's, -1 for Gote's.
static bool chick_goes(int a, int b, int forward)
{
    return files_between(a, b) == 0 && rows_between(a, b) == forward;
}

// A rooster's moves but for the chick's.
static bool rooster_goes(int a, int b, int forward)
{
    return (giraffe_goes(a, b) && !chick_goes(a, b, forward)) || (elephant_goes(a, b) && rows_between(a, b) == forward);
}

// ---- a pair of lions ----

struct lions {
    int sente;
    int gote;
    int square[D_HAND]; // of each reduced one
};

static int reduced(const struct lions *lions, int square)
{
    if (square == lions->sente || square == lions->gote)
        return D_NONE;
    return square - (square > lions->sente) - (square > lions->gote);
}

static struct lions lions_of(int pair)
{
    struct lions lions;
    dobutsu_lions(pair, &lions.sente, &lions.gote);
    for (int square = 0; square < DOBUTSU_SQUARES; square++) {
        const int r = reduced(&lions, square);
        if (r != D_NONE)
            lions.square[r] = square;
    }
    return lions;
}

// The step to the lions after Sente's lion has gone to `sente` (or stayed there), seen by the other side.
static struct dobutsu_step step_to(const struct lions *before, int sente)
{
    struct dobutsu_step step = {.target = D_NONE};
    int lion = DOBUTSU_SQUARES - 1 - before->gote;
    int other = DOBUTSU_SQUARES - 1 - sente;
    const bool mirror = lion % FILES == FILES - 1;
    const int pair = mirror ? dobutsu_lion_pair(mirrored(lion), mirrored(other)) : dobutsu_lion_pair(lion, other);
    assert(pair >= 0);
    const struct lions after = lions_of(pair);
    if (sente != before->sente)
        step.target = (u8_t)reduced(before, sente);
    step.lions = (u8_t)pair;
    for (int r = 0; r < D_HAND; r++) {
        const int square = DOBUTSU_SQUARES - 1 - before->square[r];
        step.map[r] = (u8_t)reduced(&after, mirror ? mirrored(square) : square);
    }
    step.map[D_HAND] = D_HAND;
    return step;
}

// The way to the mirror image, which has another code if Sente's lion is on the middle file.
static struct dobutsu_step mirror_of(const struct lions *lions)
{
    struct dobutsu_step step = {.lions = D_NONE, .target = D_NONE};
    if (lions->sente % FILES != FILES / 2)
        return step;
    step.lions = (u8_t)dobutsu_lion_pair(lions->sente, mirrored(lions->gote));
    const struct lions after = lions_of(step.lions);
    for (int r = 0; r < D_HAND; r++)
        step.map[r] = (u8_t)reduced(&after, mirrored(lions->square[r]));
    step.map[D_HAND] = D_HAND;
    return step;
}

static u16_t set_of(int r, bool in)
{
    return (u16_t)((in ? 1U : 0U) << r);
}

static void fill_moves(struct dobutsu_frame *frame, const struct lions *lions)
{
    for (int r = 0; r < D_HAND; r++) {
        const int from = lions->square[r];
        frame->ahead[r] = D_NONE;
        for (int t = 0; t < D_HAND; t++) {
            const int to = lions->square[t];
            frame->giraffe[r] |= set_of(t, giraffe_goes(from, to));
            frame->elephant[r] |= set_of(t, elephant_goes(from, to));
            frame->rooster[r] |= set_of(t, rooster_goes(from, to, 1));
            frame->behind[r] |= set_of(t, chick_goes(to, from, 1) || rooster_goes(to, from, 1));
            if (chick_goes(from, to, 1))
                frame->ahead[r] = (u8_t)t;
        }
        frame->far |= set_of(r, from >= FAR_RANK);
        frame->takes[0] |= set_of(r, giraffe_goes(from, lions->gote));
        frame->takes[1] |= set_of(r, elephant_goes(from, lions->gote));
        frame->takes[2] |= set_of(r, chick_goes(from, lions->gote, 1));
        frame->takes[3] |= set_of(r, rooster_goes(from, lions->gote, 1));
    }
}

static void add_goal(struct dobutsu_frame *frame, const struct lions *lions, int square)
{
    struct dobutsu_goal *goal = &frame->goal[frame->goals++];
    goal->square = (u8_t)reduced(lions, square);
    goal->guarded = touch(lions->gote, square);
    for (int r = 0; r < D_HAND; r++) {
        const int from = lions->square[r];
        goal->giraffe |= set_of(r, giraffe_goes(from, square));
        goal->elephant |= set_of(r, elephant_goes(from, square));
        goal->chick |= set_of(r, chick_goes(from, square, -1));
        goal->rooster |= set_of(r, rooster_goes(from, square, -1));
    }
}

static void fill_lion(struct dobutsu_frame *frame, const struct lions *lions)
{
    frame->quiet = step_to(lions, lions->sente);
    frame->mirror = mirror_of(lions);
    for (int to = 0; to < DOBUTSU_SQUARES; to++) {
        if (!touch(lions->sente, to) || to == lions->gote)
            continue;
        if (to >= FAR_RANK)
            add_goal(frame, lions, to);
        else if (!touch(to, lions->gote))
            frame->lion[frame->lion_moves++] = step_to(lions, to);
    }
}

// The way back from the lions that `step` leads to.
static void add_before(struct dobutsu_tables *tables, int pair, const struct dobutsu_step *step)
{
    struct dobutsu_frame *frame = &tables->frame[step->lions];
    assert(frame->befores < D_BEFORE);
    struct dobutsu_step *before = &frame->before[frame->befores++];
    before->lions = (u8_t)pair;
    before->target = step->target;
    memset(before->map, D_NONE, sizeof before->map);
    for (int r = 0; r <= D_HAND; r++) {
        if (step->map[r] != D_NONE)
            before->map[step->map[r]] = (u8_t)r;
    }
}

static void fill_frames(struct dobutsu_tables *tables)
{
    for (int pair = 0; pair < D_LIONS; pair++) {
        const struct lions lions = lions_of(pair);
        fill_moves(&tables->frame[pair], &lions);
        fill_lion(&tables->frame[pair], &lions);
    }
    for (int pair = 0; pair < D_LIONS; pair++) {
        const struct dobutsu_frame *frame = &tables->frame[pair];
        add_before(tables, pair, &frame->quiet);
        for (int i = 0; i < frame->lion_moves; i++)
            add_before(tables, pair, &frame->lion[i]);
    }
}

// ---- cells ----

static void fill_pairs(struct dobutsu_tables *tables)
{
    for (int pair = 0; pair < D_PAIRS; pair++) {
        int low;
        int high;
        dobutsu_unpair(pair, &low, &high);
        tables->low[pair] = (u8_t)low;
        tables->high[pair] = (u8_t)high;
        tables->pair[low * 16 + high] = (u8_t)pair;
        tables->pair[high * 16 + low] = (u8_t)pair;
    }
}

static bool overlaps(const struct dobutsu_tables *tables, u32_t triple)
{
    u8_t square[DOBUTSU_MEN];
    u32_t seen = 0;
    dobutsu_squares(tables, triple, square);
    for (int man = 0; man < DOBUTSU_MEN; man++) {
        if (square[man] < D_HAND && (seen >> square[man] & 1) != 0)
            return true;
        seen |= 1U << square[man];
    }
    return false;
}

static void fill_triples(struct dobutsu_tables *tables)
{
    u32_t live = 0;
    for (u32_t triple = 0; triple < D_TRIPLES; triple++) {
        if (overlaps(tables, triple))
            continue;
        assert(live < D_LIVE);
        tables->number[triple] = live;
        tables->triple[live++] = triple;
    }
    assert(live == D_LIVE);
    (void)live;
}

static void fill_ways(struct dobutsu_tables *tables)
{
    tables->way[D_WAY_LION] = ~lanes_zero(0) | lanes_zero(0);
    for (int man = 0; man < DOBUTSU_MEN; man++)
        tables->way[D_WAY_MAN + man] = man < 2 ? lanes_zero(man) : lanes_zero(man_owner_bit(man));
    for (int man = 0; man < 2; man++) {
        tables->way[D_WAY_ROOSTER + man] = lanes_zero(man) & ~lanes_zero(2 + man);
        tables->way[D_WAY_DROP + man] = lanes_zero(man) & lanes_zero(2 + man);
        tables->way[D_WAY_PROMOTE + man] = tables->way[D_WAY_ROOSTER + man];
    }
}

static void make_tables(void)
{
    fill_ways(&the_tables);
    fill_pairs(&the_tables);
    fill_triples(&the_tables);
    fill_frames(&the_tables);
}

const struct dobutsu_tables *dobutsu_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables);
    return &the_tables;
}
