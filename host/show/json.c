// json.c - a JSON value on standard output, written as it comes
#include "show/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

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

// What stands before an element.
static void begin(struct json *json, const char *key)
{
    if (json->more)
        printf(json->depth == 1 && json->end[0] == ']' ? ",\n " : ", ");
    json->more = true;
    if (key != NULL)
        printf("\"%s\": ", key);
}

void json_open(struct json *json, const char *key, char bracket)
{
    assert(json->depth < JSON_DEPTH_MAX);
    begin(json, key);
    putchar(bracket);
    json->end[json->depth++] = bracket == '{' ? '}' : ']';
    json->more = false;
}

void json_close(struct json *json)
{
    putchar(json->end[--json->depth]);
    json->more = true;
    if (json->depth == 0)
        putchar('\n');
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    putchar('"');
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int length = utf8_length(s);
        if (length == 0) {
            printf("\\ufffd");
            s++;
        } else if (length == 1 && (*s < ' ' || *s == 0x7f)) {
            printf("\\u%04x", (unsigned)*s++);
        } else {
            if (*s == '"' || *s == '\\')
                putchar('\\');
            for (; length > 0; length--)
                putchar(*s++);
        }
    }
    putchar('"');
}

void json_count(struct json *json, const char *key, uint64_t number)
{
    begin(json, key);
    printf("%" PRIu64, number);
}

void json_int(struct json *json, const char *key, int number)
{
    begin(json, key);
    printf("%d", number);
}

void json_real(struct json *json, const char *key, int decimals, double number)
{
    begin(json, key);
    printf("%.*f", decimals, number);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin(json, key);
    printf(value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
    begin(json, key);
    printf("null");
}
