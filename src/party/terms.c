#include "party/terms.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* Terms in the making. */
typedef struct job_offer {
    hr_settings settings;
    Hedgerow__Setting wire[HR_SETTINGS_MAX], *list[HR_SETTINGS_MAX];
    ProtobufCBinaryData *owners;
    char *schema;
} job_offer;

/* The number of rounds sets the number of trees, not the method's option. */
static void add_option(void *user, const char *name, const char *value) {
    if (strcmp(name, "trees") != 0) hr_settings_add(user, name, value);
}

void hr_terms_add_options(hr_settings *settings, const hr_method *method, const hr_fit_options *options) {
    hr_options_each(method, options, add_option, settings);
}

const hr_federated_method *hr_terms_method(const Hedgerow__Terms *terms) {
    return hr_federated_method_named(terms->method.data, terms->method.len);
}

static hr_status list_terms_settings(job_offer *o, const hr_method *method, const hr_fit_options *options,
                                     hr_error *err) {
    hr_terms_add_options(&o->settings, method, options);
    for (size_t i = 0; i < o->settings.count; i++) {
        hedgerow__setting__init(o->list[i] = &o->wire[i]);
        o->wire[i].name = hr_text_of(o->settings.items[i].name);
        o->wire[i].value = hr_text_of(o->settings.items[i].value);
    }
    return o->settings.lost ? hr_fail_memory(err) : HR_OK;
}

static hr_status list_owners(job_offer *o, const hr_names *owners, hr_error *err) {
    o->owners = calloc(owners->count + 1, sizeof *o->owners);
    if (!o->owners) return hr_fail_memory(err);
    for (size_t i = 0; i < owners->count; i++) o->owners[i] = hr_text_of(owners->items[i]);
    return HR_OK;
}

static hr_status pack_terms(job_offer *o, const hr_job_file *job, const char *name, size_t owners,
                            hr_bytes *out, hr_error *err) {
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of(name);
    terms.schema = hr_text_of(o->schema);
    terms.method = hr_text_of(job->options.method);
    terms.paper = job->options.mode == HR_PAPER;
    terms.epsilon = job->options.epsilon;
    terms.settings = o->list;
    terms.n_settings = o->settings.count;
    terms.rounds = (uint32_t)job->rounds;
    terms.broadcast = job->order == HR_ORDER_BROADCAST;
    terms.last_slots = (uint32_t)job->last_slots;
    terms.vote_share = (job->round_gain > 0 && job->rounds > 1) || job->last_slots ? job->vote_share : 0;
    terms.date = (uint64_t)job->date;
    terms.owners = o->owners;
    terms.n_owners = owners;
    return hr_message_pack(&terms.base, out, err);
}

hr_status hr_terms_of(const hr_job_file *job, const char *name, const hr_schema *schema,
                      const hr_names *owners, hr_bytes *out, hr_error *err) {
    const hr_federated_method *federated =
        hr_federated_method_named(job->options.method, strlen(job->options.method));
    if (!federated)
        return hr_fail(err, HR_E_ARGUMENT, "write 'method: inprivate'",
                       "the method '%s' does not train over a federation", job->options.method);
    job_offer o = {.settings.arena = hr_arena_new()};
    hr_status status = o.settings.arena ? federated->check_schema(schema, err) : hr_fail_memory(err);
    if (!status) status = hr_schema_render(schema, &o.schema, err);
    if (!status) status = list_terms_settings(&o, federated->method, &job->options, err);
    if (!status) status = list_owners(&o, owners, err);
    if (!status) status = pack_terms(&o, job, name, owners->count, out, err);
    hr_text_free(o.schema);
    free(o.owners);
    hr_arena_free(o.settings.arena);
    return status;
}

/* Texts of a message are not ended by NUL. */
typedef struct small_text {
    char text[128];
} small_text;

static hr_status setting_text_of(ProtobufCBinaryData data, small_text *out, hr_error *err) {
    if (!hr_text_is_fit(data, sizeof out->text - 1))
        return hr_fail(err, HR_E_ARGUMENT, "", "a text is too long, or not valid UTF-8");
    memcpy(out->text, data.data ? data.data : (const uint8_t *)"", data.len);
    out->text[data.len] = '\0';
    return HR_OK;
}

hr_status hr_options_of_terms(const Hedgerow__Terms *terms, double share, hr_fit_options *out,
                              hr_error *err) {
    hr_fit_options options;
    const hr_federated_method *federated = hr_terms_method(terms);
    if (!federated)
        return hr_fail(err, HR_E_ARGUMENT, "", "the terms name no method that trains over a federation");
    hr_status status =
        hr_fit_options_init(&options, federated->method->info.name, terms->paper ? HR_PAPER : HR_SOUND, err);
    for (size_t i = 0; !status && i < terms->n_settings; i++) {
        small_text name, value;
        status = setting_text_of(terms->settings[i]->name, &name, err);
        if (!status) status = setting_text_of(terms->settings[i]->value, &value, err);
        if (!status) status = hr_fit_options_set(&options, name.text, value.text, err);
    }
    if (status) return status;
    /* The cost of the job is a field of the terms, which the policy checks; a setting of that name changes
     * nothing. */
    options.epsilon = share * terms->epsilon;
    options.delta = terms->delta;
    *out = options;
    return HR_OK;
}

double hr_terms_cost(const Hedgerow__Terms *terms) {
    hr_units parts = hr_units_down((1 - terms->vote_share) * terms->epsilon) +
                     hr_units_down(terms->vote_share * terms->epsilon);
    hr_units whole = hr_units_down(terms->epsilon);
    return hr_units_value(parts > whole ? parts : whole);
}
