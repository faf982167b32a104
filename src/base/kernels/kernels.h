/* The loops that most time goes into, each for several instruction sets. A set is chosen once, by what the
 * processor has; all of them compute the same bytes, so the choice changes speed alone. Intrinsics belong
 * here and nowhere else. */
#ifndef HR_BASE_KERNELS_KERNELS_H
#define HR_BASE_KERNELS_KERNELS_H

#include "base/fixed_score.h"
#include "base/kernels/gradients.h"
#include "base/kernels/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Rows of a node ---- */

/* Records of a node: a row and a value each, which move together when the node is split. */

typedef struct hr_valued_rows {
    uint32_t *rows;
    int64_t *values;
} hr_valued_rows;

/* The same, only read. */
typedef struct hr_given_rows {
    const uint32_t *rows;
    const int64_t *values;
} hr_given_rows;

/* ---- Places of a tree ---- */

/* The upper part of a tree of two-way splits, laid out for blocks of records: at most HR_PLACES_MAX places
 * below it, numbered from left to right. All records of a block are held against every split, in vectors, so
 * that none of them waits for the one before it. */

enum { HR_PLACES_MAX = 64, HR_PLACES_BLOCK = 512 };

/* Bins low .. low + width go left. A table gives each bin 0 or 255 instead, of which 0 goes left: low and
 * width are 0 then. */
typedef struct hr_place_split {
    size_t offset;        /* where its feature's bins of the block begin */
    const uint8_t *right; /* the table; NULL: none */
    uint8_t low, width;
    uint8_t places_left;                 /* how many places are below its left child */
    uint8_t left_records, right_records; /* the splits that its children are; HR_PLACES_MAX - 1: none */
} hr_place_split;

/* Parents come before their children. The first `inner` splits are those that have a split below them; the
 * root is splits[0]. */
typedef struct hr_places {
    const hr_place_split *splits; /* at most HR_PLACES_MAX - 1 */
    size_t inner, count;
} hr_places;

/* ---- Octets ---- */

/* Bins of a few features, record by record: an octet is the eight bytes that a record has for eight features,
 * so vectors take several records at once, and all features of them. */

enum { HR_OCTET = 8, HR_OCTET_TILE = 32, HR_OCTETS_AHEAD = 32 };

/* Of each feature's bins: the least, the least of (bin - 1) mod 256, and the largest; so the least but 0 is
 * known, too. Of no records: 255, 255, 0. */
typedef struct hr_octet_ranges {
    uint8_t least[HR_OCTET], before[HR_OCTET], largest[HR_OCTET];
} hr_octet_ranges;

/* Of each feature: the `count` bins from `first` on. */
typedef struct hr_octet_cuts {
    uint8_t first[HR_OCTET], count[HR_OCTET];
} hr_octet_cuts;

/* Of one feature, byte `lane` of an octet. */
typedef struct hr_octet_cut {
    uint8_t lane, first, count;
} hr_octet_cut;

/* ---- Levels of a tree ---- */

/* A tree of two-way splits as the walk of blocks of records reads it: level by level, every level full. The
 * places of a level are counted from left to right; the record at place p of one level goes to 2 p or 2 p + 1
 * of the next. A leaf above the last level sends all records left. */

/* Places fit in a byte. Blocks of records are walked HR_VECTOR_ROWS at once. */
enum {
    HR_LEVELS_MAX = 8,
    HR_LEVEL_PLACES_MAX = 1 << HR_LEVELS_MAX,
    HR_BLOCK_ROWS = 512,
    HR_VECTOR_ROWS = 64
};

typedef struct hr_level_node {
    size_t offset;         /* bytes to the column of its bins */
    const uint64_t *right; /* 256 bits: the bins that go right; NULL in levels without sets */
    uint8_t low, width;    /* bins low .. low + width go left; of a set that is no range: all */
    bool is_set;           /* it is no range: `right` alone decides */
} hr_level_node;

/* Every node of a level in bytes, by its place in the level. */
typedef struct hr_level_bytes {
    uint8_t column[HR_LEVEL_PLACES_MAX / 2]; /* index in `offsets` of the level */
    uint8_t low[HR_LEVEL_PLACES_MAX / 2], width[HR_LEVEL_PLACES_MAX / 2];
} hr_level_bytes;

typedef struct hr_level {
    size_t node_count;
    const hr_level_node *nodes;
    const hr_level_bytes *bytes;
    const size_t *offsets; /* of the nodes, each once */
    size_t offset_count;
    bool has_sets; /* some node is a set; then all have `right` */
} hr_level;

/* ---- Scores ---- */

/* Scores and their targets are in fixed point (base/fixed_score.h). The units of words of gradients are
 * larger by HR_WORD_CUT bits. */
enum { HR_WORD_CUT = 8 };

/* A record has two scores: one that is held within a limit, which gradients are of; and the sum of the values
 * that published trees give it. */
typedef struct hr_fixed_step {
    int32_t held, published;
} hr_fixed_step;

/* By place. Up to HR_STEPS_TOGETHER - 1 steps behind the last are read, and not used. */
enum { HR_STEPS_TOGETHER = 16 };

typedef struct hr_fixed_steps {
    const hr_fixed_step *of_place;
    size_t count; /* at most HR_LEVEL_PLACES_MAX */
} hr_fixed_steps;

typedef struct hr_fixed_scores {
    int32_t *held, *published; /* published: NULL where it is not wanted */
} hr_fixed_scores;

/* How gradients become words: clipped to `clip`, rounded to the nearest integer in the units of words, kept
 * within `bound` of these, shifted to the left, plus 1. */
typedef struct hr_word_rule {
    int32_t clip, bound;
    int shift;
} hr_word_rule;

/* ---- Cuts ---- */

/* A node, by whose sums of gradients and weights cuts are judged. */

enum { HR_CUTS_MAX = 256 };

typedef struct hr_cut_node {
    int64_t gradient, weight;
    double lambda;
    double min_weight; /* of a side, 1 or more */
} hr_cut_node;

/* ---- Floats in rows ---- */

/* Of `count` rows, HR_FLOATS_TOGETHER columns that lie side by side; from one row to the next are `stride`
 * floats. */
enum { HR_FLOATS_TOGETHER = 8 };

typedef struct hr_float_rows {
    const float *at;
    ptrdiff_t stride;
    size_t count;
} hr_float_rows;

typedef struct hr_float_bounds {
    float low[HR_FLOATS_TOGETHER], high[HR_FLOATS_TOGETHER];
} hr_float_bounds;

/* ---- Cells of CSV records ---- */

/* So many bytes behind the text are readable: HR_NUMBER_FAST_REACH (base/text/number_fast.h). */
typedef struct hr_cell_text {
    const char *text;
    size_t size;
} hr_cell_text;

/* Numbers of cells. No cell has more than 31 bytes. */
typedef struct hr_fractions {
    size_t count;
    uint32_t sizes;   /* of the cells, in bytes: a bit each */
    double low, high; /* infinity and -infinity of none */
} hr_fractions;

/* ---- The set ---- */

typedef struct hr_kernels {
    const char *name;
    /* out[i]: 0 if values[i] is NaN, else 1 + how many of the edges are less. */
    void (*bins_of_numbers)(const hr_search *search, const hr_number_block *numbers, uint8_t *out);
    /* Whether every number is within the bounds of its column; NaN is not. */
    bool (*floats_within)(const hr_float_rows *rows, const hr_float_bounds *bounds);
    /* out[k * room + i] = column k of row i. */
    void (*columns_of_floats)(const hr_float_rows *rows, size_t room, double *out);
    /* places[i]: that of record i of a block of HR_PLACES_BLOCK, whose bins of a split are those from `bins +
     * split->offset` on. */
    void (*places_of_block)(const hr_places *tree, const uint8_t *bins, uint8_t *places);
    /* sums[i] += values[places[i]], for HR_PLACES_BLOCK records and HR_PLACES_MAX values. */
    void (*add_by_place)(const double *values, const uint8_t *places, double *sums);
    /* The first separator, quotation mark, CR or LF at or after text; there is one. */
    const char *(*find_cell_end)(const char *text, char separator);
    /* Reads numbers as hr_number_fast does, each followed by `separator` at once, up to `count` of them or
     * the first cell that is something else. Returns how many; *text is moved behind the last one's
     * separator. */
    size_t (*numbers_of_cells)(const char **text, char separator, size_t count, double *out);
    /* Where up to `count` cells that follow each other end, as bytes behind text: at separators; the first
     * quotation mark, CR or LF is the last end. Returns how many there are. */
    size_t (*ends_of_cells)(const char *text, char separator, size_t count, uint32_t *ends);
    /* Reads cells as hr_loop_fraction_of_cell does, up to the first that is no such fraction. */
    hr_fractions (*fractions_of_cells)(const hr_cell_text *cells, size_t count, double *out);
    /* How many of text[0..size) are `byte`. */
    size_t (*count_bytes)(const char *text, size_t size, char byte);
    /* Blocks of up to HR_BLOCK_ROWS records. at[i]: the place behind the last level, 0 .. 2^depth - 1, of the
     * record whose bins are bins[offset + i]. count: a multiple of HR_VECTOR_ROWS; as many bytes are read of
     * every column. */
    void (*walk_block)(const hr_level *levels, size_t depth, const uint8_t *bins, size_t count, uint8_t *at);
    /* cells[i] = first[i] * width + second[i], below 2^16. */
    void (*cells_of_pair)(const uint8_t *first, const uint8_t *second, uint16_t width, size_t count,
                          uint16_t *cells);
    /* Adds the step of places[i] to record i of up to HR_BLOCK_ROWS: to the score that is held, which is kept
     * within -limit .. limit (it, limit and steps: below 2^30 in magnitude), and to the published one, modulo
     * 2^32. */
    void (*step_scores)(const hr_fixed_steps *steps, const uint8_t *places, size_t count, int32_t limit,
                        const hr_fixed_scores *scores);
    /* The words of the gradients scores[i] - targets[i] (both below 2^29 in magnitude). Returns how many
     * gradients are within the clip. */
    int64_t (*words_of)(const hr_word_rule *rule, const int32_t *scores, const int32_t *targets, size_t count,
                        int64_t *words);
    /* words[i] = hr_logistic_word(rule, scores[i], targets[i]). */
    void (*logistic_words)(const hr_gradient_rule *rule, const double *scores, const double *targets,
                           size_t count, int64_t *words);
    /* words[i] = gradients[i] * 2^shift + weights[i], 0 <= weights[i] < 2^shift; shift: 1 .. 62. */
    void (*sums_of_words)(int shift, const int64_t *words, size_t count, int64_t *gradients,
                          int64_t *weights);
    /* The first of up to HR_CUTS_MAX cuts with the largest gain, S_L^2/(W_L + lambda) + S_R^2/(W_R + lambda)
     * with gradients[i] and weights[i] on the left of cut i; cuts where a side weighs too little have gain
     * -1. Writes the gain; of no cuts: -1. */
    size_t (*best_cut)(const hr_cut_node *node, const int64_t *gradients, const int64_t *weights,
                       size_t count, double *gain);
    /* The same of sums in words, as sums_of_words takes them apart. */
    size_t (*best_cut_of_words)(const hr_cut_node *node, int shift, const int64_t *words, size_t count,
                                double *gain);
    /* Of up to HR_CUTS_MAX words those that are not 0: bins[k], which the k-th of them is, and sums[k], of
     * all words up to it. Returns how many. Both have room for HR_CUTS_MAX. */
    size_t (*sums_up_to)(const int64_t *words, size_t count, int64_t *sums, uint8_t *bins);
    /* octets[8 i + j] = tiles[HR_OCTET_TILE rows[i] + picks[j]]; all of a row's HR_OCTET_TILE bytes are read.
     */
    void (*octets_of_rows)(const uint8_t *tiles, const uint8_t *picks, const uint32_t *rows, size_t count,
                           uint8_t *octets);
    void (*ranges_of_octets)(const uint8_t *octets, size_t count, hr_octet_ranges *out);
    /* sums[j]: of the values[i] whose octets[8 i + j] is one of the bins of cut j. */
    void (*sums_of_octets)(const hr_octet_cuts *cuts, const uint8_t *octets, const int64_t *values,
                           size_t count, int64_t *sums);
    /* within[i]: 1 if octets[8 i + cut.lane] is one of the bins of the cut, else 0. */
    void (*octets_within)(const uint8_t *octets, hr_octet_cut cut, size_t count, uint8_t *within);
    /* Writes the records with goes_left[i] = 1 to `left` and those with 0 to `right`, both in order. Returns
     * how many go left. The sides do not overlap; each has room for `count` records, all of which may be
     * overwritten. One of them may be where the records are, or where their values are. */
    size_t (*divide_rows)(const hr_given_rows *from, const uint8_t *goes_left, size_t count,
                          const hr_valued_rows *left, const hr_valued_rows *right);
} hr_kernels;

/* So many bytes behind the text that they work on must be readable for those that search or read cells. */
enum { HR_KERNELS_REACH = 96 };

/* The set in use: the best that the processor has, or what hr_use_kernels named. Any thread. */
const hr_kernels *hr_kernels_get(void);

/* The sets of this build, in order; NULL past the last. The first is portable C. A set that the processor
 * lacks must not be called (hr_kernels_run_here). */
const hr_kernels *hr_kernels_at(size_t index);
int hr_kernels_run_here(const hr_kernels *kernels);

#endif
