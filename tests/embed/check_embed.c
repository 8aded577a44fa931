// check_embed.c - checks that cmake/EmbedKernels.cmake embeds texts byte for byte
//
//     check_embed FILE...
//
// The FILEs must be exactly the embedded texts, in the same order.
#include "solve/opencl/kernel_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check(const struct kernel_source *source, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(source->name, slash != NULL ? slash + 1 : path) != 0) {
        fprintf(stderr, "%s is built in where %s was expected\n", source->name, path);
        return 1;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    const size_t length = strlen(source->text);
    char *bytes = malloc(length + 1); // one byte more, to notice a longer file
    const size_t got = bytes == NULL ? 0 : fread(bytes, 1, length + 1, file);
    const int right = got == length && memcmp(bytes, source->text, length) == 0;
    fclose(file);
    free(bytes);
    if (!right) {
        fprintf(stderr, "%s: the text built in (%zu bytes) differs\n", path, length);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t files = (size_t)argc - 1;
    if (files != cltb_kernel_source_count || cltb_kernel_sources[files].name || cltb_kernel_sources[files].text) {
        fprintf(stderr, "%zu texts built in, %zu files\n", cltb_kernel_source_count, files);
        return 1;
    }
    int failed = 0;
    for (size_t i = 0; i < files; i++)
        failed |= check(&cltb_kernel_sources[i], argv[i + 1]);
    if (!failed)
        printf("%zu texts are built in byte for byte\n", files);
    return failed;
}
