/* hedge per person against what it charges: whole runs of its machine on a table, each question answered by
 * the same table with one person more, too. What changes must be within the sensitivity of the question's
 * lines, and nearly attain it. */
#include "base/buffer.h"
#include "fit/weights.h"
#include "methods/hedge/hedge_machine.h"
#include "support/flip_law.h"
#include "support/model_text.h"
#include "support/person_tables.h"
#include "support/random_numbers.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/candidates/hedge_records.h"
#include "trees/candidates/reliability.h"

enum { LINES = 8, VALUES_MAX = HR_CANDIDATE_SCAN_NODES_MAX * 4 + 64 };

/* The largest change of a kind of line, in its sensitivity. */
typedef struct change {
    const char *what;
    double largest;
} change;

static change changes[LINES];

static void note_change(const char *what, double part) {
    size_t i = 0;
    while (i < LINES && changes[i].what && strcmp(changes[i].what, what) != 0) i++;
    assert_true(i < LINES);
    changes[i].what = what;
    changes[i].largest = fmax(changes[i].largest, part);
}

static double change_of(const char *what) {
    for (size_t i = 0; i < LINES; i++)
        if (changes[i].what && !strcmp(changes[i].what, what)) return changes[i].largest;
    fail_msg("no line '%s'", what);
    return 0;
}

typedef struct run {
    hr_hedge_terms terms;
    hr_hedge *hedge;
    hr_records *records[2]; /* without the canary, and with it */
    hr_csprng *coins;
    hr_arena *arena;
    hr_binning binning;
    uint64_t random;
} run;

static void run_open(run *r, const person_tables *t, hr_privacy_measure measure, size_t classes) {
    *r = (run){.arena = hr_arena_new(), .random = 7};
    r->terms =
        (hr_hedge_terms){.outputs = classes > 2 ? classes : 1,
                         .objective = hr_schema_task(t->schema) == HR_TASK_COUNT   ? HR_OBJECTIVE_COUNT
                                      : classes == 2 && measure == HR_PRIVACY_PURE ? HR_OBJECTIVE_LOGISTIC
                                                                                   : HR_OBJECTIVE_SQUARE,
                         .schema = t->schema,
                         .setting = {.privacy_measure = measure,
                                     .unit = HR_PER_PERSON,
                                     .budget = 4 * HR_UNIT,
                                     .task = hr_schema_task(t->schema)}};
    const hr_column *label = hr_schema_label(t->schema);
    if (label->quantiles) {
        r->terms.outputs = label->quantile_count;
        r->terms.objective = HR_OBJECTIVE_QUANTILES;
    }
    assert_int_equal(hr_csprng_open_seeded(11, &r->coins, NULL), HR_OK);
    assert_int_equal(hr_hedge_new(&r->terms, r->coins, r->arena, &r->hedge, NULL), HR_OK);
    assert_int_equal(hr_edges_public(t->schema, 8, r->arena, &r->binning, NULL), HR_OK);
    const hr_data *tables[2] = {t->without, t->with};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            hr_records_new(tables[i], r->terms.outputs, HR_HEDGE_CANDIDATES, 2, &r->records[i], NULL), HR_OK);
}

static void run_close(run *r) {
    for (size_t i = 0; i < 2; i++) hr_records_free(r->records[i]);
    hr_hedge_free(r->hedge);
    hr_csprng_close(r->coins);
    hr_arena_free(r->arena);
}

static void check_line(const run *r, const hr_charge *line, size_t count, const hr_exact *a,
                       const hr_exact *b) {
    double l1 = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        double d = (double)(b[i].unpaid - a[i].unpaid);
        l1 += fabs(d);
        square += d * d;
    }
    double norm = r->terms.setting.privacy_measure == HR_PRIVACY_PURE ? l1 : sqrt(square);
    if (norm > (double)line->sensitivity * (1 + 1e-12))
        fail_msg("%s: changes by %.9g, charged %llu", line->what, norm,
                 (unsigned long long)line->sensitivity);
    note_change(line->what, norm / (double)line->sensitivity);
}

/* Told with a little noise, so that runs differ from one another. */
static void answer_sums_twice(run *r, const hr_hedge_question *question) {
    static hr_exact exact[2][VALUES_MAX];
    static hr_noisy noisy[VALUES_MAX];
    size_t values = hr_hedge_question_values(question);
    assert_true(values <= VALUES_MAX);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(hr_records_sums(r->records[i], question, exact[i], NULL), HR_OK);
    for (size_t l = 0, at = 0; l < question->line_count; at += question->counts[l++])
        check_line(r, &question->lines[l], question->counts[l], exact[0] + at, exact[1] + at);
    for (size_t i = 0; i < values; i++)
        noisy[i].paid = exact[0][i].unpaid + (int64_t)(next_random(&r->random) % HR_PERSON_UNIT);
    assert_int_equal(hr_hedge_sums(r->hedge, noisy, 1, NULL), HR_OK);
}

static void answer_choice_twice(run *r, const hr_hedge_question *question) {
    hr_exact scores[2][HR_HEDGE_CANDIDATES];
    double low = INFINITY, high = -INFINITY, width = (double)question->lines[0].sensitivity;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(hr_records_scores(r->records[i], question, scores[i], NULL), HR_OK);
    for (size_t c = 0; c < question->tree_count; c++) {
        double d = (double)(scores[1][c].unpaid - scores[0][c].unpaid);
        low = fmin(low, d);
        high = fmax(high, d);
    }
    if (high - low > width || high > width / 2 || low < -width / 2)
        fail_msg("scores change by %.9g to %.9g, charged %.9g", low, high, width);
    note_change("choice of tree", fmax(high, -low) / (width / 2));
    hr_hedge_choice(r->hedge, next_random(&r->random) % question->tree_count);
}

static void play(const person_tables *t, hr_privacy_measure measure, size_t classes) {
    run r;
    hr_hedge_question question;
    run_open(&r, t, measure, classes);
    while (hr_hedge_next(r.hedge, &question)) {
        if (question.kind == HR_HEDGE_BINS)
            assert_int_equal(hr_hedge_bins(r.hedge, &r.binning, NULL), HR_OK);
        else if (question.kind == HR_HEDGE_CHOICE)
            answer_choice_twice(&r, &question);
        else
            answer_sums_twice(&r, &question);
    }
    run_close(&r);
}

/* quantiles: NULL: none */
static void play_canaries(hr_privacy_measure measure, size_t classes, const double *quantiles) {
    static const person_canary canaries[] = {{1, true},  {2, false},  {3, true},   {7, false},
                                             {50, true}, {50, false}, {300, true}, {2000, true}};
    memset(changes, 0, sizeof changes);
    for (size_t c = 0; c < COUNT(canaries); c++) {
        person_tables t;
        person_tables_open(&t, classes, &canaries[c], 100 * classes + c);
        hr_column *label = (hr_column *)hr_schema_label(t.schema);
        label->quantiles = quantiles;
        label->quantile_count = quantiles ? 3 : 0;
        play(&t, measure, classes);
        person_tables_close(&t);
    }
}

static void test_questions__change_by_what_is_charged_at_most_and_nearly(void **state) {
    (void)state;
    static const hr_privacy_measure measures[] = {HR_PRIVACY_GDP, HR_PRIVACY_PURE};
    for (size_t m = 0; m < COUNT(measures); m++)
        for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
            play_canaries(measures[m], classes, NULL);
            assert_true(change_of("leaf count") > .999);
            assert_true(change_of("choice of tree") > (measures[m] == HR_PRIVACY_PURE ? .2 : .9));
            assert_true(change_of("leaf sum") > (measures[m] == HR_PRIVACY_PURE && classes == 3 ? .6 : .9));
            if (classes) assert_true(change_of("calibration count") > .999);
            if (classes < 3) assert_true(change_of("sum of weights") > .999 && change_of("base score") > .99);
            if (classes == 3) assert_true(change_of("class counts") > .999);
            if (!classes && !m) assert_true(change_of("clip count") > .3);
        }
}

/* All lines of numbers, and in either measure a count of the records near their middle quantile. */
static void test_questions__of_quantiles_change_by_what_is_charged_at_most_and_nearly(void **state) {
    (void)state;
    static const hr_privacy_measure measures[] = {HR_PRIVACY_GDP, HR_PRIVACY_PURE};
    static const double three[] = {.1, .5, .9};
    for (size_t m = 0; m < COUNT(measures); m++) {
        play_canaries(measures[m], 0, three);
        assert_true(change_of("leaf count") > .999 && change_of("sum of weights") > .999);
        assert_true(change_of("base score") > .99 && change_of("clip count") > .3);
        assert_true(change_of("leaf sum") > (measures[m] == HR_PRIVACY_PURE ? .6 : .9));
    }
}

/* ---- Exposures ---- */

/* Records with exposures of 1 to 365 days, per record or with the weights of a few persons; and the same with
 * one record more, which is as far from the others as it can be. */
static void play_exposed(bool persons, const char *canary, hr_privacy_measure measure) {
    enum { RECORDS = 300, LINE = 64 };
    char text[400], *csv = calloc(RECORDS + 2, LINE), *at = csv;
    uint64_t random = 9;
    assert_non_null(csv);
    snprintf(text, sizeof text,
             "hedgerow-schema: 1\nunit: %s\nlabel: {name: y, kind: count, high: 60, exposure: {column: days, "
             "high: 365}}\nfeatures:\n  - {name: x, kind: number, low: 0, high: 1}\n",
             persons ? "who" : "record");
    at += sprintf(at, "who,x,days,y\n");
    for (int i = 0; i < RECORDS; i++) {
        const double x = next_unit(&random), days = ceil(365 * next_unit(&random));
        at += sprintf(at, "%d,%.4f,%g,%g\n", i % 90, x, days, floor(days / 60 * (x + next_unit(&random))));
    }
    hr_schema *schema = schema_of_text(text);
    hr_data *without = data_of_text(schema, csv);
    sprintf(at, "who,%s\n", canary);
    hr_data *with = data_of_text(schema, csv);
    const person_tables tables = {schema, without, with};
    play(&tables, measure, 0);
    hr_data_free(with);
    hr_data_free(without);
    hr_schema_free(schema);
    free(csv);
}

static void test_questions__of_exposures_change_by_what_is_charged_at_most(void **state) {
    (void)state;
    static const char *const canaries[] = {".5,365,60", ".5,365,0",     ".9,1,60",
                                           ".9,1,0",    ".1,1e-300,60", ".1,180,60"};
    static const hr_privacy_measure measures[] = {HR_PRIVACY_GDP, HR_PRIVACY_PURE};
    for (size_t m = 0; m < COUNT(measures); m++) {
        memset(changes, 0, sizeof changes);
        for (size_t c = 0; c < COUNT(canaries); c++) {
            play_exposed(false, canaries[c], measures[m]);
            play_exposed(true, canaries[c], measures[m]);
        }
        assert_true(change_of("sum of weights") > .999 && change_of("leaf count") > .999);
        assert_true(change_of("base score") > .999 && change_of("leaf sum") > .9);
    }
}

/* ---- Class weights ---- */

/* The last class, which an extreme canary has, is the heaviest or weighs a quarter of the others. */
static const double heavy[] = {.25, .5, 1}, light[] = {1, 1, .25};

/* Plays with the tables' classes weighed; records: those of a person are all alone, as without a unit. */
static void play_weighed(const person_tables *t, const double *weights, hr_privacy_measure measure,
                         size_t classes, bool records) {
    hr_data plain[2] = {*t->without, *t->with};
    hr_weighted weighted[2] = {{0}, {0}};
    hr_fit_options options = {.class_weights = weights + 3 - classes, .class_weight_count = classes};
    for (size_t i = 0; i < 2; i++) {
        if (records) plain[i].weights = plain[i].persons = NULL;
        assert_int_equal(hr_weights_apply(&plain[i], &options, &weighted[i], NULL), HR_OK);
    }
    const person_tables tables = {t->schema, weighted[0].data, weighted[1].data};
    play(&tables, measure, classes);
    for (size_t i = 0; i < 2; i++) hr_weighted_done(&weighted[i]);
}

static void play_weighed_canaries(const double *weights, hr_privacy_measure measure, size_t classes) {
    static const person_canary canaries[] = {{1, true}, {3, true}, {50, true}, {2000, true}};
    memset(changes, 0, sizeof changes);
    for (size_t c = 0; c < COUNT(canaries); c++) {
        person_tables t;
        person_tables_open(&t, classes, &canaries[c], 100 * classes + c);
        play_weighed(&t, weights, measure, classes, false);
        if (canaries[c].records == 1) play_weighed(&t, weights, measure, classes, true);
        person_tables_close(&t);
    }
}

/* Of a light class every line changes by the part that its records weigh: none is without the weights. The
 * choice has 256 for floors beside it. */
static void test_questions__of_weighed_classes_change_by_the_weight(void **state) {
    (void)state;
    static const hr_privacy_measure measures[] = {HR_PRIVACY_GDP, HR_PRIVACY_PURE};
    for (size_t m = 0; m < COUNT(measures); m++)
        for (size_t classes = 2; classes <= 3; classes++) {
            const char *total = classes == 2 ? "sum of weights" : "class counts";
            play_weighed_canaries(heavy, measures[m], classes);
            assert_true(change_of("leaf count") > .999 && change_of("calibration count") > .999);
            assert_true(change_of(total) > .999 && (classes == 3 || change_of("base score") > .99));
            play_weighed_canaries(light, measures[m], classes);
            for (size_t i = 0; i < LINES && changes[i].what; i++)
                if (changes[i].largest > .26) fail_msg("%s: %g", changes[i].what, changes[i].largest);
            assert_true(change_of("leaf count") > .249 && change_of("leaf sum") > .23);
            assert_true(change_of(total) > .249 && change_of("calibration count") > .249);
        }
}

/* ---- Bin edges ---- */

static const char one_number[] = "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"
                                 "features: [{name: x, kind: number, low: 0, high: 1}]\nunit: who\n";

/* Without noise the cut is the median of persons, not of records: 100 persons below .5, 50 above it, and one
 * of 1000 records at .9. */
static void test_edges__are_medians_of_persons(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(one_number);
    hr_buffer b = {0};
    char *text = NULL;
    hr_buffer_text(&b, "who,x,y\n");
    for (int i = 0; i < 150; i++) hr_buffer_format(&b, "%d,%.3f,a\n", i, i < 100 ? .1 + .002 * i : .7);
    for (int i = 0; i < 1000; i++) hr_buffer_text(&b, "canary,0.9,a\n");
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_data *data = data_of_text(schema, text);
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    uint64_t groups;
    const hr_charge charge = {"bin edges", -1, -1, 0, 0, 1, 1};
    assert_int_equal(hr_csprng_open_seeded(1, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, csprng, &gate, NULL), HR_OK);
    assert_int_equal(
        hr_edges_private(data, &(hr_edges_release){2, gate, &charge}, arena, &binning, &groups, NULL), HR_OK);
    assert_int_equal(binning.features[0].bin_count, 3);
    double edge = binning.features[0].edges[0];
    if (fabs(edge - .25) > .002) fail_msg("cut at %g", edge);
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    hr_arena_free(arena);
    hr_data_free(data);
    hr_schema_free(schema);
    hr_text_free(text);
}

static hr_charge nodes_line(int level) {
    return hr_edge_levels_charge(&(hr_charge){0}, 1, level, HR_PER_PERSON);
}

/* The L1 distance of two tables' answers about all nodes of a level. */
static uint64_t moved_nodes(const hr_data *without, const hr_data *with, int level) {
    enum { NODES_MAX = 64 };
    size_t nodes[NODES_MAX], count = (size_t)1 << level;
    hr_exact out[2][NODES_MAX];
    uint64_t moved = 0;
    for (size_t i = 0; i < count; i++) nodes[i] = count + i;
    const hr_edge_nodes part = {0, level, nodes, count};
    const hr_edge_question question = {&part, 1, count};
    assert_int_equal(hr_edges_count_nodes(without, 8, &question, out[0], NULL), HR_OK);
    assert_int_equal(hr_edges_count_nodes(with, 8, &question, out[1], NULL), HR_OK);
    for (size_t i = 0; i < count; i++) {
        assert_true(out[1][i].unpaid >= out[0][i].unpaid);
        moved += (uint64_t)(out[1][i].unpaid - out[0][i].unpaid);
    }
    return moved;
}

/* The exact sums of every level, with a person and without: its records lie in one node, in several, or all
 * at a bound. What it adds is never negative and at most what its line is charged, and reaches that. */
static void test_edges__over_tables_move_by_what_is_charged(void **state) {
    (void)state;
    enum { RECORDS_MAX = 50, TEXT = 2000 };
    hr_schema *schema = schema_of_text(one_number);
    uint64_t largest = 0;
    for (size_t records = 1; records <= RECORDS_MAX; records++)
        for (size_t spread = 1; spread <= 8; spread *= 2) {
            char rows[TEXT] = "who,x,y\n7,0.1,a\n7,0.9,b\n8,0.5,a\n", with[TEXT];
            size_t at = (size_t)snprintf(with, TEXT, "%s", rows);
            for (size_t i = 0; i < records; i++)
                at += (size_t)snprintf(with + at, TEXT - at, "1,%g,a\n",
                                       (double)(i % spread) / 7 * (spread > 1));
            hr_data *without = data_of_text(schema, rows), *more = data_of_text(schema, with);
            for (int level = 1; level <= 6; level++) {
                const uint64_t moved = moved_nodes(without, more, level);
                assert_true(moved <= nodes_line(level).sensitivity);
                largest = moved > largest ? moved : largest;
            }
            hr_data_free(without);
            hr_data_free(more);
        }
    assert_true(largest == nodes_line(1).sensitivity);
    hr_schema_free(schema);
}

/* The median of an interval of cells: the largest log ratio of a cut, without and with a person. */
static double loss_of_median(const double *cells, const double *person, size_t count, double scale) {
    double scores[2][16], p[2][16], loss = 0;
    for (size_t c = 1; c < count; c++)
        for (size_t i = 0; i < 2; i++) {
            double excess = 0;
            for (size_t j = 0; j < count; j++) excess += (cells[j] + (i ? person[j] : 0)) * (j < c ? 1 : -1);
            scores[i][c - 1] = -fabs(excess);
        }
    for (size_t i = 0; i < 2; i++) flip_law(scores[i], count - 1, scale, p[i]);
    for (size_t c = 0; c + 1 < count; c++) loss = fmax(loss, fabs(log(p[0][c] / p[1][c])));
    return loss;
}

/* A person in both intervals of a level costs what its weights there do: together no more than the level. */
static void test_medians__of_a_level_lose_what_one_does(void **state) {
    (void)state;
    enum { CELLS = 8 };
    uint64_t random = 5;
    double most = 0;
    for (int round = 0; round < 3000; round++) {
        double cells[2][CELLS], person[2][CELLS] = {{0}}, loss = 0;
        for (size_t i = 0; i < 2; i++)
            for (size_t c = 0; c < CELLS; c++)
                cells[i][c] = (double)(next_random(&random) % 3 * HR_PERSON_UNIT);
        size_t records = 1 + next_random(&random) % 50, end = round % 2 ? 0 : CELLS - 1;
        for (size_t r = 0; r < records; r++)
            person[next_random(&random) % 2][round % 3 ? end : next_random(&random) % CELLS] +=
                (double)(HR_PERSON_UNIT / records);
        for (size_t i = 0; i < 2; i++)
            loss +=
                loss_of_median(cells[i], person[i], CELLS, 1. / (double)hr_unit_median_width(HR_PER_PERSON));
        if (loss > 1 + 1e-9) fail_msg("loses %g", loss);
        most = fmax(most, loss);
    }
    assert_true(most > .5);
}

/* ---- Whole fits ---- */

static const hr_release *line_named(const hr_model *model, const char *what) {
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, what)) return &model->releases[i];
    fail_msg("no line '%s'", what);
    return NULL;
}

static void test_fit__charges_every_line_per_person(void **state) {
    (void)state;
    static const double deltas[] = {1e-6, 0};
    for (size_t i = 0; i < COUNT(deltas); i++) {
        person_tables t;
        person_tables_open(&t, 2, &(person_canary){50, true}, 3);
        hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 5);
        options.epsilon = 4;
        options.delta = deltas[i];
        hr_model *model = fit(t.with, &options);
        uint64_t bound = 4915 * 64; /* of the first clip, 1.2 */
        assert_int_equal(line_named(model, "sum of weights")->sensitivity, 65536);
        assert_int_equal(line_named(model, "base score")->sensitivity, 4096 * 64);
        assert_int_equal(line_named(model, "bin edges")->sensitivity, deltas[i] > 0 ? 65536 : 2 * 65536);
        assert_int_equal(line_named(model, "leaf sum")->sensitivity, bound);
        assert_int_equal(line_named(model, "leaf count")->sensitivity, 65536);
        assert_int_equal(line_named(model, "choice of tree")->sensitivity, 2 * (bound + 256));
        assert_int_equal(line_named(model, "calibration count")->sensitivity, 65536);
        hr_model_free(model);
        person_tables_close(&t);
    }
}

/* Persons of one record each weigh what records do: with hardly any noise the same is learned. */
static void test_fit__finds_the_number_of_persons(void **state) {
    (void)state;
    person_tables t;
    person_tables_open(&t, 2, &(person_canary){2000, false}, 9);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    options.epsilon = 1000;
    options.delta = 0;
    hr_model *model = fit(t.with, &options);
    double persons = hr_model_records(model);
    if (!(persons > 40 && persons < 42)) fail_msg("%g persons", persons); /* 41; each rounds down */
    assert_null(hr_schema_unit(hr_model_schema(model)));
    assert_string_equal(hr_model_guarantee(model)->unit, "one person");
    hr_model_free(model);
    person_tables_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions__change_by_what_is_charged_at_most_and_nearly),
        cmocka_unit_test(test_questions__of_quantiles_change_by_what_is_charged_at_most_and_nearly),
        cmocka_unit_test(test_questions__of_exposures_change_by_what_is_charged_at_most),
        cmocka_unit_test(test_questions__of_weighed_classes_change_by_the_weight),
        cmocka_unit_test(test_edges__are_medians_of_persons),
        cmocka_unit_test(test_edges__over_tables_move_by_what_is_charged),
        cmocka_unit_test(test_medians__of_a_level_lose_what_one_does),
        cmocka_unit_test(test_fit__charges_every_line_per_person),
        cmocka_unit_test(test_fit__finds_the_number_of_persons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
