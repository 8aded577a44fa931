// site.c - `cltb site`: the pages of `cltb serve` for a static file server, or for no server at all
//
//     TO/index.html, ...    the pages, which load site.js to answer for the server (web/src/site.js)
//     TO/cltb.wasm          the reader of tables
//     TO/about.json, endgames.json, stats/NAME.json
//     TO/tables/NAME.cltb   copies
//
// With --inside the last four lines are one file, TO/inside.js: a list of files, and the reader and the tables in
// base64, because a page without a server can load scripts, but no files.
#include "cli/command.h"
#include "kind/kind.h"
#include "make/folder.h"
#include "make/inventory.h"
#include "serve/jobs.h"
#include "serve/listing.h"
#include "serve/page.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"
#include "util/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// For pages with a server: without one nothing is 'self'.
#define POLICY                                                                                                         \
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'; script-src 'self' "                    \
    "'wasm-unsafe-eval'; img-src 'self' data:; style-src-attr 'unsafe-inline'\">\n"

struct site {
    const char *to;
    const char *folders;
    uint64_t men;       // the most of a table
    const char *reader; // a file with the reader; NULL: the one in this program
    bool is_inside;
    FILE *inside;  // inside.js
    bool more;     // its list has an element
    uint64_t kept; // tables with statistics
};

static int failed(const char *path)
{
    return error_errno(CLTB_E_IO, errno, "cannot write %s", path);
}

// ---- files ----

static int begin_file(const struct site *site, const char *name, char path[PATH_MAX], FILE **file)
{
    TRY(folder_path(path, PATH_MAX, site->to, "%s", name));
    *file = fopen(path, "wb");
    return *file != NULL ? 0 : failed(path);
}

static int end_file(FILE *file, const char *path)
{
    const bool bad = ferror(file) != 0;
    return fclose(file) != 0 || bad ? failed(path) : 0;
}

// Begins an element of inside.js.
static void begin_element(struct site *site, const char *name)
{
    fprintf(site->inside, "%s\n\"%s\": ", site->more ? "," : "", name);
    site->more = true;
}

static void write_base64(FILE *to, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const unsigned second = i + 1 < count ? bytes[i + 1] : 0;
        const unsigned third = i + 2 < count ? bytes[i + 2] : 0;
        putc(digits[bytes[i] >> 2], to);
        putc(digits[(bytes[i] & 3U) << 4 | second >> 4], to);
        putc(i + 1 < count ? digits[(second & 15) << 2 | third >> 6] : '=', to);
        putc(i + 2 < count ? digits[third & 63] : '=', to);
    }
}

// Copies a file to `to`: as it is, or as a text.
static int copy(const char *path, FILE *to, bool as_text)
{
    uint8_t bytes[3 << 14];
    size_t count;
    FILE *from = os_read_stream(path);
    if (from == NULL)
        return error_errno(CLTB_E_IO, errno, "cannot open %s", path);
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0) {
        if (as_text)
            write_base64(to, bytes, count);
        else
            fwrite(bytes, 1, count, to);
    }
    const int code = ferror(from) ? error_errno(CLTB_E_IO, errno, "cannot read %s", path) : 0;
    fclose(from);
    return code;
}

// ---- pages ----

// Writes a line of a page; without a server the start page has its name.
static void write_line(const struct site *site, const char *line, int length, FILE *file)
{
    const char *start = strstr(line, "href=\"./\"");
    const int before = start == NULL || !site->is_inside ? length : (int)(start - line);
    fprintf(file, "%.*s", before, line);
    if (before < length)
        fprintf(file, "href=\"index.html\"%s", start + strlen("href=\"./\""));
}

// Leaves out the links to pages that need a server, and loads site.js first.
static void write_page(const struct site *site, const char *text, FILE *file)
{
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        const int length = end == NULL ? (int)strlen(text) : (int)(end - text) + 1;
        char line[512];
        snprintf(line, sizeof line, "%.*s", length, text);
        if (strstr(line, "src=\"frame.js\"") != NULL) {
            if (site->is_inside)
                fputs("<script src=\"inside.js\" defer></script>\n", file);
            fputs("<script src=\"site.js\" defer></script>\n", file);
        }
        if (strstr(line, "href=\"dobutsu.html\"") == NULL && strstr(line, "href=\"build.html\"") == NULL)
            write_line(site, line, length, file);
        if (strstr(line, "<head>") != NULL && !site->is_inside)
            fputs(POLICY, file);
        text += length;
    }
}

static int put_pages(struct site *site)
{
    for (const struct page_file *page = page_files; page->name != NULL; page++) {
        char path[PATH_MAX];
        FILE *file;
        if (strncmp(page->name, "build.", 6) == 0 || strncmp(page->name, "dobutsu.", 8) == 0)
            continue;
        TRY(begin_file(site, page->name, path, &file));
        if (strstr(page->name, ".html") != NULL)
            write_page(site, page->text, file);
        else
            fputs(page->text, file);
        TRY(end_file(file, path));
        // Explanations are parts of the first one.
        if (site->is_inside && (strcmp(page->name, "help.html") == 0 || strcmp(page->name, "pieces.svg") == 0)) {
            struct json json = {.file = site->inside};
            begin_element(site, page->name);
            json_text(&json, NULL, page->text);
        }
    }
    return 0;
}

// ---- what the server computes ----

// Makes a file of the site by `write`. CLTB_E_MISSING: there is none then.
static int put_made(struct site *site, const char *name, int (*write)(void *context, FILE *file), void *context)
{
    char path[PATH_MAX];
    FILE *file = site->inside;
    if (site->is_inside)
        begin_element(site, name);
    else
        TRY(begin_file(site, name, path, &file));
    const int code = write(context, file);
    if (site->is_inside && code == CLTB_E_MISSING)
        fputs("null", file);
    if (site->is_inside)
        return code;
    const int ended = end_file(file, path);
    if (code == CLTB_E_MISSING)
        unlink(path);
    return code != 0 ? code : ended;
}

static int write_about(void *context, FILE *file)
{
    (void)context;
    listing_about(file, false);
    return 0;
}

struct listed {
    cltb_tables *tables;
    const struct inventory *inventory;
};

static void show_fault(void *context, const char *sentence)
{
    (void)context;
    fault_line("cltb site: %s", sentence);
}

static int write_list(void *context, FILE *file)
{
    const struct listed *listed = context;
    listing_write(file, listed->tables, listed->inventory, show_fault, NULL);
    return 0;
}

struct counted {
    const char *name;
    const char *folders;
};

static int write_stats(void *context, FILE *file)
{
    const struct counted *counted = context;
    const struct stats_request kept = {.name = counted->name,
                                       .folders = counted->folders,
                                       .format = "json",
                                       .zugzwangs = true,
                                       .kept = true,
                                       .file = file,
                                       .most = JOBS_ZUGZWANGS_MAX};
    return kind_of_name(counted->name)->stats(&kept);
}

static int put_stats(struct site *site, const struct inventory_table *table)
{
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + sizeof "stats/.json"];
    struct counted counted = {material_name(&table->material, name), site->folders};
    snprintf(file, sizeof file, "stats/%s.json", name);
    const int code = put_made(site, file, write_stats, &counted);
    site->kept += code == 0;
    return code == CLTB_E_MISSING ? 0 : code;
}

// ---- tables and their reader ----

static bool is_same_file(const char *a, const char *b)
{
    struct os_identity first;
    struct os_identity second;
    return os_identify(a, &first) == 0 && os_identify(b, &second) == 0 && first.volume == second.volume &&
           first.number == second.number;
}

static int put_table(struct site *site, const struct inventory_table *table)
{
    char name[MATERIAL_NAME_MAX + sizeof "tables/.cltb"];
    char path[PATH_MAX];
    FILE *file;
    if (site->is_inside) {
        begin_element(site, table->file);
        putc('"', site->inside);
        const int code = copy(table->path, site->inside, true);
        putc('"', site->inside);
        return code;
    }
    snprintf(name, sizeof name, "tables/%s", table->file);
    TRY(folder_path(path, sizeof path, site->to, "%s", name));
    if (is_same_file(path, table->path)) // the site was made from its own tables
        return 0;
    TRY(begin_file(site, name, path, &file));
    const int code = copy(table->path, file, false);
    const int ended = end_file(file, path);
    return code != 0 ? code : ended;
}

// Is this WebAssembly?
static int check_reader(const char *path)
{
    char magic[4] = "";
    FILE *file = os_read_stream(path);
    if (file == NULL)
        return error_errno(errno == ENOENT ? CLTB_E_MISSING : CLTB_E_IO, errno, "cannot open %s", path);
    const size_t got = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return got == sizeof magic && memcmp(magic, "\0asm", sizeof magic) == 0
               ? 0
               : error_set(CLTB_E_FOREIGN, "%s is not a cltb.wasm", path);
}

static int check_readers(const struct site *site)
{
    if (site->reader != NULL)
        return check_reader(site->reader);
#ifdef CLTB_HAVE_READER
    return 0;
#else
    return error_set(CLTB_E_USAGE,
                     "this cltb was built without cltb.wasm, the reader of tables; --reader FILE names one "
                     "(from a release's npm package, or from tools/wasm.sh)");
#endif
}

static int put_reader(const struct site *site)
{
    char path[PATH_MAX];
    FILE *file = site->inside;
    int code = 0;
    if (!site->is_inside)
        TRY(begin_file(site, "cltb.wasm", path, &file));
    if (site->reader != NULL)
        code = copy(site->reader, file, site->is_inside);
#ifdef CLTB_HAVE_READER
    else if (site->is_inside)
        write_base64(file, (const uint8_t *)reader_files[0].bytes, reader_files[0].size);
    else
        fwrite(reader_files[0].bytes, 1, reader_files[0].size, file);
#endif
    const int ended = site->is_inside ? 0 : end_file(file, path);
    return code != 0 ? code : ended;
}

// ---- all of it ----

// Hides what the site does not have.
static size_t choose_tables(const struct site *site, struct inventory *inventory, uint64_t *bytes)
{
    size_t chosen = 0;
    for (size_t i = 0; i < inventory->tables; i++) {
        struct inventory_table *table = &inventory->table[i];
        table->hidden |= table->kind != INVENTORY_FULL || table->men > (int)site->men;
        const bool has = listing_has(table);
        chosen += has;
        *bytes += has ? table->bytes : 0;
    }
    return chosen;
}

static int each_table(struct site *site, const struct inventory *inventory,
                      int (*put_one)(struct site *site, const struct inventory_table *table))
{
    for (size_t i = 0; i < inventory->tables; i++)
        if (listing_has(&inventory->table[i]))
            TRY(put_one(site, &inventory->table[i]));
    return 0;
}

static int put_answers(struct site *site, const struct inventory *inventory)
{
    struct listed listed = {.inventory = inventory};
    TRY(cltb_open(&listed.tables, site->folders, NULL));
    int code = put_made(site, "about.json", write_about, NULL);
    THEN(code, put_made(site, "endgames.json", write_list, &listed));
    THEN(code, each_table(site, inventory, put_stats));
    cltb_close(listed.tables);
    return code;
}

// Everything into inside.js.
static int put_inside(struct site *site, const struct inventory *inventory)
{
    char path[PATH_MAX];
    TRY(begin_file(site, "inside.js", path, &site->inside));
    fputs("globalThis.cltbInside = {\"files\": {", site->inside);
    int code = put_pages(site);
    THEN(code, put_answers(site, inventory));
    fputs("},\n\"wasm\": \"", site->inside);
    THEN(code, put_reader(site));
    fputs("\",\n\"tables\": {", site->inside);
    site->more = false;
    THEN(code, each_table(site, inventory, put_table));
    fputs("}}\n", site->inside);
    const int ended = end_file(site->inside, path);
    return code != 0 ? code : ended;
}

static int put_files(struct site *site, const struct inventory *inventory)
{
    char path[PATH_MAX];
    static const char *const parts[] = {"tables", "stats"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        TRY(folder_path(path, sizeof path, site->to, "%s", parts[i]));
        TRY(folder_make_path(path));
    }
    TRY(put_pages(site));
    TRY(put_answers(site, inventory));
    TRY(put_reader(site));
    return each_table(site, inventory, put_table);
}

static int make_site(struct site *site)
{
    struct inventory *inventory;
    uint64_t bytes = 0;
    TRY(check_readers(site));
    TRY(inventory_make(&inventory, site->folders));
    const size_t tables = choose_tables(site, inventory, &bytes);
    int code = tables > 0 ? 0 : error_set(CLTB_E_MISSING, "no tables in '%s'", site->folders);
    THEN(code, folder_make_path(site->to));
    THEN(code, (site->is_inside ? put_inside : put_files)(site, inventory));
    inventory_free(inventory);
    if (code != 0)
        return code;
    printf("%s: %zu table%s of %s", site->to, tables, tables == 1 ? "" : "s", unit_bytes(bytes).text);
    if (site->kept < tables)
        printf(" (%zu without statistics)", tables - (size_t)site->kept);
    printf(site->is_inside ? "; open index.html there in a browser\n"
                           : "; any static file server that answers range requests, such as nginx, can serve it\n");
    return 0;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    struct site site = {.men = MATERIAL_MEN_MAX};
    const struct option options[] = {
        {.name = "--to", .kind = OPTION_FOLDER, .value = &site.to},
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--men", .kind = OPTION_NUMBER, .value = &site.men, .least = 3, .most = MATERIAL_MEN_MAX},
        {.name = "--inside", .kind = OPTION_FLAG, .value = &site.is_inside},
        {.name = "--reader", .kind = OPTION_FILE, .value = &site.reader},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "site", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("site", "takes no arguments: the folder of the site is given by --to");
    if (site.to == NULL)
        return usage_fault("site", "--to DIR is missing");
    site.folders = tables_dir(dir);
    const int code = make_site(&site);
    return code != 0 ? report("site", code) : EXIT_DONE;
}

const struct command site_command = {"site", run, "writes pages and tables for static file servers"};
