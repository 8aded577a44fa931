// test_dobutsu_rules.c - positions, moves and text of dobutsu shogi: against the golden files, and against a second,
// naive set of rules below that works on the text of a position
#include "support/dobutsu_golden.h"

// ---- the naive rules ----

// As the text shows it: row 0 is rank 1.
struct naive {
    char board[4][3];
    char hand[8]; // in the order of the letters of `hand_order`
    bool gote;
};

struct naive_move {
    char name[DOBUTSU_MOVE_MAX];
    bool takes_lion;
    bool ascends;
    struct naive after;
};

static const char hand_order[] = "CGEcge";

static char swap_case(char c)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter ? (char)(c ^ 0x20) : c;
}

static char to_upper(char c)
{
    return c >= 'a' && c <= 'z' ? swap_case(c) : c;
}

static bool is_gote(char c)
{
    return c >= 'a' && c <= 'z';
}

static struct naive naive_read(const char *text)
{
    struct naive n = {.gote = text[0] == 'G'};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 3; column++)
            n.board[row][column] = text[2 + 4 * row + column];
    snprintf(n.hand, sizeof n.hand, "%s", strcmp(text + 18, "-") == 0 ? "" : text + 18);
    return n;
}

static void naive_write(const struct naive *n, char text[DOBUTSU_TEXT_MAX])
{
    int end = snprintf(text, DOBUTSU_TEXT_MAX, "%c/%.3s/%.3s/%.3s/%.3s/", n->gote ? 'G' : 'S', n->board[0], n->board[1],
                       n->board[2], n->board[3]);
    for (const char *letter = hand_order; *letter != '\0'; letter++)
        for (const char *c = n->hand; *c != '\0'; c++)
            if (*c == *letter)
                text[end++] = *c;
    if (n->hand[0] == '\0')
        text[end++] = '-';
    text[end] = '\0';
}

static void naive_take(struct naive *n, char man)
{
    size_t men = strlen(n->hand);
    assert_true(men < sizeof n->hand - 1);
    n->hand[men] = man;
    n->hand[men + 1] = '\0';
}

// Can a man go so many rows forward and columns aside?
static bool naive_goes(char man, int forward, int aside)
{
    if (abs(forward) > 1 || abs(aside) > 1 || (forward == 0 && aside == 0))
        return false;
    switch (to_upper(man)) {
    case 'L':
        return true;
    case 'G':
        return forward == 0 || aside == 0;
    case 'E':
        return forward != 0 && aside != 0;
    case 'C':
        return forward == 1 && aside == 0;
    case 'R':
        return aside == 0 || forward >= 0;
    default:
        return false;
    }
}

static bool naive_reaches(const struct naive *n, int from, int to)
{
    char man = n->board[from / 3][from % 3];
    int down = to / 3 - from / 3;
    return naive_goes(man, is_gote(man) ? down : -down, to % 3 - from % 3);
}

static bool naive_attacked(const struct naive *n, int square, bool by_gote)
{
    for (int from = 0; from < 12; from++)
        if (n->board[from / 3][from % 3] != '-' && is_gote(n->board[from / 3][from % 3]) == by_gote &&
            naive_reaches(n, from, square))
            return true;
    return false;
}

static void naive_step(const struct naive *n, int from, int to, struct naive_move *move)
{
    char man = n->board[from / 3][from % 3];
    char taken = n->board[to / 3][to % 3];
    int last_row = n->gote ? 3 : 0;
    bool promotes = to_upper(man) == 'C' && to / 3 == last_row;
    snprintf(move->name, sizeof move->name, "%c%c%c%c%c%c%s", to_upper(man), 'a' + from % 3, '1' + from / 3,
             taken == '-' ? '-' : 'x', 'a' + to % 3, '1' + to / 3, promotes ? "+" : "");
    move->after = *n;
    move->after.gote = !n->gote;
    move->after.board[from / 3][from % 3] = '-';
    move->after.board[to / 3][to % 3] = !promotes ? man : n->gote ? 'r' : 'R';
    move->takes_lion = to_upper(taken) == 'L';
    char hand = to_upper(taken) == 'R' ? (n->gote ? 'c' : 'C') : swap_case(taken);
    if (taken != '-' && !move->takes_lion)
        naive_take(&move->after, hand);
    move->ascends = to_upper(man) == 'L' && to / 3 == last_row && !naive_attacked(&move->after, to, move->after.gote);
}

static void naive_drop(const struct naive *n, const char *man, int to, struct naive_move *move)
{
    snprintf(move->name, sizeof move->name, "%c*%c%c", to_upper(*man), 'a' + to % 3, '1' + to / 3);
    move->takes_lion = move->ascends = false;
    move->after = *n;
    move->after.gote = !n->gote;
    move->after.board[to / 3][to % 3] = *man;
    size_t at = (size_t)(man - n->hand);
    memmove(move->after.hand + at, move->after.hand + at + 1, sizeof n->hand - at - 1);
}

static int naive_moves(const struct naive *n, struct naive_move *moves)
{
    int count = 0;
    for (int to = 0; to < 12; to++) {
        char there = n->board[to / 3][to % 3];
        for (int from = 0; from < 12; from++) {
            char man = n->board[from / 3][from % 3];
            if (man != '-' && is_gote(man) == n->gote && (there == '-' || is_gote(there) != n->gote) &&
                naive_reaches(n, from, to))
                naive_step(n, from, to, &moves[count++]);
        }
        for (const char *man = n->hand; *man != '\0' && there == '-'; man++)
            if (is_gote(*man) == n->gote && strchr(n->hand, *man) == man)
                naive_drop(n, man, to, &moves[count++]);
    }
    return count;
}

// ---- comparing the two ----

static const struct naive_move *find_naive(const struct naive_move *moves, int count, const char *text,
                                           const char *name)
{
    int i = 0;
    while (i < count && strcmp(moves[i].name, name) != 0)
        i++;
    if (i == count)
        fail_msg("%s: %s is no move", text, name);
    return &moves[i];
}

static void compare_move(const struct dobutsu *p, const char *text, const struct dobutsu_move *move,
                         const struct naive_move *expected)
{
    if (move->wins != (expected->takes_lion || expected->ascends) ||
        (move->captured == DOBUTSU_MAN_LION) != expected->takes_lion)
        fail_msg("%s %s: wins, or takes the lion, or not", text, expected->name);
    struct dobutsu_move again;
    if (dobutsu_move_read(p, expected->name, &again) != 0 || memcmp(&again, move, sizeof again) != 0)
        fail_msg("%s %s: is not read", text, expected->name);
    if (expected->takes_lion)
        return;
    struct dobutsu after;
    char written[DOBUTSU_TEXT_MAX];
    char right[DOBUTSU_TEXT_MAX];
    dobutsu_make(p, move, &after);
    dobutsu_write(&after, written);
    naive_write(&expected->after, right);
    if (strcmp(written, right) != 0)
        fail_msg("%s %s: leads to %s, not %s", text, expected->name, written, right);
}

static void compare_moves(const struct dobutsu *p, const char *text, const struct naive *n)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    struct naive_move expected[DOBUTSU_MOVES_MAX];
    int count = dobutsu_moves(p, moves);
    int right = naive_moves(n, expected);
    bool takes_lion = false;
    bool ascends = false;
    for (int i = 0; i < count; i++) {
        char name[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(p, &moves[i], name);
        const struct naive_move *same_move = find_naive(expected, right, text, name);
        compare_move(p, text, &moves[i], same_move);
        takes_lion |= same_move->takes_lion;
        ascends |= same_move->ascends;
    }
    // No name came twice if each of the right ones has been met.
    if (count != right)
        fail_msg("%s: %d moves, not %d", text, count, right);
    if (dobutsu_can_take_lion(p) != takes_lion || dobutsu_can_ascend(p) != ascends)
        fail_msg("%s: can take the lion, or ascend, or not", text);
}

static void compare_attacks(const struct dobutsu *p, const char *text, const struct naive *n)
{
    for (int square = 0; square < 12; square++) {
        int shown = n->gote ? square : 11 - square;
        bool mine = dobutsu_attacks(p, true) >> square & 1;
        bool theirs = dobutsu_attacks(p, false) >> square & 1;
        if (mine != naive_attacked(n, shown, n->gote) || theirs != naive_attacked(n, shown, !n->gote))
            fail_msg("%s: attacks on square %d", text, square);
    }
    if (dobutsu_attacks(p, true) >> 12 != 0 || dobutsu_attacks(p, false) >> 12 != 0)
        fail_msg("%s: attacks off the board", text);
}

static void compare(const char *text)
{
    const struct dobutsu p = position_of(text);
    char written[DOBUTSU_TEXT_MAX];
    dobutsu_write(&p, written);
    assert_string_equal(written, text);
    assert_false(dobutsu_overlaps(&p));
    assert_false(dobutsu_rooster_in_hand(&p));
    struct naive n = naive_read(text);
    compare_attacks(&p, text, &n);
    compare_moves(&p, text, &n);
}

// ---- positions by chance ----

static unsigned below(unsigned n)
{
    return (unsigned)(random_u64() >> 33) % n;
}

static void put_anywhere(struct naive *n, char letter)
{
    for (;;) {
        unsigned square = below(12);
        if (n->board[square / 3][square % 3] != '-')
            continue;
        n->board[square / 3][square % 3] = letter;
        return;
    }
}

// Anything that can be written: lions side by side or on their far ranks, too.
static void any_position(char *text)
{
    struct naive n;
    memset(&n, 0, sizeof n);
    memset(n.board, '-', sizeof n.board);
    n.gote = below(2) == 1;
    put_anywhere(&n, 'L');
    put_anywhere(&n, 'l');
    for (const char *letter = "CCGGEE"; *letter != '\0'; letter++) {
        bool hand = below(3) == 0;
        char man = *letter == 'C' && !hand && below(2) == 0 ? 'R' : *letter;
        if (below(2) == 0)
            man = swap_case(man);
        if (hand)
            naive_take(&n, man);
        else
            put_anywhere(&n, man);
    }
    naive_write(&n, text);
}

static void test_naive_rules(void **context)
{
    (void)context;
    char text[DOBUTSU_TEXT_MAX];
    for (int i = 0; i < 20000; i++) {
        any_position(text);
        compare(text);
    }
}

// What chance may not meet often: kinds of the same move from both hands, promotions, unsafe and late ascensions.
static void test_naive_rules_on_edges(void **context)
{
    (void)context;
    static const char *const positions[] = {
        DOBUTSU_START,
        "G/gle/-c-/-C-/ELG/-",
        "S/--l/---/-L-/---/CGEcge",
        "G/--l/---/-L-/---/CCGGEE",
        "S/L-l/---/---/---/CCGGEE",
        "G/---/---/---/lL-/ccggee",
        "S/C-C/---/l-L/g-G/Ee",
        "G/c-c/---/l-L/-gG/Ee",
        "S/-C-/C--/G-l/L-g/Ee",
        "S/lEG/EGL/-CC/---/-",
        "S/-EG/EGL/lCC/---/-",
    };
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++)
        compare(positions[i]);
}

// ---- the board ----

// The board turned by hand, letters in the other case, the other side to move: the same position for its side to move.
static void turn_text(const char *text, char *turned)
{
    struct naive n = naive_read(text);
    struct naive t = n;
    for (int square = 0; square < 12; square++)
        t.board[3 - square / 3][2 - square % 3] = swap_case(n.board[square / 3][square % 3]);
    for (char *c = t.hand; *c != '\0'; c++)
        *c = swap_case(*c);
    t.gote = !n.gote;
    naive_write(&t, turned);
}

static void test_turn(void **context)
{
    (void)context;
    char text[DOBUTSU_TEXT_MAX];
    char other[DOBUTSU_TEXT_MAX];
    for (int i = 0; i < 5000; i++) {
        any_position(text);
        turn_text(text, other);
        const struct dobutsu p = position_of(text);
        struct dobutsu q = position_of(other);
        assert_true(p.turned != q.turned);
        q.turned = p.turned;
        assert_true(same_position(&p, &q));
        // The same board with the other side to move.
        dobutsu_turn(&q);
        dobutsu_write(&q, other);
        assert_int_equal(other[0], text[0] == 'S' ? 'G' : 'S');
        assert_string_equal(other + 1, text + 1);
        dobutsu_turn(&q);
        assert_true(same_position(&p, &q));
    }
}

static void test_mirror(void **context)
{
    (void)context;
    char text[DOBUTSU_TEXT_MAX];
    for (int i = 0; i < 5000; i++) {
        any_position(text);
        const struct dobutsu p = position_of(text);
        struct dobutsu q = p;
        dobutsu_mirror(&q);
        char mirrored[DOBUTSU_TEXT_MAX];
        dobutsu_write(&q, mirrored);
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 3; column++)
                assert_int_equal(mirrored[2 + 4 * row + column], text[4 + 4 * row - column]);
        assert_string_equal(mirrored + 17, text + 17);
        dobutsu_mirror(&q);
        assert_true(same_position(&p, &q));
    }
}

// Any order of the men in each pair is brought to the same one.
static void test_sort(void **context)
{
    (void)context;
    char text[DOBUTSU_TEXT_MAX];
    for (int i = 0; i < 5000; i++) {
        any_position(text);
        const struct dobutsu p = position_of(text);
        struct dobutsu q = p;
        unsigned exchanges = below(8);
        for (int first = 0; first < DOBUTSU_MEN; first += 2) {
            if ((exchanges >> first / 2 & 1) == 0)
                continue;
            q.square[first] = p.square[first + 1];
            q.square[first + 1] = p.square[first];
            for (int rooster = 0; rooster < 2; rooster++) {
                uint8_t low = rooster ? dobutsu_rooster_bit(first) : dobutsu_owner_bit(first);
                uint8_t high = rooster ? dobutsu_rooster_bit(first + 1) : dobutsu_owner_bit(first + 1);
                q.op = (uint8_t)((q.op & ~(low | high)) | (p.op & low ? high : 0) | (p.op & high ? low : 0));
            }
        }
        dobutsu_sort(&q);
        assert_true(same_position(&p, &q));
        for (int first = 0; first < DOBUTSU_MEN; first += 2)
            assert_true(q.square[first] < q.square[first + 1] || q.square[first] == DOBUTSU_HAND);
    }
}

static void test_men(void **context)
{
    (void)context;
    static const uint8_t owners[DOBUTSU_MEN] = {0x01, 0x02, 0x40, 0x80, 0x10, 0x20};
    static const uint8_t roosters[DOBUTSU_MEN] = {0x04, 0x08, 0, 0, 0, 0};
    for (int man = 0; man < DOBUTSU_MEN; man++) {
        assert_int_equal(dobutsu_owner_bit(man), owners[man]);
        assert_int_equal(dobutsu_rooster_bit(man), roosters[man]);
    }
    struct dobutsu start;
    dobutsu_start(&start);
    const struct dobutsu read = position_of(DOBUTSU_START);
    assert_true(same_position(&start, &read));
    struct dobutsu p[3] = {start, start, start}; // two men, a man and a lion, two lions on a square
    p[0].square[4] = start.square[0];
    p[1].square[2] = start.sente_lion;
    p[2].gote_lion = start.sente_lion;
    for (int i = 0; i < 3; i++)
        assert_true(dobutsu_overlaps(&p[i]));
    start.op |= 0x08;
    assert_false(dobutsu_rooster_in_hand(&start));
    start.square[1] = DOBUTSU_HAND;
    assert_true(dobutsu_rooster_in_hand(&start));
}

// ---- golden files ----

static void test_golden_positions(void **context)
{
    (void)context;
    struct golden g;
    struct golden_move golden[DOBUTSU_MOVES_MAX];
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    int positions = 0;
    int with_moves = 0;
    golden_open(&g, "dobutsu-positions.tsv");
    while (golden_next(&g)) {
        const char *text = g.field[GOLDEN_TEXT];
        if (strcmp(text, "-") == 0)
            continue;
        compare(text);
        const struct dobutsu p = position_of(text);
        const bool decided = strncmp(g.field[GOLDEN_CLASS], "win-now:", 8) == 0;
        assert_string_equal(class_of(&p), decided ? g.field[GOLDEN_CLASS] : "");
        positions++;
        const int count = golden_moves(&g, golden);
        if (count < 0)
            continue;
        with_moves++;
        assert_int_equal(dobutsu_moves(&p, moves), count);
        for (int i = 0; i < count; i++)
            assert_int_equal(move_of(&p, golden[i].name).wins, golden[i].wins);
    }
    assert_int_equal(positions, 1561);
    assert_int_equal(with_moves, 300);
}

// Every other position has Gote to move.
static void test_golden_line(void **context)
{
    (void)context;
    struct golden g;
    struct dobutsu p;
    struct dobutsu after;
    int ply = 0;
    golden_open(&g, "dobutsu-line.tsv");
    while (golden_next(&g)) {
        if (ply == 0) {
            dobutsu_start(&p);
        } else {
            char name[DOBUTSU_MOVE_MAX];
            const struct dobutsu_move move = move_of(&p, g.field[1]);
            dobutsu_move_write(&p, &move, name);
            assert_string_equal(name, g.field[1]);
            assert_int_equal(move.wins, ply == 78);
            if (move.wins)
                break;
            dobutsu_make(&p, &move, &after);
            p = after;
        }
        char text[DOBUTSU_TEXT_MAX];
        dobutsu_write(&p, text);
        assert_string_equal(text, g.field[2]);
        compare(text);
        ply++;
    }
    fclose(g.file);
    assert_int_equal(ply, 78);
}

static void test_golden_perft(void **context)
{
    (void)context;
    struct golden g;
    struct dobutsu p;
    dobutsu_start(&p);
    int rows = 0;
    golden_open(&g, "dobutsu-perft.tsv");
    while (golden_next(&g)) {
        bool stop = strcmp(g.field[0], "stop") == 0;
        int depth = (int)golden_number(&g, 1);
        if (depth > (stop ? 8 : 7))
            continue;
        struct dobutsu_perft result;
        dobutsu_perft(&p, depth, stop, &result);
        assert_int_equal(result.sequences, golden_number(&g, 2));
        assert_int_equal(result.last_move_wins, golden_number(&g, 3));
        rows++;
    }
    assert_int_equal(rows, 15);
}

// ---- perft ----

struct perft_sum {
    int moves;
    uint64_t sequences;
};

static int add_move(void *context, const struct dobutsu *p, const struct dobutsu_move *move,
                    const struct dobutsu_perft *behind)
{
    struct perft_sum *sum = context;
    char name[DOBUTSU_MOVE_MAX];
    dobutsu_move_write(p, move, name);
    sum->moves++;
    sum->sequences += behind->sequences;
    return strcmp(name, "La4-a3") == 0 ? 7 : 0;
}

static void test_perft(void **context)
{
    (void)context;
    static const struct {
        const char *position;
        int depth;
        bool stop;
        uint64_t sequences;
        uint64_t last_move_wins;
    } cases[] = {
        {DOBUTSU_START, 0, false, 1, 0},
        {DOBUTSU_START, 4, false, 976, 48},
        // A winning move ends the sequence; a position that can be won at once is not played from with `stop`.
        {"S/---/L-l/---/---/CCGGEE", 1, false, 30 + 5, 1},
        {"S/---/L-l/---/---/CCGGEE", 1, true, 0, 0},
        {"S/---/L-l/---/---/CCGGEE", 0, true, 1, 0},
        {"S/lEG/EGL/-CC/---/-", 1, false, 0, 0}, // no move at all
    };
    struct dobutsu_perft result;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct dobutsu p = position_of(cases[i].position);
        dobutsu_perft(&p, cases[i].depth, cases[i].stop, &result);
        assert_int_equal(result.sequences, cases[i].sequences);
        assert_int_equal(result.last_move_wins, cases[i].last_move_wins);
    }
    struct perft_sum sum = {0};
    struct dobutsu p = position_of(DOBUTSU_START);
    assert_int_equal(dobutsu_perft_divide(&p, 4, false, add_move, &sum, &result), 0);
    assert_int_equal(sum.moves, 4);
    assert_int_equal(sum.sequences, 976);
    // The count ends when `each` says so.
    p = position_of("S/---/--l/---/L--/ccggee");
    assert_int_equal(dobutsu_perft_divide(&p, 1, false, add_move, &sum, &result), 7);
}

// ---- text ----

// Read, and written in the usual form.
static void test_lenient(void **context)
{
    (void)context;
    static const char *const pairs[][2] = {
        {"S/---/---/l--/--L/egecgc", "S/---/---/l--/--L/ccggee"},
        {"G/--l/---/-L-/---/eEgGcC", "G/--l/---/-L-/---/CGEcge"},
        {" \tS/gle/-c-/-C-/ELG/- \t\r\n", DOBUTSU_START},
        {"S/gle/-c-/-C-/ELG/-\n", DOBUTSU_START},
        {"S/l-L/---/---/---/CCGGEE", "S/l-L/---/---/---/CCGGEE"},
        {"S/-lL/---/---/---/CCGGEE", "S/-lL/---/---/---/CCGGEE"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct dobutsu p = position_of(pairs[i][0]);
        char text[DOBUTSU_TEXT_MAX];
        dobutsu_write(&p, text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static const struct {
    const char *text;
    const char *sentence;
} faults[] = {
    {"", "it is empty"},
    {" \t\n", "it is empty"},
    // side to move
    {"W/gle/-c-/-C-/ELG/-", "it begins with the side to move, S or G, not with 'W'"},
    {"s/gle/-c-/-C-/ELG/-", "it begins with the side to move, S or G, not with 's'"},
    {"\xe9/gle/-c-/-C-/ELG/-", "it begins with the side to move, S or G, not with byte 0xe9"},
    {"SG/gle/-c-/-C-/ELG/-", "'G' after the side to move"},
    {"S /gle/-c-/-C-/ELG/-", "' ' after the side to move"},
    // ranks
    {"S", "it has 0 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/", "it has 1 slash, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/ELG/CC", "it has 4 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/-C-/ELG", "it has 4 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/---/-C-/ELG/-", "it has 6 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/-C-/ELG/-/", "it has 6 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c/-C-/ELG/-", "rank 2 has 2 squares, not 3"},
    {"S//gle/-C-/ELG/-", "rank 1 has 0 squares, not 3"},
    {"S/gle/-c-/-C-/E/LG-", "rank 4 has 1 square, not 3"},
    {"S/gle/-c--/-C-/ELG/-", "rank 2 has more than 3 squares"},
    {"S/gle/-c-/-C-/ELG-/-", "rank 4 has more than 3 squares"},
    {"S/gle/1c1/-C-/ELG/-", "'1' in rank 2 is neither a man (CGERLcgerl) nor '-'"},
    {"S/gle/-c-/-C-/EKG/-", "'K' in rank 4 is neither a man (CGERLcgerl) nor '-'"},
    {"S/gle/-c-/-\x01-/ELG/-", "byte 0x01 in rank 3 is neither a man (CGERLcgerl) nor '-'"},
    // lions
    {"S/g-e/-c-/-C-/E-G/-", "both lions are missing (L and l)"},
    {"S/gle/-c-/-C-/E-G/-", "Sente has no lion (L)"},
    {"S/g-e/-c-/-C-/ELG/-", "Gote has no lion (l)"},
    {"S/gLe/-c-/-C-/ELG/-", "Sente has two lions (L)"},
    {"S/gle/-c-/lC-/ELG/-", "Gote has two lions (l)"},
    {"S/gle/-c-/-C-/E-G/L", "a lion (L) is in hand"},
    {"S/g-e/-c-/-C-/ELG/l", "a lion (l) is in hand"},
    // men
    {"S/gle/-c-/-C-/ELG/c", "more than two chicks and roosters"},
    {"S/gle/Rc-/-C-/ELG/-", "more than two chicks and roosters"},
    {"S/gle/-c-/-C-/ELG/G", "more than two giraffes"},
    {"S/gle/-ce/-C-/ELG/-", "more than two elephants"},
    {"S/gle/---/---/ELG/-", "no chick or rooster: there are always two, on the board or in hand"},
    {"S/gle/-r-/---/ELG/-", "only one chick or rooster: there are always two, on the board or in hand"},
    {"S/gle/-c-/-C-/EL-/-", "only one giraffe: there are always two, on the board or in hand"},
    {"S/gl-/-c-/-C-/-LG/-", "no elephant: there are always two, on the board or in hand"},
    // men in hand
    {"S/gle/-c-/---/ELG/", "nothing after the last '/': men in hand, or '-' if there are none"},
    {"S/gle/-c-/---/ELG/ C", "nothing after the last '/': men in hand, or '-' if there are none"},
    {"S/gle/-c-/---/ELG/R", "a rooster (R) is in hand: when captured it becomes a chick"},
    {"S/gle/-c-/---/ELG/r", "a rooster (r) is in hand: when captured it becomes a chick"},
    {"S/gle/-c-/---/ELG/P", "'P' in hand is not a man (CGEcge)"},
    {"S/gle/-c-/---/ELG/C-", "'-' in hand is not a man (CGEcge)"},
    // behind the end
    {"S/gle/-c-/-C-/ELG/-C", "'C' after the men in hand"},
    {"S/gle/-c-/-C-/ELG/- 1", "'1' after the men in hand"},
    {"S/gle/-c-/-C-/ELG/-\n\n", "byte 0x0a after the men in hand"},
    {"S/gle/-c-/-C-/ELG/-            ", NULL},
    {"S/gle/-c-/-C-/ELG/-             ", "it is longer than 31 characters"},
};

static void test_faults(void **context)
{
    (void)context;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct dobutsu p;
        struct dobutsu before;
        memset(&p, 0x5a, sizeof p);
        p.turned = false;
        before = p;
        int code = dobutsu_read(&p, faults[i].text);
        if (faults[i].sentence == NULL) {
            assert_int_equal(code, 0);
            continue;
        }
        char sentence[200];
        snprintf(sentence, sizeof sentence, "dobutsu position: %s", faults[i].sentence);
        assert_int_equal(code, CLTB_E_POSITION);
        assert_string_equal(error_text(), sentence);
        assert_true(same_position(&p, &before));
    }
}

// ---- moves as text ----

static void test_move_forms(void **context)
{
    (void)context;
    static const char *const forms[][3] = {
        {DOBUTSU_START, "Cb3xb2", "Cb3xb2"},
        {DOBUTSU_START, "cb3xb2", "Cb3xb2"},
        {DOBUTSU_START, "Cb3-b2", "Cb3xb2"},
        {DOBUTSU_START, "cB3B2", "Cb3xb2"},
        {DOBUTSU_START, "CB3XB2", "Cb3xb2"},
        {DOBUTSU_START, "Gc4-c3", "Gc4-c3"},
        {DOBUTSU_START, "gc4c3", "Gc4-c3"},
        {DOBUTSU_START, "Gc4xc3", "Gc4-c3"},
        {"G/gle/-c-/-C-/ELG/-", "cb2b3", "Cb2xb3"},
        {"G/gl-/---/-c-/ELG/Ce", "e*c1", "E*c1"},
        {"G/gl-/---/-c-/ELG/Ce", "Cb3xb4+", "Cb3xb4+"},
        {"G/gl-/---/-c-/ELG/Ce", "cb3b4+", "Cb3xb4+"},
        {"S/---/-r-/l-R/G-L/gEe", "rc3b3", "Rc3-b3"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const struct dobutsu p = position_of(forms[i][0]);
        const struct dobutsu_move move = move_of(&p, forms[i][1]);
        char name[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(&p, &move, name);
        assert_string_equal(name, forms[i][2]);
    }
}

#define NOT_A_MOVE " is not written as a move: Cb3xb2, Cb2-b1+, or G*a3 for a drop"

static void test_move_faults(void **context)
{
    (void)context;
    static const char promoting[] = "S/---/-C-/l--/ELG/Cge";
    static const struct {
        const char *position;
        const char *text;
        const char *sentence; // after 'TEXT'; NULL: of a text that is too long
    } cases[] = {
        {DOBUTSU_START, "", NOT_A_MOVE},
        {DOBUTSU_START, "b3b2", NOT_A_MOVE},
        {DOBUTSU_START, "Cb3", NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb5", NOT_A_MOVE},
        {DOBUTSU_START, "Cd3xb2", NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xxb2", NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb2 ", NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb2++", NOT_A_MOVE},
        {DOBUTSU_START, "Ga3", NOT_A_MOVE},
        {DOBUTSU_START, "Gc4-c3 and a very long story", NULL},
        {DOBUTSU_START, "Cb3xb2+", ": the man does not promote by this move ('+')"},
        {DOBUTSU_START, "Gb3xb2", " is not a possible move here"},
        {DOBUTSU_START, "Cb3-b1", " is not a possible move here"},
        {DOBUTSU_START, "G*a3", " is not a possible move here"},
        {DOBUTSU_START, "R*a3", " is not a possible move here"},
        {DOBUTSU_START, "Lb1-a2", " is not a possible move here"},
        {promoting, "Cb2-b1", ": the man promotes by this move: write '+'"},
        {promoting, "C*b1+", ": the man does not promote by this move ('+')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct dobutsu p = position_of(cases[i].position);
        struct dobutsu_move move;
        char sentence[200];
        snprintf(sentence, sizeof sentence, "'%s'%s", cases[i].text, cases[i].sentence);
        if (cases[i].sentence == NULL)
            snprintf(sentence, sizeof sentence, "'Gc4-c3 and a very lo'" NOT_A_MOVE);
        assert_int_equal(dobutsu_move_read(&p, cases[i].text, &move), CLTB_E_POSITION);
        assert_string_equal(error_text(), sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_naive_rules),
        cmocka_unit_test(test_naive_rules_on_edges),
        cmocka_unit_test(test_turn),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_men),
        cmocka_unit_test(test_golden_positions),
        cmocka_unit_test(test_golden_line),
        cmocka_unit_test(test_golden_perft),
        cmocka_unit_test(test_perft),
        cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_move_forms),
        cmocka_unit_test(test_move_faults),
    };
    return cmocka_run_group_tests_name("dobutsu rules", tests, NULL, NULL);
}
