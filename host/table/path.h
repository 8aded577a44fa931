// path.h - where the files of a material's table are
#ifndef CLTB_TABLE_PATH_H
#define CLTB_TABLE_PATH_H

#include "index/material.h"

#include <stddef.h>

// The path of a material's table in a folder: DIR/NAME.cltb.
int table_path(char *path, size_t size, const char *dir, const struct material *material);

// The path of the file that holds the solved part of an unfinished table with pawns: DIR/NAME.cltb.work.
int table_work_path(char *path, size_t size, const char *dir, const struct material *material);

// The same for one process of an MPI job: DIR/NAME.RANK.cltb.work, without the rank for process 0.
int table_rank_work_path(char *path, size_t size, const char *dir, const struct material *material, int rank);

// The path of a material's table in the first of some folders (separated by ':') that has it, otherwise in the first
// folder.
int table_locate(char *path, size_t size, const char *folders, const struct material *material);

#endif
