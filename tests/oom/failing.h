/* Memory that runs short on request. The test is linked so that the library's calls of malloc and its kin,
 * and those of the libraries that are linked into it statically, arrive here first (ld's --wrap). */
#ifndef HR_TESTS_OOM_FAILING_H
#define HR_TESTS_OOM_FAILING_H

#include <stdbool.h>

/* After `after` more allocations one fails; with `lasting`, all that follow fail too. */
void failing_start(long after, bool lasting);

/* Memory is plenty again. Returns whether any allocation failed since failing_start. */
bool failing_stop(void);

#endif
