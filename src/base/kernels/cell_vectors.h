/* cell_loops.h in vectors: 64 characters are searched at once, and a cell of up to 16 characters becomes a
 * number without a branch on what it holds.
 *
 * The cell's digits are moved to the end of a vector in one shuffle, which leaves out the point: characters
 * behind it move by 16 - length, those before it by one more. Multiplications then add up pairs, fours and
 * eights. Two numbers of eight digits are exact doubles; their sum is exact up to 15 digits, which is all
 * that a cell with a point holds, and without a point it is the value, rounded once. So is its quotient by a
 * power of ten. A cell that is anything else goes the portable way. */
#ifndef HR_BASE_KERNELS_CELL_VECTORS_H
#define HR_BASE_KERNELS_CELL_VECTORS_H

#include "base/kernels/cell_loops.h"

#include <immintrin.h>

enum { HR_CELL_MAX = 16, HR_CELL_GROUP = 4 };

/* 16 bytes from [n] on: which character of n comes to each place when they move to the end; below 0: none. */
static const int8_t hr_cell_moves[2 * HR_CELL_MAX] = {-16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6,
                                                      -5,  -4,  -3,  -2,  -1,  0,   1,   2,  3,  4,  5,
                                                      6,   7,   8,   9,   10,  11,  12,  13, 14, 15};
/* 16 bytes from [n] on: -1 for all but the last n. */
static const int8_t hr_cell_before_point[2 * HR_CELL_MAX] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                             -1, -1, -1, -1, -1, -1, -1, -1};

static const double hr_cell_tens[HR_CELL_MAX + 1] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                                     1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

/* Bit i: text[i] is `c`. */
static inline uint64_t hr_bytes_equal_64(const char *text, char c) {
#ifdef __AVX512BW__
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text), _mm512_set1_epi8(c));
#else
    const __m256i sought = _mm256_set1_epi8(c);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)text),
                  high = _mm256_loadu_si256((const __m256i *)(const void *)(text + 32));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, sought)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, sought)) << 32;
#endif
}

enum { HR_CELL_VECTOR = 32 };

static inline unsigned hr_bytes_equal_32(__m256i x, char c) {
    return (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8(c)));
}

/* Bit i: x[i] is a quotation mark, CR or LF. */
static inline unsigned hr_stops_32(__m256i x) {
    const __m256i quote = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('"')),
                  cr = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\r')),
                  lf = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\n'));
    return (unsigned)_mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, cr), lf));
}

static inline const char *hr_vector_find_cell_end(const char *text, char separator) {
    for (;; text += HR_CELL_VECTOR) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)text);
        const unsigned mask = hr_bytes_equal_32(x, separator) | hr_stops_32(x);
        if (mask) return text + _tzcnt_u32(mask);
    }
}

static inline size_t hr_vector_ends_of_cells(const char *text, char separator, size_t count, uint32_t *ends) {
    size_t found = 0;
    for (uint32_t begin = 0; found < count; begin += HR_CELL_VECTOR) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(text + begin));
        const unsigned stops = hr_stops_32(x), until_stop = stops ^ (stops - 1); /* with the first one */
        unsigned mask = (hr_bytes_equal_32(x, separator) | stops) & until_stop;
        for (; mask && found < count; mask = _blsr_u32(mask)) ends[found++] = begin + _tzcnt_u32(mask);
        if (stops) break;
    }
    return found;
}

/* A cell as four numbers of four digits. `bad`: what is no digit in it. */
typedef struct hr_cell_digits {
    __m128i fours, bad;
    double tens;
    int64_t sign; /* its bit of a double */
} hr_cell_digits;

static inline __m128i hr_load_16(const void *from) {
    return _mm_loadu_si128((const __m128i *)from);
}

/* Of the `size` characters at `text`; false if there are not 1 to 16 of them besides the sign. */
static inline bool hr_vector_cell_digits(const char *text, size_t size, hr_cell_digits *out) {
    const size_t negative = *text == '-';
    text += negative;
    size -= negative;
    const __m128i x = hr_load_16(text);
    const unsigned points =
        _bzhi_u32((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('.'))), (unsigned)size);
    const size_t whole = !points, begin = _tzcnt_u32(points | 1u << (size & 31)),
                 fraction = size - begin - !whole; /* digits behind the point */
    if (size - 1 >= HR_CELL_MAX || size + whole == 1) return false;
    const __m128i moves = _mm_add_epi8(hr_load_16(&hr_cell_moves[size]),
                                       hr_load_16(&hr_cell_before_point[fraction + HR_CELL_MAX * whole]));
    const __m128i digits = _mm_shuffle_epi8(_mm_sub_epi8(x, _mm_set1_epi8('0')), moves);
    out->bad = _mm_subs_epu8(digits, _mm_set1_epi8(9));
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 | 1 << 8));
    out->fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
    out->tens = hr_cell_tens[fraction];
    out->sign = (int64_t)((uint64_t)negative << 63);
    return true;
}

/* Numbers of eight digits, two of each cell. */
static inline __m128i hr_vector_eights(__m128i fours, __m128i others) {
    return _mm_madd_epi16(_mm_packus_epi32(fours, others), _mm_set1_epi32(10000 | 1 << 16));
}

/* False unless all four cells are plain numbers. */
static inline bool hr_vector_numbers(const hr_cell_digits c[HR_CELL_GROUP], double *out) {
    const __m128i bad = _mm_or_si128(_mm_or_si128(c[0].bad, c[1].bad), _mm_or_si128(c[2].bad, c[3].bad));
    const __m128 first = _mm_castsi128_ps(hr_vector_eights(c[0].fours, c[1].fours)),
                 second = _mm_castsi128_ps(hr_vector_eights(c[2].fours, c[3].fours));
    const __m256d high = _mm256_cvtepi32_pd(_mm_castps_si128(_mm_shuffle_ps(first, second, 0x88))),
                  low = _mm256_cvtepi32_pd(_mm_castps_si128(_mm_shuffle_ps(first, second, 0xdd)));
    const __m256d mantissas = _mm256_add_pd(_mm256_mul_pd(high, _mm256_set1_pd(1e8)), low);
    const __m256d tens = _mm256_setr_pd(c[0].tens, c[1].tens, c[2].tens, c[3].tens);
    const __m256d signs = _mm256_castsi256_pd(_mm256_setr_epi64x(c[0].sign, c[1].sign, c[2].sign, c[3].sign));
    _mm256_storeu_pd(out, _mm256_xor_pd(_mm256_div_pd(mantissas, tens), signs));
    return _mm_testz_si128(bad, bad);
}

/* The next four cells. */
static inline bool hr_vector_number_group(const char **text, char separator, double *out) {
    const char *at = *text;
    uint64_t ends = hr_bytes_equal_64(at, separator);
    hr_cell_digits cells[HR_CELL_GROUP];
    size_t begin = 0;
    for (size_t i = 0; i < HR_CELL_GROUP; i++) {
        const size_t end = _tzcnt_u64(ends);
        if (!ends || !hr_vector_cell_digits(at + begin, end - begin, &cells[i])) return false;
        begin = end + 1;
        ends = _blsr_u64(ends);
    }
    if (!hr_vector_numbers(cells, out)) return false;
    *text = at + begin;
    return true;
}

static inline size_t hr_vector_numbers_of_cells(const char **text, char separator, size_t count,
                                                double *out) {
    const char *at = *text;
    size_t taken = 0;
    while (taken < count) {
        if (count - taken >= HR_CELL_GROUP && hr_vector_number_group(&at, separator, &out[taken])) {
            taken += HR_CELL_GROUP;
            continue;
        }
        if (!hr_loop_number_of_cell(&at, separator, &out[taken])) break;
        taken++;
    }
    *text = at;
    return taken;
}

/* As hr_vector_cell_digits of a cell that may be what hr_loop_fraction_of_cell takes: it has a point, digits
 * before it, no zero that leads others, and one, two, or more than three characters behind it. */
static inline bool hr_vector_fraction_digits(const hr_cell_text *cell, hr_cell_digits *out) {
    static const unsigned lengths = ~(1u | 1u << HR_GROUP_DIGITS);
    const size_t negative = *cell->text == '-', size = cell->size - negative;
    const char *text = cell->text + negative;
    const __m128i x = hr_load_16(text);
    const unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('.'))),
                   inner = _bzhi_u32(points, (unsigned)size) & ~1u;
    if (size - 1 >= HR_CELL_MAX || !inner) return false;
    const size_t begin = _tzcnt_u32(inner), fraction = size - begin - 1;
    const __m128i moves =
        _mm_add_epi8(hr_load_16(&hr_cell_moves[size]), hr_load_16(&hr_cell_before_point[fraction]));
    const __m128i digits = _mm_shuffle_epi8(_mm_sub_epi8(x, _mm_set1_epi8('0')), moves);
    const unsigned odd =
        (unsigned)!(lengths >> fraction & 1) | ((unsigned)(*text == '0') & (unsigned)(begin > 1));
    out->bad = _mm_or_si128(_mm_subs_epu8(digits, _mm_set1_epi8(9)), _mm_cvtsi32_si128((int)odd));
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 | 1 << 8));
    out->fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
    out->tens = hr_cell_tens[fraction];
    out->sign = (int64_t)((uint64_t)negative << 63);
    return true;
}

/* Four cells; false unless all of them are fractions. */
static inline bool hr_vector_fraction_group(const hr_cell_text *cells, double *out) {
    hr_cell_digits digits[HR_CELL_GROUP];
    for (size_t i = 0; i < HR_CELL_GROUP; i++)
        if (!hr_vector_fraction_digits(&cells[i], &digits[i])) return false;
    if (!hr_vector_numbers(digits, out)) return false;
    const __m256d values = _mm256_loadu_pd(out),
                  whole = _mm256_round_pd(values, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    return !_mm256_movemask_pd(_mm256_cmp_pd(values, whole, _CMP_EQ_OQ));
}

static inline hr_fractions hr_vector_fractions_of_cells(const hr_cell_text *cells, size_t count,
                                                        double *out) {
    hr_fractions seen = {.low = (double)INFINITY, .high = -(double)INFINITY};
    __m256d low = _mm256_set1_pd(seen.low), high = _mm256_set1_pd(seen.high);
    double ends[2 * HR_CELL_GROUP];
    while (seen.count < count) {
        const hr_cell_text *next = &cells[seen.count];
        double *numbers = &out[seen.count];
        if (count - seen.count >= HR_CELL_GROUP && hr_vector_fraction_group(next, numbers)) {
            low = _mm256_min_pd(low, _mm256_loadu_pd(numbers));
            high = _mm256_max_pd(high, _mm256_loadu_pd(numbers));
            for (size_t i = 0; i < HR_CELL_GROUP; i++) seen.sizes |= 1u << next[i].size;
            seen.count += HR_CELL_GROUP;
            continue;
        }
        if (!hr_loop_fraction_of_cell(next, numbers)) break;
        hr_loop_count_fraction(&seen, next->size, *numbers);
    }
    _mm256_storeu_pd(ends, low);
    _mm256_storeu_pd(ends + HR_CELL_GROUP, high);
    for (size_t i = 0; i < HR_CELL_GROUP; i++) {
        seen.low = ends[i] < seen.low ? ends[i] : seen.low;
        seen.high = ends[HR_CELL_GROUP + i] > seen.high ? ends[HR_CELL_GROUP + i] : seen.high;
    }
    return seen;
}

#endif
