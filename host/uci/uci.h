// uci.h - a UCI engine that plays from tables
//
// A search is one look at the moves of a position, done before `go` returns. So limits of time and nodes do not matter,
// and no thread is needed: with `infinite` or `ponder` the best move is held back until `stop` or `ponderhit`.
#ifndef CLTB_UCI_UCI_H
#define CLTB_UCI_UCI_H

#include <stdbool.h>

struct uci;

// Opens an engine that reads tables in these folders. CLTB_E_MEMORY, CLTB_E_USAGE.
int uci_open(struct uci **uci, const char *folders);
void uci_close(struct uci *uci);

// Carries out a line, which it modifies, and prints the answer on standard output. False: the line was `quit`.
bool uci_line(struct uci *uci, char *line);

#endif
