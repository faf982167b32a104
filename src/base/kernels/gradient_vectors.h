/* Words of logistic loss (gradients.h) in vectors, several side by side: one alone waits for each step of its
 * exponential. The steps are those of the loop, so the words are the same. */
#ifndef HR_BASE_KERNELS_GRADIENT_VECTORS_H
#define HR_BASE_KERNELS_GRADIENT_VECTORS_H

#include "base/kernels/gradients.h"

#ifdef __AVX2__
#include <immintrin.h>

#ifdef __AVX512DQ__
enum { HR_WORD_LANES = 8, HR_WORD_VECTORS = 4 };
typedef __m512d hr_doubles;
typedef __m512i hr_integers;
#define HR_OF_WORDS(name) _mm512_##name
#define HR_WORD_BITS(x) _mm512_castpd_si512(x)
#define HR_WORD_DOUBLES(x) _mm512_castsi512_pd(x)
#define HR_WORD_EACH(x) _mm512_set1_epi64(x)
#define HR_WORD_SHIFTED(x, by) _mm512_sll_epi64(x, _mm_cvtsi32_si128(by))
#define HR_WORD_LOAD(at) _mm512_loadu_pd(at)
#define HR_WORD_STORE(at, x) _mm512_storeu_si512(at, x)
#else
enum { HR_WORD_LANES = 4, HR_WORD_VECTORS = 4 };
typedef __m256d hr_doubles;
typedef __m256i hr_integers;
#define HR_OF_WORDS(name) _mm256_##name
#define HR_WORD_BITS(x) _mm256_castpd_si256(x)
#define HR_WORD_DOUBLES(x) _mm256_castsi256_pd(x)
#define HR_WORD_EACH(x) _mm256_set1_epi64x(x)
#define HR_WORD_SHIFTED(x, by) _mm256_sll_epi64(x, _mm_cvtsi32_si128(by))
#define HR_WORD_LOAD(at) _mm256_loadu_pd(at)
#define HR_WORD_STORE(at, x) _mm256_storeu_si256((__m256i *)(void *)(at), x)
#endif

static inline hr_doubles hr_doubles_of(double x) {
    return HR_OF_WORDS(set1_pd)(x);
}

/* hr_bounded: a comparison with NaN is false, and takes the bound. */
static inline hr_doubles hr_doubles_within(hr_doubles x, double bound) {
    return HR_OF_WORDS(min_pd)(HR_OF_WORDS(max_pd)(x, hr_doubles_of(-bound)), hr_doubles_of(bound));
}

/* hr_round: the bits of the sum with 1.5 * 2^52, less those of that number. */
static inline hr_integers hr_doubles_rounded(hr_doubles x) {
    const hr_doubles magic = hr_doubles_of(0x1.8p52);
    return HR_OF_WORDS(sub_epi64)(HR_WORD_BITS(HR_OF_WORDS(add_pd)(x, magic)), HR_WORD_BITS(magic));
}

/* Vectors side by side. */
typedef struct hr_side_by_side {
    hr_doubles a, b, c, d;
} hr_side_by_side;

/* x * factor + term, rounded twice. */
static inline __attribute__((always_inline)) hr_side_by_side
hr_multiply_add(hr_side_by_side x, const hr_side_by_side *factor, double term) {
    const hr_doubles added = hr_doubles_of(term);
    x.a = HR_OF_WORDS(add_pd)(HR_OF_WORDS(mul_pd)(x.a, factor->a), added);
    x.b = HR_OF_WORDS(add_pd)(HR_OF_WORDS(mul_pd)(x.b, factor->b), added);
    x.c = HR_OF_WORDS(add_pd)(HR_OF_WORDS(mul_pd)(x.c, factor->c), added);
    x.d = HR_OF_WORDS(add_pd)(HR_OF_WORDS(mul_pd)(x.d, factor->d), added);
    return x;
}

/* What is left of an exponent x = k ln 2 + r: r, and 2^k. */
static inline hr_doubles hr_exponent_rest(hr_doubles score, hr_doubles *power) {
    const hr_doubles magic = hr_doubles_of(0x1.8p52),
                     x = HR_OF_WORDS(xor_pd)(hr_doubles_within(score, 40), hr_doubles_of(-0.0)),
                     shifted = HR_OF_WORDS(add_pd)(HR_OF_WORDS(mul_pd)(x, hr_doubles_of(0x1.71547652b82fep0)),
                                                   magic),
                     k = HR_OF_WORDS(sub_pd)(shifted, magic),
                     high = HR_OF_WORDS(mul_pd)(k, hr_doubles_of(0x1.62e42fee00000p-1)),
                     low = HR_OF_WORDS(mul_pd)(k, hr_doubles_of(0x1.a39ef35793c76p-33));
    *power = HR_WORD_DOUBLES(
        HR_OF_WORDS(slli_epi64)(HR_OF_WORDS(add_epi64)(HR_WORD_BITS(shifted), HR_WORD_EACH(1023)), 52));
    return HR_OF_WORDS(sub_pd)(HR_OF_WORDS(sub_pd)(x, high), low);
}

static inline hr_doubles hr_probability(hr_doubles exponential, hr_doubles power) {
    const hr_doubles one = hr_doubles_of(1);
    return HR_OF_WORDS(div_pd)(one, HR_OF_WORDS(add_pd)(one, HR_OF_WORDS(mul_pd)(exponential, power)));
}

/* p of hr_logistic_word. */
static inline __attribute__((always_inline)) hr_side_by_side hr_vector_probabilities(const double *scores) {
    hr_side_by_side power;
    const hr_side_by_side rest = {hr_exponent_rest(HR_WORD_LOAD(scores), &power.a),
                                  hr_exponent_rest(HR_WORD_LOAD(scores + HR_WORD_LANES), &power.b),
                                  hr_exponent_rest(HR_WORD_LOAD(scores + 2 * HR_WORD_LANES), &power.c),
                                  hr_exponent_rest(HR_WORD_LOAD(scores + 3 * HR_WORD_LANES), &power.d)};
    const hr_doubles last = hr_doubles_of(1.0 / 479001600);
    hr_side_by_side p = {last, last, last, last};
    p = hr_multiply_add(p, &rest, 1.0 / 39916800);
    p = hr_multiply_add(p, &rest, 1.0 / 3628800);
    p = hr_multiply_add(p, &rest, 1.0 / 362880);
    p = hr_multiply_add(p, &rest, 1.0 / 40320);
    p = hr_multiply_add(p, &rest, 1.0 / 5040);
    p = hr_multiply_add(p, &rest, 1.0 / 720);
    p = hr_multiply_add(p, &rest, 1.0 / 120);
    p = hr_multiply_add(p, &rest, 1.0 / 24);
    p = hr_multiply_add(p, &rest, 1.0 / 6);
    p = hr_multiply_add(p, &rest, 0.5);
    p = hr_multiply_add(p, &rest, 1);
    p = hr_multiply_add(p, &rest, 1);
    return (hr_side_by_side){hr_probability(p.a, power.a), hr_probability(p.b, power.b),
                             hr_probability(p.c, power.c), hr_probability(p.d, power.d)};
}

/* hr_probability_word. */
static inline __attribute__((always_inline)) hr_integers hr_vector_word(const hr_gradient_rule *rule,
                                                                        hr_doubles p, hr_doubles target) {
    const hr_doubles one = hr_doubles_of(1),
                     is_class = HR_OF_WORDS(mul_pd)(HR_OF_WORDS(add_pd)(target, one), hr_doubles_of(.5)),
                     g = HR_OF_WORDS(mul_pd)(HR_OF_WORDS(sub_pd)(p, is_class), hr_doubles_of(rule->scale)),
                     weight = HR_OF_WORDS(mul_pd)(HR_OF_WORDS(mul_pd)(p, HR_OF_WORDS(sub_pd)(one, p)),
                                                  hr_doubles_of(rule->weight_scale));
    const hr_integers gradient = hr_doubles_rounded(hr_doubles_within(g, rule->bound)),
                      whole = hr_doubles_rounded(HR_OF_WORDS(max_pd)(one, weight));
    return HR_OF_WORDS(add_epi64)(HR_WORD_SHIFTED(gradient, rule->shift), whole);
}

static inline void hr_vector_logistic_words(const hr_gradient_rule *rule, const double *scores,
                                            const double *targets, size_t count, int64_t *words) {
    enum { TOGETHER = HR_WORD_LANES * HR_WORD_VECTORS };
    const hr_gradient_rule r = *rule;
    size_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER) {
        const hr_side_by_side p = hr_vector_probabilities(scores + i);
        const double *of = targets + i;
        int64_t *to = words + i;
        HR_WORD_STORE(to, hr_vector_word(&r, p.a, HR_WORD_LOAD(of)));
        HR_WORD_STORE(to + HR_WORD_LANES, hr_vector_word(&r, p.b, HR_WORD_LOAD(of + HR_WORD_LANES)));
        HR_WORD_STORE(to + 2 * HR_WORD_LANES, hr_vector_word(&r, p.c, HR_WORD_LOAD(of + 2 * HR_WORD_LANES)));
        HR_WORD_STORE(to + 3 * HR_WORD_LANES, hr_vector_word(&r, p.d, HR_WORD_LOAD(of + 3 * HR_WORD_LANES)));
    }
    hr_loop_logistic_words(rule, scores + i, targets + i, count - i, words + i);
}

#endif

#endif
