/* Whether released sums can be those of owners with as many records as the terms say, within the noise. A
 * coordinator that checks sees released values and public bounds alone, so that a check costs nothing.
 *
 * No check fails of owners that follow the protocol and have as many records as the terms say, but where the
 * noise of a line exceeds its bound: with a probability below 1e-9 in a job (sum_checks.proof.md). */
#ifndef HR_FEDERATION_SUMS_SUM_CHECKS_H
#define HR_FEDERATION_SUMS_SUM_CHECKS_H

#include "federation/sums/summed_job.h"

/* What was found impossible. */
typedef enum hr_sum_check {
    HR_CHECK_TOTAL,  /* the number of records: beyond the bounds of the owners */
    HR_CHECK_COUNTS, /* counts of disjoint sets: their sum is beyond the bounds, or not the number of records
                      */
    HR_CHECK_VALUE,  /* one number, or those of disjoint sets together: more than all records can add up to */
    HR_SUM_CHECKS
} hr_sum_check;

enum { HR_SUSPECT_TEXT = 120 }; /* bytes of a text, with its NUL */

/* Begins as zeros, with its first four fields. */
typedef struct hr_sum_checks {
    hr_privacy_measure privacy_measure;
    hr_privacy_unit unit;
    bool exposed; /* the number of records, and counts of leaves, are sums of exposures, which tell nothing of
                     how many records there are */
    bool held_out; /* some records of the owners' are held out of all sums but one: any number of them */
    double total, reach; /* the number of records as it was released, and the bound of its noise */
    size_t members;      /* owners that it is over; 0: it was not released yet */
    bool failed[HR_SUM_CHECKS];
} hr_sum_checks;

/* Numbers of disjoint sets of records, which one line of a question pays for. */
typedef struct hr_counted_line {
    const hr_charge *line;
    const hr_noisy *values;
    size_t count;
    bool all;  /* every record is in one of the sets */
    bool bins; /* records count there, also where checks->exposed is true */
} hr_counted_line;

/* Public bounds of the records of any so many owners of the job: of persons, where the schema names a unit,
 * 0 at least. Without bounds in the terms, of any tables. */
typedef struct hr_total_bounds {
    double least, most;
} hr_total_bounds;
hr_total_bounds hr_total_bounds_of(const hr_sum_checks *checks, const Hedgerow__Terms *terms, size_t members);

/* Notes the number of records, and whether it is within the bounds of the reply's owners. */
void hr_sum_checks_total(hr_sum_checks *checks, const hr_counted_line *line, const hr_summed_reply *reply);
/* Notes whether their sum is within these bounds and, of all records of the same number of owners, within the
 * noise of the number of records. */
void hr_sum_checks_counts(hr_sum_checks *checks, const hr_counted_line *line, const hr_summed_reply *reply);
/* Notes whether the sizes of the sets' sums add up to at most what all records add up to. A record has
 * `outputs` numbers: values[set * outputs + output]. */
void hr_sum_checks_sets(hr_sum_checks *checks, const hr_counted_line *line, size_t outputs,
                        const hr_summed_reply *reply);
/* Notes whether each number of the question is at most what all records add up to. False: one is more than
 * four times that, and the sums are of no use. */
bool hr_sum_checks_values(hr_sum_checks *checks, const hr_summed_question *question,
                          const hr_summed_reply *reply);

/* For results that have no place for a warning. Fails: POLICY (a check failed; the message names it). */
HR_MUST_CHECK hr_status hr_sum_checks_pass(const hr_sum_checks *checks, hr_error *err);

/* What failed, such as "record count, leaf or bin counts"; "" if nothing did. checks NULL: there are none. */
void hr_sum_checks_text(const hr_sum_checks *checks, char text[HR_SUSPECT_TEXT]);

#endif
