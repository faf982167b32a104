#include "job/resend.h"

#include <stdbool.h>
#include <string.h>

enum { UNREACHABLE_MAX = 3 }; /* boxes that take nothing: then it is the carrier */

typedef struct resending {
    hr_transport *transport;
    const hr_roster *roster;
    bool unreachable[HR_MEMBERS_MAX]; /* by member: her box is full, or gone */
    size_t unreachable_count;
} resending;

static hr_status send_again(void *user, const char *to, uint64_t sequence, hr_blob parcel) {
    resending *r = user;
    hr_error ignored;
    (void)sequence;
    size_t member = hr_roster_named(r->roster, to, strlen(to));
    if (member == HR_NO_MEMBER || r->unreachable[member]) return HR_OK;
    hr_status status = r->transport->send(r->transport, to, parcel.at, parcel.size, &ignored);
    if (!status) return HR_OK;
    r->unreachable[member] = true;
    return status != HR_E_CANCELLED && ++r->unreachable_count < UNREACHABLE_MAX ? HR_OK : status;
}

hr_status hr_resend(hr_journal *journal, hr_transport *transport, const hr_roster *roster, hr_error *err) {
    hr_error said = {0};
    resending r = {.transport = transport, .roster = roster};
    hr_status status = hr_journal_each_parcel(journal, send_again, &r, &said);
    if (!status || !said.message[0]) return HR_OK; /* the carrier will be back */
    if (err) *err = said;
    return status;
}
