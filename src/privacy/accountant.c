/* What a run has cost is re-added from its list of releases, in integers: anyone who holds a model can do the
 * same sum. */
#include "privacy/accountant.h"

#include "base/fail.h"
#include "privacy/mechanisms.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- Units ---- */

hr_units hr_units_up(double value) {
    assert(value >= 0 && value <= 0x1p20);
    return (hr_units)ceil(value * 0x1p40);
}

hr_units hr_units_down(double value) {
    assert(value >= 0 && value <= 0x1p20);
    return (hr_units)floor(value * 0x1p40);
}

double hr_units_value(hr_units units) {
    double value = (double)units;
    if (value < 0x1p63 && (hr_units)value < units) value = nextafter(value, HUGE_VAL);
    return value * 0x1p-40;
}

hr_units hr_units_share(hr_units units, double share) {
    assert(units <= HR_UNITS_MAX && share >= 0 && share <= 1);
    int exponent;
    uint64_t digits = (uint64_t)(frexp(share, &exponent) * 0x1p53); /* share = digits 2^(exponent - 53) */
    int shift = 53 - exponent;
    return shift > 127 ? 0 : (hr_units)((hr_u128)units * digits >> shift);
}

/* ---- Adding up ---- */

/* A line as it is sorted for adding up. */
typedef struct account_item {
    uint64_t owner, group, part;
    hr_units cost;
} account_item;

static int compare_account_items(const void *a, const void *b) {
    const account_item *x = a, *y = b;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static hr_units add_saturated(hr_units a, hr_units b) {
    return a < HR_UNITS_MAX && b < HR_UNITS_MAX - a ? a + b : HR_UNITS_MAX;
}

/* Of sorted items of one owner. */
static hr_units total_of_owner(const account_item *items, size_t count) {
    hr_units total = 0, costliest = 0, part = 0;
    for (size_t i = 0; i < count; i++) {
        part = add_saturated(part, items[i].cost);
        if (i + 1 < count && compare_account_items(&items[i], &items[i + 1]) == 0) continue;
        costliest = part > costliest ? part : costliest;
        part = 0;
        if (i + 1 < count && items[i].group == items[i + 1].group) continue;
        total = add_saturated(total, costliest);
        costliest = 0;
    }
    return total;
}

static hr_units total_of_items(account_item *items, size_t count) {
    if (count) qsort(items, count, sizeof *items, compare_account_items);
    hr_units of_all = 0, costliest = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && items[end].owner == items[first].owner;) end++;
        hr_units total = total_of_owner(items + first, end - first);
        if (!items[first].owner)
            of_all = total;
        else if (total > costliest)
            costliest = total;
    }
    return add_saturated(of_all, costliest);
}

static hr_units own_cost(const hr_release *r) {
    return r->cost;
}

static hr_units cost_of_one_share(const hr_release *r) {
    const hr_mechanism_info *info = hr_mechanism_info_of(r->mechanism);
    if (r->shares <= 1) return r->cost;
    return info && info->cost_of_one_share ? info->cost_of_one_share(r) : HR_UNITS_MAX;
}

static hr_status add_up(const hr_release *releases, size_t count, hr_units (*cost_of)(const hr_release *),
                        hr_units *total, hr_error *err) {
    account_item *items = calloc(count ? count : 1, sizeof *items);
    if (!items) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        items[i] =
            (account_item){releases[i].owner, releases[i].group, releases[i].part, cost_of(&releases[i])};
    *total = total_of_items(items, count);
    free(items);
    return HR_OK;
}

hr_status hr_account(const hr_release *releases, size_t count, hr_units *total, hr_error *err) {
    return add_up(releases, count, own_cost, total, err);
}

hr_status hr_account_alone(const hr_release *releases, size_t count, hr_units *total, hr_error *err) {
    return add_up(releases, count, cost_of_one_share, total, err);
}

/* ---- The running total of a gate ---- */

void hr_running_total_done(hr_running_total *running_total) {
    free(running_total->parts.slots);
    free(running_total->groups.slots);
    *running_total = (hr_running_total){0};
}

static size_t mix_slot_key(uint64_t group, uint64_t part) {
    uint64_t h = group * 0x9e3779b97f4a7c15u + part;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of a key, or the free one where it belongs. NULL in a table without slots. */
static hr_running_total_slot *find_slot(const hr_running_total_table *table, uint64_t group, uint64_t part) {
    if (!table->size) return NULL;
    for (size_t i = mix_slot_key(group, part);; i++) {
        hr_running_total_slot *slot = &table->slots[i & (table->size - 1)];
        if (!slot->used || (slot->group == group && slot->part == part)) return slot;
    }
}

static hr_units slot_cost_of(const hr_running_total_table *table, uint64_t group, uint64_t part) {
    const hr_running_total_slot *slot = find_slot(table, group, part);
    return slot && slot->used ? slot->cost : 0;
}

static void set_cost(hr_running_total_table *table, uint64_t group, uint64_t part, hr_units cost) {
    hr_running_total_slot *slot = find_slot(table, group, part);
    if (!slot->used) table->used++;
    *slot = (hr_running_total_slot){group, part, cost, true};
}

static hr_status grow_table(hr_running_total_table *table, hr_error *err) {
    if (2 * (table->used + 1) <= table->size) return HR_OK;
    hr_running_total_table larger = {.size = table->size ? 2 * table->size : 64};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots) return hr_fail_memory(err);
    for (size_t i = 0; i < table->size; i++) {
        const hr_running_total_slot *slot = &table->slots[i];
        if (slot->used) set_cost(&larger, slot->group, slot->part, slot->cost);
    }
    free(table->slots);
    *table = larger;
    return HR_OK;
}

hr_status hr_running_total_reserve(hr_running_total *running_total, hr_error *err) {
    hr_status status = grow_table(&running_total->parts, err);
    return status ? status : grow_table(&running_total->groups, err);
}

/* What the group costs once `cost` is added to the part. */
static hr_units group_cost(const hr_running_total *running_total, uint64_t group, uint64_t part,
                           hr_units cost) {
    hr_units of_part = slot_cost_of(&running_total->parts, group, part) + cost;
    hr_units costliest = slot_cost_of(&running_total->groups, group, 0);
    return of_part > costliest ? of_part : costliest;
}

hr_units hr_running_total_would_be(const hr_running_total *running_total, uint64_t group, uint64_t part,
                                   hr_units cost) {
    return running_total->total - slot_cost_of(&running_total->groups, group, 0) +
           group_cost(running_total, group, part, cost);
}

void hr_running_total_add(hr_running_total *running_total, uint64_t group, uint64_t part, hr_units cost) {
    hr_units of_group = group_cost(running_total, group, part, cost);
    running_total->total = hr_running_total_would_be(running_total, group, part, cost);
    set_cost(&running_total->parts, group, part, slot_cost_of(&running_total->parts, group, part) + cost);
    set_cost(&running_total->groups, group, 0, of_group);
}

/* ---- Whether the lines justify their costs ---- */

static int compare_owner_then_place(const void *a, const void *b) {
    const hr_release *x = *(const hr_release *const *)a, *y = *(const hr_release *const *)b;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    return (x > y) - (x < y);
}

/* Of the lines of one owner, in the order of the list: what those after each cost in all. 0 if all cost
 * HR_UNITS_MAX or more. */
static hr_status find_rests_of_owner(const hr_release *const *lines, size_t count, const hr_release *first,
                                     hr_units *rests, hr_error *err) {
    account_item *items = calloc(count, sizeof *items);
    if (!items) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        items[i] = (account_item){lines[i]->owner, lines[i]->group, lines[i]->part, lines[i]->cost};
    const hr_units total = total_of_items(items, count);
    free(items);
    hr_running_total so_far = {0};
    hr_status status = HR_OK;
    for (size_t i = 0; !status && total < HR_UNITS_MAX && i < count; i++) {
        status = hr_running_total_reserve(&so_far, err);
        if (status) break;
        hr_running_total_add(&so_far, lines[i]->group, lines[i]->part, lines[i]->cost);
        rests[lines[i] - first] = total - so_far.total;
    }
    hr_running_total_done(&so_far);
    return status;
}

static hr_status find_rests(const hr_release *releases, size_t count, hr_units *rests, hr_error *err) {
    const hr_release **lines = calloc(count + 1, sizeof *lines);
    if (!lines) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) lines[i] = &releases[i];
    qsort(lines, count, sizeof *lines, compare_owner_then_place);
    hr_status status = HR_OK;
    for (size_t begin = 0, end; !status && begin < count; begin = end) {
        for (end = begin + 1; end < count && lines[end]->owner == lines[begin]->owner;) end++;
        status = find_rests_of_owner(lines + begin, end - begin, releases, rests, err);
    }
    free(lines);
    return status;
}

static bool release_covers(const hr_release *r, hr_units rest, hr_privacy_measure privacy_measure) {
    const hr_mechanism_info *info = hr_mechanism_info_of(r->mechanism);
    hr_release line = *r;
    line.rest = rest;
    return info && hr_shares_fit(r) && info->covers(&line, privacy_measure);
}

hr_status hr_account_check(const hr_release *releases, size_t count, hr_privacy_measure privacy_measure,
                           hr_error *err) {
    hr_units *rests = calloc(count + 1, sizeof *rests);
    if (!rests) return hr_fail_memory(err);
    hr_status status = privacy_measure == HR_PRIVACY_GDP ? find_rests(releases, count, rests, err) : HR_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (!release_covers(&releases[i], rests[i], privacy_measure))
            status = hr_fail(err, HR_E_POLICY, "do not rely on the privacy statement of this model",
                             "release %zu ('%s', %s): its scale does not justify its cost", i,
                             releases[i].what, hr_mechanism_text(releases[i].mechanism));
    free(rests);
    return status;
}

/* ---- zCDP to (epsilon, delta) ---- */

/* For every alpha = 1 + x, x > 0: epsilon = alpha rho + (ln(1/delta) - ln x - alpha ln(1 + 1/x)) / x holds
 * (CKS 2020, Corollary 13, solved for epsilon). Every x of the grid gives a valid bound; the best is within
 * 1e-6 of the best of all x. */
enum { MIN_POWER = -20, LARGEST_POWER = 30, STEPS = 256, STRIDE = 64 };

/* Relative to the sizes of what is added up. Each of at most ten operations errs by at most 4 units of 2^-53.
 */
static const double ROUNDING = 0x1p-46;

typedef struct tangent {
    double alpha, offset, error; /* epsilon >= alpha rho + offset; |error of offset| <= error */
} tangent;

static tangent tangent_at(int k, double delta) {
    double x = exp2((double)k / STEPS);
    double a = -log(delta), b = log(x), c = (1 + x) * log1p(1 / x);
    return (tangent){1 + x, (a - b - c) / x, (fabs(a) + fabs(b) + c) / x * ROUNDING};
}

hr_units hr_zcdp_rho(double epsilon, double delta) {
    assert(epsilon >= 0 && delta > 0 && delta < 1);
    double best = 0;
    for (int k = MIN_POWER * STEPS; k <= LARGEST_POWER * STEPS; k++) {
        tangent t = tangent_at(k, delta);
        /* more margin than needed, so that hr_zcdp_epsilon gives back no more than the epsilon given */
        double rho = (epsilon - t.offset - 2 * t.error - 3 * (epsilon + fabs(t.offset)) * ROUNDING) / t.alpha;
        best = rho > best ? rho : best;
    }
    return hr_units_down(best < 0x1p20 ? best : 0x1p20);
}

static double epsilon_at(int k, double rho, double delta) {
    tangent t = tangent_at(k, delta);
    return t.alpha * rho + t.offset + t.error + (t.alpha * rho + fabs(t.offset)) * ROUNDING;
}

/* Over the grid epsilon falls, then rises (accountant.proof.md): the best point is between the neighbours of
 * the best of every STRIDE-th. */
double hr_zcdp_epsilon(hr_units rho, double delta) {
    assert(rho <= HR_UNITS_MAX && delta > 0 && delta < 1);
    const int first = MIN_POWER * STEPS, last = LARGEST_POWER * STEPS;
    const double value = hr_units_value(rho);
    double best = HUGE_VAL;
    int near = first;
    for (int k = first; k <= last; k += STRIDE) {
        const double epsilon = epsilon_at(k, value, delta);
        if (epsilon < best) near = k;
        best = fmin(best, epsilon);
    }
    const int end = near + STRIDE < last ? near + STRIDE : last;
    for (int k = near - STRIDE > first ? near - STRIDE : first; k < end; k++)
        best = fmin(best, epsilon_at(k, value, delta));
    return fmax(best, 0);
}
