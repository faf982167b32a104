/* Bins must follow the data, and their edges are published: so they are released like everything else, by one of two ways.
 * The cells, the intervals and the number of draws at a level are public or released; the counts are not. */
#include "privacy/quantiles.h"

#include "base/fail.h"
#include "privacy/noise.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Noisy counts are in units of 1/64 of a record: beside a variance in such units the 6 that discrete noise costs under GDP is nothing. */
enum { LEVELS_MAX = 16, UNITS = 64 };

/* Charges one line a level, or nothing at all. `costs` sum to charge->cost, the smallest comes first. */
static hr_status charge_levels(hr_gate *gate, const hr_charge *charge, const hr_units *costs, int levels, uint64_t sensitivity,
                               hr_status (*one)(hr_gate *, const hr_charge *, hr_permit *, hr_error *), hr_permit *permits, hr_error *err) {
    hr_status status = hr_gate_covers(gate, charge, (size_t)levels, err);
    for (int level = 0; level < levels && status == HR_OK; level++) {
        hr_charge line = *charge;
        line.level = level;
        line.cost = costs[level];
        line.sensitivity = sensitivity;
        status = one(gate, &line, &permits[level], err);
    }
    return status;
}

/* ---- Recursive medians --------------------------------------------------------------------------------------------- */

typedef struct medians {
    hr_gate *gate;
    hr_permit permits[LEVELS_MAX];
    int levels;
    hr_exact *left_of; /* left_of[c]: records in the cells 0..c-1 */
    hr_exact *scores;
    uint32_t *cuts;
    size_t count;
} medians;

/* Deeper levels have fewer records in a node, so they get more: level l a part proportional to 1.4^l. */
static void share_out(hr_units cost, int levels, hr_units *costs) {
    double sum = 0;
    for (int l = 0; l < levels; l++) sum += pow(1.4, l);
    hr_units rest = cost;
    for (int l = 0; l + 1 < levels; l++) rest -= costs[l] = hr_units_share(cost, pow(1.4, l) / sum);
    costs[levels - 1] = rest;
}

hr_status hr_quantiles_check_medians(hr_currency currency, const hr_charge *charge, int levels, hr_error *err) {
    hr_units costs[LEVELS_MAX];
    hr_charge first = *charge;
    share_out(charge->cost, levels, costs);
    first.cost = costs[0];
    first.sensitivity = 2;
    return hr_charge_check_choice(currency, &first, err);
}

static void split_at_median(medians *m, uint32_t low, uint32_t high, int level) {
    if (level == m->levels || high - low < 2) return;
    int64_t from = m->left_of[low].unpaid, to = m->left_of[high].unpaid;
    for (uint32_t c = low + 1; c < high; c++) {
        int64_t at = m->left_of[c].unpaid, excess = (at - from) - (to - at);
        m->scores[c - low - 1].unpaid = excess < 0 ? excess : -excess;
    }
    size_t chosen = hr_gate_choose(m->gate, m->permits[level], m->scores, high - low - 1);
    uint32_t cut = low + 1 + (uint32_t)chosen;
    split_at_median(m, low, cut, level + 1);
    m->cuts[m->count++] = cut;
    split_at_median(m, cut, high, level + 1);
}

hr_status hr_quantiles_by_medians(hr_gate *gate, const hr_charge *charge, const hr_exact *cells, int bits, int levels, uint32_t *cuts,
                                  size_t *cut_count, hr_error *err) {
    assert(bits >= 1 && bits <= LEVELS_MAX && levels >= 1 && levels <= LEVELS_MAX);
    uint32_t cell_count = (uint32_t)1 << bits;
    medians m = {.gate = gate, .levels = levels, .cuts = cuts};
    hr_units costs[LEVELS_MAX];
    hr_status status = HR_OK;
    m.left_of = calloc(cell_count + 1, sizeof *m.left_of);
    m.scores = calloc(cell_count, sizeof *m.scores);
    if (!m.left_of || !m.scores) {
        status = hr_fail_memory(err);
        goto out;
    }
    share_out(charge->cost, levels, costs);
    status = charge_levels(gate, charge, costs, levels, 2, hr_gate_charge_choice, m.permits, err);
    if (status) goto out;
    for (uint32_t i = 0; i < cell_count; i++) m.left_of[i + 1].unpaid = m.left_of[i].unpaid + cells[i].unpaid;
    split_at_median(&m, 0, cell_count, 0);
    *cut_count = m.count;
out:
    free(m.left_of);
    free(m.scores);
    return status;
}

/* ---- Noisy dyadic counts ------------------------------------------------------------------------------------------- */

typedef struct dyadic_node {
    hr_exact exact; /* in units, as all counts below */
    hr_noisy noisy;
    bool drawn;
} dyadic_node;

typedef struct dyadic {
    hr_gate *gate;
    hr_permit permits[LEVELS_MAX]; /* of the levels 1..bits below the root */
    int bits;
    dyadic_node *nodes; /* nodes[1] is the root, which is not released; the children of i are 2i and 2i + 1 */
    double noise;       /* standard deviation of a node */
    uint32_t *cuts;
    size_t count;
} dyadic;

static int64_t noisy_count(dyadic *d, size_t i, int level) {
    dyadic_node *node = &d->nodes[i];
    if (!node->drawn) hr_gate_sums(d->gate, d->permits[level - 1], &node->exact, 1, &node->noisy);
    node->drawn = true;
    return node->noisy.paid;
}

static int64_t within(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Splits a node's total among its children so that it is kept: half of what is missing goes to either. A total that is lost in
 * the noise is halved. */
static int64_t left_share(dyadic *d, size_t i, int level, int64_t total) {
    if ((double)total <= 2 * d->noise) return total / 2;
    int64_t left = noisy_count(d, 2 * i, level + 1), right = noisy_count(d, 2 * i + 1, level + 1);
    return within(left + (total - left - right) / 2, 0, total);
}

static int64_t grand_total(dyadic *d) {
    int64_t total = noisy_count(d, 2, 1) + noisy_count(d, 3, 1);
    return total > 0 ? total : 0;
}

/* The estimated count left of a cut. */
static int64_t estimate(dyadic *d, uint32_t cut) {
    int64_t total = grand_total(d), before = 0;
    size_t i = 1;
    if (cut >> d->bits) return total;
    for (int level = 0; level < d->bits; level++) {
        int64_t left = left_share(d, i, level, total);
        bool right = cut >> (d->bits - 1 - level) & 1;
        before += right ? left : 0;
        total = right ? total - left : left;
        i = 2 * i + right;
    }
    return before;
}

/* The cut with nearest to `rank` left of it. */
static uint32_t cut_at_rank(dyadic *d, int64_t rank) {
    int64_t total = grand_total(d);
    size_t i = 1;
    for (int level = 0; level < d->bits; level++) {
        int64_t left = left_share(d, i, level, total);
        bool right = rank > left;
        rank -= right ? left : 0;
        total = right ? total - left : left;
        i = 2 * i + right;
    }
    uint32_t cell = (uint32_t)(i - ((size_t)1 << d->bits));
    return rank > total - rank ? cell + 1 : cell;
}

/* Medians again, read off the estimates: unlike plain quantiles they go around a value that most records share. */
static void split_evenly(dyadic *d, uint32_t low, uint32_t high, size_t parts) {
    if (parts < 2 || high - low < 2) return;
    size_t left_parts = parts / 2;
    int64_t from = estimate(d, low), weight = estimate(d, high) - from;
    double share = (double)left_parts / (double)parts;
    uint32_t cut =
        (double)weight > d->noise ? cut_at_rank(d, from + (int64_t)((double)weight * share)) : low + (uint32_t)((high - low) * share);
    cut = (uint32_t)within(cut, low + 1, high - 1);
    split_evenly(d, low, cut, left_parts);
    d->cuts[d->count++] = cut;
    split_evenly(d, cut, high, parts - left_parts);
}

static void fill_exact_counts(dyadic *d, const hr_exact *cells) {
    size_t cell_count = (size_t)1 << d->bits;
    for (size_t i = 0; i < cell_count; i++) d->nodes[cell_count + i].exact.unpaid = cells[i].unpaid * UNITS;
    for (size_t i = cell_count - 1; i > 0; i--) d->nodes[i].exact.unpaid = d->nodes[2 * i].exact.unpaid + d->nodes[2 * i + 1].exact.unpaid;
}

hr_status hr_quantiles_check_counts(hr_currency currency, const hr_charge *charge, int bits, hr_error *err) {
    hr_charge level = *charge;
    level.cost = charge->cost / (hr_units)bits;
    level.sensitivity = UNITS;
    return hr_charge_check_sums(currency, &level, err);
}

hr_status hr_quantiles_by_counts(hr_gate *gate, const hr_charge *charge, const hr_exact *cells, int bits, size_t parts, uint32_t *cuts,
                                 size_t *cut_count, hr_error *err) {
    assert(bits >= 1 && bits <= LEVELS_MAX && parts >= 1);
    dyadic d = {.gate = gate, .bits = bits, .cuts = cuts};
    hr_units costs[LEVELS_MAX];
    d.nodes = calloc((size_t)2 << bits, sizeof *d.nodes);
    if (!d.nodes) return hr_fail_memory(err);
    for (int l = 0; l < bits; l++) costs[l] = charge->cost / (hr_units)bits;
    hr_status status = charge_levels(gate, charge, costs, bits, UNITS, hr_gate_charge_sums, d.permits, err);
    if (status) goto out;
    d.noise = hr_noise_deviation(hr_gate_currency(gate), costs[0], UNITS);
    fill_exact_counts(&d, cells);
    split_evenly(&d, 0, (uint32_t)1 << bits, parts);
    *cut_count = d.count;
out:
    free(d.nodes);
    return status;
}
