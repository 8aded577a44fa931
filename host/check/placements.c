// placements.c - every placement of a material's men once up to symmetry, shared out among threads
#include "check/placements.h"

#include "chess/attacks.h"
#include "index/square.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

#define FILES_A_TO_D         UINT64_C(0x0f0f0f0f0f0f0f0f)
#define TRIANGLE             UINT64_C(0x080c0e0f)         // a1-d1-d4
#define BELOW_OR_ON_DIAGONAL UINT64_C(0x80c0e0f0f8fcfeff) // rank <= file

struct walk {
    bool pawns;
    int count;
    struct man man[MATERIAL_MEN_MAX];
    placement_visit *visit;
    void *context;
    struct position *position; // [workers]
};

struct step {
    const struct walk *walk;
    struct placement placement;
    uint8_t square[MATERIAL_MEN_MAX]; // of the men that have been placed
    int worker;
};

// A work item is one placement of men 0 and 1.
enum { ITEM_MEN = 2, ITEMS = SQUARES * SQUARES };

int placement_men(const struct material *material, struct man men[MATERIAL_MEN_MAX])
{
    const int first_king = material_has_pawns(material) ? WHITE : BLACK;
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int i = 0; i < material->count[colour][PAWN]; i++)
            men[count++] = (struct man){.type = PAWN, .colour = (uint8_t)colour};
    men[count++] = (struct man){.type = KING, .colour = (uint8_t)first_king};
    men[count++] = (struct man){.type = KING, .colour = (uint8_t)(first_king ^ 1)};
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = QUEEN; type < PAWN; type++)
            for (int i = 0; i < material->count[colour][type]; i++)
                men[count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
    return count;
}

void placement_turn(struct position *position)
{
    position->side ^= 1;
    position->key ^= position_key_side();
}

// The squares for man i when those before it are placed.
static uint64_t squares_for(const struct step *step, int i)
{
    const struct walk *walk = step->walk;
    const struct man *man = &walk->man[i];
    uint64_t squares = ~position_occupied(step->placement.position);
    if (i > 0 && man->type == man[-1].type && man->colour == man[-1].colour)
        squares &= ~(2 * square_bit(step->square[i - 1]) - 1);
    if (man->type == PAWN)
        return squares & ~(RANK_1 | RANK_8);
    if (man->type != KING)
        return squares;
    if (i == 0)
        return squares & TRIANGLE;
    if (man[-1].type != KING)
        return squares & FILES_A_TO_D;
    const int other = step->square[i - 1];
    if (!walk->pawns && square_on_diagonal(other))
        squares &= BELOW_OR_ON_DIAGONAL;
    return squares & ~king_attacks(other);
}

// Places the men from number i on.
static int place(struct step *step, int i)
{
    const struct walk *walk = step->walk;
    struct placement *placement = &step->placement;
    struct position *p = placement->position;
    if (i == walk->count) {
        placement->weight = 2;
        if (!walk->pawns) {
            placement->weight = square_on_diagonal(step->square[0]) && square_on_diagonal(step->square[1]) ? 4 : 8;
            placement->on_diagonal = (position_occupied(p) & ~DIAGONAL_A1H8) == 0;
        }
        return walk->visit(walk->context, placement, step->worker);
    }
    const int code = piece_code(walk->man[i].colour, walk->man[i].type);
    int result = 0;
    for (uint64_t squares = squares_for(step, i); squares != 0 && result == 0;) {
        step->square[i] = (uint8_t)set_pop(&squares);
        position_put(p, code, step->square[i]);
        result = place(step, i + 1);
        position_take(p, step->square[i]);
    }
    return result;
}

// Visits one placement of the first two men.
static int work(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    struct step step = {.walk = walk, .placement = {.position = &walk->position[worker]}, .worker = worker};
    struct position *p = step.placement.position;
    const uint8_t square[ITEM_MEN] = {(uint8_t)(item / SQUARES), (uint8_t)(item % SQUARES)};
    int code = 0;
    int placed = 0;
    while (placed < ITEM_MEN && (squares_for(&step, placed) & square_bit(square[placed]))) {
        const struct man *man = &walk->man[placed];
        step.square[placed] = square[placed];
        position_put(p, piece_code(man->colour, man->type), square[placed]);
        placed++;
    }
    if (placed == ITEM_MEN)
        code = place(&step, ITEM_MEN);
    while (placed > 0)
        position_take(p, square[--placed]);
    return code;
}

int placement_of_bits(const struct man *men, int count, uint64_t bits, struct position *p)
{
    struct man placed[MATERIAL_MEN_MAX];
    uint64_t occupied = 0;
    for (int i = 0; i < count; i++) {
        placed[i] = men[i];
        placed[i].square = (uint8_t)(bits >> 6 * i & 63);
        const uint64_t bit = square_bit(placed[i].square);
        if ((occupied & bit) || (men[i].type == PAWN && (bit & (RANK_1 | RANK_8))))
            return CLTB_E_POSITION;
        occupied |= bit;
    }
    return position_set(p, placed, count, (int)(bits >> 63));
}

int placements_each(const struct material *material, struct thread_pool *pool, placement_visit *visit, void *context)
{
    struct walk walk = {.pawns = material_has_pawns(material), .visit = visit, .context = context};
    walk.count = placement_men(material, walk.man);
    TRY(memory_new(&walk.position, (size_t)threads_count(pool), sizeof *walk.position, "positions"));
    // Boards without men, White to move.
    const struct man kings[] = {{.type = KING, .colour = WHITE, .square = 0},
                                {.type = KING, .colour = BLACK, .square = 63}};
    int code = 0;
    for (int i = 0; code == 0 && i < threads_count(pool); i++) {
        code = position_set(&walk.position[i], kings, 2, WHITE);
        if (code != 0)
            break;
        position_take(&walk.position[i], kings[0].square);
        position_take(&walk.position[i], kings[1].square);
    }
    THEN(code, threads_each(pool, ITEMS, work, &walk));
    free(walk.position);
    return code;
}
