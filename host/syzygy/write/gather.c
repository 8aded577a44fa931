// gather.c - values from the natural order into that of a sub-table
#include "syzygy/write/gather.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// The slice with certain pawns.
struct pawn_part {
    uint64_t part; // of the address
    uint8_t mirror;
    uint8_t both;
};

struct gather_tables {
    struct address address;
    struct pawn_part *pawns; // [digit of group 0 * size of group 1 + digit of group 1]; NULL: no pawns
    uint32_t below[MATERIAL_MEN_MAX + 1][SQUARES]; // C(square, n)
    int innermost;                                 // the group whose entries are adjacent
};

enum {
    PLANS = 4,
    LONG_ROW = 1 << 16,    // values
    ITEM_VALUES = 1 << 16, // in a work item
    TILE = 64              // least number of adjacent values that are written together
};

// A walk that is planned but not yet done, because its values are still being fetched from memory.
struct plan {
    uint8_t *to;
    uint64_t stride;
    int pieces;
    struct {
        int end; // the first free square after the piece
        const uint8_t *from;
        const uint64_t *part; // [square]
    } piece[SYZYGY_MEN_MAX];
    uint8_t left[SQUARES];
    uint64_t entry[SQUARES]; // [square] used if the parts of no table fit
};

// A row that is being gathered.
struct row {
    const struct gather_tables *tables;
    const struct syzygy_shape *shape;
    const uint8_t *from;
    uint64_t digit[SYZYGY_MEN_MAX];
    uint64_t placed[SYZYGY_MEN_MAX]; // the digits of groups before the walking one that are on the board,
    uint64_t used[SYZYGY_MEN_MAX];   // and the squares of these groups and those before them
    uint8_t square[SYZYGY_MEN_MAX];  // of the men in list order, those of a group in rising order
    uint32_t combination[ADDRESS_GROUPS_MAX];
    int group_of[SYZYGY_MEN_MAX]; // [man in list order] its group as addresses count groups; -1 for pawns
    int king[COLOURS];            // groups
    const struct pawn_part *pawns;
    uint64_t before;           // squares of the men of groups before the walking one
    int free;                  // other squares
    uint8_t left[SQUARES];     // free squares, in rising order
    uint64_t later;            // squares of the men of groups after the walking one
    int walking;               // the group that walks
    uint64_t stride;           // its factor
    int walker;                // place of the walking man in the list
    int later_groups;          // the first group after the walking one
    uint64_t base[SYMMETRIES]; // parts of all that does not walk; only for symmetries that may be needed
    unsigned plans;            // made so far
    struct plan plan[PLANS];
};

static int add_pawns(struct gather_tables *tables, const struct natural *natural)
{
    const struct pawn_slices *slices = natural->content->slices;
    struct syzygy_shape shape; // any shape of this part gives the squares of its pawns
    const bool lead_black = natural_leads(natural->content->material) == BLACK;
    const int white = slices->pawns[WHITE];
    const int lead = slices->pawns[lead_black];
    const int pawns = white + slices->pawns[BLACK];
    const int file = syzygy_leading_file(slices->square[natural->number[0]] + (lead_black ? white : 0), lead);
    TRY(natural_shape(&shape, natural->content->material, file));
    const uint64_t others = pawns > lead ? shape.group[1].size : 1;
    TRY(memory_new(&tables->pawns, shape.group[0].size * others, sizeof *tables->pawns, "pawns of a Syzygy file"));
    for (uint64_t digit = 0; digit < shape.group[0].size * others; digit++) {
        uint8_t square[PAWNS_MAX];
        uint8_t sorted[PAWNS_MAX];
        uint64_t used = 0;
        bool mirror;
        bool both;
        syzygy_lead_squares(&shape, digit / others, square);
        for (int i = 0; i < lead; i++)
            used |= square_bit(square[i]);
        if (pawns > lead)
            syzygy_group_squares(&shape, 1, digit % others, used, square + lead);
        for (int i = 0; i < pawns; i++)
            sorted[(i + (lead_black ? white : 0)) % pawns] = square[i];
        const uint32_t slice = pawn_slices_find(slices, sorted, &mirror, &both);
        tables->pawns[digit] = (struct pawn_part){(uint64_t)natural->place[slice] * natural->per_slice, mirror, both};
    }
    return 0;
}

int gather_open(struct gather_tables **result, const struct natural *natural)
{
    struct gather_tables *tables;
    *result = NULL;
    TRY(memory_new(&tables, 1, sizeof *tables, "the order of a Syzygy file"));
    for (unsigned square = 0; square < SQUARES; square++) {
        for (unsigned n = 0; n <= MATERIAL_MEN_MAX; n++)
            tables->below[n][square] = (uint32_t)entry_choose(square, n);
    }
    tables->innermost = natural->order.groups - 1;
    int code = address_open(&tables->address, natural);
    if (code == 0 && natural->content->slices != NULL)
        code = add_pawns(tables, natural);
    if (code != 0) {
        gather_close(tables);
        return code;
    }
    *result = tables;
    return 0;
}

void gather_close(struct gather_tables *tables)
{
    if (tables == NULL)
        return;
    address_close(&tables->address);
    free(tables->pawns);
    free(tables);
}

// ---- where a placement's value is ----

// The symmetries that may carry a placement with these kings to its image.
static int symmetries(const struct row *row, int *symmetry)
{
    const struct address *address = &row->tables->address;
    const unsigned white = row->combination[row->king[WHITE]];
    if (row->pawns != NULL) {
        symmetry[0] = row->pawns->both ? white % 8 > 3 : row->pawns->mirror;
        return 1;
    }
    const unsigned black = row->combination[row->king[BLACK]];
    symmetry[0] = address->turn[black][white].symmetry[0];
    symmetry[1] = address->turn[black][white].symmetry[1];
    return address->turn[black][white].count;
}

// Sets the combination of a group of the list: of group 0, three men of different kinds or two kings, each man's.
static void set_group(struct row *row, int g)
{
    const struct syzygy_group *group = &row->shape->group[g];
    const int men = g == 0 ? 1 : group->count;
    for (int i = group->first; i < group->first + group->count; i += men) {
        if (row->group_of[i] < 0)
            continue;
        uint32_t sum = row->square[i];
        for (int n = 1; n < men; n++)
            sum += row->tables->below[n + 1][row->square[i + n]];
        row->combination[row->group_of[i]] = sum;
    }
}

// The part of the kings' pair, or of the slice.
static uint64_t main_part(const struct row *row)
{
    return row->pawns != NULL
               ? row->pawns->part
               : row->tables->address.pair[row->combination[row->king[BLACK]]][row->combination[row->king[WHITE]]];
}

// Sets the base of a symmetry: the parts of all groups but `without`; if that is a king, without the pair's.
static void set_base(struct row *row, int symmetry, int without)
{
    const struct address *address = &row->tables->address;
    const bool king = without >= 0 && address->type[without] == KING;
    uint64_t sum = row->pawns != NULL || !king ? main_part(row) : 0;
    for (int g = 0; g < address->groups; g++)
        sum += g == without ? 0 : address->part[symmetry][g][row->combination[g]];
    row->base[symmetry] = sum;
}

// ---- steps 1 and 2 ----

// Places group `g` by its digit, given the squares of the groups before it, to which it adds its own.
static void place_group(struct row *row, int g, uint64_t *used)
{
    const struct syzygy_shape *shape = row->shape;
    const struct syzygy_group *group = &shape->group[g];
    if (g == 0)
        syzygy_lead_squares(shape, row->digit[0], row->square);
    else
        syzygy_group_squares(shape, g, row->digit[g], *used, row->square + group->first);
    for (int i = group->first; i < group->first + group->count; i++)
        *used |= square_bit(row->square[i]);
    set_group(row, g);
}

static void set_pawns(struct row *row)
{
    const struct syzygy_shape *shape = row->shape;
    if (shape->pawns)
        row->pawns =
            &row->tables
                 ->pawns[shape->other_pawns ? row->digit[0] * shape->group[1].size + row->digit[1] : row->digit[0]];
}

static void set_left(struct row *row)
{
    row->free = 0;
    for (uint64_t rest = ~row->before; rest != 0; rest &= rest - 1)
        row->left[row->free++] = (uint8_t)__builtin_ctzll(rest);
}

// Places the groups after the walking one, whose men are at these numbers of free squares.
static void place_later(struct row *row, const int *at, int men)
{
    uint64_t used = row->before;
    for (int i = 0; i < men; i++) {
        row->square[row->walker + i] = row->left[at[i]];
        used |= square_bit(row->left[at[i]]);
    }
    const uint64_t others = used;
    for (int g = row->later_groups; g < row->shape->groups; g++)
        place_group(row, g, &used);
    row->later = used & ~others;
}

// ---- steps 3 to 5 ----

// Moves the man of a later group on `from` to `to`.
static void change_places(struct row *row, int from, int to)
{
    const struct syzygy_shape *shape = row->shape;
    for (int g = row->later_groups; g < shape->groups; g++) {
        for (int i = shape->group[g].first; i < shape->group[g].first + shape->group[g].count; i++) {
            if (row->square[i] != from)
                continue;
            row->square[i] = (uint8_t)to;
            row->later ^= square_bit(from) | square_bit(to);
            set_group(row, g);
            return;
        }
    }
}

// The entry with the walking man on a square.
static uint64_t look_up(struct row *row, int group, uint32_t combination)
{
    const struct address *address = &row->tables->address;
    int symmetry[2] = {0};
    row->combination[group] = combination;
    const int images = symmetries(row, symmetry);
    uint64_t entry = row->base[symmetry[0]] + address->part[symmetry[0]][group][combination];
    if (images > 1) {
        const uint64_t other = row->base[symmetry[1]] + address->part[symmetry[1]][group][combination];
        entry = other < entry ? other : entry;
    }
    return row->pawns == NULL && address->type[group] == KING ? entry + main_part(row) : entry;
}

// Plans free squares first..last-1 for the walking man while no other man moves; `rest`: what the other men of his
// group add to the combination.
static void plan_piece(struct row *row, struct plan *plan, int first, int last, uint32_t rest)
{
    const struct address *address = &row->tables->address;
    const int group = row->group_of[row->walker];
    const int number = plan->pieces++;
    // The kings' squares determine the symmetry, unless the pawns' do.
    const bool king =
        (group == row->king[WHITE] || group == row->king[BLACK]) && (row->pawns == NULL || row->pawns->both);
    int symmetry[SYMMETRIES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int images = !king ? symmetries(row, symmetry) : row->pawns != NULL ? 2 : SYMMETRIES;
    for (int i = 0; i < images; i++)
        set_base(row, symmetry[i], group);
    plan->piece[number].end = last;
    plan->piece[number].from = row->from;
    plan->piece[number].part = plan->entry;
    if (images > 1) {
        for (int i = first; i < last; i++)
            plan->entry[row->left[i]] = look_up(row, group, row->left[i] + rest);
    } else {
        plan->piece[number].from = row->from + row->base[symmetry[0]];
        plan->piece[number].part = address->part[symmetry[0]][group] + rest;
    }
    const uint8_t *from = plan->piece[number].from;
    const uint64_t *part = plan->piece[number].part;
    if (group != row->tables->innermost) {
        for (int i = first; i < last; i++)
            __builtin_prefetch(from + part[row->left[i]]);
        return;
    }
    __builtin_prefetch(from + part[row->left[first]]);
    __builtin_prefetch(from + part[row->left[last - 1]]);
}

static void do_plan(const struct plan *plan)
{
    uint8_t *to = plan->to;
    const uint64_t stride = plan->stride;
    for (int number = 0, i = 0; number < plan->pieces; number++) {
        const uint8_t *from = plan->piece[number].from;
        const uint64_t *part = plan->piece[number].part;
        for (const int end = plan->piece[number].end; i < end; i++, to += stride)
            *to = from[part[plan->left[i]]];
    }
}

static struct plan *next_plan(struct row *row)
{
    struct plan *plan = &row->plan[row->plans++ % PLANS];
    if (row->plans > PLANS)
        do_plan(plan);
    plan->pieces = 0;
    return plan;
}

static void do_plans(struct row *row)
{
    for (unsigned i = row->plans < PLANS ? 0 : row->plans - PLANS; i < row->plans; i++)
        do_plan(&row->plan[i % PLANS]);
    row->plans = 0;
}

// Walks the lowest man of the walking group over the first `end` free squares. `at`: where the group's men are, as
// numbers of free squares.
static void walk(struct row *row, int *at, int men, int end, uint8_t *to)
{
    struct plan *plan = next_plan(row);
    uint32_t rest = 0;
    plan->to = to;
    plan->stride = row->stride;
    memcpy(plan->left, row->left, sizeof plan->left);
    for (int i = 1; i < men; i++)
        rest += row->tables->below[i + 1][row->left[at[i]]];
    at[0] = 0;
    place_later(row, at, men);
    for (int first = 0, next; first < end; first = next) {
        for (next = first + 1; next < end && !(row->later >> row->left[next] & 1); next++)
            ;
        plan_piece(row, plan, first, next, rest);
        if (next < end)
            change_places(row, row->left[next], row->left[next - 1]);
    }
}

// Places the groups before the walking one.
static void place_before(struct row *row)
{
    bool placed = true;
    uint64_t used = 0;
    for (int g = 0; g < row->walking; g++) {
        placed &= row->placed[g] == row->digit[g];
        if (!placed) {
            place_group(row, g, &used);
            row->placed[g] = row->digit[g];
            row->used[g] = used;
        }
        used = row->used[g];
    }
    if (placed)
        return;
    row->before = used;
    set_pawns(row);
    set_left(row);
}

// Gathers all digits of the walking group.
static void gather_walk(struct row *row, uint8_t *to)
{
    const struct syzygy_group *walking = &row->shape->group[row->walking];
    const int men = walking->count;
    int at[MATERIAL_MEN_MAX] = {0}; // as numbers of free squares
    place_before(row);
    row->walker = walking->first;
    row->later_groups = row->walking + 1;
    for (int i = 0; i < men; i++)
        at[i] = i;
    for (;;) {
        const int end = men > 1 ? at[1] : row->free;
        walk(row, at, men, end, to);
        to += (uint64_t)end * row->stride;
        int step = 1;
        while (step + 1 < men && at[step] + 1 == at[step + 1]) {
            at[step] = step;
            step++;
        }
        if (step >= men || ++at[step] >= row->free)
            return;
    }
}

static void set_digits(struct row *row, uint64_t index)
{
    const struct syzygy_shape *shape = row->shape;
    for (int g = 0; g < shape->groups; g++)
        row->digit[g] = index / shape->group[g].factor % shape->group[g].size;
}

// Gathers all digits of the walking group for values first..last-1, in which its digit is 0.
static void gather_walks(struct row *row, uint64_t first, uint64_t last, uint8_t *to)
{
    const struct syzygy_shape *shape = row->shape;
    set_digits(row, first);
    for (uint64_t i = first; i < last; i++) {
        gather_walk(row, to + (i - first));
        // The next digits of the faster groups.
        for (uint64_t factor = 1, g = (uint64_t)shape->fastest; factor < row->stride;) {
            if (++row->digit[g] < shape->group[g].size)
                break;
            row->digit[g] = 0;
            factor *= shape->group[g].size;
            for (g = 0; shape->group[g].factor != factor; g++)
                ;
        }
    }
}

// Gathers digits first..last-1 of the fastest group, whichever it is: each value by itself.
static void gather_each(struct row *row, uint64_t first, uint64_t last, uint8_t *to)
{
    for (uint64_t digit = first; digit < last; digit++) {
        int symmetry[2] = {0};
        uint64_t used = 0;
        row->digit[row->shape->fastest] = digit;
        for (int g = 0; g < row->shape->groups; g++)
            place_group(row, g, &used);
        set_pawns(row);
        const int images = symmetries(row, symmetry);
        for (int k = 0; k < images; k++)
            set_base(row, symmetry[k], -1);
        const uint64_t entry = row->base[symmetry[0]];
        to[digit] = row->from[images > 1 && row->base[symmetry[1]] < entry ? row->base[symmetry[1]] : entry];
    }
    row->placed[0] = UINT64_MAX;
}

// Gathers digits first..last-1 of group 0 with three men: the third one walks. If not all of his squares are wanted, as
// with the others on the diagonal, the wanted ones are picked out.
static void gather_three(struct row *row, uint64_t first, uint64_t last, uint8_t *to)
{
    enum { WALKS_END = 30380, WALK = 62 };
    int at[1] = {0};
    row->stride = 1;
    row->walker = 2;
    row->later_groups = 1;
    while (first < last) {
        uint8_t some[WALK];
        row->before = 0;
        row->digit[0] = first;
        place_group(row, 0, &row->before);
        uint8_t square[3] = {row->square[0], row->square[1], row->square[2]};
        row->before ^= square_bit(square[2]);
        set_left(row);
        if (first % WALK == 0 && first < WALKS_END && last - first >= WALK) {
            walk(row, at, 1, WALK, to + first);
            first += WALK;
            continue;
        }
        walk(row, at, 1, WALK, some);
        do_plans(row);
        while (first < last && square[0] == row->square[0] && square[1] == row->square[1]) {
            to[first] = some[__builtin_popcountll(~row->before & (square_bit(square[2]) - 1))];
            if (++first < last)
                syzygy_lead_squares(row->shape, first, square);
        }
    }
}

// The fastest group of pieces that can walk, or -1. Without pawns, group 0 cannot.
static int fastest_walking(const struct syzygy_shape *shape)
{
    int walking = -1;
    for (int g = shape->other_pawns + 1; g < shape->groups; g++) {
        if (walking < 0 || shape->group[g].factor < shape->group[walking].factor)
            walking = g;
    }
    return walking;
}

// Is group 0 the fastest, with three men? Then the third one walks.
static bool three_walk(const struct syzygy_shape *shape)
{
    return shape->fastest == 0 && !shape->pawns && shape->group[0].count == 3;
}

static void row_init(struct row *row, const struct gather_tables *tables, const struct syzygy_shape *shape,
                     const uint8_t *from)
{
    row->tables = tables;
    row->shape = shape;
    row->from = from;
    row->pawns = NULL;
    row->plans = 0;
    row->free = 0;
    memset(row->combination, 0, sizeof row->combination);
    row->placed[0] = UINT64_MAX;
    for (int colour = WHITE; colour <= BLACK; colour++)
        row->king[colour] = address_group(&tables->address, colour, KING);
    for (int i = 0; i < shape->men; i++) {
        const uint8_t man = shape->list[i];
        row->group_of[i] = address_group(&tables->address, syzygy_man_colour(man), syzygy_man_type(man));
    }
}

// Four men of a kind have rows so long that a sample could have only a few of them.
static bool long_rows(const struct syzygy_shape *shape)
{
    return shape->group[shape->fastest].size > LONG_ROW;
}

uint64_t gather_unit(const struct syzygy_shape *shape)
{
    return three_walk(shape) || long_rows(shape) ? 1 : shape->group[shape->fastest].size;
}

uint64_t gather_block_values(const struct syzygy_shape *shape)
{
    const int walking = fastest_walking(shape);
    return three_walk(shape) || walking < 0 ? gather_unit(shape)
                                            : shape->group[walking].factor * shape->group[walking].size;
}

void gather_values(const struct gather_tables *tables, const struct syzygy_shape *shape, const uint8_t *from,
                   uint64_t first, uint64_t count, uint8_t *to)
{
    struct row row;
    const uint64_t each = shape->group[shape->fastest].size;
    const bool three = three_walk(shape);
    row_init(&row, tables, shape, from);
    row.walking = fastest_walking(shape);
    const struct syzygy_group *walking = &shape->group[row.walking < 0 ? 0 : row.walking];
    const uint64_t block = walking->factor * walking->size;
    const uint64_t end = first + count;
    for (uint64_t next; first < end; to += next - first, first = next) {
        set_digits(&row, first);
        if (three) {
            const uint64_t digit = first % each;
            next = end - first < each - digit ? end : first - digit + each;
            gather_three(&row, digit, digit + (next - first), to - digit);
        } else if (first % block == 0 && end - first >= block) {
            next = first + block;
            row.stride = walking->factor;
            gather_walks(&row, first, first + row.stride, to);
        } else {
            const uint64_t digit = first % each;
            next = end - first < each - digit ? end : first - digit + each;
            gather_each(&row, digit, digit + (next - first), to - digit);
        }
    }
    do_plans(&row);
}

// ---- a sub-table ----

struct gathering {
    const struct gather_tables *tables;
    const struct syzygy_shape *shape;
    const uint8_t *from;
    uint64_t first;  // value
    uint64_t end;    //
    uint8_t *to;     // [end - first]
    int walking;     // group
    uint64_t block;  // values of the walking group's digits and those of faster groups
    uint64_t tile;   // walks of a block in one work item
    uint64_t tiles;  // in a block
    uint64_t blocks; // in an item, if they have one tile
};

static int gather_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct gathering *g = context;
    const uint64_t stride = g->shape->group[g->walking].factor;
    const uint64_t start = g->first + item / g->tiles * g->blocks * g->block;
    const uint64_t end = start + g->blocks * g->block < g->end ? start + g->blocks * g->block : g->end;
    struct row row;
    row_init(&row, g->tables, g->shape, g->from);
    row.walking = g->walking;
    row.stride = stride;
    for (uint64_t value = start; value < end; value += g->block) {
        const uint64_t first = item % g->tiles * g->tile;
        const uint64_t last = first + g->tile < stride ? first + g->tile : stride;
        gather_walks(&row, value + first, value + last, g->to + (value - g->first) + first);
    }
    do_plans(&row);
    return 0;
}

static uint64_t block_of(const struct syzygy_shape *shape, int group)
{
    return shape->group[group].factor * shape->group[group].size;
}

// The group whose entries are neighbours, if its blocks have at most `most` values, otherwise the slowest one with such
// blocks, or the fastest one. -1: none can walk.
static int choose_walking(const struct gather_tables *tables, const struct syzygy_shape *shape, uint64_t most)
{
    int walking = fastest_walking(shape);
    for (int i = shape->other_pawns + 1; i < shape->groups; i++) {
        const uint8_t man = shape->list[shape->group[i].first];
        if (block_of(shape, i) > most)
            continue;
        if (address_group(&tables->address, syzygy_man_colour(man), syzygy_man_type(man)) == tables->innermost)
            return i;
        if (block_of(shape, i) > block_of(shape, walking))
            walking = i;
    }
    return walking;
}

uint64_t gather_window(const struct gather_tables *tables, const struct syzygy_shape *shape, uint64_t most)
{
    const int walking = choose_walking(tables, shape, most);
    const uint64_t block = walking < 0 ? gather_unit(shape) : block_of(shape, walking);
    return block < most ? most / block * block : block;
}

int gather_all(const struct gather_tables *tables, const struct syzygy_shape *shape, const uint8_t *from,
               uint64_t first, uint64_t count, uint8_t *to, struct thread_pool *pool)
{
    struct gathering g = {.tables = tables,
                          .shape = shape,
                          .from = from,
                          .first = first,
                          .end = first + count,
                          .to = to,
                          .walking = choose_walking(tables, shape, count),
                          .tiles = 1};
    if (g.walking < 0) {
        gather_values(tables, shape, from, first, count, to);
        return 0;
    }
    const struct syzygy_group *walking = &shape->group[g.walking];
    g.block = block_of(shape, g.walking);
    g.tile = walking->factor;
    g.blocks = 1;
    if (g.block <= ITEM_VALUES)
        g.blocks = ITEM_VALUES / g.block;
    else if (g.tile > TILE)
        g.tile = walking->size < ITEM_VALUES / TILE ? ITEM_VALUES / walking->size : TILE;
    g.tiles = (walking->factor + g.tile - 1) / g.tile;
    const uint64_t shares = (count / g.block + g.blocks - 1) / g.blocks;
    return threads_each(pool, shares * g.tiles, gather_item, &g);
}
