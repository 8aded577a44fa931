// text_stream.h - a stream that collects a text in memory
#ifndef CLTB_SERVE_TEXT_STREAM_H
#define CLTB_SERVE_TEXT_STREAM_H

#include <stdio.h>

// As open_memstream(), but if memory was short, ferror() is true and fclose() fails.
FILE *text_stream(char **text, size_t *size);

#endif
