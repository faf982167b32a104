/* One owner of three that lies about its numbers: its shares are changed behind its own code, with correct
 * masks, so that all other parties follow the protocol. */
#include "federation/sums/sum_checks.h"

#include "models/model/model.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "support/federation.h"

enum { OWNERS = 3, ROWS = 300, INVENTED = 1 << 20, COUNT_UNIT = 64 };

#define K(kind) HEDGEROW__HEDGE_QUESTION__KIND__##kind

/* What the last owner makes of its share of a hedge question. */
typedef void lie(uint32_t kind, Hedgerow__Share *share);

static struct {
    federation federation;
    lie *lie;
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
} w;

static ProtobufCMessage *unpacked(const ProtobufCMessageDescriptor *kind, const hr_bytes *bytes) {
    ProtobufCMessage *out = NULL;
    assert_int_equal(hr_message_unpack(kind, bytes->at, bytes->size, &out, NULL), HR_OK);
    return out;
}

static uint32_t kind_of(const hr_job_view *job, const hr_sum_question *question) {
    if (job->method != &hr_federated_hedge) return 0;
    Hedgerow__HedgeQuestion *body =
        (Hedgerow__HedgeQuestion *)unpacked(&hedgerow__hedge_question__descriptor, &question->body);
    const uint32_t kind = body->kind;
    hr_message_unpacked_free(&body->base);
    return kind;
}

static hr_status train_falsely(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err) {
    hr_sum_question question;
    assert_true(hr_securesum_question(job->protocol, slot, &question));
    hr_status status = w.real_train(self, job, slot, out, err);
    if (status || question.choice || question.to_prepare) return status;
    Hedgerow__Share *share = (Hedgerow__Share *)unpacked(&hedgerow__share__descriptor, out);
    w.lie(kind_of(job, &question), share);
    free(out->at);
    assert_int_equal(hr_message_pack(&share->base, out, NULL), HR_OK);
    hr_message_unpacked_free(&share->base);
    return HR_OK;
}

static void open_job(size_t classes, hr_job_file job, lie *told) {
    memset(&w, 0, sizeof w);
    federation_open(&w.federation, table_of_steps(ROWS, 3, classes, 5), OWNERS, job, 1);
    hr_party_work *liar = &w.federation.simulation.parties[OWNERS].as.work;
    w.lie = told;
    w.real_train = liar->train;
    if (told) liar->train = train_falsely;
}

static hr_job_file bounded_job(const char *method, double epsilon, double delta) {
    hr_job_file job = federated_job(method, epsilon, delta);
    job.records = (hr_record_bounds){50, 150};
    return job;
}

/* "": the model is not suspect. */
static const char *suspect_of(const hr_model *model) {
    return hr_model_suspect(model) ? hr_model_suspect(model) : "";
}

static void check_suspect(const char *expected) {
    const char *found = suspect_of(federation_run(&w.federation));
    if (strcmp(found, expected) != 0) fail_msg("'%s', not '%s'", found, expected);
    assert_int_equal(strstr(w.federation.lines, "sums are not those of owners") != NULL, *expected != '\0');
}

/* ---- Owners that follow the protocol ---- */

static void test_honest_owners__fail_no_check(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 4};
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int bounded = 0; bounded <= 1; bounded++)
            for (int pure = 0; pure <= 1; pure++) {
                const double delta = pure ? 0 : 1e-6;
                open_job(classes[c], (bounded ? bounded_job : federated_job)("hedge", 8, delta), NULL);
                check_suspect("");
                federation_close(&w.federation);
            }
    for (int bounded = 0; bounded <= 1; bounded++) {
        open_job(2, (bounded ? bounded_job : federated_job)("id3", 8, 1e-6), NULL);
        check_suspect("");
        federation_close(&w.federation);
    }
}

/* ---- Lies ---- */

static void invents_records_in_the_total(uint32_t kind, Hedgerow__Share *share) {
    if (kind == K(TOTALS)) share->values[0] += (uint64_t)INVENTED * COUNT_UNIT;
}

/* So that most leaves are within the bounds, and their sum is not. A leaf of most records is beyond them too,
 * and fails the check of a sum's size besides. */
static void invents_records_in_leaves(uint32_t kind, Hedgerow__Share *share) {
    if (kind != K(LEAVES)) return;
    for (size_t i = share->n_values / 2; i < share->n_values; i++)
        share->values[i] += (uint64_t)200 * COUNT_UNIT;
}

static void hides_records_in_leaves(uint32_t kind, Hedgerow__Share *share) {
    if (kind != K(LEAVES)) return;
    for (size_t i = share->n_values / 2; i < share->n_values; i++)
        share->values[i] -= (uint64_t)100 * COUNT_UNIT;
}

static void invents_records_in_bins(uint32_t kind, Hedgerow__Share *share) {
    if (kind != K(BINS)) return;
    for (size_t i = 0; i < share->n_values; i++) share->values[i] += (uint64_t)40 * COUNT_UNIT;
}

/* As if all records that it may have were in each leaf, with one label. */
static void pushes_all_leaves(uint32_t kind, Hedgerow__Share *share) {
    if (kind != K(LEAVES)) return;
    for (size_t i = 0; i < share->n_values / 2; i++) share->values[i] += (uint64_t)150 << HR_GRADIENT_BITS;
}

static void sends_anything(uint32_t kind, Hedgerow__Share *share) {
    static uint64_t next = 1;
    (void)kind;
    for (size_t i = 0; i < share->n_values; i++)
        share->values[i] = next = next * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* The schedule is that of the most records that the bounds allow: 26 rounds, not 300. */
static void test_invented_total__does_not_set_the_schedule(void **state) {
    (void)state;
    open_job(2, bounded_job("hedge", 4, 1e-6), invents_records_in_the_total);
    const hr_model *model = federation_run(&w.federation);
    assert_non_null(strstr(suspect_of(model), "record count"));
    assert_int_equal(hr_model_tree_count(model), 26);
    federation_close(&w.federation);
}

/* The first total does not disable the checks: leaves have other numbers. */
static void test_invented_total__is_found_without_bounds(void **state) {
    (void)state;
    open_job(2, federated_job("hedge", 50, 1e-6), invents_records_in_the_total);
    assert_non_null(strstr(suspect_of(federation_run(&w.federation)), "leaf or bin counts"));
    federation_close(&w.federation);
}

static void test_leaf_counts__are_compared_with_the_total(void **state) {
    (void)state;
    lie *const lies[] = {invents_records_in_leaves, hides_records_in_leaves, invents_records_in_bins};
    for (size_t i = 0; i < COUNT(lies); i++)
        for (int bounded = 0; bounded <= 1; bounded++) {
            open_job(2, (bounded ? bounded_job : federated_job)("hedge", 50, 1e-6), lies[i]);
            const char *found = suspect_of(federation_run(&w.federation));
            if (!strstr(found, "leaf or bin counts")) fail_msg("'%s'", found);
            federation_close(&w.federation);
        }
}

/* Each is possible alone: all of them together are not. */
static void test_leaf_sums__are_those_of_all_records_together(void **state) {
    (void)state;
    for (int bounded = 0; bounded <= 1; bounded++) {
        open_job(2, (bounded ? bounded_job : federated_job)("hedge", 50, 1e-6), pushes_all_leaves);
        check_suspect("size of a sum");
        federation_close(&w.federation);
    }
}

/* There is no model, and the reason names the checks. */
static void test_random_shares__end_the_job(void **state) {
    (void)state;
    for (int bounded = 0; bounded <= 1; bounded++) {
        hr_error err = {0};
        open_job(2, (bounded ? bounded_job : federated_job)("hedge", 4, 1e-6), sends_anything);
        assert_int_equal(hr_simulation_run(&w.federation.simulation, &err), HR_E_POLICY);
        assert_non_null(strstr(w.federation.lines, "record count"));
        assert_non_null(strstr(w.federation.lines, "a sum was not used, since it failed a check"));
        assert_null(strstr(w.federation.lines, "an owner's answer is missing"));
        federation_close(&w.federation);
    }
}

static void invents_records_in_all_counts(uint32_t kind, Hedgerow__Share *share) {
    (void)kind;
    for (size_t i = 0; i < share->n_values; i++) share->values[i] += (uint64_t)200 * COUNT_UNIT;
}

static void test_id3__is_checked_like_hedge(void **state) {
    (void)state;
    open_job(2, bounded_job("id3", 8, 1e-6), invents_records_in_all_counts);
    assert_non_null(strstr(suspect_of(federation_run(&w.federation)), "record count"));
    federation_close(&w.federation);
}

/* A schema has no place for a warning. */
static void test_bounds__of_impossible_sums_are_not_made(void **state) {
    (void)state;
    static const char *const columns[] = {"x0"};
    for (int lies = 0; lies <= 1; lies++) {
        hr_job_file job = bounded_job("hedge", 8, 1e-6);
        job.columns = (hr_names){columns, 1};
        open_job(2, job, lies ? sends_anything : NULL);
        assert_int_equal(hr_simulation_run(&w.federation.simulation, NULL), lies ? HR_E_POLICY : HR_OK);
        assert_int_equal(strstr(w.federation.lines, "checks that failed: size of a sum") != NULL, lies);
        assert_int_equal(strstr(w.federation.lines, "the job ended: impossible") != NULL, lies);
        federation_close(&w.federation);
    }
}

/* Figures have none either. */
static void test_evaluation__of_impossible_sums_has_no_figures(void **state) {
    (void)state;
    table train = table_of_steps(60, 3, 2, 5);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 5;
    hr_model *model = fit(train.data, &options);
    table_close(&train);
    char *json = NULL;
    assert_int_equal(hr_model_render(model, &json, NULL), HR_OK);
    for (int lies = 0; lies <= 1; lies++) {
        hr_job_file job = bounded_job("hedge", 8, 1e-6);
        job.model = "model.json";
        job.evaluated = (hr_file_text){job.model, json, strlen(json)};
        open_job(2, job, lies ? sends_anything : NULL);
        assert_int_equal(hr_simulation_run(&w.federation.simulation, NULL), lies ? HR_E_POLICY : HR_OK);
        const hr_job_result *result = &w.federation.simulation.parties[0].as.coordinator.result;
        assert_int_equal(result->evaluation == NULL, lies);
        assert_int_equal(strstr(w.federation.lines, "checks that failed: size of a sum") != NULL, lies);
        assert_int_equal(strstr(w.federation.lines, "the job ended: impossible") != NULL, lies);
        federation_close(&w.federation);
    }
    hr_text_free(json);
    hr_model_free(model);
}

/* ---- The bounds ---- */

static void test_bounds__are_of_any_so_many_owners(void **state) {
    (void)state;
    uint64_t least[] = {30, 10, 20}, most[] = {300, 100, 200};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.records_least = least;
    terms.records_most = most;
    terms.n_owners = terms.n_records_least = terms.n_records_most = 3;
    hr_sum_checks checks = {.unit = HR_PER_RECORD};
    static const double expected[][2] = {{10, 300}, {30, 500}, {60, 600}};
    for (size_t members = 1; members <= 3; members++) {
        const hr_total_bounds bounds = hr_total_bounds_of(&checks, &terms, members);
        assert_true(bounds.least == expected[members - 1][0] && bounds.most == expected[members - 1][1]);
    }
    checks.unit = HR_PER_PERSON; /* fewer persons than records */
    assert_true(hr_total_bounds_of(&checks, &terms, 3).least == 0);
}

/* Of 1,000 to 2,000 records. */
static hr_summed_reply reply_of_one_owner(void) {
    static uint64_t least[] = {1000}, most[] = {2000};
    static Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    static const hr_job_view job = {.terms = &terms};
    terms.records_least = least;
    terms.records_most = most;
    terms.n_owners = terms.n_records_least = terms.n_records_most = 1;
    return (hr_summed_reply){.members = 1, .shares = 1, .job = &job};
}

/* At the bound of the noise to a unit: on one side it passes, beyond it does not. */
static void test_total__may_be_beyond_the_bounds_by_the_noise_alone(void **state) {
    (void)state;
    const hr_summed_reply reply = reply_of_one_owner();
    const hr_charge line = {.cost = HR_UNIT / 8, .sensitivity = COUNT_UNIT};
    const hr_privacy_measure measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_GDP};
    for (size_t m = 0; m < COUNT(measures); m++) {
        const double reach =
            hr_noise_bound(measures[m], hr_noise_deviation(measures[m], line.cost, COUNT_UNIT), 1, 0x1p-50);
        for (int side = -1; side <= 1; side += 2)
            for (int beyond = 0; beyond <= 1; beyond++) {
                const double edge = (side < 0 ? 1000 : 2000) * (double)COUNT_UNIT;
                const hr_noisy value = {(int64_t)(edge + side * (reach + (beyond ? 2 : -2)))};
                hr_sum_checks checks = {.privacy_measure = measures[m], .unit = HR_PER_RECORD};
                hr_sum_checks_total(&checks, &(hr_counted_line){&line, &value, 1, true, false}, &reply);
                assert_int_equal(checks.failed[HR_CHECK_TOTAL], beyond);
            }
    }
}

/* Of two outputs, in each of four sets, of either sign; the other output is zero. */
static void test_sums_of_sets__may_be_beyond_all_records_by_the_noise_alone(void **state) {
    (void)state;
    enum { SETS = 4, OUTPUTS = 2, SENSITIVITY = 1 << HR_GRADIENT_BITS };
    const hr_summed_reply reply = reply_of_one_owner();
    const hr_charge line = {.cost = HR_UNIT / 8, .sensitivity = SENSITIVITY};
    const hr_privacy_measure measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_GDP};
    for (size_t m = 0; m < COUNT(measures); m++) {
        const double noise =
            hr_noise_bound(measures[m], hr_noise_deviation(measures[m], line.cost, SENSITIVITY), SETS,
                           0x1p-50 / 16 / OUTPUTS / (1 << SETS));
        for (size_t output = 0; output < OUTPUTS; output++)
            for (int beyond = 0; beyond <= 1; beyond++) {
                hr_noisy values[SETS * OUTPUTS] = {{0}};
                const double all = 2000. * SENSITIVITY + noise + (beyond ? 2 : -2) * SETS;
                for (size_t s = 0; s < SETS; s++)
                    values[s * OUTPUTS + output].paid = (int64_t)((s % 2 ? 1 : -1) * all / SETS);
                hr_sum_checks checks = {.privacy_measure = measures[m], .unit = HR_PER_RECORD};
                hr_sum_checks_sets(&checks, &(hr_counted_line){&line, values, SETS * OUTPUTS, true, false},
                                   OUTPUTS, &reply);
                assert_int_equal(checks.failed[HR_CHECK_VALUE], beyond);
            }
    }
}

/* Of exposures the total tells no number of records: what it would refuse of counts of bins, and of sums, is
 * possible; counts of leaves are compared with it all the same. */
static void test_exposures__bound_no_records(void **state) {
    (void)state;
    const hr_summed_reply reply = reply_of_one_owner();
    const hr_charge line = {.cost = HR_UNIT, .sensitivity = HR_PERSON_UNIT};
    const hr_noisy total = {100 * HR_PERSON_UNIT}, records = {1500 * HR_PERSON_UNIT};
    for (int exposed = 0; exposed <= 1; exposed++) {
        hr_sum_checks checks = {.privacy_measure = HR_PRIVACY_GDP, .unit = HR_PER_PERSON, .exposed = exposed};
        hr_sum_checks_total(&checks, &(hr_counted_line){&line, &total, 1, true, false}, &reply);
        assert_false(checks.failed[HR_CHECK_TOTAL]);
        hr_sum_checks_counts(&checks, &(hr_counted_line){&line, &records, 1, false, true}, &reply);
        assert_int_equal(checks.failed[HR_CHECK_COUNTS], !exposed);
        hr_sum_checks_sets(&checks, &(hr_counted_line){&line, &records, 1, true, false}, 1, &reply);
        assert_int_equal(checks.failed[HR_CHECK_VALUE], !exposed);
        checks.failed[HR_CHECK_COUNTS] = false;
        hr_sum_checks_counts(&checks, &(hr_counted_line){&line, &records, 1, true, false}, &reply);
        assert_true(checks.failed[HR_CHECK_COUNTS]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest_owners__fail_no_check),
        cmocka_unit_test(test_exposures__bound_no_records),
        cmocka_unit_test(test_invented_total__does_not_set_the_schedule),
        cmocka_unit_test(test_invented_total__is_found_without_bounds),
        cmocka_unit_test(test_leaf_counts__are_compared_with_the_total),
        cmocka_unit_test(test_leaf_sums__are_those_of_all_records_together),
        cmocka_unit_test(test_random_shares__end_the_job),
        cmocka_unit_test(test_id3__is_checked_like_hedge),
        cmocka_unit_test(test_bounds__of_impossible_sums_are_not_made),
        cmocka_unit_test(test_evaluation__of_impossible_sums_has_no_figures),
        cmocka_unit_test(test_bounds__are_of_any_so_many_owners),
        cmocka_unit_test(test_total__may_be_beyond_the_bounds_by_the_noise_alone),
        cmocka_unit_test(test_sums_of_sets__may_be_beyond_all_records_by_the_noise_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
