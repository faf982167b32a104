/* SimFL over owners (Li, Wen, He 2020): what an owner measures, hashes, adds up and trains, and the model
 * that the coordinator puts together. NOT PRIVATE: no budget pays for any of it. Nothing random is in it,
 * either: the planes of the hashes follow from the start of the job, so that work can be done again. */
#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/machines/simfl_exchange.h"
#include "methods/simfl/simfl_owner.h"
#include "privacy/crypto/csprng.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)HR_LSH_COINS == (int)HR_DIGEST_SIZE,
               "the digest of the start is the coins of the hashes");

enum { LABEL_UNIT = 1 << 20, NO_TREE = HR_SIMFL_TREES_MAX };

/* ---- Terms ---- */

static hr_status check_simfl_schema(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) != HR_TASK_MULTICLASS) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "choose a label that is a number or has two classes",
                   "simfl over owners trains no model of more than two classes");
}

static hr_status make_lsh(const hr_fit_options *options, const hr_schema *schema, const uint8_t *coins,
                          hr_lsh **out, hr_error *err) {
    const hr_lsh_setup setup = {.schema = schema,
                                .width = options->by_name[HR_OPTION_LSH_WIDTH],
                                .tables = (size_t)options->by_name[HR_OPTION_LSH_TABLES],
                                .range = options->by_name[HR_OPTION_LSH_RANGE],
                                .coins = coins};
    return hr_lsh_new(&setup, out, err);
}

static void bound_sums(hr_simfl_rules *rules, bool logistic, size_t records) {
    hr_packing packing;
    if (hr_exact_packing(logistic, records, &packing, NULL)) return; /* then all sums are 0 */
    rules->gradient_max = packing.gradient_bound;
    rules->weight_max = packing.weight_scale > 1 ? (int64_t)packing.weight_scale / 4 : 1;
}

static void bound_logistic_sums(hr_simfl_rules *rules, size_t records) {
    bound_sums(rules, true, records);
}

static void bound_square_sums(hr_simfl_rules *rules, size_t records) {
    bound_sums(rules, false, records);
}

static size_t trainer_of_tree(const hr_simfl_rules *rules, const uint32_t *rows, size_t owners, size_t tree) {
    const hr_simfl_order order = {rules->blocks ? HR_OWNER_ORDER_BLOCKS : HR_OWNER_ORDER_TURNS, rules->trees};
    return hr_simfl_owner_of_tree(&order, rows, owners, tree);
}

static hr_status read_simfl_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                                  hr_error *err) {
    static const uint8_t any[HR_LSH_COINS];
    hr_fit_options options;
    hr_lsh *lsh = NULL;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) status = make_lsh(&options, schema, any, &lsh, err);
    if (status) return status;
    const hr_link link = hr_boosting_link(&options, hr_schema_task(schema));
    *out = (hr_simfl_rules){.tables = hr_lsh_tables(lsh),
                            .trees = (size_t)options.trees,
                            .trainer = trainer_of_tree,
                            .blocks = options.by_name[HR_OPTION_ORDER] == HR_OWNER_ORDER_BLOCKS,
                            .classes = hr_schema_task(schema) != HR_TASK_REGRESSION,
                            .label_max = LABEL_UNIT,
                            .bound = link == HR_LINK_LOGISTIC ? bound_logistic_sums : bound_square_sums};
    hr_lsh_free(lsh);
    return HR_OK;
}

static hr_status check_simfl_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    hr_simfl_rules rules;
    if (!terms->paper)
        return hr_fail(err, HR_E_ARGUMENT, hr_federated_simfl.instead_sound, "%s",
                       hr_federated_simfl.no_sound);
    hr_status status = check_simfl_schema(schema, err);
    if (!status) status = read_simfl_rules(terms, schema, &rules, err);
    if (status || rules.trees <= HR_SIMFL_TREES_MAX) return status;
    return hr_fail(err, HR_E_LIMIT, "ask for fewer trees", "%zu trees, and simfl over owners has at most %d",
                   rules.trees, (int)HR_SIMFL_TREES_MAX);
}

static hr_status check_simfl_records(const hr_data *data, hr_error *err) {
    const size_t rows = hr_data_rows(data);
    if (rows && rows <= HR_SIMFL_ROWS_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "give a part of them", "the owner has %zu records, and in simfl 1 to %d",
                   rows, (int)HR_SIMFL_ROWS_MAX);
}

/* With the most tables that there may be: it is computed at every message. */
static size_t simfl_bytes_max(const Hedgerow__Terms *terms) {
    hr_fit_options options;
    if (hr_options_of_terms(terms, 1, &options, NULL)) return HR_MESSAGE_MAX;
    return hr_simfl_bytes_max(HR_LSH_TABLES_MAX, (size_t)options.trees);
}

static hr_status make_simfl_owner_machine(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    return hr_simfl_owner_machine(setup, read_simfl_rules, out, err);
}

static hr_status make_simfl_coordinator_machine(const hr_protocol_setup *setup, hr_protocol **out,
                                                hr_error *err) {
    return hr_simfl_coordinator_machine(setup, read_simfl_rules, out, err);
}

/* ---- An owner ---- */

/* What it keeps from one work to the next; all of it follows from the records and the machine. */
typedef struct simfl_keeper {
    hr_arena *arena;
    hr_csprng *csprng; /* the gate has one; nothing is drawn from it */
    hr_gate *gate;     /* without privacy */
    hr_fit_options options;
    hr_simfl_permits permits;
    hr_simfl_owner *owner; /* NULL: the numbers of records are not known yet */
    int16_t *hashes;       /* of its records; NULL: not made yet */
    bool matched[HR_MEMBERS_MAX];
    size_t rows;           /* its own */
    size_t added, trained; /* trees in its scores; the last one that it trained, or NO_TREE */
    size_t summed;         /* the tree whose gradients are in gradients and weights, or NO_TREE */
    size_t largest;        /* records of the owner that has most */
    int64_t *gradients, *weights;
    hr_noisy *noisy_gradients, *noisy_weights;
} simfl_keeper;

static void free_simfl(void *state) {
    simfl_keeper *k = state;
    if (!k) return;
    hr_simfl_owner_free(k->owner);
    hr_gate_free(k->gate);
    hr_csprng_close(k->csprng);
    hr_arena_free(k->arena);
    free(k->hashes);
    free(k->gradients);
    free(k->weights);
    free(k->noisy_gradients);
    free(k->noisy_weights);
    free(k);
}

static hr_status open_simfl_keeper(const hr_owner_turn *t, simfl_keeper **out, hr_error *err) {
    simfl_keeper *k = calloc(1, sizeof *k);
    if (!k) return hr_fail_memory(err);
    *t->job->state = *out = k;
    k->trained = k->summed = NO_TREE;
    k->rows = hr_data_rows(t->data);
    k->arena = hr_arena_new();
    hr_status status =
        k->arena ? hr_options_of_terms(t->job->terms, 1, &k->options, err) : hr_fail_memory(err);
    if (!status) status = hr_csprng_open(&k->csprng, err);
    if (!status) status = hr_gate_new(HR_PRIVACY_NONE, 0, k->csprng, &k->gate, err);
    return status ? status : hr_simfl_charge(k->gate, &k->permits, err);
}

static hr_status make_simfl_owner(const hr_owner_turn *t, simfl_keeper *k, const uint32_t *rows,
                                  size_t owners, hr_simfl_owner **out, hr_error *err) {
    const hr_simfl_setup setup = {.data = t->data,
                                  .options = &k->options,
                                  .gate = k->gate,
                                  .permits = k->permits,
                                  .arena = k->arena,
                                  .rows = rows,
                                  .owners = owners,
                                  .threads = t->threads};
    return hr_simfl_owner_new(&setup, out, err);
}

/* Alone: how sums of all owners are packed does not matter yet. */
static hr_status measure_simfl(const hr_owner_turn *t, simfl_keeper *k, hr_bytes *out, hr_error *err) {
    const uint32_t rows = (uint32_t)k->rows;
    hr_noisy sums[HR_SIMFL_SUMS];
    hr_simfl_owner *alone = NULL;
    hr_status status = check_simfl_records(t->data, err);
    if (!status) status = make_simfl_owner(t, k, &rows, 1, &alone, err);
    if (!status) status = hr_simfl_owner_label_sums(alone, sums, err);
    hr_simfl_owner_free(alone);
    if (status) return status;
    const int64_t wire[HR_SIMFL_SUMS] = {sums[0].paid, sums[1].paid};
    return hr_simfl_pack_size(rows, wire, out, err);
}

static hr_status allocate_numbers(simfl_keeper *k, const hr_simfl_state *s, hr_error *err) {
    for (size_t i = 0; i < s->owner_count; i++)
        if (s->rows[i] > k->largest) k->largest = s->rows[i];
    k->gradients = malloc(k->largest * sizeof *k->gradients);
    k->weights = malloc(k->largest * sizeof *k->weights);
    k->noisy_gradients = malloc(k->largest * sizeof *k->noisy_gradients);
    k->noisy_weights = malloc(k->largest * sizeof *k->noisy_weights);
    return k->gradients && k->weights && k->noisy_gradients && k->noisy_weights ? HR_OK : hr_fail_memory(err);
}

static void label_sums_of(const hr_simfl_state *s, hr_noisy sums[HR_SIMFL_SUMS]) {
    for (size_t i = 0; i < HR_SIMFL_SUMS; i++) sums[i] = hr_noisy_of_answers((uint64_t)s->sums[i]);
}

/* The owner with its base score, once all numbers of records are known. */
static hr_status begin_simfl_owner(const hr_owner_turn *t, simfl_keeper *k, hr_error *err) {
    hr_simfl_state s;
    hr_noisy sums[HR_SIMFL_SUMS];
    double base;
    hr_simfl_state_of(t->job->protocol, &s);
    if (k->rows != s.rows[hr_simfl_self(t->job->protocol)])
        return hr_fail(err, HR_E_FORMAT, "offer the job anew", "the owner's records changed during the job");
    label_sums_of(&s, sums);
    hr_status status = allocate_numbers(k, &s, err);
    if (!status) status = make_simfl_owner(t, k, s.rows, s.owner_count, &k->owner, err);
    return status ? status : hr_simfl_owner_set_base(k->owner, sums, &base, err);
}

/* ---- Hashes ---- */

static hr_status hash_own_records(const hr_owner_turn *t, simfl_keeper *k, hr_error *err) {
    hr_simfl_state s;
    hr_lsh *lsh = NULL;
    if (k->hashes) return HR_OK;
    hr_simfl_state_of(t->job->protocol, &s);
    k->hashes = malloc(k->rows * s.rules.tables * sizeof *k->hashes);
    if (!k->hashes) return hr_fail_memory(err);
    hr_status status = make_lsh(&k->options, hr_data_schema(t->data), s.start->bytes, &lsh, err);
    if (!status) status = hr_lsh_hash(lsh, t->data, t->threads, k->hashes, err);
    hr_lsh_free(lsh);
    return status;
}

static hr_status match_simfl_owner(const hr_owner_turn *t, simfl_keeper *k, size_t other, hr_error *err) {
    hr_simfl_state s;
    if (k->matched[other]) return HR_OK;
    hr_simfl_state_of(t->job->protocol, &s);
    const hr_hashes own = {k->hashes, k->rows, s.rules.tables},
                    among = {hr_simfl_hashes(t->job->protocol, other), s.rows[other], s.rules.tables};
    uint32_t *similar = malloc(k->rows * sizeof *similar);
    const uint64_t coins = hr_similar_coins(s.start->bytes, hr_simfl_self(t->job->protocol), other);
    hr_status status =
        similar ? hr_similar(&own, &among, coins, t->threads, similar, err) : hr_fail_memory(err);
    if (!status) status = hr_simfl_owner_match(k->owner, other, similar, err);
    free(similar);
    k->matched[other] = !status;
    return status;
}

/* ---- Trees ---- */

/* The trees that the coordinator has passed on; a tree that was trained in this process is in the scores. */
static hr_status add_simfl_trees(const hr_owner_turn *t, simfl_keeper *k, hr_error *err) {
    hr_simfl_state s;
    hr_status status = HR_OK;
    hr_simfl_state_of(t->job->protocol, &s);
    for (; !status && k->added < s.tree_count; k->added++)
        if (k->added != k->trained) status = hr_simfl_owner_add(k->owner, &s.trees[k->added], err);
    return status;
}

/* Once for all pieces. */
static hr_status add_up_gradients(const hr_owner_turn *t, simfl_keeper *k, const hr_simfl_work *work,
                                  hr_error *err) {
    hr_simfl_state s;
    hr_simfl_state_of(t->job->protocol, &s);
    if (k->summed == work->tree) return HR_OK;
    hr_status status = hash_own_records(t, k, err);
    if (!status) status = match_simfl_owner(t, k, work->trainer, err);
    if (!status) status = add_simfl_trees(t, k, err);
    if (!status)
        status = hr_simfl_owner_gradients(k->owner, work->trainer, k->noisy_gradients, k->noisy_weights, err);
    if (status) return status;
    for (size_t i = 0; i < s.rows[work->trainer]; i++) {
        k->gradients[i] = k->noisy_gradients[i].paid;
        k->weights[i] = k->noisy_weights[i].paid;
    }
    k->summed = work->tree;
    return HR_OK;
}

static hr_status pack_simfl_gradients(const hr_owner_turn *t, simfl_keeper *k, hr_bytes *out, hr_error *err) {
    const hr_simfl_work work = hr_simfl_work_of(t->job->protocol);
    hr_status status = add_up_gradients(t, k, &work, err);
    return status ? status : hr_simfl_pack_gradients(t->job->protocol, k->gradients, k->weights, out, err);
}

static hr_status receive_gradients(const hr_owner_turn *t, simfl_keeper *k, size_t other, hr_error *err) {
    const int64_t *gradients, *weights;
    hr_simfl_received(t->job->protocol, other, &gradients, &weights);
    for (size_t i = 0; i < k->rows; i++) {
        k->noisy_gradients[i] = hr_noisy_of_answers((uint64_t)gradients[i]);
        k->noisy_weights[i] = hr_noisy_of_answers((uint64_t)weights[i]);
    }
    return hr_simfl_owner_receive(k->owner, other, k->noisy_gradients, k->noisy_weights, err);
}

static hr_status train_simfl_tree(const hr_owner_turn *t, simfl_keeper *k, hr_bytes *out, hr_error *err) {
    const hr_simfl_work work = hr_simfl_work_of(t->job->protocol);
    hr_simfl_state s;
    hr_tree tree;
    hr_simfl_state_of(t->job->protocol, &s);
    hr_job_log(t->work, t->job->record, HR_LOG_INFO, "trains tree %zu of %zu", work.tree + 1, s.rules.trees);
    hr_status status = add_simfl_trees(t, k, err);
    for (size_t i = 0; !status && i < s.owner_count; i++)
        if (i != work.trainer) status = receive_gradients(t, k, i, err);
    if (!status) status = hr_simfl_owner_train(k->owner, &tree, err);
    k->trained = work.tree;
    return status ? status : hr_simfl_pack_tree(t->job->protocol, &tree, out, err);
}

/* ---- Work ---- */

static hr_status do_simfl_task(const hr_owner_turn *t, simfl_keeper *k, hr_bytes *out, hr_error *err) {
    const hr_simfl_work work = hr_simfl_work_of(t->job->protocol);
    if (work.task == HR_SIMFL_MEASURE) return measure_simfl(t, k, out, err);
    hr_status status = k->owner ? HR_OK : begin_simfl_owner(t, k, err);
    if (status) return status;
    if (work.task == HR_SIMFL_GRADIENTS) return pack_simfl_gradients(t, k, out, err);
    if (work.task == HR_SIMFL_TRAIN) return train_simfl_tree(t, k, out, err);
    status = hash_own_records(t, k, err);
    return status ? status : hr_simfl_pack_hashes(t->job->protocol, k->hashes, out, err);
}

/* What is half done is forgotten: work that is done again begins anew. */
static hr_status do_simfl_work(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    simfl_keeper *k = *t->job->state;
    hr_status status = k ? HR_OK : open_simfl_keeper(t, &k, err);
    if (!status) status = do_simfl_task(t, k, out, err);
    if (!status) return HR_OK;
    free_simfl(k);
    *t->job->state = NULL;
    return status;
}

/* ---- The model ---- */

/* What was released exactly, once for all owners and trees. */
static hr_status list_simfl_releases(hr_joint_model *m, hr_error *err) {
    hr_simfl_permits permits;
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_status status = hr_csprng_open(&csprng, err);
    if (!status) status = hr_gate_new(HR_PRIVACY_NONE, 0, csprng, &gate, err);
    if (!status) status = hr_simfl_charge(gate, &permits, err);
    const hr_release *releases = status ? NULL : hr_gate_releases(gate, &m->release_count);
    if (!status) m->releases = hr_arena_alloc(m->arena, m->release_count + 1, sizeof *m->releases);
    if (!status && !m->releases) status = hr_fail_memory(err);
    for (size_t i = 0; !status && i < m->release_count; i++) m->releases[i] = releases[i];
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    return status;
}

static hr_status plant_simfl(const hr_job_view *job, const hr_simfl_state *s, hr_joint_model *m,
                             hr_error *err) {
    hr_noisy sums[HR_SIMFL_SUMS];
    hr_fit_options options;
    hr_status status = hr_options_of_terms(job->terms, 1, &options, err);
    if (status) return status;
    label_sums_of(s, sums);
    double rows = 0;
    for (size_t i = 0; i < s->owner_count; i++) rows += s->rows[i];
    m->forest =
        (hr_forest){.link = hr_boosting_link(&options, hr_schema_task(job->schema)), .output_count = 1};
    m->forest.base = hr_arena_alloc(m->arena, 1, sizeof *m->forest.base);
    m->forest.trees = hr_arena_alloc(m->arena, s->tree_count, sizeof *m->forest.trees);
    if (!m->forest.base || !m->forest.trees) return hr_fail_memory(err);
    hr_exact_base(sums, rows, &m->forest);
    for (size_t i = 0; !status && i < s->tree_count; i++)
        status = hr_tree_copy(&s->trees[i], m->arena, &m->forest.trees[m->forest.tree_count++], err);
    return status;
}

static hr_status assemble_simfl(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    hr_simfl_state s;
    hr_simfl_state_of(job->protocol, &s);
    hr_settings_add_count(&m->settings, HR_OWNERS_SETTING, s.owner_count);
    hr_status status = list_simfl_releases(m, err);
    return status ? status : plant_simfl(job, &s, m, err);
}

static void find_simfl_tree(const hr_job_view *job, hr_job_position *out) {
    hr_simfl_state s;
    *out = (hr_job_position){.unit = "tree"};
    hr_simfl_state_of(job->protocol, &s);
    if (!s.owner_count) return;
    out->step = s.tree_count < s.rules.trees ? s.tree_count + 1 : s.rules.trees;
}

static const hr_left_out simfl_left_out[] = {{"owners", "remove it: every owner has its own records"},
                                             {"theta", "remove it: every owner has its own records"},
                                             {0}};

static const hr_job_machines simfl_machines = {
    .owner = make_simfl_owner_machine, .coordinator = make_simfl_coordinator_machine, .part = hr_simfl_part};
static const hr_unprotected_job simfl_work = {.work = do_simfl_work, .check_records = check_simfl_records};

const hr_federated_method hr_federated_simfl = {
    .method = &hr_method_simfl,
    .machines = &simfl_machines,
    .no_sound =
        "simfl over owners has no mode sound: its hashes and gradients go from owner to owner as they are",
    .instead_sound = "write 'method: hedge', which has a guarantee over owners, or 'mode: paper', whose "
                     "model has none",
    .left_out = simfl_left_out,
    .check_schema = check_simfl_schema,
    .check_terms = check_simfl_terms,
    .unprotected = &simfl_work,
    .bytes_max = simfl_bytes_max,
    .round = find_simfl_tree,
    .free_state = free_simfl,
    .assemble = assemble_simfl,
};
