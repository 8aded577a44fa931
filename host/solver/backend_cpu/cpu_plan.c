// cpu_plan.c - blocks, locals and groups of a side's moves
#include "solver/backend_cpu/cpu.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

static void list_digits(struct side_plan *plan, const struct layout *layout)
{
    plan->king = layout->slices == 0 && plan->side == BLACK;
    struct tile_digit head = {HEAD_DIGIT, TRIANGLE_SQUARES, layout->king_stride};
    if (layout->slices > 0)
        head.radix = (unsigned)(layout->slices >> 3 * layout->slice_digits);
    if (plan->king)
        plan->own[plan->own_count++] = head;
    else
        plan->fixed[plan->fixed_count++] = head;
    for (int i = layout->slice_digits; i < layout->pieces; i++) {
        struct tile_digit digit = {i, 8, layout->stride[i]};
        if (layout->pair && i == 1)
            continue;
        if (layout->pair && i == 0) {
            digit.piece = PAIR_DIGIT;
            digit.radix = PAIR_TILES;
        }
        if (layout->colour[i] == plan->side && layout_is_man(layout, i))
            plan->own[plan->own_count++] = digit;
        else
            plan->fixed[plan->fixed_count++] = digit;
    }
}

static void set_digit(struct tile_men *men, const struct tile_digit *digit, unsigned value)
{
    if (digit->piece == HEAD_DIGIT) {
        men->head = value;
    } else if (digit->piece == PAIR_DIGIT) {
        unsigned high = 0;
        while ((high + 1) * (high + 2) / 2 <= value)
            high++;
        men->u[1] = (uint8_t)high;
        men->u[0] = (uint8_t)(value - high * (high + 1) / 2);
    } else {
        men->u[digit->piece] = (uint8_t)value;
    }
}

// Reads `number` as digits, the last one lowest; returns the tile offset.
static uint64_t decode(const struct tile_digit *digit, int count, uint64_t number, struct tile_men *men)
{
    uint64_t offset = 0;
    for (int i = count - 1; i >= 0; i--) {
        unsigned value = (unsigned)(number % digit[i].radix);
        number /= digit[i].radix;
        set_digit(men, &digit[i], value);
        offset += value * digit[i].stride;
    }
    return offset;
}

static uint32_t local_stride(const struct side_plan *plan, int digit)
{
    uint32_t stride = 1;
    for (int i = plan->own_count - 1; i > digit; i--)
        stride *= plan->own[i].radix;
    return stride;
}

static int make_locals(struct side_plan *plan)
{
    plan->blocks = 1;
    for (int i = 0; i < plan->fixed_count; i++)
        plan->blocks *= plan->fixed[i].radix;
    plan->locals = local_stride(plan, -1);
    plan->king_locals = plan->king ? plan->locals / TRIANGLE_SQUARES : 0;
    plan->offset = calloc(plan->locals, sizeof *plan->offset);
    plan->men = calloc(plan->locals, sizeof *plan->men);
    if (plan->offset == NULL || plan->men == NULL)
        return error_memory(plan->locals * (sizeof *plan->offset + sizeof *plan->men), "the plan of a step");
    for (uint32_t local = 0; local < plan->locals; local++)
        plan->offset[local] = decode(plan->own, plan->own_count, local, &plan->men[local]);
    return 0;
}

// A group of piece 0 of a pair: its partner's digit is `partner`, `first` has zeros for the pair's digit.
static void pair_group(struct group *group, uint32_t first, uint32_t stride, unsigned partner)
{
    group->both = (int)partner;
    for (unsigned u = 0; u < 8; u++) {
        unsigned low = u < partner ? u : partner;
        unsigned high = u < partner ? partner : u;
        group->local[u] = first + (high * (high + 1) / 2 + low) * stride;
        if (u > partner)
            group->swapped |= 1U << u;
    }
    group->men.u[1] = (uint8_t)partner;
}

static int make_groups(struct side_plan *plan, int digit)
{
    const bool pair = plan->own[digit].piece == PAIR_DIGIT;
    const uint32_t stride = local_stride(plan, digit);
    const uint32_t radix = plan->own[digit].radix;
    struct piece_plan *piece = &plan->piece[plan->pieces++];
    piece->piece = pair ? 0 : plan->own[digit].piece;
    piece->group = calloc((size_t)plan->locals / radix * (pair ? 8 : 1), sizeof *piece->group);
    if (piece->group == NULL)
        return error_memory(plan->locals * sizeof *piece->group, "the plan of a step");
    for (uint32_t local = 0; local < plan->locals; local++) {
        if (local / stride % radix != 0)
            continue;
        for (unsigned partner = 0; partner < (pair ? 8 : 1); partner++) {
            struct group *group = &piece->group[piece->groups++];
            *group = (struct group){.both = -1, .men = plan->men[local]};
            if (pair) {
                pair_group(group, local, stride, partner);
                continue;
            }
            for (uint32_t u = 0; u < 8; u++)
                group->local[u] = local + u * stride;
        }
    }
    return 0;
}

int cpu_plan_make(struct side_plan *plan, const struct layout *layout, int side)
{
    *plan = (struct side_plan){.side = side};
    list_digits(plan, layout);
    int code = make_locals(plan);
    for (int i = 0; code == 0 && i < plan->own_count; i++) {
        if (plan->own[i].piece != HEAD_DIGIT)
            code = make_groups(plan, i);
    }
    return code;
}

void cpu_plan_free(struct side_plan *plan)
{
    free(plan->offset);
    free(plan->men);
    for (int i = 0; i < plan->pieces; i++)
        free(plan->piece[i].group);
}

uint64_t cpu_plan_block(const struct side_plan *plan, uint64_t block, struct tile_men *men)
{
    return decode(plan->fixed, plan->fixed_count, block, men);
}

static void king_steps(struct cpu_backend *cpu, unsigned from)
{
    int square = triangle_square[from];
    for (int target = 0; target < SQUARES; target++) {
        if (target == square || !squares_touch(square, target))
            continue;
        int g = symmetry_to_triangle(target);
        struct king_step *step = &cpu->king_step[from][cpu->king_steps[from]++];
        step->to = (uint8_t)square_triangle[square_apply(g, target)];
        step->symmetry = (uint8_t)g;
    }
}

void cpu_plan_king(struct cpu_backend *cpu)
{
    for (unsigned from = 0; from < TRIANGLE_SQUARES; from++)
        king_steps(cpu, from);
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
