/* What the files of this folder share: the objects of the library as external pointers, and its failures as
 * conditions of R. Nothing here decides about privacy: the library does. */
#ifndef HEDGEROW_R_H
#define HEDGEROW_R_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <hedgerow/hedgerow.h>

/* An object of the library, and the one that it needs as long as it lives. R frees objects that are out of
 * use in any order: each counts its users. */
typedef struct box {
    void *at;
    void (*release)(void *at);
    struct box *needs;
    size_t users;
} box;

/* An external pointer with an empty box, which is filled by box_fill: so that a failure of R in between
 * leaves nothing behind. `kind` is what box_of looks for. needs: an external pointer, or R_NilValue. The
 * caller protects the result. */
SEXP box_new(const char *kind, void (*release)(void *at), SEXP needs);
void box_fill(SEXP pointer, void *at);
/* Fails with a condition if it is no such pointer, or one that was freed or comes from another session. */
void *box_of(SEXP pointer, const char *kind);

/* Returns if status is HR_OK; else signals the condition. Nothing may be held but by boxes and R. */
void check(hr_status status, const hr_error *err);
/* A condition of the status ARGUMENT. */
void refuse(const char *message);

/* Texts of R as UTF-8; NULL for NULL. They live as long as the call. */
const char *text_in(SEXP text);
const char **texts_in(SEXP texts);
/* Texts of the library for R. */
SEXP text_out(const char *text);
/* A text that the library allocated for the caller, in a box: out is where the library puts it. */
SEXP text_box(void);
SEXP text_taken(SEXP holder, char *text);

/* A list with names, such as {"rows", "error", NULL}; its elements are R_NilValue. The caller protects it. */
SEXP named_list(const char *const *names);

/* An element of a list by its name; R_NilValue if there is none. */
SEXP element(SEXP list, const char *name);
double number_of(SEXP list, const char *name);

/* Whether the user has asked R to stop. It does not return to R. */
Rboolean was_interrupted(void);

/* Remarks of the library, as many as there are. */
typedef struct remark_list {
    size_t count, room;
    hr_remark *items;
} remark_list;
/* A callback of the library; user: a remark_list. What finds no memory is left out. */
bool keep_remark(void *user, const hr_remark *remark);
SEXP remarks_out(const remark_list *list);
SEXP remark_box(void);

#define OBJECT_SCHEMA "schema"
#define OBJECT_DATA "data"
#define OBJECT_MODEL "model"
#define OBJECT_LEDGER "ledger"

/* Entry points, by file. */
SEXP hedgerow_schema_parse(SEXP text, SEXP name);
SEXP hedgerow_schema_build(SEXP label, SEXP features, SEXP unit);
SEXP hedgerow_schema_without(SEXP schema, SEXP names);
SEXP hedgerow_schema_text(SEXP schema);
SEXP hedgerow_schema_facts(SEXP schema);
SEXP hedgerow_schema_check(SEXP schema);
SEXP hedgerow_schema_infer(SEXP table, SEXP label, SEXP dictionary);

SEXP hedgerow_is_open(SEXP pointer);
SEXP hedgerow_live_count(void);
SEXP hedgerow_amount_texts(SEXP amounts);
SEXP hedgerow_library_version(void);
SEXP hedgerow_number_texts(SEXP numbers);
SEXP hedgerow_read_texts(SEXP schema, SEXP place, SEXP texts, SEXP times);
SEXP hedgerow_data(SEXP schema, SEXP rows, SEXP columns, SEXP beside);
SEXP hedgerow_remarks(SEXP data, SEXP use, SEXP claims, SEXP wide);
SEXP hedgerow_release(SEXP pointer);

SEXP hedgerow_fit(SEXP data, SEXP settings);
SEXP hedgerow_plan_info(SEXP settings, SEXP records, SEXP schema);
SEXP hedgerow_simulation(SEXP tables, SEXP settings);
SEXP hedgerow_method_list(void);
SEXP hedgerow_method_option_list(SEXP method);

SEXP hedgerow_model_parse(SEXP text, SEXP name);
SEXP hedgerow_model_read(SEXP path);
SEXP hedgerow_model_write(SEXP model, SEXP path);
SEXP hedgerow_model_text(SEXP model);
SEXP hedgerow_model_facts(SEXP model);
SEXP hedgerow_model_schema(SEXP model);
SEXP hedgerow_model_releases(SEXP model);
SEXP hedgerow_model_summary(SEXP model);
SEXP hedgerow_model_tree(SEXP model, SEXP tree);
SEXP hedgerow_predict(SEXP model, SEXP data, SEXP threads);
SEXP hedgerow_importance(SEXP model);
SEXP hedgerow_shapes_list(SEXP model);

SEXP hedgerow_evaluate_exact(SEXP model, SEXP data, SEXP threads);
SEXP hedgerow_evaluate_private(SEXP model, SEXP data, SEXP settings);

SEXP hedgerow_generate_hospital(SEXP rows, SEXP seed, SEXP visits);

SEXP hedgerow_ledger_make(SEXP path, SEXP epsilon, SEXP delta);
SEXP hedgerow_ledger_load(SEXP path);
SEXP hedgerow_ledger_total(SEXP ledger);
SEXP hedgerow_ledger_entries(SEXP ledger);
SEXP hedgerow_ledger_stop(SEXP ledger);

#endif
