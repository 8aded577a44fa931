// jobs.h - texts that take seconds or minutes to make: statistics of a table, checksums of all
//
// One thread makes them, one after the other and at a low priority, so that requests for positions do not wait for
// them. Texts are kept until the end.
#ifndef CLTB_SERVE_JOBS_H
#define CLTB_SERVE_JOBS_H

#include <stddef.h>

struct jobs;

enum { JOBS_ZUGZWANGS_MAX = 100 }; // mutual zugzwangs of each kind that statistics list

// Starts the thread; `folders` must outlive it. CLTB_E_MEMORY; jobs_close() must follow even then.
int jobs_open(struct jobs **jobs, const char *folders);
void jobs_close(struct jobs *jobs); // Stops the current job. NULL is allowed.

// The statistics (JSON) of the material `name`, in standard spelling. "#" and the number of a set of files: the sums
// of all tables. `*text` is valid until jobs_close(); it is NULL while the text is not finished, and `*share`, 0..1, is
// the finished part. If making it fails, the error is reported once; then it is tried again.
int jobs_text(struct jobs *jobs, const char *name, const char **text, size_t *size, double *share);

#endif
