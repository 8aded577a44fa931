// material.c - which pieces an endgame has, and its name
#include "index/material.h"

#include "util/error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char letters[] = "KQRBNP";

const char *const metric_names[METRICS] = {"dtz", "dtm", "dtc"};

enum { METRIC_END = sizeof ".dtz" - 1 }; // of a name with a metric other than DTZ

enum metric metric_of_name(const char *name)
{
    int metric = 0;
    while (metric < METRICS && strcmp(name, metric_names[metric]) != 0)
        metric++;
    return (enum metric)metric;
}

static int side_men(const struct material *material, int colour)
{
    int men = 0;
    for (int type = 0; type < PIECE_TYPES; type++)
        men += material->count[colour][type];
    return men;
}

// The letter of a name as in standard names; names may be in lower case.
static char normal_letter(char letter)
{
    return (char)(letter == 'V' || letter == 'v' ? 'v' : toupper((unsigned char)letter));
}

// Reads one side of `name` from *text up to its end: the 'v', or if there is none, the next king.
static int parse_side(uint8_t count[PIECE_TYPES], const char **text, const char *name)
{
    const bool marked = strpbrk(name, "vV") != NULL;
    int men = 0;
    for (; **text != '\0' && normal_letter(**text) != 'v' && (marked || men == 0 || normal_letter(**text) != 'K');
         ++*text) {
        const char *letter = strchr(letters, normal_letter(**text));
        if (letter == NULL)
            return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame: '%c' is not one of K Q R B N P", name, **text);
        if (men == 0 && *letter != 'K')
            return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame: each side starts with its king, as in KQRvKR",
                             name);
        if (men > 0 && *letter == 'K')
            return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame: a side has two kings", name);
        if (++men > MATERIAL_MEN_MAX)
            return error_set(CLTB_E_USAGE, "'%.40s' has more than %d men", name, MATERIAL_MEN_MAX);
        count[letter - letters]++;
    }
    if (men == 0)
        return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame: a side is missing, as in KQRvKR", name);
    return 0;
}

static int parse_men(struct material *material, const char *name, bool *flipped)
{
    *material = (struct material){0};
    const char *text = name;
    TRY(parse_side(material->count[WHITE], &text, name));
    if (normal_letter(*text) == 'v')
        text++;
    TRY(parse_side(material->count[BLACK], &text, name));
    if (normal_letter(*text) == 'K')
        return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame: there are three kings", name);
    if (*text != '\0')
        return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame: more than one 'v'", name);
    const int men = material_men(material);
    if (men > MATERIAL_MEN_MAX)
        return error_set(CLTB_E_USAGE, "'%.40s' has more than %d men", name, MATERIAL_MEN_MAX);
    if (men < 3)
        return error_set(CLTB_E_USAGE, "'%.40s' needs no table: two bare kings are always a draw", name);
    const bool flip = material_normalise(material);
    if (flipped != NULL)
        *flipped = flip;
    return 0;
}

static int parse_name(struct material *material, const char *name, bool *flipped)
{
    char men[MATERIAL_NAME_MAX] = "";
    const size_t length = strlen(name);
    const char *point = length > METRIC_END && length < sizeof men ? name + length - METRIC_END : "";
    const enum metric metric = *point == '.' ? metric_of_name(point + 1) : METRICS;
    if (metric == METRICS || metric == METRIC_DTZ)
        return parse_men(material, name, flipped);
    memcpy(men, name, length - METRIC_END);
    TRY(parse_men(material, men, flipped));
    material->metric = (uint8_t)metric;
    return 0;
}

int material_parse(struct material *material, const char *name, bool *flipped)
{
    char men[MATERIAL_NAME_MAX] = "";
    size_t count = 0;
    if (parse_name(material, name, flipped) == 0)
        return 0;
    // It may be a name with characters that are not men, such as "KQ-KR" and "KQ vs KR", or with late kings: "QKvRK",
    // or that of another file: "KQvK.rtbw".
    for (const char *text = name; *text != '\0' && *text != '.' && count < sizeof men - 1; text++)
        if (strchr(letters, normal_letter(*text)) != NULL || normal_letter(*text) == 'v')
            men[count++] = normal_letter(*text);
    for (char *side = men; *side != '\0'; side += strcspn(side, "v"), side += *side == 'v') {
        char *king = memchr(side, 'K', strcspn(side, "v"));
        if (king != NULL) {
            *king = *side;
            *side = 'K';
        }
    }
    if (parse_name(material, men, NULL) == 0)
        return error_set(CLTB_E_USAGE, "'%.40s' is not an endgame; did you mean %s?", name,
                         material_name(material, men));
    return parse_name(material, name, flipped);
}

bool material_of_file(struct material *material, const char *path, const char *end)
{
    char name[MATERIAL_NAME_MAX] = "";
    char normal[MATERIAL_NAME_MAX];
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    const size_t length = strlen(file) < strlen(end) ? 0 : strlen(file) - strlen(end);
    if (length == 0 || length >= sizeof name || strcmp(file + length, end) != 0)
        return false;
    memcpy(name, file, length);
    return material_parse(material, name, NULL) == 0 && strcmp(material_name(material, normal), name) == 0;
}

const char *material_name(const struct material *material, char *name)
{
    char *end = name;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = 0; type < PIECE_TYPES; type++)
            for (int i = 0; i < material->count[colour][type] && end < name + MATERIAL_NAME_MAX - METRIC_END - 2; i++)
                *end++ = letters[type];
        if (colour == WHITE)
            *end++ = 'v';
    }
    *end = '\0';
    if (material->metric != METRIC_DTZ)
        snprintf(end, METRIC_END + 1, ".%s", metric_names[material->metric]);
    return name;
}

struct material material_of(const struct position *position)
{
    struct material material = {.metric = METRIC_DTZ};
    memcpy(material.count, position->count, sizeof material.count);
    return material;
}

bool material_normalise(struct material *material)
{
    int order = side_men(material, WHITE) - side_men(material, BLACK);
    for (int type = 0; order == 0 && type < PIECE_TYPES; type++)
        order = material->count[WHITE][type] - material->count[BLACK][type];
    if (order >= 0)
        return false;
    const struct material flipped = *material;
    memcpy(material->count[WHITE], flipped.count[BLACK], PIECE_TYPES);
    memcpy(material->count[BLACK], flipped.count[WHITE], PIECE_TYPES);
    return true;
}

bool material_symmetric(const struct material *material)
{
    return memcmp(material->count[WHITE], material->count[BLACK], sizeof material->count[WHITE]) == 0;
}

bool material_equal(const struct material *a, const struct material *b)
{
    return memcmp(a->count, b->count, sizeof a->count) == 0 && a->metric == b->metric;
}

int material_men(const struct material *material)
{
    return side_men(material, WHITE) + side_men(material, BLACK);
}

bool material_has_pawns(const struct material *material)
{
    return material->count[WHITE][PAWN] + material->count[BLACK][PAWN] > 0;
}

unsigned material_arrangements(const struct material *material)
{
    unsigned product = 1;
    for (int men = 0; men < COLOURS * PIECE_TYPES; men++)
        for (unsigned i = 2; i <= material->count[men / PIECE_TYPES][men % PIECE_TYPES]; i++)
            product *= i;
    return product;
}

struct walk {
    int (*visit)(void *context, const struct material *material);
    void *context;
    int last; // the last type that is dealt out
    struct material material;
};

// Deals `left` more men in falling order: first into White's slots from the queen on, then into Black's.
static int deal(struct walk *walk, int slot, int left)
{
    if (left == 0) {
        struct material standard = walk->material;
        return material_normalise(&standard) ? 0 : walk->visit(walk->context, &walk->material);
    }
    for (; slot < 2 * walk->last; slot++) {
        uint8_t *count = &walk->material.count[slot / walk->last][QUEEN + slot % walk->last];
        ++*count;
        int code = deal(walk, slot, left - 1);
        --*count;
        if (code != 0)
            return code;
    }
    return 0;
}

int material_each(int men, int (*visit)(void *context, const struct material *material), void *context)
{
    struct walk walk = {visit, context, PAWN, {.count = {{1}, {1}}}};
    return deal(&walk, 0, men - 2);
}

int material_each_pawnless(int men, int (*visit)(void *context, const struct material *material), void *context)
{
    struct walk walk = {visit, context, KNIGHT, {.count = {{1}, {1}}}};
    return deal(&walk, 0, men - 2);
}
