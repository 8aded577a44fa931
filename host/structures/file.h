// file.h - solved structures in one file, so that every position that can come of a given one can be looked up
//
// A container (table/container.h) with the streams "structures", 25 bytes for each structure that was solved, and
// "pieces-N" for those with N kings and pieces: 2-byte values (value.h), a section for each side to move, and, if the
// structure is not exact, another two for the run in which Black wins bounded structures. So a file holds both bounds
// of every value, and nothing that is not proved. docs/structures.md gives the bytes.
#ifndef CLTB_STRUCTURES_FILE_H
#define CLTB_STRUCTURES_FILE_H

#include "chess/fen.h"
#include "placed/value_file.h"
#include "structures/store.h"

// Solves the structures of a store again, with distances, and writes them under a temporary name, which finally becomes
// `path`. `fen`: the position that the structures come from.
int structure_file_write(const char *path, const char *fen, int effort, const struct structure_graph *graph,
                         struct structure_store *store, struct thread_pool *pool);

// Is this a container that claims to be such a file? It may be damaged.
bool structure_file_is(const char *path);

struct structure_file_info {
    const char *fen;    // the position that all structures come from
    const char *tables; // names of the tables that values rest on, separated by blanks; "": none
    bool captures;      // with those to which captures in bounded structures lead; older files do not name these
    uint64_t effort;
    uint64_t bounded; // structures that are not in the file
    size_t structures;
    size_t exact; // the exact ones among them
    uint64_t entries;
    uint64_t file_bytes;
};

struct structure_record {
    struct structure_key key;
    uint64_t section; // the first one
    bool twice;       // is there a section for each run?
};

struct structure_file {
    struct value_file file;          // value_file_check() checks all of it
    struct structure_record *record; // [info.structures] by key
    struct structure_file_info info;
    int stream_of[LAYOUT_PIECES_MAX + 1]; // by pieces
    cltb_tables *tables;
    char fen[FEN_MAX];
    char *names; // of tables
};

// Thread-safe once it is open. `folders`: those with tables that structures lead to, which are opened when needed.
// CLTB_E_MISSING; CLTB_E_FOREIGN: another kind or version; CLTB_E_CORRUPT.
int structure_file_open(struct structure_file **file, const char *path, const char *folders, size_t cache_bytes);
void structure_file_close(struct structure_file *file);

// The values of positions; CLTB_E_POSITION for one that cannot be reached from the file's position.
struct structure_values structure_file_values(struct structure_file *file);

// Can the position be reached from the file's position: is it in a structure, in one of the tables, or bare kings?
bool structure_file_has(const struct structure_file *file, const struct position *position);

// The value of a position of record number 0.., with colours and squares as on the board, without the right to capture
// en passant.
int structure_file_stored(struct structure_file *file, size_t number, int winner, const struct position *position,
                          struct cltb_value *value);

// ---- shared with proofs (proof.h) ----

// A key as bytes: the squares of White's pawns and of Black's, the numbers of both sides' queens, rooks, bishops and
// knights. structure_key_get(): CLTB_E_CORRUPT for what is no key.
enum { STRUCTURE_KEY_BYTES = 24 };
void structure_key_put(const struct structure_key *key, uint8_t to[STRUCTURE_KEY_BYTES]);
int structure_key_get(const struct container *container, const uint8_t from[STRUCTURE_KEY_BYTES],
                      struct structure_key *key);

// Is the table of these men among the names, which have blanks between them?
bool structure_names_table(const char *names, struct material material);

// Adds that name to the names [STRUCTURE_NAMES_MAX] unless it is among them. CLTB_E_MEMORY: there is no room.
enum { STRUCTURE_NAMES_MAX = CONTAINER_TEXT_MAX / 4 };
int structure_name_table(char *names, struct material material);

#endif
