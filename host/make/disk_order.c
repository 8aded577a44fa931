// disk_order.c - the order of tables of which not all files fit on the disk together
//
// The order is found by going through the build with the sizes that are known or forecast:
//
//     1. For each table that has not been made, list it and all it needs that does not stand, each after its own needs.
//        Making the list adds the bytes of its tables, less those of tables that then no other one will need.
//     2. Make the list that adds least, of those for which there is room: it is small, or lets large tables go.
//     3. A table goes as soon as no table that has not been made needs it. If there is still no room, one goes that is
//        needed later: that whose making takes the least time for its bytes. A later list has it again.
//
// until all are made. If there is no room for any list, the limit cannot be held; halving finds the least one that can.
//
// For all tables of six men the files take 108 GB by the forecasts, of which, with the work file of the table that is
// made, at most 55 GB stand at once; none is made twice. Each of n tables costs a look at the lists of all others.
#include "make/disk_order.h"

#include "make/plan_material.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what is read ----

struct named {
    struct material material;
    size_t place;
};

static int compare(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    const int order = memcmp(&a->material, &b->material, sizeof a->material);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

// The first place of a table. `named`: sorted.
static size_t find(const struct named *named, size_t count, const struct material *material)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (memcmp(&named[middle].material, material, sizeof *material) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return named[low].place;
}

// Adds a table that table `reader`, the last one so far, reads, and those that it is completed with.
static int add_read(struct disk_reads *reads, const struct named *named, size_t count, size_t reader,
                    const struct material *material)
{
    struct material bases[PLAN_CAPTURE_BASES_MAX];
    const size_t place = find(named, count, material);
    size_t *end = &reads->from[reader + 1];
    for (size_t i = reads->from[reader]; i < *end; i++)
        if (reads->read[i] == place)
            return 0;
    TRY(memory_grow(&reads->read, &reads->room, *end + 1, sizeof *reads->read, "a plan"));
    reads->read[(*end)++] = place;
    const int found = plan_capture_bases(material, bases);
    for (int i = 0; i < found; i++)
        TRY(add_read(reads, named, count, reader, &bases[i]));
    return 0;
}

int disk_reads_open(struct disk_reads *reads, const struct plan *plan)
{
    struct named *named;
    *reads = (struct disk_reads){.room = 0};
    TRY(memory_new(&named, plan->count + 1, sizeof *named, "a plan"));
    for (size_t i = 0; i < plan->count; i++)
        named[i] = (struct named){plan->table[i].material, i};
    qsort(named, plan->count, sizeof *named, compare);
    int code = memory_new(&reads->place, plan->count + 1, sizeof *reads->place, "a plan");
    THEN(code, memory_new(&reads->from, plan->count + 1, sizeof *reads->from, "a plan"));
    for (size_t i = 0; code == 0 && i < plan->count; i++) {
        struct material bases[PLAN_FUTUREBASES_MAX];
        reads->place[i] = find(named, plan->count, &plan->table[i].material);
        reads->from[i + 1] = reads->from[i];
        const int found = reads->place[i] == i ? plan_futurebases(&plan->table[i].material, bases) : 0;
        for (int j = 0; code == 0 && j < found; j++)
            code = add_read(reads, named, plan->count, i, &bases[j]);
    }
    free(named);
    if (code != 0)
        disk_reads_close(reads);
    return code;
}

void disk_reads_close(struct disk_reads *reads)
{
    free(reads->place);
    free(reads->from);
    free(reads->read);
    *reads = (struct disk_reads){.room = 0};
}

// ---- going through the build ----

struct order_table {
    bool made;      // in this order, or before
    bool stands;    //
    size_t readers; // tables that have not been made and need it
    // Of the list that was looked at last, if `stamp` is its number:
    unsigned listed;
    unsigned stamp;
    size_t hits; // `readers` on the list
    size_t last; // the last place on the list that needs it, or its own
};

struct order {
    const struct plan *plan;
    const struct disk_reads *reads;
    uint64_t limit;
    struct order_table *table; // [plan->count]
    uint64_t standing;         // bytes of all files,
    uint64_t loose;            // and of those that may go
    uint64_t most;             // bytes at once, with the work files and the file of the table in work,
    size_t most_at;            // which is this one
    size_t *step;              // [steps] tables as they are made
    size_t steps;
    size_t step_room;
    size_t *list; // [listed]
    size_t listed;
    size_t *met; // [meets] those on the list and all that they read
    size_t meets;
    unsigned stamp;
};

static uint64_t bytes_of(const struct order *order, size_t table)
{
    return order->plan->table[table].file_bytes;
}

static void stand(struct order *order, size_t table, bool stands)
{
    const uint64_t bytes = stands ? bytes_of(order, table) : 0 - bytes_of(order, table);
    order->table[table].stands = stands;
    order->standing += bytes;
    order->loose += order->plan->table[table].may_go ? bytes : 0;
}

static void begin(struct order *order, uint64_t limit)
{
    const struct plan *plan = order->plan;
    order->limit = limit;
    order->standing = plan->disk_bytes;
    order->loose = order->most = order->steps = 0;
    for (size_t i = 0; i < plan->count; i++)
        order->table[i] = (struct order_table){.made = plan->table[i].state == PLAN_PRESENT || plan->table[i].gone};
    for (size_t i = 0; i < plan->count; i++) {
        order->table[i].stands = order->table[i].made && !plan->table[i].gone;
        if (order->table[i].stands && plan->table[i].may_go)
            order->loose += bytes_of(order, i);
        for (size_t j = order->reads->from[i]; !order->table[i].made && j < order->reads->from[i + 1]; j++)
            order->table[order->reads->read[j]].readers++;
    }
}

// Recurses no deeper than there are men and pawns.
static void list_up(struct order *order, size_t table)
{
    const struct disk_reads *reads = order->reads;
    if (order->table[table].stands || order->table[table].listed == order->stamp)
        return;
    order->table[table].listed = order->stamp;
    for (size_t i = reads->from[table]; i < reads->from[table + 1]; i++)
        list_up(order, reads->read[i]);
    order->list[order->listed++] = table;
}

static void meet(struct order *order, size_t table, size_t last, bool hit)
{
    struct order_table *met = &order->table[table];
    if (met->stamp != order->stamp) {
        met->stamp = order->stamp;
        met->hits = 0;
        order->met[order->meets++] = table;
    }
    met->hits += hit;
    met->last = last;
}

// Makes the list of a table. `*adds`: the bytes that it adds in the end. False: there is no room for it.
static bool look_at(struct order *order, size_t table, double *adds)
{
    const struct plan *plan = order->plan;
    order->stamp++;
    order->listed = order->meets = 0;
    list_up(order, table);
    for (size_t i = 0; i < order->listed; i++) {
        const size_t maker = order->list[i];
        for (size_t j = order->reads->from[maker]; j < order->reads->from[maker + 1]; j++)
            meet(order, order->reads->read[j], i, !order->table[maker].made);
        meet(order, maker, i, false);
    }
    uint64_t stays = order->standing - order->loose;
    *adds = 0;
    for (size_t i = 0; i < order->meets; i++) {
        const size_t met = order->met[i];
        const struct order_table *of = &order->table[met];
        const bool goes = plan->table[met].may_go && of->readers == of->hits;
        stays += of->stands && plan->table[met].may_go ? bytes_of(order, met) : 0;
        *adds += (double)(of->stands ? 0 : bytes_of(order, met)) - (double)(goes ? bytes_of(order, met) : 0);
    }
    if (plan->table[table].begun && order->listed == 1)
        *adds = -1e30; // it comes first: its work file takes room, too
    bool fits = true;
    for (size_t i = 0; i < order->listed; i++) {
        stays += bytes_of(order, order->list[i]);
        fits &= stays + plan->table[order->list[i]].work_bytes <= order->limit;
    }
    return fits;
}

// May it go once the list has been made as far as `place`?
static bool is_free(const struct order *order, size_t table, size_t place)
{
    const struct order_table *of = &order->table[table];
    return of->stands && order->plan->table[table].may_go && (of->stamp != order->stamp || of->last < place);
}

// Removes a table that is needed later; false: there is none.
static bool remove_needed(struct order *order, size_t place)
{
    const struct plan *plan = order->plan;
    size_t best = plan->count;
    double least = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (!is_free(order, i, place))
            continue;
        double seconds = plan->table[i].seconds;
        for (size_t j = order->reads->from[i]; j < order->reads->from[i + 1]; j++)
            seconds += order->table[order->reads->read[j]].stands ? 0 : plan->table[order->reads->read[j]].seconds;
        const double cost = seconds / ((double)bytes_of(order, i) + 1);
        if (best == plan->count || cost < least) {
            best = i;
            least = cost;
        }
    }
    if (best < plan->count)
        stand(order, best, false);
    return best < plan->count;
}

static int make(struct order *order, size_t place)
{
    const size_t table = order->list[place];
    const uint64_t needed = bytes_of(order, table) + order->plan->table[table].work_bytes;
    while (order->standing + needed > order->limit && remove_needed(order, place))
        continue;
    if (order->standing + needed > order->most) {
        order->most = order->standing + needed;
        order->most_at = table;
    }
    stand(order, table, true);
    for (size_t i = order->reads->from[table]; !order->table[table].made && i < order->reads->from[table + 1]; i++)
        order->table[order->reads->read[i]].readers--;
    order->table[table].made = true;
    for (size_t i = 0; i < order->plan->count; i++)
        if (order->table[i].readers == 0 && is_free(order, i, place + 1))
            stand(order, i, false);
    TRY(memory_grow(&order->step, &order->step_room, order->steps + 1, sizeof *order->step, "a plan"));
    order->step[order->steps++] = table;
    return 0;
}

// `*held`: can the limit be held?
static int go_through(struct order *order, uint64_t limit, bool *held)
{
    const size_t count = order->plan->count;
    begin(order, limit);
    for (;;) {
        size_t best = count;
        size_t left = 0;
        double least = 0;
        for (size_t i = 0; i < count; i++) {
            double adds;
            if (order->reads->place[i] != i || order->table[i].made)
                continue;
            left++;
            if (look_at(order, i, &adds) && (best == count || adds < least)) {
                best = i;
                least = adds;
            }
        }
        *held = left == 0;
        if (best == count)
            return 0;
        look_at(order, best, &least);
        for (size_t i = 0; i < order->listed; i++)
            TRY(make(order, i));
    }
}

// ---- the plan ----

struct unit_text disk_size(uint64_t *bytes)
{
    static const char units[] = "KMGT";
    struct unit_text text;
    int unit = 0;
    while (unit < 3 && *bytes >> 10 * (unit + 2) > 0)
        unit++;
    const int shift = 10 * (unit + 1);
    const uint64_t tenth = (UINT64_C(1) << shift) / 10;
    const uint64_t tenths = *bytes / tenth + 1;
    *bytes = tenths * tenth;
    snprintf(text.text, sizeof text.text, "%" PRIu64 ".%d%c", tenths / 10, (int)(tenths % 10), units[unit]);
    return text;
}

static int find_least(struct order *order, uint64_t low, uint64_t high, uint64_t *least)
{
    enum { PRECISION = 64 };
    bool held;
    while (high - low > high / PRECISION) {
        const uint64_t middle = low + (high - low) / 2;
        TRY(go_through(order, middle, &held));
        *(held ? &high : &low) = middle;
    }
    // Little is lost if a limit that is a little larger does not do.
    for (held = false; !held; high += held ? 0 : high / PRECISION + 1) {
        (void)disk_size(&high);
        TRY(go_through(order, high, &held));
    }
    *least = high;
    return 0;
}

// Tables that stand, or are not made, come first. A table's first place in the order has what the plan knows of it.
static int rearrange(struct plan *plan, const struct order *order)
{
    struct plan_table *table;
    size_t count = 0;
    bool *placed;
    TRY(memory_new(&placed, plan->count + 1, sizeof *placed, "a plan"));
    int code = memory_new(&table, plan->count + order->steps + 1, sizeof *table, "a plan");
    if (code != 0) {
        free(placed);
        return code;
    }
    for (size_t i = 0; i < order->steps; i++)
        placed[order->step[i]] = true;
    for (size_t i = 0; i < plan->count; i++) {
        const bool stands = plan->table[i].state == PLAN_PRESENT && !plan->table[i].gone;
        if (stands || !placed[i])
            table[count++] = plan->table[i];
        placed[i] = stands;
    }
    for (size_t i = 0; i < order->steps; i++) {
        const size_t from = order->step[i];
        struct plan_table *to = &table[count++];
        *to = plan->table[from];
        to->state = to->state == PLAN_PRESENT ? PLAN_MAKE : to->state;
        to->again |= placed[from];
        to->syzygy &= !to->again;
        to->reason = placed[from] ? NULL : to->reason;
        plan->made_again += to->again;
        placed[from] = true;
    }
    free(placed);
    free(plan->table);
    plan->table = table;
    plan->room = plan->count + order->steps + 1;
    plan->count = count;
    return 0;
}

int disk_order(struct plan *plan, uint64_t limit)
{
    struct disk_reads reads;
    struct order order = {.plan = plan, .reads = &reads};
    bool held = true;
    TRY(disk_reads_open(&reads, plan));
    int code = memory_new(&order.table, plan->count + 1, sizeof *order.table, "a plan");
    THEN(code, memory_new(&order.list, plan->count + 1, sizeof *order.list, "a plan"));
    THEN(code, memory_new(&order.met, plan->count + 1, sizeof *order.met, "a plan"));
    THEN(code, go_through(&order, UINT64_MAX, &held));
    const uint64_t enough = order.most;
    if (code == 0 && enough > limit)
        code = go_through(&order, limit, &held);
    if (code == 0 && !held)
        code = find_least(&order, limit, enough, &plan->disk_least);
    if (code == 0) {
        plan->disk_most = order.most;
        if (order.steps > 0)
            plan->disk_at = plan->table[order.most_at].material;
        code = rearrange(plan, &order);
    }
    free(order.table);
    free(order.list);
    free(order.met);
    free(order.step);
    disk_reads_close(&reads);
    return code;
}
