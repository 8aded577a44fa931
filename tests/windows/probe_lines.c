// probe_lines.c - probes each FEN of standard input with the library: prints "outcome dtz", or "draw", in a line
//
//     probe_lines FOLDERS
#include <cltb/cltb.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[256];
    cltb_tables *tables;
    if (argc != 2 || cltb_open(&tables, argv[1], NULL) != CLTB_OK)
        return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        cltb_value value;
        line[strcspn(line, "\r\n")] = '\0';
        if (cltb_probe_fen(tables, line, &value) != CLTB_OK) {
            printf("%s\n", cltb_error());
            return 1;
        }
        printf("%s", cltb_outcome_name(value.outcome));
        if (value.outcome != CLTB_DRAW)
            printf(" %d", value.dtz);
        printf("\n");
    }
    cltb_close(tables);
    return 0;
}
