// device_symbols.h - sections that a device makes, and blocks that it codes
#ifndef CLTB_TABLE_WRITE_DEVICE_SYMBOLS_H
#define CLTB_TABLE_WRITE_DEVICE_SYMBOLS_H

#include "table/write/sections.h"

// Makes the streams of a request for one square of the black king on the device that has the planes. *made is false if
// there is no such device, if it cannot make them, or if only a part of a section is wanted.
int device_symbols(const struct tile_source *source, const struct section_request *request, unsigned king,
                   struct thread_pool *pool, bool *made);

// ---- blocks ----

// Makes the tables of a model from context_train(), without paired outcomes; coder_free() frees them.
int coder_make(struct symbols_coder *coder, const struct context_model *model);
void coder_free(struct symbols_coder *coder);

// The most bytes that a block of `count` symbols takes with these units.
size_t coder_bound(const struct coded_unit *unit, size_t count);

// Puts the units of a block of `count` symbols into encoded[coder_bound()], as context_encode() does, with place[] and
// bytes[] as in coded_take(). CLTB_E_CORRUPT if a symbol is not in the model.
int coder_join(const struct coded_unit *unit, const uint32_t *place, const uint8_t *bytes, size_t count,
               uint8_t *encoded, size_t *size);

#endif
