// cells.c - what the codes of a cell say by themselves, and the tables of kernels/dobutsu/dobutsu.h, both from the
// steps of men on the board
#include "dobutsu/cells.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)D_LIONS == (int)DOBUTSU_LION_PAIRS && (int)D_PAIRS == (int)DOBUTSU_PAIRS, "one code");
_Static_assert((int)D_HAND == (int)DOBUTSU_REDUCED, "one numbering of squares");

enum { FILES = 3, FAR_RANK = 9 };

// ---- the board ----

static int mirrored(int square)
{
    return square - square % FILES + (FILES - 1 - square % FILES);
}

static int turned(int square)
{
    return DOBUTSU_SQUARES - 1 - square;
}

// Does a man of this type go from one square to another? `sente`: it is Sente's.
static bool goes(enum dobutsu_kind type, bool sente, int from, int to)
{
    return (dobutsu_steps(type, sente, from) >> to & 1) != 0;
}

static bool touch(int a, int b)
{
    return goes(DOBUTSU_LION, true, a, b);
}

// The moves of a rooster that a chick does not have.
static bool rooster_goes(int from, int to, bool sente)
{
    return goes(DOBUTSU_ROOSTER, sente, from, to) && !goes(DOBUTSU_CHICK, sente, from, to);
}

// ---- a pair of lions ----

struct lions {
    int sente;
    int gote;
    int square[D_HAND]; // the square of each reduced square
};

static u8_t reduced(const struct lions *lions, int square)
{
    if (square == lions->sente || square == lions->gote)
        return D_NONE;
    return (u8_t)(square - (square > lions->sente) - (square > lions->gote));
}

static struct lions lions_of(int pair)
{
    struct lions lions;
    dobutsu_lions(pair, &lions.sente, &lions.gote);
    for (int square = 0; square < DOBUTSU_SQUARES; square++) {
        const u8_t r = reduced(&lions, square);
        if (r != D_NONE)
            lions.square[r] = square;
    }
    return lions;
}

// The step after Sente's lion has gone to `sente` (or stayed where it was), as the other side sees it.
static struct dobutsu_step step_to(const struct lions *before, int sente)
{
    struct dobutsu_step step = {.target = D_NONE};
    const int lion = turned(before->gote);
    const int other = turned(sente);
    const bool mirror = lion % FILES == FILES - 1;
    const int pair = mirror ? dobutsu_lion_pair(mirrored(lion), mirrored(other)) : dobutsu_lion_pair(lion, other);
    assert(pair >= 0);
    const struct lions after = lions_of(pair);
    if (sente != before->sente)
        step.target = reduced(before, sente);
    step.lions = (u8_t)pair;
    for (int r = 0; r < D_HAND; r++) {
        const int square = turned(before->square[r]);
        step.map[r] = reduced(&after, mirror ? mirrored(square) : square);
    }
    step.map[D_HAND] = D_HAND;
    return step;
}

static u16_t set_of(int r, bool in)
{
    return (u16_t)((in ? 1U : 0U) << r);
}

static struct dobutsu_attackers attackers(const struct lions *lions, int square, bool sente)
{
    struct dobutsu_attackers from = {.chick = 0};
    for (int r = 0; r < D_HAND; r++) {
        from.walker[0] |= set_of(r, goes(DOBUTSU_GIRAFFE, sente, lions->square[r], square));
        from.walker[1] |= set_of(r, goes(DOBUTSU_ELEPHANT, sente, lions->square[r], square));
        from.chick |= set_of(r, goes(DOBUTSU_CHICK, sente, lions->square[r], square));
        from.rooster |= set_of(r, rooster_goes(lions->square[r], square, sente));
    }
    return from;
}

static void fill_frame(struct dobutsu_frame *frame, const struct lions *lions)
{
    for (int r = 0; r < D_HAND; r++) {
        const int from = lions->square[r];
        frame->ahead[r] = D_NONE;
        frame->far |= set_of(r, from >= FAR_RANK);
        for (int t = 0; t < D_HAND; t++) {
            const int to = lions->square[t];
            frame->walker[0][r] |= set_of(t, goes(DOBUTSU_GIRAFFE, true, from, to));
            frame->walker[1][r] |= set_of(t, goes(DOBUTSU_ELEPHANT, true, from, to));
            frame->rooster[r] |= set_of(t, rooster_goes(from, to, true));
            frame->behind[r] |= set_of(t, goes(DOBUTSU_CHICK, true, to, from) || rooster_goes(to, from, true));
            if (goes(DOBUTSU_CHICK, true, from, to))
                frame->ahead[r] = (u8_t)t;
        }
    }
    frame->takes = attackers(lions, lions->gote, true);
    frame->quiet = step_to(lions, lions->sente);
    // The step to the mirror image, which has another code if Sente's lion is on the middle file.
    frame->mirror = (struct dobutsu_step){.lions = D_NONE, .target = D_NONE};
    if (lions->sente % FILES == FILES / 2) {
        frame->mirror.lions = (u8_t)dobutsu_lion_pair(lions->sente, mirrored(lions->gote));
        const struct lions after = lions_of(frame->mirror.lions);
        for (int r = 0; r < D_HAND; r++)
            frame->mirror.map[r] = reduced(&after, mirrored(lions->square[r]));
        frame->mirror.map[D_HAND] = D_HAND;
    }
    for (int to = 0; to < DOBUTSU_SQUARES; to++) {
        if (!touch(lions->sente, to) || to == lions->gote)
            continue;
        if (to >= FAR_RANK)
            frame->goal[frame->goals++] = (struct dobutsu_goal){
                .guard = attackers(lions, to, false), .square = reduced(lions, to), .guarded = touch(lions->gote, to)};
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

// ---- all tables ----

static struct dobutsu_tables the_tables;

static void fill_tables(void)
{
    struct dobutsu_tables *tables = &the_tables;
    tables->way[D_WAY_LION] = ~NO_LANES;
    for (int man = 0; man < DOBUTSU_MEN; man++)
        tables->way[D_WAY_MAN + man] = lanes_gote(man);
    for (int man = 0; man < 2; man++) {
        tables->way[D_WAY_ROOSTER + man] = lanes_zero(man) & ~lanes_zero(2 + man);
        tables->way[D_WAY_DROP + man] = lanes_zero(man) & lanes_zero(2 + man);
        tables->way[D_WAY_PROMOTE + man] = tables->way[D_WAY_ROOSTER + man];
    }
    for (int pair = 0; pair < D_PAIRS; pair++) {
        int low;
        int high;
        dobutsu_unpair(pair, &low, &high);
        tables->low[pair] = (u8_t)low;
        tables->high[pair] = (u8_t)high;
        tables->pair[low * 16 + high] = (u8_t)pair;
        tables->pair[high * 16 + low] = (u8_t)pair;
    }
    u32_t live = 0; // triples of pairs without two men on one square
    for (u32_t triple = 0; triple < D_TRIPLES; triple++) {
        u8_t square[DOBUTSU_MEN];
        u32_t seen = 0;
        u32_t twice = 0;
        dobutsu_squares(tables, triple, square);
        for (int man = 0; man < DOBUTSU_MEN; man++) {
            twice |= seen & 1U << square[man];
            seen |= 1U << square[man];
        }
        if ((twice & D_BOARD) != 0)
            continue;
        assert(live < D_LIVE);
        tables->number[triple] = live;
        tables->triple[live++] = triple;
    }
    assert(live == D_LIVE);
    for (int pair = 0; pair < D_LIONS; pair++) {
        const struct lions lions = lions_of(pair);
        fill_frame(&tables->frame[pair], &lions);
    }
    for (int pair = 0; pair < D_LIONS; pair++) {
        const struct dobutsu_frame *frame = &tables->frame[pair];
        add_before(tables, pair, &frame->quiet);
        for (int i = 0; i < frame->lion_moves; i++)
            add_before(tables, pair, &frame->lion[i]);
    }
}

const struct dobutsu_tables *dobutsu_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);
    return &the_tables;
}

// ---- the codes of a cell ----

// The code of a valid code's mirror image if Sente's lion is on file b (squares 1 and 4), otherwise the code itself.
static uint32_t mirror_code(uint32_t code)
{
    struct dobutsu p;
    uint32_t mirror = code;
    dobutsu_decode(code, &p);
    if (p.sente_lion % FILES != FILES / 2)
        return code;
    dobutsu_mirror(&p);
    (void)dobutsu_encode(&p, &mirror); // succeeds: with the lions on these squares the position has a code
    return mirror;
}

uint32_t dobutsu_kept_code(uint32_t code)
{
    const uint32_t own = dobutsu_canonical(code);
    const uint32_t mirror = dobutsu_canonical(mirror_code(code));
    return own < mirror ? own : mirror;
}

// Lanes whose mirror image has a smaller code. A mirror image has the same `op`, except that pairs may be in the other
// order, so the mirror images of one cell are all in one cell.
static lanes_t mirrored_lanes(uint32_t cell)
{
    int sente_lion;
    int gote_lion;
    dobutsu_lions((int)(cell % D_LIONS), &sente_lion, &gote_lion);
    if (sente_lion % FILES != FILES / 2)
        return NO_LANES; // mirroring would put the lion on a file that has no codes
    const uint32_t first = cell * D_CODES;
    const uint32_t mirror = mirror_code(first) / D_CODES; // `first` has no rooster, so it is valid
    if (mirror != cell)
        return lanes_if(mirror < cell, ~NO_LANES);
    lanes_t lanes = NO_LANES;
    for (uint32_t lane = 0; lane < D_CODES; lane++) {
        if (mirror_code(first + lane) < first + lane)
            lanes[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return lanes;
}

void dobutsu_cell(uint32_t cell, struct dobutsu_cell *sets)
{
    const struct dobutsu_tables *tables = dobutsu_tables();
    const u32_t triple = cell / D_LIONS;
    u8_t square[DOBUTSU_MEN];
    memset(sets, 0, sizeof *sets);
    if (tables->triple[tables->number[triple]] != triple) {
        memset(sets->invalid, 0xff, sizeof sets->invalid);
        return;
    }
    dobutsu_squares(tables, triple, square);
    const lanes_t invalid = dobutsu_invalid(square);
    const lanes_t won = dobutsu_won(&tables->frame[cell % D_LIONS], square) & ~invalid;
    lanes_t duplicates = mirrored_lanes(cell);
    // A pair in hand, the first man Gote's and the second Sente's: the other order has the smaller code.
    for (int man = 0; man < DOBUTSU_MEN; man += 2)
        duplicates |= lanes_if(square[man] == D_HAND, lanes_gote(man) & ~lanes_gote(man + 1));
    const lanes_t kept = ~(invalid | won | duplicates);
    memcpy(sets->invalid, &invalid, sizeof invalid);
    memcpy(sets->won, &won, sizeof won);
    memcpy(sets->kept, &kept, sizeof kept);
}

uint32_t dobutsu_cell_kept(const struct dobutsu_cell *sets)
{
    uint32_t kept = 0;
    for (int i = 0; i < 4; i++)
        kept += (uint32_t)__builtin_popcountll(sets->kept[i]);
    return kept;
}
