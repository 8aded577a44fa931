// dobutsu_golden.c - tests: the lines of the golden files in tests/data/dobutsu
#include "support/dobutsu_golden.h"

void golden_open(struct golden *g, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "dobutsu/%s", name);
    g->file = fopen(data_path(path), "r");
    if (g->file == NULL || fgets(g->line, sizeof g->line, g->file) == NULL)
        fail_msg("%s cannot be read", data_path(path));
}

bool golden_next(struct golden *g)
{
    do {
        if (fgets(g->line, sizeof g->line, g->file) == NULL) {
            fclose(g->file);
            return false;
        }
    } while (g->line[0] == '#');
    char *rest = g->line;
    for (int i = 0; i < GOLDEN_FIELDS; i++)
        g->field[i] = rest != NULL ? strsep(&rest, "\t\n") : NULL;
    return true;
}

uint32_t golden_number(const struct golden *g, int field)
{
    char *end;
    const unsigned long number = strtoul(g->field[field], &end, 10);
    assert_true(end != g->field[field] && *end == '\0');
    return (uint32_t)number;
}

int golden_moves(const struct golden *g, struct golden_move moves[DOBUTSU_MOVES_MAX])
{
    const char *text = g->field[GOLDEN_MOVES];
    int count = 0;
    if (strcmp(text, "-") == 0 || strcmp(text, "none") == 0)
        return text[0] == '-' ? -1 : 0;
    while (*text != '\0') {
        struct golden_move *move = &moves[count++];
        char byte[8];
        char code[16];
        int length = 0;
        assert_int_equal(sscanf(text, "%7[^:]:%7[^:]:%15[^ ]%n", move->name, byte, code, &length), 3);
        move->wins = byte[0] == '#';
        move->byte = move->wins ? -1 : (int)strtol(byte, NULL, 10);
        move->has_code = code[0] != '-';
        move->code = move->has_code ? (uint32_t)strtoul(code, NULL, 10) : 0;
        text += length + (text[length] == ' ');
    }
    return count;
}

struct dobutsu position_of(const char *text)
{
    struct dobutsu p;
    if (dobutsu_read(&p, text) != 0)
        fail_msg("%s: %s", text, error_text());
    return p;
}

struct dobutsu_move move_of(const struct dobutsu *p, const char *name)
{
    struct dobutsu_move move;
    if (dobutsu_move_read(p, name, &move) != 0)
        fail_msg("%s: %s", name, error_text());
    return move;
}
