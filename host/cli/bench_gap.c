// bench_gap.c - `cltb bench gap`: the gap code on a table's planes, as text or JSON
//
// Text has a line for each ten plies (ply 1 has its own) if they have any ones; JSON has an object for each plane. The
// totals of the 50-move rule's plies are shown with the code's bounds: 8/255 of a bit for a zero in a plane, which is
// 3.14 bits a position over 100 planes, and a byte for a one.
#include "cli/bench_gap.h"

#include "util/units.h"

#include "check/bench.h"
#include "chess/value.h"
#include "util/error.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PLIES = 10 };

static const double bits_for_zero = 8.0 / 255; // at most

// Planes that are shown together.
struct group {
    int planes;
    int last; // ply
    uint64_t bits;
    uint64_t ones;
    uint64_t coded;  // bytes
    uint64_t packed; // bytes
    double encode;   // seconds
    double decode;
    double pack;
    double unpack;
};

struct report {
    struct json *json;        // NULL: text
    int attacker;             // of the lines below, -1: no plane came yet
    int first;                // ply
    struct group line[2];     // [won]
    struct group total[2][2]; // [attacker][won] plies up to PLY_LIMIT
};

static void add(struct group *group, const struct bench_gap_plane *plane)
{
    group->planes++;
    group->last = plane->ply;
    group->bits += plane->bits;
    group->ones += plane->ones;
    group->coded += plane->coded_bytes;
    group->packed += plane->packed_bytes;
    group->encode += plane->encode_seconds;
    group->decode += plane->decode_seconds;
    group->pack += plane->pack_seconds;
    group->unpack += plane->unpack_seconds;
}

// ---- figures ----

// What is left of the code without a byte for each one, shared out among the zeros.
static double bits_per_zero(const struct group *g)
{
    const uint64_t zeros = g->bits - g->ones;
    return zeros == 0 ? 0 : 8.0 * (double)(g->coded - g->ones) / (double)zeros;
}

static double bytes_per_one(const struct group *g)
{
    return g->ones == 0 ? 0 : (double)g->coded / (double)g->ones;
}

// Of the plain planes, in GB/s.
static double rate(const struct group *g, double seconds)
{
    return seconds > 0 ? 1e-9 * (double)g->bits / 8 / seconds : 0;
}

// What so many bytes for all planes are for each position, in bits.
static double bits_per_position(const struct group *g, uint64_t bytes)
{
    return 8.0 * (double)bytes * g->planes / (double)g->bits;
}

static const char *what(int attacker, bool won)
{
    static const char *const text[2][2] = {{"black loses", "white wins"}, {"white loses", "black wins"}};
    return text[attacker][won];
}

static void end_lines(struct report *report)
{
    for (int won = 0; won < 2; won++) {
        const struct group g = report->line[won];
        char plies[32];
        report->line[won] = (struct group){.planes = 0};
        if (g.ones == 0)
            continue;
        snprintf(plies, sizeof plies, report->first == g.last ? "%d" : "%d-%d", report->first, g.last);
        printf("%-9s %s %9s %9s %9.4f %9.2f %9s %8.1f %6.1f %6.1f %6.1f\n", plies, what(report->attacker, won),
               unit_count((double)g.ones).text, unit_bytes(g.coded).text, bits_per_zero(&g), bytes_per_one(&g),
               unit_bytes(g.packed).text, rate(&g, g.encode), rate(&g, g.decode), rate(&g, g.pack), rate(&g, g.unpack));
    }
}

static void print_figures(struct json *json, const struct group *g)
{
    json_count(json, "positions", g->bits);
    json_count(json, "ones", g->ones);
    json_count(json, "gap_bytes", g->coded);
    json_count(json, "packed_bytes", g->packed);
    json_real(json, "bits_per_zero", 6, bits_per_zero(g));
    json_real(json, "bytes_per_one", 4, bytes_per_one(g));
    json_real(json, "encode_seconds", 9, g->encode);
    json_real(json, "decode_seconds", 9, g->decode);
    json_real(json, "pack_seconds", 9, g->pack);
    json_real(json, "unpack_seconds", 9, g->unpack);
}

static void take(void *context, const struct bench_gap_plane *plane)
{
    struct report *report = context;
    struct json *json = report->json;
    if (plane->ply <= PLY_LIMIT)
        add(&report->total[plane->attacker][plane->won], plane);
    if (json != NULL) {
        struct group one = {.planes = 0};
        add(&one, plane);
        json_open(json, NULL, '{');
        json_text(json, "planes_of", what(plane->attacker, plane->won));
        json_int(json, "ply", plane->ply);
        print_figures(json, &one);
        json_close(json);
        return;
    }
    const int last = report->line[0].planes > 0 ? report->line[0].last : 0;
    // Ply 1, which is unlike the others, has a line of its own.
    if (plane->attacker != report->attacker || (plane->ply != last && (last == 1 || last % PLIES == 0))) {
        end_lines(report);
        report->attacker = plane->attacker;
        report->first = plane->ply;
    }
    add(&report->line[plane->won], plane);
}

static void print_totals(struct report *report)
{
    struct json *json = report->json;
    if (json == NULL) {
        printf("%-9s %-11s %9s %9s %9s   in bits a position, all planes together:\n", "up to", "planes of", "ones",
               "gap code", "packed");
        printf("%-9s %-11s %9s %9s %9s %9s %9s %9s %9s %9s\n", "ply", "", "", "", "", "zeros", "(at most)", "ones",
               "gap code", "packed");
    }
    for (int i = 0; i < 4; i++) {
        const struct group *g = &report->total[i / 2][i % 2];
        const char *planes_of = what(i / 2, i % 2 != 0);
        const double zeros = bits_per_position(g, g->coded - g->ones);
        if (g->planes == 0)
            continue;
        if (json == NULL) {
            printf("%-9d %s %9s %9s %9s %9.4f %9.4f %9.4f %9.4f %9.4f\n", g->last, planes_of,
                   unit_count((double)g->ones).text, unit_bytes(g->coded).text, unit_bytes(g->packed).text, zeros,
                   g->planes * bits_for_zero, bits_per_position(g, g->ones), bits_per_position(g, g->coded),
                   bits_per_position(g, g->packed));
            continue;
        }
        json_open(json, NULL, '{');
        json_text(json, "planes_of", planes_of);
        json_int(json, "planes", g->planes);
        json_int(json, "last_ply", g->last);
        print_figures(json, g);
        json_real(json, "gap_bits_per_position", 4, bits_per_position(g, g->coded));
        json_real(json, "zeros_bits_per_position", 4, zeros);
        json_real(json, "zeros_bits_per_position_bound", 4, g->planes * bits_for_zero);
        json_real(json, "ones_bits_per_position", 4, bits_per_position(g, g->ones));
        json_close(json);
    }
}

int bench_gap_print(const char *name, const char *folders, int threads, struct json *json)
{
    struct report report = {.json = json, .attacker = -1};
    struct material material;
    uint64_t bits;
    TRY(material_parse(&material, name, NULL));
    TRY(bench_gap_bits(&material, &bits));
    if (json == NULL) {
        printf("%s: planes of %llu entries, %s each; packed: in records of %s; GB/s of planes, one thread\n", name,
               (unsigned long long)bits, unit_bytes(bits / 8).text,
               unit_bytes(8 * (uint64_t)BENCH_GAP_RECORD_WORDS).text);
        printf("%-9s %-11s %9s %9s %9s %9s %9s %8s %6s %6s %6s\n", "plies", "planes of", "ones", "gap code",
               "bits/zero", "bytes/one", "packed", "encode", "decode", "pack", "unpack");
        TRY(bench_gap(&material, folders, threads, take, &report));
        end_lines(&report);
        print_totals(&report);
        return 0;
    }
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_count(json, "entries", bits);
    json_open(json, "planes", '[');
    const int code = bench_gap(&material, folders, threads, take, &report);
    json_close(json);
    json_open(json, "totals", '[');
    if (code == 0)
        print_totals(&report);
    json_close(json);
    json_close(json);
    return code;
}
