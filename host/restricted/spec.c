// spec.c - the men of a restricted endgame: contradictions, and which position belongs to it; its prune rules
//
// A rule's pattern is compared once with the text of every possible move, and kept as sets of moves.
#include "restricted/spec.h"

#include "chess/attacks.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- men ----

int spec_add_man(struct spec *spec, int colour, int type, uint64_t squares)
{
    if (spec->men == SPEC_MEN_MAX)
        return error_set(CLTB_E_USAGE, "more than %d men", SPEC_MEN_MAX);
    spec->man[spec->men++] = (struct spec_man){(uint8_t)colour, (uint8_t)type, squares};
    return 0;
}

bool spec_identical(const struct spec_man *a, const struct spec_man *b)
{
    return a->colour == b->colour && a->type == b->type && a->squares == b->squares;
}

// Kings first, White before Black; then men by type, then by squares.
static int compare_men(const void *a, const void *b)
{
    const struct spec_man *x = a;
    const struct spec_man *y = b;
    const int rank[] = {64 * (x->type != KING) + 8 * x->colour + x->type,
                        64 * (y->type != KING) + 8 * y->colour + y->type};
    if (rank[0] != rank[1])
        return rank[0] - rank[1];
    return x->squares < y->squares ? -1 : x->squares > y->squares;
}

static int check_men(const struct spec *spec)
{
    static const char *const types[PIECE_TYPES] = {"king", "queen", "rook", "bishop", "knight", "pawn"};
    int count[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < spec->men; i++)
        count[spec->man[i].colour][spec->man[i].type]++;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (count[colour][KING] != 1)
            return error_set(CLTB_E_USAGE, "%s has %s", colour_name(colour),
                             count[colour][KING] == 0 ? "no king" : "more than one king");
        if (count[colour][PAWN] > PAWNS_PER_SIDE_MAX)
            return error_set(CLTB_E_USAGE, "%s has more than %d pawns", colour_name(colour), PAWNS_PER_SIDE_MAX);
    }
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        const uint64_t bad = man->type == PAWN ? man->squares & (RANK_1 | RANK_8) : 0;
        if (man->squares == 0)
            return error_set(CLTB_E_USAGE, "%s's %s has no square", colour_name(man->colour), types[man->type]);
        if (bad != 0)
            return error_set(CLTB_E_USAGE, "%s has a pawn on %s", colour_name(man->colour),
                             square_name(__builtin_ctzll(bad)));
    }
    return 0;
}

// ---- one square for each man ----

// Gives a man a free square of its set, or one whose owner can get another square. The recursion is as deep as that
// chain of men is long, at most the number of men.
static bool seat(const uint64_t *set, int man, uint64_t *tried, uint8_t owner[SQUARES])
{
    while ((set[man] & ~*tried) != 0) {
        const int square = __builtin_ctzll(set[man] & ~*tried);
        *tried |= square_bit(square);
        if (owner[square] == SPEC_NOBODY || seat(set, owner[square], tried, owner)) {
            owner[square] = (uint8_t)man;
            return true;
        }
    }
    return false;
}

bool spec_seat(const uint64_t *set, int count, uint8_t owner[SQUARES])
{
    memset(owner, SPEC_NOBODY, SQUARES);
    for (int i = 0; i < count; i++) {
        uint64_t tried = 0;
        if (!seat(set, i, &tried, owner))
            return false;
    }
    return true;
}

// Do all pawns with squares on a file face each other there? The lowest and the highest square of each white pawn must
// lie below those of each black pawn.
static bool is_facing(const struct spec *spec, uint64_t file)
{
    bool any = false;
    for (const struct spec_man *a = spec->man; a < spec->man + spec->men; a++) {
        if (a->type != PAWN || (a->squares & file) == 0)
            continue;
        if ((a->squares & ~file) != 0)
            return false;
        for (const struct spec_man *b = a + 1; b < spec->man + spec->men; b++) { // White's men come first
            if (b->type != PAWN || b->colour == a->colour || (b->squares & file) == 0)
                continue;
            any = true;
            if (__builtin_ctzll(a->squares) >= __builtin_ctzll(b->squares) ||
                __builtin_clzll(a->squares) <= __builtin_clzll(b->squares))
                return false;
        }
    }
    return any;
}

int spec_finish(struct spec *spec)
{
    uint64_t set[SPEC_MEN_MAX] = {0};
    uint8_t owner[SQUARES];
    TRY(check_men(spec));
    qsort(spec->man, (size_t)spec->men, sizeof spec->man[0], compare_men);
    for (int i = 0; i < spec->men; i++) {
        set[i] = spec->man[i].squares;
        for (int j = 0; j < i; j++) {
            if (set[i] == set[j] && (set[i] & (set[i] - 1)) == 0)
                return error_set(CLTB_E_USAGE, "two men can only stand on %s", square_name(__builtin_ctzll(set[i])));
        }
    }
    if (!spec_seat(set, spec->men, owner))
        return error_set(CLTB_E_USAGE, "the men cannot all have a square of their own");
    bool apart = false; // the kings have some squares that are not adjacent
    for (uint64_t squares = set[WHITE]; squares != 0;) {
        const int square = set_pop(&squares);
        apart |= (set[BLACK] & ~king_attacks(square) & ~square_bit(square)) != 0;
    }
    if (!apart)
        return error_set(CLTB_E_USAGE, "the kings can only stand side by side");
    spec->facing = 0;
    for (int file = 0; file < 8; file++) {
        if (is_facing(spec, FILE_A << file))
            spec->facing |= (uint8_t)(1 << file);
    }
    return 0;
}

// ---- positions ----

bool spec_in_order(const struct spec *spec, uint64_t white, uint64_t black)
{
    for (unsigned files = spec->facing; files != 0; files &= files - 1) {
        const uint64_t file = FILE_A << __builtin_ctz(files);
        // Squares above the lowest black pawn.
        const uint64_t beyond = (black & file) == 0 ? 0 : -(black & file & -(black & file));
        if ((white & file & beyond) != 0)
            return false;
    }
    return true;
}

bool spec_match(const struct spec *spec, const struct position *position, uint8_t where[SPEC_MEN_MAX])
{
    if (position_men(position) != spec->men)
        return false;
    for (int first = 0, count; first < spec->men; first += count) {
        const struct spec_man *man = &spec->man[first]; // with all others of its colour and type
        const uint8_t *list = position->list[man->colour][man->type];
        uint64_t present = 0;
        bool as_listed = true;
        count = 1;
        while (first + count < spec->men && man[count].colour == man->colour && man[count].type == man->type)
            count++;
        if (position->count[man->colour][man->type] != count)
            return false;
        for (int i = 0; i < count; i++) {
            where[first + i] = list[i];
            present |= square_bit(list[i]);
            as_listed = as_listed && (man[i].squares & square_bit(list[i])) != 0;
        }
        if (as_listed)
            continue;
        uint64_t set[SPEC_MEN_MAX];
        uint8_t owner[SQUARES];
        for (int i = 0; i < count; i++)
            set[i] = man[i].squares & present;
        if (count == 1 || !spec_seat(set, count, owner))
            return false;
        while (present != 0) {
            const int square = set_pop(&present);
            where[first + owner[square]] = (uint8_t)square;
        }
    }
    uint64_t pawns[COLOURS] = {0};
    for (int i = 0; spec->facing != 0 && i < spec->men; i++) {
        if (spec->man[i].type == PAWN)
            pawns[spec->man[i].colour] |= square_bit(where[i]);
    }
    return spec_in_order(spec, pawns[WHITE], pawns[BLACK]);
}

// ---- patterns ----

static const char letters[] = "KQRBNP";

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

// Is c in the character class that begins with the '[' at *at? *at moves past its ']'.
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

// Does the whole text match the pattern, which check_classes() has accepted? The recursion is as deep as the pattern
// has stars.
static bool match_text(const char *pattern, const char *text)
{
    for (; *pattern != '\0' && *pattern != '*'; text++) {
        if (*text == '\0')
            return false;
        if (*pattern == '[' ? !match_class(&pattern, *text) : *pattern++ != '?' && upper(pattern[-1]) != upper(*text))
            return false;
    }
    if (*pattern == '\0')
        return *text == '\0';
    while (!match_text(pattern + 1, text)) {
        if (*text++ == '\0')
            return false;
    }
    return true;
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

// Compares a pattern with the texts of all moves there are. False: it matches none.
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

int spec_rule_for(const struct spec *spec, int mover, int type, int captured, int promoted, int to)
{
    for (int i = 0; i < spec->rules; i++) {
        const struct spec_pattern *pattern = &spec->rule[i].pattern;
        uint64_t matches; // the moves that differ from this one only in the bit looked at
        int bit = promoted;
        if (promoted != KING) {
            matches = captured != KING ? pattern->capture_promotions[captured] : pattern->promotions;
        } else {
            matches = captured != KING ? pattern->captures[type] : pattern->quiet[type];
            bit = captured != KING ? captured : to;
        }
        if (spec->rule[i].colour == mover && (matches >> bit & 1) != 0)
            return i;
    }
    return -1;
}

int spec_rule_of(const struct spec *spec, const struct position *position, uint32_t move)
{
    return spec_rule_for(spec, position->side, piece_type(position->board[move_from(move)]),
                         move_is_capture(move) ? piece_type(move_captured(move)) : KING,
                         move_promoted(move) != EMPTY ? piece_type(move_promoted(move)) : KING, move_to(move));
}

int spec_stalemate_rule(const struct spec *spec, int colour)
{
    for (int i = 0; i < spec->rules; i++) {
        if (spec->rule[i].colour == colour && spec->rule[i].pattern.stalemate)
            return i;
    }
    return -1;
}
