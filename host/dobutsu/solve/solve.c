// solve.c - the rounds of dobutsu shogi
#include "dobutsu/solve/solve.h"

#include "dobutsu/code.h"
#include "dobutsu/frames.h"
#include "util/error.h"

#include <string.h>

enum { CELLS = D_LIVE * D_LIONS };

uint64_t dobutsu_solver_memory(void)
{
    // bits of values and four planes; two sets of flags and of marks, lengths of lists and where they start; the lists, half as long
    // again where they lie side by side
    return (uint64_t)CELLS * ((8 + 4) * sizeof(lanes_t) + 4 + 1 + sizeof(uint32_t)) +
           (uint64_t)DOBUTSU_MOVES * 3 / 2 * sizeof(uint32_t) + sizeof(struct dobutsu_tables);
}

uint32_t dobutsu_lists_place(const uint8_t *counts, uint32_t across, uint32_t *starts)
{
    uint32_t size = 0;
    for (uint32_t cell = 0; cell < CELLS; cell += across) {
        uint32_t most = 0;
        for (uint32_t i = cell; i < cell + across && i < CELLS; i++)
            most = counts[i] > most ? counts[i] : most;
        *starts++ = size;
        size += most * across;
    }
    return size;
}

static int progress(const struct dobutsu_solver_options *options, int ply, uint64_t found)
{
    if (options->progress != NULL && options->progress(options->context, ply, found) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted");
    return 0;
}

// Marking the cells before a changed one costs about as much as looking at it: it pays where fewer than a quarter change.
static bool few(uint64_t found)
{
    return found < CELLS / 4;
}

int dobutsu_solve(struct dobutsu_backend *backend, const struct dobutsu_solver_options *options)
{
    struct dobutsu_round round = {.mark = false};
    TRY(backend->ops->classes(backend, &round.found));
    TRY(progress(options, 0, round.found));
    for (int ply = 1; round.found > 0; ply++) {
        if (ply > DOBUTSU_ROUNDS_MAX)
            return error_set(CLTB_E_CORRUPT, "dobutsu: a value of more than %d", (int)DOBUTSU_ROUNDS_MAX);
        round = (struct dobutsu_round){.ply = ply, .all = !round.mark, .mark = few(round.found)};
        TRY(backend->ops->round(backend, &round));
        TRY(progress(options, ply, round.found));
    }
    return 0;
}

// ---- values ----

typedef uint64_t bits[8][4]; // bits of 256 values, from the lowest

// The squares of an 8x8 board of bits, rows for files.
static uint64_t transposed(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aaU;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000ccccU;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0U;
    return x ^ t ^ t << 28;
}

static void put_bytes(bits of, uint8_t *values)
{
    for (uint32_t lane = 0; lane < D_CODES; lane += 8) {
        uint64_t square = 0;
        for (uint32_t bit = 0; bit < 8; bit++)
            square |= (of[bit][lane / 64] >> lane % 64 & 0xff) << 8 * bit;
        square = transposed(square);
        for (uint32_t i = 0; i < 8; i++)
            values[lane + i] = (uint8_t)(square >> 8 * i);
    }
}

// The lane in which the men of some pairs are exchanged.
static uint32_t swapped(uint32_t lane, uint32_t swaps)
{
    if ((swaps & 1) != 0)
        lane = (lane & 0xf0U) | (lane & 0x05U) << 1 | (lane & 0x0aU) >> 1;
    if ((swaps & 2) != 0)
        lane = (lane & 0x3fU) | (lane & 0x40U) << 1 | (lane & 0x80U) >> 1;
    if ((swaps & 4) != 0)
        lane = (lane & 0xcfU) | (lane & 0x10U) << 1 | (lane & 0x20U) >> 1;
    return lane;
}

// The bytes of a kept cell from the bits of the values found: others are drawn, if their codes do not say more.
static void complete(const struct dobutsu_tables *tables, uint32_t cell, bits of, uint8_t *values)
{
    uint8_t square[6];
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
    put_bytes(of, values);
}

static int read_cell(struct dobutsu_backend *backend, uint32_t cell, uint8_t *values)
{
    const struct dobutsu_tables *tables = dobutsu_tables();
    uint8_t square[6];
    uint8_t image[D_CODES];
    bits of;
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    const uint32_t kept = dobutsu_image(tables, square, cell);
    if (kept >= cell) {
        TRY(backend->ops->read(backend, cell, of));
        complete(tables, cell, of, values);
        return 0;
    }
    TRY(backend->ops->read(backend, kept, of));
    complete(tables, kept, of, image);
    const uint32_t swaps = dobutsu_swaps(tables->frame[cell % D_LIONS].mirror.map, square);
    for (uint32_t lane = 0; lane < D_CODES; lane++)
        values[lane] = image[swapped(lane, swaps)];
    return 0;
}

int dobutsu_solution_read(struct dobutsu_backend *backend, uint32_t first, uint32_t count, uint8_t *values)
{
    const struct dobutsu_tables *tables = dobutsu_tables();
    for (uint32_t cell = first; cell < first + count; cell++, values += D_CODES) {
        const uint32_t triple = cell / D_LIONS;
        const uint32_t number = tables->number[triple];
        if (tables->triple[number] == triple)
            TRY(read_cell(backend, number * D_LIONS + cell % D_LIONS, values));
        else
            memset(values, 0xff, D_CODES);
    }
    return 0;
}
