/* The public way in: opens one source after the other, looks which format it is, and hands over to that
 * format's reader. */
#include "tables/formats/byte_ranges.h"
#include "tables/formats/formats.h"

#include "base/fail.h"
#include "tables/data/misfits.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

hr_status hr_read_options_take(const hr_read_options *given, hr_read_options *out, hr_error *err) {
    static const hr_sized kind = {sizeof *out, sizeof out->size, "start from HR_READ_OPTIONS_INIT"};
    *out = (hr_read_options)HR_READ_OPTIONS_INIT;
    hr_status status = given ? hr_sized_take(&kind, given, out, err) : HR_OK;
    if (status) return status;
    if (!hr_table_format_exists(out->format))
        return hr_fail(err, HR_E_ARGUMENT, kind.remedy, "there is no format %d", (int)out->format);
    if (out->separator < HR_SEPARATOR_AUTO || out->separator > HR_SEPARATOR_PIPE)
        return hr_fail(err, HR_E_ARGUMENT, kind.remedy, "there is no separator %d", (int)out->separator);
    if (out->quote < HR_QUOTE_DOUBLE || out->quote > HR_QUOTE_NONE)
        return hr_fail(err, HR_E_ARGUMENT, kind.remedy, "there is no kind of quoting %d", (int)out->quote);
    if (out->query && (out->quote || out->skip_lines))
        return hr_fail(err, HR_E_ARGUMENT, "leave --quote and --skip-lines out",
                       "a database answers with cells, not with lines");
    if (out->threads < 0)
        return hr_fail(err, HR_E_ARGUMENT, "give 0 for as many processors as it may use", "%d threads",
                       out->threads);
    return HR_OK;
}

/* ---- Sources ---- */

static hr_status start_reading(hr_reading *reading, const hr_schema *schema, const hr_read_options *options,
                               hr_error *err) {
    hr_timings_enter(options->timings, HR_PHASE_READ);
    *reading = (hr_reading){.options = options, .arena = hr_arena_new()};
    hr_status status = reading->arena ? hr_table_init(&reading->table, schema, err) : hr_fail_memory(err);
    if (status) return status;
    if (options->without_exposure) hr_table_leave_exposure(&reading->table);
    hr_origins *origins = calloc(1, sizeof *origins);
    if (!origins) return hr_fail_memory(err);
    origins->may_repeat =
        options->label_optional; /* a prediction is of one record, whatever the others are */
    origins->may_be_equal = options->allow_equal_files;
    reading->table.data->origins = origins;
    return HR_OK;
}

/* Hands the table over unless something failed. */
static hr_status finish_reading(hr_reading *reading, hr_status status, hr_data **out, hr_error *err) {
    const hr_slot *label = status ? NULL : hr_table_label(&reading->table);
    const hr_column_report *report = label ? &reading->table.data->reports[label->index] : NULL;
    /* Labels that do not fit are no labels for a fit. */
    if (reading->options->misfits && report && (report->unknown || report->missing))
        reading->labelled = false;
    if (!status) status = hr_table_take(&reading->table, reading->labelled, out, err);
    hr_table_done(&reading->table);
    hr_arena_free(reading->arena);
    hr_timings_leave(reading->options->timings);
    return status;
}

static hr_status read_source(hr_reading *reading, hr_byte_source *source, hr_error *err) {
    const hr_table_format *format;
    hr_status status = hr_table_format_find(reading->options, source, &format, err);
    if (!status && reading->format && format != reading->format)
        status = hr_fail(err, HR_E_FORMAT, "give all files one format, or say which with --format",
                         "the first file is %s, this one %s", reading->format->name, format->name);
    if (!status) status = hr_table_format_check(format, reading->options, err);
    reading->format = format;
    if (!status) status = format->read(reading, source, err);
    reading->sources++;
    return status;
}

/* Names of the columns that the schema or the options name. */
typedef struct named_columns {
    hr_reading *reading;
    hr_string_map names;
    bool failed; /* memory was short: then all are read */
} named_columns;

static void add_named(named_columns *n, const char *name) {
    const size_t size = name ? strlen(name) : 0;
    if (!name || hr_string_map_find(&n->names, name, size) != HR_STRING_MAP_NONE) return;
    n->failed |= !hr_string_map_add(&n->names, name, size, 0);
}

static void add_slot(named_columns *n, const hr_slot *slot) {
    if (slot) add_named(n, hr_slot_column(slot));
}

static void add_all_named(named_columns *n) {
    hr_table *table = &n->reading->table;
    for (size_t i = 0; i < table->slot_count; i++) add_slot(n, &table->slots[i]);
    add_slot(n, hr_table_unit(table));
    add_slot(n, hr_table_weight(table));
    add_slot(n, hr_table_exposure(table));
    add_slot(n, hr_table_event(table));
    for (size_t k = 0; k < n->reading->options->kept_count; k++) add_named(n, n->reading->options->kept[k]);
}

static bool is_named(const void *of, const char *name, size_t size) {
    const named_columns *n = of;
    return n->failed || hr_string_map_find(&n->names, name, size) != HR_STRING_MAP_NONE;
}

/* range: NULL: all of it. */
static hr_status read_path(hr_reading *reading, const char *path, const char *name, hr_byte_range *range,
                           hr_error *err) {
    const hr_read_options *options = reading->options;
    named_columns named = {.reading = reading};
    const hr_table_place place = {.path = path,
                                  .query = options->query,
                                  .as_written = options->quote || options->skip_lines,
                                  .columns = {is_named, &named},
                                  .groups = range && range->of_groups ? range : NULL};
    hr_byte_source source;
    hr_data *data = reading->table.data;
    const uint64_t before = hr_reading_rows(reading) + data->skipped;
    reading->range = range;
    add_all_named(&named);
    hr_status status = hr_table_open(&place, data->origins, &source, err);
    hr_string_map_done(&named.names);
    if (!status) {
        hr_misfits *misfits = reading->options->misfits;
        status = read_source(reading, &source, err);
        const uint64_t records = hr_reading_rows(reading) + data->skipped - before;
        if (range) range->records = records;
        /* Of a range the content is not known here. */
        if (!status) status = hr_origins_finish(data->origins, !range && records, err);
        hr_error *first = misfits ? hr_misfits_without_file(misfits) : NULL;
        if (first) hr_table_source_fail_at(&place, name, first->status, first);
        if (status && !reading->work_failed) hr_table_source_fail_at(&place, name, status, err);
    }
    hr_byte_source_done(&source);
    return status;
}

/* After all sources: whether each column that is to be dropped was in one of them. only: the only one, or
 * NULL. */
static hr_status check_dropped(const hr_reading *reading, const char *only, hr_error *err) {
    const hr_table_place place = {.path = only, .query = reading->options->query};
    if (!reading->first.absent_count) return HR_OK;
    hr_status status = hr_csv_refuse_missing(&reading->first, reading->first.absent[0], err);
    if (only) hr_table_source_fail_at(&place, reading->options->name, status, err);
    return status;
}

/* A reader of text would find no text there. */
static hr_status refuse_cache(const char *path, hr_error *err) {
    if (!hr_data_is_binned(path)) return HR_OK;
    hr_fail(err, HR_E_POLICY, "give the table itself",
            "a binned cache has bins and no values: it is for training alone, by one owner in one process");
    return hr_fail_at(err, HR_E_POLICY, path, 0, 0, NULL);
}

static hr_status check_paths(const hr_table_part *table, hr_error *err) {
    hr_status status = HR_OK;
    if (!table->count) return hr_fail(err, HR_E_ARGUMENT, "name at least one", "there is no file to read");
    for (size_t i = 0; !status && i < table->count; i++) status = refuse_cache(table->paths[i], err);
    return status;
}

static hr_status read_paths(hr_reading *reading, const hr_table_part *table, hr_error *err) {
    const char *name = table->count == 1 ? reading->options->name : NULL;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < table->count; i++)
        status = read_path(reading, table->paths[i], name, table->ranges ? &table->ranges[i] : NULL, err);
    return status ? status : check_dropped(reading, table->count > 1 ? NULL : table->paths[0], err);
}

hr_status hr_data_read_part(const hr_schema *schema, const hr_table_part *part,
                            const hr_read_options *options, hr_data **out, hr_error *err) {
    hr_read_options ours;
    hr_reading reading;
    hr_status status = hr_read_options_take(options, &ours, err);
    if (!status) status = check_paths(part, err);
    if (status) return status;
    status = start_reading(&reading, schema, &ours, err);
    reading.table.persons.key = part->key;
    if (!status) status = read_paths(&reading, part, err);
    return finish_reading(&reading, status, out, err);
}

hr_status hr_data_read_all(const hr_schema *schema, const char *const *paths, size_t count,
                           const hr_read_options *options, hr_data **out, hr_error *err) {
    const hr_table_part all = {.paths = paths, .count = count};
    return hr_data_read_part(schema, &all, options, out, err);
}

hr_status hr_data_stream(const hr_schema *schema, const char *const *paths, size_t count,
                         const hr_block_work *work, hr_data **out, hr_error *err) {
    const hr_table_part table = {.paths = paths, .count = count};
    hr_read_options ours;
    hr_reading reading;
    hr_status status = hr_read_options_take(work->reading, &ours, err);
    if (!status) status = check_paths(&table, err);
    if (status) return status;
    status = start_reading(&reading, schema, &ours, err);
    reading.work = work;
    if (!status) status = read_paths(&reading, &table, err);
    const size_t rows = reading.worked;
    reading.labelled = false; /* no labels are left */
    status = finish_reading(&reading, status, out, err);
    if (!status) (*out)->whole = (hr_data_whole){.rows = rows};
    return status;
}

hr_status hr_data_read(const hr_schema *schema, const char *path, const hr_read_options *options,
                       hr_data **out, hr_error *err) {
    return hr_data_read_all(schema, &path, 1, options, out, err);
}

hr_status hr_data_parse(const hr_schema *schema, const char *bytes, size_t size,
                        const hr_read_options *options, hr_data **out, hr_error *err) {
    hr_read_options ours;
    hr_reading reading;
    hr_byte_source source;
    hr_status status = hr_read_options_take(options, &ours, err);
    if (status) return status;
    status = start_reading(&reading, schema, &ours, err);
    if (!status) {
        status = hr_byte_source_open_memory(&source, bytes, size, err);
        if (!status) status = read_source(&reading, &source, err);
        if (!status) status = check_dropped(&reading, NULL, err);
        hr_byte_source_done(&source);
    }
    status = finish_reading(&reading, status, out, err);
    return status ? hr_fail_at(err, status, ours.name, 0, 0, NULL) : HR_OK;
}
