// support_made_up.c - an endgame with pawns whose values are a hash of the placement
#include "table/support_made_up.h"

#include "chess/attacks.h"
#include "index/square.h"

const struct codes few_codes = {100, 127, 7};
const struct codes many_codes = {200, 255, 8};
const struct codes long_codes = {300, 1023, 10};
const struct codes far_codes = {700, 1023, 10};

static unsigned code_of(const struct made_up *made, bool won, int ply)
{
    return won ? (unsigned)ply + 1 : made->codes->largest - (unsigned)ply;
}

// Does a man of the side to move attack the other king?
static bool gives_check(const struct made_up *made, uint32_t slice, int side, const uint8_t *square, uint64_t occupied)
{
    const struct slab_shape *shape = &made->shape;
    uint64_t attacked = 0;
    uint64_t king = 0;
    for (int i = 0; i < made->pawns; i++) {
        const int colour = i < made->slices->pawns[WHITE] ? WHITE : BLACK;
        if (colour == side)
            attacked |= piece_attacks(PAWN, colour, made->slices->square[slice][i], occupied);
    }
    for (int i = 0; i < shape->pieces; i++) {
        if (shape->colour[i] == side)
            attacked |= piece_attacks(shape->type[i], side, square[i], occupied);
        else if (shape->type[i] == KING)
            king = square_bit(square[i]);
    }
    return (attacked & king) != 0;
}

struct truth truth_of(const struct made_up *made, uint32_t slice, bool both, int side, const uint8_t *square)
{
    const struct slab_shape *shape = &made->shape;
    int mirror = 0;
    uint64_t taken = 0;
    for (int i = 0; i < made->pawns; i++)
        taken |= square_bit(made->slices->square[slice][i]);
    for (int i = 0; i < shape->pieces; i++) {
        if (taken & square_bit(square[i]))
            return (struct truth){.outcome = ILLEGAL};
        taken |= square_bit(square[i]);
        if (both && shape->type[i] == KING && shape->colour[i] == WHITE && square_file(square[i]) > 3)
            mirror = 7;
    }
    if (gives_check(made, slice, side, square, taken))
        return (struct truth){.outcome = ILLEGAL};
    uint64_t hash = slice * 2 + (uint64_t)side;
    // Identical pieces are alike: each adds the same in any order.
    for (int i = 0; i < shape->pieces; i++)
        hash += mix(mix((uint64_t)(square[i] ^ mirror) * 16 + shape->type[i] * 2U + shape->colour[i] + 1));
    static const int outcomes[] = {ILLEGAL,   CLTB_WIN,  CLTB_WIN,  CLTB_WIN,  CLTB_LOSS,
                                   CLTB_LOSS, CLTB_LOSS, CLTB_DRAW, CLTB_DRAW, CLTB_DRAW};
    hash = mix(hash);
    const int outcome = outcomes[hash % 10];
    hash = mix(hash);
    const int ply = (int)(hash % (uint64_t)made->codes->plies) + 1;
    const bool cursed = ply > PLY_LIMIT && outcome != ILLEGAL;
    return (struct truth){cursed ? outcome / 2 : outcome, ply, hash >> 60 == 0};
}

// The planes of one slice: won, resolved, distance.
static void fill_planes(const struct made_up *made, uint32_t slice, int side, uint64_t *planes)
{
    const int pieces = made->shape.pieces;
    const size_t words = (size_t)1 << 6 * (pieces - 1);
    bool mirror;
    bool both;
    pawn_slices_find(made->slices, made->slices->square[slice], &mirror, &both);
    for (uint64_t entry = 0; entry < 64 * words; entry++) {
        uint8_t square[LAYOUT_PIECES_MAX];
        for (int i = 0; i < pieces; i++) {
            const unsigned l = entry >> 3 * (pieces - 1 - i) & 7;
            const unsigned u = entry >> 3 * (2 * pieces - 1 - i) & 7;
            square[i] = code_square[8 * u + l];
        }
        const struct truth truth = truth_of(made, slice, both, side, square);
        const uint64_t bit = UINT64_C(1) << entry % 64;
        uint64_t *at = planes + entry / 64;
        const bool won = truth.outcome > 0;
        if (won || truth.outcome == ILLEGAL)
            at[0] |= bit;
        if (truth.resolved)
            at[words] |= bit;
        if (truth.outcome == ILLEGAL || truth.outcome == CLTB_DRAW)
            continue;
        const unsigned code = code_of(made, won, truth.ply);
        for (unsigned i = 0; i < DISTANCE_PLANES_MAX; i++)
            at[(2 + i) * words] |= code >> i & 1 ? bit : 0;
    }
}

int made_up_load(void *context, int side, const uint32_t *slices, size_t count, struct slice_view *views)
{
    struct made_up *made = context;
    const size_t words = (size_t)1 << 6 * (made->shape.pieces - 1);
    const size_t each = (2 + DISTANCE_PLANES_MAX) * words;
    free(made->planes);
    made->planes = host_words(count * each);
    for (size_t s = 0; s < count; s++) {
        uint64_t *planes = made->planes + s * each;
        fill_planes(made, slices[s], side, planes);
        views[s] = (struct slice_view){{.won = planes, .resolved = planes + words}, made->value};
        for (unsigned i = 0; i < made->codes->planes; i++)
            views[s].planes.distance[i] = planes + (2 + i) * words;
    }
    return 0;
}

void make_up(struct made_up *made, const char *name, const char *pieces, const struct codes *codes)
{
    *made = (struct made_up){.source = {.material = material_named(name),
                                        .shape = &made->shape,
                                        .kept = {true, true},
                                        .longest = made->longest,
                                        .context = made,
                                        .load = made_up_load},
                             .codes = codes};
    made->source.slices = made->slices = slices_of(&made->source.material);
    made->pawns = made->slices->pawns[WHITE] + made->slices->pawns[BLACK];
    made->shape.pieces = men_named(pieces, made->shape.type, made->shape.colour);
    const int cursed = codes == &few_codes ? -1 : codes->plies;
    const int longest[] = {PLY_LIMIT, cursed, -1, cursed, PLY_LIMIT};
    memcpy(made->longest[WHITE], longest, sizeof longest);
    memcpy(made->longest[BLACK], longest, sizeof longest);
    for (int ply = 1; ply <= codes->plies; ply++) {
        made->value[0][code_of(made, false, ply)] = value_code(false, ply);
        made->value[1][code_of(made, true, ply)] = value_code(true, ply);
    }
}

void forget(struct made_up *made)
{
    pawn_slices_close(made->slices);
    free(made->planes);
}
