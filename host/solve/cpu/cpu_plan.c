// cpu_plan.c - blocks, locals and groups of a side's moves
#include "solve/cpu/cpu.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// The groups of a digit's piece. Those of a pair are of piece 0, one for each u of its partner.
static int make_groups(struct side_plan *plan, int digit)
{
    const bool pair = plan->at.own[digit].piece == PAIR_DIGIT;
    const uint32_t stride = side_blocks_stride(&plan->at, digit);
    const uint32_t radix = plan->at.own[digit].radix;
    struct piece_plan *piece = &plan->piece[plan->pieces++];
    piece->piece = pair ? 0 : plan->at.own[digit].piece;
    piece->group = calloc((size_t)plan->at.locals / radix * (pair ? 8 : 1), sizeof *piece->group);
    if (piece->group == NULL)
        return error_memory(plan->at.locals * sizeof *piece->group, "the plan of a step");
    for (uint32_t local = 0; local < plan->at.locals; local++) {
        if (local / stride % radix != 0)
            continue;
        for (unsigned partner = 0; partner < (pair ? 8 : 1); partner++) {
            struct group *group = &piece->group[piece->groups++];
            *group = (struct group){.both = pair ? (int)partner : -1, .men = plan->at.men[local]};
            if (pair)
                group->men.u[1] = (uint8_t)partner;
            for (unsigned u = 0; u < 8; u++) {
                const unsigned low = u < partner ? u : partner;
                const unsigned high = u < partner ? partner : u;
                group->local[u] = local + (pair ? high * (high + 1) / 2 + low : u) * stride;
                group->swapped |= pair && u > partner ? 1U << u : 0;
            }
        }
    }
    return 0;
}

int cpu_plan_make(struct side_plan *plan, const struct layout *layout, int side)
{
    *plan = (struct side_plan){.pieces = 0};
    int code = side_blocks_make(&plan->at, layout, side);
    for (int i = 0; code == 0 && i < plan->at.own_count; i++) {
        if (plan->at.own[i].piece != HEAD_DIGIT)
            code = make_groups(plan, i);
    }
    return code;
}

void cpu_plan_free(struct side_plan *plan)
{
    side_blocks_free(&plan->at);
    for (int i = 0; i < plan->pieces; i++)
        free(plan->piece[i].group);
}

void cpu_plan_king(struct cpu_backend *cpu)
{
    for (unsigned from = 0; from < TRIANGLE_SQUARES; from++) {
        const int square = triangle_square[from];
        for (int target = 0; target < SQUARES; target++) {
            if (target == square || !squares_touch(square, target))
                continue;
            const int g = symmetry_to_triangle(target);
            struct king_step *step = &cpu->king_step[from][cpu->king_steps[from]++];
            *step = (struct king_step){(uint8_t)square_triangle[square_apply(g, target)], (uint8_t)g};
        }
    }
    for (int g = 0; g < SYMMETRIES; g++) {
        for (unsigned low = 0; low < 8; low++) {
            struct lane_permutation *lanes = &cpu->permutation[g][low];
            for (unsigned d = 0; d < WORD_DIGITS_MAX; d++) {
                for (unsigned l = 0; l < 8; l++)
                    lanes->map[d][l] = (uint8_t)digit_apply(g, low >> d & 1 ? 0 : 7, l);
            }
            lane_permutation_finish(lanes);
        }
    }
}
