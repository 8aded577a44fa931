// corrupt.h - containers that are damaged or invalid, for the tests of every kind of table
//
// A test provides a check: a function that opens the file at a path as its kind of table, reads and checks all of it,
// and returns the first error, or 0 if there is none. Two functions then try it on many files:
//
//     damage_is_noticed()        bytes of a valid file changed by accident
//     corruptions_are_refused()  contents changed on purpose, every checksum right
//
// For example, with check() as such a function:
//
//     damage_is_noticed(valid_path, 7, check);
//     static const struct corruption cases[] = {
//         {.key = "game", .accepted = true, .line = "comment made by a test\ngame chess"},
//         {.key = "game", .line = "game dobutsu", .code = CLTB_E_FOREIGN},
//         {.drop = "outcome-w", .saying = "it has no outcomes"},
//         {.stream = "outcome-w", .fill = true, .symbol = 5},
//     };
//     corruptions_are_refused(valid_path, cases, sizeof cases / sizeof cases[0], check);
#ifndef CLTB_TESTS_SUPPORT_CORRUPT_H
#define CLTB_TESTS_SUPPORT_CORRUPT_H

#include "support/support.h"

#include "table/container_format.h"

// The path of a file in memory: corrupt files are written by the thousand. Always the same file.
const char *memory_file(void);

// Makes a head's checksum right again if the head lies inside the file.
void mend_checksum(struct bytes *bytes);

// Fails unless check() accepts the file `valid` and refuses, by the code in parentheses,
//
//     no file (CLTB_E_MISSING), a folder, zeros and a text (CLTB_E_FOREIGN), an empty file (CLTB_E_CORRUPT),
//     the next format version with a right checksum (CLTB_E_FOREIGN),
//     the file cut short, and with a byte behind it (CLTB_E_CORRUPT),
//     the file with one byte changed (CLTB_E_FOREIGN in magic and version, else CLTB_E_CORRUPT),
//     the checksum or the length of a block changed, the head's checksum right (CLTB_E_CORRUPT).
//
// Every byte and length of the first 48 is tried, every seventh of the first 600, then every `step`-th one and the last
// 10; with a step of 1 every one, and each byte is changed in three ways. Each sentence must contain the path.
void damage_is_noticed(const char *valid, size_t step, int (*check)(const char *path));

// What to change of a valid container.
struct corruption {
    const char *key;       // the property with this key
    const char *line;      // is replaced by this line; NULL: removed
    const char *from;      // this part of the properties
    const char *to;        // is replaced by this
    const char *drop;      // a stream that is left out
    const char *stream;    // a stream that is changed as follows; "*": every stream
    bool fill;             // each of its symbols becomes `symbol`
    bool scatter;          // with `fill`: an even number from 2 to `symbol`, by a hash of its place
    uint32_t symbol;       // without `fill`: the number of a symbol of the first section,
    int add;               // what is added to it,
    int add_to_next;       // and to the one after it
    uint32_t symbol_bytes; // 0: unchanged
    uint64_t more_symbols; // in each section
    uint64_t more_sections;
    int code;           // what check() must return; 0: CLTB_E_CORRUPT
    bool accepted;      // check() must return 0
    const char *saying; // a part of the sentence, or NULL
};

// Writes the container `valid` to `path` with one thing changed and right checksums.
void write_corrupted(const char *path, const char *valid, const struct corruption *corruption);

// Fails unless check() returns what each of the corruptions demands, and 0 for an unchanged copy. The file has the name
// of `valid` and lies in a folder of its own.
void corruptions_are_refused(const char *valid, const struct corruption *corruptions, size_t count,
                             int (*check)(const char *path));

// Writes a container with these properties and one stream of 16 zeros.
void write_properties(const char *path, const char *text);

#endif
