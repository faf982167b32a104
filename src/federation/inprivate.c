/* What both parts read. */
#include "federation/inprivate.h"

#include "base/fail.h"

hr_status hr_members_read(const hr_roster *roster, const ProtobufCBinaryData *names, size_t count, size_t *members, hr_error *err) {
    if (!count || count > roster->count) return hr_fail(err, HR_E_FORMAT, "", "a list of %zu members", count);
    for (size_t i = 0; i < count; i++) {
        members[i] = hr_roster_named(roster, names[i].data, names[i].len);
        if (members[i] == HR_NO_MEMBER) return hr_fail(err, HR_E_FORMAT, "", "a list of members with a stranger in it");
        for (size_t j = 0; j < i; j++)
            if (members[j] == members[i]) return hr_fail(err, HR_E_FORMAT, "", "a list that has a member twice");
    }
    return HR_OK;
}

hr_status hr_message_read(const hr_event *event, Hedgerow__Message **out, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_status status = hr_unpack(&hedgerow__message__descriptor, event->bytes, event->size, &unpacked, err);
    if (status) return status;
    Hedgerow__Message *message = (Hedgerow__Message *)unpacked;
    if (message->kind_case == HEDGEROW__MESSAGE__KIND__NOT_SET) {
        hr_unpacked_free(unpacked);
        return hr_fail(err, HR_E_FORMAT, "", "a message of a kind that is not known");
    }
    *out = message;
    return HR_OK;
}
