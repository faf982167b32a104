#include "job/party_job.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

void hr_party_job_free(hr_live_job *j) {
    if (!j) return;
    for (size_t m = 0; j->boxes && m < j->member_count; m++) hr_mailbox_done(&j->boxes[m]);
    hr_protocol_free(j->protocol);
    if (j->read) hr_unpacked_free(&j->read->base);
    free(j->boxes);
    free(j->cut);
    free(j->miner);
    free(j->terms.at);
    free(j);
}

static hr_status start_protocol(const hr_party_options *o, hr_live_job *j, hr_error *err) {
    hr_inprivate_setup setup = {.view = o->view,
                                .schema = o->schema,
                                .miner = hr_roster_named(o->view->roster, j->miner, strlen(j->miner)),
                                .least_owners = o->least_owners,
                                .terms = j->terms,
                                .advance = o->advance};
    memcpy(setup.job.bytes, j->record.id, HR_JOB_BYTES);
    if (setup.miner == HR_NO_MEMBER) return hr_fail(err, HR_E_FORMAT, "", "the miner of a job is no member any more");
    return j->is_miner ? hr_inprivate_miner(&setup, &j->protocol, err) : hr_inprivate_owner(&setup, &j->protocol, err);
}

static hr_status fill(const hr_party_options *o, const hr_journal_job *record, hr_live_job *j, hr_error *err) {
    j->record = *record;
    j->miner = strdup(record->miner);
    j->member_count = o->view->roster->count;
    j->boxes = calloc(j->member_count, sizeof *j->boxes);
    j->cut = calloc(j->member_count, sizeof *j->cut);
    j->is_miner = record->terms.size > 0;
    hr_status status = j->miner && j->boxes && j->cut ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_bytes_copy(record->terms.at, record->terms.size, &j->terms, err);
    j->record.miner = j->miner;
    j->record.terms = (hr_blob){j->terms.at, j->terms.size};
    return status ? status : start_protocol(o, j, err);
}

hr_status hr_party_job_make(const hr_party_options *options, const hr_journal_job *record, hr_live_job **out, hr_error *err) {
    hr_live_job *j = calloc(1, sizeof *j);
    if (!j) return hr_fail_memory(err);
    hr_status status = fill(options, record, j, err);
    if (status)
        hr_party_job_free(j);
    else
        *out = j;
    return status;
}

hr_status hr_party_job_read(hr_live_job *j, const hr_bytes *terms, hr_error *err) {
    ProtobufCMessage *read = NULL;
    hr_status status = j->read ? HR_OK : hr_unpack(&hedgerow__terms__descriptor, terms->at, terms->size, &read, err);
    if (read) j->read = (Hedgerow__Terms *)read;
    return status;
}

uint64_t hr_party_job_number(const hr_action *work) {
    return 2 * work->place + (work->kind == HR_ACT_VOTE);
}

hr_party_job hr_party_job_view(const hr_live_job *j) {
    hr_party_job view = {.record = &j->record, .terms = j->read};
    if (!j->is_miner) {
        view.course = hr_inprivate_owner_course(j->protocol);
        return view;
    }
    view.course = hr_inprivate_miner_course(j->protocol);
    view.ballots = hr_inprivate_ballots(j->protocol);
    view.left_out = hr_inprivate_left_out(j->protocol);
    return view;
}
