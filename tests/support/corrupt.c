// corrupt.c - containers that are damaged or invalid, for the tests of every kind of table
#include "support/corrupt.h"

#include "table/properties.h"
#include "table/table.h"

#include <libgen.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { DENSE = 600, DENSE_HEAD = 48, TEXT_BYTES = 2 * CONTAINER_TEXT_MAX };

const char *memory_file(void)
{
    static char path[40];
    if (path[0] == '\0') {
        const int file = memfd_create("corrupt", MFD_CLOEXEC);
        assert_true(file >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    return path;
}

void mend_checksum(struct bytes *bytes)
{
    const uint64_t head = get_number(bytes->data + HEAD_BYTES, 8);
    if (head < HEAD_FIXED || head > bytes->size)
        return;
    put_number(bytes->data + HEAD_HASH, 8, 0);
    put_number(bytes->data + HEAD_HASH, 8, XXH64(bytes->data, head, 0));
}

static void expect(int (*check)(const char *path), const char *path, int code, const char *what, size_t number)
{
    const int found = check(path);
    if (found != code)
        fail_msg("%s %zu: code %d instead of %d (%s)", what, number, found, code, error_text());
    if (code != 0 && strstr(error_text(), path) == NULL)
        fail_msg("%s %zu: \"%s\" does not name the file", what, number, error_text());
}

static void expect_bytes(int (*check)(const char *path), const struct bytes *bytes, int code, const char *what,
                         size_t number)
{
    write_file(memory_file(), bytes->data, bytes->size);
    expect(check, memory_file(), code, what, number);
}

static size_t next(size_t at, size_t size, size_t step)
{
    if (at < (step == 1 ? DENSE : DENSE_HEAD) || at + 10 >= size)
        return at + 1;
    const size_t far = at < DENSE ? 7 : step;
    return at + far + 10 > size ? size - 10 : at + far;
}

static void expect_other_files(int (*check)(const char *path))
{
    static uint8_t zeros[4096];
    static uint8_t script[] = "#!/bin/sh\necho hello\n";
    static const struct {
        struct bytes bytes;
        int code;
    } files[] = {{{zeros, sizeof zeros}, CLTB_E_FOREIGN},
                 {{zeros, 3}, CLTB_E_FOREIGN},
                 {{script, sizeof script}, CLTB_E_FOREIGN},
                 {{zeros, 0}, CLTB_E_CORRUPT}};
    char folder[TEST_PATH_MAX];
    test_folder_make(folder);
    expect(check, folder, CLTB_E_FOREIGN, "a folder", 0);
    test_folder_remove(folder);
    expect(check, folder, CLTB_E_MISSING, "no file", 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        expect_bytes(check, &files[i].bytes, files[i].code, "another file", i);
}

// Numbers of the head that must not be believed although its checksum is right.
static void expect_head_refused(int (*check)(const char *path), struct bytes *bytes)
{
    const struct bytes copy = {malloc(bytes->size), bytes->size};
    assert_non_null(copy.data);
    memcpy(copy.data, bytes->data, bytes->size);
    bytes->data[HEAD_VERSION]++;
    mend_checksum(bytes);
    expect_bytes(check, bytes, CLTB_E_FOREIGN, "the next version", 0);
    assert_non_null(strstr(error_text(), "has format version 4, and this program reads version 3: rebuild the table"));
    bytes->data[HEAD_VERSION]--;
    const size_t end = get_number(copy.data + HEAD_BYTES, 8) - get_number(copy.data + HEAD_TEXT_BYTES, 8);
    for (size_t at = end - BLOCK_RECORD; at < end; at++) { // of the last block: 4 bytes of length, 8 of checksum
        bytes->data[at] ^= 1;
        mend_checksum(bytes);
        expect_bytes(check, bytes, CLTB_E_CORRUPT, "the last block's record at", at);
        bytes->data[at] ^= 1;
    }
    memcpy(bytes->data, copy.data, copy.size);
    free(copy.data);
}

void damage_is_noticed(const char *valid, size_t step, int (*check)(const char *path))
{
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    struct bytes bytes = read_file(valid);
    const size_t size = bytes.size;
    expect_bytes(check, &bytes, 0, "the valid file", 0);
    expect_other_files(check);
    expect_head_refused(check, &bytes);
    for (size_t at = 0; at < size; at = next(at, size, step)) {
        for (size_t i = 0; i < (step == 1 ? sizeof flips : 1); i++) {
            const uint8_t flip = (uint8_t)(step == 1 ? flips[i] : 1 << at % 8);
            bytes.data[at] ^= flip;
            const int code = at < HEAD_STREAMS ? CLTB_E_FOREIGN : CLTB_E_CORRUPT;
            expect_bytes(check, &bytes, code, "byte", at);
            bytes.data[at] ^= flip;
        }
    }
    for (bytes.size = 0; bytes.size < size; bytes.size = next(bytes.size, size, step))
        expect_bytes(check, &bytes, CLTB_E_CORRUPT, "cut to bytes:", bytes.size);
    bytes.data[size] = 0;
    bytes.size = size + 1;
    expect_bytes(check, &bytes, CLTB_E_CORRUPT, "a byte behind it", 0);
    bytes.size = size;
    expect_bytes(check, &bytes, 0, "the valid file once more", 0);
    free(bytes.data);
}

void write_properties(const char *path, const char *text)
{
    static const struct container_stream stream = {"values", 1, 16, 1, 16, CODEC_ZSTD, 0};
    static const uint8_t symbols[16];
    struct container_writer *writer;
    GOOD(container_create(&writer, path, &stream, 1, strlen(text) + 1));
    GOOD(container_add_symbols(writer, 0, 0, symbols, 3, NULL));
    GOOD(container_finish(writer, text));
}

// text[TEXT_BYTES] with `length` bytes from `at` on replaced.
static void replace(char *text, char *at, size_t length, const char *by)
{
    char *rest = strdup(at + length);
    assert_non_null(rest);
    assert_true((size_t)(at - text) + strlen(by) + strlen(rest) < TEXT_BYTES);
    strcat(strcpy(at, by), rest);
    free(rest);
}

static void change_text(char *text, const struct corruption *corruption)
{
    if (corruption->key != NULL) {
        const size_t length = strlen(corruption->key);
        char *line = text;
        while (strncmp(line, corruption->key, length) != 0 || line[length] != ' ') {
            line = strchr(line, '\n');
            assert_non_null(line);
            line++;
        }
        replace(text, line, strcspn(line, "\n") + (corruption->line == NULL),
                corruption->line == NULL ? "" : corruption->line);
    }
    if (corruption->from != NULL) {
        char *at = strstr(text, corruption->from);
        assert_non_null(at);
        replace(text, at, strlen(corruption->from), corruption->to);
    }
}

static bool changes(const struct corruption *corruption, const char *name)
{
    return corruption->stream != NULL &&
           (strcmp(corruption->stream, "*") == 0 || strcmp(corruption->stream, name) == 0);
}

static void add_to(uint8_t *symbols, uint32_t bytes, uint64_t number, int add)
{
    put_number(symbols + number * bytes, (int)bytes, get_number(symbols + number * bytes, (int)bytes) + (uint64_t)add);
}

static void copy_stream(struct container_writer *writer, int to, const struct container_stream *shape,
                        const struct container *from, int stream, const struct corruption *corruption)
{
    const struct container_stream *old = container_stream(from, stream);
    const uint64_t blocks = container_section_blocks(old);
    const size_t old_bytes = (size_t)old->section_symbols * old->symbol_bytes;
    const size_t bytes = (size_t)shape->section_symbols * shape->symbol_bytes;
    uint8_t *symbols = malloc(old_bytes + bytes);
    assert_non_null(symbols);
    for (uint64_t section = 0; section < shape->sections; section++) {
        memset(symbols, 0, old_bytes + bytes);
        for (uint64_t i = 0; i < blocks; i++)
            GOOD(container_read(from, stream, section % old->sections * blocks + i,
                                symbols + i * old->block_symbols * old->symbol_bytes));
        if (changes(corruption, old->name) && corruption->fill) {
            for (uint64_t i = 0; i < shape->section_symbols; i++) {
                const uint64_t hash = mix(section * shape->section_symbols + i);
                put_number(symbols + i * shape->symbol_bytes, (int)shape->symbol_bytes,
                           corruption->scatter ? 2 + hash % (corruption->symbol / 2) * 2 : corruption->symbol);
            }
        } else if (changes(corruption, old->name) && section == 0) {
            add_to(symbols, old->symbol_bytes, corruption->symbol, corruption->add);
            add_to(symbols, old->symbol_bytes, corruption->symbol + 1, corruption->add_to_next);
        }
        GOOD(container_add_symbols(writer, to, section, symbols, 3, NULL));
    }
    free(symbols);
}

// Tells the container of a table which entries are vacant.
static void mark_streams(struct container *container, struct entry_order order[CONTAINER_STREAMS_MAX])
{
    const char *text = container_text(container);
    for (int i = 0; i < container_stream_count(container); i++) {
        const char *name = container_stream(container, i)->name;
        char value[ENTRY_TEXT_MAX];
        if (container_stream(container, i)->codec != CODEC_PATTERN)
            continue;
        assert_true(property_text(text, "material", value, sizeof value));
        const struct material material = material_named(value);
        assert_true(property_text(text, name, value, sizeof value));
        GOOD(entry_order_read(&order[i], &material, slices_of(&material), value));
        table_mark_vacant(container, i, &order[i], name[strlen(name) - 1] == 'w' ? WHITE : BLACK);
    }
}

void write_corrupted(const char *path, const char *valid, const struct corruption *corruption)
{
    struct container *from;
    struct container_writer *writer;
    struct container_stream shapes[CONTAINER_STREAMS_MAX];
    int number[CONTAINER_STREAMS_MAX];
    int count = 0;
    char *text = malloc(TEXT_BYTES);
    assert_non_null(text);
    struct entry_order order[CONTAINER_STREAMS_MAX];
    GOOD(container_open(&from, valid));
    mark_streams(from, order);
    strcpy(text, container_text(from));
    change_text(text, corruption);
    for (int i = 0; i < container_stream_count(from); i++) {
        struct container_stream *shape = &shapes[count];
        *shape = *container_stream(from, i);
        shape->codec = CODEC_ZSTD;
        shape->model_bytes = 0;
        if (corruption->drop != NULL && strcmp(corruption->drop, shape->name) == 0)
            continue;
        if (changes(corruption, shape->name)) {
            shape->symbol_bytes = corruption->symbol_bytes > 0 ? corruption->symbol_bytes : shape->symbol_bytes;
            shape->section_symbols += corruption->more_symbols;
            shape->sections += corruption->more_sections;
        }
        number[count++] = i;
    }
    GOOD(container_create(&writer, path, shapes, count, strlen(text) + 1));
    for (int i = 0; i < count; i++)
        copy_stream(writer, i, &shapes[i], from, number[i], corruption);
    GOOD(container_finish(writer, text));
    container_close(from);
    free(text);
}

void corruptions_are_refused(const char *valid, const struct corruption *corruptions, size_t count,
                             int (*check)(const char *path))
{
    static const struct corruption none = {.accepted = true};
    char folder[TEST_PATH_MAX];
    char name[TEST_PATH_MAX];
    char path[2 * TEST_PATH_MAX];
    snprintf(name, sizeof name, "%s", valid);
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/%s", folder, basename(name));
    for (size_t i = 0; i <= count; i++) {
        const struct corruption *c = i < count ? &corruptions[i] : &none;
        const int code = c->accepted ? 0 : c->code != 0 ? c->code : CLTB_E_CORRUPT;
        write_corrupted(path, valid, c);
        expect(check, path, code, "corruption", i);
        if (c->saying != NULL && strstr(error_text(), c->saying) == NULL)
            fail_msg("corruption %zu: \"%s\" does not say \"%s\"", i, error_text(), c->saying);
    }
    test_folder_remove(folder);
}
