#include "reserved.h"

#include "output.h"

#include <hedgerow/amount.h>

typedef struct search {
    int64_t id;
    bool reserved;
    double epsilon, delta;
} search;

static bool look_at(void *user, const hr_ledger_entry *entry) {
    search *s = user;
    if (entry->id != s->id) return true;
    s->reserved = entry->state == HR_ENTRY_RESERVED;
    s->epsilon = entry->epsilon;
    s->delta = entry->delta;
    return false;
}

bool tell_reserved(const char *command, const char *why, hr_ledger *ledger, const char *path, int64_t entry) {
    search s = {.id = entry};
    hr_error err = {0};
    if (entry == 0) return false;
    if (hr_ledger_each(ledger, look_at, &s, &err) != HR_OK) {
        report_error(command, &err);
        fprintf(
            stderr,
            "hedgerow %s: %sentry %lld of %s stays reserved; 'hedgerow ledger show %s' tells what is spent\n",
            command, why, (long long)entry, path, path);
        return true;
    }
    if (!s.reserved) return false;
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_spent_text(s.epsilon, epsilon);
    hr_spent_text(s.delta, delta);
    fprintf(stderr, "hedgerow %s: %sentry %lld of %s stays reserved: epsilon %s and delta %s are spent\n",
            command, why, (long long)entry, path, epsilon, delta);
    return true;
}
