// many.c - the values of many positions at once: cltb_probe_many()
//
// Random probes of large tables wait for memory, and cold ones decode a unit each. So the stored outcomes are read in
// the order of tables and units:
//
// 1. Every position is the root of a small tree, whose other nodes are the positions after its captures, the captures
//    after these, and so on. A node is numbered after its parent. For each, the place of its stored outcome is noted.
//    Positions of the same men follow each other, so that the processor foresees which branches are taken.
// 2. The notes are sorted by table and unit, and the outcomes read in this order; of a unit the last one that is needed
//    comes first, so that the unit is decoded once, as far as it is needed (block_cache.c).
// 3. From the last node to the first: an outcome raises that of the parent. (A search that stops at a win would visit
//    fewer nodes, but in no order.)
// 4. Distances, where they matter, are looked up in the same order, one by one.
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    POSITIONS_MAX = 1 << 21, // at a time, some 60 bytes of memory each
    STREAM_SLOTS = 1 << 14,  // twice as many as materials, each with colours flipped or not: KQvKR, KRvKQ
    STREAMS_MAX = STREAM_SLOTS - 1,
    DIGIT_BITS = 11,
    MEN_NUMBERS = 1 << 21,
    AHEAD = 8,  // how many notes before it is read the processor is told of an outcome,
    GATHER = 16 // and how many before it is added of a position
};

#define NO_PARENT       UINT32_MAX
#define ONLY_EN_PASSANT UINT32_MAX // as note.at: the only legal moves are captures en passant

// The outcomes of one side to move in a table.
struct stream {
    const struct source *source; // what it is in; Syzygy files have one stream
    int number;                  // of the table's streams
    uint64_t units;              // noted, from 0 on
    uint64_t first;              // number of the first unit among those of all streams
};

// Where a node's outcome is stored.
struct note {
    uint64_t unit; // in bits 48 to 63 the stream; once they are sorted, number among the units of all streams
    uint32_t node;
    uint32_t at; // in the unit
};

struct node {
    uint32_t parent;
    int8_t failed; // the error of a capture
};

struct many {
    cltb_tables *tables;
    const cltb_position *positions;
    size_t count;
    struct stream *stream; // [streams]
    size_t streams;
    uint16_t slot[STREAM_SLOTS]; // a stream's number + 1
    struct note *note;           // [notes], and as much again for sorting
    struct note *spare;
    struct note *sorted; // one of them
    size_t notes;
    size_t note_room;
    size_t spare_room;
    struct root {
        uint32_t node;
        uint32_t position;
    } * root;          // [count]
    struct node *node; // [nodes]
    int8_t *outcome;   // [nodes], or an error
    size_t nodes;
    size_t node_room;
    size_t outcome_room;
    struct position p;
};

// Sorts the notes by their units, which are less than `units`: m->sorted.
static int sort(struct many *m, uint64_t units)
{
    TRY(memory_grow(&m->spare, &m->spare_room, m->note_room, sizeof *m->spare, "positions to probe"));
    struct note *from = m->note;
    struct note *to = m->spare;
    for (unsigned shift = 0; shift < 64 && units >> shift != 0; shift += DIGIT_BITS) {
        size_t place[1 << DIGIT_BITS] = {0};
        size_t before = 0;
        for (size_t i = 0; i < m->notes; i++)
            place[from[i].unit >> shift & ((1 << DIGIT_BITS) - 1)]++;
        for (size_t i = 0; i < 1 << DIGIT_BITS; i++) {
            const size_t count = place[i];
            place[i] = before;
            before += count;
        }
        for (size_t i = 0; i < m->notes; i++)
            to[place[from[i].unit >> shift & ((1 << DIGIT_BITS) - 1)]++] = from[i];
        struct note *sorted = to;
        to = from;
        from = sorted;
    }
    m->sorted = from;
    return 0;
}

// ---- nodes ----

// The number of a stream, which is new or not.
static int add_stream(struct many *m, const struct source *source, int number, uint16_t *index)
{
    const void *key = source->table != NULL ? (const void *)source->table : source;
    size_t i = (size_t)((uintptr_t)key / 16 * 2 + (unsigned)number % 2) * UINT64_C(0x9e3779b97f4a7c15) >> 50;
    for (; m->slot[i] != 0; i = (i + 1) % STREAM_SLOTS) {
        const struct stream *stream = &m->stream[m->slot[i] - 1];
        if (stream->number == number &&
            (source->table != NULL ? stream->source->table == source->table : stream->source == source)) {
            *index = m->slot[i] - 1;
            return 0;
        }
    }
    if (m->streams == STREAMS_MAX)
        return error_set(CLTB_E_MEMORY, "positions of too many materials at once");
    m->stream[m->streams] = (struct stream){.source = source, .number = number};
    *index = (uint16_t)m->streams++;
    m->slot[i] = *index + 1;
    return 0;
}

static int add_note(struct many *m, const struct source *source, uint32_t node)
{
    struct cached_spot spot = {.stream = 0};
    uint16_t number = 0;
    if (source->table != NULL)
        spot = table_locate_outcome(source->table, &m->p);
    TRY(add_stream(m, source, spot.stream, &number));
    struct stream *stream = &m->stream[number];
    stream->units = spot.unit >= stream->units ? spot.unit + 1 : stream->units;
    if (m->notes == m->note_room)
        TRY(memory_grow(&m->note, &m->note_room, m->notes + 1, sizeof *m->note, "positions to probe"));
    const bool only = m->p.en_passant != NO_SQUARE && probe_only_en_passant(&m->p);
    m->note[m->notes++] = (struct note){(uint64_t)number << 48 | spot.unit, node, only ? ONLY_EN_PASSANT : spot.at};
    return 0;
}

// Errors that are an answer about a position.
static bool is_answer(int code)
{
    return code == CLTB_E_MISSING || code == CLTB_E_CORRUPT || code == CLTB_E_FOREIGN || code == CLTB_E_POSITION;
}

static int new_node(struct many *m, uint32_t parent, int outcome)
{
    if (m->nodes == UINT32_MAX)
        return error_set(CLTB_E_MEMORY, "positions with too many captures at once");
    if (m->nodes == m->node_room)
        TRY(memory_grow(&m->node, &m->node_room, m->nodes + 1, sizeof *m->node, "positions to probe"));
    if (m->nodes == m->outcome_room)
        TRY(memory_grow(&m->outcome, &m->outcome_room, m->nodes + 1, sizeof *m->outcome, "positions to probe"));
    m->outcome[m->nodes] = (int8_t)outcome;
    m->node[m->nodes++] = (struct node){.parent = parent};
    return 0;
}

// Adds a node for the current position, and for each that captures lead to.
static int add_node(struct many *m, uint32_t parent)
{
    struct position *p = &m->p;
    const struct source *source;
    uint32_t moves[MOVES_MAX];
    const uint32_t node = (uint32_t)m->nodes;
    TRY(new_node(m, parent, CLTB_DRAW));
    if (only_kings(p))
        return 0;
    int code = tables_find_silently(m->tables, p, &source);
    int outcome = 0;
    if (code == 0 && source->table == NULL)
        code = source_outcome(source, p, &outcome);
    m->outcome[node] = (int8_t)(code == 0 ? outcome : code);
    if (code != 0)
        return is_answer(code) ? 0 : code;
    TRY(add_note(m, source, node));
    const int count = probe_captures(p, moves);
    for (int i = 0; i < count && code == 0; i++) {
        TRY(position_make(p, moves[i]));
        if (position_legal(p))
            code = add_node(m, node);
        position_undo(p);
    }
    return code;
}

// Adds the tree of a position.
static int add_position(struct many *m, const cltb_position *from)
{
    int code = from->castling != 0 ? CLTB_E_POSITION : position_from_public(&m->p, from);
    if (code == 0 && position_men(&m->p) > MATERIAL_MEN_MAX)
        code = CLTB_E_POSITION;
    return code == 0 ? add_node(m, NO_PARENT) : new_node(m, NO_PARENT, code);
}

// A number that positions of the same men share, except that four men count as three.
static uint64_t men_number(const cltb_position *p)
{
    const uint64_t kind[] = {p->queens, p->rooks, p->bishops, p->knights, p->pawns};
    const uint64_t colour[] = {p->white, p->black};
    uint64_t number = p->side & 1;
    for (int i = 0; i < 10; i++) {
        const uint64_t men = kind[i / 2] & colour[i % 2];
        const uint64_t two = men & (men - 1);
        number = number << 2 | (uint64_t)((men != 0) + (two != 0) + ((two & (two - 1)) != 0));
    }
    return number;
}

// Adds the positions sorted by their men, so that the processor foresees what is done for most of them.
static int add_positions(struct many *m)
{
    TRY(memory_grow(&m->note, &m->note_room, m->count, sizeof *m->note, "positions to probe"));
    for (m->notes = 0; m->notes < m->count; m->notes++)
        m->note[m->notes] = (struct note){men_number(&m->positions[m->notes]), (uint32_t)m->notes, 0};
    TRY(sort(m, MEN_NUMBERS - 1));
    for (size_t i = 0; i < m->count; i++)
        m->root[i].position = m->sorted[i].node;
    m->notes = 0;
    for (size_t i = 0; i < m->count; i++) {
        const cltb_position *ahead = &m->positions[m->root[i + GATHER < m->count ? i + GATHER : i].position];
        __builtin_prefetch(ahead);
        __builtin_prefetch(&ahead->side);
        m->root[i].node = (uint32_t)m->nodes;
        TRY(add_position(m, &m->positions[m->root[i].position]));
    }
    return 0;
}

// ---- in order ----

// Numbers the units of all streams, and sorts the notes by them.
static int sort_notes(struct many *m)
{
    uint64_t units = 0;
    for (size_t i = 0; i < m->streams; i++) {
        m->stream[i].first = units;
        units += m->stream[i].units;
    }
    for (size_t i = 0; i < m->notes; i++)
        m->note[i].unit = (m->note[i].unit & ((UINT64_C(1) << 48) - 1)) + m->stream[m->note[i].unit >> 48].first;
    return sort(m, units);
}

// The stream of a note. `*cursor` is that of an earlier one, or the first.
static const struct stream *stream_of(const struct many *m, const struct note *note, size_t *cursor)
{
    while (note->unit >= m->stream[*cursor].first + m->stream[*cursor].units)
        ++*cursor;
    return &m->stream[*cursor];
}

static struct cached_spot spot_of(const struct stream *stream, const struct note *note)
{
    return (struct cached_spot){stream->number, note->at, note->unit - stream->first};
}

// Hints that a later outcome will be read: first where it is, then the outcome.
static void hint(const struct many *m, size_t i, size_t *cursor, bool data)
{
    if (i >= m->notes)
        return;
    const struct note *note = &m->sorted[i];
    const struct stream *stream = stream_of(m, note, cursor);
    const struct cached_spot spot = spot_of(stream, note);
    if (stream->source->table != NULL && note->at != ONLY_EN_PASSANT)
        table_hint_outcome(stream->source->table, &spot, data);
}

static int read_note(struct many *m, const struct note *note, const struct stream *stream)
{
    const struct cached_spot spot = spot_of(stream, note);
    int outcome = CLTB_LOSS; // if there are only captures en passant: neither stalemate nor mate
    int code = 0;
    if (note->at != ONLY_EN_PASSANT && stream->source->table == NULL)
        return 0; // add_node() has read it
    if (note->at != ONLY_EN_PASSANT)
        code = table_read_outcome(stream->source->table, &spot, &outcome);
    if (code != 0 && !is_answer(code))
        return code;
    m->outcome[note->node] = (int8_t)(code != 0 ? code : outcome);
    return 0;
}

// The one of the notes of a unit, from this one on, that is farthest in it.
static const struct note *farthest(const struct many *m, const struct note *note)
{
    const struct note *far = note;
    for (const struct note *other = note; other < m->sorted + m->notes && other->unit == note->unit; other++)
        if (other->at != ONLY_EN_PASSANT && (far->at == ONLY_EN_PASSANT || other->at > far->at))
            far = other;
    return far;
}

static int read_outcomes(struct many *m)
{
    size_t cursor[3] = {0};
    for (size_t i = 0; i < m->notes; i++) {
        const struct note *note = &m->sorted[i];
        const struct stream *stream = stream_of(m, note, &cursor[0]);
        hint(m, i + AHEAD, &cursor[1], true);
        hint(m, i + 2 * (size_t)AHEAD, &cursor[2], false);
        const struct note *first = i == 0 || note[-1].unit != note->unit ? farthest(m, note) : note;
        TRY(read_note(m, first, stream));
        if (first != note)
            TRY(read_note(m, note, stream));
    }
    return 0;
}

static void raise_parents(struct many *m)
{
    for (size_t i = m->nodes; i-- > 0;) {
        const struct node node = m->node[i];
        int8_t *outcome = &m->outcome[i];
        if (node.failed != 0 && *outcome >= CLTB_LOSS && *outcome != CLTB_WIN)
            *outcome = node.failed;
        if (node.parent == NO_PARENT)
            continue;
        int8_t *above = &m->outcome[node.parent];
        if (*outcome < CLTB_LOSS)
            m->node[node.parent].failed = *outcome;
        else if (*above >= CLTB_LOSS && -*outcome > *above)
            *above = (int8_t) - *outcome;
    }
}

// ---- distances ----

// May the clock of a position matter for this outcome? The longest distance of its table may exclude that.
static bool clock_matters(const struct source *source, int outcome, int fifty)
{
    if (fifty == 0 || (outcome != CLTB_WIN && outcome != CLTB_LOSS))
        return false;
    if (source->table == NULL)
        return true;
    const struct table_info *info = table_info(source->table);
    const int white = info->longest[WHITE][outcome - CLTB_LOSS];
    const int black = info->longest[BLACK][outcome - CLTB_LOSS];
    return fifty + (white > black ? white : black) > PLY_LIMIT;
}

static int add_distances(struct many *m, int16_t *dtz)
{
    uint32_t *number = NULL; // of the position whose root is this node
    TRY(memory_new(&number, m->nodes + 1, sizeof *number, "positions to probe"));
    size_t cursor = 0;
    int code = 0;
    for (size_t i = 0; i < m->count; i++)
        number[m->root[i].node] = m->root[i].position;
    for (size_t i = 0; i < m->notes && code == 0; i++) {
        const uint32_t node = m->sorted[i].node;
        const struct source *source = stream_of(m, &m->sorted[i], &cursor)->source;
        int8_t *outcome = &m->outcome[node];
        if (m->node[node].parent != NO_PARENT || *outcome < CLTB_LOSS)
            continue;
        const cltb_position *from = &m->positions[number[node]];
        const bool distance = dtz != NULL && *outcome != CLTB_DRAW;
        struct cltb_value value = {.outcome = *outcome};
        if (!distance && !clock_matters(source, *outcome, from->fifty))
            continue;
        code = position_from_public(&m->p, from);
        THEN(code, probe_known(m->tables, &m->p, &value));
        if (is_answer(code)) {
            value.outcome = code;
            code = 0;
        }
        *outcome = (int8_t)value.outcome;
        if (dtz != NULL)
            dtz[number[node]] = (int16_t)value.dtz;
    }
    free(number);
    return code;
}

// ---- all together ----

static int probe_some(struct many *m, int8_t *outcomes, int16_t *dtz)
{
    if (dtz != NULL)
        memset(dtz, 0, m->count * sizeof *dtz);
    TRY(add_positions(m));
    TRY(sort_notes(m));
    TRY(read_outcomes(m));
    raise_parents(m);
    bool clock = dtz != NULL;
    for (size_t i = 0; i < m->count; i++)
        clock |= m->positions[i].fifty > 0;
    if (clock)
        TRY(add_distances(m, dtz));
    for (size_t i = 0; i < m->count; i++)
        outcomes[m->root[i].position] = m->outcome[m->root[i].node];
    return 0;
}

int cltb_probe_many(cltb_tables *tables, const cltb_position *positions, size_t count, int8_t *outcomes, int16_t *dtz)
{
    TRY(error_null(tables, positions, outcomes));
    const size_t most = count < POSITIONS_MAX ? count : POSITIONS_MAX;
    struct many *m;
    TRY(memory_new(&m, 1, sizeof *m, "positions to probe"));
    int code = memory_new(&m->root, most + 1, sizeof *m->root, "positions to probe");
    THEN(code, memory_new(&m->stream, STREAMS_MAX, sizeof *m->stream, "positions to probe"));
    m->tables = tables;
    for (size_t done = 0; done < count && code == 0; done += m->count) {
        m->positions = positions + done;
        m->count = count - done < most ? count - done : most;
        m->nodes = m->notes = m->streams = 0;
        memset(m->slot, 0, sizeof m->slot);
        code = probe_some(m, outcomes + done, dtz == NULL ? NULL : dtz + done);
    }
    free(m->note);
    free(m->spare);
    free(m->node);
    free(m->outcome);
    free(m->stream);
    free(m->root);
    free(m);
    return code;
}
