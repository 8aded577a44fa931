// label_text.c - lines of text with a position and, perhaps, a result
//
//     FEN | 35 | 0.5          the last field that looks like a result, rather one like 0.5 or 1-0 than 0 or 1
//     FEN [0.5]    FEN 1-0    the last word
//     EPD ... c9 "1-0";       the operand
//     FEN, EPD                there is none yet: it is appended, as " | 0.5" or " c9 \"1-0\";"
//
// Results are White's. The new one is written as the old one was.
#include "cli/label.h"

#include "chess/epd.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum style { DECIMAL, GAME, PLAIN, APPEND_FIELD, APPEND_OPERATION, STYLES };

static const char *const written[STYLES][3] = {{"0.0", "0.5", "1.0"},
                                               {"0-1", "1/2-1/2", "1-0"},
                                               {"0", "0.5", "1"},
                                               {" | 0.0", " | 0.5", " | 1.0"},
                                               {" c9 \"0-1\";", " c9 \"1/2-1/2\";", " c9 \"1-0\";"}};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Is this text, without blanks and brackets around it, a result? Then `line` gets its place, style and value.
static bool take_result(struct label_line *line, const char *bytes, size_t at, size_t end)
{
    while (at < end && (is_blank(bytes[at]) || bytes[at] == '['))
        at++;
    while (end > at && (is_blank(bytes[end - 1]) || bytes[end - 1] == ']'))
        end--;
    for (int style = DECIMAL; style <= PLAIN; style++) {
        for (int result = 0; result < 3; result++) {
            const char *text = style == PLAIN && result == 1 ? "1/2" : written[style][result];
            if (end - at != strlen(text) || memcmp(bytes + at, text, end - at) != 0)
                continue;
            line->at = at;
            line->length = (uint8_t)(end - at);
            line->style = (uint8_t)style;
            line->given = (int8_t)result;
            return true;
        }
    }
    return false;
}

// Finds the result of a line from `at` to `end`; returns the end of the position and its operations.
static size_t find_result(struct label_line *line, const char *bytes, size_t at, size_t end)
{
    const char *bar = memchr(bytes + at, '|', end - at);
    struct label_line plain = {.length = 0};
    line->length = 0;
    line->given = -1;
    line->at = end;
    line->style = APPEND_FIELD;
    if (bar != NULL) {
        for (size_t field = (size_t)(bar - bytes) + 1, next; field <= end; field = next + 1) {
            const char *stop = memchr(bytes + field, '|', end - field);
            struct label_line found = *line;
            next = stop == NULL ? end : (size_t)(stop - bytes);
            if (take_result(&found, bytes, field, next))
                *(found.style == PLAIN ? &plain : line) = found;
        }
        if (line->length == 0 && plain.length > 0) {
            plain.end = line->end;
            *line = plain;
        }
        return (size_t)(bar - bytes);
    }
    size_t word = end;
    while (word > at && !is_blank(bytes[word - 1]) && bytes[word - 1] != ';')
        word--;
    struct label_line found = *line;
    if (take_result(&found, bytes, word, end) && (found.style != PLAIN || bytes[word] == '[')) {
        *line = found;
        return word;
    }
    const char *semicolon = memchr(bytes + at, ';', end - at);
    line->style = semicolon == NULL ? APPEND_FIELD : APPEND_OPERATION;
    for (size_t i = at; semicolon != NULL && i + 4 < end; i++) {
        const char *quote = memcmp(bytes + i, "c9 \"", 4) == 0 ? memchr(bytes + i + 4, '"', end - i - 4) : NULL;
        if (quote != NULL && take_result(line, bytes, i + 4, (size_t)(quote - bytes)))
            break;
    }
    return end;
}

// The men of a line, and the number of its move.
static void look(struct label_line *line, const char *bytes, size_t at, size_t end)
{
    unsigned men = 0;
    line->men = 0;
    line->number = 0;
    while (at < end && is_blank(bytes[at]))
        at++;
    if (at == end || bytes[at] == '#')
        return;
    for (; at < end && !is_blank(bytes[at]); at++)
        men += (bytes[at] | 0x20) >= 'a' && (bytes[at] | 0x20) <= 'z';
    for (int field = 1; field <= 5; field++) {
        while (at < end && is_blank(bytes[at]))
            at++;
        if (field >= 4 && (at == end || bytes[at] < '0' || bytes[at] > '9'))
            break; // not both counters
        while (field < 5 && at < end && !is_blank(bytes[at]))
            at++;
        for (; field == 5 && at < end && bytes[at] >= '0' && bytes[at] <= '9' && line->number < COUNTER_MAX; at++)
            line->number = 10 * line->number + (uint32_t)(bytes[at] - '0');
        if (field == 5 && at < end && !is_blank(bytes[at]) && bytes[at] != ';' && bytes[at] != '|')
            line->number = 0; // "1-0"
    }
    line->men = (uint8_t)(men < 1 ? 1 : men < UINT8_MAX ? men : UINT8_MAX);
}

static bool begins_game(const struct label_line *before, const struct label_line *line)
{
    return before->men == 0 || line->men > before->men || (line->number > 0 && line->number < before->number);
}

size_t label_text_end(const char *bytes, size_t size, bool games)
{
    struct label_line later = {.men = 0};
    size_t end = size;
    while (end > 0 && bytes[end - 1] != '\n')
        end--;
    if (!games)
        return end;
    const size_t last = end;
    for (size_t at; end > 0; end = at) { // line by line, backwards
        struct label_line line;
        for (at = end - 1; at > 0 && bytes[at - 1] != '\n';)
            at--;
        look(&line, bytes, at, end - 1);
        if (end < last && later.men > 0 && begins_game(&line, &later))
            return end;
        later = line;
    }
    return 0;
}

// Reads the position of a line if a table may hold it.
static int read_position(struct label_batch *batch, size_t record, size_t at, size_t end)
{
    struct position p;
    cltb_position position;
    const char *rest;
    char *stop = batch->bytes + end;
    const char kept = *stop;
    *stop = '\0';
    int code = memchr(batch->bytes + at, ';', end - at) != NULL ? CLTB_E_POSITION : fen_read(&p, batch->bytes + at);
    if (code != 0)
        code = epd_read(&p, batch->bytes + at, &rest);
    *stop = kept;
    if (code != 0) {
        label_blame(batch, record);
        return 0;
    }
    batch->line[record].black = p.side == BLACK;
    if (p.castling != 0)
        return 0;
    position_to_public(&p, &position);
    return label_add(batch, record, &position);
}

int label_read_text(struct label_batch *batch, const struct label_rule *rule)
{
    size_t at = 0;
    for (batch->records = 0; at < batch->size; batch->records++) {
        const size_t record = batch->records;
        const char *feed = memchr(batch->bytes + at, '\n', batch->size - at);
        size_t end = feed == NULL ? batch->size : (size_t)(feed - batch->bytes);
        if (record == batch->line_room)
            TRY(memory_grow(&batch->line, &batch->line_room, record + 1, sizeof *batch->line, "lines"));
        struct label_line *line = &batch->line[record];
        *line = (struct label_line){.end = end + (feed != NULL), .at = end, .result = -1};
        end -= end > at && batch->bytes[end - 1] == '\r';
        look(line, batch->bytes, at, end);
        if (line->men > 0 && (line->men <= LABEL_MEN_MAX || rule->games)) {
            const size_t stop = find_result(line, batch->bytes, at, end);
            if (line->men <= LABEL_MEN_MAX)
                TRY(read_position(batch, record, at, stop));
        }
        at = line->end;
    }
    return 0;
}

// Gives the lines of a game that have no outcome the result of the first one that has.
static void adjudicate(struct label_batch *batch)
{
    for (size_t first = 0, last; first < batch->records; first = last) {
        int result = -1;
        for (last = first; last < batch->records; last++) {
            struct label_line *line = &batch->line[last];
            if (last > first && begins_game(line - 1, line))
                break;
            result = result < 0 ? line->result : result;
        }
        for (size_t i = first; i < last; i++)
            if (batch->line[i].result < 0 && batch->line[i].men > 0)
                batch->line[i].result = (int8_t)result;
    }
}

static void put(struct label_batch *batch, const char *text, size_t length)
{
    memcpy(batch->out + batch->out_size, text, length);
    batch->out_size += length;
}

int label_write_text(struct label_batch *batch, const struct label_rule *rule)
{
    const size_t most = batch->size + batch->records * sizeof " c9 \"1/2-1/2\";";
    size_t at = 0;
    if (batch->out_room < most)
        TRY(memory_grow(&batch->out, &batch->out_room, most, 1, "lines"));
    for (size_t i = 0; i < batch->positions; i++) {
        struct label_line *line = &batch->line[batch->record[i]];
        const int result = label_result(rule, batch->outcome[i]);
        line->result = (int8_t)(result >= 0 && line->black ? 2 - result : result);
    }
    if (rule->games)
        adjudicate(batch);
    batch->out_size = 0;
    for (size_t i = 0; i < batch->records; at = batch->line[i++].end) {
        const struct label_line *line = &batch->line[i];
        if (line->result >= 0 && line->result != line->given) {
            const char *text = written[line->style][line->result];
            batch->changed++;
            put(batch, batch->bytes + at, line->at - at);
            put(batch, text, strlen(text));
            at = line->at + line->length;
        }
        put(batch, batch->bytes + at, line->end - at);
    }
    return 0;
}
