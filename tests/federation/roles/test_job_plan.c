/* A plan of a job is what the job then does: the same rounds, noise and coalition, and about the bytes that
 * it sends. And what it refuses. */
#include "federation/machines/securesum.h"
#include "support/federation.h"
#include "support/temp_dir.h"

#include <hedgerow/federation.h>
#include <limits.h>

/* ---- Job files ---- */

static const char *path_in(const temp_dir *dir, const char *name) {
    static char paths[2][PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 2];
    snprintf(path, PATH_MAX, "%s/%s", dir->folder, name);
    return path;
}

static void write_schema(const temp_dir *dir, const hr_schema *schema) {
    char *text = NULL;
    assert_int_equal(hr_schema_render(schema, &text, NULL), HR_OK);
    write_file(path_in(dir, "schema.yaml"), text, strlen(text));
    hr_text_free(text);
}

/* lines: those that follow the version and the schema. */
static const char *write_job(const temp_dir *dir, const char *lines) {
    char text[1000];
    snprintf(text, sizeof text, "hedgerow-job: 1\nschema: schema.yaml\n%s", lines);
    const char *path = path_in(dir, "job.yaml");
    write_file(path, text, strlen(text));
    return path;
}

static hr_job_plan_info plan_of(const char *file, size_t owners, double records) {
    hr_job_plan_info plan = {0};
    hr_error err = {0};
    if (hr_job_plan(file, owners, records, &plan, &err)) fail_msg("%s; %s", err.message, err.remedy);
    return plan;
}

static void assert_near(double value, double expected, double part) {
    if (!(fabs(value - expected) <= part * fabs(expected))) fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- One owner ---- */

static void assert_same_plan(const hr_plan_info *a, const hr_plan_info *b) {
    assert_true(a->epsilon == b->epsilon && a->delta == b->delta && a->records == b->records);
    assert_true(a->rounds == b->rounds && a->candidates == b->candidates && a->step == b->step);
    assert_true(a->depth_one == b->depth_one && a->depth_pair == b->depth_pair &&
                a->depth_all == b->depth_all);
    assert_true(a->share_bins == b->share_bins && a->share_count == b->share_count &&
                a->share_base == b->share_base && a->share_calibration == b->share_calibration);
    assert_true(a->share_choices == b->share_choices && a->share_sums == b->share_sums &&
                a->share_counts == b->share_counts && a->share_clip == b->share_clip);
    assert_true(a->leaf_records == b->leaf_records && a->gradient_noise == b->gradient_noise &&
                a->label_noise == b->label_noise && a->prediction_noise == b->prediction_noise &&
                a->label_range == b->label_range);
}

static void test_plan__of_one_owner_is_that_of_a_fit(void **state) {
    const temp_dir *dir = *state;
    static const double deltas[] = {1e-6, 0};
    for (size_t classes = 0; classes <= 3; classes++)
        for (size_t d = 0; d < COUNT(deltas) && classes != 1; d++) {
            char lines[100];
            table t = table_of_steps(8, 3, classes, 5);
            hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
            hr_plan_info fit = {0};
            options.epsilon = 4;
            options.delta = deltas[d];
            snprintf(lines, sizeof lines, "method: hedge\nepsilon: 4\ndelta: %g\n", deltas[d]);
            write_schema(dir, t.schema);
            assert_int_equal(hr_fit_plan(&options, 5000, t.schema, &fit, NULL), HR_OK);
            hr_job_plan_info job = plan_of(write_job(dir, lines), 1, 5000);
            assert_same_plan(&job.plan, &fit);
            assert_true(job.coalition == 0 && job.honest == 1 && job.noise_factor == 1);
            assert_true(job.turns == fit.rounds && job.price_count == 0);
            table_close(&t);
        }
}

/* ---- Many owners ---- */

/* What a record pays, of the budget. */
static double shares_of(const hr_plan_info *p) {
    return p->share_bins + p->share_count + p->share_base + p->share_calibration + p->share_choices +
           p->share_sums + p->share_counts + p->share_clip;
}

static void test_plan__counts_on_all_but_the_coalition(void **state) {
    const temp_dir *dir = *state;
    table t = table_of_steps(8, 3, 2, 5);
    write_schema(dir, t.schema);
    const char *usual = write_job(dir, "method: hedge\nepsilon: 1\n");
    for (size_t owners = 2; owners <= 12; owners++) {
        hr_job_plan_info plan = plan_of(usual, owners, 1000);
        size_t coalition = owners < 5 ? 1 : (owners - 1) / 2;
        assert_int_equal(plan.coalition, coalition);
        assert_int_equal(plan.honest, owners - coalition);
        assert_near(plan.noise_factor, sqrt((double)owners / (double)(owners - coalition)), 1e-12);
        assert_int_equal(plan.prices[0].coalition, 1);
        assert_int_equal(plan.prices[plan.price_count - 1].coalition, owners - 1);
        assert_near(plan.prices[plan.price_count - 1].noise_factor, sqrt((double)owners), 1e-12);
        assert_near(shares_of(&plan.plan), 1, 1e-6);
        assert_int_equal(plan.turns, (plan.plan.rounds + owners - 1) / owners);
    }
    hr_job_plan_info wide = plan_of(write_job(dir, "method: hedge\nepsilon: 1\ncoalition: 7\n"), 12, 1000);
    assert_int_equal(wide.honest, 5);
    assert_int_equal(wide.price_count, 4);
    assert_int_equal(wide.prices[1].coalition, 5);
    assert_int_equal(wide.prices[2].coalition, 7);
    table_close(&t);
}

/* ---- What a job does ---- */

enum { FEATURES = 5 };

typedef struct sent_bytes {
    double coordinator, owners; /* all owners together */
} sent_bytes;

static hr_loopback_fate count_bytes(void *user, const char *from, const char *to, size_t size) {
    sent_bytes *sent = user;
    (void)to;
    *(strcmp(from, "coordinator") ? &sent->owners : &sent->coordinator) += (double)size;
    return HR_FATE_ARRIVES;
}

/* Integers, whose bins are public, without a schema. (How many bytes private bins and categories take follows
 * in part from the records.) */
static table open_integers(size_t rows, hr_column *columns) {
    static const char *const names[FEATURES] = {"a", "b", "c", "d", "e"};
    uint64_t random = 7;
    table t = table_open(rows, FEATURES);
    for (size_t f = 0; f < FEATURES; f++) {
        columns[f] = number_column(names[f], 0, 20);
        columns[f].integer = true;
        for (size_t i = 0; i < rows; i++) t.columns[f][i] = floor(21 * next_unit(&random));
    }
    return t;
}

/* flipped: the part of the labels that does not follow from the features. */
static table table_of_integers(size_t rows, double flipped) {
    uint64_t random = 8;
    hr_column columns[FEATURES];
    table t = open_integers(rows, columns);
    for (size_t i = 0; i < rows; i++)
        t.labels[i] = (t.columns[0][i] + t.columns[1][i] > 20) != (next_unit(&random) < flipped);
    table_make(&t, category_column("label", 2), columns);
    return t;
}

static table table_of_classes(size_t rows, size_t classes) {
    uint64_t random = 9;
    hr_column columns[FEATURES];
    table t = open_integers(rows, columns);
    for (size_t i = 0; i < rows; i++) t.labels[i] = (double)(next_random(&random) % classes);
    table_make(&t, category_column("label", classes), columns);
    return t;
}

typedef struct joint_run {
    federation federation;
    sent_bytes sent;
} joint_run;

static const hr_model *run_job(joint_run *run, table t, size_t owners, hr_job_file job) {
    memset(run, 0, sizeof *run);
    federation_open(&run->federation, t, owners, job, 1);
    hr_loopback_script(run->federation.simulation.loopback, count_bytes, &run->sent);
    return federation_run(&run->federation);
}

/* A leaf's sum has a share of every owner. */
static hr_release_info first_leaf_sum(const hr_model *model) {
    hr_release_info info = {0};
    size_t i = 0;
    while (hr_model_release_at(model, i, &info) && strcmp(info.what, "leaf sum") != 0) i++;
    return info;
}

/* The job goes by the noisy number of records, which deviates by 1.3 %, so that 2 of 39 rounds are 8 standard
 * deviations. Trees are random: the coordinator sends about 10 % more than planned, with a deviation of 2.4 %
 * (of 3 owners) and 3.7 % (of 7) over jobs, so that log(1.4) is 7 standard deviations; what owners send
 * deviates by 2 %. */
static void test_plan__is_what_the_job_does(void **state) {
    enum { ROWS = 2000 };
    const temp_dir *dir = *state;
    static joint_run run;
    for (size_t owners = 3; owners <= 7; owners += 4) {
        hr_job_file job = {.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND)};
        job.options.epsilon = 2;
        const hr_model *model = run_job(&run, table_of_integers(ROWS, 0), owners, job);
        hr_release_info sum = first_leaf_sum(model);
        write_schema(dir, run.federation.table.schema);
        hr_job_plan_info plan = plan_of(write_job(dir, "method: hedge\nepsilon: 2\n"), owners, ROWS);
        assert_near((double)hr_model_tree_count(model), (double)plan.plan.rounds, .06);
        assert_int_equal(sum.shares, plan.honest);
        assert_near(plan.plan.gradient_noise,
                    sqrt((double)owners * sum.scale) / 4096 / plan.plan.leaf_records, .05);
        assert_true(fabs(log(plan.coordinator_sends / run.sent.coordinator)) < log(1.4));
        assert_true(fabs(log(plan.coordinator_receives / run.sent.owners)) < log(1.3));
        assert_near(plan.owner_sends * (double)owners, plan.coordinator_receives, 1e-9);
        assert_near(plan.owner_receives * (double)owners, plan.coordinator_sends, 1e-9);
        federation_close(&run.federation);
    }
}

/* Questions hold a number for each class and node. The ratio as above. */
static void test_plan__counts_the_bytes_of_many_classes(void **state) {
    enum { ROWS = 2000, CLASSES = 60, OWNERS = 3 };
    const temp_dir *dir = *state;
    static joint_run run;
    hr_job_file job = {.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND)};
    job.options.epsilon = 2;
    (void)run_job(&run, table_of_classes(ROWS, CLASSES), OWNERS, job);
    write_schema(dir, run.federation.table.schema);
    hr_job_plan_info plan = plan_of(write_job(dir, "method: hedge\nepsilon: 2\n"), OWNERS, ROWS);
    assert_true(fabs(log(plan.coordinator_sends / run.sent.coordinator)) < log(1.4));
    federation_close(&run.federation);
}

/* An owner takes 64 MiB of questions; a job that may ask for more is refused before anything is spent. */
static void test_plan__refuses_more_questions_than_an_owner_takes(void **state) {
    const temp_dir *dir = *state;
    table many = table_of_classes(8, 250), some = table_of_classes(8, 10);
    static const char lines[] = "method: hedge\nepsilon: 4\n";
    hr_job_plan_info plan = {.owners = 77};
    hr_error err = {0};
    write_schema(dir, many.schema);
    assert_int_equal(hr_job_plan(write_job(dir, lines), 1, 1e6, &plan, &err), HR_E_LIMIT);
    assert_non_null(strstr(err.message, "and an owner takes at most 67 MB"));
    assert_non_null(strstr(err.remedy, "fewer classes"));
    assert_int_equal(plan.owners, 77);
    assert_true(plan_of(write_job(dir, lines), 1, 2000).owner_receives < HR_QUESTION_BYTES_MAX);
    write_schema(dir, some.schema);
    assert_true(plan_of(write_job(dir, lines), 1, 1e6).owner_receives < HR_QUESTION_BYTES_MAX);
    table_close(&many);
    table_close(&some);
}

/* id3's levels, and what they are charged; the bytes are of a tree whose nodes are split where noise allows.
 * No node is pure here, and few have fewer records than noise: the ratio of bytes deviates by 3 %, so that
 * log(1.3) is 9 standard deviations. */
static void test_plan__of_id3_is_what_the_job_does(void **state) {
    enum { ROWS = 20000 };
    const temp_dir *dir = *state;
    static joint_run run;
    hr_release_info first = {0};
    for (size_t owners = 3; owners <= 7; owners += 4) {
        hr_job_file job = {.rounds = 1, .options = options_of("id3", HR_MODE_SOUND)};
        job.options.epsilon = 4;
        job.options.depth = 3;
        const hr_model *model = run_job(&run, table_of_integers(ROWS, .25), owners, job);
        assert_true(hr_model_release_at(model, 0, &first));
        write_schema(dir, run.federation.table.schema);
        hr_job_plan_info plan =
            plan_of(write_job(dir, "method: id3\nepsilon: 4\ndelta: 0\noptions: {depth: 3}\n"), owners, ROWS);
        assert_true(plan.share_records == 0 && plan.levels == 3 && plan.repeats == 1 && plan.turns == 0 &&
                    plan.plan.rounds == 0);
        assert_near(4 * plan.share_level + plan.share_leaves, 1, 1e-9);
        assert_near(first.cost, 4 * plan.share_level, 1e-9);
        assert_int_equal(first.shares, plan.honest);
        /* a discrete Laplace variable of scale t has a variance of 2 t^2 - 1/6 or so */
        assert_near(plan.level_noise, plan.noise_factor * sqrt(2) * 5 / first.cost, .01);
        assert_true(plan.leaf_noise < plan.level_noise);
        assert_true(fabs(log(plan.coordinator_sends / run.sent.coordinator)) < log(1.3));
        assert_true(fabs(log(plan.coordinator_receives / run.sent.owners)) < log(1.3));
        federation_close(&run.federation);
    }
}

/* As the records allow: a count of them is paid first, and levels cost the less the more there are. */
static void test_plan__of_id3_follows_the_records(void **state) {
    const temp_dir *dir = *state;
    table integers = table_of_integers(8, 0);
    static const double records[] = {100, 3000, 1e5, 1e6};
    size_t levels = 0, least = 0;
    write_schema(dir, integers.schema);
    for (size_t i = 0; i < COUNT(records); i++) {
        hr_job_plan_info plan = plan_of(write_job(dir, "method: id3\nepsilon: 4\n"), 3, records[i]);
        assert_true(plan.levels >= levels);
        least = i ? least : plan.levels;
        levels = plan.levels;
        assert_near(plan.share_records, .02, 1e-9);
        assert_near(plan.share_records + (double)(levels + 1) * plan.share_level + plan.share_leaves, 1,
                    1e-9);
    }
    assert_true(levels > least);
    table_close(&integers);
}

/* Private bins: counts of at least 126 nodes a feature, 8 bytes each, of every owner. */
static void test_plan__counts_the_bytes_of_private_bins(void **state) {
    enum { OWNERS = 4, NODES = 126 };
    const temp_dir *dir = *state;
    table integers = table_of_integers(8, 0), numbers = table_of_steps(8, FEATURES, 2, 5);
    static const char lines[] = "method: hedge\nepsilon: 1\n";
    write_schema(dir, integers.schema);
    hr_job_plan_info public = plan_of(write_job(dir, lines), OWNERS, 2000);
    write_schema(dir, numbers.schema);
    hr_job_plan_info private = plan_of(write_job(dir, lines), OWNERS, 2000);
    double least = OWNERS * FEATURES * NODES * 8;
    assert_true(private.coordinator_receives > public.coordinator_receives + least);
    assert_true(private.coordinator_receives < public.coordinator_receives + 20 * least);
    assert_true(private.coordinator_sends > public.coordinator_sends);
    table_close(&integers);
    table_close(&numbers);
}

/* ---- Averages ---- */

/* Each owner's model is that of a fit of its part of the records; the noise of many is averaged. */
static void test_plan__of_an_average_is_that_of_each_owner_alone(void **state) {
    enum { OWNERS = 4, ROWS = 2000 };
    const temp_dir *dir = *state;
    static joint_run run;
    hr_plan_info fit = {0};
    hr_job_file job = {.rounds = 1, .averages = true, .options = options_of("hedge", HR_MODE_SOUND)};
    job.options.epsilon = 2;
    size_t trees = hr_model_tree_count(run_job(&run, table_of_integers(ROWS, 0), OWNERS, job));
    write_schema(dir, run.federation.table.schema);
    assert_int_equal(
        hr_fit_plan(&job.options, (double)ROWS / OWNERS, run.federation.table.schema, &fit, NULL), HR_OK);
    hr_job_plan_info plan = plan_of(write_job(dir, "method: average\nepsilon: 2\n"), OWNERS, ROWS);
    assert_string_equal(plan.method, "average");
    assert_near(plan.plan.prediction_noise, fit.prediction_noise / 2, 1e-12);
    fit.prediction_noise = plan.plan.prediction_noise;
    fit.records = ROWS;
    assert_same_plan(&plan.plan, &fit);
    assert_true(plan.coalition == 0 && plan.honest == 0 && plan.turns == 0 && plan.price_count == 0);
    assert_near((double)trees, (double)(OWNERS * plan.plan.rounds), .1);
    assert_true(fabs(log(plan.coordinator_sends / run.sent.coordinator)) < log(2));
    assert_true(fabs(log(plan.coordinator_receives / run.sent.owners)) < log(2));
    assert_near(plan.owner_sends * OWNERS, plan.coordinator_receives, 1e-9);
    federation_close(&run.federation);
}

/* ---- Refusals ---- */

static void test_plan__refuses_what_it_cannot_tell(void **state) {
    static const struct {
        const char *lines;
        size_t owners;
        double records;
        hr_status status;
        const char *message;
    } cases[] = {
        {"method: hedge\nepsilon: 1\n", 0, 100, HR_E_ARGUMENT, "names no owners"},
        {"method: hedge\nepsilon: 1\n", 256, 100, HR_E_LIMIT, "256 owners are too many"},
        {"method: hedge\nepsilon: 1\n", 3, 0, HR_E_ARGUMENT, "no plan is made for 0 records"},
        {"method: hedge\nepsilon: 1\n", 3, 5e9, HR_E_ARGUMENT, "no plan is made for 5e+09 records"},
        {"method: hedge\nepsilon: 1\ncoalition: 3\n", 3, 100, HR_E_ARGUMENT, "leaves none"},
        {"method: hedge\nepsilon: 1\nrounds: 2\n", 3, 100, HR_E_ARGUMENT, "sets the number of its rounds"},
        {"method: hedge\nepsilon: 1e-6\n", 3, 100, HR_E_BUDGET, "too small"},
        {"method: inprivate\nepsilon: 1\n", 3, 100, HR_E_ARGUMENT, "one tree for each owner in each round"},
        {"method: id3\nmode: paper\nepsilon: 1\n", 3, 100, HR_E_ARGUMENT, "in mode paper has no plan"},
        {"method: id3\nepsilon: 1e-12\ndelta: 0\n", 3, 100, HR_E_BUDGET, "too small"},
        {"method: dpboost\nepsilon: 1\n", 3, 100, HR_E_ARGUMENT, "does not train over a federation"},
    };
    const temp_dir *dir = *state;
    table t = table_of_steps(8, 3, 2, 5);
    write_schema(dir, t.schema);
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_job_plan_info plan = {.owners = 77};
        hr_error err = {0};
        assert_int_equal(
            hr_job_plan(write_job(dir, cases[i].lines), cases[i].owners, cases[i].records, &plan, &err),
            cases[i].status);
        if (!strstr(err.message, cases[i].message)) fail_msg("%s", err.message);
        assert_true(plan.owners == 77 && *err.remedy);
    }
    table_close(&t);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_plan__of_one_owner_is_that_of_a_fit),
        IN_FOLDER(test_plan__counts_on_all_but_the_coalition),
        IN_FOLDER(test_plan__is_what_the_job_does),
        IN_FOLDER(test_plan__counts_the_bytes_of_many_classes),
        IN_FOLDER(test_plan__refuses_more_questions_than_an_owner_takes),
        IN_FOLDER(test_plan__of_id3_is_what_the_job_does),
        IN_FOLDER(test_plan__of_id3_follows_the_records),
        IN_FOLDER(test_plan__counts_the_bytes_of_private_bins),
        IN_FOLDER(test_plan__of_an_average_is_that_of_each_owner_alone),
        IN_FOLDER(test_plan__refuses_what_it_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
