/* Settings chosen for one budget: what is refused, what is charged and when, what the model states, and which
 * setting is chosen. The exact law of a whole selection on two neighbouring tables, at the costs that a real
 * one has in its list. */
#include "support/flip_law.h"
#include "support/person_tables.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "trees/candidates/evaluation_counts.h"

#include <hedgerow/tune.h>

enum { ROWS = 600, SETTINGS = 3 };

/* A table, settings of dpboost from poor to good, and a ledger with epsilon 5 and delta 1e-4. */
typedef struct fixture {
    temp_dir *files;
    table table;
    hr_fit_options settings[SETTINGS];
    const hr_fit_options *list[HR_TUNE_SETTINGS_MAX + 1];
    hr_ledger *ledger;
} fixture;

static int open_fixture(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open((void **)&f->files)) return -1;
    f->table = table_of_steps(ROWS, 3, 2, 7);
    for (size_t i = 0; i < SETTINGS; i++) {
        f->settings[i] = options_of("dpboost", HR_MODE_SOUND);
        f->settings[i].trees = 1 + 2 * (int64_t)i;
        f->settings[i].depth = 1 + (int64_t)i;
        f->settings[i].edges = HR_EDGES_PUBLIC;
    }
    for (size_t i = 0; i < COUNT(f->list); i++) f->list[i] = &f->settings[i % SETTINGS];
    if (hr_ledger_create(f->files->path, 5, 1e-4, NULL) || hr_ledger_open(f->files->path, &f->ledger, NULL))
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

static hr_tune_options tune_options(double epsilon, double delta, hr_ledger *ledger) {
    hr_tune_options options = HR_TUNE_OPTIONS_INIT;
    options.epsilon = epsilon;
    options.delta = delta;
    options.ledger = ledger;
    return options;
}

static hr_tuned tune(const fixture *f, size_t count, const hr_tune_options *options) {
    hr_tuned tuned;
    hr_error err = {0};
    if (hr_tune(f->table.data, f->list, count, options, &tuned, &err))
        fail_msg("%s: %s", err.field, err.message);
    return tuned;
}

/* ---- What is refused ---- */

static void assert_refused(const fixture *f, size_t count, hr_tune_options options, hr_status wanted,
                           const char *says) {
    hr_tuned tuned, before;
    hr_error err = {0};
    hr_ledger_total total;
    char text[1024];
    int64_t entry = 77;
    memset(&tuned, 9, sizeof tuned);
    before = tuned;
    options.entry = &entry;
    const hr_status status = hr_tune(f->table.data, f->list, count, &options, &tuned, &err);
    hr_error_format(&err, text, sizeof text);
    if (status != wanted || !strstr(text, says)) fail_msg("status %d: '%s' for '%s'", status, text, says);
    assert_true(*err.remedy);
    assert_memory_equal(&tuned, &before, sizeof tuned);
    assert_int_equal(hr_tune(f->table.data, f->list, count, &options, &tuned, NULL), wanted);
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    assert_true(total.entries == 0 && total.epsilon_spent == 0);
}

static void test_tune__refuses_amounts_out_of_range(void **state) {
    fixture *f = *state;
    const double epsilons[] = {0, -1, 1.1e4, (double)NAN};
    for (size_t i = 0; i < COUNT(epsilons); i++)
        assert_refused(f, SETTINGS, tune_options(epsilons[i], 0, f->ledger), HR_E_ARGUMENT, "epsilon");
    assert_refused(f, SETTINGS, tune_options(1, 1, f->ledger), HR_E_ARGUMENT, "delta");
    assert_refused(f, SETTINGS, tune_options(1, 1e-2, f->ledger), HR_E_POLICY, "delta");
    assert_refused(f, SETTINGS, tune_options(1e-11, 0, f->ledger), HR_E_BUDGET, "epsilon");
    assert_refused(f, SETTINGS, tune_options(5.1, 0, f->ledger), HR_E_BUDGET, "asked 5.1");
    assert_refused(f, 1, tune_options(1, 0, f->ledger), HR_E_ARGUMENT, "there are 1 settings");
    assert_refused(f, 65, tune_options(1, 0, f->ledger), HR_E_ARGUMENT, "there are 65 settings");
    hr_tune_options options = tune_options(1, 0, f->ledger);
    options.share = .95;
    assert_refused(f, SETTINGS, options, HR_E_ARGUMENT, "share");
    options = (hr_tune_options){.size = 3};
    assert_refused(f, SETTINGS, options, HR_E_ARGUMENT, "not initialised");
}

static void refuse_second(fixture *f, const hr_fit_options *second, double delta, hr_status wanted,
                          const char *says) {
    f->settings[1] = *second;
    assert_refused(f, SETTINGS, tune_options(1, delta, f->ledger), wanted, says);
    f->settings[1] = f->settings[0];
}

static void test_tune__refuses_settings_that_cannot_take_part(void **state) {
    fixture *f = *state;
    const char *const names[] = {"x0"};
    hr_fit_options second = options_of("gbdt", HR_MODE_SOUND);
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "'settings[1]': it cannot take part: the method has no");
    second = options_of("dpboost", HR_MODE_PAPER);
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "no guarantee in this mode");
    second = options_of("hedge", HR_MODE_SOUND);
    refuse_second(f, &second, 1e-6, HR_E_ARGUMENT, "different measures");
    second = f->settings[0];
    second.private_bounds = names;
    second.private_bounds_count = 1;
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "private bounds are not those");
    second = f->settings[0];
    second.records_per_person = 2;
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "records-per-person");
    second = f->settings[0];
    second.leak = "the bounds of x0";
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "read off the records");
    second = f->settings[0];
    second.reproducible_noise = true;
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "noise is not that of the first");
    second = f->settings[0];
    second.depth = 99;
    refuse_second(f, &second, 0, HR_E_ARGUMENT, "settings[1].depth");
    second = f->settings[0];
    second.trees = 100000; /* the model could be trained, the trial has too little */
    second.by_name[HR_OPTION_ENSEMBLE] = 1;
    f->settings[1] = second;
    assert_refused(f, SETTINGS, tune_options(1e-8, 0, f->ledger), HR_E_BUDGET, "settings[1]");
    f->settings[1].size = 5;
    assert_refused(f, SETTINGS, tune_options(1, 0, f->ledger), HR_E_ARGUMENT, "settings[1]");
}

static void test_tune__refuses_a_ledger_for_noise_from_a_seed(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < SETTINGS; i++) f->settings[i].reproducible_noise = true;
    assert_refused(f, SETTINGS, tune_options(1, 0, f->ledger), HR_E_POLICY, "reproducible");
}

/* ---- What is charged, and what the model states ---- */

typedef struct watch {
    hr_ledger *ledger;
    double spent; /* when the first training began */
    size_t calls, last;
} watch;

static bool look_at_ledger(void *user, size_t done, size_t total) {
    watch *w = user;
    hr_ledger_total sum;
    assert_true(done >= w->last && done <= total);
    w->last = done;
    if (!w->calls++ && !hr_ledger_sum(w->ledger, &sum, NULL)) w->spent = sum.epsilon_spent;
    return true;
}

static void test_tune__is_charged_before_the_first_training(void **state) {
    fixture *f = *state;
    const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        hr_tune_options options = tune_options(1.5, deltas[d], f->ledger);
        watch w = {.ledger = f->ledger};
        int64_t entry = 0;
        hr_ledger_total total;
        options.entry = &entry;
        options.progress = look_at_ledger;
        options.user = &w;
        hr_tuned tuned = tune(f, SETTINGS, &options);
        assert_true(w.spent == 1.5 * (double)(d + 1) && w.last == 1000 * (SETTINGS + 1));
        assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
        assert_true(entry > 0 && total.entries == d + 1 && total.epsilon_spent == 1.5 * (double)(d + 1));
        assert_true(total.delta_spent >= .99 * deltas[d]);
        hr_model_free(tuned.model);
    }
    assert_string_equal(query_database(f->files->path, "select purpose from entries where id = 1"),
                        "tune 3 settings for y");
    assert_string_equal(query_database(f->files->path, "select group_concat(distinct state) from entries"),
                        "committed");
}

static bool stop_in_second(void *user, size_t done, size_t total) {
    (void)user;
    (void)total;
    return done < 1001;
}

static void test_tune__that_is_stopped_stays_charged(void **state) {
    fixture *f = *state;
    hr_tune_options options = tune_options(1, 0, f->ledger);
    hr_tuned tuned;
    int64_t entry = 0;
    hr_ledger_total total;
    options.progress = stop_in_second;
    options.entry = &entry;
    assert_int_equal(hr_tune(f->table.data, f->list, SETTINGS, &options, &tuned, NULL), HR_E_CANCELLED);
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    assert_true(entry == 1 && total.epsilon_spent == 1);
}

static size_t lines_of(const hr_model *model, const char *what, double *cost) {
    size_t found = 0;
    hr_release_info line;
    *cost = 0;
    for (size_t i = 0; i < hr_model_release_count(model); i++) {
        hr_model_release_at(model, i, &line);
        if (strcmp(line.what, what) != 0) continue;
        *cost += line.cost;
        found++;
    }
    return found;
}

/* The list holds every trial, the choice and the fit, costs no more than the whole, and is read back. */
static void check_list(const fixture *f, const char *method, double delta, size_t classes) {
    table t = table_of_steps(ROWS, 2, classes, 3);
    hr_fit_options settings[2] = {options_of(method, HR_MODE_SOUND), options_of(method, HR_MODE_SOUND)};
    settings[1].bins = 8;
    const hr_fit_options *const list[] = {&settings[0], &settings[1]};
    const hr_tune_options options = tune_options(2, delta, NULL);
    hr_tuned tuned;
    hr_error err = {0};
    (void)f;
    if (hr_tune(t.data, list, 2, &options, &tuned, &err)) fail_msg("%s: %s", method, err.message);
    const hr_guarantee *g = hr_model_guarantee(tuned.model);
    assert_true(g->is_private && g->epsilon == 2 && g->epsilon_replace >= 2 && g->delta <= delta);
    assert_true(tuned.epsilon_fit < 2 && tuned.epsilon_fit > 1.5);
    assert_true(tuned.epsilon_trial > 0 && tuned.epsilon_trial < .5);
    assert_non_null(strstr(g->statement, "(2, "));
    assert_non_null(strstr(g->statement, "each of 2 settings trained once"));
    double cost;
    hr_units units;
    assert_int_equal(lines_of(tuned.model, "choice of a setting", &cost), 1);
    assert_int_equal(hr_account(tuned.model->releases, tuned.model->release_count, &units, NULL), HR_OK);
    hr_guarantee added;
    hr_guarantee_of(units, tuned.model->privacy_measure, g->delta, &added);
    assert_true(added.epsilon <= 2 && added.epsilon > 1.8);
    /* Three trainings. */
    hr_fit_options alone = settings[tuned.chosen];
    alone.epsilon = tuned.epsilon_fit;
    alone.delta = delta;
    hr_model *one = fit(t.data, &alone);
    assert_true(hr_model_release_count(tuned.model) > 2 * hr_model_release_count(one));
    char *json = NULL;
    hr_model *again = NULL;
    assert_int_equal(hr_model_render(tuned.model, &json, NULL), HR_OK);
    if (hr_model_parse(json, strlen(json), "model", &again, &err)) fail_msg("%s: %s", err.field, err.message);
    hr_text_free(json);
    hr_model_free(one);
    hr_model_free(again);
    hr_model_free(tuned.model);
    table_close(&t);
}

static void test_tune__lists_all_that_it_released(void **state) {
    check_list(*state, "hedge", 1e-6, 2);
    check_list(*state, "hedge", 0, 3);
    check_list(*state, "hedge", 1e-6, 0);
    check_list(*state, "dpboost", 1e-6, 0);
    check_list(*state, "dpboost", 0, 2);
    check_list(*state, "dp-df", 0, 2);
}

static void test_tune__releases_bounds_once(void **state) {
    (void)state;
    static const char *const names[] = {"x0", "x1"};
    const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        table t = table_of_steps(ROWS, 2, 0, 3);
        hr_fit_options settings[2] = {options_of("hedge", HR_MODE_SOUND), options_of("hedge", HR_MODE_SOUND)};
        settings[1].bins = 8;
        for (size_t i = 0; i < 2; i++) {
            settings[i].private_bounds = names;
            settings[i].private_bounds_count = 2;
        }
        const hr_fit_options *const list[] = {&settings[0], &settings[1]};
        const hr_tune_options options = tune_options(8, deltas[d], NULL);
        hr_tuned tuned;
        hr_error err = {0};
        if (hr_tune(t.data, list, 2, &options, &tuned, &err)) fail_msg("%s", err.message);
        const hr_guarantee *g = hr_model_guarantee(tuned.model);
        double cost;
        assert_true(g->is_private && g->epsilon == 8);
        assert_int_equal(lines_of(tuned.model, "magnitudes", &cost), 2);
        if (deltas[d] == 0) assert_true(cost <= .3 && cost > .29); /* six eighths of a share of 0.05, once */
        assert_non_null(strstr(g->statement, "The bounds of 2 columns were released as well"));
        const hr_column *x = hr_schema_feature(hr_model_schema(tuned.model), 0);
        assert_true(x->low <= 0 && x->high >= .5 && x->high < 1e3);
        hr_model_free(tuned.model);
        table_close(&t);
    }
}

static void test_tune__with_noise_from_a_seed_is_not_private(void **state) {
    fixture *f = *state;
    const hr_tune_options options = tune_options(1, 0, NULL);
    char *texts[2];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < SETTINGS; i++) f->settings[i].reproducible_noise = true;
        hr_tuned tuned = tune(f, SETTINGS, &options);
        assert_false(hr_model_guarantee(tuned.model)->is_private);
        assert_int_equal(hr_model_render(tuned.model, &texts[k], NULL), HR_OK);
        hr_model_free(tuned.model);
    }
    assert_string_equal(texts[0], texts[1]);
    hr_text_free(texts[0]);
    hr_text_free(texts[1]);
}

static void test_tune__protects_persons_where_the_schema_names_them(void **state) {
    fixture *f = *state;
    person_tables t;
    person_tables_open(&t, 2, &(person_canary){50, true}, 1);
    hr_fit_options settings[2] = {options_of("hedge", HR_MODE_SOUND), options_of("hedge", HR_MODE_SOUND)};
    settings[1].bins = 4;
    const hr_fit_options *const list[] = {&settings[0], &settings[1]};
    const hr_tune_options options = tune_options(2, 1e-6, f->ledger);
    hr_tuned tuned;
    assert_int_equal(hr_tune(t.with, list, 2, &options, &tuned, NULL), HR_OK);
    assert_string_equal(hr_model_guarantee(tuned.model)->unit, HR_ONE_PERSON);
    char *unit = NULL;
    assert_int_equal(hr_ledger_unit(f->ledger, &unit, NULL), HR_OK);
    assert_string_equal(unit, "who");
    hr_text_free(unit);
    hr_model_free(tuned.model);
    person_tables_close(&t);
}

/* ---- Which setting is chosen ---- */

/* With much to spend the scores decide: a stump cannot say what three levels can. */
static void test_tune__chooses_what_predicts_better(void **state) {
    fixture *f = *state;
    size_t good = 0;
    f->settings[0].trees = 1;
    f->settings[0].learning_rate = .01;
    f->settings[1] = f->settings[2] = f->settings[0];
    f->settings[1].trees = 5;
    f->settings[1].depth = 3;
    f->settings[1].learning_rate = .5;
    for (size_t run = 0; run < 20; run++) {
        hr_tune_options options = tune_options(200, 0, NULL);
        options.share = .5;
        hr_tuned tuned = tune(f, SETTINGS, &options);
        good += tuned.chosen == 1;
        assert_true(hr_model_setting(tuned.model, "tuned-chosen") == (double)tuned.chosen + 1);
        hr_model_free(tuned.model);
    }
    assert_int_equal(good, 20);
}

/* 200 records, and 800 of which everything is the other way round: most speak for the setting that learns
 * nothing. `more` of the schema says why they count less. */
static void check_few_decide(const char *more) {
    enum { FEW = 200, MANY = 800, LINE = 40 };
    char text[300];
    snprintf(text, sizeof text,
             "hedgerow-schema: 1\n%slabel: {name: y, kind: classes, values: [\"0\", \"1\"]}\nfeatures:\n"
             "  - {name: x, kind: number, low: 0, high: 1}\n",
             more);
    hr_schema *schema = schema_of_text(text);
    char *csv = calloc(FEW + MANY + 1, LINE);
    assert_non_null(csv);
    size_t at = (size_t)sprintf(csv, "who,w,x,y\n");
    for (unsigned i = 0; i < FEW + MANY; i++) {
        const unsigned who = i < FEW ? i : FEW, x = i * 37 % 100;
        const bool high = x >= 50;
        at += (size_t)sprintf(csv + at, "%u,%s,0.%02u,%u\n", who, i < FEW ? "2" : "0.01", x,
                              (unsigned)(high == (i < FEW)));
    }
    hr_data *data = data_of_text(schema, csv);
    hr_fit_options settings[2] = {options_of("dpboost", HR_MODE_SOUND), options_of("dpboost", HR_MODE_SOUND)};
    for (size_t i = 0; i < 2; i++) settings[i].edges = HR_EDGES_PUBLIC;
    settings[0].trees = 1;
    settings[0].learning_rate = .001;
    const hr_fit_options *const list[] = {&settings[0], &settings[1]};
    hr_tune_options options = tune_options(2000, 0, NULL);
    options.share = .5;
    for (size_t run = 0; run < 5; run++) {
        hr_tuned tuned;
        hr_error err = {0};
        if (hr_tune(data, list, 2, &options, &tuned, &err)) fail_msg("%s", err.message);
        assert_int_equal(tuned.chosen, 1);
        hr_model_free(tuned.model);
    }
    hr_data_free(data);
    hr_schema_free(schema);
    free(csv);
}

/* They are one person's. */
static void test_tune__counts_persons_and_not_their_records(void **state) {
    (void)state;
    check_few_decide("unit: who\n");
}

static void test_tune__counts_weights_and_not_records(void **state) {
    (void)state;
    check_few_decide("unit: record\nweight: {column: w, high: 2}\n");
}

/* With nearly nothing to spend they do not: each setting is met in 300 choices of 3, but for 3 (2/3)^300. */
static void test_tune__chooses_any_where_little_is_paid(void **state) {
    fixture *f = *state;
    size_t met[SETTINGS] = {0};
    for (size_t i = 0; i < SETTINGS; i++) f->settings[i].trees = 1;
    for (size_t run = 0; run < 300; run++) {
        const hr_tune_options options = tune_options(.02, 0, NULL);
        hr_tuned tuned = tune(f, SETTINGS, &options);
        met[tuned.chosen]++;
        hr_model_free(tuned.model);
    }
    for (size_t i = 0; i < SETTINGS; i++) assert_true(met[i] > 0);
}

/* ---- The exact law of a selection ---- */

/* A small world of the same shape: a record is a bit. A training releases the count of ones with discrete
 * Laplace noise, its model says that a record is one with probability `count`/RECORDS, held within 0 to 1.
 * Trials, the choice and the last training have the epsilons of a real selection. All outcomes are counted
 * out, so the law of (choice, last count) is exact, but for what is cut off at the ends. */
enum { RECORDS = 3, END = 400, LAST = 200, MODELS = RECORDS + 1 };

static double laplace_law(int64_t x, double epsilon) {
    const double q = exp(-epsilon);
    return (1 - q) / (1 + q) * pow(q, fabs((double)x));
}

/* p[m]: the probability that a trial's count is that of model m, with noise from -END to END. */
static void trial_law(int ones, double epsilon, double p[MODELS]) {
    memset(p, 0, MODELS * sizeof *p);
    for (int x = -END; x <= END; x++) {
        const int count = ones + x < 0 ? 0 : ones + x > RECORDS ? RECORDS : ones + x;
        p[count] += laplace_law(x, epsilon);
    }
}

static double score_of(int model, int records, int ones) {
    double predicted[2 * (RECORDS + 1)], labels[RECORDS + 1];
    for (int i = 0; i < records; i++) {
        predicted[2 * i + 1] = (double)model / RECORDS;
        predicted[2 * i] = 1 - predicted[2 * i + 1];
        labels[i] = i < ones;
    }
    const hr_scored scored = {
        .rows = (size_t)records, .outputs = 2, .predicted = predicted, .labels = labels};
    hr_exact sum = {0};
    hr_scored_total(&scored, NULL, &sum);
    return (double)sum.unpaid;
}

typedef struct amounts {
    double trial, last;
    double rate; /* of the choice: epsilon over width, as its line has it */
} amounts;

/* out[first model][second model][choice]: of two trials. */
static void selection_law(int records, int ones, const amounts *e, double out[MODELS][MODELS][2]) {
    double trial[MODELS];
    trial_law(ones, e->trial, trial);
    for (int a = 0; a < MODELS; a++)
        for (int b = 0; b < MODELS; b++) {
            const double scores[2] = {score_of(a, records, ones), score_of(b, records, ones)};
            double chosen[2];
            flip_law(scores, 2, e->rate, chosen);
            for (int k = 0; k < 2; k++) out[a][b][k] = trial[a] * trial[b] * chosen[k];
        }
}

/* The largest |ln| of the quotient of both laws: of the whole transcript without the last count. */
static double transcript_loss(int records, int ones, int added, const amounts *e) {
    double with[MODELS][MODELS][2], without[MODELS][MODELS][2], most = 0;
    selection_law(records, ones, e, without);
    selection_law(records + 1, ones + added, e, with);
    for (int a = 0; a < MODELS; a++)
        for (int b = 0; b < MODELS; b++)
            for (int k = 0; k < 2; k++) most = fmax(most, fabs(log(with[a][b][k] / without[a][b][k])));
    return most;
}

static void test_selection__loses_what_it_is_charged(void **state) {
    fixture *f = *state;
    const double total = 1;
    hr_tune_options options = tune_options(total, 0, NULL);
    options.share = .5;
    hr_tuned tuned = tune(f, 2, &options);
    amounts e = {.trial = tuned.epsilon_trial, .last = tuned.epsilon_fit};
    double choice;
    assert_int_equal(lines_of(tuned.model, "choice of a setting", &choice), 1);
    for (size_t i = 0; i < tuned.model->release_count; i++) {
        const hr_release *line = &tuned.model->releases[i];
        if (!strcmp(line->what, "choice of a setting"))
            e.rate = (double)line->scale_num / (double)line->scale_den;
    }
    hr_model_free(tuned.model);
    assert_true(2 * e.trial + choice + e.last <= total && 2 * e.trial + choice + e.last > total - 1e-9);
    double most = 0;
    for (int ones = 0; ones <= RECORDS; ones++)
        for (int added = 0; added < 2; added++)
            most = fmax(most, transcript_loss(RECORDS, ones, added, &e) + added * e.last);
    /* At most what is charged; and nearly as much, so that it is not charged twice. */
    assert_true(most <= total + 1e-9);
    assert_true(most > .9 * total);
}

static void test_scores__change_by_their_width_at_most(void **state) {
    (void)state;
    double most = 0;
    for (int a = 0; a < MODELS; a++)
        for (int ones = 0; ones <= RECORDS; ones++)
            for (int added = 0; added < 2; added++) {
                const double change = score_of(a, RECORDS + 1, ones + added) - score_of(a, RECORDS, ones);
                assert_true(change <= 0 && change >= -(double)HR_TOTAL_WIDTH);
                most = fmax(most, -change);
            }
    assert_true(most == HR_TOTAL_WIDTH);
}

int main(void) {
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_tune__refuses_amounts_out_of_range),
        WITH_FIXTURE(test_tune__refuses_settings_that_cannot_take_part),
        WITH_FIXTURE(test_tune__refuses_a_ledger_for_noise_from_a_seed),
        WITH_FIXTURE(test_tune__is_charged_before_the_first_training),
        WITH_FIXTURE(test_tune__that_is_stopped_stays_charged),
        WITH_FIXTURE(test_tune__lists_all_that_it_released),
        cmocka_unit_test(test_tune__releases_bounds_once),
        WITH_FIXTURE(test_tune__with_noise_from_a_seed_is_not_private),
        WITH_FIXTURE(test_tune__protects_persons_where_the_schema_names_them),
        WITH_FIXTURE(test_tune__chooses_what_predicts_better),
        cmocka_unit_test(test_tune__counts_persons_and_not_their_records),
        cmocka_unit_test(test_tune__counts_weights_and_not_records),
        WITH_FIXTURE(test_tune__chooses_any_where_little_is_paid),
        WITH_FIXTURE(test_selection__loses_what_it_is_charged),
        cmocka_unit_test(test_scores__change_by_their_width_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
