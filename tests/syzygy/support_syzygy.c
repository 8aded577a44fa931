// support_syzygy.c - small Syzygy files: two official ones, and one that is made byte by byte
#include "syzygy/support_syzygy.h"

#include "index/square.h"

#include <string.h>

// clang-format off
const uint8_t krvk_rtbw[208] = {
    0x71, 0xe8, 0x23, 0x5d, 0x31, 0x00, 0x6e, 0xe6, 0x44, 0x00, 0x80, 0x04, 0x00, 0x06, 0x0f, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x06, 0x01, 0x08, 0x00, 0x07, 0x00, 0x07, 0x00, 0x05, 0x00, 0x02, 0x00,
    0x00, 0x00, 0x0a, 0x00, 0x04, 0x40, 0x00, 0x03, 0x30, 0x00, 0x00, 0x00, 0x00, 0x02, 0x20, 0x00,
    0x05, 0x50, 0x00, 0x00, 0xf0, 0xff, 0x01, 0x10, 0x00, 0x02, 0xf0, 0xff, 0x09, 0x90, 0x00, 0x06,
    0x60, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x63, 0x7a,
    [128] =
    0xff, 0xfe, 0x61, 0x25, 0x55, 0x7f, 0xff, 0xff, 0xff, 0x30, 0x44, 0x10, 0x06, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf9, 0x92, 0x62, 0x19,
    [192] =
    0x81, 0xda, 0x63, 0xfe, 0x25, 0xb9, 0xed, 0x66, 0xf4, 0x59, 0x00, 0x15, 0x58, 0xf8, 0x3c, 0xa5,
};

const uint8_t knvk_rtbz[80] = {
    0xd7, 0x66, 0x0c, 0xa5, 0x31, 0x00, 0x0e, 0x06, 0x02, 0x00, 0x80,
    [64] =
    0x79, 0x6a, 0xb9, 0x60, 0xa6, 0x14, 0x0d, 0x5b, 0x03, 0x0f, 0x78, 0x5e, 0x91, 0x08, 0x61, 0x75,
};
// clang-format on

void make_bytes(struct made_file *file, const char *hex)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *hex != '\0' && file->size < sizeof file->bytes; hex += 2) {
        hex += strspn(hex, " ");
        file->bytes[file->size++] =
            (uint8_t)((strchr(digits, hex[0]) - digits) << 4 | (strchr(digits, hex[1]) - digits));
    }
}

void make_multiple(struct made_file *file, size_t of)
{
    while (file->size % of != 0)
        make_bytes(file, "00");
}

void make_kpvk_rtbz(struct made_file *file)
{
    // 16-byte blocks, a span of 2^15 values, 1 block, one code of one bit, for the symbol 0, whose 256 values are those
    // of 8, the only leaf. A sub-table has 23436 values, so a block of 92 codes.
    static const char head[] = "04 0F 00 01 00 00 00 01 01 00 00 09 00"
                               "01 10 00 02 20 00 03 30 00 04 40 00 05 50 00 06 60 00 07 70 00 08 80 00";
    file->size = 0;
    make_bytes(file, "D7 66 0C A5 33");
    make_bytes(file, "00 01 06 0E 01 01 0E 06 02 01 06 0E 00 01 06 0E"); // orders and men: P K k, P k K, ...
    make_multiple(file, 2);
    make_bytes(file, "02");
    make_bytes(file, head);
    make_bytes(file, "01 F0 FF 00 13");
    make_bytes(file, head);
    make_bytes(file, "00 F0 FF 00 0C");
    make_bytes(file, head);
    make_bytes(file, "0C F0 FF 00 80 00");
    make_bytes(file, "02 07 09 01 03 01 05 02 02 04"); // lists of a
    make_multiple(file, 2);
    make_bytes(file, "01 00 2C 01 01 00 02 00 01 00 2D 01 00 00"); // lists of b
    make_multiple(file, 2);
    for (int i = 0; i < 3; i++)
        make_bytes(file, "00 00 00 00 00 40"); // value 2^14 is value 2^14 of block 0
    for (int i = 0; i < 3; i++)
        make_bytes(file, "8B 5B"); // 23436 values - 1
    for (int i = 0; i < 3; i++) {
        make_multiple(file, 64);
        make_bytes(file, "00");
    }
    make_multiple(file, 64);
    file->size += 16; // a checksum, which reading does not compare
    memset(file->bytes + file->size - 16, 0, 16);
}

void syzygy_placement(const struct syzygy_shape *shape, uint64_t index, uint8_t *square)
{
    uint64_t used = 0;
    for (int group = 0; group < shape->groups; group++) {
        const struct syzygy_group *g = &shape->group[group];
        const uint64_t digit = index / g->factor % g->size;
        uint8_t *own = square + g->first;
        if (group == 0)
            syzygy_lead_squares(shape, digit, own);
        else
            syzygy_group_squares(shape, group, digit, used, own);
        for (int i = 0; i < g->count; i++)
            used |= square_bit(own[i]);
    }
}
