// label.h - a batch of records, and the records of text, of bullet and of .binpack
#ifndef CLTB_CLI_LABEL_H
#define CLTB_CLI_LABEL_H

#include <cltb/cltb.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LABEL_MEN_MAX = 8, LABEL_FAULTS = 5, BULLET_BYTES = 32, LABEL_NO_MORE = 1 };

// A record without a position that can be read; it stays as it is.
struct label_fault {
    uint64_t record; // in the batch, from 0 on
    char text[160];
};

// A line of text.
struct label_line {
    size_t end;      // behind its line feed, in the batch's bytes
    size_t at;       // where its result is, or will be
    uint8_t length;  // of its result; 0: it has none
    uint8_t style;   // of the result
    uint8_t men;     // 0: a blank line or a comment
    bool black;      // to move
    uint32_t number; // of the move; 0: unknown
    int8_t result;   // 0, 1, 2: Black wins, a draw, White wins; -1: none, or unknown
    int8_t given;    // the one in the line
};

struct label_batch {
    char *bytes; // [size] records as they were read; with room for one more byte
    size_t size;
    size_t room;
    size_t records;
    cltb_position *position; // [positions] of the records that a table may hold
    uint32_t *record;        // [positions] whose they are
    int8_t *outcome;         // [positions]
    size_t positions;
    size_t position_room;
    struct label_line *line; // [records] of text
    size_t line_room;
    char *out; // text with results
    size_t out_size;
    size_t out_room;
    struct label_fault fault[LABEL_FAULTS]; // the first ones
    uint64_t faults;
    uint64_t covered; // records of which a table knows the outcome
    uint64_t changed; // records that got another result than they had
};

enum label_clock { CLOCK_HEEDED, CLOCK_FRESH, CLOCK_OFF };

// How outcomes become results.
struct label_rule {
    enum label_clock clock;
    bool decided; // only wins and losses count
    bool games;   // lines of a game follow each other
};

// The result for the side to move, 0, 1 or 2, of an outcome; -1: it changes nothing.
int label_result(const struct label_rule *rule, int outcome);

// Adds a position of a record. CLTB_E_MEMORY.
int label_add(struct label_batch *batch, size_t record, const cltb_position *position);

// Notes a record that cannot be read, with the sentence of the last error.
void label_blame(struct label_batch *batch, size_t record);

// Finds the positions of a batch. CLTB_E_MEMORY.
int label_read_text(struct label_batch *batch, const struct label_rule *rule);
int label_read_bullet(struct label_batch *batch);

// Puts the results in: of text into batch->out, of bullet's records in place.
int label_write_text(struct label_batch *batch, const struct label_rule *rule);
void label_write_bullet(struct label_batch *batch, const struct label_rule *rule);

// The end of the last line or, if they count, of the last complete game in these bytes; 0: there is none.
size_t label_text_end(const char *bytes, size_t size, bool games);

// Writes a position as a record of bullet, with the score and the result, 0, 1 or 2, of the side to move.
void label_make_bullet(const cltb_position *position, int score, int result, char bytes[BULLET_BYTES]);

// Reads chains of a .binpack file until there are `most` records or a chain more, and writes these into batch->bytes,
// as lines of text or records of `bullet`. `*left`: bytes of the chunk that are still to come. LABEL_NO_MORE at the end
// of the file; CLTB_E_CORRUPT, CLTB_E_POSITION: the batch has the records before the damage.
int label_read_binpack(struct label_batch *batch, FILE *in, uint64_t *left, size_t most, bool bullet);

#endif
