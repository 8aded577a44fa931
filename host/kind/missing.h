// missing.h - all tables that a position may need and that are not in the folders
#ifndef CLTB_KIND_MISSING_H
#define CLTB_KIND_MISSING_H

struct material;

// CLTB_E_MISSING with a sentence that names the missing tables, out of that of `material` (in any colours) and those
// that captures and promotions lead to; 0 if none is missing. Only looks for files.
int missing_tables(const char *folders, const struct material *material);

#endif
