/* hedge over owners whose schema names a unit: what the model says, what a person counts, and what is
 * refused. */
#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/machines/securesum.h"
#include "federation/work/policy_check.h"
#include "privacy/sensitivity.h"
#include "support/federation.h"
#include "support/person_tables.h"
#include "tables/data/records.h"

#include <math.h>

enum { OWNERS = 2, HEAVY = 50, JOBS = 16 };

/* The tables of two owners: all the persons are the first one's, and some of them also the second one's. */
static struct {
    person_tables tables;
    hr_data *second;
    hr_job_file job;
    hr_simulation simulation;
    hr_status (*real_ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
    double count;
} w;

static void open_owners(const hr_data *first) {
    const uint32_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    hr_error err = {0};
    assert_non_null(w.second = hr_data_take(w.tables.without, rows, 10));
    const hr_data *owners[OWNERS] = {first, w.second};
    if (hr_simulation_init(&w.simulation, &w.job, w.tables.schema, &(hr_owner_tables){owners, OWNERS}, 1,
                           &err))
        fail_msg("%s", err.message);
}

static const hr_model *run_owners(void) {
    hr_error err = {0};
    if (hr_simulation_run(&w.simulation, &err)) fail_msg("%s", err.message);
    return w.simulation.parties[0].as.coordinator.result.model;
}

static void close_owners(void) {
    hr_simulation_done(&w.simulation);
    hr_data_free(w.second);
}

/* The first sum of a job is the number of persons, each of whom counts once at each owner. Nothing more is
 * asked. */
static hr_status note_count(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    hr_sum_outcome first;
    if (hr_securesum_outcome(job->protocol, 0, &first)) {
        w.count = (double)(int64_t)first.sums[0] / HR_PERSON_UNIT;
        return hr_fail(err, HR_E_ARGUMENT, NULL, "counted");
    }
    return w.real_ask(self, job, out, err);
}

/* The mean of several jobs. At the largest epsilon that owners take, the noise of one count deviates by .096.
 */
static double count_persons(const hr_data *first) {
    double sum = 0;
    for (int i = 0; i < JOBS; i++) {
        hr_error err = {0};
        w.job = federated_job("hedge", 1e4, 1e-6);
        open_owners(first);
        w.real_ask = w.simulation.parties[0].as.work.next_question;
        w.simulation.parties[0].as.work.next_question = note_count;
        w.count = NAN;
        assert_int_not_equal(hr_simulation_run(&w.simulation, &err), HR_OK);
        assert_true(isfinite(w.count));
        close_owners();
        sum += w.count;
    }
    return sum / JOBS;
}

/* The difference of two means deviates by .034, so .2 is 5.8 deviations: a false alarm has a probability
 * below 1e-8. */
static void test_persons__count_one_whatever_records_they_have(void **state) {
    (void)state;
    person_tables_open(&w.tables, 2, &(person_canary){HEAVY, true}, 5);
    const double before = count_persons(w.tables.without), after = count_persons(w.tables.with);
    if (!(fabs(before - 40) < 15 && fabs(after - before - 1) < .2))
        fail_msg("%g before, %g after", before, after);
    person_tables_close(&w.tables);
}

static void test_persons__are_what_the_model_protects(void **state) {
    (void)state;
    person_tables_open(&w.tables, 2, &(person_canary){HEAVY, true}, 5);
    w.job = federated_job("hedge", 1, 1e-6);
    open_owners(w.tables.with);
    const hr_model *model = run_owners();
    const hr_guarantee *g = hr_model_guarantee(model);
    hr_release_info release;
    size_t counts = 0;
    assert_string_equal(g->unit, "one person of any owner");
    assert_non_null(strstr(g->statement,
                           "A person is all records of one who; one with records at several owners "
                           "counts once at each."));
    assert_non_null(strstr(g->statement, "all records of one person"));
    for (size_t i = 0; hr_model_release_at(model, i, &release); i++) {
        assert_null(strstr(release.what, "record count"));
        if (strcmp(release.what, "sum of weights") != 0) continue;
        assert_int_equal(release.sensitivity, hr_unit_of_counts(HR_PER_PERSON));
        counts++;
    }
    assert_int_equal(counts, 1);
    check_joint_model(model, 1, 1e-6);
    close_owners();
    open_owners(w.tables.with);
    hr_simulation_of_one_file(&w.simulation);
    assert_string_equal(hr_model_guarantee(run_owners())->unit, "one person of the file");
    close_owners();
    person_tables_close(&w.tables);
}

/* Of every job method in every mode hedge alone, in mode sound, takes a schema with a unit. */
static void test_persons__are_protected_by_hedge_alone(void **state) {
    (void)state;
    static const char *const names[] = {"inprivate", "hedge",      "id3",   "average",
                                        "simfl",     "evaluation", "bounds"};
    person_tables_open(&w.tables, 2, &(person_canary){HEAVY, true}, 5);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int paper = 0; paper < 2; paper++) {
            const hr_federated_method *method =
                hr_federated_method_named(names[i], strlen(names[i]), paper ? HR_MODE_PAPER : HR_MODE_SOUND);
            assert_non_null(method);
            hr_error err = {0};
            const hr_status status = hr_federated_check_unit(method, paper != 0, w.tables.schema, &err);
            const bool hedge = !strcmp(names[i], "hedge") && !paper;
            assert_int_equal(status, hedge ? HR_OK : HR_E_POLICY);
            if (!hedge) assert_non_null(strstr(err.message, names[i]));
        }
    person_tables_close(&w.tables);
}

static bool note_unit_rule(void *user, const hr_rule_answer *answer) {
    if (!strcmp(answer->rule, "unit")) *(hr_rule_answer *)user = *answer;
    return true;
}

/* A coordinator of its own making offers a job of another method with a schema that names a unit. */
static void test_persons__are_protected_by_the_policy(void **state) {
    (void)state;
    static const char *const coordinators[] = {"lab"};
    const hr_policy policy = {.coordinators = {coordinators, 1}, .epsilon = 2, .owners = 1};
    uint8_t inprivate[] = "inprivate";
    hr_error err = {0};
    person_tables_open(&w.tables, 2, &(person_canary){HEAVY, true}, 5);
    const hr_job_file job = federated_job("hedge", 1, 1e-6);
    Hedgerow__Terms *terms = federation_terms(&job, w.tables.schema, &err);
    if (!terms) fail_msg("%s", err.message);
    const ProtobufCBinaryData hedge = terms->method;
    for (int other = 0; other < 2; other++) {
        hr_rule_answer answer = {0};
        const hr_policy_question question = {
            .policy = &policy, .schema = w.tables.schema, .coordinator = "lab", .terms = terms};
        terms->method = other ? (ProtobufCBinaryData){sizeof inprivate - 1, inprivate} : hedge;
        assert_int_equal(hr_policy_check(&question, note_unit_rule, &answer, NULL), HR_OK);
        assert_string_equal(answer.rule, "unit");
        assert_int_equal(answer.keeps, !other);
    }
    terms->method = hedge;
    hr_message_unpacked_free(&terms->base);
    person_tables_close(&w.tables);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_persons__count_one_whatever_records_they_have),
        cmocka_unit_test(test_persons__are_what_the_model_protects),
        cmocka_unit_test(test_persons__are_protected_by_hedge_alone),
        cmocka_unit_test(test_persons__are_protected_by_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
