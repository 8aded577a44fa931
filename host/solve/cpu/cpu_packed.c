// cpu_packed.c - packed planes: distances from the step that finds them, and finished planes
//
// 1. A plane is cut into pieces, runs of tiles, as long as the runs that are read (solve/tile_source.c). Each piece of
//    each packed bitset that has a bit is a record (row_kernels.h) in the list of its piece, with the set of planes
//    that it belongs to.
// 2. A step leaves its new bits in `fresh`, as always; then those are packed once, for all planes of the ply's code.
// 3. A read of tiles of a packed plane gets the OR of the piece's records that name the plane.
//
// Example: ply 5 has code 3, planes 0 and 1, and finds 900 positions in pieces 2 and 7. Two records are made, both with
// the set {0, 1}. Reading a tile of plane 1 in piece 7 unpacks that record and those of other codes with bit 1.
//
// Records never move and are dropped all together when the last packed plane is freed.
#include "solve/cpu/cpu.h"

#include "util/error.h"
#include "util/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_BYTES = 1 << 15, // at most
    KINGS_TILES = 16,      // in a piece, with pairs of kings
    CHUNK_BYTES = 1 << 20,
    NAMES_MAX = 64,
    SOLUTION_PLANES_MAX = STEP_PLANES_MAX + 2 // for one side to move
};

struct record {
    struct record *next; // of the same piece
    uint64_t set;        // bit n: it belongs to the plane with the name n
    uint8_t code[];
};

// Records lie consecutively in chunks. Each thread has chunks of its own.
struct chunk {
    struct chunk *next;
    size_t used; // bytes, including the head
};

// What a thread needs to pack or unpack a piece. Those not in use are kept in a list.
struct workspace {
    struct workspace *next;
    uint8_t *code;                  // [row_code_bound()] of a piece
    uint64_t before[ROW_BEFORE];    // zeros
    uint64_t bits[PIECE_BYTES / 8]; // zeros, except while they are in use
};

struct cpu_packed {
    uint64_t piece_tiles;
    uint64_t pieces;
    struct record **piece; // [pieces] lists
    struct chunk **chunk;  // [threads] lists, the current one first
    unsigned names;        // given out since no plane was packed
    unsigned planes;       // packed planes
    pthread_mutex_t lock;  // of the list
    struct workspace *idle;
};

// ---- workspaces ----

static int workspace_take(struct cpu_packed *packed, struct workspace **result)
{
    pthread_mutex_lock(&packed->lock);
    struct workspace *space = packed->idle;
    if (space != NULL)
        packed->idle = space->next;
    pthread_mutex_unlock(&packed->lock);
    *result = space;
    if (space != NULL)
        return 0;
    TRY(memory_new(&space, 1, sizeof *space, "packing planes"));
    const int code = memory_new(&space->code, row_code_bound(PIECE_BYTES / 8), 1, "packing planes");
    if (code != 0)
        free(space);
    else
        *result = space;
    return code;
}

static void workspace_give(struct cpu_packed *packed, struct workspace *space)
{
    pthread_mutex_lock(&packed->lock);
    space->next = packed->idle;
    packed->idle = space;
    pthread_mutex_unlock(&packed->lock);
}

// ---- the store ----

int cpu_packed_open(struct cpu_backend *cpu)
{
    struct cpu_packed *packed;
    TRY(memory_new(&packed, 1, sizeof *packed, "packed planes"));
    cpu->packed = packed;
    pthread_mutex_init(&packed->lock, NULL);
    if (cpu->tile_bytes > PIECE_BYTES)
        return error_set(CLTB_E_USAGE, "planes of more than seven men cannot be packed");
    packed->piece_tiles = PIECE_BYTES / cpu->tile_bytes;
    if (cpu->base.layout.kings && packed->piece_tiles > KINGS_TILES)
        packed->piece_tiles = KINGS_TILES;
    packed->pieces = (cpu->tiles + packed->piece_tiles - 1) / packed->piece_tiles;
    TRY(memory_new(&packed->piece, packed->pieces, sizeof(void *), "packed planes"));
    return memory_new(&packed->chunk, (size_t)threads_count(cpu->pool), sizeof(void *), "packed planes");
}

static void drop_records(struct cpu_backend *cpu)
{
    struct cpu_packed *packed = cpu->packed;
    for (int i = 0; packed->chunk != NULL && i < threads_count(cpu->pool); i++) {
        while (packed->chunk[i] != NULL) {
            struct chunk *chunk = packed->chunk[i];
            packed->chunk[i] = chunk->next;
            memory_give(threads_memory(cpu->pool), chunk, CHUNK_BYTES);
        }
    }
    for (uint64_t i = 0; packed->piece != NULL && i < packed->pieces; i++)
        packed->piece[i] = NULL;
    packed->names = 0;
}

void cpu_packed_close(struct cpu_backend *cpu)
{
    struct cpu_packed *packed = cpu->packed;
    if (packed == NULL)
        return;
    drop_records(cpu);
    while (packed->idle != NULL) {
        struct workspace *space = packed->idle;
        packed->idle = space->next;
        free(space->code);
        free(space);
    }
    pthread_mutex_destroy(&packed->lock);
    free(packed->piece);
    free(packed->chunk);
    free(packed);
}

static int name_plane(struct cpu_packed *packed, struct plane *plane)
{
    if (packed->names == NAMES_MAX)
        return error_set(CLTB_E_USAGE, "more than %d packed planes", NAMES_MAX);
    plane->packed = true;
    plane->name = packed->names++;
    packed->planes++;
    return 0;
}

void cpu_packed_free(struct cpu_backend *cpu)
{
    if (--cpu->packed->planes == 0)
        drop_records(cpu);
}

static int append(struct cpu_backend *cpu, int worker, uint64_t piece, uint64_t set, const void *code, size_t bytes)
{
    struct cpu_packed *packed = cpu->packed;
    struct chunk **first = &packed->chunk[worker];
    const size_t room = (sizeof(struct record) + bytes + 7) / 8 * 8;
    if (*first == NULL || (*first)->used + room + ROW_SLACK > CHUNK_BYTES) {
        struct chunk *chunk = memory_take(threads_memory(cpu->pool), CHUNK_BYTES, NULL);
        if (chunk == NULL)
            return error_memory(CHUNK_BYTES, "packed planes");
        *chunk = (struct chunk){.next = *first, .used = sizeof *chunk};
        *first = chunk;
    }
    struct record *record = (struct record *)(void *)((char *)*first + (*first)->used);
    *record = (struct record){.next = packed->piece[piece], .set = set};
    memcpy(record->code, code, bytes);
    packed->piece[piece] = record; // a piece belongs to one thread at a time
    (*first)->used += room;
    return 0;
}

// ---- packing ----

struct pack_work {
    struct cpu_backend *cpu;
    const struct plane *from;
    uint64_t set;
};

static uint64_t piece_count(const struct cpu_backend *cpu, uint64_t piece)
{
    const uint64_t each = cpu->packed->piece_tiles;
    const uint64_t left = cpu->tiles - piece * each;
    return left < each ? left : each;
}

static int pack_piece(void *context, uint64_t piece, int worker)
{
    const struct pack_work *work = context;
    struct cpu_backend *cpu = work->cpu;
    const uint64_t first = piece * cpu->packed->piece_tiles;
    const uint64_t count = piece_count(cpu, piece);
    const size_t words = count * tile_qwords(cpu);
    struct workspace *space;
    uint64_t tile = 0;
    while (tile < count && work->from->active[first + tile] == TILE_EMPTY)
        tile++;
    if (tile == count)
        return 0;
    TRY(workspace_take(cpu->packed, &space));
    int code = cpu_read(&cpu->base, work->from, first, count, space->bits);
    const size_t bytes = code == 0 ? cpu->kernels->rows->pack(space->bits, words, space->code) : 0;
    if (bytes > 0)
        code = append(cpu, worker, piece, work->set, space->code, bytes);
    memset(space->bits, 0, words * sizeof *space->bits);
    workspace_give(cpu->packed, space);
    return code;
}

static int pack_bits(struct cpu_backend *cpu, const struct plane *from, uint64_t set)
{
    struct pack_work work = {cpu, from, set};
    return threads_each(cpu->pool, cpu->packed->pieces, pack_piece, &work);
}

// The names of the packed planes among `planes`; the others are moved to `plain`.
static uint64_t divide(struct plane *const *planes, int count, struct plane **plain, int *plain_count)
{
    uint64_t set = 0;
    *plain_count = 0;
    for (int i = 0; i < count; i++) {
        if (planes[i]->packed)
            set |= UINT64_C(1) << planes[i]->name;
        else
            plain[(*plain_count)++] = planes[i];
    }
    return set;
}

int cpu_packed_step(struct backend *backend, struct step *step)
{
    struct step plain = *step;
    const uint64_t set = divide(step->plane, step->planes, plain.plane, &plain.planes);
    TRY(cpu_step(backend, &plain));
    step->found = plain.found;
    step->weight = plain.weight;
    return set == 0 || step->found == 0 ? 0 : pack_bits(cpu_of(backend), step->fresh, set);
}

int cpu_packed_record(struct backend *backend, int side, struct plane *const *planes, int count,
                      const struct plane *bits)
{
    struct plane *plain[STEP_PLANES_MAX];
    int plain_count;
    (void)side;
    const uint64_t set = divide(planes, count, plain, &plain_count);
    for (int i = 0; i < plain_count; i++)
        TRY(cpu_combine(backend, plain[i], PLANE_OR, bits));
    return set == 0 ? 0 : pack_bits(cpu_of(backend), bits, set);
}

int cpu_packed_new(struct backend *backend, struct plane **result)
{
    struct plane *plane;
    *result = NULL;
    TRY(memory_new(&plane, 1, sizeof *plane, "a plane"));
    const int code = name_plane(cpu_of(backend)->packed, plane);
    if (code != 0)
        free(plane);
    else
        *result = plane;
    return code;
}

int cpu_pack(struct backend *backend, struct plane *plane)
{
    struct cpu_backend *cpu = cpu_of(backend);
    if (plane->packed)
        return 0;
    struct plane packed = *plane;
    TRY(name_plane(cpu->packed, &packed));
    const int code = pack_bits(cpu, plane, UINT64_C(1) << packed.name);
    if (code != 0) {
        cpu_packed_free(cpu);
        return code;
    }
    memory_give(threads_memory(cpu->pool), plane->bits, cpu->plane_bytes);
    free(plane->active);
    *plane = (struct plane){.packed = true, .name = packed.name};
    return 0;
}

// ---- reading ----

// Adds `count` words of a piece of `words` words to some packed planes, `to`[planes].
static void unpack_piece(const struct row_kernels *rows, struct workspace *space, const struct record *record,
                         size_t words, size_t first, size_t count, const struct plane *const *plane,
                         uint64_t *const *to, int planes)
{
    for (; record != NULL; record = record->next) {
        uint64_t *of[SOLUTION_PLANES_MAX];
        int named = 0;
        for (int i = 0; i < planes; i++) {
            if (record->set >> plane[i]->name & 1)
                of[named++] = to[i];
        }
        if (named > 0)
            rows->add(record->code, words, space->bits, first, count, of, named);
    }
}

int cpu_packed_read_planes(struct backend *backend, const struct plane *const *planes, int planes_count, uint64_t first,
                           uint64_t count, uint64_t *const *bits)
{
    struct cpu_backend *cpu = cpu_of(backend);
    struct cpu_packed *packed = cpu->packed;
    const size_t tile_words = tile_qwords(cpu);
    const struct plane *plane[SOLUTION_PLANES_MAX];
    uint64_t *to[SOLUTION_PLANES_MAX];
    int wanted = 0;
    for (int i = 0; i < planes_count; i++) {
        if (planes[i]->packed) {
            plane[wanted] = planes[i];
            to[wanted++] = bits[i];
            memset(bits[i], 0, count * tile_words * sizeof *bits[i]);
        } else {
            TRY(cpu_read(backend, planes[i], first, count, bits[i]));
        }
    }
    struct workspace *space;
    TRY(workspace_take(packed, &space));
    for (const uint64_t end = first + count; first < end && wanted > 0;) {
        const uint64_t piece = first / packed->piece_tiles;
        const uint64_t skip = first % packed->piece_tiles;
        const uint64_t all = piece_count(cpu, piece);
        const uint64_t part = end - first < all - skip ? end - first : all - skip;
        unpack_piece(cpu->kernels->rows, space, packed->piece[piece], all * tile_words, skip * tile_words,
                     part * tile_words, plane, to, wanted);
        for (int i = 0; i < wanted; i++)
            to[i] += part * tile_words;
        first += part;
    }
    workspace_give(packed, space);
    return 0;
}

int cpu_packed_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits)
{
    return cpu_packed_read_planes(backend, &plane, 1, first, count, &bits);
}

struct unpack_work {
    struct cpu_backend *cpu;
    struct plane *to;
    const struct plane *from;
};

static int copy_piece(void *context, uint64_t piece, int worker)
{
    const struct unpack_work *work = context;
    struct cpu_backend *cpu = work->cpu;
    const uint64_t first = piece * cpu->packed->piece_tiles;
    const uint64_t count = piece_count(cpu, piece);
    (void)worker;
    memset(work->to->active + first, 1, count);
    return cpu_packed_read(&cpu->base, work->from, first, count, tile_at(cpu, work->to, first));
}

int cpu_packed_combine(struct backend *backend, struct plane *to, enum plane_operation operation,
                       const struct plane *from)
{
    struct cpu_backend *cpu = cpu_of(backend);
    if (!from->packed && !to->packed)
        return cpu_combine(backend, to, operation, from);
    if (to->packed || operation != PLANE_COPY)
        return error_set(CLTB_E_USAGE, "a packed plane takes part in no operation");
    struct unpack_work work = {cpu, to, from};
    return threads_each(cpu->pool, cpu->packed->pieces, copy_piece, &work);
}
