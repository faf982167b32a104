# Schemas: the public facts about a table.

new_schema <- function(pointer) {
    structure(list(text = .Call(C_hedgerow_schema_text, pointer), facts = .Call(C_hedgerow_schema_facts, pointer)),
              class = "hedgerow_schema")
}

hedgerow_schema <- function(file = NULL, text = NULL) {
    if (is.null(text)) {
        refuse_unless(is_text(file), "file", "the path of a schema file")
        text <- read_text(file)
    } else {
        refuse_unless(is.character(text) && !anyNA(text), "text", "the lines of a schema")
        text <- paste(text, collapse = "\n")
        file <- "the text"
    }
    pointer <- .Call(C_hedgerow_schema_parse, text, file)
    schema <- new_schema(pointer)
    schema$text <- text # with its comments
    schema
}

read_text <- function(file) {
    size <- file.size(file)
    if (is.na(size) || dir.exists(file))
        stop(failure("file", sprintf("%s: cannot be read", file), file = file, message = "cannot be read"))
    bytes <- readBin(file, "raw", size)
    if (any(bytes == 0)) stop(failure("format", sprintf("%s: has a NUL", file), file = file, message = "has a NUL"))
    text <- rawToChar(bytes)
    Encoding(text) <- "UTF-8"
    text
}

# A pointer to the schema that is given as such, or as the path of a file.
schema_pointer <- function(schema) {
    if (is_text(schema)) schema <- hedgerow_schema(schema)
    refuse_unless(inherits(schema, "hedgerow_schema"), "schema", "a schema, or the path of a schema file")
    .Call(C_hedgerow_schema_parse, schema$text, "the schema")
}

hedgerow_schema_write <- function(schema, file) {
    refuse_unless(inherits(schema, "hedgerow_schema"), "schema", "a schema")
    refuse_unless(is_text(file), "file", "the path of a file")
    tryCatch(writeBin(charToRaw(enc2utf8(sub("\n*$", "\n", schema$text))), file),
             error = function(e) stop(failure("file", conditionMessage(e), file = file)))
    invisible(schema)
}

hedgerow_schema_propose <- function(data, label, dictionary = NULL, drop = character()) {
    refuse_unless(is_text(label), "label", "the name of the column to be predicted")
    refuse_unless(is.null(dictionary) || is_text(dictionary), "dictionary", "the path of a file, or NULL")
    columns <- columns_of(data)
    if (!label %in% names(columns)) fail("schema", sprintf("the table has no column '%s'", label), field = label)
    absent <- setdiff(drop, names(columns))
    if (length(absent)) fail("argument", sprintf("'drop' names %s, which the table does not have", quoted(absent)))
    columns <- columns[setdiff(names(columns), drop)]
    refuse_columns(lapply(columns, function(x) if (kind_of(plain(x)) == "other") "has a class that cannot be read"),
                   " Or leave them out: drop = c(...).")
    made <- .Call(C_hedgerow_schema_infer, csv_of(columns), label, dictionary)
    schema <- hedgerow_schema(text = made$text)
    schema$notes <- made$notes
    schema
}

# A table of comma-separated cells, all of them within quotation marks.
csv_of <- function(columns) {
    enclosed <- function(texts) paste0("\"", gsub("\"", "\"\"", texts, fixed = TRUE), "\"")
    cells <- lapply(columns, function(x) {
        given <- texts_in(plain(x))
        cells <- enclosed(given$texts)[given$at]
        cells[is.na(cells)] <- ""
        cells
    })
    lines <- do.call(paste, c(unname(cells), sep = ","))
    paste0(paste(c(paste(enclosed(enc2utf8(names(columns))), collapse = ","), lines), collapse = "\n"), "\n")
}

print.hedgerow_schema <- function(x, ...) {
    facts <- x$facts
    cat(sprintf("Schema: label %s (%s), %d features\n", facts$label$name, facts$task, length(facts$features)))
    if (!is.null(facts$open))
        cat(strwrap(paste("A person has to decide before it is trained with:", facts$open), exdent = 2), sep = "\n")
    if (length(x$notes) && nzchar(x$notes)) cat(x$notes, "\n", sep = "")
    cat(x$text, "\n", sep = "")
    invisible(x)
}
