#include "trees/candidates/score_gradients.h"

#include "base/arena.h"
#include "tables/data/records.h"
#include "trees/candidates/hazard_gradients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = HR_WALK_BLOCK };
_Static_assert(HR_SCORE_BITS - HR_WORD_CUT == HR_GRADIENT_BITS, "words are gradients in their own units");

/* The vector is longest at a corner: where y is below the scores of the quantiles from some k on. */
double hr_quantile_reach(const double *quantiles, size_t count) {
    double longest = 0;
    for (size_t first = 0; first <= count; first++) {
        double square = 0;
        for (size_t k = 0; k < count; k++) {
            const double g = (k >= first) - quantiles[k];
            square += g * g;
        }
        longest = fmax(longest, square);
    }
    return sqrt(longest);
}

bool hr_score_gradients_init(hr_score_gradients *g, const hr_binned *binned,
                             const hr_candidate_scan_setup *setup) {
    const size_t rows = binned->rows, outputs = setup->outputs, scores = rows * outputs;
    const size_t packed = rows < HR_SCORE_WORD_ROWS ? rows : HR_SCORE_WORD_ROWS;
    *g = (hr_score_gradients){.kernels = hr_kernels_get(),
                              .weights = binned->weights,
                              .exposures = binned->exposures,
                              .has_classes = hr_objective_has_classes(setup->objective, outputs),
                              .quantiles =
                                  setup->objective == HR_OBJECTIVE_QUANTILES ? setup->quantiles : NULL,
                              .rows = rows,
                              .outputs = outputs,
                              .channels = outputs + (binned->weights != NULL),
                              .shift = hr_packing_shift(packed, 1, 1 << (HR_GRADIENT_BITS + 1))};
    g->targets = hr_pages_new(rows * sizeof *g->targets);
    g->scores = hr_pages_new(scores * sizeof *g->scores);
    if (setup->publishes) g->published = hr_pages_new(scores * sizeof *g->published);
    if (!g->targets || !g->scores || (setup->publishes && !g->published)) return false;
    const bool are_whole = g->has_classes || setup->objective == HR_OBJECTIVE_HAZARD;
    for (size_t i = 0; i < rows; i++)
        g->targets[i] = are_whole ? (int32_t)setup->targets[i] : hr_fixed_score(setup->targets[i]);
    if (g->quantiles) g->reach = hr_quantile_reach(g->quantiles, outputs);
    for (size_t i = 0; i < scores; i++) g->scores[i] = hr_fixed_score(setup->base[i % outputs]);
    if (g->published) memset(g->published, 0, scores * sizeof *g->published);
    return true;
}

void hr_score_gradients_done(hr_score_gradients *g) {
    free(g->targets);
    free(g->scores);
    free(g->published);
}

/* ---- Scores ---- */

/* What scores are kept within. */
static double lowest_score(const hr_score_gradients *g, const hr_candidate_scan_loss *loss) {
    return g->has_classes ? -.2 : -loss->score_limit;
}

static double highest_score(const hr_score_gradients *g, const hr_candidate_scan_loss *loss) {
    return g->has_classes ? 1.2 : loss->score_limit;
}

/* A scan has half of the log-odds (logistic loss), or the probabilities of more than two classes. */
void hr_score_gradients_start(hr_score_gradients *g, const double *scores,
                              const hr_candidate_scan_loss *loss) {
    double low = lowest_score(g, loss), high = highest_score(g, loss);
    for (size_t i = 0; i < g->rows * g->outputs; i++) {
        double score = g->has_classes                             ? (scores[i] + 1) / 2
                       : loss->objective == HR_OBJECTIVE_LOGISTIC ? scores[i] / 2
                                                                  : scores[i];
        g->scores[i] = hr_fixed_score(fmin(fmax(score, low), high));
    }
}

static inline __attribute__((always_inline)) void ask_next_block(const hr_score_gradients *g, size_t begin) {
    const size_t bytes = BLOCK * sizeof *g->scores;
    if (begin + BLOCK > g->rows) return;
    hr_ask_block_ahead(g->targets + begin, bytes);
    hr_ask_block_ahead(g->scores + begin, bytes);
    if (g->published) hr_ask_block_ahead(g->published + begin, bytes);
}

void hr_score_gradients_take_step(hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                                  const hr_row_block *rows, const hr_score_step *step) {
    const int32_t low = hr_fixed_score(lowest_score(g, loss)), high = hr_fixed_score(highest_score(g, loss));
    const size_t begin = rows->begin * g->outputs;
    const hr_fixed_scores scores = {g->scores + begin, g->published ? g->published + begin : NULL};
    if (g->outputs == 1) {
        ask_next_block(g, rows->begin + BLOCK);
        const hr_fixed_steps steps = {step->values, step->place_count};
        g->kernels->step_scores(&steps, step->places, rows->count, high, &scores);
        return;
    }
    for (size_t i = 0; i < rows->count * g->outputs; i++) {
        const hr_fixed_step value = step->values[step->places[i / g->outputs] * g->outputs + i % g->outputs];
        scores.held[i] = hr_fixed_within(scores.held[i] + value.held, low, high);
        if (scores.published) scores.published[i] = hr_fixed_sum(scores.published[i], value.published);
    }
}

/* ---- Words ---- */

/* Of counts: a number that is above the target by the gradient. Parts are of the label's high. */
static const int32_t *predicted_counts(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                                       const hr_row_block *rows, int32_t *room) {
    const int32_t *scores = g->scores + rows->begin, *targets = g->targets + rows->begin;
    const double least = loss->count_unit;
    for (size_t i = 0; i < rows->count; i++) {
        const double exposure = g->exposures ? g->exposures[rows->begin + i] : 1,
                     rate = fmin(exp(hr_fixed_value(scores[i])), 1 / exposure), mean = exposure * rate,
                     count = (hr_fixed_value(targets[i]) + 1) / 2;
        room[i] = targets[i] + hr_fixed_score((mean - count) / (HR_COUNT_GRADIENT * fmax(rate, least)));
    }
    return room;
}

/* Of logistic loss the scores are half of the log-odds: gradients are of their hyperbolic tangents. */
static const int32_t *predicted_of(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                                   const hr_row_block *rows, int32_t *room) {
    const int32_t *scores = g->scores + rows->begin;
    if (loss->objective == HR_OBJECTIVE_SQUARE) return scores;
    if (loss->objective == HR_OBJECTIVE_COUNT) return predicted_counts(g, loss, rows, room);
    for (size_t i = 0; i < rows->count; i++) room[i] = hr_fixed_score(tanh(hr_fixed_value(scores[i])));
    return room;
}

static hr_word_rule rule_of(const hr_score_gradients *g, const hr_candidate_scan_loss *loss) {
    return (hr_word_rule){hr_fixed_score(loss->clip), (int32_t)loss->bound, g->shift};
}

/* One output: clipped gradient and count of a record in one word. Returns how many gradients were within the
 * clip. */
static int64_t pack_one(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                        const hr_row_block *rows, int64_t *words) {
    int32_t room[BLOCK];
    const hr_word_rule rule = rule_of(g, loss);
    return g->kernels->words_of(&rule, predicted_of(g, loss, rows, room), g->targets + rows->begin,
                                rows->count, words);
}

/* Coordinate k of a record's vector, before it is shortened. */
static double gradient_of(const hr_score_gradients *g, const hr_candidate_scan_loss *loss, size_t row,
                          size_t k) {
    const int32_t score = g->scores[row * g->outputs + k], target = g->targets[row];
    if (!g->quantiles) return hr_fixed_value(score) - (target == (int32_t)k ? 1 : 0);
    const double part = (1 + HR_QUANTILE_RAMP * hr_fixed_value(score - target) / loss->width) / 2;
    return fmin(fmax(part, 0), 1) - g->quantiles[k];
}

/* More outputs, and quantiles: the factor that shortens a record's vector to the clip; that of quantiles to
 * the reach, which is the clip in their units. */
static double factor_of(const hr_score_gradients *g, const hr_candidate_scan_loss *loss, size_t row) {
    double square = 0;
    for (size_t k = 0; k < g->outputs; k++) {
        double r = gradient_of(g, loss, row, k);
        square += r * r;
    }
    double norm = sqrt(square);
    return loss->clip / fmax(norm, g->quantiles ? g->reach : loss->clip) * (1 << HR_GRADIENT_BITS);
}

void hr_score_gradients_pack(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                             int64_t *vector) {
    for (;;) {
        int64_t square = 0;
        for (size_t k = 0; k < g->outputs; k++) square += vector[k * BLOCK] * vector[k * BLOCK];
        if (square <= loss->bound * loss->bound) break;
        for (size_t k = 0; k < g->outputs; k++) vector[k * BLOCK] /= 2;
    }
    for (size_t k = 0; k < g->outputs; k++)
        vector[k * BLOCK] = (int64_t)((uint64_t)vector[k * BLOCK] << g->shift) + 1;
}

/* Integers are truncated towards zero. */
static void pack_many(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                      const hr_row_block *rows, int64_t *words) {
    for (size_t i = 0; i < rows->count; i++) {
        int64_t *vector = words + i;
        double factor = factor_of(g, loss, rows->begin + i);
        for (size_t k = 0; k < g->outputs; k++)
            vector[k * BLOCK] = (int64_t)(gradient_of(g, loss, rows->begin + i, k) * factor);
        hr_score_gradients_pack(g, loss, vector);
    }
}

/* Whether a record counts as one within the clip: of quantiles one near its middle quantile. */
static bool is_near(const hr_score_gradients *g, const hr_candidate_scan_loss *loss, size_t row) {
    const int32_t middle = g->scores[row * g->outputs + g->outputs / 2];
    return abs(middle - g->targets[row]) <= hr_fixed_score(loss->width);
}

/* What a person's record adds in the place of its packed gradients: its share of each, and its weight.
 * Returns the weight of the gradients within the clip. */
static int64_t weigh_block(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                           const hr_row_block *rows, int64_t *words) {
    const hr_packing packing = {.shift = g->shift};
    const uint32_t *weights = g->weights + rows->begin;
    const int32_t *targets = g->targets + rows->begin, clip = rule_of(g, loss).clip;
    int32_t room[BLOCK];
    const bool has_one = g->outputs == 1 && !g->quantiles && loss->objective != HR_OBJECTIVE_HAZARD;
    const int32_t *predicted = has_one ? predicted_of(g, loss, rows, room) : NULL;
    int64_t within = 0;
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < g->outputs; k++) {
            int64_t *word = &words[k * BLOCK + i];
            *word = hr_person_share(weights[i], hr_unpack(&packing, *word).gradient.unpaid);
        }
        const uint32_t counted =
            g->exposures ? hr_exposed(weights[i], g->exposures[rows->begin + i]) : weights[i];
        words[g->outputs * BLOCK + i] = counted;
        bool is_within = predicted      ? abs(predicted[i] - targets[i]) <= clip
                         : g->quantiles ? is_near(g, loss, rows->begin + i)
                                        : false;
        within += is_within ? counted : 0;
    }
    return within;
}

int64_t hr_score_gradients_words(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                                 const hr_row_block *rows, int64_t *words) {
    int64_t within = 0;
    if (loss->objective == HR_OBJECTIVE_HAZARD)
        hr_hazard_gradients_words(g, loss, rows, words);
    else if (g->outputs == 1 && !g->quantiles)
        within = pack_one(g, loss, rows, words);
    else
        pack_many(g, loss, rows, words);
    if (g->weights) return weigh_block(g, loss, rows, words);
    for (size_t i = 0; g->quantiles && i < rows->count; i++) within += is_near(g, loss, rows->begin + i);
    return within;
}
