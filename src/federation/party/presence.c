#include "federation/party/presence.h"

#include "base/fail.h"
#include "federation/protocol/envelope.h"
#include "privacy/crypto/csprng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK = 200,     /* milliseconds between looks for hellos */
    AT_ONE_LOOK = 2 /* hellos of one member */
};

/* The last hello of a member. */
typedef struct last_hello {
    bool came, left, present; /* present: as of the last step */
    bool warned;              /* a hello was refused, or is of other files, which is logged */
    uint64_t session;
    int64_t date;        /* of its sender, in milliseconds since 1970 began */
    int64_t at;          /* when it came */
    int64_t lapse;       /* milliseconds after which it no longer holds */
    int64_t since, seen; /* hr_member_presence */
} last_hello;

struct hr_presence {
    hr_presence_options o;
    bool listens[HR_MEMBERS_MAX];
    last_hello last[HR_MEMBERS_MAX];
    uint64_t session, changes;
    bool connected, refused, requested;
    int64_t listening; /* since when the connection is there */
    int64_t looked, sent_at;
    int64_t date;      /* of its own last hello, in milliseconds since 1970 began; 0: none */
    int64_t last_sent; /* hr_presence_last_sent */
};

hr_status hr_presence_open(const hr_presence_options *options, hr_presence **out, hr_error *err) {
    hr_csprng *csprng = NULL;
    hr_presence *p = calloc(1, sizeof *p);
    if (!p) return hr_fail_memory(err);
    hr_status status = hr_csprng_open(&csprng, err);
    if (status) {
        free(p);
        return status;
    }
    p->session = hr_csprng_u64(csprng);
    hr_csprng_close(csprng);
    p->o = *options;
    for (size_t m = 0; m < options->view->membership->count; m++) {
        p->listens[m] = options->listens[m] && m != options->view->self;
        p->last[m].lapse = (int64_t)HR_HELLO_PERIODS * HR_HELLO_PERIOD * 1000;
    }
    p->o.listens = p->listens;
    *out = p;
    return HR_OK;
}

void hr_presence_close(hr_presence *p) {
    free(p);
}

static const char *name_of(const hr_presence *p, size_t member) {
    return p->o.view->membership->members[member].name;
}

/* ---- Its own hellos ---- */

/* Presence is no reason to fail: a transport that refuses is left alone. */
static hr_status pass(hr_presence *p, hr_status status, const hr_error *why, hr_error *err) {
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status == HR_E_POLICY && !p->refused) {
        p->refused = true;
        hr_log_format(p->o.log, HR_LOG_WARNING, NULL, "there is no presence: %s; %s", why->message,
                      why->remedy);
    }
    return HR_OK;
}

static hr_status send_hello(hr_presence *p, hr_hello_state state, hr_error *err) {
    hr_error why = {0};
    hr_bytes bytes = {0};
    hr_hello hello = {.state = state, .version = p->o.version, .session = p->session, .period = p->o.period};
    const int64_t date = p->o.date();
    p->date = date > p->date ? date : p->date + 1;
    hello.date = p->date;
    snprintf(hello.fingerprint, sizeof hello.fingerprint, "%s", p->o.fingerprint);
    hr_status status = hr_hello_make(p->o.view, &hello, &bytes, err);
    if (status) return status;
    status = p->o.transport->publish_hello(p->o.transport, bytes.at, bytes.size, &why);
    free(bytes.at);
    if (!status) p->last_sent = date / 1000;
    return pass(p, status, &why, err);
}

void hr_presence_leave(hr_presence *p) {
    hr_error ignored;
    if (p && !p->refused && !p->o.requests && send_hello(p, HEDGEROW__HELLO_BODY__STATE__LEAVING, &ignored))
        return;
}

int64_t hr_presence_last_sent(const hr_presence *p) {
    return p ? p->last_sent : 0;
}

/* ---- Hellos of others ---- */

static void note_hello(hr_presence *p, size_t member, const hr_hello *hello, int64_t now) {
    last_hello *last = &p->last[member];
    const bool begins = !last->came || last->session != hello->session;
    last->date = hello->date;
    last->warned = false;
    if (hello->state == HEDGEROW__HELLO_BODY__STATE__ASKING) {
        p->requested = true; /* by a coordinator, which is not waited for */
        return;
    }
    if (begins) last->since = p->o.date() / 1000;
    last->came = true;
    last->left = hello->state == HEDGEROW__HELLO_BODY__STATE__LEAVING;
    last->session = hello->session;
    last->at = now;
    last->lapse = (int64_t)HR_HELLO_PERIODS * hello->period * 1000;
    last->seen = p->o.date() / 1000;
    /* An owner that has other files declines every job: its coordinator learns of it before. */
    if (!begins || !p->o.requests) return;
    if (hello->protocol != HR_PROTOCOL_VERSION)
        hr_log_format(p->o.log, HR_LOG_WARNING, NULL,
                      "owner %s has version %lu of the protocol, and this program has %d", name_of(p, member),
                      (unsigned long)hello->protocol, (int)HR_PROTOCOL_VERSION);
    else if (hello->version != p->o.version)
        hr_log_format(p->o.log, HR_LOG_WARNING, NULL,
                      "owner %s has version %llu of the federation file, and this member has %llu",
                      name_of(p, member), (unsigned long long)hello->version,
                      (unsigned long long)p->o.version);
    else if (strcmp(hello->fingerprint, p->o.fingerprint) != 0)
        hr_log_format(p->o.log, HR_LOG_WARNING, NULL, "owner %s has another federation file of version %llu",
                      name_of(p, member), (unsigned long long)hello->version);
}

static hr_status take_hellos(hr_presence *p, size_t member, int64_t now, hr_error *err) {
    last_hello *last = &p->last[member];
    hr_status status = HR_OK;
    for (int i = 0; !status && !p->refused && i < AT_ONE_LOOK; i++) {
        hr_hello_packet packet = {.size = 0};
        hr_hello hello;
        hr_error why = {0};
        status = p->o.transport->next_hello(p->o.transport, name_of(p, member), &packet, &why);
        if (status || !packet.size) return pass(p, status, &why, err);
        status = hr_hello_read(p->o.view->membership, member, packet.bytes, packet.size, &hello, &why);
        const int64_t ahead = status ? 0 : hello.date - p->o.date();
        if (ahead > HR_HELLO_DATES || ahead < -HR_HELLO_DATES)
            status =
                hr_fail(&why, HR_E_POLICY, "set the clocks of both machines",
                        "a hello is refused: its date is %lld s %s this clock",
                        (long long)(ahead > 0 ? ahead : -ahead) / 1000, ahead > 0 ? "ahead of" : "behind");
        else if (!status && hello.date <= last->date)
            status = hr_fail(&why, HR_E_POLICY, "", "a hello is refused: it is not newer than the last one");
        if (status == HR_E_MEMORY) return hr_fail_memory(err);
        if (!status) {
            note_hello(p, member, &hello, now);
            continue;
        }
        if (!last->warned)
            hr_log_format(p->o.log, HR_LOG_WARNING, NULL, "of %s: %s%s%s", name_of(p, member), why.message,
                          why.remedy[0] ? "; " : "", why.remedy);
        last->warned = true;
        status = HR_OK;
    }
    return status;
}

/* ---- Who is there ---- */

void hr_presence_note_message(hr_presence *p, size_t member, int64_t now) {
    if (!p || !p->o.requests || !p->listens[member] || p->last[member].left) return;
    last_hello *last = &p->last[member];
    last->seen = p->o.date() / 1000;
    if (!last->came) last->since = last->seen;
    last->came = true;
    last->at = now;
}

/* Silence counts from when the connection was there. */
static int64_t quiet_since(const hr_presence *p, const last_hello *last) {
    return last->came && last->at > p->listening ? last->at : p->listening;
}

static void note_changes(hr_presence *p, int64_t now) {
    for (size_t m = 0; m < p->o.view->membership->count; m++) {
        last_hello *last = &p->last[m];
        const bool present = last->came && !last->left && now - quiet_since(p, last) < last->lapse;
        if (present == last->present) continue;
        last->present = present;
        p->changes++;
        if (!p->o.requests) continue;
        if (present)
            hr_log_format(p->o.log, HR_LOG_INFO, NULL, "owner %s is present", name_of(p, m));
        else if (last->left)
            hr_log_format(p->o.log, HR_LOG_WARNING, NULL, "owner %s is away: its program has ended",
                          name_of(p, m));
        else
            hr_log_format(p->o.log, HR_LOG_WARNING, NULL, "owner %s is away: no hello for %lld s",
                          name_of(p, m), (long long)last->lapse / 1000);
    }
}

hr_status hr_presence_step(hr_presence *p, int64_t now, hr_error *err) {
    hr_status status = HR_OK;
    hr_link_info link = {.connected = true};
    if (!p || p->refused) return HR_OK;
    if (p->o.transport->link) p->o.transport->link(p->o.transport, &link);
    /* When the connection is back, a hello is due at once: some may have been lost. */
    const bool begins = link.connected && !p->connected;
    p->connected = link.connected;
    if (begins) {
        p->listening = now;
        p->requested = true;
    } else if (!p->connected || now - p->looked < LOOK) {
        return HR_OK;
    }
    p->looked = now;
    for (size_t m = 0; !status && m < p->o.view->membership->count; m++)
        if (p->listens[m]) status = take_hellos(p, m, now, err);
    note_changes(p, now);
    if (status || p->refused) return status;
    if (p->o.requests) return begins ? send_hello(p, HEDGEROW__HELLO_BODY__STATE__ASKING, err) : HR_OK;
    const int64_t pause = now - p->sent_at;
    if (!begins && pause < (p->requested ? HR_HELLO_PAUSE : (int64_t)p->o.period * 1000)) return HR_OK;
    p->requested = false;
    p->sent_at = now;
    return send_hello(p, HEDGEROW__HELLO_BODY__STATE__PRESENT, err);
}

bool hr_presence_of(const hr_presence *p, size_t member, hr_member_presence *out) {
    const last_hello *last = &p->last[member];
    *out = (hr_member_presence){last->present, last->since, last->seen};
    return p->listens[member];
}

uint64_t hr_presence_changes(const hr_presence *p) {
    return p ? p->changes : 0;
}

int64_t hr_presence_patience(const hr_presence *p, size_t member, bool offered, int64_t begun) {
    const last_hello *last = &p->last[member];
    if (p->refused || !p->connected || last->present || !p->listens[member]) return HR_PRESENCE_NEVER;
    const int64_t asked = p->listening, lapsed = quiet_since(p, last) + last->lapse,
                  away = last->left               ? last->at
                         : offered && !last->came ? asked
                                                  : lapsed;
    if (offered) return (away > begun ? away : begun) + HR_PRESENCE_GRACE;
    const int64_t grace = away + last->lapse;
    return grace > begun + HR_PRESENCE_GRACE ? grace : begun + HR_PRESENCE_GRACE;
}
