#include "support/test_keys.h"

#include <hedgerow/federation.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIALS = 100000, ROOM = 512 };

static const char damaged[] = "the key is damaged", no_key[] = "this file is not a secret key";

typedef struct desk {
    char folder[64], path[96];
    hr_identity *identity;
    char text[ROOM]; /* of its key file */
    size_t size;
} desk;

static size_t read_file(const char *path, char *text) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, ROOM, file);
    fclose(file);
    return size;
}

/* Writes a file that only its owner may read. */
static void write_file(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static int desk_open(void **state) {
    desk *d = calloc(1, sizeof *d);
    if (!d) return -1;
    strcpy(d->folder, "/tmp/hedgerow-key-XXXXXX");
    if (!mkdtemp(d->folder)) return -1;
    snprintf(d->path, sizeof d->path, "%s/some.key", d->folder);
    d->identity = identity_of_rfc8032();
    if (hr_identity_write(d->identity, d->path, NULL)) return -1;
    d->size = read_file(d->path, d->text);
    *state = d;
    return 0;
}

static int desk_close(void **state) {
    desk *d = *state;
    remove(d->path);
    rmdir(d->folder);
    hr_identity_free(d->identity);
    free(d);
    return 0;
}

static void refuse_text(const char *text, size_t size, const char *message) {
    hr_identity *out = NULL;
    hr_error err = {0};
    /* Exactly as large as the text, so that sanitizers see a read behind it. */
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    if (size) memcpy(copy, text, size);
    assert_int_equal(hr_identity_parse(copy, size, &out, &err), HR_E_FORMAT);
    free(copy);
    check_error(&err, HR_E_FORMAT, message);
    assert_null(out);
}

static void refuse_file(const char *path, hr_status status, const char *message) {
    hr_identity *out = NULL;
    hr_error err = {0};
    assert_int_equal(hr_identity_read(path, &out, &err), status);
    check_error(&err, status, message);
    assert_string_equal(err.file, path);
    assert_null(out);
}

static void test_key_file__gives_back_the_identity(void **state) {
    const desk *d = *state;
    hr_identity *back = NULL;
    assert_int_equal(hr_identity_read(d->path, &back, NULL), HR_OK);
    assert_memory_equal(back, d->identity, sizeof *back);
    hr_identity_free(back);
}

static void test_key_file__is_two_lines_for_the_owner_alone(void **state) {
    const desk *d = *state;
    struct stat about;
    assert_int_equal(stat(d->path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    static const char golden[] =
        "hedgerow-secret-key 1\n"
        "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg==\n";
    assert_int_equal(d->size, strlen(golden));
    assert_memory_equal(d->text, golden, d->size);
}

static void test_key_file__is_never_overwritten(void **state) {
    const desk *d = *state;
    hr_identity *other = test_identity(2);
    hr_error err = {0};
    char text[ROOM];
    assert_int_equal(hr_identity_write(other, d->path, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "the file exists already");
    assert_string_equal(err.file, d->path);
    assert_int_equal(read_file(d->path, text), d->size);
    assert_memory_equal(text, d->text, d->size);
    err = (hr_error){0};
    assert_int_equal(hr_identity_write(other, d->folder, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "the file exists already");
    hr_identity_free(other);
}

static void test_key_file__is_not_left_half_written(void **state) {
    const desk *d = *state;
    hr_error err = {0};
    assert_int_equal(hr_identity_write(d->identity, "/dev/null/some.key", &err), HR_E_IO);
    check_error(&err, HR_E_IO, "cannot create the key: Not a directory");
    char path[120];
    snprintf(path, sizeof path, "%s/absent/some.key", d->folder);
    err = (hr_error){0};
    assert_int_equal(hr_identity_write(d->identity, path, &err), HR_E_IO);
    check_error(&err, HR_E_IO, "cannot create the key: No such file or directory");
    assert_int_equal(access(path, F_OK), -1);
}

static void test_key_file__refuses_what_others_may_read_or_change(void **state) {
    const desk *d = *state;
    static const mode_t modes[] = {0640, 0604, 0644, 0620, 0602, 0610, 0601, 0777};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(d->path, modes[i]), 0);
        refuse_file(d->path, HR_E_POLICY, "others may read or change this secret key");
    }
    assert_int_equal(chmod(d->path, 0400), 0);
    hr_identity *back = NULL;
    assert_int_equal(hr_identity_read(d->path, &back, NULL), HR_OK);
    hr_identity_free(back);
}

static void test_key_file__refuses_what_is_no_file(void **state) {
    const desk *d = *state;
    char path[120];
    refuse_file(d->folder, HR_E_IO, "this is a folder, not a file");
    refuse_file("/dev/null", HR_E_IO, "this is a device or a pipe, not a file");
    snprintf(path, sizeof path, "%s/absent.key", d->folder);
    refuse_file(path, HR_E_IO, "cannot open the key: No such file or directory");
    snprintf(path, sizeof path, "%s/pipe.key", d->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse_file(path, HR_E_IO, "this is a device or a pipe, not a file");
    unlink(path);
}

static void test_key_file__refuses_every_truncation(void **state) {
    const desk *d = *state;
    for (size_t size = 0; size < d->size; size++)
        refuse_text(d->text, size, size <= strlen("hedgerow-secret-key ") ? no_key : damaged);
    write_file(d->path, d->text, d->size / 2);
    refuse_file(d->path, HR_E_FORMAT, damaged);
    write_file(d->path, "", 0);
    refuse_file(d->path, HR_E_FORMAT, no_key);
}

static void test_key_file__refuses_every_flipped_bit(void **state) {
    desk *d = *state;
    const size_t version = strlen("hedgerow-secret-key ");
    for (size_t bit = 0; bit < 8 * d->size; bit++) {
        size_t at = bit / 8;
        d->text[at] = (char)(d->text[at] ^ 1 << bit % 8);
        char said[80];
        snprintf(said, sizeof said, "the key has version %c, this library knows version 1", d->text[at]);
        bool newer = at == version && d->text[at] >= '0' && d->text[at] <= '9';
        refuse_text(d->text, d->size, at < version ? no_key : newer ? said : damaged);
        d->text[at] = (char)(d->text[at] ^ 1 << bit % 8);
    }
}

static void test_key_file__refuses_additions(void **state) {
    desk *d = *state;
    d->text[d->size] = '\n';
    refuse_text(d->text, d->size + 1, damaged);
    write_file(d->path, d->text, d->size + 1);
    refuse_file(d->path, HR_E_FORMAT, damaged);
    memset(d->text + d->size, ' ', ROOM - d->size);
    write_file(d->path, d->text, ROOM);
    refuse_file(d->path, HR_E_FORMAT, damaged);
    refuse_text("\n", 1, no_key);
    static const char newer[] = "hedgerow-secret-key 2\nwhatever\n";
    refuse_text(newer, sizeof newer - 1, "the key has version 2, this library knows version 1");
    static const char unbounded[] = "hedgerow-secret-key 11111111111111111111111\n";
    refuse_text(unbounded, sizeof unbounded - 1, damaged);
    static const char public_key[] = "hr-ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
    refuse_text(public_key, sizeof public_key - 1, no_key);
}

/* Random bytes, and good files of which random bytes were replaced. */
static void test_key_file__refuses_random_bytes(void **state) {
    const desk *d = *state;
    hr_csprng *csprng = seeded_stream(21);
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t size = hr_csprng_u64(csprng) % (2 * d->size);
        char *text = malloc(size ? size : 1);
        hr_identity *out = NULL;
        assert_non_null(text);
        hr_csprng_bytes(csprng, text, size);
        if (trial % 2) {
            size_t kept = size < d->size ? size : d->size;
            memcpy(text, d->text, kept);
            if (size >= d->size) {
                size_t at = hr_csprng_u64(csprng) % d->size;
                text[at] = text[at] == 'A' ? 'B' : 'A';
                size = d->size;
            }
        }
        assert_int_equal(hr_identity_parse(text, size, &out, NULL), HR_E_FORMAT);
        assert_null(out);
        free(text);
    }
    hr_csprng_close(csprng);
}

static void test_key__is_created_once_and_known_by_its_public_half(void **state) {
    const desk *d = *state;
    char made[HR_KEY_TEXT] = "untouched", read[HR_KEY_TEXT] = "untouched";
    hr_public_key key;
    hr_error err = {0};
    assert_int_equal(hr_key_create(d->path, made, &err), HR_E_IO);
    assert_string_equal(made, "untouched");
    unlink(d->path);
    assert_int_equal(hr_key_public(d->path, read, &err), HR_E_IO);
    assert_string_equal(read, "untouched");
    assert_int_equal(hr_key_create(d->path, made, &err), HR_OK);
    assert_int_equal(hr_key_public(d->path, read, &err), HR_OK);
    assert_string_equal(made, read);
    assert_int_equal(hr_public_key_parse(made, &key, &err), HR_OK);
}

#define WITH_DESK(test) cmocka_unit_test_setup_teardown(test, desk_open, desk_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_DESK(test_key_file__gives_back_the_identity),
        WITH_DESK(test_key_file__is_two_lines_for_the_owner_alone),
        WITH_DESK(test_key_file__is_never_overwritten),
        WITH_DESK(test_key_file__is_not_left_half_written),
        WITH_DESK(test_key_file__refuses_what_others_may_read_or_change),
        WITH_DESK(test_key_file__refuses_what_is_no_file),
        WITH_DESK(test_key_file__refuses_every_truncation),
        WITH_DESK(test_key_file__refuses_every_flipped_bit),
        WITH_DESK(test_key_file__refuses_additions),
        WITH_DESK(test_key_file__refuses_random_bytes),
        WITH_DESK(test_key__is_created_once_and_known_by_its_public_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
