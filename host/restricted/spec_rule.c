// spec_rule.c - prune rules: a pattern is compared once with the text of every move there is, and kept as sets of moves
#include "restricted/spec.h"

#include "chess/attacks.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = "KQRBNP";

// ---- patterns ----

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

// Is c in the character class that starts at *at with '['? *at moves behind its ']'.
static bool match_class(const char **at, char c)
{
    const char *class = *at + 1;
    const bool negated = *class == '^' || *class == '!';
    bool found = false;
    for (class += negated; *class != ']'; class ++) {
        const bool range = class[1] == '-' && class[2] != ']';
        const char last = upper(class[range ? 2 : 0]);
        found = found || (upper(*class) <= upper(c) && upper(c) <= last);
        class += range ? 2 : 0;
    }
    *at = class + 1;
    return found != negated;
}

// Does the whole text match the pattern, which check_classes() has accepted? As deep as the pattern has stars.
static bool match_text(const char *pattern, const char *text)
{
    while (*pattern != '\0' && *pattern != '*') {
        if (*text == '\0')
            return false;
        if (*pattern == '[') {
            if (!match_class(&pattern, *text))
                return false;
        } else if (*pattern++ != '?' && upper(pattern[-1]) != upper(*text)) {
            return false;
        }
        text++;
    }
    if (*pattern == '\0')
        return *text == '\0';
    while (*pattern == '*')
        pattern++;
    for (;; text++) {
        if (match_text(pattern, text))
            return true;
        if (*text == '\0')
            return false;
    }
}

static int check_classes(const char *pattern)
{
    for (const char *c = pattern; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~')
            return error_set(CLTB_E_USAGE, "character %td of a pattern cannot stand in a move", c - pattern + 1);
    }
    for (const char *c = pattern; *c != '\0'; c++) {
        if (*c == ']')
            return error_set(CLTB_E_USAGE, "pattern '%s': a ']' without '['", pattern);
        if (*c != '[')
            continue;
        c++;
        c += *c == '^' || *c == '!';
        if (*c == ']')
            return error_set(CLTB_E_USAGE, "pattern '%s': there is nothing between [ and ]", pattern);
        for (; *c != ']'; c++) {
            if (*c == '\0')
                return error_set(CLTB_E_USAGE, "pattern '%s': a ']' is missing", pattern);
            if (*c == '[')
                return error_set(CLTB_E_USAGE, "pattern '%s': a '[' within [ and ]", pattern);
            if (c[1] == '-' && c[2] != ']' && c[2] != '\0' && upper(c[2]) < upper(*c))
                return error_set(CLTB_E_USAGE, "pattern '%s': '%.3s' is not a range", pattern, c);
        }
    }
    return 0;
}

// ---- the text of all moves ----

// Compares a pattern with the text of every move there is. False: it matches none.
static bool find_moves(struct spec_pattern *moves, const char *pattern)
{
    char text[8];
    bool any = false;
    for (int piece = KING; piece <= PAWN; piece++) {
        for (int to = 0; to < SQUARES; to++) {
            snprintf(text, sizeof text, "%c%s", letters[piece], square_name(to));
            if ((piece != PAWN || ((RANK_1 | RANK_8) & square_bit(to)) == 0) && match_text(pattern, text))
                moves->quiet[piece] |= square_bit(to);
        }
        for (int captured = QUEEN; captured <= PAWN; captured++) {
            snprintf(text, sizeof text, "%cx%c", letters[piece], letters[captured]);
            if (match_text(pattern, text))
                moves->captures[piece] |= (uint8_t)(1 << captured);
        }
        any |= moves->quiet[piece] != 0 || moves->captures[piece] != 0;
    }
    for (int promoted = QUEEN; promoted <= KNIGHT; promoted++) {
        snprintf(text, sizeof text, "P=%c", letters[promoted]);
        if (match_text(pattern, text))
            moves->promotions |= (uint8_t)(1 << promoted);
        for (int captured = QUEEN; captured <= KNIGHT; captured++) {
            snprintf(text, sizeof text, "Px%c=%c", letters[captured], letters[promoted]);
            if (match_text(pattern, text))
                moves->capture_promotions[captured] |= (uint8_t)(1 << promoted);
            any |= moves->capture_promotions[captured] != 0;
        }
    }
    return any || moves->promotions != 0;
}

int spec_add_rule(struct spec *spec, int colour, enum spec_prune prune, const char *pattern)
{
    if (spec->rules == SPEC_RULES_MAX)
        return error_set(CLTB_E_USAGE, "more than %d prune rules", SPEC_RULES_MAX);
    struct spec_rule *rule = &spec->rule[spec->rules];
    const size_t length = strlen(pattern);
    if (length == 0 || length >= SPEC_PATTERN_MAX)
        return error_set(CLTB_E_USAGE, "pattern '%.40s': it must have 1 to %d characters", pattern,
                         SPEC_PATTERN_MAX - 1);
    TRY(check_classes(pattern));
    memset(rule, 0, sizeof *rule);
    rule->colour = (uint8_t)colour;
    rule->prune = prune;
    memcpy(rule->text, pattern, length + 1);
    rule->pattern.stalemate = strcmp(pattern, "stalemate") == 0;
    char plain[SPEC_PATTERN_MAX];
    memcpy(plain, pattern, length + 1);
    if (length >= 3 && strcmp(plain + length - 3, "any") == 0)
        memcpy(plain + length - 3, "*", 2);
    if (!rule->pattern.stalemate && !find_moves(&rule->pattern, plain))
        return error_set(CLTB_E_USAGE, "pattern '%s': no move reads like that (moves read Ke4, KxP, P=Q, PxR=Q)",
                         pattern);
    spec->rules++;
    return 0;
}

int spec_rule_of(const struct spec *spec, const struct position *position, uint32_t move)
{
    const int piece = piece_type(position->board[move_from(move)]);
    const int captured = move_is_capture(move) ? piece_type(move_captured(move)) : KING; // KING: none
    for (int i = 0; i < spec->rules; i++) {
        const struct spec_pattern *pattern = &spec->rule[i].pattern;
        uint64_t matches; // the moves that differ from this one by the bit looked at
        int bit;
        if (move_promoted(move) != EMPTY) {
            matches = captured != KING ? pattern->capture_promotions[captured] : pattern->promotions;
            bit = piece_type(move_promoted(move));
        } else {
            matches = captured != KING ? pattern->captures[piece] : pattern->quiet[piece];
            bit = captured != KING ? captured : move_to(move);
        }
        if (spec->rule[i].colour == position->side && (matches >> bit & 1) != 0)
            return i;
    }
    return -1;
}

int spec_stalemate_rule(const struct spec *spec, int colour)
{
    for (int i = 0; i < spec->rules; i++) {
        if (spec->rule[i].colour == colour && spec->rule[i].pattern.stalemate)
            return i;
    }
    return -1;
}
