/* The public facts about a table: which columns there are, of which kind, within which bounds.
 *
 * A schema is public: it is written into every model. Nothing in it may be read off private records;
 * `hr_schema_infer` therefore marks all that it read from them REVIEW, and training refuses a schema in which
 * a mark is left. A mark is removed by a public fact and its source. 'reviewed: true' accepts the marks that
 * are left: the model is then not private, and says so. The format is specified in docs/reference/formats.md.
 * A schema is immutable once made and may be shared between threads. */
#ifndef HEDGEROW_SCHEMA_H
#define HEDGEROW_SCHEMA_H

#include <hedgerow/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_schema hr_schema;

typedef enum hr_kind { HR_KIND_NUMBER, HR_KIND_CATEGORY } hr_kind;

/* How a table writes the numbers of a column. {0}: plainly. */
typedef struct hr_number_format {
    char decimal;   /* '.' or ','; 0 is '.' */
    char thousands; /* between groups of three digits, besides no mark at all: '.', ',', '\'' or ' '; 0: none
                     */
    const char *symbol; /* such as "%" or "EUR", before or behind the number; it may be absent. NULL: none */
} hr_number_format;

/* What an offset from UTC in the text of a time means. */
typedef enum hr_offset_rule {
    HR_OFFSET_REFUSED,
    HR_OFFSET_UTC,  /* times are converted to UTC; those without an offset stand as they are */
    HR_OFFSET_LOCAL /* it is left out: times are those of the clock as written */
} hr_offset_rule;

/* A column of dates or times, which features are parts of. Seconds count from 1970-01-01 00:00. */
typedef struct hr_date_column {
    const char *name;   /* the table's column */
    int64_t from, to;   /* the public range: from <= time <= to, from < to */
    const char *format; /* docs/reference/formats.md, Dates and times; NULL: ISO 8601 */
    hr_offset_rule offset;
} hr_date_column;

/* Numbers within public bounds, integers but for the first. */
typedef enum hr_date_part {
    HR_DATE_PART_TREND, /* days since `from`; times outside of the range are clipped to it */
    HR_DATE_PART_YEAR,  /* clipped to the range's years */
    HR_DATE_PART_MONTH,
    HR_DATE_PART_DAY,
    HR_DATE_PART_YEARDAY, /* 1 to 366 */
    HR_DATE_PART_WEEKDAY, /* 1 is Monday, 7 Sunday */
    HR_DATE_PART_HOUR,
    HR_DATE_PART_MINUTE
} hr_date_part;
enum { HR_DATE_PARTS = 8 };

/* What a prediction does as a feature rises and the others stay. */
typedef enum hr_monotone {
    HR_MONOTONE_NONE,
    HR_MONOTONE_INCREASING, /* it never falls: a number, the mean of a count, the probability of the second of
                               two classes */
    HR_MONOTONE_DECREASING  /* it never rises */
} hr_monotone;

/* One column. For the label, HR_KIND_NUMBER means regression, a count, or the time of an event, and
 * HR_KIND_CATEGORY means that `values` are the classes.
 */
typedef struct hr_column {
    const char *name;
    hr_kind kind;
    double low, high; /* HR_KIND_NUMBER: public bounds, low <= high (label: low < high); values outside are
                         clipped to them */
    bool integer;     /* HR_KIND_NUMBER: every value is an integer */
    bool count;       /* the label, HR_KIND_NUMBER: a count; it is integer, 0 <= low */
    /* The label, HR_KIND_NUMBER: the time of an event. `event` is the column that says whether it came at
     * that time, or had not come until then; NULL: the label is no time. Intervals end at public cuts, which
     * ascend from above 0; low and high are no bounds of times. */
    const char *event;
    const double *intervals;
    size_t interval_count; /* at most HR_INTERVALS_MAX */
    bool quantile_cuts; /* a fit is to find the cuts but the last, as private quantiles of the times of events
                           up to it; they are even ones before that, and in no model */
    hr_monotone monotone; /* a feature, HR_KIND_NUMBER: models are so in it; missing has no place in the order
                           */
    bool review;   /* facts of the column were read from the records and are not replaced by public ones */
    bool accepted; /* review: a person has accepted them as they were read: what is trained is not private */
    size_t value_count;
    const char *const
        *values;             /* HR_KIND_CATEGORY: the public list of values, in the order that codes count */
    bool boolean;            /* HR_KIND_CATEGORY: the values are "false" and "true", in several spellings */
    hr_number_format format; /* HR_KIND_NUMBER */
    const hr_date_column *date; /* the feature is `part` of it, and named "date.part"; NULL: it is a column of
                                   the table */
    hr_date_part part;
    const char *source;      /* where the facts are published, in words; NULL: the schema does not say */
    const double *quantiles; /* the label, HR_KIND_NUMBER: which of its quantiles are learned, increasing,
                                from 1e-6 to 1 - 1e-6; NULL: its mean */
    size_t quantile_count;   /* at most HR_QUANTILES_MAX */
} hr_column;
enum { HR_QUANTILES_MAX = 9, HR_QUANTILE_NAME = 24, HR_INTERVALS_MAX = 64 };

/* What a quantile is called where predictions have names: "q10" for 0.1. */
HR_API void hr_quantile_name(double quantile, char name[HR_QUANTILE_NAME]);

typedef enum hr_task {
    HR_TASK_REGRESSION,
    HR_TASK_BINARY,
    HR_TASK_MULTICLASS,
    HR_TASK_COUNT,    /* the mean of a count */
    HR_TASK_SURVIVAL, /* the time of an event */
    HR_TASK_QUANTILES /* quantiles of a number */
} hr_task;

/* What is learned of a label of the task, for messages: "classes", "a number", "a count", "times of events"
 * or "quantiles". */
HR_API const char *hr_task_text(hr_task task);

/* Whether a label of the task has classes; else it is a number, or a count. */
static inline bool hr_task_has_classes(hr_task task) {
    return task == HR_TASK_BINARY || task == HR_TASK_MULTICLASS;
}

/* Reads a schema file (YAML). Strict: unknown keys, wrong types, duplicates, empty files are refused with
 * line and column. Owner: the caller frees *out. Fails: IO, FORMAT, LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_read(const char *path, hr_schema **out, hr_error *err);

/* The same from `size` bytes in memory; `name` stands for the file in messages. */
HR_API HR_MUST_CHECK hr_status hr_schema_parse(const char *text, size_t size, const char *name,
                                               hr_schema **out, hr_error *err);

/* ---- From code ---- */

/* A schema that is being put together: a label, features in the order that they are added, spellings of
 * missing.
 *
 *     hr_schema_builder *builder = NULL;
 *     hr_schema_builder_new(&builder, &err);
 *     hr_schema_label_classes(builder, "readmitted", (const char *const[]){"no", "yes"}, 2, &err);
 *     hr_schema_add_number(builder, "age", 0, 120, true, &err);
 *     hr_schema_build(builder, &schema, &err);
 *     hr_schema_builder_free(builder);
 *
 * Who builds one vouches that all of it is public knowledge: it counts as reviewed. A list of more than 254
 * values needs a source nevertheless before a private fit takes it (hr_schema_public).
 */
typedef struct hr_schema_builder hr_schema_builder;

/* Owner: the caller frees *out with hr_schema_builder_free. Thread: one at a time per builder. Fails: MEMORY.
 */
HR_API HR_MUST_CHECK hr_status hr_schema_builder_new(hr_schema_builder **out, hr_error *err);
HR_API void hr_schema_builder_free(hr_schema_builder *builder);

/* The label: a number within public bounds (regression), or classes, in the order of their indices. Texts are
 * copied. Fails: ARGUMENT (there is a label), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_label_number(hr_schema_builder *builder, const char *name,
                                                      double low, double high, hr_error *err);
/* The label: a count, a whole number within public bounds, 0 <= low < high. Fails: as hr_schema_label_number.
 */
HR_API HR_MUST_CHECK hr_status hr_schema_label_count(hr_schema_builder *builder, const char *name, double low,
                                                     double high, hr_error *err);
/* The label: the time of an event in the column `name`, and in the column `event` whether it came then, or
 * had not come until then; `count` (1 to 64) cuts between the intervals, which ascend from above 0. Fails: as
 * hr_schema_label_number. */
HR_API HR_MUST_CHECK hr_status hr_schema_label_time(hr_schema_builder *builder, const char *name,
                                                    const char *event, const double *intervals, size_t count,
                                                    hr_error *err);
/* The same, whose fit finds the cuts but the last, `high`: `quantiles` (2 to 64) intervals of about equal
 * numbers of events, by private quantiles, for 5 % of its budget. The model's schema has them as cuts. */
HR_API HR_MUST_CHECK hr_status hr_schema_label_time_quantiles(hr_schema_builder *builder, const char *name,
                                                              const char *event, size_t quantiles,
                                                              double high, hr_error *err);
/* After hr_schema_label_number: learn these quantiles of the label in the place of its mean. They are copied,
 * and checked by hr_schema_build. Fails: ARGUMENT (no label, or another one), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_label_quantiles(hr_schema_builder *builder, const double *quantiles,
                                                         size_t count, hr_error *err);
HR_API HR_MUST_CHECK hr_status hr_schema_label_classes(hr_schema_builder *builder, const char *name,
                                                       const char *const *values, size_t count,
                                                       hr_error *err);

/* A feature: a number within public bounds, or a category of public values, in the order that codes count.
 * Texts are copied. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_add_number(hr_schema_builder *builder, const char *name, double low,
                                                    double high, bool integer, hr_error *err);
HR_API HR_MUST_CHECK hr_status hr_schema_add_category(hr_schema_builder *builder, const char *name,
                                                      const char *const *values, size_t count, hr_error *err);

/* Where the facts of the column that was added last are published, in words, such as "ICD-10-CM 2024"; of the
 * label before the first feature is added. The text is copied. Fails: ARGUMENT (no column, or an empty text),
 * MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_set_source(hr_schema_builder *builder, const char *source,
                                                    hr_error *err);

/* The number that was added last is monotone. Fails: ARGUMENT (no feature, or no such direction). */
HR_API HR_MUST_CHECK hr_status hr_schema_set_monotone(hr_schema_builder *builder, hr_monotone direction,
                                                      hr_error *err);

/* A boolean: a category of the values "false" and "true". Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_add_boolean(hr_schema_builder *builder, const char *name,
                                                     hr_error *err);

/* A column of dates: `count` features, one a part. Texts are copied. Fails: ARGUMENT (no part, no such part),
 * FORMAT (range, format or offset; the field is the name), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_add_date(hr_schema_builder *builder, const hr_date_column *date,
                                                  const hr_date_part *parts, size_t count, hr_error *err);

/* How tables write the numbers that are added from here on, label and features. Texts are copied. Fails:
 * MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_set_number_format(hr_schema_builder *builder,
                                                           const hr_number_format *format, hr_error *err);

/* A spelling of missing besides the empty cell, for tables that are read from text. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_add_missing(hr_schema_builder *builder, const char *spelling,
                                                     hr_error *err);

/* The privacy unit: the column that says whose record it is (hr_schema_unit). Unless it is set, the schema
 * says that each person has one record. The text is copied. Fails: ARGUMENT (there is a unit), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_set_unit(hr_schema_builder *builder, const char *column,
                                                  hr_error *err);

/* The weight of a record: a column of numbers from 0 to `high`, a public bound above 0 (hr_schema_weight).
 * Tables write it as hr_schema_set_number_format said before, but for a symbol. The text is copied. Fails:
 * ARGUMENT (there is a weight), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_set_weight(hr_schema_builder *builder, const char *column,
                                                    double high, hr_error *err);

/* The exposure of a count (hr_schema_exposure): a column of numbers above 0, at most `high`, a public bound.
 * Written as a weight is. The text is copied. Fails: ARGUMENT (there is an exposure), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_set_exposure(hr_schema_builder *builder, const char *column,
                                                      double high, hr_error *err);

/* Checks everything as hr_schema_read does, with the same messages. The builder stays as it is, and may be
 * added to and built again. Owner: the caller frees *out, which does not need the builder. Fails: FORMAT (the
 * field is named), LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_build(const hr_schema_builder *builder, hr_schema **out,
                                               hr_error *err);

/* ---- */

/* Renders the schema as YAML that hr_schema_parse reads back to the same facts.
 * Owner: the caller frees *text with hr_text_free; it is NUL-ended. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_render(const hr_schema *schema, char **text, hr_error *err);

/* Frees a string that the library allocated for the caller. NULL is allowed. */
HR_API void hr_text_free(char *text);

/* A copy without the features of these names, or of these columns of dates; others are
 * passed over. Owner: the caller frees *out. Fails: ARGUMENT (the label, or all features), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_without(const hr_schema *schema, const char *const *names,
                                                 size_t count, hr_schema **out, hr_error *err);

/* NULL is allowed. */
HR_API void hr_schema_free(hr_schema *schema);

/* Borrowed views, valid as long as the schema. */
HR_API hr_task hr_schema_task(const hr_schema *schema);
HR_API const hr_column *hr_schema_label(const hr_schema *schema);
HR_API size_t hr_schema_feature_count(const hr_schema *schema);
HR_API const hr_column *hr_schema_feature(const hr_schema *schema, size_t index);

/* Whether models are monotone in some feature. */
HR_API bool hr_schema_is_monotone(const hr_schema *schema);

/* Spellings of a missing value besides the empty cell. */
HR_API size_t hr_schema_missing_count(const hr_schema *schema);
HR_API const char *hr_schema_missing(const hr_schema *schema, size_t index);

/* The privacy unit: the name of the column that says which person a record belongs to, which is no feature
 * and not the label. Guarantees are then for adding or removing a person with all its records. NULL: every
 * record counts by itself. */
HR_API const char *hr_schema_unit(const hr_schema *schema);

/* The weight: the name of the column that says how much a record counts, from 0 to `high`, which counts 1; it
 * is no feature, not the label and not the unit. Sums and counts are of weights, so that a model is that of a
 * population with such weights; the guarantee is that of records which all count 1. high may be NULL. NULL:
 * every record counts 1. */
HR_API const char *hr_schema_weight(const hr_schema *schema, double *high);

/* The exposure of a label that is a count: the name of the column that says during how much time, over how
 * much area or among how many a record's count was taken, above 0 and at most `high`. What is learned is the
 * rate: a record's mean is its part of `high` times the mean of a record with all of it. high may be NULL.
 * NULL: all records have the same. */
HR_API const char *hr_schema_exposure(const hr_schema *schema, double *high);

/* Whether sums are of weights: the schema names a unit, a weight or an exposure. */
HR_API bool hr_schema_weighs(const hr_schema *schema);

/* HR_OK if the schema says what the guarantee is for: the unit names a column, or the file says 'unit:
 * record' (each person has one record), or the schema was built from code; else HR_E_POLICY with the line to
 * add. A ledger pays for such schemas alone. */
HR_API HR_MUST_CHECK hr_status hr_schema_decides_unit(const hr_schema *schema, hr_error *err);

/* Whether the schema says that each person has one record ('unit: record', or built from code). */
HR_API bool hr_schema_single_records(const hr_schema *schema);

/* HR_OK if the schema was built from code, or if the file says 'reviewed: true', or if no mark is left, no
 * list of more than 254 values is without a source, and in a proposal ('reviewed: false') every column has a
 * source; else HR_E_POLICY with the first column that awaits a person's decision. Training needs it. */
HR_API HR_MUST_CHECK hr_status hr_schema_reviewed(const hr_schema *schema, hr_error *err);

/* HR_OK if it is reviewed, no mark was accepted in place of a public fact, and a schema from code has no list
 * of more than 254 values without a source; else HR_E_POLICY with the columns: what is trained with such a
 * schema is not private, or would publish such a list. Owners who train together need it, and so does a
 * plan.
 */
HR_API HR_MUST_CHECK hr_status hr_schema_public(const hr_schema *schema, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
