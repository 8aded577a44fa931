// test_syzygy_shape.c - the numbers of placements in Syzygy files
//
// Facts about the format, with positions whose index in a known file is known. Then every index of small shapes, and
// random ones of shapes with random lists of men and orders, must be found again from their squares, from every image
// of these, and with men of a kind in any order.
#include "support/support.h"
#include "syzygy/support_syzygy.h"

#include "index/material.h"
#include "syzygy/shape.h"

static int square_named(const char *name)
{
    return 8 * (name[1] - '1') + name[0] - 'a';
}

// The codes of men such as "KrQk". Returns their number.
static int list_named(const char *men, uint8_t *list)
{
    uint8_t type[8];
    uint8_t colour[8];
    const int count = men_named(men, type, colour);
    for (int i = 0; i < count; i++)
        list[i] = syzygy_man(colour[i], type[i]);
    return count;
}

static int make_shape(struct syzygy_shape *shape, const char *men, int file, int order, int order2)
{
    uint8_t list[8];
    const int count = list_named(men, list);
    return syzygy_shape_init(shape, list, count, file, order, order2);
}

static uint64_t index_of(const struct syzygy_shape *shape, const uint8_t *square)
{
    uint64_t squares = 0;
    for (int i = 0; i < shape->men; i++)
        squares |= (uint64_t)square[i] << 8 * i;
    return syzygy_index(shape, squares);
}

TEST(test_codes)
{
    uint8_t list[8];
    assert_int_equal(list_named("KPkqbn", list), 6);
    static const uint8_t codes[] = {6, 1, 14, 13, 11, 10};
    assert_memory_equal(list, codes, sizeof codes);
    for (size_t i = 0; i < sizeof codes; i++)
        assert_int_equal(syzygy_man(syzygy_man_colour(codes[i]), syzygy_man_type(codes[i])), codes[i]);
}

TEST(test_sizes)
{
    static const struct {
        const char *men;
        int order2;
        uint64_t values[4]; // without pawns only the first
    } facts[] = {
        {"KRk", 15, {31332}},
        {"KrQk", 15, {1911252}},
        {"KknBB", 15, {57337560}},
        {"KkNN", 15, {462 * UINT64_C(1891)}},
        {"PKk", 15, {23436, 23436, 23436, 23436}},
        {"PpKk", 1, {1066524, 1066524, 1066524, 1066524}},
        {"PPKk", 15, {252 * 3782, 180 * 3782, 108 * 3782, 36 * 3782}},
        {"PPPKk", 15, {5201 * 3660, 2645 * 3660, 953 * 3660, 125 * 3660}},
        {"ppppKk", 15, {70315 * 3540, 25375 * 3540, 5491 * 3540, 295 * 3540}},
        {"PPPPPKk", 15, {700336 * UINT64_C(3422), 178696 * 3422, 23176 * 3422, 496 * 3422}},
        {"pPPKk", 1, {6 * 1081 * 3660, 6 * 1081 * 3660, 6 * 1081 * 3660, 6 * 1081 * 3660}},
        {"KQrbnkR", 15, {UINT64_C(31332) * 61 * 60 * 59 * 58}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct syzygy_shape shape;
        for (int file = 0; file < 4 && facts[i].values[file] != 0; file++) {
            GOOD(make_shape(&shape, facts[i].men, file, 0, facts[i].order2));
            assert_int_equal(shape.values, facts[i].values[file]);
            assert_int_equal(shape.fastest, 0);
        }
    }
}

TEST(test_indices)
{
    static const struct {
        const char *men;
        int order;
        int order2;
        const char *squares[7];
        uint64_t index;
    } facts[] = {
        // Kg1 Qd1 / ke5 rf5: White and Black to move in KQvKR.rtbw, KQvKR.rtbz
        {"KrQk", 1, 15, {"g1", "f5", "d1", "e5"}, 125021},
        {"QkKr", 1, 15, {"d1", "e5", "g1", "f5"}, 609241},
        {"kQrK", 1, 15, {"e5", "d1", "f5", "g1"}, 1839226},
        // Ke1 Pg4 / ke8 pc5 in KPvKP.rtbw
        {"PpKk", 3, 1, {"g4", "c5", "e1", "e8"}, 520431},
        {"KkNN", 0, 15, {"b1", "d1", "a1", "c1"}, 0},
        {"KkNN", 0, 15, {"a1", "c3", "b1", "d1"}, 441 + 462 * 1},
        {"KkNN", 0, 15, {"d4", "h8", "a1", "b1"}, 461},
        // Stalemates in KRvK.rtbw
        {"KkR", 0, 15, {"c1", "a1", "b2"}, 3913},
        {"KkR", 0, 15, {"c1", "a1", "h2"}, 3919},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct syzygy_shape shape;
        uint8_t square[7];
        for (int man = 0; man < 7 && facts[i].squares[man] != NULL; man++)
            square[man] = (uint8_t)square_named(facts[i].squares[man]);
        uint8_t list[8];
        list_named(facts[i].men, list);
        const bool pawns = (list[0] & 7) == 1;
        GOOD(make_shape(&shape, facts[i].men, pawns ? syzygy_leading_file(square, 1) : 0, facts[i].order,
                        facts[i].order2));
        assert_int_equal(shape.file, pawns ? 1 : 0);
        assert_int_equal(index_of(&shape, square), facts[i].index);
    }
}

// Squares in another image and with men of a kind in another order.
static void scramble(const struct syzygy_shape *shape, uint8_t *square)
{
    for (int group = 0; group < shape->groups; group++) {
        const struct syzygy_group *g = &shape->group[group];
        for (int i = g->count - 1; i > 0; i--) {
            const int other = random_below(i + 1);
            if (shape->list[g->first + i] != shape->list[g->first + other])
                continue;
            const uint8_t moved = square[g->first + i];
            square[g->first + i] = square[g->first + other];
            square[g->first + other] = moved;
        }
    }
    const int mirror = (random_below(2) ? 7 : 0) ^ (!shape->pawns && random_below(2) ? 56 : 0);
    const bool diagonal = !shape->pawns && random_below(2);
    for (int i = 0; i < shape->men; i++) {
        if (diagonal)
            square[i] = (uint8_t)(square[i] >> 3 | (square[i] & 7) << 3);
        square[i] ^= (uint8_t)mirror;
    }
}

// Is all of group 0 on a long diagonal, or are its pawns placed alike after mirroring?
static bool has_two_indices(const struct syzygy_shape *shape, const uint8_t *square)
{
    const int lead = shape->group[0].count;
    bool diagonal = !shape->pawns;
    for (int i = 0; i < lead && diagonal; i++)
        diagonal = square[i] >> 3 == (square[i] & 7);
    if (!shape->pawns)
        return diagonal;
    // The leading pawn's mirror image must be there: it would lead as well.
    for (int i = 1; i < lead; i++)
        if (square[i] == (square[0] ^ 7))
            return true;
    return false;
}

static void check_index(const struct syzygy_shape *shape, uint64_t index)
{
    uint8_t square[7];
    syzygy_placement(shape, index, square);
    uint64_t used = 0;
    for (int i = 0; i < shape->men; i++) {
        const bool pawn = (shape->list[i] & 7) == 1;
        assert_true(square[i] < 64 && (!pawn || (square[i] >= 8 && square[i] < 56)));
        assert_false(used >> square[i] & 1);
        used |= UINT64_C(1) << square[i];
    }
    if (shape->pawns)
        assert_int_equal(syzygy_leading_file(square, shape->group[0].count), shape->file);
    assert_int_equal(index_of(shape, square), index);
    if (has_two_indices(shape, square))
        return;
    scramble(shape, square);
    if (index_of(shape, square) != index)
        fail_msg("an image of index %llu has another one", (unsigned long long)index);
}

static int check_shape_of_three(void *context, const struct material *material)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    uint8_t men[3];
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type <= PAWN; type++)
            for (int i = 0; i < material->count[colour][type]; i++)
                men[count++] = syzygy_man(colour, type);
    for (int i = 0; i < 6; i++) {
        const uint8_t list[3] = {men[orders[i][0]], men[orders[i][1]], men[orders[i][2]]};
        struct syzygy_shape shape;
        for (int order = 0; order < 3; order++) {
            if (syzygy_shape_init(&shape, list, 3, 3, order, 15) != 0)
                continue; // a pawn that is not the first, no such group
            ++*(int *)context;
            for (uint64_t index = 0; index < shape.values; index++)
                check_index(&shape, index);
        }
    }
    return 0;
}

TEST(test_all_of_three)
{
    int shapes = 0;
    material_each(3, check_shape_of_three, &shapes);
    // Q R B N: one group, so one order, for each of 6 lists; P: 3 groups, 2 lists.
    assert_int_equal(shapes, 4 * 6 + 3 * 2);
}

static int check_random_shapes(void *context, const struct material *material)
{
    struct kind {
        uint8_t man;
        int count;
    } kinds[12], swap;
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type <= PAWN; type++)
            if (material->count[colour][type] > 0)
                kinds[count++] = (struct kind){syzygy_man(colour, type), material->count[colour][type]};
    for (int tries = 0, made = 0; made < 1; tries++) {
        assert_true(tries < 10000);
        uint8_t list[8];
        int men = 0;
        for (int i = count - 1; i > 0; i--) {
            const int other = random_below(i + 1);
            swap = kinds[i];
            kinds[i] = kinds[other];
            kinds[other] = swap;
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j < kinds[i].count; j++)
                list[men++] = kinds[i].man;
        struct syzygy_shape shape;
        const int order = random_below(men);
        const int order2 =
            material->count[WHITE][PAWN] > 0 && material->count[BLACK][PAWN] > 0 ? random_below(men) : 15;
        if (syzygy_shape_init(&shape, list, men, random_below(4), order, order2) != 0)
            continue;
        made++;
        check_index(&shape, 0);
        check_index(&shape, shape.values - 1);
        for (int i = 0; i < 200; i++)
            check_index(&shape, random_u64() % shape.values);
    }
    return 0;
}

TEST(test_random)
{
    for (int men = 4; men <= 7; men++)
        material_each(men, check_random_shapes, NULL);
}

// Indices from the digits' parts as writers do it.
TEST(test_parts)
{
    struct syzygy_shape shape;
    GOOD(make_shape(&shape, "PPppKRk", 2, 3, 1));
    for (int i = 0; i < 10000; i++) {
        uint8_t square[7];
        uint64_t index = 0;
        uint64_t used = 0;
        for (int group = 0; group < shape.groups; group++) {
            const struct syzygy_group *g = &shape.group[group];
            const uint64_t digit = random_u64() % g->size;
            if (group == 0)
                syzygy_lead_squares(&shape, digit, square);
            else
                syzygy_group_squares(&shape, group, digit, used, square + g->first);
            for (int man = 0; man < g->count; man++) {
                used |= UINT64_C(1) << square[g->first + man];
                assert_true(group == 0 || man == 0 || square[g->first + man] > square[g->first + man - 1]);
            }
            index += digit * g->factor;
        }
        assert_int_equal(index_of(&shape, square), index);
    }
}

TEST(test_malformed)
{
    static const struct {
        const char *men;
        int order;
        int order2;
        const char *says;
    } bad[] = {
        {"Kk", 0, 15, "2 men"},
        {"KkQQQQQQ", 0, 15, "8 men"},
        {"KkQRQ", 0, 15, "men of a kind that are not listed together"},
        {"KQR", 0, 15, "not one king of each colour"},
        {"KkkQ", 0, 15, "not one king of each colour"},
        {"KkQQRB", 0, 15, "men of one kind among the first of the list"},
        {"KQQkRB", 0, 15, "men of one kind among the first of the list"},
        {"KQQk", 0, 15, "men of one kind among the first of the list"},
        {"KPk", 0, 15, "pawns that do not lead the list of men"},
        {"KkPp", 0, 1, "pawns that do not lead the list of men"},
        {"pPKk", 0, 1, "pawns that do not lead the list of men"},
        {"PKpk", 0, 1, "pawns that do not lead the list of men"},
        {"PPpKk", 0, 1, "pawns that do not lead the list of men"},
        {"KQk", 1, 15, "the order 1 of 1 groups"},
        {"KrQk", 2, 15, "the order 2 of 2 groups"},
        {"PKk", 15, 15, "the order 15 of 3 groups"},
        {"PpKk", 0, 0, "the orders 0 and 0 of 4 groups"},
        {"PpKk", 0, 4, "the orders 0 and 4 of 4 groups"},
        {"PpKk", 0, 15, "the orders 0 and 15 of 4 groups"},
    };
    struct syzygy_shape shape;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        FAILS(make_shape(&shape, bad[i].men, 0, bad[i].order, bad[i].order2), CLTB_E_CORRUPT, bad[i].says);
    for (int code = 0; code < 256; code++) {
        const uint8_t list[4] = {6, 14, (uint8_t)code, 4};
        const bool good = (code >= 2 && code <= 5) || (code >= 10 && code <= 13);
        if (good)
            GOOD(syzygy_shape_init(&shape, list, 4, 0, 0, 15));
        else
            assert_int_equal(syzygy_shape_init(&shape, list, 4, 0, 0, 15), CLTB_E_CORRUPT);
    }
}

TESTS(NULL, NULL)
