/* Memory that runs out in a fit with a ledger: what was reserved is given back if nothing was drawn, and
 * stays spent if anything was. Every draw is counted, by wrapping the gate at link time. */
#include "failing.h"
#include "privacy/gate.h"
#include "support/tables.h"
#include "support/temp_dir.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

static size_t draws;

void __real_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out);
size_t __real_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count);

void __wrap_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out) {
    draws += count;
    __real_hr_gate_sums(gate, permit, in, count, out);
}

size_t __wrap_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count) {
    draws++;
    return __real_hr_gate_choose(gate, permit, scores, count);
}

typedef struct seen {
    size_t reserved, committed, voided;
} seen;

static bool count(void *user, const hr_ledger_entry *entry) {
    seen *s = user;
    s->reserved += entry->state == HR_ENTRY_RESERVED;
    s->committed += entry->state == HR_ENTRY_COMMITTED;
    s->voided += entry->state == HR_ENTRY_VOID;
    return true;
}

static seen entries_of(hr_ledger *ledger) {
    seen s = {0};
    assert_int_equal(hr_ledger_each(ledger, count, &s, NULL), HR_OK);
    return s;
}

static hr_fit_options small_options(const char *method, hr_ledger *ledger) {
    static const char *const settings[][2] = {
        {"trees", "2"}, {"depth", "2"}, {"bins", "6"}, {"ensemble", "2"}};
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    for (size_t i = 0; i < COUNT(settings); i++)
        (void)!hr_fit_options_set(&options, settings[i][0], settings[i][1], NULL);
    options.ledger = ledger;
    return options;
}

/* The n-th allocation of a timed fit fails. False: the fit got through. */
static bool fail_once(const table *t, hr_fit_options options, long n, seen *voided) {
    seen before = entries_of(options.ledger);
    hr_model *model = NULL;
    draws = 0;
    failing_start(n, false);
    hr_status status = hr_timings_new(&options.timings, NULL);
    if (!status) status = hr_fit(t->data, &options, &model, NULL);
    bool failed = failing_stop();
    seen after = entries_of(options.ledger);
    hr_model_free(model);
    hr_timings_free(options.timings);
    if (!status) {
        assert_true(after.committed == before.committed + 1 && after.reserved == before.reserved &&
                    after.voided == before.voided);
        return failed;
    }
    assert_true(after.committed == before.committed);
    if (draws) {
        if (after.reserved != before.reserved + 1 || after.voided != before.voided)
            fail_msg("allocation %ld: %zu draws", n, draws);
    } else if (after.reserved != before.reserved) {
        fail_msg("allocation %ld: nothing was drawn, but the entry stays spent", n);
    }
    voided->voided += after.voided - before.voided;
    voided->reserved += after.reserved - before.reserved;
    return true;
}

static table table_of_times(void) {
    static const double cuts[] = {1, 3};
    hr_column label = number_column("t", -9, 9), feature = number_column("x", 0, 1);
    table t = table_open(40, 1);
    for (size_t i = 0; i < t.rows; i++) t.labels[i] = (double)(i % 5) * (i % 3 ? -1 : 1);
    label.event = "came", label.intervals = cuts, label.interval_count = COUNT(cuts);
    table_make(&t, label, &feature);
    return t;
}

static void test_fit__gives_back_what_it_did_not_use(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(s->path, 1e6, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    table classes = table_of_steps(40, 3, 2, 1), times = table_of_times();
    for (size_t m = 0; m < hr_method_count(); m++) {
        const hr_method_info *method = hr_method_at(m);
        if (!method->is_private) continue;
        const table *t = makes_no_plain_model(method->name) ? &times : &classes;
        hr_fit_options options = small_options(method->name, ledger);
        options.delta = 0;
        seen outcomes = {0};
        for (long n = 0; fail_once(t, options, n, &outcomes); n++) continue;
        if (!outcomes.voided) fail_msg("%s: no entry was given back", method->name);
        if (!outcomes.reserved) fail_msg("%s: no entry stayed spent", method->name);
    }
    table_close(&classes);
    table_close(&times);
    hr_ledger_close(ledger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fit__gives_back_what_it_did_not_use, temp_dir_open_in_memory,
                                        temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
