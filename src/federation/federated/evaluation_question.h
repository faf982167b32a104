/* The question of an evaluation over owners (fit/measure/shared_evaluation.h): the bytes of a model file. The
 * terms name their SHA-256, so that an owner decides on one model and no other is answered. An owner believes
 * nothing else of it: it is checked as a model file of strangers is. */
#ifndef HR_FEDERATION_FEDERATED_EVALUATION_QUESTION_H
#define HR_FEDERATION_FEDERATED_EVALUATION_QUESTION_H

#include "federation/protocol/message.h"
#include "privacy/crypto/digest.h"

#include <hedgerow/model.h>

enum { HR_EVALUATION_QUESTION_MAX = HR_MESSAGE_MAX - 4096 }; /* bytes: what an `Ask` adds to it is less */

/* Owner: the caller frees *out with hr_model_free. Fails: LIMIT (longer than a message), POLICY (not the
 * model of the terms), FORMAT (no model), SCHEMA (not of these records), MEMORY. */
HR_MUST_CHECK hr_status hr_evaluation_question_read(const hr_bytes *body, const char *fingerprint,
                                                    const hr_schema *schema, hr_model **out, hr_error *err);

#endif
