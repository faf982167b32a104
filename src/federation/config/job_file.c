#include "federation/config/job_file.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text/calendar.h"
#include "federation/config/federation_file.h"
#include "tables/source/codec.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct parts {
    hr_job_file file;
    const char *method, *train, *date;
    int mode, order, wait_for;
    hr_job_rules *rules;
    const hr_left_out *left_out; /* of the method; NULL: none */
} parts;

#define AT(field) offsetof(parts, field)

static const char *const modes[] = {"sound", "paper", NULL};      /* as hr_mode */
static const char *const orders[] = {"chain", "broadcast", NULL}; /* as hr_order */
static const char *const waits[] = {"all", "present", NULL};      /* as hr_wait_for */

enum {
    ROOT_VERSION,
    ROOT_SCHEMA,
    ROOT_METHOD,
    ROOT_TRAIN,
    ROOT_MODEL,
    ROOT_COLUMNS,
    ROOT_MODE,
    ROOT_EPSILON,
    ROOT_DELTA,
    ROOT_OPTIONS,
    ROOT_ROUNDS,
    ROOT_ORDER,
    ROOT_ROUND_GAIN,
    ROOT_VOTE_LAST,
    ROOT_VOTE_SHARE,
    ROOT_VOTE_TREES,
    ROOT_COALITION,
    ROOT_COORDINATOR_OWNER,
    ROOT_RECORDS,
    ROOT_DEADLINE,
    ROOT_WAIT_FOR,
    ROOT_DATE,
    ROOT_NAME,
    ROOT_FEDERATION,
    ROOT_KEY,
    ROOT_CERTIFICATE,
    ROOT_CERTIFICATE_KEY,
    ROOT_JOURNAL,
    ROOT_OWNERS,
    ROOT_KEYS
};
static const hr_field root_fields[ROOT_KEYS] = {
    {.key = "hedgerow-job", .expected = "1"},
    {.key = "schema",
     .kind = HR_FIELD_PATH,
     .required = true,
     .offset = AT(file.schema),
     .expected = HR_FILE_EXPECTED},
    {.key = "method", .kind = HR_FIELD_TEXT, .offset = AT(method), .expected = "a method such as hedge"},
    {.key = "train",
     .kind = HR_FIELD_TEXT,
     .offset = AT(train),
     .expected = "a private method such as hedge"},
    {.key = "model", .kind = HR_FIELD_PATH, .offset = AT(file.model), .expected = HR_FILE_EXPECTED},
    {.key = "columns",
     .kind = HR_FIELD_WORDS,
     .offset = AT(file.columns),
     .min = 1,
     .max = 256,
     .expected = "a list of 1 to 256 columns such as [income, age]"},
    {.key = "mode", .kind = HR_FIELD_WORD, .offset = AT(mode), .words = modes, .expected = "sound or paper"},
    {.key = "epsilon", .expected = "a number above 0, at most 10000"},
    {.key = "delta", .expected = "a number from 0 to 0.1"},
    {.key = "options", .expected = "a mapping of the method's options to values"},
    {.key = "rounds",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(file.rounds),
     .min = 1,
     .max = 8,
     .expected = "an integer from 1 to 8"},
    {.key = "order",
     .kind = HR_FIELD_WORD,
     .offset = AT(order),
     .words = orders,
     .expected = "chain or broadcast"},
    {.key = "round-gain",
     .kind = HR_FIELD_NUMBER,
     .offset = AT(file.round_gain),
     .min = HR_ABOVE_ZERO,
     .max = 1,
     .expected = "a number above 0, at most 1"},
    {.key = "vote-last",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(file.last_slots),
     .min = 1,
     .max = 3,
     .expected = "an integer from 1 to 3"},
    {.key = "vote-share",
     .kind = HR_FIELD_NUMBER,
     .offset = AT(file.vote_share),
     .min = .01,
     .max = .9,
     .expected = "a number from 0.01 to 0.9"},
    {.key = "vote-trees", .kind = HR_FIELD_FLAG, .offset = AT(file.vote_trees), .expected = "true or false"},
    {.key = "coalition",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(file.coalition),
     .min = 1,
     .max = HR_MEMBERS_MAX - 1,
     .expected = "an integer of owners from 1 to 255"},
    {.key = "coordinator-owner",
     .kind = HR_FIELD_NAME,
     .offset = AT(file.coordinator_owner),
     .expected = HR_NAME_EXPECTED},
    {.key = "records", .expected = "bounds of an owner's records such as 2000..8000"},
    {.key = "deadline",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(file.deadline),
     .min = 1,
     .max = 31 * 86400,
     .expected = "an integer of seconds from 1 to 2678400"},
    {.key = "wait-for",
     .kind = HR_FIELD_WORD,
     .offset = AT(wait_for),
     .words = waits,
     .expected = "all or present"},
    {.key = "date", .kind = HR_FIELD_TEXT, .offset = AT(date), .expected = "a day such as 2026-11-22"},
    HR_MEMBER_FIELDS(AT(file.member), false),
    {.key = "journal", .kind = HR_FIELD_PATH, .offset = AT(file.journal), .expected = HR_FILE_EXPECTED},
    {.key = "owners",
     .kind = HR_FIELD_MEMBERS,
     .offset = AT(file.owners),
     .min = 1,
     .max = HR_MEMBERS_MAX,
     .expected = "a list of 1 to 256 members such as [hospital-a, hospital-b], or a mapping such as "
                 "{hospital-a: {records: 2000..8000}, hospital-b: {}}"},
};
static const hr_field_table root_table = {"a job file", root_fields, ROOT_KEYS};

enum { DEADLINE_SECONDS = 600 };
static const double vote_share_of_epsilon = .1;

/* ---- The method's options ---- */

/* What the options' table refuses is, in a file, a matter of its format, at the value. */
static hr_status slot(const hr_fields *reader, const hr_yaml_node *node, hr_status status) {
    hr_error *err = reader->keys.err;
    if (status != HR_E_ARGUMENT) return status;
    if (err) err->status = HR_E_FORMAT;
    return hr_fail_at(err, HR_E_FORMAT, NULL, node->line, node->column, NULL);
}

static hr_status set_option(const hr_fields *reader, const char *name, const hr_yaml_node *value,
                            hr_fit_options *options) {
    const char *text = NULL;
    const bool is_list =
        value->kind == HR_YAML_SEQUENCE && (!strcmp(name, "interactions") || !strcmp(name, "columns"));
    if (value->kind != HR_YAML_SCALAR && !is_list)
        return hr_keys_refuse_kind(&reader->keys, value, name, "a single value");
    hr_buffer line = {0};
    hr_status status = HR_OK;
    if (is_list)
        hr_keys_line(&line, value);
    else
        status = hr_keys_text(&reader->keys, value, name, &text);
    if (line.failed) status = hr_fail_memory(reader->keys.err);
    if (!status)
        status = slot(reader, value,
                      hr_fit_options_set(options, name, is_list ? line.bytes : text, reader->keys.err));
    hr_buffer_done(&line);
    return status;
}

const char *hr_left_out_instead(const hr_left_out *list, const char *name) {
    for (; list && list->name; list++)
        if (!strcmp(list->name, name)) return list->instead;
    return NULL;
}

static hr_status read_options(const hr_fields *reader, const hr_yaml_node *map, const parts *whole,
                              hr_fit_options *options) {
    if (map->kind != HR_YAML_MAPPING)
        return hr_keys_refuse_kind(&reader->keys, map, "options", root_fields[ROOT_OPTIONS].expected);
    for (const hr_yaml_node *key = map->child; key; key = key->next->next) {
        const hr_yaml_node *first = map->child;
        while (strcmp(first->text, key->text) != 0) first = first->next->next;
        if (first != key)
            return hr_keys_refuse(&reader->keys, key, "remove one of the two", "the key '%s' is given twice",
                                  key->text);
        if (!strcmp(key->text, "epsilon") || !strcmp(key->text, "delta"))
            return hr_keys_refuse(&reader->keys, key, "write it as a key of the file itself",
                                  "the key '%s' does not belong to options", key->text);
        const char *instead = hr_left_out_instead(whole->left_out, key->text);
        if (instead)
            return hr_keys_refuse(&reader->keys, key, instead,
                                  "the key '%s' does not belong to options of a job", key->text);
        hr_status status = set_option(reader, key->text, key->next, options);
        if (status) return status;
    }
    return HR_OK;
}

/* A method that trains nothing, and the key that such a job needs. */
typedef struct untrained_method {
    const char *name;
    int key;
    const char *needs;
} untrained_method;

static const untrained_method untrained_methods[] = {
    {HR_METHOD_EVALUATION, ROOT_MODEL, "the method evaluation needs the model file that owners evaluate"},
    {HR_METHOD_BOUNDS, ROOT_COLUMNS, "the method bounds needs the columns whose bounds are asked for"}};
enum { UNTRAINED_METHODS = sizeof untrained_methods / sizeof *untrained_methods };

/* Keys of methods that train nothing, but for `method`'s; NULL: of all. */
static hr_status refuse_keys_of_others(const hr_fields *reader, const hr_yaml_node *const *found,
                                       const untrained_method *method) {
    for (size_t i = 0; i < UNTRAINED_METHODS; i++) {
        const untrained_method *other = &untrained_methods[i];
        char remedy[80];
        if (other == method || !found[other->key]) continue;
        snprintf(remedy, sizeof remedy, "remove it, or write 'method: %s'", other->name);
        return hr_keys_refuse(&reader->keys, found[other->key], remedy, "%s: only the method %s takes it",
                              root_fields[other->key].key, other->name);
    }
    return HR_OK;
}

/* What is trained: by all owners together, or by each alone. */
static hr_status read_trained(const hr_fields *reader, const hr_yaml_node *const *found, parts *whole) {
    hr_fit_options *options = &whole->file.options;
    bool averages = whole->method && !strcmp(whole->method, HR_METHOD_AVERAGE);
    const hr_yaml_node *train = found[ROOT_TRAIN];
    const char *method = averages ? whole->train : whole->method; /* NULL: the default */
    if (train && !averages)
        return hr_keys_refuse(&reader->keys, train, "remove it, or write 'method: average'",
                              "train: only the method average trains another one");
    const untrained_method *untrained = NULL;
    for (size_t i = 0; i < UNTRAINED_METHODS && whole->method; i++)
        if (!strcmp(whole->method, untrained_methods[i].name)) untrained = &untrained_methods[i];
    if (untrained) {
        if (!found[untrained->key])
            return hr_keys_need(&reader->keys, reader->root, NULL, root_fields[untrained->key].key,
                                untrained->needs);
        if (whole->mode == HR_MODE_PAPER)
            return hr_keys_refuse(&reader->keys, found[ROOT_MODE], "remove the key",
                                  "mode: the method %s is of no paper", untrained->name);
        if (found[ROOT_OPTIONS])
            return hr_keys_refuse(&reader->keys, found[ROOT_OPTIONS], "remove the key",
                                  "options: the method %s has none", untrained->name);
        /* Of the default method's options only epsilon and delta count. */
        hr_status status = hr_fit_options_init(options, NULL, HR_MODE_SOUND, reader->keys.err);
        options->delta = 0;
        return status ? status : refuse_keys_of_others(reader, found, untrained);
    }

    hr_status status = refuse_keys_of_others(reader, found, NULL);
    if (status) return status;
    status = hr_fit_options_init(options, method, (hr_mode)whole->mode, reader->keys.err);
    const hr_yaml_node *at = train ? train : found[ROOT_METHOD];
    if (status) return slot(reader, at ? at : reader->root, status);
    whole->file.averages = averages;
    if (averages) return HR_OK;
    options->delta = 0;
    whole->left_out = whole->rules(options);
    return HR_OK;
}

static hr_status read_method(const hr_fields *reader, const hr_yaml_node *const *found, parts *whole) {
    hr_fit_options *options = &whole->file.options;
    const hr_yaml_node *delta = found[ROOT_DELTA];
    hr_status status = read_trained(reader, found, whole);
    if (status) return status;
    if (found[ROOT_EPSILON]) {
        status = set_option(reader, "epsilon", found[ROOT_EPSILON], options);
    } else {
        /* Only a method without a guarantee, whose authors claim none either, takes none. */
        const hr_method_info *method = hr_method_find(options->method);
        hr_option_info option;
        char why[100];
        options->epsilon = 0;
        snprintf(why, sizeof why, "expected: %s", root_fields[ROOT_EPSILON].expected);
        for (size_t i = 0; !status && hr_method_option(method, i, &option); i++)
            if (!strcmp(option.name, "epsilon") &&
                *(options->mode == HR_MODE_PAPER ? option.paper : option.sound))
                status = hr_keys_need(&reader->keys, reader->root, NULL, "epsilon", why);
    }
    /* A delta of 0 may be written of every method, also of those that know no other. */
    const bool zero = delta && delta->kind == HR_YAML_SCALAR && delta->plain && !strcmp(delta->text, "0");
    if (zero) options->delta = 0;
    if (!status && delta && !zero) status = set_option(reader, "delta", delta, options);
    if (!status && found[ROOT_OPTIONS]) status = read_options(reader, found[ROOT_OPTIONS], whole, options);
    return status;
}

/* ---- The whole ---- */

/* Votes are paid for in mode sound; in mode paper they are exact, and free. */
typedef struct refused_key {
    int key;
    hr_mode mode;
    const char *remedy, *why;
} refused_key;

static const refused_key refused_keys[] = {
    {ROOT_VOTE_SHARE, HR_MODE_PAPER, "remove the key",
     "vote-share: in mode paper votes are exact and cost nothing"},
    {ROOT_VOTE_TREES, HR_MODE_SOUND, "remove the key",
     "vote-trees: votes on every tree are exact, and only mode paper has them"}};

static hr_status read_job_root(const hr_fields *reader, void *out) {
    const hr_yaml_node *found[ROOT_KEYS] = {NULL};
    parts *whole = out;
    hr_status status = hr_fields_read(reader, reader->root, &root_table, whole, found);
    if (!status) status = read_method(reader, found, whole);
    hr_job_file *file = &whole->file;
    const hr_yaml_node *owners = found[ROOT_OWNERS], *records = found[ROOT_RECORDS];
    if (!status && records) status = hr_record_bounds_read(reader, records, &file->records);
    if (!status && owners && owners->kind == HR_YAML_MAPPING)
        status = hr_record_bounds_read_owners(reader, owners, &file->records, &file->owner_records);
    for (size_t i = 0; !status && i < sizeof refused_keys / sizeof *refused_keys; i++) {
        const refused_key *k = &refused_keys[i];
        if (found[k->key] && whole->mode == (int)k->mode)
            status = hr_keys_refuse(&reader->keys, found[k->key], k->remedy, "%s", k->why);
    }
    if (status) return status;
    const bool votes = found[ROOT_ROUND_GAIN] || found[ROOT_VOTE_LAST], paper = whole->mode == HR_MODE_PAPER;
    if (found[ROOT_VOTE_SHARE] && !votes)
        return hr_keys_refuse(&reader->keys, found[ROOT_VOTE_SHARE],
                              "remove it, or add 'round-gain' or 'vote-last'",
                              "there are no votes without the key 'round-gain' or 'vote-last'");
    if (votes && !paper && !found[ROOT_VOTE_SHARE]) whole->file.vote_share = vote_share_of_epsilon;
    const hr_yaml_node *date = found[ROOT_DATE];
    if (date && !hr_date_parse(whole->date, &whole->file.date))
        return hr_keys_refuse(&reader->keys, date, HR_KEYS_SHOWN, "date: '%s' is not %s", whole->date,
                              root_fields[ROOT_DATE].expected);
    whole->file.order = (hr_order)whole->order;
    whole->file.wait_for = (hr_wait_for)whole->wait_for;

    /* The coordinator's part is there with all that it needs, or not at all: a coordinator that serves has it
     * in a file of its own, and the job names owners alone. */
    bool given = false;
    for (size_t i = ROOT_NAME; i < ROOT_KEYS; i++) given = given || (i != ROOT_OWNERS && found[i]);
    for (size_t i = ROOT_NAME; i <= ROOT_OWNERS && given; i++) {
        if (found[i] || i == ROOT_CERTIFICATE || i == ROOT_CERTIFICATE_KEY) continue;
        return hr_keys_need(
            &reader->keys, reader->root, NULL, root_fields[i].key,
            "a job over a federation needs the keys name, federation, key, journal and "
            "owners; a simulation needs none of them, and a job that is submitted only owners");
    }
    return hr_fields_pair(reader, root_fields, found, ROOT_CERTIFICATE, ROOT_CERTIFICATE_KEY);
}

hr_status hr_job_file_parse(const hr_file_text *text, hr_job_rules *rules, hr_arena *arena, hr_job_file *out,
                            hr_error *err) {
    parts whole = {.file = {.rounds = 1, .deadline = DEADLINE_SECONDS},
                   .mode = HR_MODE_SOUND,
                   .order = HR_ORDER_CHAIN,
                   .rules = rules};
    hr_status status = hr_fields_parse(text, root_table.what, read_job_root, arena, &whole, err);
    if (!status) *out = whole.file;
    return status;
}

hr_job_product hr_job_file_makes(const hr_job_file *job) {
    return job->model ? HR_JOB_FIGURES : job->columns.count ? HR_JOB_SCHEMA : HR_JOB_MODEL;
}

hr_status hr_job_file_load_model(hr_job_file *job, hr_arena *arena, hr_error *err) {
    hr_buffer json = {0};
    hr_status status = hr_packed_read_path(job->model, &json, err);
    const char *model = status ? NULL : hr_arena_text(arena, json.bytes ? json.bytes : "", json.size);
    if (!status && !model) status = hr_fail_memory(err);
    job->evaluated = (hr_file_text){job->model, model, json.size};
    hr_buffer_done(&json);
    return status;
}

hr_status hr_job_file_read(const char *path, hr_job_rules *rules, hr_arena *arena, hr_job_file *out,
                           hr_error *err) {
    hr_file_text text;
    hr_status status = hr_fields_load(path, arena, &text, err);
    if (!status) status = hr_job_file_parse(&text, rules, arena, out, err);
    return status || !out->model ? status : hr_job_file_load_model(out, arena, err);
}
