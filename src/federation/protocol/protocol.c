#include "federation/protocol/protocol.h"

#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

hr_status hr_protocol_feed(hr_protocol *protocol, const hr_event *event, hr_error *err) {
    return protocol->feed(protocol, event, err);
}

bool hr_protocol_waits(const hr_protocol *protocol) {
    return protocol->waits(protocol);
}

bool hr_protocol_next(hr_protocol *protocol, hr_action *out) {
    if (!protocol || protocol->first == protocol->count) return false;
    *out = protocol->actions[protocol->first++];
    if (protocol->first == protocol->count) protocol->first = protocol->count = 0;
    return true;
}

void hr_protocol_free(hr_protocol *protocol) {
    if (!protocol) return;
    hr_action left;
    while (hr_protocol_next(protocol, &left)) free(left.bytes.at);
    free(protocol->actions);
    protocol->free(protocol);
}

hr_status hr_protocol_act(hr_protocol *protocol, hr_action action, hr_error *err) {
    if (protocol->count == protocol->capacity) {
        size_t capacity = 2 * protocol->capacity + 8;
        hr_action *larger = realloc(protocol->actions, capacity * sizeof *larger);
        if (!larger) {
            free(action.bytes.at);
            return hr_fail_memory(err);
        }
        protocol->actions = larger;
        protocol->capacity = capacity;
    }
    protocol->actions[protocol->count++] = action;
    return HR_OK;
}

hr_status hr_protocol_send(hr_protocol *protocol, size_t to, Hedgerow__Message__KindCase kind,
                           const void *content, hr_error *err) {
    hr_action action = {.kind = HR_ACT_SEND, .member = to};
    Hedgerow__Message message = HEDGEROW__MESSAGE__INIT;
    message.kind_case = kind;
    message.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    hr_status status = hr_message_pack(&message.base, &action.bytes, err);
    return status ? status : hr_protocol_act(protocol, action, err);
}

hr_status hr_protocol_emit(hr_protocol *protocol, hr_action_kind kind, size_t member, hr_error *err,
                           const char *format, ...) {
    hr_action action = {.kind = kind, .member = member};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(action.text, sizeof action.text, format, arguments);
    va_end(arguments);
    return hr_protocol_act(protocol, action, err);
}

hr_status hr_protocol_end(hr_protocol *protocol, hr_job_ending ending, hr_error *err, const char *format,
                          ...) {
    hr_action action = {.kind = hr_ending_is_fine(ending) ? HR_ACT_FINISH : HR_ACT_FAIL, .ending = ending};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(action.text, sizeof action.text, format, arguments);
    va_end(arguments);
    return hr_protocol_act(protocol, action, err);
}

hr_status hr_protocol_refuse(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "%s", why);
}
