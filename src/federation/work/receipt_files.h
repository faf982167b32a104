/* The receipts that a coordinator has of its owners: files in FOLDER/OWNER, named by their numbers, each a
 * Receipt. People carry the folder of an owner to it (`hedgerow ledger verify`). */
#ifndef HR_FEDERATION_WORK_RECEIPT_FILES_H
#define HR_FEDERATION_WORK_RECEIPT_FILES_H

#include "federation/config/fields.h"
#include "federation/protocol/message.h"

/* JOURNAL.receipts: a journal is that of one coordinator in one federation. Owner: the caller frees *out.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_receipt_folder(const char *journal, char **out, hr_error *err);

/* Brings a receipt to the disk; the same one again changes nothing. Fails: FORMAT (no receipt), IO, MEMORY.
 */
HR_MUST_CHECK hr_status hr_receipt_file_store(const char *folder, const char *owner, const hr_bytes *receipt,
                                              hr_error *err);

/* Adds the last receipt of each owner to packed terms. Fails: FORMAT (a file that is no receipt), IO, MEMORY.
 */
HR_MUST_CHECK hr_status hr_receipt_files_show(const char *folder, hr_bytes *terms, hr_error *err);

/* A receipt in a file. */
typedef struct hr_receipt_file {
    const char *path;
    const Hedgerow__Receipt *receipt;
    hr_bytes bytes;
} hr_receipt_file;

/* Shows the receipts in a folder of one owner, in the order of their numbers. A file of another name is left
 * out. Fails: FORMAT (a file that is no receipt), IO (also: no folder), MEMORY, and as visit. */
HR_MUST_CHECK hr_status hr_receipt_files_each(const char *folder,
                                              hr_status (*visit)(void *user, const hr_receipt_file *file),
                                              void *user, hr_error *err);

#endif
