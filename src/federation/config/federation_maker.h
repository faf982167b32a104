/* Steps of writing the files of a federation, for a new one and for one that changes. */
#ifndef HR_FEDERATION_CONFIG_FEDERATION_MAKER_H
#define HR_FEDERATION_CONFIG_FEDERATION_MAKER_H

#include "base/arena.h"
#include "federation/transport/address.h"
#include "federation/transport/certificates.h"
#include "privacy/crypto/identity.h"

#include <hedgerow/federation.h>
#include <sys/stat.h>

enum { HR_SECRET_RIGHTS = S_IRUSR | S_IWUSR, HR_PUBLIC_RIGHTS = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH };

typedef struct hr_maker {
    const hr_federation_options *options; /* the federation as it shall be */
    size_t version;
    const char *root; /* folder of the federation */
    hr_arena *arena;
    const struct hr_made *last;       /* of the files and folders that were made */
    char (*keys)[HR_PUBLIC_KEY_TEXT]; /* of the members */
    hr_error *err;
} hr_maker;

/* Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_maker_check(const hr_federation_options *options, hr_broker_address *address,
                                       hr_error *err);
hr_status hr_maker_refuse_name(const char *what, const char *name, hr_error *err);

/* "ROOT/FOLDER/NAME"; an empty folder or name is left out. NULL when memory is short. */
const char *hr_maker_path(const hr_maker *m, const char *folder, const char *name);

/* New folders and files. Fails: POLICY (it exists), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_maker_folder(hr_maker *m, const char *folder);
HR_MUST_CHECK hr_status hr_maker_file(hr_maker *m, const char *folder, const char *name, unsigned rights,
                                      const char *text);
/* The folder of a member, and its public key as text in m->keys; its secret key, if it gave no public one. */
HR_MUST_CHECK hr_status hr_maker_member(hr_maker *m, size_t index);
/* A new certificate: FILE.pem and FILE-key.pem. */
HR_MUST_CHECK hr_status hr_maker_certificate(hr_maker *m, const hr_authority *authority,
                                             hr_certificate_use use, const char *subject, const char *folder,
                                             const char *file);
/* federation.yaml and ca.pem, with these texts. */
HR_MUST_CHECK hr_status hr_maker_public(hr_maker *m, const char *folder, const char *federation,
                                        const char *authority);
/* Takes away all that was made. */
void hr_maker_undo(const hr_maker *m);

/* federation.yaml, and the broker's configuration. Owner: the caller frees *out with free(). Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_maker_render(const hr_maker *m, char **out);
HR_MUST_CHECK hr_status hr_maker_config(const hr_maker *m, const hr_broker_address *address, char **out);

#endif
