// properties.c - the text of a container: one property a line, `key value`
#include "table/properties.h"

#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The beginning of a key's line in the text, or NULL.
static const char *find_line(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        if ((size_t)(end - line) > length && strncmp(line, key, length) == 0 && line[length] == ' ')
            return line;
        line = *end == '\0' ? end : end + 1;
    }
    return NULL;
}

bool property_text(const char *text, const char *key, char *value, size_t size)
{
    const char *line = find_line(text, key);
    const char *rest = line != NULL ? line + strlen(key) + 1 : NULL;
    const size_t length = rest != NULL ? strcspn(rest, "\n") : 0;
    if (rest == NULL || length >= size)
        return false;
    memcpy(value, rest, length);
    value[length] = '\0';
    return true;
}

void property_remove(char *text, const char *key)
{
    const char *line = find_line(text, key);
    if (line == NULL)
        return;
    const char *end = line + strcspn(line, "\n");
    end += *end == '\n';
    memmove(text + (line - text), end, strlen(end) + 1);
}

bool property_number(const char *text, const char *key, uint64_t *number)
{
    char value[20]; // 19 digits always fit into 64 bits
    if (!property_text(text, key, value, sizeof value) || value[0] == '\0' ||
        value[strspn(value, "0123456789")] != '\0')
        return false;
    *number = 0;
    for (const char *digit = value; *digit != '\0'; digit++)
        *number = *number * 10 + (uint64_t)(*digit - '0');
    return true;
}

int property_check_game(const char *text, const char *game, const char *path)
{
    char value[32];
    if (!property_text(text, "game", value, sizeof value) || value[strspn(value, "abcdefghijklmnopqrstuvwxyz")] != '\0')
        return error_set(CLTB_E_CORRUPT, "%s is not a valid table: it does not say of which game", path);
    if (strcmp(value, game) != 0)
        return error_set(CLTB_E_FOREIGN, "%s is a %s table, not %s", path, value, game);
    return 0;
}

int properties_figures(const char *text, const struct container *container, uint64_t positions[2][5], int longest[2][5])
{
    for (int side = 0; side < 2; side++) {
        char value[160];
        uint64_t *n = positions[side];
        int *ply = longest[side];
        if (!property_text(text, side == 0 ? "positions-w" : "positions-b", value, sizeof value) ||
            sscanf(value, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &n[0], &n[1], &n[2], &n[3],
                   &n[4]) != 5)
            return container_invalid(container, "its counts are missing");
        if (!property_text(text, side == 0 ? "longest-w" : "longest-b", value, sizeof value) ||
            sscanf(value, "%d %d %d %d %d", &ply[0], &ply[1], &ply[2], &ply[3], &ply[4]) != 5)
            return container_invalid(container, "its longest distances are missing");
    }
    return 0;
}
