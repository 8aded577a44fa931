// file.h - reading Syzygy files: outcomes (.rtbw) and distances to zeroing (.rtbz)
//
// A stored value is not yet the value of a position:
//
//     outcome    the better one of the stored outcome and the best outcome that a legal capture leads to
//     distance   of one side to move in each sub-table; valid for an outcome other than a draw, unless the side to move
//                wins by a capture or pawn move (then it is 1, or 101 for a cursed win). Checkmate counts as 1. Unless
//                the sub-table counts plies it counts moves: then the distance may be one ply more
//
// The heads of a file stay in memory; the rest is read through a block cache and checked as it is used. Everything is
// thread-safe once a file is open. docs/syzygy.md describes the format.
#ifndef CLTB_SYZYGY_FILE_H
#define CLTB_SYZYGY_FILE_H

#include "syzygy/shape.h"

struct block_cache;
struct syzygy_file;
struct thread_pool;

enum syzygy_kind { SYZYGY_OUTCOMES, SYZYGY_DISTANCES };

// Opens the file of a material in standard colours. `cache` must outlive it. CLTB_E_MISSING, CLTB_E_FOREIGN (not such a
// file, or one of another material), CLTB_E_CORRUPT, CLTB_E_IO, CLTB_E_MEMORY, with a sentence that names the file.
int syzygy_open(struct syzygy_file **file, const char *path, enum syzygy_kind kind, const struct material *material,
                struct block_cache *cache);
void syzygy_close(struct syzygy_file *file); // NULL is allowed

const char *syzygy_path(const struct syzygy_file *file);
uint64_t syzygy_file_bytes(const struct syzygy_file *file);

// Does the head of a file of distances say that none is rounded?
bool syzygy_counts_plies(const struct syzygy_file *file);

// Decodes all values into memory, ten times as fast as one by one; lookups then use these. Takes 1 byte, rarely 2, for
// each value; does nothing if that is more than `most` bytes. No other thread may be reading. Errors as for
// syzygy_value(), and CLTB_E_MEMORY.
int syzygy_load(struct syzygy_file *file, uint64_t most, struct thread_pool *pool);

// ---- by position: of the file's material, colours flipped or not, without regard to en passant ----

// `*outcome` is the stored one, an enum cltb_outcome.
int syzygy_outcome(const struct syzygy_file *file, const struct position *p, int *outcome);

// Is the distance stored for this side to move?
bool syzygy_has_distance(const struct syzygy_file *file, const struct position *p);

// The distance in plies of a position with this outcome, which is not a draw. `*rounded`: it may be one ply more.
int syzygy_distance(const struct syzygy_file *file, const struct position *p, int outcome, int *ply, bool *rounded);

// ---- by index ----

// The sub-table for a file of the leading pawn (0..3, without pawns 0) and a side to move; NULL if there is none.
const struct syzygy_shape *syzygy_shape_of(const struct syzygy_file *file, int pawn_file, int side);

// The stored value: an outcome + 2, or a leaf of a distance.
int syzygy_value(const struct syzygy_file *file, int pawn_file, int side, uint64_t index, unsigned *value);

#endif
