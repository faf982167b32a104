/* Whatever allocation fails, the call says so, leaks nothing (run under LeakSanitizer to see that) and
 * touches no output. */
#include "base/fail.h"
#include "failing.h"
#include "federation/config/federation_file.h"
#include "federation/config/job_file.h"
#include "federation/config/owner_file.h"
#include "federation/federated/federated_method.h"
#include "privacy/crypto/session.h"
#include "support/temp_dir.h"
#include "tables/bins/edges.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <hedgerow/hedgerow.h>

struct world {
    hr_generate_options options;
    char *yaml, *csv, *json;
    size_t csv_size;
    hr_schema *schema;
    hr_data *data;
    hr_model *model;
    hr_fit_options fit;
    temp_dir *dir;
    const char *path; /* of a file in it */
};

/* ---- Worlds ---- */

static bool collect(void *user, const char *bytes, size_t size) {
    world *w = user;
    char *more = realloc(w->csv, w->csv_size + size + 1);
    if (!more) return false;
    w->csv = more;
    memcpy(w->csv + w->csv_size, bytes, size);
    w->csv_size += size;
    w->csv[w->csv_size] = '\0';
    return true;
}

static int open_world(void **state, hr_generator generator, uint64_t classes) {
    world *w = calloc(1, sizeof *w);
    if (!w || temp_dir_open_in_memory((void **)&w->dir)) return -1;
    w->path = w->dir->path;
    hr_generate_options_init(&w->options, generator);
    w->options.rows = 60;
    if (generator != HR_GENERATE_HOSPITAL) w->options.features = 5;
    if (generator == HR_GENERATE_CLASSIFICATION) w->options.classes = classes;
    hr_error err = {0};
    hr_status status = hr_generate_schema(&w->options, &w->yaml, &err);
    if (!status) status = hr_generate(&w->options, collect, w, &err);
    if (!status) status = hr_schema_parse(w->yaml, strlen(w->yaml), "schema", &w->schema, &err);
    if (!status) status = hr_data_parse(w->schema, w->csv, w->csv_size, NULL, &w->data, &err);
    if (status) fprintf(stderr, "%s\n", err.message);
    *state = w;
    return status ? -1 : 0;
}

static int open_hospital(void **state) {
    return open_world(state, HR_GENERATE_HOSPITAL, 0);
}

static int open_three_classes(void **state) {
    return open_world(state, HR_GENERATE_CLASSIFICATION, 3);
}

static int open_numbers(void **state) {
    return open_world(state, HR_GENERATE_FRIEDMAN1, 0);
}

static int close_world(void **state) {
    world *w = *state;
    failing_stop();
    hr_model_free(w->model);
    hr_data_free(w->data);
    hr_schema_free(w->schema);
    hr_text_free(w->yaml);
    hr_text_free(w->json);
    free(w->csv);
    int status = temp_dir_close((void **)&w->dir);
    free(w);
    return status;
}

/* A small fit; false if the method has no such mode. */
static bool small_fit(world *w, const char *method, hr_mode mode, double delta) {
    static const char *const settings[][2] = {
        {"trees", "2"}, {"depth", "2"}, {"bins", "6"}, {"ensemble", "2"}};
    if (hr_fit_options_init(&w->fit, method, mode, NULL)) return false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        hr_status status = hr_fit_options_set(&w->fit, settings[i][0], settings[i][1], NULL);
        assert_true(status == HR_OK || status == HR_E_ARGUMENT); /* not every method takes them all */
    }
    w->fit.epsilon = 2;
    w->fit.delta = mode == HR_MODE_SOUND ? delta : 0;
    w->fit.threads = 1;
    return true;
}

static void fit_model(world *w) {
    hr_error err = {0};
    assert_true(small_fit(w, "dpboost", HR_MODE_SOUND, 0));
    if (hr_fit(w->data, &w->fit, &w->model, &err)) fail_msg("%s", err.message);
    if (hr_model_render(w->model, &w->json, &err)) fail_msg("%s", err.message);
}

/* ---- Schemas and data ---- */

static hr_status parse_schema(world *w, hr_error *err) {
    hr_schema *schema = UNTOUCHED;
    hr_status status = hr_schema_parse(w->yaml, strlen(w->yaml), "schema", &schema, err);
    check_output(status, schema);
    if (!status) hr_schema_free(schema);
    return status;
}

static hr_status build_schema(world *w, hr_error *err) {
    static const char *const values[] = {"no", "yes"};
    (void)w;
    hr_schema *schema = UNTOUCHED;
    hr_schema_builder *builder = NULL;
    hr_status status = hr_schema_builder_new(&builder, err);
    if (!status) status = hr_schema_label_classes(builder, "y", values, 2, err);
    if (!status) status = hr_schema_add_number(builder, "x", 0, 1, false, err);
    if (!status) status = hr_schema_add_category(builder, "c", values, 2, err);
    if (!status) status = hr_schema_set_number_format(builder, &(hr_number_format){',', '.', "%"}, err);
    if (!status) status = hr_schema_add_number(builder, "z", 0, 1, false, err);
    if (!status) status = hr_schema_add_boolean(builder, "b", err);
    if (!status)
        status = hr_schema_add_date(builder, &(hr_date_column){"t", 0, 86399, "%Y%m%d", HR_OFFSET_REFUSED},
                                    (const hr_date_part[]){HR_DATE_PART_DAY, HR_DATE_PART_TREND}, 2, err);
    if (!status) status = hr_schema_add_missing(builder, "?", err);
    if (!status) status = hr_schema_build(builder, &schema, err);
    hr_schema_builder_free(builder);
    check_output(status, schema);
    if (!status) hr_schema_free(schema);
    return status;
}

static hr_status render_schema(world *w, hr_error *err) {
    char *text = UNTOUCHED;
    hr_status status = hr_schema_render(w->schema, &text, err);
    check_output(status, text);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status parse_data(world *w, hr_error *err) {
    hr_data *data = UNTOUCHED;
    hr_status status = hr_data_parse(w->schema, w->csv, w->csv_size, NULL, &data, err);
    return finish_data(status, data, w->options.rows);
}

static hr_status parse_libsvm(world *w, hr_error *err) {
    static const char text[] = "1 1:0.5 2:1 5:0.25\n0 3:0.75\n";
    static const hr_read_options options = {
        .size = sizeof options, .format = HR_FORMAT_LIBSVM, .label_optional = true, .name = "sparse"};
    hr_data *data = UNTOUCHED;
    hr_status status = hr_data_parse(w->schema, text, sizeof text - 1, &options, &data, err);
    return finish_data(status, data, 2);
}

static hr_status read_data(world *w, hr_error *err) {
    hr_data *data = UNTOUCHED;
    hr_status status = hr_data_read(w->schema, w->path, NULL, &data, err);
    return finish_data(status, data, w->options.rows);
}

static hr_status copy_arrays(world *w, hr_error *err) {
    static const double x[3] = {0.25, 0.5, 0.75}, y[3] = {1, 2, 3};
    const double *columns[5] = {x, x, x, x, x};
    hr_data *data = UNTOUCHED;
    hr_status status = hr_data_from_arrays(w->schema, 3, columns, y, &data, err);
    return finish_data(status, data, 3);
}

static hr_status copy_sparse(world *w, hr_error *err) {
    static const size_t begins[6] = {0, 1, 1, 2, 2, 2};
    static const uint32_t rows[2] = {2, 0};
    static const double values[2] = {0.25, 0.5}, absent[5] = {0}, y[3] = {1, 2, 3};
    const hr_array labels = {y + 2, HR_ELEMENT_FLOAT64, -(ptrdiff_t)sizeof *y}; /* not adjacent: copied */
    const hr_sparse_arrays arrays = {3, begins, rows, values, absent, &labels, NULL};
    hr_data *data = UNTOUCHED;
    hr_status status = hr_data_from_sparse(w->schema, &arrays, &data, err);
    return finish_data(status, data, 3);
}

static hr_status infer_schema(world *w, hr_error *err) {
    char *text = UNTOUCHED;
    hr_status status = hr_schema_infer(w->path, HR_FORMAT_AUTO, "readmitted", &text, err);
    check_output(status, text);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status infer_bytes(world *w, hr_error *err) {
    char *text = UNTOUCHED, *notes = NULL;
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    options.label = "readmitted";
    options.notes = &notes;
    hr_status status = hr_schema_infer_bytes(w->csv, w->csv_size, &options, &text, err);
    check_output(status, text);
    assert_int_equal(!status, notes != NULL);
    hr_text_free(notes);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status infer_arff(world *w, hr_error *err) {
    static const char text[] = "@relation r\n@attribute x real\n@attribute readmitted {no,yes}\n@data\n"
                               "1,no\n2,'yes'\n?,yes\n";
    write_file(w->path, text, sizeof text - 1);
    return infer_schema(w, err);
}

static void test_schema_and_data__survive_short_memory(void **state) {
    world *w = *state;
    exhaust(w, parse_schema, HR_E_MEMORY, NULL);
    exhaust(w, build_schema, HR_E_MEMORY, NULL);
    exhaust(w, render_schema, HR_E_MEMORY, NULL);
    exhaust(w, parse_data, HR_OK, NULL);
    write_file(w->path, w->csv, w->csv_size);
    exhaust(w, read_data, HR_OK, NULL);
    exhaust(w, infer_schema, HR_E_MEMORY, NULL);
    exhaust(w, infer_bytes, HR_E_MEMORY, NULL);
    exhaust(w, infer_arff, HR_E_MEMORY, NULL);
}

static void test_arrays_and_libsvm__survive_short_memory(void **state) {
    world *w = *state;
    exhaust(w, copy_arrays, HR_E_MEMORY, NULL);
    exhaust(w, copy_sparse, HR_E_MEMORY, NULL);
    exhaust(w, parse_libsvm, HR_OK, NULL);
}

/* ---- Fits ---- */

static hr_status fit_once(world *w, hr_error *err) {
    hr_model *model = UNTOUCHED;
    hr_status status = hr_fit(w->data, &w->fit, &model, err);
    check_output(status, model);
    if (!status) hr_model_free(model);
    return status;
}

/* Some methods refuse some labels. */
static bool takes_label(const world *w) {
    hr_model *model = NULL;
    hr_status status = hr_fit(w->data, &w->fit, &model, NULL);
    hr_model_free(model);
    return status != HR_E_ARGUMENT;
}

static size_t exhaust_fits(world *w, hr_mode mode, double delta) {
    size_t fits = 0;
    for (size_t i = 0; i < hr_method_count(); i++) {
        if (!small_fit(w, hr_method_at(i)->name, mode, delta) || !takes_label(w)) continue;
        exhaust(w, fit_once, HR_E_MEMORY, NULL);
        fits++;
    }
    return fits;
}

static void test_fit__survives_short_memory(void **state) {
    assert_true(exhaust_fits(*state, HR_MODE_SOUND, 0) >= 6);
    assert_true(exhaust_fits(*state, HR_MODE_SOUND, 1e-6) >= 6);
    assert_true(exhaust_fits(*state, HR_MODE_PAPER, 0) >= 4); /* of dpboost, seq, para and diprime at least */
}

static void test_fit_with_other_edges__survives_short_memory(void **state) {
    world *w = *state;
    static const hr_edges edges[] = {HR_EDGES_PUBLIC, HR_EDGES_PRIVATE};
    for (size_t i = 0; i < 2; i++) {
        assert_true(small_fit(w, "dpboost", HR_MODE_SOUND, 1e-6));
        w->fit.edges = edges[i];
        exhaust(w, fit_once, HR_E_MEMORY, NULL);
    }
}

static hr_status tune_once(world *w, hr_error *err) {
    static const char *const names[] = {"x1"};
    hr_fit_options settings[2] = {w->fit, w->fit};
    const hr_fit_options *const list[] = {&settings[0], &settings[1]};
    hr_tune_options options = HR_TUNE_OPTIONS_INIT;
    hr_tuned tuned = {.model = UNTOUCHED};
    for (size_t i = 0; i < 2; i++) {
        settings[i].private_bounds = names;
        settings[i].private_bounds_count = 1;
    }
    settings[1].depth = 1;
    options.epsilon = 8;
    options.delta = 0;
    hr_status status = hr_tune(w->data, list, 2, &options, &tuned, err);
    check_output(status, tuned.model);
    if (!status) hr_model_free(tuned.model);
    return status;
}

static void test_tune__survives_short_memory(void **state) {
    world *w = *state;
    assert_true(small_fit(w, "dpboost", HR_MODE_SOUND, 0));
    exhaust(w, tune_once, HR_E_MEMORY, NULL);
}

/* ---- Edges from summed counts ---- */

static hr_status answer_question(world *w, hr_edge_levels *machine, const hr_edge_question *question,
                                 hr_error *err) {
    hr_exact *exact = malloc(question->values * sizeof *exact);
    hr_noisy *noisy = malloc(question->values * sizeof *noisy);
    hr_status status = exact && noisy ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_edges_count_nodes(w->data, 6, question, exact, err);
    for (size_t i = 0; !status && i < question->values; i++) noisy[i].paid = exact[i].unpaid;
    if (!status) status = hr_edge_levels_accept(machine, noisy, err);
    free(exact);
    free(noisy);
    return status;
}

static hr_status sum_edges(world *w, hr_error *err) {
    hr_edge_levels *machine = NULL;
    hr_edge_question question;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    const hr_edge_levels_setup setup = {w->schema, 6, 1, arena};
    hr_status status = hr_edge_levels_new(&setup, &machine, err);
    while (!status && hr_edge_levels_next(machine, &question))
        status = answer_question(w, machine, &question, err);
    hr_edge_levels_free(machine);
    hr_arena_free(arena);
    return status;
}

static void test_summed_edges__survive_short_memory(void **state) {
    exhaust(*state, sum_edges, HR_E_MEMORY, NULL);
}

/* ---- Similar records ---- */

static hr_status find_similar(world *w, hr_error *err) {
    static const uint8_t coins[HR_LSH_COINS] = {7};
    int16_t hashes[60 * 3] = {0};
    uint32_t found[60] = {12345};
    hr_lsh *lsh = UNTOUCHED;
    hr_status status = hr_lsh_new(&(hr_lsh_setup){w->schema, 1, 3, 1, coins}, &lsh, err);
    if (status) {
        check_output(status, lsh);
        return status;
    }
    const hr_hashes all = {hashes, 60, 3};
    assert_int_equal(hr_data_rows(w->data), 60);
    status = hr_lsh_hash(lsh, w->data, 1, hashes, err);
    hr_lsh_free(lsh);
    if (status) return status;
    status = hr_similar(&all, &all, 0, 1, found, err);
    failing_stop();
    assert_int_equal(status != HR_OK, found[0] == 12345);
    return status;
}

static void test_similar_records__survive_short_memory(void **state) {
    exhaust(*state, find_similar, HR_E_MEMORY, NULL);
}

/* ---- Models ---- */

static hr_status predict(world *w, hr_error *err) {
    double out[60 * 3] = {0};
    assert_true(hr_data_rows(w->data) * hr_model_output_count(w->model) <= 60 * 3);
    hr_status status = hr_model_predict(w->model, w->data, 1, out, err);
    failing_stop();
    for (size_t i = 0; i < 60 * 3 && status; i++) assert_true(out[i] == 0);
    return status;
}

static hr_status evaluate(world *w, hr_error *err) {
    hr_metrics metrics = {.rows = 12345};
    hr_status status = hr_evaluate(w->model, w->data, 1, &metrics, err);
    failing_stop();
    assert_int_equal(status != HR_OK, metrics.rows == 12345);
    return status;
}

static hr_status render_model(world *w, hr_error *err) {
    char *json = UNTOUCHED;
    hr_status status = hr_model_render(w->model, &json, err);
    check_output(status, json);
    if (!status) hr_text_free(json);
    return status;
}

static hr_status parse_model(world *w, hr_error *err) {
    hr_model *model = UNTOUCHED;
    hr_status status = hr_model_parse(w->json, strlen(w->json), "model", &model, err);
    check_output(status, model);
    if (!status) hr_model_free(model);
    return status;
}

static hr_status write_model(world *w, hr_error *err) {
    hr_status status = hr_model_write(w->model, w->path, err);
    failing_stop();
    assert_int_equal(status != HR_OK, access(w->path, F_OK) != 0);
    unlink(w->path);
    return status;
}

static hr_status read_model(world *w, hr_error *err) {
    hr_model *model = UNTOUCHED;
    hr_status status = hr_model_read(w->path, &model, err);
    check_output(status, model);
    if (!status) hr_model_free(model);
    return status;
}

static hr_status show_model(world *w, hr_error *err) {
    char *text = UNTOUCHED;
    hr_status status = hr_model_summary(w->model, &text, err);
    check_output(status, text);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status show_tree(world *w, hr_error *err) {
    char *text = UNTOUCHED;
    hr_status status = hr_model_tree_text(w->model, 0, &text, err);
    check_output(status, text);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status draw_tree(world *w, hr_error *err) {
    char *text = UNTOUCHED;
    hr_status status = hr_model_tree_dot(w->model, 0, &text, err);
    check_output(status, text);
    if (!status) hr_text_free(text);
    return status;
}

static hr_status make_shapes(world *w, hr_error *err) {
    hr_shapes *shapes = UNTOUCHED;
    hr_status status = hr_shapes_make(w->model, &shapes, err);
    check_output(status, shapes);
    if (!status) hr_shapes_free(shapes);
    return status;
}

static hr_status explain_records(world *w, hr_error *err) {
    static double out[60 * 3 * 16];
    hr_shap *shap = UNTOUCHED;
    hr_status status = hr_shap_new(w->model, NULL, &shap, err);
    size_t features = hr_schema_feature_count(hr_model_schema(w->model));
    assert_true(hr_data_rows(w->data) * hr_model_output_count(w->model) * features <= 60 * 3 * 16);
    if (!status) {
        status = hr_shap_values(shap, w->data, out, err);
        hr_shap_free(shap);
        shap = status ? UNTOUCHED : NULL;
    }
    check_output(status, shap);
    return status;
}

static void test_model__survives_short_memory(void **state) {
    world *w = *state;
    fit_model(w);
    exhaust(w, predict, HR_E_MEMORY, NULL);
    exhaust(w, make_shapes, HR_E_MEMORY, NULL);
    exhaust(w, explain_records, HR_E_MEMORY, NULL);
    exhaust(w, evaluate, HR_E_MEMORY, NULL);
    exhaust(w, render_model, HR_E_MEMORY, NULL);
    exhaust(w, parse_model, HR_E_MEMORY, NULL);
    exhaust(w, show_model, HR_E_MEMORY, NULL);
    exhaust(w, show_tree, HR_E_MEMORY, NULL);
    exhaust(w, draw_tree, HR_E_MEMORY, NULL);
    exhaust(w, write_model, HR_E_MEMORY, NULL);
    assert_int_equal(hr_model_write(w->model, w->path, NULL), HR_OK);
    exhaust(w, read_model, HR_E_MEMORY, NULL);
}

static void test_multiway_model__survives_short_memory(void **state) {
    world *w = *state;
    static const char csv[] = "age,size,ward\n,1,a\n18,1,zz\n30,2,b\n";
    const hr_read_options options = {.size = sizeof options, .format = HR_FORMAT_CSV, .label_optional = true};
    hr_data_free(w->data);
    w->data = NULL;
    assert_int_equal(
        hr_model_read(HR_TESTS_DIR "/models/model/golden/model-2-multiway.json", &w->model, NULL), HR_OK);
    assert_int_equal(hr_data_parse(hr_model_schema(w->model), csv, strlen(csv), &options, &w->data, NULL),
                     HR_OK);
    assert_int_equal(hr_model_render(w->model, &w->json, NULL), HR_OK);
    exhaust(w, predict, HR_E_MEMORY, NULL);
    exhaust(w, make_shapes, HR_E_MEMORY, NULL);
    exhaust(w, explain_records, HR_E_MEMORY, NULL);
    exhaust(w, parse_model, HR_E_MEMORY, NULL);
    exhaust(w, show_tree, HR_E_MEMORY, NULL);
    exhaust(w, draw_tree, HR_E_MEMORY, NULL);
}

/* ---- Ledgers ---- */

static hr_status create_ledger(world *w, hr_error *err) {
    return hr_ledger_create(w->path, 1000, 0.5, err);
}

static void check_created(world *w, hr_status status) {
    assert_int_equal(status != HR_OK, access(w->path, F_OK) != 0);
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", w->path, ends[i]);
        unlink(name);
    }
}

static bool visit(void *user, const hr_ledger_entry *entry) {
    *(size_t *)user += entry->state == HR_ENTRY_COMMITTED;
    return true;
}

/* A handle's whole life; its reservation is counted in `promised`. */
static uint64_t promised;

static hr_status use_ledger(world *w, hr_error *err) {
    hr_ledger *ledger = UNTOUCHED;
    hr_ledger_total total = {.entries = UINT64_MAX};
    int64_t entry = -7;
    size_t committed = 0;
    hr_status status = hr_ledger_open(w->path, &ledger, err);
    if (status) {
        check_output(status, ledger);
        return status;
    }
    status = hr_ledger_reserve(ledger, 0.0009765625, 0, "run", &entry, err);
    assert_int_equal(status != HR_OK, entry == -7);
    promised += status == HR_OK;
    if (!status) status = hr_ledger_commit(ledger, entry, err);
    if (!status) {
        status = hr_ledger_sum(ledger, &total, err);
        assert_int_equal(status != HR_OK, total.entries == UINT64_MAX);
    }
    if (!status) status = hr_ledger_each(ledger, visit, &committed, err);
    hr_ledger_close(ledger);
    return status;
}

/* What was promised is spent; a call that failed may have spent, at most once, or left a void entry. */
static void check_spent(world *w, hr_status status) {
    static uint64_t before;
    hr_ledger *ledger = NULL;
    hr_ledger_total total = {0};
    (void)status;
    assert_int_equal(hr_ledger_open(w->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_in_range(total.entries, promised, before + 1);
    assert_in_range((uint64_t)(1024 * total.epsilon_spent), promised, total.entries);
    before = total.entries;
    hr_ledger_close(ledger);
}

static void test_ledger__survives_short_memory(void **state) {
    world *w = *state;
    exhaust(w, create_ledger, HR_OK, check_created);
    assert_int_equal(hr_ledger_create(w->path, 1000, 0.5, NULL), HR_OK);
    exhaust(w, use_ledger, HR_OK, check_spent);
}

static void test_short_ledger__can_be_used_again(void **state) {
    world *w = *state;
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(w->path, 1000, 0.5, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(w->path, &ledger, NULL), HR_OK);
    hr_status status = HR_E_MEMORY;
    bool failed = true;
    for (long n = 0; failed; n++) {
        int64_t entry = 0;
        failing_start(n, true);
        status = hr_ledger_reserve(ledger, 0.0009765625, 0, "run", &entry, NULL);
        failed = failing_stop();
        assert_true(status == HR_OK || (failed && status == HR_E_MEMORY));
        assert_int_equal(hr_ledger_reserve(ledger, 0.0009765625, 0, "again", &entry, NULL), HR_OK);
        assert_int_equal(hr_ledger_commit(ledger, entry, NULL), HR_OK);
    }
    hr_ledger_close(ledger);
}

/* ---- Generators ---- */

static bool ignore(void *user, const char *bytes, size_t size) {
    (void)user;
    (void)bytes;
    return size > 0;
}

static hr_status generate(world *w, hr_error *err) {
    return hr_generate(&w->options, ignore, NULL, err);
}

static hr_status generate_schema(world *w, hr_error *err) {
    char *yaml = UNTOUCHED;
    hr_status status = hr_generate_schema(&w->options, &yaml, err);
    check_output(status, yaml);
    if (!status) hr_text_free(yaml);
    return status;
}

static void test_generate__survives_short_memory(void **state) {
    exhaust(*state, generate, HR_E_MEMORY, NULL);
    exhaust(*state, generate_schema, HR_E_MEMORY, NULL);
}

/* ---- Attacks ---- */

static hr_status attack_simfl(world *w, hr_error *err) {
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.scale =
        w->options.generator == HR_GENERATE_HOSPITAL ? HR_ATTACK_SCALE_STANDARD : HR_ATTACK_SCALE_BOUNDS;
    hr_attack_figures figures = {.victim = 77};
    hr_status status = hr_attack_simfl(w->data, &options, &figures, err);
    failing_stop();
    assert_int_equal(status != HR_OK, figures.victim == 77);
    return status;
}

static void test_attack__survives_short_memory(void **state) {
    exhaust(*state, attack_simfl, HR_E_MEMORY, NULL);
}

/* ---- Federations ---- */

static hr_status create_key(world *w, hr_error *err) {
    char public_key[HR_KEY_TEXT] = "untouched";
    hr_status status = hr_key_create(w->path, public_key, err);
    failing_stop();
    assert_int_equal(status != HR_OK, strcmp(public_key, "untouched") == 0);
    assert_int_equal(status != HR_OK, access(w->path, F_OK) != 0);
    unlink(w->path);
    return status;
}

static hr_status seal(world *w, hr_error *err) {
    hr_identity *identity = NULL;
    hr_session session;
    uint8_t *sealed = NULL, *packet = NULL, *text = UNTOUCHED;
    (void)w;
    hr_status status = hr_identity_make(&identity, err);
    if (status) return status;
    hr_public_key key = hr_identity_public(identity);
    status = hr_seal(identity, &key, "text", 4, &sealed, err);
    if (!status) status = hr_session_make(identity, &key, &session, err);
    if (!status) status = hr_session_encrypt(&session, "text", 4, &packet, err);
    if (!status) status = hr_unseal(identity, sealed, 4 + HR_SEAL_OVERHEAD, key.bytes, &text, err);
    check_output(status, text);
    if (!status) {
        free(text);
        text = UNTOUCHED;
        status = hr_session_open(identity, packet, key.bytes, &session, err);
        if (!status) status = hr_session_decrypt(&session, packet, 4 + HR_SESSION_OVERHEAD, &text, err);
        check_output(status, text);
        if (!status) free(text);
    }
    free(sealed);
    free(packet);
    hr_identity_free(identity);
    return status;
}

static hr_status read_files(world *w, hr_error *err) {
    hr_federation_file federation;
    hr_owner_file owner;
    hr_job_file job;
    (void)w;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = hr_federation_file_read(HR_TESTS_DIR "/federation/config/golden/federation.yaml",
                                               arena, &federation, err);
    if (!status)
        status = hr_owner_file_read(HR_TESTS_DIR "/federation/config/golden/owner.yaml", arena, &owner, err);
    if (!status)
        status = hr_job_file_read(HR_TESTS_DIR "/federation/config/golden/job.yaml", hr_federated_job_rules,
                                  arena, &job, err);
    hr_arena_free(arena);
    return status;
}

static void test_federations__survive_short_memory(void **state) {
    world *w = *state;
    exhaust(w, create_key, HR_E_MEMORY, NULL);
    exhaust(w, seal, HR_E_MEMORY, NULL);
    exhaust(w, read_files, HR_E_MEMORY, NULL);
}

#define TEST(name, opens) cmocka_unit_test_setup_teardown(name, opens, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_schema_and_data__survive_short_memory, open_hospital),
        TEST(test_arrays_and_libsvm__survive_short_memory, open_numbers),
        TEST(test_generate__survives_short_memory, open_hospital),
        TEST(test_generate__survives_short_memory, open_three_classes),
        TEST(test_generate__survives_short_memory, open_numbers),
        TEST(test_ledger__survives_short_memory, open_numbers),
        TEST(test_short_ledger__can_be_used_again, open_numbers),
        TEST(test_federations__survive_short_memory, open_numbers),
        TEST(test_fit__survives_short_memory, open_hospital),
        TEST(test_fit__survives_short_memory, open_three_classes),
        TEST(test_fit__survives_short_memory, open_numbers),
        TEST(test_fit_with_other_edges__survives_short_memory, open_hospital),
        TEST(test_tune__survives_short_memory, open_numbers),
        TEST(test_summed_edges__survive_short_memory, open_hospital),
        TEST(test_similar_records__survive_short_memory, open_numbers),
        TEST(test_model__survives_short_memory, open_hospital),
        TEST(test_model__survives_short_memory, open_three_classes),
        TEST(test_model__survives_short_memory, open_numbers),
        TEST(test_attack__survives_short_memory, open_hospital),
        TEST(test_attack__survives_short_memory, open_numbers),
        TEST(test_multiway_model__survives_short_memory, open_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
