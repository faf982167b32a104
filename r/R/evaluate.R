# How well a model predicts.

hedgerow_evaluate <- function(model, data, epsilon = NULL, delta = 0, ledger = NULL, unit = NULL, threads = 1) {
    pointer <- pointer_of(model)
    schema <- .Call(C_hedgerow_model_schema, pointer)
    facts <- .Call(C_hedgerow_schema_facts, schema)
    refuse_unless(is.null(unit) || identical(unit, "record"), "unit", "\"record\", or NULL")
    threads <- threads_of(threads)
    if (is.null(epsilon) && !is.null(ledger))
        fail("argument", "a ledger pays for figures with noise: give epsilon", field = "epsilon")
    columns <- columns_of(data)
    table <- table_of(schema, facts, columns, nrow(data), labels_of(schema, facts, columns))
    ledger <- ledger_pointer(ledger)
    on.exit(release(table, ledger))
    take_remarks(.Call(C_hedgerow_remarks, table, 2L, FALSE, character()))
    if (is.null(epsilon)) return(exact_figures(pointer, table, threads))
    refuse_unless(is_number(epsilon), "epsilon", "a number above 0, or NULL for exact figures")
    refuse_unless(is_number(delta), "delta", "a number from 0 on")
    made <- .Call(C_hedgerow_evaluate_private, pointer, table,
                  list(epsilon = epsilon, delta = delta, threads = threads,
                       single_records = identical(unit, "record"), ledger = ledger))
    structure(class = "hedgerow_evaluation", list(
        figures = as.data.frame(made$figures, stringsAsFactors = FALSE), exact = FALSE, epsilon = made$epsilon,
        delta = made$delta, statement = made$statement))
}

exact_figures <- function(pointer, table, threads) {
    found <- unlist(.Call(C_hedgerow_evaluate_exact, pointer, table, threads))
    facts <- .Call(C_hedgerow_schema_facts, .Call(C_hedgerow_model_schema, pointer))
    label <- facts$label
    of_task <- if (!is.null(label$values)) c("error", "auc", "logloss", "ece") else
        if (!is.null(label$event)) c("logloss", "ece", "concordance", "brier") else
        c("rmse", "mae", "r2", if (label$count) "deviance", if (length(label$quantiles) > 1L) c("coverage", "width"))
    found <- found[c("rows", of_task)]
    found <- found[!is.nan(found)]
    structure(class = "hedgerow_evaluation", list(
        figures = data.frame(figure = names(found), value = unname(found), stringsAsFactors = FALSE), exact = TRUE,
        epsilon = Inf, delta = 0, statement = "exact figures of these records: for the owner's eyes; epsilon releases figures with noise"))
}

figure_text <- function(x) {
    if (!is.na(x) && x == round(x) && abs(x) < 1e15) sprintf("%.0f", x) else format(x, digits = 4)
}

print.hedgerow_evaluation <- function(x, ...) {
    figures <- x$figures
    # Each number by itself: a number of records beside a share would have both in powers of ten.
    for (name in names(figures)) if (is.numeric(figures[[name]])) figures[[name]] <- vapply(figures[[name]], figure_text, "")
    print(figures, row.names = FALSE)
    cat(strwrap(x$statement), sep = "\n")
    invisible(x)
}

# ---- Invented records -------------------------------------------------------------------------------------

hedgerow_hospital <- function(rows = 1000, seed = 1, visits = 0) {
    given <- list(rows = rows, seed = seed, visits = visits)
    for (name in names(given))
        refuse_unless(is_number(given[[name]]) && given[[name]] >= 0 && given[[name]] == floor(given[[name]]), name,
                      "a whole number from 0 on")
    made <- .Call(C_hedgerow_generate_hospital, as.double(rows), as.double(seed), as.double(visits))
    list(data = read.csv(text = made$table, na.strings = "", stringsAsFactors = FALSE),
         schema = hedgerow_schema(text = made$schema))
}
