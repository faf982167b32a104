#include "federation/transport/validity.h"

#include "base/text/calendar.h"

#include <stdio.h>
#include <string.h>

hr_validity hr_validity_of(const char *name, const char *certificate, const char *authority) {
    const int64_t own = certificate ? hr_certificate_ends(certificate) : 0;
    const int64_t trusted = authority ? hr_certificate_ends(authority) : 0;
    const bool is_authority = own && trusted && trusted <= own;
    return (hr_validity){name, is_authority, is_authority ? trusted : own};
}

int64_t hr_validity_days_left(const hr_validity *validity, int64_t now) {
    const int64_t seconds = validity->ends - now;
    return seconds >= 0 ? seconds / HR_DAY_SECONDS : -1 - (-1 - seconds) / HR_DAY_SECONDS;
}

bool hr_validity_is_over(const hr_validity *validity, int64_t now) {
    return validity->ends && validity->ends < now;
}

void hr_validity_text(const hr_validity *validity, int64_t now, char text[HR_VALIDITY_TEXT]) {
    char date[HR_DATE_TEXT], whose[64] = "the certificate of the federation's authority (ca.pem)", when[64];
    const int64_t left = hr_validity_days_left(validity, now);
    *text = '\0';
    if (!validity->ends || left >= HR_VALIDITY_DAYS) return;
    hr_date_text(validity->ends, date);
    if (!validity->is_authority) snprintf(whose, sizeof whose, "the certificate of '%.32s'", validity->name);
    snprintf(when, sizeof when, ", in %lld day%s", (long long)left, left == 1 ? "" : "s");
    snprintf(text, HR_VALIDITY_TEXT, "%s %s on %s%s", whose, left < 0 ? "expired" : "expires", date,
             left < 0 ? "" : when);
}

const char *hr_validity_remedy(const hr_validity *validity) {
    return validity->is_authority
               ? "the founder makes a new authority: `hedgerow federation renew DIR --new-ca`"
               : "the founder makes a new certificate: `hedgerow federation renew DIR --member NAME`";
}
