/* Parcels that nobody has confirmed, sent again, oldest first. */
#ifndef HR_JOB_RESEND_H
#define HR_JOB_RESEND_H

#include "federation/roster.h"
#include "ledger/journal.h"
#include "transport/transport.h"

/* What the carrier does not take now is left to the next time; a box that takes nothing keeps no parcel from others. Fails: IO (journal),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_resend(hr_journal *journal, hr_transport *transport, const hr_roster *roster, hr_error *err);

#endif
