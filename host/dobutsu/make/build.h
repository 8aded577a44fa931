// build.h - builds the complete database of dobutsu shogi
#ifndef CLTB_DOBUTSU_MAKE_BUILD_H
#define CLTB_DOBUTSU_MAKE_BUILD_H

#include "make/options.h"

#define DOBUTSU_NAME     "dobutsu"
#define DOBUTSU_RAW_FILE "dobutsu.raw"

// Solves the game and writes dobutsu.cltb into options->dir, or with `raw` dobutsu.raw, which has the byte of each code
// at the offset of its number. An intact file that is present stays. The option both_sides means nothing; events have
// the name "dobutsu", attacker -1, and each ply either wins or losses.
int dobutsu_build(const struct build_options *options, bool raw);

#endif
