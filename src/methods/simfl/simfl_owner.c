#include "methods/simfl/simfl_owner.h"

#include "base/fail.h"
#include "methods/simfl/simfl_records.h"

#include <stdlib.h>
#include <string.h>

/* Of |score - target|, targets being mapped to [-1, 1]: scores rarely leave that range. It cannot be the
 * largest of a round, as in gbdt, which no owner knows. */
static const double RESIDUAL_BOUND = 4;

struct hr_simfl_owner {
    hr_simfl_setup setup;
    size_t rows, all_rows;
    hr_training training;
    hr_simfl_records *records;
    hr_exact_boosting boosting;
    hr_exact *gradients, *weights; /* room for what is written for another owner */
    int64_t *received; /* G and H of every own record without its own g and h, packed; 0 after each tree */
};

hr_status hr_simfl_charge(hr_gate *gate, hr_simfl_permits *out, hr_error *err) {
    hr_status status = hr_gate_charge_exact(gate, "record hashes", err);
    if (!status) status = hr_exact_boosting_charge(gate, HR_EDGES_EXACT, &out->boosting, err);
    if (!status) status = hr_exact_charge(gate, "gradients of similar records", &out->gradients, err);
    return status;
}

static hr_status allocate_simfl_owner(hr_simfl_owner *o, hr_error *err) {
    size_t largest = 0;
    for (size_t i = 0; i < o->setup.owners; i++) {
        o->all_rows += o->setup.rows[i];
        largest = o->setup.rows[i] > largest ? o->setup.rows[i] : largest;
    }
    o->gradients = malloc(largest * sizeof *o->gradients);
    o->weights = malloc(largest * sizeof *o->weights);
    o->received = calloc(o->rows, sizeof *o->received);
    return o->gradients && o->weights && o->received ? HR_OK : hr_fail_memory(err);
}

hr_status hr_simfl_owner_new(const hr_simfl_setup *setup, hr_simfl_owner **out, hr_error *err) {
    hr_simfl_owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    o->setup = *setup;
    o->rows = hr_data_rows(setup->data);
    hr_status status = allocate_simfl_owner(o, err);
    if (!status)
        status =
            hr_simfl_records_new(setup->data, setup->rows, setup->owners, setup->threads, &o->records, err);
    if (!status) {
        o->training = (hr_training){.data = setup->data,
                                    .options = setup->options,
                                    .gate = setup->gate,
                                    .source = hr_simfl_records_source(o->records),
                                    .threads = setup->threads,
                                    .arena = setup->arena};
        status = hr_exact_boosting_init(&o->boosting, &o->training, &setup->permits.boosting,
                                        (size_t)setup->options->trees, o->all_rows, err);
    }
    if (status) {
        hr_simfl_owner_free(o);
        return status;
    }
    *out = o;
    return HR_OK;
}

void hr_simfl_owner_free(hr_simfl_owner *o) {
    if (!o) return;
    hr_exact_boosting_done(&o->boosting);
    hr_simfl_records_free(o->records);
    free(o->gradients);
    free(o->weights);
    free(o->received);
    free(o);
}

hr_status hr_simfl_owner_label_sums(hr_simfl_owner *o, hr_noisy sums[2], hr_error *err) {
    memset(sums, 0, 2 * sizeof *sums);
    return hr_exact_boosting_label_sums(&o->boosting, sums, err);
}

hr_status hr_simfl_owner_set_base(hr_simfl_owner *o, const hr_noisy sums[2], double *base, hr_error *err) {
    hr_status status = hr_exact_boosting_set_base(&o->boosting, sums, (double)o->all_rows, err);
    if (!status) *base = o->training.forest.base[0];
    return status;
}

hr_status hr_simfl_owner_match(hr_simfl_owner *o, size_t other, const uint32_t *similar, hr_error *err) {
    return hr_simfl_records_match(o->records, other, similar, err);
}

static hr_stats_round round_of_simfl(hr_simfl_owner *o) {
    return hr_exact_boosting_round(&o->boosting, 0, RESIDUAL_BOUND);
}

hr_status hr_simfl_owner_gradients(hr_simfl_owner *o, size_t other, hr_noisy *gradients, hr_noisy *weights,
                                   hr_error *err) {
    hr_stats_round round = round_of_simfl(o);
    size_t count = o->setup.rows[other];
    hr_status status = hr_simfl_records_gradients(o->records, other, &round, o->gradients, o->weights, err);
    if (status) return status;
    hr_gate_sums(o->setup.gate, o->setup.permits.gradients, o->gradients, count, gradients);
    hr_gate_sums(o->setup.gate, o->setup.permits.gradients, o->weights, count, weights);
    return HR_OK;
}

/* Each record of the other owner counts at one of these: so many can have no more than that in all. Sums that
 * keep these bounds fit into the packing. */
static bool can_be_sums(const hr_packing *packing, const hr_noisy *gradients, const hr_noisy *weights,
                        size_t count, int64_t records) {
    int64_t weight_bound = packing->weight_scale > 1 ? (int64_t)packing->weight_scale / 4 : 1,
            weight_left = records * weight_bound, gradient_left = records * packing->gradient_bound;
    for (size_t s = 0; s < count; s++) {
        int64_t g = gradients[s].paid, h = weights[s].paid;
        if (h < 0 || h > weight_left || g > gradient_left || g < -gradient_left) return false;
        weight_left -= h;
        gradient_left -= g < 0 ? -g : g;
    }
    return true;
}

hr_status hr_simfl_owner_receive(hr_simfl_owner *o, size_t other, const hr_noisy *gradients,
                                 const hr_noisy *weights, hr_error *err) {
    const hr_packing *packing = &o->boosting.boosting.packing;
    if (!can_be_sums(packing, gradients, weights, o->rows, o->setup.rows[other]))
        return hr_fail(err, HR_E_FORMAT, "the other owner must run this version of the software unchanged",
                       "gradients that %u records cannot have", (unsigned)o->setup.rows[other]);
    for (size_t q = 0; q < o->rows; q++)
        o->received[q] += hr_pack(packing, gradients[q].paid, weights[q].paid);
    return HR_OK;
}

size_t hr_simfl_owner_of_tree(const hr_simfl_order *order, const uint32_t *rows, size_t owners, size_t tree) {
    if (order->order == HR_OWNER_ORDER_TURNS) return tree % owners;
    uint64_t all = 0, upto = 0;
    for (size_t i = 0; i < owners; i++) all += rows[i];
    for (size_t i = 0; i + 1 < owners; i++) {
        upto += rows[i];
        if (tree < (uint64_t)order->trees * upto / all) return i;
    }
    return owners - 1;
}

/* The tree shares the arena, not the array of trees. */
hr_status hr_simfl_owner_train(hr_simfl_owner *o, hr_tree *out, hr_error *err) {
    hr_forest *forest = &o->training.forest;
    size_t made = forest->tree_count;
    hr_stats_round round = round_of_simfl(o);
    round.added = o->received;
    hr_status status = hr_exact_boosting_tree(&o->boosting, &round, err);
    if (!status) status = hr_boosting_add_trees(&o->boosting.boosting, made, err);
    if (status) return status;
    memset(o->received, 0, o->rows * sizeof *o->received);
    *out = forest->trees[made];
    return HR_OK;
}

hr_status hr_simfl_owner_add(hr_simfl_owner *o, const hr_tree *tree, hr_error *err) {
    return hr_simfl_records_add_tree(o->records, tree, err);
}
