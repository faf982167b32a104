/* The formats of text tables: one row each, in the format's own file. Readers of tables go by the row. */
#ifndef HR_TABLES_FORMATS_FORMATS_H
#define HR_TABLES_FORMATS_FORMATS_H

#include "tables/infer/infer_write.h"
#include "tables/readers/reading.h"
#include "tables/source/origins.h"

/* ---- What is gathered for a proposal of a schema ---- */

enum { HR_GATHERING_ARENAS = 64 };

typedef struct hr_gathering {
    const hr_infer_options *options;
    hr_read_options reading;
    hr_inferences all;
    size_t capacity; /* of all.columns */
    hr_arena *arena;
    hr_arena *arenas[HR_GATHERING_ARENAS]; /* of groups of columns; NULL: not made yet */
    const hr_table_format *format;         /* of the source that was read last; NULL: none was read */
    hr_lines lines;
    hr_csv_header first; /* columns of the first source, where a header names them */
    size_t *order;  /* per column of the source that is read, its index in all.columns; SIZE_MAX: dropped */
    size_t columns; /* of the source that is read */
    size_t sources; /* that were read to their end */
    hr_origins origins;
    hr_error *err;
} hr_gathering;

/* Adds a column without cells to all.columns. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_gathering_add(hr_gathering *gathering, const char *name);

/* ---- A format ---- */

struct hr_table_format {
    hr_format number; /* in the public interface */
    const char *name; /* in messages */
    bool separated;   /* its cells have separators; the answers of databases are in it */
    bool sparse;      /* features have numbers and no names, and a cell that is absent is 0 */

    /* Whether text that begins with these bytes is in this format. NULL: any text may be. */
    bool (*looks)(const char *bytes, size_t size);

    /* Refuses options that are for other formats. NULL: all options fit. Fails: ARGUMENT, SCHEMA. */
    hr_status (*check)(const hr_read_options *options, hr_error *err);

    /* Starts at the beginning of a source, and goes to where its records begin: lines->at. Fails as `read`.
     */
    hr_status (*start)(hr_lines *lines, hr_byte_source *source, const hr_read_options *options,
                       hr_error *err);

    /* Adds the records of a source, read from its beginning. Fails as hr_data_read does, without the file's
     * name. */
    hr_status (*read)(hr_reading *reading, hr_byte_source *source, hr_error *err);

    /* Adds the cells of a source, read from its beginning, to what is gathered. Fails as hr_schema_infer_all
     * does, without the file's name. */
    hr_status (*gather)(hr_gathering *gathering, hr_byte_source *source);
};

extern const hr_table_format hr_csv_format, hr_libsvm_format;

/* ---- The options of reading ---- */

/* NULL stands for the defaults. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_read_options_take(const hr_read_options *given, hr_read_options *out,
                                             hr_error *err);

/* ---- The table of formats ---- */

/* Opens a source as hr_table_source_open does; a refusal of its contents names the formats of the table. */
HR_MUST_CHECK hr_status hr_table_open(const hr_table_place *place, hr_origins *origins, hr_byte_source *out,
                                      hr_error *err);

/* Whether the number is HR_FORMAT_AUTO or that of a format. */
bool hr_table_format_exists(hr_format number);

/* The format that the options name, or else the one that the beginning of the source looks like. Fails: IO,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_table_format_find(const hr_read_options *options, hr_byte_source *source,
                                             const hr_table_format **out, hr_error *err);

/* Refuses options that do not fit the format. Fails: ARGUMENT, SCHEMA. */
HR_MUST_CHECK hr_status hr_table_format_check(const hr_table_format *format, const hr_read_options *options,
                                              hr_error *err);

#endif
