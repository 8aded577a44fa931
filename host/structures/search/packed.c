// packed.c - structures of a search that are seldom looked at, compressed
#include "structures/search/packed.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 1, ARRAYS_MAX = 1 + COLOURS * GRADES };

// The arrays of a node that has such planes, in their order; returns their number.
static int list_arrays(struct node *node, const uint16_t differs[COLOURS], uint64_t **array[ARRAYS_MAX])
{
    int count = 0;
    array[count++] = &node->legal;
    for (int side = WHITE; side <= BLACK; side++) {
        for (int g = GRADES - 1; g >= 0; g--) {
            if ((differs[side] >> g & 1) != 0)
                array[count++] = &node->plane[side][g];
        }
    }
    return count;
}

static size_t array_bytes(const struct node *node, int number)
{
    return (number == 0 ? node_legal_arrays(node) : 1) * node_blocks(node->pieces) * sizeof(king_block);
}

static void drop_packed(struct nodes *nodes, struct node *node)
{
    if (node->packed != NULL)
        nodes->bytes -= sizeof *node->packed + node->packed->bytes;
    free(node->packed);
    node->packed = NULL;
}

static int compress(ZSTD_CCtx *zstd, const struct node *node, uint64_t **array[ARRAYS_MAX], int count,
                    ZSTD_outBuffer *out)
{
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    for (int i = 0; i < count; i++) {
        ZSTD_inBuffer in = {*array[i], array_bytes(node, i), 0};
        const ZSTD_EndDirective end = i == count - 1 ? ZSTD_e_end : ZSTD_e_continue;
        size_t left = 1;
        while (in.pos < in.size || (end == ZSTD_e_end && left > 0)) {
            left = ZSTD_compressStream2(zstd, out, &in, end);
            if (ZSTD_isError(left) || out->pos == out->size)
                return error_memory(out->size, "a structure");
        }
    }
    return 0;
}

// Compresses the arrays of a node: differs[] is set.
static int make_packed(struct nodes *nodes, struct node *node, const uint16_t differs[COLOURS])
{
    uint64_t **array[ARRAYS_MAX];
    struct node_packed *packed;
    size_t raw = 0;
    if (nodes->packer == NULL && (nodes->packer = ZSTD_createCCtx()) == NULL)
        return error_memory(1, "structures");
    const int count = list_arrays(node, differs, array);
    for (int i = 0; i < count; i++)
        raw += array_bytes(node, i);
    const size_t room = sizeof *packed + ZSTD_compressBound(raw) + 64;
    TRY(memory_new(&packed, room, 1, "a structure"));
    memcpy(packed->differs, differs, sizeof packed->differs);
    ZSTD_outBuffer out = {packed->data, room - sizeof *packed, 0};
    const int code = compress(nodes->packer, node, array, count, &out);
    packed->bytes = out.pos;
    void *smaller = realloc(packed, sizeof *packed + out.pos);
    node->packed = smaller != NULL ? smaller : packed;
    nodes->bytes += sizeof *packed + out.pos;
    if (code != 0)
        drop_packed(nodes, node);
    return code;
}

int node_pack(struct nodes *nodes, struct node *node)
{
    uint64_t **array[ARRAYS_MAX];
    uint16_t differs[COLOURS] = {0};
    for (int i = 0; i < COLOURS * GRADES; i++) {
        uint64_t *const *plane = &node->plane[i / GRADES][i % GRADES];
        if (i % GRADES == GRADES - 1 || plane[0] != plane[1])
            differs[i / GRADES] |= (uint16_t)(1U << i % GRADES);
    }
    if (node->packed == NULL)
        TRY(make_packed(nodes, node, differs));
    const int count = list_arrays(node, differs, array);
    for (int i = 0; i < count; i++) {
        nodes->bytes -= array_bytes(node, i);
        free(*array[i]);
    }
    node->legal = NULL;
    memset(node->plane, 0, sizeof node->plane);
    node->away = true;
    return 0;
}

static int decompress(struct nodes *nodes, struct node *node, const struct node_packed *packed)
{
    uint64_t **array[ARRAYS_MAX];
    ZSTD_inBuffer in = {packed->data, packed->bytes, 0};
    if ((packed->differs[WHITE] & packed->differs[BLACK]) >> (GRADES - 1) == 0)
        return error_set(CLTB_E_CORRUPT, "a structure of a search has no planes");
    if (nodes->unpacker == NULL && (nodes->unpacker = ZSTD_createDCtx()) == NULL)
        return error_memory(1, "structures");
    ZSTD_DCtx_reset(nodes->unpacker, ZSTD_reset_session_only);
    const int count = list_arrays(node, packed->differs, array);
    for (int i = 0; i < count; i++) {
        ZSTD_outBuffer out = {.size = array_bytes(node, i)};
        free(*array[i]); // of a failed attempt
        *array[i] = NULL;
        TRY(memory_new(array[i], out.size, 1, "a structure"));
        out.dst = *array[i];
        while (out.pos < out.size) {
            const size_t before = out.pos;
            if (ZSTD_isError(ZSTD_decompressStream(nodes->unpacker, &out, &in)) || out.pos == before)
                return error_set(CLTB_E_CORRUPT, "a structure of a search is damaged");
        }
    }
    for (int i = COLOURS * GRADES - 1; i >= 0; i--) {
        uint64_t **plane = &node->plane[i / GRADES][i % GRADES];
        *plane = *plane != NULL ? *plane : plane[1];
    }
    for (int i = 0; i < count; i++)
        nodes->bytes += array_bytes(node, i);
    return 0;
}

int node_unpack(struct nodes *nodes, struct node *node)
{
    int code = 0;
    pthread_mutex_lock(&nodes->lock);
    if (node->away) // no other thread was faster
        code = decompress(nodes, node, node->packed);
    if (code == 0)
        node->away = false;
    pthread_mutex_unlock(&nodes->lock);
    return code;
}

int node_change(struct nodes *nodes, struct node *node)
{
    if (node->away)
        TRY(node_unpack(nodes, node));
    drop_packed(nodes, node);
    return 0;
}

int nodes_pack(struct nodes *nodes, uint64_t most)
{
    enum { OLDEST = 4096, STEP = 4 };
    for (uint32_t age = OLDEST; age > 0 && nodes->bytes > most; age /= STEP) {
        for (size_t i = 1; i < nodes->count && nodes->bytes > most; i++) {
            struct node *node = &nodes->node[i];
            if ((node->solved || node->table) && node->pieces > 0 && !node->away && node->used + age < nodes->clock)
                TRY(node_pack(nodes, node));
        }
    }
    return 0;
}
