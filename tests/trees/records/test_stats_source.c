/* A source made of two local ones, which share the records out and add their integer sums up, gives the same
 * models bit for bit: methods see sums and no records. */
#include "fit/budget.h"
#include "methods/boosting/inprivate.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/candidates/hedge_records.h"
#include "trees/records/local_source.h"

enum { ROWS = 700, FIRST = 250, SHARDS = 2 };

/* ---- Two sources as one ---- */

typedef struct sharded {
    hr_stats_source source; /* first */
    hr_stats_source *shards[SHARDS];
    hr_data *data[SHARDS];
    hr_labels labels; /* their kind */
    size_t cells, outputs;
    const hr_binning *binning;
} sharded;

#define OF_BOTH(call)                                                                                        \
    sharded *s = (sharded *)self;                                                                            \
    hr_status status = HR_OK;                                                                                \
    for (size_t k = 0; !status && k < SHARDS; k++) status = s->shards[k]->ops->call;                         \
    return status

static hr_status prepare(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err) {
    ((sharded *)self)->binning = setup->binning;
    ((sharded *)self)->outputs = setup->outputs;
    if (setup->binning) ((sharded *)self)->cells = hr_histogram_cells(setup->binning->feature_count);
    OF_BOTH(prepare(s->shards[k], setup, err));
}

static hr_status share_out(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                           hr_error *err) {
    assert_true(!filled && !shares->exact_sizes);
    OF_BOTH(share_out(s->shards[k], shares, NULL, err));
}

static hr_status begin(hr_stats_source *self, const hr_stats_round *round, hr_error *err) {
    OF_BOTH(begin(s->shards[k], round, err));
}

static hr_status set_base(hr_stats_source *self, const double *base, hr_error *err) {
    OF_BOTH(set_base(s->shards[k], base, err));
}

static hr_status add_trees(hr_stats_source *self, const hr_tree *trees, size_t count, hr_error *err) {
    OF_BOTH(add_trees(s->shards[k], trees, count, err));
}

static hr_status split(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                       const uint32_t *left, size_t count, hr_error *err) {
    OF_BOTH(split(s->shards[k], nodes, splits, left, count, err));
}

static hr_status divide(hr_stats_source *self, const uint32_t *nodes, const hr_child_rule *divisions,
                        const uint32_t *first, size_t count, hr_error *err) {
    OF_BOTH(divide(s->shards[k], nodes, divisions, first, count, err));
}

static void *must_room(size_t count, size_t size) {
    void *room = calloc(count + 1, size);
    assert_non_null(room);
    return room;
}

static void add(hr_exact *out, const hr_exact *part, size_t count) {
    for (size_t i = 0; i < count; i++) out[i].unpaid += part[i].unpaid;
}

static hr_status label_sums(hr_stats_source *self, hr_exact *sums, hr_error *err) {
    sharded *s = (sharded *)self;
    size_t count = s->labels.classes ? s->labels.classes : 1;
    hr_exact part[HR_BINS_MAX];
    memset(sums, 0, count * sizeof *sums);
    for (size_t k = 0; k < SHARDS; k++) {
        assert_int_equal(s->shards[k]->ops->label_sums(s->shards[k], part, err), HR_OK);
        add(sums, part, count);
    }
    return HR_OK;
}

static hr_status largest_residual(hr_stats_source *self, size_t output, double *out, hr_error *err) {
    sharded *s = (sharded *)self;
    *out = 0;
    for (size_t k = 0; k < SHARDS; k++) {
        double part;
        assert_int_equal(s->shards[k]->ops->largest_residual(s->shards[k], output, &part, err), HR_OK);
        *out = fmax(*out, part);
    }
    return HR_OK;
}

static hr_status sum(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out, size_t count,
                     hr_error *err) {
    sharded *s = (sharded *)self;
    hr_sum_word **part = must_room(count, sizeof *part);
    hr_status status = s->shards[0]->ops->sum(s->shards[0], nodes, out, count, err);
    for (size_t i = 0; i < count; i++) part[i] = must_room(s->cells, sizeof **part);
    if (!status) status = s->shards[1]->ops->sum(s->shards[1], nodes, part, count, err);
    for (size_t i = 0; i < count; i++) {
        hr_histogram_add(out[i], part[i], s->cells);
        free(part[i]);
    }
    free(part);
    return status;
}

static hr_status hessians(hr_stats_source *self, const hr_tree *tree, hr_exact *sums, hr_error *err) {
    sharded *s = (sharded *)self;
    hr_exact *part = must_room(tree->node_count, sizeof *part);
    hr_status status = s->shards[0]->ops->hessians(s->shards[0], tree, sums, err);
    if (!status) status = s->shards[1]->ops->hessians(s->shards[1], tree, part, err);
    add(sums, part, (tree->node_count + 1) / 2);
    free(part);
    return status;
}

static hr_status cells_of_both(hr_stats_source *self, size_t feature, size_t grid, hr_exact *cells,
                               hr_error *err) {
    sharded *s = (sharded *)self;
    hr_exact *part = must_room(grid, sizeof *part);
    hr_status status = s->shards[0]->ops->cells(s->shards[0], feature, grid, cells, err);
    if (!status) status = s->shards[1]->ops->cells(s->shards[1], feature, grid, part, err);
    add(cells, part, grid);
    free(part);
    return status;
}

static hr_status ask(hr_stats_source *self, const hr_stats_query *queries, size_t count, hr_exact *out,
                     hr_error *err) {
    sharded *s = (sharded *)self;
    size_t width = 0;
    for (size_t i = 0; i < count; i++)
        width += hr_stats_width(s->binning, hr_labels_width(&s->labels), &queries[i]);
    hr_exact *part = must_room(width, sizeof *part);
    hr_status status = s->shards[0]->ops->answer(s->shards[0], queries, count, out, err);
    if (!status) status = s->shards[1]->ops->answer(s->shards[1], queries, count, part, err);
    add(out, part, width);
    free(part);
    return status;
}

/* Scores are no sums: they are made of leaf sums once these are added up. */
static hr_status tree_scores(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                             hr_error *err) {
    sharded *s = (sharded *)self;
    size_t count = 0;
    for (size_t t = 0; t < question->tree_count; t++)
        count += hr_tree_leaves(&question->trees[t]) * s->outputs;
    hr_exact *all = must_room(count, sizeof *all), *part = must_room(count, sizeof *part);
    hr_status status = hr_records_leaf_sums(hr_local_stats_source_hedge(s->shards[0]), question, all, err);
    if (!status)
        status = hr_records_leaf_sums(hr_local_stats_source_hedge(s->shards[1]), question, part, err);
    add(all, part, count);
    hr_leaf_scores(all, question->trees, question->tree_count,
                   &(hr_leaf_score_rule){s->outputs, question->threshold, NULL}, out);
    free(all);
    free(part);
    return status;
}

static hr_status tree_sums(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                           hr_error *err) {
    sharded *s = (sharded *)self;
    hr_exact *part = must_room(hr_hedge_question_values(question), sizeof *part);
    hr_status status = s->shards[0]->ops->tree_sums(s->shards[0], question, out, err);
    if (!status) status = s->shards[1]->ops->tree_sums(s->shards[1], question, part, err);
    add(out, part, hr_hedge_question_values(question));
    free(part);
    return status;
}

static void free_sharded(hr_stats_source *self) {
    sharded *s = (sharded *)self;
    for (size_t k = 0; k < SHARDS; k++) {
        hr_stats_free(s->shards[k]);
        hr_data_free(s->data[k]);
    }
    free(s);
}

static const hr_stats_ops ops = {.free = free_sharded,
                                 .prepare = prepare,
                                 .cells = cells_of_both,
                                 .share_out = share_out,
                                 .begin = begin,
                                 .label_sums = label_sums,
                                 .largest_residual = largest_residual,
                                 .set_base = set_base,
                                 .add_trees = add_trees,
                                 .sum = sum,
                                 .split = split,
                                 .hessians = hessians,
                                 .answer = ask,
                                 .tree_scores = tree_scores,
                                 .tree_sums = tree_sums,
                                 .divide = divide};

/* Records below FIRST, and the others: in this order they draw their parts, as they do together. */
static hr_stats_source *shard(const hr_local_stats_records *all) {
    sharded *s = must_room(1, sizeof *s);
    uint32_t rows[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) rows[i] = i;
    s->source = (hr_stats_source){&ops, ROWS};
    s->labels = hr_labels_kind(hr_data_schema(all->data));
    for (size_t k = 0; k < SHARDS; k++) {
        size_t begin = k ? FIRST : 0, end = k ? ROWS : FIRST;
        hr_local_stats_records records = *all;
        records.data = s->data[k] = hr_data_take(all->data, rows + begin, end - begin);
        if (all->scores) records.scores = all->scores + begin;
        assert_non_null(records.data);
        assert_int_equal(hr_local_stats_source_new(&records, &s->shards[k], NULL), HR_OK);
    }
    return &s->source;
}

/* ---- Models ---- */

/* Numbers, missing ones among them, and a category: all of them matter. */
static table mixed_table(size_t classes, uint64_t seed) {
    table t = table_open(ROWS, 3);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = next_unit(&seed);
        t.columns[2][i] = (double)(next_random(&seed) % 5);
        if (next_random(&seed) % 6 == 0) t.columns[1][i] = (double)NAN;
        double z = t.columns[0][i] + (isnan(t.columns[1][i]) ? .5 : t.columns[1][i]) + (t.columns[2][i] == 2);
        t.labels[i] = classes ? fmin(floor(z / 3 * (double)classes), (double)classes - 1) : z / 1.5 - 1;
    }
    hr_column features[] = {number_column("x0", 0, 1), number_column("x1", 0, 1), category_column("c", 4)};
    table_make(&t, classes ? category_column("y", classes) : number_column("y", -1, 1), features);
    return t;
}

typedef struct run {
    hr_csprng *csprng;
    hr_training training;
} run;

static run train(const table *t, const hr_fit_options *options, bool in_shards) {
    run r = {0};
    hr_budget budget;
    hr_error err = {0};
    const hr_method *method = hr_method_named(options->method);
    assert_int_equal(hr_csprng_open_seeded(7, &r.csprng, NULL), HR_OK);
    assert_int_equal(hr_budget_of(method, options, &budget, NULL), HR_OK);
    r.training = (hr_training){.data = t->data, .options = options, .threads = 2, .arena = hr_arena_new()};
    assert_int_equal(hr_gate_new(budget.privacy_measure, budget.units, r.csprng, &r.training.gate, NULL),
                     HR_OK);
    hr_local_stats_records records = {.data = t->data, .csprng = r.csprng, .threads = 2};
    if (in_shards) {
        r.training.source = shard(&records);
        r.training.data =
            ((sharded *)r.training.source)->data[0]; /* a method that reads past the source sees less */
    } else {
        assert_int_equal(hr_local_stats_source_new(&records, &r.training.source, NULL), HR_OK);
    }
    if (method->train(&r.training, &err)) fail_msg("%s: %s", options->method, err.message);
    return r;
}

static void run_done(run *r) {
    hr_stats_free(r->training.source);
    hr_gate_free(r->training.gate);
    hr_arena_free(r->training.arena);
    hr_csprng_close(r->csprng);
}

static void assert_same_trees(const hr_tree *a, const hr_tree *b) {
    assert_true(a->node_count == b->node_count && a->subset_count == b->subset_count &&
                a->output == b->output);
    for (size_t n = 0; n < a->node_count; n++) {
        const hr_node *x = &a->nodes[n], *y = &b->nodes[n];
        assert_true(x->left == y->left && x->feature == y->feature && x->subset == y->subset &&
                    x->cut == y->cut);
        assert_true(x->missing_left == y->missing_left && x->branches == y->branches);
        assert_memory_equal(&x->value, &y->value, sizeof x->value);
    }
    if (a->subset_count) assert_memory_equal(a->subsets, b->subsets, a->subset_count * sizeof *a->subsets);
}

static void assert_same_forests(const hr_forest *a, const hr_forest *b) {
    assert_true(a->tree_count == b->tree_count && a->output_count == b->output_count && a->tree_count > 0);
    assert_memory_equal(a->base, b->base, a->output_count * sizeof *a->base);
    for (size_t t = 0; t < a->tree_count; t++) assert_same_trees(&a->trees[t], &b->trees[t]);
}

static void check(const char *method, size_t classes, hr_bounding bounding) {
    table t = mixed_table(classes, 3);
    hr_fit_options options = options_of(method, HR_MODE_SOUND), taken;
    options.epsilon = 4;
    if (options.edges == HR_EDGES_EXACT) options.edges = HR_EDGES_PUBLIC; /* of which no sum tells */
    options.trees = options.trees < 6 ? options.trees : 6;
    options.by_name[HR_OPTION_BOUNDING] = bounding;
    assert_int_equal(hr_options_taken(&options, &taken, NULL), HR_OK);
    run together = train(&t, &taken, false), apart = train(&t, &taken, true);
    assert_same_forests(&together.training.forest, &apart.training.forest);
    run_done(&together);
    run_done(&apart);
    table_close(&t);
}

static void test_shards__train_the_models_of_all_records(void **state) {
    (void)state;
    static const char *const methods[] = {"gbdt",   "dpboost", "para", "seq",  "dp-df",
                                          "dp-ert", "diprime", "id3",  "hedge"};
    static const size_t classes[] = {0, 2, 3};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t c = 0; c < COUNT(classes); c++)
            if (classes[c] || strcmp(methods[m], "id3") != 0) /* which is for classes */
                check(methods[m], classes[c], HR_BOUNDING_CLIP);
}

static void test_shards__leave_out_the_same_records(void **state) {
    (void)state;
    check("dpboost", 0, HR_BOUNDING_FILTER);
    check("dpboost", 2, HR_BOUNDING_FILTER);
}

/* ---- InPrivate's tree ---- */

static void grow_inprivate(const table *t, const double *scores, bool in_shards, hr_arena *arena,
                           hr_tree *out) {
    hr_fit_options options = options_of("inprivate", HR_MODE_SOUND);
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_units budget = 4 * HR_UNIT;
    hr_local_stats_records records = {.data = t->data, .scores = scores, .threads = 2};
    assert_int_equal(hr_csprng_open_seeded(9, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_PURE, budget, csprng, &gate, NULL), HR_OK);
    hr_inprivate_tree_job job = {
        .records = t->data, .scores = scores, .scope = {.budget = budget}, .gate = gate, .threads = 2};
    if (in_shards) job.source = shard(&records);
    assert_int_equal(hr_inprivate_tree(&job, &options, arena, out, NULL), HR_OK);
    hr_stats_free(job.source);
    hr_gate_free(gate);
    hr_csprng_close(csprng);
}

static void test_shards__grow_the_inprivate_tree_of_all_records(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        table t = mixed_table(classes, 5);
        hr_arena *arena = hr_arena_new();
        hr_tree together, apart;
        static double scores[ROWS];
        uint64_t seed = 1;
        for (size_t i = 0; i < ROWS; i++) scores[i] = next_unit(&seed) - .5;
        grow_inprivate(&t, scores, false, arena, &together);
        grow_inprivate(&t, scores, true, arena, &apart);
        assert_true(together.node_count == apart.node_count && together.node_count > 1);
        for (size_t n = 0; n < apart.node_count; n++) {
            const hr_node *x = &together.nodes[n], *y = &apart.nodes[n];
            assert_true(x->left == y->left && x->feature == y->feature && x->value == y->value);
        }
        hr_arena_free(arena);
        table_close(&t);
    }
}

/* ---- Scores ---- */

/* The sum of score - target over a part, in units of 2^-12. */
static int64_t residuals_of(hr_stats_source *source, const hr_binning *binning, size_t part,
                            hr_sum_word *cells, int64_t *records) {
    hr_packing packing = {
        .shift = 24, .gradient_bound = 1 << 14, .gradient_scale = 1 << 12, .weight_scale = 1};
    hr_stats_round round = {.part = part, .loss = HR_STATS_SQUARE, .bound = 4, .packing = packing};
    hr_sum_word total = 0;
    assert_int_equal(source->ops->begin(source, &round, NULL), HR_OK);
    assert_int_equal(source->ops->sum(source, &(uint32_t){0}, &cells, 1, NULL), HR_OK);
    for (size_t b = 0; b < binning->features[0].bin_count; b++) total += cells[b];
    *records += hr_unpack(&packing, total).weight.unpaid;
    return hr_unpack(&packing, total).gradient.unpaid;
}

/* A part has all trees before it is trained, and no record takes one twice, however often parts are drawn
 * anew. */
static void test_local_source__adds_every_tree_once_before_a_part_is_trained(void **state) {
    (void)state;
    enum { PARTS = 3, TREES = 4 };
    table t = mixed_table(0, 8);
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    hr_csprng *csprng = NULL;
    hr_stats_source *source = NULL;
    assert_int_equal(hr_csprng_open_seeded(3, &csprng, NULL), HR_OK);
    hr_local_stats_records all = {.data = t.data, .csprng = csprng, .threads = 1};
    assert_int_equal(hr_local_stats_source_new(&all, &source, NULL), HR_OK);
    assert_int_equal(hr_edges_public(t.schema, 8, arena, &binning, NULL), HR_OK);
    hr_stats_setup setup = {.kind = HR_STATS_GRADIENTS, .binning = &binning, .outputs = 1, .depth = 2};
    assert_int_equal(source->ops->prepare(source, &setup, NULL), HR_OK);
    hr_sum_word *cells = must_room(hr_histogram_cells(3), sizeof *cells);
    hr_node leaf = {.value = .25};
    hr_tree trees[TREES];
    const double weights[PARTS] = {1, 2, 1};
    int64_t start = 0, records = 0;
    for (size_t i = 0; i < TREES; i++) trees[i] = (hr_tree){.nodes = &leaf, .node_count = 1};
    start = residuals_of(source, &binning, 0, cells, &records);
    assert_int_equal(records, ROWS);
    for (size_t i = 0; i < TREES; i++) {
        hr_stats_shares shares = {.weights = i % 2 ? NULL : weights, .count = PARTS};
        int64_t sum = 0;
        assert_int_equal(source->ops->add_trees(source, &trees[i], 1, NULL), HR_OK);
        assert_int_equal(source->ops->share_out(source, &shares, NULL, NULL), HR_OK);
        if (i + 1 == TREES) continue;
        records = 0;
        for (size_t part = 0; part < (i % 2 ? 1 : PARTS); part++)
            sum += residuals_of(source, &binning, part, cells, &records);
        assert_true(records == ROWS &&
                    llabs((long long)(sum - start - (int64_t)(i + 1) * ROWS * (1 << 10))) <=
                        (long long)ROWS * 2);
    }
    assert_int_equal(
        source->ops->share_out(source, &(hr_stats_shares){.weights = weights, .count = PARTS}, NULL, NULL),
        HR_OK);
    assert_int_equal(source->ops->add_trees(source, &trees[0], 1, NULL), HR_OK);
    int64_t sum = 0;
    for (size_t part = 0; part < PARTS; part++) sum += residuals_of(source, &binning, part, cells, &records);
    assert_true(llabs((long long)(sum - start - (int64_t)(TREES + 1) * ROWS * (1 << 10))) <=
                (long long)ROWS * 2);
    free(cells);
    hr_stats_free(source);
    hr_csprng_close(csprng);
    hr_arena_free(arena);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards__train_the_models_of_all_records),
        cmocka_unit_test(test_shards__leave_out_the_same_records),
        cmocka_unit_test(test_shards__grow_the_inprivate_tree_of_all_records),
        cmocka_unit_test(test_local_source__adds_every_tree_once_before_a_part_is_trained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
