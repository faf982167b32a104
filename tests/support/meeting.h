/* The files of a federation of a coordinator and two owners, in a temporary folder that the test works in:
 * jobs run from them with hr_meet. */
#ifndef HR_TESTS_SUPPORT_MEETING_H
#define HR_TESTS_SUPPORT_MEETING_H

#include "support/temp_dir.h"

#include <hedgerow/federation.h>

enum { MEETING_OWNERS = 2 };

extern const char *const meeting_owners[];

/* Set-up and tear-down of cmocka. */
int meeting_open(void **state);
int meeting_close(void **state);

void meeting_write(const char *path, const char *text);
/* NAME.csv of each owner, and schema.yaml. */
void meeting_records(void);
/* The folder fed, job.yaml, and of each owner NAME.yaml and a ledger of this limit. */
void meeting_federation(double epsilon);

#endif
