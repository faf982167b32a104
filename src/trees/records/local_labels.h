/* What the local source knows of labels: which records every node has, and what their labels add up to. */
#ifndef HR_TREES_RECORDS_LOCAL_LABELS_H
#define HR_TREES_RECORDS_LOCAL_LABELS_H

#include "trees/records/local_source.h"

typedef struct hr_local_stats_labels hr_local_stats_labels;

/* Borrows both. Owner: the caller frees *out with hr_local_stats_labels_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_labels_new(const hr_local_stats_records *records,
                                                  const hr_stats_setup *setup, hr_local_stats_labels **out,
                                                  hr_error *err);
void hr_local_stats_labels_free(hr_local_stats_labels *labels);

/* All of rows[0..count) (NULL: all records) in node 0. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_labels_begin(hr_local_stats_labels *labels, const uint32_t *rows,
                                                    size_t count, hr_error *err);

/* As hr_stats_ops of these names. */
HR_MUST_CHECK hr_status hr_local_stats_labels_answer(hr_local_stats_labels *labels,
                                                     const hr_stats_query *queries, size_t count,
                                                     hr_exact *out, hr_error *err);
HR_MUST_CHECK hr_status hr_local_stats_labels_divide(hr_local_stats_labels *labels, uint32_t node,
                                                     const hr_child_rule *division, uint32_t first,
                                                     hr_error *err);
HR_MUST_CHECK hr_status hr_local_stats_labels_gap(hr_local_stats_labels *labels, const hr_stats_query *query,
                                                  size_t gap, size_t *known, double around[2], hr_error *err);

#endif
