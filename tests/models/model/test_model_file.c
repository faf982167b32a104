/* Files are real: every test works in a directory of its own under the system's temporary one. */
#include "models/model/model.h"
#include "support/model_parts.h"
#include "support/temp_dir.h"
#include "tables/source/codec.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    char directory[64], path[128];
    parts p;
    hr_model *model;
} place;

static int enter(void **state) {
    place *here = calloc(1, sizeof *here);
    assert_non_null(here);
    strcpy(here->directory, "/tmp/hedgerow-test-XXXXXX");
    assert_non_null(mkdtemp(here->directory));
    snprintf(here->path, sizeof here->path, "%s/model.json", here->directory);
    parts_init(&here->p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 3, 3, HR_PRIVACY_PURE);
    here->model = make_model(&here->p);
    *state = here;
    return 0;
}

static int count_files(const char *directory, bool remove) {
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        count++;
        char path[400];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (remove) unlink(path);
    }
    closedir(dir);
    return count;
}

static int leave(void **state) {
    place *here = *state;
    count_files(here->directory, true);
    rmdir(here->directory);
    hr_model_free(here->model);
    parts_done(&here->p);
    free(here);
    return 0;
}

static void assert_same_bytes(const place *here, const char *path) {
    char *json = NULL;
    assert_int_equal(hr_model_render(here->model, &json, NULL), HR_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(strlen(json) + 2, 1);
    assert_int_equal(fread(bytes, 1, strlen(json) + 1, file), strlen(json));
    assert_string_equal(bytes, json);
    fclose(file);
    free(bytes);
    hr_text_free(json);
}

static void test_write__then_read_is_the_same_model(void **state) {
    place *here = *state;
    hr_model *back = NULL;
    assert_int_equal(hr_model_write(here->model, here->path, NULL), HR_OK);
    assert_same_bytes(here, here->path);
    assert_int_equal(count_files(here->directory, false), 1);
    assert_int_equal(hr_model_read(here->path, &back, NULL), HR_OK);
    assert_int_equal(hr_model_tree_count(back), 3);
    hr_model_free(back);
}

static void test_write__replaces_an_older_file(void **state) {
    place *here = *state;
    FILE *older = fopen(here->path, "w");
    assert_non_null(older);
    for (int i = 0; i < 100000; i++) fputs("older and longer\n", older);
    fclose(older);
    assert_int_equal(hr_model_write(here->model, here->path, NULL), HR_OK);
    assert_same_bytes(here, here->path);
    assert_int_equal(count_files(here->directory, false), 1);
}

static void test_write__follows_a_link(void **state) {
    place *here = *state;
    char link[160];
    snprintf(link, sizeof link, "%s/link.json", here->directory);
    assert_int_equal(hr_model_write(here->model, here->path, NULL), HR_OK);
    assert_int_equal(symlink(here->path, link), 0);
    assert_int_equal(hr_model_write(here->model, link, NULL), HR_OK);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_same_bytes(here, here->path);
}

/* A pipe stands for every file that is no plain one. Not /dev/null: a broken library would replace it. */
static void test_write__does_not_replace_a_pipe(void **state) {
    place *here = *state;
    assert_int_equal(mkfifo(here->path, 0600), 0);
    int reader = open(here->path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(hr_model_write(here->model, here->path, NULL), HR_OK);
    struct stat about;
    assert_int_equal(stat(here->path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    char *json = NULL;
    assert_int_equal(hr_model_render(here->model, &json, NULL), HR_OK);
    char *bytes = calloc(strlen(json) + 2, 1);
    assert_int_equal(read(reader, bytes, strlen(json) + 1), strlen(json));
    assert_string_equal(bytes, json);
    close(reader);
    free(bytes);
    hr_text_free(json);
}

/* A limit on file sizes stands for a disk that is full. */
static void test_write__keeps_the_older_file_when_the_disk_is_full(void **state) {
    place *here = *state;
    assert_int_equal(hr_model_write(here->model, here->path, NULL), HR_OK);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){100, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    hr_error err = {0};
    hr_status status = hr_model_write(here->model, here->path, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, HR_E_IO);
    assert_non_null(strstr(err.message, "cannot write the file: File too large"));
    assert_same_bytes(here, here->path);
    assert_int_equal(count_files(here->directory, false), 1);
}

static void test_write__fails_without_a_trace(void **state) {
    place *here = *state;
    hr_error err = {0};
    char path[160];
    snprintf(path, sizeof path, "%s/none/model.json", here->directory);
    assert_int_equal(hr_model_write(here->model, path, &err), HR_E_IO);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.message, "No such file"));
    assert_int_equal(hr_model_write(here->model, here->directory, &err), HR_E_IO);
    assert_int_equal(count_files(here->directory, false), 0);
}

static void test_write__dash_is_standard_output(void **state) {
    place *here = *state;
    int saved = dup(STDOUT_FILENO), file = open(here->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && file >= 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    hr_status status = hr_model_write(here->model, "-", NULL);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(file);
    assert_int_equal(status, HR_OK);
    assert_same_bytes(here, here->path);
}

static void test_read__names_the_file(void **state) {
    place *here = *state;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_read(here->path, &model, &err), HR_E_IO);
    assert_string_equal(err.file, here->path);
    FILE *file = fopen(here->path, "w");
    assert_non_null(file);
    fputs("{\"hedgerow-model\": 1,\n  \"version\" 3}", file);
    fclose(file);
    assert_int_equal(hr_model_read(here->path, &model, &err), HR_E_FORMAT);
    assert_string_equal(err.file, here->path);
    assert_int_equal(err.line, 2);
    assert_true(err.column > 0);
    assert_int_equal(hr_model_read(here->directory, &model, &err), HR_E_IO);
    assert_null(model);
}

/* ---- Compressed ---- */

/* A name is no file: what cannot be opened is found when it is opened. */
static void test_name__says_whether_the_build_can_write_it(void **state) {
    place *here = *state;
    hr_error err = {0};
    assert_int_equal(hr_model_check_name("/nowhere/model.json", &err), HR_OK);
    assert_int_equal(hr_model_check_name("-", &err), HR_OK);
    char *packed = NULL;
    size_t size = 0;
    const hr_status status = hr_model_pack(here->model, "model.json.gz", &packed, &size, NULL);
    hr_text_free(packed);
    assert_int_equal(hr_model_check_name("/nowhere/model.json.gz", &err), status);
    if (status) check_file_error(&err, HR_E_ABSENT, "cannot write gzip files", "/nowhere/model.json.gz");
}

static char *pack(const place *here, size_t *size) {
    char *packed = NULL;
    const hr_status status = hr_model_pack(here->model, "model.json.gz", &packed, size, NULL);
    if (status == HR_E_ABSENT) skip();
    assert_int_equal(status, HR_OK);
    return packed;
}

static hr_status parse_packed(const char *bytes, size_t size, hr_error *err) {
    hr_model *model = NULL;
    *err = (hr_error){0};
    const hr_status status = hr_model_parse(bytes, size, "m.json.gz", &model, err);
    assert_true((status == HR_OK) == (model != NULL));
    if (status) assert_string_equal(err->file, "m.json.gz");
    hr_model_free(model);
    return status;
}

static void test_packed__file_is_the_same_model(void **state) {
    place *here = *state;
    char *json = NULL, *again = NULL, hash[HR_DIGEST_TEXT], packed_hash[HR_DIGEST_TEXT];
    size_t size = 0;
    hr_model *model = NULL;
    hr_text_free(pack(here, &size));
    assert_int_equal(hr_model_render(here->model, &json, NULL), HR_OK);
    assert_true(size < strlen(json) / 2);
    snprintf(here->path, sizeof here->path, "%s/model.json.gz", here->directory);
    assert_int_equal(hr_model_write(here->model, here->path, NULL), HR_OK);
    assert_int_equal(hr_model_read(here->path, &model, NULL), HR_OK);
    assert_int_equal(hr_model_render(model, &again, NULL), HR_OK);
    assert_string_equal(again, json);
    assert_int_equal(hr_model_file_hash(here->model, hash, NULL), HR_OK);
    assert_int_equal(hr_model_file_hash(model, packed_hash, NULL), HR_OK);
    assert_string_equal(packed_hash, hash);
    hr_model_free(model);
    hr_text_free(json);
    hr_text_free(again);
}

static void test_packed__refuses_what_is_cut_off_or_damaged(void **state) {
    hr_error err;
    size_t size = 0;
    char *packed = pack(*state, &size);
    for (size_t cut = 2; cut < size; cut++) {
        assert_int_equal(parse_packed(packed, cut, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, "the gzip data end too early"));
    }
    /* The header has a time and a system, which mean nothing, before the data; their checksum is behind. */
    enum { HEADER = 10 };
    for (size_t at = HEADER; at < size; at++) {
        packed[at] ^= 0x10;
        assert_int_equal(parse_packed(packed, size, &err), HR_E_FORMAT);
        packed[at] ^= 0x10;
    }
    assert_int_equal(parse_packed(packed, size, &err), HR_OK);
    hr_text_free(packed);
}

static void test_packed__refuses_what_fills_memory(void **state) {
    enum { ZEROS = 80 << 20 };
    hr_buffer bomb = {0};
    hr_error err;
    size_t size = 0;
    hr_text_free(pack(*state, &size));
    char *zeros = calloc(ZEROS, 1);
    assert_non_null(zeros);
    assert_int_equal(hr_packed_make(zeros, ZEROS, &bomb, NULL), HR_OK);
    free(zeros);
    assert_int_equal(parse_packed(bomb.bytes, bomb.size, &err), HR_E_LIMIT);
    assert_non_null(strstr(err.message, "more than 64 MiB and 100 times its compressed size"));
    hr_buffer_done(&bomb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write__then_read_is_the_same_model, enter, leave),
        cmocka_unit_test_setup_teardown(test_write__replaces_an_older_file, enter, leave),
        cmocka_unit_test_setup_teardown(test_name__says_whether_the_build_can_write_it, enter, leave),
        cmocka_unit_test_setup_teardown(test_packed__file_is_the_same_model, enter, leave),
        cmocka_unit_test_setup_teardown(test_packed__refuses_what_is_cut_off_or_damaged, enter, leave),
        cmocka_unit_test_setup_teardown(test_packed__refuses_what_fills_memory, enter, leave),
        cmocka_unit_test_setup_teardown(test_write__follows_a_link, enter, leave),
        cmocka_unit_test_setup_teardown(test_write__does_not_replace_a_pipe, enter, leave),
        cmocka_unit_test_setup_teardown(test_write__keeps_the_older_file_when_the_disk_is_full, enter, leave),
        cmocka_unit_test_setup_teardown(test_write__fails_without_a_trace, enter, leave),
        cmocka_unit_test_setup_teardown(test_write__dash_is_standard_output, enter, leave),
        cmocka_unit_test_setup_teardown(test_read__names_the_file, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
