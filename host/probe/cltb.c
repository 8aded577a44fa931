// cltb.c - the public functions: plain structs in and out, the work in probe.c
#include <cltb/cltb.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/notation.h"
#include "probe/castling.h"
#include "util/error.h"

#include <string.h>

_Static_assert(sizeof((cltb_move){0}.uci) >= UCI_MAX, "room for every move in UCI");
_Static_assert(sizeof((cltb_move){0}.san) >= SAN_MAX, "room for every move in SAN");

const char *cltb_error(void)
{
    return error_text();
}

const char *cltb_version(void)
{
    return CLTB_VERSION;
}

const char *cltb_outcome_name(int outcome)
{
    static const char *const names[] = {"loss", "blessed-loss", "draw", "cursed-win", "win"};
    return outcome >= CLTB_LOSS && outcome <= CLTB_WIN ? names[outcome - CLTB_LOSS] : "?";
}

// Is this square, that of the king not to move, free from attacks by the men to move?
static bool king_is_safe(const cltb_position *from, int square)
{
    const uint64_t men = from->side == WHITE ? from->white : from->black;
    const uint64_t occupied = from->white | from->black;
    const uint64_t straight = men & (from->rooks | from->queens);
    const uint64_t diagonal = men & (from->bishops | from->queens);
    uint64_t attackers = men & ((king_attacks(square) & from->kings) | (knight_attacks(square) & from->knights) |
                                (pawn_attacks(from->side ^ 1, square) & from->pawns));
    if (straight != 0)
        attackers |= rook_attacks(square, occupied) & straight;
    if (diagonal != 0)
        attackers |= bishop_attacks(square, occupied) & diagonal;
    return attackers == 0;
}

// Also gives a sentence about what is wrong.
static int position_set_slowly(struct position *p, const uint64_t kinds[PIECE_TYPES], uint64_t white, int side)
{
    struct man men[SQUARES];
    int count = 0;
    for (int type = KING; type <= PAWN; type++) {
        for (uint64_t set = kinds[type]; set != 0;) {
            int square = set_pop(&set);
            uint8_t colour = white >> square & 1 ? WHITE : BLACK;
            men[count++] = (struct man){(uint8_t)type, colour, (uint8_t)square};
        }
    }
    return position_set(p, men, count, side);
}

int position_from_public(struct position *p, const cltb_position *from)
{
    const uint64_t kinds[PIECE_TYPES] = {from->kings,   from->queens,  from->rooks,
                                         from->bishops, from->knights, from->pawns};
    const uint64_t colours[COLOURS] = {from->white, from->black};
    uint64_t all = 0;
    // Every man must be in one set of colours and in one of kinds.
    for (int type = KING; type <= PAWN; type++) {
        if (all & kinds[type])
            return error_set(CLTB_E_POSITION, "two kinds of men on %s",
                             square_name(__builtin_ctzll(all & kinds[type])));
        all |= kinds[type];
    }
    if (from->white & from->black)
        return error_set(CLTB_E_POSITION, "men of both colours on %s",
                         square_name(__builtin_ctzll(from->white & from->black)));
    const uint64_t differing = all ^ (from->white | from->black);
    if (differing != 0)
        return error_set(CLTB_E_POSITION, "the man on %s lacks its colour or its kind",
                         square_name(__builtin_ctzll(differing)));
    if (from->castling != 0)
        return error_set(CLTB_E_POSITION, "castling is still possible: tables hold no such positions");
    int code = 0;
    if (!position_set_sets(p, colours, kinds, from->side))
        code = position_set_slowly(p, kinds, from->white, from->side);
    if (code == 0 && from->en_passant != 0)
        code = position_set_en_passant(p, from->en_passant);
    if (code == 0 && !king_is_safe(from, position_king(p, from->side ^ 1)))
        code = position_require_legal(p);
    p->fifty = from->fifty;
    return code;
}

void position_to_public(const struct position *p, cltb_position *position)
{
    uint64_t kinds[PIECE_TYPES] = {0};
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type <= PAWN; type++)
            for (int i = 0; i < p->count[colour][type]; i++)
                kinds[type] |= square_bit(p->list[colour][type][i]);
    *position = (cltb_position){
        .white = p->men[WHITE],
        .black = p->men[BLACK],
        .kings = kinds[KING],
        .queens = kinds[QUEEN],
        .rooks = kinds[ROOK],
        .bishops = kinds[BISHOP],
        .knights = kinds[KNIGHT],
        .pawns = kinds[PAWN],
        .side = p->side,
        .castling = p->castling != 0,
        .en_passant = p->en_passant == NO_SQUARE ? 0 : p->en_passant,
        .fifty = p->fifty,
    };
}

int cltb_position_from_fen(cltb_position *position, const char *fen)
{
    struct position p;
    TRY(error_null(position, fen, fen));
    TRY(fen_read(&p, fen));
    position_to_public(&p, position);
    return 0;
}

int cltb_probe(cltb_tables *tables, const cltb_position *position, cltb_value *value)
{
    struct position p;
    TRY(error_null(tables, position, value));
    TRY(position_from_public(&p, position));
    return probe_position(tables, &p, value);
}

int cltb_probe_outcome(cltb_tables *tables, const cltb_position *position, int *outcome)
{
    struct position p;
    TRY(error_null(tables, position, outcome));
    TRY(position_from_public(&p, position));
    TRY(probe_possible(&p));
    return probe_outcome(tables, &p, outcome);
}

int cltb_probe_mate(cltb_tables *tables, const cltb_position *position, cltb_value *value)
{
    struct position p;
    TRY(error_null(tables, position, value));
    TRY(position_from_public(&p, position));
    return probe_exact(tables, &p, METRIC_DTM, value);
}

int cltb_probe_conversion(cltb_tables *tables, const cltb_position *position, cltb_value *value)
{
    struct position p;
    TRY(error_null(tables, position, value));
    TRY(position_from_public(&p, position));
    return probe_exact(tables, &p, METRIC_DTC, value);
}

int cltb_probe_fen(cltb_tables *tables, const char *fen, cltb_value *value)
{
    struct position p;
    TRY(error_null(tables, fen, value));
    TRY(fen_read(&p, fen));
    if (p.castling == 0)
        return probe_position(tables, &p, value);
    TRY(castling_value(tables, &p, true, value));
    *value = value_with_clock(*value, p.fifty);
    return 0;
}

static int root_moves(cltb_tables *tables, struct position *p, cltb_move moves[CLTB_MOVES_MAX])
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    const int count = p->castling != 0 ? castling_moves(tables, p, ranked) : probe_moves(tables, p, false, ranked);
    if (p->castling == 0)
        TRY(probe_best_known(tables, p, ranked, count < 0 ? 0 : count));
    for (int i = 0; i < count; i++) {
        moves[i] = (cltb_move){.zeroing = ranked[i].zeroing, .mate = ranked[i].mate, .value = ranked[i].value};
        uci_write(ranked[i].move, moves[i].uci);
        san_write(p, ranked[i].move, moves[i].san);
    }
    return count;
}

int cltb_root_moves(cltb_tables *tables, const cltb_position *position, cltb_move moves[CLTB_MOVES_MAX])
{
    struct position p;
    TRY(error_null(tables, position, moves));
    TRY(position_from_public(&p, position));
    return root_moves(tables, &p, moves);
}

int cltb_root_moves_fen(cltb_tables *tables, const char *fen, cltb_move moves[CLTB_MOVES_MAX])
{
    struct position p;
    TRY(error_null(tables, fen, moves));
    TRY(fen_read(&p, fen));
    return root_moves(tables, &p, moves);
}
