/* Proposing a schema: one pass over a table gathers what its columns look like. */
#include "base/buffer.h"
#include "base/fail.h"
#include "tables/infer/infer_write.h"
#include "tables/readers/cells.h"
#include "tables/readers/csv_header.h"
#include "tables/readers/reading.h"
#include "tables/schema/check.h"
#include "tables/source/origins.h"

#include <stdlib.h>
#include <string.h>

typedef struct schema_inference {
    const hr_infer_options *options;
    hr_read_options reading;
    hr_inferences all;
    hr_arena *arena;
    hr_lines lines;
    hr_csv_header first; /* columns of the first source (CSV) */
    size_t *order;  /* of the source that is read: per column the inference it belongs to; SIZE_MAX: none */
    size_t columns; /* of that source */
    size_t sources; /* that were read */
    hr_origins origins;
    size_t capacity;
    hr_error *err;
} schema_inference;

static hr_status add_inference(schema_inference *p, const char *name) {
    if (p->all.count == p->capacity) {
        size_t capacity = p->capacity ? p->capacity * 2 : 64;
        hr_inference **more = realloc(p->all.columns, capacity * sizeof *more);
        if (!more) return hr_fail_memory(p->err);
        p->all.columns = more;
        p->capacity = capacity;
    }
    hr_inference *inference = hr_arena_alloc(p->arena, 1, sizeof *inference);
    if (!inference) return hr_fail_memory(p->err);
    hr_inference_init(inference, name);
    p->all.columns[p->all.count++] = inference;
    return HR_OK;
}

/* ---- CSV ---- */

/* Columns that are left out in the end count, too: they are known only when all has been read. */
static hr_status check_column_count(const schema_inference *p, const hr_csv_header *header) {
    size_t count = 0;
    for (size_t i = 0; i < header->count; i++) {
        count += !header->dropped[i];
        if (count <= (size_t)HR_FEATURES_MAX + 1) continue;
        hr_fail(p->err, HR_E_LIMIT, "remove columns from there on, or leave some out by --drop",
                "the table has %zu columns; a label and %d features are allowed", header->count,
                HR_FEATURES_MAX);
        return hr_fail_at(p->err, HR_E_LIMIT, NULL, 0, 0, header->names[i]);
    }
    return HR_OK;
}

static hr_status find_csv_label(schema_inference *p, const hr_string_map *names) {
    const char *label = p->options->label ? p->options->label : "label";
    p->all.label = hr_string_map_find(names, label, strlen(label));
    return p->all.label == HR_STRING_MAP_NONE ? hr_csv_refuse_missing(&p->first, label, p->err) : HR_OK;
}

/* An inference for each column; what is dropped gets none of its cells. */
static hr_status add_csv_columns(schema_inference *p) {
    const hr_csv_header *header = &p->first;
    hr_string_map names = {0};
    hr_status status = check_column_count(p, header);
    p->all.dropped = header->dropped;
    for (size_t i = 0; !status && i < header->count; i++) {
        const char *name = header->names[i];
        status = add_inference(p, header->dropped[i] ? "" : name);
        if (status || !*name || header->dropped[i]) continue;
        if (hr_string_map_find(&names, name, strlen(name)) != HR_STRING_MAP_NONE) {
            hr_fail(p->err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
            status = hr_fail_at(p->err, HR_E_FORMAT, NULL, 0, 0, name);
        } else if (!hr_string_map_add(&names, name, strlen(name), (uint32_t)i)) {
            status = hr_fail_memory(p->err);
        }
    }
    if (!status) status = find_csv_label(p, &names);
    hr_string_map_done(&names);
    return status;
}

static hr_status start_csv(schema_inference *p) {
    hr_csv_header header;
    hr_status status = hr_csv_read_header(&p->lines, &p->reading, p->arena, &header, p->err);
    if (status) return status;
    p->columns = header.count;
    if (!p->sources) {
        p->first = header;
        status = add_csv_columns(p);
    }
    return status ? status : hr_csv_match_header(&p->first, &header, p->arena, &p->order, p->err);
}

static hr_status take_csv_record(schema_inference *p) {
    hr_csv_cell cell = {0};
    uint64_t line = p->lines.line;
    for (size_t i = 0; !cell.last; i++) {
        hr_status status = hr_cells_next(&p->lines, &cell, p->err);
        if (status) return status;
        if (cell.last != (i + 1 == p->columns))
            return hr_csv_refuse_ragged(line, i + 1, p->columns, !cell.last, p->err);
        if (p->order[i] == SIZE_MAX) continue;
        if (!hr_inference_add(p->all.columns[p->order[i]], p->arena, cell.text, cell.size))
            return hr_fail_memory(p->err);
    }
    return HR_OK;
}

static hr_status gather_csv(schema_inference *p, hr_byte_source *source) {
    hr_status status = hr_lines_start(&p->lines, source, true, p->err);
    if (!status) status = start_csv(p);
    while (!status) {
        while (!status && hr_cells_skip_empty(&p->lines)) {
            status = take_csv_record(p);
            p->all.rows++;
        }
        if (!status) status = hr_lines_more(&p->lines, p->err);
        if (p->lines.at == p->lines.limit) break;
    }
    return status;
}

/* ---- LIBSVM ---- */

/* Makes sure that there is a guess for the feature. */
static hr_status reach_feature(schema_inference *p, const hr_libsvm_entry *entry) {
    if (entry->index > HR_FEATURES_MAX) {
        hr_fail(p->err, HR_E_LIMIT, "leave some features out", "index %u; at most %d features are allowed",
                (unsigned)entry->index, HR_FEATURES_MAX);
        return hr_lines_place(&p->lines, entry->where, HR_E_LIMIT, p->err);
    }
    while (p->all.count <= entry->index) {
        hr_buffer name = {0};
        hr_buffer_format(&name, "f%zu", p->all.count);
        const char *copy = name.failed ? NULL : hr_arena_text(p->arena, name.bytes, name.size);
        hr_buffer_done(&name);
        hr_status status = copy ? add_inference(p, copy) : hr_fail_memory(p->err);
        if (status) return status;
    }
    return HR_OK;
}

static hr_status take_libsvm_record(schema_inference *p) {
    for (bool first = true;; first = false) {
        hr_libsvm_entry entry;
        hr_status status = hr_libsvm_next(&p->lines, first, &entry, p->err);
        if (status || entry.ended) return status;
        if (first && entry.index) {
            hr_fail(p->err, HR_E_SCHEMA, "begin every line with its label", "the label is missing");
            return hr_lines_place(&p->lines, entry.where, HR_E_SCHEMA, p->err);
        }
        status = reach_feature(p, &entry);
        if (status) return status;
        hr_inference *inference = p->all.columns[entry.index];
        if (inference->last_row == p->all.rows + 1) return hr_libsvm_refuse_twice(&p->lines, &entry, p->err);
        inference->last_row = p->all.rows + 1;
        if (!hr_inference_add(inference, p->arena, entry.text, entry.size)) return hr_fail_memory(p->err);
    }
}

static hr_status gather_libsvm(schema_inference *p, hr_byte_source *source) {
    hr_status status = hr_libsvm_check_options(&p->reading, p->err);
    if (!status) status = hr_lines_start(&p->lines, source, false, p->err);
    if (!status && !p->sources) status = add_inference(p, p->options->label ? p->options->label : "label");
    while (!status) {
        status = hr_lines_more(&p->lines, p->err);
        if (p->lines.at == p->lines.limit) break;
        while (!status && hr_libsvm_skip_empty(&p->lines)) {
            status = take_libsvm_record(p);
            p->all.rows++;
        }
    }
    return status;
}

/* What is absent is 0. */
static hr_status add_absent(schema_inference *p) {
    for (size_t i = 1; i < p->all.count; i++) {
        if (p->all.columns[i]->cells < p->all.rows && !hr_inference_add(p->all.columns[i], p->arena, "0", 1))
            return hr_fail_memory(p->err);
    }
    return HR_OK;
}

/* ---- The public way in ---- */

static hr_status gather_source(schema_inference *p, hr_byte_source *source) {
    hr_format format = hr_read_format(&p->reading);
    hr_status status = hr_libsvm_find_format(source, &format, p->err);
    const bool positional = format == HR_FORMAT_LIBSVM;
    if (!status && p->sources && positional != p->all.positional)
        status = hr_fail(p->err, HR_E_FORMAT, "give all files one format, or say which with --format",
                         "one file is CSV, and one LIBSVM");
    p->all.positional = positional;
    if (!status) status = positional ? gather_libsvm(p, source) : gather_csv(p, source);
    p->sources++;
    return status;
}

static hr_status gather_path(schema_inference *p, const char *path) {
    const hr_table_place place = {path, p->reading.query};
    hr_byte_source source;
    hr_status status = hr_table_source_open(&place, &p->origins, &source, p->err);
    if (!status) {
        status = gather_source(p, &source);
        if (status) hr_table_source_fail_at(&place, NULL, status, p->err);
    }
    hr_byte_source_done(&source);
    return status;
}

static hr_status propose_schema(schema_inference *p, char **yaml) {
    if (!p->all.rows)
        return hr_fail(p->err, HR_E_SCHEMA, "give a table with records below its header",
                       "the table has no records");
    hr_status status = p->all.positional ? add_absent(p) : HR_OK;
    return status ? status : hr_inferences_write(&p->all, yaml, p->err);
}

static void done_inference(schema_inference *p) {
    for (size_t i = 0; i < p->all.count; i++) hr_inference_done(p->all.columns[i]);
    free(p->all.columns);
    hr_dictionary_done(&p->all.dictionary);
    hr_origins_done(&p->origins);
    hr_arena_free(p->arena);
}

static hr_status infer_paths(schema_inference *p, const char *const *paths, size_t count, char **yaml) {
    const char *dictionary = p->options->dictionary;
    hr_status status = HR_OK;
    if (dictionary) status = hr_dictionary_read(dictionary, p->arena, &p->all.dictionary, p->err);
    for (size_t i = 0; !status && i < count; i++) status = gather_path(p, paths[i]);
    if (status) return status;
    status = propose_schema(p, yaml);
    if (status && count == 1)
        hr_table_source_fail_at(&(hr_table_place){paths[0], NULL}, NULL, status, p->err);
    return status;
}

hr_status hr_schema_infer_all(const char *const *paths, size_t count, const hr_infer_options *options,
                              char **yaml, hr_error *err) {
    static const hr_sized kind = {sizeof(hr_infer_options), sizeof(size_t),
                                  "start from HR_INFER_OPTIONS_INIT"};
    hr_infer_options ours = HR_INFER_OPTIONS_INIT;
    hr_status status = options ? hr_sized_take(&kind, options, &ours, err) : HR_OK;
    if (status) return status;
    if (!count) return hr_fail(err, HR_E_ARGUMENT, "name at least one", "there is no file to read");
    schema_inference p = {.options = &ours, .arena = hr_arena_new(), .err = err};
    status = p.arena ? hr_read_options_take(ours.reading, &p.reading, err) : hr_fail_memory(err);
    if (!status) status = infer_paths(&p, paths, count, yaml);
    done_inference(&p);
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
