// path.c - where the files of a material's table are
#include "table/path.h"

#include "util/folders.h"

#include <stdio.h>

int table_path(char *path, size_t size, const char *dir, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    return folder_path(path, size, dir, "%s.cltb", material_name(material, name));
}

int table_work_path(char *path, size_t size, const char *dir, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    return folder_path(path, size, dir, "%s.cltb.work", material_name(material, name));
}

int table_rank_work_path(char *path, size_t size, const char *dir, const struct material *material, int rank)
{
    char name[MATERIAL_NAME_MAX];
    if (rank == 0)
        return table_work_path(path, size, dir, material);
    return folder_path(path, size, dir, "%s.%d.cltb.work", material_name(material, name), rank);
}

int table_locate(char *path, size_t size, const char *folders, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + sizeof ".cltb"];
    snprintf(file, sizeof file, "%s.cltb", material_name(material, name));
    return folders_find(path, size, folders, file) ? 0 : folders_path(path, size, folders, file);
}
