// proof.c - the positions that prove what a search has found: read and looked up
#include "structures/proof.h"

#include "probe/probe.h"
#include "table/container_format.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PLIES_BITS = 8, SIDE_BIT = 1 << PLIES_BITS, ENTRY_SHIFT = PLIES_BITS + 1 };

void proof_set_id(struct proof_structure *structure)
{
    structure_key_put(&structure->key, structure->id);
    structure->id[STRUCTURE_KEY_BYTES] = (uint8_t)structure->attacker;
}

int proof_compare(const void *left, const void *right)
{
    const struct proof_structure *a = left;
    const struct proof_structure *b = right;
    return memcmp(a->id, b->id, sizeof a->id);
}

// As structure_entry_of(), but with identical pieces in rising order.
static uint64_t entry_of(const struct position *position)
{
    static const int order[] = {QUEEN, ROOK, BISHOP, KNIGHT, KING};
    uint64_t entry = 0;
    for (int i = 0; i < 10; i++) {
        uint64_t set = 0;
        for (int n = 0; n < position->count[i % 2][order[i / 2]]; n++)
            set |= square_bit(position->list[i % 2][order[i / 2]][n]);
        while (set != 0)
            entry = entry << 6 | (uint64_t)set_pop(&set);
    }
    return entry;
}

uint64_t proof_claim_of(const struct position *position)
{
    return entry_of(position) << ENTRY_SHIFT | (position->side == BLACK ? SIDE_BIT : 0);
}

bool proof_position(const struct proof_structure *structure, uint64_t claim, struct position *position)
{
    return structure_position_set(&structure->key, claim >> ENTRY_SHIFT, (claim & SIDE_BIT) != 0 ? BLACK : WHITE,
                                  position) &&
           proof_claim_of(position) == (claim & ~UINT64_C(0xff));
}

int proof_claimed(const struct proof *proof, int attacker, const struct position *position)
{
    struct proof_structure wanted = {.key = structure_of(position), .attacker = attacker};
    const uint64_t number = proof_claim_of(position);
    proof_set_id(&wanted);
    const struct proof_structure *structure =
        bsearch(&wanted, proof->structure, proof->structures, sizeof wanted, proof_compare);
    if (structure == NULL)
        return PROOF_OPEN;
    uint64_t first = structure->first;
    for (uint64_t count = structure->count; count > 0;) {
        const uint64_t half = count / 2;
        const uint64_t claim = proof->claim[first + half];
        if ((claim ^ number) >> PLIES_BITS == 0)
            return (int)(claim & (SIDE_BIT - 1));
        first += claim < number ? half + 1 : 0;
        count = claim < number ? count - half - 1 : half;
    }
    return PROOF_OPEN;
}

int proof_table(const struct proof *proof, struct position *position, bool *has, int *outcome)
{
    *has = structure_names_table(proof->names, material_of(position));
    return *has ? probe_outcome(proof->tables, position, outcome) : 0;
}

// ---- reading ----

bool proof_is(const char *path)
{
    struct container *container;
    uint64_t version = 0;
    if (container_open(&container, path) != 0)
        return false;
    const bool is = property_number(container_text(container), "structures", &version) && version == PROOF_VERSION;
    container_close(container);
    return is;
}

static int read_structure(const struct proof *proof, const uint8_t *from, struct proof_structure *structure)
{
    *structure = (struct proof_structure){.attacker = from[STRUCTURE_KEY_BYTES]};
    memcpy(structure->id, from, sizeof structure->id);
    TRY(structure_key_get(proof->container, from, &structure->key));
    return structure->attacker <= BLACK ? 0 : container_invalid(proof->container, "a structure has no such attacker");
}

static int read_structures(struct proof *proof)
{
    uint8_t *list;
    size_t bytes;
    TRY(container_extra(proof->container, "structures", &list, &bytes));
    if (list == NULL || bytes == 0 || bytes % PROOF_ID_BYTES != 0) {
        free(list);
        return container_invalid(proof->container, "it has no list of structures");
    }
    proof->structures = bytes / PROOF_ID_BYTES;
    int code = memory_new(&proof->structure, proof->structures, sizeof *proof->structure, "structures");
    for (size_t i = 0; code == 0 && i < proof->structures; i++) {
        code = read_structure(proof, list + i * PROOF_ID_BYTES, &proof->structure[i]);
        if (code == 0 && i > 0 && proof_compare(&proof->structure[i - 1], &proof->structure[i]) >= 0)
            code = container_invalid(proof->container, "structures are not in order");
    }
    free(list);
    return code;
}

// Adds a claim to the structure, whose last one was of `*last`; a step of 0 ends them.
static int read_claim(struct proof *proof, uint64_t bytes, size_t *number, uint64_t *last)
{
    const uint64_t step = bytes >> PLIES_BITS;
    const uint64_t plies = bytes & (SIDE_BIT - 1);
    struct proof_structure *structure = &proof->structure[*number];
    if (*number == proof->structures)
        return container_invalid(proof->container, "it has more claims than structures");
    if (bytes == 0 && structure->count > 0) {
        *last = UINT64_MAX;
        ++*number;
        return 0;
    }
    *last += step;
    if (step == 0 || *last >= UINT64_C(2) << 6 * structure_pieces(&structure->key) || plies > PLY_LIMIT)
        return container_invalid(proof->container, "a claim is out of range");
    TRY(memory_grow(&proof->claim, &proof->claim_room, proof->claims + 1, sizeof *proof->claim, "claims"));
    structure->first = structure->count++ == 0 ? proof->claims : structure->first;
    proof->claim[proof->claims++] = *last << PLIES_BITS | plies;
    return 0;
}

static int read_claims(struct proof *proof)
{
    const int number = container_find(proof->container, "claims");
    const struct container_stream *stream = number < 0 ? NULL : container_stream(proof->container, number);
    if (stream == NULL || stream->symbol_bytes != 1 || stream->sections != 1 || stream->codec != CODEC_ZSTD ||
        stream->block_symbols % PROOF_CLAIM_BYTES != 0 || stream->section_symbols % PROOF_CLAIM_BYTES != 0)
        return container_invalid(proof->container, "it has no claims");
    uint8_t *bytes;
    uint64_t last = UINT64_MAX;
    size_t at = 0;
    int code = memory_new(&bytes, stream->block_symbols, 1, "claims");
    for (uint64_t block = 0; code == 0 && block < container_blocks(stream); block++) {
        code = container_read(proof->container, number, block, bytes);
        for (uint32_t i = 0; code == 0 && i < container_block_length(stream, block); i += PROOF_CLAIM_BYTES)
            code = read_claim(proof, get_number(bytes + i, PROOF_CLAIM_BYTES), &at, &last);
    }
    free(bytes);
    return code != 0 || at == proof->structures ? code
                                                : container_invalid(proof->container, "its claims are cut short");
}

static int read_text(struct proof *proof)
{
    const char *text = container_text(proof->container);
    const char *path = container_path(proof->container);
    const size_t room = strlen(text) + 1;
    uint64_t version;
    char value[8];
    TRY(property_check_game(text, "chess", path));
    if (!property_number(text, "structures", &version) || version != PROOF_VERSION)
        return error_set(CLTB_E_FOREIGN, "%s is not a proof", path);
    if (!property_text(text, "metric", value, sizeof value) || strcmp(value, "dtz") != 0)
        return container_invalid(proof->container, "it has another metric");
    if (!property_text(text, "fen", proof->fen, sizeof proof->fen) || fen_read(&proof->position, proof->fen) != 0 ||
        proof->position.castling != 0)
        return container_invalid(proof->container, "it does not say what it proves");
    TRY(memory_new(&proof->names, room, 1, "names of tables"));
    if (!property_text(text, "tables", proof->names, room))
        return container_invalid(proof->container, "it does not say which tables it needs");
    if (strcmp(proof->names, "-") == 0)
        proof->names[0] = '\0';
    return 0;
}

int proof_open(struct proof **result, const char *path, const char *folders)
{
    struct proof *proof;
    *result = NULL;
    TRY(memory_new(&proof, 1, sizeof *proof, "a proof"));
    int code = container_open(&proof->container, path);
    THEN(code, read_text(proof));
    THEN(code, read_structures(proof));
    THEN(code, read_claims(proof));
    THEN(code, cltb_open(&proof->tables, folders, NULL));
    if (code == 0) {
        proof->file_bytes = container_file_bytes(proof->container);
        *result = proof;
        return 0;
    }
    proof_close(proof);
    return code;
}

void proof_close(struct proof *proof)
{
    if (proof == NULL)
        return;
    cltb_close(proof->tables);
    container_close(proof->container);
    free(proof->structure);
    free(proof->claim);
    free(proof->names);
    free(proof);
}
