/* Members of a federation whose keys are the same in every run, and errors that help. */
#ifndef HR_TESTS_SUPPORT_TEST_KEYS_H
#define HR_TESTS_SUPPORT_TEST_KEYS_H

#include "privacy/crypto/csprng.h"
#include "privacy/crypto/secret.h"
#include "support/check.h"

#include <stdio.h>

/* The member of a number; owner: the caller. */
hr_identity *test_identity(unsigned char number);

/* RFC 8032, section 7.1, test 1. Owner: the caller. */
hr_identity *identity_of_rfc8032(void);
hr_csprng *seeded_stream(uint64_t seed);
void check_error(const hr_error *err, hr_status status, const char *message);

#endif
