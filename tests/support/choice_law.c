#include "support/choice_law.h"

#include "support/check.h"
#include "support/chi_square.h"

hr_csprng *seeded(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

/* The scores are kept: the gate lets a mechanism overwrite them. */
static size_t choose(const choice_mechanism *m, hr_csprng *csprng, const hr_exact *scores, size_t count,
                     hr_release scale) {
    static hr_exact copy[CHOICE_CANDIDATES_MAX];
    memcpy(copy, scores, count * sizeof *copy);
    const size_t chosen = m->choose(csprng, &scale, copy, count);
    assert_true(chosen < count);
    return chosen;
}

void check_choice_law(const choice_mechanism *m, const hr_exact *scores, size_t count, uint64_t num,
                      uint64_t den, uint64_t draws) {
    double *p = calloc(count, sizeof *p);
    uint64_t *seen = calloc(count, sizeof *seen);
    const hr_release scale = {.scale_num = num, .scale_den = den};
    assert_true(p && seen);
    m->law(scores, count, num, den, p);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        hr_csprng *csprng = seeded(seed);
        memset(seen, 0, count * sizeof *seen);
        for (uint64_t i = 0; i < draws; i++) seen[choose(m, csprng, scores, count, scale)]++;
        assert_true(chi_square_fits(seen, p, count, draws));
        hr_csprng_close(csprng);
    }
    free(p);
    free(seen);
}

#define CHECK_LAW(num, den, ...)                                                                             \
    do {                                                                                                     \
        const hr_exact scores_[] = {__VA_ARGS__};                                                            \
        check_choice_law(m, scores_, COUNT(scores_), num, den, 100000);                                      \
    } while (0)

void check_choices_of_few(const choice_mechanism *m) {
    CHECK_LAW(1, 8, {0}, {3}, {5}, {10});
    CHECK_LAW(1, 1, {-7}, {-7});
    CHECK_LAW(1, 1, {0}, {-1});
    CHECK_LAW(7, 3, {1}, {0}, {1}, {-1}, {2}, {2});
    CHECK_LAW(1, 10, {0}, {-5}, {-9}, {-11}, {-15}, {-19}, {-21}, {-25}, {-29}, {-31}, {-39}, {-41});
    CHECK_LAW((uint64_t)1 << 59, (uint64_t)1 << 60, {0}, {1}, {2}, {3});
    CHECK_LAW((uint64_t)3 << 40, (uint64_t)100 << 40, {0}, {12}, {99}, {100}, {40});
    CHECK_LAW(1, (uint64_t)1 << 62, {(int64_t)1 << 61}, {-((int64_t)1 << 61)}, {0}, {((int64_t)1 << 62) - 1});
}

void check_choices_of_thousands(const choice_mechanism *m, int64_t behind, uint64_t den, uint64_t draws) {
    enum { MANY = CHOICE_CANDIDATES_MAX };
    static hr_exact scores[MANY];
    for (size_t i = 0; i < MANY; i++) scores[i].unpaid = behind + (int64_t)(i % 7);
    scores[4321].unpaid = 0;
    scores[17].unpaid = -50;
    check_choice_law(m, scores, MANY, 1, 100, draws);
    for (size_t i = 0; i < MANY; i++) scores[i].unpaid = -(int64_t)(i * i % 100003);
    check_choice_law(m, scores, MANY, 1, den, draws);
}

void check_choices_of_one(const choice_mechanism *m) {
    hr_csprng *csprng = seeded(1);
    const hr_exact only = {-5};
    const hr_release scale = {.scale_num = 1, .scale_den = 1};
    for (int i = 0; i < 1000; i++) assert_int_equal(choose(m, csprng, &only, 1, scale), 0);
    hr_csprng_close(csprng);
}

void check_choices_of_extremes(const choice_mechanism *m) {
    enum { DRAWS = 10000 };
    const int64_t end = ((int64_t)1 << 62) - 1;
    const hr_exact scores[] = {{-end}, {end}, {-end}, {0}};
    const hr_release largest = {.scale_num = HR_UNITS_MAX, .scale_den = 1},
                     one = {.scale_num = 1, .scale_den = 1},
                     smallest = {.scale_num = 1, .scale_den = UINT64_MAX};
    hr_csprng *csprng = seeded(1);
    uint64_t seen[4] = {0};
    double p[4];
    for (int i = 0; i < DRAWS; i++) {
        assert_int_equal(choose(m, csprng, scores, 4, largest), 1);
        assert_int_equal(choose(m, csprng, scores, 4, one), 1);
        seen[choose(m, csprng, scores, 4, smallest)]++;
    }
    m->law(scores, 4, 1, UINT64_MAX, p);
    assert_true(chi_square_fits(seen, p, 4, DRAWS));
    hr_csprng_close(csprng);
}
