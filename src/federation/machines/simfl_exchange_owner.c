/* An owner's part in SimFL. */
#include "federation/machines/simfl_exchange.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* What came of another owner. */
typedef struct simfl_peer {
    int16_t *hashes; /* of all its records: `rows` of them, of which `hashed` have come */
    size_t rows, hashed;
    int64_t *gradients, *weights;     /* for the tree that this owner trains next; NULL: none has come */
    size_t given;                     /* of this owner's records: whose gradients have come */
    int64_t gradient_sum, weight_sum; /* of those: |g| and h */
} simfl_peer;

typedef struct simfl_owner {
    hr_owner_job job;
    hr_simfl_common common;
    simfl_peer peers[HR_MEMBERS_MAX]; /* by position */
    bool sized;                       /* the numbers of records of all owners have come */
    hr_simfl_work work;               /* task 0: none */
    size_t works;                     /* that were begun: the number of the next one */
    bool again;                       /* the work was lost once */
    size_t next_hash;                 /* the first record whose hashes were not sent */
    size_t next_tree;                 /* trees below it have had this owner's part */
    size_t next_gradient;             /* of next_tree: the trainer's first record that had no gradients */
} simfl_owner;

static size_t owner_count(const simfl_owner *o) {
    return o->job.start.owner_count;
}

static size_t self_position(const simfl_owner *o) {
    return hr_owner_job_position(&o->job);
}

static uint32_t own_rows(const simfl_owner *o) {
    return o->common.rows[self_position(o)];
}

/* ---- Work ---- */

/* Pieces are paced. */
static hr_status begin_owner_work(simfl_owner *o, hr_simfl_work work, hr_error *err) {
    o->work = work;
    return hr_protocol_act(&o->job.protocol,
                           (hr_action){.kind = HR_ACT_TRAIN, .slot = o->works++, .paced = work.count > 0},
                           err);
}

/* Begins what can be done: hashes first, since others wait for them. */
static hr_status go_on(hr_protocol *self, hr_error *err) {
    simfl_owner *o = (simfl_owner *)self;
    if (o->job.phase != HR_OWNER_RUNNING || o->work.task || !o->sized) return HR_OK;
    const size_t tree = o->common.tree_count, trainer = hr_simfl_trainer(&o->common, tree);
    const simfl_peer *peer = &o->peers[trainer];
    hr_simfl_work work = {.tree = tree, .trainer = trainer};
    if (owner_count(o) > 1 && o->next_hash < own_rows(o)) {
        work = (hr_simfl_work){.task = HR_SIMFL_HASH, .first = o->next_hash};
        work.count = hr_simfl_hash_piece(&o->common.rules, own_rows(o) - o->next_hash);
    } else if (o->next_tree > tree) {
        return HR_OK;
    } else if (trainer == self_position(o)) {
        for (size_t i = 0; i < owner_count(o); i++)
            if (i != trainer && o->peers[i].given < own_rows(o)) return HR_OK;
        work.task = HR_SIMFL_TRAIN;
    } else {
        if (!peer->rows || peer->hashed < peer->rows) return HR_OK;
        work.task = HR_SIMFL_GRADIENTS;
        work.first = o->next_gradient;
        work.count = hr_simfl_gradient_piece(o->common.rows[trainer] - o->next_gradient);
    }
    return begin_owner_work(o, work, err);
}

static hr_status send_hashes(simfl_owner *o, const hr_simfl_work *work, const Hedgerow__SimflHashes *hashes,
                             hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < owner_count(o); i++)
        if (i != self_position(o))
            status = hr_protocol_send(&o->job.protocol, o->job.start.owners[i],
                                      HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, hashes, err);
    o->next_hash = work->first + work->count;
    if (status || o->next_hash < own_rows(o)) return status;
    return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__SENT, 0, err);
}

static hr_status send_gradients(simfl_owner *o, const hr_simfl_work *work,
                                const Hedgerow__SimflGradients *gradients, hr_error *err) {
    hr_status status = hr_protocol_send(&o->job.protocol, o->job.start.owners[work->trainer],
                                        HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, gradients, err);
    o->next_gradient = work->first + work->count;
    if (status || o->next_gradient < o->common.rows[work->trainer]) return status;
    o->next_tree = work->tree + 1;
    o->next_gradient = 0;
    return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__SENT, work->tree + 1, err);
}

static void drop_gradients(simfl_owner *o) {
    for (size_t i = 0; i < owner_count(o); i++) {
        simfl_peer *peer = &o->peers[i];
        free(peer->gradients);
        free(peer->weights);
        peer->gradients = peer->weights = NULL;
        peer->given = 0;
        peer->gradient_sum = peer->weight_sum = 0;
    }
}

static hr_status send_outcome(simfl_owner *o, const hr_simfl_work *work, const hr_event *event,
                              hr_error *err) {
    static const ProtobufCMessageDescriptor *const types[] = {
        [HR_SIMFL_MEASURE] = &hedgerow__simfl_size__descriptor,
        [HR_SIMFL_HASH] = &hedgerow__simfl_hashes__descriptor,
        [HR_SIMFL_GRADIENTS] = &hedgerow__simfl_gradients__descriptor,
        [HR_SIMFL_TRAIN] = &hedgerow__simfl_tree__descriptor};
    ProtobufCMessage *made = NULL;
    hr_status status = hr_message_unpack(types[work->task], event->bytes, event->size, &made, err);
    if (status) return status;
    switch (work->task) {
    case HR_SIMFL_MEASURE:
        o->common.rows[self_position(o)] = ((Hedgerow__SimflSize *)made)->rows;
        status = hr_owner_job_send(&o->job, HEDGEROW__MESSAGE__KIND_SIMFL_SIZE, made, err);
        break;
    case HR_SIMFL_HASH: status = send_hashes(o, work, (Hedgerow__SimflHashes *)made, err); break;
    case HR_SIMFL_GRADIENTS: status = send_gradients(o, work, (Hedgerow__SimflGradients *)made, err); break;
    case HR_SIMFL_TRAIN:
        o->next_tree = work->tree + 1;
        drop_gradients(o);
        status = hr_owner_job_send(&o->job, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, made, err);
        break;
    }
    hr_message_unpacked_free(made);
    return status;
}

static hr_status work_done(hr_protocol *self, const hr_event *event, hr_error *err) {
    simfl_owner *o = (simfl_owner *)self;
    const hr_simfl_work work = o->work;
    o->work = (hr_simfl_work){0};
    if (!work.task) return HR_OK;
    if (event->size) {
        o->again = false;
        return send_outcome(o, &work, event, err);
    }

    /* Nothing random is in it, and no budget pays for it: work that was lost when the process ended is done
     * again, once. */
    if (!o->again) {
        o->again = true;
        return begin_owner_work(o, work, err);
    }
    hr_status status = hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__EMPTY, 0, err);
    return status ? status
                  : hr_owner_job_stop(&o->job, HR_JOB_NO_ANSWER, "this owner has no answer to give", err);
}

/* ---- What other owners send ---- */

/* The number of records of the sender is the same in all of its messages, and in SimflSizes. */
static hr_status check_rows(const simfl_owner *o, size_t position, uint32_t rows, hr_error *err) {
    const uint32_t declared = o->common.rows[position];
    if (!rows || rows > HR_SIMFL_ROWS_MAX)
        return hr_fail(err, HR_E_POLICY, "", "%u records, and an owner has 1 to %d", rows,
                       (int)HR_SIMFL_ROWS_MAX);
    if (o->sized && rows != declared)
        return hr_protocol_refuse("another number of records than it declared to the coordinator", err);
    return o->peers[position].rows && o->peers[position].rows != rows
               ? hr_protocol_refuse("two numbers of records", err)
               : HR_OK;
}

/* Room for the first hashes of another owner, which may come before all numbers of records are known. */
static hr_status begin_peer(simfl_owner *o, size_t position, uint32_t rows, hr_error *err) {
    uint32_t declared[HR_MEMBERS_MAX];
    simfl_peer *peer = &o->peers[position];
    for (size_t i = 0; i < owner_count(o); i++) declared[i] = (uint32_t)o->peers[i].rows;
    declared[position] = rows;
    const hr_simfl_rules *rules = &o->common.rules;
    hr_status status = hr_simfl_check_memory(rules, declared, owner_count(o), self_position(o), err);
    if (status) return status;
    peer->hashes = malloc((size_t)rows * rules->tables * sizeof *peer->hashes);
    if (!peer->hashes) return hr_fail_memory(err);
    peer->rows = rows;
    return HR_OK;
}

static hr_status on_hashes(simfl_owner *o, size_t position, const Hedgerow__SimflHashes *hashes,
                           hr_error *err) {
    simfl_peer *peer = &o->peers[position];
    const size_t tables = o->common.rules.tables;
    hr_status status = check_rows(o, position, hashes->rows, err);
    if (status) return status;
    const size_t count = hr_simfl_hash_piece(&o->common.rules, hashes->rows - peer->hashed);
    if (hashes->first != peer->hashed || !count || hashes->hashes.len != 2 * count * tables)
        return hr_protocol_refuse("hashes out of order, twice or of another length", err);
    if (!peer->hashes) status = begin_peer(o, position, hashes->rows, err);
    if (status) return status;
    const uint8_t *from = hashes->hashes.data;
    int16_t *to = peer->hashes + peer->hashed * tables;
    for (size_t i = 0; i < count * tables; i++)
        to[i] = (int16_t)(uint16_t)(from[2 * i] | (unsigned)from[2 * i + 1] << 8);
    peer->hashed += count;
    return HR_OK;
}

/* Each of the sender's records is in one sum: those of all pieces together are no more than its records can
 * have. */
static hr_status add_up_gradients(simfl_owner *o, size_t sender, const Hedgerow__SimflGradients *wire,
                                  hr_error *err) {
    simfl_peer *peer = &o->peers[sender];
    const hr_simfl_rules *rules = &o->common.rules;
    const int64_t rows = o->common.rows[sender], most = rows * rules->gradient_max,
                  most_weight = rows * rules->weight_max;
    for (size_t i = 0; i < wire->n_gradients; i++) {
        const int64_t g = wire->gradients[i];
        if (g < -most || g > most || wire->weights[i] > (uint64_t)most_weight)
            return hr_protocol_refuse("gradients out of range", err);
        peer->gradient_sum += g < 0 ? -g : g;
        peer->weight_sum += (int64_t)wire->weights[i];
        if (peer->gradient_sum > most || peer->weight_sum > most_weight)
            return hr_protocol_refuse("gradients of more records than it has", err);
    }
    return HR_OK;
}

/* They may come before the turn that they are for: never more than one turn. */
static hr_status on_gradients(simfl_owner *o, size_t sender, const Hedgerow__SimflGradients *wire,
                              hr_error *err) {
    simfl_peer *peer = &o->peers[sender];
    const size_t rows = own_rows(o), now = o->common.tree_count;
    if (!o->sized) return hr_protocol_refuse("gradients before the first tree begins", err);
    if (wire->tree != o->next_tree || wire->tree < now || wire->tree > now + 1 ||
        hr_simfl_trainer(&o->common, wire->tree) != self_position(o))
        return hr_protocol_refuse("gradients for a tree that this owner does not train now", err);
    const size_t count = hr_simfl_gradient_piece(rows - peer->given);
    if (wire->first != peer->given || !count || wire->n_gradients != count || wire->n_weights != count)
        return hr_protocol_refuse("gradients out of order, twice or of another number", err);
    hr_status status = add_up_gradients(o, sender, wire, err);
    if (status) return status;
    if (!peer->gradients) peer->gradients = malloc(rows * sizeof *peer->gradients);
    if (!peer->weights) peer->weights = malloc(rows * sizeof *peer->weights);
    if (!peer->gradients || !peer->weights) return hr_fail_memory(err);
    memcpy(peer->gradients + peer->given, wire->gradients, count * sizeof *peer->gradients);
    memcpy(peer->weights + peer->given, wire->weights, count * sizeof *peer->weights);
    peer->given += count;
    return HR_OK;
}

static hr_status on_other(hr_protocol *self, const hr_event *event, const Hedgerow__Message *m,
                          hr_error *err) {
    simfl_owner *o = (simfl_owner *)self;
    if (o->job.phase != HR_OWNER_RUNNING)
        return hr_protocol_refuse("a message of an owner without a job", err);
    const size_t position = hr_members_position(o->job.start.owners, owner_count(o), event->from);
    if (position == owner_count(o))
        return hr_protocol_refuse("a message of a member that is not an owner of this job", err);
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SIMFL_HASHES: return on_hashes(o, position, m->simfl_hashes, err);
    case HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS: return on_gradients(o, position, m->simfl_gradients, err);
    default: return hr_protocol_refuse("a message that only the coordinator may send", err);
    }
}

/* ---- What the coordinator sends ---- */

static hr_status check_terms(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    if (((simfl_owner *)self)->job.phase != HR_OWNER_NEW)
        return hr_protocol_refuse("the job was offered before", err);
    return hr_simfl_read_terms(self, terms, err);
}

static hr_status on_start(hr_protocol *self, hr_error *err) {
    return begin_owner_work((simfl_owner *)self, (hr_simfl_work){.task = HR_SIMFL_MEASURE}, err);
}

static hr_status on_sizes(simfl_owner *o, const Hedgerow__SimflSizes *sizes, hr_error *err) {
    const size_t self = self_position(o);
    int64_t sums[HR_SIMFL_SUMS];
    size_t all = 0;
    if (o->job.phase != HR_OWNER_RUNNING || o->sized || !own_rows(o))
        return hr_protocol_refuse("numbers of records at the wrong time", err);
    if (sizes->n_rows != owner_count(o)) return hr_protocol_refuse("numbers of records of other owners", err);
    hr_status status = hr_simfl_read_sums(sizes->sums, sizes->n_sums, sums, err);
    if (status) return status;
    for (size_t i = 0; i < sizes->n_rows; i++) {
        if (!sizes->rows[i] || sizes->rows[i] > HR_SIMFL_ROWS_MAX)
            return hr_protocol_refuse("an owner with no records, or too many", err);
        all += sizes->rows[i];
    }
    if (sizes->rows[self] != own_rows(o))
        return hr_protocol_refuse("another number of records than this owner has", err);
    status = hr_simfl_check_memory(&o->common.rules, sizes->rows, sizes->n_rows, self, err);
    if (status) return status;
    o->common.rules.bound(&o->common.rules, all);
    if (!hr_simfl_sums_fit(&o->common.rules, all, sums))
        return hr_protocol_refuse("label sums that so many records cannot have", err);
    memcpy(o->common.rows, sizes->rows, sizes->n_rows * sizeof *sizes->rows);
    memcpy(o->common.sums, sums, sizeof sums);
    o->sized = true;

    /* Hashes that came before SimflSizes had the number of records of their sender, too. */
    for (size_t i = 0; !status && i < owner_count(o); i++)
        if (o->peers[i].rows && o->peers[i].rows != o->common.rows[i])
            status =
                hr_owner_job_cut_off(&o->job, o->job.start.owners[i],
                                     "another number of records than it declared to the coordinator", err);
    return status;
}

static hr_status on_turn(simfl_owner *o, const Hedgerow__SimflTurn *turn, hr_error *err) {
    const size_t now = o->common.tree_count;
    if (!o->sized || turn->tree != now + 1 || turn->tree >= o->common.rules.trees || o->next_tree <= now)
        return hr_protocol_refuse("a turn out of order", err);
    return hr_simfl_take_tree(&o->common, turn->last, err);
}

static hr_status on_coordinator(hr_protocol *self, const hr_event *event, const Hedgerow__Message *m,
                                hr_error *err) {
    (void)event;
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_SIMFL_SIZES: return on_sizes((simfl_owner *)self, m->simfl_sizes, err);
    case HEDGEROW__MESSAGE__KIND_SIMFL_TURN: return on_turn((simfl_owner *)self, m->simfl_turn, err);
    default: return hr_protocol_refuse("a message that is not for owners", err);
    }
}

/* ---- The machine ---- */

/* The coordinator gets the position of the owner that this one refuses, and ends the job. */
static hr_status on_cut_off(hr_protocol *self, size_t member, hr_error *err) {
    simfl_owner *o = (simfl_owner *)self;
    const size_t position = hr_members_position(o->job.start.owners, owner_count(o), member);
    return position < owner_count(o)
               ? hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__REFUSED, position, err)
               : HR_OK;
}

static void free_peers(hr_protocol *self) {
    simfl_owner *o = (simfl_owner *)self;
    drop_gradients(o);
    for (size_t i = 0; i < owner_count(o); i++) free(o->peers[i].hashes);
    hr_simfl_common_done(&o->common);
}

static const hr_owner_rules rules = {
    .check = check_terms,
    .started = on_start,
    .coordinator = on_coordinator,
    .other = on_other,
    .work_done = work_done,
    .without = on_cut_off,
    .go_on = go_on,
    .done = free_peers,
};

hr_status hr_simfl_owner_machine(const hr_protocol_setup *setup, hr_simfl_read_rules *read, hr_protocol **out,
                                 hr_error *err) {
    simfl_owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    o->common = (hr_simfl_common){.setup = &o->job.setup, .start = &o->job.start, .read = read};
    o->job.protocol.common = &o->common;
    *out = hr_owner_job_open(&o->job, &rules, setup);
    return HR_OK;
}

/* ---- For its party ---- */

hr_simfl_work hr_simfl_work_of(const hr_protocol *self) {
    return ((const simfl_owner *)self)->work;
}

size_t hr_simfl_self(const hr_protocol *self) {
    return self_position((const simfl_owner *)self);
}

const int16_t *hr_simfl_hashes(const hr_protocol *self, size_t other) {
    const simfl_peer *peer = &((const simfl_owner *)self)->peers[other];
    return peer->rows && peer->hashed == peer->rows ? peer->hashes : NULL;
}

void hr_simfl_received(const hr_protocol *self, size_t other, const int64_t **gradients,
                       const int64_t **weights) {
    const simfl_peer *peer = &((const simfl_owner *)self)->peers[other];
    *gradients = peer->gradients;
    *weights = peer->weights;
}
