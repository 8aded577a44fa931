// bases.c - finds and opens the futurebases of a restricted endgame
//
// A leaving move changes the material in few ways: not at all (a man steps out of its set), by a capture, by a
// promotion, by both. For each of them it is settled here which futurebases have the material, so that a move's
// look-up tries only those.
#include "restricted/bases.h"

#include "chess/attacks.h"
#include "probe/tables.h"
#include "table/container.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/folders.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE_BYTES ((size_t)512 << 20) // of all restricted futurebases together; not taken before it is needed

// ---- materials ----

static struct material material_of_spec(const struct spec *spec)
{
    struct material material = {{{0}}};
    for (int i = 0; i < spec->men; i++)
        material.count[spec->man[i].colour][spec->man[i].type]++;
    return material;
}

static struct material exchanged(const struct material *material)
{
    struct material result;
    memcpy(result.count[WHITE], material->count[BLACK], sizeof result.count[WHITE]);
    memcpy(result.count[BLACK], material->count[WHITE], sizeof result.count[BLACK]);
    return result;
}

// The material after a move of `side` that captures and promotes so (KING: neither). False: there is no such move.
static bool material_after(const struct spec *spec, int side, int captured, int promoted, struct material *material)
{
    *material = material_of_spec(spec);
    if (captured != KING) {
        if (material->count[side ^ 1][captured] == 0 || (promoted != KING && captured == PAWN))
            return false;
        material->count[side ^ 1][captured]--;
    }
    if (promoted != KING) {
        if (material->count[side][PAWN] == 0)
            return false;
        material->count[side][PAWN]--;
        material->count[side][promoted]++;
    }
    return true;
}

// Can a man step out of its set, neither capturing nor promoting?
static bool may_step_out(const struct spec_man *man)
{
    if (man->type != PAWN)
        return man->squares != UINT64_MAX;
    const bool white = man->colour == WHITE;
    const uint64_t home = man->squares & (white ? RANK_1 << 8 : RANK_8 >> 8);
    const uint64_t one = white ? man->squares << 8 & ~RANK_8 : man->squares >> 8 & ~RANK_1;
    const uint64_t two = white ? home << 16 : home >> 16;
    return ((one | two) & ~man->squares) != 0;
}

static bool any_steps_out(const struct spec *spec, int side)
{
    for (int i = 0; i < spec->men; i++) {
        if (spec->man[i].colour == side && may_step_out(&spec->man[i]))
            return true;
    }
    return false;
}

static void set_common(struct restricted_bases *bases, const struct spec *spec)
{
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        bases->common[man->colour][man->type] = man->squares;
    }
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        if (bases->common[man->colour][man->type] != man->squares)
            bases->common[man->colour][man->type] = 0;
    }
}

// Enters a base wherever its material comes up. False: nowhere. With `both`, in either order of colours.
static bool enter(struct restricted_bases *bases, const struct spec *spec, int number, const struct material *has,
                  bool both)
{
    const struct material other = exchanged(has);
    bool any = false;
    for (int side = WHITE; side <= BLACK; side++) {
        for (int captured = KING; captured <= PAWN; captured++) {
            for (int promoted = KING; promoted <= KNIGHT; promoted++) {
                struct material after;
                if (!material_after(spec, side, captured, promoted, &after) ||
                    (captured == KING && promoted == KING && !any_steps_out(spec, side)))
                    continue;
                if (!material_equal(&after, has) && !(both && material_equal(&after, &other)))
                    continue;
                bases->serving[side][captured][promoted] |= UINT64_C(1) << number;
                any = true;
            }
        }
    }
    return any;
}

static int cannot_serve(const struct spec *spec, const char *path, const struct material *has, const char *hint)
{
    char name[SPEC_NAME_MAX];
    char material[MATERIAL_NAME_MAX];
    spec_name(spec, name);
    return error_set(CLTB_E_USAGE, "futurebase %s has %s, which no move out of %s leads to%s", path,
                     material_name(has, material), name, hint);
}

// ---- files ----

// As given, else in the first folder that has it. *listed: in a folder.
static int locate(const char *folders, const char *file, char path[PATH_MAX], bool *listed)
{
    *listed = false;
    if (snprintf(path, PATH_MAX, "%s", file) < PATH_MAX && access(path, F_OK) == 0)
        return 0;
    *listed = true;
    if (file[0] != '/' && folders_find(path, PATH_MAX, folders, file))
        return 0;
    return error_set(CLTB_E_MISSING, "futurebase %s: there is no such file, neither as given nor in '%s'", file,
                     folders);
}

// A set whose first folder is that of a file; one for all files of a folder.
static int open_set(struct restricted_bases *bases, struct restricted_base *base, const char *path)
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    const size_t size = (size_t)length + strlen(bases->folder_names) + 2;
    if (memchr(path, ':', (size_t)length) != NULL && slash != NULL)
        return error_set(CLTB_E_USAGE, "futurebase %s: a folder of tables cannot have ':' in its name", path);
    char *folders = malloc(size);
    if (folders == NULL)
        return error_memory(size, "the name of a folder");
    snprintf(folders, size, "%.*s:%s", length, slash == NULL ? "." : path, bases->folder_names);
    for (const struct restricted_base *other = bases->base; other < base && base->set == NULL; other++) {
        if (other->owner && strcmp(other->folder, folders) == 0)
            base->set = other->set;
    }
    if (base->set != NULL) {
        free(folders);
        return 0;
    }
    const int code = cltb_open(&base->set, folders, NULL);
    if (code != 0) {
        free(folders);
        return code;
    }
    base->owner = true;
    base->folder = folders;
    return 0;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

// Probing finds full tables by their names.
static int check_file_name(const char *path, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    const char *file = file_name(path);
    const size_t length = strlen(material_name(material, name));
    if (strncmp(file, name, length) == 0 && strcmp(file + length, ".cltb") == 0)
        return 0;
    return error_set(CLTB_E_USAGE, "futurebase %s is the full table %s under another name; call it %s.cltb", path, name,
                     name);
}

static int open_full(struct restricted_bases *bases, const struct spec *spec, const char *path, bool listed,
                     const char *material_text)
{
    struct restricted_base *base = &bases->base[bases->count];
    struct material material;
    struct table *table;
    TRY(material_parse(&material, material_text, NULL));
    TRY(check_file_name(path, &material));
    if (listed && bases->folders != NULL)
        base->set = bases->folders;
    else
        TRY(open_set(bases, base, path));
    TRY(tables_find_material(base->set, &material, &table));
    if (!enter(bases, spec, bases->count, &material, true))
        return cannot_serve(spec, path, &material, "");
    return 0;
}

static int open_restricted(struct restricted_bases *bases, const struct spec *spec, const char *path, bool invert)
{
    struct restricted_base *base = &bases->base[bases->count];
    char ours[SPEC_NAME_MAX];
    char theirs[SPEC_NAME_MAX];
    TRY(restricted_table_open(&base->table, path, CACHE_BYTES / (size_t)spec->futurebases));
    base->invert = invert;
    const struct spec *its = restricted_table_spec(base->table);
    const struct material stored = material_of_spec(its);
    const struct material other = exchanged(&stored);
    spec_name(spec, ours);
    spec_name(its, theirs);
    if (!invert && strcmp(ours, theirs) == 0)
        return error_set(CLTB_E_USAGE, "futurebase %s is the endgame %s itself: no move out of it leads there", path,
                         ours);
    if (enter(bases, spec, bases->count, invert ? &other : &stored, false))
        return 0;
    const bool turned = enter(bases, spec, bases->count, invert ? &stored : &other, false);
    return cannot_serve(spec, path, invert ? &other : &stored,
                        !turned  ? ""
                        : invert ? "; it would without exchanged colours"
                                 : "; it would with exchanged colours (colors=\"invert\")");
}

static int open_file(struct restricted_bases *bases, const struct spec *spec, const struct spec_futurebase *given)
{
    char path[PATH_MAX];
    char value[64];
    struct container *container;
    bool listed;
    TRY(locate(bases->folder_names, given->file, path, &listed));
    TRY(container_open(&container, path));
    const char *text = container_text(container);
    const bool restricted = property_text(text, "restricted", value, sizeof value);
    const bool full = !restricted && property_text(text, "material", value, sizeof value);
    int code = property_check_game(text, "chess", path);
    if (code == 0 && !restricted && !full)
        code = error_set(CLTB_E_CORRUPT, "%s is not a valid table: it does not say of which endgame", path);
    container_close(container);
    if (code == 0)
        code = restricted ? open_restricted(bases, spec, path, given->invert)
                          : open_full(bases, spec, path, listed, value);
    return code;
}

// Is our futurebase also one of another spec, whose colours are exchanged with `turned`? Files are told by their names.
static bool is_listed(const struct spec *other, bool turned, const struct spec_futurebase *ours, bool full)
{
    for (int i = 0; i < other->futurebases; i++) {
        const struct spec_futurebase *its = &other->futurebase[i];
        if (strcmp(file_name(its->file), file_name(ours->file)) == 0 &&
            (full || (its->invert != turned) == ours->invert))
            return true;
    }
    return false;
}

static void find_shared(struct restricted_bases *bases, const struct spec *spec)
{
    for (int i = 0; i < bases->count; i++) {
        struct restricted_base *base = &bases->base[i];
        for (int j = 0; base->table != NULL && j < bases->count; j++) {
            if (is_listed(restricted_table_spec(base->table), base->invert, &spec->futurebase[j],
                          bases->base[j].table == NULL))
                base->shared |= UINT64_C(1) << j;
        }
    }
}

static int open_files(struct restricted_bases *bases, const struct spec *spec)
{
    for (int i = 0; i < spec->futurebases; i++) {
        const int code = open_file(bases, spec, &spec->futurebase[i]);
        bases->count++;
        if (code != 0)
            return strncmp(error_text(), "futurebase ", 11) == 0 ? code : error_prefix(code, "futurebase");
    }
    find_shared(bases, spec);
    return 0;
}

// ---- all of them ----

static bool names_a_folder(const char *folders)
{
    return folders[strspn(folders, ":")] != '\0';
}

static int open_all(struct restricted_bases *bases, const struct spec *spec, const char *folders)
{
    if (folders == NULL)
        folders = "";
    bases->folder_names = strdup(folders);
    if (bases->folder_names == NULL)
        return error_memory(strlen(folders), "the names of folders");
    set_common(bases, spec);
    if (names_a_folder(folders))
        TRY(cltb_open(&bases->folders, folders, NULL));
    return open_files(bases, spec);
}

int restricted_bases_open(struct restricted_bases **result, const struct spec *spec, const char *folders)
{
    *result = NULL;
    struct restricted_bases *bases = calloc(1, sizeof *bases);
    if (bases == NULL)
        return error_memory(sizeof *bases, "futurebases");
    const int code = open_all(bases, spec, folders);
    if (code != 0) {
        restricted_bases_close(bases);
        return code;
    }
    *result = bases;
    return 0;
}

void restricted_bases_close(struct restricted_bases *bases)
{
    if (bases == NULL)
        return;
    for (int i = 0; i < bases->count; i++) {
        restricted_table_close(bases->base[i].table);
        if (bases->base[i].owner)
            cltb_close(bases->base[i].set);
        free(bases->base[i].folder);
    }
    cltb_close(bases->folders);
    free(bases->folder_names);
    free(bases);
}
