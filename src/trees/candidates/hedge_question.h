/* The next question of hedge to the records, what its answer is charged as, and all that the answer depends
 * on beside them. Everything in it is public or released. Pointers are borrowed: they hold until the answer
 * is accepted. */
#ifndef HR_TREES_CANDIDATES_HEDGE_QUESTION_H
#define HR_TREES_CANDIDATES_HEDGE_QUESTION_H

#include "privacy/gate.h"
#include "trees/candidates/candidate_scan.h"

typedef enum hr_hedge_question_kind {
    HR_HEDGE_TOTALS, /* sums: the number of records and the sum of targets, or the number of each class, or of
                        each code of times */
    HR_HEDGE_BINS,   /* private edges of all features, at the cost of the one line */
    HR_HEDGE_CHOICE, /* a choice among `trees` by their scores */
    HR_HEDGE_LEAVES, /* sums: gradients and counts of the leaves of one tree; regression: gradients within the
                      clip */
    HR_HEDGE_RELIABILITY, /* sums: the cells of the forest */
    HR_HEDGE_CUTS,        /* sums, over owners, before all others: events by time, at the cost of the one line
                                    (tables/bins/time_cuts.h) */
    HR_HEDGE_LEVELS /* sums over owners, of records that are held out: by level of the forest's interval;
                       not of hr_hedge_next */
} hr_hedge_question_kind;

enum { HR_HEDGE_LINES_MAX = 3 };

typedef struct hr_hedge_question {
    hr_hedge_question_kind kind;
    /* To be charged one by one. Sums: the values of one line stand behind those of the line before. */
    hr_charge lines[HR_HEDGE_LINES_MAX];
    size_t counts[HR_HEDGE_LINES_MAX]; /* values of a line */
    size_t line_count;
    const hr_binning *binning; /* CHOICE, LEAVES, RELIABILITY */
    const double *base;        /* CHOICE, LEAVES: what the scores of every record start at */
    const hr_forest *forest;   /* RELIABILITY: finished but for its calibration; LEVELS */
    const hr_tree *trees;      /* CHOICE, LEAVES: the candidates of the round */
    size_t tree_count, tree;   /* LEAVES: which of them */
    size_t blocks, block; /* CHOICE: the scores are of that block of the records alone (trees/tree/parts.h);
                             the same number of blocks in all questions that have bins; at most 1: of all */
    int64_t threshold;    /* CHOICE: taken off a leaf's part of a score (hr_leaf_score_rule) */
    const hr_schema
        *schema; /* CHOICE: scores respect its monotone features (hr_leaf_score_rule); NULL: none is */
    hr_candidate_scan_loss loss; /* CHOICE, LEAVES */
    const double *step; /* CHOICE, LEAVES, RELIABILITY: step[node * outputs + k] of the tree whose leaves were
                           summed last; NULL: none */
    double published;   /* a step times this is what the finished forest says of that leaf; 0: not told */
} hr_hedge_question;

/* How many values the lines release. */
static inline size_t hr_hedge_question_values(const hr_hedge_question *question) {
    size_t count = 0;
    for (size_t i = 0; i < question->line_count; i++) count += question->counts[i];
    return count;
}

#endif
