hospital <- hedgerow_hospital(rows = 600, seed = 1)
patients <- hospital$data

# A fit with noise from a seed, whose warning is expected.
seeded <- function(...) suppressWarnings(hedgerow(..., seed = 7), "hedgerow_privacy_leak_warning")

text_of_model <- function(model) model$json

# The condition that an expression fails with.
failure_of <- function(expression) tryCatch({
    expression
    NULL
}, error = identity)

schema_with <- function(features, label = c("name: \"out\"", "kind: classes", "values: [\"no\", \"yes\"]"), beside = "unit: record") {
    hedgerow_schema(text = c("hedgerow-schema: 1", beside, "label:", paste0("  ", label), "features:", features))
}
