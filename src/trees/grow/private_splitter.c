#include "trees/grow/private_splitter.h"

#include "trees/stats/split_candidates.h"

#include <stdlib.h>

static hr_status choose_private_split(hr_splitter *self, const hr_level_nodes *nodes, hr_split *splits,
                                      hr_error *err) {
    const hr_private_splitter *s = (const hr_private_splitter *)self;
    size_t candidates = hr_candidate_count(s->binning);
    hr_exact *scores = malloc((candidates + 1) * sizeof *scores);
    if (!scores) return hr_fail_memory(err);
    for (size_t node = 0; node < nodes->count; node++) {
        if (!candidates) {
            splits[node] = (hr_split){.made = false};
            continue;
        }
        hr_candidate_scores(s->binning, s->packing, s->lambda, nodes->cells[node], nodes->totals[node],
                            scores);
        splits[node] =
            hr_candidate(s->binning, hr_gate_choose(s->gate, s->permits[nodes->level], scores, candidates));
    }
    free(scores);
    return HR_OK;
}

void hr_private_splitter_init(hr_private_splitter *splitter) {
    splitter->splitter.choose = choose_private_split;
}
