/* Tables that ranks have in memory: whatever part of one each has, also none, the model is that of a process
 * with all of it; and parts that do not fit together are refused at every rank, in the same words. Ranks are
 * threads here, with links over ZeroMQ. */
#include "base/fail.h"
#include "support/check.h"
#include "support/person_tables.h"
#include "support/temp_dir.h"
#include "tables/data/records.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { ROWS = 1200, RANKS_MOST = 4 };

static const char record_schema[] =
    "hedgerow-schema: 1\nunit: record\nlabel: {name: y, kind: classes, values: [no, yes]}\nfeatures:\n"
    "  - {name: a, kind: number, low: 0, high: 1}\n  - {name: b, kind: number, low: -1, high: 1}\n"
    "  - {name: c, kind: category, values: [p, q, r]}\n";
static const char number_schema[] =
    "hedgerow-schema: 1\nunit: record\nlabel: {name: y, kind: number, low: 0, high: 1}\nfeatures:\n"
    "  - {name: a, kind: number, low: 0, high: 1}\n  - {name: b, kind: number, low: -1, high: 1}\n"
    "  - {name: c, kind: category, values: [p, q, r]}\n";
static const char person_schema[] =
    "hedgerow-schema: 1\nunit: who\nlabel: {name: y, kind: classes, values: [no, yes]}\nfeatures:\n"
    "  - {name: a, kind: number, low: 0, high: 1}\n  - {name: b, kind: number, low: -1, high: 1}\n"
    "  - {name: c, kind: category, values: [p, q, r]}\n";

/* ---- The table ---- */

static double columns[3][ROWS], labels[ROWS];
static uint64_t persons[ROWS]; /* three records each, numbers far apart */

static void fill_table(void) {
    uint64_t law = 7;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < 3; f++) {
            law = law * 6364136223846793005u + 1442695040888963407u;
            columns[f][i] = (double)(law >> 40) / (1 << 24);
        }
        labels[i] = columns[0][i] + columns[1][i] > 1;
        columns[1][i] = 2 * columns[1][i] - 1.1; /* some are below the bounds */
        columns[2][i] = (double)(uint64_t)(4 * columns[2][i]);
        persons[i] = (uint64_t)(i / 3) * 0x9e3779b97f4a7c15u;
    }
}

static hr_data *rows_of(const hr_schema *schema, size_t begin, size_t end) {
    hr_array arrays[3];
    for (size_t f = 0; f < 3; f++)
        arrays[f] = (hr_array){columns[f] + begin, HR_ELEMENT_FLOAT64, sizeof(double)};
    const hr_array label = {labels + begin, HR_ELEMENT_FLOAT64, sizeof(double)};
    const hr_arrays table = {.rows = end - begin,
                             .columns = arrays,
                             .labels = &label,
                             .persons = hr_schema_unit(schema) ? persons + begin : NULL};
    hr_data *data = NULL;
    return hr_data_borrow(schema, &table, &data, NULL) ? NULL : data;
}

/* ---- A fit ---- */

typedef struct method_case {
    const char *schema, *method, *option, *value;
} method_case;

static hr_status fit(const hr_data *data, hr_cluster *cluster, const method_case *how, char **model,
                     hr_error *err) {
    hr_fit_options options;
    hr_model *made = NULL;
    hr_status status = hr_fit_options_init(&options, how->method, HR_MODE_SOUND, err);
    if (!status && how->option) status = hr_fit_options_set(&options, how->option, how->value, err);
    options.cluster = cluster;
    options.reproducible_noise = true;
    options.seed = 5;
    options.threads = 1;
    if (!status) status = hr_fit(data, &options, &made, err);
    if (!status) status = hr_model_render(made, model, err);
    hr_model_free(made);
    return status;
}

/* ---- Ranks ---- */

typedef struct rank {
    hr_cluster_zeromq link;
    hr_cluster_link table;
    const method_case *how;
    size_t begin, end;
    hr_data *given; /* in the place of the rows from begin to end */
    hr_data *data;
    hr_status status;
    hr_error err;
    char *model;
    size_t rows;
    hr_column_report report; /* of the second column */
} rank;

static void *run_rank(void *of) {
    rank *r = of;
    hr_cluster *cluster = NULL;
    hr_schema *schema = schema_of_text(r->how->schema);
    r->data = r->given ? r->given : rows_of(schema, r->begin, r->end);
    r->status = hr_cluster_join(&r->table, &cluster, &r->err);
    if (!r->status) r->status = hr_cluster_share(cluster, r->data, &r->err);
    if (!r->status) {
        r->rows = hr_cluster_rows(cluster);
        r->report = *hr_data_report(r->data, 1);
        r->status = r->link.rank ? hr_cluster_serve(cluster, r->data, 1, &r->err)
                                 : fit(r->data, cluster, r->how, &r->model, &r->err);
    }
    hr_cluster_close(cluster);
    hr_data_free(r->data);
    hr_schema_free(schema);
    return NULL;
}

static void run_ranks(rank *ranks, size_t count, const method_case *how) {
    char key[HR_CLUSTER_KEY_TEXT];
    pthread_t threads[RANKS_MOST];
    assert_int_equal(hr_cluster_key(key, NULL), HR_OK);
    for (size_t r = 0; r < count; r++) {
        if (!ranks[r].how) ranks[r].how = how;
        ranks[r].link.key = key;
        ranks[r].link.rank = r;
        ranks[r].link.size = count;
        ranks[r].link.address = r ? ranks[0].table.address : "tcp://127.0.0.1:0";
        assert_int_equal(hr_cluster_zeromq_open(&ranks[r].link, &ranks[r].table, NULL), HR_OK);
    }
    for (size_t r = 0; r < count; r++)
        assert_int_equal(pthread_create(&threads[r], NULL, run_rank, &ranks[r]), 0);
    for (size_t r = 0; r < count; r++) pthread_join(threads[r], NULL);
}

/* ---- Tests ---- */

static void the_model_is_that_of_one_process(void **state) {
    (void)state;
    static const method_case cases[] = {
        {record_schema, "hedge", NULL, NULL},      {number_schema, "hedge", NULL, NULL},
        {person_schema, "hedge", NULL, NULL},      {record_schema, "gbdt", "edges", "public"},
        {record_schema, "dpboost", NULL, NULL},    {record_schema, "dp-ert", NULL, NULL},
        {person_schema, "dp-ert", "part", "true"}, {number_schema, "dpboost", "ensemble", "3"}};
    /* Multiples of 3: a person has three records. */
    static const size_t cuts[][RANKS_MOST + 1] = {
        {0, 0, 399, 399, ROWS}, {0, 300, 300, 900, ROWS}, {0, ROWS, ROWS, ROWS, ROWS}, {0, 0, 0, 0, ROWS}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *schema = schema_of_text(cases[i].schema);
        hr_data *all = rows_of(schema, 0, ROWS);
        char *wanted = NULL;
        assert_int_equal(fit(all, NULL, &cases[i], &wanted, NULL), HR_OK);
        for (size_t k = 0; k < COUNT(cuts); k++) {
            rank ranks[RANKS_MOST] = {0};
            for (size_t r = 0; r < RANKS_MOST; r++) {
                ranks[r].begin = cuts[k][r];
                ranks[r].end = cuts[k][r + 1];
            }
            run_ranks(ranks, RANKS_MOST, &cases[i]);
            for (size_t r = 0; r < RANKS_MOST; r++) {
                assert_int_equal(ranks[r].status, HR_OK);
                assert_int_equal(ranks[r].rows, ROWS);
                assert_int_equal(ranks[r].report.out_of_range, hr_data_report(all, 1)->out_of_range);
            }
            assert_string_equal(ranks[0].model, wanted);
            free(ranks[0].model);
        }
        free(wanted);
        hr_data_free(all);
        hr_schema_free(schema);
    }
}

/* All ranks fail with the same words. */
static void assert_all_refuse(rank *ranks, size_t count, hr_status status, const char *message) {
    for (size_t r = 0; r < count; r++) {
        assert_int_equal(ranks[r].status, status);
        assert_string_equal(ranks[r].err.message, message);
        assert_null(ranks[r].model);
    }
}

static void nobody_has_records(void **state) {
    (void)state;
    static const method_case how = {person_schema, "hedge", NULL, NULL};
    rank ranks[3] = {0};
    run_ranks(ranks, 3, &how);
    assert_int_not_equal(ranks[0].status, HR_OK);
    assert_null(ranks[0].model);
    for (size_t r = 1; r < 3; r++) assert_int_equal(ranks[r].status, HR_OK);
}

static void another_schema_is_refused(void **state) {
    (void)state;
    static const method_case how = {record_schema, "hedge", NULL, NULL},
                             other = {number_schema, "hedge", NULL, NULL};
    rank ranks[3] = {0};
    for (size_t r = 0; r < 3; r++) {
        ranks[r].begin = 300 * r;
        ranks[r].end = 300 * (r + 1);
    }
    ranks[2].how = &other;
    run_ranks(ranks, 3, &how);
    assert_all_refuse(ranks, 3, HR_E_ARGUMENT, "rank 2 has another schema than rank 0");
}

static void persons_at_two_ranks_are_refused(void **state) {
    (void)state;
    static const method_case how = {person_schema, "dp-ert", NULL, NULL};
    rank ranks[4] = {0};
    ranks[1].end = ranks[3].begin = 400; /* within a person; and rank 2 has nothing */
    ranks[3].end = ROWS;
    run_ranks(ranks, 4, &how);
    assert_all_refuse(ranks, 4, HR_E_ARGUMENT, "1 persons have records at several ranks");
    assert_string_equal(ranks[3].err.remedy,
                        "give all records of a person, by the column who, to one rank; or "
                        "train in one process");
}

static void parts_that_are_none_are_refused(void **state) {
    (void)state;
    static const method_case how = {record_schema, "hedge", NULL, NULL};
    hr_schema *schema = schema_of_text(record_schema);
    const double *at[] = {columns[0], columns[1], columns[2]};
    hr_data *unlabelled = NULL;
    assert_int_equal(hr_data_from_arrays(schema, ROWS, at, NULL, &unlabelled, NULL), HR_OK);
    rank ranks[2] = {{.end = ROWS}, {.given = unlabelled}};
    run_ranks(ranks, 2, &how);
    assert_all_refuse(ranks, 2, HR_E_ARGUMENT, "a table without labels is not trained on");
    hr_schema_free(schema);
}

/* ---- Binned caches ---- */

enum { CACHES = 3 };

/* A cache of the rows from `begin` to `end`, mapped. */
static hr_data *cache_of(const hr_schema *schema, const temp_dir *dir, const size_t rows[2], uint32_t bins) {
    char path[160];
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    hr_binner *binner = NULL;
    hr_data *data = rows_of(schema, rows[0], rows[1]), *cache = NULL;
    snprintf(path, sizeof path, "%s/cache", dir->folder);
    options.bins = bins;
    assert_int_equal(hr_binner_open(schema, path, &options, &binner, NULL), HR_OK);
    assert_int_equal(hr_binner_add(binner, data, NULL), HR_OK);
    assert_int_equal(hr_binner_finish(binner, NULL), HR_OK);
    hr_binner_free(binner);
    assert_int_equal(hr_data_map(schema, path, 1, &cache, NULL), HR_OK);
    unlink(path);
    hr_data_free(data);
    return cache;
}

static void a_cache_at_each_rank_is_the_table(void **state) {
    static const method_case cases[] = {{record_schema, "gbdt", "edges", "public"},
                                        {number_schema, "gbdt", "edges", "public"}};
    static const size_t cuts[CACHES + 1] = {0, 200, 201, ROWS};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_schema *schema = schema_of_text(cases[i].schema);
        hr_data *all = rows_of(schema, 0, ROWS);
        char *wanted = NULL;
        rank ranks[CACHES] = {0};
        assert_int_equal(fit(all, NULL, &cases[i], &wanted, NULL), HR_OK);
        for (size_t r = 0; r < CACHES; r++) ranks[r].given = cache_of(schema, *state, cuts + r, 255);
        run_ranks(ranks, CACHES, &cases[i]);
        for (size_t r = 0; r < CACHES; r++) assert_int_equal(ranks[r].status, HR_OK);
        assert_string_equal(ranks[0].model, wanted);
        free(ranks[0].model);
        free(wanted);
        hr_data_free(all);
        hr_schema_free(schema);
    }
}

static void caches_that_do_not_fit_are_refused(void **state) {
    static const method_case how = {record_schema, "gbdt", "edges", "public"};
    static const size_t first[] = {0, 300}, second[] = {300, 600};
    hr_schema *schema = schema_of_text(record_schema);
    rank twice[CACHES] = {0}, other[2] = {0}, one[2] = {{.end = 300}};
    twice[0].given = cache_of(schema, *state, first, 255);
    twice[1].given = cache_of(schema, *state, second, 255);
    twice[2].given = cache_of(schema, *state, first, 255);
    run_ranks(twice, CACHES, &how);
    assert_all_refuse(twice, CACHES, HR_E_ARGUMENT,
                      "ranks 0 and 2 have the same binned cache: every record in it would count twice");
    other[0].given = cache_of(schema, *state, first, 255);
    other[1].given = cache_of(schema, *state, second, 254);
    one[1].given = cache_of(schema, *state, second, 255);
    static const char differ[] =
        "rank 1 has a binned cache of other bins than rank 0, or one of the two has none";
    run_ranks(other, 2, &how);
    assert_all_refuse(other, 2, HR_E_ARGUMENT, differ);
    run_ranks(one, 2, &how);
    assert_all_refuse(one, 2, HR_E_ARGUMENT, differ);
    hr_schema_free(schema);
}

/* ---- A share that fails on the way ---- */

/* Of one rank alone, whose link is gone at a call: 0: at none. */
typedef struct lone_link {
    size_t calls, fails_at;
} lone_link;

static hr_status count_call(lone_link *l, hr_error *err) {
    return ++l->calls == l->fails_at ? hr_fail(err, HR_E_IO, "", "a rank is gone") : HR_OK;
}

static hr_status broadcast_alone(void *state, size_t root, void *bytes, size_t size, hr_error *err) {
    (void)root, (void)bytes, (void)size;
    return count_call(state, err);
}

static hr_status send_alone(void *state, size_t to, const void *bytes, size_t size, hr_error *err) {
    (void)to, (void)bytes, (void)size;
    return count_call(state, err);
}

static hr_status receive_alone(void *state, void *bytes, size_t size, hr_error *err) {
    (void)bytes, (void)size;
    return count_call(state, err);
}

static hr_status sum_alone(void *state, int64_t *words, size_t count, hr_error *err) {
    (void)words, (void)count;
    return count_call(state, err);
}

static void close_alone(void *state) {
    (void)state;
}

/* calls: how many the share makes. */
static hr_status share_alone(hr_data *data, size_t fails_at, size_t *calls, hr_error *err) {
    lone_link l = {0};
    hr_cluster *cluster = NULL;
    const hr_cluster_link table = {.state = &l,
                                   .size = 1,
                                   .broadcast = broadcast_alone,
                                   .send = send_alone,
                                   .receive = receive_alone,
                                   .sum = sum_alone,
                                   .close = close_alone};
    assert_int_equal(hr_cluster_join(&table, &cluster, err), HR_OK);
    l = (lone_link){0, fails_at};
    hr_status status = hr_cluster_share(cluster, data, err);
    *calls = l.calls;
    hr_cluster_close(cluster);
    return status;
}

/* A second try would hash hashes, and a person at two ranks would not be found. */
static void a_share_that_failed_is_not_tried_again_on_the_same_table(void **state) {
    (void)state;
    hr_schema *schema = schema_of_text(person_schema);
    hr_data *data = rows_of(schema, 0, ROWS);
    size_t all, calls, refused = 0;
    assert_int_equal(share_alone(data, 0, &all, NULL), HR_OK);
    hr_data_free(data);
    for (size_t k = 1; k <= all; k++) {
        hr_error err = {0};
        data = rows_of(schema, 0, ROWS);
        const hr_person_hash plain = data->person_hashes[0];
        assert_int_equal(share_alone(data, k, &calls, &err), HR_E_IO);
        const bool is_plain = data->person_hashes && memcmp(&plain, data->person_hashes, sizeof plain) == 0;
        const hr_status again = share_alone(data, 0, &calls, &err);
        assert_int_equal(again, is_plain ? HR_OK : HR_E_ARGUMENT);
        if (again) assert_string_equal(err.message, "ranks share one table, once");
        refused += again != HR_OK;
        hr_data_free(data);
    }
    assert_in_range(refused, 1, all - 1);
    hr_schema_free(schema);
}

static bool stops_after(void *user) {
    size_t *left = user;
    return (*left)-- > 0;
}

/* Rank 1 never comes. */
static void a_program_stops_the_wait(void **state) {
    (void)state;
    size_t left = 3;
    char key[HR_CLUSTER_KEY_TEXT];
    hr_cluster_link link;
    hr_cluster *cluster = NULL;
    hr_error err = {0};
    assert_int_equal(hr_cluster_key(key, NULL), HR_OK);
    const hr_cluster_zeromq options = {.size = 2,
                                       .address = "tcp://127.0.0.1:0",
                                       .key = key,
                                       .join_seconds = 3600,
                                       .should_continue = stops_after,
                                       .user = &left};
    assert_int_equal(hr_cluster_zeromq_open(&options, &link, NULL), HR_OK);
    assert_int_equal(hr_cluster_join(&link, &cluster, &err), HR_E_CANCELLED);
    assert_string_equal(err.message, "rank 0 was stopped by its program");
}

int main(void) {
    fill_table();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_that_of_one_process),
        cmocka_unit_test(nobody_has_records),
        cmocka_unit_test(another_schema_is_refused),
        cmocka_unit_test(persons_at_two_ranks_are_refused),
        cmocka_unit_test(parts_that_are_none_are_refused),
        cmocka_unit_test_setup_teardown(a_cache_at_each_rank_is_the_table, temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(caches_that_do_not_fit_are_refused, temp_dir_open, temp_dir_close),
        cmocka_unit_test(a_share_that_failed_is_not_tried_again_on_the_same_table),
        cmocka_unit_test(a_program_stops_the_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
