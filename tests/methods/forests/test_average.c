/* Forests that average: a model made of one predicts the mean of what its trees say, walked by hand. */
#include "base/arena.h"
#include "methods/forests/average.h"
#include "support/tables.h"
#include "tables/synth/generate.h"

enum { ROWS = 60, TREES = 7, NODES = 7, CLASSES_MAX = 6 };

typedef struct world {
    table t;
    hr_fit_options options;
    hr_training training;
    hr_feature_bins bins[2];
    double edges[2][3], said[TREES][NODES * CLASSES_MAX];
    hr_node nodes[TREES][NODES];
    hr_tree trees[TREES];
    hr_bin_set subset;
    size_t width;
} world;

static void open_world(world *w, size_t classes) {
    *w = (world){.t = table_of_steps(ROWS, 2, classes, 4), .options = options_of("diprime", HR_MODE_SOUND)};
    w->options.trees = TREES;
    w->training =
        (hr_training){.data = w->t.data, .options = &w->options, .threads = 1, .arena = hr_arena_new()};
    assert_non_null(w->training.arena);
    for (size_t f = 0; f < 2; f++) {
        for (size_t e = 0; e < 3; e++) w->edges[f][e] = .25 * (double)(e + 1);
        w->bins[f] = (hr_feature_bins){HR_KIND_NUMBER, 5, w->edges[f]};
    }
    w->training.binning = (hr_binning){2, w->bins, NULL};
    w->width = hr_average_width(w->t.data);
    assert_int_equal(w->width, classes ? classes : 1);
}

static void close_world(world *w) {
    hr_arena_free(w->training.arena);
    table_close(&w->t);
}

/* Labels, or probabilities of at least 1/20 each; of inner nodes too, where they must not matter. */
static void draw_said(hr_dice *dice, const world *w, double *said) {
    for (size_t n = 0; n < NODES; n++) {
        double sum = 0, *node = said + n * w->width;
        for (size_t k = 0; k < w->width; k++) sum += node[k] = hr_dice_unit(dice) + .5;
        for (size_t k = 0; k < w->width; k++) node[k] = w->width > 1 ? node[k] / sum : 2 * (node[k] - .5) - 1;
    }
}

static void grow(world *w) {
    hr_dice dice;
    hr_dice_init(&dice, w->width);
    assert_int_equal(hr_average_init(&w->training, NULL), HR_OK);
    for (size_t t = 0; t < TREES; t++) {
        for (uint32_t n = 0; n < NODES; n++)
            w->nodes[t][n] = (hr_node){.left = n < NODES / 2 ? 2 * n + 1 : 0,
                                       .feature = (uint32_t)hr_dice_below(&dice, 2),
                                       .cut = (uint8_t)(1 + hr_dice_below(&dice, 3)),
                                       .value = 1e9};
        for (uint32_t n = 0; n < NODES / 2; n++)
            w->nodes[t][n].threshold = w->edges[0][w->nodes[t][n].cut - 1];
        w->trees[t] = (hr_tree){
            .nodes = w->nodes[t], .node_count = NODES, .subsets = &w->subset, .subset_count = t % 2};
        draw_said(&dice, w, w->said[t]);
        assert_int_equal(hr_average_add(&w->training, &w->trees[t], w->said[t], NULL), HR_OK);
        for (size_t n = 0; n < NODES; n++) w->nodes[t][n].feature = 77; /* trees were copied */
    }
}

/* The mean over the trees of what record i's leaf says of output k, from the model's own splits. */
static double mean_said(const world *w, size_t i, size_t k) {
    const hr_forest *forest = &w->training.forest;
    double sum = 0;
    for (size_t t = 0; t < TREES; t++) {
        const hr_node *nodes = forest->trees[t * forest->output_count].nodes;
        size_t n = 0;
        while (nodes[n].left)
            n = nodes[n].left + (w->t.columns[nodes[n].feature][i] > w->edges[0][nodes[n].cut - 1]);
        sum += w->said[t][n * w->width + k];
    }
    return sum / TREES;
}

static void check_predictions(world *w) {
    hr_model *model = NULL;
    hr_model parts = {
        .schema = w->t.schema,
        .method = "diprime",
        .arena = w->training.arena,
        .forest = w->training.forest,
        .guarantee = {
            .epsilon = INFINITY, .epsilon_replace = INFINITY, .unit = HR_ONE_RECORD, .statement = "none"}};
    assert_int_equal(hr_model_make(&parts, &model, NULL), HR_OK);
    w->training.arena = parts.arena;
    assert_int_equal(hr_model_check(model, NULL), HR_OK);
    double *predicted = predictions_of(model, w->t.data); /* numbers have bounds -1 and 1 */
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < w->width; k++)
            assert_true(fabs(predicted[i * w->width + k] - mean_said(w, i, k)) < 1e-12);
    free(predicted);
    hr_model_free(model);
}

static void test_average__predicts_the_mean_of_what_trees_say(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3, CLASSES_MAX};
    for (size_t c = 0; c < COUNT(classes); c++) {
        static world w;
        open_world(&w, classes[c]);
        grow(&w);
        size_t outputs = classes[c] > 2 ? classes[c] : 1;
        assert_int_equal(w.training.forest.output_count, outputs);
        assert_int_equal(w.training.forest.tree_count, TREES * outputs);
        assert_int_equal(w.training.forest.link, classes[c] ? HR_LINK_SIGNED : HR_LINK_NUMBER);
        for (size_t k = 0; k < outputs; k++) assert_true(w.training.forest.base[k] == 0);
        for (size_t t = 0; t < TREES * outputs; t++)
            assert_int_equal(w.training.forest.trees[t].output, t % outputs);
        check_predictions(&w);
        close_world(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average__predicts_the_mean_of_what_trees_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
