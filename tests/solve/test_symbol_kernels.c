// test_symbol_kernels.c - the symbol kernels of every instruction set against the definitions, entry by entry
#include "support/support.h"

#include "index/square.h"
#include "solve/cpu/symbol_kernels.h"
#include "table/write/word_symbols.h"

#include <cltb/cltb.h>

enum { WORDS = 64, LANES = 64 * WORDS };

static const char *const isas[] = {"generic", "avx2", "avx512"};

struct planes {
    uint64_t bits[2 + DISTANCE_PLANES_MAX][WORDS];
    struct slice_side side;
    solver_value value[COLOURS][DISTANCE_CODES];
};

static bool bit_of(const uint64_t *plane, unsigned lane)
{
    return plane != NULL && plane[lane / 64] >> lane % 64 & 1;
}

static unsigned code_of(const struct planes *planes, unsigned lane)
{
    unsigned code = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        code |= (unsigned)bit_of(planes->side.distance[bit], lane) << bit;
    return code;
}

// `count` distance planes, every other word of them empty; distances up to `longest`.
static void make_planes(struct planes *planes, int count, bool resolved, int longest)
{
    *planes = (struct planes){.side = {.won = planes->bits[0]}};
    for (int plane = 0; plane < 2 + count; plane++) {
        for (int w = 0; w < WORDS; w++)
            planes->bits[plane][w] = plane > 1 && w % 2 > 0 ? 0 : random_u64() & random_u64();
    }
    planes->side.resolved = resolved ? planes->bits[1] : NULL;
    for (int bit = 0; bit < count; bit++)
        planes->side.distance[bit] = planes->bits[2 + bit];
    for (unsigned won = 0; won < 2; won++) {
        for (unsigned code = 1; code < DISTANCE_CODES; code++)
            planes->value[won][code] = value_code(won, (int)(random_u64() % (unsigned)(longest + 1)));
    }
}

static void check_symbols(const struct symbol_kernels *kernels, const struct planes *planes, bool first_free)
{
    static uint8_t outcomes[LANES];
    static uint16_t distances[LANES];
    static uint8_t narrow[LANES];
    struct code_book book;
    uint64_t counts[5] = {0};
    uint64_t expected[5] = {0};
    code_book_make(&book, planes->value, first_free, METRIC_DTZ, NULL);
    word_outcomes(kernels, &planes->side, &book, 0, WORDS, outcomes, counts);
    word_distances(kernels, &planes->side, &book, 0, WORDS, 2, distances);
    word_distances(kernels, &planes->side, &book, 0, WORDS, 1, narrow);
    for (unsigned i = 0; i < LANES; i++) {
        const bool won = bit_of(planes->side.won, i);
        const bool resolved = bit_of(planes->side.resolved, i);
        const unsigned code = code_of(planes, i);
        const int ply = code == 0 ? -1 : solver_value_ply(planes->value[won][code]);
        const int outcome = code == 0 ? 2 : won ? (ply > PLY_LIMIT ? 3 : 4) : (ply > PLY_LIMIT ? 1 : 0);
        const bool free = won && (code == 0 || resolved);
        expected[outcome] += code != 0 || !won;
        assert_int_equal(outcomes[i], free ? ANY_OUTCOME : code == 0 && resolved ? DRAW_OR_WORSE : outcome);
        const bool any = free || code == 0 || (first_free && won && ply == 1);
        assert_int_equal(distances[i], any ? ANY_DISTANCE : ply);
        assert_int_equal(narrow[i], distances[i] & 0xff);
    }
    assert_memory_equal(counts, expected, sizeof counts);
}

TEST(test_symbols)
{
    static struct planes planes;
    (void)state;
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        const struct symbol_kernels *kernels = symbol_kernels_choose(isas[isa]);
        for (int i = 0; kernels != NULL && i < 40; i++) {
            make_planes(&planes, i % (DISTANCE_PLANES_MAX + 1), i & 1, i & 2 ? 254 : PLY_LIMIT);
            check_symbols(kernels, &planes, i % 3 == 0);
        }
    }
}

TEST(test_exchange)
{
    static uint8_t before[LANES];
    static uint8_t symbols[LANES];
    (void)state;
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        const struct symbol_kernels *kernels = symbol_kernels_choose(isas[isa]);
        for (int digit = 0; kernels != NULL && digit < 4; digit++) {
            for (int i = 0; i < LANES; i++)
                symbols[i] = before[i] = (uint8_t)random_u64();
            kernels->exchange(symbols, WORDS, digit);
            for (unsigned i = 0; i < LANES; i++) {
                const unsigned other = i >> 3 * digit & 7;
                const unsigned from = (i & ~(7U | 7U << 3 * digit)) | other | (i & 7) << 3 * digit;
                assert_int_equal(symbols[i], before[from]);
            }
        }
    }
}

TEST(test_rows)
{
    static uint8_t from[LANES];
    static uint8_t to[LANES + 1];
    struct symbol_rows rows = {.rows = SQUARES, .kept = random_u64()};
    (void)state;
    for (unsigned i = 0; i < SQUARES; i++) {
        rows.place[i] = (uint8_t)(i * 37 % SQUARES);
        rows.code[i] = square_code[i];
        rows.free[i] = random_u64() & 1 ? 0xff : 0;
    }
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        const struct symbol_kernels *kernels = symbol_kernels_choose(isas[isa]);
        for (int i = 0; i < LANES; i++)
            from[i] = (uint8_t)random_u64();
        to[LANES] = 0x5a;
        if (kernels == NULL)
            continue;
        kernels->put_rows(to, from, &rows);
        assert_int_equal(to[LANES], 0x5a);
        for (unsigned r = 0; r < SQUARES; r++) {
            for (unsigned i = 0; i < SQUARES; i++) {
                const bool free = !(rows.kept >> r & 1) || rows.free[i];
                assert_int_equal(to[64 * rows.place[r] + i], free ? 0xff : from[64 * r + rows.code[i]]);
            }
        }
    }
}

TEST(test_joined_rows)
{
    enum { APART = 8 * SQUARES + 16 };
    static uint8_t from[8 * APART];
    static _Alignas(64) uint8_t to[LANES + 72];
    static uint8_t expected[sizeof to];
    (void)state;
    // In the second round no row is a line of the cache.
    for (size_t round = 0; round < 2 * sizeof isas / sizeof isas[0]; round++) {
        const struct symbol_kernels *kernels = symbol_kernels_choose(isas[round / 2]);
        const unsigned shift = round % 2 * 8;
        uint64_t place[SQUARES];
        uint8_t free[SQUARES];
        for (unsigned i = 0; i < sizeof from; i++)
            from[i] = (uint8_t)random_u64();
        for (unsigned i = 0; i < SQUARES; i++)
            free[i] = random_u64() & 1 ? 0xff : 0;
        memset(to, 0x5a, sizeof to);
        memset(expected, 0x5a, sizeof expected);
        for (unsigned r = 0; r < SQUARES; r++) {
            const unsigned row = r * 37 % SQUARES;
            const bool wanted = r % 5 != 0 && r < SQUARES - 8;
            place[r] = r % 5 == 0 ? UINT64_MAX : 64 * row;
            for (unsigned code = 0; wanted && code < SQUARES; code++) {
                const uint8_t symbol = from[code / 8 * APART + 8 * r + code % 8];
                expected[shift + 64 * row + code_square[code]] = symbol | free[code_square[code]];
            }
        }
        if (kernels == NULL)
            continue;
        kernels->join_rows(to + shift, place, SQUARES - 8, from, APART, free);
        assert_memory_equal(to, expected, sizeof to);
    }
}

enum { CODED_WORDS = 16 };

// The mask of a word's entries with a code, which are not closed.
static uint64_t entries_with(const uint64_t *planes, unsigned bits, unsigned w, unsigned code, uint64_t closed)
{
    uint64_t entries = ~closed;
    for (unsigned bit = 0; bit < bits; bit++)
        entries &= code >> bit & 1 ? planes[bit * CODED_WORDS + w] : ~planes[bit * CODED_WORDS + w];
    return entries;
}

// Each code's list has its lines and masks in the order in which they were found.
static void check_placed(const struct code_kernels *kernels, const struct code_line *lines, size_t count,
                         const uint64_t *masks, const struct code_counts *counts, unsigned codes)
{
    static uint16_t line[64 * CODED_WORDS];
    static uint8_t words[64 * CODED_WORDS];
    static uint64_t placed[64 * CODED_WORDS];
    static struct line_list lists[1 << MATE_CODE_BITS];
    static struct line_list ends[1 << MATE_CODE_BITS];
    struct line_list next = {line, words, placed};
    for (unsigned code = 0; code < codes; code++) {
        lists[code] = ends[code] = next;
        next = (struct line_list){next.line + counts[code].lines, next.words + counts[code].lines,
                                  next.mask + counts[code].masks};
    }
    kernels->place(lines, count, masks, ends);
    for (size_t i = 0; i < count; i++) {
        struct line_list *list = &lists[lines[i].code];
        assert_int_equal(*list->line++, lines[i].line);
        assert_int_equal(*list->words++, lines[i].words);
        assert_memory_equal(list->mask, masks, lines[i].masks * sizeof *masks);
        list->mask += lines[i].masks;
        masks += lines[i].masks;
    }
    assert_memory_equal(lists, ends, codes * sizeof *lists);
}

static void check_lines(const struct code_kernels *kernels, const uint64_t *planes, const uint64_t *closed,
                        unsigned bits)
{
    static struct code_line lines[64 * CODED_WORDS + 1];
    static uint64_t masks[64 * CODED_WORDS + LINE_WORDS];
    static struct code_counts counts[1 << MATE_CODE_BITS];
    size_t expected = 0;
    const uint64_t *mask = masks;
    memset(counts, 0x5a, sizeof counts);
    const size_t found = kernels->find(planes, closed, CODED_WORDS, (int)bits, lines, masks, counts);
    for (unsigned code = 0; code < 1U << bits; code++) {
        struct code_counts count = {0, 0};
        for (unsigned line = 0; code > 0 && line < CODED_WORDS / LINE_WORDS; line++) {
            uint32_t some = 0;
            for (unsigned w = line * LINE_WORDS; w < (line + 1) * LINE_WORDS; w++)
                some += entries_with(planes, bits, w, code, closed[w]) != 0;
            count.lines += some > 0;
            count.masks += some;
        }
        assert_int_equal(counts[code].lines, count.lines);
        assert_int_equal(counts[code].masks, count.masks);
        expected += count.lines;
    }
    assert_int_equal(found, expected); // so none is there twice, since each of them is as follows:
    for (size_t i = 0; i < found; i++) {
        const struct code_line line = lines[i];
        assert_true(line.line < CODED_WORDS / LINE_WORDS && line.code > 0 && line.code < 1U << bits);
        for (unsigned w = 0; w < LINE_WORDS; w++) {
            const unsigned word = line.line * LINE_WORDS + w;
            const uint64_t entries = entries_with(planes, bits, word, line.code, closed[word]);
            assert_int_equal(line.words >> w & 1, entries != 0);
            if (entries != 0)
                assert_int_equal(*mask++, entries);
        }
        for (size_t j = 0; j < i; j++)
            assert_false(lines[j].line == line.line && lines[j].code == line.code);
    }
    check_placed(kernels, lines, found, masks, counts, 1U << bits);
}

TEST(test_lines)
{
    static uint64_t planes[MATE_CODE_BITS * CODED_WORDS];
    uint64_t closed[CODED_WORDS];
    (void)state;
    for (size_t round = 0; round < 8 * sizeof isas / sizeof isas[0]; round++) {
        const struct code_kernels *kernels = code_kernels_choose(isas[round / 8]);
        for (unsigned bits = 1; kernels != NULL && bits <= MATE_CODE_BITS; bits++) {
            // Random codes, few or all alike; words with no entry, and closed ones.
            for (unsigned i = 0; i < MATE_CODE_BITS * CODED_WORDS; i++)
                planes[i] = round % 4 == 0 ? UINT64_MAX : round % 4 == 1 ? random_u64() : random_u64() & random_u64();
            for (unsigned w = 0; w < CODED_WORDS; w++) {
                closed[w] = w % 5 == 0 ? UINT64_MAX : w % 5 == 1 ? 0 : random_u64();
                for (unsigned bit = 0; w % 7 == 0 && bit < bits; bit++)
                    planes[bit * CODED_WORDS + w] = 0;
            }
            check_lines(kernels, planes, closed, bits);
        }
    }
}

// Rows may overlap, and symbols be taken twice.
TEST(test_split)
{
    static uint8_t from[LANES];
    (void)state;
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        const struct symbol_kernels *kernels = symbol_kernels_choose(isas[isa]);
        for (int round = 0; kernels != NULL && round < 3 * 2 * 10; round++) {
            const enum symbol_split how = (enum symbol_split)(round % 3);
            const int bits = round % 2 == 0 ? 3 : 8;
            uint64_t row[64];
            uint8_t order[64];
            uint64_t planes[8][64];
            uint64_t expected[8][64] = {{0}};
            for (unsigned i = 0; i < sizeof from; i++)
                from[i] = (uint8_t)random_u64();
            for (unsigned i = 0; i < 64; i++) {
                row[i] = random_u64() % (sizeof from - 63);
                order[i] = (uint8_t)(random_u64() % 64);
            }
            for (unsigned i = 0; i < 64 * 64; i++) {
                const unsigned r = i / 64;
                const unsigned c = i % 64;
                const unsigned word = how == SPLIT_COLUMNS ? c : 8 * (r / 8) + c / 8;
                const unsigned bit = how == SPLIT_COLUMNS  ? r
                                     : how == SPLIT_BY_ROW ? 8 * (r % 8) + c % 8
                                                           : 8 * (c % 8) + r % 8;
                for (int b = 0; b < bits; b++)
                    expected[b][word] |= (uint64_t)(from[row[r] + order[c]] >> b & 1) << bit;
            }
            kernels->split(from, row, order, bits, how, planes);
            assert_memory_equal(planes, expected, (size_t)bits * sizeof planes[0]);
        }
    }
}

TESTS(NULL, NULL)
