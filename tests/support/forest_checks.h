/* Fits of private forests on tables of odd columns, their lists of releases read line by line, and games with
 * them. */
#ifndef HR_TESTS_SUPPORT_FOREST_CHECKS_H
#define HR_TESTS_SUPPORT_FOREST_CHECKS_H

#include "support/audit_games.h"
#include "support/odd_columns.h"
#include "tables/bins/binned.h"
#include "tables/bins/edges.h"
#include "trees/stats/impurity.h"

enum { X, AGE, FIXED, NONE, TWO, FEW, MANY, ODD_FEATURES };

typedef struct forest_setting {
    bool part;
    int64_t trees, depth, features;
    size_t rows, classes; /* 0: regression */
    double epsilon, delta;
} forest_setting;

/* Every category has values that are missing or not in the schema, and one number is missing everywhere. */
table odd_table(size_t rows, size_t classes);
hr_fit_options options_of_forest(const char *method, const forest_setting *s);
size_t outputs_of_forest(const forest_setting *s);
typedef void check_model(const forest_setting *s, const hr_model *model);

/* Calls check for every setting, by a fit with real noise; seed: of all coins and noise, if it is not 0. */
void each_forest(const char *method, const forest_setting *settings, size_t count, uint64_t seed,
                 check_model *check);

/* The trees of other classes than the first are the same but for their leaves' values. */
void check_outputs(const forest_setting *s, const hr_model *model);

typedef struct reader {
    const forest_setting *s;
    const hr_model *model;
    size_t at, tree;
} reader;

hr_units budget_of_tree(const forest_setting *s);
const hr_release *next_line(reader *r, const char *what, int64_t level, hr_units cost, uint64_t sensitivity);

/* What the leaves of the reader's tree were told for `budget`, three tenths of it for counts. */
void check_leaf_lines(reader *r, hr_units budget);

/* All of the budget is spent, but for what its division leaves over. */
void check_costs(const forest_setting *s, const hr_model *model);

/* Labels are -1 or 1; three trees on all records. */
void check_leaves_at_huge_epsilon(const char *method, size_t classes);

/* Trees on parts of the records, whose label is the value of their only feature: a root says which. */
void check_parts_at_huge_epsilon(const char *method);
void check_seeds(const char *method, const forest_setting *s);

/* One record to three, most trees without any. */
void check_hardly_any_records(const char *method);

enum { ISOLATED = 4 };

/* The canary has the second value of all of one or two features, the others the first: it is alone in its
 * leaf. */
game isolated_canary(const char *method, size_t features, size_t which, size_t runs);
void check_that_excess_is_caught(const char *method, size_t features);

#endif
