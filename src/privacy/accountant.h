/* Composition: what a list of releases costs in all.
 *
 * Costs are integers in units of 2^-40 (of epsilon, of rho, or of mu^2), rounded up, so that sums are exact
 * and order-free. Releases carry a group and a part: the parts of a group see disjoint sets of records (each
 * record in at most one part, assigned independently of the other records), so a group costs what its
 * costliest part costs; groups add up. Where owners release by themselves, a release carries its owner, too:
 * it sees no other owner's records, so all owners cost what the costliest one costs, beside what has no
 * owner. Proof: accountant.proof.md. */
#ifndef HR_PRIVACY_ACCOUNTANT_H
#define HR_PRIVACY_ACCOUNTANT_H

#include <hedgerow/status.h>
#include <stdbool.h>

typedef uint64_t hr_units;
#define HR_UNIT ((hr_units)1 << 40)
#define HR_UNITS_MAX ((hr_units)1 << 60)

/* What sums are counted in: HR_PRIVACY_NONE: nothing is protected; HR_PRIVACY_PURE: epsilon; HR_PRIVACY_ZCDP:
 * rho of zero-concentrated DP; HR_PRIVACY_GDP: mu^2 of Gaussian DP, which gives the same (epsilon, delta) for
 * less noise. */
typedef enum hr_privacy_measure {
    HR_PRIVACY_NONE,
    HR_PRIVACY_PURE,
    HR_PRIVACY_ZCDP,
    HR_PRIVACY_GDP
} hr_privacy_measure;

/* These numbers are sent to other parties (protocol.md): a number is never given to another mechanism. */
typedef enum hr_mechanism {
    HR_MECHANISM_IDENTITY = 0,
    HR_MECHANISM_DISCRETE_LAPLACE = 1,
    HR_MECHANISM_DISCRETE_GAUSSIAN = 2,
    HR_MECHANISM_EXPONENTIAL = 3,
    HR_MECHANISM_PERMUTE_AND_FLIP = 4,
    HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN = 5,
    HR_MECHANISM_SHARED_DISCRETE_LAPLACE = 6
} hr_mechanism;

/* A line of the list that a model carries. */
typedef struct hr_release {
    const char *what;     /* static text, or owned by the list's holder */
    int64_t tree, level;  /* where; -1: does not apply */
    uint64_t group, part; /* see above */
    hr_units cost;
    uint64_t
        sensitivity; /* L1 (discrete Laplace), L2 (discrete Gaussian) or score width (choices), in integers */
    hr_mechanism mechanism;
    uint64_t scale_num, scale_den; /* Laplace: t; Gaussian: sigma^2 (of one share, where noise is shared);
                                      choices: epsilon/width as units / (2^40 * width) */
    uint64_t draws;                /* how many noisy values were drawn under this line */
    uint64_t shares; /* how many owners' shares of noise justify the cost; 0: the noise is not shared */
    uint64_t owner;  /* from 1 on: whose records alone it sees, and groups are its own; 0: any owner's */
    hr_units rest;   /* a choice in a GDP gate that is drawn before the next charge: what all later lines may
                        cost in all. It follows from the list, and is not written to files */
} hr_release;

/* Its name in model files; "unknown" if there is no such mechanism. */
const char *hr_mechanism_text(hr_mechanism mechanism);

/* Units nearest above / below a value; 0 <= value <= 2^20. */
hr_units hr_units_up(double value);
hr_units hr_units_down(double value);
double hr_units_value(hr_units units);

/* floor(units * share); 0 <= share <= 1. */
hr_units hr_units_share(hr_units units, double share);

/* Sum over groups of the costliest part: of the releases without an owner, and of the costliest owner.
 * Saturates at HR_UNITS_MAX. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_account(const hr_release *releases, size_t count, hr_units *total, hr_error *err);
/* The same where of a sum's shares of noise one alone counts: all other owners tell theirs to the reader of
 * the sum. Pure epsilon: HR_UNITS_MAX, if any sum has more shares than one. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_account_alone(const hr_release *releases, size_t count, hr_units *total,
                                         hr_error *err);

/* Checks that each line's mechanism, sensitivity and scale justify the cost (in `privacy measure`) that it
 * claims: by itself, or, a choice in GDP, before the lines that follow it in the list. Whatever `rest` the
 * lines have is not read. Fails: POLICY, MEMORY. */
HR_MUST_CHECK hr_status hr_account_check(const hr_release *releases, size_t count,
                                         hr_privacy_measure privacy_measure, hr_error *err);

/* ---- The running total of a gate ---- */

/* The same sum as hr_account, up to date after every charge, at a constant price per charge. */
typedef struct hr_running_total_slot {
    uint64_t group, part;
    hr_units cost;
    bool used;
} hr_running_total_slot;

/* A hash table by open addressing. */
typedef struct hr_running_total_table {
    hr_running_total_slot *slots;
    size_t size, used; /* size: 0 or a power of two, at least twice `used` */
} hr_running_total_table;

/* Starts from {0}. */
typedef struct hr_running_total {
    hr_running_total_table parts, groups; /* what each part, and the costliest part of each group, costs */
    hr_units total;
} hr_running_total;

void hr_running_total_done(hr_running_total *running_total);

/* Makes room for one more charge. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_running_total_reserve(hr_running_total *running_total, hr_error *err);

/* The total after a charge of `cost`; costs and totals at most HR_UNITS_MAX. */
hr_units hr_running_total_would_be(const hr_running_total *running_total, uint64_t group, uint64_t part,
                                   hr_units cost);

/* Charges; hr_running_total_reserve must have come before. */
void hr_running_total_add(hr_running_total *running_total, uint64_t group, uint64_t part, hr_units cost);

/* ---- To epsilon and delta ---- */

/* zCDP to (epsilon, delta), CKS 2020 Corollary 13, rounded outwards: the largest rho proved to give (epsilon,
 * delta)-DP, and the smallest epsilon proved for rho and delta. 0 < delta < 1. hr_zcdp_epsilon(hr_zcdp_rho(e,
 * d), d) <= e. */
hr_units hr_zcdp_rho(double epsilon, double delta);
double hr_zcdp_epsilon(hr_units rho, double delta);

/* GDP to (epsilon, delta), rounded outwards: the largest mu^2 proved to give (epsilon, delta)-DP, and the
 * smallest epsilon (a multiple of 2^-40) proved for mu^2 and delta. 0 < delta < 1.
 * hr_gdp_epsilon(hr_gdp_budget(e, d), d) <= e. */
hr_units hr_gdp_budget(double epsilon, double delta);
double hr_gdp_epsilon(hr_units mu2, double delta);

/* The probability that the privacy loss of a Gaussian mechanism with mu exceeds epsilon: Phi(-epsilon/mu +
 * mu/2). And no less than that of any mechanism that is mu-GDP: what is computed from noise, and choices, may
 * exceed it more often than the noise itself. */
double hr_gdp_beyond_gaussian(hr_units mu2, double epsilon);
double hr_gdp_beyond(hr_units mu2, double epsilon);

#endif
