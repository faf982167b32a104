/* hedge's schedule: how many rounds, which step, which depths, and who gets which share of the budget.
 * Everything follows from the budget and a released (or guessed) number of records; the records themselves
 * are not looked at. */
#ifndef HR_METHODS_HEDGE_HEDGE_PLAN_H
#define HR_METHODS_HEDGE_HEDGE_PLAN_H

#include "methods/method.h"
#include "trees/tree/interactions.h"

/* M: of one party that holds all records; and over owners, where one of them chooses on its own records. */
enum { HR_HEDGE_CANDIDATES = 64, HR_HEDGE_CANDIDATES_OWNERS = 128 };

/* What is public before the first release. */
typedef struct hr_hedge_setting {
    hr_privacy_measure privacy_measure; /* HR_PRIVACY_GDP, or HR_PRIVACY_PURE */
    hr_units budget;
    hr_task task;           /* regression: its clip adapts; it has no probabilities to calibrate */
    bool has_private_edges; /* some feature needs private bin edges */
    hr_units dropped;       /* spent before the rounds on answers that were lost; at most budget/2 */
    /* The owners whose sums the rounds add up, and how many of them add noise for sure; 0: one party holds
     * all records. */
    size_t owners, honest;
    bool has_start;       /* scores start at those of another model: no base score is needed */
    hr_privacy_unit unit; /* what counts 1: n-hat is a number of these */
    hr_interaction_rule interactions;
} hr_hedge_setting;

/* Costs of what is released once: before the rounds, and (classes) after the last. */
typedef struct hr_hedge_start {
    hr_units bins, count, base, calibration;
} hr_hedge_start;

typedef struct hr_hedge_plan {
    size_t rounds;                         /* T */
    double step;                           /* eta */
    size_t candidates;                     /* M */
    int depth_one, depth_pair, depth_all;  /* 0: no such trees are drawn */
    int centred;                           /* uniform numbers a cut is the mean of */
    double ridge;                          /* kappa */
    double clip;                           /* C_0 */
    double threshold;                      /* taken off a leaf's part of a score, in G */
    hr_units choice, sums, counts, within; /* costs of a round; `within` 0: the clip does not adapt */
    size_t blocks;                         /* B: a round's choice is about one of them (trees/tree/parts.h) */
    size_t turns; /* rounds whose choice a record has a part in, at most: its owner's, or its block's */
} hr_hedge_plan;

hr_hedge_start hr_hedge_start_of(const hr_hedge_setting *setting);
/* records: n-hat >= 1. */
hr_hedge_plan hr_hedge_plan_of(const hr_hedge_setting *setting, double records);

/* The plan with the most rounds that any number of records leads to: no release of a fit costs less than its.
 */
hr_hedge_plan hr_hedge_plan_longest(const hr_hedge_setting *setting);

/* Splits of a tree about as many features as may meet. */
int hr_hedge_depth(const hr_hedge_plan *plan);

/* The noise of the owners' sums, in that of a sum of one party: 1, or sqrt(owners / honest). */
double hr_hedge_noise_factor(const hr_hedge_setting *setting);

/* Of the sums of a tree's leaves, whose gradients are at most `bound`, in the units of hr_unit_fineness: L1
 * for discrete Laplace noise, L2 for the discrete Gaussian. */
uint64_t hr_hedge_sum_sensitivity(const hr_hedge_setting *setting, int64_t bound, size_t outputs);

/* The largest clip that a fit comes to, C: regression's and that of counts adapt. */
double hr_hedge_largest_clip(const hr_hedge_setting *setting);

/* Whether bin edges are released: no option makes them public, and some feature needs them. */
bool hr_hedge_has_private_edges(const hr_fit_options *options, const hr_schema *schema);

/* Of a fit by one party. */
hr_hedge_setting hr_hedge_setting_of(const hr_fit_facts *facts);

/* hr_method.check. */
HR_MUST_CHECK hr_status hr_hedge_check(const hr_fit_facts *facts, hr_error *err);

/* Fills in all but epsilon, delta and the number of records, which are set. Over owners the shares are what a
 * record pays: for the choices of its owner's turns alone. */
void hr_hedge_describe_setting(const hr_hedge_setting *setting, const hr_schema *schema, hr_plan_info *plan);

/* hr_method.plan. */
void hr_hedge_describe(const hr_fit_options *options, const hr_schema *schema,
                       hr_privacy_measure privacy_measure, hr_units budget, hr_plan_info *plan);

#endif
