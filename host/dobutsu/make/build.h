// build.h - builds the complete database of dobutsu shogi
#ifndef CLTB_DOBUTSU_MAKE_BUILD_H
#define CLTB_DOBUTSU_MAKE_BUILD_H

#include "make/build.h"

#define DOBUTSU_NAME     "dobutsu"
#define DOBUTSU_RAW_FILE "dobutsu.raw"

// Solves the game and writes dobutsu.cltb into options->dir, or with `raw` dobutsu.raw, the byte of each code at the offset of
// its number. A sound file that is there stays. Of the options both_sides means nothing; events have the name "dobutsu",
// attacker -1, and each ply either wins or losses.
int dobutsu_build(const struct build_options *options, bool raw);

// The memory that building takes, in bytes.
uint64_t dobutsu_build_memory(void);

// The path of the database in the first of some folders (':' between them) that has one, else in the first folder.
int dobutsu_locate(char *path, size_t size, const char *folders);

#endif
