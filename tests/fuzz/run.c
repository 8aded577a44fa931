// run.c - what every fuzzer needs: checks, inputs in memory, and a driver without a fuzzing library
#include "fuzz/run.h"

#include "table/container_format.h"
#include "util/error.h"
#include "util/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static const char *name = "fuzz";

void require_of(bool truth, const char *what, const char *text)
{
    if (truth)
        return;
    fprintf(stderr, "%s: %s: \"%s\"\n", name, what, text);
    abort();
}

void require(bool truth, const char *what)
{
    require_of(truth, what, truth ? "" : error_text());
}

char *text_copy(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL, "no memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

const char *file_in_memory(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[40];
    if (file < 0)
        file = memfd_create("fuzz", MFD_CLOEXEC);
    require(file >= 0 && ftruncate(file, 0) == 0, "no file in memory");
    require(size == 0 || pwrite(file, data, size, 0) == (ssize_t)size, "the file in memory is cut short");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

size_t file_bytes(const char *path, uint8_t *bytes, size_t space)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL, "a file is missing");
    const size_t size = fread(bytes, 1, space, file);
    fclose(file);
    require(size < space, "a file is too long");
    return size;
}

void mend_head(uint8_t *file, size_t size)
{
    const uint64_t head = size < HEAD_FIXED ? 0 : get_number(file + HEAD_BYTES, 8);
    if (head < HEAD_FIXED || head > size)
        return;
    put_number(file + HEAD_HASH, 8, 0);
    put_number(file + HEAD_HASH, 8, XXH64(file, (size_t)head, 0));
}

static uint64_t state = 1;

uint64_t random_number(void)
{
    return random_next(&state);
}

uint32_t below(uint64_t n)
{
    return (uint32_t)((random_number() >> 20) % n);
}

int fuzz_run(int argc, char **argv, void (*run_one)(void))
{
    const time_t seconds = argc > 1 ? (time_t)strtoull(argv[1], NULL, 10) : 3;
    unsigned long long done = 0;
    name = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (const time_t end = time(NULL) + seconds; time(NULL) < end; done++)
        run_one();
    printf("%s: %llu inputs, no fault\n", name, done);
    return 0;
}

enum { TEXT_MAX = 1200 };

static const struct fuzz_texts *the_texts;

static char any_char(void)
{
    return below(16) == 0 ? (char)below(256) : the_texts->likely[below(strlen(the_texts->likely))];
}

// Copies a stretch of the text to another place in it.
static size_t copy_stretch(char *text, size_t length, size_t at)
{
    const size_t stretch = 1 + below(1 + below(20));
    if (length < stretch || length + stretch >= TEXT_MAX)
        return length;
    memmove(text + at + stretch, text + at, length - at);
    memmove(text + at, text + below(length - stretch + 1), stretch);
    return length + stretch;
}

// One change: insert, delete a stretch, replace, cut off, swap two, move one (which keeps men complete), exchange small
// and capital, or copy a stretch.
static size_t mutate(char *text, size_t length)
{
    const size_t at = below(length + 1);
    const size_t other = below(length + 1);
    const size_t stretch = below(2) == 0 ? 1 : 1 + below(20);
    if (length == 0) {
        text[0] = any_char();
        return 1;
    }
    if (at == length || other == length)
        return copy_stretch(text, length, at);
    const char c = text[at];
    switch (below(12)) {
    case 0:
    case 1:
        length = copy_stretch(text, length, at);
        text[at] = any_char();
        return length;
    case 2:
        if (at + stretch > length)
            return length;
        memmove(text + at, text + at + stretch, length - at - stretch);
        return length - stretch;
    case 3:
    case 4:
        text[at] = any_char();
        return length;
    case 5:
        return below(8) == 0 ? at : length;
    case 6:
        memmove(text + at, text + at + 1, length - at - 1);
        memmove(text + other + 1, text + other, length - other - 1);
        text[other] = c;
        return length;
    case 7:
        text[at] ^= (char)((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 0x20 : 0);
        return length;
    default:
        text[at] = text[other];
        text[other] = c;
        return length;
    }
}

static void run_text(void)
{
    char text[TEXT_MAX];
    const char *seed = the_texts->seeds[below(the_texts->count)];
    const size_t keep = the_texts->keep;
    size_t length = strlen(seed) - keep;
    require(length + keep < TEXT_MAX, "a seed is too long");
    memcpy(text, seed, length + keep);
    for (uint32_t changes = below(8); changes > 0; changes--)
        length = mutate(text + keep, length);
    LLVMFuzzerTestOneInput((const uint8_t *)text, keep + length);
}

int fuzz_run_texts(int argc, char **argv, const struct fuzz_texts *texts)
{
    the_texts = texts;
    return fuzz_run(argc, argv, run_text);
}
