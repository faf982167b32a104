/* The receipts that an owner has signed: a table in the file of its ledger, beside its entries.
 *
 * A receipt is stored in the transaction that makes its entry, so the ledger has both or neither. Rows are
 * never changed or removed. A chain is that of one coordinator in one federation. Two receipts of a chain
 * have one number only where an older copy of the ledger was used. Thread: one at a time. */
#ifndef HR_PRIVACY_LEDGER_RECEIPTS_H
#define HR_PRIVACY_LEDGER_RECEIPTS_H

#include "privacy/ledger/journal.h"

enum { HR_RECEIPT_DIGEST = 32 };

typedef struct hr_receipt_chain {
    const char *federation, *coordinator;
} hr_receipt_chain;

typedef struct hr_receipt_row {
    uint64_t number; /* from 1 on */
    uint8_t digest[HR_RECEIPT_DIGEST];
    int64_t entry; /* of the ledger */
    hr_blob bytes; /* the receipt */
} hr_receipt_row;

/* Makes the table if the file has none. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_receipts_prepare(hr_ledger *ledger, hr_error *err);

/* Adds a row, within a transaction. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_receipts_put(hr_ledger *ledger, const hr_receipt_chain *chain,
                                        const hr_receipt_row *row, hr_error *err);

/* Whether the chain has a receipt with this number and digest; false in a file without the table. Fails: IO,
 * MEMORY. */
HR_MUST_CHECK hr_status hr_receipts_have(hr_ledger *ledger, const hr_receipt_chain *chain, uint64_t number,
                                         const uint8_t digest[HR_RECEIPT_DIGEST], bool *out, hr_error *err);

/* The newest receipts of a chain: those above a number, and at most so many. */
typedef struct hr_receipt_query {
    hr_receipt_chain chain;
    uint64_t above;
    size_t most;
} hr_receipt_query;

/* Oldest first. Fails: IO, MEMORY, and as visit. */
HR_MUST_CHECK hr_status hr_receipts_newest(hr_ledger *ledger, const hr_receipt_query *query,
                                           hr_status (*visit)(void *user, const hr_receipt_row *row),
                                           void *user, hr_error *err);

#endif
