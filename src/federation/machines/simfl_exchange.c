/* What both sides of SimFL read, check and write. */
#include "federation/machines/simfl_exchange.h"

#include "base/fail.h"
#include "federation/protocol/wire_tree.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_BYTES = 2, TREE_BYTES = 4 << 20 };

static const hr_simfl_common *common_of(const hr_protocol *any) {
    return any->common;
}

/* ---- Terms ---- */

hr_status hr_simfl_check_memory(const hr_simfl_rules *rules, const uint32_t *rows, size_t owners,
                                size_t position, hr_error *err) {
    size_t others = 0;
    for (size_t i = 0; i < owners; i++) others += i == position ? 0 : rows[i];
    const size_t bytes = others * HASH_BYTES * rules->tables;
    if (bytes <= HR_SIMFL_HASHES_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "set the option lsh-tables lower, or ask fewer owners",
                   "the hashes of %zu records of others take %zu bytes, and an owner keeps at most %d",
                   others, bytes, (int)HR_SIMFL_HASHES_MAX);
}

/* An owner sends another one hashes, and gradients for at most every second tree; or the coordinator trees,
 * which that one sends to all owners. */
size_t hr_simfl_bytes_max(size_t tables, size_t trees) {
    const size_t hashes = HR_SIMFL_ROWS_MAX * HASH_BYTES * tables + HR_SIMFL_PIECE_MAX,
                 gradients = (trees / 2 + 1) * HR_SIMFL_ROWS_MAX * HR_SIMFL_GRADIENTS_BYTES,
                 all_trees = trees * TREE_BYTES;
    return (hashes + gradients > all_trees ? hashes + gradients : all_trees) + HR_MESSAGE_MAX;
}

hr_status hr_simfl_read_terms(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    hr_simfl_common *m = self->common;
    bool none = terms->rounds == 1 && !terms->broadcast && terms->vote_share == 0 && !terms->last_slots &&
                !terms->exact_rounds && !terms->exact_trees;
    if (!none || terms->coalition)
        return hr_fail(err, HR_E_FORMAT, "",
                       "a job with rounds, votes or a coalition, which this method does not use");
    if (!terms->paper)
        return hr_fail(err, HR_E_FORMAT, "", "a job in mode sound, which this method does not have");
    hr_status status = m->read(terms, m->setup->schema, &m->rules, err);
    if (status) return status;
    if (!m->rules.tables || !m->rules.trees || m->rules.trees > HR_SIMFL_TREES_MAX)
        return hr_fail(err, HR_E_LIMIT, "ask for fewer trees",
                       "a job of %zu trees, and over owners there are at most %d", m->rules.trees,
                       (int)HR_SIMFL_TREES_MAX);
    m->arena = hr_arena_new();
    m->trees = calloc(m->rules.trees, sizeof *m->trees);
    return m->arena && m->trees ? HR_OK : hr_fail_memory(err);
}

void hr_simfl_common_done(hr_simfl_common *m) {
    hr_arena_free(m->arena);
    free(m->trees);
}

/* ---- Numbers ---- */

bool hr_simfl_sums_fit(const hr_simfl_rules *rules, size_t rows, const int64_t sums[HR_SIMFL_SUMS]) {
    const int64_t count = (int64_t)rows, most = count * rules->label_max;
    if (!rules->classes) return sums[0] >= -most && sums[0] <= most && !sums[1];
    return sums[0] >= 0 && sums[0] <= count && sums[1] == count - sums[0];
}

hr_status hr_simfl_read_sums(const int64_t *wire, size_t count, int64_t sums[HR_SIMFL_SUMS], hr_error *err) {
    if (count != HR_SIMFL_SUMS) return hr_protocol_refuse("label sums of another number than two", err);
    memcpy(sums, wire, HR_SIMFL_SUMS * sizeof *sums);
    return HR_OK;
}

static size_t piece_of(size_t left, size_t record_bytes) {
    const size_t most = HR_SIMFL_PIECE_MAX / record_bytes;
    return left < most ? left : most;
}

size_t hr_simfl_hash_piece(const hr_simfl_rules *rules, size_t left) {
    return piece_of(left, HASH_BYTES * rules->tables);
}

size_t hr_simfl_gradient_piece(size_t left) {
    return piece_of(left, HR_SIMFL_GRADIENTS_BYTES);
}

/* ---- Trees ---- */

size_t hr_simfl_trainer(const hr_simfl_common *m, size_t tree) {
    return m->rules.trainer(&m->rules, m->rows, m->start->owner_count, tree);
}

static hr_tree_slot slot_of_tree(const hr_simfl_common *m) {
    const size_t member = m->start->owners[hr_simfl_trainer(m, m->tree_count)];
    return (hr_tree_slot){m->start->digest, m->setup->view->membership->members[member].name, m->tree_count};
}

hr_status hr_simfl_take_tree(hr_simfl_common *m, ProtobufCBinaryData tree, hr_error *err) {
    const hr_tree_slot slot = slot_of_tree(m);
    const hr_tree_rules rules = {.schema = m->setup->schema, .paper = true, .exact_cuts = true};
    hr_paid_tree paid = {0};
    hr_status status = hr_wire_tree_unpack(&slot, &rules, tree, m->arena, &paid, err);
    if (status) return status;
    if (paid.release_count)
        return hr_protocol_refuse("a tree with releases, which this method does not list", err);
    m->trees[m->tree_count++] = paid.tree;
    return HR_OK;
}

/* Which trees its owner had does not differ among owners: the coordinator passes them on. */
hr_status hr_simfl_pack_tree(const hr_protocol *owner, const hr_tree *tree, hr_bytes *out, hr_error *err) {
    static const uint8_t none[HR_SIMFL_TREES_MAX / 8 + 1];
    const hr_simfl_common *m = common_of(owner);
    const hr_tree_slot slot = slot_of_tree(m);
    const hr_paid_tree paid = {.tree = *tree, .set = {.known = none}};
    Hedgerow__SimflTree wire = HEDGEROW__SIMFL_TREE__INIT;
    hr_bytes bytes = {0};
    hr_status status = hr_wire_tree_pack(&slot, &paid, &bytes, err);
    wire.tree = hr_data_of(bytes.at, bytes.size);
    if (!status) status = hr_message_pack(&wire.base, out, err);
    free(bytes.at);
    return status;
}

/* ---- Outcomes of work ---- */

hr_status hr_simfl_pack_size(uint32_t rows, const int64_t sums[HR_SIMFL_SUMS], hr_bytes *out, hr_error *err) {
    Hedgerow__SimflSize wire = HEDGEROW__SIMFL_SIZE__INIT;
    wire.rows = rows;
    wire.sums = (int64_t *)sums;
    wire.n_sums = HR_SIMFL_SUMS;
    return hr_message_pack(&wire.base, out, err);
}

hr_status hr_simfl_pack_hashes(const hr_protocol *owner, const int16_t *hashes, hr_bytes *out,
                               hr_error *err) {
    const hr_simfl_common *m = common_of(owner);
    const hr_simfl_work work = hr_simfl_work_of(owner);
    const size_t tables = m->rules.tables, count = work.count * tables;
    Hedgerow__SimflHashes wire = HEDGEROW__SIMFL_HASHES__INIT;
    uint8_t *bytes = malloc(count * HASH_BYTES + 1);
    if (!bytes) return hr_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const uint16_t hash = (uint16_t)hashes[work.first * tables + i];
        bytes[HASH_BYTES * i] = (uint8_t)(hash & 0xff);
        bytes[HASH_BYTES * i + 1] = (uint8_t)(hash >> 8);
    }
    wire.rows = m->rows[hr_simfl_self(owner)];
    wire.first = (uint32_t)work.first;
    wire.hashes = hr_data_of(bytes, count * HASH_BYTES);
    hr_status status = hr_message_pack(&wire.base, out, err);
    free(bytes);
    return status;
}

hr_status hr_simfl_pack_gradients(const hr_protocol *owner, const int64_t *gradients, const int64_t *weights,
                                  hr_bytes *out, hr_error *err) {
    const hr_simfl_work work = hr_simfl_work_of(owner);
    Hedgerow__SimflGradients wire = HEDGEROW__SIMFL_GRADIENTS__INIT;
    wire.tree = (uint32_t)work.tree;
    wire.first = (uint32_t)work.first;
    wire.gradients = (int64_t *)gradients + work.first;
    wire.weights = (uint64_t *)weights + work.first;
    wire.n_gradients = wire.n_weights = work.count;
    return hr_message_pack(&wire.base, out, err);
}

/* ---- For its party ---- */

void hr_simfl_state_of(const hr_protocol *any, hr_simfl_state *out) {
    const hr_simfl_common *m = common_of(any);
    *out = (hr_simfl_state){.rules = m->rules,
                            .owner_count = m->start->owner_count,
                            .start = &m->start->digest,
                            .rows = m->rows,
                            .sums = {m->sums[0], m->sums[1]},
                            .trees = m->trees,
                            .tree_count = m->tree_count};
}
