/* The folder of a federation: what it holds, and the steps of writing it, for a new federation and for one
 * that changes. */
#ifndef HR_FEDERATION_CONFIG_FEDERATION_DIR_H
#define HR_FEDERATION_CONFIG_FEDERATION_DIR_H

#include "base/arena.h"
#include "federation/config/federation_file.h"
#include "federation/transport/address.h"
#include "federation/transport/certificates.h"
#include "federation/transport/nats.h"
#include "privacy/crypto/identity.h"

#include <hedgerow/federation.h>
#include <sys/stat.h>

enum { HR_SECRET_RIGHTS = S_IRUSR | S_IWUSR, HR_PUBLIC_RIGHTS = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH };

/* ---- Reading ---- */

/* As hr_federation_init made it. */
typedef struct hr_federation_dir {
    const char *folder;
    hr_federation_file federation;
    const char **names;    /* of the members */
    hr_nats_options admin; /* connects as the broker's admin */
} hr_federation_dir;

/* Owner: *out lives in the arena. Fails: IO, FORMAT (federation.yaml), MEMORY. */
HR_MUST_CHECK hr_status hr_federation_dir_read(const char *folder, hr_arena *arena, hr_federation_dir *out,
                                               hr_error *err);

/* ---- Writing ---- */

typedef struct hr_federation_writer {
    const hr_federation_options *options; /* the federation as it shall be */
    size_t version;
    const char *root; /* folder of the federation */
    hr_arena *arena;
    const struct hr_written *last;    /* of the files and folders that were made */
    char (*keys)[HR_PUBLIC_KEY_TEXT]; /* of the members */
    hr_record_bounds *records;        /* of the members; most 0: none. NULL: of nobody */
    hr_error *err;
} hr_federation_writer;

/* Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_writer_check(const hr_federation_options *options, hr_broker_address *address,
                                        hr_error *err);
hr_status hr_writer_refuse_name(const char *what, const char *name, hr_error *err);

/* "ROOT/FOLDER/NAME"; an empty folder or name is left out. NULL when memory is short. */
const char *hr_writer_path(const hr_federation_writer *w, const char *folder, const char *name);

/* New folders and files. Fails: POLICY (it exists), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_writer_folder(hr_federation_writer *w, const char *folder);
HR_MUST_CHECK hr_status hr_writer_file(hr_federation_writer *w, const char *folder, const char *name,
                                       unsigned rights, const char *text);
/* The folder of a member, and its public key as text in w->keys; its secret key, if it gave no public one. */
HR_MUST_CHECK hr_status hr_writer_member(hr_federation_writer *w, size_t index);
/* A new certificate: FILE.pem and FILE-key.pem. */
HR_MUST_CHECK hr_status hr_writer_certificate(hr_federation_writer *w, const hr_authority *authority,
                                              hr_certificate_use use, const char *subject, const char *folder,
                                              const char *file);
/* federation.yaml and ca.pem, with these texts. */
HR_MUST_CHECK hr_status hr_writer_public(hr_federation_writer *w, const char *folder, const char *federation,
                                         const char *authority);
/* The hosts of all brokers, with commas between, in the arena. NULL when memory is short. */
const char *hr_writer_hosts(const hr_federation_writer *w, const hr_broker_address *address);
/* Removes all that was made. */
void hr_writer_undo(const hr_federation_writer *w);

/* federation.yaml, and the configuration of one of the brokers. Owner: the caller frees *out with free().
 * Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_writer_render(const hr_federation_writer *w, char **out);
HR_MUST_CHECK hr_status hr_writer_config(const hr_federation_writer *w, const hr_broker_address *address,
                                         size_t index, char **out);

#endif
