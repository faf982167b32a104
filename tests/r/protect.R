# Each function of the glue works while R collects garbage at every allocation: what it makes is protected.
library(hedgerow)

space <- asNamespace("hedgerow")
for (name in ls(space)) if (startsWith(name, "C_")) assign(name, get(name, space))

tortured <- function(expression) {
    code <- substitute(expression)
    where <- parent.frame()
    gctorture(TRUE)
    on.exit(gctorture(FALSE))
    eval(code, where)
}

# With and without it the result is the same.
same <- function(expression) {
    plain <- eval(substitute(expression), parent.frame())
    stopifnot(identical(eval(substitute(tortured(expression)), parent.frame()), plain))
    invisible(plain)
}

hospital <- hedgerow_hospital(rows = 60)
columns <- hedgerow:::columns_of(hospital$data)
schema <- tortured(.Call(C_hedgerow_schema_parse, hospital$schema$text, "the schema"))
facts <- same(.Call(C_hedgerow_schema_facts, schema))
same(.Call(C_hedgerow_schema_text, schema))
same(.Call(C_hedgerow_schema_infer, hedgerow:::csv_of(columns), "readmitted", NULL))
same(.Call(C_hedgerow_read_texts, schema, c(2L, 1L), c("internal", "attic", "surgery"), FALSE))
built <- tortured(.Call(C_hedgerow_schema_build, list(name = "y", low = 0, high = 1, count = FALSE, quantiles = c(0.1, 0.9)),
    list(list(name = "a", low = 0, high = 1, monotone = 1), list(name = "b", values = c("x", "y")), list(name = "c", boolean = TRUE)), "p"))
same(.Call(C_hedgerow_schema_text, built))
same(.Call(C_hedgerow_schema_text, tortured(.Call(C_hedgerow_schema_without, schema, c("age", "sex")))))

arrays <- lapply(hedgerow:::wanted_columns(facts, names(columns)), function(column)
    hedgerow:::read_column(schema, facts, column, columns[[column$name]], "error")$arrays[[1]])
beside <- list(labels = hedgerow:::labels_of(schema, facts, columns), persons = NULL, exposures = NULL, unknown = numeric(length(arrays)))
data <- tortured(.Call(C_hedgerow_data, schema, 60, arrays, beside))
same(.Call(C_hedgerow_remarks, data, 0L, TRUE, character()))
settings <- c(hedgerow:::settings_of("hedge", "sound", 1, NULL, list(), NULL, 1), list(seed = 1))
same(.Call(C_hedgerow_plan_info, settings, 1000, schema))
model <- tortured(.Call(C_hedgerow_fit, data, settings))$model
text <- same(.Call(C_hedgerow_model_text, model))
same(.Call(C_hedgerow_model_text, tortured(.Call(C_hedgerow_model_parse, text, "the model"))))
same(.Call(C_hedgerow_schema_text, tortured(.Call(C_hedgerow_model_schema, model))))
same(.Call(C_hedgerow_model_facts, model))
same(.Call(C_hedgerow_model_releases, model))
same(.Call(C_hedgerow_model_summary, model))
same(.Call(C_hedgerow_model_tree, model, 0))
same(.Call(C_hedgerow_importance, model))
same(.Call(C_hedgerow_shapes_list, model))
same(.Call(C_hedgerow_predict, model, data, 1L))
same(.Call(C_hedgerow_evaluate_exact, model, data, 1L))

file <- tempfile(fileext = ".db")
ledger <- hedgerow:::ledger_pointer(hedgerow_ledger_create(file, 5, 1e-2))
released <- tortured(.Call(C_hedgerow_evaluate_private, model, data, list(epsilon = 1, delta = 0, threads = 1L, single_records = TRUE, ledger = ledger)))
same(.Call(C_hedgerow_ledger_total, ledger))
same(.Call(C_hedgerow_ledger_entries, ledger))
same(.Call(C_hedgerow_method_list))
same(.Call(C_hedgerow_method_option_list, "hedge"))
same(.Call(C_hedgerow_amount_texts, c(1, 2)))
same(.Call(C_hedgerow_number_texts, c(1, 0.1, NA)))
same(.Call(C_hedgerow_generate_hospital, 20, 1, 0))
same(class(tryCatch(.Call(C_hedgerow_schema_parse, "hedgerow-schema: 1\nx: 2", "the schema"), error = identity)))
cat("protect: every function of the glue\n")
