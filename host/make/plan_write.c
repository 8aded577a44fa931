// plan_write.c - what writing the files of a table takes; apart from plan_material.c, which needs no writer
#include "make/plan_material.h"

#include "syzygy/write/write.h"
#include "table/write/write_table.h"
#include "util/os.h"
#include "util/saturate.h"

void plan_write_bytes(const struct material *material, const struct build_options *options, unsigned files,
                      uint64_t *least, uint64_t *most)
{
    const struct write_options writing = {.both_sides = options->both_sides, .best = options->best};
    const int threads = options->threads > 0 ? options->threads : os_processors();
    const uint64_t slices = material_has_pawns(material) ? plan_slices(material, NULL) : 0;
    uint64_t syzygy_least;
    uint64_t syzygy_most;
    *least = *most = 0;
    if (files & PLAN_TABLE)
        write_memory_bytes(material, slices, &writing, threads, least, most);
    if (!(files & PLAN_SYZYGY))
        return;
    syzygy_write_bytes(material, threads, &syzygy_least, &syzygy_most);
    *least = u64_larger(*least, syzygy_least);
    *most = u64_larger(*most, syzygy_most);
}
