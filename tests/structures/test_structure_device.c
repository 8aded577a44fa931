// test_structure_device.c - structures solved on a device: the same file, whatever memory the device has; its errors
#include "solve/opencl/open.h"
#include "structures/support_verdict.h"

#include "solve/backend.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

// Kings and pawns that may take en passant; KQvKP and others.
static const char study[] = "8/8/8/8/1pP5/8/8/K1k5 b - c3 0 1";

// A device: the processor, or OpenCL's device 0 with small buffers.
struct device {
    bool opencl;
    int code;         // returned for planes of
    uint64_t refuses; // so many bytes or more
    int opened;
    int refused;
    uint64_t last; // bytes of the plane that was refused last
};

static int open_device(void *context, const struct layout *layout, struct backend **backend)
{
    struct device *device = context;
    const uint64_t bytes = layout->slices_used * (layout_slab_bits(layout) / 8);
    int code = 0;
    if (bytes >= device->refuses && !device->opencl)
        code = error_set(device->code, "the device is small");
    else if (!device->opencl)
        code = backend_cpu_open(backend, layout, test_pool, NULL);
#ifdef CLTB_HAVE_OPENCL
    else
        code = backend_opencl_open_limited(backend, layout, 0, device->refuses);
#endif
    device->opened += code == 0;
    if (code == 0)
        return 0;
    assert_true(bytes < device->last); // nothing larger is tried again
    device->last = bytes;
    device->refused++;
    return code;
}

// Solves the study, with the device for planes of at least `bytes` (NULL: none), and writes a file.
static int solve(const char *path, struct device *device, uint64_t bytes)
{
    const struct verdict_request request = {.store.folders = ".",
                                            .tables_men = 2,
                                            .effort = 0,
                                            .structures = 1000000,
                                            .threads = 2,
                                            .store.open = device != NULL ? open_device : NULL,
                                            .store.device_bytes = bytes,
                                            .store.context = device};
    const struct position p = position_named(study);
    struct verdict *verdict = calloc(1, sizeof *verdict);
    assert_non_null(verdict);
    int code = verdict_find(verdict, &p, &request);
    if (code == 0)
        code = structure_file_write(path, study, 0, &verdict->graph, verdict->store, verdict->pool);
    verdict_done(verdict);
    return code;
}

static void assert_same(struct device *device, uint64_t bytes)
{
    char wanted[TEST_PATH_MAX];
    device->last = UINT64_MAX;
    snprintf(wanted, sizeof wanted, "%s", tmp_path("processor.cltb"));
    GOOD(solve(tmp_path("device.cltb"), device, bytes));
    struct bytes of_processor = read_file(wanted);
    struct bytes of_device = read_file(tmp_path("device.cltb"));
    assert_int_equal(of_device.size, of_processor.size);
    assert_memory_equal(of_device.data, of_processor.data, of_device.size);
    free(of_processor.data);
    free(of_device.data);
}

TEST(test_device)
{
    struct device all = {.refuses = UINT64_MAX};
    struct device large = {.refuses = UINT64_MAX};
    struct device small = {.refuses = 20000, .code = CLTB_E_MEMORY};
    GOOD(solve(tmp_path("processor.cltb"), NULL, 0));
    assert_same(&all, 0);
    assert_same(&large, 30000);
    assert_true(large.opened > 0 && large.opened < all.opened);
    assert_same(&small, 0);
    assert_true(small.opened > 0 && small.refused > 0);
}

TEST(test_opencl)
{
    struct device small = {.opencl = true, .refuses = 40000}; // room for 64 slices of two kings
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device device;
    if (opencl_device_get(&device, 0) != 0)
        skip();
#else
    skip();
#endif
    GOOD(solve(tmp_path("processor.cltb"), NULL, 0));
    assert_same(&small, 0);
    assert_true(small.opened > 0 && small.refused > 0);
}

TEST(test_errors)
{
    struct device broken = {.code = CLTB_E_DEVICE, .last = UINT64_MAX};
    assert_int_equal(solve(tmp_path("device.cltb"), &broken, 0), CLTB_E_DEVICE);
    assert_int_equal(broken.refused, 1);
}

TESTS(pool_setup, pool_teardown)
