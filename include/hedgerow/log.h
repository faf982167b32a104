/* Lines for people, from the parties of a federation. Nothing in a line depends on a record, but through what
 * a release paid for. */
#ifndef HEDGEROW_LOG_H
#define HEDGEROW_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hr_log_level {
    HR_LOG_ERROR,   /* something that was asked for is not done; a person has to act */
    HR_LOG_WARNING, /* the work goes on without something: an owner, an answer, a packet */
    HR_LOG_INFO,    /* progress */
    HR_LOG_DEBUG    /* each step */
} hr_log_level;

/* Texts are valid during the call that hands them out. They hold no control characters but those of names of
 * the program's own files. */
typedef struct hr_log_line {
    hr_log_level level;
    const char *owner, *coordinator; /* the member whose line it is: one of them, the other is NULL; both are,
                                        of a simulated coordinator */
    const char *job;                 /* its id, 32 hexadecimal digits; NULL: of no job, or of all */
    const char *text;                /* without a line's end */
} hr_log_line;

#ifdef __cplusplus
}
#endif
#endif
