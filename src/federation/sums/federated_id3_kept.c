#include "federation/sums/federated_id3_kept.h"

#include "base/fail.h"
#include "federation/federated/terms.h"
#include "fit/budget.h"
#include "privacy/crypto/csprng.h"
#include "tables/bins/edges.h"
#include "trees/records/local_source.h"

#include <stdlib.h>

void hr_kept_id3_done(hr_kept_id3 *k) {
    hr_gate_free(k->gate);
    hr_csprng_close(k->csprng);
    hr_arena_free(k->arena);
    free(k);
}

void hr_kept_id3_forget(void *kept) {
    if (kept) ((hr_kept_id3 *)kept)->forget(kept);
}

static hr_status open_stream(hr_kept_id3 *k, bool draws, hr_error *err) {
    return draws ? hr_csprng_open(&k->csprng, err) : hr_csprng_open_seeded(0, &k->csprng, err);
}

hr_status hr_kept_id3_init(hr_kept_id3 *k, const hr_party_job *job, bool draws, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_federated_id3_check(job->terms, job->schema, err);
    if (!status) status = hr_options_of_terms(job->terms, 1, &options, err);
    if (!status) status = hr_budget_of(&hr_method_id3, &options, &budget, err);
    if (!status && !(k->arena = hr_arena_new())) status = hr_fail_memory(err);
    if (!status) status = open_stream(k, draws, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, k->csprng, &k->gate, err);
    if (!status) status = hr_edges_public(job->schema, (uint32_t)options.bins, k->arena, &k->binning, err);
    if (status) return status;
    k->terms = hr_federated_id3_terms(job->terms, job->schema, &options, &k->binning);
    k->terms.privacy_measure = budget.privacy_measure;
    k->terms.budget = budget.units;
    return HR_OK;
}

hr_status hr_id3_owner_records(const hr_kept_id3 *k, const hr_owner_turn *t, hr_stats_source **out,
                               hr_error *err) {
    const hr_local_stats_records records = {.data = t->data, .threads = t->threads};
    const hr_stats_setup setup = {.kind = HR_STATS_LABELS, .binning = &k->binning};
    const hr_stats_round round = {.part = 0};
    hr_status status = hr_local_stats_source_new(&records, out, err);
    if (!status) status = (*out)->ops->prepare(*out, &setup, err);
    return status ? status : (*out)->ops->begin(*out, &round, err);
}

void hr_kept_id3_defaults(hr_fit_options *options) {
    if (options->mode == HR_MODE_SOUND) options->delta = 1e-6;
}

hr_status hr_kept_id3_check_schema(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) != HR_TASK_REGRESSION) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "write 'method: hedge'",
                   "id3 supports labels that are classes; this label is a number");
}
