/* SimFL over owners (Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI 2020): owners
 * train trees in turn, each on its own records, with gradients of the others' most similar records added.
 * NOT PRIVATE: docs/reference/protocol.md lists who learns what.
 *
 * Every owner of the start sends the coordinator how many records it has, and its label sums (SimflSize); the
 * coordinator sends all owners the numbers of records, and the sums of all owners together (SimflSizes). With
 * that the first tree begins. Every owner sends every other one its hashes, in pieces (SimflHashes). For tree
 * t, of the owner at position t mod k, every other owner sends that one its gradients, in pieces
 * (SimflGradients); it trains and sends the tree to the coordinator (SimflTree), which passes it on with the
 * next turn (SimflTurn): so all owners have the trees of the model. A piece is made once few packets are
 * unconfirmed (hr_action.paced). Hashes and gradients go from owner to owner, sealed
 * for their receiver: the coordinator does not see them. It gets word when they have been sent (Notice), so
 * that it can name who is missing.
 *
 * All or nothing: the job ends, with the name of the owner, if one is silent beyond the deadline, withdraws,
 * has no answer, or sends what is refused. No budget is spent, so the job can be offered anew.
 *
 * An owner's machine acts on: Terms, Start, SimflSizes, SimflTurn, Finish; of other owners, SimflHashes and
 * SimflGradients. The coordinator's on: Answer, SimflSize, Notice, SimflTree. */
#ifndef HR_FEDERATION_MACHINES_SIMFL_EXCHANGE_H
#define HR_FEDERATION_MACHINES_SIMFL_EXCHANGE_H

#include "federation/protocol/beginning.h"
#include "trees/tree/tree.h"

enum {
    HR_SIMFL_ROWS_MAX = 1 << 24,            /* of one owner */
    HR_SIMFL_TREES_MAX = 1000,              /* of a job */
    HR_SIMFL_PIECE_MAX = HR_PIECE_MAX - 64, /* bytes of hashes or gradients: one packet has the message */
    HR_SIMFL_HASHES_MAX = 1 << 30,          /* bytes of hashes that an owner may have to keep */
    HR_SIMFL_GRADIENTS_BYTES = 20,          /* the most that a record takes in SimflGradients */
    HR_SIMFL_SUMS = 2
};

/* What a job is made of, by its terms. */
typedef struct hr_simfl_rules hr_simfl_rules;
struct hr_simfl_rules {
    size_t tables, trees;
    /* The position of the owner that trains a tree, of owners with so many records. */
    size_t (*trainer)(const hr_simfl_rules *rules, const uint32_t *rows, size_t owners, size_t tree);
    bool blocks;       /* the owner of a tree trains the next ones, too */
    bool classes;      /* label sums are the records of each class */
    int64_t label_max; /* else: |first sum| a record; the second is 0 */
    /* Sets what follows, when it is known how many records all owners have. */
    void (*bound)(hr_simfl_rules *rules, size_t records);
    int64_t gradient_max, weight_max; /* of one record: |g|, and h >= 0 */
};

/* Reads them. Fails: ARGUMENT, FORMAT, LIMIT, MEMORY. */
typedef hr_status hr_simfl_read_rules(const Hedgerow__Terms *terms, const hr_schema *schema,
                                      hr_simfl_rules *out, hr_error *err);

/* Owner: the caller frees *out with hr_protocol_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_owner_machine(const hr_protocol_setup *setup, hr_simfl_read_rules *read,
                                               hr_protocol **out, hr_error *err);
/* Begins by offering the job. Owner: as above. Fails: FORMAT (terms), MEMORY, as `read`. */
HR_MUST_CHECK hr_status hr_simfl_coordinator_machine(const hr_protocol_setup *setup,
                                                     hr_simfl_read_rules *read, hr_protocol **out,
                                                     hr_error *err);

/* Whether the owner at that position can keep the hashes of the others, who have so many records. Fails:
 * LIMIT. */
HR_MUST_CHECK hr_status hr_simfl_check_memory(const hr_simfl_rules *rules, const uint32_t *rows,
                                              size_t owners, size_t position, hr_error *err);
/* The most bytes that a member may send a party in a job of so many tables and trees. */
size_t hr_simfl_bytes_max(size_t tables, size_t trees);

/* ---- Of either machine ---- */

/* What all parties know of the job. Borrowed from the machine. */
typedef struct hr_simfl_state {
    hr_simfl_rules rules;
    size_t owner_count;          /* 0 before the start */
    const hr_digest *start;      /* the same at every party: public coins come from it */
    const uint32_t *rows;        /* by owner; all 0 before SimflSizes */
    int64_t sums[HR_SIMFL_SUMS]; /* of all owners */
    const hr_tree *trees;        /* that are known: tree_count of them */
    size_t tree_count;
} hr_simfl_state;
void hr_simfl_state_of(const hr_protocol *any, hr_simfl_state *out);

/* ---- An owner ---- */

typedef enum hr_simfl_task {
    HR_SIMFL_MEASURE = 1, /* its number of records and label sums */
    HR_SIMFL_HASH,        /* a piece of its hashes */
    HR_SIMFL_GRADIENTS,   /* a piece of those for the owner that trains */
    HR_SIMFL_TRAIN
} hr_simfl_task;

/* The work of HR_ACT_TRAIN. */
typedef struct hr_simfl_work {
    hr_simfl_task task;
    size_t first, count;  /* of own records, of HASH; of the trainer's, of GRADIENTS */
    size_t tree, trainer; /* GRADIENTS and TRAIN; trainer: a position */
} hr_simfl_work;
hr_simfl_work hr_simfl_work_of(const hr_protocol *owner);
/* Its position among the owners. Only once the job has started. */
size_t hr_simfl_self(const hr_protocol *owner);

/* Hashes of all records of another owner, record by record; NULL: they have not all come. Borrowed. */
const int16_t *hr_simfl_hashes(const hr_protocol *owner, size_t other);
/* What another owner sent for the tree that this one is to train: a number a record. Borrowed. */
void hr_simfl_received(const hr_protocol *owner, size_t other, const int64_t **gradients,
                       const int64_t **weights);

/* Outcomes of work, for HR_EVENT_WORK_DONE. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_pack_size(uint32_t rows, const int64_t sums[HR_SIMFL_SUMS], hr_bytes *out,
                                           hr_error *err);
/* hashes, gradients, weights: of all records; the work has which of them are sent. */
HR_MUST_CHECK hr_status hr_simfl_pack_hashes(const hr_protocol *owner, const int16_t *hashes, hr_bytes *out,
                                             hr_error *err);
HR_MUST_CHECK hr_status hr_simfl_pack_gradients(const hr_protocol *owner, const int64_t *gradients,
                                                const int64_t *weights, hr_bytes *out, hr_error *err);
HR_MUST_CHECK hr_status hr_simfl_pack_tree(const hr_protocol *owner, const hr_tree *tree, hr_bytes *out,
                                           hr_error *err);

/* ---- The coordinator ---- */

/* What became of a member: `trees` are those that it trained. False: it had no offer. */
bool hr_simfl_part(const hr_protocol *coordinator, size_t member, hr_part_info *out);

/* ---- For the machines of both sides ---- */

/* What either machine holds: `common` of its hr_protocol. */
typedef struct hr_simfl_common {
    const hr_protocol_setup *setup;
    const hr_start *start; /* of the machine's job */
    hr_simfl_read_rules *read;
    hr_simfl_rules rules;
    uint32_t rows[HR_MEMBERS_MAX]; /* by position */
    int64_t sums[HR_SIMFL_SUMS];
    hr_arena *arena;
    hr_tree *trees;
    size_t tree_count;
} hr_simfl_common;

/* Whether terms fit this protocol, beyond hr_terms_check; sets the rules. Fails: FORMAT, as the reader of
 * rules, MEMORY. */
HR_MUST_CHECK hr_terms_fit hr_simfl_read_terms;
void hr_simfl_common_done(hr_simfl_common *common);

/* Whether so many records can have these label sums. */
bool hr_simfl_sums_fit(const hr_simfl_rules *rules, size_t rows, const int64_t sums[HR_SIMFL_SUMS]);

/* How many of `left` records go into the next piece of hashes, or of gradients. */
size_t hr_simfl_hash_piece(const hr_simfl_rules *rules, size_t left);
size_t hr_simfl_gradient_piece(size_t left);

/* Who trains a tree: a position. Only once the numbers of records of all owners are known. */
size_t hr_simfl_trainer(const hr_simfl_common *common, size_t tree);
/* Checks the tree that comes next, and keeps it. Fails: FORMAT, POLICY, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_take_tree(hr_simfl_common *common, ProtobufCBinaryData tree, hr_error *err);

/* Reads the label sums of a message. Fails: POLICY. */
HR_MUST_CHECK hr_status hr_simfl_read_sums(const int64_t *wire, size_t count, int64_t sums[HR_SIMFL_SUMS],
                                           hr_error *err);

#endif
