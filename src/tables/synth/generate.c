/* The frame around the generators: options are checked before the first byte, rows go out in pieces of 64
 * KiB. */
#include "tables/synth/generate.h"

#include "base/fail.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_dice_init(hr_dice *dice, uint64_t seed) {
    for (int i = 0; i < 4; i++) { /* Steele, Lea and Flood's splitmix64 */
        uint64_t z = seed += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        dice->s[i] = z ^ z >> 31;
    }
}

int64_t hr_nearest(double value) {
    return (int64_t)floor(value + 0.5);
}

double hr_clip(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

void hr_csv_writer_flush(hr_csv_writer *csv_writer) {
    if (csv_writer->used && !csv_writer->stopped)
        csv_writer->stopped = !csv_writer->write(csv_writer->user, csv_writer->bytes, csv_writer->used);
    csv_writer->used = 0;
}

/* Where the next cell goes, with room for it. */
static char *next_cell(hr_csv_writer *csv_writer) {
    if (csv_writer->used > HR_CSV_WRITER_SIZE - HR_CELL_LONGEST - 2) hr_csv_writer_flush(csv_writer);
    if (csv_writer->filled) csv_writer->bytes[csv_writer->used++] = ',';
    csv_writer->filled = true;
    return csv_writer->bytes + csv_writer->used;
}

void hr_csv_writer_text(hr_csv_writer *csv_writer, const char *text) {
    size_t length = strlen(text);
    assert(length < HR_CELL_LONGEST);
    memcpy(next_cell(csv_writer), text, length);
    csv_writer->used += length;
}

void hr_csv_writer_fixed(hr_csv_writer *csv_writer, int64_t units, int decimals) {
    char digits[HR_CELL_LONGEST];
    size_t at = sizeof digits;
    uint64_t rest = units < 0 ? -(uint64_t)units : (uint64_t)units;
    for (int i = 0; rest || i <= decimals; i++) {
        if (i == decimals && i) digits[--at] = '.';
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (units < 0) digits[--at] = '-';
    memcpy(next_cell(csv_writer), digits + at, sizeof digits - at);
    csv_writer->used += sizeof digits - at;
}

void hr_csv_writer_end_row(hr_csv_writer *csv_writer) {
    csv_writer->bytes[csv_writer->used++] = '\n';
    csv_writer->filled = false;
}

static const hr_generator_steps *find_steps(hr_generator generator) {
    switch (generator) {
    case HR_GENERATE_HOSPITAL: return &hr_generate_hospital;
    case HR_GENERATE_CLASSIFICATION: return &hr_generate_classification;
    case HR_GENERATE_REGRESSION: return &hr_generate_regression;
    case HR_GENERATE_FRIEDMAN1: return &hr_generate_friedman1;
    }
    return NULL;
}

static hr_generate_options defaults_of(hr_generator generator) {
    const hr_generator_steps *steps = find_steps(generator);
    hr_generate_options options = steps ? steps->defaults : (hr_generate_options){0};
    options.size = sizeof options;
    options.generator = generator;
    options.rows = 20000;
    options.seed = 1;
    return options;
}

void hr_generate_options_init_sized(hr_generate_options *options, size_t size, hr_generator generator) {
    hr_generate_options made = defaults_of(generator);
    made.size = size < sizeof made ? size : sizeof made;
    memcpy(options, &made, made.size);
}

/* What the caller's options are too short to have gets the default of their generator. */
static hr_status take_options_generator(const hr_generate_options *given, hr_generate_options *out,
                                        hr_error *err) {
    static const hr_sized kind = {sizeof *out, offsetof(hr_generate_options, rows),
                                  "fill in the options with hr_generate_options_init first"};
    hr_status status = hr_sized_check(&kind, given, err);
    if (status) return status;
    *out = defaults_of(given->generator);
    return hr_sized_take(&kind, given, out, err);
}

static hr_status fail_option(const char *name, hr_error *err) {
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, name);
}

static hr_status check_count(const hr_generator_steps *steps, const char *name, uint64_t value,
                             uint64_t highest, hr_error *err) {
    if (highest ? value >= 1 && value <= highest : !value) return HR_OK;
    if (!highest)
        hr_fail(err, HR_E_ARGUMENT, "leave it 0", "the generator '%s' has no option '%s'", steps->name, name);
    else
        hr_fail(err, HR_E_ARGUMENT, "choose a number within the range", "%s is %llu, allowed are 1 to %llu",
                name, (unsigned long long)value, (unsigned long long)highest);
    return fail_option(name, err);
}

static hr_status check_noise(const hr_generator_steps *steps, double noise, hr_error *err) {
    double highest = steps->highest.noise;
    if (noise >= 0 && noise <= highest) return HR_OK;
    if (highest > 0)
        hr_fail(err, HR_E_ARGUMENT, "choose a number within the range", "noise is %g, allowed are 0 to %g",
                noise, highest);
    else
        hr_fail(err, HR_E_ARGUMENT, "leave it 0", "the generator '%s' has no option 'noise'", steps->name);
    return fail_option("noise", err);
}

static hr_status check_generate_options(const hr_generate_options *options, hr_error *err) {
    const hr_generator_steps *steps = find_steps(options->generator);
    if (!steps)
        return hr_fail(err, HR_E_ARGUMENT, "choose hospital, classification, regression or friedman1",
                       "there is no generator %d", (int)options->generator);
    hr_status status = check_count(steps, "rows", options->rows, UINT64_MAX, err);
    if (!status) status = check_count(steps, "features", options->features, steps->highest.features, err);
    if (!status)
        status = check_count(steps, "informative", options->informative, steps->highest.informative, err);
    if (!status) status = check_count(steps, "classes", options->classes, steps->highest.classes, err);
    if (!status && options->visits)
        status = check_count(steps, "visits", options->visits, steps->highest.visits, err);
    if (!status && options->times)
        status = check_count(steps, "times", options->times, steps->highest.times, err);
    if (!status) status = check_noise(steps, options->noise, err);
    if (!status && steps->check) status = steps->check(options, err);
    return status;
}

/* Owner: the caller frees plan->arena. */
static hr_status plan_table(const hr_generate_options *options, hr_plan *plan, hr_error *err) {
    const hr_generator_steps *steps = find_steps(options->generator);
    *plan = (hr_plan){.options = options, .arena = hr_arena_new()};
    hr_dice_init(&plan->dice, options->seed);
    if (!plan->arena || (steps->prepare && !steps->prepare(plan))) return hr_fail_memory(err);
    return HR_OK;
}

static hr_status write_rows(hr_plan *plan, hr_csv_writer *csv_writer, hr_error *err) {
    const hr_generator_steps *steps = find_steps(plan->options->generator);
    steps->header(plan, csv_writer);
    hr_csv_writer_end_row(csv_writer);
    for (uint64_t row = 0; row < plan->options->rows && !csv_writer->stopped; row++) {
        steps->row(plan, csv_writer);
        hr_csv_writer_end_row(csv_writer);
    }
    hr_csv_writer_flush(csv_writer);
    return csv_writer->stopped ? hr_fail(err, HR_E_IO, "check the place that the table is written to",
                                         "writing the table was stopped")
                               : HR_OK;
}

hr_status hr_generate(const hr_generate_options *options,
                      bool (*write)(void *user, const char *bytes, size_t size), void *user, hr_error *err) {
    assert(options && write);
    hr_generate_options ours;
    hr_status status = take_options_generator(options, &ours, err);
    if (!status) status = check_generate_options(&ours, err);
    if (status) return status;
    hr_plan plan;
    hr_csv_writer *csv_writer = NULL;
    status = plan_table(&ours, &plan, err);
    if (status) goto out;
    csv_writer = calloc(1, sizeof *csv_writer);
    if (!csv_writer) {
        status = hr_fail_memory(err);
        goto out;
    }
    csv_writer->write = write;
    csv_writer->user = user;
    status = write_rows(&plan, csv_writer, err);
out:
    free(csv_writer);
    hr_arena_free(plan.arena);
    return status;
}

hr_status hr_generate_schema(const hr_generate_options *options, char **yaml, hr_error *err) {
    assert(options && yaml);
    hr_generate_options ours;
    hr_status status = take_options_generator(options, &ours, err);
    if (!status) status = check_generate_options(&ours, err);
    if (status) return status;
    hr_plan plan;
    hr_buffer text = {0};
    status = plan_table(&ours, &plan, err);
    if (!status) {
        find_steps(ours.generator)->schema(&plan, &text);
        status = hr_buffer_take(&text, yaml, err);
    }
    hr_arena_free(plan.arena);
    return status;
}
