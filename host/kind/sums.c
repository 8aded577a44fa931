// sums.c - SHA-256 sums of the files of tables, written as sha256sum does
//
// A line is 64 hexadecimal digits, two blanks, and the file's name. If the name has a backslash or the end of a line,
// these are written \\, \n and \r, and the whole line begins with a backslash.
#include "kind/sums.h"

#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef CLTB_HAVE_LIBMD
#include <sha2.h>

_Static_assert(SUM_TEXT == SHA256_DIGEST_STRING_LENGTH, "a sum in hexadecimal digits");

int sum_of_file(const char *path, char text[SUM_TEXT])
{
    enum { CHUNK = 1 << 18 };
    SHA2_CTX context;
    struct stat status;
    const int file = os_open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return errno == ENXIO ? error_set(CLTB_E_IO, "%s is not a file", path) // a socket
                              : error_errno(CLTB_E_IO, errno, "cannot open %s", path);
    uint8_t *chunk;
    int code = memory_new(&chunk, CHUNK, 1, "reading a table");
    if (code == 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)))
        code = error_set(CLTB_E_IO, "%s is not a file", path);
    SHA256Init(&context);
    size_t got = CHUNK;
    uint64_t bytes = 0;
    for (; code == 0 && got == CHUNK; bytes += got) {
        code = file_read(file, path, chunk, CHUNK, bytes, &got);
        if (code == 0)
            SHA256Update(&context, chunk, got);
    }
    if (code == 0 && bytes != (uint64_t)status.st_size)
        code = error_set(CLTB_E_IO, "%s changed while it was read", path);
    SHA256End(&context, text);
    free(chunk);
    close(file);
    return code;
}

#else
int sum_of_file(const char *path, char text[SUM_TEXT])
{
    (void)path, (void)text;
    return error_set(CLTB_E_IO, "this cltb was built without libmd, which makes SHA-256 sums");
}
#endif

static int work_out(void *context, uint64_t item, int worker)
{
    const struct sums *sums = context;
    struct sum *sum = &sums->sum[item];
    (void)worker;
    if (sums->only_listed && !sum->listed)
        return 0;
    const int code = sum_of_file(sum->table->path, sum->text);
    if (code == 0)
        return 0;
    sum->text[0] = '\0';
    sum->fault = code != CLTB_E_MEMORY ? strdup(error_text()) : NULL;
    return sum->fault != NULL ? 0 : code;
}

int sums_work_out(struct sums *sums, struct thread_pool *pool)
{
    return threads_each(pool, sums->count, work_out, sums);
}

int sums_open(struct sums *sums, const char *folders)
{
    *sums = (struct sums){.count = 0};
    TRY(inventory_make(&sums->inventory, folders));
    const struct inventory *inventory = sums->inventory;
    TRY(memory_new(&sums->sum, inventory->tables + 1, sizeof *sums->sum, "a list of sums"));
    for (size_t i = 0; i < inventory->tables; i++)
        if (!inventory->table[i].hidden && inventory->table[i].kind != INVENTORY_SYZYGY)
            sums->sum[sums->count++].table = &inventory->table[i];
    return 0;
}

void sums_close(struct sums *sums)
{
    for (size_t i = 0; i < sums->count; i++)
        free(sums->sum[i].fault);
    free(sums->sum);
    inventory_free(sums->inventory);
}

static void write_line(FILE *file, const struct sum *sum)
{
    const char *name = sum->table->file;
    fprintf(file, "%s%s  ", strpbrk(name, "\\\n\r") != NULL ? "\\" : "", sum->text);
    for (; *name != '\0'; name++) {
        if (*name == '\\' || *name == '\n' || *name == '\r')
            fputc('\\', file);
        fputc(*name == '\n' ? 'n' : *name == '\r' ? 'r' : *name, file);
    }
    fputc('\n', file);
}

int sums_write(FILE *file, const char *folders, struct thread_pool *pool)
{
    struct sums sums;
    int code = sums_open(&sums, folders);
    THEN(code, sums_work_out(&sums, pool));
    for (size_t i = 0; code == 0 && i < sums.count; i++) {
        if (sums.sum[i].fault != NULL)
            code = error_set(CLTB_E_IO, "%s", sums.sum[i].fault);
        else
            write_line(file, &sums.sum[i]);
    }
    sums_close(&sums);
    return code;
}
