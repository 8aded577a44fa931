// solve.c - the rounds of dobutsu shogi
#include "dobutsu/solve/solve.h"

#include "dobutsu/cells.h"
#include "util/error.h"

#include <string.h>

uint64_t dobutsu_solver_memory(void)
{
    // The bits of values and four planes; two sets of flags and of marks, the lengths and starts of the lists; the
    // lists, which are half as long again where they lie side by side.
    return (uint64_t)D_CELLS * ((8 + 4) * sizeof(lanes_t) + 4 + 1 + sizeof(uint32_t)) +
           (uint64_t)DOBUTSU_MOVES * 3 / 2 * sizeof(uint32_t) + sizeof(struct dobutsu_tables);
}

uint32_t dobutsu_lists_place(const uint8_t *counts, uint32_t across, uint32_t *starts)
{
    uint32_t length = 0;
    uint32_t group = 0;
    for (uint32_t cell = 0; cell < D_CELLS; cell += across, group++) {
        uint32_t most = 0;
        for (uint32_t i = cell; i < cell + across && i < D_CELLS; i++)
            most = counts[i] > most ? counts[i] : most;
        if (starts != NULL)
            starts[group] = length;
        length += most * across;
    }
    return length;
}

int dobutsu_solve(struct dobutsu_backend *backend, int (*each)(void *context, int ply, uint64_t found), void *context)
{
    struct dobutsu_round round = {.ply = 0};
    TRY(backend->ops->classes(backend, &round.found));
    for (;;) {
        if (each != NULL && each(context, round.ply, round.found) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
        if (round.found == 0)
            return 0;
        if (round.ply == DOBUTSU_ROUNDS_MAX)
            return error_set(CLTB_E_CORRUPT, "dobutsu: a value of more than %d", (int)DOBUTSU_ROUNDS_MAX);
        // Marking the cells before a changed one costs about as much as looking at it, so it pays if fewer than a
        // quarter change.
        round = (struct dobutsu_round){.ply = round.ply + 1, .all = !round.mark, .mark = round.found < D_CELLS / 4};
        TRY(backend->ops->round(backend, &round));
    }
}

// ---- values ----

typedef uint64_t bits[8][4]; // bits of 256 values, from the lowest

// Exchanges rows and columns of an 8x8 board of bits.
static uint64_t transposed(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aaU;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000ccccU;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0U;
    return x ^ t ^ t << 28;
}

// The bytes of a kept cell from the bits of its values. A code without a value is drawn, unless the code itself says
// more.
static int read_kept(struct dobutsu_backend *backend, uint32_t cell, uint8_t *values)
{
    const struct dobutsu_tables *tables = dobutsu_tables();
    uint8_t square[6];
    bits of;
    TRY(backend->ops->read(backend, cell, of));
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const lanes_t invalid = dobutsu_invalid(square);
    const lanes_t won = dobutsu_won(&tables->frame[cell % D_LIONS], square);
    for (int word = 0; word < 4; word++) {
        uint64_t drawn = ~(invalid[word] | won[word]);
        for (int bit = 0; bit < 8; bit++)
            drawn &= ~of[bit][word];
        of[0][word] |= invalid[word];
        for (int bit = 1; bit < 8; bit++)
            of[bit][word] |= invalid[word] | drawn;
    }
    for (uint32_t lane = 0; lane < D_CODES; lane += 8) {
        uint64_t eight = 0;
        for (uint32_t bit = 0; bit < 8; bit++)
            eight |= (of[bit][lane / 64] >> lane % 64 & 0xff) << 8 * bit;
        eight = transposed(eight);
        for (uint32_t i = 0; i < 8; i++)
            values[lane + i] = (uint8_t)(eight >> 8 * i);
    }
    return 0;
}

int dobutsu_solution_read(void *backend, uint32_t first, uint32_t count, uint8_t *values)
{
    static const uint8_t pair_bits[3] = {DOBUTSU_CHICK_BITS, DOBUTSU_GIRAFFE_BITS, DOBUTSU_ELEPHANT_BITS};
    const struct dobutsu_tables *tables = dobutsu_tables();
    for (uint32_t number = first; number < first + count; number++, values += D_CODES) {
        const uint32_t triple = number / D_LIONS;
        const uint32_t cell = tables->number[triple] * D_LIONS + number % D_LIONS; // among the live cells
        uint8_t square[6];
        uint8_t image[D_CODES];
        if (tables->triple[tables->number[triple]] != triple) {
            memset(values, 0xff, D_CODES);
            continue;
        }
        // The cell's own bytes, or those of its mirror image, where pairs may be in the other order.
        dobutsu_squares(tables, triple, square);
        const uint32_t kept = dobutsu_image(tables, square, cell);
        if (kept >= cell) {
            TRY(read_kept(backend, cell, values));
            continue;
        }
        TRY(read_kept(backend, kept, image));
        const uint32_t swaps = dobutsu_swaps(tables->frame[cell % D_LIONS].mirror.map, square);
        unsigned pairs = 0;
        for (int kind = 0; kind < 3; kind++)
            pairs |= (swaps >> kind & 1) != 0 ? pair_bits[kind] : 0U;
        for (unsigned lane = 0; lane < D_CODES; lane++)
            values[lane] = image[dobutsu_exchange(lane, pairs)];
    }
    return 0;
}
