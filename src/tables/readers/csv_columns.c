/* Columns are found by name, in any order. */
#include "tables/readers/csv_columns.h"

#include "base/fail.h"

#include <string.h>

static hr_status refuse_slot(const hr_csv_columns *c, const char *name, hr_error *err) {
    for (size_t i = 0; i < c->header.count; i++) {
        if (strcmp(c->header.names[i], name) != 0) continue;
        hr_fail(err, HR_E_SCHEMA, "do not drop it", "the schema names this column, which is to be dropped");
        return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
    }
    return hr_csv_refuse_missing(&c->header, name, err);
}

static hr_status refuse_twice(const char *name, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
    return hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, name);
}

static hr_status map_slot(hr_csv_columns *c, const hr_string_map *names, const hr_slot *slot, bool optional,
                          hr_error *err) {
    const char *name = hr_slot_column(slot);
    uint32_t at = hr_string_map_find(names, name, strlen(name));
    if (at == HR_STRING_MAP_NONE) return optional ? HR_OK : refuse_slot(c, name, err);
    if (c->twice[at]) return refuse_twice(name, err);
    c->slots[at] = slot;
    return HR_OK;
}

static hr_status refuse_kept(const char *name, const char *message, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "name each column that is to be kept once, as the first line has it", "%s",
            message);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
}

/* Takes the columns that are kept away from the short way of reading numbers. */
static hr_status map_kept(hr_csv_columns *c, const hr_string_map *names, hr_reading *reading, hr_error *err) {
    const hr_read_options *options = reading->options;
    hr_data *data = reading->table.data;
    if (options->kept_count && !data->kept) data->kept = hr_kept_new(options->kept_count);
    if (options->kept_count && !data->kept) return hr_fail_memory(err);
    for (size_t k = 0; k < options->kept_count; k++) {
        const char *name = options->kept[k];
        uint32_t at = hr_string_map_find(names, name, strlen(name));
        if (at == HR_STRING_MAP_NONE)
            return refuse_kept(name, "this column is to be kept, and the table has none of that name", err);
        if (c->kept_places[at]) return refuse_kept(name, "this column is to be kept twice", err);
        if (c->twice[at]) return refuse_twice(name, err);
        c->kept_places[at] = k + 1;
        c->kept_slots[at] = c->slots[at];
        c->slots[at] = NULL;
    }
    return HR_OK;
}

static hr_status map_names(const hr_csv_columns *c, hr_string_map *names, hr_error *err) {
    for (size_t i = 0; i < c->header.count; i++) {
        const char *name = c->header.names[i];
        if (c->header.dropped[i]) continue;
        uint32_t at = hr_string_map_find(names, name, strlen(name));
        if (at != HR_STRING_MAP_NONE)
            c->twice[at] = true;
        else if (!hr_string_map_add(names, name, strlen(name), (uint32_t)i))
            return hr_fail_memory(err);
    }
    return HR_OK;
}

/* The first file says what the table has; every other must have the same. */
static hr_status take_header(const hr_csv_columns *c, hr_reading *reading, hr_error *err) {
    size_t *order;
    if (reading->sources)
        return hr_csv_match_header(&reading->first, &c->header, reading->arena, &order, err);
    reading->first = c->header;
    for (size_t i = 0; i < c->header.count; i++) {
        reading->labelled |= c->slots[i] == hr_table_label(&reading->table);
        reading->table.data->extra += !c->slots[i];
    }
    return HR_OK;
}

static bool has_plain_numbers(const hr_csv_columns *c, size_t column) {
    return c->slots[column] && c->slots[column]->role == HR_SLOT_NUMBER;
}

static void find_number_runs(const hr_csv_columns *c) {
    const size_t last = c->header.count - 1;
    c->run_ends[last] = last;
    for (size_t i = last; i-- > 0;) c->run_ends[i] = has_plain_numbers(c, i) ? c->run_ends[i + 1] : i;
}

static bool init_columns(hr_csv_columns *c, hr_arena *arena) {
    const size_t count = c->header.count;
    return (c->slots = hr_arena_alloc(arena, count, sizeof *c->slots)) &&
           (c->twice = hr_arena_alloc(arena, count, sizeof *c->twice)) &&
           (c->kept_slots = hr_arena_alloc(arena, count, sizeof *c->kept_slots)) &&
           (c->kept_places = hr_arena_alloc(arena, count, sizeof *c->kept_places)) &&
           (c->run_ends = hr_arena_alloc(arena, count, sizeof *c->run_ends));
}

hr_status hr_csv_map_columns(hr_reading *reading, const hr_csv_header *header, hr_csv_columns *out,
                             hr_error *err) {
    hr_csv_columns c = {.header = *header};
    hr_table *table = &reading->table;
    const hr_slot *label = hr_table_label(table), *unit = hr_table_unit(table);
    const bool label_optional = reading->options->label_optional;
    hr_string_map names = {0};
    if (!init_columns(&c, reading->arena)) return hr_fail_memory(err);
    hr_status status = map_names(&c, &names, err);
    for (const hr_slot *slot = table->slots; slot <= label && !status; slot += hr_slot_span(slot))
        status = map_slot(&c, &names, slot, slot == label && label_optional, err);
    if (!status && unit) status = map_slot(&c, &names, unit, false, err);
    if (!status) status = take_header(&c, reading, err);
    if (!status) status = map_kept(&c, &names, reading, err);
    if (!status) find_number_runs(&c);
    hr_string_map_done(&names);
    *out = c;
    return status;
}
