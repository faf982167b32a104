test_that("a model goes through a file, a compressed file and saveRDS", {
    model <- hedgerow(readmitted ~ ., patients, schema = hospital$schema)
    predicted <- predict(model, patients, type = "prob")
    for (end in c(".json", ".json.gz")) {
        file <- tempfile(fileext = end)
        expect_identical(hedgerow_write(model, file), model)
        read <- hedgerow_read(file)
        expect_identical(text_of_model(read), text_of_model(model))
        expect_identical(predict(read, patients, type = "prob"), predicted)
    }
    file <- tempfile(fileext = ".rds")
    saveRDS(model, file)
    expect_identical(predict(readRDS(file), patients, type = "prob"), predicted)
})

test_that("a model is printed and summed up by the library's text", {
    model <- hedgerow(readmitted ~ ., patients, schema = hospital$schema)
    expect_output(print(model), "epsilon 1, delta 1e-06 for adding or removing one record")
    said <- summary(model)
    expect_output(print(said), "how|Releases")
    expect_match(said$statement, "differentially private for adding or removing one record")
    expect_equal(sum(said$importance), 1)
    expect_false(is.unsorted(rev(said$importance)))
    releases <- hedgerow_releases(model)
    expect_true(all(c("leaf sum", "record count") %in% releases$what))
    expect_true(all(releases$cost >= 0))
    expect_match(hedgerow_tree(model, 1), "[0-9]")
    count <- said$trees
    expect_match(hedgerow_tree(model, count), "[0-9]")
    for (tree in list(0, count + 1, 1.5, Inf, "1")) {
        e <- failure_of(hedgerow_tree(model, tree))
        expect_s3_class(e, "hedgerow_argument_error")
        expect_match(e$message, sprintf("from 1 to %d,", count))
    }
})

test_that("the shapes of an additive model add up to its predictions", {
    model <- hedgerow(days ~ age + ward, patients, label_bounds = c(0, 60), bounds = list(age = c(18, 105)),
                      categories = list(ward = unique(patients$ward)), interactions = "none", epsilon = 100)
    shapes <- hedgerow_shapes(model)
    expect_setequal(names(shapes), c("age", "ward"))
    expect_identical(attr(shapes, "rest"), 0)
    frame <- data.frame(age = c(18, 40, 77, 105), ward = c("surgery", "oncology", "internal", "surgery"))
    of_age <- vapply(frame$age, function(x) shapes$age$value[which(shapes$age$from < x & x <= shapes$age$to | shapes$age$from == 18 & x == 18)[1]], 0)
    of_ward <- shapes$ward$value[match(frame$ward, shapes$ward$cell)]
    scores <- attr(shapes, "base") + of_age + of_ward # labels are mapped to [-1, 1]
    expect_equal(unname(predict(model, frame)), 30 + 30 * scores)
    expect_true(all(shapes$age$deviation >= 0))
})

test_that("importances and shapes are drawn, with a band", {
    model <- hedgerow(readmitted ~ ., patients, schema = hospital$schema, interactions = "none")
    file <- tempfile(fileext = ".pdf")
    grDevices::pdf(file)
    on.exit(grDevices::dev.off())
    expect_identical(plot(model), model)
    shapes <- names(hedgerow_shapes(model))
    for (name in shapes) expect_no_error(plot(model, name))
    expect_no_error(plot(model, shapes[1:3]))
    expect_s3_class(failure_of(plot(model, "nothing")), "hedgerow_argument_error")
    e <- failure_of(hedgerow:::check_shapes("x", character(), list()))
    expect_match(e$message, "by 'x' alone; there are no shapes of single features")
    classes <- hedgerow(ward ~ age + days, patients, classes = unique(patients$ward), bounds = c(0, 200), epsilon = 5, interactions = "none")
    name <- names(hedgerow_shapes(classes))[1]
    expect_no_error(plot(classes, name, output = "surgery"))
    expect_s3_class(failure_of(plot(classes, name, output = "attic")), "hedgerow_argument_error")
})

test_that("methods and their options are listed", {
    methods <- hedgerow_methods()
    expect_true(all(c("hedge", "gbdt", "dpboost") %in% methods$name))
    expect_true(methods$private[methods$name == "hedge"] && !methods$private[methods$name == "gbdt"])
    expect_true("bins" %in% hedgerow_options("hedge")$name)
    expect_s3_class(failure_of(hedgerow_options("nothing")), "hedgerow_argument_error")
})

test_that("exact figures are for the owner, and those with noise are paid for", {
    model <- hedgerow(readmitted ~ ., patients, schema = hospital$schema)
    exact <- hedgerow_evaluate(model, patients)
    error <- exact$figures$value[exact$figures$figure == "error"]
    expect_equal(error, mean(predict(model, patients) != patients$readmitted))
    expect_output(print(exact), "for the owner's eyes")
    expect_output(print(exact), " 600 *\n.* error  *0[.][0-9]+ *\n")
    expect_false(any(grepl("e+", capture.output(print(exact))[2:5], fixed = TRUE)))
    ledger <- hedgerow_ledger_create(tempfile(fileext = ".db"), 1)
    released <- hedgerow_evaluate(model, patients, epsilon = 0.5, ledger = ledger)
    expect_true(all(released$figures$low <= released$figures$high))
    expect_match(released$statement, "differentially private")
    expect_identical(hedgerow_ledger_entries(ledger)$epsilon, 0.5)
    expect_s3_class(failure_of(hedgerow_evaluate(model, patients, epsilon = 0.6, ledger = ledger)), "hedgerow_budget_error")
    expect_s3_class(failure_of(hedgerow_evaluate(model, patients, ledger = ledger)), "hedgerow_argument_error")
})

test_that("nothing of the library is left behind, by what works and by what fails", {
    invisible(gc())
    before <- .Call(hedgerow:::C_hedgerow_live_count)
    for (i in 1:20) {
        model <- hedgerow(readmitted ~ ., patients, schema = hospital$schema)
        predict(model, patients)
        hedgerow_shapes(model)
        failure_of(hedgerow(readmitted ~ ., patients, schema = hospital$schema, bins = -1))
        failure_of(predict(model, patients["age"]))
        failure_of(hedgerow_schema(text = "nothing"))
        hedgerow_schema_propose(patients[1:50, ], "readmitted")
    }
    rm(model)
    invisible(gc())
    expect_identical(.Call(hedgerow:::C_hedgerow_live_count), before)
})
