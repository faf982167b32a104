/* Binned caches when memory is short: writing, mapping, and training on a map. */
#include "failing.h"
#include "support/tables.h"
#include "support/temp_dir.h"

enum { ROWS = 3000, BINS = 20 };

struct world {
    temp_dir *dir;
    table t;
    hr_data *mapped;
    hr_fit_options options;
    char path[160], other[160];
};

static hr_status make_bins(world *w, const char *path, hr_error *err) {
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    hr_binner *binner = UNTOUCHED;
    options.bins = BINS;
    hr_status status = hr_binner_open(w->t.schema, path, &options, &binner, err);
    assert_int_equal(status != HR_OK, binner == UNTOUCHED);
    if (status) return status;
    status = hr_binner_add(binner, w->t.data, err);
    if (!status) status = hr_binner_finish(binner, err);
    hr_binner_free(binner);
    return status;
}

static hr_status write_bins(world *w, hr_error *err) {
    hr_status status = make_bins(w, w->other, err);
    failing_stop();
    assert_int_equal(status != HR_OK, access(w->other, F_OK) != 0);
    unlink(w->other);
    return status;
}

static hr_status map_bins(world *w, hr_error *err) {
    hr_data *data = UNTOUCHED;
    hr_status status = hr_data_map(w->t.schema, w->path, 1, &data, err);
    check_output(status, data);
    if (!status) hr_data_free(data);
    return status;
}

static hr_status fit_bins(world *w, hr_error *err) {
    hr_model *model = UNTOUCHED;
    hr_status status = hr_fit(w->mapped, &w->options, &model, err);
    check_output(status, model);
    if (!status) hr_model_free(model);
    return status;
}

static int open_world(void **state) {
    world *w = calloc(1, sizeof *w);
    if (!w || temp_dir_open_in_memory((void **)&w->dir)) return -1;
    w->t = table_of_steps(ROWS, 4, 2, 3);
    snprintf(w->path, sizeof w->path, "%s/t.bins", w->dir->folder);
    snprintf(w->other, sizeof w->other, "%s/o.bins", w->dir->folder);
    hr_status status = make_bins(w, w->path, NULL);
    if (!status) status = hr_data_map(w->t.schema, w->path, 1, &w->mapped, NULL);
    *state = w;
    return status ? -1 : 0;
}

static int close_world(void **state) {
    world *w = *state;
    failing_stop();
    hr_data_free(w->mapped);
    table_close(&w->t);
    int status = temp_dir_close((void **)&w->dir);
    free(w);
    return status;
}

static void test_binner__survives_short_memory(void **state) {
    exhaust(*state, write_bins, HR_E_MEMORY, NULL);
}

static void test_data_map__survives_short_memory(void **state) {
    exhaust(*state, map_bins, HR_E_MEMORY, NULL);
}

static void test_fit__survives_short_memory_on_a_map(void **state) {
    static const char *const methods[] = {"gbdt", "dpboost", "hedge"};
    world *w = *state;
    for (size_t m = 0; m < 3; m++) {
        w->options = seeded_options_of(methods[m], HR_MODE_SOUND, 1);
        w->options.edges = HR_EDGES_PUBLIC;
        w->options.bins = BINS;
        w->options.trees = 2;
        w->options.epsilon = m == 2 ? .05 : 1;
        exhaust(w, fit_bins, HR_E_MEMORY, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binner__survives_short_memory),
        cmocka_unit_test(test_data_map__survives_short_memory),
        cmocka_unit_test(test_fit__survives_short_memory_on_a_map),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
