// spec_file.h - a restricted endgame from one of Hoffman's XML control files
//
// Elements that are read (others are errors with the number of their line):
//
//     tablebase [offset]      the root; the offset is where the data of a table of Hoffman's begin
//     piece color type [location]
//                             a man; location as in spec.h ("a4 b5", "a1-d8"), without it anywhere. "f5+" is a pawn on
//                             its way: it gets as far as the last rank before promotion, or up to a man that blocks it
//                             for good: a man all of whose squares lie ahead on its file, a pawn that comes towards it,
//                             or a pawn of its own colour on its way
//     pawngen white-/black-pawn-locations
//                             a pawn on its way from each square. white-/black-pawns-required must name all of them:
//                             positions with fewer, after promotions or captures, are other material, so other files.
//                             white-/black-captures-allowed="N": each pawn of that colour may have captured up to N
//                             times before. Then without an output the table is FILE-2-1.cltb, by the numbers of pawns
//     prune-enable color type must be present for the colour and type of each prune; its old name is move-restriction
//     prune color type move   a rule (spec.h); two rules that contradict each other on a move are an error.
//                             move="stalemate" type="concede": the named colour wins when either side is stalemated
//     futurebase filename [colors="invert"]
//                             a table. "kqpk.htb" is the full table KQPvK.cltb, other names ending in .htb get .cltb.
//                             * and ? are for restricted_expand()
//     output filename         a file, named in the same way; may stand within generation-controls
//     variant name="normal"
//
// dtm, dtc, basic, flag (alone or within format), index and enable-proptables say how Hoffman's program stores its
// tables; spec.note answers them.
//
// Files are not trusted: nothing is fetched, declarations of entities are refused, and the size is at most 1 MiB.
#ifndef CLTB_RESTRICTED_MAKE_SPEC_FILE_H
#define CLTB_RESTRICTED_MAKE_SPEC_FILE_H

#include "restricted/spec.h"

#include <stddef.h>

// CLTB_E_USAGE with "FILE:LINE: ..." for anything unknown or contradictory; CLTB_E_IO.
int spec_read_file(struct spec *spec, const char *path);

// The same from memory; `name` stands for the file in errors.
int spec_read_xml(struct spec *spec, const char *name, const char *bytes, size_t size);

#endif
