/* How well a model predicts: exactly, for the owner's eyes, or as figures that may be published. */
#include "hedgerow.h"

SEXP hedgerow_evaluate_exact(SEXP model, SEXP data, SEXP threads) {
    static const char *const names[] = {"rows",  "error",    "auc",   "logloss",  "ece",
                                        "rmse",  "mae",      "r2",    "deviance", "concordance",
                                        "brier", "coverage", "width", NULL};
    hr_metrics m;
    hr_error err = {0};
    check(
        hr_evaluate(box_of(model, OBJECT_MODEL), box_of(data, OBJECT_DATA), Rf_asInteger(threads), &m, &err),
        &err);
    const double values[] = {(double)m.rows, m.error,    m.auc,         m.logloss, m.ece,      m.rmse, m.mae,
                             m.r2,           m.deviance, m.concordance, m.brier,   m.coverage, m.width};
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t i = 0; i < XLENGTH(out); i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal(values[i]));
    UNPROTECT(1);
    return out;
}

static SEXP figures_out(const hr_evaluation *e) {
    static const char *const names[] = {"figure", "value", "noise", "low", "high", NULL};
    const R_xlen_t count = (R_xlen_t)e->figure_count;
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t k = 0; k < 5; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(k ? REALSXP : STRSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        const hr_figure *f = &e->figures[i];
        const double numbers[] = {f->value, f->noise, f->low, f->high};
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, Rf_mkChar(f->name));
        for (R_xlen_t k = 0; k < 4; k++) REAL(VECTOR_ELT(out, k + 1))[i] = numbers[k];
    }
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_evaluate_private(SEXP model, SEXP data, SEXP settings) {
    static const char *const names[] = {"figures", "epsilon", "delta", "statement", NULL};
    SEXP ledger = element(settings, "ledger");
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    options.epsilon = number_of(settings, "epsilon");
    options.delta = number_of(settings, "delta");
    options.threads = Rf_asInteger(element(settings, "threads"));
    options.single_records = Rf_asLogical(element(settings, "single_records")) == TRUE;
    options.ledger = ledger == R_NilValue ? NULL : box_of(ledger, OBJECT_LEDGER);
    hr_evaluation evaluation;
    hr_error err = {0};
    check(hr_evaluate_private(box_of(model, OBJECT_MODEL), box_of(data, OBJECT_DATA), &options, &evaluation,
                              &err),
          &err);
    SEXP out = PROTECT(named_list(names));
    SET_VECTOR_ELT(out, 0, figures_out(&evaluation));
    SET_VECTOR_ELT(out, 1, Rf_ScalarReal(evaluation.epsilon));
    SET_VECTOR_ELT(out, 2, Rf_ScalarReal(evaluation.delta));
    SET_VECTOR_ELT(out, 3, text_out(evaluation.statement));
    UNPROTECT(1);
    return out;
}
