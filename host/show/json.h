// json.h - a JSON value, written to a stream as it comes
//
//     struct json json = {.depth = 0};
//     json_open(&json, NULL, '{');
//     json_text(&json, "name", "KQvK");            {"name": "KQvK",
//     json_open(&json, "plies", '[');               "plies": [
//     json_int(&json, NULL, 3);                        3]}
//     json_close(&json);
//     json_close(&json);
//
// The key of an element is NULL in a list. Each element of an outermost list begins a line. A line feed follows the
// end.
#ifndef CLTB_SHOW_JSON_H
#define CLTB_SHOW_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 8 };

struct json {
    FILE *file;               // NULL: standard output
    int depth;                // open objects and lists
    char end[JSON_DEPTH_MAX]; // their closing brackets
    bool more;                // the innermost one already has an element: a comma comes next
};

// Opens an object '{' or a list '['; closes the innermost one.
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json);

// Escapes characters that JSON does not allow in a text. Replaces bytes that are not UTF-8.
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t number);
void json_int(struct json *json, const char *key, int number);
void json_real(struct json *json, const char *key, int decimals, double number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_int_if(struct json *json, const char *key, bool known, int number); // null if it is not known

#endif
