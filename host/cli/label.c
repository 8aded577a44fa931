// label.c - `cltb label`: gives millions of positions, as trainers of evaluations have them, the results of tables
//
// 1. Every thread has a batch of its own. It takes the next records of the input, one thread at a time, and a turn.
// 2. It finds the positions that tables may hold and probes them all at once (cltb_probe_many()), so each table and
//    each of its blocks is read for a whole batch.
// 3. It puts the results in and writes the batch when its turn comes. So records keep their order, and memory does not
//    grow with the input.
//
// With --sample random positions take the place of the input.
#include "cli/label.h"
#include "cli/command.h"
#include "cli/progress.h"

#include "check/placements.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/random.h"
#include "util/threads.h"
#include "util/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_RECORDS = 1 << 18, BATCH_MAX = 1 << 24, LINE_BYTES = 64, NO_MORE = LABEL_NO_MORE };

struct label {
    cltb_tables *tables;
    struct label_rule rule;
    bool bullet;
    bool binpack; // the input
    bool quiet;
    size_t batch_records;
    struct label_batch *batch; // [threads]
    // The input, one thread at a time:
    pthread_mutex_t input;
    char **path; // [paths] of the files, of which the next one is number `next`
    int paths;
    int next;
    FILE *in;
    const char *name; // of the open file
    uint64_t chunk;   // bytes of a .binpack file's chunk that are left
    char *rest;       // [rest_size] bytes that the last batch has left
    size_t rest_size;
    size_t rest_room;
    uint64_t turns;
    int damage; // the error that ends the input
    char *damage_sentence;
    // Instead of files:
    const struct material *sample;
    uint64_t seed;
    uint64_t left; // positions still to be drawn
    // The output, in turn:
    pthread_mutex_t output;
    pthread_cond_t turned;
    FILE *out;
    uint64_t turn;
    int code; // the first error
    char *sentence;
    bool blamed; // a table that cannot be used has been named
    uint64_t records, covered, changed, faults;
    double start, shown, due;
};

// ---- batches ----

int label_add(struct label_batch *batch, size_t record, const cltb_position *position)
{
    if (batch->positions == batch->position_room) {
        const size_t room = batch->position_room == 0 ? 4096 : 2 * batch->position_room;
        // On huge pages, because they are read in another order: probing takes 4 % less.
        cltb_position *positions = memory_map(room * sizeof *positions);
        if (positions != NULL) {
            if (batch->positions > 0)
                memcpy(positions, batch->position, batch->positions * sizeof *positions);
            memory_unmap(batch->position, batch->position_room * sizeof *positions);
            batch->position = positions;
        }
        void *records = realloc(batch->record, room * sizeof *batch->record);
        batch->record = records == NULL ? batch->record : records;
        void *outcomes = realloc(batch->outcome, room);
        batch->outcome = outcomes == NULL ? batch->outcome : outcomes;
        if (positions == NULL || records == NULL || outcomes == NULL)
            return error_memory(room * sizeof *batch->position, "positions");
        batch->position_room = room;
    }
    batch->position[batch->positions] = *position;
    batch->record[batch->positions++] = (uint32_t)record;
    return 0;
}

void label_blame(struct label_batch *batch, size_t record)
{
    if (batch->faults < LABEL_FAULTS) {
        batch->fault[batch->faults].record = record;
        snprintf(batch->fault[batch->faults].text, sizeof batch->fault[0].text, "%s", error_text());
    }
    batch->faults++;
}

int label_result(const struct label_rule *rule, int outcome)
{
    if (outcome < CLTB_LOSS)
        return -1;
    const bool cursed = outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS;
    const int result = cursed && rule->clock != CLOCK_OFF ? 1 : outcome > CLTB_DRAW ? 2 : outcome < CLTB_DRAW ? 0 : 1;
    return rule->decided && result == 1 ? -1 : result;
}

static int make_room(char **bytes, size_t *room, size_t size)
{
    return size <= *room ? 0 : memory_grow(bytes, room, size, 1, "records");
}

// ---- input ----

// Opens the next file unless one is open. NO_MORE: there is none.
static int open_input(struct label *label)
{
    if (label->in != NULL)
        return 0;
    if (label->next == label->paths)
        return NO_MORE;
    const char *path = label->path[label->next++];
    if (os_is_folder(path, false))
        return error_set(CLTB_E_IO, "%s is a folder", path);
    label->in = strcmp(path, "-") == 0 ? stdin : os_read_stream(path);
    label->name = label->in == stdin ? "standard input" : path;
    return label->in != NULL ? 0 : error_errno(CLTB_E_IO, errno, "cannot open %s", path);
}

static int close_input(struct label *label)
{
    const bool bad = ferror(label->in) != 0;
    if (label->in != stdin)
        fclose(label->in);
    label->in = NULL;
    return bad ? error_set(CLTB_E_IO, "cannot read %s", label->name) : 0;
}

// Where a batch of these bytes may end; at the end of a file there must be nothing after it.
static size_t batch_end(const struct label *label, const char *bytes, size_t size, bool last)
{
    const bool bad = ferror(label->in) != 0;
    if (label->bullet)
        return size / BULLET_BYTES * BULLET_BYTES;
    return last && !bad ? size : label_text_end(bytes, size, label->rule.games && !bad);
}

// Reads the next records; NO_MORE at the end. After an error the batch has the records before the damage.
static int read_records(struct label *label, struct label_batch *batch)
{
    size_t wanted = label->batch_records * (label->bullet ? BULLET_BYTES : LINE_BYTES);
    TRY(open_input(label));
    if (label->binpack) {
        const int code = label_read_binpack(batch, label->in, &label->chunk, label->batch_records, label->bullet);
        if (code == NO_MORE || ferror(label->in) != 0)
            return close_input(label);
        return code == 0 ? 0 : error_prefix(code, "%s", label->name);
    }
    TRY(make_room(&batch->bytes, &batch->room, label->rest_size + 2));
    batch->size = label->rest_size;
    if (batch->size > 0)
        memcpy(batch->bytes, label->rest, batch->size);
    for (;; wanted *= 2) { // a line, or a game, may be longer than a batch
        wanted = wanted > batch->size ? wanted : batch->size + 1;
        TRY(make_room(&batch->bytes, &batch->room, wanted + 2));
        batch->size += fread(batch->bytes + batch->size, 1, wanted - batch->size, label->in);
        const bool last = batch->size < wanted;
        const size_t end = batch_end(label, batch->bytes, batch->size, last);
        if (end == 0 && !last && wanted < SIZE_MAX / 4)
            continue;
        label->rest_size = batch->size - end;
        TRY(make_room(&label->rest, &label->rest_room, label->rest_size));
        if (label->rest_size > 0)
            memcpy(label->rest, batch->bytes + end, label->rest_size);
        batch->size = end;
        if (!last)
            return 0;
        if (label->rest_size > 0 && ferror(label->in) == 0)
            return error_set(CLTB_E_CORRUPT, "%s ends within a record of %d bytes", label->name, BULLET_BYTES);
        if (!label->bullet && end > 0 && batch->bytes[end - 1] != '\n')
            batch->bytes[batch->size++] = '\n';
        return close_input(label);
    }
}

// Draws `count` random legal positions: each placement and side to move has the same chance.
static int draw_records(const struct label *label, struct label_batch *batch, uint64_t count, uint64_t turn)
{
    struct position p;
    struct man man[MATERIAL_MEN_MAX];
    cltb_position position;
    uint64_t state = label->seed;
    state = random_next(&state) + turn;
    state = random_next(&state);
    const int men = placement_men(label->sample, man);
    const size_t most = label->bullet ? BULLET_BYTES : FEN_MAX + 1;
    TRY(make_room(&batch->bytes, &batch->room, count * most + 1));
    for (batch->size = 0; count > 0;) {
        uint64_t random = random_next(&state);
        for (int k = 0; k < men; k++, random >>= 6)
            man[k].square = (uint8_t)(random & 63);
        if (position_set(&p, man, men, (int)(random & 1)) != 0 || !position_legal(&p))
            continue;
        count--;
        if (label->bullet) {
            position_to_public(&p, &position);
            label_make_bullet(&position, 0, 1, batch->bytes + batch->size);
            batch->size += BULLET_BYTES;
        } else {
            fen_write(&p, batch->bytes + batch->size);
            batch->size += strlen(batch->bytes + batch->size);
            batch->bytes[batch->size++] = '\n';
        }
    }
    return 0;
}

// Reads the next records unless an error has ended the input; the records before it are a batch of their own.
static int read_sound_records(struct label *label, struct label_batch *batch)
{
    if (label->damage != 0)
        return error_set(label->damage, "%s", label->damage_sentence);
    const int code = read_records(label, batch);
    if (code >= 0 || code == CLTB_E_MEMORY || batch->size == 0)
        return code;
    label->damage_sentence = strdup(error_text());
    if (label->damage_sentence == NULL)
        return code;
    label->damage = code;
    return 0;
}

// Fills a batch with what comes next, and takes its turn.
static int fill(struct label *label, struct label_batch *batch, uint64_t *turn)
{
    pthread_mutex_lock(&label->input);
    *turn = label->turns++;
    batch->size = 0;
    uint64_t drawn = label->left < label->batch_records ? label->left : label->batch_records;
    label->left -= drawn;
    int code = 0;
    if (label->sample == NULL)
        code = read_sound_records(label, batch);
    else if (drawn == 0)
        code = NO_MORE;
    pthread_mutex_unlock(&label->input);
    return code == 0 && label->sample != NULL ? draw_records(label, batch, drawn, *turn) : code;
}

// ---- labels ----

// Notes the illegal positions of a batch, and names the first table that cannot be used.
static void look_at_errors(struct label *label, struct label_batch *batch)
{
    for (size_t i = 0; i < batch->positions; i++) {
        cltb_value value;
        const int8_t code = batch->outcome[i];
        batch->covered += code >= CLTB_LOSS;
        if (code >= CLTB_LOSS || code == CLTB_E_MISSING)
            continue;
        if (code == CLTB_E_POSITION && batch->faults >= LABEL_FAULTS) {
            batch->faults++;
            continue;
        }
        const bool unusable = code != CLTB_E_POSITION;
        pthread_mutex_lock(&label->output);
        const bool blamed = unusable && label->blamed;
        label->blamed |= unusable;
        pthread_mutex_unlock(&label->output);
        if (!blamed && cltb_probe(label->tables, &batch->position[i], &value) != 0)
            label_blame(batch, batch->record[i]);
    }
}

static int work_out(struct label *label, struct label_batch *batch)
{
    batch->positions = batch->records = 0;
    batch->faults = batch->covered = batch->changed = 0;
    TRY(label->bullet ? label_read_bullet(batch) : label_read_text(batch, &label->rule));
    for (size_t i = 0; label->rule.clock != CLOCK_HEEDED && i < batch->positions; i++)
        batch->position[i].fifty = 0;
    if (batch->positions > 0)
        TRY(cltb_probe_many(label->tables, batch->position, batch->positions, batch->outcome, NULL));
    look_at_errors(label, batch);
    if (!label->bullet)
        return label_write_text(batch, &label->rule);
    label_write_bullet(batch, &label->rule);
    return 0;
}

// ---- output ----

static void print_figures(struct label *label, const char *end)
{
    fprintf(stderr, "%s records: tables cover %s, %s had another result; %s a second%s",
            unit_count((double)label->records).text, unit_count((double)label->covered).text,
            unit_count((double)label->changed).text,
            unit_count((double)label->records / (wall_seconds() - label->start + 1e-9)).text, end);
}

static int watch(void *context)
{
    struct label *label = context;
    const double now = wall_seconds();
    const bool terminal = isatty(STDERR_FILENO);
    if (!label->quiet && (terminal ? now - label->shown > 0.5 : progress_due(&label->due, now - label->start))) {
        pthread_mutex_lock(&label->output);
        label->shown = now;
        print_figures(label, terminal ? "   \r" : "\n");
        pthread_mutex_unlock(&label->output);
    }
    return interrupted != 0 ? CLTB_E_INTERRUPTED : 0;
}

static int put_out(struct label *label, const struct label_batch *batch)
{
    const uint64_t told = batch->faults < LABEL_FAULTS ? batch->faults : LABEL_FAULTS;
    const char *bytes = label->bullet ? batch->bytes : batch->out;
    const size_t size = label->bullet ? batch->size : batch->out_size;
    for (uint64_t i = 0; i < told && label->faults + i < LABEL_FAULTS; i++)
        fault_line("cltb label: %s %llu: %s", label->bullet ? "record" : "line",
                   (unsigned long long)label->records + (unsigned long long)batch->fault[i].record + 1,
                   batch->fault[i].text);
    label->records += batch->records;
    label->covered += batch->covered;
    label->changed += batch->changed;
    label->faults += batch->faults;
    return fwrite(bytes, 1, size, label->out) == size ? 0 : error_errno(CLTB_E_IO, errno, "cannot write");
}

static int work(void *context, uint64_t item, int worker)
{
    struct label *label = context;
    struct label_batch *batch = &label->batch[worker];
    uint64_t turn;
    (void)item;
    int code = fill(label, batch, &turn);
    THEN(code, work_out(label, batch));
    pthread_mutex_lock(&label->output);
    while (label->turn != turn)
        pthread_cond_wait(&label->turned, &label->output);
    if (code == 0 && label->code == 0)
        code = put_out(label, batch);
    if (code < 0 && label->code == 0) {
        label->code = code;
        label->sentence = strdup(error_text());
    }
    code = label->code != 0 ? label->code : code;
    label->turn++;
    pthread_cond_broadcast(&label->turned);
    pthread_mutex_unlock(&label->output);
    return code;
}

// ---- the command ----

static int label_all(struct label *label, int threads)
{
    struct thread_pool *pool;
    TRY(threads_open(&pool, threads));
    const int workers = threads_count(pool);
    int code = memory_new(&label->batch, (size_t)workers, sizeof *label->batch, "batches");
    pthread_mutex_init(&label->input, NULL);
    pthread_mutex_init(&label->output, NULL);
    pthread_cond_init(&label->turned, NULL);
    interrupts_catch();
    label->start = wall_seconds();
    threads_watch(pool, watch, label);
    THEN(code, threads_each(pool, UINT64_MAX, work, label));
    threads_watch(pool, NULL, NULL);
    code = code == NO_MORE ? 0 : code;
    if (label->code != 0 && label->code != NO_MORE && interrupted == 0)
        code = error_set(label->code, "%s", label->sentence == NULL ? "" : label->sentence);
    if (fflush(label->out) != 0 && code == 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write");
    for (int i = 0; i < workers && label->batch != NULL; i++) {
        struct label_batch *batch = &label->batch[i];
        void *const parts[] = {batch->bytes, batch->record, batch->outcome, batch->line, batch->out};
        memory_unmap(batch->position, batch->position_room * sizeof *batch->position);
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            free(parts[k]);
    }
    free(label->batch);
    free(label->rest);
    free(label->damage_sentence);
    free(label->sentence);
    threads_close(pool);
    pthread_mutex_destroy(&label->input);
    pthread_mutex_destroy(&label->output);
    pthread_cond_destroy(&label->turned);
    return code;
}

// Would the output overwrite an input?
static bool overwrites(const struct label *label, const char *output)
{
    struct stat out;
    struct stat in;
    for (int i = 0; label->sample == NULL && output != NULL && i < label->paths; i++)
        if (strcmp(label->path[i], output) == 0 ||
            (stat(label->path[i], &in) == 0 && stat(output, &out) == 0 && S_ISREG(out.st_mode) && out.st_ino != 0 &&
             out.st_ino == in.st_ino && out.st_dev == in.st_dev))
            return true;
    return false;
}

// Is there a table whose positions are drawn?
static int find_sampled(const struct label *label, const char *folders)
{
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + sizeof ".cltb"];
    const int has = cltb_has_table(label->tables, material_name(label->sample, name));
    snprintf(file, sizeof file, "%s.cltb", name);
    return has > 0 ? 0 : has < 0 ? has : tables_missing(folders, file, label->sample);
}

static int run(int argc, char **argv)
{
    struct label label = {.out = stdout};
    const char *dir = NULL;
    const char *format = "text";
    const char *clock = "heeded";
    const char *output = NULL;
    uint64_t batch = BATCH_RECORDS;
    uint64_t cache = (uint64_t)1 << 30;
    uint64_t threads = 0;
    struct material material;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|bullet"},
        {.name = "--binpack", .kind = OPTION_FLAG, .value = &label.binpack},
        {.name = "--clock", .kind = OPTION_CHOICE, .value = &clock, .choices = "heeded|fresh|off"},
        {.name = "--decided", .kind = OPTION_FLAG, .value = &label.rule.decided},
        {.name = "--games", .kind = OPTION_FLAG, .value = &label.rule.games},
        {.name = "--output", .kind = OPTION_FILE, .value = &output},
        {.name = "--sample", .kind = OPTION_NUMBER, .value = &label.left, .least = 1, .most = UINT64_MAX},
        {.name = "--seed", .kind = OPTION_NUMBER, .value = &label.seed, .most = UINT64_MAX},
        {.name = "--batch", .kind = OPTION_NUMBER, .value = &batch, .least = 1, .most = BATCH_MAX},
        {.name = "--cache", .kind = OPTION_SIZE, .value = &cache, .least = 1},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &label.quiet},
        {.name = "", .kind = OPTION_FILE},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "label", argc, argv, options));
    static const struct option_rule rules[] = {{"--games", "--sample --format=bullet", "",
                                                "--games is for lines of text: records do not tell whose move it is"},
                                               {"--seed", "", "--sample", "--seed belongs to --sample"},
                                               {"--binpack", "--sample", "", "--sample reads no files"},
                                               {NULL}};
    TRY(options_check(&arguments, rules));
    if (arguments.count == 0)
        return usage_fault("label", label.left > 0 ? "which table? Give a name such as KRPvKR"
                                                   : "needs a file of positions, or - for standard input");
    if (label.left > 0) {
        if (arguments.count > 1)
            return usage_fault("label", "--sample takes one table at a time");
        const int status = material_parse(&material, arguments.word[0], NULL);
        if (status != 0)
            return report("label", status);
        label.sample = &material;
    }
    label.bullet = strcmp(format, "bullet") == 0;
    label.rule.clock = clock[0] == 'h' ? CLOCK_HEEDED : clock[0] == 'f' ? CLOCK_FRESH : CLOCK_OFF;
    label.batch_records = (size_t)batch;
    label.path = arguments.word;
    label.paths = arguments.count;
    if (overwrites(&label, output))
        return usage_fault("label", "%s is an input, too: the output goes to another file", output);
    if (label.bullet && output == NULL && isatty(STDOUT_FILENO))
        return usage_fault("label", "records of bullet are not for a terminal: give --output FILE");
    int code = cltb_open(&label.tables, tables_dir(dir), &(cltb_options){.cache_bytes = (size_t)cache});
    if (code == 0 && label.sample != NULL)
        code = find_sampled(&label, tables_dir(dir));
    if (code == 0 && output != NULL && (label.out = fopen(output, "wb")) == NULL)
        code = error_errno(CLTB_E_IO, errno, "cannot create %s", output);
    THEN(code, label_all(&label, (int)threads));
    if (label.out != NULL && label.out != stdout && fclose(label.out) != 0 && code == 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write %s", output);
    cltb_close(label.tables);
    if (interrupted != 0)
        return EXIT_INTERRUPTED;
    if (code != 0)
        return report("label", code);
    if (label.faults > LABEL_FAULTS)
        fault_line("cltb label: %llu more records of this kind stay as they were",
                   (unsigned long long)(label.faults - LABEL_FAULTS));
    if (!label.quiet)
        print_figures(&label, "\n");
    return label.faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command label_command = {"label", run, "gives positions for training the results of tables"};
