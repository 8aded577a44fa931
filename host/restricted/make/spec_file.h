// spec_file.h - a restricted endgame from one of Hoffman's XML control files
//
// What is read (others are errors with the number of their line):
//
//     tablebase                                   the root
//     piece color type [location]                 a man; location as in spec.h ("a4 b5", "a1-d8"), without it anywhere. "f5+" (pawns): on its way, as far
//                                                 as the last rank before promotion or to what stands before it for good: a man all of whose squares lie
//                                                 ahead on its file, a pawn that comes towards it, one of its own on its way
//     pawngen white-/black-pawn-locations         a pawn on its way from each square. white-/black-pawns-required must name all of them: positions with
//                                                 fewer, with promoted pawns or after captures by pawns are other material, so other files
//     prune-enable color type                     must be there for the colour and type of each prune; move-restriction is its old name
//     prune color type move                       a rule (spec.h); two that say different things of one move are an error.
//                                                 move="stalemate" type="concede": the named colour wins when either side is stalemated
//     futurebase filename [colors="invert"]       a table. "kqpk.htb" is the full table KQPvK.cltb, other names ending in .htb get .cltb
//     output filename                             likewise; may stand within generation-controls
//     variant name="normal"
//
// dtm, dtc, basic, flag (alone or within format), index and enable-proptables say how Hoffman's program keeps its tables: they are answered by spec.note.
//
// Files are not trusted: nothing is fetched, no declaration of an entity is accepted, and they have at most 1 MiB.
#ifndef CLTB_RESTRICTED_MAKE_SPEC_FILE_H
#define CLTB_RESTRICTED_MAKE_SPEC_FILE_H

#include "restricted/spec.h"

#include <stddef.h>

// CLTB_E_USAGE with "FILE:LINE: ..." for what is unknown or contradictory, CLTB_E_IO.
int spec_read_file(struct spec *spec, const char *path);

// The same from memory; `name` stands for the file in errors.
int spec_read_xml(struct spec *spec, const char *name, const char *bytes, size_t size);

#endif
