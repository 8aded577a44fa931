// proof.h - the positions that prove what a search has found, in a file
//
// A claim says of one position that the attacker, one of both sides, wins it, and how many plies it takes at most up to
// a pawn move, a capture or the mate; or that the attacker does not win it. Claims prove each other by the legal moves
// (check/prove.h). The file is a container (table/container.h) like that of solved structures, with `structures 2`, the
// stream "structures" of structures and attackers, and "claims". docs/structures.md gives the bytes.
#ifndef CLTB_STRUCTURES_PROOF_H
#define CLTB_STRUCTURES_PROOF_H

#include "chess/fen.h"
#include "structures/file.h"
#include "structures/search/search.h"

enum {
    PROOF_OPEN = -1,                         // nothing is claimed
    PROOF_ID_BYTES = STRUCTURE_KEY_BYTES + 1 // a structure's key and the attacker
};

struct proof_structure {
    uint8_t id[PROOF_ID_BYTES]; // structures are in the order of these
    struct structure_key key;
    int attacker;
    uint64_t first; // of its claims
    uint64_t count;
};

struct proof {
    struct proof_structure *structure; // [structures]
    size_t structures;
    size_t structure_room;
    uint64_t *claim; // [claims] for each structure in rising order: entry << 9 | side to move << 8 | plies, 0: no win
    size_t claims;
    size_t claim_room;
    struct position position; // whose outcome is proved
    char fen[FEN_MAX];
    char *names; // of tables, as in struct structure_file
    uint64_t file_bytes;
    struct container *container; // NULL while the proof is made
    cltb_tables *tables;
};

// Writes what proves all that the search knows of the position and of its moves, under a temporary name, which finally
// becomes `path`. `memory`: bytes for claims. CLTB_E_MEMORY: too little, or a search by moves does not find again what
// it has found.
int proof_write(const char *path, struct search *search, const struct position *position, uint64_t memory,
                struct thread_pool *pool);

// Is this a container that claims to be a proof? It may be damaged.
bool proof_is(const char *path);

// `folders`: of the tables that it names. CLTB_E_MISSING; CLTB_E_FOREIGN; CLTB_E_CORRUPT.
int proof_open(struct proof **proof, const char *path, const char *folders);
void proof_close(struct proof *proof); // NULL is allowed

// What is claimed of a position, without the right to take en passant: the plies of the attacker's win, 0 for no win,
// or PROOF_OPEN.
int proof_claimed(const struct proof *proof, int attacker, const struct position *position);

// *has: a table that the proof names has the position; then *outcome is its side to move's.
int proof_table(const struct proof *proof, struct position *position, bool *has, int *outcome);

// A claim of no win; and the position of a claim: false if there is none.
uint64_t proof_claim_of(const struct position *position);
bool proof_position(const struct proof_structure *structure, uint64_t claim, struct position *position);

// Compares structures, for qsort(); sets the ID of one.
int proof_compare(const void *left, const void *right);
void proof_set_id(struct proof_structure *structure);

enum { PROOF_VERSION = 2, PROOF_CLAIM_BYTES = 8, PROOF_BLOCK = 1 << 20 }; // in the file
#endif
