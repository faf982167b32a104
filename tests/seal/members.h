/* Members of a federation whose keys are the same in every run, and errors that help. */
#ifndef HR_TESTS_SEAL_MEMBERS_H
#define HR_TESTS_SEAL_MEMBERS_H

#include "random/stream.h"
#include "seal/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The member of a number; owner: the caller. */
static inline hr_identity *member(unsigned char number) {
    unsigned char seed[crypto_sign_SEEDBYTES] = {number, 'm', 'e', 'm', 'b', 'e', 'r'};
    hr_identity *identity = NULL;
    assert_int_equal(hr_identity_grow(seed, &identity, NULL), HR_OK);
    return identity;
}

/* RFC 8032, section 7.1, test 1. Owner: the caller. */
static inline hr_identity *member_of_rfc8032(void) {
    static const char hex[] = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    unsigned char seed[crypto_sign_SEEDBYTES];
    hr_identity *identity = NULL;
    assert_int_equal(sodium_hex2bin(seed, sizeof seed, hex, sizeof hex - 1, NULL, NULL, NULL), 0);
    assert_int_equal(hr_identity_grow(seed, &identity, NULL), HR_OK);
    return identity;
}

static inline hr_stream *member_stream(uint64_t seed) {
    hr_stream *stream = NULL;
    assert_int_equal(hr_stream_open_seeded(seed, &stream, NULL), HR_OK);
    return stream;
}

static inline void check_error(const hr_error *err, hr_status status, const char *message) {
    assert_string_equal(err->message, message);
    assert_int_equal(err->status, status);
    assert_true(err->remedy[0]);
}

#endif
