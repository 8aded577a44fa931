// test_restricted_walk.c - entries of a restricted endgame stand for every position of its set, each once
//
// What the set has is worked out here by itself: all ways to put the men on squares of their sets, as boards, each
// board once.
#include "restricted/support_restricted.h"

#include "restricted/check/walk.h"
#include "util/threads.h"

#include <pthread.h>

// Boards as numbers: the men in the order of the spec, 6 bits each, those of one colour and type by rising square.
struct boards {
    uint64_t *key;
    size_t count;
    size_t room;
};

static void add(struct boards *boards, uint64_t key)
{
    if (boards->count == boards->room) {
        boards->room = boards->room == 0 ? 1024 : 2 * boards->room;
        boards->key = realloc(boards->key, boards->room * sizeof *boards->key);
        assert_non_null(boards->key);
    }
    boards->key[boards->count++] = key;
}

static uint64_t key_of(const struct spec *spec, const uint8_t *where)
{
    uint8_t sorted[SPEC_MEN_MAX];
    uint64_t key = 0;
    memcpy(sorted, where, sizeof sorted);
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        for (int j = i + 1; j < spec->men; j++) {
            const uint8_t square = sorted[i];
            if (man->colour != spec->man[j].colour || man->type != spec->man[j].type || square <= sorted[j])
                continue;
            sorted[i] = sorted[j];
            sorted[j] = square;
        }
        key = key << 6 | sorted[i];
    }
    return key;
}

// Every way to place the men from number `i` on. As deep as there are men.
static void place(const struct spec *spec, int i, uint64_t occupied, uint8_t *where, struct boards *boards)
{
    if (i == spec->men) {
        add(boards, key_of(spec, where));
        return;
    }
    for (uint64_t left = spec->man[i].squares & ~occupied; left != 0; left &= left - 1) {
        where[i] = (uint8_t)__builtin_ctzll(left);
        place(spec, i + 1, occupied | square_bit(where[i]), where, boards);
    }
}

struct seen {
    const struct restricted_index *index;
    struct boards boards;
    uint64_t wrong; // weights that are not the number of images
    uint64_t entries;
    uint64_t next; // entry, with one thread in rising order
    pthread_mutex_t lock;
};

static int see(void *context, const struct restricted_entry *at, int worker)
{
    struct seen *seen = context;
    pthread_mutex_lock(&seen->lock);
    const unsigned weight = restricted_weight(seen->index, at);
    struct boards images = {0};
    for (int g = 0; weight > 0 && g < seen->index->symmetries; g++) {
        uint8_t image[SPEC_MEN_MAX];
        restricted_mirror(seen->index, g, at->where, image);
        add(&images, key_of(&seen->index->spec, image));
    }
    images.count = sort_once(images.key, images.count);
    seen->wrong += images.count != weight;
    for (size_t i = 0; i < images.count; i++)
        add(&seen->boards, images.key[i]);
    free(images.key);
    seen->entries++;
    pthread_mutex_unlock(&seen->lock);
    return 0;
}

static void check_each(const char *name)
{
    struct restricted_index index = index_of(name);
    struct boards all = {0};
    uint8_t where[SPEC_MEN_MAX];
    place(&index.spec, 0, 0, where, &all);
    all.count = sort_once(all.key, all.count);
    struct seen seen = {.index = &index};
    pthread_mutex_init(&seen.lock, NULL);
    GOOD(restricted_each(&index, test_pool, see, &seen));
    pthread_mutex_destroy(&seen.lock);
    const size_t counted = seen.boards.count;
    seen.boards.count = sort_once(seen.boards.key, seen.boards.count);
    assert_true(all.count > 0 && counted > 0);
    if (seen.wrong > 0 || counted != all.count || seen.boards.count != all.count ||
        memcmp(seen.boards.key, all.key, all.count * sizeof *all.key) != 0)
        fail_msg("%s: %zu boards, %zu counted, %zu different ones, %llu weights wrong", name, all.count, counted,
                 seen.boards.count, (unsigned long long)seen.wrong);
    free(all.key);
    free(seen.boards.key);
    restricted_index_close(&index);
}

static void test_each_position_once(void **state)
{
    static const char *const names[] = {
        "K Q v K",                                          // eight symmetries
        "K N[c3,f3,c6,f6] N[c3,f3,c6,f6] v K[d4,d5,e4,e5]", // the same, and identical pieces
        "K[a-d] Q[1-2] v K",                                // none
        "K[a1,h1] Q[a-d] Q[e-h] v K[a8,h8]",                // men that change places
        "K[a1] R[a-d] R[b-e] v K[e8,d8]",                   // sets that overlap
        "K[h1] R[a1-b2] R[b1-c2] R[a2-c3] v K[h8]",         // three that can go round
        "K[h1] R[a1-c2] R[a1-c2] R[b1-c3] B[a-h] v K[h8]",
        "K[a1,h8] R[a1-h8] v K[a8,h1] R", // mirrored at the diagonals
        "K P v K",                        // pawns
        "K P[a4,h4] P[a4,h4] v K[8]",     // that are their own mirror image
        "K[1] P[a-d] v K[8] P[c5+,f5+]",
        "K[e1] P[a4+] P[a2-b4] P[a3-c3] v K[e8]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_each(names[i]);
}

// ---- single functions ----

static void test_exchange(void **state)
{
    struct restricted_index index = index_of("K[e1] R[a-c] R[b-d] v K[e8] R");
    const int left = 2; // of White's rooks the one that may stand on a1
    const int right = 3;
    uint8_t where[SPEC_MEN_MAX] = {[2] = 1, [3] = 2}; // b1, c1
    assert_true((index.spec.man[left].squares & 1) != 0 && index.spec.man[right].colour == WHITE);
    assert_true(restricted_exchange(&index, left, right, where));
    assert_int_equal(where[left], 2);
    assert_int_equal(where[right], 1);
    where[right] = 3; // the other one may not stand on d1
    assert_false(restricted_exchange(&index, left, right, where));
    assert_int_equal(where[right], 3);
    assert_false(restricted_exchange(&index, 0, 1, where)); // kings
    restricted_index_close(&index);
}

static int find_fen(void *context, const struct restricted_entry *at, int worker)
{
    struct seen *seen = context;
    static struct position p;
    char fen[FEN_MAX];
    GOOD(restricted_set(seen->index, at->where, BLACK, &p));
    fen_write(&p, fen);
    seen->entries += strcmp(fen, "4k3/8/3P4/8/8/8/8/3K4 b - - 0 1") == 0;
    assert_true(at->slice != 0 || at->entry >= seen->next);
    seen->next = at->slice == 0 ? at->entry + 1 : seen->next;
    return 0;
}

static int stop_at_once(void *context, const struct restricted_entry *at, int worker)
{
    ++*(int *)context;
    return error_set(CLTB_E_INTERRUPTED, "stopped");
}

static void test_positions_of_entries(void **state)
{
    struct restricted_index index = index_of("K[d1-e2] P[d4+] v K[d8,e8]");
    struct thread_pool *pool;
    int calls = 0;
    GOOD(threads_open(&pool, 1));
    struct seen seen = {.index = &index};
    GOOD(restricted_each(&index, pool, find_fen, &seen));
    assert_int_equal(seen.entries, 1);
    assert_int_equal(restricted_each(&index, pool, stop_at_once, &calls), CLTB_E_INTERRUPTED);
    assert_int_equal(calls, 1);
    threads_close(pool);
    restricted_index_close(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_position_once),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_positions_of_entries),
    };
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
