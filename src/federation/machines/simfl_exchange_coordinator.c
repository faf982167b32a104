/* The coordinator's part in SimFL. */
#include "federation/machines/simfl_exchange.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct simfl_coordinator {
    hr_coordinator_job job;
    hr_simfl_common common;
    bool sized; /* all owners sent their number of records, and trees are trained */
    /* By position. */
    bool hashed[HR_MEMBERS_MAX];
    size_t gave[HR_MEMBERS_MAX]; /* 1 and the tree that it sent gradients for last; 0: none */
    size_t trained[HR_MEMBERS_MAX];
    hr_bytes last; /* the last tree, as it came, until all hashes and gradients have come; else none */
} simfl_coordinator;

static size_t owner_count(const simfl_coordinator *c) {
    return c->job.start.owner_count;
}

/* ---- The end ---- */

/* The job needs every owner: without one it is over. */
static hr_status end_for(simfl_coordinator *c, size_t position, hr_job_ending ending, const char *what,
                         hr_error *err) {
    char why[HR_ACTION_TEXT];
    snprintf(why, sizeof why, "owner %s %.160s", hr_coordinator_job_owner(&c->job, position), what);
    return hr_coordinator_job_fail(&c->job, ending, why, err);
}

/* ---- Who is waited for ---- */

/* The tree that is made: also while one that came early waits for the gradients of others. */
static size_t tree_in_work(const simfl_coordinator *c) {
    return c->common.tree_count - (c->last.at != NULL);
}

static size_t trainer_of_tree(const simfl_coordinator *c) {
    return hr_simfl_trainer(&c->common, tree_in_work(c));
}

static bool has_given(const simfl_coordinator *c, size_t position) {
    return c->gave[position] == tree_in_work(c) + 1;
}

static bool lacks_hashes(const simfl_coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (!c->hashed[i]) return owner_count(c) > 1;
    return false;
}

static bool lacks_gradients(const simfl_coordinator *c) {
    for (size_t i = 0; i < owner_count(c); i++)
        if (!has_given(c, i) && i != trainer_of_tree(c)) return true;
    return false;
}

/* Hashes come first, then gradients for the tree, then the tree. */
static bool is_awaited(const simfl_coordinator *c, size_t position) {
    if (c->job.phase != HR_COORDINATOR_RUNNING) return false;
    if (!c->sized) return !c->common.rows[position];
    const bool trains = position == trainer_of_tree(c);
    if (lacks_hashes(c)) return !c->hashed[position];
    return lacks_gradients(c) ? !trains && !has_given(c, position) : trains;
}

/* ---- Numbers of records ---- */

/* The owner with the fewest records has the most of others. */
static size_t smallest_owner(const simfl_coordinator *c) {
    size_t smallest = 0;
    for (size_t i = 1; i < owner_count(c); i++)
        if (c->common.rows[i] < c->common.rows[smallest]) smallest = i;
    return smallest;
}

static hr_status begin_first_tree(simfl_coordinator *c, hr_error *err) {
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    hr_error why = {0};
    if (hr_simfl_check_memory(&c->common.rules, c->common.rows, owner_count(c), smallest_owner(c), &why)) {
        char text[HR_ACTION_TEXT];
        snprintf(text, sizeof text, "%.140s; %.90s", why.message, why.remedy);
        return hr_coordinator_job_fail(&c->job, HR_JOB_FAILED, text, err);
    }
    sizes.rows = c->common.rows;
    sizes.n_rows = owner_count(c);
    sizes.sums = c->common.sums;
    sizes.n_sums = HR_SIMFL_SUMS;
    c->sized = true;
    return hr_coordinator_job_send(&c->job, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes, err);
}

static hr_status on_size(simfl_coordinator *c, size_t position, const Hedgerow__SimflSize *size,
                         hr_error *err) {
    int64_t sums[HR_SIMFL_SUMS];
    if (c->sized || c->common.rows[position])
        return hr_protocol_refuse("a number of records twice, or at the wrong time", err);
    if (!size->rows || size->rows > HR_SIMFL_ROWS_MAX)
        return hr_fail(err, HR_E_POLICY, "", "%u records, and an owner has 1 to %d", size->rows,
                       (int)HR_SIMFL_ROWS_MAX);
    hr_status status = hr_simfl_read_sums(size->sums, size->n_sums, sums, err);
    if (status) return status;
    if (!hr_simfl_sums_fit(&c->common.rules, size->rows, sums))
        return hr_protocol_refuse("label sums that so many records cannot have", err);
    c->common.rows[position] = size->rows;
    c->job.protocol.advances++;
    for (size_t i = 0; i < HR_SIMFL_SUMS; i++) c->common.sums[i] += sums[i];
    for (size_t i = 0; i < owner_count(c); i++)
        if (!c->common.rows[i]) return HR_OK;
    return begin_first_tree(c, err);
}

/* ---- Trees ---- */

static hr_status begin_next_tree(simfl_coordinator *c, hr_error *err) {
    Hedgerow__SimflTurn turn = HEDGEROW__SIMFL_TURN__INIT;
    turn.tree = (uint32_t)c->common.tree_count;
    turn.last = (ProtobufCBinaryData){c->last.size, c->last.at};
    hr_status status = hr_coordinator_job_send(&c->job, HEDGEROW__MESSAGE__KIND_SIMFL_TURN, &turn, err);
    free(c->last.at);
    c->last = (hr_bytes){0};
    return status;
}

/* A turn that comes while an owner is still at work would look to it like a violation. */
static hr_status follow_tree(simfl_coordinator *c, hr_error *err) {
    if (!c->last.at || lacks_hashes(c) || lacks_gradients(c)) return HR_OK;
    if (c->common.tree_count < c->common.rules.trees) return begin_next_tree(c, err);
    return hr_coordinator_job_complete(&c->job, hr_data_of(NULL, 0), "the model is complete", err);
}

static hr_status on_tree(simfl_coordinator *c, size_t position, const Hedgerow__SimflTree *tree,
                         hr_error *err) {
    if (!c->sized || position != trainer_of_tree(c) || c->last.at)
        return hr_protocol_refuse("a tree out of turn", err);
    hr_status status = hr_simfl_take_tree(&c->common, tree->tree, err);
    if (!status) status = hr_bytes_copy(tree->tree.data, tree->tree.len, &c->last, err);
    if (status) return status;
    c->trained[position]++;
    c->job.protocol.advances++;
    status = hr_protocol_emit(&c->job.protocol, HR_ACT_LOG, 0, err, "owner %s trained tree %zu of %zu",
                              hr_coordinator_job_owner(&c->job, position), c->common.tree_count,
                              c->common.rules.trees);
    return status ? status : follow_tree(c, err);
}

/* Word of it may come after the tree that was made of it. */
static hr_status note_sent(simfl_coordinator *c, size_t position, size_t slot, hr_error *err) {
    const bool twice = slot ? slot <= c->gave[position] : c->hashed[position],
               early = !c->sized || slot > tree_in_work(c) + 1;
    if (twice || early || (slot && hr_simfl_trainer(&c->common, slot - 1) == position))
        return hr_protocol_refuse("word of what it sent at the wrong time", err);
    c->job.protocol.advances++;
    if (slot)
        c->gave[position] = slot;
    else
        c->hashed[position] = true;
    return follow_tree(c, err);
}

static hr_status on_complaint(simfl_coordinator *c, size_t position, size_t of, hr_error *err) {
    char what[HR_ACTION_TEXT];
    if (of >= owner_count(c) || of == position)
        return hr_protocol_refuse("a complaint that names no other owner", err);
    snprintf(what, sizeof what, "refused what owner %s sent", hr_coordinator_job_owner(&c->job, of));
    return end_for(c, position, HR_JOB_VIOLATED, what, err);
}

static hr_status on_notice(simfl_coordinator *c, size_t position, const Hedgerow__Notice *notice,
                           hr_error *err) {
    switch (notice->kind) {
    case HEDGEROW__NOTICE__KIND__EMPTY:
        return end_for(c, position, HR_JOB_NO_ANSWER, "has no answer to give", err);
    case HEDGEROW__NOTICE__KIND__REFUSED: return on_complaint(c, position, notice->slot, err);
    case HEDGEROW__NOTICE__KIND__SENT: return note_sent(c, position, notice->slot, err);
    case HEDGEROW__NOTICE__KIND__TWO_TREES:
    default: return hr_protocol_refuse("a notice of another kind of job", err);
    }
}

/* ---- The machine ---- */

static hr_status on_message(hr_protocol *self, size_t position, const Hedgerow__Message *m, hr_error *err) {
    simfl_coordinator *c = (simfl_coordinator *)self;
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SIMFL_SIZE: return on_size(c, position, m->simfl_size, err);
    case HEDGEROW__MESSAGE__KIND_SIMFL_TREE: return on_tree(c, position, m->simfl_tree, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(c, position, m->notice, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

static hr_status end_without(hr_protocol *self, size_t position, hr_error *err) {
    simfl_coordinator *c = (simfl_coordinator *)self;
    const bool cut = c->job.cut[c->job.start.owners[position]];
    return end_for(c, position, cut ? HR_JOB_VIOLATED : HR_JOB_NO_ANSWER,
                   cut ? "violated the protocol" : "ended its part", err);
}

/* The first owner that is missing is named. */
static hr_status on_timeout(hr_protocol *self, hr_error *err) {
    simfl_coordinator *c = (simfl_coordinator *)self;
    for (size_t i = 0; i < owner_count(c); i++)
        if (is_awaited(c, i)) return end_for(c, i, HR_JOB_TIMED_OUT, "gave no answer in time", err);
    return HR_OK;
}

static void free_trees(hr_protocol *self) {
    simfl_coordinator *c = (simfl_coordinator *)self;
    hr_simfl_common_done(&c->common);
    free(c->last.at);
}

static const hr_coordinator_rules rules = {
    .check = hr_simfl_read_terms,
    .message = on_message,
    .stranger = "a message of a member that is not an owner of this job",
    .without = end_without,
    .timeout = on_timeout,
    .done = free_trees,
};

hr_status hr_simfl_coordinator_machine(const hr_protocol_setup *setup, hr_simfl_read_rules *read,
                                       hr_protocol **out, hr_error *err) {
    simfl_coordinator *c = calloc(1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->common = (hr_simfl_common){.setup = &c->job.setup, .start = &c->job.start, .read = read};
    c->job.protocol.common = &c->common;
    return hr_coordinator_job_open(&c->job, &rules, setup, out, err);
}

/* ---- For its party ---- */

bool hr_simfl_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const simfl_coordinator *c = (const simfl_coordinator *)self;
    const size_t position = hr_coordinator_job_position(&c->job, member);
    if (!hr_coordinator_job_part(&c->job, member, out)) return false;
    if (position == owner_count(c)) return true;
    out->awaited = is_awaited(c, position);
    out->trees = c->trained[position];
    return true;
}
