/* What the coordinator makes of the ballots on a poll. In mode sound numbers are noisy and paid for, and the
 * median owner decides. In mode paper they are exact and free, and count as those of one table. */
#include "federation/machines/inprivate.h"

#include "base/fail.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

size_t hr_tails(const Hedgerow__Terms *terms, size_t owners, size_t round) {
    if (round + 1 != terms->rounds) return 0;
    return terms->last_slots < owners ? terms->last_slots : owners - 1;
}

/* Sums of up to 2^32 records, each of which gains at most 2. */
static bool is_exact_gain(const Hedgerow__Ballot *wire) {
    const int64_t most = ((int64_t)HR_BALLOT_UNIT << 32) - 1;
    return wire->records >= 0 && wire->records <= most && wire->gain <= 2 * wire->records &&
           wire->gain >= -2 * wire->records;
}

hr_status hr_ballot_read(const Hedgerow__Ballot *wire, const hr_ballot_poll *poll, hr_arena *arena,
                         hr_ballot *out, hr_error *err) {
    const Hedgerow__Terms *terms = poll->terms;
    hr_ballot ballot = {.here = true, .counted = wire->counted, .gain = wire->gain, .records = wire->records};
    if (wire->n_tails != (wire->counted ? hr_tails(terms, poll->owners, wire->round) : 0))
        return hr_protocol_refuse("a ballot on other slots", err);
    if (terms->paper && !is_exact_gain(wire))
        return hr_protocol_refuse("a ballot with a gain that its records cannot have", err);
    for (size_t t = 0; t < wire->n_tails; t++) ballot.tails[t] = wire->tails[t];
    hr_tree_rules rules = hr_terms_rules(terms, poll->schema, terms->vote_share);
    hr_status status = hr_wire_releases_unpack((hr_wire_releases){wire->releases, wire->n_releases}, &rules,
                                               poll->slot, arena, &ballot.releases, err);
    if (status) return status;
    ballot.release_count = wire->n_releases;
    *out = ballot;
    return HR_OK;
}

/* ---- Noisy numbers ---- */

static int compare_gains(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Each owner moves the median by at most one rank, whatever it sends; one large number would decide a sum. */
static double median(int64_t *numbers, size_t count) {
    if (!count) return 0;
    qsort(numbers, count, sizeof *numbers, compare_gains);
    return ((double)numbers[(count - 1) / 2] + (double)numbers[count / 2]) / 2;
}

/* Of the numbers in the field at that offset of the ballots. */
static double median_vote(const hr_ballot *ballots, size_t owners, size_t field, size_t *voters) {
    int64_t numbers[HR_MEMBERS_MAX];
    *voters = 0;
    for (size_t i = 0; i < owners; i++)
        if (ballots[i].counted)
            memcpy(&numbers[(*voters)++], (const char *)&ballots[i] + field, sizeof *numbers);
    return median(numbers, *voters);
}

/* Section VI-B requires a control of every owner's tree. Later trees correct an early one; no tree
 * corrects the last ones. They are left out if owners lose by them, beyond what noise explains, and more
 * slots only if they lose by so much more: by three standard deviations of a sum. What all gain is the median
 * owner's gain times their number; of Laplace noise the median varies no more than the mean, for any number
 * of voters, so that the sum's standard deviation is one for it too. */
size_t hr_votes_dropped(const hr_ballot *ballots, size_t owners, const Hedgerow__Terms *terms, size_t tails) {
    double scale = (double)tails * HR_BALLOT_UNIT / (terms->epsilon * terms->vote_share), worst = 0;
    size_t dropped = 0;
    for (size_t t = 0; t < tails; t++) {
        size_t voters;
        double gain =
            median_vote(ballots, owners, offsetof(hr_ballot, tails) + t * sizeof(int64_t), &voters) *
            (double)voters;
        double threshold = -3 * scale * sqrt(2 * (double)voters);
        if (gain >= worst + threshold) continue;
        worst = gain;
        dropped = t + 1;
    }
    return dropped;
}

/* Section VI-B: the improvement of one round, from noisy counts. A quotient of medians, and not the median of
 * quotients: those of owners with few records are noise divided by noise. */
double hr_votes_noisy_gain(const hr_ballot *ballots, size_t owners) {
    size_t voters;
    double gain = median_vote(ballots, owners, offsetof(hr_ballot, gain), &voters),
           records = median_vote(ballots, owners, offsetof(hr_ballot, records), &voters);
    return records > 0 ? gain / records : 0;
}

/* ---- Exact numbers ---- */

double hr_votes_exact_gain(const hr_ballot *ballots, size_t owners) {
    double gain = 0, records = 0;
    for (size_t i = 0; i < owners; i++) {
        if (!ballots[i].counted) continue;
        gain += (double)ballots[i].gain;
        records += (double)ballots[i].records;
    }
    return records > 0 ? gain / records : 0;
}
