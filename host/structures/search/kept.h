// kept.h - the file from which a search continues in another run
//
// The file is a journal with one record, which has both questions' graphs. The same functions write it and read it, so
// that the two cannot differ.
#ifndef CLTB_STRUCTURES_SEARCH_KEPT_H
#define CLTB_STRUCTURES_SEARCH_KEPT_H

#include "disk/journal.h"
#include "structures/search/nodes.h"

struct kept {
    struct journal journal;
    bool reading;
    uint64_t at; // where it reads
    uint64_t end;
};

// The file of a position in a folder. CLTB_E_IO if the name is too long.
int kept_path(const char *folder, const struct position *position, char *path, size_t size);

// Opens the file for reading. *found: it is there, whole, and of this position and version. If not, closing removes it.
int kept_open(struct kept *kept, const char *path, const struct position *position, bool *found);

// Begins a file that takes the place of an existing one when it is closed without an error.
int kept_create(struct kept *kept, const char *path, const struct position *position);

// `code`: of what was written or read. Returns it, or an error of writing.
int kept_close(struct kept *kept, const char *path, int code);

// Writes the bytes, or reads as many. CLTB_E_CORRUPT if there are none left.
int kept_pass(struct kept *kept, void *bytes, size_t count);

// The nodes of a graph, without ranks. When they are read, the graph must be empty; structures that were in work or
// waiting for it have node.redo. CLTB_E_MEMORY if they are more than the graph's memory allows.
int kept_nodes(struct kept *kept, struct nodes *nodes);

#endif
