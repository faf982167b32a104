/* What the machines of both sides of SimFL have in common; for these alone. */
#ifndef HR_FEDERATION_MACHINES_SIMFL_EXCHANGE_MACHINE_H
#define HR_FEDERATION_MACHINES_SIMFL_EXCHANGE_MACHINE_H

#include "federation/machines/simfl_exchange.h"
#include "federation/protocol/beginning.h"

/* Either machine begins with it. */
typedef struct hr_simfl_machine {
    hr_protocol protocol;
    const hr_protocol_setup *setup;
    const hr_start *start; /* of the machine's job */
    hr_simfl_read_rules *read;
    hr_simfl_rules rules;
    uint32_t rows[HR_MEMBERS_MAX]; /* by position */
    int64_t sums[HR_SIMFL_SUMS];
    hr_arena *arena;
    hr_tree *trees;
    size_t tree_count;
} hr_simfl_machine;

/* Whether terms fit this protocol, beyond hr_terms_check; sets the rules. Fails: FORMAT, as the reader of
 * rules, MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_read_terms(hr_simfl_machine *machine, const Hedgerow__Terms *terms,
                                            hr_error *err);
void hr_simfl_machine_done(hr_simfl_machine *machine);

/* Whether so many records can have these label sums. */
bool hr_simfl_sums_fit(const hr_simfl_rules *rules, size_t rows, const int64_t sums[HR_SIMFL_SUMS]);

/* Records of a piece of hashes. */
size_t hr_simfl_piece_rows(const hr_simfl_rules *rules);

/* Who trains the tree that comes next: a position. Only once the job has started. */
size_t hr_simfl_trainer(const hr_simfl_machine *machine);
/* Checks the tree that comes next, and keeps it. Fails: FORMAT, POLICY, LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_take_tree(hr_simfl_machine *machine, ProtobufCBinaryData tree,
                                           hr_error *err);

/* Reads the label sums of a message. Fails: POLICY. */
HR_MUST_CHECK hr_status hr_simfl_read_sums(const int64_t *wire, size_t count, int64_t sums[HR_SIMFL_SUMS],
                                           hr_error *err);

#endif
