// path.c - where the files of a material's table lie
#include "table/path.h"

#include "util/folders.h"

#include <stdio.h>

enum { FILE_NAME_MAX = MATERIAL_NAME_MAX + sizeof ".cltb.work" };

static const char *file_name(char text[FILE_NAME_MAX], const struct material *material, const char *suffix)
{
    char name[MATERIAL_NAME_MAX];
    snprintf(text, FILE_NAME_MAX, "%s%s", material_name(material, name), suffix);
    return text;
}

int table_path(char *path, size_t size, const char *dir, const struct material *material)
{
    char name[FILE_NAME_MAX];
    return folder_path(path, size, dir, file_name(name, material, ".cltb"));
}

int table_work_path(char *path, size_t size, const char *dir, const struct material *material)
{
    char name[FILE_NAME_MAX];
    return folder_path(path, size, dir, file_name(name, material, ".cltb.work"));
}

int table_locate(char *path, size_t size, const char *folders, const struct material *material)
{
    char name[FILE_NAME_MAX];
    file_name(name, material, ".cltb");
    return folders_find(path, size, folders, name) ? 0 : folders_path(path, size, folders, name);
}
