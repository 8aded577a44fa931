// support_whole_file.c - a Syzygy file, decoded completely (see support_whole_file.h)
//
// Errors are sentences, passed up by longjmp(): the decoder has some fifty of them.
#include "syzygy/support_whole_file.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKSUM_BYTES = 16, LEAF = 0xfff, SYMBOLS_MAX = 4095, CODE_MAX = 32, EXPANSION_MAX = 256, ALIGNMENT = 64 };

struct symbol {
    uint16_t left;
    uint16_t right;
    uint16_t length; // values that it stands for; 0: not known yet
};

// What the pair header of a sub-table with several values says, and where its parts are.
struct coding {
    unsigned block_bits; // a block has 2^block_bits bytes
    unsigned span_bits;  // a sparse entry has 2^span_bits values
    uint64_t padding;
    uint64_t blocks;
    int longest; // code lengths
    int shortest;
    uint32_t first[CODE_MAX + 2]; // [length]: the first symbol with such a code
    uint64_t base[CODE_MAX + 2];  // [length]: the code of that symbol
    int symbols;
    struct symbol symbol[SYMBOLS_MAX];
    uint64_t sparse_entries;
    size_t sparse; // offsets
    size_t lengths;
    size_t data;
};

struct reader {
    uint8_t *byte;
    size_t size; // without the checksum
    size_t at;
    struct whole_file *file;
    struct coding coding[4][2];
    const char *fault;
    jmp_buf failed;
};

static void require(struct reader *r, bool truth, const char *fault)
{
    if (truth)
        return;
    r->fault = fault;
    longjmp(r->failed, 1);
}

static uint64_t number_at(struct reader *r, size_t at, size_t bytes)
{
    uint64_t number = 0;
    require(r, at + bytes <= r->size, "it is cut short");
    for (size_t i = bytes; i-- > 0;)
        number = number << 8 | r->byte[at + i];
    return number;
}

static uint64_t take(struct reader *r, size_t bytes)
{
    const uint64_t number = number_at(r, r->at, bytes);
    r->at += bytes;
    return number;
}

static void take_padding(struct reader *r, size_t alignment, const char *fault)
{
    while (r->at % alignment != 0)
        require(r, take(r, 1) == 0, fault);
}

// ---- heads ----

static void read_orders(struct reader *r)
{
    static const uint8_t zero[FILE_MEN_MAX];
    struct whole_file *file = r->file;
    const size_t magic = take(r, 4);
    require(r, magic == 0x5d23e871 || magic == 0xa50c66d7, "its magic number is of no Syzygy file");
    file->dtz = magic == 0xa50c66d7;
    const unsigned flags = (unsigned)take(r, 1);
    require(r, (flags & 12) == 0, "bits of its flags are set that have no meaning");
    file->unequal = (flags & 1) != 0;
    file->pawns = (flags & 2) != 0;
    file->men = (int)(flags >> 4);
    file->files = file->pawns ? 4 : 1;
    file->sides = file->unequal && !file->dtz ? 2 : 1;
    require(r, file->men >= 3 && file->men <= FILE_MEN_MAX, "its number of men is impossible");
    for (int f = 0; f < file->files; f++) {
        struct sub_table *sub = file->sub[f];
        // A second order byte stands there if both colours have pawns, which the men behind it tell.
        bool both = false;
        const size_t men = r->at + 2;
        for (int i = 0; i < file->men; i++)
            for (int k = 0; k < i; k++)
                both |= (number_at(r, men + (size_t)i, 1) & 7) == 1 && (number_at(r, men + (size_t)k, 1) & 7) == 1 &&
                        ((number_at(r, men + (size_t)i, 1) ^ number_at(r, men + (size_t)k, 1)) & 8) != 0;
        const unsigned order[2] = {(unsigned)take(r, 1), both ? (unsigned)take(r, 1) : 0xff};
        for (int i = 0; i < 2; i++) {
            sub[0].order[i] = (int)(order[i] & 15);
            sub[1].order[i] = (int)(order[i] >> 4);
        }
        for (int i = 0; i < file->men; i++) {
            const unsigned man = (unsigned)take(r, 1);
            sub[0].man[i] = man & 15;
            sub[1].man[i] = (uint8_t)(man >> 4);
        }
        if (file->dtz)
            require(r, order[0] < 16 && (order[1] < 16 || !both) && memcmp(sub[1].man, zero, sizeof zero) == 0,
                    "a high nibble of the orders of a DTZ file is set");
        else if (!file->unequal)
            require(r,
                    memcmp(sub[0].man, sub[1].man, sizeof sub[0].man) == 0 &&
                        memcmp(sub[0].order, sub[1].order, sizeof sub[0].order) == 0,
                    "the two nibbles of the orders of equal sides differ");
    }
    take_padding(r, 2, "the byte behind the orders is not zero");
}

static void read_symbols(struct reader *r, struct coding *c)
{
    c->symbols = (int)take(r, 2);
    require(r, c->symbols >= 1 && c->symbols <= SYMBOLS_MAX, "its number of symbols is impossible");
    for (int i = 0; i < c->symbols; i++) {
        const uint32_t bytes = (uint32_t)take(r, 3);
        c->symbol[i] = (struct symbol){.left = bytes & 0xfff, .right = (uint16_t)(bytes >> 12)};
        const struct symbol *s = &c->symbol[i];
        require(r, s->right == LEAF || (s->left < c->symbols && s->right < c->symbols), "a symbol has no such part");
    }
    if (c->symbols % 2 != 0)
        require(r, take(r, 1) == 0, "the byte behind an odd number of symbols is not zero");
    // Lengths from the leaves up; what has none in the end is part of itself.
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < c->symbols; i++) {
            struct symbol *s = &c->symbol[i];
            const unsigned left = s->right == LEAF ? 1 : c->symbol[s->left].length;
            const unsigned right = s->right == LEAF ? 0 : c->symbol[s->right].length;
            if (s->length != 0 || left == 0 || (right == 0 && s->right != LEAF))
                continue;
            require(r, left + right <= EXPANSION_MAX, "a symbol stands for more than 256 values");
            s->length = (uint16_t)(left + right);
            changed = true;
        }
    }
    for (int i = 0; i < c->symbols; i++)
        require(r, c->symbol[i].length != 0, "a symbol is part of itself");
}

static void read_code(struct reader *r, struct coding *c)
{
    c->longest = (int)take(r, 1);
    c->shortest = (int)take(r, 1);
    require(r, 1 <= c->shortest && c->shortest <= c->longest && c->longest <= CODE_MAX,
            "its code lengths are impossible");
    for (int l = c->shortest; l <= c->longest; l++)
        c->first[l] = (uint32_t)take(r, 2);
    require(r, c->first[c->longest] == 0, "its first code is not that of symbol 0");
    for (int l = c->longest - 1; l >= c->shortest; l--) {
        require(r, c->first[l] >= c->first[l + 1], "the first symbols of its code lengths fall");
        const uint64_t sum = c->base[l + 1] + (c->first[l] - c->first[l + 1]);
        require(r, sum % 2 == 0, "its code is not complete");
        c->base[l] = sum / 2;
    }
    read_symbols(r, c);
    // The codes of the shortest length are all that are left; with one symbol only code 0 exists.
    const uint64_t shortest = (UINT64_C(1) << c->shortest) - c->base[c->shortest];
    const bool one = c->longest == 1 && c->symbols == 1;
    require(r, c->base[c->shortest] < UINT64_C(1) << c->shortest, "its code is overfull");
    require(r, one || c->first[c->shortest] + shortest <= (uint64_t)c->symbols, "a code has no symbol");
}

static void read_pair_header(struct reader *r, struct sub_table *sub, struct coding *c)
{
    sub->flags = (uint8_t)take(r, 1);
    sub->value = calloc(sub->values + EXPANSION_MAX, sizeof *sub->value);
    require(r, sub->value != NULL, "there is not enough memory for its values");
    if (sub->flags & SINGLE_VALUE) {
        const uint16_t value = (uint16_t)take(r, 1);
        require(r, r->file->dtz ? value == 0 : value <= 4, "its single value is none that all readers take");
        for (uint64_t i = 0; i < sub->values; i++)
            sub->value[i] = value;
        return;
    }
    c->block_bits = (unsigned)take(r, 1);
    c->span_bits = (unsigned)take(r, 1);
    c->padding = take(r, 1);
    c->blocks = take(r, 4);
    require(r, c->block_bits >= 4 && c->block_bits <= 10, "its blocks have a size that not all readers take");
    require(r, c->span_bits >= 1 && c->span_bits <= 30, "the spans of its sparse index have an impossible size");
    read_code(r, c);
    c->sparse_entries = (sub->values + (UINT64_C(1) << c->span_bits) - 1) >> c->span_bits;
}

static void read_map(struct reader *r, struct sub_table *sub)
{
    if (!(sub->flags & DTZ_MAPPED) || (sub->flags & SINGLE_VALUE))
        return;
    const size_t bytes = sub->flags & DTZ_WIDE_MAP ? 2 : 1;
    take_padding(r, bytes, "the byte before a map of 16-bit values is not zero");
    for (int list = 0; list < FILE_CLASSES; list++) {
        sub->map_count[list] = (int)take(r, bytes);
        require(r, sub->map_count[list] <= FILE_MAP_MAX, "a map is too long");
        for (int i = 0; i < sub->map_count[list]; i++)
            sub->map[list][i] = (uint16_t)take(r, bytes);
    }
}

// ---- values ----

static uint16_t *expand(const struct coding *c, int symbol, uint16_t *to)
{
    const struct symbol *s = &c->symbol[symbol];
    if (s->right == LEAF) {
        *to = s->left;
        return to + 1;
    }
    return expand(c, s->right, expand(c, s->left, to));
}

// The symbol of the code at bit *bit of a block.
static int decode(struct reader *r, const struct coding *c, const uint8_t *block, uint64_t *bit)
{
    uint64_t code = 0;
    for (int l = 1; l <= c->longest; l++, ++*bit) {
        require(r, *bit < UINT64_C(8) << c->block_bits, "a code runs over the end of its block");
        code = code << 1 | (block[*bit / 8] >> (7 - *bit % 8) & 1);
        if (l < c->shortest || code < c->base[l])
            continue;
        ++*bit;
        const uint64_t symbol = c->first[l] + (code - c->base[l]);
        require(r, symbol < (uint64_t)c->symbols, "a code has no symbol");
        return (int)symbol;
    }
    require(r, false, "a code is longer than the longest");
    return 0;
}

static void decode_blocks(struct reader *r, struct sub_table *sub, const struct coding *c)
{
    uint64_t done = 0;
    for (uint64_t b = 0; b < c->blocks; b++) {
        const uint64_t end = done + number_at(r, c->lengths + 2 * b, 2) + 1;
        const uint8_t *block = r->byte + c->data + (b << c->block_bits);
        uint64_t bit = 0;
        require(r, end <= sub->values, "its blocks have too many values");
        while (done < end) {
            const int symbol = decode(r, c, block, &bit);
            expand(c, symbol, sub->value + done);
            done += c->symbol[symbol].length;
        }
        done = end; // the last code may stand for more than the block holds
        for (; bit < UINT64_C(8) << c->block_bits; bit++)
            require(r, (block[bit / 8] >> (7 - bit % 8) & 1) == 0, "the rest of a block is not zero");
    }
    require(r, done == sub->values, "its blocks have too few values");
    for (uint64_t i = 0; i < sub->values && !r->file->dtz; i++)
        require(r, sub->value[i] <= 4, "a value is no outcome");
}

// Each entry is the middle of its span, in a block or in its padding.
static void check_sparse_index(struct reader *r, const struct coding *c)
{
    uint64_t block = 0;
    uint64_t begin = 0; // value number of the block's first value
    for (uint64_t k = 0; k < c->sparse_entries; k++) {
        const uint64_t middle = (k << c->span_bits) + (UINT64_C(1) << c->span_bits) / 2;
        for (;; block++) {
            require(r, block < c->blocks + c->padding, "its sparse index ends behind the last length");
            const uint64_t next = begin + number_at(r, c->lengths + 2 * block, 2) + 1;
            if (middle < next)
                break;
            begin = next;
        }
        require(r, number_at(r, c->sparse + 6 * k, 4) == block, "an entry of its sparse index has a wrong block");
        require(r, number_at(r, c->sparse + 6 * k + 4, 2) == middle - begin,
                "an entry of its sparse index has a wrong offset");
    }
    for (uint64_t i = 0; i < c->padding; i++)
        require(r, number_at(r, c->lengths + 2 * (c->blocks + i), 2) == 65535, "a padding length is not 65535");
    require(r, c->padding == 0 || block + 1 == c->blocks + c->padding, "it has more padding lengths than it needs");
}

// Calls part() for each sub-table with blocks.
static void each_coded(struct reader *r, void (*part)(struct reader *, struct sub_table *, struct coding *))
{
    for (int f = 0; f < r->file->files; f++)
        for (int s = 0; s < r->file->sides; s++)
            if (!(r->file->sub[f][s].flags & SINGLE_VALUE))
                part(r, &r->file->sub[f][s], &r->coding[f][s]);
}

static void skip(struct reader *r, uint64_t bytes, size_t *offset)
{
    *offset = r->at;
    require(r, bytes <= r->size - r->at, "it is cut short");
    r->at += bytes;
}

static void place_sparse(struct reader *r, struct sub_table *sub, struct coding *c)
{
    (void)sub;
    skip(r, 6 * c->sparse_entries, &c->sparse);
}

static void place_lengths(struct reader *r, struct sub_table *sub, struct coding *c)
{
    (void)sub;
    skip(r, 2 * (c->blocks + c->padding), &c->lengths);
}

static void place_blocks(struct reader *r, struct sub_table *sub, struct coding *c)
{
    (void)sub;
    take_padding(r, ALIGNMENT, "the bytes before its blocks are not zero");
    skip(r, c->blocks << c->block_bits, &c->data);
}

static void decode_values(struct reader *r, struct sub_table *sub, struct coding *c)
{
    check_sparse_index(r, c);
    decode_blocks(r, sub, c);
}

static void read_all(struct reader *r, sub_table_values *values)
{
    struct whole_file *file = r->file;
    read_orders(r);
    for (int f = 0; f < file->files; f++) {
        for (int s = 0; s < file->sides; s++) {
            struct sub_table *sub = &file->sub[f][s];
            sub->values = values(file, sub, f);
            require(r, sub->values > 0, "its men cannot be grouped so");
            read_pair_header(r, sub, &r->coding[f][s]);
        }
    }
    for (int f = 0; f < file->files && file->dtz; f++)
        read_map(r, &file->sub[f][0]);
    take_padding(r, 2, "the byte behind the maps is not zero");
    each_coded(r, place_sparse);
    each_coded(r, place_lengths);
    take_padding(r, ALIGNMENT, "the bytes before its blocks are not zero");
    each_coded(r, place_blocks);
    take_padding(r, ALIGNMENT, "the bytes behind its blocks are not zero");
    require(r, r->at == r->size, "bytes follow its blocks");
    each_coded(r, decode_values);
    uint64_t sum = 0;
    for (size_t i = 0; i < CHECKSUM_BYTES; i++)
        sum += r->byte[r->size + i];
    require(r, sum != 0, "it has no checksum");
}

const char *whole_file_read(struct whole_file *file, const char *path, sub_table_values *values)
{
    static struct reader r;
    memset(file, 0, sizeof *file);
    memset(&r, 0, sizeof r);
    r.file = file;
    FILE *stream = fopen(path, "rb");
    long size = -1;
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0 || (size = ftell(stream)) < 0) {
        r.fault = "it cannot be opened";
    } else if (size % ALIGNMENT != CHECKSUM_BYTES) {
        r.fault = "its size is no multiple of 64, and 16";
    } else {
        rewind(stream);
        r.size = (size_t)size - CHECKSUM_BYTES;
        r.byte = malloc((size_t)size);
        if (r.byte == NULL || fread(r.byte, 1, (size_t)size, stream) != (size_t)size)
            r.fault = "it cannot be read";
        else if (setjmp(r.failed) == 0)
            read_all(&r, values);
    }
    if (stream != NULL)
        fclose(stream);
    free(r.byte);
    return r.fault;
}

void whole_file_free(struct whole_file *file)
{
    for (int f = 0; f < 4; f++)
        for (int s = 0; s < 2; s++)
            free(file->sub[f][s].value);
}
