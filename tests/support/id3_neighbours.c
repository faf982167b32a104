#include "support/id3_neighbours.h"

#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/records/local_source.h"
#include "trees/records/stats_source.h"

static hr_stats_source *must_source(const hr_data *data, const hr_binning *binning) {
    const hr_stats_setup setup = {.kind = HR_STATS_LABELS, .binning = binning};
    const hr_stats_shares shares = {.count = 1};
    const hr_stats_round round = {.part = 0};
    hr_local_stats_records records = {.data = data, .threads = 1};
    hr_stats_source *source = NULL;
    assert_int_equal(hr_local_stats_source_new(&records, &source, NULL), HR_OK);
    assert_int_equal(source->ops->prepare(source, &setup, NULL), HR_OK);
    assert_int_equal(source->ops->share_out(source, &shares, NULL, NULL), HR_OK);
    assert_int_equal(source->ops->begin(source, &round, NULL), HR_OK);
    return source;
}

static void make_odd_table(table *t) {
    uint64_t random = 5;
    hr_column features[ID3_FEATURES] = {number_column("x", 0, 1), odd_category("a", 3), odd_category("b", 2),
                                        odd_category("c", 4)};
    *t = table_open(ID3_ROWS, ID3_FEATURES);
    for (size_t i = 0; i < ID3_ROWS; i++) {
        for (size_t f = 0; f < ID3_FEATURES; f++) t->columns[f][i] = odd_value(&features[f], &random);
        t->labels[i] = odd_label(ID3_CLASSES, &random);
    }
    table_make(t, category_column("y", ID3_CLASSES), features);
}

void id3_neighbours_open(id3_neighbours *n, hr_privacy_measure privacy_measure, size_t depth,
                         bool published) {
    uint32_t rows[ID3_ROWS];
    *n = (id3_neighbours){.arena = hr_arena_new()};
    make_odd_table(&n->t);
    assert_int_equal(hr_edges_public(n->t.schema, 5, n->arena, &n->binning, NULL), HR_OK);
    for (uint32_t i = 0; i < ID3_ROWS; i++) rows[i] = i;
    n->without = hr_data_take(n->t.data, rows, ID3_ROWS - 1);
    assert_non_null(n->without);
    n->sources[0] = must_source(n->without, &n->binning);
    n->sources[1] = must_source(n->t.data, &n->binning);
    const hr_id3_terms terms = {
        privacy_measure, HR_UNIT, &n->binning, ID3_CLASSES, depth, .25, published, 0, 0, 0};
    assert_int_equal(hr_id3_new(&terms, &n->id3, NULL), HR_OK);
}

void id3_neighbours_close(id3_neighbours *n) {
    hr_id3_free(n->id3);
    for (size_t i = 0; i < 2; i++) hr_stats_free(n->sources[i]);
    hr_data_free(n->without);
    hr_arena_free(n->arena);
    table_close(&n->t);
}

/* A plausible release: the counts themselves. */
static void tell(id3_neighbours *n, const hr_exact *exact, size_t count) {
    static hr_noisy values[ID3_COUNTS_MAX];
    for (size_t i = 0; i < count; i++) values[i].paid = exact[i].unpaid;
    assert_int_equal(hr_id3_accept(n->id3, values, 1e-9, NULL), HR_OK);
}

size_t id3_neighbours_moved(id3_neighbours *n, const hr_id3_question *question) {
    static hr_exact out[2][ID3_COUNTS_MAX];
    size_t moved = 0;
    assert_true(question->count <= ID3_COUNTS_MAX);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(hr_id3_records_answer(n->sources[i], question, out[i], NULL), HR_OK);
    for (size_t i = 0; i < question->count; i++) {
        int64_t by = out[1][i].unpaid - out[0][i].unpaid;
        assert_true(by == 0 || by == 64);
        moved += by == 64;
    }
    tell(n, out[1], question->count);
    return moved;
}
