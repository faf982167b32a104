/* Invented tables, for examples and tests. */
#include "hedgerow.h"

#include <stdlib.h>
#include <string.h>

typedef struct buffer {
    char *bytes;
    size_t size, room;
} buffer;

static void release_buffer(void *at) {
    buffer *b = at;
    free(b->bytes);
    free(b);
}

static bool append(void *user, const char *bytes, size_t size) {
    buffer *b = user;
    if (b->room - b->size <= size) {
        const size_t room = 2 * (b->room + size) + 1;
        char *more = realloc(b->bytes, room);
        if (!more) return false;
        b->bytes = more;
        b->room = room;
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    b->bytes[b->size] = 0;
    return true;
}

/* The table as CSV, and its schema. */
SEXP hedgerow_generate_hospital(SEXP rows, SEXP seed, SEXP visits) {
    static const char *const names[] = {"table", "schema", NULL};
    SEXP out = PROTECT(named_list(names)), holder = PROTECT(box_new("buffer", release_buffer, R_NilValue));
    SEXP text_holder = PROTECT(text_box());
    buffer *b = calloc(1, sizeof *b);
    if (!b) check(HR_E_MEMORY, NULL);
    box_fill(holder, b);
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = (uint64_t)Rf_asReal(rows);
    options.seed = (uint64_t)Rf_asReal(seed);
    options.visits = (uint64_t)Rf_asReal(visits);
    hr_error err = {0};
    char *yaml = NULL;
    check(hr_generate(&options, append, b, &err), &err);
    check(hr_generate_schema(&options, &yaml, &err), &err);
    SET_VECTOR_ELT(out, 1, text_taken(text_holder, yaml));
    SET_VECTOR_ELT(out, 0, text_out(b->bytes));
    hedgerow_release(holder);
    UNPROTECT(3);
    return out;
}
