/* Attacks on published systems, to be tried on one's own records: what others would learn of them.
 *
 * NOT PRIVATE: figures here tell about the records, and no budget pays for them. They are for the owner's
 * eyes. */
#ifndef HEDGEROW_ATTACK_H
#define HEDGEROW_ATTACK_H

#include <hedgerow/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How hashed values are scaled: a number from its public bounds to [-range, range], as SimFL's owners can do
 * it; or by mean and standard deviation of the records, to 0 and 1, as common benchmarks do. */
typedef enum hr_attack_scale { HR_ATTACK_SCALE_BOUNDS, HR_ATTACK_SCALE_STANDARD } hr_attack_scale;

typedef struct hr_attack_options {
    size_t size;      /* sizeof(hr_attack_options) */
    uint64_t records; /* at most so many of the table, half of them the victim's; at least 4 */
    uint64_t tables;  /* hashes of a record, at most 255; 0: min(40, dimensions - 1), at least 1 */
    double width;     /* of a hash's cells */
    double range;     /* of HR_ATTACK_SCALE_BOUNDS */
    hr_attack_scale scale;
    uint64_t seed; /* of the division into attacker and victim, and of the public coins */
} hr_attack_options;
#define HR_ATTACK_OPTIONS_INIT                                                                               \
    { sizeof(hr_attack_options), 6000, 0, 4, 1, HR_ATTACK_SCALE_BOUNDS, 1 }

/* What the attacker learns of the victim's records. A share is of the victim's records, 0 to 1. */
typedef struct hr_attack_figures {
    size_t attacker, victim;   /* records of each */
    size_t dimensions, tables; /* numbers of a record, after categories became numbers; its hashes */
    double r2;               /* of the records estimated from their hashes, all dimensions together; 1: exact,
                              * 0: no better than the mean of the attacker's own. NaN if none varies */
    double median_r2;        /* of the median of the dimensions that vary */
    double distinct_hashes;  /* different vectors of hashes, for each record */
    double distinct_records; /* different records, for each record */
    double reidentified;     /* share whose hashes no other record of the victim has: who can guess such a
                              * record can confirm it, and see which one it is */
    double alone;            /* share that is the only record most similar to one of the attacker's: its
                              * gradients are sent as they are */
    double
        label_known; /* share whose label the first round's sums tell exactly: of groups of similar records
                      * with one label. NaN without labels, without two classes, or if all labels are equal */
} hr_attack_figures;

/* The reconstruction attack on SimFL (Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI
 * 2020): divides the records at random, lets one half attack the other with what the protocol shows it, and
 * compares with the truth (docs/explanation/simfl.md). The estimate is linear: a lower bound of what hashes
 * tell. options: NULL for HR_ATTACK_OPTIONS_INIT. Thread: data may be shared. Fails: ARGUMENT, SCHEMA (fewer
 * than 4 records), LIMIT (dimensions, memory), IO (no entropy source), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_attack_simfl(const hr_data *data, const hr_attack_options *options,
                                               hr_attack_figures *out, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
