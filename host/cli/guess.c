// guess.c - the word of a list that a misspelt one resembles most
#include "cli/guess.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 40, FAR = WORD_MAX };

static int least(int a, int b)
{
    return a < b ? a : b;
}

// The number of letters to be inserted, removed, replaced or swapped with the next one, ignoring case.
static int distance(const char *a, const char *b)
{
    int row[3][WORD_MAX + 1]; // for the last two letters of `a` and the current one
    const int length = (int)strlen(b);
    if (strlen(a) > WORD_MAX || length > WORD_MAX)
        return FAR;
    for (int j = 0; j <= length; j++)
        row[0][j] = j;
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3];
        now[0] = i;
        for (int j = 1; j <= length; j++) {
            const int x = tolower((unsigned char)a[i - 1]);
            const int y = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], row[(i + 1) % 3][j - 2] + 1);
        }
    }
    return row[strlen(a) % 3][length];
}

void guess_try(struct guess *guess, const char *given, const char *word)
{
    const size_t length = strlen(given);
    const int allowed = length < 6 ? 1 : 2;
    int far = distance(given, word);
    if (length >= 3 && far > 0 && strncmp(given, word, length) == 0)
        far = 0; // the word begins with it, as with "--mem"
    if (far <= allowed && (guess->word == NULL || far < guess->distance)) {
        guess->word = word;
        guess->distance = far;
    }
}

struct guess_text guess_text(const struct guess *guess)
{
    struct guess_text text = {""};
    if (guess->word != NULL)
        snprintf(text.text, sizeof text.text, "; did you mean %.*s?", WORD_MAX, guess->word);
    return text;
}
