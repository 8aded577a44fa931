// cltb.h - probing exact chess endgame tables
//
// A table gives, for every position of one material, the outcome for the side to move and the distance to zeroing (DTZ) in
// plies, exact. Open a set of folders once, then probe from any number of threads.
//
//     cltb_tables *tables;
//     if (cltb_open(&tables, "tables", NULL) != CLTB_OK) { puts(cltb_error()); ... }
//     cltb_value value;
//     if (cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K1Q3 w - - 0 1", &value) == CLTB_OK) ...
//     cltb_close(tables);
//
// No function prints, exits or keeps global state. All return CLTB_OK or a negative `enum cltb_status`; cltb_error() is then
// this thread's sentence about it.
#ifndef CLTB_CLTB_H
#define CLTB_CLTB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cltb_status {
    CLTB_OK = 0,
    CLTB_E_USAGE = -1,       // an argument makes no sense
    CLTB_E_MEMORY = -2,      // out of memory
    CLTB_E_IO = -3,          // the operating system refused a read, write, open, rename
    CLTB_E_CORRUPT = -4,     // a table is damaged, cut short or of a version that is not known
    CLTB_E_MISSING = -5,     // no table for this material in the folders given
    CLTB_E_DEVICE = -6,      // no such device, or it failed
    CLTB_E_POSITION = -7,    // bad FEN, illegal position, or one that no table can hold (castling rights, too many men)
    CLTB_E_INTERRUPTED = -8, // stopped by the user
    CLTB_E_MISMATCH = -9     // verification found a wrong entry
};

// Outcomes for the side to move, from worst to best.
enum cltb_outcome {
    CLTB_LOSS = -2,
    CLTB_BLESSED_LOSS = -1, // lost, but the 50-move rule draws it
    CLTB_DRAW = 0,
    CLTB_CURSED_WIN = 1, // won, but the 50-move rule draws it
    CLTB_WIN = 2
};

// The last error of this thread, one sentence without a newline; never NULL.
const char *cltb_error(void);

#ifdef __cplusplus
}
#endif

#endif
