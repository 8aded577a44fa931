// kept.c - a search that goes on in another run: the file that keeps it
#include "structures/search/kept.h"

#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { VERSION = 1 };

struct about {
    uint32_t version;
    uint8_t side;
    uint8_t en_passant;
    uint8_t board[SQUARES];
    uint8_t zero[2];
};

static struct about about_of(const struct position *position)
{
    struct about about = {.version = VERSION, .side = position->side, .en_passant = position->en_passant};
    memcpy(about.board, position->board, sizeof about.board);
    return about;
}

int kept_path(const char *folder, const struct position *position, char *path, size_t size)
{
    const struct about about = about_of(position);
    return folder_path(path, size, folder, "cltb-solve-%016llx.search",
                       (unsigned long long)XXH64(&about, sizeof about, 0));
}

int kept_open(struct kept *kept, const char *path, const struct position *position, bool *found)
{
    const struct about about = about_of(position);
    struct journal_record record = {.front = NULL};
    enum journal_next next = JOURNAL_END;
    enum journal_found same;
    *kept = (struct kept){.journal = {.file = -1}, .reading = true};
    *found = false;
    TRY(journal_open(&kept->journal, path, &about, sizeof about, &same));
    if (same == JOURNAL_SAME)
        TRY(journal_next(&kept->journal, &record, &next));
    free(record.front);
    kept->at = record.data;
    kept->end = record.data + record.data_bytes;
    *found = next == JOURNAL_RECORD;
    return 0;
}

// While it is written, the file has this name.
static int part_path(char *part, size_t size, const char *path)
{
    return (size_t)snprintf(part, size, "%s.part", path) < size
               ? 0
               : error_set(CLTB_E_IO, "the path %.60s... is too long", path);
}

int kept_create(struct kept *kept, const char *path, const struct position *position)
{
    const struct about about = about_of(position);
    char part[PATH_MAX];
    enum journal_found found;
    *kept = (struct kept){.journal = {.file = -1}};
    TRY(part_path(part, sizeof part, path));
    TRY(journal_open(&kept->journal, part, &about, sizeof about, &found));
    TRY(journal_restart(&kept->journal, &about, sizeof about));
    journal_begin(&kept->journal, 0);
    return 0;
}

int kept_close(struct kept *kept, const char *path, int code)
{
    char part[PATH_MAX];
    if (kept->reading) {
        journal_close(&kept->journal, kept->end > 0);
        return code;
    }
    THEN(code, journal_commit(&kept->journal, 0, NULL));
    THEN(code, part_path(part, sizeof part, path));
    journal_close(&kept->journal, code == 0);
    if (code == 0 && os_rename(part, path) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot rename %s", part);
    return code;
}

int kept_pass(struct kept *kept, void *bytes, size_t count)
{
    if (!kept->reading)
        return journal_write(&kept->journal, bytes, count);
    if (count > kept->end - kept->at)
        return error_set(CLTB_E_CORRUPT, "%s: a search is not whole", kept->journal.path);
    kept->at += count;
    return journal_read(&kept->journal, kept->at - count, bytes, count);
}

// ---- nodes ----

// A node in the file. Its parents follow, then, if it has planes, legal positions and the planes of each side that
// differ from those of the next grade.
struct kept_node {
    uint64_t pawns[COLOURS];
    uint32_t parents;
    uint16_t steps;
    uint16_t pending;
    uint16_t looks;
    uint16_t failures;
    uint16_t differs[COLOURS]; // bit g - 1: the plane of grade g has its own bytes
    uint8_t pieces;
    uint8_t code[NODE_PIECES];
    uint8_t solved;
    uint8_t table;
    uint8_t patched;
    uint8_t listed;
    uint8_t stale;
    uint8_t waiting;
    uint8_t zero[2];
};

static void to_file(const struct node *node, struct kept_node *to)
{
    *to = (struct kept_node){.pawns = {node->pawns[WHITE], node->pawns[BLACK]},
                             .parents = (uint32_t)node->parents,
                             .steps = node->steps,
                             .pending = node->pending,
                             .looks = node->looks,
                             .failures = node->failures,
                             .pieces = node->pieces,
                             .solved = node->solved,
                             .table = node->table,
                             .patched = node->patched,
                             .listed = node->listed,
                             .stale = node->stale,
                             .waiting = node->waiting};
    memcpy(to->code, node->code, node->pieces);
    for (int g = 0; g < COLOURS * GRADES; g++) {
        uint64_t *const *plane = &node->plane[g / GRADES][g % GRADES];
        if ((node->solved || node->table) && (g % GRADES == GRADES - 1 || plane[0] != plane[1]))
            to->differs[g / GRADES] |= (uint16_t)(1U << g % GRADES);
    }
}

static int from_file(struct nodes *nodes, const struct kept_node *from)
{
    const size_t number = nodes->count;
    if (from->pieces > NODE_PIECES)
        return error_set(CLTB_E_CORRUPT, "a structure of a search has %d pieces", from->pieces);
    if (number == nodes->room)
        return error_memory((number + 1) * sizeof(struct node), "structures");
    if (node_make(nodes, from->pawns, from->pieces, from->code) != number)
        return error_set(CLTB_E_CORRUPT, "a structure of a search is there twice");
    struct node *node = &nodes->node[number];
    node->steps = from->steps;
    node->looks = from->looks;
    node->failures = from->failures;
    node->solved = from->solved;
    node->table = from->table;
    node->patched = from->patched;
    node->listed = from->listed;
    node->stale = from->stale;
    node->redo = from->waiting;
    node->pending = from->waiting && from->solved ? UINT16_MAX : from->pending;
    node->parents = node->parent_room = from->parents;
    return memory_new(&node->parent, node->parents, sizeof *node->parent, "structures");
}

static int pass_words(struct kept *kept, struct nodes *nodes, uint64_t **array, size_t words)
{
    if (kept->reading) {
        TRY(memory_new(array, words, sizeof **array, "a structure"));
        nodes->bytes += words * sizeof **array;
    }
    return kept_pass(kept, *array, words * sizeof **array);
}

static int pass_planes(struct kept *kept, struct nodes *nodes, struct node *node, const struct kept_node *in_file)
{
    const size_t words = node_blocks(node->pieces) * SQUARES;
    TRY(pass_words(kept, nodes, &node->legal, node->solved ? 3 * words : words));
    for (int side = WHITE; side <= BLACK; side++) {
        for (int g = GRADES - 1; g >= 0; g--) {
            if ((in_file->differs[side] >> g & 1) != 0)
                TRY(pass_words(kept, nodes, &node->plane[side][g], words));
            else if (kept->reading && g < GRADES - 1)
                node->plane[side][g] = node->plane[side][g + 1];
        }
        if (node->plane[side][GRADES - 1] == NULL)
            return error_set(CLTB_E_CORRUPT, "a structure of a search has no planes");
    }
    return 0;
}

int kept_nodes(struct kept *kept, struct nodes *nodes)
{
    uint64_t count[2] = {nodes->count, nodes->patches};
    TRY(kept_pass(kept, count, sizeof count));
    for (size_t i = 1; i < count[0]; i++) {
        struct kept_node in_file = {.pieces = 0};
        if (!kept->reading)
            to_file(&nodes->node[i], &in_file);
        TRY(kept_pass(kept, &in_file, sizeof in_file));
        if (kept->reading)
            TRY(from_file(nodes, &in_file));
        struct node *node = &nodes->node[i];
        TRY(kept_pass(kept, node->parent, node->parents * sizeof *node->parent));
        if (node->solved || node->table)
            TRY(pass_planes(kept, nodes, node, &in_file));
    }
    for (size_t i = 0, k = 0; i < count[1]; i++) {
        struct node_patch *patch;
        if (kept->reading) {
            uint64_t key;
            TRY(kept_pass(kept, &key, sizeof key));
            if ((patch = node_patch_new(nodes, key)) == NULL)
                return error_memory(sizeof *patch, "positions");
        } else {
            while (nodes->patch[k] == NULL)
                k++;
            patch = nodes->patch[k++];
            TRY(kept_pass(kept, &patch->key, sizeof patch->key));
        }
        TRY(kept_pass(kept, patch, sizeof *patch));
    }
    return 0;
}
