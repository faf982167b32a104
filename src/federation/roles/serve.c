#include "federation/roles/serve.h"

#include "base/fail.h"
#include "base/threads.h"
#include "federation/roles/service_metrics.h"
#include "federation/work/owner_work.h"
#include "fit/settings.h"
#include "privacy/ledger/spend.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct hr_owner_service {
    hr_arena *arena;
    hr_owner_file file;
    hr_endpoint endpoint;
    hr_counted_transport packets;
    hr_schema *schema;
    hr_data *read, *read_test;  /* from the files; NULL: not read */
    const hr_data *data, *test; /* test: NULL unless there is one */
    hr_ledger *ledger;
    struct stat ledger_file; /* as it was when it was opened */
    hr_journal *journal;
    bool borrows; /* ledger and journal are those of another service */
    bool coordinators[HR_MEMBERS_MAX];
    hr_owner_work work;
    hr_presence *presence; /* NULL on a loopback */
    hr_party *party;
    const hr_party_settings *settings;
    hr_log log;
    hr_file_wait wait;
    bool reload;      /* the files are to be read anew */
    int64_t begun;    /* seconds since 1970 began */
    int64_t measured; /* when metrics were last written, in milliseconds */
};

static hr_status read_owner_table(const hr_owner_service *s, const char *data, const char *query,
                                  hr_data **out, hr_error *err) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.query = query;
    options.separator = (hr_separator)s->file.separator;
    options.quote = (hr_quote)s->file.quote;
    options.skip_lines = (uint32_t)s->file.skip_lines;
    options.threads = s->settings->threads;
    return hr_data_read(s->schema, data, &options, out, err);
}

/* Of records that a program has in memory; `what` they are called. */
static hr_status check_given(const hr_owner_service *s, const hr_data *data, const char *what,
                             hr_error *err) {
    static const hr_schema_sides sides = {"of the records", "in the file"};
    char difference[HR_SCHEMA_DIFFERENCE];
    if (hr_schema_difference(hr_data_schema(data), s->schema, &sides, difference)) {
        hr_fail(err, HR_E_SCHEMA, "make them with the schema of the owner file, as it is now",
                "%s follow another schema: %s", what, difference);
        return hr_fail_at(err, HR_E_SCHEMA, s->file.schema, 0, 0, NULL);
    }
    if (!hr_data_labels(data))
        return hr_fail(err, HR_E_SCHEMA, "give the label of each record", "%s have no labels", what);
    hr_status status = hr_data_check_exposures(data, err);
    return status ? status : hr_data_refuse_repeats(data, err);
}

static hr_status read_records(hr_owner_service *s, const hr_owner_opening *o, hr_error *err) {
    if (!s->file.data && !o->records.data) {
        const hr_status none = hr_fail(err, HR_E_FORMAT, "expected: a file, or the address of a database",
                                       "the key 'data' is missing");
        return hr_fail_at(err, none, o->file, 1, 1, NULL);
    }
    hr_status status = hr_schema_read(s->file.schema, &s->schema, err);
    if (!status) {
        status = hr_schema_public(s->schema, err);
        if (!status) status = hr_schema_decides_unit(s->schema, err);
        if (status) return hr_fail_at(err, status, s->file.schema, 0, 0, NULL);
    }
    if (!status && o->records.data) status = check_given(s, o->records.data, "the records", err);
    if (!status && o->records.test) status = check_given(s, o->records.test, "the test records", err);
    if (!status && !o->records.data) status = read_owner_table(s, s->file.data, s->file.query, &s->read, err);
    if (!status && !o->records.test && s->file.test)
        status = read_owner_table(s, s->file.test, s->file.test_query, &s->read_test, err);
    s->data = o->records.data ? o->records.data : s->read;
    s->test = o->records.test ? o->records.test : s->read_test;
    if (!status) status = hr_data_refuse_empty(s->data, s->read ? s->file.data : o->file, err);
    return status || !s->test ? status
                              : hr_data_refuse_empty(s->test, s->read_test ? s->file.test : o->file, err);
}

/* To the log of this owner alone, and without shares of cells: others may collect and store logs. */
static bool log_remark(void *service, const hr_remark *remark) {
    const hr_owner_service *s = service;
    const hr_error *what = &remark->what;
    if (remark->kind == HR_REMARK_CELLS)
        hr_log_format(
            &s->log, HR_LOG_WARNING, NULL,
            "most cells of column '%s' do not fit the schema: %s; 'hedgerow schema check' shows how many",
            what->field, what->remedy);
    else if (remark->kind == HR_REMARK_BOUNDS)
        hr_log_format(&s->log, HR_LOG_WARNING, NULL,
                      "the bounds of the label '%s' are wide for these records: %s", what->field,
                      what->remedy);
    else
        hr_log_format(
            &s->log, HR_LOG_WARNING, NULL,
            "column '%s' seems to identify persons or records: %s; 'hedgerow schema check' shows why",
            what->field, what->remedy);
    return true;
}

static hr_status log_remarks(hr_owner_service *s, const hr_data *data, hr_error *err) {
    hr_remark_options remarks = HR_REMARK_OPTIONS_INIT;
    remarks.take = log_remark;
    remarks.user = s;
    return data ? hr_data_remarks(data, &remarks, err) : HR_OK;
}

/* Whichever names they have. */
static bool is_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A file that the service before has open stays open. It is looked at first: a file which takes its place
 * meanwhile is another. */
static hr_status open_ledger(hr_owner_service *s, const hr_owner_service *before, hr_error *err) {
    hr_status status = HR_OK;
    s->borrows = !stat(s->file.ledger, &s->ledger_file) && before &&
                 is_same_file(&s->ledger_file, &before->ledger_file);
    if (s->borrows) {
        s->ledger = before->ledger;
        s->journal = before->journal;
    } else {
        status = hr_ledger_open(s->file.ledger, &s->ledger, err);
    }
    if (!status && !s->borrows) status = hr_journal_of_ledger(s->ledger, &s->journal, err);
    if (status) return hr_fail_at(err, status, s->file.ledger, 0, 0, NULL);
    return hr_ledger_check_witness(s->ledger, err); /* which names the witness */
}

/* Of a ledger that may be that of the service before: last, when nothing else can fail. */
static hr_status set_ledger_unit(hr_owner_service *s, hr_error *err) {
    const hr_status status = hr_ledger_set_unit(s->ledger, hr_schema_unit(s->schema), err);
    return status ? hr_fail_at(err, status, s->file.ledger, 0, 0, NULL) : HR_OK;
}

static void wait_for_ledger(hr_owner_service *s) {
    s->wait = (hr_file_wait){.settings = s->settings, .log = &s->log, .path = s->file.ledger};
    hr_journal_wait(s->journal, hr_endpoint_wait_for_file, &s->wait);
}

/* In place of the one before, it tries the broker once. */
static hr_status open_owner_endpoint(hr_owner_service *s, const hr_owner_service *before,
                                     hr_loopback *loopback, hr_error *err) {
    const hr_owner_file *f = &s->file;
    const hr_endpoint_files files = {.member = f->member,
                                     .log = &s->log,
                                     .tries_once = before != NULL,
                                     .before = before ? &before->endpoint : NULL};
    hr_status status = hr_endpoint_open(&files, s->settings, loopback, s->arena, &s->endpoint, err);
    const hr_membership *membership = &s->endpoint.file.membership;
    for (size_t m = 0; !status && m < membership->count; m++)
        s->coordinators[m] = hr_names_hold(&s->file.policy.coordinators, membership->members[m].name);
    return status;
}

static hr_status open_owner_presence(hr_owner_service *s, hr_error *err) {
    const hr_presence_options options = {.listens = s->coordinators,
                                         .period =
                                             (uint32_t)(s->file.hello ? s->file.hello : HR_HELLO_PERIOD),
                                         .log = &s->log};
    return hr_endpoint_presence(&s->endpoint, &options, &s->presence, err);
}

static hr_status open_owner_party(hr_owner_service *s, hr_error *err) {
    int threads;
    const hr_status counted = hr_threads_of(s->settings->threads, &threads, err);
    if (counted) return counted;
    hr_counted_transport_use(&s->packets, s->endpoint.transport);
    s->work.data = s->data;
    s->work.test = s->test;
    s->work.policy = &s->file.policy;
    s->work.name = s->file.member.name;
    s->work.federation = s->endpoint.id;
    s->work.ledger = s->ledger;
    s->work.view = &s->endpoint.view;
    s->work.threads = threads;
    s->work.models = s->file.models;
    s->work.work.log = &s->log;
    hr_party_options options = {.view = &s->endpoint.view,
                                .journal = s->journal,
                                .transport = &s->packets.transport,
                                .work = &s->work.work,
                                .schema = s->schema,
                                .coordinators = s->coordinators,
                                .presence = s->presence,
                                .min_owners = s->file.policy.owners,
                                .wants_model = s->file.models != NULL,
                                .lifetime = (int64_t)s->file.policy.days * 86400,
                                .quota = HR_ENDPOINT_QUOTA,
                                .clock = hr_endpoint_clock,
                                .resend = HR_ENDPOINT_RESEND};
    return hr_party_open(&options, &s->party, err);
}

static hr_status open_owner_parts(hr_owner_service *s, const hr_owner_opening *o,
                                  const hr_owner_service *before, hr_error *err) {
    s->arena = hr_arena_new();
    hr_status status = s->arena ? hr_owner_file_read(o->file, s->arena, &s->file, err) : hr_fail_memory(err);
    if (!status) status = hr_owner_file_check(&s->file, o->file, s->arena, err);
    s->log.owner = s->file.member.name;
    if (!status) status = read_records(s, o, err);
    if (!status) status = log_remarks(s, s->data, err);
    if (!status) status = log_remarks(s, s->test, err);
    if (!status) status = open_ledger(s, before, err);
    if (!status && !s->borrows) wait_for_ledger(s);
    if (!status) status = hr_ledger_settle(s->ledger, err); /* a process may have been killed before it did */
    if (!status) status = open_owner_endpoint(s, before, o->loopback, err);
    if (!status) status = hr_endpoint_note_version(&s->endpoint, s->journal, &s->log, err);
    if (!status) status = open_owner_presence(s, err);
    return status ? status : set_ledger_unit(s, err);
}

/* All but the party; `before` is the service that it is to replace, or NULL. */
static hr_status make_service(const hr_owner_opening *o, const hr_owner_service *before,
                              hr_owner_service **out, hr_error *err) {
    hr_owner_service *s = calloc(1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    s->settings = o->settings;
    s->log = (hr_log){.sink = o->settings->log_line, .user = o->settings->user};
    s->begun = hr_endpoint_clock().date;
    hr_owner_work_init(&s->work);
    hr_status status = open_owner_parts(s, o, before, err);
    if (status) hr_owner_service_close(s);
    *out = status ? NULL : s;
    return status;
}

hr_status hr_owner_service_open(const hr_owner_opening *opening, hr_owner_service **out, hr_error *err) {
    hr_owner_service *s = NULL;
    hr_status status = make_service(opening, NULL, &s, err);
    if (status) return status;
    status = open_owner_party(s, err);
    if (status)
        hr_owner_service_close(s);
    else
        *out = s;
    return status;
}

void hr_owner_service_close(hr_owner_service *s) {
    if (!s) return;
    hr_party_close(s->party);
    hr_presence_close(s->presence);
    hr_endpoint_done(&s->endpoint);
    if (!s->borrows) {
        hr_journal_close(s->journal);
        hr_ledger_close(s->ledger);
    }
    hr_data_free(s->read);
    hr_data_free(s->read_test);
    hr_schema_free(s->schema);
    hr_arena_free(s->arena);
    free(s);
}

hr_party *hr_owner_service_party(hr_owner_service *s) {
    return s->party;
}

hr_status hr_owner_service_refuse_shared(const hr_owner_service *a, const hr_owner_service *b,
                                         hr_error *err) {
    const hr_data *const ours[] = {a->data, a->test}, *const theirs[] = {b->data, b->test};
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < 4; i++)
        if (ours[i / 2] && theirs[i % 2]) status = hr_data_refuse_shared(ours[i / 2], theirs[i % 2], err);
    return status;
}

static hr_status write_metrics(hr_owner_service *s, hr_error *err) {
    hr_owner_numbers numbers = {.hello = hr_presence_last_sent(s->presence)};
    const hr_service_metrics metrics = {.name = s->file.member.name,
                                        .packets = &s->packets,
                                        .open = hr_party_jobs(s->party),
                                        .ended = s->work.ended,
                                        .refused = hr_party_refused(s->party),
                                        .begun = s->begun,
                                        .certificate_ends = s->endpoint.validity.ends,
                                        .owner = &numbers};
    if (!s->settings->metrics) return HR_OK;
    s->measured = hr_endpoint_clock().now;
    hr_status status = hr_ledger_sum(s->ledger, &numbers.ledger, err);
    return status ? status : hr_service_metrics_write(&metrics, s->settings->metrics, err);
}

/* A full disk does not end the work. */
static void refresh_metrics(hr_owner_service *s) {
    hr_error err = {0};
    if (write_metrics(s, &err)) hr_log_write(&s->log, HR_LOG_WARNING, NULL, err.message);
}

/* Between two steps, so that no work is lost. */
static bool is_service_over(void *user) {
    hr_owner_service *s = user;
    s->reload = s->settings->should_reload && s->settings->should_reload(s->settings->user);
    if (s->reload) return true;
    hr_endpoint_log_validity(&s->endpoint, &s->log);
    if (hr_endpoint_clock().now - s->measured >= HR_METRICS_PAUSE) refresh_metrics(s);
    size_t ended = 0;
    for (int e = 0; e < HR_JOB_ENDINGS; e++) ended += s->work.ended[e];
    return s->settings->jobs && ended >= s->settings->jobs;
}

/* Takes from the service before what goes on, and closes it. */
static void replace_service(hr_owner_service *s, hr_owner_service *before) {
    memcpy(s->work.ended, before->work.ended, sizeof s->work.ended);
    s->begun = before->begun;
    s->packets = before->packets;
    hr_endpoint_replace(&s->endpoint, &before->endpoint);
    wait_for_ledger(s);
    before->borrows = s->borrows;
    s->borrows = false;
    hr_owner_service_close(before);
}

/* Another file is where the ledger was. */
static bool is_ledger_replaced(const hr_owner_service *s) {
    struct stat there;
    return !stat(s->file.ledger, &there) && !is_same_file(&there, &s->ledger_file);
}

/* Nothing more may be charged to the file that was there before; and SQLite takes the log of one file for
 * that of another of its name. */
static hr_status refuse_replaced_ledger(const hr_owner_service *s, hr_error *err) {
    const hr_status status = hr_fail(
        err, HR_E_POLICY,
        "end all programs that use it, remove the files of its name with -wal and -shm, and start again",
        "another file was put in the place of the ledger while it was in use");
    return hr_fail_at(err, status, s->file.ledger, 0, 0, NULL);
}

/* Continues from the journal with the files as they are now; with the previous ones if they are faulty, or if
 * the broker does not answer with them. */
static hr_status reload(hr_owner_service **service, const hr_owner_opening *opening, hr_error *err) {
    hr_owner_service *s = *service, *made = NULL;
    hr_error why = {0};
    if (is_ledger_replaced(s)) return refuse_replaced_ledger(s, err);
    hr_status status = make_service(opening, s, &made, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status) {
        hr_endpoint_log_not_replaced(&s->log, &why);
        return HR_OK;
    }
    replace_service(made, s);
    *service = made;
    status = open_owner_party(made, err);
    if (!status) hr_log_write(&made->log, HR_LOG_INFO, NULL, "the files were read anew");
    return status;
}

hr_status hr_serve_records(const char *file, const hr_owner_records *records,
                           const hr_party_settings *settings, hr_error *err) {
    hr_owner_service *s = NULL;
    hr_party_settings ours;
    const hr_owner_opening opening = {.file = file, .records = *records, .settings = &ours};
    hr_status status = hr_endpoint_settings(settings, &ours, err);
    if (!status) status = hr_endpoint_present(&ours, err);
    if (!status) status = hr_owner_service_open(&opening, &s, err);
    if (status) return status;
    status = write_metrics(s, err);
    if (!status) hr_log_write(&s->log, HR_LOG_INFO, NULL, "ready for jobs");
    if (!status && ours.ready) ours.ready(ours.user);
    do {
        if (!status && s->reload) status = reload(&s, &opening, err);
        if (!status) status = hr_endpoint_work(s->party, &ours, is_service_over, s, err);
    } while (!status && s->reload);
    if (!status) status = hr_endpoint_drain(s->party, &ours, err);
    hr_presence_leave(s->presence);
    if (s->party) refresh_metrics(s);
    hr_counted_transport_report(&s->packets, &ours);
    hr_owner_service_close(s);
    return status;
}

hr_status hr_serve(const char *file, const hr_party_settings *settings, hr_error *err) {
    const hr_owner_records none = {0};
    return hr_serve_records(file, &none, settings, err);
}
