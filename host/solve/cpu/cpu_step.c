// cpu_step.c - one ply of one side, block by block
//
// Blocks (blocks.h) are independent: threads share them out, and the tiles of one stay in the cache. For each block:
//
//     1. Clear a scratch buffer, block->moves, with one tile for each local.
//     2. Sweep each piece over its groups, the 8 locals that differ in its u digit: moves |= sweep(in).
//     3. Without pawns, add the moves of the king that is not a piece, which lead to tiles seen through a symmetry.
//     4. Apply the moves to the planes in one pass over the locals.
//
// Example: in KQvKR the queen and the white king run over 8 u digits each, so a block of White's moves has 64 locals.
// The queen has 8 groups (one for each u of the king), and so has the king. There are 10 * 8 blocks, one for each place
// of the black king and each u of the rook.
//
// Steps 2 and 3 skip work in three ways, with the same result:
//
//     dense    every group of the block is swept; what is read inverted, unless its 8 tiles are all ones
//     sparse   only groups with an active tile among their 8 are swept, into tiles that are not all closed
//     narrow   for a losing step: first the sparse sweeps of `only`, then the full test for groups with a candidate, a
//              man at a time: the next one is swept for those that have not avoided the loss yet
//
// Cost: a sweep reads and writes its 8 tiles once; a block's planes are read and written once.
#include "solve/cpu/cpu.h"

#include "util/error.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

_Static_assert((int)PLANES_AT_ONCE == (int)STEP_PLANES_MAX, "a finish writes all planes of a step");

// The state of the work on one block.
struct block {
    const struct cpu_backend *cpu;
    const struct side_plan *plan;
    const struct plane *in;
    bool invert;
    uint64_t first;         // its first tile
    uint32_t locals;        //
    const uint64_t *offset; // [locals] of its tiles, counted from the first
    int class_number;       // of heads
    const struct head_class *class;
    struct tile_men men;   // the men that the block fixes
    uint8_t *moves;        // [locals] tiles
    uint8_t *touched;      // [locals] 1: the local has moves
    uint8_t *active;       // [locals] 1: there is something to read
    const uint8_t *wanted; // [locals] or NULL: all
};

static inline uint8_t *moves_at(const struct block *block, uint32_t local)
{
    return block->moves + (size_t)local * block->cpu->tile_bytes;
}

static inline uint64_t tile_of(const struct block *block, uint32_t local)
{
    return block->first + block->offset[local];
}

static bool is_full(const uint64_t *bits, size_t words)
{
    size_t w = 0;
    while (w < words && bits[w] == UINT64_MAX)
        w++;
    return w == words;
}

// Are all bits of a tile ones? A step asks this of most tiles again and again, so what it finds is kept until the tile
// changes: solving KQRvKR takes 0.84 of the CPU time, KBBvKN 0.97.
static bool tile_full(const struct cpu_backend *cpu, const struct plane *plane, uint64_t tile)
{
    uint8_t *flag = &plane->active[tile];
    if (*flag == TILE_ANY)
        *flag = is_full(tile_at(cpu, plane, tile), cpu->tile_bytes / 8) ? TILE_FULL : TILE_OPEN;
    return *flag == TILE_FULL;
}

// Sets what the next sweeps read. Returns the number of tiles in which they find anything.
static uint32_t block_read(struct block *block, const struct plane *in, bool invert)
{
    const struct cpu_backend *cpu = block->cpu;
    const uint32_t locals = block->locals;
    uint32_t active = 0;
    block->in = in;
    block->invert = invert;
    for (uint32_t local = 0; local < locals; local++) {
        const uint64_t tile = tile_of(block, local);
        block->active[local] = invert ? !tile_full(cpu, in, tile) : in->active[tile] != TILE_EMPTY;
        active += block->active[local];
    }
    return active;
}

// The block's men together with those of the moving side in `own`.
static struct tile_men merge_men(const struct block *block, const struct tile_men *own)
{
    struct tile_men men = block->men;
    const struct side_plan *plan = block->plan;
    for (int i = 0; i < plan->at.own_count; i++) {
        const int piece = plan->at.own[i].piece;
        if (piece == HEAD_DIGIT)
            men.head = block->class->head[own->head];
        for (int p = piece; p >= 0 && p < piece + plan->at.own[i].men; p++)
            men.u[p] = own->u[p];
    }
    return men;
}

// The digit of a piece, counted from the lowest.
static inline int digit_of(const struct cpu_backend *cpu, int piece)
{
    return cpu->base.layout.pieces - 1 - piece;
}

static inline bool in_word(const struct cpu_backend *cpu, int digit)
{
    return digit < (int)cpu->kernels->word_digits;
}

// The lane words between neighbours along a digit above the word.
static inline size_t digit_stride(const struct cpu_backend *cpu, int digit)
{
    return (size_t)1 << 3 * (digit - (int)cpu->kernels->word_digits);
}

// ---- the sweep of a piece over a group ----

// How a sweep of `piece` sees its tiles: the digits that it loops over, and the places of the other men's l.
struct view {
    int piece;
    int like;                          // identical pieces from this one on
    bool slides;                       // blockers matter only if it does
    int loops;                         // digits above the word that are neither the piece's nor exchanged with it
    int loop_piece[LAYOUT_PIECES_MAX]; // the pieces of these digits
    int place[LAYOUT_PIECES_MAX];      // the place of a piece's l after the load: a word digit, or NOT_IN_WORD
    int fixed;                         // number of blockers that are fixed men: the first ones of the call
    int role;                          // for attacks: the place of the one of identical pieces that attacks
    int king;                          // for attacks: the attacked king's number among the men
    struct sweep_call call;
};

// `men`: the men that the block fixes.
static void view_make(struct view *view, const struct cpu_backend *cpu, const struct tile_men *men,
                      const struct piece_plan *plan)
{
    const struct layout *layout = &cpu->base.layout;
    const struct lane_kernels *kernels = cpu->kernels;
    const int piece = plan->piece;
    const int type = layout->type[piece];
    const int digit = digit_of(cpu, piece);
    const bool inside = in_word(cpu, digit);
    *view = (struct view){.piece = piece, .like = plan->like};
    view->slides = type == QUEEN || type == ROOK || type == BISHOP;
    view->call.type = type;
    view->call.places = plan->like;
    for (int i = 0; i < plan->like; i++) {
        const int place = digit_of(cpu, piece + i);
        view->call.place[i].digit = in_word(cpu, place) ? place : NOT_IN_WORD;
        view->call.place[i].stride = in_word(cpu, place) ? 1 : digit_stride(cpu, place);
    }
    for (int q = 0; q < layout->pieces; q++) {
        const int other = digit_of(cpu, q);
        view->place[q] = NOT_IN_WORD;
        if (q == piece)
            continue;
        if (in_word(cpu, other))
            view->place[q] = inside ? kernels->place[digit][other] : other;
        else if (inside && other == (int)kernels->word_digits)
            view->place[q] = kernels->taken[digit];
        else
            view->loop_piece[view->loops++] = q;
    }
    if (layout->slices == 0 || !view->slides)
        return;
    // The fixed men of the block's slices. With one slice digit there are three pieces, and the moving one is in the
    // word, so the slice digit is in the word, too. With two slice digits there are only the kings, whom nobody blocks.
    const int slice_digit = layout->slice_digits == 0 ? NOT_IN_WORD : view->place[0];
    assert(layout->slice_digits <= 1 && (layout->slice_digits == 0 || slice_digit != NOT_IN_WORD));
    for (unsigned l = 0; l < tile_slices(layout, men); l++) {
        const uint8_t *code = layout->fixed_code[tile_slice(layout, men) + l];
        for (int f = 0; f < layout->fixed; f++)
            view->call.blocker[view->fixed++] = (struct blocker){slice_digit, code[f], true, (uint8_t)l};
    }
}

static void add_blocker(struct sweep_call *call, int digit, unsigned code)
{
    call->blocker[call->blockers++] = (struct blocker){digit, (uint8_t)code, false, 0};
}

// The king that a piece attacks, for one setting of the looped digits.
static struct blocker attacked_king(const struct layout *layout, const struct view *view, const struct tile_men *men,
                                    unsigned setting)
{
    if (view->king >= layout->pieces)
        return (struct blocker){NOT_IN_WORD, square_code[layout_head_square(layout, men->head, view->king)], false, 0};
    struct blocker king = {view->place[view->king], (uint8_t)(8 * men->u[view->king]), false, 0};
    for (int i = 0; i < view->loops; i++) {
        if (view->loop_piece[i] == view->king)
            king.code = (uint8_t)(king.code + (setting >> 3 * i & 7));
    }
    return king;
}

// Sets what the looped digits choose in the tiles, for one setting of them. Of identical pieces, the others' digits
// before the place of the moving one are one higher than the sweep sees them.
static void set_offsets(const struct block *block, struct view *view, unsigned setting)
{
    const struct cpu_backend *cpu = block->cpu;
    for (int place = 0; place < view->like; place++)
        view->call.place[place].offset = 0;
    for (int i = 0; i < view->loops; i++) {
        const int q = view->loop_piece[i];
        const size_t l = setting >> 3 * i & 7;
        for (int place = 0; place < view->like; place++) {
            const bool before = q > view->piece && q <= view->piece + place;
            view->call.place[place].offset += l * digit_stride(cpu, digit_of(cpu, before ? q - 1 : q));
        }
    }
}

// Does the moves of a piece in a group: moves |= sweep(in) for every setting of the looped digits, which choose the
// words of the tiles. Or its attacks on the enemy king: of identical pieces those of the one at place `role` of each
// tile. They must be told apart, because an attacker that shares its square with an enemy does not count, while the
// others do.
static void sweep_group(const struct block *block, struct view *view, const struct group *group, bool attack)
{
    const struct cpu_backend *cpu = block->cpu;
    const struct layout *layout = &cpu->base.layout;
    struct sweep_call *call = &view->call;
    bool any_active = attack;
    bool any_wanted = false;
    call->invert = block->invert;
    for (int u = 0; u < 8; u++) {
        const uint32_t local = group->local[u];
        const bool active = !attack && block->active[local];
        const bool foreign = attack && (view->role < group->first[u] || view->role > group->last[u]);
        const bool wanted = !foreign && (block->wanted == NULL || block->wanted[local]);
        call->first[u] = attack ? (uint8_t)view->role : group->first[u];
        call->last[u] = attack ? (uint8_t)view->role : group->last[u];
        call->in[u] = active ? tile_at(cpu, block->in, tile_of(block, local)) : NULL;
        call->out[u] = wanted ? moves_at(block, local) : NULL;
        any_active |= active;
        any_wanted |= wanted;
    }
    if (!any_active || !any_wanted)
        return;

    const struct tile_men men = merge_men(block, &group->men);
    call->blockers = view->fixed;
    for (int man = layout->pieces; view->slides && man < cpu_men(layout); man++)
        add_blocker(call, NOT_IN_WORD, square_code[layout_head_square(layout, men.head, man)]);
    for (int q = 0; q < layout->pieces; q++) {
        if (view->slides && q != view->piece && layout_is_man(layout, q) && view->place[q] != NOT_IN_WORD)
            add_blocker(call, view->place[q], 8U * men.u[q]);
    }
    const int standing = call->blockers;
    unsigned touched = 0;
    for (unsigned setting = 0; setting < 1U << 3 * view->loops; setting++) {
        call->blockers = standing;
        for (int i = 0; view->slides && i < view->loops; i++) {
            if (layout_is_man(layout, view->loop_piece[i]))
                add_blocker(call, NOT_IN_WORD, 8U * men.u[view->loop_piece[i]] + (setting >> 3 * i & 7));
        }
        set_offsets(block, view, setting);
        if (attack)
            cpu->kernels->attack(call, attacked_king(layout, view, &men, setting));
        else
            touched |= cpu->kernels->sweep(call);
    }
    for (int u = 0; u < 8; u++)
        block->touched[group->local[u]] |= (uint8_t)(touched >> u & 1);
}

// ---- a king that is not a piece ----

// The words of a tile as seen through symmetry g: word v of the result comes from word map[v].
static const struct lane_permutation *permutation_of(const struct cpu_backend *cpu, const struct tile_men *men, int g,
                                                     uint16_t *map)
{
    const struct layout *layout = &cpu->base.layout;
    unsigned low = 0;
    map[0] = 0;
    size_t words = 1;
    for (int digit = 0; digit < layout->pieces; digit++) {
        const unsigned u = men->u[layout->pieces - 1 - digit];
        if (in_word(cpu, digit)) {
            low |= (u <= 5 ? 1U : 0U) << digit;
            continue;
        }
        for (unsigned l = 8; l-- > 0;) {
            const unsigned from = digit_apply(g, u, l) * (unsigned)digit_stride(cpu, digit);
            for (size_t i = 0; i < words; i++)
                map[l * words + i] = (uint16_t)(map[i] + from);
        }
        // map[0..words-1] is overwritten last, from itself: for l = 0 it adds its own `from`.
        words *= 8;
    }
    return &cpu->permutation[g][low];
}

enum { MAP_WORDS_MAX = 4096 };

// Does the king's moves into every local, from the tiles of the other heads of the class. The symmetries for one
// setting of the other men's digits are the same for all heads; they are computed when first needed.
static void king_sweep(const struct block *block)
{
    const struct cpu_backend *cpu = block->cpu;
    const uint32_t king_locals = block->plan->at.king_locals;
    const struct king_steps *all_steps = cpu->king_steps[block->plan->at.side][block->class_number];
    const struct lane_permutation *lanes[SYMMETRIES];
    uint16_t map[SYMMETRIES][MAP_WORDS_MAX];
    for (uint32_t rest = 0; rest < king_locals; rest++) {
        const struct tile_men men = merge_men(block, &block->plan->at.men[rest]);
        memset(lanes, 0, sizeof lanes);
        for (uint32_t place = 0; place < block->class->heads; place++) {
            const struct king_steps *steps = &all_steps[place];
            const uint32_t local = rest + place * king_locals;
            if (block->wanted != NULL && !block->wanted[local])
                continue;
            for (unsigned i = 0; i < steps->count; i++) {
                const int g = steps->step[i].symmetry;
                const uint32_t source = rest + steps->step[i].to * king_locals;
                if (!block->active[source])
                    continue;
                if (g != 0 && lanes[g] == NULL)
                    lanes[g] = permutation_of(cpu, &men, g, map[g]);
                cpu->kernels->permute(moves_at(block, local), tile_at(cpu, block->in, tile_of(block, source)),
                                      cpu->tile_words, map[g], lanes[g], block->invert);
                block->touched[local] = 1;
            }
        }
    }
}

// ---- blocks ----

struct step_work {
    struct cpu_backend *cpu;
    const struct side_plan *plan;
    struct step *step;
    struct plane *to; // for moves and attacks outside of steps
    _Atomic uint64_t found;
    _Atomic uint64_t weight;
};

static void block_open(struct block *block, const struct step_work *work, uint64_t number, int worker)
{
    const struct cpu_window *window = &work->cpu->window;
    const struct side_blocks *at = &work->plan->at;
    *block = (struct block){.cpu = work->cpu, .plan = work->plan};
    block->moves = work->cpu->scratch[worker];
    block->touched = work->cpu->touched[worker];
    block->active = block->touched + 2 * (size_t)at->locals;
    block->first = side_blocks_first(at, window->first + number, &block->men);
    block->class_number = side_blocks_class(at, &block->men);
    block->class = &at->class[block->class_number];
    block->offset = work->cpu->offset[at->side] + (size_t)block->class_number * at->locals;
    block->locals = at->king ? block->class->heads * at->king_locals : at->locals;
    if (window->open)
        block->first = number * at->locals;
    memset(block->touched, 0, at->locals);
}

static void clear_moves(const struct block *block)
{
    memset(block->moves, 0, (size_t)block->locals * block->cpu->tile_bytes);
}

// A piece's groups in the block. They are in the order of heads.
static uint32_t groups_of(const struct block *block, const struct piece_plan *piece)
{
    const struct side_blocks *at = &block->plan->at;
    return at->king ? piece->groups / (at->locals / at->king_locals) * block->class->heads : piece->groups;
}

static void piece_sweep(const struct block *block, const struct piece_plan *piece)
{
    struct view view;
    view_make(&view, block->cpu, &block->men, piece);
    for (uint32_t g = 0; g < groups_of(block, piece); g++)
        sweep_group(block, &view, &piece->group[g], false);
}

// moves |= all moves of the side into block->in.
static void block_sweeps(const struct block *block)
{
    const struct side_plan *plan = block->plan;
    for (int i = 0; i < plan->pieces; i++)
        piece_sweep(block, &plan->piece[i]);
    if (plan->at.king)
        king_sweep(block);
}

static uint32_t count_active(const struct block *block, const struct plane *plane)
{
    uint32_t active = 0;
    for (uint32_t local = 0; local < block->locals; local++)
        active += plane->active[tile_of(block, local)] != TILE_EMPTY;
    return active;
}

// The tiles of a block are far apart, so hardware does not prefetch them. any_new() goes first: most touched tiles have
// no new bit, and then their planes need not be fetched at all.
static inline void prefetch_tile(const struct cpu_backend *cpu, const struct plane *plane, uint64_t tile)
{
    const char *start = tile_at(cpu, plane, tile);
    const size_t bytes = cpu->tile_bytes < 512 ? cpu->tile_bytes : 512;
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(start + i, 1);
}

// What step->closed lacks in a local, as finish_call says; the planes follow.
static struct finish_call finish_of(const struct block *block, const struct step *step, uint32_t local)
{
    return (struct finish_call){.words = block->cpu->tile_words,
                                .invert = step->invert,
                                .moves = moves_at(block, local),
                                .closed = tile_look(block->cpu, step->closed, tile_of(block, local))};
}

// Writes the new bits of the block's touched locals, and counts them. In many of these nothing is new, so that is found
// out first and only the others' tiles of the planes are fetched.
static void block_finish(const struct block *block, struct step_work *work)
{
    enum { AHEAD = 4 };
    const struct cpu_backend *cpu = block->cpu;
    struct step *step = work->step;
    const uint32_t locals = block->locals;
    uint64_t found = 0;
    uint64_t weight = 0;
    const struct layout *layout = &cpu->base.layout;
    const bool slices = layout->slices > 0;
    const uint16_t *weights =
        slices ? NULL : block->plan->weight + (size_t)block->class_number * block->plan->at.locals;
    for (uint32_t local = 0; local < locals; local++) {
        if (local + AHEAD < locals && block->touched[local + AHEAD])
            prefetch_tile(cpu, step->closed, tile_of(block, local + AHEAD));
        step->fresh->active[tile_of(block, local)] = 0;
        if (!block->touched[local])
            continue;
        const struct finish_call call = finish_of(block, step, local);
        block->touched[local] = cpu->kernels->any_new(&call);
    }
    for (uint32_t local = 0; local < locals; local++) {
        if (local + AHEAD < locals && block->touched[local + AHEAD]) {
            prefetch_tile(cpu, step->fresh, tile_of(block, local + AHEAD));
            for (int i = 0; i < step->planes; i++)
                prefetch_tile(cpu, step->plane[i], tile_of(block, local + AHEAD));
        }
        if (!block->touched[local])
            continue;
        const uint64_t tile = tile_of(block, local);
        struct finish_call call = finish_of(block, step, local);
        call.fresh = tile_at(cpu, step->fresh, tile);
        call.planes = step->planes;
        for (int i = 0; i < step->planes; i++)
            call.plane[i] = tile_open(cpu, step->plane[i], tile);
        step->fresh->active[tile] = 1;
        const uint64_t new = cpu->kernels->finish(&call);
        step->closed->active[tile] = TILE_ANY;
        (void)tile_full(cpu, step->closed, tile); // while it is in the cache
        found += new;
        weight += slices ? new : new *weights[local];
    }
    if (!slices)
        weight *= layout_orders(layout, block->men.u) *
                  (block->plan->at.king ? 1 : layout_head_weight(layout, block->men.head));
    atomic_fetch_add_explicit(&work->found, found, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->weight, weight, memory_order_relaxed);
}

// Adds a plane to the moves.
static void add_extra(const struct block *block, const struct plane *extra)
{
    const struct cpu_backend *cpu = block->cpu;
    for (uint32_t local = 0; extra != NULL && local < block->locals; local++) {
        const uint64_t tile = tile_of(block, local);
        if (!extra->active[tile])
            continue;
        cpu->kernels->permute(moves_at(block, local), tile_at(cpu, extra, tile), cpu->tile_words, NULL, NULL, false);
        block->touched[local] = 1;
    }
}

// Marks as wanted the tiles in which something is open. Returns whether there are any.
//
// Late in an endgame most tiles are closed. Not sweeping them, with captures looked at only in plies in which one
// enters, took KQRvKR with distances to mate to 0.66 of its time.
static bool find_open(struct block *block, const struct plane *closed)
{
    const struct cpu_backend *cpu = block->cpu;
    uint8_t *wanted = block->touched + block->locals;
    const uint32_t locals = block->locals;
    bool any = false;
    for (uint32_t local = 0; local < locals; local++) {
        const uint64_t tile = tile_of(block, local);
        wanted[local] = !tile_full(cpu, closed, tile);
        any |= wanted[local];
    }
    block->wanted = wanted;
    return any;
}

static int win_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    const struct plane *extra = work->step->extra;
    struct block block;
    block_open(&block, work, number, worker);
    const uint32_t active = block_read(&block, work->step->in, false);
    if (active > 0 || (extra != NULL && count_active(&block, extra) > 0))
        clear_moves(&block);
    add_extra(&block, extra);
    if (active > 0 && find_open(&block, work->step->closed))
        block_sweeps(&block);
    block_finish(&block, work);
    return 0;
}

// Turns the moves into `only` and the entries in `extra`, which are found so far, into the start of the avoid test:
// ~candidates. Returns whether any tile is wanted.
static bool candidates(struct block *block, const struct step *step, uint8_t *wanted)
{
    const struct cpu_backend *cpu = block->cpu;
    bool any = false;
    for (uint32_t local = 0; local < block->locals; local++) {
        wanted[local] = 0;
        if (local + 4 < block->locals && block->touched[local + 4])
            prefetch_tile(cpu, step->closed, tile_of(block, local + 4));
        if (!block->touched[local])
            continue;
        const uint64_t tile = tile_of(block, local);
        uint64_t *moves = (uint64_t *)(void *)moves_at(block, local);
        const uint64_t *closed = tile_look(cpu, step->closed, tile);
        uint64_t open = 0;
        for (size_t i = 0; i < cpu->tile_bytes / 8; i++) {
            moves[i] = ~moves[i] | closed[i];
            open |= ~moves[i];
        }
        wanted[local] = open != 0;
        any |= open != 0;
    }
    return any;
}

// Unmarks the tiles in which all candidates avoid the loss. Returns whether any wanted tile is left.
static bool narrow(const struct block *block, uint8_t *wanted)
{
    bool any = false;
    for (uint32_t local = 0; local < block->locals; local++) {
        wanted[local] = wanted[local] &&
                        !is_full((const uint64_t *)(const void *)moves_at(block, local), block->cpu->tile_bytes / 8);
        any |= wanted[local];
    }
    return any;
}

static int lose_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    struct step *step = work->step;
    struct block block;
    block_open(&block, work, number, worker);
    uint8_t *wanted = block.touched + block.locals;
    uint32_t active = step->only == NULL ? block.locals : count_active(&block, step->only);
    if (step->extra != NULL)
        active += count_active(&block, step->extra);
    bool any = active > 0;
    if (any && step->only != NULL && active * 4 < block.locals) {
        clear_moves(&block);
        block_read(&block, step->only, false);
        block_sweeps(&block);
        add_extra(&block, step->extra);
        any = candidates(&block, step, wanted);
        block.wanted = wanted;
    } else if (any) {
        clear_moves(&block);
    }
    if (!any) {
        memset(block.touched, 0, block.locals);
        block_finish(&block, work);
        return 0;
    }
    block_read(&block, step->in, true);
    if (block.wanted == NULL) {
        block_sweeps(&block);
        memset(block.touched, 1, block.locals);
    } else {
        for (int i = 0; any && i < work->plan->pieces; i++) {
            piece_sweep(&block, &work->plan->piece[i]);
            any = narrow(&block, wanted);
        }
        if (any && work->plan->at.king)
            king_sweep(&block);
        memcpy(block.touched, wanted, block.locals);
    }
    block_finish(&block, work);
    return 0;
}

// Runs one of these functions for all blocks of the plane or the window.
static int each_block(struct step_work *work, int (*run)(void *context, uint64_t number, int worker))
{
    const struct cpu_window *window = &work->cpu->window;
    if (window->open && window->side != work->plan->at.side)
        return error_set(CLTB_E_USAGE, "moves of a side in a window of the other side");
    return threads_each(work->cpu->pool, window->open ? window->count : work->plan->at.blocks, run, work);
}

int cpu_step(struct backend *backend, struct step *step)
{
    struct cpu_backend *cpu = cpu_of(backend);
    struct step_work work = {.cpu = cpu, .plan = &cpu->plan[step->side], .step = step};
    if (step->invert && step->extra != NULL && step->only == NULL)
        return error_set(CLTB_E_USAGE, "a losing step of all positions has no extra ones");
    int code = each_block(&work, step->invert ? lose_block : win_block);
    step->found = atomic_load(&work.found);
    step->weight = atomic_load(&work.weight);
    return code;
}

// ---- moves and attacks without an iteration ----

static int pred_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    struct block block;
    block_open(&block, work, number, worker);
    block_read(&block, work->step->in, work->step->invert);
    clear_moves(&block);
    block_sweeps(&block);
    for (uint32_t local = 0; local < block.locals; local++) {
        const uint64_t tile = tile_of(&block, local);
        memcpy(tile_at(cpu, work->to, tile), moves_at(&block, local), cpu->tile_bytes);
        work->to->active[tile] = 1;
    }
    return 0;
}

int cpu_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert)
{
    struct cpu_backend *cpu = cpu_of(backend);
    struct step step = {.side = side, .in = from, .invert = invert};
    struct step_work work = {.cpu = cpu, .plan = &cpu->plan[side], .step = &step, .to = to};
    return each_block(&work, pred_block);
}

// Adds the moves found so far to `sum` [locals], except entries in which `attacker` shares its square with an enemy.
static void add_attacks(const struct block *block, uint64_t *sum, int attacker)
{
    const size_t words = block->cpu->tile_bytes / 8;
    for (uint32_t local = 0; local < block->locals; local++, sum += words) {
        uint64_t *moves = (uint64_t *)(void *)moves_at(block, local);
        uint64_t any = 0;
        for (size_t w = 0; w < words; w++)
            any |= moves[w];
        if (any == 0)
            continue;
        const struct tile_men men = merge_men(block, &block->plan->at.men[local]);
        cpu_clear_shared(block->cpu, &men, attacker, moves);
        for (size_t w = 0; w < words; w++)
            sum[w] |= moves[w];
    }
}

// Finds the attacks of a plan's side on a block. Where the white king is a piece and the black king is not, the contact
// of the kings counts as the white king's attack on the black king's square, whichever side is asked about. So Black's
// attacks begin with a pass over White's blocks just for that. Kings of a pair do not touch.
static int attack_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    const struct layout *layout = &cpu->base.layout;
    const size_t words = cpu->tile_bytes / 8;
    const int side = work->plan->at.side;
    const bool own = side == work->step->side;
    const int king = layout_king(layout, side ^ 1);
    struct block block;
    block_open(&block, work, number, worker);
    const uint32_t locals = block.locals;
    uint64_t *sum = (uint64_t *)(void *)(block.moves + locals * cpu->tile_bytes);
    memset(sum, 0, locals * cpu->tile_bytes);
    if (layout->slices > 0) {
        cpu_pawn_attacks(cpu, &block.men, side, sum); // the same in all locals
        for (uint32_t local = 1; local < locals; local++)
            memcpy(sum + local * words, sum, cpu->tile_bytes);
    }
    for (int i = 0; i < work->plan->pieces; i++) {
        const struct piece_plan *piece = &work->plan->piece[i];
        if (!own && piece->piece != layout->white_king)
            continue;
        struct view view;
        view_make(&view, cpu, &block.men, piece);
        view.king = king;
        for (; view.role < piece->like; view.role++) {
            clear_moves(&block);
            for (uint32_t g = 0; g < groups_of(&block, piece); g++)
                sweep_group(&block, &view, &piece->group[g], true);
            add_attacks(&block, sum, own ? piece->piece + view.role : layout->black_king);
        }
    }
    const bool add = layout->slices == 0 && !layout->kings && side == BLACK;
    for (uint32_t local = 0; local < locals; local++) {
        uint64_t *bits = tile_open(cpu, work->to, tile_of(&block, local));
        for (size_t w = 0; w < words; w++)
            bits[w] = (add ? bits[w] : 0) | sum[local * words + w];
    }
    return 0;
}

int cpu_attacks(struct backend *backend, struct plane *plane, int side)
{
    struct cpu_backend *cpu = cpu_of(backend);
    int code = 0;
    struct step step = {.side = side};
    struct step_work work = {.cpu = cpu, .step = &step, .to = plane};
    if (cpu->window.open) {
        work.plan = &cpu->plan[cpu->window.side];
        return each_block(&work, attack_block);
    }
    const bool contact = backend->layout.slices == 0 && !backend->layout.kings;
    for (int plan = contact ? WHITE : side; code == 0 && plan <= side; plan++) {
        work.plan = &cpu->plan[plan];
        code = each_block(&work, attack_block);
    }
    return code;
}
