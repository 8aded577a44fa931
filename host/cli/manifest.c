// manifest.c - `cltb manifest`: the SHA-256 sums of tables, as sha256sum writes and reads them
//
// A line is 64 hexadecimal digits, a blank, a second blank or '*', and the file's name. If the name has a backslash or
// the end of a line, these are written \\, \n and \r, and the whole line begins with a backslash.
#include "cli/command.h"

#ifdef CLTB_HAVE_LIBMD

#include "cli/line_reader.h"
#include "kind/sums.h"
#include "util/error.h"
#include "util/os.h"
#include "util/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- checking ----

struct listed {
    struct listed *next;
    char sum[SUM_TEXT];
    char name[]; // without its folder
};

// Replaces \\, \n and \r in place; false if there is another backslash.
static bool unescape(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        *to = *text;
        if (*text == '\\') {
            text++;
            if (*text != '\\' && *text != 'n' && *text != 'r')
                return false;
            *to = *text == 'n' ? '\n' : *text == 'r' ? '\r' : '\\';
        }
        to++;
    }
    *to = '\0';
    return true;
}

// Splits a line into its sum, in lower case, and its name, which is returned; NULL if it is not a line of sums.
static const char *cut_line(char *line, const char **sum)
{
    const bool escaped = line[0] == '\\';
    line += escaped;
    if (strspn(line, "0123456789abcdefABCDEF") != SUM_TEXT - 1 || line[SUM_TEXT - 1] != ' ' ||
        (line[SUM_TEXT] != ' ' && line[SUM_TEXT] != '*') || line[SUM_TEXT + 1] == '\0')
        return NULL;
    line[SUM_TEXT - 1] = '\0';
    for (char *digit = line; *digit != '\0'; digit++)
        *digit = (char)(*digit >= 'A' && *digit <= 'F' ? *digit - 'A' + 'a' : *digit);
    *sum = line;
    char *name = line + SUM_TEXT + 1;
    if (escaped && !unescape(name))
        return NULL;
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static int read_listed(struct listed **listed, char *line)
{
    const char *sum;
    const char *name = cut_line(line, &sum);
    if (name == NULL)
        return error_set(CLTB_E_CORRUPT, "not a SHA-256 sum and the name of a file: %.60s", line);
    *listed = malloc(sizeof **listed + strlen(name) + 1);
    if (*listed == NULL)
        return error_memory(sizeof **listed + strlen(name) + 1, "a list of sums");
    (*listed)->next = NULL;
    memcpy((*listed)->sum, sum, SUM_TEXT);
    memcpy((*listed)->name, name, strlen(name) + 1);
    return 0;
}

// Skips empty lines and those that begin with '#'.
static int read_list(struct listed **list, const char *path)
{
    int number = 1;
    int code = 0;
    *list = NULL;
    FILE *file = strcmp(path, "-") == 0 ? stdin : os_read_stream(path);
    if (file == NULL)
        return error_errno(CLTB_E_IO, errno, "cannot open %s", path);
    struct listed **end = list;
    for (char *line; code == 0 && (line = line_of(file)) != NULL; free(line), number++) {
        if (line[0] == '#' || line[0] == '\0')
            continue;
        code = read_listed(end, line);
        if (code == CLTB_E_CORRUPT)
            error_prefix(code, "%s, line %d", path, number);
        else if (code == 0)
            end = &(*end)->next;
    }
    if (code == 0 && !feof(file))
        code = error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    if (code == 0 && *list == NULL)
        code = error_set(CLTB_E_CORRUPT, "%s has no sums", path);
    if (file != stdin)
        fclose(file);
    return code;
}

static struct sum *find_sum(const struct sums *sums, const char *name)
{
    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->sum[i].table->file, name) == 0)
            return &sums->sum[i];
    return NULL;
}

// Prints a file's name on standard output; control characters become '?'.
static void print_name(const char *name, const char *result)
{
    text_print(stdout, name, INT_MAX);
    printf(": %s\n", result);
}

struct tally {
    size_t right;
    size_t wrong;
    size_t missing;
    size_t extra;
};

// Compares the sums, names the differences, and counts.
static struct tally compare(const struct sums *sums, const struct listed *listed, bool ignore_missing)
{
    struct tally tally = {0};
    for (; listed != NULL; listed = listed->next) {
        const struct sum *sum = find_sum(sums, listed->name);
        if (sum != NULL && strcmp(sum->text, listed->sum) == 0) {
            tally.right++;
        } else if (sum != NULL) {
            tally.wrong++;
            print_name(listed->name, sum->fault != NULL ? sum->fault : "differs");
        } else if (!ignore_missing) {
            tally.missing++;
            print_name(listed->name, "missing");
        }
    }
    for (size_t i = 0; i < sums->count; i++) {
        if (sums->sum[i].listed)
            continue;
        tally.extra++;
        print_name(sums->sum[i].table->file, "not in the list");
    }
    printf("%zu right, %zu wrong, %zu missing, %zu not in the list\n", tally.right, tally.wrong, tally.missing,
           tally.extra);
    return tally;
}

static int check_list(struct sums *sums, const char *path, bool ignore_missing, struct thread_pool *pool)
{
    struct listed *list;
    struct tally tally = {0};
    int code = read_list(&list, path);
    sums->only_listed = true;
    for (const struct listed *listed = list; code == 0 && listed != NULL; listed = listed->next) {
        struct sum *sum = find_sum(sums, listed->name);
        if (sum != NULL)
            sum->listed = true;
    }
    THEN(code, sums_work_out(sums, pool));
    if (code == 0)
        tally = compare(sums, list, ignore_missing);
    for (struct listed *next; list != NULL; list = next) {
        next = list->next;
        free(list);
    }
    TRY(code);
    if (tally.wrong + tally.missing > 0)
        return error_set(CLTB_E_MISMATCH, "the tables are not those of %s: %zu wrong, %zu missing", path, tally.wrong,
                         tally.missing);
    return tally.right > 0 ? 0 : error_set(CLTB_E_MISSING, "none of the tables in %s exists", path);
}

static int check(const char *folders, const char *path, bool ignore_missing, struct thread_pool *pool)
{
    struct sums sums;
    int code = sums_open(&sums, folders);
    THEN(code, check_list(&sums, path, ignore_missing, pool));
    sums_close(&sums);
    return code;
}

static int write_or_check(const char *folders, const char *path, bool ignore_missing)
{
    struct thread_pool *pool;
    TRY(threads_open(&pool, 0));
    const int code = path != NULL ? check(folders, path, ignore_missing, pool) : sums_write(stdout, folders, pool);
    threads_close(pool);
    return code;
}

#else

#include "util/error.h"

static int write_or_check(const char *folders, const char *check, bool ignore_missing)
{
    (void)folders, (void)check, (void)ignore_missing;
    return error_set(CLTB_E_IO, "this cltb was built without libmd, which makes SHA-256 sums; use sha256sum");
}

#endif

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *check = NULL;
    bool ignore_missing = false;
    const struct option options[] = {{.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
                                     {.name = "--check", .kind = OPTION_FILE, .value = &check},
                                     {.name = "--ignore-missing", .kind = OPTION_FLAG, .value = &ignore_missing},
                                     {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "manifest", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("manifest", "takes no arguments, not '%.40s': folders are given by --dir",
                           arguments.word[0]);
    if (ignore_missing && check == NULL)
        return usage_fault("manifest", "--ignore-missing goes with --check");
    const int code = write_or_check(tables_dir(dir), check, ignore_missing);
    return code != 0 ? report("manifest", code) : EXIT_DONE;
}

const struct command manifest_command = {"manifest", run, "writes and checks a list of SHA-256 sums"};
