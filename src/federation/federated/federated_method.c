/* The methods of jobs of several owners, and what they share. */
#include "federation/federated/federated_method.h"

#include "base/text/text.h"
#include "privacy/crypto/session.h"
#include "privacy/ledger/journal_list.h"
#include "tables/schema/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const hr_federated_method *const table[] = {
    &hr_federated_hedge,      &hr_federated_id3,        &hr_federated_inprivate,
    &hr_federated_average,    &hr_federated_simfl,      &hr_federated_survival_curve,
    &hr_federated_statistics, &hr_federated_evaluation, &hr_federated_bounds};

const hr_federated_method *const hr_federated_unknown = &hr_federated_inprivate;

const hr_federated_method *hr_federated_method_named(const void *name, size_t size, hr_mode mode) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *own = table[i]->method->info.name;
        if (strlen(own) != size || memcmp(own, name, size) != 0) continue;
        return mode == HR_MODE_PAPER && table[i]->paper ? table[i]->paper : table[i];
    }
    return NULL;
}

void hr_federated_list(bool (*has)(const hr_federated_method *method), char out[HR_METHODS_TEXT]) {
    size_t count = 0, listed = 0, length = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) count += has(table[i]);
    out[0] = '\0';
    for (size_t i = 0; i < sizeof table / sizeof *table && length < HR_METHODS_TEXT; i++) {
        if (!has(table[i])) continue;
        length +=
            (size_t)snprintf(out + length, HR_METHODS_TEXT - length, "%s%s%s", hr_list_gap(listed++, count),
                             table[i]->method->info.name, table[i]->no_sound ? " in mode paper" : "");
    }
}

hr_status hr_federated_check_unit(const hr_federated_method *method, bool paper, const hr_schema *schema,
                                  hr_error *err) {
    char what[80];
    if (method->persons && !paper) return HR_OK;
    snprintf(what, sizeof what, "a job of method %s%s", method->method->info.name,
             method->persons ? " in mode paper" : "");
    return hr_schema_refuse_unit(schema, what,
                                 method->assemble ? "use the method hedge in mode sound"
                                                  : "give tables with one record of each person",
                                 err);
}

hr_status hr_federated_check_label(const hr_federated_method *method, bool paper, const hr_schema *schema,
                                   hr_error *err) {
    const hr_task task = hr_schema_task(schema);
    if (!method->assemble) return HR_OK;
    if (method->averages && !hr_task_has_classes(task) && task != HR_TASK_REGRESSION) {
        hr_fail(
            err, HR_E_ARGUMENT,
            task == HR_TASK_COUNT
                ? "write 'method: hedge' without 'train', whose owners add sums up, or 'kind: number' for "
                  "the label"
                : "write 'method: hedge' without 'train', whose owners add sums up",
            "models of %s are not averaged", hr_task_text(task));
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_label(schema)->name);
    }
    char what[80];
    snprintf(what, sizeof what, "a job of method %s", method->method->info.name);
    const bool needs_cuts = !method->finds_cuts && !method->method->predicts_nothing;
    hr_status status = needs_cuts ? hr_schema_refuse_quantile_cuts(schema, what, err) : HR_OK;
    if (status) return status;
    return hr_method_check_label(method->method, paper ? HR_MODE_PAPER : HR_MODE_SOUND, schema, err);
}

hr_status hr_federated_check_monotone(const hr_federated_method *method, bool paper, const hr_schema *schema,
                                      hr_error *err) {
    if (!method->assemble) return HR_OK;
    return hr_check_monotone(method->method->info.name,
                             (method->method->monotone || method->method->predicts_nothing) && !paper, schema,
                             err);
}

const hr_left_out *hr_federated_job_rules(hr_fit_options *options) {
    const hr_federated_method *method =
        hr_federated_method_named(options->method, strlen(options->method), options->mode);
    if (!method) return NULL;
    if (method->defaults) method->defaults(options);
    return method->left_out;
}

/* ---- Lines for people ---- */

void hr_job_log(const hr_party_work *work, const hr_journal_job *job, hr_log_level level, const char *format,
                ...) {
    char text[HR_LOG_TEXT], id[HR_JOURNAL_ID_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (job) hr_text_hex(job->id, HR_JOURNAL_ID, id);
    hr_log_write(work->log, level, job ? id : NULL, text);
}

/* ---- Traffic ---- */

/* Bytes that stand around a message, which acknowledges those of the other side too, of an owner in a start
 * (name, signatures, keys), and of an answer to the offer. */
enum { ENVELOPE = HR_SESSION_OVERHEAD + 72, MEMBER = 192, ANSWER = 176 };
/* Of the owners that a sum is over, and of an owner's word that it is ready. */
enum { NAMED = 12, READY = 5 };

void hr_job_traffic_add(hr_job_traffic *t, double count, double question, double answer) {
    t->received += count * question;
    t->questions += count * question;
    t->sent += count * answer;
    t->messages_in += count;
    t->messages_out += count;
}

void hr_job_traffic_add_prepared(hr_job_traffic *t, double count, double question, double answer) {
    hr_job_traffic_add(t, count, question, answer);
    hr_job_traffic_add(t, count, NAMED, READY);
}

void hr_job_traffic_begin(hr_job_traffic *t, const Hedgerow__Terms *terms) {
    *t = (hr_job_traffic){0};
    hr_job_traffic_add(t, 1, (double)protobuf_c_message_get_packed_size(&terms->base), ANSWER);
    t->questions = 0;
    t->received += (double)terms->n_owners * MEMBER;
    t->messages_in += 2;
}

void hr_job_traffic_describe(const hr_job_traffic *t, hr_job_plan_info *out) {
    double owners = (double)out->owners;
    out->owner_receives = t->received + t->messages_in * ENVELOPE;
    out->owner_sends = t->sent + t->messages_out * ENVELOPE;
    out->coordinator_sends = owners * out->owner_receives;
    out->coordinator_receives = owners * out->owner_sends;
}
