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

/* ---- The public way in ---- */

static hr_status gather_path(hr_gathering *g, const char *path) {
    const hr_table_place place = {
        .path = path, .query = g->reading.query, .as_written = g->reading.quote || g->reading.skip_lines};
    const hr_table_format *format, *before = g->format;
    hr_byte_source source;
    const size_t rows = g->all.rows;
    g->origins.may_be_equal = g->reading.allow_equal_files;
    hr_status status = hr_table_open(&place, &g->origins, &source, g->err);
    if (!status) {
        status = hr_table_format_find(&g->reading, &source, &format, g->err);
        if (!status && before && format != before) {
            const bool in_order = format->number < before->number;
            status = hr_fail(g->err, HR_E_FORMAT, "give all files one format, or say which with --format",
                             "one file is %s, and one %s", in_order ? format->name : before->name,
                             in_order ? before->name : format->name);
        }
        if (!status) status = hr_table_format_check(format, &g->reading, g->err);
        if (!status) status = format->gather(g, &source);
        if (!status) status = hr_origins_finish(&g->origins, g->all.rows > rows, g->err);
        g->format = format;
        g->sources++;
        if (status) hr_table_source_fail_at(&place, NULL, status, g->err);
    }
    hr_byte_source_done(&source);
    return status;
}

static hr_status propose_schema(hr_gathering *g, char **yaml) {
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

hr_status hr_schema_infer_all(const char *const *paths, size_t count, const hr_infer_options *options,
                              char **yaml, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_infer_options), sizeof(size_t),
                                  "start from HR_INFER_OPTIONS_INIT"};
    hr_infer_options ours = HR_INFER_OPTIONS_INIT;
    hr_status status = options ? hr_sized_take(&kind, options, &ours, err) : HR_OK;
    if (status) return status;
    if (!count) return hr_fail(err, HR_E_ARGUMENT, "name at least one", "there is no file to read");
    hr_buffer notes = {0};
    hr_gathering g = {
        .options = &ours, .arena = hr_arena_new(), .all.notes = ours.notes ? &notes : NULL, .err = err};
    status = g.arena ? hr_read_options_take(ours.reading, &g.reading, err) : hr_fail_memory(err);
    if (!status && ours.dictionary)
        status = hr_dictionary_read(ours.dictionary, g.arena, &g.all.dictionary, err);
    for (size_t i = 0; !status && i < count; i++) status = gather_path(&g, paths[i]);
    if (!status && g.first.absent_count > 0) {
        const hr_table_place only = {.path = paths[0], .query = g.reading.query};
        status = hr_csv_refuse_missing(&g.first, g.first.absent[0], err);
        if (count == 1) hr_table_source_fail_at(&only, NULL, status, err);
    }
    if (!status) {
        status = propose_schema(&g, yaml);
        if (!status && ours.notes) {
            status = hr_buffer_take(&notes, ours.notes, err);
            if (status) {
                hr_text_free(*yaml);
                *yaml = NULL;
            }
        }
        if (status && count == 1)
            hr_table_source_fail_at(&(hr_table_place){.path = paths[0]}, NULL, status, err);
    }

    for (size_t i = 0; i < g.all.count; i++) hr_inference_done(g.all.columns[i]);
    free(g.all.columns);
    hr_dictionary_done(&g.all.dictionary);
    hr_buffer_done(&notes);
    hr_row_sample_done(&g.all.sample);
    hr_origins_done(&g.origins);
    hr_arena_free(g.arena);
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
