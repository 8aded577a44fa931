// kinds.c - the kinds of tables
#include "kind/kind.h"

#include "make/plan.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

extern const struct endgame_kind kind_chess;      // kind/chess.c
extern const struct endgame_kind kind_restricted; // restricted/cli/kind.c
extern const struct endgame_kind kind_structures; // structures/cli/kind.c
extern const struct endgame_kind kind_dobutsu;    // dobutsu/cli/kind.c

const struct endgame_kind *const endgame_kinds[] = {&kind_chess,
#ifdef CLTB_HAVE_STUDIES
                                                    &kind_restricted, &kind_structures,
#endif
#ifdef CLTB_HAVE_DOBUTSU
                                                    &kind_dobutsu,
#endif
                                                    NULL};

const struct endgame_kind *kind_of_name(const char *name)
{
    const struct endgame_kind *kind = endgame_kinds[0];
    for (int i = 1; endgame_kinds[i] != NULL; i++)
        if (endgame_kinds[i]->names(name))
            kind = endgame_kinds[i];
    return kind;
}

const struct endgame_kind *kind_of_table(const struct endgame_kind *kind, const char *table)
{
    for (int i = 0; table != NULL && endgame_kinds[i] != NULL; i++)
        if (endgame_kinds[i]->is_file != NULL && endgame_kinds[i]->is_file(table))
            kind = endgame_kinds[i];
    return kind;
}

bool kind_is_file(const char *name)
{
    const char *end = strrchr(name, '.');
    return strchr(name, '/') != NULL || (end != NULL && (strcmp(end, ".cltb") == 0 || strcmp(end, ".raw") == 0));
}

int kind_find_file(char path[PATH_MAX], const char *name, const char *folders)
{
    char file[MATERIAL_NAME_MAX + sizeof ".cltb"] = "dobutsu.cltb";
    struct stat status;
    const bool here = stat(name, &status) == 0 && (kind_is_file(name) || S_ISREG(status.st_mode));
    if (here || strchr(name, '/') != NULL) {
        const int length = snprintf(path, PATH_MAX, "%s", name);
        return length < PATH_MAX ? 0 : error_set(CLTB_E_IO, "the path %.60s... is too long", name);
    }
    if (!kind_is_file(name) && strcasecmp(name, "dobutsu") != 0) {
        struct material material;
        char standard[MATERIAL_NAME_MAX];
        TRY(material_parse(&material, name, NULL));
        snprintf(file, sizeof file, "%s.cltb", material_name(&material, standard));
    }
    if (folders_find(path, PATH_MAX, folders, kind_is_file(name) ? name : file))
        return 0;
    if (kind_is_file(name))
        return error_set(CLTB_E_MISSING, "cannot open %s: there is no such file, neither here nor in '%s'", name,
                         folders);
    return error_set(CLTB_E_MISSING, "no table %s in '%s'", file, folders);
}
