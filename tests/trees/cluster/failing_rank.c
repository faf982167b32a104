/* A rank whose memory is short once it has its records, or that has lost their exposures before: it reads its
 * part as `hedgerow train` does, and answers nothing. usage: failing_rank SCHEMA DATA [exposures], as a rank
 * beside rank 0 */
#include "base/fail.h"
#include "tables/data/records.h"
#include "trees/records/local_source.h"

#include <hedgerow/hedgerow.h>

#include <stdlib.h>

hr_status __wrap_hr_local_stats_source_new(const hr_local_stats_records *records, hr_stats_source **out,
                                           hr_error *err);

hr_status __wrap_hr_local_stats_source_new(const hr_local_stats_records *records, hr_stats_source **out,
                                           hr_error *err) {
    (void)records, (void)out;
    return hr_fail_memory(err);
}

int main(int argc, char **argv) {
    hr_cluster *cluster = NULL;
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_error err = {0};
    if (argc < 3 || hr_cluster_open(&cluster, &err)) return 1;
    const hr_cluster_table table = {(const char *const *)argv + 2, 1, NULL};
    hr_status status = hr_cluster_agree(cluster, HR_OK, &err);
    if (!status) status = hr_cluster_agree(cluster, hr_schema_read(argv[1], &schema, &err), &err);
    if (!status) status = hr_cluster_read(cluster, schema, &table, &data, &err);
    if (!status && argc > 3) {
        free(data->exposures);
        data->exposures = NULL;
    }
    if (!status) (void)!hr_cluster_serve(cluster, data, 1, &err);
    hr_data_free(data);
    hr_schema_free(schema);
    hr_cluster_close(cluster);
    return status != HR_OK;
}
