// check.c - distances to mate, position by position: against distances to zeroing, another program's tables, and in
// play
//
//     check [--every N] [--games N] [--seed N] [--gaviota DIR] TABLES NAME...
//
// Visits every legal position of each material up to symmetry, both sides to move, and with each en passant right that
// a pawn can use; with --every only each N-th of them. TABLES is a list of folders with NAME.dtm.cltb.
//
//     1. Without --gaviota TABLES must have NAME.cltb, too: the outcomes must be the same except for the 50-move rule,
//        and no mate may come before the zeroing move (a cursed win takes more than 100 plies to both).
//     2. With --gaviota, outcome and plies to mate must be those that Gaviota's library (Miguel Ballicora's, as in
//        Debian) reads from its tables in DIR.
//     3. With --games, so many games are played from random positions. Each move is a random one of the legal moves
//        that keep the value: the distance must fall by one with each ply, no move may be better, and the game must end
//        with mate.
//
// Says for each material how much was compared. Exit status 1 if anything differs (the first differences are reported),
// 2 if a table cannot be read.
#include "check/placements.h"
#include "chess/attacks.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef CLTB_GAVIOTA
#include <gtb-probe.h>
#endif

enum { DIFFERENCES_TOLD = 10, CACHE_BYTES = 1 << 30 };

struct check {
    cltb_tables *tables;
    bool gaviota;
    uint64_t every;
    uint64_t games;
    uint64_t random; // state
    uint64_t visited;
    uint64_t compared;
    uint64_t en_passant; // of these
    uint64_t plies;      // of the games
    uint64_t differences;
};

static void differ(struct check *check, const struct position *p, const char *what, struct cltb_value ours,
                   struct cltb_value other)
{
    char fen[FEN_MAX];
    fen_write(p, fen);
    if (check->differences++ < DIFFERENCES_TOLD)
        printf("%s: %s in %d, but %s %s in %d\n", fen, cltb_outcome_name(ours.outcome), ours.dtz, what,
               cltb_outcome_name(other.outcome), other.dtz);
}

// ---- one position ----

static int compare_zeroing(struct check *check, struct position *p, struct cltb_value mate)
{
    struct cltb_value zeroing;
    TRY(probe_value(check->tables, p, &zeroing));
    const int outcome = zeroing.outcome > 0 ? CLTB_WIN : zeroing.outcome < 0 ? CLTB_LOSS : CLTB_DRAW;
    if (mate.outcome != outcome || mate.dtz < zeroing.dtz)
        differ(check, p, "to zeroing", mate, zeroing);
    return 0;
}

#ifdef CLTB_GAVIOTA
static const char **gaviota_paths;

static int open_gaviota(const char *folder)
{
    gaviota_paths = tbpaths_add(tbpaths_init(), folder);
    tb_init(0, tb_CP4, gaviota_paths);
    tbcache_init(CACHE_BYTES / 64, 0);
    return tb_availability() & 2 ? 0 : error_set(CLTB_E_IO, "%s: not all of Gaviota's tables of 3 men", folder);
}

static void close_gaviota(void)
{
    tbcache_done();
    tb_done();
    tbpaths_done(gaviota_paths);
}

static int compare_gaviota(struct check *check, struct position *p, struct cltb_value mate)
{
    static const unsigned char types[PIECE_TYPES] = {[KING] = tb_KING,     [QUEEN] = tb_QUEEN,   [ROOK] = tb_ROOK,
                                                     [BISHOP] = tb_BISHOP, [KNIGHT] = tb_KNIGHT, [PAWN] = tb_PAWN};
    unsigned square[COLOURS][MATERIAL_MEN_MAX + 1];
    unsigned char type[COLOURS][MATERIAL_MEN_MAX + 1];
    unsigned info = tb_UNKNOWN;
    unsigned plies = 0;
    int count[COLOURS] = {0};
    for (uint64_t men = position_occupied(p); men != 0;) {
        const int at = set_pop(&men);
        const int colour = piece_colour(p->board[at]);
        square[colour][count[colour]] = (unsigned)at;
        type[colour][count[colour]++] = types[piece_type(p->board[at])];
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        square[colour][count[colour]] = tb_NOSQUARE;
        type[colour][count[colour]] = tb_NOPIECE;
    }
    const unsigned slot = p->en_passant == NO_SQUARE ? (unsigned)tb_NOSQUARE : (unsigned)p->en_passant;
    if (!tb_probe_hard(p->side == WHITE ? tb_WHITE_TO_MOVE : tb_BLACK_TO_MOVE, slot, tb_NOCASTLE, square[WHITE],
                       square[BLACK], type[WHITE], type[BLACK], &info, &plies))
        return error_set(CLTB_E_MISSING, "Gaviota's library has no table for this position");
    struct cltb_value theirs = {.outcome = CLTB_DRAW};
    if (info == tb_WMATE || info == tb_BMATE)
        theirs = (struct cltb_value){(info == tb_WMATE) == (p->side == WHITE) ? CLTB_WIN : CLTB_LOSS, (int)plies, 0};
    if ((info != tb_DRAW && theirs.outcome == CLTB_DRAW) || theirs.outcome != mate.outcome || theirs.dtz != mate.dtz)
        differ(check, p, "in Gaviota's table", mate, theirs);
    return 0;
}
#else
static int open_gaviota(const char *folder)
{
    return error_set(CLTB_E_USAGE, "%s: built without Gaviota's library", folder);
}

static int compare_gaviota(struct check *check, struct position *p, struct cltb_value mate)
{
    (void)check;
    (void)p;
    (void)mate;
    return CLTB_E_USAGE;
}

static void close_gaviota(void)
{
}
#endif

static int compare(struct check *check, struct position *p)
{
    struct cltb_value mate;
    if (check->visited++ % check->every != 0)
        return 0;
    check->compared++;
    check->en_passant += p->en_passant != NO_SQUARE;
    TRY(probe_exact(check->tables, p, METRIC_DTM, &mate));
    return (check->gaviota ? compare_gaviota : compare_zeroing)(check, p, mate);
}

// ---- the positions of a material ----

// The position, if it is legal, and the same with each en passant right that it may have.
static int compare_rights(struct check *check, struct position *p)
{
    if (!position_legal(p))
        return 0;
    TRY(compare(check, p));
    for (int i = 0; i < p->count[p->side ^ 1][PAWN] && p->count[p->side][PAWN] > 0; i++) {
        const int pawn = p->list[p->side ^ 1][PAWN][i];
        if (square_rank(pawn) != (p->side == WHITE ? 4 : 3) || position_set_en_passant(p, pawn ^ 8) != 0)
            continue;
        const int code = position_en_passant_legal(p) ? compare(check, p) : 0;
        TRY(position_set_en_passant(p, NO_SQUARE));
        TRY(code);
    }
    return 0;
}

static int visit(void *context, const struct placement *placement, int worker)
{
    struct position *p = placement->position;
    int code = 0;
    (void)worker;
    for (int side = WHITE; side <= BLACK; side++) {
        if (code == 0)
            code = compare_rights(context, p);
        placement_turn(p);
    }
    return code;
}

// ---- games ----

// The value of the best move, a number of moves that have it, and one of these at random.
static int choose(struct check *check, struct position *p, struct cltb_value *best, uint32_t *choice)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    uint64_t same = 0;
    for (int i = 0; i < count; i++) {
        struct cltb_value value;
        TRY(position_make(p, moves[i]));
        const int code = probe_exact(check->tables, p, METRIC_DTM, &value);
        position_undo(p);
        TRY(code);
        value.outcome = -value.outcome;
        value.dtz += value.outcome != CLTB_DRAW;
        const int order = i == 0 ? -1 : value_compare(value, *best);
        same = order < 0 ? 1 : same + (order == 0);
        if (order < 0 || (order == 0 && random_next(&check->random) % same == 0)) {
            *best = value;
            *choice = moves[i];
        }
    }
    return count;
}

static int play(struct check *check, struct position *p)
{
    struct cltb_value value;
    TRY(probe_exact(check->tables, p, METRIC_DTM, &value));
    while (value.outcome != CLTB_DRAW) {
        struct cltb_value best = {.outcome = CLTB_LOSS};
        uint32_t move = 0;
        const int count = choose(check, p, &best, &move);
        TRY(count < 0 ? count : 0);
        if (count == 0 ? value.dtz != 0 || !position_in_check(p) : value_compare(best, value) != 0) {
            differ(check, p, "by its best move", value, best);
            return 0;
        }
        if (count == 0)
            return 0;
        TRY(position_make(p, move));
        position_forget(p);
        value = (struct cltb_value){-value.outcome, value.dtz - 1, 0};
        check->plies++;
    }
    return 0;
}

static int play_games(struct check *check, const struct material *material)
{
    static struct position p;
    struct man men[MATERIAL_MEN_MAX];
    const int count = placement_men(material, men);
    for (uint64_t games = 0; games < check->games;) {
        if (placement_of_bits(men, count, random_next(&check->random), &p) != 0 || !position_legal(&p))
            continue;
        TRY(play(check, &p));
        games++;
    }
    return 0;
}

// ---- the command line ----

static bool takes(const char *option, char **argument, uint64_t *number)
{
    if (strcmp(argument[0], option) != 0 || argument[1] == NULL)
        return false;
    *number = strtoull(argument[1], NULL, 10);
    return true;
}

static int check_name(struct check *check, const char *name, struct thread_pool *pool)
{
    struct material material;
    check->visited = check->compared = check->en_passant = check->plies = check->differences = 0;
    TRY(material_parse(&material, name, NULL));
    if (check->every > 0)
        TRY(placements_each(&material, pool, visit, check));
    TRY(play_games(check, &material));
    printf("%s: %" PRIu64 " positions (%" PRIu64 " en passant), %" PRIu64 " games of %" PRIu64 " plies: %" PRIu64
           " differ\n",
           name, check->compared, check->en_passant, check->games, check->plies, check->differences);
    return 0;
}

int main(int argc, char **argv)
{
    struct check check = {.every = 1, .random = 1};
    struct thread_pool *pool = NULL;
    uint64_t differences = 0;
    int code = 0;
    int i = 1;
    for (; i < argc - 1 && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "--gaviota") == 0) {
            check.gaviota = true;
            code = open_gaviota(argv[i + 1]);
        } else if (!takes("--every", argv + i, &check.every) && !takes("--games", argv + i, &check.games) &&
                   !takes("--seed", argv + i, &check.random)) {
            break;
        }
    }
    if (argc - i < 2 || argv[i][0] == '-') {
        fprintf(stderr, "usage: check [--every N] [--games N] [--seed N] [--gaviota DIR] TABLES NAME...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (code == 0)
        code = threads_open(&pool, 1); // Gaviota's library and the counts are for one thread
    if (code == 0)
        code = cltb_open(&check.tables, argv[i], &(cltb_options){.cache_bytes = CACHE_BYTES});
    for (i++; i < argc && code == 0; i++) {
        code = check_name(&check, argv[i], pool);
        differences += check.differences;
    }
    if (code != 0)
        fprintf(stderr, "check: %s\n", error_text());
    if (check.gaviota)
        close_gaviota();
    cltb_close(check.tables);
    threads_close(pool);
    return code != 0 ? 2 : differences != 0;
}
