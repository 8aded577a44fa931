// kernel_rig.cu - runs and times one sweep on a GPU of NVIDIA's where OpenCL is missing
//
// Put behind the text of kernels/sweep.cl in CUDA's words (tools/kernel_report.sh --rig). The planes are those of a
// table of five men, four of them with digits. For each digit, mode and density a line: work-items in a group, the best
// of some runs in microseconds, the bytes that it counts (docs/gpu.md) in GB/s, and a sum of the result, which must be
// the same for all groups; otherwise the exit status is 1.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 4, KINGS = 10, KING_TILES = 4096, TILES = KINGS * KING_TILES, TILE_WORDS = 128, RUNS = 12 };

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "kernel_rig: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

template <typename T> static T *device_memory(const T *from, size_t count)
{
    T *memory;
    check(cudaMalloc((void **)&memory, count * sizeof(T)), "allocating");
    if (from != NULL)
        check(cudaMemcpy(memory, from, count * sizeof(T), cudaMemcpyHostToDevice), "copying");
    return memory;
}

struct planes {
    uint *in, *out, *window;
    uchar *active, *wanted, *fixed;
};

// The sum of the result, and the best time of a launch.
static ulong run(const struct planes *planes, const struct table_shape *shape, const struct sweep_launch *launch,
                 uint group, float *best)
{
    static uint result[TILES * TILE_WORDS];
    cudaEvent_t start, end;
    check(cudaEventCreate(&start), "an event");
    check(cudaEventCreate(&end), "an event");
    *best = 1e9f;
    for (int i = 0; i < RUNS; i++) {
        float milliseconds;
        check(cudaMemset(planes->out, 0x11, sizeof result), "filling");
        check(cudaEventRecord(start), "an event");
        sweep<<<(uint)((launch->items + group - 1) / group), group>>>(planes->in, planes->out, planes->active,
                                                                      planes->wanted, planes->fixed, planes->window,
                                                                      *shape, *launch);
        check(cudaGetLastError(), "launching");
        check(cudaEventRecord(end), "an event");
        check(cudaEventSynchronize(end), "running");
        check(cudaEventElapsedTime(&milliseconds, start, end), "an event");
        *best = milliseconds < *best ? milliseconds : *best;
    }
    check(cudaMemcpy(result, planes->out, sizeof result, cudaMemcpyDeviceToHost), "reading back");
    ulong sum = 0;
    for (size_t i = 0; i < TILES * TILE_WORDS; i++)
        sum = sum * 0x9e3779b97f4a7c15ul + result[i];
    return sum;
}

int main()
{
    static uint bits[TILES * TILE_WORDS];
    static uchar some[TILES], all[TILES], codes[KINGS * FIXED_STRIDE];
    ulong random = 1;
    int bad = 0;
    for (size_t i = 0; i < TILES; i++)
        some[i] = i / 8 % 16 == 0;
    for (size_t i = 0; i < TILES * TILE_WORDS; i++) {
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        bits[i] = (uint)(random >> 32);
    }
    memset(all, 1, sizeof all);
    memset(codes, 255, sizeof codes);
    for (int king = 0; king < KINGS; king++)
        codes[king * FIXED_STRIDE] = (uchar)(6 * king); // any squares will do
    const uint none = 0;
    struct planes planes = {device_memory(bits, TILES * TILE_WORDS), device_memory((uint *)NULL, TILES * TILE_WORDS),
                            device_memory(&none, 1),                 NULL,
                            device_memory(all, TILES),               device_memory(codes, sizeof codes)};
    uchar *flags[2] = {device_memory(all, TILES), device_memory(some, TILES)};
    struct table_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.pieces = shape.placed = DIGITS;
    shape.fixed = 1;
    shape.slices = KINGS;
    shape.king_tiles = KING_TILES;
    shape.places = 0x3210;
    printf("digit\tmode\ttiles\tgroup\tmicroseconds\tGB/s\tsum\n");
    for (int test = 0; test < DIGITS * 4; test++) {
        struct sweep_launch launch;
        const int sparse = test & 1;
        ulong first = 0;
        memset(&launch, 0, sizeof launch);
        launch.items = (ulong)TILES / 8 * (TILE_WORDS / 8);
        launch.digit = test / 4;
        launch.blockers = ((2u << DIGITS) - 1) & ~(1u << launch.digit);
        launch.mode = test & 2 ? SWEEP_STORE : 0;
        planes.active = flags[sparse];
        for (uint group = 32; group <= 256; group *= 2) {
            float best;
            const ulong sum = run(&planes, &shape, &launch, group, &best);
            const double bytes = (double)launch.items * (launch.mode ? 512 : 784) / (sparse ? 16 : 1);
            printf("%u\t%s\t%s\t%u\t%.1f\t%.0f\t%016lx\n", launch.digit, launch.mode ? "store" : "or",
                   sparse ? "1/16" : "all", group, 1e3 * best, 1e-6 * bytes / best, sum);
            first = group == 32 ? sum : first;
            bad |= sum != first;
        }
    }
    if (bad)
        fprintf(stderr, "kernel_rig: a result depends on the size of work-groups\n");
    return bad;
}
