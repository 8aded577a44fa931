// options.h - the options of a build, and the events that it reports
#ifndef CLTB_MAKE_OPTIONS_H
#define CLTB_MAKE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peers;
struct statistics_ops;

enum {
    BUILD_SUM_TEXT = 2 * 32 + 1, // a SHA-256 sum in hexadecimal digits
    BUILD_KEEP_MAX = 64          // patterns of build_options.keep
};

enum build_event_kind {
    BUILD_PRESENT,  // a table that was asked for is already present and intact
    BUILD_WAIT,     // another process makes the table; comes twice a second until it has done so
    BUILD_REPLACE,  // a table is present but damaged: it will be rebuilt
    BUILD_START,    // a table is started
    BUILD_PLY,      // a ply is done
    BUILD_WINDOW,   // a part of a ply is done
    BUILD_SOLVED,   // all outcomes are known
    BUILD_WRITE,    // a part of the file is written
    BUILD_DONE,     // the file is in place
    BUILD_REDUCED,  // once all tables are done: the file now has the distances to mate of one side to move
    BUILD_FALLBACK, // the device that was chosen automatically cannot be used: the processor is
    BUILD_LEFT,     // the scratch folder, which others may share, still has work files of a table that is present
    // With a limit of disk:
    BUILD_DAMAGED,  // tables.tsv has rows that are not believed
    BUILD_REMOVED,  // files of other tables have made room for this one
    BUILD_UNSHIPPED // build_options.ship has failed for the table, which is kept
};

struct build_event {
    enum build_event_kind kind;
    const char *name;         // of the table
    const char *backend;      // what solves it, one line; NULL: not known yet
    const char *reason;       // BUILD_REPLACE, BUILD_FALLBACK: what is wrong with the file, the device; BUILD_WAIT: who
                              // makes the table; BUILD_DAMAGED, BUILD_UNSHIPPED: what; BUILD_REMOVED: which tables;
                              // BUILD_PRESENT, with `gone`: the file that has its row
    bool solve_only;          // the table is not written: BUILD_SOLVED is its last event
    bool gone;                // BUILD_PRESENT: its file has been removed, but tables.tsv has its row
    size_t table;             // number of the table being built: 1, 2, ... (0: it is not built but present)
    size_t tables;            // how many are built (0: as above)
    uint64_t positions;       // entries of the index, both sides to move
    bool streamed;            // its planes are on disk,
    bool kept;                // but stay in memory while it is solved, as far as they fit
    bool goes_on;             // an earlier run's work is resumed,
    bool goes_on_older;       // from the checkpoint before the last one, which is damaged
    bool restarted;           // in spite of such work, because all its checkpoints are damaged
    uint64_t disk_read;       // bytes, from BUILD_PLY on
    uint64_t disk_written;    //
    uint64_t scratch_bytes;   // most bytes that were on disk at once
    uint64_t sent;            // bytes, by processes that make the tables together to each other, from BUILD_PLY on;
    uint64_t messages;        // 0: there are no others
    const char *left_dir;     // BUILD_LEFT: the scratch folder
    uint64_t left_bytes;      // also BUILD_REMOVED
    uint64_t slices_done;     // of a table with pawns; else 0
    uint64_t slices_total;    //
    uint64_t slices_resumed;  // of slices_done: solved by an earlier run that was stopped
    int attacker;             // BUILD_PLY: the side whose wins were found; -1: both sides
    int ply;                  //
    uint64_t won;             // new wins
    uint64_t lost;            // new losses
    double share;             // of this table's solving (BUILD_PLY) or writing (BUILD_WRITE), 0..1
    double seconds;           // since BUILD_START
    double planned;           // estimate of this table's seconds; 0: there is none
    double planned_solve;     // of those, until BUILD_SOLVED
    double planned_before;    // of what is done of all other tables,
    double planned_total;     // and of all tables
    bool behind;              // a table that was begun earlier is still in work
    double compile_seconds;   // wall, of compiling OpenCL kernels, from BUILD_SOLVED on; not counted as solving
    double solve_seconds;     // wall, from BUILD_SOLVED on
    double solve_cpu_seconds; //
    double write_seconds;     // BUILD_DONE
    double write_cpu_seconds; //
    uint64_t file_bytes;      // BUILD_DONE, BUILD_PRESENT, BUILD_REDUCED
    uint64_t saved_bytes;     // BUILD_REDUCED: how much smaller it has become
    size_t peak_memory;       // most bytes that the process has held
};

struct build_options {
    const char *dir;    // where tables are written
    const char *search; // folders where they are read, separated by ':'; NULL: dir
    // "auto", "gpu", "cpu" or a number as `cltb devices` prints it; NULL is "auto". Several of them, separated by
    // commas, make a table each at the same time; the processor or one GPU alone makes plan->at_once tables.
    const char *device;
    const char *isa; // instruction set of the CPU backend, NULL: the best
    int threads;     // 0: one for each processor
    // Bytes that a build may use; 0: all of the machine's memory. A pawnless table that needs more is solved with its
    // planes on disk. If even that needs more, the build fails before it starts any work.
    uint64_t memory;
    const char *scratch; // folder for files that exist only while a table is built; NULL: `dir`
    uint64_t block;    // minimum size of blocks on disk (an error if that takes too much memory); 0: 4 MiB if possible
    double checkpoint; // seconds between the checkpoints of a table that is solved on disk; 0: after every ply
    // Processes that make the tables together, each with these options; NULL: this one alone. Tables with pawns, and
    // those without pawns of at least four men, are solved by all of them, with planes in the scratch folder. The first
    // process makes all other tables, and writes all files.
    const struct peers *peers;
    bool one;        // make only the named table, while other processes make others in the same folder
    double lease;    // then: seconds after which a silent process on another machine counts as gone
    bool force;      // build the tables asked for even if they are present
    bool both_sides; // store distances for both sides to move, and keep both of those to mate in the end
    bool best;       // smallest file instead of the fastest good one
    bool listed;     // for tests (struct write_options)
    // Counts the tables that are written and keeps the counts in their files (make/statistics.h); NULL: no counts.
    const struct statistics_ops *statistics;
    // Write NAME.rtbw and NAME.rtbz of the named tables to this folder, and no .cltb of tables that no other one needs;
    // NULL: write .cltb files.
    const char *syzygy;
    // The tables written to `dir` have outcomes alone. They serve only to make those files, and are removed in the end.
    bool temporary;
    bool exact;      // Syzygy files have all distances in plies
    bool only;       // no Syzygy files of the tables that captures and promotions from the named ones lead to
    bool wdl;        // no NAME.rtbz
    bool solve_only; // stop after BUILD_SOLVED and write nothing (for benchmarks); futurebases are still built
    // Most bytes of tables and work files in `dir` (make/room.h); 0: no limit, and nothing is removed.
    uint64_t disk;
    const char *keep[BUILD_KEEP_MAX + 1]; // then: names of tables that are never removed, with '*' and '?', up to NULL
    const char *ship;                     // then: a command that gets each finished table's path (os_run()); NULL: none
    int (*sum)(const char *path, char text[BUILD_SUM_TEXT]); // the SHA-256 of a file
    // Called by the calling thread, or by the threads of several tables, one at a time. A non-zero result stops the
    // work with CLTB_E_INTERRUPTED. Nothing half-written remains except the work files from which the next run resumes.
    int (*event)(void *context, const struct build_event *event);
    void *context;
};

#endif
