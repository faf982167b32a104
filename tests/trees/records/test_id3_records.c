/* What records answer to ID3: counts by hand, and how far one record moves them, number by number, at every
 * level and at the leaves of a tree that grows as the machine grows it. */
#include "support/id3_neighbours.h"
#include "trees/records/stats_source.h"

/* The line pays for what moves, and for no more. */
static void check_lines(hr_privacy_measure privacy_measure) {
    id3_neighbours n;
    hr_id3_question question;
    id3_neighbours_open(&n, privacy_measure, ID3_DEPTH, false);
    for (size_t level = 0; hr_id3_next(n.id3, &question); level++) {
        size_t moved = id3_neighbours_moved(&n, &question);
        double length = privacy_measure == HR_PRIVACY_PURE ? (double)moved : sqrt((double)moved);
        assert_int_equal(moved, level < ID3_DEPTH ? ID3_FEATURES - level : 1);
        assert_int_equal(question.line.sensitivity, (uint64_t)ceil(64 * length));
    }
    id3_neighbours_close(&n);
}

static void test_records__move_what_the_line_pays_for(void **state) {
    (void)state;
    check_lines(HR_PRIVACY_PURE);
    check_lines(HR_PRIVACY_GDP);
}

/* Of the root: the table of the second feature by hand. */
static void test_records__count_classes_by_bin(void **state) {
    (void)state;
    static hr_exact out[ID3_COUNTS_MAX];
    id3_neighbours n;
    hr_id3_question question;
    int64_t wanted[4][ID3_CLASSES] = {{0}};
    id3_neighbours_open(&n, HR_PRIVACY_PURE, ID3_DEPTH, false);
    assert_true(hr_id3_next(n.id3, &question));
    assert_int_equal(question.count, (6 + 4 + 3 + 5) * ID3_CLASSES);
    assert_int_equal(hr_id3_records_answer(n.sources[1], &question, out, NULL), HR_OK);
    for (size_t i = 0; i < ID3_ROWS; i++) wanted[(size_t)n.t.columns[1][i]][(size_t)n.t.labels[i]] += 64;
    for (size_t i = 0; i < 12; i++) assert_int_equal(out[18 + i].unpaid, wanted[i / 3][i % 3]);
    id3_neighbours_close(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__move_what_the_line_pays_for),
        cmocka_unit_test(test_records__count_classes_by_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
