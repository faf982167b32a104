/* How a call of this library says that it failed, and why.
 *
 * Every function that can fail returns an hr_status: HR_OK is 0, failures are negative. Functions whose
 * failure a person must understand take a trailing `hr_error *err`, which may be NULL. On failure the outputs
 * of a call are untouched. */
#ifndef HEDGEROW_STATUS_H
#define HEDGEROW_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HR_API __attribute__((visibility("default")))
#define HR_MUST_CHECK __attribute__((warn_unused_result))
#else
#define HR_API
#define HR_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hr_status {
    HR_OK = 0,
    HR_E_MEMORY = -1,     /* an allocation failed */
    HR_E_ARGUMENT = -2,   /* an argument or option is outside its documented range */
    HR_E_IO = -3,         /* the operating system refused to read or write */
    HR_E_FORMAT = -4,     /* bytes are not what their format says */
    HR_E_SCHEMA = -5,     /* data and schema do not fit each other */
    HR_E_BUDGET = -6,     /* the privacy budget is too small; nothing was spent */
    HR_E_POLICY = -7,     /* refused by a rule the owner set or that protects it */
    HR_E_ABSENT = -8,     /* this build lacks the feature */
    HR_E_LIMIT = -9,      /* the input is larger than a documented limit */
    HR_E_CANCELLED = -10, /* the caller's progress callback asked to stop */
    HR_E_JOB = -11,       /* a job of a federation ended without a model */
    HR_E_BUSY = -13       /* another process works with the file already */
} hr_status;

/* What went wrong, where, and what to do about it. The caller provides the storage; the library fills it on
 * failure only. Empty strings and zeros mean "does not apply". Lines and columns count from 1. */
typedef struct hr_error {
    hr_status status;
    char file[256];
    uint64_t line;
    uint64_t column;
    char field[128];
    char message[384];
    char remedy[384];
} hr_error;

/* The name of a status in words, such as "out of memory". Never NULL. Thread: any. */
HR_API const char *hr_status_text(hr_status status);

/* Writes "FILE:LINE:COLUMN: field 'NAME': MESSAGE; REMEDY" (parts that do not apply are left out) into
 * `text`, always ended by NUL; returns the length it would have had, as snprintf does. Thread: any. */
HR_API size_t hr_error_format(const hr_error *err, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
