/* What a model is made of. The job makes it from what a method released; the JSON reader makes it from bytes.
 */
#ifndef HR_MODELS_MODEL_MODEL_H
#define HR_MODELS_MODEL_MODEL_H

#include "models/model/conditions.h"
#include "models/model/predictor.h"
#include "privacy/accountant.h"
#include "privacy/crypto/digest.h"
#include "trees/tree/tree.h"

#include <hedgerow/evaluation.h>

/* Splits from the root to a leaf. */
enum { HR_MODEL_DEPTH_MAX = 64 };

/* A setting of the fit, as text: written into the model for people. */
typedef struct hr_setting {
    const char *name, *value;
} hr_setting;

/* What a guarantee is for: hr_guarantee.unit. */
#define HR_ONE_RECORD "one record"
#define HR_ONE_PERSON "one person"
#define HR_RECORD_OF_OWNER "one record of any owner"
#define HR_RECORD_OF_FILE "one record of the file"
#define HR_PERSON_OF_OWNER "one person of any owner"
#define HR_PERSON_OF_FILE "one person of the file"

/* Whether it is a person, of whatever. */
bool hr_unit_is_person(const char *unit);

/* hr_release.owner of a model whose interval held-out records corrected: these are as the records of an owner
 * of their own. */
enum { HR_OWNER_TRAINED = 1, HR_OWNER_HELD_OUT = 2 };

/* The setting that holds what hr_model_records returns. */
#define HR_RECORDS_SETTING "records"

/* Settings of a job of owners. No option has a point in its name: a job and the method that it trains never
 * write the same setting. How many owners there were, and how many of them a record is safe against. */
#define HR_JOB_SETTING(name) "job." name
#define HR_OWNERS_SETTING HR_JOB_SETTING("owners")
#define HR_SUSPECT_SETTING HR_JOB_SETTING("suspect") /* the checks that a job's sums failed */
#define HR_COALITION_SETTING HR_JOB_SETTING("coalition")

/* What a model and those that it continues cost together a record that is in the data of all of them. */
typedef struct hr_start_guarantee {
    bool given;                         /* false: there is no start, or nothing is charged for it */
    hr_privacy_measure privacy_measure; /* NONE: the measures differ, and epsilons and deltas are added up */
    hr_units units;                     /* of the measure; 0 of NONE */
    double epsilon, delta, epsilon_replace, delta_replace;
    const char *promise; /* in words */
    hr_trust trust;      /* the conditions of those that it continues */
} hr_start_guarantee;

/* The setting for how many records of a person were trained on at most: the guarantee is for so many times
 * what the releases cost (hr_group_factor). */
#define HR_PER_PERSON_SETTING "records-per-person"
enum { HR_RECORDS_PER_PERSON_MAX = 65536 };

/* What a group of m records costs, in what one of them costs: m epsilon, m^2 rho, or m^2 mu^2. */
static inline hr_units hr_group_factor(hr_privacy_measure privacy_measure, hr_units m) {
    return privacy_measure == HR_PRIVACY_PURE ? m : m * m;
}

struct hr_model {
    hr_arena *arena; /* holds everything below but the schema */
    hr_schema *schema;
    const char *method;
    hr_mode mode;
    const char *start_model; /* the SHA-256 of the file of the model that it continues, 64 small hexadecimal
                                digits; NULL: none */
    char file_hash[HR_DIGEST_TEXT]; /* the SHA-256 of the file that it was read from; "": it was not read */
    hr_forest forest;
    hr_predictor predictor; /* compiled from the forest */
    hr_privacy_measure privacy_measure;
    hr_guarantee guarantee;
    hr_start_guarantee start_guarantee;
    hr_release *releases;
    size_t release_count;
    hr_setting *settings;
    size_t setting_count;
};

/* Makes a model of parts and compiles its predictor. The forest lives in parts->arena, which the model takes
 * over: parts->arena is NULL then, or as it was if this fails. The rest is copied. A guarantee without a unit
 * is for HR_ONE_RECORD. Owner: the caller frees *out with hr_model_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_model_make(hr_model *parts, hr_model **out, hr_error *err);

/* Puts the promise and the conditions of a model, and of those that it continues, into words, in its arena.
 * Both come from its numbers and releases. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_model_state(hr_model *model, hr_error *err);

/* No fewer units than the model was granted. A model states epsilon, which follows from the granted units and
 * grows with them; what its releases add up to may be less. */
hr_units hr_model_granted(const hr_model *model);

/* Whether owners added noise in shares, and then who they trust, and what the model costs others. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_model_trust(const hr_model *model, hr_trust *out, hr_error *err);

/* The number that a setting holds; 0 if there is none, or one that is no positive number. */
double hr_model_setting(const hr_model *model, const char *name);

/* The same of a setting of the job (HR_JOB_SETTING). Models from before these had a prefix have it without
 * one. */
double hr_model_job_setting(const hr_model *model, const char *name);

/* A line of the list as the public interface shows it; texts are borrowed. */
hr_release_info hr_release_info_of(const hr_release *release);

/* What so many units of a privacy measure prove: is_private, and both (epsilon, delta); `unit` is
 * HR_ONE_RECORD, `statement` is NULL. A replaced record is one removed and one added: 2 epsilon, 4 rho of
 * zCDP, or 4 mu^2 of GDP. `delta` is that of zCDP and GDP, 0 < delta < 1, else ignored. A quarter of
 * HR_UNITS_MAX or more, or anything in HR_PRIVACY_NONE, is not private. */
void hr_guarantee_of(hr_units units, hr_privacy_measure privacy_measure, double delta, hr_guarantee *out);

/* The same of what a list of releases adds up to. One with an identity line is not private. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_model_account(const hr_release *releases, size_t count,
                                         hr_privacy_measure privacy_measure, double delta, hr_guarantee *out,
                                         hr_error *err);

/* hr_model_parse of bytes that are not compressed. */
HR_MUST_CHECK hr_status hr_model_parse_json(const char *bytes, size_t size, const char *name, hr_model **out,
                                            hr_error *err);

/* The same of what another member of a federation sent: it lists no more releases than a file of its size
 * has, HR_SENT_RELEASES and one for every two bytes, so that what it takes in memory is within its size. A
 * column of private bounds has about 14 in some 60 bytes of the schema. */
enum { HR_SENT_RELEASES = 1024 };
HR_MUST_CHECK hr_status hr_model_parse_sent(const char *bytes, size_t size, const char *name, hr_model **out,
                                            hr_error *err);
/* What hr_model_render writes of the model that such bytes are read as; nothing is made ready to predict.
 * Owner: the caller frees *again with hr_text_free. Fails: as hr_model_parse_json. */
HR_MUST_CHECK hr_status hr_model_rewrite_json(const char *bytes, size_t size, char **again, hr_error *err);

/* The SHA-256 of the model's file, decompressed: the one that it was read from, else the one that
 * hr_model_write writes. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_model_file_hash(const hr_model *model, char out[HR_DIGEST_TEXT], hr_error *err);

/* The sums of base scores and leaves, before any link: rows x output_count of the forest. Finite; each a
 * function of its record and the model. Fails: as hr_predict_data. */
HR_MUST_CHECK hr_status hr_model_scores(const hr_model *model, const hr_data *data, int threads, double *out,
                                        hr_error *err);

/* spread[f] += what the splits by feature f account for in the tree (hr_model_importance). */
void hr_tree_spread(const hr_tree *tree, double *spread);

/* Whether a setting holds statistics of columns (hr_model_statistic). */
bool hr_is_statistic(const hr_setting *setting);
/* Refuses a model that holds statistics of columns. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_model_check_predicts(const hr_model *model, hr_error *err);

/* Checks what a reader must not take on trust: node indices, features, thresholds, subsets, finite values,
 * and that the releases add up to no more than the guarantee (hr_model_account). The field of the error is
 * the key path in the JSON form. Fails: FORMAT, POLICY (a release does not justify its cost), MEMORY. */
HR_MUST_CHECK hr_status hr_model_check(const hr_model *model, hr_error *err);

/* Predictions and labels of the same records; borrowed. */
typedef struct hr_comparison {
    hr_task task;
    const double *predicted;          /* rows x outputs, as hr_model_predict writes them */
    const double *labels;             /* as in hr_data_labels */
    size_t rows, outputs;             /* rows >= 1 */
    const hr_decision_rule *decision; /* NULL: the most probable class */
    const uint32_t *weights;          /* of records, in 2^-16; NULL: they all count 1 */
} hr_comparison;

/* Predicts all records of `data` for comparison with their labels. Owner: the caller frees what is in *out
 * with hr_comparison_free. Fails: SCHEMA (no labels, no rows, another schema), MEMORY. */
HR_MUST_CHECK hr_status hr_comparison_make(const hr_model *model, const hr_data *data, int threads,
                                           hr_comparison *out, hr_error *err);
void hr_comparison_free(hr_comparison *comparison);

/* The class that `rule` (NULL: the most probable) decides on for each record; NULL of a number. Owner: the
 * caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_comparison_decide(const hr_comparison *comparison, const hr_decision_rule *rule,
                                             uint32_t **out, hr_error *err);

/* In all measures a record counts so much: its weight, or 1. */
double hr_comparison_weight(const hr_comparison *comparison, size_t row);
/* The weight of all records. Fails: SCHEMA (it is 0). */
HR_MUST_CHECK hr_status hr_comparison_total(const hr_comparison *comparison, double *out, hr_error *err);

/* The metrics of the task. Fails: SCHEMA (all records weigh 0), MEMORY. */
HR_MUST_CHECK hr_status hr_metrics_compare(const hr_comparison *comparison, hr_metrics *out, hr_error *err);
/* Of metrics whose weight is set: sets pinball, coverage and width; quantiles: one an output; NULL: none, so
 * that all are NaN. */
void hr_metrics_add_quantiles(const double *quantiles, const hr_comparison *comparison, hr_metrics *out);
/* Sets interval_coverage and interval_width, where the interval is not between the outer two. */
void hr_metrics_add_interval(const hr_conformal *conformal, const hr_comparison *comparison, hr_metrics *out);

#endif
