#include "support/silent_owner.h"

#include "support/check.h"

static hr_job_file paper_job(const char *method) {
    const bool is_simfl = strcmp(method, "simfl") == 0;
    hr_job_file job = {.rounds = 1, .options = options_of(method, HR_MODE_PAPER)};
    job.options.epsilon = is_simfl ? 0 : EPSILON;
    job.options.depth = 2;
    if (is_simfl)
        job.options.trees = 4;
    else
        job.options.bins = 4;
    return job;
}

/* A turn of inprivate is skipped after a second deadline: in the first one the owner may lack a tree. */
void silent_rows(silent_row rows[SILENT_ROWS]) {
    const silent_row all[SILENT_ROWS] = {
        {harness_job(1, HR_ORDER_CHAIN, false), 2, "owner owner-2 skipped"},
        {harness_job(1, HR_ORDER_BROADCAST, false), 2, "owner owner-2 skipped"},
        {harness_job_with_votes(HR_ORDER_CHAIN), 2, "owner owner-2 skipped"},
        {harness_hedge_job(), 1, "goes on: owner owner-2"},
        {harness_id3_job(2), 1, "goes on: owner owner-2"},
        {harness_job_of_averages(), 1, "owner owner-2 skipped"},
        {paper_job("id3"), 1, "coordinator: the job ended"},
        {paper_job("simfl"), 1, "coordinator: the job ended"},
    };
    memcpy(rows, all, sizeof all);
}

void silent_row_open(harness *l, const silent_row *row, int64_t deadline) {
    static const char *const methods[] = {"id3", "simfl"}, *const all[] = {"inprivate", "hedge", "id3",
                                                                           "simfl", HR_METHOD_AVERAGE};
    harness_open(l, row->job);
    l->deadline = deadline;
    l->policy.methods = (hr_names){all, COUNT(all)};
    l->policy.unprotected = (hr_names){methods, COUNT(methods)};
    harness_start(l);
}

void harness_settle(harness *l) {
    while (harness_step(l)) {
    }
}
