// limited_builds.h - tables with pawns made under limits of memory far below what a build allows, so that nearly
// everything leaves memory
#ifndef CLTB_TESTS_SUPPORT_LIMITED_BUILDS_H
#define CLTB_TESTS_SUPPORT_LIMITED_BUILDS_H

#include "support/support.h"

// Folders: tables that were built without a limit; tables under a limit; one that does not exist.
extern char free_tables[TEST_PATH_MAX];
extern char limited_tables[TEST_PATH_MAX];
extern char no_folder[TEST_PATH_MAX + 20];

// A group's setup, to be followed by pool_teardown().
int limited_builds_setup(void **state);

// Under each of two limits, and where nothing can leave, which is an error: so something leaves under such a limit.
void check_limits(const char *name);

// Stopped under one limit, it resumes under another one. After check_limits().
void check_interrupted(const char *name);

#endif
