/* How many packets of each member a party takes in, and what is logged of the packets that it refuses. Time
 * is divided into periods. A packet above the quota is dropped unread: an honest sender sends it again later,
 * since it was not acknowledged. */
#ifndef HR_FEDERATION_PARTY_PACKET_QUOTA_H
#define HR_FEDERATION_PARTY_PACKET_QUOTA_H

#include "base/log.h"
#include "federation/protocol/message.h"

#include <stdbool.h>
#include <stdint.h>

enum { HR_QUOTA_PERIOD = 60 * 1000 }; /* milliseconds */

/* Why a packet is refused. */
typedef enum hr_refusal {
    HR_REFUSAL_UNREADABLE, /* no member sealed it for this party */
    HR_REFUSAL_QUOTA,      /* above the quota */
    HR_REFUSAL_OFFER,      /* it offers a job while too many of its sender are open */
    HR_REFUSALS
} hr_refusal;

typedef struct hr_packet_quota {
    size_t max;    /* packets of one member in a period; 0: any number */
    int64_t begun; /* the period, by the caller's clock */
    size_t taken[HR_MEMBERS_MAX];
    size_t refused[HR_MEMBERS_MAX + 1]; /* the last: of unknown senders */
    uint64_t all[HR_REFUSALS];          /* since the beginning */
} hr_packet_quota;

/* Counts a packet of a member. False: it is above the quota. */
bool hr_packet_quota_take(hr_packet_quota *quota, size_t member);

/* Counts a refused packet; member HR_NO_MEMBER: of an unknown sender. True: the first of that sender in this
 * period, which is to be logged; the others are logged as a number. */
bool hr_packet_quota_refuse(hr_packet_quota *quota, size_t member, hr_refusal why);

/* Begins a new period when the last one is over, and logs how many packets were refused in it without a
 * line. */
void hr_packet_quota_renew(hr_packet_quota *quota, const hr_membership *membership, int64_t now,
                           const hr_log *log);

#endif
