// missing.c - all tables that a position may need and that are not in the folders
#include "kind/missing.h"

#include "make/plan_material.h"
#include "probe/tables.h"
#include "util/error.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SEEN_MAX = 1024, NAMED_MAX = 8 };

struct search {
    const char *folders;
    struct material seen[SEEN_MAX];
    int seen_count;
    struct material first; // the first missing table
    int missing;
    char files[NAMED_MAX * (MATERIAL_NAME_MAX + 8)]; // "KQvK.cltb, KRvK.cltb"
};

// Looks for the table of this material, then for those that it leads to. Recurses no deeper than the number of men and
// pawns.
static void look_for(struct search *search, const struct material *material)
{
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    for (int i = 0; i < search->seen_count; i++)
        if (material_equal(&search->seen[i], material))
            return;
    if (search->seen_count == SEEN_MAX)
        return; // enough is known
    search->seen[search->seen_count++] = *material;
    if (!source_find(path, sizeof path, search->folders, material) && search->missing++ < NAMED_MAX) {
        if (search->missing == 1)
            search->first = *material;
        const size_t length = strlen(search->files);
        snprintf(search->files + length, sizeof search->files - length, "%s%s.cltb", length > 0 ? ", " : "",
                 material_name(material, name));
    }
    const int count = plan_futurebases(material, futurebases);
    for (int i = 0; i < count; i++)
        look_for(search, &futurebases[i]);
}

int missing_tables(const char *folders, const struct material *material)
{
    struct search search = {.folders = folders};
    struct material standard = *material;
    material_normalise(&standard);
    look_for(&search, &standard);
    if (search.missing == 0)
        return 0;
    if (search.missing > NAMED_MAX)
        snprintf(search.files + strlen(search.files), sizeof search.files - strlen(search.files), " and %d more",
                 search.missing - NAMED_MAX);
    return tables_missing(folders, search.files, search.missing == 1 ? &search.first : &standard);
}
