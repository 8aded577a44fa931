// dobutsu_data.h - tests: the lines of the golden files in tests/data/dobutsu
#ifndef CLTB_TESTS_DOBUTSU_DOBUTSU_DATA_H
#define CLTB_TESTS_DOBUTSU_DOBUTSU_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_FIELDS = 8 };

struct golden {
    FILE *file;
    char line[4096];
    char *field[GOLDEN_FIELDS]; // of the present line
    int fields;
};

// Goes to the first line behind the names of the columns.
static inline void golden_open(struct golden *g, const char *name)
{
    char path[600];
    const char *folder = getenv("CLTB_TEST_DATA");
    snprintf(path, sizeof path, "%s/dobutsu/%s", folder == NULL ? "tests/data" : folder, name);
    g->file = fopen(path, "r");
    if (g->file == NULL || fgets(g->line, sizeof g->line, g->file) == NULL)
        fail_msg("%s cannot be read", path);
}

// False, and the file is closed, at its end. Lines that begin with '#' are passed over.
static inline bool golden_next(struct golden *g)
{
    do {
        if (fgets(g->line, sizeof g->line, g->file) == NULL) {
            fclose(g->file);
            return false;
        }
    } while (g->line[0] == '#');
    char *rest = g->line;
    for (g->fields = 0; g->fields < GOLDEN_FIELDS && rest != NULL; g->fields++)
        g->field[g->fields] = strsep(&rest, "\t\n");
    return true;
}

static inline uint32_t golden_number(const struct golden *g, int field)
{
    return (uint32_t)strtoul(g->field[field], NULL, 10);
}

#endif
