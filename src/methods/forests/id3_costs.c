#include "methods/forests/id3_costs.h"

#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "trees/tree/tree.h"

#include <math.h>

/* Numbers of a question, at most; of one whose answers are messages. What would exceed them, or the nodes of
 * a tree, becomes a leaf, in order of nodes: a public rule. */
enum { VALUES_MAX = 1 << 20, SHARED_VALUES_MAX = 1 << 19 };

/* Chosen on nursery, car, mushroom, votes and tic_tac_toe. */
static const double RECORDS_SHARE = .02;
static const double RECORDS_PER_NOISE = 8;

/* ---- Charges ---- */

/* Of a record's counts in so many tables: their L1 or L2 length. */
static uint64_t tables_sensitivity(hr_privacy_measure privacy_measure, size_t tables) {
    if (privacy_measure == HR_PRIVACY_PURE) return tables * HR_COUNT_SENSITIVITY;
    return (uint64_t)ceil(sqrt((double)tables) * HR_COUNT_SENSITIVITY);
}

hr_charge hr_id3_level_charge(hr_privacy_measure privacy_measure, size_t features, size_t level,
                              hr_units cost) {
    return (hr_charge){.what = "level class counts",
                       .tree = 0,
                       .level = (int64_t)level,
                       .cost = cost,
                       .sensitivity = tables_sensitivity(privacy_measure, features - level)};
}

static hr_charge one_count_charge(const char *what, hr_units cost) {
    return (hr_charge){
        .what = what, .tree = 0, .level = -1, .cost = cost, .sensitivity = HR_COUNT_SENSITIVITY};
}

hr_charge hr_id3_leaf_charge(hr_units cost) {
    return one_count_charge("leaf class count", cost);
}

hr_charge hr_id3_records_charge(hr_units cost) {
    return one_count_charge("records by class", cost);
}

hr_charge hr_id3_published_charge(const hr_id3_terms *t) {
    hr_charge charge = one_count_charge("all class counts", t->budget);
    charge.group = t->first_group;
    return charge;
}

/* ---- Costs ---- */

static hr_units leaf_cost(const hr_id3_terms *t) {
    return hr_units_share(t->budget, t->leaf_share);
}

/* Half of what the leaves leave at most: levels cost something, too. */
hr_units hr_id3_records_cost(const hr_id3_terms *t) {
    const hr_units usual = hr_units_share(t->budget, RECORDS_SHARE), most = (t->budget - leaf_cost(t)) / 2;
    return t->depth ? 0 : usual < most ? usual : most;
}

hr_units hr_id3_level_cost(const hr_id3_terms *t, size_t levels) {
    return (t->budget - leaf_cost(t) - hr_id3_records_cost(t)) / (levels + t->reserve);
}

double hr_id3_count_noise(const hr_id3_terms *t, const hr_charge *charge) {
    return hr_noise_deviation(t->privacy_measure, charge->cost, (double)charge->sensitivity) / HR_COUNT_UNIT;
}

/* ---- Limits ---- */

size_t hr_id3_values_max(const hr_id3_terms *t) {
    return t->shares ? SHARED_VALUES_MAX : VALUES_MAX;
}

size_t hr_id3_table_values(const hr_id3_terms *t, uint32_t feature) {
    return t->binning->features[feature].bin_count * (t->classes + t->published);
}

/* A sum of any owners: with as many shares that count as there can be, or one. */
static hr_status check_charge(const hr_id3_terms *t, const hr_charge *charge, hr_error *err) {
    if (!t->shares) return hr_charge_check_sums(t->privacy_measure, charge, err);
    hr_status status = hr_charge_check_share(t->privacy_measure, charge, t->shares, err);
    return status ? status : hr_charge_check_share(t->privacy_measure, charge, 1, err);
}

static hr_charge level_charge(const hr_id3_terms *t, size_t level, size_t levels) {
    return hr_id3_level_charge(t->privacy_measure, t->binning->feature_count, level,
                               hr_id3_level_cost(t, levels));
}

static hr_status check_levels(const hr_id3_terms *t, size_t levels, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t level = 0; !status && level < levels; level++) {
        const hr_charge charge = level_charge(t, level, levels);
        status = check_charge(t, &charge, err);
    }
    return status;
}

/* Leaves cost their part at least; where the tree ends early, what levels left of the budget too. */
static hr_status check_leaves(const hr_id3_terms *t, hr_error *err) {
    const hr_units count = hr_id3_records_cost(t);
    const hr_charge least = t->published ? hr_id3_published_charge(t) : hr_id3_leaf_charge(leaf_cost(t)),
                    most = hr_id3_leaf_charge(t->budget - count - hr_id3_level_cost(t, hr_id3_depth(t))),
                    records = hr_id3_records_charge(count);
    hr_status status = check_charge(t, &least, err);
    if (!status && !t->depth) status = check_charge(t, &records, err);
    return status || t->published ? status : check_charge(t, &most, err);
}

hr_status hr_id3_check(const hr_id3_terms *t, hr_error *err) {
    size_t values = 0;
    if (t->published && !t->depth)
        return hr_fail_at(err,
                          hr_fail(err, HR_E_ARGUMENT, "allowed in mode paper: 1..12",
                                  "option depth: 0 is for mode sound, whose noisy counts say how many "
                                  "levels there may be"),
                          NULL, 0, 0, "depth");
    for (uint32_t f = 0; f < t->binning->feature_count; f++) values += hr_id3_table_values(t, f);
    if (values > hr_id3_values_max(t))
        return hr_fail(err, HR_E_LIMIT, "use fewer features, or fewer bins of numbers",
                       "id3 asks for %zu counts at once, of at most %zu", values, hr_id3_values_max(t));
    hr_status status = check_leaves(t, err);
    return status || t->published ? status : check_levels(t, t->depth ? hr_id3_depth(t) : 1, err);
}

/* ---- Depth ---- */

size_t hr_id3_depth(const hr_id3_terms *t) {
    const size_t most = t->depth ? t->depth : HR_TREE_DEPTH_MAX;
    return most < t->binning->feature_count ? most : t->binning->feature_count;
}

/* Values that a feature is split into, on average; missing ones are few. */
static double mean_values(const hr_binning *binning) {
    double bins = 0;
    for (size_t f = 0; f < binning->feature_count; f++) bins += binning->features[f].bin_count - 1;
    return fmax(bins / (double)binning->feature_count, 1);
}

size_t hr_id3_depth_of_records(const hr_id3_terms *t, double records, double noise_factor) {
    const size_t most = hr_id3_depth(t);
    const double values = mean_values(t->binning);
    size_t depth = t->depth ? most : 1;
    for (double in_node = records / values; depth < most; depth++, in_node /= values) {
        const hr_charge last = level_charge(t, depth, depth + 1);
        const double noise = noise_factor * hr_id3_count_noise(t, &last);
        if (in_node < RECORDS_PER_NOISE * noise || check_levels(t, depth + 1, NULL)) break;
    }
    return depth;
}
