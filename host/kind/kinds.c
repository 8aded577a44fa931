// kinds.c - the kinds of tables
#include "kind/kind.h"

#include <stddef.h>

extern const struct endgame_kind kind_chess;      // kind/chess.c
extern const struct endgame_kind kind_restricted; // restricted/cli/kind.c
extern const struct endgame_kind kind_dobutsu;    // dobutsu/cli/kind.c

const struct endgame_kind *const endgame_kinds[] = {&kind_chess, &kind_restricted, &kind_dobutsu, NULL};

const struct endgame_kind *kind_of_name(const char *name)
{
    for (int i = 1; endgame_kinds[i] != NULL; i++)
        if (endgame_kinds[i]->names(name))
            return endgame_kinds[i];
    return endgame_kinds[0];
}
