/* Messages as bytes and back: nothing that is not understood is taken, and no bytes take more memory than
 * their bound. The test is linked so that the library's calls of malloc arrive here first (ld's --wrap), and
 * counts what they ask for. */
#include "support/message_samples.h"

/* The linker gives these names: __wrap_f is called instead of f, and __real_f is f. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

static size_t asked;

void *__real_malloc(size_t size);

void *__wrap_malloc(size_t size) {
    asked += size;
    return __real_malloc(size);
}

/* OK, FORMAT or LIMIT; what is taken can be packed again, and is then read as the same. */
static hr_status check(const ProtobufCMessageDescriptor *type, const void *at, size_t size) {
    hr_bytes copy = bytes_of(at, size);
    ProtobufCMessage *message = NULL;
    hr_error err = {0};
    asked = 0;
    hr_status status = hr_message_unpack(type, copy.at, copy.size, &message, &err);
    assert_true(asked <= HR_UNPACKED_MAX);
    free(copy.at);
    assert_true((status == HR_OK) == (message != NULL));
    if (status) {
        assert_true(status == HR_E_FORMAT || status == HR_E_LIMIT);
        assert_true(err.status == status && err.message[0]);
        return status;
    }
    assert_ptr_equal(message->descriptor, type);
    hr_bytes once = packed(message), twice;
    hr_message_unpacked_free(message);
    assert_int_equal(hr_message_unpack(type, once.at, once.size, &message, NULL), HR_OK);
    twice = packed(message);
    hr_message_unpacked_free(message);
    assert_int_equal(twice.size, once.size);
    assert_memory_equal(twice.at, once.at, once.size);
    free(once.at);
    free(twice.at);
    return HR_OK;
}

/* The other tests are of these. */
static void test_samples__are_of_every_kind(void **state) {
    sample samples[SAMPLES];
    const size_t count = samples_of(*state, samples);
    const ProtobufCMessageDescriptor *type = &hedgerow__message__descriptor;
    for (unsigned k = 0; k < type->n_fields; k++) {
        bool there = false;
        for (size_t s = 0; s < count && !there; s++) {
            ProtobufCMessage *message = NULL;
            if (samples[s].type != type) continue;
            assert_int_equal(
                hr_message_unpack(type, samples[s].bytes.at, samples[s].bytes.size, &message, NULL), HR_OK);
            there =
                ((Hedgerow__Message *)message)->kind_case == (Hedgerow__Message__KindCase)type->fields[k].id;
            hr_message_unpacked_free(message);
        }
        if (!there) fail_msg("there is no sample of %s", type->fields[k].name);
    }
    samples_done(samples, count);
}

static void test_message__comes_back_as_it_was(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++) {
        ProtobufCMessage *message = NULL;
        assert_int_equal(
            hr_message_unpack(samples[s].type, samples[s].bytes.at, samples[s].bytes.size, &message, NULL),
            HR_OK);
        hr_bytes again = packed(message);
        hr_message_unpacked_free(message);
        assert_int_equal(again.size, samples[s].bytes.size);
        assert_memory_equal(again.at, samples[s].bytes.at, again.size);
        free(again.at);
    }
    samples_done(samples, count);
}

static void test_message__that_is_cut_short_is_read_soundly_or_refused(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples), refused = 0, lengths = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t size = 0; size < samples[s].bytes.size; size++, lengths++)
            refused += check(samples[s].type, samples[s].bytes.at, size) != HR_OK;
    assert_true(refused > lengths / 2);
    samples_done(samples, count);
}

static void test_message__with_a_flipped_bit_is_read_soundly_or_refused(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++)
        for (size_t bit = 0; bit < 8 * samples[s].bytes.size; bit++) {
            samples[s].bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            (void)check(samples[s].type, samples[s].bytes.at, samples[s].bytes.size);
            samples[s].bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    samples_done(samples, count);
}

static void test_message__of_another_type_is_read_soundly_or_refused(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++)
            (void)check(samples[t].type, samples[s].bytes.at, samples[s].bytes.size);
    samples_done(samples, count);
}

static void test_message__random_or_mutated_is_read_soundly_or_refused(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    hr_dice dice;
    hr_dice_init(&dice, 5);
    for (int trial = 0; trial < 20000; trial++) {
        const sample *s = &samples[hr_dice_below(&dice, count)];
        hr_bytes bad = spoilt(&dice, &s->bytes);
        if (trial % 4 == 0)
            for (size_t i = 0; i < bad.size; i++) bad.at[i] = (uint8_t)hr_dice_u64(&dice);
        (void)check(s->type, bad.at, bad.size);
        free(bad.at);
    }
    samples_done(samples, count);
}

/* ---- What is not understood ---- */

/* A field that no type has, groups open, closed and nested, wire types that do not exist, and tags and
 * lengths without end. */
static void test_message__with_more_in_it_is_refused(void **state) {
    static const char *const tails[] = {"\xa0\x06\x01", "\xa3\x06\xa4\x06",
                                        "\xa3\x06",     "\xa4\x06",
                                        "\x0b\x0c",     "\x0b",
                                        "\x0e",         "\x0f",
                                        "\xa2\x06\x7f", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                        "\x80",         "\xa5\x06\x01"};
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) {
            size_t size = samples[s].bytes.size + strlen(tails[t]);
            uint8_t *more = malloc(size);
            assert_non_null(more);
            memcpy(more, samples[s].bytes.at, samples[s].bytes.size);
            memcpy(more + samples[s].bytes.size, tails[t], strlen(tails[t]));
            assert_int_equal(check(samples[s].type, more, size), HR_E_FORMAT);
            free(more);
        }
    samples_done(samples, count);
}

/* A field that is not known, inside of a message inside of a message. */
static void test_message__with_more_deep_inside_is_refused(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0x3a, 7, 0x12, 5, 0x0a, 3, 0xa0, 0x06, 1};
    assert_int_equal(check(&hedgerow__message__descriptor, bytes, sizeof bytes), HR_E_FORMAT);
}

static void test_message__of_nested_groups_is_refused(void **state) {
    (void)state;
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    memset(bytes, 0x0b, 1 << 20);
    assert_int_equal(check(&hedgerow__message__descriptor, bytes, 1 << 20), HR_E_FORMAT);
    memset(bytes, 0x0a, 1 << 20);
    assert_int_equal(check(&hedgerow__message__descriptor, bytes, 1 << 20), HR_E_FORMAT);
    free(bytes);
}

static void test_message__without_a_kind_is_read(void **state) {
    (void)state;
    assert_int_equal(check(&hedgerow__message__descriptor, "", 0),
                     HR_OK); /* who reads it must ask for its kind */
}

/* Of two kinds the last one counts, and the first is not lost memory (run under LeakSanitizer to see that).
 */
static void test_message__of_two_kinds_is_read_soundly_or_refused(void **state) {
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < count; t++) {
            if (samples[s].type != &hedgerow__message__descriptor || samples[t].type != samples[s].type)
                continue;
            size_t size = samples[s].bytes.size + samples[t].bytes.size;
            uint8_t *both = malloc(size);
            assert_non_null(both);
            memcpy(both, samples[s].bytes.at, samples[s].bytes.size);
            memcpy(both + samples[s].bytes.size, samples[t].bytes.at, samples[t].bytes.size);
            (void)check(samples[s].type, both, size);
            free(both);
        }
    samples_done(samples, count);
}

/* ---- Bombs ---- */

static void put_length(uint8_t *at, size_t *size, uint64_t value) {
    for (; value >= 0x80; value >>= 7) at[(*size)++] = (uint8_t)(value | 0x80);
    at[(*size)++] = (uint8_t)value;
}

/* `pattern` again and again, as the content of field `outer` (0: as it is). */
static hr_status explode(const ProtobufCMessageDescriptor *type, uint8_t outer, const char *pattern,
                         size_t length, size_t total) {
    uint8_t *bytes = malloc(total + 16);
    size_t size = 0;
    assert_non_null(bytes);
    if (outer) {
        bytes[size++] = outer;
        put_length(bytes, &size, total / length * length);
    }
    for (size_t i = 0; i < total / length; i++, size += length) memcpy(bytes + size, pattern, length);
    hr_status status = check(type, bytes, size);
    free(bytes);
    return status;
}

static void test_message__bombs_take_no_more_memory_than_the_bound(void **state) {
    (void)state;
    const size_t most = HR_MESSAGE_MAX - 16;
    assert_int_equal(explode(&hedgerow__ballot__descriptor, 0, "\x2a\0", 2, most), HR_E_LIMIT); /* releases */
    assert_int_equal(explode(&hedgerow__tree__descriptor, 0, "\x5a\0", 2, most), HR_E_LIMIT);   /* releases */
    assert_int_equal(explode(&hedgerow__message__descriptor, 0x4a, "\x2a\0", 2, most),
                     HR_E_LIMIT); /* a ballot's */
    assert_int_equal(explode(&hedgerow__message__descriptor, 0x22, "\x0a\0", 2, most),
                     HR_E_LIMIT); /* a forest's places */
    assert_int_equal(explode(&hedgerow__terms__descriptor, 0, "\x3a\0", 2, most), HR_E_LIMIT); /* settings */
    (void)explode(&hedgerow__message__descriptor, 0x1a, "\x0a\0", 2, most); /* names of owners */
    (void)explode(&hedgerow__message__descriptor, 0x1a, "\x0a\1x", 3, most);
    (void)explode(&hedgerow__message__descriptor, 0, "\x22\0", 2, most); /* one kind again and again */
    (void)explode(&hedgerow__message__descriptor, 0, "\x22\2\x0a\0", 4, most);
    (void)explode(&hedgerow__tree__descriptor, 0x22, "\x01", 1, most);  /* packed numbers, one byte each */
    (void)explode(&hedgerow__tree__descriptor, 0x3a, "\x01", 1, most);  /* packed truths */
    (void)explode(&hedgerow__tree__descriptor, 0, "\x20\x01", 2, most); /* the same, one by one */
    (void)explode(&hedgerow__tree__descriptor, 0, "\x22\x01\x01", 3, most);
    (void)explode(&hedgerow__tree__descriptor, 0, "\x22\0", 2, most);
    (void)explode(&hedgerow__tree__descriptor, 0x42, "\0\0\0\0\0\0\0\0", 8, most);
    (void)explode(&hedgerow__tree__descriptor, 0, "\x0a\1x", 3, most); /* one text again and again */
}

static void test_message__larger_than_its_limit_is_refused(void **state) {
    (void)state;
    assert_int_equal(explode(&hedgerow__answer__descriptor, 0x1a, "x", 1, HR_MESSAGE_MAX + 1), HR_E_LIMIT);
    assert_int_equal(explode(&hedgerow__answer__descriptor, 0x1a, "x", 1, HR_MESSAGE_MAX - 16), HR_OK);
}

/* ---- Texts ---- */

static void test_text__that_is_not_fit_to_be_shown_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        bool fit;
    } cases[] = {
        {"", 0, true},
        {"plain words, 1 ~", 16, true},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\xb1", 9, true},
        {"a\0b", 3, false},
        {"\0", 1, false},
        {"a\nb", 3, false},
        {"\x1b[31m", 5, false},
        {"\x7f", 1, false},
        {"\xc2\x80", 2, false}, /* C1 control */
        {"\xc2\x9b"
         "31m",
         5, false},         /* C1: control sequence introducer */
        {"\x80", 1, false}, /* a tail alone */
        {"\xc3", 1, false}, /* cut short */
        {"\xe2\x82", 2, false},
        {"\xf0\x9f\x8c", 3, false},
        {"\xc3(", 2, false},
        {"\xc0\x80", 2, false},     /* overlong NUL */
        {"\xc1\xbf", 2, false},     /* overlong */
        {"\xe0\x80\x8a", 3, false}, /* overlong line feed */
        {"\xf0\x80\x80\x8a", 4, false},
        {"\xed\xa0\x80", 3, false},     /* surrogate */
        {"\xf4\x90\x80\x80", 4, false}, /* above U+10FFFF */
        {"\xf8\x88\x80\x80\x80", 5, false},
        {"\xe2\x80\xae", 3, false},     /* right-to-left override */
        {"\xe2\x80\xa8", 3, false},     /* line separator */
        {"\xe2\x81\xa6", 3, false},     /* isolate */
        {"\xe2\x80\x8b", 3, false},     /* zero width space */
        {"\xe2\x80\x8f", 3, false},     /* right-to-left mark */
        {"\xc2\xad", 2, false},         /* soft hyphen */
        {"\xef\xbb\xbf", 3, false},     /* byte order mark */
        {"\xef\xbf\xbe", 3, false},     /* noncharacter */
        {"\xf3\xa0\x80\xa0", 4, false}, /* tag */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_bytes copy = bytes_of(cases[i].text, cases[i].size);
        if (hr_text_is_fit(hr_data_of(copy.at, copy.size), 100) != cases[i].fit) fail_msg("case %zu", i);
        free(copy.at);
    }
    assert_true(hr_text_is_fit(hr_text_of("12345"), 5));
    assert_false(hr_text_is_fit(hr_text_of("123456"), 5));
    assert_true(hr_text_is_fit((ProtobufCBinaryData){0, NULL}, 5));
}

static void test_text__of_lines_may_have_line_feeds(void **state) {
    (void)state;
    assert_true(hr_lines_are_fit(hr_text_of("a: 1\nb: \xc3\xa4\n"), 12));
    assert_false(hr_lines_are_fit(hr_text_of("a: 1\nb: \xc3\xa4\n"), 10));
    assert_false(hr_lines_are_fit(hr_text_of("a\r\n"), 10));
    assert_false(hr_lines_are_fit(hr_text_of("a\n\xe2\x80\xae"), 10));
    assert_false(hr_lines_are_fit(hr_text_of("a\n\xc3"), 10));
    assert_true(hr_lines_are_fit((ProtobufCBinaryData){0, NULL}, 0));
}

static void test_text__that_names_a_job(void **state) {
    (void)state;
    static const char *const names[] = {"job", "Trial 3 (b)_v1.2+x", "\xc3\xa4rzte", "-", "."};
    static const char *const others[] = {"",    "/srv/job", "a/b", "a\\b",         "a\nb",
                                         "a:b", "a'b",      "a;b", "\xe2\x80\xae", "\xc3"};
    char longest[HR_JOB_NAME_MAX + 2] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!hr_text_is_job_name(hr_text_of(names[i]))) fail_msg("'%s'", names[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hr_text_is_job_name(hr_text_of(others[i]))) fail_msg("'%s'", others[i]);
    assert_false(hr_text_is_job_name(hr_data_of("a\0b", 3)));
    memset(longest, 'a', HR_JOB_NAME_MAX);
    assert_true(hr_text_is_job_name(hr_text_of(longest)));
    longest[HR_JOB_NAME_MAX] = 'a';
    assert_false(hr_text_is_job_name(hr_text_of(longest)));
}

static void test_text__is_compared_whole(void **state) {
    (void)state;
    assert_true(hr_text_is(hr_text_of("anna"), "anna"));
    assert_true(hr_text_is((ProtobufCBinaryData){0, NULL}, ""));
    assert_false(hr_text_is(hr_data_of("anna", 5), "anna"));
    assert_false(hr_text_is(hr_data_of("anna", 3), "anna"));
    assert_false(hr_text_is(hr_text_of("annb"), "anna"));
    assert_false(hr_text_is(hr_text_of("anna"), ""));
    assert_false(hr_text_is((ProtobufCBinaryData){0, NULL}, "anna"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_samples__are_of_every_kind),
        WITH_TEST_MEMBERS(test_message__comes_back_as_it_was),
        WITH_TEST_MEMBERS(test_message__that_is_cut_short_is_read_soundly_or_refused),
        WITH_TEST_MEMBERS(test_message__with_a_flipped_bit_is_read_soundly_or_refused),
        WITH_TEST_MEMBERS(test_message__of_another_type_is_read_soundly_or_refused),
        WITH_TEST_MEMBERS(test_message__random_or_mutated_is_read_soundly_or_refused),
        WITH_TEST_MEMBERS(test_message__with_more_in_it_is_refused),
        cmocka_unit_test(test_message__with_more_deep_inside_is_refused),
        cmocka_unit_test(test_message__of_nested_groups_is_refused),
        cmocka_unit_test(test_message__without_a_kind_is_read),
        WITH_TEST_MEMBERS(test_message__of_two_kinds_is_read_soundly_or_refused),
        cmocka_unit_test(test_message__bombs_take_no_more_memory_than_the_bound),
        cmocka_unit_test(test_message__larger_than_its_limit_is_refused),
        cmocka_unit_test(test_text__that_is_not_fit_to_be_shown_is_refused),
        cmocka_unit_test(test_text__of_lines_may_have_line_feeds),
        cmocka_unit_test(test_text__that_names_a_job),
        cmocka_unit_test(test_text__is_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
