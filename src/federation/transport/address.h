/* Names of members and addresses of brokers, as files give them. */
#ifndef HR_FEDERATION_TRANSPORT_ADDRESS_H
#define HR_FEDERATION_TRANSPORT_ADDRESS_H

#include "base/fail.h"

#include <stdbool.h>

enum {
    HR_NATS_NAME_MAX = 32, /* characters of a name, without its NUL */
    HR_BROKER_HOST = 256
};

/* Of a federation or a member: a small letter or digit, then small letters, digits and '-'. Fits into
 * subjects, certificates and paths. */
bool hr_nats_name_fits(const char *name);

typedef struct hr_broker_address {
    char host[HR_BROKER_HOST]; /* a name, or an address without brackets */
    unsigned port;
} hr_broker_address;

/* Reads tls://HOST:PORT. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_broker_address_parse(const char *url, hr_broker_address *out, hr_error *err);

#endif
