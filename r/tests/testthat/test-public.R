age <- list(age = c(18, 105))

# A warning of a leak, and the model whose fit warned.
leaky <- function(...) {
    warned <- NULL
    model <- withCallingHandlers(hedgerow(...), hedgerow_privacy_leak_warning = function(w) {
        warned <<- c(warned, conditionMessage(w))
        invokeRestart("muffleWarning")
    })
    list(model = model, warned = warned)
}

expect_not_private <- function(made, what) {
    expect_match(made$warned, "^NOT PRIVATE", all = FALSE)
    expect_match(made$warned, what, fixed = TRUE, all = FALSE)
    said <- summary(made$model)
    expect_false(said$private)
    expect_identical(said$epsilon, Inf)
    expect_match(said$statement, what, fixed = TRUE)
    expect_output(print(made$model), "NOT DIFFERENTIALLY PRIVATE")
}

expect_private <- function(made) {
    expect_null(made$warned)
    expect_true(summary(made$model)$private)
    expect_identical(summary(made$model)$epsilon, 1)
}

test_that("levels of a factor count as read off the records", {
    frame <- transform(patients, ward = factor(ward), readmitted = factor(readmitted))[c("age", "ward", "readmitted")]
    expect_not_private(leaky(readmitted ~ ., frame, bounds = age, classes = c("no", "yes")), "the categories of ward")
    frame$ward <- factor(frame$ward, ordered = TRUE)
    expect_not_private(leaky(readmitted ~ ., frame, bounds = age, public_levels = "readmitted"), "the categories of ward")
    expect_not_private(leaky(readmitted ~ ., frame, bounds = age, public_levels = "ward"), "the classes of the label")
})

test_that("levels are public by declaration: an argument, a list or a schema", {
    frame <- transform(patients, ward = factor(ward), readmitted = factor(readmitted))[c("age", "ward", "readmitted")]
    expect_private(leaky(readmitted ~ ., frame, bounds = age, public_levels = c("ward", "readmitted")))
    expect_private(leaky(readmitted ~ ., frame, bounds = age, categories = list(ward = unique(patients$ward)), classes = c("no", "yes")))
    expect_private(leaky(readmitted ~ age + ward, patients, schema = hospital$schema))
})

test_that("classes and bounds that are read off the records are said", {
    expect_not_private(leaky(readmitted ~ age, patients, bounds = age), "the classes of the label")
    expect_not_private(leaky(readmitted ~ age, patients, bounds = "data", classes = c("no", "yes")), "the bounds of age")
    expect_not_private(leaky(days ~ age, patients, bounds = age, label_bounds = "data"), "the bounds of the label")
    expect_private(leaky(readmitted ~ age, patients, classes = c("no", "yes"))) # bounds are released
})

test_that("noise from a seed, the paper mode and methods without privacy are not private", {
    made <- leaky(readmitted ~ age, patients, schema = hospital$schema, seed = 1)
    expect_match(made$warned, "NOT PRIVATE")
    expect_identical(summary(made$model)$epsilon, Inf)
    expect_identical(summary(leaky(readmitted ~ age, patients, schema = hospital$schema, method = "gbdt")$model)$epsilon, Inf)
    expect_identical(summary(suppressWarnings(hedgerow(readmitted ~ age, patients, schema = hospital$schema, method = "dpboost",
                                                       mode = "paper")))$epsilon, Inf)
})

test_that("a ledger refuses what is not private, and nothing is spent", {
    file <- tempfile(fileext = ".db")
    ledger <- hedgerow_ledger_create(file, 3, 1e-5)
    refused <- function(...) expect_s3_class(failure_of(suppressWarnings(hedgerow(..., ledger = ledger))), "hedgerow_policy_error")
    refused(readmitted ~ age, patients, bounds = age)
    refused(readmitted ~ age, patients, schema = hospital$schema, seed = 1)
    refused(readmitted ~ age, patients, schema = hospital$schema, method = "dpboost", mode = "paper")
    expect_identical(nrow(hedgerow_ledger_entries(ledger)), 0L)
})

test_that("texts are refused without a list, and names that are misspelt", {
    expect_match(failure_of(hedgerow(readmitted ~ age + ward, patients, classes = c("no", "yes")))$message, "categories = list\\(ward")
    for (arguments in list(list(bounds = list(agee = c(0, 1))), list(categories = list(wardd = "a")), list(public_levels = "wardd"),
                           list(monotone = c(agee = 1))))
        expect_match(failure_of(do.call(hedgerow, c(list(readmitted ~ age, patients, classes = c("no", "yes")), arguments)))$message,
                     "which the table does not have")
})

test_that("facts in code beside a schema are refused", {
    expect_match(failure_of(hedgerow(readmitted ~ age, patients, schema = hospital$schema, bounds = c(0, 1)))$message, "'bounds' beside 'schema'")
    expect_match(failure_of(hedgerow(readmitted ~ age, patients, schema = hospital$schema, unit = "age"))$message, "'unit' beside 'schema'")
})

test_that("a saved model holds nothing of the data, the caller or the ledger", {
    secret <- "patient-4711-secret"
    frame <- patients
    frame$note <- secret
    fit_here <- function() {
        nearby <- rep(secret, 3)
        ledger <- hedgerow_ledger_create(tempfile("ledger-secret"), 3, 1e-5)
        do.call(hedgerow, list(readmitted ~ age + ward, frame, schema = hospital$schema, ledger = ledger))
    }
    bytes <- serialize(fit_here(), NULL, ascii = TRUE)
    expect_no_match(rawToChar(bytes), "secret", fixed = TRUE)
})

test_that("the type of a column without cells decides what it is", {
    frame <- transform(patients, flag = NA)[c("age", "flag", "readmitted")]
    kinds <- function(frame, bounds) {
        made <- leaky(readmitted ~ ., frame, bounds = bounds, classes = c("no", "yes"))
        expect_private(made)
        hedgerow:::schema_facts_of(made$model)$features
    }
    with_one <- frame
    with_one$flag[1] <- TRUE
    expect_identical(kinds(frame, age), kinds(with_one, age))
    frame$flag <- as.numeric(NA)
    expect_error(kinds(with_one, c(age, list(flag = c(0, 1)))), "no numbers")
    expect_private(leaky(readmitted ~ ., frame, bounds = c(age, list(flag = c(0, 1))), classes = c("no", "yes")))
})
