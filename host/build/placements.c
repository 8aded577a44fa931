// placements.c - every placement of a pawnless material's men once up to symmetry, shared out among threads
#include "build/placements.h"

#include "index/square.h"
#include "rules/attacks.h"
#include "util/error.h"

#include <stdlib.h>

struct walk {
    int count;
    struct man man[MATERIAL_MEN_MAX];
    placement_visit *visit;
    void *context;
    struct position *position; // [workers]
};

struct step {
    const struct walk *walk;
    struct placement placement;
    int worker;
};

int placement_men(const struct material *material, struct man men[MATERIAL_MEN_MAX])
{
    int count = 0;
    men[count++] = (struct man){.type = KING, .colour = BLACK};
    men[count++] = (struct man){.type = KING, .colour = WHITE};
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = QUEEN; type <= PAWN; type++)
            for (int i = 0; i < material->count[colour][type]; i++)
                men[count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
    return count;
}

void placement_turn(struct position *position)
{
    position->side ^= 1;
    position->key ^= position_key_side();
}

// The men from number i on; `from`: the first square for man i.
static int place(struct step *step, int i, int from)
{
    const struct walk *walk = step->walk;
    struct position *p = step->placement.position;
    if (i == walk->count) {
        step->placement.on_diagonal = (position_occupied(p) & ~DIAGONAL_A1H8) == 0;
        return walk->visit(walk->context, &step->placement, step->worker);
    }
    const struct man *man = &walk->man[i];
    bool like = i + 1 < walk->count && man[1].type == man->type && man[1].colour == man->colour;
    int code = 0;
    for (int square = from; square < SQUARES && code == 0; square++) {
        if (p->board[square] != EMPTY)
            continue;
        position_put(p, piece_code(man->colour, man->type), square);
        code = place(step, i + 1, like ? square + 1 : 0);
        position_take(p, square);
    }
    return code;
}

// One place of both kings.
static int work(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    int black = triangle_square[item / SQUARES];
    int white = (int)(item % SQUARES);
    bool diagonal = square_on_diagonal(black);
    if (squares_touch(black, white) || (diagonal && square_rank(white) > square_file(white)))
        return 0;
    struct step step = {walk, {.position = &walk->position[worker], .weight = 8}, worker};
    if (diagonal && square_on_diagonal(white))
        step.placement.weight = 4;
    struct man kings[] = {walk->man[0], walk->man[1]};
    kings[0].square = (uint8_t)black;
    kings[1].square = (uint8_t)white;
    int code = position_set(step.placement.position, kings, 2, WHITE);
    return code != 0 ? code : place(&step, 2, 0);
}

int placements_each(const struct material *material, struct thread_pool *pool, placement_visit *visit, void *context)
{
    if (material_has_pawns(material))
        return error_set(CLTB_E_USAGE, "placements with pawns are not enumerated");
    struct walk walk = {.visit = visit, .context = context};
    size_t bytes = (size_t)threads_count(pool) * sizeof *walk.position;
    walk.count = placement_men(material, walk.man);
    walk.position = malloc(bytes);
    if (walk.position == NULL)
        return error_memory(bytes, "positions");
    int code = threads_each(pool, (uint64_t)TRIANGLE_SQUARES * SQUARES, work, &walk);
    free(walk.position);
    return code;
}
