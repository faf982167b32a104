/* One process at a time works from a journal: two would each draw noise for the same question, and send two answers.
 *
 * A claim is a lock on a file beside the journal, NAME.lock, which is there for as long as somebody holds it. The lock ends with the
 * process. The journal itself stays open to others: `hedgerow ledger` and `hedgerow train` may use a ledger that serves a federation. */
#ifndef HR_LEDGER_CLAIM_H
#define HR_LEDGER_CLAIM_H

#include <hedgerow/status.h>

typedef struct hr_claim hr_claim;

/* Owner: the caller frees *out with hr_claim_end. Fails: IO (somebody has it; the file cannot be made), MEMORY. */
HR_MUST_CHECK hr_status hr_claim_take(const char *path, hr_claim **out, hr_error *err);
/* NULL is allowed. */
void hr_claim_end(hr_claim *claim);

#endif
