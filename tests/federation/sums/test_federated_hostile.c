/* hedge over owners against a coordinator that asks what its machine would not: every question travels as
 * always, signed and sealed, and the owners answer it or say that they have no answer. Nothing is paid for
 * by halves: what an owner answers it has charged, with the sensitivities of its own code. */
#include "federation/federated/federated_method.h"
#include "federation/machines/securesum.h"
#include "fit/budget.h"
#include "support/federation.h"
#include "tables/bins/time_cuts.h"
#include "tables/schema/survival_code.h"

enum { OWNERS = 3, ROWS = 90, QUESTIONS_MAX = 400, ANY = 99 /* kinds of questions */ };

#define K(kind) HEDGEROW__HEDGE_QUESTION__KIND__##kind

/* What a coordinator makes of its machine's question. */
typedef void tampering(Hedgerow__Question *question, Hedgerow__HedgeQuestion *body);

typedef struct owner_log {
    size_t answers, refusals;
    char why[sizeof((hr_error *)NULL)->message]; /* of the first refusal */
} owner_log;

static struct {
    federation federation;
    hr_status (*real_ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
    hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
    tampering *tamper;
    uint32_t kind; /* of the questions that it tampers with */
    size_t asked, tampered;
    bool forgets; /* owners lose what they keep in memory before each answer */
    bool asked_leaves;
    uint64_t largest; /* of the leaf sums that opened */
    owner_log owners[OWNERS];
} w;

/* ---- The coordinator ---- */

static Hedgerow__HedgeQuestion *read_body(const Hedgerow__Question *question) {
    ProtobufCMessage *body = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__hedge_question__descriptor, question->body.data,
                                       question->body.len, &body, NULL),
                     HR_OK);
    return (Hedgerow__HedgeQuestion *)body;
}

static void repack(Hedgerow__Question *question, Hedgerow__HedgeQuestion *body, hr_bytes *out) {
    hr_bytes packed = {0};
    const ProtobufCBinaryData was = question->body;
    assert_int_equal(hr_message_pack(&body->base, &packed, NULL), HR_OK);
    question->body = hr_data_of(packed.at, packed.size);
    free(out->at);
    assert_int_equal(hr_message_pack(&question->base, out, NULL), HR_OK);
    question->body = was;
    free(packed.at);
}

/* Of a binary label the first half of a question's values are leaf sums. */
static void note_leaves(const hr_job_view *job) {
    hr_sum_outcome o;
    size_t asked = hr_securesum_outcomes(job->protocol);
    if (!w.asked_leaves || !hr_securesum_outcome(job->protocol, asked - 1, &o) || o.dropped) return;
    for (size_t i = 0; i < o.count / 2; i++) {
        uint64_t size = (int64_t)o.sums[i] < 0 ? 0 - o.sums[i] : o.sums[i];
        if (size > w.largest) w.largest = size;
    }
}

static hr_status ask_falsely(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    note_leaves(job);
    hr_status status = w.real_ask(self, job, out, err);
    if (status || ++w.asked > QUESTIONS_MAX) return status;
    assert_int_equal(hr_message_unpack(&hedgerow__question__descriptor, out->at, out->size, &read, NULL),
                     HR_OK);
    Hedgerow__Question *question = (Hedgerow__Question *)read;
    if (!question->done) {
        Hedgerow__HedgeQuestion *body = read_body(question);
        w.asked_leaves = body->kind == K(LEAVES);
        if (body->kind == w.kind || w.kind == ANY) {
            w.tampered++;
            w.tamper(question, body);
            repack(question, body, out);
        }
        hr_message_unpacked_free(&body->base);
    }
    hr_message_unpacked_free(read);
    return HR_OK;
}

/* ---- The owners ---- */

static size_t owner_of(const hr_party_work *self) {
    size_t o = 0;
    while (self != &w.federation.simulation.parties[o + 1].as.work) o++;
    return o;
}

static bool is_tampered_with(const hr_sum_question *question) {
    const Hedgerow__Question outer = {.body = {question->body.size, question->body.at}};
    Hedgerow__HedgeQuestion *body = read_body(&outer);
    bool is = body->kind == w.kind || w.kind == ANY || body->kind > K(CUTS);
    hr_message_unpacked_free(&body->base);
    return is;
}

static tampering costs_a_seventh;

/* After a question that it refused an owner answers none of the job. */
static hr_status watch(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                       hr_error *err) {
    size_t o = owner_of(self);
    hr_sum_question question;
    assert_true(hr_securesum_question(job->protocol, slot, &question));
    if (w.forgets) {
        job->method->free_state(*job->state);
        *job->state = NULL;
    }
    hr_status status = w.real_train(self, job, slot, out, err);
    if (status && !*w.owners[o].why) snprintf(w.owners[o].why, sizeof w.owners[o].why, "%s", err->message);
    if (!is_tampered_with(&question)) {
        bool spent = w.tamper == costs_a_seventh && status && strstr(w.owners[o].why, "is left");
        if (status && !spent && !w.owners[o].refusals) fail_msg("an honest question: %s", err->message);
        return status;
    }
    if (status) {
        w.owners[o].refusals++;
        assert_null(out->at);
    } else if (!question.to_prepare) {
        w.owners[o].answers++;
    }
    return status;
}

/* ---- A job ---- */

static void open_job_of(table t, hr_job_file job, uint32_t kind, tampering *tamper) {
    memset(&w, 0, sizeof w);
    federation_open(&w.federation, t, OWNERS, job, 1);
    w.kind = kind;
    w.tamper = tamper;
    hr_simulated_party *parties = w.federation.simulation.parties;
    w.real_ask = parties[0].as.work.next_question;
    parties[0].as.work.next_question = ask_falsely;
    w.real_train = parties[1].as.work.train;
    for (size_t o = 1; o <= OWNERS; o++) parties[o].as.work.train = watch;
}

static void open_job(hr_job_file job, size_t classes, uint32_t kind, tampering *tamper) {
    open_job_of(table_of_steps(ROWS, 2, classes, 5), job, kind, tamper);
}

/* ---- Ways to ask falsely ---- */

static hr_units budget_of_job(void) {
    hr_budget budget;
    assert_int_equal(hr_budget_of(&hr_method_hedge, &w.federation.job.options, &budget, NULL), HR_OK);
    return budget.units;
}

static void changes_nothing(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q, (void)b;
}

static void costs_too_much(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->costs[0] = budget_of_job() + 1;
}

/* Bins share what their question costs out to 14 levels of two features. */
static void costs_too_much_a_level(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->costs[0] = 29 * budget_of_job();
}

static void costs_most_of_all(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->costs[0] = UINT64_MAX;
}

static void costs_nothing(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->costs[b->n_costs - 1] = 0;
}

static void has_too_few_costs(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->n_costs--;
}

static void has_too_many_costs(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->costs = realloc(b->costs, 8 * sizeof *b->costs);
    assert_non_null(b->costs);
    while (b->n_costs < 8) b->costs[b->n_costs++] = 1;
}

static void is_of_no_kind(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->kind = (Hedgerow__HedgeQuestion__Kind)7;
}

static void is_asked_as_a_choice(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)b;
    q->values = 0;
    q->turns = 1000;
}

static void is_asked_as_a_sum(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)b;
    q->turns = 0;
    q->values = 1;
}

static void names_a_node_twice(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->nodes[0]->nodes[1] = b->nodes[0]->nodes[0];
}

static void names_a_part_twice(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->nodes[1]->feature = b->nodes[0]->feature;
    b->nodes[1]->level = b->nodes[0]->level;
    b->nodes[1]->n_nodes = b->nodes[0]->n_nodes;
    memcpy(b->nodes[1]->nodes, b->nodes[0]->nodes, b->nodes[0]->n_nodes * sizeof *b->nodes[0]->nodes);
}

static void names_no_feature(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->nodes[b->n_nodes - 1]->feature = 99;
}

static void names_a_level_of_no_tree(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->nodes[0]->level = UINT32_C(1) << 31;
}

/* A part for the root's children of the first feature. */
static void asks_for_bins(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    static const uint32_t children[] = {2, 3};
    Hedgerow__HedgeNodes *part = malloc(sizeof *part);
    b->nodes = malloc(sizeof *b->nodes);
    assert_true(part && b->nodes);
    hedgerow__hedge_nodes__init(part);
    part->level = 1;
    part->n_nodes = COUNT(children);
    assert_non_null(part->nodes = malloc(sizeof children));
    memcpy(part->nodes, children, sizeof children);
    b->nodes[0] = part;
    b->n_nodes = 1;
    b->n_costs = 1;
    b->kind = K(BINS);
    q->values = COUNT(children);
}

static void has_no_clip(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->bound = 0;
}

static void has_a_wide_clip(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->bound = (1 << 13) + 1;
}

static void has_an_endless_clip(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->bound = UINT64_MAX;
}

static void has_a_tree_with_a_circle(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->left[1] = 1;
}

static void has_a_leaf_of_two_parents(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->left[1] = b->trees[0]->left[0];
}

static void has_a_cut_beyond_the_bins(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->cut[0] = 200;
}

static void splits_no_feature(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->feature[0] = 77;
}

static void has_columns_that_differ(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->n_cut--;
}

static void has_subsets_of_no_node(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    Hedgerow__HedgeTree *tree = b->trees[0];
    size_t count = 4 * (tree->n_left + 1);
    tree->subsets = realloc(tree->subsets, count * sizeof *tree->subsets);
    assert_non_null(tree->subsets);
    memset(tree->subsets, 0, count * sizeof *tree->subsets);
    tree->n_subsets = count;
}

static void has_no_trees(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    for (size_t i = 0; i < b->n_trees; i++) hr_message_unpacked_free(&b->trees[i]->base);
    b->n_trees = 0;
}

static void steps_nowhere(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->step = realloc(b->step, 8);
    assert_non_null(b->step);
    b->n_step = 1;
    b->step[0] = (double)NAN;
}

static void has_a_forest_of_no_values(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->n_values--;
}

static void has_a_forest_of_no_numbers(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->trees[0]->values[0] = (double)INFINITY;
}

static double width;

static void has_a_width(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->width = width;
}

static void brings_no_cuts(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    free(b->cuts);
    b->cuts = NULL;
    b->n_cuts = 0;
}

static void brings_cuts_that_fall(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    assert_true(b->n_cuts > 1);
    b->cuts[0] = 2 * b->cuts[b->n_cuts - 1];
}

static void brings_another_last_cut(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->cuts[b->n_cuts - 1] *= 2;
}

static void brings_more_cuts(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    const double last = b->cuts[b->n_cuts - 1];
    b->cuts = realloc(b->cuts, 8 * sizeof *b->cuts);
    assert_non_null(b->cuts);
    for (size_t i = 0; i < 8; i++) b->cuts[i] = last * (double)(i + 1) / 8;
    b->n_cuts = 8;
}

static void asks_for_cuts(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    b->kind = K(CUTS);
    b->n_costs = 1;
    q->values = HR_TIME_CUTS_NODES;
}

static void asks_for_leaves(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->kind = K(LEAVES);
}

/* Each of ten levels costs a tenth. */
static void costs_too_much_of_ten(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    b->costs[0] = 11 * budget_of_job();
}

/* ---- Questions that no owner answers ---- */

static const struct {
    uint32_t kind;
    tampering *tamper;
    const char *why;
} hostile[] = {{K(TOTALS), costs_too_much, "needs mu^2"},
               {K(TOTALS), costs_most_of_all, "'record count'"},
               {K(TOTALS), costs_nothing, "too small"},
               {K(TOTALS), has_too_few_costs, "fewer costs than releases"},
               {K(TOTALS), has_too_many_costs, "more costs than releases"},
               {K(TOTALS), is_of_no_kind, "a kind that is not known"},
               {K(TOTALS), is_asked_as_a_choice, "a sum as a choice"},
               {K(BINS), costs_too_much_a_level, "needs mu^2"},
               {K(BINS), names_a_node_twice, "nodes that do not ascend"},
               {K(BINS), names_a_part_twice, "parts that do not ascend"},
               {K(BINS), names_no_feature, "a feature whose bins are public"},
               {K(BINS), names_a_level_of_no_tree, "a level outside of 1 to 14"},
               {K(CHOICE), costs_too_much, "needs mu^2"},
               {K(CHOICE), is_asked_as_a_sum, "as a sum"},
               {K(CHOICE), has_no_clip, "a clip that is out of range"},
               {K(CHOICE), has_a_wide_clip, "a clip that is out of range"},
               {K(CHOICE), has_no_trees, "too many candidates, or none"},
               {K(CHOICE), has_a_tree_with_a_circle, "not well formed"},
               {K(LEAVES), costs_too_much, "needs mu^2"},
               {K(LEAVES), costs_nothing, "too small"},
               {K(LEAVES), has_a_wide_clip, "a clip that is out of range"},
               {K(LEAVES), has_an_endless_clip, "a clip that is out of range"},
               {K(LEAVES), has_no_trees, "other than one tree"},
               {K(LEAVES), has_a_leaf_of_two_parents, "not well formed"},
               {K(LEAVES), has_a_cut_beyond_the_bins, "not well formed"},
               {K(LEAVES), splits_no_feature, "not well formed"},
               {K(LEAVES), has_columns_that_differ, "whose columns differ"},
               {K(LEAVES), has_subsets_of_no_node, "whose columns differ"},
               {K(LEAVES), steps_nowhere, "a step that is not finite, or too long"},
               {K(RELIABILITY), costs_too_much, "needs mu^2"},
               {K(RELIABILITY), has_a_forest_of_no_values, "a tree without values"},
               {K(RELIABILITY), has_a_forest_of_no_numbers, "a tree without values"}};

/* The job goes on as if the answer had been lost, or ends. */
static void test_hostile_question__has_no_answer(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(hostile); i++) {
        hr_error err = {0};
        open_job(federated_job("hedge", 4, 1e-6), 2, hostile[i].kind, hostile[i].tamper);
        hr_status status = hr_simulation_run(&w.federation.simulation, &err);
        assert_true(w.tampered > 0 && (status == HR_OK || status == HR_E_POLICY));
        size_t refusals = 0;
        for (size_t o = 0; o < OWNERS; o++) {
            refusals += w.owners[o].refusals;
            if (w.owners[o].answers) fail_msg("row %zu: %zu answers", i, w.owners[o].answers);
            if (w.owners[o].refusals && !strstr(w.owners[o].why, hostile[i].why))
                fail_msg("row %zu: %s", i, w.owners[o].why);
        }
        if (!refusals) fail_msg("row %zu: nobody was asked", i);
        federation_close(&w.federation);
    }
}

static table table_of_categories(void) {
    table t = table_open(ROWS, 2);
    const hr_column features[] = {category_column("x0", 3), category_column("x1", 3)};
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = (double)(i % 3);
        t.columns[1][i] = (double)(i / 3 % 3);
        t.labels[i] = (double)(i % 2);
    }
    table_make(&t, category_column("y", 2), features);
    return t;
}

/* A record's gradient of quantiles is divided by the width; of all else it is no part of a question. */
static void test_hostile_question__about_widths_has_no_answer(void **state) {
    (void)state;
    static const double three[] = {.1, .5, .9}, widths[] = {0, -.5, 1e-9, 1.5, (double)NAN, (double)INFINITY};
    static const uint32_t kinds[] = {K(CHOICE), K(LEAVES)};
    for (size_t i = 0; i <= COUNT(widths) * COUNT(kinds); i++) {
        const bool has_quantiles = i < COUNT(widths) * COUNT(kinds);
        table t = table_of_categories();
        if (has_quantiles) {
            hr_column label = number_column("y", 0, 2);
            const hr_column features[] = {category_column("x0", 3), category_column("x1", 3)};
            label.quantiles = three;
            label.quantile_count = 3;
            hr_data_free(t.data);
            hr_schema_free(t.schema);
            table_make(&t, label, features);
        }
        width = has_quantiles ? widths[i / COUNT(kinds)] : .5;
        open_job_of(t, federated_job("hedge", 4, 1e-6), kinds[i % COUNT(kinds)], has_a_width);
        (void)!hr_simulation_run(&w.federation.simulation, NULL);
        for (size_t o = 0; o < OWNERS; o++) {
            if (w.owners[o].answers) fail_msg("width %g was answered", width);
            if (w.owners[o].refusals && !strstr(w.owners[o].why, "a width that is out of range"))
                fail_msg("%s", w.owners[o].why);
        }
        assert_true(w.tampered > 0);
        federation_close(&w.federation);
    }
}

static table table_of_times(bool finds_cuts) {
    static const double cuts[] = {3, 6, 9};
    table t = table_open(ROWS, 1);
    const hr_column feature = category_column("x0", 3);
    hr_column label = number_column("days", -1e300, 1e300);
    label.event = "died";
    label.intervals = cuts;
    label.interval_count = COUNT(cuts);
    label.quantile_cuts = finds_cuts;
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = (double)(i % 3);
        t.labels[i] = hr_time_label((double)(i * 7 % 100) / 10, i % 4 > 0);
    }
    table_make(&t, label, &feature);
    return t;
}

static const struct {
    bool finds_cuts;
    uint32_t kind;
    tampering *tamper;
    const char *why;
} of_times[] = {{true, K(TOTALS), brings_no_cuts, "cuts of times that do not ascend"},
                {true, K(TOTALS), brings_cuts_that_fall, "cuts of times that do not ascend"},
                {true, K(TOTALS), brings_another_last_cut, "cuts of times that do not ascend"},
                {true, K(TOTALS), brings_more_cuts, "cuts of times that do not ascend"},
                {true, ANY, asks_for_leaves, "no cuts of times before it"},
                {true, K(CUTS), costs_nothing, "too small"},
                {true, K(CUTS), costs_too_much_of_ten, "needs mu^2"},
                {true, K(CUTS), has_too_many_costs, "more costs than releases"},
                {false, ANY, asks_for_cuts, "cuts of times that the schema has"}};

/* What a record adds follows from cuts: an owner has those that came first, and the schema's last one. */
static void test_hostile_question__about_cuts_has_no_answer(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(of_times); i++) {
        open_job_of(table_of_times(of_times[i].finds_cuts), federated_job("hedge", 4, 1e-6), of_times[i].kind,
                    of_times[i].tamper);
        (void)!hr_simulation_run(&w.federation.simulation, NULL);
        assert_true(w.tampered > 0);
        for (size_t o = 0; o < OWNERS; o++) {
            if (w.owners[o].answers) fail_msg("row %zu: %zu answers", i, w.owners[o].answers);
            if (!strstr(w.owners[o].why, of_times[i].why)) fail_msg("row %zu: %s", i, w.owners[o].why);
        }
        federation_close(&w.federation);
    }
}

/* No feature needs quantiles, so that no cost is meant for bins. */
static void test_hostile_question__about_bins_that_are_public_has_no_answer(void **state) {
    (void)state;
    open_job_of(table_of_categories(), federated_job("hedge", 4, 1e-6), ANY, asks_for_bins);
    (void)!hr_simulation_run(&w.federation.simulation, NULL);
    for (size_t o = 0; o < OWNERS; o++) {
        assert_int_equal(w.owners[o].answers, 0);
        if (!strstr(w.owners[o].why, "a feature whose bins are public")) fail_msg("%s", w.owners[o].why);
    }
    federation_close(&w.federation);
}

/* ---- More than the budget ---- */

static void costs_a_seventh(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    for (size_t i = 0; i < b->n_costs; i++) b->costs[i] = budget_of_job() / 7 / b->n_costs;
    if (q->turns) q->turns = QUESTIONS_MAX;
}

/* The coordinator asks as often as it can. What it asked for before is nobody else's business: seven
 * sevenths are too many, since the other questions cost something too. */
static void check_sevenths(uint32_t kind, bool forgets) {
    hr_error err = {0};
    open_job(federated_job("hedge", 4, 1e-6), 2, kind, costs_a_seventh);
    w.forgets = forgets;
    (void)!hr_simulation_run(&w.federation.simulation, &err);
    for (size_t o = 0; o < OWNERS; o++) {
        if (w.owners[o].answers > 6 || !w.owners[o].answers)
            fail_msg("kind %u: %zu answers", kind, w.owners[o].answers);
        assert_true(w.owners[o].refusals > 0);
        assert_non_null(strstr(w.owners[o].why, "is left"));
    }
    federation_close(&w.federation);
}

static void test_hostile_coordinator__gets_no_more_than_the_budget(void **state) {
    (void)state;
    for (int forgets = 0; forgets <= 1; forgets++) {
        check_sevenths(K(CHOICE), forgets);
        check_sevenths(K(LEAVES), forgets);
    }
}

/* ---- What a crash may change ---- */

/* An owner that remembers nothing but its journal answers as one that never stopped, to the end. */
static void test_owner__that_forgets_goes_on(void **state) {
    (void)state;
    hr_error err = {0};
    open_job(federated_job("hedge", 4, 1e-6), 2, ANY, changes_nothing);
    w.forgets = true;
    if (hr_simulation_run(&w.federation.simulation, &err)) fail_msg("%s", err.message);
    for (size_t o = 0; o < OWNERS; o++) {
        assert_int_equal(w.owners[o].refusals, 0);
        assert_true(w.owners[o].answers > 25);
    }
    federation_close(&w.federation);
}

/* It finds the cuts of times in its journal, too. */
static void test_owner__that_forgets_knows_its_cuts(void **state) {
    (void)state;
    hr_error err = {0};
    open_job_of(table_of_times(true), federated_job("hedge", 4, 1e-6), ANY, changes_nothing);
    w.forgets = true;
    if (hr_simulation_run(&w.federation.simulation, &err)) fail_msg("%s", err.message);
    for (size_t o = 0; o < OWNERS; o++) {
        assert_int_equal(w.owners[o].refusals, 0);
        assert_true(w.owners[o].answers > 25);
    }
    federation_close(&w.federation);
}

/* ---- One clip offered, another one charged ---- */

static void offers_a_wide_clip_and_charges_a_narrow_one(Hedgerow__Question *q, Hedgerow__HedgeQuestion *b) {
    (void)q;
    if (b->kind == K(LEAVES)) b->bound = 1;
    if (b->kind != K(CHOICE)) return;
    b->bound = 1 << 13;
    while (b->n_trees > 1) hr_message_unpacked_free(&b->trees[--b->n_trees]->base);
}

/* With the narrow clip the records add up to 90 at most, and the noise has a standard deviation of about 10;
 * with the wide one a single record adds up to 2^13. */
static void test_hostile_coordinator__opens_no_sum_of_a_wider_clip(void **state) {
    (void)state;
    hr_error err = {0};
    open_job(federated_job("hedge", 4, 1e-6), 2, ANY, offers_a_wide_clip_and_charges_a_narrow_one);
    (void)!hr_simulation_run(&w.federation.simulation, &err);
    assert_true(w.owners[0].answers > 10);
    if (!w.largest || w.largest > 1000) fail_msg("a leaf sum of %llu", (unsigned long long)w.largest);
    federation_close(&w.federation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_question__has_no_answer),
        cmocka_unit_test(test_hostile_question__about_bins_that_are_public_has_no_answer),
        cmocka_unit_test(test_hostile_question__about_widths_has_no_answer),
        cmocka_unit_test(test_hostile_coordinator__gets_no_more_than_the_budget),
        cmocka_unit_test(test_hostile_question__about_cuts_has_no_answer),
        cmocka_unit_test(test_owner__that_forgets_goes_on),
        cmocka_unit_test(test_owner__that_forgets_knows_its_cuts),
        cmocka_unit_test(test_hostile_coordinator__opens_no_sum_of_a_wider_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
