/* A game of whole simulations: what one record of a file that is dealt out to owners can change. */
#include "models/model/model.h"
#include "support/epsilon_bounds.h"
#include "support/game_result.h"
#include "support/temp_dir.h"

#include <hedgerow/federation.h>

enum { ROWS = 400, RUNS = 200, OWNERS = 2 };

static const char schema_text[] = "hedgerow-schema: 1\n"
                                  "label: {name: y, kind: classes, values: [\"0\", \"1\"]}\n"
                                  "features:\n  - {name: u, kind: number, low: 0, high: 1}\n";

typedef struct dealt_file {
    char job[96], with[96], without[96];
} dealt_file;

static void write_in(const temp_dir *s, const char *name, const char *text, char path[96]) {
    snprintf(path, 96, "%s/%s", s->folder, name);
    write_file(path, text, strlen(text));
}

/* Rows 0.5,0 and 0.5,1 in turn, from the row `first` on. */
static void write_table(const temp_dir *s, const char *name, size_t first, char path[96]) {
    char text[8 * ROWS + 8] = "u,y\n";
    size_t used = strlen(text);
    for (size_t i = first; i < ROWS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "0.5,%zu\n", i % 2);
    write_in(s, name, text, path);
}

static void write_files(temp_dir *s, dealt_file *d) {
    char schema[96];
    write_in(s, "schema.yaml", schema_text, schema);
    write_in(s, "job.yaml",
             "hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 1\nrounds: 1\n", d->job);
    write_table(s, "with.csv", 0, d->with);
    write_table(s, "without.csv", 1, d->without);
}

static hr_model *simulate(const char *job, const char *const *files, size_t count, size_t parties) {
    const hr_simulation_data data = {files, count, parties};
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_job_result result = {0};
    hr_error err = {0};
    settings.threads = 1;
    if (hr_simulate(job, &data, &settings, &result, &err)) fail_msg("%s", err.message);
    return result.model;
}

/* The event: the first tree alone says class 1 at u = .5. */
static bool first_tree_says_one(hr_model *model) {
    static const double half = .5, *const columns[] = {&half};
    hr_data *point = NULL;
    double said[2];
    assert_int_equal(hr_data_from_arrays(hr_model_schema(model), 1, columns, NULL, &point, NULL), HR_OK);
    model->forest.tree_count = 1;
    assert_int_equal(hr_model_predict(model, point, 1, said, NULL), HR_OK);
    hr_data_free(point);
    return said[1] > .5;
}

static size_t count_events(const dealt_file *d, const char *table) {
    size_t seen = 0;
    for (size_t i = 0; i < RUNS; i++) {
        hr_model *model = simulate(d->job, &table, 1, OWNERS);
        seen += first_tree_says_one(model);
        hr_model_free(model);
    }
    return seen;
}

/* False alarms: 1e-6 (audit.h). Were record i dealt to owner i mod 2, the first owner's labels would all be 0
 * with the first row, and all be 1 without it. */
static void test_game__of_the_first_row_of_a_dealt_file(void **state) {
    dealt_file d;
    write_files(*state, &d);
    size_t with = count_events(&d, d.with), without = count_events(&d, d.without);
    double bound = epsilon_of_event((double)with, (double)without, RUNS);
    print_message("the first tree says 1 in %zu and %zu of %d runs\n", with, without, RUNS);
    assert_result_quiet(&(game_result){"a file dealt out to two owners", 1, bound, RUNS});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_game__of_the_first_row_of_a_dealt_file, temp_dir_open,
                                        temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
