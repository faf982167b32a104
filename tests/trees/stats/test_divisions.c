/* The counts of divisions against a list of them all, and draws against the share that each division has. */
#include "support/check.h"
#include "support/chi_square.h"
#include "support/choice_law.h"
#include "trees/stats/divisions.h"

#include <math.h>

enum { VALUES_MAX = 8 };

typedef struct sample {
    size_t values;
    bool missing_left;
    int64_t records[1 + VALUES_MAX]; /* missing ones, and those of each value */
} sample;

static const sample samples[] = {
    {4, false, {0, 3, 1, 4, 1}},
    {4, true, {5, 10, 0, 0, 2}},
    {5, false, {0, 0, 0, 0, 0, 0}}, /* an empty node */
    {5, true, {2, 7, 7, 7, 7, 7}},
    {6, false, {1, 1, 2, 4, 8, 16, 32}},    /* each sum once */
    {7, false, {0, 100, 1, 1, 1, 0, 2, 3}}, /* one value outweighs the others */
    {8, true, {3, 5, 9, 0, 2, 2, 6, 1, 4}},
};

static hr_divisions *divisions_of(const sample *of) {
    hr_exact records[HR_BINS_MAX] = {{0}};
    hr_bin_set values = {{0}};
    for (size_t i = 0; i <= of->values; i++) records[i].unpaid = of->records[i];
    for (size_t i = 1; i <= of->values; i++) hr_bin_set_add(&values, (uint8_t)i);
    hr_divisions *d = NULL;
    assert_int_equal(hr_divisions_new(records, &values, of->missing_left, &d, NULL), HR_OK);
    return d;
}

/* The value that stays on the right: the last of the most frequent. */
static size_t stays(const sample *of) {
    size_t most = 1;
    for (size_t i = 2; i <= of->values; i++)
        if (of->records[i] >= of->records[most]) most = i;
    return most;
}

/* The bits of `number` are the values on the left; 0 is no division. */
static bool is_division(const sample *of, size_t number) {
    return number && !(number >> (stays(of) - 1) & 1);
}

static size_t left_of(const sample *of, size_t number) {
    size_t sum = 0;
    for (size_t i = 0; i < of->values; i++)
        if (number >> i & 1) sum += (size_t)of->records[i + 1];
    return sum;
}

static size_t number_of(const sample *of, const hr_bin_set *left) {
    size_t number = 0;
    for (size_t i = 0; i < of->values; i++)
        if (hr_bin_set_has(left, (uint8_t)(i + 1))) number |= (size_t)1 << i;
    return number;
}

static void test_ways__are_as_many_as_the_list_has(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(samples); k++) {
        const sample *of = &samples[k];
        hr_divisions *d = divisions_of(of);
        int64_t all = 0;
        for (size_t i = 0; i <= of->values; i++) all += of->records[i];
        for (size_t sum = 0; sum < d->count; sum++) {
            double ways = 0;
            for (size_t n = 0; n < (size_t)1 << of->values; n++)
                ways += is_division(of, n) && left_of(of, n) == sum;
            assert_true(d->ways[sum] == ways);
            const int64_t left = (int64_t)sum + (of->missing_left ? of->records[0] : 0);
            assert_int_equal(d->scores[sum].unpaid, -llabs(left - (all - left)));
        }
        hr_divisions_free(d);
    }
}

/* Pr(B) proportional to exp(-eps1/2 |N_L - N_R|) over the whole list (Algorithm 3, line 40). */
static void law_of(const sample *of, double scale, double *p) {
    int64_t all = 0;
    double sum = 0;
    for (size_t i = 0; i <= of->values; i++) all += of->records[i];
    for (size_t n = 0; n < (size_t)1 << of->values; n++) {
        const double left = (double)left_of(of, n) + (double)(of->missing_left ? of->records[0] : 0);
        p[n] = is_division(of, n) ? exp(-scale * fabs(2 * left - (double)all)) : 0;
        sum += p[n];
    }
    for (size_t n = 0; n < (size_t)1 << of->values; n++) p[n] /= sum;
}

static size_t draw(const sample *of, const hr_divisions *d, hr_csprng *csprng, hr_release line) {
    const size_t sum = hr_exponential_choose_weighted(csprng, &line, d->scores, d->ways, d->count);
    const hr_bin_set left = hr_divisions_draw(d, csprng, sum);
    assert_false(hr_bin_set_has(&left, 0));
    return number_of(of, &left);
}

/* Two-sided, one false alarm in a million (chi_square.h). */
static void test_draws__have_the_law_of_the_list(void **state) {
    (void)state;
    enum { DRAWS = 60000, SCALES = 3 };
    static const hr_release scales[SCALES] = {{.scale_num = 1, .scale_den = 1000},
                                              {.scale_num = 1, .scale_den = 8},
                                              {.scale_num = 2, .scale_den = 3}};
    hr_csprng *csprng = seeded(5);
    for (size_t k = 0; k < COUNT(samples); k++)
        for (size_t s = 0; s < SCALES; s++) {
            const sample *of = &samples[k];
            double p[1 << VALUES_MAX];
            uint64_t seen[1 << VALUES_MAX] = {0};
            hr_divisions *d = divisions_of(of);
            law_of(of, (double)scales[s].scale_num / (double)scales[s].scale_den, p);
            for (size_t i = 0; i < DRAWS; i++) seen[draw(of, d, csprng, scales[s])]++;
            assert_true(chi_square_fits(seen, p, (size_t)1 << of->values, DRAWS));
            hr_divisions_free(d);
        }
    hr_csprng_close(csprng);
}

/* 254 values, of 5 to 1000 records: 2^253 - 1 divisions, of which draws find balanced ones. */
static void test_draws__balance_what_cannot_be_listed(void **state) {
    (void)state;
    hr_exact records[HR_BINS_MAX] = {{0}};
    hr_bin_set values = {{0}};
    int64_t all = 0;
    for (size_t bin = 1; bin < HR_BINS_MAX; bin++) {
        all += records[bin].unpaid = (int64_t)(5 + bin * bin % 995);
        hr_bin_set_add(&values, (uint8_t)bin);
    }
    hr_divisions *d = NULL;
    assert_int_equal(hr_divisions_new(records, &values, false, &d, NULL), HR_OK);
    double total = 0;
    for (size_t s = 0; s < d->count; s++) total += d->ways[s];
    assert_true(fabs(total / 0x1p254 - 1) < 1e-12);
    hr_csprng *csprng = seeded(6);
    const hr_release line = {.scale_num = 1, .scale_den = 1};
    for (int i = 0; i < 20; i++) {
        const size_t sum = hr_exponential_choose_weighted(csprng, &line, d->scores, d->ways, d->count);
        const hr_bin_set left = hr_divisions_draw(d, csprng, sum);
        int64_t of = 0;
        for (size_t bin = 1; bin < HR_BINS_MAX; bin++)
            if (hr_bin_set_has(&left, (uint8_t)bin)) of += records[bin].unpaid;
        assert_true(of == (int64_t)sum && llabs(2 * of - all) < 40);
    }
    hr_csprng_close(csprng);
    hr_divisions_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways__are_as_many_as_the_list_has),
        cmocka_unit_test(test_draws__have_the_law_of_the_list),
        cmocka_unit_test(test_draws__balance_what_cannot_be_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
