// seven_men.c - Syzygy files of seven men, as another program's library reads them
//
//     seven_men FOLDER NAME...
//
// Tables of seven men take too long to make for a test. So this writes NAME.rtbw of outcomes that are no chess: those
// of the 256 indices from a multiple of 256 on are the same, by a hash. For random positions without captures, which
// have the stored outcomes, it compares what this library and libfathom (Basil Falcinelli's reader, as in Debian) find
// with the outcome of the position's index. The other side to move has another order of groups.
//
// Says for each material how much was compared. Exit status 1 if anything differs.
#include "check/placements.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "syzygy/file.h"
#include "syzygy/write/file.h"
#include "table/block_cache.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tbprobe.h>

enum {
    OUTCOMES = 5,
    RUN = 256,      // values of a symbol that has a code
    DOUBLINGS = 8,  // 2^8 of them
    SPAN_BITS = 16, // a block has as many values as a span
    BLOCK_VALUES = 1 << SPAN_BITS,
    BLOCK_BITS = 7, // 256 codes of at most 3 bits take 96 bytes
    SYMBOLS = OUTCOMES * (1 + DOUBLINGS),
    POSITIONS = 20000,
    CACHE_BYTES = 64 << 20
};

static unsigned hashed_outcome(int file, int side, uint64_t index)
{
    uint64_t state = (index / RUN << 3 | (unsigned)file << 1 | (unsigned)side) + 1;
    return (unsigned)(random_next(&state) % OUTCOMES);
}

// ---- a sub-table ----

// Symbols 0..4 stand for a run of each outcome, and their codes are 000, 001, 01, 10 and 11. The leaf of outcome v and
// the pairs that double it follow from 5 + 8 v on.
static void make_symbols(struct syzygy_packed *packed)
{
    for (unsigned v = 0; v < OUTCOMES; v++) {
        for (unsigned k = 0; k <= DOUBLINGS; k++) {
            const unsigned at = k == DOUBLINGS ? v : OUTCOMES + DOUBLINGS * v + k;
            const unsigned left = k == 0 ? v : OUTCOMES + DOUBLINGS * v + k - 1;
            const unsigned right = k == 0 ? 0xfff : left;
            packed->symbol[3 * at] = (uint8_t)left;
            packed->symbol[3 * at + 1] = (uint8_t)(left >> 8 | (right & 15) << 4);
            packed->symbol[3 * at + 2] = (uint8_t)(right >> 4);
        }
    }
    packed->symbols = SYMBOLS;
    packed->code_min = 2;
    packed->code_max = 3;
    packed->first[0] = 2;
    packed->first[1] = 0;
}

static void make_block(const struct syzygy_part *part, int file, uint64_t block, uint8_t *data)
{
    static const uint8_t code[OUTCOMES] = {0, 1, 1, 2, 3};
    static const uint8_t length[OUTCOMES] = {3, 3, 2, 2, 2};
    unsigned at = 0;
    for (uint64_t i = block * BLOCK_VALUES; i < (block + 1) * BLOCK_VALUES && i < part->shape.values; i += RUN) {
        const unsigned v = hashed_outcome(file, part->side, i);
        for (unsigned bit = length[v]; bit-- > 0; at++)
            data[at / 8] |= (uint8_t)((code[v] >> bit & 1) << (7 - at % 8));
    }
}

static void put(uint8_t *at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

static int make_part(struct syzygy_part *part, int file)
{
    struct syzygy_packed *packed = &part->packed;
    const uint64_t values = part->shape.values;
    const uint64_t blocks = (values + BLOCK_VALUES - 1) / BLOCK_VALUES;
    *packed = (struct syzygy_packed){.values = values,
                                     .block_bits = BLOCK_BITS,
                                     .span_bits = SPAN_BITS,
                                     .padding = 1,
                                     .blocks = (uint32_t)blocks,
                                     .spans = blocks};
    TRY(memory_new(&packed->first, 2, sizeof *packed->first, "symbols"));
    TRY(memory_new(&packed->symbol, 3 * (size_t)SYMBOLS, 1, "symbols"));
    TRY(memory_new(&packed->sparse, blocks, 6, "spans"));
    TRY(memory_new(&packed->length, blocks + 1, sizeof *packed->length, "blocks"));
    TRY(memory_new(&packed->data, blocks, (size_t)1 << BLOCK_BITS, "blocks"));
    make_symbols(packed);
    for (uint64_t k = 0; k <= blocks; k++)
        packed->length[k] = BLOCK_VALUES - 1;
    packed->length[blocks - 1] = (uint16_t)((values - 1) % BLOCK_VALUES);
    for (uint64_t k = 0; k < blocks; k++) {
        const uint64_t middle = k * BLOCK_VALUES + BLOCK_VALUES / 2; // may lie in the padding
        put(packed->sparse + 6 * k, middle < values ? k : blocks, 4);
        put(packed->sparse + 6 * k + 4, middle < values ? BLOCK_VALUES / 2 : middle - values, 2);
        make_block(part, file, k, packed->data + (k << BLOCK_BITS));
    }
    return 0;
}

static int make_parts(struct syzygy_parts *parts)
{
    for (int f = 0; f < parts->files; f++) {
        for (int side = WHITE; side <= BLACK; side++) {
            struct syzygy_part *part = &parts->part[f][side];
            part->side = side;
            TRY(natural_shape(&part->shape, parts->material, f));
            const struct syzygy_shape white = part->shape;
            if (side == BLACK)
                TRY(syzygy_shape_init(&part->shape, white.list, white.men, f, white.groups - 1, white.order2));
            TRY(make_part(part, f));
        }
    }
    return 0;
}

// ---- positions ----

// The outcome of a position's index. All of the material's colours are White's in the file.
static int expected(const struct syzygy_parts *parts, const struct position *p)
{
    const struct syzygy_shape *shape = &parts->part[0][p->side].shape;
    uint8_t square[SYZYGY_MEN_MAX];
    uint64_t squares = 0;
    int used[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < shape->men; i++) {
        const int colour = syzygy_man_colour(shape->list[i]);
        const int type = syzygy_man_type(shape->list[i]);
        square[i] = p->list[colour][type][used[colour][type]++];
        squares |= (uint64_t)square[i] << 8 * i;
    }
    const int file = shape->pawns ? syzygy_leading_file(square, shape->group[0].count) : 0;
    shape = &parts->part[file][p->side].shape;
    return (int)hashed_outcome(file, p->side, syzygy_index(shape, squares)) - 2;
}

static int in_fathom(const struct position *p)
{
    uint64_t men[COLOURS] = {0};
    uint64_t kind[PIECE_TYPES] = {0};
    for (uint64_t left = position_occupied(p); left != 0;) {
        const int square = set_pop(&left);
        men[piece_colour(p->board[square])] |= square_bit(square);
        kind[piece_type(p->board[square])] |= square_bit(square);
    }
    return (int)tb_probe_wdl(men[WHITE], men[BLACK], kind[KING], kind[QUEEN], kind[ROOK], kind[BISHOP], kind[KNIGHT],
                             kind[PAWN], 0, 0, 0, p->side == WHITE) -
           2;
}

// A random legal position in which no man can be captured, and some man can move.
static bool random_position(struct position *p, const struct material *material, uint64_t *state)
{
    uint32_t moves[MOVES_MAX];
    struct man men[MATERIAL_MEN_MAX];
    const int count = placement_men(material, men);
    if (placement_of_bits(men, count, random_next(state), p) != 0 || !position_legal(p))
        return false;
    const int all = moves_legal(p, moves);
    for (int i = 0; i < all; i++)
        if (move_is_capture(moves[i]))
            return false;
    return all > 0;
}

static int compare(const struct syzygy_parts *parts, const char *path, struct block_cache *cache, int *differences)
{
    static struct position p;
    struct syzygy_file *file;
    uint64_t state = 1;
    TRY(syzygy_open(&file, path, SYZYGY_OUTCOMES, parts->material, cache));
    for (int n = 0; n < POSITIONS;) {
        char fen[FEN_MAX];
        int ours;
        if (!random_position(&p, parts->material, &state))
            continue;
        n++;
        const int code = syzygy_outcome(file, &p, &ours);
        if (code != 0) {
            syzygy_close(file);
            return code;
        }
        const int theirs = in_fathom(&p);
        const int wanted = expected(parts, &p);
        if (ours == wanted && theirs == wanted)
            continue;
        fen_write(&p, fen);
        if ((*differences)++ < 3)
            printf("%s: %d, but %d here and %d in libfathom\n", fen, wanted, ours, theirs);
    }
    syzygy_close(file);
    return 0;
}

static int write_material(struct syzygy_parts *parts, const char *path, struct thread_pool *pool)
{
    uint64_t bytes;
    TRY(make_parts(parts));
    return syzygy_file_write(parts, path, pool, &bytes);
}

static void free_parts(struct syzygy_parts *parts)
{
    for (int i = 0; i < SYZYGY_FILES * COLOURS; i++)
        syzygy_packed_free(&parts->part[i / COLOURS][i % COLOURS].packed);
}

int main(int argc, char **argv)
{
    static struct material material[MATERIAL_MEN_MAX];
    static struct syzygy_parts parts[MATERIAL_MEN_MAX];
    struct thread_pool *pool;
    struct block_cache *cache;
    char path[4096];
    int differ = 0;
    int code = threads_open(&pool, 1);
    THEN(code, block_cache_open(&cache, CACHE_BYTES));
    const int names = argc - 2 < MATERIAL_MEN_MAX ? argc - 2 : MATERIAL_MEN_MAX;
    for (int i = 0; i < names && code == 0; i++) {
        snprintf(path, sizeof path, "%s/%s.rtbw", argv[1], argv[2 + i]);
        code = material_parse(&material[i], argv[2 + i], NULL);
        const bool pawns = material_has_pawns(&material[i]);
        parts[i] = (struct syzygy_parts){
            .material = &material[i], .wdl = true, .files = pawns ? SYZYGY_FILES : 1, .sides = COLOURS};
        THEN(code, write_material(&parts[i], path, pool));
    }
    if (code == 0 && !tb_init(argv[1]))
        code = error_set(CLTB_E_IO, "libfathom cannot use %s", argv[1]);
    for (int i = 0; i < names && code == 0; i++) {
        int differences = 0;
        snprintf(path, sizeof path, "%s/%s.rtbw", argv[1], argv[2 + i]);
        code = compare(&parts[i], path, cache, &differences);
        printf("%s: %d positions of %" PRIu64 " values, %d differ\n", argv[2 + i], POSITIONS,
               parts[i].part[0][WHITE].shape.values, differences);
        differ += differences;
    }
    for (int i = 0; i < MATERIAL_MEN_MAX; i++)
        free_parts(&parts[i]);
    if (code != 0)
        fprintf(stderr, "seven_men: %s\n", error_text());
    return code != 0 ? 2 : differ > 0;
}
