#include "federation/federated/terms.h"

#include "base/fail.h"
#include "federation/federated/evaluation_question.h"
#include "fit/conformal.h"
#include "fit/measure/shared_bounds.h"
#include "privacy/ledger/delta.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"
#include "trees/tree/interactions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Terms in the making. */
typedef struct job_offer {
    hr_settings settings;
    Hedgerow__Setting wire[HR_SETTINGS_MAX], *list[HR_SETTINGS_MAX];
    ProtobufCBinaryData *owners, *columns;
    uint64_t *least, *most;              /* bounds of the owners' records; NULL: none is known */
    char *schema, model[HR_DIGEST_TEXT]; /* model: "" of a job that trains */
} job_offer;

typedef struct listed_options {
    hr_settings *settings;
    const hr_federated_method *federated;
} listed_options;

static void add_option(void *user, const char *name, const char *value) {
    const listed_options *l = user;
    if (!hr_left_out_instead(l->federated->left_out, name)) hr_settings_add(l->settings, name, value);
}

static void add_options(hr_settings *settings, const hr_federated_method *federated, const hr_method *trained,
                        const hr_fit_options *options) {
    listed_options listed = {settings, federated};
    if (federated->averages)
        hr_settings_add_options(settings, trained, options);
    else
        hr_options_each(trained, options, add_option, &listed);
}

const hr_federated_method *hr_terms_method(const Hedgerow__Terms *terms) {
    return hr_federated_method_named(terms->method.data, terms->method.len,
                                     terms->paper ? HR_MODE_PAPER : HR_MODE_SOUND);
}

hr_status hr_terms_method_offered(const hr_bytes *message, const hr_federated_method **out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    *out = hr_federated_unknown;
    hr_status status =
        hr_message_unpack(&hedgerow__message__descriptor, message->at, message->size, &read, NULL);
    if (status) return status == HR_E_MEMORY ? hr_fail_memory(err) : HR_OK;
    const Hedgerow__Message *offer = (const Hedgerow__Message *)read;
    if (offer->kind_case == HEDGEROW__MESSAGE__KIND_TERMS) {
        const hr_federated_method *named = hr_terms_method(offer->terms);
        if (named) *out = named;
    }
    hr_message_unpacked_free(read);
    return HR_OK;
}

hr_status hr_terms_schema_offered(const hr_bytes *message, const hr_schema *own, hr_schema **out,
                                  bool *is_part, hr_error *err) {
    static const hr_schema_sides sides = {"at the owner", "in the job"};
    char difference[HR_SCHEMA_DIFFERENCE];
    ProtobufCMessage *read = NULL;
    hr_schema *job = NULL;
    hr_status status =
        hr_message_unpack(&hedgerow__message__descriptor, message->at, message->size, &read, NULL);
    const Hedgerow__Message *offer = (const Hedgerow__Message *)read;
    if (!status && offer->kind_case == HEDGEROW__MESSAGE__KIND_TERMS)
        status = hr_schema_parse((const char *)offer->terms->schema.data, offer->terms->schema.len, "terms",
                                 &job, NULL);
    hr_message_unpacked_free(read);
    const size_t count = job ? hr_schema_feature_count(job) : 0;
    size_t *features = malloc((count + 1) * sizeof *features);
    if (!features && !status) status = HR_E_MEMORY;
    *is_part = !status && job && count < hr_schema_feature_count(own) &&
               !hr_schema_difference_of_part(own, job, &sides, difference, features);
    free(features);
    if (status == HR_E_MEMORY) {
        hr_schema_free(job);
        return hr_fail_memory(err);
    }
    *out = job;
    return HR_OK;
}

hr_status hr_job_name_of(const char *path, char out[HR_JOB_NAME_MAX + 1], hr_error *err) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    size_t size = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    if (!hr_text_is_job_name(hr_data_of(base, size)))
        return hr_fail(err, HR_E_ARGUMENT,
                       "rename the file: its name before the extension is the job's, 1 to 64 bytes, of ASCII "
                       "only letters, digits, space and -_.+()",
                       "the name of the job file cannot be the name of a job");
    memcpy(out, base, size);
    out[size] = '\0';
    return HR_OK;
}

/* The model that owners are to evaluate is one of their schema. */
static hr_status name_evaluated(job_offer *o, const hr_job_file *job, const hr_schema *schema,
                                hr_error *err) {
    const hr_bytes bytes = {(uint8_t *)job->evaluated.text, job->evaluated.size};
    hr_model *model = NULL;
    hr_sha256_text(bytes.at, bytes.size, o->model);
    hr_status status = hr_evaluation_question_read(&bytes, o->model, schema, &model, err);
    hr_model_free(model);
    return status ? hr_fail_at(err, status, job->model, 0, 0, NULL) : HR_OK;
}

static hr_status list_terms_settings(job_offer *o, const hr_federated_method *federated,
                                     const hr_fit_options *options, hr_error *err) {
    add_options(&o->settings, federated, hr_method_named(options->method), options);
    for (size_t i = 0; i < o->settings.count; i++) {
        hedgerow__setting__init(o->list[i] = &o->wire[i]);
        o->wire[i].name = hr_text_of(o->settings.items[i].name);
        o->wire[i].value = hr_text_of(o->settings.items[i].value);
    }
    return o->settings.incomplete ? hr_fail_memory(err) : HR_OK;
}

static hr_status list_names(const hr_names *names, ProtobufCBinaryData **out, hr_error *err) {
    *out = calloc(names->count + 1, sizeof **out);
    if (!*out) return hr_fail_memory(err);
    for (size_t i = 0; i < names->count; i++) (*out)[i] = hr_text_of(names->items[i]);
    return HR_OK;
}

/* What the job is about, besides the method's name. */
static hr_status list_work(job_offer *o, const hr_federated_method *federated, const hr_job_file *job,
                           const hr_schema *schema, hr_error *err) {
    if (job->model) return name_evaluated(o, job, schema, err);
    if (!job->columns.count) return list_terms_settings(o, federated, &job->options, err);

    /* Columns of a job of bounds are numbers of the schema. */
    size_t at[HR_SHARED_BOUNDS_MAX];
    hr_status status = hr_shared_bounds_find(schema, job->columns.items, job->columns.count, at, err);
    return status ? hr_fail_at(err, status, NULL, 0, 0, "columns") : HR_OK;
}

static hr_status refuse_job_key(const hr_job_file *job, const char *key, const char *why, hr_error *err) {
    hr_fail(err, HR_E_ARGUMENT, "remove the key", "the method '%s' %s", hr_job_file_method(job), why);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, key);
}

/* Keys that the job's method does not use are refused: who wrote them expects something of them. */
static hr_status check_job_keys(const hr_job_file *job, const hr_federated_method *federated,
                                const hr_names *owners, hr_error *err) {
    const bool sums = federated->summed, whole = federated->unprotected,
               turns = !sums && !job->averages && !whole;
    if (!sums && job->coalition)
        return refuse_job_key(job, "coalition",
                              whole ? "is not safe against any other owner"
                                    : "is safe against all others, whatever they do",
                              err);
    if (sums && job->coalition && job->options.mode == HR_MODE_PAPER)
        return refuse_job_key(job, "coalition", "is safe against nobody in mode paper", err);
    if (!turns && job->rounds != 1)
        return refuse_job_key(job, "rounds",
                              whole                              ? "has an option 'trees' in their place"
                              : job->model || job->columns.count ? "has no rounds"
                              : sums                             ? "sets the number of its rounds itself"
                                                                 : "has one round, of whole models",
                              err);
    if (!turns && job->order != HR_ORDER_CHAIN)
        return refuse_job_key(job, "order", "passes on no trees", err);
    if (!turns && (job->round_gain > 0 || job->last_slots || job->vote_trees))
        return refuse_job_key(job,
                              job->vote_trees   ? "vote-trees"
                              : job->last_slots ? "vote-last"
                                                : "round-gain",
                              "has no votes", err);
    if (!sums && (job->records.most || job->owner_records))
        return refuse_job_key(job, "records", "adds up no counts to check bounds of records with", err);
    if (job->last_slots && job->options.mode == HR_MODE_PAPER)
        return refuse_job_key(job, "vote-last",
                              "has votes on all trees in mode paper ('vote-trees: true'), or on none", err);
    if (job->coordinator_owner && !hr_names_hold(owners, job->coordinator_owner)) {
        hr_fail(err, HR_E_ARGUMENT, "name an owner of the job, or leave it out",
                "'%s' is not an owner of this job", job->coordinator_owner);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "coordinator-owner");
    }
    if (job->coalition < owners->count || !job->coalition) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "give fewer owners than the job has, or leave it out",
            "a coalition of %zu of %zu owners leaves none", job->coalition, owners->count);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "coalition");
}

/* Averages are private because each of their models is. */
static hr_status check_alone(const hr_fit_options *options, hr_error *err) {
    bool paper = options->mode == HR_MODE_PAPER;
    const hr_method *method = hr_method_named(options->method);
    if (!paper && method->info.is_private && !method->predicts_nothing) return HR_OK;
    if (paper)
        hr_fail(err, HR_E_ARGUMENT, "write 'mode: sound', or remove the key",
                "an average is made of private models, and the paper mode makes none");
    else
        hr_fail(err, HR_E_ARGUMENT, "name a private one, such as hedge",
                "an average is made of private models, and the method '%s' makes none", options->method);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, paper ? "mode" : "train");
}

static hr_status check_job_mode(const hr_job_file *job, const hr_federated_method *federated, hr_error *err) {
    if (job->options.mode == HR_MODE_PAPER || !federated->no_sound) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, federated->instead_sound, "%s", federated->no_sound);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "mode");
}

/* An owner that is the coordinator is one more of those that act together with it. */
static size_t usual_coalition(const hr_job_file *job, size_t owners) {
    const size_t usual = hr_coalition_usual(owners) + (job->coordinator_owner != NULL);
    return usual < owners ? usual : owners - 1;
}

/* Those of the job file; else, where its method adds counts up, of the federation's. */
static hr_record_bounds bounds_of(const hr_job_file *job, bool sums, const char *owner) {
    size_t i = 0;
    while (i < job->owners.count && strcmp(job->owners.items[i], owner) != 0) i++;
    const hr_record_bounds own =
        job->owner_records && i < job->owners.count ? job->owner_records[i] : job->records;
    return own.most || !sums || !job->members ? own : hr_federation_file_records(job->members, owner);
}

/* Where one owner's are not known, they are those of any table. */
static hr_status list_bounds(job_offer *o, const hr_job_file *job, const hr_names *owners, hr_error *err) {
    const char *method = hr_job_file_method(job);
    const bool sums = hr_federated_method_named(method, strlen(method), job->options.mode)->summed;
    bool known = false;
    for (size_t i = 0; i < owners->count; i++) known = known || bounds_of(job, sums, owners->items[i]).most;
    if (!known) return HR_OK;
    o->least = calloc(owners->count, sizeof *o->least);
    o->most = calloc(owners->count, sizeof *o->most);
    if (!o->least || !o->most) return hr_fail_memory(err);
    for (size_t i = 0; i < owners->count; i++) {
        const hr_record_bounds bounds = bounds_of(job, sums, owners->items[i]);
        o->least[i] = bounds.least;
        o->most[i] = bounds.most ? bounds.most : HR_RECORD_BOUND_MAX;
    }
    return HR_OK;
}

static hr_status pack_terms(job_offer *o, const hr_job_file *job, const char *name, size_t owners,
                            hr_bytes *out, hr_error *err) {
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of(name);
    terms.schema = hr_text_of(o->schema);
    terms.method = hr_text_of(hr_job_file_method(job));
    terms.train = hr_text_of(job->averages ? job->options.method : "");
    terms.model = hr_text_of(o->model);
    terms.paper = job->options.mode == HR_MODE_PAPER;
    terms.epsilon = job->options.epsilon;
    terms.settings = o->list;
    terms.n_settings = o->settings.count;
    terms.broadcast = job->order == HR_ORDER_BROADCAST;
    terms.last_slots = (uint32_t)job->last_slots;
    terms.exact_rounds = terms.paper && job->round_gain > 0 && job->rounds > 1;
    terms.exact_trees = job->vote_trees;
    if (!terms.paper && ((job->round_gain > 0 && job->rounds > 1) || job->last_slots))
        terms.vote_share = job->vote_share;
    terms.date = (uint64_t)job->date;
    terms.delta = job->options.delta;

    /* Where owners add sums up there are no rounds of trees; elsewhere an owner is safe against all others.
     * In mode paper it is safe against nobody. */
    if (!hr_terms_method(&terms)->summed)
        terms.rounds = (uint32_t)job->rounds;
    else if (!terms.paper)
        terms.coalition = (uint32_t)(job->coalition ? job->coalition : usual_coalition(job, owners));
    terms.protocol = HR_PROTOCOL_VERSION;
    terms.federation_version = job->in.version;
    if (job->in.fingerprint) terms.federation_fingerprint = hr_text_of(job->in.fingerprint);
    if (job->coordinator_owner) terms.coordinator_owner = hr_text_of(job->coordinator_owner);
    terms.owners = o->owners;
    terms.n_owners = owners;
    terms.columns = o->columns;
    terms.n_columns = job->columns.count;
    terms.records_least = o->least;
    terms.records_most = o->most;
    terms.n_records_least = terms.n_records_most = o->most ? owners : 0;
    return hr_message_pack(&terms.base, out, err);
}

static hr_status refuse_method_of_one(const char *name, hr_error *err) {
    const hr_method *method = hr_method_named(name);
    const char *why = method && method->alone ? method->alone : "";
    hr_fail(err, HR_E_ARGUMENT, "write 'method: hedge'",
            "the method '%s' does not train over a federation%s%s", name, *why ? ": " : "", why);
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "method");
}

hr_status hr_terms_of(const hr_job_file *job, const char *name, const hr_schema *schema,
                      const hr_names *owners, hr_bytes *out, hr_error *err) {
    const char *method = hr_job_file_method(job);
    const hr_federated_method *federated =
        hr_federated_method_named(method, strlen(method), job->options.mode);
    if (!federated) return refuse_method_of_one(method, err);
    job_offer o = {.settings.arena = hr_arena_new()};
    const bool paper = job->options.mode == HR_MODE_PAPER;
    hr_status status = o.settings.arena ? check_job_mode(job, federated, err) : hr_fail_memory(err);
    if (!status) status = hr_federated_check_label(federated, paper, schema, err);
    if (!status) status = hr_federated_check_monotone(federated, paper, schema, err);
    if (!status) status = federated->check_schema ? federated->check_schema(schema, err) : HR_OK;
    if (!status) status = hr_federated_check_unit(federated, paper, schema, err);
    if (!status && !federated->corrects)
        status = hr_conformal_refuse(&job->options, "owners who each train a model", err);
    if (!status && job->averages) status = check_alone(&job->options, err);
    if (!status) status = hr_interactions_check(job->options.interactions, schema, err);
    if (!status && federated->check_options) status = federated->check_options(&job->options, schema, err);
    if (!status) status = check_job_keys(job, federated, owners, err);
    if (!status) status = hr_schema_render(schema, &o.schema, err);
    if (!status) status = list_work(&o, federated, job, schema, err);
    if (!status) status = list_names(owners, &o.owners, err);
    if (!status) status = list_names(&job->columns, &o.columns, err);
    if (!status) status = list_bounds(&o, job, owners, err);
    if (!status) status = pack_terms(&o, job, name, owners->count, out, err);
    hr_text_free(o.schema);
    free(o.owners);
    free(o.columns);
    free(o.least);
    free(o.most);
    hr_arena_free(o.settings.arena);
    return status;
}

/* ---- Options ---- */

/* Texts of a message are not ended by NUL. */
typedef struct small_text {
    char text[HR_SETTING_VALUE_MAX + 1];
} small_text;

static hr_status setting_text_of(ProtobufCBinaryData data, small_text *out, hr_error *err) {
    if (!hr_text_is_fit(data, sizeof out->text - 1))
        return hr_fail(err, HR_E_ARGUMENT, "", "a text is too long, or not valid UTF-8");
    memcpy(out->text, data.data ? data.data : (const uint8_t *)"", data.len);
    out->text[data.len] = '\0';
    return HR_OK;
}

hr_status hr_terms_trained(const Hedgerow__Terms *terms, const hr_method **out, hr_error *err) {
    const hr_federated_method *federated = hr_terms_method(terms);
    if (!federated)
        return hr_fail(err, HR_E_ARGUMENT, "", "the terms name no method that trains over a federation");
    if (!federated->averages && terms->train.len)
        return hr_fail(err, HR_E_ARGUMENT, "", "the method '%s' trains no other one",
                       federated->method->info.name);
    *out = federated->method;
    if (!federated->averages) return HR_OK;
    small_text name;
    hr_fit_options options;
    hr_status status = setting_text_of(terms->train, &name, err);
    if (!status)
        status = hr_fit_options_init(&options, name.text, terms->paper ? HR_MODE_PAPER : HR_MODE_SOUND, err);
    if (!status) status = check_alone(&options, err);
    if (!status) *out = hr_method_named(name.text);
    return status;
}

hr_status hr_terms_list_options(const Hedgerow__Terms *terms, hr_settings *settings, hr_error *err) {
    const hr_method *trained = NULL;
    hr_fit_options options;
    hr_status status = hr_terms_trained(terms, &trained, err);
    if (!status) status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) add_options(settings, hr_terms_method(terms), trained, &options);
    return status;
}

hr_status hr_options_of_terms(const Hedgerow__Terms *terms, double share, hr_fit_options *out,
                              hr_error *err) {
    hr_fit_options options;
    const hr_method *trained = NULL;
    hr_status status = hr_terms_trained(terms, &trained, err);
    if (status) return status;
    status =
        hr_fit_options_init(&options, trained->info.name, terms->paper ? HR_MODE_PAPER : HR_MODE_SOUND, err);
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

double hr_terms_delta(const Hedgerow__Terms *terms) {
    return hr_delta_value(hr_delta_down(terms->delta));
}

/* ---- The terms of a job file and of a job that runs ---- */

static bool is_same(ProtobufCBinaryData a, ProtobufCBinaryData b) {
    return a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len));
}

static int width_of(ProtobufCBinaryData text) {
    return text.len < 80 ? (int)text.len : 80;
}

static bool differ_in_text(const char *key, ProtobufCBinaryData file, ProtobufCBinaryData running,
                           char *text) {
    if (is_same(file, running)) return false;
    snprintf(text, HR_TERMS_DIFFERENCE, "the job file says %s: %.*s, the running job has %.*s", key,
             width_of(file), file.data, width_of(running), running.data);
    return true;
}

static bool differ_in_number(const char *key, double file, double running, char *text) {
    if (file == running) return false;
    snprintf(text, HR_TERMS_DIFFERENCE, "the job file says %s: %.15g, the running job has %.15g", key, file,
             running);
    return true;
}

static bool differ_in_word(const char *key, const char *file, const char *running, char *text) {
    return differ_in_text(key, hr_text_of(file), hr_text_of(running), text);
}

static ProtobufCBinaryData value_of(const Hedgerow__Terms *terms, ProtobufCBinaryData name) {
    for (size_t i = 0; i < terms->n_settings; i++)
        if (is_same(terms->settings[i]->name, name)) return terms->settings[i]->value;
    return hr_text_of("no value");
}

static bool differ_in_settings(const Hedgerow__Terms *file, const Hedgerow__Terms *running, char *text) {
    const Hedgerow__Terms *both[] = {file, running};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < both[side]->n_settings; i++) {
            ProtobufCBinaryData name = both[side]->settings[i]->name;
            char key[80];
            snprintf(key, sizeof key, "options: %.*s", (int)(name.len < 60 ? name.len : 60), name.data);
            if (differ_in_text(key, value_of(file, name), value_of(running, name), text)) return true;
        }
    return false;
}

static bool differ_in_texts(const char *key, const ProtobufCBinaryData *file,
                            const ProtobufCBinaryData *running, size_t count, char *text) {
    for (size_t i = 0; i < count; i++)
        if (differ_in_text(key, file[i], running[i], text)) return true;
    return false;
}

typedef struct bound_list {
    const uint64_t *at;
    size_t count;
} bound_list;

/* Of each owner; one that is not there is 0. */
static bool differ_in_bounds(const char *key, bound_list file, bound_list running, char *text) {
    for (size_t i = 0; i < file.count || i < running.count; i++)
        if (differ_in_number(key, i < file.count ? (double)file.at[i] : 0,
                             i < running.count ? (double)running.at[i] : 0, text))
            return true;
    return false;
}

/* A schema that cannot be read differs, too. */
static bool differ_in_schema(ProtobufCBinaryData file, ProtobufCBinaryData running, char *text) {
    static const hr_schema_sides sides = {"in the job file", "in the running job"};
    char difference[HR_SCHEMA_DIFFERENCE] = "one of the two cannot be read";
    hr_schema *one = NULL, *other = NULL;
    if (is_same(file, running)) return false;
    bool differ = hr_schema_parse((const char *)file.data, file.len, "job file", &one, NULL) ||
                  hr_schema_parse((const char *)running.data, running.len, "running job", &other, NULL) ||
                  hr_schema_difference(one, other, &sides, difference);
    hr_schema_free(one);
    hr_schema_free(other);
    if (differ) snprintf(text, HR_TERMS_DIFFERENCE, "the schema differs: %s", difference);
    return differ;
}

bool hr_terms_difference(const Hedgerow__Terms *file, const Hedgerow__Terms *running,
                         char text[HR_TERMS_DIFFERENCE]) {
    static const char *const modes[] = {"sound", "paper"}, *const orders[] = {"chain", "broadcast"},
                             *const flags[] = {"false", "true"};
    return differ_in_text("method", file->method, running->method, text) ||
           differ_in_text("train", file->train, running->train, text) ||
           differ_in_text("model", file->model, running->model, text) ||
           differ_in_word("mode", modes[file->paper != 0], modes[running->paper != 0], text) ||
           differ_in_number("epsilon", file->epsilon, running->epsilon, text) ||
           differ_in_number("delta", file->delta, running->delta, text) ||
           differ_in_number("rounds", file->rounds, running->rounds, text) ||
           differ_in_word("order", orders[file->broadcast != 0], orders[running->broadcast != 0], text) ||
           differ_in_number("vote-last", file->last_slots, running->last_slots, text) ||
           differ_in_number("vote-share", file->vote_share, running->vote_share, text) ||
           differ_in_word("vote-trees", flags[file->exact_trees != 0], flags[running->exact_trees != 0],
                          text) ||
           differ_in_number("coalition", file->coalition, running->coalition, text) ||
           differ_in_text("coordinator-owner", file->coordinator_owner, running->coordinator_owner, text) ||
           differ_in_settings(file, running, text) ||
           differ_in_number("a number of columns", (double)file->n_columns, (double)running->n_columns,
                            text) ||
           differ_in_texts("a column", file->columns, running->columns, file->n_columns, text) ||
           differ_in_number("a number of owners", (double)file->n_owners, (double)running->n_owners, text) ||
           differ_in_texts("an owner", file->owners, running->owners, file->n_owners, text) ||
           differ_in_bounds("least records of an owner",
                            (bound_list){file->records_least, file->n_records_least},
                            (bound_list){running->records_least, running->n_records_least}, text) ||
           differ_in_bounds("most records of an owner",
                            (bound_list){file->records_most, file->n_records_most},
                            (bound_list){running->records_most, running->n_records_most}, text) ||
           differ_in_schema(file->schema, running->schema, text);
}
