/* Bin edges from sums of noisy counts, for all features at once: for owners who add up their records' counts
 * and have no common table. This half sees released values alone: it names the counts that it needs next,
 * accepts them, and ends with a binning. The records' half is hr_edges_count_nodes (edges.h).
 *
 * It needs them from the top of each feature's dyadic tree (quantile_machine.h, HR_EDGE_LEVELS levels): first
 * six levels of all features, then the levels below every node that is not lost in the noise, as many at once
 * as give at most 16,384 values, at least one. The cuts have the law that edges.h gives them.
 *
 * Unit: a record adds HR_COUNT_UNIT to a node, a person at most HR_PERSON_UNIT, as in quantiles.h. In whole
 * records the noise of a share would be too small to be drawn well where few features share a large epsilon;
 * and totals are halved in that unit, so that without noise the edges are those of the pooled records, bit
 * for bit. Thread: one at a time. */
#ifndef HR_TABLES_BINS_EDGE_LEVELS_H
#define HR_TABLES_BINS_EDGE_LEVELS_H

#include "privacy/gate.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edge_machine.h"

enum {
    HR_EDGE_LEVELS = 14,         /* below the root; 2^14 cells separate bins in bounds 100 times too wide */
    HR_EDGE_VALUES_MAX = 1 << 17 /* of one question; those about wide tables are of some features at a time */
};

/* Nodes of one feature and level, ascending, numbered as in quantile_machine.h. */
typedef struct hr_edge_nodes {
    uint32_t feature;
    int level; /* 1 .. HR_EDGE_LEVELS */
    const size_t *nodes;
    size_t count;
} hr_edge_nodes;

/* Parts ascend by feature, and by level within a feature. Each is charged by itself. */
typedef struct hr_edge_question {
    const hr_edge_nodes *parts;
    size_t part_count;
    size_t values; /* the sum of their counts */
} hr_edge_question;

/* ---- What it costs: the same at the machine and at the records ---- */

/* The parts of all questions of a run, at most: a public fact. 0: no feature needs quantiles. */
size_t hr_edge_levels_lines(const hr_schema *schema, uint32_t bins);
/* The charge of a part, of that level, out of `whole` (`what`, group, part and the cost of all lines; its
 * sensitivity is ignored) and lines >= 1. All lines together cost at most whole->cost. Sensitivity: of the
 * sums that hr_edges_count_nodes gives, of data of that unit. */
hr_charge hr_edge_levels_charge(const hr_charge *whole, size_t lines, int level, hr_privacy_unit unit);

/* Whether a question, from wherever it came, is one that a machine of that schema and bins can have: parts in
 * order, each of a feature that needs quantiles, each node in its level and once. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_edge_question_check(const hr_schema *schema, uint32_t bins,
                                               const hr_edge_question *question, hr_error *err);

/* ---- The machine ---- */

typedef struct hr_edge_levels hr_edge_levels;

typedef struct hr_edge_levels_setup {
    const hr_schema *schema; /* borrowed */
    uint32_t bins;           /* of a feature, at most */
    double noise; /* standard deviation of a node's released value, in units of 1/HR_COUNT_UNIT of a record,
                     or 1/HR_PERSON_UNIT of a person: hr_noise_deviation of a line's cost and sensitivity,
                     times what shares add to it */
    hr_arena *arena; /* borrowed: the binning is made in it */
} hr_edge_levels_setup;

/* Takes half a MiB a feature that needs quantiles, most of which is never touched. Owner: the caller frees
 * *out with hr_edge_levels_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_edge_levels_new(const hr_edge_levels_setup *setup, hr_edge_levels **out,
                                           hr_error *err);
void hr_edge_levels_free(hr_edge_levels *machine);

/* The next question, the same as often as it is called, so that a lost sum can be requested again. Borrowed:
 * until its counts are accepted. False: the binning is whole. */
bool hr_edge_levels_next(const hr_edge_levels *machine, hr_edge_question *out);
/* The question's values, in the order of its parts and their nodes. Fails: MEMORY; then the machine can only
 * be freed. */
HR_MUST_CHECK hr_status hr_edge_levels_accept(hr_edge_levels *machine, const hr_noisy *values, hr_error *err);
/* Once hr_edge_levels_next is false; NULL before. The struct lives as long as the machine, what it points to
 * as long as the arena. */
const hr_binning *hr_edge_levels_binning(const hr_edge_levels *machine);

#endif
