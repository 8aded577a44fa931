// devices.c - `cltb devices`: what tables can be made with on this machine
#include "cli/command.h"
#include "cli/json.h"

#include "solve/cpu/lane_kernels.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

// Best first, as lane_kernels_choose() takes them.
static const char *const instruction_sets[] = {"avx512", "avx2", "generic"};

enum { INSTRUCTION_SETS = sizeof instruction_sets / sizeof instruction_sets[0] };

static bool has(const char *name)
{
    return lane_kernels_choose(512, name) != NULL;
}

static void cpu_text(void)
{
    printf("cpu  %d processor%s, instruction sets:", threads_processors(), threads_processors() == 1 ? "" : "s");
    for (int i = 0; i < INSTRUCTION_SETS; i++)
        if (has(instruction_sets[i]))
            printf(" %s", instruction_sets[i]);
    printf("\n");
}

static void cpu_json(void)
{
    const char *comma = "";
    printf("{\"cpu\": {\"processors\": %d, \"instruction_sets\": [", threads_processors());
    for (int i = 0; i < INSTRUCTION_SETS; i++) {
        if (!has(instruction_sets[i]))
            continue;
        printf("%s\"%s\"", comma, instruction_sets[i]);
        comma = ", ";
    }
    printf("]}, ");
}

#ifdef CLTB_HAVE_OPENCL

static void device_text(const struct opencl_device *device, int number)
{
    printf("%-4d %s (%s, %s, driver %s): %" PRIu32
           " compute units, memory %.1f GiB, at most %.1f GiB a buffer, local %.0f KiB\n",
           number, device->name, opencl_device_type_name(device->type), device->platform, device->driver,
           device->compute_units, (double)device->global_memory / (1 << 30), (double)device->max_allocation / (1 << 30),
           (double)device->local_memory / 1024);
}

static void device_json(const struct opencl_device *device, int number)
{
    printf("%s{\"number\": %d, \"name\": ", number > 0 ? ", " : "", number);
    json_string(device->name);
    printf(", \"type\": ");
    json_string(opencl_device_type_name(device->type));
    printf(", \"platform\": ");
    json_string(device->platform);
    printf(", \"driver\": ");
    json_string(device->driver);
    printf(", \"compute_units\": %" PRIu32 ", \"global_memory\": %" PRIu64 ", \"max_allocation\": %" PRIu64
           ", \"local_memory\": %" PRIu64 "}",
           device->compute_units, device->global_memory, device->max_allocation, device->local_memory);
}

static int print_opencl(bool json)
{
    struct opencl_device *devices = NULL;
    int count = 0;
    int code = opencl_devices(&devices, &count);
    if (code != 0)
        return code;
    if (json)
        printf("\"opencl\": true, \"devices\": [");
    for (int i = 0; i < count; i++)
        (json ? device_json : device_text)(&devices[i], i);
    if (json)
        printf("]}\n");
    else if (count == 0)
        printf("no OpenCL devices (is a driver installed?)\n");
    free(devices);
    return 0;
}

#else

static int print_opencl(bool json)
{
    printf(json ? "\"opencl\": false, \"devices\": []}\n" : "this cltb was built without OpenCL\n");
    return 0;
}

#endif

static int run(int argc, char **argv)
{
    const char *format = "text";
    const struct option options[] = {
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"}, {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "devices", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count > 0)
        return usage_fault("devices", "takes no arguments, not '%.40s'", arguments.word[0]);
    bool json = strcmp(format, "json") == 0;
    (json ? cpu_json : cpu_text)();
    int code = print_opencl(json);
    return code != 0 ? report("devices", code) : EXIT_DONE;
}

const struct command devices_command = {"devices", run, "lists what tables can be made with"};
