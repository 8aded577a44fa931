// stats_kept.c - statistics that are kept in the file of a table
//
// All numbers are little-endian. docs/format.md has the bytes.
#include "check/stats_kept.h"

#include "probe/tables.h"
#include "table/container.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_BYTES = 2 + 1 + 8, // plies, zeroing, key
    BIN_BYTES = 2 + 8 + 8,     // plies, count, diagonal
    ZUGZWANG_BYTES = 8 + 1     // key, kind
};

// ---- writing ----

struct text {
    uint8_t *bytes;
    size_t size;
};

static void put(struct text *text, int bytes, uint64_t number)
{
    for (int i = 0; i < bytes; i++)
        text->bytes[text->size++] = (uint8_t)(number >> 8 * i);
}

static void put_outcome(struct text *text, const struct stats *stats, int side, int slot)
{
    const struct stats_longest *longest = &stats->longest[side][slot];
    const struct stats_bin *bin = stats->bin[side][slot];
    uint64_t bins = 0;
    put(text, 2, (uint64_t)longest->plies + 1);
    put(text, 1, longest->zeroing);
    put(text, 8, longest->key);
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
        bins += bin[ply].count > 0;
    put(text, 2, bins);
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        if (bin[ply].count == 0)
            continue;
        put(text, 2, (uint64_t)ply);
        put(text, 8, bin[ply].count);
        put(text, 8, bin[ply].diagonal);
    }
}

// The most bytes that statistics take.
static size_t most_bytes(const struct stats *stats)
{
    return COLOURS * TABLE_OUTCOMES * (LONGEST_BYTES + 2 + (TABLE_PLY_MAX + 1) * (size_t)BIN_BYTES) +
           8 * TABLE_OUTCOMES * TABLE_OUTCOMES + 8 + stats->zugzwang_count * ZUGZWANG_BYTES;
}

bool stats_too_large(const struct stats *stats)
{
    return most_bytes(stats) > CONTAINER_EXTRA_MAX;
}

// The bytes are malloc()'ed.
static int write_text(const struct stats *stats, struct text *text)
{
    const size_t most = most_bytes(stats);
    *text = (struct text){.bytes = malloc(most)};
    if (text->bytes == NULL)
        return error_memory(most, "statistics");
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        put_outcome(text, stats, i / TABLE_OUTCOMES, i % TABLE_OUTCOMES);
    for (int i = 0; i < TABLE_OUTCOMES * TABLE_OUTCOMES; i++)
        put(text, 8, stats->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES]);
    put(text, 8, stats->zugzwang_count);
    for (size_t i = 0; i < stats->zugzwang_count; i++) {
        const struct stats_zugzwang *zugzwang = &stats->zugzwang[i];
        put(text, 8, zugzwang->key);
        const int kind = (zugzwang->outcome[WHITE] + 2) * TABLE_OUTCOMES + zugzwang->outcome[BLACK] + 2;
        put(text, 1, (uint64_t)kind);
    }
    return 0;
}

int stats_keep(const struct stats *stats, const char *from, const char *to)
{
    struct text text;
    TRY(write_text(stats, &text));
    const int code = container_attach(from, to, TABLE_STATISTICS, text.bytes, text.size);
    free(text.bytes);
    return code;
}

int stats_add(const struct stats *stats, struct container_writer *file)
{
    struct text text;
    TRY(write_text(stats, &text));
    const int code = container_extend(file, TABLE_STATISTICS, text.bytes, text.size);
    free(text.bytes);
    return code;
}

// ---- reading ----

// The rest of the data. After its end, numbers are 0 and `bad` is set.
struct reader {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static uint64_t get(struct reader *reader, int bytes)
{
    uint64_t number = 0;
    reader->bad |= reader->left < (size_t)bytes;
    if (reader->bad)
        return 0;
    for (int i = 0; i < bytes; i++)
        number |= (uint64_t)reader->at[i] << 8 * i;
    reader->at += bytes;
    reader->left -= (size_t)bytes;
    return number;
}

static void get_outcome(struct reader *reader, struct stats *stats, int side, int slot)
{
    struct stats_longest *longest = &stats->longest[side][slot];
    struct stats_bin *bin = stats->bin[side][slot];
    longest->plies = (int)get(reader, 2) - 1;
    longest->zeroing = get(reader, 1) != 0;
    longest->key = get(reader, 8);
    reader->bad |= longest->plies > TABLE_PLY_MAX;
    for (uint64_t bins = get(reader, 2); bins > 0 && !reader->bad; bins--) {
        const uint64_t ply = get(reader, 2);
        const struct stats_bin one = {.count = get(reader, 8), .diagonal = get(reader, 8)};
        reader->bad |= ply > TABLE_PLY_MAX;
        if (!reader->bad)
            bin[ply] = one;
    }
}

// The list has one of the images of each zugzwang; the counts are of all.
static int get_zugzwangs(struct reader *reader, struct stats *stats)
{
    enum { KINDS = TABLE_OUTCOMES * TABLE_OUTCOMES };
    uint64_t listed[KINDS] = {0};
    for (int i = 0; i < KINDS; i++)
        stats->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] = get(reader, 8);
    const uint64_t count = get(reader, 8);
    reader->bad |= count != reader->left / ZUGZWANG_BYTES || reader->left % ZUGZWANG_BYTES != 0;
    if (reader->bad)
        return 0;
    TRY(memory_new(&stats->zugzwang, count + 1, sizeof *stats->zugzwang, "a list of zugzwangs"));
    for (stats->zugzwang_count = 0; stats->zugzwang_count < count; stats->zugzwang_count++) {
        struct stats_zugzwang *zugzwang = &stats->zugzwang[stats->zugzwang_count];
        zugzwang->key = get(reader, 8);
        const int kind = (int)get(reader, 1);
        zugzwang->outcome[WHITE] = (int8_t)(kind / TABLE_OUTCOMES - 2);
        zugzwang->outcome[BLACK] = (int8_t)(kind % TABLE_OUTCOMES - 2);
        reader->bad |= kind >= KINDS;
        listed[kind < KINDS ? kind : 0]++;
    }
    for (int i = 0; i < KINDS; i++)
        reader->bad |= listed[i] > stats->zugzwangs[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
    return 0;
}

bool stats_fit_head(const struct stats *stats, const struct table_info *info)
{
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        uint64_t positions = 0;
        int longest = -1;
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
            positions += stats->bin[side][slot][ply].count;
            longest = stats->bin[side][slot][ply].count > 0 ? ply : longest;
        }
        if (slot == CLTB_DRAW + 2)
            longest = -1;
        if (positions != info->positions[side][slot] || longest != stats->longest[side][slot].plies)
            return false;
    }
    return true;
}

int stats_read(struct stats **result, cltb_tables *tables, const struct material *material)
{
    const struct source *source;
    struct tally_men men;
    struct stats *stats;
    uint8_t *data;
    size_t bytes;
    *result = NULL;
    TRY(tables_find_material(tables, material, &source));
    if (source->table == NULL)
        return 0;
    TRY(table_statistics(source->table, &data, &bytes));
    if (data == NULL)
        return 0;
    struct reader reader = {.at = data, .left = bytes};
    int code = memory_new(&stats, 1, sizeof *stats, "statistics");
    if (code == 0) {
        stats->material = *material;
        for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
            get_outcome(&reader, stats, i / TABLE_OUTCOMES, i % TABLE_OUTCOMES);
        code = get_zugzwangs(&reader, stats);
    }
    free(data);
    if (code == 0 && (reader.bad || !stats_fit_head(stats, table_info(source->table))))
        code = table_invalid(source->table, "its statistics do not fit its head");
    if (code != 0) {
        stats_free(stats);
        return code;
    }
    tally_men_init(&men, material);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        stats_place(&stats->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES], &men, i / TABLE_OUTCOMES);
    *result = stats;
    return 0;
}

// ---- comparing ----

int stats_compare(const struct stats *kept, const struct stats *counted)
{
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        const char *mover = side == WHITE ? "White" : "Black";
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
            const struct stats_bin *a = &kept->bin[side][slot][ply];
            const struct stats_bin *b = &counted->bin[side][slot][ply];
            if (a->count != b->count || a->diagonal != b->diagonal)
                return error_set(CLTB_E_MISMATCH,
                                 "its statistics have %" PRIu64 " positions with %s to move and the value %s %d, its "
                                 "values %" PRIu64,
                                 a->count, mover, cltb_outcome_name(slot - 2), ply, b->count);
        }
        const struct stats_longest *a = &kept->longest[side][slot];
        const struct stats_longest *b = &counted->longest[side][slot];
        if (a->plies != b->plies || a->zeroing != b->zeroing || (a->plies >= 0 && a->key != b->key))
            return error_set(CLTB_E_MISMATCH, "its statistics have another longest %s of %s to move than its values",
                             cltb_outcome_name(slot - 2), mover);
    }
    bool same = kept->zugzwang_count == counted->zugzwang_count &&
                memcmp(kept->zugzwangs, counted->zugzwangs, sizeof kept->zugzwangs) == 0;
    for (size_t i = 0; same && i < kept->zugzwang_count; i++)
        same = kept->zugzwang[i].key == counted->zugzwang[i].key &&
               memcmp(kept->zugzwang[i].outcome, counted->zugzwang[i].outcome, sizeof kept->zugzwang[i].outcome) == 0;
    return same ? 0 : error_set(CLTB_E_MISMATCH, "its statistics have other mutual zugzwangs than its values");
}
