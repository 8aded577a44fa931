// import.c - `cltb import`: makes tables out of Syzygy files
#include "cli/command.h"
#include "cli/progress.h"

#include "check/stats_kept.h"
#include "check/verify.h"
#include "import/import.h"
#include "make/folder.h"
#include "probe/tables.h"
#include "table/container.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/os.h"
#include "util/units.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int go_on(void)
{
    return interrupted != 0 ? error_set(CLTB_E_INTERRUPTED, "interrupted") : 0;
}

// Shows the share of the current pass that is done.
static int watch(void *pool)
{
    TRY(progress_share()(pool));
    return go_on();
}

// Syzygy files can be consistent and wrong: compares a sample of the table with the rules, unless tables that it leads
// to are missing.
static int check_sample(const char *folders, const struct material *material, const char *path,
                        struct thread_pool *pool)
{
    const struct verify_options options = {.sample = 20000, .seed = 1, .pool = pool};
    struct verify_result result;
    cltb_tables *tables;
    TRY(cltb_open(&tables, folders, NULL));
    int code = tables_add_file(tables, material, path);
    THEN(code, verify_table(tables, material, &options, &result));
    cltb_close(tables);
    return code == CLTB_E_MISMATCH  ? error_prefix(code, "its Syzygy files are wrong")
           : code == CLTB_E_MISSING ? 0
                                    : code;
}

// Writes the table with its statistics.
static int import_counted(cltb_tables *tables, const struct material *material, const char *path, bool force,
                          struct thread_pool *pool, uint64_t *bytes)
{
    char uncounted[PATH_MAX + sizeof ".uncounted"];
    struct stats *stats = NULL;
    snprintf(uncounted, sizeof uncounted, "%s.uncounted", path);
    TRY(import_table(tables, material, uncounted, pool, bytes));
    int code = check_sample(tables_folders(tables), material, uncounted, pool);
    THEN(code, stats_count(&stats, tables, material, pool, NULL));
    if (code == 0 && !force && access(path, F_OK) == 0)
        code = error_set(CLTB_E_IO, "%s has been made by somebody else meanwhile, and is kept", path);
    THEN(code, stats_keep(stats, uncounted, path));
    stats_free(stats);
    unlink(uncounted);
    return code != 0 ? code : container_size(path, bytes);
}

// Reads a name such as KQvK, or that of a file.
static int read_name(struct material *material, const char *word)
{
    static const char *const ends[] = {".cltb", ".rtbw", ".rtbz"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (material_of_file(material, word, ends[i]))
            return 0;
    return material_parse(material, word, NULL);
}

// Imports one table; an existing one is kept.
static int import_one(cltb_tables *tables, const char *word, const char *to, bool force, struct thread_pool *pool)
{
    struct material material;
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    uint64_t bytes;
    struct table *table;
    const struct source *source;
    TRY(read_name(&material, word));
    if (material.metric != METRIC_DTZ)
        return error_set(CLTB_E_USAGE, "%s: Syzygy files have distances to zeroing", material_name(&material, name));
    material_name(&material, name);
    TRY(table_path(path, sizeof path, to, &material));
    const int there = force ? CLTB_E_MISSING : table_open_material(&table, path, &material);
    if (there == 0) {
        table_close(table);
        printf("%s: already present\n", name);
        return 0;
    }
    if (there != CLTB_E_MISSING)
        return there;
    TRY(tables_find_material(tables, &material, &source));
    if (source->table != NULL)
        return error_set(CLTB_E_MISSING, "there is no %s.rtbw in '%s'", name, tables_folders(tables));
    TRY(source_check(source));
    const int code = import_counted(tables, &material, path, force, pool, &bytes);
    progress_share_end();
    if (code != 0)
        return error_prefix(code, "%s", name);
    printf("%s: imported, %s\n", name, unit_bytes(bytes).text);
    return 0;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *syzygy = NULL;
    const char *to = NULL;
    uint64_t threads = 0;
    bool force = false;
    char *folders = NULL;
    const struct option options[] = {
        {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
        {.name = "--to", .kind = OPTION_FOLDER, .value = &to},
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--force", .kind = OPTION_FLAG, .value = &force},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = NULL}};
    struct arguments names;
    struct thread_pool *pool = NULL;
    struct folder *folder = NULL;
    cltb_tables *tables = NULL;
    TRY(options_parse(&names, "import", argc, argv, options));
    if (names.count == 0)
        return usage_fault("import", "which tables? Give names such as KQvKR");
    if (to == NULL)
        return usage_fault("import", "to which folder? Give --to DIR");
    int code = 0;
    for (int i = 0; i < names.count && code == 0; i++) {
        struct material material;
        code = read_name(&material, names.word[i]);
    }
    THEN(code, folders_given(&folders, dir, syzygy));
    THEN(code, cltb_open(&tables, folders, NULL));
    THEN(code, threads_open(&pool, (int)threads));
    THEN(code, folder_open(&folder, to, false));
    if (code == 0) {
        tables_prefer_syzygy(tables);
        interrupts_catch();
        threads_watch(pool, watch, pool);
    }
    for (int i = 0; i < names.count && code == 0; i++) {
        code = go_on();
        THEN(code, import_one(tables, names.word[i], to, force, pool));
    }
    folder_close(folder);
    threads_close(pool);
    cltb_close(tables);
    free(folders);
    progress_share_end();
    if (code == 0 || interrupted == 0)
        return code == 0 ? EXIT_DONE : report("import", code);
    fprintf(stderr, "interrupted; finished tables are kept: run the same command again to resume\n");
    return EXIT_INTERRUPTED;
}

const struct command import_command = {"import", run, "makes tables out of Syzygy files"};
