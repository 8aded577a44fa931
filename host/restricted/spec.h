// spec.h - a restricted endgame: which men, each limited to a set of squares, and what is said of moves that leave
//
// A spec has up to 16 men. Each has a colour, a type and a set of squares (bit = square, a1 = 0, h8 = 63). Men of the same colour, type
// and set are like: a position that has them in another order is the same one. A position belongs to the spec if its men can be
// given to the spec's men, one each, so that every man stands in its set. Pawns that can move on have all their squares up to where they
// may go in the set: "f7+" is f7 alone (on f8 it is no pawn any more), "f5+" f5, f6 and f7 (White; for Black the other way).
//
// Pawns that face each other: on a file where all pawns have squares of this file only, and the lowest and the highest square of each white pawn
// lie below those of each black one (P[a2-a6] v P[a3-a7]), no white pawn can get past a black one. Positions in which one has do not belong
// to the spec, so that nobody is asked what their moves are worth.
//
// A move leaves the spec if the position after it does not belong to it. What such a move is worth is said, in this order, by
//
//     a futurebase of the spec    that has the position
//     a prune rule                the first one that matches: "discard", as if the move were not possible; "concede", it wins at once
//     a full table at hand        that has the position
//
// Rules are for moves that leave only (and for the word "stalemate": what not being able to move is worth: discard: the stalemated side has
// lost; concede: it has won). A side all of whose moves are discarded has lost (distance 0).
//
// Distances are DTZ: a conceded move ends the count like a zeroing one, a quiet move into a futurebase adds one.
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
    SPEC_TEXT_MAX = 48 * 1024
};

struct spec_man {
    uint8_t colour;   // enum colour
    uint8_t type;     // enum piece_type
    uint64_t squares; // where it may stand
};

enum spec_prune { SPEC_DISCARD, SPEC_CONCEDE };

// The moves that a pattern stands for (see spec_add_rule()), by kind: no move is of two kinds. Bits of types are enum piece_type.
struct spec_pattern {
    bool stalemate;                          // the word: not about moves
    uint64_t quiet[PIECE_TYPES];             // [piece] target squares: neither capture nor promotion
    uint8_t captures[PIECE_TYPES];           // [piece] bit = captured type: no promotion
    uint8_t promotions;                      // bit = type promoted to: no capture
    uint8_t capture_promotions[PIECE_TYPES]; // [captured] bit = type promoted to
};

struct spec_rule {
    uint8_t colour; // whose moves
    enum spec_prune prune;
    struct spec_pattern pattern;
    char text[SPEC_PATTERN_MAX]; // as it was given
};

struct spec_futurebase {
    char file[256]; // as given; without a folder it is looked for in the folders of tables
    bool invert;    // its colours are exchanged
};

struct spec {
    int men;
    struct spec_man
        man[SPEC_MEN_MAX]; // kings first (White's, Black's), then White's, then Black's; by type, then by squares
    uint8_t facing;        // bit = file where pawns face each other; by spec_finish()
    int rules;
    struct spec_rule rule[SPEC_RULES_MAX];
    int futurebases;
    struct spec_futurebase futurebase[SPEC_FUTUREBASES_MAX];
    char output[256]; // file name given in the spec; empty: none
    char note[160];   // one line to tell the user, as that distances are DTZ though the file asks for DTM; empty: none
};

// ---- reading ----

// Reads "K P[f7+] P[g7+] v K": men of White, "v", men of Black; KQRBNP, each with an optional set, without which it may stand anywhere. A set is
// made of these, with commas or blanks between:
//
//     e4        a square
//     e4+       for pawns: the square and all before it on the file, up to the last rank before promotion
//     a1-d8     a rectangle, any two opposite corners
//     a-d, a    files
//     1-4, 7    ranks
//
// Of files, ranks and rectangles pawns have no squares on ranks 1 and 8; one that leaves none, or such a square by itself, is an error.
// CLTB_E_USAGE with a sentence that points at the fault.
int spec_read(struct spec *spec, const char *text);

// Reads one set as it stands between the brackets; "" is anywhere. CLTB_E_USAGE.
int spec_read_set(uint64_t *squares, int colour, int type, const char *text);

// Adds a man; spec_finish() follows when all are there. CLTB_E_USAGE if there are too many.
int spec_add_man(struct spec *spec, int colour, int type, uint64_t squares);

// Adds a prune rule for the moves of a colour. A move reads, as in Hoffman's files, in one of these ways:
//
//     Ke4       the piece (P too) and its target: neither capture nor promotion
//     KxP       a capture, en passant too, without its square
//     P=Q       a promotion, without its square
//     PxR=Q     both
//
// A pattern stands for all moves whose text it matches from end to end: "?" is any one character, "*" any number of them, none as well, "[RNB]" and
// "[a-d]" one of these, "[^x]" or "[!x]" any other. Capitals and small letters are the same. So "P=?" is every promotion that captures nothing, "P*=?"
// every promotion, "?xQ" every capture of a queen without promotion, "Q*" every move of a queen, "K[a-d]4" the king's to four squares. The word
// "stalemate" stands for itself. "any" at the end is an old way to write "*". CLTB_E_USAGE for what is no pattern, and for one that no move matches.
int spec_add_rule(struct spec *spec, int colour, enum spec_prune prune, const char *pattern);

// As a rule has it, without adding it.
int spec_read_pattern(struct spec_pattern *pattern, const char *text);

// Contradictions: not one king a side, sets that are empty, men that cannot all have a square of their own, kings that can only stand side by side,
// pawns on rank 1 or 8, more than 8 of them a side. Sorts the men. CLTB_E_USAGE.
int spec_finish(struct spec *spec);

// ---- writing ----

// The men as spec_read() takes them, without blanks at the ends: the name of the spec. Equal specs (but for rules and futurebases) give equal texts.
void spec_name(const struct spec *spec, char text[SPEC_NAME_MAX]);

// All of it as text lines that spec_parse() reads back; what a table file keeps. Returns the length, or what it would be (as snprintf).
//
//     men K P[f7] P[g7] v K               spec_name()
//     prune white discard P=[RNB]         rules in their order
//     futurebase KQPvK.cltb               futurebases in their order
//     inverted KRvKP.cltb                 one whose colours are exchanged
//     output TABLE.cltb                   if there is one
//     note TEXT                           if there is one
size_t spec_write(const struct spec *spec, char *text, size_t size);
int spec_parse(struct spec *spec, const char *text); // CLTB_E_USAGE with the number of the line

// Adds a futurebase. CLTB_E_USAGE: too many, or a name that is empty, too long or has control characters.
int spec_add_futurebase(struct spec *spec, const char *file, bool invert);
int spec_set_output(struct spec *spec, const char *file); // likewise

// ---- positions and moves ----

// Gives the men of a position to those of the spec: where[i] = square of spec->man[i]. Of several ways any one. False: the position does not belong to it.
bool spec_match(const struct spec *spec, const struct position *position, uint8_t where[SPEC_MEN_MAX]);

// Is no pawn past one that it faces? (Part of spec_match().) Bit sets of the pawns.
bool spec_in_order(const struct spec *spec, uint64_t white, uint64_t black);

// The first rule that matches a move of a position (in which it is legal), or -1.
int spec_rule_of(const struct spec *spec, const struct position *position, uint32_t move);

// The first rule for "stalemate" of a side, or -1.
int spec_stalemate_rule(const struct spec *spec, int colour);

#endif
