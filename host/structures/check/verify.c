// verify.c - proves a file of structures right (verify.h says how)
#include "structures/check/verify.h"

#include "chess/move.h"
#include "util/error.h"

static int derive(void *context, struct position *p, int run, struct cltb_value *best)
{
    const struct structure_values values = structure_file_values(context);
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    *best = (struct cltb_value){.outcome = count == 0 && !position_in_check(p) ? CLTB_DRAW : CLTB_LOSS};
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(p, moves[i]);
        struct cltb_value value;
        TRY(position_make(p, moves[i]));
        const int code = structure_value_after(&values, run, p, moves[i], &value);
        position_undo(p);
        TRY(code);
        value = value_before(value, zeroing);
        if (i == 0 || value_compare(value, *best) < 0)
            *best = value;
    }
    return 0;
}

// ---- the file as a set of placements ----

static uint64_t entries(void *context, uint64_t section)
{
    const struct structure_file *file = context;
    return UINT64_C(1) << 6 * structure_pieces(&file->record[section].key);
}

static bool place(void *context, uint64_t section, uint64_t entry, int side, struct position *position)
{
    const struct structure_file *file = context;
    return structure_position_set(&file->record[section].key, entry, side, position);
}

// Identical pieces count in one order only: place() has put them down from the last digit on.
static unsigned weight(void *context, const struct placed_entry *at)
{
    const struct position *p = at->position;
    bool falls = true;
    (void)context;
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
        const uint8_t *list = p->list[i / PIECE_TYPES][i % PIECE_TYPES];
        for (int n = 1; i % PIECE_TYPES != PAWN && n < p->count[i / PIECE_TYPES][i % PIECE_TYPES]; n++)
            falls &= list[n] < list[n - 1];
    }
    return falls;
}

static int value_of(void *context, const struct placed_entry *at, int run, struct cltb_value *value)
{
    return structure_file_stored(context, at->section, run, at->position, value);
}

struct placed_set structure_set(struct structure_file *file)
{
    return (struct placed_set){.context = file,
                               .sections = file->info.structures,
                               .runs = structure_file_values(file).bounded ? 2 : 1,
                               .entries = entries,
                               .place = place,
                               .weight = weight,
                               .value = value_of,
                               .derive = derive};
}

// ---- all ----

int structure_verify(struct structure_file *file, const struct placed_verify_options *options, uint64_t *positions)
{
    const struct placed_set set = structure_set(file);
    TRY(value_file_check(&file->file, options->pool));
    const int code = placed_verify(&set, options, positions);
    return code != CLTB_E_MISMATCH || file->info.captures || file->info.bounded == 0
               ? code
               : error_set(CLTB_E_FOREIGN,
                           "%s is of an older cltb, and does not name all tables that its values rest on: it cannot be "
                           "verified; make it again with `cltb solve`",
                           container_path(file->file.container));
}

int structure_count(struct outcome_counts *counts, struct structure_file *file, struct thread_pool *pool)
{
    const struct placed_set set = structure_set(file);
    return placed_count(counts, &set, pool);
}
