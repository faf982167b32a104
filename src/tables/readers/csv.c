/* CSV tables, by several threads.
 *
 * The source is cut into blocks of whole records in its order, by one thread at a time; then each parses its
 * block into rows of its own. Where a record begins is known from everything before it, quotation marks
 * included, so nothing is guessed, and a block has the same values whichever thread parses it. The rows of a
 * block begin behind as many rows as the blocks before it have lines at most; if some of these hold no
 * record, the rows are moved together afterwards. The error that counts is that of the first block that has
 * one.
 *
 * Where a work takes the records, each thread has rows that its blocks use again, and works on its block
 * while others read theirs. */
#include "base/team.h"
#include "base/threads.h"
#include "tables/readers/reading.h"

#include "base/fail.h"
#include "tables/readers/csv_block.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { READERS_MAX = HR_BLOCK_MEMBERS };

/* Rows of a block that was handed out. */
typedef struct row_range {
    size_t first, count;
} row_range;

typedef struct csv_file {
    hr_reading *reading;
    hr_csv_columns columns;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    hr_lines lines; /* what waits to be handed out */
    bool fetching;  /* a thread is about to get a block */
    bool ended;     /* no more blocks are handed out */
    size_t readers;
    int asked;         /* threads */
    bool ordered;      /* some cells depend on those of earlier records, or a work takes them in order */
    size_t handed_out; /* blocks */
    size_t finished;   /* of them; if they are ordered: the first ones */
    size_t next_row;   /* behind the rows of all blocks */
    size_t block_rows; /* of a work: rows that each reader has */
    row_range *ranges; /* of the blocks behind data->rows */
    size_t range_count, range_capacity;
    size_t failed; /* the first block with an error; SIZE_MAX: none */
    hr_error error;
} csv_file;

typedef struct csv_reader {
    csv_file *file;
    hr_csv_part part;
    hr_csv_block work; /* on its records */
    char *buffer;      /* for the source to go on with when it gives its own away */
    size_t capacity;
    size_t block, range; /* what it works on: counted from the beginning, and among the ranges */
} csv_reader;

/* ---- Rows ---- */

static hr_data *data_of(const csv_file *f) {
    return f->reading->table.data;
}

/* Rows of all blocks, none of which is being worked on. */
static void join_rows(csv_file *f) {
    hr_data *data = data_of(f);
    for (size_t i = 0; i < f->range_count; i++) {
        const row_range *range = &f->ranges[i];
        if (range->first != data->rows)
            hr_table_move(&f->reading->table, range->first, data->rows, range->count);
        data->rows += range->count;
    }
    f->range_count = 0;
    f->next_row = data->rows;
}

/* Makes room for `rows` more, or of a work for so many of each reader, once no thread writes to the columns.
 */
static hr_status make_room_for_block(csv_file *f, size_t rows, hr_error *err) {
    hr_table *table = &f->reading->table;
    if (f->reading->work ? rows <= f->block_rows : f->next_row + rows <= table->capacity) return HR_OK;
    while (f->finished < f->handed_out) pthread_cond_wait(&f->changed, &f->mutex);
    if (f->reading->work) {
        hr_status status = hr_table_reserve(table, rows * f->readers, err);
        f->block_rows = table->capacity / f->readers;
        return status;
    }
    join_rows(f);

    /* How many rows there will be if all that comes is like the block that waits, and a little more. */
    const hr_lines *lines = &f->lines;
    const size_t unread = hr_byte_source_left(lines->source);
    const double block = (double)(lines->limit - lines->at),
                 left = (double)unread + (double)(lines->source->end - lines->limit),
                 expected = (double)f->next_row + (double)rows * (1 + 1.03 * left / block);
    table->expected = unread && expected < (double)HR_ROWS_MAX ? (size_t)expected : 0;
    return hr_table_reserve(table, f->next_row + rows, err);
}

/* ---- Blocks ---- */

static void end_with_error(csv_file *f, size_t block, const csv_reader *reader) {
    if (block < f->failed) {
        f->failed = block;
        f->error = reader->part.error;
        f->reading->work_failed = reader->work.failed;
    }
    f->ended = true;
}

/* Of a block that begins behind all rows. False when memory is short. */
static bool add_range(csv_file *f) {
    if (f->range_count == f->range_capacity) {
        const size_t capacity = f->range_capacity ? 2 * f->range_capacity : 64;
        row_range *more = realloc(f->ranges, capacity * sizeof *more);
        if (!more) return false;
        f->ranges = more;
        f->range_capacity = capacity;
    }
    f->ranges[f->range_count++] = (row_range){f->next_row, 0};
    return true;
}

/* Gives the block that waits to a reader; it has `lines` lines, and at most `rows` records. */
static hr_status hand_out(csv_file *f, csv_reader *reader, size_t lines, size_t rows) {
    hr_csv_part *part = &reader->part;
    hr_status status = make_room_for_block(f, rows, &part->error);
    if (status || f->ended) return status;
    if (f->reading->work) {
        part->cursor.row = reader->work.block.member * f->block_rows;
        part->row_limit = part->cursor.row + f->block_rows;
        hr_csv_block_begin(&reader->work, part->cursor.row);
    } else {
        if (!add_range(f)) return hr_fail_memory(&part->error);
        reader->range = f->range_count - 1;
        part->cursor.row = f->next_row;
        part->row_limit = f->next_row + rows < HR_ROWS_MAX ? f->next_row + rows : HR_ROWS_MAX;
        f->next_row = part->row_limit;
    }

    part->lines = f->lines;
    f->lines.at = f->lines.limit;
    if (f->readers > 1) {
        f->lines.source->at = f->lines.limit;
        status = hr_byte_source_exchange(f->lines.source, &reader->buffer, &reader->capacity, &part->error);
        f->lines.at = f->lines.limit = f->lines.source->at;
    }
    f->lines.line += lines;
    return status;
}

/* Whether there was one. One reader at a time, so that the blocks are in order. A record has a byte for each
 * of its cells, but for one that is refused. */
static bool take_block(csv_file *f, csv_reader *reader) {
    hr_error *err = &reader->part.error;
    while (f->fetching) pthread_cond_wait(&f->changed, &f->mutex);
    if (f->ended) return false;
    f->fetching = true;
    if (f->finished == f->handed_out && !f->reading->work) join_rows(f);
    hr_status status = f->lines.at == f->lines.limit ? hr_lines_more(&f->lines, err) : HR_OK;
    if (!status && f->lines.at != f->lines.limit) {
        const size_t size = (size_t)(f->lines.limit - f->lines.at), cells = f->columns.header.count;
        const size_t lines = f->lines.kernels->count_bytes(f->lines.at, size, '\n');
        status = hand_out(f, reader, lines, lines <= size / cells ? lines : size / cells + 1);
    } else {
        f->ended = true;
    }
    if (status) end_with_error(f, f->handed_out, reader);
    const bool taken = !f->ended;
    if (taken) reader->block = f->handed_out++;
    f->fetching = false;
    pthread_cond_broadcast(&f->changed);
    return taken;
}

static void read_blocks(void *of, size_t member) {
    csv_reader *reader = (csv_reader *)of + member;
    csv_file *f = reader->file;
    hr_csv_part *part = &reader->part;
    pthread_mutex_lock(&f->mutex);
    while (take_block(f, reader)) {
        pthread_mutex_unlock(&f->mutex);
        hr_status status = hr_csv_read_records(part);
        if (!status && f->reading->work) status = hr_csv_block_work(&reader->work, f->reading, part);
        pthread_mutex_lock(&f->mutex);

        while (f->ordered && f->finished != reader->block) pthread_cond_wait(&f->changed, &f->mutex);
        if (!status && reader->block < f->failed && f->reading->work) {
            /* Nobody else ends a block meanwhile. */
            pthread_mutex_unlock(&f->mutex);
            status = hr_csv_block_finish(&reader->work, f->reading, &part->error);
            pthread_mutex_lock(&f->mutex);
        } else if (!status && reader->block < f->failed) {
            row_range *range = &f->ranges[reader->range];
            range->count = part->cursor.row - range->first;
            status = hr_table_take_late(&f->reading->table, &part->cursor, data_of(f), &part->error);
        }
        if (status) end_with_error(f, reader->block, reader);
        f->finished++;
        pthread_cond_broadcast(&f->changed);
    }
    pthread_mutex_unlock(&f->mutex);
}

/* ---- Readers ---- */

static bool init_reader(csv_file *f, csv_reader *reader, size_t member) {
    const hr_table *table = &f->reading->table;
    const size_t slots = table->slot_count + HR_BEHIND_LABEL, columns = f->columns.header.count;
    hr_arena *arena = f->reading->arena;
    hr_csv_part *part = &reader->part;
    *reader = (csv_reader){.file = f, .part = {.columns = &f->columns, .cursor = {.table = table}}};
    part->cursor.misfits = f->reading->options->misfits;
    part->numbers = hr_arena_alloc(arena, columns, sizeof *part->numbers);
    part->cursor.reports = hr_arena_alloc(arena, slots, sizeof *part->cursor.reports);
    if (f->reading->options->skip_unlabelled) {
        part->before = hr_arena_alloc(arena, slots, sizeof *part->before);
        if (!part->before) return false;
    }
    const int threads = f->readers > 1 ? 1 : f->asked;
    if (f->reading->work && !hr_csv_block_init(&reader->work, f->reading, member, threads)) return false;
    return part->numbers && part->cursor.reports;
}

static hr_status read_file(csv_file *f, hr_error *err) {
    const hr_status counted = hr_threads_of(f->reading->options->threads, &f->asked, err);
    if (counted) return counted;
    size_t count = f->asked > READERS_MAX ? READERS_MAX : (size_t)f->asked;
    if (f->lines.source->ended) count = 1;       /* suffices for what is in memory already */
    if (f->reading->options->misfits) count = 1; /* which gather in the order of the cells */
    csv_reader *readers = hr_arena_alloc(f->reading->arena, count, sizeof *readers);
    if (!readers) return hr_fail_memory(err);
    bool ready = true;
    f->readers = count;
    for (size_t i = 0; i < count && ready; i++) ready = init_reader(f, &readers[i], i);
    for (size_t i = 0; i < count && !ready; i++) hr_csv_block_done(&readers[i].work);
    if (!ready) return hr_fail_memory(err);

    hr_team_run(count, read_blocks, readers);
    if (!f->reading->work) join_rows(f);
    for (csv_reader *reader = readers; reader < readers + count; reader++) {
        const hr_csv_part *part = &reader->part;
        for (size_t i = 0; i < f->reading->table.slot_count + HR_BEHIND_LABEL; i++)
            hr_column_report_add(&data_of(f)->reports[i], &part->cursor.reports[i]);
        data_of(f)->skipped += part->skipped;
        hr_cursor_done(&reader->part.cursor);
        hr_csv_block_done(&reader->work);
        free(reader->buffer);
    }
    free(f->ranges);
    if (f->failed == SIZE_MAX) return HR_OK;
    if (err) *err = f->error;
    return f->error.status;
}

hr_status hr_csv_read(hr_reading *reading, hr_byte_source *source, hr_error *err) {
    const hr_read_options *options = reading->options;
    hr_csv_header header;
    hr_byte_source of_range = {.file = -1};
    csv_file f = {.reading = reading,
                  .mutex = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER,
                  .ordered = options->kept_count || hr_table_unit(&reading->table) || reading->work,
                  .next_row = reading->table.data->rows,
                  .failed = SIZE_MAX};
    hr_status status = hr_csv_start(&f.lines, source, options, err);
    if (!status) status = hr_csv_read_header(&f.lines, options, reading->arena, &header, err);
    if (!status) status = hr_csv_map_columns(reading, &header, &f.columns, err);
    if (!status && reading->range) status = hr_lines_enter_range(&f.lines, reading->range, &of_range, err);
    if (!status) status = read_file(&f, err);
    hr_byte_source_done(&of_range);
    return status;
}
