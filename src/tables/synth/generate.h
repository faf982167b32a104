/* What the generators of tables share: seeded dice, a CSV writer, and the steps that each of them fills in.
 *
 * The same options must give the same bytes on every machine. So nothing here calls a function of libm whose
 * last bit differs between libraries: the four operations, sqrt and floor are exact by IEEE 754, and normal
 * numbers are sums. */
#ifndef HR_TABLES_SYNTH_GENERATE_H
#define HR_TABLES_SYNTH_GENERATE_H

#include "base/arena.h"
#include "base/buffer.h"

#include <hedgerow/generate.h>

/* ---- Dice: Blackman and Vigna's xoshiro256**. Not for privacy. ---- */

typedef struct hr_dice {
    uint64_t s[4];
} hr_dice;

void hr_dice_init(hr_dice *dice, uint64_t seed);

static inline uint64_t hr_dice_u64(hr_dice *dice) {
    uint64_t *s = dice->s, five = s[1] * 5, result = (five << 7 | five >> 57) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* A multiple of 2^-53 in [0, 1). */
static inline double hr_dice_unit(hr_dice *dice) {
    return (double)(hr_dice_u64(dice) >> 11) * 0x1p-53;
}

/* 0..m-1, 1 <= m < 2^32; no value is favoured by more than 2^-32 of its share. */
static inline uint64_t hr_dice_below(hr_dice *dice, uint64_t m) {
    return (hr_dice_u64(dice) >> 32) * m >> 32;
}

/* Nearly normal: the sum of twelve uniform numbers less its mean. Mean 0, variance 1, kurtosis 2.9, within
 * [-6, 6]: so bounds that are published with a table hold for certain. */
static inline double hr_dice_normal(hr_dice *dice) {
    const uint64_t lanes = 0x0000ffff0000ffff;
    uint64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t word = hr_dice_u64(dice);
        sum += (word & lanes) + (word >> 16 & lanes);
    }
    return (double)((int64_t)(sum >> 32) + (int64_t)(sum & 0xffffffff) - 6 * 65535) * 0x1p-16;
}

/* ---- Sheet: CSV in pieces through the caller's function. ---- */

typedef bool hr_write(void *user, const char *bytes, size_t size);

enum { HR_CSV_WRITER_SIZE = 1 << 16, HR_CELL_LONGEST = 64 };

typedef struct hr_csv_writer {
    hr_write *write;
    void *user;
    bool stopped; /* the caller's function returned false; later cells do nothing */
    bool filled;  /* the row has a cell */
    size_t used;
    char bytes[HR_CSV_WRITER_SIZE];
} hr_csv_writer;

/* Cells from left to right; texts are shorter than HR_CELL_LONGEST and need no quotes. "" is a missing value.
 */
void hr_csv_writer_text(hr_csv_writer *csv_writer, const char *text);
/* units * 10^-decimals; decimals <= 6. */
void hr_csv_writer_fixed(hr_csv_writer *csv_writer, int64_t units, int decimals);
void hr_csv_writer_end_row(hr_csv_writer *csv_writer);
void hr_csv_writer_flush(hr_csv_writer *csv_writer);

/* The nearest integer; halves go up. |value| < 2^53. */
int64_t hr_nearest(double value);
double hr_clip(double value, double low, double high);

/* ---- The steps of a generator. ---- */

/* What is decided before the first row; a schema follows from it. */
typedef struct hr_plan {
    const hr_generate_options *options;
    hr_arena *arena;
    hr_dice dice;
    double feature_low, feature_high, label_low, label_high; /* all but hospital */
    double *weights; /* regression: of the informative features; classification: clusters x informative x
                        informative */
    double *corners; /* classification: clusters x informative */
    double *row;     /* room for the features of a record */
    struct hr_patient *patient; /* hospital with visits: whose visits are being written */
} hr_plan;

typedef struct hr_generator_steps {
    hr_generate_options defaults;
    hr_generate_options highest; /* of features, informative, classes, noise, visits and times; 0: the
                                    generator does not take the option */
    const char *name;
    hr_status (*check)(const hr_generate_options *options,
                       hr_error *err); /* a fact that the ranges do not hold; or NULL */
    bool (*prepare)(hr_plan *plan);    /* false when memory is short; or NULL */
    void (*header)(const hr_plan *plan, hr_csv_writer *csv_writer);
    void (*row)(hr_plan *plan, hr_csv_writer *csv_writer);
    void (*schema)(const hr_plan *plan, hr_buffer *yaml);
} hr_generator_steps;

extern const hr_generator_steps hr_generate_hospital, hr_generate_classification, hr_generate_regression,
    hr_generate_friedman1;

#endif
