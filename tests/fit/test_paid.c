/* What a budget paid for is read back before its budget is final: outputs that cannot be read stay charged,
 * are kept as text, and go nowhere; the models of all methods with all options can be read. */
#include "base/fail.h"
#include "fit/fit.h"
#include "fit/measure/evaluation_figures.h"
#include "fit/paid.h"
#include "privacy/ledger/spend.h"
#include "support/tables.h"
#include "support/temp_dir.h"

enum { ROWS = 60, TRIES = 12, SETTINGS_MAX = 60, OWN_RIGHTS = 0600, RIGHTS = 0777 };

/* ---- Outputs that nobody can read ---- */

/* A model with a setting that it has already. */
typedef struct spoiled {
    table table;
    hr_model *model;
    hr_setting settings[SETTINGS_MAX];
} spoiled;

static void open_spoiled(spoiled *s) {
    hr_fit_options options = options_of("dp-ert", HR_MODE_SOUND);
    options.trees = 2;
    s->table = table_of_steps(ROWS, 2, 2, 3);
    s->model = fit(s->table.data, &options);
    assert_int_equal(hr_paid_check(&hr_paid_model, s->model, NULL, NULL), HR_OK);
    const size_t count = s->model->setting_count;
    assert_true(count < SETTINGS_MAX);
    memcpy(s->settings, s->model->settings, count * sizeof *s->settings);
    s->settings[count] = (hr_setting){s->settings[0].name, "2"};
    s->model->settings = s->settings;
    s->model->setting_count = count + 1;
}

static void close_spoiled(spoiled *s) {
    hr_model_free(s->model);
    table_close(&s->table);
}

static void check_kept(const char *path, const hr_model *model) {
    char *json = NULL;
    size_t size;
    struct stat found;
    assert_int_equal(hr_model_render(model, &json, NULL), HR_OK);
    char *kept = read_file(path, &size);
    assert_int_equal(size, strlen(json));
    assert_memory_equal(kept, json, size);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & RIGHTS, OWN_RIGHTS);
    free(kept);
    hr_text_free(json);
}

static void test_check__keeps_the_text_of_what_cannot_be_read(void **state) {
    const temp_dir *files = *state;
    spoiled s;
    hr_error err = {0};
    char path[128];
    open_spoiled(&s);
    snprintf(path, sizeof path, "%s/model.json.unread", files->folder);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(hr_paid_check(&hr_paid_model, s.model, path, &err), HR_E_FORMAT);
        check_file_error(
            &err, HR_E_FORMAT,
            "the model that was paid for cannot be read back: this is not valid JSON: the key occurs twice",
            path);
        assert_true(err.line > 1);
        assert_non_null(strstr(err.remedy, "what was charged stays charged"));
        check_kept(path, s.model);
    }
    close_spoiled(&s);
}

static hr_status rewrite_without_memory(const char *text, char **again, hr_error *err) {
    (void)text;
    (void)again;
    return hr_fail_memory(err);
}

/* Then the output is as good as any: nobody is asked to report it. */
static void test_check__says_when_there_is_no_memory_to_read_with(void **state) {
    const temp_dir *files = *state;
    const hr_paid_kind kind = {"model", hr_paid_model.render, rewrite_without_memory};
    spoiled s;
    char path[128];
    open_spoiled(&s);
    snprintf(path, sizeof path, "%s/model.json.unread", files->folder);
    for (int kept = 0; kept < 2; kept++) {
        hr_error err = {0};
        assert_int_equal(hr_paid_check(&kind, s.model, kept ? path : NULL, &err), HR_E_MEMORY);
        assert_null(strstr(err.remedy, "report"));
        assert_non_null(strstr(err.remedy, "more memory"));
        assert_non_null(strstr(err.remedy, kept ? "the file has the text" : "the text is lost"));
        if (kept) check_kept(path, s.model);
    }
    close_spoiled(&s);
}

static void test_check__says_when_the_text_is_lost(void **state) {
    const temp_dir *files = *state;
    spoiled s;
    char path[128];
    open_spoiled(&s);
    snprintf(path, sizeof path, "%s/no/such/folder", files->folder);
    const char *const nowhere[] = {NULL, path};
    for (size_t i = 0; i < 2; i++) {
        hr_error err = {0};
        assert_int_equal(hr_paid_check(&hr_paid_model, s.model, nowhere[i], &err), HR_E_FORMAT);
        assert_non_null(strstr(err.remedy, "the text is lost"));
        assert_string_equal(err.file, "");
    }
    close_spoiled(&s);
}

static bool take_state(void *user, const hr_ledger_entry *entry) {
    *(hr_entry_state *)user = entry->state;
    return false;
}

static hr_entry_state first_state(hr_ledger *ledger) {
    hr_entry_state found = HR_ENTRY_VOID;
    assert_int_equal(hr_ledger_each(ledger, take_state, &found, NULL), HR_OK);
    return found;
}

static void test_commit__leaves_reserved_what_cannot_be_read(void **state) {
    const temp_dir *files = *state;
    spoiled s;
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    int64_t entry = 0;
    char path[160];
    open_spoiled(&s);
    assert_int_equal(hr_ledger_create(files->path, 1, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(files->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, .5, 0, "a fit", &entry, NULL), HR_OK);
    snprintf(path, sizeof path, "%s.entry-%lld.unread", hr_ledger_path(ledger), (long long)entry);
    assert_int_equal(hr_paid_commit(&hr_paid_model, s.model, ledger, entry, &err), HR_E_FORMAT);
    assert_string_equal(err.file, path);
    check_kept(path, s.model);
    assert_int_equal(first_state(ledger), HR_ENTRY_RESERVED);
    s.model->setting_count--;
    assert_int_equal(hr_paid_commit(&hr_paid_model, s.model, ledger, entry, &err), HR_OK);
    assert_int_equal(first_state(ledger), HR_ENTRY_COMMITTED);
    hr_ledger_close(ledger);
    close_spoiled(&s);
}

/* The reader adds up what the releases cost: a model that promises less than that is not committed either. */
static void test_check__adds_the_releases_up(void **state) {
    (void)state;
    spoiled s;
    open_spoiled(&s);
    s.model->setting_count--;
    s.model->guarantee.epsilon /= 2;
    assert_int_equal(hr_paid_check(&hr_paid_model, s.model, NULL, NULL), HR_E_FORMAT);
    close_spoiled(&s);
}

static void test_check__reads_figures(void **state) {
    (void)state;
    hr_evaluation e = {
        .task = HR_TASK_BINARY,
        .figure_count = 2,
        .figures = {{"records", 812.25, 3, 800, 820}, {"error", (double)NAN, (double)NAN, 0, 1}},
        .release_count = 1,
        .releases = {{.what = "outcomes",
                      .mechanism = "laplace",
                      .sensitivity = 1,
                      .scale = 2. / 3,
                      .cost = .5,
                      .draws = 4}},
        .epsilon = 1. / 3,
        .delta = 1e-6,
        .epsilon_replace = 2. / 3,
        .delta_replace = 2.7182e-6,
        .statement = "The figures are private."};
    assert_int_equal(hr_paid_check(&hr_paid_evaluation, &e, NULL, NULL), HR_OK);
    hr_evaluation twice = e, quoted = e, nameless = e;
    snprintf(twice.figures[1].name, HR_FIGURE_NAME, "records");
    assert_int_equal(hr_paid_check(&hr_paid_evaluation, &twice, NULL, NULL), HR_E_FORMAT);
    snprintf(quoted.statement, sizeof quoted.statement, "of the label \"yes\"");
    assert_int_equal(hr_paid_check(&hr_paid_evaluation, &quoted, NULL, NULL), HR_E_FORMAT);
    nameless.releases[0].scale = (double)NAN;
    assert_int_equal(hr_paid_check(&hr_paid_evaluation, &nameless, NULL, NULL), HR_E_FORMAT);
}

static void test_check__reads_schemas(void **state) {
    (void)state;
    table t = table_of_steps(4, 2, 2, 1);
    assert_int_equal(hr_paid_check(&hr_paid_schema, t.schema, NULL, NULL), HR_OK);
    table_close(&t);
}

/* ---- All methods, modes and options ---- */

static void set_at_random(hr_fit_options *options, const hr_option_info *option, uint64_t *seed) {
    static const char *const numbers[] = {"0", "0.01", "0.05", "0.1", "0.25", "0.5", "0.9",
                                          "1", "1.5",  "2",    "3",   "5",    "12",  "40"};
    char words[120];
    const uint64_t pick = next_random(seed);
    if (!strcmp(option->name, "trees") || pick % 3) return;
    if (!strchr(option->range, '|')) {
        /* Those outside the option's range are refused, and the default stays. */
        (void)!hr_fit_options_set(options, option->name,
                                  numbers[(pick >> 8) % (sizeof numbers / sizeof *numbers)], NULL);
        return;
    }
    snprintf(words, sizeof words, "%s", option->range);
    char *lists = strstr(words, "|LISTS"); /* of the schema's features */
    if (lists) *lists = '\0';
    size_t count = 1;
    for (const char *at = words; *at; at++) count += *at == '|';
    char *word = words;
    for (size_t skip = (pick >> 8) % count; skip; skip--) word = strchr(word, '|') + 1;
    word[strcspn(word, "|")] = '\0';
    assert_int_equal(hr_fit_options_set(options, option->name, word, NULL), HR_OK);
}

/* Fits that the options forbid are refused before they begin. */
static bool check_random_fit(const hr_data *data, const hr_method_info *method, hr_mode mode,
                             uint64_t *seed) {
    hr_fit_options options = seeded_options_of(method->name, mode, next_random(seed));
    hr_option_info option;
    hr_model *model = NULL;
    hr_error err = {0};
    for (size_t i = 0; hr_method_option(method, i, &option); i++)
        if (*(mode == HR_MODE_PAPER ? option.paper : option.sound)) set_at_random(&options, &option, seed);
    (void)!hr_fit_options_set(&options, "trees", "3", NULL);
    if (hr_fit(data, &options, &model, NULL)) return false;
    if (hr_paid_check(&hr_paid_model, model, NULL, &err))
        fail_msg("%s: %s: %s", method->name, err.field, err.message);
    hr_model_free(model);
    return true;
}

static void test_check__reads_the_models_of_all_methods_with_all_options(void **state) {
    (void)state;
    uint64_t seed = 35;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        table t = table_of_steps(ROWS, 3, classes, 5);
        for (size_t m = 0; m < hr_method_count(); m++)
            for (hr_mode mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
                const hr_method_info *method = hr_method_at(m);
                hr_fit_options options;
                size_t read = 0;
                if (hr_fit_options_init(&options, method->name, mode, NULL)) continue;
                for (size_t i = 0; i < TRIES; i++) read += check_random_fit(t.data, method, mode, &seed);
                const bool trains = !hr_fit_check(t.data, &options, NULL);
                if (trains && read < 2)
                    fail_msg("%s, mode %d, %zu classes: %zu fits", method->name, (int)mode, classes, read);
            }
        table_close(&t);
    }
}

/* What a fit, a search and a job write beside the options has no option's name. */
static void test_options__have_names_of_their_own(void **state) {
    (void)state;
    static const char *const beside[] = {
        HR_RECORDS_SETTING, HR_PER_PERSON_SETTING, "unit",         "private-bounds", "bounds-share",
        "class-weights",    "tuned-settings",      "tuned-chosen", "tuned-epsilon",  "tuned-share"};
    for (size_t m = 0; m < hr_method_count(); m++) {
        hr_option_info option;
        for (size_t i = 0; hr_method_option(hr_method_at(m), i, &option); i++) {
            assert_null(strchr(option.name, '.'));
            for (size_t b = 0; b < sizeof beside / sizeof *beside; b++)
                assert_string_not_equal(option.name, beside[b]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_check__keeps_the_text_of_what_cannot_be_read, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_check__says_when_there_is_no_memory_to_read_with, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_check__says_when_the_text_is_lost, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_commit__leaves_reserved_what_cannot_be_read, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test(test_check__adds_the_releases_up),
        cmocka_unit_test(test_check__reads_figures),
        cmocka_unit_test(test_check__reads_schemas),
        cmocka_unit_test(test_check__reads_the_models_of_all_methods_with_all_options),
        cmocka_unit_test(test_options__have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
