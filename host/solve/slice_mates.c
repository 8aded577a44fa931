// slice_mates.c - distances to mate of the positions that captures and pawn moves lead to, as planes of a batch
//
// Each entry has a number, whose bits are planes: the code (solution.h) of the position that the conversion leads to,
// or 0. The planes are made once for each attacker:
//
// 1. A capture by a piece is an overlap entry, with the code of the slab at that entry, if it is lost or won as wanted.
// 2. The best pawn move counts. For the attacker it is the one to the position that is lost soonest, so the least code.
//    The defender's pawn moves lose when the last of them does, so the largest code counts, and none if a pawn move
//    leads to a position that is not won at all. This is worked out for whole slices, word by word, before it goes into
//    the planes. A double push has the worth of its position including the en passant reply (add_reply()).
// 3. The entries of one ply are the AND of the planes or their complements. Plies come in rising order, so the upper
//    bits rarely change: their AND is kept.
//
// Distances to conversion (DTC) differ in one thing: a capture or promotion of the attacker that wins has the code of
// mate in 1, whatever it leads to.
//
// Example: four entries with the codes 1 3 0 2 are the planes 1100 (bit 0) and 0101 (bit 1), the first entry written
// first. Those with code 3 are the AND of both, 0100; with code 1, 1100 & ~0101 = 1000.
#include "solve/slab_words.h"
#include "solve/slice_moves.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP_BYTES = 32 << 20, // of slices merged together
    LIMIT_PARTS = 8,        // or this part of a memory limit, if that is less
    ITEM_WORDS = 4096,
    REPLIES = 2
};

static bool is_to_conversion(const struct slice_batch *batch)
{
    return batch->backend->layout.material.metric == METRIC_DTC;
}

// ---- the planes ----

static void codes_free(struct backend *backend, struct mate_codes *codes)
{
    for (int bit = 0; bit < MATE_CODE_BITS; bit++)
        backend->ops->plane_free(backend, codes->bit[bit]);
    backend->ops->plane_free(backend, codes->upper);
    backend->ops->plane_free(backend, codes->at);
    *codes = (struct mate_codes){.bits = 0};
}

void slice_mates_free(struct slice_batch *batch)
{
    for (int side = WHITE; side <= BLACK; side++) {
        codes_free(batch->backend, &batch->captured_codes[side]);
        codes_free(batch->backend, &batch->pawn_codes[side]);
    }
}

static int codes_new(struct backend *backend, struct mate_codes *codes, int bits)
{
    codes->bits = bits;
    for (int bit = 0; bit < bits; bit++)
        TRY(backend->ops->plane_new(backend, &codes->bit[bit]));
    TRY(backend->ops->plane_new(backend, &codes->upper));
    return backend->ops->plane_new(backend, &codes->at);
}

// to = the entries of `from` (NULL: all) whose bits first..end-1 are those of `code`. Without `from` at least one of
// these bits must be 1.
static int select_bits(struct backend *backend, const struct mate_codes *codes, struct plane *to,
                       const struct plane *from, int first, int end, int code)
{
    int done = -1;
    for (int bit = first; from == NULL && bit < end && done < 0; bit++)
        done = code >> bit & 1 ? bit : -1;
    TRY(backend->ops->combine(backend, to, PLANE_COPY, from != NULL ? from : codes->bit[done]));
    for (int bit = first; bit < end; bit++) {
        if (bit != done)
            TRY(backend->ops->combine(backend, to, code >> bit & 1 ? PLANE_AND : PLANE_AND_NOT, codes->bit[bit]));
    }
    return 0;
}

// Does step 3. NULL: no entry has such a code.
static int codes_at(struct backend *backend, struct mate_codes *codes, int code, const struct plane **at)
{
    const int half = codes->bits / 2;
    const int upper = code >> half;
    *at = NULL;
    if (codes->bits == 0 || code >> codes->bits > 0)
        return 0;
    if (upper > 0 && codes->upper_code != upper)
        TRY(select_bits(backend, codes, codes->upper, NULL, half, codes->bits, code));
    if (upper > 0)
        codes->upper_code = upper;
    *at = codes->at;
    return select_bits(backend, codes, codes->at, upper > 0 ? codes->upper : NULL, 0, upper > 0 ? half : codes->bits,
                       code);
}

// ---- step 2: the best pawn move ----

// What is known of a position, as words of a slab; arrays that are all zero are NULL.
struct view_slab {
    struct slab_bits illegal;
    struct slab_bits won;
    struct slab_bits lost;
    struct slab_bits code[MATE_CODE_BITS];
};

struct view {
    const struct slice_move *move;
    int digit; // of the captured piece, which the slab lacks, counted from the lowest; or -1
    struct view_slab after;
    struct slab_bits stalemate;
    struct view_slab reply[REPLIES]; // en passant
    int replies;
};

// Some slices whose moves are merged together.
struct merging {
    const struct slice_batch *batch;
    bool wins; // take the least code of lost positions, otherwise the largest one of won positions
    bool to_conversion;
    int bits;
    size_t words; // in a slab
    struct view *view;
    size_t views;
    size_t *first; // [slices + 1] the first view of each slice
    uint32_t *slice;
    size_t slices;
    size_t items;    // in each slice
    uint64_t *codes; // [slices][bits][words]
};

// The positions of a word after a pawn move, for the side then to move.
struct position_words {
    uint64_t illegal;
    uint64_t won;
    uint64_t lost;
    uint64_t code[MATE_CODE_BITS];
};

static int open_bits(const struct slice_batch *batch, const struct slab *slab, enum slab_plane plane, int pieces,
                     struct slab_bits *bits)
{
    return slab->place[plane].array == NULL ? 0 : slab_bits_open(bits, slab, plane, pieces, batch->pool);
}

static int open_slab(const struct slice_batch *batch, const struct slab *slab, int pieces, struct view_slab *view)
{
    TRY(open_bits(batch, slab, SLAB_ILLEGAL, pieces, &view->illegal));
    TRY(open_bits(batch, slab, SLAB_WON, pieces, &view->won));
    TRY(open_bits(batch, slab, SLAB_LOST, pieces, &view->lost));
    for (int bit = 0; bit < MATE_CODE_BITS; bit++)
        TRY(open_bits(batch, slab, (enum slab_plane)(SLAB_CODE + bit), pieces, &view->code[bit]));
    return 0;
}

static int view_pieces(const struct slice_batch *batch, const struct view *view)
{
    return batch->shape.pieces - (view->digit >= 0 ? 1 : 0);
}

static int open_view(const struct slice_batch *batch, const struct slice_move *move, struct view *view)
{
    const int pieces = batch->shape.pieces;
    *view = (struct view){.move = move, .digit = -1};
    if (move->where == IMPORT_AT)
        view->digit = pieces - 1 - (move->man - slice_man(&batch->shape, 0));
    TRY(open_slab(batch, move->slab, view_pieces(batch, view), &view->after));
    if (move->reply[0] == NULL)
        return 0;
    TRY(open_bits(batch, move->slab, SLAB_STALEMATE, pieces, &view->stalemate));
    for (; view->replies < REPLIES && move->reply[view->replies] != NULL; view->replies++)
        TRY(open_slab(batch, move->reply[view->replies], pieces, &view->reply[view->replies]));
    return 0;
}

static void close_slab(const struct slice_batch *batch, int pieces, struct view_slab *view)
{
    slab_bits_close(&view->illegal, pieces, batch->pool);
    slab_bits_close(&view->won, pieces, batch->pool);
    slab_bits_close(&view->lost, pieces, batch->pool);
    for (int bit = 0; bit < MATE_CODE_BITS; bit++)
        slab_bits_close(&view->code[bit], pieces, batch->pool);
}

static void close_view(const struct slice_batch *batch, struct view *view)
{
    const int pieces = view_pieces(batch, view);
    close_slab(batch, pieces, &view->after);
    slab_bits_close(&view->stalemate, pieces, batch->pool);
    for (int i = 0; i < REPLIES; i++)
        close_slab(batch, pieces, &view->reply[i]);
}

// A word of a tile.
struct word_place {
    size_t tile;
    size_t word; // in the tile
    size_t run;  // words of a tile
};

static uint64_t read_word(const struct slab_bits *bits, const struct word_place *at, int digit)
{
    if (bits->words == NULL)
        return 0;
    if (digit < 0)
        return bits->words[at->tile * at->run + at->word];
    const size_t below = ((size_t)1 << 3 * digit) - 1;
    const size_t tile = (at->tile & below) | (at->tile >> 3 & ~below);
    return word_without(bits->words + tile * (at->run / 8), at->word, digit);
}

static void read_position(const struct view_slab *slab, const struct word_place *at, int digit, int bits,
                          struct position_words *to)
{
    to->illegal = read_word(&slab->illegal, at, digit);
    to->won = read_word(&slab->won, at, digit) & ~to->illegal;
    to->lost = read_word(&slab->lost, at, digit);
    const uint64_t decided = to->won | to->lost;
    for (int bit = 0; bit < bits; bit++)
        to->code[bit] = read_word(&slab->code[bit], at, digit) & decided;
}

// The lanes of a word in which a piece stands on a square.
static uint64_t standing(const struct word_place *at, int digit, unsigned code)
{
    return (at->tile >> 3 * digit & 7) == code >> 3 ? place_word(at->word, digit, code & 7) : 0;
}

// The entries for which a move is possible.
static uint64_t view_entries(const struct view *view, const struct word_place *at, int pieces)
{
    uint64_t entries = view->digit < 0 ? UINT64_MAX : standing(at, view->digit, view->move->at);
    for (uint64_t left = view->move->empty; left != 0; left &= left - 1) {
        for (int digit = 0; digit < pieces; digit++)
            entries &= ~standing(at, digit, (unsigned)__builtin_ctzll(left));
    }
    return entries;
}

// The lanes where a < b, for numbers of so many bits.
static uint64_t is_less(const uint64_t *a, const uint64_t *b, int bits)
{
    uint64_t less = 0;
    uint64_t same = UINT64_MAX;
    for (int bit = bits - 1; bit >= 0; bit--) {
        less |= same & ~a[bit] & b[bit];
        same &= ~(a[bit] ^ b[bit]);
    }
    return less;
}

static void choose(uint64_t *to, const uint64_t *from, uint64_t where, int bits)
{
    for (int bit = 0; bit < bits; bit++)
        to[bit] = (to[bit] & ~where) | (from[bit] & where);
}

// Takes captures en passant after a double push into account. A capture won in n makes the position lost in at least n
// + 1, and lost at all only if it is the only move; one lost in n wins in n + 1.
static void add_reply(struct position_words *after, const struct position_words *reply, uint64_t stalemate, int bits)
{
    const uint64_t legal = ~reply->illegal;
    const uint64_t holds = legal & ~reply->won;
    uint64_t next[MATE_CODE_BITS] = {0}; // the code of one ply more than a win
    uint64_t carry = UINT64_MAX;
    for (int bit = 0; bit < bits; bit++) {
        next[bit] = reply->code[bit] ^ carry;
        carry &= reply->code[bit];
    }
    after->lost = (after->lost | (stalemate & legal)) & ~holds;
    choose(after->code, next, after->lost & legal & is_less(after->code, next, bits), bits);
    const uint64_t sooner = ~after->won | is_less(reply->code, after->code, bits);
    choose(after->code, reply->code, reply->lost & sooner, bits);
    after->won |= reply->lost;
}

// After a move that converts, all lost positions have the code of mate.
static void set_converted(struct position_words *after, int bits)
{
    const uint64_t mate[MATE_CODE_BITS] = {UINT64_MAX};
    choose(after->code, mate, after->lost, bits);
}

static void merge_word(const struct merging *merging, const struct view *view, const struct word_place *at,
                       uint64_t *best, uint64_t *holds)
{
    const int bits = merging->bits;
    struct position_words after = {0};
    const uint64_t entries = view_entries(view, at, merging->batch->shape.pieces);
    if (entries == 0)
        return;
    read_position(&view->after, at, view->digit, bits, &after);
    if (merging->to_conversion && view->move->converts)
        set_converted(&after, bits);
    const uint64_t stalemate = read_word(&view->stalemate, at, -1);
    for (int i = 0; i < view->replies; i++) {
        struct position_words reply = {0};
        read_position(&view->reply[i], at, -1, bits, &reply);
        if (merging->to_conversion)
            set_converted(&reply, bits);
        add_reply(&after, &reply, stalemate, bits);
    }
    uint64_t take;
    if (merging->wins) {
        uint64_t none = UINT64_MAX;
        for (int bit = 0; bit < bits; bit++)
            none &= ~best[bit];
        take = after.lost & (none | is_less(after.code, best, bits));
    } else {
        *holds |= entries & ~after.illegal & ~after.won;
        take = after.won & is_less(best, after.code, bits);
    }
    choose(best, after.code, take & entries, bits);
}

static int merge_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct merging *merging = context;
    const size_t slice = item / merging->items;
    const size_t start = item % merging->items * ITEM_WORDS;
    const size_t end = start + ITEM_WORDS < merging->words ? start + ITEM_WORDS : merging->words;
    const size_t run = (size_t)1 << (3 * merging->batch->shape.pieces - 6);
    uint64_t *codes = merging->codes + slice * (size_t)merging->bits * merging->words;
    for (size_t w = start; w < end; w++) {
        const struct word_place at = {w / run, w % run, run};
        uint64_t best[MATE_CODE_BITS] = {0};
        uint64_t holds = 0;
        for (size_t i = merging->first[slice]; i < merging->first[slice + 1]; i++)
            merge_word(merging, &merging->view[i], &at, best, &holds);
        for (int bit = 0; bit < merging->bits; bit++)
            codes[(size_t)bit * merging->words + w] = best[bit] & ~holds;
    }
    return 0;
}

// Computes the slices that have been opened, puts them into the planes, and closes them.
static int merge_group(struct merging *merging, struct mate_codes *codes)
{
    const struct slice_batch *batch = merging->batch;
    struct memory_pool *memory = threads_memory(batch->pool);
    const size_t bytes = merging->slices * (size_t)merging->bits * merging->words * sizeof(uint64_t);
    struct slab_import *imports = calloc(merging->slices, sizeof *imports);
    merging->codes = memory_take(memory, bytes, NULL);
    int code = imports == NULL || merging->codes == NULL ? error_memory(bytes, "distances to mate of pawn moves") : 0;
    if (code == 0)
        code = threads_each(batch->pool, merging->slices * merging->items, merge_item, merging);
    for (int bit = 0; code == 0 && bit < merging->bits; bit++) {
        for (size_t i = 0; i < merging->slices; i++) {
            const size_t at = (i * (size_t)merging->bits + (size_t)bit) * merging->words;
            imports[i] = (struct slab_import){
                .slice = merging->slice[i], .where = IMPORT_ALL, .man = -1, .bits = merging->codes + at};
        }
        code = batch->backend->ops->import_slabs(batch->backend, codes->bit[bit], imports, merging->slices);
    }
    memory_give(memory, merging->codes, bytes);
    free(imports);
    for (size_t i = 0; i < merging->views; i++)
        close_view(batch, &merging->view[i]);
    merging->views = merging->slices = 0;
    return code;
}

// Merges all slices, as many at a time as memory should hold.
static int merge_moves(const struct slice_batch *batch, const struct slice_moves *moves, bool wins,
                       struct mate_codes *codes)
{
    const struct paged *paged = batch->slabs->paged;
    const size_t limit = paged_limit(paged) / LIMIT_PARTS;
    const size_t most = limit > 0 && limit < GROUP_BYTES ? limit : GROUP_BYTES;
    struct merging merging = {.batch = batch,
                              .wins = wins,
                              .to_conversion = is_to_conversion(batch),
                              .bits = codes->bits,
                              .words = slab_words(batch->shape.pieces)};
    merging.items = (merging.words + ITEM_WORDS - 1) / ITEM_WORDS;
    merging.view = calloc(moves->count, sizeof *merging.view);
    merging.first = calloc(moves->count + 1, sizeof *merging.first);
    merging.slice = calloc(moves->count, sizeof *merging.slice);
    int code = 0;
    if (merging.view == NULL || merging.first == NULL || merging.slice == NULL)
        code = error_memory(moves->count * sizeof *merging.view, "distances to mate of pawn moves");
    for (size_t i = 0; code == 0 && i < moves->count; i++) {
        const struct slice_move *move = &moves->move[i];
        if (merging.slices == 0 || merging.slice[merging.slices - 1] != move->slice)
            merging.slice[merging.slices++] = move->slice;
        code = open_view(batch, move, &merging.view[merging.views++]);
        merging.first[merging.slices] = merging.views;
        const bool last = i + 1 == moves->count || moves->move[i + 1].slice != move->slice;
        const size_t bytes = merging.views * MATE_CODE_BITS * merging.words * sizeof(uint64_t);
        if (code == 0 && last && (i + 1 == moves->count || bytes >= most))
            code = merge_group(&merging, codes);
    }
    for (size_t i = 0; merging.view != NULL && i < merging.views; i++) // after an error
        close_view(batch, &merging.view[i]);
    free(merging.view);
    free(merging.first);
    free(merging.slice);
    return code;
}

// ---- step 1, and both for an attacker ----

static int longest_of(const struct slice_moves *moves, int longest)
{
    for (size_t i = 0; i < moves->count; i++) {
        const struct slice_move *move = &moves->move[i];
        longest = move->slab->longest > longest ? move->slab->longest : longest;
        for (int r = 0; r < REPLIES && move->reply[r] != NULL; r++)
            longest = move->reply[r]->longest + 1 > longest ? move->reply[r]->longest + 1 : longest;
    }
    return longest;
}

int slice_mates_longest(const struct slice_batch *batch)
{
    int longest = 0;
    for (int side = WHITE; side <= BLACK; side++)
        longest = longest_of(&batch->pawn_moves[side], longest_of(&batch->captured[side], longest));
    return longest;
}

// `which`: SLAB_LOST or SLAB_WON.
static int make_captured(struct slice_batch *batch, int victim, enum slab_plane which, int bits)
{
    struct backend *backend = batch->backend;
    struct mate_codes *codes = &batch->captured_codes[victim];
    const struct slice_moves *moves = &batch->captured[victim];
    if (moves->count == 0)
        return 0;
    const bool converts = which == SLAB_LOST && is_to_conversion(batch);
    TRY(codes_new(backend, codes, converts ? 1 : bits));
    TRY(slice_batch_import_plane(batch, codes->at, moves, which));
    if (converts)
        return backend->ops->combine(backend, codes->bit[0], PLANE_COPY, codes->at);
    for (int bit = 0; bit < bits; bit++) {
        TRY(slice_batch_import_plane(batch, codes->bit[bit], moves, (enum slab_plane)(SLAB_CODE + bit)));
        TRY(backend->ops->combine(backend, codes->bit[bit], PLANE_AND, codes->at));
    }
    return 0;
}

static int make_pawn_moves(struct slice_batch *batch, int mover, bool wins, int bits, const struct plane *illegal)
{
    struct backend *backend = batch->backend;
    struct mate_codes *codes = &batch->pawn_codes[mover];
    if (batch->pawn_moves[mover].count == 0)
        return 0;
    TRY(codes_new(backend, codes, bits));
    TRY(merge_moves(batch, &batch->pawn_moves[mover], wins, codes));
    for (int bit = 0; !wins && bit < bits; bit++)
        TRY(backend->ops->combine(backend, codes->bit[bit], PLANE_AND_NOT, illegal));
    return 0;
}

int slice_mates_begin(void *context, int attacker, const struct plane *illegal)
{
    struct slice_batch *batch = context;
    const int bits = mate_code_bits(slice_mates_longest(batch));
    const int defender = attacker ^ 1;
    slice_mates_free(batch);
    TRY(make_captured(batch, defender, SLAB_LOST, bits));
    TRY(make_captured(batch, attacker, SLAB_WON, bits));
    TRY(make_pawn_moves(batch, attacker, true, bits, illegal));
    return make_pawn_moves(batch, defender, false, bits, illegal);
}

int slice_mates_captured_at(void *context, struct plane *plane, int victim, bool won, int ply, bool *any)
{
    struct slice_batch *batch = context;
    const struct plane *at;
    (void)won; // as of slice_mates_begin()
    TRY(codes_at(batch->backend, &batch->captured_codes[victim], mate_code(ply), &at));
    *any = at != NULL;
    return at == NULL ? 0 : batch->backend->ops->combine(batch->backend, plane, PLANE_OR, at);
}

int slice_mates_pawn_moves_at(void *context, int mover, bool won, int ply, const struct plane **at)
{
    struct slice_batch *batch = context;
    (void)won;
    return codes_at(batch->backend, &batch->pawn_codes[mover], mate_code(ply), at);
}
