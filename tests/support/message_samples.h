/* One message of every kind and every type, with something in each field. */
#ifndef HR_TESTS_SUPPORT_MESSAGE_SAMPLES_H
#define HR_TESTS_SUPPORT_MESSAGE_SAMPLES_H

#include "support/test_members.h"

enum { SAMPLES = 32 };

typedef struct sample {
    const ProtobufCMessageDescriptor *type;
    hr_bytes bytes;
} sample;

Hedgerow__Message message_with(Hedgerow__Message__KindCase kind);
void sample_add(sample *out, size_t *count, const void *message);
size_t samples_of(const test_members *f, sample *out);
void samples_done(sample *samples, size_t count);

/* `samples[s]` with some bytes changed, cut or repeated. Owner: the caller. */
hr_bytes spoilt(hr_dice *dice, const hr_bytes *good);

#endif
