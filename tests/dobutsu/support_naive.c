// support_naive.c - tests: naive rules of dobutsu shogi on the characters of a position's text
#include "dobutsu/support_naive.h"

#include <ctype.h>

struct naive {
    char board[12]; // in the order of the text: the first three are rank 1
    char hand[8];
    bool gote;
};

struct naive_move {
    char name[DOBUTSU_MOVE_MAX];
    bool takes_lion;
    bool ascends;
    struct naive after;
};

static char swap_case(char c)
{
    return (char)(isalpha(c) ? c ^ 0x20 : c);
}

static bool is_gote(char c)
{
    return islower(c) != 0;
}

static struct naive naive_read(const char *text)
{
    struct naive n = {.gote = text[0] == 'G'};
    for (int square = 0; square < 12; square++)
        n.board[square] = text[2 + square + square / 3];
    snprintf(n.hand, sizeof n.hand, "%s", strcmp(text + 18, "-") == 0 ? "" : text + 18);
    return n;
}

static void naive_write(const struct naive *n, char text[DOBUTSU_TEXT_MAX])
{
    const char *board = n->board;
    int end = snprintf(text, DOBUTSU_TEXT_MAX, "%c/%.3s/%.3s/%.3s/%.3s/%s", n->gote ? 'G' : 'S', board, board + 3,
                       board + 6, board + 9, n->hand[0] == '\0' ? "-" : "");
    for (const char *letter = "CGEcge"; *letter != '\0'; letter++)
        for (const char *c = n->hand; *c != '\0'; c++)
            if (*c == *letter)
                text[end++] = *c;
    text[end] = '\0';
}

static void naive_take(struct naive *n, char man)
{
    size_t men = strlen(n->hand);
    assert_true(men < sizeof n->hand - 1);
    n->hand[men] = man;
    n->hand[men + 1] = '\0';
}

static bool naive_reaches(const struct naive *n, int from, int to)
{
    const char man = n->board[from];
    const int down = to / 3 - from / 3;
    const int forward = is_gote(man) ? down : -down;
    const int aside = to % 3 - from % 3;
    if (abs(forward) > 1 || abs(aside) > 1 || from == to)
        return false;
    switch (toupper(man)) {
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

static bool naive_attacked(const struct naive *n, int square, bool by_gote)
{
    for (int from = 0; from < 12; from++)
        if (is_gote(n->board[from]) == by_gote && naive_reaches(n, from, square))
            return true;
    return false;
}

static void naive_step(const struct naive *n, int from, int to, struct naive_move *move)
{
    const char man = n->board[from];
    const char taken = n->board[to];
    const bool on_last_row = to / 3 == (n->gote ? 3 : 0);
    const bool promotes = toupper(man) == 'C' && on_last_row;
    snprintf(move->name, sizeof move->name, "%c%c%c%c%c%c%s", toupper(man), 'a' + from % 3, '1' + from / 3,
             taken == '-' ? '-' : 'x', 'a' + to % 3, '1' + to / 3, promotes ? "+" : "");
    move->after = *n;
    move->after.gote = !n->gote;
    move->after.board[from] = '-';
    move->after.board[to] = (char)(promotes ? man + 'R' - 'C' : man);
    move->takes_lion = toupper(taken) == 'L';
    if (taken != '-' && !move->takes_lion)
        naive_take(&move->after, swap_case((char)(toupper(taken) == 'R' ? taken + 'C' - 'R' : taken)));
    move->ascends = toupper(man) == 'L' && on_last_row && !naive_attacked(&move->after, to, move->after.gote);
}

static int naive_moves(const struct naive *n, struct naive_move *moves)
{
    int count = 0;
    for (int to = 0; to < 12; to++) {
        const char there = n->board[to];
        for (int from = 0; from < 12; from++) {
            const char man = n->board[from];
            if (man != '-' && is_gote(man) == n->gote && (there == '-' || is_gote(there) != n->gote) &&
                naive_reaches(n, from, to))
                naive_step(n, from, to, &moves[count++]);
        }
        for (const char *man = n->hand; *man != '\0' && there == '-'; man++) {
            if (is_gote(*man) != n->gote || strchr(n->hand, *man) != man)
                continue;
            struct naive_move *drop = &moves[count++];
            *drop = (struct naive_move){.after = *n};
            snprintf(drop->name, sizeof drop->name, "%c*%c%c", toupper(*man), 'a' + to % 3, '1' + to / 3);
            drop->after.gote = !n->gote;
            drop->after.board[to] = *man;
            const size_t at = (size_t)(man - n->hand);
            memmove(drop->after.hand + at, man + 1, sizeof n->hand - at - 1);
        }
    }
    return count;
}

void naive_compare(const char *text)
{
    const struct dobutsu p = position_of(text);
    const struct naive n = naive_read(text);
    char written[DOBUTSU_TEXT_MAX];
    unsigned attacks[2] = {0}; // by the opponent, by the side to move
    dobutsu_write(&p, written);
    assert_string_equal(written, text);
    assert_false(dobutsu_overlaps(&p) || dobutsu_rooster_in_hand(&p));
    for (int square = 0; square < 12; square++)
        for (int mine = 0; mine < 2; mine++)
            attacks[mine] |= (unsigned)naive_attacked(&n, n.gote ? square : 11 - square, n.gote == mine) << square;
    if (dobutsu_attacks(&p, false) != attacks[0] || dobutsu_attacks(&p, true) != attacks[1])
        fail_msg("%s: attacked squares", text);

    // The moves have different names: so if both lists are of the same length and each move is in the other list, they
    // are equal.
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    struct naive_move expected[DOBUTSU_MOVES_MAX];
    const int count = dobutsu_moves(&p, moves);
    const int right = naive_moves(&n, expected);
    bool takes_lion = false;
    bool ascends = false;
    if (count != right)
        fail_msg("%s: %d moves, not %d", text, count, right);
    for (const struct naive_move *e = expected; e < expected + count; e++) {
        const struct dobutsu_move move = move_of(&p, e->name);
        char name[DOBUTSU_MOVE_MAX];
        int i = 0;
        while (i < count && memcmp(&moves[i], &move, sizeof move) != 0)
            i++;
        dobutsu_move_write(&p, &move, name);
        if (i == count || strcmp(name, e->name) != 0)
            fail_msg("%s %s: is not listed, or written %s", text, e->name, name);
        if (move.wins != (e->takes_lion || e->ascends) || (move.captured == DOBUTSU_MAN_LION) != e->takes_lion)
            fail_msg("%s %s: wins, or takes the lion, or not", text, e->name);
        takes_lion |= e->takes_lion;
        ascends |= e->ascends;
        if (e->takes_lion)
            continue;
        struct dobutsu after;
        char right_text[DOBUTSU_TEXT_MAX];
        dobutsu_make(&p, &move, &after);
        dobutsu_write(&after, written);
        naive_write(&e->after, right_text);
        if (strcmp(written, right_text) != 0)
            fail_msg("%s %s: leads to %s, not %s", text, e->name, written, right_text);
    }
    if (dobutsu_can_take_lion(&p) != takes_lion || dobutsu_can_ascend(&p) != ascends)
        fail_msg("%s: can take the lion, or ascend, or not", text);
}

static void put_anywhere(struct naive *n, char letter)
{
    int square;
    do
        square = random_below(12);
    while (n->board[square] != '-');
    n->board[square] = letter;
}

void naive_any_position(char text[DOBUTSU_TEXT_MAX])
{
    struct naive n = {.gote = random_below(2) == 1};
    memset(n.board, '-', sizeof n.board);
    put_anywhere(&n, 'L');
    put_anywhere(&n, 'l');
    for (const char *letter = "CCGGEE"; *letter != '\0'; letter++) {
        const bool hand = random_below(3) == 0;
        char man = *letter == 'C' && !hand && random_below(2) == 0 ? 'R' : *letter;
        if (random_below(2) == 0)
            man = swap_case(man);
        if (hand)
            naive_take(&n, man);
        else
            put_anywhere(&n, man);
    }
    naive_write(&n, text);
}

void naive_turn(const char *text, char turned_text[DOBUTSU_TEXT_MAX])
{
    const struct naive n = naive_read(text);
    struct naive turned = {.gote = !n.gote};
    for (int square = 0; square < 12; square++)
        turned.board[11 - square] = swap_case(n.board[square]);
    for (int man = 0; n.hand[man] != '\0'; man++)
        turned.hand[man] = swap_case(n.hand[man]);
    naive_write(&turned, turned_text);
}
