/* InPrivate Digging over owners as published: exact halves, exact votes, and a model that names what broke.
 */
#include "federation/machines/inprivate.h"
#include "support/federation.h"

enum { THREADS = 4 };

static hr_job_file job_of(size_t rounds, hr_order order) {
    hr_job_file job = {.rounds = rounds,
                       .order = order,
                       .vote_share = .2, /* of mode sound alone */
                       .options = options_of("inprivate", HR_MODE_PAPER)};
    job.options.epsilon = 2;
    job.options.depth = 3;
    return job;
}

static void open_federation(federation *f, size_t rows, size_t owners, size_t classes, hr_job_file job) {
    federation_open(f, table_of_steps(rows, 3, classes, 5), owners, job, THREADS);
}

static hr_status (*work_of_owner)(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                  hr_error *err);

/* Draws the halves that `train` draws from its seed. */
static hr_status train_with_public_coins(hr_party_work *self, const hr_job_view *job, size_t slot,
                                         hr_bytes *out, hr_error *err) {
    hr_journal_job *record = (hr_journal_job *)job->record;
    memset(record->key, 0, sizeof record->key);
    record->key[0] = 7;
    return work_of_owner(self, job, slot, out, err);
}

/* Noise of so much budget changes no split, and no leaf by more than a hundredth: tree by tree, every record
 * gets the same. (Of thresholds between two values of records, any is drawn.) */
static void check_same_trees(const hr_forest *one, const hr_forest *other, const hr_data *data) {
    const size_t rows = hr_data_rows(data);
    double *scores = calloc(rows, sizeof *scores), *others = calloc(rows, sizeof *others);
    assert_non_null(scores);
    assert_non_null(others);
    assert_int_equal(one->tree_count, other->tree_count);
    for (size_t t = 0; t < one->tree_count; t++) {
        assert_int_equal(one->trees[t].node_count, other->trees[t].node_count);
        hr_tree_add(&one->trees[t], data, scores);
        hr_tree_add(&other->trees[t], data, others);
        for (size_t i = 0; i < rows; i++) assert_true(fabs(scores[i] - others[i]) < .01);
    }
    free(scores);
    free(others);
}

/* Few candidates, far apart in what they gain, also below the root and in later rounds: a jump a feature. */
static table table_of_levels(size_t rows, size_t classes) {
    static const double jumps[] = {.9, .5, .3};
    table t = table_open(rows, 3);
    uint64_t seed = 11;
    for (size_t i = 0; i < rows; i++) {
        double z = .3 * next_unit(&seed);
        for (size_t x = 0; x < 3; x++) {
            t.columns[x][i] = floor(9 * next_unit(&seed)) / 9;
            z += t.columns[x][i] > .5 ? jumps[x] : 0;
        }
        t.labels[i] = classes ? z > 1 : z - 1;
    }
    table_make_plain(&t, classes);
    return t;
}

/* judged: the owner votes on its trees, and on another round. */
static void check_one_owner(size_t classes, size_t rounds, bool judged) {
    federation f;
    hr_job_file job = job_of(rounds, HR_ORDER_CHAIN);
    job.options.epsilon = 1e4;
    job.options.depth = rounds > 1 ? 1 : 2; /* later trees have the jumps that are left */
    job.vote_trees = judged;
    job.round_gain = judged ? .05 : 0;
    federation_open(&f, table_of_levels(1600, classes), 1, job, THREADS);
    work_of_owner = f.simulation.parties[1].as.work.train;
    f.simulation.parties[1].as.work.train = train_with_public_coins;
    f.simulation.parties[1].as.work.prepare = NULL;
    const hr_model *model = federation_run(&f);
    hr_fit_options options = seeded_options_of("inprivate", HR_MODE_PAPER, 7);
    options.epsilon = 1e4;
    options.depth = job.options.depth;
    options.trees = (int64_t)rounds;
    options.by_name[HR_OPTION_VOTE_TREES] = judged;
    options.by_name[HR_OPTION_ROUND_GAIN] = job.round_gain;
    hr_model *alone = fit(f.owners[0], &options);
    check_same_trees(&model->forest, &alone->forest, f.owners[0]);
    hr_model_free(alone);
    federation_close(&f);
}

/* One owner alone is the algorithm of `train`: the halves, the residuals, the trees, the votes. */
static void test_paper__of_one_owner_is_that_of_train(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int judged = 0; judged < 2; judged++)
            for (size_t rounds = 1; rounds <= 5; rounds += 2) check_one_owner(classes, rounds, judged);
}

static const char *flaws_of(hr_job_file job, size_t owners, size_t classes) {
    static char statement[2000];
    federation f;
    open_federation(&f, 300, owners, classes, job);
    snprintf(statement, sizeof statement, "%s", hr_model_guarantee(federation_run(&f))->statement);
    federation_close(&f);
    return statement;
}

/* The list of flaws is that of the job: of one tree, of later ones, of levels, of votes. */
static void test_paper__says_what_broke_in_this_job(void **state) {
    (void)state;
    static const char later[] = "which reach +-2 after the first tree", levels[] = "eps_1 at every level",
                      halves[] = "exact half", votes[] = "sent exactly", cuts[] = "Cut points are exact";
    hr_job_file job = job_of(1, HR_ORDER_CHAIN);
    const char *said = flaws_of(job, 1, 2);
    assert_null(strstr(said, later));
    assert_null(strstr(said, votes));
    assert_true(strstr(said, levels) && strstr(said, halves) && strstr(said, cuts));
    assert_non_null(strstr(flaws_of(job, 2, 2), later));
    assert_non_null(strstr(flaws_of(job, 2, 0), "no bound after the first tree"));
    job.options.by_name[HR_OPTION_SPLIT_BUDGET] = HR_SPLIT_BUDGET_TEXT;
    assert_null(strstr(flaws_of(job, 1, 2), levels));
    job.vote_trees = true;
    assert_non_null(strstr(flaws_of(job, 1, 2), "decides whether the tree stays"));
    job.vote_trees = false;
    job.round_gain = .9;
    assert_null(strstr(flaws_of(job, 1, 2), votes)); /* one round: nobody voted */
    job.rounds = 2;
    assert_non_null(strstr(flaws_of(job, 1, 2), "decides on another round"));
    job.coordinator_owner = "owner-1";
    assert_non_null(strstr(flaws_of(job, 1, 2), "The coordinator is also the owner owner-1"));
}

/* Votes are free: trees have the whole epsilon, and the list has one exact line of all votes. */
static void test_paper__votes_cost_nothing(void **state) {
    (void)state;
    federation f;
    hr_job_file job = job_of(2, HR_ORDER_CHAIN);
    job.vote_trees = true;
    job.round_gain = 1e-9;
    open_federation(&f, 600, 3, 2, job);
    const hr_model *model = federation_run(&f);
    double costs[6] = {0};
    size_t votes = 0;
    for (size_t r = 0; r < model->release_count; r++) {
        costs[model->releases[r].part] += hr_units_value(model->releases[r].cost);
        votes += !strcmp(model->releases[r].what, "accuracy of trees");
    }
    assert_int_equal(votes, 1);
    assert_true(costs[0] > 1.99 && costs[1] > 1.99 && costs[2] > 1.99);
    federation_close(&f);
}

/* Of five owners the second has labels that are turned round: its tree stays out, and no later one is fitted
 * to it. */
static void test_paper__leaves_out_a_tree_that_does_harm(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int order = HR_ORDER_CHAIN; order <= HR_ORDER_BROADCAST; order++) {
            federation f;
            hr_job_file job = job_of(1, (hr_order)order);
            job.options.epsilon = 1000;
            job.vote_trees = true;
            open_federation(&f, 4000, 5, classes, job);
            double *labels = (double *)hr_data_labels(f.owners[1]);
            for (size_t i = 0; i < hr_data_rows(f.owners[1]); i++)
                labels[i] = classes ? 1 - labels[i] : -labels[i];
            const hr_model *model = federation_run(&f);
            assert_non_null(strstr(f.lines, "the tree of owner owner-2 in slot 1 is left out"));
            assert_in_range(hr_model_tree_count(model), 2, 4);
            federation_close(&f);
        }
}

/* The stop rule: a gain that is reached, and one that cannot be. */
static void test_paper__stops_by_the_exact_gain(void **state) {
    (void)state;
    for (int on_trees = 0; on_trees < 2; on_trees++)
        for (int i = 0; i < 2; i++) {
            federation f;
            hr_job_file job = job_of(2, HR_ORDER_CHAIN);
            job.options.epsilon = 1000;
            job.vote_trees = on_trees;
            job.round_gain = i ? 1 : .05;
            open_federation(&f, 2000, 1, 2, job);
            assert_int_equal(hr_model_tree_count(federation_run(&f)), i ? 1 : 2);
            federation_close(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper__of_one_owner_is_that_of_train),
        cmocka_unit_test(test_paper__says_what_broke_in_this_job),
        cmocka_unit_test(test_paper__votes_cost_nothing),
        cmocka_unit_test(test_paper__leaves_out_a_tree_that_does_harm),
        cmocka_unit_test(test_paper__stops_by_the_exact_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
