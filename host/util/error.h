// error.h - one thread-local sentence that says what failed, where, and what to do
//
// Functions of this project return 0 or a negative `enum cltb_status` (see <cltb/cltb.h>). The function that first
// notices a fault calls error_set() with the context (file, offset, material, OpenCL status by name); its callers
// return the code. Only the command prints the sentence.
#ifndef CLTB_UTIL_ERROR_H
#define CLTB_UTIL_ERROR_H

#include <cltb/cltb.h>

#include <stdio.h>

#ifdef __MINGW_PRINTF_FORMAT // mingw-w64's own printf(), which is C11's
#define CLTB_PRINTF(fmt, args) __attribute__((format(__MINGW_PRINTF_FORMAT, fmt, args)))
#elif defined(__GNUC__)
#define CLTB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CLTB_PRINTF(fmt, args)
#endif

// Sets this thread's sentence and returns `code`, so that one can write `return error_set(...)`.
int error_set(int code, const char *fmt, ...) CLTB_PRINTF(2, 3);

// Puts "prefix: " before the current sentence (context from a caller) and returns `code`.
int error_prefix(int code, const char *fmt, ...) CLTB_PRINTF(2, 3);

// Appends some words to the current sentence and returns `code`.
int error_append(int code, const char *fmt, ...) CLTB_PRINTF(2, 3);

// As error_set(), with ": " and the text of `errnum` (an errno value) appended.
int error_errno(int code, int errnum, const char *fmt, ...) CLTB_PRINTF(3, 4);

// Out of memory: names the number of bytes and their purpose. The code is visible here, so that compilers and analysers
// know that it is not 0.
static inline int error_memory(size_t bytes, const char *what)
{
    error_set(CLTB_E_MEMORY, "out of memory: %zu bytes for %s", bytes, what);
    return CLTB_E_MEMORY;
}

// 0, or CLTB_E_USAGE if one of these pointers, a public function's arguments, is NULL.
int error_null(const void *a, const void *b, const void *c);

// Returns the code of a call that fails. Only for functions that then have nothing to free.
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int try_code = (call);                                                                                         \
        if (try_code != 0)                                                                                             \
            return try_code;                                                                                           \
    } while (0)

// The next call of a function that has something to free: it is made unless one before it has failed, and gives `code`.
#define THEN(code, call)                                                                                               \
    do {                                                                                                               \
        if ((code) == 0)                                                                                               \
            (code) = (call);                                                                                           \
    } while (0)

// This thread's last sentence; never NULL.
const char *error_text(void);

// A name or a text of a stranger could steer the terminal that it is printed on. The first replaces control characters
// by '?', as in every sentence, and returns the text; the second prints at most `length` bytes in this way.
char *text_clean(char *text);
void text_print(FILE *stream, const char *text, int length);

// A character as a sentence shows it: the character in quotes, or its code.
struct shown {
    char text[16];
};
struct shown show(char c);

#endif
