// fuzz_options.c - the command's arguments: options and their values, names of tables, positions
//
// An input has a command and its arguments, one in each line. Properties: the command returns one of its exit statuses;
// a failure prints one line (for each position or table that fails), which begins with the program's name and has no
// control characters; nothing is written. To keep runs short, builds are only planned, perft has at most two plies, and
// only probing is measured, for which there are no tables; standard input is empty.
#include "cli/command.h"

#include "fuzz/run.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORDS_MAX = 60, PRINTED_MAX = 1 << 16 };

static int printed; // stands for standard error,
static int nowhere; // and this for standard output

static void start(void)
{
    printed = memfd_create("stderr", MFD_CLOEXEC);
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    require(printed >= 0 && nowhere >= 0 && freopen("/dev/null", "r", stdin) != NULL, "the standard files");
    unsetenv("CLTB_PATH");
}

static int entries(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    require(folder != NULL, "the folder");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

// Is there a number that may be too large a depth?
static bool is_long(const char *name, char *const *word, int words)
{
    for (int i = 2; i < words && strcmp(name, "perft") == 0; i++) {
        char *end;
        if (strtoull(word[i], &end, 0) > 2 && *end == '\0')
            return true;
    }
    return false;
}

// What the command printed on standard error.
static void check_printed(const char *name, int status, const char *text)
{
    static char line[PRINTED_MAX];
    int lines = 0;
    const bool annotates = strcmp(name, "annotate") == 0; // counts games in a last line
    const bool many = annotates || strcmp(name, "probe") == 0 || strcmp(name, "verify") == 0; // goes on after a failure
    const ssize_t bytes = pread(printed, line, sizeof line - 1, 0);
    require_of(bytes >= 0 && bytes < PRINTED_MAX - 1, "what is printed", text);
    line[bytes] = '\0';
    for (char *at = line; *at != '\0'; lines++) {
        char *end = strchr(at, '\n');
        require_of(end != NULL, "a line without an end", text);
        require_of((strncmp(at, "cltb", 4) == 0 && (at[4] == ' ' || at[4] == ':')) || (annotates && end[1] == '\0'),
                   "a line without the program's name", text);
        for (const char *c = at; c < end; c++)
            require_of((unsigned char)*c >= ' ' && *c != 0x7f, "a control character", text);
        at = end + 1;
    }
    require_of(status == EXIT_DONE || lines == 1 || (lines > 1 && many), "not one line", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char bound[][2][12] = {{"build", "--dry-run"}, {"bench", "probe"}};
    char *word[WORDS_MAX + 1];
    int words = 0;
    if (printed == 0)
        start();
    char *text = text_copy(data, size);
    char *copy = text_copy(data, size);
    char *rest = copy;
    char *name = strsep(&rest, "\n");
    word[words++] = name;
    word[words++] = name;
    for (int i = 0; i < 2; i++)
        if (strcmp(name, bound[i][0]) == 0)
            word[words++] = bound[i][1];
    for (char *next; words < WORDS_MAX && (next = strsep(&rest, "\n")) != NULL;)
        word[words++] = next;
    word[words] = NULL;
    if (is_long(name, word, words)) {
        free(copy);
        free(text);
        return 0;
    }
    const int before = entries();
    const int terminal[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    require(terminal[0] >= 0 && terminal[1] >= 0 && ftruncate(printed, 0) == 0 && lseek(printed, 0, SEEK_SET) == 0 &&
                dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(printed, STDERR_FILENO) >= 0,
            "standard output");
    const int status = command_main(words, word);
    fflush(stdout);
    dup2(terminal[0], STDOUT_FILENO);
    dup2(terminal[1], STDERR_FILENO);
    close(terminal[0]);
    close(terminal[1]);
    require_of(status == EXIT_DONE || status == EXIT_FAILED || status == EXIT_USAGE, "an exit status", text);
    check_printed(name, status, text);
    require_of(entries() == before, "files are made", text);
    free(copy);
    free(text);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

static const char *const seeds[] = {
    "build\nKQvKR\nKPvK\n--dir\n.:bases\n--device\ncpu\n--isa\navx2\n--threads=2\n--memory\n48M\n--scratch\n.",
    "build\n--men\n5\n--pawnless\n--both-sides\n--best\n--force\n--checkpoint=0\n--block\n4MiB\n--memory=8g\n--quiet",
    "build\nKNNvKN\n--memory=40M\n--block=1000K\n--solve-only\n--verbose\n--device=cpu",
    "build\nK P[f7+] P[g7+] v K\n--output\nx.cltb\n--prune\nwhite discard P=[RNB]\n--futurebases\nbases",
    "build\n--spec\nspec.xml\n--dir\n./t\n--format\ntext",
    "build\ndobutsu\n--format\nraw\n--threads\n1024\n--device\n9999",
    "probe\n--dir\nt\n--format\njson\n8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1\n8/2P5/8/8/8/2k5/8/2K5 w - - 0 1",
    "probe\n--game\ndobutsu\n--format=tsv\nS/gle/-c-/-C-/ELG/-",
    "probe\n--table\nx.cltb\n--\n-",
    "stats\nKQvKR\n--threads\n2\n--format\njson\n--dir\nt",
    "stats\ndobutsu\n--reachable\n--format=tsv",
    "verify\nKPvK\nKQvK\n--dir=t\n--sample\n1000\n--quiet\n--threads=1",
    "info\nx.cltb\n--format\njson",
    "list\n--dir\n.:bases\n--format\njson",
    "manifest\n--check\nsums\n--ignore-missing\n--dir=.",
    "annotate\ngame.pgn\n-\n--dir\n.",
    "explore\n8/2P5/8/8/8/2k5/8/2K5 w - - 0 1\n--dir=t",
    "explore\n--table=x.cltb\n8/2P5/8/8/8/2k5/8/2K5 w - - 0 1",
    "play\ndobutsu\n--side\nboth\n--dir\n.",
    "perft\n2\n--divide\n8/2P5/8/8/8/2k5/8/2K5 w - - 0 1\n--threads=1",
    "perft\n--game\ndobutsu\n1\n--rules=stop\nS/gle/-c-/-C-/ELG/-",
    "bench\nKQvK\n--milliseconds=1\n--repeat\n1\n--isa=generic\n--device\ncpu\n--dir\n.",
    "devices\n--format\njson",
    "help\nbuild",
    "completion\nbash",
    "stats\n--help",
};

int main(int argc, char **argv)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds, .count = sizeof seeds / sizeof seeds[0], .likely = "KQRBNPvkm0123456789-=:.,/[]+KMGTiB \n\n\n"};
    return fuzz_run_texts(argc, argv, &texts);
}

#endif
