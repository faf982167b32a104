#include "federation/party/packet_quota.h"

#include <string.h>

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
    q->begun = now;
}
