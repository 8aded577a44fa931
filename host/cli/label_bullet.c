// label_bullet.c - the records of the trainer bullet, 32 bytes each, seen by the side to move
//
//     bytes  0 to 7     set of squares with a man; the ranks are mirrored if Black is to move (little-endian)
//            8 to 23    a half byte for each of these men, from the lowest square up, the low half first: 0 pawn, 1
//                       knight, 2 bishop, 3 rook, 4 queen, 5 king; plus 8: of the side not to move
//           24 and 25   the score
//           26          the result: 0 loss, 1 draw, 2 win
//           27 and 28   the squares of the two kings, each seen by its own side
//           29 to 31    anything
//
// A record does not say whether a side may castle or capture en passant, nor which colour is to move.
#include "cli/label.h"

#include "chess/man.h"
#include "util/error.h"

#include <string.h>

enum { MEN_AT = 8, SCORE_AT = 24, RESULT_AT = 26, KINGS_AT = 27, THEIRS = 8, KINDS = 6 };

static uint64_t read_set(const char *bytes)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < 8; i++)
        set |= (uint64_t)(uint8_t)bytes[i] << 8 * i;
    return set;
}

// False if the record has more men than a table, or a kind of man that there is not.
static bool read_position(const char *bytes, cltb_position *position)
{
    uint64_t men = read_set(bytes);
    uint64_t kind[THEIRS] = {0};
    uint64_t side[2] = {0};
    for (unsigned i = 0; men != 0; i++) {
        if (i == LABEL_MEN_MAX)
            return false;
        const unsigned man = (uint8_t)bytes[MEN_AT + i / 2] >> 4 * (i % 2) & 15;
        const uint64_t bit = men & -men;
        men ^= bit;
        side[man / THEIRS] |= bit;
        kind[man % THEIRS] |= bit;
    }
    *position = (cltb_position){.white = side[0],
                                .black = side[1],
                                .kings = kind[5],
                                .queens = kind[4],
                                .rooks = kind[3],
                                .bishops = kind[2],
                                .knights = kind[1],
                                .pawns = kind[0]};
    return true; // a kind that there is not is in no set, which probing refuses
}

int label_read_bullet(struct label_batch *batch)
{
    cltb_position position;
    batch->records = batch->size / BULLET_BYTES;
    for (size_t i = 0; i < batch->records; i++)
        if (read_position(batch->bytes + i * BULLET_BYTES, &position))
            TRY(label_add(batch, i, &position));
    return 0;
}

void label_write_bullet(struct label_batch *batch, const struct label_rule *rule)
{
    for (size_t i = 0; i < batch->positions; i++) {
        char *given = batch->bytes + (size_t)batch->record[i] * BULLET_BYTES + RESULT_AT;
        const int result = label_result(rule, batch->outcome[i]);
        if (result < 0)
            continue;
        batch->changed += *given != result;
        *given = (char)result;
    }
}

void label_make_bullet(const cltb_position *p, int score, int result, char bytes[BULLET_BYTES])
{
    const uint64_t kinds[KINDS] = {p->pawns, p->knights, p->bishops, p->rooks, p->queens, p->kings};
    const uint64_t ours = p->side == WHITE ? p->white : p->black;
    const int mirror = p->side == WHITE ? 0 : 56;
    unsigned men = 0;
    memset(bytes, 0, BULLET_BYTES);
    bytes[SCORE_AT] = (char)(score & 255);
    bytes[SCORE_AT + 1] = (char)(score >> 8 & 255);
    bytes[RESULT_AT] = (char)result;
    for (int i = 0; i < SQUARES; i++) {
        const int square = i ^ mirror;
        if (!((p->white | p->black) >> square & 1))
            continue;
        unsigned man = ours >> square & 1 ? 0 : THEIRS;
        for (unsigned kind = 1; kind < KINDS; kind++)
            man += kinds[kind] >> square & 1 ? kind : 0;
        bytes[i / 8] = (char)(bytes[i / 8] | 1 << i % 8);
        bytes[MEN_AT + men / 2] = (char)((uint8_t)bytes[MEN_AT + men / 2] | man << 4 * (men % 2));
        if (man % THEIRS == KINDS - 1)
            bytes[KINGS_AT + man / THEIRS] = (char)(man < THEIRS ? i : i ^ 56);
        men++;
    }
}
