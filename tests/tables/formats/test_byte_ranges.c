/* Wherever a file is cut, each record begins in one range, and what is counted before a cut says where. */
#include "support/temp_dir.h"
#include "tables/formats/byte_ranges.h"

#include <stdlib.h>
#include <string.h>

/* A header over two lines, records with line ends and doubled marks in cells, empty lines, and no line end at
 * the end. '^' stands where a record begins. */
static const char marked[] = "a,\"b\nc\"\n"
                             "^1,x\n"
                             "^\"2\n3\",\"\"\"\n\"\n"
                             "^\n"
                             "^4,\"\"\n"
                             "^\"\n\n\n\",5\r\n"
                             "^6,7";

typedef struct marked_file {
    char path[160], text[sizeof marked];
    size_t size, begins[16], count;
    hr_file_layout layout;
} marked_file;

static marked_file file_of(const temp_dir *dir, const char *with_marks) {
    marked_file f = {.size = 0};
    for (const char *p = with_marks; *p; p++) {
        if (*p == '^')
            f.begins[f.count++] = f.size;
        else
            f.text[f.size++] = *p;
    }
    snprintf(f.path, sizeof f.path, "%s/table.csv", dir->folder);
    write_file(f.path, f.text, f.size);
    return f;
}

static size_t lines_before(const marked_file *f, size_t at) {
    size_t lines = 1;
    for (size_t i = 0; i < at; i++) lines += f->text[i] == '\n';
    return lines;
}

static void check_cut(const marked_file *f, uint64_t cut) {
    const uint64_t range[2] = {0, cut};
    int64_t sums[HR_CHUNK_SUMS] = {0};
    size_t next = 0;
    hr_file_place place = {.at = cut < f->layout.body ? f->layout.body : cut};
    assert_int_equal(hr_file_count(f->path, &f->layout, range, &place, sums, NULL), HR_OK);
    assert_int_equal(hr_file_find_record(f->path, &f->layout, &place, NULL), HR_OK);
    while (next < f->count && f->begins[next] < cut) next++;
    const size_t wanted = next < f->count ? f->begins[next] : f->size;
    assert_int_equal(place.at, wanted);
    if (next < f->count) assert_int_equal(f->layout.line + place.lines, lines_before(f, wanted));
}

static void test_records__begin_where_they_do_for_every_cut(void **state) {
    marked_file f = file_of(*state, marked);
    assert_true(hr_file_layout_find(f.path, NULL, &f.layout));
    assert_int_equal(f.layout.size, f.size);
    assert_int_equal(f.layout.body, f.begins[0]);
    assert_int_equal(f.layout.line, 3);
    for (uint64_t cut = 0; cut <= f.size; cut++) check_cut(&f, cut);
}

static void test_marks__are_letters_where_the_options_say_so(void **state) {
    marked_file f = file_of(*state, "skip \"\na,b\n^1,5\"\n^2,\"\n^\"\"\",3\n");
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.quote = HR_QUOTE_NONE;
    options.skip_lines = 1;
    assert_true(hr_file_layout_find(f.path, &options, &f.layout));
    assert_int_equal(f.layout.line, 3);
    for (uint64_t cut = 0; cut <= f.size; cut++) check_cut(&f, cut);
}

static void test_a_file_without_records__has_nothing_behind_its_header(void **state) {
    marked_file f = file_of(*state, "a,b");
    assert_true(hr_file_layout_find(f.path, NULL, &f.layout));
    assert_int_equal(f.layout.body, f.size);
    for (uint64_t cut = 0; cut <= f.size; cut++) check_cut(&f, cut);
}

static void test_what_is_no_plain_text__is_not_cut(void **state) {
    const temp_dir *dir = *state;
    static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03",
                      arff[] = "@relation r\n@attribute a numeric\n@data\n1\n";
    hr_file_layout layout;
    char path[160];
    snprintf(path, sizeof path, "%s/other", dir->folder);
    write_file(path, packed, sizeof packed);
    assert_false(hr_file_layout_find(path, NULL, &layout));
    write_file(path, arff, sizeof arff - 1);
    assert_false(hr_file_layout_find(path, NULL, &layout));
    write_file(path, "", 0);
    assert_false(hr_file_layout_find(path, NULL, &layout));
    assert_false(hr_file_layout_find(dir->folder, NULL, &layout));
    assert_false(hr_file_layout_find("nowhere.csv", NULL, &layout));
}

static void test_chunks__have_the_same_sums_in_ranges_as_together(void **state) {
    enum { SIZE = 100 * HR_CHUNK_BYTES + 5 };
    const temp_dir *dir = *state;
    char *text = malloc(SIZE), path[160];
    assert_non_null(text);
    snprintf(path, sizeof path, "%s/long.csv", dir->folder);
    for (size_t i = 0; i < SIZE; i++) text[i] = (char)(i % 50 == 49 ? '\n' : 'a' + i * i % 23);
    write_file(path, text, SIZE);
    hr_file_layout layout;
    assert_true(hr_file_layout_find(path, NULL, &layout));
    int64_t whole[HR_CHUNK_SUMS] = {0}, other[HR_CHUNK_SUMS] = {0};
    hr_chunks_add(text, SIZE, 0, whole);
    for (uint64_t cut = 0; cut < SIZE; cut += HR_CHUNK_BYTES) {
        int64_t parts[HR_CHUNK_SUMS] = {0};
        hr_file_place place = {0};
        assert_int_equal(hr_file_count(path, &layout, (uint64_t[]){0, cut}, &place, parts, NULL), HR_OK);
        assert_int_equal(hr_file_count(path, &layout, (uint64_t[]){cut, SIZE}, &place, parts, NULL), HR_OK);
        assert_memory_equal(parts, whole, sizeof parts);
    }
    text[SIZE / 2] ^= 1;
    hr_chunks_add(text, SIZE, 0, other);
    assert_memory_not_equal(other, whole, sizeof other);
    /* Chunks that change places are another file. */
    text[SIZE / 2] ^= 1;
    memcpy(text, text + HR_CHUNK_BYTES, HR_CHUNK_BYTES);
    memset(other, 0, sizeof other);
    hr_chunks_add(text, SIZE, 0, other);
    assert_memory_not_equal(other, whole, sizeof other);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_records__begin_where_they_do_for_every_cut, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_marks__are_letters_where_the_options_say_so, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_a_file_without_records__has_nothing_behind_its_header,
                                        temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(test_what_is_no_plain_text__is_not_cut, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_chunks__have_the_same_sums_in_ranges_as_together, temp_dir_open,
                                        temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
