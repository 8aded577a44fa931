// streamed_tiles.h - the tiles of a streamed solution: a window of White's moves at a time, with all its planes
//
// 1. Distances with White to move are logged in windows of White's moves. Whoever looks at such a window has them put
//    together from the log: each record is decompressed once, into every plane that it belongs to.
// 2. Distances with Black to move are logged in windows of Black's moves, which have all squares of the black king.
//    Once the endgame is solved, streamed_settle() makes their planes from the log, to be read in the other direction.
#ifndef CLTB_SOLVE_DISK_STREAMED_TILES_H
#define CLTB_SOLVE_DISK_STREAMED_TILES_H

#include "solve/solution.h"
#include "solve/tile_source.h"

// Makes a solution ready to be read by tiles, and gives the windows' memory back. To be called once it is solved.
int streamed_settle(const struct solution *solution, struct thread_pool *pool);

// The tiles of a settled solution. A window with all its planes is in memory while it is visited, which takes `*memory`
// bytes.
struct tile_source streamed_tiles(const struct solution *solution, uint64_t *memory);

#endif
