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
    return table_rank_work_path(path, size, dir, material, 0);
}

int table_rank_work_path(char *path, size_t size, const char *dir, const struct material *material, int rank)
{
    char name[MATERIAL_NAME_MAX];
    char number[16] = "";
    if (rank > 0)
        snprintf(number, sizeof number, ".%d", rank);
    return folder_path(path, size, dir, "%s%s.cltb.work", material_name(material, name), number);
}

int table_locate(char *path, size_t size, const char *folders, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + sizeof ".cltb"];
    snprintf(file, sizeof file, "%s.cltb", material_name(material, name));
    return folders_find(path, size, folders, file) ? 0 : folders_path(path, size, folders, file);
}
