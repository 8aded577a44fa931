// cpu_step.c - one ply of one side, block by block
//
// A block's moves are collected in a scratch buffer of its own (the same locals in the same order), then applied to the
// planes in one pass. Three ways to the same result:
//
//     dense    every group of the block is swept
//     sparse   only groups with an active tile among their 8 are swept
//     narrow   for a losing step: first the sparse sweeps of `only`; then the full test only for groups with a
//     candidate
#include "solve/cpu/cpu.h"

#include "util/error.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

_Static_assert((int)PLANES_AT_ONCE == (int)STEP_PLANES_MAX, "a finish writes all planes of a step");

// What one block needs to know.
struct block {
    const struct cpu_backend *cpu;
    const struct side_plan *plan;
    const struct plane *in;
    bool invert;
    uint64_t first;         // its first tile
    const uint64_t *offset; // [locals] of its tiles from there
    struct tile_men men;    // fixed ones
    uint8_t *moves;         // [locals] tiles
    uint8_t *touched;       // [locals] moves are there
    const uint8_t *wanted;  // [locals] or NULL: all
};

static inline uint8_t *moves_at(const struct block *block, uint32_t local)
{
    return block->moves + (size_t)local * block->cpu->tile_bytes;
}

static inline bool local_active(const struct block *block, uint32_t local)
{
    return block->invert || block->in->active[block->first + block->offset[local]];
}

// The digit of a piece counted from the lowest.
static inline int digit_of(const struct cpu_backend *cpu, int piece)
{
    return cpu->base.layout.pieces - 1 - piece;
}

static inline bool in_word(const struct cpu_backend *cpu, int digit)
{
    return digit < (int)cpu->kernels->word_digits;
}

// Lane words between neighbours along a digit above the word.
static inline size_t digit_stride(const struct cpu_backend *cpu, int digit)
{
    return (size_t)1 << 3 * (digit - (int)cpu->kernels->word_digits);
}

// How a sweep of `piece` sees its tiles: the digits that it loops over, and where the blockers' digits are.
struct view {
    int piece;
    int loops;                         // digits above the word that are neither the piece's nor exchanged with it
    int loop_piece[LAYOUT_PIECES_MAX]; // their pieces
    int place[LAYOUT_PIECES_MAX];      // of a piece's l after the load: word digit, or NOT_IN_WORD
    bool pair;                         //
    bool slides;                       // only then blockers matter
    int fixed;                         // blockers that are fixed men: the first ones of the call
    struct sweep_call call;
};

static bool slides(int type)
{
    return type == QUEEN || type == ROOK || type == BISHOP;
}

// The fixed men of a block's slices. With a slice digit the moving piece is one of three, in the word: so the digit is
// there, too. Two slice digits leave only the kings, whom nobody stops.
static void view_fixed(struct view *view, const struct layout *layout, const struct tile_men *men)
{
    if (layout->slices == 0 || !view->slides)
        return;
    assert(layout->slice_digits <= 1 && view->fixed == 0);
    const int digit = layout->slice_digits == 0 ? NOT_IN_WORD : view->place[0];
    assert(layout->slice_digits == 0 || digit != NOT_IN_WORD);
    const uint64_t first = tile_slice(layout, men);
    for (unsigned l = 0; l < tile_slices(layout, men); l++) {
        for (int f = 0; f < layout->fixed; f++)
            view->call.blocker[view->fixed++] =
                (struct blocker){digit, layout->fixed_code[first + l][f], true, (uint8_t)l};
    }
}

// `men`: what the block fixes.
static void view_make(struct view *view, const struct cpu_backend *cpu, const struct tile_men *men, int piece,
                      bool pair)
{
    const struct lane_kernels *kernels = cpu->kernels;
    const int word = (int)kernels->word_digits;
    const int digit = digit_of(cpu, piece);
    *view = (struct view){.piece = piece, .pair = pair, .slides = slides(cpu->base.layout.type[piece])};
    view->call = (struct sweep_call){.type = cpu->base.layout.type[piece], .both = -1};
    const bool inside = in_word(cpu, digit);
    view->call.digit = inside ? digit : NOT_IN_WORD;
    view->call.stride = inside ? 1 : digit_stride(cpu, digit);
    for (int q = 0; q < cpu->base.layout.pieces; q++) {
        const int other = digit_of(cpu, q);
        view->place[q] = NOT_IN_WORD;
        if (q == piece)
            continue;
        if (in_word(cpu, other))
            view->place[q] = inside ? kernels->place[digit][other] : other;
        else if (inside && other == word)
            view->place[q] = kernels->taken[digit];
        else
            view->loop_piece[view->loops++] = q;
    }
    view->call.swapped_digit = NOT_IN_WORD;
    if (pair) {
        const int partner = digit_of(cpu, 1);
        const bool partner_inside = in_word(cpu, partner);
        view->call.swapped_digit = partner_inside ? partner : NOT_IN_WORD;
        view->call.swapped_stride = partner_inside ? 1 : digit_stride(cpu, partner);
        view->call.both_stride = view->call.swapped_stride;
    }
    view_fixed(view, &cpu->base.layout, men);
}

// The blockers of a group, the looped digits' squares aside.
static void view_blockers(struct view *view, const struct cpu_backend *cpu, const struct tile_men *men)
{
    struct sweep_call *call = &view->call;
    const struct layout *layout = &cpu->base.layout;
    call->blockers = view->fixed;
    if (!view->slides)
        return;
    if (layout->slices == 0)
        call->blocker[call->blockers++] =
            (struct blocker){NOT_IN_WORD, square_code[triangle_square[men->head]], false, 0};
    for (int q = 0; q < layout->pieces; q++) {
        if (q != view->piece && layout_is_man(layout, q) && view->place[q] != NOT_IN_WORD)
            call->blocker[call->blockers++] = (struct blocker){view->place[q], (uint8_t)(8 * men->u[q]), false, 0};
    }
}

// One setting of the looped digits: adds their men as blockers, and returns the word where it begins in a tile;
// `*swapped` in a pair's tile that is stored the other way round.
static size_t view_loop(struct view *view, const struct cpu_backend *cpu, const struct tile_men *men, unsigned setting,
                        size_t *swapped)
{
    struct sweep_call *call = &view->call;
    size_t word = 0;
    *swapped = 0;
    for (int i = 0; i < view->loops; i++) {
        const int q = view->loop_piece[i];
        const unsigned l = setting >> 3 * i & 7;
        const size_t at = l * digit_stride(cpu, digit_of(cpu, q));
        word += at;
        *swapped += view->pair && q == 1 ? l * digit_stride(cpu, digit_of(cpu, 0)) : at;
        if (view->slides && layout_is_man(&cpu->base.layout, q))
            call->blocker[call->blockers++] = (struct blocker){NOT_IN_WORD, (uint8_t)(8 * men->u[q] + l), false, 0};
    }
    return word;
}

// The block's fixed men together with those of the moving side in `own`.
static struct tile_men merge_men(const struct block *block, const struct tile_men *own)
{
    struct tile_men men = block->men;
    const struct side_plan *plan = block->plan;
    for (int i = 0; i < plan->at.own_count; i++) {
        const int piece = plan->at.own[i].piece;
        if (piece == HEAD_DIGIT)
            men.head = own->head;
        else if (piece == PAIR_DIGIT)
            memcpy(men.u, own->u, 2);
        else
            men.u[piece] = own->u[piece];
    }
    return men;
}

static struct tile_men men_of_group(const struct block *block, const struct group *group)
{
    return merge_men(block, &group->men);
}

static struct tile_men men_of_local(const struct block *block, uint32_t local)
{
    return merge_men(block, &block->plan->at.men[local]);
}

// Sets the tiles that a group writes; false if none is wanted.
static bool group_targets(const struct block *block, const struct group *group, void *out[8])
{
    bool any = false;
    for (int u = 0; u < 8; u++) {
        const uint32_t local = group->local[u];
        out[u] = block->wanted == NULL || block->wanted[local] ? moves_at(block, local) : NULL;
        any |= out[u] != NULL;
    }
    return any;
}

static void group_targets_at(struct sweep_call *call, const struct block *block, void *const out[8], size_t word,
                             size_t swapped)
{
    const size_t bytes = block->cpu->word_bytes;
    for (int u = 0; u < 8; u++) {
        const size_t at = call->swapped >> u & 1 ? swapped : word;
        call->out[u] = out[u] == NULL ? NULL : (char *)out[u] + at * bytes;
    }
    call->out_both = call->both >= 0 && out[call->both] != NULL ? (char *)out[call->both] + swapped * bytes : NULL;
}

static void mark(const struct block *block, const struct group *group, unsigned touched)
{
    for (int u = 0; u < 8; u++) {
        if (touched >> u & 1)
            block->touched[group->local[u]] = 1;
    }
}

static void sweep_group(const struct block *block, struct view *view, const struct group *group)
{
    const struct cpu_backend *cpu = block->cpu;
    const char *in[8];
    void *out[8];
    bool active = false;
    for (int u = 0; u < 8; u++) {
        const uint32_t local = group->local[u];
        in[u] = local_active(block, local) ? tile_at(cpu, block->in, block->first + block->offset[local]) : NULL;
        active |= in[u] != NULL;
    }
    if (!active || !group_targets(block, group, out))
        return;
    const struct tile_men men = men_of_group(block, group);
    struct sweep_call *call = &view->call;
    call->invert = block->invert;
    call->swapped = group->swapped;
    call->both = group->both >= 0 && out[group->both] != NULL ? group->both : -1;
    view_blockers(view, cpu, &men);
    const int standing = call->blockers;
    unsigned touched = 0;
    for (unsigned setting = 0; setting < 1U << 3 * view->loops; setting++) {
        size_t swapped;
        call->blockers = standing;
        const size_t word = view_loop(view, cpu, &men, setting, &swapped);
        for (int u = 0; u < 8; u++)
            call->in[u] = in[u] == NULL ? NULL : in[u] + (group->swapped >> u & 1 ? swapped : word) * cpu->word_bytes;
        group_targets_at(call, block, out, word, swapped);
        touched |= cpu->kernels->sweep(call);
    }
    mark(block, group, touched);
}

// The words of a tile as seen through symmetry g: map[v] is where word v of the result comes from.
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
        // map[0..words-1] was overwritten last, from itself: l = 0 adds its own `from`.
        words *= 8;
    }
    return &cpu->permutation[g][low];
}

enum { MAP_WORDS_MAX = 4096 };

// The symmetries of one setting of the other men's digits: the same for all squares of the black king, made when first
// needed.
struct king_maps {
    const struct lane_permutation *lanes[SYMMETRIES]; // NULL: not made yet
    uint16_t map[SYMMETRIES][MAP_WORDS_MAX];
};

// The black king's moves into one local, from the tiles of its other squares.
static void king_moves(const struct block *block, uint32_t local, const struct tile_men *men, struct king_maps *maps)
{
    const struct cpu_backend *cpu = block->cpu;
    const struct side_plan *plan = block->plan;
    const unsigned from = local / plan->at.king_locals;
    for (unsigned i = 0; i < cpu->king_steps[from]; i++) {
        const struct king_step *step = &cpu->king_step[from][i];
        const unsigned g = step->symmetry;
        const uint32_t source = local % plan->at.king_locals + step->to * plan->at.king_locals;
        if (!local_active(block, source))
            continue;
        if (g != 0 && maps->lanes[g] == NULL)
            maps->lanes[g] = permutation_of(cpu, men, (int)g, maps->map[g]);
        const void *in = tile_at(cpu, block->in, block->first + block->offset[source]);
        cpu->kernels->permute(moves_at(block, local), in, cpu->tile_words, maps->map[g], maps->lanes[g], block->invert);
        block->touched[local] = 1;
    }
}

static void king_sweep(const struct block *block)
{
    const struct side_plan *plan = block->plan;
    struct king_maps maps;
    for (uint32_t rest = 0; rest < plan->at.king_locals; rest++) {
        const struct tile_men men = men_of_local(block, rest);
        memset(maps.lanes, 0, sizeof maps.lanes);
        for (uint32_t local = rest; local < plan->at.locals; local += plan->at.king_locals) {
            if (block->wanted == NULL || block->wanted[local])
                king_moves(block, local, &men, &maps);
        }
    }
}

// All moves of the side into block->moves.
static void block_sweeps(const struct block *block)
{
    const struct side_plan *plan = block->plan;
    for (int i = 0; i < plan->pieces; i++) {
        struct view view;
        const struct piece_plan *piece = &plan->piece[i];
        const bool pair = block->cpu->base.layout.pair && piece->piece == 0;
        view_make(&view, block->cpu, &block->men, piece->piece, pair);
        for (uint32_t g = 0; g < piece->groups; g++)
            sweep_group(block, &view, &piece->group[g]);
    }
    if (plan->at.king)
        king_sweep(block);
}

// ---- a step ----

struct step_work {
    struct cpu_backend *cpu;
    const struct side_plan *plan;
    struct step *step;
    struct plane *to; // of pred
    bool only_dense;  // `only` has so many active tiles that it is no help
    _Atomic uint64_t found;
};

static void block_open(struct block *block, const struct step_work *work, uint64_t number, int worker)
{
    *block = (struct block){.cpu = work->cpu, .plan = work->plan};
    block->moves = work->cpu->scratch[worker];
    block->touched = work->cpu->touched[worker];
    const struct cpu_window *window = &work->cpu->window;
    const struct side_blocks *at = &work->plan->at;
    block->offset = work->cpu->offset[at->side];
    block->first = side_blocks_first(at, window->first + number, &block->men);
    if (window->open)
        block->first = number * at->locals;
    memset(block->touched, 0, work->plan->at.locals);
}

static void clear_moves(const struct block *block)
{
    memset(block->moves, 0, (size_t)block->plan->at.locals * block->cpu->tile_bytes);
}

static uint32_t count_active(const struct block *block, const struct plane *plane)
{
    uint32_t active = 0;
    for (uint32_t local = 0; local < block->plan->at.locals; local++)
        active += plane->active[block->first + block->offset[local]];
    return active;
}

static void or_extra(const struct block *block, const struct plane *extra)
{
    if (extra == NULL)
        return;
    const struct cpu_backend *cpu = block->cpu;
    for (uint32_t local = 0; local < block->plan->at.locals; local++) {
        const uint64_t tile = block->first + block->offset[local];
        if (!extra->active[tile])
            continue;
        cpu->kernels->permute(moves_at(block, local), tile_at(cpu, extra, tile), cpu->tile_words, NULL, NULL, false);
        block->touched[local] = 1;
    }
}

// Tiles of a block lie far apart: no hardware prefetcher follows.
static inline void prefetch_tile(const struct cpu_backend *cpu, const struct plane *plane, uint64_t tile)
{
    const char *start = tile_at(cpu, plane, tile);
    const size_t bytes = cpu->tile_bytes < 512 ? cpu->tile_bytes : 512;
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(start + i, 1);
}

// Writes the new bits of the block's touched locals; returns how many.
static uint64_t block_finish(const struct block *block, struct step *step)
{
    const struct cpu_backend *cpu = block->cpu;
    uint64_t found = 0;
    for (uint32_t local = 0; local < block->plan->at.locals; local++) {
        const uint64_t tile = block->first + block->offset[local];
        const uint32_t ahead = local + 4;
        if (ahead < block->plan->at.locals && block->touched[ahead]) {
            prefetch_tile(cpu, step->closed, block->first + block->offset[ahead]);
            prefetch_tile(cpu, step->fresh, block->first + block->offset[ahead]);
            for (int i = 0; i < step->planes; i++)
                prefetch_tile(cpu, step->plane[i], block->first + block->offset[ahead]);
        }
        step->fresh->active[tile] = 0;
        if (!block->touched[local])
            continue;
        struct finish_call call = {.words = cpu->tile_words, .invert = step->invert, .planes = step->planes};
        call.moves = moves_at(block, local);
        call.closed = tile_open(cpu, step->closed, tile);
        call.fresh = tile_at(cpu, step->fresh, tile);
        for (int i = 0; i < step->planes; i++)
            call.plane[i] = tile_open(cpu, step->plane[i], tile);
        const uint64_t new = cpu->kernels->finish(&call);
        step->fresh->active[tile] = new > 0;
        found += new;
    }
    return found;
}

static int win_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    struct step *step = work->step;
    struct block block;
    block_open(&block, work, number, worker);
    block.in = step->in;
    const uint32_t active = count_active(&block, step->in);
    if (active > 0 || step->extra != NULL)
        clear_moves(&block);
    or_extra(&block, step->extra);
    if (active > 0)
        block_sweeps(&block);
    atomic_fetch_add_explicit(&work->found, block_finish(&block, step), memory_order_relaxed);
    return 0;
}

// Turns the moves into `only` at hand into the start of the avoid test: ~candidates. Returns whether any tile is
// wanted.
static bool candidates(struct block *block, const struct step *step, uint8_t *wanted)
{
    const struct cpu_backend *cpu = block->cpu;
    bool any = false;
    for (uint32_t local = 0; local < block->plan->at.locals; local++) {
        wanted[local] = 0;
        if (local + 4 < block->plan->at.locals && block->touched[local + 4])
            prefetch_tile(cpu, step->closed, block->first + block->offset[local + 4]);
        if (!block->touched[local])
            continue;
        const uint64_t tile = block->first + block->offset[local];
        uint64_t *moves = (uint64_t *)(void *)moves_at(block, local);
        const uint64_t *closed = tile_open(cpu, step->closed, tile);
        uint64_t open = 0;
        for (size_t i = 0; i < cpu->tile_bytes / 8; i++) {
            open |= moves[i] & ~closed[i];
            moves[i] = ~moves[i];
        }
        wanted[local] = open != 0;
        any |= open != 0;
    }
    return any;
}

static int lose_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    struct step *step = work->step;
    struct block block;
    block_open(&block, work, number, worker);
    uint8_t *wanted = block.touched + work->plan->at.locals;
    const uint32_t active = step->only == NULL ? work->plan->at.locals : count_active(&block, step->only);
    bool any = active > 0;
    if (any && step->only != NULL && active * 4 < work->plan->at.locals * 3) {
        clear_moves(&block);
        block.in = step->only;
        block_sweeps(&block);
        any = candidates(&block, step, wanted);
        block.wanted = wanted;
    } else if (any) {
        clear_moves(&block);
    }
    if (!any) {
        memset(block.touched, 0, work->plan->at.locals);
        block_finish(&block, step);
        return 0;
    }
    block.in = step->in;
    block.invert = true;
    block_sweeps(&block);
    if (block.wanted != NULL)
        memcpy(block.touched, wanted, work->plan->at.locals);
    else
        memset(block.touched, 1, work->plan->at.locals);
    atomic_fetch_add_explicit(&work->found, block_finish(&block, step), memory_order_relaxed);
    return 0;
}

// Calls one of the functions above for all blocks at hand.
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
    if (step->invert && step->extra != NULL)
        return error_set(CLTB_E_USAGE, "a losing step has no extra moves");
    int code = each_block(&work, step->invert ? lose_block : win_block);
    step->found = atomic_load(&work.found);
    return code;
}

// ---- moves and attacks without an iteration ----

static int pred_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    const struct cpu_backend *cpu = work->cpu;
    struct block block;
    block_open(&block, work, number, worker);
    block.in = work->step->in;
    block.invert = work->step->invert;
    clear_moves(&block);
    block_sweeps(&block);
    for (uint32_t local = 0; local < work->plan->at.locals; local++) {
        const uint64_t tile = block.first + block.offset[local];
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

// Which tiles of a pair's group an attack writes: those in which the attacker is piece 0, or those in which it is piece
// 1 (the ones stored the other way round, and the partner's own digit). The two must be told apart, because an attacker
// that shares its square with an enemy does not count while the other one does.
static void attack_role(struct sweep_call *call, const struct group *group, int role, void *out[8])
{
    call->both = -1;
    call->swapped = group->swapped;
    if (group->both < 0)
        return;
    if (role == 1)
        call->swapped |= 1U << group->both;
    for (int u = 0; u < 8; u++) {
        if ((call->swapped >> u & 1) != (unsigned)role)
            out[u] = NULL;
    }
}

static struct blocker king_in_view(const struct view *view, const struct tile_men *men, int king_piece,
                                   unsigned setting)
{
    if (king_piece < 0)
        return (struct blocker){NOT_IN_WORD, square_code[triangle_square[men->head]], false, 0};
    struct blocker king = {view->place[king_piece], (uint8_t)(8 * men->u[king_piece]), false, 0};
    for (int i = 0; i < view->loops; i++) {
        if (view->loop_piece[i] == king_piece)
            king.code = (uint8_t)(king.code + (setting >> 3 * i & 7));
    }
    return king;
}

// What a piece attacks of the enemy king (a piece's number, or -1 for the black king), into the block's moves.
static void attack_group(const struct block *block, struct view *view, const struct group *group, int role,
                         int king_piece)
{
    const struct cpu_backend *cpu = block->cpu;
    const struct tile_men men = men_of_group(block, group);
    void *out[8];
    group_targets(block, group, out);
    attack_role(&view->call, group, role, out);
    view_blockers(view, cpu, &men);
    const int standing = view->call.blockers;
    for (unsigned setting = 0; setting < 1U << 3 * view->loops; setting++) {
        size_t swapped;
        view->call.blockers = standing;
        const size_t word = view_loop(view, cpu, &men, setting, &swapped);
        group_targets_at(&view->call, block, out, word, swapped);
        struct attack_call attack = {&view->call, king_in_view(view, &men, king_piece, setting)};
        cpu->kernels->attack(&attack);
    }
}

static bool any_word(const uint64_t *bits, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++)
        any |= bits[w];
    return any != 0;
}

// Adds the moves at hand to `sum` [locals], but for entries in which `attacker` shares its square with an enemy.
static void add_attacks(const struct block *block, uint64_t *sum, int attacker)
{
    const size_t words = block->cpu->tile_bytes / 8;
    for (uint32_t local = 0; local < block->plan->at.locals; local++) {
        uint64_t *moves = (uint64_t *)(void *)moves_at(block, local);
        if (!any_word(moves, words))
            continue;
        const struct tile_men men = men_of_local(block, local);
        cpu_clear_shared(block->cpu, &men, attacker, moves);
        for (size_t w = 0; w < words; w++)
            sum[local * words + w] |= moves[w];
    }
}

// `sum` before the pieces are asked: nothing, or what the fixed pawns attack, in all locals alike.
static void start_attacks(const struct block *block, uint64_t *sum)
{
    const size_t words = block->cpu->tile_bytes / 8;
    memset(sum, 0, block->plan->at.locals * words * 8);
    if (block->cpu->base.layout.slices == 0)
        return;
    cpu_pawn_attacks(block->cpu, &block->men, block->plan->at.side, sum);
    for (uint32_t local = 1; local < block->plan->at.locals && any_word(sum, words); local++)
        memcpy(sum + local * words, sum, words * 8);
}

// Writes `sum` to the plane, or adds it.
static void put_attacks(const struct block *block, struct plane *to, const uint64_t *sum, bool add)
{
    const size_t words = block->cpu->tile_bytes / 8;
    for (uint32_t local = 0; local < block->plan->at.locals; local++) {
        uint64_t *bits = tile_open(block->cpu, to, block->first + block->offset[local]);
        const uint64_t *from = sum + local * words;
        for (size_t w = 0; w < words; w++)
            bits[w] = add ? bits[w] | from[w] : from[w];
    }
}

// The attacks of a plan's side on a block. In a layout without pawns the kings' contact is the white king's attack on
// the black king's square, whichever side is asked about: Black's attacks begin with a pass over White's blocks for
// that alone.
static int attack_block(void *context, uint64_t number, int worker)
{
    struct step_work *work = context;
    const struct layout *layout = &work->cpu->base.layout;
    struct block block;
    block_open(&block, work, number, worker);
    const int king = layout_king(layout, work->plan->at.side ^ 1);
    const int king_piece = king == layout->pieces ? -1 : king;
    uint64_t *sum = (uint64_t *)(void *)(block.moves + work->plan->at.locals * work->cpu->tile_bytes);
    start_attacks(&block, sum);
    for (int i = 0; i < work->plan->pieces; i++) {
        const struct piece_plan *piece = &work->plan->piece[i];
        const bool pair = layout->pair && piece->piece == 0;
        if (work->plan->at.side != work->step->side && piece->piece != layout->white_king)
            continue;
        struct view view;
        view_make(&view, work->cpu, &block.men, piece->piece, pair);
        for (int role = 0; role <= (pair ? 1 : 0); role++) {
            clear_moves(&block);
            for (uint32_t g = 0; g < piece->groups; g++)
                attack_group(&block, &view, &piece->group[g], role, king_piece);
            add_attacks(&block, sum, work->plan->at.side == work->step->side ? piece->piece + role : layout->pieces);
        }
    }
    put_attacks(&block, work->to, sum, layout->slices == 0 && work->plan->at.side == BLACK);
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
    for (int plan = backend->layout.slices > 0 ? side : WHITE; code == 0 && plan <= side; plan++) {
        work.plan = &cpu->plan[plan];
        code = each_block(&work, attack_block);
    }
    return code;
}
