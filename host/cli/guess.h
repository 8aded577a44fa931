// guess.h - the word of a list that a misspelt one resembles most
//
//     struct guess guess = {NULL};
//     for (each word)
//         guess_try(&guess, "prob", word);
//     usage_fault(..., "unknown command 'prob'%s", guess_text(&guess).text); // "; did you mean probe?"
#ifndef CLTB_CLI_GUESS_H
#define CLTB_CLI_GUESS_H

struct guess {
    const char *word; // the nearest word so far; NULL: none is near
    int distance;
};

// Takes `word` if it is nearer to what was given than those before, by the number of letters to change.
void guess_try(struct guess *guess, const char *given, const char *word);

// An empty text if nothing is near.
struct guess_text {
    char text[64];
};
struct guess_text guess_text(const struct guess *guess);

#endif
