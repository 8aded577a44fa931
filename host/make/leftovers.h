// leftovers.h - work files that an interrupted run has left of a table that has been built since
#ifndef CLTB_MAKE_LEFTOVERS_H
#define CLTB_MAKE_LEFTOVERS_H

#include "index/material.h"

#include <stdint.h>

// The bytes on disk of a table's work files in a folder.
uint64_t leftovers_bytes(const char *dir, const struct material *material);

// Removes them unless a run has them open.
void leftovers_drop(const char *dir, const struct material *material);

#endif
