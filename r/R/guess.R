# A schema for a table of which a person gave some public facts: what is not given is released privately, or read off
# the records, which makes the model NOT PRIVATE.

WIDE <- 2^127 # public limits of numbers whose range nobody knows: within the grid of private bounds

# What was found out: columns whose bounds the fit releases, and what was read off the records.
new_findings <- function() {
    found <- new.env(parent = emptyenv())
    found$private <- character()
    found$leaks <- character()
    found
}

note_private <- function(found, name) found$private <- c(found$private, name)
note_leak <- function(found, text) found$leaks <- c(found$leaks, text)
leak_of <- function(found) if (length(found$leaks)) paste0("the ", paste(found$leaks, collapse = ", the "))

pair_of <- function(pair, of, argument = "bounds") {
    refuse_unless(is.numeric(pair) && length(pair) == 2L && !anyNA(pair), argument, sprintf(
        "two numbers, c(low, high), for %s", of))
    as.double(pair)
}

# pair: c(low, high), "data", or NULL: private bounds.
number_feature <- function(name, x, pair, found) {
    if (identical(pair, "data")) {
        note_leak(found, sprintf("bounds of %s", name))
        known <- x[is.finite(x)]
        pair <- if (length(known)) range(known) else c(0, 1)
    } else if (is.null(pair)) {
        note_private(found, name)
        pair <- c(-WIDE, WIDE)
    }
    pair <- pair_of(pair, name)
    list(name = name, low = pair[1L], high = pair[2L])
}

category_feature <- function(name, x, values, given, found) {
    if (kind_of(x) == "boolean") {
        if (!is.null(values) && !setequal(tolower(as.character(values)), c("false", "true")))
            fail("argument", sprintf("column '%s' is logical: it needs no categories", name), field = name)
        return(list(name = name, boolean = TRUE))
    }
    if (is.null(values) && !name %in% given$public_levels) note_leak(found, sprintf("categories of %s", name))
    list(name = name, values = if (is.null(values)) levels(x) else value_texts(values, "categories", name))
}

value_texts <- function(values, argument, name) {
    values <- if (is.numeric(values)) number_texts(values) else
        if (is.logical(values)) tolower(as.character(values)) else as.character(values)
    if (!length(values) || anyNA(values)) fail("argument", sprintf("'%s' lists nothing, or NA, for '%s'", argument, name), field = name)
    enc2utf8(values)
}

# Of a list by names, or of something that is for all.
given_for <- function(given, name) if (is.list(given)) given[[name]] else NULL

feature_of <- function(name, x, given, found) {
    values <- given_for(given$categories, name)
    pair <- if (is.list(given$bounds)) given$bounds[[name]] else given$bounds
    kind <- kind_of(x)
    # Type and bounds decide, not the cells: one record must not change what the column is.
    if (kind == "boolean" && is.list(given$bounds) && !is.null(pair) && all(is.na(x))) kind <- "number"
    is_number <- is.null(values) && kind == "number"
    if (is.list(given$bounds) && !is.null(pair) && !is_number)
        fail("argument", sprintf("'bounds' has '%s', whose cells are no numbers", name), field = name)
    feature <- if (is_number) number_feature(name, as.double(x), pair, found) else
        category_feature(name, x, values, given, found)
    direction <- if (name %in% names(given$monotone)) given$monotone[[name]] else 0
    if (direction != 0 && !is_number)
        fail("argument", sprintf("'monotone' names '%s', which is no number", name), field = name)
    if (direction != 0) feature$monotone <- direction
    feature
}

# Columns that nothing is given for and that are no numbers.
problem_of <- function(name, x, given) {
    kind <- kind_of(x)
    if (kind == "other") return(sprintf(OTHER, class(x)[1L], name))
    if (!is.null(given_for(given$categories, name))) return(NULL)
    if (kind == "time") return("has dates or times, whose range only a schema says")
    if (kind == "text")
        return(sprintf("has texts: if they are categories, list them, categories = list(%s = c(...))", name))
    NULL
}

PROPOSE <- paste(" hedgerow_schema_propose(data, label) proposes dates, categories, decimals and spellings of missing for all",
                 "columns; decide about what it read off the records, and give it as 'schema'")

check_names <- function(argument, names, known) {
    unknown <- setdiff(names, known)
    if (length(unknown))
        fail("argument", sprintf("'%s' names %s, which the table does not have; it has %s", argument, quoted(unknown),
                                 quoted(known)), field = unknown[1L])
}

check_given <- function(given, known) {
    if (!is.null(given$categories))
        refuse_unless(is.list(given$categories) && !is.null(names(given$categories)), "categories",
                      "a list of values by column, list(ward = c(...))")
    if (!is.null(given$bounds) && !is.list(given$bounds))
        refuse_unless(identical(given$bounds, "data") || is.numeric(given$bounds), "bounds",
                      "a list of c(low, high) by column, one such pair, or \"data\"")
    else if (length(given$bounds))
        refuse_unless(!is.null(names(given$bounds)), "bounds", "a list of c(low, high) by column, list(age = c(18, 105))")
    if (!is.null(given$monotone))
        refuse_unless(is.numeric(given$monotone) && !is.null(names(given$monotone)) && all(given$monotone %in% -1:1),
                      "monotone", "a number by column, such as c(age = 1): 1, -1 or 0")
    if (is.list(given$bounds)) check_names("bounds", names(given$bounds), known)
    check_names("categories", names(given$categories), known)
    check_names("monotone", names(given$monotone), known)
    refuse_unless(is.null(given$public_levels) || is.character(given$public_levels), "public_levels", "names of factors")
}

# A pointer. label: as label_of has it; columns: the features'.
schema_of <- function(label, columns, given, unit, found) {
    check_given(given, names(columns))
    check_names("public_levels", given$public_levels, c(names(columns), label$name))
    refuse_columns(Map(problem_of, names(columns), columns, list(given)), PROPOSE)
    features <- unname(Map(feature_of, names(columns), columns, list(given), list(found)))
    .Call(C_hedgerow_schema_build, label, features, if (unit == "record") NULL else unit)
}

# ---- Labels -----------------------------------------------------------------------------------------------

label_of <- function(name, x, given, found, promises) {
    kind <- kind_of(x)
    if (kind %in% c("other", "time"))
        fail("schema", sprintf("the label '%s' has the class '%s': give numbers, a factor, logicals or texts", name, class(x)[1L]),
             field = name)
    if (is.null(given$classes) && kind == "number") number_label(name, as.double(x), given, found, promises) else
        class_label(name, x, kind, given, found)
}

class_label <- function(name, x, kind, given, found) {
    beside <- c("label_bounds", "quantiles")[c(!is.null(given$label_bounds), !is.null(given$quantiles))]
    if (given$counts) beside <- c(beside, "counts")
    if (length(beside)) fail("argument", sprintf("'%s' is for a label that is a number", beside[1L]), field = beside[1L])
    if (!is.null(given$classes)) {
        values <- value_texts(given$classes, "classes", name)
    } else if (kind == "boolean") {
        values <- c("false", "true")
    } else {
        if (!(kind == "category" && name %in% given$public_levels)) note_leak(found, "classes of the label")
        values <- if (kind == "category") levels(x) else sort(unique(x[!is.na(x)]), method = "radix")
    }
    if (length(values) < 2L || anyDuplicated(values))
        fail("argument", sprintf("the label '%s' has not two classes or more, each once: %s", name, quoted(values)), field = name)
    list(name = name, values = values)
}

number_label <- function(name, x, given, found, promises) {
    pair <- given$label_bounds
    if (given$counts && !is.numeric(pair))
        fail("argument", "counts need public bounds: give 'label_bounds', such as c(0, 40)", field = "label_bounds")
    if (is.null(pair) && promises) {
        note_private(found, name)
        pair <- c(-WIDE, WIDE)
    } else if (is.null(pair) || identical(pair, "data")) {
        note_leak(found, "bounds of the label")
        known <- range(x[is.finite(x)], 0)
        pair <- if (any(is.finite(x))) range(x[is.finite(x)]) else known
        if (pair[1L] == pair[2L]) pair[2L] <- pair[1L] + 1
    }
    pair <- pair_of(pair, "the label", "label_bounds")
    quantiles <- given$quantiles
    refuse_unless(is.null(quantiles) || is.numeric(quantiles) && length(quantiles) > 0L && !anyNA(quantiles),
                  "quantiles", "numbers, such as c(0.1, 0.5, 0.9)")
    list(name = name, low = pair[1L], high = pair[2L], count = given$counts,
         quantiles = if (!is.null(quantiles)) as.double(quantiles))
}
