// support_naive.h - tests: a second, naive set of rules of dobutsu shogi, which works on the text of a position
#ifndef CLTB_TESTS_DOBUTSU_SUPPORT_NAIVE_H
#define CLTB_TESTS_DOBUTSU_SUPPORT_NAIVE_H

#include "support/dobutsu_golden.h"

// Compares attacked squares, moves and the positions after them with those of the product.
void naive_compare(const char *text);

// The same position seen from the other side: turned by 180 degrees, with the colours swapped.
void naive_turn(const char *text, char turned_text[DOBUTSU_TEXT_MAX]);

// Any position that can be written: lions may stand side by side or on their far ranks.
void naive_any_position(char text[DOBUTSU_TEXT_MAX]);

#endif
