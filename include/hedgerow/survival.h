/* How good predictions of times to an event are. A record is followed until its event, or until its follow-up
 * ends before that (it is censored); an event comes before an end at the same time. All figures are exact
 * statistics of the records at hand: none of them is private. Where the records do not determine a figure, it
 * is NaN. */
#ifndef HEDGEROW_SURVIVAL_H
#define HEDGEROW_SURVIVAL_H

#include <hedgerow/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_followed_records {
    size_t count;
    const double *times;   /* until the event or the end of the follow-up: finite, at least 0 */
    const uint8_t *events; /* 1: the event came; 0: the follow-up ended */
    const double *weights; /* finite, at least 0; NULL: 1 each */
} hr_followed_records;

typedef struct hr_survival_curves {
    const double *cuts;     /* increasing, above 0 */
    size_t cut_count;       /* at least 1 */
    const double *survival; /* count x cut_count: Pr(time of the event > cut), within 0..1 */
} hr_survival_curves;

/* Kaplan and Meier's estimate of Pr(time of the event > at) for each of the `count` times; NaN after the last
 * follow-up, unless that was an event of all that were left. Fails: ARGUMENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_kaplan_meier(const hr_followed_records *records, const double *at,
                                               size_t count, double *out, hr_error *err);

/* Harrell's concordance: of the pairs of which one record is known to have its event first, the part in which
 * its risk is the larger one; equal risks count half. Two events at the same time are no such pair, an event
 * and an end at the same time are one. A pair weighs the product of its weights. risks: of each record, no
 * NaN. Fails: ARGUMENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_concordance(const hr_followed_records *records, const double *risks,
                                              double *out, hr_error *err);

/* Uno's concordance: the same of pairs whose first event comes before the horizon, each over the square of
 * the probability that a follow-up lasts until that event, so that it does not depend on how records are
 * censored, if that does not depend on the records. Fails: ARGUMENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_concordance_uno(const hr_followed_records *records, const double *risks,
                                                  double horizon, double *out, hr_error *err);

/* Brier score at each cut after Graf and others: the mean square of survival less whether the record survived
 * the cut, each over the probability that its follow-up lasts so long; what became of the others is not
 * known. A record whose follow-up ends at a cut survived it. NaN where nobody is followed up to the cut.
 * Fails: ARGUMENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_brier_scores(const hr_followed_records *records,
                                               const hr_survival_curves *curves, double *out, hr_error *err);

/* Their mean over the time from the first cut to the last, by the trapezoid rule; of one cut its score. */
HR_API double hr_brier_integrated(const double *cuts, const double *scores, size_t count);

/* Records of similar predictions. */
typedef struct hr_survival_group {
    size_t count;
    double weight;              /* of its records together */
    double predicted, observed; /* the mean survival, and that of Kaplan and Meier */
} hr_survival_group;

/* Calibration at the cut of that index: `groups` groups from the lowest predicted survival to the highest, of
 * equal numbers of records, as far as equal predictions stay together: a group may be empty, with NaN. Fails:
 * ARGUMENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_survival_calibration(const hr_followed_records *records,
                                                       const hr_survival_curves *curves, size_t cut,
                                                       size_t groups, hr_survival_group *out, hr_error *err);

/* The mean negative log-likelihood of what is known by intervals: that the event came in an interval, or that
 * it had not come until the last cut that the follow-up reached. Probabilities are clipped at 1e-15. Fails:
 * ARGUMENT. */
HR_API HR_MUST_CHECK hr_status hr_survival_log_loss(const hr_followed_records *records,
                                                    const hr_survival_curves *curves, double *out,
                                                    hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
