/* Draws of a mechanism that chooses among candidates by their scores, held against its exact law by
 * chi-square tests with a false alarm of 1e-6 each. */
#ifndef HR_TESTS_SUPPORT_CHOICE_LAW_H
#define HR_TESTS_SUPPORT_CHOICE_LAW_H

#include "privacy/mechanisms.h"

enum { CHOICE_CANDIDATES_MAX = 7000 };

typedef struct choice_mechanism {
    size_t (*choose)(hr_csprng *csprng, const hr_release *line, hr_exact *scores, size_t count);
    /* p[r]: with which probability r is chosen at scale num/den, good to 1e-12. */
    void (*law)(const hr_exact *scores, size_t count, uint64_t num, uint64_t den, double *p);
} choice_mechanism;

hr_csprng *seeded(uint64_t seed);
void check_choice_law(const choice_mechanism *m, const hr_exact *scores, size_t count, uint64_t num,
                      uint64_t den, uint64_t draws);
/* Few candidates, equal ones, large numbers. */
void check_choices_of_few(const choice_mechanism *m);
/* Thousands that have about the score `behind`, where together they weigh as much as the best one; then
 * scores that are spread, at 1/`den`. */
void check_choices_of_thousands(const choice_mechanism *m, int64_t behind, uint64_t den, uint64_t draws);
void check_choices_of_one(const choice_mechanism *m);
void check_choices_of_extremes(const choice_mechanism *m);

#endif
