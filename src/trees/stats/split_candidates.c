#include "trees/stats/split_candidates.h"

size_t hr_feature_candidates(const hr_feature_bins *feature) {
    return feature->kind == HR_KIND_NUMBER ? feature->bin_count - 2 : feature->bin_count;
}

size_t hr_candidate_count(const hr_binning *binning) {
    size_t count = 0;
    for (size_t f = 0; f < binning->feature_count; f++) count += hr_feature_candidates(&binning->features[f]);
    return count;
}

hr_split hr_candidate(const hr_binning *binning, size_t index) {
    size_t f = 0;
    while (index >= hr_feature_candidates(&binning->features[f]))
        index -= hr_feature_candidates(&binning->features[f++]);
    hr_kind kind = binning->features[f].kind;
    hr_split split = {.made = true, .feature = (uint32_t)f, .kind = kind};
    if (kind == HR_KIND_NUMBER) {
        split.cut = (uint8_t)(index + 1);
        split.missing_left = true;
    } else {
        hr_bin_set_add(&split.left, (uint8_t)index);
    }
    return split;
}

typedef struct gain {
    const hr_packing *packing;
    double lambda, scale;
    hr_sum_word total, weight; /* of the node; weight: where weights are apart */
} gain;

/* Rounding: both terms are computed to within a few units in the last place of numbers below 2^53, see
 * split_candidates.proof.md. */
static inline int64_t split_candidates_score_of(const gain *g, hr_sums left, hr_sums right) {
    double gl = (double)left.gradient.unpaid, gr = (double)right.gradient.unpaid;
    double nl = (double)left.weight.unpaid, nr = (double)right.weight.unpaid;
    double a = nl > 0 ? nl + g->lambda : 1, b = nr > 0 ? nr + g->lambda : 1;
    return (int64_t)((gl * gl * b + gr * gr * a) / (a * b) * g->scale);
}

static void score_packed(const gain *g, const hr_feature_bins *feature, const hr_sum_word *bins,
                         hr_exact *scores) {
    size_t count = hr_feature_candidates(feature);
    hr_sum_word left = feature->kind == HR_KIND_NUMBER ? bins[0] : 0;
    for (size_t c = 0; c < count; c++) {
        left = feature->kind == HR_KIND_NUMBER ? left + bins[c + 1] : bins[c];
        scores[c].unpaid =
            split_candidates_score_of(g, hr_unpack(g->packing, left), hr_unpack(g->packing, g->total - left));
    }
}

static void score_apart(const gain *g, const hr_feature_bins *feature, const hr_sum_word *bins,
                        hr_exact *scores) {
    const hr_sum_word *weights = hr_weights_in(g->packing, bins);
    bool number = feature->kind == HR_KIND_NUMBER;
    size_t count = hr_feature_candidates(feature);
    hr_sum_word left = number ? bins[0] : 0, weight = number ? weights[0] : 0;
    for (size_t c = 0; c < count; c++) {
        left = number ? left + bins[c + 1] : bins[c];
        weight = number ? weight + weights[c + 1] : weights[c];
        scores[c].unpaid =
            split_candidates_score_of(g, hr_unpack_apart(g->packing, left, weight),
                                      hr_unpack_apart(g->packing, g->total - left, g->weight - weight));
    }
}

static gain gain_of_node(const hr_packing *packing, double lambda, hr_sum_word total) {
    const double bound = (double)packing->gradient_bound;
    return (gain){packing, lambda, (1 << HR_GAIN_BITS) / (bound * bound), total, 0};
}

size_t hr_feature_scores(const hr_feature_bins *feature, const hr_packing *packing, const hr_sum_word *bins,
                         hr_sum_word total, hr_exact *scores) {
    const gain g = gain_of_node(packing, 0, total);
    score_packed(&g, feature, bins, scores);
    return hr_feature_candidates(feature);
}

void hr_candidate_scores(const hr_binning *binning, const hr_packing *packing, double lambda,
                         const hr_sum_word *cells, hr_sum_word total, hr_exact *scores) {
    gain g = gain_of_node(packing, lambda, total);
    if (packing->weight_cells) {
        g.scale /= HR_PERSON_UNIT;
        g.weight = hr_histogram_total(binning, hr_weights_in(packing, cells));
    }
    for (size_t f = 0; f < binning->feature_count; f++) {
        const hr_feature_bins *feature = &binning->features[f];
        (packing->weight_cells ? score_apart : score_packed)(&g, feature, cells + hr_histogram_of(binning, f),
                                                             scores);
        scores += hr_feature_candidates(feature);
    }
}
