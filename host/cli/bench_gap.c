// bench_gap.c - `cltb bench gap`: the gap code on a table's planes, as text or JSON
//
// Text has a line for each ten plies (ply 1 has its own) if they have any ones, JSON an object for each plane. The seed's bounds stand beside the totals
// of the 50-move rule's plies: 8/255 of a bit for a zero in a plane, which is 3.14 bits a position over 100 planes, and a
// byte for a one.
#include "cli/bench_gap.h"

#include "chess/value.h"
#include "cli/units.h"

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
    bool json;
    const char *comma;
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

// ---- text ----

static void print_line(const struct report *report, bool won)
{
    const struct group *g = &report->line[won];
    char plies[32];
    snprintf(plies, sizeof plies, report->first == g->last ? "%d" : "%d-%d", report->first, g->last);
    printf("%-9s %s %9s %9s %9.4f %9.2f %9s %8.1f %6.1f %6.1f %6.1f\n", plies, what(report->attacker, won),
           unit_count((double)g->ones).text, unit_bytes(g->coded).text, bits_per_zero(g), bytes_per_one(g),
           unit_bytes(g->packed).text, rate(g, g->encode), rate(g, g->decode), rate(g, g->pack), rate(g, g->unpack));
}

static void end_lines(struct report *report)
{
    for (int won = 0; won < 2; won++) {
        if (report->line[won].ones > 0)
            print_line(report, won);
        report->line[won] = (struct group){.planes = 0};
    }
}

static void print_head(const char *name, uint64_t bits)
{
    printf("%s: planes of %llu entries, %s each; packed: in records of %s; GB/s of planes, one thread\n", name,
           (unsigned long long)bits, unit_bytes(bits / 8).text, unit_bytes(8 * (uint64_t)BENCH_GAP_RECORD_WORDS).text);
    printf("%-9s %-11s %9s %9s %9s %9s %9s %8s %6s %6s %6s\n", "plies", "planes of", "ones", "gap code", "bits/zero",
           "bytes/one", "packed", "encode", "decode", "pack", "unpack");
}

static void print_total_head(void)
{
    printf("%-9s %-11s %9s %9s %9s   in bits a position, all planes together:\n", "up to", "planes of", "ones",
           "gap code", "packed");
    printf("%-9s %-11s %9s %9s %9s %9s %9s %9s %9s %9s\n", "ply", "", "", "", "", "zeros", "(at most)", "ones",
           "gap code", "packed");
}

static void print_total(const struct group *g, int attacker, bool won)
{
    printf("%-9d %s %9s %9s %9s %9.4f %9.4f %9.4f %9.4f %9.4f\n", g->last, what(attacker, won),
           unit_count((double)g->ones).text, unit_bytes(g->coded).text, unit_bytes(g->packed).text,
           bits_per_position(g, g->coded - g->ones), g->planes * bits_for_zero, bits_per_position(g, g->ones),
           bits_per_position(g, g->coded), bits_per_position(g, g->packed));
}

// ---- JSON ----

static void print_figures(const struct group *g)
{
    printf("\"positions\": %llu, \"ones\": %llu, \"gap_bytes\": %llu, \"packed_bytes\": %llu, \"bits_per_zero\": %.6f, "
           "\"bytes_per_one\": %.4f, \"encode_seconds\": %.9f, \"decode_seconds\": %.9f, \"pack_seconds\": %.9f, "
           "\"unpack_seconds\": %.9f",
           (unsigned long long)g->bits, (unsigned long long)g->ones, (unsigned long long)g->coded,
           (unsigned long long)g->packed, bits_per_zero(g), bytes_per_one(g), g->encode, g->decode, g->pack, g->unpack);
}

static void print_plane_json(struct report *report, const struct bench_gap_plane *plane)
{
    struct group one = {.planes = 0};
    add(&one, plane);
    printf("%s{\"planes_of\": \"%s\", \"ply\": %d, ", report->comma, what(plane->attacker, plane->won), plane->ply);
    print_figures(&one);
    printf("}");
    report->comma = ", ";
}

static void print_total_json(struct report *report, const struct group *g, int attacker, bool won)
{
    printf("%s{\"planes_of\": \"%s\", \"planes\": %d, \"last_ply\": %d, ", report->comma, what(attacker, won),
           g->planes, g->last);
    print_figures(g);
    printf(", \"gap_bits_per_position\": %.4f, \"zeros_bits_per_position\": %.4f, "
           "\"zeros_bits_per_position_bound\": %.4f, \"ones_bits_per_position\": %.4f}",
           bits_per_position(g, g->coded), bits_per_position(g, g->coded - g->ones), g->planes * bits_for_zero,
           bits_per_position(g, g->ones));
    report->comma = ", ";
}

// ---- both ----

// Ply 1 is unlike the others.
static bool begins_line(const struct report *report, const struct bench_gap_plane *plane)
{
    const int last = report->line[0].planes > 0 ? report->line[0].last : 0;
    return plane->attacker != report->attacker || (plane->ply != last && (last == 1 || last % PLIES == 0));
}

static void take(void *context, const struct bench_gap_plane *plane)
{
    struct report *report = context;
    if (plane->ply <= PLY_LIMIT)
        add(&report->total[plane->attacker][plane->won], plane);
    if (report->json) {
        print_plane_json(report, plane);
        return;
    }
    if (begins_line(report, plane)) {
        end_lines(report);
        report->attacker = plane->attacker;
        report->first = plane->ply;
    }
    add(&report->line[plane->won], plane);
}

static void print_totals(struct report *report)
{
    report->comma = "";
    if (!report->json)
        print_total_head();
    for (int attacker = 0; attacker < 2; attacker++) {
        for (int won = 0; won < 2; won++) {
            const struct group *g = &report->total[attacker][won];
            if (g->planes > 0 && report->json)
                print_total_json(report, g, attacker, won);
            else if (g->planes > 0)
                print_total(g, attacker, won);
        }
    }
}

int bench_gap_print(const char *name, const char *folders, int threads, bool json)
{
    struct report report = {.json = json, .comma = "", .attacker = -1};
    struct material material;
    uint64_t bits;
    TRY(material_parse(&material, name, NULL));
    TRY(bench_gap_bits(&material, &bits));
    if (json)
        printf("{\"name\": \"%s\", \"entries\": %llu, \"planes\": [", name, (unsigned long long)bits);
    else
        print_head(name, bits);
    int code = bench_gap(&material, folders, threads, take, &report);
    if (code == 0 && !json)
        end_lines(&report);
    if (json)
        printf("], \"totals\": [");
    if (code == 0)
        print_totals(&report);
    if (json)
        printf("]}");
    return code;
}
