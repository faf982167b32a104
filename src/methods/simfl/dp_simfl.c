/* dp-simfl: SimFL with a proof. Owners train trees in turn, each on its own records, weighted so that they
 * stand for the records of all owners. What SimFL (Li, Wen, He: Practical Federated Gradient Boosting
 * Decision Trees. AAAI 2020) takes from the hashes of single records, and from their gradients, is taken from
 * noisy counts here: each owner releases once how many of its records are in each region of public random
 * partitions (methods/simfl/regions.h). No gradient, label or hash of a record leaves its owner.
 *
 * An owner's weights are estimated ratios of densities, from released counts alone; its trees are those of
 * seq with weighted gradients (single_tree.c). Owners are the parts of one group: a record pays for the
 * counts and the trees of its own owner. The theorem is dp_simfl.proof.md. All owners are in this process.
 */
#include "base/fail.h"
#include "methods/boosting/single_tree.h"
#include "methods/simfl/owned_records.h"
#include "privacy/crypto/csprng.h"
#include "privacy/noise.h"
#include "privacy/promise_words.h"
#include "privacy/sensitivity.h"
#include "trees/records/timed_source.h"
#include "trees/similar/lsh.h"

#include <stdlib.h>

/* Of a table. */
enum { REGIONS = 64 };

typedef struct dp_simfl {
    hr_training *training;
    const hr_fit_options *options;
    size_t owners, tables;
    int64_t weight_max;
    hr_regions *regions; /* NULL: no weights */
    hr_owned_records *records;
    hr_noisy *counts; /* released: owner by owner, table by table */
    hr_units table_cost;
} dp_simfl;

static size_t by_name(const hr_fit_options *options, hr_option option) {
    return (size_t)options->by_name[option];
}

/* Trees that an owner trains: owner o the trees o, o + owners, ... */
static size_t trees_of_owner(const hr_fit_options *options, size_t owner) {
    size_t trees = (size_t)options->trees, owners = by_name(options, HR_OPTION_OWNERS);
    return (trees + owners - 1 - owner) / owners;
}

/* What the counts of one table cost an owner, of what the bins left. */
static hr_units cost_of_table(const hr_fit_options *options, hr_units budget) {
    return hr_units_share(budget, options->by_name[HR_OPTION_WEIGHT_SHARE]) /
           by_name(options, HR_OPTION_LSH_TABLES);
}

static bool has_weights(const hr_fit_options *options) {
    return options->by_name[HR_OPTION_WEIGHT_MAX] > 1;
}

/* What all tables leave for an owner's trees. */
static hr_units tree_budget(const hr_fit_options *options, hr_units budget) {
    if (!has_weights(options)) return budget;
    return budget - cost_of_table(options, budget) * by_name(options, HR_OPTION_LSH_TABLES);
}

/* ---- Weights ---- */

/* Planes are drawn from public coins: 64 bits that nothing else is drawn from. They are drawn before the
 * first release, because coins decide whether hashes of this width have room. */
static hr_status draw_regions(dp_simfl *s, hr_error *err) {
    uint8_t coins[HR_LSH_COINS];
    hr_csprng *public_coins = NULL;
    hr_status status =
        hr_csprng_open_seeded(hr_csprng_u64(hr_gate_csprng(s->training->gate)), &public_coins, err);
    if (status) return status;
    hr_csprng_bytes(public_coins, coins, sizeof coins);
    hr_csprng_close(public_coins);
    const hr_regions_setup setup = {.schema = hr_data_schema(s->training->data),
                                    .tables = s->tables,
                                    .count = REGIONS,
                                    .width = s->options->by_name[HR_OPTION_LSH_WIDTH],
                                    .coins = coins};
    status = hr_regions_new(&setup, &s->regions, err);
    return status == HR_E_ARGUMENT ? hr_fail_at(err, status, NULL, 0, 0, "lsh-width") : status;
}

static size_t counts_of_all(const hr_fit_options *options) {
    return by_name(options, HR_OPTION_OWNERS) * by_name(options, HR_OPTION_LSH_TABLES) * REGIONS;
}

/* A record of the owner is in one region of each table, and pays for each. */
static hr_status release_counts(dp_simfl *s, size_t owner, const hr_exact *exact, hr_error *err) {
    const hr_release_scope scope = {.tree = -1, .group = s->training->next_group, .part = owner};
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < s->tables; t++) {
        hr_charge charge = hr_scope_charge(&scope, "region counts", -1, s->table_cost, HR_RECORD_SENSITIVITY);
        const size_t first = (owner * s->tables + t) * REGIONS;
        status =
            hr_gate_release_sums(s->training->gate, &charge, exact + first, REGIONS, s->counts + first, err);
    }
    return status;
}

static hr_status weigh_records(dp_simfl *s, hr_error *err) {
    hr_exact *exact = malloc(counts_of_all(s->options) * sizeof *exact);
    s->counts = malloc(counts_of_all(s->options) * sizeof *s->counts);
    hr_status status = exact && s->counts ? hr_owned_records_locate(s->records, s->regions, s->tables, err)
                                          : hr_fail_memory(err);
    if (!status) hr_owned_records_count(s->records, REGIONS, exact);
    for (size_t owner = 0; !status && owner < s->owners; owner++)
        status = release_counts(s, owner, exact, err);
    free(exact);
    if (status) return status;
    const hr_region_counts released = {.owners = s->owners,
                                       .tables = s->tables,
                                       .count = REGIONS,
                                       .counts = s->counts,
                                       .deviation =
                                           hr_noise_deviation(hr_gate_privacy_measure(s->training->gate),
                                                              s->table_cost, HR_RECORD_SENSITIVITY)};
    return hr_owned_records_weigh(s->records, &released, s->weight_max, err);
}

/* ---- Trees ---- */

/* The trees of one turn: one, or one a class; those see the same records. */
static hr_status train_turn(const dp_simfl *s, hr_boosting *b, size_t t, hr_units budget, hr_error *err) {
    size_t owner = t % s->owners, first = b->training->forest.tree_count;
    hr_units cost = budget / trees_of_owner(s->options, owner) / b->outputs;
    hr_status status = HR_OK;
    for (size_t k = 0; !status && k < b->outputs; k++) {
        hr_single_tree tree = {.scope = {(int64_t)t, b->training->next_group, owner, cost}, .output = k};
        status = hr_single_tree_sound(b, &tree, err);
    }
    return status ? status : hr_boosting_add_trees(b, first, err);
}

static hr_status train_turns(const dp_simfl *s, hr_boosting *b, hr_units budget, hr_error *err) {
    size_t trees = (size_t)s->options->trees;
    hr_status status = hr_single_tree_pack(b, s->weight_max, err);
    if (!status) status = hr_owned_records_share_out(s->records, b->source, err);
    for (size_t t = 0; !status && t < trees; t++) {
        status = train_turn(s, b, t, budget, err);
        if (!status) status = hr_training_progress(b->training, t + 1, trees, err);
    }
    return status;
}

/* A source of its own: that of the training has no weights. */
static hr_status boost_owners(const dp_simfl *s, hr_units budget, hr_error *err) {
    hr_training own = *s->training;
    hr_boosting b;
    size_t trees = (size_t)s->options->trees * hr_training_outputs(own.data);
    hr_status status = hr_owned_records_source(s->records, &own.source, err);
    if (!status) status = hr_timed_source_new(own.source, hr_gate_timings(own.gate), &own.source, err);
    if (status) return status;
    status = hr_boosting_init(&b, &own, HR_LINK_SIGNED, trees, err);
    if (!status) {
        status = train_turns(s, &b, budget, err);
        hr_boosting_done(&b);
    }
    hr_stats_free(own.source);
    s->training->forest = own.forest;
    return status;
}

/* ---- The method ---- */

static dp_simfl dp_simfl_of(hr_training *training) {
    const hr_fit_options *options = training->options;
    return (dp_simfl){.training = training,
                      .options = options,
                      .owners = by_name(options, HR_OPTION_OWNERS),
                      .tables = by_name(options, HR_OPTION_LSH_TABLES),
                      .weight_max = (int64_t)options->by_name[HR_OPTION_WEIGHT_MAX]};
}

static hr_status train_dp_simfl(hr_training *training, hr_error *err) {
    dp_simfl s = dp_simfl_of(training);
    hr_units budget = 0;
    const hr_owner_law law = {.owners = s.owners,
                              .theta = s.options->by_name[HR_OPTION_THETA],
                              .skew = by_name(s.options, HR_OPTION_SKEW),
                              .binning = &training->binning};
    hr_status status = has_weights(s.options) ? draw_regions(&s, err) : HR_OK;
    if (!status) status = hr_single_tree_bins(training, &budget, err);
    if (!status)
        status = hr_owned_records_new(training->data, &law, hr_gate_csprng(training->gate), training->threads,
                                      &s.records, err);
    s.table_cost = cost_of_table(s.options, budget);
    if (!status && has_weights(s.options)) status = weigh_records(&s, err);
    if (!status) status = boost_owners(&s, tree_budget(s.options, budget), err);
    training->next_group++;
    hr_owned_records_free(s.records);
    hr_regions_free(s.regions);
    free(s.counts);
    return status;
}

static hr_status check_options(const hr_fit_facts *facts, hr_error *err) {
    size_t features = facts->schema ? hr_schema_feature_count(facts->schema) : SIZE_MAX,
           skew = by_name(facts->options, HR_OPTION_SKEW);
    if (skew <= features) return HR_OK;
    hr_status status = hr_fail(err, HR_E_ARGUMENT, "0 is the label, 1 the first feature",
                               "there is no feature %zu: there are %zu features", skew, features);
    return hr_fail_at(err, status, NULL, 0, 0, "skew");
}

/* The owner with the most trees, the first, has the least for each. */
static hr_status check_dp_simfl(const hr_fit_facts *facts, hr_error *err) {
    const hr_fit_options *options = facts->options;
    int64_t weight_max = (int64_t)options->by_name[HR_OPTION_WEIGHT_MAX];
    hr_units budget;
    hr_status status = check_options(facts, err);
    if (!status && has_weights(options) && facts->schema)
        status = hr_lsh_check_dimensions(facts->schema, err);
    if (!status)
        status =
            hr_facts_check_rows(facts, hr_single_tree_weight_bound(weight_max), 1 << HR_GRADIENT_BITS, err);
    if (!status) status = hr_single_tree_check_bins(facts, &budget, err);
    if (!status && has_weights(options))
        status = hr_facts_check_sums(facts, "region counts", cost_of_table(options, budget),
                                     HR_RECORD_SENSITIVITY, err);
    if (status) return status;
    hr_units tree = tree_budget(options, budget) / trees_of_owner(options, 0) / hr_facts_outputs(facts);
    return hr_single_tree_check_tree(facts, weight_max, tree, err);
}

static double dp_simfl_memory(const hr_fit_facts *facts) {
    double tables = facts->options->by_name[HR_OPTION_LSH_TABLES], record = sizeof(uint32_t), counts = 0;
    if (has_weights(facts->options)) {
        record += 1 + tables * (sizeof(uint16_t) + HR_REGION_HASHES * sizeof(int16_t));
        counts = 2 * (double)counts_of_all(facts->options) * sizeof(hr_exact);
    }
    return hr_single_tree_memory(facts) + (double)facts->rows * record + counts;
}

static void dp_simfl_defaults(hr_fit_options *o) {
    hr_single_tree_defaults(o);
    o->trees = 10;
    o->depth = 4;
    o->learning_rate = .5;
    o->by_name[HR_OPTION_OWNERS] = 2;
    o->by_name[HR_OPTION_LSH_TABLES] = 4;
    o->by_name[HR_OPTION_LSH_WIDTH] = 1;
    o->by_name[HR_OPTION_WEIGHT_MAX] = 2;
    o->by_name[HR_OPTION_WEIGHT_SHARE] = .1;
}

static const char *const sound_options[] = {
    "epsilon",      "delta",         "owners",    "theta",          "skew",       "trees",       "depth",
    "bins",         "learning-rate", "lambda",    "edges",          "bin-share",  "bounding",    "weight-max",
    "weight-share", "lsh-tables",    "lsh-width", "gradient-bound", "leaf-share", "count-share", NULL};

static const hr_bound bounds[] = {
    {"theta", 0, 1, "0..1",
     "0: divide evenly; else the part of the lower half that the first half of the owners has: see skew"},
    {"lsh-tables", 1, HR_REGION_TABLES_MAX, "1..64",
     "public random partitions, in whose regions each owner counts its records"},
    {"skew", 0, 10000, "0..10000",
     "whose lower half theta divides: 0: the label's; else that of this feature, from 1"},
    {"weight-max", 1, HR_REGION_WEIGHT_MAX, "1..8", NULL},
    {0}};

const hr_method hr_method_dp_simfl = {
    .info = {.name = "dp-simfl",
             .summary = "boosting by owners in turn, whose records are weighted to stand for all owners'",
             .paper = "after Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI 2020",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record",
                 ". With weight-max above 1 owners release noisy counts of public regions, once, and weights "
                 "follow from these; with weight-max 1 no counts are released, and all weights are 1. Each "
                 "owner trains its trees on its own records, weighted: splits: exponential mechanism (pure "
                 "epsilon: permute-and-flip) of width 4 w_max g*^2; leaves: noisy sums and counts; bins "
                 "public or paid for."),
             .flaws = ""},
    .defaults = dp_simfl_defaults,
    .sound_options = sound_options,
    .paper_options = NULL,
    .alone =
        "it divides one table among owners, in one process, to measure what weights are worth; hedge over "
        "owners is better",
    .bounds = bounds,
    .with_delta = HR_PRIVACY_ZCDP,
    .check = check_dp_simfl,
    .memory = dp_simfl_memory,
    .train = train_dp_simfl,
};
