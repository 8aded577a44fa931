// bases.h - the open futurebases of a restricted endgame, and which of them has a position
#ifndef CLTB_RESTRICTED_BASES_H
#define CLTB_RESTRICTED_BASES_H

#include "restricted/table.h"

// One of the spec's futurebases.
struct restricted_base {
    const char *missing;            // its missing file; NULL: it is present
    struct restricted_table *table; // NULL: a full table
    bool invert;                    // a restricted table's colours are flipped; a full table serves both ways
    uint64_t shared;                // of a restricted table: bit = base that is also a futurebase of its own endgame
    cltb_tables *set;               // the full table, with those that its captures lead to
    bool owner;                     // closes the set
    char *folder;                   // of a set that this base owns
};

// The bases of a spec. Nothing changes once they are open.
struct restricted_bases {
    char *folder_names;   // as given; "" if there are none
    cltb_tables *folders; // full tables; NULL: none
    int count;
    struct restricted_base base[SPEC_FUTUREBASES_MAX];
    // The bases (bit = base) with the material after a leaving move, by the side that moves, the type captured and the
    // type promoted to; KING: none.
    uint64_t serving[COLOURS][PIECE_TYPES][PIECE_TYPES];
    uint64_t unknown; // bit = missing base that may have any position
    uint64_t idle;    // bit = full table that no leaving move of the spec leads to
    // The squares allowed to all men of a colour and type; 0: their sets differ.
    uint64_t common[COLOURS][PIECE_TYPES];
};

_Static_assert((int)SPEC_FUTUREBASES_MAX <= 64, "a bit for each base");

// Opens the futurebases of the spec, in its order, and the full tables of the folders (separated by ':'); thread-safe.
// A file is looked for at the given path, then in the folders. Syzygy files serve in place of a full table that is
// missing. CLTB_E_MISSING, CLTB_E_CORRUPT, CLTB_E_FOREIGN, and CLTB_E_USAGE if no leaving move of the spec gives a
// restricted table's material. Without `all`, a missing file is an error only when a position is looked for that it may
// have: a position of its material if its name is that of a full table, otherwise any position. The spec must stay
// valid.
int restricted_bases_open(struct restricted_bases **bases, const struct spec *spec, const char *folders, bool all);
void restricted_bases_close(struct restricted_bases *bases);

// Opens a file as a futurebase of the spec, and closes it: does a move out of the spec lead to its material?
int restricted_bases_serves(const struct spec *spec, const struct spec_futurebase *file, const char *folders,
                            bool *serves);

// A full table that moves out of the spec may need: they lead to its material, no futurebase has that material, and
// prune rules do not match all these moves.
enum { RESTRICTED_NEEDED_MAX = COLOURS * PIECE_TYPES * PIECE_TYPES };
struct restricted_needed {
    struct material material; // standard colours
    bool present;             // in one of the folders
};

// Lists all of them, each once. Returns their number, or an error.
int restricted_bases_needed(const struct restricted_bases *bases, const struct spec *spec,
                            struct restricted_needed needed[RESTRICTED_NEEDED_MAX]);

// The source of the value of a position after a leaving move.
struct restricted_cover {
    bool found;
    const struct restricted_base *base; // a restricted table, with the position's place in it:
    uint32_t slice;                     //
    uint64_t entry;                     //
    cltb_tables *set;                   // or full tables; if both are NULL, it is a draw
};

// The bases with the material after a move of p: bit = base.
uint64_t restricted_bases_serving(const struct restricted_bases *bases, const struct position *p, uint32_t move);

// Looks for `after`, the position after a move of p, in the bases with a bit in `which`. A restricted table has it if
// it belongs to the table's spec, after flipping colours if it is inverted. CLTB_E_MISSING if a missing base that comes
// before the first base with the position may have it.
int restricted_bases_find(const struct restricted_bases *bases, uint64_t which, const struct position *p, uint32_t move,
                          const struct position *after, struct restricted_cover *cover);

// The same in all bases, then among positions that nobody can win, then in the folders. CLTB_E_MISSING with a sentence
// that names the move and the FEN if nothing covers it.
int restricted_bases_require(const struct restricted_bases *bases, const struct position *p, uint32_t move,
                             const struct position *after, struct restricted_cover *cover);

// Finds the material after a move of `side` with this capture and promotion (KING: none). Returns false if there is no
// such move; without capture and promotion, a man must be able to leave its set.
bool restricted_material_after(const struct spec *spec, int side, int captured, int promoted,
                               struct material *material);

// Is a win impossible with these men: bare kings, alone or with one bishop or knight?
bool restricted_is_drawn(const struct material *material);

// The same position with colours flipped and ranks mirrored, without counters and castling rights.
int restricted_flip(struct position *flipped, const struct position *position);

#endif
