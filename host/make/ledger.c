// ledger.c - tables that a build with a limit of disk has made: the file tables.tsv in their folder
//
// A row is good if writing what was read from it gives the same bytes, its sum included.
#include "make/ledger.h"

#include "util/error.h"
#include "util/file.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ROW_MAX = 1024, FIELDS = 6 + 2 * (5 + 4) + 2 };

static const char header[] =
    "table\tmetric\tbytes\tsha256\tseconds\tmemory"
    "\twhite_wins\twhite_cursed_wins\twhite_draws\twhite_blessed_losses\twhite_losses"
    "\twhite_longest_win\twhite_longest_cursed_win\twhite_longest_blessed_loss\twhite_longest_loss"
    "\tblack_wins\tblack_cursed_wins\tblack_draws\tblack_blessed_losses\tblack_losses"
    "\tblack_longest_win\tblack_longest_cursed_win\tblack_longest_blessed_loss\tblack_longest_loss"
    "\tshipped\txxh64\n";

// ---- a row ----

struct text {
    char bytes[ROW_MAX];
    size_t size;
};

static CLTB_PRINTF(2, 3) void put(struct text *text, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int length = vsnprintf(text->bytes + text->size, ROW_MAX - text->size, fmt, args);
    va_end(args);
    text->size += length > 0 && (size_t)length < ROW_MAX - text->size ? (size_t)length : 0;
}

static void write_row(struct text *text, const struct ledger_row *row)
{
    char name[MATERIAL_NAME_MAX];
    text->size = 0;
    put(text, "%s\t%s\t%" PRIu64 "\t%s\t", material_name(&row->material, name), metric_names[row->material.metric],
        row->bytes, row->sum);
    if (row->seconds < 0)
        put(text, "-");
    else
        put(text, "%.2f", row->seconds);
    put(text, "\t%" PRIu64, row->memory);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES; slot-- > 0;)
            put(text, "\t%" PRIu64, row->positions[side][slot]);
        for (int slot = TABLE_OUTCOMES; slot-- > 0;) {
            if (slot != CLTB_DRAW + 2 && row->longest[side][slot] < 0)
                put(text, "\t-");
            else if (slot != CLTB_DRAW + 2)
                put(text, "\t%d", row->longest[side][slot]);
        }
    }
    put(text, "\t%s", row->shipped ? "yes" : "no");
    put(text, "\t%016" PRIx64 "\n", (uint64_t)XXH64(text->bytes, text->size, 0));
}

// `line`: with its end, if it has one.
static bool read_row(struct ledger_row *row, const char *line, size_t length)
{
    char copy[ROW_MAX] = "";
    char *field[FIELDS] = {NULL};
    char *at = copy;
    struct text again;
    length -= length > 0 && line[length - 1] == '\n';
    if (length >= sizeof copy)
        return false;
    memcpy(copy, line, length);
    for (int i = 0; i < FIELDS; i++) {
        field[i] = at;
        at += strcspn(at, "\t");
        if (*at == '\0' && i + 1 < FIELDS)
            return false;
        *at++ = '\0';
    }
    *row = (struct ledger_row){.bytes = strtoull(field[2], NULL, 10), .memory = strtoull(field[5], NULL, 10)};
    if (!material_of_file(&row->material, field[0], ""))
        return false;
    snprintf(row->sum, sizeof row->sum, "%s", field[3]);
    row->seconds = field[4][0] == '-' ? -1 : strtod(field[4], NULL);
    char **next = &field[6];
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES; slot-- > 0;)
            row->positions[side][slot] = strtoull(*next++, NULL, 10);
        for (int slot = TABLE_OUTCOMES; slot-- > 0;) {
            const char *plies = slot != CLTB_DRAW + 2 ? *next++ : "-";
            row->longest[side][slot] = plies[0] == '-' ? -1 : atoi(plies);
        }
    }
    row->shipped = strcmp(*next, "yes") == 0;
    write_row(&again, row);
    return again.size == length + 1 && memcmp(again.bytes, line, length) == 0;
}

// ---- the file ----

static int keep_row(struct ledger *ledger, const struct ledger_row *row)
{
    TRY(memory_grow(&ledger->row, &ledger->room, ledger->rows + 1, sizeof *ledger->row, "a list of tables"));
    ledger->row[ledger->rows++] = *row;
    return 0;
}

static int read_lines(struct ledger *ledger, const char *text, size_t size)
{
    for (size_t number = 1; size > 0; number++) {
        const char *end = memchr(text, '\n', size);
        const size_t length = end != NULL ? (size_t)(end + 1 - text) : size;
        const bool names = length == sizeof header - 1 && memcmp(text, header, length) == 0;
        struct ledger_row row;
        if (!names && read_row(&row, text, length)) {
            TRY(keep_row(ledger, &row));
        } else if (!names && text[0] != '\n') {
            ledger->first_fault = ledger->faults++ == 0 ? number : ledger->first_fault;
        }
        text += length;
        size -= length;
    }
    return 0;
}

const char *ledger_name(const struct build_options *options)
{
    return options->syzygy != NULL ? "syzygy.tsv" : "tables.tsv";
}

int ledger_read(struct ledger *ledger, const struct build_options *options)
{
    struct stat status;
    char *text;
    *ledger = (struct ledger){.rows = 0};
    TRY(folder_path(ledger->path, sizeof ledger->path, options->dir, "%s", ledger_name(options)));
    const int file = os_open(ledger->path, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : error_errno(CLTB_E_IO, errno, "cannot open %s", ledger->path);
    const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    int code = regular ? 0 : error_set(CLTB_E_IO, "%s is not a file", ledger->path);
    THEN(code, memory_new(&text, (size_t)status.st_size + 1, 1, "a list of tables"));
    if (code == 0) {
        size_t got = 0;
        code = file_read(file, ledger->path, text, (size_t)status.st_size, 0, &got);
        THEN(code, read_lines(ledger, text, got));
        free(text);
    }
    close(file);
    return code;
}

void ledger_free(struct ledger *ledger)
{
    free(ledger->row);
    *ledger = (struct ledger){.rows = 0};
}

const struct ledger_row *ledger_find(const struct ledger *ledger, const struct material *material)
{
    for (size_t i = ledger->rows; i-- > 0;)
        if (material_equal(&ledger->row[i].material, material))
            return &ledger->row[i];
    return NULL;
}

// What is written after a row that was cut begins a new line. What cannot be written whole is taken back.
int ledger_add(struct ledger *ledger, const struct ledger_row *row)
{
    struct text text;
    struct stat status;
    char all[sizeof header + 1 + ROW_MAX];
    char last = '\n';
    int file = -1;
    write_row(&text, row);
    TRY(keep_row(ledger, row));
    TRY(file_open_own(&file, ledger->path, false));
    int code = fstat(file, &status) == 0 ? 0 : error_errno(CLTB_E_IO, errno, "cannot examine %s", ledger->path);
    const uint64_t size = code == 0 ? (uint64_t)status.st_size : 0;
    if (code == 0 && size > 0)
        code = file_read(file, ledger->path, &last, 1, size - 1, NULL);
    const int length = snprintf(all, sizeof all, "%s%.*s",
                                size == 0      ? header
                                : last == '\n' ? ""
                                               : "\n",
                                (int)text.size, text.bytes);
    THEN(code, file_write(file, ledger->path, all, (size_t)length, size));
    if (code == 0 && os_sync(file, true) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write %s", ledger->path);
    if (code == 0 && size == 0 && os_sync_folder(ledger->path) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot make the name of %s durable", ledger->path);
    if (code != 0)
        (void)!ftruncate(file, (off_t)size);
    close(file);
    return code;
}
