#include "support/party_harness.h"

#include "federation/machines/securesum.h"
#include "federation/protocol/sessions.h"
#include "federation/work/receipt_files.h"

/* As assert_true, in child processes too. */
static void require(bool holds) {
    if (!holds) abort();
}

static uint64_t digest_of(const void *bytes, size_t size) {
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return digest | 1;
}

/* ---- What leaves ---- */

static void note_sent(harness *l, work_record *d, const void *bytes, size_t size) {
    uint64_t digest = digest_of(bytes, size);
    if (d->sent && d->sent != digest) l->event_log->second_answers++;
    d->sent = digest;
}

static void note_forest(harness *l, const Hedgerow__Forest *forest) {
    for (size_t i = 0; forest && i < forest->n_slots; i++)
        if (forest->slots[i]->tree.len)
            note_sent(l, &l->event_log->trees[forest->slots[i]->slot], forest->slots[i]->tree.data,
                      forest->slots[i]->tree.len);
}

static void note_ballot(harness *l, size_t from, const Hedgerow__Ballot *ballot) {
    work_record *d = &l->event_log->ballots[ballot->round * OWNERS + from - 1];
    hr_bytes bytes;
    require(!hr_message_pack(&ballot->base, &bytes, NULL));
    if (ballot->counted)
        note_sent(l, d, bytes.at, bytes.size);
    else
        d->none = true;
    free(bytes.at);
}

static bool is_job_of(const harness *l, const char *method) {
    return !l->job.averages && !strcmp(l->job.options.method, method);
}

/* By federation/machines/securesum.h: the coordinator asks questions, and owners answer them. */
static bool asks_questions(const harness *l) {
    return is_job_of(l, "hedge") || (is_job_of(l, "id3") && l->job.options.mode == HR_MODE_SOUND);
}

static void note_answer(harness *l, work_record *d, const ProtobufCMessage *answer) {
    hr_bytes bytes;
    require(!hr_message_pack(answer, &bytes, NULL));
    note_sent(l, d, bytes.at, bytes.size);
    free(bytes.at);
}

static void note_notice(harness *l, size_t from, const Hedgerow__Notice *notice) {
    if (notice->kind != HEDGEROW__NOTICE__KIND__EMPTY) return;
    size_t tree = l->job.averages ? from - 1 : notice->slot;
    require(notice->slot < (asks_questions(l) ? ANSWERS : SLOTS));
    *(asks_questions(l) ? &l->event_log->answers[from - 1].none[notice->slot]
                        : &l->event_log->trees[tree].none) = true;
}

static void note_message(harness *l, size_t from, const Hedgerow__Message *m) {
    answer_record *answers = &l->event_log->answers[from ? from - 1 : 0];
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_FOREST: note_forest(l, m->forest); break;
    case HEDGEROW__MESSAGE__KIND_ROUND: note_forest(l, m->round->forest); break;
    case HEDGEROW__MESSAGE__KIND_POLL: note_forest(l, m->poll->forest); break;
    case HEDGEROW__MESSAGE__KIND_BALLOT: note_ballot(l, from, m->ballot); break;
    case HEDGEROW__MESSAGE__KIND_ANSWER:
        if (m->answer->n_receipts) break;
        l->event_log->mask_keys[from - 1] = digest_of(m->answer->mask_key.data, m->answer->mask_key.len);
        break;
    case HEDGEROW__MESSAGE__KIND_RELEASED:
        note_sent(l, &l->event_log->trees[from - 1], m->released->model.data, m->released->model.len);
        break;
    case HEDGEROW__MESSAGE__KIND_SHARE:
        note_answer(l, &answers->shares[m->share->position], &m->share->base);
        break;
    case HEDGEROW__MESSAGE__KIND_READY:
        note_answer(l, &answers->prepared[m->ready->sum - 1], &m->ready->base);
        break;
    case HEDGEROW__MESSAGE__KIND_CHOICE:
        note_answer(l, &answers->choices[m->choice->turn - 1], &m->choice->base);
        break;
    case HEDGEROW__MESSAGE__KIND_NOTICE: note_notice(l, from, m->notice); break;
    default: break;
    }
}

/* Reads a packet as its receiver would. Messages in pieces are counted only. */
static void record_packet(harness *l, const char *to, const void *bytes, size_t size) {
    hr_envelope e;
    ProtobufCMessage *message = NULL;
    size_t receiver = hr_membership_by_name(&l->membership, to, strlen(to));
    const hr_party_view *view = &l->parties[receiver].view;
    hr_status status = hr_envelope_open(view, bytes, size, &e, NULL);
    if (status && view->membership != &l->membership) return; /* a test gave it another federation file */
    require(!status);
    l->event_log->packets++;
    l->event_log->pieces += e.more;
    if (e.sequence && !l->event_log->pieces) {
        require(!hr_message_unpack(&hedgerow__message__descriptor, e.body.at, e.body.size, &message, NULL));
        note_message(l, e.from, (const Hedgerow__Message *)message);
        hr_message_unpacked_free(message);
    }
    free(e.body.at);
}

/* ---- A transport that is watched ---- */

bool dies(const harness_party *p, bool after) {
    return p->harness->dies && p->harness->dies(p, after);
}

/* What leaves, and what the transport may forget, is on the disk. Of owners. */
static void require_commit(const harness_party *p) {
    require(!p->ledger || sqlite3_get_autocommit(hr_ledger_file(p->ledger)));
}

hr_status watched_send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    watched_transport *c = (watched_transport *)self;
    if (dies(c->party, false)) return HR_E_CANCELLED;
    require_commit(c->party);
    record_packet(c->party->harness, to, bytes, size);
    hr_status status = c->inner->send(c->inner, to, bytes, size, err);
    return dies(c->party, true) ? HR_E_CANCELLED : status;
}

static hr_status watched_receive(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    watched_transport *c = (watched_transport *)self;
    *out = (hr_packet){0};
    if (dies(c->party, false)) return HR_E_CANCELLED;
    if (milliseconds >= 0) require_commit(c->party); /* it may wait for the broker */
    hr_status status = c->inner->receive(c->inner, milliseconds, out, err);
    c->held = *out;
    return dies(c->party, true) ? HR_E_CANCELLED : status;
}

static void watched_settle(hr_transport *self, hr_packet *packet) {
    watched_transport *c = (watched_transport *)self;
    if (dies(c->party, false)) return;
    require_commit(c->party);
    c->inner->settle(c->inner, packet);
    c->held = (hr_packet){0};
    (void)dies(c->party, true);
}

static void watched_refuse(hr_transport *self, hr_packet *packet) {
    ((watched_transport *)self)->party->harness->event_log->refused++;
    watched_settle(self, packet);
}

/* What it had not settled is lost on the way: that must not matter either. */
static void watched_close(hr_transport *self) {
    watched_transport *c = (watched_transport *)self;
    if (c->inner) c->inner->settle(c->inner, &c->held);
    if (c->inner) c->inner->close(c->inner);
    c->inner = NULL;
}

/* ---- Work that is counted ---- */

/* Rule 1: what is drawn now was paid for, on the disk. */
static bool is_reserved(const harness_party *p, const hr_job_view *job) {
    hr_ledger_total total;
    bool paid = job->record->entry && !hr_ledger_sum(p->ledger, &total, NULL) &&
                total.epsilon_spent > p->harness->job.options.epsilon - 1e-11;
    return paid && sqlite3_get_autocommit(hr_ledger_file(p->ledger));
}

static work_record *record_of(const harness_party *p, bool vote, const hr_job_view *job, size_t slot) {
    event_log *events = p->harness->event_log;
    hr_sum_question question;
    size_t tree = p->harness->job.averages ? p->index - 1 : slot; /* of averages each owner has slot 0 */
    if (!asks_questions(p->harness)) return vote ? &events->ballots[slot] : &events->trees[tree];
    require(slot < ANSWERS && hr_securesum_question(job->protocol, slot, &question));
    answer_record *answers = &events->answers[p->index - 1];
    return answers->of[slot] = question.to_prepare ? &answers->prepared[question.position]
                               : question.choice   ? &answers->choices[question.position]
                                                   : &answers->shares[question.position];
}

/* Trains the slot's tree, votes, or answers a question. */
static hr_status watch_work(harness_party *p, bool vote, const hr_job_view *job, size_t slot, hr_bytes *out,
                            hr_error *err) {
    event_log *events = p->harness->event_log;
    if (dies(p, false)) return HR_E_CANCELLED;
    work_record *d = record_of(p, vote, job, slot);
    if (!is_reserved(p, job)) events->unreserved++;
    d->draws++;
    hr_status status = (vote ? p->real.vote : p->real.train)(&p->as.work, job, slot, out, err);
    if (!status) d->made = digest_of(out->at, out->size);
    if (!dies(p, true)) return status;
    free(out->at);
    *out = (hr_bytes){0};
    return HR_E_CANCELLED;
}

static hr_status watched_train(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err) {
    return watch_work((harness_party *)self, false, job, slot, out, err);
}

static hr_status watched_vote(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                              hr_error *err) {
    return watch_work((harness_party *)self, true, job, slot, out, err);
}

static hr_status watched_ask(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    harness_party *p = (harness_party *)self;
    if (dies(p, false)) return HR_E_CANCELLED;
    hr_status status = p->real.next_question(self, job, out, err);
    if (status || !dies(p, true)) return status;
    free(out->at);
    *out = (hr_bytes){0};
    return HR_E_CANCELLED;
}

static hr_status watched_finish(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    harness_party *p = (harness_party *)self;
    event_log *d = p->harness->event_log;
    if (dies(p, false)) return HR_E_CANCELLED;
    hr_status status = p->real.finish(self, job, err);
    if (!status && !p->index) {
        size_t size = 0;
        char *text = read_file(p->harness->model, &size);
        uint64_t model = digest_of(text, size);
        if (d->model && d->model != model) d->second_models++;
        d->model = model;
        d->models++;
        free(text);
    }
    return dies(p, true) ? HR_E_CANCELLED : status;
}

static void keep_line(void *user, const hr_log_line *line) {
    harness_party *p = user;
    size_t used = strlen(p->harness->said);
    snprintf(p->harness->said + used, sizeof p->harness->said - used, "%s: %s\n", p->name, line->text);
}

static void set_work(harness_party *p) {
    harness *l = p->harness;
    if (p->index) {
        hr_owner_work_init(&p->as.owner);
        p->as.owner.data = p->records;
        p->as.owner.policy = &l->policy;
        p->as.owner.federation = l->federations[p->index];
        p->as.owner.ledger = p->ledger;
        p->as.owner.view = &p->view;
        p->as.owner.threads = 1;
    } else {
        p->as.coordinator = (hr_coordinator_work){.path = l->model, .receipts = l->receipts, .user = p};
        hr_coordinator_work_init(&p->as.coordinator);
    }
    p->log = (hr_log){.sink = keep_line, .user = p};
    p->as.work.log = &p->log;
    p->real = p->as.work;
    p->as.work.train = watched_train;
    p->as.work.vote = watched_vote;
    if (p->as.work.next_question) p->as.work.next_question = watched_ask;
    p->as.work.finish = watched_finish;
}

/* ---- Lives ---- */

static hr_status open_files(harness_party *p, hr_error *err) {
    if (!p->index) return hr_journal_open(p->path, &p->journal, err);
    hr_status status = hr_ledger_open(p->path, &p->ledger, err);
    return status ? status : hr_journal_of_ledger(p->ledger, &p->journal, err);
}

hr_status party_start_with(harness_party *p, hr_transport *inner, hr_error *err) {
    static const bool nobody[PARTIES];
    harness *l = p->harness;
    p->watched = (watched_transport){.transport = {.send = watched_send,
                                                   .receive = watched_receive,
                                                   .settle = watched_settle,
                                                   .refuse = watched_refuse,
                                                   .close = watched_close},
                                     .inner = inner,
                                     .party = p};
    hr_status status = open_files(p, err);
    if (!status) status = hr_sessions_new(p->view.membership->count, &p->view.sessions, err);
    if (status) return status;
    set_work(p);
    hr_party_options options = {.view = &p->view,
                                .journal = p->journal,
                                .transport = &p->watched.transport,
                                .work = &p->as.work,
                                .schema = l->table.schema,
                                .coordinators = !p->index                    ? NULL
                                                : l->serves_nobody[p->index] ? nobody
                                                                             : l->coordinators,
                                .min_owners = l->policy.owners,
                                .round_gain = -1e6, /* whatever noise says, the job goes on */
                                .deadline = l->deadline,
                                .lifetime = l->lifetime,
                                .quota = l->quota,
                                .clock = l->clock,
                                .resend = RESEND};
    return hr_party_open(&options, &p->party, err);
}

void party_start(harness_party *p) {
    hr_error err = {0};
    hr_transport *end = NULL;
    assert_int_equal(hr_loopback_open(p->harness->loopback, p->name, &end, NULL), HR_OK);
    if (party_start_with(p, end, &err)) fail_msg("%s: %s", p->name, err.message);
}

void party_stop(harness_party *p) {
    hr_party_close(p->party);
    hr_sessions_free(p->view.sessions);
    p->view.sessions = NULL;
    if (p->watched.inner) watched_close(&p->watched.transport);
    hr_journal_close(p->journal);
    hr_ledger_close(p->ledger);
    if (!p->index) {
        hr_model_free(p->as.coordinator.result.model);
        p->as.coordinator.result.model = NULL;
    }
    p->party = NULL;
    p->journal = NULL;
    p->ledger = NULL;
}

/* ---- A harness ---- */

hr_job_file harness_job(size_t rounds, hr_order order, bool votes) {
    hr_job_file job = {.rounds = rounds, .order = order, .options = options_of("inprivate", HR_MODE_SOUND)};
    job.options.epsilon = EPSILON;
    job.options.depth = 2;
    job.options.edges = HR_EDGES_PUBLIC; /* the fastest */
    job.round_gain = votes ? .01 : 0;
    job.vote_share = votes ? .2 : 0;
    return job;
}

hr_job_file harness_job_with_votes(hr_order order) {
    hr_job_file job = harness_job(2, order, true);
    job.last_slots = 1;
    return job;
}

hr_job_file harness_hedge_job(void) {
    hr_job_file job = {.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND)};
    job.options.epsilon = EPSILON;
    job.options.delta = 0;
    job.options.bins = 8;
    return job;
}

hr_job_file harness_id3_job(int depth) {
    hr_job_file job = {.rounds = 1, .options = options_of("id3", HR_MODE_SOUND)};
    job.options.epsilon = EPSILON;
    job.options.delta = 0;
    job.options.depth = depth;
    job.options.bins = 4;
    return job;
}

hr_job_file harness_job_of_averages(void) {
    hr_job_file job = {.rounds = 1, .averages = true, .options = options_of("dpboost", HR_MODE_SOUND)};
    job.options.epsilon = EPSILON;
    job.options.depth = 2;
    job.options.trees = 1;
    job.options.edges = HR_EDGES_PUBLIC;
    return job;
}

static void open_event_log(harness *l) {
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/event_log", l->temp_dir->folder);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, sizeof *l->event_log), 0);
    l->event_log = mmap(NULL, sizeof *l->event_log, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(l->event_log != MAP_FAILED);
    close(file);
}

static hr_data *deal(const table *t, size_t owner) {
    uint32_t *picked = calloc(t->rows + 1, sizeof *picked);
    size_t count = 0;
    assert_non_null(picked);
    for (size_t i = owner; i < t->rows; i += OWNERS) picked[count++] = (uint32_t)i;
    hr_data *records = hr_data_take(t->data, picked, count);
    assert_non_null(records);
    free(picked);
    return records;
}

static void add_party(harness *l, size_t index) {
    harness_party *p = &l->parties[index];
    p->harness = l;
    p->index = index;
    snprintf(p->name, sizeof p->name, index ? "owner-%zu" : "coordinator", index);
    snprintf(p->path, sizeof p->path, "%s/%s.db", l->temp_dir->folder, p->name);
    assert_int_equal(hr_identity_make(&p->identity, NULL), HR_OK);
    p->view = (hr_party_view){.membership = &l->membership, .identity = p->identity, .self = index};
    l->members[index] = (hr_member){.name = p->name, .key = hr_identity_public(p->identity)};
    if (!index) return;
    assert_int_equal(hr_ledger_create(p->path, LIMIT, 0, NULL), HR_OK);
    p->records = deal(&l->table, index - 1);
}

void harness_open(harness *l, hr_job_file job) {
    static const char *const coordinators[] = {"coordinator"};
    static const char *const methods[] = {"inprivate", "hedge", "id3", HR_METHOD_AVERAGE};
    *l = (harness){.table = table_of_steps(60, 2, 2, 5), .job = job, .deadline = NEVER, .now = 1000000};
    l->policy = (hr_policy){
        .coordinators = {coordinators, 1}, .methods = {methods, COUNT(methods)}, .epsilon = 1, .owners = 1};
    l->membership = (hr_membership){"test", l->members, PARTIES};
    l->coordinators[0] = true;
    assert_int_equal(hr_loopback_new(&l->loopback, NULL), HR_OK);
    assert_int_equal(temp_dir_open_in_memory((void **)&l->temp_dir), 0);
    open_event_log(l);
    snprintf(l->model, sizeof l->model, "%s/model.json", l->temp_dir->folder);
    snprintf(l->receipts, sizeof l->receipts, "%s/receipts", l->temp_dir->folder);
    for (size_t i = 0; i < PARTIES; i++) add_party(l, i);
}

void harness_close(harness *l) {
    void *state = l->temp_dir;
    for (size_t i = 0; i < PARTIES; i++) {
        party_stop(&l->parties[i]);
        hr_identity_free(l->parties[i].identity);
        hr_data_free(l->parties[i].records);
    }
    hr_loopback_free(l->loopback);
    munmap(l->event_log, sizeof *l->event_log);
    table_close(&l->table);
    temp_dir_close(&state);
}

/* ---- The job state of a job ---- */

hr_status harness_submit(harness *l, hr_error *err) {
    const char *names[OWNERS];
    hr_bytes terms = {0};
    if (l->event_log->models) return HR_OK;
    for (size_t i = 0; i < OWNERS; i++) names[i] = l->parties[i + 1].name;
    hr_status status = hr_terms_of(&l->job, "job", l->table.schema, &(hr_names){names, OWNERS}, &terms, err);
    if (!status) status = hr_receipt_files_show(l->receipts, &terms, err);
    const hr_new_job job = {.terms = {terms.at, terms.size}, .date = l->date};
    if (!status && !hr_party_jobs(l->parties[0].party))
        status = hr_party_submit(l->parties[0].party, &job, err);
    free(terms.at);
    return status;
}

void party_restart(harness_party *p) {
    hr_error err = {0};
    party_stop(p);
    party_start(p);
    p->harness->running = p->index;
    if (p->index || !harness_submit(p->harness, &err)) return;
    if (!p->harness->died || !p->harness->died(p)) fail_msg("%s", err.message);
    party_restart(p);
}

bool party_step(harness_party *p) {
    hr_error err = {0};
    bool busy = false;
    harness *l = p->harness;
    l->running = p->index;
    hr_status status = hr_party_step(p->party, (hr_clock){l->now, l->date}, 0, &busy, &err);
    if (l->died && l->died(p)) {
        party_restart(p);
        return true;
    }
    if (status) fail_msg("%s: %s", p->name, err.message);
    return busy;
}

bool harness_is_idle(harness *l) {
    bool owes = false;
    for (size_t i = 0; i < PARTIES; i++) {
        harness_party *p = &l->parties[i];
        if (!p->party) continue;
        if (hr_party_jobs(p->party)) return false;
        assert_int_equal(hr_party_owes(p->party, &owes, NULL), HR_OK);
        if (owes) return false;
    }
    return true;
}

bool harness_step(harness *l) {
    bool any = false;
    for (size_t i = 0; i < PARTIES; i++)
        if (l->parties[i].party && party_step(&l->parties[i])) any = true;
    return any;
}

void harness_run_until(harness *l, bool (*over)(harness *l)) {
    for (int idle = 0; idle < IDLE_MAX;) {
        if (harness_step(l)) continue;
        if (over(l)) return;
        l->now += RESEND / 2;
        idle++;
    }
    fail_msg("the job does not end");
}

void harness_start(harness *l) {
    for (size_t i = 1; i < PARTIES; i++) party_start(&l->parties[i]);
    party_restart(&l->parties[0]);
}

/* ---- What must hold in the end ---- */

void check_query(const harness_party *p, const char *sql, const char *number) {
    const char *answer = query_database(p->path, sql);
    if (strcmp(answer, number)) fail_msg("%s: '%s' gives %s, not %s", p->name, sql, answer, number);
}

void check_journal(const harness_party *p) {
    check_query(p, "SELECT count(*) FROM jobs WHERE NOT over", "0");
    check_query(p, "SELECT count(*) FROM events", "0");
    check_query(p, "SELECT count(*) FROM packets", "0");
}

/* Every piece of work was drawn once at most, and said to be one thing. Returns how many there are. */
static size_t check_works(const work_record *works, size_t from, size_t step_size, size_t end) {
    size_t given = 0;
    for (size_t p = from; p < end; p += step_size) {
        const work_record *d = &works[p];
        if (d->draws > 1) fail_msg("noise was drawn %d times for slot %zu", d->draws, p);
        if (!!d->sent == d->none)
            fail_msg("slot %zu: %s", p,
                     d->none ? "a tree, and word that there is none" : "nothing was ever said");
        if (d->sent) assert_true(d->sent == d->made);
        given += d->sent != 0;
    }
    return given;
}

typedef struct stored_receipt {
    size_t count;
    bool as_signed; /* the file has the bytes that the ledger holds */
    const char *ledger;
} stored_receipt;

static hr_status compare_receipt(void *user, const hr_receipt_file *file) {
    stored_receipt *stored = user;
    const char *held = query_database(stored->ledger, "SELECT lower(hex(bytes)) FROM receipts");
    stored->as_signed = strlen(held) == 2 * file->bytes.size;
    for (size_t i = 0; stored->as_signed && i < file->bytes.size; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", file->bytes.at[i]);
        stored->as_signed = !memcmp(digits, held + 2 * i, 2);
    }
    stored->count++;
    return HR_OK;
}

/* The entry has one receipt, which the coordinator has before anything that the entry paid for. */
static void check_receipt(const harness_party *p, bool used) {
    char folder[2 * PATH_ROOM];
    stored_receipt stored = {.ledger = p->path};
    hr_error err = {0};
    check_query(p, "SELECT count(*) FROM receipts JOIN entries ON entries.id = entry WHERE number = 1", "1");
    snprintf(folder, sizeof folder, "%s/%s", p->harness->receipts, p->name);
    if (!used) return;
    if (hr_receipt_files_each(folder, compare_receipt, &stored, &err)) fail_msg("%s", err.message);
    assert_int_equal(stored.count, 1);
    assert_true(stored.as_signed);
}

/* Charged once, and used if anything came of it. */
static void check_charge(const harness_party *p, bool used) {
    check_receipt(p, used);
    check_query(p, "SELECT count(*) FROM entries", "1");
    check_query(p, "SELECT epsilon FROM spending", "0.5");
    check_query(p, "SELECT state FROM entries", used ? "committed" : "reserved");
}

/* A model whose account exceeds its guarantee is not read. */
static hr_model *read_model(const harness *l) {
    size_t size = 0;
    char *text = read_file(l->model, &size);
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_model_parse(text, size, "model", &model, &err)) fail_msg("%s", err.message);
    free(text);
    return model;
}

size_t trees_in_model(const harness *l) {
    hr_model *model = read_model(l);
    size_t trees = hr_model_tree_count(model);
    hr_model_free(model);
    return trees;
}

/* ---- hedge and id3 ---- */

/* Drawn for once at most, and sent as it was drawn, or said to be lost. Returns how many left the owner. */
static size_t check_answers(const answer_record *answers, size_t *lost) {
    size_t given = 0;
    for (size_t q = 0; q < ANSWERS; q++) {
        const work_record *d = answers->of[q];
        *lost += answers->none[q];
        if (!d) continue;
        if (d->draws > 1) fail_msg("noise was drawn %d times for question %zu", d->draws, q);
        if (d->sent && answers->none[q]) fail_msg("question %zu: an answer, and word that there is none", q);
        if (d->sent) assert_true(d->sent == d->made);
        given += d->sent != 0;
    }
    for (size_t p = 0; p < ANSWERS; p++) /* nothing is sent that was not drawn */
        assert_true(answers->shares[p].draws >= !!answers->shares[p].sent &&
                    answers->choices[p].draws >= !!answers->choices[p].sent);
    return given;
}

static size_t count_lines(const hr_model *model, const char *what) {
    hr_release_info line;
    size_t lines = 0;
    for (size_t i = 0; hr_model_release_at(model, i, &line); i++) lines += !strcmp(line.what, what);
    return lines;
}

/* The account of the model lists what was asked for, answered or lost; a tree was answered. */
static void check_account(const harness *l, size_t lost) {
    hr_model *model = read_model(l);
    size_t trees = hr_model_tree_count(model), leaves = count_lines(model, "leaf count"), choices = 0;
    for (size_t o = 0; o < OWNERS; o++)
        for (size_t p = 0; p < ANSWERS; p++) choices += l->event_log->answers[o].choices[p].sent != 0;
    assert_in_range(leaves, trees, trees + lost);
    assert_int_equal(count_lines(model, "leaf sum"), leaves);
    assert_in_range(count_lines(model, "choice of tree"), choices, choices + lost);
    hr_model_free(model);
}

/* The tree of id3 has as many nodes as noise allows; a lost level leaves it as it was. */
static void check_questions_model(const harness *l, size_t lost) {
    if (is_job_of(l, "id3"))
        assert_int_equal(trees_in_model(l), 1);
    else
        check_account(l, lost);
}

static size_t check_questions_end(const harness *l) {
    size_t lost = 0;
    for (size_t i = 0; i < OWNERS; i++) {
        size_t given = check_answers(&l->event_log->answers[i], &lost);
        check_charge(&l->parties[i + 1], given > 0);
    }
    if (l->event_log->models || lost < 3) check_questions_model(l, lost);
    return lost;
}

size_t check_end(harness *l) {
    size_t slots = l->job.rounds * OWNERS, trees = 0, ballots = 0;
    size_t voted = l->job.round_gain > 0 ? slots - (l->job.last_slots ? 0 : OWNERS) : 0;
    assert_int_equal(l->event_log->second_answers, 0);
    assert_int_equal(l->event_log->second_models, 0);
    assert_int_equal(l->event_log->unreserved, 0);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->parties[i]);
    if (asks_questions(l)) return check_questions_end(l);
    for (size_t i = 0; i < OWNERS; i++) {
        size_t given = check_works(l->event_log->trees, i, OWNERS, slots),
               counted = check_works(l->event_log->ballots, i, OWNERS, voted);
        check_charge(&l->parties[i + 1], given + counted > 0);
        trees += given;
        ballots += counted;
    }
    assert_in_range(trees_in_model(l), trees - l->job.last_slots, trees); /* a vote may leave them out */
    return slots + voted - trees - ballots;
}
