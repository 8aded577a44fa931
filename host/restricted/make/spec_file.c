// spec_file.c - a restricted endgame from one of Hoffman's XML control files
//
// libxml2 makes a tree, whose elements are compared with two tables: which attributes and children an element may have,
// and what is done about it. Checks that need the whole file (how far pawns get, prune-enable, rules that contradict
// each other) come last.
#include "restricted/make/spec_file.h"

#include "chess/attacks.h"
#include "index/material.h"
#include "util/error.h"
#include "util/os.h"

#include <ctype.h>
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 20, ATTRIBUTES_MAX = 13, CAPTURES_MAX = 15 };

// A rule as the file gives it; in the spec, rules for stalemate may have another colour and type.
struct written_rule {
    long line;
    int colour;
    int prune; // enum spec_prune
};

struct reader {
    const char *name; // of the file
    struct spec *spec;
    uint64_t start[SPEC_MEN_MAX];                // the square of a pawn on its way; 0: its squares are given
    int captures[SPEC_MEN_MAX];                  // that it may have made before
    bool enabled[COLOURS][2];                    // [colour][enum spec_prune]
    struct written_rule written[SPEC_RULES_MAX]; // by rule of the spec
    char generated[240];                         // the output's name, unless the file gives it; empty: none
    char metric[8];                              // dtm, dtc, basic, flag; empty: none
    char skipped[80];                            // "dtm, index": elements without effect, named in spec.note
    bool renamed;                                // a file name's .htb was replaced by .cltb
};

static CLTB_PRINTF(3, 4) int fault(const struct reader *r, long line, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return error_set(CLTB_E_USAGE, "%s:%ld: %s", r->name, line, text);
}

// Puts the file's name and the line before the error sentence of a function of spec.h.
static int at_line(const struct reader *r, long line, int code)
{
    return code == 0 ? 0 : error_prefix(code, "%s:%ld", r->name, line);
}

// ---- elements ----

struct element;

struct kind {
    const char *name;
    const char *parents; // "a b": the elements it may stand in; "": the root
    const char *required;
    const char *optional;                                   // attributes
    int (*read)(struct reader *r, const struct element *e); // NULL: its children say everything
};

struct attribute {
    const char *name;
    xmlChar *value;
};

struct element {
    const struct kind *kind;
    long line;
    int attributes;
    struct attribute attribute[ATTRIBUTES_MAX];
};

// Is `word` in a list of words separated by blanks?
static bool in_list(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

// The value of an attribute; NULL if it is missing.
static const char *value_of(const struct element *e, const char *name)
{
    for (int i = 0; i < e->attributes; i++) {
        if (strcmp(e->attribute[i].name, name) == 0)
            return (const char *)e->attribute[i].value;
    }
    return NULL;
}

// Where an attribute's value is in a list of words.
static int choice_of(const struct reader *r, const struct element *e, const char *name, const char *const *words,
                     int count, int *choice)
{
    const char *value = value_of(e, name);
    for (*choice = 0; *choice < count; ++*choice) {
        if (strcmp(value, words[*choice]) == 0)
            return 0;
    }
    return fault(r, e->line, "%s=\"%.40s\" of <%s> is unknown", name, value, e->kind->name);
}

// Reads the colour and the type of a rule, or of an element that enables rules.
static int read_rule(const struct reader *r, const struct element *e, struct written_rule *rule)
{
    rule->line = e->line;
    TRY(choice_of(r, e, "color", spec_colour_word, 2, &rule->colour));
    return choice_of(r, e, "type", spec_prune_word, 2, &rule->prune);
}

// ---- men ----

static int add_man(struct reader *r, long line, int colour, int type, uint64_t squares, bool on_its_way)
{
    const int man = r->spec->men;
    TRY(at_line(r, line, spec_add_man(r->spec, colour, type, squares)));
    r->start[man] = on_its_way ? squares : 0;
    return 0;
}

// Adds a pawn that starts on a square such as "a4".
static int add_pawn_on_its_way(struct reader *r, long line, int colour, const char *start)
{
    const uint64_t square = square_bit((start[1] - '1') * 8 + (start[0] - 'a'));
    if ((square & (RANK_1 | RANK_8)) != 0)
        return fault(r, line, "a pawn cannot stand on %.2s", start);
    return add_man(r, line, colour, PAWN, square, true);
}

static bool starts_with_square(const char *text)
{
    return text[0] >= 'a' && text[0] <= 'h' && text[1] >= '1' && text[1] <= '8';
}

static int read_piece(struct reader *r, const struct element *e)
{
    static const char *const types[PIECE_TYPES] = {"king", "queen", "rook", "bishop", "knight", "pawn"};
    int colour, type;
    TRY(choice_of(r, e, "color", spec_colour_word, 2, &colour));
    TRY(choice_of(r, e, "type", types, PIECE_TYPES, &type));
    const char *location = value_of(e, "location");
    if (location != NULL && type == PAWN && strchr(location, '+') != NULL) {
        const char *at = location + strspn(location, " ");
        if (!starts_with_square(at) || at[2] != '+' || at[3 + strspn(at + 3, " ")] != '\0')
            return fault(r, e->line, "location=\"%.40s\": a pawn on its way (+) starts on one square", location);
        return add_pawn_on_its_way(r, e->line, colour, at);
    }
    uint64_t squares;
    TRY(at_line(r, e->line, spec_read_set(&squares, colour, type, location == NULL ? "" : location)));
    return add_man(r, e->line, colour, type, squares, false);
}

// Calls the table of a <pawngen> with captures as Hoffman's script of that name does: FILE-2-1 for two white pawns and
// a black one.
static void name_output(struct reader *r, const int pawns[COLOURS])
{
    const char *slash = strrchr(r->name, '/');
    const char *file = slash != NULL ? slash + 1 : r->name;
    const size_t length = strlen(file);
    const size_t stem = length > 4 && strcmp(file + length - 4, ".xml") == 0 ? length - 4 : length;
    snprintf(r->generated, sizeof r->generated, "%.*s-%d-%d.cltb", (int)(stem < 200 ? stem : 200), file, pawns[WHITE],
             pawns[BLACK]);
}

// Reads men whose pawns are all given by their starting squares.
static int read_pawngen(struct reader *r, const struct element *e)
{
    static const char *const queens[] = {"white-queens-required", "black-queens-required"};
    static const char *const captures[] = {"white-captures-allowed", "black-captures-allowed"};
    int pawns[COLOURS];
    int allowed[COLOURS];
    for (int colour = WHITE; colour <= BLACK; colour++) {
        const char *value = value_of(e, queens[colour]);
        if (value != NULL && strcmp(value, "0") != 0)
            return fault(r, e->line,
                         "%s=\"%.20s\": which pawns are left depends on which ones have queened, so these are many "
                         "tables; `cltb solve` solves the position from which they come",
                         queens[colour], value);
        value = value_of(e, captures[colour]);
        allowed[colour] = value == NULL ? 0 : atoi(value);
        if (value != NULL && (strspn(value, "0123456789") != strlen(value) || allowed[colour] > CAPTURES_MAX))
            return fault(r, e->line, "%s=\"%.20s\" is not a number from 0 to %d", captures[colour], value,
                         CAPTURES_MAX);
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        const char *at = value_of(e, colour == WHITE ? "white-pawn-locations" : "black-pawn-locations");
        const char *required = value_of(e, colour == WHITE ? "white-pawns-required" : "black-pawns-required");
        const int before = r->spec->men;
        for (at += strspn(at, " "); *at != '\0'; at += strspn(at, " ")) {
            if (!starts_with_square(at) || (at[2] != ' ' && at[2] != '\0'))
                return fault(r, e->line, "'%.20s' is no list of the squares of pawns", at);
            TRY(add_pawn_on_its_way(r, e->line, colour, at));
            r->captures[r->spec->men - 1] = allowed[colour];
            at += 2;
        }
        pawns[colour] = r->spec->men - before;
        char number[16];
        snprintf(number, sizeof number, "%d", pawns[colour]);
        if (required != NULL && strcmp(required, number) != 0)
            return fault(r, e->line,
                         "%s-pawns-required=\"%.20s\" is not the number of pawns, %d: after captures and promotions "
                         "other pawns are left, which need a file of their own with piece elements",
                         spec_colour_word[colour], required, pawns[colour]);
    }
    if (allowed[WHITE] + allowed[BLACK] > 0)
        name_output(r, pawns);
    return 0;
}

// ---- prune rules ----

static int read_enable(struct reader *r, const struct element *e)
{
    struct written_rule rule;
    TRY(read_rule(r, e, &rule));
    r->enabled[rule.colour][rule.prune] = true;
    return 0;
}

static int read_prune(struct reader *r, const struct element *e)
{
    const char *move = value_of(e, "move");
    const bool stalemate = strcmp(move, "stalemate") == 0;
    struct written_rule rule;
    TRY(read_rule(r, e, &rule));
    // For stalemate the file gives the colour of the winner, spec.h that of the side that cannot move.
    if (stalemate && rule.prune != SPEC_CONCEDE)
        return fault(r, e->line, "stalemate can only be conceded, to the colour that is to win by it");
    if (stalemate && spec_stalemate_rule(r->spec, rule.colour) >= 0)
        return fault(r, e->line, "there is a second rule for stalemate");
    for (int i = 0; i < (stalemate ? 2 : 1); i++) {
        const enum spec_prune prune = i == 0 ? (enum spec_prune)rule.prune : SPEC_DISCARD;
        TRY(at_line(r, e->line, spec_add_rule(r->spec, rule.colour ^ i, prune, move)));
        r->written[r->spec->rules - 1] = rule;
    }
    return 0;
}

// Do both patterns have a move that these men could make?
static bool both_have(const struct spec *spec, int colour, const struct spec_pattern *a, const struct spec_pattern *b)
{
    unsigned own = 0;   // types of this side's men, as bits of enum piece_type
    unsigned other = 0; // of the other side's
    for (int i = 0; i < spec->men; i++)
        *(spec->man[i].colour == colour ? &own : &other) |= 1U << spec->man[i].type;
    for (int type = KING; type <= PAWN; type++) {
        if ((own >> type & 1) != 0 &&
            ((a->quiet[type] & b->quiet[type]) != 0 || (a->captures[type] & b->captures[type] & other) != 0))
            return true;
        if ((own >> PAWN & 1) != 0 && (other >> type & 1) != 0 &&
            (a->capture_promotions[type] & b->capture_promotions[type]) != 0)
            return true;
    }
    return (own >> PAWN & 1) != 0 && (a->promotions & b->promotions) != 0;
}

static int check_rules(const struct reader *r)
{
    const struct spec *spec = r->spec;
    for (int i = 0; i < spec->rules; i++) {
        const struct written_rule *written = &r->written[i];
        const struct spec_rule *a = &spec->rule[i];
        if (!r->enabled[written->colour][written->prune])
            return fault(r, written->line, "<prune-enable color=\"%s\" type=\"%s\"/> is missing for this rule",
                         spec_colour_word[written->colour], spec_prune_word[written->prune]);
        for (const struct spec_rule *b = spec->rule; b < a; b++) {
            if (a->colour == b->colour && a->prune != b->prune &&
                ((a->pattern.stalemate && b->pattern.stalemate) ||
                 both_have(spec, a->colour, &a->pattern, &b->pattern)))
                return fault(r, written->line, "\"%s\" says %s and \"%s\" of line %ld %s, for some moves both", a->text,
                             spec_prune_word[a->prune], b->text, r->written[b - spec->rule].line,
                             spec_prune_word[b->prune]);
        }
    }
    return 0;
}

// ---- files ----

// Hoffman's name of a full table without ".htb", such as "kqpk": its name here, and whether that flips the colours.
static bool full_table(const char *stem, size_t length, char name[MATERIAL_NAME_MAX], bool *flipped)
{
    char upper[MATERIAL_NAME_MAX] = "";
    struct material material;
    if (length >= sizeof upper || strspn(stem, "kqrbnp") < length)
        return false;
    for (size_t i = 0; i < length; i++)
        upper[i] = (char)toupper((unsigned char)stem[i]);
    if (material_parse(&material, upper, flipped) != 0)
        return false;
    material_name(&material, name);
    return true;
}

// A file name as it is here: ours have another ending than Hoffman's. `flipped` is NULL if it is not a full table.
static int file_name(struct reader *r, const struct element *e, char *name, size_t size, bool *flipped)
{
    static const char theirs[] = ".htb";
    const char *file = value_of(e, "filename");
    const size_t length = strlen(file);
    const size_t stem = length < sizeof theirs - 1 ? 0 : length - (sizeof theirs - 1);
    char table[MATERIAL_NAME_MAX];
    if (length >= size - 2)
        return fault(r, e->line, "the file name has more than %zu bytes", size - 3);
    if (strpbrk(file, flipped == NULL ? "*?[" : "[") != NULL)
        return fault(r, e->line, "filename=\"%.80s\": %s", file,
                     flipped == NULL ? "an output has no wildcards" : "the wildcards are * and ?");
    struct material material;
    if (flipped != NULL && (material_of_file(&material, file, ".rtbw") || material_of_file(&material, file, ".rtbz"))) {
        snprintf(name, size, "%.*s.cltb", (int)(strrchr(file, '.') - file), file);
        return 0;
    }
    if (stem == 0 || strcmp(file + stem, theirs) != 0) {
        snprintf(name, size, "%s", file);
        return 0;
    }
    r->renamed = true;
    if (flipped != NULL && full_table(file, stem, table, flipped))
        snprintf(name, size, "%s.cltb", table);
    else
        snprintf(name, size, "%.*s.cltb", (int)stem, file);
    return 0;
}

static int read_futurebase(struct reader *r, const struct element *e)
{
    const char *colours = value_of(e, "colors");
    char name[sizeof r->spec->futurebase[0].file];
    bool flipped = false;
    if (colours != NULL && strcmp(colours, "invert") != 0)
        return fault(r, e->line, "colors=\"%.40s\" of <futurebase> is unknown", colours);
    if (strcmp(value_of(e, "filename"), "kk.htb") == 0)
        return 0; // two bare kings are a draw without a table
    TRY(file_name(r, e, name, sizeof name, &flipped));
    return at_line(r, e->line, spec_add_futurebase(r->spec, name, (colours != NULL) != flipped));
}

static int read_output(struct reader *r, const struct element *e)
{
    char name[sizeof r->spec->output];
    TRY(file_name(r, e, name, sizeof name, NULL));
    if (strchr(name, '/') != NULL)
        return fault(r, e->line,
                     "filename=\"%.80s\": an output is a file in the folder of tables; --output takes paths", name);
    return at_line(r, e->line, spec_set_output(r->spec, name));
}

// ---- the rest ----

// Reads how Hoffman's program keeps its table; the note mentions this once.
static int read_skipped(struct reader *r, const struct element *e)
{
    const size_t length = strlen(r->skipped);
    if (strstr(r->skipped, e->kind->name) == NULL)
        snprintf(r->skipped + length, sizeof r->skipped - length, "%s%s", length == 0 ? "" : ", ", e->kind->name);
    return 0;
}

static int read_metric(struct reader *r, const struct element *e)
{
    if (r->metric[0] != '\0')
        return fault(r, e->line, "<%s> after <%s>: a table has one format", e->kind->name, r->metric);
    snprintf(r->metric, sizeof r->metric, "%s", e->kind->name);
    return read_skipped(r, e);
}

static int read_variant(struct reader *r, const struct element *e)
{
    if (strcmp(value_of(e, "name"), "normal") != 0)
        return fault(r, e->line, "variant \"%.40s\": only normal chess is supported", value_of(e, "name"));
    return 0;
}

static const struct kind kinds[] = {
    {"tablebase", "", "", "offset", NULL},
    {"piece", "tablebase", "color type", "location", read_piece},
    {"pawngen", "tablebase", "white-pawn-locations black-pawn-locations",
     "white-pawns-required black-pawns-required white-queens-required black-queens-required white-captures-allowed "
     "black-captures-allowed",
     read_pawngen},
    {"prune-enable", "tablebase", "color type", "", read_enable},
    {"move-restriction", "tablebase", "color type", "", read_enable},
    {"prune", "tablebase", "color type move", "", read_prune},
    {"futurebase", "tablebase", "filename", "colors", read_futurebase},
    {"generation-controls", "tablebase", "", "", NULL},
    {"output", "tablebase generation-controls", "filename", "", read_output},
    {"variant", "tablebase", "name", "", read_variant},
    {"format", "tablebase", "", "", NULL},
    {"dtm", "tablebase format", "", "bits", read_metric},
    {"dtc", "tablebase format", "", "bits", read_metric},
    {"basic", "tablebase format", "", "bits", read_metric},
    {"flag", "tablebase format", "type", "bits", read_metric},
    {"index", "tablebase", "type", "symmetry", read_skipped},
    {"enable-proptables", "tablebase generation-controls", "MB", "", read_skipped},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

// ---- the tree ----

static int read_attributes(const struct reader *r, struct element *e, const xmlNode *node)
{
    for (const xmlAttr *attribute = node->properties; attribute != NULL; attribute = attribute->next) {
        const char *name = (const char *)attribute->name;
        if (attribute->ns != NULL || (!in_list(e->kind->required, name) && !in_list(e->kind->optional, name)))
            return fault(r, e->line, "<%s> with the attribute %.60s is not supported", e->kind->name, name);
        if (e->attributes == ATTRIBUTES_MAX)
            return fault(r, e->line, "<%s> has too many attributes", e->kind->name);
        xmlChar *value = attribute->children == NULL ? xmlStrdup((const xmlChar *)"")
                                                     : xmlNodeListGetString(node->doc, attribute->children, 1);
        if (value == NULL) // an empty value would mean another endgame, so only a missing child is a missing value
            return error_memory(1, "an attribute");
        e->attribute[e->attributes++] = (struct attribute){name, value};
    }
    char required[64];
    char *rest = required;
    snprintf(required, sizeof required, "%s", e->kind->required);
    for (const char *name = strtok_r(required, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        if (value_of(e, name) == NULL)
            return fault(r, e->line, "<%s> has no attribute %s", e->kind->name, name);
    }
    return 0;
}

// Reads an element itself. parent: NULL for the root.
static int read_element(struct reader *r, const xmlNode *node, const char *parent)
{
    struct element e = {.line = xmlGetLineNo(node)};
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
        if (strcmp(kind->name, (const char *)node->name) == 0)
            e.kind = kind;
    }
    if (parent == NULL && (e.kind != &kinds[0] || node->ns != NULL))
        return fault(r, e.line, "the root must be <%s>, not <%.60s>", kinds[0].name, (const char *)node->name);
    if (e.kind == NULL || node->ns != NULL)
        return fault(r, e.line, "the element <%.60s> is unknown", (const char *)node->name);
    if (parent != NULL && !in_list(e.kind->parents, parent))
        return fault(r, e.line, "<%s> cannot stand in %s", e.kind->name, parent);
    int code = read_attributes(r, &e, node);
    if (code == 0 && e.kind->read != NULL)
        code = e.kind->read(r, &e);
    for (int i = 0; i < e.attributes; i++)
        xmlFree(e.attribute[i].value);
    return code;
}

// Reads an element and its children. Elements are nested three deep at most, because kinds[] says which may stand in
// which. Between them there may be comments and blanks.
static int read_tree(struct reader *r, const xmlNode *node, const char *parent)
{
    TRY(read_element(r, node, parent));
    for (const xmlNode *child = node->children; child != NULL; child = child->next) {
        if (child->type == XML_ELEMENT_NODE) {
            TRY(read_tree(r, child, (const char *)node->name));
            continue;
        }
        if (child->type == XML_COMMENT_NODE || child->type == XML_PI_NODE || xmlIsBlankNode(child))
            continue;
        if (child->type != XML_TEXT_NODE)
            return fault(r, xmlGetLineNo(child), "text between elements");
        // libxml2 only knows the line of the element before a text.
        long line = xmlGetLineNo(child->prev != NULL ? child->prev : child->parent);
        const char *text = (const char *)child->content; // not NULL, because it is not blank
        for (size_t i = strspn(text, " \t\n\r"); i > 0; i--)
            line += text[i - 1] == '\n';
        return fault(r, line, "text between elements");
    }
    return 0;
}

// ---- pawns on their way ----

// The squares of its file in front of a pawn.
static uint64_t ahead(int colour, int square)
{
    return file_line(square) & (colour == WHITE ? ~(square_bit(square) * 2 - 1) : square_bit(square) - 1);
}

// The squares of a pawn that starts on `start`, as far as the men in front of it let it go.
static uint64_t way(const struct reader *r, int man, int start)
{
    const int colour = r->spec->man[man].colour;
    uint64_t squares = (square_bit(start) | ahead(colour, start)) & ~(RANK_1 | RANK_8);
    for (int i = 0; i < r->spec->men; i++) {
        // A pawn that comes towards this one has passed it only if this one has changed files.
        const bool comes = r->start[i] != 0 && r->captures[i] == 0 && r->spec->man[i].colour != colour;
        const uint64_t other = comes ? r->start[i] : r->spec->man[i].squares;
        if (i == man || (other & ~ahead(colour, start)) != 0)
            continue;
        const int end = colour == WHITE ? 63 - __builtin_clzll(other) : __builtin_ctzll(other); // the farthest square
        squares &= ~(ahead(colour, end) | square_bit(end));
    }
    return squares;
}

// The squares where it may stand after up to so many captures. No man blocks a pawn for good that has changed files.
static uint64_t ways_after_captures(int colour, uint64_t squares, int captures)
{
    for (; captures > 0; captures--) {
        uint64_t reached = 0;
        for (uint64_t left = squares; left != 0;)
            reached |= pawn_attacks(colour, set_pop(&left));
        for (uint64_t left = reached; left != 0;)
            reached |= ahead(colour, set_pop(&left));
        squares |= reached & ~(RANK_1 | RANK_8);
    }
    return squares;
}

// Finds the ways of all pawns. A pawn that meets one of the other colour stops before that one's start, which does not
// change. A pawn behind another of its colour stops before the farthest square of that one, which is known only in the
// next pass. So there are six passes, as many as pawns have room on a file.
static void find_ways(struct reader *r)
{
    struct spec *spec = r->spec;
    for (int pass = 0; pass < 6; pass++) {
        uint64_t found[SPEC_MEN_MAX];
        for (int i = 0; i < spec->men; i++) {
            const uint64_t before = r->start[i] == 0 ? spec->man[i].squares : way(r, i, __builtin_ctzll(r->start[i]));
            found[i] = ways_after_captures(spec->man[i].colour, before, r->captures[i]);
        }
        for (int i = 0; i < spec->men; i++)
            spec->man[i].squares = found[i];
    }
}

// ---- the whole ----

static int read_document(struct reader *r, const xmlDoc *doc)
{
    const xmlNode *root = xmlDocGetRootElement(doc);
    char *note = r->spec->note;
    const size_t size = sizeof r->spec->note;
    if (root == NULL)
        return fault(r, 1, "there is no element");
    TRY(read_tree(r, root, NULL));
    find_ways(r);
    if (r->generated[0] != '\0' && r->spec->output[0] == '\0')
        TRY(spec_set_output(r->spec, r->generated));
    TRY(check_rules(r)); // before the men are sorted
    TRY(at_line(r, xmlGetLineNo(root), spec_finish(r->spec)));
    if (r->skipped[0] != '\0')
        snprintf(note, size, "the table is built as DTZ with an index of its own: %s not followed", r->skipped);
    const size_t length = strlen(note);
    if (r->renamed)
        snprintf(note + length, size - length, "%s.htb is read as .cltb", length > 0 ? "; " : "");
    return 0;
}

// ---- the parser ----

// What happened while libxml2 read a document.
struct parse {
    xmlParserCtxt *parser;
    bool refused; // an entity was declared
    bool memory;  // memory ran out
};

// Called for every declaration of an entity: ends the parser.
static void refuse_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id,
                          const xmlChar *system_id, xmlChar *content)
{
    (void)name;
    (void)type;
    (void)public_id;
    (void)system_id;
    (void)content;
    xmlParserCtxt *parser = context;
    struct parse *parse = parser->_private;
    parse->refused = true;
    xmlStopParser(parser);
}

// libxml2 prints nothing. After running out of memory its results may be wrong, so the document is rejected.
#if LIBXML_VERSION >= 21200
static void note_error(void *context, const xmlError *error)
#else
static void note_error(void *context, xmlError *error)
#endif
{
    struct parse *parse = context;
    parse->memory |= error != NULL && error->code == XML_ERR_NO_MEMORY;
}

static void print_nothing(void *context, const char *text, ...)
{
    (void)context;
    (void)text;
}

static int parser_fault(const struct reader *r, const struct parse *parse)
{
    const xmlParserInput *input = parse->parser->input;
    if (parse->refused)
        return fault(r, input == NULL ? 1 : input->line, "declarations of entities are not accepted");
    const xmlError *last = xmlCtxtGetLastError(parse->parser);
    if (last == NULL || last->message == NULL)
        return fault(r, 1, "this is no XML");
    return fault(r, last->line, "%.*s", (int)strcspn(last->message, "\r\n"), last->message);
}

int spec_read_xml(struct spec *spec, const char *name, const char *bytes, size_t size)
{
    struct reader r = {.name = name, .spec = spec};
    memset(spec, 0, sizeof *spec);
    if (size > FILE_BYTES_MAX)
        return error_set(CLTB_E_USAGE, "%s: more than %d bytes", name, FILE_BYTES_MAX);
    struct parse parse = {.parser = NULL};
    xmlSetGenericErrorFunc(NULL, print_nothing);
    xmlSetStructuredErrorFunc(&parse, note_error);
    parse.parser = xmlNewParserCtxt();
    parse.memory |= parse.parser == NULL;
    xmlDoc *doc = NULL;
    int code = 0;
    if (!parse.memory) {
        parse.parser->_private = &parse;
        parse.parser->sax->entityDecl = refuse_entity;
        doc = xmlCtxtReadMemory(parse.parser, bytes, (int)size, NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES);
        code = doc == NULL || parse.refused ? parser_fault(&r, &parse) : read_document(&r, doc);
    }
    if (parse.memory)
        code = error_memory(size, "reading XML");
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(parse.parser);
    xmlSetStructuredErrorFunc(NULL, NULL);
    xmlSetGenericErrorFunc(NULL, NULL);
    return code;
}

int spec_read_file(struct spec *spec, const char *path)
{
    FILE *file = os_read_stream(path);
    if (file == NULL)
        return error_errno(CLTB_E_IO, errno, "%s", path);
    char *bytes = malloc(FILE_BYTES_MAX + 1);
    int code = bytes == NULL ? error_memory(FILE_BYTES_MAX + 1, path) : 0;
    if (code == 0) {
        const size_t size = fread(bytes, 1, FILE_BYTES_MAX + 1, file);
        code = ferror(file) ? error_errno(CLTB_E_IO, errno, "%s", path) : spec_read_xml(spec, path, bytes, size);
    }
    free(bytes);
    fclose(file);
    return code;
}
