/* About how many bytes a job of secure sums sends, from its plan. */
#ifndef HR_FEDERATION_FEDERATED_JOB_TRAFFIC_H
#define HR_FEDERATION_FEDERATED_JOB_TRAFFIC_H

#include "federation/protocol/message.h"

#include <hedgerow/federation.h>

/* Of one owner, without envelopes. */
typedef struct hr_job_traffic {
    double heard, said;               /* bytes */
    double asked;                     /* bytes of questions, among those that it hears */
    double messages_in, messages_out; /* of those */
} hr_job_traffic;

/* The offer and its answer, the start, and the end. */
void hr_job_traffic_begin(hr_job_traffic *traffic, const Hedgerow__Terms *terms);
/* So many questions of so many bytes, and their answers; 0 bytes: also a message. */
void hr_job_traffic_add(hr_job_traffic *traffic, double count, double question, double answer);
/* Of all parties of out->owners, with envelopes and acks. */
void hr_job_traffic_tell(const hr_job_traffic *traffic, hr_job_plan_info *out);

#endif
