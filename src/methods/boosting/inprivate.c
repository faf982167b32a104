/* InPrivate Digging: boosting over owners who pass on private trees (Zhao et al. 2018). This is Algorithm 2
 * with one owner: a tree a round, each on half of the records that are left, so that every record trains one
 * tree. Algorithm 1, the tree, is in inprivate_tree.c.
 *
 * Sound differs where the paper errs: records toss coins instead of being halved exactly; the number of
 * rounds is fixed, for a stop by accuracy (round-gain of mode paper) would be a release of its own; and so
 * does the tree. Where records
 * are of persons, a person tosses the coins, and all its records train in one round. */
#include "methods/boosting/inprivate.h"

#include "base/fail.h"
#include "methods/boosting/boosting.h"
#include "methods/method.h"
#include "privacy/promise_words.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/stats/round_gain.h"
#include "trees/tree/parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rounds ---- */

void hr_inprivate_rounds(hr_csprng *csprng, size_t rows, size_t rounds, uint8_t *round_of) {
    assert(rounds >= 1 && rounds <= HR_INPRIVATE_ROUNDS_MAX);
    for (size_t i = 0; i < rows; i++) {
        round_of[i] = 0;
        while (round_of[i] + 1u < rounds && hr_uniform(csprng, 2)) round_of[i]++;
    }
}

/* As published: exactly half of the records that are left, in every round; those left over train no tree. */
hr_status hr_inprivate_halves(hr_csprng *csprng, size_t rows, size_t rounds, uint8_t *round_of,
                              hr_error *err) {
    static const double halves[] = {1, 1};
    uint32_t *left = malloc((rows + 1) * sizeof *left);
    if (!left) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) left[i] = (uint32_t)i;
    memset(round_of, (int)rounds, rows);
    hr_status status = HR_OK;
    for (size_t m = 0; !status && m < rounds; m++) {
        hr_parts parts = {0};
        status = hr_parts_fixed(csprng, rows, halves, 2, &parts, err);
        if (status) break;
        for (size_t i = 0; i < hr_parts_size(&parts, 0); i++) round_of[left[parts.rows[i]]] = (uint8_t)m;
        hr_parts_done(&parts);
        size_t unused = 0;
        for (size_t i = 0; i < rows; i++)
            if (round_of[left[i]] == rounds) left[unused++] = left[i];
        rows = unused;
    }
    free(left);
    return status;
}

/* ---- Models ---- */

hr_status hr_inprivate_forest_init(const hr_schema *schema, size_t trees, hr_arena *arena, hr_forest *forest,
                                   hr_error *err) {
    *forest =
        (hr_forest){.link = hr_schema_task(schema) == HR_TASK_REGRESSION ? HR_LINK_NUMBER : HR_LINK_LOGISTIC,
                    .output_count = 1};
    forest->base = hr_arena_alloc(arena, 1, sizeof *forest->base);
    forest->trees = hr_arena_alloc(arena, trees, sizeof *forest->trees);
    return forest->base && forest->trees ? HR_OK : hr_fail_memory(err);
}

/* ---- Algorithm 2 ---- */

typedef struct boosting {
    hr_training *training;
    size_t rows, rounds;
    uint8_t *round_of;
    uint32_t *picked;       /* the records of the round */
    double *scores, *taken; /* taken: of the records of the round */
    double *before;         /* scores of all records before the round; NULL: the round is not judged */
} boosting;

/* The round of every record is that of its person. */
static hr_status rounds_of_persons(boosting *b, hr_error *err) {
    const uint32_t *person_of = b->training->data->persons;
    size_t persons = 0;
    for (size_t i = 0; i < b->rows; i++)
        if (person_of[i] >= persons) persons = (size_t)person_of[i] + 1;
    uint8_t *of_person = malloc(persons + 1);
    if (!of_person) return hr_fail_memory(err);
    hr_inprivate_rounds(hr_gate_csprng(b->training->gate), persons, b->rounds, of_person);
    for (size_t i = 0; i < b->rows; i++) b->round_of[i] = of_person[person_of[i]];
    free(of_person);
    return HR_OK;
}

static hr_status boosting_init(boosting *b, hr_error *err) {
    b->round_of = malloc(b->rows + 1);
    b->picked = malloc((b->rows + 1) * sizeof *b->picked);
    b->scores = calloc(b->rows + 1, sizeof *b->scores);
    b->taken = malloc((b->rows + 1) * sizeof *b->taken);
    if (!b->round_of || !b->picked || !b->scores || !b->taken) return hr_fail_memory(err);
    const double *start = b->training->start_scores;
    if (start) memcpy(b->scores, start, b->rows * sizeof *b->scores);
    hr_csprng *csprng = hr_gate_csprng(b->training->gate);
    const double *by_name = b->training->options->by_name;
    if (by_name[HR_OPTION_ROUND_GAIN] > 0 || by_name[HR_OPTION_VOTE_TREES] > 0) {
        b->before = malloc((b->rows + 1) * sizeof *b->before);
        if (!b->before) return hr_fail_memory(err);
        memcpy(b->before, b->scores, b->rows * sizeof *b->scores);
    }
    if (b->training->options->mode == HR_MODE_PAPER)
        return hr_inprivate_halves(csprng, b->rows, b->rounds, b->round_of, err);
    if (b->training->data->persons) return rounds_of_persons(b, err);
    hr_inprivate_rounds(csprng, b->rows, b->rounds, b->round_of);
    return HR_OK;
}

/* Lines 8 to 10. */
static hr_status train_inprivate_round(boosting *b, size_t round, hr_error *err) {
    hr_training *t = b->training;
    hr_tree *tree = &t->forest.trees[t->forest.tree_count];
    size_t count = 0;
    for (size_t i = 0; i < b->rows; i++) {
        if (b->round_of[i] != round) continue;
        b->taken[count] = b->scores[i];
        b->picked[count++] = (uint32_t)i;
    }

    /* Whole persons: their records weigh what they do in the table. */
    const hr_data *data = t->data;
    hr_data *records = hr_data_take(data, b->picked, count);
    if (!records) return hr_fail_memory(err);
    for (size_t i = 0; data->weights && i < count; i++) records->weights[i] = data->weights[b->picked[i]];

    hr_inprivate_tree_job job = {.records = records,
                                 .unit = t->unit,
                                 .scores = b->taken,
                                 .scope = {(int64_t)round, t->next_group, round, hr_gate_budget(t->gate)},
                                 .gate = t->gate,
                                 .threads = t->threads};
    hr_status status = hr_inprivate_tree(&job, t->options, t->arena, tree, err);
    hr_data_free(records);
    if (status) return status;
    t->forest.tree_count++;
    hr_tree_add(tree, t->data, b->scores);
    return HR_OK;
}

/* Section VI-B as published, NOT PRIVATE: the accuracy on the owner's records decides on its tree and on
 * another round. more: whether one follows. */
static hr_status judge_round(boosting *b, bool *more, hr_error *err) {
    hr_training *t = b->training;
    const double *by_name = t->options->by_name, least = by_name[HR_OPTION_ROUND_GAIN];
    hr_status status = hr_gate_charge_exact(t->gate, "accuracy of trees", err);
    if (status) return status;
    double gain = hr_round_gain_exact(t->data, b->before, b->scores);
    if (by_name[HR_OPTION_VOTE_TREES] > 0 && gain < 0) {
        t->forest.tree_count--;
        memcpy(b->scores, b->before, b->rows * sizeof *b->scores);
        gain = 0;
    }
    memcpy(b->before, b->scores, b->rows * sizeof *b->scores);
    *more = !(least > 0) || gain > least * (double)b->rows;
    return HR_OK;
}

hr_status hr_inprivate_check(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) != HR_TASK_MULTICLASS) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT,
                   "merge classes until there are two, or use another method, such as diprime",
                   "inprivate supports labels that are numbers or of two classes; this label has %zu",
                   hr_schema_label(schema)->value_count);
}

static hr_status check_inprivate(const hr_fit_facts *facts, hr_error *err) {
    hr_status status = hr_inprivate_check(facts->schema, err);
    return status ? status : hr_inprivate_tree_check(facts, err);
}

/* A round takes a copy of about half of the records; with one round, of all. */
static double inprivate_memory(const hr_fit_facts *facts) {
    double taken = (double)facts->rows * (facts->options->trees > 1 ? .5 : 1);
    if (facts->options->mode == HR_MODE_PAPER)
        return (double)hr_schema_feature_count(facts->schema) * taken * (sizeof(double) + sizeof(uint32_t)) +
               (double)facts->rows * 8 * sizeof(double);
    return (double)hr_schema_feature_count(facts->schema) * taken * sizeof(double) +
           (double)facts->rows * 3 * sizeof(double) + hr_boosting_memory(facts, taken) +
           hr_boosting_persons_memory(facts, taken);
}

static hr_link inprivate_link(const hr_fit_options *options, hr_task task) {
    (void)options;
    return task == HR_TASK_REGRESSION ? HR_LINK_NUMBER : HR_LINK_LOGISTIC;
}

static hr_status train_inprivate(hr_training *t, hr_error *err) {
    boosting b = {.training = t, .rows = hr_data_rows(t->data), .rounds = (size_t)t->options->trees};
    hr_link link = inprivate_link(t->options, hr_schema_task(hr_data_schema(t->data)));
    hr_status status = hr_training_forest_init(t, link, b.rounds, err);
    if (!status) status = boosting_init(&b, err);
    bool more = true;
    for (size_t m = 0; !status && more && m < b.rounds; m++) {
        status = train_inprivate_round(&b, m, err);
        if (!status && b.before) status = judge_round(&b, &more, err);
        if (!status) status = hr_training_progress(t, more ? m + 1 : b.rounds, b.rounds, err);
    }
    void *all[] = {b.round_of, b.picked, b.scores, b.taken, b.before};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return status;
}

static void inprivate_defaults(hr_fit_options *o) {
    bool sound = o->mode == HR_MODE_SOUND;
    o->trees = 3;
    o->depth = 4;
    o->learning_rate = 1;
    o->bins = 32;
    o->edges = sound ? HR_EDGES_PRIVATE : HR_EDGES_EXACT;
    o->bin_share = .1;
    o->leaf_share = sound ? .4 : .5;
    o->count_share = .3;
}

static const char *const sound_options[] = {"epsilon",        "delta",      "trees",       "depth",
                                            "learning-rate",  "bins",       "edges",       "bin-share",
                                            "gradient-bound", "leaf-share", "count-share", NULL};
static const char *const paper_options[] = {"epsilon",      "trees",      "depth",      "leaf-share",
                                            "split-budget", "round-gain", "vote-trees", NULL};

static const hr_bound bounds[] = {{"trees", 1, HR_INPRIVATE_ROUNDS_MAX, "1..64", NULL}, {0}};

const hr_method hr_method_inprivate = {
    .info = {.name = "inprivate",
             .summary = "boosting in rounds that halve the records, for one owner or for a federation",
             .paper = "Zhao, Ni, Hu, Chen, Zhou, Xiao, Wu: InPrivate Digging: Enabling Tree-based "
                      "Distributed Data Mining with Differential Privacy. INFOCOM 2018",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record",
                 ". Every record trains one tree, whatever the other records are; splits: exponential "
                 "mechanism (pure epsilon: permute-and-flip) of width 4 R^2 on residuals clipped to R; "
                 "leaves: noisy sums and denominators; bins public or paid for."),
             .flaws =
                 "The exponential mechanism is set for residuals within +-1, which reach +-2 after the first "
                 "round (numbers: any bound), so that a later tree costs up to twice eps_1, and its leaves "
                 "more than eps_2; with split-budget=algorithm every level of splits spends eps_1; exact "
                 "halves shift when a record is added; cut points are averages of three values, exact "
                 "statistics of the records, and so is the accuracy that round-gain and vote-trees look at."},
    .weighed = " Gains of records with weights are rounded: the width of the splits of a level of n nodes is "
               "(4 + (3 n + 6) 2^-16) R^2.",
    .persons = HR_PROMISE_OF_METHOD(
        "all records of one person",
        ": each of a person's m records weighs floor(2^16/m)/2^16 in every sum, score and count, and all of "
        "them train one tree, whatever the other persons are. Splits: exponential mechanism (pure epsilon: "
        "permute-and-flip) on residuals clipped to R; what a person changes at all nodes of a level adds up "
        "to the width for one record. Leaves: noisy sums and denominators; bins public or paid for."),
    .defaults = inprivate_defaults,
    .sound_options = sound_options,
    .paper_options = paper_options,
    .bounds = bounds,
    .with_delta = HR_PRIVACY_ZCDP,
    .check = check_inprivate,
    .memory = inprivate_memory,
    .train = train_inprivate,
    .link = inprivate_link,
};
