/* Federations: who takes part, and how what they say reaches the others.
 *
 * hr_federation_init makes the files of a new federation: one folder for the broker, and one for each member.
 * The broker carries sealed packets and is trusted with nothing else.
 *
 * In a library that was built without a feature, functions that need it fail with ABSENT and do nothing; the
 * remedy names the packages and the build option. hr_meet and hr_simulate need `federation`; hr_serve,
 * hr_coordinate, hr_federation_init and hr_federation_open need `nats` as well; keys need neither. */
#ifndef HEDGEROW_FEDERATION_H
#define HEDGEROW_FEDERATION_H

#include <hedgerow/model.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A member of a federation that is being made. */
typedef struct hr_new_member {
    const char *name; /* a small letter or digit, then small letters, digits and '-'; at most 32 */
    const char *key;  /* its public key as text; NULL: a secret key is made for it */
} hr_new_member;

typedef struct hr_federation_options {
    size_t size;      /* sizeof(hr_federation_options) */
    const char *name; /* as a member's */
    const char *url;  /* of the broker, tls://HOST:PORT, as members dial it */
    const hr_new_member *members;
    size_t member_count; /* 2..256; names and keys are unique */
} hr_federation_options;

/* Makes the folder, which must not exist, with
 *     federation.yaml, ca.pem   the members and their public keys; the certificate of the authority
 *     authority/                the authority's secret key, which can sign certificates of new members
 *     broker/                   the configuration of nats-server; the admin's certificate for
 *                               hr_federation_open
 *     NAME/                     for each member: the two files above, its certificate, and NAME.key if its
 *                               secret key was made here
 * Secrets are readable by the owner of the files alone. On failure nothing is left.
 * Fails: ARGUMENT (a name, a key, the URL), POLICY (the folder exists), IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_init(const char *folder, const hr_federation_options *options,
                                                  hr_error *err);

/* Makes the members' inboxes at the broker, which must run. What is there already keeps its packets, so it
 * may be called again at any time. `folder` is one that hr_federation_init made. Fails: IO, POLICY (the
 * broker refuses), FORMAT (federation.yaml), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_open(const char *folder, hr_error *err);

/* ---- Keys ---- */

enum { HR_KEY_TEXT = 56 }; /* of a public key as text, with its NUL */

/* Makes the key that a member is known by: the secret goes to a new file, which only its owner may read and
 * which must not leave its machine; the public key, "hr-ed25519:" and base64, is for the federation file of
 * all. Thread: any. Fails: POLICY (the file exists), IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_key_create(const char *path, char public_key[HR_KEY_TEXT], hr_error *err);

/* The public key of the secret key in a file. Thread: any. Fails: POLICY (others may read the file), FORMAT,
 * IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_key_public(const char *path, char public_key[HR_KEY_TEXT], hr_error *err);

/* ---- Training together ---- */

/* How a party is to work, and whom it tells. */
typedef struct hr_party_settings {
    size_t size; /* sizeof(hr_party_settings) */
    int threads; /* of one training, or of a simulation; 0: as many as there are processors */
    size_t jobs; /* hr_serve: return when so many jobs are over; 0: never */
    bool (*should_continue)(
        void *user); /* asked about once a second, but for while a tree is trained; false: stop now,
                      * go on at the next call (a simulation begins anew). May be NULL */
    void (*log_line)(
        void *user,
        const char *line); /* progress, refusals, what somebody else did wrong; for people. May be NULL */
    void *user;
} hr_party_settings;
#define HR_PARTY_SETTINGS_INIT                                                                               \
    { sizeof(hr_party_settings), 0, 0, NULL, NULL, NULL }

/* Serves an owner's records to the coordinators that its policy names, as docs/federation.md says: waits for
 * jobs, looks at their terms, trains, passes on. `file` is an owner file (docs/formats.md). After a crash or
 * a stop it goes on where it was. A broker that does not answer is waited for, until should_continue says no:
 * log_line hears of it once, and once more when it is there. Spends: of each job that it accepts at most its
 * epsilon, in its ledger, before any noise is drawn. Fails: IO, FORMAT, SCHEMA, POLICY (its file, key, data,
 * ledger; or the broker refuses), CANCELLED (should_continue), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_serve(const char *file, const hr_party_settings *settings, hr_error *err);

/* Asks the owners that a job file names for a model, and writes it to `model`, which must not exist unless
 * the job was begun before; such a job goes on where it was. Owner: the caller frees *out with hr_model_free.
 * Waits for the broker as hr_serve. Fails: as hr_serve; POLICY (the job ended without a model; or `model`
 * exists). */
HR_API HR_MUST_CHECK hr_status hr_coordinate(const char *file, const char *model,
                                             const hr_party_settings *settings, hr_model **out,
                                             hr_error *err);

/* The owners of a meeting, by their owner files. */
typedef struct hr_owner_files {
    const char *const *files;
    size_t file_count;
} hr_owner_files;

/* The same with all parties in one process and no broker: the job file's coordinator and those owners, with
 * their own records, keys and ledgers. Spends: as hr_serve, of every owner. Owner and Fails: as hr_coordinate
 * and hr_serve. */
HR_API HR_MUST_CHECK hr_status hr_meet(const char *file, const char *model, const hr_owner_files *owners,
                                       const hr_party_settings *settings, hr_model **out, hr_error *err);

/* What takes part in a simulation. */
typedef struct hr_simulation_data {
    const char *const *files; /* tables that follow the job's schema */
    size_t file_count;
    size_t parties; /* 0: every file is an owner's; else each record of the one file draws one of so many
                     * owners, independently of the others; an owner may get none. The model's guarantee is
                     * then for one record of the file */
} hr_simulation_data;

/* The same job, roles and messages in one process, without a broker; the members in the job file are
 * ignored. Nothing is spent in any ledger: the model is as private as if all owners had taken part, and
 * the program has all of their records. Owner: the caller frees *out with hr_model_free. Fails: as
 * hr_coordinate. */
HR_API HR_MUST_CHECK hr_status hr_simulate(const char *file, const hr_simulation_data *data,
                                           const hr_party_settings *settings, hr_model **out, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
