// text_stream.c - a stream that collects a text in memory
#include "serve/text_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__

// open_memstream() of glibc leaves out what it has no memory for and says nothing.
struct text_stream {
    char **text;
    size_t *size;
    bool failed;
};

static ssize_t text_add(void *context, const char *bytes, size_t count)
{
    struct text_stream *stream = context;
    char *longer = realloc(*stream->text, *stream->size + count + 1);
    stream->failed |= longer == NULL;
    if (longer == NULL)
        return 0;
    memcpy(longer + *stream->size, bytes, count);
    longer[ *stream->size += count] = '\0';
    *stream->text = longer;
    return (ssize_t)count;
}

static int text_end(void *context)
{
    struct text_stream *stream = context;
    const bool failed = stream->failed;
    free(stream);
    return failed ? EOF : 0;
}

FILE *text_stream(char **text, size_t *size)
{
    struct text_stream *stream = malloc(sizeof *stream);
    FILE *file =
        stream == NULL ? NULL : fopencookie(stream, "w", (cookie_io_functions_t){NULL, text_add, NULL, text_end});
    *text = NULL;
    *size = 0;
    if (file == NULL)
        free(stream);
    else
        *stream = (struct text_stream){text, size, false};
    return file;
}

#else

FILE *text_stream(char **text, size_t *size)
{
    return open_memstream(text, size);
}

#endif
