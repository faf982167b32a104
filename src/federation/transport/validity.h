/* Until when certificates hold, and what people read about it. */
#ifndef HR_FEDERATION_TRANSPORT_VALIDITY_H
#define HR_FEDERATION_TRANSPORT_VALIDITY_H

#include <stdbool.h>
#include <stdint.h>

enum { HR_VALIDITY_DAYS = 60 /* before the end: when people are told */, HR_VALIDITY_TEXT = 256 };

/* The last second in which a file of certificates in PEM is of use, that of its latest certificate, since
 * 1970 began; 0: it cannot be read. */
int64_t hr_certificate_ends(const char *path);

/* Which end comes first: that of a member's certificate or of the authority that members trust; the
 * authority's if both are one, because a new certificate of the same authority would not hold longer. */
typedef struct hr_validity {
    const char *name;  /* of the member */
    bool is_authority; /* the authority's is first */
    int64_t ends;      /* 0: not known */
} hr_validity;

hr_validity hr_validity_of(const char *name, const char *certificate, const char *authority);

/* Whole days that are left; negative: it has ended. */
int64_t hr_validity_days_left(const hr_validity *validity, int64_t now);
bool hr_validity_is_over(const hr_validity *validity, int64_t now);
/* What has ended, or ends within HR_VALIDITY_DAYS, and when; "" for any other. */
void hr_validity_text(const hr_validity *validity, int64_t now, char text[HR_VALIDITY_TEXT]);
/* Who has to do what about it. A literal. */
const char *hr_validity_remedy(const hr_validity *validity);

#endif
