// verify.c - `cltb verify dobutsu`: proves the dobutsu database right
#include "dobutsu/cli/tables.h"
#include "util/clock.h"

#include "dobutsu/check/verify.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>

static void say_right(const char *name, const struct dobutsu_verify_options *options,
                      const struct dobutsu_verify_result *result, bool checksums, double seconds)
{
    printf("%s: %s%" PRIu64 " codes right (%" PRIu64 " invalid, %" PRIu64 " won at once, %" PRIu64
           " by their moves)%s, %.2f s\n",
           name, options->sample > 0 ? "a sample of " : "all ", result->codes, result->invalid, result->won,
           result->codes - result->invalid - result->won, checksums ? ", checksums right" : "", seconds);
}

int dobutsu_verify_name(const char *name, const char *folders, const struct dobutsu_verify_options *options, bool quiet)
{
    struct dobutsu_values *values;
    struct dobutsu_verify_result result;
    const double start = wall_seconds();
    int code = dobutsu_values_open(&values, name, folders);
    if (code != 0)
        return report("verify", code);
    code = dobutsu_verify(values, options, &result);
    if (code == CLTB_E_MISMATCH)
        error_prefix(code, "%s is wrong", dobutsu_values_path(values));
    if (code == 0 && !quiet)
        say_right(name, options, &result, dobutsu_values_info(values) != NULL, wall_seconds() - start);
    dobutsu_values_close(values);
    return code != 0 ? report("verify", code) : EXIT_DONE;
}
