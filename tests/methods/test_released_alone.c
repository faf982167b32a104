/* What a model says of the records came through the gate, and nothing else did.
 *
 * The test is linked so that calls of the gate's two releasing functions arrive here first (ld's --wrap):
 * they put a script in place of the exact statistics, and let the gate add its noise to that. So nothing that
 * is released depends on the records. Then models of different records must be equal to the last bit; where
 * they are not, something got past the gate. */
#include "privacy/gate.h"
#include "support/odd_columns.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

/* The linker gives these names: __wrap_f is called instead of f, and __real_f is f. */
void __real_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out);
size_t __real_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count);

/* In the units of most sums this is a plausible table of 2,000 records. */
static hr_exact scripted(size_t i) {
    return (hr_exact){128000 + 1000 * (int64_t)(i % 7)};
}

void __wrap_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out) {
    hr_exact *script = malloc((count + 1) * sizeof *script);
    assert_non_null(script);
    (void)in;
    for (size_t i = 0; i < count; i++) script[i] = scripted(i);
    __real_hr_gate_sums(gate, permit, script, count, out);
    free(script);
}

size_t __wrap_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count) {
    for (size_t i = 0; i < count; i++) scores[i] = scripted(i);
    return __real_hr_gate_choose(gate, permit, scores, count);
}

/* Of a label that is a time, in place of a number of classes. */
#define TIMES SIZE_MAX

static hr_column label_of(size_t classes) {
    static const double cuts[] = {.2, .5};
    hr_column label = classes && classes != TIMES ? category_column("y", classes) : number_column("y", -1, 1);
    if (classes == TIMES) label.event = "came", label.intervals = cuts, label.interval_count = COUNT(cuts);
    return label;
}

/* Numbers, integers and categories, some missing; all of it drawn from `seed`. */
static table records_of(size_t rows, size_t classes, uint64_t seed) {
    hr_column features[] = {number_column("x", 0, 1), number_column("z", -5, 5), number_column("w", 0, 9),
                            category_column("k", 5)};
    features[2].integer = true;
    table t = table_open(rows, COUNT(features));
    double skew = 1 + (double)(seed % 3);
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_unit(&seed) < .1 ? (double)NAN : pow(next_unit(&seed), skew);
        t.columns[1][i] = 10 * pow(next_unit(&seed), skew) - 5;
        t.columns[2][i] = floor(10 * next_unit(&seed));
        t.columns[3][i] = odd_value(&features[3], &seed);
        t.labels[i] = classes == TIMES ? 2 * next_unit(&seed) - 1 : odd_label(classes, &seed);
    }
    table_make(&t, label_of(classes), features);
    return t;
}

typedef struct comparison {
    const char *method;
    hr_mode mode;
    size_t classes; /* 0: a number */
    double delta;
    const char *option, *value; /* NULL: none */
    size_t rows[2];
} comparison;

static bool same_models(const comparison *c) {
    char *models[2];
    for (size_t i = 0; i < 2; i++) {
        table t = records_of(c->rows[i], c->classes, 1 + i);
        hr_fit_options options = seeded_options_of(c->method, c->mode, 7);
        options.delta = c->delta;
        if (c->option) assert_int_equal(hr_fit_options_set(&options, c->option, c->value, NULL), HR_OK);
        models[i] = fit_text(t.data, &options);
        table_close(&t);
    }
    bool same = strcmp(models[0], models[1]) == 0;
    for (size_t i = 0; i < 2; i++) hr_text_free(models[i]);
    return same;
}

static void check(const comparison *c) {
    if (!same_models(c))
        fail_msg("%s, %zu classes, delta %g, %s %s: something of the records got past the gate", c->method,
                 c->classes, c->delta, c->option ? c->option : "", c->option ? c->value : "");
}

/* Every task that the method knows, pure and with delta. */
static void check_tasks(const char *method, const char *option, const char *value, size_t rows,
                        size_t others) {
    static const size_t classes[] = {0, 2, 4};
    for (size_t k = 0; k < COUNT(classes); k++) {
        if (classes[k] == 4 && strcmp(method, "inprivate") == 0) continue; /* numbers and two classes */
        if (classes[k] == 0 && strcmp(method, "id3") == 0) continue;       /* classes */
        const comparison pure = {method, HR_MODE_SOUND, classes[k], 0, option, value, {rows, others}};
        const comparison with_delta = {method, HR_MODE_SOUND, classes[k],    1e-6,
                                       option, value,         {rows, others}};
        check(&pure);
        check(&with_delta);
    }
}

/* The number of records is one of the things that a model must not say. */
static void test_released_alone__make_hedge(void **state) {
    (void)state;
    check_tasks("hedge", NULL, NULL, 300, 641);
    check_tasks("hedge", "bins", "200", 300, 641);
    const comparison logistic = {"hedge", HR_MODE_SOUND, 2, 1e-6, "loss", "logistic", {300, 641}};
    check(&logistic);
}

static void test_released_alone__make_trees_of_all_records(void **state) {
    (void)state;
    check_tasks("seq", NULL, NULL, 300, 641);
    check_tasks("dpboost", "ensemble", "1", 300, 641);
    check_tasks("dp-ert", NULL, NULL, 300, 641);
    check_tasks("dp-df", "part", "false", 300, 641);
    check_tasks("diprime", "part", "false", 300, 641);
    check_tasks("id3", NULL, NULL, 300, 641);
}

/* Every record draws its part from the stream that noise comes from: only tables of one size draw the same
 * noise. */
static void test_released_alone__make_trees_of_parts(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "para", "inprivate", "diprime", "dp-df", "dp-simfl"};
    for (size_t m = 0; m < COUNT(methods); m++) check_tasks(methods[m], NULL, NULL, 300, 300);
    check_tasks("dpboost", "edges", "public", 300, 300);
    check_tasks("dpboost", "bounding", "filter", 300, 300);
    check_tasks("dp-ert", "part", "true", 300, 300);
}

static void test_released_alone__make_survival_curves(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        const comparison c = {"survival-curve", HR_MODE_SOUND, TIMES, deltas[d], NULL, NULL, {300, 641}},
                         groups = {"survival-curve", HR_MODE_SOUND, TIMES,     deltas[d],
                                   "group",          "k",           {300, 641}};
        check(&c);
        check(&groups);
    }
}

static void test_released_alone__make_statistics(void **state) {
    (void)state;
    check_tasks("statistics", NULL, NULL, 300, 641);
    check_tasks("statistics", "columns", "x,k", 300, 641);
    const comparison by_class = {"statistics", HR_MODE_SOUND, 4, 1e-6, "by", "label", {300, 641}};
    check(&by_class);
}

/* The test can fail: published methods take bin edges from the records, or divide by their exact number. */
static void test_released_alone__do_not_make_published_models(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq", "para", "diprime", "inprivate"};
    for (size_t m = 0; m < COUNT(methods); m++) {
        const comparison published = {methods[m], HR_MODE_PAPER, 0, 0, NULL, NULL, {300, 300}};
        assert_false(same_models(&published));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_released_alone__make_hedge),
        cmocka_unit_test(test_released_alone__make_trees_of_all_records),
        cmocka_unit_test(test_released_alone__make_trees_of_parts),
        cmocka_unit_test(test_released_alone__make_survival_curves),
        cmocka_unit_test(test_released_alone__make_statistics),
        cmocka_unit_test(test_released_alone__do_not_make_published_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
