// stored_slabs.c - stored tables as the slabs that zeroing moves lead to
//
// A call asks for many slabs of one shape:
//
//     1. The sections of the file that the slabs need are listed.
//     2. They are taken in rounds of as many sections as the cache may hold. In a round all threads decompress what is
//        missing from the cache, without pawns only the units that the slabs need (those with the promoted man on the
//        edge: building KQNvKP with distances to mate takes 0.74 of the CPU time, KRBvKP 0.86), and then extract the
//        slabs (slab_extract.c).
//     3. If a section is a single slice of a very large table, the cache would not help. Then each thread takes one
//        section at a time, decompresses the units that are needed, and extracts while it is in the processor's cache.
//
// Distances to mate are read together with the outcomes if the table allows it, and otherwise after them, as codes.
//
// Tables stay open, and sections stay in the cache until their memory is needed, because the next calls often ask for
// the same ones.
#include "futurebase/stored_slabs.h"

#include "futurebase/slab_extract.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    CACHE_BYTES = 256 << 20,
    PASSING_SHARE = 8, // a stream larger than this part of the cache is not kept, if its sections are slices
    THREAD_ITEMS = 4   // for each thread, at least, if sections have enough blocks
};

struct slab_table {
    struct material material;
    struct table *bulk;
};

// A decompressed section.
struct slab_section {
    const struct table *bulk;
    int side;
    enum table_reading reading;
    uint64_t number;
    size_t bytes;
    uint8_t *symbols;
    uint64_t units; // that can be decoded by themselves
    bool *wanted;   // [units] are read in this round
    bool *seen;     // [units] are read, or wanted
    uint64_t round; // in which it was last used
};

// ---- tables ----

static int find_table(struct stored_slabs *slabs, const struct material *standard, const struct table **bulk)
{
    for (size_t i = 0; i < slabs->tables; i++) {
        if (material_equal(&slabs->table[i].material, standard)) {
            *bulk = slabs->table[i].bulk;
            return 0;
        }
    }
    struct slab_table *table = realloc(slabs->table, (slabs->tables + 1) * sizeof *table);
    if (table == NULL)
        return error_memory((slabs->tables + 1) * sizeof *table, "the tables that are open");
    slabs->table = table;
    table += slabs->tables;
    char path[PATH_MAX];
    TRY(table_locate(path, sizeof path, slabs->folders, standard));
    TRY(table_open_outcomes(&table->bulk, path, standard));
    table->material = *standard;
    slabs->tables++;
    *bulk = table->bulk;
    return 0;
}

// Finds the table of a material in any colours.
static int find_any(struct stored_slabs *slabs, const struct material *material, const struct table **bulk, bool *flip)
{
    struct material standard = *material;
    *flip = material_normalise(&standard);
    standard.metric = (uint8_t)slabs->metric;
    return find_table(slabs, &standard, bulk);
}

static int look_longest(void *context, const struct material *material, int *plies)
{
    const struct table *bulk;
    bool flip;
    TRY(find_any(context, material, &bulk, &flip));
    const struct table_info *info = table_info(bulk);
    *plies = -1;
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int longest = info->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        *plies = longest > *plies ? longest : *plies;
    }
    return 0;
}

static int look_stored(void *context, const struct material *material, bool *cursed)
{
    const struct table *bulk;
    bool flip;
    TRY(find_any(context, material, &bulk, &flip));
    const struct table_info *info = table_info(bulk);
    *cursed = false;
    for (int side = WHITE; side <= BLACK; side++)
        *cursed |= info->positions[side][1] > 0 || info->positions[side][3] > 0;
    return 0;
}

// ---- sections ----

static size_t cache_limit(const struct stored_slabs *slabs)
{
    return slabs->cache_bytes > 0 ? slabs->cache_bytes : CACHE_BYTES;
}

static void drop_section(struct stored_slabs *slabs, size_t i)
{
    slabs->cached -= slabs->section[i].bytes;
    memory_give(threads_memory(slabs->pool), slabs->section[i].symbols, slabs->section[i].bytes);
    free(slabs->section[i].wanted);
    slabs->section[i] = slabs->section[--slabs->sections];
}

static void drop_all(struct stored_slabs *slabs)
{
    while (slabs->sections > 0)
        drop_section(slabs, slabs->sections - 1);
}

// Returns memory for a new section. Frees those that were used longest ago, except sections of this round.
static uint8_t *make_room(struct stored_slabs *slabs, size_t bytes)
{
    while (slabs->cached + bytes > cache_limit(slabs)) {
        size_t oldest = slabs->sections;
        for (size_t i = 0; i < slabs->sections; i++) {
            const uint64_t round = slabs->section[i].round;
            if (round != slabs->round && (oldest == slabs->sections || round < slabs->section[oldest].round))
                oldest = i;
        }
        if (oldest == slabs->sections)
            break;
        uint8_t *symbols = NULL;
        if (slabs->section[oldest].bytes == bytes) {
            symbols = slabs->section[oldest].symbols;
            slabs->section[oldest].symbols = NULL;
        }
        drop_section(slabs, oldest);
        if (symbols != NULL)
            return symbols;
    }
    return memory_take(threads_memory(slabs->pool), bytes, NULL);
}

// ---- a round ----

// Slabs, and where their slice is.
struct slab_job {
    struct slab_set set;
    uint64_t section;
    uint64_t offset;
    bool mirror;
    bool both;
    const uint8_t *symbols;
};

// A call that loads slabs.
struct slab_load {
    struct stored_slabs *slabs;
    const struct table *bulk;
    int file_side;
    struct slab_extract extract;
    const struct stored_slab *slab;
    size_t count;
    struct slab_work *work;  // [threads]
    size_t sections;         // of this round
    uint64_t *number;        // [sections]
    const uint8_t **symbols; // [sections]
    size_t *reading;         // [readings] sections of the cache of which something must be read
    size_t readings;
    uint64_t parts;        // of each
    uint8_t king[SQUARES]; // without pawns: [kings] squares of the black king with sections of this round, in order
    size_t kings;          //
    struct slab_job *job;  // of this round
    const size_t *first;   // [sections + 1] jobs of each section
    uint8_t **scratch;     // [threads][entries of a section]
};

// The largest number of sections in a round.
static size_t round_sections(const struct slab_load *load)
{
    const uint64_t most = cache_limit(load->slabs) / load->extract.map.file.order->per_section;
    const uint64_t bounded =
        most < load->extract.map.file.order->sections ? most : load->extract.map.file.order->sections;
    return bounded > 0 ? (size_t)bounded : 1;
}

// The number of symbols of a unit.
static uint32_t unit_of(const struct slab_load *load)
{
    return table_unit(load->bulk, load->extract.map.reading, load->file_side);
}

// Adds a section to the cache, from which nothing has been read yet.
static int add_section(struct slab_load *load, uint64_t number)
{
    struct stored_slabs *slabs = load->slabs;
    const size_t bytes = load->extract.map.file.order->per_section;
    const uint64_t units = (bytes + unit_of(load) - 1) / unit_of(load);
    bool *marks;
    TRY(memory_grow(&slabs->section, &slabs->section_room, slabs->sections + 1, sizeof *slabs->section,
                    "a cache of sections"));
    TRY(memory_new(&marks, 2 * units, sizeof *marks, "a cache of sections"));
    uint8_t *memory = make_room(slabs, bytes);
    if (memory == NULL) {
        free(marks);
        return error_memory(bytes, "a section of a table");
    }
    slabs->section[slabs->sections++] = (struct slab_section){
        load->bulk,    load->file_side, load->extract.map.reading, number, bytes, memory, units, marks,
        marks + units, slabs->round};
    slabs->cached += bytes;
    return 0;
}

// Finds out what the slabs want from a section that has not been read yet. With pawns all of it is read, since several
// of its slices may be needed.
static void want_units(struct slab_load *load, size_t number)
{
    const struct slab_section *section = &load->slabs->section[number];
    if (memchr(section->seen, false, section->units) == NULL)
        return;
    const bool pawnless = load->extract.map.file.order->slices == NULL;
    memset(section->wanted, !pawnless, section->units * sizeof *section->wanted);
    for (size_t i = 0; pawnless && i < load->count; i++)
        slab_extract_section_wants(&load->extract.map, &load->slab[i], (unsigned)section->number, unit_of(load),
                                   section->wanted);
    for (uint64_t i = 0; i < section->units; i++) {
        section->wanted[i] &= !section->seen[i];
        section->seen[i] |= section->wanted[i];
    }
    if (memchr(section->wanted, true, section->units) != NULL)
        load->reading[load->readings++] = number;
}

// An item is a part of a section.
static int read_part(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct slab_load *load = context;
    const struct slab_section *section = &load->slabs->section[load->reading[item / load->parts]];
    const struct table_units some = {section->side, section->number, section->wanted, item % load->parts, load->parts};
    return table_read_units(section->bulk, section->reading, &some, section->symbols);
}

static struct slab_section *find_section(const struct slab_load *load, uint64_t number)
{
    struct stored_slabs *slabs = load->slabs;
    for (size_t i = 0; i < slabs->sections; i++) {
        struct slab_section *section = &slabs->section[i];
        if (section->bulk == load->bulk && section->number == number && section->side == load->file_side &&
            section->reading == load->extract.map.reading)
            return section;
    }
    return NULL;
}

// Reads the symbols of this round's sections.
static int fetch(struct slab_load *load)
{
    struct stored_slabs *slabs = load->slabs;
    int code = 0;
    slabs->round++;
    load->readings = 0;
    for (size_t i = 0; i < load->sections; i++) {
        struct slab_section *section = find_section(load, load->number[i]);
        load->symbols[i] = section != NULL ? section->symbols : NULL;
        if (section != NULL)
            section->round = slabs->round; // keeps it in the cache
    }
    for (size_t i = 0; code == 0 && i < load->sections; i++) {
        if (load->symbols[i] != NULL)
            continue;
        code = add_section(load, load->number[i]);
        if (code == 0)
            load->symbols[i] = slabs->section[slabs->sections - 1].symbols;
    }
    for (size_t i = 0; code == 0 && i < slabs->sections; i++) {
        if (slabs->section[i].round == slabs->round)
            want_units(load, i);
    }
    load->parts = THREAD_ITEMS * (uint64_t)threads_count(slabs->pool) / (load->readings + 1) + 1;
    THEN(code, threads_each(slabs->pool, load->readings * load->parts, read_part, load));
    if (code != 0)
        drop_all(slabs); // some have no symbols yet
    return code;
}

// ---- extraction ----

// The number of slabs in a set; the last set may have fewer.
static size_t set_slabs(const struct slab_load *load)
{
    return (size_t)slab_extract_together(&load->extract);
}

static size_t sets_of(const struct slab_load *load)
{
    return (load->count + set_slabs(load) - 1) / set_slabs(load);
}

// An item is a set of slabs and a square of their black king or, if only one thread at a time may fill a slab, a set.
static int extract_kings(void *context, uint64_t item, int worker)
{
    const struct slab_load *load = context;
    const size_t sets = sets_of(load);
    const size_t first = load->extract.map.aligned ? item / sets : 0;
    const size_t end = load->extract.map.aligned ? first + 1 : load->kings;
    struct slab_set set = {.count = 0};
    for (size_t i = item % sets * set_slabs(load); i < load->count && set.count < (int)set_slabs(load); i++)
        set.slab[set.count++] = &load->slab[i];
    for (size_t i = first; i < end; i++) {
        TRY(threads_check(load->slabs->pool, worker)); // six men take seconds
        slab_extract_kings(&load->extract, &load->work[worker], &set, load->king[i], UINT64_MAX,
                           load->symbols[slab_king_section(load->king[i]) - load->number[0]]);
    }
    return 0;
}

static int extract_slice(void *context, uint64_t item, int worker)
{
    const struct slab_load *load = context;
    const struct slab_job *job = &load->job[item];
    slab_extract_slice(&load->extract, &load->work[worker], &job->set, job->symbols, job->mirror, job->both);
    return 0;
}

// Without pawns every slab needs all sections.
static int load_pawnless(struct slab_load *load)
{
    struct thread_pool *pool = load->slabs->pool;
    const size_t most = round_sections(load);
    for (uint64_t first = 0; first < TRIANGLE_SQUARES; first += most) {
        load->sections = 0;
        for (uint64_t i = first; i < TRIANGLE_SQUARES && load->sections < most; i++)
            load->number[load->sections++] = i;
        TRY(fetch(load));
        load->kings = 0;
        for (size_t i = 0; i < load->sections * SQUARES; i++) {
            if (slab_king_section(i % SQUARES) == load->number[i / SQUARES])
                load->king[load->kings++] = i % SQUARES;
        }
        TRY(threads_each(pool, (load->extract.map.aligned ? load->kings : 1) * sets_of(load), extract_kings, load));
    }
    return 0;
}

static int find_slice(const struct slab_load *load, const struct stored_slab *slab, struct slab_job *job)
{
    const struct slab_shape *shape = load->extract.map.shape;
    const struct entry_order *order = load->extract.map.file.order;
    uint8_t squares[FIXED_MAX];
    int pawns = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int i = 0; i < shape->fixed; i++) {
            if (shape->fixed_type[i] == PAWN && (shape->fixed_colour[i] ^ (load->extract.map.flip ? 1 : 0)) == colour)
                squares[pawns++] = slab->square[i] ^ (load->extract.map.flip ? 56 : 0);
        }
    }
    *job = (struct slab_job){.set = {.slab = {slab}, .count = 1}};
    const uint32_t slice = pawn_slices_find(order->slices, squares, &job->mirror, &job->both);
    if (slice >= order->slices->slices)
        return error_set(CLTB_E_USAGE, "two pawns of a slab share a square");
    job->section = slice / order->slices_per_section;
    job->offset = slice % order->slices_per_section * order->per_slice;
    return 0;
}

static int compare_jobs(const void *a, const void *b)
{
    const struct slab_job *one = a;
    const struct slab_job *two = b;
    if (one->section != two->section)
        return one->section > two->section ? 1 : -1;
    if (one->offset != two->offset)
        return one->offset > two->offset ? 1 : -1;
    return (int)one->mirror - (int)two->mirror;
}

// Sorts the jobs, and joins those of a slice as far as slabs are extracted together; returns how many are left.
static size_t join_jobs(const struct slab_load *load, struct slab_job *jobs)
{
    size_t left = 0;
    qsort(jobs, load->count, sizeof *jobs, compare_jobs);
    for (size_t i = 0; i < load->count; i++) {
        struct slab_job *last = &jobs[left > 0 ? left - 1 : 0];
        if (left > 0 && last->set.count < (int)set_slabs(load) && compare_jobs(last, &jobs[i]) == 0)
            last->set.slab[last->set.count++] = jobs[i].set.slab[0];
        else
            jobs[left++] = jobs[i];
    }
    return left;
}

// ---- sections that are not kept ----

static int pass_section(void *context, uint64_t item, int worker)
{
    const struct slab_load *load = context;
    const struct slab_job *end = load->job + load->first[item + 1];
    const struct slab_job *first = load->job + load->first[item];
    uint8_t *symbols = load->scratch[worker];
    const uint32_t each = unit_of(load);
    const uint64_t units = (load->extract.map.file.order->per_section + each - 1) / each;
    bool *wanted;
    TRY(memory_new(&wanted, units, sizeof *wanted, "a section of a table"));
    for (const struct slab_job *job = first; job < end; job++) {
        for (int i = 0; i < job->set.count; i++)
            slab_extract_wants(&load->extract.map, job->set.slab[i], job->mirror, job->both, each, wanted);
    }
    const struct table_units some = {load->file_side, first->section, wanted, 0, 1};
    const int code = table_read_units(load->bulk, load->extract.map.reading, &some, symbols);
    free(wanted);
    TRY(code);
    for (const struct slab_job *job = first; job < end; job++)
        slab_extract_slice(&load->extract, &load->work[worker], &job->set, symbols, job->mirror, job->both);
    return 0;
}

static int load_passing(struct slab_load *load, size_t sections)
{
    struct thread_pool *pool = load->slabs->pool;
    const size_t bytes = load->extract.map.file.order->per_section;
    const int threads = threads_count(pool);
    int code = 0;
    TRY(memory_new(&load->scratch, (size_t)threads, sizeof *load->scratch, "slabs"));
    for (int i = 0; code == 0 && i < threads; i++) {
        load->scratch[i] = memory_take(threads_memory(pool), bytes, NULL);
        if (load->scratch[i] == NULL)
            code = error_memory(bytes, "a section of a table");
    }
    THEN(code, threads_each(pool, sections, pass_section, load));
    for (int i = 0; i < threads; i++)
        memory_give(threads_memory(pool), load->scratch[i], bytes);
    free(load->scratch);
    return code;
}

// ---- with pawns ----

// Jobs are sorted: those of section i are numbers load->first[i] to load->first[i + 1] - 1.
static int load_rounds(struct slab_load *load, size_t sections)
{
    struct slab_job *jobs = load->job;
    const size_t most = round_sections(load);
    for (size_t start = 0; start < sections; start += most) {
        const size_t end = sections - start < most ? sections : start + most;
        load->sections = 0;
        for (size_t i = start; i < end; i++)
            load->number[load->sections++] = jobs[load->first[i]].section;
        TRY(fetch(load));
        for (size_t i = start; i < end; i++) {
            for (size_t job = load->first[i]; job < load->first[i + 1]; job++)
                jobs[job].symbols = load->symbols[i - start] + jobs[job].offset;
        }
        load->job = jobs + load->first[start];
        TRY(threads_each(load->slabs->pool, load->first[end] - load->first[start], extract_slice, load));
    }
    return 0;
}

static int load_slices(struct slab_load *load)
{
    struct slab_job *jobs = malloc(load->count * sizeof *jobs);
    size_t *first = malloc((load->count + 1) * sizeof *first);
    size_t sections = 0;
    int code = 0;
    if (jobs == NULL || first == NULL) {
        code = error_memory(load->count * (sizeof *jobs + sizeof *first), "slabs");
        goto cleanup;
    }
    for (size_t i = 0; code == 0 && i < load->count; i++)
        code = find_slice(load, &load->slab[i], &jobs[i]);
    if (code != 0)
        goto cleanup;
    const size_t joined = join_jobs(load, jobs);
    for (size_t i = 0; i < joined; i++) {
        if (i == 0 || jobs[i].section != jobs[i - 1].section)
            first[sections++] = i;
    }
    first[sections] = joined;
    load->job = jobs;
    load->first = first;
    const struct entry_order *order = load->extract.map.file.order;
    const uint64_t threads = (uint64_t)threads_count(load->slabs->pool);
    const uint64_t limit = cache_limit(load->slabs);
    if (order->slices_per_section == 1 && order->entries > limit / PASSING_SHARE &&
        order->per_section <= limit / threads && sections >= threads)
        code = load_passing(load, sections);
    else
        code = load_rounds(load, sections);
cleanup:
    free(jobs);
    free(first);
    return code;
}

static int load_reading(struct slab_load *load, const struct slab_shape *shape, bool flipped,
                        enum table_reading reading)
{
    const struct entry_order *order = table_order(load->bulk, table_reading_kind(reading), load->file_side);
    if (order == NULL)
        return table_invalid(load->bulk, "it lacks the distances of a side to move");
    if (order->per_section > UINT32_MAX) {
        char name[MATERIAL_NAME_MAX];
        return error_set(CLTB_E_MEMORY, "%s is too large to be read by sections",
                         material_name(&table_info(load->bulk)->material, name));
    }
    slab_extract_init(&load->extract, shape, order, flipped, reading);
    const size_t sections = round_sections(load);
    int code = memory_new(&load->number, sections, sizeof *load->number, "slabs");
    THEN(code, memory_new(&load->symbols, sections, sizeof *load->symbols, "slabs"));
    THEN(code, memory_new(&load->reading, sections, sizeof *load->reading, "slabs"));
    THEN(code, slab_extract_work(&load->extract, load->slabs->pool, &load->work));
    THEN(code, order->slices == NULL ? load_pawnless(load) : load_slices(load));
    free(load->number);
    free(load->symbols);
    free(load->reading);
    slab_extract_work_free(&load->extract, load->slabs->pool, load->work);
    if (load->slabs->cached > cache_limit(load->slabs)) // a section exceeds the limit: drop it after use
        drop_all(load->slabs);
    return code;
}

static int load_stored(void *context, const struct slab_shape *shape, int side, struct stored_slab *slabs, size_t count)
{
    if (count == 0)
        return 0;
    struct slab_load load = {.slabs = context, .slab = slabs, .count = count};
    load.slabs->entries += count * slab_words(shape->pieces) * 64;
    const struct material material = slab_material(shape);
    bool flip;
    TRY(find_any(context, &material, &load.bulk, &flip));
    // A table with the same men on both sides stores White to move only.
    const bool flipped = table_info(load.bulk)->symmetric ? side == BLACK : flip;
    load.file_side = side ^ (flipped ? 1 : 0);
    int code_bits = 0;
    while (code_bits < MATE_CODE_BITS && slabs[0].code[code_bits] != NULL)
        code_bits++;
    enum table_reading reading[TABLE_READINGS_MAX];
    const int readings = table_readings(load.bulk, load.file_side, code_bits, reading);
    for (int i = 0; i < readings; i++)
        TRY(load_reading(&load, shape, flipped, reading[i]));
    return 0;
}

struct slab_source stored_slabs_source(struct stored_slabs *slabs)
{
    return (struct slab_source){.context = slabs,
                                .look = look_stored,
                                .load = load_stored,
                                .longest = slabs->metric != METRIC_DTZ ? look_longest : NULL};
}

void stored_slabs_close(struct stored_slabs *slabs)
{
    drop_all(slabs);
    for (size_t i = 0; i < slabs->tables; i++)
        table_close(slabs->table[i].bulk);
    free(slabs->table);
    free(slabs->section);
    *slabs = (struct stored_slabs){slabs->folders, slabs->pool, slabs->cache_bytes, .metric = slabs->metric};
}
