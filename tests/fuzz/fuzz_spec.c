// fuzz_spec.c - restricted endgames as hostile text and XML
//
// Properties: every accepted spec can be finished again without change, is written as text that reads back to the same
// spec, has a name with the same property, and matches a position in which every man stands on a square given to it.
// The first byte selects the reader.
#include "restricted/make/spec_file.h"
#include "restricted/spec.h"
#include "util/error.h"

#include "fuzz/run.h"

#include <stdlib.h>
#include <string.h>

enum { READ_MEN, READ_LINES, READ_PATTERN, READ_XML, READERS };

static bool same_men(const struct spec *a, const struct spec *b)
{
    return a->men == b->men && memcmp(a->man, b->man, sizeof a->man) == 0 && a->facing == b->facing;
}

// Puts each man on the highest free square of its set. False if there is none for one of them, or if the board does not
// accept them.
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
    require_of(belongs || spec->facing != 0, "a position of its men does not belong to it", text);
    uint64_t given = 0;
    for (int i = 0; belongs && i < spec->men; i++) {
        require_of((spec->man[i].squares >> where[i] & 1) != 0, "a man outside its set", text);
        given |= square_bit(where[i]);
    }
    require_of(!belongs || given == position_occupied(&p), "a man without a square", text);
    uint32_t moves[MOVES_MAX];
    const int count = position_legal(&p) ? moves_legal(&p, moves) : 0;
    for (int i = 0; i < count; i++) {
        const int rule = spec_rule_of(spec, &p, moves[i]);
        require_of(rule >= -1 && rule < spec->rules, "no rule", text);
    }
}

static void check_accepted(const struct spec *spec, const char *text)
{
    static char written[SPEC_TEXT_MAX];
    static struct spec again;
    char name[SPEC_NAME_MAX];
    again = *spec;
    require_of(spec_finish(&again) == 0 && same_men(spec, &again), "finishing again changes it", text);
    require_of(spec_write(spec, written, sizeof written) < sizeof written, "too long as text", text);
    require_of(spec_parse(&again, written) == 0, "what is written is not read", text);
    require_of(memcmp(&again, spec, sizeof again) == 0, "reads back differently", text);
    spec_name(spec, name);
    require_of(spec_read(&again, name) == 0 && same_men(spec, &again), "another name", text);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec spec;
    if (size == 0)
        return 0;
    char *text = text_copy(data + 1, size - 1);
    if (read_any(&spec, data[0] % READERS, text, size - 1) == 0)
        check_accepted(&spec, text);
    else
        require_of(error_text()[0] != '\0', "no sentence", text);
    free(text);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

// The reader's number before each.
static const char *const seeds[] = {
    "0K P[f7+] P[g7+] v K",
    "0K[a1-d4] Q[a-d,h8] Q[e-h] N[1-4,7] v K R[b2,c3,d4] P[e5+]",
    "0K P[a2-a6] P[a3-a5] v K P[a6-a7] N[b1] N[b1-b2] N[b1-b3]",
    "1men K P[f7] v K R\nprune white discard P=[RNB]\nprune black concede K[a-d]4\nprune white concede "
    "stalemate\nfuturebase KQPvK.cltb\ninverted KRvKP.cltb\noutput two.cltb\nnote a line\n",
    "2P*=[RNB]",
    "2*[a-d][5-8]*",
    "2K[^x]*",
    "3<?xml version=\"1.0\"?>\n<tablebase>\n<prune-enable color=\"white\" type=\"discard\"/>\n<piece "
    "color=\"white\" type=\"king\"/>\n<piece color=\"black\" type=\"king\" location=\"a1-d4 h8\"/>\n<piece "
    "color=\"white\" type=\"pawn\" location=\"f2+\"/>\n<piece color=\"black\" type=\"pawn\" "
    "location=\"f7+\"/>\n<futurebase filename=\"kqpk.htb\" colors=\"invert\"/>\n<prune color=\"white\" "
    "move=\"P=[RNB]\" type=\"discard\"/>\n<dtm/><output filename=\"x.htb\"/>\n</tablebase>\n",
    "3<!DOCTYPE tablebase [<!ENTITY a \"b\">]><tablebase><piece color='white' type='king'/><piece color='black' "
    "type='king'/><pawngen white-pawn-locations='b3 c2 d3' black-pawn-locations='b5 c7'/></tablebase>",
};

int main(int argc, char **argv)
{
    static const struct fuzz_texts texts = {.seeds = seeds,
                                            .count = sizeof seeds / sizeof seeds[0],
                                            .keep = 1,
                                            .likely = "KQRBNPvabcdefgh12345678+-,[] *?^!=x<>/\"'&;\n"};
    return fuzz_run_texts(argc, argv, &texts);
}

#endif
