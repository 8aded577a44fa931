// material.h - which pieces an endgame has, and its name
//
// A name lists the white men, a 'v', the black men, each side in the order K Q R B N P. As in Syzygy's names the
// stronger side is White: more men, then the piece order compared from the left. `KQKR`, `KRvKQ` and `kqkr` are read as
// KQvKR. Names of tables with distances other than DTZ end with the metric: KQvKR.dtm, KQvKR.dtc.
#ifndef CLTB_INDEX_MATERIAL_H
#define CLTB_INDEX_MATERIAL_H

#include "chess/position.h"

#include <stdbool.h>
#include <stdint.h>

enum { MATERIAL_MEN_MAX = 8, MATERIAL_NAME_MAX = 24 };

// What a table's distances count. DTZ: plies to zeroing under the 50-move rule. DTM: plies to mate without that rule.
// DTC: plies to the winner's next capture or promotion, or to mate, without that rule.
enum metric { METRIC_DTZ, METRIC_DTM, METRIC_DTC, METRICS };

extern const char *const metric_names[METRICS]; // "dtz", "dtm", "dtc"

// METRICS if no metric has this name.
enum metric metric_of_name(const char *name);

struct material {
    uint8_t count[COLOURS][PIECE_TYPES];
    uint8_t metric; // of the table
};

// Reads a name in any accepted spelling into its standard colours. `*flipped` (may be NULL) says whether that flipped
// the colours. CLTB_E_USAGE with a sentence for anything else.
int material_parse(struct material *material, const char *name, bool *flipped);

// Writes the name (standard or not) into `name` [MATERIAL_NAME_MAX] and returns it.
const char *material_name(const struct material *material, char *name);

// Is the last part of the path a material's name followed by `end`? For ".cltb", KQvKR.cltb is, kqkr.cltb is not.
bool material_of_file(struct material *material, const char *path, const char *end);

// Counts the men on the board. The colours are the position's, the metric is DTZ.
struct material material_of(const struct position *position);

// Puts the stronger side in White's place; true if that flipped the colours.
bool material_normalise(struct material *material);

// Do both sides have the same men?
bool material_symmetric(const struct material *material);

// The same men and metric?
bool material_equal(const struct material *a, const struct material *b);
int material_men(const struct material *material);
bool material_has_pawns(const struct material *material);

// The product of the factorials of the numbers of identical pieces: the number of ways to tell them apart.
unsigned material_arrangements(const struct material *material);

// Calls visit() for every material of `men` men, at least 3, in standard colours and in a fixed order; stops at the
// first nonzero result and returns it. A material may come before those that its captures and promotions lead to.
int material_each(int men, int (*visit)(void *context, const struct material *material), void *context);
// The same without pawns.
int material_each_pawnless(int men, int (*visit)(void *context, const struct material *material), void *context);

#endif
