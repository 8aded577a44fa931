// build.h - builds the complete database of dobutsu shogi
#ifndef CLTB_DOBUTSU_MAKE_BUILD_H
#define CLTB_DOBUTSU_MAKE_BUILD_H

#include "make/options.h"

#define DOBUTSU_NAME     "dobutsu"
#define DOBUTSU_RAW_FILE "dobutsu.raw"

// Solves the game and writes dobutsu.cltb into options->dir, or with `raw` dobutsu.raw, which has the byte of code k at
// offset k. An intact file is kept. The option both_sides has no effect. Events have the name "dobutsu" and the
// attacker -1; each ply finds either wins or losses.
int dobutsu_build(const struct build_options *options, bool raw);

#endif
