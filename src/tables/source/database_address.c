/* Read without libpq, and more carefully than it reads them: a password with characters that should be
 * escaped must not be shown either. */
#include "tables/source/database_address.h"

#include <hedgerow/data.h>
#include <stdio.h>
#include <string.h>

static const char *const schemes[] = {"postgresql://", "postgres://"};

/* What comes after the scheme, or NULL: it is no address. */
static const char *after_scheme(const char *path) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(path, schemes[i], size) == 0) return path + size;
    }
    return NULL;
}

bool hr_database_is_address(const char *path) {
    return after_scheme(path) != NULL;
}

/* Whether all ports of the hosts text[0..size) are numbers; a password without its host stands where a port
 * does. */
static bool has_plain_ports(const char *text, size_t size) {
    bool bracket = false, port = false;
    for (const char *p = text; p < text + size && *p != '/'; p++) {
        if (*p == '[' || *p == ']') bracket = *p == '[';
        if (bracket) continue;
        if (*p == ',') port = false;
        if (port && (*p < '0' || *p > '9')) return false;
        if (*p == ':') port = true;
    }
    return true;
}

void hr_database_show(const char *path, char shown[HR_DATABASE_SHOWN]) {
    const char *rest = after_scheme(path), *at = rest ? strrchr(rest, '@') : NULL;
    if (!rest) {
        snprintf(shown, HR_DATABASE_SHOWN, "%s", path);
        return;
    }
    const char *host = at ? at + 1 : rest;
    const int user = at ? (int)strcspn(rest, ":@/?") : 0;
    const size_t size = strcspn(host, "?");
    const char *options = strchr(rest, '?'); /* an @ behind it may be one of a password */
    const bool plain = has_plain_ports(host, size) && !(at && options && options < at);
    snprintf(shown, HR_DATABASE_SHOWN, "%.*s%.*s%s%.*s", (int)(rest - path), path, user, rest, at ? "@" : "",
             plain ? (int)size : 3, plain ? host : "...");
}

bool hr_database_is_plain(const char *address) {
    const char *rest = after_scheme(address), *at = rest + strcspn(rest, "@/");
    const char *last = strrchr(rest, '@');
    const char *host = *at == '@' ? at + 1 : rest;
    if (*at == '@' && rest[strcspn(rest, ":@?")] == '?') return false;
    return last == (*at == '@' ? at : NULL) && has_plain_ports(host, strcspn(host, "?"));
}

bool hr_data_address_has_password(const char *path) {
    const char *rest = after_scheme(path), *at = rest ? strrchr(rest, '@') : NULL;
    if (!rest) return false;
    return strstr(rest, "password=") || (at && memchr(rest, ':', (size_t)(at - rest)));
}

void hr_database_hide(char *text, const char *secret) {
    const size_t size = secret ? strlen(secret) : 0;
    if (!size) return;
    for (char *at = text; (at = strstr(at, secret)); at += size) memset(at, '*', size);
}
