// file.c - reading Syzygy files that may be cut short, altered or hostile
//
// The head, up to the lists of distances, is read at once and every number in it is checked against the file's size
// before it is used. What is read later (where a block begins, how many values it has, its codes) is checked then. The
// file ends with a checksum, which only reading the whole file could compare.
#include "syzygy/file.h"

#include "syzygy/code.h"
#include "table/block_cache.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/threads.h"

#include "chess/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNED = 64, // blocks of a sub-table begin at a multiple of this
    CHECKSUM = 16,
    FILE_BYTES_MIN = ALIGNED + CHECKSUM,
    HEAD_MAX = 512 << 10, // more than 8 sub-tables and 16 lists take
    PAIR_HEAD = 10,       // bytes before the numbers of first symbols
    SPARSE_ENTRY = 6,
    SPAN_BITS_MAX = 30,
    BLOCK_BITS_MAX = 12,
    LEAF_MAX = 4095,
    LISTS = 4,   // of distances: wins, losses, cursed wins, blessed losses
    WINDOW = 16, // lengths of blocks that are read together
    DISTANCE_MAX = 2047
};

_Static_assert((int)SYZYGY_NOTE_BYTES == (int)CACHED_NOTE_BYTES, "a note is about the bytes that it is left with");

enum flags { BLACK_STORED = 1, MAPPED = 2, WIN_PLIES = 4, LOSS_PLIES = 8, WIDE = 16, SINGLE = 128 };

struct sub_table {
    struct syzygy_shape shape;
    uint8_t man[2][SYZYGY_MEN_MAX]; // [colours flipped] where each man of the list is in position.list
    uint8_t flags;
    uint8_t single_value;
    uint8_t block_bits; // a block has 2^block_bits bytes
    uint8_t span_bits;  // an entry of the sparse index stands for 2^span_bits values
    uint32_t blocks;
    double density;   // average number of blocks per value
    uint64_t lengths; // blocks and the padding after them
    uint64_t sparse;  // offset in the file; the other parts follow
    uint64_t length;
    uint64_t data;
    const uint8_t *list[LISTS]; // in the head, with entries of 1 byte, or 2 with WIDE
    uint16_t listed[LISTS];
    struct syzygy_code code;
    unsigned width; // bytes of a value in memory
    void *value;    // [shape.values]; NULL: only in the file
};

struct syzygy_file {
    char *path;
    int descriptor;
    enum syzygy_kind kind;
    bool symmetric;
    struct material material;
    uint64_t bytes;
    uint8_t *head;
    size_t head_bytes;
    struct cached_file *cached;
    int files;
    int sides;
    struct sub_table table[SYZYGY_FILES][COLOURS];
};

// The code is visible here, so that compilers know that it is not 0.
static int damaged(const struct syzygy_file *file, const char *what)
{
    error_set(CLTB_E_CORRUPT, "%s is damaged: %s", file->path, what);
    return CLTB_E_CORRUPT;
}

static uint32_t number(const uint8_t *at, int bytes)
{
    uint32_t n = 0;
    for (int i = bytes - 1; i >= 0; i--)
        n = n << 8 | at[i];
    return n;
}

// ---- the head ----

// A place in the head; `left` bytes follow.
struct cursor {
    const struct syzygy_file *file;
    size_t at;
};

// Sets `*bytes` to the next `count` bytes.
static int take(struct cursor *cursor, size_t count, const uint8_t **bytes)
{
    if (count > cursor->file->head_bytes - cursor->at)
        return damaged(cursor->file, "it ends within its head");
    *bytes = cursor->file->head + cursor->at;
    cursor->at += count;
    return 0;
}

static int make_even(struct cursor *cursor)
{
    const uint8_t *pad;
    return take(cursor, cursor->at % 2, &pad);
}

static int wrong_men(const struct syzygy_file *file)
{
    char name[MATERIAL_NAME_MAX];
    return error_set(CLTB_E_FOREIGN, "%s does not hold %s", file->path, material_name(&file->material, name));
}

// Finds where each man of a list is in a position's lists, with colours as they are and flipped.
static void place_men(struct sub_table *table)
{
    const uint8_t *list = table->shape.list;
    int same = 0; // men of that kind before it
    for (int i = 0; i < table->shape.men; i++) {
        same = i > 0 && list[i] == list[i - 1] ? same + 1 : 0;
        for (int flip = 0; flip < 2; flip++) {
            const int kind = (syzygy_man_colour(list[i]) ^ flip) * PIECE_TYPES + syzygy_man_type(list[i]);
            table->man[flip][i] = (uint8_t)(kind * MEN_PER_SIDE_MAX + same);
        }
    }
}

// Reads the orders and the men of all sub-tables for a file of the leading pawn.
static int read_men(struct syzygy_file *file, struct cursor *cursor, int pawn_file)
{
    const int men = material_men(&file->material);
    const bool both = file->material.count[WHITE][PAWN] > 0 && file->material.count[BLACK][PAWN] > 0;
    const uint8_t *bytes;
    TRY(take(cursor, (size_t)(1 + both + men), &bytes));
    for (int side = 0; side < file->sides; side++) {
        const int shift = side == BLACK ? 4 : 0;
        uint8_t list[SYZYGY_MEN_MAX];
        struct material held = {0};
        for (int i = 0; i < men; i++)
            list[i] = bytes[1 + both + i] >> shift & 15;
        struct syzygy_shape *shape = &file->table[pawn_file][side].shape;
        const int order2 = both ? bytes[1] >> shift & 15 : SYZYGY_NO_GROUP;
        const int code = syzygy_shape_init(shape, list, men, pawn_file, bytes[0] >> shift & 15, order2);
        if (code != 0)
            return error_prefix(code, "%s is damaged", file->path);
        for (int i = 0; i < men; i++)
            held.count[syzygy_man_colour(list[i])][syzygy_man_type(list[i])]++;
        if (!material_equal(&held, &file->material))
            return wrong_men(file);
        place_men(&file->table[pawn_file][side]);
    }
    return 0;
}

static int read_pair_head(struct syzygy_file *file, struct cursor *cursor, struct sub_table *table)
{
    const uint8_t *bytes;
    const uint8_t *first;
    const uint8_t *symbol;
    TRY(take(cursor, 2, &bytes));
    table->flags = bytes[0];
    table->single_value = file->kind == SYZYGY_OUTCOMES ? bytes[1] : 0; // distances: as most readers take it
    if (table->flags & SINGLE)
        return table->single_value <= 4 ? 0 : damaged(file, "an outcome is out of range");
    cursor->at -= 2;
    TRY(take(cursor, PAIR_HEAD, &bytes));
    table->block_bits = bytes[1];
    table->span_bits = bytes[2];
    table->blocks = number(bytes + 4, 4);
    table->density = table->blocks / (double)table->shape.values;
    table->lengths = (uint64_t)table->blocks + bytes[3];
    const unsigned max = bytes[8];
    const unsigned min = bytes[9];
    if (table->block_bits > BLOCK_BITS_MAX || table->span_bits < 1 || table->span_bits > SPAN_BITS_MAX || min < 1 ||
        max < min || max > SYZYGY_CODE_BITS_MAX)
        return damaged(file, "the head of a sub-table makes no sense");
    TRY(take(cursor, 2 * (max - min + 1), &first));
    TRY(take(cursor, 2, &bytes));
    const unsigned symbols = number(bytes, 2);
    TRY(take(cursor, 3 * (size_t)symbols + symbols % 2, &symbol));
    const unsigned value_max = file->kind == SYZYGY_OUTCOMES ? 4 : LEAF_MAX;
    const int code = syzygy_code_init(&table->code, min, max, first, symbols, symbol, value_max);
    return code == CLTB_E_CORRUPT ? error_prefix(code, "%s is damaged", file->path) : code;
}

static int read_lists(struct cursor *cursor, struct sub_table *table)
{
    if (!(table->flags & MAPPED) || table->flags & SINGLE)
        return 0;
    const int wide = table->flags & WIDE ? 2 : 1;
    const uint8_t *count;
    if (wide == 2)
        TRY(make_even(cursor));
    for (int i = 0; i < LISTS; i++) {
        TRY(take(cursor, (size_t)wide, &count));
        table->listed[i] = (uint16_t)number(count, wide);
        TRY(take(cursor, (size_t)(wide * table->listed[i]), &table->list[i]));
    }
    return 0;
}

// Finds the parts of the sub-tables after the head.
static int place_parts(struct syzygy_file *file, uint64_t at)
{
    enum { SPARSE, LENGTHS, BLOCKS, PARTS };
    for (int part = SPARSE; part < PARTS; part++)
        for (int i = 0; i < file->files * file->sides; i++) {
            struct sub_table *table = &file->table[i / file->sides][i % file->sides];
            if (table->flags & SINGLE)
                continue;
            uint64_t bytes;
            if (part == SPARSE) {
                table->sparse = at;
                bytes = ((table->shape.values - 1) >> table->span_bits) * SPARSE_ENTRY + SPARSE_ENTRY;
            } else if (part == LENGTHS) {
                table->length = at;
                bytes = 2 * table->lengths;
            } else {
                at = (at + ALIGNED - 1) / ALIGNED * ALIGNED;
                table->data = at;
                bytes = (uint64_t)table->blocks << table->block_bits;
            }
            if (bytes > file->bytes - CHECKSUM || at > file->bytes - CHECKSUM - bytes)
                return damaged(file, "it is too short for its sub-tables");
            at += bytes;
        }
    return 0;
}

static int read_head(struct syzygy_file *file)
{
    struct cursor cursor = {file, 4};
    const uint8_t *flags;
    const int men = material_men(&file->material);
    const bool pawns = material_has_pawns(&file->material);
    TRY(take(&cursor, 1, &flags));
    if (men > SYZYGY_MEN_MAX || *flags != (men << 4 | pawns << 1 | !file->symmetric))
        return wrong_men(file);
    file->files = pawns ? SYZYGY_FILES : 1;
    file->sides = file->kind == SYZYGY_OUTCOMES && !file->symmetric ? 2 : 1;
    for (int f = 0; f < file->files; f++)
        TRY(read_men(file, &cursor, f));
    TRY(make_even(&cursor));
    for (int f = 0; f < file->files; f++)
        for (int side = 0; side < file->sides; side++)
            TRY(read_pair_head(file, &cursor, &file->table[f][side]));
    if (file->kind == SYZYGY_DISTANCES) {
        for (int f = 0; f < file->files; f++)
            TRY(read_lists(&cursor, &file->table[f][0]));
        TRY(make_even(&cursor));
    }
    return place_parts(file, cursor.at);
}

static int open_file(struct syzygy_file *file)
{
    static const uint8_t magic[][4] = {{0x71, 0xe8, 0x23, 0x5d}, {0xd7, 0x66, 0x0c, 0xa5}};
    struct stat status;
    file->descriptor = os_open(file->path, O_RDONLY | O_NONBLOCK);
    if (file->descriptor < 0 && errno != ENXIO)
        return error_errno(errno == ENOENT ? CLTB_E_MISSING : CLTB_E_IO, errno, "cannot open %s", file->path);
    if (file->descriptor >= 0 && fstat(file->descriptor, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", file->path);
    if (file->descriptor < 0 || !S_ISREG(status.st_mode)) // a socket cannot be opened
        return error_set(CLTB_E_FOREIGN, "%s is not a Syzygy table: it is not a file", file->path);
    file->bytes = (uint64_t)status.st_size;
    if (file->bytes < FILE_BYTES_MIN || file->bytes % ALIGNED != CHECKSUM)
        return error_set(CLTB_E_CORRUPT, "%s is not a whole Syzygy table: it has %llu bytes", file->path,
                         (unsigned long long)file->bytes);
    const uint64_t rest = file->bytes - CHECKSUM;
    file->head_bytes = rest < HEAD_MAX ? (size_t)rest : HEAD_MAX;
    TRY(memory_new(&file->head, file->head_bytes, 1, "a table's head"));
    TRY(file_read(file->descriptor, file->path, file->head, file->head_bytes, 0, NULL));
    if (memcmp(file->head, magic[file->kind], sizeof magic[0]) != 0)
        return error_set(CLTB_E_FOREIGN, "%s is not a Syzygy table of %s", file->path,
                         file->kind == SYZYGY_OUTCOMES ? "outcomes" : "distances");
    return read_head(file);
}

int syzygy_open(struct syzygy_file **result, const char *path, enum syzygy_kind kind, const struct material *material,
                struct block_cache *cache)
{
    *result = NULL;
    struct syzygy_file *file = calloc(1, sizeof *file);
    if (file == NULL || (file->path = strdup(path)) == NULL) {
        free(file);
        return error_memory(sizeof *file, "a table");
    }
    file->descriptor = -1;
    file->kind = kind;
    file->material = *material;
    file->symmetric = material_symmetric(material);
    int code = open_file(file);
    THEN(code, cached_file_open(&file->cached, cache, file->descriptor, file->path, file->bytes));
    if (code != 0)
        syzygy_close(file);
    else
        *result = file;
    return code;
}

void syzygy_close(struct syzygy_file *file)
{
    if (file == NULL)
        return;
    cached_file_close(file->cached);
    for (int f = 0; f < SYZYGY_FILES; f++)
        for (int side = 0; side < COLOURS; side++) {
            syzygy_code_free(&file->table[f][side].code);
            free(file->table[f][side].value);
        }
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->head);
    free(file->path);
    free(file);
}

const char *syzygy_path(const struct syzygy_file *file)
{
    return file->path;
}

uint64_t syzygy_file_bytes(const struct syzygy_file *file)
{
    return file->bytes;
}

static bool counts_plies(const struct sub_table *table)
{
    enum { WINS, LOSSES, CURSED, BLESSED };
    if (table->flags & SINGLE)
        return true; // every distance is stored as the first move, and the legal moves show its length
    if (table->flags & MAPPED)
        return (table->flags & WIN_PLIES || table->listed[WINS] == 0) &&
               (table->flags & LOSS_PLIES || table->listed[LOSSES] == 0) && table->listed[CURSED] == 0 &&
               table->listed[BLESSED] == 0;
    return table->flags & WIN_PLIES && table->flags & LOSS_PLIES;
}

bool syzygy_counts_plies(const struct syzygy_file *file)
{
    for (int f = 0; f < file->files; f++)
        if (!counts_plies(&file->table[f][0]))
            return false;
    return true;
}

// ---- values by index ----

// Written out, so that compilers turn it into one load.
static uint32_t two_bytes(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

// Finds the block with a value, and the value's place in it. The sparse index has the middle of each span of values;
// the lengths of blocks lead from there to the value.
static int find_block(const struct syzygy_file *file, const struct sub_table *table, uint64_t index, uint64_t *block,
                      uint32_t *at)
{
    uint64_t room[2 * WINDOW / sizeof(uint64_t) + 2];
    const uint8_t *read;
    const int64_t span = INT64_C(1) << table->span_bits;
    const uint64_t entry = table->sparse + (index >> table->span_bits) * SPARSE_ENTRY;
    TRY(cached_bytes(file->cached, entry, SPARSE_ENTRY, room, &read, NULL));
    uint64_t b = two_bytes(read) | two_bytes(read + 2) << 16;
    int64_t offset = (int64_t)two_bytes(read + 4) + ((int64_t)index & (span - 1)) - span / 2;
    if (b >= table->lengths)
        return damaged(file, "its index leads nowhere");
    const int64_t guess = (int64_t)b + (int64_t)((double)offset * table->density);
    if (guess >= 0 && guess < table->blocks)
        cached_prefetch(file->cached, table->data + ((uint64_t)guess << table->block_bits),
                        (size_t)1 << table->block_bits);
    while (offset < 0) {
        const uint64_t first = b < WINDOW ? 0 : b - WINDOW;
        if (b == 0)
            return damaged(file, "its index leads nowhere");
        TRY(cached_bytes(file->cached, table->length + 2 * first, 2 * (size_t)(b - first), room, &read, NULL));
        for (; offset < 0 && b > first; b--)
            offset += two_bytes(read + 2 * (b - 1 - first)) + 1;
    }
    for (;;) {
        const uint64_t first = b;
        const uint64_t count = table->lengths - first < WINDOW ? table->lengths - first : WINDOW;
        TRY(cached_bytes(file->cached, table->length + 2 * first, 2 * (size_t)count, room, &read, NULL));
        for (; b < first + count; b++) {
            const uint32_t last = two_bytes(read + 2 * (b - first));
            if (offset <= last && b < table->blocks) {
                *block = b;
                *at = (uint32_t)offset;
                return 0;
            }
            offset -= last + 1;
            if (offset < 0 || b + 1 >= table->blocks)
                return damaged(file, "its index leads nowhere");
        }
    }
}

static int stored_value(const struct syzygy_file *file, const struct sub_table *table, uint64_t index, unsigned *value)
{
    uint64_t room[(1 << BLOCK_BITS_MAX) / sizeof(uint64_t) + 2];
    const uint8_t *read;
    uint64_t note[(1 << BLOCK_BITS_MAX) / CACHED_NOTE_BYTES];
    uint64_t block;
    uint32_t at;
    if (table->flags & SINGLE) {
        *value = table->single_value;
        return 0;
    }
    if (table->value != NULL) {
        *value = table->width == 1 ? ((const uint8_t *)table->value)[index] : ((const uint16_t *)table->value)[index];
        return 0;
    }
    TRY(find_block(file, table, index, &block, &at));
    const size_t bytes = (size_t)1 << table->block_bits;
    const uint64_t offset = table->data + (block << table->block_bits);
    const bool noted = bytes >= CACHED_NOTE_BYTES;
    TRY(cached_bytes(file->cached, offset, bytes, room, &read, noted ? note : NULL));
    if (!noted)
        memmove(room, read, bytes); // the shortest read need not begin at a word
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; noted && i < bytes / CACHED_NOTE_BYTES; i++)
        all &= note[i];
    if (all == 0) {
        syzygy_note(&table->code, room, bytes, note);
        cached_note(file->cached, offset, bytes, note);
    }
    return syzygy_decode(&table->code, room, bytes, noted ? note : NULL, at, value) == 0
               ? 0
               : damaged(file, "a block has too few values");
}

// ---- all values ----

enum { RUN = 256 }; // blocks read together

struct loading {
    const struct syzygy_file *file;
    struct sub_table *table;
    uint64_t *start; // [runs + 1] the first value of a run of blocks
};

// Reads the blocks of a run, and the numbers of their values less 1.
static int read_run(const struct loading *loading, uint64_t first, uint64_t count, uint8_t *length, uint8_t *data)
{
    const struct syzygy_file *file = loading->file;
    const struct sub_table *table = loading->table;
    TRY(file_read(file->descriptor, file->path, length, 2 * (size_t)count, table->length + 2 * first, NULL));
    if (data == NULL)
        return 0;
    const size_t bytes = (size_t)count << table->block_bits;
    return file_read(file->descriptor, file->path, data, bytes, table->data + (first << table->block_bits), NULL);
}

static int find_starts(const struct loading *loading)
{
    const struct sub_table *table = loading->table;
    uint8_t length[2 * RUN];
    uint64_t values = 0;
    for (uint64_t first = 0; first < table->blocks; first += RUN) {
        const uint64_t count = table->blocks - first < RUN ? table->blocks - first : RUN;
        loading->start[first / RUN] = values;
        TRY(read_run(loading, first, count, length, NULL));
        for (uint64_t i = 0; i < count; i++)
            values += number(length + 2 * i, 2) + 1;
    }
    loading->start[(table->blocks + RUN - 1) / RUN] = values;
    return values == table->shape.values ? 0 : damaged(loading->file, "its blocks do not have a value for each place");
}

static int load_run(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct loading *loading = context;
    struct sub_table *table = loading->table;
    const size_t bytes = (size_t)1 << table->block_bits;
    const uint64_t first = item * RUN;
    const uint64_t count = table->blocks - first < RUN ? table->blocks - first : RUN;
    uint8_t length[2 * RUN];
    uint8_t *data;
    uint16_t *values = NULL;
    uint64_t at = loading->start[item];
    int code = memory_new(&data, RUN, bytes, "blocks");
    THEN(code, memory_new(&values, UINT16_MAX + 1, sizeof *values, "a block's values"));
    THEN(code, read_run(loading, first, count, length, data));
    for (uint64_t i = 0; code == 0 && i < count; i++) {
        uint64_t block[(1 << BLOCK_BITS_MAX) / sizeof(uint64_t)] = {0};
        const uint32_t here = number(length + 2 * i, 2) + 1;
        memcpy(block, data + i * bytes, bytes);
        if (here > loading->start[item + 1] - at)
            code = damaged(loading->file, "it has changed while it was read");
        else if (syzygy_decode_all(&table->code, block, bytes, here, values) != 0)
            code = damaged(loading->file, "a block has too few values");
        for (uint32_t k = 0; code == 0 && k < here; k++) {
            if (table->width == 1)
                ((uint8_t *)table->value)[at + k] = (uint8_t)values[k];
            else
                ((uint16_t *)table->value)[at + k] = values[k];
        }
        at += here;
    }
    free(data);
    free(values);
    return code;
}

static int load_table(struct syzygy_file *file, struct sub_table *table, struct thread_pool *pool)
{
    const uint64_t runs = (table->blocks + RUN - 1) / RUN;
    struct loading loading = {.file = file, .table = table};
    int code = memory_new(&loading.start, runs + 1, sizeof *loading.start, "the starts of blocks");
    THEN(code, memory_new(&table->value, table->shape.values, table->width, "the values of a Syzygy file"));
    THEN(code, find_starts(&loading));
    THEN(code, threads_each(pool, runs, load_run, &loading));
    free(loading.start);
    if (code != 0) {
        free(table->value);
        table->value = NULL;
    }
    return code;
}

int syzygy_load(struct syzygy_file *file, uint64_t most, struct thread_pool *pool)
{
    uint64_t bytes = 0;
    for (int i = 0; i < file->files * file->sides; i++) {
        struct sub_table *table = &file->table[i / file->sides][i % file->sides];
        table->width = syzygy_code_most(&table->code) > UINT8_MAX ? 2 : 1;
        bytes += table->flags & SINGLE ? 0 : table->shape.values * table->width;
    }
    for (int i = 0; i < file->files * file->sides && bytes <= most; i++) {
        struct sub_table *table = &file->table[i / file->sides][i % file->sides];
        if (!(table->flags & SINGLE) && table->value == NULL)
            TRY(load_table(file, table, pool));
    }
    return 0;
}

// ---- values by position ----

// A position as a sub-table sees it.
struct place {
    const struct sub_table *table;
    int side;         // to move
    uint64_t squares; // in the form for syzygy_index()
};

static uint8_t square_of(const struct sub_table *table, int man, const struct position *p, bool flip)
{
    return (&p->list[0][0][0])[table->man[flip][man]] ^ (flip ? 56 : 0);
}

static struct place find_place(const struct syzygy_file *file, const struct position *p)
{
    const bool flip =
        file->symmetric ? p->side == BLACK : memcmp(file->material.count, p->count, sizeof file->material.count) != 0;
    const struct syzygy_shape *shape = &file->table[0][0].shape;
    int f = 0;
    if (shape->pawns) {
        uint8_t pawn[SYZYGY_MEN_MAX];
        for (int i = 0; i < shape->group[0].count; i++)
            pawn[i] = square_of(&file->table[0][0], i, p, flip);
        f = syzygy_leading_file(pawn, shape->group[0].count);
    }
    struct place place = {.side = p->side ^ (flip ? 1 : 0)};
    place.table = &file->table[f][file->sides == 2 ? place.side : 0];
    for (int i = 0; i < shape->men; i++)
        place.squares |= (uint64_t)square_of(place.table, i, p, flip) << 8 * i;
    return place;
}

static int value_at(const struct syzygy_file *file, const struct place *place, unsigned *value)
{
    return stored_value(file, place->table, syzygy_index(&place->table->shape, place->squares), value);
}

int syzygy_outcome(const struct syzygy_file *file, const struct position *p, int *outcome)
{
    const struct place place = find_place(file, p);
    unsigned value;
    TRY(value_at(file, &place, &value));
    *outcome = (int)value - 2;
    return 0;
}

static bool stores(const struct syzygy_file *file, const struct sub_table *table, int side)
{
    return file->kind == SYZYGY_OUTCOMES || file->symmetric || (table->flags & BLACK_STORED) == side;
}

bool syzygy_has_distance(const struct syzygy_file *file, const struct position *p)
{
    const struct place place = find_place(file, p);
    return stores(file, place.table, place.side);
}

int syzygy_distance(const struct syzygy_file *file, const struct position *p, int outcome, int *ply, bool *rounded)
{
    const struct place place = find_place(file, p);
    unsigned value;
    TRY(value_at(file, &place, &value));
    const struct sub_table *table = place.table;
    const int lists[] = {1, 3, 0, 2, 0}; // by outcome + 2, loss .. win
    const int list = lists[outcome + 2];
    if (table->flags & MAPPED && !(table->flags & SINGLE)) {
        if (value >= table->listed[list])
            return damaged(file, "a distance is not in its list");
        const int wide = table->flags & WIDE ? 2 : 1;
        value = number(table->list[list] + (size_t)wide * value, wide);
    }
    const bool cursed = outcome_is_cursed(outcome);
    *rounded = cursed || !(table->flags & (outcome > 0 ? WIN_PLIES : LOSS_PLIES));
    *ply = (cursed ? CURSED_PLY : 1) + (int)(*rounded ? 2 * value : value);
    if (*ply == PLY_LIMIT - 1)
        *rounded = false; // distances of 100 would be counted in plies
    return *ply <= (cursed ? DISTANCE_MAX : PLY_LIMIT) ? 0 : damaged(file, "a distance does not fit its outcome");
}

const struct syzygy_shape *syzygy_shape_of(const struct syzygy_file *file, int pawn_file, int side)
{
    if (pawn_file >= file->files || (file->symmetric && side == BLACK))
        return NULL;
    const struct sub_table *table = &file->table[pawn_file][file->sides == 2 ? side : 0];
    return stores(file, table, side) ? &table->shape : NULL;
}

int syzygy_value(const struct syzygy_file *file, int pawn_file, int side, uint64_t index, unsigned *value)
{
    return stored_value(file, &file->table[pawn_file][file->sides == 2 ? side : 0], index, value);
}
