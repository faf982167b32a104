/* An owner's answers in a job of sums or choices, for every method (summed_job.h).
 *
 * No question is answered twice with new noise, and nothing that leaves the owner depends on a record before
 * it is paid for. An owner takes the questions of the job in order, each once. One that it has to answer is
 * charged, line by line, to the gate of the job, which holds what the ledger has paid; then it is counted;
 * then the gate draws this owner's share of the noise, and the mask hides the rest. A sum that is prepared
 * (securesum.h) is counted first, of which the coordinator learns, and charged when its owners are named.
 * After a restart the gate is empty: all questions are taken again from the first, and those that it had to
 * answer are charged again, but not answered again. After a question that it could not read or pay for it
 * answers none, in this life and the next. Proof: summed_owner.proof.md. */
#ifndef HR_FEDERATION_SUMS_SUMMED_OWNER_H
#define HR_FEDERATION_SUMS_SUMMED_OWNER_H

#include "federation/sums/summed_job.h"

/* The answer to the question of the turn's slot, as bytes for the owner's machine. Owner: the caller frees
 * out->at. Spends: from what the job costs; the turn's gate is not used. Fails: BUDGET, FORMAT (the
 * question), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_summed_answer(const hr_owner_turn *turn, hr_bytes *out, hr_error *err);

#endif
