/* The fields of a model file: members and elements of JSON, of the types that they must have.
 *
 * The first failure sticks in the reader: what is called after it does nothing and returns 0, NULL or false,
 * so that nobody has to test each step. A failure names the way to the value, and its line and column. */
#ifndef HR_MODELS_MODEL_JSON_FIELDS_H
#define HR_MODELS_MODEL_JSON_FIELDS_H

#include "base/fail.h"
#include "models/model/json.h"
#include "privacy/accountant.h"

typedef struct hr_json_reader {
    const char *bytes;      /* of the file, for lines and columns */
    struct hr_model *model; /* that the caller fills in */
    hr_arena *arena;        /* all that is read lives there */
    int64_t version;        /* of the model's format */
    size_t releases_max;    /* lines of the list of releases */
    hr_status status;
    hr_error *err;
} hr_json_reader;

/* A value and the way to it: the member `key` of the value above, or (key NULL) its element `index`. */
typedef struct hr_json_position {
    const struct hr_json_position *above; /* borrowed */
    const char *key;
    size_t index;
    const hr_json *value; /* NULL: there is none */
} hr_json_position;

/* Fails: FORMAT at this value, or where it would stand. */
void hr_json_refuse(hr_json_reader *r, const hr_json_position *at, const char *remedy, const char *format,
                    ...) HR_PRINTF(4, 5);

/* Zeroed. */
void *hr_json_allocate(hr_json_reader *r, size_t count, size_t size);
const char *hr_json_copy_text(hr_json_reader *r, const char *text);

/* Of an array, below its size. */
hr_json_position hr_json_element(const hr_json_position *at, size_t index);

/* The member `key`, whatever its type, or of this one. A missing one is refused. */
hr_json_position hr_json_member(hr_json_reader *r, const hr_json_position *at, const char *key);
hr_json_position hr_json_typed_member(hr_json_reader *r, const hr_json_position *at, const char *key,
                                      hr_json_kind kind);
bool hr_json_has(const hr_json_reader *r, const hr_json_position *at, const char *key);

/* Refuses a value of another type. */
void hr_json_expect(hr_json_reader *r, const hr_json_position *at, hr_json_kind kind);
/* Refuses what is no object, and keys that are not among `keys`. */
void hr_json_only_keys(hr_json_reader *r, const hr_json_position *at, const char *const *keys, size_t count);

/* The number of items of an object or an array. */
size_t hr_json_size(const hr_json_reader *r, const hr_json_position *at);

/* Values, and members by their keys. Integers lie within low..high; texts are copied. */
const char *hr_json_text_at(hr_json_reader *r, const hr_json_position *at);
const char *hr_json_text_of(hr_json_reader *r, const hr_json_position *at, const char *key);
double hr_json_number_at(hr_json_reader *r, const hr_json_position *at);
double hr_json_number_of(hr_json_reader *r, const hr_json_position *at, const char *key);
int64_t hr_json_integer_at(hr_json_reader *r, const hr_json_position *at, int64_t low, int64_t high);
int64_t hr_json_integer_of(hr_json_reader *r, const hr_json_position *at, const char *key, int64_t low,
                           int64_t high);
bool hr_json_bool_of(hr_json_reader *r, const hr_json_position *at, const char *key);
/* The index of a text among words. */
size_t hr_json_word_of(hr_json_reader *r, const hr_json_position *at, const char *key,
                       const char *const *words, size_t count);

/* Lists of numbers and of texts. */
const double *hr_json_numbers_of(hr_json_reader *r, const hr_json_position *at, const char *key,
                                 size_t *count);
const char *const *hr_json_texts_of(hr_json_reader *r, const hr_json_position *at, const char *key,
                                    size_t *count);

/* ---- The schema (json_schema.c) ---- */

/* The member `schema` of a model file, into r->model->schema. Fails: FORMAT, SCHEMA, MEMORY. */
void hr_json_read_schema(hr_json_reader *r, const hr_json_position *root);

/* ---- The list of releases (json_releases.c) ---- */

/* Lines that differ in level and draws alone are written as one entry of the list, a group. The groups of a
 * model stand for so many lines at most, each as many as a model of one owner has for 65535 features: a small
 * file does not fill the memory. A writer writes what is beyond them line by line. */
enum { HR_GROUPED_LINES_MAX = 1 << 20 };

/* The member `releases` of a model file, groups taken apart into lines, into r->model. Fails: FORMAT, MEMORY.
 */
void hr_json_read_releases(hr_json_reader *r, const hr_json_position *root);

/* Writes it. */
void hr_json_add_releases(hr_buffer *b, const hr_release *releases, size_t count);

#endif
