// bases.c - finds and opens the futurebases of a restricted endgame, and finds the one that has a position
//
// A leaving move changes the material in few ways: not at all (a man steps out of its set), by a capture, by a
// promotion, or by both. For each way the futurebases that have the resulting material are found once, so that the
// look-up of a move tries only those.
#include "restricted/bases.h"

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/notation.h"
#include "probe/tables.h"
#include "table/container.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_BYTES ((size_t)512 << 20) // of all restricted futurebases together; taken only when needed

// ---- materials ----

static struct material material_of_spec(const struct spec *spec)
{
    struct material material = {.metric = METRIC_DTZ};
    for (int i = 0; i < spec->men; i++)
        material.count[spec->man[i].colour][spec->man[i].type]++;
    return material;
}

static struct material flipped(const struct material *material)
{
    struct material result = {.metric = material->metric};
    memcpy(result.count[WHITE], material->count[BLACK], sizeof result.count[WHITE]);
    memcpy(result.count[BLACK], material->count[WHITE], sizeof result.count[BLACK]);
    return result;
}

bool restricted_material_after(const struct spec *spec, int side, int captured, int promoted, struct material *material)
{
    *material = material_of_spec(spec);
    if (captured == KING && promoted == KING) { // a man leaves its set
        bool any = false;
        for (int i = 0; i < spec->men; i++) {
            const uint64_t squares = spec->man[i].squares;
            uint64_t targets = UINT64_MAX;
            if (spec->man[i].type == PAWN && side == WHITE)
                targets = (squares << 8 & ~RANK_8) | (squares & RANK_1 << 8) << 16;
            else if (spec->man[i].type == PAWN)
                targets = (squares >> 8 & ~RANK_1) | (squares & RANK_8 >> 8) >> 16;
            any |= spec->man[i].colour == side && (targets & ~squares) != 0;
        }
        return any;
    }
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

// Enters a base for each kind of move that can lead to its material; with `both`, also with flipped colours. Returns
// false if there is no such move.
static bool enter(struct restricted_bases *bases, const struct spec *spec, int number, const struct material *has,
                  bool both)
{
    const struct material other = flipped(has);
    bool any = false;
    for (int side = WHITE; side <= BLACK; side++) {
        for (int captured = KING; captured <= PAWN; captured++) {
            for (int promoted = KING; promoted <= KNIGHT; promoted++) {
                struct material after;
                if (!restricted_material_after(spec, side, captured, promoted, &after) ||
                    (!material_equal(&after, has) && !(both && material_equal(&after, &other))))
                    continue;
                bases->serving[side][captured][promoted] |= UINT64_C(1) << number;
                any = true;
            }
        }
    }
    return any;
}

// ---- files ----

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static int open_full(struct restricted_bases *bases, const struct spec *spec, const char *path, bool listed,
                     const char *material_text)
{
    struct restricted_base *base = &bases->base[bases->count];
    struct material material;
    const struct source *source;
    TRY(material_parse(&material, material_text, NULL));
    // Probing finds full tables by their names.
    char name[MATERIAL_NAME_MAX];
    const char *file = file_name(path);
    const size_t name_length = strlen(material_name(&material, name));
    if (strncmp(file, name, name_length) != 0 || strcmp(file + name_length, ".cltb") != 0)
        return error_set(CLTB_E_USAGE, "futurebase %s is the full table %s under another name; call it %s.cltb", path,
                         name, name);
    if (listed)
        base->set = bases->folders;
    // Otherwise open the tables of the file's folder and of the other folders: one set for all files of a folder.
    if (base->set == NULL) {
        const char *folder = file == path ? "." : path;
        const int length = file <= path + 1 ? 1 : (int)(file - path) - 1;
        const size_t size = (size_t)length + strlen(bases->folder_names) + 2;
        if (memchr(folder, *OS_LIST, (size_t)length) != NULL)
            return error_set(CLTB_E_USAGE, "futurebase %s: a folder of tables cannot have '" OS_LIST "' in its name",
                             path);
        base->folder = malloc(size);
        if (base->folder == NULL)
            return error_memory(size, "the name of a folder");
        snprintf(base->folder, size, "%.*s" OS_LIST "%s", length, folder, bases->folder_names);
        for (const struct restricted_base *other = bases->base; other < base; other++) {
            if (other->owner && strcmp(other->folder, base->folder) == 0)
                base->set = other->set;
        }
    }
    if (base->set == NULL) {
        TRY(cltb_open(&base->set, base->folder, NULL));
        base->owner = true;
    }
    TRY(tables_find_material(base->set, &material, &source));
    if (!enter(bases, spec, bases->count, &material, true))
        bases->idle |= UINT64_C(1) << bases->count;
    return 0;
}

static int open_restricted(struct restricted_bases *bases, const struct spec *spec, const char *path, bool invert)
{
    struct restricted_base *base = &bases->base[bases->count];
    char ours[SPEC_NAME_MAX];
    char theirs[SPEC_NAME_MAX];
    TRY(restricted_table_open(&base->table, path, CACHE_BYTES / (size_t)spec->futurebases));
    base->invert = invert;
    const struct spec *its = &base->table->index.spec;
    const struct material stored = material_of_spec(its);
    const struct material other = flipped(&stored);
    spec_name(spec, ours);
    spec_name(its, theirs);
    if (!invert && strcmp(ours, theirs) == 0)
        return error_set(CLTB_E_USAGE, "futurebase %s is the endgame %s itself: no move out of it leads there", path,
                         ours);
    if (enter(bases, spec, bases->count, invert ? &other : &stored, false))
        return 0;
    const bool otherwise = enter(bases, spec, bases->count, invert ? &stored : &other, false);
    char material[MATERIAL_NAME_MAX];
    return error_set(CLTB_E_USAGE, "futurebase %s has %s, which no move out of %s leads to%s", path,
                     material_name(invert ? &other : &stored, material), ours,
                     !otherwise ? ""
                     : invert   ? "; it would without flipped colours"
                                : "; it would with flipped colours (colors=\"invert\")");
}

static int no_such_file(const struct restricted_bases *bases, const char *file)
{
    return error_set(CLTB_E_MISSING, "futurebase %s: there is no such file, neither as given nor in '%s'", file,
                     bases->folder_names);
}

static void close_set(struct restricted_base *base)
{
    if (base->owner)
        cltb_close(base->set);
    free(base->folder);
    base->set = NULL;
    base->folder = NULL;
    base->owner = false;
}

// Opens Syzygy files in place of a full table that is missing, from its folder or one of the other folders.
static int open_syzygy(struct restricted_bases *bases, const struct spec *spec, const char *file)
{
    struct restricted_base *base = &bases->base[bases->count];
    struct material material;
    char name[MATERIAL_NAME_MAX];
    if (!material_of_file(&material, file, ".cltb"))
        return no_such_file(bases, file);
    const int code = open_full(bases, spec, file, false, material_name(&material, name));
    if (code != CLTB_E_MISSING)
        return code;
    close_set(base);
    return no_such_file(bases, file);
}

static int open_file(struct restricted_bases *bases, const struct spec *spec, const struct spec_futurebase *given)
{
    char path[PATH_MAX];
    char value[64];
    struct container *container;
    bool listed = false; // found in one of the folders rather than at the given path
    if (snprintf(path, PATH_MAX, "%s", given->file) >= PATH_MAX || access(path, F_OK) != 0) {
        listed = given->file[0] != '/' && folders_find(path, PATH_MAX, bases->folder_names, given->file);
        if (!listed)
            return open_syzygy(bases, spec, given->file);
    }
    TRY(container_open(&container, path));
    const char *text = container_text(container);
    const bool restricted = property_text(text, "restricted", value, sizeof value);
    const bool full = !restricted && property_text(text, "material", value, sizeof value);
    int code = property_check_game(text, "chess", path);
    if (code == 0 && !restricted && !full)
        code = error_set(CLTB_E_CORRUPT, "%s is not a valid table: it does not say of which endgame", path);
    container_close(container);
    TRY(code);
    return restricted ? open_restricted(bases, spec, path, given->invert) : open_full(bases, spec, path, listed, value);
}

// A missing file may have any position, unless its name gives its material.
static void enter_missing(struct restricted_bases *bases, const struct spec *spec, const char *file)
{
    struct material material;
    bases->base[bases->count].missing = file;
    if (material_of_file(&material, file, ".cltb"))
        enter(bases, spec, bases->count, &material, true);
    else
        bases->unknown |= UINT64_C(1) << bases->count;
}

static int open_all(struct restricted_bases *bases, const struct spec *spec, const char *folders, bool all)
{
    bases->folder_names = strdup(folders);
    if (bases->folder_names == NULL)
        return error_memory(strlen(folders), "the names of folders");
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        const bool first = i == 0 || man[-1].colour != man->colour || man[-1].type != man->type;
        uint64_t *common = &bases->common[man->colour][man->type];
        *common = first || *common == man->squares ? man->squares : 0;
    }
    if (folders[strspn(folders, OS_LIST)] != '\0')
        TRY(cltb_open(&bases->folders, folders, NULL));
    for (int i = 0; i < spec->futurebases; i++) {
        int code = open_file(bases, spec, &spec->futurebase[i]);
        if (code == CLTB_E_MISSING && !all) {
            enter_missing(bases, spec, spec->futurebase[i].file);
            code = 0;
        }
        bases->count++;
        if (code != 0)
            return strncmp(error_text(), "futurebase ", 11) == 0 ? code : error_prefix(code, "futurebase");
    }
    // Which of our bases are also futurebases of one of our restricted tables? Files are recognised by their names.
    for (struct restricted_base *base = bases->base; base < bases->base + bases->count; base++) {
        const struct spec *other = base->table != NULL ? &base->table->index.spec : NULL;
        for (int i = 0; other != NULL && i < other->futurebases; i++) {
            const struct spec_futurebase *its = &other->futurebase[i];
            for (int j = 0; j < bases->count; j++) {
                const struct spec_futurebase *ours = &spec->futurebase[j];
                if (strcmp(file_name(its->file), file_name(ours->file)) == 0 &&
                    (bases->base[j].table == NULL || (its->invert != base->invert) == ours->invert))
                    base->shared |= UINT64_C(1) << j;
            }
        }
    }
    return 0;
}

int restricted_bases_open(struct restricted_bases **result, const struct spec *spec, const char *folders, bool all)
{
    *result = NULL;
    struct restricted_bases *bases;
    TRY(memory_new(&bases, 1, sizeof *bases, "futurebases"));
    const int code = open_all(bases, spec, folders != NULL ? folders : "", all);
    if (code != 0)
        restricted_bases_close(bases);
    else
        *result = bases;
    return code;
}

void restricted_bases_close(struct restricted_bases *bases)
{
    if (bases == NULL)
        return;
    for (int i = 0; i < bases->count; i++) {
        restricted_table_close(bases->base[i].table);
        close_set(&bases->base[i]);
    }
    cltb_close(bases->folders);
    free(bases->folder_names);
    free(bases);
}

int restricted_bases_serves(const struct spec *spec, const struct spec_futurebase *file, const char *folders,
                            bool *serves)
{
    struct restricted_bases *bases = calloc(1, sizeof *bases);
    if (bases == NULL || (bases->folder_names = strdup(folders)) == NULL) {
        free(bases);
        return error_memory(sizeof *bases, "futurebases");
    }
    const int code = open_file(bases, spec, file);
    *serves = code == 0 && bases->idle == 0;
    bases->count = 1;
    restricted_bases_close(bases);
    return code == CLTB_E_USAGE ? 0 : code;
}

// ---- which full tables are needed ----

// Do prune rules match all moves of `side` with this capture and promotion (KING: none)?
static bool all_pruned(const struct spec *spec, int side, int captured, int promoted)
{
    for (const struct spec_man *man = spec->man; man < spec->man + spec->men; man++) {
        const int targets = captured == KING && promoted == KING ? SQUARES : 1;
        for (int to = 0; to < targets; to++) {
            if (man->colour == side && (promoted == KING || man->type == PAWN) &&
                spec_rule_for(spec, side, man->type, captured, promoted, to) < 0)
                return false;
        }
    }
    return true;
}

static bool may_promote(const struct spec *spec, int side)
{
    const uint64_t last = side == WHITE ? RANK_8 >> 8 : RANK_1 << 8;
    for (const struct spec_man *man = spec->man; man < spec->man + spec->men; man++)
        if (man->colour == side && man->type == PAWN && (man->squares & last) != 0)
            return true;
    return false;
}

// Bare kings, alone or with one bishop or knight, are a draw whether there is a table or not.
bool restricted_is_drawn(const struct material *material)
{
    const int minor = material->count[WHITE][BISHOP] + material->count[BLACK][BISHOP] + material->count[WHITE][KNIGHT] +
                      material->count[BLACK][KNIGHT];
    return material_men(material) == 2 || (material_men(material) == 3 && minor == 1);
}

int restricted_bases_needed(const struct restricted_bases *bases, const struct spec *spec,
                            struct restricted_needed needed[RESTRICTED_NEEDED_MAX])
{
    int count = 0;
    for (int i = 0; i < COLOURS * PIECE_TYPES * PIECE_TYPES; i++) {
        const int side = i / (PIECE_TYPES * PIECE_TYPES);
        const int captured = i / PIECE_TYPES % PIECE_TYPES;
        const int promoted = i % PIECE_TYPES;
        struct material after;
        const struct source *source;
        if (promoted == PAWN || !restricted_material_after(spec, side, captured, promoted, &after) ||
            (promoted != KING && !may_promote(spec, side)) || bases->serving[side][captured][promoted] != 0 ||
            all_pruned(spec, side, captured, promoted) || restricted_is_drawn(&after) ||
            material_men(&after) > MATERIAL_MEN_MAX)
            continue;
        material_normalise(&after);
        int same = 0;
        while (same < count && !material_equal(&needed[same].material, &after))
            same++;
        if (same < count)
            continue;
        const int code =
            bases->folders == NULL ? CLTB_E_MISSING : tables_find_material(bases->folders, &after, &source);
        if (code != 0 && code != CLTB_E_MISSING)
            return code;
        needed[count++] = (struct restricted_needed){after, code == 0};
    }
    return count;
}

// ---- which of them has a position ----

int restricted_flip(struct position *flip, const struct position *p)
{
    struct man men[2 * MEN_PER_SIDE_MAX];
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            for (int i = 0; i < p->count[colour][type]; i++)
                men[count++] = (struct man){(uint8_t)type, (uint8_t)(colour ^ 1), p->list[colour][type][i] ^ 56};
        }
    }
    TRY(position_set(flip, men, count, p->side ^ 1));
    return p->en_passant == NO_SQUARE ? 0 : position_set_en_passant(flip, p->en_passant ^ 56);
}

uint64_t restricted_bases_serving(const struct restricted_bases *bases, const struct position *p, uint32_t move)
{
    const int captured = move_is_capture(move) ? piece_type(move_captured(move)) : KING;
    const int promoted = move_promoted(move) != EMPTY ? piece_type(move_promoted(move)) : KING;
    return bases->serving[p->side][captured][promoted] | bases->unknown;
}

int restricted_bases_find(const struct restricted_bases *bases, uint64_t which, const struct position *p, uint32_t move,
                          const struct position *after, struct restricted_cover *cover)
{
    *cover = (struct restricted_cover){.found = false};
    uint64_t serving = restricted_bases_serving(bases, p, move) & which;
    for (; serving != 0 && !cover->found; serving &= serving - 1) {
        const struct restricted_base *base = &bases->base[__builtin_ctzll(serving)];
        const struct position *at = after;
        struct position flip;
        if (base->missing != NULL)
            return no_such_file(bases, base->missing);
        if (base->table == NULL) {
            cover->set = base->set;
            cover->found = true;
            return 0;
        }
        if (base->invert) {
            TRY(restricted_flip(&flip, after));
            at = &flip;
        }
        cover->found = restricted_find(&base->table->index, at, &cover->slice, &cover->entry);
        cover->base = cover->found ? base : NULL;
    }
    return 0;
}

int restricted_bases_require(const struct restricted_bases *bases, const struct position *p, uint32_t move,
                             const struct position *after, struct restricted_cover *cover)
{
    const bool small = position_men(after) <= MATERIAL_MEN_MAX; // few enough for a full table
    TRY(restricted_bases_find(bases, UINT64_MAX, p, move, after, cover));
    if (cover->found)
        return 0;
    struct material material = material_of(after);
    cover->found = restricted_is_drawn(&material);
    if (!cover->found && bases->folders != NULL && small) {
        const struct source *source;
        const int code = tables_find(bases->folders, after, &source);
        cover->found = code == 0;
        cover->set = bases->folders;
        if (code != 0 && code != CLTB_E_MISSING)
            return code;
    }
    if (cover->found)
        return 0;
    char fen[FEN_MAX];
    char san[SAN_MAX];
    char name[MATERIAL_NAME_MAX];
    char nor[3 * MATERIAL_NAME_MAX + 2 * PATH_MAX] = "";
    fen_write(p, fen);
    san_write(p, move, san);
    material_normalise(&material);
    if (small) {
        char first[PATH_MAX];
        material_name(&material, name);
        snprintf(nor, sizeof nor, " (nor is %s.cltb in '%s'; build it with: cltb build %s --dir %s)", name,
                 bases->folder_names, name, folders_first(first, sizeof first, bases->folder_names));
    }
    return error_set(CLTB_E_MISSING, "%s's move %s leaves the endgame, and no prune rule or futurebase covers it%s: %s",
                     p->side == WHITE ? "White" : "Black", san, nor, fen);
}
