/* A link's calls: in pieces, without memory, and none after the first failure. The table is of one rank of
 * three, whose others hold zeros. */
#include "support/check.h"
#include "trees/cluster/rank_link.h"

#include <stdlib.h>
#include <string.h>

enum { RANK = 1, SIZE = 3 };

typedef struct counted {
    size_t calls, fails_at, closed, joined; /* fails_at: SIZE_MAX: joining */
    size_t sizes[8];
    bool is_silent, zeros;
} counted;

static hr_status count_call(counted *c, size_t size, hr_error *err) {
    assert_true(c->calls < 8);
    c->sizes[c->calls++] = size;
    if (c->calls != c->fails_at) return HR_OK;
    return c->is_silent ? HR_E_IO : hr_fail(err, HR_E_IO, "", "rank 2 is gone");
}

static hr_status broadcast_counted(void *state, size_t root, void *bytes, size_t size, hr_error *err) {
    assert_non_null(bytes);
    assert_true(root < SIZE);
    return count_call(state, size, err);
}

static hr_status send_counted(void *state, size_t to, const void *bytes, size_t size, hr_error *err) {
    assert_non_null(bytes);
    assert_int_equal(to, 2);
    return count_call(state, size, err);
}

static hr_status receive_counted(void *state, void *bytes, size_t size, hr_error *err) {
    memset(bytes, 1, size);
    return count_call(state, size, err);
}

static hr_status sum_counted(void *state, int64_t *words, size_t count, hr_error *err) {
    counted *c = state;
    c->zeros = true;
    for (size_t i = 0; i < count; i++) c->zeros = c->zeros && words[i] == 0;
    return count_call(c, count, err);
}

static hr_status join_counted(void *state, hr_error *err) {
    counted *c = state;
    c->joined++;
    return c->fails_at == SIZE_MAX ? hr_fail(err, HR_E_IO, "", "rank 2 did not join") : HR_OK;
}

static void close_counted(void *state) {
    ((counted *)state)->closed++;
}

static hr_cluster_link table_of(counted *c) {
    return (hr_cluster_link){.state = c,
                             .rank = RANK,
                             .size = SIZE,
                             .join = join_counted,
                             .broadcast = broadcast_counted,
                             .send = send_counted,
                             .receive = receive_counted,
                             .sum = sum_counted,
                             .close = close_counted};
}

static hr_rank_link *link_of(counted *c) {
    const hr_cluster_link table = table_of(c);
    hr_rank_link *link = NULL;
    assert_int_equal(hr_rank_link_new(&table, &link, NULL), HR_OK);
    return link;
}

static void long_calls_are_made_of_pieces(void **state) {
    (void)state;
    counted c = {0};
    hr_rank_link *link = link_of(&c);
    const size_t words = 2 * HR_CLUSTER_WORDS_MAX + 5;
    int64_t *numbers = malloc(words * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < words; i++) numbers[i] = (int64_t)i;
    assert_int_equal(hr_rank_link_sum(link, numbers, words, NULL), HR_OK);
    assert_int_equal(c.calls, 3);
    assert_int_equal(c.sizes[0], HR_CLUSTER_WORDS_MAX);
    assert_int_equal(c.sizes[2], 5);
    assert_int_equal(hr_rank_link_broadcast(link, 0, numbers, words * sizeof *numbers, NULL), HR_OK);
    assert_int_equal(c.calls, 6);
    assert_int_equal(c.sizes[3], HR_CLUSTER_BYTES_MAX);
    assert_int_equal(c.sizes[5], 40);
    assert_int_equal(hr_rank_link_send(link, 2, numbers, 1, NULL), HR_OK);
    assert_int_equal(hr_rank_link_receive(link, numbers, 8, NULL), HR_OK);
    assert_true(numbers[0] == INT64_C(0x0101010101010101) && numbers[1] == 1);
    assert_int_equal(hr_rank_link_sum(link, NULL, 0, NULL), HR_OK);
    assert_int_equal(c.calls, 8);
    free(numbers);
    hr_rank_link_close(link);
    assert_int_equal(c.closed, 1);
}

/* What was received before is not added. */
static void who_takes_part_without_looking_adds_zeros(void **state) {
    (void)state;
    counted c = {0};
    hr_rank_link *link = link_of(&c);
    assert_int_equal(hr_rank_link_receive(link, NULL, 64, NULL), HR_OK);
    assert_int_equal(hr_rank_link_sum(link, NULL, 8, NULL), HR_OK);
    assert_true(c.zeros);
    assert_int_equal(hr_rank_link_broadcast(link, 0, NULL, 64, NULL), HR_OK);
    hr_rank_link_close(link);
}

static void after_a_failure_nothing_is_called(void **state) {
    (void)state;
    counted c = {.fails_at = 2};
    hr_rank_link *link = link_of(&c);
    hr_error err = {0};
    int64_t word = 7;
    double number = 7;
    assert_int_equal(hr_rank_link_sum(link, NULL, 3 * HR_CLUSTER_WORDS_MAX, &err), HR_E_IO);
    assert_string_equal(err.message, "rank 2 is gone");
    err = (hr_error){0};
    assert_int_equal(hr_rank_link_broadcast(link, 0, &word, 8, &err), HR_E_IO);
    assert_string_equal(err.message, "rank 2 is gone");
    assert_int_equal(hr_rank_link_send(link, 2, &word, 8, NULL), HR_E_IO);
    assert_int_equal(hr_rank_link_receive(link, &word, 8, NULL), HR_E_IO);
    assert_int_equal(hr_rank_link_sum_everywhere(link, &word, 1, NULL), HR_E_IO);
    assert_int_equal(hr_rank_link_least(link, &word, NULL), HR_E_IO);
    assert_int_equal(hr_rank_link_largest(link, &number, NULL), HR_E_IO);
    assert_true(word == 7 && number == 7);
    assert_int_equal(c.calls, 2);
    hr_rank_link_close(link);
    assert_int_equal(c.closed, 1);
}

static void a_failure_has_words(void **state) {
    (void)state;
    counted c = {.fails_at = 1, .is_silent = true};
    hr_rank_link *link = link_of(&c);
    hr_error err = {0};
    assert_int_equal(hr_rank_link_sum(link, NULL, 1, &err), HR_E_IO);
    assert_string_equal(err.message, "the link between the ranks failed");
    hr_rank_link_close(link);
}

static void a_link_that_does_not_begin_is_closed(void **state) {
    (void)state;
    counted c = {.fails_at = SIZE_MAX};
    hr_cluster_link table = table_of(&c);
    hr_cluster *cluster = NULL;
    hr_error err = {0};
    assert_int_equal(hr_cluster_join(&table, &cluster, &err), HR_E_IO);
    assert_string_equal(err.message, "rank 2 did not join");
    assert_true(!cluster && c.joined == 1 && c.closed == 1);
    table.rank = SIZE;
    assert_int_equal(hr_cluster_join(&table, &cluster, NULL), HR_E_ARGUMENT);
    table = table_of(&c);
    table.sum = NULL;
    assert_int_equal(hr_cluster_join(&table, &cluster, NULL), HR_E_ARGUMENT);
    assert_int_equal(c.joined, 1);
    assert_int_equal(c.closed, 3);
}

static hr_status broadcast_version(void *state, size_t root, void *bytes, size_t size, hr_error *err) {
    if (root == 0 && size == 32) memcpy(bytes, "9.9.9", 6);
    return count_call(state, size, err);
}

static void ranks_of_another_version_are_refused(void **state) {
    (void)state;
    counted c = {0};
    hr_cluster_link table = table_of(&c);
    table.broadcast = broadcast_version;
    hr_cluster *cluster = NULL;
    hr_error err = {0};
    assert_int_equal(hr_cluster_join(&table, &cluster, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "rank 0 has 9.9.9"));
    assert_true(!cluster && c.closed == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_calls_are_made_of_pieces),
        cmocka_unit_test(who_takes_part_without_looking_adds_zeros),
        cmocka_unit_test(after_a_failure_nothing_is_called),
        cmocka_unit_test(a_failure_has_words),
        cmocka_unit_test(a_link_that_does_not_begin_is_closed),
        cmocka_unit_test(ranks_of_another_version_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
