// program_text.c - the text of a program: built-in files with their includes put in
//
// An OpenCL compiler sees no folder of ours, so every `#include "NAME"` line of a built-in text is replaced by the file
// NAME the first time, and by an empty line after that.
#include "solve/opencl/program.h"

#include "solve/opencl/kernel_source.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 64 };

struct text {
    char *bytes;
    size_t length;
    size_t room;
    bool included[TEXTS_MAX]; // by the number of the built-in text
};

static int append(struct text *text, const char *bytes, size_t length)
{
    if (text->bytes == NULL || text->length + length + 1 > text->room) {
        size_t room = 2 * (text->length + length + 1);
        char *more = realloc(text->bytes, room);
        if (more == NULL)
            return error_memory(room, "a kernel's text");
        text->bytes = more;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return 0;
}

// The name in an `#include "NAME"` line, or NULL.
static const char *included_name(const char *line, size_t length, size_t *name_length)
{
    static const char word[] = "#include \"";
    if (length < sizeof word - 1 || memcmp(line, word, sizeof word - 1) != 0)
        return NULL;
    const char *name = line + sizeof word - 1;
    const char *end = memchr(name, '"', length - (sizeof word - 1));
    if (end == NULL)
        return NULL;
    *name_length = (size_t)(end - name);
    return name;
}

static int append_file(struct text *text, const char *name, size_t name_length)
{
    int number = 0;
    for (const char *known; (known = cltb_kernel_sources[number].name) != NULL; number++) {
        if (strlen(known) == name_length && memcmp(known, name, name_length) == 0)
            break;
    }
    if (number >= TEXTS_MAX || cltb_kernel_sources[number].name == NULL)
        return error_set(CLTB_E_DEVICE, "no kernel text '%.*s' is built in", (int)name_length, name);
    if (text->included[number])
        return 0;
    text->included[number] = true;
    const char *line = cltb_kernel_sources[number].text;
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        const size_t whole = length + (line[length] == '\n');
        size_t inner_length;
        const char *inner = included_name(line, length, &inner_length);
        TRY(inner == NULL ? append(text, line, whole) : append_file(text, inner, inner_length));
        line += whole;
    }
    return append(text, "\n", 1);
}

int opencl_program_text(char **result, const char *const *names)
{
    struct text text = {0};
    int code = 0;
    for (; code == 0 && *names != NULL; names++)
        code = append_file(&text, *names, strlen(*names));
    if (code != 0) {
        free(text.bytes);
        text.bytes = NULL;
    }
    *result = text.bytes;
    return code;
}
