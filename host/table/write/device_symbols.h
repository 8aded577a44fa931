// device_symbols.h - sections that a device makes
#ifndef CLTB_TABLE_WRITE_DEVICE_SYMBOLS_H
#define CLTB_TABLE_WRITE_DEVICE_SYMBOLS_H

#include "table/write/sections.h"

// Makes the streams of a request for one square of the black king on the device that has the planes. *made is false if
// there is no such device, if it cannot make them, or if only a part of a section is wanted.
int device_symbols(const struct tile_source *source, const struct section_request *request, unsigned king,
                   struct thread_pool *pool, bool *made);

#endif
