#include "federation/protocol/inquiry.h"

#include "base/fail.h"

#include <stdio.h>
#include <string.h>

static const uint64_t latest_date = UINT64_C(1) << 40; /* seconds */

static hr_status refuse_aside(hr_status status, const char *why, hr_error *err) {
    return hr_fail(err, status, "", "a message of no job was refused: %s", why);
}

static hr_status read_aside(const hr_bytes *body, Hedgerow__Aside__KindCase kind, ProtobufCMessage **out,
                            hr_error *err) {
    hr_status status = hr_message_unpack(&hedgerow__aside__descriptor, body->at, body->size, out, err);
    if (status || ((const Hedgerow__Aside *)*out)->kind_case == kind) return status;
    hr_message_unpacked_free(*out);
    *out = NULL;
    return refuse_aside(HR_E_FORMAT, "it is of another kind", err);
}

hr_status hr_inquiry_make(int64_t date, hr_bytes *out, hr_error *err) {
    Hedgerow__Inquiry inquiry = HEDGEROW__INQUIRY__INIT;
    Hedgerow__Aside aside = HEDGEROW__ASIDE__INIT;
    inquiry.date = (uint64_t)date;
    aside.kind_case = HEDGEROW__ASIDE__KIND_INQUIRY;
    aside.inquiry = &inquiry;
    return hr_message_pack(&aside.base, out, err);
}

hr_status hr_inquiry_read(const hr_bytes *body, int64_t *date, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = read_aside(body, HEDGEROW__ASIDE__KIND_INQUIRY, &unpacked, err);
    if (status) return status;
    const uint64_t read = ((const Hedgerow__Aside *)unpacked)->inquiry->date;
    hr_message_unpacked_free(unpacked);
    *date = (int64_t)read;
    return read <= latest_date ? HR_OK : refuse_aside(HR_E_FORMAT, "its date is not one", err);
}

hr_status hr_held_jobs_make(const hr_held_jobs *held, hr_bytes *out, hr_error *err) {
    Hedgerow__Held content = HEDGEROW__HELD__INIT;
    Hedgerow__Aside aside = HEDGEROW__ASIDE__INIT;
    Hedgerow__HeldJob jobs[HR_HELD_JOBS_MAX], *listed[HR_HELD_JOBS_MAX];
    for (size_t i = 0; i < held->count; i++) {
        const hr_held_job *job = &held->jobs[i];
        hedgerow__held_job__init(&jobs[i]);
        jobs[i].job = hr_data_of(job->id.bytes, HR_JOB_BYTES);
        jobs[i].name = hr_text_of(job->name);
        jobs[i].date = (uint64_t)job->date;
        jobs[i].charged = job->charged;
        listed[i] = &jobs[i];
    }
    content.jobs = listed;
    content.n_jobs = held->count;
    aside.kind_case = HEDGEROW__ASIDE__KIND_HELD;
    aside.held = &content;
    return hr_message_pack(&aside.base, out, err);
}

static hr_status read_job(const Hedgerow__HeldJob *wire, hr_held_job *out, hr_error *err) {
    if (wire->job.len != HR_JOB_BYTES) return refuse_aside(HR_E_FORMAT, "it has a job without an id", err);
    if (wire->name.len && !hr_text_is_job_name(wire->name))
        return refuse_aside(HR_E_FORMAT, "a job's name is not one", err);
    if (wire->date > latest_date) return refuse_aside(HR_E_FORMAT, "a job's date is not one", err);
    *out = (hr_held_job){.date = (int64_t)wire->date, .charged = wire->charged};
    memcpy(out->id.bytes, wire->job.data, HR_JOB_BYTES);
    if (wire->name.len) memcpy(out->name, wire->name.data, wire->name.len);
    return HR_OK;
}

hr_status hr_held_jobs_read(const hr_bytes *body, hr_held_jobs *out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = read_aside(body, HEDGEROW__ASIDE__KIND_HELD, &unpacked, err);
    if (status) return status;
    const Hedgerow__Held *held = ((const Hedgerow__Aside *)unpacked)->held;
    *out = (hr_held_jobs){.count = 0};
    if (held->n_jobs > HR_HELD_JOBS_MAX) status = refuse_aside(HR_E_LIMIT, "it lists too many jobs", err);
    for (size_t i = 0; !status && i < held->n_jobs; i++)
        status = read_job(held->jobs[i], &out->jobs[out->count++], err);
    hr_message_unpacked_free(unpacked);
    return status;
}
