#include "support/model_parts.h"

static hr_schema *make_schema(hr_task task) {
    static const char *const sexes[] = {"f", "m", "x"}, *const classes[] = {"no", "yes", "perhaps"},
                             *const missing[] = {"NA", "-"};
    static char names[WARDS][8];
    static const char *wards[WARDS];
    for (int i = 0; i < WARDS; i++) {
        snprintf(names[i], sizeof names[i], "w%d", i);
        wards[i] = names[i];
    }
    const hr_column features[FEATURES] = {
        {.name = "age", .kind = HR_KIND_NUMBER, .low = 0, .high = 120, .integer = true},
        {.name = "income \"net\"", .kind = HR_KIND_NUMBER, .low = -1e4, .high = 1e6 / 3},
        {.name = "sex", .kind = HR_KIND_CATEGORY, .value_count = 3, .values = sexes},
        {.name = "w\xc3\xa4rd", .kind = HR_KIND_CATEGORY, .value_count = WARDS, .values = wards},
        {.name = "constant", .kind = HR_KIND_NUMBER, .low = 0, .high = 1}};
    hr_column label = {.name = "stay", .kind = HR_KIND_NUMBER, .low = -5, .high = 30};
    if (task != HR_TASK_REGRESSION)
        label = (hr_column){.name = "back",
                            .kind = HR_KIND_CATEGORY,
                            .value_count = task == HR_TASK_BINARY ? 2 : 3,
                            .values = classes};
    hr_schema *schema = NULL;
    assert_int_equal(hr_schema_make(&(hr_schema_parts){.label = label,
                                                       .features = features,
                                                       .feature_count = FEATURES,
                                                       .missing = missing,
                                                       .missing_count = 2},
                                    &schema, NULL),
                     HR_OK);
    return schema;
}

static void make_bins(parts *p) {
    hr_feature_bins *bins = p->bins;
    double *edges = hr_arena_alloc(p->model.arena, 254, sizeof *edges),
           *ages = hr_arena_alloc(p->model.arena, 3, sizeof *ages);
    assert_true(edges && ages);
    for (int e = 0; e < 254; e++) edges[e] = -1e4 + (e + 1) * (1e6 / 3 + 1e4) / 255;
    ages[0] = 18, ages[1] = 37.5, ages[2] = 80.1;
    bins[AGE] = (hr_feature_bins){HR_KIND_NUMBER, 5, ages};
    bins[INCOME] = (hr_feature_bins){HR_KIND_NUMBER, 256, edges};
    bins[SEX] = (hr_feature_bins){HR_KIND_CATEGORY, 4, NULL};
    bins[WARD] = (hr_feature_bins){HR_KIND_CATEGORY, 256, NULL};
    bins[CONSTANT] = (hr_feature_bins){HR_KIND_NUMBER, 2, NULL};
}

static void random_threshold(parts *p, hr_node *node) {
    const hr_feature_bins *bins = &p->bins[node->feature];
    node->threshold = hr_bins_threshold(bins, (uint32_t)(next_random(&p->random) % bins->bin_count));
    if (node->feature == INCOME && next_random(&p->random) % 2)
        node->threshold = next_unit(&p->random) * 1e6 / 3;
    node->missing_left = next_random(&p->random) & 1;
}

/* One split in four has a child for every bin. Incomes are compared with more numbers than a byte can tell
 * apart. */
static void random_split(parts *p, hr_tree *tree, hr_node *node) {
    node->feature = (uint32_t)(next_random(&p->random) % FEATURES);
    const hr_feature_bins *bins = &p->bins[node->feature];
    if (next_random(&p->random) % 4 == 0) {
        node->branches = (uint16_t)bins->bin_count;
        node->first = bins->kind == HR_KIND_NUMBER ? (uint32_t)tree->threshold_count : 0;
        for (uint32_t e = 0; bins->kind == HR_KIND_NUMBER && e + 2 < bins->bin_count; e++)
            tree->thresholds[tree->threshold_count++] = bins->edges[e];
        return;
    }
    if (bins->kind == HR_KIND_NUMBER) {
        random_threshold(p, node);
        return;
    }
    node->subset = (uint32_t)tree->subset_count;
    hr_bin_set *set = &tree->subsets[tree->subset_count++];
    for (unsigned bin = 0; bin < bins->bin_count; bin++)
        if (next_random(&p->random) & 1) hr_bin_set_add(set, (uint8_t)bin);
}

/* A tree of random shape: every node above `depth` splits with 7 in 8, while there is room. */
static hr_tree random_tree(parts *p, unsigned depth, size_t output) {
    size_t room = 1200;
    hr_tree tree = {.node_count = 1, .output = output};
    tree.nodes = hr_arena_alloc(p->model.arena, room, sizeof *tree.nodes);
    tree.subsets = hr_arena_alloc(p->model.arena, room, sizeof *tree.subsets);
    tree.thresholds = hr_arena_alloc(p->model.arena, room, sizeof *tree.thresholds);
    unsigned *levels = hr_arena_alloc(p->model.arena, room, sizeof *levels);
    assert_true(tree.nodes && tree.subsets && tree.thresholds && levels);
    for (size_t n = 0; n < tree.node_count; n++) {
        if (levels[n] == depth || tree.node_count + HR_BINS_MAX > room || next_random(&p->random) % 8 == 0) {
            tree.nodes[n].value = 2 * next_unit(&p->random) - 1;
            continue;
        }
        random_split(p, &tree, &tree.nodes[n]);
        tree.nodes[n].left = (uint32_t)tree.node_count;
        for (uint32_t i = 0; i < hr_node_child_count(&tree.nodes[n]); i++)
            levels[tree.node_count++] = levels[n] + 1;
    }
    return tree;
}

static void make_forest(parts *p, hr_link link, size_t outputs, size_t trees, unsigned depth) {
    hr_forest *forest = &p->model.forest;
    *forest = (hr_forest){.link = link, .output_count = outputs, .tree_count = trees};
    forest->base = hr_arena_alloc(p->model.arena, outputs, sizeof *forest->base);
    forest->trees = hr_arena_alloc(p->model.arena, trees, sizeof *forest->trees);
    assert_true(forest->base && forest->trees);
    for (size_t k = 0; k < outputs; k++) forest->base[k] = next_unit(&p->random) / 3;
    for (size_t t = 0; t < trees; t++) forest->trees[t] = random_tree(p, depth, t % outputs);
}

/* Three kinds of releases, through a real gate; the guarantee that they add up to. */
static void make_releases(parts *p, hr_privacy_measure privacy_measure, double delta) {
    assert_int_equal(hr_csprng_open_seeded(7, &p->csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(privacy_measure, HR_UNIT, p->csprng, &p->gate, NULL), HR_OK);
    const hr_exact exact[2] = {{5}, {-3}};
    hr_noisy noisy[2];
    hr_permit permit;
    for (int64_t tree = 0; tree < 2; tree++) {
        const hr_charge split = {"split", tree, 0, 0, (uint64_t)tree, privacy_measure ? HR_UNIT / 8 : 0, 40};
        const hr_charge leaf = {
            "leaf sum", tree, -1, 0, (uint64_t)tree, privacy_measure ? HR_UNIT / 3 + (hr_units)tree : 0, 7};
        assert_int_equal(hr_gate_charge_choice(p->gate, &split, &permit, NULL), HR_OK);
        hr_exact scores[2] = {{5}, {-3}};
        (void)hr_gate_choose(p->gate, permit, scores, 2);
        assert_int_equal(hr_gate_charge_sums(p->gate, &leaf, &permit, NULL), HR_OK);
        hr_gate_sums(p->gate, permit, exact, 2, noisy);
    }
    const hr_charge edges = {"bin edges", -1, -1, 1, 0, privacy_measure ? HR_UNIT / 16 : 0, 1};
    assert_int_equal(hr_gate_charge_sums(p->gate, &edges, &permit, NULL), HR_OK);
    hr_gate_sums(p->gate, permit, exact, 1, noisy);
    hr_model *m = &p->model;
    m->privacy_measure = privacy_measure;
    m->releases = (hr_release *)hr_gate_releases(p->gate, &m->release_count);
    assert_int_equal(
        hr_model_account(m->releases, m->release_count, privacy_measure, delta, &m->guarantee, NULL), HR_OK);
    m->guarantee.statement = privacy_measure ? "Proved, \"quoted\"\nand on two lines."
                                             : "Nothing is protected: every answer is exact.";
}

void parts_init(parts *p, model_kind kind, size_t trees, unsigned depth, hr_privacy_measure privacy_measure) {
    static hr_setting settings[] = {{"trees", "12"}, {"depth", "4"}, {"learning-rate", "0.1"}};
    *p = (parts){.random = 88172645463325252u, .model = {.method = "dpboost", .mode = HR_MODE_SOUND}};
    p->model.arena = hr_arena_new();
    assert_non_null(p->model.arena);
    p->model.schema = make_schema(kind.task);
    make_bins(p);
    make_forest(p, kind.link, kind.outputs, trees, depth);
    make_releases(p, privacy_measure,
                  privacy_measure == HR_PRIVACY_ZCDP || privacy_measure == HR_PRIVACY_GDP ? 1e-6 : 0);
    p->model.settings = settings;
    p->model.setting_count = COUNT(settings);
}

void parts_done(parts *p) {
    hr_gate_free(p->gate);
    hr_csprng_close(p->csprng);
    hr_schema_free(p->model.schema);
    hr_arena_free(p->model.arena);
}

hr_model *make_model(parts *p) {
    hr_model *model = NULL;
    assert_int_equal(hr_model_make(&p->model, &model, NULL), HR_OK);
    return model;
}

hr_data *make_data(const hr_model *model, size_t rows, bool labels) {
    const hr_schema *schema = hr_model_schema(model);
    uint64_t random = 362436069;
    double *columns[FEATURES + 1];
    for (size_t f = 0; f <= FEATURES; f++) {
        columns[f] = malloc((rows + 1) * sizeof(double));
        assert_non_null(columns[f]);
        const hr_column *column = f == FEATURES ? hr_schema_label(schema) : hr_schema_feature(schema, f);
        for (size_t i = 0; i < rows; i++) {
            double u = next_unit(&random);
            bool gone = f < FEATURES && next_random(&random) % 8 == 0;
            double value = column->kind == HR_KIND_NUMBER ? column->low + u * (column->high - column->low)
                                                          : floor(u * (double)column->value_count);
            if (f < FEATURES && column->kind == HR_KIND_CATEGORY) value += 1;
            if (f == AGE && next_random(&random) % 8 == 0) value = 37.5;
            columns[f][i] = gone ? (double)NAN : value;
        }
    }
    hr_data *data = NULL;
    hr_error err = {0};
    hr_status status = hr_data_from_arrays(schema, rows, (const double *const *)columns,
                                           labels ? columns[FEATURES] : NULL, &data, &err);
    if (status) print_error("%s\n", err.message);
    assert_int_equal(status, HR_OK);
    for (size_t f = 0; f <= FEATURES; f++) free(columns[f]);
    return data;
}
