// load.c - files that are read into memory before all positions of a material are probed
#include "check/load.h"

#include "make/plan_material.h"
#include "probe/tables.h"
#include "util/error.h"

int load_syzygy(cltb_tables *tables, const struct material *material, struct thread_pool *pool)
{
    struct material needed[PLAN_FUTUREBASES_MAX + 1];
    const int count = plan_futurebases(material, needed);
    needed[count] = *material;
    for (int i = 0; i <= count; i++) {
        const struct source *source;
        const int code = tables_find_material(tables, &needed[i], &source);
        if (code != CLTB_E_MISSING)
            TRY(code != 0 ? code : source_load(source, pool));
    }
    return 0;
}
