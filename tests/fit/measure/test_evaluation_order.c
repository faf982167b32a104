/* The budget is in the ledger's file before any noise of an evaluation is drawn, and what was drawn stays
 * charged.
 *
 * The test is linked so that calls of the gate's releasing functions arrive here first (ld's --wrap). */
#include "privacy/gate.h"
#include "support/tables.h"
#include "support/temp_dir.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

/* The linker gives these names: __wrap_f is called instead of f, and __real_f is f. */
void __real_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out);
size_t __real_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count);

hr_status __real_hr_ledger_commit(hr_ledger *ledger, int64_t entry, hr_error *err);

static const char *ledger_path; /* where the calls below look; NULL: nowhere */
static size_t sums, choices;
static bool commit_fails;

static void look_at_ledger(size_t *calls) {
    if (!ledger_path) return;
    ++*calls;
    assert_string_equal(query_database(ledger_path, "SELECT state FROM spending"), "reserved");
    assert_string_equal(query_database(ledger_path, "SELECT epsilon FROM spending"), "0.5");
}

void __wrap_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out) {
    look_at_ledger(&sums);
    __real_hr_gate_sums(gate, permit, in, count, out);
}

size_t __wrap_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count) {
    look_at_ledger(&choices);
    return __real_hr_gate_choose(gate, permit, scores, count);
}

hr_status __wrap_hr_ledger_commit(hr_ledger *ledger, int64_t entry, hr_error *err) {
    return commit_fails ? HR_E_IO : __real_hr_ledger_commit(ledger, entry, err);
}

/* Medians of scores of two classes: an interval of one cell is not asked for, and which are so is noise. */
enum { MEDIANS_MAX = 15 };

/* state: what the evaluation leaves its entry in. */
static void check_order(size_t classes, size_t wanted, const char *state) {
    temp_dir *files = NULL;
    hr_ledger *ledger = NULL;
    hr_evaluation made;
    assert_int_equal(temp_dir_open((void **)&files), 0);
    assert_int_equal(hr_ledger_create(files->path, 1, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(files->path, &ledger, NULL), HR_OK);
    table t = table_of_steps(50, 2, classes, 1);
    hr_fit_options fitted = options_of("gbdt", HR_MODE_SOUND);
    hr_model *model = fit(t.data, &fitted);
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    options.epsilon = .5;
    options.ledger = ledger;
    ledger_path = files->path;
    sums = choices = 0;
    hr_status status = hr_evaluate_private(model, t.data, &options, &made, NULL);
    assert_int_equal(status, commit_fails ? HR_E_IO : HR_OK);
    ledger_path = NULL;
    assert_int_equal(sums, wanted);
    assert_in_range(choices, classes == 2, classes == 2 ? MEDIANS_MAX : 0);
    assert_string_equal(query_database(files->path, "SELECT state FROM spending"), state);
    hr_model_free(model);
    table_close(&t);
    hr_ledger_close(ledger);
    temp_dir_close((void **)&files);
}

static void test_evaluation__reserves_before_it_draws(void **state) {
    (void)state;
    check_order(0, 3, "committed");
    check_order(2, 3, "committed");
    check_order(3, 2, "committed");
}

static void test_evaluation__stays_charged_for_what_it_drew(void **state) {
    (void)state;
    commit_fails = true;
    check_order(0, 3, "reserved");
    check_order(2, 3, "reserved");
    commit_fails = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluation__reserves_before_it_draws),
        cmocka_unit_test(test_evaluation__stays_charged_for_what_it_drew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
