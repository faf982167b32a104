#include "reserved.h"

#include "output.h"

#include <hedgerow/amount.h>

typedef struct listing {
    const char *command, *why, *path;
    int64_t since;
    size_t count;
} listing;

static bool note_newest(void *user, const hr_ledger_entry *entry) {
    *(int64_t *)user = entry->id;
    return true;
}

int64_t newest_entry(hr_ledger *ledger) {
    int64_t newest = 0;
    hr_error err = {0};
    return hr_ledger_each(ledger, note_newest, &newest, &err) == HR_OK ? newest : 0;
}

static bool tell_entry(void *user, const hr_ledger_entry *entry) {
    listing *list = user;
    if (entry->id <= list->since || entry->state != HR_ENTRY_RESERVED) return true;
    list->count++;
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_spent_text(entry->epsilon, epsilon);
    hr_spent_text(entry->delta, delta);
    fprintf(stderr, "hedgerow %s: %sentry %lld of %s stays reserved: epsilon %s and delta %s are spent\n", list->command, list->why,
            (long long)entry->id, list->path, epsilon, delta);
    return true;
}

size_t tell_reserved(const char *command, const char *why, hr_ledger *ledger, const char *path, int64_t since) {
    listing list = {.command = command, .why = why, .path = path, .since = since};
    hr_error err = {0};
    if (ledger != NULL && hr_ledger_each(ledger, tell_entry, &list, &err) != HR_OK) {
        report_error(command, &err);
        fprintf(stderr, "hedgerow %s: %s'hedgerow ledger show %s' tells what stays reserved\n", command, why, path);
        return 1;
    }
    if (list.count > 1) {
        fprintf(stderr, "hedgerow %s: these entries came since this run began; one is its own, the others belong to other runs\n", command);
    }
    return list.count;
}
