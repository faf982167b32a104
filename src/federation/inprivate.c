/* What both parts read. */
#include "federation/inprivate.h"

#include "base/date.h"
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

static hr_status refuse(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "%s", why);
}

hr_status hr_terms_check(const Hedgerow__Terms *terms, const hr_roster *roster, size_t *invited, hr_error *err) {
    if (!terms->rounds || terms->rounds > HR_ROUNDS_MAX) return refuse("a job of no rounds, or too many", err);
    if (!(terms->epsilon > 0 && terms->epsilon <= 1 << 20)) return refuse("a job without a budget", err);
    if (terms->delta != 0) return refuse("a job with a delta, which this method has no use for", err);
    if (!(terms->vote_share >= 0 && terms->vote_share < 1)) return refuse("a job whose votes cost all of its budget", err);
    if (terms->last_places > HR_TAILS_MAX || (terms->last_places && !(terms->vote_share > 0)))
        return refuse("a job whose votes on the last places have no budget, or are too many", err);
    if (terms->date > HR_DATE_MAX) return refuse("a job whose date is in no calendar", err);
    return hr_members_read(roster, terms->owners, terms->n_owners, invited, err);
}

size_t hr_tails(const Hedgerow__Terms *terms, size_t owners, size_t round) {
    if (round + 1 != terms->rounds) return 0;
    return terms->last_places < owners ? terms->last_places : owners - 1;
}

hr_tree_rules hr_terms_rules(const Hedgerow__Terms *terms, const hr_schema *schema, double share) {
    return (hr_tree_rules){.schema = schema, .paper = terms->paper, .budget = hr_units_up(terms->epsilon * share)};
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

hr_status hr_send_places(hr_protocol *protocol, const hr_course *course, size_t to, size_t first, size_t end, hr_error *err) {
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = hr_course_list(course, first, end, &forest, err);
    if (!status) status = hr_protocol_send(protocol, to, HEDGEROW__MESSAGE__KIND_FOREST, &forest, err);
    hr_course_unlist(&forest);
    return status;
}
