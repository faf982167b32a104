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
enum { GROUPS_MAX = HR_GATHERING_ARENAS, CELLS_AT_ONCE = 1 << 15, CELLS_A_LINE = 4 };

typedef struct csv_cells {
    hr_gathering *g;
    hr_cell_text *cells; /* by column: `stride` each */
    uint32_t *ends;      /* of the cells of a record */
    size_t records;      /* in `cells` */
    size_t room;         /* records */
    size_t stride; /* an odd number of lines of the processor's cache, which do not displace each other */
    size_t groups; /* of neighbouring columns */
    int threads;
    bool failed[GROUPS_MAX]; /* memory was short */
} csv_cells;

/* Has room for a record at least. Fails: as hr_threads, MEMORY. */
static hr_status init_cells(csv_cells *c, hr_gathering *g) {
    const size_t columns = g->columns;
    *c = (csv_cells){.g = g,
                     .room = columns < CELLS_AT_ONCE ? CELLS_AT_ONCE / columns : 1,
                     .groups = columns < GROUPS_MAX ? columns : GROUPS_MAX};
    c->stride = c->room < CELLS_A_LINE ? c->room : (c->room / CELLS_A_LINE | 1) * CELLS_A_LINE;
    if (c->room > c->stride) c->room = c->stride;
    c->cells = hr_arena_alloc(g->arena, c->stride * columns, sizeof *c->cells);
    c->ends = hr_arena_alloc(g->arena, columns, sizeof *c->ends);
    for (size_t k = 0; c->cells && k < c->groups; k++)
        if (!g->arenas[k] && !(g->arenas[k] = hr_arena_new())) return hr_fail_memory(g->err);
    return c->cells && c->ends ? hr_threads_of(g->reading.threads, &c->threads, g->err)
                               : hr_fail_memory(g->err);
}

static void look_at_groups(void *of, size_t member, size_t begin, size_t end) {
    csv_cells *c = of;
    hr_gathering *g = c->g;
    const hr_row_sample *sample = &g->all.sample;
    const size_t row = (size_t)(g->all.rows - c->records);
    (void)member;
    for (size_t k = begin; k < end; k++) {
        const size_t first = k * g->columns / c->groups, past = (k + 1) * g->columns / c->groups;
        for (size_t i = first; i < past; i++) {
            const hr_cell_text *cells = c->cells + i * c->stride;
            const size_t column = g->order[i];
            if (column == SIZE_MAX) continue;
            for (size_t r = 0; r < c->records && row + r < sample->rows; r++)
                if (cells[r].size)
                    hr_row_sample_set(sample, row + r, column, hr_cell_hash(cells[r].text, cells[r].size));
            c->failed[k] |= !hr_inference_add_cells(g->all.columns[column], g->arenas[k], cells, c->records);
        }
    }
}

static hr_status look_at_cells(csv_cells *c) {
    hr_gathering *g = c->g;
    const uint64_t row = g->all.rows - c->records;
    if (!hr_row_sample_reserve(&g->all.sample, g->all.rows)) return hr_fail_memory(g->err);
    for (size_t i = 0; i < g->columns && row < HR_LABEL_SAMPLE; i++) {
        const hr_cell_text *cells = c->cells + i * c->stride;
        for (size_t r = 0; r < c->records && g->order[i] != SIZE_MAX; r++)
            hr_label_sample_add(&g->all.labels, g->order[i], row + r, cells[r].text, cells[r].size);
    }
    hr_team_share((size_t)c->threads, c->groups, 1, look_at_groups, c);
    c->records = 0;
    for (size_t k = 0; k < c->groups; k++)
        if (c->failed[k]) return hr_fail_memory(g->err);
    return HR_OK;
}

static bool has_blanks(const char *at, size_t size) {
    return size && (*at == ' ' || *at == '\t' || at[size - 1] == ' ' || at[size - 1] == '\t');
}

/* Takes cells from column i on, as far as they stand between separators without blanks or quotation marks.
 * Returns the column in which something else stands. */
static size_t take_plain_cells(csv_cells *c, size_t i) {
    hr_lines *lines = &c->g->lines;
    const size_t columns = c->g->columns;
    const size_t count = lines->kernels->ends_of_cells(lines->at, lines->separator, columns - i, c->ends);
    const char *at = lines->at;
    for (size_t k = 0; k < count; k++, i++) {
        const char *end = lines->at + c->ends[k];
        const size_t size = (size_t)(end - at);
        if (i + 1 == columns && *end == '\r') end++;
        if (has_blanks(at, size) || *end != (i + 1 < columns ? lines->separator : '\n')) break;
        c->cells[i * c->stride + c->records] = (hr_cell_text){at, size};
        at = end + 1;
    }
    lines->at += at - lines->at;
    if (i < columns) return i;
    lines->line++;
    lines->line_start = lines->at;
    return i;
}

static hr_status take_csv_record(csv_cells *c) {
    hr_gathering *g = c->g;
    const uint64_t line = g->lines.line;
    for (size_t i = take_plain_cells(c, 0); i < g->columns;) {
        hr_csv_cell cell;
        hr_status status = hr_cells_next(&g->lines, &cell, g->err);
        if (status) return status;
        if (cell.last != (i + 1 == g->columns))
            return hr_csv_refuse_ragged(line, i + 1, g->columns, !cell.last, g->err);
        c->cells[i * c->stride + c->records] = (hr_cell_text){cell.text, cell.size};
        if (++i < g->columns) i = take_plain_cells(c, i);
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
    .start = hr_csv_start_records,
    .read = hr_csv_read,
    .gather = gather_csv,
};
