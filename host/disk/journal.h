// journal.h - a file of records that keeps finished work when a run is killed at any moment
//
//     head      magic, version, hash, and what the file is about (the owner's bytes)
//     record    head with hashes of front and data; front; data
//     record    ...
//
// 1. A record is appended: its data first, behind the place of its head and front; then these two.
// 2. Whoever opens the file next reads it record by record and compares the hashes (journal_next()).
// 3. At the first record that is not whole the work ends: what follows is cut off (journal_cut()).
//
// So a kill loses no more than the record that was being written: it leaves zeros in place of that record's head.
// Anything else there is damage. Example: a head of 64 bytes and records of 100 and 200 bytes; a kill while the second
// one's data is written leaves a file of 64 + 100 + 40 zeros + some data, and the next run appends at byte 164 again.
//
// Owners: the solved slices of a table with pawns (make/slice_store.h), the log and checkpoints of a table that is
// solved with its planes on disk (solve/disk/scratch.h), the work on a restricted endgame (restricted/make/work.h), and
// the solved structures of one position (structures/outcomes.h). All numbers are as in memory: a journal does not
// travel.
// One process at a time may have a journal open. One thread at a time calls these functions, unless they say otherwise.
#ifndef CLTB_DISK_JOURNAL_H
#define CLTB_DISK_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal {
    int file; // -1: not open
    char path[PATH_MAX];
    uint64_t end;                // of the last intact record
    uint64_t front_bytes;        // of the record being written
    _Atomic uint64_t data_bytes; //
    void *hash;                  // of its data: XXH64_state_t
    bool own_hashes;             // set by an owner whose fronts have the hashes of the data: it compares them itself
};

enum journal_found {
    JOURNAL_EMPTY,  // a new file, or one of zeros, which a power failure may leave
    JOURNAL_SAME,   // it is about the same thing
    JOURNAL_OTHER,  // it is about something else, or has another version
    JOURNAL_DAMAGED // its head is damaged
};

// Leaves an existing journal as it is. CLTB_E_FOREIGN if the file is not a journal, CLTB_E_IO if another process uses
// it.
int journal_open(struct journal *journal, const char *path, const void *about, size_t about_bytes,
                 enum journal_found *found);

// Removes the file unless `keep` is set. The journal need not be open.
void journal_close(struct journal *journal, bool keep);

// Empties the file and writes a new head.
int journal_restart(struct journal *journal, const void *about, size_t about_bytes);

// ---- reading ----

struct journal_record {
    uint32_t kind; // the owner's
    uint32_t front_bytes;
    void *front;   // malloc'ed; free() it
    uint64_t data; // where in the file
    uint64_t data_bytes;
};

enum journal_next { JOURNAL_RECORD, JOURNAL_END, JOURNAL_DAMAGE };

// Reads the record at journal->end. If it is intact, journal->end moves past it.
int journal_next(struct journal *journal, struct journal_record *record, enum journal_next *next);

int journal_cut(const struct journal *journal); // everything after journal->end
int journal_read(const struct journal *journal, uint64_t offset, void *bytes, size_t count); // thread-safe

// ---- writing ----

// Adds a record at journal->end: `front` stays in memory when it is read again, `data` stay in the file. CLTB_E_IO.
int journal_append(struct journal *journal, uint32_t kind, const void *front, uint32_t front_bytes, const void *data,
                   size_t data_bytes);

// The same in steps: the data part by part, then the front, whose size must be given at the beginning. After a failure
// in between, the caller calls journal_abandon(), which returns `code`.
void journal_begin(struct journal *journal, uint32_t front_bytes);
int journal_write(struct journal *journal, const void *data, size_t bytes);
int journal_commit(struct journal *journal, uint32_t kind, const void *front);
int journal_abandon(struct journal *journal, int code);

// Instead of journal_write(), if the owner has hashes of its own: writes a part of the data, and tells where among them
// it is. Parts come in any order. Thread-safe.
int journal_write_part(struct journal *journal, const void *part, size_t bytes, uint64_t *place);

// Copies a record of another journal, including its head, to the end, where journal_next() finds it. Whatever turns out
// not to be intact must be cut off.
int journal_lay(const struct journal *journal, const void *record, size_t bytes);

// Returns when all records are on the disk. CLTB_E_IO.
int journal_sync(const struct journal *journal);

// ---- journals that no run has open ----

uint64_t journal_left(const char *path);               // bytes on disk; 0 if there is no file, or it is not a journal
bool journal_has(const char *path, uint32_t kind);     // does it have a record of that kind, complete or not?
void journal_drop(const char *path, const char *also); // removes it, and the file that belongs to it (may be NULL)

#endif
