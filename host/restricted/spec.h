// spec.h - a restricted endgame: its men, each limited to a set of squares, and the worth of moves that leave it
//
// A spec has up to 16 men, each with a colour, a type and a set of squares (bit = square, a1 = 0, h8 = 63). Men of the
// same colour, type and set are identical: exchanging them does not change the position. A position belongs to the spec
// if its men can be given to the spec's men, one each, so that every man stands in its set. The set of a pawn that may
// advance holds every square up to where it may go: "f7+" is f7 alone (on f8 it is no longer a pawn), "f5+" is f5, f6
// and f7 (for Black the other way).
//
// Facing pawns: on a file where all pawns have squares of this file only, and the lowest and the highest square of each
// white pawn lie below those of each black one (P[a2-a6] v P[a3-a7]), no white pawn can get past a black one. Positions
// in which one has do not belong to the spec, so the spec need not say anything about their moves.
//
// A move leaves the spec if the position after it does not belong to the spec. Its worth is decided by the first of
//
//     a futurebase of the spec    that has the position
//     a prune rule                the first one that matches: "discard", the move does not exist; "concede", it wins
//     a full table                that has the position
//
// Rules apply to leaving moves only, except those for the word "stalemate", which decide the worth of having no move:
// discard: the stalemated side has lost; concede: it has won. A side whose moves are all discarded has lost in 0.
//
// Distances are DTZ: a conceded move ends the count like a zeroing move, a quiet move into a futurebase adds one.
#ifndef CLTB_RESTRICTED_SPEC_H
#define CLTB_RESTRICTED_SPEC_H

#include "chess/move.h"
#include "chess/position.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SPEC_MEN_MAX = 16,
    SPEC_RULES_MAX = 64,
    SPEC_FUTUREBASES_MAX = 64,
    SPEC_NAME_MAX = 2560,
    SPEC_PATTERN_MAX = 32,
    SPEC_TEXT_MAX = 48 * 1024,
    SPEC_NOBODY = 255 // of spec_seat()
};

struct spec_man {
    uint8_t colour;   // enum colour
    uint8_t type;     // enum piece_type
    uint64_t squares; // where it may stand
};

enum spec_prune { SPEC_DISCARD, SPEC_CONCEDE };

// The moves that a pattern (see spec_add_rule()) stands for, by kind; each move has one kind. A set of types has a bit
// for each enum piece_type.
struct spec_pattern {
    bool stalemate;                          // the word "stalemate", which stands for no move
    uint64_t quiet[PIECE_TYPES];             // [piece] target squares: neither capture nor promotion
    uint8_t captures[PIECE_TYPES];           // [piece] captured types: no promotion
    uint8_t promotions;                      // types promoted to: no capture
    uint8_t capture_promotions[PIECE_TYPES]; // [captured] types promoted to
};

struct spec_rule {
    uint8_t colour; // whose moves
    enum spec_prune prune;
    struct spec_pattern pattern;
    char text[SPEC_PATTERN_MAX]; // as it was given
};

struct spec_futurebase {
    char file[256]; // as given; without a folder it is looked for in the folders of tables
    bool invert;    // its colours are flipped
};

struct spec {
    int men;
    struct spec_man man[SPEC_MEN_MAX]; // kings (White's, Black's), then White's men, then Black's; by type, then set
    uint8_t facing;                    // bit = file on which pawns face each other; set by spec_finish()
    int rules;
    struct spec_rule rule[SPEC_RULES_MAX];
    int futurebases;
    struct spec_futurebase futurebase[SPEC_FUTUREBASES_MAX];
    char output[256]; // file name given in the spec; empty: none
    char note[160]; // a line to show the user, such as that distances are DTZ though the file asks for DTM; empty: none
};

// ---- reading ----

extern const char *const spec_colour_word[COLOURS]; // "white", "black"
extern const char *const spec_prune_word[];         // by enum spec_prune: "discard", "concede"

// Reads "K P[f7+] P[g7+] v K": White's men, "v" or "vs", Black's men; letters KQRBNP, each with an optional set. A man
// without a set may stand anywhere. A set is a list of these, separated by commas or blanks:
//
//     e4        a square
//     e4+       for pawns: the square and all squares before it on the file, up to the last rank before promotion
//     a1-d8     a rectangle between any two opposite corners
//     a-d, a    files
//     1-4, 7    ranks
//
// Files, ranks and rectangles of a pawn lose their squares on ranks 1 and 8. It is an error if no square is left, or if
// a square on these ranks is given alone. CLTB_E_USAGE with a sentence that points at the error.
int spec_read(struct spec *spec, const char *text);

// Reads one set, the text between the brackets; "" means anywhere. CLTB_E_USAGE.
int spec_read_set(uint64_t *squares, int colour, int type, const char *text);

// Adds a man; call spec_finish() after the last. CLTB_E_USAGE if there are too many.
int spec_add_man(struct spec *spec, int colour, int type, uint64_t squares);

// Adds a prune rule for the moves of a colour. Moves are written as in Hoffman's files:
//
//     Ke4       the piece (or P) and its target: neither capture nor promotion
//     KxP       a capture, en passant included, without its square
//     P=Q       a promotion, without its square
//     PxR=Q     both
//
// A pattern stands for all moves whose text it matches from end to end, ignoring case: "?" is any one character, "*"
// any number of them including none, "[RNB]" and "[a-d]" one of these, "[^x]" or "[!x]" any other. So "P=?" is every
// promotion without a capture, "P*=?" every promotion, "?xQ" every capture of a queen without promotion, "Q*" every
// move of a queen, "K[a-d]4" the king's moves to four squares. The word "stalemate" stands for itself. "any" at the end
// is an old way to write "*". CLTB_E_USAGE for text that is not a pattern, and for a pattern that matches no move.
int spec_add_rule(struct spec *spec, int colour, enum spec_prune prune, const char *pattern);

// Sorts the men and refuses contradictions: a side without exactly one king, empty sets, men that cannot all have
// squares of their own, kings that can only stand side by side, pawns on rank 1 or 8, more than 8 pawns a side.
// CLTB_E_USAGE.
int spec_finish(struct spec *spec);

// Adds a futurebase. CLTB_E_USAGE if there are too many, or the name is empty, too long or has control characters.
int spec_add_futurebase(struct spec *spec, const char *file, bool invert);
int spec_set_output(struct spec *spec, const char *file); // errors as above

// ---- writing ----

// Writes the men as spec_read() reads them, without blanks at the ends: the name of the spec. Specs that differ only in
// rules and futurebases have the same name.
void spec_name(const struct spec *spec, char text[SPEC_NAME_MAX]);

// Writes the whole spec as text lines that spec_parse() reads back; a table's file keeps them. Returns the length, even
// if `size` is too small (as snprintf() does).
//
//     men K P[f7] P[g7] v K               spec_name()
//     prune white discard P=[RNB]         rules in their order
//     futurebase KQPvK.cltb               futurebases in their order
//     inverted KRvKP.cltb                 one whose colours are flipped
//     output TABLE.cltb                   if there is one
//     note TEXT                           if there is one
size_t spec_write(const struct spec *spec, char *text, size_t size);
int spec_parse(struct spec *spec, const char *text); // CLTB_E_USAGE with the number of the line

// ---- positions and moves ----

// Do both have the same colour, type and set?
bool spec_identical(const struct spec_man *a, const struct spec_man *b);

// Gives each of `count` men a different square of its set: owner[square] = man, or SPEC_NOBODY. False: impossible.
bool spec_seat(const uint64_t *set, int count, uint8_t owner[SQUARES]);

// Assigns the men of a position to those of the spec: where[i] = square of spec->man[i]. If there are several ways,
// takes any of them. False: the position does not belong to the spec.
bool spec_match(const struct spec *spec, const struct position *position, uint8_t where[SPEC_MEN_MAX]);

// Has no pawn passed one that it faces? (Part of spec_match().) `white` and `black` are the squares of the pawns.
bool spec_in_order(const struct spec *spec, uint64_t white, uint64_t black);

// The first rule that matches a legal move of a position, or -1.
int spec_rule_of(const struct spec *spec, const struct position *position, uint32_t move);

// The same for all moves of a type of man that capture `captured`, are promoted to `promoted` (KING: none), or else go
// to `to`.
int spec_rule_for(const struct spec *spec, int mover, int type, int captured, int promoted, int to);

// The first rule for "stalemate" of a side, or -1.
int spec_stalemate_rule(const struct spec *spec, int colour);

#endif
