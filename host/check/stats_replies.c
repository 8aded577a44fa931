// stats_replies.c - for every position of side B the least rank that a quiet move leads to
//
// A row (stats_rows.h) has the ranks of side A for the 64 squares of the last free man. For another man, of side B, and
// with the rest of the men on certain squares, there are 64 rows, one for each of its squares, and its moves lead from
// one of these rows to another, lane by lane: lane l is the last man on the square with code l.
//
//     king, knight   reply[s] = min(reply[s], rank[t]) for each of its moves s-t
//     others         along each line in both directions, with flow = nothing at its start and behind each man:
//                    reply[s] = min(reply[s], flow); flow = min(flow, rank[s])
//
// The last man stands in the way, too: in row s, flow becomes nothing in the lane in which it stands on s. Where men
// share a square the rank is nothing, so such moves do not count.
//
// For example, a rook on a line of four squares with the ranks 7 3 5 2, and the last man on its third square: from left
// to right flow is - 7 - -, from right to left - - - 2 (the fourth square has no neighbour but the man). So the replies
// are 3 7 - -: 3 is the rank of the second square, 7 that of the first.
//
// A move costs about one instruction for each 8 positions, a line three or four for each of its squares.
#include "check/stats_rows.h"

#include "chess/attacks.h"

#include <string.h>

// A context: the men other than the mover and the last man.
struct context {
    const int16_t *rank; // of side A: the row of the mover's code 0
    int16_t *reply;
    uint64_t step;   // from one code of the mover to the next
    uint64_t others; // squares
};

static void clear_lanes(int16_t lanes[SQUARES])
{
    for (int l = 0; l < SQUARES; l++)
        lanes[l] = RANK_NONE;
}

static void least_of(int16_t *restrict reply, const int16_t *restrict rank)
{
    for (int l = 0; l < SQUARES; l++)
        reply[l] = rank[l] < reply[l] ? rank[l] : reply[l];
}

// Finds the moves along lines with this step of files and ranks.
static void slide(const struct context *context, int files, int ranks)
{
    for (int start = 0; start < SQUARES; start++) {
        int16_t flow[SQUARES];
        int file = square_file(start);
        int rank = square_rank(start);
        if (file - files >= 0 && file - files < 8 && rank - ranks >= 0 && rank - ranks < 8)
            continue; // a line continues through it
        clear_lanes(flow);
        for (; file >= 0 && file < 8 && rank >= 0 && rank < 8; file += files, rank += ranks) {
            const int square = 8 * rank + file;
            const uint64_t at = square_code[square] * context->step;
            if (context->others & square_bit(square)) {
                clear_lanes(flow);
                continue;
            }
            least_of(context->reply + at, flow);
            least_of(flow, context->rank + at);
            flow[square_code[square]] = RANK_NONE;
        }
    }
}

static void hop(const struct context *context, int type)
{
    for (int square = 0; square < SQUARES; square++) {
        if (context->others & square_bit(square))
            continue;
        uint64_t to = (type == KING ? king_attacks(square) : knight_attacks(square)) & ~context->others;
        while (to != 0)
            least_of(context->reply + square_code[square] * context->step,
                     context->rank + square_code[set_pop(&to)] * context->step);
    }
}

static void move_man(const struct context *context, int type)
{
    static const int steps[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    if (type == KING || type == KNIGHT)
        hop(context, type);
    for (int i = 0; i < 8; i++)
        if (type == QUEEN || type == (i < 4 ? ROOK : BISHOP))
            slide(context, steps[i][0], steps[i][1]);
}

// Finds the last man's own moves, within a row, if side A has no free man.
static void move_last(const int16_t *rank, int16_t *reply, const struct man *man, uint64_t others)
{
    for (int square = 0; square < SQUARES; square++) {
        if (others & square_bit(square))
            continue;
        int16_t *to = &reply[square_code[square]];
        uint64_t targets = piece_attacks(man->type, man->colour, square, others) & ~others;
        while (targets != 0) {
            const int16_t one = rank[square_code[set_pop(&targets)]];
            *to = one < *to ? one : *to;
        }
    }
}

void stats_replies_clear(const struct stats_parts *parts, size_t part)
{
    int16_t *reply = parts->part[part].rank[parts->ranked];
    for (uint64_t i = 0; i < parts->entries; i++)
        reply[i] = RANK_NONE;
}

// Puts the men on their squares, except the mover and the last man: `number` has the digits of a row without the
// mover's. False if two share a square.
static bool set_others(const struct stats_parts *parts, const struct stats_part *part, uint64_t number, uint64_t *row,
                       uint64_t *others)
{
    *others = 0;
    *row = 0;
    for (int i = parts->men->count - 1; i >= 0; i--) {
        int square = i < parts->free ? 0 : part->fixed[i - parts->free];
        if (i == parts->mover || i == parts->free - 1)
            continue;
        if (i < parts->free) {
            square = code_square[number % SQUARES];
            *row += number % SQUARES * parts->step[i];
            number /= SQUARES;
        }
        if (*others & square_bit(square))
            return false;
        *others |= square_bit(square);
    }
    return true;
}

void stats_replies(const struct stats_parts *parts, size_t part, uint64_t item)
{
    const struct stats_part *at = &parts->part[part];
    const int16_t *rank = at->rank[parts->ranked ^ 1];
    int16_t *reply = at->rank[parts->ranked];
    const struct man *man = &parts->man[parts->mover];
    const bool last = parts->mover == parts->free - 1;
    uint64_t row;
    uint64_t others;
    for (uint64_t number = item * SQUARES; last && number < (item + 1) * SQUARES; number++)
        if (set_others(parts, at, number, &row, &others))
            move_last(rank + row, reply + row, man, others);
    if (!last && set_others(parts, at, item, &row, &others)) {
        const struct context context = {rank + row, reply + row, parts->step[parts->mover], others};
        move_man(&context, man->type);
    }
}
