/* What records answer to hedge's questions: exact statistics, for the gate. Their scores are kept here, and
 * take the steps. */
#ifndef HR_TREES_CANDIDATES_HEDGE_RECORDS_H
#define HR_TREES_CANDIDATES_HEDGE_RECORDS_H

#include "trees/candidates/hedge_question.h"

typedef struct hr_records hr_records;

/* outputs: scores a record: 1, or the number of classes, quantiles or intervals. trees: of a question, at
 * most. Borrows the data. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_records_new(const hr_data *data, size_t outputs, size_t trees, int threads,
                                       hr_records **out, hr_error *err);
void hr_records_free(hr_records *records);
/* Before the first question: scores start at those of a released forest (rows x outputs, finite), and not at
 * the questions' base. Borrows them. */
void hr_records_start(hr_records *records, const double *scores);
/* Before the first question with more than one block: the secret coins that deal the records to blocks.
 * Borrows them. */
void hr_records_set_coins(hr_records *records, hr_csprng *coins);
/* In their place, where others drew: block_of[i] is the block of record i, whatever coins there are. Borrows
 * them until the first question with more than one block is answered. */
void hr_records_set_blocks(hr_records *records, const uint32_t *block_of);
/* Bytes that they take for what grows with the table, beside the data, at most. */
double hr_records_memory(size_t rows, size_t features, size_t outputs, size_t trees, int threads);

/* TOTALS, LEAVES, RELIABILITY: hr_hedge_question_values(question) exact sums, in the order of the lines. A
 * record more moves those of a line by at most its sensitivity (candidate_scan.proof.md,
 * reliability.proof.md). Questions come in the order of the machine (hedge_machine.h). Where others chose,
 * the choice may be left out; or the leaves' question may name their tree alone, and then any tree and loss:
 * from another party no question may name more. Thread: one at a time. Fails: MEMORY, LIMIT. */
HR_MUST_CHECK hr_status hr_records_sums(hr_records *records, const hr_hedge_question *question, hr_exact *out,
                                        hr_error *err);

/* CHOICE: a score for each of the trees, of the records of question->block. A record more moves each by at
 * most question->loss.bound. Fails: MEMORY, LIMIT. */
HR_MUST_CHECK hr_status hr_records_scores(hr_records *records, const hr_hedge_question *question,
                                          hr_exact *out, hr_error *err);
/* CHOICE: what the scores are made of (hr_leaf_scores), as sums that add up over tables: of all trees, leaf
 * by leaf. Takes the place of hr_records_scores. Fails: MEMORY, LIMIT. */
HR_MUST_CHECK hr_status hr_records_leaf_sums(hr_records *records, const hr_hedge_question *question,
                                             hr_exact *out, hr_error *err);

#endif
