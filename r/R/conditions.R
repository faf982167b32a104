# Failures and remarks of the library as conditions.

STATUSES <- c("-1" = "memory", "-2" = "argument", "-3" = "file", "-4" = "format", "-5" = "schema", "-6" = "budget",
              "-7" = "policy", "-8" = "absent", "-9" = "limit", "-10" = "cancelled", "-11" = "job", "-13" = "busy")

failure <- function(kind, text, file = "", line = 0, field = "", message = text, remedy = "", call = NULL) {
    structure(class = c(sprintf("hedgerow_%s_error", kind), "hedgerow_error", "error", "condition"),
              list(message = text, call = call, kind = kind, file = file, line = line, field = field,
                   problem = message, remedy = remedy))
}

# What a function of the library failed with; called by the glue.
fail_status <- function(status, text, parts, line) {
    kind <- STATUSES[[as.character(status)]]
    if (kind == "cancelled") {
        text <- "stopped; a ledger keeps what was reserved, unless no noise was drawn yet"
        # Who waits for interrupts gets one, as from any other function.
        signalCondition(structure(class = c("interrupt", "condition"), list(message = text, call = NULL)))
    }
    stop(failure(kind, text, parts[1], line, parts[2], parts[3], parts[4]))
}

fail <- function(kind, text, field = "", remedy = "") {
    whole <- if (nzchar(remedy)) paste0(text, "; ", remedy) else text
    stop(failure(kind, whole, field = field, message = text, remedy = remedy))
}

warn <- function(kind, text, field = "", message = text, remedy = "") {
    warning(structure(class = c(sprintf("hedgerow_%s_warning", kind), "hedgerow_warning", "warning", "condition"),
                      list(message = text, call = NULL, field = field, problem = message, remedy = remedy)))
}

REMARKS <- c("misfit", "misfit", "misfit", "review", "review", "privacy_leak", "review", "left_out", "interval")
NOTE <- 0L
FAULT <- 2L
COLUMNS_SHOWN <- 20L # that do not fit

# Remarks as warnings; strict: faults as failures, before anything is spent.
take_remarks <- function(remarks, strict = FALSE) {
    misfits <- 0L
    for (remark in remarks) {
        if (remark$level == NOTE) next
        if (strict && remark$level == FAULT)
            fail_status(remark$status, remark$text, c("", remark$field, remark$message, remark$remedy), 0)
        is_misfit <- remark$kind == 0L
        misfits <- misfits + is_misfit
        if (is_misfit && misfits > COLUMNS_SHOWN) next
        warn(REMARKS[[remark$kind + 1L]], remark$text, remark$field, remark$message, remark$remedy)
    }
    if (misfits > COLUMNS_SHOWN)
        warn("misfit", sprintf("%d more columns do not fit the schema", misfits - COLUMNS_SHOWN))
}

# ---- Arguments --------------------------------------------------------------------------------------------

is_number <- function(x) is.numeric(x) && length(x) == 1L && !is.na(x)
is_text <- function(x) is.character(x) && length(x) == 1L && !is.na(x)
is_flag <- function(x) is.logical(x) && length(x) == 1L && !is.na(x)

refuse_unless <- function(holds, name, expected) {
    if (!holds) fail("argument", sprintf("'%s' must be %s", name, expected), field = name)
}

# A whole number from `least` on, which the library holds.
is_count <- function(x, least) is_number(x) && x >= least && x == floor(x) && x <= .Machine$integer.max

threads_of <- function(threads) {
    refuse_unless(is_count(threads, 0), "threads", "a whole number of threads; 0 is all processors")
    as.integer(threads)
}

quoted <- function(texts, most = 10L) {
    shown <- paste0("'", head(texts, most), "'", collapse = ", ")
    if (length(texts) > most) paste0(shown, ", and others") else shown
}

number_texts <- function(x) .Call(C_hedgerow_number_texts, as.double(x))
amount_texts <- function(x) .Call(C_hedgerow_amount_texts, as.double(x))
