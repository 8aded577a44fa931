// memory.c - large zeroed arrays on huge pages
#include "util/memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *memory_map(size_t bytes)
{
    size_t slack = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
    if (bytes == 0 || bytes > SIZE_MAX - slack)
        return NULL;
    char *start = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return start;
    // Cut the mapping down to an aligned part: whole pages before and behind go back.
    size_t before = (HUGE_PAGE - ((uintptr_t)start & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
    size_t kept = (bytes + 4095) & ~(size_t)4095;
    if (before > 0)
        munmap(start, before);
    if (slack - before > kept - bytes)
        munmap(start + before + kept, slack - before - (kept - bytes));
#ifdef MADV_HUGEPAGE
    madvise(start + before, bytes, MADV_HUGEPAGE);
#endif
    return start + before;
}

void memory_unmap(void *start, size_t bytes)
{
    if (start != NULL)
        munmap(start, bytes);
}

size_t memory_peak(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (size_t)usage.ru_maxrss * 1024;
}
