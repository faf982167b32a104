#include "job/terms.h"

#include "base/arena.h"
#include "base/fail.h"
#include "methods/inprivate.h"
#include "methods/method.h"

#include <stdlib.h>
#include <string.h>

enum { SETTINGS_MAX = 40 };

typedef struct listing {
    hr_arena *arena;
    Hedgerow__Setting settings[SETTINGS_MAX], *list[SETTINGS_MAX];
    size_t count;
    bool lost;
} listing;

bool hr_is_option_of_job(const char *name) {
    return strcmp(name, "trees") != 0;
}

static void add(void *user, const char *name, const char *value) {
    listing *l = user;
    if (!hr_is_option_of_job(name)) return;
    const char *kept = l->count < SETTINGS_MAX ? hr_arena_text(l->arena, value, strlen(value)) : NULL;
    if (!kept) {
        l->lost = true;
        return;
    }
    Hedgerow__Setting *setting = &l->settings[l->count];
    hedgerow__setting__init(setting);
    setting->name = hr_text_of(name);
    setting->value = hr_text_of(kept);
    l->list[l->count++] = setting;
}

static hr_status pack(const hr_job_file *job, const char *name, const char *yaml, ProtobufCBinaryData *owners, size_t count, listing *l,
                      hr_bytes *out, hr_error *err) {
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    hr_options_each(&hr_method_inprivate, &job->options, add, l);
    if (l->lost) return hr_fail_memory(err);
    terms.name = hr_text_of(name);
    terms.schema = hr_text_of(yaml);
    terms.method = hr_text_of(job->options.method);
    terms.paper = job->options.mode == HR_PAPER;
    terms.epsilon = job->options.epsilon;
    terms.settings = l->list;
    terms.n_settings = l->count;
    terms.rounds = (uint32_t)job->rounds;
    terms.broadcast = job->order == HR_ORDER_BROADCAST;
    terms.last_places = (uint32_t)job->last_places;
    terms.vote_share = (job->advance > 0 && job->rounds > 1) || job->last_places ? job->vote_share : 0;
    terms.owners = owners;
    terms.n_owners = count;
    return hr_pack(&terms.base, out, err);
}

hr_status hr_terms_of(const hr_job_file *job, const char *name, const hr_schema *schema, const char *const *owners, size_t count,
                      hr_bytes *out, hr_error *err) {
    if (strcmp(job->options.method, hr_method_inprivate.info.name) != 0)
        return hr_fail(err, HR_E_ARGUMENT, "write 'method: inprivate'", "the method '%s' does not train over a federation",
                       job->options.method);
    listing l = {.arena = hr_arena_new()};
    ProtobufCBinaryData *names = calloc(count + 1, sizeof *names);
    char *yaml = NULL;
    hr_status status = l.arena && names ? hr_inprivate_check(schema, err) : hr_fail_memory(err);
    if (!status) status = hr_schema_render(schema, &yaml, err);
    for (size_t i = 0; !status && i < count; i++) names[i] = hr_text_of(owners[i]);
    if (!status) status = pack(job, name, yaml, names, count, &l, out, err);
    hr_text_free(yaml);
    free(names);
    hr_arena_free(l.arena);
    return status;
}

/* Texts of a message are not ended by NUL. */
typedef struct small_text {
    char text[128];
} small_text;

static hr_status text_of(ProtobufCBinaryData data, small_text *out, hr_error *err) {
    if (!hr_text_is_fit(data, sizeof out->text - 1)) return hr_fail(err, HR_E_ARGUMENT, "", "a text is too long, or no text");
    memcpy(out->text, data.data ? data.data : (const uint8_t *)"", data.len);
    out->text[data.len] = '\0';
    return HR_OK;
}

hr_status hr_options_of_terms(const Hedgerow__Terms *terms, double share, hr_fit_options *out, hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_fit_options_init(&options, hr_method_inprivate.info.name, terms->paper ? HR_PAPER : HR_SOUND, err);
    for (size_t i = 0; !status && i < terms->n_settings; i++) {
        small_text name, value;
        status = text_of(terms->settings[i]->name, &name, err);
        if (!status) status = text_of(terms->settings[i]->value, &value, err);
        if (!status) status = hr_fit_options_set(&options, name.text, value.text, err);
    }
    if (status) return status;
    /* What the job costs stands in the terms, where her policy looks at it; a setting of that name changes nothing. */
    options.epsilon = share * terms->epsilon;
    options.delta = terms->delta;
    *out = options;
    return HR_OK;
}

double hr_terms_cost(const Hedgerow__Terms *terms) {
    hr_units parts = hr_units_down((1 - terms->vote_share) * terms->epsilon) + hr_units_down(terms->vote_share * terms->epsilon);
    hr_units whole = hr_units_down(terms->epsilon);
    return hr_units_value(parts > whole ? parts : whole);
}
