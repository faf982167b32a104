/* Jobs of id3 over owners: the questions as bytes. */
#ifndef HR_FEDERATION_SUMS_FEDERATED_ID3_H
#define HR_FEDERATION_SUMS_FEDERATED_ID3_H

#include "federation/federated/federated_method.h"
#include "federation/protocol/message.h"
#include "methods/forests/id3_machine.h"
#include "trees/tree/multiway.h"

/* ---- Questions (id3_question.c) ----
 *
 * From the coordinator's machine, which sees released values only, to owners, which know nothing of it but
 * these questions. An owner believes none of them. It keeps the tree that it received, and takes a question
 * only if it is the next one of a run of the machine: level after level, a level once more at most, the
 * leaves last; nodes that the last splits made, each once; splits of nodes that a question had, by features
 * that no node above splits by. So a record is in as many tables of a level as the owner's own code charges
 * for. */

/* The coordinator's. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_question_pack(const hr_id3_question *question, hr_bytes *out, hr_error *err);

/* An owner's. */
typedef struct hr_id3_question_reader hr_id3_question_reader;

/* Of the terms all are used but the budget and its parts; the binning is borrowed. Owner: the caller frees
 * *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_question_reader_new(const hr_id3_terms *terms, hr_id3_question_reader **out,
                                                   hr_error *err);
void hr_id3_question_reader_free(hr_id3_question_reader *reader);

/* The question in the body, as hr_id3_records_answer takes it; its line is of group 0, with the
 * body's cost and the sensitivity of this code. *out lives in `arena` and in the reader, until the next
 * question. After a question that was refused all are. Fails: FORMAT (not such a question, or one that an
 * owner does not answer), MEMORY. */
HR_MUST_CHECK hr_status hr_id3_question_read(hr_id3_question_reader *reader, const hr_bytes *body,
                                             hr_arena *arena, hr_id3_question *out, hr_error *err);

#endif
