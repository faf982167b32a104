#include "privacy/quantile_machine.h"

#include "base/fail.h"

#include <assert.h>
#include <stdlib.h>

static int by_place(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* ---- Recursive medians ---- */

void hr_quantile_medians_init(hr_quantile_medians *m, int bits, int levels, uint32_t *cuts) {
    assert(bits >= 1 && bits <= HR_QUANTILE_BITS_MAX && levels >= 1 && levels <= HR_QUANTILE_BITS_MAX);
    *m = (hr_quantile_medians){
        .levels = levels, .open = {{0, (uint32_t)1 << bits, 0}}, .open_count = 1, .cuts = cuts};
}

bool hr_quantile_medians_next(hr_quantile_medians *m, hr_median_interval *out) {
    for (; m->open_count; m->open_count--) {
        const hr_median_interval *top = &m->open[m->open_count - 1];
        if (top->level == m->levels || top->high - top->low < 2) continue;
        *out = *top;
        return true;
    }
    qsort(m->cuts, m->cut_count, sizeof *m->cuts, by_place);
    return false;
}

/* The left part is next. */
void hr_quantile_medians_accept(hr_quantile_medians *m, uint32_t cut) {
    hr_median_interval top = m->open[--m->open_count];
    m->cuts[m->cut_count++] = cut;
    m->open[m->open_count++] = (hr_median_interval){cut, top.high, top.level + 1};
    m->open[m->open_count++] = (hr_median_interval){top.low, cut, top.level + 1};
}

/* ---- Noisy dyadic counts ---- */

typedef struct node_count {
    int64_t count;
    bool known;
} node_count;

/* Of cells, to be cut into parts. */
typedef struct interval {
    uint32_t low, high;
    size_t parts;
} interval;

struct hr_quantile_counts {
    int bits;
    double noise;
    node_count *nodes;
    size_t wanted; /* whose children the last question lacks */
    interval open[HR_QUANTILE_BITS_MAX + 2];
    size_t open_count;
    uint32_t *cuts;
    size_t cut_count;
};

hr_status hr_quantile_counts_new(int bits, size_t parts, double noise, hr_quantile_counts **out,
                                 hr_error *err) {
    assert(bits >= 1 && bits <= HR_QUANTILE_BITS_MAX && parts >= 1 && parts <= HR_QUANTILE_PARTS_MAX);
    hr_quantile_counts *q = calloc(1, sizeof *q);
    if (!q) return hr_fail_memory(err);
    *q = (hr_quantile_counts){
        .bits = bits, .noise = noise, .open = {{0, (uint32_t)1 << bits, parts}}, .open_count = 1};
    q->nodes = calloc((size_t)2 << bits, sizeof *q->nodes);
    q->cuts = malloc(parts * sizeof *q->cuts);
    if (!q->nodes || !q->cuts) {
        hr_quantile_counts_free(q);
        return hr_fail_memory(err);
    }
    *out = q;
    return HR_OK;
}

void hr_quantile_counts_free(hr_quantile_counts *q) {
    if (!q) return;
    free(q->nodes);
    free(q->cuts);
    free(q);
}

static int64_t within(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* The functions below are false where they lack the counts of a pair of children. */
static bool knows_children(hr_quantile_counts *q, size_t i) {
    q->wanted = i;
    return q->nodes[2 * i].known && q->nodes[2 * i + 1].known;
}

static bool grand_total(hr_quantile_counts *q, int64_t *total) {
    if (!knows_children(q, 1)) return false;
    int64_t sum = q->nodes[2].count + q->nodes[3].count;
    *total = sum > 0 ? sum : 0;
    return true;
}

/* Such a total does not stand out of the noise: it is halved, whatever its children. */
static bool is_below_noise(const hr_quantile_counts *q, int64_t total) {
    return (double)total <= 2 * q->noise;
}

/* Splits a node's total among its children so that it is kept: half of what is missing goes to either. */
static int64_t share_of_left(const hr_quantile_counts *q, size_t i, int64_t total) {
    if (is_below_noise(q, total)) return total / 2;
    int64_t left = q->nodes[2 * i].count, right = q->nodes[2 * i + 1].count;
    return within(left + (total - left - right) / 2, 0, total);
}

static bool left_share(hr_quantile_counts *q, size_t i, int64_t total, int64_t *left) {
    if (!is_below_noise(q, total) && !knows_children(q, i)) return false;
    *left = share_of_left(q, i, total);
    return true;
}

/* The estimated count left of a cut. */
static bool estimate(hr_quantile_counts *q, uint32_t cut, int64_t *before) {
    int64_t total, left;
    size_t i = 1;
    if (!grand_total(q, &total)) return false;
    *before = cut >> q->bits ? total : 0;
    for (int level = 0; !(cut >> q->bits) && level < q->bits; level++) {
        if (!left_share(q, i, total, &left)) return false;
        bool right = cut >> (q->bits - 1 - level) & 1;
        *before += right ? left : 0;
        total = right ? total - left : left;
        i = 2 * i + right;
    }
    return true;
}

/* The cut with nearest to `rank` left of it. */
static bool cut_at_rank(hr_quantile_counts *q, int64_t rank, uint32_t *cut) {
    int64_t total, left;
    size_t i = 1;
    if (!grand_total(q, &total)) return false;
    for (int level = 0; level < q->bits; level++) {
        if (!left_share(q, i, total, &left)) return false;
        bool right = rank > left;
        rank -= right ? left : 0;
        total = right ? total - left : left;
        i = 2 * i + right;
    }
    uint32_t cell = (uint32_t)(i - ((size_t)1 << q->bits));
    *cut = rank > total - rank ? cell + 1 : cell;
    return true;
}

/* Medians again, read off the estimates: unlike plain quantiles they go around a value that most records
 * share. */
static bool cut_evenly(hr_quantile_counts *q, const interval *of, uint32_t *cut) {
    int64_t from, to;
    if (!estimate(q, of->low, &from) || !estimate(q, of->high, &to)) return false;
    int64_t weight = to - from;
    double share = (double)(of->parts / 2) / (double)of->parts;
    *cut = of->low + (uint32_t)((of->high - of->low) * share);
    if ((double)weight > q->noise && !cut_at_rank(q, from + (int64_t)((double)weight * share), cut))
        return false;
    *cut = (uint32_t)within(*cut, of->low + 1, of->high - 1);
    return true;
}

/* The left part is next. */
static void divide_quantile_machine(hr_quantile_counts *q, uint32_t cut) {
    interval top = q->open[--q->open_count];
    q->cuts[q->cut_count++] = cut;
    q->open[q->open_count++] = (interval){cut, top.high, top.parts - top.parts / 2};
    q->open[q->open_count++] = (interval){top.low, cut, top.parts / 2};
}

static int level_of(size_t node) {
    int level = 0;
    while (node >>= 1) level++;
    return level;
}

/* A cut that lacks a pair is looked for again when the pair is there: what is known is kept. */
bool hr_quantile_counts_next(hr_quantile_counts *q, size_t *node, int *level) {
    while (q->open_count) {
        const interval *top = &q->open[q->open_count - 1];
        uint32_t cut;
        if (top->parts < 2 || top->high - top->low < 2) {
            q->open_count--;
        } else if (cut_evenly(q, top, &cut)) {
            divide_quantile_machine(q, cut);
        } else {
            *node = 2 * q->wanted;
            *level = level_of(*node);
            return true;
        }
    }
    qsort(q->cuts, q->cut_count, sizeof *q->cuts, by_place);
    return false;
}

/* Below node i, at a level whose nodes have the adjusted total `total`. */
static size_t add_wanted(const hr_quantile_counts *q, size_t i, int64_t total, int levels, size_t *nodes) {
    if (is_below_noise(q, total)) return 0;
    if (levels == 1) {
        nodes[0] = 2 * i;
        nodes[1] = 2 * i + 1;
        return 2;
    }
    int64_t left = share_of_left(q, i, total);
    size_t count = add_wanted(q, 2 * i, left, levels - 1, nodes);
    return count + add_wanted(q, 2 * i + 1, total - left, levels - 1, nodes + count);
}

size_t hr_quantile_counts_level(const hr_quantile_counts *q, int level, size_t *nodes) {
    assert(level >= 1 && level <= q->bits);
    if (level == 1) {
        nodes[0] = 2;
        nodes[1] = 3;
        return 2;
    }
    int64_t total = q->nodes[2].count + q->nodes[3].count;
    return add_wanted(q, 1, total > 0 ? total : 0, level, nodes);
}

/* No sum of a few counts overflows, whatever they are. */
void hr_quantile_counts_accept(hr_quantile_counts *q, size_t node, hr_noisy value) {
    const int64_t most = (int64_t)1 << 60;
    q->nodes[node] = (node_count){within(value.paid, -most, most), true};
}

size_t hr_quantile_counts_cuts(const hr_quantile_counts *q, uint32_t *cuts) {
    for (size_t i = 0; i < q->cut_count; i++) cuts[i] = q->cuts[i];
    return q->cut_count;
}
