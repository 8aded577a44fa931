// json.h - text as a JSON string
#ifndef CLTB_CLI_JSON_H
#define CLTB_CLI_JSON_H

// Prints the text in quotes on standard output, with what JSON does not allow escaped. Bytes that are not UTF-8 are
// replaced.
void json_string(const char *text);

#endif
