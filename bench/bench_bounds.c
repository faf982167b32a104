/* How wide released bounds of labels are beside the labels, and how often noise hides them: a table of laws,
 * budgets and numbers of records. Each table has ten columns, nine features and the label, all of one law,
 * and the parts of epsilon (delta 1e-6) for their bounds that a fit has. Noise and records are drawn from
 * seeds. usage: bench_bounds [DRAWS [LARGEST]] */
#include "fit/bounds.h"
#include "methods/method.h"
#include "privacy/crypto/csprng.h"
#include "tables/schema/schema.h"

#include <hedgerow/hedgerow.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEATURES = 9, DRAWS_MAX = 1000 };

static const double LIMIT = 0x1p127;

/* ---- Laws ---- */

static uint64_t state = 1;

static double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 11) + .5) * 0x1p-53;
}

static double normal(void) {
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double clean(void) {
    return 100 * normal();
}

static double even(void) {
    return 200 + 600 * uniform();
}

static double heavy_tailed(void) {
    return 1000 * exp(1.5 * normal());
}

static double shifted(void) {
    return 1e6 + 10 * normal();
}

static double nanoseconds(void) {
    return 1.6e18 + 31557600e9 * uniform();
}

static const struct {
    const char *name;
    double (*draw)(void);
} laws[] = {{"normal, 0 ± 100", clean},
            {"even, 200 to 800", even},
            {"log-normal, sigma 1.5", heavy_tailed},
            {"normal, 1e6 ± 10", shifted},
            {"a year of nanoseconds since 1970", nanoseconds}};

/* ---- A release ---- */

static hr_status make_schema(hr_schema **out, hr_error *err) {
    hr_schema_builder *builder = NULL;
    hr_status status = hr_schema_builder_new(&builder, err);
    if (!status) status = hr_schema_label_number(builder, "y", -LIMIT, LIMIT, err);
    for (char name[] = "a"; !status && name[0] < 'a' + FEATURES; name[0]++)
        status = hr_schema_add_number(builder, name, -LIMIT, LIMIT, false, err);
    if (!status) status = hr_schema_build(builder, out, err);
    hr_schema_builder_free(builder);
    return status;
}

typedef struct outcome {
    bool seen;
    double width, cut; /* of the bounds, in widths of the labels; the part of the labels beyond them */
    double spent;      /* part of the budget */
    size_t features;   /* whose bounds were found */
} outcome;

static void compare(const hr_bounded_table *found, const double *labels, size_t rows, outcome *out) {
    const hr_column *label = hr_schema_label(found->schema);
    double low = labels[0], high = labels[0];
    size_t beyond = 0;
    for (size_t i = 0; i < rows; i++) {
        low = fmin(low, labels[i]);
        high = fmax(high, labels[i]);
        beyond += labels[i] < label->low || labels[i] > label->high;
    }
    out->seen = true;
    out->width = (label->high - label->low) / (high - low);
    out->cut = (double)beyond / (double)rows;
    out->features = FEATURES - found->hidden;
}

/* As a fit of that epsilon does. */
static hr_status release(double epsilon, const hr_data *data, uint64_t seed, hr_bounded_table *out,
                         outcome *o, hr_error *err) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "y"};
    hr_fit_options options;
    hr_budget budget;
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_status status = hr_fit_options_init(&options, "hedge", HR_MODE_SOUND, err);
    options.epsilon = epsilon;
    options.delta = 1e-6;
    options.private_bounds = names;
    options.private_bounds_count = FEATURES + 1;
    const hr_method *method = hr_method_named("hedge");
    if (!status)
        status = hr_budget_check(method, &options, hr_data_schema(data), hr_data_rows(data), &budget, err);
    if (!status) status = hr_csprng_open_seeded(seed, &csprng, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, csprng, &gate, err);
    if (!status) {
        status = hr_bounds_release(data, &options, gate, &budget, out, err);
        o->spent = (double)out->spent / (double)budget.units;
    }
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    return status;
}

static hr_status try_release(double epsilon, size_t rows, double *const *values, uint64_t seed, outcome *out,
                             hr_error *err) {
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_bounded_table found = {0};
    *out = (outcome){0};
    hr_status status = make_schema(&schema, err);
    if (!status)
        status =
            hr_data_from_arrays(schema, rows, (const double *const *)values, values[FEATURES], &data, err);
    if (!status) {
        status = release(epsilon, data, seed, &found, out, err);
        if (!status) compare(&found, values[FEATURES], rows, out);
        if (status == HR_E_BUDGET && out->spent > 0) status = HR_OK; /* noise hides the label */
    }
    hr_bounded_table_done(&found);
    hr_data_free(data);
    hr_schema_free(schema);
    return status;
}

/* ---- The table ---- */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_line(const char *law, double epsilon, size_t rows, const outcome *outcomes, size_t draws) {
    double widths[DRAWS_MAX], cuts[DRAWS_MAX], spent = 0;
    size_t seen = 0, wrong = 0, features = 0;
    for (size_t i = 0; i < draws; i++) {
        spent += outcomes[i].spent;
        features += outcomes[i].features;
        if (!outcomes[i].seen) continue;
        widths[seen] = outcomes[i].width;
        cuts[seen++] = 100 * outcomes[i].cut;
        wrong += outcomes[i].width > 100;
    }
    qsort(widths, seen, sizeof *widths, by_size);
    qsort(cuts, seen, sizeof *cuts, by_size);
    printf("| %s | %g | %zu | %zu | %zu |", law, epsilon, rows, seen, wrong);
    if (seen)
        printf(" %.3g | %.3g | %.2g | %.2g |", widths[seen / 2], widths[seen - 1], cuts[seen / 2],
               cuts[seen - 1]);
    else
        printf(" - | - | - | - |");
    const double of_features = seen ? (double)features / (double)(seen * FEATURES) : 0;
    printf(" %.0f | %.0f |\n", 100 * of_features, 100 * spent / (double)draws);
}

static hr_status measure(size_t law, double epsilon, size_t rows, size_t draws, double *const *values,
                         hr_error *err) {
    outcome outcomes[DRAWS_MAX];
    hr_status status = HR_OK;
    for (size_t d = 0; !status && d < draws; d++) {
        for (size_t f = 0; f <= FEATURES; f++)
            for (size_t i = 0; i < rows; i++) values[f][i] = laws[law].draw();
        status = try_release(epsilon, rows, values, d, &outcomes[d], err);
    }
    if (!status) print_line(laws[law].name, epsilon, rows, outcomes, draws);
    return status;
}

int main(int argc, char **argv) {
    static const double epsilons[] = {.1, .3, 1, 8};
    static const size_t sizes[] = {100, 300, 1000, 10000, 100000};
    const size_t draws = argc > 1 ? (size_t)atoi(argv[1]) : 40,
                 largest = argc > 2 ? (size_t)atoi(argv[2]) : 100000;
    double *values[FEATURES + 1];
    hr_error err = {0};
    hr_status status = HR_OK;
    if (!draws || draws > DRAWS_MAX) return 2;
    for (size_t f = 0; f <= FEATURES; f++)
        if (!(values[f] = malloc(largest * sizeof **values))) return 1;
    printf("Of %zu draws each.\n\n| labels | epsilon | records | bounds found | over 100 times too wide | "
           "width / true, median | worst | cut off, %%, median | worst | features found, %% | spent, %% |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n",
           draws);
    for (size_t law = 0; law < sizeof laws / sizeof *laws; law++)
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++)
            for (size_t n = 0; !status && n < sizeof sizes / sizeof *sizes && sizes[n] <= largest; n++)
                status = measure(law, epsilons[e], sizes[n], draws, values, &err);
    if (status) fprintf(stderr, "bench_bounds: %s\n", err.message);
    for (size_t f = 0; f <= FEATURES; f++) free(values[f]);
    return status != HR_OK;
}
