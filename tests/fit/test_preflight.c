/* What can be known before a fit is refused before its budget is reserved: budgets that are too small for
 * some release, deltas above one in the number of records, too many classes, and tables that memory has no
 * room for. */
#include "support/sanitized.h"
#include "support/tables.h"
#include "support/temp_dir.h"

#include <sys/resource.h>
#include <sys/wait.h>

enum { ROWS = 40 };

typedef struct fixture {
    temp_dir *files;
    hr_ledger *ledger;
} fixture;

static int open_fixture(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open_in_memory((void **)&f->files)) return -1;
    if (hr_ledger_create(f->files->path, 1e5, .999, NULL) || hr_ledger_open(f->files->path, &f->ledger, NULL))
        return -1;
    *state = f;
    return 0;
}

static int close_fixture(void **state) {
    fixture *f = *state;
    hr_ledger_close(f->ledger);
    temp_dir_close((void **)&f->files);
    free(f);
    return 0;
}

static uint64_t entries_of(const fixture *f) {
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    return total.entries;
}

static bool is_private(size_t method) {
    const hr_method_info *info = hr_method_at(method);
    return info->is_private && !makes_no_plain_model(info->name);
}

static hr_fit_options charged_options(const fixture *f, const char *method) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.ledger = f->ledger;
    return options;
}

/* Refused, and no entry, not even a void one. */
static void assert_refused(const fixture *f, const hr_data *data, const hr_fit_options *options,
                           hr_status wanted, const char *says) {
    uint64_t before = entries_of(f);
    hr_model *model = NULL;
    hr_error err = {0};
    hr_status status = hr_fit(data, options, &model, &err);
    if (status != wanted) fail_msg("%s: status %d, not %d: %s", options->method, status, wanted, err.message);
    assert_null(model);
    assert_true(err.remedy[0] != '\0');
    char text[1024];
    hr_error_format(&err, text, sizeof text);
    if (!strstr(text, says)) fail_msg("%s: '%s' does not say '%s'", options->method, text, says);
    if (entries_of(f) != before)
        fail_msg("%s: refused with an entry in the ledger: %s", options->method, text);
}

/* ---- Budgets ---- */

/* The fit ends with a model and a committed entry, or with BUDGET and none; the plan of hedge says which.
 * True: a model. */
static bool fits_or_refuses(const fixture *f, const table *t, const hr_fit_options *options) {
    uint64_t before = entries_of(f);
    hr_model *model = NULL;
    hr_plan_info plan;
    hr_error err = {0};
    hr_status status = hr_fit(t->data, options, &model, &err);
    if (status && status != HR_E_BUDGET) fail_msg("%s: %s", options->method, err.message);
    assert_true((status == HR_OK) == (model != NULL));
    if (entries_of(f) != before + (status == HR_OK))
        fail_msg("%s, epsilon %g, delta %g: refused with an entry in the ledger: %s", options->method,
                 options->epsilon, options->delta, err.message);
    if (status) assert_string_equal(err.field, "epsilon");
    if (strcmp(options->method, hr_default_method()) == 0)
        assert_int_equal(hr_fit_plan(options, ROWS, hr_data_schema(t->data), &plan, NULL), status);
    hr_model_free(model);
    return !status;
}

/* Over twelve powers of ten; what a budget suffices for, all larger ones do. */
static void try_budgets(const fixture *f, const table *t, hr_fit_options options) {
    size_t fitted = 0;
    for (int tenths = -120; tenths <= -20; tenths += 4) {
        options.epsilon = pow(10, tenths / 10.);
        bool fits = fitted > 2 && tenths < -20 ? true : fits_or_refuses(f, t, &options);
        assert_true(fits || !fitted);
        fitted += fits;
    }
    if (!fitted) fail_msg("%s: epsilon .01 is refused, delta %g", options.method, options.delta);
}

static void test_budget__suffices_or_is_refused(void **state) {
    static const size_t classes[] = {2, 3, 0};
    static const double deltas[] = {0, 1e-9, 1e-3};
    for (size_t c = 0; c < COUNT(classes); c++) {
        table t = table_of_steps(ROWS, 4, classes[c], 5);
        for (size_t m = 0; m < hr_method_count(); m++)
            for (size_t d = 0; is_private(m) && d < COUNT(deltas); d++) {
                hr_fit_options options = charged_options(*state, hr_method_at(m)->name);
                if (classes[c] == 3 && strcmp(options.method, "inprivate") == 0) continue;
                if (classes[c] == 0 && strcmp(options.method, "id3") == 0) continue;
                options.delta = deltas[d];
                try_budgets(*state, &t, options);
            }
        table_close(&t);
    }
}

/* Options that divide the budget: many trees, deep ones, small shares, one feature to choose from, public
 * edges. */
static void test_budget__suffices_or_is_refused_however_it_is_shared(void **state) {
    static const char *const settings[][2] = {
        {"trees", "40"},  {"depth", "9"},      {"leaf-share", ".01"},  {"leaf-share", ".99"},
        {"part", "true"}, {"part", "false"},   {"count-share", ".01"}, {"features", "1"},
        {"bins", "2"},    {"edges", "public"}, {"bin-share", ".01"},   {"ensemble", "2"}};
    table t = table_of_steps(ROWS, 3, 2, 6);
    for (size_t m = 0; m < hr_method_count(); m++)
        for (size_t s = 0; is_private(m) && s < COUNT(settings); s++)
            for (int with_delta = 0; with_delta < 2; with_delta++) {
                hr_fit_options options = charged_options(*state, hr_method_at(m)->name);
                if (hr_fit_options_set(&options, settings[s][0], settings[s][1], NULL)) continue;
                options.delta = with_delta ? 1e-4 : 0;
                size_t fitted = 0;
                for (int tenths = -120; tenths <= -10 && fitted < 2; tenths += 5) {
                    options.epsilon = pow(10, tenths / 10.);
                    fitted += fits_or_refuses(*state, &t, &options);
                }
                assert_int_equal(fitted, 2);
            }
    table_close(&t);
}

/* The number of rounds follows from a noisy count: a budget is refused if the largest number could not be
 * paid for, whatever the count. */
static void test_plan__refuses_a_budget_whatever_the_number_of_records(void **state) {
    (void)state;
    hr_plan_info plan;
    for (int with_delta = 0; with_delta < 2; with_delta++)
        for (int tenths = -120; tenths <= -20; tenths++) {
            hr_fit_options options = options_of(hr_default_method(), HR_MODE_SOUND);
            options.epsilon = pow(10, tenths / 10.);
            options.delta = with_delta ? 1e-8 : 0;
            hr_status few = hr_fit_plan(&options, 1, NULL, &plan, NULL),
                      many = hr_fit_plan(&options, 1e7, NULL, &plan, NULL);
            assert_int_equal(few, many);
            assert_true(!few || few == HR_E_BUDGET);
        }
}

/* ---- Delta ---- */

static void test_delta__is_at_most_one_in_the_number_of_records(void **state) {
    table t = table_of_steps(16, 2, 2, 1);
    for (size_t m = 0; m < hr_method_count(); m++) {
        hr_fit_options options = charged_options(*state, hr_method_at(m)->name);
        if (!is_private(m)) continue;
        options.epsilon = .5;
        options.delta = .0625 + 0x1p-50;
        assert_refused(*state, t.data, &options, HR_E_POLICY, "at most 1/16,");
        options.delta = .1;
        assert_refused(*state, t.data, &options, HR_E_POLICY, "field 'delta'");
        options.ledger = NULL;
        assert_refused(*state, t.data, &options, HR_E_POLICY, "delta");
        options.delta = .0625;
        hr_model_free(fit(t.data, &options));
    }
    table_close(&t);
}

static void test_delta__of_a_thirtieth_is_one_in_thirty(void **state) {
    table t = table_of_steps(30, 2, 2, 1);
    hr_fit_options options = charged_options(*state, "dp-ert");
    options.delta = 1 / 30.;
    hr_model_free(fit(t.data, &options));
    options.delta = .0334;
    assert_refused(*state, t.data, &options, HR_E_POLICY, "delta");
    table_close(&t);
}

/* ---- Tables ---- */

static void test_labels__that_a_method_does_not_take(void **state) {
    table t = table_of_steps(ROWS, 2, 3, 1);
    hr_fit_options options = charged_options(*state, "inprivate");
    assert_refused(*state, t.data, &options, HR_E_ARGUMENT, "two classes");
    table_close(&t);

    enum { CLASSES = 300 };
    static char names[CLASSES][8];
    const char *values[CLASSES];
    for (size_t k = 0; k < CLASSES; k++) {
        snprintf(names[k], sizeof names[k], "c%zu", k);
        values[k] = names[k];
    }
    t = table_open(ROWS, 1);
    hr_column feature = number_column("x", 0, 1);
    table_make(&t,
               (hr_column){.name = "y",
                           .kind = HR_KIND_CATEGORY,
                           .value_count = CLASSES,
                           .values = values,
                           .source = "a public list"},
               &feature);
    options = charged_options(*state, "hedge");
    assert_refused(*state, t.data, &options, HR_E_LIMIT, "classes");
    table_close(&t);
}

static void test_plan__knows_methods_that_take_any_number_of_records(void **state) {
    (void)state;
    hr_plan_info plan;
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    assert_int_equal(hr_fit_plan(&options, 1e9, NULL, &plan, NULL), HR_OK);
}

static size_t addresses_in_use(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* In a process of its own, which has room for the table and 8 MB more. */
static void fit_without_room(const fixture *f, const table *t, const char *method) {
    hr_fit_options options = charged_options(f, method);
    hr_ledger_total total;
    hr_model *model = NULL;
    hr_error err = {0};
    size_t most = addresses_in_use() + (8 << 20);
    const struct rlimit limit = {most, most};
    if (hr_ledger_open(f->files->path, &options.ledger, NULL) || setrlimit(RLIMIT_AS, &limit)) _exit(9);
    hr_status status = hr_fit(t->data, &options, &model, &err);
    if (hr_ledger_sum(options.ledger, &total, NULL)) _exit(8);
    _exit(status == HR_E_MEMORY && strstr(err.message, "MB") && total.entries == 0 ? 0 : 1);
}

static void test_memory__is_asked_for_before_the_budget(void **state) {
    fixture *f = *state;
    if (IS_SANITIZED || !addresses_in_use()) skip();
    hr_ledger_close(f->ledger); /* no connection goes with a fork */
    f->ledger = NULL;
    table t = table_of_steps(1000000, 12, 2, 1);
    for (size_t m = 0; m < hr_method_count(); m++) {
        if (!is_private(m)) continue;
        int status = 0;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) fit_without_room(f, &t, hr_method_at(m)->name);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            fail_msg("%s: status %d", hr_method_at(m)->name, status);
    }
    table_close(&t);
}

/* "the fit needs about 123 MB". */
static double megabytes_wanted(const hr_data *data, const hr_fit_options *options) {
    static const char before[] = "the fit needs about ";
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_fit(data, options, &model, &err) != HR_E_MEMORY) return 0;
    const char *said = strstr(err.message, before);
    return said ? strtod(said + strlen(before), NULL) : 0;
}

/* In a process of its own, as above: what an interval's correction takes beside the trees, the records of
 * both sides once more, and of each record where it goes and what is predicted of it. */
static void ask_for_both_sides(const table *t) {
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    const double both = (double)t->rows * (double)(t->features + 1 + 2) * sizeof(double) / 1e6;
    const size_t most = addresses_in_use() + (8 << 20);
    const struct rlimit limit = {most, most};
    if (setrlimit(RLIMIT_AS, &limit)) _exit(9);
    const double plain = megabytes_wanted(t->data, &options);
    options.conformal = .8;
    const double corrected = megabytes_wanted(t->data, &options);
    _exit(plain > 0 && corrected - plain > both ? 0 : 1);
}

static void test_memory__of_records_held_out_is_asked_for(void **state) {
    (void)state;
    static const double quantiles[] = {.1, .5, .9};
    if (IS_SANITIZED || !addresses_in_use()) skip();
    table t = table_open(1000000, 3);
    hr_column label = number_column("y", 0, 1);
    const hr_column features[] = {number_column("x0", 0, 1), number_column("x1", 0, 1),
                                  number_column("x2", 0, 1)};
    label.quantiles = quantiles;
    label.quantile_count = COUNT(quantiles);
    table_make(&t, label, features);
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) ask_for_both_sides(&t);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) fail_msg("status %d", status);
    table_close(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_budget__suffices_or_is_refused),
        TEST(test_budget__suffices_or_is_refused_however_it_is_shared),
        TEST(test_plan__refuses_a_budget_whatever_the_number_of_records),
        TEST(test_delta__is_at_most_one_in_the_number_of_records),
        TEST(test_delta__of_a_thirtieth_is_one_in_thirty),
        TEST(test_labels__that_a_method_does_not_take),
        TEST(test_plan__knows_methods_that_take_any_number_of_records),
        TEST(test_memory__is_asked_for_before_the_budget),
        cmocka_unit_test(test_memory__of_records_held_out_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
