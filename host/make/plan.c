// plan.c - which tables a build has to make, in what order, and what that takes
#include "make/plan.h"

#include "index/layout.h"
#include "index/pawns.h"
#include "make/pawn_memory.h"
#include "make/streamed_table.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"
#include "util/threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- estimates ----

// One thread of a Zen 5 with AVX-512 (docs/performance.md). Without pawns: the sums over all tables of five men; with
// pawns: some tables with one and two pawns, half of them against a bare king.
const struct plan_rates plan_measured_rates = {
    .solve = {4.2e8, 2.0e8},
    .write = {7.5e7, 1.0e8},
    .write_best = 6,
    .table_seconds = 0.02,
    .more_processors = 0.9,
    .table_bytes = 5000,
    .file_bits = {{0.28, 0.13}, {0.25, 0.05}},
    .disk = 1.2e9,
    .disk_plies = 40, // KQRvKRB; KQRvKR, with smaller requests, takes 26 and is slower at each
    .work_bits = 1.5,
};

enum { FAR_STRONGER = 9 }; // a queen

enum {
    ITERATION_PLANES = 6, // won 2, closed, new losses 2, new wins
    DECIDED_PLANES = 2,   // for a file
    OUTCOME_PLANES = 2,   // of a side whose distances are not kept
    TYPICAL_PLANES = 7    // of a side whose distances are
};

// n choose k for a rank's squares.
static uint64_t choose(int n, int k)
{
    uint64_t c = k <= n ? 1 : 0;
    for (int i = 0; i < k && k <= n; i++)
        c = c * (uint64_t)(n - i) / (uint64_t)(i + 1);
    return c;
}

enum { SIDE_PAWNS_MAX = MATERIAL_MEN_MAX - 2, ADVANCE_MAX = SIDE_PAWNS_MAX * (PAWN_RANKS - 1) };

// Placements by the number of either side's pawns and total advance.
struct placements {
    uint64_t count[SIDE_PAWNS_MAX + 1][SIDE_PAWNS_MAX + 1][ADVANCE_MAX + 1];
};

// Deals pawns to a rank, `each` at a time: 1 on any of 8 files, or 2 on any of 4 pairs of mirrored files.
static void deal_rank(struct placements *to, const struct placements *from, const int pawns[COLOURS], int rank,
                      int each)
{
    const int files = 8 / each;
    for (int white = 0; white <= pawns[WHITE]; white++) {
        for (int black = 0; black <= pawns[BLACK]; black++) {
            for (int w = 0; w <= white / each && w <= files; w++) {
                for (int b = 0; b <= black / each && w + b <= files; b++) {
                    const uint64_t ways = choose(files, w) * choose(files - w, b);
                    const int advance = each * (w * rank + b * (PAWN_RANKS - 1 - rank));
                    for (int a = advance; a <= ADVANCE_MAX; a++)
                        to->count[white][black][a] +=
                            ways * from->count[white - w * each][black - b * each][a - advance];
                }
            }
        }
    }
}

static void count_placements(struct placements *result, const int pawns[COLOURS], int each)
{
    *result = (struct placements){.count[0][0][0] = 1};
    for (int rank = 0; rank < PAWN_RANKS; rank++) {
        const struct placements before = *result;
        *result = (struct placements){0};
        deal_rank(result, &before, pawns, rank, each);
    }
}

// Half of those that are not their own mirror image, and all that are.
uint64_t plan_slices(const struct material *material, uint64_t *most)
{
    const int pawns[COLOURS] = {material->count[WHITE][PAWN], material->count[BLACK][PAWN]};
    struct placements all;
    struct placements mirrored;
    uint64_t slices = 0;
    uint64_t largest = 0;
    count_placements(&all, pawns, 1);
    count_placements(&mirrored, pawns, 2);
    for (int a = 0; a <= ADVANCE_MAX; a++) {
        const uint64_t here =
            (all.count[pawns[WHITE]][pawns[BLACK]][a] + mirrored.count[pawns[WHITE]][pawns[BLACK]][a]) / 2;
        slices += here;
        largest = here > largest ? here : largest;
    }
    if (most != NULL)
        *most = largest;
    return slices;
}

static int pawns_of(const struct material *material)
{
    return material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
}

// Of one slice: 64^n.
static uint64_t slice_entries(const struct material *material)
{
    return UINT64_C(1) << 6 * (material_men(material) - pawns_of(material));
}

static uint64_t index_entries(const struct material *material)
{
    struct layout layout;
    if (material_has_pawns(material))
        return u64_product(2 * plan_slices(material, NULL), slice_entries(material));
    return layout_init(&layout, material, LAYOUT_PAIR) == 0 ? u64_product(2, layout_bits(&layout)) : UINT64_MAX;
}

// Identical pieces are stored once, and one side to move does where both have the same men.
static double file_entries(const struct material *material)
{
    struct material pieces = *material;
    double entries = material_symmetric(material) ? 1 : 2;
    if (material_has_pawns(material)) {
        pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
        entries *= (double)plan_slices(material, NULL) * (double)slice_entries(material);
    } else {
        entries *= 10 * (double)(UINT64_C(1) << 6 * (material_men(material) - 1));
    }
    return entries / material_arrangements(&pieces);
}

// The values that beginners learn, White's less Black's.
static int balance_of(const struct material *material)
{
    static const int worth[PIECE_TYPES] = {[QUEEN] = 9, [ROOK] = 5, [BISHOP] = 3, [KNIGHT] = 3, [PAWN] = 1};
    int balance = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        balance += worth[type] * (material->count[WHITE][type] - material->count[BLACK][type]);
    return balance;
}

// Files of endgames that one side wins nearly always, if anybody does, are the smaller ones.
static int one_sided(const struct material *material)
{
    int black = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        black += material->count[BLACK][type];
    return black == 0 || abs(balance_of(material)) >= FAR_STRONGER ? 1 : 0;
}

static void estimate(struct plan_table *table, const struct build_options *options, const struct plan_rates *rates)
{
    const struct material *material = &table->material;
    const int pawns = material_has_pawns(material) ? 1 : 0;
    const int threads = options->threads > 0 ? options->threads : threads_processors();
    const double stored = file_entries(material);
    double cpu = (double)table->entries / rates->solve[pawns];
    if (table->write) {
        cpu += stored / rates->write[pawns] * (options->best ? rates->write_best : 1);
        table->file_bytes = (uint64_t)(rates->table_bytes + stored * rates->file_bits[pawns][one_sided(material)] / 8);
        table->work_bytes = pawns ? (uint64_t)((double)table->entries * rates->work_bits / 8) : 0;
    }
    table->seconds = cpu / (1 + rates->more_processors * (threads - 1)) + rates->table_seconds;
    if (table->stream.streamed) {
        table->work_bytes = table->stream.scratch_bytes;
        table->seconds += rates->disk_plies * (double)table->stream.ply_bytes / rates->disk;
    }
}

// ---- memory ----

struct plan_distances plan_distances(const struct material *material, const struct build_options *options)
{
    const bool both = (options->both_sides || options->best) && !material_symmetric(material);
    const int strong = balance_of(material) >= 0 ? WHITE : BLACK;
    struct plan_distances distances = {.last_attacker = strong};
    distances.keep[strong] = true;
    distances.keep[strong ^ 1] = both;
    return distances;
}

static uint64_t memory_with_pawns(const struct material *material, const struct build_options *options, bool write)
{
    struct pawn_memory memory;
    pawn_memory(&memory, material, options, write);
    return memory.taken;
}

uint64_t plan_memory_bytes(const struct material *material, const struct build_options *options, bool write)
{
    if (material_has_pawns(material))
        return memory_with_pawns(material, options, write);
    struct layout layout;
    if (layout_init(&layout, material, LAYOUT_PAIR) != 0)
        return UINT64_MAX;
    const struct plan_distances distances = plan_distances(material, options);
    const bool both = distances.keep[WHITE] && distances.keep[BLACK];
    const int planes =
        ITERATION_PLANES + TYPICAL_PLANES + (both ? TYPICAL_PLANES : OUTCOME_PLANES) + (write ? DECIDED_PLANES : 0);
    return u64_product(layout_bits(&layout) / 8 + layout.tiles, (uint64_t)planes);
}

struct bytes_text {
    char text[24];
};

static struct bytes_text bytes_text(uint64_t bytes)
{
    struct bytes_text text;
    const double n = (double)bytes;
    const double unit = n >= 1e9 ? 1e9 : n >= 1e6 ? 1e6 : 1e3;
    snprintf(text.text, sizeof text.text, "%.*f %s", n / unit < 9.95 ? 2 : 1, n / unit,
             n >= 1e9   ? "GB"
             : n >= 1e6 ? "MB"
                        : "kB");
    return text;
}

// The bytes that there are. Where nobody has set a limit a little is left to others.
static uint64_t memory_there(const struct build_options *options)
{
    const uint64_t physical = memory_physical();
    return options->memory > 0 ? options->memory : physical - physical / 16;
}

// What does not fit anyhow is found out by plan_check().
static void plan_memory(struct plan_table *table, const struct build_options *options,
                        const struct device_limits *device)
{
    if (material_has_pawns(&table->material)) {
        table->memory = plan_memory_bytes(&table->material, options, table->write);
        return;
    }
    (void)plan_stream(&table->stream, &table->material, options, table->write, memory_there(options), device);
    table->memory = table->stream.memory;
}

static int check_memory(const struct plan_table *table, const struct build_options *options, uint64_t limit)
{
    char name[MATERIAL_NAME_MAX];
    const struct plan_distances distances = plan_distances(&table->material, options);
    const bool both = distances.keep[WHITE] && distances.keep[BLACK];
    if (table->stream.device_too_small)
        return error_set(CLTB_E_MEMORY,
                         "%s: the device has too little memory even for the smallest windows of its planes (--device "
                         "cpu takes that of the machine)",
                         material_name(&table->material, name));
    if (options->block > 0 && table->stream.block_memory == PLAN_NO_MEMORY)
        return error_set(CLTB_E_MEMORY,
                         "%s: the device is too small for blocks of the size that is asked for (see --block)",
                         material_name(&table->material, name));
    if (table->memory <= limit && options->block > 0 && table->stream.block_memory > 0)
        return error_set(
            CLTB_E_MEMORY,
            "%s: blocks on disk of the size that is asked for take about %s of memory, %s are allowed (see --block)",
            material_name(&table->material, name), bytes_text(table->stream.block_memory).text, bytes_text(limit).text);
    if (table->memory <= limit)
        return 0;
    return error_set(CLTB_E_MEMORY, "%s%s needs about %s of memory, %s are allowed",
                     material_name(&table->material, name), both ? " with the distances of both sides" : "",
                     bytes_text(table->memory).text, bytes_text(limit).text);
}

int plan_check(const struct plan *plan, const struct build_options *options)
{
    const uint64_t limit = memory_there(options);
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char name[MATERIAL_NAME_MAX];
        if (table->state != PLAN_PRESENT && pawns_of(&table->material) > PAWNS_MAX)
            return error_set(CLTB_E_USAGE, "%s has more than %d pawns: its table cannot be made",
                             material_name(&table->material, name), PAWNS_MAX);
    }
    for (size_t i = 0; i < plan->count; i++)
        if (plan->table[i].state != PLAN_PRESENT)
            TRY(check_memory(&plan->table[i], options, limit));
    const char *scratch = options->scratch != NULL ? options->scratch : options->dir;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->table[i].state != PLAN_PRESENT && plan->table[i].stream.streamed)
            TRY(streamed_table_room(scratch, &plan->table[i].material, plan->table[i].stream.scratch_bytes));
    return 0;
}

// ---- the graph ----

static size_t add_futurebase(struct material *futurebases, size_t count, struct material material)
{
    if (material_men(&material) < 3)
        return count;
    material_normalise(&material);
    for (size_t i = 0; i < count; i++)
        if (material_equal(&futurebases[i], &material))
            return count;
    futurebases[count] = material;
    return count + 1;
}

int plan_futurebases(const struct material *material, struct material futurebases[PLAN_FUTUREBASES_MAX])
{
    size_t count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= PAWN; type++) {
            struct material sub = *material;
            if (sub.count[colour][type] == 0)
                continue;
            sub.count[colour][type]--;
            count = add_futurebase(futurebases, count, sub);
            for (int promoted = QUEEN; type == PAWN && promoted <= KNIGHT; promoted++) {
                struct material with = sub;
                with.count[colour][promoted]++;
                count = add_futurebase(futurebases, count, with);
            }
        }
    }
    return (int)count;
}

enum { CAPTURE_BASES_MAX = 2 * (5 + 4 * 4) }; // a capture of each kind of man; 4 promotions that capture each of 4

// What a table that is read is completed with (table/table.h): what captures lead to, those that promote among them.
static int capture_bases(const struct material *material, struct material bases[CAPTURE_BASES_MAX])
{
    size_t count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= PAWN; type++) {
            struct material sub = *material;
            if (sub.count[colour][type] == 0)
                continue;
            sub.count[colour][type]--;
            count = add_futurebase(bases, count, sub);
            if (type == PAWN || sub.count[colour ^ 1][PAWN] == 0)
                continue;
            sub.count[colour ^ 1][PAWN]--;
            for (int promoted = QUEEN; promoted <= KNIGHT; promoted++) {
                struct material with = sub;
                with.count[colour ^ 1][promoted]++;
                count = add_futurebase(bases, count, with);
            }
        }
    }
    return (int)count;
}

// A plan in the making: its tables are found by their material.
struct walk {
    struct plan *plan;
    size_t space;  // of plan->table
    size_t *place; // [places] 1 + number in the plan, or 0; open addressing
    size_t places; // a power of 2, more than twice plan->count
};

static size_t hash(const struct material *material)
{
    uint64_t key = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = QUEEN; type <= PAWN; type++)
            key = key << 4 | material->count[colour][type];
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

// The place of a material, or the empty one where it belongs.
static size_t *find_place(const struct walk *walk, const struct material *material)
{
    size_t at = hash(material) & (walk->places - 1);
    while (walk->place[at] != 0 && !material_equal(&walk->plan->table[walk->place[at] - 1].material, material))
        at = (at + 1) & (walk->places - 1);
    return &walk->place[at];
}

static struct plan_table *find_table(const struct walk *walk, const struct material *material)
{
    const size_t place = *find_place(walk, material);
    return place == 0 ? NULL : &walk->plan->table[place - 1];
}

// For all to see that it is no success: a NULL table is never looked at.
static int no_memory(size_t bytes)
{
    error_memory(bytes, "a plan");
    return CLTB_E_MEMORY;
}

static int make_space(struct walk *walk)
{
    const size_t space = walk->space == 0 ? 256 : 2 * walk->space;
    struct plan_table *table = realloc(walk->plan->table, space * sizeof *table);
    if (table == NULL)
        return no_memory(space * sizeof *table);
    walk->plan->table = table;
    walk->space = space;
    free(walk->place);
    walk->places = 4 * space;
    walk->place = calloc(walk->places, sizeof *walk->place);
    if (walk->place == NULL)
        return no_memory(walk->places * sizeof *walk->place);
    for (size_t i = 0; i < walk->plan->count; i++)
        *find_place(walk, &table[i].material) = i + 1;
    return 0;
}

// The futurebases, then the table itself. As deep as there are men and pawns.
static int add_table(struct walk *walk, const struct material *material)
{
    if (*find_place(walk, material) != 0)
        return 0;
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    const int count = plan_futurebases(material, futurebases);
    for (int i = 0; i < count; i++)
        TRY(add_table(walk, &futurebases[i]));
    if (walk->plan->count == walk->space)
        TRY(make_space(walk));
    walk->plan->table[walk->plan->count] = (struct plan_table){.material = *material};
    *find_place(walk, material) = ++walk->plan->count;
    return 0;
}

static int add_all(struct walk *walk, const struct material *materials, size_t count)
{
    TRY(make_space(walk));
    for (size_t i = 0; i < count; i++) {
        TRY(add_table(walk, &materials[i]));
        find_table(walk, &materials[i])->named = true;
    }
    return 0;
}

// ---- what is there ----

static int open_present(struct table **bulk, const struct plan_table *table, const struct build_options *options)
{
    char path[PATH_MAX];
    *bulk = NULL;
    TRY(table_locate(path, sizeof path, options->search != NULL ? options->search : options->dir, &table->material));
    return table_open_material(bulk, path, &table->material);
}

// With the present error sentence.
static int replace(struct plan_table *table)
{
    table->state = PLAN_REPLACE;
    table->file_bytes = 0;
    table->reason = strdup(error_text());
    return table->reason == NULL ? error_memory(0, "a plan") : 0;
}

// Is there a table with a sound head in one of the folders? `reason` is set for a damaged one, which is made anew; what
// is no table of this program is nobody's to write over.
static int look_for(struct plan_table *table, const struct build_options *options)
{
    struct table *bulk;
    const bool forced = table->named && options->force;
    const int code = open_present(&bulk, table, options);
    if (code == 0 && !forced) {
        table->state = PLAN_PRESENT;
        table->file_bytes = table_info(bulk)->file_bytes;
    }
    table_close(bulk);
    if (code == CLTB_E_FOREIGN)
        return error_append(code, "; move it away, or use another folder");
    if (forced)
        return 0;
    if (code == CLTB_E_CORRUPT)
        return replace(table);
    return code == CLTB_E_MISSING ? 0 : code;
}

// Of a table with a sound head.
static int check_blocks(struct plan_table *table, const struct build_options *options, struct thread_pool *pool)
{
    struct table *bulk;
    int code = open_present(&bulk, table, options);
    if (code == 0)
        code = table_check_hashes(bulk, pool);
    table_close(bulk);
    table->checked = code == 0;
    return code == CLTB_E_CORRUPT ? replace(table) : code;
}

static bool to_make(const struct plan_table *table, const struct build_options *options)
{
    return table->state != PLAN_PRESENT || (table->named && options->solve_only);
}

static bool to_check(const struct plan_table *table, const struct build_options *options)
{
    return table->state == PLAN_PRESENT && !table->checked && (table->needed || (table->named && !options->solve_only));
}

// Solving a table reads its futurebases, and these are complete only with what captures lead to in turn. Whoever reads a table stands behind
// it, so that it is known here whether a table is read; a damaged one needs its futurebases in turn.
static int mark_needed(const struct walk *walk, const struct build_options *options, struct thread_pool *pool)
{
    for (size_t i = walk->plan->count; i-- > 0;) {
        struct plan_table *table = &walk->plan->table[i];
        struct material futurebases[CAPTURE_BASES_MAX];
        if (to_check(table, options))
            TRY(check_blocks(table, options, pool));
        if (!table->needed && !to_make(table, options))
            continue;
        const int count = to_make(table, options) ? plan_futurebases(&table->material, futurebases)
                                                  : capture_bases(&table->material, futurebases);
        for (int j = 0; j < count; j++)
            find_table(walk, &futurebases[j])->needed = true;
    }
    return 0;
}

static int check_and_mark(const struct walk *walk, const struct build_options *options)
{
    struct thread_pool *pool;
    TRY(threads_open(&pool, options->threads));
    const int code = mark_needed(walk, options, pool);
    threads_close(pool);
    return code;
}

// A table that is only to be solved is solved even if it is there, and written if another one needs it and it is not.
static void settle_states(const struct walk *walk, const struct build_options *options)
{
    for (size_t i = 0; i < walk->plan->count; i++) {
        struct plan_table *table = &walk->plan->table[i];
        const bool solve_only = table->named && options->solve_only;
        table->write = table->state != PLAN_PRESENT && (!solve_only || table->needed);
        if (solve_only && table->state == PLAN_PRESENT)
            table->state = PLAN_MAKE;
    }
}

static void add_up(struct plan *plan, const struct plan_table *table)
{
    if (table->state == PLAN_PRESENT) {
        plan->present_bytes += table->file_bytes;
        return;
    }
    plan->to_make++;
    plan->to_write += table->write ? 1 : 0;
    plan->memory = table->memory > plan->memory ? table->memory : plan->memory;
    plan->work_bytes = table->work_bytes > plan->work_bytes ? table->work_bytes : plan->work_bytes;
    plan->file_bytes += table->write ? table->file_bytes : 0;
    plan->seconds += table->seconds;
}

// What an earlier plan found sound is not read again: it has the same tables in the same order.
static void take_checks(struct plan *plan, const struct plan *before)
{
    for (size_t i = 0; before != NULL && i < plan->count && i < before->count; i++)
        plan->table[i].checked = before->table[i].checked && plan->table[i].state == PLAN_PRESENT &&
                                 material_equal(&plan->table[i].material, &before->table[i].material) &&
                                 plan->table[i].file_bytes == before->table[i].file_bytes;
}

static int fill_in(const struct walk *walk, const struct build_options *options, const struct plan *before)
{
    struct plan *plan = walk->plan;
    for (size_t i = 0; i < plan->count; i++)
        TRY(look_for(&plan->table[i], options));
    take_checks(plan, before);
    TRY(check_and_mark(walk, options));
    settle_states(walk, options);
    struct device_choice device;
    struct device_limits limits = {0, 0};
    if (device_choose(&device, options->device) == 0)
        limits = device_limits(&device);
    if (options->memory > 0 && limits.memory > options->memory) // a limit is one on the device, too
        limits.memory = options->memory;
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_table *table = &plan->table[i];
        table->entries = index_entries(&table->material);
        plan_memory(table, options, &limits);
        if (table->state != PLAN_PRESENT)
            estimate(table, options, &plan_measured_rates);
        add_up(plan, table);
    }
    return 0;
}

int plan_make(struct plan **result, const struct material *materials, size_t count, const struct build_options *options)
{
    return plan_make_again(result, materials, count, options, NULL);
}

int plan_make_again(struct plan **result, const struct material *materials, size_t count,
                    const struct build_options *options, const struct plan *before)
{
    *result = NULL;
    struct walk walk = {.plan = calloc(1, sizeof *walk.plan)};
    if (walk.plan == NULL)
        return error_memory(sizeof *walk.plan, "a plan");
    int code = add_all(&walk, materials, count);
    if (code == 0)
        code = fill_in(&walk, options, before);
    free(walk.place);
    if (code != 0) {
        plan_free(walk.plan);
        return code;
    }
    *result = walk.plan;
    return 0;
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->count; i++)
        free(plan->table[i].reason);
    free(plan->table);
    free(plan);
}
