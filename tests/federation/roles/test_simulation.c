/* A federation in one process, from the offer to the model. */
#include "federation/federated/rounds.h"
#include "federation/machines/inprivate.h"
#include "support/federation.h"
#include "tables/data/records.h"
#include "trees/stats/round_gain.h"

enum { THREADS = 4 };

static hr_job_file job_of(hr_mode mode, size_t rounds, hr_order order) {
    hr_job_file job = {
        .rounds = rounds, .order = order, .vote_share = .2, .options = options_of("inprivate", mode)};
    job.options.epsilon = 2;
    job.options.depth = 3;
    return job;
}

static void open_federation(federation *f, size_t rows, size_t owners, size_t classes, hr_job_file job) {
    federation_open(f, table_of_steps(rows, 3, classes, 5), owners, job, THREADS);
}

static double error_of(const federation *f, const hr_model *model) {
    hr_metrics metrics;
    assert_int_equal(hr_evaluate(model, f->table.data, 1, &metrics, NULL), HR_OK);
    return f->table.schema && hr_schema_task(f->table.schema) == HR_TASK_REGRESSION ? metrics.rmse
                                                                                    : metrics.error;
}

/* Of classes: the share of the rarer one; of numbers: the labels' standard deviation. */
static double error_of_constant(const federation *f) {
    double sum = 0, squares = 0, rows = (double)f->table.rows;
    for (size_t i = 0; i < f->table.rows; i++) {
        sum += f->table.labels[i];
        squares += f->table.labels[i] * f->table.labels[i];
    }
    bool numbers = hr_schema_task(f->table.schema) == HR_TASK_REGRESSION;
    return numbers ? sqrt(squares / rows - sum / rows * sum / rows) : fmin(sum, rows - sum) / rows;
}

static void check_model(federation *f, size_t trees, double epsilon) {
    const hr_model *model = federation_run(f);
    char *json = NULL;
    hr_model *again = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_tree_count(model), trees);
    assert_true(hr_model_guarantee(model)->is_private);
    assert_true(hr_model_guarantee(model)->epsilon >= epsilon &&
                hr_model_guarantee(model)->epsilon < epsilon + 1e-11);
    assert_string_equal(hr_model_guarantee(model)->unit, "one record of any owner");
    assert_int_equal(hr_model_render(model, &json, &err), HR_OK);
    if (hr_model_parse(json, strlen(json), "again", &again, &err)) fail_msg("%s", err.message);
    hr_model_free(again);
    hr_text_free(json);
}

static void test_simulation__gives_a_tree_an_owner_and_round(void **state) {
    (void)state;
    for (size_t rounds = 1; rounds <= 3; rounds++)
        for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
            federation f;
            open_federation(&f, 600, 4, 2, job_of(HR_MODE_SOUND, rounds, (hr_order)order));
            check_model(&f, 4 * rounds, 2);
            federation_close(&f);
        }
}

/* With so much budget that noise plays no part, steps of two classes and of numbers are learned. Rounds of
 * numbers, whose members coins choose, differ by much: they have one. Of 600 runs the mean error is 22
 * standard deviations below the bound, and more. */
static void test_simulation__learns(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        federation f;
        hr_job_file job = job_of(HR_MODE_SOUND, classes ? 2 : 1, HR_ORDER_CHAIN);
        job.options.epsilon = 1000;
        open_federation(&f, 2000, 5, classes, job);
        double error = error_of(&f, federation_run(&f)), constant = error_of_constant(&f);
        if (!(error < constant / 2)) fail_msg("%zu classes: %g, a constant %g", classes, error, constant);
        federation_close(&f);
    }
}

static void test_simulation__works_with_one_owner_and_with_owners_without_records(void **state) {
    (void)state;
    federation f;
    open_federation(&f, 40, 1, 2, job_of(HR_MODE_SOUND, 2, HR_ORDER_CHAIN));
    check_model(&f, 2, 2);
    federation_close(&f);
    open_federation(&f, 3, 8, 2, job_of(HR_MODE_SOUND, 1, HR_ORDER_BROADCAST)); /* five owners have none */
    check_model(&f, 8, 2);
    federation_close(&f);
}

/* What an owner lists is the same, whether it has records or not: a tree of every round, and a vote on each.
 */
static void test_simulation__lists_as_much_of_an_owner_without_records(void **state) {
    (void)state;
    for (size_t rows = 0; rows <= 1; rows++) {
        federation f;
        hr_job_file job = job_of(HR_MODE_SOUND, 2, HR_ORDER_CHAIN);
        double most = 0;
        job.options.edges = HR_EDGES_PRIVATE;
        job.last_slots = 1;
        open_federation(&f, rows, 3, 2, job);
        const hr_model *model = federation_run(&f);
        double costs[6] = {0};
        for (size_t r = 0; r < model->release_count; r++)
            costs[model->releases[r].part] += hr_units_value(model->releases[r].cost);
        for (size_t slot = 0; slot < 6; slot++) most = fmax(most, costs[slot]);
        for (size_t slot = 3; slot < 6; slot++) assert_true(costs[slot] == most && most > 1.99);
        federation_close(&f);
    }
}

/* Votes cost what they say, and a round gain that cannot be reached ends the job after one round. */
static void test_simulation__votes_end_the_job(void **state) {
    (void)state;
    for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
        federation f;
        hr_job_file job = job_of(HR_MODE_SOUND, 4, (hr_order)order);
        job.round_gain = 1.5;
        open_federation(&f, 4000, 3, 2, job);
        check_model(&f, 3, 2);
        const hr_model *model = f.simulation.parties[0].as.coordinator.result.model;
        size_t votes = 0;
        for (size_t r = 0; r < model->release_count; r++)
            votes += !strcmp(model->releases[r].what, "gain of a round");
        assert_int_equal(votes, 3);
        federation_close(&f);
    }
}

static void test_simulation__votes_carry_the_job_on(void **state) {
    (void)state;
    federation f;
    hr_job_file job = job_of(HR_MODE_SOUND, 2, HR_ORDER_CHAIN);
    job.options.epsilon = 1000;
    job.round_gain = .01; /* the first round of steps wins far more */
    open_federation(&f, 2000, 3, 2, job);
    assert_int_equal(hr_model_tree_count(federation_run(&f)), 6);
    federation_close(&f);
}

/* Of five owners the last has labels that are turned round. They are numbers, so that its tree does harm for
 * certain: what it adds to a score shows in the gain at once, and not only where it turns a prediction. */
static void test_simulation__leaves_out_last_trees_that_do_harm(void **state) {
    (void)state;
    federation f;
    hr_job_file job = job_of(HR_MODE_SOUND, 1, HR_ORDER_CHAIN);
    job.options.epsilon = 1000;
    job.last_slots = 2;
    open_federation(&f, 4000, 5, 0, job);
    double *labels = (double *)hr_data_labels(f.owners[4]);
    for (size_t i = 0; i < hr_data_rows(f.owners[4]); i++) labels[i] = -labels[i];
    const hr_model *model = federation_run(&f);
    assert_in_range(hr_model_tree_count(model), 3, 4);
    assert_true(hr_model_guarantee(model)->epsilon <= 1000);
    federation_close(&f);
}

static void test_simulation__says_that_paper_mode_is_not_private(void **state) {
    (void)state;
    federation f;
    open_federation(&f, 600, 3, 2, job_of(HR_MODE_PAPER, 1, HR_ORDER_CHAIN));
    const hr_model *model = federation_run(&f);
    assert_false(hr_model_guarantee(model)->is_private);
    assert_non_null(strstr(hr_model_guarantee(model)->statement, "NOT DIFFERENTIALLY PRIVATE"));
    federation_close(&f);
}

/* ---- What owners prepare ---- */

static hr_status (*train)(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                          hr_error *err);
static size_t prepared,
    unprepared; /* trees that were in the scores when it was an owner's turn, and that were not */

/* Trains; and compares the scores that were added up tree by tree with those of a single pass over all trees.
 */
static hr_status train_and_compare(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                   hr_error *err) {
    const hr_owner_work *work = (const hr_owner_work *)self;
    const hr_job_state *job_state = hr_inprivate_owner_course(job->protocol);
    const hr_round_records *kept = *job->state;
    hr_round_records *fresh = NULL;
    for (size_t p = 0; p < slot; p++) *(kept && kept->added[p] ? &prepared : &unprepared) += 1;
    hr_status status = train(self, job, slot, out, err);
    kept = *job->state;
    assert_non_null(kept);
    assert_int_equal(kept->round, slot / job_state->owner_count);
    assert_int_equal(hr_round_records_make(work->data, job->record->key, job_state, kept->round, &fresh, err),
                     HR_OK);
    hr_round_records_add(fresh, job_state, slot);
    assert_int_equal(hr_data_rows(kept->records), hr_data_rows(fresh->records));
    for (size_t i = 0; i < hr_data_rows(fresh->records); i++)
        assert_true(fabs(kept->scores[i] - fresh->scores[i]) < 1e-9);
    hr_round_records_free(fresh);
    return status;
}

/* The other way round, so that nobody gets two trees at a time. */
static void run_backwards(hr_simulation *s) {
    bool any = true;
    hr_error err = {0};
    assert_int_equal(hr_simulation_submit(s, &err), HR_OK);
    while (any) {
        any = false;
        for (size_t i = s->owner_count + 1; i-- > 0;)
            for (bool busy = true; busy; any = any || busy)
                if (hr_party_step(s->parties[i].party, (hr_clock){0}, 0, &busy, &err))
                    fail_msg("%s", err.message);
    }
    assert_non_null(s->parties[0].as.coordinator.result.model);
}

static void run_compared(size_t rounds, hr_order order, double round_gain) {
    federation f;
    hr_job_file job = job_of(HR_MODE_SOUND, rounds, order);
    job.round_gain = round_gain;
    open_federation(&f, 2000, 5, 2, job);
    prepared = unprepared = 0;
    for (size_t i = 1; i <= 5; i++) {
        hr_party_work *work = &f.simulation.parties[i].as.work;
        train = work->train;
        work->train = train_and_compare;
    }
    run_backwards(&f.simulation);
    for (size_t i = 1; i <= 5; i++) assert_int_equal(hr_party_jobs(f.simulation.parties[i].party), 0);
    federation_close(&f);
}

/* Section VI-C: when its turn comes, only the last tree is left. */
static void test_simulation__owners_prepare_trees_as_they_come(void **state) {
    (void)state;
    run_compared(1, HR_ORDER_BROADCAST, 0);
    assert_int_equal(prepared, 0 + 0 + 1 + 2 + 3);
    assert_int_equal(unprepared, 4);
}

/* Rounds have records of their own, and so have votes. */
static void test_simulation__prepared_scores_are_those_of_the_round(void **state) {
    (void)state;
    for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
        run_compared(3, (hr_order)order, 0);
        assert_int_equal(prepared + unprepared, 15 * 14 / 2);
        assert_true(prepared > 15 * 14 / 2 / 3);
        run_compared(2, (hr_order)order, 1e-9);
    }
}

/* ---- What owners vote on ---- */

static hr_status (*vote)(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                         hr_error *err);
static size_t gains, tails; /* numbers of ballots that were compared */

/* What the slots from `from` to before `to` gained for an owner's records of a round, by scores that are
 * computed for this alone. */
static hr_exact gain_of(const hr_owner_work *work, const hr_job_view *job, size_t round, size_t from,
                        size_t to, hr_exact *count) {
    const hr_job_state *job_state = hr_inprivate_owner_course(job->protocol);
    const uint8_t *key = job->record->key;
    hr_round_records *before = NULL, *after = NULL;
    hr_exact gain;
    assert_int_equal(hr_round_records_make(work->data, key, job_state, round, &before, NULL), HR_OK);
    assert_int_equal(hr_round_records_make(work->data, key, job_state, round, &after, NULL), HR_OK);
    hr_round_records_add(before, job_state, from);
    hr_round_records_add(after, job_state, to);
    hr_round_gain_sums(after->records, before->scores, after->scores, &gain, count);
    hr_round_records_free(before);
    hr_round_records_free(after);
    return gain;
}

/* What a ballot says, to which a hundredth of a record may have been added. */
static void assert_near(int64_t noisy, hr_exact exact) {
    assert_true(llabs(noisy - exact.unpaid) <= HR_BALLOT_UNIT / 100);
}

/* A record moves each of a release's sums by one unit at most, so all of them by as many units as there are
 * sums. */
static void check_sensitivity(const Hedgerow__Ballot *ballot) {
    size_t sums = ballot->n_tails ? ballot->n_tails : 1;
    for (size_t r = 0; r < ballot->n_releases; r++) {
        assert_int_equal(ballot->releases[r]->draws, sums);
        assert_int_equal(ballot->releases[r]->sensitivity, sums * HR_BALLOT_UNIT);
    }
}

/* Votes; and compares what the ballot says with the exact sums. */
static hr_status vote_and_compare(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                  hr_error *err) {
    const hr_owner_work *work = (const hr_owner_work *)self;
    ProtobufCMessage *unpacked = NULL;
    size_t owners = hr_inprivate_owner_course(job->protocol)->owner_count, round = slot / owners,
           end = (round + 1) * owners;
    hr_exact count;
    assert_int_equal(vote(self, job, slot, out, err), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__ballot__descriptor, out->at, out->size, &unpacked, NULL),
                     HR_OK);
    const Hedgerow__Ballot *ballot = (const Hedgerow__Ballot *)unpacked;
    check_sensitivity(ballot);
    for (size_t t = 0; t < ballot->n_tails; t++, tails++)
        assert_near(ballot->tails[t], gain_of(work, job, round, end - t - 1, end, &count));
    if (!ballot->n_tails) {
        assert_near(ballot->gain, gain_of(work, job, round, round * owners, end, &count));
        assert_near(ballot->records, count);
        gains++;
    }
    hr_message_unpacked_free(unpacked);
    return HR_OK;
}

/* Noise of a scale of 3 x 1024 / 8000 units at the most is one of more than 10 units once in 10^11. */
static void test_simulation__votes_are_what_trees_gained(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        federation f;
        hr_job_file job = job_of(HR_MODE_SOUND, 2, HR_ORDER_BROADCAST);
        job.options.epsilon = 1e4;
        job.vote_share = .8;
        job.round_gain = 1e-9;
        job.last_slots = 3;
        gains = tails = 0;
        open_federation(&f, 2000, 5, classes, job);
        for (size_t i = 1; i <= 5; i++) {
            hr_party_work *work = &f.simulation.parties[i].as.work;
            vote = work->vote;
            work->vote = vote_and_compare;
        }
        run_backwards(&f.simulation);
        assert_int_equal(gains, 5);
        assert_int_equal(tails, 3 * 5);
        federation_close(&f);
    }
}

/* ---- What owners list ---- */

static size_t listed;  /* lines that are left in the list of a tree */
static hr_units total; /* what its costs are made to add up to; 0: they stay */

static void tell_cost(Hedgerow__Tree *tree) {
    tree->n_releases = listed < tree->n_releases ? listed : tree->n_releases;
    if (!total) return;
    hr_units others = 0;
    for (size_t i = 1; i < tree->n_releases; i++) others += tree->releases[i]->cost;
    tree->releases[0]->cost = total - others;
}

/* Trains; and tells another cost than what was spent. */
static hr_status train_and_tell(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    assert_int_equal(train(self, job, slot, out, err), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__tree__descriptor, out->at, out->size, &unpacked, NULL),
                     HR_OK);
    Hedgerow__Tree *tree = (Hedgerow__Tree *)unpacked;
    size_t count = tree->n_releases;
    tell_cost(tree);
    free(out->at);
    assert_int_equal(hr_message_pack(&tree->base, out, NULL), HR_OK);
    tree->n_releases = count;
    hr_message_unpacked_free(unpacked);
    return HR_OK;
}

/* The guarantee of a job whose three owners tell that of their trees. */
static hr_guarantee guarantee_when_told(size_t lines, hr_units cost, double vote_share) {
    federation f;
    hr_job_file job = job_of(HR_MODE_SOUND, 1, HR_ORDER_CHAIN);
    job.options.epsilon = .7;
    job.vote_share = vote_share;
    job.last_slots = vote_share > 0;
    listed = lines;
    total = cost;
    open_federation(&f, 60, 3, 2, job);
    for (size_t i = 1; i <= 3; i++) {
        hr_party_work *work = &f.simulation.parties[i].as.work;
        train = work->train;
        work->train = train_and_tell;
    }
    const hr_model *model = federation_run(&f);
    assert_in_range(hr_model_tree_count(model), 3 - job.last_slots, 3);
    assert_int_equal(hr_model_check(model, NULL), HR_OK);
    hr_guarantee g = *hr_model_guarantee(model);
    assert_non_null(
        strstr(g.statement, "-differentially private for adding or removing one record of any owner "));
    federation_close(&f);
    return g;
}

/* An owner that lists nothing, or a part, may have spent all that the job allows it: epsilon is no less. */
static void test_simulation__epsilon_is_the_job_s_at_least(void **state) {
    (void)state;
    static const size_t lines[] = {0, 1, 2, SIZE_MAX};
    for (size_t i = 0; i < 4; i++)
        for (int votes = 0; votes < 2; votes++) {
            hr_guarantee g = guarantee_when_told(lines[i], 0, votes ? .3 : 0);
            assert_true(g.epsilon >= .7 && g.epsilon < .7 + 1e-11 && g.epsilon_replace == 2 * g.epsilon);
        }
}

/* Shares of the budget are rounded up where lists are held against them: a list may say a little more than
 * the job does. */
static void test_simulation__epsilon_is_what_owners_list_if_that_is_more(void **state) {
    (void)state;
    hr_guarantee g = guarantee_when_told(SIZE_MAX, hr_units_up(.7), 0);
    assert_true(g.epsilon == hr_units_value(hr_units_up(.7)) && g.epsilon > .7 &&
                g.epsilon_replace == 2 * g.epsilon);
}

static void test_simulation__refuses_more_than_two_classes(void **state) {
    (void)state;
    federation f;
    hr_error err = {0};
    open_federation(&f, 60, 2, 4, job_of(HR_MODE_SOUND, 1, HR_ORDER_CHAIN));
    assert_int_equal(hr_simulation_run(&f.simulation, &err), HR_E_ARGUMENT);
    federation_close(&f);
}

/* An owner's policy looks at the terms: no setting may make its work under a larger epsilon, or a delta. */
static void test_terms__alone_say_what_a_job_costs(void **state) {
    (void)state;
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    Hedgerow__Setting settings[2], *list[] = {&settings[0], &settings[1]};
    hr_fit_options options;
    for (int i = 0; i < 2; i++) {
        hedgerow__setting__init(&settings[i]);
        settings[i].name = hr_text_of(i ? "delta" : "epsilon");
        settings[i].value = hr_text_of(i ? "0.1" : "100");
    }
    terms.method = hr_text_of("inprivate");
    terms.epsilon = 1;
    terms.settings = list;
    terms.n_settings = 2;
    assert_int_equal(hr_options_of_terms(&terms, .75, &options, NULL), HR_OK);
    assert_true(options.epsilon == .75 && options.delta == 0);
}

static bool is_patient(void *user) {
    return (*(int *)user)-- > 0;
}

static void test_simulation__stops_when_it_is_asked_to(void **state) {
    (void)state;
    federation f;
    hr_error err = {0};
    int asked = 3;
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    settings.should_continue = is_patient;
    settings.user = &asked;
    open_federation(&f, 60, 2, 2, job_of(HR_MODE_SOUND, 1, HR_ORDER_CHAIN));
    hr_simulation_set_callbacks(&f.simulation, &settings);
    assert_int_equal(hr_simulation_run(&f.simulation, &err), HR_E_CANCELLED);
    assert_int_equal(asked, -1);
    federation_close(&f);
}

static void test_settings__must_be_initialised(void **state) {
    (void)state;
    static const hr_party_settings none;
    const hr_simulation_data data = {0};
    const hr_owner_files owners = {0};
    hr_job_result result = {0};
    assert_int_equal(hr_serve("owner.yaml", &none, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_coordinate("job.yaml", "model.json", &none, &result, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_meet("job.yaml", "model.json", &owners, &none, &result, NULL), HR_E_ARGUMENT);
    assert_int_equal(hr_simulate("job.yaml", &data, &none, &result, NULL), HR_E_ARGUMENT);
    assert_null(result.model);
}

/* ---- Records in memory ---- */

static hr_status simulate_in_memory(const hr_fit_options *options, const hr_data *const *tables, size_t count,
                                    hr_model **out, hr_error *err) {
    const hr_simulated_owners owners = {.tables = tables, .count = count};
    const hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    return hr_simulate_records(options, &owners, &settings, out, err);
}

static void test_records__train_a_model(void **state) {
    (void)state;
    table one = table_of_steps(200, 2, 2, 1), other = table_of_steps(300, 2, 2, 2);
    const hr_data *tables[] = {one.data, other.data};
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_model *model = NULL;
    hr_error err = {0};
    hr_job_options_init(&options);
    if (simulate_in_memory(&options, tables, 2, &model, &err)) fail_msg("%s", err.message);
    assert_string_equal(hr_model_guarantee(model)->unit, "one record of any owner");
    assert_true(hr_model_guarantee(model)->delta > 0);
    hr_model_free(model);
    table_close(&one);
    table_close(&other);
}

/* What a simulation does not have is not ignored. */
static void test_records__refuse_what_a_job_does_not_have(void **state) {
    (void)state;
    static const double weights[] = {1, 2};
    static const char *const names[] = {"x0"};
    table one = table_of_steps(200, 2, 2, 1), other = table_of_steps(200, 3, 2, 1);
    const hr_data *tables[] = {one.data, other.data};
    const hr_fit_options good = options_of("hedge", HR_MODE_SOUND);
    hr_fit_options bad[] = {good, good, good, good, good, good, options_of("dpboost", HR_MODE_SOUND)};
    hr_model *model = NULL;
    bad[0].class_weights = weights, bad[0].class_weight_count = 2;
    bad[1].private_bounds = names, bad[1].private_bounds_count = 1;
    bad[2].leak = "bounds";
    bad[3].reproducible_noise = true;
    bad[4].records_per_person = 2;
    bad[5].record_weights = weights, bad[5].record_weight_count = 2;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_error err = {0};
        assert_int_equal(simulate_in_memory(&bad[i], tables, 1, &model, &err), HR_E_ARGUMENT);
        assert_true(*err.message && *err.remedy);
    }
    assert_int_equal(simulate_in_memory(&good, tables, 2, &model, NULL), HR_E_SCHEMA);
    assert_int_equal(simulate_in_memory(&good, tables, 0, &model, NULL), HR_E_ARGUMENT);
    assert_null(model);
    table_close(&one);
    table_close(&other);
}

/* Marks that were accepted in place of public facts: a model over owners is always said to be private. */
static void test_records__refuse_a_schema_that_is_not_public(void **state) {
    (void)state;
    static const char *const texts[] = {
        "hedgerow-schema: 1\nreviewed: true\nlabel: {name: y, kind: classes, values: [a, b]}\n"
        "features: [{name: x, kind: number, low: 0, high: 1, review: [high]}]\n",
        "hedgerow-schema: 1\nreviewed: true\nlabel: {name: y, kind: classes, values: [a, b]}\n"
        "features: [{name: x, kind: number, low: 0, high: 1}, {name: z, kind: unused, review: [kind]}]\n",
        "hedgerow-schema: 1\nreviewed: false\nlabel: {name: y, kind: classes, values: [a, b], source: law}\n"
        "features: [{name: x, kind: number, low: 0, high: 1}]\n"};
    const double x[] = {0, 1, 0, 1}, y[] = {0, 1, 1, 0}, *columns[] = {x};
    const hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_schema *schema = NULL;
        hr_data *data = NULL;
        hr_model *model = NULL;
        assert_int_equal(hr_schema_parse(texts[i], strlen(texts[i]), "s", &schema, NULL), HR_OK);
        assert_int_equal(hr_data_from_arrays(schema, 4, columns, y, &data, NULL), HR_OK);
        const hr_data *tables[] = {data};
        assert_int_equal(simulate_in_memory(&options, tables, 1, &model, NULL), HR_E_POLICY);
        assert_null(model);
        hr_data_free(data);
        hr_schema_free(schema);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulation__gives_a_tree_an_owner_and_round),
        cmocka_unit_test(test_simulation__learns),
        cmocka_unit_test(test_simulation__stops_when_it_is_asked_to),
        cmocka_unit_test(test_settings__must_be_initialised),
        cmocka_unit_test(test_records__train_a_model),
        cmocka_unit_test(test_records__refuse_what_a_job_does_not_have),
        cmocka_unit_test(test_records__refuse_a_schema_that_is_not_public),
        cmocka_unit_test(test_terms__alone_say_what_a_job_costs),
        cmocka_unit_test(test_simulation__works_with_one_owner_and_with_owners_without_records),
        cmocka_unit_test(test_simulation__votes_end_the_job),
        cmocka_unit_test(test_simulation__votes_carry_the_job_on),
        cmocka_unit_test(test_simulation__leaves_out_last_trees_that_do_harm),
        cmocka_unit_test(test_simulation__says_that_paper_mode_is_not_private),
        cmocka_unit_test(test_simulation__owners_prepare_trees_as_they_come),
        cmocka_unit_test(test_simulation__prepared_scores_are_those_of_the_round),
        cmocka_unit_test(test_simulation__votes_are_what_trees_gained),
        cmocka_unit_test(test_simulation__lists_as_much_of_an_owner_without_records),
        cmocka_unit_test(test_simulation__epsilon_is_the_job_s_at_least),
        cmocka_unit_test(test_simulation__epsilon_is_what_owners_list_if_that_is_more),
        cmocka_unit_test(test_simulation__refuses_more_than_two_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
