/* ID3 with noisy counts (Kaghazgaran and Takabi's poster), trained by one party on its own records.
 *
 * Level by level, every open node has its records counted by class in all bins of every feature that no node
 * above it splits by. The feature that leaves the least entropy, H(T|A) = -sum n_ij log n_ij + sum n_j log
 * n_j, splits the node into all of its bins; of features that are alike the first of the schema does. Numbers
 * have even bins between their public bounds; missing values and categories that the schema does not list
 * have a bin of their own. A node of one class or without records is a leaf; so is one at the depth limit, or
 * below splits by all features. A leaf holds the shares of its classes; an empty one has those of its parent,
 * and so have bins that no record of the training had.
 *
 * Published: every count, those of a bin alone too, is released with the noise of one count at the whole
 * budget; the poster's noise lambda (ln r_x - ln r_y) is a difference of two exponential variables, of which
 * the gate draws the discrete kind, in units of 1/64 of a record. Sound: a record is in one node of a level
 * and in one bin of each feature counted there, so a level is charged for all of its tables; levels share
 * what the leaves leave of the budget. There a split must gain more than noise alone would show, and a node
 * is counted if it has more records than one of its counts has noise (constants chosen on development sets).
 * Unless a depth is asked for, the records are counted first, and the depth follows (id3_costs.h).
 *
 * The algorithm is id3_machine.c, which sees released values only; trees/records/stats_source.c answers its
 * questions. Here the two meet, with the gate between them. */
#include "base/fail.h"
#include "methods/forests/average.h"
#include "methods/forests/id3_machine.h"
#include "privacy/gate.h"
#include "privacy/promise_words.h"
#include "tables/bins/edges.h"
#include "trees/records/stats_source.h"

#include <stdlib.h>

/* Where the answers come from. */
typedef struct id3_source {
    hr_training *training;
    hr_id3 *id3;
    hr_permit published; /* of all questions, in paper mode */
    hr_exact *exact;
    hr_noisy *noisy;
    size_t room;
} id3_source;

static bool is_published(const hr_fit_options *options) {
    return options->mode == HR_MODE_PAPER;
}

static hr_id3_terms id3_terms(const hr_fit_options *options, const hr_schema *schema,
                              const hr_binning *binning) {
    return (hr_id3_terms){.binning = binning,
                          .classes = hr_schema_label(schema)->value_count,
                          .depth = (size_t)options->depth,
                          .leaf_share = options->leaf_share,
                          .published = is_published(options)};
}

/* In paper mode the one permit is charged with the first question. */
static hr_status charge_id3(id3_source *s, const hr_id3_question *question, hr_permit *out, hr_error *err) {
    size_t total, asked = hr_id3_levels(s->id3, &total);
    if (!is_published(s->training->options))
        return hr_gate_charge_sums(s->training->gate, &question->line, out, err);
    hr_status status =
        asked ? HR_OK : hr_gate_charge_sums(s->training->gate, &question->line, &s->published, err);
    *out = s->published;
    return status;
}

static hr_status answer_id3(id3_source *s, const hr_id3_question *question, hr_error *err) {
    hr_training *t = s->training;
    hr_permit permit;
    if (question->count > s->room) {
        free(s->exact);
        free(s->noisy);
        s->exact = malloc(question->count * sizeof *s->exact);
        s->noisy = malloc(question->count * sizeof *s->noisy);
        s->room = question->count;
        if (!s->exact || !s->noisy) return hr_fail_memory(err);
    }
    hr_status status = charge_id3(s, question, &permit, err);
    if (!status) status = hr_id3_records_answer(t->source, question, s->exact, err);
    if (status) return status;
    hr_gate_sums(t->gate, permit, s->exact, question->count, s->noisy);
    status = hr_id3_accept(s->id3, s->noisy, 1, err);
    size_t total, done = hr_id3_levels(s->id3, &total);
    return status ? status : hr_training_progress(t, done, total, err);
}

static hr_status id3_source_init(id3_source *s, hr_error *err) {
    hr_training *t = s->training;
    const hr_schema *schema = hr_data_schema(t->data);
    hr_status status = hr_edges_public(schema, (uint32_t)t->options->bins, t->arena, &t->binning, err);
    hr_id3_terms terms = id3_terms(t->options, schema, &t->binning);
    terms.privacy_measure = hr_gate_privacy_measure(t->gate);
    terms.budget = hr_gate_budget(t->gate);
    terms.first_group = t->next_group;
    /* All records train the tree. */
    hr_stats_setup setup = {.kind = HR_STATS_LABELS, .binning = &t->binning};
    hr_stats_shares shares = {.count = 1};
    hr_stats_round round = {.part = 0};
    if (!status) status = t->source->ops->prepare(t->source, &setup, err);
    if (!status) status = t->source->ops->share_out(t->source, &shares, NULL, err);
    if (!status) status = t->source->ops->begin(t->source, &round, err);
    return status ? status : hr_id3_new(&terms, &s->id3, err);
}

static hr_status train_id3(hr_training *training, hr_error *err) {
    id3_source s = {.training = training};
    hr_id3_question question;
    hr_status status = id3_source_init(&s, err);
    while (!status && hr_id3_next(s.id3, &question)) status = answer_id3(&s, &question, err);
    if (!status) status = hr_average_init(training, err);
    if (!status) {
        const double *leaf_values;
        hr_tree tree = hr_id3_tree(s.id3, &leaf_values);
        status = hr_average_add(training, &tree, leaf_values, err);
    }
    hr_id3_free(s.id3);
    free(s.exact);
    free(s.noisy);
    return status;
}

static hr_status check_id3(const hr_fit_facts *facts, hr_error *err) {
    if (hr_schema_task(facts->schema) == HR_TASK_REGRESSION)
        return hr_fail(err, HR_E_ARGUMENT, "use another method, such as dp-df or hedge",
                       "id3 supports labels that are classes; this label is a number");
    hr_binning binning;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = hr_facts_check_classes(facts, err);
    if (!status)
        status = hr_edges_public(facts->schema, (uint32_t)facts->options->bins, arena, &binning, err);
    if (!status) {
        hr_id3_terms terms = id3_terms(facts->options, facts->schema, &binning);
        terms.privacy_measure = facts->privacy_measure;
        terms.budget = facts->budget;
        status = hr_id3_check(&terms, err);
    }
    hr_arena_free(arena);
    return status;
}

/* The binned table, labels, and two lists of which records a node has. */
static double id3_memory(const hr_fit_facts *facts) {
    return hr_facts_table(facts) + (double)facts->rows * 3 * sizeof(double);
}

static void id3_defaults(hr_fit_options *o) {
    o->trees = 1;
    o->depth = o->mode == HR_MODE_PAPER ? HR_ID3_DEPTH : 0;
    o->bins = 5;
    o->leaf_share = .25;
}

static const hr_bound bounds[] = {
    {"depth", 0, HR_TREE_DEPTH_MAX, "0..12",
     "levels of splits of the tree; 0, in mode sound: as many as the noisy number of records allows"},
    {0}};

static const char *const sound_options[] = {"epsilon", "delta", "depth", "bins", "leaf-share", NULL};
static const char *const paper_options[] = {"epsilon", "depth", "bins", NULL};

const hr_method hr_method_id3 = {
    .info = {.name = "id3",
             .summary = "one tree of entropy splits into all values, from noisy counts",
             .paper = "Kaghazgaran, Takabi: Differentially Private Decision Tree Learning from Distributed "
                      "Data (poster)",
             .is_private = true,
             .sound = HR_PROMISE_OF_METHOD(
                 "one record",
                 ". Noisy class counts alone: a record changes one count in the table of every feature that "
                 "a level asks about, and one count of a leaf; each level is charged for all of its tables. "
                 "The choice of splits follows from the counts."),
             .flaws =
                 "Every count has the noise of a single count at the whole epsilon, but a record is counted "
                 "twice for every feature that a level asks about and once in a leaf: with m features and d "
                 "levels that costs up to 2 m d + 1 times what is claimed. In the poster's protocol a party "
                 "that knows r_x, its half of the noise, sees one-sided noise, for which no epsilon holds."},
    .over_ranks = true,
    .defaults = id3_defaults,
    .bounds = bounds,
    .sound_options = sound_options,
    .paper_options = paper_options,
    .with_delta = HR_PRIVACY_GDP,
    .check = check_id3,
    .memory = id3_memory,
    .train = train_id3,
};
