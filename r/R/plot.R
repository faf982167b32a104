# What a model says of its features: importances, and the shape of each with the noise in it.

BAND <- 1.96 # deviations: about 95 of 100 bands of a cell hold its value without the noise

# Cells of a feature: texts, and of a number where each begins and ends; the first cell is missing.
cells_of <- function(axis, feature) {
    if (is.null(feature$values)) {
        from <- c(NA, feature$low, axis$edges)
        to <- c(NA, axis$edges, feature$high)
        return(data.frame(cell = c("missing", sprintf("%.6g to %.6g", from[-1L], to[-1L])), from = from, to = to))
    }
    values <- feature$values[seq_len(min(axis$cells - 1, length(feature$values)))]
    data.frame(cell = c("missing", values), from = NA_real_, to = NA_real_)
}

shape_frame <- function(shape, features, outputs) {
    axes <- lapply(shape$axes, function(axis) cells_of(axis, features[[axis$feature]]))
    names <- vapply(shape$axes, function(axis) features[[axis$feature]]$name, "")
    # The last axis is the fastest, as in the values.
    places <- if (length(axes) == 1L) list(seq_len(nrow(axes[[1L]]))) else
        list(rep(seq_len(nrow(axes[[1L]])), each = nrow(axes[[2L]])), rep(seq_len(nrow(axes[[2L]])), nrow(axes[[1L]])))
    frame <- data.frame(cell = axes[[1L]]$cell[places[[1L]]], from = axes[[1L]]$from[places[[1L]]],
                        to = axes[[1L]]$to[places[[1L]]], stringsAsFactors = FALSE)
    if (length(axes) == 2L) frame$cell_2 <- axes[[2L]]$cell[places[[2L]]]
    frame$value <- matrix(shape$values, ncol = outputs, byrow = TRUE)
    frame$deviation <- if (is.null(shape$deviations)) matrix(NA_real_, nrow(frame), outputs) else
        matrix(shape$deviations, ncol = outputs, byrow = TRUE)
    if (outputs == 1L) {
        frame$value <- frame$value[, 1L]
        frame$deviation <- frame$deviation[, 1L]
    }
    structure(frame, features = names, share = shape$share)
}

hedgerow_shapes <- function(model) {
    features <- schema_facts_of(model)$features
    read <- .Call(C_hedgerow_shapes_list, pointer_of(model))
    frames <- lapply(read$shapes, shape_frame, features, read$outputs)
    names(frames) <- vapply(frames, function(frame) paste(attr(frame, "features"), collapse = ":"), "")
    structure(frames, base = read$base, rest = read$rest_share)
}

plot.hedgerow <- function(x, feature = NULL, output = NULL, most = 20, ...) {
    if (is.null(feature)) {
        plot_importance(x, most, ...)
        return(invisible(x))
    }
    refuse_unless(is.character(feature) && !anyNA(feature), "feature", "names of features")
    shapes <- hedgerow_shapes(x)
    facts <- schema_facts_of(x)
    known <- names(shapes)[!grepl(":", names(shapes), fixed = TRUE)]
    check_shapes(feature, known, facts)
    if (length(feature) > 1L) {
        before <- par(mfrow = c(ceiling(length(feature) / 2), 2))
        on.exit(par(before))
    }
    for (name in feature) plot_shape(shapes[[name]], name, facts, output, ...)
    invisible(x)
}

check_shapes <- function(feature, known, facts) {
    unknown <- setdiff(feature, known)
    if (length(unknown))
        fail("argument", sprintf("no trees split by '%s' alone; there are %s", unknown[1L],
                                 if (length(known)) paste("shapes of", quoted(known)) else "no shapes of single features"),
             field = unknown[1L], remedy = "fit with interactions = \"none\" for a model that its shapes say whole")
}

plot_importance <- function(model, most, ...) {
    found <- rev(head(hedgerow_importance(model), most))
    before <- par(mar = par("mar") + c(0, max(0, max(nchar(names(found))) / 2.2 - 3), 0, 0))
    on.exit(par(before))
    barplot(found, horiz = TRUE, las = 1, border = NA, col = "#2e6b3a", xlab = "importance, from the released trees", ...)
}

# The column of values that is drawn: of more than two classes the class `output` (the first).
output_at <- function(frame, facts, output) {
    if (!is.matrix(frame$value)) return(1L)
    if (is.null(output)) return(1L)
    at <- match(output, facts$label$values)
    refuse_unless(length(at) == 1L && !is.na(at), "output", "one of the classes")
    at
}

plot_shape <- function(frame, name, facts, output, ...) {
    at <- output_at(frame, facts, output)
    value <- as.matrix(frame$value)[, at]
    spread <- BAND * as.matrix(frame$deviation)[, at]
    low <- ifelse(is.na(spread), value, value - spread)
    high <- ifelse(is.na(spread), value, value + spread)
    is_number <- any(!is.na(frame$from))
    x <- if (is_number) range(frame$from, frame$to, na.rm = TRUE) else c(0.5, nrow(frame) + 0.5)
    plot(NA, xlim = x, ylim = range(low, high, 0, finite = TRUE), main = name, xlab = "", ylab = "part of the score",
         xaxt = if (is_number) "s" else "n", ...)
    abline(h = 0, col = "grey80")
    if (is_number) draw_steps(frame, value, low, high) else draw_categories(frame, value, low, high)
}

draw_steps <- function(frame, value, low, high) {
    cells <- which(!is.na(frame$from))
    rect(frame$from[cells], low[cells], frame$to[cells], high[cells], border = NA, col = adjustcolor("#2e6b3a", 0.25))
    lines(c(rbind(frame$from[cells], frame$to[cells])), rep(value[cells], each = 2L), col = "#2e6b3a", lwd = 2)
    abline(h = value[1L], lty = 3, col = "grey40") # of missing values
}

draw_categories <- function(frame, value, low, high) {
    at <- seq_along(value)
    axis(1, at = at, labels = frame$cell, las = if (length(at) > 6L) 2 else 1)
    segments(at, low, at, high, col = adjustcolor("#2e6b3a", 0.5), lwd = 3)
    points(at, value, pch = 19, col = "#2e6b3a")
}
