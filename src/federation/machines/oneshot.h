/* Models in one shot: every owner trains one model alone, releases it and is done; the coordinator collects
 * what was released.
 *
 * The coordinator offers a job (beginning.h). An owner that gets the start trains, and sends its model once
 * (Released), or word that it has none (Notice). Its job ends with that: it waits for nobody. The coordinator
 * waits until every owner of the start has answered, or the deadline is over. What a model holds, and whether
 * it may be taken, is the method's matter: the protocol does not read it. An owner whose model is refused is
 * cut off, and the job goes on without it.
 *
 * An owner's machine acts on: Terms, Start, Finish. The coordinator's on: Answer, Released, Notice. */
#ifndef HR_FEDERATION_MACHINES_ONESHOT_H
#define HR_FEDERATION_MACHINES_ONESHOT_H

#include "federation/protocol/beginning.h"

/* Bytes of a released model: what else its message holds fits beside it. */
enum { HR_RELEASED_MAX = HR_MESSAGE_MAX - 4096 };

/* Whether a model may be taken that an owner released for a job of those terms. Fails: POLICY, FORMAT, LIMIT
 * (it may not; the message has the reason), MEMORY. */
typedef hr_status hr_released_check(const Hedgerow__Terms *terms, const hr_schema *schema,
                                    const hr_bytes *model, hr_error *err);

/* Owner: the caller frees *out with hr_protocol_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_oneshot_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err);
/* Begins by offering the job. Owner: as above. Fails: FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_oneshot_coordinator(const hr_protocol_setup *setup, hr_released_check *check,
                                               hr_protocol **out, hr_error *err);

/* ---- The coordinator ---- */

/* How many owners take part, in the order of the start; 0 before it. */
size_t hr_oneshot_owners(const hr_protocol *coordinator);
/* The model of one of them; of size 0 if it sent none, or none that was taken. Borrowed from the machine. */
hr_bytes hr_oneshot_model(const hr_protocol *coordinator, size_t owner);
/* What became of a member: `trees` counts its model, `skipped` that it has none. False: it had no offer. */
bool hr_oneshot_part(const hr_protocol *coordinator, size_t member, hr_part_info *out);

/* ---- For the machines of both sides ---- */

/* Whether terms fit this protocol, beyond hr_terms_check. Fails: FORMAT. */
HR_MUST_CHECK hr_terms_fit hr_oneshot_terms_check;

/* An owner's signature of its model, which names the start: so the job, its terms and its owners. */
void hr_released_sign(const hr_identity *owner, const hr_digest *start, const hr_bytes *model,
                      uint8_t signature[HR_SIGNATURE_SIZE]);
bool hr_released_holds(const hr_member *owner, const hr_digest *start, const Hedgerow__Released *released);

#endif
