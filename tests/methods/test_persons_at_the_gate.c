/* What a person changes at the gate, in whole fits: every exact sum and every score that is handed to the
 * gate on a table, and on that table with one person more.
 *
 * The test is linked so that calls of the gate's two releasing functions arrive here first (ld's --wrap).
 * They note what they are given and answer with a script, so that both fits grow the same trees. Then, line
 * by line of what was charged, the changes must add up to at most the line's sensitivity. */
#include "privacy/gate.h"
#include "support/person_tables.h"
#include "support/tables.h"

#include <math.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

enum { CALLS_MAX = 1 << 14, LINES_MAX = 512 };

typedef struct gate_call {
    size_t line, count;
    bool is_choice;
    int64_t *values;
} gate_call;

typedef struct gate_notes {
    gate_call calls[CALLS_MAX];
    size_t count;
    struct {
        char what[40];
        int64_t tree;
        double sensitivity;
    } lines[LINES_MAX];
    size_t line_count;
} gate_notes;

static gate_notes notes[2], *noted;

static void note_call(const hr_gate *gate, hr_permit permit, bool is_choice, const hr_exact *in,
                      size_t count) {
    size_t lines;
    const hr_release *all = hr_gate_releases(gate, &lines), *line = &all[permit.line];
    assert_true(noted->count < CALLS_MAX && permit.line < LINES_MAX);
    gate_call *call = &noted->calls[noted->count++];
    *call = (gate_call){permit.line, count, is_choice, malloc((count + 1) * sizeof *call->values)};
    assert_non_null(call->values);
    for (size_t i = 0; i < count; i++) call->values[i] = in[i].unpaid;
    snprintf(noted->lines[permit.line].what, sizeof noted->lines->what, "%s", line->what);
    noted->lines[permit.line].tree = line->tree;
    noted->lines[permit.line].sensitivity = (double)line->sensitivity;
    if (noted->line_count <= permit.line) noted->line_count = permit.line + 1;
}

void __wrap_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out) {
    note_call(gate, permit, false, in, count);
    for (size_t i = 0; i < count; i++) out[i].paid = 100000 + 1000 * (int64_t)(i % 7);
}

size_t __wrap_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count) {
    note_call(gate, permit, true, scores, count);
    return noted->count * 7 % count;
}

static void notes_clear(void) {
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < notes[k].count; i++) free(notes[k].calls[i].values);
        notes[k].count = notes[k].line_count = 0;
    }
}

static double change_of(const gate_call *a, const gate_call *b) {
    double sum = 0, low = 1e300, high = -1e300;
    for (size_t i = 0; i < a->count; i++) {
        const double d = (double)(b->values[i] - a->values[i]);
        sum += fabs(d);
        low = fmin(low, d), high = fmax(high, d);
    }
    return a->is_choice ? high - low : sum;
}

/* moved[line]: over its sensitivity. */
static void compare_notes(double moved[LINES_MAX]) {
    assert_int_equal(notes[0].count, notes[1].count);
    for (size_t l = 0; l < LINES_MAX; l++) moved[l] = 0;
    for (size_t i = 0; i < notes[0].count; i++) {
        const gate_call *a = &notes[0].calls[i], *b = &notes[1].calls[i];
        assert_true(a->line == b->line && a->count == b->count);
        moved[a->line] += change_of(a, b) / notes[0].lines[a->line].sensitivity;
    }
}

/* What is fitted. */
typedef struct persons_fit {
    const char *method;
    const char *option, *value;
    double delta, second_class; /* second_class: its weight; 0: classes have none */
} persons_fit;

static void fit_noted(const persons_fit *f, const hr_data *data, size_t which) {
    hr_fit_options options = seeded_options_of(f->method, HR_MODE_SOUND, 7);
    const double weights[] = {1, f->second_class};
    options.delta = f->delta;
    options.depth = 3;
    if (f->option) assert_int_equal(hr_fit_options_set(&options, f->option, f->value, NULL), HR_OK);
    if (f->second_class > 0) options.class_weights = weights, options.class_weight_count = 2;
    noted = &notes[which];
    hr_model_free(fit(data, &options));
}

/* nearly: the least part of a leaf line's sensitivity that the person uses in some tree. */
static void check_fit(const persons_fit *f, size_t classes, const person_canary *canary, double nearly) {
    static double moved[LINES_MAX];
    double most = 0;
    int64_t tree = -2;
    person_tables t;
    notes_clear();
    person_tables_open(&t, classes, canary, 3);
    fit_noted(f, t.without, 0);
    fit_noted(f, t.with, 1);
    compare_notes(moved);
    for (size_t l = 0; l < notes[0].line_count; l++) {
        if (moved[l] > 1)
            fail_msg("%s, %zu classes, %zu records: line '%s' moves by %g of its sensitivity", f->method,
                     classes, canary->records, notes[0].lines[l].what, moved[l]);
        if (!strncmp(notes[0].lines[l].what, "leaf", 4)) most = fmax(most, moved[l]);
        if (strcmp(f->method, "inprivate") || !(moved[l] > 0)) continue;
        assert_true(tree == -2 || tree == notes[0].lines[l].tree); /* all its records train one tree */
        tree = notes[0].lines[l].tree;
    }
    if (!(most > nearly))
        fail_msg("%s, %zu classes, %zu records: leaves move by %g at most", f->method, classes,
                 canary->records, most);
    person_tables_close(&t);
}

static const person_canary canaries[] = {{50, true}, {50, false}, {2001, true}, {1, true}};

static void check_method(const persons_fit *f, size_t classes) {
    for (size_t i = 0; i < COUNT(canaries); i++) check_fit(f, classes, &canaries[i], .95);
}

/* inprivate draws the rounds, and a person more takes coins after all others. */
static void test_inprivate__moves_no_line_by_more_than_it_pays(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int with_delta = 0; with_delta < 2; with_delta++) {
            const double delta = with_delta ? 1e-6 : 0;
            check_method(&(persons_fit){"inprivate", NULL, NULL, delta, 0}, classes);
            check_method(&(persons_fit){"inprivate", "trees", "1", delta, 0}, classes);
            check_method(&(persons_fit){"inprivate", "edges", "public", delta, 0}, classes);
        }
}

/* Without parts: features are drawn by the same coins in both fits. */
static void test_forests__move_no_line_by_more_than_they_pay(void **state) {
    (void)state;
    static const char *const forests[] = {"dp-ert", "dp-df", "diprime"};
    for (size_t m = 0; m < COUNT(forests); m++)
        for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2)
            for (int with_delta = 0; with_delta < 2; with_delta++)
                check_method(&(persons_fit){forests[m], "part", "false", with_delta ? 1e-6 : 0, 0}, classes);
}

static void test_dpboost__moves_no_line_by_more_than_it_pays(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2)
        check_method(&(persons_fit){"dpboost", "ensemble", "1", 0, 0}, classes);
}

/* A person of the second class, which weighs half, moves half as much. */
static void test_class_weights__are_those_of_every_sum(void **state) {
    (void)state;
    static const persons_fit fits[] = {{"inprivate", "trees", "1", 0, .5},
                                       {"dp-df", "part", "false", 0, .5},
                                       {"diprime", "part", "false", 0, .5},
                                       {"dp-ert", "part", "false", 0, .5}};
    for (size_t m = 0; m < COUNT(fits); m++) {
        static double moved[LINES_MAX];
        double most = 0;
        person_tables t;
        notes_clear();
        person_tables_open(&t, 2, &(person_canary){50, true}, 3);
        fit_noted(&fits[m], t.without, 0);
        fit_noted(&fits[m], t.with, 1);
        compare_notes(moved);
        for (size_t l = 0; l < notes[0].line_count; l++)
            if (!strncmp(notes[0].lines[l].what, "leaf", 4)) most = fmax(most, moved[l]);
        if (!(most < .51 && most > .45)) fail_msg("%s: leaves move by %g", fits[m].method, most);
        person_tables_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inprivate__moves_no_line_by_more_than_it_pays),
        cmocka_unit_test(test_forests__move_no_line_by_more_than_they_pay),
        cmocka_unit_test(test_dpboost__moves_no_line_by_more_than_it_pays),
        cmocka_unit_test(test_class_weights__are_those_of_every_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
