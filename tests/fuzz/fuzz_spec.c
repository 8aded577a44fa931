// fuzz_spec.c - restricted endgames as hostile text and XML
//
// Properties: whatever is accepted can be finished again without change, is written as text that reads back to the same spec, has a name that does
// so too, and matches a position in which every man stands on a square given to it. With libFuzzer, define FUZZ_LIBFUZZER (the first byte says
// which reader is meant); without it,
//
//     fuzz_spec SECONDS [SEED]
//
// mutates a few texts by a fixed pseudo-random sequence, so a failure can be repeated.
#include "restricted/make/spec_file.h"
#include "restricted/spec.h"
#include "util/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READ_MEN, READ_LINES, READ_PATTERN, READ_XML, READERS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what, const char *text)
{
    if (truth)
        return;
    fprintf(stderr, "fuzz_spec: %s: \"%s\"\n", what, text);
    abort();
}

static bool same_men(const struct spec *a, const struct spec *b)
{
    return a->men == b->men && memcmp(a->man, b->man, sizeof a->man) == 0 && a->facing == b->facing;
}

// Each man on the highest square of its set that is free; false if there is none for one of them or the board does not take them.
static bool some_position(const struct spec *spec, struct position *p)
{
    struct man men[SPEC_MEN_MAX];
    uint64_t taken = 0;
    for (int i = 0; i < spec->men; i++) {
        const uint64_t free_squares = spec->man[i].squares & ~taken;
        if (free_squares == 0)
            return false;
        const int square = 63 - __builtin_clzll(free_squares);
        taken |= square_bit(square);
        men[i] = (struct man){spec->man[i].type, spec->man[i].colour, (uint8_t)square};
    }
    return position_set(p, men, spec->men, WHITE) == 0;
}

static void check_match(const struct spec *spec, const char *text)
{
    static struct position p;
    uint8_t where[SPEC_MEN_MAX];
    if (!some_position(spec, &p))
        return;
    const bool belongs = spec_match(spec, &p, where);
    require(belongs || spec->facing != 0, "a position of its men does not belong to it", text);
    uint64_t given = 0;
    for (int i = 0; belongs && i < spec->men; i++) {
        require((spec->man[i].squares >> where[i] & 1) != 0, "a man outside its set", text);
        given |= square_bit(where[i]);
    }
    require(!belongs || given == position_occupied(&p), "a man without a square", text);
    uint32_t moves[MOVES_MAX];
    const int count = position_legal(&p) ? moves_legal(&p, moves) : 0;
    for (int i = 0; i < count; i++) {
        const int rule = spec_rule_of(spec, &p, moves[i]);
        require(rule >= -1 && rule < spec->rules, "no rule", text);
    }
}

static void check_accepted(const struct spec *spec, const char *text)
{
    static char written[SPEC_TEXT_MAX];
    static struct spec again;
    char name[SPEC_NAME_MAX];
    again = *spec;
    require(spec_finish(&again) == 0 && same_men(spec, &again), "finishing again changes it", text);
    require(spec_write(spec, written, sizeof written) < sizeof written, "too long as text", text);
    require(spec_parse(&again, written) == 0, "what is written is not read", text);
    require(memcmp(&again, spec, sizeof again) == 0, "reads back differently", text);
    spec_name(spec, name);
    require(spec_read(&again, name) == 0 && same_men(spec, &again), "another name", text);
    check_match(spec, text);
}

static int read_any(struct spec *spec, int reader, const char *text, size_t size)
{
    switch (reader) {
    case READ_MEN:
        return spec_read(spec, text);
    case READ_LINES:
        return spec_parse(spec, text);
    case READ_PATTERN:
        return spec_read(spec, "KQRBNP v KQRBNP") != 0 ? -1 : spec_add_rule(spec, WHITE, SPEC_DISCARD, text);
    default:
        return spec_read_xml(spec, "x.xml", text, size);
    }
}

// The text is copied to a block of exactly its size, so that a sanitizer sees any read behind the NUL.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec spec;
    if (size == 0)
        return 0;
    char *text = malloc(size);
    if (text == NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (read_any(&spec, data[0] % READERS, text, size - 1) == 0)
        check_accepted(&spec, text);
    else
        require(error_text()[0] != '\0', "no sentence", text);
    free(text);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

#include "fuzz_run.h"

static const struct {
    int reader;
    const char *text;
} seeds[] = {
    {READ_MEN, "K P[f7+] P[g7+] v K"},
    {READ_MEN, "K[a1-d4] Q[a-d,h8] Q[e-h] N[1-4,7] v K R[b2,c3,d4] P[e5+]"},
    {READ_MEN, "K P[a2-a6] P[a3-a5] v K P[a6-a7] N[b1] N[b1-b2] N[b1-b3]"},
    {READ_LINES, "men K P[f7] v K R\nprune white discard P=[RNB]\nprune black concede K[a-d]4\nprune white concede "
                 "stalemate\nfuturebase KQPvK.cltb\ninverted KRvKP.cltb\noutput two.cltb\nnote a line\n"},
    {READ_PATTERN, "P*=[RNB]"},
    {READ_PATTERN, "*[a-d][5-8]*"},
    {READ_PATTERN, "K[^x]*"},
    {READ_XML, "<?xml version=\"1.0\"?>\n<tablebase>\n<prune-enable color=\"white\" type=\"discard\"/>\n<piece "
               "color=\"white\" type=\"king\"/>\n<piece color=\"black\" type=\"king\" location=\"a1-d4 h8\"/>\n<piece "
               "color=\"white\" type=\"pawn\" location=\"f2+\"/>\n<piece color=\"black\" type=\"pawn\" "
               "location=\"f7+\"/>\n<futurebase filename=\"kqpk.htb\" colors=\"invert\"/>\n<prune color=\"white\" "
               "move=\"P=[RNB]\" type=\"discard\"/>\n<dtm/><output filename=\"x.htb\"/>\n</tablebase>\n"},
    {READ_XML,
     "<!DOCTYPE tablebase [<!ENTITY a \"b\">]><tablebase><piece color='white' type='king'/><piece color='black' "
     "type='king'/><pawngen white-pawn-locations='b3 c2 d3' black-pawn-locations='b5 c7'/></tablebase>"},
};

enum { SEEDS = sizeof seeds / sizeof seeds[0], TEXT_MAX = 1200 };

static char any_char(void)
{
    static const char likely[] = "KQRBNPvabcdefgh12345678+-,[] *?^!=x<>/\"'&;\n";
    return below(16) == 0 ? (char)below(256) : likely[below(sizeof likely - 1)];
}

// One change: replace, insert, take away, or copy a stretch to another place.
static size_t mutate(char *text, size_t length)
{
    const size_t at = below((uint32_t)length + 1);
    const size_t stretch = 1 + below(1 + below(20));
    switch (below(5)) {
    case 0:
    case 1:
        if (at < length)
            text[at] = any_char();
        return length;
    case 2:
        if (length + 1 >= TEXT_MAX)
            return length;
        memmove(text + at + 1, text + at, length - at);
        text[at] = any_char();
        return length + 1;
    case 3:
        if (at + stretch > length)
            return length;
        memmove(text + at, text + at + stretch, length - at - stretch);
        return length - stretch;
    default:
        if (length < stretch || length + stretch >= TEXT_MAX)
            return length;
        memmove(text + at + stretch, text + at, length - at);
        memmove(text + at, text + below((uint32_t)(length - stretch) + 1), stretch);
        return length + stretch;
    }
}

static void run_one(void)
{
    char text[1 + TEXT_MAX];
    const uint32_t seed = below(SEEDS);
    size_t length = strlen(seeds[seed].text);
    text[0] = (char)seeds[seed].reader;
    memcpy(text + 1, seeds[seed].text, length);
    for (uint32_t changes = below(6); changes > 0; changes--)
        length = mutate(text + 1, length);
    LLVMFuzzerTestOneInput((const uint8_t *)text, 1 + length);
}

int main(int argc, char **argv)
{
    return fuzz_run("fuzz_spec", argc, argv, run_one);
}

#endif
