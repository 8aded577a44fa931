// devices.c - `cltb devices`: the devices of this machine that can make tables
#include "cli/command.h"

#include "show/json.h"
#include "solve/cpu/lane_kernels.h"
#include "util/error.h"
#include "util/os.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

// In the order in which lane_kernels_choose() prefers them.
static const char *const instruction_sets[] = {"avx512", "avx2", "generic"};

enum { INSTRUCTION_SETS = sizeof instruction_sets / sizeof instruction_sets[0] };

#ifdef CLTB_HAVE_OPENCL

// Prints text if `json` is NULL.
static int print_opencl(struct json *json)
{
    struct opencl_device *devices = NULL;
    int count = 0;
    TRY(opencl_devices(&devices, &count));
    if (json != NULL) {
        json_bool(json, "opencl", true);
        json_open(json, "devices", '[');
    } else if (count == 0) {
        printf("no OpenCL devices (is a driver installed?)\n");
    }
    for (int i = 0; i < count; i++) {
        const struct opencl_device *device = &devices[i];
        if (json == NULL) {
            printf("%-4d %s (%s, %s, driver %s): %" PRIu32
                   " compute units, memory %.1f GiB, at most %.1f GiB a buffer, local %.0f KiB\n",
                   i, device->name, opencl_device_type_name(device->type), device->platform, device->driver,
                   device->compute_units, (double)device->global_memory / (1 << 30),
                   (double)device->max_allocation / (1 << 30), (double)device->local_memory / 1024);
            continue;
        }
        json_open(json, NULL, '{');
        json_int(json, "number", i);
        json_text(json, "name", device->name);
        json_text(json, "type", opencl_device_type_name(device->type));
        json_text(json, "platform", device->platform);
        json_text(json, "driver", device->driver);
        json_count(json, "compute_units", device->compute_units);
        json_count(json, "global_memory", device->global_memory);
        json_count(json, "max_allocation", device->max_allocation);
        json_count(json, "local_memory", device->local_memory);
        json_close(json);
    }
    if (json != NULL)
        json_close(json);
    free(devices);
    return 0;
}

#else

static int print_opencl(struct json *json)
{
    if (json != NULL) {
        json_bool(json, "opencl", false);
        json_open(json, "devices", '[');
        json_close(json);
    } else {
        printf("this cltb was built without OpenCL\n");
    }
    return 0;
}

#endif

static int run(int argc, char **argv)
{
    const char *format = "text";
    const struct option options[] = {
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"}, {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "devices", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("devices", "takes no arguments, not '%.40s'", arguments.word[0]);
    struct json json = {.depth = 0};
    int code;
    if (strcmp(format, "text") == 0) {
        printf("cpu  %d processor%s, instruction sets:", os_processors(), os_processors() == 1 ? "" : "s");
        for (int i = 0; i < INSTRUCTION_SETS; i++)
            if (lane_kernels_choose(512, instruction_sets[i]) != NULL)
                printf(" %s", instruction_sets[i]);
        printf("\n");
        code = print_opencl(NULL);
    } else {
        json_open(&json, NULL, '{');
        json_open(&json, "cpu", '{');
        json_int(&json, "processors", os_processors());
        json_open(&json, "instruction_sets", '[');
        for (int i = 0; i < INSTRUCTION_SETS; i++)
            if (lane_kernels_choose(512, instruction_sets[i]) != NULL)
                json_text(&json, NULL, instruction_sets[i]);
        json_close(&json);
        json_close(&json);
        code = print_opencl(&json);
        json_close(&json);
    }
    return code != 0 ? report("devices", code) : EXIT_DONE;
}

const struct command devices_command = {"devices", run, "lists what tables can be made with"};
