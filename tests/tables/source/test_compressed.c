/* Compressed tables, made by gzip 1.12, zstd 1.5.4 and xz 5.4.1 (golden/). head.csv has a header and 200
 * records, tail.csv 200 records; head.arff has the records of head.csv, and sparse.libsvm their numbers. */
#include "support/reader_checks.h"
#include "support/temp_dir.h"
#include "tables/source/contents.h"
#include "tables/source/table_source.h"

enum { FORMATS = 3, PATH_SIZE = 512, FILE_SIZE = 4096 };

static const char *const endings[FORMATS] = {"gz", "zst", "xz"};
static const char *const names[FORMATS] = {"gzip", "zstd", "xz"};

static const char usual[] = "hedgerow-schema: 1\n"
                            "label: {name: y, kind: classes, values: [no, \"yes\"]}\n"
                            "features:\n"
                            "  - {name: n, kind: number, low: -10, high: 10}\n"
                            "  - {name: c, kind: category, values: [red, blue]}\n";

static bool is_built_in(size_t format) {
    const hr_codec *const codecs[FORMATS] = {hr_codec_gzip(), hr_codec_zstd(), hr_codec_xz()};
    return codecs[format] != NULL;
}

static size_t load_golden(const char *name, size_t format, char *bytes) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/tables/source/golden/%s.%s", HR_TESTS_DIR, name, endings[format]);
    char *read = read_file(path, &size);
    assert_in_range(size, 1, FILE_SIZE);
    memcpy(bytes, read, size);
    free(read);
    return size;
}

static hr_status read_bytes(table_file *f, const char *bytes, size_t size, hr_data **out, hr_error *err) {
    write_file(f->path, bytes, size);
    return hr_data_read(f->schema, f->path, NULL, out, err);
}

static void expect_rows(table_file *f, const char *path, size_t rows) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_data_read(f->schema, path, NULL, &data, &err))
        fail_msg("%s:%d: %s", err.file, (int)err.line, err.message);
    assert_int_equal(hr_data_rows(data), rows);
    for (size_t i = 0; i < rows; i++) {
        assert_true(hr_data_numbers(data, 0)[i] == (double)(i % 11) - 5);
        assert_int_equal(hr_data_codes(data, 1)[i], i % 3 ? 1 : 2);
        assert_true(hr_data_labels(data)[i] == (double)(i % 2));
    }
    hr_data_free(data);
}

static void expect_refusal(table_file *f, const char *path, hr_status status, const char *words) {
    hr_data *data = NULL;
    hr_error err = {0};
    assert_int_equal(hr_data_read(f->schema, path, NULL, &data, &err), status);
    if (!strstr(err.message, words)) fail_msg("%s: %s", path, err.message);
    assert_string_equal(err.file, path);
    assert_true(err.remedy[0] != '\0');
    assert_null(data);
}

static const char *golden(const char *name) {
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/tables/source/golden/%s", HR_TESTS_DIR, name);
    return path;
}

static void test_compressed__is_read_as_what_it_stands_for(void **state) {
    table_file *f = *state;
    char bytes[2 * FILE_SIZE];
    for (size_t i = 0; i < FORMATS; i++) {
        size_t size = load_golden("head.csv", i, bytes);
        write_file(f->path, bytes, size);
        if (!is_built_in(i)) {
            expect_refusal(f, f->path, HR_E_ABSENT, names[i]);
            continue;
        }
        expect_rows(f, f->path, 200);
        /* Two compressed streams are one table. */
        size += load_golden("tail.csv", i, bytes + size);
        write_file(f->path, bytes, size);
        expect_rows(f, f->path, 400);
    }
}

static void test_compressed__is_recognised_whatever_its_name_and_in_proposals(void **state) {
    table_file *f = *state;
    char bytes[FILE_SIZE], *yaml = NULL;
    hr_error err = {0};
    for (size_t i = 0; i < FORMATS; i++) {
        if (!is_built_in(i)) continue;
        write_file(f->path, bytes, load_golden("head.csv", i, bytes));
        assert_int_equal(hr_schema_infer(f->path, HR_FORMAT_AUTO, "y", &yaml, &err), HR_OK);
        assert_non_null(strstr(yaml, "low: -5"));
        hr_text_free(yaml);
    }
}

static void test_compressed__tables_of_other_formats(void **state) {
    table_file *f = *state;
    char bytes[FILE_SIZE];
    hr_schema *sparse = must_schema("hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [0, 1]}\n"
                                    "features:\n  - {name: n, kind: number, low: -10, high: 10}\n");
    for (size_t i = 0; i < FORMATS; i++) {
        if (!is_built_in(i)) continue;
        write_file(f->path, bytes, load_golden("head.arff", i, bytes));
        expect_rows(f, f->path, 200);
        hr_data *data = NULL;
        write_file(f->path, bytes, load_golden("sparse.libsvm", i, bytes));
        assert_int_equal(hr_data_read(sparse, f->path, NULL, &data, NULL), HR_OK);
        assert_int_equal(hr_data_rows(data), 200);
        for (size_t row = 0; row < 200; row++)
            assert_true(hr_data_numbers(data, 0)[row] == (double)(row % 11) - 5);
        hr_data_free(data);
    }
    if (hr_codec_gzip() && hr_codec_xz()) expect_rows(f, golden("twice.arff.gz"), 200);
    hr_schema_free(sparse);
}

static void test_compressed__truncated_files_of_other_formats_are_refused(void **state) {
    table_file *f = *state;
    char bytes[FILE_SIZE];
    for (size_t i = 0; i < FORMATS; i++) {
        if (!is_built_in(i)) continue;
        const size_t size = load_golden("head.arff", i, bytes);
        for (size_t left = 6; left < size; left++) {
            write_file(f->path, bytes, left);
            expect_refusal(f, f->path, HR_E_FORMAT, "end too early");
        }
    }
}

/* Whatever its length, a file that was cut off is no shorter table. */
static void test_compressed__truncated_files_are_refused(void **state) {
    table_file *f = *state;
    char bytes[FILE_SIZE];
    for (size_t i = 0; i < FORMATS; i++) {
        if (!is_built_in(i)) continue;
        const size_t size = load_golden("head.csv", i, bytes);
        for (size_t left = 6; left < size; left++) {
            hr_data *data = NULL;
            hr_error err = {0};
            assert_int_equal(read_bytes(f, bytes, left, &data, &err), HR_E_FORMAT);
            if (!strstr(err.message, "end too early"))
                fail_msg("%s, %zu of %zu bytes: %s", names[i], left, size, err.message);
            assert_null(data);
        }
    }
}

/* Every format has checksums: of every third bit that turns, either nothing changes, or it is noticed. */
static void test_compressed__damaged_files_are_refused(void **state) {
    table_file *f = *state;
    char bytes[FILE_SIZE];
    for (size_t i = 0; i < FORMATS; i++) {
        if (!is_built_in(i)) continue;
        const size_t size = load_golden("head.csv", i, bytes);
        size_t refused = 0;
        for (size_t at = 0; at < size * 8; at += 3) {
            hr_data *data = NULL;
            hr_error err = {0};
            bytes[at / 8] ^= (char)(1 << at % 8);
            const hr_status status = read_bytes(f, bytes, size, &data, &err);
            bytes[at / 8] ^= (char)(1 << at % 8);
            refused += status != HR_OK;
            if (!status) assert_int_equal(hr_data_rows(data), 200);
            hr_data_free(data);
        }
        assert_true(refused > size * 8 / 3 * 3 / 4);
    }
}

static void test_compressed__other_bytes_after_the_end_are_refused(void **state) {
    table_file *f = *state;
    char bytes[FILE_SIZE];
    for (size_t i = 0; i < FORMATS; i++) {
        if (!is_built_in(i)) continue;
        size_t size = load_golden("head.csv", i, bytes);
        memcpy(bytes + size, "1,red,yes\n2,red,yes\n3,red,yes\n", 30);
        write_file(f->path, bytes, size + 30);
        expect_refusal(f, f->path, HR_E_FORMAT, "data are damaged");
    }
}

/* 70 MiB in some kilobytes: the limit of a record holds for what comes out. */
static void test_compressed__limits_hold_for_what_comes_out(void **state) {
    table_file *f = *state;
    if (hr_codec_zstd()) expect_refusal(f, golden("endless.csv.zst"), HR_E_LIMIT, "longer than 64 MiB");
    if (hr_codec_xz()) expect_refusal(f, golden("endless.csv.xz"), HR_E_LIMIT, "longer than 64 MiB");
    if (hr_codec_zstd()) expect_refusal(f, golden("wide.csv.zst"), HR_E_LIMIT, "more than 256 MiB of memory");
    if (hr_codec_xz()) expect_refusal(f, golden("wide.csv.xz"), HR_E_LIMIT, "more than 256 MiB of memory");
}

static void test_compressed__files_within_files_are_unwrapped(void **state) {
    table_file *f = *state;
    if (!hr_codec_gzip()) return;
    if (hr_codec_xz()) expect_rows(f, golden("twice.csv.gz"), 200);
    if (hr_codec_xz() && hr_codec_zstd()) expect_rows(f, golden("four_times.csv.gz"), 200);
}

/* There are files that decompress to themselves. */
static void test_compressed__files_too_deep_within_files_are_refused(void **state) {
    table_file *f = *state;
    if (!hr_codec_gzip()) return;
    expect_refusal(f, golden("five_times.csv.gz"), HR_E_LIMIT, "more than 4 compressed files");
    expect_refusal(f, golden("database.gz"), HR_E_FORMAT, "a SQLite file within a gzip file");
    expect_refusal(f, golden("parquet.gz"), HR_E_FORMAT, "a Parquet file within a gzip file");
}

static void test_compressed__limits_and_ends_hold_for_the_inner_file(void **state) {
    table_file *f = *state;
    if (!hr_codec_gzip() || !hr_codec_zstd()) return;
    expect_refusal(f, golden("endless.csv.zst.gz"), HR_E_LIMIT, "longer than 64 MiB");
    expect_refusal(f, golden("wide.csv.zst.gz"), HR_E_LIMIT, "more than 256 MiB of memory");
    expect_refusal(f, golden("cut.csv.zst.gz"), HR_E_FORMAT, "the zstd data end too early");
}

/* ---- Contents that are no table ---- */

typedef struct foreign_file {
    const char *bytes;
    size_t size;
    const char *name, *remedy;
} foreign_file;

#define BYTES(text) text, sizeof text - 1

static void test_compressed__other_formats_are_named_with_the_remedy(void **state) {
    table_file *f = *state;
    static const foreign_file cases[] = {
        {BYTES("ARROW1\0\0\xff\xff"), "Arrow", "pandas.read_feather('FILE')"},
        {BYTES("FEA1\0\0\0\0"), "Feather", "pandas.read_feather('FILE')"},
        {BYTES("\xd0\xcf\x11\xe0\xa1\xb1"), "Excel", "pandas.read_excel('FILE')"},
        {BYTES("PK\3\4\x14\0"), "ZIP", "save it as CSV"},
        {BYTES("BZh91AY&SY\0"), "bzip2", "bunzip2"},
        {BYTES("\4\x22\x4d\x18\x64"), "LZ4", "lz4"},
        {BYTES("7z\xbc\xaf\x27\x1c\0"), "7z", "unpack"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_data *data = NULL;
        hr_error err = {0};
        assert_int_equal(read_bytes(f, cases[i].bytes, cases[i].size, &data, &err), HR_E_FORMAT);
        if (!strstr(err.message, cases[i].name) || !strstr(err.remedy, cases[i].remedy))
            fail_msg("%s: %s; %s", cases[i].name, err.message, err.remedy);
        assert_null(data);
    }
}

/* A column may be called as a format begins. */
static void test_compressed__text_is_not_taken_for_another_format(void **state) {
    (void)state;
    static const char *const texts[] = {"PAR1,n\n", "ARROW1;x\n", "FEA1,y\n", "PK,y\n", "BZh9,y\n",
                                        "7z,y\n",   "PAR1",       "",         "S"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(hr_contents_find(texts[i], strlen(texts[i])).kind, HR_CONTENTS_TEXT);
}

static int set_up(void **state) {
    return table_file_open(state, usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compressed__is_read_as_what_it_stands_for),
        cmocka_unit_test(test_compressed__is_recognised_whatever_its_name_and_in_proposals),
        cmocka_unit_test(test_compressed__tables_of_other_formats),
        cmocka_unit_test(test_compressed__truncated_files_are_refused),
        cmocka_unit_test(test_compressed__truncated_files_of_other_formats_are_refused),
        cmocka_unit_test(test_compressed__damaged_files_are_refused),
        cmocka_unit_test(test_compressed__other_bytes_after_the_end_are_refused),
        cmocka_unit_test(test_compressed__limits_hold_for_what_comes_out),
        cmocka_unit_test(test_compressed__files_within_files_are_unwrapped),
        cmocka_unit_test(test_compressed__files_too_deep_within_files_are_refused),
        cmocka_unit_test(test_compressed__limits_and_ends_hold_for_the_inner_file),
        cmocka_unit_test(test_compressed__other_formats_are_named_with_the_remedy),
        cmocka_unit_test(test_compressed__text_is_not_taken_for_another_format),
    };
    return cmocka_run_group_tests(tests, set_up, table_file_close);
}
