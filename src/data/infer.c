/* Proposing a schema: one pass over a table, a guess for every column, and YAML in which every guess awaits
 * review. */
#include "base/fail.h"
#include "base/text.h"
#include "data/cells.h"
#include "data/csv_header.h"
#include "data/infer_column.h"
#include "data/libsvm.h"
#include "data/read_options.h"
#include "schema/check.h"
#include "schema/date_parts.h"
#include "schema/schema_write.h"

#include <stdlib.h>
#include <string.h>

typedef struct schema_inference {
    const hr_read_options *options;
    hr_arena *arena;
    hr_lines lines;
    hr_format format;    /* of the first source */
    hr_csv_header first; /* its columns (CSV) */
    size_t *order;  /* of the source that is read: per column the inference it belongs to; SIZE_MAX: none */
    size_t columns; /* of that source */
    size_t sources; /* that were read */
    hr_inference **inferences; /* CSV: one a column; LIBSVM: the label, then the features */
    size_t count, capacity, label;
    uint64_t rows;
    hr_string_map missing;
    const char *missing_list[HR_INFERENCE_SPELLINGS];
    size_t missing_count;
    hr_error *err;
} schema_inference;

static hr_status add_inference(schema_inference *p, const char *name) {
    if (p->count == p->capacity) {
        size_t capacity = p->capacity ? p->capacity * 2 : 64;
        hr_inference **more = realloc(p->inferences, capacity * sizeof *more);
        if (!more) return hr_fail_memory(p->err);
        p->inferences = more;
        p->capacity = capacity;
    }
    hr_inference *inference = hr_arena_alloc(p->arena, 1, sizeof *inference);
    if (!inference) return hr_fail_memory(p->err);
    inference->name = name;
    p->inferences[p->count++] = inference;
    return HR_OK;
}

/* ---- CSV ---- */

static hr_status find_csv_label(schema_inference *p, const char *label) {
    if (!label) label = "label";
    for (p->label = 0; p->label < p->count; p->label++)
        if (strcmp(p->inferences[p->label]->name, label) == 0) return HR_OK;
    return hr_csv_refuse_missing(&p->first, label, p->err);
}

/* An inference for each column; what is dropped gets none of its cells. */
static hr_status add_csv_columns(schema_inference *p) {
    const hr_csv_header *header = &p->first;
    hr_string_map names = {0};
    hr_status status = HR_OK;
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
    hr_string_map_done(&names);
    return status;
}

static hr_status start_csv(schema_inference *p, const char *label) {
    hr_csv_header header;
    hr_status status = hr_csv_read_header(&p->lines, p->options, p->arena, &header, p->err);
    if (status) return status;
    p->columns = header.count;
    if (!p->sources) {
        p->first = header;
        status = add_csv_columns(p);
        if (!status) status = find_csv_label(p, label);
    }
    return status ? status : hr_csv_match_header(&p->first, &header, p->arena, &p->order, p->err);
}

static hr_status take_csv_record(schema_inference *p) {
    hr_cell cell = {0};
    uint64_t line = p->lines.line;
    for (size_t i = 0; !cell.last; i++) {
        hr_status status = hr_cells_next(&p->lines, &cell, p->err);
        if (status) return status;
        if (cell.last != (i + 1 == p->columns))
            return hr_csv_refuse_ragged(line, i + 1, p->columns, !cell.last, p->err);
        if (p->order[i] == SIZE_MAX) continue;
        if (!hr_inference_add(p->inferences[p->order[i]], p->arena, cell.text, cell.size))
            return hr_fail_memory(p->err);
    }
    return HR_OK;
}

static hr_status gather_csv(schema_inference *p, hr_byte_source *source, const char *label) {
    hr_status status = hr_lines_start(&p->lines, source, true, p->err);
    if (!status) status = start_csv(p, label);
    while (!status) {
        while (!status && hr_cells_skip_empty(&p->lines)) {
            status = take_csv_record(p);
            p->rows++;
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
    while (p->count <= entry->index) {
        hr_buffer name = {0};
        hr_buffer_format(&name, "f%zu", p->count);
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
        hr_inference *inference = p->inferences[entry.index];
        if (inference->last_row == p->rows + 1) return hr_libsvm_refuse_twice(&p->lines, &entry, p->err);
        inference->last_row = p->rows + 1;
        if (!hr_inference_add(inference, p->arena, entry.text, entry.size)) return hr_fail_memory(p->err);
    }
}

static hr_status gather_libsvm(schema_inference *p, hr_byte_source *source, const char *label) {
    hr_status status = hr_libsvm_check_options(p->options, p->err);
    if (!status) status = hr_lines_start(&p->lines, source, false, p->err);
    if (!status && !p->sources) status = add_inference(p, label ? label : "label");
    while (!status) {
        status = hr_lines_more(&p->lines, p->err);
        if (p->lines.at == p->lines.limit) break;
        while (!status && hr_libsvm_skip_empty(&p->lines)) {
            status = take_libsvm_record(p);
            p->rows++;
        }
    }
    return status;
}

/* What is absent is 0. */
static hr_status add_absent(schema_inference *p) {
    for (size_t i = 1; i < p->count; i++) {
        if (p->inferences[i]->cells < p->rows && !hr_inference_add(p->inferences[i], p->arena, "0", 1))
            return hr_fail_memory(p->err);
    }
    return HR_OK;
}

/* ---- The proposal ---- */

/* The spellings of missing that columns of numbers were found to use. */
static hr_status gather_missing(schema_inference *p) {
    for (size_t s = 0; s < HR_INFERENCE_SPELLINGS; s++) {
        const char *word = hr_inference_spelling(s);
        bool used = false;
        for (size_t i = 0; i < p->count; i++)
            used |= *p->inferences[i]->name && hr_inference_has_missing(p->inferences[i]) &&
                    p->inferences[i]->spelled[s];
        if (!used) continue;
        if (!hr_string_map_add(&p->missing, word, strlen(word), 0)) return hr_fail_memory(p->err);
        p->missing_list[p->missing_count++] = word;
    }
    return HR_OK;
}

/* The format is UTF-8; tables may be anything. */
static hr_status check_utf8(const hr_column *column, hr_error *err) {
    bool valid = hr_utf8_valid(column->name, strlen(column->name));
    for (size_t i = 0; i < column->value_count && valid; i++)
        valid = hr_utf8_valid(column->values[i], strlen(column->values[i]));
    if (valid) return HR_OK;
    hr_fail(err, HR_E_FORMAT, "convert the table to UTF-8, for example with iconv",
            "the name or a value of the column is not UTF-8");
    return hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, column->name);
}

/* Whether another column has the name of a part of this one, if it is a date. */
static bool part_is_taken(const schema_inference *p, const char *name) {
    const size_t size = strlen(name);
    hr_date_part part;
    for (size_t i = 0; i < p->count; i++) {
        const char *other = p->inferences[i]->name;
        if (strncmp(other, name, size) == 0 && other[size] == '.' && hr_date_part_find(other + size + 1, &part))
            return true;
    }
    return false;
}

static bool is_boolean_or_date(const schema_inference *p, const hr_inference *inference) {
    const hr_inferred_text text = hr_text_inference_kind(&inference->text);
    return text == HR_INFERRED_BOOLEAN ||
           (text == HR_INFERRED_DATE && !part_is_taken(p, inference->name));
}

static hr_status write_boolean_or_date(const hr_inference *inference, bool spelled, hr_buffer *out,
                                       hr_error *err) {
    const hr_column named = {.name = inference->name};
    hr_status status = check_utf8(&named, err);
    if (!status) hr_text_inference_write(&inference->text, inference->name, spelled, out);
    return status;
}

static hr_status write_column(const schema_inference *p, size_t i, hr_buffer *out) {
    hr_inference *inference = p->inferences[i];
    hr_column column;
    const char *remark = NULL;
    bool spelled = false, is_label = i == p->label;
    hr_status status = HR_OK;
    for (size_t s = 0; s < HR_INFERENCE_SPELLINGS; s++)
        spelled |= hr_inference_has_missing(inference) && inference->spelled[s];
    if (!is_label && is_boolean_or_date(p, inference))
        return write_boolean_or_date(inference, spelled, out, p->err);
    if (is_label) status = hr_inference_label(inference, &p->missing, &column, &remark, p->err);
    if (!is_label) hr_inference_feature(inference, &p->missing, &column, &remark);
    if (!status) status = check_utf8(&column, p->err);
    if (status) return status;
    if (remark) hr_buffer_format(out, "%s# %s\n", is_label ? "" : "  ", remark);
    const char *review = column.kind == HR_KIND_NUMBER ? "low, high, missing" : "values, missing";
    hr_schema_write_column(out, &column, is_label, spelled ? review : NULL);
    return HR_OK;
}

static hr_status write_inferred(const schema_inference *p, hr_buffer *out) {
    size_t features = 0;
    hr_buffer_text(out,
                   "# A proposal, read from private records. Replace every bound and list of values under a "
                   "REVIEW by what is publicly\n"
                   "# known, and delete the line of the REVIEW; until then training refuses this schema.\n"
                   "hedgerow-schema: 1\n");
    hr_status status = write_column(p, p->label, out);
    hr_buffer_text(out, "features:\n");
    for (size_t i = 0; i < p->count && !status; i++) {
        if (i == p->label || (p->first.count && p->first.dropped[i])) continue;
        if (!*p->inferences[i]->name) {
            hr_buffer_format(out, "  # column %zu has no name and is left out\n", i + 1);
            continue;
        }
        status = write_column(p, i, out);
        features++;
    }
    hr_schema_write_missing(out, p->missing_list, p->missing_count);
    if (!status && !features)
        status = hr_fail(p->err, HR_E_SCHEMA, "", "the table has no column besides the label");
    if (!status && features > HR_FEATURES_MAX) {
        status = hr_fail(p->err, HR_E_LIMIT, "remove some", "%zu features; at most %d are allowed", features,
                         HR_FEATURES_MAX);
    }
    return status;
}

static hr_status infer_source(schema_inference *p, hr_byte_source *source, const char *label) {
    hr_format format = hr_read_format(p->options);
    hr_status status = hr_libsvm_find_format(source, &format, p->err);
    if (!status && p->sources && format != p->format)
        status = hr_fail(p->err, HR_E_FORMAT, "give all files one format, or say which with --format",
                         "one file is CSV, and one LIBSVM");
    p->format = format;
    if (!status)
        status = format == HR_FORMAT_LIBSVM ? gather_libsvm(p, source, label) : gather_csv(p, source, label);
    p->sources++;
    return status;
}

static hr_status infer_path(schema_inference *p, const char *path, const char *label) {
    hr_byte_source source;
    hr_status status = hr_byte_source_open(&source, path, p->err);
    if (!status) status = infer_source(p, &source, label);
    hr_byte_source_done(&source);
    return status ? hr_fail_at(p->err, status, path, 0, 0, NULL) : HR_OK;
}

static hr_status propose_schema(schema_inference *p, hr_buffer *out) {
    hr_status status = HR_OK;
    if (!p->rows) return hr_fail(p->err, HR_E_SCHEMA, "", "the table has no records");
    if (p->format == HR_FORMAT_LIBSVM) status = add_absent(p);
    if (!status) status = gather_missing(p);
    return status ? status : write_inferred(p, out);
}

static void free_inferences(schema_inference *p) {
    for (size_t i = 0; i < p->count; i++) hr_inference_done(p->inferences[i]);
    hr_string_map_done(&p->missing);
    free(p->inferences);
    hr_arena_free(p->arena);
}

hr_status hr_schema_infer_all(const char *const *paths, size_t count, const hr_read_options *options,
                              const char *label, char **yaml, hr_error *err) {
    hr_read_options ours;
    hr_buffer out = {0};
    hr_status status = hr_read_options_take(options, &ours, err);
    if (status) return status;
    if (!count) return hr_fail(err, HR_E_ARGUMENT, "name at least one", "there is no file to read");
    schema_inference p = {.options = &ours, .arena = hr_arena_new(), .err = err};
    if (!p.arena) status = hr_fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) status = infer_path(&p, paths[i], label);
    if (!status) {
        status = propose_schema(&p, &out);
        if (!status) status = hr_buffer_take(&out, yaml, err);
        if (status) hr_fail_at(err, status, count == 1 ? paths[0] : NULL, 0, 0, NULL);
    }
    hr_buffer_done(&out);
    free_inferences(&p);
    return status ? hr_fail_at(err, status, count == 1 ? ours.name : NULL, 0, 0, NULL) : HR_OK;
}

hr_status hr_schema_infer(const char *path, hr_format format, const char *label, char **yaml, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = format;
    return hr_schema_infer_all(&path, 1, &options, label, yaml, err);
}
