// solved_slabs.c - the outcomes of slices that were solved together
#include "solve/solved_slabs.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

int solved_slabs_new(struct solved_slabs *slabs, struct paged *paged, int side, enum slab_plane plane, size_t words,
                     uint64_t **start)
{
    void *array;
    TRY(paged_new(paged, words * sizeof(uint64_t), false, &slabs->array[side][plane], &array));
    *start = array;
    return 0;
}

void solved_slabs_share(struct solved_slabs *slabs)
{
    for (int side = WHITE; side <= BLACK; side++) {
        struct paged_array **array = slabs->array[side];
        array[SLAB_WON_EVER] = array[SLAB_WON_EVER] != NULL ? array[SLAB_WON_EVER] : array[SLAB_WON];
        array[SLAB_LOST_EVER] = array[SLAB_LOST_EVER] != NULL ? array[SLAB_LOST_EVER] : array[SLAB_LOST];
    }
}

bool solved_slabs_twice(const struct solved_slabs *slabs, int side, int plane)
{
    struct paged_array *const *array = slabs->array[side];
    return (plane == SLAB_WON_EVER && array[plane] == array[SLAB_WON]) ||
           (plane == SLAB_LOST_EVER && array[plane] == array[SLAB_LOST]);
}

void solved_slabs_each(const struct solved_slabs *slabs, void (*close)(struct paged_array *array))
{
    for (int i = 0; i < COLOURS * SLAB_PLANES; i++) {
        const int side = i / SLAB_PLANES;
        const int plane = i % SLAB_PLANES;
        if (slabs->array[side][plane] != NULL && !solved_slabs_twice(slabs, side, plane))
            close(slabs->array[side][plane]);
    }
}

void solved_slabs_view(const struct solved_slabs *slabs, int side, size_t at, struct slab *slab)
{
    slab->cursed = slabs->cursed[side];
    for (int plane = 0; plane < SLAB_PLANES; plane++)
        slab->place[plane] = (struct slab_place){slabs->array[side][plane], at};
}

// ---- keeping ----

// A plane of a solution that becomes a plane of slabs.
struct keeping {
    struct plane **plane; // NULL: there is none
    enum slab_plane number;
};

// Entries that have a code and are not won are lost; those that are won and have no code are illegal.
static int find_lost(const struct solution *solution, int side, struct plane **lost, struct plane **illegal)
{
    struct backend *backend = solution->backend;
    const struct backend_ops *ops = backend->ops;
    TRY(ops->plane_new(backend, lost));
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (solution->distance[side][bit] != NULL)
            TRY(ops->combine(backend, *lost, PLANE_OR, solution->distance[side][bit]));
    }
    TRY(ops->plane_new(backend, illegal));
    TRY(ops->combine(backend, *illegal, PLANE_COPY, solution->won[side]));
    TRY(ops->combine(backend, *illegal, PLANE_AND_NOT, *lost));
    return ops->combine(backend, *lost, PLANE_AND_NOT, solution->won[side]);
}

int solved_slabs_keep(struct solved_slabs *slabs, struct paged *paged, struct solution *solution, int side,
                      size_t slices, const struct solved_slabs_options *options)
{
    enum { OUTCOMES = 6 };
    struct backend *backend = solution->backend;
    const size_t words = slices * (layout_slab_bits(&backend->layout) / 64);
    const bool early_won = solution->won_early[side] != NULL;
    const bool early_lost = solution->lost_early[side] != NULL;
    struct plane *illegal = NULL;
    struct plane *lost = NULL;
    struct keeping keep[OUTCOMES + MATE_CODE_BITS] = {
        {&illegal, SLAB_ILLEGAL},
        {&lost, early_lost ? SLAB_LOST_EVER : SLAB_LOST},
        {&solution->won_early[side], SLAB_WON},
        {&solution->lost_early[side], SLAB_LOST},
        {options->stalemate ? &solution->stalemate[side] : NULL, SLAB_STALEMATE},
        {&solution->won[side], early_won ? SLAB_WON_EVER : SLAB_WON}};
    for (int bit = 0; options->codes && bit < MATE_CODE_BITS; bit++)
        keep[OUTCOMES + bit] = (struct keeping){&solution->distance[side][bit], (enum slab_plane)(SLAB_CODE + bit)};
    int code = find_lost(solution, side, &lost, &illegal);
    for (int i = 0; code == 0 && i < OUTCOMES + MATE_CODE_BITS; i++) {
        struct plane **plane = keep[i].plane;
        uint64_t *to;
        if (plane == NULL || *plane == NULL)
            continue;
        code = solved_slabs_new(slabs, paged, side, keep[i].number, words, &to);
        THEN(code, slice_read(backend, *plane, 0, slices, to));
        if (options->release || plane == &illegal || plane == &lost) {
            backend->ops->plane_free(backend, *plane);
            *plane = NULL;
        }
    }
    backend->ops->plane_free(backend, illegal);
    backend->ops->plane_free(backend, lost);
    slabs->cursed[side] = early_won || early_lost;
    solved_slabs_share(slabs);
    return code;
}

// ---- all that is kept ----

struct solved_views {
    struct solved_views *next;
    size_t count;
    struct slab slab[256];
};

int solved_groups_add(struct solved_groups *groups, int level, struct solved_group **group)
{
    TRY(memory_new(group, 1, sizeof **group, "solved slices"));
    (*group)->level = level;
    (*group)->next = groups->group;
    groups->group = *group;
    return 0;
}

void solved_groups_forget(struct solved_groups *groups, int level)
{
    for (struct solved_group **at = &groups->group; *at != NULL;) {
        struct solved_group *group = *at;
        if (group->level <= level) {
            at = &group->next;
            continue;
        }
        *at = group->next;
        solved_slabs_each(&group->slabs, paged_free);
        free(group);
    }
}

int solved_groups_view(struct solved_groups *groups, const struct solved_group *group, int side, size_t at,
                       bool mirrored, const struct slab **slab)
{
    struct solved_views *views = groups->views;
    if (views == NULL || views->count == sizeof views->slab / sizeof views->slab[0]) {
        views = malloc(sizeof *views);
        if (views == NULL)
            return error_memory(sizeof *views, "solved slices");
        views->next = groups->views;
        views->count = 0;
        groups->views = views;
    }
    struct slab *view = &views->slab[views->count++];
    *view = (struct slab){.mirrored = mirrored, .longest = group->longest};
    solved_slabs_view(&group->slabs, side, at, view);
    *slab = view;
    return 0;
}

void solved_groups_clear(struct solved_groups *groups)
{
    while (groups->views != NULL) {
        struct solved_views *next = groups->views->next;
        free(groups->views);
        groups->views = next;
    }
}
