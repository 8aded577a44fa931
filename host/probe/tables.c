// tables.c - a set of tables and Syzygy files, opened when first needed and found by material
#include "probe/tables.h"

#include "table/block_cache.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // Materials of 3 to 8 men, with colours told apart: 1 to 6 men of 10 kinds besides the kings make C(16, 6) - 1 =
    // 8007. Twice as many slots keep searches short, and they never fill up.
    SLOTS = 16384,
    CACHE_BYTES = 256 << 20,
    TABLE_PATH_MAX = 4096,
    AGAIN_S = 1
};

// A material in its colours, and its source. Of an entry that is published only `again` changes, until a later entry
// takes its place.
struct entry {
    uint64_t key;         // material_key()
    struct source source; // not open: missing or broken
    bool owner;           // this entry closes the source; the one with the colours flipped does not
    int code;             // why there is no source
    char *sentence;       // the same in words
    _Atomic double again; // when to look again
    struct entry *next;   // in the list of all
};

struct cltb_tables {
    char *folders;             // as given
    bool syzygy_first;         //
    bool looks_again;          //
    struct block_cache *cache; //
    pthread_mutex_t lock;      // for opening
    struct entry *all;         // under the lock
    struct tables_kept kept;   //
    _Atomic(struct entry *) slot[SLOTS];
};

// The numbers of men, 4 bits each; the top four bits are the metric.
static uint64_t material_key(const uint8_t count[COLOURS][PIECE_TYPES], enum metric metric)
{
    const uint8_t *bytes = &count[0][0];
    uint64_t first;
    uint32_t rest;
    _Static_assert(sizeof first + sizeof rest == COLOURS * PIECE_TYPES, "they are read in two parts");
    memcpy(&first, bytes, sizeof first);
    memcpy(&rest, bytes + sizeof first, sizeof rest);
    return first | (uint64_t)rest << 4 | (uint64_t)metric << 60;
}

static uint64_t key_of(const struct material *material)
{
    return material_key(material->count, (enum metric)material->metric);
}

static size_t first_slot(uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 50); // the top 14 bits
}

_Static_assert(SLOTS == 1 << 14, "first_slot() gives 14 bits");
_Static_assert(MATERIAL_MEN_MAX < 16, "a count must fit four bits of the key");

static struct entry *entry_find(cltb_tables *tables, uint64_t key)
{
    for (size_t i = first_slot(key);; i = (i + 1) % SLOTS) {
        struct entry *entry = atomic_load_explicit(&tables->slot[i], memory_order_acquire);
        if (entry == NULL || entry->key == key)
            return entry;
    }
}

// Is this the answer to lookups for now?
static bool is_settled(const cltb_tables *tables, struct entry *entry)
{
    return entry != NULL && (entry->code == 0 || !tables->looks_again || wall_seconds() < atomic_load(&entry->again));
}

static void settle(struct entry *entry)
{
    atomic_store(&entry->again, wall_seconds() + AGAIN_S);
}

int tables_missing(const char *folders, const char *files, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    char first[TABLE_PATH_MAX];
    const bool several = strchr(files, ',') != NULL;
    material_name(material, name);
    if (material_men(material) > 6)
        return error_set(CLTB_E_MISSING, "no table%s %s in '%s'; %d men take days to build: cltb build %s -n estimates",
                         several ? "s" : "", files, folders, material_men(material), name);
    return error_set(CLTB_E_MISSING, "no table%s %s in '%s'; build %s with: cltb build %s --dir %s", several ? "s" : "",
                     files, folders, several ? "them" : "it", name, folders_first(first, sizeof first, folders));
}

// Opens the source of a material in standard colours.
static int open_material(const cltb_tables *tables, const struct material *material, struct source *source)
{
    char path[TABLE_PATH_MAX];
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + sizeof ".cltb"];
    if (source_find(path, sizeof path, tables->folders, material))
        return source_open(source, tables->folders, material, tables->syzygy_first, tables->cache);
    snprintf(file, sizeof file, "%s.cltb", material_name(material, name));
    return tables_missing(tables->folders, file, material);
}

// Publishes a source, or the reason why there is none. Call it under the lock.
static int entry_add(cltb_tables *tables, const struct material *material, struct source source, bool owner, int code)
{
    struct entry *entry = calloc(1, sizeof *entry);
    char *sentence = code != 0 ? strdup(error_text()) : NULL;
    if (entry == NULL || (code != 0 && sentence == NULL)) {
        free(entry);
        free(sentence);
        return error_memory(sizeof *entry, "a table's entry");
    }
    *entry = (struct entry){key_of(material), source, owner, code, sentence, 0, tables->all};
    settle(entry);
    size_t i = first_slot(entry->key);
    for (struct entry *old; (old = atomic_load_explicit(&tables->slot[i], memory_order_relaxed)) != NULL;) {
        if (old->key == entry->key)
            break;
        i = (i + 1) % SLOTS;
    }
    tables->all = entry;
    atomic_store_explicit(&tables->slot[i], entry, memory_order_release);
    return 0;
}

// Publishes the source of a material in standard colours, or the reason why there is none, for the colours as they are
// and flipped. Call it under the lock.
static int add_material(cltb_tables *tables, const struct material *material, struct source source, int code)
{
    const int added = entry_add(tables, material, source, true, code);
    if (added != 0) {
        source_close(&source);
        return added;
    }
    if (material_symmetric(material))
        return 0;
    struct material flipped = *material;
    memcpy(flipped.count[WHITE], material->count[BLACK], sizeof flipped.count[WHITE]);
    memcpy(flipped.count[BLACK], material->count[WHITE], sizeof flipped.count[BLACK]);
    return entry_add(tables, &flipped, source, false, code);
}

// Opens the source of a material in standard colours, and publishes it, unless it is as missing or broken as the `old`
// entry says. Call it under the lock.
static int load(cltb_tables *tables, const struct material *material, struct entry *old)
{
    struct source source = {.table = NULL};
    const int code = open_material(tables, material, &source);
    if (code == CLTB_E_MEMORY || code == CLTB_E_IO)
        return code; // next time there may be memory or file descriptors, or the disk may answer
    if (old != NULL && old->code == code) {
        settle(old);
        return 0;
    }
    return add_material(tables, material, source, code);
}

int tables_add_file(cltb_tables *tables, const struct material *material, const char *path)
{
    struct source source = {.table = NULL};
    TRY(table_open(&source.table, path, tables->cache));
    pthread_mutex_lock(&tables->lock);
    const int code = add_material(tables, material, source, 0);
    pthread_mutex_unlock(&tables->lock);
    return code;
}

static int answer(const struct entry *entry, const struct source **source)
{
    *source = &entry->source;
    return entry->code == 0 ? 0 : error_set(entry->code, "%s", entry->sentence);
}

int tables_find_material(cltb_tables *tables, const struct material *material, const struct source **source)
{
    const uint64_t key = key_of(material);
    struct entry *entry = entry_find(tables, key);
    if (is_settled(tables, entry))
        return answer(entry, source);
    struct material standard = *material;
    material_normalise(&standard);
    pthread_mutex_lock(&tables->lock);
    entry = entry_find(tables, key); // another thread may have been faster
    const int code = is_settled(tables, entry) ? 0 : load(tables, &standard, entry);
    entry = entry_find(tables, key);
    pthread_mutex_unlock(&tables->lock);
    return code != 0 ? code : answer(entry, source);
}

int tables_find_table(cltb_tables *tables, const struct material *material, struct table **table)
{
    const struct source *source;
    TRY(tables_find_material(tables, material, &source));
    *table = source->table;
    if (*table != NULL)
        return 0;
    char name[MATERIAL_NAME_MAX];
    return error_set(CLTB_E_MISSING, "%s exists only as Syzygy files, which this command does not read",
                     material_name(material, name));
}

static int find(cltb_tables *tables, const struct position *position, const struct source **source, bool silent)
{
    struct entry *entry = entry_find(tables, material_key(position->count, METRIC_DTZ));
    if (is_settled(tables, entry)) {
        *source = &entry->source;
        return silent ? entry->code : answer(entry, source);
    }
    const struct material material = material_of(position);
    return tables_find_material(tables, &material, source);
}

int tables_find(cltb_tables *tables, const struct position *position, const struct source **source)
{
    return find(tables, position, source, false);
}

int tables_find_silently(cltb_tables *tables, const struct position *position, const struct source **source)
{
    return find(tables, position, source, true);
}

// Can the source of a material in standard colours be used? 0, or the reason why not, as probing would find it.
static int try_material(cltb_tables *tables, const struct material *material)
{
    struct source source = {.table = NULL};
    const struct source *found;
    struct entry *entry = entry_find(tables, key_of(material));
    if (is_settled(tables, entry))
        return answer(entry, &found);
    TRY(open_material(tables, material, &source));
    source_close(&source);
    return 0;
}

int cltb_has_table(cltb_tables *tables, const char *name)
{
    struct material material;
    TRY(error_null(tables, name, name));
    TRY(material_parse(&material, name, NULL));
    const int code = try_material(tables, &material);
    return code == 0 ? 1 : code == CLTB_E_MISSING ? 0 : code;
}

static int visit_material(void *context, const struct material *material)
{
    return try_material(context, material);
}

int cltb_complete_men(cltb_tables *tables)
{
    TRY(error_null(tables, tables, tables));
    for (int men = 3; men <= MATERIAL_MEN_MAX; men++) {
        const int code = material_each(men, visit_material, tables);
        if (code != 0)
            return code == CLTB_E_IO || code == CLTB_E_MEMORY ? code : men - 1;
    }
    return MATERIAL_MEN_MAX;
}

void tables_look_again(cltb_tables *tables)
{
    tables->looks_again = true;
}

void tables_prefer_syzygy(cltb_tables *tables)
{
    tables->syzygy_first = true;
}

struct tables_kept *tables_kept(cltb_tables *tables)
{
    return &tables->kept;
}

const char *tables_folders(const cltb_tables *tables)
{
    return tables->folders;
}

int cltb_open(cltb_tables **result, const char *folders, const cltb_options *options)
{
    TRY(error_null(result, result, result));
    *result = NULL;
    if (folders == NULL || folders[strspn(folders, OS_LIST)] == '\0')
        return error_set(CLTB_E_USAGE, "no folder of tables given");
    cltb_tables *tables = calloc(1, sizeof *tables);
    char *copy = strdup(folders);
    if (tables == NULL || copy == NULL) {
        free(tables);
        free(copy);
        return error_memory(sizeof *tables, "a set of tables");
    }
    size_t bytes = options != NULL && options->cache_bytes > 0 ? options->cache_bytes : (size_t)CACHE_BYTES;
    int code = block_cache_open(&tables->cache, bytes);
    if (code != 0) {
        free(tables);
        free(copy);
        return code;
    }
    tables->folders = copy;
    pthread_mutex_init(&tables->lock, NULL);
    pthread_mutex_init(&tables->kept.lock, NULL);
    *result = tables;
    return 0;
}

void cltb_close(cltb_tables *tables)
{
    if (tables == NULL)
        return;
    if (tables->kept.kept != NULL)
        tables->kept.free(tables->kept.kept);
    block_cache_empty(tables->cache);
    for (struct entry *entry = tables->all; entry != NULL;) {
        struct entry *next = entry->next;
        if (entry->owner)
            source_close(&entry->source);
        free(entry->sentence);
        free(entry);
        entry = next;
    }
    block_cache_close(tables->cache);
    pthread_mutex_destroy(&tables->kept.lock);
    pthread_mutex_destroy(&tables->lock);
    free(tables->folders);
    free(tables);
}
