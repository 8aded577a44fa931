// page.h - the files of web/ that `cltb serve` sends at `/` and `cltb site` writes, embedded in the program
#ifndef CLTB_SERVE_PAGE_H
#define CLTB_SERVE_PAGE_H

#include <stddef.h>

struct page_file {
    const char *name;
    const char *text;
};

extern const struct page_file page_files[]; // ends with null pointers
extern const size_t page_file_count;

// With -DCLTB_WASM=FILE: cltb.wasm, the only one.
struct reader_file {
    const char *name;
    const char *bytes;
    size_t size;
};

extern const struct reader_file reader_files[]; // [reader_file_count]
extern const size_t reader_file_count;

#endif
