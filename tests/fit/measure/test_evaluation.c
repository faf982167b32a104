/* Evaluations that may be published: what is refused and what that costs, what is charged, that figures are
 * those of the records, and that their noise is what they say. Numbers drawn from a gate are within 30
 * standard deviations of Laplace noise: a false alarm in e^-42 of cases. */
#include "fit/measure/evaluation_figures.h"
#include "privacy/noise.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "trees/candidates/evaluation_counts.h"

enum { ROWS = 400 };

/* A table, a model of it, and a ledger with epsilon 2 and delta 1e-5. */
typedef struct fixture {
    temp_dir *files;
    table table;
    hr_model *model;
    hr_ledger *ledger;
} fixture;

static void open_classes(fixture *f, size_t rows, size_t classes) {
    f->table = table_of_steps(rows, 2, classes, 1 + classes);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 4;
    f->model = fit(f->table.data, &options);
}

static void close_classes(fixture *f) {
    hr_model_free(f->model);
    table_close(&f->table);
}

static int open_fixture(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || temp_dir_open((void **)&f->files)) return -1;
    open_classes(f, ROWS, 2);
    if (hr_ledger_create(f->files->path, 2, 1e-5, NULL) || hr_ledger_open(f->files->path, &f->ledger, NULL))
        return -1;
    *state = f;
    return 0;
}

static int close_fixture(void **state) {
    fixture *f = *state;
    hr_ledger_close(f->ledger);
    close_classes(f);
    temp_dir_close((void **)&f->files);
    free(f);
    return 0;
}

static hr_evaluation_options evaluation_options(double epsilon, double delta, hr_ledger *ledger) {
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    options.epsilon = epsilon;
    options.delta = delta;
    options.threads = 1;
    options.ledger = ledger;
    return options;
}

static hr_evaluation evaluation_of(const fixture *f, const hr_evaluation_options *options) {
    hr_evaluation made;
    hr_error err = {0};
    if (hr_evaluate_private(f->model, f->table.data, options, &made, &err)) fail_msg("%s", err.message);
    return made;
}

static hr_figure figure_of(const hr_evaluation *made, const char *name) {
    for (size_t i = 0; i < made->figure_count; i++)
        if (strcmp(made->figures[i].name, name) == 0) return made->figures[i];
    fail_msg("there is no figure %s", name);
    return made->figures[0];
}

/* ---- What is refused ---- */

static void assert_refused(const fixture *f, const hr_data *data, hr_evaluation_options options,
                           hr_status wanted, const char *says) {
    hr_evaluation made, before;
    int64_t entry = 77;
    hr_error err = {0};
    char text[1024];
    memset(&made, 9, sizeof made);
    before = made;
    options.entry = &entry;
    hr_status status = hr_evaluate_private(f->model, data, &options, &made, &err);
    hr_error_format(&err, text, sizeof text);
    if (status != wanted || !strstr(text, says)) fail_msg("status %d: '%s' for '%s'", status, text, says);
    assert_memory_equal(&made, &before, sizeof made);
    assert_int_equal(hr_evaluate_private(f->model, data, &options, &made, NULL), wanted);
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    assert_true(total.entries == 0 && total.epsilon_spent == 0);
}

static void test_evaluation__refuses_amounts_out_of_range(void **state) {
    fixture *f = *state;
    const double epsilons[] = {0, -1, 1.1e4, (double)NAN, (double)INFINITY},
                 deltas[] = {-1e-9, 1, (double)NAN};
    for (size_t i = 0; i < COUNT(epsilons); i++)
        assert_refused(f, f->table.data, evaluation_options(epsilons[i], 0, f->ledger), HR_E_ARGUMENT,
                       "epsilon");
    for (size_t i = 0; i < COUNT(deltas); i++)
        assert_refused(f, f->table.data, evaluation_options(1, deltas[i], f->ledger), HR_E_ARGUMENT, "delta");
    assert_refused(f, f->table.data, evaluation_options(1, 1. / (ROWS - 1), f->ledger), HR_E_POLICY,
                   "at most 1/400,");
    assert_refused(f, f->table.data, evaluation_options(1e-13, 0, f->ledger), HR_E_BUDGET, "too small");
    assert_refused(f, f->table.data, evaluation_options(1e-11, 0, f->ledger), HR_E_BUDGET, "too small");
    hr_evaluation_options options = {.size = 1};
    assert_refused(f, f->table.data, options, HR_E_ARGUMENT, "not initialised");
}

static void test_evaluation__refuses_what_cannot_be_compared(void **state) {
    fixture *f = *state;
    hr_data *data = NULL;
    assert_int_equal(
        hr_data_from_arrays(f->table.schema, 8, (const double *const *)f->table.columns, NULL, &data, NULL),
        HR_OK);
    assert_refused(f, data, evaluation_options(1, 0, f->ledger), HR_E_SCHEMA, "no labels");
    hr_data_free(data);
    table none = table_open(0, 2), other = table_of_steps(9, 3, 2, 1);
    table_make_plain(&none, 2);
    assert_refused(f, none.data, evaluation_options(1, 0, f->ledger), HR_E_SCHEMA, "no records");
    assert_refused(f, other.data, evaluation_options(1, 0, f->ledger), HR_E_SCHEMA, "another schema");
    table_close(&none);
    table_close(&other);
    const hr_decision_rule wrong = {2, NULL};
    hr_evaluation_options options = evaluation_options(1, 0, f->ledger);
    options.decision = &wrong;
    assert_refused(f, f->table.data, options, HR_E_ARGUMENT, "threshold");
}

static void test_evaluation__refuses_what_the_ledger_does_not_cover(void **state) {
    fixture *f = *state;
    assert_refused(f, f->table.data, evaluation_options(2.1, 0, f->ledger), HR_E_BUDGET, "asked 2.1");
    assert_refused(f, f->table.data, evaluation_options(1, 1e-4, f->ledger), HR_E_BUDGET, "delta");
    assert_int_equal(hr_ledger_freeze(f->ledger, NULL), HR_OK);
    assert_refused(f, f->table.data, evaluation_options(.1, 0, f->ledger), HR_E_POLICY, "frozen");
}

/* ---- What is charged ---- */

static void test_evaluation__is_charged_to_the_ledger(void **state) {
    fixture *f = *state;
    hr_evaluation_options options = evaluation_options(.5, 1e-6, f->ledger);
    int64_t entry = 0;
    options.entry = &entry;
    hr_evaluation made = evaluation_of(f, &options);
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(f->ledger, &total, NULL), HR_OK);
    assert_true(entry > 0 && total.entries == 1);
    assert_true(total.epsilon_spent == made.epsilon && total.epsilon_spent == .5);
    assert_true(fabs(total.delta_spent - 1e-6) < 1e-15);
    assert_string_equal(query_database(f->files->path, "SELECT state FROM spending"), "committed");
    assert_string_equal(query_database(f->files->path, "SELECT purpose FROM spending"),
                        "evaluate gbdt for y");
    assert_non_null(strstr(made.statement, "(0.5, 1e-06)-differentially private"));
    assert_true(made.epsilon_replace > 1 && made.delta_replace == made.delta);
}

static uint64_t sensitivity_of(const char *what) {
    if (strcmp(what, "losses") == 0) return HR_LOSS_SENSITIVITY;
    if (strcmp(what, "misses") == 0 || strcmp(what, "squares of misses") == 0) return HR_MISS_SENSITIVITY;
    return strcmp(what, "score edges") == 0 ? HR_MEDIAN_SCORE_WIDTH : HR_COUNT_SENSITIVITY;
}

/* The scale follows from sensitivity and cost, and all costs from the budget. */
static void check_releases(const hr_evaluation *made, size_t classes) {
    double total = 0, granted = made->epsilon;
    if (made->delta > 0) granted = hr_units_value(hr_gdp_budget(made->epsilon, made->delta));
    for (size_t i = 0; i < made->release_count; i++) {
        const hr_release_info *r = &made->releases[i];
        double s = (double)sensitivity_of(r->what), noise = s / r->cost;
        assert_true((double)r->sensitivity == s && r->draws > 0 && r->group < 4 && r->part == 0);
        total += r->cost;
        if (strcmp(r->what, "score edges") == 0) continue;
        if (made->delta > 0) noise = s * s / r->cost + 6;
        if (!(fabs(r->scale / noise - 1) < 1e-9)) fail_msg("%s: scale %g for %g", r->what, r->scale, noise);
        assert_string_equal(r->mechanism, made->delta > 0 ? "discrete gaussian" : "discrete laplace");
    }
    assert_int_equal(made->release_count, classes == 2 ? 7 : classes ? 2 : 3);
    if (!(total <= granted && total > .999999 * granted)) fail_msg("%.17g of %.17g", total, granted);
}

static void test_evaluation__releases_what_it_pays_for(void **state) {
    (void)state;
    static const size_t tasks[] = {0, 2, 3, 7};
    for (size_t i = 0; i < 2 * COUNT(tasks); i++) {
        fixture f = {0};
        open_classes(&f, ROWS, tasks[i / 2]);
        hr_evaluation_options options = evaluation_options(1.5, i % 2 ? 1e-6 : 0, NULL);
        hr_evaluation made = evaluation_of(&f, &options);
        check_releases(&made, tasks[i / 2]);
        close_classes(&f);
    }
}

/* ---- Where the bins of scores begin ---- */

/* Scores of the cuts of the whole grid, of records of these probabilities, as medians have them. */
static void score_cuts(const double *probabilities, size_t rows, double *scores) {
    enum { CELLS = 1 << HR_SCORE_GRID_BITS };
    static hr_exact cells[CELLS];
    double predicted[4] = {0}, left = 0, all = 0;
    for (size_t i = 0; i < rows; i++) predicted[2 * i + 1] = probabilities[i];
    const hr_scored scored = {.rows = rows, .outputs = 2, .predicted = predicted};
    hr_scored_grid(&scored, cells);
    for (size_t c = 0; c < CELLS; c++) all += (double)cells[c].unpaid;
    for (size_t c = 1; c < CELLS; c++) {
        left += (double)cells[c - 1].unpaid;
        scores[c - 1] = -fabs(2 * left - all);
    }
}

/* How far apart a record moves the scores of cuts: one of a low score beside one of a high one brings every
 * cut between them nearer to the middle, and takes all others away from it. */
static double width_of_edges(void) {
    enum { CUTS = (1 << HR_SCORE_GRID_BITS) - 1 };
    static const double records[] = {.999, .001};
    static double without[CUTS], with[CUTS];
    double least = INFINITY, most = -INFINITY;
    score_cuts(records, 1, without);
    score_cuts(records, 2, with);
    for (size_t c = 0; c < CUTS; c++) {
        least = fmin(least, with[c] - without[c]);
        most = fmax(most, with[c] - without[c]);
    }
    return most - least;
}

static void test_edges__lose_what_they_cost_on_the_worst_neighbours(void **state) {
    (void)state;
    for (int with_delta = 0; with_delta < 2; with_delta++) {
        fixture f = {0};
        size_t edges = 0;
        open_classes(&f, ROWS, 2);
        hr_evaluation_options options = evaluation_options(8, with_delta ? 1e-6 : 0, NULL);
        hr_evaluation made = evaluation_of(&f, &options);
        for (size_t i = 0; i < made.release_count; i++) {
            const hr_release_info *r = &made.releases[i];
            if (strcmp(r->what, "score edges") != 0) continue;
            double claimed = with_delta ? sqrt(8 * r->cost / acos(-1)) : r->cost;
            double loss = width_of_edges() * r->scale;
            if (!(loss <= claimed * (1 + 1e-6) && loss > .999 * claimed))
                fail_msg("loses %g, costs %g", loss, claimed);
            edges++;
        }
        assert_int_equal(edges, HR_SCORE_LEVELS);
        close_classes(&f);
    }
}

/* ---- What is said ---- */

static void check_figure(const hr_evaluation *made, const char *name, double exact, double slack) {
    hr_figure figure = figure_of(made, name);
    assert_true(figure.low <= figure.value && figure.value <= figure.high && figure.noise > 0);
    if (!(fabs(figure.value - exact) <= 30 * figure.noise + slack))
        fail_msg("%s: %g with noise %g for %g", name, figure.value, figure.noise, exact);
}

/* slack: of integers that are rounded; for the area, of scores that share a bin. */
static void check_exactness(const fixture *f, const hr_evaluation *made, const hr_metrics *exact) {
    check_figure(made, "records", (double)f->table.rows, 0);
    if (exact->task == HR_TASK_REGRESSION) {
        check_figure(made, "rmse", exact->rmse, 1e-4);
        check_figure(made, "mae", exact->mae, 1e-4);
        return;
    }
    check_figure(made, "error", exact->error, 0);
    check_figure(made, "logloss", exact->logloss, 2e-4);
    if (exact->task == HR_TASK_BINARY) check_figure(made, "auc", exact->auc, .03);
}

static void test_figures__are_those_of_the_records(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 4; classes += classes ? 1 : 2)
        for (int with_delta = 0; with_delta < 2; with_delta++) {
            fixture f = {0};
            open_classes(&f, 4000, classes);
            hr_evaluation_options options = evaluation_options(500, with_delta ? 1e-6 : 0, NULL);
            hr_evaluation made = evaluation_of(&f, &options);
            hr_metrics exact = metrics_of(f.model, f.table.data);
            check_exactness(&f, &made, &exact);
            assert_true(figure_of(&made, "records").noise < 1);
            close_classes(&f);
        }
}

static void test_figures__follow_decisions(void **state) {
    fixture *f = *state;
    const hr_decision_rule all = {0, NULL}, none = {1, NULL};
    double errors[2];
    hr_evaluation_options options = evaluation_options(5000, 0, NULL);
    for (int i = 0; i < 2; i++) {
        options.decision = i ? &all : &none;
        hr_evaluation made = evaluation_of(f, &options);
        errors[i] = figure_of(&made, "error").value;
    }
    double ones = 0;
    for (size_t i = 0; i < ROWS; i++) ones += f->table.labels[i];
    assert_true(fabs(errors[0] - ones / ROWS) < 1e-3 && fabs(errors[1] - 1 + ones / ROWS) < 1e-3);
}

static void test_figures__are_not_told_where_noise_is_all_there_is(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        fixture f = {0};
        open_classes(&f, ROWS, classes);
        hr_evaluation_options options = evaluation_options(1e-4, 0, NULL);
        int told = 0;
        for (int i = 0; i < 20; i++) {
            hr_evaluation made = evaluation_of(&f, &options);
            for (size_t k = 1; k < made.figure_count; k++) {
                const hr_figure *figure = &made.figures[k];
                told += !isnan(figure->value);
                assert_true(isnan(figure->value) == isnan(figure->noise));
                if (isnan(figure->value)) assert_true(figure->low == 0 && figure->high > 0);
            }
        }
        assert_true(told < 30); /* each with probability below 0.4 %: 60 figures at most */
        close_classes(&f);
    }
}

/* ---- The noise, with noise of this test: the same in every run ---- */

enum { RUNS = 4000, CLASSES = 3, BINS = 16 };

typedef struct invented {
    hr_evaluation_sums sums;
    double outcomes[2 * CLASSES], scores[2 * BINS], loss, records, misses, squares;
} invented;

static void invent(invented *v, hr_task task, bool laplace) {
    *v = (invented){.loss = 700, .records = 2000, .misses = 300, .squares = 90};
    size_t classes = task == HR_TASK_BINARY ? 2 : CLASSES;
    for (size_t c = 0; c < 2 * classes; c++) v->outcomes[c] = 2000. / (double)classes * (c % 2 ? .8 : .2);
    for (size_t c = 0; c < 2 * BINS; c++) v->scores[c] = 5 + 7 * (double)(c % 2 ? c / 2 : BINS - c / 2);
    v->sums = (hr_evaluation_sums){.task = task,
                                   .classes = classes,
                                   .range = 50,
                                   .privacy_measure = laplace ? HR_PRIVACY_PURE : HR_PRIVACY_GDP,
                                   .outcomes = v->outcomes,
                                   .scores = task == HR_TASK_BINARY ? v->scores : NULL,
                                   .score_bins = BINS,
                                   .loss = &v->loss,
                                   .records = &v->records,
                                   .misses = &v->misses,
                                   .squares = &v->squares,
                                   .outcome_noise = 20,
                                   .score_noise = 11,
                                   .loss_noise = 25,
                                   .record_noise = 30,
                                   .miss_noise = 9,
                                   .square_noise = 4};
}

static double draw_noise(bool laplace, uint64_t *random) {
    double u = next_unit(random) + 0x1p-60, v = next_unit(random);
    if (laplace) return (v < .5 ? 1 : -1) * log(u) / sqrt(2);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void add_noise(invented *v, bool laplace, uint64_t *random) {
    for (size_t c = 0; c < 2 * v->sums.classes; c++) v->outcomes[c] += 20 * draw_noise(laplace, random);
    for (size_t c = 0; c < 2 * BINS; c++) v->scores[c] += 11 * draw_noise(laplace, random);
    v->loss += 25 * draw_noise(laplace, random);
    v->records += 30 * draw_noise(laplace, random);
    v->misses += 9 * draw_noise(laplace, random);
    v->squares += 4 * draw_noise(laplace, random);
}

/* Of one figure over all runs. */
typedef struct seen {
    double sum, squares, noise;
    int covered;
} seen;

static void check_seen(const char *name, const seen *s) {
    double mean = s->sum / RUNS, deviation = sqrt(s->squares / RUNS - mean * mean),
           covered = (double)s->covered / RUNS, noise = s->noise / RUNS;
    if (!(covered >= .94 && covered <= .975)) fail_msg("%s: %g of intervals hold the figure", name, covered);
    if (!(deviation > .93 * noise && deviation < 1.07 * noise))
        fail_msg("%s: deviation %g, said %g", name, deviation, noise);
}

static void check_noise(hr_task task, bool laplace, uint64_t random) {
    static invented v;
    hr_evaluation exact = {0}, noisy = {0};
    seen all[HR_FIGURES_MAX] = {{0}};
    invent(&v, task, laplace);
    hr_evaluation_figures(&v.sums, &exact);
    for (int run = 0; run < RUNS; run++) {
        invent(&v, task, laplace);
        add_noise(&v, laplace, &random);
        hr_evaluation_figures(&v.sums, &noisy);
        for (size_t k = 0; k < noisy.figure_count; k++) {
            const hr_figure *f = &noisy.figures[k];
            all[k].sum += f->value;
            all[k].squares += f->value * f->value;
            all[k].noise += f->noise;
            all[k].covered += f->low <= exact.figures[k].value && exact.figures[k].value <= f->high;
        }
    }
    for (size_t k = 0; k < exact.figure_count; k++) check_seen(exact.figures[k].name, &all[k]);
}

static void test_noise__is_what_figures_say(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        check_noise(HR_TASK_REGRESSION, i, 11);
        check_noise(HR_TASK_BINARY, i, 12);
        check_noise(HR_TASK_MULTICLASS, i, 13);
    }
}

/* The area by its definition, over all pairs. */
static void test_area__counts_pairs(void **state) {
    (void)state;
    static invented v;
    hr_evaluation made = {0};
    double wins = 0, pairs = 0;
    invent(&v, HR_TASK_BINARY, true);
    for (size_t a = 0; a < BINS; a++)
        for (size_t b = 0; b < BINS; b++) {
            double both = v.scores[2 * a] * v.scores[2 * b + 1];
            pairs += both;
            wins += both * (b > a ? 1 : b == a ? .5 : 0);
        }
    hr_evaluation_figures(&v.sums, &made);
    assert_true(fabs(figure_of(&made, "auc").value - wins / pairs) < 1e-12);
}

/* ---- The plan ---- */

static void test_plan__tells_the_noise(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        fixture f = {0};
        open_classes(&f, ROWS, classes);
        hr_evaluation_options options = evaluation_options(2, 0, NULL);
        hr_evaluation plan, made = evaluation_of(&f, &options);
        assert_int_equal(hr_evaluation_plan(f.model, ROWS, &options, &plan, NULL), HR_OK);
        assert_int_equal(plan.figure_count, made.figure_count);
        assert_true(plan.release_count == 0 && plan.figures[0].value == ROWS);
        for (size_t k = 0; k < plan.figure_count; k++) {
            assert_string_equal(plan.figures[k].name, made.figures[k].name);
            assert_true(plan.figures[k].noise > 0);
        }
        assert_true(plan.figures[0].noise == made.figures[0].noise);
        close_classes(&f);
    }
}

static void test_plan__refuses_what_an_evaluation_refuses(void **state) {
    fixture *f = *state;
    const double counts[] = {0, -1, 4294967295., (double)NAN};
    hr_evaluation_options options = evaluation_options(1, 0, NULL);
    hr_evaluation plan;
    hr_error err = {0};
    for (size_t i = 0; i < COUNT(counts); i++)
        assert_int_equal(hr_evaluation_plan(f->model, counts[i], &options, &plan, &err), HR_E_ARGUMENT);
    options.epsilon = 0;
    assert_int_equal(hr_evaluation_plan(f->model, 10, &options, &plan, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "epsilon");
    options.epsilon = 1e-11;
    assert_int_equal(hr_evaluation_plan(f->model, 10, &options, &plan, &err), HR_E_BUDGET);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_evaluation__refuses_amounts_out_of_range),
        WITH_FIXTURE(test_evaluation__refuses_what_cannot_be_compared),
        WITH_FIXTURE(test_evaluation__refuses_what_the_ledger_does_not_cover),
        WITH_FIXTURE(test_evaluation__is_charged_to_the_ledger),
        cmocka_unit_test(test_evaluation__releases_what_it_pays_for),
        cmocka_unit_test(test_edges__lose_what_they_cost_on_the_worst_neighbours),
        cmocka_unit_test(test_figures__are_those_of_the_records),
        WITH_FIXTURE(test_figures__follow_decisions),
        cmocka_unit_test(test_figures__are_not_told_where_noise_is_all_there_is),
        cmocka_unit_test(test_noise__is_what_figures_say),
        cmocka_unit_test(test_area__counts_pairs),
        cmocka_unit_test(test_plan__tells_the_noise),
        WITH_FIXTURE(test_plan__refuses_what_an_evaluation_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
