// support.c - what every unit test needs
#include "support/support.h"

#include "chess/position.h"
#include "index/material.h"
#include "index/pawns.h"
#include "util/random.h"
#include "util/threads.h"

#include <dirent.h>
#include <unistd.h>

enum { TESTS_MAX = 100 };

static struct CMUnitTest all[TESTS_MAX];
static int line_of[TESTS_MAX];
static size_t tests;

// By lines: constructors run in no certain order.
void test_add(const char *name, void (*test)(void **state), int line)
{
    size_t at = tests++;
    if (at == TESTS_MAX)
        abort();
    for (; at > 0 && line_of[at - 1] > line; at--) {
        all[at] = all[at - 1];
        line_of[at] = line_of[at - 1];
    }
    all[at] = (struct CMUnitTest){.name = name, .test_func = test};
    line_of[at] = line;
}

int tests_run(int (*setup)(void **state), int (*teardown)(void **state))
{
    return _cmocka_run_group_tests("tests", all, tests, setup, teardown);
}

static const char *path_under(const char *variable, const char *name)
{
    static char path[4][TEST_PATH_MAX];
    static int next;
    const char *folder = getenv(variable);
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "%s/%s", folder == NULL ? "." : folder, name);
    return to;
}

bool sanitized(void)
{
    return getenv("CLTB_TEST_SANITIZED") != NULL;
}

const char *tmp_path(const char *name)
{
    return path_under("CLTB_TEST_TMP", name);
}

const char *data_path(const char *name)
{
    return path_under("CLTB_TEST_DATA", name);
}

void test_folder_make(char *path)
{
    snprintf(path, TEST_PATH_MAX, "%s", tmp_path("tables-XXXXXX"));
    assert_non_null(mkdtemp(path));
}

void test_folder_clear(const char *path)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}

void test_folder_remove(const char *path)
{
    test_folder_clear(path);
    assert_int_equal(rmdir(path), 0);
}

const char *table_in(const char *folder, const char *name)
{
    static char path[4][TEST_PATH_MAX + 40];
    static int next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "%s/%s.cltb", folder, name);
    return to;
}

struct bytes read_file(const char *path)
{
    struct bytes bytes;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes.size = (size_t)ftell(file);
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

uint64_t mix(uint64_t x)
{
    return random_next(&x);
}

uint64_t random_u64(void)
{
    static uint64_t state = 1;
    return random_next(&state);
}

int random_below(int n)
{
    return (int)(random_u64() % (uint64_t)n);
}

uint64_t *host_words(size_t words)
{
    uint64_t *bits = calloc(words > 0 ? words : 1, 8);
    assert_non_null(bits);
    return bits;
}

struct thread_pool *test_pool;

int pool_setup(void **state)
{
    return threads_open(&test_pool, 2);
}

int pool_teardown(void **state)
{
    threads_close(test_pool);
    return 0;
}

struct material material_named(const char *name)
{
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    return material;
}

struct pawn_slices *slices_of(const struct material *material)
{
    struct pawn_slices *slices = NULL;
    if (material_has_pawns(material))
        GOOD(pawn_slices_open(&slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    return slices;
}

void flipped_position(const struct position *p, struct position *flipped)
{
    struct man men[2 * MEN_PER_SIDE_MAX];
    int count = 0;
    for (int square = 0; square < SQUARES; square++) {
        const int code = p->board[square];
        if (code != EMPTY)
            men[count++] =
                (struct man){(uint8_t)piece_type(code), (uint8_t)(piece_colour(code) ^ 1), (uint8_t)(square ^ 56)};
    }
    GOOD(position_set(flipped, men, count, p->side ^ 1));
    if (p->en_passant != NO_SQUARE)
        GOOD(position_set_en_passant(flipped, p->en_passant ^ 56));
}

int men_named(const char *men, uint8_t *type, uint8_t *colour)
{
    static const char letters[] = "KQRBNPkqrbnp";
    int count = 0;
    for (; men[count] != '\0'; count++) {
        const int letter = (int)(strchr(letters, men[count]) - letters);
        type[count] = (uint8_t)(letter % PIECE_TYPES);
        colour[count] = (uint8_t)(letter / PIECE_TYPES);
    }
    return count;
}

void each_placement(struct man *men, int next, int count, void (*visit)(void *context), void *context)
{
    struct man *man = &men[next];
    if (next == count) {
        visit(context);
        return;
    }
    const int first = man->type == PAWN ? 8 : 0;
    const bool identical = next > 0 && man->type == man[-1].type && man->colour == man[-1].colour;
    for (int square = identical ? man[-1].square + 1 : first; square < SQUARES - first; square++) {
        bool taken = false;
        for (int i = 0; i < next; i++)
            taken |= men[i].square == square;
        man->square = (uint8_t)square;
        if (!taken)
            each_placement(men, next + 1, count, visit, context);
    }
}
