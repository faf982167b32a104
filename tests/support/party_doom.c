#include "support/party_doom.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

party_doom doom;
doom_losses doom_lost;

static bool dies_now(bool after) {
    if (doom.dead) return true;
    if (doom.harness->running != doom.victim || doom.over || after != doom.after) return false;
    doom.dead = ++doom.calls == doom.at;
    return doom.dead;
}

static bool party_dies(const harness_party *p, bool after) {
    (void)p;
    return dies_now(after);
}

/* Asked when its step is over, or its opening. */
static bool party_died(const harness_party *p) {
    (void)p;
    bool died = doom.dead;
    if (died) doom.over = true;
    doom.dead = false;
    return died;
}

void doom_begin(harness *l, size_t victim, size_t at, bool after) {
    doom = (party_doom){.victim = victim, .at = at, .after = after, .harness = l};
    l->dies = party_dies;
    l->died = party_died;
}

enum { FIRST_CALLS = 100, LAST_CALLS = 30, STEP = 7 };

void doom_at_every_call(bool (*die_at)(size_t victim, size_t at, bool after), size_t victim, bool after) {
    const size_t step = getenv("HR_LONG") ? 1 : STEP;
    size_t at = 1;
    doom_lost = (doom_losses){0};
    while (die_at(victim, at, after)) at += at < FIRST_CALLS ? 1 : step;
    if (at > FIRST_CALLS && step > 1)
        for (size_t last = at - LAST_CALLS; last < at; last++) die_at(victim, last, after);
    print_message(
        "%s dies %s calls up to the %zuth; %zu pieces of work were lost, %zu models were made again\n",
        victim ? "an owner" : "the coordinator", after ? "after" : "before", at - 1, doom_lost.lost,
        doom_lost.models_again);
    assert_true(at > 20);
}

/* ---- The journal ---- */

static hr_status cancelled(hr_error *err) {
    return hr_fail(err, HR_E_CANCELLED, "", "it died");
}

/* Parts of a transaction: to die after one is to die before the next. */
#define WRAP(call, parameters, ...)                                                                          \
    hr_status __real_##call parameters;                                                                      \
    hr_status __wrap_##call parameters {                                                                     \
        return dies_now(false) ? cancelled(err) : __real_##call(__VA_ARGS__);                                \
    }

WRAP(hr_journal_begin, (hr_journal * journal, hr_error *err), journal, err)
WRAP(hr_journal_add_job, (hr_journal * journal, const hr_journal_job *job, hr_error *err), journal, job, err)
WRAP(hr_journal_reserve,
     (hr_journal * journal, hr_journal_job *job, double epsilon, double delta, const char *purpose,
      hr_error *err),
     journal, job, epsilon, delta, purpose, err)
WRAP(hr_journal_spend, (hr_journal * journal, const hr_journal_job *job, hr_error *err), journal, job, err)
WRAP(hr_journal_end_job, (hr_journal * journal, const uint8_t *id, hr_error *err), journal, id, err)
WRAP(hr_journal_post,
     (hr_journal * journal, const uint8_t *id, const char *to, uint64_t sequence, hr_blob packet,
      hr_error *err),
     journal, id, to, sequence, packet, err)
WRAP(hr_journal_received,
     (hr_journal * journal, const uint8_t *id, const char *to, uint64_t sequence, hr_error *err), journal, id,
     to, sequence, err)

hr_status __real_hr_journal_add_event(hr_journal *journal, const uint8_t *id, const hr_journal_event *event,
                                      hr_error *err);
hr_status __wrap_hr_journal_add_event(hr_journal *journal, const uint8_t *id, const hr_journal_event *event,
                                      hr_error *err) {
    if (dies_now(false)) return cancelled(err);
    if (doom.harness->running == doom.victim) {
        const bool starts = event->kind == HR_EVENT_WORK_STARTED;
        doom.starts += starts;
        doom.starts_alone += starts && !doom.events;
        doom.events++;
    }
    if (event->kind != HR_EVENT_WORK_STARTED || !doom.refuses_begun)
        return __real_hr_journal_add_event(journal, id, event, err);
    doom.refuses_begun = false;
    return hr_fail(err, HR_E_POLICY, "", "no event is taken");
}

hr_status __real_hr_journal_commit(hr_journal *journal, hr_error *err);
hr_status __wrap_hr_journal_commit(hr_journal *journal, hr_error *err) {
    if (dies_now(false)) return cancelled(err);
    hr_status status = __real_hr_journal_commit(journal, err);
    if (doom.harness->running == doom.victim) doom.events = 0;
    return dies_now(true) ? cancelled(err) : status;
}
