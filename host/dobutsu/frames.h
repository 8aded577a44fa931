// frames.h - the tables of kernels/dobutsu/dobutsu.h: what the squares of a cell mean
#ifndef CLTB_DOBUTSU_FRAMES_H
#define CLTB_DOBUTSU_FRAMES_H

#include "kernels/dobutsu/dobutsu.h"

// Made when first asked for, and the same for all. Thread-safe.
const struct dobutsu_tables *dobutsu_tables(void);

#endif
