// error.c - one thread-local sentence that says what failed
#include "util/error.h"

#include "util/os.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char sentence[1024];

// The bytes of a control character here, those above U+0080 in UTF-8 included; 0: another character.
static size_t control_at(const char *text)
{
    const unsigned char first = (unsigned char)text[0];
    if (first < ' ' || first == 0x7f)
        return first != '\0';
    return first == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0 ? 2 : 0;
}

char *text_clean(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        memset(at, '?', control_at(at));
    return text;
}

void text_print(FILE *stream, const char *text, int length)
{
    for (int i = 0; i < length && text[i] != '\0'; i++) {
        const size_t bytes = control_at(text + i);
        putc(bytes > 0 ? '?' : text[i], stream);
        i += bytes == 2;
    }
}

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
