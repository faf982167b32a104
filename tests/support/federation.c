#include "support/federation.h"

#include "tables/data/records.h"

hr_job_file federated_job(const char *method, double epsilon, double delta) {
    hr_job_file job = {.rounds = 1, .options = options_of(method, HR_MODE_SOUND)};
    job.options.epsilon = epsilon;
    job.options.delta = delta;
    job.options.bins = 8;
    return job;
}

static void keep_federation_line(void *user, const hr_log_line *line) {
    federation *f = user;
    const size_t used = strlen(f->lines);
    snprintf(f->lines + used, sizeof f->lines - used, "%s\n", line->text);
}

static void deal_in_turns(federation *f) {
    uint32_t *picked = malloc((f->table.rows + 1) * sizeof *picked);
    assert_non_null(picked);
    for (size_t o = 0; o < f->owner_count; o++) {
        size_t count = 0;
        for (size_t i = o; i < f->table.rows; i += f->owner_count) picked[count++] = (uint32_t)i;
        assert_non_null(f->owners[o] = hr_data_take(f->table.data, picked, count));
    }
    free(picked);
}

void federation_open(federation *f, table t, size_t owners, hr_job_file job, int threads) {
    hr_error err = {0};
    assert_in_range(owners, 1, FEDERATION_OWNERS_MAX);
    *f = (federation){.table = t, .owner_count = owners, .job = job};
    deal_in_turns(f);
    const hr_owner_tables tables = {(const hr_data *const *)f->owners, owners};
    if (hr_simulation_init(&f->simulation, &f->job, f->table.schema, &tables, threads, &err))
        fail_msg("%s", err.message);
    f->settings = (hr_party_settings){.log_line = keep_federation_line, .user = f};
    hr_simulation_set_callbacks(&f->simulation, &f->settings);
}

const hr_model *federation_run(federation *f) {
    hr_error err = {0};
    if (hr_simulation_run(&f->simulation, &err)) fail_msg("%s\n%s", err.message, f->lines);
    return f->simulation.parties[0].as.coordinator.result.model;
}

static hr_status fail_at_once(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                              hr_error *err) {
    (void)self, (void)job, (void)slot, (void)out;
    return hr_fail(err, HR_E_SCHEMA, "", "no table");
}

void federation_owner_fails(federation *f, size_t owner) {
    f->simulation.parties[owner].as.work.train = fail_at_once;
}

void federation_close(federation *f) {
    hr_simulation_done(&f->simulation);
    for (size_t o = 0; o < f->owner_count; o++) hr_data_free(f->owners[o]);
    table_close(&f->table);
}

void check_joint_model(const hr_model *model, double epsilon, double delta) {
    char *json = NULL;
    hr_model *again = NULL;
    hr_error err = {0};
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(g->is_private && g->epsilon <= epsilon && g->epsilon > .99 * epsilon);
    assert_true(delta > 0 ? g->delta <= delta && g->delta > .99 * delta : g->delta == 0);
    assert_non_null(strstr(g->statement, "against everybody, the coordinator"));
    assert_int_equal(hr_model_render(model, &json, &err), HR_OK);
    if (hr_model_parse(json, strlen(json), "again", &again, &err)) fail_msg("%s", err.message);
    hr_model_free(again);
    hr_text_free(json);
}

Hedgerow__Terms *federation_terms(const hr_job_file *job, const hr_schema *schema, hr_error *err) {
    static const char *const owners[] = {"north", "south"};
    hr_bytes bytes = {0};
    ProtobufCMessage *terms = NULL;
    if (hr_terms_of(job, "job", schema, &(hr_names){owners, 2}, &bytes, err)) return NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &terms, NULL),
                     HR_OK);
    free(bytes.at);
    return (Hedgerow__Terms *)terms;
}
