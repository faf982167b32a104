/* What one column looks like, its name and its cells: gathered cell by cell, then judged. */
#ifndef HR_TABLES_INFER_INFER_COLUMN_H
#define HR_TABLES_INFER_INFER_COLUMN_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/kernels/kernels.h"
#include "base/string_map.h"
#include "tables/infer/infer_hash.h"
#include "tables/infer/infer_numbers.h"
#include "tables/infer/infer_unit.h"

#include <hedgerow/schema.h>

/* ---- The name ---- */

/* What a column's name suggests: whether it identifies persons or records, and common knowledge of its
 * bounds. Names are guessed from, never trusted: all of it awaits a person's review. */
typedef enum hr_name_meaning {
    HR_NAME_PLAIN,
    HR_NAME_PERSON,  /* which person a record is of, such as patient_id */
    HR_NAME_CONTACT, /* a direct identifier, such as phone */
    HR_NAME_RECORD,  /* some identifier or number of something, such as id or store_id */
    HR_NAME_GROUP,   /* a word for persons, such as customer: their number, or a property of theirs */
    HR_NAME_OF_ONE,  /* the word for name alone: of a person, or of anything else */
    HR_NAME_NUMBER,  /* the number of something, such as case_no */
    HR_NAME_SHARED   /* of a place, a time or goods, such as zip: many persons have the same */
} hr_name_meaning;

/* Bounds that hold for whatever has such a name. */
typedef struct hr_common_bounds {
    const char *words; /* of the name, in small letters, one after the other */
    double low, high;
    enum { HR_NAME_HAS, HR_NAME_ENDS, HR_NAME_IS } place; /* of the words in the name */
    bool coordinate; /* a place on the earth: every value lies within the bounds, and some have fractions */
} hr_common_bounds;

hr_name_meaning hr_name_means(const char *name);

/* NULL: none are known. */
const hr_common_bounds *hr_name_bounds(const char *name);

/* Whether the name has a word for dates, or for codes whose numbers are no quantities, such as those of
 * places and diagnoses. */
bool hr_name_says_date(const char *name);
bool hr_name_says_code(const char *name);

/* ---- Text of the cells ---- */

/* What the text of a column's cells looks like, where they are not all plain numbers: a boolean, a number
 * with a decimal comma, separated thousands or a symbol, a date; or numbers or dates for the most part, with
 * other words between them. */
enum { HR_INFERRED_FORMATS = 8 };

typedef enum hr_inferred_text {
    HR_INFERRED_WORDS, /* none of those below */
    HR_INFERRED_BOOLEAN,
    HR_INFERRED_NUMBER,
    HR_INFERRED_DATE
} hr_inferred_text;

typedef struct hr_seen_range {
    uint64_t cells;
    double low, high; /* if there are cells */
    bool fractions;
} hr_seen_range;

/* What one format of dates reads. */
typedef struct hr_seen_dates {
    uint64_t cells;
    int64_t first, last; /* if there are cells */
    bool clock;          /* a time is not 00:00:00 */
} hr_seen_dates;

/* Starts from {0} and `date_name`. */
typedef struct hr_text_inference {
    bool date_name;           /* the column's name has a word for dates */
    uint64_t cells;           /* that are neither empty nor a common spelling of missing */
    bool words;               /* there are cells that are no plain numbers */
    bool no_boolean, no, yes; /* which values were met */
    char pair;                /* of spellings; 0: none yet */
    const char *symbol;       /* NULL: none yet */
    bool symbols_differ;
    hr_seen_range integers;                  /* plain numbers without a point: the same in all formats */
    hr_seen_range points;                    /* the others: the same in all formats with a decimal point */
    hr_seen_range seen[HR_INFERRED_FORMATS]; /* what only that format reads */
    hr_seen_dates *dates;                    /* one a format; NULL: no cell looks like a date */
    uint64_t dates_read;                     /* formats that have cells: a bit each */
    struct {
        uint64_t formats;
        char mark;
        bool year;
    } may_read;     /* formats of dates for the beginning of the cell before; 0: none was looked for */
    uint64_t times; /* cells that are times of day */
    hr_words odd;   /* candidates for words between numbers or dates; judged: those words */
    /* What hr_text_inference_judge finds out. */
    hr_inferred_text kind;
    unsigned format; /* of HR_INFERRED_NUMBER or HR_INFERRED_DATE */
    bool codes;      /* the words between numbers are such as V57: so are the numbers */
} hr_text_inference;

/* What the cells show of the decimal mark. */
typedef enum hr_decimal_mark {
    HR_DECIMAL_NONE, /* no fractions */
    HR_DECIMAL_POINT,
    HR_DECIMAL_COMMA,
    HR_DECIMAL_POINT_OR_GROUPS, /* a point before three digits: it may separate thousands */
    HR_DECIMAL_COMMA_OR_GROUPS  /* a comma before three digits */
} hr_decimal_mark;

/* What a text is, which counts again whenever it stands again. Starts from {0}. */
typedef struct hr_cell_facts {
    bool spelling; /* a common spelling of missing: nothing else is set */
    bool number;   /* a plain one, and whether it has a point */
    bool point;
    double value;
    bool digits;        /* there are some */
    bool time;          /* a time of day */
    uint8_t formats;    /* of numbers that read it and count it: a bit each */
    uint64_t dates;     /* the same of dates */
    const char *symbol; /* of the number that some format reads; NULL: none */
    uint64_t blanks;
    uint32_t word; /* its place among the words that are counted, or HR_STRING_MAP_NONE */
} hr_cell_facts;

/* Takes a cell that is neither empty nor a common spelling of missing. *facts has whether it is a plain
 * number, and its value; the rest is set. False when memory is short. */
bool hr_text_inference_add(hr_text_inference *g, hr_arena *arena, const char *cell, size_t size,
                           hr_cell_facts *facts);

/* Takes cells whose text was taken before, with what was set then. Does the same in less time. */
bool hr_text_inference_repeat(hr_text_inference *g, hr_arena *arena, const hr_cell_text *cell,
                              hr_cell_facts *facts, uint64_t cells);

/* Whether nothing but counts depends on when such a cell is taken, as long as no text comes that was not
 * there before. It is otherwise of symbols, the last of which counts, and of texts that may still become
 * words. */
static inline bool hr_text_inference_may_wait(const hr_text_inference *g, const hr_cell_facts *facts) {
    const size_t words = g->odd.count;
    const bool is_decided =
        facts->word != HR_STRING_MAP_NONE || words >= HR_WORDS_MAX || (words >= HR_WORDS_FIRST && !g->words);
    return facts->spelling || (!facts->symbol && is_decided);
}

/* Decides on kind, format and the words between, once all cells are there: `distinct` different ones. A label
 * of few values has classes, whatever they are. */
void hr_text_inference_judge(hr_text_inference *g, size_t distinct, bool is_label);

/* Whether the column is HR_INFERRED_NUMBER and its numbers are plain. */
bool hr_text_inference_is_plain(const hr_text_inference *g);

hr_decimal_mark hr_text_inference_decimal(const hr_text_inference *g);

/* Reads what may be groups as a table with decimal commas has it. */
void hr_text_inference_take_comma(hr_text_inference *g);

/* HR_INFERRED_NUMBER: the column. */
hr_column hr_text_inference_number(const hr_text_inference *g, const char *name);

/* Writes a feature that is a boolean or a date as an entry of `features`, marked. */
void hr_text_inference_write(const hr_text_inference *g, const char *name, hr_buffer *remarks,
                             hr_buffer *out);

void hr_text_inference_done(hr_text_inference *g);

/* Begins a further hint for people. */
void hr_remark_begin(hr_buffer *remarks);

/* ---- Different cells ---- */

enum { HR_DISTINCT_CELLS = 2048, HR_DISTINCT_BITS = 11, HR_DISTINCT_WORDS = 64 };

/* How many different texts there are, in little memory: an estimate, with a standard error of 2.3 %
 * (HyperLogLog). Starts from {0}. */
typedef struct hr_distinct {
    uint8_t
        highest[HR_DISTINCT_CELLS];    /* of the hashes of a cell: the place of their first set bit, from 1 */
    uint64_t words[HR_DISTINCT_WORDS]; /* bits that hashes of the column's words set */
    bool marked;                       /* these are there */
} hr_distinct;

/* The first bits of the hash choose the cell. */
static inline void hr_distinct_add_hash(hr_distinct *distinct, uint64_t hash) {
    const uint64_t rest = hash << HR_DISTINCT_BITS | (uint64_t)1 << (HR_DISTINCT_BITS - 1); /* never 0 */
    const uint8_t place = (uint8_t)(__builtin_clzll(rest) + 1);
    uint8_t *highest = &distinct->highest[hash >> (64 - HR_DISTINCT_BITS)];
    if (*highest < place) *highest = place;
}

static inline void hr_distinct_add(hr_distinct *distinct, const char *text, size_t size) {
    hr_distinct_add_hash(distinct, hr_text_hash(text, size));
}

double hr_distinct_count(const hr_distinct *distinct);

/* ---- The column ---- */

enum {
    HR_INFERENCE_VALUES = 254,   /* values that training takes without a source */
    HR_INFERENCE_LISTED = 1000,  /* values that are listed; more are only estimated */
    HR_INFERENCE_SPELLINGS = 16, /* common spellings of missing */
    HR_INFERENCE_CLASSES = 20,   /* more classes than that deserve a remark */
    HR_INFERENCE_INTEGER_CLASSES = 10
};

/* Starts from {0} and what hr_inference_init sets. Texts are in the caller's arena. */
typedef struct hr_inference {
    const char *name;
    hr_name_meaning meaning;
    const hr_common_bounds *common; /* that the name suggests, or NULL */
    bool code_name;                 /* the name has a word for codes */
    hr_string_map distinct;         /* different cells, as text: their place among the values */
    const char **values;
    hr_cell_facts *facts; /* of the values, as long as they are all different cells */
    size_t value_count, value_capacity;
    hr_distinct *more; /* there are more different cells than `values` hold; else NULL */
    uint64_t cells, numbers, empty;
    uint64_t within;               /* numbers within the common bounds */
    uint64_t texts, bytes, blanks; /* cells that are no numbers and no spellings of missing, and in them */
    uint64_t last_row; /* where features are found by number: the record in which this was met last, from 1 */
    double low, high;  /* of the numbers */
    bool fractions;
    hr_code_cells codes;      /* of the same cells */
    const char *identity;     /* why the column seems to identify persons or records; NULL: it does not */
    bool is_unit;             /* it has an identity, that of the person of a record */
    hr_text_inference text;   /* of the cells that are present */
    hr_number_evidence plain; /* of the plain numbers */
    bool spelled[HR_INFERENCE_SPELLINGS]; /* which spellings of missing were met */
    bool described;                       /* a proposal describes it by its cells */
    hr_buffer remarks;                    /* hints for people, which stand in the mark of the column */
} hr_inference;

void hr_inference_init(hr_inference *inference, const char *name);
/* False when memory is short. */
bool hr_inference_add(hr_inference *inference, hr_arena *arena, const char *cell, size_t size);

/* The same of many cells. */
bool hr_inference_add_cells(hr_inference *inference, hr_arena *arena, const hr_cell_text *cells,
                            size_t count);

/* Takes the first of these cells as long as they are decimal fractions, in a column that has nothing to find
 * again for them. Returns how many it took. */
size_t hr_inference_add_fractions(hr_inference *inference, const hr_cell_text *cells, size_t count);

/* Frees what holds texts of the cells, and leaves what hr_inferences_judge_units needs: counts. For a column
 * that was judged. */
void hr_inference_drop_texts(hr_inference *inference);
void hr_inference_done(hr_inference *inference);

/* Judges the text and the numbers, once all cells are there. Everything below needs it. */
void hr_inference_judge(hr_inference *inference, bool is_label);

/* How many different cells there are: counted, or estimated. */
double hr_inference_distinct(const hr_inference *inference);
/* Whether they are more than this share of the cells with a value. Nothing follows from few cells: false. */
bool hr_inference_differ_mostly(const hr_inference *inference, double share);

/* The i-th common spelling of missing. */
const char *hr_inference_spelling(size_t i);

/* Whether the column is one of plain numbers, but for empty cells, spellings of missing and words between
 * them. Numbers that are codes are none. */
bool hr_inference_is_number(const hr_inference *inference);

/* Whether its numbers are codes and no quantities, such as those of places and diagnoses. */
bool hr_inference_has_codes(const hr_inference *inference);

/* Whether it has numbers or dates with other words between them. */
bool hr_inference_has_words(const hr_inference *inference);

/* Whether the common spellings of missing mean that there is no value: numbers, booleans, dates. Elsewhere
 * they are values. */
bool hr_inference_has_missing(const hr_inference *inference);

/* Why a proposal leaves a column of a table out; NULL: it does not. Names no value and no count, since people
 * keep such remarks in schemas that they hand on. */
const char *hr_inference_left_out(const hr_inference *inference);

/* How a column that is left out is described to use it after all. */
const char *hr_inference_brought_back(const hr_inference *inference);

/* Adds to the remarks which words and codes the proposal lists as missing. */
void hr_inference_remark_words(hr_inference *inference);

/* The proposal for a column. */
typedef struct hr_inferred {
    hr_column column; /* borrows from the inference, whose values are put in order */
} hr_inferred;

/* Proposes a feature or the label, and adds to its remarks. `missing` are the words that the schema will list
 * as missing: they are no categories. */
void hr_inference_feature(hr_inference *inference, const hr_string_map *missing, hr_inferred *out);
/* Fails: SCHEMA (it cannot be a label). */
HR_MUST_CHECK hr_status hr_inference_label(hr_inference *inference, const hr_string_map *missing,
                                           hr_inferred *out, hr_error *err);

#endif
