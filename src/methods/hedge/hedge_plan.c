#include "methods/hedge/hedge_plan.h"

#include "methods/hedge/hedge_objective.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/candidates/reliability.h"

#include <math.h>

/* The constants of the two budgets; both were chosen on development sets, before held-out sets were looked
 * at. */
typedef struct shares {
    double bins, start, calibration, choice, counts, within;
} shares;

static shares shares_of(const hr_hedge_setting *s) {
    shares gaussian = {.bins = .06,
                       .start = .03,
                       .choice = .20,
                       .counts = .10,
                       .within = hr_hedge_adapts_clip(s->task) ? .03 : 0};
    shares pure = {.bins = .08, .start = .04, .choice = .30, .counts = .20, .within = 0};
    shares mine = s->privacy_measure == HR_PRIVACY_PURE ? pure : gaussian;
    if (s->task == HR_TASK_QUANTILES) mine.within = .03; /* widths differ more than clips do */
    if (s->task == HR_TASK_SURVIVAL) mine.start = .10;   /* a hazard for each interval, not one mean */
    if (!s->has_private_edges) mine.bins = 0;
    mine.calibration = !hr_task_has_classes(s->task) ? 0 : .02;
    return mine;
}

static double clamp_plan_value(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* floor(log2 x) within bounds. */
static int levels(double x, int least, int most) {
    return (int)clamp_plan_value(floor(log2(fmax(x, 1))), least, most);
}

hr_hedge_start hr_hedge_start_of(const hr_hedge_setting *s) {
    shares part = shares_of(s);
    hr_units start = hr_units_share(s->budget, part.start);
    return (hr_hedge_start){hr_units_share(s->budget, part.bins), start / 2,
                            s->has_start && s->task != HR_TASK_COUNT ? 0 : start - start / 2,
                            hr_units_share(s->budget, part.calibration)};
}

enum { ROUNDS_GAUSSIAN = 300, ROUNDS_PURE = 64 }; /* at most */
static const double BLOCK_RECORDS = 65536, BLOCK_SIZE = 16384, CHANCE = .5;
/* Of times: a larger budget has no more rounds than this mu, as they would learn the chance of the records.
 */
static const double LARGEST_MU_OF_TIMES = 2;

static void schedule(const hr_hedge_setting *s, double size, double records, hr_hedge_plan *plan) {
    if (s->privacy_measure == HR_PRIVACY_PURE) {
        plan->rounds = (size_t)clamp_plan_value(floor(.1 * sqrt(size)), 8, ROUNDS_PURE);
        plan->step = fmin(1.7 * sqrt((double)plan->rounds) / (double)plan->rounds, 1);
        plan->depth_all = levels(size / (16 * (double)plan->rounds), 2, 7);
        plan->depth_pair = plan->depth_all;
        plan->depth_one = 2;
        plan->centred = 2;
        plan->ridge = 6;
        return;
    }
    if (s->task == HR_TASK_SURVIVAL) size = fmin(size, LARGEST_MU_OF_TIMES * records);
    plan->rounds = (size_t)clamp_plan_value(floor(1.5 * sqrt(size)), 25, ROUNDS_GAUSSIAN);
    plan->step = fmin(2 * pow(fmax(size / 8, 1), .6) / (double)plan->rounds, .5);
    if (s->task == HR_TASK_SURVIVAL)
        plan->step /= 2; /* each interval has a part of the events to learn from */
    plan->depth_all = levels(fmin(size / 400, records / 800), 4, 8);
    plan->depth_pair = levels(fmin(size / 200, records / 800), 4, 8);
    plan->depth_one = 3;
    plan->centred = 3;
    plan->ridge = 12;
}

int hr_hedge_depth(const hr_hedge_plan *plan) {
    return plan->depth_all ? plan->depth_all : plan->depth_pair ? plan->depth_pair : plan->depth_one;
}

/* C_0. Two classes: gradients reach 2; less biases probabilities, more lets noise in. More classes: their
 * length reaches sqrt(2). Times: it is about 1 where the event comes, and clipping it would bias hazards. */
static double first_clip(const hr_hedge_setting *s) {
    if (hr_hedge_adapts_clip(s->task))
        return s->privacy_measure == HR_PRIVACY_PURE ? .5 : .3; /* where it adapts it may begin low */
    return s->task == HR_TASK_BINARY ? 1.2 : 1;
}

/* What is left after the start, in equal parts for all rounds. */
static void share_out_hedge_budget(const hr_hedge_setting *s, hr_hedge_plan *plan) {
    shares part = shares_of(s);
    hr_hedge_start start = hr_hedge_start_of(s);
    hr_units round =
        (s->budget - s->dropped - start.bins - start.count - start.base - start.calibration) / plan->rounds;
    plan->within = hr_units_share(round, part.within);
    plan->choice = hr_units_share(round - plan->within, part.choice);
    hr_units leaves = round - plan->within - plan->choice;
    plan->counts = hr_units_share(leaves, part.counts);
    plan->sums = leaves - plan->counts;
}

double hr_hedge_noise_factor(const hr_hedge_setting *s) {
    return s->owners > 1 ? sqrt((double)s->owners / (double)s->honest) : 1;
}

hr_hedge_plan hr_hedge_plan_of(const hr_hedge_setting *s, double records) {
    hr_hedge_plan plan = {.candidates = s->owners > 1 ? HR_HEDGE_CANDIDATES_OWNERS : HR_HEDGE_CANDIDATES,
                          .clip = first_clip(s)};
    bool is_pure = s->privacy_measure == HR_PRIVACY_PURE;
    double budget = hr_units_value(s->budget), size = records / hr_hedge_noise_factor(s);
    size *= is_pure ? budget : sqrt(budget);
    schedule(s, size, records, &plan);
    const bool one = s->interactions == HR_INTERACTIONS_NONE;
    if (one) plan.depth_pair = 0;
    if (one || s->interactions == HR_INTERACTIONS_PAIRS) plan.depth_all = 0;
    share_out_hedge_budget(s, &plan);

    /* So many that choices on one of them cost no accuracy (docs/explanation/hedge.md, Blocks). */
    double blocks = records / BLOCK_RECORDS;
    if (!is_pure) blocks = fmin(blocks, size / BLOCK_SIZE);
    plan.blocks = s->owners ? 1 : (size_t)clamp_plan_value(floor(blocks), 1, ROUNDS_PURE);

    /* A part of what chance alone adds to the sum of a leaf: its noise, under pure privacy; the spread of the
     * gradients of a block's records, which large trees have more of. */
    double noise = is_pure ? 1 / hr_units_value(plan.sums) : 0;
    double leaf = records / (double)plan.blocks / exp2(hr_hedge_depth(&plan));
    plan.threshold = CHANCE * fmax(noise, plan.blocks > 1 ? sqrt(leaf) : 0);

    /* Records pay for the choices of their own owner or block only, which may cost so much more. */
    size_t parts = s->owners ? s->owners : plan.blocks;
    plan.turns = (plan.rounds + parts - 1) / parts;
    plan.choice = plan.choice * plan.rounds / plan.turns;
    return plan;
}

hr_hedge_plan hr_hedge_plan_longest(const hr_hedge_setting *s) {
    hr_hedge_plan plan = {.rounds = s->privacy_measure == HR_PRIVACY_PURE ? ROUNDS_PURE : ROUNDS_GAUSSIAN,
                          .candidates = HR_HEDGE_CANDIDATES,
                          .clip = first_clip(s)};
    share_out_hedge_budget(s, &plan);
    return plan;
}

/* ---- What a budget is enough for ---- */

uint64_t hr_hedge_sum_sensitivity(const hr_hedge_setting *s, int64_t bound, size_t outputs) {
    double factor = s->privacy_measure == HR_PRIVACY_PURE ? sqrt((double)outputs) : 1;
    return (uint64_t)ceil((double)hr_unit_gradient_sensitivity(s->unit, bound) * factor);
}

double hr_hedge_largest_clip(const hr_hedge_setting *s) {
    return !hr_hedge_adapts_clip(s->task) ? first_clip(s) : s->task == HR_TASK_COUNT ? 2 : 1;
}

bool hr_hedge_has_private_edges(const hr_fit_options *options, const hr_schema *schema) {
    if (options->edges != HR_EDGES_PRIVATE) return false;
    return !schema || hr_edges_need_quantiles(schema, (uint32_t)options->bins);
}

hr_hedge_setting hr_hedge_setting_of(const hr_fit_facts *facts) {
    const hr_schema *schema = facts->schema;
    return (hr_hedge_setting){.privacy_measure = facts->privacy_measure,
                              .unit = hr_facts_unit(facts),
                              .budget = facts->budget,
                              .task = schema ? hr_schema_task(schema) : HR_TASK_BINARY,
                              .has_private_edges = hr_hedge_has_private_edges(facts->options, schema),
                              .has_start = facts->options->start != NULL,
                              .interactions = hr_interactions_rule_of(facts->options->interactions)};
}

static hr_status check_round(const hr_fit_facts *facts, const hr_hedge_setting *s, hr_error *err) {
    hr_hedge_plan plan = hr_hedge_plan_longest(s);
    int64_t bound = (int64_t)(hr_hedge_largest_clip(s) * (1 << HR_GRADIENT_BITS));
    hr_status status = hr_facts_check_choice(facts, "choice of tree", plan.choice,
                                             hr_unit_leaf_score_width(s->unit, bound), err);
    if (!status)
        status = hr_facts_check_sums(facts, "leaf sum", plan.sums,
                                     hr_hedge_sum_sensitivity(s, bound, hr_facts_outputs(facts)), err);
    if (!status)
        status = hr_facts_check_sums(facts, "leaf count", plan.counts, hr_unit_of_counts(s->unit), err);
    if (status || shares_of(s).within == 0) return status;
    return hr_facts_check_sums(facts, "clip count", plan.within, hr_unit_of_counts(s->unit), err);
}

hr_status hr_hedge_check(const hr_fit_facts *facts, hr_error *err) {
    hr_hedge_setting s = hr_hedge_setting_of(facts);
    hr_hedge_start start = hr_hedge_start_of(&s);
    uint64_t count = hr_unit_of_counts(s.unit), label = hr_unit_label_sensitivity(s.unit);
    hr_status status = hr_facts_check_classes(facts, err);
    if (!status && facts->schema)
        status = hr_interactions_check(facts->options->interactions, facts->schema, err);
    if (status) return status;
    const bool classes = s.task == HR_TASK_MULTICLASS || s.task == HR_TASK_SURVIVAL;
    status = hr_facts_check_sums(facts, hr_hedge_totals_name(s.task, s.unit),
                                 start.count + (classes ? start.base : 0), count, err);
    if (!status && !classes && start.base)
        status = hr_facts_check_sums(facts, "base score", start.base, label, err);
    if (!status && s.has_private_edges) status = hr_facts_check_edges(facts, start.bins, err);
    if (!status && hr_task_has_classes(s.task))
        status = hr_facts_check_sums(facts, "calibration count", start.calibration, count, err);
    return status ? status : check_round(facts, &s, err);
}

/* ---- For people ---- */

/* The noise in a leaf's shrunk mean (trees/tree/hierarchical_shrinkage.h), were all leaves of a tree alike:
 * at[l] is what one unit in a leaf's sum adds to the mean of a leaf that shares its ancestors down to level
 * l. */
static double shrunk_noise(double noise, double leaf_records, double ridge, int depth) {
    double at[HR_CANDIDATE_SCAN_DEPTH_MAX + 1], kept = 1, sum = 0, square = 0;
    for (int l = depth; l >= 0; l--) {
        double leaves = exp2(depth - l), weight = leaf_records * leaves + ridge * sqrt(leaves);
        at[l] = kept / weight;
        kept *= 1 - leaf_records * leaves / weight;
    }
    for (int l = 0; l <= depth; l++) {
        sum += at[l];
        square += sum * sum * (l < depth ? exp2(depth - l - 1) : 1);
    }
    return noise * sqrt(square);
}

static void note_noise(const hr_hedge_setting *s, const hr_schema *schema, const hr_hedge_plan *made,
                       hr_plan_info *plan) {
    enum { FINE = 1 << HR_GRADIENT_BITS };
    const hr_column *label = schema ? hr_schema_label(schema) : NULL;
    const bool has_quantiles = label && label->quantiles;
    double outputs = schema ? (double)hr_facts_outputs(&(hr_fit_facts){.schema = schema}) : 1;
    double reach =
        HR_WEIGHT_MAX * made->clip * FINE * (s->privacy_measure == HR_PRIVACY_PURE ? sqrt(outputs) : 1);
    double noise =
        hr_hedge_noise_factor(s) * hr_noise_deviation(s->privacy_measure, made->sums, reach) / FINE;
    const bool is_time = label && label->event;
    const hr_hedge_label facts = hr_hedge_label_of(schema, schema ? (size_t)outputs : 1);
    const hr_hedge_figure figure = hr_hedge_leaf_figure(s->task, &facts);
    plan->label_range = label && label->kind == HR_KIND_NUMBER && !is_time ? label->high - label->low : 1;
    /* What a gradient of 1 is in the label's units: two classes have scores from -1 to 1, more have
     * probabilities, and times those of the event in an interval; a count's is of the logarithm of its mean;
     * that of quantiles is of the width that they start with. */
    bool has_classes = schema && hr_schema_task(schema) == HR_TASK_MULTICLASS;
    plan->of_logarithm = schema && hr_schema_task(schema) == HR_TASK_COUNT;
    double unit = plan->of_logarithm       ? HR_COUNT_GRADIENT
                  : has_classes || is_time ? plan->label_range
                                           : plan->label_range / 2;
    if (has_quantiles) unit *= 2 * HR_QUANTILE_WIDTH_FIRST * facts.reach;
    const int depth = hr_hedge_depth(made);
    plan->leaf_records = plan->records / (double)(1 << depth);
    plan->gradient_noise = noise / plan->leaf_records;
    plan->label_noise = plan->gradient_noise * unit;
    plan->leaf_figure = figure.text;
    plan->leaf_noise = plan->gradient_noise * figure.unit;
    plan->quantiles = has_quantiles ? label->quantile_count : 0;
    double leaf = shrunk_noise(noise, plan->leaf_records, made->ridge * noise / made->clip, depth);
    plan->intervals = is_time ? label->interval_count : 0;
    plan->prediction_noise = is_time ? 0 : made->step * sqrt((double)made->rounds) * fmin(leaf, 1) * unit;
}

void hr_hedge_describe_setting(const hr_hedge_setting *s, const hr_schema *schema, hr_plan_info *plan) {
    hr_hedge_start start = hr_hedge_start_of(s);
    hr_hedge_plan made = hr_hedge_plan_of(s, plan->records);
    double all = hr_units_value(s->budget), rounds = (double)made.rounds;
    plan->rounds = made.rounds;
    plan->candidates = made.candidates;
    plan->step = made.step;
    plan->depth_one = made.depth_one;
    plan->depth_pair = made.depth_pair;
    plan->depth_all = made.depth_all;
    plan->lists = s->interactions == HR_INTERACTIONS_GROUPS;
    plan->share_bins = hr_units_value(start.bins) / all;
    plan->share_count = hr_units_value(start.count) / all;
    plan->share_base = hr_units_value(start.base) / all;
    plan->share_calibration = hr_units_value(start.calibration) / all;
    plan->share_choices = (double)made.turns * hr_units_value(made.choice) / all;
    plan->share_sums = rounds * hr_units_value(made.sums) / all;
    plan->share_counts = rounds * hr_units_value(made.counts) / all;
    plan->share_clip = rounds * hr_units_value(made.within) / all;
    note_noise(s, schema, &made, plan);
}

void hr_hedge_describe(const hr_fit_options *options, const hr_schema *schema,
                       hr_privacy_measure privacy_measure, hr_units budget, hr_plan_info *plan) {
    hr_hedge_setting setting = hr_hedge_setting_of(&(hr_fit_facts){
        .options = options, .schema = schema, .privacy_measure = privacy_measure, .budget = budget});
    hr_hedge_describe_setting(&setting, schema, plan);
}
