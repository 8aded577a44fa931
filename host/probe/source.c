// source.c - where the values of a material are stored: in a table, or in Syzygy files
#include "probe/source.h"

#include "syzygy/checksum.h"
#include "syzygy/file.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <stdio.h>

enum { LARGE_BYTES = 1 << 20 }; // compressed; in the cache they take about ten times as much

static bool find(char *path, size_t size, const char *folders, const struct material *material, const char *ending)
{
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + 8];
    snprintf(file, sizeof file, "%s%s", material_name(material, name), ending);
    return folders_find(path, size, folders, file);
}

bool source_find(char *path, size_t size, const char *folders, const struct material *material)
{
    return find(path, size, folders, material, ".cltb") || find(path, size, folders, material, ".rtbw");
}

static int open_table(struct source *source, const char *path, const struct material *material,
                      struct block_cache *cache)
{
    char name[MATERIAL_NAME_MAX];
    TRY(table_open(&source->table, path, cache));
    const struct table_info *info = table_info(source->table);
    const struct material *held = &info->material;
    source->large = info->outcome_bytes[WHITE] + info->outcome_bytes[BLACK] >= LARGE_BYTES;
    if (material_equal(held, material))
        return 0;
    return error_set(CLTB_E_CORRUPT, "%s: holds the table %s, so the file was renamed", path,
                     material_name(held, name));
}

int source_open(struct source *source, const char *folders, const struct material *material, bool syzygy_first,
                struct block_cache *cache)
{
    char path[PATH_MAX];
    int code = CLTB_E_MISSING;
    *source = (struct source){.table = NULL};
    const bool syzygy = syzygy_first && find(path, sizeof path, folders, material, ".rtbw");
    if (!syzygy && find(path, sizeof path, folders, material, ".cltb")) {
        code = open_table(source, path, material, cache);
    } else if (syzygy || find(path, sizeof path, folders, material, ".rtbw")) {
        code = syzygy_open(&source->outcomes, path, SYZYGY_OUTCOMES, material, cache);
        if (code == 0 && find(path, sizeof path, folders, material, ".rtbz"))
            code = syzygy_open(&source->distances, path, SYZYGY_DISTANCES, material, cache);
    }
    if (code != 0)
        source_close(source);
    return code;
}

void source_close(struct source *source)
{
    if (source->table != NULL)
        table_close(source->table);
    syzygy_close(source->outcomes);
    syzygy_close(source->distances);
    *source = (struct source){.table = NULL};
}

int source_check(const struct source *source)
{
    uint64_t bytes = 0;
    if (source->table != NULL)
        return table_check(source->table);
    TRY(syzygy_file_check(syzygy_path(source->outcomes), &bytes));
    return source->distances == NULL ? 0 : syzygy_file_check(syzygy_path(source->distances), &bytes);
}

int source_load(const struct source *source, struct thread_pool *pool)
{
    static const uint64_t most = UINT64_C(1) << 30; // of a file; that of five men takes a quarter
    int code = 0;
    if (source->outcomes != NULL)
        code = syzygy_load(source->outcomes, most, pool);
    if (code == 0 && source->distances != NULL)
        code = syzygy_load(source->distances, most, pool);
    return code == CLTB_E_MEMORY ? 0 : code;
}

int source_outcome(const struct source *source, const struct position *position, int *outcome)
{
    return source->table != NULL ? table_outcome(source->table, position, outcome)
                                 : syzygy_outcome(source->outcomes, position, outcome);
}

bool source_has_distance(const struct source *source, const struct position *position)
{
    if (source->table != NULL)
        return table_has_distance(source->table, position);
    return source->distances == NULL || syzygy_has_distance(source->distances, position);
}

int source_distance(const struct source *source, const struct position *position, int outcome,
                    struct distance *distance)
{
    distance->rounded = false;
    if (source->table != NULL)
        return table_distance(source->table, position, outcome, &distance->ply);
    if (source_has_outcomes_only(source))
        return error_set(CLTB_E_MISSING, "%s has outcomes only: the file of distances, .rtbz, is missing",
                         syzygy_path(source->outcomes));
    return syzygy_distance(source->distances, position, outcome, &distance->ply, &distance->rounded);
}
