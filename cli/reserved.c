#include "reserved.h"

#include "interrupt.h"
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

bool print_reserved(const char *command, const char *why, hr_ledger *ledger, const char *path,
                    int64_t entry) {
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

int report_run_failure(const char *command, hr_ledger *ledger, const char *path, int64_t entry,
                       const hr_error *err) {
    if (err->status != HR_E_CANCELLED) {
        const int code = report_error(command, err);
        print_reserved(command, "", ledger, path, entry);
        return code;
    }
    if (!print_reserved(command, "interrupted; ", ledger, path, entry))
        fprintf(stderr, "hedgerow %s: interrupted; nothing was spent\n", command);
    return EXIT_SIGNAL + interrupted();
}

const hr_ledger_total *read_ledger_total(const char *command, hr_ledger *ledger, hr_ledger_total *total) {
    hr_error err = {0};
    if (ledger == NULL) return NULL;
    if (hr_ledger_sum(ledger, total, &err) == HR_OK) return total;
    report_error(command, &err);
    return NULL;
}

void print_ledger_left(FILE *out, const hr_ledger_total *total) {
    if (total == NULL) return;
    char epsilon[HR_AMOUNT_TEXT], epsilon_limit[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT],
        delta_limit[HR_AMOUNT_TEXT];
    hr_spent_text(total->epsilon_spent, epsilon);
    hr_epsilon_left_text(total->epsilon_limit, epsilon_limit);
    hr_spent_text(total->delta_spent, delta);
    hr_delta_left_text(total->delta_limit, delta_limit);
    fprintf(out, "%-8s epsilon %s of %s spent, delta %s of %s\n", "ledger", epsilon, epsilon_limit, delta,
            delta_limit);
}

void json_ledger(json_writer *json, const hr_ledger_total *total) {
    if (total == NULL) return;
    json_open(json, "ledger", '{');
    json_number(json, "epsilon_limit", total->epsilon_limit);
    json_number(json, "epsilon_spent", total->epsilon_spent);
    json_delta_left(json, "delta_limit", total->delta_limit);
    json_delta(json, "delta_spent", total->delta_spent);
    json_close(json, '}');
}
