// kind.h - the interface between the commands and a kind of table: full tables of chess, restricted ones, dobutsu
//
// A command (host/cli/) reads its options, finds the kind that they and the names of tables mean, and calls it. So a
// new command is one more function in struct endgame_kind, and a new kind of table is one more struct endgame_kind in
// kinds.c.
//
// All functions return 0 or a negative code with a sentence, and print only results.
#ifndef CLTB_KIND_KIND_H
#define CLTB_KIND_KIND_H

#include "make/options.h"
#include "util/threads.h"

#include <limits.h>
#include <stdio.h>

// A rule for options that exclude each other: it is broken if one of `given` and one of `with` (unless that is NULL) is
// present, but none of `without`. Each is a list of options separated by blanks, such as "--best --format=raw".
struct option_rule {
    const char *given;
    const char *with;
    const char *without;
    const char *sentence; // what is wrong
};

// ---- build ----

struct build_request {
    struct build_options options;
    const char *const *name; // [names] tables, or the men of a restricted endgame
    int names;               //
    uint64_t men;            // all tables of at most so many men; 0: those named
    bool pawnless;           // with `men`: only those without pawns
    const char *metric;      // "dtz", "dtm" or "dtc", for chess tables; NULL: dtz
    const char *format;      // of a plan; "raw": of the dobutsu database; NULL: not given
    const char *spec;        // a restricted endgame: its file,
    const char *prune;       // "white discard P=[RNB]; black concede KxP",
    const char *futurebases; // "a.cltb,b.cltb:invert",
    const char *output;      // the file to be written
};

// ---- probe ----

struct probe_request {
    const char *folders; // of tables, separated by ':'
    const char *table;   // NULL: the tables in the folders
    const char *format;  // "text", "tsv", "json" or "epd"
    bool board;          // text: draw the position
    const char *metric;  // "dtz", "dtm" or "dtc", for full tables; NULL: dtz
};

struct json;

// The functions that answer positions. work_out() prints nothing; the print_*() functions are called after it for the
// same text. They print everything of an entry that comes after the text (as tsv with the line ending; as JSON the
// fields of an object), even without its best line. print_epd() prints the text, too; NULL: not supported.
struct prober {
    const char *key; // the key of a position's text in JSON
    int columns;     // of a line of tsv
    bool all_moves;  // text and JSON
    void *context;
    int (*work_out)(struct prober *prober, const char *text);
    int (*print_text)(struct prober *prober);
    int (*print_tsv)(struct prober *prober);
    int (*print_json)(struct prober *prober, struct json *json);
    int (*print_epd)(struct prober *prober);
    void (*close)(struct prober *prober);
};

// ---- stats, verify, perft ----

struct stats_request {
    const char *name;    // of the table
    const char *folders; // of tables, separated by ':'
    const char *format;  // "text", "tsv", "json" or "syzygy"
    struct thread_pool *pool;
    int (*progress)(void *pool); // for threads_watch(), if one job takes long; NULL: none
    bool longest;                // tsv: the longest of each outcome
    bool zugzwangs;              // tsv: mutual zugzwangs; text, json: all of them
    bool recount;                // full tables: count even if the file keeps statistics
    bool keep;                   // full tables: write the statistics into the file
    bool kept;                   // full tables: only those kept in the file; CLTB_E_MISSING if there are none
    bool reachable;              // dobutsu: reachable positions instead of codes,
    bool stop;                   // by its second rule,
    bool plies;                  // by ply
    FILE *file;                  // json of full tables; NULL: standard output
    size_t most;                 // json: so many mutual zugzwangs of a kind; 0: all
};

struct verify_request {
    const char *name;    // of the table
    const char *folders; // of tables, separated by ':'
    const char
        *against; // folders of Syzygy files to compare with; NULL: verify by the rules of the game. Only full tables.
    uint64_t sample; // number of random positions; 0: the kind's own
    bool all;        // every position
    uint64_t seed;   // of the sample
    struct thread_pool *pool;
    int (*progress)(void *pool); // as in struct stats_request
};

struct verify_summary {
    char name[32]; // the usual spelling of the table's name; empty: use the request's
    uint64_t checked;
    const char *unit;    // what was checked: "positions"
    const char *finding; // what they turned out to be; NULL: "right"
    char parts[100];     // in parentheses, or empty
    bool sampled;        // not every position was checked
    bool checksums;      // the file has checksums
};

struct perft_request {
    const char *position; // NULL: the start of a game
    int depth;
    int threads; // 0: one for each processor
    bool divide; // print the count after each move
    bool stop;   // dobutsu's second rule
};

struct perft_result {
    uint64_t leaves;
    char parts[60]; // in parentheses, or empty
};

// ---- a kind ----

struct endgame_kind {
    // The options that select this kind, in all commands, such as "--game=dobutsu"; "" if there are none.
    const char *options;
    bool (*makes)(const char *word);   // Is this word in `cltb build` one of its tables?
    bool (*names)(const char *word);   // The same for other commands.
    bool (*is_file)(const char *path); // Is a file named by --table of this kind? NULL: options decide.
    bool resumes;                      // Finished tables stay when a build of several stops.

    // Options that a command does not take with this kind; the lists end with an empty rule. NULL: all are taken.
    const struct option_rule *build_rules;
    const struct option_rule *probe_rules;
    const struct option_rule *stats_rules;
    const struct option_rule *perft_rules;

    int (*build)(const struct build_request *request);
    int (*plan)(const struct build_request *request); // Prints what build() would do. NULL: not supported.
    // The file that keeps the finished parts of a table after an interrupted build, if there is one. NULL: there never
    // is one.
    bool (*find_work)(const struct build_request *request, const char *name, char path[PATH_MAX]);
    int (*probe)(struct prober *prober, const struct probe_request *request);
    int (*stats)(const struct stats_request *request);
    int (*check_name)(const char *name); // Is the name well-formed? Called before any work. NULL: all are.
    int (*verify)(const struct verify_request *request, struct verify_summary *summary);
    int (*info)(const char *path, bool as_json); // If the file is of another kind: CLTB_E_FOREIGN, and prints nothing.
    int (*perft)(const struct perft_request *request, struct perft_result *result); // NULL: not supported
};

// All kinds, ending with NULL. The first one is the default, for all names that no other kind has.
extern const struct endgame_kind *const endgame_kinds[];

// The last kind that has a table of this name, or this file. Not for `cltb build`.
const struct endgame_kind *kind_of_name(const char *name);

// The kind that the options of a command select, unless the file named by --table (NULL: none) is of another kind.
const struct endgame_kind *kind_of_table(const struct endgame_kind *kind, const char *table);

// Is this a file rather than a name: does it contain a '/' or end like a table's file?
bool kind_is_file(const char *name);

// Finds the path of a table's file from the table's name ("kqkr", "dobutsu") or its file: a path or, if there is no
// such file and no folder is named, a file in one of the folders. CLTB_E_MISSING; CLTB_E_USAGE if it is neither.
int kind_find_file(char path[PATH_MAX], const char *name, const char *folders);

#endif
