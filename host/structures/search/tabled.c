// tabled.c - what moves out of a structure lead to in tables
#include "structures/search/tabled.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TARGETS_MAX = 64 };

// Positions of one structure with one side to move.
struct target {
    uint32_t number;
    int side;
    king_block *won;   // [blocks]
    uint64_t *rows;    // [blocks] squares of White's king for which they have been read, and
    uint64_t *columns; // [blocks] of Black's
};

struct tabled {
    struct target target[TARGETS_MAX];
    int targets;
};

int tabled_open(struct tabled **tabled)
{
    return memory_new(tabled, 1, sizeof **tabled, "structures");
}

void tabled_forget(struct tabled *t)
{
    for (int i = 0; i < t->targets; i++) {
        free(t->target[i].won);
        free(t->target[i].rows);
        free(t->target[i].columns);
    }
    t->targets = 0;
}

void tabled_close(struct tabled *tabled)
{
    if (tabled != NULL)
        tabled_forget(tabled);
    free(tabled);
}

static int find_target(struct tabled *t, uint32_t number, int side, size_t blocks, struct target **target)
{
    for (int i = 0; i < t->targets; i++) {
        *target = &t->target[i];
        if ((*target)->number == number && (*target)->side == side)
            return 0;
    }
    if (t->targets == TARGETS_MAX)
        tabled_forget(t);
    *target = &t->target[t->targets++];
    **target = (struct target){.number = number, .side = side};
    TRY(memory_new(&(*target)->won, blocks, sizeof(king_block), "a structure"));
    TRY(memory_new(&(*target)->rows, blocks, sizeof(uint64_t), "a structure"));
    return memory_new(&(*target)->columns, blocks, sizeof(uint64_t), "a structure");
}

static int read_position(const struct nodes *nodes, const struct target *target, size_t block, int white, int black)
{
    struct position position;
    bool win;
    if (!node_position(&nodes->node[target->number], block, white, black, target->side, &position))
        return 0;
    TRY(node_table_win(nodes->tables.tables, &position, &win));
    if (win)
        target->won[block][white] |= square_bit(black);
    return 0;
}

int tabled_view(struct tabled *t, const struct nodes *nodes, uint32_t number, int side, const struct node_hop *hop,
                king_block won, king_block legal)
{
    const struct node *node = &nodes->node[number];
    const uint64_t king = hop->king >= 0 ? square_bit(hop->king) : UINT64_MAX;
    const uint64_t rows = side == BLACK ? king : UINT64_MAX; // White has moved
    const uint64_t columns = side == WHITE ? king : UINT64_MAX;
    int square[NODE_PIECES] = {0};
    struct target *target;
    TRY(find_target(t, number, side, node_blocks(node->pieces), &target));
    block_squares(hop->block, node->pieces, square);
    node_legal(node, square, side, legal);
    for (uint64_t set = rows & ~target->rows[hop->block]; set != 0;) {
        const int white = set_pop(&set);
        for (uint64_t left = legal[white] & columns & ~target->columns[hop->block]; left != 0;)
            TRY(read_position(nodes, target, hop->block, white, set_pop(&left)));
    }
    if (columns == UINT64_MAX)
        target->rows[hop->block] |= rows;
    else if (rows == UINT64_MAX)
        target->columns[hop->block] |= columns;
    for (int white = 0; white < SQUARES; white++)
        won[white] = target->won[hop->block][white] | (side == WHITE ? ~legal[white] : 0);
    return 0;
}
