/* A miner and three owners whose journals and ledgers are files, over a loopback: parties that may die at any moment and come back. What
 * leaves them is read on the way, and kept for the end: nobody may ever say two different things. */
#ifndef HR_TESTS_JOB_LEAGUE_H
#define HR_TESTS_JOB_LEAGUE_H

#include "data/records.h"
#include "job/miner_work.h"
#include "job/owner_work.h"
#include "job/terms.h"
#include "ledger/scratch.h"
#include "ledger/spend.h"
#include "methods/tables.h"
#include "transport/loopback.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { OWNERS = 3, PARTIES = OWNERS + 1, PLACES = OWNERS * 8, RESEND = 100, PATH_ROOM = 160, IDLE_MOST = 4000 };

#define EPSILON .5
#define LIMIT 2.0
#define NEVER (INT64_MAX / 64)

/* A tree or a ballot, over all lives of its owner. Digests are 0 for nothing. */
typedef struct deed {
    int draws;           /* how often she drew noise for it */
    uint64_t made, sent; /* what came of it, and what left her */
    bool none;           /* she has said that there is none */
} deed;

/* Shared with child processes. */
typedef struct diary {
    deed trees[PLACES], ballots[PLACES];
    uint64_t model;
    size_t models;                                    /* how often it was made */
    size_t second_answers, unreserved, second_models; /* what must not be */
    size_t parcels, pieces;
} diary;

typedef struct league league;

typedef struct carrier {
    hr_transport transport;
    hr_transport *inner;
    hr_parcel held; /* received, and not settled */
    struct player *player;
} carrier;

typedef struct player {
    union {
        hr_party_work work; /* first: a worker is a player */
        hr_owner_work owner;
        hr_miner_work miner;
    } as;
    hr_party_work real; /* without the watching */
    league *league;
    size_t index;
    char name[16], path[PATH_ROOM];
    hr_identity *identity;
    hr_party_view view;
    hr_data *records;
    /* Of one life; NULL when she is dead. */
    hr_ledger *ledger;
    hr_journal *journal;
    carrier carrier;
    hr_party *party;
} player;

struct league {
    scratch *scratch;
    char model[PATH_ROOM];
    table table;
    hr_job_file job;
    hr_policy policy;
    hr_roster roster;
    hr_member members[PARTIES];
    bool miners[PARTIES];
    hr_loopback *loopback;
    player players[PARTIES];
    size_t running; /* the index of the player whose step it is */
    int64_t now, date, deadline, lifetime;
    diary *diary;
    char said[8192]; /* by the parties of this process, line by line */
    /* Whether she dies just before, or just after, what she is about to do; NULL: never. */
    bool (*dies)(const player *p, bool after);
    /* Whether she has died in her last step. */
    bool (*died)(const player *p);
};

/* As assert_true, in child processes too. */
static inline void require(bool holds) {
    if (!holds) abort();
}

static inline uint64_t digest_of(const void *bytes, size_t size) {
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return digest | 1;
}

/* ---- What leaves ----------------------------------------------------------------------------------------------------------------- */

static inline void note_sent(league *l, deed *d, const void *bytes, size_t size) {
    uint64_t digest = digest_of(bytes, size);
    if (d->sent && d->sent != digest) l->diary->second_answers++;
    d->sent = digest;
}

static inline void note_forest(league *l, const Hedgerow__Forest *forest) {
    for (size_t i = 0; forest && i < forest->n_places; i++)
        if (forest->places[i]->tree.len)
            note_sent(l, &l->diary->trees[forest->places[i]->place], forest->places[i]->tree.data, forest->places[i]->tree.len);
}

static inline void note_ballot(league *l, size_t from, const Hedgerow__Ballot *ballot) {
    deed *d = &l->diary->ballots[ballot->round * OWNERS + from - 1];
    hr_bytes bytes;
    require(!hr_pack(&ballot->base, &bytes, NULL));
    if (ballot->counted)
        note_sent(l, d, bytes.at, bytes.size);
    else
        d->none = true;
    free(bytes.at);
}

static inline void note_message(league *l, size_t from, const Hedgerow__Message *m) {
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_FOREST: note_forest(l, m->forest); break;
    case HEDGEROW__MESSAGE__KIND_ROUND: note_forest(l, m->round->forest); break;
    case HEDGEROW__MESSAGE__KIND_POLL: note_forest(l, m->poll->forest); break;
    case HEDGEROW__MESSAGE__KIND_BALLOT: note_ballot(l, from, m->ballot); break;
    case HEDGEROW__MESSAGE__KIND_NOTICE:
        if (m->notice->kind == HEDGEROW__NOTICE__KIND__EMPTY) l->diary->trees[m->notice->place].none = true;
        break;
    default: break;
    }
}

/* Reads a parcel as its receiver would. Messages in pieces are counted only. */
static inline void overhear(league *l, const char *to, const void *bytes, size_t size) {
    hr_envelope e;
    ProtobufCMessage *message = NULL;
    size_t receiver = hr_roster_named(&l->roster, to, strlen(to));
    require(!hr_envelope_open(&l->players[receiver].view, bytes, size, &e, NULL));
    l->diary->parcels++;
    l->diary->pieces += e.more;
    if (e.sequence && !l->diary->pieces) {
        require(!hr_unpack(&hedgerow__message__descriptor, e.body.at, e.body.size, &message, NULL));
        note_message(l, e.from, (const Hedgerow__Message *)message);
        hr_unpacked_free(message);
    }
    free(e.body.at);
}

/* ---- A carrier that notices ------------------------------------------------------------------------------------------------------- */

static inline bool dies(const player *p, bool after) {
    return p->league->dies && p->league->dies(p, after);
}

static inline hr_status carrier_send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    carrier *c = (carrier *)self;
    if (dies(c->player, false)) return HR_E_CANCELLED;
    overhear(c->player->league, to, bytes, size);
    hr_status status = c->inner->send(c->inner, to, bytes, size, err);
    return dies(c->player, true) ? HR_E_CANCELLED : status;
}

static inline hr_status carrier_receive(hr_transport *self, int milliseconds, hr_parcel *out, hr_error *err) {
    carrier *c = (carrier *)self;
    *out = (hr_parcel){0};
    if (dies(c->player, false)) return HR_E_CANCELLED;
    hr_status status = c->inner->receive(c->inner, milliseconds, out, err);
    c->held = *out;
    return dies(c->player, true) ? HR_E_CANCELLED : status;
}

static inline void carrier_settle(hr_transport *self, hr_parcel *parcel) {
    carrier *c = (carrier *)self;
    if (dies(c->player, false)) return;
    c->inner->settle(c->inner, parcel);
    c->held = (hr_parcel){0};
    (void)dies(c->player, true);
}

/* What she had not settled is lost on the way: that must not matter either. */
static inline void carrier_close(hr_transport *self) {
    carrier *c = (carrier *)self;
    if (c->inner) c->inner->settle(c->inner, &c->held);
    if (c->inner) c->inner->close(c->inner);
    c->inner = NULL;
}

/* ---- Work that is counted ----------------------------------------------------------------------------------------------------------- */

/* Rule 1: what is drawn now was paid for, on the disk. */
static inline bool is_reserved(const player *p, const hr_party_job *job) {
    hr_ledger_total total;
    bool paid =
        job->record->entry && !hr_ledger_sum(p->ledger, &total, NULL) && total.epsilon_spent > p->league->job.options.epsilon - 1e-11;
    return paid && sqlite3_get_autocommit(hr_ledger_file(p->ledger));
}

typedef hr_status work_call(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err);

static inline hr_status watch_work(player *p, work_call *call, deed *d, const hr_party_job *job, size_t place, hr_bytes *out,
                                   hr_error *err) {
    if (dies(p, false)) return HR_E_CANCELLED;
    if (!is_reserved(p, job)) p->league->diary->unreserved++;
    d->draws++;
    hr_status status = call(&p->as.work, job, place, out, err);
    if (!status) d->made = digest_of(out->at, out->size);
    if (!dies(p, true)) return status;
    free(out->at);
    *out = (hr_bytes){0};
    return HR_E_CANCELLED;
}

static inline hr_status watched_train(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err) {
    player *p = (player *)self;
    return watch_work(p, p->real.train, &p->league->diary->trees[place], job, place, out, err);
}

static inline hr_status watched_vote(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err) {
    player *p = (player *)self;
    return watch_work(p, p->real.vote, &p->league->diary->ballots[place], job, place, out, err);
}

static inline hr_status watched_finish(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    player *p = (player *)self;
    diary *d = p->league->diary;
    if (dies(p, false)) return HR_E_CANCELLED;
    hr_status status = p->real.finish(self, job, err);
    if (!status && !p->index) {
        size_t size = 0;
        char *text = scratch_read(p->league->model, &size);
        uint64_t model = digest_of(text, size);
        if (d->model && d->model != model) d->second_models++;
        d->model = model;
        d->models++;
        free(text);
    }
    return dies(p, true) ? HR_E_CANCELLED : status;
}

static inline void write_down(void *user, const char *line) {
    player *p = user;
    size_t used = strlen(p->league->said);
    snprintf(p->league->said + used, sizeof p->league->said - used, "%s: %s\n", p->name, line);
}

static inline void hire(player *p) {
    league *l = p->league;
    if (p->index) {
        hr_owner_work_init(&p->as.owner);
        p->as.owner.data = p->records;
        p->as.owner.policy = &l->policy;
        p->as.owner.ledger = p->ledger;
        p->as.owner.threads = 1;
        p->as.owner.tell = write_down;
        p->as.owner.user = p;
    } else {
        p->as.miner = (hr_miner_work){.path = l->model, .tell = write_down, .user = p};
        hr_miner_work_init(&p->as.miner);
    }
    p->real = p->as.work;
    p->as.work.train = watched_train;
    p->as.work.vote = watched_vote;
    p->as.work.finish = watched_finish;
}

/* ---- Lives ----------------------------------------------------------------------------------------------------------------------------
 */

static inline hr_status open_files(player *p, hr_error *err) {
    if (!p->index) return hr_journal_open(p->path, &p->journal, err);
    hr_status status = hr_ledger_open(p->path, &p->ledger, err);
    return status ? status : hr_journal_of_ledger(p->ledger, &p->journal, err);
}

/* From her files, with that end of a carrier, which is hers from then on. */
static inline hr_status revive_with(player *p, hr_transport *inner, hr_error *err) {
    league *l = p->league;
    p->carrier = (carrier){{carrier_send, carrier_receive, carrier_settle, carrier_close}, inner, {0}, p};
    hr_status status = open_files(p, err);
    if (status) return status;
    hire(p);
    hr_party_options options = {.view = &p->view,
                                .journal = p->journal,
                                .transport = &p->carrier.transport,
                                .work = &p->as.work,
                                .schema = l->table.schema,
                                .miners = l->miners,
                                .least_owners = 1,
                                .advance = -1e6, /* whatever noise says, the job goes on */
                                .deadline = l->deadline,
                                .lifetime = l->lifetime,
                                .resend = RESEND};
    return hr_party_open(&options, &p->party, err);
}

static inline void revive(player *p) {
    hr_error err = {0};
    hr_transport *end = NULL;
    assert_int_equal(hr_loopback_open(p->league->loopback, p->name, &end, NULL), HR_OK);
    if (revive_with(p, end, &err)) fail_msg("%s: %s", p->name, err.message);
}

/* Only her files are left. */
static inline void end_life(player *p) {
    hr_party_close(p->party);
    if (p->carrier.inner) carrier_close(&p->carrier.transport);
    hr_journal_close(p->journal);
    hr_ledger_close(p->ledger);
    if (!p->index) {
        hr_model_free(p->as.miner.model);
        p->as.miner.model = NULL;
    }
    p->party = NULL;
    p->journal = NULL;
    p->ledger = NULL;
}

/* ---- A league
 * ---------------------------------------------------------------------------------------------------------------------------- */

static inline hr_job_file job_of_league(size_t rounds, hr_order order, bool votes) {
    hr_job_file job = {.rounds = rounds, .order = order, .options = options_of("inprivate", HR_SOUND)};
    job.options.epsilon = EPSILON;
    job.options.depth = 2;
    job.options.edges = HR_EDGES_PUBLIC; /* the fastest */
    job.advance = votes ? .01 : 0;
    job.vote_share = votes ? .2 : 0;
    return job;
}

/* With a vote after each of two rounds. */
static inline hr_job_file job_of_polls(hr_order order) {
    hr_job_file job = job_of_league(2, order, true);
    job.last_places = 1;
    return job;
}

static inline void scratch_in_memory(league *l) {
    l->scratch = calloc(1, sizeof *l->scratch);
    assert_non_null(l->scratch);
    strcpy(l->scratch->folder, access("/dev/shm", W_OK) ? "/tmp/hedgerow-league-XXXXXX" : "/dev/shm/hedgerow-league-XXXXXX");
    assert_non_null(mkdtemp(l->scratch->folder));
}

static inline void open_diary(league *l) {
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/diary", l->scratch->folder);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, sizeof *l->diary), 0);
    l->diary = mmap(NULL, sizeof *l->diary, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(l->diary != MAP_FAILED);
    close(file);
}

static inline hr_data *deal(const table *t, size_t owner) {
    uint32_t *picked = calloc(t->rows + 1, sizeof *picked);
    size_t count = 0;
    assert_non_null(picked);
    for (size_t i = owner; i < t->rows; i += OWNERS) picked[count++] = (uint32_t)i;
    hr_data *records = hr_data_take(t->data, picked, count);
    assert_non_null(records);
    free(picked);
    return records;
}

static inline void join(league *l, size_t index) {
    player *p = &l->players[index];
    p->league = l;
    p->index = index;
    snprintf(p->name, sizeof p->name, index ? "owner-%zu" : "miner", index);
    snprintf(p->path, sizeof p->path, "%s/%s.db", l->scratch->folder, p->name);
    assert_int_equal(hr_identity_make(&p->identity, NULL), HR_OK);
    p->view = (hr_party_view){&l->roster, p->identity, index};
    l->members[index] = (hr_member){p->name, hr_identity_public(p->identity)};
    if (!index) return;
    assert_int_equal(hr_ledger_create(p->path, LIMIT, 0, NULL), HR_OK);
    p->records = deal(&l->table, index - 1);
}

/* Everybody is dead at first. */
static inline void found(league *l, hr_job_file job) {
    static const char *const miners[] = {"miner"}, *const methods[] = {"inprivate"};
    *l = (league){.table = table_of_steps(60, 2, 2, 5), .job = job, .deadline = NEVER, .now = 1000000};
    l->policy = (hr_policy){.miners = {miners, 1}, .methods = {methods, 1}, .epsilon = 1, .owners = 1};
    l->roster = (hr_roster){"league", l->members, PARTIES};
    l->miners[0] = true;
    assert_int_equal(hr_loopback_new(&l->loopback, NULL), HR_OK);
    scratch_in_memory(l);
    open_diary(l);
    snprintf(l->model, sizeof l->model, "%s/model.json", l->scratch->folder);
    for (size_t i = 0; i < PARTIES; i++) join(l, i);
}

static inline void disband(league *l) {
    void *state = l->scratch;
    for (size_t i = 0; i < PARTIES; i++) {
        end_life(&l->players[i]);
        hr_identity_free(l->players[i].identity);
        hr_data_free(l->players[i].records);
    }
    hr_loopback_free(l->loopback);
    munmap(l->diary, sizeof *l->diary);
    table_close(&l->table);
    scratch_close(&state);
}

/* ---- The course of a job
 * ----------------------------------------------------------------------------------------------------------------- */

/* As `hedgerow mine` would, whenever it is started. */
static inline hr_status submit(league *l, hr_error *err) {
    const char *names[OWNERS];
    hr_bytes terms = {0};
    if (l->diary->models) return HR_OK;
    for (size_t i = 0; i < OWNERS; i++) names[i] = l->players[i + 1].name;
    hr_status status = hr_terms_of(&l->job, "job", l->table.schema, names, OWNERS, &terms, err);
    if (!status) status = hr_party_submit(l->players[0].party, (hr_blob){terms.at, terms.size}, l->date, err);
    free(terms.at);
    return status;
}

static inline void come_back(player *p) {
    hr_error err = {0};
    end_life(p);
    revive(p);
    p->league->running = p->index;
    if (p->index || !submit(p->league, &err)) return;
    if (!p->league->died || !p->league->died(p)) fail_msg("%s", err.message);
    come_back(p);
}

static inline bool step(player *p) {
    hr_error err = {0};
    bool busy = false;
    league *l = p->league;
    l->running = p->index;
    hr_status status = hr_party_step(p->party, (hr_clock){l->now, l->date}, 0, &busy, &err);
    if (l->died && l->died(p)) {
        come_back(p);
        return true;
    }
    if (status) fail_msg("%s: %s", p->name, err.message);
    return busy;
}

static inline bool is_quiet(league *l) {
    bool owes = false;
    for (size_t i = 0; i < PARTIES; i++) {
        player *p = &l->players[i];
        if (!p->party) continue;
        if (hr_party_jobs(p->party)) return false;
        assert_int_equal(hr_party_owes(p->party, &owes, NULL), HR_OK);
        if (owes) return false;
    }
    return true;
}

static inline bool take_turns(league *l) {
    bool any = false;
    for (size_t i = 0; i < PARTIES; i++)
        if (l->players[i].party && step(&l->players[i])) any = true;
    return any;
}

/* All who live go on, one step each in turn; when nobody can, time passes. */
static inline void run_until(league *l, bool (*over)(league *l)) {
    for (int idle = 0; idle < IDLE_MOST;) {
        if (take_turns(l)) continue;
        if (over(l)) return;
        l->now += RESEND / 2;
        idle++;
    }
    fail_msg("the job does not end");
}

static inline void begin(league *l) {
    for (size_t i = 1; i < PARTIES; i++) revive(&l->players[i]);
    come_back(&l->players[0]);
}

/* ---- What must hold in the end
 * -------------------------------------------------------------------------------------------------------------- */

static inline void check_number(const player *p, const char *sql, const char *number) {
    const char *answer = scratch_sql(p->path, sql);
    if (strcmp(answer, number)) fail_msg("%s: '%s' gives %s, not %s", p->name, sql, answer, number);
}

static inline void check_journal(const player *p) {
    check_number(p, "SELECT count(*) FROM jobs WHERE NOT over", "0");
    check_number(p, "SELECT count(*) FROM events", "0");
    check_number(p, "SELECT count(*) FROM parcels", "0");
}

/* Every piece of work was drawn once at most, and said to be one thing. Returns how many there are. */
static inline size_t check_deeds(const deed *deeds, size_t from, size_t step_size, size_t end) {
    size_t given = 0;
    for (size_t p = from; p < end; p += step_size) {
        const deed *d = &deeds[p];
        if (d->draws > 1) fail_msg("noise was drawn %d times for place %zu", d->draws, p);
        if (!!d->sent == d->none) fail_msg("place %zu: %s", p, d->none ? "a tree, and word that there is none" : "nothing was ever said");
        if (d->sent) assert_true(d->sent == d->made);
        given += d->sent != 0;
    }
    return given;
}

/* Charged once, and used if anything came of it. */
static inline void check_charge(const player *p, bool used) {
    check_number(p, "SELECT count(*) FROM entries", "1");
    check_number(p, "SELECT epsilon FROM spending", "0.5");
    check_number(p, "SELECT state FROM entries", used ? "committed" : "reserved");
}

static inline size_t trees_in_model(const league *l) {
    size_t size = 0;
    char *text = scratch_read(l->model, &size);
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_model_parse(text, size, "model", &model, &err)) fail_msg("%s", err.message);
    size_t trees = hr_model_tree_count(model);
    hr_model_free(model);
    free(text);
    return trees;
}

/* For jobs in which all owners took part to the end. Returns how many trees and ballots were lost. */
static inline size_t check_end(league *l) {
    size_t places = l->job.rounds * OWNERS, trees = 0, ballots = 0;
    size_t voted = l->job.advance > 0 ? places - (l->job.last_places ? 0 : OWNERS) : 0;
    assert_int_equal(l->diary->second_answers, 0);
    assert_int_equal(l->diary->second_models, 0);
    assert_int_equal(l->diary->unreserved, 0);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l->players[i]);
    for (size_t i = 0; i < OWNERS; i++) {
        size_t given = check_deeds(l->diary->trees, i, OWNERS, places), counted = check_deeds(l->diary->ballots, i, OWNERS, voted);
        check_charge(&l->players[i + 1], given + counted > 0);
        trees += given;
        ballots += counted;
    }
    assert_in_range(trees_in_model(l), trees - l->job.last_places, trees); /* a vote may leave them out */
    return places + voted - trees - ballots;
}

#endif
