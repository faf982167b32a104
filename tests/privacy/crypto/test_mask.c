/* Masks cancel among all owners of a sum and among nobody else; each number of a stream is used once. */
#include "privacy/crypto/digest.h"
#include "privacy/crypto/mask.h"
#include "support/check.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

enum { OWNERS_MAX = 8, LENGTH = 300 };

typedef struct mask_job {
    uint8_t secrets[OWNERS_MAX][HR_MASK_SECRET_SIZE], keys[OWNERS_MAX][HR_MASK_KEY_SIZE];
    uint8_t job[HR_MASK_JOB_SIZE], context[HR_MASK_CONTEXT_SIZE];
    bool members[OWNERS_MAX];
    size_t owner_count;
} mask_job;

/* All owners are members. */
static mask_job job_of(size_t owner_count) {
    mask_job job = {.owner_count = owner_count};
    memset(job.job, 7, sizeof job.job);
    memset(job.context, 9, sizeof job.context);
    for (size_t i = 0; i < owner_count; i++) {
        memset(job.secrets[i], (int)i + 1, HR_MASK_SECRET_SIZE);
        hr_mask_public(job.secrets[i], job.keys[i]);
        job.members[i] = true;
    }
    return job;
}

static hr_status try_pairs(const mask_job *job, size_t self, hr_mask_pairs **out, hr_error *err) {
    const hr_mask_job setup = {.secret = job->secrets[self],
                               .id = job->job,
                               .keys = job->keys,
                               .owner_count = job->owner_count,
                               .self = self};
    return hr_mask_pairs_new(&setup, out, err);
}

static hr_status try_mask(const mask_job *job, size_t self, hr_mask **out, hr_error *err) {
    hr_mask_pairs *pairs = NULL;
    hr_status status = try_pairs(job, self, &pairs, err);
    if (!status) status = hr_mask_new(pairs, &(hr_mask_sum){job->members, job->context}, out, err);
    hr_mask_pairs_free(pairs);
    return status;
}

static hr_mask *mask_of(const mask_job *job, size_t self) {
    hr_mask *mask = NULL;
    assert_int_equal(try_mask(job, self, &mask, NULL), HR_OK);
    return mask;
}

static void numbers_of(const mask_job *job, size_t self, uint64_t out[LENGTH]) {
    hr_mask *mask = mask_of(job, self);
    memset(out, 0, LENGTH * sizeof *out);
    hr_mask_add(mask, out, LENGTH);
    hr_mask_free(mask);
}

/* As computed by other implementations of BLAKE2b, X25519 and ChaCha20, from the text of mask.h. */
static void test_mask__is_as_its_header_says(void **state) {
    (void)state;
    static const char *const keys[] = {"d45f6b1f55f584c5f26f500ef56d09109337bba79132d9649420aa87624e4f1e",
                                       "bfbfa7f9737e3bf6ad5ec2d162690b2d69ca5795458d70ff1488711ea5333f5a",
                                       "5a657a0f963e74825058d5930fa640108128d5e5944ec5a578a5c4c004cb5e7c"};
    static const uint64_t wanted[][3] = {{0x3fcb6b176f3e7c26U, 0x3a26012092a07cb5U, 0xa6bb87c6a750c8bU},
                                         {0x88f3425de73fa30eU, 0xfede484f7834205dU, 0xcce7375a940d3f90U},
                                         {0x3741528aa981e0ccU, 0xc6fbb68ff52b62eeU, 0x28ad1029017db3e5U}};
    const mask_job job = job_of(3);
    for (size_t i = 0; i < 3; i++) {
        uint64_t numbers[LENGTH];
        char text[2 * HR_MASK_KEY_SIZE + 1];
        for (size_t b = 0; b < HR_MASK_KEY_SIZE; b++) snprintf(text + 2 * b, 3, "%02x", job.keys[i][b]);
        assert_string_equal(text, keys[i]);
        numbers_of(&job, i, numbers);
        assert_true(numbers[0] == wanted[i][0] && numbers[1] == wanted[i][1]);
        assert_true(numbers[LENGTH - 1] == wanted[i][2]);
    }
}

static size_t member_count(const mask_job *job) {
    size_t count = 0;
    for (size_t i = 0; i < job->owner_count; i++) count += job->members[i];
    return count;
}

/* The sum of the masks of a set's members, but for one of them (owner_count: for none). */
static void sum_of_masks(const mask_job *job, size_t without, uint64_t out[LENGTH]) {
    memset(out, 0, LENGTH * sizeof *out);
    for (size_t i = 0; i < job->owner_count; i++) {
        uint64_t numbers[LENGTH];
        if (!job->members[i] || i == without) continue;
        numbers_of(job, i, numbers);
        for (size_t n = 0; n < LENGTH; n++) out[n] += numbers[n];
    }
}

static size_t zeros_in(const uint64_t numbers[LENGTH]) {
    size_t zeros = 0;
    for (size_t n = 0; n < LENGTH; n++) zeros += !numbers[n];
    return zeros;
}

/* Every set of owners, of two as of eight: all together cancel, all but one do not, nor does anybody alone.
 */
static void test_masks__cancel_among_all_members_alone(void **state) {
    (void)state;
    for (size_t k = 2; k <= OWNERS_MAX; k++) {
        mask_job job = job_of(k);
        for (unsigned set = 1; set < 1U << k; set++) {
            if (k > 5 && set % 13 && set != (1U << k) - 1) continue;
            uint64_t sum[LENGTH];
            for (size_t i = 0; i < k; i++) job.members[i] = set >> i & 1;
            sum_of_masks(&job, k, sum);
            assert_int_equal(zeros_in(sum), LENGTH);
            for (size_t i = 0; i < k && member_count(&job) > 1; i++) {
                if (!job.members[i]) continue;
                sum_of_masks(&job, i, sum);
                assert_int_equal(zeros_in(sum), 0);
            }
        }
    }
}

static void test_mask__of_one_member_is_none(void **state) {
    (void)state;
    mask_job job = job_of(3);
    uint64_t numbers[LENGTH];
    job.members[0] = job.members[2] = false;
    numbers_of(&job, 1, numbers);
    assert_int_equal(zeros_in(numbers), LENGTH);
}

/* Numbers that two masks have in common, at any two places. */
static size_t repeats(const uint64_t a[LENGTH], const uint64_t b[LENGTH]) {
    size_t found = 0;
    for (size_t i = 0; i < LENGTH; i++)
        for (size_t j = 0; j < LENGTH; j++) found += a[i] == b[j] || a[i] == 0 - b[j];
    return found;
}

static void test_mask__of_another_context_job_or_key_is_another(void **state) {
    (void)state;
    const mask_job job = job_of(2);
    mask_job others[4] = {job, job, job, job};
    uint64_t numbers[LENGTH], changed[LENGTH];
    others[0].context[HR_MASK_CONTEXT_SIZE - 1] ^= 1;
    others[1].job[0] ^= 1;
    others[2].secrets[0][31] ^= 1;
    hr_mask_public(others[2].secrets[0], others[2].keys[0]);
    hr_mask_public(others[2].secrets[0], others[3].keys[1]);
    numbers_of(&job, 0, numbers);
    for (size_t i = 0; i < COUNT(others); i++) {
        numbers_of(&others[i], 0, changed);
        assert_int_equal(repeats(numbers, changed), 0);
    }
}

/* A member who says that another's key is its own: no stream of those two is the same, or the opposite. */
static void test_mask__with_a_copied_key_shares_no_stream(void **state) {
    (void)state;
    mask_job with_second = job_of(3), with_third;
    uint64_t second[LENGTH], third[LENGTH];
    memcpy(with_second.keys[2], with_second.keys[1], HR_MASK_KEY_SIZE);
    with_third = with_second;
    with_second.members[2] = with_third.members[1] = false;
    numbers_of(&with_second, 0, second);
    numbers_of(&with_third, 0, third);
    assert_int_equal(repeats(second, third), 0);
}

static void test_mask__goes_on_where_it_ended(void **state) {
    (void)state;
    const mask_job job = job_of(4);
    uint64_t whole[LENGTH], pieces[LENGTH] = {0};
    numbers_of(&job, 2, whole);
    for (size_t step = 1; step < 60; step++) {
        hr_mask *mask = mask_of(&job, 2);
        memset(pieces, 0, sizeof pieces);
        hr_mask_add(mask, pieces, 0);
        for (size_t at = 0; at < LENGTH; at += step)
            hr_mask_add(mask, pieces + at, LENGTH - at < step ? LENGTH - at : step);
        assert_memory_equal(whole, pieces, sizeof whole);
        hr_mask_free(mask);
    }
    for (size_t i = 0; i < LENGTH; i++)
        for (size_t j = 0; j < i; j++) assert_true(whole[i] != whole[j]);
}

static void test_mask__is_added_to_what_is_there(void **state) {
    (void)state;
    const mask_job job = job_of(2);
    uint64_t numbers[LENGTH], values[LENGTH];
    hr_mask *mask = mask_of(&job, 0);
    numbers_of(&job, 0, numbers);
    for (size_t n = 0; n < LENGTH; n++) values[n] = UINT64_MAX - n;
    hr_mask_add(mask, values, LENGTH);
    for (size_t n = 0; n < LENGTH; n++) assert_true(values[n] == numbers[n] - 1 - n);
    hr_mask_free(mask);
}

/* Reads memory that may have been freed: by its address, through the kernel. */
static size_t read_memory(uintptr_t address, uint64_t *words, size_t count) {
    int memory = open("/proc/self/mem", O_RDONLY);
    if (memory < 0) skip();
    ssize_t got = pread(memory, words, count * sizeof *words, (off_t)address);
    close(memory);
    return got < 0 ? 0 : (size_t)got / sizeof *words;
}

static void free_mask(void *mask) {
    hr_mask_free(mask);
}

static void free_pairs(void *pairs) {
    hr_mask_pairs_free(pairs);
}

static void leaves_no_key_behind(void *keys, void (*wipe)(void *keys)) {
    uint64_t before[256], after[256];
    const uintptr_t address = (uintptr_t)keys;
    size_t size = malloc_usable_size(keys) / sizeof *before, kept = 0, left = 0;
    assert_true(size <= COUNT(before));
    assert_int_equal(read_memory(address, before, size), size);
    for (size_t i = 0; i < size; i++) kept += before[i] > UINT32_MAX;
    assert_true(kept >= (OWNERS_MAX - 1) * HR_MASK_KEY_SIZE / sizeof *before);
    wipe(keys);
    size = read_memory(address, after, size);
    for (size_t i = 0; i < size; i++) left += before[i] > UINT32_MAX && after[i] == before[i];
    assert_int_equal(left, 0);
}

/* ---- A mask that one owner knows alone ---- */

static void numbers_of_split(const uint8_t secret[HR_MASK_SECRET_SIZE],
                             const uint8_t context[HR_MASK_CONTEXT_SIZE], uint64_t out[LENGTH]) {
    hr_mask *mask = NULL;
    memset(out, 0, LENGTH * sizeof *out);
    assert_int_equal(hr_mask_split(secret, context, &mask, NULL), HR_OK);
    hr_mask_add(mask, out, LENGTH / 2);
    hr_mask_add(mask, out + LENGTH / 2, LENGTH - LENGTH / 2);
    hr_mask_free(mask);
}

static void test_mask_split__is_of_one_secret_and_context(void **state) {
    (void)state;
    uint8_t secret[HR_MASK_SECRET_SIZE] = {1}, context[HR_MASK_CONTEXT_SIZE] = {2};
    uint64_t numbers[LENGTH], others[LENGTH];
    numbers_of_split(secret, context, numbers);
    assert_true(numbers[0] == 0x45acd319a524167U && numbers[1] == 0xaa740391b36dec0U);
    assert_true(numbers[LENGTH - 1] == 0x6d51cd657aed6e20U);
    secret[31] ^= 1;
    numbers_of_split(secret, context, others);
    for (size_t i = 0; i < LENGTH; i++) assert_true(numbers[i] != others[i]);
    secret[31] ^= 1;
    context[31] ^= 1;
    numbers_of_split(secret, context, others);
    for (size_t i = 0; i < LENGTH; i++) assert_true(numbers[i] != others[i]);
}

static void test_keys__are_wiped(void **state) {
    (void)state;
    const mask_job job = job_of(OWNERS_MAX);
    hr_mask_pairs *pairs = NULL;
    mallopt(M_PERTURB, 0); /* else memory is overwritten when it is freed */
    assert_int_equal(try_pairs(&job, 3, &pairs, NULL), HR_OK);
    leaves_no_key_behind(mask_of(&job, 3), free_mask);
    leaves_no_key_behind(pairs, free_pairs);
    free_mask(NULL);
    free_pairs(NULL);
}

/* ---- Keys that hide nothing ---- */

/* Points of small order: with each of them everybody's common secret is 0. */
static const uint8_t small_order[][HR_MASK_KEY_SIZE] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
     0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
     0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
};
enum { P = COUNT(small_order), SMALL = P + 3 };

/* The others are p - 1, p and p + 1, p = 2^255 - 19. */
static void small_order_key(size_t i, uint8_t key[HR_MASK_KEY_SIZE]) {
    if (i < P) {
        memcpy(key, small_order[i], HR_MASK_KEY_SIZE);
        return;
    }
    memset(key, 0xff, HR_MASK_KEY_SIZE);
    key[0] = (uint8_t)(0xec + i - P);
    key[HR_MASK_KEY_SIZE - 1] = 0x7f;
}

static void test_mask_key__of_small_order_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * SMALL; i++) {
        mask_job job = job_of(4);
        hr_mask *mask = NULL;
        hr_error err = {0};
        assert_true(hr_mask_key_valid(job.keys[2]));
        small_order_key(i / 2, job.keys[2]);
        if (i % 2) job.keys[2][HR_MASK_KEY_SIZE - 1] |= 0x80; /* which X25519 leaves out */
        assert_false(hr_mask_key_valid(job.keys[2]));
        assert_int_equal(try_mask(&job, 0, &mask, &err), HR_E_POLICY);
        assert_null(mask);
        assert_non_null(strstr(err.message, "mask key of owner 3"));
        job.members[2] = false; /* whose key is not used */
        hr_mask_free(mask_of(&job, 0));
    }
}

/* Of keys beside them: what is found without an X25519 is what the mask finds with one. */
static void test_mask_key__is_valid_if_it_makes_masks(void **state) {
    (void)state;
    for (size_t i = 0; i < SMALL * HR_MASK_KEY_SIZE; i++) {
        mask_job job = job_of(4);
        hr_mask *mask = NULL;
        small_order_key(i / HR_MASK_KEY_SIZE, job.keys[2]);
        job.keys[2][i % HR_MASK_KEY_SIZE] ^= 0x10;
        assert_int_equal(hr_mask_key_valid(job.keys[2]), try_mask(&job, 0, &mask, NULL) == HR_OK);
        hr_mask_free(mask);
    }
}

static void test_mask__refuses_a_key_that_is_not_its_own(void **state) {
    (void)state;
    mask_job job = job_of(3);
    hr_mask *mask = NULL;
    hr_error err = {0};
    job.keys[1][0] ^= 1;
    assert_int_equal(try_mask(&job, 1, &mask, &err), HR_E_POLICY);
    assert_null(mask);
    assert_non_null(strstr(err.message, "not its own"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mask__is_as_its_header_says),
        cmocka_unit_test(test_masks__cancel_among_all_members_alone),
        cmocka_unit_test(test_mask__of_one_member_is_none),
        cmocka_unit_test(test_mask__of_another_context_job_or_key_is_another),
        cmocka_unit_test(test_mask__with_a_copied_key_shares_no_stream),
        cmocka_unit_test(test_mask__goes_on_where_it_ended),
        cmocka_unit_test(test_mask__is_added_to_what_is_there),
        cmocka_unit_test(test_mask_split__is_of_one_secret_and_context),
        cmocka_unit_test(test_keys__are_wiped),
        cmocka_unit_test(test_mask_key__of_small_order_is_refused),
        cmocka_unit_test(test_mask_key__is_valid_if_it_makes_masks),
        cmocka_unit_test(test_mask__refuses_a_key_that_is_not_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
