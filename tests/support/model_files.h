/* Model files as text: the golden ones, and forgeries of them that the reader must refuse. */
#ifndef HR_TESTS_SUPPORT_MODEL_FILES_H
#define HR_TESTS_SUPPORT_MODEL_FILES_H

#include "support/model_parts.h"
#include "support/model_text.h"

/* Owner: the caller. */
char *read_golden(const char *name);
hr_model *parse_golden(const char *name);
/* The golden file of version 3, as it is written now. */
char *written_golden(const char *name);

typedef struct forgery {
    const char *from, *to; /* the first occurrence in the golden file is replaced */
    const char *field;     /* the key path that the refusal names */
    const char *message;   /* part of it */
} forgery;

char *forge_model(const char *text, const forgery *f);
void assert_refused(const char *golden, const forgery *forgeries, size_t count);

#endif
