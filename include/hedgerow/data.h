/* Records in memory: typed columns that follow a schema.
 *
 * Reading (CSV, LIBSVM, Parquet) is documented in docs/reference/formats.md. Numbers are doubles, NaN =
 * missing, clipped to the public bounds; categories are codes, 0 = missing or not in the schema, code k = the
 * schema's value k-1. A data set is immutable once made and may be shared between threads. It holds private
 * records: nothing read off it may be published except through a fit. */
#ifndef HEDGEROW_DATA_H
#define HEDGEROW_DATA_H

#include <hedgerow/schema.h>
#include <hedgerow/timing.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_data hr_data;
typedef struct hr_misfits hr_misfits; /* below */

typedef enum hr_format { HR_FORMAT_AUTO, HR_FORMAT_CSV, HR_FORMAT_LIBSVM } hr_format;

/* What stands between the cells of a CSV table. */
typedef enum hr_separator {
    HR_SEPARATOR_AUTO, /* the only one that the header has outside of quotation marks; several are refused */
    HR_SEPARATOR_COMMA,
    HR_SEPARATOR_SEMICOLON,
    HR_SEPARATOR_TAB,
    HR_SEPARATOR_PIPE
} hr_separator;

/* What quotation marks in a CSV table are. */
typedef enum hr_quote {
    HR_QUOTE_DOUBLE, /* they enclose cells, as in RFC 4180 */
    HR_QUOTE_NONE    /* letters: no cell holds a separator or a line end */
} hr_quote;

typedef struct hr_read_options {
    size_t size;             /* sizeof(hr_read_options) */
    hr_format format;        /* HR_FORMAT_AUTO looks at the content */
    bool label_optional;     /* accept data without the label column (for predictions) */
    const char *name;        /* stands for the file in messages; NULL: the path */
    hr_separator separator;  /* of CSV tables */
    bool skip_unlabelled;    /* CSV: leave out records whose label is missing (hr_data_skipped) */
    const char *query;       /* a file with one SQL query, for databases; NULL: the table is in files */
    const char *const *drop; /* CSV: columns to be treated as if they were not there; every file has them */
    size_t drop_count;
    const char *const *kept; /* CSV: columns whose texts are kept beside the records (hr_data_kept), whether
                                the schema names them or not; borrowed */
    size_t kept_count;
    int threads;            /* that parse a CSV table; 0: see hr_threads. The result is the same */
    hr_timings *timings;    /* NULL, or what counts the time of reading: for the owner's eyes. Borrowed */
    bool allow_equal_files; /* files of equal content hold records of different people, the owner declares:
                               what is released from the table says so */
    hr_quote quote;         /* CSV */
    uint32_t skip_lines;    /* CSV, of files: lines before the header, whatever is in them */
    hr_misfits *misfits;    /* CSV: NULL, or what gathers the cells that do not fit the schema: they read as
                               missing, also labels, and are not refused. One thread reads. Borrowed */
    bool without_exposure;  /* the column of the exposure is not read, and may be absent: predictions are of
                               the largest exposure, and nothing else can be done with such records */
} hr_read_options;
#define HR_READ_OPTIONS_INIT                                                                                 \
    {                                                                                                        \
        sizeof(hr_read_options), HR_FORMAT_AUTO, false, NULL, HR_SEPARATOR_AUTO, false, NULL, NULL, 0, NULL, \
            0, 0, NULL, false, HR_QUOTE_DOUBLE, 0, NULL, false                                               \
    }

/* What reading a table met in one column. Counts of private records: for the owner's eyes only. */
typedef struct hr_column_report {
    uint64_t missing; /* empty cells and the schema's spellings of missing */
    uint64_t
        unknown; /* categories that the schema does not list, and what hr_misfits holds (read as missing) */
    uint64_t out_of_range; /* numbers outside the bounds, years and trends outside the range (clipped) */
    uint64_t not_integer;  /* fractions in a column that the schema calls whole (kept) */
} hr_column_report;

/* Reads a table from a file, which may be compressed (gzip, zstd, xz); "-" is standard input. A Parquet file
 * is read as the CSV that it stands for, in the columns that schema and options name. `path` may be an SQLite
 * database or the address of a PostgreSQL database (postgresql://USER@HOST/DATABASE) if the options name a
 * query. Columns are found by name (CSV, databases) or index (LIBSVM: feature i of the schema is index i,
 * counted from 1; absent entries are 0), in any order; extra columns are ignored. A LIBSVM table that has at
 * most one of 8 cells is sparse: it takes 12 bytes for each cell that is there, in place of 8 for each row
 * and feature. A column of dates fills
 * one feature for each of its parts; LIBSVM tables have no dates. A schema's unit (hr_schema_unit) must be a
 * column of the table; its texts become numbers and are forgotten. Owner: the caller frees *out; the data set
 * keeps a reference-free copy of what it needs from the schema except the schema itself, which must outlive
 * it. Fails: POLICY (a unit, and a LIBSVM table; a binned cache), IO, FORMAT (file, line, column), SCHEMA
 * (missing column, bad label), ARGUMENT (options that do not fit the file), ABSENT (a library is not built
 * in), MEMORY, LIMIT. */
HR_API HR_MUST_CHECK hr_status hr_data_read(const hr_schema *schema, const char *path,
                                            const hr_read_options *options, hr_data **out, hr_error *err);

/* ---- Tables of any size, block by block ---- */

/* Records that are there during one call. */
typedef struct hr_block {
    const hr_data *records; /* at least one; as hr_data_read_all makes them, but for identifiers of a unit */
    size_t member;          /* below HR_BLOCK_MEMBERS: whose call this is; no two calls of a member overlap */
    int threads; /* 1: other members work meanwhile; else as hr_read_options.threads: nobody else does */
} hr_block;
enum { HR_BLOCK_MEMBERS = 256 };

typedef struct hr_block_work {
    const hr_read_options *reading; /* NULL: the defaults */
    /* Called for every block, by any thread, several at a time. */
    hr_status (*work)(void *user, const hr_block *block, hr_error *err);
    /* Called after `work` of a block, by the same thread, for one block at a time, in the order of the
     * records. */
    hr_status (*finish)(void *user, const hr_block *block, hr_error *err);
    void *user;
} hr_block_work;

/* Reads a table as hr_data_read_all does, but holds no more of it than a few blocks for each thread, which
 * reads and works. Blocks of a CSV table have some hundred KiB of text. *out has no records: it is for
 * hr_data_report, hr_data_check_column and hr_data_remarks, which are then about all that were read. Owner:
 * the caller frees *out. Fails: as hr_data_read_all, maybe after blocks were finished: those before the one
 * that fails; as `work` and `finish`, which name a file themselves. */
HR_API HR_MUST_CHECK hr_status hr_data_stream(const hr_schema *schema, const char *const *paths, size_t count,
                                              const hr_block_work *work, hr_data **out, hr_error *err);

/* Whether a path is the address of a database with a password in it. Messages leave that out; but on a
 * command line everybody on the machine can read it. */
HR_API bool hr_data_address_has_password(const char *path);

/* Reads one table from `count` (at least 1) files or databases, one after the other. All have one format, and
 * the same columns, by name, in any order. Fails: as hr_data_read; SCHEMA (a column that not all have);
 * ARGUMENT (a file, or an answer of a database, that is there twice; two of equal text, after decompression,
 * with records: they would count twice. With label_optional they are read, and hr_fit, hr_evaluate_private
 * and simulations refuse the table). */
HR_API HR_MUST_CHECK hr_status hr_data_read_all(const hr_schema *schema, const char *const *paths,
                                                size_t count, const hr_read_options *options, hr_data **out,
                                                hr_error *err);

/* The same from bytes in memory, which are plain text. */
HR_API HR_MUST_CHECK hr_status hr_data_parse(const hr_schema *schema, const char *bytes, size_t size,
                                             const hr_read_options *options, hr_data **out, hr_error *err);

/* Copies arrays: columns[i] has `rows` doubles for feature i (a category's code for HR_KIND_CATEGORY, 0 or
 * NaN = missing); labels (NULL: none) are numbers, or class indices counted from 0. Fails: SCHEMA (a code or
 * label out of range), POLICY (the schema names a unit: hr_data_borrow), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_data_from_arrays(const hr_schema *schema, size_t rows,
                                                   const double *const *columns, const double *labels,
                                                   hr_data **out, hr_error *err);

typedef enum hr_element { HR_ELEMENT_FLOAT64, HR_ELEMENT_FLOAT32, HR_ELEMENT_UINT16 } hr_element;

/* Values in the caller's memory, as numpy and Arrow have them: element i is at `at` + i * `stride` bytes. The
 * stride may be negative; no two elements may overlap, so that it is at least the size of an element. Any
 * alignment. */
typedef struct hr_array {
    const void *at;
    hr_element element;
    ptrdiff_t stride;
} hr_array;

/* A table in the caller's memory. {0} and what there is of it. */
typedef struct hr_arrays {
    size_t rows;
    const hr_array *columns; /* one a feature: HR_ELEMENT_UINT16 has codes, or integers */
    const hr_array *labels;  /* NULL: none */
    const uint64_t *persons; /* `rows` numbers that say whose each record is: equal numbers are one person. Of
                                a schema that names a unit (hr_schema_unit), and of no other. Of ranks and of
                                an owner of a federation, a person's own, the same in all tables and at all
                                times, such as a hash of its identifier */
    const double *exposures; /* `rows` numbers, of a schema that names an exposure (hr_schema_exposure), and
                                of no other. NULL: predictions are of the largest one, and a fit is refused */
    const hr_column_report *read; /* one a feature: what the caller counted when it read the cells. Reports
                                     have its `unknown` (such cells are missing here) and its `out_of_range`
                                     (clipped already) besides what is counted here. NULL: nothing */
} hr_arrays;

/* The same for arrays of any stride and element, with values as above, but without a copy of the columns:
 * they must outlive the data set and stay as they are; `arrays` itself and persons need not. Every value is
 * read once here, to check and to count it (hr_data_report). Later readers convert and clip blocks of values
 * as they need them, and nothing where none is needed: numbers in adjacent, aligned float64 within their
 * bounds, and codes in adjacent, aligned uint16. Labels are borrowed if they are such numbers, and else
 * copied. Fails: ARGUMENT (a stride, an element; persons, and no unit), SCHEMA (a code or label out of
 * range), POLICY (the schema names a unit, and persons is NULL), LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_data_borrow(const hr_schema *schema, const hr_arrays *arrays, hr_data **out,
                                              hr_error *err);

/* A table most of whose cells are one value a column, by column (as in CSC of scipy): cell k is in row
 * rows_at[k] and has values[k]; those of feature f are cells begins[f] to begins[f + 1] - 1. */
typedef struct hr_sparse_arrays {
    size_t rows;
    const size_t *begins;         /* features + 1; the first is 0 */
    const uint32_t *rows_at;      /* counted from 0; they ascend in each column, and none comes twice */
    const double *values;         /* numbers, NaN = missing; or codes, 0 or NaN = missing */
    const double *absent;         /* of each feature: the value of its cells that are not there, such as 0 */
    const hr_array *labels;       /* as in hr_arrays */
    const hr_column_report *read; /* as in hr_arrays */
} hr_sparse_arrays;

/* Makes the data set that hr_data_borrow makes of the same values, with the same reports, but copies the
 * cells that are there, 12 bytes each, and no others; labels may be borrowed as there. Fit for at most one of
 * 8 cells: with more, columns take less. Owner: the caller frees *out. Fails: ARGUMENT (begins, rows; the
 * column and what is wrong), SCHEMA (a code or label out of range), POLICY (the schema names a unit), LIMIT,
 * MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_data_from_sparse(const hr_schema *schema, const hr_sparse_arrays *arrays,
                                                   hr_data **out, hr_error *err);

/* ---- Binned caches: tables that are larger than memory (docs/reference/formats.md) ---- */

typedef struct hr_bin_options {
    size_t size;   /* sizeof(hr_bin_options) */
    uint32_t bins; /* of a numeric feature, missing values apart: 2..255 */
    int threads;   /* 1..256; the file does not depend on it */
    bool replace;  /* a file that exists */
} hr_bin_options;
#define HR_BIN_OPTIONS_INIT                                                                                  \
    { sizeof(hr_bin_options), 255, 1, false }

/* Writes a binned cache: the label of every record, and for each feature the number of its public bin, even
 * ones between the schema's bounds, as hr_edges says public. It is as private as the table. The file, for its
 * owner alone (mode 0600), appears when it is whole; until then it has the same name with ".new" behind it.
 */
typedef struct hr_binner hr_binner;

/* Borrows the schema. options: NULL for the defaults. Owner: the caller frees *out. Fails: ARGUMENT, POLICY
 * (the schema names a unit), IO (or the file exists), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_binner_open(const hr_schema *schema, const char *path,
                                              const hr_bin_options *options, hr_binner **out, hr_error *err);
/* Adds the records of a table that was read with the same schema, behind those before. After a failure free
 * it. Fails: SCHEMA (another schema, no labels), POLICY (a binned cache), ARGUMENT (a file that was read for
 * a table before), LIMIT, IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_binner_add(hr_binner *binner, const hr_data *data, hr_error *err);
/* Writes the file. Call it once, after the last table. Fails: SCHEMA (no records), IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_binner_finish(hr_binner *binner, hr_error *err);
/* Without hr_binner_finish nothing is left. NULL is allowed. */
HR_API void hr_binner_free(hr_binner *binner);

/* Whether a file begins as a binned cache does. */
HR_API bool hr_data_is_binned(const char *path);

/* HR_OK if the data set has values; HR_E_POLICY if it is a binned cache, which has none. */
HR_API HR_MUST_CHECK hr_status hr_data_check_values(const hr_data *data, hr_error *err);

/* Maps a binned cache, and reads it once to check it: threads, 1..256, share that out. The file must stay as
 * it is until the data set is freed: a fit fails that finds it changed, but where it becomes shorter the
 * system ends the process (SIGBUS). What comes out has labels and bins and no values: it is for hr_fit with
 * public edges and as many bins, of methods that take them (hedge, gbdt, dpboost); everything else refuses
 * it. hr_data_numbers and hr_data_codes are NULL, and all numbers read as missing. Owner: the
 * caller frees *out with hr_data_free; the schema must outlive it. Fails: IO, FORMAT (no binned cache,
 * another version, cut off, damaged: the message says where), SCHEMA (made with another), POLICY (a unit),
 * ABSENT (a big-endian machine), ARGUMENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_data_map(const hr_schema *schema, const char *path, int threads,
                                           hr_data **out, hr_error *err);

/* NULL is allowed. */
HR_API void hr_data_free(hr_data *data);

/* The schema that the table was read with; borrowed, valid as long as the data. */
HR_API const hr_schema *hr_data_schema(const hr_data *data);
HR_API size_t hr_data_rows(const hr_data *data);
HR_API bool hr_data_has_labels(const hr_data *data);
/* `rows` values: the label clipped to its bounds, or the class index from 0. NULL without labels. */
HR_API const double *hr_data_labels(const hr_data *data);
/* HR_KIND_NUMBER features: `rows` doubles, NaN = missing. NULL for categories, for borrowed numbers that have
 * to be converted or clipped, and in sparse tables: hr_data_number_block reads all numbers. */
HR_API const double *hr_data_numbers(const hr_data *data, size_t feature);
/* HR_KIND_CATEGORY features: `rows` codes. NULL for numbers, for borrowed codes that have to be converted,
 * and in sparse tables: hr_data_code_block reads all codes. */
HR_API const uint16_t *hr_data_codes(const hr_data *data, size_t feature);
/* Rows [begin, begin + count) of an HR_KIND_NUMBER feature, clipped, NaN = missing; begin + count is at most
 * hr_data_rows. Points into the column if it is there as hr_data_numbers returns it, else to `buffer`, which
 * has room for `count` values and is written then. Threads: any number, each with a buffer of its own. */
HR_API const double *hr_data_number_block(const hr_data *data, size_t feature, size_t begin, size_t count,
                                          double *buffer);
/* The same of an HR_KIND_CATEGORY feature: codes. */
HR_API const uint16_t *hr_data_code_block(const hr_data *data, size_t feature, size_t begin, size_t count,
                                          uint16_t *buffer);
/* Report of one feature; index = feature count gives the label's. In arrays, missing are NaN and the code
 * 0. */
HR_API const hr_column_report *hr_data_report(const hr_data *data, size_t feature);
/* HR_OK if the column (index = feature count: the label; behind it as in hr_misfits_count) fits the schema:
 * at most half of its cells are missing, unknown or out of range, or nine tenths if all of these are missing.
 * Else HR_E_SCHEMA: the field, which share of the cells does not fit, and the remedy. Says what private
 * records are like: for the owner's eyes only. */
HR_API HR_MUST_CHECK hr_status hr_data_check_column(const hr_data *data, size_t feature, hr_error *err);
/* The same of the bounds of a numeric label, to which noise is proportional: HR_E_SCHEMA if the labels of 10
 * records or more fill less than a fifth of them. */
HR_API HR_MUST_CHECK hr_status hr_data_check_label(const hr_data *data, hr_error *err);
/* ---- What the owner of a table should know before it is used ---- */

typedef enum hr_remark_kind {
    HR_REMARK_CELLS,      /* most cells of a column do not fit the schema (hr_data_check_column) */
    HR_REMARK_PART,       /* some cells of a column do not */
    HR_REMARK_BOUNDS,     /* the label fills little of its bounds (hr_data_check_label) */
    HR_REMARK_IDENTIFIER, /* a feature seems to identify persons or records */
    HR_REMARK_LIST,       /* a list of a category seems to be read from the records */
    HR_REMARK_MARKS, /* of the schema: it has accepted marks (hr_schema_public): the model is not private */
    HR_REMARK_UNIT,  /* of the schema: it does not say whose a record is (hr_schema_decides_unit) */
    HR_REMARK_LEFT_OUT, /* of a fit as published: how many records its filter left out (dpboost, seq, para) */
    HR_REMARK_INTERVAL /* of a start: its interval is corrected (hr_model_interval), the new model's is not */
} hr_remark_kind;

typedef enum hr_remark_level {
    HR_REMARK_NOTE,
    HR_REMARK_WARNING,
    HR_REMARK_FAULT /* a warning, too; who is strict refuses the table */
} hr_remark_level;

/* Valid during the call that hands it out. Exact statistics of the records: for the owner's screen alone,
 * never for a model, a file, or anybody else. */
typedef struct hr_remark {
    hr_remark_kind kind;
    hr_remark_level level;
    hr_error what; /* the status that a refusal has, the field, the message, the remedy */
} hr_remark;

/* What a table is for. */
typedef enum hr_remark_use { HR_REMARKS_TRAIN, HR_REMARKS_PREDICT, HR_REMARKS_EVALUATE } hr_remark_use;

typedef struct hr_remark_options {
    size_t size; /* sizeof(hr_remark_options) */
    hr_remark_use use;
    bool is_private;         /* what is trained claims privacy: remarks about that as well */
    const char *name;        /* stands for the table in remarks; NULL: nothing does */
    const char *const *wide; /* wide_count columns whose bounds the fit releases: the schema's may be wide */
    size_t wide_count;
    /* Called for each remark, faults of cells first. If it returns false, the table is refused: what the
     * remarks are for fails with `what`. */
    bool (*take)(void *user, const hr_remark *remark);
    void *user;
} hr_remark_options;
#define HR_REMARK_OPTIONS_INIT                                                                               \
    { sizeof(hr_remark_options), HR_REMARKS_TRAIN, false, NULL, NULL, 0, NULL, NULL }

/* Makes all remarks about a table. hr_fit and simulations do it by themselves (hr_fit_options.remark,
 * hr_party_settings.remark); programs do it before they predict or evaluate. To identify persons the first
 * 20,000 records are looked at, and no more than 4,000,000 cells. Fails: as a remark that was refused;
 * ARGUMENT (options), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_data_remarks(const hr_data *data, const hr_remark_options *options,
                                               hr_error *err);

/* The same of `count` tables of one schema, such as those of owners; about the schema once. names: one a
 * table; NULL: owner 1, owner 2, ... */
HR_API HR_MUST_CHECK hr_status hr_tables_remarks(const hr_data *const *tables, const char *const *names,
                                                 size_t count, const hr_remark_options *options,
                                                 hr_error *err);

/* The text of a kept column (index into hr_read_options.kept) in a row, without outer blanks and quotation
 * marks; NULL if there is none. Valid as long as the data. */
HR_API const char *hr_data_kept(const hr_data *data, size_t column, size_t row);
/* How many columns of the table the schema does not name. */
HR_API size_t hr_data_extra_columns(const hr_data *data);
/* How many records were left out because their label is missing. For the owner's eyes only. */
HR_API uint64_t hr_data_skipped(const hr_data *data);

/* ---- All that does not fit, in one reading ---- */

/* The texts of cells that do not fit the schema: no numbers and dates as it describes them, categories and
 * classes that it does not list. Up to 1,000 different texts of a column are kept, 64 bytes of each, with '?'
 * in place of what may not be shown. For the owner's eyes only. A table that was read with it is for no fit.
 * Owner: the caller frees the result with hr_misfits_free. NULL when memory is short. */
HR_API hr_misfits *hr_misfits_new(void);
/* NULL is allowed. */
HR_API void hr_misfits_free(hr_misfits *misfits);
/* How many different texts of a column (index = feature count: the label; + 1: the weight; + 2: the exposure;
 * + 3: the event of a label that is a time) are kept. A column of dates is its first feature. */
HR_API size_t hr_misfits_count(const hr_misfits *misfits, size_t feature);
/* The i-th most frequent one, i < hr_misfits_count, and how many cells have it. Valid as long as `misfits`,
 * which gathers no more from then on. */
HR_API const char *hr_misfits_text(hr_misfits *misfits, size_t feature, size_t i, uint64_t *cells);
/* HR_OK if no cell would be refused; else the refusal of the first one that would, as hr_data_read_all has
 * it. */
HR_API HR_MUST_CHECK hr_status hr_misfits_first(const hr_misfits *misfits, hr_error *err);
/* Cells of the column whose texts are not kept. */
HR_API uint64_t hr_misfits_rest(const hr_misfits *misfits, size_t feature);

/* ---- A part for training and one for tests ---- */

typedef struct hr_split_options {
    size_t size;                    /* sizeof(hr_split_options) */
    const hr_read_options *reading; /* format, name, separator, quote, skip_lines and query; NULL: defaults */
    double share;                   /* of the test part: above 0 and below 1 */
    const char *unit;     /* a column: records of equal text in it are in one part, whatever others the
                             table has; none may lack it. NULL: each record by itself */
    const uint64_t *seed; /* NULL: secret coins */
    /* Takes the next bytes of a part, in order. What it returns but HR_OK ends the split, and is its result.
     */
    hr_status (*write)(void *user, bool test, const char *bytes, size_t size, hr_error *err);
    void *user;
} hr_split_options;
#define HR_SPLIT_OPTIONS_INIT                                                                                \
    { sizeof(hr_split_options), NULL, .2, NULL, NULL, NULL, NULL }

/* Exact, for the owner's eyes only. */
typedef struct hr_split_counts {
    uint64_t train, test; /* records */
} hr_split_counts;

/* Hands each record of a table, as it is written, to one of two parts; what stands before the records (a byte
 * order mark, skipped lines, "sep=;", the header) to both. Compressed text is decompressed; ARFF, Parquet and
 * answers of databases are CSV. A record's side is a keyed hash of its unit's text, so that several tables
 * are split alike with one seed, or of its number. Who knows the seed knows the sides. Writes *out when all
 * is done. Fails: as hr_data_read; SCHEMA (no such column; a record without an identifier; a part without
 * records), ARGUMENT. */
HR_API HR_MUST_CHECK hr_status hr_table_split(const char *path, const hr_split_options *options,
                                              hr_split_counts *out, hr_error *err);

/* Proposes a schema for a table and renders it as YAML: the kind of every column is guessed, and how its
 * cells are written; all that is read off the data is marked REVIEW, so that one record more changes nothing
 * else. Columns of CSV tables that seem to identify persons or records, free text and constants are proposed
 * as unused. LIBSVM data needs no label name (NULL: "label"). Owner: the caller frees *yaml with
 * hr_text_free. Fails: IO, FORMAT, SCHEMA (no such label), LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_schema_infer(const char *path, hr_format format, const char *label,
                                               char **yaml, hr_error *err);

typedef struct hr_infer_options {
    size_t size;            /* sizeof(hr_infer_options) */
    const char *label;      /* NULL: "label" */
    const char *dictionary; /* a CSV file of public facts: docs/reference/formats.md, Proposals; NULL: none */
    const hr_read_options *reading; /* columns that it drops are left out; NULL: the defaults */
    char **notes; /* NULL, or where a text goes with what was counted of columns that may say whose a record
                     is: lines, or "". Exact counts, for the owner of the records alone. Owner: the caller
                     frees it with hr_text_free */
} hr_infer_options;
#define HR_INFER_OPTIONS_INIT                                                                                \
    { sizeof(hr_infer_options), NULL, NULL, NULL, NULL }

/* The same for one table in `count` files or databases, as hr_data_read_all reads them. What the dictionary
 * says of a column is public: it is taken as it is, and not marked. options: NULL for the defaults. Fails: as
 * above; ARGUMENT (options). */
HR_API HR_MUST_CHECK hr_status hr_schema_infer_all(const char *const *paths, size_t count,
                                                   const hr_infer_options *options, char **yaml,
                                                   hr_error *err);

/* The same for a table from `size` bytes in memory, which are plain text, as hr_data_parse reads them;
 * `name` of the options of reading stands for the file in messages. Fails: as above, without IO. */
HR_API HR_MUST_CHECK hr_status hr_schema_infer_bytes(const char *bytes, size_t size,
                                                     const hr_infer_options *options, char **yaml,
                                                     hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
