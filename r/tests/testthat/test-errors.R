test_that("errors have their class, place and remedy", {
    e <- failure_of(hedgerow_read(file.path(tempdir(), "absent.json")))
    expect_s3_class(e, c("hedgerow_file_error", "hedgerow_error", "error", "condition"), exact = TRUE)
    expect_match(e$file, "absent.json")
    file <- tempfile(fileext = ".yaml")
    writeLines(c("hedgerow-schema: 1", "lable: 3"), file)
    e <- failure_of(hedgerow_schema(file))
    expect_s3_class(e, "hedgerow_format_error")
    expect_identical(e$file, file)
    expect_identical(e$line, 2)
    e <- failure_of(hedgerow(readmitted ~ ., patients, schema = hospital$schema, bins = 1e9))
    expect_s3_class(e, "hedgerow_argument_error")
    expect_identical(e$field, "bins")
    expect_true(nzchar(e$remedy))
    writeLines("{}", file)
    expect_s3_class(failure_of(hedgerow_read(file)), "hedgerow_format_error")
    expect_s3_class(failure_of(hedgerow_write(hedgerow(readmitted ~ age, patients, schema = hospital$schema),
                                              file.path(tempdir(), "no", "such", "folder.json"))), "hedgerow_file_error")
})

test_that("all columns that cannot be read are named at once", {
    frame <- patients
    frame$age[1:2] <- Inf
    frame$ward[3] <- "attic"
    frame$days <- rep("soon", 600)
    frame$bmi <- as.difftime(frame$bmi, units = "mins")
    e <- failure_of(hedgerow(readmitted ~ ., frame, schema = hospital$schema))
    expect_s3_class(e, "hedgerow_schema_error")
    expect_match(e$message, "4 columns cannot be read")
    expect_match(e$message, "'age' has 2 cells with infinity")
    expect_match(e$message, "'ward' has unknown categories, 'attic' \\(1 cell\\)")
    expect_match(e$message, "'days' has 600 cells that are no number")
    expect_match(e$message, "'bmi' has the class 'difftime'")
})

test_that("unknown categories may be read as missing where it is predicted", {
    model <- seeded(readmitted ~ ., patients, schema = hospital$schema)
    frame <- patients
    frame$ward[3:4] <- "attic"
    expect_s3_class(failure_of(predict(model, frame)), "hedgerow_schema_error")
    expect_warning(predicted <- predict(model, frame, type = "prob", unknown = "missing"), "ward \\(2 cells\\)", class = "hedgerow_unknown_category_warning")
    frame$ward[3:4] <- NA
    expect_identical(predicted, predict(model, frame, type = "prob"))
})

test_that("labels that are missing or unknown are refused", {
    frame <- patients
    frame$readmitted[1:2] <- NA
    frame$readmitted[3] <- "maybe"
    expect_match(failure_of(hedgerow(readmitted ~ age, frame, schema = hospital$schema))$message,
                 "1 cell that the schema does not describe: 'maybe' \\(1 cell\\), and 2 missing labels")
    frame$days[1] <- NA
    expect_match(failure_of(hedgerow(days ~ age, frame, label_bounds = c(0, 60)))$message, "1 missing label")
    expect_match(failure_of(hedgerow(bmi ~ age, transform(patients, bmi = 0.5), label_bounds = c(0, 60), counts = TRUE))$message, "not whole")
})

test_that("arguments of a wrong type are refused, each by its name", {
    base <- list(formula = readmitted ~ age, data = patients, schema = hospital$schema)
    wrong <- list(data = list(as.matrix(1), NULL, "x"), formula = list(~age, "age", log(days) ~ age, readmitted ~ log(age), nobody ~ age),
                  epsilon = list("1", NA, c(1, 2), NULL, -1, 0, Inf), delta = list("x", 2, NA_real_), schema = list(3, NA_character_, list()),
                  ledger = list(3, tempfile()), method = list(1, "nothing", NULL), mode = list("fast", 1), bounds = list("all", 3, list(3)),
                  categories = list("a", list("a")), public_levels = list(3), unit = list(3, "nobody"), records_per_person = list(0, 1.5, "a"),
                  class_weights = list(1, c(no = 1)), weights = list(1, "a"), threads = list(-1, 1.5, "a"), strict = list(1, NA), seed = list(-1, "a", 1.5),
                  counts = list(1), quantiles = list("a", NA_real_), monotone = list(1, c(age = 2)), label_bounds = list("all", 1))
    for (name in names(wrong)) for (value in wrong[[name]]) {
        arguments <- base
        if (name %in% c("bounds", "categories", "public_levels", "unit", "counts", "quantiles", "monotone", "label_bounds"))
            arguments <- list(formula = days ~ age, data = patients)
        arguments[name] <- list(value)
        e <- suppressWarnings(failure_of(do.call(hedgerow, arguments)))
        expect_true(inherits(e, "hedgerow_error"), info = paste(name, deparse(value)))
    }
})

test_that("what is asked of a model is checked, by name", {
    model <- seeded(readmitted ~ age, patients, schema = hospital$schema)
    for (threads in list(-3, NULL, "a", 1.5, NA, Inf)) {
        for (e in list(failure_of(predict(model, patients, threads = threads)), failure_of(hedgerow_evaluate(model, patients, threads = threads)),
                       failure_of(hedgerow_evaluate(model, patients, epsilon = 1, threads = threads)))) {
            expect_s3_class(e, "hedgerow_argument_error")
            expect_identical(e$field, "threads")
        }
    }
    expect_match(failure_of(predict(model))$message, "'newdata' is missing")
    expect_match(failure_of(predict(model, patients, tpye = "prob"))$message, "no argument 'tpye'")
    expect_match(failure_of(predict(model, patients, NULL, "error", 1, FALSE, 3))$message, "more arguments than it takes")
    expect_match(failure_of(predict(model, "x"))$message, "'newdata' must be a data frame, not 'character'")
    expect_match(failure_of(hedgerow_plan(600, 1, NULL, NULL, "hedge", 5))$message, "such as bins = 32")
    expect_no_error(hedgerow_plan(600, bins = 32))
})

test_that("columns that no schema can describe are refused", {
    frame <- data.frame(out = rep(c(TRUE, FALSE), 50), x = 1:100)
    for (x in list(I(as.list(1:100)), I(matrix(0, 100, 2)), complex(100), structure(as.double(1:100), class = "integer64"))) {
        frame$x <- x
        expect_match(failure_of(hedgerow(out ~ x, frame))$message, "has the class|cannot be read")
    }
    twice <- setNames(data.frame(a = TRUE, b = 1, c = 2), c("out", "x", " x"))
    expect_match(failure_of(hedgerow(out ~ ., twice))$message, "two columns 'x'")
    expect_match(failure_of(predict(hedgerow(readmitted ~ age, patients, schema = hospital$schema), patients["days"]))$message, "no column 'age'")
    expect_s3_class(failure_of(hedgerow(readmitted ~ age, patients[0, ], schema = hospital$schema)), "hedgerow_schema_error")
})

test_that("objects of other kinds and sessions are refused", {
    model <- hedgerow(readmitted ~ age, patients, schema = hospital$schema)
    expect_s3_class(failure_of(.Call(hedgerow:::C_hedgerow_model_text, 3)), "hedgerow_argument_error")
    expect_s3_class(failure_of(.Call(hedgerow:::C_hedgerow_ledger_total, model$cache$pointer)), "hedgerow_argument_error")
    .Call(hedgerow:::C_hedgerow_release, model$cache$pointer)
    expect_s3_class(failure_of(.Call(hedgerow:::C_hedgerow_model_text, model$cache$pointer)), "hedgerow_argument_error")
    expect_no_error(predict(model, patients)) # it is read again from its text
})

test_that("warnings come before anything is spent", {
    file <- tempfile(fileext = ".db")
    ledger <- hedgerow_ledger_create(file, 3, 1e-5)
    frame <- patients
    frame$days <- 1000
    expect_warning(hedgerow(readmitted ~ days, frame, schema = hospital$schema), class = "hedgerow_misfit_warning")
    before <- options(warn = 2)
    on.exit(options(before))
    expect_error(hedgerow(readmitted ~ days, frame, schema = hospital$schema, ledger = ledger))
    options(before)
    e <- failure_of(hedgerow(readmitted ~ days, frame, schema = hospital$schema, ledger = ledger, strict = TRUE))
    expect_s3_class(e, "hedgerow_schema_error")
    expect_identical(e$field, "days")
    expect_identical(nrow(hedgerow_ledger_entries(ledger)), 0L)
})
