/* What jobs of id3 over owners have in common, by secure sums (federated_id3.c) or on the ring of its paper
 * (federated_id3_ring.c). */
#ifndef HR_FEDERATION_SUMS_FEDERATED_ID3_KEPT_H
#define HR_FEDERATION_SUMS_FEDERATED_ID3_KEPT_H

#include "federation/federated/federated_method.h"
#include "methods/forests/id3_machine.h"
#include "privacy/gate.h"

/* What a party keeps of a job, an owner or the coordinator: its first field. */
typedef struct hr_kept_id3 {
    void (*forget)(struct hr_kept_id3 *self);
    hr_arena *arena;
    hr_csprng *csprng; /* an owner's noise; nothing is drawn from the coordinator's */
    hr_gate *gate;     /* an owner: holds what the job costs; coordinator: what each owner is charged */
    hr_binning binning;
    hr_id3_terms terms;
} hr_kept_id3;

/* What both sides know from the terms, into zeros; `draws`: an owner. The caller ends it with
 * hr_kept_id3_done, also on failure. Fails: BUDGET, LIMIT, ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_kept_id3_init(hr_kept_id3 *kept, const hr_party_job *job, bool draws,
                                         hr_error *err);
/* Frees what it holds, and itself. */
void hr_kept_id3_done(hr_kept_id3 *kept);
/* Of hr_federated_method: frees all that was kept. NULL is allowed. */
void hr_kept_id3_forget(void *kept);

/* All records of the owner, in the root. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_id3_owner_records(const hr_kept_id3 *kept, const hr_owner_turn *turn,
                                             hr_stats_source **out, hr_error *err);

/* Of hr_federated_method. */
void hr_kept_id3_defaults(hr_fit_options *options);
HR_MUST_CHECK hr_status hr_kept_id3_check_schema(const hr_schema *schema, hr_error *err);

#endif
