// dobutsu_frames.h - the tables of kernels/dobutsu.h: what the squares of a cell mean
#ifndef CLTB_INDEX_DOBUTSU_FRAMES_H
#define CLTB_INDEX_DOBUTSU_FRAMES_H

#include "kernels/dobutsu.h"

// Made when first asked for, and the same for all. Thread-safe.
const struct dobutsu_tables *dobutsu_tables(void);

#endif
