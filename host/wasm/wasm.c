// wasm.c - what cltb.wasm exports to JavaScript (js/cltb.js): answers to positions, as JSON
//
// There is one set of tables. Every call takes a text in wasm_room() and leaves one in wasm_text(): the answer or, if
// the result is negative, a sentence about the error. If JavaScript has noted bytes that were not there yet
// (util/os_wasm.c), the result says nothing.
#include "chess/epd.h"
#include "chess/fen.h"
#include "chess/notation.h"
#include "kind/chess_answer.h"
#include "kind/chess_probe.h"
#include "probe/choose.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "serve/lila.h"
#include "serve/text_stream.h"
#include "show/values.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

// How many reads JavaScript has noted since the call began.
__attribute__((import_module("cltb"), import_name("noted"))) int js_noted(void);

// JavaScript takes no notice of folders.
static const struct probe_request request = {.folders = "tables", .format = "json"};

static struct prober prober;
static cltb_tables *tables; // the prober's
static struct position position;
static char *text;
static char *room;

EXPORT("text") const char *wasm_text(void)
{
    return text != NULL ? text : error_text();
}

EXPORT("room") char *wasm_room(size_t bytes)
{
    free(room);
    room = malloc(bytes);
    return room;
}

// ---- reading ahead ----

// Each read that is noted waits for a server, so these functions make those that are sure or likely to come, whatever
// they give. Return CLTB_E_IO if any has been noted.

static int noted(void)
{
    return js_noted() > 0 ? CLTB_E_IO : 0;
}

// What the table stores of a position.
static void read_stored(const struct position *p, bool distance)
{
    const struct source *source;
    struct distance stored;
    int outcome;
    if (__builtin_popcountll(p->men[WHITE] | p->men[BLACK]) < 3 || tables_find(tables, p, &source) != 0)
        return;
    (void)source_outcome(source, p, &outcome);
    if (distance && source_has_distance(source, p))
        (void)source_distance(source, p, CLTB_DRAW, &stored);
}

enum which { CAPTURES, PAWN_MOVES, ALL_MOVES };

// What is stored of the positions after these moves. The distance of a position that is won by a pawn move is not
// stored, so after quiet moves pawn moves count, too.
static int read_after(struct position *p, enum which which)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        const bool capture = move_is_capture(moves[i]);
        const bool zeroing = move_is_zeroing(p, moves[i]);
        if ((which == CAPTURES && !capture) || (which == PAWN_MOVES && (capture || !zeroing)) ||
            (move_promoted(moves[i]) != EMPTY && piece_type((uint8_t)move_promoted(moves[i])) != QUEEN))
            continue;
        TRY(position_make(p, moves[i]));
        read_stored(p, !zeroing);
        if (which == ALL_MOVES && !zeroing)
            (void)read_after(p, PAWN_MOVES);
        TRY(position_undo(p));
    }
    return noted();
}

// What the values of all moves need.
static int read_moves(struct position *p)
{
    struct ranked_move moves[CLTB_MOVES_MAX];
    TRY(probe_possible(p));
    const int code = read_after(p, ALL_MOVES);
    (void)probe_moves(tables, p, true, moves);
    return code != 0 ? code : noted();
}

// What the value of a position needs. If its distance is not stored, those after its moves are.
static int read_value(struct position *p)
{
    struct cltb_value value;
    TRY(probe_possible(p));
    read_stored(p, true);
    TRY(read_after(p, CAPTURES));
    (void)probe_outcome(tables, p, &value.outcome);
    TRY(noted());
    (void)probe_position(tables, p, &value);
    return js_noted() > 0 ? read_moves(p) : 0;
}

// ---- the best line ----

// Every move of it takes a search. What has been found is remembered while the line waits for bytes.
enum { CHOSEN_MAX = 256 };
static struct {
    uint64_t key; // of a position; 0: none
    int index;
} chosen[CHOSEN_MAX];     // in the order of the line
static int line_plies;    // of them that this run has come to
static char *chosen_from; // the text of the position asked for

static int choose(struct position *p, const struct ranked_move *ranked, int count)
{
    const int ply = line_plies < CHOSEN_MAX - 1 ? line_plies++ : line_plies;
    if (chosen[ply].key == p->key && chosen[ply].index < count)
        return chosen[ply].index;
    const int index = choose_move(tables, p, ranked, count, NULL, 0, CHOOSE_NODES_LINE).index;
    chosen[ply].key = js_noted() == 0 ? p->key : 0;
    chosen[ply].index = index;
    return index;
}

static int choose_answer(struct chess_prober *chess, struct position *p, const struct answer_move *move, int count)
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    (void)chess;
    for (int i = 0; i < count; i++)
        ranked[i] = move[i].ranked;
    return choose(p, ranked, count);
}

static int (*rank_at_once)(struct chess_prober *prober, struct position *p, struct answer_move move[MOVES_MAX]);

static int rank_answer(struct chess_prober *chess, struct position *p, struct answer_move move[MOVES_MAX])
{
    TRY(read_moves(p));
    return rank_at_once(chess, p, move);
}

// Before a line from the position in `room`.
static void begin_line(void)
{
    line_plies = 0;
    if (chosen_from != NULL && strcmp(chosen_from, room) == 0)
        return;
    free(chosen_from);
    chosen_from = strdup(room);
    memset(chosen, 0, sizeof chosen);
}

static int open_tables(void)
{
    TRY(chess_probe(&prober, &request));
    struct chess_prober *chess = prober.context;
    rank_at_once = chess->rank;
    chess->rank = rank_answer;
    chess->choose = choose_answer;
    tables = chess_probe_tables(&prober);
    return 0;
}

// ---- answers ----

typedef int write_function(struct json *json);

static int answer(write_function *write)
{
    size_t bytes;
    free(text);
    text = NULL;
    if (tables == NULL)
        TRY(open_tables());
    struct json json = {.file = text_stream(&text, &bytes)};
    if (json.file == NULL)
        return error_memory(0, "an answer");
    const int code = write(&json);
    if (fclose(json.file) == 0 && code == 0)
        return 0;
    free(text);
    text = NULL;
    return code != 0 ? code : error_memory(bytes, "an answer");
}

static void write_object(struct json *json, const char *key, struct cltb_value value)
{
    json_open(json, NULL, '{');
    json_value(json, key, value);
    json_close(json);
}

static int write_value(struct json *json)
{
    struct cltb_value value;
    TRY(fen_read(&position, room));
    TRY(read_value(&position));
    TRY(probe_position(tables, &position, &value));
    write_object(json, "dtz", value);
    return 0;
}

EXPORT("value") int wasm_value(void)
{
    return answer(write_value);
}

static int write_mate(struct json *json)
{
    struct cltb_value value;
    TRY(fen_read(&position, room));
    TRY(probe_exact(tables, &position, METRIC_DTM, &value));
    write_object(json, "dtm", value);
    return 0;
}

EXPORT("mate") int wasm_mate(void)
{
    return answer(write_mate);
}

// Moves as in the answer of `cltb probe --format json`.
static int write_moves(struct json *json)
{
    struct ranked_move moves[CLTB_MOVES_MAX];
    TRY(fen_read(&position, room));
    TRY(read_moves(&position));
    const int count = probe_moves(tables, &position, false, moves);
    TRY(count < 0 ? count : probe_best_known(tables, &position, moves, count));
    json_open(json, NULL, '[');
    for (int i = 0; i < count; i++) {
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&position, moves[i].move, san);
        uci_write(moves[i].move, uci);
        json_open(json, NULL, '{');
        json_text(json, "uci", uci);
        json_text(json, "san", san);
        json_value(json, "dtz", moves[i].value);
        json_bool(json, "zeroing", moves[i].zeroing);
        json_bool(json, "mate", moves[i].mate);
        json_close(json);
    }
    json_close(json);
    return 0;
}

EXPORT("moves") int wasm_moves(void)
{
    return answer(write_moves);
}

// As `cltb probe --format json`.
static int write_all(struct json *json)
{
    const char *rest;
    TRY(epd_read(&position, room, &rest));
    TRY(read_moves(&position));
    begin_line();
    TRY(prober.work_out(&prober, room));
    json_open(json, NULL, '{');
    json_text(json, prober.key, room);
    const int code = prober.print_json(&prober, json);
    json_close(json);
    return code;
}

EXPORT("all") int wasm_all(void)
{
    return answer(write_all);
}

// ---- answers of `cltb serve` ----

// A damaged table is an error here: nobody else would be told.
static struct lila lila;
static char damage[1024];

static void note_damage(void *context, const char *sentence)
{
    (void)context;
    if (lila.damage != 0)
        snprintf(damage, sizeof damage, "%s", sentence);
}

static int told_damage(int code)
{
    return code == 0 && lila.damage != 0 ? error_set(lila.damage, "%s", damage) : code;
}

// What the values of the positions after all moves need, distances included.
static int read_values(struct position *p)
{
    uint32_t moves[MOVES_MAX];
    struct cltb_value value;
    if (probe_possible(p) != 0)
        return 0;
    (void)read_moves(p);
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        TRY(position_make(p, moves[i]));
        read_stored(p, true);
        (void)probe_known(tables, p, &value);
        (void)probe_exact(tables, p, METRIC_DTM, &value);
        TRY(position_undo(p));
    }
    return noted();
}

static int begin_answer(void)
{
    lila = (struct lila){.tables = tables, .fault = note_damage, .before_moves = read_values, .choose = choose};
    return lila_read(&position, room);
}

static int write_standard(struct json *json)
{
    TRY(begin_answer());
    return told_damage(lila_position(&lila, &position, json));
}

// As /standard of `cltb serve`.
EXPORT("standard") int wasm_standard(void)
{
    return answer(write_standard);
}

static int write_mainline(struct json *json)
{
    begin_line();
    TRY(begin_answer());
    return told_damage(lila_mainline(&lila, &position, json));
}

// As /standard/mainline.
EXPORT("mainline") int wasm_mainline(void)
{
    return answer(write_mainline);
}
