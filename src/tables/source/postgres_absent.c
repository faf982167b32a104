/* In place of libpq, in a build without it. */
#include "base/fail.h"
#include "tables/source/postgres.h"

hr_status hr_postgres_open(const char *address, const hr_query *query, hr_byte_stream **out, hr_error *err) {
    (void)address, (void)query, (void)out;
    return hr_fail(
        err, HR_E_ABSENT,
        "install libpq-dev and build Hedgerow with -Dpostgresql=enabled, or export the table as CSV",
        "this build of Hedgerow cannot read PostgreSQL databases");
}
