// game.c - a game of dobutsu shogi as it is played
#include "dobutsu/cli/game.h"

#include "dobutsu/probe.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 3 };

// ---- playing ----

// How the game ends in the position itself, unless a winning move led to it.
static enum game_end end_of_position(const struct game *game)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    if (dobutsu_moves(game_position(game), moves) == 0)
        return GAME_NO_MOVE;
    const struct dobutsu *p = game_position(game);
    int times = 1;
    for (int i = 0; i < game->plies; i++)
        times += memcmp(p, &game->ply[i].position, sizeof *p) == 0;
    return times >= REPETITIONS ? GAME_REPETITION : GAME_ON;
}

int game_begin(struct game *game, const struct dobutsu *start)
{
    TRY(memory_grow(&game->ply, &game->room, 1, sizeof *game->ply, "the game"));
    game->plies = 0;
    game->ply[0].position = *start;
    dobutsu_sort(&game->ply[0].position);
    game->end = dobutsu_is_over(start) ? GAME_ASCENDED : end_of_position(game);
    return 0;
}

void game_free(struct game *game)
{
    free(game->ply);
}

int game_play(struct game *game, const struct dobutsu_move *move)
{
    TRY(memory_grow(&game->ply, &game->room, (size_t)game->plies + 2, sizeof *game->ply, "the game"));
    struct dobutsu *after = &game->ply[game->plies + 1].position;
    struct dobutsu_move made = *move;
    if (move->captured == DOBUTSU_MAN_LION)
        made.captured = DOBUTSU_MAN_NONE; // the last position still has the lion, under the man that took it
    dobutsu_make(game_position(game), &made, after);
    dobutsu_sort(after);
    game->ply[game->plies++].move = *move;
    if (move->captured == DOBUTSU_MAN_LION)
        game->end = GAME_LION_TAKEN;
    else
        game->end = move->wins ? GAME_ASCENDED : end_of_position(game);
    return 0;
}

void game_undo(struct game *game)
{
    game->plies--;
    game->end = GAME_ON;
}

// ---- output ----

const char *side_name(const struct dobutsu *p)
{
    return p->turned ? "Gote" : "Sente";
}

void game_print_board(const struct game *game)
{
    const struct dobutsu *p = game_position(game);
    char text[DOBUTSU_TEXT_MAX];
    dobutsu_write(p, text);
    const char *rank = strchr(text, '/');
    const char *hands = strrchr(text, '/');
    printf("   a b c\n");
    for (int number = 1; rank < hands; number++, rank += 4) {
        printf("%d ", number);
        for (int file = 1; file <= 3; file++)
            printf(" %c", rank[file] == '-' ? '.' : rank[file]);
        // The players stand at the sides; Sente's men are the capital letters.
        const bool gote = number == 1;
        if (gote || rank + 4 == hands) {
            int men = 0;
            printf("   %s", gote ? "Gote" : "Sente");
            for (const char *man = hands + 1; *man != '\0'; man++)
                if (*man != '-' && (*man >= 'a') == gote)
                    printf("%s%c", men++ == 0 ? ", in hand " : " ", *man);
            printf("%s", game->end == GAME_ON && p->turned == gote ? ", to move" : "");
        }
        printf("\n");
    }
}

void game_print_moves(const struct game *game)
{
    if (game->plies == 0)
        printf("no moves");
    for (int i = 0; i < game->plies; i++) {
        char move[DOBUTSU_MOVE_MAX];
        const struct dobutsu *p = &game->ply[i].position;
        dobutsu_move_write(p, &game->ply[i].move, move);
        if (!p->turned || i == 0)
            printf("%s%d%s", i > 0 ? " " : "", (i + 1) / 2 + 1, p->turned ? "..." : ".");
        printf(" %s", move);
    }
    printf("\n");
}

void game_print_end(const struct game *game)
{
    const struct dobutsu *p = game_position(game);
    const char *winner = p->turned ? "Sente" : "Gote";
    if (game->end == GAME_REPETITION)
        printf("draw: this position for the third time\n");
    else if (game->end == GAME_NO_MOVE)
        printf("%s wins: %s has no move\n", winner, side_name(p));
    else if (game->end != GAME_ON)
        printf("%s wins: the lion %s\n", winner, game->end == GAME_ASCENDED ? "has ascended" : "is taken");
}
