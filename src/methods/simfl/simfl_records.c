#include "methods/simfl/simfl_records.h"

#include "base/fail.h"
#include "trees/records/local_source.h"

#include <stdlib.h>
#include <string.h>

struct hr_simfl_records {
    hr_local_stats_records local;
    hr_stats_source *source;
    const uint32_t *rows; /* of every owner */
    size_t owners;
    uint32_t **similar; /* S: similar[m][q] is the record of owner m that is most like record q; NULL: not
                           matched */
    int64_t *packed;    /* room for the gradients of all own records */
};

hr_status hr_simfl_records_new(const hr_data *data, const uint32_t *rows, size_t owners, int threads,
                               hr_simfl_records **out, hr_error *err) {
    hr_simfl_records *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    r->local = (hr_local_stats_records){.data = data, .threads = threads};
    r->rows = rows;
    r->owners = owners;
    r->similar = calloc(owners, sizeof *r->similar);
    r->packed = malloc((hr_data_rows(data) + 1) * sizeof *r->packed);
    hr_status status = r->similar && r->packed ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_local_stats_source_new(&r->local, &r->source, err);
    if (status) {
        hr_simfl_records_free(r);
        return status;
    }
    *out = r;
    return HR_OK;
}

void hr_simfl_records_free(hr_simfl_records *r) {
    if (!r) return;
    for (size_t m = 0; r->similar && m < r->owners; m++) free(r->similar[m]);
    free(r->similar);
    free(r->packed);
    hr_stats_free(r->source);
    free(r);
}

hr_stats_source *hr_simfl_records_source(hr_simfl_records *r) {
    return r->source;
}

hr_status hr_simfl_records_match(hr_simfl_records *r, size_t other, const uint32_t *similar, hr_error *err) {
    size_t bytes = hr_data_rows(r->local.data) * sizeof *similar;
    if (!r->similar[other]) r->similar[other] = malloc(bytes + 1);
    if (!r->similar[other]) return hr_fail_memory(err);
    memcpy(r->similar[other], similar, bytes);
    return HR_OK;
}

hr_status hr_simfl_records_gradients(hr_simfl_records *r, size_t other, const hr_stats_round *round,
                                     hr_exact *gradients, hr_exact *weights, hr_error *err) {
    memset(gradients, 0, r->rows[other] * sizeof *gradients);
    memset(weights, 0, r->rows[other] * sizeof *weights);
    hr_status status = hr_local_stats_source_gradients(r->source, round, r->packed, err);
    if (status) return status;
    for (size_t q = 0; q < hr_data_rows(r->local.data); q++) {
        hr_sums own = hr_unpack(&round->packing, r->packed[q]);
        uint32_t s = r->similar[other][q];
        gradients[s].unpaid += own.gradient.unpaid;
        weights[s].unpaid += own.weight.unpaid; /* the paper's line 6 adds h to G instead: a misprint */
    }
    return HR_OK;
}

hr_status hr_simfl_records_add_tree(hr_simfl_records *r, const hr_tree *tree, hr_error *err) {
    return hr_local_stats_source_add_other(r->source, tree, err);
}
