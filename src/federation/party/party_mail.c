/* Packets that come. */
#include "federation/party/party_core.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The quota of packets ---- */

bool hr_packet_quota_take(hr_packet_quota *q, size_t member) {
    return !q->max || q->taken[member]++ < q->max;
}

bool hr_packet_quota_refuse(hr_packet_quota *q, size_t member, hr_refusal why) {
    q->all[why]++;
    return q->refused[member == HR_NO_MEMBER ? HR_MEMBERS_MAX : member]++ == 0;
}

void hr_packet_quota_renew(hr_packet_quota *q, const hr_membership *membership, int64_t now,
                           const hr_log *log) {
    if (now - q->begun < HR_QUOTA_PERIOD) return;
    for (size_t m = 0; m <= HR_MEMBERS_MAX; m++) {
        if (q->refused[m] < 2) continue;
        hr_log_format(log, HR_LOG_WARNING, NULL, "%zu more packets of %s were refused in the last minute",
                      q->refused[m] - 1,
                      m == HR_MEMBERS_MAX ? "unknown senders" : membership->members[m].name);
    }
    memset(q->taken, 0, sizeof q->taken);
    memset(q->refused, 0, sizeof q->refused);
    q->declines = 0;
    q->begun = now;
}

/* HR_NO_MEMBER: of an unknown sender. */
static void refuse(hr_party *p, size_t member, hr_refusal kind, const char *why) {
    p->refused = true;
    if (!hr_packet_quota_refuse(&p->quota, member, kind)) return;
    const char *of = member == HR_NO_MEMBER ? "" : " of ";
    hr_log_format(p->o.work->log, HR_LOG_WARNING, NULL, "a packet%s%s was refused: %s", of,
                  *of ? hr_party_member_name(p, member) : "", why);
}

/* ---- Messages ---- */

/* Bytes that a member may send in a job: a set of trees a round, and its answers; of the coordinator also the
 * set before a vote and to whom it did not reach. In jobs of sums, questions and answers. */
static size_t max_taken(const hr_live_job *j, bool of_coordinator) {
    size_t rounds = j->read ? j->read->rounds : 1;
    if (j->read && j->method && j->method->bytes_max) return j->method->bytes_max(j->read);
    if (!rounds) return HR_QUESTION_BYTES_MAX + HR_PARTY_ROUND_MAX;
    return (rounds + 1) * HR_PARTY_ROUND_MAX * (of_coordinator ? 3 : 1);
}

static bool is_coordinator_of(const hr_party *p, const hr_live_job *j, size_t member) {
    return !strcmp(hr_party_member_name(p, member), j->coordinator);
}

/* An empty message: its machine cuts the sender off, and so it will when it is fed again. */
static hr_status cut_off(hr_party *p, hr_live_job *j, size_t from, const char *why, hr_error *err) {
    hr_event nothing = {.kind = HR_EVENT_MESSAGE, .from = from, .bytes = (const uint8_t *)""};
    hr_job_log(p->o.work, &j->record, HR_LOG_WARNING, "%s sent %s", hr_party_member_name(p, from), why);
    hr_reorder_buffer_clear(&j->inboxes[from]);
    j->cut[from] = true;
    return hr_party_transact(p, j, &nothing, 0, err);
}

static hr_status take_message(hr_party *p, hr_live_job *j, size_t from, const hr_bytes *message,
                              uint64_t sequence, hr_error *err) {
    hr_event event = {.kind = HR_EVENT_MESSAGE, .from = from, .bytes = message->at, .size = message->size};
    if (j->taken[from] + message->size > max_taken(j, is_coordinator_of(p, j, from)))
        return cut_off(p, j, from, "more bytes than the job needs", err);
    hr_ack_due(&j->acks[from], sequence, p->clock.now);
    return hr_party_transact(p, j, &event, sequence, err);
}

/* ---- Incomplete messages ---- */

static size_t buffered(const hr_party *p, size_t member) {
    size_t size = 0;
    for (size_t i = 0; i < p->job_count; i++) size += hr_reorder_buffer_size(&p->jobs[i]->inboxes[member]);
    return size;
}

/* The oldest other job with an incomplete message of the member's; NULL: none. */
static hr_live_job *oldest_incomplete(const hr_party *p, const hr_live_job *except, size_t member) {
    hr_live_job *oldest = NULL;
    for (size_t i = 0; i < p->job_count; i++) {
        hr_live_job *j = p->jobs[i];
        if (j == except || !hr_reorder_buffer_size(&j->inboxes[member])) continue;
        if (!oldest || j->number < oldest->number) oldest = j;
    }
    return oldest;
}

/* Room for so many bytes more, in the member's own share: its oldest incomplete messages go first. */
static bool make_room(hr_party *p, const hr_live_job *j, size_t member, size_t size) {
    size_t members = p->o.view->membership->count, share = HR_PARTY_BUFFER_MAX, all = size;
    for (size_t m = 0; m < members; m++) all += buffered(p, m);
    if (all > HR_PARTY_BUFFERS_MAX && share > HR_PARTY_BUFFERS_MAX / members)
        share = HR_PARTY_BUFFERS_MAX / members;
    while (buffered(p, member) + size > share) {
        hr_live_job *oldest = oldest_incomplete(p, j, member);
        if (!oldest) return false;
        hr_reorder_buffer_clear(&oldest->inboxes[member]);
    }
    return true;
}

static hr_status take_mail(hr_party *p, hr_live_job *j, const hr_envelope *envelope, hr_error *err) {
    hr_reorder_buffer *inbox = &j->inboxes[envelope->from];
    bool there = true;
    uint64_t sequence;
    hr_bytes message;
    if (envelope->sequence <= inbox->taken) {
        free(envelope->body.at);
        j->acks[envelope->from].again = true;
        return HR_OK;
    }
    if (!make_room(p, j, envelope->from, envelope->body.size)) {
        free(envelope->body.at);
        return HR_OK;
    }
    hr_reorder_buffer_put(inbox, envelope);
    for (;;) {
        hr_status status = hr_reorder_buffer_take(inbox, &there, &message, &sequence, err);
        if (status == HR_E_LIMIT) return cut_off(p, j, envelope->from, "a message that is too large", err);
        if (status || !there) return status;
        hr_presence_note_message(p->o.presence, envelope->from, p->clock.now);
        status = take_message(p, j, envelope->from, &message, sequence, err);
        free(message.at);
        if (status || hr_live_job_is_over(j) || j->cut[envelope->from]) return status;
    }
}

/* ---- Offers ---- */

/* What a coordinator has at this party. */
typedef struct offered_jobs {
    size_t open, incomplete, undecided; /* an undecided one is open, too */
    hr_live_job *oldest_incomplete, *oldest_undecided;
} offered_jobs;

static void note_older(hr_live_job **oldest, hr_live_job *j) {
    if (!*oldest || j->number < (*oldest)->number) *oldest = j;
}

static offered_jobs jobs_of(const hr_party *p, size_t coordinator) {
    offered_jobs out = {0};
    for (size_t i = 0; i < p->job_count; i++) {
        hr_live_job *j = p->jobs[i];
        if (!is_coordinator_of(p, j, coordinator)) continue;
        out.open += j->noted;
        out.incomplete += !j->noted;
        out.undecided += j->undecided;
        if (!j->noted) note_older(&out.oldest_incomplete, j);
        if (j->undecided) note_older(&out.oldest_undecided, j);
    }
    return out;
}

size_t hr_party_offer_share(size_t coordinators) {
    size_t share = HR_PARTY_UNDECIDED_MAX / (coordinators ? coordinators : 1);
    return share < HR_PARTY_JOBS_MAX ? share : HR_PARTY_JOBS_MAX;
}

/* The newest offers of a coordinator stay, within its own share: another's are not touched. */
static hr_status make_room_for_offer(hr_party *p, size_t member, bool *there, hr_error *err) {
    offered_jobs jobs = jobs_of(p, member);
    size_t coordinators = 0;
    for (size_t m = 0; m < p->o.view->membership->count; m++) coordinators += p->o.coordinators[m];
    const size_t share = hr_party_offer_share(coordinators);
    *there = jobs.open < HR_PARTY_JOBS_MAX || jobs.oldest_undecided;
    if (!*there) {
        refuse(p, member, HR_REFUSAL_OFFER, "too many of its jobs are open for an offer");
        return HR_OK;
    }
    if (jobs.incomplete >= (share < HR_PARTY_OFFERS_MAX ? share : HR_PARTY_OFFERS_MAX)) {
        hr_party_remove(p, jobs.oldest_incomplete);
        jobs.incomplete--;
    }
    const bool full = jobs.open >= HR_PARTY_JOBS_MAX || jobs.undecided + jobs.incomplete >= share;
    hr_live_job *dropped = jobs.oldest_undecided;
    if (!full || !dropped) return HR_OK;
    hr_live_job_leave(dropped, HR_JOB_REPLACED, "newer offers took its place, undecided");
    return hr_party_end(p, dropped, err);
}

/* ---- Packets of jobs in which this party takes no part ---- */

/* Answered at once, so that a coordinator need not wait for its deadline. A coordinator's own party answers
 * none: another process of the same member may know the job. */
static hr_status decline_sender(hr_party *p, const hr_envelope_sender *sender, hr_error *err) {
    if (!p->o.coordinators || p->quota.declines >= HR_QUOTA_DECLINES) return HR_OK;
    p->quota.declines++;
    hr_status status = hr_party_commit_batch(p, err);
    return status ? status : hr_outbox_decline(&p->outbox, sender, err);
}

static hr_status decline_envelope(hr_party *p, const hr_envelope *envelope, hr_decline_code code,
                                  const char *why, hr_error *err) {
    const hr_member *member = &p->o.view->membership->members[envelope->from];
    hr_envelope_sender sender = {.key = member->key, .job = envelope->job, .code = code};
    snprintf(sender.name, sizeof sender.name, "%s", member->name);
    snprintf(sender.why, sizeof sender.why, "%s", why);
    return decline_sender(p, &sender, err);
}

/* A job that is neither known nor can begin with this envelope. */
static hr_status refuse_unknown(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    if (!p->o.coordinators || !p->o.coordinators[envelope->from])
        return decline_envelope(p, envelope, HEDGEROW__DECLINE__CODE__NOT_COORDINATOR,
                                "coordinators: the owner's policy does not list the sender", err);
    if (envelope->received)
        return decline_envelope(p, envelope, HEDGEROW__DECLINE__CODE__UNKNOWN_JOB,
                                "this owner's journal does not know the job any more", err);
    return decline_envelope(p, envelope, HEDGEROW__DECLINE__CODE__FULL,
                            "too many jobs of the coordinator are open at this owner", err);
}

/* An envelope of a job that is not known: the first of an offer, or of a job that is over. */
static hr_status take_unknown(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    bool known = false, room = false;
    hr_status status = hr_journal_knows(p->o.journal, envelope->job.bytes, &known, err);
    if (!status && !known && !envelope->received && p->o.coordinators && p->o.coordinators[envelope->from])
        status = make_room_for_offer(p, envelope->from, &room, err);
    if (!status && !known && !room) status = refuse_unknown(p, envelope, err);
    if (!status && room) {
        hr_journal_job record = {.coordinator = hr_party_member_name(p, envelope->from),
                                 .date = p->clock.date};
        hr_live_job *j = NULL;
        memcpy(record.id, envelope->job.bytes, HR_JOURNAL_ID);
        hr_csprng_bytes(p->csprng, record.key, HR_JOURNAL_KEY);
        status = hr_party_add(p, &record, &j, err);
        if (!status) return take_mail(p, j, envelope, err);
    }
    if (!status && known) status = hr_party_commit_batch(p, err);
    if (!status && known)
        status = hr_outbox_confirm(&p->outbox, envelope->job.bytes, envelope->from, envelope->sequence, err);
    free(envelope->body.at);
    return status;
}

/* ---- Packets ---- */

/* Of an owner that cannot take part: it needs no packets of the job, and the coordinator's machine learns the
 * reason, once. Another owner may have sent it too early, and gets its packets again. */
static hr_status take_decline(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    const size_t from = envelope->from;
    hr_live_job *j = hr_party_find(p, envelope->job.bytes);
    if (j && !j->is_coordinator) return hr_party_take_disowned(p, j, envelope, err);
    if (!j && p->o.coordinators) return HR_OK;
    hr_status status = HR_OK;
    if (j && !j->cut[from]) {
        const hr_event event = {
            .kind = HR_EVENT_MESSAGE, .from = from, .bytes = envelope->body.at, .size = envelope->body.size};
        hr_reorder_buffer_clear(&j->inboxes[from]);
        j->cut[from] = true;
        status = hr_party_transact(p, j, &event, 0, err);
    }
    /* After the reason is on the disk: while packets are left, the owner sends it again. */
    if (!status) status = hr_party_begin(p, err);
    if (!status)
        status = hr_journal_received(p->o.journal, envelope->job.bytes, hr_party_member_name(p, from),
                                     INT64_MAX, err);
    return hr_party_commit(p, status, err);
}

/* The ack in an envelope: packets that its sender has are forgotten. */
static hr_status take_ack(hr_party *p, const hr_envelope *envelope, hr_error *err) {
    hr_live_job *j = hr_party_find(p, envelope->job.bytes);
    hr_ack_state *ack = j ? &j->acks[envelope->from] : NULL;
    if (!envelope->received || (ack && ack->confirmed == envelope->received)) return HR_OK;
    hr_status status = hr_party_begin(p, err);
    if (!status)
        status = hr_journal_received(p->o.journal, envelope->job.bytes,
                                     hr_party_member_name(p, envelope->from), envelope->received, err);
    if (ack) ack->confirmed = envelope->received;
    return hr_party_commit(p, status, err);
}

hr_status hr_party_take_packet(hr_party *p, const hr_packet *packet, hr_error *err) {
    hr_envelope envelope;
    hr_envelope_sender sender;
    hr_error why = {0};
    hr_status status = hr_envelope_read(p->o.view, packet->bytes, packet->size, &envelope, &sender, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) {
        refuse(p, HR_NO_MEMBER, HR_REFUSAL_UNREADABLE, why.message);
        return sender.answerable ? decline_sender(p, &sender, err) : HR_OK;
    }
    if (!hr_packet_quota_take(&p->quota, envelope.from)) {
        char text[100];
        snprintf(text, sizeof text, "more than %zu a minute", p->quota.max);
        refuse(p, envelope.from, HR_REFUSAL_QUOTA, text);
        free(envelope.body.at);
        return HR_OK;
    }
    if (envelope.declines || envelope.aside) {
        status = (envelope.aside ? hr_party_take_aside : take_decline)(p, &envelope, err);
        free(envelope.body.at);
        return status;
    }
    hr_live_job *j = hr_party_find(p, envelope.job.bytes);
    status = take_ack(p, &envelope, err);
    if (!status && envelope.sequence && !j) return take_unknown(p, &envelope, err);
    if (!status && envelope.sequence && !j->cut[envelope.from]) return take_mail(p, j, &envelope, err);
    free(envelope.body.at);
    return status;
}

hr_status hr_party_take_ack(hr_party *p, const hr_packet *packet, bool *taken, hr_error *err) {
    hr_envelope envelope;
    hr_error why = {0};
    hr_status status = hr_envelope_open(p->o.view, packet->bytes, packet->size, &envelope, &why);
    if (status) return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
    *taken = !envelope.sequence && !envelope.declines && !envelope.aside;
    free(envelope.body.at);
    return take_ack(p, &envelope, err);
}
