#include "federation/federated/job_traffic.h"

#include "privacy/crypto/identity.h"

/* Bytes that stand around a message, of an ack, of an owner in a start (name, signatures, keys), and of an
 * answer to the offer. */
enum { ENVELOPE = HR_SEAL_OVERHEAD + 72, ACK = ENVELOPE - 4, MEMBER = 192, ANSWER = 176 };

void hr_job_traffic_add(hr_job_traffic *t, double count, double question, double answer) {
    t->heard += count * question;
    t->asked += count * question;
    t->said += count * answer;
    t->messages_in += count;
    t->messages_out += count;
}

void hr_job_traffic_begin(hr_job_traffic *t, const Hedgerow__Terms *terms) {
    *t = (hr_job_traffic){0};
    hr_job_traffic_add(t, 1, (double)protobuf_c_message_get_packed_size(&terms->base), ANSWER);
    t->asked = 0;
    t->heard += (double)terms->n_owners * MEMBER;
    t->messages_in += 2;
}

void hr_job_traffic_tell(const hr_job_traffic *t, hr_job_plan_info *out) {
    double owners = (double)out->owners;
    out->owner_receives = t->heard + t->messages_in * ENVELOPE + t->messages_out * ACK;
    out->owner_sends = t->said + t->messages_out * ENVELOPE + t->messages_in * ACK;
    out->coordinator_sends = owners * out->owner_receives;
    out->coordinator_receives = owners * out->owner_sends;
}
