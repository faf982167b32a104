/* Outputs that a budget pays for. Each is written as its file and read by the reader of such files before its
 * budget is final and before it goes anywhere: what nobody can read is found here, and not by who needs it.
 */
#ifndef HR_FIT_PAID_H
#define HR_FIT_PAID_H

#include <hedgerow/ledger.h>

/* One kind of output. */
typedef struct hr_paid_kind {
    const char *name; /* in messages: "model" */
    /* The text of its file. Owner: the caller frees *text with hr_text_free. Fails: MEMORY. */
    hr_status (*render)(const void *output, char **text, hr_error *err);
    /* Reads that text strictly, and writes what it read. Owner: as render. Fails: FORMAT, MEMORY, or whatever
     * the reader refuses. */
    hr_status (*rewrite)(const char *text, char **again, hr_error *err);
} hr_paid_kind;

extern const hr_paid_kind hr_paid_model /* hr_model */, hr_paid_schema /* hr_schema */;

/* Whether the output, written and read again, has the same bytes. What has not stays paid for: its text is
 * written to `path`, for its owner alone, in place of what is there (NULL: nowhere), and the error says so.
 * Fails: FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_paid_check(const hr_paid_kind *kind, const void *output, const char *path,
                                      hr_error *err);

/* The same, and then hr_ledger_commit: the only call of it. The path is LEDGER.entry-N.unread. `ledger` NULL:
 * there is none. Fails: also IO. */
HR_MUST_CHECK hr_status hr_paid_commit(const hr_paid_kind *kind, const void *output, hr_ledger *ledger,
                                       int64_t entry, hr_error *err);

#endif
