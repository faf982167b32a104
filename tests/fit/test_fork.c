/* Children of fork predict, explain and train as their parent does, after it has used threads and while it
 * uses them. */
#include "support/child.h"
#include "support/tables.h"

#include <hedgerow/explain.h>
#include <hedgerow/predictor.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 6000, FEATURES = 4, THREADS = 3, CHILDREN = 5, DEADLINE = 60 };

typedef struct fixture {
    table t;
    hr_model *model;
    double *predictions, *shap; /* of the parent */
    char *text;                 /* of a model that the parent made */
} fixture;

static char *train_text(const fixture *f) {
    hr_fit_options options = seeded_options_of("gbdt", HR_MODE_SOUND, 1);
    options.trees = 5;
    options.threads = THREADS;
    return fit_text(f->t.data, &options);
}

static double *predict(const fixture *f) {
    double *out = calloc(2 * ROWS, sizeof *out);
    assert_int_equal(hr_model_predict(f->model, f->t.data, THREADS, out, NULL), HR_OK);
    return out;
}

static double *explain(const fixture *f) {
    hr_shap_options options = HR_SHAP_OPTIONS_INIT;
    hr_shap *shap;
    double *out = calloc(ROWS * FEATURES, sizeof *out);
    options.threads = THREADS;
    assert_int_equal(hr_shap_new(f->model, &options, &shap, NULL), HR_OK);
    assert_int_equal(hr_shap_values(shap, f->t.data, out, NULL), HR_OK);
    hr_shap_free(shap);
    return out;
}

static int set_up_fork(void **state) {
    static fixture f;
    f = (fixture){.t = table_of_steps(ROWS, FEATURES, 2, 1)};
    hr_fit_options options = seeded_options_of("gbdt", HR_MODE_SOUND, 2);
    options.trees = 10;
    f.model = fit(f.t.data, &options);
    f.predictions = predict(&f);
    f.shap = explain(&f);
    f.text = train_text(&f);
    *state = &f;
    return 0;
}

static int tear_down_fork(void **state) {
    fixture *f = *state;
    free(f->predictions);
    free(f->shap);
    hr_text_free(f->text);
    hr_model_free(f->model);
    table_close(&f->t);
    return 0;
}

/* Everything is as the parent has it. */
static bool works_as_before(void *of) {
    const fixture *f = of;
    double *predictions = predict(f), *shap = explain(f);
    char *text = train_text(f);
    const bool same = !memcmp(predictions, f->predictions, 2 * ROWS * sizeof *predictions) &&
                      !memcmp(shap, f->shap, ROWS * FEATURES * sizeof *shap) && !strcmp(text, f->text);
    free(predictions);
    free(shap);
    hr_text_free(text);
    return same;
}

static bool works_in_child_of_child(void *of) {
    return works_as_before(of) && holds_in_child(works_as_before, of) && works_as_before(of);
}

static void fork__leaves_predictions_fits_and_shap_as_they_are(void **state) {
    need_threads_in_children();
    assert_true(holds_in_child(works_in_child_of_child, *state));
    assert_true(works_as_before(*state));
}

typedef struct other_thread {
    const fixture *f;
    atomic_bool ends;
    atomic_bool differs;
} other_thread;

static void *work_on(void *of) {
    other_thread *other = of;
    while (!atomic_load(&other->ends))
        if (!works_as_before((fixture *)other->f)) atomic_store(&other->differs, true);
    return NULL;
}

static void fork__may_come_during_a_fit_of_another_thread(void **state) {
    need_threads_in_children();
    other_thread other = {.f = *state};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work_on, &other), 0);
    for (int i = 0; i < CHILDREN; i++) assert_true(holds_in_child(works_as_before, *state));
    atomic_store(&other.ends, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(other.differs);
}

/* ---- A fork where progress is reported: both processes go on with the fit ---- */

static bool fork_after_two_trees(void *of, size_t done, size_t total) {
    pid_t *child = of;
    (void)total;
    if (done == 2) *child = fork();
    if (!*child) alarm(DEADLINE);
    return true;
}

static void fork__may_come_where_progress_is_reported(void **state) {
    need_threads_in_children();
    const fixture *f = *state;
    for (size_t m = 0; m < 2; m++) {
        hr_fit_options options = seeded_options_of(m ? "gbdt" : "rf", HR_MODE_SOUND, 1);
        options.trees = 6;
        options.threads = THREADS;
        char *expected = fit_text(f->t.data, &options);
        pid_t child = -1;
        int how = 0;
        options.progress = fork_after_two_trees;
        options.user = &child;
        char *text = fit_text(f->t.data, &options);
        const bool same = !strcmp(text, expected);
        if (!child) _exit(same ? 0 : 1);
        assert_true(same);
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
        hr_text_free(text);
        hr_text_free(expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fork__leaves_predictions_fits_and_shap_as_they_are),
        cmocka_unit_test(fork__may_come_during_a_fit_of_another_thread),
        cmocka_unit_test(fork__may_come_where_progress_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up_fork, tear_down_fork);
}
