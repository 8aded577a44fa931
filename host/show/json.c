// json.c - a JSON value, written to a stream as it comes
#include "show/json.h"

#include <assert.h>
#include <inttypes.h>

// The length of the UTF-8 sequence at `s`, or 0 if there is none.
static int utf8_length(const unsigned char *s)
{
    int length = s[0] < 0x80                   ? 1
                 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (length == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
        return 0;
    if (length == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
        return 0;
    return length;
}

static FILE *file_of(const struct json *json)
{
    return json->file != NULL ? json->file : stdout;
}

// Writes what comes before an element.
static FILE *begin(struct json *json, const char *key)
{
    FILE *file = file_of(json);
    if (json->more)
        fputs(json->depth == 1 && json->end[0] == ']' ? ",\n " : ", ", file);
    json->more = true;
    if (key != NULL) {
        putc('"', file);
        fputs(key, file);
        fputs("\": ", file);
    }
    return file;
}

void json_open(struct json *json, const char *key, char bracket)
{
    assert(json->depth < JSON_DEPTH_MAX);
    putc(bracket, begin(json, key));
    json->end[json->depth++] = bracket == '{' ? '}' : ']';
    json->more = false;
}

void json_close(struct json *json)
{
    FILE *file = file_of(json);
    putc(json->end[--json->depth], file);
    json->more = true;
    if (json->depth == 0)
        putc('\n', file);
}

void json_text(struct json *json, const char *key, const char *text)
{
    FILE *file = begin(json, key);
    putc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int length = utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", file);
            s++;
        } else if (length == 1 && (*s < ' ' || *s == 0x7f)) {
            fprintf(file, "\\u%04x", (unsigned)*s++);
        } else if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0) { // control characters, too
            fprintf(file, "\\u%04x", (unsigned)s[1]);
            s += 2;
        } else {
            if (*s == '"' || *s == '\\')
                putc('\\', file);
            for (; length > 0; length--)
                putc(*s++, file);
        }
    }
    putc('"', file);
}

void json_count(struct json *json, const char *key, uint64_t number)
{
    fprintf(begin(json, key), "%" PRIu64, number);
}

void json_int(struct json *json, const char *key, int number)
{
    fprintf(begin(json, key), "%d", number);
}

void json_real(struct json *json, const char *key, int decimals, double number)
{
    fprintf(begin(json, key), "%.*f", decimals, number);
}

void json_bool(struct json *json, const char *key, bool value)
{
    fputs(value ? "true" : "false", begin(json, key));
}

void json_null(struct json *json, const char *key)
{
    fputs("null", begin(json, key));
}

void json_int_if(struct json *json, const char *key, bool known, int number)
{
    if (known)
        json_int(json, key, number);
    else
        json_null(json, key);
}
