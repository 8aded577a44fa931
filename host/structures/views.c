// views.c - the slabs of solved and bounded structures to which the moves of one batch lead
//
// After a promotion a slab has the new piece on one square, but the structure has it everywhere. The slab's part of the
// structure's planes is picked out word by word, because the kings' digits, which make a word, come last.
#include "structures/views.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

int structure_views_new(struct structure_views *views, struct structure_view **view)
{
    TRY(memory_new(view, 1, sizeof **view, "structures"));
    (*view)->next = views->first;
    views->first = *view;
    return 0;
}

// ---- bounded structures ----

int structure_views_bound(struct structure_views *views, struct slabs *slabs, const struct slab_shape *shape,
                          const uint8_t *square, int side, bool won, const struct slab **slab)
{
    struct structure_view *view;
    TRY(structure_views_new(views, &view));
    TRY(slabs_want_legal(slabs, shape, square, side, &view->legal));
    view->won = won;
    view->pieces = shape->pieces;
    view->next_waiting = views->waiting;
    views->waiting = view;
    *slab = &view->slab;
    return 0;
}

static int find_uniform(struct structure_views *views, bool ones, int pieces, struct slab_place *place)
{
    struct paged_array **array = &views->uniform[ones][pieces];
    const size_t bytes = slab_words(pieces) * sizeof(uint64_t);
    void *start;
    if (*array == NULL) {
        TRY(paged_new(views->paged, bytes, false, array, &start));
        memset(start, ones ? 0xff : 0, bytes);
        paged_put(*array);
    }
    *place = (struct slab_place){*array, 0};
    return 0;
}

int structure_views_fill(struct structure_views *views)
{
    for (struct structure_view **at = &views->waiting; *at != NULL;) {
        struct structure_view *view = *at;
        struct slab_place *place = view->slab.place;
        if (view->legal->place[SLAB_ILLEGAL].array == NULL) {
            at = &view->next_waiting;
            continue;
        }
        *at = view->next_waiting;
        place[SLAB_ILLEGAL] = place[SLAB_WON] = view->legal->place[SLAB_ILLEGAL];
        if (view->won)
            TRY(find_uniform(views, true, view->pieces, &place[SLAB_WON]));
        TRY(find_uniform(views, false, view->pieces, &place[SLAB_LOST]));
        place[SLAB_WON_EVER] = place[SLAB_WON];
        place[SLAB_LOST_EVER] = place[SLAB_LOST];
    }
    return 0;
}

// ---- after a promotion ----

// For each piece of a structure: its square if it does not move in the slab, otherwise NO_SQUARE.
static void match(const struct slab_shape *structure, const struct slab_shape *slab, const uint8_t *square,
                  uint8_t *stands)
{
    memset(stands, NO_SQUARE, LAYOUT_PIECES_MAX);
    for (int i = 0; i < slab->fixed; i++) {
        for (int j = 0; slab->fixed_type[i] != PAWN && j < structure->pieces; j++) {
            if (stands[j] == NO_SQUARE && structure->type[j] == slab->fixed_type[i] &&
                structure->colour[j] == slab->fixed_colour[i]) {
                stands[j] = square[i];
                break;
            }
        }
    }
}

// Words of a slab of n pieces are numbered [u of each][l of each except the kings].
static void pick_words(uint64_t *to, const uint64_t *from, int pieces, int moving, const uint8_t *stands)
{
    const size_t words = slab_words(moving);
    const unsigned lower_bits = 3U * ((unsigned)pieces - 2) & 63;
    for (size_t word = 0; word < words; word++) {
        size_t u = 0;
        size_t l = 0;
        for (int j = 0, i = 0; j < pieces; j++) {
            unsigned u_digit;
            unsigned l_digit = 0;
            if (stands[j] != NO_SQUARE) {
                u_digit = square_code[stands[j]] >> 3;
                l_digit = square_code[stands[j]] & 7;
            } else {
                const int low = moving - 3 - i; // digits below its l digit, without the kings'
                u_digit = (unsigned)(word >> (3U * (unsigned)(2 * moving - 3 - i) & 63)) & 7;
                if (low >= 0)
                    l_digit = (unsigned)(word >> (3U * (unsigned)low & 63)) & 7;
                i++;
            }
            u = u << 3 | u_digit;
            if (j < pieces - 2)
                l = l << 3 | l_digit;
        }
        to[word] = from[u << lower_bits | l];
    }
}

int structure_views_pick(struct structure_views *views, struct structure_view *view, const struct structure_key *key,
                         const struct slab_shape *shape, const uint8_t *square, struct thread_pool *pool)
{
    struct slab_shape whole;
    uint8_t pawns[FIXED_MAX];
    uint8_t stands[LAYOUT_PIECES_MAX];
    void *start;
    const struct slab from = view->slab;
    const size_t words = slab_words(shape->pieces);
    structure_shape(key, &whole, pawns);
    match(&whole, shape, square, stands);
    TRY(paged_new(views->paged, SLAB_PLANES * words * sizeof(uint64_t), false, &view->picked, &start));
    int code = 0;
    for (int plane = 0; code == 0 && plane < SLAB_PLANES; plane++) {
        struct slab_bits bits;
        if (from.place[plane].array == NULL)
            continue;
        code = slab_bits_open(&bits, &from, (enum slab_plane)plane, whole.pieces, pool);
        if (code == 0)
            pick_words((uint64_t *)start + (size_t)plane * words, bits.words, whole.pieces, shape->pieces, stands);
        slab_bits_close(&bits, whole.pieces, pool);
        view->slab.place[plane] = (struct slab_place){view->picked, (size_t)plane * words};
    }
    paged_put(view->picked);
    return code;
}

// ---- all ----

void structure_views_clear(struct structure_views *views)
{
    views->waiting = NULL;
    while (views->first != NULL) {
        struct structure_view *next = views->first->next;
        paged_free(views->first->picked);
        free(views->first);
        views->first = next;
    }
}

void structure_views_close(struct structure_views *views)
{
    structure_views_clear(views);
    for (int pieces = 0; pieces <= LAYOUT_PIECES_MAX; pieces++) {
        for (int ones = 0; ones < 2; ones++) {
            paged_free(views->uniform[ones][pieces]);
            views->uniform[ones][pieces] = NULL;
        }
    }
}
