/* What hr_fit refuses, in which order, and that refusing costs nothing: no model, no line in the ledger. And
 * what a fit that ends otherwise leaves in the ledger. */
#include "support/tables.h"
#include "support/temp_dir.h"

/* A table of eight records, and a ledger with epsilon 2 and delta 1e-5. */
typedef struct fixture {
    temp_dir *files;
    table table;
    hr_ledger *ledger;
} fixture;

static int open_fixture(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open((void **)&f->files)) return -1;
    f->table = table_of_steps(8, 2, 2, 1);
    if (hr_ledger_create(f->files->path, 2, 1e-5, NULL) || hr_ledger_open(f->files->path, &f->ledger, NULL))
        return -1;
    *state = f;
    return 0;
}

static int close_fixture(void **state) {
    fixture *f = *state;
    hr_ledger_close(f->ledger);
    table_close(&f->table);
    temp_dir_close((void **)&f->files);
    free(f);
    return 0;
}

static hr_fit_options charged_options(const fixture *f, hr_mode mode) {
    hr_fit_options options = options_of("dpboost", mode);
    options.ledger = f->ledger;
    return options;
}

static hr_ledger_total total_of(const fixture *f) {
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    return total;
}

/* Refused with that status and (unless NULL) that field; without a model and without an entry. */
static void assert_refused(const fixture *f, const hr_data *data, const hr_fit_options *options,
                           hr_status wanted, const char *says) {
    hr_model *const untouched = (hr_model *)(void *)&data, *model = untouched;
    hr_error err = {0};
    hr_status status = hr_fit(data, options, &model, &err);
    if (status != wanted) fail_msg("status %d, not %d: %s", status, wanted, err.message);
    assert_ptr_equal(model, untouched);
    assert_int_equal(err.status, wanted);
    assert_true(err.remedy[0] != '\0');
    char text[1024];
    hr_error_format(&err, text, sizeof text);
    if (!strstr(text, says)) fail_msg("'%s' does not say '%s'", text, says);
    assert_int_equal(total_of(f).entries, 0);
    model = untouched;
    assert_int_equal(hr_fit(data, options, &model, NULL), wanted); /* without a place for the error */
    assert_ptr_equal(model, untouched);
}

static void test_fit__refuses_a_schema_that_awaits_review(void **state) {
    fixture *f = *state;
    table t = table_open(4, 1);
    t.is_proposal = true;
    hr_column feature = number_column("height", 0, 1);
    hr_column label = category_column("y", 2);
    label.source = "a form";
    feature.review = true;
    table_make(&t, label, &feature);
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    assert_refused(f, t.data, &options, HR_E_POLICY, "height");
    options.epsilon = 100; /* more than the ledger has: the review comes first */
    assert_refused(f, t.data, &options, HR_E_POLICY, "height");
    table_close(&t);

    t = table_open(4, 1);
    t.is_proposal = true;
    label = number_column("blood", 0, 1);
    label.review = true;
    feature.review = false;
    table_make(&t, label, &feature);
    options = options_of("gbdt", HR_MODE_SOUND);
    assert_refused(f, t.data, &options, HR_E_POLICY, "blood");
    table_close(&t);
}

static void test_fit__refuses_data_without_labels(void **state) {
    fixture *f = *state;
    hr_data *data = NULL;
    assert_int_equal(
        hr_data_from_arrays(f->table.schema, 8, (const double *const *)f->table.columns, NULL, &data, NULL),
        HR_OK);
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    assert_refused(f, data, &options, HR_E_SCHEMA, "label");
    options.epsilon = 100;
    assert_refused(f, data, &options, HR_E_SCHEMA, "label");
    hr_data_free(data);
}

static void test_fit__refuses_data_without_rows(void **state) {
    fixture *f = *state;
    table t = table_open(0, 2);
    table_make_plain(&t, 2);
    static const char *const methods[] = {"gbdt", "dpboost", "seq", "para"};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
            hr_fit_options options = options_of(methods[m], (hr_mode)mode);
            assert_refused(f, t.data, &options, HR_E_SCHEMA, "record");
        }
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    assert_refused(f, t.data, &options, HR_E_SCHEMA, "record");
    table_close(&t);
}

/* A schema without features cannot be made; so no fit meets one. */
static void test_schema__needs_a_feature(void **state) {
    (void)state;
    hr_column label = number_column("y", 0, 1);
    hr_schema *schema = NULL;
    assert_int_equal(hr_schema_make(&(hr_schema_parts){.label = label}, &schema, NULL), HR_E_FORMAT);
    assert_null(schema);
}

static void test_fit__refuses_a_ledger_for_what_is_not_private(void **state) {
    fixture *f = *state;
    for (double epsilon = 1; epsilon < 200;
         epsilon *= 100) { /* 100 is more than is left: the rule comes before the sum */
        hr_fit_options options = charged_options(f, HR_MODE_PAPER);
        options.epsilon = epsilon;
        assert_refused(f, f->table.data, &options, HR_E_POLICY, "ledger");
        options = charged_options(f, HR_MODE_SOUND);
        options.reproducible_noise = true;
        options.epsilon = epsilon;
        assert_refused(f, f->table.data, &options, HR_E_POLICY, "ledger");
        options = charged_options(f, HR_MODE_SOUND);
        options.leak = "the bounds of x";
        options.epsilon = epsilon;
        assert_refused(f, f->table.data, &options, HR_E_POLICY, "read off the records");
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
            options = options_of("gbdt", (hr_mode)mode);
            options.ledger = f->ledger;
            options.epsilon = epsilon;
            assert_refused(f, f->table.data, &options, HR_E_POLICY, "ledger");
        }
    }
}

static void test_fit__refuses_bad_options_before_it_looks_at_the_ledger(void **state) {
    fixture *f = *state;
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    options.depth = 0;
    options.epsilon = 100;
    assert_refused(f, f->table.data, &options, HR_E_ARGUMENT, "depth");
    options = charged_options(f, HR_MODE_PAPER);
    options.depth = 0;
    assert_refused(f, f->table.data, &options, HR_E_ARGUMENT, "depth");
}

static void test_fit__refuses_what_the_ledger_does_not_cover(void **state) {
    fixture *f = *state;
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    options.epsilon = 2 + 0x1p-39; /* the ledger counts in units of 2^-40 */
    assert_refused(f, f->table.data, &options, HR_E_BUDGET, "2");
    options.epsilon = 1;
    options.delta = 1.1e-5;
    assert_refused(f, f->table.data, &options, HR_E_BUDGET, "delta");
}

typedef struct seen_entry {
    size_t count;
    hr_entry_state state;
    double epsilon, delta;
    char purpose[256];
} seen_entry;

static bool see_entry(void *user, const hr_ledger_entry *entry) {
    seen_entry *seen = user;
    seen->count++;
    seen->state = entry->state;
    seen->epsilon = entry->epsilon;
    seen->delta = entry->delta;
    snprintf(seen->purpose, sizeof seen->purpose, "%s", entry->purpose);
    return true;
}

static seen_entry last_entry(const fixture *f) {
    seen_entry seen = {0};
    assert_int_equal(hr_ledger_each(f->ledger, see_entry, &seen, NULL), HR_OK);
    return seen;
}

/* A budget below one unit is seen at once. */
static void test_fit__refuses_a_budget_that_is_none(void **state) {
    fixture *f = *state;
    static const double none[][2] = {{1e-300, 0}, {0x1p-41, 0}, {1e-300, 1e-6}};
    for (size_t i = 0; i < COUNT(none); i++) {
        hr_fit_options options = charged_options(f, HR_MODE_SOUND);
        options.epsilon = none[i][0];
        options.delta = none[i][1];
        assert_refused(f, f->table.data, &options, HR_E_BUDGET, "raise epsilon");
        options.ledger = NULL;
        assert_refused(f, f->table.data, &options, HR_E_BUDGET, "raise epsilon");
    }
}

/* A budget that no noise covers, far below any use: nothing is reserved. */
static void test_fit__refuses_too_small_a_budget(void **state) {
    fixture *f = *state;
    static const double tiny[][2] = {{0x1p-40, 0}, {1e-11, 0}, {1e-6, 1e-9}};
    for (size_t i = 0; i < COUNT(tiny); i++) {
        hr_fit_options options = charged_options(f, HR_MODE_SOUND);
        options.epsilon = tiny[i][0];
        options.delta = tiny[i][1];
        assert_refused(f, f->table.data, &options, HR_E_BUDGET, "epsilon");
    }
}

/* Categories of so many values that no hash has as many dimensions. */
static void test_fit__refuses_regions_of_too_many_dimensions(void **state) {
    enum { VALUES = 65535, FEATURES = 3 };
    static char names[VALUES][8];
    static const char *values[VALUES];
    for (size_t k = 0; k < VALUES; k++) {
        snprintf(names[k], sizeof names[k], "v%zu", k);
        values[k] = names[k];
    }
    const hr_column feature = {.name = "a",
                               .kind = HR_KIND_CATEGORY,
                               .value_count = VALUES,
                               .values = values,
                               .source = "a public list"};
    hr_column features[FEATURES] = {feature, feature, feature};
    features[1].name = "b";
    features[2].name = "c";
    fixture *f = *state;
    table t = table_open(8, FEATURES);
    table_make(&t, category_column("y", 2), features);
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    options.ledger = f->ledger;
    assert_refused(f, t.data, &options, HR_E_LIMIT, "dimensions");
    options.by_name[HR_OPTION_WEIGHT_MAX] = 1; /* no regions */
    hr_model_free(fit(t.data, &options));
    table_close(&t);
}

/* Whether hashes are too narrow is known once the planes are drawn, after the budget was reserved: nothing
 * was released, and the budget is given back. */
static void test_fit__gives_back_what_was_reserved_for_hashes_too_narrow(void **state) {
    fixture *f = *state;
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    options.ledger = f->ledger;
    options.by_name[HR_OPTION_LSH_WIDTH] = 1e-9;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(f->table.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_null(model);
    assert_string_equal(err.field, "lsh-width");
    seen_entry seen = last_entry(f);
    assert_true(seen.count == 1 && seen.state == HR_ENTRY_VOID);
    assert_true(total_of(f).epsilon_spent == 0);
}

static void test_fit__commits_exactly_what_was_asked_for(void **state) {
    fixture *f = *state;
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    options.epsilon = .375;
    hr_model_free(fit(f->table.data, &options));
    seen_entry seen = last_entry(f);
    assert_true(seen.count == 1 && seen.state == HR_ENTRY_COMMITTED && seen.epsilon == .375 &&
                seen.delta == 0);
    assert_non_null(strstr(seen.purpose, "dpboost"));
    options.method = "seq";
    options.delta = 0x1p-20;
    hr_model_free(fit(f->table.data, &options));
    seen = last_entry(f);
    assert_true(seen.count == 2 && seen.state == HR_ENTRY_COMMITTED && seen.epsilon == .375 &&
                seen.delta == 0x1p-20);
    assert_non_null(strstr(seen.purpose, "seq"));
    assert_true(total_of(f).epsilon_spent == .75 && total_of(f).delta_spent == 0x1p-20);
    options.epsilon = 1.25;
    hr_model_free(fit(f->table.data, &options)); /* the last of it */
    assert_int_equal(hr_fit(f->table.data, &options, &(hr_model *){NULL}, NULL), HR_E_BUDGET);
    assert_int_equal(total_of(f).entries, 3);
}

static void test_fit__refuses_a_frozen_ledger(void **state) {
    fixture *f = *state;
    assert_int_equal(hr_ledger_freeze(f->ledger, NULL), HR_OK);
    hr_fit_options options = charged_options(f, HR_MODE_SOUND);
    assert_refused(f, f->table.data, &options, HR_E_POLICY, "frozen");
}

typedef struct told {
    size_t calls, last, total, stop_at;
} told;

static bool listen(void *user, size_t done, size_t total) {
    told *t = user;
    assert_true(done >= t->last && done <= total && (t->calls == 0 || total == t->total));
    t->calls++;
    t->last = done;
    t->total = total;
    return t->calls != t->stop_at;
}

static void test_fit__can_be_cancelled_but_not_for_free(void **state) {
    fixture *f = *state;
    for (size_t stop = 1; stop <= 3; stop++) {
        told t = {.stop_at = stop};
        hr_fit_options options = charged_options(f, HR_MODE_SOUND);
        options.epsilon = .25;
        options.progress = listen;
        options.user = &t;
        int64_t entry = -1;
        options.entry = &entry;
        hr_model *model = NULL;
        hr_error err = {0};
        assert_int_equal(hr_fit(f->table.data, &options, &model, &err), HR_E_CANCELLED);
        assert_null(model);
        assert_int_equal(entry, stop);
        assert_int_equal(t.calls, stop);
        seen_entry seen = last_entry(f);
        assert_true(seen.count == stop && seen.state == HR_ENTRY_RESERVED && seen.epsilon == .25);
    }
    assert_true(total_of(f).epsilon_spent == .75);
}

/* Another run reserves while this one is on its way: each is told its own entry, and 0 if it reserved
 * nothing. */
typedef struct rival {
    hr_ledger *ledger;
    int64_t entry;
    bool may_go_on;
} rival;

static bool reserve_between(void *user, size_t done, size_t total) {
    rival *r = user;
    (void)done;
    (void)total;
    if (!r->entry)
        assert_int_equal(hr_ledger_reserve(r->ledger, .125, 0, "another run", &r->entry, NULL), HR_OK);
    return r->may_go_on;
}

static void test_fit__hands_out_its_own_entry(void **state) {
    fixture *f = *state;
    for (int may_go_on = 0; may_go_on <= 1; may_go_on++) {
        rival r = {f->ledger, 0, may_go_on};
        int64_t entry = -1;
        hr_model *model = NULL;
        hr_fit_options options = charged_options(f, HR_MODE_SOUND);
        options.epsilon = .25;
        options.progress = reserve_between;
        options.user = &r;
        options.entry = &entry;
        assert_int_equal(hr_fit(f->table.data, &options, &model, NULL), may_go_on ? HR_OK : HR_E_CANCELLED);
        assert_true(entry > 0 && r.entry == entry + 1);
        hr_model_free(model);
        model = NULL;
        options.epsilon = 1e6;
        assert_int_equal(hr_fit(f->table.data, &options, &model, NULL), HR_E_ARGUMENT);
        assert_int_equal(entry, 0);
    }
}

/* What progress hears depends on public settings only: the same calls for other records, and for more of
 * them. */
static void test_fit__tells_progress_nothing_about_records(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq", "para"};
    table few = table_of_steps(2, 2, 2, 1), many = table_of_steps(3000, 2, 2, 2);
    for (size_t m = 0; m < COUNT(methods); m++) {
        told heard[2] = {{0}, {0}};
        for (int i = 0; i < 2; i++) {
            hr_fit_options options = options_of(methods[m], HR_MODE_SOUND);
            options.progress = listen;
            options.user = &heard[i];
            hr_model_free(fit((i ? many : few).data, &options));
        }
        assert_true(heard[0].calls > 0 && heard[0].last == heard[0].total);
        assert_memory_equal(&heard[0], &heard[1], sizeof heard[0]);
    }
    table_close(&few);
    table_close(&many);
}

int main(void) {
#define WITH_LEDGER(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        WITH_LEDGER(test_fit__refuses_a_schema_that_awaits_review),
        WITH_LEDGER(test_fit__refuses_data_without_labels),
        WITH_LEDGER(test_fit__refuses_data_without_rows),
        cmocka_unit_test(test_schema__needs_a_feature),
        WITH_LEDGER(test_fit__refuses_a_ledger_for_what_is_not_private),
        WITH_LEDGER(test_fit__refuses_bad_options_before_it_looks_at_the_ledger),
        WITH_LEDGER(test_fit__refuses_what_the_ledger_does_not_cover),
        WITH_LEDGER(test_fit__refuses_a_budget_that_is_none),
        WITH_LEDGER(test_fit__refuses_too_small_a_budget),
        WITH_LEDGER(test_fit__refuses_regions_of_too_many_dimensions),
        WITH_LEDGER(test_fit__gives_back_what_was_reserved_for_hashes_too_narrow),
        WITH_LEDGER(test_fit__refuses_a_frozen_ledger),
        WITH_LEDGER(test_fit__hands_out_its_own_entry),
        WITH_LEDGER(test_fit__commits_exactly_what_was_asked_for),
        WITH_LEDGER(test_fit__can_be_cancelled_but_not_for_free),
        cmocka_unit_test(test_fit__tells_progress_nothing_about_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
