/* What both parts read. */
#include "federation/machines/inprivate.h"

#include "base/fail.h"

static hr_status refuse_inprivate_message(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "%s", why);
}

hr_status hr_inprivate_terms_check(const Hedgerow__Terms *terms, hr_error *err) {
    if (!terms->rounds || terms->rounds > HR_ROUNDS_MAX)
        return refuse_inprivate_message("the number of rounds is out of range", err);
    if (terms->delta != 0)
        return refuse_inprivate_message("a job with a delta, which this method does not use", err);
    if (terms->coalition)
        return refuse_inprivate_message("a job with a coalition, which this method does not use", err);
    if (!(terms->vote_share >= 0 && terms->vote_share < 1))
        return refuse_inprivate_message("a job whose votes cost all of its budget", err);
    if (terms->last_slots > HR_TAILS_MAX || (terms->last_slots && !(terms->vote_share > 0)))
        return refuse_inprivate_message("a job whose votes on the last slots have no budget, or are too many",
                                        err);
    return HR_OK;
}

size_t hr_tails(const Hedgerow__Terms *terms, size_t owners, size_t round) {
    if (round + 1 != terms->rounds) return 0;
    return terms->last_slots < owners ? terms->last_slots : owners - 1;
}

hr_tree_rules hr_terms_rules(const Hedgerow__Terms *terms, const hr_schema *schema, double share) {
    return (hr_tree_rules){
        .schema = schema, .paper = terms->paper, .budget = hr_units_up(terms->epsilon * share)};
}

hr_status hr_send_slots(hr_protocol *protocol, const hr_job_state *job_state, size_t to, size_t first,
                        size_t end, hr_error *err) {
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = hr_job_state_list(job_state, first, end, &forest, err);
    if (!status) status = hr_protocol_send(protocol, to, HEDGEROW__MESSAGE__KIND_FOREST, &forest, err);
    hr_job_state_unlist(&forest);
    return status;
}
