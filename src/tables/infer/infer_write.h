/* A proposal as YAML in which every guess awaits review. */
#ifndef HR_TABLES_INFER_INFER_WRITE_H
#define HR_TABLES_INFER_INFER_WRITE_H

#include "tables/infer/dictionary.h"
#include "tables/infer/infer_column.h"
#include "tables/infer/infer_label.h"

/* What is known of a table once it has been read. */
typedef struct hr_inferences {
    hr_inference **columns; /* by column of the table, or the label and then the features */
    const bool *dropped;    /* per column: it is to be left out; NULL: none is */
    size_t count, label;
    uint64_t rows;
    bool positional; /* features are found by their number, so that none may be left out */
    hr_dictionary dictionary;
    hr_label_sample labels; /* of the first records: whether columns give the label away */
    hr_row_sample sample;   /* of the first records: whether values stand for persons */
    hr_buffer *notes;       /* what is for the owner's terminal alone; NULL: it is not wanted */
} hr_inferences;

/* Decides by all columns what is a decimal mark and what separates thousands, or remarks that it is unclear.
 */
void hr_inferences_decide_decimals(const hr_inferences *all);

/* Owner: the caller frees *yaml with hr_text_free. Fails: SCHEMA (the label, no features), FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_inferences_write(const hr_inferences *all, char **yaml, hr_error *err);

#endif
