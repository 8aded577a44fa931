// cpu_patterns.c - which lanes of a tile have two men on one square, or a man on a certain square
#include "solve/cpu/cpu.h"

#include "util/error.h"
#include "util/memory.h"

static size_t pattern_bytes(const struct cpu_backend *cpu)
{
    const size_t k = (size_t)cpu->base.layout.pieces;
    return (k * k + 8 * k) * cpu->tile_bytes;
}

int cpu_patterns_make(struct cpu_backend *cpu)
{
    const int k = cpu->base.layout.pieces;
    cpu->pattern = memory_map(pattern_bytes(cpu));
    if (cpu->pattern == NULL)
        return error_memory(pattern_bytes(cpu), "overlap patterns");
    for (int i = 0; i < 8 * k; i++) {
        uint64_t *place = place_pattern(cpu, i / 8, (unsigned)i % 8);
        for (size_t w = 0; w < tile_qwords(cpu); w++)
            place[w] = place_word(w, k - 1 - i / 8, (unsigned)i % 8);
    }
    for (int i = 0; i < 8 * k * k; i++) {
        const int p = i / 8 / k;
        const int q = i / 8 % k;
        uint64_t *both = pair_pattern(cpu, p, q);
        const uint64_t *one = place_pattern(cpu, p, (unsigned)i % 8);
        const uint64_t *other = place_pattern(cpu, q, (unsigned)i % 8);
        for (size_t w = 0; w < tile_qwords(cpu); w++)
            both[w] |= one[w] & other[w];
    }
    return 0;
}

void cpu_patterns_free(struct cpu_backend *cpu)
{
    memory_unmap(cpu->pattern, pattern_bytes(cpu));
}

static void clear_pattern(uint64_t *bits, const uint64_t *pattern, size_t words)
{
    for (size_t w = 0; pattern != NULL && w < words; w++)
        bits[w] &= ~pattern[w];
}

void cpu_clear_shared(const struct cpu_backend *cpu, const struct tile_men *men, int man, uint64_t *bits)
{
    const struct layout *layout = &cpu->base.layout;
    const size_t run = run_qwords(cpu);
    for (int q = 0; q < cpu_men(layout); q++) {
        if (men_are_enemies(layout, q, man))
            clear_pattern(bits, cpu_shared(cpu, men, man, q), tile_qwords(cpu));
    }
    for (unsigned low = 0; layout->slices > 0 && low < tile_slices(layout, men); low++) {
        const uint8_t *code = layout->fixed_code[tile_slice(layout, men) + low];
        for (int f = 0; f < layout->fixed; f++) {
            if (men_are_enemies(layout, man, layout->pieces + f))
                clear_pattern(bits + low * run, cpu_standing(cpu, men, man, code[f]), run);
        }
    }
}

// Adds the entries in which the pawn on `code` attacks the enemy king, in the run of its slice.
static void pawn_attacks(const struct cpu_backend *cpu, const struct tile_men *men, int colour, unsigned code,
                         uint64_t *run)
{
    const struct layout *layout = &cpu->base.layout;
    const int king = layout_king(layout, colour ^ 1);
    const int file = code_square[code] % 8;
    const int rank = code_square[code] / 8 + (colour == WHITE ? 1 : -1);
    for (int to = file - 1; to <= file + 1; to += 2) {
        if (to < 0 || to > 7 || rank < 0 || rank > 7)
            continue;
        const uint64_t *attacked = cpu_standing(cpu, men, king, square_code[rank * 8 + to]);
        for (size_t w = 0; attacked != NULL && w < run_qwords(cpu); w++) {
            uint64_t lanes = attacked[w];
            for (int q = layout->slice_digits; q < layout->pieces; q++) {
                const uint64_t *taken = layout->colour[q] == colour ? NULL : cpu_standing(cpu, men, q, code);
                lanes &= taken == NULL ? UINT64_MAX : ~taken[w];
            }
            run[w] |= lanes;
        }
    }
}

void cpu_pawn_attacks(const struct cpu_backend *cpu, const struct tile_men *men, int side, uint64_t *bits)
{
    const struct layout *layout = &cpu->base.layout;
    for (unsigned low = 0; low < tile_slices(layout, men); low++) {
        const uint8_t *code = layout->fixed_code[tile_slice(layout, men) + low];
        for (int f = 0; f < layout->fixed; f++) {
            if (layout->fixed_type[f] == PAWN && layout->fixed_colour[f] == side)
                pawn_attacks(cpu, men, side, code[f], bits + low * run_qwords(cpu));
        }
    }
}
