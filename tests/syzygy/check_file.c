// check_file.c - every value of Syzygy files, against our tables
//
//     check_file [--every N] TABLES FILE...
//     check_file --mend FILE                   makes the checksum of a file of up to 16 MiB right again
//
// Decodes each file completely (support_whole_file.h) and compares what is stored for every position (with --every only
// the positions of every N-th placement) with the exact values in the folder TABLES. The index is computed from the
// format's description, without the library's code for it.
//
//     .rtbw  the outcome, or any worse one if a legal capture reaches the outcome
//     .rtbz  of the side to move that each sub-table stores: the plies or moves to zeroing, as its flags say, but for
//            draws and for wins by a capture or a pawn move; and the flags for plies where rounding could hide that a
//            win or a loss has just 100 plies
//
// So two files of a table that pass agree wherever it matters, whatever their orders of men. A placement whose mirror
// image has another index is looked up twice. Exit status 1 if a file is wrong, 2 if a table cannot be read.
#include "syzygy/support_whole_file.h"

#include "check/placements.h"
#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "index/square.h"
#include "probe/probe.h"
#include "syzygy/checksum.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS_TOLD = 10, PAWN_CODE = 1, DIAGONAL = 4, MIRROR_FILES = 1, PLACEMENTS = 31332, KING_PAIRS = 462 };

// ---- the index ----

static const int8_t triangle_number[32] = {6,  0,  1, 2, -1, -1, -1, -1, -1, 7,  3,  4, -1, -1, -1, -1,
                                           -1, -1, 8, 5, -1, -1, -1, -1, -1, -1, -1, 9, -1, -1, -1, -1};

static uint64_t choose(uint64_t n, uint64_t k)
{
    uint64_t product = 1;
    for (uint64_t i = 0; i < k; i++)
        product = n < k ? 0 : product * (n - i) / (i + 1);
    return product;
}

// The pawns' numbers, a2 47, h2 46, .. e7 0.
static int pawn_number(int square)
{
    const int file = square_file(square);
    const int from_edge = file > 3 ? 7 - file : file;
    return 47 - 12 * from_edge - 2 * (square_rank(square) - 1) - (file > 3);
}

// Placements of n leading pawns whose first is on this file, 0..3, and below this rank.
static uint64_t pawn_base(int n, int file, int rank)
{
    uint64_t sum = 0;
    for (int r = 1; r < rank; r++)
        sum += choose((uint64_t)pawn_number(8 * r + file), (uint64_t)n - 1);
    return sum;
}

static bool kings_touch(int a, int b)
{
    return abs(square_file(a) - square_file(b)) <= 1 && abs(square_rank(a) - square_rank(b)) <= 1;
}

static int king_pair[10][64]; // [number of the first in the triangle][square of the second]

static void number_king_pairs(void)
{
    int number = 0;
    for (int both = 0; both < 2; both++)
        for (int first = 0; first < 10; first++)
            for (int other = 0; other < 64; other++) {
                int square = 0;
                while (triangle_number[square] != first)
                    square++;
                const bool on = square_on_diagonal(square);
                const bool above = square_rank(other) > square_file(other);
                if (kings_touch(square, other) || (on && above) || (on && square_on_diagonal(other)) != both)
                    continue;
                king_pair[first][other] = number++;
            }
}

struct group {
    int first; // its first man in the list
    int men;
    uint64_t size;
    uint64_t factor;
};

// The groups of a sub-table in list order; 0 if its men cannot be grouped.
static int groups_of(const struct whole_file *file, const struct sub_table *sub, int leading_file, struct group *group)
{
    int unique = 0;
    int groups = 0;
    int at = 0;
    int free_squares = 64;
    int count[16] = {0};
    for (int i = 0; i < file->men; i++)
        unique += ++count[sub->man[i]] == 1 ? 1 : count[sub->man[i]] == 2 ? -1 : 0;
    while (at < file->men) {
        struct group *g = &group[groups];
        *g = (struct group){.first = at, .men = count[sub->man[at]]};
        if (at == 0 && !file->pawns) {
            g->men = unique >= 3 ? 3 : 2;
            g->size = unique >= 3 ? PLACEMENTS : KING_PAIRS;
            for (int i = 0; i < g->men; i++)
                if (count[sub->man[i]] != 1 || (g->men == 2 && (sub->man[i] & 7) != 6))
                    return 0;
        } else if (at == 0) {
            g->size = pawn_base(g->men, leading_file, 7);
        } else {
            const bool pawns = (sub->man[at] & 7) == PAWN_CODE;
            g->size = choose((uint64_t)(pawns ? 48 - group[0].men : free_squares), (uint64_t)g->men);
        }
        if (at > 0 || file->pawns)
            for (int i = 0; i < g->men; i++)
                if (at + i >= file->men || sub->man[at + i] != sub->man[at])
                    return 0;
        free_squares -= g->men;
        at += g->men;
        groups++;
    }
    return groups;
}

// The same with factors: the groups are taken in the order of the order nibbles. The number of values; 0 if impossible.
static uint64_t group_values(const struct whole_file *file, const struct sub_table *sub, int leading_file,
                             struct group *group, int *groups)
{
    *groups = groups_of(file, sub, leading_file, group);
    uint64_t product = 1;
    const bool both = *groups > 1 && file->pawns && (sub->man[group[1].first] & 7) == PAWN_CODE;
    int next = both ? 2 : 1;
    for (int k = 0; k < *groups; k++) {
        int taken = next;
        if (k == sub->order[0])
            taken = 0;
        else if (both && k == sub->order[1])
            taken = 1;
        else
            next++;
        if (taken >= *groups)
            return 0;
        group[taken].factor = product;
        product *= group[taken].size;
    }
    return *groups == 0 ? 0 : product;
}

static uint64_t values_of(const struct whole_file *file, const struct sub_table *sub, int leading_file)
{
    struct group group[FILE_MEN_MAX];
    int groups;
    return group_values(file, sub, leading_file, group, &groups);
}

static uint64_t three_digit(const int *s)
{
    const int i = s[1] > s[0];
    const int j = (s[2] > s[0]) + (s[2] > s[1]);
    // Below the diagonal, by squares: b1 0, c1 1 .. h1 6, c2 7 .. h7 27
    int below[64];
    int number = 0;
    for (int square = 0; square < 64; square++)
        below[square] = square_rank(square) < square_file(square) ? number++ : -1;
    const int two = square_rank(s[0]) * 7 + square_rank(s[1]) - i;
    int digit = 0;
    if (!square_on_diagonal(s[0]))
        digit = (triangle_number[s[0]] * 63 + s[1] - i) * 62 + s[2] - j;
    else if (!square_on_diagonal(s[1]))
        digit = 23436 + (square_rank(s[0]) * 28 + below[s[1]]) * 62 + s[2] - j;
    else if (!square_on_diagonal(s[2]))
        digit = 30380 + two * 28 + below[s[2]];
    else
        digit = 31164 + two * 6 + square_rank(s[2]) - j;
    return (uint64_t)digit;
}

static void sort(int *square, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && square[k - 1] > square[k]; k--) {
            const int s = square[k];
            square[k] = square[k - 1];
            square[k - 1] = s;
        }
}

static uint64_t leading_pawns_digit(const int *s, int n)
{
    int number[FILE_MEN_MAX];
    uint64_t digit = pawn_base(n, square_file(s[0]), square_rank(s[0]));
    for (int i = 1; i < n; i++)
        number[i - 1] = pawn_number(s[i]);
    sort(number, n - 1);
    for (int i = 1; i < n; i++)
        digit += choose((uint64_t)number[i - 1], (uint64_t)i);
    return digit;
}

static uint64_t group_digit(const int *s, const struct group *g, int pawns_off)
{
    int square[FILE_MEN_MAX];
    uint64_t digit = 0;
    memcpy(square, s + g->first, (size_t)g->men * sizeof *square);
    sort(square, g->men);
    for (int i = 0; i < g->men; i++) {
        int below = pawns_off;
        for (int k = 0; k < g->first; k++)
            below += s[k] < square[i];
        digit += choose((uint64_t)(square[i] - below), (uint64_t)i + 1);
    }
    return digit;
}

static void mirror(int *s, int men, int symmetry)
{
    for (int i = 0; i < men; i++)
        s[i] = square_apply(symmetry, s[i]);
}

// The sub-table and the index in it of a position; `side` is 1 if the file has both and Black is to move.
static struct sub_table *find(struct whole_file *file, const struct position *p, int side, uint64_t *index)
{
    int s[FILE_MEN_MAX] = {0};
    int leading_file = 0;
    struct sub_table *sub = &file->sub[0][side];
    if (file->pawns) {
        const uint8_t *pawn = p->list[sub->man[0] >> 3][PAWN];
        int best = pawn[0];
        for (int i = 1; i < p->count[sub->man[0] >> 3][PAWN]; i++)
            best = pawn_number(pawn[i]) > pawn_number(best) ? pawn[i] : best;
        leading_file = square_file(best) > 3 ? 7 - square_file(best) : square_file(best);
        sub = &file->sub[leading_file][side];
    }
    int seen[16] = {0};
    for (int i = 0; i < file->men; i++)
        s[i] = p->list[sub->man[i] >> 3][6 - (sub->man[i] & 7)][seen[sub->man[i]]++];
    struct group group[FILE_MEN_MAX] = {0};
    int groups;
    group_values(file, sub, leading_file, group, &groups);
    for (int i = 1; i < group[0].men && file->pawns; i++)
        if (pawn_number(s[i]) > pawn_number(s[0])) {
            const int first = s[0];
            s[0] = s[i];
            s[i] = first;
        }
    if (square_file(s[0]) > 3)
        mirror(s, file->men, 1);
    if (!file->pawns && square_rank(s[0]) > 3)
        mirror(s, file->men, 2);
    for (int i = 0; i < group[0].men && !file->pawns; i++)
        if (!square_on_diagonal(s[i])) {
            if (square_rank(s[i]) > square_file(s[i]))
                mirror(s, file->men, DIAGONAL);
            break;
        }
    *index = 0;
    for (int i = 0; i < groups; i++) {
        uint64_t digit;
        if (i > 0)
            digit = group_digit(s, &group[i], file->pawns && (sub->man[group[i].first] & 7) == PAWN_CODE ? 8 : 0);
        else if (file->pawns)
            digit = leading_pawns_digit(s, group[0].men);
        else
            digit = group[0].men == 3 ? three_digit(s) : (uint64_t)king_pair[triangle_number[s[0]]][s[1]];
        *index += digit * group[i].factor;
    }
    return sub;
}

// ---- judging ----

struct judge {
    cltb_tables *tables;
    struct whole_file file;
    bool symmetric;
    uint64_t every;
    uint64_t placements;
    uint64_t positions; // looked up, mirror images included
    uint64_t free;      // of these, stored with another value than the true one
    uint64_t faults;
    // [leading file][1: a loss][0: of the stored side, 1: of the other one]: has one of just 100 plies
    bool at_limit[4][2][2];
};

static void fault(struct judge *judge, const struct position *p, const char *what, int stored, int exact)
{
    char fen[FEN_MAX];
    fen_write(p, fen);
    if (judge->faults++ < FAULTS_TOLD)
        printf("%s: the file stores %s %d, but it is %d\n", fen, what, stored, exact);
}

// Does a move of these kinds reach the outcome?
static int reached(struct judge *judge, struct position *p, int outcome, bool pawn_moves, bool *is)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    *is = false;
    for (int i = 0; i < count && !*is; i++) {
        int after;
        if (!move_is_capture(moves[i]) && !(pawn_moves && move_is_pawn(p, moves[i])))
            continue;
        TRY(position_make(p, moves[i]));
        const int code = probe_outcome(judge->tables, p, &after);
        position_undo(p);
        TRY(code);
        *is = -after == outcome;
    }
    return 0;
}

static int judge_outcome(struct judge *judge, struct position *p)
{
    uint64_t index;
    int outcome;
    bool by_capture = false;
    const struct sub_table *sub = find(&judge->file, p, p->side, &index);
    TRY(probe_outcome(judge->tables, p, &outcome));
    judge->positions++;
    const int stored = sub->value[index] - 2;
    if (stored == outcome)
        return 0;
    TRY(reached(judge, p, outcome, false, &by_capture));
    if (stored > outcome || !by_capture)
        fault(judge, p, "the outcome", stored, outcome);
    else
        judge->free++;
    return 0;
}

// The list of a DTZ map: wins, losses, cursed wins, blessed losses.
static int class_of(int outcome)
{
    return outcome == CLTB_WIN ? 0 : outcome == CLTB_LOSS ? 1 : outcome == CLTB_CURSED_WIN ? 2 : 3;
}

static int judge_distance(struct judge *judge, struct position *p)
{
    uint64_t index;
    struct cltb_value value;
    bool zeroing = false;
    const struct sub_table *sub = find(&judge->file, p, 0, &index);
    const bool stored_side = judge->symmetric || (sub->flags & DTZ_BLACK ? BLACK : WHITE) == p->side;
    TRY(probe_value(judge->tables, p, &value));
    if (value.dtz == PLY_LIMIT)
        judge->at_limit[(sub - judge->file.sub[0]) / 2][value.outcome < 0][!stored_side] = true;
    if (!stored_side || value.outcome == CLTB_DRAW)
        return 0;
    judge->positions++;
    const int leaf = sub->value[index];
    const int list = class_of(value.outcome);
    int stored = leaf;
    if (sub->flags & DTZ_MAPPED)
        stored = leaf < sub->map_count[list] ? sub->map[list][leaf] : -1;
    int exact = value.dtz > PLY_LIMIT ? (value.dtz - PLY_LIMIT - 1) / 2 : value.dtz == 0 ? 0 : value.dtz - 1;
    const bool plies = (sub->flags & (value.outcome > 0 ? DTZ_WIN_PLIES : DTZ_LOSS_PLIES)) != 0;
    if (value.dtz <= PLY_LIMIT && !plies)
        exact /= 2;
    if (stored == exact)
        return 0;
    if (value.outcome > 0 && (value.dtz == 1 || value.dtz == PLY_LIMIT + 1))
        TRY(reached(judge, p, value.outcome, true, &zeroing));
    if (zeroing)
        judge->free++;
    else
        fault(judge, p, "the distance", stored, exact);
    return 0;
}

static int judge_images(struct judge *judge, struct position *p)
{
    static struct position image;
    struct man men[MATERIAL_MEN_MAX];
    if (!position_legal(p))
        return 0;
    TRY(judge->file.dtz ? judge_distance(judge, p) : judge_outcome(judge, p));
    int count = 0;
    for (uint64_t set = position_occupied(p); set != 0; count++) {
        const int square = set_pop(&set);
        men[count] = (struct man){.type = (uint8_t)piece_type(p->board[square]),
                                  .colour = (uint8_t)piece_colour(p->board[square]),
                                  .square = (uint8_t)square_apply(judge->file.pawns ? MIRROR_FILES : DIAGONAL, square)};
    }
    uint64_t index;
    uint64_t other;
    const int side = judge->file.sides == 2 ? p->side : 0;
    TRY(position_set(&image, men, count, p->side));
    find(&judge->file, p, side, &index);
    find(&judge->file, &image, side, &other);
    if (index == other)
        return 0;
    return judge->file.dtz ? judge_distance(judge, &image) : judge_outcome(judge, &image);
}

static int visit(void *context, const struct placement *placement, int worker)
{
    struct judge *judge = context;
    (void)worker;
    if (judge->placements++ % judge->every != 0)
        return 0;
    int code = judge_images(judge, placement->position);
    placement_turn(placement->position);
    if (code == 0 && !judge->symmetric)
        code = judge_images(judge, placement->position);
    placement_turn(placement->position);
    return code;
}

// Flags for plies, where a win or loss of just 100 plies needs them, on either side.
static void judge_flags(struct judge *judge, const char *path)
{
    for (int f = 0; f < judge->file.files && judge->file.dtz; f++) {
        const bool(*limit)[2] = (const bool(*)[2])judge->at_limit[f];
        const int flags = judge->file.sub[f][0].flags;
        const bool other = !judge->symmetric;
        const bool wins = limit[0][0] || limit[1][other];
        const bool losses = limit[1][0] || limit[0][other];
        if ((wins && !(flags & DTZ_WIN_PLIES)) || (losses && !(flags & DTZ_LOSS_PLIES))) {
            printf("%s: sub-table %d must store plies\n", path, f);
            judge->faults++;
        }
    }
}

static bool same_men(const struct whole_file *file, const struct material *material)
{
    for (int f = 0; f < file->files; f++)
        for (int s = 0; s < file->sides; s++) {
            struct material men = {0};
            for (int i = 0; i < file->men; i++)
                if ((file->sub[f][s].man[i] & 7) < 1 || (file->sub[f][s].man[i] & 7) > 6)
                    return false;
                else
                    men.count[file->sub[f][s].man[i] >> 3][6 - (file->sub[f][s].man[i] & 7)]++;
            if (!material_equal(&men, material))
                return false;
        }
    return file->pawns == material_has_pawns(material) && file->unequal == !material_symmetric(material);
}

// Adds to *faults.
static int check_file(const char *path, cltb_tables *tables, uint64_t every, struct thread_pool *pool, uint64_t *faults)
{
    static struct judge judge;
    struct material material;
    int code = 0;
    memset(&judge, 0, sizeof judge);
    judge.tables = tables;
    judge.every = every;
    const char *wrong = "its name is no material's";
    if (material_of_file(&material, path, ".rtbw") || material_of_file(&material, path, ".rtbz"))
        wrong = whole_file_read(&judge.file, path, values_of);
    if (wrong == NULL && (judge.file.dtz != (path[strlen(path) - 1] == 'z') || !same_men(&judge.file, &material)))
        wrong = "its men or its kind are not those of its name";
    if (wrong != NULL) {
        printf("%s: %s\n", path, wrong);
        judge.faults = 1;
    } else {
        judge.symmetric = material_symmetric(&material);
        code = placements_each(&material, pool, visit, &judge);
        judge_flags(&judge, path);
        printf("%s: %" PRIu64 " positions, %" PRIu64 " of them free and stored otherwise: %" PRIu64 " wrong\n", path,
               judge.positions, judge.free, judge.faults);
    }
    *faults += judge.faults;
    whole_file_free(&judge.file);
    return code;
}

static int mend(const char *path)
{
    static uint8_t bytes[SYZYGY_CHUNK];
    uint8_t digest[32];
    FILE *file = fopen(path, "r+b");
    const size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    bool good = size > SYZYGY_CHECKSUM_BYTES;
    if (good) {
        syzygy_chunk_digest(bytes, size - SYZYGY_CHECKSUM_BYTES, digest);
        syzygy_checksum(digest, 1, bytes);
        good = fseek(file, -SYZYGY_CHECKSUM_BYTES, SEEK_END) == 0 && fwrite(bytes, SYZYGY_CHECKSUM_BYTES, 1, file) == 1;
    }
    good = file != NULL && fclose(file) == 0 && good;
    return good ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--mend") == 0)
        return mend(argv[2]);
    struct thread_pool *pool = NULL;
    cltb_tables *tables = NULL;
    uint64_t faults = 0;
    const int options = argc > 2 && strcmp(argv[1], "--every") == 0 ? 2 : 0;
    const uint64_t every = options > 0 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc < 3 + options || every == 0) {
        fprintf(stderr, "usage: check_file [--every N] TABLES FILE...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    number_king_pairs();
    int code = threads_open(&pool, 1);
    if (code == 0)
        code = cltb_open(&tables, argv[1 + options], NULL);
    for (int i = 2 + options; i < argc && code == 0; i++)
        code = check_file(argv[i], tables, every, pool, &faults);
    if (code != 0)
        fprintf(stderr, "check_file: %s\n", error_text());
    cltb_close(tables);
    threads_close(pool);
    return code != 0 ? 2 : faults != 0;
}
