/* A job of every protocol over the harness, and when it goes on without an owner that is silent. */
#ifndef HR_TESTS_SUPPORT_SILENT_OWNER_H
#define HR_TESTS_SUPPORT_SILENT_OWNER_H

#include "support/party_harness.h"

enum { SILENT = 2, SILENT_ROWS = 8 };

typedef struct silent_row {
    hr_job_file job;
    int deadlines;       /* after so many of them the job goes on without the silent owner */
    const char *without; /* what is logged then */
} silent_row;

void silent_rows(silent_row rows[SILENT_ROWS]);

/* All parties are started. `deadline` is in ms. */
void silent_row_open(harness *l, const silent_row *row, int64_t deadline);

/* As long as anybody has something to do. */
void harness_settle(harness *l);

#endif
