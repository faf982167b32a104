# Models: predictions, files, what they promise.

# The text of the model is the model: it may be saved by saveRDS, and nothing of the data goes with it.
new_model <- function(pointer, logical_label = FALSE) {
    cache <- new.env(parent = emptyenv())
    cache$pointer <- pointer
    model <- structure(list(json = .Call(C_hedgerow_model_text, pointer), logical_label = logical_label, cache = cache),
                       class = "hedgerow")
    say_suspect(model)
    model
}

pointer_of <- function(model) {
    refuse_unless(inherits(model, "hedgerow"), "model", "a model of hedgerow")
    if (!.Call(C_hedgerow_is_open, model$cache$pointer))
        model$cache$pointer <- .Call(C_hedgerow_model_parse, model$json, "the model")
    model$cache$pointer
}

facts_of <- function(model) .Call(C_hedgerow_model_facts, pointer_of(model))
schema_facts_of <- function(model) .Call(C_hedgerow_schema_facts, .Call(C_hedgerow_model_schema, pointer_of(model)))

say_suspect <- function(model) {
    suspect <- facts_of(model)$suspect
    if (!is.null(suspect))
        warn("suspect_model", sprintf(paste(
            "the model is suspect: what an owner sent is not possible with the records that the job said. Checks that failed: %s.",
            "Ask the owners for their numbers of records before you use it"), suspect))
}

hedgerow_read <- function(file) {
    refuse_unless(is_text(file), "file", "the path of a model file")
    new_model(.Call(C_hedgerow_model_read, path.expand(file)))
}

hedgerow_write <- function(model, file) {
    refuse_unless(is_text(file), "file", "the path of a file")
    .Call(C_hedgerow_model_write, pointer_of(model), path.expand(file))
    invisible(model)
}

# ---- Predictions ------------------------------------------------------------------------------------------

predict.hedgerow <- function(object, newdata, type = NULL, unknown = c("error", "missing"), threads = 1, strict = FALSE, ...) {
    refuse_more("predict", list(...))
    threads <- threads_of(threads)
    if (missing(newdata))
        fail("argument", "'newdata' is missing, and a model has no records of its own", field = "newdata", remedy = "give a data frame")
    if (identical(unknown, c("error", "missing"))) unknown <- "error"
    schema <- .Call(C_hedgerow_model_schema, pointer_of(object))
    facts <- .Call(C_hedgerow_schema_facts, schema)
    type <- type_of(type, facts$label)
    columns <- columns_of(newdata, "newdata")
    table <- table_of(schema, facts, columns, nrow(newdata), unknown = unknown)
    on.exit(release(table))
    say_unknown(attr(table, "unknown"))
    take_remarks(.Call(C_hedgerow_remarks, table, 1L, FALSE, character()), strict)
    outputs <- t(.Call(C_hedgerow_predict, pointer_of(object), table, threads))
    rownames(outputs) <- if (.row_names_info(newdata) > 0) rownames(newdata)
    outputs_as(type, outputs, facts$label, object$logical_label)
}

# Of generic functions, which take any arguments.
refuse_more <- function(what, more) {
    if (!length(more)) return(invisible())
    name <- c(names(more)[nzchar(names(more))], "")[1L]
    fail("argument", if (nzchar(name)) sprintf("%s has no argument '%s'", what, name) else
        sprintf("%s has more arguments than it takes", what), field = name, remedy = sprintf("?%s.hedgerow lists them", what))
}

types_of <- function(label) {
    if (!is.null(label$values)) c("class", "prob") else if (!is.null(label$event)) c("risk", "survival", "median", "mean") else
        c("response", if (length(label$quantiles)) "quantiles")
}

type_of <- function(type, label) {
    types <- types_of(label)
    if (is.null(type)) return(types[1L])
    refuse_unless(is_text(type) && type %in% types, "type", paste0(paste0("\"", types, "\"", collapse = " or "),
                                                                   ", for the label of this model"))
    type
}

say_unknown <- function(counts) {
    if (length(counts))
        warn("unknown_category", sprintf("unknown categories were read as missing: %s", paste0(
            names(counts), " (", vapply(counts, cells_text, ""), ")", collapse = ", ")))
}

outputs_as <- function(type, outputs, label, logical_label) {
    cuts <- length(label$intervals)
    switch(type,
        prob = `colnames<-`(outputs, label$values),
        class = {
            # Ties go to the class that is listed first, as in the library.
            at <- if (nrow(outputs)) max.col(outputs, "first") else integer()
            if (logical_label) setNames(label$values[at] == "true", rownames(outputs)) else
                setNames(factor(label$values[at], levels = label$values), rownames(outputs))
        },
        survival = `colnames<-`(outputs[, seq_len(cuts), drop = FALSE], number_texts(label$intervals)),
        median = outputs[, cuts + 1L],
        mean = outputs[, cuts + 2L],
        risk = outputs[, cuts + 3L],
        quantiles = `colnames<-`(outputs, paste0("q", number_texts(100 * label$quantiles))),
        response = outputs[, if (length(label$quantiles)) which.min(abs(label$quantiles - 0.5)) else 1L])
}

# ---- For people -------------------------------------------------------------------------------------------

label_text <- function(facts) {
    label <- facts$label
    sprintf("%s (%s)", label$name, if (is.null(label$values)) facts$task else quoted(label$values))
}

print.hedgerow <- function(x, ...) {
    facts <- facts_of(x)
    schema <- schema_facts_of(x)
    cat(sprintf("%s%s: %g trees of %d features, label %s\n", facts$method, if (facts$paper) ", in mode paper" else "",
                facts$trees, length(schema$features), label_text(schema)))
    if (facts$private)
        cat(sprintf("epsilon %s, delta %s for adding or removing %s; summary() has the whole statement\n",
                    amount_texts(facts$epsilon), amount_texts(facts$delta), facts$unit))
    else
        cat(strwrap(facts$statement), sep = "\n")
    invisible(x)
}

summary.hedgerow <- function(object, ...) {
    facts <- facts_of(object)
    structure(class = "summary.hedgerow", list(
        text = .Call(C_hedgerow_model_summary, pointer_of(object)), private = facts$private, epsilon = facts$epsilon,
        delta = facts$delta, unit = facts$unit, statement = facts$statement, promise = facts$promise,
        trees = facts$trees, records = if (facts$records > 0) facts$records else NA_real_,
        importance = hedgerow_importance(object)))
}

print.summary.hedgerow <- function(x, ...) {
    cat(x$text)
    invisible(x)
}

hedgerow_tree <- function(model, tree = 1) {
    trees <- facts_of(model)$trees
    refuse_unless(is_count(tree, 1) && tree <= trees, "tree", sprintf("a whole number from 1 to %g, which is how many trees the model has", trees))
    .Call(C_hedgerow_model_tree, pointer_of(model), tree - 1)
}

hedgerow_releases <- function(model) as.data.frame(.Call(C_hedgerow_model_releases, pointer_of(model)), stringsAsFactors = FALSE)

hedgerow_importance <- function(model) {
    features <- schema_facts_of(model)$features
    found <- setNames(.Call(C_hedgerow_importance, pointer_of(model)), vapply(features, function(one) one$name, ""))
    sort(found, decreasing = TRUE)
}
