/* What is said of a job file that differs from the job that runs. */
#include "federation/federated/terms.h"
#include "support/tables.h"

#include <stdlib.h>
#include <string.h>

static Hedgerow__Terms *terms_of(const hr_job_file *job, const hr_schema *schema, const char *owner) {
    const char *owners[] = {"north", owner};
    hr_bytes bytes = {0};
    ProtobufCMessage *terms = NULL;
    assert_int_equal(hr_terms_of(job, "job", schema, &(hr_names){owners, 2}, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &terms, NULL),
                     HR_OK);
    free(bytes.at);
    return (Hedgerow__Terms *)terms;
}

static hr_job_file job_file(void) {
    hr_job_file job = {.rounds = 2, .options = options_of("inprivate", HR_MODE_SOUND)};
    job.options.epsilon = 1;
    return job;
}

/* What is said of a file that differs from the running job. NULL: nothing. */
static void check(const Hedgerow__Terms *file, const Hedgerow__Terms *running, const char *said) {
    char text[HR_TERMS_DIFFERENCE] = "";
    assert_int_equal(hr_terms_difference(file, running, text), said != NULL);
    assert_string_equal(text, said ? said : "");
}

typedef struct edit {
    void (*make)(hr_job_file *job);
    const char *said;
} edit;

static void no_edit(hr_job_file *job) {
    job->date = 86400;
}
static void edit_epsilon(hr_job_file *job) {
    job->options.epsilon = 2;
}
static void edit_rounds(hr_job_file *job) {
    job->rounds = 3;
}
static void edit_order(hr_job_file *job) {
    job->order = HR_ORDER_BROADCAST;
}
static void edit_depth(hr_job_file *job) {
    job->options.depth = 4;
}
static void edit_votes(hr_job_file *job) {
    job->last_slots = 1, job->vote_share = .2;
}

static void edit_vote_trees(hr_job_file *job) {
    job->vote_trees = true;
}

static void edit_coordinator_owner(hr_job_file *job) {
    job->coordinator_owner = "north";
}

/* Of four owners one acts with the coordinator unless the job says otherwise; its own comes on top. */
static void test_terms__count_the_coordinator_s_own_owner(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d"};
    table t = table_of_steps(10, 2, 2, 1);
    for (size_t owners = 1; owners <= 4; owners++)
        for (int own = 0; own < 2; own++) {
            hr_job_file job = {.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND)};
            hr_bytes bytes = {0};
            ProtobufCMessage *terms = NULL;
            job.coordinator_owner = own ? "a" : NULL;
            assert_int_equal(hr_terms_of(&job, "job", t.schema, &(hr_names){names, owners}, &bytes, NULL),
                             HR_OK);
            assert_int_equal(
                hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &terms, NULL), HR_OK);
            assert_int_equal(((Hedgerow__Terms *)terms)->coalition,
                             owners < 3 ? owners - 1 : (size_t)own + 1);
            hr_message_unpacked_free(terms);
            free(bytes.at);
        }
    hr_error err = {0};
    hr_bytes bytes = {0};
    hr_job_file job = {.rounds = 1, .options = options_of("hedge", HR_MODE_SOUND), .coordinator_owner = "e"};
    assert_int_equal(hr_terms_of(&job, "job", t.schema, &(hr_names){names, 4}, &bytes, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "'e' is not an owner of this job"));
    table_close(&t);
}

static void test_terms__of_mode_paper_have_no_votes_on_last_trees(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b"};
    table t = table_of_steps(10, 2, 2, 1);
    hr_error err = {0};
    hr_bytes bytes = {0};
    hr_job_file job = {.rounds = 1, .options = options_of("inprivate", HR_MODE_PAPER), .last_slots = 1};
    assert_int_equal(hr_terms_of(&job, "job", t.schema, &(hr_names){names, 2}, &bytes, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "has votes on all trees in mode paper ('vote-trees: true')"));
    table_close(&t);
}

static void test_difference__of_a_field_is_named(void **state) {
    (void)state;
    static const edit edits[] = {
        {no_edit, NULL},
        {edit_coordinator_owner, "the job file says coordinator-owner: north, the running job has "},
        {edit_vote_trees, "the job file says vote-trees: true, the running job has false"},
        {edit_epsilon, "the job file says epsilon: 2, the running job has 1"},
        {edit_rounds, "the job file says rounds: 3, the running job has 2"},
        {edit_order, "the job file says order: broadcast, the running job has chain"},
        {edit_depth, "the job file says options: depth: 4, the running job has 3"},
        {edit_votes, "the job file says vote-last: 1, the running job has 0"},
    };
    table t = table_of_steps(20, 2, 2, 5);
    hr_job_file job = job_file();
    job.options.depth = 3;
    Hedgerow__Terms *running = terms_of(&job, t.schema, "south");
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        hr_job_file edited = job;
        edits[i].make(&edited);
        Hedgerow__Terms *file = terms_of(&edited, t.schema, "south");
        check(file, running, edits[i].said);
        hr_message_unpacked_free(&file->base);
    }
    Hedgerow__Terms *file = terms_of(&job, t.schema, "west");
    check(file, running, "the job file says an owner: west, the running job has south");
    hr_message_unpacked_free(&file->base);
    hr_message_unpacked_free(&running->base);
    table_close(&t);
}

/* Of averages the method is the same, whatever each owner trains. */
static void test_difference__of_what_each_owner_trains_is_named(void **state) {
    (void)state;
    table t = table_of_steps(20, 2, 2, 5);
    hr_job_file running_job = {.rounds = 1,
                               .averages = true,
                               .options = options_of("diprime", HR_MODE_SOUND)},
                job = {.rounds = 1, .averages = true, .options = options_of("dpboost", HR_MODE_SOUND)};
    Hedgerow__Terms *running = terms_of(&running_job, t.schema, "south"),
                    *file = terms_of(&job, t.schema, "south");
    check(file, running, "the job file says train: dpboost, the running job has diprime");
    check(running, running, NULL);
    hr_message_unpacked_free(&file->base);
    hr_message_unpacked_free(&running->base);
    table_close(&t);
}

static hr_schema *schema_with(const char *high) {
    char text[400];
    hr_schema *schema = NULL;
    hr_error err = {0};
    snprintf(
        text, sizeof text,
        "hedgerow-schema: 1\nlabel: {name: sick, kind: classes, values: [no, yes]}\nfeatures:\n"
        "- {name: age, kind: number, low: 0, high: 120}\n- {name: dose, kind: number, low: 0, high: %s}\n",
        high);
    if (hr_schema_parse(text, strlen(text), "schema", &schema, &err)) fail_msg("%s", err.message);
    return schema;
}

static void test_difference__of_a_schema_names_the_column(void **state) {
    (void)state;
    hr_job_file job = job_file();
    hr_schema *one = schema_with("5"), *other = schema_with("9");
    Hedgerow__Terms *file = terms_of(&job, other, "south"), *running = terms_of(&job, one, "south");
    char text[HR_TERMS_DIFFERENCE];
    assert_true(hr_terms_difference(file, running, text));
    assert_string_equal(text,
                        "the schema differs: column dose, high: 9 in the job file, 5 in the running job");
    hr_message_unpacked_free(&file->base);
    hr_message_unpacked_free(&running->base);
    hr_schema_free(one);
    hr_schema_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms__count_the_coordinator_s_own_owner),
        cmocka_unit_test(test_terms__of_mode_paper_have_no_votes_on_last_trees),
        cmocka_unit_test(test_difference__of_a_field_is_named),
        cmocka_unit_test(test_difference__of_what_each_owner_trains_is_named),
        cmocka_unit_test(test_difference__of_a_schema_names_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
