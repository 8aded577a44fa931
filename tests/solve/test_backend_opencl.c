// test_backend_opencl.c - OpenCL devices, and programs that are built for them and kept
#include "support/support.h"

#include "util/error.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/backend.h"
#include "solve/opencl/devices.h"
#include "solve/opencl/program.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_opencl_devices(void **state)
{
    struct opencl_device *devices;
    struct opencl_device device;
    struct layout layout;
    struct backend *backend;
    struct material material;
    int count;
    GOOD(opencl_devices(&devices, &count));
    assert_true(opencl_first_gpu() < count);
    assert_int_equal(opencl_device_get(&device, count), CLTB_E_DEVICE);
    assert_non_null(strstr(error_text(), "there is no OpenCL device"));
    assert_int_equal(opencl_device_get(&device, -1), CLTB_E_DEVICE);
    GOOD(material_parse(&material, "KRvKB", NULL));
    GOOD(layout_init(&layout, &material, 0));
    assert_int_equal(backend_opencl_open(&backend, &layout, count), CLTB_E_DEVICE);
    assert_null(backend);
    for (int i = 0; i < count; i++) {
        GOOD(opencl_device_get(&device, i));
        assert_string_equal(device.name, devices[i].name);
        assert_true(device.global_memory > 0 && device.max_allocation > 0 && device.compute_units > 0);
        assert_int_equal(backend_opencl_open_limited(&backend, &layout, i, 1000), CLTB_E_MEMORY);
        assert_null(backend);
        double rate = 0;
        GOOD(opencl_copy_rate(i, &rate));
        assert_true(rate > 1e6);
        print_message("device %d, %s: copies %.1f GB/s\n", i, device.name, rate / 1e9);
    }
    free(devices);
}

// Points XDG_CACHE_HOME to a new folder of this test and returns its path, to be given to cache_leave().
static char *cache_enter(const char *name, char *saved, size_t size)
{
    const char *before = getenv("XDG_CACHE_HOME");
    snprintf(saved, size, "%s", before == NULL ? "" : before);
    const char *parent = getenv("CLTB_TEST_TMP");
    char *path = malloc(1024);
    assert_non_null(path);
    snprintf(path, 1024, "%s/%s.%ld", parent == NULL ? "/tmp" : parent, name, (long)getpid());
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    return path;
}

static void cache_leave(char *path, const char *saved)
{
    char command[1100];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    if (saved[0] != '\0')
        setenv("XDG_CACHE_HOME", saved, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(path);
}

static void test_program_cache(void **state)
{
    static const unsigned char binary[] = "not really a binary";
    char saved[1024];
    char file[1200];
    size_t size = 0;
    char *path = cache_enter("program-cache", saved, sizeof saved);
    assert_null(program_cache_load(7, &size));
    program_cache_store(7, binary, sizeof binary);
    unsigned char *loaded = program_cache_load(7, &size);
    assert_non_null(loaded);
    assert_int_equal(size, sizeof binary);
    assert_memory_equal(loaded, binary, size);
    free(loaded);
    assert_null(program_cache_load(8, &size));

    // Any damage, a cut and an empty file are a miss.
    snprintf(file, sizeof file, "%s/cltb/0000000000000007.clbin", path);
    for (long at = 0; at < 36; at++) {
        FILE *stream = fopen(file, "r+b");
        assert_non_null(stream);
        assert_int_equal(fseek(stream, at, SEEK_SET), 0);
        const int byte = fgetc(stream);
        assert_int_equal(fseek(stream, at, SEEK_SET), 0);
        assert_int_equal(fputc(byte ^ 1, stream), byte ^ 1);
        assert_int_equal(fclose(stream), 0);
        assert_null(program_cache_load(7, &size));
        program_cache_store(7, binary, sizeof binary);
    }
    for (long length = 35; length >= 0; length -= 5) {
        assert_int_equal(truncate(file, length), 0);
        assert_null(program_cache_load(7, &size));
    }
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    program_cache_store(7, binary, sizeof binary);
    assert_null(program_cache_load(7, &size));
    cache_leave(path, saved);
}

static void test_program_text(void **state)
{
    char *text;
    GOOD(opencl_program_text(&text, (const char *const[]){"sweep.cl", "king.cl", NULL}));
    assert_null(strstr(text, "#include \""));
    const char *first = strstr(text, "tile.h - ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "tile.h - "));
    assert_non_null(strstr(text, "kernel void sweep("));
    assert_non_null(strstr(text, "kernel void king_moves("));
    free(text);
    assert_int_equal(opencl_program_text(&text, (const char *const[]){"none.cl", NULL}), CLTB_E_DEVICE);
    assert_null(text);
    assert_non_null(strstr(error_text(), "none.cl"));
}

// Builds the smallest kernel text under an option of its own, so that no cache but ours can know it.
static int build_combine(cl_context context, const struct opencl_device *device, const char *options)
{
    cl_program program;
    int code = opencl_program(&program, context, device, (const char *const[]){"combine.cl", NULL}, options);
    if (code == 0)
        clReleaseProgram(program);
    return code;
}

// Puts a binary that is none behind a good header into every file of the cache; returns how many there are.
static int spoil_cache(const char *path)
{
    char folder[1100];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/cltb", path);
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (strstr(file->d_name, ".clbin") == NULL)
            continue;
        program_cache_store(strtoull(file->d_name, NULL, 16), (const unsigned char *)"rubbish", 7);
        count++;
    }
    closedir(files);
    return count;
}

static void test_programs_are_built_and_kept(void **state)
{
    struct opencl_device device;
    cl_int status;
    if (opencl_device_get(&device, 0) != 0)
        skip();
    cl_device_id id = device.device_id;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    char saved[1024];
    char *path = cache_enter("kernel-cache", saved, sizeof saved);
    GOOD(build_combine(context, &device, "-D ONE=1"));
    assert_int_equal(spoil_cache(path), 1);
    GOOD(build_combine(context, &device, "-D ONE=1")); // the driver refuses what is there
    GOOD(build_combine(context, &device, "-D ONE=1")); // and finds it mended
    GOOD(build_combine(context, &device, "-D ONE=2"));
    assert_int_equal(spoil_cache(path), 2);

    assert_int_equal(build_combine(context, &device, "-D kernel=nonsense"), CLTB_E_DEVICE);
    assert_non_null(strstr(error_text(), "building combine.cl"));
    assert_non_null(strstr(error_text(), "CL_BUILD_PROGRAM_FAILURE"));
    assert_non_null(strstr(error_text(), "error"));

    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    GOOD(build_combine(context, &device, "-D ONE=3"));
    cache_leave(path, saved);
    clReleaseContext(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opencl_devices),
        cmocka_unit_test(test_program_cache),
        cmocka_unit_test(test_program_text),
        cmocka_unit_test(test_programs_are_built_and_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
int main(void)
{
    print_message("built without OpenCL: the OpenCL backend is not tested\n");
    return 77; // skipped
}
#endif
