// slice_mates.c - distances to mate of the positions that captures and pawn moves lead to, as planes of a batch
//
// Each entry has a number: the code (solution.h) of the position that the conversion leads to, or 0. The entries are
// sorted by their codes once for each attacker, so that a ply reads only those that enter in it:
//
// 1. A capture by a piece is an overlap entry, with the code of the slab at that entry, if it is lost or won as wanted.
// 2. The best pawn move counts. For the attacker it is the one to the position that is lost soonest, so the least code.
//    The defender's pawn moves lose when the last of them does, so the largest code counts, and none if a pawn move
//    leads to a position that is not won at all. A double push has the worth of its position including the en passant
//    reply (add_reply()).
// 3. The codes of some tiles are worked out together, as bit planes, word by word. Then each word's entries with the
//    same code become a pair of the word's number and a mask, and the pairs are sorted by code (code_lists.h).
//
// Distances to conversion (DTC) differ in one thing: a capture or promotion of the attacker that wins has the code of
// mate in 1, whatever it leads to.
#include "solve/mates/code_lists.h"
#include "solve/mates/mates.h"
#include "solve/slab_words.h"
#include "solve/slice_moves.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP_BYTES = 32 << 20, // of slices merged together
    LIMIT_PARTS = 8,        // or this part of a memory limit, if that is less
    REPLIES = 2
};

struct slice_mates {
    struct mate_moves moves;
    struct slice_batch *batch;
    // Of the current attacker:
    struct code_lists captured[COLOURS]; // by victim
    struct code_lists pawns[COLOURS];    // by mover
    struct plane *entering;              // the pawn moves of a ply
};

static void free_lists(struct slice_mates *mates)
{
    struct slice_batch *batch = mates->batch;
    for (int side = WHITE; side <= BLACK; side++) {
        code_lists_free(&mates->captured[side], batch->pool);
        code_lists_free(&mates->pawns[side], batch->pool);
    }
    batch->backend->ops->plane_free(batch->backend, mates->entering);
    mates->entering = NULL;
}

// ---- the slabs ----

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

// Moves of one kind, whose codes become lists. A group of heads (slices that share tiles) is done at a time.
struct merging {
    const struct slice_batch *batch;
    bool captures; // by pieces, otherwise pawn moves
    bool wins;     // take the least code of lost positions, otherwise the largest one of won positions
    bool to_conversion;
    int bits;
    struct code_lists *lists;
    const uint64_t *closed; // words of a plane: entries that get no code
    struct view *view;      // of the group
    size_t views;
    size_t *first; // [slices + 1] the first view of each of the batch's slices, counted in the group
    size_t head;   // the group's first head
};

enum { CHUNK = 8 };
typedef uint64_t words_t __attribute__((vector_size(CHUNK * sizeof(uint64_t)), may_alias));

// The positions of some words after a move, for the side then to move.
struct position_words {
    words_t illegal;
    words_t won;
    words_t lost;
    words_t code[MATE_CODE_BITS];
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
    const int man = move->man - slice_man(&batch->shape, 0);
    if (move->where == IMPORT_AT || (move->where == IMPORT_TAKEN && man < pieces))
        view->digit = pieces - 1 - man;
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

// ---- the codes of some words ----

// Consecutive words of a slab: CHUNK of them from number `first` on.
struct chunk_place {
    size_t first;
    unsigned shift; // a tile has 1 << shift words
};

INLINED size_t tile_of(const struct chunk_place *at, size_t i)
{
    return (at->first + i) >> at->shift;
}

INLINED size_t word_of(const struct chunk_place *at, size_t i)
{
    return (at->first + i) & (((size_t)1 << at->shift) - 1);
}

// As word_without(), for CHUNK words from `word` on. Without one of the lowest digits all of them come from one word.
INLINED void words_without(const uint64_t *sub, size_t word, int digit, words_t *to)
{
    typedef uint8_t bytes_t __attribute__((vector_size(sizeof(words_t))));
    const words_t number = {0, 1, 2, 3, 4, 5, 6, 7};
    if (digit > 2) {
        const size_t low = ((size_t)1 << 3 * (digit - 2)) - 1;
        memcpy(to, sub + ((word & low) | (word >> 3 & ~low)), sizeof *to);
        return;
    }
    words_t words = (words_t){0} + sub[word / 8];
    if (digit < 2) {
        words = words >> 8 * number & 0xff;
        for (int bits = 8; bits < 64; bits *= 2)
            words |= words << bits;
    }
    if (digit == 0) // bit i of the byte fills byte i
        words = (words_t)((bytes_t)(words & UINT64_C(0x8040201008040201)) != 0);
    *to = words;
}

// From a slab that lacks the digit at `digit`.
INLINED void read_without(const uint64_t *words, const struct chunk_place *at, int digit, words_t *to)
{
    const size_t below = ((size_t)1 << 3 * digit) - 1;
    if (at->shift >= 3) { // all words are in one tile
        const size_t tile = tile_of(at, 0);
        const size_t sub = (tile & below) | (tile >> 3 & ~below);
        words_without(words + (sub << at->shift) / 8, word_of(at, 0), digit, to);
        return;
    }
    for (size_t i = 0; i < CHUNK; i++) {
        const size_t tile = tile_of(at, i);
        const size_t sub = (tile & below) | (tile >> 3 & ~below);
        (*to)[i] = word_without(words + (sub << at->shift) / 8, word_of(at, i), digit);
    }
}

INLINED void read_words(const struct slab_bits *bits, const struct chunk_place *at, int digit, words_t *to)
{
    if (bits->words == NULL)
        *to = (words_t){0};
    else if (digit < 0)
        memcpy(to, bits->words + at->first, sizeof *to);
    else
        read_without(bits->words, at, digit, to);
}

INLINED bool has_any(const words_t *words)
{
    uint64_t any = 0;
    for (size_t i = 0; i < CHUNK; i++)
        any |= (*words)[i];
    return any != 0;
}

INLINED void read_codes(const struct view_slab *slab, const struct chunk_place *at, int digit, int bits,
                        words_t code[MATE_CODE_BITS])
{
    for (int bit = 0; bit < bits; bit++)
        read_words(&slab->code[bit], at, digit, &code[bit]);
}

// `wins`: losses alone; otherwise wins and illegal entries.
INLINED void read_outcomes(const struct view_slab *slab, const struct chunk_place *at, int digit, bool wins,
                           struct position_words *to)
{
    if (wins) {
        read_words(&slab->lost, at, digit, &to->lost);
        return;
    }
    read_words(&slab->illegal, at, digit, &to->illegal);
    read_words(&slab->won, at, digit, &to->won);
    to->won &= ~to->illegal;
}

INLINED void read_position(const struct view_slab *slab, const struct chunk_place *at, int bits,
                           struct position_words *to)
{
    read_outcomes(slab, at, -1, false, to);
    read_words(&slab->lost, at, -1, &to->lost);
    read_codes(slab, at, -1, bits, to->code);
    for (int bit = 0; bit < bits; bit++)
        to->code[bit] &= to->won | to->lost;
}

// The lanes of a word in which a piece stands on a square.
INLINED uint64_t standing(const struct chunk_place *at, size_t i, int digit, unsigned code)
{
    return (tile_of(at, i) >> 3 * digit & 7) == code >> 3 ? place_word(word_of(at, i), digit, code & 7) : 0;
}

// Removes the entries in which a piece stands on a square.
INLINED void clear_standing(const struct chunk_place *at, int digit, unsigned code, words_t *entries)
{
    const bool elsewhere = at->shift >= 3 && (tile_of(at, 0) >> 3 * digit & 7) != code >> 3; // in all words
    for (size_t i = 0; !elsewhere && i < CHUNK; i++)
        (*entries)[i] &= ~standing(at, i, digit, code);
}

// The entries for which a pawn move is possible.
INLINED void move_entries(const struct view *view, const struct chunk_place *at, int pieces, words_t *entries)
{
    *entries = ~(words_t){0};
    for (size_t i = 0; view->digit >= 0 && i < CHUNK; i++)
        (*entries)[i] = standing(at, i, view->digit, view->move->at);
    for (uint64_t left = view->move->empty; left != 0; left &= left - 1) {
        for (int digit = 0; digit < pieces; digit++)
            clear_standing(at, digit, (unsigned)__builtin_ctzll(left), entries);
    }
}

// The entries in which an enemy stands on a captured man's square.
INLINED void taken_entries(const struct slice_batch *batch, const struct view *view, const struct chunk_place *at,
                           words_t *entries)
{
    const struct slab_shape *shape = &batch->shape;
    const int man = view->move->man - slice_man(shape, 0);
    const int fixed = man - shape->pieces;
    const int colour = fixed >= 0 ? shape->fixed_colour[fixed] : shape->colour[man];
    *entries = (words_t){0};
    for (int digit = 0; digit < shape->pieces; digit++) {
        if (shape->colour[shape->pieces - 1 - digit] == colour)
            continue;
        for (size_t i = 0; i < CHUNK; i++) {
            const size_t tile = tile_of(at, i);
            const size_t word = word_of(at, i);
            if (fixed >= 0)
                (*entries)[i] |= standing(at, i, digit, square_code[batch->square[view->move->slice][fixed]]);
            else if (((tile >> 3 * digit ^ tile >> 3 * view->digit) & 7) == 0)
                for (unsigned l = 0; l < 8; l++)
                    (*entries)[i] |= place_word(word, digit, l) & place_word(word, view->digit, l);
        }
    }
}

// Can there be any, as far as the tile of the first word tells?
INLINED bool is_possible(const struct merging *merging, const struct view *view, const struct chunk_place *at)
{
    const struct slab_shape *shape = &merging->batch->shape;
    const size_t tile = tile_of(at, 0);
    const int man = view->move->man - slice_man(shape, 0);
    const int fixed = man - shape->pieces;
    bool possible = view->move->where == IMPORT_ALL || at->shift < 3; // then there are more tiles
    if (view->move->where == IMPORT_AT)
        possible |= (tile >> 3 * view->digit & 7) == view->move->at >> 3;
    if (view->move->where != IMPORT_TAKEN)
        return possible;
    const size_t u =
        fixed >= 0 ? square_code[merging->batch->square[view->move->slice][fixed]] >> 3 : tile >> 3 * view->digit & 7;
    const int colour = fixed >= 0 ? shape->fixed_colour[fixed] : shape->colour[man];
    for (int digit = 0; digit < shape->pieces; digit++)
        possible |= shape->colour[shape->pieces - 1 - digit] != colour && (tile >> 3 * digit & 7) == u;
    return possible;
}

// The lanes where a < b, for numbers of so many bits.
INLINED void find_less(words_t *less, const words_t *a, const words_t *b, int bits)
{
    words_t same = ~(words_t){0};
    *less = (words_t){0};
    for (int bit = bits - 1; bit >= 0; bit--) {
        *less |= same & ~a[bit] & b[bit];
        same &= ~(a[bit] ^ b[bit]);
    }
}

INLINED void choose(words_t *to, const words_t *from, const words_t *where, int bits)
{
    for (int bit = 0; bit < bits; bit++)
        to[bit] = (to[bit] & ~*where) | (from[bit] & *where);
}

// Takes captures en passant after a double push into account. A capture won in n makes the position lost in at least n
// + 1, and lost at all only if it is the only move; one lost in n wins in n + 1.
INLINED void add_reply(struct position_words *after, const struct position_words *reply, const words_t *stalemate,
                       int bits)
{
    const words_t legal = ~reply->illegal;
    const words_t holds = legal & ~reply->won;
    words_t next[MATE_CODE_BITS]; // the code of one ply more than a win
    words_t carry = ~(words_t){0};
    words_t less;
    for (int bit = 0; bit < bits; bit++) {
        next[bit] = reply->code[bit] ^ carry;
        carry &= reply->code[bit];
    }
    after->lost = (after->lost | (*stalemate & legal)) & ~holds;
    find_less(&less, after->code, next, bits);
    less &= after->lost & legal;
    choose(after->code, next, &less, bits);
    find_less(&less, reply->code, after->code, bits);
    less = (less | ~after->won) & reply->lost;
    choose(after->code, reply->code, &less, bits);
    // A man on the square that the pawn moves to is not in the way of the capture, which leads to a square behind it.
    after->won = (after->won | reply->lost) & ~after->illegal;
    after->lost &= ~after->illegal;
}

// After a move that converts, all lost positions have the code of mate.
INLINED void set_converted(struct position_words *after, int bits)
{
    const words_t mate[MATE_CODE_BITS] = {~(words_t){0}};
    choose(after->code, mate, &after->lost, bits);
}

// What is known of some words while the moves are gone through.
struct merged {
    words_t code[MATE_CODE_BITS];
    words_t closed; // entries that get no code, as far as is known
    words_t holds;  // and those with a pawn move that holds
};

// Step 1. Codes are read only if some entry needs one. Returns whether any may have been added.
INLINED bool merge_capture(const struct merging *merging, const struct view *view, const struct chunk_place *at,
                           struct merged *merged)
{
    struct position_words after;
    words_t entries;
    taken_entries(merging->batch, view, at, &entries);
    entries &= ~merged->closed;
    if (!has_any(&entries))
        return false;
    read_outcomes(&view->after, at, view->digit, merging->wins, &after);
    entries &= (merging->wins ? after.lost : after.won);
    if (!has_any(&entries))
        return false;
    read_codes(&view->after, at, view->digit, merging->bits, after.code);
    if (merging->to_conversion && merging->wins)
        set_converted(&after, merging->bits);
    for (int bit = 0; bit < merging->bits; bit++)
        merged->code[bit] |= after.code[bit] & entries;
    return true;
}

// Step 2, likewise.
INLINED bool merge_pawn_move(const struct merging *merging, const struct view *view, const struct chunk_place *at,
                             struct merged *merged)
{
    const int bits = merging->bits;
    struct position_words after;
    words_t entries;
    words_t stalemate = {0};
    words_t take;
    move_entries(view, at, merging->batch->shape.pieces, &entries);
    entries &= ~merged->closed & ~merged->holds;
    if (!has_any(&entries))
        return false;
    if (view->replies > 0) {
        read_position(&view->after, at, bits, &after);
        read_words(&view->stalemate, at, -1, &stalemate);
    } else {
        read_outcomes(&view->after, at, view->digit, merging->wins, &after);
    }
    if (merging->to_conversion && view->move->converts && view->replies > 0)
        set_converted(&after, bits);
    for (int i = 0; i < view->replies; i++) {
        struct position_words reply;
        read_position(&view->reply[i], at, bits, &reply);
        if (merging->to_conversion)
            set_converted(&reply, bits);
        add_reply(&after, &reply, &stalemate, bits);
    }
    if (!merging->wins)
        merged->holds |= entries & ~after.illegal & ~after.won;
    entries &= merging->wins ? after.lost : after.won;
    if (!has_any(&entries))
        return false;
    if (view->replies == 0) {
        read_codes(&view->after, at, view->digit, bits, after.code);
        if (merging->to_conversion && view->move->converts && merging->wins)
            set_converted(&after, bits);
    }
    if (merging->wins) {
        words_t some = {0};
        for (int bit = 0; bit < bits; bit++)
            some |= merged->code[bit];
        find_less(&take, after.code, merged->code, bits);
        take = (take | ~some) & entries;
    } else {
        find_less(&take, merged->code, after.code, bits);
        take &= entries;
    }
    choose(merged->code, after.code, &take, bits);
    return true;
}

// ---- all entries ----

enum { RUN_CHUNKS = 8 }; // most chunks of merge_run()

// Makes the codes of some chunks of one tile of a slice, or of one chunk of more tiles: codes[bit * item_words], as
// closed[]. Where nothing is made they stay as they are. Returns whether any was made.
static CLONED_WIDE bool merge_run(const struct merging *merging, const size_t views[2], const struct chunk_place *at,
                                  size_t chunks, const uint64_t *closed, uint64_t *codes)
{
    const size_t words = merging->lists->item_words;
    const int bits = merging->bits;
    const bool alike = at->shift >= 3;
    const size_t tile_words = merging->batch->backend->layout.tile_lanes / 64;
    struct merged merged[RUN_CHUNKS];
    bool begun = false;
    bool any = false;
    for (size_t v = views[0]; v < views[1]; v++) {
        const struct view *view = &merging->view[v];
        if (!is_possible(merging, view, at))
            continue;
        for (size_t c = 0; c < chunks; c++) {
            const struct chunk_place place = {at->first + c * CHUNK, at->shift};
            if (!begun) {
                for (int bit = 0; bit < bits; bit++)
                    merged[c].code[bit] = (words_t){0};
                merged[c].closed = merged[c].holds = (words_t){0};
                if (alike)
                    memcpy(&merged[c].closed, closed + c * CHUNK, sizeof merged[c].closed);
            }
            any |= merging->captures ? merge_capture(merging, view, &place, &merged[c])
                                     : merge_pawn_move(merging, view, &place, &merged[c]);
        }
        begun = true;
    }
    for (size_t c = 0; any && c < chunks; c++) {
        for (int bit = 0; bit < bits; bit++) {
            const words_t code = merged[c].code[bit] & ~merged[c].holds;
            uint64_t *to = codes + (size_t)bit * words;
            if (alike)
                memcpy(to + c * CHUNK, &code, sizeof code);
            for (size_t i = 0; !alike && i < CHUNK; i++)
                to[(i >> at->shift) * tile_words + word_of(at, i)] = code[i];
        }
    }
    return any;
}

// Makes the codes of an item, tiles of a head: codes[bit * item_words], in the order of the plane's words, as closed[].
// Returns whether there are any.
static bool merge_tiles(const struct merging *merging, size_t head, size_t item, const uint64_t *closed,
                        uint64_t *codes)
{
    const struct layout *layout = &merging->batch->backend->layout;
    const size_t each = (size_t)1 << 3 * layout->slice_digits; // slices in a head
    const size_t tile_words = layout->tile_lanes / 64;
    const unsigned shift = (unsigned)__builtin_ctzll(tile_words / each);
    const size_t words = merging->lists->item_words;
    const size_t first = item * merging->lists->item_tiles << shift; // of the slab's words
    const size_t most = shift >= 3 ? (size_t)1 << (shift - 3) : 1;   // chunks in a tile
    const size_t chunks = most < RUN_CHUNKS ? most : RUN_CHUNKS;
    bool any = false;
    memset(codes, 0, (size_t)merging->bits * words * sizeof *codes);
    for (size_t low = 0; low < each && head * each + low < merging->batch->slices; low++) {
        const size_t *view = &merging->first[head * each + low];
        for (size_t w = 0; view[0] < view[1] && w < words / each; w += chunks * CHUNK) {
            const struct chunk_place at = {first + w, shift};
            const size_t to = (low << shift) + (w >> shift) * tile_words + (shift >= 3 ? word_of(&at, 0) : 0);
            any |= merge_run(merging, view, &at, chunks, closed + to, codes + to);
        }
    }
    return any;
}

static int merge_item(void *context, uint64_t item, int worker)
{
    const struct merging *merging = context;
    const struct layout *layout = &merging->batch->backend->layout;
    const size_t each = layout->slice_stride / merging->lists->item_tiles; // items in a head
    const uint64_t number = merging->head * each + item;
    const uint64_t *closed = merging->closed + number * merging->lists->item_words;
    uint64_t *codes = code_lists_room(merging->lists, worker);
    if (codes == NULL)
        return CLTB_E_MEMORY;
    if (!merge_tiles(merging, merging->head + item / each, item % each, closed, codes))
        return 0;
    return code_lists_sort(merging->lists, number, worker, merging->bits, closed);
}

// Adds the heads that have been opened, head..end-1, to the lists and closes them.
static int merge_group(struct merging *merging, size_t end)
{
    const struct slice_batch *batch = merging->batch;
    const size_t items = batch->backend->layout.slice_stride / merging->lists->item_tiles;
    const int code = threads_each(batch->pool, (end - merging->head) * items, merge_item, merging);
    for (size_t i = 0; i < merging->views; i++)
        close_view(batch, &merging->view[i]);
    merging->views = 0;
    merging->head = end;
    return code;
}

// Merges all slices, as many at a time as memory should hold.
static int merge_moves(struct merging *merging, const struct slice_moves *moves)
{
    const struct slice_batch *batch = merging->batch;
    const struct layout *layout = &batch->backend->layout;
    const size_t limit = paged_limit(batch->slabs->paged) / LIMIT_PARTS;
    const size_t most = limit > 0 && limit < GROUP_BYTES ? limit : GROUP_BYTES;
    const size_t each = MATE_CODE_BITS * slab_words(batch->shape.pieces) * sizeof(uint64_t);
    const size_t heads = layout->slices >> 3 * layout->slice_digits;
    size_t next = 0;
    int code = 0;
    for (size_t head = 0; code == 0 && head < heads; head++) {
        const size_t end = (head + 1) << 3 * layout->slice_digits;
        for (size_t slice = head << 3 * layout->slice_digits; slice < end && slice < batch->slices; slice++) {
            merging->first[slice] = merging->views;
            for (; code == 0 && next < moves->count && moves->move[next].slice == slice; next++)
                code = open_view(batch, &moves->move[next], &merging->view[merging->views++]);
            merging->first[slice + 1] = merging->views;
        }
        if (code == 0 && (head + 1 == heads || merging->views * each >= most))
            code = merge_group(merging, head + 1);
    }
    for (size_t i = 0; i < merging->views; i++) // after an error
        close_view(batch, &merging->view[i]);
    return code;
}

// Makes the lists of these moves. `closed` has entries that get no code.
static int make_codes(struct slice_batch *batch, struct code_lists *lists, const struct slice_moves *moves,
                      struct merging merging, const struct plane *closed)
{
    struct backend *backend = batch->backend;
    const size_t bytes = layout_bits(&backend->layout) / 8;
    uint64_t *words = NULL;
    if (moves->count == 0)
        return 0;
    merging.batch = batch;
    merging.to_conversion = backend->layout.material.metric == METRIC_DTC;
    merging.lists = lists;
    merging.view = calloc(moves->count, sizeof *merging.view);
    merging.first = calloc(batch->slices + 1, sizeof *merging.first);
    int code = 0;
    if (merging.view == NULL || merging.first == NULL)
        code = error_memory(moves->count * sizeof *merging.view, "distances to mate of conversions");
    THEN(code, code_lists_open(lists, &backend->layout, merging.bits, batch->pool));
    if (code == 0) {
        words = memory_take(threads_memory(batch->pool), bytes, NULL);
        code = words == NULL ? error_memory(bytes, "distances to mate of conversions")
                             : backend->ops->read(backend, closed, 0, backend->layout.tiles, words);
    }
    merging.closed = words;
    THEN(code, merge_moves(&merging, moves));
    code_lists_finish(lists, batch->pool);
    memory_give(threads_memory(batch->pool), words, bytes);
    free(merging.view);
    free(merging.first);
    return code;
}

// ---- both for an attacker ----

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

static int begin(struct mate_moves *moves, int attacker, const struct mate_begin *begin)
{
    struct slice_mates *mates = (struct slice_mates *)moves;
    struct slice_batch *batch = mates->batch;
    const int bits = mate_code_bits(moves->longest);
    const int defender = attacker ^ 1;
    const struct merging of[] = {{.captures = true, .wins = true, .bits = bits},
                                 {.captures = true, .wins = false, .bits = bits},
                                 {.captures = false, .wins = true, .bits = bits},
                                 {.captures = false, .wins = false, .bits = bits}};
    free_lists(mates);
    if (bits == 0)
        return 0;
    TRY(make_codes(batch, &mates->captured[defender], &batch->captured[defender], of[0], begin->own_illegal));
    TRY(make_codes(batch, &mates->captured[attacker], &batch->captured[attacker], of[1], begin->refuted));
    TRY(make_codes(batch, &mates->pawns[attacker], &batch->pawn_moves[attacker], of[2], begin->won));
    TRY(make_codes(batch, &mates->pawns[defender], &batch->pawn_moves[defender], of[3], begin->illegal));
    return batch->backend->ops->plane_new(batch->backend, &mates->entering);
}

static int captured_at(struct mate_moves *moves, struct plane *plane, int victim, bool won, int ply, bool *any)
{
    const struct slice_mates *mates = (const struct slice_mates *)moves;
    (void)won; // as of begin()
    return code_lists_enter(&mates->captured[victim], mates->batch->backend, (unsigned)mate_code(ply), plane, false,
                            any);
}

static int pawn_moves_at(struct mate_moves *moves, int mover, bool won, int ply, const struct plane **at)
{
    const struct slice_mates *mates = (const struct slice_mates *)moves;
    bool any = false;
    (void)won;
    TRY(code_lists_enter(&mates->pawns[mover], mates->batch->backend, (unsigned)mate_code(ply), mates->entering, true,
                         &any));
    *at = any ? mates->entering : NULL;
    return 0;
}

static void close_mates(struct iteration_guest *guest)
{
    free_lists((struct slice_mates *)guest);
    free(guest);
}

int slice_mates_add(struct slice_batch *batch)
{
    struct slice_mates *mates;
    int longest = 0;
    for (int side = WHITE; side <= BLACK; side++)
        longest = longest_of(&batch->pawn_moves[side], longest_of(&batch->captured[side], longest));
    TRY(memory_new(&mates, 1, sizeof *mates, "distances to mate of conversions"));
    mates->batch = batch;
    mates->moves = (struct mate_moves){.guest = {.solve = mates_solve, .close = close_mates},
                                       .longest = longest,
                                       .captured_at = captured_at,
                                       .begin = begin,
                                       .pawn_moves_at = pawn_moves_at};
    batch->zeroing.guest = &mates->moves.guest;
    return 0;
}
