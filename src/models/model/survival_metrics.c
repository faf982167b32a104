#include "base/fail.h"
#include "tables/schema/survival_code.h"

#include <hedgerow/survival.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MIN_PROBABILITY = 1e-15;

/* ---- Arguments ---- */

static hr_status refuse_record(size_t row, const char *what, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT, "give times and weights that are finite and not negative, and risks",
                   "record %zu: the %s cannot be used", row + 1, what);
}

static bool is_amount(double value) {
    return value >= 0 && isfinite(value);
}

static hr_status check_records(const hr_followed_records *records, hr_error *err) {
    for (size_t i = 0; i < records->count; i++) {
        if (!is_amount(records->times[i])) return refuse_record(i, "time", err);
        if (records->events[i] > 1) return refuse_record(i, "event", err);
        if (records->weights && !is_amount(records->weights[i])) return refuse_record(i, "weight", err);
    }
    return HR_OK;
}

static hr_status check_curves(const hr_survival_curves *curves, size_t count, hr_error *err) {
    for (size_t k = 0; k < curves->cut_count; k++)
        if (!(curves->cuts[k] > (k ? curves->cuts[k - 1] : 0)) || !isfinite(curves->cuts[k]))
            return hr_fail(err, HR_E_ARGUMENT, "give increasing times above 0", "cut %zu cannot be used",
                           k + 1);
    for (size_t i = 0; i < count * curves->cut_count; i++)
        if (!(curves->survival[i] >= 0 && curves->survival[i] <= 1))
            return refuse_record(i / curves->cut_count, "survival", err);
    return curves->cut_count ? HR_OK : hr_fail(err, HR_E_ARGUMENT, "give one cut or more", "no cuts");
}

/* ---- Records in the order of their times ---- */

typedef struct followed {
    double time, weight;
    bool event;
    size_t row;
    double later; /* the weight of all records of later times */
    double free;  /* Pr(a follow-up lasts until this time) */
} followed;

typedef struct timeline {
    followed *records; /* by time; events before ends of the same time */
    size_t count;
    double weight; /* of all */
    double free;   /* after all times */
} timeline;

static int by_time(const void *a, const void *b) {
    const followed *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->event != y->event) return x->event ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static size_t end_of_time(const timeline *line, size_t begin) {
    size_t end = begin;
    while (end < line->count && line->records[end].time == line->records[begin].time) end++;
    return end;
}

/* The weight of events among records of one time. */
static double weight_of_events(const timeline *line, size_t begin, size_t end) {
    double events = 0;
    for (size_t i = begin; i < end && line->records[i].event; i++) events += line->records[i].weight;
    return events;
}

static void find_later(timeline *line) {
    double later = 0, here = 0;
    for (size_t i = line->count; i-- > 0;) {
        if (i + 1 < line->count && line->records[i].time != line->records[i + 1].time)
            later += here, here = 0;
        line->records[i].later = later;
        here += line->records[i].weight;
    }
    line->weight = later + here;
}

/* Kaplan and Meier's estimate for ends of follow-ups. Those who have their event at that time are no longer
 * followed. */
static void find_free(timeline *line) {
    line->free = 1;
    for (size_t begin = 0, end; begin < line->count; begin = end) {
        end = end_of_time(line, begin);
        double ended = -weight_of_events(line, begin, end);
        for (size_t i = begin; i < end; i++) {
            line->records[i].free = line->free;
            ended += line->records[i].weight;
        }
        const double later = line->records[begin].later;
        if (!line->records[end - 1].event && later + ended > 0) line->free *= later / (later + ended);
    }
}

/* Owner: the caller frees line->records. */
static hr_status make_timeline(const hr_followed_records *records, timeline *line, hr_error *err) {
    *line = (timeline){.count = records->count};
    hr_status status = check_records(records, err);
    if (status) return status;
    line->records = calloc(line->count + 1, sizeof *line->records);
    if (!line->records) return hr_fail_memory(err);
    for (size_t i = 0; i < line->count; i++)
        line->records[i] = (followed){.time = records->times[i],
                                      .weight = records->weights ? records->weights[i] : 1,
                                      .event = records->events[i],
                                      .row = i};
    qsort(line->records, line->count, sizeof *line->records, by_time);
    find_later(line);
    find_free(line);
    return HR_OK;
}

/* Pr(a follow-up lasts until `time`). */
static double free_at(const timeline *line, double time) {
    size_t low = 0, high = line->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (line->records[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < line->count ? line->records[low].free : line->free;
}

static double kaplan_meier_at(const timeline *line, double at) {
    double survival = isnan(at) ? at : 1;
    size_t begin = 0;
    for (size_t end; begin < line->count && line->records[begin].time <= at; begin = end) {
        end = end_of_time(line, begin);
        const double events = weight_of_events(line, begin, end);
        double left = line->records[begin].later;
        for (size_t i = begin; i < end; i++)
            if (!line->records[i].event) left += line->records[i].weight;
        if (events > 0) survival *= left / (left + events);
    }
    const bool is_known = begin < line->count || (begin && line->records[begin - 1].time == at);
    return is_known || survival == 0 ? survival : (double)NAN;
}

hr_status hr_kaplan_meier(const hr_followed_records *records, const double *at, size_t count, double *out,
                          hr_error *err) {
    timeline line;
    hr_status status = make_timeline(records, &line, err);
    for (size_t i = 0; !status && i < count; i++) out[i] = kaplan_meier_at(&line, at[i]);
    free(line.records);
    return status;
}

/* ---- Concordance ---- */

/* Weights by rank of the risk, in a Fenwick tree: sums[i] is that of the ranks i - (i & -i) .. i - 1. */
typedef struct risk_sums {
    size_t *ranks; /* by row; equal risks have the same one */
    double *sums;  /* 1 .. size */
    size_t size;
    double all;
} risk_sums;

static void add_risk(risk_sums *of, const followed *f) {
    for (size_t i = of->ranks[f->row] + 1; i <= of->size; i += i & -i) of->sums[i] += f->weight;
    of->all += f->weight;
}

static double sum_below(const risk_sums *of, size_t rank) {
    double sum = 0;
    for (size_t i = rank; i; i -= i & -i) sum += of->sums[i];
    return sum;
}

typedef struct row_value {
    double value;
    size_t row;
} row_value;

static int by_value(const void *a, const void *b) {
    const row_value *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Owner: the caller frees *out. */
static hr_status sort_rows(const double *values, size_t stride, size_t count, row_value **out,
                           hr_error *err) {
    row_value *sorted = *out = calloc(count + 1, sizeof *sorted);
    if (!sorted) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) sorted[i] = (row_value){values[i * stride], i};
    qsort(sorted, count, sizeof *sorted, by_value);
    return HR_OK;
}

/* Owner: the caller frees out->ranks and out->sums. */
static hr_status rank_risks(const double *risks, size_t count, risk_sums *out, hr_error *err) {
    row_value *sorted = NULL;
    for (size_t i = 0; i < count; i++)
        if (isnan(risks[i])) return refuse_record(i, "risk", err);
    out->ranks = calloc(count + 1, sizeof *out->ranks);
    out->sums = calloc(count + 1, sizeof *out->sums);
    if (!out->ranks || !out->sums) return hr_fail_memory(err);
    hr_status status = sort_rows(risks, 1, count, &sorted, err);
    for (size_t i = 0; !status && i < count; i++) {
        if (!i || sorted[i].value != sorted[i - 1].value) out->size++;
        out->ranks[sorted[i].row] = out->size - 1;
    }
    free(sorted);
    return status;
}

/* From the last time to the first, so that the sums hold those whose event comes later. */
static double concordance_of(const timeline *line, const double *factors, risk_sums *sums) {
    double won = 0, pairs = 0;
    for (size_t end = line->count, begin; end; end = begin) {
        size_t ends = begin = end;
        while (begin && line->records[begin - 1].time == line->records[end - 1].time)
            if (!line->records[--begin].event) add_risk(sums, &line->records[ends = begin]);
        for (size_t i = begin; i < ends; i++) {
            const size_t rank = sums->ranks[line->records[i].row];
            won += factors[i] * (sum_below(sums, rank) + sum_below(sums, rank + 1)) / 2;
            pairs += factors[i] * sums->all;
        }
        for (size_t i = begin; i < ends; i++) add_risk(sums, &line->records[i]);
    }
    return pairs > 0 ? won / pairs : (double)NAN;
}

typedef double pair_factor(const followed *first, double horizon);

static double weight_alone(const followed *first, double horizon) {
    (void)horizon;
    return first->weight;
}

static double weight_if_free(const followed *first, double horizon) {
    return first->weight > 0 && first->time < horizon ? first->weight / (first->free * first->free) : 0;
}

static hr_status find_concordance(const timeline *line, const double *risks, pair_factor *factor,
                                  double horizon, double *out, hr_error *err) {
    risk_sums sums = {0};
    double *factors = calloc(line->count + 1, sizeof *factors);
    hr_status status = factors ? rank_risks(risks, line->count, &sums, err) : hr_fail_memory(err);
    if (!status) {
        for (size_t i = 0; i < line->count; i++) factors[i] = factor(&line->records[i], horizon);
        *out = concordance_of(line, factors, &sums);
    }
    free(sums.ranks);
    free(sums.sums);
    free(factors);
    return status;
}

hr_status hr_concordance(const hr_followed_records *records, const double *risks, double *out,
                         hr_error *err) {
    timeline line;
    hr_status status = make_timeline(records, &line, err);
    if (!status) status = find_concordance(&line, risks, weight_alone, (double)INFINITY, out, err);
    free(line.records);
    return status;
}

hr_status hr_concordance_uno(const hr_followed_records *records, const double *risks, double horizon,
                             double *out, hr_error *err) {
    timeline line;
    hr_status status = make_timeline(records, &line, err);
    if (!status) status = find_concordance(&line, risks, weight_if_free, horizon, out, err);
    free(line.records);
    return status;
}

/* ---- Brier score ---- */

static double brier_at(const timeline *line, const hr_survival_curves *curves, size_t k) {
    const double cut = curves->cuts[k], followed_so_long = free_at(line, cut);
    double sum = 0;
    if (!(followed_so_long > 0 && line->weight > 0)) return (double)NAN;
    for (size_t i = 0; i < line->count; i++) {
        const followed *f = &line->records[i];
        const double survival = curves->survival[f->row * curves->cut_count + k];
        if (f->weight == 0) continue;
        if (f->event && f->time <= cut)
            sum += f->weight * survival * survival / f->free;
        else if (f->time >= cut)
            sum += f->weight * (1 - survival) * (1 - survival) / followed_so_long;
    }
    return sum / line->weight;
}

hr_status hr_brier_scores(const hr_followed_records *records, const hr_survival_curves *curves, double *out,
                          hr_error *err) {
    timeline line;
    hr_status status = make_timeline(records, &line, err);
    if (!status) status = check_curves(curves, records->count, err);
    for (size_t k = 0; !status && k < curves->cut_count; k++) out[k] = brier_at(&line, curves, k);
    free(line.records);
    return status;
}

double hr_brier_integrated(const double *cuts, const double *scores, size_t count) {
    double area = 0;
    if (count < 2) return count ? scores[0] : (double)NAN;
    for (size_t k = 1; k < count; k++) area += (cuts[k] - cuts[k - 1]) * (scores[k] + scores[k - 1]) / 2;
    return area / (cuts[count - 1] - cuts[0]);
}

/* ---- Calibration ---- */

/* Records in the order of their predictions: of one allocation, which the caller frees at `times`. */
typedef struct predicted_order {
    double *times, *weights, *survival;
    uint8_t *events;
} predicted_order;

static hr_status order_by_prediction(const hr_followed_records *records, const row_value *sorted,
                                     predicted_order *out, hr_error *err) {
    const size_t count = records->count;
    double *room = calloc(count + 1, 3 * sizeof *room + 1);
    if (!room) return hr_fail_memory(err);
    *out = (predicted_order){room, room + count, room + 2 * count, (uint8_t *)(room + 3 * count)};
    for (size_t i = 0; i < count; i++) {
        out->times[i] = records->times[sorted[i].row];
        out->weights[i] = records->weights ? records->weights[sorted[i].row] : 1;
        out->survival[i] = sorted[i].value;
        out->events[i] = records->events[sorted[i].row];
    }
    return HR_OK;
}

static hr_status look_at_group(const predicted_order *o, size_t begin, size_t end, double at,
                               hr_survival_group *out, hr_error *err) {
    const hr_followed_records part = {end - begin, o->times + begin, o->events + begin, o->weights + begin};
    double sum = 0, weight = 0;
    for (size_t i = begin; i < end; i++) {
        sum += o->weights[i] * o->survival[i];
        weight += o->weights[i];
    }
    *out = (hr_survival_group){end - begin, weight, weight > 0 ? sum / weight : (double)NAN, (double)NAN};
    return weight > 0 ? hr_kaplan_meier(&part, &at, 1, &out->observed, err) : HR_OK;
}

static hr_status look_at_groups(const predicted_order *o, size_t count, double at, size_t groups,
                                hr_survival_group *out, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t g = 0, begin = 0; !status && g < groups; g++) {
        size_t end = g + 1 < groups ? (size_t)((double)count * (double)(g + 1) / (double)groups) : count;
        if (end < begin) end = begin;
        while (end > begin && end < count && o->survival[end] == o->survival[end - 1]) end++;
        status = look_at_group(o, begin, end, at, &out[g], err);
        begin = end;
    }
    return status;
}

hr_status hr_survival_calibration(const hr_followed_records *records, const hr_survival_curves *curves,
                                  size_t cut, size_t groups, hr_survival_group *out, hr_error *err) {
    row_value *sorted = NULL;
    predicted_order ordered = {0};
    hr_status status = check_records(records, err);
    if (!status) status = check_curves(curves, records->count, err);
    if (!status && (cut >= curves->cut_count || !groups))
        status = hr_fail(err, HR_E_ARGUMENT, "choose one of the cuts, and one group or more",
                         "no cut %zu of %zu, or no groups", cut + 1, curves->cut_count);
    if (!status) status = sort_rows(curves->survival + cut, curves->cut_count, records->count, &sorted, err);
    if (!status) status = order_by_prediction(records, sorted, &ordered, err);
    if (!status) status = look_at_groups(&ordered, records->count, curves->cuts[cut], groups, out, err);
    free(ordered.times);
    free(sorted);
    return status;
}

/* ---- Codes ---- */

static double probability_of_code(const double *survival, size_t code) {
    const size_t survived = hr_survival_survived(code);
    const double before = survived ? survival[survived - 1] : 1;
    return hr_survival_event(code) ? before - survival[survived] : before;
}

hr_status hr_survival_log_loss(const hr_followed_records *records, const hr_survival_curves *curves,
                               double *out, hr_error *err) {
    double loss = 0, weights = 0;
    hr_status status = check_records(records, err);
    if (!status) status = check_curves(curves, records->count, err);
    if (status) return status;
    for (size_t i = 0; i < records->count; i++) {
        const double weight = records->weights ? records->weights[i] : 1;
        const size_t code =
            hr_survival_code(records->times[i], records->events[i], curves->cuts, curves->cut_count);
        const double probability = probability_of_code(curves->survival + i * curves->cut_count, code);
        loss -= weight * log(fmax(probability, MIN_PROBABILITY));
        weights += weight;
    }
    *out = weights > 0 ? loss / weights : (double)NAN;
    return HR_OK;
}
