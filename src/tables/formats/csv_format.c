/* The row of CSV, and the proposal of a schema for it; tables/readers has what reads it. */
#include "tables/formats/formats.h"

#include "base/fail.h"
#include "base/team.h"
#include "base/threads.h"
#include "tables/readers/cells.h"
#include "tables/schema/check.h"

#include <string.h>

/* Columns that are left out in the end count, too: they are known only when all has been read. */
static hr_status check_column_count(const hr_gathering *g, const hr_csv_header *header) {
    size_t count = 0;
    for (size_t i = 0; i < header->count; i++) {
        count += !header->dropped[i];
        if (count <= (size_t)HR_FEATURES_MAX + 1) continue;
        hr_fail(g->err, HR_E_LIMIT, "remove columns from there on, or leave some out by --drop",
                "the table has %zu columns; a label and %d features are allowed", header->count,
                HR_FEATURES_MAX);
        return hr_fail_at(g->err, HR_E_LIMIT, NULL, 0, 0, header->names[i]);
    }
    return HR_OK;
}

/* An inference for each column; what is dropped gets none of its cells. */
static hr_status add_csv_columns(hr_gathering *g) {
    const hr_csv_header *header = &g->first;
    const char *label = g->options->label ? g->options->label : "label";
    hr_string_map names = {0};
    hr_status status = check_column_count(g, header);
    g->all.dropped = header->dropped;
    for (size_t i = 0; !status && i < header->count; i++) {
        const char *name = header->names[i];
        status = hr_gathering_add(g, header->dropped[i] ? "" : name);
        if (status || !*name || header->dropped[i]) continue;
        if (hr_string_map_find(&names, name, strlen(name)) != HR_STRING_MAP_NONE) {
            hr_fail(g->err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
            status = hr_fail_at(g->err, HR_E_FORMAT, NULL, 0, 0, name);
        } else if (!hr_string_map_add(&names, name, strlen(name), (uint32_t)i)) {
            status = hr_fail_memory(g->err);
        }
    }
    if (!status && !hr_label_sample_init(&g->all.labels, g->arena, header->count))
        status = hr_fail_memory(g->err);
    g->all.sample.columns = header->count;
    g->all.label = hr_string_map_find(&names, label, strlen(label));
    hr_string_map_done(&names);
    if (!status && g->all.label == HR_STRING_MAP_NONE) return hr_csv_refuse_missing(header, label, g->err);
    return status;
}

static hr_status start_csv(hr_gathering *g) {
    hr_csv_header header;
    hr_status status = hr_csv_read_header(&g->lines, &g->reading, g->arena, &header, g->err);
    if (status) return status;
    g->columns = header.count;
    if (!g->sources) {
        g->first = header;
        status = add_csv_columns(g);
    }
    hr_csv_note_dropped(&g->first, &header);
    return status ? status : hr_csv_match_header(&g->first, &header, g->arena, &g->order, g->err);
}

/* ---- Cells ---- */

/* Cells are looked at column by column, some thousands at a time, and columns by several threads: each sees
 * its cells in their order, so that nothing depends on the number of threads. */
enum { GROUPS_MAX = HR_GATHERING_ARENAS, CELLS_AT_ONCE = 1 << 15 };

typedef struct csv_cells {
    hr_gathering *g;
    hr_seen_cell *cells; /* by record */
    size_t records;      /* in `cells` */
    size_t room;         /* records */
    size_t groups;       /* of neighbouring columns */
    int threads;
    bool failed[GROUPS_MAX]; /* memory was short */
} csv_cells;

/* Has room for a record at least. Fails: as hr_threads, MEMORY. */
static hr_status init_cells(csv_cells *c, hr_gathering *g) {
    const size_t columns = g->columns;
    *c = (csv_cells){.g = g,
                     .room = columns < CELLS_AT_ONCE ? CELLS_AT_ONCE / columns : 1,
                     .groups = columns < GROUPS_MAX ? columns : GROUPS_MAX};
    c->cells = hr_arena_alloc(g->arena, c->room * columns, sizeof *c->cells);
    for (size_t k = 0; c->cells && k < c->groups; k++) {
        if (g->arenas[k]) continue;
        g->arenas[k] = hr_arena_new();
        if (!g->arenas[k]) return hr_fail_memory(g->err);
    }
    return c->cells ? hr_threads_of(g->reading.threads, &c->threads, g->err) : hr_fail_memory(g->err);
}

static void look_at_groups(void *of, size_t member, size_t begin, size_t end) {
    csv_cells *c = of;
    hr_gathering *g = c->g;
    (void)member;
    for (size_t k = begin; k < end; k++) {
        const size_t first = k * g->columns / c->groups, past = (k + 1) * g->columns / c->groups;
        for (size_t i = first; i < past; i++) {
            if (g->order[i] == SIZE_MAX) continue;
            c->failed[k] |= !hr_inference_add_cells(g->all.columns[g->order[i]], g->arenas[k], c->cells + i,
                                                    g->columns, c->records);
        }
    }
}

static hr_status look_at_cells(csv_cells *c) {
    hr_team_share((size_t)c->threads, c->groups, 1, look_at_groups, c);
    c->records = 0;
    for (size_t k = 0; k < c->groups; k++)
        if (c->failed[k]) return hr_fail_memory(c->g->err);
    return HR_OK;
}

static hr_status take_csv_record(csv_cells *c) {
    hr_gathering *g = c->g;
    hr_seen_cell *cells = c->cells + c->records * g->columns;
    hr_csv_cell cell = {0};
    uint64_t line = g->lines.line;
    for (size_t i = 0; !cell.last; i++) {
        hr_status status = hr_cells_next(&g->lines, &cell, g->err);
        if (status) return status;
        if (cell.last != (i + 1 == g->columns))
            return hr_csv_refuse_ragged(line, i + 1, g->columns, !cell.last, g->err);
        cells[i] = (hr_seen_cell){cell.text, cell.size};
        if (g->order[i] == SIZE_MAX) continue;
        hr_label_sample_add(&g->all.labels, g->order[i], g->all.rows, cell.text, cell.size);
        if (!hr_row_sample_add(&g->all.sample, g->all.rows, g->order[i], cell.text, cell.size))
            return hr_fail_memory(g->err);
    }
    g->all.rows++;
    return ++c->records < c->room ? HR_OK : look_at_cells(c);
}

static hr_status gather_csv(hr_gathering *g, hr_byte_source *source) {
    csv_cells cells;
    hr_status status = hr_csv_start(&g->lines, source, &g->reading, g->err);
    if (!status) status = start_csv(g);
    if (!status) status = init_cells(&cells, g);
    while (!status) {
        while (!status && hr_cells_skip_empty(&g->lines)) status = take_csv_record(&cells);
        if (!status) status = look_at_cells(&cells);
        if (!status) status = hr_lines_more(&g->lines, g->err);
        if (g->lines.at == g->lines.limit) break;
    }
    return status;
}

const hr_table_format hr_csv_format = {
    .number = HR_FORMAT_CSV,
    .name = "CSV",
    .separated = true,
    .read = hr_csv_read,
    .gather = gather_csv,
};
