#include "tree/noisy.h"

#include "tree/split_candidates.h"

#include <stdlib.h>

static hr_status choose(hr_splitter *self, int level, hr_cell *const *cells, const hr_cell *totals, size_t count, hr_split *splits,
                        hr_error *err) {
    const hr_noisy_splitter *s = (const hr_noisy_splitter *)self;
    size_t candidates = hr_candidate_count(s->binning);
    hr_exact *scores = malloc((candidates + 1) * sizeof *scores);
    if (!scores) return hr_fail_memory(err);
    for (size_t node = 0; node < count; node++) {
        if (!candidates) {
            splits[node] = (hr_split){.made = false};
            continue;
        }
        hr_candidate_scores(s->binning, s->packing, s->lambda, cells[node], totals[node], scores);
        splits[node] = hr_candidate(s->binning, hr_gate_choose(s->gate, s->permits[level], scores, candidates));
    }
    free(scores);
    return HR_OK;
}

void hr_noisy_splitter_init(hr_noisy_splitter *splitter) {
    splitter->splitter.choose = choose;
}
