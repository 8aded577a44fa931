// game.c - a game of dobutsu shogi as it is played
#include "dobutsu/cli/game.h"

#include "dobutsu/probe.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 3, FIRST_ROOM = 64, FILES = 3, RANKS = DOBUTSU_SQUARES / FILES };

// ---- playing ----

static int make_room(struct game *game, int positions)
{
    if (positions <= game->room)
        return 0;
    int room = game->room > 0 ? 2 * game->room : FIRST_ROOM;
    struct dobutsu *position = realloc(game->position, (size_t)room * sizeof *position);
    if (position != NULL)
        game->position = position;
    struct dobutsu_move *move = realloc(game->move, (size_t)room * sizeof *move);
    if (move != NULL)
        game->move = move;
    if (position == NULL || move == NULL)
        return error_memory((size_t)room * (sizeof *position + sizeof *move), "the game");
    game->room = room;
    return 0;
}

// What the position itself says, when no winning move led to it.
static enum game_end end_of_position(const struct game *game)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    if (dobutsu_moves(game_position(game), moves) == 0)
        return GAME_NO_MOVE;
    const struct dobutsu *p = game_position(game);
    int times = 1;
    for (int i = 0; i < game->plies; i++) {
        const struct dobutsu *before = &game->position[i];
        times += memcmp(p->square, before->square, sizeof p->square) == 0 && p->gote_lion == before->gote_lion &&
                 p->sente_lion == before->sente_lion && p->op == before->op && p->turned == before->turned;
    }
    return times >= REPETITIONS ? GAME_REPETITION : GAME_ON;
}

int game_begin(struct game *game, const struct dobutsu *start)
{
    TRY(make_room(game, 1));
    game->plies = 0;
    game->position[0] = *start;
    dobutsu_sort(&game->position[0]);
    game->end = dobutsu_is_over(start) ? GAME_ASCENDED : end_of_position(game);
    return 0;
}

void game_free(struct game *game)
{
    free(game->position);
    free(game->move);
}

int game_play(struct game *game, const struct dobutsu_move *move)
{
    TRY(make_room(game, game->plies + 2));
    struct dobutsu *after = &game->position[game->plies + 1];
    struct dobutsu_move made = *move;
    if (move->captured == DOBUTSU_MAN_LION)
        made.captured = DOBUTSU_MAN_NONE; // the last position keeps the lion, below the man that took it
    dobutsu_make(game_position(game), &made, after);
    dobutsu_sort(after);
    game->move[game->plies++] = *move;
    if (move->captured == DOBUTSU_MAN_LION)
        game->end = GAME_LION_TAKEN;
    else
        game->end = move->wins ? GAME_ASCENDED : end_of_position(game);
    return 0;
}

void game_undo(struct game *game)
{
    if (game->plies == 0)
        return;
    game->plies--;
    game->end = GAME_ON;
}

// ---- output ----

const char *side_name(const struct dobutsu *p)
{
    return p->turned ? "Gote" : "Sente";
}

static const char *other_name(const struct dobutsu *p)
{
    return p->turned ? "Sente" : "Gote";
}

static char man_letter(const struct dobutsu *p, int man)
{
    bool rooster = (p->op & dobutsu_rooster_bit(man)) != 0;
    bool sente = (p->op & dobutsu_owner_bit(man)) != 0;
    char letter = rooster ? 'R' : "CGE"[dobutsu_kind(man)];
    return sente ? letter : (char)(letter - 'A' + 'a');
}

static void print_player(const struct dobutsu *shown, bool sente, bool moves)
{
    printf("   %s", sente ? "Sente" : "Gote");
    for (int man = 0, n = 0; man < DOBUTSU_MEN; man++)
        if (shown->square[man] == DOBUTSU_HAND && ((shown->op & dobutsu_owner_bit(man)) != 0) == sente)
            printf("%s%c", n++ == 0 ? ", in hand " : " ", man_letter(shown, man));
    printf("%s", moves ? ", to move" : "");
}

void game_print_board(const struct game *game)
{
    char board[DOBUTSU_SQUARES];
    struct dobutsu shown = *game_position(game);
    const bool gote_moves = shown.turned;
    const bool on = game->end == GAME_ON;
    if (gote_moves)
        dobutsu_turn(&shown);
    // The board from Sente's side; a lion that has been taken lies under the man that took it.
    memset(board, '.', sizeof board);
    board[gote_moves ? shown.gote_lion : shown.sente_lion] = gote_moves ? 'l' : 'L';
    board[gote_moves ? shown.sente_lion : shown.gote_lion] = gote_moves ? 'L' : 'l';
    for (int man = 0; man < DOBUTSU_MEN; man++)
        if (shown.square[man] != DOBUTSU_HAND)
            board[shown.square[man]] = man_letter(&shown, man);
    printf("   a b c\n");
    for (int rank = 1; rank <= RANKS; rank++) {
        const char *left = &board[FILES * (RANKS - rank) + FILES - 1];
        printf("%d  %c %c %c", rank, left[0], left[-1], left[-2]);
        if (rank == 1)
            print_player(&shown, false, on && gote_moves);
        else if (rank == RANKS)
            print_player(&shown, true, on && !gote_moves);
        printf("\n");
    }
}

int game_move_number(const struct game *game)
{
    return (game->plies + (game->position[0].turned ? 1 : 0)) / 2 + 1;
}

void game_print_moves(const struct game *game)
{
    if (game->plies == 0)
        printf("no moves");
    for (int i = 0; i < game->plies; i++) {
        char move[DOBUTSU_MOVE_MAX];
        const struct dobutsu *p = &game->position[i];
        dobutsu_move_write(p, &game->move[i], move);
        if (!p->turned || i == 0)
            printf("%s%d%s", i > 0 ? " " : "", (i + 1) / 2 + 1, p->turned ? "..." : ".");
        printf(" %s", move);
    }
    printf("\n");
}

void game_print_end(const struct game *game)
{
    const struct dobutsu *p = game_position(game);
    switch (game->end) {
    case GAME_LION_TAKEN:
        printf("%s wins: the lion is taken\n", other_name(p));
        break;
    case GAME_ASCENDED:
        printf("%s wins: the lion has ascended\n", other_name(p));
        break;
    case GAME_NO_MOVE:
        printf("%s wins: %s has no move\n", other_name(p), side_name(p));
        break;
    case GAME_REPETITION:
        printf("draw: this position for the third time\n");
        break;
    case GAME_ON:
        break;
    }
}
