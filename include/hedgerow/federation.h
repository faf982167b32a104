/* Federations: who takes part, and how what they say reaches the others.
 *
 * hr_federation_init makes the files of a new federation: one folder for the broker, and one for each member.
 * The broker carries sealed packets and is trusted with nothing else.
 *
 * In a library that was built without a feature, functions that need it fail with ABSENT and do nothing; the
 * remedy names the packages and the build option. hr_meet, hr_simulate and hr_job_plan need `federation`;
 * hr_serve and hr_coordinate without a carrier, and all hr_federation_ functions, need `nats` as well; keys
 * need neither. */
#ifndef HEDGEROW_FEDERATION_H
#define HEDGEROW_FEDERATION_H

#include <hedgerow/evaluation.h>
#include <hedgerow/fit.h>
#include <hedgerow/ledger.h>
#include <hedgerow/log.h>
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
    const char *url;  /* of the broker, tls://HOST:PORT, as members dial it; or three or five of a cluster,
                         with commas between */
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
 * Fails: ARGUMENT (a name, a key, the URL), IO (or the folder exists), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_init(const char *folder, const hr_federation_options *options,
                                                  hr_error *err);

/* Makes the members' inboxes at the broker, which must run, and opens each of them once as its member, as far
 * as the member's certificate is in the folder; nothing is taken from them. What is there already keeps its
 * packets, so it may be called again at any time. `folder` is one that hr_federation_init made. Fails: IO
 * (also: the inboxes are made, and a member cannot use its own; the message names all of these), POLICY (the
 * broker refuses), LIMIT (the broker's store is too small for so many members), FORMAT (federation.yaml),
 * MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_open(const char *folder, hr_error *err);

/* ---- Changes ---- */

/* A new member, with files as hr_federation_init makes them. Like hr_federation_remove and
 * hr_federation_rekey it replaces federation.yaml, whose version goes up by one, its copies in the members'
 * folders that are still there, and broker/nats.conf. The broker then has to read its configuration again,
 * twice after hr_federation_add (nats-server makes the account of a new member at the first time, and
 * connects it at the second), hr_federation_open has to be called, and every member needs the new
 * federation.yaml. Needs
 * authority/ca-key.pem. On failure federation.yaml is as before; the same call may be made again. Fails:
 * ARGUMENT (as hr_federation_init), IO (or the member's folder exists), FORMAT (federation.yaml,
 * ca-key.pem), IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_add(const char *folder, const hr_new_member *member,
                                                 hr_error *err);
/* The member's folder stays. Fails: ARGUMENT (no member, or fewer than 2 would be left), FORMAT, IO, MEMORY.
 */
HR_API HR_MUST_CHECK hr_status hr_federation_remove(const char *folder, const char *name, hr_error *err);
/* Another public key of a member; member->key is not NULL. Fails: ARGUMENT (no member; the key), FORMAT, IO,
 * MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_rekey(const char *folder, const hr_new_member *member,
                                                   hr_error *err);

/* How long a certificate holds, unless another number is asked for: ten years. */
#define HR_RENEWAL_DAYS 3653

/* A new certificate, with a new key, of a member, of "broker", or of "admin", in place of the one in the
 * folder, which stays valid until it expires. It holds for `days`, 1 to HR_RENEWAL_DAYS, but not longer than
 * the authority. federation.yaml does not change. Needs authority/ca-key.pem. Fails: ARGUMENT (no member, or
 * the days), FORMAT, IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_renew(const char *folder, const char *name, unsigned days,
                                                   hr_error *err);

/* A new authority, with a new key, which signs from now on. Certificates of the previous one stay valid:
 * ca.pem has both until hr_federation_drop_authority. Replaces ca.pem in the folder, the broker's folder and
 * the members' folders that are still there, authority/ca-key.pem, and federation.yaml, whose version goes up
 * by one. Fails: ARGUMENT (ca.pem has two already), FORMAT, IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_renew_authority(const char *folder, hr_error *err);
/* Takes the previous authority out of ca.pem, with the same files as above but for the key. Fails: ARGUMENT
 * (there is one alone), POLICY (certificates in the folder are still of the previous one; the message names
 * whose), FORMAT, IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_drop_authority(const char *folder, hr_error *err);

/* A certificate in the folder of a federation. */
typedef struct hr_certificate_info {
    const char
        *name;    /* a member, "broker", "admin", or "authority": ca.pem, of whose the last to end counts */
    int64_t ends; /* the last second in which it holds, since 1970 began */
    const char *remark; /* that it has expired, or expires within 60 days, and when; "": neither */
    const char *remedy; /* what to do about it; "": nothing */
} hr_certificate_info;

/* Calls `visit` for every certificate that is in the folder, the authority's first, until it returns false.
 * The broker is not asked. Texts are valid during the call only. Fails: FORMAT, IO (federation.yaml), MEMORY.
 */
HR_API HR_MUST_CHECK hr_status hr_federation_certificates(
    const char *folder, bool (*visit)(void *user, const hr_certificate_info *certificate), void *user,
    hr_error *err);

enum { HR_FINGERPRINT_TEXT = 50 }; /* with its NUL */

/* The version of a federation file, and a short text that members compare: it is equal where name, version,
 * broker, its authority and the members with their keys are. Fails: FORMAT, IO (ca.pem, too), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_federation_fingerprint(const char *file, uint64_t *version,
                                                         char text[HR_FINGERPRINT_TEXT], hr_error *err);

/* ---- Receipts ---- */

typedef enum hr_receipt_state {
    HR_RECEIPT_HELD,    /* the ledger has its entry */
    HR_RECEIPT_MISSING, /* the ledger is an older copy: it lacks the entry */
    HR_RECEIPT_ENTERED  /* hr_receipts_restore has entered it */
} hr_receipt_state;

/* A receipt that an owner signed for a coordinator when its ledger was charged for a job. */
typedef struct hr_receipt_info {
    const char *file, *federation, *owner, *coordinator, *purpose;
    char job[9];     /* the first digits of its id */
    uint64_t number; /* in the chain of this owner and coordinator, from 1 on */
    int64_t date;    /* of the charge: seconds since 1970 began */
    double epsilon, delta;
    hr_receipt_state state;
} hr_receipt_info;

/* Is called for each receipt, until it returns false. Its texts are valid during the call only. */
typedef bool hr_receipt_visit(void *user, const hr_receipt_info *receipt);

/* Compares the receipts of a folder, which a coordinator has of one owner, with the owner's ledger. `key` is
 * the file of the owner's secret key, or its public key as text. Visits are in the order of the receipts'
 * numbers. Fails: POLICY (a receipt that was not signed with this key), FORMAT, IO, ARGUMENT (no receipts in
 * the folder), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_receipts_verify(const char *ledger, const char *folder, const char *key,
                                                  hr_receipt_visit *visit, void *user, hr_error *err);
/* The same, and enters what is missing as spent, whatever the limits are, all or nothing. The visits are made
 * before it is on the disk. Fails: as hr_receipts_verify; POLICY (another unit than the ledger's), too. */
HR_API HR_MUST_CHECK hr_status hr_receipts_restore(const char *ledger, const char *folder, const char *key,
                                                   hr_receipt_visit *visit, void *user, hr_error *err);

/* ---- Inboxes ---- */

/* Packets of one sender that wait in one inbox. */
typedef struct hr_waiting_packets {
    const char *to, *from;
    uint64_t packets, bytes;
    int64_t oldest; /* when the first was sent: seconds since 1970 began */
} hr_waiting_packets;

/* Calls `visit` for every inbox and sender with at least one packet, by name, until it returns false. Texts
 * are valid during the call only. Fails: as hr_federation_open. */
HR_API HR_MUST_CHECK hr_status hr_federation_show(const char *folder,
                                                  bool (*visit)(void *user,
                                                                const hr_waiting_packets *waiting),
                                                  void *user, hr_error *err);

/* Deletes what waits in the inbox `to`, of one sender, or of all if `from` is NULL; *packets is how many
 * waited. Members send unacknowledged packets again. Fails: as hr_federation_open; ARGUMENT (a name). */
HR_API HR_MUST_CHECK hr_status hr_federation_purge(const char *folder, const char *to, const char *from,
                                                   uint64_t *packets, hr_error *err);

/* ---- Keys ---- */

enum { HR_KEY_TEXT = 56 }; /* of a public key as text, with its NUL */

/* Makes the key that a member is known by: the secret goes to a new file, which only its owner may read and
 * which must not leave its machine; the public key, "hr-ed25519:" and base64, is for the federation file of
 * all. Thread: any. Fails: IO (or the file exists), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_key_create(const char *path, char public_key[HR_KEY_TEXT], hr_error *err);

/* The public key of the secret key in a file. Thread: any. Fails: POLICY (others may read the file), FORMAT,
 * IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_key_public(const char *path, char public_key[HR_KEY_TEXT], hr_error *err);

/* ---- Training together ---- */

/* What became of an owner in a job of hr_coordinate, when the job is over. */
typedef enum hr_owner_part {
    HR_OWNER_PART_TAKEN,
    HR_OWNER_PART_DECLINED, /* or withdrew */
    HR_OWNER_PART_SILENT,   /* it did not answer the offer */
    HR_OWNER_PART_CUT_OFF,  /* it broke the protocol */
    HR_OWNER_PART_ACCEPTED  /* and the job started without it, or not at all */
} hr_owner_part;

typedef struct hr_owner_report {
    const char *name;
    hr_owner_part part;
    size_t trees, skipped; /* turns of which a tree came, and turns that stayed empty */
    const char *reason;    /* why it declined, was cut off, or is not in the job; "": none was given */
} hr_owner_report;

/* How a job ends at a party. Numbers are sent to other members, and never given to another ending. */
typedef enum hr_job_ending {
    HR_JOB_OPEN,       /* it has not ended */
    HR_JOB_DONE,       /* the coordinator has the result */
    HR_JOB_SENT,       /* owner: its model of an average was sent, and it waits for nobody */
    HR_JOB_DECLINED,   /* by this owner; coordinator: by every owner */
    HR_JOB_FAILED,     /* for none of the other reasons */
    HR_JOB_CANCELLED,  /* by a person, at this party or at the coordinator */
    HR_JOB_NOT_BEGUN,  /* too few owners took part */
    HR_JOB_TIMED_OUT,  /* an owner that the job needs missed the deadline */
    HR_JOB_NO_ANSWER,  /* an owner that the job needs has no answer, or ended its part; or no owner has one */
    HR_JOB_VIOLATED,   /* a member that the job needs broke the protocol */
    HR_JOB_IMPOSSIBLE, /* no records have the total that the owners sent */
    HR_JOB_REMOVED,    /* a member is no longer in the federation file */
    HR_JOB_LEFT_OUT,   /* owner: the job ran without it */
    HR_JOB_REPLACED,   /* owner: newer offers took the place of one that nobody had decided on */
    HR_JOB_EXPIRED,    /* owner: it is older than the policy's days */
    HR_JOB_ENDINGS
} hr_job_ending;

/* What is said of an ending. All are literals. */
typedef struct hr_job_ending_info {
    const char *word;    /* in the log, the state of a job, JSON and metrics; "" of OPEN */
    int exit_code;       /* of `hedgerow coordinate` */
    const char *meaning; /* for people */
} hr_job_ending_info;

/* Thread: any. NULL: there is no such ending. */
HR_API const hr_job_ending_info *hr_job_ending_of(hr_job_ending ending);

/* What a job makes: a model; of the method evaluation, the figures of one; of the method bounds, a schema. */
typedef enum hr_job_product { HR_JOB_MODEL, HR_JOB_FIGURES, HR_JOB_SCHEMA } hr_job_product;

/* Fails: as the reading of a job file does (IO, FORMAT, LIMIT), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_job_makes(const char *file, hr_job_product *out, hr_error *err);

/* The job's schema with bounds that were released. */
typedef struct hr_joint_schema {
    hr_schema *schema;
    char statement[512]; /* the guarantee, for people */
} hr_joint_schema;

/* What came of a job: one of the three; the others are NULL. */
typedef struct hr_job_result {
    hr_model *model;
    hr_evaluation *evaluation;
    hr_joint_schema *bounded;
    const char *suspect; /* the checks that the sums of the model's owners failed, such as "record count";
                            NULL: none. Borrowed from the model, whose setting job.suspect it is */
} hr_job_result;

/* Frees what the result holds. */
HR_API void hr_job_result_free(hr_job_result *result);

/* As hr_coordinate writes it: hr_model_render, hr_evaluation_render, or the statement as comments and then
 * hr_schema_render. Owner: the caller frees *text with hr_text_free. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_job_result_render(const hr_job_result *result, char **text, hr_error *err);

typedef struct hr_job_progress hr_job_progress; /* jobs.h */

/* Sealed packets that a program of a party has sent and received, those that were sent again, too. Bytes are
 * those of the packets, without what the broker's protocol and TLS add. */
typedef struct hr_traffic {
    uint64_t packets_sent, packets_received, bytes_sent, bytes_received;
} hr_traffic;

enum { HR_CARRIER_PACKET_MAX = 786432 }; /* bytes of one packet */

/* Carries packets between the members' programs in place of a broker. It is not trusted: packets are sealed
 * and signed by their senders, and a sender sends a packet again, less and less often, until its receiver has
 * acknowledged it. So a carrier may lose, repeat, delay, reorder or change packets: what it must do is to let
 * a packet through that is sent often enough. It sees who sends to whom, sizes and times. It keeps nothing
 * secret, and need not. What a carrier cannot do, and a broker does, is to pass on who is there (`wait-for:
 * present` waits up to the deadline), and to limit what other members put into its inbox. */
typedef struct hr_carrier {
    size_t size; /* sizeof(hr_carrier) */
    void *user;  /* passed to both. They are called by the thread that works, one at a time */
    /* Takes a packet for a member of that name; the bytes are the library's. False: not now; the packet is
     * sent again later. It must not wait for the receiver. */
    bool (*send)(void *user, const char *to, const void *bytes, size_t size);
    /* Waits at most so many milliseconds for a packet, puts it into `bytes`, which has room for `max`, and
     * returns its size; 0, or more than max: none came. 0 milliseconds: work is due, which is not to be held
     * up. It may return early, as when the program wants should_continue to be asked. */
    size_t (*receive)(void *user, int milliseconds, void *bytes, size_t max);
} hr_carrier;
#define HR_CARRIER_INIT                                                                                      \
    { sizeof(hr_carrier), NULL, NULL, NULL }

/* How a party is to work, and whom it tells. */
typedef struct hr_party_settings {
    size_t size; /* sizeof(hr_party_settings) */
    int threads; /* of one training, or of a simulation; 0: see hr_threads */
    size_t jobs; /* hr_serve: return when so many jobs are over; 0: never */
    bool (*should_continue)(
        void *user); /* asked about once a second, but for while a tree is trained; false: stop now,
                      * go on at the next call (a simulation begins anew). May be NULL */
    void (*log_line)(void *user, const hr_log_line *line); /* progress, refusals, what somebody else did
                                                              wrong; for people. May be NULL */
    void *user;
    /* hr_coordinate: called for each owner that was asked, when the job is over. May be NULL */
    void (*report_owner)(void *user, const hr_owner_report *report);
    /* hr_serve: asked as should_continue; true, once for each time: the owner file and the files that it
     * names are to be read anew. A faulty file is logged, and the previous one stays in force. May be NULL */
    bool (*should_reload)(void *user);
    void (*ready)(void *user); /* hr_serve, hr_coordinate: files and journal are open, and the broker, if
                                * one is used, has answered. Called once. May be NULL */
    const char *metrics; /* hr_serve, hr_coordinate_folder: a file that is replaced every 15 seconds, and at
                          * the end, with numbers in the text format of Prometheus; NULL: none */
    /* hr_simulate: called with `user` for each remark about a table (hr_data_remarks), whose file it names,
     * before the job begins; false: it fails with that remark. May be NULL. */
    bool (*remark)(void *user, const hr_remark *remark);
    /* hr_coordinate, hr_meet: called when the coordinator's job is over. May be NULL */
    void (*report_end)(void *user, hr_job_ending ending);
    /* hr_coordinate, hr_meet: called with how far the job is while it is open: at once, and then at most five
     * times a second, by the thread that works, in no transaction; `awaits` and `since` are empty. May be
     * NULL */
    void (*progress)(void *user, const hr_job_progress *job);
    /* hr_coordinate, hr_serve: called once, when the work has ended, however it did. May be NULL */
    void (*report_traffic)(void *user, const hr_traffic *traffic);
    /* hr_serve, hr_coordinate, hr_coordinate_folder: carries the packets; the broker that the federation file
     * names is not used then, nor are certificates. Borrowed. NULL: the broker */
    const hr_carrier *carrier;
} hr_party_settings;
#define HR_PARTY_SETTINGS_INIT                                                                               \
    {                                                                                                        \
        sizeof(hr_party_settings), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,   \
            NULL                                                                                             \
    }

/* Serves an owner's records to the coordinators that its policy names, as docs/how-to/federation.md says:
 * waits for jobs, looks at their terms, trains, passes on. `file` is an owner file
 * (docs/reference/formats.md). After a crash or a stop it goes on where it was. A broker that does not answer
 * is waited for, until should_continue says no: log_line hears of it once, and once more when it is there.
 * Spends: of each job that it accepts at most its epsilon, in its ledger, before any noise is drawn. Fails:
 * IO, FORMAT, SCHEMA, POLICY (its file, key, data, ledger; or the broker refuses), CANCELLED
 * (should_continue), MEMORY. A table without records is a failure SCHEMA. */
HR_API HR_MUST_CHECK hr_status hr_serve(const char *file, const hr_party_settings *settings, hr_error *err);

/* Records in memory, each in place of a table that an owner file names. Both follow the schema of the owner
 * file, have labels, and stay as they are while they are served. The numbers of persons (hr_arrays.persons)
 * belong to the persons, not to the table: whoever is in it has the same number whenever the owner is served,
 * since a job that goes on finds by it which persons it had held out. Borrowed. */
typedef struct hr_owner_records {
    const hr_data *data; /* NULL: the table that the file names */
    const hr_data
        *test; /* that models are evaluated on; NULL: the one that the file names, if it names one */
} hr_owner_records;

/* hr_serve of records in memory; an owner file needs no `data` then. Spends: as hr_serve. Fails: as hr_serve;
 * SCHEMA (records of another schema, without labels or exposures). */
HR_API HR_MUST_CHECK hr_status hr_serve_records(const char *file, const hr_owner_records *records,
                                                const hr_party_settings *settings, hr_error *err);

/* Asks the owners that a job file names for what the job makes, and writes it to the file `result`, which
 * must not exist unless the job was begun before; such a job goes on where it was. Owner: the caller frees
 * *out with hr_job_result_free. Waits for the broker as hr_serve. Fails: as hr_serve; POLICY (every owner
 * declined; or `result` exists: what an earlier job still has to send is sent first), ABSENT
 * (hr_model_check_name) and IO (no file can be made there), both before an owner is asked; JOB (it ended
 * without a result for another reason). */
HR_API HR_MUST_CHECK hr_status hr_coordinate(const char *file, const char *result,
                                             const hr_party_settings *settings, hr_job_result *out,
                                             hr_error *err);

/* ---- A coordinator that serves ----
 *
 * Its folder holds the coordinator file, coordinator.yaml (docs/reference/formats.md), its journal, and in
 * jobs/ a folder of each job that was submitted. */

enum {
    HR_JOB_ID_TEXT = 33,  /* of a job's id, with its NUL */
    HR_JOB_NAME_TEXT = 65 /* of a job's name, with its NUL */
};

/* Runs the jobs that are submitted to the folder, in the order in which they came, as many at once as the
 * coordinator file says, and writes the result of each into its folder. After a crash or a stop it goes on
 * where it was: no job is lost, and none is offered twice. What is wrong with one job ends that job alone.
 * Waits for the broker, and reads its files anew, as hr_serve. Never returns HR_OK. Fails: as hr_serve; BUSY
 * (another process serves the folder). */
HR_API HR_MUST_CHECK hr_status hr_coordinate_folder(const char *folder, const hr_party_settings *settings,
                                                    hr_error *err);

typedef struct hr_submitted {
    char id[HR_JOB_ID_TEXT], name[HR_JOB_NAME_TEXT];
    bool running; /* a process serves the folder; else the job waits for the next one */
} hr_submitted;

/* Adds a job to the folder, after all that can be checked without the owners: the job file, its schema and
 * model, which are copied, and that the owners are members. name: NULL: the file's, without its extension. Of
 * the file's keys, those of a coordinator's own files are not used. Fails: IO, FORMAT, SCHEMA, POLICY (the
 * schema is not public), ARGUMENT (the name, or there is a job of that name; another coordinator's name;
 * owners), LIMIT, MEMORY: nothing was added. */
HR_API HR_MUST_CHECK hr_status hr_job_submit(const char *folder, const char *file, const char *name,
                                             hr_submitted *out, hr_error *err);

/* A job of the folder. */
typedef struct hr_job_record {
    char name[HR_JOB_NAME_TEXT];
    char state[300];      /* of a job that ended, as in hr_job_info; else "" */
    hr_job_ending ending; /* OPEN: it has not ended */
    hr_job_product makes;
    char suspect[128];            /* of a job that ended: the checks that its model failed; "": none */
    char log[4096], result[4096]; /* paths; the files may not be there yet. The result is complete when
                                     `ending` is DONE */
} hr_job_record;

/* The job with this name, or whose id begins with these digits. Fails: ARGUMENT (no such job, or several),
 * IO, FORMAT (also: of the model), LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_job_find(const char *folder, const char *job, hr_job_record *out,
                                           hr_error *err);

/* The owners of a meeting, by their owner files. */
typedef struct hr_owner_files {
    const char *const *files;
    size_t file_count;
} hr_owner_files;

/* The same with all members in one process and no broker: the job file's coordinator and those owners, with
 * their own records, keys and ledgers. Spends: as hr_serve, of every owner. Owner and Fails: as hr_coordinate
 * and hr_serve; ARGUMENT (two owners read one file). */
HR_API HR_MUST_CHECK hr_status hr_meet(const char *file, const char *result, const hr_owner_files *owners,
                                       const hr_party_settings *settings, hr_job_result *out, hr_error *err);

/* What takes part in a simulation. */
typedef struct hr_simulation_data {
    const char *const *files; /* tables that follow the job's schema */
    size_t file_count;
    size_t owners; /* 0: every file is an owner's; else each record of the one file draws one of so many
                    * owners, independently of the others; an owner may get none. The model's guarantee is
                    * then for one record of the file */
} hr_simulation_data;

/* The same job, roles and messages in one process, without a broker; the members in the job file are
 * ignored. Nothing is spent in any ledger: the model is as private as if all owners had taken part, and
 * the program has all of their records. A job of method evaluation takes the records as test tables. Owner:
 * the caller frees *out with hr_job_result_free. Fails: as hr_coordinate; ARGUMENT (one file for two owners).
 */
HR_API HR_MUST_CHECK hr_status hr_simulate(const char *file, const hr_simulation_data *data,
                                           const hr_party_settings *settings, hr_job_result *out,
                                           hr_error *err);

/* Sets the options in which the defaults of a job over owners differ from those that hr_fit_options_init has
 * set for one owner. */
HR_API void hr_job_options_init(hr_fit_options *options);

/* The owners of a simulation, with records in memory. */
typedef struct hr_simulated_owners {
    const hr_data *const *tables; /* of one schema, each with labels; an owner's each. Borrowed */
    size_t count;                 /* 1 to 255 */
    size_t rounds;                /* inprivate: 1 to 8; 0: 1. Other methods: 0 or 1 */
    size_t coalition;             /* of methods that add sums up; 0: as many as usual */
} hr_simulated_owners;

/* hr_simulate of records in memory. Of `options` method, mode, epsilon, delta and those that are set by name
 * count; what a job does not have is refused. Owner: the caller frees *out with hr_model_free. Fails:
 * ARGUMENT (options, owners, two tables with a file or all arrays in common), SCHEMA (tables of different
 * schemas, without labels), POLICY (the owners decline: a schema that is not reviewed or that the method
 * cannot train on), CANCELLED, BUDGET, LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_simulate_records(const hr_fit_options *options,
                                                   const hr_simulated_owners *owners,
                                                   const hr_party_settings *settings, hr_model **out,
                                                   hr_error *err);

/* ---- What a job will do ---- */

/* What it costs to be safe against a coalition of so many owners and the coordinator. */
typedef struct hr_coalition_price {
    size_t coalition, honest; /* honest: how many owners' noise is counted on */
    double noise_factor;      /* noise of a sum, in that of one party that holds all records */
} hr_coalition_price;

enum { HR_COALITION_PRICES_MAX = 4 };

typedef struct hr_job_plan_info {
    const char *method; /* a literal */
    char unit[128]; /* the column whose values are the persons that are protected, cut; "": single records */
    char weight[128]; /* the column of weights, or of exposures, that a record counts, cut; "": it counts 1 */
    double weight_high; /* its bound, of which a record counts its part */
    hr_plan_info plan;  /* records: of all owners together. Its noise includes noise_factor, and shares are
                           what a record pays: for the choices of its own owner alone. Of the method average
                           all else is each owner's model, but prediction_noise, which is the average's */
    size_t owners, coalition,
        honest; /* honest: owners whose noise is counted on; 0: none adds to another's */
    double noise_factor;
    double records_least, records_most; /* public bounds of the records of all owners together, in the terms;
                                           records_most 0: none */
    size_t turns;                       /* rounds in which an owner chooses, at most */
    /* About how many bytes of sealed packets each sends and receives; an owner on average. */
    double coordinator_sends, coordinator_receives, owner_sends, owner_receives;
    /* Of coalitions of 1, as many as usual, and all other owners, and of the job's own; ascending */
    hr_coalition_price prices[HR_COALITION_PRICES_MAX];
    size_t price_count;
    /* Of id3, 0 for other methods; of `plan` only epsilon, delta and records are set then. */
    size_t levels, repeats; /* secure sums: levels, and one of the leaves; repeats in reserve. Without a depth
                               the noisy number of records decides; here `records` */
    double share_records, share_level,
        share_leaves;               /* of the budget: the count of records, 0 if a depth is
                                       asked for; each level and repeat; the leaves, at least */
    double level_noise, leaf_noise; /* standard deviations in records: a count of the first level; of a
                                       leaf, if all levels are asked and none twice */
} hr_job_plan_info;

/* Tells what a job would do with so many records of all owners together, if every owner took part: from the
 * job file and its schema alone; nothing is sent, spent or drawn. owners: 0 stands for those that the file
 * names; any other number is for a simulation, which needs no names. Thread: any. Fails: IO, FORMAT,
 * ARGUMENT (no owners in the file; keys that the method does not know; a method that has no plan; records not
 * in 1..2^32 - 2), POLICY (the schema is not public: hr_schema_public), BUDGET (too small for the noise of
 * some release), LIMIT (also: the job may ask for more than owners take), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_job_plan(const char *file, size_t owners, double records,
                                           hr_job_plan_info *out, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
