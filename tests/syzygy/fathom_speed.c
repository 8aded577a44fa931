// fathom_speed.c - how fast outcomes are probed: this library compared with libfathom
//
//     fathom_speed [--rounds N] [--positions N] [--tables FOLDER] SYZYGY NAME...
//
// For each material random legal positions are probed, all of them by one reader and then by the other, in turn, N
// times (21) after one round that warms up. libfathom reads the .rtbw files of SYZYGY; this library reads the same
// files, or those of FOLDER. Both get the same bit sets and give the outcome; the sums must be equal.
// Prints the medians in CPU time of one thread, and the median ratio of a round. Not a test: nothing is required of the
// ratio.
#include <cltb/cltb.h>

#include "check/placements.h"
#include "index/square.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tbprobe.h>
#include <time.h>

enum { ROUNDS_MAX = 1000 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool random_position(const struct material *material, uint64_t bits, cltb_position *position)
{
    static struct position p;
    struct man men[MATERIAL_MEN_MAX];
    const int count = placement_men(material, men);
    *position = (cltb_position){.side = (uint8_t)(bits >> 63)};
    uint64_t *const kinds[] = {&position->kings,   &position->queens,  &position->rooks,
                               &position->bishops, &position->knights, &position->pawns};
    for (int i = 0; i < count; i++) {
        men[i].square = (uint8_t)(bits >> 6 * i & 63);
        *(men[i].colour == WHITE ? &position->white : &position->black) |= square_bit(men[i].square);
        *kinds[men[i].type] |= square_bit(men[i].square);
    }
    return position_set(&p, men, count, position->side) == 0 && position_legal(&p);
}

static int sum_ours(cltb_tables *tables, const cltb_position *position, int count, int64_t *sum)
{
    *sum = 0;
    for (int i = 0; i < count; i++) {
        int outcome;
        TRY(cltb_probe_outcome(tables, &position[i], &outcome));
        *sum += outcome;
    }
    return 0;
}

static int64_t sum_theirs(const cltb_position *position, int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        const cltb_position *p = &position[i];
        sum += (int)tb_probe_wdl(p->white, p->black, p->kings, p->queens, p->rooks, p->bishops, p->knights, p->pawns, 0,
                                 0, p->en_passant, p->side == WHITE) -
               2;
    }
    return sum;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *number, int count)
{
    qsort(number, (size_t)count, sizeof *number, compare_doubles);
    return number[count / 2];
}

static int measure(cltb_tables *tables, const char *name, const cltb_position *position, int count, int rounds)
{
    static double ours[ROUNDS_MAX];
    static double theirs[ROUNDS_MAX];
    static double ratio[ROUNDS_MAX];
    for (int round = -1; round < rounds; round++) {
        int64_t sum;
        const double start = cpu_seconds();
        TRY(sum_ours(tables, position, count, &sum));
        const double middle = cpu_seconds();
        const int64_t other = sum_theirs(position, count);
        const double end = cpu_seconds();
        if (sum != other)
            return error_set(CLTB_E_MISMATCH, "%s: outcomes add up to %lld, for libfathom to %lld", name,
                             (long long)sum, (long long)other);
        if (round < 0)
            continue;
        ours[round] = (middle - start) / count * 1e9;
        theirs[round] = (end - middle) / count * 1e9;
        ratio[round] = theirs[round] / ours[round];
    }
    printf("%-10s cltb %6.1f ns, fathom %6.1f ns, ratio %5.2f\n", name, median(ours, rounds), median(theirs, rounds),
           median(ratio, rounds));
    return 0;
}

int main(int argc, char **argv)
{
    int count = 100000;
    int rounds = 21;
    const char *own = NULL;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "--tables") == 0)
            own = argv[i + 1];
        else
            *(strcmp(argv[i], "--rounds") == 0 ? &rounds : &count) = atoi(argv[i + 1]);
    }
    if (argc - i < 2 || rounds < 1 || rounds > ROUNDS_MAX || count < 1) {
        fprintf(stderr, "usage: fathom_speed [--rounds N] [--positions N] [--tables FOLDER] SYZYGY NAME...\n");
        return 2;
    }
    cltb_tables *tables = NULL;
    cltb_position *position = NULL;
    int code = cltb_open(&tables, own != NULL ? own : argv[i], NULL);
    if (code == 0 && !tb_init(argv[i]))
        code = error_set(CLTB_E_IO, "%s: libfathom cannot open it", argv[i]);
    if (code == 0)
        code = memory_new(&position, (size_t)count, sizeof *position, "positions to probe");
    for (i++; i < argc && code == 0; i++) {
        struct material material;
        uint64_t state = 1;
        code = material_parse(&material, argv[i], NULL);
        for (int k = 0; k < count && code == 0;)
            k += random_position(&material, random_next(&state), &position[k]);
        if (code == 0)
            code = measure(tables, argv[i], position, count, rounds);
    }
    if (code != 0)
        fprintf(stderr, "fathom_speed: %s\n", error_text());
    free(position);
    cltb_close(tables);
    return code != 0;
}
