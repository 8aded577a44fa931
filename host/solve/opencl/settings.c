// settings.c - the words of CLTB_OPENCL, and what tuning has stored
#include "solve/opencl/settings.h"

#include "solve/opencl/kernel_source.h"
#include "solve/opencl/program.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const struct {
    const char *name;
    uint32_t most;
} parameters[OPENCL_PARAMETERS] = {
    [OPENCL_SWEEP_ITEMS] = {"sweep_items", 1024},
    [OPENCL_PLANE_ITEMS] = {"plane_items", 1024},
    [OPENCL_READ_KIB] = {"read_kib", 1 << 20},
    [OPENCL_SOLVE_KIB] = {"solve_kib", 1 << 20},
};

const char *opencl_parameter_name(enum opencl_parameter parameter)
{
    return parameters[parameter].name;
}

// ---- words ----

// The value if `word` is NAME=VALUE, otherwise NULL.
static const char *value_of(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

// Reads one word; false if there is no such word, or its value is out of range.
static bool read_parameter(uint32_t value[OPENCL_PARAMETERS], const char *word)
{
    for (int i = 0; i < OPENCL_PARAMETERS; i++) {
        const char *text = value_of(word, parameters[i].name);
        if (text == NULL)
            continue;
        char *end;
        const unsigned long number = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || *end != '\0' || number == 0 || number > parameters[i].most)
            return false;
        value[i] = (uint32_t)number;
        return true;
    }
    return false;
}

static int read_variable(struct opencl_settings *settings, const char *text)
{
    while (*(text += strspn(text, " ")) != '\0') {
        char word[OPENCL_SETTING_TEXT];
        const char *options = value_of(text, "options");
        const size_t length = options != NULL ? strlen(text) : strcspn(text, " ");
        if (length >= sizeof word)
            return error_set(CLTB_E_USAGE, "CLTB_OPENCL: a word has %zu characters, %zu are allowed", length,
                             sizeof word - 1);
        memcpy(word, text, length);
        word[length] = '\0';
        const char *profile = value_of(word, "profile");
        if (options != NULL)
            snprintf(settings->options, sizeof settings->options, "%s", options);
        else if (profile != NULL && *profile != '\0')
            snprintf(settings->profile, sizeof settings->profile, "%s", profile);
        else if (strcmp(word, "wait") == 0)
            settings->wait = true;
        else if (strcmp(word, "symbols") == 0)
            settings->symbols = true;
        else if (!read_parameter(settings->value, word))
            return error_set(CLTB_E_USAGE,
                             "CLTB_OPENCL: '%.60s' is not one of sweep_items=1..1024, plane_items=1..1024, "
                             "read_kib=1..1048576, solve_kib=1..1048576, symbols, wait, profile=FILE, options=...",
                             word);
        text += length;
    }
    return 0;
}

// ---- stored values ----

static const uint32_t *tried;

void opencl_settings_try(const uint32_t value[OPENCL_PARAMETERS])
{
    tried = value;
}

// A hash of the device, its driver and all texts of kernels.
static uint64_t tuning_hash(const struct opencl_device *device)
{
    const char *const parts[] = {device->name, device->driver, device->platform};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        hash = XXH64(parts[i], strlen(parts[i]), hash);
    for (int i = 0; cltb_kernel_sources[i].name != NULL; i++)
        hash = XXH64(cltb_kernel_sources[i].text, strlen(cltb_kernel_sources[i].text), hash);
    return hash;
}

int opencl_settings_store(const struct opencl_device *device, const uint32_t value[OPENCL_PARAMETERS])
{
    char text[OPENCL_SETTING_TEXT] = "";
    size_t length = 0;
    for (int i = 0; value != NULL && i < OPENCL_PARAMETERS; i++) {
        if (value[i] > 0)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s=%" PRIu32 "\n", parameters[i].name, value[i]);
    }
    if (program_cache_store_text(tuning_hash(device), "tuned", text, length))
        return 0;
    return error_set(CLTB_E_IO, "cannot store settings in the folder of compiled kernels ($XDG_CACHE_HOME/cltb, "
                                "else ~/.cache/cltb)");
}

// From the place where a file is damaged, the defaults remain.
static void load(uint32_t value[OPENCL_PARAMETERS], const struct opencl_device *device)
{
    char *text = program_cache_load_text(tuning_hash(device), "tuned");
    char *rest = NULL;
    for (char *word = text == NULL ? NULL : strtok_r(text, "\n", &rest); word != NULL;
         word = strtok_r(NULL, "\n", &rest)) {
        if (!read_parameter(value, word))
            break;
    }
    free(text);
}

int opencl_settings_get(struct opencl_settings *settings, const struct opencl_device *device)
{
    const char *variable = getenv("CLTB_OPENCL");
    *settings = (struct opencl_settings){.wait = false};
    if (tried != NULL)
        memcpy(settings->value, tried, sizeof settings->value);
    else
        load(settings->value, device);
    return variable == NULL ? 0 : read_variable(settings, variable);
}
