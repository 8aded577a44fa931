// missing.h - all tables that a position may need and that are not in the folders
#ifndef CLTB_KIND_MISSING_H
#define CLTB_KIND_MISSING_H

struct material;

// CLTB_E_MISSING with a sentence that names what is missing of the table of `material` (any colours) and the tables
// that captures and promotions lead to from there; 0 if there are none. Only looks for files.
int missing_tables(const char *folders, const struct material *material);

#endif
