/* Three classic benchmark tables, after scikit-learn's make_classification, make_regression and
 * make_friedman1: the same distributions up to nearly normal numbers (see hr_dice_normal), rows drawn one by
 * one so that any number of them streams.
 *
 * Numbers are rounded to four decimals first; labels are functions of the rounded numbers, so noise 0 means
 * no noise. */
#include "tables/synth/generate.h"

#include <math.h>
#include <stdio.h>

enum { DECIMALS = 4, UNITS = 10000, CLUSTERS_PER_CLASS = 2, FRIEDMAN_FEATURES = 5 };

static const double clip_at = 4.5; /* standard deviations; about 7 in a million lie beyond and are clipped */

static void write_synthetic_header(const hr_plan *plan, hr_csv_writer *csv_writer) {
    for (uint64_t i = 1; i <= plan->options->features; i++) {
        char name[24];
        snprintf(name, sizeof name, "x%llu", (unsigned long long)i);
        hr_csv_writer_text(csv_writer, name);
    }
    hr_csv_writer_text(csv_writer, "y");
}

static void add_features(const hr_plan *plan, hr_buffer *yaml) {
    hr_buffer_text(yaml, "features:\n");
    for (uint64_t i = 1; i <= plan->options->features; i++)
        hr_buffer_format(yaml, "  - name: \"x%llu\"\n    kind: number\n    low: %.0f\n    high: %.0f\n",
                         (unsigned long long)i, plan->feature_low, plan->feature_high);
}

static void add_opening(const hr_plan *plan, const char *name, hr_buffer *yaml) {
    hr_buffer_format(
        yaml,
        "# The table '%s' with seed %llu. All bounds follow from how it is drawn, none from its rows.\n",
        name, (unsigned long long)plan->options->seed);
    hr_buffer_text(yaml, "hedgerow-schema: 1\nunit: record\nlabel:\n  name: \"y\"\n");
}

static void add_number_schema(const hr_plan *plan, const char *name, hr_buffer *yaml) {
    add_opening(plan, name, yaml);
    hr_buffer_format(yaml, "  kind: number\n  low: %.0f\n  high: %.0f\n", plan->label_low, plan->label_high);
    add_features(plan, yaml);
}

/* A number as it is printed; writes its cell. */
static double write_synthetic_number(hr_csv_writer *csv_writer, double value, double low, double high) {
    int64_t units = hr_nearest(hr_clip(value, low, high) * UNITS);
    hr_csv_writer_fixed(csv_writer, units, DECIMALS);
    return (double)units / UNITS;
}

static hr_status check_informative(const hr_generate_options *options, hr_error *err) {
    if (options->informative <= options->features) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "ask for more features or fewer informative ones",
            "%llu informative of %llu features", (unsigned long long)options->informative,
            (unsigned long long)options->features);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "informative");
}

/* ---- Classification ---- */

static hr_status check_classification(const hr_generate_options *options, hr_error *err) {
    hr_status status = check_informative(options, err);
    if (status) return status;
    if (options->classes < 2) {
        hr_fail(err, HR_E_ARGUMENT, "ask for 2 to 100 classes", "one class cannot be predicted");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "classes");
    }
    if (options->informative < 8 && options->classes * CLUSTERS_PER_CLASS > (uint64_t)1
                                                                                << options->informative) {
        hr_fail(err, HR_E_ARGUMENT, "ask for more informative features or fewer classes",
                "%llu classes of two clusters do not fit on the corners of a cube of %llu dimensions",
                (unsigned long long)options->classes, (unsigned long long)options->informative);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "informative");
    }
    return HR_OK;
}

static uint64_t cluster_count(const hr_plan *plan) {
    return plan->options->classes * CLUSTERS_PER_CLASS;
}

/* Distinct corners of the cube [-1, 1]^informative, one a cluster. */
static bool draw_corners(hr_plan *plan) {
    uint64_t dimensions = plan->options->informative, clusters = cluster_count(plan);
    uint64_t *codes = hr_arena_alloc(plan->arena, clusters, sizeof *codes);
    plan->corners = hr_arena_alloc(plan->arena, clusters * dimensions, sizeof *plan->corners);
    if (!codes || !plan->corners) return false;
    for (uint64_t c = 0; c < clusters; c++) {
        for (bool taken = true; taken;) {
            codes[c] = hr_dice_u64(&plan->dice) >> (64 - dimensions);
            taken = false;
            for (uint64_t before = 0; before < c; before++) taken = taken || codes[before] == codes[c];
        }
        for (uint64_t d = 0; d < dimensions; d++)
            plan->corners[c * dimensions + d] = codes[c] >> d & 1 ? 1 : -1;
    }
    return true;
}

/* A linear map with entries uniform on [-1, 1) for each cluster; returns the largest standard deviation it
 * makes. */
static double draw_maps(hr_plan *plan) {
    uint64_t n = plan->options->informative;
    double largest = 1;
    for (uint64_t c = 0; c < cluster_count(plan); c++) {
        for (uint64_t to = 0; to < n; to++) {
            double sum = 0, *column = plan->weights + (c * n + to) * n;
            for (uint64_t from = 0; from < n; from++) {
                column[from] = 2 * hr_dice_unit(&plan->dice) - 1;
                sum += column[from] * column[from];
            }
            if (sum > largest * largest) largest = sqrt(sum);
        }
    }
    return largest;
}

static bool prepare_classification(hr_plan *plan) {
    uint64_t n = plan->options->informative;
    plan->weights = hr_arena_alloc(plan->arena, cluster_count(plan) * n * n, sizeof *plan->weights);
    plan->row = hr_arena_alloc(plan->arena, n, sizeof *plan->row);
    if (!plan->weights || !plan->row || !draw_corners(plan)) return false;
    plan->feature_high = ceil(1 + clip_at * draw_maps(plan));
    plan->feature_low = -plan->feature_high;
    return true;
}

static void write_classification_row(hr_plan *plan, hr_csv_writer *csv_writer) {
    const hr_generate_options *o = plan->options;
    hr_dice *dice = &plan->dice;
    uint64_t n = o->informative, cluster = hr_dice_below(dice, cluster_count(plan)),
             label = cluster % o->classes;
    const double *map = plan->weights + cluster * n * n, *corner = plan->corners + cluster * n;
    for (uint64_t i = 0; i < n; i++) plan->row[i] = hr_dice_normal(dice);
    for (uint64_t to = 0; to < n; to++) {
        double value = corner[to];
        for (uint64_t from = 0; from < n; from++) value += map[to * n + from] * plan->row[from];
        write_synthetic_number(csv_writer, value, plan->feature_low, plan->feature_high);
    }
    for (uint64_t i = n; i < o->features; i++)
        write_synthetic_number(csv_writer, hr_dice_normal(dice), plan->feature_low, plan->feature_high);
    if (hr_dice_unit(dice) < o->noise) label = hr_dice_below(dice, o->classes);
    hr_csv_writer_fixed(csv_writer, (int64_t)label, 0);
}

static void add_classification_schema(const hr_plan *plan, hr_buffer *yaml) {
    add_opening(plan, "classification", yaml);
    hr_buffer_text(yaml, "  kind: classes\n  values: [");
    for (uint64_t c = 0; c < plan->options->classes; c++)
        hr_buffer_format(yaml, "%s\"%llu\"", c ? ", " : "", (unsigned long long)c);
    hr_buffer_text(yaml, "]\n");
    add_features(plan, yaml);
}

const hr_generator_steps hr_generate_classification = {
    .name = "classification",
    .defaults = {.features = 20, .informative = 5, .classes = 2, .noise = 0.01},
    .highest = {.features = 10000, .informative = 64, .classes = 100, .noise = 1},
    .check = check_classification,
    .prepare = prepare_classification,
    .header = write_synthetic_header,
    .row = write_classification_row,
    .schema = add_classification_schema,
};

/* ---- Regression ---- */

static bool prepare_regression(hr_plan *plan) {
    const hr_generate_options *o = plan->options;
    double variance = o->noise * o->noise;
    plan->weights = hr_arena_alloc(plan->arena, o->informative, sizeof *plan->weights);
    if (!plan->weights) return false;
    for (uint64_t i = 0; i < o->informative; i++) {
        plan->weights[i] = 100 * hr_dice_unit(&plan->dice);
        variance += plan->weights[i] * plan->weights[i];
    }
    plan->feature_high = 5;
    plan->feature_low = -5;
    plan->label_high = 10 * ceil(clip_at * sqrt(variance) / 10);
    plan->label_low = -plan->label_high;
    return true;
}

static void write_regression_row(hr_plan *plan, hr_csv_writer *csv_writer) {
    const hr_generate_options *o = plan->options;
    double label = 0;
    for (uint64_t i = 0; i < o->features; i++) {
        double value = write_synthetic_number(csv_writer, hr_dice_normal(&plan->dice), plan->feature_low,
                                              plan->feature_high);
        if (i < o->informative) label += plan->weights[i] * value;
    }
    write_synthetic_number(csv_writer, label + o->noise * hr_dice_normal(&plan->dice), plan->label_low,
                           plan->label_high);
}

static void add_regression_schema(const hr_plan *plan, hr_buffer *yaml) {
    add_number_schema(plan, "regression", yaml);
}

const hr_generator_steps hr_generate_regression = {
    .name = "regression",
    .defaults = {.features = 20, .informative = 10, .noise = 10},
    .highest = {.features = 10000, .informative = 10000, .noise = 1e6},
    .check = check_informative,
    .prepare = prepare_regression,
    .header = write_synthetic_header,
    .row = write_regression_row,
    .schema = add_regression_schema,
};

/* ---- Friedman 1 (Friedman 1991; Breiman 1996) ---- */

static hr_status check_friedman1(const hr_generate_options *options, hr_error *err) {
    if (options->features >= FRIEDMAN_FEATURES) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "ask for 5 features or more",
            "the label is a function of 5 features, %llu were asked for",
            (unsigned long long)options->features);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "features");
}

static bool prepare_friedman1(hr_plan *plan) {
    plan->feature_high = 1;
    plan->label_low = -ceil(clip_at * plan->options->noise);
    plan->label_high = 30 + ceil(clip_at * plan->options->noise);
    plan->row = hr_arena_alloc(plan->arena, plan->options->features, sizeof *plan->row);
    return plan->row;
}

/* sin(pi t) for t in [0, 1], to 13 digits: the series about 0, after folding t to [0, 1/2]. */
static double sine_of_pi(double t) {
    double x = 3.14159265358979323846 * (t > 0.5 ? 1 - t : t), square = x * x, sum = 1;
    for (int k = 17; k >= 1; k -= 2) sum = 1 - square * sum / ((k + 1) * (k + 2));
    return x * sum;
}

static void write_friedman1_row(hr_plan *plan, hr_csv_writer *csv_writer) {
    const hr_generate_options *o = plan->options;
    double *x = plan->row;
    for (uint64_t i = 0; i < o->features; i++)
        x[i] = write_synthetic_number(csv_writer, hr_dice_unit(&plan->dice), 0, 1);
    double label = 10 * sine_of_pi(x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
    write_synthetic_number(csv_writer, label + o->noise * hr_dice_normal(&plan->dice), plan->label_low,
                           plan->label_high);
}

static void add_friedman1_schema(const hr_plan *plan, hr_buffer *yaml) {
    add_number_schema(plan, "friedman1", yaml);
}

const hr_generator_steps hr_generate_friedman1 = {
    .name = "friedman1",
    .defaults = {.features = 10, .noise = 1},
    .highest = {.features = 10000, .noise = 1e6},
    .check = check_friedman1,
    .prepare = prepare_friedman1,
    .header = write_synthetic_header,
    .row = write_friedman1_row,
    .schema = add_friedman1_schema,
};
