/* Objects, failures, texts and lists on their way between the library and R. */
#include "hedgerow.h"

#include <stdlib.h>
#include <string.h>

/* ---- Objects ---- */

static size_t live; /* boxes that are not freed */

static void box_drop(box *b) {
    while (b && --b->users == 0) {
        box *needs = b->needs;
        live--;
        if (b->at) b->release(b->at);
        free(b);
        b = needs;
    }
}

static void finalize(SEXP pointer) {
    box *b = R_ExternalPtrAddr(pointer);
    R_ClearExternalPtr(pointer);
    if (b) box_drop(b);
}

SEXP box_new(const char *kind, void (*release)(void *at), SEXP needs) {
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, Rf_install(kind), R_NilValue));
    R_RegisterCFinalizerEx(pointer, finalize, TRUE);
    box *b = calloc(1, sizeof *b);
    if (!b) check(HR_E_MEMORY, NULL);
    *b = (box){.release = release, .users = 1};
    live++;
    if (needs != R_NilValue) {
        b->needs = R_ExternalPtrAddr(needs);
        b->needs->users++;
    }
    R_SetExternalPtrAddr(pointer, b);
    UNPROTECT(1);
    return pointer;
}

void box_fill(SEXP pointer, void *at) {
    box *b = R_ExternalPtrAddr(pointer);
    b->at = at;
}

void *box_of(SEXP pointer, const char *kind) {
    if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install(kind))
        refuse("this is not an object of the package");
    box *b = R_ExternalPtrAddr(pointer);
    if (!b || !b->at) refuse("this object was freed, or belongs to another session of R");
    return b->at;
}

SEXP hedgerow_release(SEXP pointer) {
    if (TYPEOF(pointer) != EXTPTRSXP) refuse("this is not an object of the package");
    finalize(pointer);
    return R_NilValue;
}

/* ---- Failures ---- */

static void signal_failure(hr_status status, const char *text, const hr_error *err) {
    SEXP space = PROTECT(R_FindNamespace(PROTECT(Rf_mkString("hedgerow"))));
    SEXP parts = PROTECT(Rf_allocVector(STRSXP, 4));
    SET_STRING_ELT(parts, 0, Rf_mkCharCE(err->file, CE_UTF8));
    SET_STRING_ELT(parts, 1, Rf_mkCharCE(err->field, CE_UTF8));
    SET_STRING_ELT(parts, 2, Rf_mkCharCE(err->message, CE_UTF8));
    SET_STRING_ELT(parts, 3, Rf_mkCharCE(err->remedy, CE_UTF8));
    SEXP line = PROTECT(Rf_ScalarReal((double)err->line));
    SEXP call = PROTECT(Rf_lang5(Rf_install("fail_status"), PROTECT(Rf_ScalarInteger(status)),
                                 PROTECT(text_out(text)), parts, line));
    Rf_eval(call, space);
    Rf_error("%s", text);
}

void check(hr_status status, const hr_error *err) {
    if (status == HR_OK) return;
    hr_error plain = {.status = status};
    char text[2048];
    if (!err || err->status == HR_OK) {
        strncpy(plain.message, hr_status_text(status), sizeof plain.message - 1);
        err = &plain;
    }
    hr_error_format(err, text, sizeof text);
    signal_failure(status, text, err);
}

void refuse(const char *message) {
    hr_error err = {.status = HR_E_ARGUMENT};
    strncpy(err.message, message, sizeof err.message - 1);
    check(HR_E_ARGUMENT, &err);
}

static void look_for_interrupt(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

Rboolean was_interrupted(void) {
    return !R_ToplevelExec(look_for_interrupt, NULL);
}

/* ---- Texts and lists ---- */

const char *text_in(SEXP text) {
    if (text == R_NilValue) return NULL;
    if (TYPEOF(text) != STRSXP || XLENGTH(text) != 1 || STRING_ELT(text, 0) == NA_STRING)
        refuse("a text is expected here");
    return Rf_translateCharUTF8(STRING_ELT(text, 0));
}

const char **texts_in(SEXP texts) {
    if (texts == R_NilValue) return NULL;
    if (TYPEOF(texts) != STRSXP) refuse("texts are expected here");
    const size_t count = (size_t)XLENGTH(texts);
    const char **out = (const char **)R_alloc(count + 1, sizeof *out);
    for (size_t i = 0; i < count; i++) out[i] = Rf_translateCharUTF8(STRING_ELT(texts, (R_xlen_t)i));
    out[count] = NULL;
    return out;
}

SEXP text_out(const char *text) {
    return Rf_ScalarString(text ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING);
}

static void release_text(void *at) {
    hr_text_free(at);
}

SEXP text_box(void) {
    return box_new("text", release_text, R_NilValue);
}

SEXP text_taken(SEXP holder, char *text) {
    box_fill(holder, text);
    SEXP out = PROTECT(text_out(text));
    finalize(holder);
    UNPROTECT(1);
    return out;
}

SEXP named_list(const char *const *names) {
    size_t count = 0;
    while (names[count]) count++;
    SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
    SEXP labels = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++) SET_STRING_ELT(labels, (R_xlen_t)i, Rf_mkChar(names[i]));
    Rf_setAttrib(list, R_NamesSymbol, labels);
    UNPROTECT(2);
    return list;
}

SEXP element(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < XLENGTH(list) && names != R_NilValue; i++)
        if (!strcmp(CHAR(STRING_ELT(names, i)), name)) return VECTOR_ELT(list, i);
    return R_NilValue;
}

double number_of(SEXP list, const char *name) {
    SEXP found = element(list, name);
    if (XLENGTH(found) != 1) refuse("a number is expected here");
    return Rf_asReal(found);
}

/* ---- Remarks ---- */

bool keep_remark(void *user, const hr_remark *remark) {
    remark_list *list = user;
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 16;
        hr_remark *items = realloc(list->items, room * sizeof *items);
        if (!items) return true;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = *remark;
    return true;
}

static void release_remarks(void *at) {
    remark_list *list = at;
    free(list->items);
    free(list);
}

SEXP remark_box(void) {
    SEXP pointer = PROTECT(box_new("remarks", release_remarks, R_NilValue));
    remark_list *list = calloc(1, sizeof *list);
    if (!list) check(HR_E_MEMORY, NULL);
    box_fill(pointer, list);
    UNPROTECT(1);
    return pointer;
}

SEXP remarks_out(const remark_list *list) {
    static const char *const names[] = {"kind",  "level",   "status", "text",
                                        "field", "message", "remedy", NULL};
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)list->count));
    for (size_t i = 0; i < list->count; i++) {
        const hr_remark *r = &list->items[i];
        char text[2048];
        hr_error_format(&r->what, text, sizeof text);
        SEXP one = named_list(names);
        SET_VECTOR_ELT(out, (R_xlen_t)i, one);
        SET_VECTOR_ELT(one, 0, Rf_ScalarInteger((int)r->kind));
        SET_VECTOR_ELT(one, 1, Rf_ScalarInteger((int)r->level));
        SET_VECTOR_ELT(one, 2, Rf_ScalarInteger(r->what.status));
        SET_VECTOR_ELT(one, 3, text_out(text));
        SET_VECTOR_ELT(one, 4, text_out(r->what.field));
        SET_VECTOR_ELT(one, 5, text_out(r->what.message));
        SET_VECTOR_ELT(one, 6, text_out(r->what.remedy));
    }
    UNPROTECT(1);
    return out;
}

/* ---- Small questions ---- */

SEXP hedgerow_is_open(SEXP pointer) {
    const box *b = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    return Rf_ScalarLogical(b && b->at);
}

/* How many objects of the library there are: for tests of what frees them. */
SEXP hedgerow_live_count(void) {
    return Rf_ScalarReal((double)live);
}

/* What is spent or promised, as people read it: rounded up. */
SEXP hedgerow_amount_texts(SEXP amounts) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, XLENGTH(amounts)));
    for (R_xlen_t i = 0; i < XLENGTH(amounts); i++) {
        char text[HR_AMOUNT_TEXT];
        hr_spent_text(REAL(amounts)[i], text);
        SET_STRING_ELT(out, i, Rf_mkChar(text));
    }
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_library_version(void) {
    return text_out(hr_version());
}
