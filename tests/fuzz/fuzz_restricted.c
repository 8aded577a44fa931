// fuzz_restricted.c - the reader of restricted tables against hostile files
//
// Property: whatever bytes a file has, opening it, reading its slices and checking it end with a result or an error;
// and a table that passes its own check contains only values. The driver writes a small table in the current folder and
// mutates it: its bytes, its length, and words and numbers in its text. Most of the time the checksum of the head is
// made right again, so that the reader must rely on its own checks.
#include "restricted/table.h"
#include "table/container_format.h"
#include "util/error.h"
#include "util/threads.h"

#include "fuzz/run.h"

#include <stdlib.h>
#include <string.h>

static struct thread_pool *pool;

static void read_slices(struct restricted_table *table, bool checked)
{
    const struct restricted_index *index = &table->index;
    for (uint32_t slice = 0; slice < index->slices && slice < 8; slice++) {
        for (uint64_t entry = 0; entry < index->slice_entries; entry += 1 + entry % 7) {
            uint16_t value;
            const int code = restricted_table_entry(table, slice, (int)slice & 1, entry, &value);
            require(code == 0 || (code == CLTB_E_CORRUPT && !checked), "a checked table that cannot be read");
            require(code != 0 || value == RESTRICTED_OPEN ||
                        (value >= value_code(false, 0) && value <= value_code(true, TABLE_PLY_MAX)),
                    "not a value");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct restricted_table *table;
    if (pool == NULL)
        require(threads_open(&pool, 1) == 0, "no threads");
    int code = restricted_table_open(&table, file_in_memory(data, size), 1 << 16);
    require((code == 0) == (table != NULL), "a failure that leaves a table behind");
    require(code == 0 || code == CLTB_E_CORRUPT || code == CLTB_E_FOREIGN || code == CLTB_E_MEMORY, "opening");
    if (code != 0)
        return 0;
    code = value_file_check(&table->file, pool);
    require(code == 0 || code == CLTB_E_CORRUPT, "checking");
    read_slices(table, code == 0);
    restricted_table_close(table);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

enum { FILE_MAX = 1 << 18 };

static uint8_t original[FILE_MAX];
static size_t original_size;
static uint8_t mutant[FILE_MAX];

static void make_original(const char *path)
{
    static struct spec spec;
    struct restricted_index index;
    struct restricted_writer *writer;
    require(spec_read(&spec, "K[a1-c3] R[a-b] P[d5+] v K[d8-f8] P[e4+]") == 0 &&
                spec_add_rule(&spec, WHITE, SPEC_DISCARD, "P=[RN]") == 0 && spec_finish(&spec) == 0 &&
                restricted_index_open(&index, &spec, UINT32_MAX, UINT64_MAX) == 0 &&
                restricted_writer_open(&writer, path, &index) == 0,
            "no table to begin with");
    uint16_t *const value[COLOURS] = {calloc(index.slice_entries, 2), calloc(index.slice_entries, 2)};
    require(value[WHITE] != NULL && value[BLACK] != NULL, "no memory");
    for (uint32_t slice = 0; slice < index.slices; slice++) {
        for (uint64_t i = 0; i < 2 * index.slice_entries; i++)
            value[i & 1][i / 2] = i % 5 == 0 ? RESTRICTED_ILLEGAL : value_code(i / 2 & 1, (int)below(20));
        struct restricted_blocks blocks;
        require(restricted_writer_pack(writer, slice, value, pool, &blocks) == 0 &&
                    restricted_writer_put(writer, &blocks) == 0,
                "writing");
    }
    require(restricted_writer_finish(writer) == 0, "writing");
    free(value[WHITE]);
    free(value[BLACK]);
    restricted_index_close(&index);
    original_size = file_bytes(path, original, sizeof original);
    require(original_size > 1000, "the table has an odd size");
}

static void change_bytes(size_t from, size_t end)
{
    for (size_t n = 1 + below(4); n > 0; n--) {
        const size_t at = from + below((uint32_t)(end - from));
        mutant[at] = (uint8_t)(below(3) == 0 ? below(256) : mutant[at] ^ 1U << below(8));
    }
}

// Overwrites as many bytes with a hostile text, at most up to the end of the text.
static void change_words(size_t from, size_t end)
{
    static const char *const words[] = {"men ",       "v K",         "K[",     "P[a+,b+,c+,d+]", "[a1-h8]",
                                        "[e1]",       "\n",          "spec\n", "prune ",         "white ",
                                        "discard P=", "futurebase ", "-1",     "999999999999",   "restricted 1",
                                        "game chess", "+",           "]",      "inverted x",     " ",
                                        "Q Q Q Q Q",  "p",           "note ",  "output a\n"};
    for (size_t n = 1 + below(3); n > 0; n--) {
        const char *word = words[below((uint32_t)(sizeof words / sizeof words[0]))];
        const size_t length = strlen(word);
        if (end - from > length)
            memcpy(mutant + from + below((uint32_t)(end - from - length)), word, length);
    }
}

static void mutate(void)
{
    size_t size = original_size;
    memcpy(mutant, original, original_size);
    const size_t head = (size_t)get_number(original + HEAD_BYTES, 8);
    const size_t text = head - (size_t)get_number(original + HEAD_TEXT_BYTES, 8);
    const size_t text_end = text + strlen((const char *)original + text);
    const size_t from[] = {0, HEAD_STREAMS, text};
    const size_t end[] = {original_size, text, text_end};
    const uint32_t what = below(5);
    if (what < 3)
        change_bytes(from[what], end[what]);
    else if (what == 3)
        size = below(original_size);
    else
        change_words(text, text_end);
    if (below(8) != 0)
        mend_head(mutant, size);
    LLVMFuzzerTestOneInput(mutant, size);
}

int main(int argc, char **argv)
{
    require(threads_open(&pool, 1) == 0, "no threads");
    make_original("./fuzz_restricted.cltb");
    LLVMFuzzerTestOneInput(original, original_size);
    const int result = fuzz_run(argc, argv, mutate);
    threads_close(pool);
    return result;
}

#endif
