/* The machines of jobs: how a job begins and ends in every protocol, and what a machine does in all of them.
 * The coordinator offers terms; owners accept with a signature, or decline; the start lists those that take
 * part, with the acceptance of each; Finish ends the job. What happens between is the protocol's: a row of
 * functions a side (hr_owner_rules, hr_coordinator_rules).
 *
 * What is signed names the digest of the terms, which covers the job's number, its coordinator and its terms.
 * In a protocol with masks an owner's answer also has its mask key of the job (privacy/crypto/mask.h), signed
 * by it, and the start has those of all. */
#ifndef HR_FEDERATION_PROTOCOL_BEGINNING_H
#define HR_FEDERATION_PROTOCOL_BEGINNING_H

#include "federation/protocol/protocol.h"
#include "privacy/crypto/digest.h"
#include "privacy/crypto/mask.h"

/* ---- What both sides know ---- */

/* The owners that take part, and the terms; the same at every party. */
typedef struct hr_start {
    hr_digest terms;                                 /* hr_terms_digest */
    hr_digest digest;                                /* hr_start_digest */
    uint8_t signature[HR_SIGNATURE_SIZE];            /* of the coordinator, over both */
    size_t owners[HR_MEMBERS_MAX], owner_count;      /* owners: members, in order; owner_count: 0 before it */
    uint8_t masks[HR_MEMBERS_MAX][HR_MASK_KEY_SIZE]; /* one an owner; zeros without masks */
} hr_start;

/* Whether terms are sound for every protocol; each has rules of its own as well. *invited: as many members as
 * they list. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_terms_check(const Hedgerow__Terms *terms, const hr_membership *membership,
                                       size_t *invited, hr_error *err);
/* Records of one owner's table, at most. */
#define HR_RECORD_BOUND_MAX UINT64_C(4294967294)

/* Whether terms list an owner that is no member here: the federation files differ. *why: the reason. */
bool hr_terms_have_unknown(const Hedgerow__Terms *terms, const hr_membership *membership,
                           char why[HR_ACTION_TEXT]);
/* What an owner signs to accept a job: the digest of the job's number, of its coordinator's key and of its
 * terms. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_terms_digest(const hr_protocol_setup *setup, const Hedgerow__Terms *terms,
                                        hr_digest *out, hr_error *err);
void hr_acceptance_sign(const hr_identity *owner, const hr_digest *terms,
                        uint8_t signature[HR_SIGNATURE_SIZE]);
bool hr_acceptance_holds(const hr_member *owner, const hr_digest *terms, ProtobufCBinaryData signature);
/* An owner's signature of its mask key of a job. */
void hr_mask_key_sign(const hr_identity *owner, const hr_digest *terms, const uint8_t key[HR_MASK_KEY_SIZE],
                      uint8_t signature[HR_SIGNATURE_SIZE]);
bool hr_mask_key_holds(const hr_member *owner, const hr_digest *terms, ProtobufCBinaryData key,
                       ProtobufCBinaryData signature);
/* What is wrong with a mask key beside those of other owners, of which zeros are none; NULL: nothing. A key
 * is sealed to the coordinator until the start, so of two equal ones the later is a copy. */
const char *hr_mask_key_fault(ProtobufCBinaryData key, const uint8_t (*others)[HR_MASK_KEY_SIZE],
                              size_t count);
/* The digest of that of the terms, and of the keys of the owners that take part, in order. */
hr_digest hr_start_digest(const hr_digest *terms, const hr_membership *membership, const size_t *owners,
                          size_t count);
/* The coordinator's signature of the digests of terms and start. */
void hr_start_sign(const hr_identity *coordinator, const hr_digest *terms, const hr_digest *start,
                   uint8_t signature[HR_SIGNATURE_SIZE]);
bool hr_start_holds(const hr_member *coordinator, const hr_digest *terms, ProtobufCBinaryData start,
                    ProtobufCBinaryData signature);

/* The position of a member in a list of members; count if it is not there. */
size_t hr_members_position(const size_t *members, size_t count, size_t member);
/* The members of a list of names. Fails: FORMAT (a name that is no member's, or a member twice). */
HR_MUST_CHECK hr_status hr_members_read(const hr_membership *membership, const ProtobufCBinaryData *names,
                                        size_t count, size_t *members, hr_error *err);
/* Reads a message of another party: its kind and content. Fails: FORMAT (none, or of a kind that is
 * not known), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_message_read(const hr_event *event, Hedgerow__Message **out, hr_error *err);

/* Whether terms fit the protocol of a machine, beyond hr_terms_check. Fails: FORMAT, LIMIT, MEMORY. */
typedef hr_status hr_terms_fit(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err);

/* ---- An owner ---- */

typedef enum hr_owner_phase {
    HR_OWNER_NEW,
    HR_OWNER_DECIDING,
    HR_OWNER_ACCEPTED,
    HR_OWNER_RUNNING, /* it has the start */
    HR_OWNER_OVER
} hr_owner_phase;

/* A message to an owner, which came as an event. */
typedef hr_status hr_owner_message(hr_protocol *self, const hr_event *event, const Hedgerow__Message *message,
                                   hr_error *err);

/* What the owners' machine of a protocol does of its own. Whatever a function for messages fails with cuts
 * the sender off. */
typedef struct hr_owner_rules {
    bool masked; /* the protocol has masks */
    hr_terms_fit *check;
    /* Terms were taken; NULL: nothing. */
    hr_status (*offered)(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err);
    hr_status (*started)(hr_protocol *self, hr_error *err); /* the start was taken: the job runs */
    hr_owner_message *coordinator; /* other messages of the coordinator's; NULL: there are none */
    hr_owner_message *other;       /* messages of other members; NULL: there are none */
    /* Work has ended, and the job runs. */
    hr_status (*work_done)(hr_protocol *self, const hr_event *event, hr_error *err);
    /* Another member than the coordinator was cut off, and the job runs; NULL: nothing. */
    hr_status (*without)(hr_protocol *self, size_t member, hr_error *err);
    /* After each message, refused or not, and each end of work; NULL: nothing. */
    hr_status (*go_on)(hr_protocol *self, hr_error *err);
    /* How many messages of one member the job needs at most; NULL: no limit. */
    size_t (*messages_max)(const hr_protocol *self);
    void (*done)(hr_protocol *self); /* frees what the machine holds beside its job; NULL: nothing */
} hr_owner_rules;

/* The machine of an owner begins with it, in any protocol. */
typedef struct hr_owner_job {
    hr_protocol protocol;
    hr_protocol_setup setup;
    const hr_owner_rules *rules;
    hr_owner_phase phase;
    hr_start start;
    bool invited[HR_MEMBERS_MAX], cut[HR_MEMBERS_MAX]; /* by member; cut: it broke the protocol */
    size_t messages[HR_MEMBERS_MAX];                   /* by member: received, if the rules limit them */
    hr_bytes model;                                    /* that came with Finish */
} hr_owner_job;

/* Makes a machine of one that is all zeros, from malloc, and begins with `job`. Owner: the caller frees it
 * with hr_protocol_free. */
hr_protocol *hr_owner_job_open(hr_owner_job *job, const hr_owner_rules *rules,
                               const hr_protocol_setup *setup);
/* Acts on the message of a member that is not cut off, until the job is over. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owner_job_receive(hr_owner_job *job, const hr_event *event, hr_error *err);
size_t hr_owner_job_self(const hr_owner_job *job); /* a member */
/* This owner's position among the owners of the start. */
size_t hr_owner_job_position(const hr_owner_job *job);
/* Sends a message to the coordinator. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owner_job_send(hr_owner_job *job, Hedgerow__Message__KindCase kind,
                                          const void *content, hr_error *err);
HR_MUST_CHECK hr_status hr_owner_job_notify(hr_owner_job *job, Hedgerow__Notice__Kind kind, size_t slot,
                                            hr_error *err);
/* Ends the job here, and sends the coordinator the reason: a function of the terms, of what came
 * and of the owner's configuration. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owner_job_decline(hr_owner_job *job, hr_decline_code code, const char *why,
                                             hr_error *err);
/* Ends the job without a model. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owner_job_stop(hr_owner_job *job, hr_job_ending ending, const char *why,
                                          hr_error *err);
/* Of a member that broke the protocol. Without the coordinator there is no job. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_owner_job_cut_off(hr_owner_job *job, size_t member, const char *why,
                                             hr_error *err);

/* ---- The coordinator ---- */

typedef enum hr_coordinator_phase {
    HR_COORDINATOR_OFFERED,
    HR_COORDINATOR_ASKING,  /* the method decides on the next question */
    HR_COORDINATOR_RUNNING, /* owners are waited for */
    HR_COORDINATOR_OVER
} hr_coordinator_phase;

/* What the coordinator's machine of a protocol does of its own. `owner`: a position in the start. */
typedef struct hr_coordinator_rules {
    bool masked; /* the protocol has masks */
    hr_terms_fit *check;
    hr_status (*started)(hr_protocol *self, hr_error *err); /* the start was sent; NULL: nothing */
    /* A message that is no Answer. Whatever this fails with cuts the sender off. */
    hr_status (*message)(hr_protocol *self, size_t owner, const Hedgerow__Message *message, hr_error *err);
    /* Why a message of a member that is no owner is refused. NULL: `message` gets it, with `owner` the number
     * of owners. */
    const char *stranger;
    /* After the start an owner withdrew, or was cut off. */
    hr_status (*without)(hr_protocol *self, size_t owner, hr_error *err);
    /* The deadline is over, and the job is RUNNING. */
    hr_status (*timeout)(hr_protocol *self, hr_error *err);
    /* Whether the method's question is allowed, and its sending. NULL: hr_coordinator_job_next_question is
     * not called.
     */
    bool (*fits)(const Hedgerow__Question *question);
    hr_status (*question)(hr_protocol *self, const Hedgerow__Question *question, hr_error *err);
    /* How many messages of one member the job needs at most. NULL: no limit. */
    size_t (*messages_max)(const hr_protocol *self);
    void (*done)(hr_protocol *self); /* frees what the machine holds beside its job; NULL: nothing */
} hr_coordinator_rules;

/* The machine of a coordinator begins with it, in any protocol. Arrays: by member, unless noted. */
typedef struct hr_coordinator_job {
    hr_protocol protocol;
    hr_protocol_setup setup;
    const hr_coordinator_rules *rules;
    hr_coordinator_phase phase;
    Hedgerow__Terms *terms;
    size_t invited[HR_MEMBERS_MAX]; /* members, in the order of the terms */
    hr_start start;
    uint8_t acceptances[HR_MEMBERS_MAX][HR_SIGNATURE_SIZE], masks[HR_MEMBERS_MAX][HR_MASK_KEY_SIZE],
        mask_signatures[HR_MEMBERS_MAX][HR_SIGNATURE_SIZE];
    bool answered[HR_MEMBERS_MAX], accepted[HR_MEMBERS_MAX], wants_model[HR_MEMBERS_MAX];
    bool receipted[HR_MEMBERS_MAX];                 /* its ledger was charged for the job */
    size_t messages[HR_MEMBERS_MAX];                /* if the rules limit them */
    bool gone[HR_MEMBERS_MAX], cut[HR_MEMBERS_MAX]; /* gone: declined, or was cut off */
    char why[HR_MEMBERS_MAX][HR_ACTION_TEXT];       /* it declined, or was cut off */
} hr_coordinator_job;

/* Makes a machine of one that is all zeros, from malloc, and begins with `job`; offers the job. Owner: the
 * caller frees *out with hr_protocol_free; on failure the machine is freed. Fails: FORMAT (terms), MEMORY, as
 * rules->check. */
HR_MUST_CHECK hr_status hr_coordinator_job_open(hr_coordinator_job *job, const hr_coordinator_rules *rules,
                                                const hr_protocol_setup *setup, hr_protocol **out,
                                                hr_error *err);
/* Lets the method decide on the next question. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_coordinator_job_next_question(hr_coordinator_job *job, hr_error *err);
/* Sends a message to the owners of the start: a step of the job, with which its deadline begins anew. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_coordinator_job_send(hr_coordinator_job *job, Hedgerow__Message__KindCase kind,
                                                const void *content, hr_error *err);
/* Ends the job with a model, and sends it to the invited owners that want it, an end to all. text: for
 * people. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_coordinator_job_complete(hr_coordinator_job *job, ProtobufCBinaryData model,
                                                    const char *text, hr_error *err);
/* Ends the job without a model; NO_ANSWER where no owner is left is DECLINED, if all declined or withdrew,
 * else NOT_BEGUN. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_coordinator_job_fail(hr_coordinator_job *job, hr_job_ending ending,
                                                const char *why, hr_error *err);

/* The position of a member among the owners of the start; their number if it is none. */
size_t hr_coordinator_job_position(const hr_coordinator_job *job, size_t member);
/* The names of a member, and of an owner of the start. */
const char *hr_coordinator_job_name(const hr_coordinator_job *job, size_t member);
const char *hr_coordinator_job_owner(const hr_coordinator_job *job, size_t owner);
/* What became of a member, without its slots; awaited: to answer the offer. False: it had no offer. */
bool hr_coordinator_job_part(const hr_coordinator_job *job, size_t member, hr_part_info *out);

#endif
