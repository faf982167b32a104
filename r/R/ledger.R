# The ledger: the file that keeps the budget of some records.

hedgerow_ledger_create <- function(file, epsilon, delta = 0) {
    refuse_unless(is_text(file), "file", "the path of a file")
    refuse_unless(is_number(epsilon), "epsilon", "a number above 0")
    refuse_unless(is_number(delta), "delta", "a number from 0 on")
    .Call(C_hedgerow_ledger_make, path.expand(file), epsilon, delta)
    hedgerow_ledger(file)
}

hedgerow_ledger <- function(file) {
    refuse_unless(is_text(file), "file", "the path of a ledger")
    ledger <- structure(list(file = normalizePath(file, mustWork = FALSE)), class = "hedgerow_ledger")
    ledger_pointer(ledger) # fails if it is none
    ledger
}

# Opened for each use: a ledger object that is saved and loaded names its file alone.
ledger_pointer <- function(ledger) {
    if (is.null(ledger)) return(NULL)
    if (inherits(ledger, "hedgerow_ledger")) ledger <- ledger$file
    refuse_unless(is_text(ledger), "ledger", "a ledger, or the path of one")
    .Call(C_hedgerow_ledger_load, path.expand(ledger))
}

with_ledger <- function(ledger, f) {
    refuse_unless(!is.null(ledger), "ledger", "a ledger, or the path of one")
    pointer <- ledger_pointer(ledger)
    on.exit(.Call(C_hedgerow_release, pointer))
    f(pointer)
}

summary_of_ledger <- function(ledger) with_ledger(ledger, function(at) .Call(C_hedgerow_ledger_total, at))

hedgerow_ledger_entries <- function(ledger) {
    with_ledger(ledger, function(at) as.data.frame(.Call(C_hedgerow_ledger_entries, at), stringsAsFactors = FALSE))
}

hedgerow_ledger_freeze <- function(ledger) {
    with_ledger(ledger, function(at) .Call(C_hedgerow_ledger_stop, at))
    invisible(ledger)
}

format.hedgerow_ledger <- function(x, ...) {
    total <- summary_of_ledger(x)
    c(sprintf("ledger %s%s", x$file, if (total$frozen) ", frozen" else ""),
      sprintf("epsilon %s of %s spent, %s left", number_texts(total$epsilon_spent), number_texts(total$epsilon_limit),
              number_texts(total$epsilon_left)),
      sprintf("delta   %s of %s spent, %s left", number_texts(total$delta_spent), number_texts(total$delta_limit),
              number_texts(total$delta_left)),
      sprintf("entries %g", total$entries))
}

print.hedgerow_ledger <- function(x, ...) {
    cat(format(x), sep = "\n")
    invisible(x)
}
