/* In place of the parties of a federation, in a build without protobuf-c. */
#include "base/fail.h"

#include <hedgerow/jobs.h>
#include <hedgerow/owner.h>

static hr_status fail_absent_party_absent(hr_error *err) {
    return hr_fail(
        err, HR_E_ABSENT,
        "install libprotobuf-c-dev and protobuf-c-compiler, and build Hedgerow with -Dfederation=enabled",
        "this build of Hedgerow cannot train over several owners");
}

hr_status hr_serve(const char *file, const hr_party_settings *settings, hr_error *err) {
    (void)file, (void)settings;
    return fail_absent_party_absent(err);
}

hr_status hr_serve_records(const char *file, const hr_owner_records *records,
                           const hr_party_settings *settings, hr_error *err) {
    (void)file, (void)records, (void)settings;
    return fail_absent_party_absent(err);
}

hr_status hr_owner_read(const char *owner_file, void (*visit)(void *user, const hr_owner_info *info),
                        void *user, hr_error *err) {
    (void)owner_file, (void)visit, (void)user;
    return fail_absent_party_absent(err);
}

hr_status hr_job_makes(const char *file, hr_job_product *out, hr_error *err) {
    (void)file, (void)out;
    return fail_absent_party_absent(err);
}

void hr_job_result_free(hr_job_result *result) {
    *result = (hr_job_result){0};
}

hr_status hr_job_result_render(const hr_job_result *result, char **text, hr_error *err) {
    (void)result, (void)text;
    return fail_absent_party_absent(err);
}

hr_status hr_coordinate(const char *file, const char *result, const hr_party_settings *settings,
                        hr_job_result *out, hr_error *err) {
    (void)file, (void)result, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_coordinate_folder(const char *folder, const hr_party_settings *settings, hr_error *err) {
    (void)folder, (void)settings;
    return fail_absent_party_absent(err);
}

hr_status hr_job_submit(const char *folder, const char *file, const char *name, hr_submitted *out,
                        hr_error *err) {
    (void)folder, (void)file, (void)name, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_job_find(const char *folder, const char *job, hr_job_record *out, hr_error *err) {
    (void)folder, (void)job, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_meet(const char *file, const char *result, const hr_owner_files *owners,
                  const hr_party_settings *settings, hr_job_result *out, hr_error *err) {
    (void)file, (void)result, (void)owners, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_job_plan(const char *file, size_t owners, double records, hr_job_plan_info *out, hr_error *err) {
    (void)file, (void)owners, (void)records, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_simulate(const char *file, const hr_simulation_data *data, const hr_party_settings *settings,
                      hr_job_result *out, hr_error *err) {
    (void)file, (void)data, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}

void hr_job_options_init(hr_fit_options *options) {
    (void)options;
}

hr_status hr_simulate_records(const hr_fit_options *options, const hr_simulated_owners *owners,
                              const hr_party_settings *settings, hr_model **out, hr_error *err) {
    (void)options, (void)owners, (void)settings, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_jobs_each(const char *file, bool (*visit)(void *user, const hr_job_info *job), void *user,
                       hr_error *err) {
    (void)file, (void)visit, (void)user;
    return fail_absent_party_absent(err);
}

hr_status hr_party_look(const char *file, const hr_party_viewer *viewer, hr_error *err) {
    (void)file, (void)viewer;
    return fail_absent_party_absent(err);
}

hr_status hr_jobs_audit(const char *owner_file, bool (*visit)(void *user, const hr_job_charge *charge),
                        void *user, hr_error *err) {
    (void)owner_file, (void)visit, (void)user;
    return fail_absent_party_absent(err);
}

hr_status hr_jobs_cancel(const char *file, const char *job, hr_cancel_info *out, hr_error *err) {
    (void)file, (void)job, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_jobs_reconcile(const hr_reconcile_request *request, hr_reconcile_info *out, hr_error *err) {
    (void)request, (void)out;
    return fail_absent_party_absent(err);
}

hr_status hr_policy_explain(const char *owner_file, const char *job_file,
                            void (*visit)(void *user, const hr_policy_line *line), void *user, bool *accepted,
                            hr_error *err) {
    (void)owner_file, (void)job_file, (void)visit, (void)user, (void)accepted;
    return fail_absent_party_absent(err);
}

hr_status hr_job_approve(const char *owner_file, const char *job, hr_error *err) {
    (void)owner_file, (void)job;
    return fail_absent_party_absent(err);
}

hr_status hr_job_refuse(const char *owner_file, const char *job, const char *reason, hr_error *err) {
    (void)owner_file, (void)job, (void)reason;
    return fail_absent_party_absent(err);
}

hr_status hr_receipts_verify(const char *ledger, const char *folder, const char *key, hr_receipt_visit *visit,
                             void *user, hr_error *err) {
    (void)ledger, (void)folder, (void)key, (void)visit, (void)user;
    return fail_absent_party_absent(err);
}

hr_status hr_receipts_restore(const char *ledger, const char *folder, const char *key,
                              hr_receipt_visit *visit, void *user, hr_error *err) {
    (void)ledger, (void)folder, (void)key, (void)visit, (void)user;
    return fail_absent_party_absent(err);
}
