// leftovers.h - work files that an interrupted run has left of a table that is made by now
#ifndef CLTB_MAKE_LEFTOVERS_H
#define CLTB_MAKE_LEFTOVERS_H

#include "index/material.h"

#include <stdint.h>

// The bytes on disk of that table's work files in a folder; 0: none that take place.
uint64_t leftovers_bytes(const char *dir, const struct material *material);

// Removes those that no run has open.
void leftovers_drop(const char *dir, const struct material *material);

#endif
