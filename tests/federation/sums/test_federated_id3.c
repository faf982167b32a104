/* id3 over owners in one process, from the offer to the model; questions that owners do not answer; the
 * protocol of its mode paper. */
#include "support/federation.h"

static void open_federation(federation *f, size_t rows, size_t owners, size_t classes, hr_job_file job) {
    federation_open(f, table_of_steps(rows, 3, classes, 5), owners, job, 1);
}

static void test_owners__train_together(void **state) {
    (void)state;
    static const size_t classes[] = {2, 4};
    static federation f;
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int pure = 0; pure <= 1; pure++)
            for (size_t owners = 1; owners <= 4; owners += 3) {
                double delta = pure ? 0 : 1e-6;
                open_federation(&f, 800, owners, classes[c], federated_job("id3", 4, delta));
                check_joint_model(federation_run(&f), 4, delta);
                federation_close(&f);
            }
}

/* With so much budget that noise plays no part, steps of two classes are learned, of eight bins each. */
static void test_owners__learn(void **state) {
    (void)state;
    static federation f;
    hr_metrics metrics;
    for (int pure = 0; pure <= 1; pure++) {
        open_federation(&f, 3000, 5, 2, federated_job("id3", 40, pure ? 0 : 1e-6));
        assert_int_equal(hr_evaluate(federation_run(&f), f.table.data, 1, &metrics, NULL), HR_OK);
        if (!(metrics.error < .15)) fail_msg("error %g", metrics.error);
        federation_close(&f);
    }
}

/* An owner without records is asked, and answers, as all others. */
static void test_owners__may_have_no_records(void **state) {
    (void)state;
    static federation f;
    open_federation(&f, 3, 6, 2, federated_job("id3", 1, 1e-6));
    check_joint_model(federation_run(&f), 1, 1e-6);
    federation_close(&f);
}

/* First the records are counted, for a fiftieth; a level costs as much as the reserve; a record is in three
 * tables of the first one; the noise is in so many shares as there are owners beyond the coalition. */
static void test_account__lists_levels_and_leaves(void **state) {
    (void)state;
    static federation f;
    hr_release_info info;
    double cost = 0, levels = 0, depth = 0, cost_of_level = 0;
    open_federation(&f, 2000, 5, 2, federated_job("id3", 2, 0));
    const hr_model *model = federation_run(&f);
    for (size_t i = 0; hr_model_release_at(model, i, &info); i++) {
        bool level = !strcmp(info.what, "level class counts");
        assert_int_equal(info.shares, 3);
        if (!i) {
            assert_string_equal(info.what, "records by class");
            assert_true(fabs(info.cost - 2 * .02) < 1e-9);
        }
        if (level && levels == 0) {
            cost_of_level = info.cost;
            depth = 2 * .73 / cost_of_level - 1;
            assert_true(depth >= 1 && fabs(depth - round(depth)) < 1e-6);
        }
        if (level) assert_true(info.cost == cost_of_level);
        assert_int_equal(info.sensitivity, level ? 64 * (3 - (int)levels) : 64);
        levels += level;
        cost += info.cost;
    }
    assert_true(levels >= 1 && levels <= depth + 1e-6 && fabs(cost - 2) < 1e-9);
    federation_close(&f);
}

static void test_progress__names_levels(void **state) {
    (void)state;
    static federation f;
    open_federation(&f, 300, 3, 2, federated_job("id3", 8, 1e-6));
    federation_run(&f);
    if (!strstr(f.lines, "asks for the records by class\nlevel 1 of ")) fail_msg("%s", f.lines);
    assert_non_null(strstr(f.lines, "leaves"));
    federation_close(&f);
}

/* ---- Questions that owners do not answer ---- */

typedef void change(Hedgerow__Question *question, Hedgerow__Id3Question *body);

typedef struct tampered_work {
    hr_status (*next_question)(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err);
    change *change;
    size_t asked, at; /* the question that is changed */
} tampered_work;

static tampered_work tampered;

static hr_bytes change_question(const hr_bytes *asked) {
    ProtobufCMessage *question = NULL, *body = NULL;
    hr_bytes inner = {0}, out = {0};
    assert_int_equal(
        hr_message_unpack(&hedgerow__question__descriptor, asked->at, asked->size, &question, NULL), HR_OK);
    Hedgerow__Question copy = *(Hedgerow__Question *)question;
    assert_int_equal(
        hr_message_unpack(&hedgerow__id3_question__descriptor, copy.body.data, copy.body.len, &body, NULL),
        HR_OK);
    tampered.change(&copy, (Hedgerow__Id3Question *)body);
    assert_int_equal(hr_message_pack(body, &inner, NULL), HR_OK);
    copy.body = hr_data_of(inner.at, inner.size);
    assert_int_equal(hr_message_pack(&copy.base, &out, NULL), HR_OK);
    free(inner.at);
    hr_message_unpacked_free(question);
    hr_message_unpacked_free(body);
    return out;
}

static hr_status ask_tampered(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    hr_status status = tampered.next_question(self, job, out, err);
    if (status || tampered.asked++ != tampered.at) return status;
    hr_bytes changed = change_question(out);
    free(out->at);
    *out = changed;
    return HR_OK;
}

static void cost_more(Hedgerow__Question *question, Hedgerow__Id3Question *body) {
    (void)question;
    body->cost *= 64;
}

static void cost_nothing(Hedgerow__Question *question, Hedgerow__Id3Question *body) {
    (void)question;
    body->cost = 0;
}

static void ask_another_kind(Hedgerow__Question *question, Hedgerow__Id3Question *body) {
    (void)question;
    body->kind = (Hedgerow__Id3Question__Kind)7;
}

static void ask_a_choice(Hedgerow__Question *question, Hedgerow__Id3Question *body) {
    (void)body;
    question->values = 0;
    question->turns = 1;
}

/* The coordinator asks what its machine would not: owners give no answer, to that question and to all that
 * follow; what was told before makes the model. */
static void test_owners__answer_no_question_that_is_not_the_machines(void **state) {
    (void)state;
    static change *const changes[] = {cost_more, cost_nothing, ask_another_kind};
    static federation f;
    hr_error err = {0};
    for (size_t c = 0; c < COUNT(changes); c++)
        for (size_t at = 0; at < 3; at++) {
            open_federation(&f, 600, 3, 2, federated_job("id3", 8, 0));
            hr_party_work *work = &f.simulation.parties[0].as.work;
            tampered = (tampered_work){work->next_question, changes[c], 0, at};
            work->next_question = ask_tampered;
            hr_status status = hr_simulation_run(&f.simulation, &err);
            if (at ? status != HR_OK : status != HR_E_POLICY)
                fail_msg("%zu: %s\n%s", c, err.message, f.lines);
            if (!strstr(f.lines, "has no answer")) fail_msg("%s", f.lines);
            /* nothing after it is answered */
            assert_null(strstr(f.lines, at > 1 ? "level 3" : "level 2"));
            federation_close(&f);
        }
}

static void test_owners__choose_nothing(void **state) {
    (void)state;
    static federation f;
    hr_error err = {0};
    open_federation(&f, 600, 3, 2, federated_job("id3", 8, 0));
    hr_party_work *work = &f.simulation.parties[0].as.work;
    tampered = (tampered_work){work->next_question, ask_a_choice, 0, 0};
    work->next_question = ask_tampered;
    if (hr_simulation_run(&f.simulation, &err)) fail_msg("%s\n%s", err.message, f.lines);
    if (!strstr(f.lines, "has no answer")) fail_msg("%s", f.lines);
    federation_close(&f);
}

/* ---- What is refused before anything is sent ---- */

/* It is another protocol's, which takes no job that claims to be private. */
static void test_job__in_paper_mode_is_the_rings(void **state) {
    (void)state;
    assert_ptr_equal(hr_federated_method_named("id3", 3, HR_MODE_SOUND), &hr_federated_id3);
    assert_ptr_equal(hr_federated_method_named("id3", 3, HR_MODE_PAPER), &hr_federated_id3_ring);
    assert_ptr_equal(hr_federated_method_named("inprivate", 9, HR_MODE_PAPER), &hr_federated_inprivate);
}

static Hedgerow__Terms *terms_with(const hr_job_file *job, const hr_schema *schema, hr_bytes *packed) {
    const char *const names[] = {"a", "b", "c"};
    ProtobufCMessage *terms = NULL;
    assert_int_equal(hr_terms_of(job, "job", schema, &(hr_names){names, 3}, packed, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, packed->at, packed->size, &terms, NULL),
                     HR_OK);
    free(packed->at);
    return (Hedgerow__Terms *)terms;
}

/* An owner checks the terms itself. */
static void test_terms__that_an_owner_refuses(void **state) {
    (void)state;
    table t = table_of_steps(8, 2, 2, 5);
    hr_bytes packed = {0};
    hr_error err = {0};
    hr_job_file job = federated_job("id3", 1, 0);
    Hedgerow__Terms *terms = terms_with(&job, t.schema, &packed);
    assert_int_equal(hr_federated_id3.check_terms(terms, t.schema, &err), HR_OK);
    terms->epsilon = 1e-12;
    assert_int_equal(hr_federated_id3.check_terms(terms, t.schema, &err), HR_E_BUDGET);
    hr_message_unpacked_free(&terms->base);
    table_close(&t);
    t = table_of_steps(8, 2, 0, 5);
    assert_int_equal(hr_federated_id3.check_schema(t.schema, &err), HR_E_ARGUMENT);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owners__train_together),
        cmocka_unit_test(test_owners__learn),
        cmocka_unit_test(test_owners__may_have_no_records),
        cmocka_unit_test(test_account__lists_levels_and_leaves),
        cmocka_unit_test(test_progress__names_levels),
        cmocka_unit_test(test_owners__answer_no_question_that_is_not_the_machines),
        cmocka_unit_test(test_owners__choose_nothing),
        cmocka_unit_test(test_job__in_paper_mode_is_the_rings),
        cmocka_unit_test(test_terms__that_an_owner_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
