// compare_tables.c - a whole table against the naive oracle
#include "support/compare_tables.h"

struct comparison {
    cltb_tables *tables;
    const struct naive *oracle;
    uint64_t probed;
    uint64_t slots; // of those with an en passant slot
    uint64_t wrong;
};

int men_of_name(const char *name, struct man *men)
{
    struct material material;
    bool flipped;
    int count = 0;
    GOOD(material_parse(&material, name, &flipped));
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
        for (int k = 0; k < material.count[i / PIECE_TYPES][i % PIECE_TYPES]; k++)
            men[count++] = (struct man){(uint8_t)(i % PIECE_TYPES), (uint8_t)(i / PIECE_TYPES ^ flipped), 0};
    }
    return count;
}

void public_position(const struct position *p, cltb_position *out)
{
    *out = (cltb_position){.white = p->men[WHITE],
                           .black = p->men[BLACK],
                           .side = p->side,
                           .en_passant = p->en_passant == NO_SQUARE ? 0 : p->en_passant};
    uint64_t *const kinds[] = {&out->kings, &out->queens, &out->rooks, &out->bishops, &out->knights, &out->pawns};
    for (int square = 0; square < SQUARES; square++) {
        if (p->board[square] != EMPTY)
            *kinds[piece_type(p->board[square])] |= square_bit(square);
    }
}

static void compare_position(struct comparison *c, const struct position *p, const struct naive_value *truth)
{
    cltb_position position;
    cltb_value value;
    public_position(p, &position);
    if (cltb_probe(c->tables, &position, &value) != 0)
        fail_msg("%s", cltb_error());
    c->probed++;
    if (value.outcome == (int)truth->outcome && (value.outcome == CLTB_DRAW || value.dtz == truth->dtz))
        return;
    if (c->wrong++ < WRONG_SHOWN) {
        char fen[FEN_MAX];
        fen_write(p, fen);
        fprintf(stderr, "%s: %s %d, not %s %d\n", fen, cltb_outcome_name(value.outcome), value.dtz,
                cltb_outcome_name(truth->outcome), truth->dtz);
    }
}

// Gives the position each slot that it could have in turn.
static void compare_slots(struct comparison *c, struct position *p)
{
    const int enemy = p->side ^ 1;
    for (int i = 0; i < p->count[enemy][PAWN]; i++) {
        const int pawn = p->list[enemy][PAWN][i];
        struct naive_value truth;
        if (square_rank(pawn) != (enemy == WHITE ? 3 : 4) || position_set_en_passant(p, pawn ^ 8) != 0)
            continue;
        if (position_en_passant_legal(p)) {
            GOOD(naive_query(c->oracle, p, &truth));
            compare_position(c, p, &truth);
            c->slots++;
        }
        position_set_en_passant(p, NO_SQUARE);
    }
}

static int compare_visit(void *context, const struct position *p, const struct naive_value *truth)
{
    struct comparison *c = context;
    struct position copy;
    compare_position(c, p, truth);
    if (p->count[p->side ^ 1][PAWN] > 0 && p->count[p->side][PAWN] > 0) {
        position_copy(&copy, p);
        compare_slots(c, &copy);
    }
    return 0;
}

char tables_folder[TEST_PATH_MAX];

int folder_make(void **state)
{
    test_folder_make(tables_folder);
    return 0;
}

int folder_remove(void **state)
{
    test_folder_remove(tables_folder);
    return 0;
}

void make_table(const char *name)
{
    const struct build_options options = {.dir = tables_folder, .device = "cpu", .threads = 2};
    const struct material material = material_named(name);
    GOOD(build_table(&material, &options));
}

uint64_t compare_table(struct naive **oracle, const char *name)
{
    struct man men[NAIVE_MEN_MAX];
    struct comparison c = {0};
    int count = men_of_name(name, men);
    make_table(name);
    GOOD(naive_solve(oracle, men, count));
    assert_int_equal(cltb_open(&c.tables, tables_folder, NULL), 0);
    c.oracle = *oracle;
    GOOD(naive_each(*oracle, compare_visit, &c));
    cltb_close(c.tables);
    assert_true(c.probed > 0);
    if (c.wrong > 0)
        fail_msg("%s: %llu of %llu positions are wrong", name, (unsigned long long)c.wrong,
                 (unsigned long long)c.probed);
    return c.slots;
}
