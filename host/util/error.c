// error.c - one thread-local sentence that says what failed
#include "util/error.h"

#include "util/os.h"
#include "util/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char sentence[1024];

int error_set(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    text_clean(sentence);
    return code;
}

int error_append(int code, const char *fmt, ...)
{
    const size_t length = strlen(sentence);
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence + length, sizeof sentence - length, fmt, args);
    va_end(args);
    text_clean(sentence + length);
    return code;
}

int error_prefix(int code, const char *fmt, ...)
{
    char old[sizeof sentence];
    memcpy(old, sentence, sizeof old);
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    text_clean(sentence);
    return error_append(code, ": %s", old);
}

int error_errno(int code, int errnum, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    text_clean(sentence);
    char buffer[128];
    return error_append(code, ": %s", os_error(errnum, buffer, sizeof buffer));
}

int error_null(const void *a, const void *b, const void *c)
{
    return a != NULL && b != NULL && c != NULL ? 0 : error_set(CLTB_E_USAGE, "an argument is NULL");
}

const char *error_text(void)
{
    return sentence;
}

struct shown show(char c)
{
    struct shown s;
    if (c >= ' ' && c <= '~')
        snprintf(s.text, sizeof s.text, "'%c'", c);
    else
        snprintf(s.text, sizeof s.text, "byte 0x%02x", (unsigned)(unsigned char)c);
    return s;
}
