// fathom.c - Syzygy files, read by another program's library, against our tables
//
//     fathom [--exact] [--dtz EVERY] [--sample N] [--seed N] SYZYGY TABLES NAME...
//
// Asks libfathom (Basil Falcinelli's reader, as in Debian) about the files of each material in the folder SYZYGY, and
// this library about the .cltb tables in TABLES, and compares:
//
//     1. the outcome of every legal position, both sides to move;
//     2. the DTZ of every EVERY-th of them (1: all, the default; 0: none): equal, or one less if it is even or above
//        100 (files may store moves instead of plies); with --exact equal up to 100;
//     3. the same for all positions with a right to capture en passant and a pawn to use it.
//
// Positions are visited up to symmetry. Syzygy's index has two places for some placements that are mirror images of
// each other; for these the outcome is asked twice. With --sample N only N random placements are looked at.
//
// Says for each material how much was compared. Exit status 1 if anything differs (the first differences are reported),
// 2 if a table cannot be read.
#include "check/placements.h"
#include "chess/attacks.h"
#include "chess/fen.h"
#include "index/square.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tbprobe.h>

enum { DIFFERENCES_TOLD = 10, CACHE_BYTES = 1 << 30, DIAGONAL = 4, MIRROR_FILES = 1 };

struct judge {
    cltb_tables *tables;
    bool exact;
    uint64_t every;
    uint64_t positions;
    uint64_t en_passant; // of these
    uint64_t dtz;        // of these
    uint64_t differences;
};

// A position as libfathom takes it.
struct boards {
    uint64_t men[COLOURS];
    uint64_t kind[PIECE_TYPES];
    unsigned en_passant;
    bool white;
};

static struct boards boards_of(const struct position *p, int symmetry)
{
    struct boards boards = {.white = p->side == WHITE};
    for (uint64_t men = position_occupied(p); men != 0;) {
        const int square = set_pop(&men);
        const uint64_t bit = square_bit(square_apply(symmetry, square));
        boards.men[piece_colour(p->board[square])] |= bit;
        boards.kind[piece_type(p->board[square])] |= bit;
    }
    if (p->en_passant != NO_SQUARE)
        boards.en_passant = (unsigned)square_apply(symmetry, p->en_passant);
    return boards;
}

static void differ(struct judge *judge, const struct position *p, const char *what, int theirs, int ours)
{
    char fen[FEN_MAX];
    fen_write(p, fen);
    if (judge->differences++ < DIFFERENCES_TOLD)
        printf("%s: %s is %d in the Syzygy files and %d in our table\n", fen, what, theirs, ours);
}

// ---- outcome and DTZ of one position ----

static void compare_outcome(struct judge *judge, const struct position *p, int symmetry, int ours)
{
    const struct boards b = boards_of(p, symmetry);
    const uint64_t *kind = b.kind;
    const unsigned theirs = tb_probe_wdl(b.men[WHITE], b.men[BLACK], kind[KING], kind[QUEEN], kind[ROOK], kind[BISHOP],
                                         kind[KNIGHT], kind[PAWN], 0, 0, b.en_passant, b.white);
    if (theirs != (unsigned)(ours + 2))
        differ(judge, p, symmetry == 0 ? "the outcome" : "the mirrored outcome", (int)theirs - 2, ours);
}

static int compare_dtz(struct judge *judge, struct position *p)
{
    struct cltb_value ours;
    const struct boards b = boards_of(p, 0);
    const uint64_t *kind = b.kind;
    if (!moves_any(p)) // libfathom names mates and stalemates and looks nothing up
        return 0;
    TRY(probe_value(judge->tables, p, &ours));
    const unsigned theirs = tb_probe_root(b.men[WHITE], b.men[BLACK], kind[KING], kind[QUEEN], kind[ROOK], kind[BISHOP],
                                          kind[KNIGHT], kind[PAWN], 0, 0, b.en_passant, b.white, NULL);
    judge->dtz++;
    if (theirs == TB_RESULT_FAILED) {
        differ(judge, p, "the DTZ", -1, ours.dtz);
        return 0;
    }
    const int dtz = (int)TB_GET_DTZ(theirs);
    const bool rounded = ours.dtz > 1 && dtz == ours.dtz - 1 && (!judge->exact || ours.dtz > PLY_LIMIT + 1);
    if (dtz != ours.dtz && !rounded)
        differ(judge, p, "the DTZ", dtz, ours.dtz);
    if ((int)TB_GET_WDL(theirs) - 2 != ours.outcome)
        differ(judge, p, "the outcome at the root", (int)TB_GET_WDL(theirs) - 2, ours.outcome);
    return 0;
}

// Does Syzygy's index have another place for the mirror image? Possible if all of its leading group stands on a long
// diagonal, or two of its leading pawns mirror each other.
static int other_image(const struct position *p)
{
    const uint64_t men = position_occupied(p);
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int i = 0; i < p->count[colour][PAWN]; i++)
            if (p->board[square_apply(MIRROR_FILES, p->list[colour][PAWN][i])] == piece_code(colour, PAWN))
                return MIRROR_FILES;
    const bool pawns = p->count[WHITE][PAWN] + p->count[BLACK][PAWN] > 0;
    const bool diagonal =
        __builtin_popcountll(men & DIAGONAL_A1H8) > 1 || __builtin_popcountll(men & DIAGONAL_H1A8) > 1;
    return !pawns && diagonal ? DIAGONAL : 0;
}

static int compare(struct judge *judge, struct position *p)
{
    int outcome;
    TRY(probe_outcome(judge->tables, p, &outcome));
    compare_outcome(judge, p, 0, outcome);
    const int other = other_image(p);
    if (other != 0)
        compare_outcome(judge, p, other, outcome);
    judge->positions++;
    judge->en_passant += p->en_passant != NO_SQUARE;
    return judge->every != 0 && judge->positions % judge->every == 0 ? compare_dtz(judge, p) : 0;
}

// The position, if it is legal, and the same with each en passant right that it may have.
static int compare_rights(struct judge *judge, struct position *p)
{
    if (!position_legal(p))
        return 0;
    TRY(compare(judge, p));
    const int rank = p->side == WHITE ? 5 : 2;
    const int from = p->side == WHITE ? 8 : -8;
    for (int i = 0; i < p->count[p->side ^ 1][PAWN]; i++) {
        const int victim = p->list[p->side ^ 1][PAWN][i];
        const int slot = en_passant_victim(victim);
        if (square_rank(slot) != rank || p->board[slot] != EMPTY || p->board[slot + from] != EMPTY)
            continue;
        bool attacked = false;
        for (int k = 0; k < p->count[p->side][PAWN]; k++)
            attacked |= (pawn_attacks(p->side, p->list[p->side][PAWN][k]) & square_bit(slot)) != 0;
        if (!attacked)
            continue;
        TRY(position_set_en_passant(p, slot));
        const int code = compare(judge, p);
        TRY(position_set_en_passant(p, NO_SQUARE));
        TRY(code);
    }
    return 0;
}

static int compare_sides(struct judge *judge, struct position *p)
{
    int code = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        if (code == 0)
            code = compare_rights(judge, p);
        placement_turn(p);
    }
    return code;
}

// ---- the positions of a material ----

static int visit(void *context, const struct placement *placement, int worker)
{
    (void)worker;
    return compare_sides(context, placement->position);
}

static int compare_sample(struct judge *judge, const struct material *material, uint64_t sample, uint64_t seed)
{
    static struct position p;
    struct man men[MATERIAL_MEN_MAX];
    const int count = placement_men(material, men);
    while (sample > 0) {
        if (placement_of_bits(men, count, random_next(&seed) & INT64_MAX, &p) != 0) // White to move
            continue;
        TRY(compare_sides(judge, &p));
        sample--;
    }
    return 0;
}

// ---- the command line ----

// The number of an option if this argument is it, which then has its value in the next one.
static bool takes(const char *option, char **argument, uint64_t *number)
{
    if (strcmp(argument[0], option) != 0 || argument[1] == NULL)
        return false;
    *number = strtoull(argument[1], NULL, 10);
    return true;
}

int main(int argc, char **argv)
{
    struct judge judge = {.every = 1};
    uint64_t sample = 0;
    uint64_t seed = 0;
    int i = 1;
    while (i < argc && argv[i][0] == '-') {
        if (takes("--dtz", argv + i, &judge.every) || takes("--sample", argv + i, &sample) ||
            takes("--seed", argv + i, &seed)) {
            i += 2;
        } else if (strcmp(argv[i], "--exact") == 0) {
            judge.exact = true;
            i++;
        } else {
            break;
        }
    }
    if (argc - i < 3 || argv[i][0] == '-') {
        fprintf(stderr, "usage: fathom [--exact] [--dtz EVERY] [--sample N] [--seed N] SYZYGY TABLES NAME...\n");
        return 2;
    }
    struct thread_pool *pool = NULL;
    uint64_t differences = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    int code = threads_open(&pool, 1); // libfathom's root probe is for one thread
    if (code == 0)
        code = cltb_open(&judge.tables, argv[i + 1], &(cltb_options){.cache_bytes = CACHE_BYTES});
    if (code == 0 && !tb_init(argv[i]))
        code = error_set(CLTB_E_IO, "%s: libfathom cannot open it", argv[i]);
    for (i += 2; i < argc && code == 0; i++) {
        struct material material;
        judge.positions = judge.en_passant = judge.dtz = judge.differences = 0;
        code = material_parse(&material, argv[i], NULL);
        if (code == 0)
            code = sample > 0 ? compare_sample(&judge, &material, sample, seed)
                              : placements_each(&material, pool, visit, &judge);
        if (code == 0)
            printf("%s: %" PRIu64 " outcomes (%" PRIu64 " en passant), %" PRIu64 " DTZ: %" PRIu64 " differ\n", argv[i],
                   judge.positions, judge.en_passant, judge.dtz, judge.differences);
        differences += judge.differences;
    }
    if (code != 0)
        fprintf(stderr, "fathom: %s\n", error_text());
    // No tb_free(): Debian's complains of files that were not opened.
    cltb_close(judge.tables);
    threads_close(pool);
    return code != 0 ? 2 : differences != 0;
}
