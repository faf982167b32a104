test_that("a proposal is refused until a person has decided", {
    proposal <- hedgerow_schema_propose(patients, "readmitted")
    expect_output(print(proposal), "A person has to decide")
    expect_match(proposal$text, "REVIEW")
    expect_s3_class(failure_of(hedgerow(readmitted ~ ., patients, schema = proposal)), "hedgerow_policy_error")
    file <- tempfile(fileext = ".yaml")
    hedgerow_schema_write(proposal, file)
    text <- readLines(file)
    decided <- gsub("review: \\[.*", "source: \"code book\"", text)
    decided <- sub("^reviewed: false", "reviewed: true", sub("^# unit: record", "unit: record", decided))
    decided <- decided[!grepl("^source:", decided)]
    writeLines(decided, file)
    expect_true(summary(hedgerow(readmitted ~ ., patients, schema = file))$private)
})

test_that("a proposal is made of cells of every kind, and leaves columns out", {
    frame <- data.frame(out = factor(rep(c("a", "b"), 50)), when = as.Date("2024-01-01") + 1:100, many = 1:100 / 7, yes = rep(c(TRUE, FALSE, NA, TRUE), 25),
                        said = rep(c("x \"y\"", "a,b"), 50), left = 1)
    text <- hedgerow_schema_propose(frame, "out", drop = "left")$text
    expect_match(text, "kind: date")
    expect_match(text, "boolean")
    expect_match(text, "a,b", fixed = TRUE)
    expect_no_match(text, "\"left\"")
    expect_s3_class(failure_of(hedgerow_schema_propose(frame, "nobody")), "hedgerow_schema_error")
    expect_s3_class(failure_of(hedgerow_schema_propose(frame, "out", drop = "nobody")), "hedgerow_argument_error")
})

test_that("spellings of missing are missing in numbers, texts and categories", {
    schema <- schema_with(c("  - name: \"x\"", "    kind: number", "    low: 0", "    high: 9", "  - name: \"s\"", "    kind: category",
                            "    values: [\"a\", \"b\"]"), beside = c("unit: record", "missing: [\"-999\", \"unknown\"]"))
    frame <- data.frame(out = rep(c("no", "yes"), 100), x = rep(c(-999, 1, 2, 3), 50), s = rep(c("a", "unknown"), 100))
    model <- seeded(out ~ ., frame, schema = schema)
    other <- transform(frame, x = ifelse(x == -999, NA, x), s = ifelse(s == "unknown", NA, s))
    expect_identical(text_of_model(seeded(out ~ ., other, schema = schema)), text_of_model(model))
    expect_identical(predict(model, transform(frame, x = as.character(x))), predict(model, frame))
})

test_that("texts are UTF-8, whatever the encoding of the session", {
    latin <- iconv("Pädiatrie", "UTF-8", "latin1")
    frame <- data.frame(out = rep(c(TRUE, FALSE), 100), ward = rep(c(latin, "Chirurgie"), 100))
    model <- seeded(out ~ ward, frame, categories = list(ward = c("Pädiatrie", "Chirurgie")))
    frame$ward <- rep(c("Pädiatrie", "Chirurgie"), 100)
    expect_no_error(predict(model, frame))
})
