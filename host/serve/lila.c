// lila.c - positions as JSON in the form of lila-tablebase
#include "serve/lila.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "index/square.h"
#include "probe/castling.h"
#include "probe/choose.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// In the order of the moves that lead to them, best first for the side that moves.
enum category { LOST, UNKNOWN, MAYBE_LOST, BLESSED_LOSS, DRAWN, CURSED_WIN, MAYBE_WON, WON };

static const char *const category_name[] = {
    [LOST] = "loss",  [UNKNOWN] = "unknown",       [MAYBE_LOST] = "syzygy-loss", [BLESSED_LOSS] = "blessed-loss",
    [DRAWN] = "draw", [CURSED_WIN] = "cursed-win", [MAYBE_WON] = "syzygy-win",   [WON] = "win"};

struct assessment {
    bool checkmate;
    bool stalemate;
    bool insufficient;
    int outcome; // with the half-move clock, as far as it can be judged
    bool known;  // the distance
    int dtz;     // signed; unknown: that of PLY_UNKNOWN
    bool rounded;
    bool has_dtm;
    int dtm; // signed, without the 50-move rule
    enum category category;
};

struct lila_move {
    char uci[UCI_MAX];
    char san[SAN_MAX];
    bool zeroing;
    bool conversion; // a capture or a promotion
    uint8_t captured;
    uint8_t promoted; // types, 0: none; the larger the better
    struct assessment after;
    int rank; // dtm if it is known for all moves
};

// ---- reading ----

int lila_read(struct position *position, const char *fen)
{
    char text[FEN_MAX];
    if (strlen(fen) >= sizeof text)
        return error_set(CLTB_E_POSITION, "the FEN is too long");
    snprintf(text, sizeof text, "%s", fen);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    return fen_read_lenient(position, text, false);
}

// ---- values ----

// Bare kings, a single minor piece, or only bishops on squares of one colour?
static bool is_insufficient(const struct position *p)
{
    int knights = 0;
    int bishops[2] = {0, 0}; // by the colour of their squares
    for (int side = WHITE; side <= BLACK; side++) {
        if (p->count[side][PAWN] + p->count[side][ROOK] + p->count[side][QUEEN] > 0)
            return false;
        knights += p->count[side][KNIGHT];
        for (int i = 0; i < p->count[side][BISHOP]; i++) {
            const int square = p->list[side][BISHOP][i];
            bishops[(square_file(square) + square_rank(square)) & 1]++;
        }
    }
    return knights == 0 ? bishops[0] == 0 || bishops[1] == 0 : knights == 1 && bishops[0] + bishops[1] == 0;
}

// `fifty_before`: the half-move clock before the move that led here. Wins that begin with a clock of 100 are cursed.
static enum category category_of(const struct assessment *assessment, int fifty, int fifty_before)
{
    const bool won = assessment->outcome > CLTB_DRAW;
    if (assessment->outcome == CLTB_UNKNOWN)
        return UNKNOWN;
    if (assessment->outcome == CLTB_DRAW)
        return DRAWN;
    if (assessment->checkmate)
        return fifty_before < PLY_LIMIT ? LOST : BLESSED_LOSS;
    if (fifty_before >= PLY_LIMIT || outcome_is_cursed(assessment->outcome))
        return won ? CURSED_WIN : BLESSED_LOSS;
    // Without a distance, a clock that has run for more than this move may end the win.
    if (assessment->known ? assessment->rounded && abs(assessment->dtz) + fifty == PLY_LIMIT : fifty > 1)
        return won ? MAYBE_WON : MAYBE_LOST;
    return won ? WON : LOST;
}

// Does the answer go on without this value?
static bool note_fault(struct lila *lila, int code)
{
    if (code != CLTB_E_MISSING && code != CLTB_E_CORRUPT && code != CLTB_E_FOREIGN)
        return false;
    lila->unsure = true;
    lila->damage = code != CLTB_E_MISSING ? code : lila->damage;
    lila->fault(lila->context, error_text());
    return true;
}

// Looks for the distance to mate. Most folders have no table of it: that is not an error.
static int look_for_mate(struct lila *lila, struct position *p, struct assessment *assessment)
{
    struct cltb_value value;
    const int code = probe_exact(lila->tables, p, METRIC_DTM, &value);
    if (code != 0 && code != CLTB_E_MISSING && !note_fault(lila, code))
        return code;
    assessment->has_dtm = code == 0;
    assessment->dtm = code != 0 ? 0 : value.outcome > 0 ? value.dtz : -value.dtz;
    return 0;
}

// CLTB_E_POSITION if no table can help.
static int probe(struct lila *lila, struct position *p, struct cltb_value *value)
{
    if (p->castling == 0 || position_men(p) > lila->castling_men) {
        TRY(probe_possible(p));
        return probe_known(lila->tables, p, value);
    }
    TRY(castling_value(lila->tables, p, true, value));
    *value = value_with_clock(*value, p->fifty);
    return 0;
}

static int look(struct lila *lila, struct position *p, int fifty_before, struct assessment *assessment)
{
    const bool stuck = !moves_any(p);
    const bool check = stuck && position_in_check(p);
    struct cltb_value value = {.outcome = CLTB_UNKNOWN, .dtz = DTZ_UNKNOWN};
    *assessment =
        (struct assessment){.checkmate = check, .stalemate = stuck && !check, .insufficient = is_insufficient(p)};
    if (check) {
        value = (struct cltb_value){.outcome = CLTB_LOSS, .dtz = 1};
    } else if (stuck || assessment->insufficient) {
        value = (struct cltb_value){.outcome = CLTB_DRAW};
    } else {
        const int code = probe(lila, p, &value);
        if (code != 0)
            value = (struct cltb_value){.outcome = CLTB_UNKNOWN, .dtz = DTZ_UNKNOWN};
        if (value.dtz == DTZ_UNKNOWN && code != CLTB_E_POSITION && !note_fault(lila, code != 0 ? code : CLTB_E_MISSING))
            return code;
    }
    const int plies = value.dtz == DTZ_UNKNOWN ? PLY_UNKNOWN : value.dtz;
    assessment->outcome = value.outcome;
    assessment->known = value.dtz != DTZ_UNKNOWN;
    assessment->dtz = value.outcome > CLTB_DRAW ? plies : -plies;
    assessment->rounded = value.rounded;
    assessment->category = category_of(assessment, p->fifty, fifty_before);
    return check || probe_possible(p) != 0 ? 0 : look_for_mate(lila, p, assessment);
}

// ---- moves ----

static int rank_type(int code)
{
    static const uint8_t rank[] = {[PAWN] = 1, [KNIGHT] = 2, [BISHOP] = 3, [ROOK] = 4, [QUEEN] = 5};
    return code == EMPTY ? 0 : rank[piece_type((uint8_t)code)];
}

enum { KEYS = 10 };

// In which moves are compared, each key the smaller the better.
static void sort_keys(const struct lila_move *move, int key[KEYS])
{
    const struct assessment *after = &move->after;
    const bool eager = after->category <= DRAWN; // a loser delays
    const int keys[KEYS] = {
        (int)after->category,      !after->checkmate,      !after->stalemate, !after->insufficient, -move->rank,
        move->conversion != eager, move->zeroing != eager, -after->dtz,       -move->captured,      -move->promoted};
    memcpy(key, keys, sizeof keys);
}

// Best first.
static int compare(const void *left, const void *right)
{
    int a[KEYS];
    int b[KEYS];
    sort_keys(left, a);
    sort_keys(right, b);
    for (int i = 0; i < KEYS; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return strcmp(((const struct lila_move *)left)->uci, ((const struct lila_move *)right)->uci);
}

static int look_at_moves(struct lila *lila, struct position *p, struct lila_move *moves, int *count)
{
    uint32_t legal[MOVES_MAX];
    bool by_mate = true;
    if (lila->before_moves != NULL)
        TRY(lila->before_moves(p));
    *count = moves_legal(p, legal);
    for (int i = 0; i < *count; i++) {
        struct lila_move *move = &moves[i];
        const int fifty = p->fifty;
        uci_write(legal[i], move->uci);
        san_write(p, legal[i], move->san);
        move->zeroing = move_is_zeroing(p, legal[i]);
        move->captured = (uint8_t)rank_type(move_captured(legal[i]));
        move->promoted = (uint8_t)rank_type(move_promoted(legal[i]));
        move->conversion = move->captured > 0 || move->promoted > 0;
        TRY(position_make(p, legal[i]));
        const int code = look(lila, p, fifty, &move->after);
        TRY(position_undo(p));
        TRY(code);
        by_mate = by_mate && (move->after.has_dtm || move->after.checkmate);
    }
    for (int i = 0; i < *count; i++)
        moves[i].rank = by_mate ? moves[i].after.dtm : 0;
    qsort(moves, (size_t)*count, sizeof *moves, compare);
    return 0;
}

// ---- writing ----

static void write_distances(struct json *json, const struct assessment *assessment)
{
    json_int_if(json, "dtz", assessment->known, assessment->dtz);
    json_int_if(json, "precise_dtz", assessment->known && !assessment->rounded, assessment->dtz);
}

static void write_assessment(struct json *json, const struct assessment *assessment)
{
    json_bool(json, "checkmate", assessment->checkmate);
    json_bool(json, "stalemate", assessment->stalemate);
    json_bool(json, "variant_win", false);
    json_bool(json, "variant_loss", false);
    json_bool(json, "insufficient_material", assessment->insufficient);
    write_distances(json, assessment);
    json_int_if(json, "dtm", assessment->has_dtm, assessment->dtm);
    json_null(json, "dtw");
    json_null(json, "dtc");
    json_text(json, "category", category_name[assessment->category]);
}

// The same for the other side.
static enum category turned(enum category category)
{
    if (category == UNKNOWN)
        return UNKNOWN;
    return category == LOST ? WON : category == WON ? LOST : (enum category)(2 * DRAWN - category);
}

int lila_position(struct lila *lila, struct position *p, struct json *json)
{
    struct lila_move moves[MOVES_MAX];
    struct assessment own;
    int count;
    TRY(look(lila, p, p->fifty - 1, &own));
    TRY(look_at_moves(lila, p, moves, &count));
    if (count > 0)
        own.category = turned(moves[0].after.category);
    json_open(json, NULL, '{');
    write_assessment(json, &own);
    json_open(json, "moves", '[');
    for (int i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "uci", moves[i].uci);
        json_text(json, "san", moves[i].san);
        json_bool(json, "zeroing", moves[i].zeroing);
        json_bool(json, "conversion", moves[i].conversion);
        write_assessment(json, &moves[i].after);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    return 0;
}

int lila_mainline(struct lila *lila, struct position *p, struct json *json)
{
    struct lila_move moves[MOVES_MAX];
    struct assessment own;
    int count = 1;
    TRY(look(lila, p, 0, &own));
    if (own.outcome == CLTB_UNKNOWN) {
        struct cltb_value value;
        TRY(probe(lila, p, &value));
    }
    json_open(json, NULL, '{');
    write_distances(json, &own);
    json_open(json, "mainline", '[');
    int code = 0;
    while (code == 0 && own.outcome != CLTB_DRAW && count > 0 && p->fifty < PLY_LIMIT) {
        struct ranked_move ranked[CLTB_MOVES_MAX];
        char uci[UCI_MAX];
        int best = 0;
        code = look_at_moves(lila, p, moves, &count);
        if (code != 0 || count == 0 || moves[0].after.category == UNKNOWN)
            break;
        const bool may_castle = p->castling != 0;
        code = may_castle ? castling_moves(lila->tables, p, ranked) : probe_moves(lila->tables, p, true, ranked);
        if (code <= 0)
            break;
        const int index = may_castle ? 0
                          : lila->choose != NULL
                              ? lila->choose(p, ranked, count)
                              : choose_move(lila->tables, p, ranked, count, NULL, 0, CHOOSE_NODES_LINE).index;
        const uint32_t move = ranked[index].move;
        uci_write(move, uci);
        while (strcmp(moves[best].uci, uci) != 0)
            best++;
        json_open(json, NULL, '{');
        json_text(json, "uci", moves[best].uci);
        json_text(json, "san", moves[best].san);
        write_distances(json, &moves[best].after);
        json_close(json);
        code = position_make(p, move);
        if (p->fifty == 0) // otherwise the positions count: they should not occur again
            position_forget(p);
    }
    json_close(json);
    if (code == 0 && !moves_any(p) && position_in_check(p))
        json_text(json, "winner", p->side == BLACK ? "w" : "b");
    else
        json_null(json, "winner");
    json_close(json);
    return code;
}
