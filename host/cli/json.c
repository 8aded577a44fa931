// json.c - text as a JSON string
#include "cli/json.h"

#include <stdio.h>

// The length of the UTF-8 sequence at `s`, or 0 if it is none.
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

void json_string(const char *text)
{
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
