// pawns.c - pawn placements of an endgame as numbers: its slices
#include "index/pawns.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

static const uint8_t file_code[8] = {7, 6, 5, 4, 0, 1, 2, 3};
static const uint8_t code_file[8] = {4, 5, 6, 7, 3, 2, 1, 0};

int pawn_number(int colour, int square)
{
    const int rank = colour == WHITE ? square_rank(square) - 1 : PAWN_RANKS - square_rank(square);
    return rank * 8 + file_code[square_file(square)];
}

int pawn_square(int colour, int number)
{
    const int rank = colour == WHITE ? number / 8 + 1 : PAWN_RANKS - number / 8;
    return rank * 8 + code_file[number % 8];
}

// ---- placements as numbers ----

static void sort_falling(uint8_t *numbers, int count)
{
    for (int i = 1; i < count; i++) {
        const uint8_t number = numbers[i];
        int at = i;
        for (; at > 0 && numbers[at - 1] < number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

// C(n, k)
static uint32_t choose(unsigned n, unsigned k)
{
    uint64_t result = 1;
    for (unsigned i = 0; i < k; i++)
        result = result * (n - i) / (i + 1);
    return n < k ? 0 : (uint32_t)result;
}

uint64_t pawn_runs(int white, int black)
{
    return black == 0 ? choose(PAWN_NUMBERS, (unsigned)white - 1)
                      : (uint64_t)choose(PAWN_NUMBERS, (unsigned)white) * choose(PAWN_NUMBERS, (unsigned)black - 1);
}

// A placement's place is a number of three digits, the last of radix 48: the set of White's numbers (only if Black
// has pawns, too), the set of the last colour's numbers without the least, and this number. A set of k falling numbers
// a, b, .. is the digit C(a, k) + C(b, k - 1) + .. So greater placements have greater places, and each pawn adds a
// part. Three pawns against three have the most places, 9.4e8.
static void set_parts(struct pawn_slices *slices)
{
    const int white = slices->pawns[WHITE];
    const int count = white + slices->pawns[BLACK];
    for (int i = 0; i < count - 1; i++) {
        const bool first = i < white && white < count;      // of the first digit?
        const int more = first ? white - i : count - 1 - i; // pawns of the digit from this one on
        const uint32_t radix = first ? choose(PAWN_NUMBERS, (unsigned)slices->pawns[BLACK] - 1) : 1;
        for (unsigned number = 0; number < PAWN_NUMBERS; number++)
            slices->part[i][number] = choose(number, (unsigned)more) * radix * PAWN_NUMBERS;
    }
    for (unsigned number = 0; number < PAWN_NUMBERS; number++)
        slices->part[count - 1][number] = number;
}

static uint32_t place_of(const struct pawn_slices *slices, const uint8_t *numbers)
{
    uint32_t place = 0;
    for (int i = 0; i < slices->pawns[WHITE] + slices->pawns[BLACK]; i++)
        place += slices->part[i][numbers[i]];
    return place;
}

static uint32_t place_of_mirror(const struct pawn_slices *slices, const uint8_t *numbers)
{
    const int white = slices->pawns[WHITE];
    uint8_t mirrored[PAWNS_MAX] = {0};
    for (int i = 0; i < white + slices->pawns[BLACK]; i++)
        mirrored[i] = numbers[i] ^ 4;
    sort_falling(mirrored, white);
    sort_falling(mirrored + white, slices->pawns[BLACK]);
    return place_of(slices, mirrored);
}

// ---- all slices ----

static void add_slice(struct pawn_slices *slices, const uint8_t *numbers)
{
    const int count = slices->pawns[WHITE] + slices->pawns[BLACK];
    const uint32_t place = place_of(slices, numbers);
    if (place < place_of_mirror(slices, numbers))
        return;
    const uint32_t slice = slices->slices++;
    if (slices->square == NULL) // counting only
        return;
    for (int i = 0; i < count; i++) {
        slices->square[slice][i] = (uint8_t)pawn_square(i < slices->pawns[WHITE] ? WHITE : BLACK, numbers[i]);
        slices->advance[slice] = (uint8_t)(slices->advance[slice] + numbers[i] / 8);
    }
    struct pawn_run *run = &slices->run[place / PAWN_NUMBERS];
    if (run->last == 0)
        run->first = slice;
    run->last |= (uint64_t)1 << numbers[count - 1];
}

// Places pawn `depth` and the following ones on every free square, greatest numbers first.
static void place_pawns(struct pawn_slices *slices, int depth, uint64_t occupied, uint8_t *numbers)
{
    const int white = slices->pawns[WHITE];
    if (depth == white + slices->pawns[BLACK]) {
        add_slice(slices, numbers);
        return;
    }
    const int first = depth == 0 || depth == white ? PAWN_NUMBERS : numbers[depth - 1];
    for (int number = first - 1; number >= 0; number--) {
        const uint64_t bit = square_bit(pawn_square(depth < white ? WHITE : BLACK, number));
        if (occupied & bit)
            continue;
        numbers[depth] = (uint8_t)number;
        place_pawns(slices, depth + 1, occupied | bit, numbers);
    }
}

int pawn_slices_open(struct pawn_slices **result, int white, int black)
{
    *result = NULL;
    if (white < 0 || black < 0 || white + black < 1 || white + black > PAWNS_MAX)
        return error_set(CLTB_E_USAGE, "%d white and %d black pawns: endgames of 1 to %d pawns only", white, black,
                         PAWNS_MAX);
    struct pawn_slices *slices;
    TRY(memory_new(&slices, 1, sizeof *slices, "pawn placements"));
    slices->pawns[WHITE] = white;
    slices->pawns[BLACK] = black;
    set_parts(slices);
    uint8_t numbers[PAWNS_MAX] = {0};
    place_pawns(slices, 0, 0, numbers); // only counts
    const size_t count = slices->slices;
    int code = memory_new(&slices->square, count, sizeof *slices->square, "pawn placements");
    THEN(code, memory_new(&slices->advance, count, sizeof *slices->advance, "pawn placements"));
    THEN(code, memory_new(&slices->run, pawn_runs(white, black), sizeof *slices->run, "pawn placements"));
    if (code != 0) {
        pawn_slices_close(slices);
        return code;
    }
    slices->slices = 0;
    place_pawns(slices, 0, 0, numbers);
    *result = slices;
    return 0;
}

void pawn_slices_close(struct pawn_slices *slices)
{
    if (slices == NULL)
        return;
    free(slices->square);
    free(slices->advance);
    free(slices->run);
    free(slices);
}

// Not every processor has an instruction for it.
// The compiler's own would call a function on processors that need not have the instruction.
static uint32_t count_bits(uint64_t set)
{
    set -= set >> 1 & 0x5555555555555555;
    set = (set & 0x3333333333333333) + (set >> 2 & 0x3333333333333333);
    return (uint32_t)(((set + (set >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

uint32_t pawn_slices_find(const struct pawn_slices *slices, const uint8_t *squares, bool *mirror, bool *both)
{
    const int white = slices->pawns[WHITE];
    const int count = white + slices->pawns[BLACK];
    const int first = white > 0 ? white : count; // pawns of the colour that comes first
    uint8_t numbers[PAWNS_MAX] = {0};
    unsigned greatest = 0;
    unsigned mirrored = 0;
    for (int i = 0; i < count; i++)
        numbers[i] = (uint8_t)pawn_number(i < white ? WHITE : BLACK, squares[i]);
    for (int i = 0; i < first; i++) {
        greatest = numbers[i] > greatest ? numbers[i] : greatest;
        mirrored = (numbers[i] ^ 4U) > mirrored ? numbers[i] ^ 4U : mirrored;
    }
    // Nearly always the greatest number decides which of both images is kept.
    *mirror = greatest < mirrored;
    *both = false;
    for (int i = 0; i < count; i++)
        numbers[i] ^= *mirror ? 4 : 0;
    sort_falling(numbers, white);
    sort_falling(numbers + white, slices->pawns[BLACK]);
    uint32_t place = place_of(slices, numbers);
    if (__builtin_expect(greatest == mirrored, 0)) {
        const uint32_t other = place_of_mirror(slices, numbers);
        *mirror = place < other;
        *both = place == other;
        place = *mirror ? other : place;
    }
    const struct pawn_run *run = &slices->run[place / PAWN_NUMBERS];
    return run->first + count_bits(run->last >> place % PAWN_NUMBERS >> 1);
}
