#include "federation/transport/address.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_MAX = 65535 };

/* Decided here and not by ctype.h, which depends on the locale. */
bool hr_nats_name_fits(const char *name) {
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return length && length <= HR_NATS_NAME_MAX && !name[length] && name[0] != '-';
}

static bool host_fits(const char *host, size_t length, bool bracketed) {
    const char *allowed = bracketed ? "0123456789abcdefABCDEF:."
                                    : "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-";
    return length && length < HR_BROKER_HOST && strspn(host, allowed) >= length;
}

/* A port is digits to the end of the text. 0: it is none. */
static unsigned parse_port(const char *text) {
    const size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 5 || text[digits]) return 0;
    const unsigned long port = strtoul(text, NULL, 10);
    return port <= PORT_MAX ? (unsigned)port : 0;
}

hr_status hr_broker_address_parse(const char *url, hr_broker_address *out, hr_error *err) {
    assert(url && out);
    hr_broker_address address = {0};
    bool fine = strncmp(url, "tls://", 6) == 0;
    if (fine) {
        const bool bracketed = url[6] == '[';
        const char *host = url + 6 + bracketed;
        const size_t length = strcspn(host, bracketed ? "]" : ":");
        const char *after = host + length + (bracketed && host[length] == ']');
        fine = host_fits(host, length, bracketed) && *after == ':' &&
               (address.port = parse_port(after + 1)) != 0;
        if (fine) memcpy(address.host, host, length);
    }
    if (!fine) {
        return hr_fail(err, HR_E_ARGUMENT,
                       "write it as tls://HOST:PORT, such as tls://broker.example.org:4222",
                       "'%.200s' is not the URL of a broker", url);
    }
    *out = address;
    return HR_OK;
}
