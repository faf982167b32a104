/* Proposing a schema: one pass over a table gathers what its columns look like. */
#include "tables/formats/formats.h"

#include "base/fail.h"

#include <stdlib.h>

hr_status hr_gathering_add(hr_gathering *g, const char *name) {
    if (g->all.count == g->capacity) {
        size_t capacity = g->capacity ? g->capacity * 2 : 64;
        hr_inference **more = realloc(g->all.columns, capacity * sizeof *more);
        if (!more) return hr_fail_memory(g->err);
        g->all.columns = more;
        g->capacity = capacity;
    }
    hr_inference *inference = hr_arena_alloc(g->arena, 1, sizeof *inference);
    if (!inference) return hr_fail_memory(g->err);
    hr_inference_init(inference, name);
    g->all.columns[g->all.count++] = inference;
    return HR_OK;
}

/* ---- The public ways in ---- */

typedef struct inferring {
    hr_gathering g;
    hr_infer_options options;
    hr_buffer notes;
} inferring;

/* Call end_inferring in either case. */
static hr_status begin_inferring(inferring *run, const hr_infer_options *given, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_infer_options), sizeof(size_t),
                                  "start from HR_INFER_OPTIONS_INIT"};
    *run = (inferring){.options = HR_INFER_OPTIONS_INIT, .g.err = err};
    hr_status status = given ? hr_sized_take(&kind, given, &run->options, err) : HR_OK;
    if (status) return status;
    hr_gathering *g = &run->g;
    g->options = &run->options;
    g->arena = hr_arena_new();
    if (run->options.notes) g->all.notes = &run->notes;
    status = g->arena ? hr_read_options_take(run->options.reading, &g->reading, err) : hr_fail_memory(err);
    if (!status && run->options.dictionary)
        status = hr_dictionary_read(run->options.dictionary, g->arena, &g->all.dictionary, err);
    return status;
}

static void end_inferring(inferring *run) {
    hr_gathering *g = &run->g;
    for (size_t i = 0; i < g->all.count; i++) hr_inference_done(g->all.columns[i]);
    free(g->all.columns);
    hr_dictionary_done(&g->all.dictionary);
    hr_buffer_done(&run->notes);
    hr_row_sample_done(&g->all.sample);
    hr_origins_done(&g->origins);
    for (size_t k = 0; k < HR_GATHERING_ARENAS; k++) hr_arena_free(g->arenas[k]);
    hr_arena_free(g->arena);
}

static hr_status gather_source(hr_gathering *g, hr_byte_source *source) {
    const hr_table_format *format, *before = g->format;
    hr_status status = hr_table_format_find(&g->reading, source, &format, g->err);
    if (status) return status;
    if (before && format != before) {
        const bool in_order = format->number < before->number;
        return hr_fail(g->err, HR_E_FORMAT, "give all files one format, or say which with --format",
                       "one file is %s, and one %s", in_order ? format->name : before->name,
                       in_order ? before->name : format->name);
    }
    status = hr_table_format_check(format, &g->reading, g->err);
    if (!status) status = format->gather(g, source);
    g->format = format;
    g->sources++;
    return status;
}

/* Whether no option drops a column. */
static bool is_gathered(const void *of, const char *name, size_t size) {
    const hr_read_options *options = of;
    for (size_t d = 0; d < options->drop_count; d++)
        if (strlen(options->drop[d]) == size && memcmp(options->drop[d], name, size) == 0) return false;
    return true;
}

static hr_status gather_path(hr_gathering *g, const char *path) {
    const hr_table_place place = {.path = path,
                                  .query = g->reading.query,
                                  .as_written = g->reading.quote || g->reading.skip_lines,
                                  .columns = {is_gathered, &g->reading}};
    hr_byte_source source;
    const size_t rows = g->all.rows;
    g->origins.may_be_equal = g->reading.allow_equal_files;
    hr_status status = hr_table_open(&place, &g->origins, &source, g->err);
    if (!status) {
        status = gather_source(g, &source);
        if (!status) status = hr_origins_finish(&g->origins, g->all.rows > rows, g->err);
        if (status) hr_table_source_fail_at(&place, NULL, status, g->err);
    }
    hr_byte_source_done(&source);
    return status;
}

static hr_status propose_schema(hr_gathering *g, char **yaml) {
    if (g->first.absent_count > 0) return hr_csv_refuse_missing(&g->first, g->first.absent[0], g->err);
    if (!g->all.rows)
        return hr_fail(g->err, HR_E_SCHEMA, "give a table with records below its header",
                       "the table has no records");
    g->all.positional = g->format->sparse;
    for (size_t i = 1; g->format->sparse && i < g->all.count; i++) {
        /* What is absent is 0. */
        if (g->all.columns[i]->cells < g->all.rows && !hr_inference_add(g->all.columns[i], g->arena, "0", 1))
            return hr_fail_memory(g->err);
    }
    return hr_inferences_write(&g->all, yaml, g->err);
}

/* The proposal, and the notes if they are wanted. */
static hr_status finish_inferring(inferring *run, char **yaml) {
    char *text = NULL;
    hr_status status = propose_schema(&run->g, &text);
    if (!status && run->options.notes) status = hr_buffer_take(&run->notes, run->options.notes, run->g.err);
    if (status)
        hr_text_free(text);
    else
        *yaml = text;
    return status;
}

hr_status hr_schema_infer_all(const char *const *paths, size_t count, const hr_infer_options *options,
                              char **yaml, hr_error *err) {
    inferring run;
    if (!count) return hr_fail(err, HR_E_ARGUMENT, "name at least one", "there is no file to read");
    hr_status status = begin_inferring(&run, options, err);
    for (size_t i = 0; !status && i < count; i++) status = gather_path(&run.g, paths[i]);
    if (!status) {
        const hr_table_place only = {.path = paths[0], .query = run.g.reading.query};
        status = finish_inferring(&run, yaml);
        if (status && count == 1) hr_table_source_fail_at(&only, NULL, status, err);
    }
    end_inferring(&run);
    return status;
}

hr_status hr_schema_infer_bytes(const char *bytes, size_t size, const hr_infer_options *options, char **yaml,
                                hr_error *err) {
    inferring run;
    hr_byte_source source;
    hr_status status = begin_inferring(&run, options, err);
    if (!status) {
        status = hr_byte_source_open_memory(&source, bytes, size, err);
        if (!status) status = gather_source(&run.g, &source);
        if (!status) status = finish_inferring(&run, yaml);
        hr_byte_source_done(&source);
        if (status) hr_fail_at(err, status, run.g.reading.name, 0, 0, NULL);
    }
    end_inferring(&run);
    return status;
}

hr_status hr_schema_infer(const char *path, hr_format format, const char *label, char **yaml, hr_error *err) {
    hr_read_options reading = HR_READ_OPTIONS_INIT;
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    reading.format = format;
    options.label = label;
    options.reading = &reading;
    return hr_schema_infer_all(&path, 1, &options, yaml, err);
}
