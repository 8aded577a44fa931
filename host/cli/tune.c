// tune.c - `cltb tune`: the parameters of the OpenCL backend that make a table fastest on a device
//
//     1. Build a table in a temporary folder with the defaults, some times; take the best time.
//     2. For each parameter in turn, try each of its values with the best values of the others so far.
//     3. Store values that were better by a fiftieth at least; builds take them from there (solve/opencl/settings.h).
#include "cli/command.h"

#include "make/build.h"
#include "make/device.h"
#include "util/folders.h"
#include "util/os.h"

#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/settings.h"
#endif

#include <stdio.h>
#include <string.h>

struct tuning {
    const char *device;
    uint64_t repeat;
    const char *name; // of the table
    struct material material;
    char folder[4096]; // it is built here
};

#ifdef CLTB_HAVE_OPENCL

enum { VALUES_MAX = 5 };

static const double worthwhile = 0.98;

static const uint32_t values[OPENCL_PARAMETERS][VALUES_MAX] = {
    // 0 ends a list
    [OPENCL_SWEEP_ITEMS] = {32, 64, 128, 256},
    [OPENCL_PLANE_ITEMS] = {64, 128, 256, 512},
    [OPENCL_READ_KIB] = {1024, 4096, 16384, 65536},
};

static int note_times(void *context, const struct build_event *event)
{
    struct build_event *last = context;
    if (event->kind == BUILD_DONE)
        *last = *event;
    return 0;
}

// The best time of solving and writing the table, after one build that compiles kernels and makes futurebases.
static int measure(const struct tuning *tuning, const uint32_t value[OPENCL_PARAMETERS], double *best)
{
    struct build_event event = {.name = tuning->name};
    const struct build_options options = {
        .dir = tuning->folder, .device = tuning->device, .force = true, .event = note_times, .context = &event};
    int code = 0;
    opencl_settings_try(value);
    for (uint64_t i = 0; code == 0 && i <= tuning->repeat; i++) {
        code = build_table(&tuning->material, &options);
        const double seconds = event.solve_seconds + event.write_seconds;
        if (i == 1 || (i > 1 && seconds < *best))
            *best = seconds;
    }
    opencl_settings_try(NULL);
    return code;
}

static int tune(const struct tuning *tuning, const struct opencl_device *device)
{
    uint32_t best_value[OPENCL_PARAMETERS] = {0};
    double best = 0;
    TRY(measure(tuning, best_value, &best));
    printf("%-12s %10s %10.3f ms for %s\n", "defaults", "", 1e3 * best, tuning->name);
    for (int i = 0; i < OPENCL_PARAMETERS; i++) {
        for (int n = 0; n < VALUES_MAX && values[i][n] != 0; n++) {
            uint32_t value[OPENCL_PARAMETERS];
            double seconds = 0;
            memcpy(value, best_value, sizeof value);
            value[i] = values[i][n];
            TRY(measure(tuning, value, &seconds));
            printf("%-12s %10u %10.3f ms\n", opencl_parameter_name(i), (unsigned)value[i], 1e3 * seconds);
            fflush(stdout);
            if (seconds < worthwhile * best) {
                best = seconds;
                memcpy(best_value, value, sizeof value);
            }
        }
    }
    TRY(opencl_settings_store(device, best_value));
    printf("stored for %s, driver %s:", device->name, device->driver);
    bool any = false;
    for (int i = 0; i < OPENCL_PARAMETERS; i++) {
        if (best_value[i] != 0)
            printf(" %s=%u", opencl_parameter_name(i), (unsigned)best_value[i]);
        any |= best_value[i] != 0;
    }
    printf("%s (%.3f ms)\n", any ? "" : " the defaults", 1e3 * best);
    return 0;
}

static int run_on(struct tuning *tuning, bool reset)
{
    struct device_choice choice;
    struct opencl_device device;
    TRY(device_choose(&choice, tuning->device));
    if (choice.number < 0)
        return error_set(CLTB_E_DEVICE, "only OpenCL devices are tuned (see: cltb devices)");
    TRY(opencl_device_get(&device, choice.number));
    if (reset) {
        TRY(opencl_settings_store(&device, NULL));
        printf("the defaults again for %s, driver %s\n", device.name, device.driver);
        return 0;
    }
    TRY(folders_temporary(tuning->folder, sizeof tuning->folder, "cltb-tune"));
    const int code = tune(tuning, &device);
    folders_remove(tuning->folder);
    return code;
}

#else

static int run_on(struct tuning *tuning, bool reset)
{
    (void)reset;
    (void)tuning;
    return error_set(CLTB_E_DEVICE, "this build has no OpenCL, and only OpenCL devices are tuned");
}

#endif

static int run(int argc, char **argv)
{
    struct tuning tuning = {.device = "gpu", .repeat = 3, .name = "KQRvKR"};
    bool reset = false;
    const struct option options[] = {
        {.name = "--device", .kind = OPTION_TEXT, .value = &tuning.device, .choices = "gpu"},
        {.name = "--table", .kind = OPTION_TEXT, .value = &tuning.name},
        {.name = "--repeat", .kind = OPTION_NUMBER, .value = &tuning.repeat, .least = 1, .most = 1000},
        {.name = "--reset", .kind = OPTION_FLAG, .value = &reset},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "tune", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("tune", "takes no arguments, not '%.40s'", arguments.word[0]);
    int code = material_parse(&tuning.material, tuning.name, NULL);
    THEN(code, run_on(&tuning, reset));
    return code != 0 ? report("tune", code) : EXIT_DONE;
}

const struct command tune_command = {"tune", run, "finds the fastest settings for an OpenCL device"};
