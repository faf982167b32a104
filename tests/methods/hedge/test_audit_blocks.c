/* hedge on 131,072 records, of which it deals two blocks, against what it claims: whole trainings on
 * neighbouring tables (audit_games.h: seeds are fixed, false-alarm rate 1e-6 a game). The canary is one
 * record, one of weighed classes, a person with 50 records, or a person of whom two records are drawn. */
#include "base/buffer.h"
#include "support/hedge_games.h"
#include "support/person_tables.h"

/* As many as make two blocks, and some, so that their noisy number does so too. */
enum { RECORDS = 131072 + 1024, OF_PERSON = 50, RUNS = 240 };

static const double EPSILON = 1;
static const double weights[] = {1, 3};

/* So many records of the first class for each of the second, which the canary's are, too. Those of the second
 * are half of RECORDS. */
static hr_data *table_of_blocks(const hr_schema *schema, size_t firsts, size_t canary) {
    hr_buffer b = {0};
    char *text = NULL;
    hr_buffer_text(&b, hr_schema_unit(schema) ? "who,x,y\n" : "x,y\n");
    for (size_t i = 0; i < RECORDS / 2 * (1 + firsts); i++) {
        if (hr_schema_unit(schema)) hr_buffer_format(&b, "%zu,", i);
        hr_buffer_format(&b, "u,%c\n", i % (1 + firsts) ? 'a' : 'b');
    }
    for (size_t i = 0; i < canary; i++) hr_buffer_text(&b, hr_schema_unit(schema) ? "canary,u,b\n" : "u,b\n");
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_data *data = data_of_text(schema, text);
    hr_text_free(text);
    return data;
}

static game game_of_records(const char *name, const char *unit, size_t firsts, size_t canary) {
    const setting s = {name, 0, 2};
    char text[200];
    snprintf(text, sizeof text,
             "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"
             "features: [{name: x, kind: category, values: [u]}]\n%s",
             unit);
    game g = game_of(&s, EPSILON, EPSILON, RUNS, likelihood_ratio);
    hedge_leaf = (leaf_of_all){RECORDS, RECORDS / 2};
    g.with.schema = schema_of_text(text);
    g.with.data = table_of_blocks(g.with.schema, firsts, canary);
    g.without.data = table_of_blocks(g.with.schema, firsts, 0);
    return g;
}

static game game_of_blocks(const char *name, const char *unit, size_t canary) {
    return game_of_records(name, unit, 1, canary);
}

/* Else it would be no game on blocks: choices of one group are of several parts. */
static void check_blocks(const game *g) {
    hr_fit_options options = g->options;
    options.reproducible_noise = true;
    hr_model *model = fit(g->with.data, &options);
    uint64_t parts = 0;
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, "choice of tree") && model->releases[i].part >= parts)
            parts = model->releases[i].part + 1;
    assert_true(parts >= 2);
    hr_model_free(model);
}

static void play(game g) {
    check_blocks(&g);
    assert_quiet(&g, bound_of(&g));
    game_close(&g);
}

static void test_w14__finds_no_more_than_is_claimed_of_a_record(void **state) {
    (void)state;
    play(game_of_blocks("W14 a record", "", 1));
}

/* Three times as many records of the first class, which weigh a third. */
static void test_w14__finds_no_more_than_is_claimed_of_a_record_of_a_weighed_class(void **state) {
    (void)state;
    game g = game_of_records("W14 a record of a weighed class", "", 3, 1);
    g.options.class_weights = weights;
    g.options.class_weight_count = COUNT(weights);
    play(g);
}

static void test_w14__finds_no_more_than_is_claimed_of_a_person(void **state) {
    (void)state;
    play(game_of_blocks("W14 a person with 50 records", "unit: who\n", OF_PERSON));
}

static void test_w14__finds_no_more_than_is_claimed_of_a_sampled_person(void **state) {
    (void)state;
    game g = game_of_blocks("W14 a person, 2 of 50 records drawn", "unit: who\n", OF_PERSON);
    g.options.records_per_person = 2;
    play(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_w14__finds_no_more_than_is_claimed_of_a_record),
        cmocka_unit_test(test_w14__finds_no_more_than_is_claimed_of_a_record_of_a_weighed_class),
        cmocka_unit_test(test_w14__finds_no_more_than_is_claimed_of_a_person),
        cmocka_unit_test(test_w14__finds_no_more_than_is_claimed_of_a_sampled_person),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
