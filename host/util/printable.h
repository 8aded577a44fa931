// printable.h - texts of strangers without control characters
//
// A name or a text of a file could steer the terminal that it is printed on. Sentences of error.h have none.
#ifndef CLTB_UTIL_PRINTABLE_H
#define CLTB_UTIL_PRINTABLE_H

#include <stdio.h>

// Replaces control characters by '?' and returns the text.
char *text_clean(char *text);

// Prints at most `length` bytes of a text in this way.
void text_print(FILE *stream, const char *text, int length);

#endif
