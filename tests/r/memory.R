# Memory does not grow from fit to fit: a table alone has 270 KB, so that one a fit would come to 27 MB.
library(hedgerow)

hospital <- hedgerow_hospital(rows = 2000, seed = 1)
file <- tempfile(fileext = ".db")
ledger <- hedgerow_ledger_create(file, epsilon = 1000, delta = 1e-2)

resident <- function() {
    invisible(gc())
    as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][2]) * 4096
}

work <- function(times) {
    for (i in seq_len(times)) {
        model <- hedgerow(readmitted ~ ., hospital$data, schema = hospital$schema, ledger = ledger)
        predict(model, hospital$data, type = "prob")
        try(hedgerow(readmitted ~ ., hospital$data, schema = hospital$schema, epsilon = 5000, ledger = ledger), silent = TRUE)
    }
}

work(60) # the heap of R finds its size
before <- resident()
work(100)
grown <- resident() - before
cat(sprintf("memory: %.1f MB more after 100 fits\n", grown / 1e6))
stopifnot(grown < 12e6)
