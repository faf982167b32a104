/* id3 over owners as published, on its ring, in one process: without noise the tree is that of one party with
 * all records, bit for bit; what the model says of itself; owners that do not take part; questions that they
 * do not answer. */
#include "federation/federated/terms.h"
#include "federation/machines/ring.h"
#include "federation/work/policy_check.h"
#include "federation/work/simulation.h"
#include "support/tables.h"
#include "tables/data/records.h"

enum { OWNERS_MAX = 5 };

/* Of noise of scale 64/10000 a number is not 0 with a probability below e^-150. */
#define NOISE_OFF 10000

typedef struct ring_job {
    table table;
    hr_data *owners[OWNERS_MAX];
    size_t owner_count;
    hr_job_file job;
    hr_simulation simulation;
    char lines[8000];
} ring_job;

static hr_job_file paper_job(double epsilon, int depth) {
    hr_job_file job = {.rounds = 1, .options = options_of("id3", HR_MODE_PAPER)};
    job.options.epsilon = epsilon;
    job.options.depth = depth;
    return job;
}

static void keep_ring_log(void *user, const hr_log_line *line) {
    ring_job *r = user;
    size_t used = strlen(r->lines);
    snprintf(r->lines + used, sizeof r->lines - used, "%s\n", line->text);
}

/* Deals the records out; the first owner gets every second one. */
static void open_ring(ring_job *r, size_t rows, size_t owners, size_t classes, hr_job_file job) {
    hr_error err = {0};
    static hr_party_settings settings;
    *r = (ring_job){.table = table_of_steps(rows, 3, classes, 5), .owner_count = owners, .job = job};
    uint32_t *picked = malloc((rows + 1) * sizeof *picked);
    for (size_t o = 0; o < owners; o++) {
        size_t count = 0;
        for (size_t i = 0; i < rows; i++)
            if ((i % 2 ? i / 2 % owners : 0) == o) picked[count++] = (uint32_t)i;
        assert_non_null(r->owners[o] = hr_data_take(r->table.data, picked, count));
    }
    free(picked);
    const hr_owner_tables tables = {(const hr_data *const *)r->owners, owners};
    if (hr_simulation_init(&r->simulation, &r->job, r->table.schema, &tables, 1, &err))
        fail_msg("%s", err.message);
    settings = (hr_party_settings){.log_line = keep_ring_log, .user = r};
    hr_simulation_set_callbacks(&r->simulation, &settings);
}

static const hr_model *run_ring(ring_job *r) {
    hr_error err = {0};
    if (hr_simulation_run(&r->simulation, &err)) fail_msg("%s\n%s", err.message, r->lines);
    return r->simulation.parties[0].as.coordinator.result.model;
}

static void close_ring(ring_job *r) {
    hr_simulation_done(&r->simulation);
    for (size_t o = 0; o < r->owner_count; o++) hr_data_free(r->owners[o]);
    table_close(&r->table);
}

/* ---- The tree ---- */

/* Of a model file: the scores that predictions begin with, and all trees. */
static char *tree_text(char *json) {
    char *begin = strstr(json, "\"base\""), *end = strstr(json, "\"releases\"");
    assert_true(begin && end && begin < end);
    *end = '\0';
    return begin;
}

static void test_ring__without_noise_grows_the_tree_of_all_records(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 5}, classes[] = {2, 4};
    static ring_job r;
    size_t splits = 0;
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int depth = 1; depth <= 3; depth += 2)
            for (size_t k = 0; k < COUNT(sizes); k++) {
                char *json = NULL;
                hr_error err = {0};
                open_ring(&r, 500, sizes[k], classes[c], paper_job(NOISE_OFF, depth));
                assert_int_equal(hr_model_render(run_ring(&r), &json, &err), HR_OK);
                char *pooled = fit_text(r.table.data, &r.job.options), *tree = tree_text(json);
                assert_string_equal(tree, tree_text(pooled));
                splits += strstr(tree, "]]") != NULL;
                hr_text_free(pooled);
                hr_text_free(json);
                close_ring(&r);
            }
    assert_int_equal(splits, COUNT(classes) * 2 * COUNT(sizes));
}

/* ---- What the model says ---- */

static void test_ring__says_that_it_is_not_private(void **state) {
    (void)state;
    static ring_job r;
    hr_release_info info;
    hr_model *again = NULL;
    char *json = NULL;
    open_ring(&r, 400, 3, 2, paper_job(1, 2));
    const hr_model *model = run_ring(&r);
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(!g->is_private && isinf(g->epsilon) && isinf(g->epsilon_replace));
    assert_non_null(strstr(g->statement, "NOT DIFFERENTIALLY PRIVATE"));
    assert_non_null(strstr(g->statement, "2 m d + 1 times what is claimed"));
    assert_non_null(strstr(g->statement, "knows r_x"));
    assert_non_null(strstr(g->statement, "the coordinator with the neighbours of an owner reads its counts"));
    assert_non_null(strstr(g->statement, "The authors claim epsilon = 1."));
    assert_true(hr_model_release_at(model, 0, &info));
    assert_string_equal(info.what, "all class counts");
    assert_true(info.shares == 3 && info.sensitivity == 64 && fabs(info.cost - 1) < 1e-9);
    assert_false(hr_model_release_at(model, 1, &info));
    assert_int_equal(hr_model_render(model, &json, NULL), HR_OK);
    assert_int_equal(hr_model_parse(json, strlen(json), "again", &again, NULL), HR_OK);
    hr_model_free(again);
    hr_text_free(json);
    assert_non_null(strstr(r.lines, "asks along the ring for the counts of level 1"));
    assert_non_null(strstr(r.lines, "asks along the ring for the classes of"));
    close_ring(&r);
}

/* The sums are read on their way to the machine, which raises them to 0. */
static struct {
    double sizes;
    size_t count;
} noise;

static hr_status (*ask_for_real)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);

static hr_status measure_noise(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    hr_sum_outcome outcome;
    const bool first = hr_ring_outcomes(job->protocol) == 1 && hr_ring_outcome(job->protocol, 0, &outcome);
    for (size_t i = 0; first && i < outcome.count; i++) noise.sizes += fabs((double)(int64_t)outcome.sums[i]);
    if (first) noise.count += outcome.count;
    return ask_for_real(self, job, out, err);
}

/* Owners without records: only noise comes round, a discrete Laplace variable a count, of scale 64/epsilon in
 * units of 1/64 record for any number of owners. The sizes of n of these add up to a Gamma(n) variable, but
 * for rounding (below 1e-4); for n >= 10000 it is off by 8 % with a probability of at most 2 e^(-n (.08 -
 * ln 1.08)), below 1e-12. */
static void test_ring__noise_of_all_owners_is_that_of_one_count(void **state) {
    (void)state;
    static ring_job r;
    static const size_t sizes[] = {1, 2, 5};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        noise.sizes = 0;
        noise.count = 0;
        for (size_t jobs = 0; jobs < 400 && noise.count < 10000; jobs++) {
            hr_job_file job = paper_job(1, 1);
            job.options.bins = 200;
            open_ring(&r, 0, sizes[k], 2, job);
            hr_party_work *work = &r.simulation.parties[0].as.work;
            ask_for_real = work->next_question;
            work->next_question = measure_noise;
            run_ring(&r);
            close_ring(&r);
        }
        assert_true(noise.count >= 10000);
        const double mean = noise.sizes / (double)noise.count;
        if (fabs(mean - 64) > .08 * 64) fail_msg("%zu owners: %g", sizes[k], mean);
    }
}

/* ---- Owners ---- */

static hr_bytes paper_terms(const hr_job_file *job, const hr_schema *schema) {
    static const char *const names[] = {"a", "b", "c"};
    hr_bytes packed = {0};
    hr_error err = {0};
    if (hr_terms_of(job, "job", schema, &(hr_names){names, 3}, &packed, &err)) fail_msg("%s", err.message);
    return packed;
}

static bool find_refusal(void *user, const hr_rule_answer *answer) {
    char *refusals = user;
    if (!answer->keeps) strcat(strcat(refusals, answer->rule), " ");
    return true;
}

/* That a job is safe against nobody is what `paper` allows: the rule of coalitions says no more of it. */
static void test_owner__takes_part_if_its_policy_says_paper(void **state) {
    (void)state;
    static const char *const methods[] = {"id3"}, *const coordinators[] = {"c"};
    table t = table_of_steps(8, 2, 2, 5);
    hr_job_file job = paper_job(1, 2);
    hr_bytes packed = paper_terms(&job, t.schema);
    ProtobufCMessage *terms = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, packed.at, packed.size, &terms, NULL),
                     HR_OK);
    for (size_t listed = 0; listed <= 1; listed++) {
        char refusals[200] = "";
        hr_policy policy = {.methods = {methods, 1},
                            .coordinators = {coordinators, 1},
                            .epsilon = 2,
                            .owners = 2,
                            .coalition = 2,
                            .unprotected = {methods, listed}};
        const hr_policy_question question = {.policy = &policy,
                                             .schema = t.schema,
                                             .coordinator = "c",
                                             .terms = (const Hedgerow__Terms *)terms};
        assert_int_equal(hr_policy_check(&question, find_refusal, refusals, NULL), HR_OK);
        assert_string_equal(refusals, listed ? "" : "unprotected ");
    }
    hr_message_unpacked_free(terms);
    free(packed.at);
    table_close(&t);
}

static void test_job__counts_on_no_coalition(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    table t = table_of_steps(8, 2, 2, 5);
    hr_job_file job = paper_job(1, 2);
    hr_bytes packed = {0};
    hr_error err = {0};
    job.coalition = 1;
    assert_int_equal(hr_terms_of(&job, "job", t.schema, &(hr_names){names, 3}, &packed, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "coalition");
    assert_non_null(strstr(err.message, "is safe against nobody in mode paper"));
    table_close(&t);
}

/* ---- Questions that owners do not answer ---- */

static struct {
    size_t asked;
    int how;
    hr_bytes first; /* the first question */
} tampering;

enum { COSTS_LESS, ASKED_AGAIN, WAYS };

static void tamper_question(Hedgerow__Question *question) {
    ProtobufCMessage *body = NULL;
    static hr_bytes changed;
    if (tampering.how == ASKED_AGAIN) {
        question->body = hr_data_of(tampering.first.at, tampering.first.size);
        return;
    }
    assert_int_equal(hr_message_unpack(&hedgerow__id3_question__descriptor, question->body.data,
                                       question->body.len, &body, NULL),
                     HR_OK);
    ((Hedgerow__Id3Question *)body)->cost /= 2;
    free(changed.at);
    assert_int_equal(hr_message_pack(body, &changed, NULL), HR_OK);
    question->body = hr_data_of(changed.at, changed.size);
    hr_message_unpacked_free(body);
}

static hr_status ask_tampered_ring(hr_party_work *self, const hr_job_view *job, hr_bytes *out,
                                   hr_error *err) {
    ProtobufCMessage *read = NULL;
    hr_status status = ask_for_real(self, job, out, err);
    if (status) return status;
    assert_int_equal(hr_message_unpack(&hedgerow__question__descriptor, out->at, out->size, &read, NULL),
                     HR_OK);
    Hedgerow__Question copy = *(Hedgerow__Question *)read;
    if (!tampering.asked++)
        assert_int_equal(hr_bytes_copy(copy.body.data, copy.body.len, &tampering.first, NULL), HR_OK);
    else if (tampering.asked == 2)
        tamper_question(&copy);
    free(out->at);
    assert_int_equal(hr_message_pack(&copy.base, out, NULL), HR_OK);
    hr_message_unpacked_free(read);
    return HR_OK;
}

static void test_owners__answer_no_question_that_is_not_the_machines(void **state) {
    (void)state;
    static ring_job r;
    hr_error err = {0};
    for (tampering.how = 0; tampering.how < WAYS; tampering.how++) {
        tampering.asked = 0;
        open_ring(&r, 300, 3, 2, paper_job(NOISE_OFF, 2));
        hr_party_work *work = &r.simulation.parties[0].as.work;
        ask_for_real = work->next_question;
        work->next_question = ask_tampered_ring;
        assert_int_not_equal(hr_simulation_run(&r.simulation, &err), HR_OK);
        if (!strstr(err.message, "has no answer")) fail_msg("%s", err.message);
        free(tampering.first.at);
        close_ring(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring__without_noise_grows_the_tree_of_all_records),
        cmocka_unit_test(test_ring__says_that_it_is_not_private),
        cmocka_unit_test(test_ring__noise_of_all_owners_is_that_of_one_count),
        cmocka_unit_test(test_owner__takes_part_if_its_policy_says_paper),
        cmocka_unit_test(test_job__counts_on_no_coalition),
        cmocka_unit_test(test_owners__answer_no_question_that_is_not_the_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
