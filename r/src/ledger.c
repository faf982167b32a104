/* The ledger: the file that keeps the budget. */
#include "hedgerow.h"

static void release_ledger(void *at) {
    hr_ledger_close(at);
}

SEXP hedgerow_ledger_make(SEXP path, SEXP epsilon, SEXP delta) {
    hr_error err = {0};
    check(hr_ledger_create(text_in(path), Rf_asReal(epsilon), Rf_asReal(delta), &err), &err);
    return R_NilValue;
}

SEXP hedgerow_ledger_load(SEXP path) {
    SEXP out = PROTECT(box_new(OBJECT_LEDGER, release_ledger, R_NilValue));
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    check(hr_ledger_open(text_in(path), &ledger, &err), &err);
    box_fill(out, ledger);
    UNPROTECT(1);
    return out;
}

static double amount_of(void (*write)(double amount, char *text), double amount) {
    char text[HR_AMOUNT_TEXT];
    write(amount, text);
    return R_atof(text);
}

SEXP hedgerow_ledger_total(SEXP ledger) {
    static const char *const names[] = {"epsilon_limit", "delta_limit",  "epsilon_spent",
                                        "delta_spent",   "epsilon_left", "delta_left",
                                        "entries",       "frozen",       NULL};
    hr_ledger_total t;
    hr_error err = {0};
    check(hr_ledger_sum(box_of(ledger, OBJECT_LEDGER), &t, &err), &err);
    const double values[] = {amount_of(hr_epsilon_left_text, t.epsilon_limit),
                             amount_of(hr_delta_left_text, t.delta_limit),
                             amount_of(hr_spent_text, t.epsilon_spent),
                             amount_of(hr_spent_text, t.delta_spent),
                             amount_of(hr_epsilon_left_text, t.epsilon_left),
                             amount_of(hr_delta_left_text, t.delta_left),
                             (double)t.entries};
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t i = 0; i < 7; i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal(values[i]));
    SET_VECTOR_ELT(out, 7, Rf_ScalarLogical(t.frozen));
    UNPROTECT(1);
    return out;
}

static bool count_entry(void *user, const hr_ledger_entry *entry) {
    (void)entry;
    ++*(R_xlen_t *)user;
    return true;
}

typedef struct filling {
    SEXP columns;
    R_xlen_t next, room;
    bool failed;
} filling;

static void set_entry(void *user) {
    void **given = user;
    filling *f = given[0];
    const hr_ledger_entry *entry = given[1];
    static const char *const states[] = {"reserved", "committed", "void"};
    REAL(VECTOR_ELT(f->columns, 0))[f->next] = (double)entry->id;
    SET_STRING_ELT(VECTOR_ELT(f->columns, 1), f->next, Rf_mkCharCE(entry->when, CE_UTF8));
    SET_STRING_ELT(VECTOR_ELT(f->columns, 2), f->next, Rf_mkCharCE(entry->purpose, CE_UTF8));
    REAL(VECTOR_ELT(f->columns, 3))[f->next] = entry->epsilon;
    REAL(VECTOR_ELT(f->columns, 4))[f->next] = amount_of(hr_spent_text, entry->delta);
    SET_STRING_ELT(VECTOR_ELT(f->columns, 5), f->next, Rf_mkChar(states[entry->state]));
}

/* R may fail here, and must not leave the library's call by a jump. */
static bool take_entry(void *user, const hr_ledger_entry *entry) {
    filling *f = user;
    void *given[] = {f, (void *)(uintptr_t)entry};
    if (f->next == f->room) return false;
    if (!R_ToplevelExec(set_entry, given)) f->failed = true;
    f->next++;
    return !f->failed;
}

SEXP hedgerow_ledger_entries(SEXP ledger) {
    static const char *const names[] = {"id", "when", "purpose", "epsilon", "delta", "state", NULL};
    hr_ledger *at = box_of(ledger, OBJECT_LEDGER);
    R_xlen_t count = 0;
    hr_error err = {0};
    check(hr_ledger_each(at, count_entry, &count, &err), &err);
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t k = 0; k < 6; k++)
        SET_VECTOR_ELT(out, k, Rf_allocVector(k == 0 || k == 3 || k == 4 ? REALSXP : STRSXP, count));
    filling f = {.columns = out, .room = count};
    check(hr_ledger_each(at, take_entry, &f, &err), &err);
    if (f.failed) check(HR_E_MEMORY, NULL);
    UNPROTECT(1);
    return out;
}

/* No further spending, for good. */
SEXP hedgerow_ledger_stop(SEXP ledger) {
    hr_error err = {0};
    check(hr_ledger_freeze(box_of(ledger, OBJECT_LEDGER), &err), &err);
    return R_NilValue;
}
