test_that("a model predicts classes and probabilities in the order of the schema", {
    model <- hedgerow(readmitted ~ ., patients, schema = hospital$schema)
    classes <- predict(model, patients)
    probabilities <- predict(model, patients, type = "prob")
    expect_identical(levels(classes), c("no", "yes"))
    expect_identical(colnames(probabilities), c("no", "yes"))
    expect_equal(rowSums(probabilities), rep(1, 600), ignore_attr = TRUE)
    expect_identical(as.character(classes), c("no", "yes")[1 + (probabilities[, 2] > probabilities[, 1])])
})

test_that("predictions are those of the model, record by record", {
    model <- seeded(readmitted ~ ., patients, schema = hospital$schema)
    shuffled <- sample(600)
    expect_identical(predict(model, patients[shuffled, ], type = "prob"), {
        all <- predict(model, patients, type = "prob")[shuffled, ]
        rownames(all) <- as.character(shuffled)
        all
    })
    expect_identical(nrow(predict(model, patients[0, ], type = "prob")), 0L)
})

test_that("texts, factors, ordered factors, integers and doubles of the same cells give the same model", {
    model <- seeded(readmitted ~ ., patients, schema = hospital$schema)
    as_factors <- patients
    as_factors$ward <- factor(patients$ward, levels = rev(unique(patients$ward)))
    as_factors$smoker <- factor(patients$smoker, ordered = TRUE)
    as_factors$readmitted <- factor(patients$readmitted)
    as_factors$age <- as.double(patients$age)
    as_factors$creatinine <- I(patients$creatinine)
    expect_identical(text_of_model(seeded(readmitted ~ ., as_factors, schema = hospital$schema)), text_of_model(model))
    expect_identical(text_of_model(seeded(readmitted ~ ., rev(patients), schema = hospital$schema)), text_of_model(model))
    expect_identical(text_of_model(seeded(readmitted ~ ., patients, schema = hospital$schema, threads = 2)), text_of_model(model))
})

test_that("NA is missing in columns of every kind", {
    frame <- data.frame(out = c(TRUE, FALSE), n = c(1L, NA), x = c(NA, 2), b = c(NA, TRUE), s = c("a", NA))
    frame <- frame[rep(1:2, 200), ]
    model <- seeded(out ~ ., frame, bounds = list(n = c(0, 5), x = c(0, 5)), categories = list(s = c("a", "b")))
    other <- frame
    other$s[is.na(other$s)] <- ""
    other$n <- as.double(other$n)
    other$x[is.na(other$x)] <- NaN
    expect_identical(predict(model, other, type = "prob"), predict(model, frame, type = "prob"))
    other$b <- as.numeric(NA)
    expect_warning(predict(model, other), "100.0 % of the cells are missing", class = "hedgerow_misfit_warning")
})

test_that("logical labels come back as logicals", {
    frame <- data.frame(out = patients$readmitted == "yes", age = patients$age)
    model <- hedgerow(out ~ age, frame, bounds = list(age = c(18, 105)))
    expect_type(predict(model, frame), "logical")
    expect_identical(colnames(predict(model, frame, type = "prob")), c("false", "true"))
    turned <- seeded(out ~ age, frame, bounds = list(age = c(18, 105)), classes = c(TRUE, FALSE))
    most <- predict(turned, frame, type = "prob")
    expect_identical(unname(predict(turned, frame)), unname(most[, "true"] > most[, "false"]))
})

test_that("logicals are read as the schema lists them", {
    frame <- data.frame(out = rep(c("no", "yes"), 100), sex = rep(FALSE, 200)) # as read.csv makes them of the cell F
    model <- seeded(out ~ ., frame, schema = schema_with(c("  - name: \"sex\"", "    kind: category", "    values: [\"M\", \"F\"]")))
    frame$sex <- "F"
    expect_no_error(predict(model, frame))
})

test_that("numbers are predicted within their bounds, and quantiles increase", {
    model <- hedgerow(days ~ age + bmi, patients, label_bounds = c(0, 60), bounds = c(0, 200))
    predicted <- predict(model, patients)
    expect_true(is.numeric(predicted) && all(predicted >= 0 & predicted <= 60))
    model <- hedgerow(days ~ age, patients, label_bounds = c(0, 60), bounds = c(0, 200), quantiles = c(0.1, 0.5, 0.9))
    quantiles <- predict(model, patients, type = "quantiles")
    expect_identical(colnames(quantiles), c("q10", "q50", "q90"))
    expect_true(all(apply(quantiles, 1, diff) >= 0))
    expect_identical(predict(model, patients), quantiles[, 2])
    counts <- hedgerow(days ~ age, patients, label_bounds = c(0, 60), bounds = c(0, 200), counts = TRUE)
    expect_true(all(predict(counts, patients) >= 0))
})

test_that("times of events have survival curves", {
    schema <- schema_with(c("  - name: \"age\"", "    kind: number", "    low: 0", "    high: 120"),
                          c("name: \"days\"", "kind: time", "event: \"died\"", "intervals: [10, 20, 40]"))
    frame <- data.frame(days = patients$days, died = patients$readmitted == "yes", age = patients$age)
    model <- hedgerow(days ~ ., frame, schema = schema)
    survival <- predict(model, frame, type = "survival")
    expect_identical(colnames(survival), c("10", "20", "40"))
    expect_true(all(survival >= 0 & survival <= 1 & survival[, 3] <= survival[, 1]))
    expect_length(predict(model, frame), 600)
    expect_true("concordance" %in% hedgerow_evaluate(model, frame)$figures$figure)
})

test_that("a formula chooses among the features of the schema", {
    model <- hedgerow(readmitted ~ age + ward, patients, schema = hospital$schema)
    expect_setequal(names(hedgerow_importance(model)), c("age", "ward"))
    model <- hedgerow(readmitted ~ . - age, patients, schema = hospital$schema)
    expect_false("age" %in% names(hedgerow_importance(model)))
    expect_length(hedgerow_importance(model), 16)
})

test_that("a column of persons is the unit and no feature", {
    visits <- hedgerow_hospital(rows = 400, visits = 3)
    model <- hedgerow(readmitted ~ ., visits$data, schema = visits$schema)
    expect_identical(summary(model)$unit, "one person")
    in_code <- hedgerow(readmitted ~ age + patient_id, visits$data, classes = c("no", "yes"), bounds = list(age = c(18, 105)), unit = "patient_id")
    expect_identical(summary(in_code)$unit, "one person")
    expect_identical(names(hedgerow_importance(in_code)), "age")
    visits$data$patient_id[3] <- NA
    expect_s3_class(failure_of(hedgerow(readmitted ~ ., visits$data, schema = visits$schema)), "hedgerow_schema_error")
})

test_that("dates are read as the schema has them", {
    schema <- schema_with(c("  - name: \"seen\"", "    kind: date", "    from: 2024-01-01", "    to: 2024-12-31", "    parts: [month, weekday]"))
    days <- as.Date("2024-01-01") + 0:299
    frame <- data.frame(out = ifelse(as.integer(format(days, "%m")) > 6, "yes", "no"), seen = days)
    model <- seeded(out ~ ., frame, schema = schema, epsilon = 50)
    expect_gt(mean(predict(model, frame) == frame$out), 0.95)
    for (seen in list(format(days), as.POSIXct(format(days), tz = "UTC"), factor(format(days)))) {
        other <- frame
        other$seen <- seen
        expect_identical(text_of_model(seeded(out ~ ., other, schema = schema, epsilon = 50)), text_of_model(model))
    }
    frame$seen <- as.character(frame$seen)
    frame$seen[2] <- "yesterday"
    expect_match(conditionMessage(failure_of(predict(model, frame))), "no date.*'yesterday' \\(1 cell\\)")
})

test_that("options of a method are given by name, and lists of interactions as lists", {
    model <- hedgerow(readmitted ~ age + days + ward, patients, schema = hospital$schema, bins = 8, interactions = list(c("age", "days")))
    shapes <- names(hedgerow_shapes(model))
    expect_true(all(shapes %in% c("age", "days", "ward", "age:days")))
    expect_match(text_of_model(model), "\"bins\": \"8\"", fixed = TRUE)
    expect_match(failure_of(hedgerow(readmitted ~ ., patients, schema = hospital$schema, depht = 3))$remedy, "it has: .*bins")
})

test_that("weights and class weights are taken", {
    expect_no_error(hedgerow(readmitted ~ age, patients, schema = hospital$schema, class_weights = c(yes = 4, no = 1)))
    expect_no_error(hedgerow(readmitted ~ age, patients, schema = hospital$schema, weights = rep(c(0.5, 1), 300)))
    expect_s3_class(failure_of(hedgerow(readmitted ~ age, patients, schema = hospital$schema, weights = rep(2, 600))), "hedgerow_argument_error")
})

test_that("several owners train together", {
    owners <- lapply(1:3, function(i) hedgerow_hospital(rows = 150, seed = i)$data)
    model <- hedgerow_simulate(owners, hospital$schema, epsilon = 2)
    expect_match(summary(model)$unit, "any owner")
    expect_s3_class(failure_of(hedgerow_simulate(owners[c(1, 1)], hospital$schema)), "hedgerow_argument_error")
    wrong <- list(rounds = list(0, 1.5, "a", c(1, 2)), coalition = list(0, -1, NA, "a"), threads = list(-3, NULL, "a"))
    for (name in names(wrong)) for (value in wrong[[name]])
        expect_identical(failure_of(do.call(hedgerow_simulate, c(list(owners, hospital$schema), setNames(list(value), name))))$field, name)
})

test_that("a plan reads and spends nothing", {
    plan <- hedgerow_plan(600, epsilon = 1, schema = hospital$schema)
    expect_gt(plan$rounds, 0)
    expect_gt(hedgerow_plan(600, epsilon = 0.1, schema = hospital$schema)$label_noise, plan$label_noise)
    expect_output(print(plan), "nothing is read or spent")
    expect_s3_class(failure_of(hedgerow_plan(600, epsilon = 1e-9)), "hedgerow_budget_error")
})

test_that("counts are learned by their exposure, and names of columns may have blanks", {
    schema <- schema_with(c("  - name: \"my age\"", "    kind: number", "    low: 0", "    high: 120"),
                          c("name: \"falls\"", "kind: count", "low: 0", "high: 10", "exposure: {column: days, high: 60}"))
    frame <- data.frame(falls = patients$prior_admissions, days = patients$days, age = patients$age)
    names(frame)[3] <- "my age"
    model <- seeded(falls ~ ., frame, schema = schema)
    expect_identical(text_of_model(seeded(falls ~ `my age`, frame, schema = schema)), text_of_model(model))
    of_most <- predict(model, frame["my age"])
    expect_equal(predict(model, frame), of_most * frame$days / 60)
    for (same in list(as.character(frame$days), factor(frame$days), I(factor(frame$days)))) {
        other <- replace(frame, "days", list(same))
        expect_identical(predict(model, other), predict(model, frame))
        expect_identical(text_of_model(seeded(falls ~ ., other, schema = schema)), text_of_model(model))
    }
    other <- replace(frame, "days", list(factor(replace(frame$days, 2:3, "long"))))
    e <- failure_of(predict(model, other))
    expect_s3_class(e, "hedgerow_schema_error")
    expect_match(e$message, "'days' has cells that are no number: 'long' \\(2 cells\\)")
    other$days <- Sys.Date()
    expect_match(failure_of(predict(model, other))$message, "the class 'Date'")
    frame$days[1] <- 61
    expect_match(failure_of(predict(model, frame))$message, "not above 0 and at most 60")
    expect_match(failure_of(hedgerow(falls ~ `my age`, frame["my age"], schema = schema))$message, "'falls'")
    expect_match(failure_of(hedgerow(falls ~ `my age` + offset(days), frame, schema = schema))$message, "offset")
})

test_that("the package and the library have one version", {
    expect_identical(.Call(hedgerow:::C_hedgerow_library_version), as.character(utils::packageVersion("hedgerow")))
})
