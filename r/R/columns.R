# Columns of a data frame as a schema describes them: numbers, or codes of categories.
# Texts, factors and dates are read by the library's reader of cells, each distinct value once.

# Without the class that I() gives.
plain <- function(x) {
    if (inherits(x, "AsIs")) class(x) <- setdiff(class(x), "AsIs")
    x
}

# "number", "boolean", "category" (a factor), "text", "time"; or "other", which cannot be read.
kind_of <- function(x) {
    if (!is.null(dim(x)) || is.list(x) && !inherits(x, "POSIXlt")) return("other")
    if (is.factor(x)) return("category")
    if (inherits(x, c("Date", "POSIXct", "POSIXlt"))) return("time")
    if (is.object(x)) return("other")
    if (is.logical(x)) return("boolean")
    if (is.character(x)) return("text")
    if (is.numeric(x)) return("number")
    "other"
}

OTHER <- "has the class '%s'; give numbers, logicals, texts, factors, dates or times, such as as.numeric(data$%s)"

# How a table writes FALSE and TRUE: as the schema lists them. (read.csv makes logicals of F and T.)
SPELLINGS <- list(c("false", "FALSE", "False", "F", "f"), c("true", "TRUE", "True", "T", "t"))

truth_texts <- function(listed) {
    vapply(SPELLINGS, function(words) c(intersect(words, listed), words)[1L], "")
}

# Distinct values as texts, and the place of each cell's among them; NA is missing.
texts_in <- function(x, listed = NULL) {
    kind <- kind_of(x)
    if (kind == "category") {
        texts <- levels(x)
        at <- as.integer(x)
    } else if (kind == "boolean") {
        texts <- truth_texts(listed)
        at <- as.integer(x) + 1L
    } else {
        if (kind == "time") x <- if (inherits(x, "Date")) format(x, "%Y-%m-%d") else format(x, "%Y-%m-%dT%H:%M:%S")
        found <- unique(x[!is.na(x)])
        at <- match(x, found)
        texts <- if (kind == "number") number_texts(found) else as.character(found)
    }
    blank <- is.na(texts) | !nzchar(trimws(texts))
    at[blank[at]] <- NA_integer_
    list(texts = enc2utf8(texts), at = at)
}

numbers_among <- function(missing) {
    numbers <- grepl("^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$", missing)
    as.numeric(missing[numbers])
}

cells_text <- function(count) sprintf("%d cell%s", count, if (count == 1) "" else "s")

# What the library reads of texts: an array of each of `count` features from `first` on (0: the label), and which
# texts do not fit, with the number of their cells.
read_texts <- function(schema, facts, first, count, x) {
    given <- texts_in(x, of_place(facts, first)$values)
    there <- sort(unique(given$at[!is.na(given$at)]))
    read <- .Call(C_hedgerow_read_texts, schema, as.integer(c(first - 1L, count)), given$texts[there],
                  inherits(x, c("Date", "POSIXct", "POSIXlt")))
    place <- match(given$at, there)
    is_code <- length(read$values) == 1L && !is.null(of_place(facts, first)$values)
    arrays <- lapply(read$values, function(values) {
        cells <- values[place]
        cells[is.na(place)] <- if (is_code) 0 else NaN
        cells
    })
    absent <- if (is_code) read$values[[1L]] == 0 else is.na(read$values[[1L]])
    wrong <- absent & !(trimws(given$texts[there]) %in% facts$missing)
    cells <- tabulate(place, length(there))[wrong]
    names(cells) <- given$texts[there][wrong]
    list(arrays = arrays, misfits = sort(cells[cells > 0], decreasing = TRUE), remedy = read$remedy)
}

of_place <- function(facts, first) if (first == 0L) facts$label else facts$features[[first]]

shown_misfits <- function(misfits, most = 10L) {
    shown <- sprintf("'%s' (%s)", names(misfits), vapply(misfits, cells_text, ""))
    paste0(paste(head(shown, most), collapse = ", "), if (length(shown) > most) ", and others")
}

# Columns of the table that a schema describes: name, first feature, how many features, whether it has dates.
table_columns <- function(facts) {
    found <- list()
    for (i in seq_along(facts$features)) {
        feature <- facts$features[[i]]
        last <- length(found)
        if (!is.null(feature$date) && last && found[[last]]$is_date && found[[last]]$name == feature$date) {
            found[[last]]$count <- found[[last]]$count + 1L
        } else {
            name <- if (is.null(feature$date)) feature$name else feature$date
            found[[last + 1L]] <- list(name = name, first = i, count = 1L, is_date = !is.null(feature$date))
        }
    }
    found
}

# A list: `arrays`, one a feature, `unknown`, how many cells are categories that the schema does not list; or `problem`.
read_column <- function(schema, facts, column, x, unknown) {
    x <- plain(x)
    kind <- kind_of(x)
    feature <- facts$features[[column$first]]
    if (kind == "other") return(list(problem = sprintf(OTHER, class(x)[1L], column$name)))
    if (kind == "boolean" && all(is.na(x))) {
        x <- as.double(x)
        kind <- "number"
    }
    if (column$is_date) return(read_dates(schema, facts, column, x, kind))
    if (!is.null(feature$values)) return(read_codes(schema, facts, column, x, unknown))
    read_numbers(schema, facts, column, x, kind)
}

read_dates <- function(schema, facts, column, x, kind) {
    if (kind == "boolean") return(list(problem = "has logicals, and the schema says that it has dates"))
    refused_texts(read_texts(schema, facts, column$first, column$count, x), "no date as the schema writes them")
}

refused_texts <- function(read, what) {
    if (!length(read$misfits)) return(list(arrays = read$arrays, unknown = 0))
    count <- sum(read$misfits)
    list(problem = sprintf("has %s that %s %s: %s; %s", cells_text(count), if (count == 1) "is" else "are", what,
                           shown_misfits(read$misfits), read$remedy))
}

read_numbers <- function(schema, facts, column, x, kind) {
    if (kind == "time") return(list(problem = "has dates or times, and the schema says that it has numbers"))
    if (kind %in% c("text", "category"))
        return(refused_texts(read_texts(schema, facts, column$first, 1L, x), "no number as the schema writes them"))
    x <- as.double(x)
    infinite <- sum(is.infinite(x))
    if (infinite) return(list(problem = sprintf("has %s with infinity", cells_text(infinite))))
    numbers <- numbers_among(facts$missing)
    if (length(numbers)) x[x %in% numbers] <- NaN
    list(arrays = list(x), unknown = 0)
}

read_codes <- function(schema, facts, column, x, unknown) {
    read <- read_texts(schema, facts, column$first, 1L, x)
    listed <- facts$features[[column$first]]$values
    if (length(read$misfits) && unknown == "error")
        return(list(problem = sprintf(paste0(
            "has unknown categories, %s; the schema lists %s. Correct them or the list; when predicting, ",
            "unknown = \"missing\" reads them as missing"), shown_misfits(read$misfits), quoted(listed))))
    list(arrays = read$arrays, unknown = sum(read$misfits))
}

refuse_columns <- function(problems, remedy = "") {
    problems <- Filter(Negate(is.null), problems)
    if (!length(problems)) return(invisible())
    lines <- sprintf("Column '%s' %s.", names(problems), sub("[.]$", "", unlist(problems)))
    text <- if (length(lines) == 1L) lines else
        sprintf("%d columns cannot be read:\n  %s", length(lines), paste(lines, collapse = "\n  "))
    stop(failure("schema", paste0(text, remedy), field = names(problems)[1L], message = problems[[1L]],
                 remedy = trimws(remedy)))
}

# The columns of a data frame by their names, without blanks around them.
columns_of <- function(data, name = "data") {
    refuse_unless(is.data.frame(data), name, sprintf("a data frame, not '%s'", class(data)[1L]))
    found <- trimws(enc2utf8(names(data)))
    if (anyDuplicated(found))
        fail("schema", sprintf("the table has two columns '%s'", found[duplicated(found)][1L]), remedy = "rename one")
    setNames(lapply(seq_along(found), function(i) data[[i]]), found)
}

# Parts of a date may be there in place of the date.
wanted_columns <- function(facts, names) {
    wanted <- list()
    for (column in table_columns(facts)) {
        parts <- seq(column$first, length.out = column$count)
        of_parts <- vapply(facts$features[parts], function(feature) feature$name, "")
        instead <- column$is_date && !(column$name %in% names) && all(of_parts %in% names)
        wanted <- c(wanted, if (!instead) list(column) else
            Map(function(i, name) list(name = name, first = i, count = 1L, is_date = FALSE), parts, of_parts))
    }
    absent <- setdiff(vapply(wanted, function(column) column$name, ""), names)
    if (length(absent)) fail("schema", sprintf("the table has no column %s of the schema", quoted(absent)), field = absent[1L])
    wanted
}

# Equal numbers for equal persons.
persons_in <- function(columns, facts) {
    if (is.null(facts$unit)) return(NULL)
    name <- facts$unit
    if (!name %in% names(columns))
        fail("schema", sprintf("the table has no column '%s', which the schema names as the unit", name), field = name)
    x <- plain(columns[[name]])
    if (kind_of(x) == "other") refuse_columns(setNames(list(sprintf(OTHER, class(x)[1L], name)), name))
    given <- texts_in(x)
    texts <- trimws(given$texts)
    persons <- match(texts, texts)[given$at]
    persons[texts[given$at] %in% facts$missing] <- NA
    if (anyNA(persons))
        fail("schema", sprintf("column '%s' lacks %d identifiers", name, sum(is.na(persons))), field = name,
             remedy = "say whose these records are, or remove them")
    as.double(persons)
}

exposures_in <- function(columns, facts, needed) {
    name <- facts$exposure
    if (is.null(name) || !(needed || name %in% names(columns))) return(NULL)
    if (!name %in% names(columns))
        fail("schema", sprintf("the table has no column '%s', the exposure", name), field = name)
    x <- exposure_numbers(plain(columns[[name]]), name)
    if (anyNA(x) || any(x <= 0 | x > facts$exposure_high))
        fail("argument", sprintf("the exposure '%s' has numbers that are not above 0 and at most %s", name,
                                 number_texts(facts$exposure_high)), field = name)
    x
}

# A factor is its texts, never the codes of its levels.
exposure_numbers <- function(x, name) {
    if (kind_of(x) %in% c("time", "other"))
        fail("schema", sprintf("the exposure '%s' has the class '%s'", name, class(x)[1L]), field = name, remedy = "give numbers")
    if (!kind_of(x) %in% c("text", "category")) return(as.double(x))
    texts <- as.character(x)
    numbers <- suppressWarnings(as.double(texts))
    wrong <- table(texts[is.na(numbers) & !is.na(texts)])
    if (length(wrong))
        fail("schema", sprintf("the exposure '%s' has cells that are no number: %s", name, shown_misfits(wrong)), field = name,
             remedy = "give numbers")
    numbers
}

# A data set of the library. labels: NULL, or numbers. What was read as missing since it is unknown is an attribute.
table_of <- function(schema, facts, columns, rows, labels = NULL, unknown = "error") {
    refuse_unless(identical(unknown, "error") || identical(unknown, "missing"), "unknown", "\"error\" or \"missing\"")
    wanted <- wanted_columns(facts, names(columns))
    read <- lapply(wanted, function(column) read_column(schema, facts, column, columns[[column$name]], unknown))
    names(read) <- vapply(wanted, function(column) column$name, "")
    refuse_columns(lapply(read, function(one) one$problem))
    arrays <- unlist(lapply(read, function(one) one$arrays), recursive = FALSE, use.names = FALSE)
    counts <- unlist(Map(function(one, column) c(one$unknown, numeric(column$count - 1L)), read, wanted))
    beside <- list(labels = labels, persons = persons_in(columns, facts),
                   exposures = exposures_in(columns, facts, !is.null(labels)), unknown = as.double(counts))
    if (!is.null(facts$weight))
        fail("schema", sprintf("the schema names a column of weights, '%s'", facts$weight), field = facts$weight,
             remedy = "leave it out of the schema, and give 'weights', from 0 to 1")
    made <- .Call(C_hedgerow_data, schema, as.double(rows), arrays, beside)
    counted <- vapply(read, function(one) one$unknown, 0)
    attr(made, "unknown") <- counted[counted > 0]
    made
}

# ---- Labels -----------------------------------------------------------------------------------------------

# Numbers, or indices of classes from 0; of times, negative where the event had not come.
labels_of <- function(schema, facts, columns, name = facts$label$name) {
    label <- facts$label
    if (!name %in% names(columns))
        fail("schema", sprintf("the table has no column '%s', the label", name), field = name)
    x <- plain(columns[[name]])
    if (kind_of(x) == "other") refuse_columns(setNames(list(sprintf(OTHER, class(x)[1L], name)), name))
    labels <- if (!is.null(label$values)) class_labels(schema, facts, x, name) else number_labels(schema, facts, x, name)
    if (is.null(label$event)) labels else times_of(labels, columns, label$event)
}

refuse_labels <- function(name, misfits, missing, remedy) {
    found <- c(if (length(misfits)) sprintf("%s that the schema does not describe: %s", cells_text(sum(misfits)),
                                            shown_misfits(misfits)),
               if (missing) sprintf("%d missing labels", missing))
    if (length(found))
        fail("schema", sprintf("the label '%s' has %s", name, paste(found, collapse = ", and ")), field = name,
             remedy = if (length(remedy) && nzchar(remedy)) remedy else
                 "correct them, or leave these records out")
}

class_labels <- function(schema, facts, x, name) {
    read <- read_texts(schema, facts, 0L, 1L, x)
    codes <- read$arrays[[1L]]
    refuse_labels(name, read$misfits, sum(codes == 0) - sum(read$misfits), read$remedy)
    codes - 1
}

number_labels <- function(schema, facts, x, name) {
    if (kind_of(x) %in% c("text", "category")) {
        read <- read_texts(schema, facts, 0L, 1L, x)
        numbers <- read$arrays[[1L]]
        refuse_labels(name, read$misfits, sum(is.na(numbers)) - sum(read$misfits), read$remedy)
        return(numbers)
    }
    if (kind_of(x) == "time") fail("schema", sprintf("the label '%s' has dates or times", name), field = name)
    numbers <- as.double(x)
    numbers[numbers %in% numbers_among(facts$missing)] <- NaN
    refuse_labels(name, NULL, sum(!is.finite(numbers)), NULL)
    if (facts$label$count && any(numbers != floor(numbers)))
        fail("argument", sprintf("the label '%s' has numbers that are not whole, and a count is one", name), field = name)
    numbers
}

times_of <- function(times, columns, event) {
    came <- columns[[event]]
    if (is.null(came)) fail("schema", sprintf("the table has no column '%s', the event", event), field = event)
    came <- if (is.numeric(came) || is.logical(came)) as.numeric(came) else
        match(tolower(as.character(came)), c("false", "true")) - 1
    if (anyNA(came) || !all(came %in% 0:1))
        fail("schema", sprintf("the event '%s' has cells that are not TRUE or FALSE", event), field = event)
    ifelse(came == 1, times, -times)
}
