// main.c - dispatches to the commands, one file each
#include "cli/command.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "cltb: no command given (see: cltb help)\n");
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0) {
        printf("cltb %s\n", CLTB_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = command_find(name);
    if (command == NULL) {
        fault_line("cltb: unknown command '%.40s' (see: cltb help)", name);
        return EXIT_USAGE;
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            command_help(command);
            return EXIT_DONE;
        }
    }
    return command->run(argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
#ifdef __GLIBC__
    // Arrays of megabytes come and go while slices are solved: memory that is freed stays with the process, because
    // first touches of new pages cost more than the arithmetic on them.
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    const int status = dispatch(argc, argv);
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return status;
    // Output that could not be written (a full disk, a closed pipe) is a failure, whatever the command thought.
    fprintf(stderr, "cltb: cannot write to standard output\n");
    return status == EXIT_DONE ? EXIT_FAILED : status;
}
