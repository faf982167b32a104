/* The average of models that owners trained alone: each trains one private model on its own records and
 * releases it; the coordinator averages their scores, weighted by the noisy numbers of records that the
 * models release. The records are not used after that, so the average costs nothing beyond the models
 * (federated_average.proof.md). */
#include "base/fail.h"
#include "base/text/number.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/machines/oneshot.h"
#include "fit/budget.h"
#include "fit/paid.h"
#include "fit/settings.h"
#include "models/model/model.h"
#include "tables/schema/schema.h"
#include "trees/records/local_source.h"
#include "trees/tree/link.h"
#include "trees/tree/tree_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one released model. */
enum { TREES_MAX = 1 << 16, NODES_MAX = 1 << 19, RELEASES_MAX = 1 << 18 };

static hr_status trained_budget(const Hedgerow__Terms *terms, hr_fit_options *options,
                                const hr_method **trained, hr_budget *out, hr_error *err) {
    hr_status status = hr_terms_trained(terms, trained, err);
    if (!status) status = hr_options_of_terms(terms, 1, options, err);
    return status ? status : hr_budget_of(*trained, options, out, err);
}

/* ---- Terms ---- */

static hr_status check_average_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    const hr_method *trained = NULL;
    hr_fit_options options;
    hr_budget budget;
    hr_status status = trained_budget(terms, &options, &trained, &budget, err);
    if (status) return status;

    /* A model that does not fit into its message would be paid for and lost. Two-way trees of that depth,
     * with all their nodes: what a method writes of one takes less. */
    enum { NODE = 32 };
    const hr_fit_facts facts = {.schema = schema};
    hr_option_info option;
    bool deep = false;
    for (size_t i = 0; hr_method_option(&trained->info, i, &option); i++)
        deep = deep || !strcmp(option.name, "trees");
    double trees = (double)options.trees * (double)hr_facts_outputs(&facts),
           bytes = trees * ldexp(2, (int)options.depth) * NODE;
    if (deep && !(bytes <= HR_RELEASED_MAX))
        status =
            hr_fail(err, HR_E_LIMIT, "train fewer trees, or trees of less depth",
                    "%.0f trees of depth %d may take %.1f MB, and a model of an average has at most %.1f",
                    trees, (int)options.depth, bytes / 1e6, HR_RELEASED_MAX / 1e6);
    return status ? status : hr_budget_check(trained, &options, schema, 1, &budget, err);
}

/* ---- The plan ---- */

/* Bytes of packets beside their messages, and of what a model has once; of a leaf with its split, and of a
 * tree's releases. */
enum { PACKETS = 2000, MODEL_HEAD = 8000, LEAF_BYTES = 100, TREE_BYTES = 600 };

/* What each owner would do alone with its part of the records. The noise of their models is independent. */
static hr_status plan_average(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    const hr_method *trained = NULL;
    hr_fit_options options;
    hr_budget budget;
    hr_status status = check_average_terms(job->terms, job->schema, err);
    if (!status) status = trained_budget(job->terms, &options, &trained, &budget, err);
    if (status) return status;
    if (!trained->plan)
        return hr_fail(err, HR_E_ARGUMENT, "an average of models by hedge has a plan",
                       "the method %s, which each owner trains alone, has no plan", trained->info.name);
    const hr_fit_facts facts = {.schema = job->schema};
    out->coalition = out->honest = 0;
    out->plan.epsilon = budget.epsilon;
    out->plan.delta = budget.delta;
    out->plan.records = fmax(job->records / (double)out->owners, 1);
    trained->plan(&options, job->schema, budget.privacy_measure, budget.units, &out->plan);
    out->plan.records = job->records;
    out->plan.prediction_noise /= sqrt((double)out->owners);
    const hr_plan_info *plan = &out->plan;
    int depth = plan->depth_pair > plan->depth_all ? plan->depth_pair : plan->depth_all;
    double owners = (double)out->owners, outputs = (double)hr_facts_outputs(&facts),
           tree = ldexp(LEAF_BYTES, depth) * outputs + TREE_BYTES;
    out->owner_sends = PACKETS + MODEL_HEAD + (double)plan->rounds * tree;
    out->owner_receives =
        PACKETS + owners * HR_SIGNATURE_SIZE + (double)protobuf_c_message_get_packed_size(&job->terms->base);
    out->coordinator_sends = owners * out->owner_receives;
    out->coordinator_receives = owners * out->owner_sends;
    return HR_OK;
}

/* ---- An owner: one model ---- */

/* The model of one owner, as `train` makes it of such a table. */
typedef struct released {
    const hr_owner_turn *turn;
    const hr_method *method;
    hr_budget budget;
    hr_training training;
    hr_model *model;
} released;

static hr_status make_released(released *r, hr_error *err) {
    const hr_owner_turn *t = r->turn;
    char text[HR_NUMBER_TEXT];
    hr_settings settings = {.arena = r->training.arena};
    hr_model parts = {.method = r->method->info.name,
                      .schema = (hr_schema *)hr_data_schema(t->data),
                      .arena = r->training.arena,
                      .forest = r->training.forest,
                      .privacy_measure = r->budget.privacy_measure};
    hr_settings_add_options(&settings, r->method, &t->options);
    if (r->training.records > 0) {
        hr_number_text(r->training.records, text);
        hr_settings_add(&settings, HR_RECORDS_SETTING, text);
    }
    if (settings.incomplete) return hr_fail_memory(err);
    hr_guarantee_of(r->budget.units, r->budget.privacy_measure, r->budget.delta, &parts.guarantee);
    parts.guarantee.statement = r->method->info.sound;
    parts.settings = settings.items;
    parts.setting_count = settings.count;
    parts.releases = (hr_release *)hr_gate_releases(t->gate, &parts.release_count);
    hr_status status = hr_model_make(&parts, &r->model, err);
    r->training.arena = parts.arena;
    return status ? status : hr_paid_check(&hr_paid_model, r->model, r->turn->unread, err);
}

static hr_status pack_released(const released *r, hr_bytes *out, hr_error *err) {
    char *json = NULL;
    hr_status status = hr_model_render(r->model, &json, err);
    size_t size = status ? 0 : strlen(json);
    if (size > HR_RELEASED_MAX)
        status =
            hr_fail(err, HR_E_LIMIT, "train fewer trees, or trees of less depth",
                    "the model has %zu bytes, and one of an average at most %d", size, (int)HR_RELEASED_MAX);
    if (!status) status = hr_bytes_copy(json, size, out, err);
    hr_text_free(json);
    return status;
}

static hr_status train_average(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    released r = {.turn = t};
    hr_fit_options options;
    hr_status status = trained_budget(t->job->terms, &options, &r.method, &r.budget, err);
    if (status) return status;
    hr_job_log(t->work, t->job->record, HR_LOG_INFO, "trains a model alone, with %s", r.method->info.name);
    const hr_local_stats_records records = {
        .data = t->data, .csprng = hr_gate_csprng(t->gate), .threads = t->threads};
    r.training = (hr_training){.data = t->data,
                               .options = &t->options,
                               .gate = t->gate,
                               .threads = records.threads,
                               .arena = hr_arena_new()};
    status = r.training.arena ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_local_stats_source_new(&records, &r.training.source, err);
    if (!status) status = r.method->train(&r.training, err);
    if (!status) status = make_released(&r, err);
    if (!status) status = pack_released(&r, out, err);
    hr_model_free(r.model);
    hr_stats_free(r.training.source);
    hr_arena_free(r.training.arena);
    return status;
}

/* ---- The coordinator: what it takes ---- */

static hr_status refuse_released(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "a model %s", why);
}

/* The largest start, and the largest leaf, of a sound method's scores: labels are mapped to [-1, 1], a step
 * of a class is twice one of a number, and one of log-odds at most 6. */
static const double score_max[] = {
    [HR_LINK_NUMBER] = 1, [HR_LINK_SIGNED] = 2, [HR_LINK_LOGISTIC] = 6, [HR_LINK_LOG] = 10};

static hr_status check_forest(const hr_model *model, hr_link link, hr_error *err) {
    const hr_forest *forest = &model->forest;
    const hr_fit_facts facts = {.schema = model->schema};
    double most = score_max[link];
    size_t nodes = 0;
    if (forest->link != link || forest->output_count != hr_facts_outputs(&facts))
        return refuse_released("with other scores than the job's", err);
    for (size_t k = 0; k < forest->output_count; k++)
        if (!(fabs(forest->base[k]) <= most)) return refuse_released("with a base score out of bounds", err);
    for (size_t t = 0; t < forest->tree_count; t++) nodes += forest->trees[t].node_count;
    if (forest->tree_count > TREES_MAX || nodes > NODES_MAX)
        return refuse_released("of too many trees or nodes", err);
    if (model->release_count > RELEASES_MAX) return refuse_released("of too many releases", err);

    const hr_tree_limits limits = {
        .schema = model->schema, .depth_max = HR_TREE_DEPTH_MAX, .value_max = most};
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < forest->tree_count; t++) {
        hr_tree_fault fault;
        status = hr_tree_check(&forest->trees[t], &limits, &fault, err);
        if (fault.what)
            status = hr_fail(err, HR_E_POLICY, "", "a model with a tree at whose node %zu %s", fault.node,
                             fault.what);
    }
    return status;
}

/* What it lists: by its reader, every release justifies its cost. */
static hr_status check_spent(const hr_model *model, const hr_budget *budget, hr_error *err) {
    hr_units total = 0;
    if (!model->guarantee.is_private || model->privacy_measure != budget->privacy_measure)
        return refuse_released("without the job's guarantee", err);
    for (size_t i = 0; i < model->release_count; i++)
        if (model->releases[i].owner || model->releases[i].shares)
            return refuse_released("with releases of other owners", err);
    if (hr_model_records(model) > UINT32_MAX)
        return refuse_released("of more records than a table can have", err);
    hr_status status = hr_account(model->releases, model->release_count, &total, err);
    if (status) return status;
    return total > budget->units ? refuse_released("that cost more than the job allows", err) : HR_OK;
}

static hr_status read_released(const hr_bytes *bytes, hr_model **out, hr_error *err) {
    return hr_model_parse_sent((const char *)bytes->at, bytes->size, "the model", out, err);
}

static hr_status check_released(const Hedgerow__Terms *terms, const hr_schema *schema, const hr_bytes *bytes,
                                hr_error *err) {
    const hr_method *trained = NULL;
    hr_fit_options options;
    hr_budget budget;
    hr_model *model = NULL;
    hr_status status = trained_budget(terms, &options, &trained, &budget, err);
    if (!status) status = read_released(bytes, &model, err);
    if (status) return status;
    if (strcmp(model->method, trained->info.name) || model->mode != HR_MODE_SOUND || model->start_model)
        status = refuse_released("that is not what the job trains", err);
    else if (!hr_schema_same(model->schema, schema))
        status = refuse_released("of another schema than the job's", err);
    if (!status) status = check_spent(model, &budget, err);

    /* Forests can be added up only if their values mean the same. */
    const hr_task task = hr_schema_task(schema);
    const hr_link without = task == HR_TASK_REGRESSION ? HR_LINK_NUMBER : HR_LINK_SIGNED,
                  link = trained->link ? trained->link(&options, task) : without;
    if (!status) status = check_forest(model, link, err);
    hr_model_free(model);
    return status;
}

static hr_status average_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    return hr_oneshot_coordinator(setup, check_released, out, err);
}

/* ---- The average ---- */

typedef struct average {
    hr_joint_model *joint;
    hr_model *models[HR_MEMBERS_MAX];                     /* by owner of the start; NULL: it has none */
    double weights[HR_MEMBERS_MAX];                       /* they add up to 1 */
    size_t owner_count, count, tree_count, release_count; /* count: of models, as tree_count and so on */
} average;

/* By the noisy numbers of records, where every model has released its own; else all alike. */
static void weigh_models(average *a) {
    double sum = 0;
    bool counted = true;
    for (size_t i = 0; i < a->owner_count; i++)
        counted = counted && (!a->models[i] || hr_model_records(a->models[i]) > 0);
    for (size_t i = 0; i < a->owner_count; i++) {
        if (a->models[i]) a->weights[i] = counted ? hr_model_records(a->models[i]) : 1;
        sum += a->weights[i];
    }
    for (size_t i = 0; i < a->owner_count; i++) a->weights[i] /= sum;
}

static hr_status add_model(average *a, size_t owner, hr_error *err) {
    hr_joint_model *m = a->joint;
    hr_forest *to = &m->forest;
    const hr_model *model = a->models[owner];
    const hr_forest *from = &model->forest;
    const double weight = a->weights[owner];
    for (size_t k = 0; k < from->output_count; k++) to->base[k] += weight * from->base[k];
    for (size_t t = 0; t < from->tree_count; t++) {
        hr_tree *tree = &to->trees[to->tree_count];
        hr_status status = hr_tree_copy(&from->trees[t], m->arena, tree, err);
        if (status) return status;
        tree->output = from->trees[t].output;
        for (size_t n = 0; n < tree->node_count; n++)
            if (!tree->nodes[n].left) tree->nodes[n].value *= weight;
        to->tree_count++;
    }

    /* A model without a correction counts as one that corrects nothing. */
    const hr_calibration *made = &from->calibration;
    to->calibration.made = to->calibration.made || made->made;
    to->calibration.intercept += weight * (made->made ? made->intercept : 0);
    to->calibration.slope += weight * (made->made ? made->slope : 1);

    for (size_t i = 0; i < model->release_count; i++) {
        hr_release *line = &m->releases[m->release_count];
        *line = model->releases[i];
        line->owner = owner + 1;
        line->what = hr_arena_text(m->arena, line->what, strlen(line->what));
        if (!line->what) return hr_fail_memory(err);
        m->release_count++;
    }
    return HR_OK;
}

static hr_status add_models(average *a, hr_error *err) {
    hr_joint_model *m = a->joint;
    size_t first = 0;
    while (!a->models[first]) first++;
    const hr_forest *one = &a->models[first]->forest;
    m->forest = (hr_forest){.link = one->link, .output_count = one->output_count};
    m->forest.base = hr_arena_alloc(m->arena, one->output_count, sizeof *m->forest.base);
    m->forest.trees = hr_arena_alloc(m->arena, a->tree_count + 1, sizeof *m->forest.trees);
    m->releases = hr_arena_alloc(m->arena, a->release_count + 1, sizeof *m->releases);
    if (!m->forest.base || !m->forest.trees || !m->releases) return hr_fail_memory(err);
    for (size_t k = 0; k < one->output_count; k++) m->forest.base[k] = 0;

    weigh_models(a);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < a->owner_count; i++)
        if (a->models[i]) status = add_model(a, i, err);

    /* Weights are rounded, and so are their sums. */
    hr_calibration *c = &m->forest.calibration;
    c->intercept = fmin(fmax(c->intercept, -HR_INTERCEPT_MAX), HR_INTERCEPT_MAX);
    c->slope = fmin(fmax(c->slope, HR_SLOPE_MIN), HR_SLOPE_MAX);
    return status;
}

static hr_status assemble_average(const hr_job_view *job, hr_joint_model *joint, hr_error *err) {
    average a = {.joint = joint};
    const hr_method *trained = NULL;
    hr_status status = hr_terms_trained(job->terms, &trained, err);
    a.owner_count = status ? 0 : hr_oneshot_owners(job->protocol);
    for (size_t i = 0; !status && i < a.owner_count; i++) {
        const hr_bytes bytes = hr_oneshot_model(job->protocol, i);
        if (!bytes.size) continue;
        status = read_released(&bytes, &a.models[i], err);
        if (status) break;
        a.count++;
        a.tree_count += a.models[i]->forest.tree_count;
        a.release_count += a.models[i]->release_count;
    }
    if (!status) status = add_models(&a, err);
    for (size_t i = 0; i < a.owner_count; i++) hr_model_free(a.models[i]);
    if (status) return status;
    hr_settings_add_count(&joint->settings, HR_OWNERS_SETTING, a.count);
    hr_settings_add(&joint->settings, HR_JOB_SETTING("train"), trained->info.name);
    return HR_OK;
}

/* ---- The method ---- */

/* Only its name and its description: what it trains is another method. */
static const hr_method average_method = {
    .info = {.name = HR_METHOD_AVERAGE,
             .summary = "the average of models that owners trained alone",
             .paper = "a method of this project (docs/how-to/federation.md)",
             .is_private = true,
             .sound = "Each owner trains a model alone, on its own records, and releases it once; the models "
                      "are averaged, which asks nothing more of any record.",
             .flaws = ""}};

static const hr_job_machines average_machines = {
    .owner = hr_oneshot_owner, .coordinator = average_coordinator, .part = hr_oneshot_part};
static const hr_turn_job average_turns = {.train = train_average};

const hr_federated_method hr_federated_average = {
    .method = &average_method,
    .machines = &average_machines,
    .averages = true,
    .check_terms = check_average_terms,
    .plan = plan_average,
    .turns = &average_turns,
    .assemble = assemble_average,
};
