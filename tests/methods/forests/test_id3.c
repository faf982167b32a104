/* ID3: without noise the tree of a plain ID3 that is written here anew; with noise, lines that pay for every
 * table a record is in; what is published claims the price of one count. */
#include "methods/forests/id3_machine.h"
#include "support/forest_checks.h"
#include "tables/bins/edges.h"
#include "trees/records/local_source.h"

enum { ROWS = 600, FEATURES = 5, NUMBER_BINS = 6, BINS_MAX = 6, CLASSES_MAX = 3, NODES_MAX = 4096 };

/* ---- A plain ID3 ---- */

typedef struct plain {
    size_t classes, bins[FEATURES];
    size_t rows, bin[ROWS][FEATURES], label[ROWS];
} plain;

static double bits(const double *counts, size_t count) {
    double all = 0, entropy = 0;
    for (size_t i = 0; i < count; i++) all += counts[i];
    for (size_t i = 0; i < count; i++)
        if (counts[i] > 0) entropy -= counts[i] / all * log2(counts[i] / all);
    return entropy;
}

/* The records of a node. */
typedef struct subset {
    size_t count, rows[ROWS];
} subset;

static void count_classes(const plain *p, const subset *s, double *counts) {
    for (size_t k = 0; k < p->classes; k++) counts[k] = 0;
    for (size_t i = 0; i < s->count; i++) counts[p->label[s->rows[i]]]++;
}

static void take_bin(const plain *p, const subset *s, size_t feature, size_t bin, subset *out) {
    out->count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (p->bin[s->rows[i]][feature] == bin) out->rows[out->count++] = s->rows[i];
}

static double gain_in_bits(const plain *p, const subset *s, size_t feature) {
    double counts[CLASSES_MAX], gain;
    static subset part;
    count_classes(p, s, counts);
    gain = bits(counts, p->classes);
    for (size_t b = 0; b < p->bins[feature]; b++) {
        take_bin(p, s, feature, b, &part);
        count_classes(p, &part, counts);
        if (part.count) gain -= (double)part.count / (double)s->count * bits(counts, p->classes);
    }
    return gain;
}

/* The first feature of the largest gain; FEATURES if the node is a leaf. `used`: a bit a feature. */
static size_t plain_choice(const plain *p, const subset *s, unsigned used) {
    double counts[CLASSES_MAX], best = 0;
    size_t chosen = FEATURES;
    count_classes(p, s, counts);
    if (!s->count || bits(counts, p->classes) <= 0) return FEATURES;
    for (size_t f = 0; f < FEATURES; f++) {
        if (used >> f & 1) continue;
        double gain = gain_in_bits(p, s, f);
        if (chosen < FEATURES && gain < best + 1e-9) continue;
        best = gain;
        chosen = f;
    }
    return chosen;
}

/* What a walk down both trees needs to know. */
typedef struct walk {
    const plain *p;
    const hr_forest *forest;
    size_t splits;
} walk;

static void check_leaf(const walk *w, size_t node, const double *shares) {
    for (size_t k = 0; k < w->forest->output_count; k++) {
        double said = w->forest->trees[k].nodes[node].value,
               wanted = 2 * shares[w->p->classes == 2 ? 1 : k] - 1;
        if (fabs(said - wanted) > 1e-6) fail_msg("node %zu says %g, not %g", node, said, wanted);
    }
}

/* shares: of the parent; a node without records has the same. */
static void check_node(walk *w, size_t node, const subset *s, unsigned used, size_t depth,
                       const double *shares) {
    const hr_tree *tree = &w->forest->trees[0];
    const size_t wanted = depth ? plain_choice(w->p, s, used) : FEATURES;
    double own[CLASSES_MAX];
    count_classes(w->p, s, own);
    for (size_t k = 0; k < w->p->classes; k++) own[k] = s->count ? own[k] / (double)s->count : shares[k];
    if (wanted == FEATURES) {
        assert_int_equal(tree->nodes[node].left, 0);
        check_leaf(w, node, own);
        return;
    }
    assert_true(tree->nodes[node].left > 0);
    assert_int_equal(tree->nodes[node].feature, wanted);
    assert_int_equal(tree->nodes[node].branches, w->p->bins[wanted]);
    w->splits++;
    subset *part = malloc(sizeof *part);
    assert_non_null(part);
    for (size_t b = 0; b < w->p->bins[wanted]; b++) {
        take_bin(w->p, s, wanted, b, part);
        check_node(w, tree->nodes[node].left + b, part, used | 1u << wanted, depth - 1, own);
    }
    free(part);
}

/* ---- Training without noise ---- */

/* Two numbers, one of them with missing values, and categories; the last is a copy of the third. */
static table noisy_concept(size_t classes, uint64_t seed) {
    table t = table_open(ROWS, FEATURES);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < FEATURES; f++)
            t.columns[f][i] = (double)(next_random(&seed) % (f == 2 ? 3 : 5));
        t.columns[0][i] = next_unit(&seed);
        t.columns[1][i] = next_random(&seed) % 7 ? 4 * next_unit(&seed) - 2 : (double)NAN;
        t.columns[4][i] = t.columns[2][i];
        double z = t.columns[0][i] + t.columns[2][i] / 3 + (t.columns[3][i] == 2) + .3 * next_unit(&seed);
        t.labels[i] = fmin(floor(z / 2.2 * (double)classes), (double)classes - 1);
    }
    hr_column features[FEATURES] = {number_column("a", 0, 1), number_column("b", -2, 2),
                                    category_column("c", 2), category_column("d", 4),
                                    category_column("e", 2)};
    table_make(&t, category_column("y", classes), features);
    return t;
}

static size_t plain_bin(const table *t, size_t feature, size_t row) {
    double x = t->columns[feature][row], low = feature ? -2 : 0, high = feature ? 2 : 1;
    size_t bin = 1;
    if (feature > 1) return (size_t)x;
    if (isnan(x)) return 0;
    while (bin < NUMBER_BINS - 1 && x > low + (high - low) * (double)bin / (NUMBER_BINS - 1)) bin++;
    return bin;
}

static void plain_of(const table *t, size_t classes, plain *p) {
    *p = (plain){.classes = classes, .bins = {NUMBER_BINS, NUMBER_BINS, 3, 5, 3}, .rows = t->rows};
    for (size_t i = 0; i < t->rows; i++) {
        p->label[i] = (size_t)t->labels[i];
        for (size_t f = 0; f < FEATURES; f++) p->bin[i][f] = plain_bin(t, f, i);
    }
}

typedef struct run {
    hr_csprng *csprng;
    hr_training training;
} run;

/* As hr_fit trains, through a gate without privacy. */
static run train_without_noise(const table *t, const hr_fit_options *options) {
    run r = {0};
    hr_error err = {0};
    assert_int_equal(hr_csprng_open_seeded(7, &r.csprng, NULL), HR_OK);
    r.training = (hr_training){.data = t->data, .options = options, .threads = 1, .arena = hr_arena_new()};
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, r.csprng, &r.training.gate, NULL), HR_OK);
    hr_local_stats_records records = {.data = t->data, .csprng = r.csprng, .threads = 1};
    assert_int_equal(hr_local_stats_source_new(&records, &r.training.source, NULL), HR_OK);
    if (hr_method_named("id3")->train(&r.training, &err)) fail_msg("%s", err.message);
    return r;
}

static void run_done(run *r) {
    hr_stats_free(r->training.source);
    hr_gate_free(r->training.gate);
    hr_arena_free(r->training.arena);
    hr_csprng_close(r->csprng);
}

static size_t check_plain(size_t classes, size_t depth, hr_mode mode) {
    static plain p;
    static subset all;
    static const double even[CLASSES_MAX] = {.5, .5, 0};
    table t = noisy_concept(classes, 3 + depth);
    plain_of(&t, classes, &p);
    all.count = t.rows;
    for (size_t i = 0; i < t.rows; i++) all.rows[i] = i;
    hr_fit_options options = options_of("id3", mode);
    options.depth = (int64_t)depth;
    run r = train_without_noise(&t, &options);
    walk w = {.p = &p, .forest = &r.training.forest};
    check_node(&w, 0, &all, 0, depth, even);
    run_done(&r);
    table_close(&t);
    return w.splits;
}

static void test_tree__without_noise_is_that_of_a_plain_id3(void **state) {
    (void)state;
    for (size_t classes = 2; classes <= 3; classes++)
        for (size_t depth = 1; depth <= 6; depth++) {
            size_t splits = check_plain(classes, depth, HR_MODE_SOUND);
            assert_true(depth == 1 ? splits == 1 : splits > 3);
            assert_int_equal(check_plain(classes, depth, HR_MODE_PAPER), splits);
        }
}

static size_t fit_nodes(table *t, const hr_column *label, const hr_column *features, hr_node *root) {
    table_make(t, *label, features);
    hr_fit_options options = options_of("id3", HR_MODE_SOUND);
    run r = train_without_noise(t, &options);
    size_t nodes = r.training.forest.trees[0].node_count;
    *root = r.training.forest.trees[0].nodes[0];
    run_done(&r);
    table_close(t);
    return nodes;
}

static void test_tree__of_one_class_is_a_leaf(void **state) {
    (void)state;
    table t = table_open(9, 1);
    hr_column label = category_column("y", 2), feature = category_column("x", 3);
    hr_node root;
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = (double)(i % 4);
    assert_int_equal(fit_nodes(&t, &label, &feature, &root), 1);
    assert_true(root.left == 0 && fabs(root.value + 1) < 1e-6);
}

/* The parity of two features: neither gains anything, and the first of them splits. */
static void test_tree__of_features_that_are_alike_asks_the_first(void **state) {
    (void)state;
    table t = table_open(8, 3);
    const hr_column label = category_column("y", 2),
                    features[] = {category_column("a", 2), category_column("b", 2), category_column("c", 2)};
    hr_node root;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = 1 + (double)(i >> f & 1);
        t.labels[i] = (double)((i >> 1 ^ i >> 2) & 1);
    }
    assert_int_equal(fit_nodes(&t, &label, features, &root), 1 + 3 + 2 * 3 + 4 * 3);
    assert_int_equal(root.feature, 0);
}

/* Three categories of 256 bins: the root and its first 14 children leave too little room for one more. */
static void test_tree__is_cut_off_at_a_public_size(void **state) {
    (void)state;
    enum { MANY_ROWS = 510 };
    table t = table_open(MANY_ROWS, 3);
    const hr_column columns[] = {odd_category("a", VALUES_MAX), odd_category("b", VALUES_MAX),
                                 odd_category("c", VALUES_MAX)};
    const hr_column label = category_column("y", 2);
    hr_node root;
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < 3; f++) t.columns[f][i] = (double)(1 + i / 2);
        t.labels[i] = (double)(i % 2);
    }
    assert_int_equal(fit_nodes(&t, &label, columns, &root), 1 + 15 * 256);
}

/* ---- Releases ---- */

static const forest_setting settings[] = {
    {false, 1, 3, 0, 300, 2, 1, 0},    {false, 1, 3, 0, 300, 2, 1, 1e-6}, {false, 1, 12, 0, 300, 3, .5, 0},
    {false, 1, 7, 0, 300, 4, 8, 1e-6}, {false, 1, 1, 0, 1, 2, 1, 0},      {false, 1, 12, 0, 300, 5, 1e4, 0},
};

/* The shortest vector of whole units that holds one count of 64 units in each of so many tables. */
static uint64_t sensitivity_of(const forest_setting *s, size_t tables) {
    uint64_t squares = tables * 64 * 64, whole = 64;
    if (s->delta <= 0) return 64 * tables;
    while (whole * whole < squares) whole++;
    return whole;
}

static void check_lines(const forest_setting *s, const hr_model *model) {
    hr_units budget = budget_of_tree(s), left = budget;
    size_t levels = s->depth < ODD_FEATURES ? (size_t)s->depth : ODD_FEATURES, leaves = 0;
    const hr_tree *tree = &model->forest.trees[0];
    hr_mechanism mechanism = s->delta > 0 ? HR_MECHANISM_DISCRETE_GAUSSIAN : HR_MECHANISM_DISCRETE_LAPLACE;
    check_outputs(s, model);
    assert_true(model->release_count >= 2 && model->release_count <= levels + 1);
    for (size_t l = 0; l < model->release_count; l++) {
        const hr_release *line = &model->releases[l];
        assert_true(line->tree == 0 && line->group == l && line->part == 0 && line->mechanism == mechanism);
        if (l + 1 == model->release_count) break;
        assert_string_equal(line->what, "level class counts");
        assert_int_equal(line->level, l);
        assert_true(line->cost == (budget - hr_units_share(budget, .25)) / levels);
        assert_int_equal(line->sensitivity, sensitivity_of(s, ODD_FEATURES - l));
        left -= line->cost;
    }
    const hr_release *line = &model->releases[model->release_count - 1];
    for (size_t n = 0; n < tree->node_count; n++) leaves += !tree->nodes[n].left;
    assert_string_equal(line->what, "leaf class count");
    assert_true(line->level == -1 && line->cost == left && line->sensitivity == 64);
    assert_int_equal(line->draws, leaves * s->classes);
    assert_int_equal(model->releases[0].draws, (6 + 5 + 2 + 6 + 3 + 7 + 256) * s->classes);
}

static void test_releases__pay_for_every_table_of_a_level(void **state) {
    (void)state;
    each_forest("id3", settings, COUNT(settings), 0, check_lines);
}

static void test_releases__cost_what_was_asked_for(void **state) {
    (void)state;
    each_forest("id3", settings, COUNT(settings), 0, check_costs);
}

static void test_published__charges_all_counts_as_one(void **state) {
    (void)state;
    table t = odd_table(300, 3);
    hr_fit_options options = options_of("id3", HR_MODE_PAPER);
    options.epsilon = .5;
    hr_model *model = fit(t.data, &options);
    const hr_release *line = model->releases;
    assert_int_equal(model->release_count, 1);
    assert_true(line->cost == HR_UNIT / 2 && line->sensitivity == 64 && line->group == 0);
    assert_true(line->scale_num == 128 * line->scale_den && line->mechanism == HR_MECHANISM_DISCRETE_LAPLACE);
    assert_true(line->draws > (6 + 5 + 2 + 6 + 3 + 7 + 256) * 4);
    assert_false(hr_model_guarantee(model)->is_private);
    hr_model_free(model);
    table_close(&t);
}

/* ---- Fits ---- */

static void test_id3__refuses_a_label_that_is_a_number(void **state) {
    (void)state;
    static const hr_mode modes[] = {HR_MODE_SOUND, HR_MODE_PAPER};
    for (size_t m = 0; m < COUNT(modes); m++) {
        table t = odd_table(20, 0);
        hr_fit_options options = options_of("id3", modes[m]);
        hr_model *model = NULL;
        hr_error err = {0};
        assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
        assert_string_equal(err.message, "id3 supports labels that are classes; this label is a number");
        assert_null(model);
        table_close(&t);
    }
}

static void test_id3__repeats_itself_from_a_seed_for_any_threads(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        if (settings[i].rows > 1) check_seeds("id3", &settings[i]);
}

static void test_id3__trains_on_one_record(void **state) {
    (void)state;
    for (size_t classes = 2; classes <= 4; classes++) {
        forest_setting s = {false, 1, 3, 0, 1, classes, .1, 0};
        table t = odd_table(1, classes);
        hr_fit_options options = options_of_forest("id3", &s);
        hr_model *model = fit(t.data, &options);
        double *p = predictions_of(model, t.data);
        for (size_t k = 0; k < hr_model_output_count(model); k++) assert_true(p[k] >= 0 && p[k] <= 1);
        free(p);
        hr_model_free(model);
        table_close(&t);
    }
}

/* Labels are -1 or 1 by x0 and x1; fifths of x0 put one of ten records on the wrong side of each of two
 * steps. */
static void test_id3__is_of_use_at_epsilon_1(void **state) {
    (void)state;
    table t = table_of_steps(5000, 2, 2, 31);
    hr_fit_options options = seeded_options_of("id3", HR_MODE_SOUND, 3);
    double error = fit_metrics(t.data, &options).error;
    if (error > .25) fail_msg("error %g", error);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree__without_noise_is_that_of_a_plain_id3),
        cmocka_unit_test(test_tree__of_one_class_is_a_leaf),
        cmocka_unit_test(test_tree__of_features_that_are_alike_asks_the_first),
        cmocka_unit_test(test_tree__is_cut_off_at_a_public_size),
        cmocka_unit_test(test_releases__pay_for_every_table_of_a_level),
        cmocka_unit_test(test_releases__cost_what_was_asked_for),
        cmocka_unit_test(test_published__charges_all_counts_as_one),
        cmocka_unit_test(test_id3__refuses_a_label_that_is_a_number),
        cmocka_unit_test(test_id3__repeats_itself_from_a_seed_for_any_threads),
        cmocka_unit_test(test_id3__trains_on_one_record),
        cmocka_unit_test(test_id3__is_of_use_at_epsilon_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
