/* hedge over owners equals hedge over all records, bit for bit, where no noise is added and trees are chosen
 * alike: each owner knows nothing but the questions, as bytes. What each answer costs the owner knows by
 * itself. Questions that no owner answers: test_federated_hostile.c. */
#include "federation/hedge/hedge_question_wire.h"
#include "methods/hedge/hedge_machine.h"
#include "privacy/crypto/csprng.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/persons.h"
#include "tables/data/records.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/hedge_records.h"

#include <math.h>
#include <string.h>

enum { ROWS = 900, BINS = 16, OWNERS_MAX = 5, VALUES_MAX = 1 << 15 };

static const double quantiles[] = {.1, .5, .9};

typedef struct task {
    size_t classes; /* or intervals of times; of counts 1: they have exposures */
    hr_objective objective;
    bool pure, persons;
} task;

/* One run: the coordinator's machine, and what each owner keeps. */
typedef struct world {
    table t;
    size_t outputs, owners;
    task task;
    hr_arena *arena;
    hr_csprng *coins;
    hr_hedge *hedge;
    hr_edge_levels *levels;
    hr_data *data[OWNERS_MAX];
    hr_records *records[OWNERS_MAX];
    hr_hedge_question_reader hearers[OWNERS_MAX];
    int64_t sums[VALUES_MAX];
    size_t rounds;
    double noise; /* of what opens, in parts of what one process draws */
} world;

/* Records 0 to 49 are of one person, and three in a row of one from there on. */
static size_t person_of(size_t row) {
    return row < 50 ? 0 : row / 3;
}

static void name_persons(world *w, const hr_column *columns) {
    hr_data *data = w->t.data;
    const hr_column *label = hr_schema_label(w->t.schema);
    hr_schema *schema = NULL;
    const hr_schema_parts parts = {.label = *label,
                                   .features = columns,
                                   .feature_count = w->t.features,
                                   .unit = "who",
                                   .reviewed = HR_REVIEW_DONE};
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    assert_non_null(data->persons = calloc(ROWS, sizeof *data->persons));
    assert_non_null(data->weights = calloc(ROWS, sizeof *data->weights));
    for (size_t i = 0; i < ROWS; i++) data->persons[i] = (uint32_t)person_of(i);
    assert_true(hr_records_weigh(data));
    data->schema = schema;
    hr_schema_free(w->t.schema);
    w->t.schema = schema;
}

static bool has_exposures(const task *of) {
    return of->objective == HR_OBJECTIVE_COUNT && of->classes;
}

/* Counts during three quarters of the largest exposure to all of it. */
static void name_exposures(world *w, const hr_column *columns) {
    hr_data *data = w->t.data;
    hr_schema *schema = NULL;
    const hr_schema_parts parts = {.label = *hr_schema_label(w->t.schema),
                                   .features = columns,
                                   .feature_count = w->t.features,
                                   .unit = w->task.persons ? "who" : NULL,
                                   .exposure = "days",
                                   .exposure_high = 365,
                                   .single_records = !w->task.persons,
                                   .reviewed = HR_REVIEW_DONE};
    uint64_t random = 8;
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    assert_non_null(data->exposures = calloc(ROWS, sizeof *data->exposures));
    for (size_t i = 0; i < ROWS; i++) data->exposures[i] = (double)(750 + next_random(&random) % 251) / 1000;
    if (!data->weights) assert_non_null(data->weights = calloc(ROWS, sizeof *data->weights));
    assert_true(hr_records_weigh(data));
    data->schema = schema;
    hr_schema_free(w->t.schema);
    w->t.schema = schema;
}

static hr_column label_of(const world *w, size_t classes) {
    static const double cuts[] = {2, 4, 6, 8};
    if (w->task.objective == HR_OBJECTIVE_COUNT) {
        hr_column count = number_column("y", 0, 20);
        count.integer = count.count = true;
        return count;
    }
    hr_column time = number_column("y", -1e300, 1e300);
    if (w->task.objective != HR_OBJECTIVE_HAZARD)
        return classes ? category_column("y", classes) : number_column("y", -1, 1);
    time.event = "died";
    time.intervals = cuts;
    time.interval_count = classes;
    return time;
}

static void fill_table(world *w, size_t classes) {
    uint64_t random = 4;
    w->t = table_open(ROWS, 3);
    for (size_t i = 0; i < ROWS; i++) {
        double x = w->t.columns[0][i] = next_unit(&random);
        w->t.columns[1][i] =
            next_random(&random) % 11 ? next_unit(&random) * next_unit(&random) : (double)NAN;
        w->t.columns[2][i] = (double)(next_random(&random) % 5);
        const double time = x * 7 + w->t.columns[2][i];
        w->t.labels[i] = w->task.objective == HR_OBJECTIVE_HAZARD  ? hr_time_label(time, i % 3)
                         : w->task.objective == HR_OBJECTIVE_COUNT ? floor(time)
                         : classes ? (double)((size_t)(x * 7 + w->t.columns[2][i]) % classes)
                                   : 2 * x - 1;
    }
    hr_column columns[] = {number_column("x", 0, 1), number_column("z", 0, 2), category_column("k", 4)};
    hr_column label = label_of(w, classes);
    if (w->task.objective == HR_OBJECTIVE_QUANTILES) {
        label.quantiles = quantiles;
        label.quantile_count = COUNT(quantiles);
    }
    table_make(&w->t, label, columns);
    if (w->task.persons) name_persons(w, columns);
    if (has_exposures(&w->task)) name_exposures(w, columns);
}

static hr_privacy_measure measure_of(const world *w) {
    return w->task.pure ? HR_PRIVACY_PURE : HR_PRIVACY_GDP;
}

/* All records of a person belong to one owner. */
static void deal_records(world *w, size_t o) {
    uint32_t rows[ROWS];
    size_t count = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if ((w->task.persons ? person_of(i) : i) * 7919u / 13 % w->owners == o) rows[count++] = i;
    w->data[o] = hr_data_take(w->t.data, rows, count);
    assert_non_null(w->data[o]);
    assert_int_equal(
        hr_records_new(w->data[o], w->outputs, HR_HEDGE_CANDIDATES_OWNERS, 1, &w->records[o], NULL), HR_OK);
    w->hearers[o] = (hr_hedge_question_reader){.schema = w->t.schema,
                                               .bins = BINS,
                                               .outputs = w->outputs,
                                               .objective = w->task.objective,
                                               .privacy_measure = measure_of(w),
                                               .arena = w->arena};
}

static void world_open(world *w, task of, size_t owners) {
    const bool are_intervals = of.objective == HR_OBJECTIVE_HAZARD;
    *w = (world){.outputs = are_intervals || of.classes > 2 ? of.classes : 1,
                 .owners = owners,
                 .task = of,
                 .noise = 1};
    if (of.objective == HR_OBJECTIVE_QUANTILES) w->outputs = COUNT(quantiles);
    fill_table(w, of.classes);
    w->arena = hr_arena_new();
    assert_non_null(w->arena);
    assert_int_equal(hr_csprng_open_seeded(17, &w->coins, NULL), HR_OK);
    for (size_t o = 0; o < owners; o++) deal_records(w, o);
    const hr_hedge_terms terms = {.setting = {.privacy_measure = measure_of(w),
                                              .unit = hr_hedge_unit_of(w->t.schema),
                                              .budget = of.pure ? hr_units_up(2) : hr_gdp_budget(2, 1e-6),
                                              .task = hr_schema_task(w->t.schema),
                                              .has_private_edges = true},
                                  .outputs = w->outputs,
                                  .objective = of.objective,
                                  .schema = w->t.schema};
    assert_int_equal(hr_hedge_new(&terms, w->coins, w->arena, &w->hedge, NULL), HR_OK);
}

static void world_close(world *w) {
    hr_hedge_free(w->hedge);
    hr_edge_levels_free(w->levels);
    for (size_t o = 0; o < w->owners; o++) {
        hr_records_free(w->records[o]);
        hr_data_free(w->data[o]);
    }
    hr_csprng_close(w->coins);
    hr_arena_free(w->arena);
    table_close(&w->t);
}

static hr_bytes pack_or_fail(world *w, const hr_hedge_question *question) {
    hr_edge_question bins = {0};
    size_t total;
    hr_bytes body = {0};
    const hr_hedge_question_out asked = {.question = question,
                                         .bins = question->kind == HR_HEDGE_BINS ? &bins : NULL,
                                         .outputs = w->outputs,
                                         .first = hr_hedge_rounds(w->hedge, &total) == 0};
    if (question->kind == HR_HEDGE_BINS) assert_true(hr_edge_levels_next(w->levels, &bins));
    assert_int_equal(hr_hedge_question_pack(&asked, &body, NULL), HR_OK);
    return body;
}

/* An owner charges by its own code: the same as the machine, whose lines the methods' tests check. */
static void check_same_lines(const hr_hedge_question *asked, const hr_hedge_question *heard) {
    assert_int_equal(heard->kind, asked->kind);
    assert_int_equal(heard->line_count, asked->line_count);
    for (size_t i = 0; i < asked->line_count; i++) {
        assert_string_equal(heard->lines[i].what, asked->lines[i].what);
        assert_true(heard->lines[i].cost == asked->lines[i].cost);
        assert_true(heard->lines[i].sensitivity == asked->lines[i].sensitivity);
        if (asked->kind != HR_HEDGE_BINS) assert_int_equal(heard->counts[i], asked->counts[i]);
    }
}

/* Adds the owner's exact answer; returns how many values it has. */
static size_t add_answer(world *w, size_t o, const hr_hedge_question *asked, const hr_bytes *body) {
    static hr_exact exact[VALUES_MAX];
    hr_arena *arena = hr_arena_new();
    hr_hedge_question_in q;
    hr_error err = {0};
    if (hr_hedge_question_read(&w->hearers[o], body, arena, &q, &err)) fail_msg("%s", err.message);
    check_same_lines(asked, &q.question);
    size_t values = hr_hedge_question_values(&q.question);
    assert_true(values <= VALUES_MAX);
    if (q.question.kind == HR_HEDGE_BINS) {
        assert_int_equal(hr_edge_question_check(w->t.schema, BINS, &q.bins, NULL), HR_OK);
        for (size_t p = 0; p < q.bins.part_count; p++)
            assert_true(hr_hedge_question_part(&w->hearers[o], &q, p).sensitivity ==
                        (hr_schema_weighs(w->t.schema) ? (uint64_t)HR_PERSON_UNIT : HR_COUNT_UNIT));
        assert_int_equal(hr_edges_count_nodes(w->data[o], BINS, &q.bins, exact, NULL), HR_OK);
    } else if (q.question.kind == HR_HEDGE_CHOICE) {
        assert_int_equal(hr_records_scores(w->records[o], &q.question, exact, NULL), HR_OK);
    } else {
        assert_int_equal(hr_records_sums(w->records[o], &q.question, exact, NULL), HR_OK);
    }
    for (size_t i = 0; i < values; i++) w->sums[i] += exact[i].unpaid;
    hr_arena_free(arena);
    return values;
}

/* Every fifth round is lost, and so is the first answer on the bins. */
static bool is_lost(const world *w, const hr_hedge_question *question, size_t asked) {
    return (question->kind == HR_HEDGE_LEAVES && w->rounds % 5 == 3) || asked == 1;
}

static void ask_sums(world *w, const hr_hedge_question *question, size_t asked) {
    hr_bytes body = pack_or_fail(w, question);
    memset(w->sums, 0, sizeof w->sums);
    size_t values = 0;
    for (size_t o = 0; o < w->owners; o++) values = add_answer(w, o, question, &body);
    static hr_noisy noisy[VALUES_MAX];
    for (size_t i = 0; i < values; i++) noisy[i].paid = w->sums[i];
    bool lost = is_lost(w, question, asked);
    free(body.at);
    if (question->kind == HR_HEDGE_BINS && lost)
        assert_int_equal(hr_hedge_drop_sum(w->hedge, 1, NULL), HR_OK);
    else if (question->kind == HR_HEDGE_BINS)
        assert_int_equal(hr_edge_levels_accept(w->levels, noisy, NULL), HR_OK);
    else
        assert_int_equal(hr_hedge_sums(w->hedge, lost ? NULL : noisy, w->noise, NULL), HR_OK);
    if (question->kind == HR_HEDGE_LEAVES) w->rounds++;
}

/* One owner looks at the candidates, and says what the script says. */
static void ask_choice(world *w, const hr_hedge_question *question) {
    hr_bytes body = pack_or_fail(w, question);
    add_answer(w, w->rounds % w->owners, question, &body);
    free(body.at);
    hr_hedge_choice(w->hedge, w->rounds * 13 % question->tree_count);
}

/* False: something is asked about bins. */
static bool settle_bins(world *w) {
    hr_edge_question bins;
    if (!w->levels) {
        const double one = (double)hr_unit_of_counts(hr_hedge_unit_of(w->t.schema));
        const hr_edge_levels_setup setup = {w->t.schema, BINS, 5 * one, w->arena};
        assert_int_equal(hr_edge_levels_new(&setup, &w->levels, NULL), HR_OK);
    }
    if (hr_edge_levels_next(w->levels, &bins)) return false;
    hr_hedge_set_owners(w->hedge, OWNERS_MAX, OWNERS_MAX); /* the plan of as many owners */
    assert_int_equal(hr_hedge_bins(w->hedge, hr_edge_levels_binning(w->levels), NULL), HR_OK);
    return true;
}

static void run_world(world *w) {
    hr_hedge_question question;
    for (size_t asked = 0; hr_hedge_next(w->hedge, &question); asked++) {
        if (question.kind == HR_HEDGE_BINS && settle_bins(w)) continue;
        if (question.kind == HR_HEDGE_CHOICE)
            ask_choice(w, &question);
        else
            ask_sums(w, &question, asked);
    }
}

static void check_same_forest(const hr_forest *a, const hr_forest *b) {
    assert_int_equal(a->tree_count, b->tree_count);
    assert_true(a->tree_count > 5);
    assert_memory_equal(a->base, b->base, a->output_count * sizeof *a->base);
    assert_memory_equal(&a->calibration.slope, &b->calibration.slope, sizeof(double));
    for (size_t t = 0; t < a->tree_count; t++) {
        assert_int_equal(a->trees[t].node_count, b->trees[t].node_count);
        for (size_t n = 0; n < a->trees[t].node_count; n++) {
            const hr_node *x = &a->trees[t].nodes[n], *y = &b->trees[t].nodes[n];
            assert_true(x->left == y->left && x->feature == y->feature && x->cut == y->cut);
            assert_memory_equal(&x->value, &y->value, sizeof x->value);
        }
    }
}

static void test_owners__make_the_model_of_all_records(void **state) {
    (void)state;
    static const task tasks[] = {{0, false, false, false},
                                 {2, false, false, false},
                                 {2, true, false, false},
                                 {4, false, false, false},
                                 {4, false, true, false},
                                 {0, false, false, true},
                                 {2, false, false, true},
                                 {2, true, false, true},
                                 {4, false, false, true},
                                 {4, false, true, true},
                                 {0, HR_OBJECTIVE_QUANTILES, false, false},
                                 {0, HR_OBJECTIVE_QUANTILES, true, false},
                                 {0, HR_OBJECTIVE_QUANTILES, false, true},
                                 {4, HR_OBJECTIVE_HAZARD, false, false},
                                 {1, HR_OBJECTIVE_HAZARD, false, false},
                                 {3, HR_OBJECTIVE_HAZARD, true, true},
                                 {0, HR_OBJECTIVE_COUNT, false, false},
                                 {1, HR_OBJECTIVE_COUNT, false, false},
                                 {1, HR_OBJECTIVE_COUNT, true, false},
                                 {1, HR_OBJECTIVE_COUNT, false, true}};
    static const size_t owners[] = {2, 3, OWNERS_MAX};
    static world one, many;
    for (size_t i = 0; i < COUNT(tasks); i++) {
        world_open(&one, tasks[i], 1);
        run_world(&one);
        for (size_t k = 0; k < COUNT(owners); k++) {
            world_open(&many, tasks[i], owners[k]);
            run_world(&many);
            check_same_forest(hr_hedge_forest(one.hedge), hr_hedge_forest(many.hedge));
            world_close(&many);
        }
        world_close(&one);
    }
}

/* How far apart the base scores of intervals are, where sums open with that much noise. */
static double spread_of_hazards(double noise) {
    static world w;
    world_open(&w, (task){4, HR_OBJECTIVE_HAZARD, false, false}, 2);
    w.noise = noise;
    run_world(&w);
    const hr_forest *forest = hr_hedge_forest(w.hedge);
    double least = forest->base[0], most = forest->base[0];
    for (size_t k = 1; k < forest->output_count; k++) {
        least = fmin(least, forest->base[k]);
        most = fmax(most, forest->base[k]);
    }
    world_close(&w);
    return most - least;
}

static void test_base_hazards__are_doubted_by_the_noise_of_what_opened(void **state) {
    (void)state;
    const double one = spread_of_hazards(1);
    assert_true(one > 0);
    assert_true(spread_of_hazards(20) < .9 * one);
}

/* ---- What an owner does not read ---- */

static void refuse_body(hr_hedge_question_reader *reader, const Hedgerow__HedgeQuestion *body,
                        const char *why) {
    hr_arena *arena = hr_arena_new();
    hr_hedge_question_in read;
    hr_bytes packed = {0};
    hr_error err = {0};
    assert_non_null(arena);
    assert_int_equal(hr_message_pack(&body->base, &packed, NULL), HR_OK);
    assert_int_equal(hr_hedge_question_read(reader, &packed, arena, &read, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, why));
    free(packed.at);
    hr_arena_free(arena);
}

/* Cells count classes: numbers have none. */
static void test_owner__calibrates_no_numbers(void **state) {
    (void)state;
    static world w;
    world_open(&w, (task){0, false, false, false}, 2);
    Hedgerow__HedgeQuestion body = HEDGEROW__HEDGE_QUESTION__INIT;
    double base = 0;
    body.kind = HEDGEROW__HEDGE_QUESTION__KIND__RELIABILITY;
    body.base_scores = &base;
    body.n_base_scores = 1;
    w.hearers[0].base = &base;
    refuse_body(&w.hearers[0], &body, "a calibration of numbers");
    world_close(&w);
}

/* A first round that is wrong is read once, however often it comes: what was read of it stays in memory. */
static void test_owner__reads_the_first_round_once(void **state) {
    (void)state;
    static world w;
    world_open(&w, (task){0, false, false, false}, 2);
    Hedgerow__HedgeQuestion body = HEDGEROW__HEDGE_QUESTION__INIT;
    Hedgerow__HedgeTree tree = HEDGEROW__HEDGE_TREE__INIT, *trees[] = {&tree};
    body.kind = HEDGEROW__HEDGE_QUESTION__KIND__LEAVES;
    body.trees = trees;
    body.n_trees = 1;
    body.bound = 1;
    refuse_body(&w.hearers[0], &body, "lack a feature");
    refuse_body(&w.hearers[0], &body, "not understood");
    world_close(&w);
}

/* A first question that was lost comes again, with the same cuts. */
static void test_owner__takes_one_list_of_cuts(void **state) {
    (void)state;
    static world w;
    world_open(&w, (task){4, HR_OBJECTIVE_HAZARD, false, false}, 2);
    const hr_column *label = hr_schema_label(w.t.schema);
    hr_schema_parts parts = *hr_schema_parts_of(w.t.schema);
    hr_schema *found = NULL;
    parts.label.quantile_cuts = true;
    assert_int_equal(hr_schema_make(&parts, &found, NULL), HR_OK);
    w.hearers[0].schema = found;
    Hedgerow__HedgeQuestion body = HEDGEROW__HEDGE_QUESTION__INIT;
    double cuts[] = {3, label->intervals[3]};
    uint64_t cost = 1;
    body.costs = &cost;
    body.n_costs = 1;
    body.cuts = cuts;
    body.n_cuts = 2;
    for (int again = 0; again < 2; again++) {
        hr_bytes packed = {0};
        hr_hedge_question_in read;
        assert_int_equal(hr_message_pack(&body.base, &packed, NULL), HR_OK);
        assert_int_equal(hr_hedge_question_read(&w.hearers[0], &packed, w.arena, &read, NULL), HR_OK);
        assert_int_equal(read.question.counts[0], hr_survival_codes(2));
        assert_int_equal(w.hearers[0].outputs, 2);
        free(packed.at);
    }
    cuts[0] = 4;
    refuse_body(&w.hearers[0], &body, "other cuts of times than before");
    body.cuts = &cuts[1];
    body.n_cuts = 1;
    refuse_body(&w.hearers[0], &body, "other cuts of times than before");
    hr_schema_free(found);
    world_close(&w);
}

/* Room for a forest's trees would be out of proportion to such a message. */
static void test_owner__reads_no_forest_without_values(void **state) {
    (void)state;
    enum { TREES = 5 };
    static world w;
    world_open(&w, (task){4, false, false, false}, 2);
    Hedgerow__HedgeQuestion body = HEDGEROW__HEDGE_QUESTION__INIT;
    Hedgerow__HedgeTree tree = HEDGEROW__HEDGE_TREE__INIT, *trees[TREES];
    double base[4] = {0};
    for (size_t i = 0; i < TREES; i++) trees[i] = &tree;
    body.kind = HEDGEROW__HEDGE_QUESTION__KIND__RELIABILITY;
    body.trees = trees;
    body.n_trees = TREES;
    body.base_scores = base;
    body.n_base_scores = COUNT(base);
    w.hearers[0].base = base;
    refuse_body(&w.hearers[0], &body, "a forest with too many trees, or without a value for each output");
    world_close(&w);
}

/* The coordinator of a job whose trees split by one feature asks about others: each owner sees it. */
static void test_owner__answers_nothing_about_trees_that_the_job_excludes(void **state) {
    (void)state;
    static world w;
    hr_hedge_question question = {0};
    world_open(&w, (task){2, false, false, false}, 2);
    for (size_t asked = 0; hr_hedge_next(w.hedge, &question) && question.kind != HR_HEDGE_CHOICE; asked++)
        if (question.kind != HR_HEDGE_BINS || !settle_bins(&w)) ask_sums(&w, &question, asked);
    hr_bytes body = pack_or_fail(&w, &question);
    for (size_t o = 0; o < 2; o++) {
        hr_hedge_question_in read;
        hr_error err = {0};
        w.hearers[o].interactions.rule = o ? HR_INTERACTIONS_ALL : HR_INTERACTIONS_NONE;
        hr_status status = hr_hedge_question_read(&w.hearers[o], &body, w.arena, &read, &err);
        assert_int_equal(status, o ? HR_OK : HR_E_FORMAT);
        if (!o) assert_non_null(strstr(err.message, "features that the job's interactions keep apart"));
    }
    free(body.at);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owners__make_the_model_of_all_records),
        cmocka_unit_test(test_base_hazards__are_doubted_by_the_noise_of_what_opened),
        cmocka_unit_test(test_owner__calibrates_no_numbers),
        cmocka_unit_test(test_owner__reads_the_first_round_once),
        cmocka_unit_test(test_owner__takes_one_list_of_cuts),
        cmocka_unit_test(test_owner__reads_no_forest_without_values),
        cmocka_unit_test(test_owner__answers_nothing_about_trees_that_the_job_excludes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
