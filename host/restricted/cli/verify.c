// verify.c - `cltb verify FILE`: proves a restricted table right
#include "restricted/cli/tables.h"
#include "util/clock.h"

#include "restricted/check/verify.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CACHE_BYTES = 1 << 30 };

static int verify(const char *path, const char *folders, const struct restricted_verify_options *options,
                  uint64_t *positions)
{
    struct restricted_table *table;
    struct restricted_bases *bases = NULL;
    TRY(restricted_table_open(&table, path, CACHE_BYTES));
    int code = restricted_bases_open(&bases, restricted_table_spec(table), folders);
    if (code == 0)
        code = restricted_verify(table, bases, options, positions);
    if (bases != NULL)
        restricted_bases_close(bases);
    restricted_table_close(table);
    if (code == CLTB_E_MISMATCH)
        return error_prefix(code, "%s is wrong", path);
    return code;
}

int restricted_file_verify(const char *path, const char *folders, const struct restricted_verify_options *options,
                           bool quiet)
{
    const double start = wall_seconds();
    uint64_t positions = 0;
    char *all = restricted_folders(path, folders);
    const int code = all == NULL ? CLTB_E_MEMORY : verify(path, all, options, &positions);
    free(all);
    if (code != 0)
        return report("verify", code);
    if (!quiet)
        printf("%s: %s%" PRIu64 " entries right, checksums right, %.2f s\n", path,
               options->sample > 0 ? "a sample of " : "all ", positions, wall_seconds() - start);
    return EXIT_DONE;
}
