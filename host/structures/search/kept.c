// kept.c - the file from which a search continues in another run
#include "structures/search/kept.h"

#include "structures/search/packed.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { VERSION = 2 };

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
        journal_close(&kept->journal, code != 0 || kept->end > 0);
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

// A node in the file. Its parents follow, then, if it has planes, these, packed.
struct kept_node {
    uint64_t pawns[COLOURS];
    uint32_t parents;
    uint16_t steps;
    uint16_t pending;
    uint16_t looks;
    uint16_t failures;
    uint8_t pieces;
    uint8_t code[NODE_PIECES];
    uint8_t solved;
    uint8_t table;
    uint8_t patched;
    uint8_t listed;
    uint8_t tabled;
    uint8_t far;
    uint8_t stale;
    uint8_t waiting;
    uint8_t zero[8];
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
                             .tabled = node->tabled,
                             .far = node->far,
                             .stale = node->stale,
                             .waiting = node->waiting || node->redo};
    memcpy(to->code, node->code, node->pieces);
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
    if (from->listed && !node->listed && node->pieces > 0)
        return error_set(CLTB_E_MISSING, "a table is missing that the kept search has used");
    node->listed = from->listed;
    node->tabled = from->tabled;
    node->far = from->far;
    node->stale = from->stale;
    node->redo = from->waiting;
    node->pending = from->waiting && from->solved ? UINT16_MAX : from->pending;
    node->parents = node->parent_room = from->parents;
    return memory_new(&node->parent, node->parents, sizeof *node->parent, "structures");
}

static int pass_planes(struct kept *kept, struct nodes *nodes, struct node *node)
{
    struct node_packed head = {.bytes = 0};
    if (!kept->reading) {
        TRY(node->away ? 0 : node_pack(nodes, node));
        head = *node->packed;
    }
    TRY(kept_pass(kept, &head, sizeof head));
    if (kept->reading) {
        struct node_packed *packed;
        if (head.bytes > kept->end - kept->at)
            return kept_pass(kept, NULL, head.bytes);
        TRY(memory_new(&packed, sizeof head + head.bytes, 1, "a structure"));
        *packed = head;
        node->packed = packed;
        node->away = true;
        nodes->bytes += sizeof head + head.bytes;
    }
    return kept_pass(kept, node->packed->data, node->packed->bytes);
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
            TRY(pass_planes(kept, nodes, node));
    }
    for (size_t i = 0, k = 0; i < count[1]; i++) {
        while (!kept->reading && nodes->patch[k] == NULL)
            k++;
        struct node_patch *patch = kept->reading ? NULL : nodes->patch[k++];
        uint64_t key = patch != NULL ? patch->key : 0;
        TRY(kept_pass(kept, &key, sizeof key));
        if (patch == NULL && (patch = node_patch_new(nodes, key)) == NULL)
            return error_memory(sizeof *patch, "positions");
        TRY(kept_pass(kept, patch, sizeof *patch));
    }
    return 0;
}
