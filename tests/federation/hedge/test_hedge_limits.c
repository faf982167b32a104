/* Limits of a job of hedge that honest jobs of usual size never meet: of the releases that an owner's gate
 * keeps in memory, and of the forest that fits into a message. */
#include "federation/machines/securesum.h"
#include "privacy/sensitivity.h"
#include "support/federation.h"
#include "tables/bins/edge_levels.h"

/* ---- More releases than a gate keeps ---- */

enum { LINES_MAX = 1 << 18, LINES_A_QUESTION = TABLE_FEATURES * HR_EDGE_LEVELS };

static struct {
    size_t asked, answered;
    char refusal[sizeof((hr_error *)NULL)->message]; /* the first one */
    hr_status (*train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
} cheap;

/* One node of every level of every feature: each is a release. */
static hr_bytes pack_cheap_question(void) {
    static uint32_t first_nodes[HR_EDGE_LEVELS];
    Hedgerow__HedgeNodes nodes[LINES_A_QUESTION], *pointers[LINES_A_QUESTION];
    Hedgerow__HedgeQuestion body = HEDGEROW__HEDGE_QUESTION__INIT;
    Hedgerow__Question question = HEDGEROW__QUESTION__INIT;
    uint64_t cost = HR_UNIT / 2000; /* 1,171 of them cost less than the budget */
    hr_bytes inner = {0}, out = {0};
    for (uint32_t l = 0; l < HR_EDGE_LEVELS; l++) first_nodes[l] = (uint32_t)2 << l;
    for (uint32_t i = 0; i < LINES_A_QUESTION; i++) {
        hedgerow__hedge_nodes__init(pointers[i] = &nodes[i]);
        nodes[i].feature = i / HR_EDGE_LEVELS;
        nodes[i].level = i % HR_EDGE_LEVELS + 1;
        nodes[i].nodes = &first_nodes[i % HR_EDGE_LEVELS];
        nodes[i].n_nodes = 1;
    }
    body.kind = HEDGEROW__HEDGE_QUESTION__KIND__BINS;
    body.costs = &cost;
    body.n_costs = 1;
    body.nodes = pointers;
    body.n_nodes = LINES_A_QUESTION;
    assert_int_equal(hr_message_pack(&body.base, &inner, NULL), HR_OK);
    question.body = hr_data_of(inner.at, inner.size);
    question.values = LINES_A_QUESTION;
    assert_int_equal(hr_message_pack(&question.base, &out, NULL), HR_OK);
    free(inner.at);
    return out;
}

static hr_status ask_cheaply(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    (void)self, (void)job;
    if (*cheap.refusal) return hr_fail(err, HR_E_CANCELLED, "", "an owner has refused");
    *out = pack_cheap_question();
    cheap.asked++;
    return HR_OK;
}

static hr_status count_answers(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err) {
    hr_status status = cheap.train(self, job, slot, out, err);
    cheap.answered += status == HR_OK;
    if (status && !*cheap.refusal) snprintf(cheap.refusal, sizeof cheap.refusal, "%s", err->message);
    return status;
}

/* A coordinator that asks for many cheap releases fills no owner's memory. */
static void test_owner__keeps_a_bounded_number_of_releases(void **state) {
    (void)state;
    static federation f;
    hr_error err = {0};
    memset(&cheap, 0, sizeof cheap);
    federation_open(&f, table_of_steps(30, TABLE_FEATURES, 2, 5), 1, federated_job("hedge", 8, 1e-6), 1);
    hr_simulated_party *parties = f.simulation.parties;
    cheap.train = parties[1].as.work.train;
    parties[0].as.work.next_question = ask_cheaply;
    parties[1].as.work.train = count_answers;
    assert_int_not_equal(hr_simulation_run(&f.simulation, &err), HR_OK);
    assert_string_equal(cheap.refusal, "a job of more than 262144 releases");
    assert_int_equal(cheap.answered, LINES_MAX / LINES_A_QUESTION);
    assert_int_equal(cheap.asked, cheap.answered + 1);
    federation_close(&f);
}

/* ---- A forest that is too long for a message ---- */

enum { CLASSES = 250, CLAIMED = 120 /* records of each class */ };

static table table_of_many_classes(void) {
    static char names[CLASSES][8];
    static const char *values[CLASSES];
    uint64_t random = 5;
    table t = table_open(30, 2);
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t f = 0; f < t.features; f++) t.columns[f][i] = next_unit(&random);
        t.labels[i] = (double)(next_random(&random) % CLASSES);
    }
    for (size_t c = 0; c < CLASSES; c++) {
        snprintf(names[c], sizeof names[c], "c%zu", c);
        values[c] = names[c];
    }
    const hr_column label = {.name = "y", .kind = HR_KIND_CATEGORY, .value_count = CLASSES, .values = values},
                    features[] = {number_column("x0", 0, 1), number_column("x1", 0, 1)};
    table_make(&t, label, features);
    return t;
}

static hr_status (*honest_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);

static void claim_records(Hedgerow__Share *share) {
    assert_int_equal(share->n_values, CLASSES);
    for (size_t i = 0; i < CLASSES; i++) share->values[i] += CLAIMED * HR_COUNT_UNIT;
}

static void choose_largest(Hedgerow__Choice *choice, const hr_bytes *asked) {
    ProtobufCMessage *read = NULL;
    assert_int_equal(
        hr_message_unpack(&hedgerow__hedge_question__descriptor, asked->at, asked->size, &read, NULL), HR_OK);
    const Hedgerow__HedgeQuestion *question = (const Hedgerow__HedgeQuestion *)read;
    for (uint32_t i = 0; i < question->n_trees; i++)
        if (question->trees[i]->n_left > question->trees[choice->index]->n_left) choice->index = i;
    hr_message_unpacked_free(read);
}

/* The owner says that it has 30,000 records more, in its answer to the first question, and chooses the
 * largest tree in each round: the number of trees and of leaves is not left to chance. */
static hr_status answer_for_many(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                 hr_error *err) {
    hr_sum_question question;
    ProtobufCMessage *read = NULL;
    hr_status status = honest_train(self, job, slot, out, err);
    assert_true(hr_securesum_question(job->protocol, slot, &question));
    if (status || question.to_prepare || (question.position && !question.choice)) return status;
    assert_int_equal(
        hr_message_unpack(question.choice ? &hedgerow__choice__descriptor : &hedgerow__share__descriptor,
                          out->at, out->size, &read, NULL),
        HR_OK);
    if (question.choice)
        choose_largest((Hedgerow__Choice *)read, &question.body);
    else
        claim_records((Hedgerow__Share *)read);
    free(out->at);
    assert_int_equal(hr_message_pack(read, out, NULL), HR_OK);
    hr_message_unpacked_free(read);
    return HR_OK;
}

enum { WARNING = 120 };

static void note_warning(void *user, const hr_log_line *line) {
    if (line->level == HR_LOG_WARNING) snprintf(user, WARNING, "%s", line->text);
}

/* About 173 rounds of 32 leaves, of 250 numbers each: 11 MB. The model is made all the same. */
static void test_forest__too_long_for_a_message_is_not_calibrated(void **state) {
    (void)state;
    static federation f;
    char warning[WARNING] = "";
    const hr_party_settings settings = {.log_line = note_warning, .user = warning};
    federation_open(&f, table_of_many_classes(), 1, federated_job("hedge", 2, 1e-6), 1);
    hr_simulation_set_callbacks(&f.simulation, &settings);
    honest_train = f.simulation.parties[1].as.work.train;
    f.simulation.parties[1].as.work.train = answer_for_many;
    const hr_model *model = federation_run(&f);
    assert_string_equal(warning, "probabilities are not calibrated: the forest is too long for a message");
    assert_true(model->forest.calibration.slope == 0);
    size_t numbers = 0; /* of all leaves */
    for (size_t t = 0; t < model->forest.tree_count; t++)
        numbers += (model->forest.trees[t].node_count + 1) / 2;
    assert_true(numbers * sizeof(double) > HR_MESSAGE_MAX);
    federation_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner__keeps_a_bounded_number_of_releases),
        cmocka_unit_test(test_forest__too_long_for_a_message_is_not_calibrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
