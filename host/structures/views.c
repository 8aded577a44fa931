// views.c - the slabs of solved and bounded structures to which the moves of one batch lead
#include "structures/views.h"

#include "util/error.h"

#include <stdlib.h>

int structure_views_new(struct structure_views *views, struct structure_view **view)
{
    *view = calloc(1, sizeof **view);
    if (*view == NULL)
        return error_memory(sizeof **view, "structures");
    (*view)->next = views->first;
    views->first = *view;
    return 0;
}

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
