/* A party takes up the jobs of its journal. */
#include "federation/party/party_core.h"

#include "base/fail.h"
#include "federation/transport/nats.h"
#include "privacy/ledger/journal_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job that is taken up, while its events are fed again. */
typedef struct replay {
    hr_party *party;
    hr_live_job *job;
    hr_error *err;
} replay;

/* ---- Members that were removed ---- */

/* The job ends here: a member of it is no longer in the federation file. */
static void remove_member(hr_live_job *j, const void *name, size_t size) {
    j->ending = HR_JOB_OPEN; /* events that name the member may have ended it, when they were fed again */
    hr_live_job_leave(j, HR_JOB_REMOVED, "its member %.*s is no longer in the federation file",
                      (int)(size < 64 ? size : 64), (const char *)name);
}

static void look_for_removed(const hr_party *p, hr_live_job *j) {
    const hr_membership *membership = p->o.view->membership;
    if (hr_membership_by_name(membership, j->coordinator, strlen(j->coordinator)) == HR_NO_MEMBER)
        remove_member(j, j->coordinator, strlen(j->coordinator));
    for (size_t i = 0; j->read && i < j->read->n_owners; i++) {
        ProtobufCBinaryData owner = j->read->owners[i];
        if (hr_membership_by_name(membership, owner.data, owner.len) == HR_NO_MEMBER)
            remove_member(j, owner.data, owner.len);
    }
}

/* ---- Events ---- */

static hr_status drop_actions(hr_live_job *j, hr_error *err) {
    hr_action action;
    hr_status status = HR_OK;
    while (hr_protocol_next(j->protocol, &action)) {
        if (!status) status = hr_live_job_remember(j, &action, err);
        free(action.bytes.at);
    }
    return status;
}

static hr_status feed_again(void *user, const hr_journal_event *line) {
    replay *r = user;
    const hr_membership *membership = r->party->o.view->membership;
    hr_event event = {.kind = (hr_event_kind)line->kind,
                      .number = line->number,
                      .bytes = line->bytes.at,
                      .size = line->bytes.size};
    if (event.kind == HR_EVENT_MESSAGE)
        event.from = hr_membership_by_name(membership, line->from, strlen(line->from));
    if (event.from == HR_NO_MEMBER) remove_member(r->job, line->from, strlen(line->from));
    if (r->job->leaves) return HR_OK;
    hr_status status = hr_live_job_feed(&r->party->o, r->job, &event, r->err);
    return status ? status : drop_actions(r->job, r->err);
}

static hr_status restore_inboxes(hr_party *p, hr_live_job *j, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t m = 0; !status && m < j->member_count; m++) {
        hr_ack_state *ack = &j->acks[m];
        status = hr_journal_taken(p->o.journal, j->record.id, hr_party_member_name(p, m), &ack->taken, err);
        j->inboxes[m].taken = ack->acked = ack->taken;
    }
    return status;
}

/* What a start adds to a deadline, so that packets that the process before had fetched and not stored, which
 * come again after a while, are not too late; no more after any number of starts than for two in a row. */
static int64_t longer_deadline(const hr_party *p, const hr_live_job *j) {
    const int64_t again = (int64_t)HR_NATS_ACK_SECONDS * 1000 + p->o.resend;
    const int64_t least = j->own.deadline < again ? j->own.deadline : again;
    const int64_t missing = j->waited + least - j->own.deadline;
    return missing < 0 ? 0 : missing < 2 * least ? missing : 2 * least;
}

/* The wait that an earlier process noted goes on unless it is over. */
static hr_status restore_wait(const hr_party *p, hr_live_job *j, hr_error *err) {
    hr_journal_waited wait;
    if (!j->is_coordinator) return HR_OK;
    hr_status status = hr_journal_wait_of(p->o.journal, j->record.id, &wait, err);
    if (!status && wait.advances == j->protocol->advances) j->waited = wait.milliseconds;
    j->longer = longer_deadline(p, j);
    return status;
}

static hr_status replay_job(void *user, const hr_journal_job *record) {
    replay *r = user;
    hr_party *p = r->party;
    hr_status status = hr_party_add(p, record, &r->job, r->err);
    if (status) return status;
    r->job->noted = true;
    look_for_removed(p, r->job);
    if (record->cancelled) hr_live_job_cancel(r->job);
    if (r->job->leaves) return HR_OK;
    status = hr_live_job_start(&p->o, r->job, r->err);
    if (!status) status = drop_actions(r->job, r->err);
    if (!status) status = hr_journal_each_event(p->o.journal, r->job->record.id, feed_again, r, r->err);
    if (!status) status = restore_wait(p, r->job, r->err);
    return status ? status : restore_inboxes(p, r->job, r->err);
}

hr_status hr_party_open(const hr_party_options *options, hr_party **out, hr_error *err) {
    hr_party *p = calloc(1, sizeof *p);
    if (!p) return hr_fail_memory(err);
    p->o = *options;
    p->quota.max = options->quota;
    p->outbox = (hr_outbox){.view = options->view,
                            .journal = options->journal,
                            .transport = options->transport,
                            .pause = options->resend};
    if (p->o.transport->link) p->o.transport->link(p->o.transport, &p->link);
    hr_error why = {0};
    hr_status status = hr_csprng_open(&p->csprng, &why);
    replay r = {.party = p, .err = &why};
    if (!status) status = hr_journal_each_job(p->o.journal, replay_job, &r, &why);
    for (size_t i = p->job_count; !status && i-- > 0;)
        if (p->jobs[i]->leaves) status = hr_party_end(p, p->jobs[i], &why);
    if (status) {
        hr_party_close(p);
        return why.message[0] ? hr_fail(err, status, why.remedy, "%s", why.message)
                              : hr_fail(err, status, "", "the journal is damaged");
    }
    *out = p;
    return HR_OK;
}
