/* Binned caches: what comes back out of the map, and every way in which a file may be wrong. */
#include "base/kernels/kernels.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "tables/bins/binned.h"
#include "tables/bins/edge_machine.h"
#include "tables/data/cell_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>

enum { ROWS = HR_CELL_SEGMENT + 1000, FEATURES = 5, BINS = 40 };

typedef struct world {
    temp_dir *dir;
    table t;
    char path[160], *bytes;
    size_t size;
} world;

static table mixed_table(size_t rows, uint64_t seed) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    hr_column columns[FEATURES];
    table t = table_open(rows, FEATURES);
    uint64_t state = seed;
    for (size_t f = 0; f < FEATURES; f++) {
        columns[f] = f == 3 ? category_column(names[f], 300) : number_column(names[f], -1, 3);
        for (size_t i = 0; i < rows; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double x = (double)(state >> 40) / (1 << 24);
            t.columns[f][i] = f == 3 ? floor(x * 301) : x < .05 ? (double)NAN : x * 4.4 - 1.2;
        }
    }
    for (size_t i = 0; i < rows; i++) t.labels[i] = (double)(i % 3);
    hr_column label = category_column("y", 3);
    table_make(&t, label, columns);
    return t;
}

static void write_cache(const world *w, const hr_data *data, int threads) {
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    hr_binner *binner = NULL;
    options.bins = BINS;
    options.threads = threads;
    options.replace = true;
    assert_int_equal(hr_binner_open(w->t.schema, w->path, &options, &binner, NULL), HR_OK);
    assert_int_equal(hr_binner_add(binner, data, NULL), HR_OK);
    assert_int_equal(hr_binner_finish(binner, NULL), HR_OK);
    hr_binner_free(binner);
}

static int open_world(void **state) {
    world *w = calloc(1, sizeof *w);
    if (!w || temp_dir_open((void **)&w->dir)) return -1;
    umask(0); /* what others may read is up to the writer alone */
    snprintf(w->path, sizeof w->path, "%s/t.bins", w->dir->folder);
    w->t = mixed_table(ROWS, 1);
    write_cache(w, w->t.data, 2);
    w->bytes = read_file(w->path, &w->size);
    *state = w;
    return 0;
}

static int close_world(void **state) {
    world *w = *state;
    table_close(&w->t);
    free(w->bytes);
    unlink(w->path);
    int status = temp_dir_close((void **)&w->dir);
    free(w);
    return status;
}

static void test_binner__writes_the_bins_of_the_table(void **state) {
    const world *w = *state;
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    hr_binned *read = NULL, *mapped = NULL;
    hr_data *data = NULL;
    struct stat info;
    assert_true(!stat(w->path, &info) && (info.st_mode & 0777) == 0600 && hr_data_is_binned(w->path));
    assert_int_equal(hr_data_map(w->t.schema, w->path, 2, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), ROWS);
    assert_memory_equal(hr_data_labels(data), hr_data_labels(w->t.data), ROWS * sizeof(double));
    assert_int_equal(hr_edges_public(w->t.schema, BINS, arena, &binning, NULL), HR_OK);
    assert_int_equal(hr_binned_new(w->t.data, &binning, 1, &read, NULL), HR_OK);
    assert_int_equal(hr_binned_new(data, &binning, 1, &mapped, NULL), HR_OK);
    for (size_t f = 0; f < FEATURES; f++) {
        assert_memory_equal(hr_binned_column(read, f), hr_binned_column(mapped, f), ROWS);
        assert_memory_equal(hr_data_report(data, f), hr_data_report(w->t.data, f), sizeof(hr_column_report));
    }
    assert_memory_equal(read->tiles, mapped->tiles, (size_t)ROWS * HR_TILE);
    hr_binned_free(read);
    hr_binned_free(mapped);
    hr_data_free(data);
    hr_arena_free(arena);
}

/* Of a whole segment of bins and of a part of one of labels, as `xxhsum -H64` prints them. */
static void test_binner__writes_checksums_that_are_xxh64(void **state) {
    const world *w = *state;
    const uint8_t *bytes = (const uint8_t *)w->bytes;
    const hr_cell_header header = {FEATURES, BINS, ROWS, hr_cell_get(bytes + 32, 8), 0, 0, 0};
    const uint8_t *sums = bytes + hr_cell_layout_of(&header).checksums;
    assert_true(hr_cell_get(sums, 8) == 0x9d3283e573cd4156);
    assert_true(hr_cell_get(sums + (2 * FEATURES + 1) * 8, 8) == 0xd7f829e586fe969a);
}

/* Vectors read that far behind the last column. Systems put a map right before the one that was made last. */
static void assert_zeros_behind(const uint8_t *map, size_t size) {
    for (size_t i = 0; i + 1 < HR_VECTOR_ROWS; i++) assert_int_equal(map[size + i], 0);
}

static void test_maps__have_zeros_behind_them(void **state) {
    const world *w = *state;
    const size_t size = 3 * HR_CELL_PAGE;
    hr_cell_file *files[2];
    uint8_t *spares[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hr_cell_file_open(w->path, &files[i], NULL), HR_OK);
        assert_zeros_behind(files[i]->map, files[i]->layout.size);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hr_spare_map(w->path, size, &spares[i], NULL), HR_OK);
        memset(spares[i], 7, size);
        assert_zeros_behind(spares[i], size);
    }
    for (size_t i = 0; i < 2; i++) {
        hr_cell_file_close(files[i]);
        hr_spare_map_done(spares[i], size);
    }
}

/* A permutation by a stride that has no factor in common with the rows. */
static void test_binned__reorders_mapped_columns_beside_the_cache(void **state) {
    const world *w = *state;
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    hr_binned *read = NULL, *mapped = NULL;
    hr_data *data = NULL;
    uint32_t *order = malloc(ROWS * sizeof *order);
    for (size_t i = 0; i < ROWS; i++) order[i] = (uint32_t)(i * 7919 % ROWS);
    assert_int_equal(hr_data_map(w->t.schema, w->path, 1, &data, NULL), HR_OK);
    assert_int_equal(hr_edges_public(w->t.schema, BINS, arena, &binning, NULL), HR_OK);
    assert_int_equal(hr_binned_columns(w->t.data, &binning, 1, &read, NULL), HR_OK);
    assert_int_equal(hr_binned_columns(data, &binning, 1, &mapped, NULL), HR_OK);
    assert_int_equal(hr_binned_reorder(read, order, 2, NULL), HR_OK);
    assert_int_equal(hr_binned_reorder(mapped, order, 2, NULL), HR_OK);
    for (size_t f = 0; f < FEATURES; f++)
        assert_memory_equal(hr_binned_column(read, f), hr_binned_column(mapped, f), ROWS);
    hr_binned_free(read);
    hr_binned_free(mapped);
    size_t size;
    char *now = read_file(w->path, &size);
    assert_true(size == w->size && !memcmp(now, w->bytes, size));
    free(now);
    free(order);
    hr_data_free(data);
    hr_arena_free(arena);
}

static void test_binner__does_not_depend_on_threads_and_pieces(void **state) {
    const world *w = *state;
    uint32_t *rows = malloc(ROWS * sizeof *rows);
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    hr_binner *binner = NULL;
    char path[200];
    snprintf(path, sizeof path, "%s.pieces", w->path);
    options.bins = BINS;
    for (uint32_t i = 0; i < ROWS; i++) rows[i] = i;
    assert_int_equal(hr_binner_open(w->t.schema, path, &options, &binner, NULL), HR_OK);
    const size_t ends[] = {0, 1, 40000, 70000 - 4000, ROWS};
    for (size_t k = 0; k + 1 < sizeof ends / sizeof *ends; k++) {
        hr_data *part = hr_data_take(w->t.data, rows + ends[k], ends[k + 1] - ends[k]);
        for (size_t f = 0; f <= FEATURES && !k; f++)
            part->reports[f] = w->t.data->reports[f]; /* what was met in reading is not copied */
        assert_int_equal(hr_binner_add(binner, part, NULL), HR_OK);
        hr_data_free(part);
    }
    assert_int_equal(hr_binner_finish(binner, NULL), HR_OK);
    hr_binner_free(binner);
    size_t size;
    char *now = read_file(path, &size);
    unlink(path);
    assert_true(size == w->size && !memcmp(now, w->bytes, size));
    free(now);
    free(rows);
    assert_int_equal(hr_binner_open(w->t.schema, path, &options, &binner, NULL), HR_OK);
    assert_int_equal(hr_binner_add(binner, w->t.data, NULL), HR_OK);
    hr_binner_free(binner); /* not finished: nothing is left */
    assert_int_equal(access(path, F_OK), -1);
    options.replace = false;
    assert_int_equal(hr_binner_open(w->t.schema, w->path, &options, &binner, NULL), HR_E_IO);
}

static size_t files_of(const char *path) {
    size_t count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *item = readdir(folder); item; item = readdir(folder)) count += item->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Somebody makes a file of that name in the meantime: it stays, and records are left nowhere else. */
static void test_binner__leaves_nothing_where_it_fails(void **state) {
    const world *w = *state;
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    hr_binner *binner = NULL;
    char path[200];
    size_t size;
    snprintf(path, sizeof path, "%s.taken", w->path);
    assert_int_equal(hr_binner_open(w->t.schema, path, &options, &binner, NULL), HR_OK);
    assert_int_equal(hr_binner_add(binner, w->t.data, NULL), HR_OK);
    write_file(path, "mine", 4);
    assert_int_equal(hr_binner_finish(binner, NULL), HR_E_IO);
    hr_binner_free(binner);
    char *now = read_file(path, &size);
    assert_true(size == 4 && !memcmp(now, "mine", size));
    free(now);
    unlink(path);
    assert_int_equal(files_of(w->dir->folder), 1);
}

static hr_status map_bytes(const world *w, const char *bytes, size_t size, hr_error *err) {
    hr_data *data = NULL;
    *err = (hr_error){0};
    write_file(w->path, bytes, size);
    hr_status status = hr_data_map(w->t.schema, w->path, 1, &data, err);
    hr_data_free(data);
    return status;
}

static void refuses(const world *w, const char *bytes, size_t size, const char *words) {
    hr_error err;
    hr_status status = map_bytes(w, bytes, size, &err);
    if (status != HR_E_FORMAT || !strstr(err.message, words))
        fail_msg("status %d: %s (wanted: %s)", status, err.message, words);
    assert_true(err.remedy[0] && !strcmp(err.file, w->path));
}

static void test_cache__refuses_damage_and_says_where(void **state) {
    world *w = *state;
    const hr_cell_header header = {FEATURES, BINS, ROWS, hr_cell_get((uint8_t *)w->bytes + 32, 8), 0, 0, 0};
    const hr_cell_layout l = hr_cell_layout_of(&header);
    char *bytes = malloc(w->size + 1);
    assert_int_equal(l.size, w->size);
    memcpy(bytes, w->bytes, w->size);
    refuses(w, bytes, 0, "not a binned cache");
    refuses(w, bytes, HR_CELL_HEADER, "was cut off");
    refuses(w, bytes, w->size - 1, "was cut off");
    refuses(w, bytes, w->size + 1, "was cut off");
    for (size_t at = 0; at < l.labels; at++) {
        bytes[at] ^= 1;
        hr_error err;
        assert_int_equal(map_bytes(w, bytes, w->size, &err), HR_E_FORMAT);
        bytes[at] ^= 1;
        if (at > 200) at += 97;
    }
    const struct {
        size_t at;
        const char *words;
    } cases[] = {{8, "of a binned cache of version"},
                 {100, "its checksum is another"},
                 {l.labels + 3, "records 1 to 65536"},
                 {l.labels + (size_t)HR_CELL_SEGMENT * 8, "records 65537 to 66536"},
                 {l.cells + 2 * l.stride, "records 1 to 65536"},
                 {l.cells + 4 * l.stride + ROWS - 1, "records 65537 to 66536"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes[cases[i].at] ^= 2;
        refuses(w, bytes, w->size, i ? cases[i].words : "a binned cache of version 3; this library reads");
        bytes[cases[i].at] ^= 2;
    }
    write_file(w->path, w->bytes, w->size);
    free(bytes);
}

/* Of a cache whose first segment was changed. */
static void mend_checksums(uint8_t *bytes, const hr_cell_header *header) {
    const hr_cell_layout l = hr_cell_layout_of(header);
    const size_t rows = hr_cell_segment_rows(0, (size_t)header->rows);
    hr_cell_put(bytes + l.checksums, hr_cell_checksum(bytes + l.cells, rows), 8);
    hr_cell_put(bytes + l.checksums + header->features * 8, hr_cell_checksum(bytes + l.labels, rows * 8), 8);
    hr_cell_put(bytes + 56, 0, 8);
    hr_cell_put(bytes + 56, hr_cell_checksum(bytes, l.labels), 8);
}

/* Somebody who repairs the checksums cannot make training read beyond its tables. */
static void test_cache__refuses_bins_and_labels_that_are_none(void **state) {
    world *w = *state;
    uint8_t *bytes = malloc(w->size);
    hr_cell_header header = {FEATURES, BINS, ROWS, hr_cell_get((uint8_t *)w->bytes + 32, 8), 0, 0, 0};
    const hr_cell_layout l = hr_cell_layout_of(&header);
    const double bad[] = {-1, 3, .5, (double)NAN};
    for (size_t k = 0; k < 5; k++) {
        memcpy(bytes, w->bytes, w->size);
        if (k < 4) memcpy(bytes + l.labels, &bad[k], sizeof *bad);
        if (k == 4) bytes[l.cells] = BINS + 1;
        mend_checksums(bytes, &header);
        refuses(w, (char *)bytes, w->size, "records 1 to 65536");
    }
    write_file(w->path, w->bytes, w->size);
    free(bytes);
}

/* What is charged for a record rests on the bounds of its label. */
static void test_cache__refuses_labels_beyond_their_bounds(void **state) {
    const world *w = *state;
    world other = {.t = table_of_steps(100, 2, 0, 1)};
    snprintf(other.path, sizeof other.path, "%s/numbers.bins", w->dir->folder);
    write_cache(&other, other.t.data, 1);
    other.bytes = read_file(other.path, &other.size);
    uint8_t *bytes = (uint8_t *)other.bytes;
    const hr_cell_header header = {2, BINS, 100, hr_cell_get(bytes + 32, 8), 0, 0, 0};
    const hr_cell_layout l = hr_cell_layout_of(&header);
    const double low = -1, high = 1,
                 bad[] = {nextafter(-1, -2), nextafter(1, 2), -1e300, (double)INFINITY, (double)NAN};
    hr_error err;
    memcpy(bytes + l.labels, &low, sizeof low);
    memcpy(bytes + l.labels + sizeof low, &high, sizeof high);
    mend_checksums(bytes, &header);
    assert_int_equal(map_bytes(&other, other.bytes, other.size, &err), HR_OK);
    for (size_t k = 0; k < COUNT(bad); k++) {
        memcpy(bytes + l.labels, &bad[k], sizeof *bad);
        mend_checksums(bytes, &header);
        refuses(&other, other.bytes, other.size, "records 1 to 100");
    }
    unlink(other.path);
    free(other.bytes);
    table_close(&other.t);
}

static void test_cache__refuses_another_schema(void **state) {
    const world *w = *state;
    table other = table_of_steps(10, FEATURES, 3, 1);
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_map(other.schema, w->path, 1, &data, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "another schema"));
    assert_null(data);
    table_close(&other);
}

static void test_fit__trains_the_same_from_a_cache(void **state) {
    const world *w = *state;
    static const char *const methods[] = {"gbdt", "dpboost", "hedge"};
    hr_data *data = NULL;
    assert_int_equal(hr_data_map(w->t.schema, w->path, 1, &data, NULL), HR_OK);
    for (size_t m = 0; m < 3; m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 5);
        options.edges = HR_EDGES_PUBLIC;
        options.bins = BINS;
        options.trees = 4;
        char *read = fit_text(w->t.data, &options), *mapped = fit_text(data, &options);
        assert_string_equal(read, mapped);
        hr_text_free(read);
        hr_text_free(mapped);
    }
    hr_data_free(data);
}

static void fit_fails(const hr_data *data, const hr_fit_options *options, hr_status wanted,
                      const char *words) {
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(data, options, &model, &err), wanted);
    if (!strstr(err.message, words)) fail_msg("%s (wanted: %s)", err.message, words);
    assert_true(err.remedy[0]);
}

static void test_fit__refuses_what_a_cache_is_not_for(void **state) {
    const world *w = *state;
    hr_data *data = NULL;
    assert_int_equal(hr_data_map(w->t.schema, w->path, 1, &data, NULL), HR_OK);
    for (size_t m = 0; m < hr_method_count(); m++) {
        const char *name = hr_method_at(m)->name;
        hr_fit_options options = seeded_options_of(name, HR_MODE_SOUND, 5);
        if (!strcmp(name, "simfl") || !strcmp(name, "tfl")) options.mode = HR_MODE_PAPER;
        const bool takes = !strcmp(name, "hedge") || !strcmp(name, "gbdt") || !strcmp(name, "dpboost");
        if (takes) fit_fails(data, &options, HR_E_POLICY, "its bins are those of public edges");
        options.edges = HR_EDGES_PUBLIC;
        options.bins = BINS + 1;
        if (takes) fit_fails(data, &options, HR_E_POLICY, "it has another number of bins");
    }
    hr_fit_options options = seeded_options_of("rf", HR_MODE_SOUND, 5);
    fit_fails(data, &options, HR_E_POLICY, "this method needs the values");
    options = seeded_options_of("dpboost", HR_MODE_SOUND, 5);
    options.edges = HR_EDGES_PUBLIC;
    options.bins = BINS;
    options.private_bounds = (const char *const[]){"a"};
    options.private_bounds_count = 1;
    fit_fails(data, &options, HR_E_POLICY, "its bounds are those of the schema");
    options = seeded_options_of("gbdt", HR_MODE_SOUND, 5);
    options.edges = HR_EDGES_PUBLIC;
    options.bins = BINS;
    options.trees = 1;
    hr_model *model = fit(data, &options);
    hr_fit_options more = options;
    more.start = model;
    more.start_is_public = true;
    fit_fails(data, &more, HR_E_POLICY, "a model cannot score it");
    hr_error err = {0};
    double unused[3];
    assert_int_equal(hr_model_predict(model, data, 1, unused, &err), HR_E_POLICY);
    const struct utimbuf past = {1000, 1000};
    assert_int_equal(utime(w->path, &past), 0);
    fit_fails(data, &options, HR_E_FORMAT, "was changed while it was read");
    hr_model_free(model);
    hr_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binner__writes_the_bins_of_the_table),
        cmocka_unit_test(test_binner__writes_checksums_that_are_xxh64),
        cmocka_unit_test(test_maps__have_zeros_behind_them),
        cmocka_unit_test(test_binned__reorders_mapped_columns_beside_the_cache),
        cmocka_unit_test(test_binner__does_not_depend_on_threads_and_pieces),
        cmocka_unit_test(test_binner__leaves_nothing_where_it_fails),
        cmocka_unit_test(test_cache__refuses_damage_and_says_where),
        cmocka_unit_test(test_cache__refuses_bins_and_labels_that_are_none),
        cmocka_unit_test(test_cache__refuses_labels_beyond_their_bounds),
        cmocka_unit_test(test_cache__refuses_another_schema),
        cmocka_unit_test(test_fit__trains_the_same_from_a_cache),
        cmocka_unit_test(test_fit__refuses_what_a_cache_is_not_for),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
