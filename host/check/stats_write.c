// stats_write.c - statistics as text
#include "check/stats.h"

#include <inttypes.h>

void stats_write_zugzwangs_tsv(const struct stats *stats, FILE *file)
{
    char name[MATERIAL_NAME_MAX];
    material_name(&stats->material, name);
    fprintf(file, "material\twhite\tblack\tfen\n");
    for (size_t i = 0; i < stats->zugzwang_count; i++) {
        const struct stats_zugzwang *zugzwang = &stats->zugzwang[i];
        char fen[STATS_FEN_MAX];
        stats_zugzwang_fen(stats, i, fen);
        fprintf(file, "%s\t%s\t%s\t%s\n", name, cltb_outcome_name(zugzwang->outcome[WHITE]),
                cltb_outcome_name(zugzwang->outcome[BLACK]), fen);
    }
}

// ---- as the Syzygy generator writes ----

// Wins (or losses) of every distance, cursed ones included. Returns nothing: an empty list prints nothing.
static void write_plies(const struct stats *stats, FILE *file, int side, bool won)
{
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        bool cursed = ply >= CURSED_PLY;
        int slot = (won ? (cursed ? CLTB_CURSED_WIN : CLTB_WIN) : (cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS)) + 2;
        uint64_t classes = stats_classes(stats, &stats->bin[side][slot][ply]);
        if (classes > 0)
            fprintf(file, "%" PRIu64 " positions %s in %d ply.\n", classes, won ? "win" : "lose", ply);
    }
}

static void write_totals(const struct stats *stats, FILE *file, int side)
{
    static const char *const names[TABLE_OUTCOMES] = {"losses", "cursed losses", "draws", "cursed wins", "wins"};
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        uint64_t total = 0;
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            total += stats_classes(stats, &stats->bin[side][slot][ply]);
        if (total > 0 || slot % 2 == 0)
            fprintf(file, "%" PRIu64 " positions are %s.\n", total, names[slot]);
    }
}

// Which of two the generator shows: it visits the files of the first pawn in turn, in each the positions with White to
// move first, and takes what is longer than anything before. It ignores wins by a capture or a pawn move.
static const struct stats_longest *shown(const struct stats *stats, int winner, int cursed)
{
    const struct stats_longest *won = &stats->longest[winner][(cursed ? CLTB_CURSED_WIN : CLTB_WIN) + 2];
    const struct stats_longest *lost = &stats->longest[winner ^ 1][(cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS) + 2];
    if (won->plies < 0 || won->zeroing)
        return lost;
    if (lost->plies != won->plies)
        return lost->plies > won->plies ? lost : won;
    if (lost->file != won->file)
        return lost->file < won->file ? lost : won;
    return winner == WHITE ? won : lost;
}

static void write_longest_line(const struct stats *stats, FILE *file, int winner, int cursed)
{
    const struct stats_longest *longest = shown(stats, winner, cursed);
    if (longest->plies >= 0)
        fprintf(file, "Longest %swin for %s: %d ply; %s\n", cursed ? "cursed " : "",
                winner == WHITE ? "white" : "black", longest->plies, longest->fen);
}

void stats_write_syzygy(const struct stats *stats, FILE *file)
{
    char name[MATERIAL_NAME_MAX];
    fprintf(file, "########## %s ##########\n\n", material_name(&stats->material, name));
    for (int side = WHITE; side <= BLACK; side++) {
        fprintf(file, "%s to move:\n\n", side == WHITE ? "White" : "Black");
        write_plies(stats, file, side, true);
        fprintf(file, "\n");
        write_totals(stats, file, side);
        fprintf(file, "\n");
        write_plies(stats, file, side, false);
        fprintf(file, "\n");
    }
    write_longest_line(stats, file, WHITE, 0);
    write_longest_line(stats, file, WHITE, 1);
    write_longest_line(stats, file, BLACK, 1);
    write_longest_line(stats, file, BLACK, 0);
    fprintf(file, "\n");
}
