/* Memory that runs short on request. The test is linked so that the library's calls of malloc and its kin,
 * and those of the libraries that are linked into it statically, arrive here first (ld's --wrap). */
#ifndef HR_TESTS_OOM_FAILING_H
#define HR_TESTS_OOM_FAILING_H

#include <hedgerow/data.h>
#include <stdbool.h>

/* After `after` more allocations one fails; with `lasting`, all that follow fail too. */
void failing_start(long after, bool lasting);

/* Memory is plenty again. Returns whether any allocation failed since failing_start. */
bool failing_stop(void);

/* What the scenarios of a test start from; made while memory is plenty. Each test defines its own. */
typedef struct world world;
typedef hr_status scenario(world *w, hr_error *err);

/* Runs the scenario again and again while its allocation number 0, 1, 2, ... fails, once alone and once with
 * all that follow, until it gets through without having met a failure; after each run, `check` if there is
 * one. A run says HR_E_MEMORY, or `other`, if an allocation failed. HR_OK as `other`: SQLite gets through
 * where it can do without, and so do tables whose columns cannot be cut to size at the end. */
void exhaust(world *w, scenario *run, hr_status other, void (*check)(world *w, hr_status status));

/* An output that must stay as it is on failure. */
extern char untouched;
#define UNTOUCHED ((void *)&untouched)

/* Memory is plenty again, and `out` is UNTOUCHED if and only if the call failed. */
void check_output(hr_status status, const void *out);

/* The same of a table, which has so many rows and is freed. Returns the status. */
hr_status finish_data(hr_status status, hr_data *data, size_t rows);

#endif
