/* Averages: what each owner releases is what it would train alone; the average is the mean of what was
 * released; and a model that no sound method makes is refused, naming why, while the job goes on. */
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/machines/oneshot.h"
#include "federation/work/simulation.h"
#include "fit/budget.h"
#include "support/model_files.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "support/test_members.h"
#include "tables/data/records.h"
#include "trees/tree/link.h"

enum { OWNERS_MAX = 4, JOB_OWNERS = 2 };

static hr_job_file job_of(const char *train, double epsilon) {
    hr_job_file job = {.rounds = 1, .averages = true, .options = options_of(train, HR_MODE_SOUND)};
    job.options.epsilon = epsilon;
    return job;
}

/* ---- Federations in this process ---- */

typedef struct federation {
    table table;
    hr_data *owners[OWNERS_MAX];
    size_t owner_count;
    hr_job_file job;
    hr_simulation simulation;
    hr_model *released[OWNERS_MAX];
} federation;

static federation *watched;
static hr_status (*real_train)(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err);

static hr_model *parsed(const hr_bytes *bytes) {
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_model_parse((const char *)bytes->at, bytes->size, "model", &model, &err))
        fail_msg("%s: %s", err.field, err.message);
    return model;
}

static hr_status train_and_keep(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                hr_error *err) {
    hr_status status = real_train(self, job, slot, out, err);
    for (size_t o = 0; !status && o < watched->owner_count; o++)
        if (self == &watched->simulation.parties[o + 1].as.work) watched->released[o] = parsed(out);
    return status;
}

/* The o-th owner has o + 1 shares of the records. */
static void deal_unequally(federation *f) {
    size_t shares = f->owner_count * (f->owner_count + 1) / 2;
    uint32_t *picked = malloc((f->table.rows + 1) * sizeof *picked);
    for (size_t o = 0, first = 0; o < f->owner_count; first += ++o) {
        size_t count = 0;
        for (size_t i = 0; i < f->table.rows; i++)
            if (i % shares >= first && i % shares <= first + o) picked[count++] = (uint32_t)i;
        assert_non_null(f->owners[o] = hr_data_take(f->table.data, picked, count));
    }
    free(picked);
}

static const hr_model *open_and_run(federation *f, size_t rows, size_t owners, size_t classes,
                                    hr_job_file job) {
    hr_error err = {0};
    *f = (federation){.table = table_of_steps(rows, 3, classes, 5), .owner_count = owners, .job = job};
    deal_unequally(f);
    const hr_owner_tables tables = {(const hr_data *const *)f->owners, owners};
    if (hr_simulation_init(&f->simulation, &f->job, f->table.schema, &tables, 1, &err))
        fail_msg("%s", err.message);
    watched = f;
    for (size_t o = 0; o < owners; o++) {
        real_train = f->simulation.parties[o + 1].as.work.train;
        f->simulation.parties[o + 1].as.work.train = train_and_keep;
    }
    if (hr_simulation_run(&f->simulation, &err)) fail_msg("%s", err.message);
    return f->simulation.parties[0].as.coordinator.result.model;
}

static void close_federation(federation *f) {
    hr_simulation_done(&f->simulation);
    for (size_t o = 0; o < f->owner_count; o++) {
        hr_data_free(f->owners[o]);
        hr_model_free(f->released[o]);
    }
    table_close(&f->table);
}

/* The scores of all records; output k of record i is at k * rows + i. Owner: the caller. */
static double *scores_of(const hr_model *model, const hr_data *data) {
    size_t rows = hr_data_rows(data), outputs = model->forest.output_count;
    double *scores = malloc((rows * outputs + 1) * sizeof *scores),
           *block = malloc(outputs * HR_PREDICTOR_BLOCK * sizeof *block);
    uint8_t *bins = calloc(model->predictor.column_count + 1, HR_PREDICTOR_BLOCK);
    for (size_t first = 0; first < rows; first += HR_PREDICTOR_BLOCK) {
        size_t count = rows - first < HR_PREDICTOR_BLOCK ? rows - first : HR_PREDICTOR_BLOCK;
        hr_predictor_bins(&model->predictor, data, first, count, bins);
        hr_predictor_scores(&model->predictor, bins, count, block);
        for (size_t k = 0; k < outputs; k++)
            memcpy(scores + k * rows + first, block + k * HR_PREDICTOR_BLOCK, count * sizeof *scores);
    }
    free(block);
    free(bins);
    return scores;
}

/* Weights are those of the owners' models; they add up to 1. */
static void check_mean(const federation *f, const hr_model *joint, const double *weights) {
    size_t count = f->table.rows * joint->forest.output_count;
    double *of_joint = scores_of(joint, f->table.data), *sum = calloc(count + 1, sizeof *sum);
    hr_calibration mean = {0};
    for (size_t o = 0; o < f->owner_count; o++) {
        const hr_forest *forest = &f->released[o]->forest;
        double *one = scores_of(f->released[o], f->table.data);
        for (size_t i = 0; i < count; i++) sum[i] += weights[o] * one[i];
        mean.intercept += weights[o] * forest->calibration.intercept;
        mean.slope += weights[o] * forest->calibration.slope;
        assert_int_equal(forest->link, joint->forest.link);
        assert_int_equal(forest->calibration.made, joint->forest.calibration.made);
        free(one);
    }
    for (size_t i = 0; i < count; i++)
        if (!(fabs(sum[i] - of_joint[i]) < 1e-12)) fail_msg("score %zu: %g, %g", i, of_joint[i], sum[i]);
    if (joint->forest.calibration.made) {
        assert_true(fabs(joint->forest.calibration.intercept - mean.intercept) < 1e-12);
        assert_true(fabs(joint->forest.calibration.slope - mean.slope) < 1e-12);
    }
    free(of_joint);
    free(sum);
}

/* The list of the average is that of its models; each line has its owner. */
static void check_releases(const federation *f, const hr_model *joint) {
    size_t at = 0;
    for (size_t o = 0; o < f->owner_count; o++)
        for (size_t i = 0; i < f->released[o]->release_count; i++, at++) {
            const hr_release *line = &joint->releases[at], *own = &f->released[o]->releases[i];
            assert_int_equal(line->owner, o + 1);
            assert_true(line->cost == own->cost && line->group == own->group && line->part == own->part);
            assert_string_equal(line->what, own->what);
        }
    assert_int_equal(joint->release_count, at);
}

static void check_guarantee(const hr_model *joint, double epsilon, double delta) {
    const hr_guarantee *g = hr_model_guarantee(joint);
    char *json = NULL;
    hr_error err = {0};
    assert_true(g->is_private && g->epsilon >= epsilon - 1e-11 && g->epsilon < epsilon + 1e-11);
    assert_true(g->delta <= delta && g->delta >= delta * (1 - 1e-6)); /* whole units of the ledger */
    assert_string_equal(g->unit, "one record of any owner");
    assert_non_null(strstr(g->statement, "even if all other owners and the coordinator act together"));
    assert_int_equal(hr_model_render(joint, &json, &err), HR_OK);
    hr_bytes bytes = {(uint8_t *)json, strlen(json)};
    hr_model_free(parsed(&bytes)); /* the reader adds the releases up */
    hr_text_free(json);
}

static void test_average__is_the_mean_by_released_numbers_of_records(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        federation f;
        double weights[3], sum = 0;
        const hr_model *joint = open_and_run(&f, 900, 3, classes, job_of("hedge", 2));
        for (size_t o = 0; o < 3; o++) sum += weights[o] = hr_model_records(f.released[o]);
        for (size_t o = 0; o < 3; o++) weights[o] /= sum;
        assert_true(weights[0] < weights[1] && weights[1] < weights[2]); /* 150, 300, 450: 50 deviations */
        check_mean(&f, joint, weights);
        check_releases(&f, joint);
        check_guarantee(joint, 2, 1e-6);
        close_federation(&f);
    }
}

/* dpboost releases no number of records. Its ensembles divide the records: groups of one owner do not add to
 * those of another. */
static void test_average__is_the_plain_mean_without_numbers_of_records(void **state) {
    (void)state;
    static const double thirds[] = {1. / 3, 1. / 3, 1. / 3};
    static const char *const methods[] = {"dpboost", "para", "diprime", "inprivate", "dp-ert", "dp-df"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        federation f;
        hr_job_file job = job_of(methods[m], 1);
        job.options.depth = 3;
        const hr_model *joint = open_and_run(&f, 300, 3, 2, job);
        check_mean(&f, joint, thirds);
        check_guarantee(joint, 1, 0);
        close_federation(&f);
    }
}

/* The coordinator reads what it made; also of methods whose options have the names of the job's settings. */
static void test_average__of_every_private_method_can_be_read(void **state) {
    (void)state;
    for (size_t m = 0; m < hr_method_count(); m++) {
        federation f;
        if (!hr_method_at(m)->is_private || makes_no_plain_model(hr_method_at(m)->name)) continue;
        const hr_model *joint = open_and_run(&f, 200, 2, 2, job_of(hr_method_at(m)->name, 1));
        assert_true(hr_model_job_setting(joint, HR_OWNERS_SETTING) == 2);
        close_federation(&f);
    }
}

static void test_average__of_one_is_its_model(void **state) {
    (void)state;
    federation f;
    const hr_model *joint = open_and_run(&f, 300, 1, 2, job_of("hedge", 1));
    double *of_joint = predictions_of(joint, f.table.data),
           *alone = predictions_of(f.released[0], f.table.data);
    assert_memory_equal(of_joint, alone, 2 * f.table.rows * sizeof *alone);
    free(of_joint);
    free(alone);
    close_federation(&f);
}

static void test_average__works_with_owners_without_records(void **state) {
    (void)state;
    federation f;
    const hr_model *joint = open_and_run(&f, 1, 3, 2, job_of("hedge", 1)); /* two owners have none */
    check_guarantee(joint, 1, 1e-6);
    check_releases(&f, joint);
    close_federation(&f);
}

/* ---- A model that nobody can read ---- */

static hr_status (*real_finish)(hr_party_work *self, const hr_job_view *job, hr_error *err);

/* With a setting that the model has already. */
static hr_status assemble_twice(const hr_job_view *job, hr_joint_model *joint, hr_error *err) {
    hr_status status = hr_federated_average.assemble(job, joint, err);
    hr_settings_add(&joint->settings, joint->settings.items[0].name, "2");
    return status;
}

static hr_status finish_twice(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    hr_federated_method method = hr_federated_average;
    hr_job_view view = *job;
    method.assemble = assemble_twice;
    view.method = &method;
    return real_finish(self, &view, err);
}

/* Nothing is at the path of the model, and its text is beside it. */
static void test_average__that_cannot_be_read_is_not_written(void **state) {
    const temp_dir *files = *state;
    federation f = {.table = table_of_steps(200, 3, 2, 5), .owner_count = 2, .job = job_of("dp-ert", 1)};
    char path[128], unread[160];
    hr_error err = {0};
    deal_unequally(&f);
    const hr_owner_tables tables = {(const hr_data *const *)f.owners, f.owner_count};
    assert_int_equal(hr_simulation_init(&f.simulation, &f.job, f.table.schema, &tables, 1, &err), HR_OK);
    hr_coordinator_work *coordinator = &f.simulation.parties[0].as.coordinator;
    snprintf(path, sizeof path, "%s/model.json", files->folder);
    snprintf(unread, sizeof unread, "%s.unread", path);
    coordinator->path = path;
    real_finish = coordinator->work.finish;
    coordinator->work.finish = finish_twice;
    assert_int_equal(hr_simulation_run(&f.simulation, &err), HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "the model that was paid for cannot be read back", unread);
    assert_false(hr_coordinator_work_has_result(coordinator));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(unread, F_OK), 0);
    close_federation(&f);
}

/* ---- One owner's work ---- */

static Hedgerow__Terms *terms_of_job(const hr_job_file *job, const hr_schema *schema, hr_bytes *bytes) {
    const char *names[] = {"anna", "bert"};
    ProtobufCMessage *read = NULL;
    hr_error err = {0};
    if (hr_terms_of(job, "job", schema, &(hr_names){names, JOB_OWNERS}, bytes, &err))
        fail_msg("%s", err.message);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes->at, bytes->size, &read, NULL),
                     HR_OK);
    return (Hedgerow__Terms *)read;
}

/* What an owner of these records releases, with noise of that seed. */
static hr_model *released_by(const hr_data *data, const hr_job_file *job, uint64_t seed) {
    hr_party_work work = {0};
    hr_bytes packed_terms, out = {0};
    hr_csprng *csprng = NULL;
    hr_budget budget;
    hr_error err = {0};
    Hedgerow__Terms *terms = terms_of_job(job, hr_data_schema(data), &packed_terms);
    const hr_job_view view = {.method = &hr_federated_average, .terms = terms};
    hr_owner_turn turn = {.job = &view, .data = data, .threads = 1, .work = &work};
    assert_int_equal(hr_options_of_terms(terms, 1, &turn.options, NULL), HR_OK);
    assert_int_equal(hr_budget_of(hr_method_named(job->options.method), &turn.options, &budget, NULL), HR_OK);
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(budget.privacy_measure, budget.units, csprng, &turn.gate, NULL), HR_OK);
    if (hr_federated_average.turns->train(&turn, &out, &err)) fail_msg("%s", err.message);
    hr_model *model = parsed(&out);
    hr_gate_free(turn.gate);
    hr_csprng_close(csprng);
    hr_message_unpacked_free(&terms->base);
    free(packed_terms.at);
    free(out.at);
    return model;
}

static void test_average__owners_release_what_they_would_train_alone(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost", "diprime"};
    table t = table_of_steps(200, 3, 2, 5);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        hr_job_file job = job_of(methods[m], 1);
        job.options.trees = 3;
        hr_model *released = released_by(t.data, &job, 7);
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 7);
        options.trees = 3;
        hr_model *alone = fit(t.data, &options);
        double *one = predictions_of(released, t.data), *other = predictions_of(alone, t.data);
        assert_memory_equal(one, other, 2 * t.rows * sizeof *one);
        assert_int_equal(released->release_count, alone->release_count);
        assert_string_equal(released->method, methods[m]);
        assert_true(hr_model_records(released) == hr_model_records(alone));
        free(one);
        free(other);
        hr_model_free(released);
        hr_model_free(alone);
    }
    table_close(&t);
}

/* ---- Models that no sound method makes ---- */

typedef struct forged {
    hr_model *model;
    const hr_schema *other; /* a schema that is not the job's */
    hr_arena *arena;
} forged;

static hr_node *a_leaf(hr_model *m) {
    size_t n = 0;
    while (m->forest.trees[0].nodes[n].left) n++;
    return &m->forest.trees[0].nodes[n];
}

static hr_node *a_split(hr_model *m) {
    for (size_t t = 0;; t++)
        if (m->forest.trees[t].nodes[0].left) return &m->forest.trees[t].nodes[0];
}

static void forge_nothing(forged *f) {
    (void)f;
}
static void forge_large_leaf(forged *f) {
    a_leaf(f->model)->value = -1.001;
}
static void forge_huge_leaf(forged *f) {
    a_leaf(f->model)->value = 1e99;
}
static void forge_nan_leaf(forged *f) {
    a_leaf(f->model)->value = (double)NAN;
}
static void forge_base(forged *f) {
    f->model->forest.base[0] = 1.001;
}
static void forge_output(forged *f) {
    f->model->forest.trees[0].output = 1;
}
static void forge_feature(forged *f) {
    a_split(f->model)->feature = 99;
}
static void forge_children(forged *f) {
    a_split(f->model)->left = 4000000;
}
static void forge_threshold(forged *f) {
    a_split(f->model)->threshold = (double)NAN;
}
static void forge_link(forged *f) {
    static double bases[2];
    f->model->forest.link = HR_LINK_LOGISTIC;
    f->model->forest.base = bases;
}

/* Trees that all are the same one, of full depth. */
static void repeat_tree(forged *f, size_t depth, size_t count) {
    size_t nodes = ((size_t)2 << depth) - 1;
    hr_tree tree = {.nodes = hr_arena_alloc(f->arena, nodes, sizeof *tree.nodes), .node_count = nodes};
    hr_tree *trees = hr_arena_alloc(f->arena, count, sizeof *trees);
    memset(tree.nodes, 0, nodes * sizeof *tree.nodes);
    for (size_t n = 0; n < nodes / 2; n++) tree.nodes[n].left = (uint32_t)(2 * n + 1);
    for (size_t t = 0; t < count; t++) trees[t] = tree;
    f->model->forest.trees = trees;
    f->model->forest.tree_count = count;
}
static void forge_many_trees(forged *f) {
    repeat_tree(f, 0, ((size_t)1 << 16) + 1);
}
static void forge_many_nodes(forged *f) {
    repeat_tree(f, 12, 65);
}
static void forge_depth(forged *f) {
    repeat_tree(f, 13, 1);
}
static void forge_method(forged *f) {
    f->model->method = "dpboost";
}
static void forge_start_model(forged *f) {
    f->model->start_model = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
}
static void forge_schema(forged *f) {
    assert_int_equal(hr_schema_copy(f->other, &f->model->schema, NULL), HR_OK);
}
static void forge_no_privacy(forged *f) {
    f->model->guarantee.is_private = false;
    f->model->guarantee.epsilon = f->model->guarantee.epsilon_replace = (double)INFINITY;
}
static void forge_measure(forged *f) {
    f->model->release_count = 0;
    f->model->privacy_measure = HR_PRIVACY_PURE;
    f->model->guarantee.delta = f->model->guarantee.delta_replace = 0;
}

/* It says that it cost twice as much, and that this was granted. */
static void forge_cost(forged *f) {
    hr_units total;
    for (size_t i = 0; i < f->model->release_count; i++) f->model->releases[i].cost *= 2;
    assert_int_equal(hr_account(f->model->releases, f->model->release_count, &total, NULL), HR_OK);
    double delta = f->model->guarantee.delta;
    const char *statement = f->model->guarantee.statement, *unit = f->model->guarantee.unit;
    hr_guarantee_of(total, f->model->privacy_measure, delta, &f->model->guarantee);
    f->model->guarantee.statement = statement;
    f->model->guarantee.unit = unit;
}
static void forge_unjustified(forged *f) {
    f->model->releases[0].cost /= 2;
}
/* Each of two owners seems to have spent half. */
static void forge_owner(forged *f) {
    f->model->releases[0].owner = 7;
}
static void forge_records(forged *f) {
    for (size_t i = 0; i < f->model->setting_count; i++)
        if (!strcmp(f->model->settings[i].name, HR_RECORDS_SETTING)) f->model->settings[i].value = "1e300";
}

static const struct {
    const char *name;
    void (*forge)(forged *f);
    const char *why; /* NULL: it is taken */
} forgeries[] = {{"nothing", forge_nothing, NULL},
                 {"a leaf out of bounds", forge_large_leaf, "the leaf's value is out of bounds"},
                 {"a huge leaf", forge_huge_leaf, "the leaf's value is out of bounds"},
                 {"a leaf that is no number", forge_nan_leaf, ""},
                 {"a base score", forge_base, "a base score out of bounds"},
                 {"an output", forge_output, "the score does not exist"},
                 {"a feature", forge_feature, "is not between"},
                 {"children", forge_children, "a child is missing"},
                 {"a threshold", forge_threshold, ""},
                 {"a link", forge_link, "the link does not fit the task"},
                 {"too many trees", forge_many_trees, "too many trees or nodes"},
                 {"too many nodes", forge_many_nodes, "too many trees or nodes"},
                 {"depth", forge_depth, "the tree is too deep"},
                 {"another method", forge_method, "not what the job trains"},
                 {"a continued model", forge_start_model, "not what the job trains"},
                 {"another schema", forge_schema, "another schema"},
                 {"no privacy", forge_no_privacy, "without the job's guarantee"},
                 {"another measure", forge_measure, "without the job's guarantee"},
                 {"a larger cost", forge_cost, "cost more than the job allows"},
                 {"an unjustified cost", forge_unjustified, "does not justify its cost"},
                 {"another owner's release", forge_owner, "releases of other owners"},
                 {"too many records", forge_records, "more records than a table can have"}};

/* A job of two owners at its coordinator, which both have accepted. */
typedef struct coordinator {
    const test_members *f;
    hr_bytes terms_bytes;
    Hedgerow__Terms *terms;
    hr_protocol *machine;
    hr_digest start;
    bool finished;
    char cut[HR_ACTION_TEXT];
} coordinator;

static void coordinator_feed(coordinator *c, size_t from, Hedgerow__Message__KindCase kind,
                             const void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    hr_action a;
    m.kind_case = kind;
    m.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    hr_bytes bytes = packed(&m);
    const hr_event event = {.kind = HR_EVENT_MESSAGE, .from = from, .bytes = bytes.at, .size = bytes.size};
    assert_int_equal(hr_protocol_feed(c->machine, &event, NULL), HR_OK);
    free(bytes.at);
    while (hr_protocol_next(c->machine, &a)) {
        if (a.kind == HR_ACT_CUT_OFF) memcpy(c->cut, a.text, sizeof c->cut);
        if (a.kind == HR_ACT_FINISH) c->finished = true;
        free(a.bytes.at);
    }
}

static void coordinator_open(coordinator *c, const test_members *f, const hr_job_file *job,
                             const hr_schema *schema) {
    *c = (coordinator){.f = f};
    c->terms = terms_of_job(job, schema, &c->terms_bytes);
    const hr_protocol_setup setup = {.view = &f->views[COORDINATOR],
                                     .job = the_job,
                                     .schema = schema,
                                     .coordinator = COORDINATOR,
                                     .terms = c->terms_bytes};
    assert_int_equal(hr_federated_average.machines->coordinator(&setup, &c->machine, NULL), HR_OK);
    const size_t owners[] = {ANNA, BERT};
    hr_digest digest;
    assert_int_equal(hr_terms_digest(&setup, c->terms, &digest, NULL), HR_OK);
    c->start = hr_start_digest(&digest, &f->membership, owners, JOB_OWNERS);
    for (size_t i = 0; i < JOB_OWNERS; i++) {
        uint8_t signature[HR_SIGNATURE_SIZE];
        Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
        hr_acceptance_sign(f->who[owners[i]], &digest, signature);
        answer.accepted = true;
        answer.signature = hr_data_of(signature, sizeof signature);
        coordinator_feed(c, owners[i], HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    }
    assert_int_equal(hr_oneshot_owners(c->machine), JOB_OWNERS);
}

static void send_model(coordinator *c, size_t from, const char *json, size_t size) {
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE];
    const hr_bytes model = {(uint8_t *)json, size};
    hr_released_sign(c->f->who[from], &c->start, &model, signature);
    released.model = hr_data_of(json, size);
    released.signature = hr_data_of(signature, sizeof signature);
    coordinator_feed(c, from, HEDGEROW__MESSAGE__KIND_RELEASED, &released);
}

static void coordinator_close(coordinator *c) {
    hr_protocol_free(c->machine);
    hr_message_unpacked_free(&c->terms->base);
    free(c->terms_bytes.at);
}

/* Anna's model is forged, Bert's is honest: the job ends with what is left. */
static void check_forgery(const test_members *f, const table *t, const hr_schema *other, size_t index) {
    const hr_job_file job = job_of("hedge", 1);
    coordinator c;
    char *honest = NULL, *json = NULL;
    forged it = {.model = released_by(t->data, &job, index), .other = other, .arena = hr_arena_new()};
    hr_model kept = *it.model;
    hr_schema *schema = it.model->schema;
    coordinator_open(&c, f, &job, t->schema);
    assert_int_equal(hr_model_render(it.model, &honest, NULL), HR_OK);
    forgeries[index].forge(&it);
    assert_int_equal(hr_model_render(it.model, &json, NULL), HR_OK);
    if (strlen(json) > HR_RELEASED_MAX) fail_msg("%s: too large for its test", forgeries[index].name);
    send_model(&c, ANNA, json, strlen(json));
    const char *why = forgeries[index].why;
    if (why ? !c.cut[0] || !strstr(c.cut, why) : c.cut[0] != 0)
        fail_msg("%s: '%s'", forgeries[index].name, c.cut);
    assert_false(c.finished);
    send_model(&c, BERT, honest, strlen(honest));
    assert_true(c.finished);
    assert_int_equal(hr_oneshot_model(c.machine, 0).size != 0, !why);
    assert_int_not_equal(hr_oneshot_model(c.machine, 1).size, 0);
    if (it.model->schema != schema) hr_schema_free(it.model->schema);
    *it.model = kept;
    hr_model_free(it.model);
    hr_arena_free(it.arena);
    hr_text_free(honest);
    hr_text_free(json);
    coordinator_close(&c);
}

static void test_average__refuses_models_that_no_sound_method_makes(void **state) {
    table t = table_of_steps(100, 3, 0, 5), other = table_of_steps(1, 4, 0, 5);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++)
        check_forgery(*state, &t, other.schema, i);
    table_close(&t);
    table_close(&other);
}

#define MANY "\"releases\": [{\"what\": \"x\", \"levels\": 1, \"draws\": [[262144]]},"
static void test_average__refuses_what_is_no_model(void **state) {
    table t = table_of_steps(100, 3, 0, 5);
    const hr_job_file job = job_of("hedge", 1);
    hr_model *model = released_by(t.data, &job, 1);
    char *json = render(model), *many = forge_model(json, &(forgery){"\"releases\": [", MANY, NULL, NULL});
    json[strlen(json) / 2] = '\0';
    const char *const rows[] = {json, "{}", "\xff\xff", "\1\1\1", "[[[[[[[[", many};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        coordinator c;
        coordinator_open(&c, *state, &job, t.schema);
        send_model(&c, ANNA, rows[i], strlen(rows[i]));
        assert_non_null(strstr(c.cut, rows[i] == many ? "releases, in a file of this size" : " "));
        coordinator_close(&c);
    }
    free(many);
    hr_text_free(json);
    hr_model_free(model);
    table_close(&t);
}

/* A model of more than two classes has leaves up to 2, one of log-odds up to 6: what honest owners send of
 * every task and method is taken. */
static void test_average__takes_the_models_of_all_private_methods(void **state) {
    for (size_t m = 0; m < hr_method_count(); m++)
        for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2)
            for (int loss = HR_LOSS_SQUARE; loss <= HR_LOSS_LOGISTIC; loss++) {
                const hr_method_info *info = hr_method_at(m);
                if (!info->is_private || (loss == HR_LOSS_LOGISTIC && strcmp(info->name, "hedge"))) continue;
                if (makes_no_plain_model(info->name)) continue;
                table t = table_of_steps(60, 3, classes, 5);
                hr_job_file job = job_of(info->name, 50);
                job.options.depth = 3;
                job.options.loss = (hr_loss)loss;
                coordinator c;
                coordinator_open(&c, *state, &job, t.schema);
                if (!hr_federated_average.check_terms(c.terms, t.schema, NULL)) {
                    char *json = NULL;
                    hr_model *model = released_by(t.data, &job, 3);
                    assert_int_equal(hr_model_render(model, &json, NULL), HR_OK);
                    send_model(&c, ANNA, json, strlen(json));
                    if (c.cut[0]) fail_msg("%s, %zu classes: %s", info->name, classes, c.cut);
                    hr_text_free(json);
                    hr_model_free(model);
                }
                coordinator_close(&c);
                table_close(&t);
            }
}

/* ---- Terms ---- */

static hr_status terms_status(const hr_schema *schema, const char *train, bool paper, double epsilon,
                              hr_error *err) {
    hr_job_file job = job_of("hedge", 1);
    hr_bytes bytes;
    Hedgerow__Terms *terms = terms_of_job(&job, schema, &bytes);
    Hedgerow__Terms changed = *terms;
    changed.train = hr_text_of(train);
    changed.paper = paper;
    changed.epsilon = epsilon;
    if (strcmp(train, "hedge") != 0) changed.n_settings = 0, changed.delta = 0;
    hr_status status = hr_federated_average.check_terms(&changed, schema, err);
    hr_message_unpacked_free(&terms->base);
    free(bytes.at);
    return status;
}

static void test_average__refuses_terms_that_pay_for_no_private_model(void **state) {
    (void)state;
    table t = table_of_steps(1, 3, 3, 5);
    hr_error err = {0};
    assert_int_equal(terms_status(t.schema, "hedge", false, 1, &err), HR_OK);
    assert_int_equal(terms_status(t.schema, "hedge", false, 1e-9, &err), HR_E_BUDGET);
    assert_int_equal(terms_status(t.schema, "dpboost", false, 1, &err), HR_OK);
    assert_int_equal(terms_status(t.schema, "dpboost", false, 1e-11, &err), HR_E_BUDGET);
    assert_int_equal(terms_status(t.schema, "dpboost", true, 1, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "the paper mode makes none"));
    assert_int_equal(terms_status(t.schema, "gbdt", false, 1, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "the method 'gbdt' makes none"));
    assert_int_equal(terms_status(t.schema, "nonesuch", false, 1, &err), HR_E_ARGUMENT);
    assert_int_equal(terms_status(t.schema, "average", false, 1, &err), HR_E_ARGUMENT);
    assert_int_equal(terms_status(t.schema, "dp-ert", false, 1, &err), HR_OK);
    table_close(&t);
}

/* A model that does not fit into its message would be paid for and lost. */
static void test_average__refuses_terms_whose_models_are_too_large(void **state) {
    (void)state;
    table t = table_of_steps(1, 3, 2, 5);
    hr_job_file job = job_of("dp-ert", 1);
    hr_bytes bytes;
    hr_error err = {0};
    job.options.trees = 100;
    Hedgerow__Terms *terms = terms_of_job(&job, t.schema, &bytes);
    assert_int_equal(hr_federated_average.check_terms(terms, t.schema, &err), HR_E_LIMIT);
    hr_message_unpacked_free(&terms->base);
    free(bytes.at);
    table_close(&t);
}

/* The other methods train themselves. */
static void test_average__alone_names_another_method(void **state) {
    (void)state;
    table t = table_of_steps(1, 3, 2, 5);
    hr_job_file job = job_of("hedge", 1);
    hr_bytes bytes;
    const hr_method *trained = NULL;
    Hedgerow__Terms *terms = terms_of_job(&job, t.schema, &bytes);
    assert_int_equal(hr_terms_trained(terms, &trained, NULL), HR_OK);
    assert_ptr_equal(trained, &hr_method_hedge);
    Hedgerow__Terms other = *terms;
    other.method = hr_text_of("hedge");
    assert_int_equal(hr_terms_trained(&other, &trained, NULL), HR_E_ARGUMENT);
    other.train = hr_text_of("");
    assert_int_equal(hr_terms_trained(&other, &trained, NULL), HR_OK);
    hr_message_unpacked_free(&terms->base);
    free(bytes.at);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average__is_the_mean_by_released_numbers_of_records),
        cmocka_unit_test(test_average__is_the_plain_mean_without_numbers_of_records),
        cmocka_unit_test(test_average__of_every_private_method_can_be_read),
        cmocka_unit_test(test_average__of_one_is_its_model),
        cmocka_unit_test_setup_teardown(test_average__that_cannot_be_read_is_not_written, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test(test_average__works_with_owners_without_records),
        cmocka_unit_test(test_average__owners_release_what_they_would_train_alone),
        WITH_TEST_MEMBERS(test_average__refuses_models_that_no_sound_method_makes),
        WITH_TEST_MEMBERS(test_average__refuses_what_is_no_model),
        WITH_TEST_MEMBERS(test_average__takes_the_models_of_all_private_methods),
        cmocka_unit_test(test_average__refuses_terms_that_pay_for_no_private_model),
        cmocka_unit_test(test_average__refuses_terms_whose_models_are_too_large),
        cmocka_unit_test(test_average__alone_names_another_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
