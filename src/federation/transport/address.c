#include "federation/transport/address.h"

#include "base/text/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

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

/* One URL of `size` characters. */
static bool parse_host(const char *url, size_t size, hr_broker_host *out) {
    char text[HR_BROKER_HOST + 16];
    hr_broker_host address = {0};
    if (size >= sizeof text || strncmp(url, "tls://", 6) != 0) return false;
    snprintf(text, sizeof text, "%.*s", (int)size, url);
    const bool bracketed = text[6] == '[';
    const char *host = text + 6 + bracketed;
    const size_t length = strcspn(host, bracketed ? "]" : ":");
    const char *after = host + length + (bracketed && host[length] == ']');
    if (!host_fits(host, length, bracketed) || *after != ':' || !hr_port_parse(after + 1, &address.port) ||
        !address.port)
        return false;
    memcpy(address.host, host, length);
    *out = address;
    return true;
}

/* The brokers of a cluster know each other by the names in their certificate. */
static bool is_name(const char *host) {
    return host[strspn(host, "0123456789.")] && !strchr(host, ':');
}

hr_status hr_broker_address_parse(const char *url, hr_broker_address *out, hr_error *err) {
    assert(url && out);
    hr_broker_address address = {0};
    bool fine = true, names = true;
    for (const char *at = url; fine && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        hr_broker_host *next = &address.brokers[address.count];
        fine = address.count < HR_BROKERS_MAX && parse_host(at, strcspn(at, ","), next);
        names = names && fine && is_name(next->host);
        address.count++;
    }
    if (!fine)
        return hr_fail(err, HR_E_ARGUMENT,
                       "write it as tls://HOST:PORT, such as tls://broker.example.org:4222",
                       "'%.200s' is not the URL of a broker", url);
    if (address.count % 2 == 0 || (address.count > 1 && !names))
        return hr_fail(err, HR_E_ARGUMENT,
                       "give the URLs of three or five brokers, with their names and not with addresses",
                       "'%.200s' is no cluster of brokers", url);
    *out = address;
    return HR_OK;
}
