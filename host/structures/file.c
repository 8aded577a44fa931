// file.c - solved structures in one file: written and read
#include "structures/file.h"

#include "probe/probe.h"
#include "table/container_format.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,                            // the property `structures`
    RECORD_BYTES = STRUCTURE_KEY_BYTES + 1, // for a structure: its key, and 1 if it is stored twice
    LEVEL = 9,                              // of zstd
    PIECES_LEAST = 2,
    COUNTS = LAYOUT_PIECES_MAX + 1
};

static const char list_name[] = "structures";

static uint64_t entries_of(int pieces)
{
    return UINT64_C(1) << 6 * pieces;
}

static int sections_of(bool twice)
{
    return twice ? STRUCTURE_RUNS * COLOURS : COLOURS;
}

static void stream_name(char name[CONTAINER_NAME_MAX], int pieces)
{
    snprintf(name, CONTAINER_NAME_MAX, "pieces-%d", pieces);
}

// ---- keys, and names of tables ----

void structure_key_put(const struct structure_key *key, uint8_t to[STRUCTURE_KEY_BYTES])
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        put_number(to + (size_t)8 * (size_t)colour, 8, key->pawns[colour]);
        memcpy(to + 16 + (size_t)4 * (size_t)colour, key->pieces[colour] + QUEEN, 4);
    }
}

int structure_key_get(const struct container *container, const uint8_t from[STRUCTURE_KEY_BYTES],
                      struct structure_key *key)
{
    const uint64_t edges = UINT64_C(0xff000000000000ff);
    memset(key, 0, sizeof *key);
    for (int colour = WHITE; colour <= BLACK; colour++) {
        key->pawns[colour] = get_number(from + (size_t)8 * (size_t)colour, 8);
        key->pieces[colour][KING] = 1;
        for (int i = 0; i < 4; i++) {
            key->pieces[colour][QUEEN + i] = from[16 + 4 * colour + i];
            if (key->pieces[colour][QUEEN + i] > LAYOUT_PIECES_MAX)
                return container_invalid(container, "a structure has too many pieces");
        }
        if (__builtin_popcountll(key->pawns[colour]) > PAWNS_PER_SIDE_MAX || (key->pawns[colour] & edges) != 0)
            return container_invalid(container, "a structure has pawns where none can be");
    }
    return (key->pawns[WHITE] & key->pawns[BLACK]) == 0 && structure_pieces(key) <= LAYOUT_PIECES_MAX
               ? 0
               : container_invalid(container, "a structure has too many men, or two on one square");
}

bool structure_names_table(const char *names, struct material material)
{
    char name[MATERIAL_NAME_MAX];
    if (material_men(&material) > MATERIAL_MEN_MAX)
        return false;
    material_normalise(&material);
    material_name(&material, name);
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

int structure_name_table(char *names, struct material material)
{
    const size_t length = strlen(names);
    if (structure_names_table(names, material))
        return 0;
    material_normalise(&material);
    if (length + 2 * MATERIAL_NAME_MAX > STRUCTURE_NAMES_MAX)
        return error_set(CLTB_E_MEMORY, "the file needs too many tables");
    if (length > 0)
        names[length] = ' ';
    (void)material_name(&material, names + length + (length > 0));
    return 0;
}

// ---- writing ----

struct writing {
    const struct structure_graph *graph;
    struct container_writer *file;
    struct thread_pool *pool;
    struct value_packer packer;
    struct container_stream stream[COUNTS]; // [streams]
    int streams;
    int stream_of[COUNTS];               // by pieces
    uint64_t *section;                   // [structures] the first one
    const struct structure_batch *batch; // the batch being added
    struct container_piece *piece;       // [count][COLOURS][blocks]
    uint64_t blocks;                     // in a section
};

// The values of a block of one structure for one side to move.
static int fill_block(void *context, uint64_t item, int worker, uint16_t *code, uint32_t *count)
{
    const struct writing *writing = context;
    const struct structure_batch *batch = writing->batch;
    const uint64_t block = item % writing->blocks;
    const int side = (int)(item / writing->blocks % COLOURS);
    const size_t i = (size_t)(item / writing->blocks / COLOURS);
    size_t part[LAYOUT_PIECES_MAX][SQUARES];
    (void)worker;
    for (int place = 0; place < batch->pieces; place++)
        for (int square = 0; square < SQUARES; square++)
            part[place][square] = structure_entry_part(batch->pieces, place, square);
    *count = container_block_length(&writing->stream[writing->stream_of[batch->pieces]], block);
    for (uint32_t at = 0; at < *count; at++) {
        const uint64_t entry = block * VALUE_BLOCK + at;
        size_t bit = 0;
        for (int place = 0; place < batch->pieces; place++)
            bit |= part[place][entry >> 6 * (batch->pieces - 1 - place) & 63];
        code[at] = structure_batch_value(batch, i, side, bit);
    }
    return 0;
}

static int add_batch(void *context, const struct structure_batch *batch)
{
    struct writing *writing = context;
    const int stream = writing->stream_of[batch->pieces];
    writing->batch = batch;
    writing->blocks = container_section_blocks(&writing->stream[stream]);
    const size_t items = batch->count * COLOURS * (size_t)writing->blocks;
    TRY(memory_new(&writing->piece, items, sizeof *writing->piece, "compressed blocks"));
    int code = value_packer_pack(&writing->packer, writing->pool, items, writing->piece, fill_block, writing);
    for (size_t i = 0; code == 0 && i < batch->count * COLOURS; i++) {
        const uint64_t section = writing->section[batch->number[i / COLOURS]] + i % COLOURS;
        code = container_add(writing->file, stream, section + (batch->winner == BLACK ? COLOURS : 0),
                             writing->piece + i * writing->blocks);
    }
    value_pieces_free(writing->piece, items);
    free(writing->piece);
    writing->piece = NULL;
    return code;
}

static int add_list(struct writing *writing)
{
    const struct structure_graph *graph = writing->graph;
    const size_t first = graph->structures - graph->solved;
    const size_t bytes = graph->solved * RECORD_BYTES;
    struct container_piece piece;
    uint8_t *list;
    void *compressed = malloc(container_bound(bytes));
    if (compressed == NULL)
        return error_memory(container_bound(bytes), "structures");
    int code = memory_new(&list, bytes, 1, "structures");
    for (size_t i = 0; code == 0 && i < graph->solved; i++) {
        const struct structure *structure = &graph->structure[first + i];
        uint8_t *record = list + i * RECORD_BYTES;
        structure_key_put(&structure->key, record);
        record[STRUCTURE_KEY_BYTES] = structure->exact ? 0 : 1;
    }
    size_t packed = 0;
    THEN(code, container_compress(writing->packer.worker[0].compressor, list, bytes, compressed, &packed));
    piece = (struct container_piece){compressed, (uint32_t)packed};
    THEN(code, container_add(writing->file, writing->streams - 1, 0, &piece));
    free(compressed);
    free(list);
    return code;
}

// Sets the streams, and the sections of each structure.
static int lay_out(struct writing *writing)
{
    const struct structure_graph *graph = writing->graph;
    uint64_t sections[COUNTS] = {0};
    TRY(memory_new(&writing->section, graph->structures, sizeof *writing->section, "structures"));
    for (size_t i = graph->structures - graph->solved; i < graph->structures; i++) {
        const int pieces = structure_pieces(&graph->structure[i].key);
        writing->section[i] = sections[pieces];
        sections[pieces] += (uint64_t)sections_of(!graph->structure[i].exact);
    }
    for (int pieces = PIECES_LEAST; pieces < COUNTS; pieces++) {
        char name[CONTAINER_NAME_MAX];
        if (sections[pieces] == 0)
            continue;
        stream_name(name, pieces);
        value_stream_set(&writing->stream[writing->streams], name, sections[pieces], entries_of(pieces));
        writing->stream_of[pieces] = writing->streams++;
    }
    struct container_stream *list = &writing->stream[writing->streams++];
    const uint64_t bytes = graph->solved * RECORD_BYTES;
    *list = (struct container_stream){
        .symbol_bytes = 1, .block_symbols = (uint32_t)bytes, .sections = 1, .section_symbols = bytes};
    snprintf(list->name, sizeof list->name, "%s", list_name);
    return bytes <= CONTAINER_EXTRA_MAX
               ? 0
               : error_set(CLTB_E_USAGE, "%zu structures are too many for a file", graph->solved);
}

// ---- the tables that values rest on ----

struct captured {
    const struct structure_limits *limits;
    const char *tables;    // names of those that structures lead to
    char *names;           // of the others
    struct material *seen; // [count] materials that may come of bounded structures by captures, without a table
    size_t count;
    size_t room;
};

static int capture(struct captured *captured, struct material material)
{
    if (structure_has_table(captured->limits, material))
        return material_men(&material) == 2 || structure_names_table(captured->tables, material)
                   ? 0
                   : structure_name_table(captured->names, material);
    for (size_t i = captured->count; i-- > 0;) {
        if (material_equal(&captured->seen[i], &material))
            return 0;
    }
    TRY(memory_grow(&captured->seen, &captured->room, captured->count + 1, sizeof material, "materials"));
    captured->seen[captured->count++] = material;
    return 0;
}

// Names the tables to which captures lead in bounded structures, one after another, wherever the men stand.
static int name_captures(struct captured *captured)
{
    for (size_t i = 0; i < captured->count; i++) {
        for (int man = 0; man < COLOURS * PIECE_TYPES; man++) {
            const int side = man / PIECE_TYPES;
            const int type = man % PIECE_TYPES;
            struct material material = captured->seen[i];
            if (type == KING || material.count[side][type] == 0)
                continue;
            material.count[side][type]--;
            TRY(capture(captured, material));
            if (type == PAWN || material.count[side ^ 1][PAWN] == 0)
                continue;
            material.count[side ^ 1][PAWN]--; // the capture may promote
            for (int promoted = QUEEN; promoted <= KNIGHT; promoted++) {
                struct material after = material;
                after.count[side ^ 1][promoted]++;
                TRY(capture(captured, after));
            }
        }
    }
    return 0;
}

static int write_text(const struct structure_graph *graph, const struct structure_limits *limits, const char *fen,
                      int effort, char text[CONTAINER_TEXT_MAX])
{
    char tables[STRUCTURE_NAMES_MAX] = "";
    char captures[STRUCTURE_NAMES_MAX] = "";
    struct captured captured = {limits, tables, captures, .seen = NULL};
    int code = 0;
    for (size_t i = 0; code == 0 && i < graph->structures - graph->solved; i++) {
        const struct material material = structure_material(&graph->structure[i].key);
        if (graph->structure[i].state == STRUCTURE_BOUNDED)
            code = capture(&captured, material);
        else if (material_men(&material) > 2)
            code = structure_name_table(tables, material);
    }
    THEN(code, name_captures(&captured));
    if (code == 0)
        snprintf(text, CONTAINER_TEXT_MAX,
                 "game chess\nmetric dtz\nstructures %d\nfen %s\neffort %d\nbounded %zu\ntables %s\ncaptures %s",
                 VERSION, fen, effort, graph->bounded, tables[0] != '\0' ? tables : "-",
                 captures[0] != '\0' ? captures : "-");
    free(captured.seen);
    return code;
}

int structure_file_write(const char *path, const char *fen, int effort, const struct structure_graph *graph,
                         struct structure_store *store, struct thread_pool *pool)
{
    struct writing writing = {.graph = graph, .pool = pool};
    char *text = NULL;
    if (graph->solved == 0)
        return error_set(CLTB_E_USAGE, "tables have all of the positions: there is nothing to write");
    int code = memory_new(&text, CONTAINER_TEXT_MAX, 1, "the text of a file");
    THEN(code, lay_out(&writing));
    THEN(code, value_packer_open(&writing.packer, pool, LEVEL));
    THEN(code, write_text(graph, structure_store_limits(store), fen, effort, text));
    THEN(code, container_create(&writing.file, path, writing.stream, writing.streams, strlen(text) + 1));
    THEN(code, add_list(&writing));
    THEN(code, structure_store_each(store, WHITE, add_batch, &writing));
    if (code == 0 && graph->bounded > 0)
        code = structure_store_each(store, BLACK, add_batch, &writing);
    if (code == 0) {
        code = container_finish(writing.file, text);
        writing.file = NULL;
    }
    container_abandon(writing.file);
    value_packer_close(&writing.packer);
    free(writing.section);
    free(text);
    return code;
}

// ---- opening ----

bool structure_file_is(const char *path)
{
    struct container *container;
    char value[16];
    if (container_open(&container, path) != 0)
        return false;
    const bool is = property_text(container_text(container), "structures", value, sizeof value);
    container_close(container);
    return is;
}

static int invalid(const struct structure_file *file, const char *what)
{
    return container_invalid(file->file.container, what);
}

static int read_record(const struct structure_file *file, const uint8_t *from, struct structure_record *record)
{
    memset(record, 0, sizeof *record);
    TRY(structure_key_get(file->file.container, from, &record->key));
    record->twice = from[STRUCTURE_KEY_BYTES] == 1;
    return from[STRUCTURE_KEY_BYTES] <= 1 ? 0 : invalid(file, "a structure is stored neither once nor twice");
}

static int compare_records(const void *left, const void *right)
{
    const struct structure_record *a = left;
    const struct structure_record *b = right;
    return memcmp(&a->key, &b->key, sizeof a->key);
}

// The record of the position's structure, or NULL.
static const struct structure_record *find(const struct structure_file *file, const struct position *position)
{
    const struct structure_record wanted = {.key = structure_of(position)};
    return bsearch(&wanted, file->record, file->info.structures, sizeof wanted, compare_records);
}

static int read_list(struct structure_file *file)
{
    uint64_t sections[COUNTS] = {0};
    uint8_t *list;
    size_t bytes;
    TRY(container_extra(file->file.container, list_name, &list, &bytes));
    if (list == NULL || bytes == 0 || bytes % RECORD_BYTES != 0) {
        free(list);
        return invalid(file, "it has no list of structures");
    }
    file->info.structures = bytes / RECORD_BYTES;
    int code = memory_new(&file->record, file->info.structures, sizeof *file->record, "structures");
    for (size_t i = 0; code == 0 && i < file->info.structures; i++) {
        struct structure_record *record = &file->record[i];
        code = read_record(file, list + i * RECORD_BYTES, record);
        if (code != 0)
            break;
        const int pieces = structure_pieces(&record->key);
        file->info.exact += !record->twice;
        file->info.entries += COLOURS * entries_of(pieces);
        record->section = sections[pieces];
        sections[pieces] += (uint64_t)sections_of(record->twice);
    }
    free(list);
    TRY(code);
    qsort(file->record, file->info.structures, sizeof *file->record, compare_records);
    for (size_t i = 1; i < file->info.structures; i++) {
        if (compare_records(&file->record[i - 1], &file->record[i]) == 0)
            return invalid(file, "a structure comes twice");
    }
    for (int pieces = PIECES_LEAST; pieces < COUNTS; pieces++) {
        char name[CONTAINER_NAME_MAX];
        stream_name(name, pieces);
        if (sections[pieces] > 0)
            TRY(value_file_stream(&file->file, name, sections[pieces], entries_of(pieces), &file->stream_of[pieces]));
    }
    return 0;
}

static int read_text(struct structure_file *file)
{
    const char *text = container_text(file->file.container);
    const char *path = container_path(file->file.container);
    const size_t room = strlen(text) + 1;
    char value[64];
    struct position position;
    if (!property_text(text, "structures", value, sizeof value))
        return error_set(CLTB_E_FOREIGN, "%s is a table, not one of structures", path);
    TRY(value_file_version(&file->file, "structures", VERSION, "has structures"));
    TRY(memory_new(&file->names, room, 1, "names of tables"));
    if (!property_text(text, "fen", file->fen, sizeof file->fen) || fen_read(&position, file->fen) != 0)
        return invalid(file, "it does not say what it comes of");
    if (!property_number(text, "effort", &file->info.effort) || !property_number(text, "bounded", &file->info.bounded))
        return invalid(file, "it does not say what is bounded");
    if (!property_text(text, "tables", file->names, room))
        return invalid(file, "it does not say which tables it needs");
    if (strcmp(file->names, "-") == 0)
        file->names[0] = '\0';
    char *more = file->names + strlen(file->names);
    file->info.captures = property_text(text, "captures", more + 1, room - (size_t)(more + 1 - file->names));
    if (file->info.captures && strcmp(more + 1, "-") != 0) {
        if (more > file->names)
            *more = ' ';
        else
            memmove(more, more + 1, strlen(more + 1) + 1);
    }
    file->info.fen = file->fen;
    file->info.tables = file->names;
    TRY(read_list(file));
    return find(file, &position) != NULL ? 0 : invalid(file, "the position that all come of is not in it");
}

int structure_file_open(struct structure_file **result, const char *path, const char *folders, size_t cache_bytes)
{
    struct structure_file *file;
    *result = NULL;
    TRY(memory_new(&file, 1, sizeof *file, "structures"));
    int code = value_file_open(&file->file, path, cache_bytes);
    THEN(code, read_text(file));
    THEN(code, cltb_open(&file->tables, folders, NULL));
    if (code == 0) {
        file->info.file_bytes = container_file_bytes(file->file.container);
        *result = file;
        return 0;
    }
    structure_file_close(file);
    return code;
}

void structure_file_close(struct structure_file *file)
{
    if (file == NULL)
        return;
    cltb_close(file->tables);
    value_file_close(&file->file);
    free(file->record);
    free(file->names);
    free(file);
}

// ---- values ----

int structure_file_stored(struct structure_file *file, size_t number, int winner, const struct position *position,
                          struct cltb_value *value)
{
    const struct structure_record *record = &file->record[number];
    const int stream = file->stream_of[structure_pieces(&record->key)];
    const uint64_t section =
        record->section + (uint64_t)position->side + (record->twice && winner == BLACK ? COLOURS : 0);
    uint16_t code;
    TRY(value_file_code(&file->file, stream, section, structure_entry_of(position), &code));
    *value = value_of_code(code);
    return 0;
}

bool structure_file_has(const struct structure_file *file, const struct position *position)
{
    return position_men(position) == 2 || find(file, position) != NULL ||
           structure_names_table(file->names, material_of(position));
}

static int known_value(const struct structure_values *values, int winner, struct position *position,
                       struct cltb_value *value, enum structure_state *state)
{
    struct structure_file *file = values->context;
    const struct structure_record *record = find(file, position);
    if (record != NULL) {
        *state = STRUCTURE_SOLVED;
        return structure_file_stored(file, (size_t)(record - file->record), winner, position, value);
    }
    *state = STRUCTURE_BOUNDED;
    if (!structure_names_table(file->names, material_of(position)))
        return 0;
    *state = STRUCTURE_TABLE;
    return probe_value(file->tables, position, value);
}

struct structure_values structure_file_values(struct structure_file *file)
{
    return (struct structure_values){
        .context = file, .bounded = file->info.exact < file->info.structures, .known = known_value};
}
