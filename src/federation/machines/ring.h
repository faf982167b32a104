/* Sums along a ring, as Kaghazgaran and Takabi's poster has them: NOT PRIVATE. For every sum each owner
 * splits its noisy values into two shares that add up modulo 2^64. One goes to the coordinator, the poster's
 * computing party (Share); to the other it adds what came from the owner before it, and passes that on to the
 * next one (Pass). The last owner passes it to the coordinator, which adds up all that came: 2n messages a
 * sum.
 *
 * What leaves an owner, less what came to it, and its share at the coordinator are together its values with
 * its own part of the noise alone: the owners beside it read them if they act with the coordinator.
 *
 * A ring has the owners of the start, in their order, for the whole job. The poster has no recovery: a sum
 * that lacks an answer ends the job, with the name of the owner that was waited for.
 *
 * Questions and outcomes are those of securesum.h, without choices. hr_securesum_owners works with these
 * machines too. An owner's machine acts on: Terms, Start, `Ask`, Pass, Finish. The coordinator's on: Answer,
 * Share, Pass, Notice. */
#ifndef HR_FEDERATION_MACHINES_RING_H
#define HR_FEDERATION_MACHINES_RING_H

#include "federation/machines/securesum.h"

/* Owner: the caller frees *out with hr_protocol_free. Uses setup->secret. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_ring_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err);
/* Begins by offering the job. Owner: as above. Fails: FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_ring_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err);

/* ---- An owner ---- */

/* A sum that it has to answer: HR_ACT_TRAIN's `slot` is such an index, and the sum's position in the job.
 * False: there is no such sum. */
bool hr_ring_question(const hr_protocol *owner, size_t index, hr_sum_question *out);

/* What splits its values of a sum: the values with the mask added are the share that it passes on, the mask
 * subtracted from 0 the other one, which its machine sends itself. Computed twice it is the same. Owner: the
 * caller frees *out with hr_mask_free. Fails: ARGUMENT (no such sum), MEMORY. */
HR_MUST_CHECK hr_status hr_ring_mask(const hr_protocol *owner, size_t index, hr_mask **out, hr_error *err);

/* ---- The coordinator ---- */

/* As in securesum.h; no outcome is lost. */
size_t hr_ring_outcomes(const hr_protocol *coordinator);
bool hr_ring_outcome(const hr_protocol *coordinator, size_t index, hr_sum_outcome *out);

/* What became of a member: `trees` are the sums that have its share. False: it had no offer. */
bool hr_ring_part(const hr_protocol *coordinator, size_t member, hr_part_info *out);

/* ---- For the machines of both sides ---- */

/* Whether terms fit this protocol, beyond hr_terms_check: it takes no job that claims to be private. Fails:
 * FORMAT. */
HR_MUST_CHECK hr_terms_fit hr_ring_terms_check;

/* Whether numbers of a share or of what is passed on can be those of a sum of so many values. Fails: POLICY.
 */
HR_MUST_CHECK hr_status hr_ring_length_check(size_t count, size_t values, hr_error *err);

#endif
