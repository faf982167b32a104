/* An owner's receipts: what it signs when its ledger is charged, and whether the ledger is an older copy. */
#ifndef HR_FEDERATION_WORK_OWNER_RECEIPTS_H
#define HR_FEDERATION_WORK_OWNER_RECEIPTS_H

#include "federation/work/owner_work.h"

/* hr_party_work.charged: stores a receipt of the charge in the ledger, and lists it after those that the
 * coordinator did not show. */
HR_MUST_CHECK hr_status hr_owner_receipts_charged(hr_party_work *self, const hr_charged_job *charge,
                                                  hr_bytes *out, hr_error *err);

/* Declines an offer with a receipt that the ledger should hold and does not. No effect without ledger and
 * view. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_owner_receipts_compare(const hr_owner_work *work, const hr_party_offer *offer,
                                                  hr_decision *out, hr_error *err);

#endif
