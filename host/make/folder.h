// folder.h - the folder in which tables are made: one run at a time
//
// A run locks DIR/.cltb.lock. The lock goes with the process, however that ends, so a lock file that is left behind keeps
// nobody out. On network file systems flock() holds between machines if the server does locks at all (NFS without its
// lock service: between the processes of one machine only).
#ifndef CLTB_MAKE_FOLDER_H
#define CLTB_MAKE_FOLDER_H

struct folder;

// Makes the folder if it is not there (its parent must be), locks it, and removes what killed runs left half-written:
// NAME.cltb.part files that nobody writes. CLTB_E_IO with a sentence if another run holds the lock.
int folder_open(struct folder **folder, const char *dir);
void folder_close(struct folder *folder);

#endif
