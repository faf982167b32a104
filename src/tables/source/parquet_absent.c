/* In place of the module, in a build without it. */
#include "base/fail.h"
#include "tables/source/parquet.h"

hr_status hr_parquet_load(const hr_parquet_module **out, hr_error *err) {
    (void)out;
    return hr_fail(err, HR_E_ABSENT,
                   "convert it: python3 -c \"import pandas; pandas.read_parquet('FILE').to_csv('FILE.csv', "
                   "index=False)\"; or build Hedgerow with Arrow's C++ library and -Dparquet=enabled",
                   "this build of Hedgerow cannot read Parquet files");
}
