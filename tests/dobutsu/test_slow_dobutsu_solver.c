// test_slow_dobutsu_solver.c - the first rounds of dobutsu on every backend: the published counts, and the same bytes
#include "support/support.h"

#include "dobutsu/code.h"
#include "dobutsu/solve/solve.h"
#include "kernels/dobutsu/dobutsu.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

enum { ROUNDS = 4, PART = DOBUTSU_CELLS / 56 / 8, VALID = 291749376 };

// Codes of value 0, 1, 2, ... (dobutsu-histogram.tsv)
static const uint64_t counts[ROUNDS] = {150556823, 16070570, 16146293, 11359712};

static uint64_t first[D_CELLS][8][4]; // what the first backend found
static uint8_t part[PART * D_CODES];

// The bytes of all codes: as many of each value as there are, and the same for mirror images.
static void check_values(struct dobutsu_backend *backend)
{
    uint64_t seen[256] = {0};
    struct dobutsu p;
    uint32_t image;
    for (uint32_t cell = 0; cell < DOBUTSU_CELLS; cell += PART) {
        GOOD(dobutsu_solution_read(backend, cell, PART, part));
        for (uint32_t i = 0; i < PART * D_CODES; i++)
            seen[part[i]]++;
        for (uint32_t i = 0; i < PART * D_CODES; i += 1009) {
            if (part[i] == 0xff)
                continue;
            uint8_t values[D_CODES];
            dobutsu_decode(cell * D_CODES + i, &p);
            dobutsu_mirror(&p);
            assert_true(dobutsu_encode(&p, &image));
            GOOD(dobutsu_solution_read(backend, image / D_CODES, 1, values));
            assert_int_equal(values[image % D_CODES], part[i]);
        }
    }
    for (int ply = 0; ply < ROUNDS; ply++)
        assert_int_equal(seen[ply], counts[ply]);
    assert_int_equal(seen[0xff], DOBUTSU_CODES - VALID);
}

// `mark`: looks only at marked cells from round 2 on.
static void run(struct dobutsu_backend *backend, bool mark, bool keep)
{
    uint64_t won;
    print_message("%s%s\n", backend->description, mark ? ", with marks" : "");
    GOOD(backend->ops->classes(backend, &won));
    assert_int_equal(won, counts[0]);
    for (int ply = 1; ply < ROUNDS; ply++) {
        struct dobutsu_round round = {.ply = ply, .all = !mark || ply == 1, .mark = mark};
        GOOD(backend->ops->round(backend, &round));
        assert_int_equal(round.found, counts[ply]);
    }
    for (uint32_t cell = 0; cell < D_CELLS; cell++) {
        uint64_t bits[8][4];
        GOOD(backend->ops->read(backend, cell, keep ? first[cell] : bits));
        if (!keep && memcmp(first[cell], bits, sizeof bits) != 0)
            fail_msg("cell %u differs", cell);
    }
    if (keep)
        check_values(backend);
    backend->ops->close(backend);
}

TEST(test_processor)
{
    struct dobutsu_backend *backend;
    static const char *const isas[] = {"generic", "avx2", "avx512"};
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        if (dobutsu_cpu_open(&backend, test_pool, isas[i]) != 0)
            continue; // not of this processor
        run(backend, i > 0, i == 0);
    }
    assert_int_equal(dobutsu_cpu_open(&backend, test_pool, "mmx"), CLTB_E_DEVICE);
    assert_null(backend);
}

TEST(test_opencl)
{
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device device;
    struct dobutsu_backend *backend;
    if (opencl_device_get(&device, 0) != 0)
        skip();
    GOOD(dobutsu_opencl_open(&backend, 0));
    run(backend, true, false);
#else
    skip();
#endif
}

static int stop(void *context, int ply, uint64_t found)
{
    int *rounds = context;
    assert_int_equal(found, counts[ply]);
    assert_int_equal(ply, *rounds);
    return ++*rounds == 3;
}

TEST(test_interrupted)
{
    struct dobutsu_backend *backend;
    int rounds = 0;
    GOOD(dobutsu_cpu_open(&backend, test_pool, NULL));
    assert_int_equal(dobutsu_solve(backend, stop, &rounds), CLTB_E_INTERRUPTED);
    assert_int_equal(rounds, 3);
    backend->ops->close(backend);
}

TESTS(pool_setup, pool_teardown)
