// page.h - the files of web/ that `cltb serve` sends at `/`, embedded in the program
#ifndef CLTB_SERVE_PAGE_H
#define CLTB_SERVE_PAGE_H

#include <stddef.h>

struct page_file {
    const char *name;
    const char *text;
};

extern const struct page_file page_files[]; // ends with null pointers
extern const size_t page_file_count;

#endif
