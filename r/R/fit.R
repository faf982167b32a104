# Training.

hedgerow <- function(formula, data, epsilon = 1, delta = NULL, schema = NULL, ledger = NULL, method = "hedge",
                     mode = c("sound", "paper"), bounds = NULL, categories = NULL, public_levels = NULL, classes = NULL,
                     label_bounds = NULL, counts = FALSE, quantiles = NULL, monotone = NULL, unit = "record",
                     records_per_person = NULL, class_weights = NULL, weights = NULL, threads = 1, strict = FALSE,
                     seed = NULL, ...) {
    mode <- mode_of(mode)
    given <- list(bounds = bounds, categories = categories, public_levels = public_levels, classes = classes,
                  label_bounds = label_bounds, counts = counts, quantiles = quantiles, monotone = monotone)
    check_arguments(given, schema, unit, strict, seed)
    settings <- settings_of(method, mode, epsilon, delta, list(...), records_per_person, threads)
    columns <- columns_of(data)
    names <- formula_names(formula, names(columns))
    found <- new_findings()
    made <- schema_for(schema, columns, names, given, unit, found, settings$promises)
    facts <- .Call(C_hedgerow_schema_facts, made)
    labels <- labels_of(made, facts, columns, names$label)
    table <- table_of(made, facts, columns, nrow(data), labels)
    ledger <- ledger_pointer(ledger)
    on.exit(release(table, ledger))
    settings <- c(settings, list(private = found$private, leak = if (settings$promises) leak_of(found),
                                 seed = seed_of(seed), class_weights = class_weights_of(class_weights, facts),
                                 record_weights = record_weights_of(weights, nrow(data)), ledger = ledger))
    say_not_private(settings)
    take_remarks(.Call(C_hedgerow_remarks, table, 0L, settings$promises && is.null(seed), settings$private), strict)
    fitted <- .Call(C_hedgerow_fit, table, settings)
    take_remarks(fitted$remarks)
    new_model(fitted$model, logical_label = is.logical(columns[[names$label]]) && setequal(facts$label$values, c("false", "true")))
}

# Frees objects of the library at once; R would do it when it collects garbage.
release <- function(...) {
    for (pointer in list(...)) if (!is.null(pointer)) .Call(C_hedgerow_release, pointer)
}

mode_of <- function(mode) {
    if (identical(mode, c("sound", "paper"))) return("sound")
    refuse_unless(is_text(mode) && mode %in% c("sound", "paper"), "mode", "\"sound\" or \"paper\"")
    mode
}

check_arguments <- function(given, schema, unit, strict, seed) {
    refuse_unless(is_flag(strict), "strict", "TRUE or FALSE")
    refuse_unless(is_flag(given$counts), "counts", "TRUE or FALSE")
    refuse_unless(is_text(unit), "unit", "\"record\", or the name of the column of persons")
    if (is.null(schema)) return(invisible())
    beside <- names(given)[!vapply(given, is.null, NA)]
    beside <- c(setdiff(beside, "counts"), if (given$counts) "counts", if (unit != "record") "unit")
    if (length(beside))
        fail("argument", sprintf("%s beside 'schema': the schema has these facts", quoted(beside)), field = beside[1L],
             remedy = "leave one of the two out")
}

# The label and the features (NULL: all others) that a formula names.
formula_names <- function(formula, known) {
    if (!inherits(formula, "formula") || length(formula) != 3L)
        fail("argument", "'formula' is label ~ features, such as readmitted ~ . or readmitted ~ age + ward", field = "formula")
    label <- formula[[2L]]
    if (!is.name(label))
        fail("argument", sprintf("the label of the formula is '%s', and no column", deparse(label)[1L]), field = "formula",
             remedy = "make a column of it")
    label <- as.character(label)
    check_names("formula", label, known)
    frame <- setNames(as.data.frame(rep(list(numeric()), length(known))), known)
    found <- terms(formula, data = frame)
    if (!is.null(attr(found, "offset"))) fail("argument", "the formula has an offset, which trees do not take", field = "formula")
    parts <- attr(found, "term.labels")
    plain_names <- gsub("^`|`$", "", parts)
    other <- parts[!plain_names %in% known]
    if (length(other))
        fail("argument", sprintf("the formula has %s, which is no column of the table", quoted(other)), field = other[1L],
             remedy = "make a column of it: trees need no transformations and find interactions themselves")
    list(label = label, features = if (identical(formula[[3L]], quote(.))) NULL else setdiff(plain_names, label))
}

# A pointer to the schema that is given, without the features that the formula leaves out; or one of what is given in code.
schema_for <- function(schema, columns, names, given, unit, found, promises) {
    if (is.null(schema)) return(schema_in_code(columns, names, given, unit, found, promises))
    made <- schema_pointer(schema)
    .Call(C_hedgerow_schema_check, made)
    facts <- .Call(C_hedgerow_schema_facts, made)
    if (facts$label$name != names$label)
        fail("schema", sprintf("the formula has the label '%s', and the schema '%s'", names$label, facts$label$name), field = names$label)
    if (is.null(names$features)) return(made)
    described <- vapply(table_columns(facts), function(column) column$name, "")
    check_names("formula", names$features, described)
    without <- setdiff(described, names$features)
    if (length(without)) .Call(C_hedgerow_schema_without, made, without) else made
}

schema_in_code <- function(columns, names, given, unit, found, promises) {
    if (unit != "record") check_names("unit", unit, names(columns))
    features <- if (is.null(names$features)) setdiff(names(columns), names$label) else names$features
    features <- setdiff(features, unit[unit != "record"])
    if (!length(features)) fail("argument", "the formula has no feature", field = "formula")
    if (is.null(given$bounds) && !promises) given$bounds <- "data"
    label <- label_of(names$label, plain(columns[[names$label]]), given, found, promises)
    schema_of(label, lapply(columns[features], plain), given, unit, found)
}

# ---- What the library is told -----------------------------------------------------------------------------

settings_of <- function(method, mode, epsilon, delta, options, records_per_person, threads) {
    refuse_unless(is_text(method), "method", "the name of a method; hedgerow_methods() lists them")
    methods <- hedgerow_methods()
    is_private <- isTRUE(methods$private[match(method, methods$name)])
    if (is_private) {
        refuse_unless(is_number(epsilon), "epsilon", "a number above 0")
        refuse_unless(is.null(delta) || is_number(delta), "delta", "a number, or NULL for the method's default")
        budget <- list(epsilon = epsilon, delta = delta)
    } else {
        budget <- list()
    }
    refuse_unless(is.null(records_per_person) || is_number(records_per_person) && records_per_person >= 1 &&
                      records_per_person == floor(records_per_person), "records_per_person", "a whole number from 1 on, or NULL")
    list(method = method, paper = mode == "paper", options = option_texts(c(budget, options)), threads = threads_of(threads),
         records_per_person = if (is.null(records_per_person)) 0 else records_per_person,
         private = character(), promises = is_private && mode == "sound")
}

option_texts <- function(options) {
    options <- Filter(Negate(is.null), options)
    if (length(options) && (is.null(names(options)) || !all(nzchar(names(options)))))
        fail("argument", "an option of the method has a name, such as bins = 32; hedgerow_options(method) lists them")
    texts <- vapply(names(options), function(name) option_text(options[[name]], name), "")
    setNames(texts, gsub("_", "-", names(options), fixed = TRUE))
}

# Lists are those of interactions.
option_text <- function(value, name) {
    if (is.list(value)) {
        refuse_unless(all(vapply(value, is.character, NA)), name, "a list of names of features, such as list(c(\"age\", \"dose\"))")
        texts <- vapply(value, function(names) paste0("\"", gsub("([\"\\\\])", "\\\\\\1", names), "\"", collapse = ", "), "")
        return(paste0("[", paste0("[", texts, "]", collapse = ", "), "]"))
    }
    refuse_unless((is.character(value) || is.numeric(value) || is.logical(value)) && length(value) == 1L && !is.na(value), name,
                  "one number or text")
    if (is.numeric(value)) number_texts(value) else if (is.logical(value)) tolower(as.character(value)) else value
}

seed_of <- function(seed) {
    if (is.null(seed)) return(NULL)
    refuse_unless(is_number(seed) && seed >= 0 && seed == floor(seed) && seed < 2^53, "seed", "a whole number from 0 on, or NULL")
    as.double(seed)
}

class_weights_of <- function(class_weights, facts) {
    if (is.null(class_weights)) return(NULL)
    values <- facts$label$values
    if (is.null(values) || !is.numeric(class_weights) || !setequal(names(class_weights), values))
        fail("argument", "'class_weights' has a number above 0 for each class, by its name", field = "class_weights")
    as.double(class_weights[values])
}

record_weights_of <- function(weights, rows) {
    if (is.null(weights)) return(NULL)
    if (!is.numeric(weights) || length(weights) != rows || anyNA(weights) || any(weights < 0 | weights > 1))
        fail("argument", "'weights' has a number from 0 to 1 for each record", field = "weights", remedy =
                 "give numbers that are functions of one record each, not divided by a sum or a largest one")
    as.double(weights)
}

say_not_private <- function(settings) {
    if (settings$promises && !is.null(settings$leak))
        warn("privacy_leak", sprintf(paste(
            "NOT PRIVATE: read off the records and not paid for: %s. Give it as public knowledge (bounds, categories, public_levels,",
            "classes, or a schema, which hedgerow_schema_propose proposes) for a guarantee."), settings$leak))
    if (settings$promises && !is.null(settings$seed))
        warn("privacy_leak", "NOT PRIVATE: 'seed' makes the noise predictable. Use it for tests alone.")
}

# ---- Before a fit -----------------------------------------------------------------------------------------

hedgerow_plan <- function(records, epsilon = 1, delta = NULL, schema = NULL, method = "hedge", ...) {
    refuse_unless(is_number(records), "records", "a number of records, which need not be exact")
    settings <- settings_of(method, "sound", epsilon, delta, list(...), NULL, 1)
    pointer <- if (is.null(schema)) NULL else schema_pointer(schema)
    structure(.Call(C_hedgerow_plan_info, settings, as.double(records), pointer), class = "hedgerow_plan", method = method)
}

print.hedgerow_plan <- function(x, ...) {
    cat(sprintf("%s on about %s records, epsilon %s, delta %s: nothing is read or spent\n", attr(x, "method"),
                number_texts(x$records), amount_texts(x$epsilon), amount_texts(x$delta)))
    cat(sprintf("  rounds %g, candidates of each %g, depth %g\n", x$rounds, x$candidates, x$depth_all))
    cat(sprintf("  noise of a leaf in units of the label %.3g, of a prediction %.3g\n", x$label_noise, x$prediction_noise))
    invisible(x)
}

hedgerow_methods <- function() as.data.frame(.Call(C_hedgerow_method_list), stringsAsFactors = FALSE)

hedgerow_options <- function(method = "hedge") {
    refuse_unless(is_text(method), "method", "the name of a method; hedgerow_methods() lists them")
    as.data.frame(.Call(C_hedgerow_method_option_list, method), stringsAsFactors = FALSE)
}

# ---- Several owners ---------------------------------------------------------------------------------------

hedgerow_simulate <- function(owners, schema, epsilon = 1, delta = NULL, method = "hedge", mode = c("sound", "paper"),
                              rounds = NULL, coalition = NULL, threads = 1, strict = FALSE, ...) {
    refuse_unless(is.list(owners) && !is.data.frame(owners) && length(owners) > 0L, "owners", "a list of data frames")
    refuse_unless(is.null(rounds) || is_count(rounds, 1), "rounds", "a whole number from 1 on, or NULL")
    refuse_unless(is.null(coalition) || is_count(coalition, 1), "coalition", "a whole number of owners from 1 on, or NULL")
    settings <- settings_of(method, mode_of(mode), if (method == "simfl") 1 else epsilon, delta, list(...), NULL, threads)
    if (method == "simfl") settings$options <- settings$options[setdiff(names(settings$options), "epsilon")]
    same <- which(duplicated(owners))
    if (length(same))
        fail("argument", sprintf("owner %d has the table of another: each of its records would count twice", same[1L]), field = "owners")
    pointer <- schema_pointer(schema)
    facts <- .Call(C_hedgerow_schema_facts, pointer)
    tables <- list()
    on.exit(do.call(release, tables))
    for (owner in owners) {
        columns <- columns_of(owner, "owners")
        tables <- c(tables, table_of(pointer, facts, columns, nrow(owner), labels_of(pointer, facts, columns)))
        take_remarks(.Call(C_hedgerow_remarks, tables[[length(tables)]], 0L, settings$promises, character()), strict)
    }
    settings$rounds <- if (is.null(rounds)) 0 else rounds
    settings$coalition <- if (is.null(coalition)) 0 else coalition
    new_model(.Call(C_hedgerow_simulation, tables, settings))
}
