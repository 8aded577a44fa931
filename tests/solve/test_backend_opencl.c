// test_backend_opencl.c - OpenCL devices, and the programs built for them and kept
#include "solve/opencl/open.h"
#include "support/planes.h"

#include "solve/backend.h"
#include "solve/opencl/devices.h"
#include "solve/opencl/program.h"

#include <dirent.h>

TEST(test_opencl_devices)
{
    const struct layout layout = layout_named("KRvKB");
    struct opencl_device *devices;
    struct opencl_device device;
    struct backend *backend;
    int count;
    GOOD(opencl_devices(&devices, &count));
    assert_true(opencl_best_gpu() < count);
    FAILS(opencl_device_get(&device, count), CLTB_E_DEVICE, "there is no OpenCL device");
    assert_int_equal(opencl_device_get(&device, -1), CLTB_E_DEVICE);
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

TEST(test_best_gpu)
{
    struct opencl_device list[6] = {{.type = OPENCL_CPU, .compute_units = 200, .global_memory = 1000},
                                    {.type = OPENCL_GPU, .compute_units = 96, .global_memory = 900, .unified = true},
                                    {.type = OPENCL_GPU, .compute_units = 20, .global_memory = 8},
                                    {.type = OPENCL_GPU, .compute_units = 60, .global_memory = 6},
                                    {.type = OPENCL_GPU, .compute_units = 60, .global_memory = 16},
                                    {.type = OPENCL_GPU, .compute_units = 60, .global_memory = 16}};
    const int best[] = {-1, -1, 1, 2, 3, 4, 4}; // of the first 0, 1, 2, ... devices
    for (int count = 0; count <= 6; count++)
        assert_int_equal(opencl_best_gpu_of(list, count), best[count]);
}

// What a backend has freed is used again by the next one, whatever it held.
TEST(test_buffers_are_kept)
{
    const struct layout layout = layout_named("KRvKB");
    const size_t words = (size_t)(layout_bits(&layout) / 64);
    uint64_t *bits = malloc(words * 8);
    struct opencl_device device;
    assert_non_null(bits);
    if (opencl_device_get(&device, 0) != 0) {
        free(bits);
        skip();
    }
    for (int round = 0; round < 3; round++) {
        struct backend *backend;
        struct plane *plane[3];
        GOOD(backend_opencl_open(&backend, &layout, 0));
        for (int i = 0; i < 3; i++)
            GOOD(backend->ops->plane_new(backend, &plane[i]));
        GOOD(backend->ops->combine(backend, plane[1], PLANE_AND_NOT, plane[0])); // neither has been written
        GOOD(backend->ops->combine(backend, plane[1], PLANE_OR, plane[0]));
        for (int i = 0; i < 2; i++) {
            GOOD(backend->ops->read(backend, plane[i], 0, layout.tiles, bits));
            for (size_t w = 0; w < words; w++)
                assert_int_equal(bits[w], 0);
        }
        GOOD(backend->ops->fill(backend, plane[0], true));
        GOOD(backend->ops->combine(backend, plane[2], round == 0 ? PLANE_OR : PLANE_COPY, plane[0]));
        GOOD(backend->ops->combine(backend, plane[1], PLANE_AND, plane[0]));
        GOOD(backend->ops->read(backend, plane[2], 0, layout.tiles, bits));
        for (size_t w = 0; w < words; w++)
            assert_int_equal(bits[w], UINT64_MAX);
        GOOD(backend->ops->read(backend, plane[1], 0, layout.tiles, bits));
        for (size_t w = 0; w < words; w++)
            assert_int_equal(bits[w], 0);
        for (int i = 0; i < 3; i++)
            backend->ops->plane_free(backend, plane[i]);
        backend->ops->close(backend);
    }
    free(bits);
}

static char cache[TEST_PATH_MAX];
static char programs[TEST_PATH_MAX + 10]; // in it

// From here on programs are kept in a new folder.
static void cache_enter(void)
{
    test_folder_make(cache);
    snprintf(programs, sizeof programs, "%s/cltb", cache);
    assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
}

static void cache_leave(void)
{
    test_folder_remove(programs);
    test_folder_remove(cache);
}

TEST(test_program_cache)
{
    static const unsigned char binary[] = "not really a binary";
    char file[TEST_PATH_MAX + 50];
    size_t size = 0;
    cache_enter();
    assert_null(program_cache_load(7, &size));
    program_cache_store(7, binary, sizeof binary);
    unsigned char *loaded = program_cache_load(7, &size);
    assert_non_null(loaded);
    assert_int_equal(size, sizeof binary);
    assert_memory_equal(loaded, binary, size);
    free(loaded);
    assert_null(program_cache_load(8, &size));

    // Any damage, a cut and an empty file are a miss.
    snprintf(file, sizeof file, "%s/0000000000000007.clbin", programs);
    const struct bytes good = read_file(file);
    for (size_t at = 0; at < 36; at++) {
        good.data[at] ^= 1;
        write_file(file, good.data, good.size);
        assert_null(program_cache_load(7, &size));
        good.data[at] ^= 1;
    }
    for (int length = 35; length >= 0; length -= 5) {
        write_file(file, good.data, (size_t)length);
        assert_null(program_cache_load(7, &size));
    }
    free(good.data);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    program_cache_store(7, binary, sizeof binary);
    assert_null(program_cache_load(7, &size));
    cache_leave();
}

TEST(test_program_text)
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
    FAILS(opencl_program_text(&text, (const char *const[]){"none.cl", NULL}), CLTB_E_DEVICE, "none.cl");
    assert_null(text);
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
static int spoil_cache(void)
{
    int count = 0;
    DIR *files = opendir(programs);
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

TEST(test_programs_are_built_and_kept)
{
    static const char *const said[] = {"building combine.cl", "CL_BUILD_PROGRAM_FAILURE", "error"};
    struct opencl_device device;
    cl_int status;
    if (opencl_device_get(&device, 0) != 0)
        skip();
    cl_device_id id = device.device_id;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    cache_enter();
    GOOD(build_combine(context, &device, "-D ONE=1"));
    assert_int_equal(spoil_cache(), 1);
    GOOD(build_combine(context, &device, "-D ONE=1")); // the driver refuses what is there
    GOOD(build_combine(context, &device, "-D ONE=1")); // and finds it mended
    GOOD(build_combine(context, &device, "-D ONE=2"));
    assert_int_equal(spoil_cache(), 2);

    assert_int_equal(build_combine(context, &device, "-D kernel=nonsense"), CLTB_E_DEVICE);
    for (int i = 0; i < 3; i++)
        assert_non_null(strstr(error_text(), said[i]));

    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    GOOD(build_combine(context, &device, "-D ONE=3"));
    cache_leave();
    clReleaseContext(context);
}

TESTS(NULL, NULL)
