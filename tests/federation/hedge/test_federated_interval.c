/* Intervals that held-out records of several owners correct, from the offer to the model: which records are
 * in which sum, in all lives of an owner and whatever its table's order, what each pays, what is found, and
 * what is refused or lost. Where sums are compared epsilon is so large that a false alarm is far below 1e-6.
 */
#include "federation/federated/record_sides.h"
#include "federation/hedge/federated_interval.h"
#include "federation/machines/securesum.h"
#include "support/false_coordinator.h"
#include "support/person_tables.h"
#include "tables/data/records.h"

#include <math.h>

enum { OWNERS = 3, ROWS = 900, LEVELS = HR_INTERVAL_LEVELS };

static const double quantiles[] = {.1, .5, .9};
static federation w;

/* The label is uniform around the feature. */
static table table_of_quantiles(void) {
    table t = table_open(ROWS, 2);
    uint64_t seed = 11;
    hr_column label = number_column("y", 0, 2),
              features[] = {number_column("a", 0, 1), number_column("b", 0, 1)};
    label.quantiles = quantiles;
    label.quantile_count = COUNT(quantiles);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < 2; f++) t.columns[f][i] = next_unit(&seed);
        t.labels[i] = t.columns[0][i] + next_unit(&seed);
    }
    table_make(&t, label, features);
    return t;
}

static void open_world(double epsilon, double delta, double coverage) {
    hr_job_file job = federated_job("hedge", epsilon, delta);
    job.options.conformal = coverage;
    federation_open(&w, table_of_quantiles(), OWNERS, job, 1);
}

/* ---- What opens ---- */

static struct {
    hr_status (*real_ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    int kind;                       /* of the question that was asked last; -1: none */
    double trained, levels[LEVELS]; /* what opened: records of the trees; sums of the others */
    size_t level_sums, lives;
    bool loses;   /* an owner has no share of the last sum, once it is named */
    bool forgets; /* an owner forgets all but its journal before that sum */
} seen;

static int kind_of(const hr_bytes *body) {
    ProtobufCMessage *question = NULL;
    assert_int_equal(
        hr_message_unpack(&hedgerow__hedge_question__descriptor, body->at, body->size, &question, NULL),
        HR_OK);
    const int kind = (int)((const Hedgerow__HedgeQuestion *)question)->kind;
    hr_message_unpacked_free(question);
    return kind;
}

static void note_opened(const hr_job_view *job) {
    hr_sum_outcome o;
    const size_t asked = hr_securesum_outcomes(job->protocol);
    if (!asked || !hr_securesum_outcome(job->protocol, asked - 1, &o) || !o.sums) return;
    if (seen.kind == HR_HEDGE_TOTALS) seen.trained = (double)(int64_t)o.sums[0] / HR_COUNT_UNIT;
    if (seen.kind != HR_HEDGE_LEVELS) return;
    for (size_t i = 0; i < LEVELS; i++) seen.levels[i] = (double)(int64_t)o.sums[i];
    seen.level_sums++;
}

static hr_status ask_and_note(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    note_opened(job);
    hr_status status = seen.real_ask(self, job, out, err);
    if (status) return status;
    assert_int_equal(hr_message_unpack(&hedgerow__question__descriptor, out->at, out->size, &read, NULL),
                     HR_OK);
    const Hedgerow__Question *question = (const Hedgerow__Question *)read;
    seen.kind = question->done ? -1 : kind_of(&(hr_bytes){question->body.data, question->body.len});
    hr_message_unpacked_free(read);
    return HR_OK;
}

static hr_status train_or_lose(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err) {
    hr_sum_question question;
    assert_true(hr_securesum_question(job->protocol, slot, &question));
    if (seen.forgets && kind_of(&question.body) == HR_HEDGE_LEVELS) {
        hr_summed_free(*job->state);
        *job->state = NULL;
        seen.lives++;
    }
    if (seen.loses && question.prepared && kind_of(&question.body) == HR_HEDGE_LEVELS)
        return hr_fail(err, HR_E_LIMIT, "", "no share");
    return seen.real_train(self, job, slot, out, err);
}

static const hr_model *run_world(void) {
    hr_simulated_party *parties = w.simulation.parties;
    const bool loses = seen.loses, forgets = seen.forgets;
    memset(&seen, 0, sizeof seen);
    seen.loses = loses;
    seen.forgets = forgets;
    seen.real_ask = parties[0].as.work.next_question;
    seen.real_train = parties[1].as.work.train;
    parties[0].as.work.next_question = ask_and_note;
    parties[OWNERS].as.work.train = train_or_lose;
    return federation_run(&w);
}

/* ---- The correction ---- */

static const hr_release *correction_of(const hr_model *model) {
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, "correction of the interval")) return &model->releases[i];
    return NULL;
}

/* Each record is in the trees' sums or in that of the correction, and in no other. */
static void test_records__are_on_one_side_each(void **state) {
    (void)state;
    open_world(60, 1e-6, .8);
    const hr_model *model = run_world();
    const hr_conformal *made = &model->forest.conformal;
    double all = 0;
    assert_int_equal(seen.level_sums, 1);
    assert_true(fabs(seen.trained + made->held_out - ROWS) < 20);
    assert_true(made->held_out > .1 * ROWS && made->held_out < .3 * ROWS); /* five deviations */
    for (size_t i = 0; i < LEVELS; i++) all += seen.levels[i];
    assert_true(all > 0);
    assert_true(made->made && made->coverage == .8 && made->ends[0] == 0 && made->ends[1] == 2);
    double *predicted = predictions_of(model, w.table.data);
    size_t covered = 0;
    for (size_t i = 0; i < ROWS; i++)
        covered += predicted[3 * i] <= w.table.labels[i] && w.table.labels[i] <= predicted[3 * i + 2];
    free(predicted);
    assert_in_range(covered, 65 * ROWS / 100, 95 * ROWS / 100);
    federation_close(&w);
}

/* The whole budget for either side: no owner is charged more than the job says. */
static void test_model__lists_both_sides(void **state) {
    (void)state;
    for (size_t pure = 0; pure < 2; pure++) {
        open_world(2, pure ? 0 : 1e-6, .8);
        const hr_model *model = run_world();
        check_joint_model(model, 2, pure ? 0 : 1e-6);
        const hr_release *line = correction_of(model);
        assert_non_null(line);
        assert_int_equal(line->owner, HR_OWNER_HELD_OUT);
        assert_int_equal(line->shares, OWNERS - 1);
        assert_int_equal(line->cost, pure ? hr_units_down(2) : hr_gdp_budget(2, 1e-6));
        for (size_t i = 0; i < model->release_count; i++)
            assert_int_equal(model->releases[i].owner,
                             &model->releases[i] == line ? HR_OWNER_HELD_OUT : HR_OWNER_TRAINED);
        assert_non_null(strstr(hr_model_guarantee(model)->statement, "A secret coin of its owner"));
        federation_close(&w);
    }
}

/* A lost sum was paid for, and there is no second one. */
static void test_interval__stays_as_it_is_without_its_sum(void **state) {
    (void)state;
    open_world(2, 1e-6, .8);
    seen.loses = true;
    const hr_model *model = run_world();
    seen.loses = false;
    assert_int_equal(seen.level_sums, 0);
    assert_false(model->forest.conformal.made);
    assert_true(model->forest.tree_count > 0);
    assert_non_null(correction_of(model));
    check_joint_model(model, 2, 1e-6);
    federation_close(&w);
}

/* A life that begins again before the sum is named, and once more before its share: all is charged anew, to
 * gates that hold no more than before, and the sides are the same. */
static void test_interval__is_that_of_one_life(void **state) {
    (void)state;
    open_world(60, 1e-6, .8);
    seen.forgets = true;
    const hr_model *model = run_world();
    seen.forgets = false;
    assert_int_equal(seen.lives, 2);
    assert_int_equal(seen.level_sums, 1);
    assert_true(model->forest.conformal.made);
    assert_true(fabs(seen.trained + model->forest.conformal.held_out - ROWS) < 20);
    check_joint_model(model, 60, 1e-6);
    federation_close(&w);
}

static void test_job__without_the_option_is_as_before(void **state) {
    (void)state;
    open_world(2, 1e-6, 0);
    const hr_model *model = run_world();
    assert_false(model->forest.conformal.made);
    assert_null(correction_of(model));
    for (size_t i = 0; i < model->release_count; i++) assert_int_equal(model->releases[i].owner, 0);
    federation_close(&w);
}

/* ---- The coins ---- */

/* A machine of an owner's with this secret, of 32 bytes. */
static hr_protocol *machine_of(const uint8_t *secret, uint8_t job) {
    static const hr_party_view view = {0};
    hr_protocol_setup setup = {.view = &view, .secret = secret, .job = {{job}}};
    hr_protocol *owner = NULL;
    assert_int_equal(hr_securesum_owner(&setup, &owner, NULL), HR_OK);
    return owner;
}

static hr_digest key_of(uint8_t secret, uint8_t job) {
    uint8_t bytes[32] = {secret};
    hr_protocol *owner = machine_of(bytes, job);
    const hr_digest key = hr_securesum_key(owner);
    hr_protocol_free(owner);
    return key;
}

static void test_coins__are_those_of_the_owner_and_the_job(void **state) {
    (void)state;
    const hr_digest one = key_of(1, 1), again = key_of(1, 1), other = key_of(2, 1), later = key_of(1, 2);
    assert_memory_equal(one.bytes, again.bytes, sizeof one.bytes);
    assert_memory_not_equal(one.bytes, other.bytes, sizeof one.bytes);
    assert_memory_not_equal(one.bytes, later.bytes, sizeof one.bytes);
}

/* ---- The sides ---- */

enum { MANY = 20000 };

static const uint8_t key[HR_PRF_KEY] = "the key of an owner's coins, 32b";

/* Room for `rows` sides. Owner: the caller, by free. */
static uint32_t *sides_of(const hr_data *data) {
    uint32_t *sides = malloc((hr_data_rows(data) + 1) * sizeof *sides);
    assert_non_null(sides);
    assert_int_equal(hr_record_sides(data, key, sides, NULL), HR_OK);
    return sides;
}

/* The last record first, without record `gone`. Returns how many. */
static size_t turn_around(size_t rows, size_t gone, uint32_t *picked) {
    size_t count = 0;
    for (size_t i = rows; i-- > 0;)
        if (i != gone) picked[count++] = (uint32_t)i;
    return count;
}

/* Labels of the held-out records of a life of an owner, added up; and how many there are. */
static double held_out_in_a_life(const hr_data *data, size_t *count) {
    static const uint8_t secret[32] = {7};
    hr_protocol *owner = machine_of(secret, 1);
    const hr_job_view job = {.protocol = owner};
    const hr_owner_turn turn = {.job = &job, .data = data};
    const hr_fit_options options = {.conformal = .8};
    const hr_data *trained = NULL;
    hr_conformal_parts parts = {0};
    double sum = 0;
    assert_int_equal(hr_federated_interval_divide(&turn, &options, &trained, &parts, NULL), HR_OK);
    assert_ptr_equal(trained, parts.trained);
    *count = hr_data_rows(parts.held_out);
    assert_int_equal(hr_data_rows(trained) + *count, hr_data_rows(data));
    for (size_t i = 0; i < *count; i++) sum += hr_data_labels(parts.held_out)[i];
    hr_conformal_parts_done(&parts);
    hr_protocol_free(owner);
    return sum;
}

/* The table is read again in another order, and one record is gone. */
static void test_sides__are_those_of_the_record_in_all_lives(void **state) {
    (void)state;
    uint32_t picked[ROWS];
    size_t held_out, again;
    table t = table_of_quantiles();
    const double labels = held_out_in_a_life(t.data, &held_out);
    hr_data *turned = hr_data_take(t.data, picked, turn_around(ROWS, ROWS, picked));
    assert_non_null(turned);
    assert_true(fabs(held_out_in_a_life(turned, &again) - labels) < 1e-9);
    assert_int_equal(again, held_out);
    hr_data_free(turned);
    uint32_t *before = sides_of(t.data);
    for (size_t gone = 0; gone < ROWS; gone += 100) {
        const size_t count = turn_around(ROWS, gone, picked);
        assert_non_null(turned = hr_data_take(t.data, picked, count));
        uint32_t *after = sides_of(turned);
        for (size_t i = 0; i < count; i++) assert_int_equal(after[i], before[picked[i]]);
        free(after);
        hr_data_free(turned);
    }
    free(before);
    table_close(&t);
}

/* A fifth of equal records is held out: six deviations. Whichever of them goes, those that are left have the
 * sides of the first ones. */
static void test_sides__of_equal_records_are_their_own(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9}\n"
                                       "features:\n  - {name: x, kind: number, low: 0, high: 1}\n");
    double *x = calloc(MANY, sizeof *x), *y = calloc(MANY, sizeof *y);
    assert_true(x && y);
    for (size_t i = 0; i < MANY; i += 2) x[i] = -0.; /* the same as 0 */
    const double *const columns[] = {x};
    hr_data *all, *fewer;
    assert_int_equal(hr_data_from_arrays(schema, MANY, columns, y, &all, NULL), HR_OK);
    assert_int_equal(hr_data_from_arrays(schema, MANY - 1, columns, y, &fewer, NULL), HR_OK);
    uint32_t *sides = sides_of(all), *left = sides_of(fewer);
    size_t held_out = 0;
    for (size_t i = 0; i < MANY; i++) held_out += sides[i];
    assert_true(fabs((double)held_out - .2 * MANY) < 6 * sqrt(.16 * MANY));
    assert_memory_equal(sides, left, (MANY - 1) * sizeof *sides);
    free(left);
    free(sides);
    hr_data_free(fewer);
    hr_data_free(all);
    free(y);
    free(x);
    hr_schema_free(schema);
}

static const char unit_text[] =
    "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9}\nfeatures:\n"
    "  - {name: x, kind: number, low: 0, high: 1}\nunit: who\n";

/* Records of persons p0 to p299, three each, from the last to the first if turned, without those of a person.
 */
static hr_data *table_of_persons(const hr_schema *schema, bool turned, size_t gone) {
    hr_buffer text = {0};
    hr_buffer_text(&text, "who,x,y\n");
    for (size_t i = 0; i < ROWS; i++) {
        const size_t record = turned ? ROWS - 1 - i : i;
        if (record % 300 != gone) hr_buffer_format(&text, "p%zu,.5,%zu\n", record % 300, record % 7);
    }
    hr_buffer_add(&text, "", 1);
    hr_data *data = data_of_text(schema, text.bytes);
    hr_buffer_done(&text);
    return data;
}

/* Persons are numbered as they come: in another order each has another number, and the side it had. */
static void test_sides__of_a_person_are_one_in_all_lives(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(unit_text);
    hr_data *data = table_of_persons(schema, false, 300), *turned = table_of_persons(schema, true, 17);
    uint32_t *before = sides_of(data), *after = sides_of(turned);
    size_t held_out = 0, count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        held_out += before[i];
        assert_int_equal(before[i], before[i % 300]);
    }
    assert_true(held_out % 3 == 0 && held_out / 3 > 18 && held_out / 3 < 102); /* six deviations */
    for (size_t i = 0; i < ROWS; i++)
        if ((ROWS - 1 - i) % 300 != 17) assert_int_equal(after[count++], before[ROWS - 1 - i]);
    assert_int_equal(count, hr_data_rows(turned));
    uint32_t picked[] = {899, 17, 317, 5};
    hr_data *some = hr_data_take(data, picked, COUNT(picked));
    assert_non_null(some);
    uint32_t *of_some = sides_of(some);
    for (size_t i = 0; i < COUNT(picked); i++) assert_int_equal(of_some[i], before[picked[i]]);
    free(of_some);
    free(some->person_hashes); /* as of a rank's part */
    some->person_hashes = NULL;
    uint32_t none[COUNT(picked)];
    hr_error err = {0};
    assert_int_equal(hr_record_sides(some, key, none, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "the part of a rank"));
    hr_data_free(some);
    free(after);
    free(before);
    hr_data_free(turned);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* Of persons whose numbers belong to them, not to the table: person 0 leaves, and all others stay as they
 * are.
 */
static void test_sides__of_numbered_persons_are_one_in_all_lives(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(unit_text);
    static double x[ROWS];
    uint64_t numbers[ROWS];
    for (size_t i = 0; i < ROWS; i++) numbers[i] = i / 3 * 0x9e3779b97f4a7c15u;
    uint32_t *sides[2];
    for (size_t left = 0; left < 2; left++) {
        const hr_array column = {x, HR_ELEMENT_FLOAT64, sizeof *x};
        const hr_arrays arrays = {
            .rows = ROWS - 3 * left, .columns = &column, .labels = &column, .persons = numbers + 3 * left};
        hr_data *data;
        assert_int_equal(hr_data_borrow(schema, &arrays, &data, NULL), HR_OK);
        sides[left] = sides_of(data);
        hr_data_free(data);
    }
    assert_memory_equal(sides[1], sides[0] + 3, (ROWS - 3) * sizeof **sides);
    free(sides[1]);
    free(sides[0]);
    hr_schema_free(schema);
}

/* Another release of the program has to find the same sides: jobs go on over an upgrade. */
static void check_golden(const hr_data *data, const char *expected) {
    char found[64] = "";
    uint32_t *sides = sides_of(data);
    for (size_t i = 0; i < hr_data_rows(data); i++) found[i] = sides[i] ? 'h' : '.';
    assert_string_equal(found, expected);
    free(sides);
}

static void test_sides__are_those_of_earlier_releases(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(
        "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 9}\nfeatures:\n"
        "  - {name: x, kind: number, low: 0, high: 1}\n  - {name: c, kind: category, values: [a, b]}\n"
        "missing: [NA]\nweight: {column: w, high: 4}\n");
    hr_buffer text = {0};
    hr_buffer_text(&text, "x,c,w,y\nNA,a,1,2\n");
    for (size_t i = 0; i < 39; i++) {
        const size_t k = i % 30; /* nine records are there twice */
        hr_buffer_format(&text, "%g,%c,%zu,%zu\n", (double)(k % 5) / 4, k % 2 ? 'a' : 'b', k % 3, k % 4);
    }
    hr_buffer_add(&text, "", 1);
    hr_data *data = data_of_text(schema, text.bytes);
    check_golden(data, ".h..hh.................h..h....h.....h..");
    hr_data_free(data);
    hr_buffer_done(&text);
    hr_schema_free(schema);
    schema = schema_of_text(unit_text);
    data = data_of_text(schema, "who,x,y\nann,0,1\nbob,0,1\ncy,0,2\nann,1,3\ndee,0,1\neve,0,1\nfay,0,1\n"
                                "gil,0,1\nhal,0,1\n07,0,1\n7,0,1\njo,0,1\nkim,0,1\nlou,0,1\nmax,0,1\n");
    check_golden(data, ".h.........h.h.");
    hr_data_free(data);
    hr_schema_free(schema);
}

/* ---- What is refused ---- */

static void ask_for_levels(Hedgerow__Question *question) {
    uint8_t *bytes = malloc(64);
    Hedgerow__HedgeQuestion asked = HEDGEROW__HEDGE_QUESTION__INIT;
    uint64_t cost = HR_UNIT;
    asked.kind = HEDGEROW__HEDGE_QUESTION__KIND__LEVELS;
    assert_non_null(bytes);
    asked.n_costs = 1;
    asked.costs = &cost;
    free(question->body.data);
    question->body.len = hedgerow__hedge_question__pack(&asked, bytes);
    question->body.data = bytes;
    question->values = LEVELS;
}

static void test_question__of_no_held_out_records_is_refused(void **state) {
    (void)state;
    false_coordinator found;
    open_world(2, 1e-6, 0);
    assert_int_not_equal(false_coordinator_run(&w, ask_for_levels, 1, &found), HR_OK);
    assert_int_equal(found.answers, 0);
    assert_non_null(strstr(found.why, "an interval that no records are held out for"));
    federation_close(&w);
}

static void test_terms__are_refused_by_name(void **state) {
    (void)state;
    table t = table_of_quantiles();
    hr_error err;
    hr_job_file job = federated_job("hedge", 2, 1e-6);
    job.options.conformal = .7;
    assert_null(federation_terms(&job, t.schema, &err));
    assert_string_equal(err.field, "conformal");
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__are_on_one_side_each),
        cmocka_unit_test(test_model__lists_both_sides),
        cmocka_unit_test(test_interval__stays_as_it_is_without_its_sum),
        cmocka_unit_test(test_interval__is_that_of_one_life),
        cmocka_unit_test(test_job__without_the_option_is_as_before),
        cmocka_unit_test(test_coins__are_those_of_the_owner_and_the_job),
        cmocka_unit_test(test_sides__are_those_of_the_record_in_all_lives),
        cmocka_unit_test(test_sides__of_equal_records_are_their_own),
        cmocka_unit_test(test_sides__of_a_person_are_one_in_all_lives),
        cmocka_unit_test(test_sides__of_numbered_persons_are_one_in_all_lives),
        cmocka_unit_test(test_sides__are_those_of_earlier_releases),
        cmocka_unit_test(test_question__of_no_held_out_records_is_refused),
        cmocka_unit_test(test_terms__are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
