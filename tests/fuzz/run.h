// run.h - what every fuzzer needs: checks, inputs in memory, and a driver without a fuzzing library
//
// A fuzzer has LLVMFuzzerTestOneInput(), and a main() unless it is compiled with FUZZ_LIBFUZZER:
//
//     fuzz_x [SECONDS [SEED]]        3 seconds and seed 0 if not given
//
// makes inputs by a fixed pseudo-random sequence, so a failure can be repeated.
#ifndef CLTB_TESTS_FUZZ_RUN_H
#define CLTB_TESTS_FUZZ_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// gcc and clang have different ways to say that the address sanitizer is in use.
#ifdef __SANITIZE_ADDRESS__
#define FUZZ_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_SANITIZED
#endif
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Unless `truth`, aborts with what is wrong and the last error, or with the text that it is wrong with.
void require(bool truth, const char *what);
void require_of(bool truth, const char *what, const char *text);

// A NUL-terminated copy in a block of exactly its size, so that a sanitizer sees any read after the NUL; free() it.
char *text_copy(const uint8_t *data, size_t size);

// The path of a file in memory with these bytes; always the same file.
const char *file_in_memory(const uint8_t *data, size_t size);

// A whole file, which must have fewer than `space` bytes. Returns their number.
size_t file_bytes(const char *path, uint8_t *bytes, size_t space);

// Makes the checksum of a container's head right again, if the head has a possible length.
void mend_head(uint8_t *file, size_t size);

// ---- without a fuzzing library ----

uint64_t random_number(void);
uint32_t below(uint64_t n); // 0..n-1

// Calls run_one() until the time is up. The result of main().
int fuzz_run(int argc, char **argv, void (*run_one)(void));

// The same with mutants of some texts.
struct fuzz_texts {
    const char *const *seeds;
    size_t count;
    size_t keep;        // so many characters at the beginning never change
    const char *likely; // characters to put in
};
int fuzz_run_texts(int argc, char **argv, const struct fuzz_texts *texts);

#endif
