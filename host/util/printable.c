// printable.c - texts of strangers without control characters
#include "util/printable.h"

#include <string.h>

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
