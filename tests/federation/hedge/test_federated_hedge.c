/* hedge over owners in one process, from the offer to the model. */
#include "federation/federated/federated_method.h"
#include "fit/budget.h"
#include "privacy/crypto/csprng.h"
#include "support/federation.h"
#include "tables/data/records.h"

static void open_federation(federation *f, size_t rows, size_t owners, size_t classes, hr_job_file job) {
    federation_open(f, table_of_steps(rows, 3, classes, 5), owners, job, 1);
}

/* What is left if all other owners tell their shares of noise to a coordinator that asks for the cheapest
 * sums of least noise: an owner's gate grants no list that costs more than the statement says. */
static void test_statement__holds_against_all_others_with_the_coordinator(void **state) {
    enum { SHARES = 3 }; /* of five owners, of which two are not counted on */
    static federation f;
    (void)state;
    open_federation(&f, 60, 5, 2, federated_job("hedge", 4, 1e-6));
    const char *said = strstr(hr_model_guarantee(federation_run(&f))->statement, "and at most ");
    assert_non_null(said);
    double printed = strtod(said + strlen("and at most "), NULL);
    hr_budget budget;
    hr_csprng *noise = NULL;
    hr_gate *gate = NULL;
    hr_permit ignored;
    hr_units total;
    size_t count;
    hr_guarantee left;
    assert_int_equal(hr_budget_of(&hr_method_hedge, &f.job.options, &budget, NULL), HR_OK);
    assert_int_equal(hr_csprng_open_seeded(1, &noise, NULL), HR_OK);
    assert_int_equal(hr_gate_new(budget.privacy_measure, budget.units, noise, &gate, NULL), HR_OK);
    hr_charge line = {.what = "leaf sum", .sensitivity = 1, .cost = HR_UNIT / (12 * SHARES - 6)};
    while (!hr_gate_charge_share(gate, &line, SHARES, &ignored, NULL)) line.group++;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_int_equal(hr_account_alone(releases, count, &total, NULL), HR_OK);
    hr_guarantee_of(total, budget.privacy_measure, budget.delta, &left);
    if (!(left.epsilon <= printed && left.epsilon > .9 * printed))
        fail_msg("%zu lines: epsilon %g, printed %g", count, left.epsilon, printed);
    hr_gate_free(gate);
    hr_csprng_close(noise);
    federation_close(&f);
}

static void test_owners__train_together(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 4};
    static federation f;
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int pure = 0; pure <= 1; pure++)
            for (size_t owners = 1; owners <= 4; owners += 3) {
                double delta = pure ? 0 : 1e-6;
                open_federation(&f, 800, owners, classes[c], federated_job("hedge", 4, delta));
                check_joint_model(federation_run(&f), 4, delta);
                federation_close(&f);
            }
}

/* With so much budget that noise plays no part, steps of two classes are learned. */
static void test_owners__learn(void **state) {
    (void)state;
    static federation f;
    hr_metrics metrics;
    open_federation(&f, 3000, 5, 2, federated_job("hedge", 50, 1e-6));
    assert_int_equal(hr_evaluate(federation_run(&f), f.table.data, 1, &metrics, NULL), HR_OK);
    if (!(metrics.error < .1)) fail_msg("error %g", metrics.error);
    federation_close(&f);
}

/* An owner without records is asked, and answers, as all others. */
static void test_owners__may_have_no_records(void **state) {
    (void)state;
    static federation f;
    open_federation(&f, 3, 6, 2, federated_job("hedge", 1, 1e-6));
    check_joint_model(federation_run(&f), 1, 1e-6);
    federation_close(&f);
}

typedef struct log_count {
    char id[40];                 /* of the first line's job */
    size_t rounds[2], strangers; /* lines of rounds by level: INFO, DEBUG; lines of no job or of another */
    bool calibrates;
} log_count;

static void count_line(void *user, const hr_log_line *line) {
    log_count *c = user;
    if (!strncmp(line->text, "round ", 6))
        c->rounds[line->level == HR_LOG_DEBUG] += !!strstr(line->text, "of 25");
    if (strstr(line->text, "asks for the calibration")) c->calibrates = true;
    if (line->job && !*c->id) snprintf(c->id, sizeof c->id, "%s", line->job);
    if (!line->job || strcmp(line->job, c->id) != 0) c->strangers++;
}

static void test_progress__names_rounds(void **state) {
    (void)state;
    static federation f;
    log_count count = {.strangers = 0};
    const hr_party_settings settings = {.log_line = count_line, .user = &count};
    open_federation(&f, 300, 3, 2, federated_job("hedge", 1, 1e-6));
    hr_simulation_set_callbacks(&f.simulation, &settings);
    federation_run(&f);
    assert_true(count.calibrates);
    assert_int_equal(count.rounds[0], 10);
    assert_int_equal(count.rounds[1], 15);
    assert_int_equal(strlen(count.id), 32);
    assert_int_equal(count.strangers, 0);
    federation_close(&f);
}

/* ---- What a budget is enough for ---- */

/* Terms of so many owners. Owner: hr_message_unpacked_free. */
static Hedgerow__Terms *terms_of(const hr_job_file *job, const hr_schema *schema, size_t owners) {
    static const char *names[250];
    static char text[250][8];
    hr_bytes bytes = {0};
    ProtobufCMessage *terms = NULL;
    for (size_t i = 0; i < owners; i++) {
        snprintf(text[i], sizeof text[i], "o-%zu", i);
        names[i] = text[i];
    }
    assert_int_equal(hr_terms_of(job, "job", schema, &(hr_names){names, owners}, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &terms, NULL),
                     HR_OK);
    free(bytes.at);
    return (Hedgerow__Terms *)terms;
}

static hr_status check_terms(const hr_job_file *job, const hr_schema *schema, size_t owners, hr_error *err) {
    Hedgerow__Terms *terms = terms_of(job, schema, owners);
    hr_status status = hr_federated_hedge.check_terms(terms, schema, err);
    hr_message_unpacked_free(&terms->base);
    return status;
}

static bool is_enough_for_one(const hr_job_file *job, const hr_schema *schema) {
    hr_budget budget;
    return !hr_budget_check(&hr_method_hedge, &job->options, schema, 1, &budget, NULL);
}

/* The smallest epsilon in units of 2^-40, to a unit, that the terms may grant. */
static uint64_t least_units(hr_job_file *job, const hr_schema *schema, size_t owners) {
    uint64_t low = 1, high = 1 << 20;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        job->options.epsilon = ldexp((double)middle, -40);
        *(check_terms(job, schema, owners, NULL) ? &low : &high) = middle;
    }
    return high;
}

/* Sixteen features' bins need more than one process would spend on their medians. */
static void test_terms__with_too_little_for_bins_are_refused(void **state) {
    (void)state;
    hr_job_file job = federated_job("hedge", 1, 0);
    hr_error err = {0};
    static federation f;
    table t = table_of_steps(30, 16, 2, 5);
    uint64_t least = least_units(&job, t.schema, 3);
    job.options.epsilon = ldexp((double)(least - 1), -40);
    assert_true(is_enough_for_one(&job, t.schema));
    assert_int_equal(check_terms(&job, t.schema, 3, &err), HR_E_BUDGET);
    assert_non_null(strstr(err.message, "'bin edges'"));
    assert_string_equal(err.field, "epsilon");
    table_close(&t);
    for (int enough = 0; enough <= 1; enough++) {
        job.options.epsilon = ldexp((double)(least - 1 + (uint64_t)enough), -40);
        federation_open(&f, table_of_steps(30, 16, 2, 5), 3, job, 1);
        assert_int_equal(hr_simulation_run(&f.simulation, &err), enough ? HR_OK : HR_E_POLICY);
        assert_int_equal(strstr(f.lines, "asks for the number of records") != NULL, enough);
        assert_null(strstr(f.lines, "lost"));
        federation_close(&f);
    }
}

/* So large a budget that shares of the noise would be too small to add up as they should. */
static void test_terms__with_too_much_for_so_many_owners_are_refused(void **state) {
    (void)state;
    hr_job_file job = federated_job("hedge", 60, 1e-6);
    hr_error err = {0};
    table t = table_of_steps(30, 3, 4, 5);
    assert_int_equal(check_terms(&job, t.schema, 3, &err), HR_OK);
    job.coalition = 1;
    assert_int_equal(check_terms(&job, t.schema, 250, &err), HR_E_BUDGET);
    assert_non_null(strstr(err.message, "if 249 owners share the noise"));
    table_close(&t);
}

/* ---- Exposures ---- */

static table table_of_exposed_counts(size_t rows) {
    hr_column label = number_column("y", 0, 9), feature = number_column("x", 0, 1);
    label.integer = label.count = true;
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = (double)(i % 10) / 10;
        t.labels[i] = (double)(i % 5);
    }
    table_make(&t, label, &feature);
    hr_schema_parts parts = *hr_schema_parts_of(t.schema);
    hr_schema *schema = NULL;
    double *exposures = malloc(rows * sizeof *exposures);
    assert_non_null(exposures);
    for (size_t i = 0; i < rows; i++) exposures[i] = (double)(i % 365 + 1);
    parts.exposure = "days";
    parts.exposure_high = 365;
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    hr_data_free(t.data);
    hr_schema_free(t.schema);
    t.schema = schema;
    const hr_array columns[] = {{t.columns[0], HR_ELEMENT_FLOAT64, sizeof(double)}},
                   labels = {t.labels, HR_ELEMENT_FLOAT64, sizeof(double)};
    const hr_arrays arrays = {.rows = rows, .columns = columns, .labels = &labels, .exposures = exposures};
    assert_int_equal(hr_data_borrow(schema, &arrays, &t.data, NULL), HR_OK);
    free(exposures);
    return t;
}

static struct {
    hr_status (*train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    size_t answers;
    char refusal[sizeof((hr_error *)NULL)->message];
} bare;

static hr_status note_refusal(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                              hr_error *err) {
    hr_status status = bare.train(self, job, slot, out, err);
    bare.answers += status == HR_OK;
    if (status && !*bare.refusal) snprintf(bare.refusal, sizeof bare.refusal, "%s", err->message);
    return status;
}

/* Its schema names exposures and its table has none: it answers no question of the job. */
static void test_owner__without_exposures_opens_no_job(void **state) {
    (void)state;
    static federation f;
    for (int lost = 0; lost < 2; lost++) {
        hr_error err = {0};
        memset(&bare, 0, sizeof bare);
        federation_open(&f, table_of_exposed_counts(120), 3, federated_job("hedge", 8, 1e-6), 1);
        hr_party_work *owner = &f.simulation.parties[2].as.work;
        bare.train = owner->train;
        owner->train = note_refusal;
        if (lost) {
            free(f.owners[1]->exposures);
            f.owners[1]->exposures = NULL;
        }
        const hr_status status = hr_simulation_run(&f.simulation, &err);
        if (!lost) assert_true(!status && bare.answers > 0 && !*bare.refusal);
        if (lost) assert_int_equal(bare.answers, 0);
        if (lost) assert_string_equal(bare.refusal, "the data have no exposures, which the schema names");
        federation_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owners__train_together),
        cmocka_unit_test(test_statement__holds_against_all_others_with_the_coordinator),
        cmocka_unit_test(test_owners__learn),
        cmocka_unit_test(test_owners__may_have_no_records),
        cmocka_unit_test(test_progress__names_rounds),
        cmocka_unit_test(test_terms__with_too_little_for_bins_are_refused),
        cmocka_unit_test(test_terms__with_too_much_for_so_many_owners_are_refused),
        cmocka_unit_test(test_owner__without_exposures_opens_no_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
