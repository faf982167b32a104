/* What waits in the inboxes, for the admin: the broker counts packets by subject, their sizes are added up.
 */
#include "federation/transport/broker_inboxes.h"

#include "federation/transport/nats_link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT = 3 * (HR_NATS_NAME_MAX + 1) + 8, SECOND = 1000000000 };

/* The stream, with the number of packets of each subject that the filter matches. Owner: the caller destroys
 * *out. */
static natsStatus look(const hr_nats_link *link, const char *federation, const char *filter,
                       jsStreamInfo **out) {
    jsOptions options;
    jsErrCode code = 0;
    natsStatus s = jsOptions_Init(&options);
    options.Stream.Info.SubjectsFilter = filter;
    return s == NATS_OK ? js_GetStreamInfo(out, link->jetstream, federation, &options, &code) : s;
}

/* fed.FEDERATION.TO.FROM */
static bool read_subject(const char *subject, hr_broker_waiting *out) {
    const char *to = strchr(subject, '.'), *from = strrchr(subject, '.');
    to = to ? strchr(to + 1, '.') : NULL;
    if (!to || to == from || from - to > (ptrdiff_t)sizeof out->to || strlen(from) > sizeof out->from)
        return false;
    snprintf(out->to, sizeof out->to, "%.*s", (int)(from - to - 1), to + 1);
    snprintf(out->from, sizeof out->from, "%s", from + 1);
    return true;
}

/* Packets may be read meanwhile: none left is no failure. */
static natsStatus add_up_packets(const hr_nats_link *link, const char *federation, const char *subject,
                                 hr_broker_waiting *out) {
    jsDirectGetMsgOptions next;
    natsStatus s = jsDirectGetMsgOptions_Init(&next);
    next.NextBySubject = subject;
    for (next.Sequence = 1; s == NATS_OK; next.Sequence++) {
        natsMsg *message = NULL;
        s = js_DirectGetMsg(&message, link->jetstream, federation, NULL, &next);
        if (s != NATS_OK) break;
        if (!out->packets++) out->oldest = natsMsg_GetTime(message) / SECOND;
        out->bytes += (uint64_t)natsMsg_GetDataLength(message);
        next.Sequence = natsMsg_GetSequence(message);
        natsMsg_Destroy(message);
    }
    return s == NATS_NOT_FOUND ? NATS_OK : s;
}

static int order(const void *a, const void *b) {
    const hr_broker_waiting *left = a, *right = b;
    const int to = strcmp(left->to, right->to);
    return to ? to : strcmp(left->from, right->from);
}

static hr_status list_waiting(const hr_nats_link *link, const char *federation, hr_broker_waiting **out,
                              size_t *count, hr_error *err) {
    jsStreamInfo *info = NULL;
    natsStatus s = look(link, federation, ">", &info);
    const jsStreamStateSubjects *subjects = s == NATS_OK ? info->State.Subjects : NULL;
    const int most = subjects ? subjects->Count : 0;
    hr_broker_waiting *list = calloc((size_t)most + 1, sizeof *list);
    size_t found = 0;
    for (int i = 0; list && s == NATS_OK && i < most; i++) {
        hr_broker_waiting *entry = &list[found];
        if (!read_subject(subjects->List[i].Subject, entry)) continue;
        s = add_up_packets(link, federation, subjects->List[i].Subject, entry);
        if (entry->packets) found++;
    }
    jsStreamInfo_Destroy(info);
    if (!list || s != NATS_OK) {
        free(list);
        return list ? hr_nats_fail(link, s, "cannot look into the inboxes", err) : hr_fail_memory(err);
    }
    qsort(list, found, sizeof *list, order);
    *out = list;
    *count = found;
    return HR_OK;
}

hr_status hr_broker_look(const hr_nats_options *admin, hr_broker_waiting **out, size_t *count,
                         hr_error *err) {
    assert(admin && out && count);
    hr_nats_link link = {0};
    hr_status status = hr_nats_dial(admin, &link, err);
    if (!status) status = list_waiting(&link, admin->federation, out, count, err);
    hr_nats_hang_up(&link);
    return status;
}

static natsStatus purge_subject(const hr_nats_link *link, const char *federation, const char *subject,
                                uint64_t *packets) {
    jsOptions options;
    jsErrCode code = 0;
    jsStreamInfo *info = NULL;
    natsStatus s = look(link, federation, subject, &info);
    const jsStreamStateSubjects *subjects = s == NATS_OK ? info->State.Subjects : NULL;
    if (s == NATS_OK) *packets = 0;
    for (int i = 0; subjects && i < subjects->Count; i++) *packets += subjects->List[i].Msgs;
    jsStreamInfo_Destroy(info);
    if (s == NATS_OK) s = jsOptions_Init(&options);
    options.Stream.Purge.Subject = subject;
    return s == NATS_OK ? js_PurgeStream(link->jetstream, federation, &options, &code) : s;
}

hr_status hr_broker_purge(const hr_nats_options *admin, const char *to, const char *from, uint64_t *packets,
                          hr_error *err) {
    assert(admin && hr_nats_name_fits(to) && (!from || hr_nats_name_fits(from)) && packets);
    char subject[SUBJECT];
    hr_nats_link link = {0};
    snprintf(subject, sizeof subject, "fed.%s.%s.%s", admin->federation, to, from ? from : "*");
    hr_status status = hr_nats_dial(admin, &link, err);
    if (!status) {
        natsStatus s = purge_subject(&link, admin->federation, subject, packets);
        if (s != NATS_OK) status = hr_nats_fail(&link, s, "cannot delete the packets", err);
    }
    hr_nats_hang_up(&link);
    return status;
}
