#include "federation/party/endpoint.h"

#include "base/fail.h"
#include "federation/protocol/sessions.h"
#include "federation/transport/carrier.h"
#include "federation/transport/nats.h"

#include <string.h>
#include <time.h>

enum {
    WAIT = 500,
    DRAIN = 10 * 1000,
    PAUSE_SHORTEST = 1000,
    PAUSE_LONGEST = 30 * 1000,
    NAP = 100,
    FILE_PATIENCE = 2000,
    FILE_NAP = 20
}; /* milliseconds */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

hr_clock hr_endpoint_clock(void) {
    return (hr_clock){now(), (int64_t)time(NULL)};
}

/* ---- Opening ---- */

static hr_status find_self(const hr_endpoint_files *files, hr_endpoint *s, hr_error *err) {
    size_t self = hr_membership_by_name(&s->file.membership, files->member.name, strlen(files->member.name));
    if (self == HR_NO_MEMBER) {
        hr_fail(err, HR_E_POLICY, "correct the name, or have the member added to the federation file",
                "'%s' is not a member of '%s'", files->member.name, s->file.membership.federation);
        return hr_fail_at(err, HR_E_POLICY, files->member.federation, 0, 0, "name");
    }
    hr_public_key own = hr_identity_public(s->identity);
    if (!hr_public_key_same(&own, &s->file.membership.members[self].key)) {
        hr_fail(err, HR_E_POLICY,
                "use the key whose public key the federation file lists ('hedgerow keygen --public FILE' "
                "prints it)",
                "this is not the key of '%s'", files->member.name);
        return hr_fail_at(err, HR_E_POLICY, files->member.key, 0, 0, NULL);
    }
    s->view = (hr_party_view){.membership = &s->file.membership, .identity = s->identity, .self = self};
    return hr_sessions_new(s->file.membership.count, &s->view.sessions, err);
}

/* For a broker that does not answer. */
typedef struct wait_for_broker {
    const hr_party_settings *settings;
    const hr_log *log;
    const char *url;
    int64_t pause;    /* the last one; 0: none yet */
    const char *what; /* of the last one */
} wait_for_broker;

static bool is_to_stop(const hr_party_settings *settings) {
    return hr_endpoint_check_stop(settings, NULL) != HR_OK;
}

/* A signal may reach another thread than this one: naps are short. */
static bool pause_before_again(void *user, const char *what) {
    wait_for_broker *w = user;
    if (is_to_stop(w->settings)) return false;
    if (w->what != what)
        hr_log_format(w->log, HR_LOG_WARNING, NULL, "the broker at %.300s %s; trying again", w->url, what);
    w->what = what;
    w->pause = w->pause ? 2 * w->pause : PAUSE_SHORTEST;
    if (w->pause > PAUSE_LONGEST) w->pause = PAUSE_LONGEST;
    int64_t until = now() + w->pause;
    while (!is_to_stop(w->settings) && now() < until)
        nanosleep(&(struct timespec){.tv_nsec = NAP * 1000000}, NULL);
    return !is_to_stop(w->settings);
}

static hr_status dial(const hr_endpoint_files *files, const hr_party_settings *settings, hr_endpoint *s,
                      hr_error *err) {
    wait_for_broker w = {settings, files->log, s->file.url, 0, NULL};
    hr_nats_options options = {.url = s->file.url,
                               .authority = s->file.authority,
                               .certificate = files->member.certificate,
                               .certificate_key = files->member.certificate_key,
                               .federation = s->file.membership.federation,
                               .name = files->member.name,
                               .member_count = s->file.membership.count,
                               .log = files->log,
                               .again = files->tries_once ? NULL : pause_before_again,
                               .user = &w};
    hr_error why = {0};
    s->validity = hr_validity_of(files->member.name, files->member.certificate, s->file.authority);
    s->days_left = HR_VALIDITY_DAYS;
    hr_endpoint_log_validity(s, files->log);
    hr_status status = hr_nats_open(&options, &s->transport, &why);
    if (!status && w.pause)
        hr_log_format(files->log, HR_LOG_INFO, NULL, "the broker at %.300s is there", s->file.url);
    if (!status) return HR_OK;
    hr_status stopped = hr_endpoint_check_stop(settings, err); /* a signal may have cut off what failed */
    if (stopped) return stopped;
    if (err) *err = why;
    return status;
}

static hr_status lock_key(const hr_endpoint_files *files, hr_endpoint *s, hr_error *err) {
    if (files->before && hr_file_lock_is_on(files->before->key_lock, files->member.key)) return HR_OK;
    hr_status status = hr_file_lock_hold(files->member.key, &s->key_lock, err);
    return status ? hr_fail_at(err, status, files->member.key, 0, 0, NULL) : HR_OK;
}

hr_status hr_endpoint_open(const hr_endpoint_files *files, const hr_party_settings *settings,
                           hr_loopback *loopback, hr_arena *arena, hr_endpoint *s, hr_error *err) {
    *s = (hr_endpoint){0};
    hr_status status = hr_federation_file_read(files->member.federation, arena, &s->file, err);
    if (!status) status = hr_identity_read(files->member.key, &s->identity, err);
    if (!status && !loopback) status = hr_federation_file_fingerprint(&s->file, s->fingerprint, err);
    if (!status) s->id = (hr_federation_id){s->file.version, *s->fingerprint ? s->fingerprint : NULL};
    if (!status) status = find_self(files, s, err);
    if (!status) status = lock_key(files, s, err);
    if (status) return status;
    if (loopback) return hr_loopback_open(loopback, files->member.name, &s->transport, err);
    return settings->carrier ? hr_carrier_open(settings->carrier, &s->transport, err)
                             : dial(files, settings, s, err);
}

void hr_endpoint_done(hr_endpoint *s) {
    if (s->transport) s->transport->close(s->transport);
    hr_sessions_free(s->view.sessions);
    hr_identity_free(s->identity);
    hr_file_lock_release(s->key_lock);
}

void hr_endpoint_replace(hr_endpoint *s, hr_endpoint *before) {
    if (s->key_lock) return;
    s->key_lock = before->key_lock;
    before->key_lock = NULL;
}

void hr_endpoint_log_not_replaced(const hr_log *log, const hr_error *why) {
    char text[400];
    hr_error_format(why, text, sizeof text);
    hr_log_format(log, HR_LOG_ERROR, NULL,
                  "the files were not read anew, and the previous ones stay in force: %s", text);
}

/* ---- The certificate ---- */

void hr_endpoint_log_validity(hr_endpoint *s, const hr_log *log) {
    char text[HR_VALIDITY_TEXT];
    const int64_t now = (int64_t)time(NULL), left = hr_validity_days_left(&s->validity, now);
    if (!s->validity.ends || left >= s->days_left) return;
    s->days_left = left;
    hr_validity_text(&s->validity, now, text);
    hr_log_format(log, left < 0 ? HR_LOG_ERROR : HR_LOG_WARNING, NULL, "%s; %s", text,
                  hr_validity_remedy(&s->validity));
}

/* ---- The version of the federation ---- */

static hr_status check_version(const hr_federation_file *file, int64_t before, bool same, hr_error *err) {
    const int64_t version = (int64_t)file->version;
    if (version < before)
        return hr_fail(err, HR_E_POLICY, "get the current federation.yaml from the founder",
                       "this is version %lld of the federation '%s', and version %lld was used before",
                       (long long)version, file->membership.federation, (long long)before);
    if (version > before || same) return HR_OK;
    return hr_fail(err, HR_E_POLICY,
                   "compare what `hedgerow federation fingerprint` prints with the founder; a file that was "
                   "changed on purpose needs a higher version",
                   "this is another federation '%s' of version %lld than the one that was used before",
                   file->membership.federation, (long long)version);
}

hr_status hr_endpoint_note_version(const hr_endpoint *s, hr_journal *journal, const hr_log *log,
                                   hr_error *err) {
    const hr_federation_file *file = &s->file;
    const char *name = file->membership.federation, *fingerprint = s->fingerprint;
    int64_t before = 0;
    bool same = false;
    if (!*fingerprint) return HR_OK;
    hr_status status = hr_journal_federation(journal, name, fingerprint, &before, &same, err);
    if (!status) status = check_version(file, before, same, err);
    if (!status && !same)
        status = hr_journal_note_federation(journal, name, fingerprint, (int64_t)file->version, err);
    if (!status && before && !same)
        hr_log_format(log, HR_LOG_INFO, NULL, "federation '%s': version %zu, was %lld; fingerprint %s", name,
                      file->version, (long long)before, fingerprint);
    return status;
}

/* ---- Presence ---- */

static int64_t date_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

hr_status hr_endpoint_presence(const hr_endpoint *s, const hr_presence_options *options, hr_presence **out,
                               hr_error *err) {
    hr_presence_options whole = *options;
    if (!s->transport->next_hello) return HR_OK;
    whole.view = &s->view;
    whole.transport = s->transport;
    whole.version = s->file.version;
    whole.fingerprint = s->fingerprint;
    whole.date = date_now;
    return hr_presence_open(&whole, out, err);
}

/* ---- Working ---- */

hr_status hr_endpoint_present(const hr_party_settings *settings, hr_error *err) {
    return settings->carrier ? HR_OK : hr_nats_present(err);
}

hr_status hr_endpoint_settings(const hr_party_settings *given, hr_party_settings *out, hr_error *err) {
    static const hr_sized kind = {sizeof *out, sizeof out->size, "begin with HR_PARTY_SETTINGS_INIT"};
    *out = (hr_party_settings)HR_PARTY_SETTINGS_INIT;
    return hr_sized_take(&kind, given, out, err);
}

hr_status hr_endpoint_check_stop(const hr_party_settings *settings, hr_error *err) {
    if (!settings->should_continue || settings->should_continue(settings->user)) return HR_OK;
    return hr_fail(err, HR_E_CANCELLED, "start it again; a job of a federation continues", "stopped");
}

bool hr_endpoint_wait_for_file(void *file_wait, int tries) {
    hr_file_wait *w = file_wait;
    if (!tries) *w = (hr_file_wait){w->settings, w->log, w->path, now(), false};
    if (is_to_stop(w->settings)) return false;
    if (!w->logged && now() - w->begun >= FILE_PATIENCE) {
        hr_log_format(w->log, HR_LOG_WARNING, NULL,
                      "%.300s: another process keeps the file locked; waiting for it", w->path);
        w->logged = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = FILE_NAP * 1000000}, NULL);
    return true;
}

static hr_status step_endpoint_party(hr_party *party, const hr_party_settings *settings, hr_error *err) {
    bool busy;
    hr_status status = hr_endpoint_check_stop(settings, err);
    if (!status) status = hr_party_step(party, hr_endpoint_clock(), WAIT, &busy, err);
    hr_status stopped =
        status ? hr_endpoint_check_stop(settings, err) : HR_OK; /* it may have waited for a file */
    return stopped ? stopped : status;
}

hr_status hr_endpoint_work(hr_party *party, const hr_party_settings *settings, bool (*over)(void *user),
                           void *user, hr_error *err) {
    hr_status status = HR_OK;
    while (!status && !over(user)) status = step_endpoint_party(party, settings, err);
    return status;
}

hr_status hr_endpoint_drain(hr_party *party, const hr_party_settings *settings, hr_error *err) {
    int64_t until = now() + DRAIN;
    bool owes = true;
    hr_status status = HR_OK;
    while (!status && owes && now() < until) {
        status = hr_party_owes(party, &owes, err);
        if (!status && owes) status = step_endpoint_party(party, settings, err);
    }
    return status == HR_E_CANCELLED ? HR_OK : status;
}
