// kind.c - files of structures as a kind of table: probe, stats, verify and info (`cltb solve` writes them)
#include "kind/kind.h"

#include "chess/epd.h"
#include "kind/chess_answer.h"
#include "placed/cli/stats.h"
#include "show/values.h"
#include "structures/check/prove.h"
#include "structures/check/verify.h"
#include "structures/cli/show.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool makes(const char *word)
{
    (void)word;
    return false;
}

static bool names(const char *word)
{
    return kind_is_file(word) && structure_file_is(word);
}

// Tables are searched for in the file's folder first.
static int open_named(struct structure_file **file, const char *name, const char *search, size_t cache_bytes)
{
    *file = NULL;
    if (proof_is(name))
        return error_set(CLTB_E_USAGE, "%s is a proof of one position: only `cltb verify` and `cltb info` read it",
                         name);
    char *folders = folders_with(name, search);
    if (folders == NULL)
        return error_memory(strlen(search), "a list of folders");
    const int code = structure_file_open(file, name, folders, cache_bytes);
    free(folders);
    return code;
}

// ---- probe ----

struct file_prober {
    struct chess_prober chess; // what `cltb explore` asks
    struct structure_file *file;
    struct structure_values values;
    struct structure_answer answer;
};

static int find_answer(struct file_prober *r)
{
    if (r->answer.position.castling != 0)
        return error_set(CLTB_E_POSITION,
                         "castling is still possible: the file has only positions without castling rights");
    if (!structure_file_has(r->file, &r->answer.position))
        return error_set(CLTB_E_POSITION, "the position cannot be reached from %s", r->file->info.fen);
    return structure_answer_find(&r->answer, &r->values);
}

static int work_out(struct prober *prober, const char *text)
{
    struct file_prober *r = prober->context;
    TRY(epd_read(&r->answer.position, text, &r->chess.answer.rest));
    return find_answer(r);
}

// The moves of r->answer with single values: the least one of each, or none if the outcome is not proved. Returns their
// number.
static int single_values(const struct file_prober *r, struct answer_move moves[MOVES_MAX], const char **missing)
{
    *missing = NULL;
    for (int i = 0; i < r->answer.moves; i++) {
        const struct verdict_move *move = &r->answer.move[i];
        const bool proved = verdict_certain(&move->value, false);
        moves[i] =
            (struct answer_move){.ranked = {move->move, move->zeroing, move->mate,
                                            proved ? move->value.low : (struct cltb_value){.outcome = CLTB_UNKNOWN}}};
        if (!proved)
            *missing = "what the file does not decide";
        else if (*missing == NULL && !verdict_certain(&move->value, true))
            *missing = "distances that are not decided are given as the least good ones";
    }
    return r->answer.moves;
}

static int look_up(struct chess_prober *chess, bool all_moves)
{
    struct file_prober *r = (struct file_prober *)chess;
    char outcomes[VERDICT_MAX];
    const char *missing;
    (void)all_moves;
    position_copy(&r->answer.position, &chess->answer.position);
    TRY(find_answer(r));
    if (!verdict_certain(&r->answer.value, false))
        return error_set(CLTB_E_MISSING, "not decided: %s", verdict_outcomes(&r->answer.value, outcomes));
    chess->answer.value = r->answer.value.low;
    chess->answer.moves = single_values(r, chess->answer.move, &missing);
    snprintf(chess->answer.missing, sizeof chess->answer.missing, "%s", missing != NULL ? missing : "");
    return 0;
}

static int rank(struct chess_prober *chess, struct position *position, struct answer_move moves[MOVES_MAX])
{
    struct file_prober *r = (struct file_prober *)chess;
    const char *missing;
    position_copy(&r->answer.position, position);
    TRY(find_answer(r));
    return single_values(r, moves, &missing);
}

static int print_text(struct prober *prober)
{
    const struct file_prober *r = prober->context;
    return text_structure_answer(&r->answer, &r->values, NULL);
}

static int print_tsv(struct prober *prober)
{
    tsv_structure_answer(&((const struct file_prober *)prober->context)->answer);
    return 0;
}

static int print_json(struct prober *prober, struct json *json)
{
    const struct file_prober *r = prober->context;
    return json_structure_answer(json, &r->answer, &r->values);
}

static void close_prober(struct prober *prober)
{
    struct file_prober *r = prober->context;
    structure_file_close(r->file);
    free(r);
}

static int probe(struct prober *prober, const struct probe_request *request)
{
    enum { CACHE_BYTES = 64 << 20 };
    struct file_prober *r;
    TRY(memory_new(&r, 1, sizeof *r, "probing"));
    r->chess.look_up = look_up;
    r->chess.rank = rank;
    *prober = (struct prober){.key = "fen",
                              .columns = 3,
                              .all_moves = true,
                              .context = &r->chess,
                              .work_out = work_out,
                              .print_text = print_text,
                              .print_tsv = print_tsv,
                              .print_json = print_json,
                              .close = close_prober};
    const int code = open_named(&r->file, request->table, request->folders, CACHE_BYTES);
    if (code == 0)
        r->values = structure_file_values(r->file);
    else
        close_prober(prober);
    return code;
}

// ---- stats ----

static int stats(const struct stats_request *request)
{
    enum { CACHE_BYTES = 64 << 20 };
    struct structure_file *file;
    struct outcome_counts *counts;
    TRY(open_named(&file, request->name, request->folders, CACHE_BYTES));
    int code = memory_new(&counts, 1, sizeof *counts, "statistics");
    THEN(code, structure_count(counts, file, request->pool));
    if (code == 0)
        placed_stats_print(request, request->name, counts, true);
    free(counts);
    structure_file_close(file);
    return code;
}

// ---- verify ----

static int verify_proof(const struct verify_request *request, struct verify_summary *summary)
{
    char *folders = folders_with(request->name, request->folders);
    struct proof *proof = NULL;
    struct verdict_value value = {.low = {.outcome = CLTB_LOSS}};
    char outcomes[VERDICT_MAX];
    if (folders == NULL)
        return error_memory(strlen(request->folders), "a list of folders");
    int code = proof_open(&proof, request->name, folders);
    THEN(code, proof_verify(proof, request->pool, &value.low.outcome, &value.high.outcome));
    if (code == CLTB_E_MISMATCH)
        error_prefix(code, "%s is wrong", request->name);
    *summary = (struct verify_summary){.checked = code == 0 ? proof->claims : 0, .unit = "claims", .checksums = true};
    snprintf(summary->parts, sizeof summary->parts, "for White: %s", verdict_outcomes(&value, outcomes));
    proof_close(proof);
    free(folders);
    return code;
}

static int verify(const struct verify_request *request, struct verify_summary *summary)
{
    enum { CACHE_BYTES = 1 << 30 };
    const struct placed_verify_options options = {request->sample, request->seed, request->pool};
    struct structure_file *file;
    uint64_t positions = 0;
    if (proof_is(request->name))
        return verify_proof(request, summary);
    TRY(open_named(&file, request->name, request->folders, CACHE_BYTES));
    const int code = structure_verify(file, &options, &positions);
    if (code == CLTB_E_MISMATCH)
        error_prefix(code, "%s is wrong", request->name);
    *summary = (struct verify_summary){
        .checked = positions, .unit = "positions", .sampled = request->sample > 0, .checksums = true};
    structure_file_close(file);
    return code;
}

// ---- info ----

static int info_proof(const char *path, bool as_json)
{
    struct proof *proof;
    struct json json = {.depth = 0};
    TRY(proof_open(&proof, path, "."));
    if (as_json) {
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_text(&json, "fen", proof->fen);
        json_count(&json, "bytes", proof->file_bytes);
        json_count(&json, "structures", proof->structures);
        json_count(&json, "claims", proof->claims);
        json_text(&json, "tables", proof->names);
        json_close(&json);
    } else {
        printf("%s: a proof of %s, %" PRIu64 " bytes\n", path, proof->fen, proof->file_bytes);
        printf("%zu claims of who wins, in %zu structures\n", proof->claims, proof->structures);
        printf("tables that it needs: %s\n", proof->names[0] != '\0' ? proof->names : "none");
    }
    proof_close(proof);
    return 0;
}

static int info(const char *path, bool as_json)
{
    struct structure_file *file;
    struct json json = {.depth = 0};
    if (proof_is(path))
        return info_proof(path, as_json);
    TRY(structure_file_open(&file, path, ".", 1 << 20));
    const struct structure_file_info *info = &file->info;
    if (as_json) {
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_text(&json, "fen", info->fen);
        json_count(&json, "bytes", info->file_bytes);
        json_count(&json, "structures", info->structures);
        json_count(&json, "exact", info->exact);
        json_count(&json, "bounded", info->bounded);
        json_count(&json, "entries", info->entries);
        json_count(&json, "effort", info->effort);
        json_text(&json, "tables", info->tables);
        json_close(&json);
    } else {
        printf("%s: all that can come of %s, %" PRIu64 " bytes\n", path, info->fen, info->file_bytes);
        printf("%zu structures, %s entries; effort %" PRIu64 "\n", info->structures,
               unit_count((double)info->entries).text, info->effort);
        if (info->bounded > 0)
            printf("%zu structures are exact; %" PRIu64 " that are not in it are bounded\n", info->exact,
                   info->bounded);
        printf("tables that it leads to: %s\n", info->tables[0] != '\0' ? info->tables : "none");
    }
    structure_file_close(file);
    return 0;
}

// ---- the kind ----

static const struct option_rule probe_rules[] = {
    {"--metric=dtm --metric=dtc", NULL, "", "structures have distances to zeroing"},
    {"--format=epd --board", NULL, "", "structures have --format text, tsv and json, without --board"},
    {NULL}};

static const struct option_rule stats_rules[] = {
    {"--format=syzygy --zugzwangs --syzygy --recount --keep --reachable --stop --plies", NULL, "",
     "structures have --format text, tsv and json, and --longest"},
    {"--longest", NULL, "--format=tsv", "--longest belongs to --format tsv: text and json have the longest anyway"},
    {NULL}};

const struct endgame_kind kind_structures = {.options = "",
                                             .makes = makes,
                                             .names = names,
                                             .is_file = structure_file_is,
                                             .probe_rules = probe_rules,
                                             .stats_rules = stats_rules,
                                             .probe = probe,
                                             .stats = stats,
                                             .verify = verify,
                                             .info = info};
