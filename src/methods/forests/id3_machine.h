/* ID3 as a machine over released values: it names the counts that it needs next, and accepts the noisy
 * answer. It never sees a record or an exact count, so what it makes of the answers costs nothing.
 *
 * A level of the tree is one question: of each open node and each feature that no node above it splits by,
 * how many records of every class are in every bin; bins and classes in their order, features in the
 * schema's, nodes in the tree's. A record is in one node of a level, and in one bin of every feature that is
 * counted there: in m - l tables of level l, of m features. The last question is of the classes of all
 * leaves. hr_id3_next gives the question as often as it is called; hr_id3_accept accepts its answer, once.
 *
 * Where the terms name no depth, the first question is how many records each class has, and the depth follows
 * from the answer (id3_costs.h). Thread: one at a time. */
#ifndef HR_METHODS_FORESTS_ID3_MACHINE_H
#define HR_METHODS_FORESTS_ID3_MACHINE_H

#include "methods/forests/id3_costs.h"
#include "trees/records/stats_source.h"

typedef struct hr_id3 hr_id3;

enum { HR_ID3_NODES_MAX = 1 << 12 }; /* of a tree */

/* Terms that were checked. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_new(const hr_id3_terms *terms, hr_id3 **out, hr_error *err);
void hr_id3_free(hr_id3 *id3);

/* The next question. False: the tree is finished, and *out is left alone. */
bool hr_id3_next(const hr_id3 *id3, hr_id3_question *out);

/* The released counts of the question, in its order. noise_factor: their noise's standard deviation in that
 * of one release at the line's cost; 1 where one party holds all records. values NULL: the answer is lost. A
 * level is counted once more, at its cost, as long as there is a reserve; else its nodes stay leaves. Lost
 * leaves have the values that the levels gave. If the records are lost, the tree has HR_ID3_DEPTH levels.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_accept(hr_id3 *id3, const hr_noisy *values, double noise_factor,
                                      hr_error *err);

/* How often levels were counted; *total: how many levels there are, at most. */
size_t hr_id3_levels(const hr_id3 *id3, size_t *total);

/* The finished tree, and the values of its nodes: probabilities, (*leaf_values)[node * classes + k]. Of the
 * machine. */
hr_tree hr_id3_tree(const hr_id3 *id3, const double **leaf_values);

#endif
